/* SPDX-License-Identifier: MIT */
/*
 * The short list of a selection by region (rebalance-karmada(7) 5.5, 5.6). A region's score uses its first clusters
 * until they offer what the region should hold. The selection then takes the first cluster of each chosen region, and
 * fills up to the largest number of clusters with the first of the others. So a region never needs more clusters than
 * the larger of the two, nor more than it has.
 */
#include "scheduler/fast/shortlist.h"

struct tally {
  size_t listed; /* clusters of the region */
  size_t n;      /* of them feasible */
  int64_t available;
};

/*
 * Each feasible cluster has a region, as the filter rejects others, and its region has a number, as the rule applies
 * only if there are not too many.
 */
struct quota {
  struct rebali_pass *pass;
  const struct rebali_regions *regions;
  struct rebali_scale scale;
  size_t most;   /* clusters that can be selected, which also limits one region */
  size_t n_open; /* regions that need more clusters; only used by the walk in the order of all */
  struct tally tallies[REBALI_MAX_REGIONS];
};

static int is_enough(const struct quota *quota, const struct tally *tally) {
  return tally->listed == tally->n || (tally->listed >= quota->most && (int64_t)tally->listed >= quota->scale.least &&
                                       tally->available >= quota->scale.target);
}

static void count(struct quota *quota, uint32_t cluster, int64_t available) {
  struct tally *tally = &quota->tallies[quota->regions->of_row[cluster]];
  const int was_enough = is_enough(quota, tally);

  tally->listed++;
  tally->available += available;
  quota->n_open -= (size_t)(!was_enough && is_enough(quota, tally));
}

/* Counts rows one by one, which for few rows is faster than region by region. */
static void count_rows(struct quota *quota) {
  const struct rebali_pass *pass = quota->pass;

  for (size_t word = 0; word < pass->words; word++) {
    for (uint64_t bits = pass->feasible[word]; bits != 0; bits &= bits - 1) {
      quota->tallies[quota->regions->of_row[word * 64 + rebali_bit_lowest(bits)]].n++;
    }
  }
}

static void count_feasible(struct quota *quota) {
  const struct rebali_pass *pass = quota->pass;
  const int are_few = pass->n_feasible < quota->regions->n * pass->words;

  quota->n_open = 0;
  for (size_t i = 0; i < quota->regions->n; i++) {
    const uint64_t *bits = quota->regions->bits + i * quota->regions->words;

    quota->tallies[i] = (struct tally){0, are_few ? 0 : rebali_bits_count_both(bits, pass->feasible, pass->words), 0};
  }
  if (are_few) {
    count_rows(quota);
  }
  for (size_t i = 0; i < quota->regions->n; i++) {
    quota->n_open += quota->tallies[i].n > 0;
  }
}

/* Lists clusters in the order of what fits until there are enough of each region. */
static int32_t list_in_order(struct quota *quota, struct rebali_fits *fits) {
  struct rebali_pass *pass = quota->pass;
  struct rebali_walk walk;
  uint32_t row;
  int32_t value;

  if (rebali_walk_begin(&walk, pass, fits, 0, 8 * quota->most) != REBAL_OK) {
    return walk.code;
  }
  while (quota->n_open > 0 && rebali_walk_next(&walk, &row, &value)) {
    rebali_shortlist_add(pass, row, value, 0);
    count(quota, row, value);
  }
  return walk.code;
}

/*
 * Adds keys of the first clusters of a region until there are enough, which are at the latest all that are feasible:
 * the walk does not end before. wanted: space for a bitset.
 */
static int32_t take_from(struct quota *quota, struct rebali_fits *fits, size_t region, uint64_t *wanted, uint64_t *keys,
                         size_t *n) {
  const struct rebali_pass *pass = quota->pass;
  const uint64_t *bits = quota->regions->bits + region * quota->regions->words;
  struct rebali_fits_walk walk;
  int32_t code, value;
  uint32_t row;

  for (size_t word = 0; word < pass->words; word++) {
    wanted[word] = bits[word] & pass->feasible[word] & ~pass->targets[word];
  }
  code = rebali_fits_walk_begin(&walk, fits, wanted, quota->tallies[region].n, 0, quota->most);
  while (code == REBAL_OK && !is_enough(quota, &quota->tallies[region])) {
    code = rebali_fits_walk_next(&walk, &row, &value);
    if (code == REBAL_OK) {
      keys[(*n)++] = rebali_ranking_key(value, rebali_snapshot_rank(pass->snapshot, row));
      count(quota, row, value);
    }
  }
  return code;
}

