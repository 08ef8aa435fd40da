/* SPDX-License-Identifier: MIT */
#include "patching.h"

static const char text[] =
    "{a: {b-c: [1, {d.e: x, \"q]\": -5}], n: null}, big: 12345678901234567890, good: true, bad: false, list: []}";

static const struct {
  const char *path;
  uint32_t kind;
  const char *written;
} values[] = {
    {"a.b-c[0]", REBAL_VALUE_KIND_NUMBER, "1"},
    {"a[\"b-c\"][1][\"d.e\"]", REBAL_VALUE_KIND_TEXT, "x"},
    {"a.b-c[1][\"q]\"]", REBAL_VALUE_KIND_NUMBER, "-5"},
    {"a.b-c[1]", REBAL_VALUE_KIND_MAP, "{\"d.e\":\"x\",\"q]\":-5}"},
    {"a.b-c", REBAL_VALUE_KIND_LIST, "[1,{\"d.e\":\"x\",\"q]\":-5}]"},
    {"big", REBAL_VALUE_KIND_NUMBER, "12345678901234567890"},
    {"good", REBAL_VALUE_KIND_BOOLEAN, "true"},
    {"list", REBAL_VALUE_KIND_LIST, "[]"},
    {"a.n", REBAL_VALUE_KIND_NONE, ""},
    {"a.b-c[2]", REBAL_VALUE_KIND_NONE, ""},
    {"a.b", REBAL_VALUE_KIND_NONE, ""},
    {"a.b-c.d", REBAL_VALUE_KIND_NONE, ""},
    {".a", REBAL_VALUE_KIND_NONE, ""},
    {"a.", REBAL_VALUE_KIND_NONE, ""},
    {"big.x", REBAL_VALUE_KIND_NONE, ""},
};

START_TEST(test_paths) {
  rebal_document *document = document_of(text);
  const rebal_value *value = rebal_document_value(document, values[_i].path);
  rebal_text *out = NULL;
  ck_assert_uint_eq(rebal_value_kind(value), values[_i].kind);
  ck_assert_int_eq(rebal_text_new(&out, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_value_write(value, out, NULL), REBAL_OK);
  ck_assert_str_eq(rebal_text_bytes(out, NULL), values[_i].written);
  rebal_text_free(out);
  rebal_document_free(document);
}
END_TEST

START_TEST(test_members) {
  static const char *const keys[] = {"a", "big", "good", "bad", "list"};
  rebal_document *document = document_of(text);
  const rebal_value *map = rebal_document_value(document, "");
  const char *key = NULL;
  ck_assert_uint_eq(rebal_value_count(map), 5);
  for (size_t i = 0; i < 5; i++) {
    key = rebal_value_next_key(map, key);
    ck_assert_str_eq(key, keys[i]);
    ck_assert_ptr_nonnull(rebal_value_member(map, key));
  }
  ck_assert_ptr_null(rebal_value_next_key(map, key));
  ck_assert_ptr_null(rebal_value_member(map, "none"));
  ck_assert_ptr_null(rebal_value_member(map, NULL));
  ck_assert_ptr_null(rebal_value_member(rebal_value_member(map, "big"), "a"));
  rebal_document_free(document);
}
END_TEST

START_TEST(test_items) {
  rebal_document *document = document_of("[a, null, 7]");
  const rebal_value *list = rebal_document_value(document, "");
  size_t len = 9;
  int64_t number = 0;
  ck_assert_uint_eq(rebal_value_count(list), 3);
  ck_assert_str_eq(rebal_value_text(rebal_value_item(list, 0), &len), "a");
  ck_assert_uint_eq(len, 1);
  ck_assert_ptr_null(rebal_value_item(list, 1));
  ck_assert_int_eq(rebal_value_integer(rebal_value_item(list, 2), &number), 1);
  ck_assert_int_eq(number, 7);
  ck_assert_ptr_null(rebal_value_item(list, 3));
  ck_assert_ptr_null(rebal_value_next_key(list, NULL));
  rebal_document_free(document);
}
END_TEST

START_TEST(test_integers) {
  rebal_document *document = document_of("{a: 9223372036854775807, b: 9223372036854775808, c: 1.5, d: true, e: \"1\"}");
  const rebal_value *map = rebal_document_value(document, "");
  int64_t number = -1;
  ck_assert_int_eq(rebal_value_integer(rebal_value_member(map, "a"), &number), 1);
  ck_assert_int_eq(number, INT64_MAX);
  ck_assert_int_eq(rebal_value_integer(rebal_value_member(map, "d"), &number), 1);
  ck_assert_int_eq(number, 1);
  ck_assert_int_eq(rebal_value_integer(rebal_value_member(map, "b"), &number), 0);
  ck_assert_int_eq(rebal_value_integer(rebal_value_member(map, "c"), &number), 0);
  ck_assert_int_eq(rebal_value_integer(rebal_value_member(map, "e"), &number), 0);
  ck_assert_int_eq(rebal_value_integer(rebal_value_member(map, "a"), NULL), 0);
  ck_assert_int_eq(number, 1);
  rebal_document_free(document);
}
END_TEST

/* Nothing is in nothing. */
START_TEST(test_nothing) {
  rebal_error err = REBAL_ERROR_INIT;
  size_t len = 9;
  ck_assert_ptr_null(rebal_document_value(NULL, "a"));
  ck_assert_uint_eq(rebal_value_kind(NULL), REBAL_VALUE_KIND_NONE);
  ck_assert_uint_eq(rebal_value_count(NULL), 0);
  ck_assert_ptr_null(rebal_value_member(NULL, "a"));
  ck_assert_ptr_null(rebal_value_next_key(NULL, NULL));
  ck_assert_ptr_null(rebal_value_item(NULL, 0));
  ck_assert_str_eq(rebal_value_text(NULL, &len), "");
  ck_assert_uint_eq(len, 0);
  ck_assert_int_eq(rebal_value_write(NULL, NULL, &err), REBAL_EINVAL);
}
END_TEST

/* The document of an object stays as it was; a missing object or store has none. */
START_TEST(test_an_object_as_a_document) {
  static const char pod[] = "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {priority: 1}}";
  static const char patch[] = "{spec: {priority: 2}}";
  const rebal_time now = {0, 0, 1};
  rebal_store *store = NULL;
  rebal_document *document = NULL;
  int64_t priority = 0;
  ck_assert_int_eq(rebal_store_new(NULL, &store, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_load(store, pod, strlen(pod), NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_document(store, 0, &document, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_patch(store, 0, patch, strlen(patch), &now, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_value_integer(rebal_document_value(document, "spec.priority"), &priority), 1);
  ck_assert_int_eq(priority, 1);
  rebal_document_free(document);
  ck_assert_int_eq(rebal_store_document(store, 1, &document, NULL), REBAL_ENOTFOUND);
  ck_assert_int_eq(rebal_store_document(NULL, 0, &document, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_store_document(store, 0, NULL, NULL), REBAL_EINVAL);
  rebal_store_free(store);
}
END_TEST

UNIT_CASE(document_value) {
  TCase *cases = tcase_create("document_value");
  tcase_add_loop_test(cases, test_paths, 0, (int)(sizeof values / sizeof values[0]));
  tcase_add_test(cases, test_members);
  tcase_add_test(cases, test_items);
  tcase_add_test(cases, test_integers);
  tcase_add_test(cases, test_nothing);
  tcase_add_test(cases, test_an_object_as_a_document);
  return cases;
}
