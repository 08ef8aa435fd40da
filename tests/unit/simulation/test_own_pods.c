/* SPDX-License-Identifier: MIT */
#include "owning.h"

#define POD(name, more) "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " name more "\n"
#define OF(uid) ", ownerReferences: [{apiVersion: v1, kind: Thing, name: t, uid: " uid ", controller: true}]}"
#define CONTAINERS "containers: [{name: c}]"

static const char pods[] =
    HEAD("") OBJECT("example.io/v1", "Thing", "t", "a: 1")
    POD("a-b-7", ", creationTimestamp: \"2023-12-31T00:00:00Z\", labels: {controller-revision-hash: r-1}, annotations: "
                 "{controller.kubernetes.io/pod-deletion-cost: \"-5\"}" OF("t"))
    "spec: {nodeName: node-0, " CONTAINERS "}\nstatus: {phase: Running, containerStatuses: [{restartCount: 2}, "
    "{restartCount: 5}, {name: c}], conditions: [{type: Initialized, status: \"False\"}, "
    "{type: Ready, status: \"True\", lastTransitionTime: \"2023-12-31T00:00:09Z\"}]}\n"
    POD("b-7c", OF("t")) "spec: {" CONTAINERS "}\nstatus: {phase: Succeeded}\n"
    POD("'8'", OF("former")) "spec: {" CONTAINERS "}\nstatus: {phase: Unknown}\n"
    POD("d-0", "}") "spec: {" CONTAINERS "}\nstatus: {phase: Failed, conditions: [{type: Ready, status: Unknown}]}\n"
    STEP("s") "expect:\n- {object: {kind: Pod, name: d-0}, field: kind, equals: Pod}\n";

static const struct rebali_pod *pod_of(rebal_simulation *simulation, const char *pod) {
  const uint32_t object = rebali_find_object(&simulation->server, "Pod", "default", pod);
  const struct rebali_pod *found = rebali_own_pod(&simulation->own, object);
  ck_assert_msg(found != NULL, "%s does not exist", pod);
  return found;
}

