/* SPDX-License-Identifier: MIT */
/* Writes next to Karmada's scheduler: the protocol of rebalance-plan(7) 8, step by step. */
#include "plan_fixture.h"
#include "waves.h"

#include "plan/step/karmada.h"

#include <stdio.h>

/* A binding as stored by an API server. */
struct object {
  char targets[128], mark[128], task[32]; /* task: "a=4", of the plan */
  int64_t replicas, generation, observed, triggered;
  int suspended, others_task;
};

static struct waves waves;
static struct object object;
static const struct test_placement divided = {.scheduling = "Divided/Aggregated"};
static const struct test_placement duplicated = {.scheduling = "Duplicated"};
static const struct test_placement *placement;

static void setup(void) {
  waves_open(&waves, "a=10 b=10 c=10");
  waves.opts.dialect = REBAL_PLAN_DIALECT_KARMADA;
  memset(&object, 0, sizeof object);
  (void)snprintf(object.targets, sizeof object.targets, "a=4");
  object.replicas = 4;
  placement = &divided;
}
static void teardown(void) {
  waves_close(&waves);
}

static void set_text(uint32_t column, uint32_t row, const char *text) {
  ck_assert_int_eq(
      rebal_cells_set_text(rebal_bindings_cells(waves.seen), column, REBAL_NONE, row, text, strlen(text), NULL),
      REBAL_OK);
}
static void set(uint32_t column, uint32_t row, int64_t value) {
  ck_assert_int_eq(rebal_cells_set_i64(rebal_bindings_cells(waves.seen), column, REBAL_NONE, row, value, NULL),
                   REBAL_OK);
}

static void add_task(uint32_t binding, const char *cluster, const char *producer, int64_t replicas) {
  uint32_t task;

  ck_assert_int_eq(rebal_cells_add(rebal_bindings_cells(waves.seen), REBAL_TABLE_TASK, binding, &task, 1, NULL),
                   REBAL_OK);
  set(REBAL_TASK_FROM_CLUSTER, task, test_cluster_id(&waves.world, cluster));
  set(REBAL_TASK_REPLICAS, task, replicas);
  set_text(REBAL_TASK_PRODUCER, task, producer);
}

/* Reads the object and the reports of members, and returns the next action as text. */
static const char *step(const char *items) {
  const struct test_binding binding = {.replicas = object.replicas,
                                       .targets = object.targets,
                                       .placement = placement,
                                       .generation = object.generation,
                                       .observed_generation = object.observed,
                                       .triggered_at = object.triggered,
                                       .scheduled_at = 500,
                                       .suspended = object.suspended,
                                       .version = "7"};
  uint32_t row;

  waves_forget(&waves);
  row = waves_see(&waves, &binding, items);
  set_text(REBAL_BINDING_PLAN_MARK, row, object.mark);
  set(REBAL_BINDING_POD_LABELS, row, test_labels_handle(&waves.world, "app=web"));
  if (object.task[0] != '\0') {
    const char cluster[] = {object.task[0], '\0'};

    add_task(row, cluster, "librebalance-plan", object.task[2] - '0');
  }
  if (object.others_task) {
    add_task(row, "c", "someone", 1);
  }
  ck_assert_int_eq(waves_step(&waves), REBAL_OK);
  return waves_row(&waves, 0);
}

static const char *text_at(const rebal_record *record, uint32_t node, uint32_t field) {
  return rebal_record_text(record, rebali_record_get(record, node, field), NULL);
}

static void take_clusters(const rebal_record *record, uint32_t spec) {
  uint32_t node = REBAL_NONE;
  int len = 0;

  object.targets[0] = '\0';
  while ((node = rebal_record_next(record, spec, REBAL_BINDING_SPEC_CLUSTERS, node)) != REBAL_NONE) {
    len +=
        snprintf(object.targets + len, sizeof object.targets - (size_t)len, "%s%s=%lld", len == 0 ? "" : " ",
                 text_at(record, node, REBAL_TARGET_CLUSTER_NAME),
                 (long long)rebal_record_i64(record, rebali_record_get(record, node, REBAL_TARGET_CLUSTER_REPLICAS)));
  }
}

