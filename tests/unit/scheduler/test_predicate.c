/* SPDX-License-Identifier: MIT */
/* Predicates on a column: evaluated once for each distinct cell, with the same result as for each cluster. */
#include "phases_fixture.h"

#include "../../support/allocator.h"
#include "../unit.h"

#include <stdio.h>

enum { CLUSTERS = 700 };

static struct test_world world;
static size_t request;

static void setup(void) {
  test_world_open(&world, NULL);
  request = 0;
}

static void teardown(void) {
  test_world_close(&world);
}

/* Adds clusters, each with one of `sets` label sets, and removes every 11th. */
static void fill(uint32_t n, uint32_t sets) {
  for (uint32_t i = 0; i < n; i++) {
    char name[16], labels[16];
    const struct test_cluster cluster = {name, .labels = labels};
    uint32_t id;

    (void)snprintf(name, sizeof name, "m%03u", i);
    (void)snprintf(labels, sizeof labels, "a=%u", i * 7 % sets);
    id = test_add_cluster(&world, &cluster);
    if (i % 11 == 5) {
      ck_assert_int_eq(
          rebal_cells_remove(rebal_fleet_cells(world.fleet), REBAL_TABLE_CLUSTER, REBAL_NONE, &id, 1, NULL), REBAL_OK);
    }
  }
  test_freeze(&world);
}

static int is_odd(const void *subject, const rebal_snapshot *snapshot, uint32_t cluster) {
  (void)subject;
  request++;
  return (rebali_snapshot_i64(snapshot, REBAL_CLUSTER_LABELS, cluster) & 1) != 0;
}

static int is_unset(const void *subject, const rebal_snapshot *snapshot, uint32_t cluster) {
  request++;
  return (rebali_snapshot_i64(snapshot, REBAL_CLUSTER_ZONES, cluster) == REBAL_NONE) == *(const int *)subject;
}

/* Checks the kept rows and returns the number of evaluations. */
static size_t expect_odd(uint32_t n, uint32_t sets) {
  const struct rebali_predicate odd = {REBAL_CLUSTER_LABELS, is_odd, NULL};
  uint64_t bits[CLUSTERS / 64 + 2] = {0};
  size_t evaluations, n_wrong = 0;

  fill(n, sets);
  rebali_rows_existing(world.snapshot, bits);
  rebali_predicate_keep(&odd, world.snapshot, bits);
  evaluations = request;
  for (uint32_t row = 0; row < sizeof bits * 8; row++) {
    n_wrong += rebali_bit_get(bits, row) != (row < n && row % 11 != 5 && is_odd(NULL, world.snapshot, row));
  }
  ck_assert_uint_eq(n_wrong, 0);
  return evaluations;
}

START_TEST(test_few_cells) {
  ck_assert_uint_eq(expect_odd(CLUSTERS, 5), 6); /* five, and one for rows without a cluster */
}
END_TEST

START_TEST(test_more_cells_than_are_remembered) {
  ck_assert_uint_gt(expect_odd(CLUSTERS, 650), 500);
}
END_TEST

START_TEST(test_few_rows) {
  (void)expect_odd((uint32_t)_i, 40);
}
END_TEST

START_TEST(test_an_empty_column) {
  uint64_t bits[CLUSTERS / 64 + 1] = {0};
  const int wanted = 1, unwanted = 0;
  const struct rebali_predicate all = {REBAL_CLUSTER_ZONES, is_unset, &wanted};
  const struct rebali_predicate none = {REBAL_CLUSTER_ZONES, is_unset, &unwanted};

  fill(100, 3);
  rebali_rows_existing(world.snapshot, bits);
  rebali_predicate_keep(&all, world.snapshot, bits);
  ck_assert_uint_eq(rebali_bits_count(bits, REBALI_COUNT(bits)),
                    rebal_cells_count(rebal_snapshot_cells(world.snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE));
  ck_assert_uint_eq(request, 2); /* one evaluation for each word */
  rebali_predicate_keep(&none, world.snapshot, bits);
  ck_assert_uint_eq(rebali_bits_count(bits, REBALI_COUNT(bits)), 0);
}
END_TEST

START_TEST(test_bitsets_that_grow) {
  struct rebali_arena arena;
  struct test_allocator memory;
  uint64_t *bits = NULL;
  size_t words = 0, n_wrong = 0;

  test_allocator_init(&memory, 0, TEST_FAIL_FROM_THEN);
  rebali_arena_init(&arena, &memory.functions, 0);
  for (size_t rows = 0; rows < 1000; rows++) {
    ck_assert_int_eq(rebali_bitsets_grow(&arena, &bits, 3, rows + 1, &words), REBAL_OK);
    ck_assert_uint_ge(words * 64, rows + 1);
    rebali_bit_set(bits + rows % 3 * words, rows, 1);
  }
  for (size_t row = 0; row < words * 64; row++) {
    for (size_t i = 0; i < 3; i++) {
      n_wrong += rebali_bit_get(bits + i * words, row) != (row < 1000 && row % 3 == i);
    }
  }
  ck_assert_uint_eq(n_wrong, 0);
  memory.fail_at = memory.requests + 1;
  ck_assert_int_eq(rebali_bitsets_grow(&arena, &bits, 3, 1000000, &words), REBAL_ENOMEM);
  rebali_arena_dispose(&arena);
}
END_TEST

UNIT_CASE(predicate) {
  TCase *cases = tcase_create("predicate");

  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_test(cases, test_few_cells);
  tcase_add_test(cases, test_more_cells_than_are_remembered);
  tcase_add_loop_test(cases, test_few_rows, 0, 67);
  tcase_add_test(cases, test_an_empty_column);
  tcase_add_test(cases, test_bitsets_that_grow);
  return cases;
}
