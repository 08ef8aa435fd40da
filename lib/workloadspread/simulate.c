/* SPDX-License-Identifier: MIT */
/*
 * Option SPREAD_SIMULATION: an adaptive WorkloadSpread passes over subsets without a node that has capacity (the
 * proposal of rebalance-workloadspread(7) 3.9). The caller gives the requirements of a pod in each subset.
 */
#include "estimator/node.h"
#include "workloadspread/admission.h"

#define HOLD_NS (30 * REBALI_SECOND_NS) /* the lifetime of a recorded creation */

int rebali_simulates(const struct rebali_admission *admission, const rebal_spread *spread) {
  return admission->simulation.snapshot != NULL && spread->spec.simulates;
}

/* Returns the requirements of the pod in a subset; REBAL_NONE: it is not simulated. */
static uint32_t requirements_of(const struct rebali_admission *admission, uint32_t subset) {
  const struct rebali_simulation *simulation = &admission->simulation;

  return subset < simulation->stride ? simulation->requirements[admission->place * simulation->stride + subset]
                                     : REBAL_NONE;
}

/* Checks whether a node has capacity for one pod. If no node is known, it is assumed to have. */
static int32_t look(struct rebali_admission *admission, uint32_t requirements, int *has_free_capacity) {
  const struct rebali_simulation *simulation = &admission->simulation;
  const struct rebali_component pod = {requirements, 1};
  const struct rebali_node_request request = {&pod, 1, 0, REBALI_TEXT("")};
  struct rebali_node_answers answers;
  int32_t answer;
  int32_t code = rebali_node_estimate(simulation->ctx, simulation->snapshot, &request, admission->compat,
                                      simulation->ledger, &answers, admission->err);

  if (code == REBAL_OK && rebali_node_answer(&answers, simulation->cluster, &answer) != REBAL_OK) {
    code = rebali_fail_memory(admission->err);
  }
  if (code == REBAL_OK) {
    *has_free_capacity = answer != 0;
  }
  return code;
}

int32_t rebali_simulate(struct rebali_admission *admission, rebal_spread *spread, uint32_t number) {
  const struct rebali_status_list *list = rebali_status_list(&spread->status, number);
  const int takes_first = rebali_compat_value(admission->compat, REBAL_OPTION_SPREAD_MIN_REPLICAS) == 0;

  memset(admission->simulation.is_full, 0, spread->spec.n_subsets);
  for (uint32_t i = 0; i < list->n; i++) {
    const uint32_t subset = list->entries[i].subset;
    const uint32_t requirements = subset == REBAL_NONE ? REBAL_NONE : requirements_of(admission, subset);
    int has_free_capacity = 1;
    int32_t code = REBAL_OK;

    if (!rebali_eligible_is_open(admission, spread, number, i)) {
      continue;
    }
    if (requirements != REBAL_NONE) {
      code = look(admission, requirements, &has_free_capacity);
    }
    if (code != REBAL_OK || (has_free_capacity && takes_first)) {
      return code;
    }
    if (!has_free_capacity) {
      admission->simulation.is_full[subset] = 1;
    }
  }
  return REBAL_OK;
}

/* Returns namespace/name in memory of the call. */
static struct rebali_text key_of(const struct rebali_simulation *simulation, struct rebali_text namespace_,
                                 struct rebali_text name) {
  const size_t len = namespace_.len + 1 + name.len; /* texts of records and cells: below 2^32 each */
  char *key = rebali_arena_allocate(rebali_ctx_scratch(simulation->ctx), len, 1);

  if (key == NULL) {
    return rebali_text(NULL, 0);
  }
  memcpy(key, namespace_.bytes, namespace_.len);
  key[namespace_.len] = '/';
  memcpy(key + namespace_.len + 1, name.bytes, name.len);
  return rebali_text(key, len);
}

