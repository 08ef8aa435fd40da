/* SPDX-License-Identifier: MIT */
/* Keeps WorkloadSpreads of a store, their workloads, pods and nodes up to date with it for the calls of the core. */
#include "manifest/spread/spread_feed.h"

#include <stdlib.h>
#include <string.h>

/* ---- pieces ---- */

const struct rebali_object *rebali_feed_object(const rebal_spread_feed *feed, uint32_t object) {
  return &feed->store->objects[object];
}

int rebali_feed_compare(const rebal_spread_feed *feed, uint32_t left, uint32_t right) {
  const int order = rebali_object_compare(rebali_feed_object(feed, left), rebali_feed_object(feed, right));
  return order != 0 ? order : (left > right) - (left < right);
}

int rebali_feed_is(const rebal_spread_feed *feed, uint32_t object, const char *group, const char *kind) {
  const struct rebali_object *names = rebali_feed_object(feed, object);
  const size_t len = rebali_group_len(names->api_version);
  return strcmp(names->kind, kind) == 0 && strlen(group) == len && strncmp(names->api_version, group, len) == 0;
}

/* ---- lifecycle ---- */

static int32_t open_feed(rebal_spread_feed *feed, rebal_error *err) {
  int32_t result = rebal_fleet_clear_nodes(feed->fleet, feed->cluster, err);
  if (result == REBAL_OK) {
    result = rebal_builder_new(NULL, &feed->builder, err);
  }
  if (result == REBAL_OK) {
    result = rebal_pods_new(feed->fleet, NULL, &feed->pods, err);
  }
  feed->label_keys = json_object();
  feed->owners = json_object();
  feed->children_of = json_object();
  if (result == REBAL_OK && (feed->label_keys == NULL || feed->owners == NULL || feed->children_of == NULL)) {
    result = rebali_fail_memory(err);
  }
  return result == REBAL_OK ? rebali_white_list_tree("", 0, &feed->white_list, err) : result;
}

int32_t rebal_spread_feed_new(rebal_store *store, rebal_fleet *fleet, uint32_t cluster, rebal_spread_feed **out,
                              rebal_error *err) {
  rebal_spread_feed *feed;
  int32_t result;
  if (store == NULL || fleet == NULL || out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "store, fleet and out are needed");
  }
  feed = calloc(1, sizeof *feed);
  if (feed == NULL) {
    return rebali_fail_memory(err);
  }
  feed->store = store;
  feed->fleet = fleet;
  feed->cluster = cluster;
  result = open_feed(feed, err);
  if (result != REBAL_OK) {
    rebal_spread_feed_free(feed);
    return result;
  }
  *out = feed;
  return REBAL_OK;
}

void rebal_spread_feed_free(rebal_spread_feed *feed) {
  if (feed == NULL) {
    return;
  }
  rebali_feed_spreads_free(feed);
  rebali_children_free(feed);
  for (size_t i = 0; i < feed->n_fed; i++) {
    json_decref(feed->fed[i].owners);
  }
  free(feed->fed);
  free(feed->objects);
  free(feed->refused);
  json_decref(feed->label_keys);
  json_decref(feed->white_list);
  json_decref(feed->owners);
  rebal_pods_free(feed->pods);
  rebal_builder_free(feed->builder);
  free(feed);
}

/* ---- changes ---- */

struct change {
  const rebal_spread_feed *feed;
  uint32_t object;
};

static int compare_changes(const void *left, const void *right) {
  const struct change *one = left, *other = right;
  return rebali_feed_compare(one->feed, one->object, other->object);
}

/* Lists ids of changed objects by kind, namespace and name: a deleted object precedes one that reuses its name. */
static int32_t find_changes(const rebal_spread_feed *feed, struct change **out, size_t *n, rebal_error *err) {
  uint64_t seen = feed->seen;
  size_t capacity = 0;
  int32_t result = REBAL_OK;
  for (uint32_t object = rebal_store_next_changed(feed->store, &seen); result == REBAL_OK && object != REBAL_NONE;
       object = rebal_store_next_changed(feed->store, &seen)) {
    result = rebali_reserve_malloc(out, &capacity, *n + 1, sizeof **out, err);
    if (result == REBAL_OK) {
      (*out)[(*n)++] = (struct change){feed, object};
    }
  }
  if (result == REBAL_OK && *n > 1) {
    qsort(*out, *n, sizeof **out, compare_changes); /* no two are equal */
  }
  return result;
}

static int32_t reserve_objects(rebal_spread_feed *feed, rebal_error *err) {
  size_t capacity = feed->n_fed;
  const int32_t result = rebali_reserve_malloc(&feed->fed, &capacity, feed->store->n_objects, sizeof *feed->fed, err);
  for (; feed->n_fed < capacity; feed->n_fed++) {
    feed->fed[feed->n_fed] = (struct rebali_fed){.row = REBAL_NONE, .node = REBAL_NONE};
  }
  return result;
}

/* ---- kinds ---- */

