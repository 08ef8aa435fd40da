/* SPDX-License-Identifier: MIT */
/* Division by weight: over clusters within a pass, and the public call over named parties. */
#include "scheduler/scheduler.h"

/* Parties of a division over clusters, each cluster once, looked up by the order of names. */
struct parties {
  struct rebali_party *list;
  int32_t *limits;
  uint32_t *by_rank; /* index of the party, valid only where present has a bit */
  uint64_t *present; /* by rank */
  size_t words;
  size_t n;
};

static int32_t allocate_parties(struct rebali_pass *pass, size_t n, struct parties *parties) {
  struct rebali_arena *scratch = rebali_ctx_scratch(pass->ctx);
  const size_t rows = rebali_snapshot_rows(pass->snapshot);

  parties->words = REBALI_BITSET_WORDS(rows);
  parties->n = 0;
  parties->list = rebali_arena_allocate(scratch, n + 1, sizeof *parties->list);
  parties->limits = rebali_arena_allocate(scratch, n + 1, sizeof *parties->limits);
  parties->by_rank = rebali_arena_allocate(scratch, rows + 1, sizeof *parties->by_rank);
  parties->present = rebali_arena_allocate_zero(scratch, parties->words, sizeof *parties->present);
  return parties->list == NULL || parties->limits == NULL || parties->by_rank == NULL || parties->present == NULL
             ? rebali_fail_memory(pass->err)
             : REBAL_OK;
}

/* Lists the parties. is_limited: whether any party has a limit. */
static void list_parties(const struct rebali_pass *pass, const struct rebali_weight *weights, size_t n,
                         struct parties *parties, int *is_limited) {
  *is_limited = 0;
  for (size_t i = 0; i < n; i++) {
    const uint32_t rank = rebali_snapshot_rank(pass->snapshot, weights[i].cluster);

    if (rebali_bit_get(parties->present, rank)) {
      parties->list[parties->by_rank[rank]].votes = weights[i].weight;
      continue;
    }
    rebali_bit_set(parties->present, rank, 1);
    parties->by_rank[rank] = (uint32_t)parties->n; /* fewer than 2^32 clusters */
    parties->limits[parties->n] = weights[i].limit;
    *is_limited |= weights[i].limit != INT32_MAX;
    parties->list[parties->n++] = (struct rebali_party){rank, 0, weights[i].weight};
  }
}

static void write_parties(const struct rebali_pass *pass, const struct parties *parties, struct rebali_target *out) {
  const uint32_t *clusters = rebali_snapshot_by_rank(pass->snapshot);

  for (size_t word = 0; word < parties->words; word++) {
    for (uint64_t bits = parties->present[word]; bits != 0; bits &= bits - 1) {
      const size_t rank = word * 64 + rebali_bit_lowest(bits);

      *out++ = (struct rebali_target){clusters[rank], parties->list[parties->by_rank[rank]].seats};
    }
  }
}

int32_t rebali_divide_clusters(struct rebali_pass *pass, int32_t seats, const struct rebali_weight *weights, size_t n,
                               struct rebali_target *out, size_t *n_out) {
  uint32_t *heap = rebali_arena_allocate(rebali_ctx_scratch(pass->ctx), n + 1, sizeof *heap);
  struct parties parties;
  int is_limited;
  int32_t code;

  *n_out = 0;
  if (seats > REBALI_MAX_SEATS) {
    pass->message.len = 0; /* of an answer accepted in part */
    return rebali_pass_refuse(pass, REBAL_OUTCOME_SCHEDULER_ERROR,
                              "failed to assign replicas: %d replicas, but at most %d are divided", (int)seats,
                              REBALI_MAX_SEATS);
  }
  code = heap == NULL ? rebali_fail_memory(pass->err) : allocate_parties(pass, n, &parties);
  if (code != REBAL_OK) {
    return code;
  }
  list_parties(pass, weights, n, &parties, &is_limited);
  if (rebali_webster(parties.list, is_limited ? parties.limits : NULL, parties.n, seats, rebali_uid_descends(pass->uid),
                     heap) == 0) {
    write_parties(pass, &parties, out);
    *n_out = parties.n;
    if (pass->explain != NULL) {
      return rebali_note_division(pass, parties.list, is_limited ? parties.limits : NULL, parties.n);
    }
  }
  return REBAL_OK; /* without any weight no seat was handed out and no cluster is named */
}

