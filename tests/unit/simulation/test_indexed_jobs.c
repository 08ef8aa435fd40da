/* SPDX-License-Identifier: MIT */
#include "owning.h"

#define INDEXED "completionMode: Indexed, "
#define JOB(spec) OBJECT("batch/v1", "Job", "j", INDEXED spec ", " TEMPLATE("a"))
#define JOB_NOW(spec) APPLY("batch/v1", "Job", "j", INDEXED spec ", " TEMPLATE("a"))
#define PODS(counts) "expect:\n" OWN_PODS("Job", "j", BY_NAME(counts))
#define POD_OF_JOB(name, more)                                                                             \
  "---\n{apiVersion: v1, kind: Pod, metadata: {name: " name                                                \
  ", ownerReferences: [{apiVersion: batch/v1, kind: Job, name: j, uid: j, controller: true}]" more "}\n"
#define AT(index) ", annotations: {batch.kubernetes.io/job-completion-index: \"" index "\"}"

/* The lowest first, each once; a pod that is gone comes again with its index. */
START_TEST(test_made) {
  assert_runs(OWN_HEAD("") JOB("completions: 3, parallelism: 2") STEP("first") PODS("j-0-aaaaa: 1, j-1-aaaab: 1")
                  "- {object: {kind: Pod, name: j-1-aaaab}, field: metadata.generateName, equals: j-1-}\n"
                  "- {object: {kind: Pod, name: j-1-aaaab}, field: "
                  "'metadata.annotations[\"batch.kubernetes.io/job-completion-index\"]', equals: \"1\"}\n"
                  "- {object: {kind: Pod, name: j-1-aaaab}, field: "
                  "'metadata.labels[\"batch.kubernetes.io/job-completion-index\"]', equals: \"1\"}\n"
                  STEP("again") "delete: {kind: Pod, name: j-0-aaaaa}\n" PODS("j-0-aaaac: 1, j-1-aaaab: 1")
                      STEP("more") SCALE("Job", "j", "9") PODS("j-0-aaaac: 1, j-1-aaaab: 1, j-2-aaaad: 1")
                          STEP("fewer") JOB_NOW("completions: 2, parallelism: 9") PODS("j-0-aaaac: 1, j-1-aaaab: 1")
                              STEP("none") JOB_NOW("completions: 2, suspend: true") PODS(""));
}
END_TEST

/* Those that a pod had which succeeded, or that the Job lists, are done; one that failed is open. */
START_TEST(test_completed) {
  assert_runs(OWN_HEAD("") "---\n{apiVersion: batch/v1, kind: Job, metadata: {name: j, uid: j}, spec: {" INDEXED
                           "completions: 9, parallelism: 3, " TEMPLATE("a")
                           "}, status: {succeeded: 4, completedIndexes: \"0,2-3\"}}\n"
                           POD_OF_JOB("done", AT("4") "}, status: {phase: Succeeded}")
                           POD_OF_JOB("failed", AT("1") "}, status: {phase: Failed}")
                           STEP("s") PODS("j-1-aaaaa: 1, j-5-aaaab: 1, j-6-aaaac: 1"));
}
END_TEST

/* Pods without an index, with that of another, or with one beyond completions go though pods are not too many. */
START_TEST(test_odd) {
  static const char *const odd[] = {"", AT("5"), AT("-1"), AT("0")};
  char scenario[2048];
  for (size_t i = 0; i < COUNT(odd); i++) {
    (void)snprintf(scenario, sizeof scenario,
                   OWN_HEAD("") JOB("completions: 2, parallelism: 2") POD_OF_JOB("odd", "%s}")
                   POD_OF_JOB("zero", AT("0") "}, spec: {nodeName: node-0}") STEP("s") PODS("j-1-aaaaa: 1, zero: 1"),
                   odd[i]);
    rebal_simulation *simulation = run_scenario(scenario);
    ck_assert_uint_eq(count_rows(simulation, "workloads", "1 pod deleted: odd"), 1);
    rebal_simulation_free(simulation);
  }
}
END_TEST

UNIT_CASE(indexed_jobs) {
  TCase *cases = tcase_create("indexed_jobs");
  tcase_add_test(cases, test_made);
  tcase_add_test(cases, test_completed);
  tcase_add_test(cases, test_odd);
  return cases;
}
