/* SPDX-License-Identifier: MIT */
#include "spreads.h"

#include <rebalance/watch.h>

#include <stdlib.h>

#define REQUEST_OF(plural, rest)                                                                           \
  "{apiVersion: admission.k8s.io/v1, kind: AdmissionReview, request: {uid: r1, namespace: ns, resource: {" \
  "group: apps.kruise.io, version: v1beta1, resource: " plural "}, " rest "}}"
#define REQUEST(rest) REQUEST_OF("workloadspreads", rest)
#define CREATE(object) REQUEST("operation: CREATE, object: " object)
#define ANSWER(rest) \
  "{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\",\"response\":{\"uid\":\"r1\"," rest "}}"
#define ALLOWED ANSWER("\"allowed\":true")
#define REFUSED(message) ANSWER("\"allowed\":false,\"status\":{\"code\":400,\"message\":\"" message "\"}")

#define HEAD(metadata) "{apiVersion: apps.kruise.io/v1beta1, kind: WorkloadSpread, metadata: {" metadata "}, spec: {"
#define OTHER(metadata, target)                                      \
  HEAD(metadata)                                                     \
  "targetRef: {apiVersion: apps/v1, kind: Deployment, name: " target \
  "}, subsets: [{"                                                   \
  "name: a}]}}"
#define UNITED(limit)                                                                                         \
  "{apiVersion: apps.kruise.io/v1alpha1, kind: UnitedDeployment, metadata: {name: u, namespace: ns}, spec: {" \
  "replicas: 2, topology: {subsets: [{name: a, replicas: " limit "}, {name: b}]}}}"
#define CONFLICT                    \
  "spec.targetRef: Invalid value: " \
  "{\\\"apiVersion\\\":\\\"apps/v1\\\",\\\"kind\\\":\\\"Deployment\\\",\\\"name\\\":\\\"demo\\\"}: "

/* Beside the WorkloadSpread ws in the namespace ns. */
static const struct {
  const char *review, *answer;
} rows[] = {
    {CREATE(OTHER("name: new", "web")), ALLOWED},
    {CREATE(OTHER("name: new", "demo")),
     REFUSED(CONFLICT "ws.spec.targetRef is in conflict with other WorkloadSpread ws")},
    {CREATE(OTHER("name: new, namespace: other", "demo")), ALLOWED},
    {REQUEST("operation: UPDATE, object: " OTHER("name: ws, resourceVersion: '2'", "demo") ", oldObject: " OTHER(
         "name: ws, namespace: ns, resourceVersion: '1'", "demo")),
     ALLOWED},
    {REQUEST("operation: UPDATE, object: " OTHER("name: ws, resourceVersion: '2'", "demo") ", oldObject: " OTHER(
         "name: ws, namespace: ns, resourceVersion: '1'", "web")),
     REFUSED(CONFLICT "change TargetReference is not permitted for WorkloadSpread")},
    {CREATE(HEAD("name: new") "}}"),
     REFUSED("[spec.targetRef: Required value: no targetRef defined in WorkloadSpread, "
             "spec.subsets: Required value: subsets number must \\u003e= 1 in WorkloadSpread]")},
    {CREATE(HEAD("name: new") "subsets: {}}}"), REFUSED("spec.subsets: expected a list")},
    {CREATE("{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}}"),
     REFUSED("neither a WorkloadSpread nor a UnitedDeployment")},
    {CREATE("5"), REFUSED("neither a WorkloadSpread nor a UnitedDeployment")},
    {REQUEST("operation: CREATE"), REFUSED("neither a WorkloadSpread nor a UnitedDeployment")},
    {REQUEST("operation: DELETE, oldObject: " OTHER("name: new", "demo")), ALLOWED},
    {REQUEST("operation: UPDATE, subResource: status, object: " OTHER("name: new", "demo")), ALLOWED},
    {REQUEST_OF("clonesets", "operation: CREATE, object: {}"), ALLOWED},
    {REQUEST_OF("uniteddeployments", "operation: CREATE, object: " UNITED("1")), ALLOWED},
};

