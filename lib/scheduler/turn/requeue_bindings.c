/* SPDX-License-Identifier: MIT */
/* Determines which bindings enter the scheduler's queue by an event of their own (rebalance-karmada(7) 2.1). */
#include "scheduler/scheduler.h"

struct events {
  const rebal_bindings *before; /* NULL: every binding is new */
  const uint32_t *before_rows;  /* NULL: rows of both sets are the same bindings */
  const rebal_bindings *after;
  const rebal_schedule_opts *opts;
};

/* Returns the row of a binding in before, or REBAL_NONE. */
static uint32_t row_before(const struct events *events, uint32_t row) {
  const size_t n = events->before == NULL ? 0 : rebali_bindings_size(events->before);

  if (events->before_rows != NULL) {
    return events->before_rows[row];
  }
  return row < n ? row : REBAL_NONE;
}

/*
 * Returns whether the scheduler watches the binding. If a binding becomes visible, this is an event like its creation.
 */
static int is_visible(const rebal_bindings *bindings, uint32_t row, const rebal_schedule_opts *opts) {
  return rebali_is_scheduled_by(bindings, row, opts) && rebali_bindings_i64(bindings, REBAL_BINDING_MANAGED, row) != 0;
}

static int is_queued(const struct events *events, uint32_t row) {
  const uint32_t former = row_before(events, row);

  if (!is_visible(events->after, row, events->opts)) {
    return 0;
  }
  return former == REBAL_NONE || !is_visible(events->before, former, events->opts) ||
         rebali_bindings_i64(events->before, REBAL_BINDING_GENERATION, former) !=
             rebali_bindings_i64(events->after, REBAL_BINDING_GENERATION, row);
}

static int32_t check_set(const rebal_bindings *bindings, rebal_error *err) {
  return bindings->set.is_frozen ? REBAL_OK : rebali_fail(err, REBAL_ESTATE, -1, "the bindings are not frozen");
}

static int32_t check_rows(const struct events *events, rebal_error *err) {
  const size_t n = events->before == NULL ? 0 : rebali_bindings_size(events->before);

  for (size_t i = 0; events->before_rows != NULL && i < rebali_bindings_size(events->after); i++) {
    if (events->before_rows[i] != REBAL_NONE && events->before_rows[i] >= n) {
      return rebali_fail(err, REBAL_EINVAL, (int64_t)i, "before has no row %lu", (unsigned long)events->before_rows[i]);
    }
  }
  return REBAL_OK;
}

static int32_t check(const struct events *events, rebal_schedule_opts *opts, rebal_error *err) {
  struct rebali_text name;
  int32_t code = check_set(events->after, err);

  if (code == REBAL_OK && events->before != NULL) {
    code = check_set(events->before, err);
  }
  if (code == REBAL_OK) {
    code = check_rows(events, err);
  }
  if (code == REBAL_OK && opts->flags != 0) {
    code = rebali_fail(err, REBAL_EUNSUPPORTED, -1, "events of bindings have no flags");
  }
  if (code == REBAL_OK) {
    code = rebali_text_take(opts->scheduler_name, opts->scheduler_name_len, "scheduler_name", &name, err);
  }
  if (code == REBAL_OK) {
    opts->scheduler_name_len = name.len;
  }
  return code;
}

static int32_t answer(const struct events *events, rebal_result *result, rebal_error *err) {
  struct rebali_table *table = rebali_result_table(result, REBAL_TABLE_REQUEUED);
  const size_t n = rebali_bindings_size(events->after);
  size_t at;

  for (uint32_t row = 0; row < n; row++) {
    if (is_queued(events, row) &&
        rebali_table_add_row(table, &(struct rebali_table_value){REBAL_REQUEUED_BINDING, row}, 1, &at) != REBAL_OK) {
      return rebali_fail_memory(err);
    }
  }
  return REBAL_OK;
}

int32_t rebal_requeue_bindings(rebal_ctx *ctx, const rebal_bindings *before, const uint32_t *before_rows,
                               const rebal_bindings *after, const rebal_schedule_opts *opts, rebal_result *result,
                               rebal_error *err) {
  rebal_schedule_opts loaded;
  const struct events events = {before, before_rows, after, &loaded};
  int32_t code = rebali_options_load(&loaded, sizeof loaded, sizeof loaded, opts, err);

  if (code == REBAL_OK && (ctx == NULL || after == NULL)) {
    code = rebali_fail(err, REBAL_EINVAL, -1, "%s is missing", ctx == NULL ? "ctx" : "after");
  }
  code = code == REBAL_OK ? check(&events, &loaded, err) : code;
  code = code == REBAL_OK ? rebali_result_begin(result, err) : code;
  code = code == REBAL_OK ? rebali_ctx_begin(ctx, err) : code;
  return code == REBAL_OK ? rebali_answer_end(ctx, result, answer(&events, result, err)) : code;
}
