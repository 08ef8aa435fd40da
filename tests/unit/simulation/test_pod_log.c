/* SPDX-License-Identifier: MIT */
#include "owning.h"

#define NEWS(change) ck_assert_msg(count_rows(simulation, "workloads", change) == 1, "%s", change)

/* Three pods are named, the others are counted; each owner has its own row. */
START_TEST(test_names) {
  rebal_simulation *simulation = run_scenario(
      OWN_HEAD("") REPLICA_SET("a", "replicas: 1, " TEMPLATE("i")) REPLICA_SET("b", "replicas: 3, " TEMPLATE("i"))
          REPLICA_SET("c", "replicas: 4, " TEMPLATE("i")) STEP("s") "advance: 10s\nexpect:\n"
              OWN_PODS("ReplicaSet", "c", "ready: 4"));
  NEWS("1 pod created: a-aaaaa");
  NEWS("3 pods created: b-aaaaa, b-aaaab, b-aaaac");
  NEWS("4 pods created: c-aaaaa, c-aaaab, c-aaaac and 1 more");
  ck_assert_uint_eq(count_rows(simulation, "workloads", "more"), 1);
  rebal_simulation_free(simulation);
}
END_TEST

/* The same change for two reasons gives two rows, in this order; without changes there are none. */
START_TEST(test_reasons) {
  static const char *const rows[][2] = {{"2 pods moved: a-aaaaa, a-aaaaa", "one"}, {"1 pod moved: a-aaaaa", "other"},
                                        {"1 pod left: a-aaaaa", "other"},          {"1 pod left: a-aaaaa", "other"}};
  static const struct {
    const char *controller, *change, *reason;
  } news[] = {{"x", "moved", "one"}, {"x", "moved", "one"}, {"x", "moved", "other"}, {"x", "left", "other"},
              {"y", "left", "other"}};
  rebal_simulation *simulation = run_scenario(OWN_HEAD("") REPLICA_SET("a", "replicas: 1, " TEMPLATE("i")) STEP("s")
                                                  "expect:\n" OWN_PODS("ReplicaSet", "a", BY_NAME("a-aaaaa: 1")));
  const uint32_t pod = rebal_store_find(simulation->server.store, "Pod", 3, "default", 7, "a-aaaaa", 7);
  const size_t first = (size_t)summary_of(simulation).log_rows;
  ck_assert_int_eq(rebali_pod_log_report(&simulation->own, NULL), REBAL_OK);
  ck_assert_uint_eq(summary_of(simulation).log_rows, first);
  for (size_t i = 0; i < COUNT(news); i++) {
    ck_assert_int_eq(
        rebali_pod_log_add(&simulation->own, news[i].controller, pod, news[i].change, news[i].reason, NULL), REBAL_OK);
  }
  ck_assert_int_eq(rebali_pod_log_report(&simulation->own, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_pod_log_report(&simulation->own, NULL), REBAL_OK);
  ck_assert_uint_eq(summary_of(simulation).log_rows, first + COUNT(rows));
  for (size_t i = 0; i < COUNT(rows); i++) {
    ck_assert_str_eq(log_entry(simulation, first + i).change, rows[i][0]);
    ck_assert_str_eq(log_entry(simulation, first + i).reason, rows[i][1]);
    ck_assert_str_eq(log_entry(simulation, first + i).object,
                     "ReplicaSet default/a");
  }
  rebal_simulation_free(simulation);
}
END_TEST

static const char *object_of(const rebal_simulation *simulation, const char *change) {
  for (size_t i = 0; i < summary_of(simulation).log_rows; i++) {
    if (strcmp(log_entry(simulation, i).change, change) == 0) {
      return log_entry(simulation, i).object;
    }
  }
  return "";
}

/* A missing owner is named as in the pod's reference; for a pod without a controller the row names the pod. */
START_TEST(test_owners) {
  rebal_simulation *simulation = run_scenario(
      OWN_HEAD("") OWN_NODE("node-0", "1") "---\napiVersion: v1\nkind: Pod\nmetadata: {name: left, ownerReferences: "
      "[{apiVersion: apps/v1, kind: ReplicaSet, name: former, uid: f, controller: true}]}\n"
      "spec: {nodeName: node-0, containers: [{name: c}]}\n"
      "---\napiVersion: v1\nkind: Pod\nmetadata: {name: own}\nspec: {nodeName: lost, containers: [{name: c}]}\n"
      STEP("s") "expect:\n" POD_IS_GONE("left") POD_IS_GONE("own"));
  ck_assert_str_eq(object_of(simulation, "1 pod deleted: left"), "ReplicaSet default/former");
  ck_assert_str_eq(object_of(simulation, "1 pod deleted: own"), "Pod default/own");
  rebal_simulation_free(simulation);
}
END_TEST

UNIT_CASE(pod_log) {
  TCase *cases = tcase_create("pod_log");
  tcase_add_test(cases, test_names);
  tcase_add_test(cases, test_reasons);
  tcase_add_test(cases, test_owners);
  return cases;
}
