/* SPDX-License-Identifier: MIT */
#include "podding.h"

#include "../../support/allocator.h"
#include "../../support/dice.h"

START_TEST(test_cells_are_read_back) {
  struct pod_world world = pod_world_open();
  const uint32_t rows[2] = {2, 0};
  const int64_t phases[2] = {REBAL_POD_PHASE_RUNNING, REBAL_POD_PHASE_FAILED};
  const uint32_t offsets[4] = {0, 1, 3, 3};
  const rebal_time times[2] = {{5, 6, 1}, {9, 9, 0}};
  rebal_time time = {1, 1, 1};
  size_t len = 9;

  pods_add(&world, REBAL_TABLE_SPREAD_POD, 3);
  ck_assert_int_eq(
      rebal_cells_put_i64(rebal_pods_cells(world.pods), REBAL_SPREAD_POD_PHASE, REBAL_NONE, rows, phases, 2, NULL),
      REBAL_OK);
  ck_assert_int_eq(rebal_cells_put_text(rebal_pods_cells(world.pods), REBAL_SPREAD_POD_NAME, REBAL_NONE, NULL, "abc",
                                        offsets, 3, NULL),
                   REBAL_OK);
  ck_assert_int_eq(
      rebal_cells_put_time(rebal_pods_cells(world.pods), REBAL_SPREAD_POD_CREATED, REBAL_NONE, rows, times, 2, NULL),
      REBAL_OK);
  ck_assert_int_eq(
      rebal_cells_set_time(rebal_pods_cells(world.pods), REBAL_SPREAD_POD_CREATED, REBAL_NONE, 1, &times[0], NULL),
      REBAL_OK);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_pods_const_cells(world.pods), REBAL_SPREAD_POD_PHASE, REBAL_NONE, 2),
                   REBAL_POD_PHASE_RUNNING);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_pods_const_cells(world.pods), REBAL_SPREAD_POD_PHASE, REBAL_NONE, 1),
                   REBAL_POD_PHASE_OTHER);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_pods_const_cells(world.pods), REBAL_SPREAD_POD_LABELS, REBAL_NONE, 1),
                   REBAL_ABSENT);
  ck_assert_str_eq(rebal_cells_get_text(rebal_pods_const_cells(world.pods), REBAL_SPREAD_POD_NAME, REBAL_NONE, 1, &len),
                   "bc");
  ck_assert_uint_eq(len, 2);
  ck_assert_str_eq(rebal_cells_get_text(rebal_pods_const_cells(world.pods), REBAL_SPREAD_POD_NAME, REBAL_NONE, 2, NULL),
                   "");
  rebal_cells_get_time(rebal_pods_const_cells(world.pods), REBAL_SPREAD_POD_CREATED, REBAL_NONE, 2, &time);
  ck_assert(time.seconds == 5 && time.nanos == 6 && time.is_set == 1);
  rebal_cells_get_time(rebal_pods_const_cells(world.pods), REBAL_SPREAD_POD_CREATED, REBAL_NONE, 0, &time);
  ck_assert_uint_eq(time.is_set, 0);
  pod_world_close(&world);
}
END_TEST

