/* SPDX-License-Identifier: MIT */
#include "admissions.h"
#include "manifest/patch/document.h"
#include "manifest/spread/spread_feed.h"
#include "manifest/validate/checks.h"

#include <stdio.h>
#include <stdlib.h>

static int32_t review_of(struct admission *admission, const char *text) {
  const rebal_time now = time_of(NOW);
  const int32_t code =
      rebal_spread_feed_review(admission->ctx, admission->feeding.feed,
                               &(rebal_pod_request){sizeof(rebal_pod_request), 0, text, strlen(text), NULL, 0}, &now,
                               NULL, admission->result, admission->text, &admission->err);
  assert_no_row_is_left(admission);
  return code;
}

#define REQUEST(rest)                                                                                                 \
  "{apiVersion: admission.k8s.io/v1, kind: AdmissionReview, request: {uid: r1, namespace: ns, resource: {group: '', " \
  "version: v1, resource: pods}, " rest "}}"
#define CREATE(pod) REQUEST("operation: CREATE, object: " pod)
#define ANSWER(rest) \
  "{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\",\"response\":{\"uid\":\"r1\"," rest "}}"
#define ALLOWED ANSWER("\"allowed\":true")
#define REFUSED(code, message) ANSWER("\"allowed\":false,\"status\":{\"code\":" code ",\"message\":\"" message "\"}")

#define STORE                                                                                            \
  DEMO DEMO_SPREAD("{name: a, maxReplicas: 1}, {name: b, maxReplicas: 1, patch: [x]}") "---\n" DEMO_POD( \
      ", name: here" MATCHED_BY("a")) "\n"

/* recorded: a row of ADMITTED whose pod was recorded, 0; none was, -1; there is no row at all, -2. */
static const struct {
  const char *request, *answer;
  int recorded;
} rows[] = {
    /* [{"op":"add","path":"/metadata/annotations","value":{...}},{"op":"add","path":"/spec","value":{...}}] */
    {CREATE(DEMO_POD(", name: p")),
     ANSWER("\"allowed\":true,\"patchType\":\"JSONPatch\",\"patch\":\""
            "W3sib3AiOiJhZGQiLCJwYXRoIjoiL21ldGFkYXRhL2Fubm90YXRpb25zIiwidmFsdWUiOnsiYXBwcy5rcnVpc2UuaW8vbWF0Y2hlZC13b3"
            "JrbG9hZHNwcmVhZCI6IntcIm5hbWVcIjpcIndzXCIsXCJzdWJzZXRcIjpcImFcIn0ifX0seyJvcCI6ImFkZCIsInBhdGgiOiIvc3BlYyIs"
            "InZhbHVlIjp7ImFmZmluaXR5Ijp7Im5vZGVBZmZpbml0eSI6e319fX1d\""),
     0},
    {CREATE("{metadata: {name: p}}"), ALLOWED, -1},
    {CREATE("{metadata: {namespace: ns, name: p" OWNED_BY("apps/v1", "ReplicaSet", "gone", "g") "}}"),
     REFUSED("500", "replicasets.apps \\\"gone\\\" not found"), -1},
    {REQUEST("operation: DELETE, oldObject: " DEMO_POD(", name: p" MATCHED_BY("a"))), ALLOWED, 0},
    {REQUEST("operation: DELETE, oldObject: " DEMO_POD(", name: p")), ALLOWED, -1},
    {REQUEST("operation: DELETE"), ALLOWED, -2},
    {REQUEST("operation: CREATE, subResource: eviction, name: here, object: {apiVersion: policy/v1, kind: Eviction}"),
     ALLOWED, 0},
    {REQUEST("operation: CREATE, subResource: eviction, name: gone, object: {}"),
     REFUSED("400", "pods \\\"gone\\\" not found"), -2},
    {REQUEST("operation: CREATE, subResource: eviction, name: here, object: {deleteOptions: {dryRun: [All]}}"), ALLOWED,
     -2},
    {REQUEST("operation: CREATE, subResource: binding, object: " DEMO_POD(", name: p")), ALLOWED, -2},
    {REQUEST("operation: UPDATE, object: " DEMO_POD(", name: p")), ALLOWED, -2},
    {REQUEST("operation: CREATE, dryRun: true, object: " DEMO_POD(", name: p")), ALLOWED, -2},
    {REQUEST("operation: CREATE, options: {dryRun: [All]}, object: " DEMO_POD(", name: p")), ALLOWED, -2},
    {REQUEST("operation: CREATE, options: {dryRun: []}, object: {}"), ALLOWED, -1},
    {"{apiVersion: admission.k8s.io/v1, kind: AdmissionReview, request: {uid: r1, operation: CREATE, resource: {group: "
     "apps, resource: pods}, object: " DEMO_POD(", name: p") "}}",
     ALLOWED, -2},
};

