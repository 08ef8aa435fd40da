/* SPDX-License-Identifier: MIT */
/*
 * The member clusters: what runs in them follows spec.clusters and the eviction tasks of each binding, and is reported
 * as the binding's aggregated status.
 */
#include "member.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char name[] = "members";

/* Nothing can run in a cluster that nobody registered. */
static int is_registered(const rebal_simulation *simulation, const char *cluster) {
  return rebal_store_find(simulation->store, "Cluster", 7, "", 0, cluster, strlen(cluster)) != REBAL_NONE;
}

static int32_t want_targets(rebal_simulation *simulation, uint32_t binding, struct rebali_slice targets,
                            rebal_error *err) {
  struct rebali_slice target;
  size_t at = 0;
  int32_t code = REBAL_OK;
  while (code == REBAL_OK && rebali_cursor_item(targets, &at, &target)) {
    int64_t replicas = 0;
    char *cluster = rebali_cursor_copy(rebali_cursor_find(target, "name"));
    (void)rebali_cursor_integer(rebali_cursor_find(target, "replicas"), &replicas);
    if (cluster == NULL) {
      code = rebali_fail_memory(err);
    } else if (is_registered(simulation, cluster)) {
      code = rebali_work_want(simulation, binding, cluster, replicas, err);
    }
    free(cluster);
  }
  return code;
}

/* Pods stay in a cluster with an eviction task that is not to purge directly (spec karmada 10.4). */
static int32_t keep_evicted(rebal_simulation *simulation, uint32_t binding, struct rebali_slice tasks,
                            rebal_error *err) {
  struct rebali_slice task;
  size_t at = 0;
  while (rebali_cursor_item(tasks, &at, &task)) {
    char *cluster = rebali_cursor_copy(rebali_cursor_find(task, "fromCluster"));
    struct rebali_work *work;
    if (cluster == NULL) {
      return rebali_fail_memory(err);
    }
    work = rebali_work_find(simulation, binding, cluster);
    free(cluster);
    if (work != NULL && !rebali_slice_is(rebali_cursor_find(task, "purgeMode"), "\"Directly\"")) {
      work->is_wanted = 1;
    }
  }
  return REBAL_OK;
}

static int32_t follow(rebal_simulation *simulation, uint32_t binding, rebal_error *err) {
  char *targets = rebali_field_copy(simulation, binding, "spec.clusters");
  char *tasks = rebali_field_copy(simulation, binding, "spec.gracefulEvictionTasks");
  int32_t code = targets != NULL && tasks != NULL ? REBAL_OK : rebali_fail_memory(err);
  if (code == REBAL_OK) {
    code = want_targets(simulation, binding, rebali_slice(targets), err);
  }
  if (code == REBAL_OK) {
    code = keep_evicted(simulation, binding, rebali_slice(tasks), err);
  }
  free(targets);
  free(tasks);
  return code;
}

/* Nothing was ever heard of pods that a lost cluster was to run. */
static const char *health_of(const rebal_simulation *simulation, const struct rebali_work *work) {
  return work->replicas == 0 && rebali_member_is_lost(simulation, work->cluster) ? "Unknown"
         : work->ready == work->replicas                                         ? "Healthy"
                                                                                 : "Unhealthy";
}

static int32_t write_item(const rebal_simulation *simulation, const struct rebali_work *work, rebal_text *out,
                          rebal_error *err) {
  int32_t code = rebali_print(out, err, "{\"applied\":true,\"clusterName\":");
  if (code == REBAL_OK) {
    code = rebali_quote(rebali_slice(work->cluster), out, err);
  }
  if (code != REBAL_OK) {
    return code;
  }
  return rebali_print(out, err,
                      ",\"health\":\"%s\",\"status\":{\"replicas\":%" PRId64 ",\"readyReplicas\":%" PRId64
                      ",\"availableReplicas\":%" PRId64 ",\"updatedReplicas\":%" PRId64 "}}",
                      health_of(simulation, work), work->replicas, work->ready, work->ready, work->replicas);
}

static int32_t write_items(const rebal_simulation *simulation, uint32_t binding, size_t *n, rebal_text *out,
                           rebal_error *err) {
  int32_t code = rebali_print(out, err, "[");
  *n = 0;
  for (size_t i = rebali_works_of(simulation, binding);
       code == REBAL_OK && i < simulation->n_works && simulation->works[i].binding == binding; i++) {
    if ((*n)++ > 0) {
      code = rebali_print(out, err, ",");
    }
    if (code == REBAL_OK) {
      code = write_item(simulation, &simulation->works[i], out, err);
    }
  }
  return code == REBAL_OK ? rebali_print(out, err, "]") : code;
}

