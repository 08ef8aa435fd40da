/* SPDX-License-Identifier: MIT */
#include "reading.h"

static const struct {
  const char *text;
  uint32_t flags;
  const char *json;
} texts[] = {
    {"{\"b\":1,\"a\":[true,null]}", 0, "{\"b\":1,\"a\":[true,null]}"},
    {"{\"b\":1,\"a\":{\"d\":1,\"c\":2}}", REBALI_WRITE_SORTED, "{\"a\":{\"c\":2,\"d\":1},\"b\":1}"},
    {"{\"b\":1,\"B\":2,\"\xC3\xA9\":3}", REBALI_WRITE_SORTED, "{\"B\":2,\"b\":1,\"\xC3\xA9\":3}"},
    {"{\"b\":{},\"a\":[],\"c\":[1,{\"d\":1.10}]}", REBALI_WRITE_PRETTY,
     "{\n  \"b\": {},\n  \"a\": [],\n  \"c\": [\n    1,\n    {\n      \"d\": 1.10\n    }\n  ]\n}"},
    {"[\"<&>\\u2028\\u2029\\u2027\xC3\xA9\"]", 0, "[\"\\u003c\\u0026\\u003e\\u2028\\u2029\xE2\x80\xA7\xC3\xA9\"]"},
    {"[\"\\u0001\\u001f\\b\\f\\n\\r\\t\\\"\\\\/\x7F\"]", 0, "[\"\\u0001\\u001f\\b\\f\\n\\r\\t\\\"\\\\/\x7F\"]"},
    {"{\"a<b\":1}", 0, "{\"a\\u003cb\":1}"},
    {"[12345678901234567890,-9223372036854775808]", 0, "[12345678901234567890,-9223372036854775808]"},
};

START_TEST(test_json_write) {
  struct rebali_buffer output = REBALI_BUFFER;
  json_t **documents;
  size_t n;
  ck_assert_int_eq(rebali_text_read(texts[_i].text, strlen(texts[_i].text), NULL, &documents, &n, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_json_write(documents[0], texts[_i].flags, &output), REBAL_OK);
  ck_assert_str_eq(output.bytes, texts[_i].json);
  rebali_buffer_dispose(&output);
  rebali_documents_free(documents, n);
}
END_TEST

START_TEST(test_json_write_refused) {
  struct rebali_buffer output = REBALI_BUFFER;
  json_t *real = json_pack("[f]", 1.5), *deep = json_array();
  for (unsigned i = 0; i < REBALI_DEPTH_MAX; i++) {
    json_t *outer = json_array();
    ck_assert_int_eq(json_array_append_new(outer, deep), 0);
    deep = outer;
  }
  ck_assert_int_eq(rebali_json_write(NULL, 0, &output), REBAL_EINVAL);
  ck_assert_int_eq(rebali_json_write(real, 0, &output), REBAL_EINVAL);
  ck_assert_int_eq(rebali_json_write(deep, 0, &output), REBAL_ELIMIT);
  ck_assert_int_eq(rebali_json_write(json_array_get(deep, 0), 0, &output), REBAL_OK);
  rebali_buffer_dispose(&output);
  json_decref(real);
  json_decref(deep);
}
END_TEST

UNIT_CASE(json_write) {
  TCase *cases = tcase_create("json_write");
  tcase_add_loop_test(cases, test_json_write, 0, (int)COUNT(texts));
  tcase_add_test(cases, test_json_write_refused);
  return cases;
}
