/* SPDX-License-Identifier: MIT */
/* Columns that were updated row by row equal columns that are built again. */
#include "drawing.h"

#include "../../support/allocator.h"
#include "../unit.h"

static void compare_bits(const struct rebali_placement *old, const struct rebali_placement *made, const uint64_t *left,
                         const uint64_t *right) {
  const size_t words = REBALI_BITSET_WORDS(made->rows);

  ck_assert_int_eq(memcmp(left, right, words * sizeof *left), 0);
  ck_assert_uint_eq(rebali_bits_count(left, old->words), rebali_bits_count(left, words)); /* none after the rows */
}

static void compare(const struct rebali_placement *old, const struct rebali_placement *made) {
  ck_assert_uint_eq(old->rows, made->rows);
  for (size_t i = 0; i < made->n_bitsets; i++) {
    compare_bits(old, made, old->matches + i * old->words, made->matches + i * made->words);
  }
  compare_bits(old, made, old->tolerated, made->tolerated);
  compare_bits(old, made, old->properties, made->properties);
  compare_bits(old, made, old->present, made->present);
  compare_bits(old, made, old->standing, made->standing);
  ck_assert_int_eq(old->weights == NULL, made->weights == NULL);
  if (made->weights != NULL) {
    ck_assert_int_eq(memcmp(old->weights, made->weights, made->rows * sizeof *made->weights), 0);
  }
}

static void compare_api(struct drawing *drawing, rebal_ctx *fresh) {
  static const struct rebali_api apis[] = {{{"apps/v1", 7}, {"Deployment", 10}}, {{"v1", 2}, {"ConfigMap", 9}}};
  const size_t words = REBALI_BITSET_WORDS(
      rebal_cells_bound(rebal_snapshot_cells(drawing->world.snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE));

  for (size_t i = 0; i < REBALI_COUNT(apis); i++) {
    const uint64_t *old, *made;

    ck_assert_int_eq(rebali_api_rows(drawing->world.ctx, drawing->world.snapshot, &apis[i], &old, NULL), REBAL_OK);
    ck_assert_int_eq(rebali_api_rows(fresh, drawing->world.snapshot, &apis[i], &made, NULL), REBAL_OK);
    ck_assert_int_eq(memcmp(old, made, words * sizeof *old), 0);
  }
}

START_TEST(test_updated_is_made_anew) {
  struct drawing drawing;

  drawing_open(&drawing, 100 + (uint64_t)_i);
  drawing_change(&drawing);
  drawing_bind(&drawing);
  for (int round = 0; round < 30; round++) {
    rebal_ctx *fresh = test_context(NULL, 0, 0);

    drawing_change(&drawing);
    ck_assert_int_eq(rebali_ctx_begin(drawing.world.ctx, NULL), REBAL_OK);
    ck_assert_int_eq(rebali_ctx_begin(fresh, NULL), REBAL_OK);
    for (size_t i = 0; i < DRAWN_PLACEMENTS; i++) {
      compare(drawing_placement(&drawing, drawing.world.ctx, drawing.placements[i]),
              drawing_placement(&drawing, fresh, drawing.placements[i]));
    }
    compare_api(&drawing, fresh);
    rebali_ctx_end(fresh);
    rebali_ctx_end(drawing.world.ctx);
    rebal_ctx_free(fresh);
  }
  drawing_close(&drawing);
}
END_TEST

/* The same with too little memory. */
static int32_t look_twice(const rebal_allocator *allocator, void *user_data) {
  struct drawing *drawing = user_data;
  rebal_ctx *ctx = NULL;
  const struct rebali_placement *placement;
  const struct rebali_api api = {{"v1", 2}, {"ConfigMap", 9}};
  const uint64_t *bits, *keys;
  size_t n;
  int32_t code = rebal_ctx_new(allocator, NULL, &ctx, NULL);

  for (size_t i = 0; i < DRAWN_PLACEMENTS && code == REBAL_OK; i++) {
    code = rebali_ctx_begin(ctx, NULL);
    if (code == REBAL_OK) {
      code = rebali_placement_get(ctx, drawing->world.snapshot, drawing->placements[i], &placement, NULL);
      if (code == REBAL_OK && placement->weights != NULL) {
        code = rebali_placement_heaviest(placement, drawing->world.snapshot, 1, 5, &keys, &n);
      }
      code = code == REBAL_OK ? rebali_api_rows(ctx, drawing->world.snapshot, &api, &bits, NULL) : code;
      rebali_ctx_end(ctx);
    }
  }
  rebal_ctx_free(ctx);
  return code;
}

START_TEST(test_too_little_memory) {
  struct drawing drawing;

  drawing_open(&drawing, 7);
  drawing_change(&drawing);
  drawing_bind(&drawing);
  ck_assert_pstr_eq(test_torture(look_twice, &drawing), NULL);
  drawing_close(&drawing);
}
END_TEST

/* An empty list of zones counts as no list. */
START_TEST(test_properties) {
  static const struct test_cluster clusters[] = {
      {"m1"}, {"m2", .zones = ""}, {"m3", .zones = "z1"}, {"m4", .region = "r"}, {"m5", .provider = "p"}};
  static const uint32_t having[] = {31, 31, 8, 4, 16}; /* a bit for each cluster, by field */
  struct test_world world;

  test_world_open(&world, NULL);
  for (uint32_t i = 0; i < REBALI_COUNT(clusters); i++) {
    ck_assert_uint_eq(test_add_cluster(&world, &clusters[i]), i);
  }
  test_freeze(&world);
  for (uint32_t field = 0; field < REBALI_COUNT(having); field++) {
    for (uint32_t i = 0; i < REBALI_COUNT(clusters); i++) {
      ck_assert_int_eq(rebali_cluster_has_property(world.snapshot, i, field), (int)(having[field] >> i & 1));
    }
  }
  test_world_close(&world);
}
END_TEST

UNIT_CASE(placement_columns) {
  TCase *cases = tcase_create("placement_columns");

  tcase_add_loop_test(cases, test_updated_is_made_anew, 0, 10);
  tcase_add_test(cases, test_properties);
  tcase_add_test(cases, test_too_little_memory);
  return cases;
}
