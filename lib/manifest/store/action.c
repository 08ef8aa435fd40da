/* SPDX-License-Identifier: MIT */
/* Converts rows of actions to trees of the members that they set. */
#include "manifest/spread/kruise.h"

#include <string.h>

static int64_t cell(const rebal_result *result, uint32_t column, size_t row) {
  size_t n;
  const int64_t *cells = rebal_result_i64(result, column, &n);
  return cells != NULL && row < n ? cells[row] : 0;
}

static const char *text(const rebal_result *result, uint32_t column, size_t row) {
  return rebal_result_text(result, column, row, NULL);
}

int32_t rebali_action_load(const rebal_result *result, size_t row, struct rebali_action_row *out, rebal_error *err) {
  if (row >= rebal_result_count(result, REBAL_TABLE_ACTION)) {
    return rebali_fail(err, REBAL_EINVAL, -1, "the result has no such action");
  }
  out->kind = cell(result, REBAL_ACTION_KIND, row);
  out->ordinal = cell(result, REBAL_ACTION_ORDINAL, row);
  out->replaces = cell(result, REBAL_ACTION_REPLACES, row);
  out->api_version = text(result, REBAL_ACTION_API_VERSION, row);
  out->object_kind = text(result, REBAL_ACTION_OBJECT_KIND, row);
  out->namespace_ = text(result, REBAL_ACTION_NAMESPACE, row);
  out->name = text(result, REBAL_ACTION_NAME, row);
  out->uid = text(result, REBAL_ACTION_UID, row);
  out->resource_version = text(result, REBAL_ACTION_RESOURCE_VERSION, row);
  out->payload = rebal_result_record(result, row);
  out->payload_object = out->payload != NULL ? rebal_record_object(out->payload) : 0;
  return REBAL_OK;
}

/* Members that an action replaces even if its payload, in which empty lists leave no trace, lacks them. */
static const struct {
  int64_t bit;
  uint32_t object;
  const char *name;
} replaced[] = {
    {REBAL_REPLACES_CLUSTERS, REBAL_OBJECT_BINDING_SPEC, "clusters"},
    {REBAL_REPLACES_GRACEFUL_EVICTION_TASKS, REBAL_OBJECT_BINDING_SPEC, "gracefulEvictionTasks"},
    {REBAL_REPLACES_OBSERVED_WORKLOADS, REBAL_OBJECT_REBALANCER_STATUS, "observedWorkloads"},
    {REBAL_REPLACES_TAINTS, REBAL_OBJECT_CLUSTER_SPEC, "taints"},
    {REBAL_REPLACES_SUBSET_STATUSES, REBAL_OBJECT_SPREAD_STATUS, "subsetStatuses"},
    {REBAL_REPLACES_OVERALL_USED, REBAL_OBJECT_FEDERATED_QUOTA_STATUS, "overallUsed"},
};

static int32_t mark_removed(json_t *members, uint32_t object, const struct rebali_action_row *action,
                            rebal_error *err) {
  int32_t result = REBAL_OK;
  size_t n;
  const struct rebali_field *fields = rebali_schema_fields(object, &n);
  for (size_t i = 0; result == REBAL_OK && i < sizeof replaced / sizeof replaced[0]; i++) {
    if (replaced[i].object == object && (action->replaces & replaced[i].bit) != 0 &&
        rebali_member(members, replaced[i].name) == NULL) {
      result = rebali_put(members, replaced[i].name, json_null(), err);
    }
  }
  /* A rebalancer's status is replaced as a whole: missing members are unset. */
  for (size_t i = 0; result == REBAL_OK && action->payload_object == REBAL_OBJECT_REBALANCER_STATUS && i < n; i++) {
    if (rebali_member(members, fields[i].name) == NULL) {
      result = rebali_put(members, fields[i].name, json_null(), err);
    }
  }
  return result;
}

static int32_t put_annotation(json_t *metadata, const struct rebali_action_row *action, rebal_error *err) {
  struct rebali_buffer output = REBALI_BUFFER;
  json_t *annotations = rebali_map_at(metadata, "annotations");
  int32_t result = rebali_applied_write(action->payload, &output, err);
  if (result == REBAL_OK) {
    result = rebali_put(annotations, REBALI_APPLIED_PLACEMENT, json_stringn_nocheck(output.bytes, output.len), err);
  }
  rebali_buffer_dispose(&output);
  return result;
}

