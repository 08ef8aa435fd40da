/* SPDX-License-Identifier: MIT */
/* What is written and what is not: conditions that stay, who an action is about (spec karmada 2.7). */
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
#define TOLD "event Normal ScheduleBindingSucceed Binding has been scheduled successfully. Result: {m1:1}\n"
#define SUCCESS "Binding has been scheduled successfully."

static const struct {
  struct test_binding binding;
  const char *actions;
} rows[] = {
    /* the same failure again: no status is written, the time of the change stays */
    {{WORK, .placement = &on_none, .applied = &on_none, .condition = "False/NoClusterFit/" NO_FIT, .condition_at = 50},
     EVENT},
    /* another reason, the same status: since the earlier time */
    {{WORK, .placement = &on_none, .applied = &on_none, .condition = "False/Unschedulable/x", .condition_at = 50},
     EVENT "status False NoClusterFit " NO_FIT " since 50\n"},
    {{WORK, .placement = &on_none, .applied = &on_none, .condition = "True/Success/" SUCCESS, .condition_at = 50},
     EVENT "status False NoClusterFit " NO_FIT " since 100\n"},
    /* success is always written, since its time moves */
    {{WORK, .placement = &aggregated, .condition = "True/Success/" SUCCESS, .condition_at = 50},
     "metadata\nspec m1:1\n" TOLD "status generation=2 last=100 True Success " SUCCESS " since 50\n"},
    /* the annotation agrees, but not down to nil against empty: written anew */
    {{WORK, .placement = &aggregated, .applied = &aggregated, .applied_state = REBAL_APPLIED_PRESENT,
      .triggered_at = 2, .scheduled_at = 1, .targets = "m1=1"},
     "metadata\n" TOLD "status generation=2 last=100 True Success " SUCCESS " since 100\n"},
    /* the order of clusters is part of the answer */
    {{WORK, .placement = &duplicated, .applied = &duplicated, .targets = "m1=1 m1=1"},
     "spec m1:1\n" TOLD "status generation=2 last=100 True Success " SUCCESS " since 100\n"},
    {{WORK, .placement = &grouped, .observed = "one"},
     "metadata\nspec m1:1\n" TOLD "status generation=2 last=100 True Success " SUCCESS " since 100\n"},
};

START_TEST(test_writes) {
  struct test_world world;

  test_world_open(&world, NULL);
  test_world_fill(&world, clusters, 1, &rows[_i].binding);
  ck_assert_str_eq(turn_actions(&world, NULL), rows[_i].actions);
  test_world_close(&world);
}
END_TEST

START_TEST(test_who_an_action_is_about) {
  static const struct test_binding bindings[] = {{.key = "ns/a", WORK, .placement = &aggregated},
                                                 {.key = "b", WORK, .placement = &aggregated}};
  struct test_world world;
  size_t n;
  const int64_t *ordinals;

  test_world_open(&world, NULL);
  (void)test_add_cluster(&world, clusters);
  for (size_t i = 0; i < 2; i++) {
    (void)test_add_binding(&world, NULL, &bindings[i]);
  }
  test_freeze(&world);
  (void)turn_actions(&world, NULL);
  ordinals = rebal_result_i64(world.result, REBAL_ACTION_ORDINAL, &n);
  ck_assert_uint_eq(n, 8);
  for (size_t row = 0; row < n; row++) {
    const int second = row >= 4;

    ck_assert_int_eq(rebal_result_i64(world.result, REBAL_ACTION_ROW, &n)[row], second);
    ck_assert_str_eq(rebal_result_text(world.result, REBAL_ACTION_API_VERSION, row, NULL), "work.karmada.io/v1alpha2");
    ck_assert_str_eq(rebal_result_text(world.result, REBAL_ACTION_OBJECT_KIND, row, NULL),
                     second ? "ClusterResourceBinding" : "ResourceBinding");
    ck_assert_str_eq(rebal_result_text(world.result, REBAL_ACTION_NAMESPACE, row, NULL), second ? "" : "ns");
    ck_assert_str_eq(rebal_result_text(world.result, REBAL_ACTION_NAME, row, NULL), second ? "b" : "a");
    ck_assert(row == 0 || ordinals[row] > ordinals[row - 1]);
  }
  test_world_close(&world);
}
END_TEST

START_TEST(test_more_groups_than_a_block_of_ordinals) {
  enum { GROUPS = 1100 };
  struct test_affinity *many = calloc(GROUPS, sizeof *many);
  char (*names)[16] = calloc(GROUPS, sizeof *names);
  const struct test_placement placement = {.terms = many, .n_terms = GROUPS};
  const struct test_binding binding = {WORK, .placement = &placement};
  struct test_world world;
  size_t n;
  const int64_t *ordinals;

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
  ordinals = rebal_result_i64(world.result, REBAL_ACTION_ORDINAL, &n);
  for (size_t row = 1; row < n; row++) {
    ck_assert_int_gt(ordinals[row], ordinals[row - 1]);
  }
  test_world_close(&world);
  free(names);
  free(many);
}
END_TEST

UNIT_CASE(write_back) {
  TCase *cases = tcase_create("write_back");

  tcase_add_loop_test(cases, test_writes, 0, (int)REBALI_COUNT(rows));
  tcase_add_test(cases, test_who_an_action_is_about);
  tcase_add_test(cases, test_more_groups_than_a_block_of_ordinals);
  return cases;
}
