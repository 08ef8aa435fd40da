/* SPDX-License-Identifier: MIT */
/* A scheduler over a store: what enters its queue, in which order it leaves, and what is assumed. */
#include "stores.h"

#include <rebalance/scheduling.h>

#include <stdio.h>

#define CLUSTER(name, cpu, labels)                                                                                \
  "{apiVersion: cluster.karmada.io/v1alpha1, kind: Cluster, metadata: {name: " name ", labels: {" labels          \
  "}}, spec: {syncMode: Push}, status: {apiEnablements: [{groupVersion: apps/v1, resources: [{kind: Deployment, " \
  "name: deployments}]}], resourceSummary: {allocatable: {cpu: \"" cpu "\", pods: \"110\"}}}}\n---\n"
#define BINDING(name, replicas, spec)                                                                            \
  "{apiVersion: work.karmada.io/v1alpha2, kind: ResourceBinding, metadata: {name: " name                         \
  ", namespace: ns, labels: "                                                                                    \
  "{propagationpolicy.karmada.io/permanent-id: p}}, spec: {resource: {apiVersion: apps/v1, kind: Deployment, "   \
  "namespace: ns, name: " name "}, replicas: " replicas                                                          \
  ", replicaRequirements: {resourceRequest: {cpu: \"1\"}}, "                                                     \
  "placement: {replicaScheduling: {replicaSchedulingType: Divided, replicaDivisionPreference: Aggregated}}" spec \
  "}}\n---\n"
#define MANY 10
#define SECOND INT64_C(1000000000)

struct scheduling {
  rebal_store *store;
  rebal_fleet *fleet;
  rebal_scheduler_feed *feed;
  rebal_ctx *ctx;
  rebal_result *result;
  rebal_observations *observations;
  rebal_time now;
};

