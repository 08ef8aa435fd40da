/* SPDX-License-Identifier: MIT */
/* The lines of tests/data/applied-placements.txt are annotations of the recorded cases, their keys sorted. */
#include "stores.h"

#include <stdio.h>

static int64_t read_state(const char *text, json_t **tree) {
  rebal_error err = REBAL_ERROR_INIT;
  int64_t state = -1;
  ck_assert_int_eq(rebali_applied_read(text, &state, tree, &err), REBAL_OK);
  ck_assert_str_eq(err.message, ""); /* an unreadable text is an answer, not an error */
  return state;
}

static char *rewrite(const json_t *tree) {
  struct rebali_buffer output = REBALI_BUFFER;
  rebal_builder *builder = NULL;
  const rebal_record *record = NULL;
  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_read_record(builder, REBAL_OBJECT_PLACEMENT, tree, NULL, &record, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_applied_write(record, &output, NULL), REBAL_OK);
  rebal_builder_free(builder);
  return output.bytes;
}

/* What is written is the same placement, and nothing is left out or added. */
static void check_line(const char *line) {
  struct rebali_buffer sorted = REBALI_BUFFER;
  json_t *tree = NULL, *again = NULL;
  char *written;
  ck_assert_int_eq(read_state(line, &tree), REBAL_ANNOTATION_PRESENT);
  written = rewrite(tree);
  ck_assert_int_eq(read_state(written, &again), REBAL_ANNOTATION_PRESENT);
  ck_assert_int_eq(rebali_strictly_equal(REBAL_OBJECT_PLACEMENT, tree, again), 1);
  ck_assert_int_eq(rebali_json_write(again, REBALI_WRITE_SORTED, &sorted), REBAL_OK);
  ck_assert_str_eq(sorted.bytes, line);
  free(written);
  json_decref(tree);
  json_decref(again);
  rebali_buffer_dispose(&sorted);
}

START_TEST(test_recorded_annotations_are_written_back) {
  const char *folder = getenv("top_srcdir");
  char path[512], line[16384];
  size_t lines = 0;
  FILE *file;
  (void)snprintf(path, sizeof path, "%s/tests/data/applied-placements.txt", folder != NULL ? folder : ".");
  file = fopen(path, "r");
  ck_assert_msg(file != NULL, "cannot open %s", path);
  while (fgets(line, sizeof line, file) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    check_line(line);
    lines++;
  }
  (void)fclose(file);
  ck_assert_uint_gt(lines, 100);
}
END_TEST

START_TEST(test_members_are_written_in_the_references_order) {
  static const char all[] =
      "{\"clusterAffinity\":{\"labelSelector\":{\"matchLabels\":{\"a\":\"\\u003c\\u0026\\u003e\",\"b\":\"\"},"
      "\"matchExpressions\":[{\"key\":\"k\",\"operator\":\"In\",\"values\":[\"v\"]}]},\"fieldSelector\":{"
      "\"matchExpressions\":"
      "[{\"key\":\"zone\",\"operator\":\"Exists\"}]},\"clusterNames\":[\"m\"],\"exclude\":[\"x\"]},"
      "\"clusterAffinities\":[{\"affinityName\":\"\",\"clusterNames\":[\"m\"],\"overflowAffinities\":[{"
      "\"affinityName\":"
      "\"o\"}]}],\"clusterTolerations\":[{\"key\":\"k\",\"operator\":\"Equal\",\"value\":\"v\","
      "\"effect\":\"NoExecute\","
      "\"tolerationSeconds\":0}],\"spreadConstraints\":[{\"spreadByField\":\"cluster\",\"maxGroups\":2,"
      "\"minGroups\":1},"
      "{\"spreadByLabel\":\"l\"}],\"replicaScheduling\":{\"replicaSchedulingType\":\"Divided\","
      "\"replicaDivisionPreference\":\"Weighted\",\"weightPreference\":{\"staticWeightList\":[{\"targetCluster\":{},"
      "\"weight\":0}],\"dynamicWeight\":\"AvailableReplicas\"}},\"workloadAffinity\":{\"affinity\":{"
      "\"groupByLabelKey\":\"\"},"
      "\"antiAffinity\":{\"groupByLabelKey\":\"g\"}}}";
  static const char sloppy[] =
      "{\"clusterAffinity\":{\"exclude\":[],\"labelSelector\":{\"matchLabels\":{}},\"fieldSelector\":null},"
      "\"spreadConstraints\":[{\"minGroups\":0,\"spreadByField\":\"\"}],\"unknown\":1,"
      "\"replicaScheduling\":{\"weightPreference\":{\"staticWeightList\":[{}]}}}";
  json_t *tree = NULL;
  char *written;
  ck_assert_int_eq(read_state(all, &tree), REBAL_ANNOTATION_PRESENT);
  written = rewrite(tree);
  ck_assert_str_eq(written, all);
  free(written);
  json_decref(tree);
  ck_assert_int_eq(read_state(sloppy, &tree), REBAL_ANNOTATION_PRESENT);
  written = rewrite(tree);
  ck_assert_str_eq(written,
                   "{\"clusterAffinity\":{\"labelSelector\":{}},\"spreadConstraints\":[{}],"
                   "\"replicaScheduling\":"
                   "{\"weightPreference\":{\"staticWeightList\":[{\"targetCluster\":{},\"weight\":0}]}}}");
  free(written);
  json_decref(tree);
}
END_TEST