static void take_tasks(const rebal_record *record, uint32_t spec) {
  const uint32_t node = rebali_record_get(record, spec, REBAL_BINDING_SPEC_GRACEFUL_EVICTION_TASKS);

  object.task[0] = '\0';
  if (node != REBAL_NONE) {
    ck_assert_str_eq(text_at(record, node, REBAL_EVICTION_TASK_PURGE_MODE), "Gracefully");
    ck_assert_str_eq(text_at(record, node, REBAL_EVICTION_TASK_PRODUCER), "librebalance-plan");
    ck_assert_int_eq(rebal_record_i64(record, rebali_record_get(record, node, REBAL_EVICTION_TASK_SUPPRESS_DELETION)),
                     1);
    (void)snprintf(object.task, sizeof object.task, "%s=%lld", text_at(record, node, REBAL_EVICTION_TASK_FROM_CLUSTER),
                   (long long)rebal_record_i64(record, rebali_record_get(record, node, REBAL_EVICTION_TASK_REPLICAS)));
  }
}

/* Applies the write; returns the object as text, with the phase of the mark: "a=4 suspended (suspended)". */
static const char *arrive(void) {
  static char text[256];
  const size_t action = waves_action(&waves, 0);
  const rebal_record *record = rebal_result_record(waves.world.result, action);
  const int64_t replaces = waves_cell(&waves, REBAL_ACTION_REPLACES, action);
  const uint32_t spec = rebali_record_get(record, 0, REBAL_BINDING_SPEC);
  const uint32_t metadata = rebali_record_get(record, 0, REBAL_BINDING_METADATA);
  struct rebali_mark mark;

  ck_assert_str_eq(rebal_result_text(waves.world.result, REBAL_ACTION_RESOURCE_VERSION, action, NULL), "7");
  if (replaces & REBAL_REPLACES_CLUSTERS) {
    take_clusters(record, spec);
  }
  if (replaces & REBAL_REPLACES_GRACEFUL_EVICTION_TASKS) {
    take_tasks(record, spec);
  }
  object.suspended = rebali_record_get(record, spec, REBAL_BINDING_SPEC_SUSPENSION) != REBAL_NONE ? 1
                     : replaces & REBAL_REPLACES_SCHEDULING_SUSPENSION                            ? 0
                                                                                                  : object.suspended;
  if (metadata != REBAL_NONE) {
    const uint32_t pair = rebali_record_get(record, metadata, REBAL_METADATA_ANNOTATIONS);

    ck_assert_str_eq(text_at(record, pair, REBAL_PAIR_KEY), "librebalance/plan");
    (void)snprintf(object.mark, sizeof object.mark, "%s", text_at(record, pair, REBAL_PAIR_VALUE));
  } else if (replaces & REBAL_REPLACES_PLAN_MARK) {
    object.mark[0] = '\0';
  }
  rebali_mark_read(rebali_text(object.mark, strlen(object.mark)), &mark);
  (void)snprintf(text, sizeof text, "%s%s%s%s mark %u", object.targets, object.suspended ? " suspended" : "",
                 object.task[0] == '\0' ? "" : " task ", object.task, (unsigned)mark.phase);
  waves.now.seconds += 2;
  return text;
}

static void moves_to(const char *items, const char *expected) {
  ck_assert_str_eq(step(items), "moving");
  ck_assert_str_eq(arrive(), expected);
}

START_TEST(test_surge_suspends_moves_and_resumes) {
  (void)waves_plan(&waves, "web", 4, "a=4", "b=4", 2, 0);
  moves_to("a=4/4", "a=4 suspended mark 1");
  moves_to("a=4/4", "a=4 b=2 suspended mark 2");
  ck_assert_str_eq(step("a=4/4 b=2/0"), "waiting floor b");
  moves_to("a=4/4 b=2/2", "a=2 b=2 suspended mark 2");
  moves_to("a=2/2 b=2/2", "a=2 b=4 suspended mark 2");
  moves_to("a=2/2 b=4/4", "b=4 mark 0"); /* the last shrink and the resume are one patch */
  ck_assert_str_eq(step("b=4/4"), "done");
}
END_TEST

