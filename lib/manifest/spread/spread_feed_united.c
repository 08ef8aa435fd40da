/* SPDX-License-Identifier: MIT */
/* UnitedDeployments of a store: which are due, and what they control (rebalance-workloadspread(7) 13). */
#include "manifest/spread/spread_feed.h"

#include <string.h>

/* ---- controlled objects ---- */

int rebali_is_subset_workload(const rebal_spread_feed *feed, uint32_t object) {
  static const struct {
    const char *group, *kind;
  } kinds[] = {{"apps", "Deployment"},
               {"apps", "StatefulSet"},
               {"apps.kruise.io", "CloneSet"},
               {"apps.kruise.io", "StatefulSet"}};
  for (size_t i = 0; i < REBALI_COUNT(kinds); i++) {
    if (rebali_feed_is(feed, object, kinds[i].group, kinds[i].kind)) {
      return 1;
    }
  }
  return 0;
}

static int is_replica_set(const rebal_spread_feed *feed, uint32_t object) {
  return rebali_feed_is(feed, object, "apps", "ReplicaSet");
}

/* A walk over the objects that a uid controls. */
struct walk {
  rebal_spread_feed *feed;
  const char *namespace_;
  uint32_t listener;
  rebali_united_owner *call;
  void *user;
};

/* Calls the function for children of the wanted kinds that the uid controls. */
static int32_t call_for_all(const struct walk *walk, const char *uid, const struct rebali_children *children,
                            int (*is_wanted)(const rebal_spread_feed *feed, uint32_t object), rebal_error *err);

/* Pods of a Deployment are those of its ReplicaSets. */
static int32_t call_for(const struct walk *walk, uint32_t object, json_t *tree, rebal_error *err) {
  const char *uid = rebali_member_text(rebali_member(tree, "metadata"), "uid");
  const struct rebali_children *children;
  int32_t result = rebali_children_find(walk->feed, walk->namespace_, uid, walk->listener, &children, err);
  if (result == REBAL_OK) {
    result = walk->call(walk->user, object, tree, children, err);
  }
  return result == REBAL_OK && rebali_feed_is(walk->feed, object, "apps", "Deployment")
             ? call_for_all(walk, uid, children, is_replica_set, err)
             : result;
}

static int is_controlled_by(const json_t *tree, const char *uid) {
  return *uid != '\0' && strcmp(rebali_member_text(rebali_controller_reference(tree), "uid"), uid) == 0;
}

static int32_t call_for_all(const struct walk *walk, const char *uid, const struct rebali_children *children,
                            int (*is_wanted)(const rebal_spread_feed *feed, uint32_t object), rebal_error *err) {
  int32_t result = REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && children != NULL && i < children->n; i++) {
    const uint32_t object = children->objects[i];
    json_t *tree = NULL;
    if (!is_wanted(walk->feed, object) || !rebali_store_has(walk->feed->store, object)) {
      continue;
    }
    result = rebali_store_visit(walk->feed->store, object, &tree, err);
    if (result == REBAL_OK && is_controlled_by(tree, uid)) {
      result = call_for(walk, object, tree, err);
    }
    json_decref(tree);
  }
  return result;
}

int32_t rebali_united_walk(rebal_spread_feed *feed, const char *namespace_, const char *uid, uint32_t listener,
                           rebali_united_owner *call, void *user, rebal_error *err) {
  const struct walk walk = {feed, namespace_, listener, call, user};
  const struct rebali_children *children;
  const int32_t result = rebali_children_find(feed, namespace_, uid, listener, &children, err);
  return result == REBAL_OK ? call_for_all(&walk, uid, children, rebali_is_subset_workload, err) : result;
}

/* ---- due objects ---- */

int32_t rebali_feed_united(rebal_spread_feed *feed, uint32_t object, rebal_error *err) {
  struct rebali_fed *fed = &feed->fed[object];
  struct rebali_id_list *due = &feed->due_united;
  if (!rebali_store_has(feed->store, object)) {
    feed->n_united -= (size_t)fed->is_united;
    fed->is_united = 0;
    rebali_listen_no_more(feed, object);
    return REBAL_OK;
  }
  if (!fed->is_united) {
    const int32_t result =
        rebali_reserve_malloc(&due->ids, &due->capacity, due->n + feed->n_united + 1, sizeof *due->ids, err);
    if (result != REBAL_OK) {
      return result;
    }
    fed->is_united = 1;
    feed->n_united++;
  }
  rebali_due(feed, object);
  return REBAL_OK;
}

static int32_t nothing(void *user, uint32_t object, json_t *tree, const struct rebali_children *children,
                       rebal_error *err) {
  (void)user;
  (void)object;
  (void)tree;
  (void)children;
  (void)err;
  return REBAL_OK;
}

static int32_t settle(rebal_spread_feed *feed, uint32_t object, rebal_error *err) {
  rebal_error local = REBAL_ERROR_INIT;
  json_t *tree;
  int32_t result = rebali_store_visit(feed->store, object, &tree, &local);
  rebali_listen_no_more(feed, object);
  if (result == REBAL_OK) {
    result =
        rebali_united_walk(feed, rebali_feed_object(feed, object)->namespace_,
                           rebali_member_text(rebali_member(tree, "metadata"), "uid"), object, nothing, NULL, &local);
    json_decref(tree);
  }
  if (result == REBAL_OK) {
    rebali_fresh_note(feed, &feed->fresh_united, object);
  }
  return rebali_feed_refuse(feed, object, result, &local, err);
}

static int compare_due(const void *left, const void *right, const void *feed) {
  return rebali_feed_compare(feed, *(const uint32_t *)left, *(const uint32_t *)right);
}

/* Sorts by namespace and name. Without memory all of them stay due. */
int32_t rebali_feed_united_settle(rebal_spread_feed *feed, int is_whole, rebal_error *err) {
  struct rebali_id_list *due = &feed->due_united;
  struct rebali_id_list *fresh = &feed->fresh_united;
  int32_t result;
  for (uint32_t object = 0; is_whole && object < feed->n_fed; object++) {
    if (feed->fed[object].is_united) {
      rebali_due(feed, object);
    }
  }
  result = rebali_fresh_reserve(fresh, due->n, err);
  if (result == REBAL_OK && due->n > 1) { /* the reserved memory first serves as scratch space */
    rebali_sort(due->ids, due->n, sizeof *due->ids, fresh->ids + fresh->n, compare_due, feed);
  }
  for (size_t i = 0; result == REBAL_OK && i < due->n; i++) {
    if (feed->fed[due->ids[i]].is_united) {
      result = settle(feed, due->ids[i], err);
    }
  }
  for (size_t i = 0; result == REBAL_OK && i < due->n; i++) {
    feed->fed[due->ids[i]].is_due = 0;
  }
  due->n = result == REBAL_OK ? 0 : due->n;
  return result;
}
