/* SPDX-License-Identifier: MIT */
/*
 * The pace of evictions: one binding in each interval, the first by row of those that are due. rebalance-karmada(7)
 * 10.3, Rate.
 */
#include "failover/failover.h"

int32_t rebali_pace_load(struct rebali_failover_call *call) {
  const rebal_time *next = call->opts.next_eviction;
  rebal_error *err = call->every.err;

  if (call->opts.eviction_interval_ns < 0) {
    return rebali_fail(err, REBAL_ERANGE, -1, "eviction_interval_ns is negative");
  }
  if (next == NULL || !next->is_set) {
    return REBAL_OK;
  }
  call->pace.next = *next;
  return rebali_time_check(next, -1, err);
}

/*
 * If the next eviction is further away than the interval, it was set by another clock or interval. It is then moved to
 * the end of the interval.
 */
int64_t rebali_pace_left_ns(struct rebali_failover_call *call) {
  const int64_t interval = call->opts.eviction_interval_ns;
  int64_t left;

  if (interval == 0 || !call->pace.next.is_set) {
    return 0;
  }
  left = rebali_time_left_ns(call->every.now, &call->pace.next, 0);
  if (left > interval) {
    left = interval;
    call->pace.next = rebali_time_after(call->every.now, interval);
  }
  return left <= 0 ? 0 : rebali_add_saturating(left, rebali_multiply_saturating(interval, call->pace.waiting));
}

void rebali_pace_evict(struct rebali_failover_call *call) {
  call->pace.evicted++;
  call->pace.next = rebali_time_after(call->every.now, call->opts.eviction_interval_ns);
}

int32_t rebali_pace_wait(struct rebali_failover_call *call, uint32_t binding, int64_t left_ns) {
  const int32_t code = rebali_every_binding_wake(&call->every, binding, left_ns);

  call->pace.waiting++;
  return code != REBAL_OK ? code
                          : rebali_every_binding_step(&call->every, REBAL_STEP_STATE_WAITING, REBAL_TAINT_VERDICT_EVICT,
                                                      REBALI_TEXT(""), left_ns);
}

int32_t rebali_pace_write(struct rebali_failover_call *call) {
  struct rebali_table *table = rebali_result_table(call->every.result, REBAL_TABLE_PACE);
  size_t row;

  if (call->opts.eviction_interval_ns == 0) {
    return REBAL_OK;
  }
  if (rebali_table_add(table, 1, &row) != REBAL_OK ||
      rebali_table_set_i64(table, REBAL_PACE_EVICTED, row, call->pace.evicted) != REBAL_OK ||
      rebali_table_set_i64(table, REBAL_PACE_WAITING, row, call->pace.waiting) != REBAL_OK ||
      rebali_table_set_time(table, REBAL_PACE_NEXT, row, &call->pace.next) != REBAL_OK) {
    rebal_result_reset(call->every.result);
    return rebali_fail_memory(call->every.err);
  }
  return REBAL_OK;
}
