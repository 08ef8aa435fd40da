/* SPDX-License-Identifier: MIT */
/*
 * Decides which bindings deserve to be moved (rebalance-plan(7) 3): hysteresis around a drift, and rest after a move.
 */
#include "plan/plan.h"

#define DEFAULT_LOW 50
#define DEFAULT_HIGH 100

struct call {
  const rebal_plan *plan;
  const rebal_bindings *bindings;
  const rebal_time *now;
  rebal_reconsider_opts opts;
  rebal_move_history history;
  struct rebali_intern *keys; /* of the history */
  uint32_t *rows;             /* of the history, by key */
  rebal_result *result;
  rebal_error *err;
};

/* What the history holds of a binding; all zero: nothing. */
struct past {
  rebal_time time;
  int64_t moved;
  int is_due;
};

static int32_t load_opts(struct call *call, const rebal_reconsider_opts *opts) {
  rebal_reconsider_opts *loaded = &call->opts;
  const int32_t code = rebali_options_load(loaded, sizeof *loaded, sizeof *loaded, opts, call->err);

  if (code != REBAL_OK) {
    return code;
  }
  if ((loaded->flags & ~(uint32_t)REBAL_RECONSIDER_FLAG_APPLIED) != 0) {
    return rebali_fail(call->err, REBAL_EUNSUPPORTED, -1, "a reserved option is set");
  }
  if (loaded->low < 0 || loaded->high < 0 || loaded->cool_down_ns < 0) {
    return rebali_fail(call->err, REBAL_ERANGE, -1, "low, high or cool_down_ns is negative");
  }
  loaded->low = loaded->low == 0 ? DEFAULT_LOW : loaded->low;
  if (loaded->high == 0) {
    loaded->high = loaded->low > DEFAULT_HIGH ? loaded->low : DEFAULT_HIGH;
  }
  return loaded->low <= loaded->high
             ? REBAL_OK
             : rebali_fail(call->err, REBAL_ERANGE, -1, "low is %ld permille, above high, which is %ld",
                           (long)loaded->low, (long)loaded->high);
}

static int32_t load_history(struct call *call) {
  rebal_move_history *history = &call->history;
  int32_t code = rebali_options_load(history, sizeof *history, sizeof *history, call->opts.history, call->err);

  if (code != REBAL_OK || history->n == 0) {
    return code;
  }
  if (history->flags != 0) {
    return rebali_fail(call->err, REBAL_EUNSUPPORTED, -1, "a flag of the history is not known");
  }
  if (history->keys == NULL || history->offsets == NULL || history->times == NULL || history->moved == NULL ||
      history->due == NULL) {
    return rebali_fail(call->err, REBAL_EINVAL, -1, "an array of the history is NULL");
  }
  call->rows = history->n > SIZE_MAX / sizeof *call->rows
                   ? NULL
                   : rebali_arena_allocate(rebali_result_arena(call->result), (size_t)history->n, sizeof *call->rows);
  return call->rows == NULL ? rebali_fail_memory(call->err) : REBAL_OK;
}

static int32_t index_history(struct call *call) {
  const rebal_move_history *history = &call->history;
  int32_t code = REBAL_OK;

  for (size_t i = 0; i < history->n && code == REBAL_OK; i++) {
    uint32_t key = 0;

    if (history->offsets[i] > history->offsets[i + 1]) {
      return rebali_fail(call->err, REBAL_EINVAL, (int64_t)i, "offsets go backward");
    }
    code = rebali_time_check(&history->times[i], (int64_t)i, call->err);
    if (code == REBAL_OK && rebali_intern_add(call->keys, history->keys + history->offsets[i],
                                              history->offsets[i + 1] - history->offsets[i], &key) != REBAL_OK) {
      code = rebali_fail_memory(call->err);
    }
    if (code == REBAL_OK) {
      call->rows[key] = (uint32_t)i; /* fewer than 2^32 keys, like texts of a block */
    }
  }
  return code;
}

static int is_ongoing(const struct call *call, size_t row) {
  const struct rebali_plan_row *planned = &call->plan->rows[row];
  int64_t ready = 0;
  size_t n_tasks;

  (void)rebali_bindings_children(call->bindings, REBAL_TABLE_TASK, (uint32_t)row, &n_tasks);
  for (size_t i = 0; i < planned->n_cells; i++) {
    ready += call->plan->cells[planned->first_cell + i].ready;
  }
  return n_tasks != 0 || ready < planned->replicas;
}

static int is_cooling(const struct call *call, const struct past *past) {
  return past->time.is_set && call->opts.cool_down_ns > 0 &&
         rebali_time_left_ns(&past->time, call->now, 0) < call->opts.cool_down_ns;
}

static int64_t judge(const struct call *call, size_t row, int64_t permille, const struct past *past) {
  if (is_ongoing(call, row)) {
    return REBAL_RECONSIDER_ONGOING;
  }
  if (is_cooling(call, past)) {
    return REBAL_RECONSIDER_COOLING;
  }
  return permille >= call->opts.high || (permille >= call->opts.low && past->is_due) ? REBAL_RECONSIDER_DUE
                                                                                     : REBAL_RECONSIDER_CALM;
}

