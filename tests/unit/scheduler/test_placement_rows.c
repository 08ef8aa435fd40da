/* SPDX-License-Identifier: MIT */
/* Predicates by row: kept while the fleet grows past the end of a word of bits, and updated row by row. */
#include "phases_fixture.h"

#include "../../support/allocator.h"
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

/* Snapshots of 60 clusters, of 400, and of every other of these. */
struct versions {
  rebal_snapshot *snapshots[3];
  uint32_t handle;
};

static int32_t read_versions(const rebal_allocator *allocator, void *user_data) {
  const struct versions *versions = user_data;
  rebal_ctx *ctx = NULL;
  int32_t code = rebal_ctx_new(allocator, NULL, &ctx, NULL);

  for (size_t i = 0; i < REBALI_COUNT(versions->snapshots) && code == REBAL_OK; i++) {
    const struct rebali_placement *compiled = NULL;
    const uint64_t *keys = NULL;
    size_t n = 0;

    code = rebali_ctx_begin(ctx, NULL);
    if (code != REBAL_OK) {
      break;
    }
    code = rebali_placement_get(ctx, versions->snapshots[i], versions->handle, &compiled, NULL);
    for (int descending = 0; descending < 2 && code == REBAL_OK; descending++) {
      code = rebali_placement_heaviest(compiled, versions->snapshots[i], descending, 3, &keys, &n);
    }
    if (code == REBAL_OK) {
      ck_assert_uint_eq(compiled->rows, i == 0 ? 60 : 400);
      ck_assert_int_eq(compiled->weights[1], 5);
      ck_assert_int_eq(compiled->weights[2], i == 2 ? 0 : 2);
      ck_assert_int_eq(rebali_ranking_value(keys[0]), 5);
      ck_assert_int_eq(rebali_ranking_value(keys[1]), 2);
    }
    rebali_ctx_end(ctx);
  }
  rebal_ctx_free(ctx);
  return code;
}

START_TEST(test_versions_out_of_memory) {
  struct versions versions = {{NULL, NULL, NULL}, 0};

  versions.handle = test_placement_handle(&world, &placement);
  for (int n = 0; n < 60; n++) {
    add(n);
  }
  ck_assert_int_eq(rebal_fleet_freeze(world.fleet, &versions.snapshots[0], NULL), REBAL_OK);
  for (int n = 60; n < 400; n++) {
    add(n);
  }
  ck_assert_int_eq(rebal_fleet_freeze(world.fleet, &versions.snapshots[1], NULL), REBAL_OK);
  for (uint32_t row = 0; row < 400; row += 2) {
    ck_assert_int_eq(rebal_cells_remove(rebal_fleet_cells(world.fleet), REBAL_TABLE_CLUSTER, REBAL_NONE, &row, 1, NULL),
                     REBAL_OK);
  }
  ck_assert_int_eq(rebal_fleet_freeze(world.fleet, &versions.snapshots[2], NULL), REBAL_OK);
  ck_assert_pstr_eq(test_torture(read_versions, &versions), NULL);
  for (size_t i = 0; i < REBALI_COUNT(versions.snapshots); i++) {
    rebal_snapshot_unref(versions.snapshots[i]);
  }
}
END_TEST

UNIT_CASE(placement_rows) {
  TCase *cases = tcase_create("placement_rows");

  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_test(cases, test_growing);
  tcase_add_test(cases, test_a_changed_row_and_one_that_went);
  tcase_add_test(cases, test_versions_out_of_memory);
  return cases;
}
