/* SPDX-License-Identifier: MIT */
/* Steps of the descheduler and of failover, recorded and replayed. */
#include <rebalance/manifest.h>

#include "../../support/fleet_builder.h"
#include "../unit.h"

#define NOW 10000
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct test_placement aggregated = {.scheduling = "Divided/Aggregated"};

/* A world in which every step has something to do, and its options. */
struct steps {
  struct test_world world;
  rebal_time now;
  rebal_time next;
  rebal_builder *builder;
  const rebal_record *budget;
  int32_t fits[2][3];
  rebal_estimator estimators[2];
  const rebal_estimator *list[2];
  rebal_deschedule_opts deschedule;
  rebal_failover_opts failover;
};

static void set(struct test_world *world, uint32_t column, uint32_t row, int64_t value) {
  ck_assert_int_eq(rebal_cells_set_i64(rebal_bindings_cells(world->bindings), column, REBAL_NONE, row, value, NULL),
                   REBAL_OK);
}

/* m2 is unhealthy for long and has 1 ready replica of 3. */
static void add_status(struct test_world *world, uint32_t binding) {
  const rebal_time since = test_time(NOW - 1000);
  uint32_t row;

  ck_assert_int_eq(
      rebal_cells_add(rebal_bindings_cells(world->bindings), REBAL_TABLE_STATUS_ITEM, binding, &row, 1, NULL),
      REBAL_OK);
  set(world, REBAL_STATUS_ITEM_CLUSTER, row, test_cluster_id(world, "m2"));
  set(world, REBAL_STATUS_ITEM_READY_REPLICAS, row, 1);
  ck_assert_int_eq(rebal_cells_set_text(rebal_bindings_cells(world->bindings), REBAL_STATUS_ITEM_HEALTH, REBAL_NONE,
                                        row, "Unhealthy", 9, NULL),
                   REBAL_OK);
  ck_assert_int_eq(
      rebal_cells_add(rebal_bindings_cells(world->bindings), REBAL_TABLE_UNHEALTHY, binding, &row, 1, NULL), REBAL_OK);
  set(world, REBAL_UNHEALTHY_CLUSTER, row, test_cluster_id(world, "m2"));
  ck_assert_int_eq(
      rebal_cells_set_time(rebal_bindings_cells(world->bindings), REBAL_UNHEALTHY_SINCE, REBAL_NONE, row, &since, NULL),
      REBAL_OK);
  ck_assert_int_eq(rebal_cells_add(rebal_bindings_cells(world->bindings), REBAL_TABLE_HISTORY, binding, &row, 1, NULL),
                   REBAL_OK);
  set(world, REBAL_HISTORY_CLUSTER, row, test_cluster_id(world, "m3"));
  ck_assert_int_eq(
      rebal_cells_set_time(rebal_bindings_cells(world->bindings), REBAL_HISTORY_TIME, REBAL_NONE, row, &since, NULL),
      REBAL_OK);
}

static void add_binding(struct steps *steps, const char *key) {
  const struct test_binding binding = {
      .key = key, .targets = "m1=2 m2=3", .evicting = "m3", .scheduled_at = NOW - 2000, .applied = &aggregated};
  const uint32_t row = test_add_binding(&steps->world, NULL, &binding);

  set(&steps->world, REBAL_BINDING_HAS_APPLICATION_FAILOVER, row, 1);
  set(&steps->world, REBAL_BINDING_PROPAGATE_DEPS, row, 1);
  set(&steps->world, REBAL_BINDING_POD_LABELS, row, test_labels_handle(&steps->world, "app=web"));
  add_status(&steps->world, row);
}

