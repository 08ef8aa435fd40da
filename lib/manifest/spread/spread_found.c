/* SPDX-License-Identifier: MIT */
/*
 * Finds the pods of a workload (rebalance-workloadspread(7) 1.4): those owned by its uid or, for a Deployment, by its
 * ReplicaSets.
 */
#include "manifest/spread/spread_feed.h"

#include <string.h>

static const json_t *metadata_of(const json_t *tree) {
  return rebali_member(tree, "metadata");
}

static const char *uid_of(const json_t *tree) {
  return rebali_member_text(metadata_of(tree), "uid");
}

static int is_deleting(const json_t *tree) {
  return rebali_member(metadata_of(tree), "deletionTimestamp") != NULL;
}

/* ---- ReplicaSets of a Deployment ---- */

/* Returns an unset time if there is none. */
static rebal_time creation_of(const json_t *tree) {
  const char *text = rebali_member_text(metadata_of(tree), "creationTimestamp");
  rebal_time time = {0, 0, 0};
  return rebali_time_parse(text, strlen(text), &time, NULL) == REBAL_OK ? time : (rebal_time){0, 0, 0};
}

static int is_older(const rebal_time *left, const rebal_time *right) {
  if (left->is_set != right->is_set) {
    return left->is_set < right->is_set;
  }
  return left->seconds != right->seconds ? left->seconds < right->seconds : left->nanos < right->nanos;
}

/* Inserts by age, older first; those of one time stay in the order of names. */
static int32_t insert(json_t *list, json_t *replica_set, rebal_error *err) {
  const rebal_time created = creation_of(replica_set);
  size_t place = json_array_size(list);
  for (; place > 0; place--) {
    const rebal_time before = creation_of(json_array_get(list, place - 1));
    if (!is_older(&created, &before)) {
      break;
    }
  }
  return json_array_insert(list, place, replica_set) == 0 ? REBAL_OK : rebali_fail_memory(err);
}

static int is_of(const json_t *replica_set, const json_t *deployment) {
  return !is_deleting(replica_set) &&
         strcmp(rebali_member_text(rebali_controller_reference(replica_set), "uid"), uid_of(deployment)) == 0 &&
         rebali_selector_matches(rebali_member(rebali_member(deployment, "spec"), "selector"),
                                 rebali_member(metadata_of(replica_set), "labels"));
}

static const char *namespace_of(const json_t *tree) {
  return rebali_member_text(metadata_of(tree), "namespace");
}

static int32_t add_replica_set(rebal_spread_feed *feed, uint32_t object, struct rebali_fed_workload *workload,
                               rebal_error *err) {
  json_t *tree;
  int32_t result = rebali_store_share(feed->store, object, &tree, err);
  if (result == REBAL_OK && is_of(tree, workload->tree)) {
    result = insert(workload->replica_sets, tree, err);
  }
  json_decref(tree);
  return result;
}

static int32_t find_replica_sets(rebal_spread_feed *feed, struct rebali_fed_workload *workload, rebal_error *err) {
  const struct rebali_children *children;
  int32_t result =
      rebali_children_find(feed, namespace_of(workload->tree), uid_of(workload->tree), REBAL_NONE, &children, err);
  workload->replica_sets = json_array();
  if (result == REBAL_OK && workload->replica_sets == NULL) {
    result = rebali_fail_memory(err);
  }
  for (size_t i = 0; result == REBAL_OK && children != NULL && i < children->n; i++) {
    if (rebali_feed_is(feed, children->objects[i], "apps", "ReplicaSet")) {
      result = add_replica_set(feed, children->objects[i], workload, err);
    }
  }
  return result;
}

int32_t rebali_workload_open(rebal_spread_feed *feed, uint32_t object, struct rebali_fed_workload *out,
                             rebal_error *err) {
  json_t *tree;
  int32_t result;
  *out = (struct rebali_fed_workload){NULL, NULL};
  if (object == REBAL_NONE) {
    return REBAL_OK;
  }
  result = rebali_store_share(feed->store, object, &tree, err);
  out->tree = tree;
  return result == REBAL_OK && rebali_feed_is(feed, object, "apps", "Deployment") ? find_replica_sets(feed, out, err)
                                                                                  : result;
}