START_TEST(test_missing_cells) {
  struct pod_world world = pod_world_open();
  rebal_time time = {1, 1, 1};
  size_t len = 9;

  pods_add(&world, REBAL_TABLE_OWNER, 1);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_pods_const_cells(world.pods), REBAL_OWNER_STATE, REBAL_NONE, 1),
                   REBAL_ABSENT);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_pods_const_cells(world.pods), REBAL_OWNER_NAME, REBAL_NONE, 0),
                   REBAL_ABSENT);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_pods_const_cells(world.pods), REBAL_BINDING_REPLICAS, REBAL_NONE, 0),
                   REBAL_ABSENT);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_pods_const_cells(world.pods), 7, REBAL_NONE, 0), REBAL_ABSENT);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_pods_const_cells(NULL), REBAL_OWNER_STATE, REBAL_NONE, 0), REBAL_ABSENT);
  ck_assert_str_eq(rebal_cells_get_text(rebal_pods_const_cells(world.pods), REBAL_OWNER_NAME, REBAL_NONE, 1, &len), "");
  ck_assert_uint_eq(len, 0);
  ck_assert_str_eq(rebal_cells_get_text(rebal_pods_const_cells(NULL), REBAL_OWNER_NAME, REBAL_NONE, 0, NULL), "");
  rebal_cells_get_time(rebal_pods_const_cells(world.pods), REBAL_OWNER_NAME, REBAL_NONE, 0, &time);
  ck_assert_uint_eq(time.is_set, 0);
  rebal_cells_get_time(rebal_pods_const_cells(world.pods), REBAL_SPREAD_POD_CREATED, REBAL_NONE, 0, NULL);
  ck_assert_uint_eq(rebal_cells_count(rebal_pods_const_cells(world.pods), REBAL_TABLE_SPREAD_WORKLOAD, REBAL_NONE), 0);
  ck_assert_uint_eq(rebal_cells_count(rebal_pods_const_cells(world.pods), REBAL_TABLE_BINDING, REBAL_NONE), 0);
  ck_assert_uint_eq(rebal_cells_count(rebal_pods_const_cells(NULL), REBAL_TABLE_OWNER, REBAL_NONE), 0);
  ck_assert_uint_eq(
      rebal_cells_next(rebal_pods_const_cells(world.pods), REBAL_TABLE_SPREAD_WORKLOAD, REBAL_NONE, REBAL_NONE),
      REBAL_NONE);
  ck_assert_uint_eq(
      rebal_cells_next(rebal_pods_const_cells(world.pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE, REBAL_NONE), REBAL_NONE);
  ck_assert_uint_eq(rebal_cells_next(rebal_pods_const_cells(world.pods), REBAL_TABLE_OWNER, REBAL_NONE, REBAL_NONE - 1),
                    REBAL_NONE);
  ck_assert_uint_eq(rebal_cells_next(rebal_pods_const_cells(NULL), REBAL_TABLE_OWNER, REBAL_NONE, REBAL_NONE),
                    REBAL_NONE);
  pod_world_close(&world);
}
END_TEST

