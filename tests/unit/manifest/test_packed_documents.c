/* SPDX-License-Identifier: MIT */
#include "reading.h"

static const struct {
  const char *text;
  const size_t apart; /* items of the first document that lie apart */
} rows[] = {
    {"a: 1\n---\nnull\n---\n[1, 2]\n", 0},
    {"kind: List\nitems: [{a: 1}, {b: [1.50, 1e400, 'x\"<']}]\nmetadata: {}\n", 2},
    {"{items: [{a: 1}, {b: 2}], kind: List}", 2},
    {"{items: [{a: 1}, {b: 2}], kind: Box, z: 1}", 2},
    {"{kind: Box, items: [{a: 1}, {b: 2}]}", 0},
    {"{kind: List, items: [{a: 1}, 5, {c: 3}]}", 1},
    {"{kind: List, items: [5, {c: 3}]}", 0},
    {"{kind: List, items: [{a: 1}, &x {b: 2}, *x, {c: 3}]}", 1},
    {"{kind: List, items: []}\n", 0},
    {"{\"kind\":\"List\",\"items\":[{\"a\":1},{\"b\":2}]} {\"kind\":\"List\",\"items\":[{\"a\":1}]}", 2},
    {"{\"kind\":\"List\",\"items\":[{\"a\":1},{b: 2},{\"c\":3}]}", 3}, /* read as JSON first */
    {"kind: PodList\nitems: [{a: 1}]\n---\nkind: PodList\nitems: [{b: 1}, {c: 1}]\n", 1},
};

START_TEST(test_documents_are_what_was_packed) {
  const char *text = rows[_i].text;
  struct rebali_packed packed;
  json_t **documents = NULL;
  size_t n = 0;
  ck_assert_int_eq(rebali_text_read(text, strlen(text), NULL, &documents, &n, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_packed_read(&packed, text, strlen(text), NULL, NULL), REBAL_OK);
  ck_assert_uint_eq(packed.n, n);
  ck_assert_uint_eq(packed.documents[0].n_items, rows[_i].apart);
  for (size_t i = 0; i < n; i++) {
    json_t *tree, *item;
    ck_assert_int_eq(rebali_packed_document(&packed, i, &tree, NULL), REBAL_OK);
    for (size_t k = 0; k < packed.documents[i].n_items; k++) {
      ck_assert_int_eq(rebali_packed_item(&packed, i, k, &item, NULL), REBAL_OK);
      ck_assert(json_equal(item, json_array_get(json_object_get(documents[i], "items"), k)));
      json_decref(item);
    }
    ck_assert_int_eq(rebali_packed_restore(&packed, i, tree, NULL), REBAL_OK);
    ck_assert(json_equal(tree, documents[i]));
    json_decref(tree);
  }
  rebali_packed_dispose(&packed);
  rebali_documents_free(documents, n);
}
END_TEST

/* Items that lie apart are written where they were, in each format. */
START_TEST(test_documents_are_written_as_they_were) {
  const char *text = rows[_i].text;
  for (uint32_t format = REBAL_TEXT_FORMAT_JSON; format <= REBAL_TEXT_FORMAT_YAML; format++) {
    const rebal_rewrite_opts opts = {.struct_size = sizeof opts, .format = format};
    struct rebali_buffer whole = REBALI_BUFFER;
    json_t **documents = NULL;
    size_t n = 0;
    rebal_text *out;
    ck_assert_int_eq(rebal_text_new(&out, NULL), REBAL_OK);
    ck_assert_int_eq(rebali_text_read(text, strlen(text), NULL, &documents, &n, NULL), REBAL_OK);
    if (format == REBAL_TEXT_FORMAT_YAML) {
      ck_assert_int_eq(rebali_yaml_write(documents, n, 0, &whole), REBAL_OK);
    }
    for (size_t i = 0; format != REBAL_TEXT_FORMAT_YAML && i < n; i++) {
      const uint32_t flags = format == REBAL_TEXT_FORMAT_JSON_PRETTY ? REBALI_WRITE_PRETTY : 0;
      ck_assert_int_eq(rebali_json_write(documents[i], flags, &whole), REBAL_OK);
      rebali_buffer_text(&whole, "\n");
    }
    ck_assert_int_eq(rebal_manifest_rewrite(text, strlen(text), &opts, out, NULL), REBAL_OK);
    ck_assert_str_eq(rebal_text_bytes(out, NULL), whole.bytes);
    rebali_buffer_dispose(&whole);
    rebali_documents_free(documents, n);
    rebal_text_free(out);
  }
}
END_TEST

START_TEST(test_what_is_malformed_is_not_packed) {
  static const char text[] = "kind: List\nitems: [{a: 1}]\n---\nb: [";
  struct rebali_packed packed;
  rebal_error err = REBAL_ERROR_INIT;
  ck_assert_int_eq(rebali_packed_read(&packed, text, strlen(text), NULL, &err), REBAL_EPARSE);
  ck_assert(err.document == 2 && err.line == 4);
  ck_assert(packed.text.bytes == NULL && packed.documents == NULL && packed.items == NULL);
}
END_TEST

UNIT_CASE(packed_documents) {
  TCase *cases = tcase_create("packed_documents");
  tcase_add_loop_test(cases, test_documents_are_what_was_packed, 0, (int)COUNT(rows));
  tcase_add_loop_test(cases, test_documents_are_written_as_they_were, 0, (int)COUNT(rows));
  tcase_add_test(cases, test_what_is_malformed_is_not_packed);
  return cases;
}
