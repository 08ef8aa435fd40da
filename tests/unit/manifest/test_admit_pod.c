/* SPDX-License-Identifier: MIT */
#include "../../support/allocator.h"
#include "admissions.h"

static int32_t admit_as(struct admission *admission, uint32_t operation, const char *pod, const char *id,
                        const rebal_admit_opts *opts) {
  const rebal_time now = time_of(NOW);
  const int32_t code = rebal_spread_feed_admit(
      admission->ctx, admission->feeding.feed,
      &(rebal_pod_request){sizeof(rebal_pod_request), operation, pod, strlen(pod), id, strlen(id)}, &now, opts,
      admission->result, admission->text, &admission->err);
  assert_no_row_is_left(admission);
  return code;
}

static void admit(struct admission *admission, uint32_t operation, const char *pod, const char *id) {
  ck_assert_msg(admit_as(admission, operation, pod, id, NULL) == REBAL_OK, "%s", admission->err.message);
}

#define TWO_SUBSETS "{name: a, maxReplicas: 1, tolerations: [{key: k}]}, {name: b}"

/* ---- creation ---- */

START_TEST(test_a_pod_is_created) {
  struct admission admission = admission_open(DEMO DEMO_SPREAD(TWO_SUBSETS));
  admit(&admission, REBAL_OPERATION_CREATE, DEMO_POD(", name: p"), "");
  ck_assert_int_eq(admission_cell(&admission, REBAL_ADMITTED_OUTCOME), REBAL_ADMIT_OUTCOME_CHOSEN);
  ck_assert_str_eq(admission_text(&admission),
                   "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"namespace\":\"ns\",\"ownerReferences\":[{"
                   "\"apiVersion\":\"apps/v1\",\"kind\":\"ReplicaSet\",\"name\":\"demo\",\"uid\":\"u\",\"controller\":"
                   "true}],\"name\":\"p\",\"annotations\":{\"apps.kruise.io/matched-workloadspread\":"
                   "\"{\\\"name\\\":\\\"ws\\\",\\\"subset\\\":\\\"a\\\"}\"}},\"spec\":{\"tolerations\":[{\"key\":"
                   "\"k\"}],\"affinity\":{\"nodeAffinity\":{}}}}");
  admission_write(&admission);
  assert_member(
      admission.feeding.store, 1, "status.versionedSubsetStatuses",
      "{\"versionIgnored\":[{\"name\":\"a\",\"replicas\":0,\"missingReplicas\":0,\"creatingPods\":{\"p\":\"" NOW
      "\"}},{\"name\":\"b\",\"replicas\":0,\"missingReplicas\":-1}]}");
  admission_close(&admission);
}
END_TEST

/* The feed has the current status, whether it is written or not. */
START_TEST(test_pods_see_each_other) {
  struct admission admission = admission_open(DEMO DEMO_SPREAD(TWO_SUBSETS));
  static const struct {
    const char *pod, *id;
    int64_t subset, by_id;
  } pods[] = {{DEMO_POD(""), "0f", 0, 1}, {DEMO_POD(""), "1f", 1, 0}, {DEMO_POD(", name: p"), "", 1, 0}};
  for (size_t i = 0; i < COUNT(pods); i++) {
    admit(&admission, REBAL_OPERATION_CREATE, pods[i].pod, pods[i].id);
    ck_assert_int_eq(admission_cell(&admission, REBAL_ADMITTED_SUBSET), pods[i].subset);
    ck_assert_int_eq(admission_cell(&admission, REBAL_ADMITTED_BY_ID), pods[i].by_id);
    ck_assert((strstr(admission_text(&admission), pods[i].id) != NULL) == (pods[i].by_id == 1 || *pods[i].id == '\0'));
    rebal_text_reset(admission.text);
  }
  admission_close(&admission);
}
END_TEST

