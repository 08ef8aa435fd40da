/* SPDX-License-Identifier: MIT */
/*
 * Finds how many replicas of a new binding fit before the first refusal.
 *
 * Bisection is correct where n replicas fit only if all smaller numbers fit, for each group separately (a binding fits
 * if it fits with one of its groups). Without targets, the number available in a cluster is the estimate, v >= 0, or n
 * where nothing limits it; one usable cluster without a limit is enough for any n.
 * - Copies: only the selection by region depends on the number.
 * - Dynamic weights, Aggregated: the sum of what is available must be at least n, over tiers too, since each takes what
 *   it has. Static weights without a list or a limit always fit; within capacity the sum over clusters with a weight
 *   counts.
 * - Selection by cluster: clusters are exchanged one by one, each time for one with more, until the sum is n. The
 *   possible exchanges are the same for every n, so n fits up to the sum after the last one.
 */
#include "plan/whatif/whatif.h"

#define MOST_TRIED 1000000

struct headroom {
  struct rebali_sweep *sweep;
  uint32_t row;
  int32_t most;
  int is_monotone;
  int64_t outcome; /* of the last number decided */
  struct rebali_buffer message;
};

static int is_monotone(const struct rebali_pass *pass) {
  const struct rebali_placement *placement = pass->placement;
  const rebal_compat *compat = pass->opts->compat;

  if (pass->n_components > 0 || pass->opts->n_estimators > 0 || rebali_compat_value(compat, REBAL_OPTION_INT32_WRAP) ||
      rebali_compat_value(compat, REBAL_OPTION_PARTIAL_PLACEMENT)) {
    return 0;
  }
  if (placement->strategy == REBALI_STRATEGY_STATIC_WEIGHT) {
    return !rebali_placement_selects(placement) && !placement->has_overflow;
  }
  return !rebali_placement_selects(placement) || rebali_placement_spread(placement, REBAL_SPREAD_BY_REGION) == NULL;
}

static int32_t read_outcome(struct rebali_pass *pass, const struct rebali_failures *failures, void *user_data) {
  struct headroom *headroom = user_data;

  (void)failures;
  headroom->is_monotone = pass->placement == NULL || is_monotone(pass);
  headroom->outcome = pass->outcome;
  rebali_buffer_clear(&headroom->message);
  rebali_buffer_append(&headroom->message, pass->message.bytes, pass->message.len);
  return headroom->message.failed ? rebali_fail_memory(pass->err) : REBAL_OK;
}

static int32_t fits(struct headroom *headroom, int32_t replicas, int *answer) {
  const struct rebali_decision_request request = {
      .lost = headroom->sweep->lost, .trigger = REBALI_TRIGGER_NONE, .is_new = 1, .replicas = replicas};
  const int32_t code = rebali_question_run(&headroom->sweep->question, headroom->row, &request, read_outcome, headroom);

  *answer = code == REBAL_OK && headroom->outcome == REBAL_OUTCOME_SCHEDULED;
  return code;
}

/* Tries numbers in ascending order, from the first that is known to fit. */
static int32_t count_up(struct headroom *headroom, int32_t *found) {
  int32_t code = REBAL_OK;
  int does_fit = 1;

  while (code == REBAL_OK && does_fit && *found < headroom->most) {
    code = fits(headroom, *found + 1, &does_fit);
    *found += does_fit;
  }
  return code;
}

/* *found fits. Doubles it until it does not fit, then bisects. */
static int32_t bisect(struct headroom *headroom, int32_t *found) {
  int32_t low = *found, step = 1, refused = headroom->most;
  int32_t code = REBAL_OK;
  int does_fit = 1;

  while (code == REBAL_OK && does_fit && low < headroom->most) {
    const int32_t next = headroom->most - low < step ? headroom->most : low + step;

    code = fits(headroom, next, &does_fit);
    low = does_fit ? next : low;
    refused = next;
    step = step > INT32_MAX / 2 ? step : 2 * step;
  }
  while (code == REBAL_OK && !does_fit && refused - low > 1) {
    const int32_t middle = low + (refused - low) / 2;
    int middle_fits;

    code = fits(headroom, middle, &middle_fits);
    low = middle_fits ? middle : low;
    refused = middle_fits ? refused : middle;
  }
  *found = low;
  return code == REBAL_OK && !does_fit ? fits(headroom, refused, &does_fit) : code; /* sets outcome and message */
}

