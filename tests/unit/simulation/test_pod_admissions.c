/* SPDX-License-Identifier: MIT */
#include "spreading.h"

#define PAUSED(more) OWN_HEAD("paused: true\n" more)
#define CREATE(kind, name, pods) "create: {kind: " kind ", name: " name ", pods: " pods "}\n"
#define RECONCILE(kind, name) "reconcile: {kind: " kind ", name: " name "}\n"
#define CLASS "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: c}\nvalue: 7\n"
/* Pods to which the second subset is merged do not match it. */
#define SUBSETS "{name: one, maxReplicas: 1}, {name: two, patch: {spec: {containers: [{image: x}]}}}"

static rebal_simulation *run_rows(const char *text, uint64_t most, int32_t wanted) {
  const rebal_simulation_opts opts = {.struct_size = sizeof opts, .max_admissions = most};
  rebal_simulation *simulation = new_simulation(&opts);
  rebal_error err = REBAL_ERROR_INIT;
  const int32_t code =
      rebal_simulation_run(simulation, text, strlen(text), REBAL_LOG_FORMAT_TABLE, NULL, NULL, &err);
  ck_assert_msg(code == wanted, "document %u, %s: %s", err.document, err.field, err.message);
  return simulation;
}

static rebal_simulation_admission read_row(const rebal_simulation *simulation, size_t row) {
  rebal_simulation_admission out = {.struct_size = sizeof out};
  ck_assert_int_eq(rebal_simulation_admission_read(simulation, row, &out, NULL), REBAL_OK);
  return out;
}

static const char text[] =
    PAUSED("") SPREAD(OF_CLONE_SET, "", SUBSETS) CLONE_SET("cs", "replicas: 1, " TEMPLATE("i"))
    STEP("pass") RECONCILE("WorkloadSpread", "ws") STEP("two") CREATE("CloneSet", "cs", "2")
    STEP("again") RECONCILE("WorkloadSpread", "ws") STEP("none") SCALE("CloneSet", "cs", "0")
    RECONCILE("CloneSet", "cs");

/* A subset is chosen for one pod, the patch of the other one refuses the next, and the first is deleted. */
START_TEST(test_rows) {
  rebal_simulation *simulation = run_rows(text, 3, REBAL_OK);
  const uint32_t owner = rebal_store_find(rebal_simulation_store(simulation), "CloneSet", 8, "default", 7, "cs", 2);
  rebal_simulation_admission row = read_row(simulation, 0);
  ck_assert_uint_eq(summary_of(simulation).admission_rows, 3);
  ck_assert_uint_eq(row.operation, REBAL_OPERATION_CREATE);
  ck_assert_int_eq(row.time.seconds, 1704067200);
  ck_assert_uint_eq(row.outcome, REBAL_ADMIT_OUTCOME_CHOSEN);
  ck_assert_uint_eq(row.is_refused, 0);
  ck_assert_uint_ne(row.pod, REBAL_NONE);
  ck_assert_uint_eq(row.owner, owner);
  ck_assert_str_eq(row.namespace_, "default");
  ck_assert_str_eq(row.name, "cs-aaaaa");
  ck_assert_str_eq(row.subset, "one");
  ck_assert_str_eq(row.passed_over, "");
  ck_assert_str_eq(row.message, "");
  ck_assert_ptr_null(strstr(row.before, "matched-workloadspread"));
  ck_assert_ptr_nonnull(strstr(row.before, "\"image\":\"i\""));
  ck_assert_ptr_nonnull(strstr(row.after, "matched-workloadspread"));
  const uint32_t pod = row.pod;
  row = read_row(simulation, 1);
  ck_assert_uint_eq(row.outcome, REBAL_ADMIT_OUTCOME_CHOSEN);
  ck_assert_uint_eq(row.is_refused, 1);
  ck_assert_uint_eq(row.pod, REBAL_NONE);
  ck_assert_str_eq(row.name, "cs-aaaab");
  ck_assert_str_eq(row.subset, "two");
  ck_assert_str_eq(row.passed_over, "Subset one is full: no replicas are missing.");
  ck_assert_ptr_nonnull(strstr(row.message, "merge key"));
  ck_assert_str_eq(row.after, "");
  row = read_row(simulation, 2);
  ck_assert_uint_eq(row.operation, REBAL_OPERATION_DELETE);
  ck_assert_uint_eq(row.outcome, REBAL_ADMIT_OUTCOME_GOING);
  ck_assert_uint_eq(row.pod, pod);
  ck_assert_uint_eq(row.owner, owner);
  ck_assert_str_eq(row.name, "cs-aaaaa");
  ck_assert_str_eq(row.subset, "one");
  ck_assert_ptr_nonnull(strstr(row.before, "matched-workloadspread"));
  ck_assert_str_eq(row.after, "");
  rebal_simulation_free(simulation);
}
END_TEST

