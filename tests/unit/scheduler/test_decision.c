/* SPDX-License-Identifier: MIT */
/* Answers as rows, and what they cost in the ledger (rebalance-karmada(7) 6.6). */
#include "phases_fixture.h"

#include "../unit.h"

static const struct test_affinity terms[] = {{"one", .clusters = "m1 m2"}};
static const struct test_placement grouped = {.terms = terms, .n_terms = 1, .scheduling = "Duplicated"};

START_TEST(test_cells) {
  static const struct test_binding bindings[] = {{.replicas = 1, .placement = &grouped, .observed = "one"},
                                                 {.replicas = 1,
                                                  .placement = &equal_weight,
                                                  .applied = &equal_weight,
                                                  .triggered_at = 2,
                                                  .scheduled_at = 1,
                                                  .targets = "m1=1"}};
  struct test_world world;
  size_t n;

  test_world_open(&world, NULL);
  test_add_pods(&world, "m1=5 m2=5 m3=5");
  for (size_t i = 0; i < 2; i++) {
    (void)test_add_binding(&world, NULL, &bindings[i]);
  }
  test_freeze(&world);
  ck_assert_str_eq(test_schedule(&world, NULL, 0), "m1:1 m2:1");
  ck_assert_str_eq(test_answer(world.result, world.snapshot, 1), "m1:1");
  ck_assert_int_eq(rebal_result_i64(world.result, REBAL_DECISION_BINDING, &n)[1], 1);
  ck_assert_int_eq(rebal_result_i64(world.result, REBAL_DECISION_FIRST_PLACED, &n)[1], 2);
  ck_assert_int_eq(rebal_result_i64(world.result, REBAL_DECISION_FRESH, &n)[0], 0);
  ck_assert_int_eq(rebal_result_i64(world.result, REBAL_DECISION_FRESH, &n)[1], 1);
  ck_assert_int_eq(rebal_result_i64(world.result, REBAL_DECISION_REASON, &n)[0], REBAL_REASON_PLACEMENT);
  ck_assert_int_eq(rebal_result_i64(world.result, REBAL_DECISION_REASON, &n)[1], REBAL_REASON_RESCHEDULE);
  ck_assert_str_eq(rebal_result_text(world.result, REBAL_DECISION_AFFINITY_NAME, 0, NULL), "one");
  ck_assert_str_eq(rebal_result_text(world.result, REBAL_DECISION_AFFINITY_NAME, 1, NULL), "");
  test_world_close(&world);
}
END_TEST

/* The first binding, and what is left for a second one of 8 replicas: m1 and m2 hold 10 pods each. */
static const struct {
  struct test_binding first;
  const char *second;
} costs[] = {
    {{.key = "ns/a", .replicas = 10, .placement = &aggregated}, "m2:8"},
    {{.key = "ns/a", .replicas = 6, .placement = &duplicated}, "m1:4 m2:4"},
    {{.key = "a", .replicas = 10, .placement = &aggregated}, "m1:8"},    /* no ResourceBinding: free */
    {{.key = "ns/a", .placement = &aggregated}, "m1:8"},                 /* no workload */
    {{.key = "ns/a", .replicas = 99, .placement = &aggregated}, "m1:8"}, /* refused */
    {{.key = "ns/b", .replicas = 10, .placement = &aggregated}, "m2:8"}, /* charged against itself */
};

START_TEST(test_what_an_answer_costs) {
  static const struct test_binding second = {.key = "ns/b", .replicas = 8, .placement = &aggregated};
  rebal_schedule_opts opts = {.struct_size = sizeof opts};
  struct test_world world;

  test_world_open(&world, NULL);
  test_add_pods(&world, "m1=10 m2=10");
  (void)test_add_binding(&world, NULL, &costs[_i].first);
  (void)test_add_binding(&world, NULL, &second);
  test_freeze(&world);
  ck_assert_int_eq(rebal_ledger_new(world.fleet, NULL, &opts.ledger, NULL), REBAL_OK);
  ck_assert_str_eq(test_schedule(&world, &opts, 1), costs[_i].second);
  rebal_ledger_free(opts.ledger);
  ck_assert_str_eq(test_schedule(&world, NULL, 1), "m1:8");
  test_world_close(&world);
}
END_TEST

