/* SPDX-License-Identifier: MIT */
/*
 * Surprising behaviour of the reference that is mirrored: when a binding is due, and the order of groups
 * (rebalance-karmada(7) 2).
 */
#include "turning.h"

#include "../unit.h"

#define AGGREGATED .scheduling = "Divided/Aggregated"
#define SETTLED .replicas = 3, .request = "", .targets = "m1=3"
#define SAME(placement_) .placement = &placement_, .applied = &placement_

static const struct test_cluster clusters[] = {{"m1", "pods=2"}, {"m2", "pods=5"}};
static const struct test_affinity rising_groups[] = {{"small", .clusters = "m1"}, {"large", .clusters = "m2"}};
static const struct test_affinity none_groups[] = {{"none", .clusters = "m9"}, {"small", .clusters = "m1"}};
static const struct test_affinity last_groups[] = {{"small", .clusters = "m1"}, {"none", .clusters = "m9"}};
static const struct test_placement rising = {.terms = rising_groups, .n_terms = 2, AGGREGATED};
static const struct test_placement none_first = {.terms = none_groups, .n_terms = 2, AGGREGATED};
static const struct test_placement none_last = {.terms = last_groups, .n_terms = 2, AGGREGATED};

/* Returns the REBAL_REASON_* of a binding. */
static int64_t why(const struct test_binding *binding) {
  struct test_world world;
  int64_t reason;
  size_t n;

  test_world_open(&world, NULL);
  test_world_fill(&world, clusters, REBALI_COUNT(clusters), binding);
  ck_assert_int_eq(rebal_decide(world.ctx, world.snapshot, world.bindings, NULL, world.result, NULL), REBAL_OK);
  reason = rebal_result_i64(world.result, REBAL_DECISION_REASON, &n)[0];
  test_world_close(&world);
  return reason;
}

/* Checks a turn: the answer, the state of the step, and whether the clusters are written. */
static void check_turn(const struct test_binding *binding, const char *answer, int64_t state, int writes_clusters) {
  struct test_world world;
  const char *actions;
  size_t n;

  test_world_open(&world, NULL);
  test_world_fill(&world, clusters, REBALI_COUNT(clusters), binding);
  actions = turn_actions(&world, NULL);
  ck_assert_msg(strncmp(test_answer(world.result, world.snapshot, 0), answer, strlen(answer)) == 0, "%s",
                test_answer(world.result, world.snapshot, 0));
  ck_assert_int_eq(rebal_result_i64(world.result, REBAL_STEP_STATE, &n)[0], state);
  ck_assert_int_eq(strstr(actions, "spec") != NULL, writes_clusters);
  test_world_close(&world);
}

/* 2.1: a divided workload that is examined again keeps its replicas, whatever changed in its clusters. */
START_TEST(test_a_divided_workload_ignores_changed_clusters) {
  static const struct test_affinity elsewhere = {.clusters = "m2"};
  static const struct test_placement divided = {AGGREGATED, .affinity = &elsewhere};
  static const struct test_placement copied = {.affinity = &elsewhere};
  const struct test_binding binding = {SETTLED, SAME(divided)}, copies = {SETTLED, SAME(copied)};

  ck_assert_int_eq(why(&binding), REBAL_REASON_NONE);
  ck_assert_int_eq(why(&copies), REBAL_REASON_DUPLICATED);
}
END_TEST

/* 2.3: an annotation that cannot be parsed counts as unchanged. */
START_TEST(test_an_unreadable_applied_placement_is_not_a_change) {
  const struct test_binding broken = {SETTLED, .placement = &aggregated, .applied_state = REBAL_ANNOTATION_UNPARSABLE};
  const struct test_binding absent = {SETTLED, .placement = &aggregated};

  ck_assert_int_eq(why(&broken), REBAL_REASON_NONE);
  ck_assert_int_eq(why(&absent), REBAL_REASON_PLACEMENT);
}
END_TEST

/* 2.3: a change of workloadAffinity alone does not count if a group is observed; otherwise it does. */
START_TEST(test_workload_affinity_alone_counts_without_groups_only) {
  static const struct test_placement plain_grouped = {AGGREGATED, .group_by = "app"};
  static const struct test_placement rising_grouped = {
      .terms = rising_groups, .n_terms = 2, AGGREGATED, .group_by = "app"};
  const struct test_binding plain = {SETTLED, .placement = &plain_grouped, .applied = &aggregated};
  const struct test_binding grouped = {SETTLED, .placement = &rising_grouped, .applied = &rising, .observed = "small"};

  ck_assert_int_eq(why(&plain), REBAL_REASON_PLACEMENT);
  ck_assert_int_eq(why(&grouped), REBAL_REASON_NONE);
}
END_TEST

