/* SPDX-License-Identifier: MIT */
/* Division within bounds: the bounds of a party, which party gets the next seat, what is left, what is refused. */
#include "phases_fixture.h"

#include "../../support/allocator.h"
#include "../unit.h"

#include <stdio.h>

#define MOST 4
#define ANY INT32_MAX
#define NO NULL
#define KEEP REBAL_DIVIDE_FLAG_KEEP_CURRENT

static const char names[] = "abcd";
static const uint32_t offsets[MOST + 1] = {0, 1, 2, 3, 4};

#define PARTIES(names_, offsets_, weights_, n_, uid_)                            \
  &(const rebal_parties) {                                                       \
    sizeof(rebal_parties), 0, names_, offsets_, weights_, n_, uid_, strlen(uid_) \
  }

static rebal_ctx *ctx;
static rebal_result *result;

static void setup(void) {
  ctx = test_context(NULL, 0, 0);
  ck_assert_int_eq(rebal_result_new(NULL, &result, NULL), REBAL_OK);
}

static void teardown(void) {
  rebal_result_free(result);
  rebal_ctx_free(ctx);
}

/* "3 2 1", in the order of names. */
static const char *shares(void) {
  static char text[128];
  size_t n, len = 0;
  const int64_t *replicas = rebal_result_i64(result, REBAL_SHARE_REPLICAS, &n);

  text[0] = '\0';
  for (size_t i = 0; i < n; i++) {
    len += (size_t)snprintf(text + len, sizeof text - len, "%s%lld", i == 0 ? "" : " ", (long long)replicas[i]);
  }
  return text;
}

static const struct {
  const char *what;
  size_t n;
  int64_t weights[MOST];
  rebal_divide_opts bounds;
  int32_t replicas;
  const char *uid;
  const char *shares;
  int32_t left;
} rows[] = {
#define BOUNDS(flags, minimums, maximums, capacities, current) \
  {sizeof(rebal_divide_opts), flags, NULL, minimums, maximums, capacities, current}
#define CELLS(...)        \
  (const int32_t[MOST]) { \
    __VA_ARGS__           \
  }
#define FREE CELLS(ANY, ANY, ANY, ANY)
    {"bounds that limit nothing", 3, {1, 2, 3}, BOUNDS(0, NO, FREE, NO, NO), 6, "", "1 2 3", 0},
    {"ties by name", 3, {1, 1, 1}, BOUNDS(0, NO, FREE, NO, NO), 4, "a", "2 1 1", 0},
    {"ties by name, turned round", 3, {1, 1, 1}, BOUNDS(0, NO, FREE, NO, NO), 4, "b", "1 1 2", 0},
    /* even spread that respects capacity (karmada #4805) */
    {"capacity", 3, {1, 1, 1}, BOUNDS(0, NO, NO, CELLS(9, 1, 9), NO), 9, "", "4 1 4", 0},
    {"capacity beside current", 3, {1, 1, 1}, BOUNDS(0, NO, NO, CELLS(9, 1, 9), CELLS(0, 1, 0)), 9, "", "4 2 3", 0},
    {"too little capacity", 2, {1, 1}, BOUNDS(0, NO, NO, CELLS(3, 2), NO), 9, "", "3 2", 4},
    /* a minimum for each cluster (karmada #6511, #6739) */
    {"minimum", 3, {8, 1, 1}, BOUNDS(0, CELLS(1, 2, 1), NO, NO, NO), 10, "", "7 2 1", 0},
    {"minimums that fit exactly", 2, {9, 1}, BOUNDS(0, CELLS(2, 3), NO, NO, NO), 5, "", "2 3", 0},
    {"minimums that do not fit", 3, {9, 1, 1}, BOUNDS(0, CELLS(1, 3, 3), NO, NO, NO), 5, "", "1 2 2", 0},
    {"minimum above maximum", 2, {1, 1}, BOUNDS(0, CELLS(4, 0), CELLS(2, ANY), NO, NO), 8, "", "2 6", 0},
    {"minimum above the capacity", 2, {1, 1}, BOUNDS(0, CELLS(4, 0), NO, CELLS(1, 1), CELLS(1, 0)), 8, "", "2 1", 5},
    {"maximum", 3, {8, 1, 1}, BOUNDS(0, NO, CELLS(4, ANY, ANY), NO, NO), 10, "", "4 3 3", 0},
    {"maximums below all", 2, {1, 1}, BOUNDS(0, NO, CELLS(1, 2), NO, NO), 8, "", "1 2", 5},
    {"the smaller of maximum and capacity",
     2,
     {1, 1},
     BOUNDS(0, NO, CELLS(3, 1), CELLS(1, 3), CELLS(1, 1)),
     9,
     "",
     "2 1",
     6},
    /* zero or negative capacity never scales without end (KubeAdmiral #96) */
    {"negative cells are 0",
     3,
     {1, 1, 1},
     BOUNDS(0, CELLS(-1, INT32_MIN, 0), NO, CELLS(-5, 0, 3), CELLS(4, -2, 0)),
     100,
     "",
     "4 0 3",
     93},
    {"negative maximum", 2, {1, 1}, BOUNDS(KEEP, NO, CELLS(-1, 2), NO, CELLS(5, 5)), 100, "", "0 2", 98},
    {"no party loses while growing", 3, {1, 1, 8}, BOUNDS(KEEP, NO, NO, NO, CELLS(3, 2, 0)), 8, "", "3 2 3", 0},
    {"by weight without it", 3, {1, 1, 8}, BOUNDS(0, NO, NO, NO, CELLS(3, 2, 0)), 8, "", "1 1 6", 0},
    {"kept up to the maximum", 2, {1, 1}, BOUNDS(KEEP, NO, CELLS(2, ANY), NO, CELLS(5, 0)), 6, "", "2 4", 0},
    {"fewer than are kept", 2, {1, 3}, BOUNDS(KEEP, NO, NO, NO, CELLS(4, 4)), 4, "", "1 3", 0},
    {"flag without current", 2, {1, 1}, BOUNDS(KEEP, NO, NO, NO, NO), 4, "", "2 2", 0},
    /* without weight: the minimum and no more */
    {"no weight", 3, {0, -7, 1}, BOUNDS(0, CELLS(2, 1, 0), NO, CELLS(9, 9, 3), NO), 9, "", "2 1 3", 3},
    {"no weight at all", 2, {0, 0}, BOUNDS(0, NO, FREE, NO, NO), 3, "", "0 0", 3},
    {"weights whose sum wraps",
     4,
     {INT64_C(1) << 62, INT64_C(1) << 62, INT64_C(1) << 62, INT64_C(1) << 62},
     BOUNDS(0, NO, FREE, NO, NO),
     6,
     "",
     "2 2 1 1",
     0},
    {"no seats", 2, {1, 1}, BOUNDS(0, CELLS(3, 3), NO, NO, NO), 0, "", "0 0", 0},
    {"no parties", 0, {0}, BOUNDS(0, NO, FREE, NO, NO), 3, "", "", 3},
    {"cells at the end of int32",
     2,
     {1, 1},
     BOUNDS(KEEP, CELLS(ANY, 0), CELLS(ANY, ANY), CELLS(ANY, ANY), CELLS(ANY, ANY)),
     10000000,
     "",
     "5000000 5000000",
     0},
    {"as many as are divided at all",
     3,
     {3, 2, 1},
     BOUNDS(0, NO, CELLS(ANY, 1000000, ANY), NO, NO),
     10000000,
     "",
     "6750000 1000000 2250000",
     0},
};

