/* SPDX-License-Identifier: MIT */
#include "record/record.h"

static struct rebali_text text_of(const rebal_record *record, uint32_t node, uint32_t field) {
  return rebali_record_text(record, rebali_record_get(record, node, field));
}

struct rebali_taint rebali_taint_read(const rebal_record *record, uint32_t node) {
  struct rebali_taint taint = {text_of(record, node, REBAL_TAINT_KEY),
                               text_of(record, node, REBAL_TAINT_VALUE),
                               text_of(record, node, REBAL_TAINT_EFFECT),
                               {0, 0, 0}};

  rebal_record_time(record, rebali_record_get(record, node, REBAL_TAINT_TIME_ADDED), &taint.time_added);
  return taint;
}

struct rebali_toleration rebali_toleration_read(const rebal_record *record, uint32_t node) {
  const uint32_t seconds = rebali_record_get(record, node, REBAL_TOLERATION_TOLERATION_SECONDS);

  return (struct rebali_toleration){text_of(record, node, REBAL_TOLERATION_KEY),
                                    text_of(record, node, REBAL_TOLERATION_OPERATOR),
                                    text_of(record, node, REBAL_TOLERATION_VALUE),
                                    text_of(record, node, REBAL_TOLERATION_EFFECT),
                                    rebal_record_i64(record, seconds),
                                    seconds != REBAL_NONE};
}