/* Where whole sets were placed, the components are what is charged; with the gate off the ledger is not read. */
START_TEST(test_components_cost_a_set) {
  static const struct test_placement one_cluster = {
      .affinity = NULL, .spreads = "cluster:1:1", .scheduling = "Divided/Aggregated"};
  static const struct test_binding first = {
      .key = "ns/a", .components = "driver=1 worker=3", .placement = &one_cluster};
  static const struct test_binding one = {.key = "ns/a", .components = "driver=4", .placement = &one_cluster};
  static const struct test_binding second = {.key = "ns/b", .replicas = 8, .placement = &aggregated};
  rebal_schedule_opts opts = {.struct_size = sizeof opts};
  struct test_world world;
  rebal_compat *compat = test_compat(REBAL_OPTION_GATE_MULTIPLE_POD_TEMPLATES, 1);

  test_world_open(&world, NULL);
  test_add_pods(&world, "m1=10 m2=10");
  (void)test_add_binding(&world, NULL, _i == 0 ? &first : &one);
  (void)test_add_binding(&world, NULL, &second);
  test_freeze(&world);
  opts.compat = compat;
  ck_assert_int_eq(rebal_ledger_new(world.fleet, NULL, &opts.ledger, NULL), REBAL_OK);
  ck_assert_str_eq(test_schedule(&world, &opts, 0), "m1:0");
  ck_assert_str_eq(test_answer(world.result, world.snapshot, 1), "m2:8");
  ck_assert_int_eq(rebal_compat_set(compat, REBAL_OPTION_GATE_OVERCOMMIT_PROTECTION, 0, NULL), REBAL_OK);
  ck_assert_str_eq(test_schedule(&world, &opts, 1), "m1:8");
  rebal_ledger_free(opts.ledger);
  rebal_compat_free(compat);
  test_world_close(&world);
}
END_TEST

/* One component beside requirements: replicas are divided, and they are what is charged. */
START_TEST(test_replicas_beside_a_component_cost_replicas) {
  static const struct test_placement one_cluster = {.spreads = "cluster:1:1", .scheduling = "Divided/Aggregated"};
  static const struct test_binding binding = {
      .key = "ns/a", .replicas = 3, .request = "pods=1", .components = "driver=1", .placement = &one_cluster};
  rebal_schedule_opts opts = *with_option(REBAL_OPTION_GATE_MULTIPLE_POD_TEMPLATES, 1);
  struct test_world world;
  size_t n;

  test_world_open(&world, NULL);
  test_add_pods(&world, "m1=10");
  (void)test_add_binding(&world, NULL, &binding);
  test_freeze(&world);
  ck_assert_int_eq(rebal_ledger_new(world.fleet, NULL, &opts.ledger, NULL), REBAL_OK);
  ck_assert_str_eq(test_schedule(&world, &opts, 0), "m1:3");
  ck_assert_int_eq(rebal_ledger_read(opts.ledger, world.result, NULL), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_SPENT), 1);
  ck_assert_int_eq(rebal_result_i64(world.result, REBAL_SPENT_REPLICAS, &n)[0], 3);
  ck_assert_int_eq(rebal_result_i64(world.result, REBAL_SPENT_REQUIREMENTS, &n)[0],
                   test_request_handle(&world, "pods=1"));
  rebal_ledger_free(opts.ledger);
  test_world_close(&world);
}
END_TEST

START_TEST(test_the_charge_of_a_binding_is_replaced_and_expires) {
  static const struct test_binding binding = {.key = "ns/a", .replicas = 6, .placement = &aggregated};
  const rebal_time expiry = test_time(50);
  const rebal_time at = test_time(50);
  const rebal_time later = test_time(51);
  rebal_schedule_opts opts = {.struct_size = sizeof opts, .ledger_expiry = &expiry};
  struct test_world world;

  test_world_open(&world, NULL);
  test_add_pods(&world, "m1=10");
  (void)test_add_binding(&world, NULL, &binding);
  test_freeze(&world);
  ck_assert_int_eq(rebal_ledger_new(world.fleet, NULL, &opts.ledger, NULL), REBAL_OK);
  ck_assert_str_eq(test_schedule(&world, &opts, 0), "m1:6");
  ck_assert_int_eq(rebal_ledger_expire(opts.ledger, &at, NULL), REBAL_OK);
  (void)test_schedule(&world, &opts, 0);
  ck_assert_str_eq(rebal_result_text(world.result, REBAL_DECISION_MESSAGE, 0, NULL),
                   "failed to assign replicas: failed to scale up: Clusters available replicas 4 are not enough to "
                   "schedule.");
  ck_assert_int_eq(rebal_ledger_expire(opts.ledger, &later, NULL), REBAL_OK);
  ck_assert_str_eq(test_schedule(&world, &opts, 0), "m1:6");
  rebal_ledger_free(opts.ledger);
  test_world_close(&world);
}
END_TEST

