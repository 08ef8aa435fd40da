/* SPDX-License-Identifier: MIT */
/* Bugs that users reported for the reference's scheduler, and tests that this library does not have them. */
#include "phases_fixture.h"

#include "../unit.h"

static const struct test_cluster two_regions[] = {{"a", "pods=2", .region = "r1"}, {"b", "pods=3", .region = "r2"}};

/*
 * karmada-io/karmada#7154: no cluster of a region holds all copies, and the mean of their scores was divided by their
 * number. The score is 0, the region can still be chosen.
 */
START_TEST(test_a_group_without_valid_cluster_divides_nothing_by_zero) {
  static const struct test_placement placement = {.spreads = "region:2:2", .scheduling = "Duplicated"};
  static const struct test_placement no_minimum = {.spreads = "region:0:1 cluster:1:1",
                                                   .scheduling = "Divided/Aggregated"};
  struct test_binding binding = {.replicas = 99, .request = "", .placement = &placement};

  ck_assert_str_eq(schedule_clusters(two_regions, 2, &binding, NULL), "a:99 b:99");
  binding.placement = &no_minimum;
  binding.replicas = 0;
  ck_assert_str_eq(schedule_clusters(two_regions, 2, &binding, NULL), "");
}
END_TEST

static const char *with_fits(const int32_t *fits, uint32_t flags, int64_t replicas) {
  const rebal_estimator estimator = {sizeof estimator, 0, fits, 2, 0};
  const rebal_estimator *const list[] = {&estimator};
  const rebal_schedule_opts opts = {.struct_size = sizeof opts, .flags = flags, .estimators = list, .n_estimators = 1};
  const struct test_binding binding = {.replicas = replicas, .request = "", .placement = &aggregated};

  return schedule_clusters(two_regions, 2, &binding, &opts);
}

#define NOT_ENOUGH(n)                                                                            \
  "unschedulable: failed to assign replicas: failed to scale up: Clusters available replicas " n \
  " are not enough to schedule."

/*
 * karmada-io/karmada#5011: the estimate of a cluster without capacity was the largest number, which means "no limit".
 * Only the smallest of all opinions decides, and 0 is one.
 */
START_TEST(test_a_full_cluster_is_not_without_limit) {
  static const int32_t full[] = {0, 0}, unlimited[] = {INT32_MAX, INT32_MAX}, half[] = {0, INT32_MAX};

  ck_assert_str_eq(with_fits(full, 0, 1), NOT_ENOUGH("0"));
  ck_assert_str_eq(with_fits(full, REBAL_SCHEDULE_FLAG_NO_SUMMARY, 1), NOT_ENOUGH("0"));
  ck_assert_str_eq(with_fits(unlimited, 0, 6), NOT_ENOUGH("5"));
  ck_assert_str_eq(with_fits(half, REBAL_SCHEDULE_FLAG_NO_SUMMARY, 6), "b:6");
}
END_TEST

/*
 * karmada-io/karmada#5683: the estimator changed its input, so that two equal queries had different answers. The
 * caller's arrays are read only.
 */
START_TEST(test_repeated_queries_answer_alike) {
  static const struct test_binding binding = {
      .replicas = 4, .request = "cpu=1", .placement = &aggregated, .targets = "a=1"};
  static const struct test_cluster clusters[] = {{"a", "cpu=4 pods=9"}, {"b", "cpu=4 pods=9"}};
  int64_t reject[] = {0, 0}, scores[] = {3, 1};
  int32_t fits[] = {REBAL_FITS_NO_OPINION, 2};
  const rebal_estimator estimator = {sizeof estimator, 0, fits, 2, 0};
  const rebal_estimator *const list[] = {&estimator};
  const rebal_schedule_opts opts = {.struct_size = sizeof opts,
                                    .extra_reject = reject,
                                    .extra_score = scores,
                                    .extra_clusters = 2,
                                    .estimators = list,
                                    .n_estimators = 1};
  struct test_world world;

  test_world_open(&world, NULL);
  test_world_fill(&world, clusters, 2, &binding);
  for (int i = 0; i < 3; i++) {
    ck_assert_str_eq(test_schedule(&world, &opts, 0), "a:4");
  }
  ck_assert_int_eq(reject[0], 0);
  ck_assert_int_eq(reject[1], 0);
  ck_assert_int_eq(scores[0], 3);
  ck_assert_int_eq(scores[1], 1);
  ck_assert_int_eq(fits[0], REBAL_FITS_NO_OPINION);
  ck_assert_int_eq(fits[1], 2);
  test_world_close(&world);
}
END_TEST

