/* SPDX-License-Identifier: MIT */
/* Ledgers as the vectors' member "assumed": lists of workloads by cluster. Our own also hold key and expiry. */
#include "manifest/record/call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- writing ---- */

static int64_t cell(const rebal_result *rows, uint32_t column, size_t row) {
  return rebal_result_i64(rows, column, NULL)[row];
}

json_t *rebali_component_tree(int64_t replicas, const rebal_record *requirements) {
  json_t *component = json_pack("{s:I}", "replicas", (json_int_t)replicas);
  json_t *tree = NULL;
  if (requirements != NULL && (rebali_record_tree_as_is(requirements, &tree, NULL) != REBAL_OK ||
                               json_object_set_new_nocheck(component, "replicaRequirements", tree) != 0)) {
    json_decref(component);
    return NULL;
  }
  return component;
}

/* Starts the workload of the first component of a set, without components. */
static json_t *begin_workload(const rebal_snapshot *snapshot, const rebal_result *rows, size_t row, json_t *map) {
  const char *cluster = rebali_cluster_name(snapshot, (uint32_t)cell(rows, REBAL_SPENT_CLUSTER, row), NULL);
  size_t len;
  const char *key = rebal_result_text(rows, REBAL_SPENT_KEY, row, &len);
  json_t *workload = json_pack("{s:o, s:[]}", "key", json_stringn_nocheck(key, len), "components");
  json_t *list = json_object_get(map, cluster);
  rebal_time expiry;
  rebal_result_time(rows, REBAL_SPENT_EXPIRY, row, &expiry);
  if (expiry.is_set && json_object_set_new_nocheck(workload, "expiry", rebali_time_value(&expiry)) != 0) {
    json_decref(workload);
    return NULL;
  }
  if (list == NULL) {
    list = json_array();
    if (json_object_set_new_nocheck(map, cluster, list) != 0) {
      json_decref(workload);
      return NULL;
    }
  }
  return json_array_append_new(list, workload) == 0 ? workload : NULL;
}

int32_t rebali_ledger_tree(const rebal_snapshot *snapshot, const rebal_ledger *ledger, json_t **out, rebal_error *err) {
  rebal_result *rows = NULL;
  json_t *map = json_object();
  json_t *workload = NULL;
  int32_t result = map != NULL ? rebal_result_new(NULL, &rows, err) : rebali_fail_memory(err);
  if (result == REBAL_OK) {
    result = rebal_ledger_read(ledger, rows, err);
  }
  for (size_t row = 0; result == REBAL_OK && row < rebal_result_count(rows, REBAL_TABLE_SPENT); row++) {
    const rebal_record *record = rebal_cells_record(rebal_snapshot_cells(snapshot), REBAL_OBJECT_REQUIREMENTS,
                                                    rebali_cell_id(cell(rows, REBAL_SPENT_REQUIREMENTS, row)));
    if (cell(rows, REBAL_SPENT_COMPONENT, row) == 0) {
      workload = begin_workload(snapshot, rows, row, map);
    }
    if (json_array_append_new(json_object_get(workload, "components"),
                              rebali_component_tree(cell(rows, REBAL_SPENT_REPLICAS, row), record)) != 0) {
      result = rebali_fail_memory(err);
    }
  }
  rebal_result_free(rows);
  if (result != REBAL_OK) {
    json_decref(map);
  } else {
    *out = map;
  }
  return result;
}

/* ---- reading ---- */

/* Target of the charges. */
struct purse {
  rebal_fleet *fleet;
  rebal_builder *builder;
  rebal_ledger *ledger;
};

static int32_t read_component(rebal_fleet *fleet, rebal_builder *builder, const json_t *tree,
                              const struct rebali_path *path, size_t i, struct rebali_components *components,
                              rebal_error *err) {
  const struct rebali_path replicas_at = rebali_path_key(path, "replicas");
  const struct rebali_path requirements_at = rebali_path_key(path, "replicaRequirements");
  const json_t *replicas = rebali_member(tree, "replicas");
  const json_t *requirements = rebali_member(tree, "replicaRequirements");
  const rebal_record *record;
  int64_t count = 0;
  int32_t result = rebali_read_map(tree, path, err);
  components->requirements[i] = REBAL_NONE;
  if (result == REBAL_OK && replicas != NULL) {
    result = rebali_read_integer(replicas, REBAL_TYPE_COUNT32, &replicas_at, &count, err);
  }
  if (result == REBAL_OK && requirements != NULL) {
    result = rebali_read_record(builder, REBAL_OBJECT_REQUIREMENTS, requirements, &requirements_at, &record, err);
    if (result == REBAL_OK) {
      result = rebal_fleet_intern(fleet, record, &components->requirements[i], err);
    }
  }
  components->replicas[i] = (int32_t)count;
  return result;
}

