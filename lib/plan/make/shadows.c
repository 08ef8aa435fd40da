/* SPDX-License-Identifier: MIT */
/*
 * Computes how many more replicas would move if one limit were lifted (rebalance-plan(7) 4).
 *
 * Without the limit, the grant of a binding changes only if the limit counts for it, or if it shares a counter with an
 * earlier binding whose grant changed, and that counter cuts it now or did so before. Only such bindings are granted
 * again. One pass over all bindings records what the others use of each counter.
 */
#include "plan/make/grant.h"

#define BLOCK 64 /* uses of counters that are skipped at once */

/* How much a binding uses of one counter. */
struct use {
  size_t counter;
  size_t place;            /* in the order of counters, then rows */
  int64_t before, charged; /* used by earlier bindings, and by this one */
};

struct shadows {
  struct rebali_grant grant;
  const rebal_allocator *allocator;
  struct use *uses; /* by row */
  size_t n_uses;
  size_t uses_capacity;
  size_t *first;      /* by row: its uses, and the end */
  size_t *by_counter; /* by counter: its places, and the end */
  /* by place */
  uint32_t *rows;
  int64_t *slacks;      /* of the counter if the binding moved completely; below 0: it may be cut */
  int64_t *least_slack; /* of each block of places */
  /* while a limit is lifted */
  int64_t *shifts;  /* by counter: how much more is used than with the limit */
  uint64_t *queued; /* bits by row */
};

/* ---- what each binding uses -------------------------------------------------------------------------------------- */

static int32_t add_use(struct shadows *shadows, size_t counter) {
  const struct rebali_move_limits *limits = shadows->grant.call->limits;

  if (rebali_reserve(shadows->allocator, &shadows->uses, &shadows->uses_capacity, shadows->n_uses + 1,
                     sizeof *shadows->uses) != REBAL_OK) {
    return rebali_fail_memory(shadows->grant.call->err);
  }
  shadows->uses[shadows->n_uses++] = (struct use){.counter = counter, .before = limits->used[counter]};
  return REBAL_OK;
}

/* Adds the counters of an active limit that some pair of the row charges. */
static int32_t add_uses_of(struct shadows *shadows, const struct rebali_plan_row *row,
                           const struct rebali_active_limit *active) {
  const struct rebali_plan_call *call = shadows->grant.call;
  size_t last = REBALI_LIMIT_NONE;
  int32_t code = REBAL_OK;

  for (size_t i = 0; i < row->n_cells && code == REBAL_OK; i++) {
    const struct rebali_plan_cell *cell = &call->plan->cells[row->first_cell + i];
    const int is_side = active->is_source ? cell->present > cell->wanted : cell->wanted > cell->present;
    const size_t counter = is_side ? rebali_active_counter(call->limits, active, cell->cluster, cell->cluster) : last;

    if (counter != last && counter != REBALI_LIMIT_NONE) {
      code = add_use(shadows, counter);
      last = counter;
    }
  }
  return code;
}

static int32_t use_row(struct shadows *shadows, size_t index) {
  struct rebali_plan_call *call = shadows->grant.call;
  const struct rebali_plan_row *row = &call->plan->rows[index];
  int32_t code = REBAL_OK;

  shadows->first[index] = shadows->n_uses;
  if (row->drift == 0) {
    return REBAL_OK;
  }
  rebali_limits_match(call, index);
  for (size_t i = 0; i < call->limits->n_active && code == REBAL_OK; i++) {
    code = add_uses_of(shadows, row, &call->limits->active[i]);
  }
  code = code == REBAL_OK ? rebali_grant_row(&shadows->grant, index) : code;
  for (size_t i = shadows->first[index]; i < shadows->n_uses && code == REBAL_OK; i++) {
    shadows->uses[i].charged = call->limits->used[shadows->uses[i].counter] - shadows->uses[i].before;
  }
  return code;
}

static int32_t use_all(struct shadows *shadows) {
  const struct rebali_plan_call *call = shadows->grant.call;
  int32_t code = REBAL_OK;

  rebali_limits_reset(call->limits);
  for (size_t row = 0; row < call->plan->n_rows && code == REBAL_OK; row++) {
    code = use_row(shadows, row);
  }
  shadows->first[call->plan->n_rows] = shadows->n_uses;
  return code;
}

/* ---- by counter -------------------------------------------------------------------------------------------------- */

static int32_t allocate(struct shadows *shadows) {
  struct rebali_plan_call *call = shadows->grant.call;
  struct rebali_arena *arena = &call->arena;
  const size_t n_counters = call->limits->n_counters;
  const size_t n_rows = call->plan->n_rows;

  shadows->first = rebali_arena_allocate(arena, n_rows + 1, sizeof *shadows->first);
  shadows->by_counter = rebali_arena_allocate_zero(arena, n_counters + 2, sizeof *shadows->by_counter);
  shadows->shifts = rebali_arena_allocate_zero(arena, n_counters, sizeof *shadows->shifts);
  shadows->queued = rebali_arena_allocate_zero(arena, REBALI_BITSET_WORDS(n_rows), sizeof *shadows->queued);
  return shadows->first == NULL || shadows->by_counter == NULL || shadows->shifts == NULL || shadows->queued == NULL
             ? rebali_fail_memory(call->err)
             : REBAL_OK;
}

