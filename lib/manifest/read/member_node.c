/* SPDX-License-Identifier: MIT */
/* Reads Node objects of a member cluster into the fleet. */
#include "manifest/manifest.h"

#include <stdlib.h>
#include <string.h>

static const struct rebali_column columns[] = {
    {REBAL_NODE_UNSCHEDULABLE, REBAL_TYPE_BOOLEAN, 0, "spec.unschedulable"},
};

/* ---- taints ---- */

/* Drops the times of taints, which no result about nodes depends on: equal lists then share one record. */
static int32_t drop_times(const json_t *taints, json_t **out, rebal_error *err) {
  json_t *list = json_array();
  int32_t result = list != NULL ? REBAL_OK : rebali_fail_memory(err);
  for (size_t i = 0; result == REBAL_OK && i < json_array_size(taints); i++) {
    json_t *taint = rebali_copy(json_array_get(taints, i));
    (void)json_object_del(taint, "timeAdded");
    result = json_array_append_new(list, taint) == 0 ? REBAL_OK : rebali_fail_memory(err);
  }
  if (result != REBAL_OK) {
    json_decref(list);
  } else {
    *out = list;
  }
  return result;
}

static int32_t read_taints(const struct rebali_sink *sink, const json_t *tree, const struct rebali_path *path,
                           rebal_error *err) {
  const rebal_record *record;
  struct rebali_place place;
  json_t *taints;
  uint32_t handle;
  int32_t result = rebali_walk(tree, path, "spec.taints", &place, err);
  if (result != REBAL_OK || place.value == NULL) {
    return result;
  }
  if (sink->fleet == NULL) {
    return rebali_read_record(NULL, REBAL_OBJECT_TAINTS, place.value, place.path, NULL, err);
  }
  result = drop_times(place.value, &taints, err);
  if (result != REBAL_OK) {
    return result;
  }
  result = rebali_read_record(sink->builder, REBAL_OBJECT_TAINTS, taints, place.path, &record, err);
  json_decref(taints);
  if (result == REBAL_OK) {
    result = rebal_fleet_intern(sink->fleet, record, &handle, err);
  }
  return result == REBAL_OK ? rebali_sink_i64(sink, REBAL_NODE_TAINTS, handle, err) : result;
}

/* ---- labels ---- */

static int32_t read_labels(const struct rebali_sink *sink, const json_t *tree, const struct rebali_path *path,
                           rebal_error *err) {
  const rebal_record *record;
  struct rebali_place place;
  int32_t result = rebali_walk(tree, path, "metadata.labels", &place, err);
  if (result != REBAL_OK || place.value == NULL) {
    return result;
  }
  result = rebali_read_record(sink->builder, REBAL_OBJECT_LABELS, place.value, place.path, &record, err);
  if (result != REBAL_OK || sink->fleet == NULL) {
    return result;
  }
  return rebal_fleet_set_node_labels(sink->fleet, sink->cluster, sink->row, record, err);
}

/* ---- amounts ---- */

struct amounts {
  uint32_t *resources;
  rebal_quantity *values;
  size_t n;
};

/* Checks every amount of a map, and reads those of a fleet. */
static int32_t take_amounts(const struct rebali_sink *sink, const struct rebali_place *place, struct amounts *amounts,
                            rebal_error *err) {
  const char *name;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)place->value, name, value) {
    const struct rebali_path at = rebali_path_key(place->path, name);
    int32_t result = rebali_read_quantity(value, &at, &amounts->values[amounts->n], err);
    if (result == REBAL_OK && sink->fleet != NULL) {
      result = rebal_fleet_resource_id(sink->fleet, name, strlen(name), &amounts->resources[amounts->n], err);
    }
    if (result != REBAL_OK) {
      return result;
    }
    amounts->n++;
  }
  return REBAL_OK;
}

static int32_t read_amounts(const struct rebali_sink *sink, const json_t *tree, const struct rebali_path *path,
                            rebal_error *err) {
  struct amounts amounts = {NULL, NULL, 0};
  struct rebali_place place;
  size_t capacity;
  int32_t result = rebali_walk(tree, path, "status.allocatable", &place, err);
  if (result == REBAL_OK && place.value != NULL) {
    result = rebali_read_map(place.value, place.path, err);
  }
  capacity = json_object_size(place.value);
  if (result != REBAL_OK || capacity == 0) {
    return result;
  }
  amounts.resources = calloc(capacity, sizeof *amounts.resources);
  amounts.values = calloc(capacity, sizeof *amounts.values);
  result = amounts.resources != NULL && amounts.values != NULL ? take_amounts(sink, &place, &amounts, err)
                                                               : rebali_fail_memory(err);
  if (result == REBAL_OK && sink->fleet != NULL) {
    result = rebal_fleet_set_node_amounts(sink->fleet, sink->cluster, sink->row, amounts.resources, amounts.values,
                                          amounts.n, err);
  }
  free(amounts.resources);
  free(amounts.values);
  return result;
}

/* ---- nodes ---- */

static int32_t fill(struct rebali_sink *sink, const json_t *tree, const struct rebali_path *path, rebal_error *err) {
  int32_t result = read_labels(sink, tree, path, err);
  if (result == REBAL_OK) {
    result = read_amounts(sink, tree, path, err);
  }
  if (result == REBAL_OK) {
    result = read_taints(sink, tree, path, err);
  }
  return result == REBAL_OK ? rebali_columns_read(sink, columns, sizeof columns / sizeof columns[0], tree, path, err)
                            : result;
}

int32_t rebali_node_read(struct rebali_sink *sink, const json_t *tree, const struct rebali_path *path,
                         rebal_error *err) {
  const char *name = rebali_member_text(rebali_member(tree, "metadata"), "name");
  int32_t result = REBAL_OK;
  if (sink->fleet != NULL) {
    result = rebal_fleet_add_node(sink->fleet, sink->cluster, name, strlen(name), &sink->row, err);
  }
  return result == REBAL_OK ? fill(sink, tree, path, err) : result;
}

int32_t rebali_node_replace(struct rebali_sink *sink, const json_t *tree, rebal_error *err) {
  const json_t *spec = rebali_member(tree, "spec");
  int32_t result = REBAL_OK;
  if (rebali_member(rebali_member(tree, "metadata"), "labels") == NULL) {
    result = rebal_fleet_set_node_labels(sink->fleet, sink->cluster, sink->row, NULL, err);
  }
  if (result == REBAL_OK && json_object_size(rebali_member(rebali_member(tree, "status"), "allocatable")) == 0) {
    result = rebal_fleet_set_node_amounts(sink->fleet, sink->cluster, sink->row, NULL, NULL, 0, err);
  }
  if (result == REBAL_OK && rebali_member(spec, "taints") == NULL) {
    result = rebali_sink_i64(sink, REBAL_NODE_TAINTS, REBAL_NONE, err);
  }
  if (result == REBAL_OK && rebali_member(spec, "unschedulable") == NULL) {
    result = rebali_sink_i64(sink, REBAL_NODE_UNSCHEDULABLE, 0, err);
  }
  return result == REBAL_OK ? fill(sink, tree, NULL, err) : result;
}