/* ---- the public call --------------------------------------------------------------------------------------------- */

static struct rebali_text name_of(const struct rebali_division *division, size_t index) {
  const rebal_parties *parties = &division->parties;

  return rebali_text(parties->names + parties->offsets[index], parties->offsets[index + 1] - parties->offsets[index]);
}

/* Parties of one name stay in order. */
static int compare_names(const void *left, const void *right, const void *context) {
  const struct rebali_division *division = context;

  return rebali_text_compare(name_of(division, *(const size_t *)left), name_of(division, *(const size_t *)right));
}

static int32_t check_parties(const rebal_parties *parties, rebal_error *err) {
  if (parties->n > 0 && (parties->names == NULL || parties->offsets == NULL || parties->weights == NULL)) {
    return rebali_fail(err, REBAL_EINVAL, -1, "an array of the parties is NULL");
  }
  if (parties->n >= UINT32_MAX) {
    return rebali_fail(err, REBAL_ELIMIT, -1, "too many parties");
  }
  for (size_t i = 0; i < parties->n; i++) {
    if (parties->offsets[i] > parties->offsets[i + 1]) {
      return rebali_fail(err, REBAL_EINVAL, (int64_t)i, "offsets go backward");
    }
  }
  return REBAL_OK;
}

static int32_t check_options(const struct rebali_division *division, rebal_error *err) {
  if ((division->opts.flags & ~(uint32_t)REBAL_DIVIDE_FLAG_KEEP_CURRENT) != 0 || division->parties.reserved0 != 0) {
    return rebali_fail(err, REBAL_EUNSUPPORTED, -1, "a reserved option is set");
  }
  if (division->is_bounded && division->opts.before != NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "before and bounds are both set: with bounds, current has the seats");
  }
  if (division->is_bounded && division->seats < 0) {
    return rebali_fail(err, REBAL_ERANGE, -1, "a negative number of replicas");
  }
  if (division->seats > REBALI_MAX_SEATS) {
    return rebali_fail(err, REBAL_ELIMIT, -1, "%d replicas, but at most %d are divided", (int)division->seats,
                       REBALI_MAX_SEATS);
  }
  return REBAL_OK;
}

static int32_t load_division(const rebal_parties *parties, const rebal_divide_opts *opts,
                             struct rebali_division *division, rebal_error *err) {
  const rebal_divide_opts *known = &division->opts;
  int32_t code = parties == NULL ? rebali_fail(err, REBAL_EINVAL, -1, "parties is NULL")
                                 : rebali_options_load(&division->parties, sizeof division->parties,
                                                       sizeof(rebal_parties), parties, err);

  if (code == REBAL_OK) {
    code = rebali_options_load(&division->opts, sizeof division->opts, sizeof(rebal_divide_opts), opts, err);
  }
  if (code == REBAL_OK) {
    division->is_bounded = known->minimums != NULL || known->maximums != NULL || known->capacities != NULL ||
                           known->current != NULL || (known->flags & REBAL_DIVIDE_FLAG_KEEP_CURRENT) != 0;
    code = check_options(division, err);
  }
  if (code == REBAL_OK) {
    code = check_parties(&division->parties, err);
  }
  return code == REBAL_OK
             ? rebali_text_take(division->parties.uid, division->parties.uid_len, "uid", &division->uid, err)
             : code;
}

static int32_t allocate_list(struct rebali_arena *scratch, size_t n, struct rebali_party_list *list) {
  memset(list, 0, sizeof *list);
  list->parties = rebali_arena_allocate(scratch, n + 1, sizeof *list->parties);
  list->first_index = rebali_arena_allocate(scratch, n + 1, sizeof *list->first_index);
  list->last_index = rebali_arena_allocate(scratch, n + 1, sizeof *list->last_index);
  list->had_seats = rebali_arena_allocate_zero(scratch, n + 1, sizeof *list->had_seats);
  list->heap = rebali_arena_allocate(scratch, n + 1, sizeof *list->heap);
  return list->parties == NULL || list->first_index == NULL || list->last_index == NULL || list->had_seats == NULL ||
                 list->heap == NULL
             ? REBAL_ENOMEM
             : REBAL_OK;
}

