/* SPDX-License-Identifier: MIT */
/*
 * lib/scheduler/fast/shortlist.h - candidates in short: only those that the answer can depend on, taken from
 * rankings that are kept beside what they rank, so that a decision costs what it touches and not what there is.
 */
#ifndef REBALI_SHORTLIST_H
#define REBALI_SHORTLIST_H

#include "estimator/fast/fits.h"
#include "scheduler/fast/fast.h"

/* Feasible clusters in the order of a ranking, one after the other. */
struct rebali_walk {
  const struct rebali_pass *pass;
  struct rebali_fits *fits; /* by what fits, targets left out; NULL: by static weight, targets among them */
  const uint64_t *wanted;   /* bits by cluster row */
  const uint32_t *by_rank;
  const uint64_t *keys;
  size_t n_keys;
  size_t at;
  int descending;
  int32_t code; /* of the last reading of keys */
  int is_charged;
  struct rebali_fits_walk charged; /* beside what a ledger holds the estimator walks */
};
/* wanted: a guess how many clusters will be asked for. */
int32_t rebali_walk_begin(struct rebali_walk *walk, const struct rebali_pass *pass, struct rebali_fits *fits,
                          int descending, size_t wanted);
/* Reads more keys; 0 when there are none, or no memory (code). */
int rebali_walk_extend(struct rebali_walk *walk);
int rebali_walk_next_charged(struct rebali_walk *walk, uint32_t *cluster, int32_t *value);
/* The next cluster and its value; 0 when there is none, or no memory (code). */
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

/* The cluster of a target, by its place among them; 0 when it is not feasible. */
static inline int rebali_feasible_target(const struct rebali_pass *pass, size_t i, uint32_t *cluster) {
  const int64_t target = rebali_bindings_i64(pass->bindings, REBAL_TARGET_CLUSTER, pass->target_rows[i]);

  *cluster = (uint32_t)target;
  return target != REBAL_NONE && rebali_bit_get(pass->feasible, *cluster);
}

/* A candidate for whom fits replicas are free. */
static inline void rebali_shortlist_add(struct rebali_pass *pass, uint32_t cluster, int32_t fits, int64_t score) {
  pass->candidates[pass->n_candidates++] = (struct rebali_candidate){
      cluster, 0, score, (int64_t)fits + rebali_pass_assigned(pass, cluster), 0, fits, REBALI_LIMITED_BY_LIBRARY};
}

/* regions.c: regions of clusters, each with a number; a region of no cluster any more stays. */
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

/*
 * shortlist_copies.c: places copies, behind the targets when these are listed. *is_placed 0: they must be listed first.
 */
int32_t rebali_shortlist_copies(struct rebali_pass *pass, struct rebali_fits *fits, int are_listed, int *is_placed);

/*
 * shortlist_regions.c: lists as many of each region as the selection by region can ask for, behind the targets that are
 * listed already. *is_listed stays 0 when there are too many regions.
 */
int32_t rebali_shortlist_regions(struct rebali_pass *pass, struct rebali_fits *fits, int *is_listed);

#endif
