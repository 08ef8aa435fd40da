/* SPDX-License-Identifier: MIT */
/* Shared by the tests of feeds: a store with its feed, and checks of the feed's rows as one text. */
#ifndef FEEDS_H
#define FEEDS_H

#include "manifest/spread/spread_feed.h"
#include "stores.h"

/* Objects of the namespace ns, flow mappings that end open: the rest of metadata and of the object is the test's. */
#define OBJECT_OF(version, kind, name) \
  "---\n{apiVersion: " version ", kind: " kind ", metadata: {name: " name ", namespace: ns"
#define OWNED_BY(version, kind, name, uid) \
  ", ownerReferences: [{apiVersion: " version ", kind: " kind ", name: " name ", uid: " uid ", controller: true}]"
#define DEPLOYMENT_OF(name, uid, replicas, template) \
  OBJECT_OF("apps/v1", "Deployment", name) ", uid: " uid "}, spec: {replicas: " replicas ", template: " template "}}" \
                                                                                                                 "\n"
#define REPLICA_SET_OF(name, uid, created, hash, template)                              \
  OBJECT_OF("apps/v1", "ReplicaSet", name)                                              \
  ", uid: " uid ", creationTimestamp: '" created "', labels: {pod-template-hash: " hash \
  "}" OWNED_BY("apps/v1", "Deployment", "demo", "uid-demo") "}, spec: {template: " template "}}\n"
#define POD_OF(name, kind, owner, uid, rest) \
  OBJECT_OF("v1", "Pod", name) OWNED_BY("apps/v1", kind, owner, uid) rest "}}\n"
#define SPREAD_FOR(name, version, kind, target, rest)                            \
  OBJECT_OF("apps.kruise.io/v1beta1", "WorkloadSpread", name)                    \
  "}, spec: {targetRef: {apiVersion: " version ", kind: " kind ", name: " target \
  "}, subsets: [{name: a, maxReplicas: 2}, {name: b}]" rest "}}\n"

struct feeding {
  rebal_store *store;
  rebal_fleet *fleet;
  rebal_spread_feed *feed;
  uint32_t cluster;
};

static inline void feeding_update(const struct feeding *feeding) {
  rebal_error err = REBAL_ERROR_INIT;
  const int32_t result = rebal_spread_feed_update(feeding->feed, &err);
  ck_assert_msg(result == REBAL_OK, "%s (%s)", err.message, err.field);
}

static inline struct feeding feeding_open(const char *text) {
  struct feeding feeding = {store_of(text), NULL, NULL, REBAL_NONE};
  ck_assert_int_eq(rebal_fleet_new(NULL, &feeding.fleet, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_add_cluster(feeding.fleet, "here", 4, &feeding.cluster, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_spread_feed_new(feeding.store, feeding.fleet, feeding.cluster, &feeding.feed, NULL), REBAL_OK);
  feeding_update(&feeding);
  return feeding;
}

static inline void feeding_close(struct feeding *feeding) {
  rebal_spread_feed_free(feeding->feed);
  rebal_fleet_free(feeding->fleet);
  rebal_store_free(feeding->store);
}

/* Another state of some objects. */
static inline void feeding_load(const struct feeding *feeding, const char *text) {
  apply(feeding->store, text, NOW);
  feeding_update(feeding);
}

static inline void feeding_delete(const struct feeding *feeding, const char *kind, const char *name) {
  ck_assert_int_eq(rebal_store_remove(feeding->store, find(feeding->store, kind, "ns", name), NULL), REBAL_OK);
  feeding_update(feeding);
}

static inline uint32_t row_of(const struct feeding *feeding, const char *pod) {
  return feeding->feed->fed[find(feeding->store, "Pod", "ns", pod)].row;
}

static inline const char *pod_text(const struct feeding *feeding, const char *pod, uint32_t column) {
  return rebal_cells_get_text(rebal_pods_const_cells(feeding->feed->pods), column, REBAL_NONE, row_of(feeding, pod),
                              NULL);
}

static inline int64_t pod_number(const struct feeding *feeding, const char *pod, uint32_t column) {
  return rebal_cells_get_i64(rebal_pods_const_cells(feeding->feed->pods), column, REBAL_NONE, row_of(feeding, pod));
}

/* The names of the pods of a WorkloadSpread, in their order, must be these. */
static inline void assert_rows(const struct feeding *feeding, const char *spread, const char *wanted) {
  const uint32_t object = find(feeding->store, "WorkloadSpread", "ns", spread);
  struct rebali_buffer found = REBALI_BUFFER;
  const struct rebali_fed_spread *fed = rebali_feed_find(feeding->feed, object);
  ck_assert_ptr_nonnull(fed);
  rebali_buffer_text(&found, "");
  for (size_t i = 0; i < fed->n_rows; i++) {
    rebali_buffer_text(&found, i > 0 ? " " : "");
    rebali_buffer_text(&found, rebal_cells_get_text(rebal_pods_const_cells(feeding->feed->pods), REBAL_SPREAD_POD_NAME,
                                                    REBAL_NONE, fed->rows[i], NULL));
  }
  ck_assert_msg(strcmp(found.bytes, wanted) == 0, "%s has %s instead of %s", spread, found.bytes, wanted);
  rebali_buffer_dispose(&found);
}

/* The chain of controllers above a pod must be this: kind/name, with "?" after one that is missing. */
static inline void assert_chain(const struct feeding *feeding, const char *pod, const char *wanted) {
  const rebal_pods *pods = feeding->feed->pods;
  struct rebali_buffer found = REBALI_BUFFER;
  int64_t row = pod_number(feeding, pod, REBAL_SPREAD_POD_CONTROLLER);
  rebali_buffer_text(&found, "");
  for (; row != REBAL_ABSENT;
       row = rebal_cells_get_i64(rebal_pods_const_cells(pods), REBAL_OWNER_CONTROLLER, REBAL_NONE, (uint32_t)row)) {
    rebali_buffer_text(&found, found.len > 0 ? " " : "");
    rebali_buffer_text(
        &found, rebal_cells_get_text(rebal_pods_const_cells(pods), REBAL_OWNER_KIND, REBAL_NONE, (uint32_t)row, NULL));
    rebali_buffer_text(&found, "/");
    rebali_buffer_text(
        &found, rebal_cells_get_text(rebal_pods_const_cells(pods), REBAL_OWNER_NAME, REBAL_NONE, (uint32_t)row, NULL));
    rebali_buffer_text(&found, rebal_cells_get_i64(rebal_pods_const_cells(pods), REBAL_OWNER_STATE, REBAL_NONE,
                                                   (uint32_t)row) == REBAL_OWNER_STATE_EXISTS
                                   ? ""
                                   : "?");
  }
  ck_assert_msg(strcmp(found.bytes, wanted) == 0, "%s is below %s instead of %s", pod, found.bytes, wanted);
  rebali_buffer_dispose(&found);
}

#endif
