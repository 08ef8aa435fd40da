/* SPDX-License-Identifier: MIT */
#include "passing.h"

#include "../../support/allocator.h"

/* ---- what there is to look at ------------------------------------------------------------------------------------ */

static const struct {
  const char *kind;
  int64_t state;
  int64_t replicas;
  int64_t path_replicas; /* REBAL_ABSENT: there are no paths */
  int deleting;
  const char *after;
} facts[] = {
    {"Job", REBAL_OWNER_EXISTS, 10, REBAL_ABSENT, 0, "*:a=1/4|v1:a=1/4"},
    {"Job", REBAL_OWNER_EXISTS, 0, REBAL_ABSENT, 0, "*:a=1/0|v1:a=1/0"},
    {"Job", REBAL_OWNER_EXISTS, 10, REBAL_ABSENT, 1, "*:a=1/4|v1:a=1/4"},
    {"CloneSet", REBAL_OWNER_EXISTS, 10, REBAL_ABSENT, 0, "*:a=1/4|v1:a=1/4"},
    {"CloneSet", REBAL_OWNER_EXISTS, -1, REBAL_ABSENT, 0, "*:a=1/0|v1:a=1/0"},
    {"CloneSet", REBAL_OWNER_EXISTS, 0, REBAL_ABSENT, 0, "*:a=0/0"},
    {"CloneSet", REBAL_OWNER_EXISTS, 10, REBAL_ABSENT, 1, "*:a=0/0"},
    {"CloneSet", REBAL_OWNER_MISSING, 10, REBAL_ABSENT, 0, "*:a=0/0"},
    {"CloneSet", REBAL_OWNER_EXISTS, 10, 6, 0, "*:a=1/2|v1:a=1/2"},
    {"CloneSet", REBAL_OWNER_EXISTS, 0, 6, 0, "*:a=0/3"},
    {"CloneSet", REBAL_OWNER_MISSING, 10, 6, 0, "*:a=0/0"},
};

START_TEST(test_facts) {
  static const struct test_pod pod = {"p1", "a", .version = "v1"};
  struct passing passing;

  passing_open(&passing, spread_of(facts[_i].kind, "a=50%", NULL), facts[_i].replicas);
  passing_add(&passing, &pod);
  passing_fact(&passing, REBAL_SPREAD_WORKLOAD_STATE, facts[_i].state);
  passing_fact(&passing, REBAL_SPREAD_WORKLOAD_DELETING, facts[_i].deleting);
  if (facts[_i].path_replicas != REBAL_ABSENT) {
    passing_fact(&passing, REBAL_SPREAD_WORKLOAD_HAS_PATHS, 1);
    passing_fact(&passing, REBAL_SPREAD_WORKLOAD_PATH_REPLICAS, facts[_i].path_replicas);
  }
  passing_step(&passing);
  ck_assert_str_eq(passing_status(&passing), facts[_i].after);
  passing_close(&passing);
}
END_TEST

static void expect_end(struct passing *passing, const char *actions, int64_t reason, const char *message) {
  passing_step(passing);
  ck_assert_str_eq(passing_actions(passing), actions);
  ck_assert_int_eq(passing_cell(passing, REBAL_STEP_REASON, 0), reason);
  ck_assert_str_eq(rebal_result_text(passing->world.result, REBAL_STEP_MESSAGE, 0, NULL), message);
}