static const struct {
  const char *text;
  int64_t state;
} states[] = {
    {NULL, REBAL_ANNOTATION_ABSENT},
    {"", REBAL_ANNOTATION_ABSENT},
    {"{}", REBAL_ANNOTATION_PRESENT},
    {"null", REBAL_ANNOTATION_PRESENT},
    {" {\"unknown\": [1]} ", REBAL_ANNOTATION_PRESENT},
    {"{oops", REBAL_ANNOTATION_UNPARSABLE},
    {" ", REBAL_ANNOTATION_UNPARSABLE},
    {"{}{}", REBAL_ANNOTATION_UNPARSABLE},
    {"[]", REBAL_ANNOTATION_UNPARSABLE},
    {"{clusterAffinity: {}}", REBAL_ANNOTATION_UNPARSABLE},
    {"{\"clusterAffinity\":[]}", REBAL_ANNOTATION_UNPARSABLE},
    {"{\"spreadConstraints\":[{\"maxGroups\":\"1\"}]}", REBAL_ANNOTATION_UNPARSABLE},
    {"{\"spreadConstraints\":[{\"maxGroups\":1.5}]}", REBAL_ANNOTATION_UNPARSABLE},
};

START_TEST(test_states_of_the_annotation) {
  json_t *tree = NULL;
  ck_assert_int_eq(read_state(states[_i].text, &tree), states[_i].state);
  ck_assert_int_eq(tree != NULL, states[_i].state == REBAL_ANNOTATION_PRESENT);
  json_decref(tree);
}
END_TEST

static const struct {
  const char *left, *right;
  int equal;
} pairs[] = {
    {"{}", "{}", 1},
    {"{}", "null", 1},
    {"{\"clusterTolerations\":[]}", "{}", 0},
    {"{\"clusterTolerations\":null}", "{}", 1},
    {"{\"clusterTolerations\":[]}", "{\"clusterTolerations\":[]}", 1},
    {"{\"clusterAffinity\":{\"labelSelector\":{}}}", "{\"clusterAffinity\":{}}", 0},
    {"{\"clusterAffinity\":{\"labelSelector\":{\"matchLabels\":{}}}}",
     "{\"clusterAffinity\":{\"labelSelector\":{"
     "}}}",
     0},
    {"{\"clusterAffinity\":{\"labelSelector\":{\"matchLabels\":{\"a\":\"b\",\"c\":\"\"}}}}",
     "{\"clusterAffinity\":{\"labelSelector\":{\"matchLabels\":{\"c\":null,\"a\":\"b\"}}}}", 1},
    {"{\"clusterAffinity\":{\"labelSelector\":{\"matchLabels\":{\"a\":\"b\"}}}}",
     "{\"clusterAffinity\":{\"labelSelector\":{\"matchLabels\":{\"a\":\"c\"}}}}", 0},
    {"{\"clusterAffinity\":{\"clusterNames\":[\"a\",\"b\"]}}",
     "{\"clusterAffinity\":{\"clusterNames\":[\"b\","
     "\"a\"]}}",
     0},
    {"{\"clusterTolerations\":[{\"tolerationSeconds\":0}]}", "{\"clusterTolerations\":[{}]}", 0},
    {"{\"clusterTolerations\":[{\"key\":\"\"}]}", "{\"clusterTolerations\":[{}]}", 1},
    {"{\"spreadConstraints\":[{\"maxGroups\":0}]}", "{\"spreadConstraints\":[{}]}", 1},
    {"{\"spreadConstraints\":[{\"maxGroups\":1}]}", "{\"spreadConstraints\":[{}]}", 0},
    {"{\"replicaScheduling\":{\"weightPreference\":{\"staticWeightList\":[{\"targetCluster\":{},\"weight\":1}]}}}",
     "{\"replicaScheduling\":{\"weightPreference\":{\"staticWeightList\":[{\"weight\":1}]}}}", 1},
    {"{\"unknown\":1}", "{}", 1},
};

START_TEST(test_strict_equality_is_that_of_the_reference) {
  json_t *left = NULL, *right = NULL;
  ck_assert_int_eq(read_state(pairs[_i].left, &left), REBAL_ANNOTATION_PRESENT);
  ck_assert_int_eq(read_state(pairs[_i].right, &right), REBAL_ANNOTATION_PRESENT);
  ck_assert_int_eq(rebali_strictly_equal(REBAL_OBJECT_PLACEMENT, left, right), pairs[_i].equal);
  ck_assert_int_eq(rebali_strictly_equal(REBAL_OBJECT_PLACEMENT, right, left), pairs[_i].equal);
  json_decref(left);
  json_decref(right);
}
END_TEST

UNIT_CASE(applied_placement) {
  TCase *cases = tcase_create("applied_placement");
  tcase_add_test(cases, test_recorded_annotations_are_written_back);
  tcase_add_test(cases, test_members_are_written_in_the_references_order);
  tcase_add_loop_test(cases, test_states_of_the_annotation, 0, (int)COUNT(states));
  tcase_add_loop_test(cases, test_strict_equality_is_that_of_the_reference, 0, (int)COUNT(pairs));
  return cases;
}
