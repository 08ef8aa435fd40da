/* SPDX-License-Identifier: MIT */
#include "reading.h"

#define YAML_TEXT                \
  "---\n"                        \
  "kind: List\n"                 \
  "items:\n"                     \
  "- metadata:\n"                \
  "    labels:\n"                \
  "      a.b/c: d\n"             \
  "      \"q\\\"\": e\n"         \
  "  spec:\n"                    \
  "    workloads: &w\n"          \
  "    - name: one\n"            \
  "    - {kind: x, name: two}\n" \
  "---\n"                        \
  "# nothing\n"                  \
  "---\n"                        \
  "spec: &s {replicas: -1}\n"    \
  "true: yes\n"                  \
  "copy: *s\n"                   \
  "merged:\n"                    \
  "  <<: *s\n"                   \
  "  own: 1\n"

#define JSON_TEXT                                \
  "{\"spec\":{\"workloads\":[\n"                 \
  " {\"name\":\"one\"},\n"                       \
  " {\"\xC3\xA9\":1,\"name\":\"two\"}]}}\n"      \
  "null {\"metadata\":{\"labels\":{\"a.b/c\":\n" \
  "\t\"d\"}}}\n"

static const struct {
  const char *text;
  size_t document;
  const char *path;
  uint32_t line, column;
} places[] = {
    {YAML_TEXT, 1, "", 2, 1},
    {YAML_TEXT, 1, "kind", 2, 7},
    {YAML_TEXT, 1, "items[0].metadata.labels[\"a.b/c\"]", 6, 14},
    {YAML_TEXT, 1, "items[0].metadata.labels[\"q\\\"\"]", 7, 14},
    {YAML_TEXT, 1, "items[0].spec.workloads[0].name", 10, 13},
    {YAML_TEXT, 1, "items[0].spec.workloads[1].name", 11, 23},
    {YAML_TEXT, 1, "items[0].spec[\"workloads\"][1][\"name\"]", 11, 23},
    {YAML_TEXT, 1, "items[0].spec.workloads[2].name", 9, 16},
    {YAML_TEXT, 1, "items[0].spec.work", 9, 5},
    {YAML_TEXT, 1, "items[1]", 4, 1},
    {YAML_TEXT, 1, "kind.inner", 2, 7},
    {YAML_TEXT, 2, "spec.replicas", 15, 21},
    {YAML_TEXT, 2, "true", 16, 7},
    {YAML_TEXT, 2, "copy.replicas", 17, 7},
    {YAML_TEXT, 2, "merged.replicas", 19, 3},
    {YAML_TEXT, 2, "merged.own", 20, 8},
    {JSON_TEXT, 1, "spec.workloads[1].name", 3, 16},
    {JSON_TEXT, 1, "spec.workloads[0]", 2, 2},
    {JSON_TEXT, 1, "spec.workloads[10]", 1, 22},
    {JSON_TEXT, 2, "metadata.labels[\"a.b/c\"]", 5, 2},
    {JSON_TEXT, 2, "metadata.name", 4, 18},
    {"\xEF\xBB\xBF{a: {b: 1}}", 1, "a.b", 1, 9},
};

START_TEST(test_locate) {
  uint32_t line = 0, column = 0;
  ck_assert_int_eq(
      rebali_locate(places[_i].text, strlen(places[_i].text), places[_i].document, places[_i].path, &line, &column),
      REBAL_OK);
  ck_assert_msg(line == places[_i].line && column == places[_i].column, "%s: %u:%u", places[_i].path, line, column);
}
END_TEST

START_TEST(test_locate_nothing) {
  uint32_t line = 7, column = 7;
  ck_assert_int_eq(rebali_locate(YAML_TEXT, strlen(YAML_TEXT), 3, "a", &line, &column), REBAL_ENOTFOUND);
  ck_assert_int_eq(rebali_locate(JSON_TEXT, strlen(JSON_TEXT), 3, "a", &line, &column), REBAL_ENOTFOUND);
  ck_assert_int_eq(rebali_locate("", 0, 1, "a", &line, &column), REBAL_ENOTFOUND);
  ck_assert_int_eq(rebali_locate("[", 1, 1, "[1]", &line, &column), REBAL_EPARSE);
  ck_assert_int_eq(rebali_locate("a: [", 4, 1, "b", &line, &column), REBAL_EPARSE);
  ck_assert_int_eq(rebali_locate("\xFF", 1, 1, "b", &line, &column), REBAL_EPARSE);
  ck_assert_uint_eq(line, 7);
  ck_assert_uint_eq(column, 7);
}
END_TEST

UNIT_CASE(locate) {
  TCase *cases = tcase_create("locate");
  tcase_add_loop_test(cases, test_locate, 0, (int)COUNT(places));
  tcase_add_test(cases, test_locate_nothing);
  return cases;
}