START_TEST(test_answers) {
  struct admission admission = admission_open(STORE);
  const int32_t code = review_of(&admission, rows[_i].request);
  const size_t n = rebal_result_count(admission.result, REBAL_TABLE_ADMITTED);
  ck_assert_msg(code == REBAL_OK, "%s", admission.err.message);
  ck_assert_str_eq(admission_text(&admission), rows[_i].answer);
  ck_assert_uint_eq(n, rows[_i].recorded == -2 ? 0 : 1);
  ck_assert(n == 0 || admission_cell(&admission, REBAL_ADMITTED_RECORDED) == rows[_i].recorded + 1);
  admission_close(&admission);
}
END_TEST

/* A pod without a name is recorded by the request's uid, and a patch that cannot be merged refuses it. */
START_TEST(test_a_pod_without_a_name) {
  struct admission admission = admission_open(STORE);
  const rebal_time now = time_of(NOW);
  static const char request[] = CREATE(DEMO_POD(""));
  ck_assert_int_eq(rebal_spread_feed_review(
                       admission.ctx, admission.feeding.feed,
                       &(rebal_pod_request){sizeof(rebal_pod_request), 0, request, sizeof request - 1, "own", 3}, &now,
                       NULL, admission.result, admission.text, NULL),
                   REBAL_OK);
  ck_assert_int_eq(admission_cell(&admission, REBAL_ADMITTED_BY_ID), 1);
  admission_write(&admission);
  assert_member(admission.feeding.store, 1, "status.versionedSubsetStatuses.versionIgnored[0].creatingPods",
                "{\"own\":\"" NOW "\"}");
  rebal_text_reset(admission.text);
  ck_assert_int_eq(review_of(&admission, request), REBAL_OK);
  ck_assert_str_eq(admission_text(&admission), REFUSED("500", "invalid JSON document"));
  ck_assert_int_eq(admission_cell(&admission, REBAL_ADMITTED_SUBSET), 1);
  ck_assert_int_eq(admission_cell(&admission, REBAL_ADMITTED_RECORDED), 1);
  admission_close(&admission);
}
END_TEST

/* ---- base64 ---- */

static char *decode(const char *text) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char *bytes = calloc(strlen(text) + 1, 1);
  size_t n = 0;
  for (const char *four = text; *four != '\0'; four += 4) {
    uint32_t group = 0;
    for (size_t i = 0; i < 4; i++) {
      group = group << 6 | (four[i] == '=' ? 0 : (uint32_t)(strchr(digits, four[i]) - digits));
    }
    for (int shift = 16; shift >= 0; shift -= 8) {
      bytes[n++] = (char)(group >> shift & 255);
    }
  }
  return bytes;
}

/* Patches of any length come to the same pod as its injection. */
START_TEST(test_patches_are_what_injection_does) {
  static const char *const ids[] = {"1", "12", "123"}, *const padding[] = {"=\"", "==\"", ""};
  const struct rebali_limits limits = rebali_limits_load(NULL);
  static const char pod[] = DEMO_POD("");
  const rebal_time now = time_of(NOW);
  unsigned seen = 0;
  for (size_t i = 0; i < COUNT(ids); i++) {
    struct admission admission = admission_open(DEMO DEMO_SPREAD("{name: a, maxReplicas: 9}, {name: b}"));
    rebal_spread_feed *feed = admission.feeding.feed;
    rebal_document *reply = NULL, *found = NULL, *patch = NULL, *wanted = NULL;
    const char *encoded;
    char *text;
    ck_assert_int_eq(rebal_spread_feed_review(admission.ctx, feed,
                                              &(rebal_pod_request){sizeof(rebal_pod_request), 0, CREATE(DEMO_POD("")),
                                                                   sizeof CREATE(DEMO_POD("")) - 1, ids[i], i + 1},
                                              &now, NULL, admission.result, admission.text, NULL),
                     REBAL_OK);
    ck_assert_int_eq(
        rebal_document_read(admission_text(&admission), strlen(admission_text(&admission)), NULL, &reply, NULL),
        REBAL_OK);
    encoded = rebali_member_text(rebali_member(reply->tree, "response"), "patch");
    text = decode(encoded);
    ck_assert_uint_eq(strlen(encoded) % 4, 0);
    seen |= strstr(admission_text(&admission), padding[1]) != NULL   ? 2U
            : strstr(admission_text(&admission), padding[0]) != NULL ? 1U
                                                                     : 4U;
    ck_assert_int_eq(rebal_document_read(text, strlen(text), NULL, &patch, NULL), REBAL_OK);
    ck_assert_int_eq(rebal_document_read(pod, sizeof pod - 1, NULL, &found, NULL), REBAL_OK);
    ck_assert_int_eq(rebali_json_patch(&found->tree, patch->tree, &limits, NULL), REBAL_OK);
    rebal_text_reset(admission.text);
    ck_assert_int_eq(rebal_spread_feed_admit(admission.ctx, feed,
                                             &(rebal_pod_request){sizeof(rebal_pod_request), REBAL_OPERATION_CREATE,
                                                                  pod, sizeof pod - 1, ids[i], i + 1},
                                             &now, NULL, admission.result, admission.text, NULL),
                     REBAL_OK);
    ck_assert_int_eq(
        rebal_document_read(admission_text(&admission), strlen(admission_text(&admission)), NULL, &wanted, NULL),
        REBAL_OK);
    ck_assert(json_equal(found->tree, wanted->tree));
    free(text);
    rebal_document_free(reply);
    rebal_document_free(found);
    rebal_document_free(patch);
    rebal_document_free(wanted);
    admission_close(&admission);
  }
  ck_assert_uint_eq(seen, 7);
}
END_TEST

