/* SPDX-License-Identifier: MIT */
/* Division by weight: over clusters within a pass, and the public call over named parties. */
#include "scheduler/scheduler.h"

#include <stddef.h>

struct ranked {
  uint32_t rank;
  size_t index;
};

static int compare_ranked(const void *left, const void *right, const void *context) {
  const struct ranked *a = left;
  const struct ranked *b = right;

  (void)context;
  if (a->rank != b->rank) {
    return a->rank < b->rank ? -1 : 1;
  }
  return a->index < b->index ? -1 : a->index > b->index;
}

int32_t rebali_divide_clusters(struct rebali_pass *pass, int32_t seats, const struct rebali_weight *weights, size_t n,
                               struct rebali_target *out, size_t *n_out) {
  struct rebali_arena *scratch = rebali_ctx_scratch(pass->ctx);
  struct ranked *order = rebali_arena_allocate(scratch, n + 1, 2 * sizeof *order); /* the second half is for sorting */
  struct rebali_party *parties = rebali_arena_allocate(scratch, n + 1, sizeof *parties);
  uint32_t *heap = rebali_arena_allocate(scratch, n + 1, sizeof *heap);
  size_t n_parties = 0;

  *n_out = 0;
  if (order == NULL || parties == NULL || heap == NULL) {
    return rebali_fail_memory(pass->err);
  }
  if (seats > REBALI_MAX_SEATS) {
    return rebali_pass_refuse(pass, REBAL_OUTCOME_SCHEDULER_ERROR,
                              "failed to assign replicas: %d replicas, but at most %d are divided", (int)seats,
                              REBALI_MAX_SEATS);
  }
  for (size_t i = 0; i < n; i++) {
    order[i] = (struct ranked){rebali_snapshot_rank(pass->snapshot, weights[i].cluster), i};
  }
  rebali_sort(order, n, sizeof *order, order + n, compare_ranked, NULL);
  for (size_t i = 0; i < n; i++) {
    const struct rebali_weight *weight = &weights[order[i].index];

    if (n_parties > 0 && parties[n_parties - 1].rank == order[i].rank) {
      parties[n_parties - 1].votes = weight->weight;
      continue;
    }
    out[n_parties].cluster = weight->cluster;
    parties[n_parties++] = (struct rebali_party){order[i].rank, 0, weight->weight};
  }
  if (rebali_webster(parties, n_parties, seats, rebali_uid_descends(pass->uid), heap) != 0) {
    return REBAL_OK; /* no weight at all: nothing was handed out, nobody is named */
  }
  for (size_t i = 0; i < n_parties; i++) {
    out[i].replicas = parties[i].seats;
  }
  *n_out = n_parties;
  return REBAL_OK;
}

/*
 * ---- the public call
 * ----------------------------------------------------------------------------------------------------
 */

struct division {
  const char *names;
  const uint32_t *offsets;
  const int64_t *weights;
  const int32_t *before;
  size_t n;
};

static struct rebali_text name_of(const struct division *division, size_t index) {
  return rebali_text(division->names + division->offsets[index],
                     division->offsets[index + 1] - division->offsets[index]);
}

static int compare_names(const void *left, const void *right, const void *context) {
  const struct division *division = context;
  const size_t a = *(const size_t *)left;
  const size_t b = *(const size_t *)right;
  const int order = rebali_text_compare(name_of(division, a), name_of(division, b));

  return order != 0 ? order : (a < b ? -1 : a > b);
}

static int32_t check_division(const struct division *division, int32_t replicas, struct rebali_text uid,
                              const rebal_result *result, const int32_t *left, rebal_error *err) {
  if (result == NULL || left == NULL || (uid.bytes == NULL && uid.len != 0) ||
      (division->n > 0 && (division->names == NULL || division->offsets == NULL || division->weights == NULL))) {
    return rebali_fail(err, REBAL_EINVAL, -1, "an argument is NULL");
  }
  if (division->n >= UINT32_MAX || replicas > REBALI_MAX_SEATS) {
    return rebali_fail(err, REBAL_ELIMIT, -1, "%d replicas, but at most %d are divided", (int)replicas,
                       REBALI_MAX_SEATS);
  }
  for (size_t i = 0; i < division->n; i++) {
    if (division->offsets[i] > division->offsets[i + 1]) {
      return rebali_fail(err, REBAL_EINVAL, (int64_t)i, "offsets go backward");
    }
  }
  return REBAL_OK;
}

