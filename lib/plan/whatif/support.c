/* SPDX-License-Identifier: MIT */
/*
 * On which clusters an answer depends.
 *
 * A cluster that is feasible in no group tried can be lost without effect: every stage after the filters sees the same
 * clusters. So for any placement, targets and feasible clusters together are sufficient ("whole"). Targets are always
 * included, since their replicas are missing afterward.
 *
 * In the cases below fewer are sufficient: targets and the clusters of the answer. Let other clusters be lost; each is
 * feasible or not and gets no replicas.
 * - Copies (Duplicated, or no replicas to divide): every feasible cluster is in the answer, so none of them is lost.
 * - Static weights: seats go one by one to the party that comes first. A party that never came first can leave. The
 *   remaining parties have all the seats, so with limits (STATIC_WEIGHT_CAPACITY) they have capacity for them, and one
 *   of them has a weight unless none has any.
 * - Dynamic weights and Aggregated with at least as many replicas in feasible targets as are wanted: only targets are
 *   read.
 * - Dynamic weights with a share to divide: as static weights. What remains is enough: a cluster with v replicas
 *   available that got no seat was passed over by every seat. So a cluster with s seats has at least (2s - 1) v >= s x
 *   v replicas, and those with seats have at least seats x v of them, which is enough if v >= 1. With v = 0 nothing is
 *   missed.
 * - Aggregated with a share to divide: clusters are taken in an order until they are enough, targets first, then by
 *   what they have. A cluster that was not taken can leave. A cluster that was taken, is not a target and got no seat
 *   cannot exist: let it have v replicas, and the last one taken w <= v. Those with seats have enough together, as
 *   above. If the last one got none, or is this one, the others were enough before it was taken. If it got one, w = v,
 *   and the clusters without this one have as much as those before the last one, which were not enough.
 * - Selection by cluster alone, without an exchange, of fewer clusters than are feasible: the first ones are taken, and
 *   later ones can leave without effect, as long as the same number remains. Here the selected clusters are needed,
 *   too.
 * - No fit: no group had a feasible cluster.
 * - Lack of capacity where sums over all feasible clusters decide: the lack does not shrink without one of them. One
 *   feasible cluster is needed, too: without any, the outcome is another one, that of the first group if there are
 *   several.
 *
 * Groups before the one that answers failed in one of the last two ways; otherwise the support is whole. It is also
 * whole if the answer names no cluster because 0 replicas are wanted, with INT32_WRAP, negative or repeated targets,
 * overflow tiers, regions and partial answers, and with estimators of the caller where capacity is read: an estimator
 * that fails for one cluster may be dropped for all.
 *
 * Beside a ledger, other charges can change the answer where capacity is read: reads_capacity, or how much in
 * windows.c, which also determines which feasible clusters are enough where the support is whole.
 */
#include "plan/whatif/whatif.h"

static int option(const struct rebali_pass *pass, uint32_t number) {
  return rebali_compat_value(pass->opts->compat, number) != 0;
}

static int is_weighted_by_capacity(const struct rebali_pass *pass) {
  return pass->placement->strategy == REBALI_STRATEGY_DYNAMIC_WEIGHT ||
         pass->placement->strategy == REBALI_STRATEGY_AGGREGATED;
}

/*
 * Tests whether sums over all feasible clusters decide if there is enough capacity. With a list of static weights they
 * do not: without the listed clusters all others have weight 1. Copies lack no capacity.
 */
static int sums_decide(const struct rebali_pass *pass) {
  return !rebali_placement_selects(pass->placement) && !pass->placement->has_overflow &&
         !option(pass, REBAL_OPTION_PARTIAL_PLACEMENT) && pass->opts->n_estimators == 0 &&
         (is_weighted_by_capacity(pass) || !pass->placement->has_weight_preference);
}

