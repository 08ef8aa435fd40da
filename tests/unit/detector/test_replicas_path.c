/* SPDX-License-Identifier: MIT */
#include "interpreting.h"

static const struct {
  const char *paths, *path; /* path NULL: the kind Foo of example.com is not named */
  int is_valid;
} rows[] = {
    {"", NULL, 1},
    {"Foo=spec.size", "spec.size", 1},
    {"Bar=spec.n,Foo.example.com=size", "size", 1},
    {"Foo.example.org=spec.n,Foo=spec.size", "spec.size", 1},
    {"Fo=spec.n", NULL, 1},
    {"Food=spec.n", NULL, 1},
    {"Foo", NULL, 0},
    {"Foo=", NULL, 0},
    {"=spec.n", NULL, 0},
    {"Foo=a,", "a", 1},
    {"Foo=a,,", "a", 0},
    {"Foo=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", NULL, 0},
};

START_TEST(test_paths) {
  const struct rebali_text paths = rebali_text(rows[_i].paths, strlen(rows[_i].paths));
  json_t *object = tree_of("{apiVersion: example.com/v1, kind: Foo}");
  char path[REBALI_REPLICAS_PATH_SIZE] = "";
  ck_assert_int_eq(rebali_replicas_paths_are_valid(paths), rows[_i].is_valid);
  if (rows[_i].is_valid) {
    ck_assert_int_eq(rebali_replicas_path(paths, object, path), rows[_i].path != NULL);
    ck_assert_str_eq(path, rows[_i].path != NULL ? rows[_i].path : "");
  }
  json_decref(object);
}
END_TEST

/* Replicas and the template beside them, and the object with another number. */
static const struct {
  const char *object, *replicas, *revised;
  int32_t code;
} kinds[] = {
    {"{kind: Foo, spec: {size: 2, template: {spec: {containers: [{resources: {limits: {cpu: 1}}}]}}}}",
     "{replicas: 2, requirements: {resourceRequest: {cpu: '1'}}}",
     "{kind: Foo, spec: {size: 5, template: {spec: {containers: [{resources: {limits: {cpu: 1}}}]}}}}", REBAL_OK},
    {"{kind: Foo, spec: {}}", "{replicas: 0}", "{kind: Foo, spec: {}}", REBAL_OK},
    {"{kind: Foo}", "{replicas: 0}", "{kind: Foo}", REBAL_OK},
    {"{kind: Foo, spec: {size: x}}", NULL, NULL, REBAL_EPARSE},
};

START_TEST(test_kinds) {
  const struct rebali_interpret_options options = {0, 5, {0, 0, 0}, NULL, REBALI_TEXT("Foo=spec.size")};
  json_t *object = tree_of(kinds[_i].object), *answer;
  ck_assert_int_eq(rebali_interpret(object, REBAL_INTERPRET_REPLICAS, &options, &answer, NULL), kinds[_i].code);
  assert_tree(answer, kinds[_i].replicas);
  ck_assert_int_eq(rebali_interpret(object, REBAL_INTERPRET_REVISE, &options, &answer, NULL), kinds[_i].code);
  assert_tree(answer, kinds[_i].revised);
  json_decref(object);
}
END_TEST

UNIT_CASE(replicas_path) {
  TCase *cases = tcase_create("replicas_path");
  tcase_add_loop_test(cases, test_paths, 0, sizeof rows / sizeof rows[0]);
  tcase_add_loop_test(cases, test_kinds, 0, sizeof kinds / sizeof kinds[0]);
  return cases;
}
