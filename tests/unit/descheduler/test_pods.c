/* SPDX-License-Identifier: MIT */
/* Pods of the snapshot as another source: of shop/web, 3 replicas in m1 and m2 each, of which 1 is ready. */
#include "../../support/allocator.h"
#include "../../support/records.h"
#include "../unit.h"
#include "fixture.h"

#include <stdio.h>

#define LONG_AGO (NOW - 301)

static uint32_t add_row(struct fixture *fixture, uint32_t cluster, uint32_t table) {
  uint32_t row;

  ck_assert_int_eq(rebal_cells_add(rebal_fleet_cells(fixture->world.fleet), table, cluster, &row, 1, NULL), REBAL_OK);
  return row;
}

static void put_text(struct fixture *fixture, uint32_t cluster, uint32_t column, uint32_t row, const char *text) {
  const uint32_t offsets[] = {0, (uint32_t)strlen(text)};

  ck_assert_int_eq(
      rebal_cells_put_text(rebal_fleet_cells(fixture->world.fleet), column, cluster, &row, text, offsets, 1, NULL),
      REBAL_OK);
}

static void put_i64(struct fixture *fixture, uint32_t cluster, uint32_t column, uint32_t row, int64_t value) {
  ck_assert_int_eq(rebal_cells_put_i64(rebal_fleet_cells(fixture->world.fleet), column, cluster, &row, &value, 1, NULL),
                   REBAL_OK);
}

static int64_t everything(struct fixture *fixture) {
  ck_assert_int_eq(rebal_builder_start(fixture->world.builder, REBAL_OBJECT_LABEL_SELECTOR, NULL), REBAL_OK);
  return test_intern(&fixture->world);
}

/* A workload of shop, by kind and name, and what controls its pods: the workload itself, or its ReplicaSet. */
static void add_workload(struct fixture *fixture, uint32_t cluster, const char *kind, const char *name) {
  const int has_set = strcmp(kind, "Deployment") == 0;
  const uint32_t workload = add_row(fixture, cluster, REBAL_TABLE_WORKLOAD);

  put_text(fixture, cluster, REBAL_WORKLOAD_KIND, workload, kind);
  put_text(fixture, cluster, REBAL_WORKLOAD_NAMESPACE, workload, "shop");
  put_text(fixture, cluster, REBAL_WORKLOAD_NAME, workload, name);
  put_text(fixture, cluster, REBAL_WORKLOAD_UID, workload, has_set ? "deployment" : "controller");
  put_text(fixture, cluster, REBAL_WORKLOAD_TEMPLATE, workload, "v1");
  put_i64(fixture, cluster, REBAL_WORKLOAD_SELECTOR, workload, everything(fixture));
  if (has_set) {
    const uint32_t set = add_row(fixture, cluster, REBAL_TABLE_REPLICA_SET);

    put_text(fixture, cluster, REBAL_REPLICA_SET_NAMESPACE, set, "shop");
    put_text(fixture, cluster, REBAL_REPLICA_SET_UID, set, "controller");
    put_text(fixture, cluster, REBAL_REPLICA_SET_CONTROLLER_UID, set, "deployment");
    put_text(fixture, cluster, REBAL_REPLICA_SET_TEMPLATE, set, "v1");
  }
}

static void add_pod(struct fixture *fixture, uint32_t cluster, int64_t since) {
  const rebal_time time = test_time(since);
  const uint32_t pod = add_row(fixture, cluster, REBAL_TABLE_POD);

  put_text(fixture, cluster, REBAL_POD_NAMESPACE, pod, "shop");
  put_text(fixture, cluster, REBAL_POD_CONTROLLER_UID, pod, "controller");
  ck_assert_int_eq(rebal_cells_put_time(rebal_fleet_cells(fixture->world.fleet), REBAL_POD_UNSCHEDULABLE_SINCE, cluster,
                                        &pod, &time, 1, NULL),
                   REBAL_OK);
}

/* Of the kind, with as many pods in m1 that wait. */
static void fill(struct fixture *fixture, const rebal_allocator *allocator, const char *kind, size_t pods) {
  char resource[32];
  const struct test_binding binding = {
      .key = "shop/web", .kind = resource, .targets = "m1=3 m2=3", .replicas = 6, .scheduled_at = NOW - 1000};

  (void)snprintf(resource, sizeof resource, "apps/v1=%s", kind);
  fixture_open(fixture, allocator);
  (void)fixture_add(fixture, &binding, "m1=1 m2=1");
  add_workload(fixture, 0, kind, "web");
  for (size_t i = 0; i < pods; i++) {
    add_pod(fixture, 0, LONG_AGO - (int64_t)i);
  }
}

