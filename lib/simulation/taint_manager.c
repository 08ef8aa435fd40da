/* SPDX-License-Identifier: MIT */
/*
 * The taint manager (spec karmada 10.3): a cluster with NoExecute taints is examined when it changes, every 10 seconds
 * from then on as long as something moves, and when a toleration runs out. When it changes all bindings in it are
 * examined; later those alone that changed since, wait for their turn, could not be judged, or whose time has come:
 * the verdict on others stays the same.
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

/* The first examination by the clock after now. */
static rebal_time next_period(const rebal_simulation *simulation, const struct rebali_tracked *tracked) {
  const int64_t passed = simulation->now.seconds - tracked->first_examined.seconds;
  return rebali_time_after(&tracked->first_examined, (passed / PERIOD + 1) * PERIOD * REBALI_SECOND_NS);
}

/* ---- which bindings are examined ---- */

static int is_target(const rebal_simulation *simulation, uint32_t binding, struct rebali_slice cluster) {
  const struct rebali_slice targets = rebali_field(simulation, binding, "spec.clusters");
  struct rebali_slice target;
  size_t at = 0;
  while (rebali_cursor_item(targets, &at, &target)) {
    if (rebali_cursor_reads(rebali_cursor_find(target, "name"), cluster)) {
      return 1;
    }
  }
  return 0;
}

static int32_t list_targeting(rebal_simulation *simulation, const char *cluster, struct rebali_ids *out,
                              rebal_error *err) {
  int32_t code = REBAL_OK;
  for (uint32_t binding = rebali_next_binding(simulation, REBAL_NONE); code == REBAL_OK && binding != REBAL_NONE;
       binding = rebali_next_binding(simulation, binding)) {
    if (is_target(simulation, binding, rebali_slice(cluster))) {
      code = rebali_ids_add(out, binding, err);
    }
  }
  return code;
}

static void forget_open(struct rebali_examination *examination, uint32_t binding) {
  size_t kept = 0;
  for (size_t i = 0; i < examination->n_open; i++) {
    if (examination->open[i].binding != binding) {
      examination->open[kept++] = examination->open[i];
    }
  }
  examination->n_open = kept;
}

/* Those that changed since and those that are due, in the order of the store. */
static int32_t list_open(rebal_simulation *simulation, struct rebali_examination *examination, struct rebali_ids *out,
                         rebal_error *err) {
  struct rebali_ids changed;
  int32_t code = rebali_changes_take(simulation, &examination->seen, &changed, err);
  for (size_t i = 0; code == REBAL_OK && i < examination->n_open; i++) {
    if (rebali_time_is_due(&examination->open[i].due, &simulation->now)) {
      code = rebali_ids_add(&changed, examination->open[i].binding, err);
    }
  }
  if (code == REBAL_OK) {
    code = rebali_ids_sort(simulation, &changed, err);
  }
  for (size_t i = 0; code == REBAL_OK && i < changed.n; i++) {
    if (rebali_object_is_binding(simulation, changed.list[i])) {
      code = rebali_ids_add(out, changed.list[i], err);
    } else {
      forget_open(examination, changed.list[i]); /* of what is gone nobody is to look any more */
    }
  }
  rebali_ids_dispose(&changed);
  return code;
}

static int32_t add_open(struct rebali_examination *examination, uint32_t binding, rebal_time due, rebal_error *err) {
  const int32_t code = rebali_make_room(&examination->open, &examination->open_capacity, examination->n_open + 1,
                                        sizeof *examination->open, err);
  if (code == REBAL_OK) {
    examination->open[examination->n_open++] = (struct rebali_open){binding, due};
  }
  return code;
}

/* What the step says of its bindings takes the place of what was said before. */
static int32_t note_open(const rebal_simulation *simulation, struct rebali_examination *examination,
                         const struct rebali_ids *bindings, rebal_time period, rebal_error *err) {
  size_t n = 0;
  const int64_t *kinds = rebal_result_i64(simulation->result, REBAL_ACTION_KIND, &n);
  const int64_t *rows = rebal_result_i64(simulation->result, REBAL_ACTION_ROW, &n);
  const int64_t *states;
  int32_t code = REBAL_OK;
  for (size_t i = 0; i < bindings->n && examination->n_open > 0; i++) {
    forget_open(examination, bindings->list[i]);
  }
  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    if (kinds[i] == REBAL_ACTION_KIND_WAKE) {
      rebal_time due;
      rebal_result_time(simulation->result, REBAL_ACTION_NOT_BEFORE, i, &due);
      code = add_open(examination, bindings->list[rows[i]], due, err);
    }
  }
  states = rebal_result_i64(simulation->result, REBAL_STEP_STATE, &n);
  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    if (states[i] == REBAL_STEP_STATE_RETRY) {
      code = add_open(examination, bindings->list[i], period, err);
    }
  }
  return code;
}