static struct past past_of(const struct call *call, struct rebali_text key) {
  const uint32_t id = call->keys == NULL ? REBALI_NONE : rebali_intern_find(call->keys, key.bytes, key.len);
  const size_t row = id == REBALI_NONE ? 0 : call->rows[id];

  return id == REBALI_NONE
             ? (struct past){{0, 0, 0}, 0, 0}
             : (struct past){call->history.times[row], call->history.moved[row], call->history.due[row] != 0};
}

static int32_t write_row(struct call *call, struct rebali_text key, int64_t drift, int64_t permille, int64_t verdict,
                         const struct past *next) {
  struct rebali_table *table = rebali_result_table(call->result, REBAL_TABLE_RECONSIDERED);
  const struct rebali_table_value cells[] = {{REBAL_RECONSIDERED_VERDICT, verdict},
                                             {REBAL_RECONSIDERED_DRIFT, drift},
                                             {REBAL_RECONSIDERED_PERMILLE, permille},
                                             {REBAL_RECONSIDERED_MOVED, next->moved},
                                             {REBAL_RECONSIDERED_IS_DUE, next->is_due}};
  size_t row;
  int32_t code = rebali_table_add_row(table, cells, REBALI_COUNT(cells), &row);

  code = code == REBAL_OK ? rebali_table_set_text(table, REBAL_RECONSIDERED_KEY, row, key) : code;
  code = code == REBAL_OK ? rebali_table_set_time(table, REBAL_RECONSIDERED_TIME, row, &next->time) : code;
  return code == REBAL_OK ? REBAL_OK : rebali_fail_memory(call->err);
}

static int32_t reconsider_row(struct call *call, size_t row) {
  const struct rebali_plan_row *planned = &call->plan->rows[row];
  const int64_t permille =
      planned->replicas == 0 ? 0 : rebali_multiply_saturating(planned->drift, 1000) / planned->replicas;
  struct rebali_text key;
  struct past past, next;
  int64_t verdict;

  if (!rebali_text_equal(planned->name, rebali_bindings_text(call->bindings, REBAL_BINDING_NAME, (uint32_t)row)) ||
      !rebali_text_equal(planned->namespace_,
                         rebali_bindings_text(call->bindings, REBAL_BINDING_NAMESPACE, (uint32_t)row))) {
    return rebali_fail(call->err, REBAL_EMISMATCH, (int64_t)row, "the bindings are not those of the plan");
  }
  key = rebali_plan_key(planned->namespace_, planned->name, rebali_result_arena(call->result));
  if (key.bytes == NULL) {
    return rebali_fail_memory(call->err);
  }
  past = past_of(call, key);
  verdict = judge(call, row, permille, &past);
  next = past;
  next.is_due = verdict == REBAL_RECONSIDER_DUE || (verdict != REBAL_RECONSIDER_CALM && past.is_due);
  if (verdict == REBAL_RECONSIDER_DUE && planned->granted > 0 &&
      (call->opts.flags & REBAL_RECONSIDER_FLAG_APPLIED) != 0) {
    next = (struct past){*call->now, planned->granted, planned->withheld > 0};
  }
  return write_row(call, key, planned->drift, permille, verdict, &next);
}

static int32_t reconsider(struct call *call, const rebal_reconsider_opts *opts) {
  int32_t code = load_opts(call, opts);

  code = code == REBAL_OK ? load_history(call) : code;
  if (code == REBAL_OK && call->history.n != 0) {
    const rebal_allocator *allocator = rebali_result_allocator(call->result);

    code = rebali_intern_new(allocator, &call->keys) == REBAL_OK ? index_history(call) : rebali_fail_memory(call->err);
  }
  for (size_t row = 0; row < call->plan->n_rows && code == REBAL_OK; row++) {
    code = reconsider_row(call, row);
  }
  return code;
}

int32_t rebal_reconsider(const rebal_plan *plan, const rebal_bindings *bindings, const rebal_time *now,
                         const rebal_reconsider_opts *opts, rebal_result *result, rebal_error *err) {
  struct call call = {.plan = plan, .bindings = bindings, .now = now, .result = result, .err = err};
  int32_t code;

  if (plan == NULL || bindings == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "%s is NULL", plan == NULL ? "plan" : "bindings");
  }
  code = rebali_clock_check(now, err);
  if (code == REBAL_OK && !bindings->set.is_frozen) {
    code = rebali_fail(err, REBAL_ESTATE, -1, "the bindings are not frozen");
  }
  if (code == REBAL_OK && rebali_bindings_size(bindings) != plan->n_rows) {
    code = rebali_fail(err, REBAL_EMISMATCH, -1, "the plan has %zu bindings, expected %zu", plan->n_rows,
                       rebali_bindings_size(bindings));
  }
  code = code == REBAL_OK ? rebali_result_begin(result, err) : code;
  if (code != REBAL_OK) {
    return code;
  }
  code = reconsider(&call, opts);
  rebali_intern_free(call.keys);
  if (code != REBAL_OK) {
    rebal_result_reset(result);
  }
  return code;
}
