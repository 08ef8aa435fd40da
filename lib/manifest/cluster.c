/* SPDX-License-Identifier: MIT */
/* Cluster objects into the fleet (spec karmada 1.2). */
#include "manifest.h"

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

static int32_t feed_cluster(const struct rebali_sink *fleet, const rebal_snapshot *before, const json_t *tree,
                            rebal_error *err) {
  const char *name = rebali_member_text(rebali_member(tree, "metadata"), "name");
  struct rebali_sink sink = *fleet;
  int32_t result = REBAL_OK;
  sink.row = rebal_snapshot_find_cluster(before, name, strlen(name));
  if (sink.row == REBAL_NONE || !rebal_snapshot_has_cluster(before, sink.row)) {
    result = rebal_fleet_add_cluster(sink.fleet, name, strlen(name), &sink.row, err);
  }
  return result == REBAL_OK ? rebali_cluster_read(&sink, tree, NULL, err) : result;
}

static int32_t remove_others(const rebal_store *store, rebal_fleet *fleet, const rebal_snapshot *before,
                             rebal_error *err) {
  const uint32_t rows = rebal_snapshot_rows(before);
  int32_t result = REBAL_OK;
  for (uint32_t row = 0; result == REBAL_OK && row < rows; row++) {
    if (rebal_snapshot_has_cluster(before, row) &&
        rebali_store_find_text(store, NULL, "Cluster", "", rebal_snapshot_cluster_name(before, row, NULL)) ==
            REBAL_NONE) {
      result = rebal_fleet_remove_cluster(fleet, row, err);
    }
  }
  return result;
}

int32_t rebal_store_feed_clusters(rebal_store *store, rebal_fleet *fleet, rebal_error *err) {
  struct rebali_sink sink = {fleet, NULL, NULL, 0, REBAL_NONE};
  rebal_snapshot *before;
  int32_t result;
  if (store == NULL || fleet == NULL) {
    return rebali_manifest_fail(err, REBAL_EINVAL, "store and fleet are needed");
  }
  result = rebal_fleet_freeze(fleet, &before, err);
  if (result != REBAL_OK) {
    return result;
  }
  result = rebal_builder_new(NULL, &sink.builder, err);
  if (result == REBAL_OK) {
    result = remove_others(store, fleet, before, err);
  }
  for (uint32_t object = rebal_store_next(store, "Cluster", 7, REBAL_NONE); result == REBAL_OK && object != REBAL_NONE;
       object = rebal_store_next(store, "Cluster", 7, object)) {
    json_t *tree;
    result = rebali_store_share(store, object, &tree, err);
    if (result == REBAL_OK) {
      result = feed_cluster(&sink, before, tree, err);
    }
    json_decref(tree);
  }
  rebal_builder_free(sink.builder);
  rebal_snapshot_unref(before);
  return result;
}
