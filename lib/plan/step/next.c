/* SPDX-License-Identifier: MIT */
/* Computes the next write of one binding from the plan and from what is observed (rebalance-plan(7) 5). */
#include "plan/step/step.h"

static int64_t min_of(int64_t left, int64_t right) {
  return left < right ? left : right;
}

int rebali_wave_is_assigned(const struct rebali_wave_row *row) {
  for (size_t i = 0; i < row->n_cells; i++) {
    if (row->cells[i].present != row->cells[i].to) { /* both are 0 in a lost cluster */
      return 0;
    }
  }
  return 1;
}

int rebali_wave_is_done(const struct rebali_wave_row *row) {
  for (size_t i = 0; i < row->n_cells; i++) {
    const struct rebali_wave_cell *cell = &row->cells[i];

    if (!cell->is_lost && (cell->present != cell->to || cell->ready != cell->to)) {
      return 0;
    }
  }
  return 1;
}

/* Removes replicas in the order of names. While a cluster has ready replicas, each removed one counts as ready. */
void rebali_wave_remove(const struct rebali_wave_call *call, struct rebali_wave_row *row, int64_t most) {
  int64_t ready = row->ready - min_of(row->floor, row->ready);
  int64_t assigned = row->present > row->floor ? min_of(most, row->present - row->floor) : 0;

  for (size_t i = 0; i < row->n_cells; i++) {
    struct rebali_wave_cell *cell = &row->cells[i];
    const int64_t left = rebali_wave_guards_left(call, cell);
    int64_t removed = cell->is_known && cell->present > cell->to ? (int64_t)cell->present - cell->to : 0;

    removed = min_of(removed, assigned);
    removed = cell->ready > ready ? min_of(removed, ready) : removed;
    cell->is_guarded = removed > 0 && left == 0;
    removed = min_of(removed, left);
    rebali_wave_guards_charge(call, cell, removed);
    cell->next = (int32_t)(cell->present - removed);
    row->removed += removed;
    assigned -= removed;
    ready -= min_of(removed, cell->ready);
  }
}

void rebali_wave_add(struct rebali_wave_row *row, int64_t most) {
  int64_t left = most;

  for (size_t i = 0; left > 0 && i < row->n_cells; i++) {
    struct rebali_wave_cell *cell = &row->cells[i];
    const int64_t added = rebali_wave_needs(cell) ? min_of(cell->capacity, left) : 0;

    cell->next = (int32_t)(cell->next + added);
    row->added += added;
    left -= added;
  }
}

void rebali_wave_forget(const struct rebali_wave_call *call, struct rebali_wave_row *row) {
  for (size_t i = 0; i < row->n_cells; i++) {
    struct rebali_wave_cell *cell = &row->cells[i];

    rebali_wave_guards_charge(call, cell, cell->next < cell->present ? (int64_t)cell->next - cell->present : 0);
    cell->next = cell->present;
  }
  row->removed = row->added = 0;
}

/* A workload without replicas is done when its clusters are those of the plan. */
static int must_relist(const struct rebali_wave_row *row) {
  for (size_t i = 0; row->wanted == 0 && row->present == 0 && i < row->n_cells; i++) {
    if (!row->cells[i].is_lost && row->cells[i].is_listed != row->cells[i].is_aim) {
      return 1;
    }
  }
  return 0;
}

/* ---- why nothing can be written ---------------------------------------------------------------------------------- */

/* Returns the first cluster for which a predicate holds, or REBAL_NONE. */
static uint32_t find(const struct rebali_wave_row *row, int (*holds)(const struct rebali_wave_cell *cell)) {
  for (size_t i = 0; i < row->n_cells; i++) {
    if (!row->cells[i].is_lost && holds(&row->cells[i])) {
      return row->cells[i].cluster;
    }
  }
  return REBAL_NONE;
}

static int is_full(const struct rebali_wave_cell *cell) {
  return rebali_wave_needs(cell) && cell->capacity == 0;
}
static int has_capacity(const struct rebali_wave_cell *cell) {
  return rebali_wave_needs(cell) && cell->capacity > 0;
}
static int lacks_ready(const struct rebali_wave_cell *cell) {
  return cell->ready < cell->present;
}
static int is_too_many(const struct rebali_wave_cell *cell) {
  return cell->present > cell->to;
}
static int is_removable(const struct rebali_wave_cell *cell) {
  return is_too_many(cell) && cell->is_known;
}

