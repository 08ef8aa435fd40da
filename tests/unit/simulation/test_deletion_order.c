/* SPDX-License-Identifier: MIT */
#include "running.h"

#define OWNER(kind, name, uid) "{kind: " kind ", name: " name ", uid: " uid ", controller: true}"
#define POD(name, owner, members)                                             \
  "---\n{apiVersion: v1, kind: Pod, metadata: {name: " name ", uid: u-" name \
  ", ownerReferences: [" owner "]" members "}\n"
#define LOOSE(name, members) "---\n{apiVersion: v1, kind: Pod, metadata: {name: " name ", uid: u-" name members "}\n"
#define READY_ON(node, since)                                                                       \
  "}, spec: {nodeName: " node "}, status: {phase: Running, conditions: [{type: Ready, status: 'True', " \
  "lastTransitionTime: " since "}]}"
#define READY(since) READY_ON("node", since)
#define PENDING "}, status: {phase: Pending}"
#define SET(name, more) "---\n{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: " name ", uid: " name more "}\n"
#define NEW OWNER("ReplicaSet", "new", "new")
#define OLD OWNER("ReplicaSet", "old", "old")
#define OF_D ", ownerReferences: [" OWNER("Deployment", "d", "d") "]"
#define WEB "labels: {app: web}"

static const char objects[] =
    "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, uid: d}}\n" SET(
        "new", OF_D "}, spec: {replicas: 1}") SET("old", OF_D "}, spec: {replicas: 0}")
        SET("none", "}")
    /* of one bucket, so that the uid decides */
    POD("b", NEW, READY("2024-01-01T00:00:00Z")) POD("a", NEW, READY("2024-01-01T00:00:09Z"))
    POD("late", OLD, READY("2024-01-01T11:59:59Z")) POD("waits", NEW, PENDING)
    POD("goes", NEW, ", deletionTimestamp: 2024-01-01T00:00:00Z" PENDING)
    POD("failed", NEW, "}, status: {phase: Failed}")
    POD("other", OWNER("ReplicaSet", "new", "another"), PENDING)
    SET("picky", "}, spec: {replicas: 1, selector: {matchLabels: {app: web}}}")
    POD("mine", OWNER("ReplicaSet", "picky", "picky"), ", " WEB READY("2024-01-01T00:00:00Z"))
    POD("changed", OWNER("ReplicaSet", "picky", "picky"), READY("2024-01-01T00:00:00Z"))
    LOOSE("orphan", ", " WEB PENDING);

static const char others[] =
    "{apiVersion: batch/v1, kind: Job, metadata: {name: j, uid: j}, spec: {parallelism: 9, suspend: true}}\n"
    POD("j-1", OWNER("Job", "j", "j"), ", annotations: {controller.kubernetes.io/pod-deletion-cost: '5'}"
        READY("2024-01-01T00:00:09Z"))
    POD("j-2", OWNER("Job", "j", "j"), READY("2024-01-01T00:00:00Z"))
    "---\n{apiVersion: apps.kruise.io/v1beta1, kind: CloneSet, metadata: {name: c, uid: c}, "
    "spec: {replicas: 1, updateStrategy: {rollingUpdate: {partition: 0}}}, status: {updateRevision: c-2}}\n"
    POD("c-x", OWNER("CloneSet", "c", "c"), ", labels: {controller-revision-hash: c-2}" PENDING)
    POD("c-y", OWNER("CloneSet", "c", "c"), ", labels: {controller-revision-hash: c-1}" READY("2024-01-01T00:00:00Z"))
    "---\n{apiVersion: apps.kruise.io/v1beta1, kind: StatefulSet, metadata: {name: s, uid: s}, "
    "spec: {replicas: 2, podManagementPolicy: Parallel, reserveOrdinals: ['1-8']}}\n"
    POD("s-9", OWNER("StatefulSet", "s", "s"), READY("2024-01-01T00:00:00Z"))
    POD("s-10", OWNER("StatefulSet", "s", "s"), PENDING) POD("s-2", OWNER("StatefulSet", "s", "s"), PENDING);

