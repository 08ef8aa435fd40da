/* SPDX-License-Identifier: MIT */
/*
 * Nodes for the pods of the scenario's own cluster: its Nodes, or where it has none one that has room for all. Pods get
 * ready a while after.
 */
#include "workloads.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char name[] = "pod-scheduler";

/* ---- conditions -------------------------------------------------------------------------------------------------- */

static int32_t print_condition(const rebal_simulation *simulation, const char *type, const char *status,
                               rebal_error *err) {
  rebal_text *patch = simulation->workloads->text;
  int32_t code = rebali_print(patch, err, "{\"type\":\"%s\",\"status\":%s,\"lastTransitionTime\":\"", type, status);
  if (code == REBAL_OK) {
    code = rebali_time_print(&simulation->now, patch, err);
  }
  return code == REBAL_OK ? rebali_print(patch, err, "\"}") : code;
}

static int32_t set_unschedulable(rebal_simulation *simulation, uint32_t pod, rebal_error *err) {
  rebal_text *patch = simulation->workloads->text;
  int32_t code;
  rebal_text_reset(patch);
  code = rebali_print(patch, err, "{\"status\":{\"conditions\":[");
  if (code == REBAL_OK) {
    code = print_condition(simulation, "PodScheduled", "\"False\",\"reason\":\"Unschedulable\"", err);
  }
  if (code == REBAL_OK) {
    code = rebali_print(patch, err, "]}}");
  }
  return code == REBAL_OK ? rebali_patch_quietly(simulation, pod, err) : code;
}

static int32_t set_ready(rebal_simulation *simulation, uint32_t pod, rebal_error *err) {
  rebal_text *patch = simulation->workloads->text;
  int32_t code;
  rebal_text_reset(patch);
  code = rebali_print(patch, err, "{\"status\":{\"phase\":\"Running\",\"conditions\":[");
  if (code == REBAL_OK) {
    code = print_condition(simulation, "PodScheduled", "\"True\"", err);
  }
  if (code == REBAL_OK) {
    code = rebali_print(patch, err, ",");
  }
  if (code == REBAL_OK) {
    code = print_condition(simulation, "Ready", "\"True\"", err);
  }
  if (code == REBAL_OK) {
    code = rebali_print(patch, err, "]}}");
  }
  return code == REBAL_OK ? rebali_patch_quietly(simulation, pod, err) : code;
}

static int32_t set_node(rebal_simulation *simulation, uint32_t pod, const char *node, rebal_error *err) {
  rebal_text *patch = simulation->workloads->text;
  int32_t code;
  rebal_text_reset(patch);
  code = rebali_print(patch, err, "{\"spec\":{\"nodeName\":");
  if (code == REBAL_OK) {
    code = rebali_quote(rebali_slice(node), patch, err);
  }
  if (code == REBAL_OK) {
    code = rebali_print(patch, err, "},\"status\":{\"conditions\":[");
  }
  if (code == REBAL_OK) {
    code = print_condition(simulation, "PodScheduled", "\"True\"", err);
  }
  if (code == REBAL_OK) {
    code = rebali_print(patch, err, "]}}");
  }
  return code == REBAL_OK ? rebali_patch_quietly(simulation, pod, err) : code;
}

/* ---- who waits --------------------------------------------------------------------------------------------------- */

static int waits(const rebal_simulation *simulation, uint32_t pod) {
  struct rebali_slice phase;
  if (rebali_field(simulation, pod, "spec.nodeName").len > 0) {
    return 0;
  }
  phase = rebali_field(simulation, pod, "status.phase");
  return !rebali_slice_is(phase, "Succeeded") && !rebali_slice_is(phase, "Failed");
}

static int goes_before(rebal_simulation *simulation, uint32_t left, uint32_t right) {
  const int64_t one = rebali_integer_or(simulation, left, "spec.priority", 0);
  const int64_t other = rebali_integer_or(simulation, right, "spec.priority", 0);
  return one != other ? one > other : left < right;
}

