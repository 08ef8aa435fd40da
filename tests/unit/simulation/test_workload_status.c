/* SPDX-License-Identifier: MIT */
#include "owning.h"

#define STATUS(kind, object, path, value) \
  "- {object: {kind: " kind ", name: " object "}, field: status." path ", equals: " value "}\n"
#define COUNTS(kind, object, replicas, ready, updated)                                     \
  STATUS(kind, object, "replicas", replicas) STATUS(kind, object, "readyReplicas", ready)  \
  STATUS(kind, object, "availableReplicas", ready) STATUS(kind, object, "updatedReplicas", updated)

/* Those of the template alone are updated, whichever of its ReplicaSets has the others. */
START_TEST(test_deployment) {
#define ROLLED(image) APPLY("apps/v1", "Deployment", "d", "replicas: 3, " TEMPLATE(image))
  assert_runs(OWN_HEAD("") DEPLOYMENT("d", "replicas: 3, " TEMPLATE("a")) STEP("new") "expect:\n"
      COUNTS("Deployment", "d", "3", "0", "3") STEP("ready") "advance: 1m\nexpect:\n"
      COUNTS("Deployment", "d", "3", "3", "3") STATUS("Deployment", "d", "observedGeneration", "1") STEP("update")
      ROLLED("b") "expect:\n" COUNTS("Deployment", "d", "4", "3", "1")
      STATUS("Deployment", "d", "observedGeneration", "2") STEP("done") "advance: 10m\nexpect:\n"
      COUNTS("Deployment", "d", "3", "3", "3"));
}
END_TEST

START_TEST(test_clone_set) {
#define KEPT(image) \
  APPLY("apps.kruise.io/v1alpha1", "CloneSet", "c", "replicas: 3, updateStrategy: {partition: 2}, " TEMPLATE(image))
  assert_runs(OWN_HEAD("") CLONE_SET("c", "replicas: 3, " TEMPLATE("a")) STEP("ready") "advance: 1m\nexpect:\n"
      COUNTS("CloneSet", "c", "3", "3", "3") STEP("update") KEPT("b") "expect:\n"
      COUNTS("CloneSet", "c", "3", "2", "1") STEP("kept") "advance: 1m\nexpect:\n"
      COUNTS("CloneSet", "c", "3", "3", "1"));
}
END_TEST

/* One that ended is none of its replicas; other members of the status stay. */
START_TEST(test_ended) {
  assert_runs(OWN_HEAD("") "---\napiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: r, uid: r}\n"
      "spec: {replicas: 2, " TEMPLATE("a") "}\nstatus: {replicas: 9, fullyLabeledReplicas: 8}\n"
      "---\napiVersion: v1\nkind: Pod\nmetadata: {name: ended, ownerReferences: [{apiVersion: apps/v1, "
      "kind: ReplicaSet, name: r, uid: r, controller: true}]}\nspec: {nodeName: node-0, containers: [{name: c}]}\n"
      "status: {phase: Succeeded, conditions: [{type: Ready, status: \"True\"}]}\n"
      STEP("s") "expect:\n" COUNTS("ReplicaSet", "r", "2", "0", "2")
      STATUS("ReplicaSet", "r", "fullyLabeledReplicas", "8"));
}
END_TEST

/* The same counts are not written again. */
START_TEST(test_unchanged) {
  rebal_simulation *simulation =
      run_scenario(OWN_HEAD("") STATEFUL_SET("w", TEMPLATE("a")) STEP("s") "advance: 1m\nexpect:\n"
                       COUNTS("StatefulSet", "w", "1", "1", "1"));
  const uint32_t workload = rebal_store_find(simulation->store, "StatefulSet", 11, "default", 7, "w", 1);
  struct rebali_owned_pods pods = {NULL, 0, 0};
  const struct rebali_owned_pods none = {NULL, 0, 0};
  const uint64_t changes = rebal_store_change_count(simulation->store);
  ck_assert_int_eq(rebali_owned_pods_list(simulation, &pods, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_workload_report(simulation, workload, &pods, NULL), REBAL_OK);
  ck_assert_uint_eq(rebal_store_change_count(simulation->store), changes);
  ck_assert_int_eq(rebali_workload_report(simulation, workload, &none, NULL), REBAL_OK);
  ck_assert_uint_gt(rebal_store_change_count(simulation->store), changes);
  ck_assert_int_eq(rebali_integer_or(simulation, workload, "status.updatedReplicas", -1), 0);
  rebali_owned_pods_dispose(&pods);
  rebal_simulation_free(simulation);
}
END_TEST

UNIT_CASE(workload_status) {
  TCase *cases = tcase_create("workload_status");
  tcase_add_test(cases, test_deployment);
  tcase_add_test(cases, test_clone_set);
  tcase_add_test(cases, test_ended);
  tcase_add_test(cases, test_unchanged);
  return cases;
}
