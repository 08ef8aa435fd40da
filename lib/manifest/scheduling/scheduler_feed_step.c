/* SPDX-License-Identifier: MIT */
/* Scheduling passes over the bindings taken from the queue. */
#include "manifest/scheduling/scheduler_feed.h"

#include <string.h>

/* Completes the caller's options with the state of the feed. */
static int32_t complete(const rebal_scheduler_feed *feed, const rebal_time *expiry, const rebal_schedule_opts *opts,
                        rebal_schedule_opts *own, rebal_error *err) {
  const int32_t code = rebali_options_load(own, sizeof *own, sizeof *own, opts, err);
  if (code == REBAL_OK && (own->ledger != NULL || own->scheduler_name != NULL)) {
    return rebali_fail(err, REBAL_EINVAL, -1, "the options have a %s of their own",
                       own->ledger != NULL ? "ledger" : "scheduler_name");
  }
  own->struct_size = (uint32_t)sizeof *own;
  own->ledger = feed->ledger;
  own->ledger_expiry = expiry;
  own->scheduler_name = feed->name;
  own->scheduler_name_len = strlen(feed->name);
  return code;
}

/* Reverts charges of a call that assumed successful writes: this call reports which succeeded. */
static int32_t take_back(rebal_scheduler_feed *feed, const rebal_schedule_opts *opts, rebal_error *err) {
  const uint64_t left = opts->first_row < feed->n_rows ? feed->n_rows - opts->first_row : 0;
  const uint64_t n = opts->max_work != 0 && opts->max_work < left ? opts->max_work : left;
  int32_t code = REBAL_OK;
  for (uint64_t i = opts->first_row; code == REBAL_OK && opts->observations != NULL && i < opts->first_row + n; i++) {
    if (feed->rows[i].is_assumed) {
      code = rebali_scheduler_release(feed, &feed->queued[feed->rows[i].object], REBAL_NONE, err);
    }
    feed->rows[i].is_assumed = 0;
  }
  return code;
}

/* Moves the rows that were decided on to their pools. */
static int32_t leave_rows(rebal_scheduler_feed *feed, const rebal_schedule_opts *opts, const rebal_result *result,
                          rebal_error *err) {
  size_t n;
  const int64_t *states = rebal_result_i64(result, REBAL_STEP_STATE, &n);
  const int64_t *outcomes = rebal_result_i64(result, REBAL_DECISION_OUTCOME, NULL);
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    struct rebali_scheduler_row *row = &feed->rows[opts->first_row + i];
    const int32_t pool = rebal_queue_pool(states[i], outcomes[i]);
    row->is_assumed = opts->observations == NULL;
    /* An active binding's turn continues; if the caller abandons it, it is queued again. */
    code = rebali_scheduler_leave(feed, row->object, pool != REBAL_POOL_ACTIVE ? pool : REBAL_POOL_BACK_OFF, err);
  }
  return code;
}

int32_t rebal_scheduler_feed_step(rebal_ctx *ctx, rebal_scheduler_feed *feed, const rebal_time *now,
                                  const rebal_schedule_opts *opts, rebal_result *result, rebal_error *err) {
  rebal_time expiry;
  rebal_schedule_opts own;
  int32_t code, refused;
  if (ctx == NULL || feed == NULL || result == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "ctx, feed and result are needed");
  }
  if (feed->snapshot == NULL) {
    return rebali_fail(err, REBAL_ESTATE, -1, "the feed was never updated");
  }
  code = rebali_clock_check(now, err);
  if (code != REBAL_OK) {
    return code;
  }
  expiry = rebali_time_after(now, feed->assumed_ns);
  rebal_result_reset(result);
  code = complete(feed, &expiry, opts, &own, err);
  if (code != REBAL_OK || feed->n_rows == 0) { /* then the bindings hold rows of an update */
    return code;
  }
  code = take_back(feed, &own, err);
  if (code != REBAL_OK) {
    return code;
  }
  refused = rebal_scheduler_step(ctx, feed->snapshot, feed->bindings, now, &own, result, err);
  code = leave_rows(feed, &own, result, refused == REBAL_OK ? err : NULL);
  return refused != REBAL_OK ? refused : code;
}

uint32_t rebal_scheduler_feed_object(const rebal_scheduler_feed *feed, size_t row) {
  return feed != NULL && row < feed->n_rows ? feed->rows[row].object : REBAL_NONE;
}

int32_t rebal_scheduler_feed_retry(rebal_scheduler_feed *feed, size_t row, rebal_error *err) {
  if (feed == NULL || row >= feed->n_rows) {
    return rebali_fail(err, REBAL_EINVAL, (int64_t)row, "feed and a row of it are needed");
  }
  return rebali_scheduler_leave(feed, feed->rows[row].object, REBAL_POOL_BACK_OFF, err);
}
