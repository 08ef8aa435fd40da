/* SPDX-License-Identifier: MIT */
/*
 * Reads a pod into a row of SPREAD_POD, the input of the calls of workloadspread.h (rebalance-workloadspread(7) 1.4).
 */
#include "manifest/spread/kruise.h"

#include <string.h>

static int32_t set_text(const struct rebali_pod_row *row, uint32_t column, const char *text, rebal_error *err) {
  return *text == '\0'
             ? REBAL_OK
             : rebal_cells_set_text(rebal_pods_cells(row->pods), column, REBAL_NONE, row->row, text, strlen(text), err);
}

static int32_t set_i64(const struct rebali_pod_row *row, uint32_t column, int64_t value, rebal_error *err) {
  return rebal_cells_set_i64(rebal_pods_cells(row->pods), column, REBAL_NONE, row->row, value, err);
}

/* Sets the time of a member, if present. */
static int32_t set_time(const struct rebali_pod_row *row, uint32_t column, const json_t *map, const char *key,
                        const struct rebali_path *parent, rebal_error *err) {
  const struct rebali_path path = rebali_path_key(parent, key);
  const json_t *member = rebali_member(map, key);
  rebal_time time;
  int32_t result;
  if (member == NULL) {
    return REBAL_OK;
  }
  result = rebali_read_time(member, &path, &time, err);
  return result == REBAL_OK
             ? rebal_cells_set_time(rebal_pods_cells(row->pods), column, REBAL_NONE, row->row, &time, err)
             : result;
}

static int32_t set_handle(const struct rebali_pod_row *row, uint32_t column, uint32_t object, const json_t *tree,
                          const struct rebali_path *path, rebal_error *err) {
  const rebal_record *record;
  uint32_t handle;
  int32_t result = rebali_read_record(row->builder, object, tree, path, &record, err);
  if (result == REBAL_OK) {
    result = rebal_fleet_intern(row->fleet, record, &handle, err);
  }
  return result == REBAL_OK ? set_i64(row, column, handle, err) : result;
}

/* ---- metadata ---- */

/* Reads only labels that some target filter uses: others would be interned needlessly. */
static int32_t set_labels(const struct rebali_pod_row *row, const json_t *labels, const struct rebali_path *metadata,
                          rebal_error *err) {
  const struct rebali_path path = rebali_path_key(metadata, "labels");
  json_t *walked = (json_t *)(uintptr_t)row->label_keys, *needed, *kept; /* jansson's iterators take no const */
  const char *key;
  int32_t result;
  if (json_object_size(row->label_keys) == 0) {
    return REBAL_OK;
  }
  kept = json_object();
  result = kept != NULL ? REBAL_OK : rebali_fail_memory(err);
  json_object_foreach(walked, key, needed) {
    json_t *value = rebali_member(labels, key);
    if (result == REBAL_OK && value != NULL) {
      result = rebali_put(kept, key, json_incref(value), err);
    }
  }
  if (result == REBAL_OK) {
    result = set_handle(row, REBAL_SPREAD_POD_LABELS, REBAL_OBJECT_LABELS, kept, &path, err);
  }
  json_decref(kept);
  return result;
}

/* pod-template-hash takes precedence over the other label, even if empty. */
static int32_t set_version(const struct rebali_pod_row *row, const json_t *labels, rebal_error *err) {
  static const struct {
    const char *label;
    int64_t which;
  } versions[] = {{"pod-template-hash", REBAL_VERSION_LABEL_TEMPLATE_HASH},
                  {"controller-revision-hash", REBAL_VERSION_LABEL_REVISION_HASH}};
  for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
    if (rebali_member(labels, versions[i].label) != NULL) {
      const int32_t result = set_i64(row, REBAL_SPREAD_POD_VERSION_LABEL, versions[i].which, err);
      return result == REBAL_OK
                 ? set_text(row, REBAL_SPREAD_POD_VERSION, rebali_member_text(labels, versions[i].label), err)
                 : result;
    }
  }
  return REBAL_OK;
}

static int32_t set_united(const struct rebali_pod_row *row, const json_t *labels, rebal_error *err) {
  const char *reserved = rebali_member_text(labels, REBALI_RESERVED_POD);
  int32_t result =
      set_text(row, REBAL_SPREAD_POD_UNITED_SUBSET, rebali_member_text(labels, "apps.kruise.io/subset-name"), err);
  if (result == REBAL_OK) {
    result = set_text(row, REBAL_SPREAD_POD_UNITED_REVISION,
                      rebali_member_text(labels, "apps.kruise.io/controller-revision-hash"), err);
  }
  return result == REBAL_OK && *reserved != '\0'
             ? set_i64(row, REBAL_SPREAD_POD_RESERVED, strcmp(reserved, "true") == 0, err)
             : result;
}

