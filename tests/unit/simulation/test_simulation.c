/* SPDX-License-Identifier: MIT */
#include "running.h"

#include <stdio.h>

/* The scenarios that ship with the library; all their expectations hold. */
static const char *const examples[] = {
    "adaptive-full-subset.yaml",
    "aggregated-repacking.yaml",
    "backup-fails-never-fails-back.yaml",
    "claims-are-kept.yaml",
    "cluster-joins-later.yaml",
    "deletion-cost-of-a-custom-kind.yaml",
    "dependencies-are-propagated.yaml",
    "dependent-overrides-are-waited-for.yaml",
    "descheduler-chases-its-tail.yaml",
    "descheduler-from-status.yaml",
    "descheduler-pending-replica.yaml",
    "descheduler-without-estimator.yaml",
    "disaster-recovery-migrate-back.yaml",
    "dispatching-suspended.yaml",
    "divide-by-zero-empty-group.yaml",
    "drain-by-plan.yaml",
    "drained-node-pods-move-or-wait.yaml",
    "elastic-deploy.yaml",
    "estimator-hard-to-install-in-pull-mode.yaml",
    "even-scale-in.yaml",
    "failover-and-recovery.yaml",
    "failover-with-nodes.yaml",
    "fast-deletion.yaml",
    "five-minute-nodes.yaml",
    "full-subset-passed-over.yaml",
    "fully-applied-becomes-false.yaml",
    "job-has-replicas.yaml",
    "kube-namespaces-are-skipped.yaml",
    "lazy-policy-waits.yaml",
    "lost-cluster-configmap-stays-healthy.yaml",
    "lost-cluster-is-not-applied.yaml",
    "lost-node-pods-come-after-five-minutes.yaml",
    "more-clusters-than-max-groups.yaml",
    "more-replicas-lower-no-cluster.yaml",
    "multi-domain-deploy.yaml",
    "never-below-ten-while-moving.yaml",
    "ninety-five-of-hundred-fit-partial.yaml",
    "ninety-five-of-hundred-fit.yaml",
    "no-deletion-cost-for-custom-kinds.yaml",
    "no-replacement-cluster-keeps-workload.yaml",
    "no-replacement-cluster-loses-workload.yaml",
    "nodes-are-waited-for.yaml",
    "patched-priority.yaml",
    "indexes-come-again.yaml",
    "isolated-pod-comes-back.yaml",
    "marked-pods-are-replaced.yaml",
    "overcommit-protection.yaml",
    "paused-scale-in.yaml",
    "pods-beyond-capacity-wait.yaml",
    "policy-deleted-binding-is-not-scheduled.yaml",
    "preempted-low-priority-respread.yaml",
    "preemption-by-priority.yaml",
    "priority-class-missing.yaml",
    "rebalancer-before-recovery-does-nothing.yaml",
    "rebalancer-is-edited.yaml",
    "rebalancer-of-a-batch.yaml",
    "rebalancer-retries.yaml",
    "region-evacuation.yaml",
    "relabelled-workload-keeps-its-policy.yaml",
    "removed-cluster-on-scale-down.yaml",
    "replicas-assigned-inflate-capacity.yaml",
    "replicaset-has-replicas.yaml",
    "resource-models-are-consumed.yaml",
    "rolling-update-of-a-deployment.yaml",
    "scale-out-and-reverse.yaml",
    "second-affinity-group-short.yaml",
    "stateful-ordinals.yaml",
    "status-event-texts.yaml",
    "surge-pods-in-the-rest.yaml",
    "surge-pods-in-the-wrong-subset.yaml",
    "three-evictions-at-a-time.yaml",
    "tutorial-other-parity.yaml",
    "tutorial.yaml",
    "twenty-deployments-at-once.yaml",
    "two-eviction-tasks-grace-periods.yaml",
    "two-step-edit-halves-a-cluster.yaml",
    "uneven-scale-in.yaml",
    "unknown-kind-has-replicas.yaml",
};