static const rebal_time noon = {1704110400, 0, 1};

static rebal_store *store_of_objects(void) {
  rebal_error err = REBAL_ERROR_INIT;
  rebal_store *store = NULL;
  ck_assert_int_eq(rebal_store_new(NULL, &store, NULL), REBAL_OK);
  ck_assert_msg(rebal_store_put(store, objects, sizeof objects - 1, &err) == REBAL_OK, "%s at %s", err.message,
                err.field);
  ck_assert_msg(rebal_store_put(store, others, sizeof others - 1, &err) == REBAL_OK, "%s at %s", err.message,
                err.field);
  return store;
}

static uint32_t find(const rebal_store *store, const char *kind, const char *name) {
  const uint32_t object = rebal_store_find(store, kind, strlen(kind), "default", 7, name, strlen(name));
  ck_assert_msg(object != REBAL_NONE, "%s", name);
  return object;
}

#define MOST 5
#define RULE(name) REBAL_DELETION_RULE_##name
#define GOES REBAL_DELETION_ACTION_DELETE
#define STAYS REBAL_DELETION_ACTION_KEEP

/* A row without a name is a pod that is created. */
static const struct {
  const char *kind, *name;
  size_t n;
  struct {
    const char *pod;
    uint32_t rule, action, is_old;
    int64_t ordinal;
  } rows[MOST];
} cases[] = {
    {"Deployment", "d", 4, {{"waits", RULE(WITHOUT_NODE), GOES, 0, -1}, {"a", RULE(LOWER_UID), GOES, 0, -1},
                            {"b", RULE(NONE), STAYS, 0, -1}, {"late", RULE(NONE), GOES, 0, -1}}},
    {"ReplicaSet", "picky", 2, {{"orphan", RULE(WITHOUT_NODE), GOES, 0, -1}, {"mine", RULE(NONE), STAYS, 0, -1}}},
    {"ReplicaSet", "none", 0, {{NULL, 0, 0, 0, 0}}},
    {"Job", "j", 2, {{"j-1", RULE(READY_LATER), GOES, 0, 1}, {"j-2", RULE(NONE), GOES, 0, 2}}},
    {"CloneSet", "c", 2, {{"c-y", RULE(OLD_REVISION), GOES, 1, -1}, {"c-x", RULE(NONE), STAYS, 0, -1}}},
    {"StatefulSet", "s", 4, {{"s-10", RULE(NUMBERED), GOES, 0, 10}, {"s-2", RULE(NOT_WANTED), GOES, 0, 2},
                             {"s-9", RULE(NONE), STAYS, 0, 9}, {NULL, 0, REBAL_DELETION_ACTION_CREATE, 0, 0}}},
};

/* Of each kind; pods that are done, go, have other labels or belong to another object of the name have no row. */
START_TEST(test_order) {
  rebal_store *store = store_of_objects();
  const uint32_t workload = find(store, cases[_i].kind, cases[_i].name);
  uint32_t pods[MOST], rules[MOST], actions[MOST], are_old[MOST];
  int64_t ordinals[MOST];
  rebal_deletion_rows out = {.struct_size = sizeof out, .capacity = MOST, .n = 9, .pods = pods, .rules = rules,
                             .actions = actions, .are_old = are_old, .ordinals = ordinals};
  ck_assert_int_eq(rebal_deletion_order(store, workload, &noon, &out, NULL), REBAL_OK);
  ck_assert_uint_eq(out.n, cases[_i].n);
  for (size_t i = 0; i < out.n; i++) {
    const char *name = cases[_i].rows[i].pod;
    ck_assert_uint_eq(pods[i], name != NULL ? find(store, "Pod", name) : REBAL_NONE);
    ck_assert_msg(rules[i] == cases[_i].rows[i].rule, "%zu: %u", i, rules[i]);
    ck_assert_msg(actions[i] == cases[_i].rows[i].action, "%zu: %u", i, actions[i]);
    ck_assert_uint_eq(are_old[i], cases[_i].rows[i].is_old);
    ck_assert_int_eq(ordinals[i], cases[_i].rows[i].ordinal);
  }
  rebal_store_free(store);
}
END_TEST

