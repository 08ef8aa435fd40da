/* SPDX-License-Identifier: MIT */
#include "foundation/foundation.h"

#include "../unit.h"

/* canonical NULL: text is already what is written back. */
static const struct {
  const char *text;
  int64_t seconds;
  int32_t nanos;
  const char *canonical;
} readings[] = {
    {"1970-01-01T00:00:00Z", 0, 0, NULL},
    {"1969-12-31T23:59:59Z", -1, 0, NULL},
    {"2026-03-14T09:00:00Z", 1773478800, 0, NULL},
    {"2026-03-14T09:00:00+00:00", 1773478800, 0, "2026-03-14T09:00:00Z"},
    {"2026-03-14T11:30:00+02:30", 1773478800, 0, "2026-03-14T09:00:00Z"},
    {"2026-03-13T23:00:00-10:00", 1773478800, 0, "2026-03-14T09:00:00Z"},
    {"2024-02-29T12:34:56Z", 1709210096, 0, NULL},
    {"2000-02-29T00:00:00Z", 951782400, 0, NULL},
    {"2000-03-01T00:00:00Z", 951868800, 0, NULL},
    {"1900-03-01T00:00:00Z", -2203891200, 0, NULL},
    {"2038-01-19T03:14:08Z", INT64_C(2147483648), 0, NULL},
    {"0001-01-01T00:00:00Z", INT64_C(-62135596800), 0, NULL},
    {"9999-12-31T23:59:59Z", INT64_C(253402300799), 0, NULL},
    {"9999-12-31T23:59:59.999999999Z", INT64_C(253402300799), 999999999, NULL},
    {"1970-01-01T00:00:00.5Z", 0, 500000000, NULL},
    {"1969-12-31T23:59:59.000000001Z", -1, 1, NULL},
    {"1970-01-01T00:00:00.120Z", 0, 120000000, "1970-01-01T00:00:00.12Z"},
    {"1970-01-01T00:00:00.000Z", 0, 0, "1970-01-01T00:00:00Z"},
    {"1970-01-01T00:00:00.1234567899Z", 0, 123456789, "1970-01-01T00:00:00.123456789Z"},
};

START_TEST(test_readings) {
  const char *const text = readings[_i].text;
  rebal_time time = {-99, -99, 0};
  char written[40];
  size_t len = 0;

  ck_assert_int_eq(rebali_time_parse(text, strlen(text), &time, NULL), REBAL_OK);
  ck_assert_int_eq(time.seconds, readings[_i].seconds);
  ck_assert_int_eq(time.nanos, readings[_i].nanos);
  ck_assert_uint_eq(time.is_set, 1);
  ck_assert_int_eq(rebali_time_format(&time, written, sizeof written, &len, NULL), REBAL_OK);
  ck_assert_str_eq(written, readings[_i].canonical == NULL ? text : readings[_i].canonical);
  ck_assert_uint_eq(len, strlen(written));
}
END_TEST

static const struct {
  const char *text;
  int64_t where;
} mistakes[] = {
    {"", 0},
    {"2026-03-14", 10},
    {"2026-03-14 09:00:00Z", 10},
    {"2026-03-14t09:00:00Z", 10},
    {"2026-03-14T09:00:00z", 19},
    {"2026-03-14T09:00:00", 19},
    {"2026-03-14T09:00Z", 16},
    {"2026-03-14T9:00:00Z", 12},
    {"2026-03-14T24:00:00Z", 11},
    {"2026-03-14T09:60:00Z", 14},
    {"2026-03-14T09:00:60Z", 17},
    {"2026-13-14T09:00:00Z", 5},
    {"2026-00-14T09:00:00Z", 5},
    {"2026-03-00T09:00:00Z", 8},
    {"2026-04-31T09:00:00Z", 8},
    {"2026-02-29T09:00:00Z", 8},
    {"1900-02-29T09:00:00Z", 8},
    {"+026-03-14T09:00:00Z", 0},
    {"26-03-14T09:00:00Z", 2},
    {"2026-03-14T09:00:00.Z", 20},
    {"2026-03-14T09:00:00,5Z", 19},
    {"2026-03-14T09:00:00+0100", 22},
    {"2026-03-14T09:00:00+24:00", 20},
    {"2026-03-14T09:00:00+01:60", 23},
    {"2026-03-14T09:00:00ZZ", 20},
    {" 2026-03-14T09:00:00Z", 0},
    {"0000-12-31T23:59:59Z", 0},
    {"0001-01-01T00:00:00+00:01", 0},
    {"9999-12-31T23:59:59-00:01", 0},
};

START_TEST(test_mistakes) {
  rebal_error err = REBAL_ERROR_INIT;
  rebal_time time = {-99, -99, 0};

  ck_assert_int_eq(rebali_time_parse(mistakes[_i].text, strlen(mistakes[_i].text), &time, &err), REBAL_EPARSE);
  ck_assert_int_eq(err.code, REBAL_EPARSE);
  ck_assert_int_eq(err.where, mistakes[_i].where);
  ck_assert_int_eq(time.seconds, -99);
}
END_TEST

