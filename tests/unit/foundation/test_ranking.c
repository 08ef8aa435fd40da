/* SPDX-License-Identifier: MIT */
/* Compares rankings with their plain twin, which sorts all rows for every query. */
#include "foundation/ranking.h"

#include "../../support/allocator.h"
#include "../unit.h"

#define MOST_ROWS 700u
#define OPERATIONS 1000000

static uint64_t random_state;
static rebal_allocator memory;
static struct rebali_arena scratch;

static int32_t values[MOST_ROWS];
static uint32_t by_rank[MOST_ROWS];
static uint32_t rank_of[MOST_ROWS];
static struct rebali_ranked ranked;
static struct rebali_ranking rankings[2];
static uint64_t expected[MOST_ROWS];

static uint32_t draw(uint32_t below) {
  random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(random_state >> 33) % below;
}

/* Draws ties, extremes, small numbers or any number. */
static int32_t draw_value(void) {
  static const int32_t extremes[] = {INT32_MIN, INT32_MIN + 1, -1, 0, 1, INT32_MAX - 1, INT32_MAX};

  switch (draw(5)) {
    case 0:
      return extremes[draw(REBALI_COUNT(extremes))];
    case 1:
      return (int32_t)draw(4);
    case 2:
      return (int32_t)(1000 + draw(1000));
    case 3:
      return 7;
    default:
      return (int32_t)((int64_t)draw(UINT32_MAX >> 1) * 2 - INT32_MAX);
  }
}

/* Draws another fleet: a random order of names, and values from a small or a large set. */
static void draw_rows(void) {
  const uint32_t kind = draw(4); /* 0: all equal; 1: few values, or nearly few enough to be counted */

  ranked = (struct rebali_ranked){values, by_rank, draw(4) == 0 ? draw(4) : draw(MOST_ROWS)};
  for (uint32_t i = 0; i < ranked.n; i++) {
    const uint32_t other = draw(i + 1);

    by_rank[i] = i;
    by_rank[i] = by_rank[other];
    by_rank[other] = i;
    values[i] = kind == 0 ? 7 : kind == 1 ? (int32_t)draw(1030) - 4 : draw_value();
  }
  for (uint32_t rank = 0; rank < ranked.n; rank++) {
    rank_of[by_rank[rank]] = rank;
  }
  rebali_ranking_clear(&rankings[0]);
  rebali_ranking_clear(&rankings[1]);
}

static int compare_keys(const void *left, const void *right) {
  const uint64_t a = *(const uint64_t *)left;
  const uint64_t b = *(const uint64_t *)right;

  return a < b ? -1 : a > b;
}

static void rank_plainly(int descending) {
  for (uint32_t row = 0; row < ranked.n; row++) {
    expected[row] = rebali_ranking_key(values[row], descending ? UINT32_MAX - rank_of[row] : rank_of[row]);
  }
  qsort(expected, ranked.n, sizeof expected[0], compare_keys);
}

/* Checks that rows match their keys, if any rows are kept. */
static void expect_rows(int descending) {
  const struct rebali_ranking *ranking = &rankings[descending];
  size_t i = 0;

  while (ranking->rows != NULL && i < ranking->n &&
         ranking->rows[i] == by_rank[rebali_ranking_turn(rebali_ranking_place(ranking->keys[i]), descending)]) {
    i++;
  }
  ck_assert(ranking->rows == NULL || i == ranking->n);
}

static void expect_best(int descending, size_t n) {
  const uint64_t *keys = NULL;
  size_t n_keys = SIZE_MAX;

  rebali_arena_reset(&scratch);
  ck_assert_int_eq(rebali_ranking_best(&rankings[descending], &memory, &scratch, &ranked, n, &keys, &n_keys), REBAL_OK);
  ck_assert_uint_eq(n_keys, n < ranked.n ? n : ranked.n);
  rank_plainly(descending);
  ck_assert(n_keys == 0 || memcmp(keys, expected, n_keys * sizeof *keys) == 0);
  if (n_keys == ranked.n) {
    ck_assert_ptr_eq(rebali_ranking_rows(&rankings[descending], by_rank), rankings[descending].rows);
    ck_assert(n_keys == 0 || rankings[descending].rows != NULL);
  }
  expect_rows(descending);
}

