/* SPDX-License-Identifier: MIT */
/* What a sweep finds of bindings that others displace, by what a ledger is charged with a loss. */
#include "../../support/fleet_builder.h"
#include "../unit.h"

#include <stdio.h>

static const struct test_cluster clusters[] = {
    {"u1", .allocatable = "cpu=10 pods=100", .region = "us"},
    {"e2", .allocatable = "cpu=9 pods=100", .region = "eu"},
    {"e3", .allocatable = "cpu=8 pods=100", .region = "eu"},
    {"a1", .allocatable = "cpu=40 pods=100", .region = "ap"},
    {"e1", .allocatable = "cpu=10 pods=100", .region = "eu"},
    {"x", .allocatable = "cpu=20 pods=1000", .region = "eu"},
    {"big", .allocatable = "pods=3000000000"},
};
static const struct test_cluster modelled = {"m1", .allocatable = "cpu=10 pods=100", .models = "0:cpu=0 1:cpu=2",
                                             .modelings = "1=5"};
#define X 5u
#define MORE_CLUSTERS 12 /* for which nobody asks: two of so many are few to look at */

static const struct test_affinity x_or_e1 = {.clusters = "x e1"}, x_or_u1 = {.clusters = "x u1"},
                                  x_or_m1 = {.clusters = "x m1"}, x_or_big = {.clusters = "x big"},
                                  all_of_eu = {.clusters = "e1 e2 e3"}, e1_or_u1 = {.clusters = "e1 u1"},
                                  e1_e3_u1 = {.clusters = "e1 e3 u1"}, e1_e2_u1 = {.clusters = "e1 e2 u1"},
                                  x_e1_a1 = {.clusters = "x e1 a1"}, x_e1_big = {.clusters = "x e1 big"};
static const struct test_placement to_e1 = {.scheduling = "Divided/Aggregated", .affinity = &x_or_e1},
                                   to_u1 = {.scheduling = "Divided/Aggregated", .affinity = &x_or_u1},
                                   to_m1 = {.scheduling = "Divided/Aggregated", .affinity = &x_or_m1},
                                   to_big = {.scheduling = "Divided/Aggregated", .affinity = &x_or_big};
/* Without x what is in e1 goes to a1, too. */
static const struct test_placement leaving = {
    .scheduling = "Divided/Aggregated", .spreads = "region:1:1 cluster:1:2", .affinity = &x_e1_a1};

static int64_t cell(const struct test_world *world, uint32_t column, size_t row) {
  return rebal_result_i64(world->result, column, NULL)[row];
}

static void add_clusters(struct test_world *world, const struct test_cluster *last) {
  for (size_t i = 0; i < sizeof clusters / sizeof clusters[0]; i++) {
    (void)test_add_cluster(world, &clusters[i]);
  }
  for (int i = 0; i < MORE_CLUSTERS; i++) {
    char name[16];

    (void)snprintf(name, sizeof name, "f%d", i);
    (void)test_add_cluster(world, &(struct test_cluster){name});
  }
  if (last != NULL) {
    (void)test_add_cluster(world, last);
  }
}

/* Only x is lost, beside an empty ledger; the result names the bindings that it affects. schedule NULL: no options. */
static void lose_x_with(struct test_world *world, const struct test_cluster *last, const rebal_schedule_opts *options,
                        const struct test_binding *bindings, size_t n) {
  static const uint32_t x[] = {X}, offsets[] = {0, 1};
  rebal_schedule_opts schedule = {.struct_size = (uint32_t)sizeof schedule};
  rebal_sweep_opts opts = {.struct_size = (uint32_t)sizeof opts,
                           .kinds = 1u << REBAL_LOSS_SET,
                           .flags = REBAL_SWEEP_FLAG_BINDINGS,
                           .schedule = &schedule,
                           .set_clusters = x,
                           .set_offsets = offsets,
                           .n_sets = 1};

  if (options != NULL) {
    schedule = *options;
  }
  test_world_open(world, NULL);
  add_clusters(world, last);
  if ((schedule.flags & REBAL_SCHEDULE_FLAG_NODES) != 0) {
    (void)test_set_node(world, 0, &(struct test_node){"n1", .allocatable = "cpu=5 pods=100"});
  }
  for (size_t i = 0; i < n; i++) {
    (void)test_add_binding(world, NULL, &bindings[i]);
  }
  test_freeze(world);
  ck_assert_int_eq(rebal_ledger_new(world->fleet, NULL, &schedule.ledger, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_sweep(world->ctx, world->snapshot, world->bindings, &opts, world->result, &world->err),
                   REBAL_OK);
  rebal_ledger_free(schedule.ledger);
}

static void lose_x(struct test_world *world, const struct test_binding *bindings, size_t n) {
  lose_x_with(world, NULL, NULL, bindings, n);
}

/* Replicas missing without x. No binding counts twice, however often it had to be decided. */
static int64_t missing_without_x(const struct test_cluster *last, const rebal_schedule_opts *options,
                                 const struct test_binding *bindings, size_t n) {
  struct test_world world;
  int64_t missing;

  lose_x_with(&world, last, options, bindings, n);
  ck_assert_int_le(cell(&world, REBAL_SWEPT_DECIDED, 0), (int64_t)n);
  missing = cell(&world, REBAL_SWEPT_MISSING, 0);
  test_world_close(&world);
  return missing;
}

/* ---- windows ----------------------------------------------------------------------------------------------------- */

/* The region "us" scores by u1, which offers 10 of the 4 replicas that it should: 6 may go without a trace, not 7. */
START_TEST(test_a_region_keeps_its_score_while_it_offers_enough) {
  static const struct test_placement by_region = {
      .scheduling = "Divided/Aggregated", .spreads = "region:1:1 cluster:1:2", .affinity = &e1_or_u1};
  static const int64_t decided[] = {1, 2};

  for (int32_t i = 0; i < 2; i++) {
    const char *const targets[] = {"x=6", "x=7"};
    const struct test_binding bindings[] = {
        {"a/b", .replicas = 6 + i, .request = "cpu=1", .placement = &to_u1, .targets = targets[i]},
        {"a/c", .replicas = 4, .request = "cpu=1", .placement = &by_region, .targets = "e1=4"},
    };
    struct test_world world;

    lose_x(&world, bindings, 2);
    ck_assert_int_eq(cell(&world, REBAL_SWEPT_DECIDED, 0), decided[i]);
    ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_AFFECTED), 1);
    test_world_close(&world);
  }
}
END_TEST

