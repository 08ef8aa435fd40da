/* SPDX-License-Identifier: MIT */
/*
 * Assigns each pod of a cluster to a node: first fit in packing order, like a scheduler that prefers no node to
 * another.
 */
#include "record/tolerations.h"
#include "estimator/estimator.h"
#include "fleet/node_filter.h"

#include <stddef.h>

#define FIRST_OPTS_SIZE sizeof(rebal_place_opts)

/* Pods with the same requirements. */
struct pod_kind {
  const struct rebali_node_filter *filter;
  struct rebali_demand demand;
  int64_t *need;    /* by amount */
  uint64_t *words;  /* nodes that the filter accepts, by row */
  uint32_t start;   /* no earlier node in the order has capacity */
  int fits_nowhere; /* it requests a resource that no node lists */
};

struct seating {
  rebal_snapshot *snapshot;
  struct rebali_arena *arena;
  const rebal_place_opts *opts;
  const struct rebali_node_table *table;
  const uint32_t *order;
  uint32_t n_order;
  uint32_t *resources; /* of the amounts; the first is pods */
  size_t n_amounts;
  int64_t *left; /* the amounts of each row */
  struct pod_kind **by_requirements;
  struct pod_kind **kinds; /* of the pods */
  struct pod_kind **all;
  size_t n_kinds;
  size_t n_pods;
  uint32_t *nodes; /* of the pods */
  uint32_t *first; /* first pod of each row, and the next pod of its node; REBAL_NONE */
  uint32_t *next;
  uint32_t *preempted_by;
};

static int32_t priority_of(const struct seating *seating, size_t pod) {
  return seating->opts->priorities == NULL ? 0 : seating->opts->priorities[pod];
}

/* ---- what pods need, and what nodes have ------------------------------------------------------------------------- */

static int64_t amount_of(const struct rebali_request *request) {
  const int64_t amount = request->is_cpu ? request->milli : request->value;

  return rebali_is_vector_resource(request->name) && amount > 0 ? amount : 0;
}

/* Returns the index of a resource among the amounts, which have space for one more. */
static size_t amount_index(struct seating *seating, uint32_t resource) {
  size_t i = 0;

  while (i < seating->n_amounts && seating->resources[i] != resource) {
    i++;
  }
  if (i == seating->n_amounts) {
    seating->resources[seating->n_amounts++] = resource;
  }
  return i;
}

/* Returns whether the taint's first toleration ends before it starts. */
static int is_over_at_once(const rebal_record *requirements, const struct rebali_taint *taint) {
  const uint32_t claim = rebali_record_get(requirements, 0, REBAL_REQUIREMENTS_NODE_CLAIM);
  const uint32_t node = rebali_first_tolerating(requirements, claim, REBAL_NODE_CLAIM_TOLERATIONS, taint);
  const struct rebali_toleration toleration = rebali_toleration_read(requirements, node);

  return toleration.has_seconds && toleration.toleration_seconds <= 0;
}

static int puts_out(const rebal_snapshot *snapshot, const rebal_record *requirements, uint32_t taints) {
  const rebal_record *list = rebali_snapshot_record(snapshot, REBAL_OBJECT_TAINTS, taints);
  uint32_t node = REBAL_NONE;

  while (list != NULL && (node = rebali_record_next(list, 0, REBAL_TAINTS_TAINT, node)) != REBAL_NONE) {
    const struct rebali_taint taint = rebali_taint_read(list, node);

    if (rebali_effect_parse(taint.effect) == REBALI_EFFECT_NO_EXECUTE && is_over_at_once(requirements, &taint)) {
      return 1;
    }
  }
  return 0;
}

/* Returns the nodes of a leaf that would evict a pod at once: it would return and be evicted again without end. */
static uint64_t put_out_word(const struct seating *seating, const rebal_record *requirements, uint32_t number) {
  const struct rebali_node_leaf *leaf = rebali_nodes_leaf(seating->table, number);
  uint64_t word = 0, verdict = 0;
  uint32_t last = REBAL_NONE;

  for (uint32_t i = 0; requirements != NULL && i < REBALI_NODES; i++) {
    if (leaf->taints[i] != last && rebali_bit_get(&leaf->present, i)) {
      last = leaf->taints[i];
      verdict = (uint64_t)puts_out(seating->snapshot, requirements, last);
    }
    word |= verdict << i;
  }
  return word;
}

