/* SPDX-License-Identifier: MIT */
/*
 * Affinity groups tried in order, in a turn and in rebal_schedule() (rebalance-karmada(7) 2.6). More turns are in
 * test_step.c.
 */
#include "turning.h"

#include "../unit.h"

static const struct test_cluster clusters[] = {{"m1", "pods=2"}, {"m2", "pods=5"}, {"m3", "pods=0"}};
static const struct test_affinity m1 = {.clusters = "m1"};
static const struct test_placement on_m1 = {.affinity = &m1, .scheduling = "Divided/Aggregated"};
static const struct test_affinity groups[] = {
    {"none", .clusters = "m9"}, {"small", .clusters = "m1"}, {"large", .clusters = "m2"}};
static const struct test_placement grouped = {.terms = groups, .n_terms = 3, .scheduling = "Divided/Aggregated"};
static const struct test_affinity twice[] = {{"same", .clusters = "m2"}, {"same", .clusters = "m1"}};
static const struct test_placement named_twice = {.terms = twice, .n_terms = 2, .scheduling = "Divided/Aggregated"};

#define WORK(count, placement_) .replicas = count, .request = "", .placement = &placement_, .generation = 4
#define LACKING(count)                                       \
  "failed to assign replicas: failed to scale up: Clusters " \
  "available replicas " count " are not enough to schedule."
#define FAILED "event Warning ScheduleBindingFailed "
#define NO_FIT "0/3 clusters are available: 3 cluster(s) did not match the placement cluster affinity constraint."
#define GROUP(index, text) \
  FAILED "failed to schedule ResourceBinding(default/web) with clusterAffiliates index(" index "): " text "\n"
#define REPORTED(result) \
  "event Normal ScheduleBindingSucceed Binding has been scheduled successfully. Result: {" result "}\n"

static const struct {
  struct test_binding binding;
  const char *actions;
  const char *answer;
  int state;
} turns[] = {
    /* what fits is written, the condition holds what is missing, and neither time nor generation changes */
    {{WORK(3, on_m1)},
     "metadata\nspec m1:2\n" REPORTED("m1:2")
         FAILED LACKING("2") "\nstatus False Unschedulable " LACKING("2") " since 100\n",
     "m1:2; 1 missing: " LACKING("2"),
     REBAL_STEP_STATE_RETRY},
    /* again: the condition is unchanged */
    {{WORK(5, on_m1), .applied = &on_m1, .targets = "m1=2", .condition = "False/Unschedulable/" LACKING("2"),
      .condition_at = 50},
     "spec m1:4\n" REPORTED("m1:4") FAILED LACKING("2") "\n",
     "m1:4; 1 missing: " LACKING("2"),
     REBAL_STEP_STATE_RETRY},
    /* a group that holds all replicas is preferred to one that holds a part */
    {{WORK(4, grouped)},
     GROUP("0", NO_FIT) GROUP("1", LACKING("2")) "metadata\nspec m2:4\n" REPORTED(
         "m2:4") "status generation=4 last=100 observing=large True Success Binding has been scheduled successfully. "
                 "since 100\n",
     "m2:4",
     REBAL_STEP_STATE_DONE},
    /* else the first that holds a part is taken, also after one that fits nothing */
    {{WORK(6, grouped)},
     GROUP("0", NO_FIT) GROUP("1", LACKING("2")) GROUP("2", LACKING("5")) "metadata\nspec m1:2\n" REPORTED("m1:2")
         FAILED LACKING("2") "\nstatus observing=small False Unschedulable " LACKING("2") " since 100\n",
     "m1:2; 4 missing: " LACKING("2"),
     REBAL_STEP_STATE_RETRY},
};