START_TEST(test_ends) {
  static const struct test_pod pod = {"p1", "a", .version = "v1"};
  struct passing passing;

  passing_open(&passing, spread_of(NULL, "a", NULL), 1);
  passing_add(&passing, &pod);
  expect_end(&passing, "skipped", REBAL_SPREAD_PASS_NO_TARGET, "");
  passing_use(&passing, spread_of("Deployment", "a", NULL), 1);
  passing.spread->spec.is_deleting = 1;
  expect_end(&passing, "skipped", REBAL_SPREAD_PASS_DELETING, "");
  passing.spread->spec.is_deleting = 0;
  passing_fact(&passing, REBAL_SPREAD_WORKLOAD_HAS_PATHS, 1);
  rebal_spread_set_text(passing.spread, REBAL_SPREAD_WORKLOAD_PATH_ERROR, "no such path", 12, NULL);
  expect_end(&passing, "retry", REBAL_SPREAD_PASS_NO_REPLICAS, "no such path");
  passing_use(&passing, spread_of("Deployment", "a", NULL), 1);
  passing_fact(&passing, REBAL_SPREAD_WORKLOAD_LATEST_STATE, REBAL_LATEST_MISSING);
  expect_end(&passing, "retry", REBAL_SPREAD_PASS_NO_LATEST, "Deployment.apps \"ns/web latest version\" not found");
  ck_assert_uint_eq(rebal_result_count(passing.world.result, REBAL_TABLE_GROUPED), 1);
  passing_use(&passing, spread_of("Job", "a", NULL), 1);
  passing_fact(&passing, REBAL_SPREAD_WORKLOAD_LATEST_STATE, REBAL_LATEST_MISSING);
  expect_end(&passing, "status, done", REBAL_SPREAD_PASS_DONE, "");
  passing_close(&passing);
}
END_TEST

/* A selector that is not there selects all; one that is none ends the pass. */
START_TEST(test_filter) {
  static const char *const operators[] = {NULL, "Exists", "Has"};
  static const char *const actions[] = {"status, done", "status, done", "retry"};
  static const size_t grouped[] = {2, 1, 0};

  for (size_t i = 0; i < REBALI_COUNT(operators); i++) {
    static const struct test_pod pods[] = {{"p1", "a"}, {"p2", "a"}};
    rebal_builder *builder = new_builder();
    rebal_spread *spread = NULL;
    struct passing passing;

    start_spread(builder, "Job", NULL);
    put_subsets(builder, "a");
    rebal_builder_begin(builder, REBAL_SPREAD_SPEC_TARGET_FILTER, NULL);
    if (operators[i] != NULL) {
      rebal_builder_begin(builder, REBAL_TARGET_FILTER_SELECTOR, NULL);
      rebal_builder_begin(builder, REBAL_LABEL_SELECTOR_MATCH_EXPRESSIONS, NULL);
      put_text(builder, REBAL_EXPRESSION_KEY, "app");
      put_text(builder, REBAL_EXPRESSION_OPERATOR, operators[i]);
      rebal_builder_end(builder, NULL);
      rebal_builder_end(builder, NULL);
    }
    rebal_builder_end(builder, NULL);
    rebal_builder_end(builder, NULL);
    ck_assert_int_eq(rebal_spread_new(NULL, finish(builder), &spread, NULL), REBAL_OK);
    passing_open(&passing, spread, 2);
    passing_add(&passing, &pods[0]);
    passing_add(&passing, &pods[1]);
    passing_set(&passing, REBAL_SPREAD_POD_LABELS, passing.rows[1], test_labels_handle(&passing.world, "app=x"));
    passing_step(&passing);
    ck_assert_str_eq(passing_actions(&passing), actions[i]);
    ck_assert_uint_eq(rebal_result_count(passing.world.result, REBAL_TABLE_GROUPED), grouped[i]);
    passing_close(&passing);
    rebal_builder_free(builder);
  }
}
END_TEST

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* By version, subset and the order of the list; without rows all by number. */
START_TEST(test_rows) {
  static const struct test_pod pods[] = {{"p1", "b", .version = "v2"},
                                         {"p2", "x", .version = "v1"},
                                         {"p3", "a", .version = "v1"},
                                         {"p4", "a", .version = "v1"}};
  struct passing passing;
  uint32_t row;

  passing_open(&passing, spread_of("Job", "a=3,b", NULL), 2);
  for (size_t i = 0; i < REBALI_COUNT(pods); i++) {
    passing_add(&passing, &pods[i]);
  }
  row = passing.rows[2];
  passing.rows[2] = passing.rows[3];
  passing.rows[3] = row;
  passing_step(&passing);
  ck_assert_str_eq(passing_pods(&passing), "p4@v1=a , p3@v1=a , p2@v1=- , p1@v2=b ");
  ck_assert_int_eq(passing_cell(&passing, REBAL_GROUPED_BY, 0), REBAL_GROUPED_BY_ANNOTATION);
  ck_assert_int_eq(passing_cell(&passing, REBAL_GROUPED_BY, 2), REBAL_GROUPED_BY_FORMER_SUBSET);
  ck_assert_uint_eq(rebal_result_count(passing.world.result, REBAL_TABLE_SUBSET_COUNT), 6);
  ck_assert_int_eq(passing_cell(&passing, REBAL_SUBSET_COUNT_VERSION, 0), REBAL_ABSENT);
  ck_assert_int_eq(passing_cell(&passing, REBAL_SUBSET_COUNT_WANTED, 0), 3);
  ck_assert_int_eq(passing_cell(&passing, REBAL_SUBSET_COUNT_ACTIVE, 0), 2);
  ck_assert_int_eq(passing_cell(&passing, REBAL_SUBSET_COUNT_MISSING, 0), 1);
  ck_assert_int_eq(passing_cell(&passing, REBAL_SUBSET_COUNT_SCHEDULABLE, 0), REBAL_ABSENT);
  ck_assert_int_eq(rebal_spread_step(passing.world.ctx, NULL, 7, passing.spread, passing.pods, NULL, 0, &passing.now,
                                     NULL, passing.world.result, NULL),
                   REBAL_OK);
  ck_assert_str_eq(passing_pods(&passing), "p3@v1=a , p4@v1=a , p2@v1=- , p1@v2=b ");
  passing_close(&passing);
}
END_TEST