int32_t rebali_components_read(rebal_fleet *fleet, rebal_builder *builder, const json_t *list,
                               const struct rebali_path *path, struct rebali_components *components, rebal_error *err) {
  int32_t result = list != NULL ? rebali_read_list(list, path, err) : REBAL_OK;
  *components = (struct rebali_components){NULL, NULL, json_array_size(list)};
  if (result != REBAL_OK) {
    return result;
  }
  components->requirements = calloc(components->n + 1, sizeof *components->requirements);
  components->replicas = calloc(components->n + 1, sizeof *components->replicas);
  if (components->requirements == NULL || components->replicas == NULL) {
    return rebali_fail_memory(err);
  }
  for (size_t i = 0; result == REBAL_OK && i < components->n; i++) {
    const struct rebali_path at = rebali_path_index(path, i);
    result = read_component(fleet, builder, json_array_get(list, i), &at, i, components, err);
  }
  return result;
}

void rebali_components_dispose(struct rebali_components *components) {
  free(components->requirements);
  free(components->replicas);
}

static int32_t read_expiry(const json_t *workload, const struct rebali_path *path, rebal_time *expiry,
                           rebal_error *err) {
  const struct rebali_path at = rebali_path_key(path, "expiry");
  const json_t *value = rebali_member(workload, "expiry");
  return value != NULL ? rebali_read_time(value, &at, expiry, err) : REBAL_OK;
}

static int32_t charge(const struct purse *purse, const char *cluster, const json_t *workload, size_t index,
                      const struct rebali_path *path, const struct rebali_components *components, rebal_error *err) {
  const char *key = rebali_member_text(workload, "key");
  rebal_time expiry = {0, 0, 0};
  char ordinal[32];
  uint32_t id = 0;
  int32_t result = read_expiry(workload, path, &expiry, err);
  (void)snprintf(ordinal, sizeof ordinal, "%06zu", index); /* the vectors give no keys, only an order */
  if (result == REBAL_OK) {
    result = rebal_fleet_cluster_id(purse->fleet, cluster, strlen(cluster), &id, err);
  }
  key = *key != '\0' ? key : ordinal;
  if (result == REBAL_OK) {
    const rebal_charge charge = {(uint32_t)sizeof charge, id,     components->requirements, components->replicas,
                                 components->n,           &expiry};

    result = rebal_ledger_charge(purse->ledger, key, strlen(key), &charge, err);
  }
  return result;
}

static int32_t read_workload(const struct purse *purse, const char *cluster, const json_t *workload, size_t index,
                             const struct rebali_path *path, rebal_error *err) {
  const struct rebali_path list_at = rebali_path_key(path, "components");
  struct rebali_components components;
  int32_t result = rebali_read_map(workload, path, err);
  if (result != REBAL_OK) {
    return result;
  }
  result = rebali_components_read(purse->fleet, purse->builder, rebali_member(workload, "components"), &list_at,
                                  &components, err);
  if (result == REBAL_OK) {
    result = charge(purse, cluster, workload, index, path, &components, err);
  }
  rebali_components_dispose(&components);
  return result;
}

int32_t rebali_ledger_fill(rebal_fleet *fleet, rebal_builder *builder, const json_t *assumed,
                           const struct rebali_path *path, rebal_ledger *ledger, rebal_error *err) {
  const struct purse purse = {fleet, builder, ledger};
  const char *cluster;
  json_t *list;
  int32_t result = rebali_read_map(assumed, path, err);
  if (result != REBAL_OK) {
    return result;
  }
  json_object_foreach((json_t *)(uintptr_t)assumed, cluster, list) {
    const struct rebali_path at = rebali_path_key(path, cluster);
    result = rebali_read_list(list, &at, err);
    for (size_t i = 0; result == REBAL_OK && i < json_array_size(list); i++) {
      const struct rebali_path item_at = rebali_path_index(&at, i);
      result = read_workload(&purse, cluster, json_array_get(list, i), i, &item_at, err);
    }
    if (result != REBAL_OK) {
      return result;
    }
  }
  return REBAL_OK;
}
