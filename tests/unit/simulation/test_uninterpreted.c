/* SPDX-License-Identifier: MIT */
#include "running.h"

#define FOOS "  apiEnablements: [{groupVersion: example.com/v1, resources: [{name: foos, kind: Foo}]}]\n"
#define MEMBER                                                                             \
  "---\napiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\nmetadata: {name: m1}\n" \
  "status:\n" FOOS "  resourceSummary: {allocatable: {cpu: \"1\", pods: \"100\"}}\n"
#define UNKNOWN(size)                                                                                       \
  "---\napiVersion: example.com/v1\nkind: Foo\nmetadata: {name: foo, namespace: default, uid: a}\nspec: {" \
  "size: " size "}\n"
#define DIVIDING                                                                                        \
  "---\napiVersion: policy.karmada.io/v1alpha1\nkind: PropagationPolicy\nmetadata: {name: pp}\nspec:\n" \
  "  resourceSelectors: [{apiVersion: example.com/v1, kind: Foo}]\n  placement: {replicaScheduling: "   \
  "{replicaSchedulingType: Divided}}\n"
#define BINDING(field, value)                                                                            \
  "expect:\n- object: {kind: ResourceBinding, namespace: default, name: foo-foo}\n  field: " field "\n" \
  "  equals: " value "\n"

static size_t notes(const char *scenario) {
  rebal_simulation *simulation = run_scenario(scenario);
  const size_t n = count_rows(simulation, "detector", "has no replicas");
  rebal_simulation_free(simulation);
  return n;
}

/* One note, whatever changes then. */
START_TEST(test_replicas_that_are_not_known) {
  ck_assert_uint_eq(notes(HEAD("") MEMBER UNKNOWN("3") DIVIDING STEP("edit")
                          "patch: {kind: Foo, namespace: default, name: foo, merge: {spec: {size: 5}}}\n"
                          BINDING("spec.resource.name", "foo")),
                    1);
}
END_TEST

START_TEST(test_a_path_to_them) {
  ck_assert_uint_eq(notes(HEAD("options: {replicasPaths: [Foo.example.com=spec.size]}\n") MEMBER UNKNOWN("3") DIVIDING
                              STEP("counted") BINDING("spec.replicas", "3")),
                    0);
}
END_TEST

static const char customizations[] = HEAD("")
    "---\napiVersion: config.karmada.io/v1alpha1\nkind: ResourceInterpreterCustomization\nmetadata: {name: c}\n"
    "spec: {target: {apiVersion: example.com/v1, kind: Foo}, customizations: {}}\n"
    "---\napiVersion: config.karmada.io/v1alpha1\nkind: ResourceInterpreterWebhookConfiguration\n"
    "metadata: {name: w}\nwebhooks: [{name: a, rules: [{kinds: [Bar], apiGroups: [example.com]}, {kinds: [Baz]}]}]\n"
    STEP("none") "advance: 1s\nexpect:\n- object: {kind: ResourceBinding, name: foo}\n  absent: true\n";

START_TEST(test_customizations_are_not_run) {
  rebal_simulation *simulation = run_scenario(customizations);
  ck_assert_uint_eq(count_rows(simulation, "detector", "is not run"), 3);
  rebal_simulation_free(simulation);
}
END_TEST

UNIT_CASE(uninterpreted) {
  TCase *cases = tcase_create("uninterpreted");
  tcase_add_test(cases, test_replicas_that_are_not_known);
  tcase_add_test(cases, test_a_path_to_them);
  tcase_add_test(cases, test_customizations_are_not_run);
  return cases;
}
