/* SPDX-License-Identifier: MIT */
#include "stores.h"

static rebal_builder *builder_new(void) {
  rebal_builder *builder = NULL;
  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  return builder;
}

static int32_t read_record(const char *text, uint32_t object, rebal_builder *builder, const rebal_record **out,
                           rebal_error *err) {
  return rebal_manifest_read_record(text, strlen(text), object, NULL, builder, out, err);
}

static json_t *as_is(const rebal_record *record) {
  json_t *tree = NULL;
  ck_assert_int_eq(rebali_record_tree_as_is(record, &tree, NULL), REBAL_OK);
  return tree;
}

START_TEST(test_texts) {
  static const struct {
    uint32_t object;
    const char *text, *json;
  } rows[] = {
      {REBAL_OBJECT_PLACEMENT, "{replicaScheduling: {replicaSchedulingType: Divided}}",
       "{\"replicaScheduling\":{\"replicaSchedulingType\":\"Divided\"}}"},
      {REBAL_OBJECT_PLACEMENT, "{}", "{}"},
      {REBAL_OBJECT_PLACEMENT, "clusterTolerations:\n- {operator: Exists, unknown: 1}\n",
       "{\"clusterTolerations\":[{\"operator\":\"Exists\"}]}"},
      {REBAL_OBJECT_REQUIREMENTS, "{\"resourceRequest\":{\"memory\":\"1Gi\",\"cpu\":0.5}}",
       "{\"resourceRequest\":{\"cpu\":\"500m\",\"memory\":\"1Gi\"}}"},
      {REBAL_OBJECT_TAINTS, "[{key: a, effect: NoExecute, timeAdded: 2026-03-14T09:00:00Z}]",
       "[{\"key\":\"a\",\"effect\":\"NoExecute\",\"timeAdded\":\"2026-03-14T09:00:00Z\"}]"},
      {REBAL_OBJECT_API_ENABLEMENTS, "- groupVersion: apps/v1\n  resources: [{kind: Deployment}]\n",
       "[{\"groupVersion\":\"apps/v1\",\"resources\":[{\"kind\":\"Deployment\"}]}]"},
      {REBAL_OBJECT_LABELS, "{b: \"2\", a: \"1\"}", "{\"a\":\"1\",\"b\":\"2\"}"},
      {REBAL_OBJECT_TEXTS, "[b, a]", "[\"b\",\"a\"]"},
      {REBAL_OBJECT_WORKLOAD_SPREAD,
       "{apiVersion: apps.kruise.io/v1alpha1, spec: {subsets: [{name: a, requiredNodeSelectorTerm: {}}]}}",
       "{\"spec\":{\"subsets\":[{\"name\":\"a\",\"requiredNodeSelector\":{}}]}}"},
  };
  rebal_builder *builder = builder_new();
  for (size_t i = 0; i < COUNT(rows); i++) {
    struct rebali_buffer output = REBALI_BUFFER;
    const rebal_record *record = NULL;
    rebal_error err = REBAL_ERROR_INIT;
    const int32_t result = read_record(rows[i].text, rows[i].object, builder, &record, &err);
    json_t *tree;
    ck_assert_msg(result == REBAL_OK, "%s: %s (%s)", rows[i].text, err.message, err.field);
    ck_assert_uint_eq(rebal_record_object(record), rows[i].object);
    tree = as_is(record);
    ck_assert_int_eq(rebali_json_write(tree, 0, &output), REBAL_OK);
    ck_assert_str_eq(output.bytes, rows[i].json);
    rebali_buffer_dispose(&output);
    json_decref(tree);
  }
  rebal_builder_free(builder);
}
END_TEST

/* ---- every kind: a text with all fields is read, and written as it was ---- */

static json_t *sample(uint32_t object, int depth);

