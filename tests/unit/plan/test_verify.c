/* SPDX-License-Identifier: MIT */
#include "small_movement.h"

static void open_answered(struct small_movement *small) {
  small_open(small);
  for (size_t i = 0; i < SMALL_BINDINGS; i++) {
    small->replicas[i] = 4;
    small->present[SMALL_CLUSTERS * i] = 5;
    small->present[SMALL_CLUSTERS * i + 1] = 1;
    small->maximums[SMALL_CLUSTERS * i] = 2;
    small->capacities[i] = 100;
  }
  ck_assert_int_eq(small_solve(small), REBAL_OK);
}

/* Whatever number of a right answer is changed, the answer is refused or not proved. */
static void expect_doubt(struct small_movement *small, int64_t *number) {
  static const int64_t changes[] = {1, -1, 5, -5};
  const int64_t right = *number;
  int64_t gap;

  for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
    gap = -1;
    *number = right + changes[i];
    if (small_verify(small, &gap) == REBAL_OK) {
      ck_assert_int_gt(gap, 0);
    } else {
      ck_assert_int_eq(small->err.code, REBAL_EMISMATCH);
    }
    *number = right;
  }
  ck_assert_int_eq(small_verify(small, &gap), REBAL_OK);
  ck_assert_int_eq(gap, 0);
}

START_TEST(test_changed_numbers) {
  struct small_movement small;

  open_answered(&small);
  for (size_t i = 0; i < SMALL_PAIRS; i++) {
    expect_doubt(&small, &small.planned[i]);
  }
  for (size_t i = 0; i < SMALL_BINDINGS; i++) {
    expect_doubt(&small, &small.binding_prices[i]);
    expect_doubt(&small, &small.cluster_prices[i]);
  }
  expect_doubt(&small, &small.answer.placed);
  expect_doubt(&small, &small.answer.kept);
  expect_doubt(&small, &small.answer.moved);
  small_close(&small);
}
END_TEST

/* A placement that is changed with its sums: each rule alone refuses it. */
static void expect_refusal(struct small_movement *small, const char *field, int64_t where) {
  int64_t gap = 7;

  ck_assert_int_eq(small_verify(small, &gap), REBAL_EMISMATCH);
  ck_assert_str_eq(small->err.field, field);
  ck_assert_int_eq(small->err.where, where);
  ck_assert_int_eq(gap, 7);
}

START_TEST(test_each_rule) {
  struct small_movement small;
  int64_t gap;

  open_answered(&small);
  small.maximums[0] = 1;
  expect_refusal(&small, "planned", 0);
  small.maximums[0] = 2;
  small.minimums[2] = 3;
  expect_refusal(&small, "planned", 2);
  small.minimums[2] = 0;
  small.replicas[1] = 3;
  expect_refusal(&small, "replicas", 1);
  small.replicas[1] = 4;
  small.capacities[0] = 5;
  expect_refusal(&small, "capacities", 0);
  small.capacities[0] = INT64_MAX;
  small.cluster_prices[0] = 1;
  expect_refusal(&small, "cluster_prices", 0);
  small.capacities[0] = 100;
  small.cluster_prices[0] = -1;
  expect_refusal(&small, "cluster_prices", 0);
  small.cluster_prices[0] = INT64_MAX;
  expect_refusal(&small, "cluster_prices", 0);
  small.cluster_prices[0] = 0;
  small.binding_prices[2] = INT64_MIN;
  expect_refusal(&small, "binding_prices", 2);
  small.binding_prices[2] = 0;
  small.answer.moved--;
  expect_refusal(&small, "placed, kept, moved", 0);
  small.answer.moved++;
  ck_assert_int_eq(small_verify(&small, &gap), REBAL_OK);
  ck_assert_int_eq(gap, 0);
  small_close(&small);
}
END_TEST

START_TEST(test_a_worse_placement_has_a_gap) {
  struct small_movement small;
  int64_t gap;

  open_answered(&small);
  small.weights[0] = 3;
  small.planned[1] = 0; /* the one present is moved needlessly */
  small.planned[2] = 2;
  small.answer.kept = 3 * 2 + 3 + 3;
  small.answer.moved = 3 * 2 + 1 + 1;
  ck_assert_int_eq(small_verify(&small, &gap), REBAL_OK);
  ck_assert_int_eq(gap, 3);
  small.planned[2] = 1; /* one is not placed: 1 + 6 x (3 + 1 + 1) each */
  small.answer.placed = 11;
  ck_assert_int_eq(small_verify(&small, &gap), REBAL_OK);
  ck_assert_int_eq(gap, 3 + 31);
  small_close(&small);
}
END_TEST

