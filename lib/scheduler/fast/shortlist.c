/* SPDX-License-Identifier: MIT */
/*
 * Which short list suffices for k replicas that are still to be placed and clusters that offer 0 or more:
 * - By weight: before a party gets its first seat, each that precedes it in the order of votes has one; so only the
 *   first k can win any of k. If all of them offer something, they offer at least k together, so k or more are
 *   available. If one offers nothing, all after it offer nothing, and the sum of what is available is theirs.
 * - Aggregated: clusters are used in the order of what they offer until k are available, which is after at most k.
 * - Selection by cluster takes the first n of the candidates, and exchanges at most n of them for one that offers more.
 * Targets are always listed: they offer more than what is free, and have higher scores.
 */
#include "scheduler/fast/shortlist.h"

/* ---- walking a ranking ------------------------------------------------------------------------------------------- */

static int32_t read_keys(struct rebali_walk *walk, size_t wanted) {
  const struct rebali_pass *pass = walk->pass;

  if (walk->fits != NULL) {
    walk->code = rebali_fits_best(walk->fits, walk->descending, wanted, &walk->keys, &walk->n_keys);
  } else {
    walk->code = rebali_placement_heaviest(pass->placement, pass->snapshot, walk->descending, wanted, &walk->keys,
                                           &walk->n_keys);
  }
  return walk->code;
}

static int32_t leave_targets_out(struct rebali_walk *walk) {
  const struct rebali_pass *pass = walk->pass;
  uint64_t *wanted = rebali_arena_allocate(rebali_ctx_scratch(pass->ctx), pass->words, sizeof *wanted);

  for (size_t word = 0; wanted != NULL && word < pass->words; word++) {
    wanted[word] = pass->feasible[word] & ~pass->targets[word];
  }
  walk->wanted = wanted;
  walk->code = wanted == NULL ? REBAL_ENOMEM : REBAL_OK;
  return walk->code;
}

int32_t rebali_walk_begin(struct rebali_walk *walk, const struct rebali_pass *pass, struct rebali_fits *fits,
                          int descending, size_t wanted) {
  *walk = (struct rebali_walk){.pass = pass,
                               .fits = fits,
                               .wanted = pass->feasible,
                               .by_rank = rebali_snapshot_by_rank(pass->snapshot),
                               .descending = descending};
  if (fits != NULL && pass->n_targets > 0 && leave_targets_out(walk) != REBAL_OK) {
    return walk->code;
  }
  walk->is_charged = fits != NULL && rebali_fits_walk_is_quicker(fits, pass->n_feasible, wanted);
  if (!walk->is_charged) {
    return read_keys(walk, wanted + wanted / 8 + 8); /* some are not feasible */
  }
  walk->code = rebali_fits_walk_begin(&walk->charged, fits, walk->wanted, pass->n_feasible, descending, wanted);
  return walk->code;
}

int rebali_walk_next_charged(struct rebali_walk *walk, uint32_t *cluster, int32_t *value) {
  const int32_t code = rebali_fits_walk_next(&walk->charged, cluster, value);

  walk->code = code == REBAL_ENOTFOUND ? REBAL_OK : code;
  return code == REBAL_OK;
}

/* There are keys of all rows, and the first read is of at least one: each read adds some until they are all read. */
int rebali_walk_extend(struct rebali_walk *walk) {
  const size_t n = walk->n_keys;

  return n < rebali_snapshot_rows(walk->pass->snapshot) && read_keys(walk, 2 * n) == REBAL_OK;
}

/* ---- when a short list can be made ------------------------------------------------------------------------------- */

/* Returns whether only the library's own estimate distinguishes the candidates and only the assignment is an answer. */
static int is_plain(const struct rebali_pass *pass) {
  const rebal_schedule_opts *opts = pass->opts;

  return pass->is_final && pass->replicas > 0 && !pass->is_multi_template && rebali_pass_is_divided(pass) &&
         opts->extra_score == NULL && opts->n_estimators == 0 &&
         (opts->flags & (REBAL_SCHEDULE_FLAG_NO_SUMMARY | REBAL_SCHEDULE_FLAG_NODES)) == 0 &&
         (pass->trial_term == NULL || pass->trial_term->n_overflow == 0) && !rebali_pass_has_overflow(pass) &&
         rebali_compat_value(opts->compat, REBAL_OPTION_CLUSTER_LOCALITY) &&
         !rebali_compat_value(opts->compat, REBAL_OPTION_INT32_WRAP) &&
         !rebali_compat_value(opts->compat, REBAL_OPTION_EMPTY_WORKLOAD_PROPAGATION);
}

