/* SPDX-License-Identifier: MIT */
/* How much of each class of requirements fits into clusters, alone and together. */
#include "plan/make/least.h"

/* ---- classes and rows of capacity -------------------------------------------------------------------------------- */

/* Numbers the classes in the order of their first bindings. */
static int32_t number_classes(struct rebali_least *least) {
  const struct rebali_plan_call *call = least->call;
  const size_t n = (size_t)least->out->problem.n_bindings;
  struct rebali_intern *handles = NULL;
  int32_t code = rebali_intern_new(call->allocator, &handles);

  for (size_t i = 0; i < n && code == REBAL_OK; i++) {
    const uint32_t handle =
        (uint32_t)rebali_bindings_i64(call->bindings, REBAL_BINDING_REQUIREMENTS, least->out->rows[i]);

    code = rebali_intern_add(handles, &handle, sizeof handle, &least->classes[i]);
    if (code == REBAL_OK) {
      least->requirements[least->classes[i]] = handle;
    }
  }
  least->n_classes = code == REBAL_OK ? rebali_intern_count(handles) : 0;
  rebali_intern_free(handles);
  return code == REBAL_OK ? REBAL_OK : rebali_fail_memory(call->err);
}

/* Sorts bindings by class, stable within a class (counting sort). first has two cells more than classes. */
static void sort_by_class(const struct rebali_least *least, uint32_t *order, size_t *first) {
  const size_t n = (size_t)least->out->problem.n_bindings;

  for (size_t i = 0; i < n; i++) {
    first[least->classes[i] + 2]++;
  }
  for (size_t i = 2; i < (size_t)least->n_classes + 2; i++) {
    first[i] += first[i - 1];
  }
  for (size_t i = 0; i < n; i++) {
    order[first[least->classes[i] + 1]++] = (uint32_t)i;
  }
}

/* Marks the ranks of the clusters that occur in the pairs of a binding. */
static void mark_ranks(const struct rebali_least *least, size_t binding, uint64_t *ranks) {
  const uint64_t *offsets = least->out->problem.offsets;

  for (size_t pair = (size_t)offsets[binding]; pair < offsets[binding + 1]; pair++) {
    rebali_bit_set(ranks, least->clusters[pair], 1);
  }
}

static void add_pairs(struct rebali_least *least, size_t binding, const uint32_t *share_of_rank) {
  const uint64_t *offsets = least->out->problem.offsets;

  for (size_t pair = (size_t)offsets[binding]; pair < offsets[binding + 1]; pair++) {
    struct rebali_class_share *share;

    least->clusters[pair] = share_of_rank[least->clusters[pair]];
    share = &least->shares[least->clusters[pair]];
    share->present += least->present[pair];
    share->fresh += least->fresh[pair];
    share->minimum += least->minimums[pair];
  }
}

/* Lists the rows of capacity for the clusters of one class, by name. */
static void list_shares(struct rebali_least *least, uint32_t class_number, const uint64_t *ranks, size_t n_words,
                        uint32_t *share_of_rank) {
  const uint32_t *by_rank = rebali_snapshot_by_rank(least->call->snapshot);

  for (size_t word = 0; word < n_words; word++) {
    for (uint64_t left = ranks[word]; left != 0; left &= left - 1) {
      const size_t rank = word * 64 + rebali_bit_lowest(left);

      share_of_rank[rank] = (uint32_t)least->n_shares; /* at most as many as pairs, which are fewer than 2^32 */
      least->shares[least->n_shares++] =
          (struct rebali_class_share){.cluster = by_rank[rank], .class_number = class_number};
    }
  }
}

