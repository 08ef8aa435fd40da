/* SPDX-License-Identifier: MIT */
/*
 * lib/scheduler/fast/shortlist.h - short lists of candidates: only those that the answer can depend on, taken from
 * rankings that are kept with the numbers they rank, so that the cost of a decision depends on what it uses and not on
 * the number of clusters.
 */
#ifndef REBALI_SHORTLIST_H
#define REBALI_SHORTLIST_H

#include "estimator/fast/fits.h"
#include "scheduler/fast/fast.h"

/* Feasible clusters in the order of a ranking, one after the other. */
struct rebali_walk {
  const struct rebali_pass *pass;
  struct rebali_fits *fits; /* by what fits, without targets; NULL: by static weight, with targets */
  const uint64_t *wanted;   /* bits by cluster row */
  const uint32_t *by_rank;
  const uint64_t *keys;
  size_t n_keys;
  size_t at;
  int descending;
  int32_t code; /* of the last read of keys */
  int is_charged;
  struct rebali_fits_walk charged; /* with a ledger the estimator walks */
};
/* Begins a walk. wanted: the estimated number of clusters that will be read. */
int32_t rebali_walk_begin(struct rebali_walk *walk, const struct rebali_pass *pass, struct rebali_fits *fits,
                          int descending, size_t wanted);
/* Reads more keys. Returns 0 if there are none, or no memory (code). */
int rebali_walk_extend(struct rebali_walk *walk);
int rebali_walk_next_charged(struct rebali_walk *walk, uint32_t *cluster, int32_t *value);
/* Reads the next cluster and its value. Returns 0 if there is none, or no memory (code). */
static inline int rebali_walk_next(struct rebali_walk *walk, uint32_t *cluster, int32_t *value) {
  if (walk->is_charged) {
    return rebali_walk_next_charged(walk, cluster, value);
  }
  while (walk->at < walk->n_keys || rebali_walk_extend(walk)) {
    const uint64_t key = walk->keys[walk->at++];
    const uint32_t place = rebali_ranking_place(key);

    *cluster = walk->by_rank[walk->descending ? UINT32_MAX - place : place];
    *value = rebali_ranking_value(key);
    if (rebali_bit_get(walk->wanted, *cluster)) {
      return 1;
    }
  }
  return 0;
}

/* Reads the cluster of target i. Returns 0 if it is not feasible. */
static inline int rebali_feasible_target(const struct rebali_pass *pass, size_t i, uint32_t *cluster) {
  const int64_t target = rebali_bindings_i64(pass->bindings, REBAL_TARGET_CLUSTER, pass->target_rows[i]);

  *cluster = (uint32_t)target;
  return target != REBAL_NONE && rebali_bit_get(pass->feasible, *cluster);
}

/* Adds a candidate with free capacity for fits replicas. */
static inline void rebali_shortlist_add(struct rebali_pass *pass, uint32_t cluster, int32_t fits, int64_t score) {
  pass->candidates[pass->n_candidates++] = (struct rebali_candidate){
      cluster, 0, score, (int64_t)fits + rebali_pass_assigned(pass, cluster), 0, fits, REBALI_LIMITED_BY_LIBRARY};
}

/* regions.c: regions of clusters, each with a number. A region that no longer has clusters keeps its number. */
#define REBALI_MAX_REGIONS 32u
#define REBALI_NO_REGION 255u
struct rebali_regions {
  size_t n;
  int64_t texts[REBALI_MAX_REGIONS]; /* ids of the names */
  struct rebali_text names[REBALI_MAX_REGIONS];
  uint8_t by_name[REBALI_MAX_REGIONS]; /* numbers in the order of names */
  uint8_t *of_row;
  uint64_t *bits; /* a bitset of words by number */
  size_t words;
  int are_too_many; /* some clusters' regions have no number */
};
int32_t rebali_regions_get(rebal_ctx *ctx, rebal_snapshot *snapshot, const struct rebali_regions **out,
                           rebal_error *err);

/* shortlist_copies.c: places copies, after the targets if these are listed. *is_placed 0: they must be listed first. */
int32_t rebali_shortlist_copies(struct rebali_pass *pass, struct rebali_fits *fits, int are_listed, int *is_placed);

/*
 * shortlist_regions.c: lists as many clusters of each region as the selection by region can need, after the targets,
 * which are listed already. *is_listed stays 0 if there are too many regions.
 */
int32_t rebali_shortlist_regions(struct rebali_pass *pass, struct rebali_fits *fits, int *is_listed);

#endif
