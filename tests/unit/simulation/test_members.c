/* SPDX-License-Identifier: MIT */
#include "running.h"

#define STATUS(index, field, value)                                                                             \
  "- object: {kind: ResourceBinding, name: foo-deployment}\n  field: status.aggregatedStatus[" index "]." field \
  "\n  equals: " value "\n"

START_TEST(test_each_member_has_its_pace) {
  assert_runs(HEAD("readyAfter: 5s\nmembers: {m2: {readyAfter: 20s}}\n") CLUSTER("m1") CLUSTER("m2") FOO("3")
                  POLICY("{" DYNAMIC "}") STEP("start") "expect:\n" STATUS("0", "health", "Unhealthy")
                      STATUS("0", "status.readyReplicas", "0") STATUS("0", "applied", "true")
                          STEP("m1") "after: 5s\nexpect:\n" STATUS("0", "health", "Healthy")
                              STATUS("0", "status.readyReplicas", "2") STATUS("1", "health", "Unhealthy")
                                  STEP("m2") "after: 15s\nexpect:\n" STATUS("1", "health", "Healthy"));
}
END_TEST

#define SCALE(replicas)                                                                     \
  STEP("to " replicas)                                                                      \
  "after: 5s\napply: {apiVersion: apps/v1, kind: Deployment, metadata: {name: foo}, spec: " \
  "{replicas: " replicas                                                                    \
  ", template: {spec: {containers: [{name: c, resources: {requests: {cpu: 100m}}}]}}}}\n"   \
  "expect:\n"

/* Those that are not ready go first. */
START_TEST(test_scaling) {
  assert_runs(HEAD("readyAfter: 10s\n") CLUSTER("m1") FOO("2") POLICY("{" DYNAMIC "}")
                  STEP("ready") "after: 10s\n" SCALE("5") STATUS("0", "status.readyReplicas", "2") SCALE("4")
                      STATUS("0", "status.readyReplicas", "2") STATUS("0", "status.replicas", "4") SCALE("1")
                          STATUS("0", "status.readyReplicas", "1") STATUS("0", "health", "Healthy"));
}
END_TEST

START_TEST(test_applied_everywhere) {
  assert_runs(BASIC STEP(
      "s") "expect:\n- object: {kind: ResourceBinding, name: foo-deployment}\n"
           "  field: status.conditions[1].type\n  equals: FullyApplied\n"
           "- object: {kind: Deployment, name: foo}\n"
           "  event: {reason: AggregateStatusSucceed, message: "
           "Update resourceBinding(default/foo-deployment) with AggregatedStatus successfully.}\n");
}
END_TEST

UNIT_CASE(members) {
  TCase *cases = tcase_create("members");
  tcase_add_test(cases, test_each_member_has_its_pace);
  tcase_add_test(cases, test_scaling);
  tcase_add_test(cases, test_applied_everywhere);
  return cases;
}