/* A feed admits the pod of the request: rows of the caller would be other pods. */
START_TEST(test_rows_in_the_options_are_refused) {
  struct admission admission = admission_open(DEMO DEMO_SPREAD(TWO_SUBSETS));
  const uint32_t row = 0;
  const rebal_admit_opts opts = {.struct_size = (uint32_t)sizeof opts, .rows = &row, .n_rows = 1};
  ck_assert_int_eq(admit_as(&admission, REBAL_OPERATION_CREATE, DEMO_POD(", name: p"), "", &opts), REBAL_EINVAL);
  ck_assert_str_eq(admission.err.message, "the options have rows of their own");
  ck_assert_str_eq(admission_text(&admission), "");
  admit(&admission, REBAL_OPERATION_CREATE, DEMO_POD(", name: p"), "");
  ck_assert_int_eq(admission_cell(&admission, REBAL_ADMITTED_SUBSET), 0); /* nothing was recorded before */
  admission_close(&admission);
}
END_TEST

/* The outcome of a pod that gets no subset. */
static const struct {
  const char *objects, *pod;
  int64_t outcome;
  int is_refused;
} others[] = {
    {DEMO, DEMO_POD(""), REBAL_ADMIT_OUTCOME_LEFT_ALONE, 0},
    {DEMO DEMO_SPREAD(TWO_SUBSETS), "{metadata: {namespace: ns, name: p}}", REBAL_ADMIT_OUTCOME_LEFT_ALONE, 0},
    {DEMO DEMO_SPREAD(TWO_SUBSETS), "{metadata: {name: p" OF_DEMO "}}", REBAL_ADMIT_OUTCOME_LEFT_ALONE, 0},
    {DEMO DEMO_SPREAD("{name: a, maxReplicas: 0}, {name: b, maxReplicas: 0}"), DEMO_POD(", name: p"),
     REBAL_ADMIT_OUTCOME_NO_SUBSET, 0},
    {DEMO_SPREAD(TWO_SUBSETS), "{metadata: {namespace: ns, name: p" OWNED_BY("apps/v1", "ReplicaSet", "gone", "g") "}}",
     REBAL_ADMIT_OUTCOME_OWNER_MISSING, 1},
};

START_TEST(test_other_ends) {
  struct admission admission = admission_open(others[_i].objects);
  rebal_document *pod = NULL;
  ck_assert_int_eq(rebal_document_read(others[_i].pod, strlen(others[_i].pod), NULL, &pod, NULL), REBAL_OK);
  admit(&admission, REBAL_OPERATION_CREATE, others[_i].pod, "");
  ck_assert_int_eq(admission_cell(&admission, REBAL_ADMITTED_OUTCOME), others[_i].outcome);
  if (!others[_i].is_refused) {
    rebal_text *same = NULL;
    ck_assert_int_eq(rebal_text_new(&same, NULL), REBAL_OK);
    ck_assert_int_eq(rebal_document_write(pod, REBAL_TEXT_FORMAT_JSON, same, NULL), REBAL_OK);
    ck_assert_str_eq(admission_text(&admission), rebal_text_bytes(same, NULL));
    rebal_text_free(same);
  } else {
    ck_assert_str_eq(admission_text(&admission), "");
  }
  rebal_document_free(pod);
  admission_close(&admission);
}
END_TEST

/* ---- deletion ---- */

START_TEST(test_a_pod_goes) {
  struct admission admission = admission_open(DEMO DEMO_SPREAD(TWO_SUBSETS));
  admit(&admission, (uint32_t)_i, DEMO_POD(", name: p" MATCHED_BY("a")), "");
  ck_assert_int_eq(admission_cell(&admission, REBAL_ADMITTED_OUTCOME), REBAL_ADMIT_OUTCOME_GOING);
  ck_assert_int_eq(admission_cell(&admission, REBAL_ADMITTED_RECORDED), 1);
  ck_assert_str_eq(admission_text(&admission), "");
  admission_write(&admission);
  assert_member(
      admission.feeding.store, 1, "status.versionedSubsetStatuses",
      "{\"versionIgnored\":[{\"name\":\"a\",\"replicas\":0,\"missingReplicas\":2,\"deletingPods\":{\"p\":\"" NOW
      "\"}},{\"name\":\"b\",\"replicas\":0,\"missingReplicas\":-1}]}");
  admission_close(&admission);
}
END_TEST