/* Parties by name, each name once with its last weight. */
struct party_list {
  struct rebali_party *parties;
  size_t *first_index; /* where the party stands in the input */
  uint8_t *had_seats;  /* it was in the earlier assignment */
  size_t n;
  int64_t sum; /* of weights, wrapping */
  int any_had_seats;
};

static void make_parties(const struct division *division, const size_t *order, struct party_list *list) {
  size_t n = 0;

  for (size_t i = 0; i < division->n; i++) {
    const size_t index = order[i];

    if (n == 0 || !rebali_text_equal(name_of(division, list->first_index[n - 1]), name_of(division, index))) {
      list->first_index[n] = index;
      list->parties[n] = (struct rebali_party){(uint32_t)n, 0, 0};
      n++;
    }
    list->parties[n - 1].votes = division->weights[index];
    if (division->before != NULL && division->before[index] != INT32_MIN) {
      list->parties[n - 1].seats = division->before[index];
      list->had_seats[n - 1] = 1;
      list->any_had_seats = 1;
    }
  }
  for (size_t i = 0; i < n; i++) {
    list->sum = rebali_add_wrapping64(list->sum, list->parties[i].votes);
  }
  list->n = n;
}

static int32_t write_shares(struct rebali_table *table, const struct party_list *list, int only_earlier) {
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

static int32_t divide(rebal_ctx *ctx, const struct division *division, int32_t replicas, struct rebali_text uid,
                      rebal_result *result, int32_t *left, rebal_error *err) {
  struct rebali_arena *scratch = rebali_ctx_scratch(ctx);
  size_t *order =
      rebali_arena_allocate(scratch, division->n + 1, 2 * sizeof *order); /* the second half is for sorting */
  uint32_t *heap = rebali_arena_allocate(scratch, division->n + 1, sizeof *heap);
  struct party_list list = {NULL, NULL, NULL, 0, 0, 0};
  int32_t unused;

  list.parties = rebali_arena_allocate(scratch, division->n + 1, sizeof *list.parties);
  list.first_index = rebali_arena_allocate(scratch, division->n + 1, sizeof *list.first_index);
  list.had_seats = rebali_arena_allocate_zero(scratch, division->n + 1, sizeof *list.had_seats);
  if (order == NULL || heap == NULL || list.parties == NULL || list.first_index == NULL || list.had_seats == NULL) {
    return rebali_fail_memory(err);
  }
  for (size_t i = 0; i < division->n; i++) {
    order[i] = i;
  }
  rebali_sort(order, division->n, sizeof *order, order + division->n, compare_names, division);
  make_parties(division, order, &list);
  unused = rebali_webster(list.parties, list.n, replicas, rebali_uid_descends(uid), heap);
  /* Without weight, or without seats beside an earlier assignment, the answer is that assignment as it was. */
  if (write_shares(rebali_result_table(result, REBAL_TABLE_SHARE), &list,
                   list.sum == 0 || (replicas == 0 && list.any_had_seats)) != REBAL_OK) {
    rebal_result_reset(result);
    return rebali_fail_memory(err);
  }
  *left = unused;
  return REBAL_OK;
}

int32_t rebal_divide(rebal_ctx *ctx, int32_t replicas, const char *names, const uint32_t *offsets,
                     const int64_t *weights, const int32_t *before, size_t n, const char *uid, size_t uid_len,
                     rebal_result *result, int32_t *left, rebal_error *err) {
  const struct division division = {names, offsets, weights, before, n};
  const struct rebali_text uid_text = rebali_text(uid, uid_len);
  int32_t code = check_division(&division, replicas, uid_text, result, left, err);

  if (code == REBAL_OK) {
    code = rebali_result_begin(result, err);
  }
  if (code == REBAL_OK) {
    code = rebali_ctx_begin(ctx, err);
  }
  if (code == REBAL_OK) {
    code = divide(ctx, &division, replicas, uid_text, result, left, err);
    rebali_ctx_end(ctx);
  }
  return code;
}
