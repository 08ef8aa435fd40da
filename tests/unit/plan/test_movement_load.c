/* SPDX-License-Identifier: MIT */
#include "small_movement.h"

static void open_three(struct small_movement *small) {
  small_open(small);
  for (size_t i = 0; i < SMALL_BINDINGS; i++) {
    small->replicas[i] = 4;
    small->capacities[i] = 9;
  }
  ck_assert_int_eq(small_solve(small), REBAL_OK);
}

/* The call fails, and the answer stays as it was. */
static void expect_failure(struct small_movement *small, int32_t code, int64_t where, const char *field) {
  small->answer.placed = 77;
  small->planned[0] = 78;
  ck_assert_int_eq(small_solve(small), code);
  ck_assert_int_eq(small->err.code, code);
  ck_assert_int_eq(small->err.where, where);
  ck_assert_str_eq(small->err.field, field);
  ck_assert_int_eq(small->answer.placed, 77);
  ck_assert_int_eq(small->planned[0], 78);
}

START_TEST(test_what_cannot_be_is_named) {
  struct small_movement small;

  open_three(&small);
  small.minimums[3] = 2;
  small.minimums[4] = 3;
  expect_failure(&small, REBAL_ERANGE, 1, "replicas");
  ck_assert_str_eq(small.err.message, "the minimums of binding 1 are 5, but its replicas 4");
  small.minimums[3] = 0;
  small.minimums[4] = small.minimums[7] = 4;
  small.capacities[1] = 7;
  expect_failure(&small, REBAL_ERANGE, 1, "capacities");
  ck_assert_str_eq(small.err.message, "the minimums in cluster 1 exceed its capacity of 7 by 1");
  small.capacities[1] = 8;
  ck_assert_int_eq(small_solve(&small), REBAL_OK);
  small_close(&small);
}
END_TEST

static const struct {
  size_t at; /* of the member of small_movement that is changed */
  int64_t value;
  int32_t code;
  int64_t where;
  const char *field;
} faults[] = {
    {offsetof(struct small_movement, replicas[2]), -1, REBAL_ERANGE, 2, "replicas"},
    {offsetof(struct small_movement, replicas[2]), INT64_C(1) << 31, REBAL_ERANGE, 2, "replicas"},
    {offsetof(struct small_movement, present[4]), -1, REBAL_ERANGE, 4, "present"},
    {offsetof(struct small_movement, present[4]), INT64_C(1) << 31, REBAL_ERANGE, 4, "present"},
    {offsetof(struct small_movement, minimums[8]), -1, REBAL_ERANGE, 8, "minimums"},
    {offsetof(struct small_movement, minimums[8]), INT64_MAX, REBAL_ERANGE, 8, "minimums"},
    {offsetof(struct small_movement, maximums[8]), -1, REBAL_EINVAL, 8, ""},
    {offsetof(struct small_movement, capacities[1]), -1, REBAL_ERANGE, 1, ""},
    {offsetof(struct small_movement, weights[0]), 0, REBAL_ERANGE, 0, ""},
    {offsetof(struct small_movement, offsets[0]), 1, REBAL_EINVAL, 0, ""},
    {offsetof(struct small_movement, offsets[1]), 7, REBAL_EINVAL, 1, ""},
    {offsetof(struct small_movement, offsets[3]), UINT32_MAX, REBAL_ELIMIT, -1, ""},
    {offsetof(struct small_movement, problem.n_bindings), UINT32_MAX, REBAL_ELIMIT, -1, ""},
    {offsetof(struct small_movement, problem.n_clusters), UINT32_MAX, REBAL_ELIMIT, -1, ""},
    {offsetof(struct small_movement, problem.n_clusters), 2, REBAL_EINVAL, 2, ""},
};

START_TEST(test_malformed_cells) {
  struct small_movement small;

  open_three(&small);
  memcpy((char *)&small + faults[_i].at, &faults[_i].value, sizeof faults[_i].value);
  expect_failure(&small, faults[_i].code, faults[_i].where, faults[_i].field);
  small_close(&small);
}
END_TEST

