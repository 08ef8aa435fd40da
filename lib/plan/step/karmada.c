/* SPDX-License-Identifier: MIT */
/* The protocol of writing beside Karmada's scheduler (rebalance-plan(7) 8). The mark determines the remaining steps. */
#include "plan/step/karmada.h"

#define SETTLE_SUSPENDED_NS (REBALI_SECOND_NS / 2) /* until the scheduler has observed it */
#define SETTLE_MOVED_NS (3 * REBALI_SECOND_NS / 2) /* until no status is older */

static int32_t say(struct rebali_wave_row *row, int64_t state, int64_t reason) {
  row->state = state;
  row->reason = reason;
  return REBAL_OK;
}

/* Writes and leaves the mark of a phase; REBALI_PHASE_NONE: no mark. */
static int32_t write(struct rebali_wave_row *row, uint32_t phase) {
  row->patch.phase = phase;
  return say(row, REBAL_WAVE_STATE_MOVING, REBAL_WAVE_REASON_NONE);
}

static void aim(struct rebali_wave_row *row) {
  for (size_t i = 0; i < row->n_cells; i++) {
    struct rebali_wave_cell *cell = &row->cells[i];

    cell->next = cell->to;
    row->added += cell->to > cell->present ? cell->to - cell->present : 0;
    row->removed += cell->present > cell->to ? cell->present - cell->to : 0;
  }
  row->patch.writes_clusters = 1;
}

static int is_complete(const struct rebali_wave_row *row) {
  for (size_t i = 0; i < row->n_cells; i++) {
    if (row->cells[i].next != row->cells[i].to) {
      return 0;
    }
  }
  return 1;
}

/* ---- release ----------------------------------------------------------------------------------------------------- */

/* Tests whether enough replicas stay ready if those that tasks keep are removed and clusters have next. */
static int may_drop_tasks(const struct rebali_wave_row *row) {
  int64_t before = 0, after = 0;

  for (size_t i = 0; i < row->n_cells; i++) {
    const struct rebali_wave_cell *cell = &row->cells[i];
    const int64_t lost = cell->present > cell->next ? (int64_t)cell->present - cell->next : 0;
    const int64_t taken = cell->next > cell->present ? (int64_t)cell->next - cell->present : 0;
    const int64_t stays = cell->ready > lost ? cell->ready - lost : 0;

    if (lost > 0 && !cell->is_known) {
      return 0;
    }
    before += (int64_t)cell->ready + cell->kept_ready;
    after += stays + (taken < cell->kept_ready ? taken : cell->kept_ready);
  }
  return after >= (row->floor < before ? row->floor : before);
}

static int32_t drop_tasks(const struct rebali_wave_call *call, struct rebali_wave_row *row) {
  const int keeps_floor = may_drop_tasks(row);

  if (keeps_floor && rebali_wave_guards_permit(call, row, 1)) {
    row->patch.drops_tasks = 1;
    return write(row, REBALI_PHASE_NONE);
  }
  rebali_wave_wait(call, row);
  row->removed = row->added = 0;
  if (!keeps_floor) {
    row->reason = REBAL_WAVE_REASON_FLOOR;
    row->cluster = REBAL_NONE;
    for (size_t i = row->n_cells; i-- > 0;) {
      row->cluster = row->cells[i].ready < row->cells[i].present ? row->cells[i].cluster : row->cluster;
    }
  }
  return REBAL_OK;
}

static int has_kept(const struct rebali_wave_row *row) {
  for (size_t i = 0; i < row->n_cells; i++) {
    if (row->cells[i].kept > 0) {
      return 1;
    }
  }
  return 0;
}

/* Removes our suspension, tasks and mark. Changes by others stay. */
static int32_t give_back(const struct rebali_wave_call *call, struct rebali_wave_row *row, uint32_t phase) {
  const int is_suspended =
      rebali_bindings_i64(call->every.bindings, REBAL_BINDING_SCHEDULING_SUSPENDED, row->binding) != 0;

  row->patch.resumes = is_suspended && (phase == REBALI_PHASE_SUSPENDED || phase == REBALI_PHASE_MOVING);
  return has_kept(row) ? drop_tasks(call, row) : write(row, REBALI_PHASE_NONE);
}

