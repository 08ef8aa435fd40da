/* SPDX-License-Identifier: MIT */
#include "reading.h"

static const struct {
  const char *text;
  uint32_t flags;
  const char *yaml;
} texts[] = {
    {"{\"b\":1,\"a\":[true,null,{\"c\":\"d\",\"e\":[]}],\"f\":{}}", 0,
     "b: 1\na:\n- true\n- null\n- c: d\n  e: []\nf: {}\n"},
    {"{\"b\":1,\"a\":2}", REBALI_WRITE_SORTED, "a: 2\nb: 1\n"},
    {"{\"a\":1}{\"b\":1.10}", 0, "a: 1\n---\nb: 1.10\n"},
    {"[\"true\",\"No\",\"~\",\"\",\"1\",\"0x1f\",\"1.5\",\"<<\",\".inf\",\"1:30\",\"2026-03-14\",\"=\"]", 0,
     "- \"true\"\n- \"No\"\n- \"~\"\n- \"\"\n- \"1\"\n- \"0x1f\"\n- \"1.5\"\n- \"<<\"\n- \".inf\"\n- \"1:30\"\n"
     "- \"2026-03-14\"\n- \"=\"\n"},
    {"[\"word\",\"two words\",\"100m\",\"v1.2.3\",\"a:b\"]", 0, "- word\n- two words\n- 100m\n- v1.2.3\n- a:b\n"},
    {"{\"true\":1,\"1\":2,\"a.b/c\":3}", 0, "\"true\": 1\n\"1\": 2\na.b/c: 3\n"},
    {"[\"one\\n two\\nthree\\n\",\"one\\ntwo\"]", 0, "- |\n  one\n   two\n  three\n- |-\n  one\n  two\n"},
    {"[12345678901234567890,1e400]", 0, "- 12345678901234567890\n- 1e400\n"},
};

START_TEST(test_yaml_write) {
  struct rebali_buffer output = REBALI_BUFFER;
  json_t **documents;
  size_t n;
  ck_assert_int_eq(rebali_text_read(texts[_i].text, strlen(texts[_i].text), NULL, &documents, &n, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_yaml_write(documents, n, texts[_i].flags, &output), REBAL_OK);
  ck_assert_str_eq(output.bytes, texts[_i].yaml);
  rebali_buffer_dispose(&output);
  rebali_documents_free(documents, n);
}
END_TEST

/* Strings that a careless writer loses, as values and as keys. */
static const char *const strings[] = {
    " lead",
    "trail ",
    "\n",
    "\n\n",
    "a\n\n",
    "a\n b\n",
    " a\nb",
    "a \nb",
    "a\n\n\nb",
    "\ta",
    "a\tb",
    "\r",
    "a\r\nb",
    "\x01\x1F\x7F",
    "\xC2\x85",
    "\xE2\x80\xA8",
    "\xEF\xBB\xBF",
    "\xEF\xBF\xBE",
    "\xF0\x9F\x98\x80",
    "# x",
    "a # b",
    "a: b",
    "- a",
    "---",
    "...",
    "? a",
    "*a",
    "&a",
    "!a",
    "%a",
    "@a",
    "`a",
    "{a}",
    "[a]",
    "a, b",
    "'",
    "\"",
    "\\",
    "'a\nb'",
    "|",
    ">",
    "y",
    "=",
    "0o17",
    "1_000",
    "+.5",
    "0b1",
    "08",
    "-",
    "-1",
    "a\n---\nb",
    "#\na",
    "x\n#y\n",
    "key: |\n  text\n",
};

START_TEST(test_yaml_keeps_every_string) {
  struct rebali_buffer output = REBALI_BUFFER;
  const char *text = strings[_i];
  json_t **documents, *inner = json_pack("{s:s, s:[s, {s:s}]}", text, text, "list", text, "x", text);
  json_t *both[] = {inner, json_string(text)};
  size_t n;
  ck_assert_ptr_nonnull(inner);
  ck_assert_int_eq(rebali_yaml_write(both, 2, 0, &output), REBAL_OK);
  ck_assert_int_eq(rebali_text_read(output.bytes, output.len, NULL, &documents, &n, NULL), REBAL_OK);
  ck_assert_uint_eq(n, 2);
  ck_assert_msg(json_equal(documents[0], both[0]) && json_equal(documents[1], both[1]), "%s", output.bytes);
  rebali_documents_free(documents, n);
  rebali_buffer_dispose(&output);
  json_decref(both[0]);
  json_decref(both[1]);
}
END_TEST

START_TEST(test_yaml_write_long_key) {
  struct rebali_buffer output = REBALI_BUFFER;
  char key[2001];
  json_t *map = json_object(), **documents;
  size_t n;
  memset(key, 'k', sizeof key - 1);
  key[sizeof key - 1] = '\0';
  ck_assert_int_eq(json_object_set_new(map, key, json_integer(1)), 0);
  ck_assert_int_eq(rebali_yaml_write(&map, 1, 0, &output), REBAL_OK);
  ck_assert_int_eq(rebali_text_read(output.bytes, output.len, NULL, &documents, &n, NULL), REBAL_OK);
  ck_assert(json_equal(documents[0], map));
  rebali_documents_free(documents, n);
  rebali_buffer_dispose(&output);
  json_decref(map);
}
END_TEST

START_TEST(test_yaml_write_refused) {
  struct rebali_buffer output = REBALI_BUFFER;
  json_t *real = json_real(1.5), *deep = json_array(), *none = NULL;
  for (unsigned i = 0; i < REBALI_DEPTH_MAX; i++) {
    json_t *outer = json_array();
    ck_assert_int_eq(json_array_append_new(outer, deep), 0);
    deep = outer;
  }
  ck_assert_int_eq(rebali_yaml_write(&real, 1, 0, &output), REBAL_EINVAL);
  ck_assert_int_eq(rebali_yaml_write(&none, 1, 0, &output), REBAL_EINVAL);
  ck_assert_int_eq(rebali_yaml_write(&deep, 1, 0, &output), REBAL_ELIMIT);
  rebali_buffer_dispose(&output);
  json_decref(real);
  json_decref(deep);
}
END_TEST

UNIT_CASE(yaml_write) {
  TCase *cases = tcase_create("yaml_write");
  tcase_add_loop_test(cases, test_yaml_write, 0, (int)COUNT(texts));
  tcase_add_loop_test(cases, test_yaml_keeps_every_string, 0, (int)COUNT(strings));
  tcase_add_test(cases, test_yaml_write_long_key);
  tcase_add_test(cases, test_yaml_write_refused);
  return cases;
}
