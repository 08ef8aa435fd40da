/* SPDX-License-Identifier: MIT */
/*
 * The scheduler's turn: who is left alone, groups in turn, what is retried (rebalance-karmada(7) 2.1, 2.2, 2.5 to 2.7).
 */
#include "turning.h"

#include "../unit.h"

static const struct test_cluster clusters[] = {{"m1", "pods=2"}, {"m2", "pods=5"}, {"m3", "pods=9", .apis = ""}};
static const struct test_affinity m1 = {.clusters = "m1"};
static const struct test_affinity nowhere = {.clusters = "m9"};
static const struct test_placement on_m1 = {.affinity = &m1, .scheduling = "Divided/Aggregated"};
static const struct test_placement on_none = {.affinity = &nowhere, .scheduling = "Divided/Aggregated"};
static const struct test_placement stuck = {.scheduling = "Divided"};

/* Groups: small holds 2 replicas, none has no cluster, large holds 5. */
static const struct test_affinity small_large[] = {{"small", .clusters = "m1"}, {"large", .clusters = "m2"}};
static const struct test_affinity none_small[] = {{"none", .clusters = "m9"}, {"small", .clusters = "m1"}};
static const struct test_affinity small_none[] = {{"small", .clusters = "m1"}, {"none", .clusters = "m9"}};
static const struct test_placement rising = {.terms = small_large, .n_terms = 2, .scheduling = "Divided/Aggregated"};
static const struct test_placement empty_first = {
    .terms = none_small, .n_terms = 2, .scheduling = "Divided/Aggregated"};
static const struct test_placement empty_last = {.terms = small_none, .n_terms = 2, .scheduling = "Divided/Aggregated"};

#define WORK(count, placement_) .replicas = count, .request = "", .placement = &placement_, .generation = 4
#define LACKING(count)                                       \
  "failed to assign replicas: failed to scale up: Clusters " \
  "available replicas " count " are not enough to schedule."
#define NO_FIT                                                                                              \
  "0/3 clusters are available: 1 cluster(s) did not have the API resource, 2 cluster(s) did not match the " \
  "placement cluster affinity constraint."
#define SCHEDULED "True Success Binding has been scheduled successfully."
#define REPORTED(result) \
  "event Normal ScheduleBindingSucceed Binding has been scheduled successfully. Result" result "\n"
#define FAILED_GROUP(kind, key, index) \
  "event Warning ScheduleBindingFailed failed to schedule " kind "(" key ") with clusterAffiliates index(" index "): "
#define FAILED "event Warning ScheduleBindingFailed "

