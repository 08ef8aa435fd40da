/* SPDX-License-Identifier: MIT */
/* What is written and what is not: unchanged conditions, objects of actions (rebalance-karmada(7) 2.7). */
#include "turning.h"

#include "../unit.h"

#include <stdio.h>

static const struct test_cluster clusters[] = {{"m1", "pods=2"}};
static const struct test_affinity nowhere = {.clusters = "m9"};
static const struct test_placement on_none = {.affinity = &nowhere};
static const struct test_affinity groups[] = {{"one"}};
static const struct test_placement grouped = {.terms = groups, .n_terms = 1, .scheduling = "Divided/Aggregated"};

#define NO_FIT "0/1 clusters are available: 1 cluster(s) did not match the placement cluster affinity constraint."
#define EVENT "event Warning ScheduleBindingFailed " NO_FIT "\n"
#define WORK .replicas = 1, .request = "", .generation = 2
#define REPORTED "event Normal ScheduleBindingSucceed Binding has been scheduled successfully. Result: {m1:1}\n"
#define SUCCESS "Binding has been scheduled successfully."
#define LACKING \
  "failed to assign replicas: failed to scale up: Clusters available replicas 2 are not enough to schedule."

static const struct {
  struct test_binding binding;
  const char *actions;
} rows[] = {
    /* the same failure again: no status is written, the transition time stays */
    {{WORK, .placement = &on_none, .applied = &on_none, .condition = "False/NoClusterFit/" NO_FIT, .condition_at = 50},
     EVENT},
    /* another reason, the same status: the transition time stays */
    {{WORK, .placement = &on_none, .applied = &on_none, .condition = "False/Unschedulable/x", .condition_at = 50},
     EVENT "status False NoClusterFit " NO_FIT " since 50\n"},
    {{WORK, .placement = &on_none, .applied = &on_none, .condition = "True/Success/" SUCCESS, .condition_at = 50},
     EVENT "status False NoClusterFit " NO_FIT " since 100\n"},
    /* success is always written, since its time changes */
    {{WORK, .placement = &aggregated, .condition = "True/Success/" SUCCESS, .condition_at = 50},
     "metadata\nspec m1:1\n" REPORTED "status generation=2 last=100 True Success " SUCCESS " since 50\n"},
    /* the annotation differs only in nil or empty: it is written again */
    {{WORK, .placement = &aggregated, .applied = &aggregated, .applied_state = REBAL_ANNOTATION_PRESENT,
      .triggered_at = 2, .scheduled_at = 1, .targets = "m1=1"},
     "metadata\n" REPORTED "status generation=2 last=100 True Success " SUCCESS " since 100\n"},
    /* the order of clusters is part of the answer */
    {{WORK, .placement = &duplicated, .applied = &duplicated, .targets = "m1=1 m1=1"},
     "spec m1:1\n" REPORTED "status generation=2 last=100 True Success " SUCCESS " since 100\n"},
    {{WORK, .placement = &grouped, .observed = "one"},
     "metadata\nspec m1:1\n" REPORTED "status generation=2 last=100 True Success " SUCCESS " since 100\n"},
};

START_TEST(test_writes) {
  struct test_world world;

  test_world_open(&world, NULL);
  test_world_fill(&world, clusters, 1, &rows[_i].binding);
  ck_assert_str_eq(turn_actions(&world, NULL), rows[_i].actions);
  test_world_close(&world);
}
END_TEST

/* An unchanged condition is written again with the name of another group. */
START_TEST(test_another_group_of_a_known_condition) {
  static const struct test_binding binding = {.replicas = 9,
                                              .request = "",
                                              .generation = 2,
                                              .placement = &grouped,
                                              .applied = &grouped,
                                              .targets = "m1=2",
                                              .condition = "False/Unschedulable/" LACKING,
                                              .condition_at = 50};
  static const char *const observed[] = {"", "one"};
  const rebal_schedule_opts *opts = with_option(REBAL_OPTION_PARTIAL_PLACEMENT, 1);

  for (size_t i = 0; i < REBALI_COUNT(observed); i++) {
    struct test_binding known = binding;
    struct test_world world;
    const char *actions;

    known.observed = observed[i];
    test_world_open(&world, NULL);
    test_world_fill(&world, clusters, 1, &known);
    actions = turn_actions(&world, opts);
    ck_assert_msg(
        (strstr(actions, "status observing=one False Unschedulable " LACKING " since 50\n") != NULL) == (i == 0), "%s",
        actions);
    ck_assert_int_eq(strstr(actions, "status") != NULL, i == 0);
    test_world_close(&world);
  }
}
END_TEST

