/* SPDX-License-Identifier: MIT */
/* Compares the heaviest clusters with a sort of all of them; weights too large for an order. */
#include "drawing.h"

#include "../unit.h"

static int compare_keys(const void *left, const void *right) {
  const uint64_t a = *(const uint64_t *)left;
  const uint64_t b = *(const uint64_t *)right;

  return a < b ? -1 : a > b;
}

static void expect_heaviest(const struct rebali_placement *placement, rebal_snapshot *snapshot, int descending,
                            size_t n) {
  static uint64_t expected[2 * DRAWN_CLUSTERS];
  const uint32_t rows = rebal_cells_bound(rebal_snapshot_cells(snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE);
  const uint64_t *keys = NULL;
  size_t n_keys = 0;

  for (uint32_t row = 0; row < rows; row++) {
    const int32_t weight = rebal_cells_has(rebal_snapshot_cells(snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE, row)
                               ? (int32_t)rebali_placement_weight(placement, snapshot, row)
                               : 0;

    expected[row] = rebali_ranking_key(weight, rebali_ranking_turn(rebali_snapshot_rank(snapshot, row), descending));
  }
  qsort(expected, rows, sizeof *expected, compare_keys);
  ck_assert_int_eq(rebali_placement_heaviest(placement, snapshot, descending, n, &keys, &n_keys), REBAL_OK);
  ck_assert_uint_eq(n_keys, n < rows ? n : rows);
  ck_assert_int_eq(n_keys == 0 ? 0 : memcmp(keys, expected, n_keys * sizeof *keys), 0);
}

/* Checks that the column equals the weights by the rules, whatever their order. */
static void expect_column(const struct rebali_placement *placement, const rebal_snapshot *snapshot) {
  size_t n_wrong = 0;

  for (uint32_t row = 0; row < rebal_cells_bound(rebal_snapshot_cells(snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE);
       row++) {
    int64_t weight = 0;

    if (rebal_cells_has(rebal_snapshot_cells(snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE, row)) {
      weight = placement->has_weight_preference ? rebali_static_weight(placement, snapshot, row) : 1;
    }
    n_wrong += placement->weights[row] != weight;
  }
  ck_assert_uint_eq(n_wrong, 0);
}

START_TEST(test_heaviest_is_sorting_all) {
  struct drawing drawing;
  size_t n_ordered = 0, n_large = 0;

  drawing_open(&drawing, 1000 + (uint64_t)_i);
  drawing_change(&drawing);
  drawing_bind(&drawing);
  for (int round = 0; round < 30; round++) {
    drawing_change(&drawing);
    ck_assert_int_eq(rebali_ctx_begin(drawing.world.ctx, NULL), REBAL_OK);
    for (size_t i = 0; i < DRAWN_PLACEMENTS; i++) {
      const struct rebali_placement *placement = drawing_placement(&drawing, drawing.world.ctx, drawing.placements[i]);
      const uint64_t *keys;
      size_t n;

      if (placement->weights == NULL) {
        ck_assert_int_eq(rebali_placement_heaviest(placement, drawing.world.snapshot, 0, 1, &keys, &n), REBAL_ERANGE);
        n_large++;
        continue;
      }
      expect_column(placement, drawing.world.snapshot);
      for (size_t few = 0; few < 2; few++) {
        const int descending = (int)draw(&drawing, 2);

        expect_heaviest(placement, drawing.world.snapshot, descending, draw(&drawing, few == 0 ? 12 : DRAWN_CLUSTERS));
      }
      n_ordered++;
    }
    rebali_ctx_end(drawing.world.ctx);
  }
  ck_assert(n_ordered + n_large == 30 * DRAWN_PLACEMENTS && n_ordered > 0);
  drawing_close(&drawing);
}
END_TEST

/* Weights of 2^31 and more: there is no column, but the weights are those of the reference. */
START_TEST(test_weights_beyond_32_bits) {
  static const struct test_placement placement = {.scheduling = "Divided/Weighted",
                                                  .weights = "m1=2147483648 m2=6442450944 *=2147483648"};
  static const struct test_binding binding = {.placement = &placement, .replicas = 5};

  ck_assert_str_eq(schedule_pods("m1=9 m2=9 m3=9", &binding, NULL), "m1:1 m2:3 m3:1");
}
END_TEST

UNIT_CASE(placement_weights) {
  TCase *cases = tcase_create("placement_weights");

  tcase_add_loop_test(cases, test_heaviest_is_sorting_all, 0, 12);
  tcase_add_test(cases, test_weights_beyond_32_bits);
  return cases;
}
