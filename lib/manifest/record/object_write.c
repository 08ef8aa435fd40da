/* SPDX-License-Identifier: MIT */
/* Writes clusters and bindings of the core as Kubernetes objects: the inverse of cluster.c and binding.c. */
#include "manifest/record/call.h"

#include <string.h>

static int32_t put_path(json_t *tree, const char *path, json_t *value, rebal_error *err) {
  const char *key;
  json_t *map = rebali_map_above(tree, path, &key);
  return rebali_put(map, key, value, err);
}

static json_t *object_of(const char *api_version, const char *kind) {
  return json_pack("{s:s, s:s, s:{}}", "apiVersion", api_version, "kind", kind, "metadata");
}

/* ---- clusters ---- */

static int32_t put_amount(json_t *map, const char *resource, const rebal_quantity *amount, rebal_error *err) {
  char text[96];
  size_t len;
  const int32_t result = rebali_quantity_format(amount, text, sizeof text, &len, err);
  return result == REBAL_OK ? rebali_put(map, resource, json_stringn_nocheck(text, len), err) : result;
}

static int32_t put_part(const rebal_snapshot *snapshot, uint32_t cluster, const struct rebali_summary_part *part,
                        json_t *tree, rebal_error *err) {
  const uint32_t n = rebal_cells_bound(rebal_snapshot_cells(snapshot), REBAL_TABLE_RESOURCE, REBAL_NONE);
  int32_t result = REBAL_OK;
  for (uint32_t resource = 0; result == REBAL_OK && resource < n; resource++) {
    rebal_quantity amount;
    if (rebal_snapshot_capacity(snapshot, part->part, cluster, resource, &amount)) {
      const char *key;
      json_t *map = rebali_map_at(rebali_map_above(tree, part->path, &key), strrchr(part->path, '.') + 1);
      result = put_amount(
          map, rebal_cells_get_text(rebal_snapshot_cells(snapshot), REBAL_RESOURCE_NAME, REBAL_NONE, resource, NULL),
          &amount, err);
    }
  }
  return result;
}

static int32_t fill_cluster(const rebal_snapshot *snapshot, uint32_t cluster, json_t *tree, rebal_error *err) {
  const struct rebali_origin origin = {snapshot, NULL, cluster};
  size_t len;
  const char *name = rebali_cluster_name(snapshot, cluster, &len);
  int32_t result = put_path(tree, "metadata.name", json_stringn_nocheck(name, len), err);
  if (result == REBAL_OK &&
      rebal_cells_get_i64(rebal_snapshot_cells(snapshot), REBAL_CLUSTER_HAS_SUMMARY, REBAL_NONE, cluster) == 1) {
    result = put_path(tree, "status.resourceSummary", json_object(), err);
  }
  if (result == REBAL_OK) {
    result = rebali_columns_write(&origin, rebali_cluster_rows.columns, rebali_cluster_rows.n, tree, err);
  }
  for (size_t i = 0; result == REBAL_OK && i < REBALI_SUMMARY_PARTS; i++) {
    result = put_part(snapshot, cluster, &rebali_summary_parts[i], tree, err);
  }
  return result;
}

/* Hands the tree to the caller, or drops it on failure. */
static int32_t finish(json_t *tree, int32_t result, json_t **out) {
  if (result != REBAL_OK) {
    json_decref(tree);
  } else {
    *out = tree;
  }
  return result;
}

int32_t rebali_cluster_tree(const rebal_snapshot *snapshot, uint32_t cluster, json_t **out, rebal_error *err) {
  json_t *tree = object_of("cluster.karmada.io/v1alpha1", "Cluster");
  const int32_t result = tree != NULL ? fill_cluster(snapshot, cluster, tree, err) : rebali_fail_memory(err);
  return finish(tree, result, out);
}

/* ---- bindings ---- */

