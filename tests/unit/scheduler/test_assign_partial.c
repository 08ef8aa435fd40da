/* SPDX-License-Identifier: MIT */
/* The option PARTIAL_PLACEMENT: strategies, tiers and selection place what fits and report what is missing. */
#include "phases_fixture.h"

#include "../../support/allocator.h"
#include "../unit.h"

static const struct test_affinity overflow[] = {{.clusters = "m3"}};
static const struct test_affinity terms[] = {{"one", .clusters = "m1 m2", .overflow = overflow, .n_overflow = 1}};
static const struct test_placement tiers = {.terms = terms, .n_terms = 1, .scheduling = "Divided/Aggregated"};
static const struct test_placement static_tiers = {
    .terms = terms, .n_terms = 1, .scheduling = "Divided/Weighted", .weights = "m1=1"};
static const struct test_placement two_clusters = {.scheduling = "Divided/Aggregated", .spreads = "cluster:1:2"};
static const struct test_placement no_clusters = {.scheduling = "Divided/Aggregated", .spreads = "cluster:1"};
static const struct test_placement three_clusters = {.scheduling = "Divided/Aggregated", .spreads = "cluster:4:4"};
static const struct test_placement two_by_weight = {.scheduling = "Divided/Weighted/AvailableReplicas",
                                                    .spreads = "cluster:2:2"};

#define THREE "m1=10 m2=5 m3=3"
#define A .request = "", .placement = &aggregated
#define D .request = "", .placement = &dynamic_weight
#define S .request = "", .placement = &equal_weight
#define T .request = "", .placement = &tiers, .observed = "one"
#define FRESH .triggered_at = 2, .scheduled_at = 1
#define LACKING(what, count) \
  "failed to assign replicas: failed to " what ": Clusters available replicas " count " are not enough to schedule."
#define TOO_FEW(count) "failed to assign replicas: Clusters available replicas " count " are not enough to schedule."
#define TIERS "failed to assign replicas: Clusters available replicas are not enough to schedule."
#define SELECTING "failed to select clusters: no enough resource when selecting 2 clusters"

static const struct {
  const char *pods;
  struct test_binding binding;
  const char *without;
  const char *with;
} rows[] = {
    /* 95 of 100 fit (karmada #6333) */
    {"m1=60 m2=35",
     {.replicas = 100, D},
     "unschedulable: " LACKING("scale up", "95"),
     "m1:60 m2:35; 5 missing: " LACKING("scale up", "95")},
    {THREE,
     {.replicas = 19, A},
     "unschedulable: " LACKING("scale up", "18"),
     "m1:10 m2:5 m3:3; 1 missing: " LACKING("scale up", "18")},
    {THREE, {.replicas = 18, A}, "m1:10 m2:5 m3:3", "m1:10 m2:5 m3:3"},
    {"m1=1 m2=0",
     {.replicas = 9, D, .targets = "m2=4"},
     "unschedulable: " LACKING("scale up", "1"),
     "m1:1 m2:4; 4 missing: " LACKING("scale up", "1")}, /* existing replicas stay */
    {"m1=0 m2=0",
     {.replicas = 9, A, .targets = "m2=4"},
     "unschedulable: " LACKING("scale up", "0"),
     "m2:4; 5 missing: " LACKING("scale up", "0")},
    {"m1=1 m2=0",
     {.replicas = 9, D, .targets = "m2=4", FRESH},
     "unschedulable: " LACKING("do fresh scale", "5"),
     "m1:1 m2:4; 4 missing: " LACKING("do fresh scale", "5")},
    /* nothing fits: refused as without the option */
    {"m1=0 m2=0",
     {.replicas = 9, D},
     "unschedulable: " LACKING("scale up", "0"),
     "unschedulable: " LACKING("scale up", "0")},
    {"m1=0 m2=0",
     {.replicas = 9, .request = "", .placement = &two_by_weight},
     "error: " SELECTING,
     "error: " SELECTING},
    /* scaling down needs no capacity */
    {"m1=0 m2=0", {.replicas = 3, D, .targets = "m2=8"}, "m2:3", "m2:3"},
    {THREE, {.replicas = 20, T}, "unschedulable: " TIERS, "m1:10 m2:5 m3:3; 2 missing: " TIERS},
    {THREE, {.replicas = 17, T}, "m1:10 m2:5 m3:2", "m1:10 m2:5 m3:2"},
    {"m1=0 m2=0 m3=0", {.replicas = 2, T}, "unschedulable: " TIERS, "unschedulable: " TIERS},
    {THREE,
     {.replicas = 16, .request = "", .placement = &two_clusters},
     "error: " SELECTING,
     "m1:10 m2:5; 1 missing: " SELECTING},
    {THREE, {.replicas = 15, .request = "", .placement = &two_clusters}, "m1:10 m2:5", "m1:10 m2:5"},
    {THREE,
     {.replicas = 16, .request = "", .placement = &no_clusters},
     "error: failed to select clusters: no enough resource when selecting 0 clusters",
     "error: failed to select clusters: no enough resource when selecting 0 clusters"},
    {THREE,
     {.replicas = 16, .request = "", .placement = &three_clusters},
     "error: failed to select clusters: the number of feasible clusters is less than spreadConstraint.MinGroups",
     "error: failed to select clusters: the number of feasible clusters is less than spreadConstraint.MinGroups"},
    /* copies and static weights ignore capacity */
    {"m1=1", {.replicas = 9, .request = "", .placement = &duplicated}, "m1:9", "m1:9"},
    {"m1=1", {.replicas = 9, S}, "m1:9", "m1:9"},
    /* more than can be divided at all, whatever is missing */
    {"m1=10000001",
     {.replicas = 10000005, D},
     "unschedulable: " LACKING("scale up", "10000001"),
     "error: failed to assign replicas: 10000001 replicas, but at most 10000000 are divided"},
};