/* The highest priority first, then those that were made first. */
static int32_t list_waiting(rebal_simulation *simulation, struct rebali_ids *out, rebal_error *err) {
  int32_t code = REBAL_OK;
  for (uint32_t pod = rebali_next_of(simulation, "Pod", REBAL_NONE); code == REBAL_OK && pod != REBAL_NONE;
       pod = rebali_next_of(simulation, "Pod", pod)) {
    size_t at = out->n;
    if (!waits(simulation, pod)) {
      continue;
    }
    code = rebali_ids_add(out, pod, err);
    for (; code == REBAL_OK && at > 0 && goes_before(simulation, pod, out->list[at - 1]); at--) {
      out->list[at] = out->list[at - 1];
      out->list[at - 1] = pod;
    }
  }
  return code;
}

/* ---- what they ask for ------------------------------------------------------------------------------------------- */

/* A Deployment of its own, whose binding says it. */
static int32_t print_question(rebal_simulation *simulation, uint32_t pod, size_t i, rebal_text *out, rebal_error *err) {
  int32_t code = rebali_print(out, err,
                              "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"p%08zu\"},"
                              "\"spec\":{\"template\":{\"spec\":",
                              i);
  if (code == REBAL_OK) {
    code = rebali_print_map(simulation, pod, "spec", out, err);
  }
  return code == REBAL_OK ? rebali_print(out, err, "}}}\n") : code;
}

/* Rows of workloads->bindings in the order of the pods: what one replica of each asks for. */
static int32_t ask(rebal_simulation *simulation, const struct rebali_ids *pods, rebal_store *store, rebal_error *err) {
  static const char policy[] =
      "{\"apiVersion\":\"policy.karmada.io/v1alpha1\",\"kind\":\"PropagationPolicy\",\"metadata\":{\"name\":\"all\"},"
      "\"spec\":{\"resourceSelectors\":[{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\"}],\"placement\":{}}}\n";
  struct rebali_workloads *workloads = simulation->workloads;
  size_t len;
  const char *bytes;
  int32_t code;
  rebal_text_reset(workloads->text);
  code = rebali_print(workloads->text, err, "%s", policy);
  for (size_t i = 0; code == REBAL_OK && i < pods->n; i++) {
    code = print_question(simulation, pods->list[i], i, workloads->text, err);
  }
  bytes = rebal_text_bytes(workloads->text, &len);
  if (code == REBAL_OK) {
    code = rebal_store_apply(store, bytes, len, &simulation->now, err);
  }
  if (code == REBAL_OK) {
    code = rebal_store_derive_bindings(store, &simulation->now, err);
  }
  rebal_bindings_reset(workloads->bindings);
  return code == REBAL_OK ? rebal_store_feed_bindings(store, workloads->fleet, NULL, 0, workloads->bindings, err)
                          : code;
}

static int32_t read_requirements(rebal_simulation *simulation, const struct rebali_ids *pods, uint32_t *out,
                                 rebal_error *err) {
  rebal_store *store = NULL;
  int32_t code = rebal_store_new(simulation->opts.limits, &store, err);
  if (code == REBAL_OK) {
    code = ask(simulation, pods, store, err);
  }
  for (size_t i = 0; code == REBAL_OK && i < pods->n; i++) {
    const int64_t handle = rebal_cells_get_i64(rebal_bindings_const_cells(simulation->workloads->bindings),
                                               REBAL_BINDING_REQUIREMENTS, REBAL_NONE, (uint32_t)i);
    out[i] = rebali_cell_id(handle);
  }
  rebal_store_free(store);
  return code;
}

/* ---- where they go ----------------------------------------------------------------------------------------------- */

static int32_t seat(rebal_simulation *simulation, uint32_t pod, const char *node, rebal_error *err) {
  rebal_text *change = NULL;
  int32_t code = set_node(simulation, pod, node, err);
  if (code == REBAL_OK) {
    code = rebal_text_new(&change, err);
  }
  if (code == REBAL_OK) {
    code = rebali_print(change, err, "placed on node %s", node);
  }
  if (code == REBAL_OK) {
    rebali_timer_set(simulation, REBALI_TIMER_POD, pod,
                     rebali_time_after(&simulation->now, simulation->scenario.ready_after_ns));
    code = rebali_news_add(simulation, name, pod, rebal_text_bytes(change, NULL), "the first that may take it", err);
  }
  rebal_text_free(change);
  return code;
}

/* Told once: it goes on to wait. */
static int32_t leave(rebal_simulation *simulation, uint32_t pod, rebal_error *err) {
  int32_t code;
  if (rebali_field(simulation, pod, "status.conditions").len > 2) {
    return REBAL_OK;
  }
  code = set_unschedulable(simulation, pod, err);
  return code == REBAL_OK
             ? rebali_news_add(simulation, name, pod, "unschedulable", "no node has room for it, or may take it", err)
             : code;
}