static int32_t set_matched(const struct rebali_pod_row *row, const json_t *annotations, rebal_error *err) {
  const char *text = rebali_member_text(annotations, REBALI_MATCHED_SPREAD);
  struct rebali_matched matched;
  int32_t result = rebali_matched_open(text, strlen(text), &matched, err);
  if (result != REBAL_OK) {
    return result;
  }
  result = set_i64(row, REBAL_SPREAD_POD_MATCHED_STATE, matched.state, err);
  if (result == REBAL_OK) {
    result = set_text(row, REBAL_SPREAD_POD_MATCHED_SPREAD, matched.spread, err);
  }
  if (result == REBAL_OK) {
    result = set_text(row, REBAL_SPREAD_POD_MATCHED_SUBSET, matched.subset, err);
  }
  if (result == REBAL_OK) {
    result = set_text(row, REBAL_SPREAD_POD_MATCHED_ID, matched.id, err);
  }
  rebali_matched_close(&matched);
  return result;
}

static int32_t set_metadata(const struct rebali_pod_row *row, const json_t *metadata, rebal_error *err) {
  const struct rebali_path path = rebali_path_key(NULL, "metadata");
  const json_t *labels = rebali_member(metadata, "labels"), *annotations = rebali_member(metadata, "annotations");
  int32_t result = set_text(row, REBAL_SPREAD_POD_NAME, rebali_member_text(metadata, "name"), err);
  if (result == REBAL_OK) {
    result = set_text(row, REBAL_SPREAD_POD_UID, rebali_member_text(metadata, "uid"), err);
  }
  if (result == REBAL_OK) {
    result = set_text(row, REBAL_SPREAD_POD_DELETION_COST, rebali_member_text(annotations, REBALI_DELETION_COST), err);
  }
  if (result == REBAL_OK) {
    result = set_i64(row, REBAL_SPREAD_POD_DELETING, rebali_member(metadata, "deletionTimestamp") != NULL, err);
  }
  if (result == REBAL_OK) {
    result = set_time(row, REBAL_SPREAD_POD_CREATED, metadata, "creationTimestamp", &path, err);
  }
  if (result == REBAL_OK) {
    result = set_labels(row, labels, &path, err);
  }
  if (result == REBAL_OK) {
    result = set_version(row, labels, err);
  }
  if (result == REBAL_OK) {
    result = set_united(row, labels, err);
  }
  return result == REBAL_OK ? set_matched(row, annotations, err) : result;
}

/* ---- spec ---- */

/*
 * Reads its tolerations and required node affinity; a node selector does not count (rebalance-workloadspread(7) 2.7).
 */
static int32_t set_requirements(const struct rebali_pod_row *row, const json_t *spec, rebal_error *err) {
  const struct rebali_path path = rebali_path_key(NULL, "spec");
  const json_t *affinity = rebali_member(rebali_member(spec, "affinity"), "nodeAffinity");
  json_t *required = rebali_member(affinity, "requiredDuringSchedulingIgnoredDuringExecution");
  json_t *tolerations = rebali_member(spec, "tolerations"), *tree, *claim;
  int32_t result = REBAL_OK;
  if (required == NULL && json_array_size(tolerations) == 0) {
    return REBAL_OK;
  }
  tree = json_object();
  claim = rebali_map_at(tree, "nodeClaim");
  if (required != NULL) {
    result = rebali_put(claim, "hardNodeAffinity", json_incref(required), err);
  }
  if (result == REBAL_OK && tolerations != NULL) {
    result = rebali_put(claim, "tolerations", json_incref(tolerations), err);
  }
  if (result == REBAL_OK) {
    result = set_handle(row, REBAL_SPREAD_POD_REQUIREMENTS, REBAL_OBJECT_REQUIREMENTS, tree, &path, err);
  }
  if (result != REBAL_OK) {
    rebali_fail_field(err, "spec"); /* the pod has no nodeClaim */
  }
  json_decref(tree);
  return result;
}

static int32_t set_node(const struct rebali_pod_row *row, const json_t *spec, rebal_error *err) {
  const char *name = rebali_member_text(spec, "nodeName");
  uint32_t node;
  int32_t result;
  if (*name == '\0') {
    return REBAL_OK;
  }
  result = rebal_fleet_node_id(row->fleet, row->cluster, name, strlen(name), &node, err);
  return result == REBAL_OK ? set_i64(row, REBAL_SPREAD_POD_NODE, node, err) : result;
}

/* ---- status ---- */