static json_t *sample_value(const struct rebali_field *field, int depth) {
  switch (field->type) {
    case REBAL_TYPE_TEXT:
      return json_string(field->name);
    case REBAL_TYPE_BOOLEAN:
      return json_true();
    case REBAL_TYPE_QUANTITY:
      return json_string("1500m");
    case REBAL_TYPE_TIME:
      return json_string("2026-03-14T09:00:00Z");
    case REBAL_TYPE_OBJECT:
      return sample(field->child, depth - 1);
    default:
      return json_integer(field->type == REBAL_TYPE_INT64 ? INT64_MIN : INT32_MAX);
  }
}

static json_t *sample_map(const struct rebali_field *field, int depth) {
  json_t *map = json_object();
  size_t n;
  const struct rebali_field *entry = rebali_schema_fields(field->child, &n);
  json_t *value = sample_value(&entry[1], depth);
  ck_assert_uint_eq(n, 2);
  if (entry[1].cardinality == REBAL_CARDINALITY_LIST) {
    value = json_pack("[o]", value);
  }
  ck_assert_int_eq(json_object_set_new(map, "b", value), 0);
  ck_assert_int_eq(json_object_set(map, "a/c", value), 0);
  return map;
}

static json_t *sample_field(const struct rebali_field *field, int depth) {
  if (field->cardinality == REBAL_CARDINALITY_MAP) {
    return sample_map(field, depth);
  }
  return field->cardinality == REBAL_CARDINALITY_LIST
             ? json_pack("[o, o]", sample_value(field, depth), sample_value(field, depth))
             : sample_value(field, depth);
}

static json_t *sample(uint32_t object, int depth) {
  const struct rebali_field *bare = rebali_field_bare(object);
  json_t *map;
  size_t n;
  const struct rebali_field *fields = rebali_schema_fields(object, &n);
  if (bare != NULL) {
    return sample_field(bare, depth);
  }
  if (rebali_object_is_value(object)) {
    return json_string("30%");
  }
  map = json_object();
  for (size_t i = 0; depth > 0 && i < n; i++) {
    ck_assert_int_eq(json_object_set_new(map, fields[i].name, sample_field(&fields[i], depth)), 0);
  }
  return map;
}

static void assert_reads_back(rebal_builder *builder, uint32_t object, uint32_t flags, int is_yaml) {
  struct rebali_buffer output = REBALI_BUFFER;
  const rebal_record *record = NULL;
  rebal_error err = REBAL_ERROR_INIT;
  json_t *tree = sample(object, 4), *found;
  int32_t result = is_yaml ? rebali_yaml_write(&tree, 1, flags, &output) : rebali_json_write(tree, flags, &output);
  ck_assert_int_eq(result, REBAL_OK);
  result = read_record(output.bytes, object, builder, &record, &err);
  ck_assert_msg(result == REBAL_OK, "%s: %s (%s)", output.bytes, err.message, err.field);
  found = as_is(record);
  ck_assert_msg(json_equal(tree, found), "object %u: %s", object, output.bytes);
  json_decref(found);
  json_decref(tree);
  rebali_buffer_dispose(&output);
}

START_TEST(test_every_kind) {
  static const uint32_t objects[] = {
#define REBAL_OBJECT(name, number) REBAL_OBJECT_##name,
#define REBAL_FIELD(object, name, number, type, cardinality, child, text)
#include <rebalance/fields.def>
#undef REBAL_OBJECT
#undef REBAL_FIELD
  };
  rebal_builder *builder = builder_new();
  const rebal_record *record = NULL;
  size_t refused = 0;
  for (size_t i = 0; i < COUNT(objects); i++) {
    if (read_record("{}", objects[i], builder, &record, NULL) == REBAL_EUNSUPPORTED) {
      refused++;
    } else {
      assert_reads_back(builder, objects[i], 0, 1);
      if (!rebali_object_is_value(objects[i])) { /* a scalar alone is YAML */
        assert_reads_back(builder, objects[i], REBALI_WRITE_PRETTY, 0);
      }
    }
  }
  ck_assert_uint_eq(refused, 5);
  rebal_builder_free(builder);
}
END_TEST

/* ---- refusals ---- */