/* ---- targets ----------------------------------------------------------------------------------------------------- */

/*
 * Makes keys of the feasible targets from replicas held plus free capacity. Returns 0 if the sum is too large for a
 * key.
 */
static int make_keys(const struct rebali_pass *pass, struct rebali_fits *fits, uint64_t *keys, size_t *n) {
  *n = 0;
  for (size_t i = 0; i < pass->n_targets; i++) {
    uint32_t cluster;

    if (rebali_feasible_target(pass, i, &cluster)) {
      const int64_t available = (int64_t)rebali_fits_of(fits, cluster) + pass->assigned[cluster];

      if (available > INT32_MAX) {
        return 0;
      }
      keys[(*n)++] = rebali_ranking_key((int32_t)available, rebali_snapshot_rank(pass->snapshot, cluster));
    }
  }
  return 1;
}

/* Lists the feasible targets in the order of candidates. *fit: whether a short list is possible with them. */
static int32_t list_targets(struct rebali_pass *pass, struct rebali_fits *fits, int *fit) {
  const uint32_t *by_rank = rebali_snapshot_by_rank(pass->snapshot);
  uint64_t *keys;
  size_t n;

  if (pass->n_targets == 0) {
    return REBAL_OK;
  }
  keys = rebali_arena_allocate(rebali_ctx_scratch(pass->ctx), pass->n_targets, 2 * sizeof *keys);
  if (keys == NULL) {
    return REBAL_ENOMEM;
  }
  *fit = make_keys(pass, fits, keys, &n);
  if (*fit) {
    rebali_sort_keys(keys, n, keys + pass->n_targets);
    for (size_t i = 0; i < n; i++) {
      const uint32_t cluster = by_rank[rebali_ranking_place(keys[i])];

      rebali_shortlist_add(pass, cluster, rebali_fits_of(fits, cluster), REBALI_LOCALITY_SCORE);
    }
  }
  return REBAL_OK;
}

static int64_t sum_assigned(const struct rebali_pass *pass) {
  int64_t sum = 0; /* of fewer than 2^32 */

  for (size_t i = 0; i < pass->n_candidates; i++) {
    sum += pass->assigned[pass->candidates[i].cluster];
  }
  return sum;
}

/* ---- rules ------------------------------------------------------------------------------------------------------- */

#define FEW ((size_t)8) /* clusters that usually offer enough */

/* Lists the first n others, or fewer once they offer enough. */
static int32_t list_others(struct rebali_pass *pass, struct rebali_fits *fits, int descending, size_t n,
                           int64_t enough) {
  struct rebali_walk walk;
  uint32_t cluster;
  int32_t value;
  int64_t sum = 0;

  if (n == 0 ||
      rebali_walk_begin(&walk, pass, fits, descending, enough == INT64_MAX || n < FEW ? n : FEW) != REBAL_OK) {
    return n == 0 ? REBAL_OK : walk.code;
  }
  for (; n > 0 && sum < enough && rebali_walk_next(&walk, &cluster, &value); n--) {
    rebali_shortlist_add(pass, cluster, value, 0);
    sum += value;
  }
  return walk.code;
}

#define UNORDERED ((size_t)64) /* up to this number any order is equally fast */

/* Lists all others, if each may win a seat: their order decides nothing. */
static void list_all_others(struct rebali_pass *pass, struct rebali_fits *fits) {
  for (size_t word = 0; word < pass->words; word++) {
    uint64_t bits = pass->feasible[word] & ~(pass->n_targets > 0 ? pass->targets[word] : 0);

    for (; bits != 0; bits &= bits - 1) {
      const uint32_t cluster = (uint32_t)(word * 64 + rebali_bit_lowest(bits));

      rebali_shortlist_add(pass, cluster, rebali_fits_of(fits, cluster), 0);
    }
  }
}

/* Lists for a division by weight or Aggregated over all feasible clusters (rebalance-karmada(7) 7.6). */
static int32_t list_for_division(struct rebali_pass *pass, struct rebali_fits *fits) {
  const int is_weighted = pass->placement->strategy == REBALI_STRATEGY_DYNAMIC_WEIGHT;
  const int64_t open = pass->replicas - (pass->is_fresh ? 0 : sum_assigned(pass));

  if (is_weighted && pass->n_feasible <= UNORDERED && open >= (int64_t)pass->n_feasible) {
    list_all_others(pass, fits);
    return REBAL_OK;
  }
  return list_others(pass, fits, is_weighted && rebali_uid_descends(pass->uid), open > 0 ? (size_t)open : 0,
                     is_weighted ? INT64_MAX : open);
}

