/* SPDX-License-Identifier: MIT */
#include "plan_members.h"

#define CLUSTERS PLAN_CLUSTER("m1") PLAN_CLUSTER("m2")
#define WEB(clusters, weight1, weight2) \
  BINDING("web", "apps/v1", "Deployment", "4", clusters, weight1, weight2)
#define LEAVING CLUSTERS WEB(IN("m1", "4"), "1", "1")                          /* 4 -> 2 */
#define ALL_LEAVE CLUSTERS WEB(IN("m1", "4"), "0", "1")                        /* 4 -> 0 */
#define ARRIVING CLUSTERS WEB(IN("m1", "1") ", " IN("m2", "3"), "1", "0")      /* 1 -> 4 */
#define FIRST_ARRIVE CLUSTERS WEB(IN("m2", "4"), "1", "1")                     /* 0 -> 2 */
#define TEMPLATE "template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c}]}}"
#define SELECTOR "selector: {matchLabels: {app: web}}"
#define DEPLOYMENT(replicas)                                                                                     \
  "---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: default, uid: d}, spec: "        \
  "{replicas: " replicas ", " SELECTOR ", " TEMPLATE "}}\n"
#define SET(name, replicas)                                                                                      \
  "---\n{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: " name ", namespace: default, uid: s-" name      \
  ", labels: {app: web, pod-template-hash: " name "}, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, " \
  "name: web, uid: d, controller: true}]}, spec: {replicas: " replicas ", " SELECTOR ", " TEMPLATE "}}\n"
#define OF_SET(set) ", ownerReferences: [" OWNER("ReplicaSet", set, "s-" set) "]"
#define POD(name, owner, annotations)                                                                        \
  "---\n{apiVersion: v1, kind: Pod, metadata: {name: " name ", namespace: default, uid: u-" name             \
  ", labels: {app: web, pod-template-hash: one}" owner ", annotations: {" annotations "}}, spec: {nodeName: node}, " \
  "status: {phase: Running, conditions: [{type: Ready, status: 'True', lastTransitionTime: "                 \
  "2024-01-01T00:00:00Z}]}}\n"
#define COSTS(cost) "controller.kubernetes.io/pod-deletion-cost: '" cost "'"
#define IS_IN(subset) ", apps.kruise.io/matched-workloadspread: '{\"name\":\"ws\",\"subset\":\"" subset "\"}'"
#define PODS                                                                                             \
  POD("a", OF_SET("one"), COSTS("200") IS_IN("near")) POD("b", OF_SET("one"), COSTS("100") IS_IN("far")) \
  POD("c", OF_SET("one"), COSTS("200") IS_IN("near")) POD("d", OF_SET("one"), COSTS("-100"))
#define SPREAD(kind, near)                                                                                    \
  "---\n{apiVersion: apps.kruise.io/v1beta1, kind: WorkloadSpread, metadata: {name: ws, namespace: default}, " \
  "spec: {targetRef: {apiVersion: apps/v1, kind: " kind ", name: web}, subsets: [{name: near" near               \
  "}, {name: far}]}}\n"
#define MAX(replicas) ", maxReplicas: " replicas
#define SETTLED DEPLOYMENT("4") SET("one", "4") PODS SPREAD("Deployment", MAX("2"))

#define OF(api, kind, name, clusters, weight1, weight2) BINDING(name, api, kind, "4", clusters, weight1, weight2)
#define CHILD(name, api, kind, owner, more, ready)                                                                  \
  "---\n{apiVersion: v1, kind: Pod, metadata: {name: " name ", namespace: default, uid: u-" name                    \
  ", ownerReferences: [{apiVersion: " api ", kind: " kind ", name: " owner ", uid: o, controller: true}]" more      \
  "}, spec: {nodeName: node}, status: {phase: Running, conditions: [{type: Ready, status: '" ready                  \
  "', lastTransitionTime: 2024-01-01T00:00:00Z}]}}\n"
#define LARGE_SET(replicas)                                                                                    \
  "---\n{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db, namespace: default, uid: o}, spec: "     \
  "{replicas: " replicas ", " TEMPLATE "}}\n"
#define DB(name, ready) CHILD(name, "apps/v1", "StatefulSet", "db", "", ready)
#define KRUISE "apps.kruise.io/v1alpha1"
#define CLONES(replicas)                                                                                      \
  "---\n{apiVersion: " KRUISE ", kind: CloneSet, metadata: {name: cs, namespace: default, uid: o, generation: " \
  "1}, spec: {replicas: " replicas ", " TEMPLATE                                                              \
  "}, status: {observedGeneration: 1, updateRevision: cs-2}}\n"
#define CLONE(name, revision, more, ready) \
  CHILD(name, KRUISE, "CloneSet", "cs", ", labels: {controller-revision-hash: " revision more "}", ready)