START_TEST(test_part_of_the_replicas) {
  const rebal_schedule_opts *opts = with_option(REBAL_OPTION_PARTIAL_PLACEMENT, 1);
  struct test_world world;
  size_t n;

  test_world_open(&world, NULL);
  test_world_fill(&world, clusters, REBALI_COUNT(clusters), &turns[_i].binding);
  ck_assert_str_eq(turn_actions(&world, opts), turns[_i].actions);
  ck_assert_str_eq(test_answer(world.result, world.snapshot, 0), turns[_i].answer);
  ck_assert_int_eq(rebal_result_i64(world.result, REBAL_STEP_STATE, &n)[0], turns[_i].state);
  test_world_close(&world);
}
END_TEST

/* If groups have the same name, the first one is the observed one (rebalance-karmada(7) 2.4). */
START_TEST(test_a_name_twice) {
  static const struct test_binding binding = {WORK(2, named_twice), .observed = "same"};
  struct test_world world;

  test_world_open(&world, NULL);
  test_world_fill(&world, clusters, REBALI_COUNT(clusters), &binding);
  (void)turn_actions(&world, NULL);
  ck_assert_str_eq(test_answer(world.result, world.snapshot, 0), "m2:2");
  test_world_close(&world);
}
END_TEST

/* Message and name of a failure are those of the first group (rebalance-karmada(7) 2.6). */
START_TEST(test_all_fail) {
  static const struct test_binding binding = {WORK(6, grouped), .observed = "small"};
  struct test_world world;

  test_world_open(&world, NULL);
  test_world_fill(&world, clusters, REBALI_COUNT(clusters), &binding);
  (void)turn_actions(&world, NULL);
  ck_assert_str_eq(test_answer(world.result, world.snapshot, 0), "unschedulable: " LACKING("2"));
  ck_assert_str_eq(rebal_result_text(world.result, REBAL_DECISION_AFFINITY_NAME, 0, NULL), "small");
  test_world_close(&world);
}
END_TEST

/* ---- rebal_schedule() -------------------------------------------------------------------------------------------- */

#define OF_THREE(count, observed_) {WORK(count, grouped), .observed = observed_}
#define NO_GROUP "m1:2 m2:4"

static const struct {
  struct test_binding binding;
  const char *answer;
  const char *group;
  const char *single; /* with SINGLE_GROUP */
} walks[] = {
    {OF_THREE(2, NULL), "m1:2", "small", "fit: " NO_FIT},
    {OF_THREE(4, "small"), "m2:4", "large", "unschedulable: " LACKING("2")},
    {OF_THREE(4, "large"), "m2:4", "large", "m2:4"},
    /* no wrap: an earlier group that would fit is not tried */
    {{WORK(2, grouped), .observed = "large", .evicting = "m2"}, NULL, "large", NULL},
    /* an unknown group name: starts with the first group; with SINGLE_GROUP nothing is restricted */
    {OF_THREE(2, "gone"), "m1:2", "small", "m2:2"},
    /* a fresh placement starts with the first group */
    {{WORK(2, grouped), .observed = "large", .triggered_at = 11, .scheduled_at = 10}, "m1:2", "small", "m2:2"},
    {{WORK(2, grouped), .observed = "large", .triggered_at = 10, .scheduled_at = 10}, "m2:2", "large", "m2:2"},
    /* all fail: the first group tried decides whether clusters are cleared */
    {OF_THREE(6, NULL), "fit: " NO_FIT, "none", "fit: " NO_FIT},
    {OF_THREE(6, "small"), "unschedulable: " LACKING("2"), "small", "unschedulable: " LACKING("2")},
    {OF_THREE(6, "large"), "unschedulable: " LACKING("5"), "large", "unschedulable: " LACKING("5")},
};

