/* SPDX-License-Identifier: MIT */
#include "owning.h"

static uint32_t find(const rebal_simulation *simulation, const char *kind, const char *object) {
  return rebal_store_find(simulation->store, kind, strlen(kind), "default", 7, object, strlen(object));
}

START_TEST(test_shares) {
  static const struct {
    const char *path;
    int64_t total;
    int is_rounded_up;
    int64_t share;
  } cases[] = {{"spec.a", 10, 1, 3},  {"spec.a", 10, 0, 2}, {"spec.b", 10, 1, 7},
               {"spec.c", 10, 0, 5},  {"spec.d", 10, 0, 5}, {"spec.none", 4, 1, 2},
               {"spec.e", 10, 1, 20}, {"spec.f", 10, 1, 5}, {"spec.g", 10, 1, 5}};
  rebal_simulation *simulation =
      run_scenario(OWN_HEAD("") OBJECT("example.io/v1", "Thing", "t",
                                       "a: \"25%\", b: 7, c: \"x%\", d: -1, e: \"200%\", f: 9999999999, g: \"%\"")
                       STEP("s") "expect:\n- {object: {kind: Thing, name: t}, field: spec.b, equals: 7}\n");
  const uint32_t thing = rebal_store_find(simulation->store, "Thing", 5, "", 0, "t", 1);
  for (size_t i = 0; i < COUNT(cases); i++) {
    const int64_t share = rebali_share_of(simulation, thing, cases[i].path, rebali_slice("50%"), cases[i].total,
                                          cases[i].is_rounded_up);
    ck_assert_msg(share == cases[i].share, "%s: %lld", cases[i].path, (long long)share);
  }
  rebal_simulation_free(simulation);
}
END_TEST

/* Texts that differ have other hashes; the same one has the same. */
START_TEST(test_hashes) {
  static const char *const texts[] = {"", "a", "b", "ab", "ba"};
  char hashes[COUNT(texts)][11], again[11];
  for (size_t i = 0; i < COUNT(texts); i++) {
    rebali_template_hash(rebali_slice(texts[i]), hashes[i]);
    rebali_template_hash(rebali_slice(texts[i]), again);
    ck_assert_str_eq(hashes[i], again);
    ck_assert_uint_eq(strspn(hashes[i], "bcdfghjklmnpqrstvwxz2456789"), 10);
    for (size_t j = 0; j < i; j++) {
      ck_assert_str_ne(hashes[i], hashes[j]);
    }
  }
}
END_TEST

/* By the uid in the reference, not by name alone; references that control nothing do not count. */
START_TEST(test_owners) {
#define OWNED(name, uid, more)                             \
  "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " name \
  ", ownerReferences: [{apiVersion: v1, kind: Thing, name: t, uid: " uid more "}]}\nspec: {containers: [{name: c}]}\n"
  rebal_simulation *simulation =
      run_scenario(HEAD("") OBJECT("example.io/v1", "Thing", "t", "a: 1") OWNED("a", "t", ", controller: true")
                       OWNED("b", "other", ", controller: true") OWNED("c", "t", "")
                           STEP("s") "expect:\n- {object: {kind: Pod, name: a}, field: kind, equals: Pod}\n");
  static const struct {
    const char *pod;
    int is_owned, is_orphan;
  } cases[] = {{"a", 1, 0}, {"b", 0, 1}, {"c", 0, 0}};
  const uint32_t thing = rebal_store_find(simulation->store, "Thing", 5, "", 0, "t", 1);
  for (size_t i = 0; i < COUNT(cases); i++) {
    const uint32_t pod = find(simulation, "Pod", cases[i].pod);
    uint32_t owner = 0;
    int is_orphan = 0;
    ck_assert_int_eq(rebali_controller_of(simulation, pod, &owner, &is_orphan, NULL), REBAL_OK);
    ck_assert_uint_eq(owner, cases[i].is_owned ? thing : REBAL_NONE);
    ck_assert_int_eq(is_orphan, cases[i].is_orphan);
    ck_assert_int_eq(rebali_is_controlled(simulation, pod, thing), cases[i].is_owned);
  }
  rebal_simulation_free(simulation);
}
END_TEST