/* Pods without controllers. */
static rebal_simulation *run_pods(void) {
  rebal_simulation *simulation = run_scenario(pods);
  ck_assert_int_eq(rebali_own_open(&simulation->own, &simulation->core, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_own_update(&simulation->own, NULL), REBAL_OK);
  return simulation;
}

/* The fields of pods; missing ones count as the lowest values. */
START_TEST(test_listed) {
  static const struct {
    const char *pod;
    int is_done, has_node, is_ready, phase, ordinal;
    const char *revision;
  } cases[] = {{"a-b-7", 0, 1, 1, 2, -1, "r-1"},
               {"b-7c", 1, 0, 0, 0, -1, ""},
               {"8", 0, 0, 0, 1, -1, ""},
               {"d-0", 1, 0, 0, 0, -1, ""}};
  rebal_simulation *simulation = run_pods();
  struct rebali_own *own = &simulation->own;
  const uint32_t thing = rebal_store_find(simulation->server.store, "Thing", 5, "", 0, "t", 1);
  for (size_t i = 0; i < COUNT(cases); i++) {
    const struct rebali_pod *pod = pod_of(simulation, cases[i].pod);
    ck_assert_msg(pod->is_done == cases[i].is_done && pod->has_node == cases[i].has_node &&
                      pod->is_ready == cases[i].is_ready && pod->phase == cases[i].phase,
                  "state of %s", cases[i].pod);
    ck_assert_int_eq(pod->ordinal, cases[i].ordinal);
    ck_assert_str_eq(pod->revision, cases[i].revision);
  }
  ck_assert_uint_eq(rebali_pods_of(own, thing)->n, 2);
  ck_assert_uint_lt(rebali_pods_of(own, thing)->list[0].object, rebali_pods_of(own, thing)->list[1].object);
  ck_assert_uint_eq(own->orphans.n, 1);
  ck_assert_uint_eq(own->loose.n, 1);
  rebal_simulation_free(simulation);
}
END_TEST

/*
 * Pods whose owner is deleted are orphans until it is back. A deleted pod is in no list; a changed one is read again.
 */
START_TEST(test_updated) {
  static const char patch[] = "{status: {phase: Succeeded}}", back[] = OBJECT("example.io/v1", "Thing", "t", "a: 1");
  rebal_simulation *simulation = run_pods();
  struct rebali_own *own = &simulation->own;
  rebal_store *store = simulation->server.store;
  const uint32_t thing = rebal_store_find(store, "Thing", 5, "", 0, "t", 1);
  const uint32_t pod = pod_of(simulation, "a-b-7")->object, loose = pod_of(simulation, "d-0")->object;
  ck_assert_int_eq(rebal_store_patch(store, pod, patch, strlen(patch), &simulation->server.now, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_remove(store, loose, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_own_update(own, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_own_pod(own, pod)->is_done, 1);
  ck_assert_ptr_null(rebali_own_pod(own, loose));
  ck_assert_uint_eq(own->loose.n, 0);
  ck_assert_int_eq(rebal_store_remove(store, thing, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_own_update(own, NULL), REBAL_OK);
  ck_assert_uint_eq(own->orphans.n, 3);
  ck_assert_uint_eq(rebali_pods_of(own, thing)->n, 0);
  ck_assert_int_eq(rebal_store_apply(store, back, strlen(back), &simulation->server.now, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_own_update(own, NULL), REBAL_OK);
  ck_assert_uint_eq(own->orphans.n, 1);
  ck_assert_uint_eq(rebali_pods_of(own, rebal_store_find(store, "Thing", 5, "", 0, "t", 1))->n, 2);
  rebal_simulation_free(simulation);
}
END_TEST

START_TEST(test_times) {
  rebal_simulation *simulation = run_pods();
  const struct rebali_pod *pod = pod_of(simulation, "a-b-7");
  ck_assert_int_eq(pod->created.is_set && pod->ready_since.is_set, 1);
  ck_assert_int_eq(pod->ready_since.seconds - pod->created.seconds, 9);
  ck_assert_int_eq(pod_of(simulation, "d-0")->ready_since.is_set, 0);
  rebal_simulation_free(simulation);
}
END_TEST

#define POD_FIELD(pod, path, value) "- {object: {kind: Pod, name: " pod "}, field: \"" path "\", equals: " value "}\n"

/* The labels of the template, those of the owner, and the owner reference. */
START_TEST(test_made) {
  assert_runs(OWN_HEAD("") STATEFUL_SET("s", TEMPLATE("i")) STEP("s") "expect:\n"
      POD_FIELD("s-0", "metadata.labels.app", "a")
      POD_FIELD("s-0", "metadata.labels[\\\"statefulset.kubernetes.io/pod-name\\\"]", "s-0")
      POD_FIELD("s-0", "metadata.ownerReferences[0].uid", "s")
      POD_FIELD("s-0", "metadata.ownerReferences[0].kind", "StatefulSet")
      POD_FIELD("s-0", "metadata.ownerReferences[0].blockOwnerDeletion", "true")
      POD_FIELD("s-0", "metadata.uid", "pod-1") POD_FIELD("s-0", "spec.containers[0].image", "i"));
}
END_TEST

#define CLASS(name) "apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: " name "}, value: 7"

/* Tried at once and 1, 3 and 7 seconds later, until one is admitted. */
START_TEST(test_refused) {
  rebal_simulation *simulation = run_scenario(
      OWN_HEAD("") "---\n{" CLASS("early") "}\n" REPLICA_SET(
          "rs", "selector: {matchLabels: {app: a}}, template: {metadata: {labels: {app: a}}, "
                "spec: {priorityClassName: late, containers: [{name: c, image: i}]}}")
      STEP("s") "advance: 10s\nexpect:\n" OWN_PODS("ReplicaSet", "rs", "counts: {}, by: metadata.name") STEP("t")
      "apply: {" CLASS("late") "}\n"
      "advance: 1m\nexpect:\n" OWN_PODS("ReplicaSet", "rs", "ready: 1"));
  ck_assert_uint_eq(count_rows(simulation, "workloads", "a pod was refused"), 4);
  ck_assert_str_eq(time_of(simulation, "workloads", "1 pod created"), "2024-01-01T00:00:15Z");
  rebal_simulation_free(simulation);
}
END_TEST

/* The limit of the head has precedence over that of the caller. Deleted pods no longer count. */
START_TEST(test_limit) {
  static const struct {
    const char *text;
    uint64_t max_pods;
    int32_t code;
  } cases[] = {
      {OWN_HEAD("maxPods: 3\n") REPLICA_SET("rs", "replicas: 2147483647, " TEMPLATE("a")), 0, REBAL_ELIMIT},
      {OWN_HEAD("") REPLICA_SET("rs", "replicas: 2147483647, " TEMPLATE("a")), 3, REBAL_ELIMIT},
      {OWN_HEAD("maxPods: 4\n") REPLICA_SET("rs", "replicas: 4, " TEMPLATE("a")), 3, REBAL_OK},
      {OWN_HEAD("maxPods: 4\n") REPLICA_SET("rs", "replicas: 4, " TEMPLATE("a")) STEP("down")
           SCALE("ReplicaSet", "rs", "0") "advance: 1m\n" STEP("up") SCALE("ReplicaSet", "rs", "4"), 0, REBAL_OK}};
  const rebal_simulation_opts opts = {.struct_size = sizeof opts, .max_pods = cases[_i].max_pods};
  rebal_simulation *simulation = new_simulation(&opts);
  rebal_error err = REBAL_ERROR_INIT;
  ck_assert_int_eq(rebal_simulation_run(simulation, cases[_i].text, strlen(cases[_i].text), REBAL_LOG_FORMAT_TABLE,
                                        NULL, NULL, &err),
                   cases[_i].code);
  if (cases[_i].code == REBAL_ELIMIT) {
    ck_assert_str_eq(err.message, "workloads have at most 3 pods (maxPods)");
  }
  rebal_simulation_free(simulation);
}
END_TEST

static uint32_t find(const rebal_simulation *simulation, const char *kind, const char *object) {
  return rebal_store_find(simulation->server.store, kind, strlen(kind), "default", 7, object, strlen(object));
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
  const uint32_t thing = rebal_store_find(simulation->server.store, "Thing", 5, "", 0, "t", 1);
  for (size_t i = 0; i < COUNT(cases); i++) {
    const int64_t share = rebali_field_share(&simulation->server, thing, cases[i].path, "50%", cases[i].total,
                                             cases[i].is_rounded_up);
    ck_assert_msg(share == cases[i].share, "%s: %lld", cases[i].path, (long long)share);
  }
  rebal_simulation_free(simulation);
}
END_TEST

/* Different texts have different hashes; equal texts have equal ones. */
START_TEST(test_hashes) {
  static const char *const texts[] = {"null", "{a: 1}", "{b: 1}", "{a: 2}", "{a: 1, b: 1}"};
  char hashes[COUNT(texts)][REBALI_HASH], again[REBALI_HASH];
  for (size_t i = 0; i < COUNT(texts); i++) {
    rebal_document *document = NULL;
    ck_assert_int_eq(rebal_document_read(texts[i], REBAL_TERMINATED, NULL, &document, NULL), REBAL_OK);
    ck_assert_int_eq(rebali_template_hash(rebal_document_value(document, ""), hashes[i], NULL), REBAL_OK);
    ck_assert_int_eq(rebali_template_hash(rebal_document_value(document, ""), again, NULL), REBAL_OK);
    rebal_document_free(document);
    ck_assert_str_eq(hashes[i], again);
    ck_assert_uint_eq(strspn(hashes[i], "bcdfghjklmnpqrstvwxz2456789"), 10);
    for (size_t j = 0; j < i; j++) {
      ck_assert_str_ne(hashes[i], hashes[j]);
    }
  }
}
END_TEST

/* An owner is matched by the uid of the reference, not by name alone; references without controller do not count. */
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
  const uint32_t thing = rebal_store_find(simulation->server.store, "Thing", 5, "", 0, "t", 1);
  for (size_t i = 0; i < COUNT(cases); i++) {
    const uint32_t pod = find(simulation, "Pod", cases[i].pod);
    int is_orphan = 0;
    ck_assert_uint_eq(rebali_controller_of(&simulation->server, pod, &is_orphan),
                      cases[i].is_owned ? thing : REBAL_NONE);
    ck_assert_int_eq(is_orphan, cases[i].is_orphan);
  }
  rebal_simulation_free(simulation);
}
END_TEST

/* Names that are not valid in Kubernetes are written as they are. */
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

/* A workload of a cluster, with the status of its controller, and one of its pods. */
#define KNOWN(api, kind, generations)                                                                            \
  "---\napiVersion: " api "\nkind: " kind "\nmetadata: {name: w, uid: w, generation: 3}\nspec: {" TEMPLATE("a") \
  "}\nstatus: {" generations "updateRevision: w-5d8f}\n"                                                        \
  "---\napiVersion: v1\nkind: Pod\nmetadata: {name: w-0, uid: p, labels: {controller-revision-hash: w-5d8f}, "  \
  "ownerReferences: [{apiVersion: " api ", kind: " kind ", name: w, uid: w, controller: true}]}\n"              \
  "spec: {nodeName: node-0, containers: [{name: c, image: a}]}\n"                                               \
  "status: {phase: Running, conditions: [{type: Ready, status: \"True\"}]}\n"
#define BY_REVISION(kind, counts) \
  OWN_PODS(kind, "w", "by: \"metadata.labels[\\\"controller-revision-hash\\\"]\", counts: {" counts "}")
/* Its pod stays; with another template it is replaced, and with the first one again the first revision is back. */
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

/* A status that is older than the spec belongs to another template. */
START_TEST(test_stale_revision) {
  rebal_simulation *simulation =
      run_scenario(OWN_HEAD("") KNOWN("apps/v1", "StatefulSet", "observedGeneration: 2, ") STEP("s")
                       "advance: 1m\nexpect:\n" OWN_PODS("StatefulSet", "w", "ready: 1, " BY_NAME("w-0: 1")));
  ck_assert_uint_eq(count_rows(simulation, "workloads", "1 pod deleted: w-0"), 1);
  rebal_simulation_free(simulation);
}
END_TEST

UNIT_CASE(own_pods) {
  TCase *cases = tcase_create("own_pods");
  tcase_add_test(cases, test_listed);
  tcase_add_test(cases, test_updated);
  tcase_add_test(cases, test_times);
  tcase_add_test(cases, test_made);
  tcase_add_test(cases, test_refused);
  tcase_add_loop_test(cases, test_limit, 0, 4);
  tcase_add_test(cases, test_shares);
  tcase_add_test(cases, test_hashes);
  tcase_add_test(cases, test_owners);
  tcase_add_test(cases, test_odd_names);
  tcase_add_test(cases, test_known_revisions);
  tcase_add_test(cases, test_stale_revision);
  return cases;
}