static char *read_example(const char *name) {
  const char *source = getenv("top_srcdir");
  char path[1024];
  char *bytes = calloc(1, 1 << 20);
  FILE *file;
  (void)snprintf(path, sizeof path, "%s/examples/scenarios/%s", source != NULL ? source : ".", name);
  file = fopen(path, "rb");
  ck_assert_msg(file != NULL && bytes != NULL, "%s cannot be read", path);
  (void)fread(bytes, 1, (1 << 20) - 1, file);
  (void)fclose(file);
  return bytes;
}

static rebal_text *log_of(const char *text) {
  rebal_simulation *simulation = run_scenario(text);
  rebal_text *log = NULL;
  ck_assert_int_eq(rebal_text_new(&log, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_simulation_write(simulation, REBAL_TEXT_FORMAT_JSON, log, NULL), REBAL_OK);
  rebal_simulation_free(simulation);
  return log;
}

START_TEST(test_examples_hold_and_repeat) {
  char *text = read_example(examples[_i]);
  rebal_text *first = log_of(text), *second = log_of(text);
  ck_assert_str_eq(rebal_text_bytes(first, NULL), rebal_text_bytes(second, NULL));
  rebal_text_free(first);
  rebal_text_free(second);
  free(text);
}
END_TEST

/* An empty list of groups counts as none (the reference would succeed and do nothing). */
START_TEST(test_an_empty_list_of_groups_is_none) {
  assert_runs(HEAD("") CLUSTER("m1") FOO("3") POLICY("{clusterAffinities: [], " DYNAMIC "}")
                  STEP("look") "expect:\n- object: {kind: Deployment, name: foo}\n  placement: {m1: 3}\n");
}
END_TEST

/* The caller's options apply to the scheduler: with one of them a cluster without replicas is kept. */
START_TEST(test_options_reach_the_scheduler) {
  static const char text[] = HEAD("") CLUSTER("m1") CLUSTER("m2") FOO("1") POLICY("{" DYNAMIC "}")
      STEP("look") "expect:\n- object: {kind: Deployment, name: foo}\n  placement: {m1: 1, m2: 0}\n";
  rebal_simulation_summary summary = {.struct_size = sizeof summary};
  rebal_simulation_opts opts = {.struct_size = sizeof opts};
  rebal_simulation *simulation;
  rebal_compat *compat = NULL;
  ck_assert_int_eq(rebal_compat_new(NULL, &compat, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_compat_set(compat, REBAL_OPTION_EMPTY_WORKLOAD_PROPAGATION, 1, NULL), REBAL_OK);
  for (int with = 0; with < 2; with++) {
    opts.compat = with ? compat : NULL;
    simulation = new_simulation(&opts);
    ck_assert_int_eq(rebal_simulation_run(simulation, text, strlen(text), REBAL_LOG_FORMAT_TABLE, NULL, &summary, NULL),
                     REBAL_OK);
    ck_assert_uint_eq(summary.held, (uint64_t)with);
    rebal_simulation_free(simulation);
  }
  rebal_compat_free(compat);
}
END_TEST

/* The options of the head override those of the caller. */
START_TEST(test_options_of_the_head) {
  static const struct {
    const char *head, *placed;
  } cases[] = {{"", "{m1: 1, m2: 0}"},
               {"options: {compat: {empty-workload-propagation: false}}\n", "{m1: 1}"},
               {"options: {level: karmada-1.19}\n", "{m1: 1}"},
               {"options: {level: karmada-1.19, compat: {empty-workload-propagation: true}}\n", "{m1: 1, m2: 0}"}};
  rebal_simulation_opts opts = {.struct_size = sizeof opts};
  rebal_compat *compat = NULL;
  ck_assert_int_eq(rebal_compat_new(NULL, &compat, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_compat_set(compat, REBAL_OPTION_EMPTY_WORKLOAD_PROPAGATION, 1, NULL), REBAL_OK);
  opts.compat = compat;
  for (size_t i = 0; i < COUNT(cases); i++) {
    rebal_simulation_summary summary = {.struct_size = sizeof summary};
    rebal_simulation *simulation = new_simulation(&opts);
    char text[4096];
    (void)snprintf(text, sizeof text, "%s%s%sexpect:\n- object: {kind: Deployment, name: foo}\n  placement: %s\n",
                   HEAD(""), cases[i].head, CLUSTER("m1") CLUSTER("m2") FOO("1") POLICY("{" DYNAMIC "}") STEP("look"),
                   cases[i].placed);
    ck_assert_int_eq(rebal_simulation_run(simulation, text, strlen(text), REBAL_LOG_FORMAT_TABLE, NULL, &summary, NULL),
                     REBAL_OK);
    ck_assert_msg(summary.held == 1, "%s", cases[i].head);
    rebal_simulation_free(simulation);
  }
  rebal_compat_free(compat);
}
END_TEST

/* With a ledger the second of two that do not fit together is not placed; an option in the head decides. */
START_TEST(test_a_ledger) {
#define TWICE                                                                                                  \
  CLUSTER("m1") FOO("8") "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: bar, uid: b}\nspec: " \
  "{replicas: 8, template: {spec: {containers: [{name: c, resources: {requests: {cpu: 100m}}}]}}}\n"           \
  "---\napiVersion: policy.karmada.io/v1alpha1\nkind: PropagationPolicy\nmetadata: {name: pp}\nspec:\n"       \
  "  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]\n  placement: {" DYNAMIC "}\n"
  static const struct {
    const char *head;
    uint32_t flags;
    uint64_t overused;
  } cases[] = {{"", 0, 1},
               {"", REBAL_SIMULATION_FLAG_LEDGER, 0},
               {"options: {compat: {gate-overcommit-protection: true}}\n", 0, 0},
               {"options: {compat: {gate-overcommit-protection: false}}\n", REBAL_SIMULATION_FLAG_LEDGER, 1},
               {"options: {compat: {cluster-locality: true}}\n", REBAL_SIMULATION_FLAG_LEDGER, 0}};
  const rebal_simulation_opts wrong = {.struct_size = sizeof wrong, .flags = 2};
  rebal_simulation *none = NULL;
  for (size_t i = 0; i < COUNT(cases); i++) {
    const rebal_simulation_opts opts = {.struct_size = sizeof opts, .flags = cases[i].flags};
    rebal_simulation *simulation = new_simulation(&opts);
    char text[4096];
    (void)snprintf(text, sizeof text, "%s%s%s", HEAD(""), cases[i].head, TWICE);
    ck_assert_int_eq(rebal_simulation_load(simulation, text, strlen(text), NULL), REBAL_OK);
    ck_assert_msg(summary_of(simulation).overused == cases[i].overused, "case %zu", i);
    rebal_simulation_free(simulation);
  }
  ck_assert_int_eq(rebal_simulation_new(&wrong, &none, NULL), REBAL_EUNSUPPORTED);
  ck_assert_ptr_null(none);
}
END_TEST

START_TEST(test_sizes_are_checked) {
  const rebal_simulation_opts opts = {.struct_size = 4};
  const rebal_manifest_limits limits = {.struct_size = 1};
  const rebal_simulation_opts wrong_limits = {.struct_size = sizeof wrong_limits, .limits = &limits};
  rebal_simulation *simulation = NULL;
  rebal_simulation_summary summary = {.struct_size = 0};
  ck_assert_int_eq(rebal_simulation_new(&opts, &simulation, NULL), REBAL_EABI);
  ck_assert_int_eq(rebal_simulation_new(&wrong_limits, &simulation, NULL), REBAL_EABI);
  ck_assert_ptr_null(simulation);
  simulation = new_simulation(NULL);
  ck_assert_int_eq(rebal_simulation_summarize(simulation, &summary, NULL), REBAL_EABI);
  ck_assert_int_eq(rebal_simulation_summarize(simulation, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_simulation_summarize(NULL, &summary, NULL), REBAL_EINVAL);
  rebal_simulation_free(simulation);
  rebal_simulation_free(NULL);
}
END_TEST

START_TEST(test_limits_of_the_text) {
  rebal_manifest_limits limits = {.struct_size = sizeof limits, .max_bytes = 10};
  const rebal_simulation_opts opts = {.struct_size = sizeof opts, .limits = &limits};
  rebal_simulation *simulation = new_simulation(&opts);
  limits.max_bytes = 0; /* a copy is kept */
  ck_assert_int_eq(rebal_simulation_load(simulation, BASIC, strlen(BASIC), NULL), REBAL_ELIMIT);
  rebal_simulation_free(simulation);
}
END_TEST

START_TEST(test_order_of_calls) {
  rebal_simulation *simulation = new_simulation(NULL);
  int32_t more;
  ck_assert_int_eq(rebal_simulation_step(simulation, &more, NULL), REBAL_ESTATE);
  ck_assert_uint_eq(summary_of(simulation).now.is_set, 0);
  ck_assert_int_eq(rebal_simulation_load(simulation, BASIC, strlen(BASIC), NULL), REBAL_OK);
  ck_assert_int_eq(rebal_simulation_load(simulation, BASIC, strlen(BASIC), NULL), REBAL_ESTATE);
  ck_assert_uint_ne(
      rebal_store_find(rebal_simulation_store(simulation), "ResourceBinding", 15, "default", 7, "foo-deployment", 14),
      REBAL_NONE);
  ck_assert_int_eq(rebal_simulation_load(NULL, "", 0, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_simulation_step(NULL, &more, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_simulation_write(NULL, REBAL_LOG_FORMAT_TABLE, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_simulation_new(NULL, NULL, NULL), REBAL_EINVAL);
  ck_assert_ptr_null(rebal_simulation_store(NULL));
  rebal_simulation_free(simulation);
}
END_TEST

/* After an error the log holds what happened before it. */
START_TEST(test_log_of_a_failed_run) {
  static const char text[] = BASIC STEP("bad") "delete: {kind: Pod, name: p}\n";
  rebal_simulation *simulation = new_simulation(NULL);
  rebal_text *log = NULL;
  rebal_simulation_summary summary = {.struct_size = sizeof summary};
  ck_assert_int_eq(rebal_text_new(&log, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_simulation_run(simulation, text, strlen(text), REBAL_LOG_FORMAT_TABLE, log, &summary, NULL),
                   REBAL_ENOTFOUND);
  ck_assert_ptr_nonnull(strstr(rebal_text_bytes(log, NULL), "spec.clusters: {m1:2, m2:1}"));
  ck_assert_uint_eq(summary.steps, 1);
  rebal_text_free(log);
  rebal_simulation_free(simulation);
}
END_TEST

UNIT_CASE(simulation) {
  TCase *cases = tcase_create("simulation");
  tcase_set_timeout(cases, 60); /* some examples have hundreds of pods, and sanitizers and other tests cost time */
  tcase_add_loop_test(cases, test_examples_hold_and_repeat, 0, (int)COUNT(examples));
  tcase_add_test(cases, test_an_empty_list_of_groups_is_none);
  tcase_add_test(cases, test_options_reach_the_scheduler);
  tcase_add_test(cases, test_options_of_the_head);
  tcase_add_test(cases, test_a_ledger);
  tcase_add_test(cases, test_sizes_are_checked);
  tcase_add_test(cases, test_limits_of_the_text);
  tcase_add_test(cases, test_order_of_calls);
  tcase_add_test(cases, test_log_of_a_failed_run);
  return cases;
}