START_TEST(test_it_waits_until_all_have_caught_up) {
  (void)waves_plan(&waves, "web", 4, "a=4", "b=4", 2, 0);
  moves_to("a=4/4", "a=4 suspended mark 1");
  waves.now = (rebal_time){WAVES_NOW, 400000000, 1};
  ck_assert_str_eq(step("a=4/4"), "waiting settling");
  ck_assert_int_eq(waves_cell(&waves, REBAL_WAVE_AFTER_NS, 0), 100000000);
  ck_assert_int_eq(waves_cell(&waves, REBAL_ACTION_KIND, 0), REBAL_ACTION_KIND_WAKE);
  waves.now = test_time(WAVES_NOW + 1);
  moves_to("a=4/4", "a=4 b=2 suspended mark 2");
  waves.now = test_time(WAVES_NOW + 2);
  ck_assert_str_eq(step("a=4/4 b=2/2"), "waiting settling");
  ck_assert_int_eq(waves_cell(&waves, REBAL_WAVE_AFTER_NS, 0), 500000000);
  waves.now = test_time(WAVES_NOW - 50); /* of another clock */
  ck_assert_str_eq(step("a=4/4 b=2/2"), "waiting settling");
  ck_assert_int_eq(waves_cell(&waves, REBAL_WAVE_AFTER_NS, 0), 1500000000);
}
END_TEST

START_TEST(test_without_surge_sums_stay_equal) {
  (void)waves_plan(&waves, "web", 4, "a=4", "b=4", 0, 2);
  moves_to("a=4/4", "a=2 b=2 mark 3");
  ck_assert_str_eq(step("a=2/2 b=2/0"), "waiting floor b");
  moves_to("a=2/2 b=2/2", "b=4 mark 0");
  ck_assert_str_eq(step("b=4/3"), "waiting ready b");
}
END_TEST

/* Full clusters: replicas are removed first, under suspension, so that assignments never exceed the capacity. */
START_TEST(test_a_swap_removes_first) {
  waves_close(&waves);
  waves_open(&waves, "a=0 b=0");
  waves.opts.dialect = REBAL_PLAN_DIALECT_KARMADA;
  (void)waves_plan(&waves, "web", 4, "a=4", "b=4", 0, 1);
  moves_to("a=4/4", "a=4 suspended mark 1");
  moves_to("a=4/4", "a=3 suspended mark 2");
  ck_assert_str_eq(step("a=3/3"), "blocked capacity b");
}
END_TEST

START_TEST(test_a_drained_cluster_keeps_its_replicas_by_a_task) {
  (void)waves_plan(&waves, "web", 4, "a=4", "b=3 c=1", 4, 0);
  waves.drained[waves.plan->n_drained++] = test_cluster_id(&waves.world, "a");
  moves_to("a=4/4", "b=3 c=1 task a=4 mark 4");
  ck_assert_str_eq(step("a=4/4 b=3/3 c=1/0"), "waiting ready c");
  moves_to("a=4/4 b=3/3 c=1/1", "b=3 c=1 mark 0");
  ck_assert_str_eq(step("b=3/3 c=1/1"), "done");
}
END_TEST

/* A part of a drained cluster, or all of another one, is moved without a task. */
START_TEST(test_tasks_are_for_whole_drained_clusters) {
  (void)waves_plan(&waves, "web", 4, "a=4", "a=1 b=3", 4, 0);
  waves.drained[waves.plan->n_drained++] = test_cluster_id(&waves.world, "a");
  moves_to("a=4/4", "a=4 suspended mark 1");
  waves.drained[0] = test_cluster_id(&waves.world, "b");
  waves.plan->n_rows = waves.plan->n_cells = 0;
  (void)waves_plan(&waves, "web", 4, "a=4", "b=4", 4, 0);
  object = (struct object){.targets = "a=4", .replicas = 4};
  moves_to("a=4/4", "a=4 suspended mark 1");
}
END_TEST

START_TEST(test_a_drain_beyond_the_surge_goes_in_steps) {
  (void)waves_plan(&waves, "web", 4, "a=4", "b=4", 3, 0);
  waves.drained[waves.plan->n_drained++] = test_cluster_id(&waves.world, "a");
  moves_to("a=4/4", "a=4 suspended mark 1");
}
END_TEST

