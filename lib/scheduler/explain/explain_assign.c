/* SPDX-License-Identifier: MIT */
/* Explains the assign stage: what each cluster gets, and which targets lose all replicas. */
#include "scheduler/scheduler.h"

/* Returns the assigned replicas by cluster row, REBAL_ABSENT for clusters that get none. */
static int64_t *replicas_after(const struct rebali_pass *pass) {
  const size_t rows = rebali_snapshot_rows(pass->snapshot);
  int64_t *after = rebali_arena_allocate(rebali_ctx_scratch(pass->ctx), rows, sizeof *after);

  for (size_t row = 0; after != NULL && row < rows; row++) {
    after[row] = REBAL_ABSENT;
  }
  for (size_t i = 0; after != NULL && i < pass->n_placed; i++) { /* 2^32 entries of int32 fit */
    int64_t *sum = &after[pass->placed[i].cluster];

    *sum = (*sum == REBAL_ABSENT ? 0 : *sum) + pass->placed[i].replicas;
  }
  return after;
}

/* Computes the static weights of the candidates by cluster row. *out is NULL when replicas are not divided by them. */
static int32_t weigh_candidates(const struct rebali_pass *pass, const int64_t **out) {
  struct rebali_arena *scratch = rebali_ctx_scratch(pass->ctx);
  struct rebali_weight *weights;
  int64_t *by_cluster;
  size_t n;

  *out = NULL;
  if (pass->placement->strategy != REBALI_STRATEGY_STATIC_WEIGHT || !rebali_pass_is_divided(pass)) {
    return REBAL_OK;
  }
  weights = rebali_arena_allocate(scratch, pass->n_candidates + 1, sizeof *weights);
  by_cluster = rebali_arena_allocate_zero(scratch, rebali_snapshot_rows(pass->snapshot), sizeof *by_cluster);
  if (weights == NULL || by_cluster == NULL) {
    return rebali_fail_memory(pass->err);
  }
  n = rebali_static_weigh(pass, pass->candidates, pass->n_candidates, weights);
  for (size_t i = 0; i < n; i++) {
    by_cluster[weights[i].cluster] = weights[i].weight;
  }
  *out = by_cluster;
  return REBAL_OK;
}

/* Reports what decides the share of a candidate besides its capacity: its overflow tier or its static weight. */
static int32_t report_share(struct rebali_explanation *explanation, const struct rebali_candidate *candidate,
                            const int64_t *weights, struct rebali_reason *reason) {
  if (!rebali_explanation_has_capacity(explanation) || (candidate->overflow_order == 0 && weights == NULL)) {
    return REBAL_OK;
  }
  reason->field = candidate->overflow_order > 0 ? REBAL_AFFINITY_OVERFLOW_AFFINITIES : REBAL_STATIC_WEIGHT_WEIGHT;
  explanation->found.len = 0;
  rebali_buffer_append_i64(&explanation->found,
                           candidate->overflow_order > 0 ? candidate->overflow_order : weights[candidate->cluster]);
  reason->found = rebali_text(explanation->found.bytes, explanation->found.len);
  return explanation->found.failed ? rebali_fail_memory(explanation->pass->err) : REBAL_OK;
}

/* Reports the targets that were not selected, each once, in the order of spec.clusters. */
static int32_t report_dropped(struct rebali_explanation *explanation, uint8_t *is_reported) {
  const struct rebali_pass *pass = explanation->pass;
  int32_t code = REBAL_OK;

  for (size_t i = 0; i < pass->n_targets && code == REBAL_OK; i++) {
    const int64_t cluster = rebali_bindings_i64(pass->bindings, REBAL_TARGET_CLUSTER, pass->target_rows[i]);

    if (cluster != REBAL_NONE && !is_reported[cluster]) {
      const struct rebali_reason reason = {.cluster = (uint32_t)cluster, .verdict = REBAL_WHY_DROPPED};

      is_reported[cluster] = 1;
      code = rebali_explanation_cluster(explanation, &reason);
    }
  }
  return code;
}

int32_t rebali_explain_assignment(struct rebali_explanation *explanation) {
  const struct rebali_pass *pass = explanation->pass;
  const int64_t *after = replicas_after(pass);
  uint8_t *is_reported =
      rebali_arena_allocate_zero(rebali_ctx_scratch(pass->ctx), rebali_snapshot_rows(pass->snapshot), 1);
  const int64_t *weights = NULL;
  int32_t code =
      after == NULL || is_reported == NULL ? rebali_fail_memory(pass->err) : weigh_candidates(pass, &weights);

  for (size_t i = 0; code == REBAL_OK && i < pass->n_candidates; i++) {
    struct rebali_reason reason = {.cluster = pass->candidates[i].cluster, .verdict = REBAL_WHY_NOT_NEEDED};

    is_reported[reason.cluster] = 1;
    reason.after = after[reason.cluster];
    if (reason.after != REBAL_ABSENT) {
      reason.verdict = REBAL_WHY_PLACED;
    }
    if (pass->explain->ties != NULL && pass->explain->ties[reason.cluster].by != 0) {
      reason.tie = pass->explain->ties[reason.cluster].by;
      reason.peer = rebali_snapshot_name(pass->snapshot, pass->explain->ties[reason.cluster].peer);
    }
    code = report_share(explanation, &pass->candidates[i], weights, &reason);
    code = code == REBAL_OK ? rebali_explanation_cluster(explanation, &reason) : code;
  }
  return code == REBAL_OK ? report_dropped(explanation, is_reported) : code;
}
