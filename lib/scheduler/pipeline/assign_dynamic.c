/* SPDX-License-Identifier: MIT */
/*
 * The dynamic strategies, DynamicWeight and Aggregated: fresh, scale down, scale up, or leave
 * (rebalance-karmada(7) 7.6).
 */
#include "scheduler/scheduler.h"

/* What a cluster keeps: its scheduled entries of spec.clusters. */
struct keeping {
  int64_t sum;
  int32_t last; /* of the last entry */
  int32_t is_in_use;
};

/* Input of a division: seats, what clusters offer, and what they keep besides their new share. */
struct division {
  int32_t target;
  int wraps;
  struct rebali_weight *offers; /* without limits; a weight is a number of replicas */
  size_t n_offers;
  int are_distinct;           /* no cluster has two offers */
  struct rebali_target *kept; /* scheduled entries, in the order of spec.clusters */
  size_t n_kept;
  uint64_t *keeps;          /* bits by cluster row; NULL: clusters keep what the pass has assigned */
  struct keeping *keepings; /* by cluster row, valid only where keeps has a bit */
  const char *prefix;
  int64_t tie; /* what orders offers of equal size */
};

static int compare_offers(const void *left, const void *right, const void *context) {
  const struct rebali_weight *a = left;
  const struct rebali_weight *b = right;

  (void)context;
  return a->weight > b->weight ? -1 : a->weight < b->weight;
}

/* Adds a value to a sum. Sums wrap in the reference; by default they do not (option INT32_WRAP). */
static int64_t add(const struct division *division, int64_t sum, int64_t value) {
  sum += value; /* both are sums of fewer than 2^32 int32 values */
  return division->wraps ? rebali_low_int32(sum) : sum;
}

/* Allocates the members that hold what clusters keep. */
static int32_t allocate_kept(const struct rebali_pass *pass, struct division *division) {
  struct rebali_arena *memory = rebali_ctx_scratch(pass->ctx);
  const size_t rows = rebali_snapshot_rows(pass->snapshot);

  division->kept = rebali_arena_allocate(memory, pass->n_targets, sizeof *division->kept);
  division->keeps = rebali_arena_allocate_zero(memory, REBALI_BITSET_WORDS(rows), sizeof *division->keeps);
  division->keepings = rebali_arena_allocate(memory, rows + 1, sizeof *division->keepings);
  return division->kept == NULL || division->keeps == NULL || division->keepings == NULL ? REBAL_ENOMEM : REBAL_OK;
}

static void keep(struct division *division, uint32_t cluster, int32_t replicas) {
  struct keeping *keeping = &division->keepings[cluster];

  if (!rebali_bit_get(division->keeps, cluster)) {
    rebali_bit_set(division->keeps, cluster, 1);
    *keeping = (struct keeping){0, 0, 0};
  }
  keeping->sum = add(division, keeping->sum, replicas);
  keeping->last = replicas;
  keeping->is_in_use |= replicas > 0;
  division->kept[division->n_kept++] = (struct rebali_target){cluster, replicas};
}

/* Keeps the targets that are candidates, in their order, and adds up their replicas in *sum. */
static int32_t keep_targets(const struct rebali_pass *pass, const struct rebali_assignment *assignment,
                            struct division *division, int64_t *sum) {
  const size_t words = REBALI_BITSET_WORDS(rebali_snapshot_rows(pass->snapshot));
  uint64_t *candidates = rebali_arena_allocate_zero(rebali_ctx_scratch(pass->ctx), words, sizeof *candidates);

  if (candidates == NULL || allocate_kept(pass, division) != REBAL_OK) {
    return rebali_fail_memory(pass->err);
  }
  for (size_t i = 0; i < assignment->n_candidates; i++) {
    rebali_bit_set(candidates, assignment->candidates[i].cluster, 1);
  }
  for (size_t i = 0; i < pass->n_targets; i++) {
    const int64_t cluster = rebali_bindings_i64(pass->bindings, REBAL_TARGET_CLUSTER, pass->target_rows[i]);
    const int64_t replicas = rebali_bindings_i64(pass->bindings, REBAL_TARGET_REPLICAS, pass->target_rows[i]);

    if (cluster != REBAL_NONE && rebali_bit_get(candidates, (size_t)cluster)) {
      keep(division, (uint32_t)cluster, (int32_t)replicas);
      *sum = add(division, *sum, replicas);
    }
  }
  return REBAL_OK;
}

