/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include "../../support/allocator.h"
#include "../unit.h"

#define WEB "apps/v1", "Deployment", "shop", "web"

/* Finished at 1500; one item, so ordinals 2 and 3 are the status and the end. */
static const struct sample finished = {.workloads = {{WEB, "", ""}},
                                       .observed = {{WEB, "Successful", ""}},
                                       .generation = 1,
                                       .observed_generation = 1,
                                       .finish_time = 1500,
                                       .ttl = 60};
static const struct sample fresh = {.workloads = {{WEB, "", ""}}, .generation = 1, .ttl = 0};

static struct fixture fixture;

static void start(const struct sample *sample) {
  ck_assert_int_eq(fixture_new(&fixture, NULL, sample), REBAL_OK);
}

static void teardown(void) {
  fixture_dispose(&fixture);
}

static void step_gives(int64_t now, int64_t state, int64_t reason, const char *message) {
  ck_assert_int_eq(fixture_step(&fixture, now), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(fixture.result, REBAL_TABLE_STEP), 1);
  ck_assert_int_eq(fixture_step_cell(&fixture, REBAL_STEP_STATE), state);
  ck_assert_int_eq(fixture_step_cell(&fixture, REBAL_STEP_REASON), reason);
  ck_assert_str_eq(rebal_result_text(fixture.result, REBAL_STEP_MESSAGE, 0, NULL), message);
}

START_TEST(test_a_finished_object_writes_nothing) {
  struct sample sample = finished;

  sample.ttl = -1;
  start(&sample);
  step_gives(1510, REBAL_STEP_STATE_DONE, REBAL_REBALANCER_REASON_OK, "");
  ck_assert_uint_eq(fixture_actions(&fixture), 0);
  ck_assert_int_eq(fixture_step_cell(&fixture, REBAL_STEP_AFTER_NS), REBAL_ABSENT);
}
END_TEST

START_TEST(test_it_wakes_when_the_ttl_is_over) {
  rebal_time time;

  start(&finished);
  step_gives(1510, REBAL_STEP_STATE_DONE, REBAL_REBALANCER_REASON_OK, "");
  ck_assert_uint_eq(fixture_actions(&fixture), 1);
  ck_assert_uint_eq(fixture_action(&fixture, REBAL_ACTION_KIND_WAKE, 3), 0);
  ck_assert_str_eq(rebal_result_text(fixture.result, REBAL_ACTION_OBJECT_KIND, 0, NULL), "WorkloadRebalancer");
  ck_assert_str_eq(rebal_result_text(fixture.result, REBAL_ACTION_NAME, 0, NULL), "demo");
  rebal_result_time(fixture.result, REBAL_ACTION_NOT_BEFORE, 0, &time);
  ck_assert_int_eq(time.seconds, 1560);
  ck_assert_int_eq(fixture_step_cell(&fixture, REBAL_STEP_AFTER_NS), INT64_C(50000000000));
}
END_TEST

START_TEST(test_it_is_deleted_at_the_end_of_the_ttl) {
  start(&finished);
  step_gives(1560, REBAL_STEP_STATE_WAITING, 0, "");
  ck_assert_uint_eq(fixture_action(&fixture, REBAL_ACTION_KIND_DELETE, 3), 0);
  ck_assert_str_eq(rebal_result_text(fixture.result, REBAL_ACTION_RESOURCE_VERSION, 0, NULL), "7");
  ck_assert_int_eq(fixture_observe(&fixture, 3, REBAL_OBSERVED_DONE, ""), REBAL_OK);
  step_gives(1560, REBAL_STEP_STATE_DONE, REBAL_REBALANCER_REASON_OK, "");
  ck_assert_uint_eq(fixture_actions(&fixture), 0);
}
END_TEST

