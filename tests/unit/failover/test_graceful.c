/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include "../../support/allocator.h"
#include "../unit.h"

#define TIMEOUT 600

static const rebal_time now = {NOW, 0, 1};
static struct fixture fixture;
static char patch[256];

/* One unhealthy target, so that only time ends a task. */
static void start(struct fixture *story, const rebal_allocator *allocator) {
  fixture_start(story, allocator);
  fixture_target(story, story->clusters[0], 2);
  (void)fixture_health(story, story->clusters[0], "Unhealthy");
}

static void setup(void) {
  start(&fixture, NULL);
}

static void teardown(void) {
  fixture_dispose(&fixture);
}

static int32_t run(struct fixture *story) {
  fixture_freeze(story);
  return story->code != REBAL_OK ? story->code
                                 : rebal_graceful_eviction_step(story->ctx, story->snapshot, story->bindings, &now,
                                                                &story->opts, story->result, NULL);
}

/* -1: no timer */
static int64_t seconds_left(void) {
  const int64_t after = fixture_cell(&fixture, REBAL_STEP_AFTER_NS);

  return after == REBAL_ABSENT ? -1 : after / REBALI_SECOND_NS;
}

static void nothing_written(int64_t state) {
  ck_assert_int_eq(run(&fixture), REBAL_OK);
  ck_assert_int_eq(fixture_cell(&fixture, REBAL_STEP_STATE), state);
  ck_assert_uint_eq(fixture_action(&fixture, REBAL_ACTION_KIND_PATCH_SPEC, 0), SIZE_MAX);
}

START_TEST(test_a_new_task_starts_now) {
  const rebal_record *spec;
  uint32_t task;
  rebal_time time;

  (void)fixture_task(&fixture, fixture.clusters[1], 0);
  ck_assert_int_eq(run(&fixture), REBAL_OK);
  ck_assert_uint_eq(fixture_action(&fixture, REBAL_ACTION_KIND_PATCH_SPEC, 0), 0);
  ck_assert_uint_eq(fixture_action(&fixture, REBAL_ACTION_KIND_WAKE, 0), 1);
  ck_assert_int_eq(fixture_cell(&fixture, REBAL_ACTION_REPLACES), REBAL_REPLACES_GRACEFUL_EVICTION_TASKS);
  spec = rebal_result_record(fixture.result, 0);
  task = rebali_record_get(spec, 0, REBAL_BINDING_SPEC_GRACEFUL_EVICTION_TASKS);
  rebal_record_time(spec, rebali_record_get(spec, task, REBAL_EVICTION_TASK_CREATION_TIMESTAMP), &time);
  ck_assert_int_eq(time.seconds, NOW);
  ck_assert_int_eq(seconds_left(), TIMEOUT);
}
END_TEST

static const struct {
  int64_t age;
  int64_t grace; /* REBAL_ABSENT: none */
  int keep;
  int64_t left; /* -1: no timer */
} ages[] = {{TIMEOUT - 1, REBAL_ABSENT, 1, 1},
            {TIMEOUT, REBAL_ABSENT, 1, -1},
            {TIMEOUT + 1, REBAL_ABSENT, 0, -1},
            {5, 4, 0, -1},
            {5, 6, 1, 1},
            {5, -1, 0, -1}};

START_TEST(test_when_a_task_times_out) {
  const uint32_t task = fixture_task(&fixture, fixture.clusters[1], NOW - ages[_i].age);

  if (ages[_i].grace != REBAL_ABSENT) {
    fixture_set(&fixture, REBAL_TASK_GRACE_PERIOD_SECONDS, task, ages[_i].grace);
  }
  ck_assert_int_eq(run(&fixture), REBAL_OK);
  ck_assert_int_eq(fixture_action(&fixture, REBAL_ACTION_KIND_PATCH_SPEC, 0) == SIZE_MAX, ages[_i].keep);
  ck_assert_int_eq(seconds_left(), ages[_i].left);
}
END_TEST