/* ---- the examination ---- */

/* Bindings that could not be judged are retried. */
static int32_t note_failures(rebal_simulation *simulation, uint32_t object, rebal_error *err) {
  size_t n = 0;
  const int64_t *states = rebal_result_i64(simulation->result, REBAL_STEP_STATE, &n);
  char *label = NULL;
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    if (states[i] != REBAL_STEP_STATE_RETRY) {
      continue;
    }
    label = label != NULL ? label : rebali_object_label(simulation, object);
    code = label != NULL
               ? rebali_log_append(simulation, REBAL_LOG_KIND_NOTE, name, label, "a binding is examined again later",
                                   rebal_result_text(simulation->result, REBAL_STEP_MESSAGE, i, NULL), err)
               : rebali_fail_memory(err);
  }
  free(label);
  return code;
}

static int32_t step(rebal_simulation *simulation, const char *cluster, const struct rebali_ids *bindings,
                    rebal_error *err) {
  rebal_failover_opts opts = simulation->scenario.failover;
  int32_t code = rebali_feed(simulation, bindings->list, bindings->n, err);
  opts.next_eviction = &simulation->next_eviction;
  if (code == REBAL_OK) {
    code = rebal_taint_eviction_step(simulation->ctx, simulation->snapshot,
                                     rebal_snapshot_find_cluster(simulation->snapshot, cluster, strlen(cluster)),
                                     simulation->bindings, &simulation->now, &opts, simulation->result, err);
  }
  if (code == REBAL_OK) {
    rebal_result_time(simulation->result, REBAL_PACE_NEXT, 0, &simulation->next_eviction);
  }
  return code;
}

static int32_t examine_bindings(rebal_simulation *simulation, uint32_t object, const char *cluster,
                                const struct rebali_ids *bindings, rebal_error *err) {
  static const char reason[] = "the cluster's NoExecute taints are not tolerated, or no longer";
  struct rebali_tracked *tracked = &simulation->tracked[object];
  int32_t code = step(simulation, cluster, bindings, err);
  if (code == REBAL_OK) {
    code = note_open(simulation, tracked->examination, bindings, next_period(simulation, tracked), err);
  }
  if (code == REBAL_OK) {
    code = note_failures(simulation, object, err);
  }
  return code == REBAL_OK ? rebali_carry_out_all(simulation, name, reason, err) : code;
}

static int32_t examine(rebal_simulation *simulation, uint32_t object, int is_whole, rebal_error *err) {
  struct rebali_examination *examination = simulation->tracked[object].examination;
  struct rebali_ids bindings = {NULL, 0, 0};
  rebal_time due = {0, 0, 0};
  char *cluster = rebali_field_copy(simulation, object, "metadata.name");
  int32_t code = cluster != NULL ? REBAL_OK : rebali_fail_memory(err);
  if (code == REBAL_OK && is_whole) {
    examination->n_open = 0;
    examination->seen = rebal_store_change_count(simulation->store);
    code = list_targeting(simulation, cluster, &bindings, err);
  } else if (code == REBAL_OK) {
    code = list_open(simulation, examination, &bindings, err);
  }
  if (code == REBAL_OK && bindings.n > 0) {
    code = examine_bindings(simulation, object, cluster, &bindings, err);
  }
  for (size_t i = 0; i < examination->n_open; i++) {
    rebali_time_lower(&due, &examination->open[i].due);
  }
  rebali_timer_set(simulation, REBALI_TIMER_TAINT, object, due);
  simulation->tracked[object].examined_at = simulation->changes;
  rebali_ids_dispose(&bindings);
  free(cluster);
  return code;
}

void rebali_examination_free(struct rebali_examination *examination) {
  if (examination != NULL) {
    free(examination->open);
    free(examination);
  }
}

