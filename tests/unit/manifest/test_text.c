/* SPDX-License-Identifier: MIT */
#include "reading.h"

static const char *const empty[] = {
    "", " \n  \n", "# only a comment\n", "---\n", "---\n---\nnull\n...\n", "\xEF\xBB\xBF",
};

START_TEST(test_text_empty) {
  const struct refusal refusal = {empty[_i], REBAL_EPARSE, 0, 0, 0, "no document found"};
  assert_refuses(&refusal, NULL);
}
END_TEST

START_TEST(test_text_arguments) {
  rebal_error err = REBAL_ERROR_INIT;
  json_t **documents;
  size_t n;
  ck_assert_int_eq(rebali_text_read(NULL, 1, NULL, &documents, &n, &err), REBAL_EINVAL);
  ck_assert_int_eq(rebali_text_read(NULL, 0, NULL, &documents, &n, &err), REBAL_EPARSE);
  ck_assert_int_eq(rebali_text_read("a", 1, NULL, &documents, &n, NULL), REBAL_OK);
  rebali_documents_free(documents, n);
  rebali_documents_free(NULL, 0);
}
END_TEST

static const char *const samples[] = {
    "{\"a\":[1,2.5,{\"b\":\"c\\n\\u00e9\\ud83d\\ude00\xC3\xA9\"}],\"d\":{\"e\":null,\"f\":true}}\n{\"x\":\"yes\"}\n",
    ("base: &b {x: 1, y: &z [1, 2]}\r\none:\r\n  <<: *b\r\n  x: \"\\u00e9\xC3\xA9\"\n---\n"
     "two: |\n  text\n  more\n- bad\n"),
    "\xEF\xBB\xBF%YAML 1.1\n---\na: !!str 5\nb: 'x'\n...\n---\n- 1.10\n- 0x1F\n",
};

/* Every prefix of a text gives an error with a place, or documents; the bytes after it are never read. */
START_TEST(test_text_truncated) {
  const size_t len = strlen(samples[_i]);
  for (size_t cut = 0; cut <= len; cut++) {
    rebal_error err = REBAL_ERROR_INIT;
    json_t **documents = NULL;
    size_t n = 0;
    char *exact = malloc(cut + 1);
    int32_t code;
    ck_assert_ptr_nonnull(exact);
    memcpy(exact, samples[_i], cut);
    exact[cut] = '}';
    code = rebali_text_read(exact, cut, NULL, &documents, &n, &err);
    ck_assert_msg(code == REBAL_OK ? n > 0 : code == REBAL_EPARSE && err.message[0] != '\0', "%.*s", (int)cut, exact);
    ck_assert_int_ge(err.where, -1);
    ck_assert_int_le(err.where, (int64_t)cut);
    rebali_documents_free(documents, n);
    free(exact);
  }
}
END_TEST

/* A JSON text that ends within its first document is never accepted as a whole one. */
START_TEST(test_text_truncated_json) {
  static const char text[] = "{\"a\":[1,{\"b\":\"c\"}],\"d\":12}";
  for (size_t cut = 1; cut < sizeof text - 1; cut++) {
    rebal_error err = REBAL_ERROR_INIT;
    json_t **documents;
    size_t n;
    ck_assert_int_eq(rebali_text_read(text, cut, NULL, &documents, &n, &err), REBAL_EPARSE);
    ck_assert_uint_eq(err.column, cut + 1);
    ck_assert_int_eq(err.where, (int64_t)cut);
  }
}
END_TEST

START_TEST(test_text_where_counts_the_mark) {
  static const char text[] = "\xEF\xBB\xBF[\xC3\xA9]\n\"\n";
  rebal_error err = REBAL_ERROR_INIT;
  json_t **documents;
  size_t n;
  ck_assert_int_eq(rebali_text_read(text, 4, NULL, &documents, &n, &err), REBAL_EPARSE);
  ck_assert_int_eq(err.where, 4);
  ck_assert_uint_eq(err.column, 2);
  ck_assert_int_eq(rebali_text_read("\xEF\xBB\xBF\xFF", 4, NULL, &documents, &n, &err), REBAL_EPARSE);
  ck_assert_int_eq(err.where, 3);
  ck_assert_uint_eq(err.column, 1);
}
END_TEST

UNIT_CASE(text) {
  TCase *cases = tcase_create("text");
  tcase_add_loop_test(cases, test_text_empty, 0, (int)COUNT(empty));
  tcase_add_test(cases, test_text_arguments);
  tcase_add_loop_test(cases, test_text_truncated, 0, (int)COUNT(samples));
  tcase_add_test(cases, test_text_truncated_json);
  tcase_add_test(cases, test_text_where_counts_the_mark);
  return cases;
}
