/* SPDX-License-Identifier: MIT */
/*
 * By how much other charges of a ledger may change what fits into clusters without changing an answer. A window holds
 * this for one cluster: the least and the most that may fit there. Others are clusters in which no more may fit than
 * before. Nothing is known about clusters that are in none of the groups tried.
 *
 * An answer that takes capacity as weights, or clusters in an order, stays while its own clusters, those selected and
 * the targets have what they had and all others have no more: what was passed over is passed over again (support.c
 * explains why it can even leave). More is tolerated:
 * - Selection by cluster where the score alone separates the selected clusters from the next one: capacity does not
 *   choose. The same holds where targets have a better score than all others and there are slots for all of them, if
 *   only targets are read afterward. What fits is 0 or more, so targets that hold all replicas have capacity for them,
 *   and nothing is exchanged.
 * - Selection by region: the path depends on the scores of regions and their numbers of clusters. A region's score is
 *   that of its first clusters, in the order of candidates, that offer what it should hold. If all of them score alike,
 *   the score stays as long as they offer it, whatever comes between them: windows divide what they offer beyond it.
 *   Otherwise they keep what they have. A region that offers too little is scored by all it has. If all targets in the
 *   chosen regions are taken whatever fits (there are slots for them beside one for each region without targets), and
 *   they hold all replicas, nothing else matters.
 *
 * Without some clusters a region of the last kind keeps its score if none of those first clusters is lost (witnesses).
 * If in addition each region has enough clusters for any path, and the chosen ones score better than the next one, the
 * path is the same: any region is feasible alone, so paths are as short as possible, and the best one is the heaviest.
 * Each has enough without the others, too: its first clusters are at least as many as a path needs of all regions
 * together.
 */
#include "plan/whatif/whatif.h"

/* What is known about one answer. */
struct finding {
  const struct rebali_pass *pass;
  struct rebali_arena *arena;
  struct rebali_support *support;
  struct rebali_candidate *candidates; /* the rated ones, in their order */
  size_t n;
  size_t capacity; /* capacity of windows */
};

static int option(const struct rebali_pass *pass, uint32_t number) {
  return rebali_compat_value(pass->opts->compat, number) != 0;
}

/* Tests whether capacity is the library's own estimate, 0 or more, for a group that was tried first. */
static int is_plain(const struct rebali_pass *pass, const struct rebali_failures *failures) {
  return failures->n == 0 && pass->outcome == REBAL_OUTCOME_SCHEDULED && pass->n_placed > 0 &&
         pass->targets_are_plain && !pass->is_multi_template && rebali_pass_is_divided(pass) &&
         !rebali_pass_has_overflow(pass) && pass->opts->n_estimators == 0 &&
         (pass->opts->flags & (REBAL_SCHEDULE_FLAG_NO_SUMMARY | REBAL_SCHEDULE_FLAG_NODES)) == 0 &&
         !option(pass, REBAL_OPTION_INT32_WRAP) && !option(pass, REBAL_OPTION_EMPTY_WORKLOAD_PROPAGATION);
}

static int takes_capacity(const struct rebali_placement *placement) {
  return placement->strategy == REBALI_STRATEGY_DYNAMIC_WEIGHT || placement->strategy == REBALI_STRATEGY_AGGREGATED;
}

static int is_target(const struct rebali_pass *pass, uint32_t cluster) {
  return rebali_bit_get(pass->targets, cluster);
}

/* ---- windows ----------------------------------------------------------------------------------------------------- */

static int32_t reserve(struct finding *finding, size_t n) {
  struct rebali_support *support = finding->support;
  struct rebali_window *windows = rebali_arena_allocate(finding->arena, support->n_windows + n, sizeof *windows);

  if (windows == NULL) {
    return REBAL_ENOMEM;
  }
  if (support->n_windows > 0) {
    memcpy(windows, support->windows, support->n_windows * sizeof *windows);
  }
  support->windows = windows;
  finding->capacity = support->n_windows + n;
  return REBAL_OK;
}

/* Adds a window; the array must have space for it. */
static void add(struct finding *finding, uint32_t cluster, int64_t least, int64_t most) {
  struct rebali_support *support = finding->support;

  if (least > 0 || most < INT32_MAX) {
    support->windows[support->n_windows++] = (struct rebali_window){cluster, least, most};
  }
}

