/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include <stdio.h>

#include "../../support/allocator.h"
#include "../unit.h"

#define TIMEOUT 600

static const struct fixture_taint taint = {"a", "NoExecute", NOW - 10};
static const rebal_time now = {NOW, 0, 1};
static struct fixture fixture;
static rebal_compat *compat;
static char patch[256];
static char warnings[256];

/* A binding of five replicas; the option is off. */
static void setup(void) {
  fixture_start(&fixture, NULL);
  ck_assert_int_eq(rebal_compat_new(NULL, &compat, NULL), REBAL_OK);
  fixture.opts.compat = compat;
  fixture_set(&fixture, REBAL_BINDING_REPLICAS, fixture.binding, 5);
}

static void teardown(void) {
  fixture_dispose(&fixture);
  rebal_compat_free(compat);
}

static void set_strict(int64_t value) {
  ck_assert_int_eq(rebal_compat_set(compat, REBAL_OPTION_STRICT_EVICTION, value, NULL), REBAL_OK);
}

/* "member1 times-out 3; ": each row of WARNING. */
static const char *reported(void) {
  const int64_t *clusters = rebal_result_i64(fixture.result, REBAL_WARNING_CLUSTER, NULL);
  const int64_t *replicas = rebal_result_i64(fixture.result, REBAL_WARNING_REPLICAS, NULL);
  size_t len = 0;

  warnings[0] = '\0';
  for (size_t row = 0; row < rebal_result_count(fixture.result, REBAL_TABLE_WARNING); row++) {
    ck_assert_int_eq(rebal_result_i64(fixture.result, REBAL_WARNING_BINDING, NULL)[row], (int64_t)fixture.binding);
    len += (size_t)snprintf(warnings + len, sizeof warnings - len, "%s %s %d; ",
                            rebali_snapshot_name(fixture.snapshot, (uint32_t)clusters[row]).bytes,
                            rebal_result_text(fixture.result, REBAL_WARNING_ROW_NAME, row, NULL), (int)replicas[row]);
  }
  return warnings;
}

static void expect(int32_t code, const char *patched, const char *warned) {
  ck_assert_int_eq(code, REBAL_OK);
  ck_assert_str_eq(fixture_patch(&fixture, patch, sizeof patch), patched);
  ck_assert_str_eq(reported(), warned);
}

/* ---- tasks that end ---- */

static uint32_t add_task(struct fixture *story, uint32_t cluster, int64_t age, int64_t replicas, const char *mode) {
  const uint32_t row = fixture_task(story, cluster, NOW - age);

  fixture_set(story, REBAL_TASK_REPLICAS, row, replicas);
  fixture_set_text(story, REBAL_TASK_PURGE_MODE, row, mode);
  return row;
}

static int32_t look(struct fixture *story) {
  fixture_freeze(story);
  return story->code != REBAL_OK ? story->code
                                 : rebal_graceful_eviction_step(story->ctx, story->snapshot, story->bindings, &now,
                                                                &story->opts, story->result, NULL);
}

static const struct {
  int64_t age;
  int64_t target; /* replicas of member2; 0: there is no target */
  int64_t ready;  /* REBAL_ABSENT: not counted */
  const char *health;
  int64_t generation_seen;
  const char *patched;
  const char *warned;
  const char *strictly; /* patched with the option, which never warns */
} ends[] = {
    {TIMEOUT, 5, 5, "Unhealthy", 1, "", "", ""},
    {TIMEOUT + 1, 5, 5, "Unhealthy", 1, "|", "member1 times-out 3; ", ""},
    {TIMEOUT + 1, 4, 4, "Healthy", 0, "|", "member1 times-out 3; ", ""},
    {TIMEOUT + 1, 5, 5, "Healthy", 0, "|", "", ""}, /* all replicas run, though not observed by the scheduler */
    {TIMEOUT + 1, 0, 0, "", 0, "|", "member1 times-out 3; ", ""},
    {TIMEOUT + 1, 0, 0, "", 1, "|", "member1 nowhere-is-healthy 3; ", ""},
    {10, 0, 0, "", 1, "|", "member1 nowhere-is-healthy 3; ", ""},
    {10, 5, 5, "Healthy", 1, "|", "", "|"},
    {10, 5, REBAL_ABSENT, "Healthy", 1, "|", "", "|"},
    {10, 5, 4, "Healthy", 1, "|", "member1 health-is-stale 3; ", ""}, /* healthy as of a smaller target */
    {TIMEOUT + 1, 5, 4, "Healthy", 1, "|", "member1 times-out 3; ", ""},
};

