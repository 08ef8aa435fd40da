/* SPDX-License-Identifier: MIT */
#include "steps.h"

static void carry_out_all(struct run *run, const char *at) {
  const rebal_time now = time_of(at);
  rebal_error err = REBAL_ERROR_INIT;
  for (size_t i = 0; i < rebal_result_count(run->result, REBAL_TABLE_ACTION); i++) {
    ck_assert_msg(rebal_store_carry_out(run->store, run->result, i, &now, run->observations, &err) == REBAL_OK, "%s",
                  err.message);
  }
}

static int64_t run_to_end(struct run *run) {
  const rebal_record *record = rebalancer(run);
  int64_t state = step(run, record);
  for (int turn = 0; state == REBAL_STEP_STATE_WAITING && turn < 10; turn++) {
    carry_out_all(run, NOW);
    state = step(run, record);
  }
  return state;
}

START_TEST(test_a_rebalancer_triggers_its_binding) {
  struct run run = run_new(REBALANCER BINDING);
  ck_assert_int_eq(run_to_end(&run), REBAL_STEP_STATE_DONE);
  assert_member(run.store, 1, "spec.rescheduleTriggeredAt", "2026-03-14T08:00:00Z");
  assert_member(run.store, 1, "metadata.generation", "6");
  assert_member(run.store, 1, "metadata.resourceVersion", "42");
  assert_member(run.store, 0, "status",
                "{\"observedWorkloads\":[{\"workload\":{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\","
                "\"name\":\"foo\","
                "\"namespace\":\"default\"},\"result\":\"Successful\"}],\"observedGeneration\":1,\"finishTime\":\"" NOW
                "\"}");
  assert_member(run.store, 0, "metadata.generation", "1");
  assert_member(run.store, 0, "metadata.resourceVersion", "4");
  run_free(&run);
}
END_TEST

START_TEST(test_a_missing_binding_is_observed) {
  struct run run = run_new(REBALANCER);
  ck_assert_int_eq(run_to_end(&run), REBAL_STEP_STATE_DONE);
  assert_member(run.store, 0, "status.observedWorkloads[0].reason", "ReferencedBindingNotFound");
  run_free(&run);
}
END_TEST

START_TEST(test_a_binding_changed_meanwhile_is_a_conflict) {
  struct run run = run_new(REBALANCER BINDING);
  const rebal_record *record = rebalancer(&run);
  ck_assert_int_eq(step(&run, record), REBAL_STEP_STATE_WAITING);
  ck_assert_int_eq(kind_of(&run, 0), REBAL_ACTION_KIND_READ);
  carry_out_all(&run, NOW);
  ck_assert_int_eq(step(&run, record), REBAL_STEP_STATE_WAITING);
  ck_assert_int_eq(kind_of(&run, 0), REBAL_ACTION_KIND_PATCH_SPEC);
  apply(run.store,
        "apiVersion: work.karmada.io/v1alpha2\nkind: ResourceBinding\nmetadata: {name: "
        "foo-deployment}\nspec: "
        "{replicas: 4}\n",
        LATER);
  carry_out_all(&run, NOW);
  assert_member(run.store, 1, "spec.rescheduleTriggeredAt", "");
  assert_member(run.store, 1, "metadata.resourceVersion", "42");
  while (step(&run, record) == REBAL_STEP_STATE_WAITING) {
    carry_out_all(&run, NOW);
  }
  ck_assert_int_eq(step(&run, record), REBAL_STEP_STATE_RETRY);
  run_free(&run);
}
END_TEST

START_TEST(test_a_finished_rebalancer_is_deleted) {
  struct run run = run_new(
      "apiVersion: apps.karmada.io/v1alpha1\nkind: WorkloadRebalancer\nmetadata: {name: demo, generation: 1, "
      "resourceVersion: '3', creationTimestamp: '2026-03-14T08:00:00Z'}\n"
      "spec: {ttlSecondsAfterFinished: 1, workloads: [{apiVersion: apps/v1, kind: Deployment, name: foo, "
      "namespace: default}]}\n"
      "status: {finishTime: '2026-03-14T08:00:00Z', observedGeneration: 1, observedWorkloads: [{workload: {"
      "apiVersion: apps/v1, "
      "kind: Deployment, name: foo, namespace: default}, result: Successful}]}\n");
  ck_assert_int_eq(run_to_end(&run), REBAL_STEP_STATE_DONE);
  ck_assert_uint_eq(rebal_store_count(run.store), 0);
  run_free(&run);
}
END_TEST

