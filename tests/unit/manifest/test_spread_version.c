/* SPDX-License-Identifier: MIT */
#include "spreads.h"

#define SUBSETS_OF(version, required, preferred)                \
  SPREAD_OF(version, "ws")                                      \
  TARGET "subsets: [{name: a, " required                        \
         ": {matchFields: [{key: metadata.name, operator: In, " \
         "values: [m]}]}}, {" preferred ": [{weight: 1, preference: {}}]}]}}"

/* What the record says in a member, one below the other. */
static void assert_record(const char *text, const char *outer, const char *inner, const char *json) {
  rebal_store *store = store_of(text);
  rebal_builder *builder = NULL;
  const rebal_record *record = NULL;
  struct rebali_output out = {NULL, 0, 0, 0};
  json_t *tree = NULL;
  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_record(store, find(store, "WorkloadSpread", "ns", "ws"), builder, &record, NULL),
                   REBAL_OK);
  ck_assert_int_eq(rebali_record_tree_as_is(record, &tree, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_json_write(rebali_member(rebali_member(tree, outer), inner), 0, &out), REBAL_OK);
  ck_assert_str_eq(out.bytes, json);
  assert_member(store, find(store, "WorkloadSpread", "ns", "ws"), "spec.targetRef.name", "demo");
  json_decref(tree);
  rebali_output_dispose(&out);
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

/* A list of conditions that is written again has lost what nobody sets. */
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

UNIT_CASE(spread_version) {
  TCase *cases = tcase_create("spread_version");
  tcase_add_test(cases, test_versions_give_one_record);
  tcase_add_test(cases, test_generations_of_conditions_are_left_out);
  tcase_add_test(cases, test_the_object_stays_as_it_is);
  return cases;
}