static void add_budget(struct steps *steps) {
  ck_assert_int_eq(rebal_builder_new(NULL, &steps->builder, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_start(steps->builder, REBAL_OBJECT_BUDGET, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_text(steps->builder, REBAL_BUDGET_NAMESPACE, "shop", 4, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_i64(steps->builder, REBAL_BUDGET_DISRUPTIONS_ALLOWED, 1, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_finish(steps->builder, &steps->budget, NULL), REBAL_OK);
}

static void open_steps(struct steps *steps, size_t n) {
  const struct test_cluster clusters[] = {{.name = "m1", .allocatable = "pods=9", .taints = "down:NoExecute"},
                                          {.name = "m2", .allocatable = "pods=9"},
                                          {.name = "m3", .allocatable = "pods=9"}};

  memset(steps, 0, sizeof *steps);
  test_world_open(&steps->world, NULL);
  for (size_t i = 0; i < COUNT(clusters); i++) {
    (void)test_add_cluster(&steps->world, &clusters[i]);
  }
  for (size_t i = 0; i < n; i++) {
    add_binding(steps, i == 0 ? "shop/a" : "shop/b");
  }
  test_freeze(&steps->world);
  add_budget(steps);
  steps->now = test_time(NOW);
  steps->deschedule.struct_size = (uint32_t)sizeof steps->deschedule;
  steps->deschedule.flags = REBAL_DESCHEDULE_FLAG_FROM_STATUS | REBAL_DESCHEDULE_FLAG_EXPLAIN;
  steps->failover.struct_size = (uint32_t)sizeof steps->failover;
  steps->failover.flags = REBAL_FAILOVER_FLAG_EVICT_BY_TAINT;
}

static void close_steps(struct steps *steps) {
  rebal_builder_free(steps->builder);
  test_world_close(&steps->world);
}

/* Two estimators: one for m1, one that has failed for m2. */
static void add_estimators(struct steps *steps) {
  for (size_t i = 0; i < 2; i++) {
    for (size_t k = 0; k < 3; k++) {
      steps->fits[i][k] = REBAL_FITS_NO_OPINION;
    }
    steps->estimators[i] = (rebal_estimator){(uint32_t)sizeof(rebal_estimator), 0, steps->fits[i], 3, 0};
    steps->list[i] = &steps->estimators[i];
  }
  steps->fits[0][0] = 1;
  steps->fits[1][1] = REBAL_FITS_FAILED;
  steps->deschedule.estimators = steps->list;
  steps->deschedule.n_estimators = 2;
}

static void add_caps(struct steps *steps) {
  steps->deschedule.max_total = 4;
  steps->deschedule.max_by_cluster = 3;
  steps->deschedule.max_by_namespace = 2;
  steps->deschedule.max_by_workload = 1;
}

static void use_budget(struct steps *steps) {
  steps->deschedule.budgets = &steps->budget;
  steps->deschedule.n_budgets = 1;
}

static void set_times(struct steps *steps) {
  steps->deschedule.interval_ns = 7;
  steps->deschedule.threshold_ns = 3;
  steps->failover.graceful_eviction_timeout_ns = 5;
}

static void set_pace(struct steps *steps) {
  steps->next = test_time(NOW + 5);
  steps->failover.eviction_interval_ns = 9;
  steps->failover.next_eviction = &steps->next;
}

static int32_t make(struct steps *steps, uint32_t call) {
  struct test_world *world = &steps->world;

  switch (call) {
    case REBAL_CALL_DESCHEDULE_STEP:
      return rebal_deschedule_step(world->ctx, world->snapshot, world->bindings, &steps->now, &steps->deschedule,
                                   world->result, &world->err);
    case REBAL_CALL_TAINT_EVICTION_STEP:
      return rebal_taint_eviction_step(world->ctx, world->snapshot, 0, world->bindings, &steps->now, &steps->failover,
                                       world->result, &world->err);
    case REBAL_CALL_GRACEFUL_EVICTION_STEP:
      return rebal_graceful_eviction_step(world->ctx, world->snapshot, world->bindings, &steps->now, &steps->failover,
                                          world->result, &world->err);
    default:
      return rebal_application_failover_step(world->ctx, world->snapshot, world->bindings, &steps->now,
                                             &steps->failover, world->result, &world->err);
  }
}

static rebal_recorded_call recorded(const struct steps *steps, uint32_t call) {
  return (rebal_recorded_call){.struct_size = sizeof(rebal_recorded_call),
                               .call = call,
                               .snapshot = steps->world.snapshot,
                               .bindings = steps->world.bindings,
                               .now = &steps->now,
                               .result = steps->world.result,
                               .deschedule_opts = call == REBAL_CALL_DESCHEDULE_STEP ? &steps->deschedule : NULL,
                               .failover_opts = call == REBAL_CALL_DESCHEDULE_STEP ? NULL : &steps->failover};
}

/* Each line of a text must be a call whose replay gives the same result; returns the number of lines. */
static size_t assert_same(const rebal_text *lines) {
  const char *line = rebal_text_bytes(lines, NULL);
  size_t n = 0;

  for (const char *end; (end = strchr(line, '\n')) != NULL; line = end + 1, n++) {
    rebal_error err = REBAL_ERROR_INIT;
    rebal_text *differences = NULL;
    int32_t same = 0;

    ck_assert_int_eq(rebal_text_new(&differences, NULL), REBAL_OK);
    ck_assert_msg(
        rebal_manifest_replay_call(line, (size_t)(end - line), NULL, &same, NULL, NULL, differences, &err) == REBAL_OK,
        "%s: %s", err.field, err.message);
    ck_assert_msg(same == 1, "%s\n%s", line, rebal_text_bytes(differences, NULL));
    rebal_text_free(differences);
  }
  return n;
}

static const struct {
  uint32_t call;
  size_t n; /* bindings */
  void (*change)(struct steps *steps);
  size_t actions; /* the step must do something */
} stories[] = {
    {REBAL_CALL_DESCHEDULE_STEP, 1, NULL, 4},
    {REBAL_CALL_DESCHEDULE_STEP, 2, NULL, 7},
    {REBAL_CALL_DESCHEDULE_STEP, 2, add_estimators, 7},
    {REBAL_CALL_DESCHEDULE_STEP, 2, set_times, 7},
    {REBAL_CALL_DESCHEDULE_STEP, 1, add_caps, 4},
    {REBAL_CALL_DESCHEDULE_STEP, 1, use_budget, 4},
    {REBAL_CALL_TAINT_EVICTION_STEP, 1, NULL, 1},
    {REBAL_CALL_TAINT_EVICTION_STEP, 2, NULL, 2},
    {REBAL_CALL_TAINT_EVICTION_STEP, 1, set_pace, 1},
    {REBAL_CALL_GRACEFUL_EVICTION_STEP, 2, NULL, 4},
    {REBAL_CALL_GRACEFUL_EVICTION_STEP, 2, set_times, 4},
    {REBAL_CALL_APPLICATION_FAILOVER_STEP, 2, NULL, 2},
};

START_TEST(test_steps_are_replayed) {
  struct steps steps;
  rebal_recorded_call call;
  rebal_text *lines = NULL;

  open_steps(&steps, stories[_i].n);
  if (stories[_i].change != NULL) {
    stories[_i].change(&steps);
  }
  ck_assert_int_eq(make(&steps, stories[_i].call), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(steps.world.result, REBAL_TABLE_ACTION), stories[_i].actions);
  call = recorded(&steps, stories[_i].call);
  ck_assert_int_eq(rebal_text_new(&lines, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_manifest_dump_call(&call, lines, NULL), REBAL_OK);
  ck_assert_uint_eq(assert_same(lines), stories[_i].n);
  rebal_text_free(lines);
  close_steps(&steps);
}
END_TEST

/* A step that depends on earlier bindings cannot be replayed for a single one. */
static const struct {
  uint32_t call;
  void (*change)(struct steps *steps);
} shared[] = {{REBAL_CALL_DESCHEDULE_STEP, add_caps},
              {REBAL_CALL_DESCHEDULE_STEP, use_budget},
              {REBAL_CALL_TAINT_EVICTION_STEP, set_pace}};

START_TEST(test_what_is_shared_is_not_recorded) {
  struct steps steps;
  rebal_recorded_call call;
  rebal_text *lines = NULL;

  open_steps(&steps, 2);
  shared[_i].change(&steps);
  ck_assert_int_eq(make(&steps, shared[_i].call), REBAL_OK);
  call = recorded(&steps, shared[_i].call);
  ck_assert_int_eq(rebal_text_new(&lines, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_manifest_dump_call(&call, lines, NULL), REBAL_EUNSUPPORTED);
  ck_assert_str_eq(rebal_text_bytes(lines, NULL), "");
  rebal_text_free(lines);
  close_steps(&steps);
}
END_TEST

START_TEST(test_what_is_missing_is_reported) {
  struct steps steps;
  rebal_recorded_call call;
  rebal_observations *observations = NULL;
  rebal_text *lines = NULL;

  open_steps(&steps, 1);
  ck_assert_int_eq(rebal_text_new(&lines, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_observations_new(NULL, &observations, NULL), REBAL_OK);
  ck_assert_int_eq(make(&steps, REBAL_CALL_TAINT_EVICTION_STEP), REBAL_OK);
  call = recorded(&steps, REBAL_CALL_TAINT_EVICTION_STEP);
  call.now = NULL;
  ck_assert_int_eq(rebal_manifest_dump_call(&call, lines, NULL), REBAL_EINVAL);
  call.now = &steps.now;
  call.cluster = 3;
  ck_assert_int_eq(rebal_manifest_dump_call(&call, lines, NULL), REBAL_EINVAL);
  call.cluster = REBAL_NONE;
  ck_assert_int_eq(rebal_manifest_dump_call(&call, lines, NULL), REBAL_EINVAL);
  call.cluster = 0;
  call.failover_opts = NULL;
  ck_assert_int_eq(rebal_manifest_dump_call(&call, lines, NULL), REBAL_OK);
  ck_assert_int_eq(make(&steps, REBAL_CALL_DESCHEDULE_STEP), REBAL_OK);
  call = recorded(&steps, REBAL_CALL_DESCHEDULE_STEP);
  steps.deschedule.flags |= REBAL_DESCHEDULE_FLAG_FROM_PODS;
  ck_assert_int_eq(rebal_manifest_dump_call(&call, lines, NULL), REBAL_EUNSUPPORTED);
  steps.deschedule.flags = 0;
  steps.deschedule.observations = observations;
  ck_assert_int_eq(rebal_manifest_dump_call(&call, lines, NULL), REBAL_EUNSUPPORTED);
  rebal_observations_free(observations);
  rebal_text_free(lines);
  close_steps(&steps);
}
END_TEST

#define LINE(call, rest)                                                                    \
  "{\"call\":\"" call                                                                       \
  "\",\"input\":{\"binding\":{\"kind\":\"ResourceBinding\",\"metadata\":{\"name\":\"a\"}}," \
  "\"clusters\":[{\"metadata\":{\"name\":\"m1\"}}],\"now\":\"2026-03-14T09:00:00Z\"" rest   \
  "},\"result\":{\"STEP\":[{"                                                               \
  "\"REASON\":2,\"STATE\":4}]}}"

static const struct {
  const char *line;
  const char *field; /* NULL: it is a call */
} lines[] = {
    {LINE("rebal_deschedule_step", ""), NULL},
    {LINE("rebal_deschedule_step", ",\"deschedule\":[]"), "input.deschedule"},
    {LINE("rebal_deschedule_step", ",\"deschedule\":{\"flags\":-1}"), "input.deschedule.flags"},
    {LINE("rebal_deschedule_step", ",\"deschedule\":{\"flags\":4294967296}"), "input.deschedule.flags"},
    {LINE("rebal_deschedule_step", ",\"deschedule\":{\"maxTotal\":\"x\"}"), "input.deschedule.maxTotal"},
    {LINE("rebal_deschedule_step", ",\"deschedule\":{\"budgets\":{}}"), "input.deschedule.budgets"},
    {LINE("rebal_deschedule_step", ",\"deschedule\":{\"budgets\":[{\"disruptionsAllowed\":-1}]}"),
     "input.deschedule.budgets[0].disruptionsAllowed"},
    {LINE("rebal_deschedule_step", ",\"answers\":[{\"m1\":\"x\"}]"), "input.answers[0].m1"},
    {LINE("rebal_taint_eviction_step", ",\"failover\":{\"cluster\":\"m1\"}"), NULL},
    {LINE("rebal_taint_eviction_step", ",\"failover\":{\"cluster\":\"m9\"}"), "input.failover.cluster"},
    {LINE("rebal_taint_eviction_step", ""), "input.failover.cluster"},
    {LINE("rebal_graceful_eviction_step", ""), NULL},
    {LINE("rebal_graceful_eviction_step", ",\"failover\":{\"nextEviction\":\"x\"}"), "input.failover.nextEviction"},
    {LINE("rebal_application_failover_step", ""), NULL},
    {LINE("rebal_application_failover_step", ",\"failover\":{\"evictionIntervalNs\":1.5}"),
     "input.failover.evictionIntervalNs"},
};

START_TEST(test_lines_of_steps) {
  rebal_error err = REBAL_ERROR_INIT;
  int32_t same = 0;
  const int32_t code =
      rebal_manifest_replay_call(lines[_i].line, strlen(lines[_i].line), NULL, &same, NULL, NULL, NULL, &err);

  ck_assert_msg((code == REBAL_OK) == (lines[_i].field == NULL), "%s: %s", err.field, err.message);
  ck_assert_str_eq(err.field, lines[_i].field != NULL ? lines[_i].field : "");
}
END_TEST

UNIT_CASE(call_steps) {
  TCase *tests = tcase_create("call_steps");
  tcase_add_loop_test(tests, test_steps_are_replayed, 0, (int)COUNT(stories));
  tcase_add_loop_test(tests, test_what_is_shared_is_not_recorded, 0, (int)COUNT(shared));
  tcase_add_test(tests, test_what_is_missing_is_reported);
  tcase_add_loop_test(tests, test_lines_of_steps, 0, (int)COUNT(lines));
  return tests;
}