/* Versions that each keep a limit and together exceed it are told, unless the limit is theirs together. */
START_TEST(test_warning) {
  static const struct test_pod pods[] = {
      {"p1", "a", .version = "v2"}, {"p2", "a", .version = "v1"}, {"p3", "b", .version = "v1"}};
  rebal_compat *compat = test_compat(REBAL_QUIRK_SPREAD_ALL_VERSIONS, 1);
  struct passing passing;

  passing_open(&passing, spread_of("Job", "a=1,b=0,c", NULL), 2);
  for (size_t i = 0; i < REBALI_COUNT(pods); i++) {
    passing_add(&passing, &pods[i]);
  }
  passing_step(&passing);
  ck_assert_uint_eq(rebal_result_count(passing.world.result, REBAL_TABLE_WARNING), 1);
  ck_assert_str_eq(rebal_result_text(passing.world.result, REBAL_WARNING_ROW_NAME, 0, NULL), "versions-fill-twice");
  ck_assert_int_eq(passing_cell(&passing, REBAL_WARNING_REPLICAS, 0), 1);
  passing.opts.compat = compat;
  passing_step(&passing);
  ck_assert_uint_eq(rebal_result_count(passing.world.result, REBAL_TABLE_WARNING), 0);
  passing_close(&passing);
  rebal_compat_free(compat);
}
END_TEST

/* ---- turns ------------------------------------------------------------------------------------------------------- */

/* Two stuck pods whose costs change as well: ordinals 0 and 1, the status is 2, deletions are 3 and 4. */
static void open_turns(struct passing *passing) {
  static const struct test_pod pods[] = {
      {"p1", "a", .version = "v1", .phase = REBAL_PHASE_PENDING, .unschedulable = 1},
      {"p2", "a", .version = "v1", .phase = REBAL_PHASE_PENDING, .unschedulable = 1}};

  passing_open(passing, spread_of("Deployment", "a=1,b", NULL), 2);
  passing->spread->spec.critical_seconds = 20;
  passing_add(passing, &pods[0]);
  passing_add(passing, &pods[1]);
}