static int32_t set_phase(const struct rebali_pod_row *row, const json_t *status, rebal_error *err) {
  static const struct {
    const char *name;
    int64_t phase;
  } phases[] = {{"Pending", REBAL_POD_PHASE_PENDING},
                {"Unknown", REBAL_POD_PHASE_UNKNOWN},
                {"Running", REBAL_POD_PHASE_RUNNING},
                {"Succeeded", REBAL_POD_PHASE_SUCCEEDED},
                {"Failed", REBAL_POD_PHASE_FAILED}};
  const char *name = rebali_member_text(status, "phase");
  for (size_t i = 0; i < sizeof phases / sizeof phases[0]; i++) {
    if (strcmp(phases[i].name, name) == 0) {
      return set_i64(row, REBAL_SPREAD_POD_PHASE, phases[i].phase, err);
    }
  }
  return REBAL_OK;
}

static int is_unschedulable(const json_t *condition) {
  return strcmp(rebali_member_text(condition, "type"), "PodScheduled") == 0 &&
         strcmp(rebali_member_text(condition, "status"), "False") == 0 &&
         strcmp(rebali_member_text(condition, "reason"), "Unschedulable") == 0;
}

static int32_t set_conditions(const struct rebali_pod_row *row, const json_t *conditions,
                              const struct rebali_path *status, rebal_error *err) {
  const struct rebali_path path = rebali_path_key(status, "conditions");
  size_t at;
  const json_t *ready = rebali_find_condition(conditions, "Ready", &at);
  const struct rebali_path item = rebali_path_index(&path, at);
  int unschedulable = 0;
  int32_t result = set_i64(row, REBAL_SPREAD_POD_READY, strcmp(rebali_member_text(ready, "status"), "True") == 0, err);
  if (result == REBAL_OK) {
    result = set_time(row, REBAL_SPREAD_POD_READY_SINCE, ready, "lastTransitionTime", &item, err);
  }
  for (size_t i = 0; i < json_array_size(conditions); i++) {
    unschedulable |= is_unschedulable(json_array_get(conditions, i));
  }
  return result == REBAL_OK ? set_i64(row, REBAL_SPREAD_POD_UNSCHEDULABLE, unschedulable, err) : result;
}

/* Returns 1 if an init container of this name always restarts. */
static int is_sidecar(const json_t *init_containers, const char *name) {
  for (size_t i = 0; i < json_array_size(init_containers); i++) {
    const json_t *container = json_array_get(init_containers, i);
    if (strcmp(rebali_member_text(container, "name"), name) == 0) {
      return strcmp(rebali_member_text(container, "restartPolicy"), "Always") == 0;
    }
  }
  return 0;
}

/* Sets the largest restartCount of a list; unless all count, only init containers that are sidecars do. */
static int32_t set_restarts(const struct rebali_pod_row *row, uint32_t column, const json_t *statuses,
                            const json_t *init_containers, int all, const struct rebali_path *path, rebal_error *err) {
  int64_t most = 0;
  for (size_t i = 0; i < json_array_size(statuses); i++) {
    const json_t *status = json_array_get(statuses, i), *member = rebali_member(status, "restartCount");
    const struct rebali_path item = rebali_path_index(path, i), at = rebali_path_key(&item, "restartCount");
    int64_t count = 0;
    const int32_t result = member != NULL ? rebali_read_integer(member, REBAL_TYPE_INT32, &at, &count, err) : REBAL_OK;
    if (result != REBAL_OK) {
      return result;
    }
    if (count > most && (all || is_sidecar(init_containers, rebali_member_text(status, "name")))) {
      most = count;
    }
  }
  return set_i64(row, column, most, err);
}

static int32_t set_status(const struct rebali_pod_row *row, const json_t *tree, rebal_error *err) {
  const struct rebali_path path = rebali_path_key(NULL, "status"),
                           at_containers = rebali_path_key(&path, "containerStatuses"),
                           at_init = rebali_path_key(&path, "initContainerStatuses");
  const json_t *status = rebali_member(tree, "status");
  int32_t result = set_phase(row, status, err);
  if (result == REBAL_OK) {
    result = set_conditions(row, rebali_member(status, "conditions"), &path, err);
  }
  if (result == REBAL_OK) {
    result = set_restarts(row, REBAL_SPREAD_POD_RESTARTS, rebali_member(status, "containerStatuses"), NULL, 1,
                          &at_containers, err);
  }
  if (result == REBAL_OK) {
    result = set_restarts(row, REBAL_SPREAD_POD_SIDECAR_RESTARTS, rebali_member(status, "initContainerStatuses"),
                          rebali_member(rebali_member(tree, "spec"), "initContainers"), 0, &at_init, err);
  }
  return result;
}

int32_t rebali_spread_pod_read(const struct rebali_pod_row *row, const json_t *tree, rebal_error *err) {
  const json_t *spec = rebali_member(tree, "spec");
  int32_t result = set_metadata(row, rebali_member(tree, "metadata"), err);
  if (result == REBAL_OK) {
    result = set_requirements(row, spec, err);
  }
  if (result == REBAL_OK) {
    result = set_node(row, spec, err);
  }
  return result == REBAL_OK ? set_status(row, tree, err) : result;
}
