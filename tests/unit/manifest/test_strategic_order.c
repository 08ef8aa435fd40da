/* SPDX-License-Identifier: MIT */
#include "patching.h"

#include "strategic.h"

/* Lists of scalars, of which the order alone counts. */
static const struct {
  const char *items, *patch, *server, *out;
} rows[] = {
    {"[a, b, c, q]", "[q]", "[a, b, c]", "[q, a, b, c]"},
    {"[a, b, c, d, q]", "[c, q, a]", "[a, b, c, d]", "[b, c, q, a, d]"},
    {"[a, b, c]", "[c, b]", "[a, b, c]", "[a, c, b]"},
    {"[a, b, c]", "[]", "[a, b, c]", "[a, b, c]"},
    {"[a, q, m, b]", "[]", "[b, a]", "[b, m, q, a]"},
    {"[a, b]", "[b, a]", "[]", "[b, a]"},
    {"[]", "[a]", "[b]", "[]"},
    {"[a, b, c, d, e, f, g, h, i, j]", "[j, a]", "[a, b, c, d, e, f, g, h, i, j]", "[b, c, d, e, f, g, h, i, j, a]"},
};

START_TEST(test_orders) {
  rebal_document *documents[] = {document_of(rows[_i].items), document_of(rows[_i].patch),
                                 document_of(rows[_i].server)};
  struct rebali_elements lists[3];
  rebal_document out;
  for (size_t i = 0; i < 3; i++) {
    ck_assert_int_eq(rebali_elements_load(documents[i]->tree, NULL, NULL, &lists[i], NULL), REBAL_OK);
  }
  ck_assert_int_eq(rebali_strategic_order(&lists[0], &lists[1], &lists[2], NULL), REBAL_OK);
  ck_assert_int_eq(rebali_elements_put(&lists[0], NULL, &out.tree, NULL), REBAL_OK);
  assert_document(&out, rows[_i].out, rows[_i].items);
  json_decref(out.tree);
  for (size_t i = 0; i < 3; i++) {
    free(lists[i].at);
    rebal_document_free(documents[i]);
  }
}
END_TEST

/* Deletions that an atomic list once brought in verbatim stand behind the others of their group. */
static const struct patching deletions[] = {
    {"spec: {containers: [{name: a, $patch: delete}, {name: b}]}", "spec: {containers: [{name: q}]}",
     "spec: {containers: [{name: q}, {name: b}, {name: a, $patch: delete}]}", NULL, NULL},
    {"spec: {containers: [{name: a, $patch: delete}, {name: b}]}",
     "spec: {containers: [{name: a, tty: true}, {name: "
     "q}]}",
     "spec: {containers: [{name: q}, {name: a, $patch: delete, tty: true}, {name: b}]}", NULL, NULL},
};

START_TEST(test_deletions) {
  assert_patch(&deletions[_i], REBAL_PATCH_STRATEGIC, REBAL_OK);
}
END_TEST

UNIT_CASE(strategic_order) {
  TCase *cases = tcase_create("strategic_order");
  tcase_add_loop_test(cases, test_orders, 0, (int)COUNT(rows));
  tcase_add_loop_test(cases, test_deletions, 0, (int)COUNT(deletions));
  return cases;
}
