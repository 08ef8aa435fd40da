/* SPDX-License-Identifier: MIT */
/* Values in records: a number or a text, JSON that is carried, maps of times and of lists. */
#include "stores.h"

static json_t *tree_of(const char *text) {
  json_t *tree = NULL;
  ck_assert_int_eq(rebali_json_text(text, strlen(text), &tree, NULL), REBAL_OK);
  return tree;
}

static int32_t read_text(rebal_builder *builder, uint32_t object, const char *text, const rebal_record **out,
                         rebal_error *err) {
  json_t *tree = tree_of(text);
  const int32_t result = rebali_read_record(builder, object, tree, NULL, out, err);
  json_decref(tree);
  return result;
}

static void assert_tree(json_t *tree, const char *wanted) {
  struct rebali_buffer output = REBALI_BUFFER;
  ck_assert_int_eq(rebali_json_write(tree, 0, &output), REBAL_OK);
  ck_assert_str_eq(output.bytes, wanted);
  rebali_buffer_dispose(&output);
  json_decref(tree);
}

static const struct {
  uint32_t object;
  const char *text, *written, *as_is;
} values[] = {
    {REBAL_OBJECT_SUBSET, "{\"maxReplicas\":5,\"name\":\"a\",\"patch\":{\"b\":[1.50,null],\"a\":\"<\"}}",
     "{\"name\":\"a\",\"maxReplicas\":5,\"patch\":{\"b\":[1.50,null],\"a\":\"\\u003c\"}}", NULL},
    {REBAL_OBJECT_SUBSET, "{\"maxReplicas\":\"30%\",\"minReplicas\":0,\"patch\":\"x\"}",
     "{\"name\":\"\",\"maxReplicas\":\"30%\",\"patch\":\"x\",\"minReplicas\":0}",
     "{\"maxReplicas\":\"30%\",\"patch\":\"x\",\"minReplicas\":0}"},
    {REBAL_OBJECT_SUBSET, "{\"name\":\"a\",\"patch\":null,\"maxReplicas\":null}", "{\"name\":\"a\"}", NULL},
    {REBAL_OBJECT_SPREAD_STATUS,
     "{\"versionedSubsetStatuses\":{\"v2\":null,\"v1\":[{\"name\":\"a\",\"replicas\":2,\"missingReplicas\":-1}]},"
     "\"subsetStatuses\":[]}",
     "{\"versionedSubsetStatuses\":{\"v1\":[{\"name\":\"a\",\"replicas\":2,\"missingReplicas\":-1}],\"v2\":null}}",
     NULL},
    {REBAL_OBJECT_SUBSET_STATUS,
     "{\"name\":\"a\",\"creatingPods\":{\"p2\":\"2026-03-14T09:00:00.5Z\",\"p1\":null},\"deletingPods\":{}}",
     "{\"name\":\"a\",\"replicas\":0,\"missingReplicas\":0,\"creatingPods\":{\"p1\":null,"
     "\"p2\":\"2026-03-14T09:00:00Z\"}}",
     "{\"name\":\"a\",\"creatingPods\":{\"p1\":null,\"p2\":\"2026-03-14T09:00:00.5Z\"}}"},
    {REBAL_OBJECT_PREFERRED_TERM, "{}", "{\"weight\":0,\"preference\":{}}", "{}"},
};

START_TEST(test_values_come_back) {
  rebal_builder *builder = NULL;
  const rebal_record *record = NULL;
  json_t *tree = NULL;
  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  ck_assert_int_eq(read_text(NULL, values[_i].object, values[_i].text, NULL, NULL), REBAL_OK);
  ck_assert_int_eq(read_text(builder, values[_i].object, values[_i].text, &record, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_record_tree(record, 0, values[_i].object, &tree, NULL), REBAL_OK);
  assert_tree(tree, values[_i].written);
  ck_assert_int_eq(rebali_record_tree_as_is(record, &tree, NULL), REBAL_OK);
  assert_tree(tree, values[_i].as_is != NULL ? values[_i].as_is : values[_i].written);
  rebal_builder_free(builder);
}
END_TEST

static const struct {
  uint32_t object;
  const char *text;
  int32_t code;
  const char *field;
} refusals[] = {
    {REBAL_OBJECT_SUBSET, "{\"maxReplicas\":true}", REBAL_EPARSE, "maxReplicas"},
    {REBAL_OBJECT_SUBSET, "{\"maxReplicas\":1.5}", REBAL_EPARSE, "maxReplicas"},
    {REBAL_OBJECT_SUBSET, "{\"maxReplicas\":{}}", REBAL_EPARSE, "maxReplicas"},
    {REBAL_OBJECT_SUBSET, "{\"maxReplicas\":2147483648}", REBAL_ERANGE, "maxReplicas"},
    {REBAL_OBJECT_SUBSET, "{\"maxReplicas\":12345678901234567890}", REBAL_ERANGE, "maxReplicas"},
    {REBAL_OBJECT_SUBSET_STATUS, "{\"creatingPods\":{\"p\":5}}", REBAL_EPARSE, "creatingPods.p"},
    {REBAL_OBJECT_SUBSET_STATUS, "{\"creatingPods\":[]}", REBAL_EPARSE, "creatingPods"},
    {REBAL_OBJECT_SPREAD_STATUS, "{\"versionedSubsetStatuses\":{\"v\":[{\"name\":5}]}}", REBAL_EPARSE,
     "versionedSubsetStatuses.v[0].name"},
};

START_TEST(test_values_of_another_type) {
  rebal_builder *builder = NULL;
  const rebal_record *record = NULL;
  rebal_error err = REBAL_ERROR_INIT;
  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  ck_assert_int_eq(read_text(builder, refusals[_i].object, refusals[_i].text, &record, &err), refusals[_i].code);
  ck_assert_str_eq(err.field, refusals[_i].field);
  ck_assert_int_eq(read_text(NULL, refusals[_i].object, refusals[_i].text, NULL, &err), refusals[_i].code);
  rebal_builder_free(builder);
}
END_TEST

/* Records that no text was read into. */
START_TEST(test_carried_text_that_is_not_json) {
  rebal_builder *builder = NULL;
  const rebal_record *record = NULL;
  json_t *tree = NULL;
  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_start(builder, REBAL_OBJECT_SUBSET, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_begin(builder, REBAL_SUBSET_PATCH, NULL), REBAL_OK);
  if (_i == 0) {
    ck_assert_int_eq(rebal_builder_text(builder, REBAL_RAW_JSON, "{a: 1}", 6, NULL), REBAL_OK);
  }
  ck_assert_int_eq(rebal_builder_end(builder, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_finish(builder, &record, NULL), REBAL_OK);
  if (_i == 0) {
    ck_assert_int_eq(rebali_record_tree(record, 0, REBAL_OBJECT_SUBSET, &tree, NULL), REBAL_EPARSE);
  } else {
    ck_assert_int_eq(rebali_record_tree(record, 0, REBAL_OBJECT_SUBSET, &tree, NULL), REBAL_OK);
    assert_tree(tree, "{\"name\":\"\",\"patch\":null}");
  }
  rebal_builder_free(builder);
}
END_TEST

UNIT_CASE(record_value) {
  TCase *cases = tcase_create("record_value");
  tcase_add_loop_test(cases, test_values_come_back, 0, (int)COUNT(values));
  tcase_add_loop_test(cases, test_values_of_another_type, 0, (int)COUNT(refusals));
  tcase_add_loop_test(cases, test_carried_text_that_is_not_json, 0, 2);
  return cases;
}
