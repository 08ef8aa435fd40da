/* SPDX-License-Identifier: MIT */
/*
 * Surprising behaviour of the reference that is mirrored, for one binding (rebalance-karmada(7) 3 to 7).
 */
#include "phases_fixture.h"

#include "../unit.h"

#define AGGREGATED .scheduling = "Divided/Aggregated"
#define WORK(count, placement_) .replicas = count, .request = "", .placement = &placement_
#define FRESH .triggered_at = 2, .scheduled_at = 1
#define CLUSTERS(array) array, REBALI_COUNT(array)

/* Checks the answer for clusters with a number of free pods. */
static void check_pods(const char *pods, const struct test_binding *binding, const char *answer) {
  ck_assert_str_eq(schedule_pods(pods, binding, NULL), answer);
}

static void check_clusters(const struct test_cluster *clusters, size_t n, const struct test_binding *binding,
                           const char *answer) {
  ck_assert_str_eq(schedule_clusters(clusters, n, binding, NULL), answer);
}

#define NO_MATCH \
  "fit: 0/1 clusters are available: 1 cluster(s) did not match the placement cluster affinity constraint."

/* 3.1: if one value is not a label value, not even NotIn matches. */
START_TEST(test_a_bad_value_makes_the_whole_affinity_match_nothing) {
  static const struct test_cluster clusters[] = {{"m1", "pods=9", .region = "eu"}};
  static const struct test_affinity bad = {.fields = "region:NotIn:us east"}, good = {.fields = "region:NotIn:us"};
  static const struct test_placement in_bad = {.affinity = &bad}, in_good = {.affinity = &good};
  const struct test_binding refused = {WORK(1, in_bad)}, taken = {WORK(1, in_good)};

  check_clusters(CLUSTERS(clusters), &refused, NO_MATCH);
  check_clusters(CLUSTERS(clusters), &taken, "m1:1");
}
END_TEST

/* 3.3: an empty toleration tolerates every taint without a value. */
START_TEST(test_an_empty_toleration_tolerates_taints_without_value) {
  static const struct test_cluster plain[] = {{"m1", "pods=9", .taints = "a:NoSchedule b:NoExecute"}};
  static const struct test_cluster valued[] = {{"m1", "pods=9", .taints = "a=x:NoSchedule"}};
  static const struct test_placement bare = {.tolerations = ":"};
  const struct test_binding binding = {WORK(1, bare)};

  check_clusters(CLUSTERS(plain), &binding, "m1:1");
  check_clusters(CLUSTERS(valued), &binding,
                 "fit: 0/1 clusters are available: 1 cluster(s) had untolerated taint {a=x:NoSchedule}.");
}
END_TEST

/* 3.4: a group that is not listed restricts nothing. Only phases called alone can get such a name. */
START_TEST(test_an_unknown_group_lets_every_cluster_pass) {
  static const struct test_cluster clusters[] = {{"m1", "pods=9"}};
  static const struct test_affinity groups[] = {{"one", .clusters = "m2"}};
  static const struct test_placement grouped = {.terms = groups, .n_terms = 1};
  const struct test_binding unknown = {WORK(1, grouped), .observed = "two"},
                            known = {WORK(1, grouped), .observed = "one"};
  struct phases_fixture fixture;

  phases_open(&fixture, CLUSTERS(clusters), &unknown);
  phases_run(&fixture, 3);
  ck_assert_str_eq(phases_candidates(&fixture), "m1");
  phases_close(&fixture);
  check_clusters(CLUSTERS(clusters), &known, NO_MATCH);
}
END_TEST

#define NO_REGION "fit: 0/1 clusters are available: 1 cluster(s) did not have region property."

/* 3.5: a missing property rejects even where the constraint is ignored, and clusters in use too. */
START_TEST(test_a_missing_property_rejects_clusters_in_use) {
  static const struct test_cluster clusters[] = {{"m1", "pods=9"}};
  static const struct test_placement by_weight = {.scheduling = "Divided/Weighted", .spreads = "region:1:1"};
  const struct test_binding binding = {WORK(2, by_weight), .targets = "m1=2"};

  check_clusters(CLUSTERS(clusters), &binding, NO_REGION);
}
END_TEST