static int32_t read_config(rebal_spread_feed *feed, uint32_t object, rebal_error *err) {
  json_t *list;
  int32_t result;
  if (strcmp(rebali_feed_object(feed, object)->name, "kruise-configuration") != 0) {
    return REBAL_OK;
  }
  result = rebali_white_list_find(feed->store, &list, err);
  if (result != REBAL_OK && result != REBAL_ENOMEM) {
    result = rebali_white_list_tree("", 0, &list, err); /* an unreadable white list counts as none */
  }
  if (result == REBAL_OK) {
    json_decref(feed->white_list);
    feed->white_list = list;
    feed->is_list_changed = 1;
  }
  return result;
}

static int32_t read_owned(rebal_spread_feed *feed, uint32_t object, rebal_error *err) {
  json_t *tree = NULL;
  int32_t result =
      rebali_store_has(feed->store, object) ? rebali_store_visit(feed->store, object, &tree, err) : REBAL_OK;
  if (result == REBAL_OK) {
    result = rebali_children_put(feed, object, tree, err);
  }
  json_decref(tree);
  return result;
}

static int32_t read_workload(rebal_spread_feed *feed, uint32_t object, rebal_error *err) {
  return rebali_is_subset_workload(feed, object) ? read_owned(feed, object, err) : REBAL_OK;
}

/* The order matters: the WorkloadSpreads determine which labels of pods are read. kind NULL: all. */
static const struct {
  const char *group, *kind;
  int32_t (*read)(rebal_spread_feed *feed, uint32_t object, rebal_error *err);
} readers[] = {{"", "ConfigMap", read_config},
               {"apps.kruise.io", "WorkloadSpread", rebali_feed_spread},
               {"apps.kruise.io", "UnitedDeployment", rebali_feed_united},
               {"", "Node", rebali_feed_node},
               {NULL, NULL, rebali_feed_owner_changed},
               {NULL, NULL, read_workload},
               {"apps", "ReplicaSet", read_owned},
               {"", "Pod", rebali_feed_pod}};

/* Reads an object with one reader; some kinds have nothing to read. */
static int32_t read_by(rebal_spread_feed *feed, size_t reader, uint32_t object, rebal_error *err) {
  rebal_error local = REBAL_ERROR_INIT;
  if (readers[reader].kind != NULL && !rebali_feed_is(feed, object, readers[reader].group, readers[reader].kind)) {
    return REBAL_OK;
  }
  return rebali_feed_refuse(feed, object, readers[reader].read(feed, object, &local), &local, err);
}

static int32_t read_changes(rebal_spread_feed *feed, const struct change *changes, size_t n, rebal_error *err) {
  int32_t result = REBAL_OK;
  for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++) {
    for (size_t j = 0; result == REBAL_OK && j < n; j++) {
      result = read_by(feed, i, changes[j].object, err);
    }
  }
  return result;
}

/* ---- refused objects ---- */

static int32_t note_refused(rebal_spread_feed *feed, uint32_t object, rebal_error *err) {
  int32_t result;
  if (feed->fed[object].is_refused) {
    return REBAL_OK;
  }
  result =
      rebali_reserve_malloc(&feed->refused, &feed->refused_capacity, feed->n_refused + 1, sizeof *feed->refused, err);
  if (result == REBAL_OK) {
    feed->refused[feed->n_refused++] = object;
    feed->fed[object].is_refused = 1;
  }
  return result;
}

int32_t rebali_feed_refuse(rebal_spread_feed *feed, uint32_t object, int32_t code, const rebal_error *local,
                           rebal_error *err) {
  if (code == REBAL_OK) {
    return REBAL_OK;
  }
  if (code == REBAL_ENOMEM) {
    return rebali_fail_object(rebali_feed_object(feed, object), code, local, err);
  }
  if (feed->refusal == REBAL_OK) {
    feed->refusal = rebali_fail_object(rebali_feed_object(feed, object), code, local, &feed->refusal_text);
  }
  return note_refused(feed, object, err);
}

/* If it is refused again, it is listed again. */
static int32_t try_one(rebal_spread_feed *feed, uint32_t object, rebal_error *err) {
  int32_t result = REBAL_OK;
  feed->fed[object].is_refused = 0;
  for (size_t i = 0; result == REBAL_OK && i < sizeof readers / sizeof readers[0]; i++) {
    result = read_by(feed, i, object, err);
  }
  return result;
}

/* Retries refused objects: the object may have changed, or the cause may be gone. */
static int32_t try_refused(rebal_spread_feed *feed, rebal_error *err) {
  const size_t n = feed->n_refused;
  int32_t result = REBAL_OK;
  size_t done = 0;
  feed->refusal = REBAL_OK;
  while (result == REBAL_OK && done < n) {
    const uint32_t object = feed->refused[done];
    result = try_one(feed, object, err);
    if (result == REBAL_OK || feed->fed[object].is_refused) {
      done++;
    } else {
      feed->fed[object].is_refused = 1; /* out of memory: it stays listed */
    }
  }
  feed->n_refused -= done;
  if (done > 0) {
    memmove(feed->refused, feed->refused + done, feed->n_refused * sizeof *feed->refused);
  }
  return result;
}

