/* SPDX-License-Identifier: MIT */
#include "reading.h"

static const struct {
  const char *text, *json;
} texts[] = {
    {"{}", "{}"},
    {" [ ] ", "[]"},
    {"{\"a\":1}{\"b\":2}\n[3]", "{\"a\":1} {\"b\":2} [3]"},
    {"{\"a\":1} null 5", "{\"a\":1} 5"},
    {"{\"a\":1}\r\n{\"b\":\t2}\r\n", "{\"a\":1} {\"b\":2}"},
    {"[0,-0,1.10,1e400,-1.5E-7,12345678901234567890]", "[0,0,1.10,1e400,-1.5E-7,12345678901234567890]"},
    {"[9223372036854775807,-9223372036854775808,-9223372036854775809]",
     "[9223372036854775807,-9223372036854775808,-9223372036854775809]"},
    {"[\"\\u00e9\\ud83d\\ude00\\/\\\"\\\\\\b\\f\\n\\r\\t\"]", "[\"\xC3\xA9\xF0\x9F\x98\x80/\\\"\\\\\\b\\f\\n\\r\\t\"]"},
    {"[true,false,null]", "[true,false,null]"},
    {"{\"b\":{\"y\":1,\"x\":2},\"a\":[]}", "{\"b\":{\"y\":1,\"x\":2},\"a\":[]}"},
    {"{\"true\":1,\"\":2,\"<<\":3}", "{\"true\":1,\"\":2,\"\\u003c\\u003c\":3}"},
};

START_TEST(test_json_read) {
  assert_reads(texts[_i].text, texts[_i].json);
}
END_TEST

/* Texts that YAML refuses as well: the place is that of JSON, or the later of the two. */
static const struct refusal refusals[] = {
    {"{\"a\":1,\n \"b\" 2}", REBAL_EPARSE, 1, 2, 6, "expected ':'"},
    {"{\"a\":1,\n \"b\":2", REBAL_EPARSE, 1, 2, 7, "unexpected end of text"},
    {"{\"a\":\"b", REBAL_EPARSE, 1, 1, 8, "unexpected end of text"},
    {"[1,2}", REBAL_EPARSE, 1, 1, 5, "expected ',' or ']'"},
    {"{\"a\":1]", REBAL_EPARSE, 1, 1, 7, "expected ',' or '}'"},
    {"{\"a\":1}\n{\"b\":[}", REBAL_EPARSE, 2, 2, 7, "expected a value"},
    {"[\"\xC3\xA9\",\"\\q\"]", REBAL_EPARSE, 1, 1, 7, "unknown escape"},
    {"[\"\\u0000\"]", REBAL_EPARSE, 1, 1, 3, "\\u0000 is not supported"},
    {"[\"\\ud800\"]", REBAL_EPARSE, 1, 1, 5, "Unicode"},
    {"[\"\\u12x4\"]", REBAL_EPARSE, 1, 1, 5, "hexdecimal"},
    {"[\"a\x01\"]", REBAL_EPARSE, 1, 1, 4, "control character"},
    {"{\"a\":1,\"b\":{\"c\":1,\"c\":2}}", REBAL_EPARSE, 1, 1, 19, "duplicate key \"c\""},
    {"{\"a\":1,\"\\u0061\":2}", REBAL_EPARSE, 1, 1, 8, "duplicate key \"a\""},
    {"{\"\\u0001\":\"1\"}", REBAL_EPARSE, 1, 1, 2, "reserved"},
    {"{\"a\":1} }", REBAL_EPARSE, 2, 1, 9, "expected a value"},
};

START_TEST(test_json_refused) {
  assert_refuses(&refusals[_i], NULL);
}
END_TEST

/* Malformed numbers and words that only JSON refuses; YAML would take them for strings. */
static const struct refusal strict[] = {
    {"[01]", REBAL_EPARSE, 1, 1, 3, "malformed number"},
    {"[1.]", REBAL_EPARSE, 1, 1, 4, "malformed number"},
    {"[-]", REBAL_EPARSE, 1, 1, 3, "malformed number"},
    {"[1e+]", REBAL_EPARSE, 1, 1, 5, "malformed number"},
    {"[1x]", REBAL_EPARSE, 1, 1, 3, "malformed number"},
    {"[tru]", REBAL_EPARSE, 1, 1, 2, "expected a value"},
    {"[nullx]", REBAL_EPARSE, 1, 1, 2, "expected a value"},
    {"{a:1}", REBAL_EPARSE, 1, 1, 2, "a key in double quotes"},
    {"[1,]", REBAL_EPARSE, 1, 1, 4, "expected a value"},
    {"{\"a\":1,}", REBAL_EPARSE, 1, 1, 8, "a key in double"},
    {"[\"\\ud800\"]", REBAL_EPARSE, 1, 1, 3, "surrogate"},
    {"[\"\\udc00\"]", REBAL_EPARSE, 1, 1, 3, "surrogate"},
    {"[\"\\ud800\\u0041\"]", REBAL_EPARSE, 1, 1, 3, "surrogate"},
    {"[\"\\u00", REBAL_EPARSE, 1, 1, 7, "unexpected end"},
    {"[\"\\", REBAL_EPARSE, 1, 1, 4, "unexpected end"},
    {"[\"\t\"]", REBAL_EPARSE, 1, 1, 3, "control character"},
};

START_TEST(test_json_alone_is_strict) {
  const struct refusal *refusal = &strict[_i];
  rebal_error err = REBAL_ERROR_INIT;
  struct rebali_source source;
  json_t **documents;
  size_t n;
  ck_assert_int_eq(rebali_source_prepare(&source, refusal->text, strlen(refusal->text), NULL, &err), REBAL_OK);
  ck_assert_int_eq(rebali_source_open(&source, &rebali_source_json, &err), REBAL_OK);
  ck_assert_int_eq(rebali_tree_read(&source, &documents, &n, &err), REBAL_EPARSE);
  rebali_source_json.close(&source);
  ck_assert_msg(err.line == refusal->line && err.column == refusal->column && strstr(err.message, refusal->message),
                "%s: %u:%u %s", refusal->text, err.line, err.column, err.message);
}
END_TEST

UNIT_CASE(json_read) {
  TCase *cases = tcase_create("json_read");
  tcase_add_loop_test(cases, test_json_read, 0, (int)COUNT(texts));
  tcase_add_loop_test(cases, test_json_refused, 0, (int)COUNT(refusals));
  tcase_add_loop_test(cases, test_json_alone_is_strict, 0, (int)COUNT(strict));
  return cases;
}