static int32_t list_for_selection(struct rebali_pass *pass, struct rebali_fits *fits) {
  const int64_t most = rebali_placement_spread(pass->placement, REBAL_SPREAD_BY_CLUSTER)->max_groups;
  const size_t count = most <= 0 ? 0 : most < (int64_t)pass->n_feasible ? (size_t)most : pass->n_feasible;

  return list_others(pass, fits, 0, pass->n_candidates > 0 ? 2 * count : count, INT64_MAX);
}

/* Lists by static weight, independent of capacity. Weights that are too large for keys cannot be ranked. */
static int32_t list_by_weight(struct rebali_pass *pass, int *is_listed) {
  const int32_t code = list_others(pass, NULL, rebali_uid_descends(pass->uid), (size_t)pass->replicas, INT64_MAX);

  *is_listed = code == REBAL_OK;
  return code == REBAL_ERANGE ? REBAL_OK : code;
}

static int is_copied(const struct rebali_placement *placement) {
  return !rebali_placement_selects(placement) && placement->strategy == REBALI_STRATEGY_DUPLICATED;
}

/* Lists candidates after the targets. */
static int32_t list_rated(struct rebali_pass *pass, struct rebali_fits *fits, int *is_listed) {
  const struct rebali_placement *placement = pass->placement;

  *is_listed = 1;
  if (is_copied(placement)) {
    return rebali_shortlist_copies(pass, fits, 1, is_listed);
  }
  if (!rebali_placement_selects(placement)) {
    return list_for_division(pass, fits);
  }
  return rebali_placement_spread(placement, REBAL_SPREAD_BY_REGION) != NULL
             ? rebali_shortlist_regions(pass, fits, is_listed)
             : list_for_selection(pass, fits);
}

/* Returns whether a rule covers the placement. Selection without a constraint on clusters or regions is refused. */
static int has_rule(const struct rebali_placement *placement) {
  if (rebali_placement_selects(placement)) {
    return rebali_placement_spread(placement, REBAL_SPREAD_BY_REGION) != NULL
               ? placement->strategy != REBALI_STRATEGY_DUPLICATED
               : rebali_placement_spread(placement, REBAL_SPREAD_BY_CLUSTER) != NULL;
  }
  return placement->strategy != REBALI_STRATEGY_UNSUPPORTED;
}

static int32_t make_shortlist(struct rebali_pass *pass, int *is_listed) {
  const struct rebali_placement *placement = pass->placement;
  struct rebali_fits fits;
  int32_t code;

  *is_listed = 0;
  if (!is_plain(pass) || !has_rule(placement)) {
    return REBAL_OK;
  }
  if (!rebali_placement_selects(placement) && placement->strategy == REBALI_STRATEGY_STATIC_WEIGHT) {
    return rebali_compat_value(pass->opts->compat, REBAL_OPTION_STATIC_WEIGHT_CAPACITY)
               ? REBAL_OK
               : list_by_weight(pass, is_listed);
  }
  code = rebali_estimate_here(pass, &fits, pass->feasible, pass->n_feasible);
  if (code != REBAL_OK) {
    return code;
  }
  /* A cluster without a limit offers as many replicas as are needed, which has no place in the order of what fits. */
  if (!pass->targets_are_plain || rebali_fits_may_be_unlimited(&fits)) {
    return REBAL_OK;
  }
  if (is_copied(placement)) {
    code = rebali_shortlist_copies(pass, &fits, 0, is_listed);
    if (code != REBAL_OK || *is_listed) {
      return code;
    }
  }
  *is_listed = 1;
  code = list_targets(pass, &fits, is_listed);
  code = code == REBAL_OK && *is_listed ? list_rated(pass, &fits, is_listed) : code;
  return code;
}

int32_t rebali_shortlist(struct rebali_pass *pass, int *is_listed) {
  const int32_t code = make_shortlist(pass, is_listed);

  if (!*is_listed) {
    pass->n_candidates = 0;
  }
  return code == REBAL_ENOMEM ? rebali_fail_memory(pass->err) : code;
}