const struct rebali_column rebali_binding_cells[REBALI_BINDING_CELLS] = {
    {REBAL_BINDING_APPLIED_STRICTLY_EQUAL, REBAL_TYPE_BOOLEAN, 0, "cells.APPLIED_STRICTLY_EQUAL"},
    {REBAL_BINDING_PRESERVES_CLUSTER_STATE, REBAL_TYPE_BOOLEAN, 0, "cells.PRESERVES_CLUSTER_STATE"},
    {REBAL_BINDING_PRESERVES_APPLICATION_STATE, REBAL_TYPE_BOOLEAN, 0, "cells.PRESERVES_APPLICATION_STATE"},
    {REBAL_BINDING_HEALTH_UNKNOWN_KIND, REBAL_TYPE_BOOLEAN, 0, "cells.HEALTH_UNKNOWN_KIND"},
    {REBAL_BINDING_POD_LABELS, REBAL_TYPE_HANDLE, REBAL_OBJECT_LABELS, "cells.POD_LABELS"},
    {REBAL_BINDING_PLAN_MARK, REBAL_TYPE_TEXT, 0, "cells.PLAN_MARK"},
};

static int32_t put_count(const struct rebali_origin *item, uint32_t column, json_t *tree, const char *name,
                         rebal_error *err) {
  const int64_t count = rebal_cells_get_i64(rebal_bindings_const_cells(item->bindings), column, REBAL_NONE, item->row);
  return count == REBAL_ABSENT ? REBAL_OK : rebali_put(rebali_map_at(tree, "status"), name, json_integer(count), err);
}

/* Builds the list item of a child row. */
static int32_t child_tree(const struct rebali_origin *origin, const struct rebali_row_columns *rows, json_t **out,
                          rebal_error *err) {
  json_t *item = json_object();
  int32_t result =
      item != NULL ? rebali_columns_write(origin, rows->columns, rows->n, item, err) : rebali_fail_memory(err);
  if (result == REBAL_OK && rows->table == REBAL_TABLE_STATUS_ITEM) {
    result = put_count(origin, REBAL_STATUS_ITEM_READY_REPLICAS, item, "readyReplicas", err);
    if (result == REBAL_OK) {
      result = put_count(origin, REBAL_STATUS_ITEM_REPLICAS, item, "replicas", err);
    }
  }
  return finish(item, result, out);
}

static int32_t put_children(const struct rebali_origin *binding, const struct rebali_row_columns *rows, json_t *tree,
                            rebal_error *err) {
  struct rebali_origin child = *binding;
  uint32_t row = rebal_cells_next(rebal_bindings_const_cells(binding->bindings), rows->table, binding->row, REBAL_NONE);
  json_t *list = row != REBAL_NONE ? json_array() : NULL;
  int32_t result = row != REBAL_NONE ? put_path(tree, rows->path, list, err) : REBAL_OK;
  for (; result == REBAL_OK && row != REBAL_NONE;
       row = rebal_cells_next(rebal_bindings_const_cells(binding->bindings), rows->table, binding->row, row)) {
    json_t *item = NULL;
    child.row = row;
    result = child_tree(&child, rows, &item, err);
    if (result == REBAL_OK && json_array_append_new(list, item) != 0) {
      result = rebali_fail_memory(err);
    }
  }
  return result;
}

static int32_t put_conditions(const struct rebali_origin *binding, json_t *tree, rebal_error *err) {
  const struct rebali_row_columns *rows = &rebali_binding_rows[REBALI_BINDING_CONDITION];
  json_t *scheduled = json_object();
  json_t *list = json_array();
  int32_t result = rebali_columns_write(binding, rows->columns, rows->n, scheduled, err);
  if (result == REBAL_OK && json_object_size(scheduled) > 0) {
    result = rebali_put_text(scheduled, "type", "Scheduled", err);
    if (result == REBAL_OK && json_array_append(list, scheduled) != 0) {
      result = rebali_fail_memory(err);
    }
  }
  if (result == REBAL_OK &&
      rebal_cells_get_i64(rebal_bindings_const_cells(binding->bindings), REBAL_BINDING_FULLY_APPLIED, REBAL_NONE,
                          binding->row) == 1 &&
      json_array_append_new(list, json_pack("{s:s, s:s}", "type", "FullyApplied", "status", "True")) != 0) {
    result = rebali_fail_memory(err);
  }
  if (result == REBAL_OK && json_array_size(list) > 0) {
    result = put_path(tree, rows->path, json_incref(list), err);
  }
  json_decref(scheduled);
  json_decref(list);
  return result;
}