#define TASK(name, cost) CHILD(name, "batch/v1", "Job", "job", ", annotations: {" COSTS(cost) "}", "True")
#define CLASSES "---\n{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1}\n"

static const struct {
  const char *objects, *member, *answer;
} cases[] = {
    /* cheaper ones first, each with its subset */
    {LEAVING, SETTLED, "leaves d, leaves b ws/1"},
    {ALL_LEAVE, SETTLED, "leaves d, leaves b ws/1, leaves a ws/0, leaves c ws/0"},
    /* the pod that the member runs beyond 4 is deleted first, whatever the plan does */
    {LEAVING, SETTLED POD("e", OF_SET("one"), COSTS("-200")), "leaves d, leaves b ws/1"},
    /* one of four pods is missing: of the three, one leaves */
    {LEAVING, DEPLOYMENT("4") SET("one", "4") POD("a", OF_SET("one"), COSTS("2")) POD("b", OF_SET("one"), COSTS("1"))
     POD("c", OF_SET("one"), COSTS("3")), "leaves b, leaves-unknown"},
    /* all of them leave, whatever a rolling update does */
    {ALL_LEAVE, DEPLOYMENT("4") SET("one", "1") SET("two", "1") POD("a", OF_SET("two"), "x: z")
     POD("b", OF_SET("one"), "x: z") POD("c", OF_SET("two"), "x: z") POD("d", OF_SET("two"), "x: z"),
     "leaves b, leaves a, leaves c, leaves d"},
    {LEAVING, DEPLOYMENT("4") SET("one", "1") SET("two", "3") POD("a", OF_SET("two"), "x: z")
     POD("b", OF_SET("one"), "x: z") POD("c", OF_SET("two"), "x: z") POD("d", OF_SET("two"), "x: z"),
     "leaves-unknown, leaves-unknown"},
    /* a rolling update: its controller decides */
    {LEAVING, DEPLOYMENT("4") SET("one", "2") SET("two", "2") PODS, "leaves-unknown, leaves-unknown"},
    {LEAVING, SPREAD("Deployment", ""), "leaves-unknown, leaves-unknown"},
    /* a subset that no longer exists, and an annotation that is not JSON */
    {LEAVING, DEPLOYMENT("4") SET("one", "4") POD("a", OF_SET("one"), COSTS("1") IS_IN("past"))
     POD("b", OF_SET("one"), COSTS("2") ", apps.kruise.io/matched-workloadspread: near") POD("c", OF_SET("one"), "x: z")
     POD("d", OF_SET("one"), COSTS("3")) SPREAD("Deployment", ""), "leaves c, leaves a"},
    /* each new pod counts for the next one */
    {ARRIVING, DEPLOYMENT("1") SET("one", "1") SPREAD("Deployment", MAX("2")) POD("a", OF_SET("one"), "x: z"),
     "in-subset ws/0, in-subset ws/0, in-subset ws/1"},
    /* a percentage applies to the planned replicas: half of 4, not of 1 */
    {ARRIVING, DEPLOYMENT("1") SET("one", "1") SPREAD("Deployment", MAX("50%")) POD("a", OF_SET("one"), "x: z"),
     "in-subset ws/0, in-subset ws/0, in-subset ws/1"},
    /* missing pods are created first: the first of three places is not for the plan */
    {ARRIVING, DEPLOYMENT("1") SET("one", "1") SPREAD("Deployment", MAX("2")),
     "in-subset ws/0, in-subset ws/1, in-subset ws/1"},
    {ARRIVING, DEPLOYMENT("1") SET("one", "1") POD("a", OF_SET("one"), "x: z") POD("b", OF_SET("one"), "x: z")
     SPREAD("Deployment", MAX("1")), "runs, in-subset ws/0, in-subset ws/1"},
    {ARRIVING, DEPLOYMENT("1") SET("one", "1") POD("a", OF_SET("one"), "x: z"), "no-spread, no-spread, no-spread"},
    {ARRIVING, DEPLOYMENT("1") SET("one", "1") POD("a", OF_SET("one"), "x: z") SPREAD("CloneSet", ""),
     "no-spread, no-spread, no-spread"},
    /* the workload is new in the cluster, and the store has its template, or does not have it */
    {FIRST_ARRIVE DEPLOYMENT("4"), SPREAD("Deployment", MAX("1")), "in-subset ws/0, in-subset ws/1"},
    {FIRST_ARRIVE, SPREAD("Deployment", MAX("1")), "unknown, unknown"},
    /* a workload of another group does not belong to the binding */
    {LEAVING, "---\n{apiVersion: example.com/v1, kind: Deployment, metadata: {name: web, namespace: default, uid: d}, "
     "spec: {replicas: 4}}\n" PODS, "leaves-unknown, leaves-unknown"},
    /* no subset has capacity; the template names a class that does not exist */
    {FIRST_ARRIVE DEPLOYMENT("4"), "---\n{apiVersion: apps.kruise.io/v1beta1, kind: WorkloadSpread, metadata: {name: "
     "ws, namespace: default}, spec: {targetRef: {apiVersion: apps/v1, kind: Deployment, name: web}, subsets: [{name: "
     "near, maxReplicas: 1}, {name: far, maxReplicas: 0}]}}\n", "in-subset ws/0, no-subset"},
    {FIRST_ARRIVE "---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: default}, spec: "
     "{template: {spec: {priorityClassName: low, containers: [{name: c}]}}}}\n", CLASSES, "refused, waits"},
    /* the highest ordinals leave, even if one waits for a pod that is not ready; the lowest free ones arrive */
    {CLUSTERS OF("apps/v1", "StatefulSet", "db", IN("m1", "4"), "1", "1"),
     LARGE_SET("4") DB("db-0", "True") DB("db-1", "True") DB("db-2", "False") DB("db-3", "False"),
     "leaves db-3, leaves db-2"},
    {CLUSTERS OF("apps/v1", "StatefulSet", "db", IN("m1", "2") ", " IN("m2", "2"), "1", "0"),
     LARGE_SET("2") DB("db-0", "True") DB("db-1", "True")
     "---\n{apiVersion: apps.kruise.io/v1beta1, kind: WorkloadSpread, metadata: {name: ws, namespace: default}, spec: "
     "{targetRef: {apiVersion: apps/v1, kind: StatefulSet, name: db}, subsets: [{name: near, maxReplicas: 3}, "
     "{name: far}]}}\n", "in-subset ws/0, in-subset ws/1"},
    {CLUSTERS OF("apps/v1", "StatefulSet", "db", IN("m1", "1") ", " IN("m2", "3"), "1", "0"),
     LARGE_SET("1") DB("db-0", "True") DB("db-7", "True"), "no-spread, no-spread, no-spread"},
    /* the marked pod leaves first, then the one of the former revision */
    {CLUSTERS OF(KRUISE, "CloneSet", "cs", IN("m1", "4"), "1", "1"),
     CLONES("4") CLONE("a", "cs-2", "", "True") CLONE("b", "cs-1", "", "True") CLONE("c", "cs-2", "", "True")
     CLONE("d", "cs-2", ", apps.kruise.io/specified-delete: 'true'", "True"), "leaves d, leaves b"},
    /* pods that are not available leave first */
    {CLUSTERS OF(KRUISE, "CloneSet", "cs", IN("m1", "4"), "1", "3"),
     CLONES("4") CLONE("a", "cs-2", "", "True") CLONE("b", "cs-2", "", "True") CLONE("c", "cs-2", "", "False")
     CLONE("d", "cs-2", "", "False"), "leaves c, leaves d, leaves a"},
    /* a hook holds one that is being deleted, and no other leaves before it: the order is kept */
    {CLUSTERS OF(KRUISE, "CloneSet", "cs", IN("m1", "4"), "1", "1"),
     "---\n{apiVersion: " KRUISE ", kind: CloneSet, metadata: {name: cs, namespace: default, uid: o}, spec: {replicas: "
     "4, lifecycle: {preDelete: {finalizersHandler: [example.com/x]}}, " TEMPLATE "}}\n"
     CLONE("a", "cs-2", "", "True") CLONE("b", "cs-2", "", "True") CLONE("c", "cs-2", "", "True")
     CHILD("d", KRUISE, "CloneSet", "cs", ", finalizers: [example.com/x], labels: {controller-revision-hash: cs-2, "
     "lifecycle.apps.kruise.io/state: PreparingDelete}", "True"), "leaves d, leaves a"},
    /* a Job ignores deletion costs */
    {CLUSTERS OF("batch/v1", "Job", "job", IN("m1", "4"), "1", "1"),
     "---\n{apiVersion: batch/v1, kind: Job, metadata: {name: job, namespace: default, uid: o}, spec: "
     "{parallelism: 4, completions: 9, " TEMPLATE "}}\n" TASK("a", "9") TASK("b", "8") TASK("c", "7") TASK("d", "6"),
     "leaves a, leaves b"},
};