static const struct {
  struct {
    int64_t ordinal;
    int32_t outcome;
  } seen[5];
  const char *actions; /* that are asked for when all this was seen */
  int64_t reason;
  int is_written; /* the spread has the new status */
} turns[] = {
    {{{-1, 0}}, "patch p1, patch p2, waiting", 0, 0},
    {{{0, REBAL_OBSERVED_DONE}, {-1, 0}}, "patch p2, waiting", 0, 0},
    {{{1, REBAL_OBSERVED_CONFLICT}, {-1, 0}},
     "event PatchPodDeletionCostFailed, retry",
     REBAL_SPREAD_PASS_POD_FAILED,
     0},
    {{{0, REBAL_OBSERVED_DONE}, {1, REBAL_OBSERVED_DONE}, {-1, 0}}, "status, waiting", 0, 0},
    {{{0, REBAL_OBSERVED_DONE}, {1, REBAL_OBSERVED_DONE}, {2, REBAL_OBSERVED_CONFLICT}, {-1, 0}},
     "retry",
     REBAL_SPREAD_PASS_STATUS_FAILED,
     0},
    {{{0, REBAL_OBSERVED_DONE}, {1, REBAL_OBSERVED_DONE}, {2, REBAL_OBSERVED_DONE}, {-1, 0}},
     "delete p1, waiting",
     0,
     1},
    {{{0, REBAL_OBSERVED_DONE}, {1, REBAL_OBSERVED_DONE}, {2, REBAL_OBSERVED_DONE}, {3, REBAL_OBSERVED_DONE}, {-1, 0}},
     "delete p2, waiting",
     0,
     1},
    {{{0, REBAL_OBSERVED_DONE},
      {1, REBAL_OBSERVED_DONE},
      {2, REBAL_OBSERVED_DONE},
      {3, REBAL_OBSERVED_NOT_FOUND},
      {-1, 0}},
     "event DeletePodFailed, retry",
     REBAL_SPREAD_PASS_DELETE_FAILED,
     1},
    {{{0, REBAL_OBSERVED_DONE},
      {1, REBAL_OBSERVED_DONE},
      {2, REBAL_OBSERVED_DONE},
      {3, REBAL_OBSERVED_DONE},
      {4, REBAL_OBSERVED_DONE}},
     "done",
     0,
     1},
};

START_TEST(test_turn) {
  rebal_observations *observations = NULL;
  struct passing passing;

  open_turns(&passing);
  ck_assert_int_eq(rebal_observations_new(NULL, &observations, NULL), REBAL_OK);
  passing.opts.observations = observations;
  for (size_t i = 0; i < REBALI_COUNT(turns[_i].seen) && turns[_i].seen[i].ordinal >= 0; i++) {
    ck_assert_int_eq(rebal_observations_add(observations, turns[_i].seen[i].ordinal, turns[_i].seen[i].outcome, NULL, 0,
                                            NULL, "why", 3, NULL),
                     REBAL_OK);
  }
  passing_step(&passing);
  ck_assert_str_eq(passing_actions(&passing), turns[_i].actions);
  ck_assert_int_eq(passing_cell(&passing, REBAL_STEP_REASON, 0), turns[_i].reason);
  ck_assert_str_eq(rebal_result_text(passing.world.result, REBAL_STEP_MESSAGE, 0, NULL),
                   turns[_i].reason == 0 ? "" : "why");
  passing.shown = show_status(passing.spread);
  ck_assert_str_eq(passing.shown.text, turns[_i].is_written ? "*:a=2/0!,b=0/-1~|v1:a=2/0!,b=0/-1~" : "");
  rebal_observations_free(observations);
  passing_close(&passing);
}
END_TEST

