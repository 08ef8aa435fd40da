/* SPDX-License-Identifier: MIT */
/* Columns of a binding that columns.def describes in words, and its child rows. */
#include "conformance.h"

#include <string.h>

#define APPLIED "policy.karmada.io/applied-placement"

static int set_i64(struct conformance *run, const struct cell *cell, uint32_t column, int64_t value) {
  return failed(
      run, rebal_cells_set_i64(rebal_bindings_cells(cell->bindings), column, REBAL_NONE, cell->row, value, &run->err));
}

static int read_applied(struct conformance *run, struct cell *cell, const json_t *binding) {
  const json_t *annotation = json_object_get(json_at(binding, "metadata.annotations"), APPLIED);
  const char *text = json_string_value(annotation);
  json_t *placement;
  int failure;

  if (text == NULL || *text == '\0') {
    return 0;
  }
  placement = json_loads(text, 0, NULL);
  if (!json_is_object(placement)) {
    json_decref(placement);
    return set_i64(run, cell, REBAL_BINDING_APPLIED_STATE, REBAL_ANNOTATION_UNPARSABLE);
  }
  cell->column = REBAL_BINDING_APPLIED_PLACEMENT;
  failure = set_i64(run, cell, REBAL_BINDING_APPLIED_STATE, REBAL_ANNOTATION_PRESENT) ||
            cell_set(run, cell, placement) ||
            set_i64(run, cell, REBAL_BINDING_APPLIED_STRICTLY_EQUAL,
                    json_equal(placement, json_at(binding, "spec.placement")));
  json_decref(placement);
  return failure;
}

static int read_conditions(struct conformance *run, struct cell *cell, const json_t *binding) {
  static const struct {
    uint32_t column;
    const char *member;
  } members[] = {{REBAL_BINDING_CONDITION_STATUS, "status"},
                 {REBAL_BINDING_CONDITION_REASON, "reason"},
                 {REBAL_BINDING_CONDITION_MESSAGE, "message"},
                 {REBAL_BINDING_CONDITION_TRANSITION_TIME, "lastTransitionTime"}};
  const json_t *condition;
  size_t i;
  size_t j;

  json_array_foreach(json_at(binding, "status.conditions"), i, condition) {
    if (strcmp(text_at(condition, "type"), "FullyApplied") == 0 &&
        set_i64(run, cell, REBAL_BINDING_FULLY_APPLIED, strcmp(text_at(condition, "status"), "True") == 0)) {
      return 1;
    }
    for (j = 0; strcmp(text_at(condition, "type"), "Scheduled") == 0 && j < sizeof members / sizeof members[0]; j++) {
      cell->column = members[j].column;
      if (cell_set(run, cell, json_at(condition, members[j].member))) {
        return 1;
      }
    }
  }
  return 0;
}

static int is_managed(const json_t *binding) {
  static const char *const keys[] = {"propagationpolicy.karmada.io/permanent-id",
                                     "clusterpropagationpolicy.karmada.io/permanent-id",
                                     "binding.karmada.io/managed-by"};
  const json_t *labels = json_at(binding, "metadata.labels");
  size_t i;

  for (i = 0; i < sizeof keys / sizeof keys[0]; i++) {
    const char *value = json_string_value(json_object_get(labels, keys[i]));

    if (value != NULL && *value != '\0') {
      return 1;
    }
  }
  return 0;
}

static int read_children(struct conformance *run, struct world *world, uint32_t parent, const json_t *binding) {
  static const struct {
    uint32_t table;
    const char *path;
    const char *list;
  } tables[] = {{REBAL_TABLE_TARGET, "spec.clusters", "spec.clusters[]."},
                {REBAL_TABLE_TASK, "spec.gracefulEvictionTasks", "spec.gracefulEvictionTasks[]."},
                {REBAL_TABLE_STATUS_ITEM, "status.aggregatedStatus", "status.aggregatedStatus[]."},
                {REBAL_TABLE_COMPONENT, "spec.components", "spec.components[]."}};
  struct cell cell = {world->fleet, world->bindings, 0, 0};
  const json_t *item;
  size_t i;
  size_t t;

  for (t = 0; t < sizeof tables / sizeof tables[0]; t++) {
    json_array_foreach(json_at(binding, tables[t].path), i, item) {
      if (failed(run, rebal_cells_add(rebal_bindings_cells(world->bindings), tables[t].table, parent, &cell.row, 1,
                                      &run->err)) ||
          row_read(run, &cell, tables[t].table, tables[t].list, item)) {
        return 1;
      }
      cell.column = REBAL_STATUS_ITEM_READY_REPLICAS;
      if (tables[t].table == REBAL_TABLE_STATUS_ITEM && json_is_integer(json_at(item, "status.readyReplicas")) &&
          cell_set(run, &cell, json_at(item, "status.readyReplicas"))) {
        return 1;
      }
    }
  }
  return 0;
}

int binding_read(struct conformance *run, struct world *world, const json_t *binding) {
  struct cell cell = {world->fleet, world->bindings, 0, 0};
  const int64_t cluster_scoped = strcmp(text_at(binding, "kind"), "ClusterResourceBinding") == 0;

  return failed(run, rebal_cells_add(rebal_bindings_cells(world->bindings), REBAL_TABLE_BINDING, REBAL_NONE, &cell.row,
                                     1, &run->err)) ||
         row_read(run, &cell, REBAL_TABLE_BINDING, "", binding) ||
         set_i64(run, &cell, REBAL_BINDING_CLUSTER_SCOPED, cluster_scoped) ||
         set_i64(run, &cell, REBAL_BINDING_MANAGED, is_managed(binding)) || read_applied(run, &cell, binding) ||
         read_conditions(run, &cell, binding) || read_children(run, world, cell.row, binding);
}
