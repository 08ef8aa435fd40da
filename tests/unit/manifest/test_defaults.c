/* SPDX-License-Identifier: MIT */
#include "manifest/schema/kinds.h"
#include "stores.h"

static const struct {
  enum rebali_shape_id shape;
  const char *given;
  const char *filled;
} maps[] = {
    {REBALI_SHAPE_PLACEMENT, "{spreadConstraints: [{}, {spreadByLabel: l, minGroups: 2}, {minGroups: 0}, text]}",
     "{\"spreadConstraints\":[{\"spreadByField\":\"cluster\",\"minGroups\":1},{\"spreadByLabel\":\"l\",\"minGroups\":2}"
     ",{\"minGroups\":1,\"spreadByField\":\"cluster\"},\"text\"]}"},
    {REBALI_SHAPE_PLACEMENT, "{replicaScheduling: {}}",
     "{\"replicaScheduling\":{\"replicaSchedulingType\":\"Divided\",\"replicaDivisionPreference\":\"Weighted\"}}"},
    {REBALI_SHAPE_PLACEMENT, "{replicaScheduling: {replicaSchedulingType: Duplicated}}",
     "{\"replicaScheduling\":{\"replicaSchedulingType\":\"Duplicated\"}}"},
    {REBALI_SHAPE_FAILOVER, "{application: {decisionConditions: {}}, cluster: {purgeMode: ''}}",
     "{\"application\":{\"decisionConditions\":{\"tolerationSeconds\":300},\"purgeMode\":\"Gracefully\","
     "\"gracePeriodSeconds\":600},\"cluster\":{\"purgeMode\":\"Gracefully\"}}"},
    {REBALI_SHAPE_FAILOVER, "{application: {decisionConditions: {tolerationSeconds: 0}, gracePeriodSeconds: 0}}",
     "{\"application\":{\"decisionConditions\":{\"tolerationSeconds\":0},\"gracePeriodSeconds\":0,"
     "\"purgeMode\":\"Gracefully\"}}"},
    {REBALI_SHAPE_FAILOVER, "{application: {purgeMode: Never}}", "{\"application\":{\"purgeMode\":\"Never\"}}"},
    {REBALI_SHAPE_CLUSTER_SPEC, "{taints: [{}]}", "{\"taints\":[{}]}"},
};

START_TEST(test_absent_members_are_filled_in) {
  struct rebali_buffer output = REBALI_BUFFER;
  json_t **documents = NULL;
  size_t n = 0;
  ck_assert_int_eq(rebali_text_read(maps[_i].given, strlen(maps[_i].given), NULL, &documents, &n, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_fill_defaults(&rebali_shapes[maps[_i].shape], documents[0], NULL), REBAL_OK);
  ck_assert_int_eq(rebali_json_write(documents[0], 0, &output), REBAL_OK);
  ck_assert_str_eq(output.bytes, maps[_i].filled);
  rebali_buffer_dispose(&output);
  rebali_documents_free(documents, n);
}
END_TEST

START_TEST(test_one_member_with_its_default) {
  json_t *map = json_pack("{s:s, s:i, s:s}", "spreadByField", "zone", "replicas", 0, "purgeMode", "Never");
  ck_assert_str_eq(rebali_text_or_default(REBALI_SHAPE_SPREAD_CONSTRAINT, map, "spreadByField"), "zone");
  ck_assert_str_eq(rebali_text_or_default(REBALI_SHAPE_SPREAD_CONSTRAINT, NULL, "spreadByField"), "cluster");
  ck_assert_str_eq(rebali_text_or_default(REBALI_SHAPE_SPREAD_CONSTRAINT, map, "spreadByLabel"), "");
  ck_assert_int_eq(rebali_number_or_default(REBALI_SHAPE_WORKLOAD_SPEC, map, "replicas"), 0);
  ck_assert_int_eq(rebali_number_or_default(REBALI_SHAPE_WORKLOAD_SPEC, NULL, "replicas"), 1);
  ck_assert_int_eq(rebali_number_or_default(REBALI_SHAPE_APPLICATION_FAILOVER, map, "gracePeriodSeconds"), 0);
  json_decref(map);
}
END_TEST

UNIT_CASE(defaults) {
  TCase *cases = tcase_create("defaults");
  tcase_add_loop_test(cases, test_absent_members_are_filled_in, 0, (int)COUNT(maps));
  tcase_add_test(cases, test_one_member_with_its_default);
  return cases;
}