START_TEST(test_divisions) {
  int32_t left = -1;

  ck_assert_int_eq(
      rebal_divide(ctx, rows[_i].replicas, PARTIES(names, offsets, rows[_i].weights, rows[_i].n, rows[_i].uid),
                   &rows[_i].bounds, result, &left, NULL),
      REBAL_OK);
  ck_assert_msg(strcmp(shares(), rows[_i].shares) == 0, "%s: %s", rows[_i].what, shares());
  ck_assert_msg(left == rows[_i].left, "%s: %d left", rows[_i].what, (int)left);
}
END_TEST

START_TEST(test_a_name_twice_counts_with_its_last_cells) {
  static const int64_t weights[] = {9, 1, 1};
  static const int32_t maximums[] = {0, ANY, 3};
  const rebal_divide_opts bounds = {.struct_size = sizeof bounds, .maximums = maximums};
  int32_t left;
  size_t n;

  ck_assert_int_eq(rebal_divide(ctx, 9, PARTIES("aba", offsets, weights, 3, ""), &bounds, result, &left, NULL),
                   REBAL_OK);
  ck_assert_str_eq(shares(), "3 6");
  ck_assert_int_eq(rebal_result_i64(result, REBAL_SHARE_PARTY, &n)[0], 0);
  ck_assert_uint_eq(n, 2);
}
END_TEST

