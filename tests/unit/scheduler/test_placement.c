/* SPDX-License-Identifier: MIT */
/* Placements compiled: strategies, constraints, terms (rebalance-karmada(7) 5.1, 7.2). */
#include "phases_fixture.h"

#include "../../support/allocator.h"
#include "../unit.h"

#include <stdio.h>

static const struct {
  const char *scheduling;
  const char *weights;
  enum rebali_strategy strategy;
  int ignores_spread;
} strategies[] = {
    {NULL, NULL, REBALI_STRATEGY_DUPLICATED, 0},
    {"Duplicated", NULL, REBALI_STRATEGY_DUPLICATED, 0},
    {"Duplicated/Weighted", NULL, REBALI_STRATEGY_DUPLICATED, 0},
    {"Divided/Aggregated", NULL, REBALI_STRATEGY_AGGREGATED, 0},
    {"Divided/Aggregated", "a=1", REBALI_STRATEGY_AGGREGATED, 0},
    {"Divided/Weighted", NULL, REBALI_STRATEGY_STATIC_WEIGHT, 1},
    {"Divided/Weighted", "a=1", REBALI_STRATEGY_STATIC_WEIGHT, 1},
    {"Divided/Weighted", "", REBALI_STRATEGY_STATIC_WEIGHT, 0},
    {"Divided/Weighted/AvailableReplicas", NULL, REBALI_STRATEGY_DYNAMIC_WEIGHT, 0},
    {"Divided/Weighted/anything", "a=1", REBALI_STRATEGY_DYNAMIC_WEIGHT, 0}, /* the value is not checked */
    {"Divided", NULL, REBALI_STRATEGY_UNSUPPORTED, 0},
    {"Divided/Other", NULL, REBALI_STRATEGY_UNSUPPORTED, 0},
    {"divided/Weighted", NULL, REBALI_STRATEGY_UNSUPPORTED, 0},
    {"", NULL, REBALI_STRATEGY_UNSUPPORTED, 0},
};

static struct test_world world;
static struct rebali_placement compiled;

static void setup(void) {
  test_world_open(&world, NULL);
  memset(&compiled, 0, sizeof compiled);
  rebali_arena_init(&compiled.arena, rebali_ctx_allocator(world.ctx), 0);
}

static void teardown(void) {
  rebali_arena_dispose(&compiled.arena);
  test_world_close(&world);
}

static void compile(const struct test_placement *placement) {
  const uint32_t handle = test_placement_handle(&world, placement);

  ck_assert_int_eq(rebali_placement_compile(
                       &compiled, rebal_cells_record(rebal_fleet_cells(world.fleet), REBAL_OBJECT_PLACEMENT, handle)),
                   REBAL_OK);
}

START_TEST(test_strategies) {
  const struct test_placement placement = {.scheduling = strategies[_i].scheduling, .weights = strategies[_i].weights};

  compile(&placement);
  ck_assert_int_eq((int)compiled.strategy, (int)strategies[_i].strategy);
  ck_assert_int_eq(compiled.ignores_spread, strategies[_i].ignores_spread);
}
END_TEST

START_TEST(test_constraints_and_tolerations) {
  static const struct test_placement placement = {.spreads = "cluster:1:2 region:3 zone provider:0:4 rack:5:6",
                                                  .tolerations = "k:Exists:v:NoExecute;:"};
  static const struct rebali_spread spreads[] = {{REBAL_SPREAD_BY_CLUSTER, 1, 2},
                                                 {REBAL_SPREAD_BY_REGION, 3, 0},
                                                 {REBAL_SPREAD_BY_ZONE, 0, 0},
                                                 {REBAL_SPREAD_BY_PROVIDER, 0, 4},
                                                 {0, 5, 6}};

  compile(&placement);
  ck_assert_uint_eq(compiled.n_spreads, REBALI_COUNT(spreads));
  for (size_t i = 0; i < REBALI_COUNT(spreads); i++) {
    ck_assert_int_eq((int)compiled.spreads[i].field, (int)spreads[i].field);
    ck_assert_int_eq(compiled.spreads[i].min_groups, spreads[i].min_groups);
    ck_assert_int_eq(compiled.spreads[i].max_groups, spreads[i].max_groups);
  }
  ck_assert_uint_eq(compiled.tolerations.n, 2);
  ck_assert(rebali_text_equal(compiled.tolerations.items[0].effect, REBALI_TEXT("NoExecute")));
  ck_assert_uint_eq(compiled.tolerations.items[1].key.len, 0);
}
END_TEST

