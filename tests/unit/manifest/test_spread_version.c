/* SPDX-License-Identifier: MIT */
#include "admissions.h"
#include "spreads.h"

#include <stdio.h>

#define SUBSETS_OF(version, required, preferred)                \
  SPREAD_OF(version, "ws")                                      \
  TARGET "subsets: [{name: a, " required                        \
         ": {matchFields: [{key: metadata.name, operator: In, " \
         "values: [m]}]}}, {" preferred ": [{weight: 1, preference: {}}]}]}}"

/* The member inner of the record's member outer must be this, as JSON. */
static void assert_record(const char *text, const char *outer, const char *inner, const char *json) {
  rebal_store *store = store_of(text);
  rebal_builder *builder = NULL;
  const rebal_record *record = NULL;
  struct rebali_buffer out = REBALI_BUFFER;
  json_t *tree = NULL;
  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_record(store, find(store, "WorkloadSpread", "ns", "ws"), builder, &record, NULL),
                   REBAL_OK);
  ck_assert_int_eq(rebali_record_tree_as_is(record, &tree, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_json_write(rebali_member(rebali_member(tree, outer), inner), 0, &out), REBAL_OK);
  ck_assert_str_eq(out.bytes, json);
  assert_member(store, find(store, "WorkloadSpread", "ns", "ws"), "spec.targetRef.name", "demo");
  json_decref(tree);
  rebali_buffer_dispose(&out);
  rebal_builder_free(builder);
  rebal_store_free(store);
}

/* Both versions give the record of v1beta1; names of the other version are unknown members. */
START_TEST(test_versions_give_one_record) {
  static const char json[] =
      "[{\"name\":\"a\",\"requiredNodeSelector\":{\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"In\","
      "\"values\":[\"m\"]}]}},{\"preferredNodeSelector\":[{\"weight\":1,\"preference\":{}}]}]";
  assert_record(SUBSETS_OF("v1beta1", "requiredNodeSelector", "preferredNodeSelector"), "spec", "subsets", json);
  assert_record(SUBSETS_OF("v1alpha1", "requiredNodeSelectorTerm", "preferredNodeSelectorTerms"), "spec", "subsets",
                json);
  assert_record(SUBSETS_OF("v1beta1", "requiredNodeSelectorTerm", "preferredNodeSelectorTerms"), "spec", "subsets",
                "[{\"name\":\"a\"},{}]");
}
END_TEST

/* A list of conditions that is written again has lost observedGeneration, which no controller sets. */
START_TEST(test_generations_of_conditions_are_left_out) {
  assert_record(SPREAD TARGET
                "}, status: {subsetStatuses: [{name: a, replicas: 0, missingReplicas: 0, conditions: "
                "[{type: Schedulable, status: 'True', observedGeneration: 3, reason: R}]}]}}",
                "status", "subsetStatuses",
                "[{\"name\":\"a\",\"replicas\":0,\"conditions\":[{\"type\":\"Schedulable\",\"status\":\"True\","
                "\"reason\":\"R\"}],\"missingReplicas\":0}]");
}
END_TEST

START_TEST(test_the_object_stays_as_it_is) {
  rebal_store *store = store_of(SUBSETS_OF("v1alpha1", "requiredNodeSelectorTerm", "preferredNodeSelectorTerms"));
  const uint32_t object = find(store, "WorkloadSpread", "ns", "ws");
  rebal_builder *builder = NULL;
  const rebal_record *record = NULL;
  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_record(store, object, builder, &record, NULL), REBAL_OK);
  assert_member(store, object, "spec.subsets[1].preferredNodeSelectorTerms[0].weight", "1");
  rebal_builder_free(builder);
  rebal_store_free(store);
}
END_TEST

/* ---- a WorkloadSpread in both versions ---- */