/* Adds the members of one part of the object. */
static int32_t put_part(json_t *tree, const char *part, const struct rebali_action_row *action, rebal_error *err) {
  json_t *members = NULL;
  int32_t result;
  if (action->payload_object == REBAL_OBJECT_PLACEMENT && action->kind == REBAL_ACTION_KIND_PATCH_METADATA) {
    return put_annotation(rebali_map_at(tree, part), action, err);
  }
  result = rebali_record_tree(action->payload, 0, action->payload_object, &members, err);
  if (result == REBAL_OK) {
    result = mark_removed(members, action->payload_object, action, err);
  }
  if (result != REBAL_OK) {
    json_decref(members);
    return result;
  }
  return rebali_put(tree, part, members, err);
}

/* Adds a null for a replaced member that the payload lacks. */
static int32_t put_removed(json_t *map, const char *name, rebal_error *err) {
  return rebali_member(map, name) == NULL ? rebali_put(map, name, json_null(), err) : REBAL_OK;
}

/* Puts spec and annotations of a binding in one patch. */
static int32_t put_binding(const struct rebali_action_row *action, json_t **tree, rebal_error *err) {
  json_t *spec;
  int32_t result = rebali_record_tree(action->payload, 0, action->payload_object, tree, err);
  if (result != REBAL_OK) {
    return result;
  }
  spec = rebali_map_at(*tree, "spec");
  result = mark_removed(spec, REBAL_OBJECT_BINDING_SPEC, action, err);
  if (result == REBAL_OK && (action->replaces & REBAL_REPLACES_SCHEDULING_SUSPENSION) != 0) {
    result = put_removed(rebali_map_at(spec, "suspension"), "scheduling", err);
  }
  if (result == REBAL_OK && (action->replaces & REBAL_REPLACES_PLAN_MARK) != 0) {
    result = put_removed(rebali_map_at(rebali_map_at(*tree, "metadata"), "annotations"), REBALI_PLAN_MARK, err);
  }
  return result;
}

static int32_t put_identity(json_t *tree, const struct rebali_action_row *action, rebal_error *err) {
  json_t *metadata = rebali_map_at(tree, "metadata");
  int32_t result = rebali_put_text(tree, "apiVersion", action->api_version, err);
  if (result == REBAL_OK) {
    result = rebali_put_text(tree, "kind", action->object_kind, err);
  }
  if (result == REBAL_OK) {
    result = rebali_put_text(metadata, "name", action->name, err);
  }
  if (result == REBAL_OK && action->namespace_[0] != '\0') {
    result = rebali_put_text(metadata, "namespace", action->namespace_, err);
  }
  return result;
}

static const struct {
  int64_t kind;
  const char *part;
} parts[] = {
    {REBAL_ACTION_KIND_PATCH_SPEC, "spec"},
    {REBAL_ACTION_KIND_PATCH_STATUS, "status"},
    {REBAL_ACTION_KIND_PATCH_METADATA, "metadata"},
    {REBAL_ACTION_KIND_SCALE, "spec"},
};

int32_t rebali_action_patch(const struct rebali_action_row *action, json_t **out, rebal_error *err) {
  json_t *tree = NULL;
  int32_t result = REBAL_EINVAL;
  if (action->payload == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "the action has no payload");
  }
  if (action->payload_object == REBAL_OBJECT_POD_PATCH) {
    return rebali_pod_patch(action->payload, out, err);
  }
  if (action->kind == REBAL_ACTION_KIND_CREATE) {
    result = rebali_record_tree(action->payload, 0, action->payload_object, &tree, err);
    if (result == REBAL_OK) {
      result = put_identity(tree, action, err);
    }
  } else if (action->payload_object == REBAL_OBJECT_BINDING && action->kind == REBAL_ACTION_KIND_PATCH_SPEC) {
    result = put_binding(action, &tree, err);
  } else {
    tree = json_object();
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
      if (parts[i].kind == action->kind) {
        result = put_part(tree, parts[i].part, action, err);
      }
    }
  }
  if (result != REBAL_OK) {
    json_decref(tree);
  } else {
    *out = tree;
  }
  return result;
}