/* A time that is not set is none, whatever its members are. */
START_TEST(test_an_expiry_that_is_not_set) {
  static const struct test_binding binding = {.key = "ns/a", .replicas = 6, .placement = &aggregated};
  const rebal_time unset = {7, 0, 0}, later = test_time(51);
  rebal_schedule_opts opts = {.struct_size = sizeof opts, .ledger_expiry = &unset};
  struct test_world world;
  rebal_time expiry;

  test_world_open(&world, NULL);
  test_add_pods(&world, "m1=10");
  (void)test_add_binding(&world, NULL, &binding);
  test_freeze(&world);
  ck_assert_int_eq(rebal_ledger_new(world.fleet, NULL, &opts.ledger, NULL), REBAL_OK);
  ck_assert_str_eq(test_schedule(&world, &opts, 0), "m1:6");
  ck_assert_int_eq(rebal_ledger_expire(opts.ledger, &later, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_ledger_read(opts.ledger, world.result, NULL), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_SPENT), 1);
  rebal_result_time(world.result, REBAL_SPENT_EXPIRY, 0, &expiry);
  ck_assert(expiry.is_set == 0 && expiry.seconds == 0);
  rebal_ledger_free(opts.ledger);
  test_world_close(&world);
}
END_TEST

/* An answer without clusters leaves nothing charged; a refusal that keeps the old clusters keeps what they cost. */
START_TEST(test_an_answer_without_clusters_costs_nothing) {
  static const struct test_affinity nowhere = {.clusters = "m9"};
  static const struct test_placement on_none = {.affinity = &nowhere, .scheduling = "Divided/Aggregated"};
  static const struct test_binding bindings[] = {
      {.key = "ns/a", .request = "", .placement = &aggregated, .targets = "m1=5"}, /* scaled to none */
      {.key = "ns/a", .replicas = 5, .placement = &on_none, .targets = "m1=5"},    /* no cluster fits */
      {.key = "ns/a", .replicas = 99, .placement = &aggregated, .targets = "m1=5"},
      {.key = "a", .request = "", .placement = &aggregated, .targets = "m1=5"}};
  static const size_t rows[] = {0, 0, 1, 1};
  rebal_schedule_opts opts = {.struct_size = sizeof opts};
  struct test_world world;

  test_world_open(&world, NULL);
  test_add_pods(&world, "m1=10 m2=10");
  (void)test_add_binding(&world, NULL, &bindings[_i]);
  test_freeze(&world);
  ck_assert_int_eq(rebal_ledger_new(world.fleet, NULL, &opts.ledger, NULL), REBAL_OK);
  test_charge(opts.ledger, "ns/a", test_cluster_id(&world, "m1"), REBAL_NONE, 5);
  (void)test_schedule(&world, &opts, 0);
  ck_assert_int_eq(rebal_ledger_read(opts.ledger, world.result, NULL), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_SPENT), rows[_i]);
  rebal_ledger_free(opts.ledger);
  test_world_close(&world);
}
END_TEST

UNIT_CASE(decision) {
  TCase *cases = tcase_create("decision");

  tcase_add_test(cases, test_cells);
  tcase_add_loop_test(cases, test_what_an_answer_costs, 0, (int)REBALI_COUNT(costs));
  tcase_add_loop_test(cases, test_components_cost_a_set, 0, 2);
  tcase_add_loop_test(cases, test_an_answer_without_clusters_costs_nothing, 0, 4);
  tcase_add_test(cases, test_the_charge_of_a_binding_is_replaced_and_expires);
  tcase_add_test(cases, test_an_expiry_that_is_not_set);
  tcase_add_test(cases, test_replicas_beside_a_component_cost_replicas);
  return cases;
}