START_TEST(test_a_dropped_task_leaves_an_event) {
  const rebal_record *event;
  size_t row;
  size_t resource;

  fixture_set_text(&fixture, REBAL_BINDING_RESOURCE_NAME, fixture.binding, "web");

  (void)fixture_task(&fixture, fixture.clusters[1], NOW - TIMEOUT - 1);
  (void)fixture_task(&fixture, fixture.clusters[2], NOW);
  ck_assert_int_eq(run(&fixture), REBAL_OK);
  ck_assert_str_eq(fixture_patch(&fixture, patch, sizeof patch), "| member3()");
  row = fixture_action(&fixture, REBAL_ACTION_KIND_EVENT, 0);
  ck_assert_uint_eq(row, 1);
  resource = fixture_action(&fixture, REBAL_ACTION_KIND_EVENT, 1);
  ck_assert_uint_eq(resource, 2);
  ck_assert_str_eq(rebal_result_text(fixture.result, REBAL_ACTION_NAME, resource, NULL), "web");
  ck_assert_int_eq(
      rebal_record_equal(rebal_result_record(fixture.result, row), rebal_result_record(fixture.result, resource)), 1);
  ck_assert_uint_eq(fixture_action(&fixture, REBAL_ACTION_KIND_EVENT, 2), SIZE_MAX);
  event = rebal_result_record(fixture.result, row);
  ck_assert_str_eq(rebal_record_text(event, rebali_record_get(event, 0, REBAL_EVENT_TYPE), NULL), "Normal");
  ck_assert_str_eq(rebal_record_text(event, rebali_record_get(event, 0, REBAL_EVENT_REASON), NULL),
                   "EvictWorkloadFromClusterSucceed");
  ck_assert_str_eq(rebal_record_text(event, rebali_record_get(event, 0, REBAL_EVENT_MESSAGE), NULL),
                   "Evict from cluster member2 succeed.");
}
END_TEST

START_TEST(test_the_last_task_leaves_an_empty_list) {
  (void)fixture_task(&fixture, fixture.clusters[1], NOW - TIMEOUT - 1);
  ck_assert_int_eq(run(&fixture), REBAL_OK);
  ck_assert_str_eq(fixture_patch(&fixture, patch, sizeof patch), "|");
  ck_assert_int_eq(fixture_cell(&fixture, REBAL_ACTION_REPLACES), REBAL_REPLACES_GRACEFUL_EVICTION_TASKS);
}
END_TEST

START_TEST(test_suppressed_deletion_waits_for_a_word) {
  const uint32_t kept = fixture_task(&fixture, fixture.clusters[1], NOW - 2 * TIMEOUT);
  const uint32_t dropped = fixture_task(&fixture, fixture.clusters[2], NOW);

  fixture_set(&fixture, REBAL_TASK_SUPPRESS_DELETION, kept, 1);
  fixture_set(&fixture, REBAL_TASK_SUPPRESS_DELETION, dropped, 0);
  ck_assert_int_eq(run(&fixture), REBAL_OK);
  ck_assert_str_eq(fixture_patch(&fixture, patch, sizeof patch), "| member2()");
  ck_assert_int_eq(seconds_left(), -1);
}
END_TEST

static const struct {
  const char *health; /* of member3, NULL: no item */
  int64_t observed;
  int dropped;
} replacements[] = {{"Healthy", 1, 1}, {"Healthy", 0, 0}, {"Unknown", 1, 0}, {"", 1, 0}, {NULL, 1, 0}};

START_TEST(test_a_healthy_replacement_ends_the_task) {
  fixture_dispose(&fixture);
  fixture_start(&fixture, NULL);
  fixture_target(&fixture, fixture.clusters[2], 0);
  if (replacements[_i].health != NULL) {
    (void)fixture_health(&fixture, fixture.clusters[2], replacements[_i].health);
    (void)fixture_health(&fixture, fixture.clusters[2], "Unhealthy"); /* only the first counts */
  }
  fixture_set(&fixture, REBAL_BINDING_OBSERVED_GENERATION, fixture.binding, replacements[_i].observed);
  (void)fixture_task(&fixture, fixture.clusters[1], NOW);
  ck_assert_int_eq(run(&fixture), REBAL_OK);
  ck_assert_int_eq(fixture_action(&fixture, REBAL_ACTION_KIND_PATCH_SPEC, 0) != SIZE_MAX, replacements[_i].dropped);
}
END_TEST

