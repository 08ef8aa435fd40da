/* SPDX-License-Identifier: MIT */
/* Public functions for the foundation's quantities and times: the foundation itself exports nothing. */
#include "record/record.h"

int32_t rebal_quantity_parse(const char *text, size_t len, rebal_quantity *out, rebal_error *err) {
  return rebali_quantity_parse(text, len, out, err);
}

int32_t rebal_quantity_format(const rebal_quantity *quantity, char *buffer, size_t capacity, size_t *len,
                              rebal_error *err) {
  return rebali_quantity_format(quantity, buffer, capacity, len, err);
}

int64_t rebal_quantity_value(const rebal_quantity *quantity) {
  return rebali_quantity_value(quantity);
}

int64_t rebal_quantity_milli(const rebal_quantity *quantity) {
  return rebali_quantity_milli(quantity);
}

int32_t rebal_quantity_add(const rebal_quantity *left, const rebal_quantity *right, rebal_quantity *out,
                           rebal_error *err) {
  return rebali_quantity_add(left, right, out, err);
}

int32_t rebal_quantity_subtract(const rebal_quantity *left, const rebal_quantity *right, rebal_quantity *out,
                                rebal_error *err) {
  return rebali_quantity_subtract(left, right, out, err);
}

int32_t rebal_quantity_compare(const rebal_quantity *left, const rebal_quantity *right) {
  return rebali_quantity_compare(left, right);
}

int32_t rebal_time_parse(const char *text, size_t len, rebal_time *out, rebal_error *err) {
  return rebali_time_parse(text, len, out, err);
}

int32_t rebal_time_format(const rebal_time *time, char *buffer, size_t capacity, size_t *len, rebal_error *err) {
  return rebali_time_format(time, buffer, capacity, len, err);
}

int32_t rebal_time_compare(const rebal_time *left, const rebal_time *right) {
  return rebali_time_compare(left, right);
}
