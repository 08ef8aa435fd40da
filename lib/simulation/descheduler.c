/* SPDX-License-Identifier: MIT */
/*
 * The descheduler (spec karmada 8), from the start of the scenario on in equal intervals. A run takes the bindings that
 * changed since the run before, and those that lacked ready replicas then: what it says of others stays the same.
 */
#include "simulation.h"

#include <stdlib.h>
#include <string.h>

static const char name[] = "descheduler";

/* The answers of the members: one row of cells for each of n bindings. */
struct answers {
  int32_t *fits;
  size_t clusters;
};

/* What is known of one binding: its replicas that wait for a node. */
static void answer(const rebal_simulation *simulation, uint32_t binding, const rebal_time *before, int32_t *fits) {
  for (size_t i = rebali_works_of(simulation, binding);
       i < simulation->n_works && simulation->works[i].binding == binding; i++) {
    const struct rebali_work *work = &simulation->works[i];
    const uint32_t cluster = rebal_snapshot_find_cluster(simulation->snapshot, work->cluster, strlen(work->cluster));
    if (cluster != REBAL_NONE) {
      const int64_t pending = rebali_pending_replicas(simulation, binding, work->cluster, before);
      fits[cluster] = (int32_t)(pending < INT32_MAX ? pending : INT32_MAX);
    }
  }
}

static int32_t ask_members(const rebal_simulation *simulation, const struct rebali_ids *bindings,
                           struct answers *answers, rebal_error *err) {
  const rebal_time before = rebali_time_after(&simulation->now, -simulation->scenario.descheduler.threshold_ns);
  size_t n;
  answers->clusters = rebal_cells_bound(rebal_snapshot_cells(simulation->snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE);
  n = bindings->n * answers->clusters;
  answers->fits = malloc((n > 0 ? n : 1) * sizeof *answers->fits);
  if (answers->fits == NULL) {
    return rebali_fail_memory(err);
  }
  for (size_t i = 0; i < n; i++) {
    answers->fits[i] = REBAL_FITS_NO_OPINION;
  }
  for (size_t i = 0; i < bindings->n; i++) {
    answer(simulation, bindings->list[i], &before, answers->fits + i * answers->clusters);
  }
  return REBAL_OK;
}

static int32_t step(rebal_simulation *simulation, const struct answers *answers, rebal_error *err) {
  const rebal_estimator members = {
      .struct_size = sizeof members, .fits = answers->fits, .clusters = answers->clusters, .stride = answers->clusters};
  const rebal_estimator *const estimators[] = {&members};
  rebal_deschedule_opts opts = simulation->scenario.descheduler;
  opts.compat = simulation->opts.compat;
  opts.estimators = estimators;
  opts.n_estimators = 1;
  return rebal_deschedule_step(simulation->ctx, simulation->snapshot, simulation->bindings, &simulation->now, &opts,
                               simulation->result, err);
}

/* What is to be looked at again in the next run, though it may not change. */
static int32_t keep_lacking(rebal_simulation *simulation, const struct rebali_ids *bindings, rebal_error *err) {
  size_t n = 0;
  const int64_t *reasons = rebal_result_i64(simulation->result, REBAL_STEP_REASON, &n);
  int32_t code = REBAL_OK;
  simulation->lacking.n = 0;
  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    if (reasons[i] != REBAL_DESCHEDULE_REASON_NOT_ELIGIBLE && reasons[i] != REBAL_DESCHEDULE_REASON_READY) {
      code = rebali_ids_add(&simulation->lacking, bindings->list[i], err);
    }
  }
  return code;
}

static int32_t look_at(rebal_simulation *simulation, const struct rebali_ids *bindings, rebal_error *err) {
  static const char reason[] = "replicas have been unschedulable in their cluster for longer than the threshold";
  struct answers answers = {NULL, 0};
  int32_t code = rebali_feed(simulation, bindings->list, bindings->n, err);
  if (code == REBAL_OK) {
    code = ask_members(simulation, bindings, &answers, err);
  }
  if (code == REBAL_OK) {
    code = step(simulation, &answers, err);
  }
  free(answers.fits);
  if (code == REBAL_OK) {
    code = keep_lacking(simulation, bindings, err);
  }
  return code == REBAL_OK ? rebali_carry_out_all(simulation, name, reason, err) : code;
}

static int32_t run(rebal_simulation *simulation, rebal_error *err) {
  struct rebali_ids changed, bindings = {NULL, 0, 0};
  int32_t code = rebali_changes_take(simulation, &simulation->descheduled, &changed, err);
  for (size_t i = 0; code == REBAL_OK && i < simulation->lacking.n; i++) {
    code = rebali_ids_add(&changed, simulation->lacking.list[i], err);
  }
  if (code == REBAL_OK) {
    code = rebali_ids_sort(simulation, &changed, err);
  }
  for (size_t i = 0; code == REBAL_OK && i < changed.n; i++) {
    if (rebali_object_is_binding(simulation, changed.list[i])) {
      code = rebali_ids_add(&bindings, changed.list[i], err);
    }
  }
  if (code == REBAL_OK && bindings.n > 0) {
    code = look_at(simulation, &bindings, err);
  }
  rebali_ids_dispose(&changed);
  rebali_ids_dispose(&bindings);
  return code;
}

int32_t rebali_descheduler_run(rebal_simulation *simulation, rebal_error *err) {
  rebal_time *next = &simulation->next_descheduling;
  if (!rebali_time_is_due(next, &simulation->now)) {
    return REBAL_OK;
  }
  *next = rebali_time_after(next, simulation->scenario.descheduler.interval_ns);
  next->is_set = rebali_time_compare(next, &simulation->now) > 0; /* else the clock stands at its end */
  return run(simulation, err);
}
