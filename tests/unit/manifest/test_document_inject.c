/* SPDX-License-Identifier: MIT */
#include "manifest/spread/kruise.h"
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

/* The injected pod as JSON; released by free(). NULL when it is refused with the code. */
static char *inject(uint32_t subset, const char *id, const char *pod, int32_t code) {
  rebal_spread *spread = spread_new();
  rebal_document *document = document_of(pod), *injected = NULL;
  rebal_error err = REBAL_ERROR_INIT;
  const int32_t result = rebal_document_inject(document, spread, subset, id, strlen(id), &injected, &err);
  char *text = NULL;
  ck_assert_msg(result == code, "%s: %d %s", pod, result, err.message);
  if (code == REBAL_OK) {
    text = text_of(injected);
  } else {
    ck_assert_ptr_null(injected);
  }
  rebal_document_free(injected);
  rebal_document_free(document);
  rebal_spread_free(spread);
  return text;
}

START_TEST(test_subsets) {
  static const struct {
    uint32_t subset;
    const char *id, *pod, *injected;
  } rows[] = {
      {0, "", "{}",
       "{\"spec\":{\"tolerations\":[{\"key\":\"x\",\"operator\":\"Exists\"}],\"affinity\":{\"nodeAffinity\":"
       "{\"requiredDuringSchedulingIgnoredDuringExecution\":{\"nodeSelectorTerms\":[{}]}}}},\"metadata\":{"
       "\"annotations\":{\"apps.kruise.io/matched-workloadspread\":\"{\\\"name\\\":\\\"ws\\\",\\\"subset\\\":"
       "\\\"a\\\"}\"}}}"},
      {1, "0f", "{metadata: {labels: {c: e}}, spec: null}",
       "{\"metadata\":{\"labels\":{\"c\":\"d\"},\"annotations\":{\"apps.kruise.io/matched-workloadspread\":"
       "\"{\\\"name\\\":\\\"ws\\\",\\\"subset\\\":\\\"b\\\",\\\"uid\\\":\\\"0f\\\"}\"}},\"spec\":{\"affinity\":{"
       "\"nodeAffinity\":{\"preferredDuringSchedulingIgnoredDuringExecution\":[{\"weight\":0,\"preference\":{"
       "\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"In\",\"values\":[\"node-1\"]}]}}]}}}}"},
  };
  for (size_t i = 0; i < COUNT(rows); i++) {
    char *found = inject(rows[i].subset, rows[i].id, rows[i].pod, REBAL_OK);
    ck_assert_str_eq(found, rows[i].injected);
    free(found);
  }
}
END_TEST

START_TEST(test_refusals) {
  static const struct {
    uint32_t subset;
    const char *id, *pod;
    int32_t code;
  } rows[] = {
      {3, "", "{}", REBAL_ENOTFOUND},
      {REBAL_NONE, "", "{}", REBAL_ENOTFOUND},
      {2, "", "{spec: {containers: [{name: c}]}}", REBAL_EINVAL},
      {0, "", "{spec: []}", REBAL_EPARSE},
      {0, "", "null", REBAL_EPARSE},
      {0, "\xff", "{}", REBAL_EINVAL},
  };
  for (size_t i = 0; i < COUNT(rows); i++) {
    ck_assert_ptr_null(inject(rows[i].subset, rows[i].id, rows[i].pod, rows[i].code));
  }
}
END_TEST

START_TEST(test_what_is_needed) {
  rebal_spread *spread = spread_new();
  rebal_document *pod = document_of("{}"), *out = NULL;
  ck_assert_int_eq(rebal_document_inject(NULL, spread, 0, "", 0, &out, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_document_inject(pod, NULL, 0, "", 0, &out, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_document_inject(pod, spread, 0, NULL, 1, &out, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_document_inject(pod, spread, 0, "", 0, NULL, NULL), REBAL_EINVAL);
  ck_assert_ptr_null(out);
  ck_assert_int_eq(rebal_document_inject(pod, spread, 0, NULL, 0, &out, NULL), REBAL_OK);
  assert_document(pod, "{}", "the pod that was given");
  rebal_document_free(out);
  rebal_document_free(pod);
  rebal_spread_free(spread);
}
END_TEST

UNIT_CASE(document_inject) {
  TCase *cases = tcase_create("document_inject");
  tcase_add_test(cases, test_subsets);
  tcase_add_test(cases, test_refusals);
  tcase_add_test(cases, test_what_is_needed);
  return cases;
}