/* ---- kinds of the white list ---- */

#define GAME OBJECT_OF("game.example.com/v1", "GameServerSet", "demo") ", uid: g}}\n"
#define GAME_SPREAD                                           \
  OBJECT_OF("apps.kruise.io/v1beta1", "WorkloadSpread", "ws") \
  "}, spec: {targetRef: {apiVersion: apps.kruise.io/v1alpha1, kind: CloneSet, name: other}, subsets: [{name: a}]}}\n"
#define WHITE_LIST                                                                                            \
  "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: kruise-configuration, namespace: kruise-system}, " \
  "data: {WorkloadSpread_Watch_Custom_Workload_WhiteList: '{\"workloads\":[{\"Group\":\"game.example.com\","  \
  "\"Kind\":\"GameServerSet\"}]}'}}\n"
#define GAME_POD "{metadata: {namespace: ns, name: p" OWNED_BY("game.example.com/v1", "GameServerSet", "gone", "g") "}}"

/* Only owners of kinds that are known are followed: the pod of one is refused where it is missing. */
START_TEST(test_the_white_list_is_the_store_s) {
  struct admission admission = admission_open(GAME GAME_SPREAD);
  rebal_admit_opts opts = {.struct_size = (uint32_t)sizeof opts};
  rebal_builder *builder = NULL;
  admit(&admission, REBAL_OPERATION_CREATE, GAME_POD, "");
  ck_assert_int_eq(admission_cell(&admission, REBAL_ADMITTED_OUTCOME), REBAL_ADMIT_OUTCOME_LEFT_ALONE);
  feeding_load(&admission.feeding, WHITE_LIST);
  admit(&admission, REBAL_OPERATION_CREATE, GAME_POD, "");
  ck_assert_int_eq(admission_cell(&admission, REBAL_ADMITTED_OUTCOME), REBAL_ADMIT_OUTCOME_OWNER_MISSING);
  ck_assert_int_eq(admit_as(&admission, REBAL_OPERATION_CREATE, GAME_POD, "", &opts), REBAL_OK);
  ck_assert_int_eq(admission_cell(&admission, REBAL_ADMITTED_OUTCOME), REBAL_ADMIT_OUTCOME_OWNER_MISSING);
  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_start(builder, REBAL_OBJECT_WHITE_LIST, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_finish(builder, &opts.white_list, NULL), REBAL_OK);
  ck_assert_int_eq(admit_as(&admission, REBAL_OPERATION_CREATE, GAME_POD, "", &opts), REBAL_OK);
  ck_assert_int_eq(admission_cell(&admission, REBAL_ADMITTED_OUTCOME), REBAL_ADMIT_OUTCOME_LEFT_ALONE);
  rebal_builder_free(builder);
  admission_close(&admission);
}
END_TEST

/* ---- refusals ---- */

