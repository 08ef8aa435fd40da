/* SPDX-License-Identifier: MIT */
#include "pass_fixture.h"

#include "../../support/allocator.h"

/* ---- facts of the workload --------------------------------------------------------------------------------------- */

static const struct {
  const char *kind;
  int64_t state;
  int64_t replicas;
  int64_t path_replicas; /* REBAL_ABSENT: there are no paths */
  int deleting;
  const char *after;
} facts[] = {
    {"Job", REBAL_OWNER_STATE_EXISTS, 10, REBAL_ABSENT, 0, "*:a=1/4|v1:a=1/4"},
    {"Job", REBAL_OWNER_STATE_EXISTS, 0, REBAL_ABSENT, 0, "*:a=1/0|v1:a=1/0"},
    {"Job", REBAL_OWNER_STATE_EXISTS, 10, REBAL_ABSENT, 1, "*:a=1/4|v1:a=1/4"},
    {"CloneSet", REBAL_OWNER_STATE_EXISTS, 10, REBAL_ABSENT, 0, "*:a=1/4|v1:a=1/4"},
    {"CloneSet", REBAL_OWNER_STATE_EXISTS, -1, REBAL_ABSENT, 0, "*:a=1/0|v1:a=1/0"},
    {"CloneSet", REBAL_OWNER_STATE_EXISTS, 0, REBAL_ABSENT, 0, "*:a=0/0"},
    {"CloneSet", REBAL_OWNER_STATE_EXISTS, 10, REBAL_ABSENT, 1, "*:a=0/0"},
    {"CloneSet", REBAL_OWNER_STATE_MISSING, 10, REBAL_ABSENT, 0, "*:a=0/0"},
    {"CloneSet", REBAL_OWNER_STATE_EXISTS, 10, 6, 0, "*:a=1/2|v1:a=1/2"},
    {"CloneSet", REBAL_OWNER_STATE_EXISTS, 0, 6, 0, "*:a=0/3"},
    {"CloneSet", REBAL_OWNER_STATE_MISSING, 10, 6, 0, "*:a=0/0"},
};

START_TEST(test_facts) {
  static const struct test_pod pod = {"p1", "a", .version = "v1"};
  struct pass_fixture fixture;

  pass_open(&fixture, spread_of(facts[_i].kind, "a=50%", NULL), facts[_i].replicas);
  pass_add(&fixture, &pod);
  pass_fact(&fixture, REBAL_SPREAD_WORKLOAD_STATE, facts[_i].state);
  pass_fact(&fixture, REBAL_SPREAD_WORKLOAD_DELETING, facts[_i].deleting);
  if (facts[_i].path_replicas != REBAL_ABSENT) {
    pass_fact(&fixture, REBAL_SPREAD_WORKLOAD_HAS_PATHS, 1);
    pass_fact(&fixture, REBAL_SPREAD_WORKLOAD_PATH_REPLICAS, facts[_i].path_replicas);
  }
  pass_step(&fixture);
  ck_assert_str_eq(pass_status(&fixture), facts[_i].after);
  pass_close(&fixture);
}
END_TEST

static void expect_end(struct pass_fixture *fixture, const char *actions, int64_t reason, const char *message) {
  pass_step(fixture);
  ck_assert_str_eq(pass_actions(fixture), actions);
  ck_assert_int_eq(pass_cell(fixture, REBAL_STEP_REASON, 0), reason);
  ck_assert_str_eq(rebal_result_text(fixture->world.result, REBAL_STEP_MESSAGE, 0, NULL), message);
}

START_TEST(test_ends) {
  static const struct test_pod pod = {"p1", "a", .version = "v1"};
  struct pass_fixture fixture;

  pass_open(&fixture, spread_of(NULL, "a", NULL), 1);
  pass_add(&fixture, &pod);
  expect_end(&fixture, "skipped", REBAL_SPREAD_REASON_NO_TARGET, "");
  pass_use(&fixture, spread_of("Deployment", "a", NULL), 1);
  fixture.spread->spec.is_deleting = 1;
  expect_end(&fixture, "skipped", REBAL_SPREAD_REASON_DELETING, "");
  fixture.spread->spec.is_deleting = 0;
  pass_fact(&fixture, REBAL_SPREAD_WORKLOAD_HAS_PATHS, 1);
  rebal_cells_set_text(rebal_spread_cells(fixture.spread), REBAL_SPREAD_WORKLOAD_PATH_ERROR, REBAL_NONE, 0,
                       "no such path", 12, NULL);
  expect_end(&fixture, "retry", REBAL_SPREAD_REASON_NO_REPLICAS, "no such path");
  pass_use(&fixture, spread_of("Deployment", "a", NULL), 1);
  pass_fact(&fixture, REBAL_SPREAD_WORKLOAD_LATEST_STATE, REBAL_LATEST_STATE_MISSING);
  expect_end(&fixture, "retry", REBAL_SPREAD_REASON_NO_LATEST, "Deployment.apps \"ns/web latest version\" not found");
  ck_assert_uint_eq(rebal_result_count(fixture.world.result, REBAL_TABLE_GROUPED), 1);
  pass_use(&fixture, spread_of("Job", "a", NULL), 1);
  pass_fact(&fixture, REBAL_SPREAD_WORKLOAD_LATEST_STATE, REBAL_LATEST_STATE_MISSING);
  expect_end(&fixture, "status, done", REBAL_SPREAD_REASON_DONE, "");
  pass_close(&fixture);
}
END_TEST

