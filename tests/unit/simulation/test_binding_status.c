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

/* A report follows the first change after a delay and has the state at that time; later changes are in the next one. */
START_TEST(test_members_report_late) {
  assert_runs(HEAD("readyAfter: 7s\nreportAfter: 5s\nmembers: {m2: {reportAfter: 1m}}\n") CLUSTER("m1") CLUSTER("m2")
                  FOO("3") POLICY("{" DYNAMIC "}") STEP("given") "expect:\n" STATUS("0", "health", "Unknown")
                      STATUS("0", "status.replicas", "\"\"") STATUS("0", "applied", "true") STEP("reported")
                          "after: 5s\nexpect:\n" STATUS("0", "health", "Unhealthy") STATUS("0", "status.replicas", "2")
                              STEP("ready") "after: 6s\nexpect:\n" STATUS("0", "health", "Unhealthy")
                                  STEP("ready reported") "after: 1s\nexpect:\n" STATUS("0", "health", "Healthy")
                                      STATUS("1", "health", "Unknown") STEP("slow") "at: 59s\nexpect:\n"
                                          STATUS("1", "health", "Unknown") STEP("slow reported") "at: 60s\nexpect:\n"
                                              STATUS("1", "health", "Healthy"));
}
END_TEST

/* A lost member reports nothing; its delay starts again when it is back. */
START_TEST(test_a_lost_member_does_not_report) {
  assert_runs(HEAD("reportAfter: 5s\n") CLUSTER("m1") FOO("3") POLICY("{" DYNAMIC "}") STEP("lost")
                  "after: 4s\nclusterLost: {cluster: m1}\nadvance: 10s\nexpect:\n" STATUS("0", "health", "Unknown")
                      STEP("back") "clusterBack: {cluster: m1}\nadvance: 4s\nexpect:\n"
                          STATUS("0", "health", "Unknown") STEP("reported") "after: 1s\nexpect:\n"
                              STATUS("0", "status.replicas", "3"));
}
END_TEST

#define SCALE(replicas)                                                                     \
  STEP("to " replicas)                                                                      \
  "after: 5s\napply: {apiVersion: apps/v1, kind: Deployment, metadata: {name: foo}, spec: " \
  "{replicas: " replicas                                                                    \
  ", template: {spec: {containers: [{name: c, resources: {requests: {cpu: 100m}}}]}}}}\n"   \
  "expect:\n"

/* Pods that are not ready are removed first. */
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
           "Update Resource with AggregatedStatus successfully.}\n");
}
END_TEST

/* A binding of another scheduler, which stays as given. */
#define GIVEN(targets, tasks)                                                                                    \
  "---\napiVersion: work.karmada.io/v1alpha2\nkind: ResourceBinding\nmetadata: {name: foo-deployment}\nspec:\n"  \
  "  schedulerName: other\n  resource: {apiVersion: apps/v1, kind: Deployment, namespace: default, name: foo}\n" \
  "  replicas: 4\n  clusters: " targets "\n  gracefulEvictionTasks: " tasks "\n"

#define CONDITION_AT(index, status)                                                                         \
  "- object: {kind: ResourceBinding, name: foo-deployment}\n  field: status.conditions[" index "].status\n" \
  "  equals: \"" status "\"\n"
#define CONDITION(status) CONDITION_AT("1", status) /* after Scheduled */

/*
 * No member runs what is assigned to a missing cluster. Once the cluster exists, it runs the replicas, all are applied.
 */
START_TEST(test_a_missing_cluster) {
  assert_runs(HEAD("") CLUSTER("m1") GIVEN("[{name: m1, replicas: 2}, {name: m2, replicas: 2}]", "[]")
                  STEP("ready") "advance: 1m\nexpect:\n" STATUS("0", "clusterName", "m1")
                      STATUS("0", "status.readyReplicas", "2") STATUS("1", "clusterName", "\"\"")
                          CONDITION_AT("0", "False") STEP("m2 comes")
                  "apply: {apiVersion: cluster.karmada.io/v1alpha1, kind: Cluster, metadata: {name: m2}, spec: "
                  "{syncMode: Push}}\nexpect:\n" STATUS("1", "clusterName", "m2") STATUS(
                      "1", "status.readyReplicas", "0") STEP("later") "after: 10s\nexpect:\n"
                      STATUS("1", "status.readyReplicas", "2") STATUS("0", "status.readyReplicas", "2")
                          CONDITION_AT("0", "True"));
}
END_TEST

/* Without replicas nothing is applied. */
START_TEST(test_scaled_to_nothing) {
  assert_runs(BASIC STEP("all") "expect:\n" CONDITION("True") STEP("none")
                  "scale: {kind: Deployment, name: foo, replicas: 0}\nexpect:\n" CONDITION("False") STATUS(
                      "0", "clusterName", "\"\"") STEP("some") "scale: {kind: Deployment, name: foo, replicas: 1}\n"
                                                              "expect:\n" CONDITION("True"));
}
END_TEST