START_TEST(test_back_from_a_drain_assigns_again_what_is_kept) {
  (void)waves_plan(&waves, "web", 4, "a=4", "b=4", 4, 0);
  waves.drained[waves.plan->n_drained++] = test_cluster_id(&waves.world, "a");
  moves_to("a=4/4", "b=4 task a=4 mark 4");
  waves.opts.flags = REBAL_PLAN_STEP_FLAG_BACK;
  moves_to("a=4/4 b=4/1", "a=4 mark 0");
}
END_TEST

START_TEST(test_back_is_never_a_drain) {
  (void)waves_plan(&waves, "web", 4, "a=4", "b=4", 4, 0);
  waves.drained[waves.plan->n_drained++] = test_cluster_id(&waves.world, "b");
  (void)snprintf(object.targets, sizeof object.targets, "b=4");
  waves.opts.flags = REBAL_PLAN_STEP_FLAG_BACK;
  moves_to("b=4/4", "b=4 suspended mark 1");
}
END_TEST

/* The way back ends with what was written on the way: only the mark is removed. */
START_TEST(test_back_to_what_was_written_last) {
  (void)waves_plan(&waves, "web", 4, "b=2 c=2", "b=4", 0, 2);
  (void)snprintf(object.targets, sizeof object.targets, "a=2 c=2");
  ck_assert_str_eq(step("a=2/2 c=2/2"), "moving foreign");
  ck_assert_str_eq(arrive(), "c=2 b=2 mark 3");
  waves.opts.flags = REBAL_PLAN_STEP_FLAG_BACK;
  moves_to("b=2/2 c=2/2", "c=2 b=2 mark 0");
  ck_assert_str_eq(step("b=2/2 c=2/2"), "done");
}
END_TEST

START_TEST(test_a_cluster_that_leaves_the_fleet_on_the_way) {
  uint32_t b;

  (void)waves_plan(&waves, "web", 4, "a=4", "b=4", 2, 0);
  moves_to("a=4/4", "a=4 suspended mark 1");
  b = test_cluster_id(&waves.world, "b");
  ck_assert_int_eq(
      rebal_cells_remove(rebal_fleet_cells(waves.world.fleet), REBAL_TABLE_CLUSTER, REBAL_NONE, &b, 1, NULL), REBAL_OK);
  moves_to("a=4/4", "a=4 mark 0");
  ck_assert_str_eq(step("a=4/4"), "blocked no-cluster");
}
END_TEST

/* The member still runs six: any of the five ready ones may be among the two that are removed. */
START_TEST(test_what_runs_beyond_what_a_task_keeps) {
  (void)waves_plan(&waves, "web", 4, "a=4", "b=3 c=1", 4, 0);
  waves.drained[waves.plan->n_drained++] = test_cluster_id(&waves.world, "a");
  moves_to("a=4/4", "b=3 c=1 task a=4 mark 4");
  (void)snprintf(object.targets, sizeof object.targets, "b=1 c=1");
  ck_assert_str_eq(step("a=6/5 b=1/1 c=1/0"), "waiting floor c foreign"); /* without the three of a only one is ready */
  ck_assert_int_eq(waves_cell(&waves, REBAL_WAVE_READY, 0), 1);
  ck_assert_str_eq(step("a=6/2 b=1/1 c=1/0"), "moving foreign"); /* none of a is surely ready */
}
END_TEST

START_TEST(test_a_task_in_a_lost_cluster_keeps_nothing) {
  (void)waves_plan(&waves, "web", 4, "a=4", "b=3 c=1", 4, 0);
  waves.drained[waves.plan->n_drained++] = test_cluster_id(&waves.world, "a");
  moves_to("a=4/4", "b=3 c=1 task a=4 mark 4");
  waves_lose(&waves, "a");
  ck_assert_str_eq(step("a=4/4 b=3/3 c=1/0"), "waiting ready c");
  moves_to("a=4/4 b=3/3 c=1/1", "b=3 c=1 mark 0");
}
END_TEST