/* Pods of the Deployment on its node count for the rank of a pod, those of its other ReplicaSets too. */
START_TEST(test_ranks) {
  static const char crowd[] =
      "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, uid: d}}\n"
      SET("new", OF_D "}, spec: {replicas: 1, selector: {matchLabels: {app: web}}}")
      SET("old", OF_D "}, spec: {replicas: 1, selector: {matchLabels: {app: web}}}")
      POD("a", NEW, ", " WEB READY_ON("one", "2024-01-01T00:00:00Z"))
      POD("b", NEW, ", " WEB READY_ON("two", "2024-01-01T00:00:00Z"))
      POD("c", OLD, ", " WEB READY_ON("two", "2024-01-01T00:00:00Z"));
  uint32_t pods[2], rules[2];
  rebal_deletion_rows out = {.struct_size = sizeof out, .capacity = 2, .pods = pods, .rules = rules};
  rebal_store *store = NULL;
  ck_assert_int_eq(rebal_store_new(NULL, &store, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_put(store, crowd, sizeof crowd - 1, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_deletion_order(store, find(store, "ReplicaSet", "new"), &noon, &out, NULL), REBAL_OK);
  ck_assert_uint_eq(out.n, 2);
  ck_assert_uint_eq(pods[0], find(store, "Pod", "b"));
  ck_assert_uint_eq(rules[0], RULE(CROWDED));
  rebal_store_free(store);
}
END_TEST

/* Up to the capacity; all are counted. */
START_TEST(test_capacity) {
  rebal_store *store = store_of_objects();
  const uint32_t workload = find(store, "Deployment", "d");
  uint32_t pods[2] = {7, 7};
  rebal_deletion_rows out = {.struct_size = sizeof out};
  ck_assert_int_eq(rebal_deletion_order(store, workload, &noon, &out, NULL), REBAL_OK);
  ck_assert_uint_eq(out.n, 4);
  out.pods = pods;
  out.capacity = 1;
  ck_assert_int_eq(rebal_deletion_order(store, workload, &noon, &out, NULL), REBAL_OK);
  ck_assert_uint_eq(out.n, 4);
  ck_assert_uint_eq(pods[0], find(store, "Pod", "waits"));
  ck_assert_uint_eq(pods[1], 7);
  rebal_store_free(store);
}
END_TEST

START_TEST(test_misuse) {
  rebal_store *store = store_of_objects();
  const rebal_time unset = {0, 0, 0}, late = {INT64_MAX, 0, 1};
  rebal_deletion_rows out = {.struct_size = sizeof out};
  ck_assert_int_eq(rebal_deletion_order(NULL, 0, &noon, &out, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_deletion_order(store, 0, NULL, &out, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_deletion_order(store, 0, &unset, &out, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_deletion_order(store, 0, &late, &out, NULL), REBAL_ERANGE);
  ck_assert_int_eq(rebal_deletion_order(store, 0, &noon, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_deletion_order(store, 99, &noon, &out, NULL), REBAL_ENOTFOUND);
  out.flags = 1;
  ck_assert_int_eq(rebal_deletion_order(store, 0, &noon, &out, NULL), REBAL_EINVAL);
  out = (rebal_deletion_rows){.struct_size = 4};
  ck_assert_int_eq(rebal_deletion_order(store, 0, &noon, &out, NULL), REBAL_EABI);
  rebal_store_free(store);
}
END_TEST

UNIT_CASE(deletion_order) {
  TCase *cases_ = tcase_create("deletion_order");
  tcase_add_loop_test(cases_, test_order, 0, COUNT(cases));
  tcase_add_test(cases_, test_ranks);
  tcase_add_test(cases_, test_capacity);
  tcase_add_test(cases_, test_misuse);
  return cases_;
}
