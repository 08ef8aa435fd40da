/* SPDX-License-Identifier: MIT */
/* Effects of displaced bindings in a sweep, by the charges that a loss adds to a ledger. */
#include "../../support/allocator.h"
#include "lose.h"

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
#define MORE_CLUSTERS 12 /* not used by any binding, so that two changed clusters are few enough to examine */

static const struct test_affinity x_or_e1 = {.clusters = "x e1"}, x_or_u1 = {.clusters = "x u1"},
                                  x_or_m1 = {.clusters = "x m1"}, x_or_big = {.clusters = "x big"},
                                  all_of_eu = {.clusters = "e1 e2 e3"}, e1_or_u1 = {.clusters = "e1 u1"},
                                  e1_e3_u1 = {.clusters = "e1 e3 u1"}, e1_e2_u1 = {.clusters = "e1 e2 u1"},
                                  x_e1_a1 = {.clusters = "x e1 a1"}, x_e1_big = {.clusters = "x e1 big"};
static const struct test_placement to_e1 = {.scheduling = "Divided/Aggregated", .affinity = &x_or_e1},
                                   to_u1 = {.scheduling = "Divided/Aggregated", .affinity = &x_or_u1},
                                   to_m1 = {.scheduling = "Divided/Aggregated", .affinity = &x_or_m1},
                                   to_big = {.scheduling = "Divided/Aggregated", .affinity = &x_or_big};
/* Without x its replicas in e1 go to a1, too. */
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

/* Only x is lost. options NULL: none. */
static void lose_x_with(struct test_world *world, const struct test_cluster *last, const rebal_schedule_opts *options,
                        const struct test_binding *bindings, size_t n) {
  test_world_open(world, NULL);
  add_clusters(world, last);
  if (options != NULL && (options->flags & REBAL_SCHEDULE_FLAG_NODES) != 0) {
    (void)test_set_node(world, 0, &(struct test_node){"n1", .allocatable = "cpu=5 pods=100"});
  }
  for (size_t i = 0; i < n; i++) {
    (void)test_add_binding(world, NULL, &bindings[i]);
  }
  test_freeze(world);
  lose(world, X, options);
}

static void lose_x(struct test_world *world, const struct test_binding *bindings, size_t n) {
  lose_x_with(world, NULL, NULL, bindings, n);
}

/* Replicas missing without x. No binding counts twice, however often it is decided. */
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

/*
 * The score of "us" is that of u1, which offers 10 for the 4 replicas required: 6 may be charged without effect, not 7.
 */
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

/* Two of three targets are selected by their offers: 12, 11 and 10 replicas, then 9, 11 and 10. */
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
 * Without x the first binding leaves e1, which then alone offers the second one all replicas of "eu": the score is that
 * of a region of targets, as that of "us", and "eu" has more clusters.
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

/* Two replicas fit into e1, which becomes as good as u1 without x, and is first by name. */
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

/*
 * The second binding of the same name is decided without x, too, and refused: the 6 replicas of the first stay charged.
 */
START_TEST(test_a_key_keeps_what_a_refusal_leaves) {
  static const struct test_binding bindings[] = {
      {"a/b", .replicas = 6, .request = "cpu=1", .placement = &to_u1, .targets = "x=6"},
      {"a/b", .replicas = 50, .request = "cpu=1", .placement = &to_u1},
      {"a/c", .replicas = 5, .request = "cpu=1", .placement = &to_u1, .targets = "x=5"},
  };

  ck_assert_int_eq(missing_without_x(NULL, NULL, bindings, 3), 55);
}
END_TEST

/* If two targets have the same cluster, the last one is charged: 2 of 10. */
START_TEST(test_a_cluster_named_twice_is_charged_once) {
  static const struct test_binding bindings[] = {
      {"a/b", .replicas = 4, .request = "cpu=1", .placement = &to_u1, .targets = "u1=2 u1=2 x=1"},
      {"a/c", .replicas = 8, .request = "cpu=1", .placement = &to_u1, .targets = "x=8"},
  };

  ck_assert_int_eq(missing_without_x(NULL, NULL, bindings, 2), 0);
}
END_TEST

/* Three replicas use three of five nodes with 2 cpus. The other two take one replica each, too few for the second. */
START_TEST(test_models_are_read_beside_what_is_charged) {
  static const struct test_binding bindings[] = {
      {"a/b", .replicas = 3, .request = "cpu=1200m", .placement = &to_m1, .targets = "x=3"},
      {"a/c", .replicas = 3, .request = "cpu=2", .placement = &to_m1, .targets = "x=3"},
  };

  ck_assert_int_eq(missing_without_x(&modelled, NULL, bindings, 2), 3);
}
END_TEST