START_TEST(test_malformed_structures) {
  struct small_movement small;

  open_three(&small);
  small.clusters[5] = 1; /* as the one before */
  expect_failure(&small, REBAL_EINVAL, 5, "");
  small.clusters[5] = 2;
  small.problem.flags = 1;
  expect_failure(&small, REBAL_EUNSUPPORTED, -1, "");
  small.problem.flags = 0;
  small.answer.flags = 1;
  expect_failure(&small, REBAL_EUNSUPPORTED, -1, "");
  small.answer.flags = 0;
  small.answer.planned = NULL;
  expect_failure(&small, REBAL_EINVAL, -1, "");
  small.answer.planned = small.planned;
  small.problem.replicas = NULL;
  expect_failure(&small, REBAL_EINVAL, -1, "");
  small.problem.replicas = small.replicas;
  small.problem.offsets = NULL;
  expect_failure(&small, REBAL_EINVAL, -1, "");
  small.problem.offsets = small.offsets;
  small.problem.clusters = NULL;
  expect_failure(&small, REBAL_EINVAL, -1, "");
  small_close(&small);
}
END_TEST

START_TEST(test_absent_arrays) {
  struct small_movement small;
  int64_t gap = -1;

  open_three(&small);
  small.problem.present = small.problem.minimums = small.problem.maximums = NULL;
  small.problem.weights = small.problem.capacities = NULL;
  small_expect(&small, (const int64_t[]){4, 0, 0, 4, 0, 0, 4, 0, 0});
  small.answer.binding_prices = small.answer.cluster_prices = NULL;
  ck_assert_int_eq(small_solve(&small), REBAL_OK);
  ck_assert_int_eq(small_verify(&small, &gap), REBAL_EINVAL);
  small_close(&small);
}
END_TEST

START_TEST(test_the_largest_numbers) {
  struct small_movement small;

  small_open(&small);
  for (size_t i = 0; i < SMALL_BINDINGS; i++) {
    small.replicas[i] = INT32_MAX;
    small.present[SMALL_CLUSTERS * i] = INT32_MAX;
  }
  small.weights[1] = (INT64_C(1) << 22) - 3; /* the sum of products is 2^22 - 1 times 2^31 - 1 */
  small_expect(&small, small.present);
  ck_assert_int_eq(small.answer.kept, ((INT64_C(1) << 22) - 1) * INT32_MAX);
  small.weights[1] += 2;
  ck_assert_int_eq(small_solve(&small), REBAL_ELIMIT);
  small.weights[1] = INT64_MAX;
  ck_assert_int_eq(small_solve(&small), REBAL_ELIMIT);
  small.present[3] = 0; /* what is not present cannot move */
  small.minimums[3] = INT32_MAX;
  small_expect(&small, (const int64_t[]){INT32_MAX, 0, 0, INT32_MAX, 0, 0, INT32_MAX, 0, 0});
  small_close(&small);
}
END_TEST

/* 512 bindings of 2^31 - 1 replicas are fewer than 2^40, 513 are more. */
START_TEST(test_the_most_replicas) {
  static int64_t replicas[513], prices[513];
  static const uint64_t offsets[514];
  struct small_movement small;
  int64_t gap = -1;

  small_open(&small);
  for (size_t i = 0; i < 513; i++) {
    replicas[i] = INT32_MAX;
  }
  small.problem.weights = small.problem.present = NULL;
  small.problem.replicas = replicas;
  small.problem.offsets = offsets;
  small.problem.n_bindings = 512;
  small.answer.binding_prices = prices;
  ck_assert_int_eq(small_solve(&small), REBAL_OK);
  ck_assert_int_eq(small.answer.placed, 0);
  ck_assert_int_eq(small_verify(&small, &gap), REBAL_OK);
  ck_assert_int_eq(gap, 0);
  small.problem.n_bindings = 513;
  ck_assert_int_eq(small_solve(&small), REBAL_ELIMIT);
  ck_assert_int_eq(small_verify(&small, &gap), REBAL_ELIMIT);
  ck_assert_str_eq(small.err.message, "too many replicas, or too large weights");
  small_close(&small);
}
END_TEST

UNIT_CASE(movement_load) {
  TCase *cases = tcase_create("movement_load");

  tcase_add_test(cases, test_what_cannot_be_is_named);
  tcase_add_loop_test(cases, test_malformed_cells, 0, sizeof faults / sizeof faults[0]);
  tcase_add_test(cases, test_malformed_structures);
  tcase_add_test(cases, test_absent_arrays);
  tcase_add_test(cases, test_the_largest_numbers);
  tcase_add_test(cases, test_the_most_replicas);
  return cases;
}