/* The API's older version is answered in its own. */
START_TEST(test_versions) {
  struct admission admission = admission_open(STORE);
  ck_assert_int_eq(review_of(&admission,
                             "{apiVersion: admission.k8s.io/v1beta1, kind: AdmissionReview, request: {uid: "
                             "'\"'}}"),
                   REBAL_OK);
  ck_assert_str_eq(admission_text(&admission),
                   "{\"apiVersion\":\"admission.k8s.io/v1beta1\",\"kind\":\"AdmissionReview\",\"response\":{\"uid\":"
                   "\"\\\"\",\"allowed\":true}}");
  admission_close(&admission);
}
END_TEST

START_TEST(test_other_than_a_review) {
  static const char *const texts[] = {"",
                                      "null",
                                      "{}",
                                      "[]",
                                      "{apiVersion: admission.k8s.io/v1, kind: Review, request: {uid: u}}",
                                      "{apiVersion: v1, kind: AdmissionReview, request: {uid: u}}",
                                      "{apiVersion: admission.k8s.io/v1, kind: AdmissionReview}",
                                      "{apiVersion: admission.k8s.io/v1, kind: AdmissionReview, request: {}}",
                                      CREATE("[]"),
                                      CREATE("{metadata: {creationTimestamp: tomorrow}}")};
  struct admission admission = admission_open(STORE);
  for (size_t i = 0; i < COUNT(texts); i++) {
    ck_assert_msg(review_of(&admission, texts[i]) == REBAL_EPARSE, "%s: %s", texts[i], admission_text(&admission));
    ck_assert_str_eq(admission_text(&admission), "");
  }
  admission_close(&admission);
}
END_TEST