static const struct {
  int32_t outcome;
  int64_t state;
  int64_t reason;
  const char *message;
} ends[] = {{REBAL_OBSERVED_NOT_FOUND, REBAL_STEP_STATE_DONE, REBAL_REBALANCER_REASON_OK, ""},
            {REBAL_OBSERVED_CONFLICT, REBAL_STEP_STATE_RETRY, REBAL_REBALANCER_REASON_DELETE_CONFLICT, "why"},
            {REBAL_OBSERVED_DENIED, REBAL_STEP_STATE_RETRY, REBAL_REBALANCER_REASON_DELETE_FAILED, "why"},
            {REBAL_OBSERVED_TRANSIENT, REBAL_STEP_STATE_RETRY, REBAL_REBALANCER_REASON_DELETE_FAILED, "why"}};

START_TEST(test_how_a_delete_can_end) {
  start(&finished);
  step_gives(1560, REBAL_STEP_STATE_WAITING, 0, "");
  ck_assert_str_eq(rebal_result_text(fixture.result, REBAL_ACTION_RESOURCE_VERSION, 0, NULL), "7");
  ck_assert_int_eq(fixture_observe(&fixture, 3, ends[_i].outcome, "why"), REBAL_OK);
  step_gives(1560, ends[_i].state, ends[_i].reason, ends[_i].message);
}
END_TEST

START_TEST(test_a_ttl_without_a_finish_time_fails) {
  struct sample sample = finished;

  sample.finish_time = 0;
  start(&sample);
  step_gives(1560, REBAL_STEP_STATE_RETRY, REBAL_REBALANCER_REASON_NO_FINISH_TIME, "finish time should not be nil");
}
END_TEST

START_TEST(test_a_new_generation_moves_the_finish_time) {
  struct sample sample = finished;
  const rebal_record *status;
  rebal_time time;

  sample.generation = 2;
  start(&sample);
  step_gives(1600, REBAL_STEP_STATE_WAITING, 0, "");
  ck_assert_uint_eq(fixture_action(&fixture, REBAL_ACTION_KIND_PATCH_STATUS, 2), 0);
  ck_assert_int_eq(rebal_result_i64(fixture.result, REBAL_ACTION_REPLACES, NULL)[0], REBAL_REPLACES_OBSERVED_WORKLOADS);
  status = rebal_result_record(fixture.result, 0);
  rebal_record_time(status, rebali_record_get(status, 0, REBAL_REBALANCER_STATUS_FINISH_TIME), &time);
  ck_assert_int_eq(time.seconds, 1600);
  ck_assert_int_eq(fixture_observe(&fixture, 2, REBAL_OBSERVED_DONE, ""), REBAL_OK);
  step_gives(1600, REBAL_STEP_STATE_DONE, REBAL_REBALANCER_REASON_OK, "");
  ck_assert_int_eq(fixture_step_cell(&fixture, REBAL_STEP_AFTER_NS), INT64_C(60000000000));
}
END_TEST

START_TEST(test_the_old_finish_time_stays_while_something_is_pending) {
  struct sample sample = finished;
  const rebal_record *status;
  rebal_time time;

  sample.observed[0].result = "";
  sample.generation = 2;
  start(&sample);
  ck_assert_int_eq(fixture_observe(&fixture, 0, REBAL_OBSERVED_TRANSIENT, "x"), REBAL_OK);
  step_gives(1600, REBAL_STEP_STATE_WAITING, 0, "");
  status = rebal_result_record(fixture.result, 0);
  rebal_record_time(status, rebali_record_get(status, 0, REBAL_REBALANCER_STATUS_FINISH_TIME), &time);
  ck_assert_int_eq(time.seconds, 1500);
}
END_TEST

START_TEST(test_a_status_write_that_fails_comes_before_a_retry) {
  start(&fresh);
  ck_assert_int_eq(fixture_observe(&fixture, 0, REBAL_OBSERVED_TRANSIENT, "x"), REBAL_OK);
  ck_assert_int_eq(fixture_observe(&fixture, 2, REBAL_OBSERVED_CONFLICT, "no luck"), REBAL_OK);
  step_gives(2000, REBAL_STEP_STATE_RETRY, REBAL_REBALANCER_REASON_STATUS_UPDATE_FAILED,
             "update status failed: no luck");
}
END_TEST

