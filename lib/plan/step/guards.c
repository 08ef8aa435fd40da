/* SPDX-License-Identifier: MIT */
/*
 * PodDisruptionBudgets while a plan is carried out (rebalance-plan(7) 4, 5): a wave removes in a cluster at most what
 * they allow there now. Replicas count as healthy if they are ready for sure. A workload whose pod labels are not known
 * may be in any budget of its namespace.
 */
#include "plan/step/step.h"

/* What one counter of a budget allows. */
struct rebali_wave_guard {
  struct rebali_budget_tally tally;
  int64_t allowed, used; /* used: by this wave so far */
  int64_t left_ns;       /* until replicas on their way there are late; 0: none are */
};

/* ---- allowed evictions ------------------------------------------------------------------------------------------- */

static int32_t allocate(struct rebali_wave_call *call) {
  struct rebali_wave_guards *guards = &call->guards;
  const size_t n = guards->budgets.n;

  guards->by_budget = rebali_arena_allocate(call->arena, n, sizeof *guards->by_budget);
  for (size_t i = 0; i < n && guards->by_budget != NULL; i++) {
    guards->by_budget[i] =
        rebali_arena_allocate_zero(call->arena, guards->budgets.items[i].n_counters, sizeof **guards->by_budget);
    if (guards->by_budget[i] == NULL) {
      return REBAL_ENOMEM;
    }
  }
  return guards->by_budget == NULL ? REBAL_ENOMEM : REBAL_OK;
}

/* Returns the guard of an active budget in a cluster, or NULL if the budget does not count there. */
static struct rebali_wave_guard *guard_of(const struct rebali_wave_call *call, size_t budget,
                                          const struct rebali_wave_cell *cell) {
  const struct rebali_budget_list *budgets = &call->guards.budgets;
  const size_t counter = rebali_budget_counter(budgets, &budgets->items[budget], cell->cluster, cell->is_lost);

  return counter == REBALI_BUDGET_NONE ? NULL : &call->guards.by_budget[budget][counter];
}

static void count_cell(const struct rebali_wave_call *call, struct rebali_wave_guard *guard,
                       const struct rebali_wave_cell *cell) {
  const int32_t assigned = cell->kept > cell->present ? cell->kept : cell->present;
  int64_t left_ns;

  guard->tally.expected += cell->is_lost ? cell->raw : assigned;
  guard->tally.healthy += (int64_t)cell->ready + cell->kept_ready;
  if (rebali_wave_is_under_way(call, cell, &left_ns) && (guard->left_ns == 0 || left_ns < guard->left_ns)) {
    guard->left_ns = left_ns;
  }
}

static void count_row(struct rebali_wave_call *call, const struct rebali_wave_row *row) {
  if (row->n_cells == 0) {
    return; /* the row may have no binding */
  }
  rebali_wave_guards_match(call, row);
  for (size_t i = 0; call->guards.budgets.is_known && i < call->guards.budgets.index.n_found; i++) {
    for (size_t c = 0; c < row->n_cells; c++) {
      struct rebali_wave_guard *guard = guard_of(call, call->guards.budgets.index.found[i], &row->cells[c]);

      if (guard != NULL) {
        count_cell(call, guard, &row->cells[c]);
      }
    }
  }
}

int32_t rebali_wave_guards_read(struct rebali_wave_call *call) {
  struct rebali_budget_list *budgets = &call->guards.budgets;

  budgets->is_over_clusters = (call->opts.flags & REBAL_PLAN_STEP_FLAG_BUDGETS_OVER_CLUSTERS) != 0;
  return rebali_budgets_read(budgets, call->arena, call->every.snapshot, call->opts.budgets, call->opts.n_budgets,
                             call->every.err);
}