/* Requires that these clusters have what they had, and all others no more. */
static int32_t keep_all(struct finding *finding, const struct rebali_candidate *candidates, size_t n) {
  if (reserve(finding, n) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < n; i++) {
    add(finding, candidates[i].cluster, candidates[i].allocatable, candidates[i].allocatable);
  }
  finding->support->has_others = 1;
  return REBAL_OK;
}

/* ---- division among all feasible clusters ------------------------------------------------------------------------ */

/* Requires that targets and clusters of the answer keep what they have. */
static int32_t divide(struct finding *finding) {
  const struct rebali_pass *pass = finding->pass;
  uint64_t *wanted = rebali_arena_allocate(finding->arena, pass->words + 1, sizeof *wanted);
  size_t n = 0;

  if (wanted == NULL) {
    return REBAL_ENOMEM;
  }
  memcpy(wanted, pass->targets, pass->words * sizeof *wanted);
  for (size_t i = 0; i < pass->n_placed; i++) {
    rebali_bit_set(wanted, pass->placed[i].cluster, 1);
  }
  for (size_t i = 0; i < finding->n; i++) {
    if (rebali_bit_get(wanted, finding->candidates[i].cluster)) {
      finding->candidates[n++] = finding->candidates[i];
    }
  }
  return keep_all(finding, finding->candidates, n);
}

/* ---- selection by cluster ---------------------------------------------------------------------------------------- */

/* Returns the replicas in those of the first n candidates that are targets. */
static int64_t kept(const struct rebali_pass *pass, const struct rebali_candidate *candidates, size_t n) {
  int64_t sum = 0;

  for (size_t i = 0; i < n; i++) {
    sum += rebali_pass_assigned(pass, candidates[i].cluster);
  }
  return sum;
}

/*
 * Tests whether the score separates the first n from all others. Clusters that are not listed are not targets and score
 * 0.
 */
static int stand_out(const struct finding *finding, size_t n) {
  const struct rebali_pass *pass = finding->pass;
  const struct rebali_candidate *last = n == 0 ? NULL : &finding->candidates[n - 1];

  if (n == 0 || pass->n_feasible == n) {
    return n > 0;
  }
  if (n < finding->n) {
    return last->overflow_order < finding->candidates[n].overflow_order || last->score > finding->candidates[n].score;
  }
  return last->score > 0; /* lists are short only without the caller's scores and without tiers */
}

/* Returns the number of targets among the candidates if these come first, else a number above that of candidates. */
static size_t count_targets(const struct finding *finding) {
  size_t n = 0;

  while (n < finding->n && is_target(finding->pass, finding->candidates[n].cluster)) {
    n++;
  }
  for (size_t i = n; i < finding->n; i++) {
    if (is_target(finding->pass, finding->candidates[i].cluster)) {
      return SIZE_MAX;
    }
  }
  return n;
}

/* Tests whether the answer stays whatever fits. */
static int is_decided_by_score(const struct finding *finding) {
  const struct rebali_pass *pass = finding->pass;
  const size_t n_targets = count_targets(finding);
  const int is_filled = kept(pass, pass->candidates, pass->n_candidates) >= pass->replicas;

  if (pass->placement->strategy == REBALI_STRATEGY_DUPLICATED) {
    return stand_out(finding, pass->n_candidates);
  }
  if (pass->placement->strategy == REBALI_STRATEGY_STATIC_WEIGHT) {
    return is_filled && stand_out(finding, pass->n_candidates); /* capacity does not limit then: is_known() */
  }
  return is_filled && n_targets <= pass->n_candidates && stand_out(finding, n_targets);
}

static int32_t select_clusters(struct finding *finding) {
  const struct rebali_pass *pass = finding->pass;

  return is_decided_by_score(finding) ? REBAL_OK : keep_all(finding, pass->candidates, pass->n_candidates);
}

/* ---- selection by region ----------------------------------------------------------------------------------------- */

/* The clusters of a region in order, their number, and how many of them its score depends on. */
struct region {
  const struct rebali_topology_group *group;
  struct rebali_candidate *members;
  size_t n;
  size_t n_scored;
  int64_t available; /* in those */
};