START_TEST(test_refusals) {
  static const struct {
    uint32_t object;
    const char *text;
    int32_t code;
    uint32_t line, column;
    const char *field;
  } rows[] = {
      {REBAL_OBJECT_PLACEMENT, "clusterTolerations:\n- operator: Exists\n- tolerationSeconds: soon\n", REBAL_EPARSE, 3,
       22, "clusterTolerations[1].tolerationSeconds"},
      {REBAL_OBJECT_PLACEMENT, "{replicaScheduling: [", REBAL_EPARSE, 1, 22, ""},
      {REBAL_OBJECT_PLACEMENT, " [1]", REBAL_EPARSE, 1, 2, ""},
      {REBAL_OBJECT_PLACEMENT, "null", REBAL_EPARSE, 0, 0, ""},
      {REBAL_OBJECT_PLACEMENT, "", REBAL_EPARSE, 0, 0, ""},
      {REBAL_OBJECT_PLACEMENT, "{}\n---\n{}\n", REBAL_EPARSE, 0, 0, ""},
      {REBAL_OBJECT_REBALANCER_SPEC, "{ttlSecondsAfterFinished: 2147483648}", REBAL_ERANGE, 1, 27,
       "ttlSecondsAfterFinished"},
      {REBAL_OBJECT_REQUIREMENTS, "{\"resourceRequest\": {\"cpu\": \"much\"}}", REBAL_EPARSE, 1, 29,
       "resourceRequest.cpu"},
      {REBAL_OBJECT_TAINTS, "{key: a}", REBAL_EPARSE, 1, 1, ""},
      {REBAL_OBJECT_QUOTAS, "{}", REBAL_EUNSUPPORTED, 0, 0, ""},
      {REBAL_OBJECT_NONE, "{}", REBAL_EUNSUPPORTED, 0, 0, ""},
      {REBAL_TABLE_CLUSTER, "{}", REBAL_EINVAL, 0, 0, ""},
  };
  rebal_builder *builder = builder_new();
  for (size_t i = 0; i < COUNT(rows); i++) {
    const rebal_record *record = NULL;
    rebal_error err = REBAL_ERROR_INIT;
    ck_assert_int_eq(read_record(rows[i].text, rows[i].object, builder, &record, &err), rows[i].code);
    ck_assert_msg(err.code == rows[i].code && err.line == rows[i].line && err.column == rows[i].column,
                  "%s: line %u, column %u: %s", rows[i].text, err.line, err.column, err.message);
    ck_assert_str_eq(err.field, rows[i].field);
    ck_assert_int_ne(err.message[0], '\0');
    ck_assert_int_eq(read_record(rows[i].text, rows[i].object, builder, &record, NULL), rows[i].code);
    ck_assert_ptr_null(record);
  }
  rebal_builder_free(builder);
}
END_TEST

START_TEST(test_arguments) {
  const rebal_manifest_limits flat = {(uint32_t)sizeof flat, 1, 0, 0, 0}, unknown = {1, 0, 0, 0, 0};
  const char text[] = "{clusterAffinity: {}}";
  const size_t len = sizeof text - 1;
  const uint32_t object = REBAL_OBJECT_PLACEMENT;
  rebal_builder *builder = builder_new();
  const rebal_record *record = NULL;
  ck_assert_int_eq(rebal_manifest_read_record(NULL, 1, object, NULL, builder, &record, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_manifest_read_record(text, len, object, NULL, NULL, &record, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_manifest_read_record(text, len, object, NULL, builder, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_manifest_read_record(text, len, object, &flat, builder, &record, NULL), REBAL_ELIMIT);
  ck_assert_int_eq(rebal_manifest_read_record(text, len, object, &unknown, builder, &record, NULL), REBAL_EABI);
  ck_assert_ptr_null(record);
  ck_assert_int_eq(rebal_manifest_read_record(text, len, object, NULL, builder, &record, NULL), REBAL_OK);
  rebal_builder_free(builder);
}
END_TEST

UNIT_CASE(record_text) {
  TCase *cases = tcase_create("record_text");
  tcase_add_test(cases, test_texts);
  tcase_add_test(cases, test_every_kind);
  tcase_add_test(cases, test_refusals);
  tcase_add_test(cases, test_arguments);
  return cases;
}