static int32_t make_shares(struct rebali_least *least) {
  struct rebali_arena *arena = &least->call->arena;
  const size_t n = (size_t)least->out->problem.n_bindings;
  const size_t n_ranks = rebali_snapshot_rows(least->call->snapshot);
  const size_t n_words = REBALI_BITSET_WORDS(n_ranks);
  uint32_t *order = rebali_arena_allocate(arena, n, sizeof *order);
  size_t *first = rebali_arena_allocate_zero(arena, (size_t)least->n_classes + 2, sizeof *first);
  uint64_t *ranks = rebali_arena_allocate(arena, n_words, sizeof *ranks);
  uint32_t *share_of_rank = rebali_arena_allocate(arena, n_ranks, sizeof *share_of_rank);
  size_t at = 0;

  if (order == NULL || first == NULL || ranks == NULL || share_of_rank == NULL) {
    return rebali_fail_memory(least->call->err);
  }
  sort_by_class(least, order, first);
  for (uint32_t class_number = 0; class_number < least->n_classes; class_number++) {
    const size_t start = at;

    memset(ranks, 0, n_words * sizeof *ranks);
    for (; at < first[class_number + 1]; at++) {
      mark_ranks(least, order[at], ranks);
    }
    list_shares(least, class_number, ranks, n_words, share_of_rank);
    for (size_t i = start; i < at; i++) {
      add_pairs(least, order[i], share_of_rank);
    }
  }
  return REBAL_OK;
}

/* ---- capacity of one class --------------------------------------------------------------------------------------- */

/* Estimates how many replicas of a class fit into each cluster beside what a ledger holds, by cluster id. */
static int32_t estimate(struct rebali_least *least, uint32_t class_number, const rebal_ledger *ledger) {
  struct rebali_plan_call *call = least->call;
  const rebal_estimate_opts opts = {
      .struct_size = (uint32_t)sizeof opts,
      .flags = (call->schedule.flags & REBAL_SCHEDULE_FLAG_NODES) != 0 ? REBAL_ESTIMATE_FLAG_NODES : 0,
      .compat = call->schedule.compat,
      .ledger = ledger};
  const int64_t *clusters, *fits;
  size_t n;
  int32_t code =
      rebal_estimate(call->ctx, call->snapshot, least->requirements[class_number], &opts, call->result, call->err);

  if (code != REBAL_OK) {
    return code;
  }
  memset(least->estimates, 0, rebali_snapshot_rows(call->snapshot) * sizeof *least->estimates);
  clusters = rebal_result_i64(call->result, REBAL_ESTIMATE_CLUSTER, &n);
  fits = rebal_result_i64(call->result, REBAL_ESTIMATE_REPLICAS, &n);
  for (size_t i = 0; i < n; i++) {
    least->estimates[clusters[i]] = fits[i] > 0 ? fits[i] : 0;
  }
  return REBAL_OK;
}

/* Returns the end of the rows of capacity of a class, which begin at first. */
static size_t shares_of(const struct rebali_least *least, size_t first, uint32_t class_number) {
  size_t end = first;

  while (end < least->n_shares && least->shares[end].class_number == class_number) {
    end++;
  }
  return end;
}

static int32_t fail_minimum(const struct rebali_least *least, const struct rebali_class_share *share,
                            int64_t capacity) {
  const struct rebali_text name = rebali_snapshot_name(least->call->snapshot, share->cluster);

  return rebali_fail(least->call->err, REBAL_ERANGE, share->cluster,
                     "the minimums of bindings in cluster %.*s are %lld replicas, but it has capacity for %lld",
                     (int)name.len, name.bytes, (long long)share->minimum, (long long)capacity);
}

/* The fresh placement always fits: the scheduler computed it from exact capacity, not from an estimate. */
static int32_t set_capacities(struct rebali_least *least) {
  size_t first = 0;
  int32_t code = REBAL_OK;

  for (uint32_t class_number = 0; class_number < least->n_classes && code == REBAL_OK; class_number++) {
    const size_t end = shares_of(least, first, class_number);

    code = estimate(least, class_number, least->call->opts.schedule->ledger);
    for (; first < end && code == REBAL_OK; first++) {
      const struct rebali_class_share *share = &least->shares[first];
      const int64_t capacity = share->present + least->estimates[share->cluster];

      least->capacities[first] = capacity > share->fresh ? capacity : share->fresh;
      code = share->minimum > least->capacities[first] ? fail_minimum(least, share, least->capacities[first]) : code;
    }
  }
  return code;
}

