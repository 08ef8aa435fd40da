/* SPDX-License-Identifier: MIT */
#include "running.h"

static const struct {
  const char *text;
  int64_t ns;
} durations[] = {
    {"0s", 0},
    {"30s", 30 * REBALI_SECOND_NS},
    {"1h30m", 5400 * REBALI_SECOND_NS},
    {"500ms", REBALI_SECOND_NS / 2},
    {"878400h", INT64_C(878400) * 3600 * REBALI_SECOND_NS},
    {"1m500ms", 60 * REBALI_SECOND_NS + REBALI_SECOND_NS / 2},
};

START_TEST(test_durations) {
  rebal_text *text = NULL;
  int64_t ns = -1;
  ck_assert_int_eq(rebali_duration_parse(rebali_slice(durations[_i].text), &ns), REBAL_OK);
  ck_assert_int_eq(ns, durations[_i].ns);
  ck_assert_int_eq(rebal_text_new(&text, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_duration_print(ns, text, NULL), REBAL_OK);
  ck_assert_str_eq(rebal_text_bytes(text, NULL), durations[_i].text);
  rebal_text_free(text);
}
END_TEST

static const struct {
  const char *text;
  int32_t code;
} no_durations[] = {
    {"", REBAL_EPARSE},
    {"5", REBAL_EPARSE},
    {"s", REBAL_EPARSE},
    {"5d", REBAL_EPARSE},
    {"-5s", REBAL_EPARSE},
    {"1.5s", REBAL_EPARSE},
    {"5s ", REBAL_EPARSE},
    {"1h5", REBAL_EPARSE},
    {"878401h5d", REBAL_EPARSE},
    {"99999999999999999999", REBAL_EPARSE},
    {"99999999999999999999s", REBAL_ERANGE},
    {"878401h", REBAL_ERANGE},
    {"878400h1ms", REBAL_ERANGE},
};

START_TEST(test_no_durations) {
  int64_t ns;
  ck_assert_int_eq(rebali_duration_parse(rebali_slice(no_durations[_i].text), &ns), no_durations[_i].code);
}
END_TEST

START_TEST(test_earliest) {
  const rebal_time unset = {0, 0, 0}, first = {1, 0, 1}, second = {2, 0, 1};
  rebal_time earliest = unset;
  rebali_time_lower(&earliest, &unset);
  ck_assert_uint_eq(earliest.is_set, 0);
  rebali_time_lower(&earliest, &second);
  rebali_time_lower(&earliest, &first);
  rebali_time_lower(&earliest, &second);
  ck_assert_int_eq(earliest.seconds, 1);
  ck_assert_int_eq(rebali_time_is_due(&earliest, &first), 1);
  ck_assert_int_eq(rebali_time_is_due(&second, &first), 0);
  ck_assert_int_eq(rebali_time_is_due(&unset, &first), 0);
}
END_TEST

UNIT_CASE(clock) {
  TCase *cases = tcase_create("clock");
  tcase_add_loop_test(cases, test_durations, 0, (int)COUNT(durations));
  tcase_add_loop_test(cases, test_no_durations, 0, (int)COUNT(no_durations));
  tcase_add_test(cases, test_earliest);
  return cases;
}