static void expect_date(int64_t seconds, int year, int month, int day) {
  const rebal_time time = {seconds, 0, 1};
  rebal_time back = {0, 0, 0};
  char text[24];
  size_t len;

  if (rebali_time_format(&time, text, sizeof text, &len, NULL) != REBAL_OK || atoi(text) != year ||
      atoi(text + 5) != month || atoi(text + 8) != day || rebali_time_parse(text, len, &back, NULL) != REBAL_OK ||
      back.seconds != seconds) {
    ck_abort_msg("year %d month %d day %d", year, month, day);
  }
}

/* The first, 28th and last day of each month of the years 1 to 9999, found by counting days. */
START_TEST(test_whole_calendar) {
  static const int LENGTHS[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const int64_t day = 86400;
  int64_t first = INT64_C(-62135596800);
  int year;
  int month;

  for (year = 1; year <= 9999; year++) {
    const int leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

    for (month = 1; month <= 12; month++) {
      const int days = LENGTHS[month - 1] + (month == 2 && leap);

      expect_date(first, year, month, 1);
      expect_date(first + 27 * day, year, month, 28);
      expect_date(first + (days - 1) * day, year, month, days);
      first += days * day;
    }
  }
  ck_assert_int_eq(first, INT64_C(253402300800));
}
END_TEST

static const rebal_time unwritable[] = {
    {0, 0, 0},
    {INT64_C(-62135596801), 0, 1},
    {INT64_C(253402300800), 0, 1},
    {INT64_MIN, 0, 1},
    {INT64_MAX, 0, 1},
    {0, -1, 1},
    {0, 1000000000, 1},
};

START_TEST(test_what_cannot_be_written) {
  char text[40];
  size_t len;

  ck_assert_int_eq(rebali_time_format(&unwritable[_i], text, sizeof text, &len, NULL), REBAL_EINVAL);
}
END_TEST

START_TEST(test_length_alone_and_small_buffer) {
  const rebal_time time = {0, 0, 1};
  char text[20];
  size_t len = 0;

  ck_assert_int_eq(rebali_time_format(&time, NULL, 0, &len, NULL), REBAL_OK);
  ck_assert_uint_eq(len, 20);
  ck_assert_int_eq(rebali_time_format(&time, text, 20, &len, NULL), REBAL_OK);
  ck_assert_mem_eq(text, "1970-01-01T00:00:00Z", 20);
  ck_assert_int_eq(rebali_time_format(&time, text, 19, &len, NULL), REBAL_ERANGE);
  ck_assert_uint_eq(len, 20);
}
END_TEST

START_TEST(test_missing_arguments) {
  rebal_time time;
  char text[40];
  size_t len;

  ck_assert_int_eq(rebali_time_parse(NULL, 1, &time, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebali_time_parse(NULL, 0, &time, NULL), REBAL_EPARSE);
  ck_assert_int_eq(rebali_time_parse("1970-01-01T00:00:00Z", 20, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebali_time_format(NULL, text, sizeof text, &len, NULL), REBAL_EINVAL);
}
END_TEST

static const struct {
  rebal_time left;
  rebal_time right;
  int32_t order;
} orders[] = {
    {{0, 0, 0}, {0, 0, 0}, 0},    {{0, 0, 0}, {-5, 0, 1}, -1}, {{1, 0, 1}, {2, 0, 1}, -1},
    {{-2, 9, 1}, {-1, 0, 1}, -1}, {{1, 5, 1}, {1, 6, 1}, -1},  {{1, 5, 1}, {1, 5, 1}, 0},
};

START_TEST(test_order) {
  ck_assert_int_eq(rebali_time_compare(&orders[_i].left, &orders[_i].right), orders[_i].order);
  ck_assert_int_eq(rebali_time_compare(&orders[_i].right, &orders[_i].left), -orders[_i].order);
}
END_TEST

START_TEST(test_missing_compares_as_absent) {
  const rebal_time time = {INT64_C(-62135596800), 0, 1};
  const rebal_time absent = {0, 0, 0};

  ck_assert_int_eq(rebali_time_compare(NULL, &time), -1);
  ck_assert_int_eq(rebali_time_compare(NULL, &absent), 0);
}
END_TEST

UNIT_CASE(time) {
  TCase *cases = tcase_create("time");
  tcase_add_loop_test(cases, test_readings, 0, (int)REBALI_COUNT(readings));
  tcase_add_loop_test(cases, test_mistakes, 0, (int)REBALI_COUNT(mistakes));
  tcase_add_test(cases, test_whole_calendar);
  tcase_add_loop_test(cases, test_what_cannot_be_written, 0, (int)REBALI_COUNT(unwritable));
  tcase_add_test(cases, test_length_alone_and_small_buffer);
  tcase_add_test(cases, test_missing_arguments);
  tcase_add_loop_test(cases, test_order, 0, (int)REBALI_COUNT(orders));
  tcase_add_test(cases, test_missing_compares_as_absent);
  return cases;
}