START_TEST(test_a_scheduled_binding_is_written) {
  struct run run = run_new("apiVersion: v1\nkind: List\n" BINDING SPEC("m") CLUSTERS);
  schedule(&run, 1);
  carry_out_all(&run, NOW);
  assert_member(run.store, 0, "spec.clusters", "[{\"name\":\"m\",\"replicas\":2}]");
  assert_member(run.store, 0, "metadata.annotations",
                "{\"policy.karmada.io/applied-placement\":\"{\\\"clusterAffinity\\\":{"
                "\\\"clusterNames\\\":[\\\"m\\\"]}}\"}");
  assert_member(run.store, 0, "metadata.generation", "6");
  assert_member(run.store, 0, "status.conditions[0]",
                "{\"type\":\"FullyApplied\",\"status\":\"True\",\"reason\":\"R\",\"message\":\"M\","
                "\"lastTransitionTime\":"
                "\"2026-01-01T00:00:00Z\",\"observedGeneration\":3}");
  assert_member(run.store, 0, "status.conditions[1].reason", "Success");
  assert_member(run.store, 0, "status.schedulerObservedGeneration", "5");
  /* The annotation written is the placement, down to nil against empty: only the generation is left to observe. */
  schedule(&run, 1);
  carry_out_all(&run, LATER);
  assert_member(run.store, 0, "metadata.generation", "6");
  run_free(&run);
}
END_TEST

