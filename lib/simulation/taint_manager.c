/* SPDX-License-Identifier: MIT */
/*
 * The taint manager (spec karmada 10.3): a cluster with NoExecute taints is examined when it changes, every 10 seconds
 * from then on as long as something moves, and when a toleration runs out.
 */
#include "simulation.h"

#include <stdlib.h>
#include <string.h>

#define PERIOD 10

static const char name[] = "taint-manager";

static int has_no_execute(struct rebali_slice taints) {
  struct rebali_slice taint;
  size_t at = 0;
  while (rebali_cursor_item(taints, &at, &taint)) {
    if (rebali_slice_is(rebali_cursor_find(taint, "effect"), "\"NoExecute\"")) {
      return 1;
    }
  }
  return 0;
}

static int is_tainted(rebal_simulation *simulation, uint32_t object) {
  struct rebali_slice taints = {NULL, 0};
  taints.bytes = rebal_store_text(simulation->store, object, "spec.taints", 11, &taints.len);
  return has_no_execute(taints);
}

/* The first examination by the clock after now. */
static rebal_time next_period(const rebal_simulation *simulation, const struct rebali_tracked *tracked) {
  const int64_t passed = simulation->now.seconds - tracked->first_examined.seconds;
  return rebali_clock_after(&tracked->first_examined, (passed / PERIOD + 1) * PERIOD * REBALI_SECOND);
}

/* Bindings that could not be judged are retried. */
static int32_t note_failures(rebal_simulation *simulation, const char *label, int *failed, rebal_error *err) {
  size_t n = 0;
  const int64_t *states = rebal_result_i64(simulation->result, REBAL_STEP_STATE, &n);
  int32_t code = REBAL_OK;
  *failed = 0;
  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    if (states[i] != REBAL_STEP_RETRY) {
      continue;
    }
    *failed = 1;
    code = rebali_log_append(simulation, REBAL_LOG_KIND_NOTE, name, label, "a binding is examined again later",
                             rebal_result_text(simulation->result, REBAL_STEP_MESSAGE, i, NULL), err);
  }
  return code;
}

static int32_t examine(rebal_simulation *simulation, uint32_t object, const char *label, rebal_error *err) {
  static const char reason[] = "the cluster's NoExecute taints are not tolerated, or no longer";
  struct rebali_tracked *tracked = &simulation->tracked[object];
  char *cluster = rebali_field_copy(simulation, object, "metadata.name");
  rebal_failover_opts opts = simulation->scenario.failover;
  rebal_time wake;
  int failed;
  int32_t code = cluster != NULL ? rebali_feed(simulation, NULL, 0, err) : rebali_report_memory(err);
  opts.next_eviction = &simulation->next_eviction;
  if (code == REBAL_OK) {
    code = rebal_taint_eviction_step(
        simulation->snapshot, rebal_snapshot_find_cluster(simulation->snapshot, cluster, strlen(cluster)),
        simulation->bindings, &simulation->now, &opts, simulation->result, err);
  }
  free(cluster);
  if (code != REBAL_OK) {
    return code;
  }
  wake = rebali_wake_of(simulation);
  rebal_result_time(simulation->result, REBAL_PACE_NEXT, 0, &simulation->next_eviction);
  code = note_failures(simulation, label, &failed, err);
  if (code == REBAL_OK) {
    code = rebali_carry_out_all(simulation, name, reason, err);
  }
  tracked = &simulation->tracked[object];
  tracked->due[REBALI_TIMER_TAINT] = wake;
  if (failed) {
    wake = next_period(simulation, tracked);
    rebali_time_lower(&tracked->due[REBALI_TIMER_TAINT], &wake);
  }
  tracked->examined_at = simulation->changes;
  return code;
}

/* Nothing comes of a taint while eviction is off, which is told when a cluster gets its first one. */
static int32_t tell_off(rebal_simulation *simulation, uint32_t object, rebal_error *err) {
  struct rebali_tracked *tracked = rebali_track(simulation, object);
  const int was_told = tracked != NULL && tracked->first_examined.is_set;
  char *label;
  int32_t code;
  if (tracked == NULL) {
    return rebali_report_memory(err);
  }
  tracked->first_examined = simulation->now;
  tracked->first_examined.is_set = (uint32_t)is_tainted(simulation, object);
  if (!tracked->first_examined.is_set || was_told) {
    return REBAL_OK;
  }
  label = rebali_object_label(simulation, object);
  code = label != NULL ? rebali_log_append(simulation, REBAL_LOG_KIND_NOTE, name, label,
                                           "eviction by taints is off (options.enableNoExecuteTaintEviction)",
                                           "a NoExecute taint evicts nothing", err)
                       : rebali_report_memory(err);
  free(label);
  return code;
}

static int32_t look_at(rebal_simulation *simulation, uint32_t object, rebal_error *err) {
  struct rebali_tracked *tracked = rebali_track(simulation, object);
  const int64_t generation = rebali_field_integer(simulation, object, "metadata.generation");
  char *label;
  rebal_time next;
  int32_t code;
  if (tracked == NULL) {
    return rebali_report_memory(err);
  }
  if (!is_tainted(simulation, object)) {
    tracked->first_examined.is_set = tracked->due[REBALI_TIMER_TAINT].is_set = 0;
    return REBAL_OK;
  }
  if (!tracked->first_examined.is_set || tracked->generation != generation) {
    tracked->generation = generation;
    tracked->first_examined = tracked->due[REBALI_TIMER_TAINT] = simulation->now;
  }
  if (tracked->examined_at != simulation->changes) {
    next = next_period(simulation, tracked);
    rebali_time_lower(&tracked->due[REBALI_TIMER_TAINT], &next);
  }
  if (!rebali_time_is_due(&tracked->due[REBALI_TIMER_TAINT], &simulation->now)) {
    return REBAL_OK;
  }
  label = rebali_object_label(simulation, object);
  code = label != NULL ? examine(simulation, object, label, err) : rebali_report_memory(err);
  free(label);
  return code;
}

int32_t rebali_taint_manager_run(rebal_simulation *simulation, rebal_error *err) {
  const int is_off = (simulation->scenario.failover.flags & REBAL_FAILOVER_EVICT_BY_TAINT) == 0;
  int32_t code = REBAL_OK;
  for (uint32_t object = rebali_next_of(simulation, "Cluster", REBAL_NONE); code == REBAL_OK && object != REBAL_NONE;
       object = rebali_next_of(simulation, "Cluster", object)) {
    code = is_off ? tell_off(simulation, object, err) : look_at(simulation, object, err);
  }
  return code;
}
