/* SPDX-License-Identifier: MIT */
/* Plans over clusters m1 and m2 and their effect in m1, for the tests of this folder. */
#ifndef PLAN_MEMBERS_H
#define PLAN_MEMBERS_H

#include "running.h"

#include <rebalance/spreading.h>

#define OWNER(kind, name, uid) "{apiVersion: apps/v1, kind: " kind ", name: " name ", uid: " uid ", controller: true}"
#define DEPLOYMENT_APIS "{groupVersion: apps/v1, resources: [{kind: Deployment, name: deployments}]}"
#define PLAN_CLUSTER(name)                                                                                        \
  "---\napiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\nmetadata: {name: " name "}\nspec: {syncMode: Push}\n" \
  "status: {apiEnablements: [" DEPLOYMENT_APIS ", {groupVersion: apps.kruise.io/v1alpha1, resources: "              \
  "[{kind: CloneSet, name: clonesets}]}, {groupVersion: apps/v1, resources: [{kind: StatefulSet, name: s}]}, "      \
  "{groupVersion: batch/v1, resources: [{kind: Job, name: jobs}]}], "                                               \
  "resourceSummary: {allocatable: {cpu: \"1000\", pods: \"10000\"}}}\n"
/* A binding of a workload: its replicas in m1 and m2, and the weights of both that the plan uses. */
#define BINDING(name, api, kind, replicas, clusters, weight1, weight2)                                               \
  "---\napiVersion: work.karmada.io/v1alpha2\nkind: ResourceBinding\nmetadata: {name: " name                         \
  ", namespace: default, uid: b-" name ", labels: {propagationpolicy.karmada.io/permanent-id: p}}\n"                 \
  "spec:\n  resource: {apiVersion: " api ", kind: " kind ", namespace: default, name: " name ", uid: t-" name "}\n"  \
  "  replicas: " replicas "\n  clusters: [" clusters "]\n"                                                           \
  "  placement: {replicaScheduling: {replicaSchedulingType: Divided, replicaDivisionPreference: Weighted, "          \
  "weightPreference: {staticWeightList: [{targetCluster: {clusterNames: [m1]}, weight: " weight1                     \
  "}, {targetCluster: {clusterNames: [m2]}, weight: " weight2 "}]}}}\n"
#define IN(cluster, replicas) "{name: " cluster ", replicas: " replicas "}"

static const rebal_time member_now = {1704110400, 0, 1}; /* 2024-01-01T12:00:00Z */

/* A control plane, a plan of all its bindings, and the objects of m1. */
struct plan_world {
  rebal_store *store, *member;
  rebal_plan *plan;
  rebal_result *rows; /* of the plan */
  uint32_t cluster;   /* m1 */
};

static inline rebal_store *store_of(const char *text) {
  rebal_error err = REBAL_ERROR_INIT;
  rebal_store *store = NULL;
  ck_assert_int_eq(rebal_store_new(NULL, &store, NULL), REBAL_OK);
  ck_assert_msg(rebal_store_put(store, text, strlen(text), &err) == REBAL_OK, "%s at %s, document %u", err.message,
                err.field, err.document);
  return store;
}

static inline void open_plan_world(struct plan_world *world, const char *objects, const char *member) {
  rebal_error err = REBAL_ERROR_INIT;
  rebal_fleet *fleet = NULL;
  rebal_bindings *bindings = NULL;
  rebal_snapshot *snapshot = NULL;
  rebal_ctx *ctx = NULL;
  world->store = store_of(objects);
  world->member = store_of(member);
  world->plan = NULL;
  world->rows = NULL;
  ck_assert_int_eq(rebal_fleet_new(NULL, &fleet, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_bindings_new(fleet, NULL, &bindings, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_ctx_new(NULL, NULL, &ctx, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_result_new(NULL, &world->rows, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_feed_clusters(world->store, fleet, NULL, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_feed_bindings(world->store, fleet, NULL, 0, bindings, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_bindings_freeze(bindings, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_freeze(fleet, &snapshot, NULL), REBAL_OK);
  ck_assert_msg(rebal_plan_make(ctx, snapshot, bindings, &member_now, NULL, &world->plan, &err) == REBAL_OK, "%s",
                err.message);
  ck_assert_int_eq(rebal_plan_read(world->plan, world->rows, NULL), REBAL_OK);
  world->cluster = rebal_snapshot_find_cluster(snapshot, "m1", 2);
  rebal_ctx_free(ctx);
  rebal_bindings_free(bindings);
  rebal_snapshot_unref(snapshot);
  rebal_fleet_free(fleet);
}

static inline void close_plan_world(struct plan_world *world) {
  rebal_plan_free(world->plan);
  rebal_result_free(world->rows);
  rebal_store_free(world->store);
  rebal_store_free(world->member);
}

#define MEMBER_ROWS 64

/* The rows that the call returns. */
struct member_answer {
  uint32_t bindings[MEMBER_ROWS], states[MEMBER_ROWS], pods[MEMBER_ROWS], rules[MEMBER_ROWS], spreads[MEMBER_ROWS],
      subsets[MEMBER_ROWS];
  size_t n;
};

static inline void query_member(const struct plan_world *world, struct member_answer *answer) {
  rebal_member_rows rows = {.struct_size = sizeof rows, .capacity = MEMBER_ROWS, .bindings = answer->bindings,
                            .states = answer->states, .pods = answer->pods, .rules = answer->rules,
                            .spreads = answer->spreads, .subsets = answer->subsets};
  rebal_error err = REBAL_ERROR_INIT;
  ck_assert_msg(rebal_plan_member(world->plan, world->store, world->cluster, world->member, &member_now, NULL, &rows,
                                  &err) == REBAL_OK,
                "%s at %s", err.message, err.field);
  ck_assert_uint_le(rows.n, MEMBER_ROWS);
  answer->n = (size_t)rows.n;
}

/* A row as text: the state, the pod, the subset; a dash if there is none. */
static inline void print_answer(const struct plan_world *world, const struct member_answer *answer,
                                struct rebali_buffer *out) {
  for (size_t i = 0; i < answer->n; i++) {
    const char *pod = rebal_store_identity(world->member, answer->pods[i], REBAL_IDENTITY_NAME, NULL);
    rebali_buffer_format(out, "%s%s", i > 0 ? ", " : "",
                         rebal_enum_name(REBAL_ENUM_MEMBER_REPLICA, answer->states[i], NULL));
    if (answer->pods[i] != REBAL_NONE) {
      rebali_buffer_format(out, " %s", pod);
    }
    if (answer->subsets[i] != REBAL_NONE) {
      rebali_buffer_format(out, " %s/%u",
                           rebal_store_identity(world->member, answer->spreads[i], REBAL_IDENTITY_NAME, NULL),
                           answer->subsets[i]);
    }
  }
}

#endif