void rebali_workload_close(struct rebali_fed_workload *workload) {
  json_decref(workload->replica_sets);
  json_decref((json_t *)(uintptr_t)workload->tree);
}

/* ---- pods ---- */

/* Matches the labels of a pod of the store. */
static int32_t is_selected(rebal_spread_feed *feed, uint32_t object, const json_t *selector, int *out,
                           rebal_error *err) {
  json_t *tree;
  const int32_t result = rebali_store_share(feed->store, object, &tree, err);
  *out = result == REBAL_OK && rebali_selector_matches(selector, rebali_member(metadata_of(tree), "labels"));
  json_decref(tree);
  return result;
}

/* selector NULL: all of them. */
static int32_t add_pods(rebal_spread_feed *feed, struct rebali_fed_spread *fed, const struct rebali_children *children,
                        const json_t *selector, rebal_error *err) {
  int32_t result = rebali_reserve_malloc(&fed->rows, &fed->capacity, fed->n_rows + children->n, sizeof *fed->rows, err);
  for (size_t i = 0; result == REBAL_OK && i < children->n; i++) {
    const uint32_t object = children->objects[i], row = feed->fed[object].row;
    int is_wanted = row != REBAL_NONE;
    if (is_wanted && selector != NULL) {
      result = is_selected(feed, object, selector, &is_wanted, err);
    }
    fed->rows[fed->n_rows] = row;
    fed->n_rows += (size_t)is_wanted;
  }
  return result;
}

/* Makes the WorkloadSpread due when the owner's children change. */
static int32_t watch(rebal_spread_feed *feed, const struct rebali_fed_spread *fed, const json_t *owner,
                     const struct rebali_children **out, rebal_error *err) {
  return rebali_children_find(feed, namespace_of(owner), uid_of(owner), fed->object, out, err);
}

static int32_t add_children(rebal_spread_feed *feed, struct rebali_fed_spread *fed, const json_t *owner,
                            const json_t *selector, rebal_error *err) {
  const struct rebali_children *children;
  const int32_t result = watch(feed, fed, owner, &children, err);
  return result == REBAL_OK && children != NULL ? add_pods(feed, fed, children, selector, err) : result;
}

/* Adds pods of the ReplicaSets; of the Deployment itself if it has none. */
static int32_t add_of_deployment(rebal_spread_feed *feed, struct rebali_fed_spread *fed,
                                 const struct rebali_fed_workload *workload, rebal_error *err) {
  const size_t n = json_array_size(workload->replica_sets);
  int32_t result = n == 0 ? add_children(feed, fed, workload->tree, NULL, err) : REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < n; i++) {
    result = add_children(feed, fed, json_array_get(workload->replica_sets, i), NULL, err);
  }
  return result;
}

/* The workload must exist. */
static int32_t add_rows(rebal_spread_feed *feed, struct rebali_fed_spread *fed, const json_t *spec,
                        const struct rebali_fed_workload *workload, rebal_error *err) {
  const json_t *tree = workload->tree, *selector = rebali_member(rebali_member(tree, "spec"), "selector");
  if (strcmp(rebali_member_text(tree, "kind"), "Job") == 0) {
    return selector != NULL ? add_children(feed, fed, tree, selector, err) : REBAL_OK;
  }
  if (is_deleting(tree) || rebali_workload_replicas(spec, tree) == 0) {
    return REBAL_OK;
  }
  return workload->replica_sets != NULL ? add_of_deployment(feed, fed, workload, err)
                                        : add_children(feed, fed, tree, NULL, err);
}

int32_t rebali_spread_rows(rebal_spread_feed *feed, struct rebali_fed_spread *fed, const json_t *spec,
                           const struct rebali_fed_workload *workload, rebal_error *err) {
  const struct rebali_children *children;
  int32_t result;
  fed->n_rows = 0;
  if (workload->tree == NULL) {
    return REBAL_OK;
  }
  result = watch(feed, fed, workload->tree, &children, err); /* ReplicaSets matter even if pods do not */
  return result == REBAL_OK ? add_rows(feed, fed, spec, workload, err) : result;
}
