/* SPDX-License-Identifier: MIT */
/* Reads Cluster objects into the fleet (rebalance-karmada(7) 1.2). */
#include "manifest/store/feed.h"

#include <string.h>

static const struct rebali_column columns[] = {
    {REBAL_CLUSTER_REGION, REBAL_TYPE_TEXT, 0, "spec.region"},
    {REBAL_CLUSTER_PROVIDER, REBAL_TYPE_TEXT, 0, "spec.provider"},
    {REBAL_CLUSTER_ZONES, REBAL_TYPE_HANDLE, REBAL_OBJECT_TEXTS, "spec.zones"},
    {REBAL_CLUSTER_LABELS, REBAL_TYPE_HANDLE, REBAL_OBJECT_LABELS, "metadata.labels"},
    {REBAL_CLUSTER_TAINTS, REBAL_TYPE_HANDLE, REBAL_OBJECT_TAINTS, "spec.taints"},
    {REBAL_CLUSTER_API_ENABLEMENTS, REBAL_TYPE_HANDLE, REBAL_OBJECT_API_ENABLEMENTS, "status.apiEnablements"},
    {REBAL_CLUSTER_RESOURCE_MODELS, REBAL_TYPE_HANDLE, REBAL_OBJECT_RESOURCE_MODELS, "spec.resourceModels"},
    {REBAL_CLUSTER_MODELINGS, REBAL_TYPE_HANDLE, REBAL_OBJECT_MODELINGS, "status.resourceSummary.allocatableModelings"},
    {REBAL_CLUSTER_DELETING, REBALI_TYPE_PRESENCE, 0, "metadata.deletionTimestamp"},
    {REBAL_CLUSTER_GENERATION, REBAL_TYPE_INT64, 0, "metadata.generation"},
    {REBAL_CLUSTER_CONDITIONS, REBAL_TYPE_HANDLE, REBAL_OBJECT_CONDITIONS, "status.conditions"},
};

const struct rebali_row_columns rebali_cluster_rows = {REBAL_TABLE_CLUSTER, "", columns,
                                                       sizeof columns / sizeof columns[0]};

const struct rebali_summary_part rebali_summary_parts[REBALI_SUMMARY_PARTS] = {
    {REBAL_CAPACITY_ALLOCATABLE, "status.resourceSummary.allocatable"},
    {REBAL_CAPACITY_ALLOCATED, "status.resourceSummary.allocated"},
    {REBAL_CAPACITY_ALLOCATING, "status.resourceSummary.allocating"},
};

static int32_t set_amount(const struct rebali_sink *sink, uint32_t part, const char *name, const rebal_quantity *amount,
                          rebal_error *err) {
  uint32_t resource;
  const int32_t result = rebal_fleet_resource_id(sink->fleet, name, strlen(name), &resource, err);
  if (result != REBAL_OK) {
    return result;
  }
  return rebal_fleet_set_capacity(sink->fleet, part, sink->row, resource, amount, err);
}

static int32_t read_part(const struct rebali_sink *sink, uint32_t part, const struct rebali_place *place,
                         rebal_error *err) {
  const char *name;
  json_t *value;
  int32_t result = place->value != NULL ? rebali_read_map(place->value, place->path, err) : REBAL_OK;
  if (result != REBAL_OK || place->value == NULL) {
    return result;
  }
  json_object_foreach((json_t *)(uintptr_t)place->value, name, value) {
    const struct rebali_path at = rebali_path_key(place->path, name);
    rebal_quantity amount;
    result = rebali_read_quantity(value, &at, &amount, err);
    if (result == REBAL_OK && sink->fleet != NULL) {
      result = set_amount(sink, part, name, &amount, err);
    }
    if (result != REBAL_OK) {
      return result;
    }
  }
  return REBAL_OK;
}

static int32_t read_summary(const struct rebali_sink *sink, const json_t *tree, const struct rebali_path *path,
                            rebal_error *err) {
  struct rebali_place place;
  int32_t result = rebali_walk(tree, path, "status.resourceSummary", &place, err);
  if (result != REBAL_OK) {
    return result;
  }
  if (sink->fleet != NULL) {
    result = rebal_fleet_clear_capacity(sink->fleet, sink->row, err);
  }
  if (result == REBAL_OK) {
    result = rebali_sink_i64(sink, REBAL_CLUSTER_HAS_SUMMARY, place.value != NULL, err);
  }
  for (size_t i = 0; result == REBAL_OK && i < REBALI_SUMMARY_PARTS; i++) {
    result = rebali_walk(tree, path, rebali_summary_parts[i].path, &place, err);
    if (result == REBAL_OK) {
      result = read_part(sink, rebali_summary_parts[i].part, &place, err);
    }
  }
  return result;
}