START_TEST(test_cleared_clusters_are_removed) {
  struct run run = run_new("apiVersion: v1\nkind: List\n" BINDING SPEC("nowhere") CLUSTERS);
  rebal_text *text = NULL;
  schedule(&run, 1);
  ck_assert_int_eq(rebal_text_new(&text, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_render_action(NULL, run.result, find_action(&run, REBAL_ACTION_KIND_PATCH_SPEC), NULL,
                                             text, NULL, NULL),
                   REBAL_OK);
  ck_assert_str_eq(rebal_text_bytes(text, NULL), "{\"spec\":{\"clusters\":null}}");
  carry_out_all(&run, NOW);
  assert_member(run.store, 0, "spec.clusters", "");
  assert_member(run.store, 0, "spec.replicas", "2");
  assert_member(run.store, 0, "status.conditions[1].reason", "NoClusterFit");
  rebal_text_free(text);
  run_free(&run);
}
END_TEST

#define QUOTA                                                                                                     \
  "---\napiVersion: policy.karmada.io/v1alpha1\nkind: FederatedResourceQuota\nmetadata: {name: q, namespace: "    \
  "default, resourceVersion: '8'}\nspec: {overall: {cpu: 9}}\nstatus: {overall: {cpu: 9}, overallUsed: {memory: " \
  "0, pods: 3, storage: 1Gi}}\n"
#define USER                                                                                          \
  "---\napiVersion: work.karmada.io/v1alpha2\nkind: ResourceBinding\nmetadata: {name: b, namespace: " \
  "default}\nspec: {resource: {apiVersion: apps/v1, kind: Deployment, name: b, namespace: default}, " \
  "clusters: [{name: m, replicas: 2}], replicaRequirements: {resourceRequest: {cpu: 1}}}\n"

/* What the quotas of a store let the last of its bindings use. */
static void check_quota(struct run *run, uint32_t quota) {
  const rebal_record *record = NULL;
  const rebal_federated_quota_opts opts = {.struct_size = sizeof opts, .quotas = &record, .n_quotas = 1};
  rebal_fleet *fleet = NULL;
  rebal_bindings *bindings = NULL;
  ck_assert_int_eq(rebal_store_record(run->store, quota, run->builder, &record, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_new(NULL, &fleet, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_bindings_new(fleet, NULL, &bindings, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_feed_bindings(run->store, fleet, NULL, 0, bindings, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_bindings_freeze(bindings, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_federated_quota_check(run->ctx, bindings, 0, &opts, run->result, NULL), REBAL_OK);
  rebal_bindings_free(bindings);
  rebal_fleet_free(fleet);
}

START_TEST(test_a_map_given_whole_unsets_what_it_lacks) {
  struct run run = run_new("apiVersion: v1\nkind: List\n" USER QUOTA);
  rebal_text *text = NULL;
  check_quota(&run, 1);
  ck_assert_int_eq(rebal_text_new(&text, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_render_action(run.store, run.result, 0, NULL, text, NULL, NULL), REBAL_OK);
  ck_assert_str_eq(rebal_text_bytes(text, NULL),
                   "{\"status\":{\"overallUsed\":{\"cpu\":\"2\",\"pods\":\"3\",\"memory\":null,\"storage\":null}},"
                   "\"metadata\":{\"resourceVersion\":\"8\"}}");
  carry_out_all(&run, NOW);
  assert_member(run.store, 1, "status.overallUsed", "{\"pods\":\"3\",\"cpu\":\"2\"}");
  assert_member(run.store, 1, "status.overall", "{\"cpu\":9}");
  rebal_text_free(text);
  run_free(&run);
}
END_TEST

START_TEST(test_repeated_events_are_counted) {
  struct run run = run_new("apiVersion: v1\nkind: List\n" BINDING SPEC("m") CLUSTERS);
  const rebal_time now = time_of(NOW), later = time_of(LATER);
  size_t action;
  uint32_t event;
  schedule(&run, 1);
  action = find_action(&run, REBAL_ACTION_KIND_EVENT);
  ck_assert_int_eq(rebal_store_carry_out(run.store, run.result, action, &now, run.observations, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_carry_out(run.store, run.result, action, &later, run.observations, NULL), REBAL_OK);
  event = rebal_store_next(run.store, "Event", 5, REBAL_NONE);
  ck_assert_uint_eq(rebal_store_next(run.store, "Event", 5, event), REBAL_NONE);
  assert_member(run.store, event, "count", "2");
  assert_member(run.store, event, "firstTimestamp", NOW);
  assert_member(run.store, event, "lastTimestamp", LATER);
  assert_member(run.store, event, "reason", "ScheduleBindingSucceed");
  assert_member(run.store, event, "type", "Normal");
  assert_member(run.store, event, "metadata.namespace", "default");
  assert_member(run.store, event, "metadata.generation", "");
  assert_member(run.store, event, "involvedObject.name", "foo-deployment");
  run_free(&run);
}
END_TEST

START_TEST(test_broken_calls) {
  struct run run = run_new(REBALANCER);
  const rebal_time now = time_of(NOW), unset = {0, 0, 0};
  ck_assert_int_eq(rebal_store_carry_out(run.store, run.result, 0, &now, NULL, NULL), REBAL_EINVAL);
  (void)step(&run, rebalancer(&run));
  ck_assert_int_eq(rebal_store_carry_out(run.store, run.result, 0, &unset, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_store_carry_out(run.store, NULL, 0, &now, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_store_carry_out(NULL, run.result, 0, &now, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_store_carry_out(run.store, run.result, 0, &now, NULL, NULL), REBAL_OK);
  run_free(&run);
}
END_TEST

UNIT_CASE(apply_action) {
  TCase *cases = tcase_create("apply_action");
  tcase_add_test(cases, test_a_rebalancer_triggers_its_binding);
  tcase_add_test(cases, test_a_missing_binding_is_observed);
  tcase_add_test(cases, test_a_binding_changed_meanwhile_is_a_conflict);
  tcase_add_test(cases, test_a_finished_rebalancer_is_deleted);
  tcase_add_test(cases, test_a_scheduled_binding_is_written);
  tcase_add_test(cases, test_cleared_clusters_are_removed);
  tcase_add_test(cases, test_a_map_given_whole_unsets_what_it_lacks);
  tcase_add_test(cases, test_repeated_events_are_counted);
  tcase_add_test(cases, test_broken_calls);
  return cases;
}