/* 3.9: clusters that are being deleted have no reason, so the message has none at all. */
START_TEST(test_only_deleting_clusters_are_no_cluster) {
  static const struct test_cluster clusters[] = {{"m1", "pods=9", .deleting = 1}, {"m2", "pods=9", .deleting = 1}};
  const struct test_binding binding = {WORK(1, duplicated)};

  check_clusters(CLUSTERS(clusters), &binding, "fit: 0/2 clusters are available: no cluster exists.");
}
END_TEST

/* 5.1, 12.2: static weights ignore constraints, unless weightPreference is present and empty. */
START_TEST(test_static_weights_ignore_constraints) {
  static const struct test_placement none = {.scheduling = "Divided/Weighted", .spreads = "cluster:1:1"};
  static const struct test_placement listed = {
      .scheduling = "Divided/Weighted", .weights = "m1=1 m2=1", .spreads = "cluster:1:1"};
  const struct test_binding without = {WORK(2, none)}, with = {WORK(2, listed)};

  check_pods("m1=5 m2=9", &without, "m1:1 m2:1");
  check_pods("m1=5 m2=9", &with, "m1:1 m2:1");
}
END_TEST

START_TEST(test_an_empty_weight_preference_does_not_ignore_constraints) {
  static const struct test_placement empty = {
      .scheduling = "Divided/Weighted", .weights = "", .spreads = "cluster:1:1"};
  const struct test_binding binding = {WORK(2, empty)};

  check_pods("m1=5 m2=9", &binding, "m2:2");
}
END_TEST

/* 5.3: a constraint by zone or provider beside one by cluster limits nothing. */
START_TEST(test_zones_and_providers_limit_no_groups) {
  static const struct test_cluster clusters[] = {{"m1", "pods=9", .zones = "z1", .provider = "p1"},
                                                 {"m2", "pods=9", .zones = "z2", .provider = "p2"}};
  static const struct test_placement spread = {.spreads = "cluster:1:2 zone:1:1 provider:3:3"};
  const struct test_binding binding = {WORK(1, spread)};

  check_clusters(CLUSTERS(clusters), &binding, "m1:1 m2:1");
}
END_TEST

/* 5.4: no maximum is a maximum of 0. */
START_TEST(test_no_maximum_of_clusters_selects_nothing) {
  static const struct test_placement everywhere = {.spreads = "cluster:1"};
  static const struct test_placement divided = {AGGREGATED, .spreads = "cluster:1"};
  const struct test_binding copies = {WORK(1, everywhere)}, shares = {WORK(1, divided)};

  check_pods("m1=9", &copies, "error: failed to assign replicas: no clusters available to schedule");
  check_pods("m1=9", &shares, "error: failed to select clusters: no enough resource when selecting 0 clusters");
}
END_TEST

static const struct test_cluster regions[] = {{"m1", "pods=9", .region = "r1"}, {"m2", "pods=9", .region = "r2"}};

/* 5.5: one cluster of each region stays, however few clusters are requested. */
START_TEST(test_more_regions_than_clusters_exceed_the_maximum) {
  static const struct test_placement spread = {.spreads = "region:2:2 cluster:1:1"};
  const struct test_binding binding = {WORK(1, spread)};

  check_clusters(CLUSTERS(regions), &binding, "m1:1 m2:1");
}
END_TEST

/* 5.5: selection by region ignores capacity. */
START_TEST(test_regions_are_selected_regardless_of_capacity) {
  static const struct test_placement spread = {AGGREGATED, .spreads = "region:1:1"};
  const struct test_binding binding = {WORK(12, spread)};

  check_clusters(CLUSTERS(regions), &binding,
                 "unschedulable: failed to assign replicas: failed to scale up: Clusters available replicas 9 are not "
                 "enough to schedule.");
}
END_TEST