/* 2.3: groups other than the observed one may change, come and go. */
START_TEST(test_other_groups_may_change_unseen) {
  const struct test_binding small = {SETTLED, .placement = &none_last, .applied = &rising, .observed = "small"};
  const struct test_binding large = {SETTLED, .placement = &none_last, .applied = &rising, .observed = "large"};

  ck_assert_int_eq(why(&small), REBAL_REASON_NONE);
  ck_assert_int_eq(why(&large), REBAL_REASON_PLACEMENT);
}
END_TEST

/* 2.3, 9.2: times are whole seconds, and a trigger in the second of the last success is not after it. */
START_TEST(test_a_trigger_within_the_same_second_is_ignored) {
  const struct test_binding same = {SETTLED, SAME(aggregated), .triggered_at = 10, .scheduled_at = 10};
  const struct test_binding after = {SETTLED, SAME(aggregated), .triggered_at = 11, .scheduled_at = 10};

  ck_assert_int_eq(why(&same), REBAL_REASON_NONE);
  ck_assert_int_eq(why(&after), REBAL_REASON_RESCHEDULE);
}
END_TEST

/* 2.3: a trigger in the future stays due after a success now. */
START_TEST(test_a_trigger_in_the_future_stays_due) {
  const struct test_binding ahead = {SETTLED, SAME(aggregated), .triggered_at = 200, .scheduled_at = 10};
  const struct test_binding again = {SETTLED, SAME(aggregated), .triggered_at = 200, .scheduled_at = 100};

  ck_assert_int_eq(why(&ahead), REBAL_REASON_RESCHEDULE); /* the turn is at second 100 and writes that */
  ck_assert_int_eq(why(&again), REBAL_REASON_RESCHEDULE);
}
END_TEST

#define LACKING "unschedulable: failed to assign replicas: failed to scale up: Clusters available replicas "

/* 2.6: after the last group no other is tried, even if the first would fit. */
START_TEST(test_the_last_group_does_not_wrap_around) {
  static const struct test_affinity falling_groups[] = {{"large", .clusters = "m2"}, {"small", .clusters = "m1"}};
  static const struct test_placement falling = {.terms = falling_groups, .n_terms = 2, AGGREGATED};
  const struct test_binding binding = {
      .replicas = 5, .request = "", .placement = &falling, .applied = &falling, .observed = "small", .targets = "m1=2"};

  check_turn(&binding, LACKING "2", REBAL_STEP_STATE_RETRY, 0);
}
END_TEST

/* 2.6: a workload stays in the group it fell back to until a trigger starts with the first group again. */
START_TEST(test_a_workload_migrates_back_by_a_trigger_only) {
  const struct test_binding grown = {
      .replicas = 2, .request = "", SAME(rising), .observed = "large", .targets = "m2=1"};
  const struct test_binding triggered = {.replicas = 2,
                                         .request = "",
                                         SAME(rising),
                                         .observed = "large",
                                         .targets = "m2=2",
                                         .triggered_at = 9,
                                         .scheduled_at = 8};

  check_turn(&grown, "m2:2", REBAL_STEP_STATE_DONE, 1);
  check_turn(&triggered, "m1:2", REBAL_STEP_STATE_DONE, 1);
}
END_TEST

/* 2.6: the first failure decides: if capacity is missing the old clusters stay, if no cluster fits they are cleared. */
START_TEST(test_the_first_failed_group_decides_about_clearing) {
  const struct test_binding cleared = {.replicas = 4, .request = "", .placement = &none_first, .targets = "m1=1"};
  const struct test_binding kept = {.replicas = 4, .request = "", .placement = &none_last, .targets = "m1=1"};

  check_turn(&cleared, "fit: ", REBAL_STEP_STATE_DONE, 1);
  check_turn(&kept, LACKING, REBAL_STEP_STATE_RETRY, 0);
}
END_TEST

/* 2.6: then there is no retry, even if the second group only lacks capacity for now. */
START_TEST(test_no_fit_in_the_first_group_is_not_retried) {
  const struct test_binding binding = {.replicas = 4, .request = "", .placement = &none_first};

  check_turn(&binding, "fit: ", REBAL_STEP_STATE_DONE, 0);
}
END_TEST

