/* SPDX-License-Identifier: MIT */
/* Reads Pod objects of a member cluster into rows (rebalance-karmada(7) 6.5.1, 6.5.6). */
#include "manifest/manifest.h"

#include <string.h>

static const struct rebali_column columns[] = {
    {REBAL_POD_NAMESPACE, REBAL_TYPE_TEXT, 0, "metadata.namespace"},
    {REBAL_POD_LABELS, REBAL_TYPE_HANDLE, REBAL_OBJECT_LABELS, "metadata.labels"},
    {REBAL_POD_PRIORITY, REBAL_TYPE_INT32, 0, "spec.priority"},
};

/* ---- conditions ---- */

#define GO_ZERO_TIME {-62135596800, 0, 1} /* of a condition without lastTransitionTime */

static int has_status(const json_t *condition, const char *status) {
  return strcmp(rebali_member_text(condition, "status"), status) == 0;
}

static int32_t read_transition(const json_t *condition, const struct rebali_path *path, rebal_time *out,
                               rebal_error *err) {
  const json_t *time = rebali_member(condition, "lastTransitionTime");
  const struct rebali_path at = rebali_path_key(path, "lastTransitionTime");
  return time != NULL ? rebali_read_time(time, &at, out, err) : REBAL_OK;
}

static int32_t read_conditions(const struct rebali_sink *sink, const json_t *tree, const struct rebali_path *path,
                               rebal_error *err) {
  rebal_time since = GO_ZERO_TIME;
  struct rebali_place place;
  size_t at;
  const json_t *scheduled;
  int32_t result = rebali_walk(tree, path, "status.conditions", &place, err);
  if (result == REBAL_OK && place.value != NULL) {
    result = rebali_read_list(place.value, place.path, err);
  }
  if (result == REBAL_OK) {
    result = rebali_sink_i64(sink, REBAL_POD_READY,
                             has_status(rebali_find_condition(place.value, "Ready", &at), "True"), err);
  }
  scheduled = rebali_find_condition(place.value, "PodScheduled", &at);
  if (result == REBAL_OK && scheduled != NULL) {
    const struct rebali_path item = rebali_path_index(place.path, at);
    result = read_transition(scheduled, &item, &since, err);
  }
  if (result == REBAL_OK && has_status(scheduled, "False") &&
      strcmp(rebali_member_text(scheduled, "reason"), "Unschedulable") == 0) {
    result = rebali_sink_time(sink, REBAL_POD_UNSCHEDULABLE_SINCE, &since, err);
  }
  return result;
}

/* ---- requests ---- */

/* Reads the requests of each container of a list. */
static int32_t take_requests(const json_t *containers, json_t *list, rebal_error *err) {
  int32_t result = list != NULL ? REBAL_OK : rebali_fail_memory(err);
  for (size_t i = 0; result == REBAL_OK && i < json_array_size(containers); i++) {
    json_t *requests = rebali_member(rebali_member(json_array_get(containers, i), "resources"), "requests");
    json_t *container = json_object();
    result = json_array_append_new(list, container) == 0 ? REBAL_OK : rebali_fail_memory(err);
    if (result == REBAL_OK && requests != NULL) {
      result = rebali_put(container, "requests", json_incref(requests), err);
    }
  }
  return result;
}

static int32_t take_resources(const json_t *spec, json_t *out, rebal_error *err) {
  static const char *const lists[] = {"containers", "initContainers"};
  json_t *overhead = rebali_member(spec, "overhead");
  int32_t result = REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < sizeof lists / sizeof lists[0]; i++) {
    json_t *list = json_array();
    result = take_requests(rebali_member(spec, lists[i]), list, err);
    if (result == REBAL_OK) {
      result = rebali_put(out, lists[i], list, err);
    } else {
      json_decref(list);
    }
  }
  return result == REBAL_OK && overhead != NULL ? rebali_put(out, "overhead", json_incref(overhead), err) : result;
}

static int32_t read_resources(const struct rebali_sink *sink, const json_t *tree, const struct rebali_path *path,
                              rebal_error *err) {
  const struct rebali_path spec = rebali_path_key(path, "spec");
  const rebal_record *record;
  uint32_t handle;
  json_t *resources;
  int32_t result;
  if (sink->fleet == NULL) {
    return REBAL_OK; /* the rules of the kind have checked each amount */
  }
  resources = json_object();
  result = resources != NULL ? take_resources(rebali_member(tree, "spec"), resources, err) : rebali_fail_memory(err);
  if (result == REBAL_OK) {
    result = rebali_read_record(sink->builder, REBAL_OBJECT_POD_RESOURCES, resources, &spec, &record, err);
  }
  json_decref(resources);
  if (result == REBAL_OK) {
    result = rebal_fleet_intern(sink->fleet, record, &handle, err);
  }
  return result == REBAL_OK ? rebali_sink_i64(sink, REBAL_POD_RESOURCES, handle, err) : result;
}

/* ---- node ---- */

static int32_t read_phase(const struct rebali_sink *sink, const json_t *tree, rebal_error *err) {
  const char *phase = rebali_member_text(rebali_member(tree, "status"), "phase");
  return rebali_sink_i64(sink, REBAL_POD_TERMINAL, strcmp(phase, "Succeeded") == 0 || strcmp(phase, "Failed") == 0,
                         err);
}

/* Must be the last cell of the row: its node is charged once, for the whole row. */
static int32_t read_node(const struct rebali_sink *sink, const json_t *tree, const struct rebali_path *path,
                         rebal_error *err) {
  struct rebali_place place;
  const char *name;
  uint32_t node;
  size_t len;
  int32_t result = rebali_walk(tree, path, "spec.nodeName", &place, err);
  if (result != REBAL_OK || place.value == NULL) {
    return result;
  }
  result = rebali_read_text(place.value, place.path, &name, &len, err);
  if (result != REBAL_OK || sink->fleet == NULL || len == 0) {
    return result;
  }
  result = rebal_fleet_node_id(sink->fleet, sink->cluster, name, len, &node, err);
  return result == REBAL_OK ? rebali_sink_i64(sink, REBAL_POD_NODE, node, err) : result;
}

int32_t rebali_pod_read(struct rebali_sink *sink, const json_t *tree, const struct rebali_path *path,
                        rebal_error *err) {
  int32_t result = rebali_sink_add(sink, REBAL_TABLE_POD, err);
  if (result == REBAL_OK) {
    result = rebali_columns_read(sink, columns, sizeof columns / sizeof columns[0], tree, path, err);
  }
  if (result == REBAL_OK) {
    result = rebali_read_controller(sink, REBAL_POD_CONTROLLER_UID, tree, err);
  }
  if (result == REBAL_OK) {
    result = read_conditions(sink, tree, path, err);
  }
  if (result == REBAL_OK) {
    result = read_phase(sink, tree, err);
  }
  if (result == REBAL_OK) {
    result = read_resources(sink, tree, path, err);
  }
  return result == REBAL_OK ? read_node(sink, tree, path, err) : result;
}