/* Changes up to n rows, each at most once; some keep their value. */
static void change_rows(uint32_t n) {
  struct rebali_ranking_change changes[MOST_ROWS];
  size_t n_changes = 0;
  uint32_t row = draw(ranked.n);

  for (uint32_t i = 0; i < n && i < ranked.n; i++) {
    const int32_t before = values[row];

    values[row] = draw(8) == 0 ? before : draw_value();
    changes[n_changes++] = (struct rebali_ranking_change){rank_of[row], before, values[row]};
    row = (row + 1) % ranked.n;
  }
  rebali_arena_reset(&scratch);
  for (int descending = 0; descending < 2; descending++) {
    ck_assert_int_eq(rebali_ranking_repair(&rankings[descending], &scratch, changes, n_changes), REBAL_OK);
    expect_rows(descending);
  }
}

static void open_rankings(void) {
  ck_assert_int_eq(rebali_allocator_load(&memory, NULL, NULL), REBAL_OK);
  rebali_arena_init(&scratch, &memory, 0);
  memset(rankings, 0, sizeof rankings);
  rankings[1].descending = 1;
  random_state = 1;
}

static void close_rankings(void) {
  rebali_ranking_dispose(&rankings[0], &memory);
  rebali_ranking_dispose(&rankings[1], &memory);
  rebali_arena_dispose(&scratch);
}

/* Sorting again is slow, so only some operations are queries; all operations are counted. */
START_TEST(test_same_as_sorting_anew) {
  int left = (int)unit_rounds(OPERATIONS), descending;

  open_rankings();
  while (left > 0) {
    draw_rows();
    for (uint32_t i = 0; i < 40 && left > 0; i++) {
      const uint32_t n = ranked.n == 0 ? 0 : draw(draw(3) == 0 ? ranked.n : 4) + 1;

      for (uint32_t k = draw(8); k > 0 && n != 0; k--) {
        change_rows(n);
        left -= (int)n;
      }
      if (draw(8) == 0) { /* changes that are not passed to the rankings */
        const int is_far = (int)draw(2);

        rebali_ranking_forget(&rankings[0]);
        rebali_ranking_forget(&rankings[1]);
        for (uint32_t row = draw(3); row < ranked.n; row += 1 + draw(5)) {
          values[row] = is_far ? draw_value() : values[row] ^ 1;
        }
      }
      descending = (int)draw(2);
      expect_best(descending, draw(8) == 0 ? ranked.n : draw(3) == 0 ? draw(ranked.n + 2) : draw(20));
      left--;
    }
  }
  close_rankings();
}
END_TEST

START_TEST(test_only_as_far_as_requested) {
  const uint64_t *keys;
  size_t n_keys;

  open_rankings();
  ranked = (struct rebali_ranked){values, by_rank, MOST_ROWS};
  for (uint32_t i = 0; i < MOST_ROWS; i++) {
    by_rank[i] = rank_of[i] = i;
    values[i] = (int32_t)(i * 7919 % 1009);
  }
  expect_best(0, 10);
  ck_assert_uint_lt(rankings[0].n, MOST_ROWS / 2);
  keys = rankings[0].keys;
  ck_assert_int_eq(rebali_ranking_best(&rankings[0], NULL, NULL, &ranked, 20, &keys, &n_keys), REBAL_OK);
  ck_assert_ptr_eq(keys, rankings[0].keys);
  expect_best(0, 150);
  ck_assert_uint_lt(rankings[0].n, MOST_ROWS);
  expect_best(0, MOST_ROWS);
  close_rankings();
}
END_TEST