START_TEST(test_arguments_are_needed) {
  struct admission admission = admission_open(DEMO);
  rebal_spread_feed *feed = admission.feeding.feed;
  const rebal_time now = time_of(NOW);
  ck_assert_int_eq(rebal_spread_feed_review(admission.ctx, NULL,
                                            &(rebal_pod_request){sizeof(rebal_pod_request), 0, "{}", 2, NULL, 0}, &now,
                                            NULL, admission.result, admission.text, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_spread_feed_review(admission.ctx, feed,
                                            &(rebal_pod_request){sizeof(rebal_pod_request), 0, NULL, 2, NULL, 0}, &now,
                                            NULL, admission.result, admission.text, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_spread_feed_review(admission.ctx, feed,
                                            &(rebal_pod_request){sizeof(rebal_pod_request), 0, "{}", 2, NULL, 0}, &now,
                                            NULL, admission.result, NULL, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_spread_feed_review(admission.ctx, feed,
                                            &(rebal_pod_request){sizeof(rebal_pod_request), 0, NULL, 0, NULL, 0}, &now,
                                            NULL, admission.result, admission.text, NULL),
                   REBAL_EPARSE);
  admission_close(&admission);
}
END_TEST

/* ---- members that need not be in the tree ---- */

#define JSON_CREATE(namespace_, spec)                                                                               \
  "{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\",\"request\":{\"uid\":\"r1\",\"userInfo\":{" \
  "\"groups\":[\"a\"]},\"resource\":{\"group\":\"\",\"version\":\"v1\",\"resource\":\"pods\"},\"namespace\":"       \
  "\"" namespace_                                                                                                   \
  "\",\"operation\":\"CREATE\",\"object\":{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\","    \
  "\"ownerReferences\":[{\"apiVersion\":\"apps/v1\",\"kind\":\"ReplicaSet\",\"name\":\"demo\",\"uid\":\"u\","       \
  "\"controller\":true}]},\"spec\":{" spec "}}}}"

static const char *const json_texts[] = {
    JSON_CREATE("ns",
                "\"volumes\":[{\"name\":\"v\"}],\"containers\":[{\"name\":\"c\",\"env\":[{\"name\":\"e\"}],"
                "\"resources\":{\"requests\":{\"cpu\":\"1\"}}}],\"tolerations\":[{\"key\":\"k\"}]"),
    JSON_CREATE("ns", "\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"one\"}}}]"),
    JSON_CREATE("ns", "\"containers\":{\"name\":\"c\"}"),
    JSON_CREATE("ns", "\"affinity\":[]"),
    JSON_CREATE("ns", "\"overhead\":{\"cpu\":[]}"),
    JSON_CREATE("ns", "\"nodeSelector\":{\"a\":1}"),
    JSON_CREATE("ns", "\"tolerations\":3"),
    JSON_CREATE("ns", "\"volumes\":[{\"name\":\"v\",\"name\":\"w\"}]"),
    JSON_CREATE("ns", "\"volumes\":[{\"name\":\"v\",\"\\u006eame\":\"w\"}]"),
    JSON_CREATE("other", "\"volumes\":[]"),
};

/* A comment makes a text YAML, which is always read whole. */
static char *as_yaml(const char *json) {
  static const char comment[] = "#\n";
  char *yaml = malloc(sizeof comment + strlen(json));
  memcpy(yaml, comment, sizeof comment - 1);
  memcpy(yaml + sizeof comment - 1, json, strlen(json) + 1);
  return yaml;
}

START_TEST(test_reviews_that_are_not_read_whole) {
  static const char *const subsets[] = {"{name: a, maxReplicas: 9, tolerations: [{key: t}]}",
                                        "{name: a, maxReplicas: 9, patch: {spec: {volumes: [{name: w}]}}}"};
  char *yaml = as_yaml(json_texts[_i]);
  for (size_t i = 0; i < COUNT(subsets); i++) {
    char store[1024];
    struct admission read_whole, read;
    (void)snprintf(store, sizeof store, DEMO DEMO_SPREAD("%s"), subsets[i]);
    read_whole = admission_open(store);
    read = admission_open(store);
    ck_assert_int_eq(review_of(&read, json_texts[_i]), review_of(&read_whole, yaml));
    ck_assert_str_eq(admission_text(&read), admission_text(&read_whole));
    ck_assert_str_eq(read.err.message, read_whole.err.message);
    ck_assert_str_eq(read.err.field, read_whole.err.field);
    admission_close(&read);
    admission_close(&read_whole);
  }
  free(yaml);
}
END_TEST

/* The patch of a subset that comes, or goes, decides what of the next pod is read. */
START_TEST(test_a_patch_that_comes_and_goes) {
  static const char *const subsets[] = {"{name: a, maxReplicas: 9}",
                                        "{name: a, maxReplicas: 9, patch: {spec: {volumes: [{name: w}]}}}",
                                        "{name: a, maxReplicas: 9}", "{name: a, patch: {metadata: {}}}"};
  struct admission admission = admission_open(DEMO);
  const rebal_spread_feed *feed = admission.feeding.feed;
  for (size_t i = 0; i < COUNT(subsets); i++) {
    char store[1024];
    (void)snprintf(store, sizeof store, DEMO_SPREAD("%s"), subsets[i]);
    feeding_load(&admission.feeding, store);
    ck_assert_uint_eq(feed->n_patching, i % 2);
  }
  feeding_delete(&admission.feeding, "WorkloadSpread", "ws");
  ck_assert_uint_eq(feed->n_patching, 0);
  admission_close(&admission);
}
END_TEST

UNIT_CASE(admission_review) {
  TCase *cases = tcase_create("admission_review");
  tcase_add_loop_test(cases, test_answers, 0, COUNT(rows));
  tcase_add_test(cases, test_a_pod_without_a_name);
  tcase_add_test(cases, test_patches_are_what_injection_does);
  tcase_add_test(cases, test_versions);
  tcase_add_test(cases, test_other_than_a_review);
  tcase_add_loop_test(cases, test_reviews_that_are_not_read_whole, 0, COUNT(json_texts));
  tcase_add_test(cases, test_a_patch_that_comes_and_goes);
  tcase_add_test(cases, test_arguments_are_needed);
  return cases;
}