START_TEST(test_refusals_of_rows) {
  struct pod_world world = pod_world_open();
  const uint32_t gone[3] = {1, 1, 0};
  rebal_error err = REBAL_ERROR_INIT;
  rebal_pods *none = NULL;
  uint32_t row = 9;

  ck_assert_int_eq(rebal_pods_new(NULL, NULL, &none, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_pods_new(world.fleet, NULL, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_cells_add(rebal_pods_cells(world.pods), REBAL_TABLE_BINDING, REBAL_NONE, &row, 1, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(
      rebal_cells_add(rebal_pods_cells(world.pods), REBAL_TABLE_SPREAD_WORKLOAD, REBAL_NONE, &row, 1, NULL),
      REBAL_EINVAL);
  ck_assert_int_eq(rebal_cells_add(rebal_pods_cells(world.pods), REBAL_TABLE_OWNER, REBAL_NONE, NULL, 1, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_cells_add(rebal_pods_cells(world.pods), REBAL_TABLE_OWNER, REBAL_NONE, &row, UINT32_MAX, NULL),
                   REBAL_ELIMIT);
  ck_assert_int_eq(rebal_cells_add(rebal_pods_cells(NULL), REBAL_TABLE_OWNER, REBAL_NONE, &row, 1, NULL), REBAL_EINVAL);
  ck_assert_uint_eq(row, 9);
  ck_assert_uint_eq(rebal_cells_count(rebal_pods_const_cells(world.pods), REBAL_TABLE_OWNER, REBAL_NONE), 0);
  pods_add(&world, REBAL_TABLE_OWNER, 2);
  ck_assert_int_eq(rebal_cells_remove(rebal_pods_cells(world.pods), REBAL_TABLE_OWNER, REBAL_NONE, gone, 3, &err),
                   REBAL_ENOTFOUND);
  ck_assert_int_eq(err.where, 1);
  ck_assert_uint_eq(rebal_cells_count(rebal_pods_const_cells(world.pods), REBAL_TABLE_OWNER, REBAL_NONE), 1);
  ck_assert_uint_eq(rebal_cells_next(rebal_pods_const_cells(world.pods), REBAL_TABLE_OWNER, REBAL_NONE, REBAL_NONE), 0);
  ck_assert_int_eq(rebal_cells_remove(rebal_pods_cells(world.pods), REBAL_TABLE_OWNER, REBAL_NONE, NULL, 1, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_cells_remove(rebal_pods_cells(world.pods), REBAL_TABLE_OWNER, REBAL_NONE, NULL, 0, NULL),
                   REBAL_OK);
  ck_assert_int_eq(rebal_cells_remove(rebal_pods_cells(world.pods), REBAL_TABLE_CLUSTER, REBAL_NONE, gone, 1, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_cells_remove(rebal_pods_cells(NULL), REBAL_TABLE_OWNER, REBAL_NONE, gone, 1, NULL),
                   REBAL_EINVAL);
  pod_world_close(&world);
}
END_TEST

START_TEST(test_refusals_of_cells) {
  struct pod_world world = pod_world_open();
  const rebal_time bad = {0, -1, 1};
  const uint32_t offsets[2] = {3, 1};
  const uint32_t gone = 1;
  rebal_error err = REBAL_ERROR_INIT;

  pods_add(&world, REBAL_TABLE_SPREAD_POD, 2);
  ck_assert_int_eq(rebal_cells_remove(rebal_pods_cells(world.pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE, &gone, 1, NULL),
                   REBAL_OK);
  ck_assert_int_eq(rebal_cells_set_i64(rebal_pods_cells(world.pods), REBAL_SPREAD_POD_PHASE, REBAL_NONE, 1, 1, &err),
                   REBAL_ENOTFOUND);
  ck_assert_int_eq(err.where, 1);
  ck_assert_int_eq(
      rebal_cells_set_text(rebal_pods_cells(world.pods), REBAL_SPREAD_POD_NAME, REBAL_NONE, 1, "a", 1, NULL),
      REBAL_ENOTFOUND);
  ck_assert_int_eq(
      rebal_cells_set_time(rebal_pods_cells(world.pods), REBAL_SPREAD_POD_CREATED, REBAL_NONE, 1, &bad, NULL),
      REBAL_ENOTFOUND);
  ck_assert_int_eq(
      rebal_cells_set_time(rebal_pods_cells(world.pods), REBAL_SPREAD_POD_CREATED, REBAL_NONE, 0, &bad, NULL),
      REBAL_ERANGE);
  ck_assert_int_eq(rebal_cells_set_i64(rebal_pods_cells(world.pods), REBAL_SPREAD_POD_DELETING, REBAL_NONE, 0, 2, NULL),
                   REBAL_ERANGE);
  ck_assert_int_eq(rebal_cells_set_i64(rebal_pods_cells(world.pods), REBAL_SPREAD_POD_LABELS, REBAL_NONE, 0, 5, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_cells_set_i64(rebal_pods_cells(world.pods), REBAL_SPREAD_POD_NAME, REBAL_NONE, 0, 2, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_cells_set_i64(rebal_pods_cells(world.pods), REBAL_BINDING_REPLICAS, REBAL_NONE, 0, 2, &err),
                   REBAL_EINVAL);
  ck_assert_ptr_nonnull(strstr(err.message, "of pods"));
  ck_assert_int_eq(
      rebal_cells_set_i64(rebal_pods_cells(world.pods), REBAL_SPREAD_WORKLOAD_STATE, REBAL_NONE, 0, 2, NULL),
      REBAL_EINVAL);
  ck_assert_int_eq(rebal_cells_set_i64(rebal_pods_cells(world.pods), 7, REBAL_NONE, 0, 2, NULL), REBAL_EUNSUPPORTED);
  ck_assert_int_eq(rebal_cells_put_text(rebal_pods_cells(world.pods), REBAL_SPREAD_POD_NAME, REBAL_NONE, NULL, "a",
                                        offsets, 1, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(
      rebal_cells_put_text(rebal_pods_cells(world.pods), REBAL_SPREAD_POD_NAME, REBAL_NONE, NULL, "a", NULL, 1, NULL),
      REBAL_EINVAL);
  ck_assert_int_eq(rebal_cells_set_i64(rebal_pods_cells(NULL), REBAL_SPREAD_POD_PHASE, REBAL_NONE, 0, 1, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_cells_set_text(rebal_pods_cells(NULL), REBAL_SPREAD_POD_NAME, REBAL_NONE, 0, "a", 1, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(
      rebal_cells_put_text(rebal_pods_cells(NULL), REBAL_SPREAD_POD_NAME, REBAL_NONE, NULL, "a", offsets, 1, NULL),
      REBAL_EINVAL);
  ck_assert_int_eq(rebal_cells_set_time(rebal_pods_cells(NULL), REBAL_SPREAD_POD_CREATED, REBAL_NONE, 0, &bad, NULL),
                   REBAL_EINVAL);
  pod_world_close(&world);
}
END_TEST

/* A row that is used again keeps none of its former values. */
START_TEST(test_numbers_are_used_again) {
  struct pod_world world = pod_world_open();
  const rebal_time time = {5, 0, 1};
  const uint32_t gone[2] = {1, 3};
  uint32_t rows[3] = {9, 9, 9};
  rebal_time found;

  pods_add(&world, REBAL_TABLE_SPREAD_POD, 4);
  ck_assert_int_eq(
      rebal_cells_set_text(rebal_pods_cells(world.pods), REBAL_SPREAD_POD_NAME, REBAL_NONE, 3, "web", 3, NULL),
      REBAL_OK);
  ck_assert_int_eq(rebal_cells_set_i64(rebal_pods_cells(world.pods), REBAL_SPREAD_POD_NODE, REBAL_NONE, 3, 5, NULL),
                   REBAL_OK);
  ck_assert_int_eq(
      rebal_cells_set_time(rebal_pods_cells(world.pods), REBAL_SPREAD_POD_CREATED, REBAL_NONE, 3, &time, NULL),
      REBAL_OK);
  ck_assert_int_eq(rebal_cells_remove(rebal_pods_cells(world.pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE, gone, 2, NULL),
                   REBAL_OK);
  ck_assert_uint_eq(rebal_cells_count(rebal_pods_const_cells(world.pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE), 2);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_pods_const_cells(world.pods), REBAL_SPREAD_POD_NODE, REBAL_NONE, 3),
                   REBAL_ABSENT);
  ck_assert_int_eq(rebal_cells_add(rebal_pods_cells(world.pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE, rows, 3, NULL),
                   REBAL_OK);
  ck_assert(rows[0] == 3 && rows[1] == 1 && rows[2] == 4);
  ck_assert_uint_eq(rebal_cells_count(rebal_pods_const_cells(world.pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE), 5);
  ck_assert_str_eq(rebal_cells_get_text(rebal_pods_const_cells(world.pods), REBAL_SPREAD_POD_NAME, REBAL_NONE, 3, NULL),
                   "");
  ck_assert_int_eq(rebal_cells_get_i64(rebal_pods_const_cells(world.pods), REBAL_SPREAD_POD_NODE, REBAL_NONE, 3),
                   REBAL_ABSENT);
  rebal_cells_get_time(rebal_pods_const_cells(world.pods), REBAL_SPREAD_POD_CREATED, REBAL_NONE, 3, &found);
  ck_assert_uint_eq(found.is_set, 0);
  pod_world_close(&world);
}
END_TEST

START_TEST(test_reset_leaves_nothing_but_memory) {
  struct test_allocator memory;
  struct pod_world world = {NULL, NULL};
  uint32_t rows[70];

  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  ck_assert_int_eq(rebal_fleet_new(NULL, &world.fleet, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_pods_new(world.fleet, &memory.functions, &world.pods, NULL), REBAL_OK);
  for (size_t round = 0; round < 3; round++) {
    const size_t before = memory.requests;
    const uint32_t gone = 5;

    ck_assert_int_eq(rebal_cells_add(rebal_pods_cells(world.pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE, rows, 70, NULL),
                     REBAL_OK);
    ck_assert_uint_eq(rows[69], 69);
    ck_assert_str_eq(
        rebal_cells_get_text(rebal_pods_const_cells(world.pods), REBAL_SPREAD_POD_NAME, REBAL_NONE, 68, NULL), "");
    ck_assert_int_eq(
        rebal_cells_set_text(rebal_pods_cells(world.pods), REBAL_SPREAD_POD_NAME, REBAL_NONE, 68, "a", 1, NULL),
        REBAL_OK);
    ck_assert_int_eq(
        rebal_cells_remove(rebal_pods_cells(world.pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE, &gone, 1, NULL), REBAL_OK);
    ck_assert(round == 0 || memory.requests == before);
    rebal_pods_reset(world.pods);
    ck_assert_uint_eq(rebal_cells_count(rebal_pods_const_cells(world.pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE), 0);
    ck_assert_uint_eq(
        rebal_cells_next(rebal_pods_const_cells(world.pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE, REBAL_NONE),
        REBAL_NONE);
    ck_assert_int_eq(rebal_cells_get_i64(rebal_pods_const_cells(world.pods), REBAL_SPREAD_POD_PHASE, REBAL_NONE, 0),
                     REBAL_ABSENT);
    ck_assert_int_eq(rebal_cells_add(rebal_pods_cells(world.pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE, rows, 3, NULL),
                     REBAL_OK);
    ck_assert_uint_eq(rebal_cells_next(rebal_pods_const_cells(world.pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE, 2),
                      REBAL_NONE);
    rebal_pods_reset(world.pods);
  }
  rebal_pods_reset(NULL);
  pod_world_close(&world);
  ck_assert_uint_eq(memory.live, 0);
}
END_TEST

/* Rows are added and removed; the existing ones are listed in the order of their numbers. */
START_TEST(test_rows_against_a_plain_list) {
  struct pod_world world = pod_world_open();
  struct dice dice = {(uint64_t)_i};
  uint8_t there[400] = {0};
  size_t n_there = 0;

  for (size_t i = 0; i < 2000; i++) {
    uint32_t row = roll(&dice, 300);

    if (n_there < 300 && chance(&dice, 60)) {
      ck_assert_int_eq(rebal_cells_add(rebal_pods_cells(world.pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE, &row, 1, NULL),
                       REBAL_OK);
      ck_assert_uint_lt(row, 400);
      ck_assert_uint_eq(there[row], 0);
      there[row] = 1;
      n_there++;
    } else {
      ck_assert_int_eq(
          rebal_cells_remove(rebal_pods_cells(world.pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE, &row, 1, NULL),
          there[row] ? REBAL_OK : REBAL_ENOTFOUND);
      n_there -= there[row];
      there[row] = 0;
    }
    ck_assert_uint_eq(rebal_cells_count(rebal_pods_const_cells(world.pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE),
                      n_there);
  }
  for (uint32_t row = 0, next = rebal_cells_next(rebal_pods_const_cells(world.pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE,
                                                 REBAL_NONE);
       row < 400; row++) {
    ck_assert_int_eq(rebali_pods_has(world.pods, REBAL_TABLE_SPREAD_POD, row), there[row]);
    if (there[row]) {
      ck_assert_uint_eq(next, row);
      next = rebal_cells_next(rebal_pods_const_cells(world.pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE, row);
    }
    ck_assert(row < 399 || next == REBAL_NONE);
  }
  pod_world_close(&world);
}
END_TEST

static int32_t scenario(const rebal_allocator *allocator, void *user_data) {
  const rebal_time time = {5, 0, 1};
  rebal_pods *pods = NULL;
  uint32_t rows[70];
  int32_t code = rebal_pods_new(user_data, allocator, &pods, NULL);

  for (uint32_t i = 0; i < 3 && code == REBAL_OK; i++) {
    code = rebal_cells_add(rebal_pods_cells(pods), i == 1 ? REBAL_TABLE_OWNER : REBAL_TABLE_SPREAD_POD, REBAL_NONE,
                           rows, 70, NULL);
    if (code == REBAL_OK && i == 0) {
      code = rebal_cells_set_text(rebal_pods_cells(pods), REBAL_SPREAD_POD_NAME, REBAL_NONE, 69, "web", 3, NULL);
    }
    if (code == REBAL_OK && i == 0) {
      code = rebal_cells_set_i64(rebal_pods_cells(pods), REBAL_SPREAD_POD_NODE, REBAL_NONE, 5, 7, NULL);
    }
    if (code == REBAL_OK && i == 0) {
      code = rebal_cells_set_time(rebal_pods_cells(pods), REBAL_SPREAD_POD_CREATED, REBAL_NONE, 5, &time, NULL);
    }
    if (code == REBAL_OK && i == 0) {
      code = rebal_cells_remove(rebal_pods_cells(pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE, rows, 60, NULL);
    }
  }
  rebal_pods_free(pods);
  return code;
}

START_TEST(test_torture_pods) {
  struct pod_world world = pod_world_open();

  ck_assert_pstr_eq(test_torture(scenario, world.fleet), NULL);
  pod_world_close(&world);
}
END_TEST

/* Without memory for all rows none is added. */
START_TEST(test_failed_add_adds_nothing) {
  struct pod_world world = pod_world_open();
  struct test_allocator memory;
  size_t failed = 0;

  for (size_t fail = 1; fail < 12; fail++) {
    rebal_pods *pods = NULL;
    uint32_t rows[200];

    test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
    ck_assert_int_eq(rebal_pods_new(world.fleet, &memory.functions, &pods, NULL), REBAL_OK);
    ck_assert_int_eq(rebal_cells_add(rebal_pods_cells(pods), REBAL_TABLE_OWNER, REBAL_NONE, rows, 3, NULL), REBAL_OK);
    ck_assert_int_eq(rebal_cells_set_text(rebal_pods_cells(pods), REBAL_OWNER_NAME, REBAL_NONE, 2, "web", 3, NULL),
                     REBAL_OK);
    ck_assert_int_eq(rebal_cells_remove(rebal_pods_cells(pods), REBAL_TABLE_OWNER, REBAL_NONE, rows, 1, NULL),
                     REBAL_OK);
    memory.fail_at = memory.requests + fail;
    if (rebal_cells_add(rebal_pods_cells(pods), REBAL_TABLE_OWNER, REBAL_NONE, rows, 200, NULL) != REBAL_OK) {
      failed++;
      ck_assert_uint_eq(rebal_cells_count(rebal_pods_const_cells(pods), REBAL_TABLE_OWNER, REBAL_NONE), 2);
      ck_assert_str_eq(rebal_cells_get_text(rebal_pods_const_cells(pods), REBAL_OWNER_NAME, REBAL_NONE, 2, NULL),
                       "web");
      ck_assert_int_eq(rebal_cells_add(rebal_pods_cells(pods), REBAL_TABLE_OWNER, REBAL_NONE, rows, 200, NULL),
                       REBAL_OK);
    }
    ck_assert_uint_eq(rows[0], 0);
    ck_assert_uint_eq(rows[199], 201);
    ck_assert_uint_eq(rebal_cells_count(rebal_pods_const_cells(pods), REBAL_TABLE_OWNER, REBAL_NONE), 202);
    rebal_pods_free(pods);
    ck_assert_uint_eq(memory.live, 0);
  }
  ck_assert_uint_ge(failed, 2);
  pod_world_close(&world);
}
END_TEST

UNIT_CASE(pods) {
  TCase *cases = tcase_create("pods");

  tcase_add_test(cases, test_cells_are_read_back);
  tcase_add_test(cases, test_missing_cells);
  tcase_add_test(cases, test_refusals_of_rows);
  tcase_add_test(cases, test_refusals_of_cells);
  tcase_add_test(cases, test_numbers_are_used_again);
  tcase_add_test(cases, test_reset_leaves_nothing_but_memory);
  tcase_add_loop_test(cases, test_rows_against_a_plain_list, 0, 5);
  tcase_add_test(cases, test_torture_pods);
  tcase_add_test(cases, test_failed_add_adds_nothing);
  return cases;
}