/* As in the reference, a patch that cannot be merged, or leaves no pod, is found after the pod was recorded. */
START_TEST(test_patches_that_cannot_be_merged) {
  static const struct {
    const char *patch, *pod;
  } rows[] = {
      {"[a]", DEMO_POD(", name: p")},
      {"{spec: {containers: [{image: i}]}}",
       "{metadata: {namespace: ns, name: p" OF_DEMO "}, spec: {containers: [{name: c}]}}"},
      {"{}", "{metadata: {namespace: ns, name: p" OF_DEMO "}, spec: {affinity: []}}"},
      {"{spec: {containers: {name: main}}}", DEMO_POD(", name: p")},
      {"{spec: {priority: high}}", DEMO_POD(", name: p")},
      {"{metadata: {labels: {x: 3}}}", DEMO_POD(", name: p")},
      {"{status: {conditions: [{type: Ready, status: 'True', lastTransitionTime: soon}]}}", DEMO_POD(", name: p")}};
  for (size_t i = 0; i < COUNT(rows); i++) {
    char objects[1024];
    struct admission admission;
    (void)snprintf(objects, sizeof objects, DEMO DEMO_SPREAD("{name: a, maxReplicas: 3, patch: %s}, {name: b}"),
                   rows[i].patch);
    admission = admission_open(objects);
    ck_assert_int_eq(admit_as(&admission, REBAL_OPERATION_CREATE, rows[i].pod, "", NULL), REBAL_EINVAL);
    ck_assert_int_eq(admission.err.code, REBAL_EINVAL);
    ck_assert_str_eq(admission_text(&admission), "");
    ck_assert_int_eq(admission_cell(&admission, REBAL_ADMITTED_RECORDED), 1);
    assert_no_row_is_left(&admission);
    admission_write(&admission);
    admission_close(&admission);
  }
}
END_TEST

START_TEST(test_pods_that_cannot_be_read) {
  static const struct {
    const char *pod, *id;
    uint32_t operation;
    int32_t code;
  } rows[] = {
      {"", "", REBAL_OPERATION_CREATE, REBAL_EPARSE},
      {"[]", "", REBAL_OPERATION_CREATE, REBAL_EPARSE},
      {"{metadata: {creationTimestamp: tomorrow}}", "", REBAL_OPERATION_CREATE, REBAL_EPARSE},
      {DEMO_POD(""), "", REBAL_OPERATION_CREATE, REBAL_EINVAL},
      {DEMO_POD(""), "\xff", REBAL_OPERATION_CREATE, REBAL_EINVAL},
      {DEMO_POD(""), "0f", REBAL_OPERATION_EVICT + 1, REBAL_EINVAL},
  };
  for (size_t i = 0; i < COUNT(rows); i++) {
    struct admission admission = admission_open(DEMO DEMO_SPREAD(TWO_SUBSETS));
    const int32_t code = admit_as(&admission, rows[i].operation, rows[i].pod, rows[i].id, NULL);
    ck_assert_msg(code == rows[i].code, "%s: %d", rows[i].pod, code);
    ck_assert_str_eq(admission_text(&admission), "");
    ck_assert_uint_eq(rebal_result_count(admission.result, REBAL_TABLE_ACTION), 0);
    admission_close(&admission);
  }
}
END_TEST

