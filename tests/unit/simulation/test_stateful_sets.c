/* SPDX-License-Identifier: MIT */
#include "owning.h"

#define DB(what) "expect:\n" OWN_PODS("StatefulSet", "db", what)
#define SET(image, more) APPLY("apps/v1", "StatefulSet", "db", more TEMPLATE(image))

/* One after another, each when the one before is ready; the last one is deleted first. */
START_TEST(test_in_order) {
  assert_runs(OWN_HEAD("") STATEFUL_SET("db", "replicas: 3, " TEMPLATE("a"))
                  STEP("a") "after: 9s\n" DB(BY_NAME("db-0: 1")) STEP("b") "after: 1s\n" DB(BY_NAME("db-0: 1, db-1: 1"))
                      STEP("c") "after: 20s\n" DB("ready: 3") STEP("less") SCALE("StatefulSet", "db", "1")
                          DB(BY_NAME("db-0: 1"))
                              STEP("gone") "delete: {kind: Pod, name: db-0}\n" DB("ready: 0, " BY_NAME("db-0: 1")));
}
END_TEST

START_TEST(test_in_parallel) {
  assert_runs(OWN_HEAD("") STATEFUL_SET("db", "replicas: 3, ordinals: {start: 5}, podManagementPolicy: Parallel, "
      TEMPLATE("a"))
                  STEP("a") DB(BY_NAME("db-5: 1, db-6: 1, db-7: 1"))
                  "- {object: {kind: Pod, name: db-5}, field: "
                  "\"metadata.labels[\\\"statefulset.kubernetes.io/pod-name\\\"]\", "
                  "equals: db-5}\n");
}
END_TEST

#define ADVANCED "apps.kruise.io/v1beta1"
#define PARALLEL "podManagementPolicy: Parallel, "

/* In the Advanced StatefulSet, reserved ordinals are skipped and released again; it starts at 0. */
START_TEST(test_reserved) {
  static const char scenario[] =
      OWN_HEAD("") OBJECT(ADVANCED, "StatefulSet", "db",
                          "replicas: 2, ordinals: {start: 5}, reserveOrdinals: [1, '2-3'], " PARALLEL TEMPLATE("a"))
      STEP("a") DB(BY_NAME("db-0: 1, db-4: 1"))
      STEP("b") APPLY(ADVANCED, "StatefulSet", "db",
                      "replicas: 2, reserveOrdinals: [0, '2-3'], " PARALLEL TEMPLATE("a"))
      DB(BY_NAME("db-1: 1, db-4: 1"));
  assert_runs(scenario);
}
END_TEST

/* The one of Kubernetes has no reserved ordinals. */
START_TEST(test_not_reserved) {
  assert_runs(OWN_HEAD("") STATEFUL_SET("db", "replicas: 2, reserveOrdinals: [1], " PARALLEL TEMPLATE("a"))
                  STEP("a") DB(BY_NAME("db-0: 1, db-1: 1")));
}
END_TEST

/* From the last down to the partition, one at a time. */
START_TEST(test_update) {
  assert_runs(OWN_HEAD("") STATEFUL_SET("db", "replicas: 3, " TEMPLATE("a")) STEP("a") "after: 30s\n" DB("ready: 3")
                  STEP("by hand") SET("b", "replicas: 3, updateStrategy: {type: OnDelete}, ") "advance: 1m\n"
                      DB(BY_IMAGE("a: 3"))
                      STEP("update") SET("b", "replicas: 3, updateStrategy: {rollingUpdate: {partition: 1}}, ")
                          DB("ready: 2, " BY_IMAGE("a: 2, b: 1")) "- {object: {kind: Pod, name: db-2}, field: "
                                                                  "\"spec.containers[0].image\", equals: b}\n"
                          STEP("further") "advance: 10s\n" DB("ready: 2, " BY_IMAGE("a: 1, b: 2"))
                              STEP("end") "advance: 1m\n" DB("ready: 3, " BY_IMAGE("a: 1, b: 2")));
}
END_TEST

/* OpenKruise deletes a marked pod when all are ready, and creates it again; Kubernetes ignores the mark. */
START_TEST(test_marked) {
  static const char mark[] = "patch: {kind: Pod, name: db-0, merge: {metadata: {labels: "
                             "{apps.kruise.io/specified-delete: \"\"}}}}\n";
  char scenario[2048];
  const char *const apis[] = {"apps/v1", ADVANCED};
  for (size_t i = 0; i < COUNT(apis); i++) {
    (void)snprintf(scenario, sizeof scenario,
                   OWN_HEAD("") OBJECT("%s", "StatefulSet", "db", "replicas: 2, " TEMPLATE("a"))
                   STEP("a") "advance: 10s\n" DB("ready: 1") STEP("too early") "%s" DB("ready: 1")
                   STEP("up") "advance: 10s\n" DB("ready: %s") STEP("again") "advance: 10s\n" DB("ready: 2"),
                   apis[i], mark, i == 0 ? "2" : "1");
    rebal_simulation *simulation = run_scenario(scenario);
    ck_assert_uint_eq(count_rows(simulation, "workloads", "1 pod deleted: db-0"), i);
    rebal_simulation_free(simulation);
  }
}
END_TEST

/* It is deleted at once, though it has not been ready for minReadySeconds, and no timer would be due for it. */
START_TEST(test_min_ready) {
  assert_runs(OWN_HEAD("") STATEFUL_SET("db", "replicas: 2, minReadySeconds: 3600, " TEMPLATE("a"))
                  STEP("a") "advance: 20s\n" DB("ready: 2") STEP("less") SCALE("StatefulSet", "db", "1")
                      DB(BY_NAME("db-0: 1")));
}
END_TEST

UNIT_CASE(stateful_sets) {
  TCase *cases = tcase_create("stateful_sets");
  tcase_add_test(cases, test_in_order);
  tcase_add_test(cases, test_in_parallel);
  tcase_add_test(cases, test_reserved);
  tcase_add_test(cases, test_not_reserved);
  tcase_add_test(cases, test_update);
  tcase_add_test(cases, test_marked);
  tcase_add_test(cases, test_min_ready);
  return cases;
}
