/* SPDX-License-Identifier: MIT */
/* Tries one move made by hand: what it breaks, and what remains to be moved afterward. */
#include "plan/make/make.h"
#include "plan/whatif/whatif.h"

struct attempt {
  struct rebali_question question;
  rebal_move move;
  struct rebali_arena arena;
  struct rebali_layout before;
  struct rebali_layout after;
  struct rebali_layout wanted;
  int64_t broken;
  int64_t broken_before;
  int64_t rejected_by;
  int64_t available;
  int64_t outcome;
  struct rebali_text message;
  struct rebali_one_move limited;
};

#define BREACH(name) (INT64_C(1) << REBAL_BREACH_##name)

/* ---- the target -------------------------------------------------------------------------------------------------- */

static int32_t read_capacity(struct rebali_pass *pass, struct attempt *attempt) {
  int32_t code = rebali_pass_stages(pass, REBAL_STAGE_FILTER, REBAL_STAGE_SCORE);

  for (size_t i = 0; i < pass->n_candidates && code == REBAL_OK; i++) {
    if (pass->candidates[i].cluster == attempt->move.target) {
      attempt->available = pass->candidates[i].allocatable;
    }
  }
  if (attempt->available != REBAL_ABSENT && attempt->available < attempt->move.replicas) {
    attempt->broken |= BREACH(CAPACITY);
  }
  return code;
}

/* Judges the target in the observed group, and estimates how much fits there. */
static int32_t judge(struct rebali_pass *pass, void *user_data) {
  struct attempt *attempt = user_data;
  int32_t code;

  if (pass->placement == NULL) {
    rebali_buffer_init(&pass->message, rebali_ctx_allocator(pass->ctx));
    return REBAL_OK;
  }
  code = rebali_pass_begin(pass, rebali_bindings_text(pass->bindings, REBAL_BINDING_OBSERVED_AFFINITY_NAME, pass->row));
  if (code != REBAL_OK) {
    return code;
  }
  if (!rebali_cluster_is_present(pass->snapshot, attempt->move.target)) {
    attempt->broken |= BREACH(DELETING);
  }
  if (rebali_snapshot_has(pass->snapshot, attempt->move.target)) {
    attempt->rejected_by = rebali_filter_judge(pass, attempt->move.target).rejected;
  }
  attempt->broken |= attempt->rejected_by != 0 ? BREACH(FILTER) : 0;
  if (!rebali_pass_is_divided(pass) || pass->placement->strategy == REBALI_STRATEGY_DUPLICATED) {
    attempt->broken |= BREACH(COPIES);
  }
  return read_capacity(pass, attempt);
}

/* ---- spread constraints ------------------------------------------------------------------------------------------ */

/* Counts the groups of a field that have replicas. Returns REBAL_ENOMEM without memory. */
static int32_t count_groups(struct attempt *attempt, const struct rebali_layout *layout, uint32_t field,
                            int64_t *groups) {
  uint32_t *clusters = rebali_arena_allocate(&attempt->arena, layout->n, sizeof *clusters);
  size_t n = 0;

  for (size_t i = 0; clusters != NULL && i < layout->n; i++) {
    if (layout->replicas[layout->clusters[i]] > 0) {
      clusters[n++] = layout->clusters[i];
    }
  }
  return clusters == NULL ? REBAL_ENOMEM
                          : rebali_plan_groups(&attempt->arena, attempt->question.snapshot, field, clusters, n, groups);
}

static int32_t check_spreads(struct attempt *attempt, const struct rebali_placement *placement,
                             const struct rebali_layout *layout, int64_t *broken) {
  for (uint32_t field = REBAL_SPREAD_BY_CLUSTER; field <= REBAL_SPREAD_BY_PROVIDER; field++) {
    const struct rebali_spread *spread = rebali_placement_spread(placement, field);
    const int64_t below = BREACH(MIN_CLUSTERS) << 2 * (field - REBAL_SPREAD_BY_CLUSTER);
    int64_t groups;

    if (spread == NULL || !rebali_placement_selects(placement)) {
      continue;
    }
    if (count_groups(attempt, layout, field, &groups) != REBAL_OK) {
      return rebali_fail_memory(attempt->question.err);
    }
    *broken |= groups < spread->min_groups ? below : 0;
    *broken |= spread->max_groups > 0 && groups > spread->max_groups ? below << 1 : 0;
  }
  return REBAL_OK;
}

