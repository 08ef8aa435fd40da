/* SPDX-License-Identifier: MIT */
/* Reads ResourceBinding and ClusterResourceBinding objects into rows (rebalance-karmada(7) 1.3). */
#include "manifest/manifest.h"

#include <string.h>

static const struct rebali_column columns[] = {
    {REBAL_BINDING_NAMESPACE, REBAL_TYPE_TEXT, 0, "metadata.namespace"},
    {REBAL_BINDING_NAME, REBAL_TYPE_TEXT, 0, "metadata.name"},
    {REBAL_BINDING_UID, REBAL_TYPE_TEXT, 0, "metadata.uid"},
    {REBAL_BINDING_RESOURCE_VERSION, REBAL_TYPE_TEXT, 0, "metadata.resourceVersion"},
    {REBAL_BINDING_GENERATION, REBAL_TYPE_INT64, 0, "metadata.generation"},
    {REBAL_BINDING_DELETING, REBALI_TYPE_PRESENCE, 0, "metadata.deletionTimestamp"},
    {REBAL_BINDING_RESOURCE_API_VERSION, REBAL_TYPE_TEXT, 0, "spec.resource.apiVersion"},
    {REBAL_BINDING_RESOURCE_KIND, REBAL_TYPE_TEXT, 0, "spec.resource.kind"},
    {REBAL_BINDING_RESOURCE_NAMESPACE, REBAL_TYPE_TEXT, 0, "spec.resource.namespace"},
    {REBAL_BINDING_RESOURCE_NAME, REBAL_TYPE_TEXT, 0, "spec.resource.name"},
    {REBAL_BINDING_RESOURCE_UID, REBAL_TYPE_TEXT, 0, "spec.resource.uid"},
    {REBAL_BINDING_REPLICAS, REBAL_TYPE_COUNT32, 0, "spec.replicas"},
    {REBAL_BINDING_REQUIREMENTS, REBAL_TYPE_HANDLE, REBAL_OBJECT_REQUIREMENTS, "spec.replicaRequirements"},
    {REBAL_BINDING_PLACEMENT, REBAL_TYPE_HANDLE, REBAL_OBJECT_PLACEMENT, "spec.placement"},
    {REBAL_BINDING_SCHEDULER_NAME, REBAL_TYPE_TEXT, 0, "spec.schedulerName"},
    {REBAL_BINDING_SCHEDULING_SUSPENDED, REBAL_TYPE_BOOLEAN, 0, "spec.suspension.scheduling"},
    {REBAL_BINDING_PRIORITY, REBAL_TYPE_INT32, 0, "spec.schedulePriority.priority"},
    {REBAL_BINDING_RESCHEDULE_TRIGGERED_AT, REBAL_TYPE_TIME, 0, "spec.rescheduleTriggeredAt"},
    {REBAL_BINDING_PROPAGATE_DEPS, REBAL_TYPE_BOOLEAN, 0, "spec.propagateDeps"},
    {REBAL_BINDING_HAS_CLUSTER_FAILOVER, REBALI_TYPE_PRESENCE, 0, "spec.failover.cluster"},
    {REBAL_BINDING_CLUSTER_FAILOVER_PURGE_MODE, REBAL_TYPE_TEXT, 0, "spec.failover.cluster.purgeMode"},
    {REBAL_BINDING_HAS_APPLICATION_FAILOVER, REBALI_TYPE_PRESENCE, 0, "spec.failover.application"},
    {REBAL_BINDING_APPLICATION_TOLERATION_SECONDS, REBAL_TYPE_INT32, 0,
     "spec.failover.application.decisionConditions.tolerationSeconds"},
    {REBAL_BINDING_APPLICATION_PURGE_MODE, REBAL_TYPE_TEXT, 0, "spec.failover.application.purgeMode"},
    {REBAL_BINDING_APPLICATION_GRACE_PERIOD_SECONDS, REBAL_TYPE_INT32, 0,
     "spec.failover.application.gracePeriodSeconds"},
    {REBAL_BINDING_AFFINITY_GROUP, REBAL_TYPE_TEXT, 0, "spec.workloadAffinityGroups.affinityGroup"},
    {REBAL_BINDING_ANTI_AFFINITY_GROUP, REBAL_TYPE_TEXT, 0, "spec.workloadAffinityGroups.antiAffinityGroup"},
    {REBAL_BINDING_OBSERVED_GENERATION, REBAL_TYPE_INT64, 0, "status.schedulerObservedGeneration"},
    {REBAL_BINDING_OBSERVED_AFFINITY_NAME, REBAL_TYPE_TEXT, 0, "status.schedulerObservingAffinityName"},
    {REBAL_BINDING_LAST_SCHEDULED_TIME, REBAL_TYPE_TIME, 0, "status.lastScheduledTime"},
};

