/* SPDX-License-Identifier: MIT */
#include "reading.h"

static const char tree_text[] =
    "{\"status\":\"x\",\"spec\":{\"a\":{\"b\":{\"c\":1,\"d\":null},\"bc\":{\"c\":2}},\"ab\":{\"b\":3},\"n\":4}}";

static const char *const walks[] = {"",           "spec",       "spec.a",  "spec.a.b",  "spec.a.b.c",  "spec.a.b.d",
                                    "spec.a.b.e", "spec.a.bc",  "spec.ab", "spec.ab.b", "spec.a.bc.c", "status",
                                    "status.b",   "spec.n.c.d", "other",   "other.b.c"};

#define WALKS COUNT(walks)

/* After any other walk one ends where it does alone, also with its error. */
START_TEST(test_walk_on_from_another) {
  const char *first = walks[(size_t)_i / WALKS], *second = walks[(size_t)_i % WALKS];
  json_t *tree = json_loads(tree_text, 0, NULL);
  struct rebali_place alone, after;
  rebal_error alone_err = REBAL_ERROR_INIT, after_err = REBAL_ERROR_INIT;
  char alone_path[64], after_path[64];
  int32_t code = rebali_walk(tree, NULL, second, &alone, &alone_err);
  after.n_steps = 0;
  (void)rebali_walk_on(tree, NULL, first, &after, NULL);
  ck_assert_int_eq(rebali_walk_on(tree, NULL, second, &after, &after_err), code);
  ck_assert_ptr_eq(after.value, alone.value);
  (void)rebali_path_print(alone.path, alone_path, sizeof alone_path);
  (void)rebali_path_print(after.path, after_path, sizeof after_path);
  ck_assert_str_eq(after_path, alone_path);
  ck_assert_str_eq(after_err.field, alone_err.field);
  ck_assert_str_eq(after_err.message, alone_err.message);
  json_decref(tree);
}
END_TEST

START_TEST(test_walk_ends) {
  json_t *tree = json_loads(tree_text, 0, NULL);
  struct rebali_place place;
  ck_assert_int_eq(rebali_walk(tree, NULL, "spec.a.bc.c", &place, NULL), REBAL_OK);
  ck_assert_int_eq(json_integer_value(place.value), 2);
  ck_assert_int_eq(rebali_walk(tree, NULL, "spec.a.b.d", &place, NULL), REBAL_OK);
  ck_assert_ptr_null(place.value);
  ck_assert_int_eq(rebali_walk(tree, NULL, "status.b", &place, NULL), REBAL_EPARSE);
  ck_assert_int_eq(rebali_walk(tree, NULL, "a.b.c.d.e.f.g.h.i", &place, NULL), REBAL_EINVAL);
  json_decref(tree);
}
END_TEST

/* Letters A to Z are those a to z, on either side; the signs beside them in ASCII are not each other's. */
START_TEST(test_folded_member) {
  static const struct {
    const char *name, *key;
    int is_found;
  } folds[] = {
      {"ALPHA", "alpha", 1}, {"alpha", "ALPHA", 1}, {"aLpHa", "AlPhA", 1}, {"ZETA", "zeta", 1},
      {"zeta", "ZETA", 1},   {"@", "`", 0},         {"`", "@", 0},         {"[", "{", 0},
      {"{", "[", 0},         {"alpha", "alph", 0},  {"alph", "alpha", 0},  {"", "", 1},
  };
  for (size_t i = 0; i < COUNT(folds); i++) {
    json_t *map = json_pack("{s:i}", folds[i].name, 7);
    ck_assert_int_eq(json_integer_value(rebali_folded_member(map, folds[i].key)), folds[i].is_found ? 7 : 0);
    json_decref(map);
  }
}
END_TEST

UNIT_CASE(tree_value) {
  TCase *cases = tcase_create("tree_value");
  tcase_add_loop_test(cases, test_walk_on_from_another, 0, (int)(WALKS * WALKS));
  tcase_add_test(cases, test_walk_ends);
  tcase_add_test(cases, test_folded_member);
  return cases;
}