/* Counting sort; keeps the order of rows. */
static int32_t sort_by_counter(struct shadows *shadows) {
  struct rebali_plan_call *call = shadows->grant.call;
  size_t *next = shadows->by_counter + 1;

  shadows->rows = rebali_arena_allocate(&call->arena, shadows->n_uses, sizeof *shadows->rows);
  shadows->slacks = rebali_arena_allocate(&call->arena, shadows->n_uses, sizeof *shadows->slacks);
  shadows->least_slack = rebali_arena_allocate(&call->arena, shadows->n_uses / BLOCK + 1, sizeof(int64_t));
  if (shadows->rows == NULL || shadows->slacks == NULL || shadows->least_slack == NULL) {
    return rebali_fail_memory(call->err);
  }
  for (size_t i = 0; i < shadows->n_uses; i++) {
    next[shadows->uses[i].counter + 1]++;
  }
  for (size_t c = 0; c < call->limits->n_counters; c++) {
    next[c + 1] += next[c];
  }
  for (size_t row = 0; row < call->plan->n_rows; row++) {
    for (size_t i = shadows->first[row]; i < shadows->first[row + 1]; i++) {
      struct use *use = &shadows->uses[i];

      use->place = next[use->counter]++;
      shadows->rows[use->place] = (uint32_t)row; /* rows of bindings have 32-bit ids */
      shadows->slacks[use->place] = call->limits->allowed[use->counter] - use->before - call->plan->rows[row].drift;
    }
  }
  for (size_t place = 0; place < shadows->n_uses; place++) {
    int64_t *least = &shadows->least_slack[place / BLOCK];

    *least = place % BLOCK == 0 || shadows->slacks[place] < *least ? shadows->slacks[place] : *least;
  }
  return REBAL_OK;
}

/* ---- one limit lifted -------------------------------------------------------------------------------------------- */

/* Queues the next binding that the counter cut, or may cut when this much more of it is used. */
static void queue_next(struct shadows *shadows, const struct use *use) {
  const size_t end = shadows->by_counter[use->counter + 1];
  const int64_t shift = shadows->shifts[use->counter];
  const int64_t needed = shift > 0 ? shift : 0;
  size_t place = use->place + 1;

  while (place < end && shadows->slacks[place] >= needed) {
    place += place % BLOCK == 0 && shadows->least_slack[place / BLOCK] >= needed ? BLOCK : 1;
  }
  if (shift != 0 && place < end) {
    rebali_bit_set(shadows->queued, shadows->rows[place], 1);
  }
}

static int32_t grant_again(struct shadows *shadows, size_t row, int64_t *more) {
  int64_t *used = shadows->grant.call->limits->used;
  const size_t first = shadows->first[row];
  const size_t end = shadows->first[row + 1];
  int32_t code;

  for (size_t i = first; i < end; i++) {
    used[shadows->uses[i].counter] = shadows->uses[i].before + shadows->shifts[shadows->uses[i].counter];
  }
  code = rebali_grant_row(&shadows->grant, row);
  *more += shadows->grant.granted - shadows->grant.row->granted;
  for (size_t i = first; i < end; i++) {
    const struct use *use = &shadows->uses[i];

    shadows->shifts[use->counter] = used[use->counter] - use->before - use->charged;
    queue_next(shadows, use);
  }
  return code;
}

/* Grants the queued bindings, which may queue later ones. Bits stay set. */
static int32_t grant_queued(struct shadows *shadows, int64_t *more) {
  const size_t n_words = REBALI_BITSET_WORDS(shadows->grant.call->plan->n_rows);
  int32_t code = REBAL_OK;

  for (size_t word = 0; word < n_words; word++) {
    uint64_t later = UINT64_MAX;

    while (code == REBAL_OK && (shadows->queued[word] & later) != 0) {
      const size_t bit = rebali_bit_lowest(shadows->queued[word] & later);

      code = grant_again(shadows, word * 64 + bit, more);
      later = bit == 63 ? 0 : UINT64_MAX << (bit + 1);
    }
  }
  return code;
}

static void forget(struct shadows *shadows) {
  const size_t n_words = REBALI_BITSET_WORDS(shadows->grant.call->plan->n_rows);

  for (size_t word = 0; word < n_words; word++) {
    for (; shadows->queued[word] != 0; shadows->queued[word] &= shadows->queued[word] - 1) {
      const size_t row = word * 64 + rebali_bit_lowest(shadows->queued[word]);

      for (size_t i = shadows->first[row]; i < shadows->first[row + 1]; i++) {
        shadows->shifts[shadows->uses[i].counter] = 0;
      }
    }
  }
}

static int32_t shadow_of(struct shadows *shadows, size_t index, int64_t *more) {
  const struct rebali_move_limit *limit = &shadows->grant.call->limits->items[index];
  const size_t end = shadows->by_counter[limit->first + limit->n_counters];
  int32_t code;

  for (size_t place = shadows->by_counter[limit->first]; place < end; place++) {
    rebali_bit_set(shadows->queued, shadows->rows[place], 1);
  }
  shadows->grant.endless = index;
  code = grant_queued(shadows, more);
  forget(shadows);
  return code;
}

int32_t rebali_plan_shadows(struct rebali_plan_call *call, int64_t *shadow_of_limit) {
  struct shadows shadows = {.grant = {.call = call, .endless = REBALI_LIMIT_NONE}, .allocator = call->allocator};
  int32_t code = allocate(&shadows);

  call->plan->n_moves = 0;
  code = code == REBAL_OK ? use_all(&shadows) : code;
  code = code == REBAL_OK ? sort_by_counter(&shadows) : code;
  for (size_t i = 0; i < call->limits->n && code == REBAL_OK; i++) {
    code = call->limits->items[i].cuts ? shadow_of(&shadows, i, &shadow_of_limit[i]) : REBAL_OK;
  }
  rebali_release(call->allocator, shadows.uses);
  return code;
}