START_TEST(test_no_workloads_always_write) {
  const struct sample empty = {.generation = 1, .observed_generation = 1, .finish_time = 1500, .ttl = -1};

  start(&empty);
  step_gives(2000, REBAL_STEP_STATE_WAITING, 0, "");
  ck_assert_uint_eq(fixture_action(&fixture, REBAL_ACTION_KIND_PATCH_STATUS, 0), 0);
}
END_TEST

START_TEST(test_times_are_written_in_whole_seconds) {
  const rebal_time now = {2000, 999999999, 1};
  const rebal_record *status;
  rebal_time time;

  start(&fresh);
  ck_assert_int_eq(fixture_found(&fixture, 0, "1", CREATED), REBAL_OK);
  ck_assert_int_eq(fixture_run(&fixture, &now, fixture.result), REBAL_OK);
  status = rebal_result_record(fixture.result, 0);
  rebal_record_time(status, rebali_record_get(status, 0, REBAL_REBALANCER_STATUS_FINISH_TIME), &time);
  ck_assert_int_eq(time.seconds, 2000);
  ck_assert_int_eq(time.nanos, 0);
}
END_TEST

/* Every cell of two results. */
static void results_equal(const rebal_result *left, const rebal_result *right) {
  const size_t n = rebal_result_count(left, REBAL_TABLE_ACTION);
  size_t row;

  ck_assert_uint_eq(n, rebal_result_count(right, REBAL_TABLE_ACTION));
  ck_assert_int_eq(rebal_result_i64(left, REBAL_STEP_STATE, NULL)[0],
                   rebal_result_i64(right, REBAL_STEP_STATE, NULL)[0]);
  for (row = 0; row < n; row++) {
    ck_assert_int_eq(rebal_result_i64(left, REBAL_ACTION_KIND, NULL)[row],
                     rebal_result_i64(right, REBAL_ACTION_KIND, NULL)[row]);
    ck_assert_int_eq(rebal_result_i64(left, REBAL_ACTION_ORDINAL, NULL)[row],
                     rebal_result_i64(right, REBAL_ACTION_ORDINAL, NULL)[row]);
    ck_assert_str_eq(rebal_result_text(left, REBAL_ACTION_RESOURCE_VERSION, row, NULL),
                     rebal_result_text(right, REBAL_ACTION_RESOURCE_VERSION, row, NULL));
    ck_assert_int_eq(rebal_record_equal(rebal_result_record(left, row), rebal_result_record(right, row)), 1);
  }
}

/* What the caller does for each ordinal of the story: read, trigger, status, delete. */
static int32_t observe_next(struct fixture *story, int64_t ordinal) {
  return ordinal == 0 ? fixture_found(story, 0, "31", 0) : fixture_observe(story, ordinal, REBAL_OBSERVED_DONE, "");
}

START_TEST(test_the_same_again_gives_the_same) {
  const rebal_time now = {2000, 0, 1};
  rebal_result *again;
  int64_t ordinal;

  start(&fresh);
  ck_assert_int_eq(rebal_result_new(NULL, &again, NULL), REBAL_OK);
  for (ordinal = 0; ordinal < 4; ordinal++) {
    ck_assert_int_eq(fixture_step(&fixture, 2000), REBAL_OK);
    ck_assert_uint_eq(fixture_actions(&fixture), 1);
    ck_assert_int_eq(rebal_result_i64(fixture.result, REBAL_ACTION_ORDINAL, NULL)[0], ordinal);
    ck_assert_int_eq(fixture_run(&fixture, &now, again), REBAL_OK);
    results_equal(fixture.result, again);
    ck_assert_int_eq(observe_next(&fixture, ordinal), REBAL_OK);
  }
  step_gives(2000, REBAL_STEP_STATE_DONE, REBAL_REBALANCER_REASON_OK, "");
  rebal_result_free(again);
}
END_TEST