/* 5.6 [LIB]: a minimum of 0 is scored as 1, instead of a division by zero. */
START_TEST(test_a_minimum_of_no_region_scores_as_one) {
  static const struct test_cluster clusters[] = {{"m1", "pods=3", .region = "r1"}, {"m2", "pods=9", .region = "r2"}};
  static const struct test_placement none = {AGGREGATED, .spreads = "region:0:1 cluster:1:1"};
  const struct test_binding binding = {WORK(6, none)};

  check_clusters(CLUSTERS(clusters), &binding, "m2:6");
}
END_TEST

/* 5.7: no maximum of regions is a maximum of 0, and every path has more. */
START_TEST(test_no_maximum_of_regions_fits_nothing) {
  static const struct test_placement spread = {.spreads = "region:1 cluster:1:2"};
  const struct test_binding binding = {WORK(1, spread)};

  check_clusters(CLUSTERS(regions), &binding,
                 "error: failed to select clusters: the number of clusters is less than the cluster "
                 "spreadConstraint.MinGroups");
}
END_TEST

/* 7.1: without replicas, the presence of requirements decides between nowhere and everywhere. */
START_TEST(test_no_replicas_go_nowhere_or_everywhere) {
  const struct test_binding stated = {WORK(0, aggregated)}, unstated = {.placement = &aggregated};

  check_pods("m1=9 m2=9", &stated, "");
  check_pods("m1=9 m2=9", &unstated, "m1:0 m2:0");
}
END_TEST

/* 7.5: static weights ignore capacity and history. */
START_TEST(test_static_weights_ignore_capacity_and_history) {
  const struct test_binding binding = {WORK(4, equal_weight), .targets = "m1=3 m2=1"};

  check_pods("m1=0 m2=0", &binding, "m1:2 m2:2");
}
END_TEST

/* 7.6: within the shortest prefix, in proportion to capacity; clusters are not filled one after another. */
START_TEST(test_aggregated_divides_in_proportion) {
  const struct test_binding binding = {WORK(12, aggregated)};

  check_pods("m1=10 m2=5 m3=3", &binding, "m1:8 m2:4");
}
END_TEST

/* 7.6: more replicas go to clusters in use first, though another alone would hold all. */
START_TEST(test_aggregated_grows_where_it_is) {
  const struct test_binding binding = {WORK(4, aggregated), .targets = "m3=2"};
  const struct test_binding fresh = {WORK(9, aggregated), .targets = "m3=9", FRESH};

  check_pods("m1=10 m2=5 m3=3", &binding, "m3:4");
  check_pods("m1=10 m2=5 m3=3", &fresh, "m3:9");
}
END_TEST

/* 7.6 [LIB]: clusters that did not grow follow the grown ones, by name. */
START_TEST(test_leftovers_of_a_scale_up_come_by_name) {
  const struct test_binding binding = {WORK(8, aggregated), .targets = "m3=1 m2=1 m1=1"};

  check_pods("m1=5 m2=4 m3=3 m4=9", &binding, "m1:6 m2:1 m3:1");
}
END_TEST

/* 7.6, 12.3 [LIB]: with equal capacity, the order of the candidates is kept beyond 12 clusters too. */
START_TEST(test_equal_capacity_keeps_its_order_beyond_twelve) {
  const struct test_binding binding = {WORK(2, aggregated)};

  check_pods("c00=0 c01=1 c02=0 c03=1 c04=0 c05=1 c06=0 c07=1 c08=0 c09=1 c10=0 c11=1 c12=0", &binding, "c01:1 c03:1");
}
END_TEST

/* 7.7: the uid decides which cluster gets the odd replica; a recreated workload may get it at the other end. */
START_TEST(test_the_uid_decides_about_the_odd_replica) {
  const struct test_binding even = {WORK(1, equal_weight), .uid = "a"}, odd = {WORK(1, equal_weight), .uid = "b"};

  check_pods("m1=9 m2=9 m3=9", &even, "m1:1");
  check_pods("m1=9 m2=9 m3=9", &odd, "m3:1");
}
END_TEST

