/* SPDX-License-Identifier: MIT */
/*
 * Selection by region (rebalance-karmada(7) 5.5): chooses a path of regions by their scores, then fills up with their
 * clusters.
 */
#include "scheduler/scheduler.h"

static int32_t choose(struct rebali_pass *pass, const struct rebali_topology *regions,
                      const struct rebali_spread *region, const struct rebali_spread *cluster, size_t *chosen,
                      size_t *n_chosen) {
  struct rebali_arena *scratch = rebali_ctx_scratch(pass->ctx);
  struct rebali_group *groups = rebali_arena_allocate(scratch, regions->n + 1, sizeof *groups);

  if (groups == NULL) {
    return rebali_fail_memory(pass->err);
  }
  for (size_t i = 0; i < regions->n; i++) {
    const struct rebali_topology_group *group = &regions->groups[i];

    groups[i] = (struct rebali_group){(int64_t)group->n_members, group->score, i};
  }
  switch (rebali_select_groups(scratch, groups, regions->n, region->min_groups, region->max_groups,
                               cluster == NULL ? 0 : cluster->min_groups, chosen, n_chosen)) {
    case REBAL_OK:
      return REBAL_OK;
    case REBAL_ELIMIT: /* the limit of one binding is an answer, so the rest of its batch is answered too */
      return rebali_pass_refuse(
          pass, REBAL_OUTCOME_SCHEDULER_ERROR,
          "failed to select clusters: %llu regions, but at most %d can be searched for the best subset",
          (unsigned long long)regions->n, REBALI_MAX_GROUPS);
    default:
      return rebali_fail_memory(pass->err);
  }
}

/* State of a candidate. */
enum { LEFT_OUT, IN_POOL, TAKEN };

/*
 * Takes the first cluster of each region in the order of the path, then the best of the others; those not selected come
 * last. The candidates are in the order of rebalance-karmada(7) 5.2, which is also the order of the pool.
 */
static int32_t take(struct rebali_pass *pass, const struct rebali_topology *regions,
                    const struct rebali_spread *cluster, const size_t *chosen, size_t n_chosen) {
  struct rebali_arena *scratch = rebali_ctx_scratch(pass->ctx);
  const int64_t max_clusters = cluster == NULL ? 0 : cluster->max_groups;
  struct rebali_candidate *taken = rebali_arena_allocate(scratch, pass->n_candidates, sizeof *taken);
  uint8_t *fate = rebali_arena_allocate_zero(scratch, pass->n_candidates, sizeof *fate);
  size_t n = 0;
  size_t n_selected;

  if (taken == NULL || fate == NULL) {
    return rebali_fail_memory(pass->err);
  }
  for (size_t i = 0; i < n_chosen; i++) {
    struct rebali_topology_group *region = &regions->groups[chosen[i]];

    region->is_chosen = 1;
    for (size_t m = 0; m < region->n_listed; m++) {
      fate[region->members[m]] = m == 0 ? TAKEN : IN_POOL;
    }
    taken[n++] = pass->candidates[region->members[0]];
  }
  for (size_t i = 0; i < pass->n_candidates && (int64_t)n < max_clusters; i++) {
    if (fate[i] == IN_POOL) {
      fate[i] = TAKEN;
      taken[n++] = pass->candidates[i];
    }
  }
  n_selected = n;
  for (size_t i = 0; i < pass->n_candidates; i++) {
    if (fate[i] != TAKEN) {
      taken[n++] = pass->candidates[i];
    }
  }
  memcpy(pass->candidates, taken, n * sizeof *taken);
  pass->n_candidates = n_selected;
  return REBAL_OK;
}

int32_t rebali_select_by_region(struct rebali_pass *pass, const struct rebali_spread *region,
                                const struct rebali_spread *cluster) {
  const struct rebali_topology *regions = &pass->topologies[REBAL_SPREAD_BY_REGION];
  size_t *chosen;
  size_t n_chosen = 0;
  int32_t code;

  if ((int64_t)regions->n < region->min_groups) {
    return rebali_pass_refuse(
        pass, REBAL_OUTCOME_SCHEDULER_ERROR,
        "failed to select clusters: the number of feasible region is less than spreadConstraint.MinGroups");
  }
  chosen = rebali_arena_allocate(rebali_ctx_scratch(pass->ctx), regions->n + 1, sizeof *chosen);
  code = chosen == NULL ? rebali_fail_memory(pass->err) : choose(pass, regions, region, cluster, chosen, &n_chosen);
  if (code != REBAL_OK || rebali_pass_refused(pass)) {
    return code;
  }
  if (n_chosen == 0) {
    return rebali_pass_refuse(
        pass, REBAL_OUTCOME_SCHEDULER_ERROR,
        "failed to select clusters: the number of clusters is less than the cluster spreadConstraint.MinGroups");
  }
  return take(pass, regions, cluster, chosen, n_chosen);
}