/* Without a WorkloadSpread there are rows, too, also for a pod that another admission refuses. */
START_TEST(test_left_alone) {
  rebal_simulation *simulation =
      run_rows(PAUSED("") CLASS CLONE_SET("cs", "replicas: 1, " TEMPLATE("i"))
                   CLONE_SET("refused", "replicas: 1, template: {metadata: {}, spec: {priorityClassName: none}}")
                       STEP("one") RECONCILE("CloneSet", "cs") STEP("refused") RECONCILE("CloneSet", "refused")
                           STEP("less") "delete: {kind: Pod, name: cs-aaaaa}\n",
               9, REBAL_OK);
  ck_assert_uint_eq(summary_of(simulation).admission_rows, 3);
  ck_assert_uint_eq(read_row(simulation, 0).outcome, REBAL_ADMIT_OUTCOME_LEFT_ALONE);
  ck_assert_uint_eq(read_row(simulation, 0).is_refused, 0);
  ck_assert_ptr_nonnull(strstr(read_row(simulation, 0).after, "\"priority\":0"));
  ck_assert_uint_eq(read_row(simulation, 1).outcome, REBAL_ADMIT_OUTCOME_LEFT_ALONE);
  ck_assert_uint_eq(read_row(simulation, 1).is_refused, 1);
  ck_assert_str_eq(read_row(simulation, 1).message, "no PriorityClass with name none was found");
  ck_assert_uint_eq(read_row(simulation, 2).operation, REBAL_OPERATION_DELETE);
  ck_assert_uint_eq(read_row(simulation, 2).outcome, REBAL_ADMIT_OUTCOME_LEFT_ALONE);
  rebal_simulation_free(simulation);
}
END_TEST

/* Rows are kept only if requested, up to a limit. */
START_TEST(test_limits) {
  rebal_simulation_admission out = {.struct_size = sizeof out};
  rebal_error err = REBAL_ERROR_INIT;
  rebal_simulation *simulation = run_rows(text, 0, REBAL_OK);
  ck_assert_uint_eq(summary_of(simulation).admission_rows, 0);
  ck_assert_int_eq(rebal_simulation_admission_read(simulation, 0, &out, &err), REBAL_ERANGE);
  rebal_simulation_free(simulation);
  simulation = run_rows(text, 2, REBAL_ELIMIT);
  ck_assert_uint_eq(summary_of(simulation).admission_rows, 2);
  ck_assert_int_eq(rebal_simulation_admission_read(simulation, 2, &out, &err), REBAL_ERANGE);
  ck_assert_int_eq(rebal_simulation_admission_read(NULL, 0, &out, &err), REBAL_EINVAL);
  ck_assert_int_eq(rebal_simulation_admission_read(simulation, 0, NULL, &err), REBAL_EINVAL);
  out.struct_size = sizeof out - 1;
  ck_assert_int_eq(rebal_simulation_admission_read(simulation, 0, &out, &err), REBAL_EABI);
  rebal_simulation_free(simulation);
}
END_TEST

/* ---- controllers of a paused scenario ---------------------------------------------------------------------------- */

/* Controllers run only in steps that name them, once, whatever time passes. */
START_TEST(test_paused) {
  assert_runs(PAUSED("") SPREAD(OF_CLONE_SET, "", "{name: a, maxReplicas: 1}, {name: b}")
                  CLONE_SET("cs", "replicas: 2, " TEMPLATE("i")) CLONE_SET("other", "replicas: 2, " TEMPLATE("i"))
                      STEP("nothing") "advance: 1h\nexpect:\n" POD_IS_GONE("cs-aaaaa") STEP("once")
                          RECONCILE("CloneSet", "cs") "advance: 1h\nexpect:\n" IN_SUBSETS("CloneSet", "a: 1, b: 1")
                              OWN_PODS("CloneSet", "cs", "ready: 0") POD_IS_GONE("other-aaaaa")
                                  BY_COST("CloneSet", "none: 2") STEP("pass") RECONCILE("WorkloadSpread", "ws")
                                      "expect:\n" BY_COST("CloneSet", "'100': 1, '200': 1"));
}
END_TEST

