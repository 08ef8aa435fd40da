/* SPDX-License-Identifier: MIT */
#include "stores.h"

#include <stdlib.h>

#define ITEM(name) "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"" name "\"}}"
#define BARE(name) "{\"metadata\":{\"name\":\"" name "\"}}"
#define SPACED(name) "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"" name "\"}}"
#define IN_DEFAULT(name) \
  "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"" name "\",\"namespace\":\"default\"}}"
#define BAD "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"labels\":{}}}"

/* Objects of a text in their order of reading, each a line. */
static const struct {
  const char *text, *objects;
} lists[] = {
    {"{\"kind\":\"List\",\"items\":[" ITEM("a") "," ITEM("b") "]}", ITEM("a") "\n" ITEM("b") "\n"},
    {"{\"items\":[" ITEM("a") "," ITEM("b") "],\"kind\":\"List\"}", ITEM("a") "\n" ITEM("b") "\n"},
    {"{\"items\":[" SPACED("a") "," ITEM("b") "],\"kind\":\"List\"}", IN_DEFAULT("a") "\n" ITEM("b") "\n"},
    {"{\"items\":[" BARE("a") "," ITEM("b") "],\"apiVersion\":\"v1\",\"kind\":\"NodeList\"}",
     "{\"metadata\":{\"name\":\"a\"},\"kind\":\"Node\",\"apiVersion\":\"v1\"}\n" ITEM("b") "\n"},
    {"{\"kind\":\"NodeList\",\"items\":[" BARE("a") "],\"apiVersion\":\"v1\"}",
     "{\"metadata\":{\"name\":\"a\"},\"kind\":\"Node\",\"apiVersion\":\"v1\"}\n"},
    /* an object that turns out not to be a list keeps its items as they are */
    {"{\"items\":[" SPACED("a") "," BARE("b") ",1," BAD "],\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":"
                                              "{\"name\":\"n\"}}",
     "{\"items\":[" SPACED("a") "," BARE("b") ",1," BAD "],\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":"
                                              "{\"name\":\"n\"}}\n"},
    {"{\"kind\":\"Node\",\"items\":[" ITEM("a") "],\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"n\"}}",
     "{\"kind\":\"Node\",\"items\":[" ITEM("a") "],\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"n\"}}\n"},
    {ITEM("a") "\n{\"items\":[" ITEM("b") "],\"kind\":\"List\"}\n" ITEM("c"),
     ITEM("a") "\n" ITEM("b") "\n" ITEM("c") "\n"},
    /* aliases and merges into items */
    {"items:\n- &x " ITEM("a") "\n- {<<: *x, metadata: {name: b}}\nkind: List\n",
     ITEM("a") "\n{\"metadata\":{\"name\":\"b\"},\"apiVersion\":\"v1\",\"kind\":\"Node\"}\n"},
    {"items:\n- " ITEM("a") "\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: &m {name: b}\n"
                            "- {apiVersion: v1, kind: Node, metadata: *m}\nkind: List\n",
     ITEM("a") "\n" IN_DEFAULT("b") "\n" ITEM("b") "\n"},
    {"kind: List\nitems: &x\n- " ITEM("a") "\nmore: *x\n", ITEM("a") "\n"},
    {"kind: List\nmore: {items: [{}]}\nitems:\n- " ITEM("a") "\n", ITEM("a") "\n"},
    {"kind: List\n<<: {items: [" ITEM("a") "]}\n", ITEM("a") "\n"},
};

START_TEST(test_items_are_objects_wherever_kind_stands) {
  rebal_store *store = store_of(lists[_i].text);
  rebal_text *text = NULL;
  ck_assert_int_eq(rebal_text_new(&text, NULL), REBAL_OK);
  for (uint32_t i = 0; i < rebal_store_count(store); i++) {
    ck_assert_int_eq(rebal_store_write(store, i, REBAL_TEXT_FORMAT_JSON, text, NULL), REBAL_OK);
    ck_assert_int_eq(rebal_text_append(text, "\n", 1, NULL), REBAL_OK);
  }
  ck_assert_str_eq(rebal_text_bytes(text, NULL), lists[_i].objects);
  rebal_text_free(text);
  rebal_store_free(store);
}
END_TEST