/* Reads pods again whose rows lack required data. */
static int32_t read_again(rebal_spread_feed *feed, rebal_error *err) {
  int32_t result = REBAL_OK;
  if (feed->are_owners_broken) {
    rebali_feed_owners_drop(feed);
    feed->needs_more_labels = 1;
  }
  if (feed->needs_more_labels) {
    result = rebali_feed_pods_again(feed, err);
    feed->needs_more_labels = result != REBAL_OK;
  }
  return result;
}

/* Marks WorkloadSpreads whose workload changed, was added or was deleted. */
static void mark_due(rebal_spread_feed *feed, const struct change *changes, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const struct rebali_object *object = rebali_feed_object(feed, changes[i].object);
    rebali_due_by(feed, rebali_name_hash(object->kind, object->namespace_, object->name));
  }
}

/* After a failure it is unknown what was due. */
static int32_t bring_up(rebal_spread_feed *feed, const struct change *changes, size_t n, int was_outdated,
                        rebal_error *err) {
  int32_t result;
  mark_due(feed, changes, n);
  result = read_changes(feed, changes, n, err);
  if (result == REBAL_OK) {
    result = read_again(feed, err);
  }
  if (result == REBAL_OK) {
    result = try_refused(feed, err);
  }
  if (result == REBAL_OK) {
    result = rebali_feed_settle(feed, was_outdated || feed->is_list_changed, err);
  }
  if (result == REBAL_OK) {
    result = rebali_feed_united_settle(feed, was_outdated, err);
  }
  if (result == REBAL_OK) {
    feed->is_list_changed = 0;
    feed->is_outdated = 0;
    feed->seen = feed->store->changes;
    result = rebali_feed_owners_sweep(feed, err);
  }
  return result;
}

static int32_t report_refused(const rebal_spread_feed *feed, rebal_error *err) {
  if (feed->refusal != REBAL_OK) {
    (void)rebali_fail(err, feed->refusal, -1, "%s", feed->refusal_text.message);
    rebali_fail_field(err, feed->refusal_text.field);
  }
  return feed->refusal;
}

int32_t rebal_spread_feed_update(rebal_spread_feed *feed, rebal_error *err) {
  struct change *changes = NULL;
  size_t n = 0;
  int was_outdated;
  int32_t result;
  if (feed == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "feed is needed");
  }
  was_outdated = feed->is_outdated;
  if (feed->seen == feed->store->changes && !feed->is_outdated && !feed->are_owners_broken && feed->n_refused == 0) {
    return REBAL_OK;
  }
  feed->is_outdated = 1;
  feed->refusal = REBAL_OK;
  feed->refusal_text = (rebal_error)REBAL_ERROR_INIT;
  result = find_changes(feed, &changes, &n, err);
  if (result == REBAL_OK) {
    result = reserve_objects(feed, err);
  }
  if (result == REBAL_OK) {
    result = bring_up(feed, changes, n, was_outdated, err);
  }
  free(changes);
  return result == REBAL_OK ? report_refused(feed, err) : result;
}

/* ---- requests ---- */

rebal_pods *rebal_spread_feed_pods(rebal_spread_feed *feed) {
  return feed != NULL ? feed->pods : NULL;
}

rebal_spread *rebal_spread_feed_spread(rebal_spread_feed *feed, uint32_t object) {
  const struct rebali_fed_spread *fed = feed != NULL ? rebali_feed_find(feed, object) : NULL;
  return fed != NULL ? fed->spread : NULL;
}

/*
 * Returns a value below, at or above 0 if the WorkloadSpread at a place is of an earlier namespace, this one, or a
 * later one.
 */
static int compare_namespace(const rebal_spread_feed *feed, size_t place, const char *name, size_t len) {
  const char *other = rebali_feed_object(feed, feed->spreads[place].object)->namespace_;
  const int order = strncmp(other, name, len);
  return order != 0 ? order : other[len] != '\0';
}

/*
 * Returns the first WorkloadSpread of a namespace that is not before this one; is_after, 0 or 1: of a later namespace.
 */
static size_t find_namespace(const rebal_spread_feed *feed, const char *name, size_t len, int is_after) {
  size_t at;
  REBALI_BISECT(at, feed->n_spreads, compare_namespace(feed, at, name, len) < is_after);
  return at;
}

rebal_spread *const *rebal_spread_feed_namespace(rebal_spread_feed *feed, const char *name, size_t len, size_t *n) {
  size_t first = 0, end = 0;
  if (feed != NULL && name != NULL && rebali_take_text(&name, &len, "name", NULL) == REBAL_OK) {
    first = find_namespace(feed, name, len, 0);
    end = find_namespace(feed, name, len, 1);
  }
  if (n != NULL) {
    *n = end - first;
  }
  return end > first ? feed->handles + first : NULL;
}

uint32_t rebal_spread_feed_object(const rebal_spread_feed *feed, uint32_t row) {
  return feed != NULL && row < feed->n_objects ? feed->objects[row] : REBAL_NONE;
}
