/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include "../../support/allocator.h"
#include "../unit.h"

static struct fixture fixture;
static rebal_observations *seen;

static void setup(void) {
  const struct test_binding first = {.key = "shop/a", .targets = "m1=3"}, second = {.key = "shop/b", .targets = "m1=3"};

  ck_assert_int_eq(rebal_observations_new(NULL, &seen, NULL), REBAL_OK);
  fixture_open(&fixture, NULL);
  (void)fixture_add(&fixture, &first, "m1=1");
  (void)fixture_add(&fixture, &second, "m1=1");
  fixture_answer(&fixture, "m1=2");
  fixture.opts.observations = seen;
}

static void teardown(void) {
  fixture_close(&fixture);
  rebal_observations_free(seen);
}

static void observe(int64_t binding, int32_t outcome, const char *message) {
  ck_assert_int_eq(test_observe(seen, binding, outcome, message), REBAL_OK);
}

static void check_step(uint32_t binding, int64_t state, const char *message) {
  ck_assert_int_eq(fixture_cell(&fixture, REBAL_STEP_STATE, binding), state);
  ck_assert_int_eq(fixture_cell(&fixture, REBAL_STEP_REASON, binding), REBAL_DESCHEDULE_REASON_MOVED);
  ck_assert_str_eq(rebal_result_text(fixture.world.result, REBAL_STEP_MESSAGE, binding, NULL), message);
}

static void check_event(uint32_t binding, const char *type, const char *reason, const char *message) {
  const rebal_record *event =
      rebal_result_record(fixture.world.result, fixture_action(&fixture, REBAL_ACTION_KIND_EVENT, binding, 0));

  ck_assert_ptr_nonnull(event);
  ck_assert_str_eq(rebal_record_text(event, rebali_record_get(event, 0, REBAL_EVENT_TYPE), NULL), type);
  ck_assert_str_eq(rebal_record_text(event, rebali_record_get(event, 0, REBAL_EVENT_REASON), NULL), reason);
  ck_assert_str_eq(rebal_record_text(event, rebali_record_get(event, 0, REBAL_EVENT_MESSAGE), NULL), message);
}

START_TEST(test_a_write_is_waited_for) {
  ck_assert_int_eq(fixture_run(&fixture), REBAL_OK);
  for (uint32_t i = 0; i < 2; i++) {
    check_step(i, REBAL_STEP_STATE_WAITING, "");
    ck_assert_str_eq(fixture_clusters(&fixture, i), "m1:1");
    ck_assert_int_eq(
        fixture_cell(&fixture, REBAL_ACTION_ORDINAL, fixture_action(&fixture, REBAL_ACTION_KIND_PATCH_SPEC, i, 0)), i);
    ck_assert_uint_eq(fixture_action(&fixture, REBAL_ACTION_KIND_EVENT, i, 0), SIZE_MAX);
  }
}
END_TEST

START_TEST(test_each_write_by_itself) {
  observe(0, REBAL_OBSERVED_DONE, "");
  ck_assert_int_eq(fixture_run(&fixture), REBAL_OK);
  check_step(0, REBAL_STEP_STATE_DONE, "");
  check_event(0, "Normal", "DescheduleBindingSucceed",
              "Binding has been descheduled, 2 replica(s) in cluster(m1), 2 total descheduled replica(s)");
  ck_assert_str_eq(fixture_clusters(&fixture, 0), "");
  check_step(1, REBAL_STEP_STATE_WAITING, "");
  ck_assert_int_eq(
      fixture_cell(&fixture, REBAL_ACTION_ORDINAL, fixture_action(&fixture, REBAL_ACTION_KIND_PATCH_SPEC, 1, 0)), 1);
}
END_TEST

static const struct {
  int32_t outcome;
  const char *message;
  const char *reported;
} failures[] = {{REBAL_OBSERVED_CONFLICT, "the object has been modified", "the object has been modified"},
                {REBAL_OBSERVED_TRANSIENT, "", "the binding was not written"}};

START_TEST(test_a_failed_write_is_reported) {
  observe(0, REBAL_OBSERVED_DONE, "");
  observe(1, failures[_i].outcome, failures[_i].message);
  ck_assert_int_eq(fixture_run(&fixture), REBAL_OK);
  check_step(0, REBAL_STEP_STATE_DONE, "");
  check_step(1, REBAL_STEP_STATE_RETRY, failures[_i].reported);
  check_event(1, "Warning", "DescheduleBindingFailed", failures[_i].reported);
  ck_assert_str_eq(fixture_clusters(&fixture, 1), "");
}
END_TEST

START_TEST(test_ordinals_are_unique) {
  size_t n;
  const int64_t *ordinals;

  observe(0, REBAL_OBSERVED_DONE, "");
  ck_assert_int_eq(fixture_run(&fixture), REBAL_OK);
  ordinals = rebal_result_i64(fixture.world.result, REBAL_ACTION_ORDINAL, &n);
  ck_assert_uint_eq(n, 4); /* two events, a patch, the next run */
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < i; j++) {
      ck_assert_int_ne(ordinals[i], ordinals[j]);
    }
  }
}
END_TEST

/* One write has succeeded, one has failed, and none of the result is left without memory. */
static int32_t story(const rebal_allocator *allocator, void *user_data) {
  const rebal_time now = test_time(NOW);
  rebal_ctx *ctx = NULL;
  rebal_result *result = NULL;
  int32_t code = rebal_ctx_new(allocator, NULL, &ctx, NULL);

  (void)user_data;
  code = code == REBAL_OK ? rebal_result_new(allocator, &result, NULL) : code;
  if (code == REBAL_OK) {
    code =
        rebal_deschedule_step(ctx, fixture.world.snapshot, fixture.world.bindings, &now, &fixture.opts, result, NULL);
    ck_assert_uint_eq(rebal_result_count(result, REBAL_TABLE_STEP), code == REBAL_OK ? 2 : 0);
  }
  rebal_result_free(result);
  rebal_ctx_free(ctx);
  return code;
}

START_TEST(test_every_failing_allocation) {
  observe(0, REBAL_OBSERVED_CONFLICT, "the object has been modified");
  observe(1, REBAL_OBSERVED_DONE, "");
  test_freeze(&fixture.world);
  ck_assert_pstr_eq(test_torture(story, NULL), NULL);
}
END_TEST

UNIT_CASE(write) {
  TCase *tests = tcase_create("write");
  tcase_add_checked_fixture(tests, setup, teardown);
  tcase_add_test(tests, test_a_write_is_waited_for);
  tcase_add_test(tests, test_each_write_by_itself);
  tcase_add_loop_test(tests, test_a_failed_write_is_reported, 0, (int)REBALI_COUNT(failures));
  tcase_add_test(tests, test_ordinals_are_unique);
  tcase_add_test(tests, test_every_failing_allocation);
  return tests;
}
