/* SPDX-License-Identifier: MIT */
#include "pass_fixture.h"

#include "../../support/allocator.h"

/* Two stuck pods whose costs change as well: ordinals 0 and 1, the status is 2, deletions are 3 and 4. */
static void open_turns(struct pass_fixture *fixture) {
  static const struct test_pod pods[] = {
      {"p1", "a", .version = "v1", .phase = REBAL_POD_PHASE_PENDING, .unschedulable = 1},
      {"p2", "a", .version = "v1", .phase = REBAL_POD_PHASE_PENDING, .unschedulable = 1}};

  pass_open(fixture, spread_of("Deployment", "a=1,b", NULL), 2);
  fixture->spread->spec.critical_seconds = 20;
  pass_add(fixture, &pods[0]);
  pass_add(fixture, &pods[1]);
}

static const struct {
  struct {
    int64_t ordinal;
    int32_t outcome;
  } seen[5];
  const char *actions; /* requested after these outcomes */
  int64_t reason;
  int is_written; /* the spread has the new status */
} turns[] = {
    {{{-1, 0}}, "patch p1, patch p2, waiting", 0, 0},
    {{{0, REBAL_OBSERVED_DONE}, {-1, 0}}, "patch p2, waiting", 0, 0},
    {{{1, REBAL_OBSERVED_CONFLICT}, {-1, 0}},
     "event PatchPodDeletionCostFailed, retry",
     REBAL_SPREAD_REASON_POD_FAILED,
     0},
    {{{0, REBAL_OBSERVED_DONE}, {1, REBAL_OBSERVED_DONE}, {-1, 0}}, "status, waiting", 0, 0},
    {{{0, REBAL_OBSERVED_DONE}, {1, REBAL_OBSERVED_DONE}, {2, REBAL_OBSERVED_CONFLICT}, {-1, 0}},
     "retry",
     REBAL_SPREAD_REASON_STATUS_FAILED,
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
     REBAL_SPREAD_REASON_DELETE_FAILED,
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
  struct pass_fixture fixture;

  open_turns(&fixture);
  ck_assert_int_eq(rebal_observations_new(NULL, &observations, NULL), REBAL_OK);
  fixture.opts.observations = observations;
  for (size_t i = 0; i < REBALI_COUNT(turns[_i].seen) && turns[_i].seen[i].ordinal >= 0; i++) {
    ck_assert_int_eq(test_observe(observations, turns[_i].seen[i].ordinal, turns[_i].seen[i].outcome, "why"), REBAL_OK);
  }
  pass_step(&fixture);
  ck_assert_str_eq(pass_actions(&fixture), turns[_i].actions);
  ck_assert_int_eq(pass_cell(&fixture, REBAL_STEP_REASON, 0), turns[_i].reason);
  ck_assert_str_eq(rebal_result_text(fixture.world.result, REBAL_STEP_MESSAGE, 0, NULL),
                   turns[_i].reason == 0 ? "" : "why");
  fixture.shown = show_status(fixture.spread);
  ck_assert_str_eq(fixture.shown.text, turns[_i].is_written ? "*:a=2/0!,b=0/-1~|v1:a=2/0!,b=0/-1~" : "");
  rebal_observations_free(observations);
  pass_close(&fixture);
}
END_TEST

/* One call after the other, with all outcomes so far. */
START_TEST(test_turns_in_order) {
  static const char *const expected[] = {"patch p1, patch p2, waiting", "status, waiting", "delete p1, waiting",
                                         "delete p2, waiting", "done"};
  rebal_observations *observations = NULL;
  struct pass_fixture fixture;

  open_turns(&fixture);
  ck_assert_int_eq(rebal_observations_new(NULL, &observations, NULL), REBAL_OK);
  fixture.opts.observations = observations;
  for (size_t turn = 0; turn < REBALI_COUNT(expected); turn++) {
    pass_step(&fixture);
    ck_assert_str_eq(pass_actions(&fixture), expected[turn]);
    for (size_t i = 0; i < rebal_result_count(fixture.world.result, REBAL_TABLE_ACTION); i++) {
      ck_assert_int_eq(
          test_observe(observations, pass_cell(&fixture, REBAL_ACTION_ORDINAL, i), REBAL_OBSERVED_DONE, NULL),
          REBAL_OK);
    }
  }
  rebal_observations_free(observations);
  pass_close(&fixture);
}
END_TEST

START_TEST(test_texts_of_failures) {
  static const char *const texts[] = {
      "WorkloadSpread ns/ws failed to patch deletion-cost annotation to -100 for Pod ns/p1 in subset a; ",
      "Failed to delete unschedulabe Pod ns/p1 in Subset a of WorkloadSpread ns/ws; "};

  for (size_t i = 0; i < REBALI_COUNT(texts); i++) {
    rebal_observations *observations = NULL;
    struct pass_fixture fixture;

    open_turns(&fixture);
    ck_assert_int_eq(rebal_observations_new(NULL, &observations, NULL), REBAL_OK);
    fixture.opts.observations = observations;
    for (int64_t ordinal = 0; ordinal < 4; ordinal++) {
      test_observe(observations, ordinal, ordinal == (i == 0 ? 0 : 3) ? REBAL_OBSERVED_DENIED : REBAL_OBSERVED_DONE,
                   NULL);
    }
    pass_step(&fixture);
    ck_assert_str_eq(pass_events(&fixture), texts[i]);
    rebal_observations_free(observations);
    pass_close(&fixture);
  }
}
END_TEST

/* A pod in no subset has a cost all the same, and an event names a subset for it. */
START_TEST(test_text_of_failure_without_subset) {
  static const struct test_pod pod = {"p1", .version = "v1"};
  rebal_observations *observations = NULL;
  struct pass_fixture fixture;

  pass_open(&fixture, spread_of("Deployment", "a=1", NULL), 2);
  pass_add(&fixture, &pod);
  ck_assert_int_eq(rebal_observations_new(NULL, &observations, NULL), REBAL_OK);
  fixture.opts.observations = observations;
  test_observe(observations, 0, REBAL_OBSERVED_DENIED, NULL);
  pass_step(&fixture);
  ck_assert_str_eq(pass_actions(&fixture), "event PatchPodDeletionCostFailed, retry");
  ck_assert_str_eq(pass_events(&fixture),
                   "WorkloadSpread ns/ws failed to patch deletion-cost annotation to -200 for Pod ns/p1 in subset "
                   "kruise.io/workloadspread-fake-subset-name; ");
  rebal_observations_free(observations);
  pass_close(&fixture);
}
END_TEST

/* The context, the result and the spread of a fixture, all of them new and of one allocator. */
static int32_t exchange(struct pass_fixture *fixture, const rebal_allocator *allocator) {
  struct test_world *world = &fixture->world;
  rebal_spread *spread = NULL;
  int32_t code = rebal_spread_new(allocator, rebal_spread_object(fixture->spread), &spread, NULL);

  rebal_ctx_free(world->ctx);
  rebal_result_free(world->result);
  world->ctx = NULL;
  world->result = NULL;
  if (code == REBAL_OK) {
    code = rebali_row_set_copy(&spread->facts, &fixture->spread->facts, REBAL_TABLE_SPREAD_WORKLOAD, 0);
    spread->spec.critical_seconds = fixture->spread->spec.critical_seconds;
  }
  rebal_spread_free(fixture->spread);
  fixture->spread = spread;
  code = code == REBAL_OK ? rebal_ctx_new(allocator, NULL, &world->ctx, NULL) : code;
  return code == REBAL_OK ? rebal_result_new(allocator, &world->result, NULL) : code;
}

/* A turn happens as a whole or not at all. */
static int32_t take_turn(const rebal_allocator *allocator, void *user_data) {
  const size_t turn = *(const size_t *)user_data;
  rebal_observations *observations = NULL;
  struct pass_fixture fixture;
  int32_t code;

  open_turns(&fixture);
  test_freeze(&fixture.world);
  ck_assert_int_eq(rebal_observations_new(NULL, &observations, NULL), REBAL_OK);
  fixture.opts.observations = observations;
  for (size_t i = 0; i < REBALI_COUNT(turns[turn].seen) && turns[turn].seen[i].ordinal >= 0; i++) {
    test_observe(observations, turns[turn].seen[i].ordinal, turns[turn].seen[i].outcome, "why");
  }
  code = exchange(&fixture, allocator);
  if (code == REBAL_OK) {
    code = pass_call(&fixture);
    if (code == REBAL_OK) {
      ck_assert_str_eq(pass_actions(&fixture), turns[turn].actions);
    } else {
      ck_assert_uint_eq(rebal_result_count(fixture.world.result, REBAL_TABLE_STEP), 0);
    }
    fixture.shown = show_status(fixture.spread);
    ck_assert_int_eq(fixture.shown.len != 0, code == REBAL_OK && turns[turn].is_written);
  }
  rebal_observations_free(observations);
  pass_close(&fixture);
  return code;
}

START_TEST(test_failing_memory) {
  size_t turn = (size_t)_i;

  ck_assert_pstr_eq(test_torture(take_turn, &turn), NULL);
}
END_TEST

/* An adoption that fails where pods have no costs: there is no cost to report. */
START_TEST(test_failed_adoption) {
  static const struct test_pod pod = {"p1", .version = "v1", .node = "n1"};
  rebal_observations *observations = NULL;
  struct pass_fixture fixture;

  pass_open(&fixture, spread_of("Job", "a=1", NULL), 2);
  pass_add_node(&fixture, "n1", NULL, NULL);
  pass_add(&fixture, &pod);
  ck_assert_int_eq(rebal_observations_new(NULL, &observations, NULL), REBAL_OK);
  fixture.opts.observations = observations;
  pass_step(&fixture);
  ck_assert_str_eq(pass_actions(&fixture), "patch p1, waiting");
  test_observe(observations, 0, REBAL_OBSERVED_CONFLICT, "why");
  pass_step(&fixture);
  ck_assert_str_eq(pass_actions(&fixture), "retry");
  ck_assert_int_eq(pass_cell(&fixture, REBAL_STEP_REASON, 0), REBAL_SPREAD_REASON_POD_FAILED);
  rebal_observations_free(observations);
  pass_close(&fixture);
}
END_TEST

START_TEST(test_flag) {
  struct pass_fixture fixture;

  open_turns(&fixture);
  fixture.opts.flags = REBAL_SPREAD_FLAG_NO_POD_ACTIONS;
  pass_step(&fixture);
  ck_assert_str_eq(pass_actions(&fixture), "status, delete p1, delete p2, done");
  ck_assert_str_eq(pass_pods(&fixture), "p1@v1=a -100cx, p2@v1=a 200cx");
  pass_close(&fixture);
}
END_TEST

/* The object of each action, and the version or uid that it expects. */
START_TEST(test_objects) {
  static const struct {
    int64_t kind;
    const char *object, *name, *version, *uid;
    int64_t row; /* place among the pods; REBAL_ABSENT: none */
  } objects[] = {{REBAL_ACTION_KIND_PATCH_METADATA, "v1 Pod", "p1", "", "", 0},
                 {REBAL_ACTION_KIND_PATCH_METADATA, "v1 Pod", "p2", "", "", 1},
                 {REBAL_ACTION_KIND_PATCH_STATUS, "apps.kruise.io/v1beta1 WorkloadSpread", "ws", "7", "", REBAL_ABSENT},
                 {REBAL_ACTION_KIND_DELETE, "v1 Pod", "p1", "", "p1", 0},
                 {REBAL_ACTION_KIND_DELETE, "v1 Pod", "p2", "", "p2", 1}};
  const rebal_result *result;
  struct pass_fixture fixture;

  open_turns(&fixture);
  pass_step(&fixture);
  result = fixture.world.result;
  ck_assert_uint_eq(rebal_result_count(result, REBAL_TABLE_ACTION), REBALI_COUNT(objects));
  for (size_t i = 0; i < REBALI_COUNT(objects); i++) {
    char object[100];

    (void)snprintf(object, sizeof object, "%s %s", rebal_result_text(result, REBAL_ACTION_API_VERSION, i, NULL),
                   rebal_result_text(result, REBAL_ACTION_OBJECT_KIND, i, NULL));
    ck_assert_str_eq(object, objects[i].object);
    ck_assert_int_eq(pass_cell(&fixture, REBAL_ACTION_KIND, i), objects[i].kind);
    ck_assert_str_eq(rebal_result_text(result, REBAL_ACTION_NAMESPACE, i, NULL), "ns");
    ck_assert_str_eq(rebal_result_text(result, REBAL_ACTION_NAME, i, NULL), objects[i].name);
    ck_assert_str_eq(rebal_result_text(result, REBAL_ACTION_RESOURCE_VERSION, i, NULL), objects[i].version);
    ck_assert_str_eq(rebal_result_text(result, REBAL_ACTION_UID, i, NULL), objects[i].uid);
    ck_assert_int_eq(pass_cell(&fixture, REBAL_ACTION_ROW, i),
                     objects[i].row == REBAL_ABSENT ? REBAL_ABSENT : fixture.rows[objects[i].row]);
  }
  pass_close(&fixture);
}
END_TEST

UNIT_CASE(actions) {
  TCase *cases = tcase_create("actions");

  tcase_add_loop_test(cases, test_turn, 0, (int)REBALI_COUNT(turns));
  tcase_add_test(cases, test_turns_in_order);
  tcase_add_test(cases, test_texts_of_failures);
  tcase_add_test(cases, test_text_of_failure_without_subset);
  tcase_add_loop_test(cases, test_failing_memory, 0, (int)REBALI_COUNT(turns));
  tcase_add_test(cases, test_failed_adoption);
  tcase_add_test(cases, test_flag);
  tcase_add_test(cases, test_objects);
  return cases;
}