int32_t rebali_simulation_charge(struct rebali_admission *admission, const rebal_spread *spread, uint32_t row,
                                 uint32_t subset) {
  struct rebali_simulation *simulation = &admission->simulation;
  const uint32_t requirements = subset == REBAL_NONE ? REBAL_NONE : requirements_of(admission, subset);
  const struct rebali_component pod = {requirements, 1};
  const struct rebali_claim claim = {simulation->cluster, &pod, 1};
  const rebal_time expiry = rebali_time_after(&admission->now, HOLD_NS);
  struct rebali_simulation_charge *charge = &simulation->charges[simulation->n_charges];
  struct rebali_text name;

  if (simulation->ledger == NULL || requirements == REBAL_NONE) {
    return REBAL_OK;
  }
  name = rebali_admission_key(admission, row);
  if (name.len == 0) {
    return REBAL_EINVAL;
  }
  charge->key = key_of(simulation, spread->spec.namespace_, name);
  if (charge->key.bytes == NULL ||
      rebali_ledger_put(simulation->ledger, charge->key, &claim, &expiry, &charge->before) != REBAL_OK) {
    return rebali_fail_memory(admission->err);
  }
  simulation->n_charges++;
  return REBAL_OK;
}

void rebali_simulation_undo(struct rebali_admission *admission) {
  struct rebali_simulation *simulation = &admission->simulation;

  while (simulation->n_charges != 0) {
    const struct rebali_simulation_charge *charge = &simulation->charges[--simulation->n_charges];

    rebali_ledger_put_back(simulation->ledger, charge->key, simulation->cluster, &charge->before);
  }
}

static int32_t check_handles(const rebal_admit_opts *opts, size_t n, rebal_error *err) {
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < opts->simulated_stride; k++) {
      const uint32_t requirements = opts->simulated[i * opts->simulated_stride + k];

      if (requirements != REBAL_NONE &&
          rebali_snapshot_record(opts->snapshot, REBAL_OBJECT_REQUIREMENTS, requirements) == NULL) {
        return rebali_fail(err, REBAL_EINVAL, (int64_t)i, "the snapshot has no requirements with handle %lu",
                           (unsigned long)requirements);
      }
    }
  }
  return REBAL_OK;
}

int32_t rebali_simulation_check(const rebal_admit_opts *opts, const rebal_pods *pods, size_t n, rebal_error *err) {
  if (opts->snapshot == NULL) {
    return REBAL_OK;
  }
  if (rebali_snapshot_fleet(opts->snapshot) != pods->set.store ||
      (opts->ledger != NULL && rebali_ledger_fleet(opts->ledger) != pods->set.store)) {
    return rebali_fail(err, REBAL_EMISMATCH, -1, "snapshot, ledger and pods are of different fleets");
  }
  if (!rebali_snapshot_has(opts->snapshot, opts->cluster)) {
    return rebali_fail(err, REBAL_ENOTFOUND, -1, "the snapshot has no cluster with the id %lu",
                       (unsigned long)opts->cluster);
  }
  if (opts->simulated == NULL && opts->simulated_stride != 0) {
    return rebali_fail(err, REBAL_EINVAL, -1, "simulated is NULL");
  }
  if (opts->simulated_stride > SIZE_MAX / sizeof *opts->simulated / (n + 1)) {
    return rebali_fail(err, REBAL_ELIMIT, -1, "simulated has more cells than there is memory");
  }
  return check_handles(opts, n, err);
}

int32_t rebali_simulation_begin(struct rebali_admission *admission, rebal_ctx *ctx, const rebal_admit_opts *opts,
                                size_t n) {
  size_t most = 1;

  if (opts->snapshot == NULL || rebali_compat_value(opts->compat, REBAL_OPTION_SPREAD_SIMULATION) == 0) {
    return REBAL_OK;
  }
  for (size_t i = 0; i < admission->n_spreads; i++) {
    const size_t n_subsets = admission->spreads[i]->spec.n_subsets;

    most = n_subsets > most ? n_subsets : most;
  }
  admission->simulation = (struct rebali_simulation){
      .ctx = ctx,
      .snapshot = opts->snapshot,
      .ledger = opts->ledger,
      .requirements = opts->simulated,
      .stride = (size_t)opts->simulated_stride,
      .cluster = opts->cluster,
      .is_full = rebali_arena_allocate_zero(rebali_ctx_scratch(ctx), most, 1),
      .charges = rebali_arena_allocate(rebali_ctx_scratch(ctx), n, sizeof *admission->simulation.charges),
  };
  admission->has_options = 1;
  return admission->simulation.is_full == NULL || admission->simulation.charges == NULL
             ? rebali_fail_memory(admission->err)
             : REBAL_OK;
}
