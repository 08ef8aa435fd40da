/* SPDX-License-Identifier: MIT */
/*
 * Carrying a plan out. A binding that cannot go on is given up after a while; one that is suspended for the plan, or
 * kept by a task of it, then goes back to where it was before.
 */
#include "karmada-planner-waves.h"

#include "karmada-planner-budgets.h"

#include <stdlib.h>
#include <string.h>

struct row {
  bool is_moved; /* by the plan; for the others nothing is waited, and nothing is written */
  int64_t state, reason;
  int64_t stuck_since; /* nanoseconds since 1970; 0: it is not */
  bool is_given_up;
  bool is_held;   /* it has the mark of the plan */
  bool is_caught; /* it is given up, and cannot go back either */
};

static int64_t cell(const struct waves *waves, uint32_t column, size_t row) {
  return rebal_result_i64(waves->result, column, NULL)[row];
}

/* ---- what is remembered ------------------------------------------------------------------------------------------ */

static void forget(struct waves *waves) {
  free(waves->rows);
  waves->rows = NULL;
  waves->n = waves->n_moved = 0;
  waves->next = (rebal_time){0, 0, 0};
}

/* What a plan only adds or takes away is the scheduler's, which scales. */
static int32_t read_rows(struct waves *waves, const rebal_plan *plan, rebal_error *err) {
  rebal_result *planned = NULL;
  int32_t code = rebal_result_new(NULL, &planned, err);
  code = code == REBAL_OK ? rebal_plan_read(plan, planned, err) : code;
  for (size_t i = 0; code == REBAL_OK && i < waves->n; i++) {
    waves->rows[i].is_moved = rebal_result_i64(planned, REBAL_PLANNED_GRANTED, NULL)[i] != 0;
    waves->n_moved += waves->rows[i].is_moved;
  }
  rebal_result_free(planned);
  return code;
}

/* Rows for the plan, all new if it is another one, or goes the other way. */
static int32_t follow(struct waves *waves, const rebal_plan *plan, bool is_back, rebal_error *err) {
  uint64_t now[3] = {0, 0, is_back};
  rebal_plan_fingerprint(plan, &now[0], &now[1]);
  if (waves->rows != NULL && memcmp(now, waves->plan, sizeof now) == 0) {
    return REBAL_OK;
  }
  forget(waves);
  memcpy(waves->plan, now, sizeof now);
  waves->n = rebal_result_count(waves->result, REBAL_TABLE_WAVE);
  waves->rows = calloc(waves->n + 1, sizeof *waves->rows);
  if (waves->rows == NULL) {
    waves->n = 0;
    return REBAL_ENOMEM;
  }
  return read_rows(waves, plan, err);
}

static bool is_marked(const struct waves *waves, size_t row) {
  const int64_t binding = cell(waves, REBAL_WAVE_BINDING, row);
  size_t len = 0;
  if (binding != REBAL_ABSENT && cell(waves, REBAL_WAVE_REASON, row) != REBAL_WAVE_REASON_MARKED) {
    (void)rebal_cells_get_text(rebal_bindings_const_cells(waves->bindings), REBAL_BINDING_PLAN_MARK, REBAL_NONE,
                               (uint32_t)binding, &len);
  }
  return len > 0;
}

static const char *name_of(const struct waves *waves, size_t row) {
  const int64_t binding = cell(waves, REBAL_WAVE_BINDING, row);
  size_t len;
  return binding == REBAL_ABSENT ? "that is gone"
                                 : rebal_cells_get_text(rebal_bindings_const_cells(waves->bindings), REBAL_BINDING_NAME,
                                                        REBAL_NONE, (uint32_t)binding, &len);
}

static const char *kind_of(const struct waves *waves, size_t row) {
  const int64_t binding = cell(waves, REBAL_WAVE_BINDING, row);
  const bool is_global =
      binding != REBAL_ABSENT && rebal_cells_get_i64(rebal_bindings_const_cells(waves->bindings),
                                                     REBAL_BINDING_CLUSTER_SCOPED, REBAL_NONE, (uint32_t)binding) != 0;
  return is_global ? "ClusterResourceBinding" : "ResourceBinding";
}