static int is_guarded(const struct rebali_wave_cell *cell) {
  return cell->is_guarded;
}

/* Sets the reason. If some cluster has capacity, the removal that must come first is impossible. */
static void explain(struct rebali_wave_row *row) {
  if (find(row, is_guarded) != REBAL_NONE) {
    row->reason = REBAL_WAVE_REASON_BUDGET;
    row->cluster = find(row, is_guarded);
  } else if (find(row, is_full) != REBAL_NONE && find(row, has_capacity) == REBAL_NONE) {
    row->reason = REBAL_WAVE_REASON_CAPACITY;
    row->cluster = find(row, is_full);
  } else if (find(row, is_too_many) == REBAL_NONE) {
    row->reason = REBAL_WAVE_REASON_READY;
    row->cluster = find(row, lacks_ready);
  } else if (find(row, is_removable) == REBAL_NONE) {
    row->reason = REBAL_WAVE_REASON_UNKNOWN;
    row->cluster = find(row, is_too_many);
  } else {
    row->reason = REBAL_WAVE_REASON_FLOOR;
    row->cluster = find(row, lacks_ready);
  }
}

static void wait_for(struct rebali_wave_row *row, int64_t left_ns) {
  row->state = REBAL_WAVE_STATE_WAITING;
  if (left_ns != REBAL_ABSENT) {
    row->after_ns = row->after_ns == REBAL_ABSENT ? left_ns : min_of(row->after_ns, left_ns);
  }
}

void rebali_wave_wait(const struct rebali_wave_call *call, struct rebali_wave_row *row) {
  int64_t left_ns;

  row->state = REBAL_WAVE_STATE_BLOCKED;
  explain(row);
  for (size_t i = 0; i < row->n_cells; i++) {
    if (rebali_wave_is_under_way(call, &row->cells[i], &left_ns)) {
      wait_for(row, left_ns);
    }
  }
  if (rebali_wave_guards_wait(call, row, &left_ns)) {
    wait_for(row, left_ns);
  }
}

/* ---- the next write ---------------------------------------------------------------------------------------------- */

/* Returns the reason why a binding cannot be moved at all. */
int64_t rebali_wave_obstacle(const struct rebali_wave_call *call, const struct rebali_wave_row *row) {
  size_t n_components;

  if (row->reason != REBAL_WAVE_REASON_NONE) {
    return row->reason;
  }
  (void)rebali_bindings_children(call->every.bindings, REBAL_TABLE_COMPONENT, row->binding, &n_components);
  if (n_components > 0) {
    return REBAL_WAVE_REASON_COMPONENTS;
  }
  return rebali_bindings_i64(call->every.bindings, REBAL_BINDING_REPLICAS, row->binding) == row->plan->replicas
             ? REBAL_WAVE_REASON_NONE
             : REBAL_WAVE_REASON_REPLICAS;
}

int32_t rebali_wave_move(struct rebali_wave_call *call, struct rebali_wave_row *row) {
  int any;

  if (rebali_wave_find_capacity(call, row, &any) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  if (row->present > row->wanted || row->plan->max_surge == 0 || !any) {
    rebali_wave_remove(call, row, INT64_MAX);
  }
  if (row->removed == 0) {
    rebali_wave_add(row, rebali_add_saturating(row->wanted, row->plan->max_surge) - row->present);
  }
  if (row->removed == 0 && row->added == 0) {
    rebali_wave_wait(call, row);
    return REBAL_OK;
  }
  row->state = REBAL_WAVE_STATE_MOVING;
  row->patch.writes_clusters = 1;
  return row->added == 0 ? REBAL_OK : rebali_wave_charge_added(call, row);
}

int32_t rebali_wave_next(struct rebali_wave_call *call, struct rebali_wave_row *row) {
  row->reason = rebali_wave_obstacle(call, row);
  if (row->reason != REBAL_WAVE_REASON_NONE) {
    row->state = REBAL_WAVE_STATE_BLOCKED;
    return REBAL_OK;
  }
  if (must_relist(row)) {
    row->state = REBAL_WAVE_STATE_MOVING;
    row->patch.writes_clusters = 1;
    return REBAL_OK;
  }
  if (rebali_wave_is_done(row)) {
    row->state = REBAL_WAVE_STATE_DONE;
    return REBAL_OK;
  }
  return rebali_wave_move(call, row);
}
