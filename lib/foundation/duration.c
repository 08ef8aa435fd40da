/* SPDX-License-Identifier: MIT */
#include "foundation/foundation.h"

int32_t rebali_time_check(const rebal_time *value, int64_t where, rebal_error *err) {
  if (value->is_set != 0 && (value->nanos < 0 || value->nanos >= REBALI_SECOND_NS ||
                             value->seconds < REBALI_FIRST_SECOND || value->seconds > REBALI_LAST_SECOND)) {
    return rebali_fail(err, REBAL_ERANGE, where, "the time is not within the years 1 to 9999");
  }
  return REBAL_OK;
}

int32_t rebali_clock_check(const rebal_time *now, rebal_error *err) {
  if (now == NULL || !now->is_set) {
    return rebali_fail(err, REBAL_EINVAL, -1, "now is missing");
  }
  return rebali_time_check(now, -1, err);
}

int64_t rebali_time_left_ns(const rebal_time *now, const rebal_time *start, int64_t seconds) {
  /* Times are in the years 1 to 9999, so their difference fits. */
  const int64_t whole = rebali_add_saturating(start->seconds - now->seconds, seconds);

  return rebali_add_saturating(rebali_multiply_saturating(whole, REBALI_SECOND_NS), start->nanos - now->nanos);
}

rebal_time rebali_time_after(const rebal_time *start, int64_t ns) {
  const int64_t nanos = start->nanos + ns % REBALI_SECOND_NS; /* above minus one second, below two */
  const int64_t whole = nanos < 0 ? -1 : nanos / REBALI_SECOND_NS;
  const int64_t seconds = start->seconds + ns / REBALI_SECOND_NS + whole; /* below 2^38, 2^34 and 2 */

  if (seconds > REBALI_LAST_SECOND) {
    return (rebal_time){REBALI_LAST_SECOND, (int32_t)(REBALI_SECOND_NS - 1), 1};
  }
  return (rebal_time){seconds, (int32_t)(nanos - whole * REBALI_SECOND_NS), start->is_set != 0};
}

rebal_time rebali_time_whole(const rebal_time *time) {
  return (rebal_time){time->seconds, 0, time->is_set};
}
