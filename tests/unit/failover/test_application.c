/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include "../../support/allocator.h"
#include "../unit.h"

#include <stdio.h>

#define TOLERATION 60
#define GATE_TEXT "GracefulEviction featureGate must be enabled when purgeMode is Gracefully"

static const rebal_time now = {NOW, 0, 1};
static struct fixture fixture;
static char patch[256];
static char kept[256];

/* member1:3 member2:2, which tolerates 60 seconds. */
static void start(struct fixture *story, const rebal_allocator *allocator) {
  fixture_start(story, allocator);
  fixture_set(story, REBAL_BINDING_HAS_APPLICATION_FAILOVER, story->binding, 1);
  fixture_set(story, REBAL_BINDING_PROPAGATE_DEPS, story->binding, 1);
  fixture_set(story, REBAL_BINDING_APPLICATION_TOLERATION_SECONDS, story->binding, TOLERATION);
  fixture_target(story, story->clusters[0], 3);
  fixture_target(story, story->clusters[1], 2);
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
                                 : rebal_application_failover_step(story->ctx, story->snapshot, story->bindings, &now,
                                                                   &story->opts, story->result, NULL);
}

/* "member1@-60 ": each remembered cluster, and since when relative to NOW. */
static const char *memory(void) {
  const int64_t *clusters = rebal_result_i64(fixture.result, REBAL_UNHEALTHY_KEPT_CLUSTER, NULL);
  size_t len = 0;

  kept[0] = '\0';
  for (size_t row = 0; row < rebal_result_count(fixture.result, REBAL_TABLE_UNHEALTHY_KEPT); row++) {
    rebal_time since;

    rebal_result_time(fixture.result, REBAL_UNHEALTHY_KEPT_SINCE, row, &since);
    len += (size_t)snprintf(kept + len, sizeof kept - len, "%s@%d ",
                            rebali_snapshot_name(fixture.snapshot, (uint32_t)clusters[row]).bytes,
                            (int)(since.seconds - NOW));
  }
  return kept;
}

static void expect(const char *patched, const char *remembered, int64_t seconds) {
  ck_assert_int_eq(run(&fixture), REBAL_OK);
  ck_assert_int_eq(fixture_cell(&fixture, REBAL_STEP_STATE), REBAL_STEP_STATE_DONE);
  ck_assert_str_eq(fixture_patch(&fixture, patch, sizeof patch), patched);
  ck_assert_str_eq(memory(), remembered);
  ck_assert_int_eq(fixture_cell(&fixture, REBAL_STEP_AFTER_NS),
                   seconds == 0 ? REBAL_ABSENT : seconds * REBALI_SECOND_NS);
  ck_assert_int_eq(fixture_action(&fixture, REBAL_ACTION_KIND_WAKE, 0) == SIZE_MAX, seconds == 0);
}

START_TEST(test_the_first_look_only_remembers) {
  (void)fixture_health(&fixture, fixture.clusters[1], "Unhealthy");
  expect("", "member2@0 ", TOLERATION);
}
END_TEST

START_TEST(test_without_a_number_five_minutes_are_tolerated) {
  fixture_set(&fixture, REBAL_BINDING_APPLICATION_TOLERATION_SECONDS, fixture.binding, REBAL_ABSENT);
  (void)fixture_health(&fixture, fixture.clusters[1], "Unhealthy");
  expect("", "member2@0 ", 300);
}
END_TEST

static const struct {
  int64_t since;
  const char *patched, *remembered;
  int64_t seconds;
} moments[] = {
    {NOW - 20, "", "member1@-20 ", 40},
    {NOW - TOLERATION, "", "member1@-60 ", 0}, /* it must be strictly later, and no timer is set */
    {NOW - TOLERATION - 1, "member2:2 | member1()", "", 0},
    {NOW + 20, "", "member1@20 ", 80}, /* the clock went back */
};

START_TEST(test_the_time_must_be_over) {
  (void)fixture_health(&fixture, fixture.clusters[0], "Unhealthy");
  fixture_unhealthy(&fixture, fixture.clusters[0], moments[_i].since);
  expect(moments[_i].patched, moments[_i].remembered, moments[_i].seconds);
}
END_TEST

START_TEST(test_health_decides_what_is_forgotten) {
  (void)fixture_health(&fixture, fixture.clusters[0], "");
  (void)fixture_health(&fixture, fixture.clusters[1], "Unknown");
  fixture_unhealthy(&fixture, fixture.clusters[2], NOW - 5); /* no target */
  fixture_unhealthy(&fixture, fixture.clusters[1], NOW - 5);
  fixture_unhealthy(&fixture, fixture.clusters[0], NOW - 5);
  expect("", "member1@-5 ", 0);
}
END_TEST

