/* SPDX-License-Identifier: MIT */
#include "node_scenarios.h"

#define M1(nodes) HEAD("members:\n  m1: {nodes: " nodes "}\n") BARE("m1")

static const struct refusal refusals[] = {
    {M1("5"), REBAL_EPARSE, 1, 5, "members[\"m1\"].nodes", "a list"},
    {M1("[5]"), REBAL_EPARSE, 1, 5, "members[\"m1\"].nodes", "a node is a map"},
    {M1("[{name: a}]"), REBAL_EPARSE, 1, 5, "members[\"m1\"].nodes[0].allocatable", "missing"},
    {M1("[{allocatable: {}}]"), REBAL_EPARSE, 1, 5, "members[\"m1\"].nodes[0].name", "missing"},
    {M1("[{name: a, allocatable: {}, size: 1}]"), REBAL_EPARSE, 1, 5, "members[\"m1\"].nodes[0].size", "no such"},
    {M1("[{name: a, allocatable: {}, count: 0}]"), REBAL_EPARSE, 1, 5, "members[\"m1\"].nodes[0].count", "from 1"},
    {M1("[{name: a, allocatable: {}, count: 5001}]"), REBAL_EPARSE, 1, 5, "members[\"m1\"].nodes[0].count", "5000"},
    {M1("[{name: a, allocatable: {}}, {name: a, allocatable: {}}]"), REBAL_EEXIST, 1, 5, "members[\"m1\"].nodes[1]",
     "two nodes a"},
    {M1("[{name: a, allocatable: {cpu: much}}]"), REBAL_EPARSE, 1, 5, "members[\"m1\"].nodes[0]", ""},
    {M1("[{name: a, allocatable: {}, taints: 1}]"), REBAL_EPARSE, 1, 5, "members[\"m1\"].nodes[0]", ""},
};

START_TEST(test_refusals) {
  assert_refused(&refusals[_i]);
}
END_TEST

/* The summary of a member is the capacity of its nodes, from the start on; a member with no nodes has no capacity. */
START_TEST(test_summary) {
  assert_runs(
      HEAD("members:\n  m1: {nodes: [{name: w, count: 3, allocatable: {cpu: 1500m, pods: 2}}]}\n"
           "  m2: {nodes: []}\n") BARE("m1") BARE("m2") WORKLOAD("foo", "7", "100m", "") TO("foo", "m1, m2")
          STEP("s") "expect:\n" FIELD("kind: Cluster, name: m1", "status.resourceSummary.allocatable.cpu", "4500m")
              FIELD("kind: Cluster, name: m1", "status.resourceSummary.allocated.pods", "6")
                  FIELD("kind: Cluster, name: m1", "status.resourceSummary.allocating.cpu", "100m")
                      PODS("foo", "m1", "unschedulable: 1, nodes: {w-1: 2, w-2: 2, w-3: 2}")
                          PODS("foo", "m2", "unschedulable: 7, nodes: {}"));
}
END_TEST

START_TEST(test_members_by_name) {
  rebal_simulation *simulation = new_simulation(NULL);
  ck_assert_ptr_nonnull(rebali_member_make(&simulation->members, "b", NULL));
  ck_assert_ptr_nonnull(rebali_member_make(&simulation->members, "a", NULL));
  ck_assert_ptr_eq(rebali_member_make(&simulation->members, "b", NULL), rebali_member_find(&simulation->members, "b"));
  ck_assert_ptr_eq(rebali_member_find(&simulation->members, "a"), simulation->members.list[0]);
  ck_assert_ptr_null(rebali_member_find(&simulation->members, "c"));
  ck_assert_int_eq(rebali_member_is_lost(&simulation->members, "c"), 0);
  rebal_simulation_free(simulation);
}
END_TEST

UNIT_CASE(members) {
  TCase *cases = tcase_create("members");
  tcase_add_loop_test(cases, test_refusals, 0, (int)COUNT(refusals));
  tcase_add_test(cases, test_summary);
  tcase_add_test(cases, test_members_by_name);
  return cases;
}
