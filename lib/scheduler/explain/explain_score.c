/* SPDX-License-Identifier: MIT */
/* Explains the score stage: how each feasible cluster ranks, and what limits its capacity. */
#include "scheduler/scheduler.h"

/* Finds the resource, or the caller's estimator, that limits the allocatable of a candidate. */
static int32_t find_limit(struct rebali_explanation *explanation, const struct rebali_candidate *candidate,
                          struct rebali_text *out) {
  const struct rebali_pass *pass = explanation->pass;

  if (candidate->limited_by == REBALI_LIMITED_BY_NONE) {
    return REBAL_OK;
  }
  if (candidate->limited_by == REBALI_LIMITED_BY_NODES) {
    *out = REBALI_TEXT("nodes");
    return REBAL_OK;
  }
  if (candidate->limited_by != REBALI_LIMITED_BY_LIBRARY) {
    explanation->found.len = 0;
    rebali_buffer_format(&explanation->found, "estimators[%ld]", (long)candidate->limited_by);
    *out = rebali_text(explanation->found.bytes, explanation->found.len);
    return explanation->found.failed ? rebali_fail_memory(pass->err) : REBAL_OK;
  }
  if (pass->is_multi_template) {
    *out = REBALI_TEXT("components");
    return REBAL_OK;
  }
  return rebali_estimate_limit(pass->ctx, pass->snapshot, candidate->cluster,
                               (uint32_t)rebali_bindings_i64(pass->bindings, REBAL_BINDING_REQUIREMENTS, pass->row),
                               pass->opts->compat, rebali_pass_ledger(pass), out, pass->err);
}

int32_t rebali_explain_scores(struct rebali_explanation *explanation) {
  const struct rebali_pass *pass = explanation->pass;
  int32_t code = REBAL_OK;

  for (size_t i = 0; i < pass->n_candidates && code == REBAL_OK; i++) {
    const struct rebali_candidate *candidate = &pass->candidates[i];
    struct rebali_reason reason = {.cluster = candidate->cluster, .verdict = REBAL_WHY_SCORED, .candidate = candidate};

    if (rebali_explanation_has_capacity(explanation)) {
      code = find_limit(explanation, candidate, &reason.resource);
    }
    code = code == REBAL_OK ? rebali_explanation_cluster(explanation, &reason) : code;
  }
  return code;
}
