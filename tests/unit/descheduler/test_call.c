/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include "../../support/allocator.h"
#include "../unit.h"

static void fill(struct fixture *fixture, const rebal_allocator *allocator) {
  const struct test_binding first = {.key = "shop/a", .targets = "m1=3 m2=2"},
                            second = {.key = "shop/b", .targets = "m3=4"};

  fixture_open(fixture, allocator);
  (void)fixture_add(fixture, &first, "m1=1 m2=2");
  (void)fixture_add(fixture, &second, "m3=4");
  fixture_answer(fixture, "m1=2");
}

START_TEST(test_a_step_for_each_and_one_wake) {
  struct fixture fixture;

  fill(&fixture, NULL);
  ck_assert_int_eq(fixture_run(&fixture), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(fixture.world.result, REBAL_TABLE_STEP), 2);
  ck_assert_uint_eq(rebal_result_count(fixture.world.result, REBAL_TABLE_ACTION), 4);
  for (size_t i = 0; i < 4; i++) {
    ck_assert_int_eq(fixture_cell(&fixture, REBAL_ACTION_ORDINAL, i), (int64_t)i);
  }
  ck_assert_uint_eq(fixture_action(&fixture, REBAL_ACTION_KIND_WAKE, REBAL_ABSENT, 0), 3);
  fixture_close(&fixture);
}
END_TEST

START_TEST(test_without_bindings_there_is_a_next_run) {
  struct fixture fixture;

  fixture_open(&fixture, NULL);
  ck_assert_int_eq(fixture_run(&fixture), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(fixture.world.result, REBAL_TABLE_STEP), 0);
  ck_assert_uint_eq(fixture_action(&fixture, REBAL_ACTION_KIND_WAKE, REBAL_ABSENT, 0), 0);
  fixture_close(&fixture);
}
END_TEST

START_TEST(test_inputs_are_checked) {
  const rebal_time now = test_time(NOW), unset = {0, 0, 0};
  struct fixture fixture;
  struct test_world *world = &fixture.world;

  fill(&fixture, NULL);
  test_freeze(world);
  ck_assert_int_eq(rebal_deschedule_step(NULL, world->snapshot, world->bindings, &now, NULL, world->result, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_deschedule_step(world->ctx, NULL, world->bindings, &now, NULL, world->result, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_deschedule_step(world->ctx, world->snapshot, NULL, &now, NULL, world->result, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(
      rebal_deschedule_step(world->ctx, world->snapshot, world->bindings, &unset, NULL, world->result, NULL),
      REBAL_EINVAL);
  ck_assert_int_eq(rebal_deschedule_step(world->ctx, world->snapshot, world->bindings, &now, NULL, NULL, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_deschedule_step(world->ctx, world->snapshot, world->bindings, &now, NULL, world->result, NULL),
                   REBAL_OK);
  fixture_close(&fixture);
}
END_TEST

static int32_t story(const rebal_allocator *allocator, void *user_data) {
  const struct test_binding excluded = {.key = "shop/c", .kind = "batch/v1=Job", .targets = "m1=3"};
  const rebal_time now = test_time(NOW);
  struct fixture fixture;
  rebal_ctx *ctx = NULL;
  rebal_result *result = NULL;
  int32_t code;

  (void)user_data;
  fill(&fixture, NULL);
  (void)fixture_add(&fixture, &excluded, "m1=1");
  test_freeze(&fixture.world);
  fixture.opts.max_by_cluster = 9;
  fixture.opts.max_by_namespace = 9;
  code = rebal_ctx_new(allocator, NULL, &ctx, NULL);
  code = code == REBAL_OK ? rebal_result_new(allocator, &result, NULL) : code;
  if (code == REBAL_OK) {
    code =
        rebal_deschedule_step(ctx, fixture.world.snapshot, fixture.world.bindings, &now, &fixture.opts, result, NULL);
    ck_assert_int_eq(rebal_result_count(result, REBAL_TABLE_ACTION) == 0, code != REBAL_OK);
  }
  rebal_result_free(result);
  rebal_ctx_free(ctx);
  fixture_close(&fixture);
  return code;
}

START_TEST(test_no_memory_is_an_answer) {
  ck_assert_pstr_eq(test_torture(story, NULL), NULL);
}
END_TEST

UNIT_CASE(call) {
  TCase *tests = tcase_create("call");
  tcase_add_test(tests, test_a_step_for_each_and_one_wake);
  tcase_add_test(tests, test_without_bindings_there_is_a_next_run);
  tcase_add_test(tests, test_inputs_are_checked);
  tcase_add_test(tests, test_no_memory_is_an_answer);
  return tests;
}