/* Names that are no names of Kubernetes are written as they are. */
START_TEST(test_odd_names) {
  static const char odd[] =
      OWN_HEAD("") "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: 'a\"\\'}\nspec: {" TEMPLATE("i") "}\n"
      "---\napiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: 'a\"\\'}\nspec: {" TEMPLATE("i") "}\n"
      STEP("s") "expect:\n"
      "- {object: {kind: Deployment, name: 'a\"\\'}, pods: {by: spec.nodeName, counts: {node-0: 1}}}\n"
      "- {object: {kind: StatefulSet, name: 'a\"\\'}, pods: {by: metadata.name, counts: {'a\"\\-0': 1}}}\n";
  assert_runs(odd);
}
END_TEST

/* A workload of a cluster, with what its controller wrote, and one of its pods. */
#define KNOWN(api, kind, generations)                                                                            \
  "---\napiVersion: " api "\nkind: " kind "\nmetadata: {name: w, uid: w, generation: 3}\nspec: {" TEMPLATE("a") \
  "}\nstatus: {" generations "updateRevision: w-5d8f}\n"                                                        \
  "---\napiVersion: v1\nkind: Pod\nmetadata: {name: w-0, uid: p, labels: {controller-revision-hash: w-5d8f}, "  \
  "ownerReferences: [{apiVersion: " api ", kind: " kind ", name: w, uid: w, controller: true}]}\n"              \
  "spec: {nodeName: node-0, containers: [{name: c, image: a}]}\n"                                               \
  "status: {phase: Running, conditions: [{type: Ready, status: \"True\"}]}\n"
#define BY_REVISION(kind, counts) \
  OWN_PODS(kind, "w", "by: \"metadata.labels[\\\"controller-revision-hash\\\"]\", counts: {" counts "}")
/* Its pod stays; with another template it goes, and with the first one again there is the first revision. */
#define KNOWN_RUNS(api, kind)                                                                                     \
  OWN_HEAD("")                                                                                                    \
  KNOWN(api, kind, "observedGeneration: 3, ")                                                                     \
  STEP("s") "advance: 1m\nexpect:\n- {object: {kind: Pod, name: w-0}, field: metadata.uid, equals: p}\n"         \
  "- {object: {kind: " kind ", name: w}, field: status.updateRevision, equals: w-5d8f}\n"                        \
  "- {object: {kind: " kind ", name: w}, field: status.updatedReplicas, equals: 1}\n" STEP("other")              \
      APPLY(api, kind, "w", "updateStrategy: {}, " TEMPLATE("b")) "advance: 1m\nexpect:\n"                       \
  OWN_PODS(kind, "w", BY_IMAGE("b: 1")) STEP("first") APPLY(api, kind, "w", "updateStrategy: {}, " TEMPLATE("a")) \
  "advance: 1m\nexpect:\n" BY_REVISION(kind, "w-5d8f: 1")

START_TEST(test_known_revisions) {
  rebal_simulation *simulation = run_scenario(KNOWN_RUNS("apps/v1", "StatefulSet"));
  ck_assert_uint_eq(count_rows(simulation, "workloads", "1 pod deleted: w-0"), 2);
  rebal_simulation_free(simulation);
  simulation = run_scenario(KNOWN_RUNS("apps.kruise.io/v1alpha1", "CloneSet"));
  ck_assert_uint_eq(count_rows(simulation, "workloads", "1 pod deleted"), 2);
  rebal_simulation_free(simulation);
}
END_TEST

/* A status that is older than the spec tells of another template. */
START_TEST(test_stale_revision) {
  rebal_simulation *simulation =
      run_scenario(OWN_HEAD("") KNOWN("apps/v1", "StatefulSet", "observedGeneration: 2, ") STEP("s")
                       "advance: 1m\nexpect:\n" OWN_PODS("StatefulSet", "w", "ready: 1, " BY_NAME("w-0: 1")));
  ck_assert_uint_eq(count_rows(simulation, "workloads", "1 pod deleted: w-0"), 1);
  rebal_simulation_free(simulation);
}
END_TEST

UNIT_CASE(workload_text) {
  TCase *cases = tcase_create("workload_text");
  tcase_add_test(cases, test_shares);
  tcase_add_test(cases, test_hashes);
  tcase_add_test(cases, test_owners);
  tcase_add_test(cases, test_odd_names);
  tcase_add_test(cases, test_known_revisions);
  tcase_add_test(cases, test_stale_revision);
  return cases;
}
