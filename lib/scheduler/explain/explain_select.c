/* SPDX-License-Identifier: MIT */
/*
 * Explains the select stage: which clusters were chosen, and what excluded each of the others (rebalance-karmada(7) 5).
 */
#include "scheduler/scheduler.h"

/* Inputs of the selection. A missing constraint is NULL. */
struct selection {
  const struct rebali_spread *cluster;
  const struct rebali_spread *region;
  const struct rebali_topology *regions;
  uint8_t *is_selected;                         /* by cluster row */
  struct rebali_candidate *ranked;              /* feasible clusters, best first; selecting reorders the candidates */
  const struct rebali_candidate *last_selected; /* of those whose row is written */
};

/*
 * Ranks the feasible clusters. Clusters that were not selected are still listed after the others, and the order is
 * total, so sorting restores it.
 */
static int32_t rank(const struct rebali_pass *pass, struct selection *out) {
  struct rebali_arena *memory = rebali_ctx_scratch(pass->ctx);
  struct rebali_candidate *scratch = rebali_arena_allocate(memory, pass->n_feasible, sizeof *scratch);

  out->ranked = rebali_arena_allocate(memory, pass->n_feasible, sizeof *out->ranked);
  if (out->ranked == NULL || scratch == NULL) {
    return rebali_fail_memory(pass->err);
  }
  memcpy(out->ranked, pass->candidates, pass->n_feasible * sizeof *out->ranked);
  rebali_sort(out->ranked, pass->n_feasible, sizeof *out->ranked, scratch, rebali_candidate_compare, pass->snapshot);
  return REBAL_OK;
}

static int32_t read_selection(const struct rebali_pass *pass, struct selection *out) {
  const struct rebali_placement *placement = pass->placement;

  *out = (struct selection){.regions = &pass->topologies[REBAL_SPREAD_BY_REGION]};
  if (!placement->ignores_spread) {
    out->cluster = rebali_placement_spread(placement, REBAL_SPREAD_BY_CLUSTER);
    out->region = rebali_placement_spread(placement, REBAL_SPREAD_BY_REGION);
  }
  out->is_selected = rebali_arena_allocate_zero(rebali_ctx_scratch(pass->ctx), rebali_snapshot_rows(pass->snapshot), 1);
  for (size_t i = 0; i < pass->n_candidates && out->is_selected != NULL; i++) {
    out->is_selected[pass->candidates[i].cluster] = 1;
  }
  return out->is_selected == NULL ? rebali_fail_memory(pass->err) : rank(pass, out);
}

static int is_region_chosen(const struct selection *selection, struct rebali_text region) {
  for (size_t i = 0; i < selection->regions->n; i++) {
    if (rebali_text_equal(selection->regions->groups[i].name, region)) {
      return selection->regions->groups[i].is_chosen;
    }
  }
  return 0;
}

static int64_t judge(const struct rebali_pass *pass, const struct selection *selection, size_t at) {
  const uint32_t cluster = selection->ranked[at].cluster;

  if (selection->is_selected[cluster]) {
    return REBAL_WHY_SELECTED;
  }
  if (selection->region != NULL) {
    return is_region_chosen(selection, rebali_snapshot_text(pass->snapshot, REBAL_CLUSTER_REGION, cluster))
               ? REBAL_WHY_BEYOND_MAX_GROUPS
               : REBAL_WHY_GROUP_LEFT_OUT;
  }
  return at < pass->n_candidates ? REBAL_WHY_EXCHANGED : REBAL_WHY_BEYOND_MAX_GROUPS;
}

/* Reports why the last selected cluster precedes one that maxGroups excludes. */
static void find_tie(const struct rebali_pass *pass, const struct selection *selection,
                     const struct rebali_candidate *candidate, struct rebali_reason *reason) {
  const struct rebali_candidate *last = selection->last_selected;

  if (reason->verdict == REBAL_WHY_BEYOND_MAX_GROUPS && last != NULL && last->score == candidate->score &&
      last->overflow_order == candidate->overflow_order) {
    reason->tie = last->available > candidate->available ? REBAL_TIE_AVAILABLE : REBAL_TIE_NAME;
    reason->peer = rebali_snapshot_name(pass->snapshot, last->cluster);
  }
}

static int32_t report_ranked(struct rebali_explanation *explanation, struct selection *selection, size_t at) {
  const struct rebali_pass *pass = explanation->pass;
  const struct rebali_candidate *candidate = &selection->ranked[at];
  struct rebali_reason reason = {.cluster = candidate->cluster, .verdict = judge(pass, selection, at)};
  const struct rebali_spread *limit =
      reason.verdict == REBAL_WHY_GROUP_LEFT_OUT ? selection->region : selection->cluster;

  if (rebali_explanation_has_capacity(explanation)) {
    explanation->expected.len = explanation->found.len = 0;
    if (limit != NULL) {
      reason.field = REBAL_SPREAD_CONSTRAINT_MAX_GROUPS;
      rebali_buffer_format(&explanation->expected, "maxGroups %lld", (long long)limit->max_groups);
    }
    rebali_buffer_format(&explanation->found, "rank %llu", (unsigned long long)at + 1);
    if (selection->region != NULL) {
      reason.group = rebali_snapshot_text(pass->snapshot, REBAL_CLUSTER_REGION, candidate->cluster);
    }
    reason.candidate = candidate;
    find_tie(pass, selection, candidate, &reason);
    reason.expected = rebali_text(explanation->expected.bytes, explanation->expected.len);
    reason.found = rebali_text(explanation->found.bytes, explanation->found.len);
    if (explanation->expected.failed || explanation->found.failed) {
      return rebali_fail_memory(pass->err);
    }
  }
  selection->last_selected = reason.verdict == REBAL_WHY_SELECTED ? candidate : selection->last_selected;
  return rebali_explanation_cluster(explanation, &reason);
}

/* Regions first, then clusters by rank, in the order that the selection used. */
int32_t rebali_explain_selection(struct rebali_explanation *explanation) {
  struct selection selection;
  int32_t code = read_selection(explanation->pass, &selection);

  if (code == REBAL_OK && selection.region != NULL) {
    code = rebali_explain_regions(explanation, selection.region, selection.cluster);
  }
  for (size_t i = 0; i < explanation->pass->n_feasible && code == REBAL_OK; i++) {
    code = report_ranked(explanation, &selection, i);
  }
  return code;
}

int32_t rebali_explain_refused_selection(struct rebali_explanation *explanation) {
  const struct rebali_pass *pass = explanation->pass;

  return pass->topologies[REBAL_SPREAD_BY_REGION].groups == NULL
             ? REBAL_OK
             : rebali_explain_regions(explanation, rebali_placement_spread(pass->placement, REBAL_SPREAD_BY_REGION),
                                      rebali_placement_spread(pass->placement, REBAL_SPREAD_BY_CLUSTER));
}
