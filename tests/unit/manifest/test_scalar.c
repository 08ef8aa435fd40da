/* SPDX-License-Identifier: MIT */
#include "reading.h"

/* The meaning of plain scalars; checked against sigs.k8s.io/yaml 1.6.0, but that verbatim numbers keep their text. */
static const struct {
  const char *yaml, *json;
} scalars[] = {
    {"~", "null"},
    {"", "null"},
    {"Null", "null"},
    {"nuLL", "\"nuLL\""},
    {"y", "true"},
    {"Yes", "true"},
    {"ON", "true"},
    {"yEs", "\"yEs\""},
    {"n", "false"},
    {"Off", "false"},
    {"FALSE", "false"},
    {"0", "0"},
    {"-0", "0"},
    {"+5", "5"},
    {"1_000", "1000"},
    {"1_", "1"},
    {"_1", "\"_1\""},
    {"0x1F", "31"},
    {"-0X1f", "-31"},
    {"0x", "\"0x\""},
    {"0o17", "15"},
    {"017", "15"},
    {"08", "8"},
    {"0b101", "5"},
    {"-0b11", "-3"},
    {"0b12", "\"0b12\""},
    {"9223372036854775807", "9223372036854775807"},
    {"-9223372036854775808", "-9223372036854775808"},
    {"9223372036854775808", "9223372036854775808"},
    {"12345678901234567890", "12345678901234567890"},
    {"123456789012345678901234567890", "123456789012345678901234567890"},
    {"0xFFFFFFFFFFFFFFFF", "18446744073709551615"},
    {"+0xFFFFFFFFFFFFFFFF", "\"+0xFFFFFFFFFFFFFFFF\""},
    {"0x10000000000000000", "\"0x10000000000000000\""},
    {"1.10", "1.10"},
    {"+1.5", "1.5"},
    {"-.5", "-0.5"},
    {"1.", "1"},
    {"-0.", "0"},
    {"-00.50", "-0.50"},
    {".5", "0.5"},
    {".5_0", "0.50"},
    {"._5", "\"._5\""},
    {".5_", "\".5_\""},
    {".", "\".\""},
    {"1e3", "1e3"},
    {"1E+05", "1E+05"},
    {"1e", "\"1e\""},
    {"1e+", "\"1e+\""},
    {"1e400", "1e400"},
    {"1.2.3", "\"1.2.3\""},
    {"1:30", "\"1:30\""},
    {"2026-03-14", "\"2026-03-14\""},
    {"2026-03-14T09:00:00Z", "\"2026-03-14T09:00:00Z\""},
    {"100m", "\"100m\""},
    {"1Gi", "\"1Gi\""},
    {"'5'", "\"5\""},
    {"\"true\"", "\"true\""},
    {"'~'", "\"~\""},
    {"<<", "\"\\u003c\\u003c\""},
    {"!!str 5", "\"5\""},
    {"!!str", "\"\""},
    {"!!int '5'", "5"},
    {"!!float 5", "5"},
    {"!!float '1.50'", "1.50"},
    {"!!bool 'yes'", "true"},
    {"!!null ''", "null"},
    {"!!timestamp 2026-03-14", "\"2026-03-14\""},
    {"! 5", "\"5\""},
    {"|\n  5", "\"5\""},
};

START_TEST(test_scalar_means_the_same_as_to_the_peer) {
  struct rebali_buffer text = REBALI_BUFFER, json = REBALI_BUFFER;
  rebali_buffer_text(&text, "- ");
  rebali_buffer_text(&text, scalars[_i].yaml);
  rebali_buffer_text(&json, "[");
  rebali_buffer_text(&json, scalars[_i].json);
  rebali_buffer_text(&json, "]");
  assert_reads(text.bytes, json.bytes);
  rebali_buffer_dispose(&text);
  rebali_buffer_dispose(&json);
}
END_TEST

static const struct refusal refusals[] = {
    {"a: .inf", REBAL_EPARSE, 1, 1, 4, "infinity and NaN are not supported"},
    {"- -.Inf", REBAL_EPARSE, 1, 1, 3, "infinity and NaN are not supported"},
    {"- .NAN", REBAL_EPARSE, 1, 1, 3, "infinity and NaN are not supported"},
    {"- !!int a", REBAL_EPARSE, 1, 1, 3, "the value does not suit its tag"},
    {"- !!int 1.5", REBAL_EPARSE, 1, 1, 3, "the value does not suit its tag"},
    {"- !!bool 1", REBAL_EPARSE, 1, 1, 3, "the value does not suit its tag"},
    {"- !!null x", REBAL_EPARSE, 1, 1, 3, "the value does not suit its tag"},
    {"- !!binary aGk=", REBAL_EPARSE, 1, 1, 3, "this tag is not supported"},
    {"- !mine 1", REBAL_EPARSE, 1, 1, 3, "this tag is not supported"},
    {"- !!omap {}", REBAL_EPARSE, 1, 1, 3, "this tag is not supported"},
    {"- !!set []", REBAL_EPARSE, 1, 1, 3, "this tag is not supported"},
};

START_TEST(test_scalar_refused) {
  assert_refuses(&refusals[_i], NULL);
}
END_TEST

UNIT_CASE(scalar) {
  TCase *cases = tcase_create("scalar");
  tcase_add_loop_test(cases, test_scalar_means_the_same_as_to_the_peer, 0, (int)COUNT(scalars));
  tcase_add_loop_test(cases, test_scalar_refused, 0, (int)COUNT(refusals));
  return cases;
}