static int32_t take_seats(rebal_simulation *simulation, const rebal_snapshot *snapshot, const struct rebali_ids *pods,
                          rebal_error *err) {
  const int64_t *nodes = rebal_result_i64(simulation->result, REBAL_SEATED_NODE, NULL);
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < pods->n; i++) {
    const uint32_t node = rebali_cell_id(nodes[i]);
    code = node != REBAL_NONE ? seat(simulation, pods->list[i],
                                     rebal_cells_get_text(rebal_snapshot_cells(snapshot), REBAL_NODE_NAME,
                                                          simulation->workloads->nodes, node, NULL),
                                     err)
                              : leave(simulation, pods->list[i], err);
  }
  return code;
}

/* The pods that have a node take their room in the snapshot. */
static int32_t place(rebal_simulation *simulation, const struct rebali_ids *pods, uint32_t *requirements,
                     rebal_error *err) {
  struct rebali_workloads *workloads = simulation->workloads;
  const rebal_place_opts opts = {sizeof opts, 0, NULL, NULL};
  rebal_snapshot *snapshot = NULL;
  int32_t code =
      rebal_store_feed_member(simulation->store, workloads->fleet, workloads->nodes, &workloads->nodes_feed, err);
  if (code == REBAL_OK) {
    code = read_requirements(simulation, pods, requirements, err);
  }
  if (code == REBAL_OK) {
    code = rebal_fleet_freeze(workloads->fleet, &snapshot, err);
  }
  if (code == REBAL_OK) {
    code = rebal_place_pods(simulation->ctx, snapshot, workloads->nodes, requirements, pods->n, &opts,
                            simulation->result, err);
  }
  if (code == REBAL_OK) {
    code = take_seats(simulation, snapshot, pods, err);
  }
  rebal_snapshot_unref(snapshot);
  return code;
}

static int32_t place_all(rebal_simulation *simulation, const struct rebali_ids *pods, rebal_error *err) {
  uint32_t *requirements;
  int32_t code = REBAL_OK;
  if (rebali_next_of(simulation, "Node", REBAL_NONE) == REBAL_NONE) {
    for (size_t i = 0; code == REBAL_OK && i < pods->n; i++) {
      code = seat(simulation, pods->list[i], "node-0", err);
    }
    return code;
  }
  requirements = malloc((pods->n + 1) * sizeof *requirements);
  code = requirements != NULL ? place(simulation, pods, requirements, err) : rebali_fail_memory(err);
  free(requirements);
  return code;
}

/* Those whose time has come are ready. */
static int32_t ripen(rebal_simulation *simulation, rebal_error *err) {
  struct rebali_ids due = {NULL, 0, 0};
  int32_t code = rebali_timers_due(simulation, REBALI_TIMER_POD, &due, err);
  if (code == REBAL_OK) {
    code = rebali_ids_sort(simulation, &due, err);
  }
  for (size_t i = 0; code == REBAL_OK && i < due.n; i++) {
    rebali_timer_set(simulation, REBALI_TIMER_POD, due.list[i], (rebal_time){0, 0, 0});
    code = set_ready(simulation, due.list[i], err);
    if (code == REBAL_OK) {
      code = rebali_news_add(simulation, "kubelet", due.list[i], "ready", "", err);
    }
  }
  rebali_ids_dispose(&due);
  return code;
}

int32_t rebali_pod_scheduler_run(rebal_simulation *simulation, rebal_error *err) {
  struct rebali_ids pods = {NULL, 0, 0};
  int32_t code;
  if (simulation->workloads == NULL) {
    return REBAL_OK;
  }
  code = ripen(simulation, err);
  if (code == REBAL_OK && simulation->workloads->placed != rebal_store_change_count(simulation->store)) {
    code = list_waiting(simulation, &pods, err);
  }
  if (code == REBAL_OK && pods.n > 0) {
    code = place_all(simulation, &pods, err);
  }
  simulation->workloads->placed = rebal_store_change_count(simulation->store);
  rebali_ids_dispose(&pods);
  return code == REBAL_OK ? rebali_news_tell(simulation, err) : code;
}