static char *answer_of(rebal_store *store, const char *review, int32_t code) {
  rebal_text *text = NULL;
  rebal_error err = REBAL_ERROR_INIT;
  const char *bytes;
  char *answer;
  size_t len;
  int32_t result;
  ck_assert_int_eq(rebal_text_new(&text, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_text_append(text, "before ", 7, NULL), REBAL_OK);
  result = rebal_store_review(store, review, strlen(review), NULL, text, &err);
  ck_assert_msg(result == code, "%s: %s", review, err.message);
  ck_assert_int_eq(strncmp(rebal_text_bytes(text, NULL), "before ", 7), 0);
  bytes = rebal_text_bytes(text, &len) + 7;
  answer = malloc(len - 6);
  ck_assert_ptr_nonnull(answer);
  memcpy(answer, bytes, len - 6);
  rebal_text_free(text);
  return answer;
}

START_TEST(test_answers) {
  rebal_store *store = store_of(OTHER("name: ws, namespace: ns, resourceVersion: '1'", "demo"));
  char *answer = answer_of(store, rows[_i].review, REBAL_OK);
  ck_assert_str_eq(answer, rows[_i].answer);
  free(answer);
  rebal_store_free(store);
}
END_TEST

/* Two subsets with one fault, which is reported in one place. */
START_TEST(test_united_deployments_are_refused) {
  rebal_store *store = store_new();
  char *answer = answer_of(store, REQUEST_OF("uniteddeployments", "operation: CREATE, object: " UNITED("3")), REBAL_OK);
  ck_assert_ptr_nonnull(
      strstr(answer, "\"allowed\":false,\"status\":{\"code\":400,\"message\":\"spec.topology.subsets"));
  free(answer);
  rebal_store_free(store);
}
END_TEST

START_TEST(test_no_reviews) {
  static const char *const texts[] = {"{}",
                                      "5",
                                      "{kind: AdmissionReview}",
                                      "a: [",
                                      "{apiVersion: v1, kind: AdmissionReview, request: {uid: a}}",
                                      "{apiVersion: admission.k8s.io/v1, kind: AdmissionReview, request: {uid: ''}}"};
  rebal_store *store = store_new();
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    char *answer = answer_of(store, texts[i], REBAL_EPARSE);
    ck_assert_str_eq(answer, "");
    free(answer);
  }
  ck_assert_int_eq(rebal_store_review(store, "{}", 2, NULL, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_store_review(NULL, "{}", 2, NULL, NULL, NULL), REBAL_EINVAL);
  rebal_store_free(store);
}
END_TEST

START_TEST(test_long_wait) {
  static const char review[] = CREATE(HEAD(
      "name: new") "targetRef: {apiVersion: apps/v1, kind: Deployment, name: demo}, subsets: [{name: a, maxReplicas: "
                   "1}, {name: b}], scheduleStrategy: {type: Adaptive, adaptive: {rescheduleCriticalSeconds: 1000}}}}");
  rebal_store *store = store_new();
  rebal_compat *compat = NULL;
  rebal_text *text = NULL;
  char *answer = answer_of(store, review, REBAL_OK);
  ck_assert_ptr_nonnull(strstr(answer, "rescheduleCriticalSeconds \\u003e 295 is not permitted"));
  ck_assert_int_eq(rebal_compat_new(NULL, &compat, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_compat_set(compat, REBAL_OPTION_SPREAD_LONG_WAIT, 1, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_text_new(&text, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_review(store, review, strlen(review), compat, text, NULL), REBAL_OK);
  ck_assert_str_eq(rebal_text_bytes(text, NULL), ALLOWED);
  rebal_text_free(text);
  rebal_compat_free(compat);
  free(answer);
  rebal_store_free(store);
}
END_TEST

UNIT_CASE(object_review) {
  TCase *cases = tcase_create("object_review");
  tcase_add_loop_test(cases, test_answers, 0, (int)(sizeof rows / sizeof rows[0]));
  tcase_add_test(cases, test_united_deployments_are_refused);
  tcase_add_test(cases, test_no_reviews);
  tcase_add_test(cases, test_long_wait);
  return cases;
}
