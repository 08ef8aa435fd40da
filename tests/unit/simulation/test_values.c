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
  int64_t ns = -1;
  ck_assert_int_eq(rebali_duration_parse(durations[_i].text, &ns), REBAL_OK);
  ck_assert_int_eq(ns, durations[_i].ns);
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
  ck_assert_int_eq(rebali_duration_parse(no_durations[_i].text, &ns), no_durations[_i].code);
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

static rebal_document *document_of(const char *text) {
  rebal_document *document = NULL;
  ck_assert_int_eq(rebal_document_read(text, REBAL_TERMINATED, NULL, &document, NULL), REBAL_OK);
  return document;
}

/* Whole numbers within int64, and nothing else. */
START_TEST(test_numbers) {
  static const char *const others[] = {"b", "c", "d", "e", "f", "g"};
  rebal_document *document = document_of("{a: -12, b: 9223372036854775808, c: 1.5, d: true, e: \"7\", f: null}");
  const rebal_value *map = rebal_document_value(document, "");
  int64_t number = 0;
  ck_assert(rebali_number(rebali_find(map, "a"), &number));
  ck_assert_int_eq(number, -12);
  for (size_t i = 0; i < COUNT(others); i++) {
    const char *key = others[i];
    ck_assert_msg(!rebali_number(rebali_find(map, key), &number), "%s", key);
    ck_assert_int_eq(rebali_number_or(rebali_find(map, key), 5), 5);
  }
  ck_assert(rebali_is_true(rebali_find(map, "d")) && !rebali_is_true(rebali_find(map, "a")));
  rebal_document_free(document);
}
END_TEST

START_TEST(test_texts) {
  rebal_document *document = document_of("{a: x, b: 1, c: [{type: T, status: S}, {type: U}]}");
  const rebal_value *map = rebal_document_value(document, ""), *list = rebali_find(map, "c");
  ck_assert(rebali_reads(rebali_find(map, "a"), "x") && !rebali_reads(rebali_find(map, "a"), "y"));
  ck_assert(!rebali_reads(rebali_find(map, "b"), "1") && !rebali_reads(NULL, ""));
  ck_assert_str_eq(rebali_find_text(map, "a"), "x");
  ck_assert_str_eq(rebali_find_text(map, "b"), "");
  ck_assert_str_eq(rebali_find_text(rebali_condition_of(list, "T"), "status"), "S");
  ck_assert_ptr_null(rebali_condition_of(list, "V"));
  rebal_document_free(document);
}
END_TEST

static const struct {
  const char *text, *json, *value;
} printed[] = {
    {"{}", "{}", "{}"},
    {"[1, {a: \"b\"}]", "[1,{\"a\":\"b\"}]", "[1,{\"a\":\"b\"}]"},
    {"\"a\\\"\\n\"", "\"a\\\"\\u000a\"", "a\"\n"},
    {"1.50", "1.50", "1.50"},
    {"null", "", ""},
};

START_TEST(test_printed) {
  rebal_document *document = document_of(printed[_i].text);
  struct rebali_buffer json = REBALI_BUFFER, value = REBALI_BUFFER;
  rebali_print_json(&json, rebal_document_value(document, ""));
  rebali_print_value(&value, rebal_document_value(document, ""));
  ck_assert_str_eq(rebali_printed(&json), printed[_i].json);
  ck_assert_str_eq(rebali_printed(&value), printed[_i].value);
  rebali_buffer_dispose(&json);
  rebali_buffer_dispose(&value);
  rebal_document_free(document);
}
END_TEST

START_TEST(test_quantities) {
  static const struct {
    const char *text;
    int32_t code;
    int64_t units;
    int32_t nanos;
  } quantities[] = {{"{\"a\": \"1500m\"}", REBAL_OK, 1, 500000000},
                    {"{\"a\": 2}", REBAL_OK, 2, 0},
                    {"{\"b\": 2}", REBAL_OK, 0, 0},
                    {"{\"a\": \"two\"}", REBAL_EPARSE, 0, 0}};
  for (size_t i = 0; i < COUNT(quantities); i++) {
    rebal_document *document = NULL;
    rebal_quantity quantity = {0, 0, REBAL_QUANTITY_FORMAT_NONE};
    ck_assert_int_eq(rebal_document_read(quantities[i].text, REBAL_TERMINATED, NULL, &document, NULL), REBAL_OK);
    ck_assert_int_eq(rebali_quantity_of(rebal_document_value(document, "a"), &quantity, NULL), quantities[i].code);
    ck_assert_int_eq(quantity.units, quantities[i].units);
    ck_assert_int_eq(quantity.nanos, quantities[i].nanos);
    rebal_document_free(document);
  }
}
END_TEST

UNIT_CASE(values) {
  TCase *cases = tcase_create("values");
  tcase_add_loop_test(cases, test_durations, 0, (int)COUNT(durations));
  tcase_add_loop_test(cases, test_no_durations, 0, (int)COUNT(no_durations));
  tcase_add_test(cases, test_earliest);
  tcase_add_test(cases, test_numbers);
  tcase_add_test(cases, test_texts);
  tcase_add_test(cases, test_quantities);
  tcase_add_loop_test(cases, test_printed, 0, (int)COUNT(printed));
  return cases;
}