/* ---- refused calls ----------------------------------------------------------------------------------------------- */

START_TEST(test_refused) {
  static const struct test_pod pod = {"p1", "a"};
  const rebal_time nothing = {0, 0, 0};
  struct pass_fixture fixture;
  rebal_fleet *fleet = NULL;
  rebal_snapshot *other = NULL;

  pass_open(&fixture, spread_of("Job", "a", NULL), 1);
  pass_add(&fixture, &pod);
  test_freeze(&fixture.world);
  fixture.opts.flags = 2;
  ck_assert_int_eq(pass_call(&fixture), REBAL_EUNSUPPORTED);
  fixture.opts.flags = 0;
  fixture.opts.reserved0 = 1;
  ck_assert_int_eq(pass_call(&fixture), REBAL_EUNSUPPORTED);
  fixture.opts.reserved0 = 0;
  fixture.rows[0] = 99;
  ck_assert_int_eq(pass_call(&fixture), REBAL_ENOTFOUND);
  ck_assert_int_eq(fixture.world.err.where, 99);
  ck_assert_uint_eq(rebal_result_count(fixture.world.result, REBAL_TABLE_STEP), 0);
  fixture.cluster = 5;
  ck_assert_int_eq(pass_call(&fixture), REBAL_ENOTFOUND);
  fixture.cluster = 0;
  fixture.now = nothing;
  ck_assert_int_eq(pass_call(&fixture), REBAL_EINVAL);
  fixture.now = test_time(PASS_NOW);
  ck_assert_int_eq(rebal_fleet_new(NULL, &fleet, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_freeze(fleet, &other, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_spread_step(fixture.world.ctx, other, fixture.spread, fixture.pods, &fixture.now, NULL,
                                     fixture.world.result, NULL),
                   REBAL_EMISMATCH);
  rebal_snapshot_unref(other);
  rebal_fleet_free(fleet);
  pass_close(&fixture);
}
END_TEST

static int32_t set_workload(rebal_spread *spread) {
  rebal_cells *cells = rebal_spread_cells(spread);
  const int32_t code =
      rebal_cells_set_i64(cells, REBAL_SPREAD_WORKLOAD_STATE, REBAL_NONE, 0, REBAL_OWNER_STATE_EXISTS, NULL);

  return code == REBAL_OK ? rebal_cells_set_i64(cells, REBAL_SPREAD_WORKLOAD_REPLICAS, REBAL_NONE, 0, 4, NULL) : code;
}

/* Whatever allocation fails, the spread is as it was before, and nothing is reported. */
static int32_t pass(const rebal_allocator *memory, void *user_data) {
  static const struct test_pod pods[] = {
      {"p1", "a", .version = "v1", .created = 3},
      {"p2", "a", .version = "v2", .created = 2},
      {"p3", "a", .version = "v1", .created = 1},
      {"p4", .node = "n1", .needs = "?zone:In:a ~t:Exists"},
      {"p5", "a", .version = "v1", .phase = REBAL_POD_PHASE_PENDING, .unschedulable = 1}};
  rebal_builder *builder = new_builder();
  rebal_spread *spread = NULL;
  rebal_ctx *ctx = NULL;
  rebal_result *result = NULL;
  struct pass_fixture fixture;
  struct shown before;
  int32_t code;

  (void)user_data;
  code = rebal_spread_new(memory,
                          spread_record(builder, "Deployment", "a=1,b", "*:a=1/0,b=1/-1|v1:a=1/0+x@10-p1@990,b=0/-1"),
                          &spread, NULL);
  rebal_builder_free(builder);
  if (code == REBAL_OK) {
    code = set_workload(spread);
  }
  if (code != REBAL_OK) {
    rebal_spread_free(spread);
    return code;
  }
  pass_open(&fixture, spread_of("Deployment", "a", NULL), 4);
  spread->spec.critical_seconds = 20;
  before = show_status(spread);
  for (size_t i = 0; i < REBALI_COUNT(pods); i++) {
    pass_add(&fixture, &pods[i]);
  }
  pass_add_node(&fixture, "n1", "zone=a", "t=1:NoSchedule");
  test_freeze(&fixture.world);
  code = rebal_ctx_new(memory, NULL, &ctx, NULL);
  if (code == REBAL_OK) {
    code = rebal_result_new(memory, &result, NULL);
  }
  if (code == REBAL_OK) {
    fixture.opts.cluster = fixture.cluster;
    fixture.opts.rows = fixture.rows;
    fixture.opts.n_rows = fixture.n;
    code =
        rebal_spread_step(ctx, fixture.world.snapshot, spread, fixture.pods, &fixture.now, &fixture.opts, result, NULL);
  }
  if (code != REBAL_OK) {
    fixture.shown = show_status(spread);
    ck_assert_str_eq(fixture.shown.text, before.text);
    ck_assert_uint_eq(rebal_result_count(result, REBAL_TABLE_STEP), 0);
  }
  rebal_result_free(result);
  rebal_ctx_free(ctx);
  rebal_spread_free(spread);
  pass_close(&fixture);
  return code;
}

START_TEST(test_without_memory) {
  ck_assert_pstr_eq(test_torture(pass, NULL), NULL);
}
END_TEST

UNIT_CASE(step) {
  TCase *cases = tcase_create("step");

  tcase_add_loop_test(cases, test_facts, 0, (int)REBALI_COUNT(facts));
  tcase_add_test(cases, test_ends);
  tcase_add_test(cases, test_refused);
  tcase_add_test(cases, test_without_memory);
  return cases;
}