/* Adds an offer for each candidate: its free capacity, and with_kept also what it keeps. */
static void offer_candidates(const struct rebali_pass *pass, const struct rebali_assignment *assignment,
                             struct division *division, int with_kept) {
  division->are_distinct = 1;
  for (size_t i = 0; i < assignment->n_candidates; i++) {
    const struct rebali_candidate *candidate = &assignment->candidates[i];
    int64_t replicas = candidate->allocatable;

    if (with_kept && division->keeps == NULL) {
      replicas += rebali_pass_assigned(pass, candidate->cluster);
    } else if (with_kept && rebali_bit_get(division->keeps, candidate->cluster)) {
      replicas = add(division, replicas, division->keepings[candidate->cluster].sum);
    }
    division->offers[division->n_offers++] = (struct rebali_weight){candidate->cluster, INT32_MAX, replicas};
  }
}

static void offer_kept(struct division *division) {
  for (size_t i = 0; i < division->n_kept; i++) {
    division->offers[division->n_offers++] =
        (struct rebali_weight){division->kept[i].cluster, INT32_MAX, division->kept[i].replicas};
  }
}

static int is_in_use(const struct division *division, uint32_t cluster) {
  return division->n_kept > 0 && rebali_bit_get(division->keeps, cluster) && division->keepings[cluster].is_in_use;
}

/* Selects the offers of Aggregated: clusters in use first, then only as many others as are needed. */
static int32_t aggregate(struct rebali_pass *pass, struct division *division, struct rebali_weight *scratch) {
  const size_t n_offers = division->n_offers;
  int64_t sum = 0;
  size_t n = 0, n_in_use = 0;

  for (int in_use = 1; in_use >= 0; in_use--) {
    n_in_use = n;
    for (size_t i = 0; i < division->n_offers; i++) {
      if (is_in_use(division, division->offers[i].cluster) == in_use) {
        scratch[n++] = division->offers[i];
      }
    }
  }
  memcpy(division->offers, scratch, n * sizeof *scratch);
  for (n = 0; n < division->n_offers && sum < division->target; n++) {
    sum = add(division, sum, division->offers[n].weight);
  }
  division->n_offers = n;
  return pass->explain == NULL
             ? REBAL_OK
             : rebali_note_cut(pass, division->offers, n <= n_in_use ? n_in_use : n_offers, n, division->tie);
}

static int compare_by_name(const void *left, const void *right, const void *snapshot) {
  const uint32_t a = rebali_snapshot_rank(snapshot, ((const struct rebali_target *)left)->cluster);
  const uint32_t b = rebali_snapshot_rank(snapshot, ((const struct rebali_target *)right)->cluster);

  return a < b ? -1 : a > b;
}

/*
 * Adds what is kept to the new shares. Kept clusters without a new share follow by name. If a name is kept twice, the
 * last entry is used.
 */
static int32_t merge(struct rebali_pass *pass, struct division *division, struct rebali_assignment *assignment) {
  const struct rebali_rules rules = rebali_rules_read(pass->opts->compat);
  const size_t n_new = assignment->n_out;
  struct rebali_target *scratch;

  if (n_new == 0) { /* nothing new: what is kept stays unchanged */
    memcpy(assignment->out, division->kept, division->n_kept * sizeof *division->kept);
    assignment->n_out = division->n_kept;
    return REBAL_OK;
  }
  for (size_t i = 0; i < n_new; i++) {
    struct rebali_target *target = &assignment->out[i];

    if (rebali_bit_get(division->keeps, target->cluster)) {
      target->replicas =
          rebali_rules_cast(&rules, (int64_t)target->replicas + division->keepings[target->cluster].last);
      rebali_bit_set(division->keeps, target->cluster, 0);
    }
  }
  for (size_t i = 0; i < division->n_kept; i++) {
    const uint32_t cluster = division->kept[i].cluster;

    if (rebali_bit_get(division->keeps, cluster)) {
      assignment->out[assignment->n_out++] = (struct rebali_target){cluster, division->keepings[cluster].last};
      rebali_bit_set(division->keeps, cluster, 0);
    }
  }
  scratch = rebali_arena_allocate(rebali_ctx_scratch(pass->ctx), assignment->n_out, sizeof *scratch);
  if (scratch == NULL) {
    return rebali_fail_memory(pass->err);
  }
  rebali_sort(assignment->out + n_new, assignment->n_out - n_new, sizeof *scratch, scratch, compare_by_name,
              pass->snapshot);
  return REBAL_OK;
}