/* ---- under way --------------------------------------------------------------------------------------------------- */

static int32_t go_on(struct rebali_wave_call *call, struct rebali_wave_row *row) {
  if (rebali_wave_is_assigned(row)) {
    row->patch.resumes = 1;
    return write(row, REBALI_PHASE_NONE);
  }
  if (rebali_wave_move(call, row) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  if (row->state == REBAL_WAVE_STATE_MOVING) {
    row->patch.resumes = is_complete(row);
    row->patch.phase = is_complete(row) ? REBALI_PHASE_NONE : REBALI_PHASE_MOVING;
  }
  return REBAL_OK;
}

/* Ends a drain. With BACK, the replicas that the task keeps are assigned again. */
static int32_t end_drain(const struct rebali_wave_call *call, struct rebali_wave_row *row) {
  if (!rebali_wave_is_assigned(row)) {
    aim(row);
    return drop_tasks(call, row);
  }
  if (rebali_wave_is_done(row)) {
    return drop_tasks(call, row);
  }
  rebali_wave_wait(call, row);
  return REBAL_OK;
}

/* ---- the start --------------------------------------------------------------------------------------------------- */

static int is_drained(const struct rebali_wave_call *call, uint32_t cluster) {
  for (size_t i = 0; i < call->plan->n_drained; i++) {
    if (call->ids[call->plan->drained[i]] == cluster) {
      return 1;
    }
  }
  return 0;
}

/*
 * Tests whether replicas leave only drained clusters, each completely, with capacity for all of them at once and within
 * surge and budgets.
 */
static int is_drain(const struct rebali_wave_call *call, struct rebali_wave_row *row) {
  int64_t leaves = 0;

  for (size_t i = 0; i < row->n_cells; i++) {
    const struct rebali_wave_cell *cell = &row->cells[i];

    if (cell->present > cell->to) {
      if (cell->to != 0 || !is_drained(call, cell->cluster)) {
        return 0;
      }
      leaves += cell->present;
    } else if (cell->capacity < cell->to - cell->present) {
      return 0;
    }
  }
  return leaves > 0 && leaves <= row->plan->max_surge && (call->opts.flags & REBAL_PLAN_STEP_FLAG_BACK) == 0 &&
         rebali_wave_guards_permit(call, row, 0);
}

/* Suspends scheduling, but only if something can be moved then. */
static int32_t suspend(struct rebali_wave_call *call, struct rebali_wave_row *row) {
  if (rebali_wave_move(call, row) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  if (row->state == REBAL_WAVE_STATE_MOVING) {
    rebali_wave_forget(call, row);
    row->patch.writes_clusters = 0;
    row->patch.suspends = 1;
    row->patch.phase = REBALI_PHASE_SUSPENDED;
  }
  return REBAL_OK;
}

/* Without surge: removes and adds in one write, so that the sum stays the same. Capacities must be known. */
static int32_t move_directly(struct rebali_wave_call *call, struct rebali_wave_row *row, int64_t available) {
  const int64_t lacking = row->plan->replicas - row->present; /* replicas of lost clusters */
  const int64_t most = available - lacking;

  if (most < 0) {
    return suspend(call, row);
  }
  rebali_wave_remove(call, row, most);
  rebali_wave_add(row, row->removed + lacking);
  if (row->added == 0) {
    rebali_wave_wait(call, row);
    return REBAL_OK;
  }
  row->patch.writes_clusters = 1;
  (void)write(row, is_complete(row) ? REBALI_PHASE_NONE : REBALI_PHASE_DIRECT);
  return rebali_wave_charge_added(call, row);
}

static int32_t begin(struct rebali_wave_call *call, struct rebali_wave_row *row, int is_marked) {
  const int64_t reason = rebali_karmada_guard(call, row);
  int64_t available = 0;
  int any;

  if (rebali_wave_is_assigned(row) && is_marked) {
    return write(row, REBALI_PHASE_NONE);
  }
  if (rebali_wave_is_done(row)) {
    return say(row, REBAL_WAVE_STATE_DONE, REBAL_WAVE_REASON_NONE);
  }
  if (rebali_wave_is_assigned(row)) {
    rebali_wave_wait(call, row);
    return REBAL_OK;
  }
  if (reason != REBAL_WAVE_REASON_NONE) {
    return say(row, REBAL_WAVE_STATE_NOT_NOW, reason);
  }
  if (rebali_wave_find_capacity(call, row, &any) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < row->n_cells; i++) {
    available += row->cells[i].capacity;
  }
  if (is_drain(call, row)) {
    aim(row);
    row->patch.adds_tasks = 1;
    (void)write(row, REBALI_PHASE_DRAIN);
    return rebali_wave_charge_added(call, row);
  }
  return row->plan->max_surge == 0 && any ? move_directly(call, row, available) : suspend(call, row);
}

/* ---- the next write ---------------------------------------------------------------------------------------------- */

/*
 * Returns the nanoseconds until scheduler and status have caught up with our write. A time in the future counts as now.
 */
static int64_t settles_ns(const struct rebali_wave_call *call, const struct rebali_mark *mark) {
  const int64_t all = mark->phase == REBALI_PHASE_SUSPENDED ? SETTLE_SUSPENDED_NS : SETTLE_MOVED_NS;
  const int64_t left = rebali_add_saturating(rebali_time_left_ns(call->every.now, &mark->time, 0), all);

  return left > all ? all : left;
}

/* Sets unknown times of the last change to the time of the mark. */
static void start_clocks(struct rebali_wave_row *row, const struct rebali_mark *mark) {
  for (size_t i = 0; i < row->n_cells; i++) {
    struct rebali_wave_cell *cell = &row->cells[i];

    if (!cell->since.is_set) {
      cell->since = mark->time;
    }
  }
}

static int32_t follow(struct rebali_wave_call *call, struct rebali_wave_row *row, const struct rebali_mark *mark) {
  const int64_t obstacle = rebali_wave_obstacle(call, row);
  const int64_t left_ns = settles_ns(call, mark);

  if (mark->digest != rebali_mark_digest(call, row, NULL)) {
    row->is_foreign = 1;
    return give_back(call, row, mark->phase);
  }
  if (obstacle != REBAL_WAVE_REASON_NONE || row->to != row->plan->replicas) { /* for example back to another sum */
    return give_back(call, row, mark->phase);
  }
  if (left_ns > 0) {
    row->after_ns = left_ns;
    return say(row, REBAL_WAVE_STATE_WAITING, REBAL_WAVE_REASON_SETTLING);
  }
  start_clocks(row, mark);
  switch (mark->phase) {
    case REBALI_PHASE_DRAIN:
      return end_drain(call, row);
    case REBALI_PHASE_DIRECT:
      return begin(call, row, 1);
    default:
      return go_on(call, row);
  }
}

int32_t rebali_karmada_next(struct rebali_wave_call *call, struct rebali_wave_row *row) {
  const struct rebali_fingerprint *plan = &call->plan->inputs;
  struct rebali_mark mark;

  rebali_mark_read(rebali_bindings_text(call->every.bindings, REBAL_BINDING_PLAN_MARK, row->binding), &mark);
  if (mark.phase != REBALI_PHASE_NONE && mark.plan.high == plan->high && mark.plan.low == plan->low) {
    return follow(call, row, &mark);
  }
  if (mark.is_present && (call->opts.flags & REBAL_PLAN_STEP_FLAG_TAKE_OVER) != 0) {
    row->is_foreign = 1;
    return give_back(call, row, mark.phase);
  }
  if (mark.is_present) {
    return say(row, REBAL_WAVE_STATE_NOT_NOW, REBAL_WAVE_REASON_MARKED);
  }
  row->reason = rebali_wave_obstacle(call, row);
  return row->reason != REBAL_WAVE_REASON_NONE ? say(row, REBAL_WAVE_STATE_BLOCKED, row->reason) : begin(call, row, 0);
}