#define ZONE_OF(zone) "{matchExpressions: [{key: zone, operator: In, values: [" zone "]}]}"
#define NODE_OF(name, zone) "---\n{apiVersion: v1, kind: Node, metadata: {name: " name ", labels: {zone: " zone "}}}\n"
#define RUNS_ON(name, node) POD_OF(name, "ReplicaSet", "demo", "u", "}, spec: {nodeName: " node)
#define WORLD_OF(version, required, preferred) \
  DEMO NODE_OF("here", "a") NODE_OF("there", "b") RUNS_ON("p", "here") RUNS_ON("q", "there") RUNS_ON("r", "nowhere")   \
      OBJECT_OF("apps.kruise.io/" version, "WorkloadSpread", "ws")                                                     \
      "}, spec: {targetRef: {apiVersion: apps/v1, kind: ReplicaSet, name: demo}, subsets: [{name: a, maxReplicas: 2, " \
      "" required ": " ZONE_OF("a") "}, {name: b, maxReplicas: 1, " preferred ": [{weight: 7, preference: "            \
      "" ZONE_OF("b") "}], patch: {metadata: {labels: {x: z}}}}]}}\n"

/* The created pods, then the results of a pass over the existing pods: subset, score and cost of each. */
static void report(struct admission *admission, struct rebali_buffer *out) {
  const struct feeding *feeding = &admission->feeding;
  const uint32_t object = find(feeding->store, "WorkloadSpread", "ns", "ws");
  const uint32_t columns[] = {REBAL_GROUPED_SUBSET, REBAL_GROUPED_SCORE, REBAL_GROUPED_COST};
  const rebal_time now = time_of(NOW);
  size_t n;
  for (int i = 0; i < 4; i++) {
    const char *id = i % 2 == 0 ? "even" : "odd";
    ck_assert_int_eq(rebal_spread_feed_admit(admission->ctx, feeding->feed,
                                             &(rebal_pod_request){sizeof(rebal_pod_request), REBAL_OPERATION_CREATE,
                                                                  DEMO_POD(""), strlen(DEMO_POD("")), id, strlen(id)},
                                             &now, NULL, admission->result, admission->text, NULL),
                     REBAL_OK);
  }
  rebali_buffer_text(out, admission_text(admission));
  ck_assert_int_eq(rebal_spread_feed_step(admission->ctx, feeding->feed, object, &now, NULL, admission->result, NULL),
                   REBAL_OK);
  for (size_t column = 0; column < COUNT(columns); column++) {
    const int64_t *cells = rebal_result_i64(admission->result, columns[column], &n);
    for (size_t i = 0; i < n; i++) {
      char text[32];
      (void)snprintf(text, sizeof text, " %lld", (long long)cells[i]);
      rebali_buffer_text(out, text);
    }
  }
}

START_TEST(test_versions_give_one_answer) {
  static const char *const worlds[] = {
      WORLD_OF("v1beta1", "requiredNodeSelector", "preferredNodeSelector"),
      WORLD_OF("v1alpha1", "requiredNodeSelectorTerm", "preferredNodeSelectorTerms"),
      WORLD_OF("v1beta1", "requiredNodeSelectorTerm", "preferredNodeSelectorTerms"), /* names of the other version */
  };
  struct rebali_buffer reported[COUNT(worlds)];
  for (size_t i = 0; i < COUNT(worlds); i++) {
    struct admission admission = admission_open(worlds[i]);
    reported[i] = (struct rebali_buffer)REBALI_BUFFER;
    report(&admission, &reported[i]);
    admission_close(&admission);
  }
  ck_assert_str_eq(reported[0].bytes, reported[1].bytes);
  ck_assert_ptr_nonnull(strstr(reported[0].bytes, "requiredDuringScheduling"));
  ck_assert_ptr_nonnull(strstr(reported[0].bytes, "preferredDuringScheduling"));
  ck_assert_ptr_nonnull(strstr(reported[0].bytes, " 701"));
  ck_assert_str_ne(reported[0].bytes, reported[2].bytes);
  for (size_t i = 0; i < COUNT(worlds); i++) {
    rebali_buffer_dispose(&reported[i]);
  }
}
END_TEST

UNIT_CASE(spread_version) {
  TCase *cases = tcase_create("spread_version");
  tcase_add_test(cases, test_versions_give_one_record);
  tcase_add_test(cases, test_generations_of_conditions_are_left_out);
  tcase_add_test(cases, test_the_object_stays_as_it_is);
  tcase_add_test(cases, test_versions_give_one_answer);
  return cases;
}