/* The conditions of others, then FullyApplied, which keeps its time once it is True. */
static int32_t write_conditions(const rebal_simulation *simulation, uint32_t binding, rebal_text *out,
                                rebal_error *err) {
  const struct rebali_slice conditions = rebali_field(simulation, binding, "status.conditions");
  struct rebali_slice condition, kept = {NULL, 0};
  size_t at = 0;
  int32_t code = rebali_print(out, err, "[");
  while (code == REBAL_OK && rebali_cursor_item(conditions, &at, &condition)) {
    if (!rebali_slice_is(rebali_cursor_find(condition, "type"), "\"FullyApplied\"")) {
      code = rebali_print(out, err, "%.*s,", REBALI_SLICE(condition));
    } else if (rebali_slice_is(rebali_cursor_find(condition, "status"), "\"True\"")) {
      kept = condition;
    }
  }
  if (code == REBAL_OK && kept.len > 0) {
    return rebali_print(out, err, "%.*s]", REBALI_SLICE(kept));
  }
  if (code == REBAL_OK) {
    code = rebali_print(out, err,
                        "{\"type\":\"FullyApplied\",\"status\":\"True\",\"reason\":\"FullyAppliedSuccess\","
                        "\"message\":\"All works have been successfully applied\",\"lastTransitionTime\":\"");
  }
  if (code == REBAL_OK) {
    code = rebali_time_print(&simulation->now, out, err);
  }
  return code == REBAL_OK ? rebali_print(out, err, "\"}]") : code;
}

static int32_t patch_status(rebal_simulation *simulation, uint32_t binding, const char *items, size_t n,
                            rebal_error *err) {
  size_t len;
  const char *bytes;
  int32_t code;
  rebal_text_reset(simulation->scratch);
  code = rebali_print(simulation->scratch, err, "{\"status\":{\"aggregatedStatus\":");
  if (code == REBAL_OK) {
    code = rebal_text_append(simulation->scratch, items, strlen(items), err);
  }
  if (code == REBAL_OK && n > 0) {
    code = rebali_print(simulation->scratch, err, ",\"conditions\":");
  }
  if (code == REBAL_OK && n > 0) {
    code = write_conditions(simulation, binding, simulation->scratch, err);
  }
  if (code == REBAL_OK) {
    code = rebali_print(simulation->scratch, err, "}}");
  }
  bytes = rebal_text_bytes(simulation->scratch, &len);
  return code == REBAL_OK ? rebal_store_patch(simulation->store, binding, bytes, len, &simulation->now, err) : code;
}

/* The event of the reference's binding-status controller, on the binding and on its resource. */
static int32_t tell(rebal_simulation *simulation, uint32_t binding, rebal_error *err) {
  static const char controller[] = "binding-status";
  char *key = rebali_object_label(simulation, binding);
  const char *space = key != NULL ? strchr(key, ' ') : NULL;
  const int is_namespaced = key != NULL && key[0] == 'R';
  const uint32_t resource = rebali_resource_of(simulation, binding);
  rebal_text *message = NULL;
  int32_t code = key != NULL ? rebal_text_new(&message, err) : rebali_fail_memory(err);
  if (code == REBAL_OK) {
    code = rebali_print(message, err, "Update %s(%s) with AggregatedStatus successfully.",
                        is_namespaced ? "resourceBinding" : "clusterResourceBinding", space + 1);
  }
  if (code == REBAL_OK) {
    code = rebali_event_tell(simulation, binding, controller, "Normal", "AggregateStatusSucceed",
                             rebal_text_bytes(message, NULL), err);
  }
  if (code == REBAL_OK && resource != REBAL_NONE) {
    code = rebali_event_tell(simulation, resource, controller, "Normal", "AggregateStatusSucceed",
                             rebal_text_bytes(message, NULL), err);
  }
  rebal_text_free(message);
  free(key);
  return code;
}

static int32_t report(rebal_simulation *simulation, uint32_t binding, rebal_error *err) {
  static const char reason[] = "pods started, became ready, or went";
  struct rebali_tracked *tracked = rebali_track(simulation, binding);
  rebal_text *items = NULL;
  size_t n = 0, len;
  const char *bytes;
  int32_t code = tracked != NULL ? rebal_text_new(&items, err) : rebali_fail_memory(err);
  if (code == REBAL_OK) {
    code = write_items(simulation, binding, &n, items, err);
  }
  bytes = rebal_text_bytes(items, &len);
  if (code != REBAL_OK || strcmp(tracked->reported != NULL ? tracked->reported : "[]", bytes) == 0) {
    rebal_text_free(items);
    return code;
  }
  free(tracked->reported);
  tracked->reported = rebali_bytes_copy(bytes, len);
  code = tracked->reported != NULL ? patch_status(simulation, binding, bytes, n, err) : rebali_fail_memory(err);
  rebal_text_free(items);
  if (code == REBAL_OK) {
    code = rebali_watch(simulation, binding, name, reason, err);
  }
  return code == REBAL_OK ? tell(simulation, binding, err) : code;
}