START_TEST(test_a_task_that_keeps_nothing) {
  (void)waves_plan(&waves, "web", 4, "a=4", "b=4", 2, 0);
  (void)snprintf(object.task, sizeof object.task, "a=0");
  ck_assert_str_eq(step("a=4/4"), "not-now tasks");
}
END_TEST

/* Our task is removed, and the one that someone else added stays. */
START_TEST(test_tasks_of_others_stay) {
  const rebal_record *payload;
  uint32_t spec, task;

  (void)waves_plan(&waves, "web", 4, "a=4", "b=4", 4, 0);
  waves.drained[waves.plan->n_drained++] = test_cluster_id(&waves.world, "a");
  moves_to("a=4/4", "b=4 task a=4 mark 4");
  object.others_task = 1;
  ck_assert_str_eq(step("a=4/4 b=4/4"), "moving foreign");
  payload = rebal_result_record(waves.world.result, waves_action(&waves, 0));
  spec = rebali_record_get(payload, 0, REBAL_BINDING_SPEC);
  ck_assert_uint_eq(rebali_record_count(payload, spec, REBAL_BINDING_SPEC_GRACEFUL_EVICTION_TASKS), 1);
  task = rebali_record_get(payload, spec, REBAL_BINDING_SPEC_GRACEFUL_EVICTION_TASKS);
  ck_assert_str_eq(text_at(payload, task, REBAL_EVICTION_TASK_FROM_CLUSTER), "c");
  ck_assert_str_eq(text_at(payload, task, REBAL_EVICTION_TASK_PRODUCER), "someone");
}
END_TEST

/* ---- budgets ----------------------------------------------------------------------------------------------------- */

static rebal_builder *builder;
static const rebal_record *record;

static void guard(const char *min_available) {
  const struct plan_budget budget = {"default/p", "app=web", .min_available = min_available};

  plan_build_budget(&budget, &builder, &record);
  waves.opts.budgets = &record;
  waves.opts.n_budgets = 1;
}

START_TEST(test_a_task_goes_when_the_budget_lets_all_go) {
  guard("0");
  (void)waves_plan(&waves, "web", 4, "a=4", "b=3 c=1", 4, 0);
  waves.drained[waves.plan->n_drained++] = test_cluster_id(&waves.world, "a");
  moves_to("a=4/4", "b=3 c=1 task a=4 mark 4");
  ck_assert_str_eq(step("a=4/2@990 b=3/3 c=1/0"), "waiting ready c");
  ck_assert_str_eq(step("a=4/3@990 b=3/3 c=1/1"), "waiting budget a"); /* three are healthy */
  ck_assert_str_eq(step("a=4/3@100 b=3/3 c=1/1"), "blocked budget a");
  moves_to("a=4/4 b=3/3 c=1/1", "b=3 c=1 mark 0");
  rebal_builder_free(builder);
}
END_TEST

START_TEST(test_a_drain_that_budgets_do_not_allow_at_once_goes_in_steps) {
  guard("1");
  (void)waves_plan(&waves, "web", 4, "a=4", "b=4", 4, 0);
  waves.drained[waves.plan->n_drained++] = test_cluster_id(&waves.world, "a");
  moves_to("a=4/4", "a=4 suspended mark 1");
  moves_to("a=4/4", "a=4 b=4 suspended mark 2");
  moves_to("a=4/4 b=4/4", "a=1 b=4 suspended mark 2");
  waves.now = test_time(WAVES_NOW + 100);
  ck_assert_str_eq(step("a=1/1 b=4/4"), "blocked budget a");
  rebal_builder_free(builder);
}
END_TEST