/* Where a row stands, and why. */
static void say_row(const struct waves *waves, size_t row, const char *more) {
  const int64_t cluster = cell(waves, REBAL_WAVE_CLUSTER, row);
  const char *reason = rebal_enum_name(REBAL_ENUM_WAVE_REASON, cell(waves, REBAL_WAVE_REASON, row), NULL);
  const char *where = "";
  size_t len;
  if (cluster != REBAL_ABSENT) {
    where = rebal_cells_get_text(rebal_snapshot_cells(waves->snapshot), REBAL_CLUSTER_NAME, REBAL_NONE,
                                 (uint32_t)cluster, &len);
  }
  say("%s %s: %s%s%s%s%s%s", kind_of(waves, row), name_of(waves, row),
      rebal_enum_name(REBAL_ENUM_WAVE_STATE, cell(waves, REBAL_WAVE_STATE, row), NULL), reason[0] != '\0' ? ": " : "",
      reason, where[0] != '\0' ? " in " : "", where, more);
}

static bool is_over(int64_t state) {
  return state == REBAL_WAVE_STATE_DONE || state == REBAL_WAVE_STATE_GONE || state == REBAL_WAVE_STATE_DELETING ||
         state == REBAL_WAVE_STATE_REPLACED;
}

/* The plan does not fit the binding any more, and that will hardly change. */
static bool is_for_good(int64_t reason) {
  return reason == REBAL_WAVE_REASON_REPLICAS || reason == REBAL_WAVE_REASON_COMPONENTS ||
         reason == REBAL_WAVE_REASON_DUPLICATED;
}

/* Takes the answer for a row. */
static void note_row(struct waves *waves, size_t i, int64_t now) {
  struct row *row = &waves->rows[i];
  const int64_t state = cell(waves, REBAL_WAVE_STATE, i), reason = cell(waves, REBAL_WAVE_REASON, i);
  const bool is_stuck = state == REBAL_WAVE_STATE_BLOCKED || state == REBAL_WAVE_STATE_NOT_NOW;
  const bool is_foreign = state == REBAL_WAVE_STATE_MOVING && cell(waves, REBAL_WAVE_FOREIGN, i) != 0;
  row->is_held = is_marked(waves, i);
  if (!row->is_moved && !row->is_held) {
    return;
  }
  if (is_foreign || (is_stuck && (row->state != state || row->reason != reason))) {
    say_row(waves, i, is_foreign ? "; someone else wrote it" : "");
  }
  row->state = state;
  row->reason = reason;
  row->stuck_since = !is_stuck ? 0 : row->stuck_since != 0 ? row->stuck_since : now;
  if (!row->is_given_up && is_stuck && (is_for_good(reason) || now - row->stuck_since >= waves->give_up_after)) {
    row->is_given_up = true;
    say_row(waves, i, row->is_held ? "; given up, it goes back" : "; given up");
  }
}

static void wake_at(struct waves *waves, int64_t due) {
  waves->wake = due != 0 && (waves->wake == 0 || due < waves->wake) ? due : waves->wake;
}

static void note_rows(struct waves *waves, int64_t now) {
  waves->n_done = waves->n_stuck = waves->n_left = waves->n_held = 0;
  for (size_t i = 0; i < waves->n; i++) {
    struct row *row = &waves->rows[i];
    note_row(waves, i, now);
    waves->n_done += row->is_moved && is_over(row->state);
    waves->n_stuck += row->is_moved && !is_over(row->state) && row->is_given_up;
    waves->n_held += row->stuck_since != 0 && !row->is_given_up && row->reason == REBAL_WAVE_REASON_BUDGET;
    waves->n_left += !is_over(row->state) && (row->is_held || (row->is_moved && !row->is_given_up));
    if (row->stuck_since != 0 && !row->is_given_up) {
      wake_at(waves, row->stuck_since + waves->give_up_after);
    }
  }
}

/* ---- one wave ---------------------------------------------------------------------------------------------------- */

static int32_t call(struct waves *waves, const rebal_plan *plan, bool is_back, rebal_error *err) {
  const rebal_time now = time_now();
  struct budgets budgets = {NULL, NULL, 0};
  rebal_plan_step_opts opts = {
      .struct_size = sizeof opts,
      .flags = (is_back ? REBAL_PLAN_STEP_FLAG_BACK : 0u) | (waves->takes_over ? REBAL_PLAN_STEP_FLAG_TAKE_OVER : 0u),
      .dialect = REBAL_PLAN_DIALECT_KARMADA,
      .interval_ns = waves->interval,
      .next_wave = &waves->next};
  int32_t code = budgets_read(&budgets, client_store(waves->client), err); /* none are followed without --pdb */
  opts.budgets = budgets.records;
  opts.n_budgets = budgets.n;
  client_enter(waves->client);
  code = code == REBAL_OK
             ? rebal_plan_step(waves->ctx, waves->snapshot, waves->bindings, plan, &now, &opts, waves->result, err)
             : code;
  client_leave(waves->client);
  budgets_free(&budgets);
  return code;
}

