/* SPDX-License-Identifier: MIT */
/* Briefs of amounts; test_fits.c compares the tables of remaining amounts with plain estimates. */
#include "estimator/fast/fits.h"

#include "../unit.h"

static uint64_t random_state = 1;

/* Draws an amount of any size. */
static int64_t draw_amount(void) {
  random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (int64_t)(random_state >> 1 >> (random_state >> 7) % 63);
}

static uint64_t brief_of(const int64_t *amounts) {
  uint64_t brief = 0;

  for (size_t i = 0; i < REBALI_BRIEF_COLUMNS; i++) {
    brief |= rebali_brief(amounts[i], i);
  }
  return brief;
}

static int is_promising(const int64_t *amounts, const int64_t *least) {
  const uint64_t brief = brief_of(amounts) | REBALI_BRIEF_GUARDS;
  const struct rebali_remaining remaining = {.briefs = &brief, .least = brief_of(least)};

  return rebali_remaining_is_promising(&remaining, 0);
}

START_TEST(test_enough_is_promising) {
  for (size_t i = 0; i < unit_rounds(1000000); i++) {
    int64_t amounts[REBALI_BRIEF_COLUMNS], least[REBALI_BRIEF_COLUMNS];

    for (size_t k = 0; k < REBALI_BRIEF_COLUMNS; k++) {
      amounts[k] = draw_amount();
      least[k] = i % 2 == 0 ? amounts[k] - amounts[k] / (1 + draw_amount()) : amounts[k];
    }
    ck_assert(is_promising(amounts, least));
  }
  ck_assert(is_promising((const int64_t[]){INT64_MAX, INT64_MAX, 0}, (const int64_t[]){INT64_MAX, 0, 0}));
}
END_TEST

/* One amount that is slightly too small is detected in any column. */
START_TEST(test_too_little_is_not) {
  for (size_t i = 0; i < unit_rounds(1000000); i++) {
    int64_t amounts[REBALI_BRIEF_COLUMNS], least[REBALI_BRIEF_COLUMNS];

    for (size_t k = 0; k < REBALI_BRIEF_COLUMNS; k++) {
      amounts[k] = least[k] = draw_amount() / 2 + 1;
    }
    least[i % REBALI_BRIEF_COLUMNS] += 1 + (least[i % REBALI_BRIEF_COLUMNS] >> REBALI_BRIEF_LEADING);
    ck_assert(!is_promising(amounts, least));
  }
}
END_TEST

/* Amounts of any number of bits leave the guard bits clear. */
START_TEST(test_briefs_keep_the_order) {
  for (unsigned bit = 0; bit < 63; bit++) {
    const int64_t power = INT64_C(1) << bit;

    ck_assert_uint_lt(rebali_brief(power - 1, 0), rebali_brief(power, 0));
    ck_assert_uint_le(rebali_brief(power, 0), rebali_brief(power + (power - 1), 0));
    for (size_t k = 0; k < REBALI_BRIEF_COLUMNS; k++) {
      ck_assert_uint_eq(rebali_brief(power, k), rebali_brief(power, 0) << k * REBALI_BRIEF_BITS);
      ck_assert_uint_eq(rebali_brief(INT64_MAX, k) & REBALI_BRIEF_GUARDS, 0);
    }
  }
}
END_TEST

/* Amounts for the wanted replicas saturate; a column after those of the brief is ignored. */
START_TEST(test_amounts_that_are_wanted) {
  struct rebali_remaining_item items[] = {{{.value = 3}, INT64_MAX / 3, 0},
                                          {{.value = INT64_MAX / 2}, 2, 1},
                                          {{.value = 5}, INT64_MAX / 5, REBALI_BRIEF_COLUMNS}};
  struct rebali_remaining remaining = {.items = items, .n = 3};

  rebali_remaining_want(&remaining, 2);
  ck_assert_uint_eq(remaining.least, rebali_brief(6, 0) | rebali_brief(INT64_MAX - 1, 1));
  rebali_remaining_want(&remaining, 3);
  ck_assert_uint_eq(remaining.least, rebali_brief(9, 0) | rebali_brief(INT64_MAX, 1));
  ck_assert_int_eq(remaining.wanted, 3);
}
END_TEST

UNIT_CASE(remaining) {
  TCase *cases = tcase_create("remaining");

  tcase_add_test(cases, test_enough_is_promising);
  tcase_add_test(cases, test_too_little_is_not);
  tcase_add_test(cases, test_briefs_keep_the_order);
  tcase_add_test(cases, test_amounts_that_are_wanted);
  return cases;
}