START_TEST(test_terms_by_name) {
  static const struct test_affinity over[] = {{.clusters = "x"}};
  static const struct test_affinity terms[] = {
      {"a", .clusters = "m1"}, {"b", .overflow = over, .n_overflow = 1}, {"a"}};
  static const struct test_placement placement = {.terms = terms, .n_terms = 3};

  compile(&placement);
  ck_assert_ptr_eq(rebali_placement_term(&compiled, REBALI_TEXT("a")), &compiled.terms[0]); /* the first */
  ck_assert_ptr_eq(rebali_placement_term(&compiled, REBALI_TEXT("b")), &compiled.terms[1]);
  ck_assert_ptr_null(rebali_placement_term(&compiled, REBALI_TEXT("c")));
  ck_assert_ptr_null(rebali_placement_term(&compiled, REBALI_TEXT("")));
  ck_assert_uint_eq(compiled.n_bitsets, 4);
  ck_assert_ptr_null(compiled.affinity);
}
END_TEST

/* So many that they are searched for. */
START_TEST(test_many_terms_by_name) {
  static char names[40][8];
  struct test_affinity terms[40];
  struct test_placement placement = {.terms = terms, .n_terms = REBALI_COUNT(terms)};

  memset(terms, 0, sizeof terms);
  for (size_t i = 0; i < REBALI_COUNT(terms); i++) {
    (void)snprintf(names[i], sizeof names[i], "t%02u", (unsigned)(i * 7 % 20 * 2)); /* each even number twice */
    terms[i].name = names[i];
    terms[i].clusters = "m1";
  }
  compile(&placement);
  for (unsigned number = 0; number < 50; number++) {
    char name[8];
    const struct rebali_affinity *found;
    size_t first = 0;

    (void)snprintf(name, sizeof name, "t%02u", number);
    while (first < REBALI_COUNT(terms) && strcmp(names[first], name) != 0) {
      first++;
    }
    found = rebali_placement_term(&compiled, rebali_text(name, strlen(name)));
    ck_assert_ptr_eq(found, first < REBALI_COUNT(terms) ? &compiled.terms[first] : NULL);
  }
  ck_assert_ptr_null(rebali_placement_term(&compiled, REBALI_TEXT("s")));
}
END_TEST

static int32_t compile_many(const rebal_allocator *allocator, void *user_data) {
  struct rebali_placement many = {.n_terms = 0};
  int32_t code;

  rebali_arena_init(&many.arena, allocator, 0);
  code = rebali_placement_compile(&many, user_data);
  ck_assert(code != REBAL_OK || rebali_placement_term(&many, REBALI_TEXT("t33")) == &many.terms[33]);
  rebali_arena_dispose(&many.arena);
  return code;
}

START_TEST(test_many_terms_out_of_memory) {
  static char names[40][8];
  struct test_affinity terms[40];
  const struct test_placement placement = {.terms = terms, .n_terms = REBALI_COUNT(terms)};
  uint32_t handle;

  memset(terms, 0, sizeof terms);
  for (size_t i = 0; i < REBALI_COUNT(terms); i++) {
    (void)snprintf(names[i], sizeof names[i], "t%02u", (unsigned)i);
    terms[i].name = names[i];
    terms[i].clusters = "m1";
  }
  handle = test_placement_handle(&world, &placement);
  test_freeze(&world);
  ck_assert_pstr_eq(test_torture(compile_many, (void *)(uintptr_t)rebali_snapshot_record(
                                                   world.snapshot, REBAL_OBJECT_PLACEMENT, handle)),
                    NULL);
}
END_TEST

UNIT_CASE(placement) {
  TCase *cases = tcase_create("placement");

  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_loop_test(cases, test_strategies, 0, (int)REBALI_COUNT(strategies));
  tcase_add_test(cases, test_constraints_and_tolerations);
  tcase_add_test(cases, test_terms_by_name);
  tcase_add_test(cases, test_many_terms_by_name);
  tcase_add_test(cases, test_many_terms_out_of_memory);
  return cases;
}
