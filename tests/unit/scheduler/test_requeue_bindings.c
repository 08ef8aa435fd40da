/* SPDX-License-Identifier: MIT */
/* Which events of bindings enqueue them (rebalance-karmada(7) 2.1). */
#include "phases_fixture.h"

#include "../../support/allocator.h"
#include "../unit.h"

#include <stdio.h>

static struct test_world world;

static void setup(void) {
  test_world_open(&world, NULL);
}

static void teardown(void) {
  test_world_close(&world);
}

static rebal_bindings *set_of(const struct test_binding *bindings, size_t n) {
  rebal_bindings *set = test_new_bindings(&world);

  for (size_t i = 0; i < n; i++) {
    (void)test_add_binding(&world, set, &bindings[i]);
  }
  ck_assert_int_eq(rebal_bindings_freeze(set, NULL), REBAL_OK);
  return set;
}

/* Rows of REQUEUED as "0 2 ". */
static const char *queued(void) {
  static char text[64];
  size_t n, len = 0;
  const int64_t *rows = rebal_result_i64(world.result, REBAL_REQUEUED_BINDING, &n);
  const int64_t *clusters = rebal_result_i64(world.result, REBAL_REQUEUED_CLUSTER, &n);

  text[0] = '\0';
  for (size_t i = 0; i < n; i++) {
    len += (size_t)snprintf(text + len, sizeof text - len, "%d ", (int)rows[i]);
    ck_assert_int_eq(clusters[i], REBAL_ABSENT);
  }
  return text;
}

static void expect(rebal_bindings *before, const uint32_t *before_rows, rebal_bindings *after, const char *rows) {
  ck_assert_int_eq(rebal_requeue_bindings(world.ctx, before, before_rows, after, NULL, world.result, NULL), REBAL_OK);
  ck_assert_str_eq(queued(), rows);
}

static const struct {
  struct test_binding before, after;
  const char *rows;
} changes[] = {
    {{.key = "ns/a", .generation = 1}, {.key = "ns/a", .generation = 2}, "0 "},
    {{.key = "ns/a", .generation = 2}, {.key = "ns/a", .generation = 1}, "0 "},
    {{.key = "ns/a", .generation = 1}, {.key = "ns/a", .generation = 1, .observed_generation = 1}, ""},
    {{.key = "ns/a", .generation = 1, .targets = "m1=1"}, {.key = "ns/a", .generation = 1}, ""},
    {{.key = "ns/a", .generation = 1}, {.key = "ns/a", .generation = 2, .suspended = 1}, ""},
    {{.key = "ns/a", .generation = 1}, {.key = "ns/a", .generation = 2, .scheduler = "other"}, ""},
    {{.key = "ns/a", .generation = 1}, {.key = "ns/a", .generation = 2, .unmanaged = 1}, ""},
};

START_TEST(test_another_generation_is_queued) {
  rebal_bindings *before = set_of(&changes[_i].before, 1), *after = set_of(&changes[_i].after, 1);

  expect(before, NULL, after, changes[_i].rows);
  rebal_bindings_free(before);
  rebal_bindings_free(after);
}
END_TEST

static const struct test_binding hidden[] = {
    {.key = "ns/a", .generation = 1, .suspended = 1},
    {.key = "ns/a", .generation = 1, .scheduler = "other"},
    {.key = "ns/a", .generation = 1, .unmanaged = 1},
};

/* Of the same generation. */
START_TEST(test_what_appears_is_queued) {
  static const struct test_binding visible = {.key = "ns/a", .generation = 1};
  rebal_bindings *before = set_of(&hidden[_i], 1), *after = set_of(&visible, 1);

  expect(before, NULL, after, "0 ");
  expect(after, NULL, before, "");
  expect(before, NULL, before, "");
  rebal_bindings_free(before);
  rebal_bindings_free(after);
}
END_TEST

static const struct test_binding several[] = {
    {.key = "ns/a", .generation = 1}, {.key = "ns/b", .generation = 2}, {.key = "c", .generation = 3}};

START_TEST(test_new_bindings_are_queued) {
  static const uint32_t swapped[] = {1, 0, REBAL_NONE}, turned[] = {2, 0, 1}, far[] = {0, 3, 1};
  rebal_bindings *all = set_of(several, 3), *fewer = set_of(several, 2), *none = set_of(several, 0);
  rebal_error err = REBAL_ERROR_INIT;

  expect(NULL, NULL, all, "0 1 2 ");
  expect(none, NULL, all, "0 1 2 ");
  expect(fewer, NULL, all, "2 ");
  expect(all, NULL, fewer, ""); /* one is removed */
  expect(all, NULL, all, "");
  expect(fewer, swapped, all, "0 1 2 ");
  expect(all, turned, all, "0 1 2 ");
  ck_assert_int_eq(rebal_requeue_bindings(world.ctx, all, far, all, NULL, world.result, &err), REBAL_EINVAL);
  ck_assert_str_eq(err.message, "before has no row 3");
  ck_assert_int_eq(rebal_requeue_bindings(world.ctx, NULL, turned, all, NULL, world.result, NULL), REBAL_EINVAL);
  rebal_bindings_free(all);
  rebal_bindings_free(fewer);
  rebal_bindings_free(none);
}
END_TEST

START_TEST(test_the_name_of_the_scheduler) {
  static const char name[] = "other";
  static const rebal_schedule_opts opts = {
      .struct_size = sizeof opts, .scheduler_name = name, .scheduler_name_len = sizeof name - 1};
  static const rebal_schedule_opts signing = {.struct_size = sizeof signing, .flags = REBAL_SCHEDULE_FLAG_FINGERPRINT};
  static const struct test_binding bindings[] = {{.key = "ns/a"}, {.key = "ns/b", .scheduler = "other"}};
  rebal_bindings *set = set_of(bindings, 2);

  ck_assert_int_eq(rebal_requeue_bindings(world.ctx, NULL, NULL, set, &opts, world.result, NULL), REBAL_OK);
  ck_assert_str_eq(queued(), "1 ");
  ck_assert_int_eq(rebal_requeue_bindings(world.ctx, NULL, NULL, set, &signing, world.result, NULL),
                   REBAL_EUNSUPPORTED);
  rebal_bindings_free(set);
}
END_TEST

static int32_t requeue_all(const rebal_allocator *allocator, void *user_data) {
  rebal_ctx *ctx = NULL;
  rebal_result *result = NULL;
  int32_t code = rebal_ctx_new(allocator, NULL, &ctx, NULL);

  code = code == REBAL_OK ? rebal_result_new(allocator, &result, NULL) : code;
  if (code == REBAL_OK) {
    code = rebal_requeue_bindings(ctx, NULL, NULL, user_data, NULL, result, NULL);
  }
  rebal_result_free(result);
  rebal_ctx_free(ctx);
  return code;
}

START_TEST(test_without_memory) {
  rebal_bindings *set = set_of(several, 3);

  ck_assert_pstr_eq(test_torture(requeue_all, set), NULL);
  rebal_bindings_free(set);
}
END_TEST

UNIT_CASE(requeue_bindings) {
  TCase *cases = tcase_create("requeue_bindings");

  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_loop_test(cases, test_another_generation_is_queued, 0, (int)REBALI_COUNT(changes));
  tcase_add_loop_test(cases, test_what_appears_is_queued, 0, (int)REBALI_COUNT(hidden));
  tcase_add_test(cases, test_new_bindings_are_queued);
  tcase_add_test(cases, test_the_name_of_the_scheduler);
  tcase_add_test(cases, test_without_memory);
  return cases;
}
