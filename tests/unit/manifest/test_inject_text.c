/* SPDX-License-Identifier: MIT */
#include "kruise.h"
#include "patching.h"

static const char spread_text[] =
    "{metadata: {name: ws, namespace: shop}, spec: {subsets: ["
    "{name: a, tolerations: [{key: x, operator: Exists}], requiredNodeSelector: {}}, "
    "{name: b, maxReplicas: 40%, preferredNodeSelector: [{weight: 0, preference: {matchFields: "
    "[{key: metadata.name, operator: In, values: [node-1]}]}}], patch: {metadata: {labels: {c: d}}}}, "
    "{name: c, patch: {spec: {containers: [{image: i}]}}}]}}";

static rebal_spread *spread_new(void) {
  rebal_document *document = document_of(spread_text);
  rebal_builder *builder = NULL;
  const rebal_record *record = NULL;
  rebal_spread *spread = NULL;
  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_read_record(builder, REBAL_OBJECT_WORKLOAD_SPREAD, document->tree, NULL, &record, NULL),
                   REBAL_OK);
  ck_assert_int_eq(rebal_spread_new(NULL, record, &spread, NULL), REBAL_OK);
  rebal_builder_free(builder);
  rebal_document_free(document);
  return spread;
}

/* What is appended to "x"; released by free(). */
static char *inject(uint32_t subset, const char *id, const char *pod, uint32_t format, int32_t code) {
  rebal_spread *spread = spread_new();
  rebal_error err = REBAL_ERROR_INIT;
  rebal_text *text = NULL;
  const char *bytes;
  char *copy;
  size_t len;
  int32_t result;
  ck_assert_int_eq(rebal_text_new(&text, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_text_append(text, "x", 1, NULL), REBAL_OK);
  result = rebal_manifest_inject(spread, subset, id, strlen(id), pod, strlen(pod), NULL, format, text, &err);
  ck_assert_msg(result == code, "%s: %d %s", pod, result, err.message);
  bytes = rebal_text_bytes(text, &len);
  copy = malloc(len + 1);
  ck_assert_ptr_nonnull(copy);
  memcpy(copy, bytes, len + 1); /* with its end */
  rebal_text_free(text);
  rebal_spread_free(spread);
  return copy;
}

START_TEST(test_subsets) {
  static const struct {
    uint32_t subset;
    const char *id, *pod, *injected;
  } rows[] = {
      {0, "", "{}",
       "x{\"spec\":{\"tolerations\":[{\"key\":\"x\",\"operator\":\"Exists\"}],\"affinity\":{\"nodeAffinity\":"
       "{\"requiredDuringSchedulingIgnoredDuringExecution\":{\"nodeSelectorTerms\":[{}]}}}},\"metadata\":{"
       "\"annotations\":{\"apps.kruise.io/matched-workloadspread\":\"{\\\"name\\\":\\\"ws\\\",\\\"subset\\\":"
       "\\\"a\\\"}\"}}}"},
      {1, "0f", "{metadata: {labels: {c: e}}, spec: null}",
       "x{\"metadata\":{\"labels\":{\"c\":\"d\"},\"annotations\":{\"apps.kruise.io/matched-workloadspread\":"
       "\"{\\\"name\\\":\\\"ws\\\",\\\"subset\\\":\\\"b\\\",\\\"uid\\\":\\\"0f\\\"}\"}},\"spec\":{\"affinity\":{"
       "\"nodeAffinity\":{\"preferredDuringSchedulingIgnoredDuringExecution\":[{\"weight\":0,\"preference\":{"
       "\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"In\",\"values\":[\"node-1\"]}]}}]}}}}"},
  };
  for (size_t i = 0; i < COUNT(rows); i++) {
    char *found = inject(rows[i].subset, rows[i].id, rows[i].pod, REBAL_TEXT_FORMAT_JSON, REBAL_OK);
    ck_assert_str_eq(found, rows[i].injected);
    free(found);
  }
}
END_TEST

START_TEST(test_refusals_append_nothing) {
  static const struct {
    uint32_t subset;
    const char *id, *pod;
    uint32_t format;
    int32_t code;
  } rows[] = {
      {3, "", "{}", REBAL_TEXT_FORMAT_JSON, REBAL_ENOTFOUND},
      {REBAL_NONE, "", "{}", REBAL_TEXT_FORMAT_JSON, REBAL_ENOTFOUND},
      {2, "", "{spec: {containers: [{name: c}]}}", REBAL_TEXT_FORMAT_JSON, REBAL_EINVAL},
      {0, "", "{spec: []}", REBAL_TEXT_FORMAT_JSON, REBAL_EPARSE},
      {0, "", "null", REBAL_TEXT_FORMAT_JSON, REBAL_EPARSE},
      {0, "", "{a: 1}\n---\n{b: 1}", REBAL_TEXT_FORMAT_JSON, REBAL_EPARSE},
      {0, "\xff", "{}", REBAL_TEXT_FORMAT_JSON, REBAL_EINVAL},
      {0, "", "{}", REBAL_TEXT_FORMAT_JSON_PATCH, REBAL_EINVAL},
      {0, "", "{}", 0, REBAL_EINVAL},
  };
  for (size_t i = 0; i < COUNT(rows); i++) {
    char *found = inject(rows[i].subset, rows[i].id, rows[i].pod, rows[i].format, rows[i].code);
    ck_assert_str_eq(found, "x");
    free(found);
  }
}
END_TEST

START_TEST(test_what_is_needed) {
  rebal_spread *spread = spread_new();
  rebal_text *text = NULL;
  rebal_manifest_limits limits = {.struct_size = (uint32_t)sizeof limits, .max_bytes = 1};
  ck_assert_int_eq(rebal_text_new(&text, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_manifest_inject(NULL, 0, "", 0, "{}", 2, NULL, REBAL_TEXT_FORMAT_JSON, text, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_manifest_inject(spread, 0, NULL, 1, "{}", 2, NULL, REBAL_TEXT_FORMAT_JSON, text, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_manifest_inject(spread, 0, "", 0, NULL, 1, NULL, REBAL_TEXT_FORMAT_JSON, text, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_manifest_inject(spread, 0, "", 0, "{}", 2, NULL, REBAL_TEXT_FORMAT_JSON, NULL, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_manifest_inject(spread, 0, "", 0, NULL, 0, NULL, REBAL_TEXT_FORMAT_JSON, text, NULL),
                   REBAL_EPARSE);
  ck_assert_int_eq(rebal_manifest_inject(spread, 0, "", 0, "{}", 2, &limits, REBAL_TEXT_FORMAT_JSON, text, NULL),
                   REBAL_ELIMIT);
  limits.struct_size = 1;
  ck_assert_int_eq(rebal_manifest_inject(spread, 0, "", 0, "{}", 2, &limits, REBAL_TEXT_FORMAT_JSON, text, NULL),
                   REBAL_EABI);
  ck_assert_str_eq(rebal_text_bytes(text, NULL), "");
  ck_assert_int_eq(rebal_manifest_inject(spread, 0, NULL, 0, "{}", 2, NULL, REBAL_TEXT_FORMAT_YAML, text, NULL),
                   REBAL_OK);
  ck_assert_ptr_nonnull(strstr(rebal_text_bytes(text, NULL), "\nmetadata:\n"));
  rebal_text_free(text);
  rebal_spread_free(spread);
}
END_TEST

UNIT_CASE(inject_text) {
  TCase *cases = tcase_create("inject_text");
  tcase_add_test(cases, test_subsets);
  tcase_add_test(cases, test_refusals_append_nothing);
  tcase_add_test(cases, test_what_is_needed);
  return cases;
}
