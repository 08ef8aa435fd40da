/* SPDX-License-Identifier: MIT */
/*
 * Selection by region (spec karmada 5.5, 5.6): score the regions, choose a path of them, fill up with their clusters.
 */
#include "scheduler/scheduler.h"

struct region {
  struct rebali_text name;
  size_t first; /* best candidate of the region */
  int64_t clusters;
  int64_t sum_available;
  int64_t sum_score;
  int64_t taken; /* clusters that counted for the score */
  int is_full;   /* the target was reached */
  int is_chosen;
};

struct regions {
  struct region *list;
  size_t n;
  size_t *of_candidate; /* by position among the candidates; SIZE_MAX for a candidate without region */
};

static int32_t find_regions(struct rebali_pass *pass, struct regions *regions) {
  struct rebali_arena *scratch = rebali_ctx_scratch(pass->ctx);

  regions->n = 0;
  regions->list = rebali_arena_allocate_zero(scratch, pass->n_candidates, sizeof *regions->list);
  regions->of_candidate = rebali_arena_allocate(scratch, pass->n_candidates, sizeof *regions->of_candidate);
  if (regions->list == NULL || regions->of_candidate == NULL) {
    return rebali_fail_memory(pass->err);
  }
  for (size_t i = 0; i < pass->n_candidates; i++) {
    const struct rebali_text name =
        rebali_snapshot_text(pass->snapshot, REBAL_CLUSTER_REGION, pass->candidates[i].cluster);
    size_t at = 0;

    while (at < regions->n && !rebali_text_equal(regions->list[at].name, name)) {
      at++;
    }
    if (name.len == 0) {
      at = SIZE_MAX;
    } else if (at == regions->n) {
      regions->list[regions->n++] = (struct region){name, i, 0, 0, 0, 0, 0, 0};
    }
    regions->of_candidate[i] = at;
  }
  return REBAL_OK;
}

/* Integer form of ceil(replicas / groups), replicas >= 0, groups >= 1. */
static int64_t share_of(int64_t replicas, int64_t groups) {
  return replicas / groups + (replicas % groups != 0);
}

/*
 * Counts for the score in candidate order: all clusters are summed, but those after the target was reached do not
 * count.
 */
static void score_divided(struct rebali_pass *pass, struct regions *regions, int64_t target, int64_t least) {
  for (size_t i = 0; i < pass->n_candidates; i++) {
    struct region *region;

    if (regions->of_candidate[i] == SIZE_MAX) {
      continue;
    }
    region = &regions->list[regions->of_candidate[i]];
    region->clusters++;
    if (region->is_full) {
      continue;
    }
    region->sum_available += pass->candidates[i].available;
    region->sum_score += pass->candidates[i].score;
    region->taken++;
    region->is_full = region->taken >= least && region->sum_available >= target;
  }
}

static void score_duplicated(struct rebali_pass *pass, struct regions *regions) {
  for (size_t i = 0; i < pass->n_candidates; i++) {
    struct region *region;

    if (regions->of_candidate[i] == SIZE_MAX) {
      continue;
    }
    region = &regions->list[regions->of_candidate[i]];
    region->clusters++;
    if (pass->candidates[i].available >= pass->replicas) {
      region->sum_score += pass->candidates[i].score;
      region->taken++;
    }
  }
}

static int64_t region_score(const struct region *region, int is_duplicated, int64_t target) {
  if (is_duplicated) {
    return region->taken == 0 ? 0 : region->taken * 1000 + region->sum_score / region->taken;
  }
  if (region->sum_available < target) {
    return rebali_add_saturating(rebali_multiply_saturating(region->sum_available, 1000),
                                 region->sum_score / region->clusters);
  }
  return target * 1000 + region->sum_score / region->taken;
}

