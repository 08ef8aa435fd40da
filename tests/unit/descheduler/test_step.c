/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include "../unit.h"

static struct fixture fixture;

static void setup(void) {
  const struct test_binding binding = {
      .key = "shop/web-deployment", .uid = "u", .version = "5", .replicas = 9, .targets = "m1=3 m2=2 m3=4"};

  fixture_open(&fixture, NULL);
  (void)fixture_add(&fixture, &binding, "m1=1 m2=2 m3");
  fixture_answer(&fixture, "m1=2 m2=1 m3=1");
  fixture_answer(&fixture, "m3=3");
}

static void teardown(void) {
  fixture_close(&fixture);
}

static const char *text_at(const rebal_record *record, uint32_t field) {
  return rebal_record_text(record, rebali_record_get(record, 0, field), NULL);
}

START_TEST(test_the_patch) {
  size_t row;

  ck_assert_int_eq(fixture_run(&fixture), REBAL_OK);
  row = fixture_action(&fixture, REBAL_ACTION_KIND_PATCH_SPEC, 0, 0);
  ck_assert_uint_eq(row, 0);
  ck_assert_str_eq(fixture_clusters(&fixture, 0), "m1:1 m2:2 m3:3");
  ck_assert_str_eq(rebal_result_text(fixture.world.result, REBAL_ACTION_OBJECT_KIND, row, NULL), "ResourceBinding");
  ck_assert_str_eq(rebal_result_text(fixture.world.result, REBAL_ACTION_NAME, row, NULL), "web-deployment");
  ck_assert_str_eq(rebal_result_text(fixture.world.result, REBAL_ACTION_RESOURCE_VERSION, row, NULL), "5");
  ck_assert_int_eq(fixture_cell(&fixture, REBAL_ACTION_REPLACES, row), REBAL_REPLACES_CLUSTERS);
}
END_TEST

START_TEST(test_the_event) {
  const size_t n = 2; /* on the binding and on the resource */

  ck_assert_int_eq(fixture_run(&fixture), REBAL_OK);
  for (size_t i = 0; i < n; i++) {
    const size_t row = fixture_action(&fixture, REBAL_ACTION_KIND_EVENT, 0, i);
    const rebal_record *event = rebal_result_record(fixture.world.result, row);

    ck_assert_str_eq(rebal_result_text(fixture.world.result, REBAL_ACTION_OBJECT_KIND, row, NULL),
                     i == 0 ? "ResourceBinding" : "Deployment");
    ck_assert_str_eq(text_at(event, REBAL_EVENT_TYPE), "Normal");
    ck_assert_str_eq(text_at(event, REBAL_EVENT_REASON), "DescheduleBindingSucceed");
    ck_assert_str_eq(text_at(event, REBAL_EVENT_MESSAGE),
                     "Binding has been descheduled, 2 replica(s) in cluster(m1), 1 replica(s) in cluster(m3), "
                     "3 total descheduled replica(s)");
  }
  ck_assert_uint_eq(fixture_action(&fixture, REBAL_ACTION_KIND_EVENT, 0, n), SIZE_MAX);
}
END_TEST

static const struct {
  int64_t replicas, ready, undesired, unschedulable, estimator, after;
} rows[] = {{3, 1, 1, 2, 0, 1}, {2, 2, 0, 0, REBAL_ABSENT, 2}, {4, REBAL_ABSENT, 1, 1, 0, 3}};

START_TEST(test_the_rows) {
  ck_assert_int_eq(fixture_run(&fixture), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(fixture.world.result, REBAL_TABLE_DESCHEDULED), REBALI_COUNT(rows));
  for (size_t i = 0; i < REBALI_COUNT(rows); i++) {
    ck_assert_int_eq(fixture_cell(&fixture, REBAL_DESCHEDULED_BINDING, i), 0);
    ck_assert_int_eq(fixture_cell(&fixture, REBAL_DESCHEDULED_CLUSTER, i), (int64_t)i);
    ck_assert_int_eq(fixture_cell(&fixture, REBAL_DESCHEDULED_REPLICAS, i), rows[i].replicas);
    ck_assert_int_eq(fixture_cell(&fixture, REBAL_DESCHEDULED_READY, i), rows[i].ready);
    ck_assert_int_eq(fixture_cell(&fixture, REBAL_DESCHEDULED_UNDESIRED, i), rows[i].undesired);
    ck_assert_int_eq(fixture_cell(&fixture, REBAL_DESCHEDULED_UNSCHEDULABLE, i), rows[i].unschedulable);
    ck_assert_int_eq(fixture_cell(&fixture, REBAL_DESCHEDULED_ESTIMATOR, i), rows[i].estimator);
    ck_assert_int_eq(fixture_cell(&fixture, REBAL_DESCHEDULED_AFTER, i), rows[i].after);
  }
}
END_TEST

