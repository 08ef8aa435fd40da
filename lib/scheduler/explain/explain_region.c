/* SPDX-License-Identifier: MIT */
/*
 * The regions that a selection chose among, or that did not suffice (rebalance-karmada(7) 5.5 to 5.7): their scores,
 * best first, and what broke ties.
 */
#include "scheduler/scheduler.h"

/* Regions are sorted by name, and the sort is stable. */
static int compare_scores(const void *left, const void *right, const void *context) {
  const struct rebali_topology_group *a = *(const struct rebali_topology_group *const *)left;
  const struct rebali_topology_group *b = *(const struct rebali_topology_group *const *)right;

  (void)context;
  return a->score > b->score ? -1 : a->score < b->score;
}

/*
 * Returns why the chosen region precedes another with the same score: of two sets with equal scores the one with more
 * clusters is taken, then the one found first. Returns 0 if the number of clusters does not explain it.
 */
static int64_t decide_tie(const struct rebali_topology_group *chosen, const struct rebali_topology_group *other) {
  if (!chosen->is_chosen || chosen->score != other->score || chosen->n_members < other->n_members) {
    return 0;
  }
  return chosen->n_members > other->n_members ? REBAL_TIE_CLUSTERS : REBAL_TIE_NAME;
}

static void find_tie(const struct rebali_topology *regions, const struct rebali_topology_group *region,
                     struct rebali_reason *reason) {
  for (size_t i = 0; i < regions->n && !region->is_chosen; i++) {
    const int64_t by = decide_tie(&regions->groups[i], region);

    if (by != 0) {
      reason->tie = by;
      reason->peer = regions->groups[i].name;
    }
  }
}

/* Reports a region. If the selection was refused, no region is chosen and the limit is minGroups, not maxGroups. */
static int32_t report_region(struct rebali_explanation *explanation, const struct rebali_topology_group *region,
                             size_t rank, const struct rebali_spread *limit, const struct rebali_spread *cluster) {
  const int is_refused = rebali_pass_refused(explanation->pass);
  struct rebali_reason reason = {
      .cluster = REBAL_NONE,
      .verdict = region->is_chosen ? REBAL_WHY_SELECTED : REBAL_WHY_GROUP_LEFT_OUT,
      .field = is_refused ? REBAL_SPREAD_CONSTRAINT_MIN_GROUPS : REBAL_SPREAD_CONSTRAINT_SPREAD_BY_FIELD,
      .group = region->name,
      .region = region};

  explanation->expected.len = explanation->found.len = 0;
  rebali_buffer_format(&explanation->expected, is_refused ? "minGroups %lld" : "maxGroups %lld",
                       (long long)(is_refused ? limit->min_groups : limit->max_groups));
  if (cluster != NULL && cluster->min_groups > 1) {
    rebali_buffer_format(&explanation->expected, " with %lld clusters", (long long)cluster->min_groups);
  }
  rebali_buffer_format(&explanation->found, "rank %llu, %llu %s", (unsigned long long)rank,
                       (unsigned long long)region->n_members, region->n_members == 1 ? "cluster" : "clusters");
  if (explanation->expected.failed || explanation->found.failed) {
    return rebali_fail_memory(explanation->pass->err);
  }
  reason.expected = rebali_text(explanation->expected.bytes, explanation->expected.len);
  reason.found = rebali_text(explanation->found.bytes, explanation->found.len);
  find_tie(&explanation->pass->topologies[REBAL_SPREAD_BY_REGION], region, &reason);
  return rebali_explanation_row(explanation, &reason);
}

int32_t rebali_explain_regions(struct rebali_explanation *explanation, const struct rebali_spread *region,
                               const struct rebali_spread *cluster) {
  const struct rebali_pass *pass = explanation->pass;
  const struct rebali_topology *regions = &pass->topologies[REBAL_SPREAD_BY_REGION];
  const struct rebali_topology_group **order =
      rebali_arena_allocate(rebali_ctx_scratch(pass->ctx), regions->n + 1, 2 * sizeof(void *));
  int32_t code = order == NULL ? rebali_fail_memory(pass->err) : REBAL_OK;

  if (code == REBAL_OK) {
    for (size_t i = 0; i < regions->n; i++) {
      order[i] = &regions->groups[i];
    }
    rebali_sort(order, regions->n, sizeof *order, order + regions->n, compare_scores, NULL);
  }
  for (size_t i = 0; code == REBAL_OK && i < regions->n && rebali_explanation_has_capacity(explanation); i++) {
    code = report_region(explanation, order[i], i + 1, region, cluster);
  }
  return code;
}
