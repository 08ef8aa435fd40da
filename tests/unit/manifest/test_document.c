/* SPDX-License-Identifier: MIT */
#include "patching.h"

START_TEST(test_documents) {
  static const struct {
    const char *text, *json;
  } rows[] = {
      {"a: [1, 1.50, x]", "{\"a\":[1,1.50,\"x\"]}"},
      {" {\"a\": null}\n", "{\"a\":null}"},
      {" null\n", "null"},
      {"---\n7\n", "7"},
  };
  for (size_t i = 0; i < COUNT(rows); i++) {
    rebal_document *document = document_of(rows[i].text);
    rebal_text *text;
    ck_assert_int_eq(rebal_text_new(&text, NULL), REBAL_OK);
    ck_assert_int_eq(rebal_document_write(document, REBAL_TEXT_FORMAT_JSON, text, NULL), REBAL_OK);
    ck_assert_str_eq(rebal_text_bytes(text, NULL), rows[i].json);
    rebal_text_free(text);
    rebal_document_free(document);
  }
}
END_TEST

START_TEST(test_refusals) {
  static const struct {
    const char *text;
    int32_t code;
  } rows[] = {{"", REBAL_EPARSE},
              {"{} {}", REBAL_EPARSE},
              {"{a", REBAL_EPARSE},
              {"[[[[[[1]]]]]]", REBAL_ELIMIT},
              {"nul", REBAL_OK}};
  const rebal_manifest_limits limits = {(uint32_t)sizeof limits, 5, 0, 0, 0}, unknown = {1, 0, 0, 0, 0};
  rebal_document *document;
  for (size_t i = 0; i < COUNT(rows); i++) {
    rebal_error err = REBAL_ERROR_INIT;
    document = NULL;
    ck_assert_int_eq(rebal_document_read(rows[i].text, strlen(rows[i].text), &limits, &document, &err), rows[i].code);
    ck_assert_int_eq(err.code, rows[i].code);
    rebal_document_free(document);
  }
  ck_assert_int_eq(rebal_document_read("{}", 2, &unknown, &document, NULL), REBAL_EABI);
  ck_assert_int_eq(rebal_document_read(NULL, 2, NULL, &document, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_document_read(NULL, 0, NULL, &document, NULL), REBAL_EPARSE);
  ck_assert_int_eq(rebal_document_read("{}", 2, NULL, NULL, NULL), REBAL_EINVAL);
}
END_TEST

START_TEST(test_formats) {
  rebal_document *document = document_of("{a: {b: 1}}");
  rebal_text *text;
  ck_assert_int_eq(rebal_text_new(&text, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_document_write(document, REBAL_TEXT_FORMAT_YAML, text, NULL), REBAL_OK);
  ck_assert_str_eq(rebal_text_bytes(text, NULL), "a:\n  b: 1\n");
  ck_assert_int_eq(rebal_document_write(document, REBAL_TEXT_FORMAT_JSON_PATCH, text, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_document_write(document, 0, text, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_document_write(document, REBAL_TEXT_FORMAT_JSON, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_document_write(NULL, REBAL_TEXT_FORMAT_JSON, text, NULL), REBAL_EINVAL);
  rebal_document_free(NULL);
  rebal_document_free(document);
  rebal_text_free(text);
}
END_TEST

UNIT_CASE(document) {
  TCase *cases = tcase_create("document");
  tcase_add_test(cases, test_documents);
  tcase_add_test(cases, test_refusals);
  tcase_add_test(cases, test_formats);
  return cases;
}