START_TEST(test_rows_are_kept_beside_few_changes) {
  struct rebali_ranking_change changes[MOST_ROWS];

  open_rankings();
  ranked = (struct rebali_ranked){values, by_rank, MOST_ROWS};
  for (uint32_t i = 0; i < MOST_ROWS; i++) {
    by_rank[i] = MOST_ROWS - 1 - i;
    rank_of[by_rank[i]] = i;
    values[by_rank[i]] = (int32_t)(i % 10);
  }
  expect_best(0, MOST_ROWS - 1);
  ck_assert_ptr_null(rankings[0].rows);
  expect_best(0, MOST_ROWS);
  for (uint32_t n = 1; n < 40; n++) { /* each time the first n rows: up to 5, and back again */
    for (uint32_t i = 0; i < n; i++) {
      const int32_t before = values[by_rank[i]];

      changes[i] = (struct rebali_ranking_change){i, before, before == 5 ? (int32_t)(i % 10) : 5};
      values[by_rank[i]] = changes[i].after;
    }
    ck_assert_int_eq(rebali_ranking_repair(&rankings[0], &scratch, changes, n), REBAL_OK);
    ck_assert_int_eq(rankings[0].rows != NULL, n <= 16);
    expect_best(0, MOST_ROWS);
  }
  rebali_ranking_clear(&rankings[0]);
  ck_assert_ptr_null(rankings[0].rows);
  expect_best(0, MOST_ROWS);
  close_rankings();
}
END_TEST

/* All rows are in order, but there is still a bound. */
START_TEST(test_a_row_leaves_after_all_came_in) {
  struct rebali_ranking_change change;

  open_rankings();
  ranked = (struct rebali_ranked){values, by_rank, 280};
  for (uint32_t i = 0; i < ranked.n; i++) {
    by_rank[i] = rank_of[i] = i;
    values[i] = 10000 - (int32_t)i * 7;
  }
  expect_best(0, 10);
  ck_assert_uint_lt(rankings[0].n, ranked.n);
  for (uint32_t i = 0; rankings[0].n < ranked.n; i++) {
    change = (struct rebali_ranking_change){ranked.n - 1 - i, values[ranked.n - 1 - i], 20000};
    values[ranked.n - 1 - i] = 20000;
    ck_assert_int_eq(rebali_ranking_repair(&rankings[0], &scratch, &change, 1), REBAL_OK);
  }
  expect_best(0, ranked.n);
  change = (struct rebali_ranking_change){0, values[0], 1};
  values[0] = 1;
  ck_assert_int_eq(rebali_ranking_repair(&rankings[0], &scratch, &change, 1), REBAL_OK);
  ck_assert_ptr_null(rankings[0].rows);
  expect_best(0, ranked.n);
  close_rankings();
}
END_TEST

START_TEST(test_rows_come_in_beyond_the_capacity) {
  open_rankings();
  ranked = (struct rebali_ranked){values, by_rank, MOST_ROWS};
  for (uint32_t i = 0; i < MOST_ROWS; i++) {
    by_rank[i] = rank_of[i] = i;
    values[i] = (int32_t)i;
  }
  expect_best(0, 10);
  for (uint32_t i = 0; i < MOST_ROWS / 2; i++) {
    const struct rebali_ranking_change change = {i, values[i], 1000 + (int32_t)i};

    values[i] = change.after;
    ck_assert_int_eq(rebali_ranking_repair(&rankings[0], &scratch, &change, 1), REBAL_OK);
    ck_assert_uint_le(rankings[0].n, rankings[0].capacity);
  }
  expect_best(0, 10);
  expect_best(0, MOST_ROWS);
  close_rankings();
}
END_TEST

START_TEST(test_keys_hold_values_and_places) {
  static const int32_t extremes[] = {INT32_MAX, INT32_MAX - 1, 1, 0, -1, INT32_MIN + 1, INT32_MIN};

  for (size_t i = 0; i < REBALI_COUNT(extremes); i++) {
    const uint64_t key = rebali_ranking_key(extremes[i], (uint32_t)i);

    ck_assert_int_eq(rebali_ranking_value(key), extremes[i]);
    ck_assert_uint_eq(rebali_ranking_place(key), i);
    ck_assert(i == 0 || key > rebali_ranking_key(extremes[i - 1], UINT32_MAX));
  }
  ck_assert_uint_eq(rebali_ranking_turn(rebali_ranking_turn(5, 1), 1), 5);
  ck_assert_uint_eq(rebali_ranking_turn(5, 0), 5);
  ck_assert_uint_gt(rebali_ranking_turn(5, 1), rebali_ranking_turn(6, 1));
}
END_TEST