START_TEST(test_bad_arguments) {
  const rebal_time unset = {0, 0, 0};
  const rebal_time now = {1, 0, 1};
  rebal_rebalancer_opts opts = {.struct_size = sizeof opts, .flags = 1};

  start(&fresh);
  ck_assert_int_eq(rebal_rebalancer_step(fixture.ctx, NULL, &now, NULL, fixture.result, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_rebalancer_step(fixture.ctx, fixture.rebalancer, NULL, NULL, fixture.result, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_rebalancer_step(fixture.ctx, fixture.rebalancer, &unset, NULL, fixture.result, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_rebalancer_step(fixture.ctx, fixture.rebalancer, &now, &opts, fixture.result, NULL),
                   REBAL_EUNSUPPORTED);
  ck_assert_int_eq(rebal_rebalancer_step(fixture.ctx, fixture.rebalancer, &now, NULL, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_rebalancer_step(NULL, fixture.rebalancer, &now, NULL, fixture.result, NULL), REBAL_EINVAL);
  opts.struct_size = 1;
  ck_assert_int_eq(rebal_rebalancer_step(fixture.ctx, fixture.rebalancer, &now, &opts, fixture.result, NULL),
                   REBAL_EABI);
}
END_TEST

static int32_t whole_story(const rebal_allocator *allocator, void *user_data) {
  struct fixture story;
  int64_t ordinal;
  int32_t code = fixture_new(&story, allocator, user_data);

  for (ordinal = 0; code == REBAL_OK && ordinal < 4; ordinal++) {
    code = fixture_step(&story, 2000);
    code = code != REBAL_OK ? code : observe_next(&story, ordinal);
  }
  code = code != REBAL_OK ? code : fixture_step(&story, 2000);
  fixture_dispose(&story);
  return code;
}

static int32_t failing_story(const rebal_allocator *allocator, void *user_data) {
  struct fixture story;
  int32_t code = fixture_new(&story, allocator, user_data);

  code = code != REBAL_OK ? code : fixture_observe(&story, 0, REBAL_OBSERVED_TRANSIENT, "x");
  code = code != REBAL_OK ? code : fixture_observe(&story, 2, REBAL_OBSERVED_DONE, "");
  code = code != REBAL_OK ? code : fixture_step(&story, 2000);
  fixture_dispose(&story);
  return code;
}

static int32_t story_with_a_ttl(const rebal_allocator *allocator, void *user_data) {
  struct fixture story;
  int32_t code = fixture_new(&story, allocator, user_data);

  code = code != REBAL_OK ? code : fixture_step(&story, 1510);
  ck_assert(code != REBAL_OK || fixture_action(&story, REBAL_ACTION_KIND_WAKE, 3) == 0);
  fixture_dispose(&story);
  return code;
}

START_TEST(test_no_memory_is_an_answer) {
  struct sample sample = fresh;
  struct sample waiting = finished;

  ck_assert_pstr_eq(test_torture(story_with_a_ttl, &waiting), NULL);
  ck_assert_pstr_eq(test_torture(whole_story, &sample), NULL);
  ck_assert_pstr_eq(test_torture(failing_story, &sample), NULL);
}
END_TEST

UNIT_CASE(step) {
  TCase *cases = tcase_create("step");
  tcase_add_checked_fixture(cases, NULL, teardown);
  tcase_add_test(cases, test_a_finished_object_writes_nothing);
  tcase_add_test(cases, test_it_wakes_when_the_ttl_is_over);
  tcase_add_test(cases, test_it_is_deleted_at_the_end_of_the_ttl);
  tcase_add_loop_test(cases, test_how_a_delete_can_end, 0, (int)REBALI_COUNT(ends));
  tcase_add_test(cases, test_a_ttl_without_a_finish_time_fails);
  tcase_add_test(cases, test_a_new_generation_moves_the_finish_time);
  tcase_add_test(cases, test_the_old_finish_time_stays_while_something_is_pending);
  tcase_add_test(cases, test_a_status_write_that_fails_comes_before_a_retry);
  tcase_add_test(cases, test_no_workloads_always_write);
  tcase_add_test(cases, test_times_are_written_in_whole_seconds);
  tcase_add_test(cases, test_the_same_again_gives_the_same);
  tcase_add_test(cases, test_bad_arguments);
  tcase_add_test(cases, test_no_memory_is_an_answer);
  return cases;
}
