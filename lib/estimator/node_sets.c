/* SPDX-License-Identifier: MIT */
/*
 * First fit on the nodes of a cluster (rebalance-karmada(7) 6.7), in packing order. Nothing is released, so the first
 * node with capacity for a kind of pods only moves forward. While every component of a set fits entirely on the node
 * where it starts, the next sets do too; those are placed at once.
 */
#include "estimator/node.h"

/* Pods of one requirement, which all start at the same node. */
struct pod_kind {
  struct pod_kind *next;
  uint32_t requirements;
  const int64_t *amounts;
  uint64_t *words; /* nodes that are accepted, by leaf */
  uint32_t start;  /* no earlier node has capacity */
};
/* Nodes by position in packing order. */
struct rebali_node_packing {
  uint32_t n;
  const uint32_t *nodes; /* ids */
  size_t n_amounts;
  int64_t *amounts; /* free amounts, those of a node adjacent */
  size_t capacity;  /* allocated amounts */
  const struct rebali_node_table *table;
  struct pod_kind *kinds;
};

/* ---- one node ---------------------------------------------------------------------------------------------------- */

static int64_t *amounts_of(const struct rebali_node_packing *packing, uint32_t place) {
  return packing->amounts + place * packing->n_amounts;
}

static int64_t fit(const struct rebali_node_packing *packing, const struct pod_kind *kind, uint32_t place) {
  const int64_t *amounts = amounts_of(packing, place);
  int64_t best = INT64_MAX;

  if (!rebali_bit_get(kind->words, packing->nodes[place])) {
    return 0;
  }
  for (size_t i = 0; i < packing->n_amounts && best > 0; i++) {
    if (kind->amounts[i] > 0) {
      const int64_t fit_one = amounts[i] / kind->amounts[i];

      best = fit_one < best ? fit_one : best;
    }
  }
  return best;
}

/* times must not exceed what the node can hold: nothing falls below 0, and no product overflows. */
static void spend(const struct rebali_node_packing *packing, uint32_t place, const int64_t *need, int64_t times) {
  int64_t *amounts = amounts_of(packing, place);

  for (size_t i = 0; i < packing->n_amounts; i++) {
    amounts[i] -= need[i] * times;
  }
}

/* Advances to the first node with capacity. */
static void find_start(const struct rebali_node_packing *packing, struct pod_kind *kind) {
  while (kind->start < packing->n && fit(packing, kind, kind->start) == 0) {
    kind->start++;
  }
}

/* Places replicas and returns those that do not fit. */
static int64_t place(const struct rebali_node_packing *packing, struct pod_kind *kind, int64_t replicas) {
  find_start(packing, kind);
  for (uint32_t at = kind->start; at < packing->n && replicas > 0; at++) {
    const int64_t capacity = fit(packing, kind, at);
    const int64_t placed = capacity < replicas ? capacity : replicas;

    spend(packing, at, kind->amounts, placed);
    replicas -= placed;
  }
  return replicas;
}

/* ---- beginning --------------------------------------------------------------------------------------------------- */

static int32_t copy_amounts(struct rebali_node_question *question, struct rebali_node_packing *packing) {
  const size_t wanted = (size_t)rebali_nodes_leaves(packing->table) * REBALI_NODES * packing->n_amounts;
  int64_t leaf[REBALI_NODES];

  if (wanted > packing->capacity) {
    packing->amounts = rebali_arena_allocate(question->arena, wanted, sizeof *packing->amounts);
    packing->capacity = packing->amounts == NULL ? 0 : wanted;
  }
  if (packing->amounts == NULL) {
    return REBAL_ENOMEM;
  }
  for (size_t amount = 0; amount < packing->n_amounts; amount++) {
    uint32_t number = REBAL_NONE;

    for (uint32_t at = 0; at < packing->n; at++) {
      if (packing->nodes[at] / REBALI_NODES != number) {
        number = packing->nodes[at] / REBALI_NODES;
        rebali_node_free(packing->table, question->resources[amount], number, leaf);
      }
      amounts_of(packing, at)[amount] = leaf[packing->nodes[at] % REBALI_NODES];
    }
  }
  return REBAL_OK;
}