/* Tests whether the failure remains whichever clusters other than targets are lost. */
static int is_lasting(const struct rebali_pass *pass, int64_t outcome) {
  return outcome == REBAL_OUTCOME_NO_CLUSTER_FIT || (outcome == REBAL_OUTCOME_UNSCHEDULABLE && sums_decide(pass));
}

static int all_are_lasting(const struct rebali_pass *pass, const struct rebali_failures *failures, int *lacks) {
  for (const struct rebali_failure *failure = failures->first; failure != NULL; failure = failure->next) {
    if (!is_lasting(pass, failure->outcome)) {
      return 0;
    }
    *lacks |= failure->outcome != REBAL_OUTCOME_NO_CLUSTER_FIT;
  }
  return 1;
}

/* Returns the replicas in feasible targets. */
static int64_t kept(const struct rebali_pass *pass) {
  int64_t sum = 0;

  for (size_t i = 0; i < pass->n_targets; i++) {
    const int64_t cluster = rebali_bindings_i64(pass->bindings, REBAL_TARGET_CLUSTER, pass->target_rows[i]);

    if (cluster != REBAL_NONE && rebali_bit_get(pass->feasible, (size_t)cluster)) {
      sum += rebali_bindings_i64(pass->bindings, REBAL_TARGET_REPLICAS, pass->target_rows[i]);
    }
  }
  return sum;
}

static int is_first_choice(const struct rebali_pass *pass) {
  const struct rebali_spread *cluster = rebali_placement_spread(pass->placement, REBAL_SPREAD_BY_CLUSTER);

  /* Without a constraint by region there is one by cluster. */
  return rebali_placement_spread(pass->placement, REBAL_SPREAD_BY_REGION) == NULL && !pass->is_exchanged &&
         cluster->max_groups >= cluster->min_groups;
}

/* Reads an answer that places the binding in a group without tiers. Returns whether the support is whole. */
static int read_scheduled(const struct rebali_pass *pass, struct rebali_support *support) {
  const struct rebali_placement *placement = pass->placement;

  if (rebali_placement_selects(placement)) {
    support->reads_capacity = 1;
    return !is_first_choice(pass);
  }
  if (!rebali_pass_is_divided(pass) || placement->strategy == REBALI_STRATEGY_DUPLICATED) {
    support->is_copies = 1;
    return 0;
  }
  if (placement->strategy == REBALI_STRATEGY_STATIC_WEIGHT) {
    support->reads_capacity |= option(pass, REBAL_OPTION_STATIC_WEIGHT_CAPACITY);
    return placement->weights == NULL; /* weights beyond 32 bits, whose sums may wrap to 0 */
  }
  support->reads_capacity |= kept(pass) < pass->replicas;
  return 0;
}

static int is_whole(const struct rebali_pass *pass, const struct rebali_failures *failures,
                    struct rebali_support *support) {
  int lacks = 0;

  support->reads_capacity = 1;
  if (!pass->targets_are_plain || option(pass, REBAL_OPTION_INT32_WRAP) || pass->outcome == REBAL_OUTCOME_PARTIAL ||
      !all_are_lasting(pass, failures, &lacks)) {
    return 1;
  }
  if (rebali_pass_refused(pass)) {
    if (failures->n == 0 && !is_lasting(pass, pass->outcome)) {
      return 1;
    }
    support->reads_capacity = lacks || pass->outcome != REBAL_OUTCOME_NO_CLUSTER_FIT;
    return 0;
  }
  if (rebali_pass_has_overflow(pass) || pass->n_placed == 0) {
    return 1;
  }
  support->reads_capacity = lacks;
  if (read_scheduled(pass, support)) {
    support->is_copies = 0;
    support->reads_capacity = 1;
    return 1;
  }
  support->is_copies &= !lacks;
  return support->reads_capacity && pass->opts->n_estimators != 0;
}

