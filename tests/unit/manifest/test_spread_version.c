/* SPDX-License-Identifier: MIT */
#include "spreads.h"

#define SUBSETS_OF(version, required, preferred)                \
  SPREAD_OF(version, "ws")                                      \
  TARGET "subsets: [{name: a, " required                        \
         ": {matchFields: [{key: metadata.name, operator: In, " \
         "values: [m]}]}}, {" preferred ": [{weight: 1, preference: {}}]}]}}"

static void assert_record(const char *text, const char *json) {
  rebal_store *store = store_of(text);
  rebal_builder *builder = NULL;
  const rebal_record *record = NULL;
  struct rebali_output out = {NULL, 0, 0, 0};
  json_t *tree = NULL;
  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_record(store, find(store, "WorkloadSpread", "ns", "ws"), builder, &record, NULL),
                   REBAL_OK);
  ck_assert_int_eq(rebali_record_tree_as_is(record, &tree, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_json_write(rebali_member(rebali_member(tree, "spec"), "subsets"), 0, &out), REBAL_OK);
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
  assert_record(SUBSETS_OF("v1beta1", "requiredNodeSelector", "preferredNodeSelector"), json);
  assert_record(SUBSETS_OF("v1alpha1", "requiredNodeSelectorTerm", "preferredNodeSelectorTerms"), json);
  assert_record(SUBSETS_OF("v1beta1", "requiredNodeSelectorTerm", "preferredNodeSelectorTerms"),
                "[{\"name\":\"a\"},{}]");
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
  tcase_add_test(cases, test_the_object_stays_as_it_is);
  return cases;
}