/* With the option, as by default, no target counts as healthy; without it only time ends the task. */
START_TEST(test_no_targets_are_a_replacement) {
  rebal_compat *compat;

  ck_assert_int_eq(rebal_compat_new(NULL, &compat, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_compat_set(compat, REBAL_OPTION_EMPTY_IS_HEALTHY, _i, NULL), REBAL_OK);
  fixture_dispose(&fixture);
  fixture_start(&fixture, NULL);
  fixture.opts.compat = compat;
  (void)fixture_task(&fixture, fixture.clusters[1], NOW);
  ck_assert_int_eq(run(&fixture), REBAL_OK);
  ck_assert_str_eq(fixture_patch(&fixture, patch, sizeof patch), _i ? "|" : "");
  ck_assert_int_eq(seconds_left(), _i ? -1 : TIMEOUT);
  rebal_compat_free(compat);
}
END_TEST

START_TEST(test_the_grace_period_of_a_task_is_not_the_next_one_s) {
  const uint32_t patient = fixture_task(&fixture, fixture.clusters[1], NOW - TIMEOUT - 1);

  fixture_set(&fixture, REBAL_TASK_GRACE_PERIOD_SECONDS, patient, 10 * TIMEOUT);
  (void)fixture_task(&fixture, fixture.clusters[2], NOW - TIMEOUT - 1);
  ck_assert_int_eq(run(&fixture), REBAL_OK);
  ck_assert_str_eq(fixture_patch(&fixture, patch, sizeof patch), "| member2()");
}
END_TEST

START_TEST(test_the_timeout_can_be_nothing) {
  (void)fixture_task(&fixture, fixture.clusters[1], NOW - 1);
  fixture.opts.flags = REBAL_FAILOVER_FLAG_TIMEOUT_GIVEN;
  ck_assert_int_eq(run(&fixture), REBAL_OK);
  ck_assert_str_eq(fixture_patch(&fixture, patch, sizeof patch), "|");
}
END_TEST

START_TEST(test_a_deleting_binding_is_left_alone) {
  (void)fixture_task(&fixture, fixture.clusters[1], 0);
  fixture_set(&fixture, REBAL_BINDING_DELETING, fixture.binding, 1);
  nothing_written(REBAL_STEP_STATE_SKIPPED);
}
END_TEST

START_TEST(test_no_tasks_nothing_to_do) {
  nothing_written(REBAL_STEP_STATE_SKIPPED);
}
END_TEST

START_TEST(test_an_unchanged_list_is_not_written) {
  (void)fixture_task(&fixture, fixture.clusters[1], NOW - 5);
  nothing_written(REBAL_STEP_STATE_DONE);
  ck_assert_int_eq(seconds_left(), TIMEOUT - 5);
}
END_TEST

static int32_t story(const rebal_allocator *allocator, void *user_data) {
  struct fixture torture;
  int32_t code;

  (void)user_data;
  start(&torture, allocator);
  (void)fixture_task(&torture, torture.clusters[1], NOW - TIMEOUT - 1);
  (void)fixture_task(&torture, torture.clusters[2], 0);
  code = run(&torture);
  fixture_dispose(&torture);
  return code;
}

START_TEST(test_no_memory_is_an_answer) {
  ck_assert_pstr_eq(test_torture(story, NULL), NULL);
}
END_TEST

UNIT_CASE(graceful) {
  TCase *cases = tcase_create("graceful");
  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_test(cases, test_a_new_task_starts_now);
  tcase_add_loop_test(cases, test_when_a_task_times_out, 0, (int)REBALI_COUNT(ages));
  tcase_add_test(cases, test_a_dropped_task_leaves_an_event);
  tcase_add_test(cases, test_the_last_task_leaves_an_empty_list);
  tcase_add_test(cases, test_suppressed_deletion_waits_for_a_word);
  tcase_add_loop_test(cases, test_a_healthy_replacement_ends_the_task, 0, (int)REBALI_COUNT(replacements));
  tcase_add_loop_test(cases, test_no_targets_are_a_replacement, 0, 2);
  tcase_add_test(cases, test_the_grace_period_of_a_task_is_not_the_next_one_s);
  tcase_add_test(cases, test_the_timeout_can_be_nothing);
  tcase_add_test(cases, test_a_deleting_binding_is_left_alone);
  tcase_add_test(cases, test_no_tasks_nothing_to_do);
  tcase_add_test(cases, test_an_unchanged_list_is_not_written);
  tcase_add_test(cases, test_no_memory_is_an_answer);
  return cases;
}
