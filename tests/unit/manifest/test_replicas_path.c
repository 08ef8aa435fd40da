/* SPDX-License-Identifier: MIT */
#include "manifest/spread/kruise.h"
#include "reading.h"

static const char object_text[] =
    "{\"spec\":{\"replicas\":7,\"groups\":[{\"size\":2},{\"size\":3}],\"text\":\"5\",\"half\":1.5,\"large\":4294967297,"
    "\"least\":-2147483649,\"beyond\":12345678901234567890,\"none\":null,\"yes\":true,\"\":{\"a\":9},\"rep\":1}}";

static json_t *object_of(const char *text) {
  json_t *tree = NULL;
  ck_assert_int_eq(rebali_json_text(text, strlen(text), &tree, NULL), REBAL_OK);
  return tree;
}

static const struct {
  const char *path;
  int32_t value;
  const char *message; /* NULL: it leads to the value */
} rows[] = {
    {"", 0, NULL},
    {"spec.replicas", 7, NULL},
    {"spec.rep", 1, NULL},
    {"spec.groups.0.size", 2, NULL},
    {"spec.groups.+1.size", 3, NULL},
    {"spec.groups.-0.size", 2, NULL},
    {"spec..a", 9, NULL},
    {"spec.large", 1, NULL},
    {"spec.least", 2147483647, NULL},
    {"spec.replica", 0, "path \"replica\" not exists"},
    {"Spec.replicas", 0, "path \"Spec\" not exists"},
    {"spec.groups.2.size", 0, "index 2 out of range"},
    {"spec.groups.-1.size", 0, "index -1 out of range"},
    {"spec.groups.99999999999999999999.size", 0, "index 99999999999999999999 out of range"},
    {"spec.groups.one.size", 0, "strconv.Atoi: parsing \"one\": invalid syntax"},
    {"spec.groups.1x.size", 0, "strconv.Atoi: parsing \"1x\": invalid syntax"},
    {"spec.groups..size", 0, "strconv.Atoi: parsing \"\": invalid syntax"},
    {"spec.groups.-.size", 0, "strconv.Atoi: parsing \"-\": invalid syntax"},
    {"spec.replicas.of", 0, "object is not deep enough"},
    {"spec.beyond.of", 0, "object is not deep enough"},
    {"spec.none.of", 0, "object is not deep enough"},
    {"spec.replicas.", 0, "object is not deep enough"},
    {"spec", 0, "object type error"},
    {"spec.text", 0, "object type error"},
    {"spec.half", 0, "object type error"},
    {"spec.beyond", 0, "object type error"},
    {"spec.none", 0, "object type error"},
    {"spec.yes", 0, "object type error"},
    {"spec.groups", 0, "object type error"},
};

START_TEST(test_paths) {
  json_t *object = object_of(object_text);
  rebal_error err = REBAL_ERROR_INIT;
  int32_t value = -1;
  const int32_t code = rebali_path_value(object, rows[_i].path, &value, &err);
  ck_assert_msg(code == (rows[_i].message != NULL ? REBAL_EINVAL : REBAL_OK), "%s: %d", rows[_i].path, code);
  ck_assert_msg(value == rows[_i].value, "%s: %d", rows[_i].path, value);
  ck_assert_str_eq(err.message, rows[_i].message != NULL ? rows[_i].message : "");
  json_decref(object);
}
END_TEST

START_TEST(test_sums_wrap) {
  static const struct {
    const char *paths;
    int32_t sum;
  } sums[] = {
      {"[]", 0},
      {"[\"spec.replicas\", \"spec.groups.1.size\", \"\"]", 10},
      {"[\"spec.least\", \"spec.rep\"]", INT32_MIN},
      {"[\"spec.least\", \"spec.rep\", \"spec.replicas\"]", INT32_MIN + 7},
  };
  json_t *object = object_of(object_text);
  for (size_t i = 0; i < COUNT(sums); i++) {
    json_t *paths = object_of(sums[i].paths);
    int32_t sum = -1;
    ck_assert_int_eq(rebali_path_sum(object, paths, &sum, NULL), REBAL_OK);
    ck_assert_int_eq(sum, sums[i].sum);
    json_decref(paths);
  }
  json_decref(object);
}
END_TEST

START_TEST(test_one_path_that_leads_nowhere_fails_the_sum) {
  json_t *object = object_of(object_text), *paths = object_of("[\"spec.replicas\", \"spec.nosuch\"]");
  rebal_error err = REBAL_ERROR_INIT;
  int32_t sum = -1;
  ck_assert_int_eq(rebali_path_sum(object, paths, &sum, &err), REBAL_EINVAL);
  ck_assert_int_eq(sum, 0);
  ck_assert_str_eq(err.message, "path \"nosuch\" not exists");
  json_decref(object);
  json_decref(paths);
}
END_TEST

UNIT_CASE(replicas_path) {
  TCase *cases = tcase_create("replicas_path");
  tcase_add_loop_test(cases, test_paths, 0, (int)COUNT(rows));
  tcase_add_test(cases, test_sums_wrap);
  tcase_add_test(cases, test_one_path_that_leads_nowhere_fails_the_sum);
  return cases;
}
