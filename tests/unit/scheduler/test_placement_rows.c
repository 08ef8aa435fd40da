/* SPDX-License-Identifier: MIT */
/* Predicates by row: kept while the fleet grows past words of bits, and brought up to date row by row. */
#include "phases_fixture.h"

#include "../unit.h"

#include <stdio.h>

static const struct test_affinity prod = {.labels = "env=prod"};
static const struct test_placement placement = {
    .affinity = &prod, .spreads = "region:1:1", .scheduling = "Divided/Weighted", .weights = "*=2 c001=5"};

static struct test_world world;

static void setup(void) {
  test_world_open(&world, NULL);
}

static void teardown(void) {
  test_world_close(&world);
}

static void add(int number) {
  char name[16];
  const struct test_cluster cluster = {name, .region = number % 3 == 0 ? "r" : NULL,
                                       .labels = number % 2 == 0 ? "env=prod" : NULL,
                                       .taints = number % 5 == 0 ? "k:NoSchedule" : NULL};

  (void)snprintf(name, sizeof name, "c%03d", number);
  (void)test_add_cluster(&world, &cluster);
}

static const struct rebali_placement *look(void) {
  const struct rebali_placement *compiled = NULL;
  const uint32_t handle = test_placement_handle(&world, &placement);

  test_freeze(&world);
  ck_assert_int_eq(rebali_ctx_begin(world.ctx, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_placement_get(world.ctx, world.snapshot, handle, &compiled, NULL), REBAL_OK);
  rebali_ctx_end(world.ctx); /* the cache keeps it */
  return compiled;
}

static void check_row(const struct rebali_placement *compiled, uint32_t row, int number) {
  ck_assert_int_eq(rebali_placement_matches(compiled, compiled->affinity, row), number % 2 == 0);
  ck_assert_int_eq(rebali_bit_get(compiled->properties, row), number % 3 == 0);
  ck_assert_int_eq(rebali_bit_get(compiled->tolerated, row), number % 5 != 0);
  ck_assert_int_eq(compiled->weights[row], number == 1 ? 5 : 2);
}

START_TEST(test_growing) {
  static const int sizes[] = {0, 1, 63, 64, 65, 130, 400};
  int n = 0;

  for (size_t i = 0; i < REBALI_COUNT(sizes); i++) {
    const struct rebali_placement *compiled;

    for (; n < sizes[i]; n++) {
      add(n);
    }
    compiled = look();
    for (int row = 0; row < n; row++) {
      check_row(compiled, (uint32_t)row, row);
    }
  }
}
END_TEST

START_TEST(test_a_changed_row_and_one_that_went) {
  static const struct test_cluster changed = {"c001", .region = "r", .labels = "env=prod"};
  const struct rebali_placement *compiled;

  for (int n = 0; n < 4; n++) {
    add(n);
  }
  (void)look();
  test_set_cluster(&world, 1, &changed);
  ck_assert_int_eq(rebal_cells_remove(rebal_fleet_cells(world.fleet), REBAL_TABLE_CLUSTER, REBAL_NONE,
                                      &(const uint32_t){2}, 1, NULL),
                   REBAL_OK);
  compiled = look();
  ck_assert_int_eq(rebali_placement_matches(compiled, compiled->affinity, 1), 1);
  ck_assert_int_eq(rebali_bit_get(compiled->properties, 1), 1);
  ck_assert_int_eq(rebali_placement_matches(compiled, compiled->affinity, 2), 0);
  ck_assert_int_eq(rebali_bit_get(compiled->tolerated, 2), 0);
  ck_assert_int_eq(compiled->weights[2], 0);
  check_row(compiled, 0, 0);
  check_row(compiled, 3, 3);
}
END_TEST

UNIT_CASE(placement_rows) {
  TCase *cases = tcase_create("placement_rows");

  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_test(cases, test_growing);
  tcase_add_test(cases, test_a_changed_row_and_one_that_went);
  return cases;
}