static const struct {
  struct test_binding binding;
  const char *actions; /* one a line */
  const char *answer;
  int state;
} turns[] = {
    /* 2.5: one affinity */
    {{WORK(2, on_m1)},
     "metadata\nspec m1:2\n" REPORTED(": {m1:2}") "status generation=4 last=100 " SCHEDULED " since 100\n",
     "m1:2",
     REBAL_STEP_STATE_DONE},
    {{WORK(2, on_m1), .applied = &on_m1, .triggered_at = 9, .scheduled_at = 8, .targets = "m1=2"},
     REPORTED(": {m1:2}") ""
                          "status generation=4 last=100 " SCHEDULED " since 100\n",
     "m1:2",
     REBAL_STEP_STATE_DONE},
    {{WORK(5, on_m1), .targets = "m2=5"},
     FAILED LACKING("2") "\nstatus False Unschedulable " LACKING("2") " since 100\n",
     "unschedulable: " LACKING("2"),
     REBAL_STEP_STATE_RETRY},
    {{WORK(5, on_none), .targets = "m1=1"},
     "metadata\nspec\n" FAILED NO_FIT "\nstatus False NoClusterFit " NO_FIT " since 100\n",
     "fit: " NO_FIT,
     REBAL_STEP_STATE_DONE},
    {{.replicas = 0, .request = "", .placement = &on_m1, .generation = 4},
     "metadata\n" REPORTED(": {}") "status generation=4 last=100 " SCHEDULED " since 100\n",
     "",
     REBAL_STEP_STATE_DONE},
    /* a ClusterResourceBinding, whose success has no colon */
    {{WORK(2, on_m1), .key = "web"},
     "metadata\nspec m1:2\n" REPORTED(" {m1:2}") "status generation=4 last=100 " SCHEDULED " since 100\n",
     "m1:2",
     REBAL_STEP_STATE_DONE},
    /* 2.6: groups in turn */
    {{WORK(2, rising)},
     "metadata\nspec m1:2\n" REPORTED(": {m1:2}") "status generation=4 last=100 observing=small " SCHEDULED
                                                  " since 100\n",
     "m1:2",
     REBAL_STEP_STATE_DONE},
    {{WORK(4, rising)},
     FAILED_GROUP("ResourceBinding", "default/web", "0")
         LACKING("2") "\nmetadata\nspec m2:4\nevent Normal ScheduleBindingSucceed Binding has been scheduled "
                      "successfully. Result: "
                      "{m2:4}\nstatus generation=4 last=100 observing=large " SCHEDULED " since 100\n",
     "m2:4",
     REBAL_STEP_STATE_DONE},
    {{WORK(4, rising), .key = "web"},
     FAILED_GROUP("ClusterResourceBinding", "web", "0")
         LACKING("2") "\nmetadata\nspec m2:4\nevent Normal ScheduleBindingSucceed Binding has been scheduled "
                      "successfully. Result "
                      "{m2:4}\nstatus generation=4 last=100 observing=large " SCHEDULED " since 100\n",
     "m2:4",
     REBAL_STEP_STATE_DONE},
    /* stays with the group it fell back to */
    {{WORK(2, rising), .observed = "large"},
     "metadata\nspec m2:2\n" REPORTED(": {m2:2}") "status generation=4 last=100 " SCHEDULED " since 100\n",
     "m2:2",
     REBAL_STEP_STATE_DONE},
    /* an explicit trigger migrates back */
    {{WORK(2, rising), .observed = "large", .applied = &rising, .targets = "m2=2", .triggered_at = 9,
      .scheduled_at = 8},
     "spec m1:2\n" REPORTED(": {m1:2}") "status generation=4 last=100 observing=small " SCHEDULED " since 100\n",
     "m1:2",
     REBAL_STEP_STATE_DONE},
    /* the last group does not wrap around */
    {{WORK(6, rising), .observed = "large"},
     FAILED_GROUP("ResourceBinding", "default/web", "1")
         LACKING("5") "\nstatus False Unschedulable " LACKING("5") " since 100\n",
     "unschedulable: " LACKING("5"),
     REBAL_STEP_STATE_RETRY},
    /* a name that is gone starts at the first */
    {{WORK(2, rising), .observed = "gone"},
     "metadata\nspec m1:2\n" REPORTED(": {m1:2}") "status generation=4 last=100 observing=small " SCHEDULED
                                                  " since 100\n",
     "m1:2",
     REBAL_STEP_STATE_DONE},
    /* only the first failure decides: no fit first clears, and is not retried */
    {{WORK(4, empty_first), .targets = "m1=1"},
     FAILED_GROUP("ResourceBinding", "default/web", "0") NO_FIT
     "\n" FAILED_GROUP("ResourceBinding", "default/web", "1") "failed to assign replicas: failed to scale up: Clusters "
                                                              "available replicas 2 are not enough to schedule.\n"
                                                              "metadata\nspec\n" FAILED NO_FIT
                                                              "\nstatus False NoClusterFit " NO_FIT " since 100\n",
     "fit: " NO_FIT,
     REBAL_STEP_STATE_DONE},
    {{WORK(4, empty_last), .targets = "m1=1"},
     FAILED_GROUP("ResourceBinding", "default/web", "0") LACKING("2") "\n" FAILED_GROUP(
         "ResourceBinding", "default/web", "1") NO_FIT "\nstatus False Unschedulable " LACKING("2") " since 100\n",
     "unschedulable: " LACKING("2"),
     REBAL_STEP_STATE_RETRY},
    /* other errors */
    {{WORK(4, stuck), .targets = "m1=1"},
     FAILED
     "failed to assign replicas: unsupported replica scheduling strategy, replicaSchedulingType: Divided, "
     "replicaDivisionPreference: , please try another scheduling strategy\nstatus False SchedulerError "
     "failed to assign "
     "replicas: unsupported replica scheduling strategy, replicaSchedulingType: Divided, replicaDivisionPreference: , "
     "please try another scheduling strategy since 100\n",
     "error: failed to assign replicas: unsupported replica scheduling strategy, replicaSchedulingType: Divided, "
     "replicaDivisionPreference: , please try another scheduling strategy",
     REBAL_STEP_STATE_RETRY},
    /* 2.2: exits, and 2.1: not ours */
    {{.replicas = 1}, "", "error: failed to get placement from resourceBinding(default/web)", REBAL_STEP_STATE_RETRY},
    {{.replicas = 1, .key = "web"},
     "",
     "error: failed to get placement from clusterResourceBinding(web)",
     REBAL_STEP_STATE_RETRY},
    {{WORK(2, on_m1), .deleting = 1},
     FAILED "skip schedule deleting resourceBinding: default/web\n",
     "skipped",
     REBAL_STEP_STATE_SKIPPED},
    {{.key = "web", .deleting = 1},
     FAILED "skip schedule deleting clusterResourceBinding: web\n",
     "skipped",
     REBAL_STEP_STATE_SKIPPED},
    {{WORK(2, on_m1), .suspended = 1}, "", "skipped", REBAL_STEP_STATE_SKIPPED},
    {{WORK(2, on_m1), .unmanaged = 1}, "", "skipped", REBAL_STEP_STATE_SKIPPED},
    {{WORK(2, on_m1), .scheduler = "other"}, "", "skipped", REBAL_STEP_STATE_SKIPPED},
    {{WORK(2, on_m1), .scheduler = "other", .deleting = 1}, "", "skipped", REBAL_STEP_STATE_SKIPPED},
    /* row 6 */
    {{WORK(2, on_m1), .applied = &on_m1, .targets = "m2=2"},
     "status generation=4\n",
     "unchanged",
     REBAL_STEP_STATE_DONE},
    {{WORK(2, on_m1), .applied = &on_m1, .targets = "m2=2", .observed_generation = 4},
     "",
     "unchanged",
     REBAL_STEP_STATE_DONE},
};

