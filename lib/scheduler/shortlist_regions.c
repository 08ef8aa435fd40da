/* SPDX-License-Identifier: MIT */
/*
 * The short list of a selection by region (spec karmada 5.5, 5.6). A region's score looks at its first clusters until
 * they offer what the region should hold; the selection then takes the first cluster of each chosen region, and fills
 * up to the largest number of clusters with the first of the others. So of a region no more can be asked for than the
 * larger of the two, and its own number of clusters.
 */
#include "scheduler/shortlist.h"

struct tally {
  size_t listed; /* clusters of the region */
  size_t n;      /* that are feasible */
  int64_t available;
};

struct quota {
  struct rebali_pass *pass;
  const struct rebali_regions *regions;
  struct rebali_scale scale;
  size_t most;   /* clusters that can be selected, of one region at most so many */
  size_t n_open; /* regions of which more clusters have to be listed */
  struct tally tallies[REBALI_MAX_REGIONS];
};

static int is_enough(const struct quota *quota, const struct tally *tally) {
  return tally->listed == tally->n || (tally->listed >= quota->most && (int64_t)tally->listed >= quota->scale.least &&
                                       tally->available >= quota->scale.target);
}

static void count(struct quota *quota, const struct rebali_candidate *candidate) {
  const uint8_t region = quota->regions->of_row[candidate->cluster];

  if (region != REBALI_NO_REGION) {
    struct tally *tally = &quota->tallies[region];
    const int was_enough = is_enough(quota, tally);

    tally->listed++;
    tally->available += candidate->available;
    quota->n_open -= (size_t)(!was_enough && is_enough(quota, tally));
  }
}

static int32_t begin(struct quota *quota) {
  const struct rebali_pass *pass = quota->pass;
  uint64_t *both = rebali_arena_allocate(rebali_ctx_scratch(pass->ctx), pass->words, sizeof *both);

  if (both == NULL) {
    return REBAL_ENOMEM;
  }
  quota->n_open = 0;
  for (size_t i = 0; i < quota->regions->n; i++) {
    const uint64_t *bits = quota->regions->bits + i * quota->regions->words;

    for (size_t word = 0; word < pass->words; word++) {
      both[word] = bits[word] & pass->feasible[word];
    }
    quota->tallies[i] = (struct tally){0, rebali_bits_count(both, pass->words), 0};
    quota->n_open += quota->tallies[i].n > 0;
  }
  return REBAL_OK;
}

/* The listed clusters of each region that has feasible ones, as groups by name. */
static int32_t make_groups(struct quota *quota) {
  struct rebali_pass *pass = quota->pass;
  struct rebali_arena *scratch = rebali_ctx_scratch(pass->ctx);
  struct rebali_topology *topology = &pass->topologies[REBAL_SPREAD_REGION];
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
    const uint8_t region = quota->regions->of_row[pass->candidates[i].cluster];

    if (region != REBALI_NO_REGION) {
      *next[region]++ = (uint32_t)i; /* fewer than 2^32 clusters */
    }
  }
  rebali_topology_score(pass, &quota->scale, topology);
  return REBAL_OK;
}

int32_t rebali_shortlist_regions(struct rebali_pass *pass, struct rebali_fits *fits, int *is_listed) {
  const struct rebali_spread *cluster = rebali_placement_spread(pass->placement, REBAL_SPREAD_CLUSTER);
  struct rebali_walk walk;
  struct quota quota;
  int32_t value;
  uint32_t row;
  int32_t code = rebali_regions_get(pass->ctx, pass->snapshot, &quota.regions, pass->err);

  if (code != REBAL_OK) {
    return code;
  }
  *is_listed = !quota.regions->are_too_many;
  if (!*is_listed) {
    return REBAL_OK;
  }
  quota.pass = pass;
  quota.scale = rebali_topology_scale(pass, rebali_placement_spread(pass->placement, REBAL_SPREAD_REGION));
  quota.most = cluster == NULL || cluster->max_groups <= 1 ? 1 : (size_t)cluster->max_groups;
  if (begin(&quota) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < pass->n_candidates; i++) {
    count(&quota, &pass->candidates[i]);
  }
  if (rebali_walk_begin(&walk, pass, fits, 0, 8 * quota.most) == REBAL_OK) {
    while (quota.n_open > 0 && rebali_walk_next(&walk, &row, &value)) {
      rebali_shortlist_add(pass, row, value, 0);
      count(&quota, &pass->candidates[pass->n_candidates - 1]);
    }
  }
  return walk.code == REBAL_OK ? make_groups(&quota) : walk.code;
}