/* Of three targets two are selected, by what they offer: 12, 11 and 10 replicas, then 9, 11 and 10. */
START_TEST(test_targets_of_a_region_compete_for_its_slots) {
  static const struct test_placement by_region = {
      .scheduling = "Divided/Aggregated", .spreads = "region:1:1 cluster:1:2", .affinity = &all_of_eu};
  static const struct test_binding bindings[] = {
      {"a/b", .replicas = 3, .request = "cpu=1", .placement = &to_e1, .targets = "x=3"},
      {"a/c", .replicas = 4, .request = "cpu=1", .placement = &by_region, .targets = "e1=2 e2=2 e3=2"},
  };
  struct test_world world;

  lose_x(&world, bindings, 2);
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_AFFECTED), 2);
  ck_assert_int_eq(cell(&world, REBAL_AFFECTED_BINDING, 1), 1);
  test_world_close(&world);
}
END_TEST

/*
 * Without x the first binding leaves e1, which then offers the second one alone what "eu" should hold: this scores as a
 * region of targets alone, as "us" does, and has more clusters.
 */
START_TEST(test_a_region_scores_by_fewer_clusters_once_they_offer_more) {
  static const struct test_placement by_region = {
      .scheduling = "Divided/Aggregated", .spreads = "region:1:1 cluster:1:2", .affinity = &e1_e2_u1};
  static const struct test_binding bindings[] = {
      {"a/b", .replicas = 20, .request = "cpu=1", .placement = &leaving, .targets = "x=12 e1=8"},
      {"a/c", .replicas = 4, .request = "cpu=1", .placement = &by_region, .targets = "u1=4 e1=1"},
  };
  struct test_world world;

  lose_x(&world, bindings, 2);
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_AFFECTED), 2);
  ck_assert_int_eq(cell(&world, REBAL_AFFECTED_BINDING, 1), 1);
  ck_assert_int_eq(cell(&world, REBAL_AFFECTED_MOVED, 1), 3);
  test_world_close(&world);
}
END_TEST

/* ---- charges beside the ledger ----------------------------------------------------------------------------------- */

/* e1, in which 2 replicas fit, becomes as good as u1 without x, and has the better name. */
START_TEST(test_a_cluster_that_is_left_may_become_the_best) {
  static const struct test_placement few = {.scheduling = "Divided/Aggregated", .affinity = &e1_or_u1},
                                     many = {.scheduling = "Divided/Aggregated", .affinity = &e1_e3_u1};
  const struct test_placement *const placements[] = {&few, &many};

  for (size_t i = 0; i < 2; i++) {
    const struct test_binding bindings[] = {
        {"a/b", .replicas = 20, .request = "cpu=1", .placement = &leaving, .targets = "x=12 e1=8"},
        {"a/c", .replicas = 1, .request = "cpu=1", .placement = placements[i]},
    };
    struct test_world world;

    lose_x(&world, bindings, 2);
    ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_AFFECTED), 2);
    ck_assert_int_eq(cell(&world, REBAL_AFFECTED_BINDING, 1), 1);
    test_world_close(&world);
  }
}
END_TEST