/* A lost cluster gets what was assigned to it when it is back. */
#define TOLERATED "{" DYNAMIC ", clusterTolerations: [{operator: Exists}]}"
START_TEST(test_a_lost_cluster_is_given_replicas) {
  assert_runs(HEAD("") CLUSTER("m1") CLUSTER("m2") STEP("lost") "clusterLost: {cluster: m2}\n" STEP("given")
                  "apply:\n- {apiVersion: apps/v1, kind: Deployment, metadata: {name: foo, namespace: default}, spec: "
                  "{replicas: 2, template: {spec: {containers: [{name: c}]}}}}\n- {apiVersion: "
                  "policy.karmada.io/v1alpha1, kind: PropagationPolicy, metadata: {name: p, namespace: default}, spec: "
                  "{resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}], placement: " TOLERATED
                  "}}\nadvance: 20s\nexpect:\n" STATUS("0", "applied", "true") STATUS("1", "clusterName", "m2")
                      STATUS("1", "applied", "false") STATUS("1", "health", "Unknown")
                          STATUS("1", "status.replicas", "\"\"") CONDITION("False") STEP("back")
                  "clusterBack: {cluster: m2}\nexpect:\n" STATUS("1", "applied", "true")
                      STATUS("1", "health", "Unhealthy") CONDITION("True"));
}
END_TEST

#define EDITED(spec)                                                                                  \
  "apply: {apiVersion: policy.karmada.io/v1alpha1, kind: PropagationPolicy, metadata: {name: pp}, " \
  "spec: {resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: foo}], " spec "}}\n"
#define ONLY(cluster) "placement: {clusterAffinity: {clusterNames: [" cluster "]}}"

#define SUSPENDED(suspension) EDITED("placement: {}, suspension: " suspension)

/* Works that are not dispatched stay as last applied, or are not applied. */
START_TEST(test_suspension_of_dispatching) {
  assert_runs(HEAD("") CLUSTER("m1") CLUSTER("m2") FOO("1") POLICY("{}") STEP("one") EDITED(ONLY("m1")) STEP("all")
                  SUSPENDED("{dispatching: true}") "scale: {kind: Deployment, name: foo, replicas: 2}\n"
                                                   "expect:\n" STATUS(
                      "0", "status.replicas", "1") STATUS("1", "applied", "false") STATUS("1", "health", "Unknown")
                      STEP("second") SUSPENDED("{dispatchingOnClusters: {clusterNames: [m3, m2]}}") "expect:\n" STATUS(
                          "0", "status.replicas", "2") STATUS("1", "applied", "false") CONDITION("False")
                          STEP("none") EDITED("placement: {}") "expect:\n" STATUS("1", "status.replicas", "2")
                              CONDITION("True"));
}
END_TEST

static const struct refusal refusals[] = {
    {HEAD("") GIVEN("[{name: m1, replicas: 2}, {name: m2, replicas: -1}]", "[]"), REBAL_ERANGE, 2, 12,
     "spec.clusters[1].replicas", "not negative"},
    {HEAD("") GIVEN("[]", "[{fromCluster: m2, replicas: -1}]"), REBAL_ERANGE, 2, 13,
     "spec.gracefulEvictionTasks[0].replicas", "not negative"},
    {HEAD("") "---\napiVersion: v1\nkind: List\nitems:\n- {apiVersion: work.karmada.io/v1alpha2, kind: "
              "ClusterResourceBinding, metadata: {name: a}}\n- {apiVersion: work.karmada.io/v1alpha2, kind: "
              "ClusterResourceBinding, metadata: {name: foo}, spec: {clusters: [{name: m1, replicas: -5}]}}\n",
     REBAL_ERANGE, 2, 9, "items[1].spec.clusters[0].replicas", "not negative"},
};

START_TEST(test_negative_replicas) {
  assert_refused(&refusals[_i]);
}
END_TEST

UNIT_CASE(binding_status) {
  TCase *cases = tcase_create("binding_status");
  tcase_add_test(cases, test_each_member_has_its_pace);
  tcase_add_test(cases, test_members_report_late);
  tcase_add_test(cases, test_a_lost_member_does_not_report);
  tcase_add_test(cases, test_scaling);
  tcase_add_test(cases, test_applied_everywhere);
  tcase_add_test(cases, test_a_missing_cluster);
  tcase_add_test(cases, test_scaled_to_nothing);
  tcase_add_test(cases, test_a_lost_cluster_is_given_replicas);
  tcase_add_test(cases, test_suspension_of_dispatching);
  tcase_add_loop_test(cases, test_negative_replicas, 0, (int)COUNT(refusals));
  return cases;
}