/* ---- drift ------------------------------------------------------------------------------------------------------- */

static int32_t read_wanted(struct rebali_pass *pass, const struct rebali_failures *failures, void *user_data) {
  struct attempt *attempt = user_data;
  int32_t code = REBAL_OK;

  (void)failures;
  attempt->outcome = pass->outcome;
  attempt->message = rebali_arena_text(
      &attempt->arena, rebali_text(pass->message.bytes, rebali_pass_refused(pass) ? pass->message.len : 0));
  if (attempt->message.bytes == NULL) {
    return rebali_fail_memory(pass->err);
  }
  rebali_layout_answer(&attempt->wanted, pass, &attempt->before);
  if (pass->placement != NULL) {
    code = check_spreads(attempt, pass->placement, &attempt->after, &attempt->broken);
    code = code == REBAL_OK ? check_spreads(attempt, pass->placement, &attempt->before, &attempt->broken_before) : code;
  }
  return code;
}

static int64_t drift(const struct attempt *attempt, const struct rebali_layout *layout) {
  return rebali_layout_moved(layout->sum, attempt->wanted.sum, rebali_layout_kept(layout, &attempt->wanted));
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

static int32_t examine_limits(struct attempt *attempt, rebal_result *result) {
  const struct rebali_question *question = &attempt->question;
  const rebal_move *move = &attempt->move;
  struct rebali_plan_call call = {.ctx = question->ctx,
                                  .snapshot = question->snapshot,
                                  .bindings = question->bindings,
                                  .now = move->now,
                                  .opts = {.flags = move->flags,
                                           .limits = move->limits,
                                           .n_limits = move->n_limits,
                                           .budgets = move->budgets,
                                           .n_budgets = move->n_budgets},
                                  .err = question->err};
  int32_t code = move->n_limits == 0 ? REBAL_OK : rebali_clock_check(move->now, question->err);

  attempt->limited = (struct rebali_one_move){
      move->binding, {move->source, move->target, move->replicas}, move->replicas, REBAL_ABSENT};
  if (code == REBAL_OK && (move->n_limits != 0 || move->n_budgets != 0)) {
    code = rebali_plan_one_move(&call, &attempt->limited, result);
  }
  attempt->broken |= attempt->limited.granted < move->replicas ? BREACH(LIMIT) : 0;
  return code;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static int32_t check_move(const struct attempt *attempt) {
  const rebal_move *move = &attempt->move;
  const uint32_t rows = rebali_snapshot_rows(attempt->question.snapshot);
  rebal_error *err = attempt->question.err;

  if ((move->flags & ~(uint32_t)REBAL_PLAN_FLAG_BUDGETS_OVER_CLUSTERS) != 0) {
    return rebali_fail(err, REBAL_EUNSUPPORTED, -1, "a reserved option is set");
  }
  if (move->binding >= rebali_bindings_size(attempt->question.bindings)) {
    return rebali_fail(err, REBAL_EINVAL, -1, "there is no binding row %lu", (unsigned long)move->binding);
  }
  if (move->source >= rows || move->target >= rows || move->source == move->target) {
    return rebali_fail(err, REBAL_EINVAL, -1, "source and target must be two clusters of the snapshot");
  }
  return REBAL_OK;
}

/* Lays out the targets without and with the move. */
static int32_t lay_out(struct attempt *attempt) {
  const rebal_move *move = &attempt->move;
  const rebal_bindings *bindings = attempt->question.bindings;
  const size_t rows = (size_t)rebali_snapshot_rows(attempt->question.snapshot) + 1;

  if (rebali_layout_init(&attempt->before, &attempt->arena, rows) != REBAL_OK ||
      rebali_layout_init(&attempt->after, &attempt->arena, rows) != REBAL_OK ||
      rebali_layout_init(&attempt->wanted, &attempt->arena, rows) != REBAL_OK) {
    return rebali_fail_memory(attempt->question.err);
  }
  rebali_layout_targets(&attempt->before, bindings, move->binding);
  rebali_layout_targets(&attempt->after, bindings, move->binding);
  if (move->replicas <= 0 || attempt->before.replicas[move->source] < move->replicas) {
    return rebali_fail(attempt->question.err, REBAL_ERANGE, -1, "the source has fewer than %ld replicas to move",
                       (long)move->replicas);
  }
  attempt->after.replicas[move->source] -= move->replicas;
  attempt->after.sum -= move->replicas;
  rebali_layout_add(&attempt->after, move->target, move->replicas);
  return REBAL_OK;
}

static int32_t write_row(const struct attempt *attempt, rebal_result *result) {
  struct rebali_table *table = rebali_result_table(result, REBAL_TABLE_TRIED);
  size_t row;

  if (rebali_table_append(table, 1, &row) != REBAL_OK ||
      rebali_table_set_text(table, REBAL_TRIED_MESSAGE, row, attempt->message) != REBAL_OK) {
    return rebali_fail_memory(attempt->question.err);
  }
  *rebali_table_integers(table, REBAL_TRIED_BINDING, row) = attempt->move.binding;
  *rebali_table_integers(table, REBAL_TRIED_SOURCE, row) = attempt->move.source;
  *rebali_table_integers(table, REBAL_TRIED_TARGET, row) = attempt->move.target;
  *rebali_table_integers(table, REBAL_TRIED_REPLICAS, row) = attempt->move.replicas;
  *rebali_table_integers(table, REBAL_TRIED_BROKEN, row) = attempt->broken;
  *rebali_table_integers(table, REBAL_TRIED_BROKEN_BEFORE, row) = attempt->broken_before;
  *rebali_table_integers(table, REBAL_TRIED_REJECTED_BY, row) = attempt->rejected_by;
  *rebali_table_integers(table, REBAL_TRIED_AVAILABLE, row) = attempt->available;
  *rebali_table_integers(table, REBAL_TRIED_OUTCOME, row) = attempt->outcome;
  *rebali_table_integers(table, REBAL_TRIED_DRIFT_BEFORE, row) = drift(attempt, &attempt->before);
  *rebali_table_integers(table, REBAL_TRIED_DRIFT, row) = drift(attempt, &attempt->after);
  *rebali_table_integers(table, REBAL_TRIED_GRANTED, row) = attempt->limited.granted;
  *rebali_table_integers(table, REBAL_TRIED_LIMITED_BY, row) = attempt->limited.limited_by;
  return REBAL_OK;
}

static int32_t run(struct attempt *attempt, rebal_result *result) {
  const struct rebali_decision_request fresh = {.trigger = REBALI_TRIGGER_NOW}, target = {.decide = judge};
  int32_t code = lay_out(attempt);

  code =
      code == REBAL_OK ? rebali_question_run(&attempt->question, attempt->move.binding, &target, NULL, attempt) : code;
  code = code == REBAL_OK ? rebali_question_run(&attempt->question, attempt->move.binding, &fresh, read_wanted, attempt)
                          : code;
  code = code == REBAL_OK ? examine_limits(attempt, result) : code;
  return code == REBAL_OK ? write_row(attempt, result) : code;
}

static int32_t open_attempt(struct attempt *attempt, const rebal_move *move) {
  struct rebali_question *question = &attempt->question;
  size_t end;
  int32_t code = move == NULL ? rebali_fail(question->err, REBAL_EINVAL, -1, "move is NULL")
                              : rebali_options_load(&attempt->move, sizeof attempt->move, sizeof attempt->move, move,
                                                    question->err);

  code = code == REBAL_OK ? rebali_schedule_check(question->snapshot, question->bindings, attempt->move.schedule,
                                                  &question->opts, &end, question->err)
                          : code;
  question->opts.explain_rows = 0;
  question->opts.observations = NULL;
  return code == REBAL_OK ? check_move(attempt) : code;
}

int32_t rebal_try(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings, const rebal_move *move,
                  rebal_result *result, rebal_error *err) {
  struct attempt attempt = {.question = {.ctx = ctx, .snapshot = snapshot, .bindings = bindings, .err = err},
                            .available = REBAL_ABSENT};
  int32_t code = open_attempt(&attempt, move);

  code = code == REBAL_OK ? rebali_ctx_begin(ctx, err) : code;
  if (code != REBAL_OK) {
    return code;
  }
  rebali_ctx_end(ctx);
  code = rebali_result_begin(result, err);
  if (code != REBAL_OK) {
    return code;
  }
  rebali_arena_init(&attempt.arena, rebali_ctx_allocator(ctx), 0);
  rebali_snapshot_hold(snapshot, result);
  code = run(&attempt, result);
  if (code != REBAL_OK) {
    rebal_result_reset(result);
  }
  rebali_arena_dispose(&attempt.arena);
  return code;
}