START_TEST(test_answers) {
  struct plan_world world;
  struct member_answer answer;
  struct rebali_buffer text = REBALI_BUFFER;
  open_plan_world(&world, cases[_i].objects, cases[_i].member);
  query_member(&world, &answer);
  print_answer(&world, &answer, &text);
  ck_assert_str_eq(rebali_printed(&text), cases[_i].answer);
  rebali_buffer_dispose(&text);
  close_plan_world(&world);
}
END_TEST

#define DB_LEAVES OF("apps/v1", "StatefulSet", "db", IN("m1", "3") ", " IN("m2", "1"), "1", "3")
#define MANY CLUSTERS WEB(IN("m1", "4"), "1", "1") DB_LEAVES

/* Rows have the binding's row of the plan and the rule that applied. */
START_TEST(test_several_bindings) {
  struct plan_world world;
  struct member_answer answer;
  open_plan_world(&world, MANY, SETTLED LARGE_SET("3") DB("db-0", "True") DB("db-1", "True") DB("db-2", "True"));
  query_member(&world, &answer);
  ck_assert_uint_eq(answer.n, 4);
  for (size_t i = 0; i < answer.n; i++) {
    const char *name = rebal_result_text(world.rows, REBAL_PLANNED_NAME, answer.bindings[i], NULL);
    ck_assert_str_eq(name, i < 2 ? "db" : "web");
  }
  ck_assert_uint_eq(answer.rules[0], REBAL_DELETION_RULE_NUMBERED);
  ck_assert_uint_eq(answer.rules[1], REBAL_DELETION_RULE_NOT_WANTED);
  ck_assert_uint_eq(answer.rules[2], REBAL_DELETION_RULE_CHEAPER);
  ck_assert_uint_eq(answer.rules[3], REBAL_DELETION_RULE_CHEAPER);
  close_plan_world(&world);
}
END_TEST