static const struct rebali_column condition_columns[] = {
    {REBAL_BINDING_CONDITION_STATUS, REBAL_TYPE_TEXT, 0, "status"},
    {REBAL_BINDING_CONDITION_REASON, REBAL_TYPE_TEXT, 0, "reason"},
    {REBAL_BINDING_CONDITION_MESSAGE, REBAL_TYPE_TEXT, 0, "message"},
    {REBAL_BINDING_CONDITION_TRANSITION_TIME, REBAL_TYPE_TIME, 0, "lastTransitionTime"},
};

static const struct rebali_column target_columns[] = {
    {REBAL_TARGET_CLUSTER, REBAL_TYPE_CLUSTER, 0, "name"},
    {REBAL_TARGET_REPLICAS, REBAL_TYPE_INT32, 0, "replicas"},
    {REBAL_TARGET_COMPONENTS, REBAL_TYPE_HANDLE, REBAL_OBJECT_TARGET_COMPONENTS, "components"},
};

static const struct rebali_column task_columns[] = {
    {REBAL_TASK_FROM_CLUSTER, REBAL_TYPE_CLUSTER, 0, "fromCluster"},
    {REBAL_TASK_PURGE_MODE, REBAL_TYPE_TEXT, 0, "purgeMode"},
    {REBAL_TASK_REPLICAS, REBAL_TYPE_INT32, 0, "replicas"},
    {REBAL_TASK_REASON, REBAL_TYPE_TEXT, 0, "reason"},
    {REBAL_TASK_MESSAGE, REBAL_TYPE_TEXT, 0, "message"},
    {REBAL_TASK_PRODUCER, REBAL_TYPE_TEXT, 0, "producer"},
    {REBAL_TASK_GRACE_PERIOD_SECONDS, REBAL_TYPE_INT32, 0, "gracePeriodSeconds"},
    {REBAL_TASK_SUPPRESS_DELETION, REBAL_TYPE_BOOLEAN, 0, "suppressDeletion"},
    {REBAL_TASK_PRESERVED_LABEL_STATE, REBAL_TYPE_HANDLE, REBAL_OBJECT_LABELS, "preservedLabelState"},
    {REBAL_TASK_CREATION_TIMESTAMP, REBAL_TYPE_TIME, 0, "creationTimestamp"},
    {REBAL_TASK_CLUSTERS_BEFORE_FAILOVER, REBAL_TYPE_HANDLE, REBAL_OBJECT_TEXTS, "clustersBeforeFailover"},
};

