/* SPDX-License-Identifier: MIT */
/* tests/unit/manifest/steps.h - steps over a store, whose actions it carries out, or an API server answers. */
#ifndef STEPS_H
#define STEPS_H

#include "manifest/store/requests.h"
#include "stores.h"

#define REBALANCER                                                                                                 \
  "apiVersion: apps.karmada.io/v1alpha1\nkind: WorkloadRebalancer\nmetadata: {name: demo, generation: 1, uid: u, " \
  "resourceVersion: '3', creationTimestamp: '2026-03-14T08:00:00Z'}\n"                                             \
  "spec: {workloads: [{apiVersion: apps/v1, kind: Deployment, name: foo, namespace: default}]}\n"
#define BINDING                                                                                                    \
  "---\napiVersion: work.karmada.io/v1alpha2\nkind: ResourceBinding\nmetadata: {name: foo-deployment, uid: b, "    \
  "namespace: default, generation: 5, resourceVersion: '41', labels: {propagationpolicy.karmada.io/permanent-id: " \
  "p}}\n"

/* One run of a step over a store. */
struct run {
  rebal_store *store;
  rebal_builder *builder;
  rebal_observations *observations;
  rebal_ctx *ctx;
  rebal_result *result;
};

static inline struct run run_new(const char *text) {
  struct run run = {.store = store_of(text)};
  ck_assert_int_eq(rebal_builder_new(NULL, &run.builder, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_observations_new(NULL, &run.observations, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_ctx_new(NULL, NULL, &run.ctx, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_result_new(NULL, &run.result, NULL), REBAL_OK);
  return run;
}

static inline void run_free(struct run *run) {
  rebal_result_free(run->result);
  rebal_ctx_free(run->ctx);
  rebal_observations_free(run->observations);
  rebal_builder_free(run->builder);
  rebal_store_free(run->store);
}

/* The next call of the rebalancer's step; returns its state. */
static inline int64_t step(struct run *run, const rebal_record *record) {
  const rebal_rebalancer_opts opts = {.struct_size = sizeof opts, .observations = run->observations};
  const rebal_time now = time_of(NOW);
  rebal_error err = REBAL_ERROR_INIT;
  size_t n = 0;
  ck_assert_msg(rebal_rebalancer_step(run->ctx, record, &now, &opts, run->result, &err) == REBAL_OK, "%s", err.message);
  return rebal_result_i64(run->result, REBAL_STEP_STATE, &n)[0];
}

static inline int64_t kind_of(const struct run *run, size_t action) {
  size_t n = 0;
  return rebal_result_i64(run->result, REBAL_ACTION_KIND, &n)[action];
}

static inline const rebal_record *rebalancer(struct run *run) {
  const rebal_record *record = NULL;
  const uint32_t object = find(run->store, "WorkloadRebalancer", "", "demo");
  ck_assert_int_eq(rebal_store_record(run->store, object, run->builder, &record, NULL), REBAL_OK);
  return record;
}

#define CLUSTERS                                                                                \
  "---\napiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\nmetadata: {name: m}\nstatus: {" \
  "apiEnablements: "                                                                            \
  "[{groupVersion: apps/v1, resources: [{kind: Deployment}]}]}\n"
#define SPEC(names)                                                                                        \
  "spec: {replicas: 2, clusters: [{name: old, replicas: 2}], resource: {apiVersion: apps/v1, "             \
  "kind: Deployment, "                                                                                     \
  "name: foo, namespace: default, uid: d}, placement: {clusterAffinity: {clusterNames: [" names            \
  "]}}}\n"                                                                                                 \
  "status: {conditions: [{type: FullyApplied, status: 'True', reason: R, message: M, lastTransitionTime: " \
  "'2026-01-01T00:00:00Z', "                                                                               \
  "observedGeneration: 3}]}\n"

/* The scheduler's turn over all bindings of the run's store; a new one takes its writes as done. */
static inline void schedule(struct run *run, int is_new) {
  const rebal_schedule_opts opts = {.struct_size = sizeof opts, .observations = run->observations};
  const rebal_time now = time_of(NOW);
  rebal_fleet *fleet = NULL;
  rebal_bindings *bindings = NULL;
  rebal_snapshot *snapshot = NULL;
  rebal_ctx *ctx = NULL;
  rebal_error err = REBAL_ERROR_INIT;
  if (is_new) {
    rebal_observations_reset(run->observations);
  }
  ck_assert_int_eq(rebal_fleet_new(NULL, &fleet, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_feed_clusters(run->store, fleet, NULL, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_bindings_new(fleet, NULL, &bindings, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_feed_bindings(run->store, fleet, NULL, 0, bindings, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_bindings_freeze(bindings, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_freeze(fleet, &snapshot, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_ctx_new(NULL, NULL, &ctx, NULL), REBAL_OK);
  ck_assert_msg(
      rebal_scheduler_step(ctx, snapshot, bindings, &now, is_new ? NULL : &opts, run->result, &err) == REBAL_OK, "%s",
      err.message);
  rebal_ctx_free(ctx);
  rebal_snapshot_unref(snapshot);
  rebal_bindings_free(bindings);
  rebal_fleet_free(fleet);
}

static inline size_t find_action(const struct run *run, int64_t kind) {
  size_t i = 0;
  while (i < rebal_result_count(run->result, REBAL_TABLE_ACTION) && kind_of(run, i) != kind) {
    i++;
  }
  ck_assert_uint_lt(i, rebal_result_count(run->result, REBAL_TABLE_ACTION));
  return i;
}

#endif
