/* SPDX-License-Identifier: MIT */
#include "spreading.h"

#define CLASS(name, number) \
  "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: " name "}\nvalue: " number "\n"
#define NAMED(more) "replicas: 1, template: {metadata: {labels: {app: a}}, spec: {" more "containers: [{name: c}]}}"
#define POD_HAS(path, value) "- {object: {kind: Pod, name: rs-aaaaa}, field: " path ", equals: \"" value "\"}\n"

START_TEST(test_numbers) {
  assert_runs(OWN_HEAD("") CLASS("high", "7") REPLICA_SET("rs", NAMED("priorityClassName: high, "))
                  STEP("s") "expect:\n" POD_HAS("spec.priority", "7"));
  assert_runs(OWN_HEAD("") CLASS("high", "7") REPLICA_SET("rs", NAMED(""))
                  STEP("s") "expect:\n" POD_HAS("spec.priority", "0"));
  assert_runs(OWN_HEAD("") REPLICA_SET("rs", NAMED("priority: 3, "))
                  STEP("s") "expect:\n" POD_HAS("spec.priority", "3"));
}
END_TEST

/* A number that is not that of the class, and a class that is not there, let no pod come. */
START_TEST(test_refused) {
  static const char *const claims[] = {
      OWN_HEAD("") CLASS("high", "7") REPLICA_SET("rs", NAMED("priorityClassName: high, priority: 8, "))
          STEP("s") "expect:\n" POD_IS_GONE("rs-aaaaa"),
      OWN_HEAD("") CLASS("high", "7") REPLICA_SET("rs", NAMED("priorityClassName: low, "))
          STEP("s") "expect:\n" POD_IS_GONE("rs-aaaaa")};
  static const char *const refusals[] = {
      "the integer value of priority (8) must not be provided in pod spec; priority admission controller computed 7 "
      "from the given PriorityClass name",
      "no PriorityClass with name low was found"};
  for (size_t i = 0; i < COUNT(claims); i++) {
    rebal_simulation *simulation = run_scenario(claims[i]);
    ck_assert_uint_ge(count_reasons(simulation, "workloads", refusals[i]), 1);
    rebal_simulation_free(simulation);
  }
}
END_TEST

UNIT_CASE(pod_priority) {
  TCase *cases = tcase_create("pod_priority");
  tcase_add_test(cases, test_numbers);
  tcase_add_test(cases, test_refused);
  return cases;
}
