/* SPDX-License-Identifier: MIT */
/* Reads a member cluster, object by object, into the fleet's tables below its id (rebalance-karmada(7) 6.5). */
#include "manifest/store/feed.h"

#include <string.h>

/* Kinds that are read, in the order in which they are added: nodes precede the pods bound to them. */
static const struct {
  const char *api_version;
  const char *kind;
  uint32_t table;
  rebali_member_reader *read;
} kinds[] = {
    {"v1", "Node", REBAL_TABLE_NODE, rebali_node_read},
    {"v1", "Pod", REBAL_TABLE_POD, rebali_pod_read},
    {"apps/v1", "Deployment", REBAL_TABLE_WORKLOAD, rebali_workload_read},
    {"apps/v1", "StatefulSet", REBAL_TABLE_WORKLOAD, rebali_workload_read},
    {"batch/v1", "Job", REBAL_TABLE_WORKLOAD, rebali_workload_read},
    {"apps/v1", "ReplicaSet", REBAL_TABLE_REPLICA_SET, rebali_replica_set_read},
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

static const char quota[] = "ResourceQuota"; /* read after all others, all at once */

/* Returns KINDS if this kind is not read. */
static size_t find_kind(const char *api_version, const char *kind) {
  size_t i = 0;
  while (i < KINDS && (strcmp(kinds[i].api_version, api_version) != 0 || strcmp(kinds[i].kind, kind) != 0)) {
    i++;
  }
  return i;
}

rebali_member_reader *rebali_member_reader_of(const char *api_version, const char *kind) {
  const size_t i = find_kind(api_version, kind);
  return i < KINDS ? kinds[i].read : NULL;
}

/* Adds the object's name to its error; errors of a store's text give a position instead. */
int32_t rebali_fail_object(const struct rebali_object *object, int32_t code, const rebal_error *local,
                           rebal_error *err) {
  (void)rebali_fail(err, code, -1, "%s %s%s%s: %s", object->kind, object->namespace_,
                    *object->namespace_ != '\0' ? "/" : "", object->name, local->message);
  rebali_fail_field(err, local->field);
  return code;
}

/* ---- feeding ---- */

const char *rebali_feed_member_kind(size_t i) {
  return i < KINDS ? kinds[i].kind : i == KINDS ? quota : NULL;
}

int32_t rebali_feed_empty(rebal_feed *feed, rebal_error *err) {
  int32_t result = rebal_fleet_clear_nodes(feed->fleet, feed->cluster, err);
  if (result == REBAL_OK) {
    result =
        rebal_cells_set_i64(rebal_fleet_cells(feed->fleet), REBAL_CLUSTER_HAS_NODES, REBAL_NONE, feed->cluster, 1, err);
  }
  for (size_t i = 0; result == REBAL_OK && i < feed->n_objects; i++) {
    feed->objects[i] = (struct rebali_fed_object){.row = REBAL_NONE};
  }
  if (result == REBAL_OK) {
    feed->n_refused = 0;
    feed->unsorted = REBAL_NONE;
    feed->are_quotas_stale = 1; /* a store without quotas means that there are none */
  }
  return result;
}

static int32_t remove_row(const rebal_feed *feed, size_t kind, uint32_t row, rebal_error *err) {
  return kinds[kind].table == REBAL_TABLE_NODE
             ? rebal_cells_remove(rebal_fleet_cells(feed->fleet), REBAL_TABLE_NODE, feed->cluster, &row, 1, err)
             : rebal_cells_remove(rebal_fleet_cells(feed->fleet), kinds[kind].table, feed->cluster, &row, 1, err);
}

/* Removes the row; an object without one is fine. */
static int32_t drop(const rebal_feed *feed, struct rebali_fed_object *fed, rebal_error *err) {
  const int32_t result = fed->row != REBAL_NONE ? remove_row(feed, fed->kind, fed->row, err) : REBAL_OK;
  fed->row = result == REBAL_OK ? REBAL_NONE : fed->row;
  return result;
}

int32_t rebali_node_follow(const struct rebali_sink *cluster, uint32_t *row, const json_t *tree, rebal_error *err) {
  struct rebali_sink sink = *cluster;
  int32_t result;
  sink.row = *row;
  if (*row != REBAL_NONE) {
    return rebali_node_replace(&sink, tree, err);
  }
  result = rebali_node_read(&sink, tree, NULL, err);
  if (result != REBAL_OK && sink.row != REBAL_NONE) {
    (void)rebal_cells_remove(rebal_fleet_cells(sink.fleet), REBAL_TABLE_NODE, sink.cluster, &sink.row, 1, NULL);
    sink.row = REBAL_NONE;
  }
  *row = sink.row;
  return result;
}

/* A new row replaces the old one once it is read completely. */
static int32_t read_row(const rebal_feed *feed, struct rebali_fed_object *fed, const struct rebali_sink *cluster,
                        const json_t *tree, rebal_error *err) {
  struct rebali_sink sink = *cluster;
  int32_t result = kinds[fed->kind].read(&sink, tree, NULL, err);
  if (result == REBAL_OK) {
    result = drop(feed, fed, err);
  }
  if (result == REBAL_OK) {
    fed->row = sink.row;
  } else if (sink.row != REBAL_NONE) {
    (void)remove_row(feed, fed->kind, sink.row, NULL);
  }
  return result;
}

static uint64_t hash_zone(const json_t *tree) {
  static const char *const keys[] = {"topology.kubernetes.io/region", "topology.kubernetes.io/zone",
                                     "failure-domain.beta.kubernetes.io/region",
                                     "failure-domain.beta.kubernetes.io/zone"};
  const json_t *labels = rebali_member(rebali_member(tree, "metadata"), "labels");
  const char *texts[sizeof keys / sizeof keys[0]];
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
    texts[i] = rebali_member(labels, keys[i]) != NULL ? rebali_member_text(labels, keys[i]) : "none, not empty";
  }
  return rebali_hash_texts(0, texts, sizeof keys / sizeof keys[0]);
}