static int32_t query_and_change(const rebal_allocator *allocator, void *user_data) {
  struct rebali_ranking ranking = {.descending = 1};
  struct rebali_arena arena;
  struct rebali_ranking_change changes[20];
  const uint64_t *keys;
  size_t n_keys;
  int32_t code;

  (void)user_data;
  rebali_arena_init(&arena, allocator, 0);
  for (uint32_t i = 0; i < MOST_ROWS; i++) {
    by_rank[i] = i;
    values[i] = (int32_t)i;
  }
  code = rebali_ranking_best(&ranking, allocator, &arena, &ranked, 5, &keys, &n_keys);
  for (uint32_t i = 0; i < REBALI_COUNT(changes) && code == REBAL_OK; i++) {
    changes[i] = (struct rebali_ranking_change){MOST_ROWS - 1 - i, values[MOST_ROWS - 1 - i], 2};
    values[MOST_ROWS - 1 - i] = 2;
  }
  if (code == REBAL_OK) {
    rebali_arena_dispose(&arena);
    rebali_arena_init(&arena, allocator, 0);
    code = rebali_ranking_repair(&ranking, &arena, changes, REBALI_COUNT(changes));
  }
  if (code == REBAL_OK) {
    code = rebali_ranking_best(&ranking, allocator, &arena, &ranked, MOST_ROWS, &keys, &n_keys);
  }
  ck_assert(code != REBAL_OK || rebali_ranking_value(keys[0]) == (int32_t)(MOST_ROWS - 21));
  rebali_ranking_dispose(&ranking, allocator);
  rebali_arena_dispose(&arena);
  return code;
}

START_TEST(test_out_of_memory) {
  ranked = (struct rebali_ranked){values, by_rank, MOST_ROWS};
  ck_assert_pstr_eq(test_torture(query_and_change, NULL), NULL);
}
END_TEST

/* Sets values in the order of names: best, best - 1 and so on, each for `wide` rows. */
static void set_values(int32_t best, uint32_t wide) {
  ranked = (struct rebali_ranked){values, by_rank, MOST_ROWS};
  for (uint32_t i = 0; i < MOST_ROWS; i++) {
    by_rank[i] = rank_of[i] = i;
    values[i] = best - (int32_t)(i / wide);
  }
}

/* The previous bound then covers no row, all rows, or at least as many rows as before. */
START_TEST(test_forgotten_values) {
  static const struct {
    int32_t best;
    uint32_t wide;
    int is_sorted_anew;
  } after[] = {{INT32_MIN + 1000, 1, 1}, {5000, 1, 1}, {2000, 2, 0}, {2100, 1, 0}, {1990, 1, 0}};

  for (size_t i = 0; i < REBALI_COUNT(after); i++) {
    uint64_t bound;

    open_rankings();
    set_values(2000, 1);
    expect_best(0, 10);
    bound = rankings[0].bound;
    ck_assert_uint_ne(bound, UINT64_MAX);
    rebali_ranking_forget(&rankings[0]);
    ck_assert_uint_eq(rankings[0].n, 0);
    set_values(after[i].best, after[i].wide);
    expect_best(0, 10);
    ck_assert_int_eq(rankings[0].bound != bound, after[i].is_sorted_anew);
    expect_best(0, MOST_ROWS);
    close_rankings();
  }
}
END_TEST

