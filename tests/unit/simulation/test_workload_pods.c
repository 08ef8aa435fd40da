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

static const struct rebali_owned_pod *pod_of(const rebal_simulation *simulation, const struct rebali_owned_pods *list,
                                             const char *pod) {
  const uint32_t object = rebal_store_find(simulation->store, "Pod", 3, "default", 7, pod, strlen(pod));
  for (size_t i = 0; i < list->n; i++) {
    if (list->list[i].object == object) {
      return &list->list[i];
    }
  }
  ck_abort_msg("%s is not there", pod);
  return NULL;
}

/* What pods say of themselves; what they leave out is the least. */
START_TEST(test_listed) {
  static const struct {
    const char *pod;
    int is_owned, is_orphan, is_done, has_node, is_ready, phase, cost, restarts, ordinal, is_active;
    const char *revision;
  } cases[] = {{"a-b-7", 1, 0, 0, 1, 1, 2, -5, 5, 7, 1, "r-1"},
               {"b-7c", 1, 0, 1, 0, 0, 0, 0, 0, -1, 0, ""},
               {"8", 0, 1, 0, 0, 0, 1, 0, 0, -1, 0, ""},
               {"d-0", 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, ""}};
  rebal_simulation *simulation = run_scenario(pods);
  const uint32_t thing = rebal_store_find(simulation->store, "Thing", 5, "", 0, "t", 1);
  struct rebali_owned_pods list = {NULL, 0, 0};
  ck_assert_int_eq(rebali_owned_pods_list(simulation, &list, NULL), REBAL_OK);
  ck_assert_uint_eq(list.n, COUNT(cases));
  for (size_t i = 0; i < COUNT(cases); i++) {
    const struct rebali_owned_pod *pod = pod_of(simulation, &list, cases[i].pod);
    ck_assert_msg(pod->owner == (cases[i].is_owned ? thing : REBAL_NONE) && pod->is_orphan == cases[i].is_orphan &&
                      rebali_pod_is_of(pod, thing) == cases[i].is_active,
                  "owner of %s", cases[i].pod);
    ck_assert_msg(pod->is_done == cases[i].is_done && pod->has_node == cases[i].has_node &&
                      pod->is_ready == cases[i].is_ready && pod->phase == cases[i].phase,
                  "state of %s", cases[i].pod);
    ck_assert_msg(pod->cost == cases[i].cost && pod->restarts == cases[i].restarts && pod->ordinal == cases[i].ordinal,
                  "numbers of %s", cases[i].pod);
    ck_assert_str_eq(pod->revision, cases[i].revision);
    ck_assert_msg(i == 0 || list.list[i - 1].object < list.list[i].object, "order");
  }
  rebali_owned_pods_dispose(&list);
  ck_assert_ptr_null(list.list);
  rebal_simulation_free(simulation);
}
END_TEST

START_TEST(test_times) {
  rebal_simulation *simulation = run_scenario(pods);
  struct rebali_owned_pods list = {NULL, 0, 0};
  const struct rebali_owned_pod *pod;
  ck_assert_int_eq(rebali_owned_pods_list(simulation, &list, NULL), REBAL_OK);
  pod = pod_of(simulation, &list, "a-b-7");
  ck_assert_int_eq(pod->created.is_set && pod->ready_since.is_set, 1);
  ck_assert_int_eq(pod->ready_since.seconds - pod->created.seconds, 9);
  ck_assert_int_eq(pod_of(simulation, &list, "d-0")->ready_since.is_set, 0);
  rebali_owned_pods_dispose(&list);
  rebal_simulation_free(simulation);
}
END_TEST

#define POD_FIELD(pod, path, value) "- {object: {kind: Pod, name: " pod "}, field: \"" path "\", equals: " value "}\n"

/* The labels of the template, those of its owner beside them, and the reference to it. */
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

/* At once, and 1, 3, 7 seconds later; one that is let in ends it. */
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

/* Of the head and of the caller, who has the weaker word. Pods that are gone count no more. */
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

UNIT_CASE(workload_pods) {
  TCase *cases = tcase_create("workload_pods");
  tcase_add_test(cases, test_listed);
  tcase_add_test(cases, test_times);
  tcase_add_test(cases, test_made);
  tcase_add_test(cases, test_refused);
  tcase_add_loop_test(cases, test_limit, 0, 4);
  return cases;
}
