/* SPDX-License-Identifier: MIT */
#include "reading.h"

static const struct {
  const char *text, *printed;
} numbers[] = {
    {"0", "0"},
    {"95", "95"},
    {"-3", "-3"},
    {"100000", "100000"},
    {"999999", "999999"},
    {"1000000", "1e+06"},
    {"2097152", "2.097152e+06"},
    {"-12345678", "-1.2345678e+07"},
    {"9007199254740993", "9.007199254740992e+15"},
    {"9223372036854775807", "9.223372036854776e+18"},
    {"18446744073709551616", "1.8446744073709552e+19"},
    {"1.10", "1.1"},
    {"2.0", "2"},
    {"12.5", "12.5"},
    {"0.1", "0.1"},
    {"0.30000000000000004", "0.30000000000000004"},
    {"0.12345678901234567890", "0.12345678901234568"},
    {"0.0001", "0.0001"},
    {"0.00001", "1e-05"},
    {"0.000012", "1.2e-05"},
    {"1e5", "100000"},
    {"1.5E+3", "1500"},
    {"-0.0", "-0"},
    {"1e100", "1e+100"},
    {"5e-324", "5e-324"},
    {"1e400", ""},
};

START_TEST(test_numbers_are_printed_as_by_go) {
  struct rebali_buffer out = REBALI_BUFFER;
  json_t **documents;
  size_t n;
  const char *text = numbers[_i].text;

  ck_assert_int_eq(rebali_text_read(text, strlen(text), NULL, &documents, &n, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_double_print(documents[0], &out), *numbers[_i].printed != '\0');
  ck_assert_str_eq(out.bytes != NULL ? out.bytes : "", numbers[_i].printed);
  ck_assert(!out.failed);
  rebali_buffer_dispose(&out);
  rebali_documents_free(documents, n);
}
END_TEST

START_TEST(test_other_than_a_number_is_not_printed) {
  struct rebali_buffer out = REBALI_BUFFER;
  json_t *text = json_string("1");

  ck_assert(!rebali_double_print(text, &out));
  ck_assert_uint_eq(out.len, 0);
  json_decref(text);
}
END_TEST

UNIT_CASE(preserved_number) {
  TCase *cases = tcase_create("preserved_number");
  tcase_add_loop_test(cases, test_numbers_are_printed_as_by_go, 0, (int)(sizeof numbers / sizeof numbers[0]));
  tcase_add_test(cases, test_other_than_a_number_is_not_printed);
  return cases;
}