/* The first error is reported, but malformed text anywhere takes precedence. */
static const struct {
  const char *text;
  uint32_t document, line, column;
  const char *field, *message;
} refused[] = {
    {"{\"items\":[" ITEM("a") ",\n" BAD ",\n1],\"kind\":\"List\"}", 1, 2, 45, "items[1].metadata.name", "no name"},
    {"{\"items\":[" ITEM("a") ",\n" BAD "],\"kind\":\"List\"\n", 1, 3, 1, "", "unexpected end"},
    {"{\"items\":[\n" BARE("a") ",\n" BAD "],\"kind\":\"List\"}", 1, 2, 1, "items[0].kind", "no kind"},
    {"{\"items\":[\n" BARE("a") ",\n" BAD "],\"kind\":\"NodeList\"}", 1, 2, 1, "items[0].apiVersion", "no apiVersion"},
    {"{\"items\":[\n" ITEM("a") ",\n1," BAD "],\"kind\":\"List\"}", 1, 3, 1, "items[1]", "expected a map"},
    {"{\"items\":[{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[]}],\"kind\":\"List\"}", 1, 1, 11, "items[0]",
     "a List within a List"},
    {ITEM("a") "\n{\"items\":[" BAD "],\"kind\":\"List\"}\n" BAD, 2, 2, 55, "items[0].metadata.name", "no name"},
    {"kind: List\nitems:\n- " ITEM("a") "\n- " ITEM("a") "\n", 1, 4, 55, "items[1].metadata.name", "read before"},
    {"items: 3\nkind: List\n", 1, 1, 8, "items", "expected a list"},
};

START_TEST(test_bad_items_are_reported_in_their_order) {
  rebal_store *store = store_new();
  rebal_error err = REBAL_ERROR_INIT;
  const int32_t code = rebal_store_load(store, refused[_i].text, strlen(refused[_i].text), &err);
  ck_assert_int_ne(code, REBAL_OK);
  ck_assert_int_eq(code, err.code);
  ck_assert_msg(strstr(err.message, refused[_i].message) != NULL, "%s", err.message);
  ck_assert_str_eq(err.field, refused[_i].field);
  ck_assert_msg(
      err.document == refused[_i].document && err.line == refused[_i].line && err.column == refused[_i].column,
      "document %u, line %u, column %u", err.document, err.line, err.column);
  ck_assert_uint_eq(rebal_store_count(store), 0);
  rebal_store_free(store);
}
END_TEST

/* Long lists take other code paths than short ones: entries grow, and so do the trees' frames. */
START_TEST(test_a_long_list) {
  struct rebali_buffer text = REBALI_BUFFER;
  rebal_store *store;
  rebali_buffer_text(&text, "{\"items\":[");
  for (int i = 0; i < 1000; i++) {
    char item[160];
    (void)snprintf(item, sizeof item, "%s{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n%d\"}}",
                   i > 0 ? "," : "", i);
    rebali_buffer_text(&text, item);
  }
  rebali_buffer_text(&text, "],\"kind\":\"List\"}");
  store = store_of(text.bytes);
  ck_assert_uint_eq(rebal_store_count(store), 1000);
  assert_member(store, 999, "metadata.name", "n999");
  rebal_store_free(store);
  rebali_buffer_dispose(&text);
}
END_TEST

UNIT_CASE(store_read) {
  TCase *cases = tcase_create("store_read");
  tcase_add_loop_test(cases, test_items_are_objects_wherever_kind_stands, 0, (int)COUNT(lists));
  tcase_add_loop_test(cases, test_bad_items_are_reported_in_their_order, 0, (int)COUNT(refused));
  tcase_add_test(cases, test_a_long_list);
  return cases;
}