/*
 * karmada-io/karmada#6771: the current replicas of a cluster count as capacity for as many, whatever they need now. At
 * the mirrored revision a fresh pass still does this (rebalance-karmada(7) 7.6 and 12.2, point 11): the cluster is full
 * of replicas of one cpu, and each needs two from now on. Steady passes do not: added replicas must fit. A caller can
 * correct this with an estimator: the current replicas are added to its estimate, which may be negative.
 */
START_TEST(test_own_replicas_are_capacity_in_a_fresh_pass_only) {
  static const struct test_cluster full[] = {{"a", "cpu=4 pods=9", "cpu=4 pods=4"}};
  struct test_binding binding = {.replicas = 4,
                                 .request = "cpu=2",
                                 .placement = &aggregated,
                                 .targets = "a=4",
                                 .triggered_at = 2,
                                 .scheduled_at = 1};
  static const int32_t fits[] = {-2};
  const rebal_estimator estimator = {sizeof estimator, 0, fits, 1, 0};
  const rebal_estimator *const list[] = {&estimator};
  const rebal_schedule_opts opts = {.struct_size = sizeof opts, .estimators = list, .n_estimators = 1};

  ck_assert_str_eq(schedule_clusters(full, 1, &binding, NULL), "a:4");
  ck_assert_str_eq(schedule_clusters(full, 1, &binding, &opts),
                   "unschedulable: failed to assign replicas: failed to do fresh scale: Clusters available replicas 2 "
                   "are not enough to schedule.");
  binding.triggered_at = 0;
  binding.replicas = 5;
  ck_assert_str_eq(schedule_clusters(full, 1, &binding, NULL), NOT_ENOUGH("0"));
}
END_TEST

/*
 * karmada-io/karmada#1323: a scaled-up workload used new clusters beside the old ones, more than maxGroups. The answer
 * stays within maxGroups, and a cluster in use that is not selected loses its replicas.
 */
START_TEST(test_scaling_up_stays_within_max_groups) {
  static const struct test_placement within[] = {
      {.spreads = "cluster:1:2", .scheduling = "Divided/Aggregated"},
      {.spreads = "cluster:1:2", .scheduling = "Divided/Weighted/AvailableReplicas"}};
  static const char *const answers[][2] = {{"m1:7 m2:2", "m1:5 m3:11"}, {"m1:5 m2:4", "m1:5 m3:11"}};

  for (size_t i = 0; i < REBALI_COUNT(within); i++) {
    struct test_binding binding = {.replicas = 9, .request = "", .placement = &within[i], .targets = "m1=3 m2=2"};

    ck_assert_str_eq(schedule_pods("m1=4 m2=4 m3=20", &binding, NULL), answers[i][0]);
    binding.replicas = 16; /* more than the clusters in use can hold */
    ck_assert_str_eq(schedule_pods("m1=4 m2=4 m3=20", &binding, NULL), answers[i][1]);
  }
}
END_TEST

UNIT_CASE(reports) {
  TCase *cases = tcase_create("reports");

  tcase_add_test(cases, test_a_group_without_valid_cluster_divides_nothing_by_zero);
  tcase_add_test(cases, test_a_full_cluster_is_not_without_limit);
  tcase_add_test(cases, test_repeated_queries_answer_alike);
  tcase_add_test(cases, test_own_replicas_are_capacity_in_a_fresh_pass_only);
  tcase_add_test(cases, test_scaling_up_stays_within_max_groups);
  return cases;
}