/* Adds the feasible clusters of one group. */
static int32_t add_group(struct rebali_pass *pass, size_t group, uint64_t *bits) {
  int32_t code;

  rebali_pass_dispose(pass);
  code = rebali_pass_begin(pass, pass->placement->terms[group].name);
  code = code == REBAL_OK ? rebali_filter_run(pass) : code;
  for (size_t word = 0; word < pass->words && code == REBAL_OK; word++) {
    bits[word] |= pass->feasible[word];
  }
  return code;
}

static int32_t find_feasible(struct rebali_pass *pass, const struct rebali_failures *failures, uint64_t *bits) {
  const size_t n_tried = failures->n + (rebali_pass_refused(pass) || pass->outcome == REBAL_OUTCOME_PARTIAL ? 0u : 1u);
  int32_t code = REBAL_OK;

  if (failures->n == 0) {
    memcpy(bits, pass->feasible, pass->words * sizeof *bits);
    return REBAL_OK;
  }
  for (size_t i = 0, group = rebali_groups_first(pass); i < n_tried && code == REBAL_OK; i++, group++) {
    code = add_group(pass, group, bits);
  }
  return code;
}

/* Adds a feasible cluster of the group whose outcome is the answer's. */
static int32_t add_witness(struct rebali_pass *pass, const struct rebali_failures *failures, uint64_t *bits) {
  size_t word = 0;

  if (failures->n == 0) {
    memcpy(bits, pass->feasible, pass->words * sizeof *bits);
  } else {
    const int32_t code = add_group(pass, failures->first->group, bits);

    if (code != REBAL_OK) {
      return code;
    }
  }
  while (bits[word] == 0) {
    word++;
  }
  bits[word] &= 0 - bits[word];
  memset(bits + word + 1, 0, (pass->words - word - 1) * sizeof *bits);
  return REBAL_OK;
}

/* Adds selected clusters that got no replicas; they are not in the answer. */
static void add_selected(const struct rebali_pass *pass, uint64_t *bits) {
  for (size_t i = 0; i < pass->n_candidates; i++) {
    rebali_bit_set(bits, pass->candidates[i].cluster, 1);
  }
}

static int32_t allocate_bits(const struct rebali_pass *pass, struct rebali_arena *arena, uint64_t **bits) {
  *bits = rebali_arena_allocate_zero(arena, pass->words + 1, sizeof **bits);
  return *bits == NULL ? rebali_fail_memory(pass->err) : REBAL_OK;
}

/* Adds the clusters that are needed besides targets and the answer, if not all feasible ones are. */
static int32_t add_needed(struct rebali_pass *pass, const struct rebali_failures *failures,
                          struct rebali_support *support) {
  if (rebali_pass_refused(pass)) {
    return add_witness(pass, failures, support->more);
  }
  add_selected(pass, support->more);
  return REBAL_OK;
}

int32_t rebali_support_find(struct rebali_pass *pass, const struct rebali_failures *failures,
                            struct rebali_arena *arena, struct rebali_support *support) {
  const int is_refused = rebali_pass_refused(pass);
  int whole, needs_none;
  int32_t code = REBAL_OK;

  memset(support, 0, sizeof *support);
  if (pass->placement == NULL) {
    return REBAL_OK;
  }
  whole = is_whole(pass, failures, support);
  needs_none = !whole && (is_refused ? pass->outcome == REBAL_OUTCOME_NO_CLUSTER_FIT
                                     : !rebali_placement_selects(pass->placement));
  support->words = pass->words;
  if (support->reads_capacity) {
    code = rebali_windows_find(pass, failures, arena, support);
  }
  if (code == REBAL_OK && !whole && !needs_none) {
    code = allocate_bits(pass, arena, &support->more);
    code = code == REBAL_OK ? add_needed(pass, failures, support) : code;
  }
  if (code == REBAL_OK && ((whole && support->witnesses == NULL) || support->has_others)) {
    code = allocate_bits(pass, arena, &support->feasible);
    code = code == REBAL_OK ? find_feasible(pass, failures, support->feasible) : code;
  }
  if (whole) {
    support->more = support->witnesses != NULL ? support->witnesses : support->feasible;
  }
  return code;
}