static const struct {
  size_t at; /* of the member of small_movement that is changed */
  int64_t value;
  int32_t code;
  int64_t where;
} faults[] = {
    {offsetof(struct small_movement, replicas[2]), -1, REBAL_EMISMATCH, 2},
    {offsetof(struct small_movement, replicas[2]), INT64_C(1) << 31, REBAL_EMISMATCH, 2},
    {offsetof(struct small_movement, weights[2]), 0, REBAL_EMISMATCH, 2},
    {offsetof(struct small_movement, present[4]), -1, REBAL_EMISMATCH, 4},
    {offsetof(struct small_movement, present[4]), INT64_C(1) << 31, REBAL_EMISMATCH, 4},
    {offsetof(struct small_movement, minimums[8]), -1, REBAL_EMISMATCH, 8},
    {offsetof(struct small_movement, binding_prices[1]), INT64_MAX, REBAL_EMISMATCH, 1},
    {offsetof(struct small_movement, problem.n_clusters), 2, REBAL_EMISMATCH, 2},
    {offsetof(struct small_movement, problem.n_clusters), UINT32_MAX, REBAL_ELIMIT, -1},
    {offsetof(struct small_movement, problem.n_bindings), UINT32_MAX, REBAL_ELIMIT, -1},
    {offsetof(struct small_movement, offsets[0]), 1, REBAL_EINVAL, 0},
    {offsetof(struct small_movement, offsets[1]), 7, REBAL_EINVAL, 1},
    {offsetof(struct small_movement, offsets[3]), UINT32_MAX, REBAL_ELIMIT, -1},
};

START_TEST(test_malformed_cells) {
  struct small_movement small;
  int64_t gap = 7;

  open_answered(&small);
  memcpy((char *)&small + faults[_i].at, &faults[_i].value, sizeof faults[_i].value);
  ck_assert_int_eq(small_verify(&small, &gap), faults[_i].code);
  ck_assert_int_eq(small.err.where, faults[_i].where);
  ck_assert_int_eq(gap, 7);
  small_close(&small);
}
END_TEST

START_TEST(test_malformed_structures) {
  static const size_t arrays[] = {
      offsetof(struct small_movement, problem.replicas),      offsetof(struct small_movement, problem.offsets),
      offsetof(struct small_movement, problem.clusters),      offsetof(struct small_movement, answer.planned),
      offsetof(struct small_movement, answer.binding_prices), offsetof(struct small_movement, answer.cluster_prices)};
  struct small_movement small;
  int64_t gap = 7;

  open_answered(&small);
  small.problem.flags = 1;
  ck_assert_int_eq(small_verify(&small, &gap), REBAL_EUNSUPPORTED);
  small.problem.flags = 0;
  small.answer.flags = 1;
  ck_assert_int_eq(small_verify(&small, &gap), REBAL_EUNSUPPORTED);
  small.answer.flags = 0;
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
    const struct small_movement whole = small;

    memset((char *)&small + arrays[i], 0, sizeof(void *));
    ck_assert_int_eq(small_verify(&small, &gap), REBAL_EINVAL);
    ck_assert_str_eq(small.err.message, "an array is NULL");
    small = whole;
  }
  ck_assert_int_eq(gap, 7);
  small_close(&small);
}
END_TEST

/* What is present by weight is 6 x 2^53 and more, of which 3 x 2^53 are kept. */
START_TEST(test_too_large_weights) {
  struct small_movement small;
  int64_t gap = 7;

  open_answered(&small);
  small.weights[1] = INT64_C(1) << 53;
  small.answer.kept = 3 + 3 * small.weights[1] + 3;
  small.answer.moved = 1 + small.weights[1] + 1;
  ck_assert_int_eq(small_verify(&small, &gap), REBAL_ELIMIT);
  ck_assert_str_eq(small.err.message, "too many replicas, or too large weights");
  ck_assert_int_eq(gap, 7);
  small_close(&small);
}
END_TEST

UNIT_CASE(verify) {
  TCase *cases = tcase_create("verify");

  tcase_add_test(cases, test_changed_numbers);
  tcase_add_test(cases, test_each_rule);
  tcase_add_test(cases, test_a_worse_placement_has_a_gap);
  tcase_add_loop_test(cases, test_malformed_cells, 0, sizeof faults / sizeof faults[0]);
  tcase_add_test(cases, test_malformed_structures);
  tcase_add_test(cases, test_too_large_weights);
  return cases;
}
