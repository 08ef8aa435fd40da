/* SPDX-License-Identifier: MIT */
/*
 * The descheduler (rebalance-karmada(7) 8), in equal intervals from the start of the scenario. A run examines the
 * bindings that changed since the previous run, and those that lacked ready replicas then: the result for others stays
 * the same.
 */
#include "simulation/controllers/controllers.h"

#include <stdlib.h>
#include <string.h>

static const char name[] = "descheduler";

/* The answers of the members: a row of cells for each of n bindings. */
struct answers {
  int32_t *fits;
  size_t clusters;
};

/* Fills the answers for one binding: its replicas that wait for a node. */
static void answer(const struct rebali_descheduler *descheduler, uint32_t binding, const rebal_time *before,
                   int32_t *fits) {
  const struct rebali_bound *bound = rebali_bound_find(descheduler->members, binding);
  for (size_t i = 0; bound != NULL && i < bound->n; i++) {
    const char *name_of = bound->works[i]->member->cluster;
    const uint32_t cluster = rebal_snapshot_find_cluster(descheduler->core->snapshot, name_of, strlen(name_of));
    if (cluster != REBAL_NONE) {
      const int64_t pending = rebali_work_waiting(bound->works[i], before);
      fits[cluster] = (int32_t)(pending < INT32_MAX ? pending : INT32_MAX);
    }
  }
}

static int32_t query_members(const struct rebali_descheduler *descheduler, const struct rebali_ids *bindings,
                             struct answers *answers, rebal_error *err) {
  const struct rebali_core *core = descheduler->core;
  const rebal_time before = rebali_time_after(&core->server->now, -descheduler->options->descheduler.threshold_ns);
  size_t n;
  answers->clusters = rebal_cells_bound(rebal_snapshot_cells(core->snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE);
  n = bindings->n * answers->clusters;
  answers->fits = malloc((n > 0 ? n : 1) * sizeof *answers->fits);
  if (answers->fits == NULL) {
    return rebali_fail_memory(err);
  }
  for (size_t i = 0; i < n; i++) {
    answers->fits[i] = REBAL_FITS_NO_OPINION;
  }
  for (size_t i = 0; i < bindings->n; i++) {
    answer(descheduler, bindings->list[i], &before, answers->fits + i * answers->clusters);
  }
  return REBAL_OK;
}

static int32_t step(const struct rebali_descheduler *descheduler, const struct answers *answers, rebal_error *err) {
  const rebal_estimator members = {
      .struct_size = sizeof members, .fits = answers->fits, .clusters = answers->clusters, .stride = answers->clusters};
  const rebal_estimator *const estimators[] = {&members};
  const struct rebali_core *core = descheduler->core;
  rebal_deschedule_opts opts = descheduler->options->descheduler;
  opts.compat = core->compat;
  opts.estimators = estimators;
  opts.n_estimators = 1;
  return rebal_deschedule_step(core->ctx, core->snapshot, core->bindings, &core->server->now, &opts, core->result, err);
}

/* Keeps the bindings to be examined in the next run even if they do not change. */
static int32_t keep_lacking(struct rebali_descheduler *descheduler, const struct rebali_ids *bindings,
                            rebal_error *err) {
  size_t n = 0;
  const int64_t *reasons = rebal_result_i64(descheduler->core->result, REBAL_STEP_REASON, &n);
  int32_t code = REBAL_OK;
  descheduler->lacking.n = 0;
  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    if (reasons[i] != REBAL_DESCHEDULE_REASON_NOT_ELIGIBLE && reasons[i] != REBAL_DESCHEDULE_REASON_READY) {
      code = rebali_ids_add(&descheduler->lacking, bindings->list[i], err);
    }
  }
  return code;
}

static int32_t examine_object(struct rebali_descheduler *descheduler, const struct rebali_ids *bindings,
                              rebal_error *err) {
  static const char reason[] = "replicas have been unschedulable in their cluster for longer than the threshold";
  struct answers answers = {NULL, 0};
  int32_t code = rebali_feed(descheduler->core, bindings->list, bindings->n, err);
  if (code == REBAL_OK) {
    code = query_members(descheduler, bindings, &answers, err);
  }
  if (code == REBAL_OK) {
    code = step(descheduler, &answers, err);
  }
  free(answers.fits);
  if (code == REBAL_OK) {
    code = keep_lacking(descheduler, bindings, err);
  }
  return code == REBAL_OK ? rebali_carry_out_all(descheduler->core, name, reason, NULL, err) : code;
}

static int32_t run(struct rebali_descheduler *descheduler, rebal_error *err) {
  const struct rebali_server *server = descheduler->core->server;
  struct rebali_ids changed, bindings = {NULL, 0, 0};
  int32_t code = rebali_changes_take(server, &descheduler->seen, &changed, err);
  for (size_t i = 0; code == REBAL_OK && i < descheduler->lacking.n; i++) {
    code = rebali_ids_add(&changed, descheduler->lacking.list[i], err);
  }
  if (code == REBAL_OK) {
    code = rebali_ids_sort(server, &changed, err);
  }
  for (size_t i = 0; code == REBAL_OK && i < changed.n; i++) {
    if (rebali_object_is_binding(server, changed.list[i])) {
      code = rebali_ids_add(&bindings, changed.list[i], err);
    }
  }
  if (code == REBAL_OK && bindings.n > 0) {
    code = examine_object(descheduler, &bindings, err);
  }
  rebali_ids_dispose(&changed);
  rebali_ids_dispose(&bindings);
  return code;
}

int32_t rebali_descheduler_run(struct rebali_descheduler *descheduler, rebal_error *err) {
  const rebal_time *now = &descheduler->core->server->now;
  rebal_time *next = &descheduler->next;
  if (!rebali_time_is_due(next, now)) {
    return REBAL_OK;
  }
  *next = rebali_time_after(next, descheduler->options->descheduler.interval_ns);
  next->is_set = rebali_time_compare(next, now) > 0; /* otherwise the clock is at its end */
  return run(descheduler, err);
}
