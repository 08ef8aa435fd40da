/* SPDX-License-Identifier: MIT */
#include "reading.h"

static const struct {
  const char *text, *json;
} texts[] = {
    {"a: 1\nb:\n- c\n- d: e\n", "{\"a\":1,\"b\":[\"c\",{\"d\":\"e\"}]}"},
    {"a: 1\r\nb:\r\n  - c\r\n", "{\"a\":1,\"b\":[\"c\"]}"},
    {"\xEF\xBB\xBF"
     "a: 1\n",
     "{\"a\":1}"},
    {"---\na: 1\n---\n---\n# nothing\n---\nnull\n---\n- b\n...\n", "{\"a\":1} [\"b\"]"},
    {"{a: 1, b: [x, z],}", "{\"a\":1,\"b\":[\"x\",\"z\"]}"},
    {"{\"a\": 1}\n---\n{\"b\": 2}\n", "{\"a\":1} {\"b\":2}"},
    {"a:\t1\n", "{\"a\":1}"},
    {"a: |\n  one\n   two\nb: >-\n  folded\n  text\nc: 'it''s'\nd: \"\\x41\\u00e9\\U0001F600\"\n",
     "{\"a\":\"one\\n two\\n\",\"b\":\"folded text\",\"c\":\"it's\",\"d\":\"A\xC3\xA9\xF0\x9F\x98\x80\"}"},
    {"1: a\ntrue: b\n1.50: c\n0x10: d\n? long\n: e\n\"\": f\n'~': g\nno: h\n",
     "{\"1\":\"a\",\"true\":\"b\",\"1.50\":\"c\",\"16\":\"d\",\"long\":\"e\",\"\":\"f\",\"~\":\"g\",\"false\":\"h\"}"},
    {"%YAML 1.1\n---\na: 1\n", "{\"a\":1}"},
    {"word\n", "\"word\""},
    {"!!map {a: !!seq [1], b: ! [2]}", "{\"a\":[1],\"b\":[2]}"},
};

START_TEST(test_yaml_read) {
  assert_reads(texts[_i].text, texts[_i].json);
}
END_TEST

static const struct refusal refusals[] = {
    {"a: 1\nb: [1\n", REBAL_EPARSE, 1, 3, 1, "did not find expected ',' or ']'"},
    {"a: \"unfinished\n", REBAL_EPARSE, 1, 2, 1, "unexpected end of stream"},
    {"a:\n\tb: 1\n", REBAL_EPARSE, 1, 2, 1, "cannot start any token"},
    {"a: 1\n---\nb: 1\n c: 2\n", REBAL_EPARSE, 2, 4, 3, "mapping values are not allowed"},
    {"a: \xC3\xA9\x01\n", REBAL_EPARSE, 1, 1, 5, "control characters are not allowed"},
    {"a: \"\\0\"\n", REBAL_EPARSE, 1, 1, 4, "the character 0 is not supported"},
    {"a: 1\nb: \xC0\x80\n", REBAL_EPARSE, 1, 2, 4, "not valid UTF-8"},
    {"? [a]\n: 1\n", REBAL_EPARSE, 1, 1, 3, "a key must be"},
    {"? {a: 1}\n: 1\n", REBAL_EPARSE, 1, 1, 3, "a key must be"},
    {"~: 1\n", REBAL_EPARSE, 1, 1, 1, "a key must be"},
    {"\"\\x01\": 1\n", REBAL_EPARSE, 1, 1, 1, "reserved"},
    {"a: 1\nb:\n  c: 1\n  c: 2\n", REBAL_EPARSE, 1, 4, 3, "duplicate key \"c\""},
    {"1: a\n'1': b\n", REBAL_EPARSE, 1, 2, 1, "duplicate key \"1\""},
    {"\xEF\xBB\xBF"
     "\xC3\xA9: [",
     REBAL_EPARSE, 1, 1, 5, "did not find expected node"},
};

START_TEST(test_yaml_refused) {
  assert_refuses(&refusals[_i], NULL);
}
END_TEST

UNIT_CASE(yaml_read) {
  TCase *cases = tcase_create("yaml_read");
  tcase_add_loop_test(cases, test_yaml_read, 0, (int)COUNT(texts));
  tcase_add_loop_test(cases, test_yaml_refused, 0, (int)COUNT(refusals));
  return cases;
}
