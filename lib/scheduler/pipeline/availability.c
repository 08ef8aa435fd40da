/* SPDX-License-Identifier: MIT */
/*
 * Estimates how many replicas, or component sets, fit into each candidate: the smallest estimate of all estimators
 * (rebalance-karmada(7) 6.1).
 *
 * Two numbers are not amounts. REBAL_FITS_NO_OPINION leaves the decision to the other estimators. INT32_MAX as the
 * smallest estimate means that no estimator limits the cluster, which then fits all replicas of the binding and no
 * more. 0 is an amount: a full cluster stays full whatever other estimators return.
 */
#include "scheduler/scheduler.h"

#include "estimator/fast/fits.h"
#include "estimator/node.h"

static int32_t estimate_sets(struct rebali_pass *pass, struct rebali_fits *fits) {
  const struct rebali_component *components = rebali_pass_components(pass);

  if (components == NULL) {
    return rebali_fail_memory(pass->err);
  }
  return rebali_estimate_sets(pass->ctx, pass->snapshot, components, pass->n_components, pass->opts->compat,
                              rebali_pass_ledger(pass), fits, pass->err);
}

int32_t rebali_estimate_here(struct rebali_pass *pass, struct rebali_fits *fits, const uint64_t *wanted,
                             size_t n_wanted) {
  int32_t code;

  fits->replicas = NULL;
  if (pass->opts->flags & REBAL_SCHEDULE_FLAG_NO_SUMMARY) {
    return REBAL_OK;
  }
  code =
      pass->is_multi_template
          ? estimate_sets(pass, fits)
          : rebali_estimate_rows(pass->ctx, pass->snapshot,
                                 (uint32_t)rebali_bindings_i64(pass->bindings, REBAL_BINDING_REQUIREMENTS, pass->row),
                                 pass->opts->compat, rebali_pass_ledger(pass), fits, pass->err);
  if (code == REBAL_OK && rebali_fits_catch_up(fits, wanted, n_wanted) != REBAL_OK) {
    code = rebali_fail_memory(pass->err);
  }
  if (code == REBAL_OK && pass->beside != NULL) {
    rebali_fits_charge(fits, pass->beside);
  }
  return code;
}

static int is_dropped(const struct rebali_pass *pass, const rebal_estimator *estimator) {
  if (!rebali_compat_value(pass->opts->compat, REBAL_OPTION_ESTIMATOR_ALL_OR_NOTHING)) {
    return 0;
  }
  for (size_t i = 0; i < pass->n_candidates; i++) {
    if (rebali_opinion(estimator, pass->row, pass->candidates[i].cluster) == REBAL_FITS_FAILED) {
      return 1;
    }
  }
  return 0;
}

/* Merges an estimate. Negative numbers are amounts, except the two with a meaning, as in the reference. */
static void merge(struct rebali_candidate *candidate, int32_t opinion, int32_t who) {
  if (opinion != REBAL_FITS_NO_OPINION && opinion < candidate->allocatable) {
    candidate->allocatable = opinion;
    candidate->limited_by = who;
  }
}

/* Estimates from nodes, where they are known, as an estimator in every member cluster would. */
static int32_t estimate_nodes(struct rebali_pass *pass) {
  const struct rebali_component one = {
      (uint32_t)rebali_bindings_i64(pass->bindings, REBAL_BINDING_REQUIREMENTS, pass->row), 1};
  struct rebali_node_request request = {&one, 1, 0, REBALI_TEXT("")};
  struct rebali_node_answers answers;
  int32_t code;

  if (pass->is_multi_template) {
    request.components = rebali_pass_components(pass);
    request.n = pass->n_components;
    request.is_set = 1;
    request.namespace_ = rebali_bindings_text(pass->bindings, REBAL_BINDING_RESOURCE_NAMESPACE, pass->row);
  }
  if (request.components == NULL) {
    return rebali_fail_memory(pass->err);
  }
  if (pass->beside != NULL) {
    pass->beside->is_void = 1;
  }
  code = rebali_node_estimate(pass->ctx, pass->snapshot, &request, pass->opts->compat, rebali_pass_ledger(pass),
                              &answers, pass->err);
  for (size_t i = 0; i < pass->n_candidates && code == REBAL_OK; i++) {
    int32_t opinion = REBAL_FITS_NO_OPINION;

    if (rebali_node_answer(&answers, pass->candidates[i].cluster, &opinion) != REBAL_OK) {
      code = rebali_fail_memory(pass->err);
    }
    merge(&pass->candidates[i], opinion, REBALI_LIMITED_BY_NODES);
  }
  return code;
}

/* Runs the library's own estimators. */
static int32_t estimate_here(struct rebali_pass *pass) {
  struct rebali_fits fits;
  const int32_t code = rebali_estimate_here(pass, &fits, NULL, 0);

  if (code != REBAL_OK) {
    return code;
  }
  for (size_t i = 0; fits.replicas != NULL && i < pass->n_candidates; i++) {
    merge(&pass->candidates[i], rebali_fits_of(&fits, pass->candidates[i].cluster), REBALI_LIMITED_BY_LIBRARY);
  }
  return (pass->opts->flags & REBAL_SCHEDULE_FLAG_NODES) != 0 ? estimate_nodes(pass) : REBAL_OK;
}

int32_t rebali_availability(struct rebali_pass *pass) {
  int32_t code;

  for (size_t i = 0; i < pass->n_candidates; i++) {
    pass->candidates[i].allocatable = INT32_MAX;
    pass->candidates[i].limited_by = REBALI_LIMITED_BY_NONE;
  }
  if (pass->replicas == 0 && pass->n_components == 0) {
    return REBAL_OK;
  }
  code = estimate_here(pass);
  if (code != REBAL_OK) {
    return code;
  }
  for (size_t e = 0; e < pass->opts->n_estimators; e++) {
    const rebal_estimator *estimator = pass->opts->estimators[e];
    const size_t n = is_dropped(pass, estimator) ? 0 : pass->n_candidates;

    for (size_t i = 0; i < n; i++) {
      const int32_t opinion = rebali_opinion(estimator, pass->row, pass->candidates[i].cluster);

      merge(&pass->candidates[i], opinion == REBAL_FITS_FAILED ? REBAL_FITS_NO_OPINION : opinion,
            (int32_t)(e & INT32_MAX)); /* no caller has 2^31 estimators; the number is for display only */
    }
  }
  for (size_t i = 0; i < pass->n_candidates; i++) {
    if (pass->candidates[i].allocatable == INT32_MAX) {
      pass->candidates[i].allocatable = pass->replicas;
    }
  }
  return REBAL_OK;
}
