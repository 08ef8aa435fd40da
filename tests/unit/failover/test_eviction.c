/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include "../../support/allocator.h"
#include "../unit.h"

static const struct fixture_taint taint = {"a", "NoExecute", NOW - 10};
static const rebal_time now = {NOW, 0, 1};
static struct fixture fixture;
static char patch[256];

/* member1:3 member2:0 member1:1, and a taint that nothing tolerates. */
static void start(struct fixture *story, const rebal_allocator *allocator) {
  fixture_start(story, allocator);
  fixture_taints(story, &taint, 1);
  fixture_applied(story, NULL, 0);
  fixture_target(story, story->clusters[0], 3);
  fixture_target(story, story->clusters[1], 0);
  fixture_target(story, story->clusters[0], 1);
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
                                 : rebal_taint_eviction_step(story->ctx, story->snapshot, story->clusters[0],
                                                             story->bindings, &now, &story->opts, story->result, NULL);
}

static int64_t task_number(uint32_t field) {
  const rebal_record *spec = rebal_result_record(fixture.result, 0);
  const uint32_t task = rebali_record_get(spec, 0, REBAL_BINDING_SPEC_GRACEFUL_EVICTION_TASKS);
  const uint32_t node = rebali_record_get(spec, task, field);

  return node == REBAL_NONE ? -1 : rebal_record_i64(spec, node);
}

START_TEST(test_the_first_target_becomes_a_task) {
  const rebal_record *spec;
  uint32_t task;

  ck_assert_int_eq(run(&fixture), REBAL_OK);
  ck_assert_int_eq(fixture_cell(&fixture, REBAL_STEP_STATE), REBAL_STEP_STATE_DONE);
  ck_assert_int_eq(fixture_cell(&fixture, REBAL_STEP_REASON), REBAL_TAINT_VERDICT_EVICT);
  ck_assert_uint_eq(rebal_result_count(fixture.result, REBAL_TABLE_ACTION), 1);
  ck_assert_int_eq(fixture_cell(&fixture, REBAL_ACTION_REPLACES),
                   REBAL_REPLACES_CLUSTERS | REBAL_REPLACES_GRACEFUL_EVICTION_TASKS);
  ck_assert_str_eq(rebal_result_text(fixture.result, REBAL_ACTION_RESOURCE_VERSION, 0, NULL), "5");
  ck_assert_str_eq(rebal_result_text(fixture.result, REBAL_ACTION_OBJECT_KIND, 0, NULL), "ResourceBinding");
  ck_assert_str_eq(fixture_patch(&fixture, patch, sizeof patch), "member2:0 member1:1 | member1(Gracefully)");
  ck_assert_int_eq(task_number(REBAL_EVICTION_TASK_REPLICAS), 3);
  ck_assert_int_eq(task_number(REBAL_EVICTION_TASK_CREATION_TIMESTAMP), -1);
  spec = rebal_result_record(fixture.result, 0);
  task = rebali_record_get(spec, 0, REBAL_BINDING_SPEC_GRACEFUL_EVICTION_TASKS);
  ck_assert_str_eq(rebal_record_text(spec, rebali_record_get(spec, task, REBAL_EVICTION_TASK_REASON), NULL),
                   "TaintUntolerated");
  ck_assert_str_eq(rebal_record_text(spec, rebali_record_get(spec, task, REBAL_EVICTION_TASK_PRODUCER), NULL),
                   "TaintManager");
}
END_TEST