START_TEST(test_arguments_are_needed) {
  struct admission admission = admission_open(DEMO);
  rebal_spread_feed *feed = admission.feeding.feed;
  rebal_result *result = admission.result;
  rebal_text *text = admission.text;
  rebal_ctx *ctx = admission.ctx;
  const rebal_time now = time_of(NOW), unset = {0, 0, 0};
  const rebal_admit_opts strange = {.struct_size = 1};
  const rebal_pod_request pod = {sizeof pod, 0, "{}", 2, NULL, 0};
  const rebal_pod_request lost = {sizeof lost, 0, NULL, 2, NULL, 0};
  const rebal_pod_request empty = {sizeof empty, 0, NULL, 0, NULL, 0};
  const rebal_pod_request nameless = {sizeof nameless, 0, "{}", 2, NULL, 1};
  ck_assert_int_eq(rebal_spread_feed_admit(ctx, NULL, &pod, &now, NULL, result, text, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_spread_feed_admit(NULL, feed, &pod, &now, NULL, result, text, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_spread_feed_admit(ctx, feed, &lost, &now, NULL, result, text, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_spread_feed_admit(ctx, feed, &empty, &now, NULL, result, text, NULL), REBAL_EPARSE);
  ck_assert_int_eq(rebal_spread_feed_admit(ctx, feed, &nameless, &now, NULL, result, text, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_spread_feed_admit(ctx, feed, &pod, NULL, NULL, result, text, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_spread_feed_admit(ctx, feed, &pod, &unset, NULL, result, text, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_spread_feed_admit(ctx, feed, &pod, &now, NULL, NULL, text, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_spread_feed_admit(ctx, feed, &pod, &now, NULL, result, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_spread_feed_admit(ctx, feed, &pod, &now, &strange, result, text, NULL), REBAL_EABI);
  ck_assert_int_eq(rebal_spread_feed_admit(ctx, feed, &pod, &now, NULL, result, text, NULL), REBAL_OK);
  ck_assert_str_eq(admission_text(&admission), "{}");
  admission_close(&admission);
}
END_TEST

/* ---- memory ---- */

/* The fleet, what is admitted with and the answer run out of memory; the store, which does not, stays as it is. */
static int32_t admit_in_need(const rebal_allocator *allocator, void *user_data) {
  static const char pod[] =
      "{metadata: {namespace: ns, name: p" OF_DEMO "}, spec: {nodeName: node-1, tolerations: [{key: k}]}}";
  const rebal_time now = time_of(NOW);
  rebal_fleet *fleet = NULL;
  rebal_ctx *ctx = NULL;
  rebal_result *result = NULL;
  rebal_spread_feed *feed = NULL;
  rebal_text *text = NULL;
  uint32_t cluster = 0;
  int32_t code = rebal_fleet_new(allocator, &fleet, NULL);
  ck_assert_int_eq(rebal_text_new(&text, NULL), REBAL_OK);
  code = code == REBAL_OK ? rebal_fleet_add_cluster(fleet, "here", 4, &cluster, NULL) : code;
  code = code == REBAL_OK ? rebal_ctx_new(allocator, NULL, &ctx, NULL) : code;
  code = code == REBAL_OK ? rebal_result_new(allocator, &result, NULL) : code;
  code = code == REBAL_OK ? rebal_spread_feed_new(user_data, fleet, cluster, &feed, NULL) : code;
  code = code == REBAL_OK ? rebal_spread_feed_update(feed, NULL) : code;
  code = code == REBAL_OK
             ? rebal_spread_feed_admit(ctx, feed,
                                       &(rebal_pod_request){sizeof(rebal_pod_request), REBAL_OPERATION_CREATE, pod,
                                                            sizeof pod - 1, NULL, 0},
                                       &now, NULL, result, text, NULL)
             : code;
  ck_assert_uint_eq(
      rebal_cells_count(rebal_pods_const_cells(rebal_spread_feed_pods(feed)), REBAL_TABLE_SPREAD_POD, REBAL_NONE), 0);
  ck_assert((*rebal_text_bytes(text, NULL) != '\0') == (code == REBAL_OK));
  rebal_text_free(text);
  rebal_spread_feed_free(feed);
  rebal_result_free(result);
  rebal_ctx_free(ctx);
  rebal_fleet_free(fleet);
  return code;
}

START_TEST(test_failing_allocations) {
  rebal_store *store = store_of(DEMO DEMO_SPREAD(TWO_SUBSETS));
  ck_assert_pstr_eq(test_torture(admit_in_need, store), NULL);
  rebal_store_free(store);
}
END_TEST

UNIT_CASE(admit_pod) {
  TCase *cases = tcase_create("admit_pod");
  tcase_set_tags(cases, "allocator"); /* fails by itself: not beside tests/memory/scarce.c */
  tcase_add_test(cases, test_a_pod_is_created);
  tcase_add_test(cases, test_pods_see_each_other);
  tcase_add_test(cases, test_rows_in_the_options_are_refused);
  tcase_add_loop_test(cases, test_other_ends, 0, COUNT(others));
  tcase_add_loop_test(cases, test_a_pod_goes, REBAL_OPERATION_DELETE, REBAL_OPERATION_EVICT + 1);
  tcase_add_test(cases, test_the_white_list_is_the_store_s);
  tcase_add_test(cases, test_patches_that_cannot_be_merged);
  tcase_add_test(cases, test_pods_that_cannot_be_read);
  tcase_add_test(cases, test_arguments_are_needed);
  tcase_add_test(cases, test_failing_allocations);
  return cases;
}