/* Observations identify actions by their ordinals only. */
static void check_ordinals(const struct test_world *world) {
  size_t n;
  const int64_t *ordinals = rebal_result_i64(world->result, REBAL_ACTION_ORDINAL, &n);
  size_t twice = 0;

  for (size_t row = 0; row < n; row++) {
    for (size_t other = 0; other < row; other++) {
      twice += ordinals[row] == ordinals[other];
    }
  }
  ck_assert_uint_eq(twice, 0);
}

static void check_object(const struct test_world *world, size_t row, const char *api, const char *kind,
                         const char *space, const char *name, const char *uid) {
  ck_assert_str_eq(rebal_result_text(world->result, REBAL_ACTION_API_VERSION, row, NULL), api);
  ck_assert_str_eq(rebal_result_text(world->result, REBAL_ACTION_OBJECT_KIND, row, NULL), kind);
  ck_assert_str_eq(rebal_result_text(world->result, REBAL_ACTION_NAMESPACE, row, NULL), space);
  ck_assert_str_eq(rebal_result_text(world->result, REBAL_ACTION_NAME, row, NULL), name);
  ck_assert_str_eq(rebal_result_text(world->result, REBAL_ACTION_UID, row, NULL), uid);
}

/* Events are recorded on the binding first, then on its resource. */
START_TEST(test_object_of_an_action) {
  static const struct test_binding bindings[] = {{.key = "ns/a", WORK, .placement = &aggregated, .uid = "u-1"},
                                                 {.key = "b", .kind = "v1=Namespace", WORK, .placement = &aggregated}};
  struct test_world world;
  size_t n;
  const int64_t *kinds;

  test_world_open(&world, NULL);
  (void)test_add_cluster(&world, &(struct test_cluster){"m1", "pods=2", .apis = "apps/v1=Deployment v1=Namespace"});
  for (size_t i = 0; i < 2; i++) {
    (void)test_add_binding(&world, NULL, &bindings[i]);
  }
  test_freeze(&world);
  (void)turn_actions(&world, NULL);
  kinds = rebal_result_i64(world.result, REBAL_ACTION_KIND, &n);
  ck_assert_uint_eq(n, 10);
  for (size_t row = 0; row < n; row++) {
    const int second = row >= 5;

    ck_assert_int_eq(rebal_result_i64(world.result, REBAL_ACTION_ROW, &n)[row], second);
    ck_assert_int_eq(kinds[row] == REBAL_ACTION_KIND_EVENT, row % 5 == 2 || row % 5 == 3);
    if (row % 5 == 3) {
      check_object(&world, row, second ? "v1" : "apps/v1", second ? "Namespace" : "Deployment", second ? "" : "ns",
                   second ? "b" : "a", second ? "" : "u-1");
    } else {
      check_object(&world, row, "work.karmada.io/v1alpha2", second ? "ClusterResourceBinding" : "ResourceBinding",
                   second ? "" : "ns", second ? "b" : "a", "");
    }
  }
  check_ordinals(&world);
  test_world_close(&world);
}
END_TEST

START_TEST(test_a_binding_without_resource_has_events_of_its_own) {
  const struct test_binding binding = {WORK, .placement = &aggregated};
  struct test_world world;

  test_world_open(&world, NULL);
  (void)test_add_cluster(&world, clusters);
  (void)test_add_binding(&world, NULL, &binding);
  ck_assert_int_eq(rebal_cells_set_text(rebal_bindings_cells(world.bindings), REBAL_BINDING_RESOURCE_NAME, REBAL_NONE,
                                        0, "", 0, NULL),
                   REBAL_OK);
  test_freeze(&world);
  (void)turn_actions(&world, NULL);
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_ACTION), 4);
  test_world_close(&world);
}
END_TEST

