/* SPDX-License-Identifier: MIT */
/* The pods of a workload (spec workloadspread 1.4): those that its uid owns, or of a Deployment its ReplicaSets. */
#include "spread_feed.h"

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

/* Unset when there is none. */
static rebal_time creation_of(const json_t *tree) {
  const char *text = rebali_member_text(metadata_of(tree), "creationTimestamp");
  rebal_time time = {0, 0, 0};
  return rebal_time_parse(text, strlen(text), &time, NULL) == REBAL_OK ? time : (rebal_time){0, 0, 0};
}

static int is_older(const rebal_time *left, const rebal_time *right) {
  if (left->is_set != right->is_set) {
    return left->is_set < right->is_set;
  }
  return left->seconds != right->seconds ? left->seconds < right->seconds : left->nanos < right->nanos;
}

/* Older first; those of one time stay by name. */
static int32_t insert(json_t *list, json_t *replica_set, rebal_error *err) {
  const rebal_time created = creation_of(replica_set);
  size_t place = json_array_size(list);
  for (; place > 0; place--) {
    const rebal_time before = creation_of(json_array_get(list, place - 1));
    if (!is_older(&created, &before)) {
      break;
    }
  }
  return json_array_insert(list, place, replica_set) == 0 ? REBAL_OK : rebali_manifest_fail_memory(err);
}

static int is_of(const json_t *replica_set, const json_t *deployment) {
  return !is_deleting(replica_set) &&
         strcmp(rebali_member_text(rebali_controller_reference(replica_set), "uid"), uid_of(deployment)) == 0 &&
         rebali_selector_matches(rebali_member(rebali_member(deployment, "spec"), "selector"),
                                 rebali_member(metadata_of(replica_set), "labels"));
}

/* Of the children of a uid, is the one of this kind and of the namespace? */
static int is_child(const rebal_spread_feed *feed, uint32_t object, const char *group, const char *kind,
                    const char *namespace_name) {
  return rebali_feed_is(feed, object, group, kind) &&
         strcmp(rebali_feed_object(feed, object)->namespace_name, namespace_name) == 0;
}

static int32_t find_replica_sets(rebal_spread_feed *feed, const char *namespace_name, struct rebali_workload *workload,
                                 rebal_error *err) {
  const struct rebali_children *children = rebali_children_of(feed, uid_of(workload->tree));
  int32_t result = REBAL_OK;
  workload->replica_sets = json_array();
  if (workload->replica_sets == NULL) {
    return rebali_manifest_fail_memory(err);
  }
  for (size_t i = 0; result == REBAL_OK && children != NULL && i < children->n; i++) {
    json_t *tree = NULL;
    if (is_child(feed, children->objects[i], "apps", "ReplicaSet", namespace_name)) {
      result = rebali_store_share(feed->store, children->objects[i], &tree, err);
    }
    if (result == REBAL_OK && tree != NULL && is_of(tree, workload->tree)) {
      result = insert(workload->replica_sets, tree, err);
    }
    json_decref(tree);
  }
  return result;
}

int32_t rebali_workload_open(rebal_spread_feed *feed, uint32_t object, struct rebali_workload *out, rebal_error *err) {
  json_t *tree;
  int32_t result;
  *out = (struct rebali_workload){NULL, NULL};
  if (object == REBAL_NONE) {
    return REBAL_OK;
  }
  result = rebali_store_share(feed->store, object, &tree, err);
  out->tree = tree;
  return result == REBAL_OK && rebali_feed_is(feed, object, "apps", "Deployment")
             ? find_replica_sets(feed, rebali_feed_object(feed, object)->namespace_name, out, err)
             : result;
}

void rebali_workload_close(struct rebali_workload *workload) {
  json_decref(workload->replica_sets);
  json_decref((json_t *)(uintptr_t)workload->tree);
}

/* ---- pods ---- */

static int32_t add_row(const rebal_spread_feed *feed, struct rebali_fed_spread *fed, uint32_t object,
                       rebal_error *err) {
  const int32_t result =
      rebali_feed_reserve((void **)&fed->rows, &fed->capacity, fed->n_rows + 1, sizeof *fed->rows, err);
  if (result == REBAL_OK) {
    fed->rows[fed->n_rows++] = feed->fed[object].row;
  }
  return result;
}

/* Do the labels of a pod of the store match? */
static int32_t is_selected(rebal_spread_feed *feed, uint32_t object, const json_t *selector, int *out,
                           rebal_error *err) {
  json_t *tree;
  const int32_t result = rebali_store_share(feed->store, object, &tree, err);
  *out = result == REBAL_OK && rebali_selector_matches(selector, rebali_member(metadata_of(tree), "labels"));
  json_decref(tree);
  return result;
}

/* selector NULL: all of them. */
static int32_t add_children(rebal_spread_feed *feed, struct rebali_fed_spread *fed, const char *uid,
                            const json_t *selector, rebal_error *err) {
  const struct rebali_children *children = rebali_children_of(feed, uid);
  const char *namespace_name = rebali_feed_object(feed, fed->object)->namespace_name;
  int32_t result = rebali_put(fed->uids, uid, json_true(), err);
  for (size_t i = 0; result == REBAL_OK && children != NULL && i < children->n; i++) {
    const uint32_t object = children->objects[i];
    int is_wanted = is_child(feed, object, "", "Pod", namespace_name);
    if (is_wanted && selector != NULL) {
      result = is_selected(feed, object, selector, &is_wanted, err);
    }
    if (result == REBAL_OK && is_wanted) {
      result = add_row(feed, fed, object, err);
    }
  }
  return result;
}

/* Pods of the ReplicaSets; of the Deployment itself when it has none. */
static int32_t add_of_deployment(rebal_spread_feed *feed, struct rebali_fed_spread *fed,
                                 const struct rebali_workload *workload, rebal_error *err) {
  const size_t n = json_array_size(workload->replica_sets);
  int32_t result = n == 0 ? add_children(feed, fed, uid_of(workload->tree), NULL, err) : REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < n; i++) {
    result = add_children(feed, fed, uid_of(json_array_get(workload->replica_sets, i)), NULL, err);
  }
  return result;
}

/* Of a workload that is there. */
static int32_t add_rows(rebal_spread_feed *feed, struct rebali_fed_spread *fed, const json_t *spec,
                        const struct rebali_workload *workload, rebal_error *err) {
  const json_t *tree = workload->tree, *selector = rebali_member(rebali_member(tree, "spec"), "selector");
  if (strcmp(rebali_member_text(tree, "kind"), "Job") == 0) {
    return selector != NULL ? add_children(feed, fed, uid_of(tree), selector, err) : REBAL_OK;
  }
  if (is_deleting(tree) || rebali_workload_replicas(spec, tree) == 0) {
    return REBAL_OK;
  }
  return workload->replica_sets != NULL ? add_of_deployment(feed, fed, workload, err)
                                        : add_children(feed, fed, uid_of(tree), NULL, err);
}

int32_t rebali_spread_rows(rebal_spread_feed *feed, struct rebali_fed_spread *fed, const json_t *spec,
                           const struct rebali_workload *workload, rebal_error *err) {
  int32_t result;
  json_decref(fed->uids);
  fed->uids = json_object();
  fed->n_rows = 0;
  if (workload->tree == NULL) {
    return fed->uids != NULL ? REBAL_OK : rebali_manifest_fail_memory(err);
  }
  result = rebali_put(fed->uids, uid_of(workload->tree), json_true(), err);
  return result == REBAL_OK ? add_rows(feed, fed, spec, workload, err) : result;
}