/* Starts with the nodes of a table. */
static int32_t begin(struct rebali_node_question *question, const struct rebali_node_table *table) {
  struct rebali_node_packing *packing = question->free;

  if (packing == NULL) {
    packing = rebali_arena_allocate_zero(question->arena, 1, sizeof *packing);
    question->free = packing;
  }
  if (packing == NULL) {
    return REBAL_ENOMEM;
  }
  packing->table = table;
  packing->nodes = rebali_nodes_order(table, &packing->n);
  packing->n_amounts = question->needs.n_names + 1;
  packing->kinds = NULL;
  return copy_amounts(question, packing);
}

/* Returns the amounts of requirements: those of a component, or else read. Returns NULL without memory. */
static const int64_t *amounts_for(struct rebali_node_question *question, uint32_t requirements) {
  int64_t *amounts;

  for (size_t i = 0; i < question->needs.n; i++) {
    if (question->needs.items[i].requirements == requirements) {
      return question->needs.items[i].amounts;
    }
  }
  amounts = rebali_arena_allocate(question->arena, question->needs.n_names + 1, sizeof *amounts);
  if (amounts != NULL) {
    rebali_need_read(&question->needs, requirements, amounts);
  }
  return amounts;
}

/* Finds or adds the kind of pods with these requirements. Returns NULL without memory. */
static struct pod_kind *kind_of(struct rebali_node_question *question, uint32_t requirements) {
  struct rebali_node_packing *packing = question->free;
  const struct rebali_node_filter *filter = rebali_snapshot_node_filter(question->snapshot, requirements);
  const uint32_t leaves = rebali_nodes_leaves(packing->table);
  struct pod_kind *kind = packing->kinds;

  while (kind != NULL && kind->requirements != requirements) {
    kind = kind->next;
  }
  if (kind != NULL) {
    return kind;
  }
  kind = rebali_arena_allocate(question->arena, 1, sizeof *kind);
  if (kind == NULL) {
    return NULL;
  }
  *kind = (struct pod_kind){packing->kinds, requirements, amounts_for(question, requirements),
                            rebali_arena_allocate(question->arena, leaves, sizeof *kind->words), 0};
  if (kind->amounts == NULL || kind->words == NULL) {
    return NULL;
  }
  for (uint32_t leaf = 0; leaf < leaves; leaf++) {
    kind->words[leaf] = rebali_node_filter_word(question->snapshot, filter, packing->table, leaf);
  }
  packing->kinds = kind;
  return kind;
}

/*
 * Places one full set of each binding, by key. A set that does not fit keeps the pods that were placed
 * (rebalance-karmada(7) 6.6). A question with a ledger is only for clusters that it touches.
 */
static int32_t place_holdings(struct rebali_node_question *question, uint32_t cluster) {
  const struct rebali_holding *holdings;
  size_t n;

  if (question->ledger == NULL) {
    return REBAL_OK;
  }
  if (rebali_ledger_holdings(question->ledger, cluster, question->arena, &holdings, &n) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < n; i++) {
    int64_t left = 0;

    for (size_t k = 0; k < holdings[i].n_components && left == 0; k++) {
      const struct rebali_component *component = &holdings[i].components[k];
      struct pod_kind *kind = component->replicas == 0 ? NULL : kind_of(question, component->requirements);

      if (kind == NULL && component->replicas != 0) {
        return REBAL_ENOMEM;
      }
      left = kind == NULL ? 0 : place(question->free, kind, component->replicas);
    }
  }
  return REBAL_OK;
}

/* ---- counting sets ----------------------------------------------------------------------------------------------- */

struct set {
  const struct rebali_node_packing *packing;
  const struct rebali_need *needs;
  struct pod_kind **kinds; /* of the needs */
  size_t n;
  int64_t *sum; /* scratch amounts */
};