/* Handles too few available replicas: refuses, or continues with those available. */
static int32_t lack(struct rebali_pass *pass, struct division *division, int64_t total,
                    struct rebali_assignment *assignment) {
  int32_t code = REBAL_OK;

  if (rebali_partial_is_first(pass)) {
    code = rebali_pass_refuse(pass, REBAL_OUTCOME_UNSCHEDULABLE,
                              "failed to assign replicas: %s: Clusters available replicas %lld are not enough to "
                              "schedule.",
                              division->prefix, (long long)total);
  }
  if (code != REBAL_OK || !rebali_partial_accept(pass)) {
    return code;
  }
  total = 0; /* without wrapping, over clusters that offer something */
  for (size_t i = 0; i < division->n_offers; i++) {
    if (division->offers[i].weight < 0) {
      division->offers[i].weight = 0;
    }
    total += division->offers[i].weight;
  }
  if (total < division->target) {
    assignment->missing = division->target - total;
    division->target = (int32_t)total;
  }
  return REBAL_OK;
}

static int32_t divide(struct rebali_pass *pass, struct division *division, struct rebali_assignment *assignment) {
  struct rebali_weight *scratch =
      rebali_arena_allocate(rebali_ctx_scratch(pass->ctx), division->n_offers + 1, sizeof *scratch);
  int64_t total = 0;
  int32_t code = REBAL_OK;

  if (scratch == NULL) {
    return rebali_fail_memory(pass->err);
  }
  for (size_t i = 0; i < division->n_offers; i++) {
    total = add(division, total, division->offers[i].weight);
  }
  if (total < division->target) {
    code = lack(pass, division, total, assignment);
  }
  if (code != REBAL_OK || rebali_pass_refused(pass)) {
    return code;
  }
  /*
   * Order is irrelevant when dividing by weight, except for several entries of one cluster (scaling down), of which the
   * last counts.
   */
  if (pass->placement->strategy == REBALI_STRATEGY_AGGREGATED || !division->are_distinct) {
    rebali_sort(division->offers, division->n_offers, sizeof *scratch, scratch, compare_offers, NULL);
  }
  if (pass->placement->strategy == REBALI_STRATEGY_AGGREGATED) {
    code = aggregate(pass, division, scratch);
    if (code != REBAL_OK) {
      return code;
    }
  }
  code = rebali_divide_clusters(pass, division->target, division->offers, division->n_offers, assignment->out,
                                &assignment->n_out);
  if (code != REBAL_OK || rebali_pass_refused(pass) || division->n_kept == 0) {
    return code;
  }
  return merge(pass, division, assignment);
}

/*
 * Returns whether kept entries must be collected. A fresh division only adds what clusters keep, which for plain
 * targets is what the pass has assigned.
 */
static int needs_kept(const struct rebali_pass *pass, const struct division *division) {
  return pass->n_targets > 0 && !(pass->is_fresh && pass->targets_are_plain && !division->wraps);
}

int32_t rebali_assign_dynamic(struct rebali_pass *pass, struct rebali_assignment *assignment) {
  const struct rebali_rules rules = rebali_rules_read(pass->opts->compat);
  struct division division = {.target = assignment->replicas, .wraps = rules.wrap, .prefix = "", .tie = REBAL_TIE_RANK};
  int64_t assigned = 0;

  division.offers = rebali_arena_allocate(rebali_ctx_scratch(pass->ctx), assignment->n_candidates + pass->n_targets + 1,
                                          sizeof *division.offers);
  if (division.offers == NULL) {
    return rebali_fail_memory(pass->err);
  }
  if (needs_kept(pass, &division) && keep_targets(pass, assignment, &division, &assigned) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  if (pass->is_fresh) {
    division.prefix = "failed to do fresh scale";
    offer_candidates(pass, assignment, &division, 1);
    division.n_kept = 0;
  } else if (assigned > assignment->replicas) {
    division.prefix = "failed to scale down";
    division.tie = REBAL_TIE_LIST_ORDER;
    offer_kept(&division);
    division.n_kept = 0;
  } else if (assigned < assignment->replicas) {
    division.prefix = "failed to scale up";
    division.target = rebali_rules_cast(&rules, assignment->replicas - assigned); /* below 2^63: see add() */
    offer_candidates(pass, assignment, &division, 0);
  } else {
    if (division.n_kept > 0) {
      memcpy(assignment->out, division.kept, division.n_kept * sizeof *division.kept);
    }
    assignment->n_out = division.n_kept;
    return REBAL_OK;
  }
  return divide(pass, &division, assignment);
}
