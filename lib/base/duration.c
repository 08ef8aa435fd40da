/* SPDX-License-Identifier: MIT */
#include "base/base.h"

#define LAST_SECOND INT64_C(253402300799) /* 9999-12-31T23:59:59Z */

int64_t rebali_time_left_ns(const rebal_time *now, const rebal_time *start, int64_t seconds) {
  /* Times lie in the years 1 to 9999, so their difference fits. */
  const int64_t whole = rebali_add_saturating(start->seconds - now->seconds, seconds);

  return rebali_add_saturating(rebali_multiply_saturating(whole, REBALI_SECOND_NS), start->nanos - now->nanos);
}

rebal_time rebali_time_after(const rebal_time *start, int64_t ns) {
  const int64_t nanos = start->nanos + ns % REBALI_SECOND_NS; /* below two seconds */
  const int64_t seconds = start->seconds + ns / REBALI_SECOND_NS + nanos / REBALI_SECOND_NS;

  if (seconds > LAST_SECOND) {
    return (rebal_time){LAST_SECOND, (int32_t)(REBALI_SECOND_NS - 1), 1};
  }
  return (rebal_time){seconds, (int32_t)(nanos % REBALI_SECOND_NS), 1};
}

rebal_time rebali_time_whole(const rebal_time *time) {
  return (rebal_time){time->seconds, 0, time->is_set};
}