int32_t rebali_least_share(struct rebali_least *least) {
  struct rebali_plan_call *call = least->call;
  const size_t n_pairs = (size_t)least->out->problem.offsets[least->out->problem.n_bindings];
  const int is_shared =
      call->ledger != NULL && rebali_compat_value(call->schedule.compat, REBAL_OPTION_GATE_OVERCOMMIT_PROTECTION) != 0;
  int32_t code = number_classes(least);

  least->shares = rebali_arena_allocate(&call->arena, n_pairs, sizeof *least->shares);
  least->estimates =
      rebali_arena_allocate(&call->arena, rebali_snapshot_rows(call->snapshot), sizeof *least->estimates);
  if (code == REBAL_OK && (least->shares == NULL || least->estimates == NULL)) {
    code = rebali_fail_memory(call->err);
  }
  code = code == REBAL_OK ? make_shares(least) : code;
  if (code != REBAL_OK || !is_shared) {
    return code;
  }
  least->capacities = rebali_arena_allocate(&call->plan->arena, least->n_shares, sizeof *least->capacities);
  return least->capacities == NULL ? rebali_fail_memory(call->err) : set_capacities(least);
}

/* ---- all classes together ---------------------------------------------------------------------------------------- */

static int32_t charge(struct rebali_least *least, const struct rebali_class_share *share, int64_t replicas,
                      rebal_ledger *ledger) {
  static const char key[] = "/"; /* no binding has this key, because bindings have names */
  const int32_t count = replicas > INT32_MAX ? INT32_MAX : (int32_t)replicas;
  const uint32_t requirements = least->requirements[share->class_number];
  const rebal_charge held = {.struct_size = (uint32_t)sizeof held,
                             .cluster = share->cluster,
                             .requirements = &requirements,
                             .replicas = &count,
                             .n = 1};
  char numbered[sizeof key + sizeof requirements];

  memcpy(numbered, key, sizeof key);
  memcpy(numbered + sizeof key, &share->class_number, sizeof share->class_number);
  return rebal_ledger_charge(ledger, numbered, sizeof numbered, &held, least->call->err);
}

static int32_t lower_class(struct rebali_least *least, size_t first, size_t end, rebal_ledger *ledger,
                           int64_t *capacities, int *is_lowered) {
  int32_t code = estimate(least, least->shares[first].class_number, ledger);

  for (size_t i = first; i < end && code == REBAL_OK; i++) {
    const struct rebali_class_share *share = &least->shares[i];
    const int64_t fits = least->estimates[share->cluster];
    int64_t more = share->planned - share->present;

    if (more > fits && share->planned > share->minimum) { /* so its capacity is at least planned */
      capacities[i] = share->present + fits > share->minimum ? share->present + fits : share->minimum;
      *is_lowered = 1;
      more = fits;
    }
    code = more > 0 ? charge(least, share, more, ledger) : REBAL_OK;
  }
  return code;
}

int32_t rebali_least_lower(struct rebali_least *least, int64_t *capacities, int *is_lowered) {
  rebal_ledger *ledger;
  size_t end;
  int32_t code = rebal_ledger_fork(least->call->opts.schedule->ledger, &ledger, least->call->err);

  *is_lowered = 0;
  if (code != REBAL_OK) {
    return code;
  }
  for (size_t first = 0; first < least->n_shares && code == REBAL_OK; first = end) {
    end = shares_of(least, first, least->shares[first].class_number);
    code = lower_class(least, first, end, ledger, capacities, is_lowered);
  }
  rebal_ledger_free(ledger);
  return code;
}