/* 97 of 100 pods and 3 of a node's 5 cores are charged: 4 pods do not fit, nor do 3 replicas. */
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

/* A cluster without a limit offers as many as are desired, 10; e1 offers 100, gets 9 and has 91 left. */
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

/* ---- held amounts ------------------------------------------------------------------------------------------------ */

static const struct test_affinity p_or_q = {.clusters = "p q"};
static const struct test_placement to_q = {.scheduling = "Divided/Aggregated", .affinity = &p_or_q};

static void open_world(struct test_world *world, const struct test_cluster *list, size_t n_clusters,
                       const struct test_binding *bindings, size_t n) {
  test_world_open(world, NULL);
  for (size_t i = 0; i < n_clusters; i++) {
    (void)test_add_cluster(world, &list[i]);
  }
  for (size_t i = 0; i < n; i++) {
    (void)test_add_binding(world, NULL, &bindings[i]);
  }
  test_freeze(world);
}

/* p is lost, the first of the clusters. */
static int64_t missing_without_p(const struct test_cluster *list, size_t n_clusters,
                                 const struct test_binding *bindings, size_t n) {
  struct test_world world;
  int64_t missing;

  open_world(&world, list, n_clusters, bindings, n);
  lose(&world, 0, NULL);
  missing = cell(&world, REBAL_SWEPT_MISSING, 0);
  test_world_close(&world);
  return missing;
}

#define DEVICES " a/1=9 a/2=9 a/3=9 a/4=9 a/5=9 a/6=9"
#define ONE_OF_EACH "cpu=1 a/1=1 a/2=1 a/3=1 a/4=1 a/5=1 a/6=1"
static const struct test_cluster with_devices[] = {{"p", "cpu=20 pods=100" DEVICES}, {"q", "cpu=10 pods=100" DEVICES}};

/* New resource names occur after some amounts are held: 7 of 10 cpus are held then. */
START_TEST(test_more_resources_than_at_first) {
  for (int64_t n = 3; n < 5; n++) {
    const char *const targets[] = {"p=3", "p=4"};
    const struct test_binding bindings[] = {
        {"a/b", .replicas = 4, .request = "cpu=1", .placement = &to_q, .targets = "p=4"},
        {"a/c", .replicas = 3, .request = ONE_OF_EACH, .placement = &to_q, .targets = "p=3"},
        {"a/d", .replicas = n, .request = "cpu=1", .placement = &to_q, .targets = targets[n - 3]},
    };

    ck_assert_int_eq(missing_without_p(with_devices, 2, bindings, 3), n == 3 ? 0 : 4);
  }
}
END_TEST

/* The held amounts are 5 and two halves, of 7; their sum may saturate. There is capacity for 1 more, not for 2. */
START_TEST(test_amounts_that_might_saturate) {
  static const struct test_cluster list[] = {{"p", "memory=7Ei pods=10"}, {"q", "memory=7Ei pods=10"}};

  for (int i = 1; i < 3; i++) {
    const struct test_binding bindings[] = {
        {"a/b", .replicas = 1, .request = "memory=5Ei", .placement = &to_q, .targets = "p=1"},
        {"a/c", .replicas = 2, .request = "memory=512Pi", .placement = &to_q, .targets = "q=1"},
        {"a/d", .replicas = 1, .request = i == 1 ? "memory=1Ei" : "memory=2Ei", .placement = &to_q, .targets = "p=1"},
    };

    ck_assert_int_eq(missing_without_p(list, 2, bindings, 3), i - 1);
  }
}
END_TEST

/* Without p the first binding leaves q entirely, which then has capacity for the second one. */
START_TEST(test_as_much_that_is_let_go) {
  static const struct test_cluster list[] = {{"p", "memory=7Ei pods=10", "memory=5Ei", .region = "eu"},
                                             {"q", "memory=7Ei pods=10", "memory=5Ei", .region = "eu"},
                                             {"r", "memory=7Ei pods=10", .region = "us"},
                                             {"s", "memory=7Ei pods=10", .region = "us"}};
  static const struct test_affinity only_q = {.clusters = "q"};
  static const struct test_placement by_region = {.scheduling = "Divided/Aggregated",
                                                  .spreads = "region:1:1 cluster:1:2"},
                                     in_q = {.scheduling = "Divided/Aggregated", .affinity = &only_q};
  static const struct test_binding bindings[] = {
      {"a/b", .replicas = 2, .request = "memory=5Ei", .placement = &by_region, .targets = "p=1 q=1"},
      {"a/c", .replicas = 1, .request = "memory=1Ei", .placement = &in_q},
  };
  struct test_world world;

  open_world(&world, list, 4, bindings, 2);
  lose(&world, 2, NULL);
  ck_assert_int_eq(cell(&world, REBAL_SWEPT_MISSING, 0), 1);
  lose(&world, 0, NULL);
  ck_assert_int_eq(cell(&world, REBAL_SWEPT_MISSING, 0), 0);
  test_world_close(&world);
}
END_TEST