/* Sums what a set takes of the node where component i starts. Returns 0 if an earlier component starts there. */
static int sum_at_start(const struct set *set, size_t i) {
  memset(set->sum, 0, set->packing->n_amounts * sizeof *set->sum);
  for (size_t k = 0; k < set->n; k++) {
    if (set->kinds[k]->start == set->kinds[i]->start) {
      if (k < i) {
        return 0;
      }
      for (size_t amount = 0; amount < set->packing->n_amounts; amount++) {
        set->sum[amount] = rebali_add_saturating(
            set->sum[amount], rebali_multiply_saturating(set->needs[k].amounts[amount], set->needs[k].replicas));
      }
    }
  }
  return 1;
}

/* Returns how often the node can hold the sum, at most `most`. A saturated sum may be too small and never fits. */
static int64_t repeats_at(const struct set *set, uint32_t at, int64_t most) {
  const int64_t *amounts = amounts_of(set->packing, at);

  for (size_t i = 0; i < set->packing->n_amounts && most > 0; i++) {
    if (set->sum[i] > 0) {
      const int64_t times = set->sum[i] == INT64_MAX ? 0 : amounts[i] / set->sum[i];

      most = times < most ? times : most;
    }
  }
  return most;
}

/* Counts the sets whose components all fit where they start. */
static int64_t count_at_starts(const struct set *set, int64_t most) {
  for (size_t i = 0; i < set->n; i++) {
    find_start(set->packing, set->kinds[i]);
    if (set->kinds[i]->start == set->packing->n) {
      return 0;
    }
  }
  for (size_t i = 0; i < set->n && most > 0; i++) {
    if (sum_at_start(set, i)) {
      most = repeats_at(set, set->kinds[i]->start, most);
    }
  }
  return most;
}

/* Places one set. Returns whether it fits. */
static int place_set(const struct set *set) {
  int64_t left = 0;

  for (size_t i = 0; i < set->n && left == 0; i++) {
    left = place(set->packing, set->kinds[i], set->needs[i].replicas);
  }
  return left == 0;
}

/*
 * Each iteration that places no sets at once moves the start of a component: one that does not fit entirely where it
 * starts leaves no capacity there.
 */
static int64_t count_sets(const struct set *set) {
  int64_t sets = 0;

  while (sets < INT32_MAX) {
    const int64_t times = count_at_starts(set, INT32_MAX - sets);

    for (size_t i = 0; i < set->n && times > 0; i++) {
      if (sum_at_start(set, i)) {
        spend(set->packing, set->kinds[i]->start, set->sum, times);
      }
    }
    sets += times;
    if (times == 0) {
      if (!place_set(set)) {
        return sets;
      }
      sets++;
    }
  }
  return sets;
}

static int32_t answer_sets(struct rebali_node_question *question, int32_t *answer) {
  struct set set = {question->free, question->needs.items, NULL, question->needs.n, NULL};

  set.kinds = rebali_arena_allocate(question->arena, set.n, sizeof *set.kinds);
  set.sum = rebali_arena_allocate(question->arena, set.packing->n_amounts, sizeof *set.sum);
  if (set.kinds == NULL || set.sum == NULL) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < set.n; i++) {
    set.kinds[i] = kind_of(question, set.needs[i].requirements);
    if (set.kinds[i] == NULL) {
      return REBAL_ENOMEM;
    }
  }
  *answer = (int32_t)count_sets(&set);
  return REBAL_OK;
}

static int32_t answer_replicas(struct rebali_node_question *question, int32_t *answer) {
  const struct pod_kind *kind = kind_of(question, question->needs.items[0].requirements);
  int64_t sum = 0;

  if (kind == NULL) {
    return REBAL_ENOMEM;
  }
  for (uint32_t at = 0; at < question->free->n; at++) {
    sum = rebali_add_saturating(sum, rebali_node_counts(question, fit(question->free, kind, at)));
  }
  *answer = rebali_node_sum_answer(question, sum);
  return REBAL_OK;
}

int32_t rebali_node_pack(struct rebali_node_question *question, uint32_t cluster, const struct rebali_node_table *table,
                         int32_t *answer) {
  uint32_t n;

  *answer = 0;
  (void)rebali_nodes_order(table, &n);
  if (n == 0) {
    return REBAL_OK;
  }
  if (begin(question, table) != REBAL_OK || place_holdings(question, cluster) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  return rebali_node_is_sum(question) ? answer_replicas(question, answer) : answer_sets(question, answer);
}