/* The task stays without any timer where only a replacement can end it. */
START_TEST(test_how_a_task_ends) {
  const size_t i = (size_t)_i / 2;
  const int strict = _i % 2;

  set_strict(strict);
  fixture_set(&fixture, REBAL_BINDING_OBSERVED_GENERATION, fixture.binding, ends[i].generation_seen);
  if (ends[i].target > 0) {
    const uint32_t item = fixture_health(&fixture, fixture.clusters[1], ends[i].health);

    fixture_target(&fixture, fixture.clusters[1], ends[i].target);
    fixture_set(&fixture, REBAL_STATUS_ITEM_READY_REPLICAS, item, ends[i].ready);
  }
  (void)add_task(&fixture, fixture.clusters[0], ends[i].age, 3, "Gracefully");
  expect(look(&fixture), strict ? ends[i].strictly : ends[i].patched, strict ? "" : ends[i].warned);
  if (strict) {
    ck_assert_int_eq(fixture_cell(&fixture, REBAL_STEP_AFTER_NS), REBAL_ABSENT);
  }
}
END_TEST

/* A direct purge happened when the task began, so its end removes nothing; suppressDeletion is the user's choice. */
START_TEST(test_ends_that_are_no_breach) {
  const uint32_t reported_off = add_task(&fixture, fixture.clusters[1], TIMEOUT + 1, 2, "Never");

  (void)add_task(&fixture, fixture.clusters[0], TIMEOUT + 1, 3, "Directly");
  fixture_set(&fixture, REBAL_TASK_SUPPRESS_DELETION, reported_off, 0);
  fixture_set(&fixture, REBAL_BINDING_OBSERVED_GENERATION, fixture.binding, 0);
  expect(look(&fixture), "|", "");
}
END_TEST

/* Each removed task is reported on its own; one of a cluster that had no replicas is not. */
START_TEST(test_a_warning_for_each_task) {
  (void)add_task(&fixture, fixture.clusters[0], TIMEOUT + 1, 3, "");
  (void)add_task(&fixture, fixture.clusters[1], TIMEOUT + 1, REBAL_ABSENT, "");
  (void)add_task(&fixture, fixture.clusters[2], TIMEOUT + 2, 2, "");
  fixture_set(&fixture, REBAL_BINDING_OBSERVED_GENERATION, fixture.binding, 0);
  expect(look(&fixture), "|", "member1 times-out 3; member3 times-out 2; ");
}
END_TEST

/* Replicas that were unassigned from the cluster before its eviction may still run. */
START_TEST(test_what_is_ready_is_lost_though_nothing_was_assigned) {
  const uint32_t ready = fixture_health(&fixture, fixture.clusters[0], "Healthy");
  const uint32_t unready = fixture_health(&fixture, fixture.clusters[1], "Unhealthy");

  fixture_set(&fixture, REBAL_STATUS_ITEM_READY_REPLICAS, ready, 2);
  fixture_set(&fixture, REBAL_STATUS_ITEM_READY_REPLICAS, unready, 0);
  (void)add_task(&fixture, fixture.clusters[0], TIMEOUT + 1, REBAL_ABSENT, "");
  (void)add_task(&fixture, fixture.clusters[1], TIMEOUT + 1, REBAL_ABSENT, "");
  fixture_set(&fixture, REBAL_BINDING_OBSERVED_GENERATION, fixture.binding, 0);
  expect(look(&fixture), "|", "member1 times-out 2; ");
}
END_TEST

/* Objects without replicas, and sets of components, are not counted: they exist or do not. */
START_TEST(test_what_is_not_counted_is_lost_as_a_whole) {
  fixture_set(&fixture, REBAL_BINDING_REPLICAS, fixture.binding, 0);
  (void)add_task(&fixture, fixture.clusters[0], TIMEOUT + 1, REBAL_ABSENT, "");
  expect(look(&fixture), "|", "member1 nowhere-is-healthy 0; ");
}
END_TEST

/* Before the scheduler observed the last change, no other cluster replaces it: its task only times out. */
START_TEST(test_what_is_not_counted_times_out_without_a_target) {
  fixture_set(&fixture, REBAL_BINDING_REPLICAS, fixture.binding, 0);
  fixture_set(&fixture, REBAL_BINDING_OBSERVED_GENERATION, fixture.binding, 0);
  (void)add_task(&fixture, fixture.clusters[0], TIMEOUT + 1, REBAL_ABSENT, "");
  expect(look(&fixture), "|", "member1 times-out 0; ");
}
END_TEST