START_TEST(test_what_fits) {
  ck_assert_str_eq(schedule_pods(rows[_i].pods, &rows[_i].binding, NULL), rows[_i].without);
  ck_assert_str_eq(schedule_pods(rows[_i].pods, &rows[_i].binding, with_option(REBAL_OPTION_PARTIAL_PLACEMENT, 1)),
                   rows[_i].with);
}
END_TEST

static rebal_compat *both_options(void) {
  rebal_compat *compat = test_compat(REBAL_OPTION_PARTIAL_PLACEMENT, 1);

  ck_assert_int_eq(rebal_compat_set(compat, REBAL_OPTION_STATIC_WEIGHT_CAPACITY, 1, NULL), REBAL_OK);
  return compat;
}

START_TEST(test_static_weights_within_capacity) {
  static const struct test_binding binding = {.replicas = 20, S};
  rebal_compat *compat = both_options();
  const rebal_schedule_opts opts = {.struct_size = sizeof opts, .compat = compat};

  ck_assert_str_eq(schedule_pods(THREE, &binding, &opts), "m1:10 m2:5 m3:3; 2 missing: " TOO_FEW("18"));
  ck_assert_str_eq(schedule_pods("m1=0 m2=0", &binding, &opts), "unschedulable: " TOO_FEW("0"));
  rebal_compat_free(compat);
}
END_TEST

/* m2 has capacity but no weight: the next tier takes what the first one lacks, and nothing is missing. */
START_TEST(test_a_later_tier_has_capacity) {
  static const struct test_binding binding = {
      .replicas = 12, .request = "", .placement = &static_tiers, .observed = "one"};
  rebal_compat *compat = both_options();
  const rebal_schedule_opts opts = {.struct_size = sizeof opts, .compat = compat};
  struct test_world world;

  ck_assert_str_eq(schedule_pods(THREE, &binding, with_option(REBAL_OPTION_STATIC_WEIGHT_CAPACITY, 1)),
                   "unschedulable: " TOO_FEW("10"));
  test_world_open(&world, NULL);
  test_add_pods(&world, THREE);
  (void)test_add_binding(&world, NULL, &binding);
  test_freeze(&world);
  ck_assert_str_eq(test_schedule(&world, &opts, 0), "m1:10 m3:2");
  ck_assert_str_eq(rebal_result_text(world.result, REBAL_DECISION_MESSAGE, 0, NULL), "");
  ck_assert_int_eq(rebal_result_i64(world.result, REBAL_DECISION_MISSING, NULL)[0], 0);
  rebal_compat_free(compat);
  test_world_close(&world);
}
END_TEST