int32_t rebali_cluster_read(const struct rebali_sink *sink, const json_t *tree, const struct rebali_path *path,
                            rebal_error *err) {
  const int32_t result = read_summary(sink, tree, path, err);
  if (result != REBAL_OK) {
    return result;
  }
  return rebali_columns_read(sink, columns, sizeof columns / sizeof columns[0], tree, path, err);
}

/* ---- feeding ---- */

static const char api_version[] = "cluster.karmada.io/v1alpha1"; /* only the group matters */

static int is_cluster(const struct rebali_object *object) {
  return strcmp(object->kind, "Cluster") == 0 && rebali_group_compare(object->api_version, api_version) == 0;
}

int32_t rebali_feed_remove_others(const rebal_feed *feed, rebal_error *err) {
  rebal_snapshot *before;
  int32_t result = rebal_fleet_freeze(feed->fleet, &before, err);
  if (result != REBAL_OK) {
    return result;
  }
  for (uint32_t row = 0;
       result == REBAL_OK && row < rebal_cells_bound(rebal_snapshot_cells(before), REBAL_TABLE_CLUSTER, REBAL_NONE);
       row++) {
    if (rebal_cells_has(rebal_snapshot_cells(before), REBAL_TABLE_CLUSTER, REBAL_NONE, row) &&
        rebali_store_find_text(feed->store, api_version, "Cluster", "", rebali_cluster_name(before, row, NULL)) ==
            REBAL_NONE) {
      result = rebal_cells_remove(rebal_fleet_cells(feed->fleet), REBAL_TABLE_CLUSTER, REBAL_NONE, &row, 1, err);
    }
  }
  rebal_snapshot_unref(before);
  return result;
}

/* Adds the cluster unless the fleet already has it. */
static int32_t add_cluster(const rebal_feed *feed, const char *name, uint32_t *row, int *is_new, rebal_error *err) {
  const int32_t result = rebal_fleet_add_cluster(feed->fleet, name, strlen(name), row, err);
  *is_new = result == REBAL_OK;
  return result == REBAL_EEXIST ? rebal_fleet_cluster_id(feed->fleet, name, strlen(name), row, err) : result;
}

static int32_t read_present(rebal_feed *feed, uint32_t object, rebal_error *err) {
  struct rebali_fed_object *fed = &feed->objects[object];
  struct rebali_sink sink = {feed->fleet, NULL, feed->builder, fed->row, REBAL_NONE};
  int is_new = 0;
  json_t *tree;
  int32_t result = rebali_store_visit(feed->store, object, &tree, err);
  if (result == REBAL_OK && fed->row == REBAL_NONE) {
    result = add_cluster(feed, feed->store->objects[object].name, &sink.row, &is_new, err);
  }
  if (result == REBAL_OK) {
    result = rebali_cluster_read(&sink, tree, NULL, err);
    if (result != REBAL_OK && is_new) {
      (void)rebal_cells_remove(rebal_fleet_cells(feed->fleet), REBAL_TABLE_CLUSTER, REBAL_NONE, &sink.row, 1, NULL);
      sink.row = REBAL_NONE;
    }
    fed->row = sink.row;
  }
  json_decref(tree);
  return result;
}

int32_t rebali_feed_cluster(rebal_feed *feed, uint32_t object, rebal_error *err) {
  struct rebali_fed_object *fed = &feed->objects[object];
  int32_t result;
  if (!is_cluster(&feed->store->objects[object])) {
    return REBAL_OK;
  }
  if (rebali_store_has(feed->store, object)) {
    return read_present(feed, object, err);
  }
  result = fed->row != REBAL_NONE
               ? rebal_cells_remove(rebal_fleet_cells(feed->fleet), REBAL_TABLE_CLUSTER, REBAL_NONE, &fed->row, 1, err)
               : REBAL_OK;
  fed->row = result == REBAL_OK ? REBAL_NONE : fed->row;
  return result;
}
