/* SPDX-License-Identifier: MIT */
#include "foundation/foundation.h"

#include "../unit.h"

#define MOST 600

struct row {
  uint32_t key;
  uint32_t input; /* place before sorting */
};

static uint32_t next_random(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(*state >> 33);
}

/* Low bits, chosen by the context, do not count: there are equal keys. */
static int by_key(const void *left, const void *right, const void *context) {
  const uint32_t shift = *(const uint32_t *)context;
  const uint32_t a = ((const struct row *)left)->key >> shift;
  const uint32_t b = ((const struct row *)right)->key >> shift;

  return (a > b) - (a < b);
}

static void sort_by_insertion(struct row *rows, size_t n, uint32_t shift) {
  size_t i;

  for (i = 1; i < n; i++) {
    const struct row row = rows[i];
    size_t place = i;

    for (; place > 0 && by_key(&rows[place - 1], &row, &shift) > 0; place--) {
      rows[place] = rows[place - 1];
    }
    rows[place] = row;
  }
}

static void fill(struct row *rows, size_t n, uint64_t seed) {
  uint32_t i;

  for (i = 0; i < n; i++) {
    rows[i] = (struct row){next_random(&seed) % 64, i};
  }
}

static void expect_sorted(size_t n, uint64_t seed, uint32_t shift) {
  struct row rows[MOST];
  struct row expected[MOST];
  struct row scratch[MOST];

  fill(rows, n, seed);
  fill(expected, n, seed);
  sort_by_insertion(expected, n, shift);
  rebali_sort(rows, n, sizeof rows[0], scratch, by_key, &shift);
  ck_assert_mem_eq(rows, expected, n * sizeof rows[0]);
}

START_TEST(test_same_as_insertion_sort) {
  expect_sorted((size_t)_i, (uint64_t)_i + 1, 0);
  expect_sorted((size_t)_i, (uint64_t)_i + 1000, 3);
  expect_sorted((size_t)_i, (uint64_t)_i + 2000, 6); /* all equal: nothing may move */
}
END_TEST

START_TEST(test_nothing_to_sort) {
  const uint32_t shift = 0;
  struct row row = {1, 2};

  rebali_sort(NULL, 0, sizeof row, NULL, by_key, &shift);
  rebali_sort(&row, 1, sizeof row, NULL, by_key, &shift);
  rebali_sort(&row, 3, 0, NULL, by_key, &shift);
  ck_assert_uint_eq(row.key, 1);
  ck_assert_uint_eq(row.input, 2);
}
END_TEST

static int by_byte(const void *left, const void *right, const void *context) {
  (void)context;
  return (int)*(const unsigned char *)left - (int)*(const unsigned char *)right;
}

START_TEST(test_single_bytes) {
  char text[] = "the quick brown fox jumps over the lazy dog";
  char scratch[sizeof text];

  rebali_sort(text, strlen(text), 1, scratch, by_byte, NULL);
  ck_assert_str_eq(text, "        abcdeeefghhijklmnoooopqrrsttuuvwxyz");
}
END_TEST

START_TEST(test_bisect_finds_the_first_place_that_is_not_before) {
  static const int values[] = {1, 3, 3, 3, 8};

  for (int wanted = 0; wanted <= 9; wanted++) {
    for (size_t n = 0; n <= REBALI_COUNT(values); n++) {
      size_t plain = 0;
      size_t at;

      while (plain < n && values[plain] < wanted) {
        plain++;
      }
      REBALI_BISECT(at, n, values[at] < wanted);
      ck_assert_uint_eq(at, plain);
    }
  }
}
END_TEST

UNIT_CASE(sort) {
  TCase *cases = tcase_create("sort");
  tcase_add_test(cases, test_bisect_finds_the_first_place_that_is_not_before);
  tcase_add_loop_test(cases, test_same_as_insertion_sort, 0, 70);
  tcase_add_loop_test(cases, test_same_as_insertion_sort, MOST - 10, MOST + 1);
  tcase_add_test(cases, test_nothing_to_sort);
  tcase_add_test(cases, test_single_bytes);
  return cases;
}