/* The second binding of that name is decided without x, too, and refused: the 6 replicas of the first stay charged. */
START_TEST(test_a_key_keeps_what_a_refusal_leaves) {
  static const struct test_binding bindings[] = {
      {"a/b", .replicas = 6, .request = "cpu=1", .placement = &to_u1, .targets = "x=6"},
      {"a/b", .replicas = 50, .request = "cpu=1", .placement = &to_u1},
      {"a/c", .replicas = 5, .request = "cpu=1", .placement = &to_u1, .targets = "x=5"},
  };

  ck_assert_int_eq(missing_without_x(NULL, NULL, bindings, 3), 55);
}
END_TEST

/* Of two targets in one cluster the last is charged: 2 of 10. */
START_TEST(test_a_cluster_named_twice_is_charged_once) {
  static const struct test_binding bindings[] = {
      {"a/b", .replicas = 4, .request = "cpu=1", .placement = &to_u1, .targets = "u1=2 u1=2 x=1"},
      {"a/c", .replicas = 8, .request = "cpu=1", .placement = &to_u1, .targets = "x=8"},
  };

  ck_assert_int_eq(missing_without_x(NULL, NULL, bindings, 2), 0);
}
END_TEST

/* Three replicas take a node each of the five; on the two that are left a core has no room beside another. */
START_TEST(test_models_are_read_beside_what_is_charged) {
  static const struct test_binding bindings[] = {
      {"a/b", .replicas = 3, .request = "cpu=1200m", .placement = &to_m1, .targets = "x=3"},
      {"a/c", .replicas = 3, .request = "cpu=2", .placement = &to_m1, .targets = "x=3"},
  };

  ck_assert_int_eq(missing_without_x(&modelled, NULL, bindings, 2), 3);
}
END_TEST

/* Of 100 pods 97 are charged, of a node's 5 cores 3: too many for 4 pods, and for 3 replicas. */
START_TEST(test_sets_and_nodes_are_read_beside_what_is_charged) {
  static const struct test_placement one = {
      .scheduling = "Divided/Aggregated", .spreads = "cluster:1:1", .affinity = &x_or_u1};
  static const struct test_binding sets[] = {
      {"a/b", .replicas = 97, .placement = &to_u1, .targets = "x=97"},
      {"a/c", .placement = &one, .components = "driver=1 worker=3", .targets = "x=0"},
  };
  static const struct test_binding replicas[] = {
      {"a/b", .replicas = 3, .request = "cpu=1", .placement = &to_u1, .targets = "x=3"},
      {"a/c", .replicas = 3, .request = "cpu=1", .placement = &to_u1, .targets = "x=3"},
  };
  rebal_compat *gate = test_compat(REBAL_OPTION_GATE_MULTIPLE_POD_TEMPLATES, 1);
  const rebal_schedule_opts with_sets = {.struct_size = (uint32_t)sizeof with_sets, .compat = gate},
                            with_nodes = {.struct_size = (uint32_t)sizeof with_nodes,
                                          .flags = REBAL_SCHEDULE_FLAG_NODES};
  struct test_world world;

  lose_x_with(&world, NULL, &with_sets, sets, 2);
  ck_assert_int_eq(cell(&world, REBAL_SWEPT_UNPLACED, 0), 1);
  test_world_close(&world);
  ck_assert_int_eq(missing_without_x(NULL, &with_nodes, replicas, 2), 3);
  rebal_compat_free(gate);
}
END_TEST

/* A cluster without a limit is offered for the 10 replicas that are wanted, e1 for 100: this gets 9 and has 91 left. */
START_TEST(test_a_cluster_without_a_limit_stays_one) {
  static const struct test_placement by_weight = {.scheduling = "Divided/Weighted/AvailableReplicas",
                                                  .affinity = &x_e1_big};
  static const struct test_binding bindings[] = {
      {"a/b", .replicas = 3, .placement = &to_big, .targets = "x=3"},
      {"a/c", .replicas = 10, .placement = &by_weight, .targets = "x=10"},
      {"a/d", .replicas = 91, .placement = &to_e1, .targets = "x=91"},
  };

  ck_assert_int_eq(missing_without_x(NULL, NULL, bindings, 3), 0);
}
END_TEST

UNIT_CASE(offsets) {
  TCase *cases = tcase_create("offsets");
  tcase_add_test(cases, test_a_region_keeps_its_score_while_it_offers_enough);
  tcase_add_test(cases, test_targets_of_a_region_compete_for_its_slots);
  tcase_add_test(cases, test_a_region_scores_by_fewer_clusters_once_they_offer_more);
  tcase_add_test(cases, test_a_cluster_that_is_left_may_become_the_best);
  tcase_add_test(cases, test_a_key_keeps_what_a_refusal_leaves);
  tcase_add_test(cases, test_a_cluster_named_twice_is_charged_once);
  tcase_add_test(cases, test_models_are_read_beside_what_is_charged);
  tcase_add_test(cases, test_sets_and_nodes_are_read_beside_what_is_charged);
  tcase_add_test(cases, test_a_cluster_without_a_limit_stays_one);
  return cases;
}
