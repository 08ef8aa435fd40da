/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include "../unit.h"

static const rebal_time now = {NOW, 0, 1};
static struct fixture fixture;
static uint32_t task;

/* A task in which every column is set. */
static void setup(void) {
  fixture_start(&fixture, NULL);
  task = fixture_task(&fixture, fixture.clusters[1], 77);
  fixture_set_text(&fixture, REBAL_TASK_PURGE_MODE, task, "Never");
  fixture_set_text(&fixture, REBAL_TASK_REASON, task, "why");
  fixture_set_text(&fixture, REBAL_TASK_MESSAGE, task, "words");
  fixture_set_text(&fixture, REBAL_TASK_PRODUCER, task, "who");
  fixture_set(&fixture, REBAL_TASK_REPLICAS, task, 4);
  fixture_set(&fixture, REBAL_TASK_GRACE_PERIOD_SECONDS, task, 30);
  fixture_set(&fixture, REBAL_TASK_SUPPRESS_DELETION, task, 1);
  fixture_set(&fixture, REBAL_TASK_PRESERVED_LABEL_STATE, task, fixture_labels(&fixture, "k", "v"));
}

static void teardown(void) {
  fixture_dispose(&fixture);
}

static const char *text_of(const rebal_record *spec, uint32_t node, uint32_t field) {
  return rebal_record_text(spec, rebali_record_get(spec, node, field), NULL);
}

static int64_t number_of(const rebal_record *spec, uint32_t node, uint32_t field) {
  return rebal_record_i64(spec, rebali_record_get(spec, node, field));
}

/* Node of the task in the list that the turn of the graceful-eviction controller writes. */
static const rebal_record *written(uint32_t *node) {
  const rebal_record *spec;

  (void)fixture_task(&fixture, fixture.clusters[2], 0); /* a new one, so that the list is written */
  fixture_freeze(&fixture);
  ck_assert_int_eq(fixture.code, REBAL_OK);
  ck_assert_int_eq(rebal_graceful_eviction_step(fixture.ctx, fixture.snapshot, fixture.bindings, &now, &fixture.opts,
                                                fixture.result, NULL),
                   REBAL_OK);
  spec = rebal_result_record(fixture.result, fixture_action(&fixture, REBAL_ACTION_KIND_PATCH_SPEC, 0));
  *node = rebali_record_get(spec, 0, REBAL_BINDING_SPEC_GRACEFUL_EVICTION_TASKS);
  return spec;
}

START_TEST(test_a_task_is_written_as_it_was_read) {
  uint32_t node;
  uint32_t label;
  const rebal_record *spec = written(&node);
  rebal_time time;

  ck_assert_str_eq(text_of(spec, node, REBAL_EVICTION_TASK_FROM_CLUSTER), "member2");
  ck_assert_str_eq(text_of(spec, node, REBAL_EVICTION_TASK_PURGE_MODE), "Never");
  ck_assert_str_eq(text_of(spec, node, REBAL_EVICTION_TASK_REASON), "why");
  ck_assert_str_eq(text_of(spec, node, REBAL_EVICTION_TASK_MESSAGE), "words");
  ck_assert_str_eq(text_of(spec, node, REBAL_EVICTION_TASK_PRODUCER), "who");
  ck_assert_int_eq(number_of(spec, node, REBAL_EVICTION_TASK_REPLICAS), 4);
  ck_assert_int_eq(number_of(spec, node, REBAL_EVICTION_TASK_GRACE_PERIOD_SECONDS), 30);
  ck_assert_int_eq(number_of(spec, node, REBAL_EVICTION_TASK_SUPPRESS_DELETION), 1);
  rebal_record_time(spec, rebali_record_get(spec, node, REBAL_EVICTION_TASK_CREATION_TIMESTAMP), &time);
  ck_assert_int_eq(time.seconds, 77);
  label = rebali_record_get(spec, node, REBAL_EVICTION_TASK_PRESERVED_LABEL_STATE);
  ck_assert_str_eq(text_of(spec, label, REBAL_PAIR_KEY), "k");
  ck_assert_str_eq(text_of(spec, label, REBAL_PAIR_VALUE), "v");
}
END_TEST

START_TEST(test_clusters_before_failover_keep_their_order) {
  const rebal_record *record;
  uint32_t handle;
  uint32_t node;
  uint32_t name;

  (void)rebal_builder_start(fixture.builder, REBAL_OBJECT_TEXTS, NULL);
  (void)rebal_builder_text(fixture.builder, REBAL_TEXTS_ITEM, "z", 1, NULL);
  (void)rebal_builder_text(fixture.builder, REBAL_TEXTS_ITEM, "a", 1, NULL);
  ck_assert_int_eq(rebal_builder_finish(fixture.builder, &record, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_intern(fixture.fleet, record, &handle, NULL), REBAL_OK);
  fixture_set(&fixture, REBAL_TASK_CLUSTERS_BEFORE_FAILOVER, task, handle);
  record = written(&node);
  name = rebal_record_next(record, node, REBAL_EVICTION_TASK_CLUSTERS_BEFORE_FAILOVER, REBAL_NONE);
  ck_assert_str_eq(rebal_record_text(record, name, NULL), "z");
  name = rebal_record_next(record, node, REBAL_EVICTION_TASK_CLUSTERS_BEFORE_FAILOVER, name);
  ck_assert_str_eq(rebal_record_text(record, name, NULL), "a");
}
END_TEST

START_TEST(test_what_is_not_set_is_not_written) {
  uint32_t node;
  const rebal_record *spec = written(&node);

  node = rebal_record_next(spec, 0, REBAL_BINDING_SPEC_GRACEFUL_EVICTION_TASKS, node);
  ck_assert_str_eq(text_of(spec, node, REBAL_EVICTION_TASK_FROM_CLUSTER), "member3");
  ck_assert_uint_eq(rebali_record_get(spec, node, REBAL_EVICTION_TASK_REPLICAS), REBAL_NONE);
  ck_assert_uint_eq(rebali_record_get(spec, node, REBAL_EVICTION_TASK_PURGE_MODE), REBAL_NONE);
  ck_assert_uint_eq(rebali_record_get(spec, node, REBAL_EVICTION_TASK_SUPPRESS_DELETION), REBAL_NONE);
  ck_assert_uint_eq(rebali_record_get(spec, node, REBAL_EVICTION_TASK_GRACE_PERIOD_SECONDS), REBAL_NONE);
}
END_TEST

UNIT_CASE(task) {
  TCase *cases = tcase_create("task");
  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_test(cases, test_a_task_is_written_as_it_was_read);
  tcase_add_test(cases, test_clusters_before_failover_keep_their_order);
  tcase_add_test(cases, test_what_is_not_set_is_not_written);
  return cases;
}