/* A Deployment gets a ReplicaSet; its replicas stay as they are. */
START_TEST(test_create) {
  assert_runs(
      PAUSED("") DEPLOYMENT("d", "replicas: 0, " TEMPLATE("i")) STATEFUL_SET("s", "replicas: 1, " TEMPLATE("i"))
          OBJECT("batch/v1", "Job", "j", "parallelism: 1, " TEMPLATE("i")) STEP("a") CREATE("Deployment", "d", "2")
              "expect:\n" OWN_PODS("Deployment", "d", "ready: 0, " BY_IMAGE("i: 2"))
              "- {object: {kind: Deployment, name: d}, field: spec.replicas, equals: 0}\n"
              "- {object: {kind: Deployment, name: d}, field: status.replicas, equals: 2}\n" STEP("again")
                  CREATE("Deployment", "d", "1") "expect:\n" OWN_PODS("Deployment", "d", BY_IMAGE("i: 3"))
                      STEP("b") CREATE("StatefulSet", "s", "2") "expect:\n"
                          OWN_PODS("StatefulSet", "s", BY_NAME("s-0: 1, s-1: 1")) STEP("c")
                              SCALE("StatefulSet", "s", "4") RECONCILE("StatefulSet", "s") "expect:\n"
                                  OWN_PODS("StatefulSet", "s", BY_NAME("s-0: 1, s-1: 1, s-2: 1, s-3: 1"))
                                      STEP("d") SCALE("Job", "j", "2") RECONCILE("Job", "j") "expect:\n"
                                          OWN_PODS("Job", "j", BY_NAME("j-aaaaa: 1, j-aaaab: 1")));
}
END_TEST

/* The Deployment and its ReplicaSet are scaled together. */
START_TEST(test_deployment) {
  assert_runs(PAUSED("") DEPLOYMENT("d", "replicas: 3, " TEMPLATE("i")) STEP("a") RECONCILE("Deployment", "d")
                  "expect:\n" OWN_PODS("Deployment", "d", BY_IMAGE("i: 3")) STEP("b") SCALE("Deployment", "d", "1")
                      RECONCILE("Deployment", "d") "expect:\n" OWN_PODS("Deployment", "d", BY_IMAGE("i: 1")));
}
END_TEST

static const struct refusal refusals[] = {
    {HEAD("paused: true\n"), REBAL_EPARSE, 1, 4, "paused", "with workloads"},
    {PAUSED("") STEP("s") CREATE("CloneSet", "cs", "-1"), REBAL_EPARSE, 2, 9, "create.pods", "not negative"},
    {PAUSED("") STEP("s") "create: {kind: CloneSet, name: cs}\n", REBAL_EPARSE, 2, 9, "create.pods", "missing"},
    {PAUSED("") STEP("s") "reconcile: {kind: CloneSet}\n", REBAL_EPARSE, 2, 9, "reconcile.name", "missing"},
    {OWN_HEAD("") STEP("s") CREATE("CloneSet", "cs", "1"), REBAL_EPARSE, 2, 8, "create", "paused scenario"},
    {OWN_HEAD("") STEP("s") RECONCILE("CloneSet", "cs"), REBAL_EPARSE, 2, 8, "reconcile", "paused scenario"},
    {PAUSED("") STEP("s") CREATE("CloneSet", "cs", "1"), REBAL_ENOTFOUND, 2, 9, "create", "no such object"},
    {PAUSED("") STEP("s") RECONCILE("WorkloadSpread", "ws"), REBAL_ENOTFOUND, 2, 9, "reconcile", "no such object"},
    {PAUSED("") OBJECT("v1", "ConfigMap", "c", "") STEP("s") RECONCILE("ConfigMap", "c"), REBAL_EINVAL, 3, 14,
     "reconcile", "looks after this kind"},
};

START_TEST(test_refusals) {
  assert_refused(&refusals[_i]);
}
END_TEST

UNIT_CASE(pod_admissions) {
  TCase *cases = tcase_create("pod_admissions");
  tcase_add_test(cases, test_rows);
  tcase_add_test(cases, test_left_alone);
  tcase_add_test(cases, test_limits);
  tcase_add_test(cases, test_paused);
  tcase_add_test(cases, test_create);
  tcase_add_test(cases, test_deployment);
  tcase_add_loop_test(cases, test_refusals, 0, (int)COUNT(refusals));
  return cases;
}
