/* SPDX-License-Identifier: MIT */
#include "../workloadspread/podding.h"

#include "../../support/allocator.h"

#include <stdio.h>

#define ROWS 1000u
#define KEPT 10u

/* The bytes that a text of length len takes; the alignment depends on the machine. */
#define TAKES(len) (((len) + REBALI_ALIGNMENT) / REBALI_ALIGNMENT * REBALI_ALIGNMENT)

/* Returns a name of 100 bytes that holds row and round. */
static const char *name_of(uint32_t row, uint32_t round) {
  static char name[101];

  (void)snprintf(name, sizeof name, "%0100lu", (unsigned long)row * 1000 + round);
  return name;
}

static void write_names(struct pod_world *world, uint32_t round) {
  for (uint32_t row = KEPT; row < ROWS; row++) {
    pod_text(world, REBAL_SPREAD_POD_NAME, row, name_of(row, round));
  }
}

/* Every pod is renamed repeatedly: no text is lost, and unused texts are released. */
START_TEST(test_texts_that_change_take_no_more_memory) {
  struct test_allocator memory;
  struct pod_world world = {NULL, NULL};
  size_t requests = 0;

  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  ck_assert_int_eq(rebal_fleet_new(NULL, &world.fleet, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_pods_new(world.fleet, &memory.functions, &world.pods, NULL), REBAL_OK);
  pods_add(&world, REBAL_TABLE_SPREAD_POD, ROWS);
  pods_add(&world, REBAL_TABLE_OWNER, 1);
  pod_text(&world, REBAL_OWNER_NAME, 0, "owner");
  for (uint32_t row = 0; row < KEPT; row++) {
    pod_text(&world, REBAL_SPREAD_POD_NAME, row, name_of(row, 0));
  }
  for (uint32_t round = 0; round < 40; round++) {
    requests = round == 20 ? memory.requests : requests;
    write_names(&world, round);
    ck_assert_uint_le(world.pods->set.texts.used, 2 * ROWS * 112 + 65536);
    for (uint32_t row = 0; row < ROWS; row++) {
      ck_assert_str_eq(
          rebal_cells_get_text(rebal_pods_const_cells(world.pods), REBAL_SPREAD_POD_NAME, REBAL_NONE, row, NULL),
          name_of(row, row < KEPT ? 0 : round));
    }
    ck_assert_str_eq(rebal_cells_get_text(rebal_pods_const_cells(world.pods), REBAL_OWNER_NAME, REBAL_NONE, 0, NULL),
                     "owner");
  }
  ck_assert_uint_eq(memory.requests, requests); /* the last twenty rounds allocated nothing */
  pod_world_close(&world);
  ck_assert_uint_eq(memory.live, 0);
}
END_TEST

/* The count of dead bytes is exact: the bytes in use are those of the existing texts. */
START_TEST(test_removed_rows_are_dead) {
  struct pod_world world = pod_world_open();
  uint32_t rows[ROWS];

  pods_add(&world, REBAL_TABLE_SPREAD_POD, ROWS);
  write_names(&world, 0);
  pod_text(&world, REBAL_SPREAD_POD_UID, 50, "uid");
  pod_text(&world, REBAL_SPREAD_POD_UID, 50, "");
  ck_assert_uint_eq(world.pods->set.dead_bytes, TAKES(strlen("uid")));
  for (uint32_t i = 0; i < ROWS - KEPT; i++) {
    rows[i] = KEPT + i;
  }
  ck_assert_int_eq(
      rebal_cells_remove(rebal_pods_cells(world.pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE, rows, ROWS - KEPT - 1, NULL),
      REBAL_OK);
  ck_assert_uint_eq(world.pods->set.dead_bytes, 0);
  ck_assert_uint_eq(world.pods->set.texts.used, TAKES(100));
  ck_assert_str_eq(
      rebal_cells_get_text(rebal_pods_const_cells(world.pods), REBAL_SPREAD_POD_NAME, REBAL_NONE, ROWS - 1, NULL),
      name_of(ROWS - 1, 0));
  pod_world_close(&world);
}
END_TEST

/* Without memory to move them, texts stay in place, and the change still succeeds. */
START_TEST(test_no_memory_to_move) {
  struct test_allocator memory;
  struct pod_world world = {NULL, NULL};
  uint32_t rows[ROWS];

  test_allocator_init(&memory, 0, TEST_FAIL_FROM_THEN);
  ck_assert_int_eq(rebal_fleet_new(NULL, &world.fleet, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_pods_new(world.fleet, &memory.functions, &world.pods, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_cells_add(rebal_pods_cells(world.pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE, rows, ROWS, NULL),
                   REBAL_OK);
  write_names(&world, 0);
  memory.fail_at = memory.requests + 1;
  ck_assert_int_eq(
      rebal_cells_remove(rebal_pods_cells(world.pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE, rows, ROWS - 1, NULL),
      REBAL_OK);
  ck_assert_uint_gt(world.pods->set.dead_bytes, 65536);
  ck_assert_str_eq(
      rebal_cells_get_text(rebal_pods_const_cells(world.pods), REBAL_SPREAD_POD_NAME, REBAL_NONE, ROWS - 1, NULL),
      name_of(ROWS - 1, 0));
  memory.fail_at = 0;
  pod_text(&world, REBAL_SPREAD_POD_NAME, ROWS - 1, "web");
  ck_assert_uint_eq(world.pods->set.dead_bytes, 0);
  ck_assert_str_eq(
      rebal_cells_get_text(rebal_pods_const_cells(world.pods), REBAL_SPREAD_POD_NAME, REBAL_NONE, ROWS - 1, NULL),
      "web");
  pod_world_close(&world);
}
END_TEST

/* A few dead bytes among many live ones are not collected. */
START_TEST(test_few_dead_bytes_stay) {
  struct pod_world world = pod_world_open();
  const uint32_t changed = 65536 / 112 + 100;

  for (uint32_t i = 0; i < 5; i++) {
    pods_add(&world, REBAL_TABLE_SPREAD_POD, ROWS);
  }
  for (uint32_t row = 0; row < 5 * ROWS; row++) {
    pod_text(&world, REBAL_SPREAD_POD_NAME, row, name_of(row, 0));
  }
  for (uint32_t row = 0; row < changed; row++) {
    pod_text(&world, REBAL_SPREAD_POD_NAME, row, name_of(row, 1));
  }
  ck_assert_uint_eq(world.pods->set.dead_bytes, changed * TAKES(100));
  for (uint32_t row = 0; row < 5 * ROWS; row++) {
    ck_assert_str_eq(
        rebal_cells_get_text(rebal_pods_const_cells(world.pods), REBAL_SPREAD_POD_NAME, REBAL_NONE, row, NULL),
        name_of(row, row < changed));
  }
  pod_world_close(&world);
}
END_TEST

UNIT_CASE(row_texts) {
  TCase *cases = tcase_create("row_texts");

  UNIT_ADD_COUNTING(cases, test_texts_that_change_take_no_more_memory);
  tcase_add_test(cases, test_removed_rows_are_dead);
  tcase_add_test(cases, test_no_memory_to_move);
  tcase_add_test(cases, test_few_dead_bytes_stay);
  return cases;
}