static rebal_time since(const struct fixture *reported, size_t row) {
  rebal_time time;

  rebal_result_time(reported->world.result, REBAL_DESCHEDULED_SINCE, row, &time);
  return time;
}

START_TEST(test_since_when_and_by_which_source) {
  const struct test_binding binding = {.targets = "m1=3 m2=2 m3=4", .scheduled_at = NOW - 900};
  struct fixture reported;

  fixture_open(&reported, NULL);
  reported.opts.flags = REBAL_DESCHEDULE_FLAG_FROM_STATUS;
  (void)fixture_add(&reported, &binding, "m1=1 m2=1");
  fixture_answer(&reported, "m1=2");
  ck_assert_int_eq(fixture_run(&reported), REBAL_OK);
  ck_assert_int_eq(fixture_cell(&reported, REBAL_DESCHEDULED_SOURCE, 0), REBAL_DESCHEDULE_SOURCE_ESTIMATOR);
  ck_assert_int_eq(since(&reported, 0).seconds, NOW - 300);
  ck_assert_int_eq(fixture_cell(&reported, REBAL_DESCHEDULED_SOURCE, 1), REBAL_DESCHEDULE_SOURCE_STATUS);
  ck_assert_int_eq(fixture_cell(&reported, REBAL_DESCHEDULED_ESTIMATOR, 1), REBAL_ABSENT);
  ck_assert_int_eq(since(&reported, 1).seconds, NOW - 900);
  ck_assert_int_eq(fixture_cell(&reported, REBAL_DESCHEDULED_SOURCE, 2), REBAL_DESCHEDULE_SOURCE_NONE);
  ck_assert_uint_eq(since(&reported, 2).is_set, 0);
  reported.opts.threshold_ns = 1;
  ck_assert_int_eq(fixture_run(&reported), REBAL_OK);
  ck_assert_int_eq(since(&reported, 0).seconds, NOW - 1);
  ck_assert_int_eq(since(&reported, 0).nanos, 999999999);
  fixture_close(&reported);
}
END_TEST

/* No time is before year 1. */
START_TEST(test_since_the_first_second) {
  const rebal_time first = {REBALI_FIRST_SECOND, 5, 1};
  const struct test_world *world = &fixture.world;

  ck_assert_int_eq(fixture_run(&fixture), REBAL_OK);
  ck_assert_int_eq(
      rebal_deschedule_step(world->ctx, world->snapshot, world->bindings, &first, &fixture.opts, world->result, NULL),
      REBAL_OK);
  ck_assert_int_eq(since(&fixture, 0).seconds, REBALI_FIRST_SECOND);
  ck_assert_int_eq(since(&fixture, 0).nanos, 0);
}
END_TEST

static const struct {
  const char *targets;
  uint32_t flags;
  int64_t reason;
  size_t rows;
} quiet[] = {{"m2=2", 0, REBAL_DESCHEDULE_REASON_READY, 0},
             {"m2=2", REBAL_DESCHEDULE_FLAG_EXPLAIN, REBAL_DESCHEDULE_REASON_READY, 1},
             {"", REBAL_DESCHEDULE_FLAG_EXPLAIN, REBAL_DESCHEDULE_REASON_READY, 0},
             {"m1=1 m2=2", 0, REBAL_DESCHEDULE_REASON_SCHEDULABLE, 2}};

START_TEST(test_why_nothing_happens) {
  const struct test_binding binding = {.targets = quiet[_i].targets};
  struct fixture calm;

  fixture_open(&calm, NULL);
  calm.opts.flags = quiet[_i].flags;
  (void)fixture_add(&calm, &binding, "m1=0 m2=2");
  ck_assert_int_eq(fixture_run(&calm), REBAL_OK);
  ck_assert_int_eq(fixture_cell(&calm, REBAL_STEP_STATE, 0), REBAL_STEP_STATE_SKIPPED);
  ck_assert_int_eq(fixture_cell(&calm, REBAL_STEP_REASON, 0), quiet[_i].reason);
  ck_assert_uint_eq(rebal_result_count(calm.world.result, REBAL_TABLE_DESCHEDULED), quiet[_i].rows);
  ck_assert_uint_eq(rebal_result_count(calm.world.result, REBAL_TABLE_ACTION), 1); /* the next run */
  fixture_close(&calm);
}
END_TEST

UNIT_CASE(step) {
  TCase *tests = tcase_create("step");
  tcase_add_checked_fixture(tests, setup, teardown);
  tcase_add_test(tests, test_the_patch);
  tcase_add_test(tests, test_the_event);
  tcase_add_test(tests, test_the_rows);
  tcase_add_test(tests, test_since_when_and_by_which_source);
  tcase_add_test(tests, test_since_the_first_second);
  tcase_add_loop_test(tests, test_why_nothing_happens, 0, (int)REBALI_COUNT(quiet));
  return tests;
}
