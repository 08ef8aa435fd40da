/* SPDX-License-Identifier: MIT */
/* The workloads of the scenario's own cluster: who has pods, and which of them are left behind. */
#include "workloads.h"

#include <stdlib.h>
#include <string.h>

static const char *const owners[] = {"CloneSet", "Job", "ReplicaSet", "StatefulSet"};
enum { OWNERS = sizeof owners / sizeof owners[0] };

int32_t rebali_workloads_open(rebal_simulation *simulation, rebal_error *err) {
  struct rebali_workloads *workloads;
  int32_t code;
  if (simulation->scenario.workloads.len == 0) {
    return REBAL_OK;
  }
  workloads = calloc(1, sizeof *workloads);
  if (workloads == NULL) {
    return rebali_fail_memory(err);
  }
  simulation->workloads = workloads;
  code = rebal_fleet_new(NULL, &workloads->fleet, err);
  if (code == REBAL_OK) {
    code = rebal_fleet_add_cluster(workloads->fleet, "nodes", 5, &workloads->nodes, err);
  }
  if (code == REBAL_OK) {
    code = rebal_fleet_add_cluster(workloads->fleet, "spreads", 7, &workloads->spreads, err);
  }
  if (code == REBAL_OK) {
    code = rebal_bindings_new(workloads->fleet, NULL, &workloads->bindings, err);
  }
  if (code == REBAL_OK) {
    code = rebal_result_new(NULL, &workloads->result, err);
  }
  if (code == REBAL_OK) {
    code = rebal_spread_feed_new(simulation->store, workloads->fleet, workloads->spreads, &workloads->feed, err);
  }
  rebal_text **const texts[] = {&workloads->text,        &workloads->other,       &workloads->news.controller,
                                &workloads->news.object, &workloads->news.change, &workloads->news.reason,
                                &workloads->news.names};
  for (size_t i = 0; code == REBAL_OK && i < sizeof texts / sizeof texts[0]; i++) {
    code = rebal_text_new(texts[i], err);
  }
  return code;
}

void rebali_workloads_free(struct rebali_workloads *workloads) {
  if (workloads == NULL) {
    return;
  }
  rebal_spread_feed_free(workloads->feed);
  rebal_feed_free(workloads->nodes_feed);
  rebal_result_free(workloads->result);
  rebal_bindings_free(workloads->bindings);
  rebal_fleet_free(workloads->fleet);
  rebal_text_free(workloads->text);
  rebal_text_free(workloads->other);
  rebal_text_free(workloads->news.controller);
  rebal_text_free(workloads->news.object);
  rebal_text_free(workloads->news.change);
  rebal_text_free(workloads->news.reason);
  rebal_text_free(workloads->news.names);
  free(workloads);
}

/* ---- what is left behind ----------------------------------------------------------------------------------------- */

/* ReplicaSets whose Deployment is gone. */
static int32_t collect_sets(rebal_simulation *simulation, rebal_error *err) {
  struct rebali_ids orphans = {NULL, 0, 0};
  int32_t code = REBAL_OK;
  for (uint32_t set = rebali_next_of(simulation, "ReplicaSet", REBAL_NONE); code == REBAL_OK && set != REBAL_NONE;
       set = rebali_next_of(simulation, "ReplicaSet", set)) {
    uint32_t owner;
    int is_orphan = 0;
    code = rebali_controller_of(simulation, set, &owner, &is_orphan, err);
    if (code == REBAL_OK && is_orphan) {
      code = rebali_ids_add(&orphans, set, err);
    }
  }
  for (size_t i = 0; code == REBAL_OK && i < orphans.n; i++) {
    code = rebali_remove(simulation, orphans.list[i], "garbage-collector", "its Deployment is gone", err);
  }
  rebali_ids_dispose(&orphans);
  return code;
}

/* Only where the scenario has nodes a pod can stand on one that is not there. */
static int has_lost_node(rebal_simulation *simulation, const struct rebali_owned_pod *pod) {
  const struct rebali_slice node = rebali_field(simulation, pod->object, "spec.nodeName");
  return pod->has_node && rebali_next_of(simulation, "Node", REBAL_NONE) != REBAL_NONE &&
         rebal_store_find(simulation->store, "Node", 4, "", 0, node.bytes, node.len) == REBAL_NONE;
}

static int32_t collect_pods(rebal_simulation *simulation, struct rebali_owned_pods *pods, rebal_error *err) {
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < pods->n; i++) {
    struct rebali_owned_pod *pod = &pods->list[i];
    if (pod->is_orphan || has_lost_node(simulation, pod)) {
      pod->is_gone = 1;
      code = rebali_pod_delete(simulation, pod->object, "garbage-collector",
                               pod->is_orphan ? "its owner is gone" : "its node is gone", err);
    }
  }
  return code;
}

/* ---- one after another ------------------------------------------------------------------------------------------- */