/* ---- clusters ---- */

/* Nothing comes of a taint while eviction is off, which is told when a cluster gets its first one. */
static int32_t tell_off(rebal_simulation *simulation, uint32_t object, int is_tainted, rebal_error *err) {
  struct rebali_tracked *tracked = &simulation->tracked[object];
  const uint32_t was_told = tracked->first_examined.is_set;
  char *label;
  int32_t code;
  tracked->first_examined = simulation->now;
  tracked->first_examined.is_set = (uint32_t)is_tainted;
  if (!is_tainted || was_told != 0) {
    return REBAL_OK;
  }
  label = rebali_object_label(simulation, object);
  code = label != NULL ? rebali_log_append(simulation, REBAL_LOG_KIND_NOTE, name, label,
                                           "eviction by taints is off (options.enableNoExecuteTaintEviction)",
                                           "a NoExecute taint evicts nothing", err)
                       : rebali_fail_memory(err);
  free(label);
  return code;
}

/* A cluster that changed: it is examined when it is tainted, and as a whole when its spec is new. */
static int32_t note_cluster(rebal_simulation *simulation, uint32_t object, rebal_error *err) {
  const int is_off = (simulation->scenario.failover.flags & REBAL_FAILOVER_FLAG_EVICT_BY_TAINT) == 0;
  const int is_tainted = has_no_execute(rebali_field(simulation, object, "spec.taints"));
  const int64_t generation = rebali_field_integer(simulation, object, "metadata.generation");
  struct rebali_tracked *tracked = rebali_track(simulation, object);
  if (tracked == NULL) {
    return rebali_fail_memory(err);
  }
  if (is_off) {
    return tell_off(simulation, object, is_tainted, err);
  }
  if (!is_tainted) {
    tracked->first_examined.is_set = 0;
    rebali_timer_set(simulation, REBALI_TIMER_TAINT, object, tracked->first_examined);
    return REBAL_OK;
  }
  if (tracked->examination == NULL) {
    tracked->examination = calloc(1, sizeof *tracked->examination);
  }
  if (tracked->examination == NULL) {
    return rebali_fail_memory(err);
  }
  if (!tracked->first_examined.is_set || tracked->generation != generation) {
    tracked->generation = generation;
    tracked->first_examined = simulation->now;
    tracked->examination->is_whole = 1;
  }
  return rebali_ids_add(&simulation->tainted, object, err);
}

static int32_t note_changed(rebal_simulation *simulation, rebal_error *err) {
  struct rebali_ids changed;
  int32_t code = rebali_changes_take(simulation, &simulation->examined, &changed, err);
  size_t kept = 0;
  for (size_t i = 0; code == REBAL_OK && i < changed.n; i++) {
    if (rebali_field_is(simulation, changed.list[i], "kind", "Cluster")) {
      code = note_cluster(simulation, changed.list[i], err);
    }
  }
  rebali_ids_dispose(&changed);
  for (size_t i = 0; i < simulation->tainted.n; i++) {
    const uint32_t object = simulation->tainted.list[i];
    if (simulation->tracked[object].first_examined.is_set && rebali_object_is_there(simulation, object)) {
      simulation->tainted.list[kept++] = object;
    }
  }
  simulation->tainted.n = kept;
  return code == REBAL_OK ? rebali_ids_sort(simulation, &simulation->tainted, err) : code;
}

static int32_t look_at(rebal_simulation *simulation, uint32_t object, rebal_error *err) {
  struct rebali_tracked *tracked = &simulation->tracked[object];
  const int is_whole = tracked->examination->is_whole;
  if (tracked->examined_at != simulation->changes) {
    rebali_timer_lower(simulation, REBALI_TIMER_TAINT, object, next_period(simulation, tracked));
  }
  if (!is_whole && !rebali_time_is_due(&tracked->due[REBALI_TIMER_TAINT], &simulation->now)) {
    return REBAL_OK;
  }
  tracked->examination->is_whole = 0;
  return examine(simulation, object, is_whole, err);
}

int32_t rebali_taint_manager_run(rebal_simulation *simulation, rebal_error *err) {
  int32_t code = note_changed(simulation, err);
  for (size_t i = 0; code == REBAL_OK && i < simulation->tainted.n; i++) {
    code = look_at(simulation, simulation->tainted.list[i], err);
  }
  return code;
}