/* Removals that a suspension makes later are not charged to the budget now. */
START_TEST(test_what_is_suspended_takes_nothing) {
  static const char *const keys[] = {"default/web", "default/other"};

  guard("6");
  waves.opts.flags = REBAL_PLAN_STEP_FLAG_OWN_NOT_COUNTED;
  (void)waves_plan(&waves, "web", 4, "a=4", "b=4", 0, 4);
  (void)waves_plan(&waves, "other", 4, "a=4", "b=4", 0, 4);
  (void)waves_see_plainly(&waves, "default/full", 10, "b=10", "b=10/10");
  for (size_t i = 0; i < 2; i++) {
    const struct test_binding binding = {
        .key = keys[i], .replicas = 4, .targets = "a=4", .placement = &divided, .scheduled_at = 500, .version = "7"};
    const uint32_t row = waves_see(&waves, &binding, "a=4/4");

    set(REBAL_BINDING_POD_LABELS, row, test_labels_handle(&waves.world, "app=web"));
  }
  ck_assert_int_eq(waves_step(&waves), REBAL_OK);
  for (size_t i = 0; i < 2; i++) {
    ck_assert_int_eq(waves_cell(&waves, REBAL_WAVE_STATE, i), REBAL_WAVE_STATE_MOVING);
    ck_assert_int_eq(waves_cell(&waves, REBAL_WAVE_REMOVED, i), 0);
  }
  rebal_builder_free(builder);
}
END_TEST

static const struct {
  const char *expected;
  struct object object;
  int placement; /* see below */
} guards[] = {{"not-now suspended", {.targets = "a=4", .replicas = 4, .suspended = 1}, 0},
              {"not-now tasks", {.targets = "a=4", .replicas = 4, .others_task = 1}, 0},
              {"not-now not-observed", {.targets = "a=4", .replicas = 4, .generation = 2, .observed = 1}, 0},
              {"not-now not-observed", {.targets = "a=4", .replicas = 4, .generation = 1, .observed = 2}, 0},
              {"not-now sum", {.targets = "a=3", .replicas = 4}, 0},
              {"not-now triggered", {.targets = "a=4", .replicas = 4, .triggered = 600}, 0},
              {"moving", {.targets = "a=4", .replicas = 4, .triggered = 400}, 0},
              {"not-now duplicated", {.targets = "a=4", .replicas = 4}, 1},
              {"not-now duplicated", {.targets = "a=4", .replicas = 4}, 2},
              {"blocked replicas", {.targets = "a=4", .replicas = 5}, 0},
              {"not-now marked", {.targets = "a=4", .replicas = 4, .mark = "x"}, 0},
              {"not-now marked",
               {.targets = "a=4",
                .replicas = 4,
                .mark = "1 00000000000000010000000000000003 moving 0123456789abcdef 1970-01-01T00:00:00Z"},
               0}};

START_TEST(test_nothing_begins_where_karmada_would_undo_it) {
  const struct test_placement *const placements[] = {&divided, &duplicated, NULL};
  (void)waves_plan(&waves, "web", 4, "a=4", "b=4", 1, 1);
  object = guards[_i].object;
  placement = placements[guards[_i].placement];
  ck_assert_str_eq(step("a=4/4"), guards[_i].expected);
}
END_TEST

START_TEST(test_a_plan_of_another_sum_is_not_begun) {
  (void)waves_plan(&waves, "web", 4, "a=4", "b=3", 1, 1);
  ck_assert_str_eq(step("a=4/4"), "not-now planned-sum");
}
END_TEST

/* After any foreign write only our members are removed, and the protocol starts again from the guard. */
START_TEST(test_after_a_foreign_change_it_gives_back) {
  (void)waves_plan(&waves, "web", 4, "a=4", "b=4", 2, 0);
  moves_to("a=4/4", "a=4 suspended mark 1");
  moves_to("a=4/4", "a=4 b=2 suspended mark 2");
  (void)snprintf(object.targets, sizeof object.targets, "a=4 b=1");
  ck_assert_str_eq(step("a=4/4 b=1/1"), "moving foreign");
  ck_assert_str_eq(arrive(), "a=4 b=1 mark 0");
  ck_assert_str_eq(step("a=4/4 b=1/1"), "not-now sum");
}
END_TEST

static void nothing_else_changes(const char *what) {
  ck_assert_msg(strcmp(step("a=4/4"), "moving foreign") == 0, "%s: %s", what, waves_row(&waves, 0));
}

