/* SPDX-License-Identifier: MIT */
#include "making.h"

#define UNREADABLE INT64_MIN

/* Spec workloadspread 2.1 (its table has total 7) and 10. */
static const struct {
  const char *limit;
  int32_t total;
  int64_t scaled;
  int64_t legacy;
  int64_t integer;
} readings[] = {
    {"3", 7, 3, 3, 3},
    {"-1", 7, -1, -1, -1},
    {"50%", 7, 4, 4, 0},
    {"50", 7, 50, 50, 50},
    {"50 ", 7, UNREADABLE, UNREADABLE, 0},
    {"-10%", 7, 0, 0, 0},
    {"-10%", 9, 0, 0, 0},
    {"-10%", 10, -1, -1, 0},
    {"-10%", 19, -1, -1, 0},
    {"150%", 7, 11, 11, 0},
    {"+5%", 7, 1, 1, 0},
    {"5%%", 7, UNREADABLE, 1, 0},
    {"%5", 7, UNREADABLE, 1, 0},
    {"%", 7, UNREADABLE, UNREADABLE, 0},
    {" 5%", 7, UNREADABLE, UNREADABLE, 0},
    {"abc", 7, UNREADABLE, UNREADABLE, 0},
    {"", 7, UNREADABLE, UNREADABLE, 0},
    {"0%", 7, 0, 0, 0},
    {"100%", 0, 0, 0, 0},
    {"100%", -1, -1, -1, 0},
    {"33%", 10, 4, 4, 0},
    {"+7", 9, UNREADABLE, 1, 7},
    {"9223372036854775807%", 1000, 92233720368547759, 92233720368547759, 0},
    {"9223372036854775808%", 1, UNREADABLE, UNREADABLE, 0},
};

static struct rebali_limit limit_of(const char *limit) {
  rebal_builder *builder = new_builder();
  const rebal_record *record;
  struct rebali_limit read;

  rebal_builder_start(builder, REBAL_OBJECT_SUBSET, NULL);
  put_limit(builder, REBAL_SUBSET_MAX_REPLICAS, limit);
  record = finish(builder);
  read = rebali_limit_read(record, rebal_record_next(record, 0, REBAL_SUBSET_MAX_REPLICAS, REBAL_NONE));
  rebal_builder_free(builder);
  return read;
}

START_TEST(test_readings) {
  const struct rebali_limit limit = limit_of(readings[_i].limit);
  int64_t scaled = 0;
  int64_t legacy = 0;

  ck_assert_int_eq(limit.is_present, 1);
  if (!rebali_limit_scaled(&limit, readings[_i].total, &scaled)) {
    scaled = UNREADABLE;
  }
  if (!rebali_limit_legacy(&limit, readings[_i].total, &legacy)) {
    legacy = UNREADABLE;
  }
  ck_assert_int_eq(scaled, readings[_i].scaled);
  ck_assert_int_eq(legacy, readings[_i].legacy);
  ck_assert_int_eq(limit.integer, readings[_i].integer);
}
END_TEST

START_TEST(test_ends_in_percent) {
  ck_assert_int_eq(limit_of("abc%").ends_in_percent, 1);
  ck_assert_int_eq(limit_of("5%%").ends_in_percent, 1);
  ck_assert_int_eq(limit_of("%5").ends_in_percent, 0);
  ck_assert_int_eq(limit_of("5").ends_in_percent, 0);
  ck_assert_int_eq(rebali_limit_read(NULL, REBAL_NONE).is_present, 0);
}
END_TEST

/* More characters than any number has. */
START_TEST(test_long_text) {
  struct rebali_limit limit;
  rebal_builder *builder = new_builder();
  const rebal_record *record;
  char zeros[100];
  int64_t value;

  memset(zeros, '0', sizeof zeros);
  rebal_builder_start(builder, REBAL_OBJECT_INT_OR_TEXT, NULL);
  rebal_builder_text(builder, REBAL_INT_OR_TEXT_TEXT, zeros, sizeof zeros, NULL);
  record = finish(builder);
  limit = rebali_limit_read(record, 0);
  ck_assert_int_eq(rebali_limit_legacy(&limit, 7, &value), 0);
  rebal_builder_free(builder);
}
END_TEST

UNIT_CASE(max_replicas) {
  TCase *cases = tcase_create("max_replicas");

  tcase_add_loop_test(cases, test_readings, 0, (int)REBALI_COUNT(readings));
  tcase_add_test(cases, test_ends_in_percent);
  tcase_add_test(cases, test_long_text);
  return cases;
}