static const struct {
  const char *kind;
  uint32_t flags;
  const char *answer;    /* of an estimator; NULL: there is none */
  const char *elsewhere; /* name of a workload in m2; NULL: none is known there */
  int believes_apart;    /* the failure of one cluster counts for that one alone */
  const char *clusters;
  int64_t sources[2];
} cases[] = {
    {"Deployment", 0, NULL, NULL, 0, "", {REBAL_DESCHEDULE_SOURCE_NONE, REBAL_DESCHEDULE_SOURCE_NONE}},
    {"Deployment",
     REBAL_DESCHEDULE_FLAG_FROM_PODS,
     NULL,
     NULL,
     0,
     "m1:1 m2:3",
     {REBAL_DESCHEDULE_SOURCE_PODS, REBAL_DESCHEDULE_SOURCE_NONE}},
    {"Deployment",
     REBAL_DESCHEDULE_FLAG_FROM_PODS | REBAL_DESCHEDULE_FLAG_FROM_STATUS,
     NULL,
     NULL,
     0,
     "m1:1 m2:1",
     {REBAL_DESCHEDULE_SOURCE_PODS, REBAL_DESCHEDULE_SOURCE_STATUS}},
    {"Deployment",
     REBAL_DESCHEDULE_FLAG_FROM_PODS,
     "m1=1",
     NULL,
     0,
     "m1:2 m2:3",
     {REBAL_DESCHEDULE_SOURCE_ESTIMATOR, REBAL_DESCHEDULE_SOURCE_NONE}},
    {"Deployment",
     REBAL_DESCHEDULE_FLAG_FROM_PODS,
     "m1=0 m2=1",
     NULL,
     0,
     "m1:3 m2:2",
     {REBAL_DESCHEDULE_SOURCE_ESTIMATOR, REBAL_DESCHEDULE_SOURCE_ESTIMATOR}},
    {"Deployment",
     REBAL_DESCHEDULE_FLAG_FROM_PODS,
     NULL,
     "web",
     0,
     "m1:1 m2:3",
     {REBAL_DESCHEDULE_SOURCE_PODS, REBAL_DESCHEDULE_SOURCE_PODS}},
    {"Deployment",
     REBAL_DESCHEDULE_FLAG_FROM_PODS,
     NULL,
     "other",
     0,
     "",
     {REBAL_DESCHEDULE_SOURCE_NONE, REBAL_DESCHEDULE_SOURCE_NONE}},
    {"Deployment",
     REBAL_DESCHEDULE_FLAG_FROM_PODS,
     NULL,
     "other",
     1,
     "m1:1 m2:3",
     {REBAL_DESCHEDULE_SOURCE_PODS, REBAL_DESCHEDULE_SOURCE_NONE}},
    {"Deployment",
     REBAL_DESCHEDULE_FLAG_FROM_PODS,
     "m2=1",
     "other",
     0,
     "m1:1 m2:2",
     {REBAL_DESCHEDULE_SOURCE_PODS, REBAL_DESCHEDULE_SOURCE_ESTIMATOR}},
    {"StatefulSet",
     REBAL_DESCHEDULE_FLAG_FROM_PODS | REBAL_DESCHEDULE_FLAG_GIVEN_BINDINGS,
     NULL,
     NULL,
     0,
     "",
     {REBAL_DESCHEDULE_SOURCE_NONE, REBAL_DESCHEDULE_SOURCE_NONE}},
    {"StatefulSet",
     REBAL_DESCHEDULE_FLAG_FROM_PODS | REBAL_DESCHEDULE_FLAG_ANY_KIND,
     NULL,
     NULL,
     0,
     "m1:1 m2:3",
     {REBAL_DESCHEDULE_SOURCE_PODS, REBAL_DESCHEDULE_SOURCE_NONE}},
};