/* On the first read of a store, nodes come in the order of names. */
static int32_t read_node(rebal_feed *feed, uint32_t object, const struct rebali_sink *cluster, const json_t *tree,
                         rebal_error *err) {
  struct rebali_fed_object *fed = &feed->objects[object];
  const uint64_t zone = hash_zone(tree);
  if (feed->is_open && !feed->is_sorting && (fed->row == REBAL_NONE || fed->zone != zone) &&
      (feed->unsorted == REBAL_NONE ||
       rebali_object_compare(&feed->store->objects[object], &feed->store->objects[feed->unsorted]) < 0)) {
    feed->unsorted = object;
  }
  fed->zone = zone;
  return rebali_node_follow(cluster, &fed->row, tree, err);
}

int32_t rebali_feed_member(rebal_feed *feed, uint32_t object, rebal_error *err) {
  const struct rebali_sink cluster = {feed->fleet, NULL, feed->builder, REBAL_NONE, feed->cluster};
  const struct rebali_object *names = &feed->store->objects[object];
  struct rebali_fed_object *fed = &feed->objects[object];
  const size_t kind = rebali_store_has(feed->store, object) ? find_kind(names->api_version, names->kind) : KINDS;
  int32_t result = REBAL_OK;
  json_t *tree;
  if (strcmp(names->kind, quota) == 0 && strcmp(names->api_version, "v1") == 0) {
    feed->are_quotas_stale = 1;
  }
  if (kind != fed->kind) {
    result = drop(feed, fed, err);
  }
  if (result != REBAL_OK || kind == KINDS) {
    return result;
  }
  fed->kind = (uint8_t)kind;
  result = rebali_store_visit(feed->store, object, &tree, err);
  if (result == REBAL_OK) {
    result = kinds[kind].table == REBAL_TABLE_NODE ? read_node(feed, object, &cluster, tree, err)
                                                   : read_row(feed, fed, &cluster, tree, err);
  }
  json_decref(tree);
  return result;
}

/* New nodes and nodes that moved to another zone are packed last: all nodes after them by name must be read again. */
static int32_t sort_nodes(rebal_feed *feed, rebal_error *err) {
  static const char node[] = "Node";
  int32_t result = REBAL_OK;
  uint32_t object = feed->unsorted;
  feed->is_sorting = 1;
  while (result == REBAL_OK && object != REBAL_NONE) {
    object = rebal_store_next(feed->store, node, sizeof node - 1, object);
    if (object != REBAL_NONE && feed->objects[object].row != REBAL_NONE) {
      result = drop(feed, &feed->objects[object], err);
    }
    if (result == REBAL_OK && object != REBAL_NONE) {
      result = rebali_feed_member(feed, object, err);
    }
  }
  feed->is_sorting = 0;
  feed->unsorted = result == REBAL_OK ? REBAL_NONE : feed->unsorted;
  return result;
}

int32_t rebali_feed_settle_member(rebal_feed *feed, rebal_error *err) {
  const struct rebali_sink sink = {feed->fleet, NULL, feed->builder, REBAL_NONE, feed->cluster};
  int32_t result = sort_nodes(feed, err);
  if (result == REBAL_OK && feed->are_quotas_stale) {
    result = rebali_quotas_feed(&sink, feed->store, err);
    feed->are_quotas_stale = result != REBAL_OK;
  }
  return result;
}