/* Components of a target are part of spec.clusters, which the patch replaces as a whole. */
START_TEST(test_other_targets_keep_their_components) {
  rebal_builder *builder = fixture.builder;
  const rebal_record *record, *spec;
  uint32_t handle, target, component;

  (void)rebal_builder_start(builder, REBAL_OBJECT_TARGET_COMPONENTS, NULL);
  (void)rebal_builder_begin(builder, REBAL_TARGET_COMPONENTS_COMPONENT, NULL);
  (void)rebal_builder_text(builder, REBAL_TARGET_COMPONENT_NAME, "driver", 6, NULL);
  (void)rebal_builder_i64(builder, REBAL_TARGET_COMPONENT_REPLICAS, 2, NULL);
  (void)rebal_builder_end(builder, NULL);
  ck_assert_int_eq(rebal_builder_finish(builder, &record, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_intern(fixture.fleet, record, &handle, NULL), REBAL_OK);
  fixture_set(&fixture, REBAL_TARGET_COMPONENTS, 1, handle); /* that of member2 */
  ck_assert_int_eq(run(&fixture), REBAL_OK);
  spec = rebal_result_record(fixture.result, 0);
  target = rebali_record_get(spec, 0, REBAL_BINDING_SPEC_CLUSTERS);
  component = rebali_record_get(spec, target, REBAL_TARGET_CLUSTER_COMPONENTS);
  ck_assert_uint_ne(component, REBAL_NONE);
  ck_assert_str_eq(rebal_record_text(spec, rebali_record_get(spec, component, REBAL_TARGET_COMPONENT_NAME), NULL),
                   "driver");
  ck_assert_int_eq(rebal_record_i64(spec, rebali_record_get(spec, component, REBAL_TARGET_COMPONENT_REPLICAS)), 2);
}
END_TEST

START_TEST(test_a_cluster_being_evicted_gets_no_second_task) {
  (void)fixture_task(&fixture, fixture.clusters[2], NOW);
  (void)fixture_task(&fixture, fixture.clusters[0], NOW);
  ck_assert_int_eq(run(&fixture), REBAL_OK);
  ck_assert_str_eq(fixture_patch(&fixture, patch, sizeof patch), "member2:0 member1:1 | member3() member1()");
}
END_TEST

static const struct {
  const char *own; /* NULL: no failover.cluster */
  uint32_t flags;
  const char *expected;
} modes[] = {{NULL, 0, "Gracefully"},
             {NULL, REBAL_FAILOVER_FLAG_PURGE_DIRECTLY, "Directly"},
             {"", REBAL_FAILOVER_FLAG_PURGE_DIRECTLY, "Gracefully"},
             {"Never", REBAL_FAILOVER_FLAG_PURGE_DIRECTLY, "Never"},
             {"Directly", 0, "Directly"}};

START_TEST(test_the_purge_mode) {
  char expected[64] = "member2:0 member1:1 | member1(";

  strcat(strcat(expected, modes[_i].expected), ")");
  fixture.opts.flags |= modes[_i].flags;
  fixture_set(&fixture, REBAL_BINDING_HAS_CLUSTER_FAILOVER, fixture.binding, modes[_i].own != NULL);
  if (modes[_i].own != NULL) {
    fixture_set_text(&fixture, REBAL_BINDING_CLUSTER_FAILOVER_PURGE_MODE, fixture.binding, modes[_i].own);
  }
  ck_assert_int_eq(run(&fixture), REBAL_OK);
  ck_assert_str_eq(fixture_patch(&fixture, patch, sizeof patch), expected);
}
END_TEST

static void open_gate(rebal_compat **compat, int64_t gate) {
  ck_assert_int_eq(rebal_compat_new(NULL, compat, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_compat_set(*compat, REBAL_OPTION_GATE_STATEFUL_FAILOVER, gate, NULL), REBAL_OK);
  fixture.opts.compat = *compat;
  fixture_set(&fixture, REBAL_BINDING_PRESERVES_CLUSTER_STATE, fixture.binding, 1);
}

START_TEST(test_labels_are_preserved_with_the_gate_only) {
  const int64_t gate = _i;
  const uint32_t item = fixture_health(&fixture, fixture.clusters[0], "Unhealthy");
  rebal_compat *compat;

  open_gate(&compat, gate);
  fixture_set(&fixture, REBAL_STATUS_ITEM_CLUSTER_STATE, item, fixture_labels(&fixture, "k", "v"));
  ck_assert_int_eq(run(&fixture), REBAL_OK);
  ck_assert_int_eq(task_number(REBAL_EVICTION_TASK_PRESERVED_LABEL_STATE), gate ? 0 : -1);
  rebal_compat_free(compat);
}
END_TEST

/* The first item of a cluster counts; if it has no state, the message is that none was collected. */
static const struct {
  const char *error; /* NULL: no item at all */
  const char *message;
} failures[] = {
    {NULL, "the application status has not yet been collected from Cluster(member1)"},
    {"", "the application status has not yet been collected from Cluster(member1)"},
    {"a is not found", "a is not found"},
};

START_TEST(test_what_cannot_be_preserved_is_not_evicted) {
  rebal_compat *compat;

  open_gate(&compat, 1);
  if (failures[_i].error != NULL) {
    const uint32_t first = fixture_health(&fixture, fixture.clusters[0], "");
    const uint32_t second = fixture_health(&fixture, fixture.clusters[0], "");

    fixture_set_text(&fixture, REBAL_STATUS_ITEM_CLUSTER_STATE_ERROR, first, failures[_i].error);
    fixture_set(&fixture, REBAL_STATUS_ITEM_CLUSTER_STATE, second, fixture_labels(&fixture, "k", "v"));
  }
  ck_assert_int_eq(run(&fixture), REBAL_OK);
  ck_assert_int_eq(fixture_cell(&fixture, REBAL_STEP_STATE), REBAL_STEP_STATE_RETRY);
  ck_assert_int_eq(fixture_cell(&fixture, REBAL_STEP_REASON), REBAL_TAINT_VERDICT_EVICT);
  ck_assert_str_eq(rebal_result_text(fixture.result, REBAL_STEP_MESSAGE, 0, NULL), failures[_i].message);
  ck_assert_uint_eq(rebal_result_count(fixture.result, REBAL_TABLE_ACTION), 0);
  rebal_compat_free(compat);
}
END_TEST

START_TEST(test_no_replicas_no_number) {
  fixture_dispose(&fixture);
  fixture_start(&fixture, NULL);
  fixture_taints(&fixture, &taint, 1);
  fixture_applied(&fixture, NULL, 0);
  fixture_target(&fixture, fixture.clusters[0], 0);
  ck_assert_int_eq(run(&fixture), REBAL_OK);
  ck_assert_str_eq(fixture_patch(&fixture, patch, sizeof patch), "| member1(Gracefully)");
  ck_assert_int_eq(task_number(REBAL_EVICTION_TASK_REPLICAS), -1);
}
END_TEST

START_TEST(test_it_wakes_when_the_toleration_runs_out) {
  const struct fixture_toleration toleration = {"a", 30};
  rebal_time time;

  fixture_applied(&fixture, &toleration, 1);
  ck_assert_int_eq(run(&fixture), REBAL_OK);
  ck_assert_uint_eq(fixture_action(&fixture, REBAL_ACTION_KIND_WAKE, 0), 0);
  rebal_result_time(fixture.result, REBAL_ACTION_NOT_BEFORE, 0, &time);
  ck_assert_int_eq(time.seconds, NOW + 20);
  ck_assert_int_eq(fixture_cell(&fixture, REBAL_STEP_AFTER_NS), 20 * REBALI_SECOND_NS);
}
END_TEST

static void skipped(void) {
  ck_assert_int_eq(run(&fixture), REBAL_OK);
  ck_assert_int_eq(fixture_cell(&fixture, REBAL_STEP_STATE), REBAL_STEP_STATE_SKIPPED);
  ck_assert_uint_eq(rebal_result_count(fixture.result, REBAL_TABLE_ACTION), 0);
}

START_TEST(test_a_deleting_binding_is_left_alone) {
  fixture_set(&fixture, REBAL_BINDING_DELETING, fixture.binding, 1);
  skipped();
}
END_TEST

START_TEST(test_a_binding_elsewhere_is_left_alone) {
  fixture_dispose(&fixture);
  fixture_start(&fixture, NULL);
  fixture_taints(&fixture, &taint, 1); /* and no applied placement: no error either */
  fixture_target(&fixture, fixture.clusters[1], 3);
  skipped();
}
END_TEST

START_TEST(test_a_missing_applied_placement_is_retried) {
  fixture_set(&fixture, REBAL_BINDING_APPLIED_STATE, fixture.binding, REBAL_ANNOTATION_ABSENT);
  ck_assert_int_eq(run(&fixture), REBAL_OK);
  ck_assert_int_eq(fixture_cell(&fixture, REBAL_STEP_STATE), REBAL_STEP_STATE_RETRY);
  ck_assert_int_eq(fixture_cell(&fixture, REBAL_STEP_REASON), REBAL_TAINT_VERDICT_ERROR);
}
END_TEST

START_TEST(test_a_cluster_is_needed) {
  fixture_freeze(&fixture);
  ck_assert_int_eq(rebal_taint_eviction_step(fixture.ctx, fixture.snapshot, REBAL_NONE, fixture.bindings, &now,
                                             &fixture.opts, fixture.result, NULL),
                   REBAL_EINVAL);
}
END_TEST

static int32_t story(const rebal_allocator *allocator, void *user_data) {
  struct fixture torture;
  int32_t code;

  (void)user_data;
  start(&torture, allocator);
  (void)fixture_task(&torture, torture.clusters[2], NOW);
  code = run(&torture);
  fixture_dispose(&torture);
  return code;
}

static int32_t waiting_story(const rebal_allocator *allocator, void *user_data) {
  const struct fixture_toleration toleration = {"a", 30};
  struct fixture torture;
  int32_t code;

  (void)user_data;
  start(&torture, allocator);
  fixture_applied(&torture, &toleration, 1);
  code = run(&torture);
  ck_assert(code != REBAL_OK || fixture_action(&torture, REBAL_ACTION_KIND_WAKE, 0) == 0);
  fixture_dispose(&torture);
  return code;
}

START_TEST(test_no_memory_is_an_answer) {
  ck_assert_pstr_eq(test_torture(story, NULL), NULL);
  ck_assert_pstr_eq(test_torture(waiting_story, NULL), NULL);
}
END_TEST

UNIT_CASE(eviction) {
  TCase *cases = tcase_create("eviction");
  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_test(cases, test_the_first_target_becomes_a_task);
  tcase_add_test(cases, test_other_targets_keep_their_components);
  tcase_add_test(cases, test_a_cluster_being_evicted_gets_no_second_task);
  tcase_add_loop_test(cases, test_the_purge_mode, 0, (int)REBALI_COUNT(modes));
  tcase_add_loop_test(cases, test_labels_are_preserved_with_the_gate_only, 0, 2);
  tcase_add_loop_test(cases, test_what_cannot_be_preserved_is_not_evicted, 0, (int)REBALI_COUNT(failures));
  tcase_add_test(cases, test_no_replicas_no_number);
  tcase_add_test(cases, test_it_wakes_when_the_toleration_runs_out);
  tcase_add_test(cases, test_a_deleting_binding_is_left_alone);
  tcase_add_test(cases, test_a_binding_elsewhere_is_left_alone);
  tcase_add_test(cases, test_a_missing_applied_placement_is_retried);
  tcase_add_test(cases, test_a_cluster_is_needed);
  tcase_add_test(cases, test_no_memory_is_an_answer);
  return cases;
}