static struct scheduling open_scheduling(const char *text, const rebal_scheduler_feed_opts *opts) {
  struct scheduling scheduling = {.store = store_new(), .now = time_of(NOW)};
  apply(scheduling.store, text, NOW);
  ck_assert_int_eq(rebal_fleet_new(NULL, &scheduling.fleet, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_ctx_new(NULL, NULL, &scheduling.ctx, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_result_new(NULL, &scheduling.result, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_observations_new(NULL, &scheduling.observations, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_scheduler_feed_new(scheduling.store, scheduling.fleet, opts, &scheduling.feed, NULL),
                   REBAL_OK);
  return scheduling;
}

static void close_scheduling(struct scheduling *scheduling) {
  rebal_scheduler_feed_free(scheduling->feed);
  rebal_observations_free(scheduling->observations);
  rebal_result_free(scheduling->result);
  rebal_ctx_free(scheduling->ctx);
  rebal_fleet_free(scheduling->fleet);
  rebal_store_free(scheduling->store);
}

/* Names of the bindings that are taken, after so many seconds more. */
static const char *taken(struct scheduling *scheduling, int64_t seconds, size_t most) {
  static char text[256];
  size_t n, len = 0;
  rebal_error err = REBAL_ERROR_INIT;
  scheduling->now.seconds += seconds;
  ck_assert_msg(rebal_scheduler_feed_update(scheduling->feed, &scheduling->now, &err) == REBAL_OK, "%s", err.message);
  ck_assert_msg(rebal_scheduler_feed_take(scheduling->feed, &scheduling->now, most, &n, &err) == REBAL_OK, "%s",
                err.message);
  text[0] = '\0';
  for (size_t row = 0; row < n; row++) {
    len += (size_t)snprintf(text + len, sizeof text - len, "%s%s", row > 0 ? " " : "",
                            rebal_store_identity(scheduling->store, rebal_scheduler_feed_object(scheduling->feed, row),
                                                 REBAL_IDENTITY_NAME, NULL));
  }
  ck_assert_uint_eq(rebal_scheduler_feed_object(scheduling->feed, n), REBAL_NONE);
  return text;
}

/* Decides on what was taken and carries it out: "cluster=replicas" of each row, "-" where nothing is placed. */
static const char *decided(struct scheduling *scheduling) {
  static char text[256];
  const int64_t *counts, *replicas;
  size_t n, len = 0, place = 0;
  rebal_error err = REBAL_ERROR_INIT;
  ck_assert_msg(rebal_scheduler_feed_step(scheduling->ctx, scheduling->feed, &scheduling->now, NULL, scheduling->result,
                                          &err) == REBAL_OK,
                "%s", err.message);
  for (size_t i = 0; i < rebal_result_count(scheduling->result, REBAL_TABLE_ACTION); i++) {
    ck_assert_int_eq(rebal_store_carry_out(scheduling->store, scheduling->result, i, &scheduling->now, NULL, NULL),
                     REBAL_OK);
  }
  counts = rebal_result_i64(scheduling->result, REBAL_DECISION_PLACED, &n);
  replicas = rebal_result_i64(scheduling->result, REBAL_PLACED_REPLICAS, NULL);
  text[0] = '\0';
  for (size_t row = 0; row < n; row++) {
    len += (size_t)snprintf(text + len, sizeof text - len, "%s%s", row > 0 ? "; " : "", counts[row] == 0 ? "-" : "");
    for (int64_t i = 0; i < counts[row]; i++, place++) {
      len += (size_t)snprintf(text + len, sizeof text - len, "%s%d", i > 0 ? "+" : "", (int)replicas[place]);
    }
  }
  return text;
}

static void change(struct scheduling *scheduling, const char *kind, const char *name, const char *patch) {
  const uint32_t object = find(scheduling->store, kind, strcmp(kind, "Cluster") == 0 ? "" : "ns", name);
  rebal_error err = REBAL_ERROR_INIT;
  ck_assert_msg(rebal_store_patch(scheduling->store, object, patch, strlen(patch), &scheduling->now, &err) == REBAL_OK,
                "%s", err.message);
}

START_TEST(test_higher_priorities_come_first) {
  struct scheduling scheduling =
      open_scheduling(CLUSTER("m1", "9", "") BINDING("a", "1", "")
                          BINDING("b", "1", ", schedulePriority: {priority: 5}") BINDING("c", "1", ""),
                      NULL);
  ck_assert_str_eq(taken(&scheduling, 0, 2), "b a");
  ck_assert_str_eq(decided(&scheduling), "1; 1");
  /* the clusters of the two are a new generation */
  ck_assert_str_eq(taken(&scheduling, 1, MANY), "b c a");
  ck_assert_str_eq(decided(&scheduling), "-; 1; -");
  ck_assert_str_eq(taken(&scheduling, 1, MANY), "c");
  (void)decided(&scheduling);
  ck_assert_str_eq(taken(&scheduling, 1, MANY), "");
  close_scheduling(&scheduling);
}
END_TEST

START_TEST(test_events_of_bindings) {
  const rebal_scheduler_feed_opts mine = {
      .struct_size = sizeof mine, .scheduler_name = "mine", .scheduler_name_len = 4};
  struct scheduling scheduling =
      open_scheduling(CLUSTER("m1", "9", "") BINDING("a", "1", ", schedulerName: mine, suspension: {scheduling: true}")
                          BINDING("b", "1", ""),
                      &mine);
  ck_assert_str_eq(taken(&scheduling, 0, MANY), "");
  change(&scheduling, "ResourceBinding", "a", "{spec: {suspension: null}}");
  ck_assert_str_eq(taken(&scheduling, 1, MANY), "a");
  ck_assert_str_eq(decided(&scheduling), "1");
  ck_assert_str_eq(taken(&scheduling, 1, MANY), "a");
  (void)decided(&scheduling);
  /* a new status is not an event, a suspension removes it from the queue, and the end of one adds it again */
  change(&scheduling, "ResourceBinding", "a", "{status: {aggregatedStatus: [{clusterName: m1, health: Healthy}]}}");
  ck_assert_str_eq(taken(&scheduling, 1, MANY), "");
  change(&scheduling, "ResourceBinding", "a", "{spec: {suspension: {scheduling: true}}}");
  ck_assert_str_eq(taken(&scheduling, 1, MANY), "");
  change(&scheduling, "ResourceBinding", "a", "{spec: {suspension: null}}");
  ck_assert_str_eq(taken(&scheduling, 1, MANY), "a");
  close_scheduling(&scheduling);
}
END_TEST

START_TEST(test_events_of_clusters) {
  struct scheduling scheduling = open_scheduling(CLUSTER("m1", "9", "") BINDING("a", "1", ""), NULL);
  for (size_t i = 0; i < 2; i++) {
    ck_assert_str_eq(taken(&scheduling, 1, MANY), "a");
    (void)decided(&scheduling);
  }
  change(&scheduling, "Cluster", "m1", "{status: {resourceSummary: {allocatable: {cpu: 20}}}}");
  ck_assert_str_eq(taken(&scheduling, 1, MANY), "");
  change(&scheduling, "Cluster", "m1", "{metadata: {labels: {a: b}}}");
  ck_assert_str_eq(taken(&scheduling, 1, MANY), "a");
  (void)decided(&scheduling);
  apply(scheduling.store, CLUSTER("m2", "9", ""), NOW);
  ck_assert_str_eq(taken(&scheduling, 1, MANY), "");
  ck_assert_int_eq(rebal_store_remove(scheduling.store, find(scheduling.store, "Cluster", "", "m2"), NULL), REBAL_OK);
  ck_assert_str_eq(taken(&scheduling, 1, MANY), "");
  close_scheduling(&scheduling);
}
END_TEST

/* Unschedulable bindings are tried again after 5 minutes, or earlier after an event. */
START_TEST(test_what_failed_comes_again) {
  struct scheduling scheduling = open_scheduling(CLUSTER("m1", "2", "") BINDING("a", "3", ""), NULL);
  ck_assert_str_eq(taken(&scheduling, 0, MANY), "a");
  ck_assert_str_eq(decided(&scheduling), "-");
  ck_assert_str_eq(taken(&scheduling, 299, MANY), "");
  change(&scheduling, "Cluster", "m1", "{status: {resourceSummary: {allocatable: {cpu: 5}}}}");
  ck_assert_str_eq(taken(&scheduling, 0, MANY), "");
  ck_assert_str_eq(taken(&scheduling, 31, MANY), "a");
  ck_assert_str_eq(decided(&scheduling), "3");
  ck_assert_str_eq(taken(&scheduling, 1, MANY), "a");
  /* a binding that is taken and not decided on backs off, longer each time */
  ck_assert_str_eq(taken(&scheduling, 1, MANY), "a");
  ck_assert_str_eq(taken(&scheduling, 1, MANY), "");
  ck_assert_str_eq(taken(&scheduling, 1, MANY), "a");
  (void)decided(&scheduling);
  ck_assert_int_eq(rebal_scheduler_feed_retry(scheduling.feed, 0, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_scheduler_feed_retry(scheduling.feed, 1, NULL), REBAL_EINVAL);
  ck_assert_str_eq(taken(&scheduling, 10, MANY), "a");
  close_scheduling(&scheduling);
}
END_TEST

START_TEST(test_what_is_assumed) {
  const rebal_scheduler_feed_opts opts = {.struct_size = sizeof opts, .assumed_ns = 60 * SECOND};
  struct scheduling scheduling =
      open_scheduling(CLUSTER("m1", "5", "") BINDING("a", "3", "") BINDING("b", "3", ""), &opts);
  ck_assert_str_eq(taken(&scheduling, 0, MANY), "a b");
  ck_assert_str_eq(decided(&scheduling), "3; -");
  ck_assert_str_eq(taken(&scheduling, 1, MANY), "a");
  (void)decided(&scheduling);
  /* healthy now, but not before: no longer assumed, and a binding that did not fit is tried again */
  change(&scheduling, "ResourceBinding", "a", "{status: {aggregatedStatus: [{clusterName: m1, health: Healthy}]}}");
  ck_assert_str_eq(taken(&scheduling, 1, MANY), "");
  ck_assert_str_eq(taken(&scheduling, 1, MANY), "b");
  ck_assert_str_eq(decided(&scheduling), "3");
  ck_assert_str_eq(taken(&scheduling, 1, MANY), "b");
  (void)decided(&scheduling);
  change(&scheduling, "ResourceBinding", "b", "{spec: {replicas: 4}}");
  ck_assert_str_eq(taken(&scheduling, 1, MANY), "b");
  ck_assert_str_eq(decided(&scheduling), "4");
  /* healthy as before: the replicas it gets now are assumed */
  change(&scheduling, "ResourceBinding", "a", "{spec: {replicas: 4}}");
  ck_assert_str_eq(taken(&scheduling, 1, MANY), "a b");
  ck_assert_str_eq(decided(&scheduling), "4; -");
  change(&scheduling, "ResourceBinding", "a",
         "{status: {aggregatedStatus: [{clusterName: m1, health: Healthy, applied: true}]}}");
  change(&scheduling, "ResourceBinding", "b", "{spec: {replicas: 5}}");
  ck_assert_str_eq(taken(&scheduling, 1, MANY), "a b");
  ck_assert_str_eq(decided(&scheduling), "-; -");
  /* deleted: nothing is assumed */
  ck_assert_int_eq(rebal_store_remove(scheduling.store, find(scheduling.store, "ResourceBinding", "ns", "a"), NULL),
                   REBAL_OK);
  change(&scheduling, "Cluster", "m1", "{metadata: {labels: {a: b}}}");
  ck_assert_str_eq(taken(&scheduling, 1, MANY), "b");
  ck_assert_str_eq(decided(&scheduling), "5");
  /* too long ago */
  change(&scheduling, "ResourceBinding", "b", "{spec: {replicas: 9}}");
  ck_assert_str_eq(taken(&scheduling, 1, MANY), "b");
  ck_assert_str_eq(decided(&scheduling), "-");
  change(&scheduling, "ResourceBinding", "b", "{spec: {replicas: 8}}");
  ck_assert_str_eq(taken(&scheduling, 60, MANY), "b");
  ck_assert_str_eq(decided(&scheduling), "8");
  close_scheduling(&scheduling);
}
END_TEST

/* If the write of a row fails, the second call reports it, and its capacity is free for others. */
START_TEST(test_a_failed_write_is_decided_on_again) {
  const rebal_scheduler_feed_opts assumes = {.struct_size = sizeof assumes, .assumed_ns = 60 * SECOND};
  struct scheduling scheduling =
      open_scheduling(CLUSTER("m1", "5", "") BINDING("a", "3", "") BINDING("b", "3", ""), &assumes);
  rebal_schedule_opts opts = {.struct_size = sizeof opts, .max_work = 1};
  const int64_t *kinds, *ordinals, *states;
  size_t n;
  ck_assert_str_eq(taken(&scheduling, 0, MANY), "a b");
  ck_assert_int_eq(
      rebal_scheduler_feed_step(scheduling.ctx, scheduling.feed, &scheduling.now, &opts, scheduling.result, NULL),
      REBAL_OK);
  kinds = rebal_result_i64(scheduling.result, REBAL_ACTION_KIND, &n);
  ordinals = rebal_result_i64(scheduling.result, REBAL_ACTION_ORDINAL, NULL);
  for (size_t i = 0; i < n; i++) {
    if (kinds[i] == REBAL_ACTION_KIND_PATCH_SPEC || kinds[i] == REBAL_ACTION_KIND_PATCH_METADATA) {
      const rebal_observation denied = {
          .struct_size = sizeof denied, .outcome = REBAL_OBSERVED_DENIED, .ordinal = ordinals[i]};
      ck_assert_int_eq(rebal_observations_add(scheduling.observations, &denied, NULL), REBAL_OK);
    }
  }
  opts.observations = scheduling.observations;
  ck_assert_int_eq(
      rebal_scheduler_feed_step(scheduling.ctx, scheduling.feed, &scheduling.now, &opts, scheduling.result, NULL),
      REBAL_OK);
  states = rebal_result_i64(scheduling.result, REBAL_STEP_STATE, &n);
  ck_assert_uint_eq(n, 1);
  ck_assert_int_eq(states[0], REBAL_STEP_STATE_RETRY);
  opts = (rebal_schedule_opts){.struct_size = sizeof opts, .first_row = 1};
  ck_assert_int_eq(
      rebal_scheduler_feed_step(scheduling.ctx, scheduling.feed, &scheduling.now, &opts, scheduling.result, NULL),
      REBAL_OK);
  ck_assert_int_eq(rebal_result_i64(scheduling.result, REBAL_DECISION_OUTCOME, &n)[0], REBAL_OUTCOME_SCHEDULED);
  ck_assert_str_eq(taken(&scheduling, 1, MANY), "a");
  close_scheduling(&scheduling);
}
END_TEST

/* The program ended before it wrote the status, or could not write it. */
START_TEST(test_what_was_not_finished) {
  struct scheduling scheduling = open_scheduling(CLUSTER("m1", "5", "") BINDING("a", "3", ""), NULL);
  const uint32_t binding = find(scheduling.store, "ResourceBinding", "ns", "a");
  ck_assert_str_eq(taken(&scheduling, 0, MANY), "a");
  ck_assert_str_eq(decided(&scheduling), "3");
  change(&scheduling, "ResourceBinding", "a", "{status: {conditions: null}}");
  ck_assert_str_eq(taken(&scheduling, 1, MANY), "a");
  ck_assert_str_eq(decided(&scheduling), "3");
  assert_member(scheduling.store, binding, "status.conditions[0].status", "True");
  change(&scheduling, "ResourceBinding", "a", "{status: {conditions: [{type: Scheduled, status: \"False\"}]}}");
  change(&scheduling, "ResourceBinding", "a", "{spec: {suspension: {dispatching: true}}}");
  ck_assert_str_eq(taken(&scheduling, 1, MANY), "a");
  ck_assert_str_eq(decided(&scheduling), "3");
  assert_member(scheduling.store, binding, "status.conditions[0].status", "True");
  change(&scheduling, "ResourceBinding", "a", "{spec: {suspension: null}}");
  ck_assert_str_eq(taken(&scheduling, 1, MANY), "a");
  ck_assert_str_eq(decided(&scheduling), "-"); /* all is written */
  close_scheduling(&scheduling);
}
END_TEST

/* A binding whose turn is given up in the middle is taken again. */
START_TEST(test_a_turn_that_waits) {
  struct scheduling scheduling = open_scheduling(CLUSTER("m1", "5", "") BINDING("a", "3", ""), NULL);
  const rebal_schedule_opts opts = {.struct_size = sizeof opts, .observations = scheduling.observations};
  ck_assert_str_eq(taken(&scheduling, 0, MANY), "a");
  for (size_t i = 0; i < 2; i++) {
    ck_assert_int_eq(rebal_scheduler_feed_step(scheduling.ctx, scheduling.feed, &scheduling.now, i == 0 ? NULL : &opts,
                                               scheduling.result, NULL),
                     REBAL_OK);
  }
  ck_assert_int_eq(rebal_result_i64(scheduling.result, REBAL_STEP_STATE, NULL)[0], REBAL_STEP_STATE_WAITING);
  ck_assert_str_eq(taken(&scheduling, 1, MANY), "a");
  close_scheduling(&scheduling);
}
END_TEST

/* An update takes nothing, and a step before the next take decides on nothing. */
START_TEST(test_what_is_not_taken_is_left_alone) {
  struct scheduling scheduling = open_scheduling(CLUSTER("m1", "9", "") BINDING("a", "1", ""), NULL);
  ck_assert_int_eq(rebal_scheduler_feed_update(scheduling.feed, &scheduling.now, NULL), REBAL_OK);
  ck_assert_str_eq(decided(&scheduling), "");
  ck_assert_uint_eq(rebal_result_count(scheduling.result, REBAL_TABLE_STEP), 0);
  ck_assert_str_eq(taken(&scheduling, 0, MANY), "a");
  close_scheduling(&scheduling);
}
END_TEST

START_TEST(test_arguments) {
  struct scheduling scheduling = open_scheduling(CLUSTER("m1", "9", ""), NULL);
  const rebal_scheduler_feed_opts negative = {.struct_size = sizeof negative, .assumed_ns = -1};
  const rebal_scheduler_feed_opts flagged = {.struct_size = sizeof flagged, .flags = 1};
  rebal_schedule_opts named = {.struct_size = sizeof named, .scheduler_name = "x", .scheduler_name_len = 1};
  rebal_scheduler_feed *feed = NULL;
  size_t n;
  ck_assert_int_eq(rebal_scheduler_feed_new(scheduling.store, scheduling.fleet, &negative, &feed, NULL), REBAL_ERANGE);
  ck_assert_int_eq(rebal_scheduler_feed_new(scheduling.store, scheduling.fleet, &flagged, &feed, NULL),
                   REBAL_EUNSUPPORTED);
  ck_assert_int_eq(rebal_scheduler_feed_take(scheduling.feed, &scheduling.now, MANY, &n, NULL), REBAL_ESTATE);
  ck_assert_int_eq(
      rebal_scheduler_feed_step(scheduling.ctx, scheduling.feed, &scheduling.now, NULL, scheduling.result, NULL),
      REBAL_ESTATE);
  ck_assert_int_eq(rebal_scheduler_feed_update(scheduling.feed, NULL, NULL), REBAL_EINVAL);
  ck_assert_str_eq(taken(&scheduling, 0, MANY), "");
  ck_assert_int_eq(
      rebal_scheduler_feed_step(scheduling.ctx, scheduling.feed, &scheduling.now, &named, scheduling.result, NULL),
      REBAL_EINVAL);
  ck_assert_str_eq(decided(&scheduling), "");
  close_scheduling(&scheduling);
}
END_TEST

UNIT_CASE(scheduler_feed) {
  TCase *cases = tcase_create("scheduler_feed");
  tcase_add_test(cases, test_higher_priorities_come_first);
  tcase_add_test(cases, test_events_of_bindings);
  tcase_add_test(cases, test_events_of_clusters);
  tcase_add_test(cases, test_what_failed_comes_again);
  tcase_add_test(cases, test_what_is_assumed);
  tcase_add_test(cases, test_a_failed_write_is_decided_on_again);
  tcase_add_test(cases, test_what_was_not_finished);
  tcase_add_test(cases, test_a_turn_that_waits);
  tcase_add_test(cases, test_what_is_not_taken_is_left_alone);
  tcase_add_test(cases, test_arguments);
  return cases;
}