/* Writes up to the capacity and counts all. No store is changed, and arrays that were not passed are not written. */
START_TEST(test_capacity) {
  struct plan_world world;
  uint32_t states[2] = {0, 99};
  rebal_member_rows rows = {.struct_size = sizeof rows, .capacity = 1, .states = states};
  uint64_t before, after;
  open_plan_world(&world, LEAVING, SETTLED);
  before = rebal_store_change_count(world.member);
  ck_assert_int_eq(rebal_plan_member(world.plan, world.store, world.cluster, world.member, &member_now, NULL, &rows,
                                     NULL),
                   REBAL_OK);
  after = rebal_store_change_count(world.member);
  ck_assert_uint_eq(rows.n, 2);
  ck_assert_uint_eq(states[0], REBAL_MEMBER_REPLICA_LEAVES);
  ck_assert_uint_eq(states[1], 99);
  ck_assert_uint_eq(before, after);
  /* a cluster in which the plan changes nothing */
  ck_assert_int_eq(rebal_plan_member(world.plan, world.store, 99, world.member, &member_now, NULL, &rows, NULL),
                   REBAL_OK);
  ck_assert_uint_eq(rows.n, 0);
  close_plan_world(&world);
}
END_TEST

/* In a store without the binding its workload is unknown. */
START_TEST(test_another_store) {
  struct plan_world world;
  struct member_answer answer;
  rebal_store *store;
  open_plan_world(&world, LEAVING, SETTLED);
  store = world.store;
  world.store = store_of(CLUSTERS);
  query_member(&world, &answer);
  ck_assert_uint_eq(answer.n, 2);
  ck_assert_uint_eq(answer.states[0], REBAL_MEMBER_REPLICA_LEAVES_UNKNOWN);
  rebal_store_free(store);
  close_plan_world(&world);
}
END_TEST

START_TEST(test_misuse) {
  struct plan_world world;
  rebal_member_rows rows = {.struct_size = sizeof rows};
  const rebal_time unset = {0, 0, 0}, late = {INT64_MAX, 0, 1};
  open_plan_world(&world, LEAVING, SETTLED);
  const rebal_plan *plan = world.plan;
  rebal_store *store = world.store, *member = world.member;
  ck_assert_int_eq(rebal_plan_member(NULL, store, 0, member, &member_now, NULL, &rows, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_plan_member(plan, NULL, 0, member, &member_now, NULL, &rows, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_plan_member(plan, store, 0, NULL, &member_now, NULL, &rows, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_plan_member(plan, store, 0, member, &member_now, NULL, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_plan_member(plan, store, 0, member, NULL, NULL, &rows, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_plan_member(plan, store, 0, member, &unset, NULL, &rows, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_plan_member(plan, store, 0, member, &late, NULL, &rows, NULL), REBAL_ERANGE);
  rows.flags = 1;
  ck_assert_int_eq(rebal_plan_member(plan, store, 0, member, &member_now, NULL, &rows, NULL), REBAL_EINVAL);
  rows = (rebal_member_rows){.struct_size = 4};
  ck_assert_int_eq(rebal_plan_member(plan, store, 0, member, &member_now, NULL, &rows, NULL), REBAL_EABI);
  close_plan_world(&world);
}
END_TEST

UNIT_CASE(plan_member) {
  TCase *tests = tcase_create("plan_member");
  tcase_add_loop_test(tests, test_answers, 0, COUNT(cases));
  tcase_add_test(tests, test_several_bindings);
  tcase_add_test(tests, test_capacity);
  tcase_add_test(tests, test_another_store);
  tcase_add_test(tests, test_misuse);
  return tests;
}