/* 7.7: twice 2^30 seats plus one wraps below 0, so a party with so many comes last, whatever its weight. */
START_TEST(test_the_divisor_of_many_seats_is_negative) {
  static const uint32_t offsets[] = {0, 1, 2};
  static const int64_t weights[] = {INT64_C(1) << 40, 1};
  static const int32_t before[] = {1073741824, 0};
  static const rebal_parties parties = {sizeof parties, 0, "ab", offsets, weights, 2, NULL, 0};
  static const rebal_divide_opts opts = {.struct_size = sizeof opts, .before = before};
  struct test_world world;
  int32_t left = -1;
  size_t n;

  test_world_open(&world, NULL);
  ck_assert_int_eq(rebal_divide(world.ctx, 1, &parties, &opts, world.result, &left, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_result_i64(world.result, REBAL_SHARE_REPLICAS, &n)[0], 1073741824);
  ck_assert_int_eq(rebal_result_i64(world.result, REBAL_SHARE_REPLICAS, &n)[1], 1);
  ck_assert_int_eq(left, 0);
  test_world_close(&world);
}
END_TEST

/* 12.1: no replicas, requirements and a fresh dynamic division. The true sum is enough; the wrapping one is -2. */
START_TEST(test_a_fresh_division_of_nothing_wraps_by_option) {
  const struct test_binding binding = {WORK(0, dynamic_weight), FRESH};

  check_pods("m1=1 m2=1", &binding, "");
  ck_assert_str_eq(schedule_pods("m1=1 m2=1", &binding, with_option(REBAL_OPTION_INT32_WRAP, 1)),
                   "unschedulable: failed to assign replicas: failed to do fresh scale: Clusters available replicas -2 "
                   "are not enough to schedule.");
}
END_TEST

/* 12.1: the last of two equal names counts, so that the sum never settles. */
START_TEST(test_a_target_named_twice_never_settles) {
  const struct test_binding binding = {WORK(7, dynamic_weight), .targets = "m1=2 m1=3"};

  check_pods("m1=10 m2=5 m3=3", &binding, "m1:4 m2:1");
}
END_TEST

/* 9.2, 12.2: of two equal clusters a fresh pass takes the one in use, by its locality score. */
START_TEST(test_a_fresh_pass_still_favours_clusters_in_use) {
  static const struct test_placement one = {.spreads = "cluster:1:1"};
  const struct test_binding binding = {WORK(1, one), .targets = "m2=1", FRESH};

  check_pods("m1=9 m2=8", &binding, "m2:1");
  ck_assert_str_eq(schedule_pods("m1=9 m2=8", &binding, with_option(REBAL_OPTION_CLUSTER_LOCALITY, 0)), "m1:1");
}
END_TEST

/* 7.9: clusters without replicas are kept in the result by option. */
START_TEST(test_empty_clusters_are_kept_by_option) {
  const struct test_binding binding = {WORK(2, aggregated)};

  check_pods("m1=5 m2=3", &binding, "m1:2");
  ck_assert_str_eq(schedule_pods("m1=5 m2=3", &binding, with_option(REBAL_OPTION_EMPTY_WORKLOAD_PROPAGATION, 1)),
                   "m1:2 m2:0");
}
END_TEST

/* Adds a binding of six replicas of one cpu, and a ledger that charges as many to the cluster under a key. */
static void promise(struct test_world *world, const struct test_cluster *cluster, const char *key,
                    rebal_schedule_opts *opts) {
  const struct test_binding binding = {.key = "ns/a", .replicas = 6, .request = "cpu=1", .placement = &aggregated};

  test_world_open(world, NULL);
  test_world_fill(world, cluster, 1, &binding);
  *opts = (rebal_schedule_opts){.struct_size = sizeof *opts};
  ck_assert_int_eq(rebal_ledger_new(world->fleet, NULL, &opts->ledger, NULL), REBAL_OK);
  test_charge(opts->ledger, key, test_cluster_id(world, cluster->name), test_request_handle(world, "cpu=1"), 6);
}

#define FOUR_LEFT                                                                                \
  "unschedulable: failed to assign replicas: failed to scale up: Clusters available replicas 4 " \
  "are not enough to schedule."

/* 6.6: the charge of a binding counts against itself until its pods are observed. */
START_TEST(test_a_promise_counts_against_its_own_binding) {
  static const struct test_cluster ten = {"m1", "cpu=10 pods=99"};
  rebal_schedule_opts opts;
  struct test_world world;

  promise(&world, &ten, "ns/a", &opts);
  ck_assert_str_eq(test_schedule(&world, &opts, 0), FOUR_LEFT);
  ck_assert_int_eq(rebal_ledger_release(opts.ledger, "ns/a", 4, REBAL_NONE, NULL), REBAL_OK);
  ck_assert_str_eq(test_schedule(&world, &opts, 0), "m1:6");
  rebal_ledger_free(opts.ledger);
  test_world_close(&world);
}
END_TEST

/* 6.6: with the gate off the scheduler passes no ledger to the estimate, neither for summaries nor for models. */
START_TEST(test_a_ledger_counts_with_its_gate_only) {
  static const struct test_cluster clusters[] = {
      {"m1", "cpu=10 pods=99"},
      {.name = "m1", .allocatable = "cpu=10 pods=99", .models = "0:cpu=1", .modelings = "0=10"}};
  rebal_schedule_opts opts;
  struct test_world world;

  promise(&world, &clusters[_i], "x/y", &opts);
  ck_assert_str_eq(test_schedule(&world, &opts, 0), FOUR_LEFT);
  opts.compat = with_option(REBAL_OPTION_GATE_OVERCOMMIT_PROTECTION, 0)->compat;
  ck_assert_str_eq(test_schedule(&world, &opts, 0), "m1:6");
  rebal_ledger_free(opts.ledger);
  test_world_close(&world);
}
END_TEST

UNIT_CASE(compat) {
  TCase *cases = tcase_create("compat");

  tcase_add_test(cases, test_a_bad_value_makes_the_whole_affinity_match_nothing);
  tcase_add_test(cases, test_an_empty_toleration_tolerates_taints_without_value);
  tcase_add_test(cases, test_an_unknown_group_lets_every_cluster_pass);
  tcase_add_test(cases, test_a_missing_property_rejects_clusters_in_use);
  tcase_add_test(cases, test_only_deleting_clusters_are_no_cluster);
  tcase_add_test(cases, test_static_weights_ignore_constraints);
  tcase_add_test(cases, test_an_empty_weight_preference_does_not_ignore_constraints);
  tcase_add_test(cases, test_zones_and_providers_limit_no_groups);
  tcase_add_test(cases, test_no_maximum_of_clusters_selects_nothing);
  tcase_add_test(cases, test_more_regions_than_clusters_exceed_the_maximum);
  tcase_add_test(cases, test_regions_are_selected_regardless_of_capacity);
  tcase_add_test(cases, test_a_minimum_of_no_region_scores_as_one);
  tcase_add_test(cases, test_no_maximum_of_regions_fits_nothing);
  tcase_add_test(cases, test_no_replicas_go_nowhere_or_everywhere);
  tcase_add_test(cases, test_static_weights_ignore_capacity_and_history);
  tcase_add_test(cases, test_aggregated_divides_in_proportion);
  tcase_add_test(cases, test_aggregated_grows_where_it_is);
  tcase_add_test(cases, test_leftovers_of_a_scale_up_come_by_name);
  tcase_add_test(cases, test_equal_capacity_keeps_its_order_beyond_twelve);
  tcase_add_test(cases, test_the_uid_decides_about_the_odd_replica);
  tcase_add_test(cases, test_the_divisor_of_many_seats_is_negative);
  tcase_add_test(cases, test_a_fresh_division_of_nothing_wraps_by_option);
  tcase_add_test(cases, test_a_target_named_twice_never_settles);
  tcase_add_test(cases, test_a_fresh_pass_still_favours_clusters_in_use);
  tcase_add_test(cases, test_empty_clusters_are_kept_by_option);
  tcase_add_test(cases, test_a_promise_counts_against_its_own_binding);
  tcase_add_loop_test(cases, test_a_ledger_counts_with_its_gate_only, 0, 2);
  return cases;
}