START_TEST(test_two_items_of_a_cluster_are_one_look) {
  (void)fixture_health(&fixture, fixture.clusters[0], "Unhealthy");
  (void)fixture_health(&fixture, fixture.clusters[0], "Unhealthy");
  expect("", "member1@0 ", TOLERATION);
}
END_TEST

START_TEST(test_two_items_of_a_cluster_take_one_target) {
  (void)fixture_health(&fixture, fixture.clusters[0], "Unhealthy");
  (void)fixture_health(&fixture, fixture.clusters[0], "Unhealthy");
  fixture_unhealthy(&fixture, fixture.clusters[0], NOW - 1000);
  expect("member2:2 | member1()", "", 0);
}
END_TEST

START_TEST(test_each_item_of_a_cluster_takes_a_target) {
  const int64_t *replicas;
  size_t n;

  fixture_target(&fixture, fixture.clusters[0], 5);
  fixture_target(&fixture, fixture.clusters[0], 7);
  fixture_set_text(&fixture, REBAL_BINDING_APPLICATION_PURGE_MODE, fixture.binding, "Directly");
  (void)fixture_health(&fixture, fixture.clusters[0], "Unhealthy");
  (void)fixture_health(&fixture, fixture.clusters[0], "Unhealthy");
  fixture_unhealthy(&fixture, fixture.clusters[0], NOW - 1000);
  expect("member2:2 member1:7 | member1(Directly)", "", 0);
  replicas = rebal_result_i64(fixture.result, REBAL_WARNING_REPLICAS, &n);
  ck_assert_uint_eq(n, 2);
  ck_assert_int_eq(replicas[0], 3);
  ck_assert_int_eq(replicas[1], 5);
}
END_TEST

START_TEST(test_a_cluster_that_is_not_a_target_is_patched_too) {
  (void)fixture_health(&fixture, fixture.clusters[2], "Unhealthy");
  fixture_unhealthy(&fixture, fixture.clusters[2], NOW - 1000);
  expect("member1:3 member2:2 |", "", 0);
}
END_TEST

START_TEST(test_a_cluster_being_evicted_is_left_alone) {
  (void)fixture_task(&fixture, fixture.clusters[0], NOW);
  (void)fixture_health(&fixture, fixture.clusters[0], "Unhealthy");
  fixture_unhealthy(&fixture, fixture.clusters[0], NOW - 1000);
  expect("", "member1@-1000 ", 0);
}
END_TEST

static uint32_t task_node(uint32_t field) {
  const rebal_record *spec = rebal_result_record(fixture.result, 0);

  return rebali_record_get(spec, rebali_record_get(spec, 0, REBAL_BINDING_SPEC_GRACEFUL_EVICTION_TASKS), field);
}

static int64_t task_number(uint32_t field) {
  const uint32_t node = task_node(field);

  return node == REBAL_NONE ? -1 : rebal_record_i64(rebal_result_record(fixture.result, 0), node);
}

static const struct {
  const char *mode;
  int64_t grace_period, suppress;
} modes[] = {{"", -1, -1}, {"Directly", -1, -1}, {"Gracefully", 7, -1}, {"Never", -1, 1}};

START_TEST(test_the_purge_mode_decides_the_rest) {
  const rebal_record *spec;

  fixture_set_text(&fixture, REBAL_BINDING_APPLICATION_PURGE_MODE, fixture.binding, modes[_i].mode);
  fixture_set(&fixture, REBAL_BINDING_APPLICATION_GRACE_PERIOD_SECONDS, fixture.binding, 7);
  fixture_set(&fixture, REBAL_BINDING_CLUSTER_SCOPED, fixture.binding, _i % 2);
  (void)fixture_health(&fixture, fixture.clusters[0], "Unhealthy");
  fixture_unhealthy(&fixture, fixture.clusters[0], NOW - 1000);
  ck_assert_int_eq(run(&fixture), REBAL_OK);
  spec = rebal_result_record(fixture.result, 0);
  ck_assert_int_eq(task_number(REBAL_EVICTION_TASK_GRACE_PERIOD_SECONDS), modes[_i].grace_period);
  ck_assert_int_eq(task_number(REBAL_EVICTION_TASK_SUPPRESS_DELETION), modes[_i].suppress);
  ck_assert_int_eq(task_number(REBAL_EVICTION_TASK_REPLICAS), 3);
  ck_assert_str_eq(rebal_record_text(spec, task_node(REBAL_EVICTION_TASK_REASON), NULL), "ApplicationFailure");
  ck_assert_str_eq(rebal_record_text(spec, task_node(REBAL_EVICTION_TASK_PRODUCER), NULL),
                   _i % 2 ? "cluster-resource-binding-application-failover-controller"
                          : "resource-binding-application-failover-controller");
}
END_TEST