/* 2.7: the event of a ClusterResourceBinding lacks a colon. */
START_TEST(test_events_of_cluster_scoped_bindings_lack_a_colon) {
  const struct test_binding cluster_scoped = {.key = "web", .replicas = 2, .request = "", .placement = &aggregated};
  const struct test_binding namespaced = {.key = "ns/web", .replicas = 2, .request = "", .placement = &aggregated};
  struct test_world world;

  test_world_open(&world, NULL);
  test_world_fill(&world, clusters, REBALI_COUNT(clusters), &cluster_scoped);
  ck_assert_ptr_nonnull(strstr(turn_actions(&world, NULL), "successfully. Result {m2:2}"));
  test_world_close(&world);
  test_world_open(&world, NULL);
  test_world_fill(&world, clusters, REBALI_COUNT(clusters), &namespaced);
  ck_assert_ptr_nonnull(strstr(turn_actions(&world, NULL), "successfully. Result: {m2:2}"));
  test_world_close(&world);
}
END_TEST

/* Returns the number of rows of REQUEUED after cluster m2 changed, or was added if before is NULL. */
static size_t requeued(const struct test_binding *binding, const struct test_cluster *before,
                       const struct test_cluster *after) {
  struct test_world world;
  rebal_snapshot *former = NULL;
  size_t n;

  test_world_open(&world, NULL);
  (void)test_add_cluster(&world, &clusters[0]);
  if (before != NULL) {
    (void)test_add_cluster(&world, before);
  }
  (void)test_add_binding(&world, NULL, binding);
  ck_assert_int_eq(rebal_fleet_freeze(world.fleet, &former, NULL), REBAL_OK);
  if (before != NULL) {
    test_set_cluster(&world, test_cluster_id(&world, "m2"), after);
  } else {
    (void)test_add_cluster(&world, after);
  }
  test_freeze(&world);
  ck_assert_int_eq(rebal_requeue(world.ctx, former, world.snapshot, world.bindings, NULL, world.result, NULL),
                   REBAL_OK);
  n = rebal_result_count(world.result, REBAL_TABLE_REQUEUED);
  rebal_snapshot_unref(former);
  test_world_close(&world);
  return n;
}

/* 2.1: a cluster that only an overflow affinity matches enqueues no binding. */
START_TEST(test_overflow_affinities_do_not_match_changed_clusters) {
  static const struct test_affinity over[] = {{"over", .clusters = "m2"}};
  static const struct test_affinity near[] = {{"near", .clusters = "m1", .overflow = over, .n_overflow = 1}};
  static const struct test_affinity far[] = {{"far", .clusters = "m2"}};
  static const struct test_placement overflowing = {.terms = near, .n_terms = 1}, direct = {.terms = far, .n_terms = 1};
  static const struct test_cluster plain = {"m2"}, labelled = {"m2", .labels = "tier=gold"};
  const struct test_binding by_overflow = {.placement = &overflowing}, by_itself = {.placement = &direct};

  ck_assert_uint_eq(requeued(&by_overflow, &plain, &labelled), 0);
  ck_assert_uint_eq(requeued(&by_itself, &plain, &labelled), 1);
}
END_TEST

/* 2.1: neither a new cluster nor another status enqueues a binding. */
START_TEST(test_new_clusters_and_statuses_wake_none) {
  static const struct test_cluster plain = {"m2", "pods=1"}, large = {"m2", "pods=9", .apis = "v1=Pod"};
  const struct test_binding binding = {.placement = &duplicated};

  ck_assert_uint_eq(requeued(&binding, NULL, &plain), 0);
  ck_assert_uint_eq(requeued(&binding, &plain, &large), 0);
}
END_TEST

UNIT_CASE(compat_turn) {
  TCase *cases = tcase_create("compat_turn");

  tcase_add_test(cases, test_a_divided_workload_ignores_changed_clusters);
  tcase_add_test(cases, test_an_unreadable_applied_placement_is_not_a_change);
  tcase_add_test(cases, test_workload_affinity_alone_counts_without_groups_only);
  tcase_add_test(cases, test_other_groups_may_change_unseen);
  tcase_add_test(cases, test_a_trigger_within_the_same_second_is_ignored);
  tcase_add_test(cases, test_a_trigger_in_the_future_stays_due);
  tcase_add_test(cases, test_the_last_group_does_not_wrap_around);
  tcase_add_test(cases, test_a_workload_migrates_back_by_a_trigger_only);
  tcase_add_test(cases, test_the_first_failed_group_decides_about_clearing);
  tcase_add_test(cases, test_no_fit_in_the_first_group_is_not_retried);
  tcase_add_test(cases, test_events_of_cluster_scoped_bindings_lack_a_colon);
  tcase_add_test(cases, test_overflow_affinities_do_not_match_changed_clusters);
  tcase_add_test(cases, test_new_clusters_and_statuses_wake_none);
  return cases;
}