/* One call after the other with what was seen until then. */
START_TEST(test_turns_in_order) {
  static const char *const expected[] = {"patch p1, patch p2, waiting", "status, waiting", "delete p1, waiting",
                                         "delete p2, waiting", "done"};
  rebal_observations *observations = NULL;
  struct passing passing;

  open_turns(&passing);
  ck_assert_int_eq(rebal_observations_new(NULL, &observations, NULL), REBAL_OK);
  passing.opts.observations = observations;
  for (size_t turn = 0; turn < REBALI_COUNT(expected); turn++) {
    passing_step(&passing);
    ck_assert_str_eq(passing_actions(&passing), expected[turn]);
    for (size_t i = 0; i < rebal_result_count(passing.world.result, REBAL_TABLE_ACTION); i++) {
      ck_assert_int_eq(rebal_observations_add(observations, passing_cell(&passing, REBAL_ACTION_ORDINAL, i),
                                              REBAL_OBSERVED_DONE, NULL, 0, NULL, NULL, 0, NULL),
                       REBAL_OK);
    }
  }
  rebal_observations_free(observations);
  passing_close(&passing);
}
END_TEST

START_TEST(test_texts_of_failures) {
  static const char *const texts[] = {
      "WorkloadSpread ns/ws failed to patch deletion-cost annotation to -100 for Pod ns/p1 in subset a; ",
      "Failed to delete unschedulabe Pod ns/p1 in Subset a of WorkloadSpread ns/ws; "};

  for (size_t i = 0; i < REBALI_COUNT(texts); i++) {
    rebal_observations *observations = NULL;
    struct passing passing;

    open_turns(&passing);
    ck_assert_int_eq(rebal_observations_new(NULL, &observations, NULL), REBAL_OK);
    passing.opts.observations = observations;
    for (int64_t ordinal = 0; ordinal < 4; ordinal++) {
      rebal_observations_add(observations, ordinal,
                             ordinal == (i == 0 ? 0 : 3) ? REBAL_OBSERVED_DENIED : REBAL_OBSERVED_DONE, NULL, 0, NULL,
                             NULL, 0, NULL);
    }
    passing_step(&passing);
    ck_assert_str_eq(passing_events(&passing), texts[i]);
    rebal_observations_free(observations);
    passing_close(&passing);
  }
}
END_TEST

START_TEST(test_flag) {
  struct passing passing;

  open_turns(&passing);
  passing.opts.flags = REBAL_SPREAD_NO_POD_ACTIONS;
  passing_step(&passing);
  ck_assert_str_eq(passing_actions(&passing), "status, delete p1, delete p2, done");
  ck_assert_str_eq(passing_pods(&passing), "p1@v1=a -100cx, p2@v1=a 200cx");
  passing_close(&passing);
}
END_TEST

/* ---- what is wrong ----------------------------------------------------------------------------------------------- */