static int32_t put_annotation(json_t *tree, const json_t *applied, rebal_error *err) {
  struct rebali_buffer text = REBALI_BUFFER;
  int32_t result = REBAL_OK;
  if (applied != NULL) {
    result = rebali_json_write(applied, 0, &text);
  } else {
    rebali_buffer_text(&text, "{"); /* for an unreadable value only its presence was kept */
  }
  if (result == REBAL_OK && text.failed) {
    result = REBAL_ENOMEM;
  }
  if (result == REBAL_OK) {
    result = rebali_put(rebali_map_at(rebali_map_at(tree, "metadata"), "annotations"), REBALI_APPLIED_PLACEMENT,
                        json_stringn_nocheck(text.bytes, text.len), err);
  } else {
    (void)rebali_fail(err, result, -1, "the applied placement cannot be written");
  }
  rebali_buffer_dispose(&text);
  return result;
}

/* Objects show only by different texts whether both placements were strictly equal, nil included. */
static int32_t put_strictness(const struct rebali_origin *binding, json_t *tree, const json_t *applied,
                              rebal_error *err) {
  const json_t *placement = rebali_member(rebali_member(tree, "spec"), "placement");
  const int64_t was = rebal_cells_get_i64(rebal_bindings_const_cells(binding->bindings),
                                          REBAL_BINDING_APPLIED_STRICTLY_EQUAL, REBAL_NONE, binding->row);
  const int is =
      placement != NULL && applied != NULL && rebali_strictly_equal(REBAL_OBJECT_PLACEMENT, placement, applied);
  return is == was ? REBAL_OK : put_path(tree, rebali_binding_cells[0].path, json_boolean(was != 0), err);
}

static int32_t put_applied(const struct rebali_origin *binding, json_t *tree, rebal_error *err) {
  static const struct rebali_column column = {REBAL_BINDING_APPLIED_PLACEMENT, REBAL_TYPE_HANDLE,
                                              REBAL_OBJECT_PLACEMENT, ""};
  const int64_t state = rebal_cells_get_i64(rebal_bindings_const_cells(binding->bindings), REBAL_BINDING_APPLIED_STATE,
                                            REBAL_NONE, binding->row);
  json_t *applied = NULL;
  int32_t result = REBAL_OK;
  if (state == REBAL_ANNOTATION_PRESENT) {
    result = rebali_cell_tree(binding, &column, &applied, err);
  }
  if (result == REBAL_OK && state != REBAL_ANNOTATION_ABSENT) {
    result = put_annotation(tree, applied, err);
  }
  if (result == REBAL_OK) {
    result = put_strictness(binding, tree, applied, err);
  }
  json_decref(applied);
  return result;
}

static int32_t fill_binding(const struct rebali_origin *binding, json_t *tree, rebal_error *err) {
  int32_t result = rebali_columns_write(binding, rebali_binding_rows[0].columns, rebali_binding_rows[0].n, tree, err);
  if (result == REBAL_OK && rebal_cells_get_i64(rebal_bindings_const_cells(binding->bindings), REBAL_BINDING_MANAGED,
                                                REBAL_NONE, binding->row) == 1) {
    result =
        rebali_put_text(rebali_map_at(rebali_map_at(tree, "metadata"), "labels"), REBALI_MANAGED_BY, "recorded", err);
  }
  if (result == REBAL_OK) {
    result = put_applied(binding, tree, err);
  }
  if (result == REBAL_OK) {
    result = put_conditions(binding, tree, err);
  }
  if (result == REBAL_OK) {
    result = rebali_columns_write(binding, &rebali_binding_cells[1], REBALI_BINDING_CELLS - 1, tree, err);
  }
  for (size_t i = REBALI_BINDING_CHILDREN; result == REBAL_OK && i < REBALI_BINDING_ROWS; i++) {
    result = put_children(binding, &rebali_binding_rows[i], tree, err);
  }
  return result;
}

int32_t rebali_binding_tree(const rebal_snapshot *snapshot, const rebal_bindings *bindings, uint32_t row, json_t **out,
                            rebal_error *err) {
  const struct rebali_origin binding = {snapshot, bindings, row};
  const int is_cluster_scoped =
      rebal_cells_get_i64(rebal_bindings_const_cells(bindings), REBAL_BINDING_CLUSTER_SCOPED, REBAL_NONE, row) == 1;
  json_t *tree =
      object_of("work.karmada.io/v1alpha2", is_cluster_scoped ? "ClusterResourceBinding" : "ResourceBinding");
  const int32_t result = tree != NULL ? fill_binding(&binding, tree, err) : rebali_fail_memory(err);
  return finish(tree, result, out);
}