/* Without p the first binding is refused, and its key keeps a charge in a cluster added after the snapshot. */
START_TEST(test_charges_in_a_younger_cluster) {
  static const struct test_binding bindings[] = {
      {"a/b", .replicas = 12, .request = "cpu=1", .placement = &to_q, .targets = "p=12"},
      {"a/c", .replicas = 8, .request = "cpu=1", .placement = &to_q, .targets = "p=8"},
  };
  rebal_schedule_opts schedule = {.struct_size = (uint32_t)sizeof schedule};
  const rebal_sweep_opts opts = {.struct_size = (uint32_t)sizeof opts, .schedule = &schedule};
  struct test_world world;
  uint32_t younger;

  open_world(&world, with_devices, 2, bindings, 2);
  ck_assert_int_eq(rebal_fleet_cluster_id(world.fleet, "younger", 7, &younger, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_ledger_new(world.fleet, NULL, &schedule.ledger, NULL), REBAL_OK);
  test_charge(schedule.ledger, "a/b", younger, test_request_handle(&world, "cpu=1"), 2);
  ck_assert_int_eq(rebal_sweep(world.ctx, world.snapshot, world.bindings, &opts, world.result, &world.err), REBAL_OK);
  ck_assert_int_eq(cell(&world, REBAL_SWEPT_MISSING, 0), 12);
  ck_assert_int_eq(cell(&world, REBAL_SWEPT_MISSING, 1), 0);
  rebal_ledger_free(schedule.ledger);
  test_world_close(&world);
}
END_TEST

static int32_t sweep_with(const rebal_allocator *allocator, void *user_data) {
  const struct test_world *world = user_data;
  static const uint32_t clusters_lost[] = {0, 1}, offsets[] = {0, 1, 2};
  rebal_schedule_opts schedule = {.struct_size = (uint32_t)sizeof schedule};
  const rebal_sweep_opts opts = {.struct_size = (uint32_t)sizeof opts,
                                 .kinds = 1u << REBAL_LOSS_SET,
                                 .schedule = &schedule,
                                 .set_clusters = clusters_lost,
                                 .set_offsets = offsets,
                                 .n_sets = 2};
  rebal_ctx *ctx = NULL;
  rebal_result *result = NULL;
  int32_t code = rebal_ctx_new(allocator, NULL, &ctx, NULL);

  code = code == REBAL_OK ? rebal_result_new(allocator, &result, NULL) : code;
  code = code == REBAL_OK ? rebal_ledger_new(world->fleet, allocator, &schedule.ledger, NULL) : code;
  code = code == REBAL_OK ? rebal_sweep(ctx, world->snapshot, world->bindings, &opts, result, NULL) : code;
  rebal_ledger_free(schedule.ledger);
  rebal_result_free(result);
  rebal_ctx_free(ctx);
  return code;
}

/* Two bindings change charges in many clusters before a third one that has the key of the first, and new resources. */
START_TEST(test_no_memory) {
  static const struct test_placement spread = {.scheduling = "Divided/Weighted/AvailableReplicas"};
  static const struct test_binding bindings[] = {
      {"a/b", .replicas = 24, .request = "cpu=1", .placement = &spread, .targets = "p00=24"},
      {"a/c", .replicas = 24, .request = "cpu=1", .placement = &spread, .targets = "p00=24"},
      {"a/b", .replicas = 24, .request = ONE_OF_EACH, .placement = &spread, .targets = "p00=24"},
      {"a/d", .replicas = 24, .request = ONE_OF_EACH, .placement = &spread, .targets = "p00=24"},
  };
  struct test_cluster list[25];
  char names[25][16];
  struct test_world world;

  for (unsigned i = 0; i < 25; i++) {
    (void)snprintf(names[i], sizeof names[i], "p%02u", i % 100);
    list[i] = (struct test_cluster){names[i], "cpu=100 pods=100" DEVICES};
  }
  open_world(&world, list, 25, bindings, 4);
  ck_assert_pstr_eq(test_torture(sweep_with, &world), NULL);
  test_world_close(&world);
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
  tcase_add_test(cases, test_more_resources_than_at_first);
  tcase_add_test(cases, test_amounts_that_might_saturate);
  tcase_add_test(cases, test_as_much_that_is_let_go);
  tcase_add_test(cases, test_charges_in_a_younger_cluster);
  tcase_add_test(cases, test_no_memory);
  return cases;
}