static const struct rebali_column item_columns[] = {
    {REBAL_STATUS_ITEM_CLUSTER, REBAL_TYPE_CLUSTER, 0, "clusterName"},
    {REBAL_STATUS_ITEM_HEALTH, REBAL_TYPE_TEXT, 0, "health"},
    {REBAL_STATUS_ITEM_APPLIED, REBAL_TYPE_BOOLEAN, 0, "applied"},
    {REBAL_STATUS_ITEM_CLUSTER_STATE, REBAL_TYPE_HANDLE, REBAL_OBJECT_LABELS, "cells.CLUSTER_STATE"},
    {REBAL_STATUS_ITEM_CLUSTER_STATE_ERROR, REBAL_TYPE_TEXT, 0, "cells.CLUSTER_STATE_ERROR"},
    {REBAL_STATUS_ITEM_APPLICATION_STATE, REBAL_TYPE_HANDLE, REBAL_OBJECT_LABELS, "cells.APPLICATION_STATE"},
    {REBAL_STATUS_ITEM_APPLICATION_STATE_ERROR, REBAL_TYPE_TEXT, 0, "cells.APPLICATION_STATE_ERROR"},
    {REBAL_STATUS_ITEM_SINCE, REBAL_TYPE_TIME, 0, "cells.SINCE"},
};

static const struct rebali_column component_columns[] = {
    {REBAL_COMPONENT_NAME, REBAL_TYPE_TEXT, 0, "name"},
    {REBAL_COMPONENT_REPLICAS, REBAL_TYPE_COUNT32, 0, "replicas"},
    {REBAL_COMPONENT_REQUIREMENTS, REBAL_TYPE_HANDLE, REBAL_OBJECT_REQUIREMENTS, "replicaRequirements"},
};

/* Memory of a step. No member of a binding holds it: only records of calls do. */
static const struct rebali_column unhealthy_columns[] = {
    {REBAL_UNHEALTHY_CLUSTER, REBAL_TYPE_CLUSTER, 0, "cluster"},
    {REBAL_UNHEALTHY_SINCE, REBAL_TYPE_TIME, 0, "since"},
};
static const struct rebali_column history_columns[] = {
    {REBAL_HISTORY_CLUSTER, REBAL_TYPE_CLUSTER, 0, "cluster"},
    {REBAL_HISTORY_TIME, REBAL_TYPE_TIME, 0, "time"},
};

const struct rebali_row_columns rebali_binding_rows[REBALI_BINDING_ROWS] = {
    {REBAL_TABLE_BINDING, "", columns, sizeof columns / sizeof columns[0]},
    {REBAL_TABLE_BINDING, "status.conditions", condition_columns,
     sizeof condition_columns / sizeof condition_columns[0]},
    {REBAL_TABLE_TARGET, "spec.clusters", target_columns, sizeof target_columns / sizeof target_columns[0]},
    {REBAL_TABLE_TASK, "spec.gracefulEvictionTasks", task_columns, sizeof task_columns / sizeof task_columns[0]},
    {REBAL_TABLE_STATUS_ITEM, "status.aggregatedStatus", item_columns, sizeof item_columns / sizeof item_columns[0]},
    {REBAL_TABLE_COMPONENT, "spec.components", component_columns,
     sizeof component_columns / sizeof component_columns[0]},
    {REBAL_TABLE_UNHEALTHY, "cells.UNHEALTHY", unhealthy_columns,
     sizeof unhealthy_columns / sizeof unhealthy_columns[0]},
    {REBAL_TABLE_HISTORY, "cells.HISTORY", history_columns, sizeof history_columns / sizeof history_columns[0]},
};

/*
 * The raw status may have any form: a number is truncated to an integer, any other value counts as absent
 * (rebalance-karmada(7) 8.2).
 */
static int32_t read_count(const struct rebali_sink *sink, const json_t *count, uint32_t column, rebal_error *err) {
  rebal_quantity cut = {.units = 0};
  if (json_is_integer(count)) {
    cut.units = (int64_t)json_integer_value(count);
  } else if (!rebali_number_is_verbatim(count, NULL) || rebali_read_quantity(count, NULL, &cut, NULL) != REBAL_OK) {
    return REBAL_OK;
  }
  if (cut.units > INT32_MAX || cut.units < INT32_MIN) {
    return REBAL_OK;
  }
  return rebali_sink_i64(sink, column, cut.units, err);
}

