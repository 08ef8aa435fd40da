/* SPDX-License-Identifier: MIT */
#include "reading.h"

static const struct {
  const char *text, *json;
} texts[] = {
    {"a: &x [1, {b: 1.50}]\nc: *x\n", "{\"a\":[1,{\"b\":1.50}],\"c\":[1,{\"b\":1.50}]}"},
    {"- &x one\n- &x two\n- *x\n", "[\"one\",\"two\",\"two\"]"},
    {"&k key: *k\n", "{\"key\":\"key\"}"},
    {"- &k 5\n- {*k : v}\n", "[5,{\"5\":\"v\"}]"},
    {"b: &b {x: 1, v: 2}\nm:\n  <<: *b\n  x: 3\n", "{\"b\":{\"x\":1,\"v\":2},\"m\":{\"x\":3,\"v\":2}}"},
    {"b: &b {x: 1, v: 2}\nm:\n  x: 3\n  <<: *b\n", "{\"b\":{\"x\":1,\"v\":2},\"m\":{\"x\":3,\"v\":2}}"},
    {"<<: [{x: 1}, {x: 2, v: 3}]\nz: 4\n", "{\"z\":4,\"x\":1,\"v\":3}"},
    {"a: &a {<<: {x: 1}, v: 2}\nb: {<<: *a}\n", "{\"a\":{\"v\":2,\"x\":1},\"b\":{\"v\":2,\"x\":1}}"},
    {"'<<': 1\n", "{\"\\u003c\\u003c\":1}"},
};

START_TEST(test_tree_aliases_and_merges) {
  assert_reads(texts[_i].text, texts[_i].json);
}
END_TEST

static const struct refusal refusals[] = {
    {"*none\n", REBAL_EPARSE, 1, 1, 1, "before the alias \"none\""},
    {"a: *none\n", REBAL_EPARSE, 1, 1, 4, "before the alias \"none\""},
    {"&a [*a]\n", REBAL_EPARSE, 1, 1, 5, "before the alias \"a\""},
    {"- &a 1\n- &a [*a]\n", REBAL_EPARSE, 1, 2, 7, "before the alias \"a\""},
    {"- &a 1\n---\n- *a\n", REBAL_EPARSE, 2, 3, 3, "before the alias \"a\""},
    {"- &a [1]\n- {*a : 1}\n", REBAL_EPARSE, 1, 2, 4, "a key must be"},
    {"<<: 1\n", REBAL_EPARSE, 1, 1, 1, "merges a map"},
    {"<<: 1.5\n", REBAL_EPARSE, 1, 1, 1, "merges a map"},
    {"<<: [{a: 1}, 2]\n", REBAL_EPARSE, 1, 1, 1, "merges a map"},
    {"<<: {a: 1}\n<<: {b: 1}\n", REBAL_EPARSE, 1, 2, 1, "duplicate key \"<<\""},
};

START_TEST(test_tree_refused) {
  assert_refuses(&refusals[_i], NULL);
}
END_TEST

/* Nine levels of nine: half a milliard values in less than 500 bytes. */
START_TEST(test_tree_alias_bomb) {
  struct rebali_buffer text = REBALI_BUFFER;
  rebal_error err = REBAL_ERROR_INIT;
  json_t **documents;
  size_t n;
  rebali_buffer_text(&text, "a: &a [x, x, x, x, x, x, x, x, x]\n");
  for (char name = 'b'; name <= 'i'; name++) {
    const char before = (char)(name - 1);
    const char start[] = {name, ':', ' ', '&', name, ' ', '[', '\0'}, item[] = {'*', before, ',', '\0'};
    rebali_buffer_text(&text, start);
    for (int i = 0; i < 9; i++) {
      rebali_buffer_text(&text, item);
    }
    rebali_buffer_text(&text, "]\n");
  }
  ck_assert_int_eq(rebali_text_read(text.bytes, text.len, NULL, &documents, &n, &err), REBAL_ELIMIT);
  ck_assert_uint_eq(err.line, 6);
  ck_assert_msg(strstr(err.message, "aliases expand") != NULL, "%s", err.message);
  rebali_buffer_dispose(&text);
}
END_TEST

static const struct {
  const char *text;
  struct rebali_limits limits;
  int32_t code;
} limited[] = {
    {"[[[1]]]", {.depth = 3}, REBAL_OK},
    {"[[[[1]]]]", {.depth = 3}, REBAL_ELIMIT},
    {"a:\n- b: 1\n", {.depth = 3}, REBAL_OK},
    {"a:\n- b: [1]\n", {.depth = 3}, REBAL_ELIMIT},
    {"{\"a\":[1,2]}", {.nodes = 5}, REBAL_OK},
    {"{\"a\":[1,2]}", {.nodes = 4}, REBAL_ELIMIT},
    {"a: [1, 2]", {.nodes = 5}, REBAL_OK},
    {"a: [1, 2]", {.nodes = 4}, REBAL_ELIMIT},
    {"[1,2]", {.bytes = 5}, REBAL_OK},
    {"[1,2]", {.bytes = 4}, REBAL_ELIMIT},
    {"- &a [1, 2]\n- *a\n", {.aliases = 3}, REBAL_OK},
    {"- &a [1, 2]\n- *a\n", {.aliases = 2}, REBAL_ELIMIT},
    {"- &a [[1]]\n- *a\n", {.depth = 3}, REBAL_OK},
    {"- &a [[1]]\n- [*a]\n", {.depth = 3}, REBAL_ELIMIT},
    {"- &a 1.5\n- [[*a]]\n", {.depth = 3}, REBAL_OK},
};

START_TEST(test_tree_limits) {
  rebal_error err = REBAL_ERROR_INIT;
  json_t **documents = NULL;
  size_t n = 0;
  const char *text = limited[_i].text;
  ck_assert_int_eq(rebali_text_read(text, strlen(text), &limited[_i].limits, &documents, &n, &err), limited[_i].code);
  rebali_documents_free(documents, n);
}
END_TEST

START_TEST(test_tree_depth_bomb) {
  static const struct rebali_limits deepest = {.depth = SIZE_MAX};
  const char *const opening = _i == 0 ? "[" : "{\"a\":";
  struct rebali_buffer text = REBALI_BUFFER;
  rebal_error err = REBAL_ERROR_INIT;
  json_t **documents;
  size_t n;
  for (int i = 0; i < 100000; i++) {
    rebali_buffer_text(&text, opening);
  }
  ck_assert_int_eq(rebali_text_read(text.bytes, text.len, &deepest, &documents, &n, &err), REBAL_ELIMIT);
  ck_assert_uint_eq(err.column, strlen(opening) * REBALI_DEPTH_MAX + 1);
  rebali_buffer_dispose(&text);
}
END_TEST

UNIT_CASE(tree) {
  TCase *cases = tcase_create("tree");
  tcase_add_loop_test(cases, test_tree_aliases_and_merges, 0, (int)COUNT(texts));
  tcase_add_loop_test(cases, test_tree_refused, 0, (int)COUNT(refusals));
  tcase_add_test(cases, test_tree_alias_bomb);
  tcase_add_loop_test(cases, test_tree_limits, 0, (int)COUNT(limited));
  tcase_add_loop_test(cases, test_tree_depth_bomb, 0, 2);
  return cases;
}