static int32_t make_kind(struct seating *seating, uint32_t requirements, struct pod_kind **out) {
  struct pod_kind *kind = rebali_arena_allocate_zero(seating->arena, 1, sizeof *kind);
  const rebal_record *record = rebali_snapshot_record(seating->snapshot, REBAL_OBJECT_REQUIREMENTS, requirements);
  const uint32_t leaves = rebali_nodes_leaves(seating->table);

  *out = kind;
  if (kind == NULL) {
    return REBAL_ENOMEM;
  }
  kind->filter = rebali_snapshot_node_filter(seating->snapshot, requirements);
  kind->words = rebali_arena_allocate(seating->arena, leaves, sizeof *kind->words);
  if (kind->words == NULL || rebali_demand_read(seating->arena, record, &kind->demand) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  rebali_demand_resolve(&kind->demand, seating->snapshot);
  for (uint32_t leaf = 0; leaf < leaves; leaf++) {
    kind->words[leaf] = rebali_node_filter_word(seating->snapshot, kind->filter, seating->table, leaf) &
                        ~put_out_word(seating, record, leaf);
  }
  seating->all[seating->n_kinds++] = kind;
  return REBAL_OK;
}

static int32_t find_kinds(struct seating *seating, const uint32_t *requirements) {
  uint32_t top = 0;

  for (size_t i = 0; i < seating->n_pods; i++) {
    const uint32_t place = requirements[i] + 1; /* none: 0 */

    top = place > top ? place : top;
  }
  seating->by_requirements = rebali_arena_allocate_zero(seating->arena, (size_t)top + 1, sizeof(struct pod_kind *));
  if (seating->by_requirements == NULL) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < seating->n_pods; i++) {
    struct pod_kind **kind = &seating->by_requirements[(uint32_t)(requirements[i] + 1)];

    if (*kind == NULL && make_kind(seating, requirements[i], kind) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
    seating->kinds[i] = *kind;
  }
  return REBAL_OK;
}

static int32_t read_need(struct seating *seating, struct pod_kind *kind, size_t most) {
  kind->need = rebali_arena_allocate_zero(seating->arena, most, sizeof *kind->need);
  if (kind->need == NULL) {
    return REBAL_ENOMEM;
  }
  kind->need[0] = 1;
  for (size_t i = 0; i < kind->demand.n_requests; i++) {
    const struct rebali_request *request = &kind->demand.requests[i];

    if (amount_of(request) == 0) {
      continue;
    }
    if (request->resource == REBAL_NONE) {
      kind->fits_nowhere = 1;
    } else {
      kind->need[amount_index(seating, request->resource)] = amount_of(request);
    }
  }
  return REBAL_OK;
}

static int32_t read_needs(struct seating *seating) {
  size_t most = 1;

  for (size_t i = 0; i < seating->n_kinds; i++) {
    most += seating->all[i]->demand.n_requests;
  }
  seating->resources = rebali_arena_allocate(seating->arena, most, sizeof *seating->resources);
  if (seating->resources == NULL) {
    return REBAL_ENOMEM;
  }
  seating->resources[0] = rebali_snapshot_resource(seating->snapshot, REBALI_TEXT("pods"));
  seating->n_amounts = 1;
  for (size_t i = 0; i < seating->n_kinds; i++) {
    if (read_need(seating, seating->all[i], most) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
  }
  return REBAL_OK;
}

static int64_t *left_of(const struct seating *seating, uint32_t node) {
  return seating->left + (size_t)node * seating->n_amounts;
}

/* Returns what the snapshot leaves free on a node; leaf NULL: no node lists the amount. */
static int64_t capacity_in(const struct seating *seating, const struct rebali_amount_leaf *leaf, uint32_t place) {
  const int is_empty = (seating->opts->flags & REBAL_PLACE_FLAG_GIVEN_ALONE) != 0;

  return leaf == NULL ? 0 : rebali_subtract_saturating(leaf->allocatable[place], is_empty ? 0 : leaf->used[place]);
}

static const struct rebali_amount_leaf *amounts_of(const struct seating *seating, size_t amount, uint32_t number) {
  return rebali_nodes_amounts(seating->table, seating->resources[amount], number);
}

static void read_leaf(const struct seating *seating, uint32_t number, size_t amount) {
  const struct rebali_amount_leaf *leaf = amounts_of(seating, amount, number);
  uint32_t row = number * REBALI_NODES;

  for (uint32_t i = 0; i < REBALI_NODES && row < seating->table->rows; i++, row++) {
    left_of(seating, row)[amount] = capacity_in(seating, leaf, i);
  }
}

static int32_t read_nodes(struct seating *seating) {
  seating->left =
      rebali_arena_allocate_zero(seating->arena, seating->table->rows, seating->n_amounts * sizeof *seating->left);
  if (seating->left == NULL) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < seating->n_amounts; i++) {
    for (uint32_t number = 0; number < rebali_nodes_leaves(seating->table); number++) {
      read_leaf(seating, number, i);
    }
  }
  return REBAL_OK;
}

/* ---- seats ------------------------------------------------------------------------------------------------------- */

static int has_free_capacity(const struct seating *seating, uint32_t node, const struct pod_kind *kind) {
  const int64_t *left = left_of(seating, node);

  for (size_t i = 0; i < seating->n_amounts; i++) {
    if (kind->need[i] > 0 && left[i] < kind->need[i]) {
      return 0;
    }
  }
  return 1;
}

static void take(const struct seating *seating, uint32_t node, const struct pod_kind *kind) {
  for (size_t i = 0; i < seating->n_amounts; i++) {
    left_of(seating, node)[i] = rebali_subtract_saturating(left_of(seating, node)[i], kind->need[i]);
  }
}

static void seat(struct seating *seating, size_t pod, uint32_t node) {
  seating->nodes[pod] = node;
  seating->next[pod] = seating->first[node];
  seating->first[node] = (uint32_t)pod;
  take(seating, node, seating->kinds[pod]);
}

/* Seats the pods that have a node. A pod on a missing node takes nothing. */
static void seat_given(struct seating *seating) {
  for (size_t i = 0; i < seating->n_pods; i++) {
    const uint32_t node = seating->opts->nodes == NULL ? REBAL_NONE : seating->opts->nodes[i];

    seating->nodes[i] = node;
    if (node != REBAL_NONE && rebali_nodes_present(seating->table, node)) {
      seat(seating, i, node);
    }
  }
}

static int accepts(const struct pod_kind *kind, uint32_t node) {
  return !kind->fits_nowhere && (kind->words[node / REBALI_NODES] >> node % REBALI_NODES & 1) != 0;
}

static void place(struct seating *seating, size_t pod) {
  struct pod_kind *kind = seating->kinds[pod];

  while (kind->start < seating->n_order) {
    const uint32_t node = seating->order[kind->start];

    if (accepts(kind, node) && has_free_capacity(seating, node, kind)) {
      seat(seating, pod, node);
      return;
    }
    kind->start++;
  }
}

/* ---- preemption -------------------------------------------------------------------------------------------------- */

/*
 * Returns whether the pod fits without the pods of lower priority. Sets left, the amounts of one row, to what then
 * remains. It is computed anew, as a saturated difference cannot be added to.
 */
static int has_capacity_below(const struct seating *seating, uint32_t node, size_t pod, int64_t *left) {
  const int32_t priority = priority_of(seating, pod);

  for (size_t k = 0; k < seating->n_amounts; k++) {
    left[k] = capacity_in(seating, amounts_of(seating, k, node / REBALI_NODES), node % REBALI_NODES);
  }
  for (uint32_t i = seating->first[node]; i != REBAL_NONE; i = seating->next[i]) {
    for (size_t k = 0; k < seating->n_amounts && priority_of(seating, i) >= priority; k++) {
      left[k] = rebali_subtract_saturating(left[k], seating->kinds[i]->need[k]);
    }
  }
  for (size_t k = 0; k < seating->n_amounts; k++) {
    if (seating->kinds[pod]->need[k] > 0 && left[k] < seating->kinds[pod]->need[k]) {
      return 0;
    }
  }
  return 1;
}

static int ranks_before(const struct seating *seating, uint32_t pod, uint32_t other) {
  const int32_t left = priority_of(seating, pod), right = priority_of(seating, other);

  return left != right ? left > right : pod < other;
}

/* Returns the next pod of the node below a priority, the highest first; REBAL_NONE at the end. */
static uint32_t next_below(const struct seating *seating, uint32_t node, int32_t priority, uint32_t previous) {
  uint32_t best = REBAL_NONE;

  for (uint32_t i = seating->first[node]; i != REBAL_NONE; i = seating->next[i]) {
    if (priority_of(seating, i) < priority && (previous == REBAL_NONE || ranks_before(seating, previous, i)) &&
        (best == REBAL_NONE || ranks_before(seating, i, best))) {
      best = i;
    }
  }
  return best;
}

/*
 * Returns whether a pod of the kind may stay: the incoming pod must fit into what is left without its part, which is
 * then subtracted.
 */
static int may_stay(const struct seating *seating, const struct pod_kind *kind, const struct pod_kind *coming,
                    int64_t *left) {
  for (size_t k = 0; k < seating->n_amounts; k++) {
    if (coming->need[k] > 0 && rebali_subtract_saturating(left[k], kind->need[k]) < coming->need[k]) {
      return 0;
    }
  }
  for (size_t k = 0; k < seating->n_amounts; k++) {
    left[k] = rebali_subtract_saturating(left[k], kind->need[k]);
  }
  return 1;
}

static void unlink_gone(struct seating *seating, uint32_t node) {
  uint32_t *link = &seating->first[node];

  while (*link != REBAL_NONE) {
    if (seating->nodes[*link] != node) {
      *link = seating->next[*link];
    } else {
      link = &seating->next[*link];
    }
  }
}

/* Takes the capacity of pods with lower priority on the first node where that helps, from no more than needed. */
static void preempt(struct seating *seating, size_t pod, int64_t *left) {
  const struct pod_kind *kind = seating->kinds[pod];
  const int32_t priority = priority_of(seating, pod);
  uint32_t at = 0, node;

  while (at < seating->n_order &&
         !(accepts(kind, seating->order[at]) && has_capacity_below(seating, seating->order[at], pod, left))) {
    at++;
  }
  if (at == seating->n_order) {
    return;
  }
  node = seating->order[at];
  for (uint32_t i = next_below(seating, node, priority, REBAL_NONE); i != REBAL_NONE;
       i = next_below(seating, node, priority, i)) {
    if (!may_stay(seating, seating->kinds[i], kind, left)) {
      seating->nodes[i] = REBAL_NONE;
      seating->preempted_by[i] = (uint32_t)pod;
    }
  }
  memcpy(left_of(seating, node), left, seating->n_amounts * sizeof *left);
  unlink_gone(seating, node);
  seat(seating, pod, node);
  for (size_t i = 0; i < seating->n_kinds; i++) {
    seating->all[i]->start = 0;
  }
}

/* ---- the call ---------------------------------------------------------------------------------------------------- */

static int32_t write_seats(const struct seating *seating, rebal_result *result) {
  struct rebali_table *table = rebali_result_table(result, REBAL_TABLE_SEATED);
  size_t first;

  if (rebali_table_add(table, seating->n_pods, &first) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < seating->n_pods; i++) {
    *rebali_table_integers(table, REBAL_SEATED_NODE, first + i) = rebali_id_given(seating->nodes[i]);
    *rebali_table_integers(table, REBAL_SEATED_PREEMPTED_BY, first + i) = rebali_id_given(seating->preempted_by[i]);
  }
  return REBAL_OK;
}

static int32_t reserve_space(struct seating *seating) {
  const size_t n = seating->n_pods;

  seating->kinds = rebali_arena_allocate(seating->arena, n, sizeof(struct pod_kind *));
  seating->all = rebali_arena_allocate(seating->arena, n, sizeof(struct pod_kind *));
  seating->nodes = rebali_arena_allocate(seating->arena, n, sizeof *seating->nodes);
  seating->next = rebali_arena_allocate(seating->arena, n, sizeof *seating->next);
  seating->preempted_by = rebali_arena_allocate(seating->arena, n, sizeof *seating->preempted_by);
  seating->first = rebali_arena_allocate(seating->arena, seating->table->rows, sizeof *seating->first);
  if (seating->kinds == NULL || seating->all == NULL || seating->nodes == NULL || seating->next == NULL ||
      seating->preempted_by == NULL || seating->first == NULL) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < n; i++) {
    seating->preempted_by[i] = REBAL_NONE;
  }
  for (uint32_t i = 0; i < seating->table->rows; i++) {
    seating->first[i] = REBAL_NONE;
  }
  return REBAL_OK;
}