START_TEST(test_who_is_believed) {
  rebal_compat *compat =
      test_compat(cases[_i].believes_apart ? REBAL_OPTION_ESTIMATOR_ALL_OR_NOTHING : REBAL_OPTION_NONE, 0);
  struct fixture fixture;

  fill(&fixture, NULL, cases[_i].kind, 2);
  fixture.opts.flags = cases[_i].flags;
  fixture.opts.compat = compat;
  if (cases[_i].answer != NULL) {
    fixture_answer(&fixture, cases[_i].answer);
  }
  if (cases[_i].elsewhere != NULL) {
    add_workload(&fixture, 1, cases[_i].kind, cases[_i].elsewhere);
  }
  ck_assert_int_eq(fixture_run(&fixture), REBAL_OK);
  ck_assert_str_eq(fixture_clusters(&fixture, 0), cases[_i].clusters);
  for (size_t row = 0; row < 2; row++) {
    ck_assert_int_eq(fixture_cell(&fixture, REBAL_DESCHEDULED_SOURCE, row), cases[_i].sources[row]);
  }
  rebal_compat_free(compat);
  fixture_close(&fixture);
}
END_TEST

/* Pods are not read for a target whose replicas are all ready: the workload that is missing there is no failure. */
START_TEST(test_targets_that_lack_nothing) {
  const struct test_binding binding = {.key = "shop/api", .targets = "m1=3 m2=3", .replicas = 6};
  struct fixture fixture;

  fill(&fixture, NULL, "Deployment", 2);
  (void)fixture_add(&fixture, &binding, "m1=1 m2=3");
  add_workload(&fixture, 0, "Deployment", "api");
  add_workload(&fixture, 1, "Deployment", "other");
  fixture.opts.flags = REBAL_DESCHEDULE_FLAG_FROM_PODS;
  ck_assert_int_eq(fixture_run(&fixture), REBAL_OK);
  ck_assert_str_eq(fixture_clusters(&fixture, 0), ""); /* it fails for m2, so that nothing counts */
  ck_assert_str_eq(fixture_clusters(&fixture, 1), "m1:1 m2:3");
  fixture_close(&fixture);
}
END_TEST

START_TEST(test_since_when) {
  struct fixture fixture;
  rebal_time since;

  fill(&fixture, NULL, "Deployment", 2);
  fixture.opts.flags = REBAL_DESCHEDULE_FLAG_FROM_PODS;
  ck_assert_int_eq(fixture_run(&fixture), REBAL_OK);
  rebal_result_time(fixture.world.result, REBAL_DESCHEDULED_SINCE, 0, &since);
  ck_assert(since.is_set);
  ck_assert_int_eq(since.seconds, LONG_AGO - 1);
  rebal_result_time(fixture.world.result, REBAL_DESCHEDULED_SINCE, 1, &since);
  ck_assert(!since.is_set);
  fixture.opts.threshold_ns = 302 * REBALI_SECOND_NS; /* the first waits for exactly as long */
  ck_assert_int_eq(fixture_run(&fixture), REBAL_OK);
  ck_assert_str_eq(fixture_clusters(&fixture, 0), "");
  fixture.opts.threshold_ns = 301 * REBALI_SECOND_NS;
  ck_assert_int_eq(fixture_run(&fixture), REBAL_OK);
  ck_assert_str_eq(fixture_clusters(&fixture, 0), "m1:2 m2:3");
  fixture_close(&fixture);
}
END_TEST

static int32_t story(const rebal_allocator *allocator, void *user_data) {
  const rebal_time now = test_time(NOW);
  struct fixture fixture;
  rebal_ctx *ctx = NULL;
  rebal_result *result = NULL;
  int32_t code;

  (void)user_data;
  fill(&fixture, NULL, "Deployment", 5);
  add_workload(&fixture, 1, "Deployment", "other");
  fixture.opts.flags = REBAL_DESCHEDULE_FLAG_FROM_PODS;
  test_freeze(&fixture.world);
  code = rebal_ctx_new(allocator, NULL, &ctx, NULL);
  code = code == REBAL_OK ? rebal_result_new(allocator, &result, NULL) : code;
  if (code == REBAL_OK) {
    code =
        rebal_deschedule_step(ctx, fixture.world.snapshot, fixture.world.bindings, &now, &fixture.opts, result, NULL);
  }
  rebal_result_free(result);
  rebal_ctx_free(ctx);
  fixture_close(&fixture);
  return code;
}

START_TEST(test_every_failing_allocation) {
  ck_assert_pstr_eq(test_torture(story, NULL), NULL);
}
END_TEST

UNIT_CASE(pods) {
  TCase *tests = tcase_create("pods");
  tcase_add_loop_test(tests, test_who_is_believed, 0, (int)REBALI_COUNT(cases));
  tcase_add_test(tests, test_targets_that_lack_nothing);
  tcase_add_test(tests, test_since_when);
  tcase_add_test(tests, test_every_failing_allocation);
  return tests;
}