static int32_t measure(struct headroom *headroom, int32_t *found) {
  int does_fit;
  int32_t code = fits(headroom, 1, &does_fit);

  *found = does_fit;
  if (code != REBAL_OK || !does_fit) {
    return code;
  }
  return headroom->is_monotone ? bisect(headroom, found) : count_up(headroom, found);
}

static int32_t write_row(struct headroom *headroom, rebal_result *result, size_t place, int32_t found) {
  struct rebali_table *table = rebali_result_table(result, REBAL_TABLE_HEADROOM);
  const struct rebali_loss *loss = &headroom->sweep->losses.list[place];
  const int is_scheduled = headroom->outcome == REBAL_OUTCOME_SCHEDULED;
  const struct rebali_text message =
      is_scheduled ? REBALI_TEXT("") : rebali_text(headroom->message.bytes, headroom->message.len);
  size_t row;

  if (rebali_table_append(table, 1, &row) != REBAL_OK ||
      rebali_table_set_text(table, REBAL_HEADROOM_NAME, row, loss->name) != REBAL_OK ||
      rebali_table_set_text(table, REBAL_HEADROOM_MESSAGE, row, message) != REBAL_OK) {
    return rebali_fail_memory(headroom->sweep->question.err);
  }
  *rebali_table_integers(table, REBAL_HEADROOM_LOSS, row) = (int64_t)place;
  *rebali_table_integers(table, REBAL_HEADROOM_KIND, row) = loss->kind;
  *rebali_table_integers(table, REBAL_HEADROOM_SET, row) = rebali_id_given(loss->set);
  *rebali_table_integers(table, REBAL_HEADROOM_CLUSTERS, row) = (int64_t)loss->n;
  *rebali_table_integers(table, REBAL_HEADROOM_REPLICAS, row) = found;
  *rebali_table_integers(table, REBAL_HEADROOM_OUTCOME, row) = headroom->outcome;
  return REBAL_OK;
}

static int32_t run(struct headroom *headroom, rebal_result *result) {
  struct rebali_sweep *sweep = headroom->sweep;
  const size_t rows = rebali_snapshot_rows(sweep->question.snapshot);
  int32_t code = REBAL_OK;

  sweep->lost = rebali_arena_allocate_zero(&sweep->arena, REBALI_BITSET_WORDS(rows + 1), sizeof *sweep->lost);
  if (sweep->lost == NULL) {
    return rebali_fail_memory(sweep->question.err);
  }
  for (size_t place = sweep->first; place < sweep->end && code == REBAL_OK; place++) {
    int32_t found;

    rebali_loss_mark(&sweep->losses.list[place], sweep->lost, 1);
    code = measure(headroom, &found);
    rebali_loss_mark(&sweep->losses.list[place], sweep->lost, 0);
    code = code == REBAL_OK ? write_row(headroom, result, place, found) : code;
  }
  return code;
}

static int32_t check(const struct headroom *headroom) {
  rebal_error *err = headroom->sweep->question.err;

  if (headroom->row >= rebali_bindings_size(headroom->sweep->question.bindings)) {
    return rebali_fail(err, REBAL_EINVAL, -1, "there is no binding row %lu", (unsigned long)headroom->row);
  }
  return headroom->most > 0 ? REBAL_OK : rebali_fail(err, REBAL_ERANGE, -1, "max_replicas is negative");
}

int32_t rebal_headroom(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings, uint32_t row,
                       int32_t max_replicas, const rebal_sweep_opts *opts, rebal_result *result, rebal_error *err) {
  struct rebali_sweep sweep;
  struct headroom headroom = {.sweep = &sweep, .row = row, .most = max_replicas == 0 ? MOST_TRIED : max_replicas};
  int32_t code = rebali_sweep_open(&sweep, ctx, snapshot, bindings, opts, err);

  if (code != REBAL_OK) {
    return code;
  }
  rebali_buffer_init(&headroom.message, sweep.allocator);
  code = check(&headroom);
  code = code == REBAL_OK ? rebali_result_begin(result, err) : code;
  if (code == REBAL_OK) {
    rebali_snapshot_hold(snapshot, result);
    code = run(&headroom, result);
    if (code != REBAL_OK) {
      rebal_result_reset(result);
    }
  }
  rebali_buffer_dispose(&headroom.message);
  rebali_sweep_close(&sweep);
  return code;
}
