/* SPDX-License-Identifier: MIT */
/* Scores and the order of candidates (rebalance-karmada(7) 4, 5.2). */
#include "scheduler/fast/fast.h"

#define NO_OVERFLOW_MATCH 1000

static int32_t overflow_order(const struct rebali_pass *pass, uint32_t cluster) {
  const struct rebali_affinity *term = pass->trial_term;

  if (pass->placement->affinity != NULL || pass->placement->n_terms == 0) {
    return 0;
  }
  if (term == NULL) {
    return NO_OVERFLOW_MATCH;
  }
  if (rebali_placement_matches(pass->placement, term, cluster)) {
    return 0;
  }
  for (size_t i = 0; i < term->n_overflow; i++) {
    if (rebali_placement_matches(pass->placement, &term->overflow[i], cluster)) {
      return (int32_t)i + 1; /* a record has fewer than 2^31 nodes */
    }
  }
  return NO_OVERFLOW_MATCH;
}

int rebali_candidate_compare(const void *left, const void *right, const void *snapshot) {
  const struct rebali_candidate *a = left;
  const struct rebali_candidate *b = right;

  if (a->overflow_order != b->overflow_order) {
    return a->overflow_order < b->overflow_order ? -1 : 1;
  }
  if (a->score != b->score) {
    return a->score > b->score ? -1 : 1;
  }
  if (a->available != b->available) {
    return a->available > b->available ? -1 : 1;
  }
  return rebali_snapshot_rank(snapshot, a->cluster) < rebali_snapshot_rank(snapshot, b->cluster) ? -1 : 1;
}

/*
 * If replicas are divided by weight among all feasible clusters, these are taken by name whatever their order
 * (rebalance-karmada(7) 7.7), and sums over them do not depend on order either. All other strategies take or name
 * candidates in order.
 */
int rebali_candidates_are_ordered(const struct rebali_pass *pass) {
  const struct rebali_placement *placement = pass->placement;
  const int is_weighted =
      placement->strategy == REBALI_STRATEGY_STATIC_WEIGHT || placement->strategy == REBALI_STRATEGY_DYNAMIC_WEIGHT;

  return !pass->is_final || !is_weighted || !rebali_pass_is_divided(pass) || rebali_pass_has_overflow(pass) ||
         rebali_placement_selects(placement) ||
         rebali_compat_value(pass->opts->compat, REBAL_OPTION_EMPTY_WORKLOAD_PROPAGATION);
}

static int32_t sort_candidates(struct rebali_pass *pass) {
  struct rebali_candidate *scratch =
      rebali_arena_allocate(rebali_ctx_scratch(pass->ctx), pass->n_candidates, sizeof *scratch);

  if (scratch == NULL) {
    return rebali_fail_memory(pass->err);
  }
  rebali_sort(pass->candidates, pass->n_candidates, sizeof *pass->candidates, scratch, rebali_candidate_compare,
              pass->snapshot);
  return REBAL_OK;
}

/* Lists all feasible clusters by name. */
static void list_feasible(struct rebali_pass *pass) {
  uint32_t n;
  const uint32_t *clusters = rebali_snapshot_by_name(pass->snapshot, &n);

  pass->n_candidates = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (rebali_bit_get(pass->feasible, clusters[i])) {
      pass->candidates[pass->n_candidates++] = (struct rebali_candidate){.cluster = clusters[i]};
    }
  }
}

int32_t rebali_candidates_rate(struct rebali_pass *pass) {
  const int64_t locality =
      rebali_compat_value(pass->opts->compat, REBAL_OPTION_CLUSTER_LOCALITY) ? REBALI_LOCALITY_SCORE : 0;
  int is_listed;
  int32_t code = rebali_shortlist(pass, &is_listed);

  if (code != REBAL_OK || is_listed) {
    return code;
  }
  list_feasible(pass);
  code = rebali_availability(pass);
  if (code != REBAL_OK) {
    return code;
  }
  for (size_t i = 0; i < pass->n_candidates; i++) {
    struct rebali_candidate *candidate = &pass->candidates[i];

    candidate->extra = rebali_extra_cell(pass, pass->opts->extra_score, candidate->cluster);
    candidate->score = candidate->extra + (rebali_bit_get(pass->targets, candidate->cluster) ? locality : 0);
    candidate->overflow_order = overflow_order(pass, candidate->cluster);
    candidate->available = (int64_t)candidate->allocatable + rebali_pass_assigned(pass, candidate->cluster);
  }
  return rebali_candidates_are_ordered(pass) ? sort_candidates(pass) : REBAL_OK;
}