/* member1 and member2 are due; the state to preserve exists for member1, and for member2 if has_second. */
static void preserve_both(int has_second, rebal_compat **compat) {
  const uint32_t labels = fixture_labels(&fixture, "k", "v");
  uint32_t item = fixture_health(&fixture, fixture.clusters[0], "Unhealthy");

  ck_assert_int_eq(rebal_compat_new(NULL, compat, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_compat_set(*compat, REBAL_OPTION_GATE_STATEFUL_FAILOVER, 1, NULL), REBAL_OK);
  fixture.opts.compat = *compat;
  fixture_set(&fixture, REBAL_BINDING_PRESERVES_APPLICATION_STATE, fixture.binding, 1);
  fixture_set(&fixture, REBAL_STATUS_ITEM_APPLICATION_STATE, item, labels);
  item = fixture_health(&fixture, fixture.clusters[1], "Unhealthy");
  if (has_second) {
    fixture_set(&fixture, REBAL_STATUS_ITEM_APPLICATION_STATE, item, labels);
  }
  fixture_unhealthy(&fixture, fixture.clusters[0], NOW - 1000);
  fixture_unhealthy(&fixture, fixture.clusters[1], NOW - 1000);
}

START_TEST(test_preserved_state_names_the_targets_before) {
  const rebal_record *spec;
  rebal_compat *compat;
  uint32_t task, name = REBAL_NONE;
  size_t n = 0;

  preserve_both(1, &compat);
  expect("| member1() member2()", "", 0);
  spec = rebal_result_record(fixture.result, 0);
  ck_assert_uint_ne(task_node(REBAL_EVICTION_TASK_PRESERVED_LABEL_STATE), REBAL_NONE);
  task = rebali_record_get(spec, 0, REBAL_BINDING_SPEC_GRACEFUL_EVICTION_TASKS);
  while ((name = rebal_record_next(spec, task, REBAL_EVICTION_TASK_CLUSTERS_BEFORE_FAILOVER, name)) != REBAL_NONE) {
    n++;
  }
  ck_assert_uint_eq(n, 2);
  rebal_compat_free(compat);
}
END_TEST

static void expect_retry(const char *message, const char *remembered) {
  ck_assert_int_eq(run(&fixture), REBAL_OK);
  ck_assert_int_eq(fixture_cell(&fixture, REBAL_STEP_STATE), REBAL_STEP_STATE_RETRY);
  ck_assert_str_eq(rebal_result_text(fixture.result, REBAL_STEP_MESSAGE, 0, NULL), message);
  ck_assert_str_eq(memory(), remembered);
  ck_assert_uint_eq(rebal_result_count(fixture.result, REBAL_TABLE_ACTION), 0);
  ck_assert_int_eq(fixture_cell(&fixture, REBAL_STEP_AFTER_NS), REBAL_ABSENT);
}

START_TEST(test_one_state_that_is_missing_stops_all) {
  rebal_compat *compat;

  preserve_both(0, &compat);
  expect_retry("the application status has not yet been collected from Cluster(member2)",
               "member1@-1000 member2@-1000 ");
  rebal_compat_free(compat);
}
END_TEST

START_TEST(test_a_graceful_purge_needs_its_gate) {
  rebal_compat *compat;

  ck_assert_int_eq(rebal_compat_new(NULL, &compat, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_compat_set(compat, REBAL_OPTION_GATE_GRACEFUL_EVICTION, 0, NULL), REBAL_OK);
  fixture.opts.compat = compat;
  fixture_set_text(&fixture, REBAL_BINDING_APPLICATION_PURGE_MODE, fixture.binding, "Gracefully");
  (void)fixture_health(&fixture, fixture.clusters[0], "Unhealthy");
  (void)fixture_health(&fixture, fixture.clusters[1], "Unhealthy"); /* recorded in spite of the error */
  fixture_unhealthy(&fixture, fixture.clusters[0], NOW - 1000);
  expect_retry(GATE_TEXT, "member1@-1000 member2@0 ");
  rebal_compat_free(compat);
}
END_TEST

START_TEST(test_it_applies_where_health_is_known) {
  static const struct {
    uint32_t column;
    int64_t value;
  } reasons[] = {{REBAL_BINDING_HAS_APPLICATION_FAILOVER, 0},
                 {REBAL_BINDING_PROPAGATE_DEPS, 0},
                 {REBAL_BINDING_HEALTH_UNKNOWN_KIND, 1}};

  fixture_set(&fixture, reasons[_i].column, fixture.binding, reasons[_i].value);
  (void)fixture_health(&fixture, fixture.clusters[0], "Unhealthy");
  fixture_unhealthy(&fixture, fixture.clusters[0], NOW - 1000);
  ck_assert_int_eq(run(&fixture), REBAL_OK);
  ck_assert_int_eq(fixture_cell(&fixture, REBAL_STEP_STATE), REBAL_STEP_STATE_SKIPPED);
  ck_assert_uint_eq(rebal_result_count(fixture.result, REBAL_TABLE_ACTION), 0);
  ck_assert_str_eq(memory(), "");
}
END_TEST

static int32_t story(const rebal_allocator *allocator, void *user_data) {
  struct fixture torture;
  int32_t code;

  (void)user_data;
  start(&torture, allocator);
  (void)fixture_health(&torture, torture.clusters[0], "Unhealthy");
  (void)fixture_health(&torture, torture.clusters[1], "Unhealthy");
  fixture_unhealthy(&torture, torture.clusters[0], NOW - 1000);
  code = run(&torture);
  fixture_dispose(&torture);
  return code;
}

/* Without the gate nothing is evicted, and all that is remembered is kept. */
static int32_t retried_story(const rebal_allocator *allocator, void *user_data) {
  struct fixture torture;
  int32_t code;

  start(&torture, allocator);
  torture.opts.compat = user_data;
  fixture_set_text(&torture, REBAL_BINDING_APPLICATION_PURGE_MODE, torture.binding, "Gracefully");
  (void)fixture_health(&torture, torture.clusters[0], "Unhealthy");
  fixture_unhealthy(&torture, torture.clusters[0], NOW - 1000);
  fixture_unhealthy(&torture, torture.clusters[1], NOW - 5);
  code = run(&torture);
  ck_assert(code != REBAL_OK || rebal_result_count(torture.result, REBAL_TABLE_UNHEALTHY_KEPT) == 2);
  fixture_dispose(&torture);
  return code;
}

START_TEST(test_no_memory_is_an_answer) {
  rebal_compat *compat;

  ck_assert_pstr_eq(test_torture(story, NULL), NULL);
  ck_assert_int_eq(rebal_compat_new(NULL, &compat, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_compat_set(compat, REBAL_OPTION_GATE_GRACEFUL_EVICTION, 0, NULL), REBAL_OK);
  ck_assert_pstr_eq(test_torture(retried_story, compat), NULL);
  rebal_compat_free(compat);
}
END_TEST

/* An entry without a time does not count: the time starts now. */
START_TEST(test_a_memory_without_a_time) {
  (void)fixture_health(&fixture, fixture.clusters[0], "Unhealthy");
  fixture_unhealthy(&fixture, fixture.clusters[0], 0);
  expect("", "member1@0 ", TOLERATION);
}
END_TEST

UNIT_CASE(application) {
  TCase *cases = tcase_create("application");

  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_test(cases, test_the_first_look_only_remembers);
  tcase_add_test(cases, test_without_a_number_five_minutes_are_tolerated);
  tcase_add_loop_test(cases, test_the_time_must_be_over, 0, (int)REBALI_COUNT(moments));
  tcase_add_test(cases, test_health_decides_what_is_forgotten);
  tcase_add_test(cases, test_two_items_of_a_cluster_are_one_look);
  tcase_add_test(cases, test_two_items_of_a_cluster_take_one_target);
  tcase_add_test(cases, test_each_item_of_a_cluster_takes_a_target);
  tcase_add_test(cases, test_a_cluster_that_is_not_a_target_is_patched_too);
  tcase_add_test(cases, test_a_cluster_being_evicted_is_left_alone);
  tcase_add_loop_test(cases, test_the_purge_mode_decides_the_rest, 0, (int)REBALI_COUNT(modes));
  tcase_add_test(cases, test_preserved_state_names_the_targets_before);
  tcase_add_test(cases, test_one_state_that_is_missing_stops_all);
  tcase_add_test(cases, test_a_graceful_purge_needs_its_gate);
  tcase_add_loop_test(cases, test_it_applies_where_health_is_known, 0, 3);
  tcase_add_test(cases, test_no_memory_is_an_answer);
  tcase_add_test(cases, test_a_memory_without_a_time);
  return cases;
}