/* Pods of a binding's works may come to other nodes; its works may be unwanted. */
static void mark(rebal_simulation *simulation, uint32_t binding, int is_wanted) {
  for (size_t i = rebali_works_of(simulation, binding);
       i < simulation->n_works && simulation->works[i].binding == binding; i++) {
    struct rebali_work *work = &simulation->works[i];
    if (simulation->n_members > 0) {
      rebali_capacity_touch(simulation, work->cluster);
      rebali_member_touch(simulation, work->cluster);
    }
    work->is_wanted = is_wanted;
  }
}

static void drop_unwanted(rebal_simulation *simulation, uint32_t binding) {
  const size_t first = rebali_works_of(simulation, binding);
  size_t end = first;
  while (end < simulation->n_works && simulation->works[end].binding == binding) {
    end++;
  }
  for (size_t i = end; i-- > first;) {
    if (!simulation->works[i].is_wanted) {
      rebali_work_remove(simulation, i);
    }
  }
}

/* The works of a binding that changed or is gone become what it wants. */
static int32_t renew(rebal_simulation *simulation, uint32_t object, struct rebali_ids *bindings, rebal_error *err) {
  int32_t code = REBAL_OK;
  mark(simulation, object, 0);
  if (rebali_object_is_binding(simulation, object)) {
    code = follow(simulation, object, err);
    if (code == REBAL_OK) {
      code = rebali_ids_add(bindings, object, err);
    }
  }
  if (code == REBAL_OK) {
    drop_unwanted(simulation, object);
    mark(simulation, object, 1);
  }
  return code;
}

/* Reports of the bindings whose pods may have changed, in the order of the store. */
static int32_t report_all(rebal_simulation *simulation, struct rebali_ids *bindings, rebal_error *err) {
  int32_t code = rebali_ids_sort(simulation, bindings, err);
  for (size_t i = 0; code == REBAL_OK && i < bindings->n; i++) {
    code = report(simulation, bindings->list[i], err);
  }
  return code;
}

/* A cluster that comes runs what was given to it before: all bindings are looked at. */
static int32_t note_new_clusters(rebal_simulation *simulation, const struct rebali_ids *changed, rebal_error *err) {
  int is_new = 0;
  int32_t code = REBAL_OK;
  for (size_t i = 0; i < changed->n; i++) {
    if (rebali_field_is(simulation, changed->list[i], "kind", "Cluster")) {
      struct rebali_tracked *tracked = rebali_track(simulation, changed->list[i]);
      if (tracked == NULL) {
        return rebali_fail_memory(err);
      }
      is_new |= !tracked->is_joined;
      tracked->is_joined = 1;
    }
  }
  for (uint32_t binding = rebali_next_binding(simulation, REBAL_NONE);
       is_new && code == REBAL_OK && binding != REBAL_NONE; binding = rebali_next_binding(simulation, binding)) {
    code = rebali_ids_add(&simulation->renewed, binding, err);
  }
  return code;
}

int32_t rebali_members_run(rebal_simulation *simulation, rebal_error *err) {
  struct rebali_ids changed, bindings = {NULL, 0, 0};
  int32_t code = rebali_changes_take(simulation, &simulation->followed, &changed, err);
  if (code == REBAL_OK) {
    code = note_new_clusters(simulation, &changed, err);
  }
  for (size_t i = 0; code == REBAL_OK && i < simulation->renewed.n; i++) {
    code = rebali_ids_add(&changed, simulation->renewed.list[i], err);
  }
  if (code == REBAL_OK && simulation->renewed.n > 0) {
    code = rebali_ids_sort(simulation, &changed, err);
  }
  simulation->renewed.n = 0;
  for (size_t i = 0; code == REBAL_OK && i < changed.n; i++) {
    code = renew(simulation, changed.list[i], &bindings, err);
  }
  if (code == REBAL_OK) {
    code = rebali_works_ripen(simulation, &bindings, err);
  }
  if (code == REBAL_OK) {
    code = rebali_placing_run(simulation, &bindings, err);
  }
  if (code == REBAL_OK) {
    code = report_all(simulation, &bindings, err);
  }
  rebali_ids_dispose(&changed);
  rebali_ids_dispose(&bindings);
  simulation->followed = rebal_store_change_count(simulation->store); /* what it writes itself wants nothing */
  return code;
}