/*
 * Is the row one that this answer is used for? A binding that is given up goes back, if it has to. Of one that is not
 * moved another plan may have left its mark.
 */
static bool is_concerned(const struct row *row, bool is_given_up) {
  return row->is_given_up == is_given_up && (row->is_held || (row->is_moved && !is_given_up));
}

static void count_wave(struct waves *waves, bool is_given_up, const bool *has_failed) {
  for (size_t i = 0; i < waves->n; i++) {
    if (is_concerned(&waves->rows[i], is_given_up) && cell(waves, REBAL_WAVE_STATE, i) == REBAL_WAVE_STATE_MOVING &&
        !has_failed[cell(waves, REBAL_WAVE_BINDING, i)]) {
      waves->n_written++;
      waves->n_foreign += cell(waves, REBAL_WAVE_FOREIGN, i) != 0;
      waves->n_added += cell(waves, REBAL_WAVE_ADDED, i);
      waves->n_removed += cell(waves, REBAL_WAVE_REMOVED, i);
    }
  }
}

/* Sends the writes of the selected rows. */
static int32_t send(struct waves *waves, bool is_given_up) {
  const size_t n = rebal_cells_count(rebal_bindings_const_cells(waves->bindings), REBAL_TABLE_BINDING, REBAL_NONE);
  const size_t n_written = waves->n_written;
  bool *has_failed = calloc(n + 1, sizeof *has_failed);
  int32_t code = has_failed != NULL ? REBAL_OK : REBAL_ENOMEM;
  for (size_t i = 0; code == REBAL_OK && i < waves->n; i++) {
    if (cell(waves, REBAL_WAVE_BINDING, i) != REBAL_ABSENT && !is_concerned(&waves->rows[i], is_given_up)) {
      has_failed[cell(waves, REBAL_WAVE_BINDING, i)] = true; /* is not to be sent */
    }
  }
  code = code == REBAL_OK ? client_carry_out(waves->client, waves->result, NULL, has_failed) : code;
  if (has_failed != NULL && code == REBAL_OK) {
    count_wave(waves, is_given_up, has_failed);
    code = client_refused(waves->client) > 0 ? REBAL_EAGAIN : REBAL_OK;
  }
  if (waves->n_written > n_written && rebal_result_count(waves->result, REBAL_TABLE_PACE) > 0) {
    rebal_result_time(waves->result, REBAL_PACE_NEXT, 0, &waves->next); /* of a wave that was sent */
  }
  wake_at(waves, wake_time(waves->result));
  free(has_failed);
  return code;
}

/* Those that cannot go back either, of the answer for going back. */
static void note_caught(struct waves *waves) {
  for (size_t i = 0; i < waves->n; i++) {
    struct row *row = &waves->rows[i];
    const bool was_caught = row->is_caught;
    row->is_caught = is_concerned(row, true) && cell(waves, REBAL_WAVE_STATE, i) == REBAL_WAVE_STATE_BLOCKED;
    waves->n_caught += row->is_caught && !was_caught;
    if (row->is_caught && !was_caught) {
      say_row(waves, i, "; it can go neither on nor back, and stays as it is");
    }
  }
}

static bool some_go_back(const struct waves *waves) {
  size_t i = 0;
  while (i < waves->n && !is_concerned(&waves->rows[i], true)) {
    i++;
  }
  return i < waves->n;
}

int32_t waves_send(struct waves *waves, const rebal_plan *plan, bool is_back, rebal_error *err) {
  const rebal_time now = time_now();
  int32_t code;
  waves->wake = 0;
  rebal_snapshot_unref(waves->snapshot);
  waves->snapshot = NULL;
  code = rebal_fleet_freeze(waves->fleet, &waves->snapshot, err);
  code = code == REBAL_OK ? call(waves, plan, is_back, err) : code;
  code = code == REBAL_OK ? follow(waves, plan, is_back, err) : code;
  if (code == REBAL_OK) {
    note_rows(waves, nanoseconds_of(&now));
    code = send(waves, false);
  }
  if (code == REBAL_OK && some_go_back(waves)) {
    code = call(waves, plan, true, err);
    if (code == REBAL_OK) {
      note_caught(waves);
      code = send(waves, true);
    }
  }
  return code;
}

void waves_close(struct waves *waves) {
  forget(waves);
  rebal_snapshot_unref(waves->snapshot);
}