/* More rows are as good as the previous best ones than memory was reserved for. */
static int32_t forget_and_query(const rebal_allocator *allocator, void *user_data) {
  struct rebali_ranking ranking = {.descending = 0};
  struct rebali_arena arena;
  const uint64_t *keys = NULL;
  size_t n_keys, capacity;
  int32_t code;

  (void)user_data;
  set_values(2000, 1);
  rebali_arena_init(&arena, allocator, 0);
  code = rebali_ranking_best(&ranking, allocator, &arena, &ranked, 10, &keys, &n_keys);
  rebali_ranking_forget(&ranking);
  capacity = ranking.capacity;
  set_values(2200, 1);
  if (code == REBAL_OK) {
    rebali_arena_dispose(&arena);
    rebali_arena_init(&arena, allocator, 0);
    code = rebali_ranking_best(&ranking, allocator, &arena, &ranked, 10, &keys, &n_keys);
    ck_assert(code == REBAL_OK || ranking.n == 0);
  }
  ck_assert(code != REBAL_OK || (rebali_ranking_value(keys[9]) == 2191 && ranking.capacity > capacity));
  rebali_ranking_dispose(&ranking, allocator);
  rebali_arena_dispose(&arena);
  return code;
}

START_TEST(test_out_of_memory_for_forgotten_values) {
  ck_assert_pstr_eq(test_torture(forget_and_query, NULL), NULL);
}
END_TEST

START_TEST(test_no_rows) {
  const struct rebali_ranking_change change = {0, 1, 2};

  open_rankings();
  ranked = (struct rebali_ranked){values, by_rank, 0};
  expect_best(0, 10);
  ck_assert_ptr_null(rebali_ranking_rows(&rankings[0], by_rank));
  ck_assert_int_eq(rebali_ranking_repair(&rankings[0], &scratch, &change, 1), REBAL_OK);
  ck_assert_uint_eq(rankings[0].n, 0);
  close_rankings();
}
END_TEST

static struct rebali_ranking_change change_to(uint32_t row, int32_t after) {
  const struct rebali_ranking_change change = {rank_of[row], values[row], after};

  values[row] = after;
  return change;
}

/* Many rows leave or enter the best ones at once, with and without spare capacity. */
START_TEST(test_many_changes_at_once) {
  static struct rebali_ranking_change changes[MOST_ROWS];
  enum { STEP = 97 };

  for (uint32_t n = 64; n <= MOST_ROWS; n += STEP) {
    for (int comes = 0; comes < 2; comes++) {
      open_rankings();
      ranked = (struct rebali_ranked){values, by_rank, MOST_ROWS};
      for (uint32_t i = 0; i < MOST_ROWS; i++) {
        by_rank[i] = rank_of[i] = i;
        values[i] = (int32_t)i;
      }
      expect_best(0, 10);
      for (uint32_t i = 0; i < n; i++) {
        changes[i] = comes ? change_to(i, (int32_t)(MOST_ROWS + i)) : change_to(MOST_ROWS - 1 - i, -(int32_t)i);
      }
      ck_assert_int_eq(rebali_ranking_repair(&rankings[0], &scratch, changes, n), REBAL_OK);
      ck_assert_uint_le(rankings[0].n, rankings[0].capacity);
      expect_best(0, 10);
      expect_best(0, MOST_ROWS);
      close_rankings();
    }
  }
}
END_TEST

UNIT_CASE(ranking) {
  TCase *cases = tcase_create("ranking");

  tcase_set_timeout(cases, UNIT_TWIN_SECONDS);
  tcase_add_test(cases, test_same_as_sorting_anew);
  tcase_add_test(cases, test_only_as_far_as_requested);
  tcase_add_test(cases, test_rows_are_kept_beside_few_changes);
  tcase_add_test(cases, test_a_row_leaves_after_all_came_in);
  tcase_add_test(cases, test_rows_come_in_beyond_the_capacity);
  tcase_add_test(cases, test_keys_hold_values_and_places);
  tcase_add_test(cases, test_out_of_memory);
  tcase_add_test(cases, test_forgotten_values);
  tcase_add_test(cases, test_out_of_memory_for_forgotten_values);
  tcase_add_test(cases, test_no_rows);
  tcase_add_test(cases, test_many_changes_at_once);
  return cases;
}
