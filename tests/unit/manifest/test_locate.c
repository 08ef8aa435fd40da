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
    {YAML_TEXT, 1, "items[0].spec.workloads[1].name", 11, 23},
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

/* All places of the table at once are found where each alone is. */
START_TEST(test_all_places_in_one_reading) {
  struct rebali_location found[COUNT(places)];
  for (size_t first = 0, end; first < COUNT(places); first = end) {
    end = first;
    while (end < COUNT(places) && places[end].text == places[first].text) {
      found[end] = (struct rebali_location){places[end].document, places[end].path, 9, 9};
      end++;
    }
    ck_assert_int_eq(rebali_locate_all(places[first].text, strlen(places[first].text), found + first, end - first),
                     REBAL_OK);
  }
  for (size_t i = 0; i < COUNT(places); i++) {
    ck_assert_msg(found[i].line == places[i].line && found[i].column == places[i].column, "%s: %u:%u", places[i].path,
                  found[i].line, found[i].column);
  }
}
END_TEST

START_TEST(test_places_of_missing_documents) {
  struct rebali_location found[] = {{0, "a", 9, 9}, {1, "a", 9, 9}, {3, "a", 9, 9}};
  ck_assert_int_eq(rebali_locate_all("a: 1\n---\na: 2\n", 14, found, COUNT(found)), REBAL_OK);
  ck_assert(found[0].line == 0 && found[1].line == 1 && found[1].column == 4 && found[2].line == 0);
  ck_assert_int_eq(rebali_locate_all("a: 1", 4, NULL, 0), REBAL_OK);
}
END_TEST

UNIT_CASE(locate) {
  TCase *cases = tcase_create("locate");
  tcase_add_loop_test(cases, test_locate, 0, (int)COUNT(places));
  tcase_add_test(cases, test_locate_nothing);
  tcase_add_test(cases, test_all_places_in_one_reading);
  tcase_add_test(cases, test_places_of_missing_documents);
  return cases;
}