START_TEST(test_turns) {
  struct test_world world;
  size_t n;

  test_world_open(&world, NULL);
  test_world_fill(&world, clusters, 3, &turns[_i].binding);
  ck_assert_str_eq(turn_actions(&world, NULL), turns[_i].actions);
  ck_assert_str_eq(test_answer(world.result, world.snapshot, 0), turns[_i].answer);
  ck_assert_int_eq(rebal_result_i64(world.result, REBAL_STEP_STATE, &n)[0], turns[_i].state);
  ck_assert_uint_eq(n, 1);
  test_world_close(&world);
}
END_TEST

START_TEST(test_another_scheduler_takes_its_own) {
  static const char name[] = "batch";
  static const rebal_schedule_opts opts = {
      .struct_size = sizeof opts, .scheduler_name = name, .scheduler_name_len = sizeof name - 1};
  struct test_binding binding = {WORK(2, on_m1), .scheduler = "batch"};

  for (int i = 0; i < 2; i++) {
    struct test_world world;

    test_world_open(&world, NULL);
    test_world_fill(&world, clusters, 3, &binding);
    (void)turn_actions(&world, &opts);
    ck_assert_str_eq(test_answer(world.result, world.snapshot, 0), i == 0 ? "m1:2" : "skipped");
    test_world_close(&world);
    binding.scheduler = "default-scheduler";
  }
}
END_TEST

START_TEST(test_the_clock_is_needed) {
  struct test_world world;
  const rebal_time unset = {0, 0, 0};
  const rebal_time now = test_time(100);

  test_world_open(&world, NULL);
  test_freeze(&world);
  ck_assert_int_eq(rebal_scheduler_step(world.ctx, world.snapshot, world.bindings, NULL, NULL, world.result, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_scheduler_step(world.ctx, world.snapshot, world.bindings, &unset, NULL, world.result, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_scheduler_step(NULL, world.snapshot, world.bindings, &now, NULL, world.result, NULL),
                   REBAL_EINVAL);
  ck_assert_str_eq(turn_actions(&world, NULL), "");
  test_world_close(&world);
}
END_TEST

UNIT_CASE(step) {
  TCase *cases = tcase_create("step");

  tcase_add_loop_test(cases, test_turns, 0, (int)REBALI_COUNT(turns));
  tcase_add_test(cases, test_another_scheduler_takes_its_own);
  tcase_add_test(cases, test_the_clock_is_needed);
  return cases;
}