START_TEST(test_every_kind_of_foreign_change_is_seen) {
  (void)waves_plan(&waves, "web", 4, "a=4", "b=4", 2, 0);
  moves_to("a=4/4", "a=4 suspended mark 1");
  object.replicas = 5;
  nothing_else_changes("replicas");
  object.replicas = 4;
  object.triggered = 600;
  nothing_else_changes("trigger");
  object.triggered = 0;
  object.others_task = 1;
  nothing_else_changes("task");
  object.others_task = 0;
  object.suspended = 0;
  nothing_else_changes("suspension");
  ck_assert_str_eq(arrive(), "a=4 mark 0");
  placement = &divided;
}
END_TEST

START_TEST(test_another_placement_is_seen) {
  static const struct test_placement other = {.scheduling = "Divided/Aggregated", .spreads = "cluster:1:2"};

  (void)waves_plan(&waves, "web", 4, "a=4", "b=4", 2, 0);
  moves_to("a=4/4", "a=4 suspended mark 1");
  placement = &other;
  nothing_else_changes("placement");
}
END_TEST

/* A task is released only when enough are ready without the replicas that it keeps. */
START_TEST(test_a_task_is_released_when_it_is_not_needed) {
  (void)waves_plan(&waves, "web", 4, "a=4", "b=4", 4, 0);
  waves.drained[waves.plan->n_drained++] = test_cluster_id(&waves.world, "a");
  moves_to("a=4/4", "b=4 task a=4 mark 4");
  (void)snprintf(object.targets, sizeof object.targets, "b=3 c=1");
  ck_assert_str_eq(step("a=4/4 b=3/3 c=1/0"), "waiting floor c foreign");
  ck_assert_str_eq(step("a=4/4 b=3/3 c=1/1"), "moving foreign");
  ck_assert_str_eq(arrive(), "b=3 c=1 mark 0");
}
END_TEST

START_TEST(test_what_a_dead_mover_left_is_taken_over) {
  (void)waves_plan(&waves, "web", 4, "a=4", "b=4", 2, 0);
  moves_to("a=4/4", "a=4 suspended mark 1");
  waves.plan->inputs.low = 77; /* another plan finds the binding */
  ck_assert_str_eq(step("a=4/4"), "not-now marked");
  waves.opts.flags = REBAL_PLAN_STEP_FLAG_TAKE_OVER;
  ck_assert_str_eq(step("a=4/4"), "moving foreign");
  ck_assert_str_eq(arrive(), "a=4 mark 0");
  moves_to("a=4/4", "a=4 suspended mark 1");
}
END_TEST

START_TEST(test_nothing_is_suspended_while_nothing_can_move) {
  waves_close(&waves);
  waves_open(&waves, "a=0 b=0");
  waves.opts.dialect = REBAL_PLAN_DIALECT_KARMADA;
  (void)waves_plan(&waves, "web", 4, "a=4", "b=4", 2, 0);
  ck_assert_str_eq(step("a=4/4"), "blocked capacity b");
}
END_TEST

/* ---- memory: each allocation of a step of each phase fails in turn ----------------------------------------------- */

static void fails_at(const char *items, const char *expected) {
  ck_assert_str_eq(step(items), expected);
  ck_assert_pstr_eq(waves_torture(&waves), NULL);
}
static void fails_before(const char *items, const char *expected) {
  fails_at(items, "moving");
  ck_assert_str_eq(arrive(), expected);
}

START_TEST(test_a_surge_without_memory) {
  (void)waves_plan(&waves, "web", 4, "a=4", "b=4", 2, 0);
  waves.opts.interval_ns = 1;
  object.others_task = 1;
  fails_at("a=4/4", "not-now tasks");
  object.others_task = 0;
  fails_before("a=4/4", "a=4 suspended mark 1");
  waves.now = test_time(WAVES_NOW);
  fails_at("a=4/4", "waiting settling");
  waves.now = test_time(WAVES_NOW + 2);
  fails_before("a=4/4", "a=4 b=2 suspended mark 2");
  fails_at("a=4/4 b=2/0", "waiting floor b");
  fails_before("a=4/4 b=2/2", "a=2 b=2 suspended mark 2");
  fails_before("a=2/2 b=2/2", "a=2 b=4 suspended mark 2");
  fails_before("a=2/2 b=4/4", "b=4 mark 0");
  fails_at("b=4/4", "done");
}
END_TEST