static int32_t choose(struct rebali_pass *pass, struct regions *regions, const struct rebali_spread *region,
                      const struct rebali_spread *cluster, size_t *chosen, size_t *n_chosen) {
  const int is_duplicated = pass->placement->strategy == REBALI_STRATEGY_DUPLICATED;
  const int64_t min_groups = region->min_groups > 0 ? region->min_groups : 1;
  const int64_t min_clusters = cluster == NULL ? 0 : cluster->min_groups;
  const int64_t target = share_of(pass->replicas, min_groups);
  struct rebali_group *groups =
      rebali_arena_allocate_zero(rebali_ctx_scratch(pass->ctx), regions->n + 1, sizeof *groups);

  if (groups == NULL) {
    return rebali_fail_memory(pass->err);
  }
  if (is_duplicated) {
    score_duplicated(pass, regions);
  } else {
    score_divided(pass, regions, target, min_groups > min_clusters ? min_groups : min_clusters);
  }
  for (size_t i = 0; i < regions->n; i++) {
    groups[i] = (struct rebali_group){regions->list[i].name, regions->list[i].clusters,
                                      region_score(&regions->list[i], is_duplicated, target), i};
  }
  switch (rebali_select_groups(rebali_ctx_scratch(pass->ctx), groups, regions->n, region->min_groups,
                               region->max_groups, min_clusters, chosen, n_chosen)) {
    case REBAL_OK:
      return REBAL_OK;
    case REBAL_ELIMIT: /* one binding's limit is an answer, so that the others of its batch get theirs */
      return rebali_pass_refuse(
          pass, REBAL_OUTCOME_SCHEDULER_ERROR,
          "failed to select clusters: %llu regions, but at most %d can be searched for the best subset",
          (unsigned long long)regions->n, REBALI_MAX_GROUPS);
    default:
      return rebali_fail_memory(pass->err);
  }
}

/* The first of each region in the order of the path, then the best of the others. */
static int32_t take(struct rebali_pass *pass, struct regions *regions, const struct rebali_spread *cluster,
                    const size_t *chosen, size_t n_chosen) {
  const int64_t max_clusters = cluster == NULL ? 0 : cluster->max_groups;
  struct rebali_candidate *taken =
      rebali_arena_allocate(rebali_ctx_scratch(pass->ctx), pass->n_candidates, sizeof *taken);
  size_t n = 0;

  if (taken == NULL) {
    return rebali_fail_memory(pass->err);
  }
  for (size_t i = 0; i < n_chosen; i++) {
    regions->list[chosen[i]].is_chosen = 1;
    taken[n++] = pass->candidates[regions->list[chosen[i]].first];
  }
  /* The candidates are in the order of spec karmada 5.2 already, which is the pool's. */
  for (size_t i = 0; i < pass->n_candidates && (int64_t)n < max_clusters; i++) {
    const size_t at = regions->of_candidate[i];

    if (at != SIZE_MAX && regions->list[at].is_chosen && regions->list[at].first != i) {
      taken[n++] = pass->candidates[i];
    }
  }
  memcpy(pass->candidates, taken, n * sizeof *taken);
  pass->n_candidates = n;
  return REBAL_OK;
}

int32_t rebali_select_by_region(struct rebali_pass *pass, const struct rebali_spread *region,
                                const struct rebali_spread *cluster) {
  struct regions regions;
  size_t *chosen;
  size_t n_chosen = 0;
  int32_t code = find_regions(pass, &regions);

  if (code != REBAL_OK) {
    return code;
  }
  if ((int64_t)regions.n < region->min_groups) {
    return rebali_pass_refuse(
        pass, REBAL_OUTCOME_SCHEDULER_ERROR,
        "failed to select clusters: the number of feasible region is less than spreadConstraint.MinGroups");
  }
  chosen = rebali_arena_allocate(rebali_ctx_scratch(pass->ctx), regions.n + 1, sizeof *chosen);
  code = chosen == NULL ? rebali_fail_memory(pass->err) : choose(pass, &regions, region, cluster, chosen, &n_chosen);
  if (code != REBAL_OK || rebali_pass_refused(pass)) {
    return code;
  }
  if (n_chosen == 0) {
    return rebali_pass_refuse(
        pass, REBAL_OUTCOME_SCHEDULER_ERROR,
        "failed to select clusters: the number of clusters is less than the cluster spreadConstraint.MinGroups");
  }
  return take(pass, &regions, cluster, chosen, n_chosen);
}