START_TEST(test_ordinals_of_many_groups) {
  enum { GROUPS = 600 };
  struct test_affinity *many = calloc(GROUPS, sizeof *many);
  char(*names)[16] = calloc(GROUPS, sizeof *names);
  const struct test_placement placement = {.terms = many, .n_terms = GROUPS};
  const struct test_binding binding = {WORK, .placement = &placement};
  struct test_world world;

  ck_assert(many != NULL && names != NULL);
  for (int i = 0; i < GROUPS; i++) {
    (void)snprintf(names[i], sizeof names[i], "g%d", i);
    many[i] = (struct test_affinity){names[i], .clusters = "m9"};
  }
  test_world_open(&world, NULL);
  (void)test_add_cluster(&world, clusters);
  (void)test_add_binding(&world, NULL, &binding);
  (void)test_add_binding(&world, NULL, &binding);
  test_freeze(&world);
  ck_assert_int_eq(rebal_scheduler_step(world.ctx, world.snapshot, world.bindings, &(rebal_time){100, 0, 1}, NULL,
                                        world.result, NULL),
                   REBAL_OK);
  /* two for each group; placement, the last failure and the condition */
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_ACTION), 2 * (2 * GROUPS + 1 + 2 + 1));
  check_ordinals(&world);
  test_world_close(&world);
  free(names);
  free(many);
}
END_TEST

/* Component sets (rebalance-karmada(7) 7.1): every cluster gets the components, compared with its current ones. */
START_TEST(test_components_of_targets) {
  static const struct test_placement one_cluster = {.spreads = "cluster:1:1"};
  static const char *const before[] = {"", "driver=1 worker=3", "driver=1", "worker=3 driver=1", "driver=1 worker=2"};
  const struct test_binding binding = {.components = "driver=1 worker=3",
                                       .placement = &one_cluster,
                                       .targets = "m1=0",
                                       .applied = &one_cluster,
                                       .triggered_at = 2,
                                       .scheduled_at = 1};
  rebal_compat *compat = test_compat(REBAL_OPTION_GATE_MULTIPLE_POD_TEMPLATES, 1);
  const rebal_schedule_opts opts = {.struct_size = sizeof opts, .compat = compat};

  for (size_t i = 0; i < REBALI_COUNT(before); i++) {
    struct test_world world;
    const char *actions;

    test_world_open(&world, NULL);
    (void)test_add_cluster(&world, &(struct test_cluster){"m1", "pods=9"});
    (void)test_add_binding(&world, NULL, &binding);
    turn_set_components(&world, 0, before[i]);
    test_freeze(&world);
    actions = turn_actions(&world, &opts);
    if (i == 1) {
      ck_assert_ptr_null(strstr(actions, "spec"));
    } else {
      ck_assert_msg(strncmp(actions, "spec m1:0+driver=1+worker=3\n", 28) == 0, "%s", actions);
    }
    test_world_close(&world);
  }
  rebal_compat_free(compat);
}
END_TEST

/* Without the gate the components are removed, which needs a write. */
START_TEST(test_components_that_are_not_placed_any_more) {
  const struct test_binding binding = {
      WORK, .placement = &aggregated, .targets = "m1=1", .applied = &aggregated, .triggered_at = 2, .scheduled_at = 1};
  struct test_world world;

  test_world_open(&world, NULL);
  (void)test_add_cluster(&world, clusters);
  (void)test_add_binding(&world, NULL, &binding);
  turn_set_components(&world, 0, "driver=1");
  test_freeze(&world);
  ck_assert_str_eq(turn_actions(&world, NULL),
                   "spec m1:1\n" REPORTED "status generation=2 last=100 True Success " SUCCESS " since 100\n");
  test_world_close(&world);
}
END_TEST

UNIT_CASE(write_back) {
  TCase *cases = tcase_create("write_back");

  tcase_add_loop_test(cases, test_writes, 0, (int)REBALI_COUNT(rows));
  tcase_add_test(cases, test_another_group_of_a_known_condition);
  tcase_add_test(cases, test_object_of_an_action);
  tcase_add_test(cases, test_a_binding_without_resource_has_events_of_its_own);
  tcase_add_test(cases, test_ordinals_of_many_groups);
  tcase_add_test(cases, test_components_of_targets);
  tcase_add_test(cases, test_components_that_are_not_placed_any_more);
  return cases;
}