/* If no party has weight, plain division lists no party, and division within bounds lists all. */
START_TEST(test_any_bound_makes_a_bounded_division) {
  static const int64_t weights[] = {0, 0};
  static const int32_t none[] = {0, 0};
  const rebal_divide_opts bounds[] = {BOUNDS(KEEP, NO, NO, NO, NO), BOUNDS(0, none, NO, NO, NO),
                                      BOUNDS(0, NO, none, NO, NO), BOUNDS(0, NO, NO, none, NO),
                                      BOUNDS(0, NO, NO, NO, none)};
  const rebal_divide_opts no_bounds = BOUNDS(0, NO, NO, NO, NO);
  int32_t left;

  ck_assert_int_eq(rebal_divide(ctx, 6, PARTIES(names, offsets, weights, 2, ""), &no_bounds, result, &left, NULL),
                   REBAL_OK);
  ck_assert_str_eq(shares(), "");
  for (size_t i = 0; i < REBALI_COUNT(bounds); i++) {
    rebal_divide_opts beside = bounds[i];
    rebal_error err = REBAL_ERROR_INIT;

    ck_assert_int_eq(rebal_divide(ctx, 6, PARTIES(names, offsets, weights, 2, ""), &bounds[i], result, &left, NULL),
                     REBAL_OK);
    ck_assert_str_eq(shares(), "0 0");
    beside.before = none;
    ck_assert_int_eq(rebal_divide(ctx, 6, PARTIES(names, offsets, weights, 2, ""), &beside, result, &left, &err),
                     REBAL_EINVAL);
    ck_assert_str_eq(err.message, "before and bounds are both set: with bounds, current has the seats");
  }
}
END_TEST

START_TEST(test_refused_arguments) {
  static const uint32_t backward[] = {0, 2, 1};
  static const int64_t weights[] = {1, 1};
  const rebal_divide_opts short_bounds = {.struct_size = 4};
  const rebal_divide_opts odd_flags = {.struct_size = sizeof odd_flags, .flags = 2};
  const rebal_divide_opts keep = {.struct_size = sizeof keep, .flags = KEEP};
  int32_t left = -1;

#define DIVIDE(replicas, names_, offsets_, weights_, bounds_, result_, left_) \
  rebal_divide(ctx, replicas, PARTIES(names_, offsets_, weights_, 2, ""), bounds_, result_, left_, NULL)
  ck_assert_int_eq(DIVIDE(1, NULL, offsets, weights, &keep, result, &left), REBAL_EINVAL);
  ck_assert_int_eq(DIVIDE(1, names, NULL, weights, &keep, result, &left), REBAL_EINVAL);
  ck_assert_int_eq(DIVIDE(1, names, offsets, NULL, &keep, result, &left), REBAL_EINVAL);
  ck_assert_int_eq(DIVIDE(1, names, offsets, weights, &keep, NULL, &left), REBAL_EINVAL);
  ck_assert_int_eq(DIVIDE(1, names, offsets, weights, &keep, result, NULL), REBAL_EINVAL);
  ck_assert_int_eq(DIVIDE(1, names, backward, weights, &keep, result, &left), REBAL_EINVAL);
  ck_assert_int_eq(DIVIDE(1, names, offsets, weights, &short_bounds, result, &left), REBAL_EABI);
  ck_assert_int_eq(DIVIDE(1, names, offsets, weights, &odd_flags, result, &left), REBAL_EUNSUPPORTED);
  ck_assert_int_eq(DIVIDE(-1, names, offsets, weights, &keep, result, &left), REBAL_ERANGE);
  ck_assert_int_eq(DIVIDE(10000001, names, offsets, weights, &keep, result, &left), REBAL_ELIMIT);
  ck_assert_int_eq(left, -1);
}
END_TEST

static int32_t divide_once(const rebal_allocator *allocator, void *user_data) {
  static const int64_t weights[] = {3, 2, 1};
  static const int32_t minimums[] = {1, 1, 2};
  const rebal_divide_opts bounds = {.struct_size = sizeof bounds, .minimums = minimums};
  rebal_ctx *own_ctx = NULL;
  rebal_result *own_result = NULL;
  int32_t left = 0;
  int32_t code = rebal_ctx_new(allocator, NULL, &own_ctx, NULL);

  (void)user_data;
  code = code == REBAL_OK ? rebal_result_new(allocator, &own_result, NULL) : code;
  if (code == REBAL_OK) {
    code = rebal_divide(own_ctx, 9, PARTIES(names, offsets, weights, 3, ""), &bounds, own_result, &left, NULL);
    ck_assert(code == REBAL_OK || rebal_result_count(own_result, REBAL_TABLE_SHARE) == 0);
  }
  rebal_result_free(own_result);
  rebal_ctx_free(own_ctx);
  return code;
}

START_TEST(test_out_of_memory) {
  ck_assert_pstr_eq(test_torture(divide_once, NULL), NULL);
}
END_TEST

UNIT_CASE(divide_bounded) {
  TCase *cases = tcase_create("divide_bounded");

  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_loop_test(cases, test_divisions, 0, (int)REBALI_COUNT(rows));
  tcase_add_test(cases, test_a_name_twice_counts_with_its_last_cells);
  tcase_add_test(cases, test_any_bound_makes_a_bounded_division);
  tcase_add_test(cases, test_refused_arguments);
  tcase_add_test(cases, test_out_of_memory);
  return cases;
}
