/* SPDX-License-Identifier: MIT */
#include "running.h"

#define OWNER(kind, name, uid) "{kind: " kind ", name: " name ", uid: " uid ", controller: true}"
#define POD(name, owner, members) \
  "---\n{apiVersion: v1, kind: Pod, metadata: {name: " name ", ownerReferences: [" owner "]" members "}\n"
#define READY(since) \
  "}, spec: {nodeName: node}, status: {phase: Running, conditions: [{type: Ready, status: 'True', " \
  "lastTransitionTime: " \
  since "}]}"
#define PENDING "}, status: {phase: Pending}"

static const char objects[] =
    "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, uid: d}}\n"
    "---\n{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: new, uid: new, "
    "ownerReferences: [" OWNER("Deployment", "d", "d") "]}}\n"
    "---\n{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: old, uid: old, "
    "ownerReferences: [" OWNER("Deployment", "d", "d") "]}}\n"
    "---\n{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: s, uid: s}}\n"
    "---\n{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: none, uid: none}}\n"
    POD("early", OWNER("ReplicaSet", "new", "new"), READY("2024-01-01T00:00:00Z"))
    POD("late", OWNER("ReplicaSet", "old", "old"), READY("2024-01-01T00:00:09Z"))
    POD("waits", OWNER("ReplicaSet", "new", "new"), PENDING)
    POD("goes", OWNER("ReplicaSet", "new", "new"), ", deletionTimestamp: 2024-01-01T00:00:00Z" PENDING)
    POD("failed", OWNER("ReplicaSet", "new", "new"), "}, status: {phase: Failed}")
    POD("other", OWNER("ReplicaSet", "new", "another"), PENDING)
    POD("s-9", OWNER("StatefulSet", "s", "s"), PENDING)
    POD("s-10", OWNER("StatefulSet", "s", "s"), READY("2024-01-01T00:00:00Z"));

static rebal_store *store_of_objects(void) {
  rebal_error err = REBAL_ERROR_INIT;
  rebal_store *store = NULL;
  ck_assert_int_eq(rebal_store_new(NULL, &store, NULL), REBAL_OK);
  ck_assert_msg(rebal_store_load(store, objects, sizeof objects - 1, &err) == REBAL_OK, "%s at %s", err.message,
                err.field);
  return store;
}

static uint32_t find(const rebal_store *store, const char *kind, const char *name) {
  const uint32_t object = rebal_store_find(store, kind, strlen(kind), "default", 7, name, strlen(name));
  ck_assert_uint_ne(object, REBAL_NONE);
  return object;
}

#define MOST 4

static const struct {
  const char *kind, *name;
  size_t n;
  const char *pods[MOST];
  uint32_t rules[MOST];
} cases[] = {
    {"Deployment", "d", 3, {"waits", "late", "early"}, {REBAL_DELETION_RULE_WITHOUT_NODE,
                                                        REBAL_DELETION_RULE_READY_LATER, REBAL_DELETION_RULE_NONE}},
    {"ReplicaSet", "new", 2, {"waits", "early"}, {REBAL_DELETION_RULE_WITHOUT_NODE, REBAL_DELETION_RULE_NONE}},
    {"StatefulSet", "s", 2, {"s-10", "s-9"}, {REBAL_DELETION_RULE_NUMBERED, REBAL_DELETION_RULE_NONE}},
    {"ReplicaSet", "none", 0, {NULL}, {0}},
};

/* Of each kind; pods that are done, go, or belong to another object of the name are in no order. */
START_TEST(test_order) {
  rebal_store *store = store_of_objects();
  const uint32_t workload = find(store, cases[_i].kind, cases[_i].name);
  uint32_t pods[MOST], rules[MOST];
  size_t n = 9;
  ck_assert_int_eq(rebal_deletion_order(store, workload, pods, rules, MOST, &n, NULL), REBAL_OK);
  ck_assert_uint_eq(n, cases[_i].n);
  for (size_t i = 0; i < n; i++) {
    ck_assert_uint_eq(pods[i], find(store, "Pod", cases[_i].pods[i]));
    ck_assert_uint_eq(rules[i], cases[_i].rules[i]);
  }
  rebal_store_free(store);
}
END_TEST

/* Up to the capacity; all are counted. */
START_TEST(test_capacity) {
  rebal_store *store = store_of_objects();
  const uint32_t workload = find(store, "Deployment", "d");
  uint32_t pods[2] = {7, 7}, rules[2] = {7, 7};
  size_t n = 0;
  ck_assert_int_eq(rebal_deletion_order(store, workload, NULL, NULL, 0, &n, NULL), REBAL_OK);
  ck_assert_uint_eq(n, 3);
  ck_assert_int_eq(rebal_deletion_order(store, workload, pods, rules, 1, &n, NULL), REBAL_OK);
  ck_assert_uint_eq(n, 3);
  ck_assert_uint_eq(pods[0], find(store, "Pod", "waits"));
  ck_assert_uint_eq(rules[0], REBAL_DELETION_RULE_WITHOUT_NODE);
  ck_assert_uint_eq(pods[1], 7);
  ck_assert_uint_eq(rules[1], 7);
  rebal_store_free(store);
}
END_TEST

START_TEST(test_misuse) {
  rebal_store *store = store_of_objects();
  uint32_t place;
  size_t n;
  ck_assert_int_eq(rebal_deletion_order(NULL, 0, &place, &place, 1, &n, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_deletion_order(store, 0, NULL, &place, 1, &n, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_deletion_order(store, 0, &place, NULL, 1, &n, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_deletion_order(store, 0, &place, &place, 1, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_deletion_order(store, 99, &place, &place, 1, &n, NULL), REBAL_ENOTFOUND);
  rebal_store_free(store);
}
END_TEST

UNIT_CASE(deletion_order) {
  TCase *cases_ = tcase_create("deletion_order");
  tcase_add_loop_test(cases_, test_order, 0, COUNT(cases));
  tcase_add_test(cases_, test_capacity);
  tcase_add_test(cases_, test_misuse);
  return cases_;
}
