/* SPDX-License-Identifier: MIT */
#include "small_movement.h"

#include "../../support/allocator.h"

#define SET(array, ...) memcpy((array), ((const int64_t[]){__VA_ARGS__}), sizeof((const int64_t[]){__VA_ARGS__}))

/* One replica needs a place in the first cluster, and each binding can only go on to the next cluster. */
static void open_chain(struct small_movement *small) {
  small_open(small);
  SET(small->replicas, 1, 2, 2);
  SET(small->present, 0, 0, 0, 2, 0, 0, 0, 2, 0);
  SET(small->maximums, 1, 0, 0, 2, 2, 0, 0, 2, 2);
  SET(small->capacities, 2, 2, 9);
}

START_TEST(test_replicas_make_way_for_others) {
  struct small_movement small;

  open_chain(&small);
  small_expect(&small, (const int64_t[]){1, 0, 0, 1, 1, 0, 0, 1, 1});
  ck_assert_int_eq(small.answer.placed, 5);
  ck_assert_int_eq(small.answer.moved, 2);
  ck_assert_int_eq(small.binding_prices[0], 2); /* one more would move two others */
  ck_assert_int_eq(small.cluster_prices[1], 1);
  small_close(&small);
}
END_TEST

START_TEST(test_weights_choose_who_makes_way) {
  struct small_movement small;

  small_open(&small);
  SET(small.replicas, 1, 1, 1);
  SET(small.weights, 1, 5, 3);
  SET(small.present, 0, 0, 0, 1, 0, 0, 1, 0, 0);
  SET(small.maximums, 1, 0, 0, 1, 1, 0, 1, 1, 0);
  SET(small.capacities, 2, 2, 0);
  small_expect(&small, (const int64_t[]){1, 0, 0, 1, 0, 0, 0, 1, 0});
  ck_assert_int_eq(small.answer.kept, 5);
  ck_assert_int_eq(small.answer.moved, 3);
  small_close(&small);
}
END_TEST

START_TEST(test_too_full_clusters) {
  struct small_movement small;

  small_open(&small);
  SET(small.replicas, 6, 3, 0);
  SET(small.weights, 2, 1, 1);
  SET(small.present, 6, 0, 0, 3, 0, 0, 0, 0, 0);
  SET(small.capacities, 7, 1, 5);
  small_expect(&small, (const int64_t[]){6, 0, 0, 1, 1, 1, 0, 0, 0});
  ck_assert_int_eq(small.answer.moved, 2);
  small_close(&small);
}
END_TEST

/* The most are placed, whatever that moves; the cheapest are given up. */
START_TEST(test_not_all_fit) {
  struct small_movement small;

  open_chain(&small);
  SET(small.capacities, 2, 2, 0);
  SET(small.weights, 1, 1, 9);
  small_expect(&small, (const int64_t[]){0, 0, 0, 2, 0, 0, 0, 2, 0});
  ck_assert_int_eq(small.answer.placed, 4);
  ck_assert_int_eq(small.answer.kept, 2 + 18);
  ck_assert_int_eq(small.binding_prices[0], 1 + 2 + 18);
  small_close(&small);
}
END_TEST

/* A binding that cannot give up what it must have had a price above that of giving up. */
START_TEST(test_prices_do_not_exceed_giving_up) {
  struct small_movement small;

  small_open(&small);
  SET(small.replicas, 20, 1, 3);
  SET(small.weights, 5, 1, 5);
  SET(small.present, 0, 0, 23, 0, 0, 0, 2, 1, 0);
  SET(small.minimums, 0, 0, 0, 0, 0, 1, 0, 0, 0);
  SET(small.maximums, 0, 22, 0, 0, 0, 1, 2, 1, 1);
  SET(small.capacities, 1, 3, INT64_MAX);
  small_expect(&small, (const int64_t[]){0, 2, 0, 0, 0, 1, 1, 1, 1});
  ck_assert_int_eq(small.answer.placed, 6);
  small_close(&small);
}
END_TEST

static int32_t solve_chain(const rebal_allocator *allocator, void *user_data) {
  struct small_movement *small = user_data;
  rebal_ctx *ctx = NULL;
  int64_t gap = -1;
  int32_t code = rebal_ctx_new(allocator, NULL, &ctx, NULL);

  if (code == REBAL_OK) {
    code = rebal_least_movement(ctx, &small->problem, &small->answer, NULL);
  }
  if (code == REBAL_OK) {
    code = rebal_plan_verify(ctx, &small->problem, &small->answer, &gap, NULL);
  }
  rebal_ctx_free(ctx);
  return code;
}

START_TEST(test_without_memory) {
  struct small_movement small;

  open_chain(&small);
  ck_assert_pstr_eq(test_torture(solve_chain, &small), NULL);
  small_close(&small);
}
END_TEST

UNIT_CASE(repair) {
  TCase *cases = tcase_create("repair");

  tcase_add_test(cases, test_replicas_make_way_for_others);
  tcase_add_test(cases, test_weights_choose_who_makes_way);
  tcase_add_test(cases, test_too_full_clusters);
  tcase_add_test(cases, test_not_all_fit);
  tcase_add_test(cases, test_prices_do_not_exceed_giving_up);
  tcase_add_test(cases, test_without_memory);
  return cases;
}