int32_t rebali_wave_guards_allow(struct rebali_wave_call *call) {
  struct rebali_wave_guards *guards = &call->guards;

  if (guards->budgets.n == 0) {
    return REBAL_OK;
  }
  if (allocate(call) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < call->n_rows; i++) {
    count_row(call, &call->rows[i]);
  }
  for (size_t i = 0; i < call->n_others; i++) {
    count_row(call, &call->others[i]);
  }
  for (size_t i = 0; i < guards->budgets.n; i++) {
    for (size_t c = 0; c < guards->budgets.items[i].n_counters; c++) {
      struct rebali_wave_guard *guard = &guards->by_budget[i][c];

      guard->allowed = rebali_budget_allows(&guards->budgets.items[i], &guard->tally);
    }
  }
  return REBAL_OK;
}

/* ---- one binding ------------------------------------------------------------------------------------------------- */

void rebali_wave_guards_match(struct rebali_wave_call *call, const struct rebali_wave_row *row) {
  rebali_budgets_select(&call->guards.budgets, call->every.snapshot, call->every.bindings, row->binding);
}

int64_t rebali_wave_guards_left(const struct rebali_wave_call *call, const struct rebali_wave_cell *cell) {
  int64_t left = INT64_MAX;
  size_t n = 0;

  for (size_t i = 0; i < call->guards.budgets.index.n_found; i++) {
    const struct rebali_wave_guard *guard = guard_of(call, call->guards.budgets.index.found[i], cell);

    if (guard != NULL) {
      left = guard->allowed - guard->used < left ? guard->allowed - guard->used : left;
      n++;
    }
  }
  return left < 0 || (n > 1 && call->guards.budgets.is_known) ? 0 : left; /* no pod may go that two budgets select */
}

void rebali_wave_guards_charge(const struct rebali_wave_call *call, const struct rebali_wave_cell *cell,
                               int64_t replicas) {
  for (size_t i = 0; i < call->guards.budgets.index.n_found; i++) {
    struct rebali_wave_guard *guard = guard_of(call, call->guards.budgets.index.found[i], cell);

    if (guard != NULL) {
      guard->used += replicas;
    }
  }
}

/*
 * Returns the replicas that dropping the tasks removes: those above z after the write, or without is_charged above y.
 */
static int64_t taken_of(const struct rebali_wave_cell *cell, int is_charged) {
  const int32_t there = cell->kept > cell->present ? cell->kept : cell->present;
  const int32_t next = is_charged ? cell->next : cell->to;

  return !cell->is_lost && there > next ? there - next : 0;
}

int rebali_wave_guards_permit(const struct rebali_wave_call *call, struct rebali_wave_row *row, int is_charged) {
  int is_permitted = 1;

  for (size_t i = 0; i < row->n_cells; i++) {
    struct rebali_wave_cell *cell = &row->cells[i];
    const int64_t taken = taken_of(cell, is_charged);
    const int is_guarded = rebali_wave_guards_left(call, cell) < taken;

    cell->is_guarded = (uint8_t)(is_guarded && is_charged);
    is_permitted &= !is_guarded;
    rebali_wave_guards_charge(call, cell, taken);
  }
  for (size_t i = 0; i < row->n_cells && !(is_permitted && is_charged); i++) {
    rebali_wave_guards_charge(call, &row->cells[i], -taken_of(&row->cells[i], is_charged));
  }
  return is_permitted;
}

int rebali_wave_guards_wait(const struct rebali_wave_call *call, const struct rebali_wave_row *row, int64_t *left_ns) {
  int waits = 0;

  *left_ns = REBAL_ABSENT;
  for (size_t c = 0; c < row->n_cells; c++) {
    for (size_t i = 0; row->cells[c].is_guarded && i < call->guards.budgets.index.n_found; i++) {
      const struct rebali_wave_guard *guard = guard_of(call, call->guards.budgets.index.found[i], &row->cells[c]);

      if (guard != NULL && guard->left_ns > 0 && (*left_ns == REBAL_ABSENT || guard->left_ns < *left_ns)) {
        *left_ns = guard->left_ns;
      }
      waits |= guard != NULL && (guard->left_ns > 0 || guard->used > 0);
    }
  }
  return waits;
}
