/* SPDX-License-Identifier: MIT */
#include "stores.h"

static const struct {
  const char *text;
  uint32_t format;
  const char *written;
} rewrites[] = {
    {"a: 1\n---\n- x\n", REBAL_TEXT_FORMAT_JSON, "{\"a\":1}\n[\"x\"]\n"},
    {"{z: 1, kind: K}", 0, "{\"z\":1,\"kind\":\"K\"}\n"},
    {"{\"a\":1} [2]", REBAL_TEXT_FORMAT_YAML, "a: 1\n---\n- 2\n"},
    {"a: {b: 1.10}", REBAL_TEXT_FORMAT_JSON_PRETTY, "{\n  \"a\": {\n    \"b\": 1.10\n  }\n}\n"},
};

START_TEST(test_rewrite) {
  const rebal_rewrite_opts opts = {.struct_size = sizeof opts, .format = rewrites[_i].format};
  rebal_text *text = NULL;
  ck_assert_int_eq(rebal_text_new(&text, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_manifest_rewrite(rewrites[_i].text, strlen(rewrites[_i].text), &opts, text, NULL), REBAL_OK);
  ck_assert_str_eq(rebal_text_bytes(text, NULL), rewrites[_i].written);
  rebal_text_free(text);
}
END_TEST

static int32_t rewrite(const rebal_rewrite_opts *opts, rebal_text *out) {
  return rebal_manifest_rewrite("a: 1", 4, opts, out, NULL);
}

START_TEST(test_rewrite_refuses) {
  const rebal_manifest_limits small = {.struct_size = sizeof small, .max_bytes = 3}, wrong = {.struct_size = 1};
  const rebal_rewrite_opts patch = {.struct_size = sizeof patch, .format = REBAL_TEXT_FORMAT_JSON_PATCH};
  const rebal_rewrite_opts limited = {.struct_size = sizeof limited, .limits = &small};
  const rebal_rewrite_opts mistaken = {.struct_size = sizeof mistaken, .limits = &wrong};
  struct {
    rebal_rewrite_opts opts;
    uint64_t member; /* of a later release */
  } newer = {{.struct_size = sizeof newer}, 0};
  const rebal_rewrite_opts unknown = {.struct_size = sizeof unknown, .flags = 2};
  rebal_error err = REBAL_ERROR_INIT;
  rebal_text *text = NULL;
  ck_assert_int_eq(rebal_text_new(&text, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_manifest_rewrite("a: 1\n---\nb: [", 13, NULL, text, &err), REBAL_EPARSE);
  ck_assert_uint_eq(err.document, 2);
  ck_assert_uint_eq(err.line, 3);
  ck_assert_int_eq(rewrite(&limited, text), REBAL_ELIMIT);
  ck_assert_int_eq(rewrite(&mistaken, text), REBAL_EABI);
  ck_assert_int_eq(rewrite(&newer.opts, text), REBAL_OK);
  rebal_text_reset(text);
  newer.member = 1;
  ck_assert_int_eq(rewrite(&newer.opts, text), REBAL_EUNSUPPORTED);
  ck_assert_int_eq(rewrite(&unknown, text), REBAL_EUNSUPPORTED);
  ck_assert_int_eq(rewrite(&patch, text), REBAL_EINVAL);
  ck_assert_int_eq(rewrite(NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_manifest_rewrite(NULL, 1, NULL, text, NULL), REBAL_EINVAL);
  ck_assert_str_eq(rebal_text_bytes(text, NULL), "");
  rebal_text_free(text);
}
END_TEST

START_TEST(test_locate_in_stream) {
  static const char text[] = "a: 1\n---\nb:\n  - c: 2\n    d: 3\n";
  uint32_t line = 0, column = 0;
  ck_assert_int_eq(rebal_manifest_locate(text, strlen(text), 2, "b[0].d and more", 6, &line, &column, NULL), REBAL_OK);
  ck_assert_uint_eq(line, 5);
  ck_assert_int_eq(rebal_manifest_locate(text, strlen(text), 2, "[\"b\"][0][\"d\"]", 13, &line, &column, NULL),
                   REBAL_OK);
  ck_assert(line == 5 && column == 8);
  ck_assert_int_eq(rebal_manifest_locate(text, strlen(text), 2, NULL, 0, &line, NULL, NULL), REBAL_OK);
  ck_assert_uint_eq(line, 3);
  ck_assert_int_eq(rebal_manifest_locate(text, strlen(text), 3, "", 0, &line, &column, NULL), REBAL_ENOTFOUND);
  ck_assert_int_eq(rebal_manifest_locate(NULL, 1, 1, "", 0, &line, &column, NULL), REBAL_EINVAL);
}
END_TEST

UNIT_CASE(stream) {
  TCase *cases = tcase_create("stream");
  tcase_add_loop_test(cases, test_rewrite, 0, (int)COUNT(rewrites));
  tcase_add_test(cases, test_rewrite_refuses);
  tcase_add_test(cases, test_locate_in_stream);
  return cases;
}