static int32_t place_all(struct seating *seating, const uint32_t *requirements, rebal_result *result) {
  const int preempts = (seating->opts->flags & REBAL_PLACE_FLAG_PREEMPTS) != 0;
  int64_t *left;

  seating->order = rebali_nodes_order(seating->table, &seating->n_order);
  if (reserve_space(seating) != REBAL_OK || find_kinds(seating, requirements) != REBAL_OK ||
      read_needs(seating) != REBAL_OK || read_nodes(seating) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  left = rebali_arena_allocate(seating->arena, seating->n_amounts, sizeof *left);
  if (left == NULL) {
    return REBAL_ENOMEM;
  }
  seat_given(seating);
  for (size_t i = 0; i < seating->n_pods; i++) {
    if (seating->nodes[i] == REBAL_NONE && seating->preempted_by[i] == REBAL_NONE) {
      place(seating, i);
    }
    if (seating->nodes[i] == REBAL_NONE && seating->preempted_by[i] == REBAL_NONE && preempts) {
      preempt(seating, i, left);
    }
  }
  return write_seats(seating, result);
}

static int32_t check(const rebal_snapshot *snapshot, uint32_t cluster, const uint32_t *requirements, size_t n,
                     const rebal_place_opts *opts, rebal_error *err) {
  if (snapshot == NULL || (requirements == NULL && n != 0)) {
    return rebali_fail(err, REBAL_EINVAL, -1, "%s is NULL", snapshot == NULL ? "snapshot" : "requirements");
  }
  if ((opts->flags & ~(uint32_t)(REBAL_PLACE_FLAG_PREEMPTS | REBAL_PLACE_FLAG_GIVEN_ALONE)) != 0) {
    return rebali_fail(err, REBAL_EUNSUPPORTED, -1, "a reserved option is set");
  }
  if (n >= REBAL_NONE) {
    return rebali_fail(err, REBAL_ELIMIT, -1, "too many pods");
  }
  if (!rebali_snapshot_has(snapshot, cluster) || rebali_snapshot_nodes(snapshot, cluster) == NULL) {
    return rebali_fail(err, REBAL_ENOTFOUND, -1, "no nodes are known of the cluster with the id %lu",
                       (unsigned long)cluster);
  }
  for (size_t i = 0; i < n; i++) {
    if (requirements[i] != REBAL_NONE &&
        rebali_snapshot_record(snapshot, REBAL_OBJECT_REQUIREMENTS, requirements[i]) == NULL) {
      return rebali_fail(err, REBAL_EINVAL, (int64_t)i, "the snapshot has no requirements with handle %lu",
                         (unsigned long)requirements[i]);
    }
  }
  return REBAL_OK;
}

int32_t rebal_place_pods(rebal_ctx *ctx, rebal_snapshot *snapshot, uint32_t cluster, const uint32_t *requirements,
                         size_t n, const rebal_place_opts *opts, rebal_result *result, rebal_error *err) {
  struct seating seating = {.snapshot = snapshot, .n_pods = n};
  rebal_place_opts known;
  int32_t code = ctx == NULL || result == NULL
                     ? rebali_fail(err, REBAL_EINVAL, -1, "%s is NULL", ctx == NULL ? "ctx" : "result")
                     : rebali_options_load(&known, sizeof known, FIRST_OPTS_SIZE, opts, err);

  if (code == REBAL_OK) {
    code = check(snapshot, cluster, requirements, n, &known, err);
  }
  if (code == REBAL_OK) {
    code = rebali_answer_begin(ctx, snapshot, result, err);
  }
  if (code != REBAL_OK) {
    return code;
  }
  seating.arena = rebali_ctx_scratch(ctx);
  seating.opts = &known;
  seating.table = rebali_snapshot_nodes(snapshot, cluster);
  code = place_all(&seating, requirements, result) == REBAL_OK ? REBAL_OK : rebali_fail_memory(err);
  return rebali_answer_end(ctx, result, code);
}