static int32_t read_counts(const struct rebali_sink *sink, const json_t *item, rebal_error *err) {
  const json_t *status = rebali_member(item, "status");
  const int32_t result =
      read_count(sink, rebali_member(status, "readyReplicas"), REBAL_STATUS_ITEM_READY_REPLICAS, err);
  return result == REBAL_OK ? read_count(sink, rebali_member(status, "replicas"), REBAL_STATUS_ITEM_REPLICAS, err)
                            : result;
}

static const struct {
  const char *owner;
  uint32_t preserves, state, error;
} preservations[] = {
    {"cluster", REBAL_BINDING_PRESERVES_CLUSTER_STATE, REBAL_STATUS_ITEM_CLUSTER_STATE,
     REBAL_STATUS_ITEM_CLUSTER_STATE_ERROR},
    {"application", REBAL_BINDING_PRESERVES_APPLICATION_STATE, REBAL_STATUS_ITEM_APPLICATION_STATE,
     REBAL_STATUS_ITEM_APPLICATION_STATE_ERROR},
};

enum { PRESERVATIONS = sizeof preservations / sizeof preservations[0] };

static const json_t *rules_of(const json_t *tree, const char *owner) {
  const json_t *failover = rebali_member(rebali_member(tree, "spec"), "failover");
  return rebali_member(rebali_member(rebali_member(failover, owner), "statePreservation"), "rules");
}

static int32_t read_rules(const struct rebali_sink *sink, const json_t *tree, rebal_error *err) {
  int32_t result = REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < PRESERVATIONS; i++) {
    const int has_rules = json_array_size(rules_of(tree, preservations[i].owner)) > 0;
    result = has_rules ? rebali_sink_i64(sink, preservations[i].preserves, 1, err) : REBAL_OK;
  }
  return result;
}

/* Reads what the columns of a status item do not hold verbatim. */
static int32_t read_raw_status(const struct rebali_sink *row, const json_t *tree, const json_t *item,
                               rebal_error *err) {
  int32_t result = read_counts(row, item, err);
  for (size_t i = 0; result == REBAL_OK && i < PRESERVATIONS; i++) {
    result = rebali_preserve(row, rules_of(tree, preservations[i].owner), rebali_member(item, "status"),
                             preservations[i].state, preservations[i].error, err);
  }
  return result;
}

static int32_t read_child(const struct rebali_sink *sink, const struct rebali_row_columns *child, const json_t *tree,
                          const json_t *item, const struct rebali_path *path, rebal_error *err) {
  struct rebali_sink row = *sink;
  int32_t result = item != NULL ? rebali_read_map(item, path, err) : REBAL_OK;
  if (result == REBAL_OK && sink->bindings != NULL) {
    result = rebal_cells_add(rebal_bindings_cells(sink->bindings), child->table, sink->row, &row.row, 1, err);
  }
  if (result == REBAL_OK) {
    result = rebali_columns_read(&row, child->columns, child->n, item, path, err);
  }
  if (result == REBAL_OK && child->table == REBAL_TABLE_STATUS_ITEM) {
    result = read_raw_status(&row, tree, item, err);
  }
  return result;
}

static int32_t read_children(const struct rebali_sink *sink, const struct rebali_row_columns *child, const json_t *tree,
                             const struct rebali_path *path, rebal_error *err) {
  struct rebali_place place;
  int32_t result = rebali_walk(tree, path, child->path, &place, err);
  if (result == REBAL_OK && place.value != NULL) {
    result = rebali_read_list(place.value, place.path, err);
  }
  for (size_t i = 0; result == REBAL_OK && i < json_array_size(place.value); i++) {
    const struct rebali_path at = rebali_path_index(place.path, i);
    result = read_child(sink, child, tree, rebali_present(json_array_get(place.value, i)), &at, err);
  }
  return result;
}