/* order: the indexes, sorted by name. */
static void make_parties(const struct rebali_division *division, const size_t *order, struct rebali_party_list *list) {
  const int32_t *before = division->opts.before;
  size_t n = 0;

  for (size_t i = 0; i < division->parties.n; i++) {
    const size_t index = order[i];

    if (n == 0 || !rebali_text_equal(name_of(division, list->first_index[n - 1]), name_of(division, index))) {
      list->first_index[n] = index;
      list->parties[n] = (struct rebali_party){(uint32_t)n, 0, 0};
      n++;
    }
    list->last_index[n - 1] = index;
    list->parties[n - 1].votes = division->parties.weights[index];
    if (before != NULL && before[index] != INT32_MIN) {
      list->parties[n - 1].seats = before[index];
      list->had_seats[n - 1] = 1;
      list->any_had_seats = 1;
    }
  }
  for (size_t i = 0; i < n; i++) {
    list->sum = rebali_add_wrapping64(list->sum, list->parties[i].votes);
  }
  list->n = n;
}

static int32_t write_shares(struct rebali_table *table, const struct rebali_party_list *list, int only_earlier) {
  for (size_t i = 0; i < list->n; i++) {
    size_t row;

    if (only_earlier && !list->had_seats[i]) {
      continue;
    }
    if (rebali_table_add(table, 1, &row) != REBAL_OK ||
        rebali_table_set_i64(table, REBAL_SHARE_PARTY, row, (int64_t)list->first_index[i]) != REBAL_OK ||
        rebali_table_set_i64(table, REBAL_SHARE_REPLICAS, row, list->parties[i].seats) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
  }
  return REBAL_OK;
}

/*
 * Returns whether the answer is the earlier assignment, unchanged: without weights, or with earlier seats and none to
 * hand out.
 */
static int names_only_earlier(const struct rebali_division *division, const struct rebali_party_list *list) {
  return !division->is_bounded && (list->sum == 0 || (division->seats == 0 && list->any_had_seats));
}

static int32_t divide(rebal_ctx *ctx, const struct rebali_division *division, rebal_result *result, int32_t *left,
                      rebal_error *err) {
  struct rebali_arena *scratch = rebali_ctx_scratch(ctx);
  const size_t n = (size_t)division->parties.n;                             /* fewer than 2^32 */
  size_t *order = rebali_arena_allocate(scratch, n + 1, 2 * sizeof *order); /* second half: scratch for sorting */
  const int descending = rebali_uid_descends(division->uid);
  struct rebali_party_list list;
  int32_t unused = 0;
  int32_t code = allocate_list(scratch, n, &list);

  if (order == NULL || code != REBAL_OK) {
    return rebali_fail_memory(err);
  }
  for (size_t i = 0; i < n; i++) {
    order[i] = i;
  }
  rebali_sort(order, n, sizeof *order, order + n, compare_names, division);
  make_parties(division, order, &list);
  if (!division->is_bounded) {
    unused = rebali_webster(list.parties, NULL, list.n, division->seats, descending, list.heap);
  } else {
    code = rebali_divide_within(scratch, division, &list, descending, &unused);
  }
  if (code != REBAL_OK || write_shares(rebali_result_table(result, REBAL_TABLE_SHARE), &list,
                                       names_only_earlier(division, &list)) != REBAL_OK) {
    rebal_result_reset(result);
    return rebali_fail_memory(err);
  }
  *left = unused;
  return REBAL_OK;
}

int32_t rebal_divide(rebal_ctx *ctx, int32_t replicas, const rebal_parties *parties, const rebal_divide_opts *opts,
                     rebal_result *result, int32_t *left, rebal_error *err) {
  struct rebali_division division = {.seats = replicas};
  int32_t code = load_division(parties, opts, &division, err);

  if (code == REBAL_OK && left == NULL) {
    code = rebali_fail(err, REBAL_EINVAL, -1, "left is NULL");
  }
  if (code == REBAL_OK) {
    code = rebali_result_begin(result, err);
  }
  if (code == REBAL_OK) {
    code = rebali_ctx_begin(ctx, err);
  }
  if (code == REBAL_OK) {
    code = divide(ctx, &division, result, left, err);
    rebali_ctx_end(ctx);
  }
  return code;
}