static void take_members(const struct finding *finding, struct region *region) {
  const rebal_snapshot *snapshot = finding->pass->snapshot;

  region->n = 0;
  for (size_t i = 0; i < finding->n; i++) {
    const uint32_t cluster = finding->candidates[i].cluster;

    if (rebali_text_equal(rebali_snapshot_text(snapshot, REBAL_CLUSTER_REGION, cluster), region->group->name)) {
      region->members[region->n++] = finding->candidates[i];
    }
  }
}

/* Finds the clusters of the region that its score depends on. */
static void examine_score(const struct rebali_scale *scale, struct region *region) {
  int64_t n = 0;

  region->available = 0;
  while (n < (int64_t)region->n && !(n > 0 && n >= scale->least && region->available >= scale->target)) {
    region->available += region->members[n++].available;
  }
  region->n_scored = (size_t)n;
}

static int score_alike(const struct region *region) {
  size_t i = 1;

  while (i < region->n_scored && region->members[i].score == region->members[0].score &&
         region->members[i].overflow_order == region->members[0].overflow_order) {
    i++;
  }
  return i >= region->n_scored;
}

static int32_t keep_score(struct finding *finding, const struct rebali_scale *scale, struct region *region,
                          uint64_t *witnesses) {
  take_members(finding, region);
  examine_score(scale, region);
  for (size_t i = 0; i < region->n_scored; i++) {
    rebali_bit_set(witnesses, region->members[i].cluster, 1);
  }
  if (region->available < scale->target || (int64_t)region->n_scored < scale->least || !score_alike(region)) {
    return keep_all(finding, region->members, region->n_scored);
  }
  if (reserve(finding, region->n_scored) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < region->n_scored; i++) {
    const int64_t share = (region->available - scale->target) / (int64_t)region->n_scored;

    add(finding, region->members[i].cluster, region->members[i].allocatable - share, INT32_MAX);
  }
  return REBAL_OK;
}

/* Tests whether all targets in chosen regions are taken whatever fits, and hold all replicas. */
static int are_targets_enough(const struct finding *finding, const struct rebali_topology *regions) {
  const struct rebali_pass *pass = finding->pass;
  const struct rebali_spread *cluster = rebali_placement_spread(pass->placement, REBAL_SPREAD_BY_CLUSTER);
  const size_t n_targets = count_targets(finding);
  const int64_t most = cluster == NULL ? 0 : cluster->max_groups;
  int64_t n = 0, n_more = 0;

  if (n_targets > finding->n || !stand_out(finding, n_targets) ||
      kept(pass, pass->candidates, pass->n_candidates) < pass->replicas) {
    return 0;
  }
  for (size_t i = 0; i < regions->n; i++) {
    int64_t there = 0;

    for (size_t k = 0; k < n_targets && regions->groups[i].is_chosen; k++) {
      const uint32_t row = finding->candidates[k].cluster;

      there +=
          rebali_text_equal(rebali_snapshot_text(pass->snapshot, REBAL_CLUSTER_REGION, row), regions->groups[i].name);
    }
    n += regions->groups[i].is_chosen;
    n_more += there > 1 ? there - 1 : 0;
  }
  return n_more == 0 || n + n_more <= most;
}

/*
 * Tests whether the chosen regions score better than all others. They are as many as needed, since paths are as short
 * as possible. Scores are below 2^42, so no sum of a path saturates.
 */
static int is_path_sure(const struct rebali_topology *regions) {
  int64_t worst = INT64_MAX, next = INT64_MIN;

  for (size_t i = 0; i < regions->n; i++) {
    const struct rebali_topology_group *group = &regions->groups[i];

    if (group->is_chosen) {
      worst = group->score < worst ? group->score : worst;
    } else {
      next = group->score > next ? group->score : next;
    }
  }
  return worst > next;
}

/* Tests whether the path stays the same without clusters that no score depends on. */
static int is_path_kept(const struct rebali_pass *pass, const struct rebali_topology *regions) {
  const struct rebali_spread *cluster = rebali_placement_spread(pass->placement, REBAL_SPREAD_BY_CLUSTER);
  const int64_t goal = cluster == NULL || cluster->min_groups < 1 ? 1 : cluster->min_groups;
  size_t i = 0;

  while (i < regions->n && (int64_t)regions->groups[i].n_members >= goal) {
    i++;
  }
  return i == regions->n && is_path_sure(regions);
}