static int32_t read_conditions(const struct rebali_sink *sink, const json_t *tree, const struct rebali_path *path,
                               rebal_error *err) {
  struct rebali_place place;
  size_t at;
  int32_t result = rebali_walk(tree, path, "status", &place, err);
  const json_t *conditions = rebali_member(place.value, "conditions");
  const json_t *scheduled = rebali_find_condition(conditions, "Scheduled", &at);
  const json_t *applied;
  if (result == REBAL_OK && place.value != NULL) {
    result = rebali_read_map(place.value, place.path, err);
  }
  if (result == REBAL_OK) {
    result = rebali_read_object(NULL, REBAL_OBJECT_BINDING_STATUS, place.value, place.path, err);
  }
  if (result == REBAL_OK && scheduled != NULL) {
    const struct rebali_path list = rebali_path_key(place.path, "conditions");
    const struct rebali_path item = rebali_path_index(&list, at);
    result = rebali_columns_read(sink, condition_columns, sizeof condition_columns / sizeof condition_columns[0],
                                 scheduled, &item, err);
  }
  applied = rebali_find_condition(conditions, "FullyApplied", &at);
  if (result == REBAL_OK) {
    result = rebali_sink_i64(sink, REBAL_BINDING_FULLY_APPLIED,
                             strcmp(rebali_member_text(applied, "status"), "True") == 0, err);
  }
  return result;
}

static int is_managed(const json_t *metadata) {
  static const char *const labels[] = {"propagationpolicy.karmada.io/permanent-id",
                                       "clusterpropagationpolicy.karmada.io/permanent-id", REBALI_MANAGED_BY};
  for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++) {
    if (*rebali_member_text(rebali_member(metadata, "labels"), labels[i]) != '\0') {
      return 1;
    }
  }
  return 0;
}

static int32_t read_mark(const struct rebali_sink *sink, const json_t *tree, rebal_error *err) {
  const char *mark =
      rebali_member_text(rebali_member(rebali_member(tree, "metadata"), "annotations"), REBALI_PLAN_MARK);
  return *mark == '\0' ? REBAL_OK : rebali_sink_text(sink, REBAL_BINDING_PLAN_MARK, mark, strlen(mark), err);
}

static int32_t set_applied(const struct rebali_sink *sink, const json_t *applied, const json_t *placement,
                           rebal_error *err) {
  const rebal_record *record;
  uint32_t handle;
  int32_t result = rebali_read_record(sink->builder, REBAL_OBJECT_PLACEMENT, applied, NULL, &record, err);
  if (result == REBAL_OK) {
    result = rebal_fleet_intern(sink->fleet, record, &handle, err);
  }
  if (result == REBAL_OK) {
    result = rebali_sink_i64(sink, REBAL_BINDING_APPLIED_PLACEMENT, handle, err);
  }
  if (result == REBAL_OK) {
    result =
        rebali_sink_i64(sink, REBAL_BINDING_APPLIED_STRICTLY_EQUAL,
                        placement != NULL && rebali_strictly_equal(REBAL_OBJECT_PLACEMENT, placement, applied), err);
  }
  return result;
}

static int32_t read_applied(const struct rebali_sink *sink, const json_t *tree, rebal_error *err) {
  const json_t *annotations = rebali_member(rebali_member(tree, "metadata"), "annotations");
  json_t *applied;
  int64_t state;
  int32_t result;
  if (sink->bindings == NULL) {
    return REBAL_OK;
  }
  result = rebali_applied_read(rebali_member_text(annotations, REBALI_APPLIED_PLACEMENT), &state, &applied, err);
  if (result == REBAL_OK) {
    result = rebali_sink_i64(sink, REBAL_BINDING_APPLIED_STATE, state, err);
  }
  if (result == REBAL_OK && applied != NULL) {
    result = set_applied(sink, applied, rebali_member(rebali_member(tree, "spec"), "placement"), err);
  }
  json_decref(applied);
  return result;
}

