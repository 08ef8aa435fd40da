/* SPDX-License-Identifier: MIT */
#include "record/record.h"

struct rebali_taint rebali_taint_read(const rebal_record *record, uint32_t node) {
  struct rebali_taint taint = {rebali_record_field_text(record, node, REBAL_TAINT_KEY),
                               rebali_record_field_text(record, node, REBAL_TAINT_VALUE),
                               rebali_record_field_text(record, node, REBAL_TAINT_EFFECT),
                               {0, 0, 0}};

  rebal_record_time(record, rebali_record_get(record, node, REBAL_TAINT_TIME_ADDED), &taint.time_added);
  return taint;
}

struct rebali_toleration rebali_toleration_read(const rebal_record *record, uint32_t node) {
  const uint32_t seconds = rebali_record_get(record, node, REBAL_TOLERATION_TOLERATION_SECONDS);

  return (struct rebali_toleration){rebali_record_field_text(record, node, REBAL_TOLERATION_KEY),
                                    rebali_record_field_text(record, node, REBAL_TOLERATION_OPERATOR),
                                    rebali_record_field_text(record, node, REBAL_TOLERATION_VALUE),
                                    rebali_record_field_text(record, node, REBAL_TOLERATION_EFFECT),
                                    rebal_record_i64(record, seconds),
                                    seconds != REBAL_NONE};
}