static int32_t run_deployments(rebal_simulation *simulation, rebal_error *err) {
  int32_t code = REBAL_OK;
  for (uint32_t object = rebali_next_of(simulation, "Deployment", REBAL_NONE); code == REBAL_OK && object != REBAL_NONE;
       object = rebali_next_of(simulation, "Deployment", object)) {
    code = rebali_deployment_run(simulation, object, err);
  }
  return code;
}

static int32_t run_kind(rebal_simulation *simulation, const char *kind, struct rebali_owned_pods *pods,
                        rebal_error *err) {
  int32_t code = REBAL_OK;
  for (uint32_t object = rebali_next_of(simulation, kind, REBAL_NONE); code == REBAL_OK && object != REBAL_NONE;
       object = rebali_next_of(simulation, kind, object)) {
    code = rebali_revision_remember(simulation, object, err);
    if (code == REBAL_OK) {
      code = strcmp(kind, "StatefulSet") == 0 ? rebali_ordinals_scale(simulation, object, pods, err)
                                              : rebali_workload_scale(simulation, object, pods, err);
    }
  }
  return code;
}

/* Kinds that the head names have pods as ReplicaSets do. */
static int32_t run_others(rebal_simulation *simulation, struct rebali_owned_pods *pods, rebal_error *err) {
  const struct rebali_slice kinds = rebali_cursor_find(simulation->scenario.workloads, "kinds");
  struct rebali_slice item;
  size_t at = 0;
  int32_t code = REBAL_OK;
  while (code == REBAL_OK && rebali_cursor_item(kinds, &at, &item)) {
    char *kind = rebali_cursor_copy(item);
    code = kind != NULL ? run_kind(simulation, kind, pods, err) : rebali_fail_memory(err);
    free(kind);
  }
  return code;
}

static int32_t report(rebal_simulation *simulation, struct rebali_owned_pods *pods, rebal_error *err) {
  int32_t code = rebali_owned_pods_list(simulation, pods, err);
  for (size_t i = 0; code == REBAL_OK && i < OWNERS; i++) {
    for (uint32_t object = rebali_next_of(simulation, owners[i], REBAL_NONE); code == REBAL_OK && object != REBAL_NONE;
         object = rebali_next_of(simulation, owners[i], object)) {
      code = rebali_workload_report(simulation, object, pods, err);
    }
  }
  for (uint32_t object = rebali_next_of(simulation, "Deployment", REBAL_NONE); code == REBAL_OK && object != REBAL_NONE;
       object = rebali_next_of(simulation, "Deployment", object)) {
    code = rebali_deployment_report(simulation, object, err);
  }
  return code;
}

static int32_t run_pods(rebal_simulation *simulation, struct rebali_owned_pods *pods, rebal_error *err) {
  int32_t code = rebali_owned_pods_list(simulation, pods, err);
  if (code == REBAL_OK) {
    code = collect_pods(simulation, pods, err);
  }
  for (size_t i = 0; code == REBAL_OK && i < OWNERS; i++) {
    code = run_kind(simulation, owners[i], pods, err);
  }
  if (code == REBAL_OK) {
    code = run_others(simulation, pods, err);
  }
  if (code == REBAL_OK) {
    code = rebali_news_tell(simulation, err);
  }
  return code == REBAL_OK ? rebali_webhook_tell(simulation, err) : code;
}

/* Owners whose pods were refused may try again; *n: so many. */
static int32_t release(rebal_simulation *simulation, size_t *n, rebal_error *err) {
  struct rebali_ids due = {NULL, 0, 0};
  const int32_t code = rebali_timers_due(simulation, REBALI_TIMER_OWNER, &due, err);
  for (size_t i = 0; code == REBAL_OK && i < due.n; i++) {
    rebali_timer_set(simulation, REBALI_TIMER_OWNER, due.list[i], (rebal_time){0, 0, 0});
  }
  *n = due.n;
  rebali_ids_dispose(&due);
  return code;
}

static int32_t run_all(rebal_simulation *simulation, rebal_error *err) {
  struct rebali_owned_pods pods = {NULL, 0, 0};
  int32_t code = collect_sets(simulation, err);
  if (code == REBAL_OK) {
    code = run_deployments(simulation, err);
  }
  if (code == REBAL_OK) {
    code = rebali_webhook_open(simulation, err);
  }
  if (code == REBAL_OK) {
    code = run_pods(simulation, &pods, err);
  }
  rebali_webhook_close(simulation->workloads);
  if (code == REBAL_OK) {
    code = report(simulation, &pods, err);
  }
  rebali_owned_pods_dispose(&pods);
  return code;
}

/* What it writes itself it looks at again in the next round. */
int32_t rebali_workloads_run(rebal_simulation *simulation, rebal_error *err) {
  struct rebali_workloads *workloads = simulation->workloads;
  size_t n_released = 0;
  int32_t code = workloads != NULL ? release(simulation, &n_released, err) : REBAL_OK;
  if (code != REBAL_OK || workloads == NULL ||
      (n_released == 0 && workloads->worked == rebal_store_change_count(simulation->store))) {
    return code;
  }
  workloads->worked = rebal_store_change_count(simulation->store);
  return run_all(simulation, err);
}