/* A set of components fits whole or not at all. */
START_TEST(test_component_sets_are_placed_whole) {
  static const struct test_placement one_cluster = {.scheduling = "Divided/Aggregated", .spreads = "cluster:1:1"};
  static const char *const components[] = {"driver=1 worker=3", "driver=4"};
  const struct test_binding binding = {.components = components[_i], .placement = &one_cluster};
  rebal_compat *compat = both_options();
  const rebal_schedule_opts opts = {.struct_size = sizeof opts, .compat = compat};

  ck_assert_int_eq(rebal_compat_set(compat, REBAL_OPTION_GATE_MULTIPLE_POD_TEMPLATES, 1, NULL), REBAL_OK);
  ck_assert_str_eq(schedule_pods("m1=3", &binding, &opts),
                   "error: failed to select clusters: no enough resource when selecting 1 clusters");
  ck_assert_str_eq(schedule_pods("m1=4", &binding, &opts), "m1:0");
  rebal_compat_free(compat);
}
END_TEST

START_TEST(test_wrapping_sums_hide_no_capacity) {
  /* The reference's sum of the two is -4; all fits. */
  static const struct test_binding binding = {.replicas = 5, D};
  rebal_compat *compat = test_compat(REBAL_OPTION_PARTIAL_PLACEMENT, 1);
  const rebal_schedule_opts opts = {.struct_size = sizeof opts, .compat = compat};

  ck_assert_int_eq(rebal_compat_set(compat, REBAL_OPTION_INT32_WRAP, 1, NULL), REBAL_OK);
  ck_assert_str_eq(schedule_pods("m1=2147483646 m2=2147483646", &binding, &opts), "m1:3 m2:2");
  rebal_compat_free(compat);
}
END_TEST

/* An estimate below 0 lowers the reference's sum, but takes no capacity from other clusters. */
START_TEST(test_capacity_below_none) {
  static const struct test_binding bindings[] = {{.replicas = 9, D}, {.replicas = 9, A}, {.replicas = 9, S}};
  static const char *const answers[] = {"m2:3; 6 missing: " LACKING("scale up", "-2"),
                                        "m2:3; 6 missing: " LACKING("scale up", "-2"),
                                        "m2:3; 6 missing: " TOO_FEW("3")};
  static const int32_t fits[] = {-5, 3};
  const rebal_estimator estimator = {sizeof estimator, 0, fits, 2, 0};
  const rebal_estimator *const estimators[] = {&estimator};
  rebal_compat *compat = both_options();
  const rebal_schedule_opts opts = {
      .struct_size = sizeof opts, .compat = compat, .estimators = estimators, .n_estimators = 1};

  ck_assert_str_eq(schedule_pods("m1=9 m2=9", &bindings[_i], &opts), answers[_i]);
  rebal_compat_free(compat);
}
END_TEST

/* Placed replicas are charged, missing ones are not: the next binding gets the remaining capacity. */
START_TEST(test_a_ledger_is_charged_what_is_placed) {
  struct test_world world;
  rebal_compat *compat = both_options();
  rebal_schedule_opts opts = {.struct_size = sizeof opts, .compat = compat};

  test_world_open(&world, NULL);
  test_add_pods(&world, "m1=4 m2=3");
  (void)test_add_binding(&world, NULL, &(struct test_binding){.key = "a/a", .replicas = 9, D});
  (void)test_add_binding(&world, NULL, &(struct test_binding){.key = "a/b", .replicas = 2, D});
  test_freeze(&world);
  ck_assert_int_eq(rebal_ledger_new(world.fleet, NULL, &opts.ledger, NULL), REBAL_OK);
  ck_assert_str_eq(test_schedule(&world, &opts, 0), "m1:4 m2:3; 2 missing: " LACKING("scale up", "7"));
  ck_assert_str_eq(test_answer(world.result, world.snapshot, 1), "unschedulable: " LACKING("scale up", "0"));
  rebal_ledger_free(opts.ledger);
  rebal_compat_free(compat);
  test_world_close(&world);
}
END_TEST

