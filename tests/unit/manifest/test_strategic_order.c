/* SPDX-License-Identifier: MIT */
#include "patching.h"

#include "manifest/patch/strategic.h"

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

/* ---- long lists, which are sorted another way, against the text of the rule ---- */

static json_t *shuffled(uint32_t *state, const char *prefix, int n) {
  json_t *list = json_array();
  for (int i = 0; i < n; i++) {
    *state = *state * 1664525u + 1013904223u;
    json_array_insert_new(list, (*state >> 16) % (size_t)(i + 1), json_sprintf("%s%d", prefix, i));
  }
  return list;
}

static size_t place_in(const json_t *list, const json_t *value) {
  size_t i = 0;
  while (i < json_array_size(list) && !json_equal(json_array_get(list, i), value)) {
    i++;
  }
  return i;
}

/* Those of a list that are among the items, in its order; with other: and not in that one. */
static json_t *in_order_of(const json_t *list, const json_t *items, const json_t *other) {
  json_t *out = json_array();
  for (size_t i = 0; i < json_array_size(list); i++) {
    json_t *value = json_array_get(list, i);
    if (place_in(items, value) < json_array_size(items) && place_in(other, value) == json_array_size(other)) {
      json_array_append(out, value);
    }
  }
  return out;
}

static json_t *merged(const json_t *patch, const json_t *server, const json_t *server_list) {
  json_t *out = json_array();
  size_t i = 0, k = 0;
  while (i < json_array_size(patch) || k < json_array_size(server)) {
    json_t *mine = json_array_get(patch, i), *theirs = json_array_get(server, k);
    const size_t at = place_in(server_list, mine);
    if (mine == NULL || (theirs != NULL && at < json_array_size(server_list) && place_in(server_list, theirs) < at)) {
      json_array_append(out, theirs);
      k++;
    } else {
      json_array_append(out, mine);
      i++;
    }
  }
  return out;
}

START_TEST(test_long_lists) {
  uint32_t state = 7u + (uint32_t)_i;
  json_t *server = shuffled(&state, "a", _i), *patch = shuffled(&state, "b", _i / 2), *items, *mine, *theirs, *wanted;
  rebal_document *out, *before, *change;
  for (int i = 0; i < _i; i += 2) {
    json_array_insert(patch, (size_t)i, json_array_get(server, (size_t)(_i - 1 - i)));
  }
  items = json_copy(server);
  json_array_extend(items, patch);
  mine = in_order_of(patch, items, NULL);
  theirs = in_order_of(server, items, patch);
  wanted = json_pack("{s:{s:o}}", "metadata", "finalizers", merged(mine, theirs, server));
  ck_assert_int_eq(rebali_document_new(json_pack("{s:{s:o}}", "metadata", "finalizers", server), &before, NULL),
                   REBAL_OK);
  ck_assert_int_eq(rebali_document_new(json_pack("{s:{s:o}}", "metadata", "finalizers", patch), &change, NULL),
                   REBAL_OK);
  ck_assert_int_eq(rebal_document_patch(before, change, REBAL_PATCH_STRATEGIC, &out, NULL), REBAL_OK);
  ck_assert(json_equal(out->tree, wanted));
  json_decref(items);
  json_decref(mine);
  json_decref(theirs);
  json_decref(wanted);
  rebal_document_free(out);
  rebal_document_free(before);
  rebal_document_free(change);
}
END_TEST

/* Items that the list does not have come first, in reverse order. */
START_TEST(test_long_lists_without_places) {
  struct rebali_elements items, none = {NULL, 0};
  json_t *list = json_array();
  for (int i = 0; i < 50; i++) {
    json_array_append_new(list, json_integer(i));
  }
  ck_assert_int_eq(rebali_elements_load(list, NULL, NULL, &items, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_strategic_order(&items, &none, &none, NULL), REBAL_OK);
  for (size_t i = 0; i < 50; i++) {
    ck_assert_int_eq(json_integer_value(items.at[i].value), 49 - (int)i);
  }
  free(items.at);
  json_decref(list);
}
END_TEST

/* Deletions that an atomic list once brought in verbatim come after the others of their group. */
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
  tcase_add_loop_test(cases, test_long_lists, 0, 60);
  tcase_add_test(cases, test_long_lists_without_places);
  tcase_add_loop_test(cases, test_deletions, 0, (int)COUNT(deletions));
  return cases;
}