START_TEST(test_refused) {
  static const struct test_pod pod = {"p1", "a"};
  const rebal_time nothing = {0, 0, 0};
  struct passing passing;
  rebal_fleet *fleet = NULL;
  rebal_snapshot *other = NULL;

  passing_open(&passing, spread_of("Job", "a", NULL), 1);
  passing_add(&passing, &pod);
  test_freeze(&passing.world);
  passing.opts.flags = 2;
  ck_assert_int_eq(passing_call(&passing), REBAL_EUNSUPPORTED);
  passing.opts.flags = 0;
  passing.rows[0] = 99;
  ck_assert_int_eq(passing_call(&passing), REBAL_ENOTFOUND);
  ck_assert_int_eq(passing.world.err.where, 99);
  ck_assert_uint_eq(rebal_result_count(passing.world.result, REBAL_TABLE_STEP), 0);
  passing.cluster = 5;
  ck_assert_int_eq(passing_call(&passing), REBAL_ENOTFOUND);
  passing.cluster = 0;
  passing.now = nothing;
  ck_assert_int_eq(passing_call(&passing), REBAL_EINVAL);
  passing.now = test_time(PASS_NOW);
  ck_assert_int_eq(rebal_fleet_new(NULL, &fleet, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_freeze(fleet, &other, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_spread_step(passing.world.ctx, other, 0, passing.spread, passing.pods, NULL, 0, &passing.now,
                                     NULL, passing.world.result, NULL),
                   REBAL_EMISMATCH);
  rebal_snapshot_unref(other);
  rebal_fleet_free(fleet);
  passing_close(&passing);
}
END_TEST

/* Whatever allocation fails, the spread is as it was before, and nothing is told. */
static int32_t pass(const rebal_allocator *memory, void *user_data) {
  static const struct test_pod pods[] = {
      {"p1", "a", .version = "v1", .created = 3},
      {"p2", "a", .version = "v2", .created = 2},
      {"p3", "a", .version = "v1", .created = 1},
      {"p4", .node = "n1", .needs = "?zone:In:a ~t:Exists"},
      {"p5", "a", .version = "v1", .phase = REBAL_PHASE_PENDING, .unschedulable = 1}};
  rebal_builder *builder = new_builder();
  rebal_spread *spread = NULL;
  rebal_ctx *ctx = NULL;
  rebal_result *result = NULL;
  struct passing passing;
  struct shown before;
  int32_t code;

  (void)user_data;
  code = rebal_spread_new(memory,
                          spread_record(builder, "Deployment", "a=1,b", "*:a=1/0,b=1/-1|v1:a=1/0+x@10-p1@990,b=0/-1"),
                          &spread, NULL);
  rebal_builder_free(builder);
  if (code != REBAL_OK) {
    return code;
  }
  passing_open(&passing, spread_of("Deployment", "a", NULL), 4);
  spread->facts.numbers[REBAL_SPREAD_WORKLOAD_STATE & 255u] = REBAL_OWNER_EXISTS;
  spread->facts.numbers[REBAL_SPREAD_WORKLOAD_REPLICAS & 255u] = 4;
  spread->spec.critical_seconds = 20;
  before = show_status(spread);
  for (size_t i = 0; i < REBALI_COUNT(pods); i++) {
    passing_add(&passing, &pods[i]);
  }
  passing_add_node(&passing, "n1", "zone=a", "t=1:NoSchedule");
  test_freeze(&passing.world);
  code = rebal_ctx_new(memory, NULL, &ctx, NULL);
  if (code == REBAL_OK) {
    code = rebal_result_new(memory, &result, NULL);
  }
  if (code == REBAL_OK) {
    code = rebal_spread_step(ctx, passing.world.snapshot, passing.cluster, spread, passing.pods, passing.rows,
                             passing.n, &passing.now, NULL, result, NULL);
  }
  if (code != REBAL_OK) {
    passing.shown = show_status(spread);
    ck_assert_str_eq(passing.shown.text, before.text);
    ck_assert_uint_eq(rebal_result_count(result, REBAL_TABLE_STEP), 0);
  }
  rebal_result_free(result);
  rebal_ctx_free(ctx);
  rebal_spread_free(spread);
  passing_close(&passing);
  return code;
}

START_TEST(test_without_memory) {
  ck_assert_ptr_null(test_torture(pass, NULL));
}
END_TEST

UNIT_CASE(step) {
  TCase *cases = tcase_create("step");

  tcase_add_loop_test(cases, test_facts, 0, (int)REBALI_COUNT(facts));
  tcase_add_test(cases, test_ends);
  tcase_add_test(cases, test_filter);
  tcase_add_test(cases, test_rows);
  tcase_add_test(cases, test_warning);
  tcase_add_loop_test(cases, test_turn, 0, (int)REBALI_COUNT(turns));
  tcase_add_test(cases, test_turns_in_order);
  tcase_add_test(cases, test_texts_of_failures);
  tcase_add_test(cases, test_flag);
  tcase_add_test(cases, test_refused);
  tcase_add_test(cases, test_without_memory);
  return cases;
}