/*
 * Lists each region separately, as charges require: in the common order, a region whose clusters are used up would come
 * after every cluster of the others. The list may have fewer clusters of regions that have enough early.
 */
static int32_t list_by_region(struct quota *quota, struct rebali_fits *fits) {
  struct rebali_pass *pass = quota->pass;
  struct rebali_arena *scratch = rebali_ctx_scratch(pass->ctx);
  uint64_t *wanted = rebali_arena_allocate(scratch, pass->words, sizeof *wanted);
  uint64_t *keys = rebali_arena_allocate(scratch, pass->n_feasible, 2 * sizeof *keys);
  int32_t code = wanted == NULL || keys == NULL ? REBAL_ENOMEM : REBAL_OK;
  size_t n = 0;

  for (size_t i = 0; i < quota->regions->n && code == REBAL_OK; i++) {
    if (!is_enough(quota, &quota->tallies[i])) {
      code = take_from(quota, fits, i, wanted, keys, &n);
    }
  }
  if (code != REBAL_OK) {
    return code;
  }
  rebali_sort_keys(keys, n, keys + pass->n_feasible);
  for (size_t i = 0; i < n; i++) {
    const uint32_t row = rebali_snapshot_by_rank(pass->snapshot)[rebali_ranking_place(keys[i])];

    rebali_shortlist_add(pass, row, rebali_ranking_value(keys[i]), 0);
  }
  return REBAL_OK;
}

/* Groups the listed clusters by region; regions without feasible clusters are left out. Groups are sorted by name. */
static int32_t make_groups(struct quota *quota) {
  struct rebali_pass *pass = quota->pass;
  struct rebali_arena *scratch = rebali_ctx_scratch(pass->ctx);
  struct rebali_topology *topology = &pass->topologies[REBAL_SPREAD_BY_REGION];
  uint32_t *members = rebali_arena_allocate(scratch, pass->n_candidates + 1, sizeof *members);
  uint32_t *next[REBALI_MAX_REGIONS];

  topology->groups = rebali_arena_allocate(scratch, REBALI_MAX_REGIONS, sizeof *topology->groups);
  if (members == NULL || topology->groups == NULL) {
    return REBAL_ENOMEM;
  }
  topology->n = 0;
  for (size_t i = 0; i < quota->regions->n; i++) {
    const uint8_t region = quota->regions->by_name[i];
    const struct tally *tally = &quota->tallies[region];

    next[region] = members;
    if (tally->n > 0) {
      topology->groups[topology->n++] = (struct rebali_topology_group){
          quota->regions->names[region], members, tally->n, tally->listed, 0, tally->available, 0};
      members += tally->listed;
    }
  }
  for (size_t i = 0; i < pass->n_candidates; i++) {
    *next[quota->regions->of_row[pass->candidates[i].cluster]]++ = (uint32_t)i; /* fewer than 2^32 clusters */
  }
  rebali_topology_score(pass, &quota->scale, topology);
  return REBAL_OK;
}

int32_t rebali_shortlist_regions(struct rebali_pass *pass, struct rebali_fits *fits, int *is_listed) {
  const struct rebali_spread *cluster = rebali_placement_spread(pass->placement, REBAL_SPREAD_BY_CLUSTER);
  struct quota quota;
  int32_t code = rebali_regions_get(pass->ctx, pass->snapshot, &quota.regions, pass->err);

  if (code != REBAL_OK) {
    return code;
  }
  *is_listed = !quota.regions->are_too_many;
  if (!*is_listed) {
    return REBAL_OK;
  }
  quota.pass = pass;
  quota.scale = rebali_topology_scale(pass, rebali_placement_spread(pass->placement, REBAL_SPREAD_BY_REGION));
  quota.most = cluster == NULL || cluster->max_groups <= 1 ? 1 : (size_t)cluster->max_groups;
  count_feasible(&quota);
  for (size_t i = 0; i < pass->n_candidates; i++) {
    count(&quota, pass->candidates[i].cluster, pass->candidates[i].available);
  }
  code = fits->n_changes == 0 ? list_in_order(&quota, fits) : list_by_region(&quota, fits);
  return code == REBAL_OK ? make_groups(&quota) : code;
}
