/* SPDX-License-Identifier: MIT */
/*
 * The scheduler's queue as functions: which binding comes next, and when a failed one is retried (rebalance-karmada(7)
 * 2.7).
 */
#include "scheduler/scheduler.h"

/* Periodic checks empty a pool: they remove bindings that have been in it for long enough. */
#define CHECK_BACK_OFF_NS REBALI_SECOND_NS
#define CHECK_UNSCHEDULABLE_NS (30 * REBALI_SECOND_NS)
#define UNSCHEDULABLE_SECONDS 300
#define LONGEST_BACK_OFF_SECONDS 10

int32_t rebal_queue_compare(int32_t priority, const rebal_time *since, int32_t other_priority,
                            const rebal_time *other_since) {
  static const rebal_time absent = {0, 0, 0};

  if (priority != other_priority) {
    return priority > other_priority ? -1 : 1;
  }
  return rebali_time_compare(since == NULL ? &absent : since, other_since == NULL ? &absent : other_since);
}

int32_t rebal_queue_pool(int64_t state, int64_t outcome) {
  if (state == REBAL_STEP_STATE_WAITING) {
    return REBAL_POOL_ACTIVE;
  }
  if (state != REBAL_STEP_STATE_RETRY) {
    return REBAL_POOL_NONE;
  }
  return outcome == REBAL_OUTCOME_UNSCHEDULABLE || outcome == REBAL_OUTCOME_PARTIAL ? REBAL_POOL_UNSCHEDULABLE
                                                                                    : REBAL_POOL_BACK_OFF;
}

static int64_t back_off_seconds(uint32_t attempts) {
  int64_t seconds = 1;

  for (uint32_t i = 1; i < attempts && seconds < LONGEST_BACK_OFF_SECONDS; i++) {
    seconds *= 2;
  }
  return seconds < LONGEST_BACK_OFF_SECONDS ? seconds : LONGEST_BACK_OFF_SECONDS;
}

int64_t rebal_queue_back_off_ns(uint32_t attempts) {
  return back_off_seconds(attempts) * REBALI_SECOND_NS;
}

/*
 * Returns the number of the first check at or after (is_later: only after) a moment that is distance_ns after the first
 * check.
 */
static int64_t first_check(int64_t distance_ns, int64_t period_ns, int is_later) {
  if (distance_ns < 0) {
    return 0;
  }
  return distance_ns / period_ns + (is_later || distance_ns % period_ns != 0);
}

int32_t rebal_queue_flush(int32_t pool, const rebal_time *since, uint32_t attempts, const rebal_time *checked_from,
                          rebal_time *out, rebal_error *err) {
  const int is_unschedulable = pool == REBAL_POOL_UNSCHEDULABLE;
  const int64_t period = is_unschedulable ? CHECK_UNSCHEDULABLE_NS : CHECK_BACK_OFF_NS;
  const int64_t wait = is_unschedulable ? UNSCHEDULABLE_SECONDS : back_off_seconds(attempts);
  int32_t code = rebali_clock_check(since, err);

  code = code == REBAL_OK ? rebali_clock_check(checked_from, err) : code;
  if (code != REBAL_OK) {
    return code;
  }
  if (out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "out is missing");
  }
  if (!is_unschedulable && pool != REBAL_POOL_BACK_OFF) {
    return rebali_fail(err, REBAL_EINVAL, -1, "pool %ld is not left by time", (long)pool);
  }
  /* The unschedulable pool requires more than 5 minutes, the other one at least the back-off. */
  *out = rebali_time_after(
      checked_from, rebali_multiply_saturating(
                        first_check(rebali_time_left_ns(checked_from, since, wait), period, is_unschedulable), period));
  return REBAL_OK;
}