int32_t rebali_binding_read(const struct rebali_sink *sink, const json_t *tree, const struct rebali_path *path,
                            rebal_error *err) {
  const int is_cluster_scoped = strcmp(rebali_member_text(tree, "kind"), "ClusterResourceBinding") == 0;
  int32_t result = rebali_columns_read(sink, columns, sizeof columns / sizeof columns[0], tree, path, err);
  if (result == REBAL_OK) {
    result = rebali_sink_i64(sink, REBAL_BINDING_CLUSTER_SCOPED, is_cluster_scoped, err);
  }
  if (result == REBAL_OK) {
    result = rebali_sink_i64(sink, REBAL_BINDING_MANAGED, is_managed(rebali_member(tree, "metadata")), err);
  }
  if (result == REBAL_OK) {
    result = read_rules(sink, tree, err);
  }
  if (result == REBAL_OK) {
    result = read_mark(sink, tree, err);
  }
  if (result == REBAL_OK) {
    result = read_applied(sink, tree, err);
  }
  if (result == REBAL_OK) {
    result = read_conditions(sink, tree, path, err);
  }
  for (size_t i = REBALI_BINDING_CHILDREN; result == REBAL_OK && i < REBALI_BINDING_ROWS; i++) {
    result = read_children(sink, &rebali_binding_rows[i], tree, path, err);
  }
  return result;
}

/* The first version of the API has no placement: it is stored but not scheduled. */
int rebali_is_binding(const char *api_version, const char *kind) {
  if (strcmp(api_version, "work.karmada.io/v1alpha1") == 0) {
    return 0;
  }
  return strcmp(kind, "ResourceBinding") == 0 || strcmp(kind, "ClusterResourceBinding") == 0;
}

static int is_binding_object(const struct rebali_object *object) {
  return rebali_is_binding(object->api_version, object->kind);
}

static int32_t feed_one(rebal_store *store, struct rebali_sink *sink, uint32_t object, int is_pass, rebal_error *err) {
  json_t *tree;
  int32_t result =
      is_pass ? rebali_store_visit(store, object, &tree, err) : rebali_store_share(store, object, &tree, err);
  if (result == REBAL_OK && !is_binding_object(&store->objects[object])) {
    result = rebali_fail(err, REBAL_EINVAL, -1, "the object is not a binding");
  }
  if (result == REBAL_OK) {
    result = rebal_cells_add(rebal_bindings_cells(sink->bindings), REBAL_TABLE_BINDING, REBAL_NONE, &sink->row, 1, err);
  }
  if (result == REBAL_OK) {
    result = rebali_binding_read(sink, tree, NULL, err);
  }
  if (result == REBAL_OK) {
    result = rebali_pod_labels_read(store, sink, tree, err);
  }
  json_decref(tree);
  return result;
}

/* Feeds the bindings of both kinds, in the order of the store. */
static int32_t feed_all(rebal_store *store, struct rebali_sink *sink, rebal_error *err) {
  int32_t result = REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < store->n_order; i++) {
    if (is_binding_object(&store->objects[store->order[i]])) {
      result = feed_one(store, sink, store->order[i], 1, err);
    }
  }
  return result;
}

int32_t rebal_store_feed_bindings(rebal_store *store, rebal_fleet *fleet, const uint32_t *objects, size_t n,
                                  rebal_bindings *bindings, rebal_error *err) {
  struct rebali_sink sink = {fleet, bindings, NULL, 0, REBAL_NONE};
  int32_t result;
  if (store == NULL || fleet == NULL || bindings == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "store, fleet and bindings are needed");
  }
  result = rebal_builder_new(NULL, &sink.builder, err);
  if (result == REBAL_OK && objects == NULL) {
    result = feed_all(store, &sink, err);
  }
  for (size_t i = 0; result == REBAL_OK && objects != NULL && i < n; i++) {
    result = feed_one(store, &sink, objects[i], 0, err);
  }
  rebal_builder_free(sink.builder);
  return result;
}