/* Both the selection and the division by static weight lack capacity: the refusal is that of the selection. */
START_TEST(test_static_weights_after_a_selection_in_part) {
  static const struct test_placement weighed = {
      .scheduling = "Divided/Weighted", .weights = "", .spreads = "cluster:1:1"};
  static const struct test_binding binding = {.replicas = 9, .request = "", .placement = &weighed};
  rebal_compat *compat = test_compat(REBAL_OPTION_PARTIAL_PLACEMENT, 1);
  const rebal_schedule_opts opts = {.struct_size = sizeof opts, .compat = compat};

  ck_assert_str_eq(schedule_pods("m1=4 m2=2", &binding, &opts),
                   "error: failed to select clusters: no enough resource when selecting 1 clusters");
  ck_assert_int_eq(rebal_compat_set(compat, REBAL_OPTION_STATIC_WEIGHT_CAPACITY, 1, NULL), REBAL_OK);
  ck_assert_str_eq(schedule_pods("m1=4 m2=2", &binding, &opts),
                   "m1:4; 5 missing: failed to select clusters: no enough resource when selecting 1 clusters");
  rebal_compat_free(compat);
}
END_TEST

/* Only the context and the result run out of memory. */
static int32_t schedule_in_part(const rebal_allocator *allocator, void *user_data) {
  const struct test_world *world = user_data;
  rebal_compat *compat = both_options();
  const rebal_schedule_opts opts = {.struct_size = sizeof opts, .compat = compat};
  rebal_ctx *ctx = NULL;
  rebal_result *result = NULL;
  int32_t code = rebal_ctx_new(allocator, NULL, &ctx, NULL);

  code = code == REBAL_OK ? rebal_result_new(allocator, &result, NULL) : code;
  code = code == REBAL_OK ? rebal_schedule(ctx, world->snapshot, world->bindings, &opts, result, NULL) : code;
  rebal_result_free(result);
  rebal_ctx_free(ctx);
  rebal_compat_free(compat);
  return code;
}

START_TEST(test_out_of_memory) {
  static const struct test_binding bindings[] = {{.key = "a/a", .replicas = 20, T},
                                                 {.key = "a/b", .replicas = 20, S},
                                                 {.key = "a/c", .replicas = 20, D, .targets = "m1=1"},
                                                 {.key = "a/d", .replicas = 20, .placement = &two_clusters}};
  struct test_world world;

  test_world_open(&world, NULL);
  test_add_pods(&world, THREE);
  for (size_t i = 0; i < REBALI_COUNT(bindings); i++) {
    (void)test_add_binding(&world, NULL, &bindings[i]);
  }
  test_freeze(&world);
  ck_assert_pstr_eq(test_torture(schedule_in_part, &world), NULL);
  test_world_close(&world);
}
END_TEST

UNIT_CASE(assign_partial) {
  TCase *cases = tcase_create("assign_partial");

  tcase_add_test(cases, test_static_weights_after_a_selection_in_part);
  tcase_set_timeout(cases, 120);
  tcase_add_loop_test(cases, test_what_fits, 0, (int)REBALI_COUNT(rows));
  tcase_add_test(cases, test_static_weights_within_capacity);
  tcase_add_test(cases, test_a_later_tier_has_capacity);
  tcase_add_loop_test(cases, test_component_sets_are_placed_whole, 0, 2);
  tcase_add_test(cases, test_wrapping_sums_hide_no_capacity);
  tcase_add_loop_test(cases, test_capacity_below_none, 0, 3);
  tcase_add_test(cases, test_a_ledger_is_charged_what_is_placed);
  tcase_add_test(cases, test_out_of_memory);
  return cases;
}