START_TEST(test_equal_sums_without_memory) {
  (void)waves_plan(&waves, "web", 4, "a=4", "b=4", 0, 2);
  fails_before("a=4/4", "a=2 b=2 mark 3");
  fails_at("a=2/2 b=2/0", "waiting floor b");
  fails_before("a=2/2 b=2/2", "b=4 mark 0");
}
END_TEST

START_TEST(test_a_drain_without_memory) {
  (void)waves_plan(&waves, "web", 4, "a=4", "b=3 c=1", 4, 0);
  waves.drained[waves.plan->n_drained++] = test_cluster_id(&waves.world, "a");
  fails_before("a=4/4", "b=3 c=1 task a=4 mark 4");
  fails_at("a=4/4 b=3/3 c=1/0", "waiting ready c");
  fails_before("a=4/4 b=3/3 c=1/1", "b=3 c=1 mark 0");
}
END_TEST

START_TEST(test_giving_back_without_memory) {
  (void)waves_plan(&waves, "web", 4, "a=4", "b=4", 2, 0);
  moves_to("a=4/4", "a=4 suspended mark 1");
  waves.plan->inputs.low = 77;
  fails_at("a=4/4", "not-now marked");
  waves.opts.flags = REBAL_PLAN_STEP_FLAG_TAKE_OVER;
  object.others_task = 1;
  fails_at("a=4/4", "moving foreign");
  ck_assert_str_eq(arrive(), "a=4 mark 0");
}
END_TEST

UNIT_CASE(karmada) {
  TCase *cases = tcase_create("karmada");

  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_test(cases, test_surge_suspends_moves_and_resumes);
  tcase_add_test(cases, test_it_waits_until_all_have_caught_up);
  tcase_add_test(cases, test_without_surge_sums_stay_equal);
  tcase_add_test(cases, test_a_swap_removes_first);
  tcase_add_test(cases, test_a_drained_cluster_keeps_its_replicas_by_a_task);
  tcase_add_test(cases, test_a_drain_beyond_the_surge_goes_in_steps);
  tcase_add_test(cases, test_back_from_a_drain_assigns_again_what_is_kept);
  tcase_add_test(cases, test_a_task_goes_when_the_budget_lets_all_go);
  tcase_add_test(cases, test_a_drain_that_budgets_do_not_allow_at_once_goes_in_steps);
  tcase_add_test(cases, test_what_is_suspended_takes_nothing);
  tcase_add_loop_test(cases, test_nothing_begins_where_karmada_would_undo_it, 0, (int)REBALI_COUNT(guards));
  tcase_add_test(cases, test_a_plan_of_another_sum_is_not_begun);
  tcase_add_test(cases, test_after_a_foreign_change_it_gives_back);
  tcase_add_test(cases, test_every_kind_of_foreign_change_is_seen);
  tcase_add_test(cases, test_another_placement_is_seen);
  tcase_add_test(cases, test_a_task_is_released_when_it_is_not_needed);
  tcase_add_test(cases, test_what_a_dead_mover_left_is_taken_over);
  tcase_add_test(cases, test_nothing_is_suspended_while_nothing_can_move);
  tcase_add_test(cases, test_a_surge_without_memory);
  tcase_add_test(cases, test_equal_sums_without_memory);
  tcase_add_test(cases, test_a_drain_without_memory);
  tcase_add_test(cases, test_giving_back_without_memory);
  tcase_add_test(cases, test_tasks_are_for_whole_drained_clusters);
  tcase_add_test(cases, test_back_is_never_a_drain);
  tcase_add_test(cases, test_back_to_what_was_written_last);
  tcase_add_test(cases, test_a_cluster_that_leaves_the_fleet_on_the_way);
  tcase_add_test(cases, test_what_runs_beyond_what_a_task_keeps);
  tcase_add_test(cases, test_a_task_in_a_lost_cluster_keeps_nothing);
  tcase_add_test(cases, test_a_task_that_keeps_nothing);
  tcase_add_test(cases, test_tasks_of_others_stay);
  return cases;
}