/* A workload of 0 replicas, with the requirements of one, needs no replacement. */
START_TEST(test_a_workload_scaled_to_nothing_needs_no_replacement) {
  const rebal_record *record;
  uint32_t handle;

  set_strict(_i);
  ck_assert_int_eq(rebal_builder_start(fixture.builder, REBAL_OBJECT_REQUIREMENTS, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_finish(fixture.builder, &record, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_intern(fixture.fleet, record, &handle, NULL), REBAL_OK);
  fixture_set(&fixture, REBAL_BINDING_REPLICAS, fixture.binding, 0);
  fixture_set(&fixture, REBAL_BINDING_REQUIREMENTS, fixture.binding, handle);
  (void)add_task(&fixture, fixture.clusters[0], 10, 3, "");
  expect(look(&fixture), "|", "");
}
END_TEST

/* ---- purges ---- */

/* member1:3 member2:2 member1:1 and a taint on member1 that nothing tolerates. */
static void threaten(struct fixture *story) {
  fixture_taints(story, &taint, 1);
  fixture_applied(story, NULL, 0);
  fixture_target(story, story->clusters[0], 3);
  fixture_target(story, story->clusters[1], 2);
  fixture_target(story, story->clusters[0], 1);
}

static int32_t evict(struct fixture *story) {
  fixture_freeze(story);
  return story->code != REBAL_OK ? story->code
                                 : rebal_taint_eviction_step(story->ctx, story->snapshot, story->clusters[0],
                                                             story->bindings, &now, &story->opts, story->result, NULL);
}

START_TEST(test_a_direct_purge_is_a_breach) {
  const int strict = _i;

  set_strict(strict);
  threaten(&fixture);
  fixture.opts.flags |= REBAL_FAILOVER_FLAG_PURGE_DIRECTLY;
  expect(evict(&fixture),
         strict ? "member2:2 member1:1 | member1(Gracefully)" : "member2:2 member1:1 | member1(Directly)",
         strict ? "" : "member1 purges-directly 3; ");
}
END_TEST

START_TEST(test_a_graceful_purge_is_none) {
  threaten(&fixture);
  expect(evict(&fixture), "member2:2 member1:1 | member1(Gracefully)", "");
}
END_TEST

/* The existing task of a cluster decides, not the purge mode that a second one would have. */
START_TEST(test_the_existing_task_decides) {
  const int direct = _i;

  threaten(&fixture);
  fixture.opts.flags |= direct ? 0 : REBAL_FAILOVER_FLAG_PURGE_DIRECTLY;
  (void)add_task(&fixture, fixture.clusters[0], 10, 4, direct ? "Directly" : "Gracefully");
  expect(evict(&fixture),
         direct ? "member2:2 member1:1 | member1(Directly)" : "member2:2 member1:1 | member1(Gracefully)",
         direct ? "member1 purges-directly 3; " : "");
}
END_TEST

/* Two items of a cluster evict it twice: each takes the next target, and is reported with its replicas. */
START_TEST(test_each_removed_target_is_reported) {
  const int strict = _i;

  set_strict(strict);
  threaten(&fixture);
  fixture_set(&fixture, REBAL_BINDING_HAS_APPLICATION_FAILOVER, fixture.binding, 1);
  fixture_set(&fixture, REBAL_BINDING_PROPAGATE_DEPS, fixture.binding, 1);
  fixture_set_text(&fixture, REBAL_BINDING_APPLICATION_PURGE_MODE, fixture.binding, "Directly");
  for (size_t i = 0; i < 3; i++) {
    (void)fixture_health(&fixture, fixture.clusters[0], "Unhealthy");
  }
  fixture_unhealthy(&fixture, fixture.clusters[0], NOW - 301);
  fixture_freeze(&fixture);
  expect(rebal_application_failover_step(fixture.ctx, fixture.snapshot, fixture.bindings, &now, &fixture.opts,
                                         fixture.result, NULL),
         strict ? "member2:2 | member1(Gracefully)" : "member2:2 | member1(Directly)",
         strict ? "" : "member1 purges-directly 3; member1 purges-directly 1; ");
}
END_TEST

static int32_t story(const rebal_allocator *allocator, void *user_data) {
  const int *is_purge = user_data;
  struct fixture torture;
  int32_t code;

  fixture_start(&torture, allocator);
  threaten(&torture);
  torture.opts.flags |= REBAL_FAILOVER_FLAG_PURGE_DIRECTLY;
  (void)add_task(&torture, torture.clusters[1], TIMEOUT + 1, 3, "");
  code = *is_purge ? evict(&torture) : look(&torture);
  fixture_dispose(&torture);
  return code;
}

START_TEST(test_no_memory_is_an_answer) {
  ck_assert_pstr_eq(test_torture(story, &_i), NULL);
}
END_TEST

UNIT_CASE(replacement) {
  TCase *cases = tcase_create("replacement");
  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_loop_test(cases, test_how_a_task_ends, 0, 2 * (int)REBALI_COUNT(ends));
  tcase_add_test(cases, test_ends_that_are_no_breach);
  tcase_add_test(cases, test_a_warning_for_each_task);
  tcase_add_test(cases, test_what_is_ready_is_lost_though_nothing_was_assigned);
  tcase_add_test(cases, test_what_is_not_counted_is_lost_as_a_whole);
  tcase_add_test(cases, test_what_is_not_counted_times_out_without_a_target);
  tcase_add_loop_test(cases, test_a_workload_scaled_to_nothing_needs_no_replacement, 0, 2);
  tcase_add_loop_test(cases, test_a_direct_purge_is_a_breach, 0, 2);
  tcase_add_test(cases, test_a_graceful_purge_is_none);
  tcase_add_loop_test(cases, test_the_existing_task_decides, 0, 2);
  tcase_add_loop_test(cases, test_each_removed_target_is_reported, 0, 2);
  tcase_add_loop_test(cases, test_no_memory_is_an_answer, 0, 2);
  return cases;
}