static int32_t select_regions(struct finding *finding) {
  const struct rebali_pass *pass = finding->pass;
  const struct rebali_topology *regions = &pass->topologies[REBAL_SPREAD_BY_REGION];
  const struct rebali_spread *spread = rebali_placement_spread(pass->placement, REBAL_SPREAD_BY_REGION);
  const struct rebali_scale scale = rebali_topology_scale(pass, spread);
  uint64_t *witnesses = rebali_arena_allocate_zero(finding->arena, pass->words + 1, sizeof *witnesses);
  struct region region = {.members = rebali_arena_allocate(finding->arena, finding->n, sizeof *region.members)};
  const int are_enough = are_targets_enough(finding, regions);

  if (witnesses == NULL || region.members == NULL) {
    return REBAL_ENOMEM;
  }
  if (!are_enough && keep_all(finding, pass->candidates, pass->n_candidates) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < regions->n; i++) {
    region.group = &regions->groups[i];
    if (keep_score(finding, &scale, &region, witnesses) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
  }
  for (size_t i = 0; !are_enough && i < pass->n_candidates; i++) {
    rebali_bit_set(witnesses, pass->candidates[i].cluster, 1);
  }
  finding->support->witnesses = is_path_kept(pass, regions) ? witnesses : NULL;
  return REBAL_OK;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

/* Lists the rated candidates in their order, which a selection does not preserve. */
static int32_t list_rated(struct finding *finding) {
  const struct rebali_pass *pass = finding->pass;

  finding->n = pass->n_rated > pass->n_candidates ? pass->n_rated : pass->n_candidates;
  finding->candidates = rebali_arena_allocate(finding->arena, finding->n, 2 * sizeof *finding->candidates);
  if (finding->candidates == NULL) {
    return REBAL_ENOMEM;
  }
  memcpy(finding->candidates, pass->candidates, finding->n * sizeof *finding->candidates);
  rebali_sort(finding->candidates, finding->n, sizeof *finding->candidates, finding->candidates + finding->n,
              rebali_candidate_compare, pass->snapshot);
  return REBAL_OK;
}

static int32_t find(struct finding *finding) {
  const struct rebali_pass *pass = finding->pass;

  if (!rebali_placement_selects(pass->placement)) {
    return divide(finding);
  }
  return rebali_placement_spread(pass->placement, REBAL_SPREAD_BY_REGION) == NULL ? select_clusters(finding)
                                                                                  : select_regions(finding);
}

/*
 * Tests whether the answer is of a kind described above. Where clusters are selected, there is a constraint by region
 * or by cluster.
 */
static int is_known(const struct rebali_pass *pass) {
  const struct rebali_placement *placement = pass->placement;
  const struct rebali_spread *cluster = rebali_placement_spread(placement, REBAL_SPREAD_BY_CLUSTER);

  if (!rebali_placement_selects(placement)) {
    return takes_capacity(placement);
  }
  if (rebali_placement_spread(placement, REBAL_SPREAD_BY_REGION) != NULL) {
    return takes_capacity(placement);
  }
  return !pass->is_exchanged && cluster->max_groups >= cluster->min_groups &&
         (placement->strategy != REBALI_STRATEGY_STATIC_WEIGHT || !option(pass, REBAL_OPTION_STATIC_WEIGHT_CAPACITY));
}

int32_t rebali_windows_find(const struct rebali_pass *pass, const struct rebali_failures *failures,
                            struct rebali_arena *arena, struct rebali_support *support) {
  struct finding finding = {.pass = pass, .arena = arena, .support = support};

  if (!is_plain(pass, failures) || !is_known(pass)) {
    return REBAL_OK;
  }
  support->reads_capacity = 0;
  if (list_rated(&finding) != REBAL_OK || find(&finding) != REBAL_OK) {
    return rebali_fail_memory(pass->err);
  }
  support->has_windows = support->n_windows > 0; /* there is a window wherever has_others is set */
  return REBAL_OK;
}