START_TEST(test_schedule_walks) {
  rebal_schedule_opts opts = {.struct_size = (uint32_t)sizeof opts};
  struct test_world world;

  test_world_open(&world, NULL);
  test_world_fill(&world, clusters, REBALI_COUNT(clusters), &walks[_i].binding);
  if (walks[_i].answer == NULL) {
    ck_assert_int_eq(strncmp(test_schedule(&world, &opts, 0), "fit: ", 5), 0);
  } else {
    ck_assert_str_eq(test_schedule(&world, &opts, 0), walks[_i].answer);
  }
  ck_assert_str_eq(rebal_result_text(world.result, REBAL_DECISION_AFFINITY_NAME, 0, NULL), walks[_i].group);
  opts.flags = REBAL_SCHEDULE_FLAG_SINGLE_GROUP;
  if (walks[_i].single != NULL) {
    ck_assert_str_eq(test_schedule(&world, &opts, 0), walks[_i].single);
  }
  test_world_close(&world);
}
END_TEST

START_TEST(test_schedule_in_part) {
  struct test_world world;

  test_world_open(&world, NULL);
  test_world_fill(&world, clusters, REBALI_COUNT(clusters), &turns[_i].binding);
  ck_assert_str_eq(test_schedule(&world, with_option(REBAL_OPTION_PARTIAL_PLACEMENT, 1), 0), turns[_i].answer);
  test_world_close(&world);
}
END_TEST

/* A group that is chosen after all others failed is explained once. */
START_TEST(test_explained_once) {
  rebal_schedule_opts opts = *with_option(REBAL_OPTION_PARTIAL_PLACEMENT, 1);
  const struct test_binding binding = OF_THREE(6, NULL);
  struct test_world world;
  size_t placed = 0;

  opts.explain_rows = UINT64_MAX;
  test_world_open(&world, NULL);
  test_world_fill(&world, clusters, REBALI_COUNT(clusters), &binding);
  ck_assert_str_eq(test_schedule(&world, &opts, 0), "m1:2; 4 missing: " LACKING("2"));
  for (size_t row = 0; row < rebal_result_count(world.result, REBAL_TABLE_EXPLAIN); row++) {
    placed += rebal_result_i64(world.result, REBAL_EXPLAIN_VERDICT, NULL)[row] == REBAL_WHY_PLACED;
  }
  ck_assert_uint_eq(placed, 2); /* m1 of the second group, m2 of the third */
  test_world_close(&world);
}
END_TEST

/* Nothing is charged for failed groups. */
START_TEST(test_charged_once) {
  rebal_schedule_opts opts = *with_option(REBAL_OPTION_GATE_OVERCOMMIT_PROTECTION, 1);
  const struct test_binding binding = OF_THREE(4, "small");
  struct test_world world;

  test_world_open(&world, NULL);
  test_world_fill(&world, clusters, REBALI_COUNT(clusters), &binding);
  ck_assert_int_eq(rebal_ledger_new(world.fleet, NULL, &opts.ledger, NULL), REBAL_OK);
  ck_assert_str_eq(test_schedule(&world, &opts, 0), "m2:4");
  ck_assert_int_eq(rebal_ledger_read(opts.ledger, world.result, NULL), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_SPENT), 1);
  ck_assert_int_eq(rebal_result_i64(world.result, REBAL_SPENT_CLUSTER, NULL)[0], test_cluster_id(&world, "m2"));
  ck_assert_int_eq(rebal_result_i64(world.result, REBAL_SPENT_REPLICAS, NULL)[0], 4);
  rebal_ledger_free(opts.ledger);
  test_world_close(&world);
}
END_TEST

UNIT_CASE(affinity_groups) {
  TCase *cases = tcase_create("affinity_groups");

  tcase_add_loop_test(cases, test_part_of_the_replicas, 0, (int)REBALI_COUNT(turns));
  tcase_add_test(cases, test_a_name_twice);
  tcase_add_test(cases, test_all_fail);
  tcase_add_loop_test(cases, test_schedule_walks, 0, (int)REBALI_COUNT(walks));
  tcase_add_loop_test(cases, test_schedule_in_part, 0, (int)REBALI_COUNT(turns));
  tcase_add_test(cases, test_explained_once);
  tcase_add_test(cases, test_charged_once);
  return cases;
}
