/* SPDX-License-Identifier: MIT */
/* Compares feasible paths with an unordered search over all subsets (rebalance-karmada(7) 5.7). */
#include "phases_fixture.h"

#include "../unit.h"

#define MOST 6

static struct rebali_arena arena;
static rebal_ctx *ctx;

static void setup(void) {
  ctx = test_context(NULL, 0, 0);
  rebali_arena_init(&arena, rebali_ctx_allocator(ctx), 0);
}

static void teardown(void) {
  rebali_arena_dispose(&arena);
  rebal_ctx_free(ctx);
}

struct problem {
  struct rebali_group groups[MOST];
  size_t n;
  int64_t lo;
  int64_t hi;
  int64_t goal;
};

/* By value ascending, weight descending, name ascending; the other order by weight descending, name ascending. */
static int comes_first(const struct rebali_group *a, const struct rebali_group *b, int by_value) {
  if (by_value && a->value != b->value) {
    return a->value < b->value;
  }
  return a->weight != b->weight ? a->weight > b->weight : a->index < b->index;
}

static void sort_groups(struct rebali_group *groups, size_t n, int by_value) {
  for (size_t i = 0; i < n; i++) {
    for (size_t j = i; j > 0 && comes_first(&groups[j], &groups[j - 1], by_value); j--) {
      const struct rebali_group swapped = groups[j];

      groups[j] = groups[j - 1];
      groups[j - 1] = swapped;
    }
  }
}

static int is_feasible(const struct problem *problem, unsigned subset) {
  int64_t sum = 0, size = 0;

  for (size_t i = 0; i < problem->n; i++) {
    sum += subset >> i & 1u ? problem->groups[i].value : 0;
    size += subset >> i & 1u;
  }
  return sum >= problem->goal && size >= problem->lo && size <= problem->hi;
}

/* Feasible, and no prefix of it is; if all groups are needed only the whole set counts. */
static int is_path(const struct problem *problem, unsigned subset) {
  if ((int64_t)problem->n == problem->lo && subset != (1u << problem->n) - 1) {
    return 0;
  }
  for (size_t i = 0; i < problem->n; i++) {
    const unsigned beginning = subset & ((1u << i) - 1);

    if (beginning != subset && is_feasible(problem, beginning)) {
      return 0;
    }
  }
  return is_feasible(problem, subset);
}

/* Returns whether left is found before right: its list of indexes is first in lexicographic order. */
static int found_before(unsigned left, unsigned right) {
  const unsigned differ = left ^ right;
  const unsigned lowest = differ & (0u - differ);

  if ((left & lowest) != 0) {
    return (right & ~(lowest - 1)) != 0; /* else right is a prefix of left */
  }
  return (left & ~(lowest - 1)) == 0;
}

struct totals {
  int64_t weight;
  int64_t value;
};

static struct totals totals_of(const struct problem *problem, unsigned subset) {
  struct totals totals = {0, 0};

  for (size_t i = 0; i < problem->n; i++) {
    if (subset >> i & 1u) {
      totals.weight += problem->groups[i].weight;
      totals.value += problem->groups[i].value;
    }
  }
  return totals;
}

static int is_better(const struct problem *problem, unsigned left, unsigned right) {
  const struct totals a = totals_of(problem, left);
  const struct totals b = totals_of(problem, right);

  if (a.weight != b.weight) {
    return a.weight > b.weight;
  }
  return a.value != b.value ? a.value > b.value : found_before(left, right);
}

static size_t members(const struct problem *problem, unsigned subset, struct rebali_group *out) {
  size_t n = 0;

  for (size_t i = 0; i < problem->n; i++) {
    if (subset >> i & 1u) {
      out[n++] = problem->groups[i];
    }
  }
  sort_groups(out, n, 0);
  return n;
}

/* Finds the best path and cuts it to each shorter path that is a prefix of it. */
static size_t brute_force(struct problem *problem, size_t *chosen) {
  unsigned paths[1u << MOST];
  struct rebali_group best[MOST], other[MOST];
  size_t n_paths = 0, n_best;

  sort_groups(problem->groups, problem->n, 1);
  for (unsigned subset = 0; subset < 1u << problem->n; subset++) {
    size_t at = n_paths;

    if (!is_path(problem, subset)) {
      continue;
    }
    for (; at > 0 && is_better(problem, subset, paths[at - 1]); at--) {
      paths[at] = paths[at - 1];
    }
    paths[at] = subset;
    n_paths++;
  }
  if (n_paths == 0) {
    return 0;
  }
  n_best = members(problem, paths[0], best);
  for (size_t i = 1; i < n_paths; i++) {
    const size_t n_other = members(problem, paths[i], other);
    int is_beginning = n_other < n_best;

    for (size_t k = 0; is_beginning && k < n_other; k++) {
      is_beginning = other[k].index == best[k].index;
    }
    n_best = is_beginning ? n_other : n_best;
  }
  for (size_t i = 0; i < n_best; i++) {
    chosen[i] = best[i].index;
  }
  return n_best;
}

static uint64_t state;

static int64_t below(uint32_t limit) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (int64_t)((state >> 33) % limit);
}

static struct problem random_problem(void) {
  struct problem problem;

  problem.n = (size_t)below(MOST + 1);
  for (size_t i = 0; i < problem.n; i++) {
    struct rebali_group *group = &problem.groups[i];

    *group = (struct rebali_group){.value = below(5), .index = i};
    group->weight = 1000 * below(4);
    group->weight += below(2);
  }
  problem.lo = below(4);
  problem.hi = below(6);
  problem.goal = below(12);
  return problem;
}

START_TEST(test_against_all_subsets) {
  state = 20260314;
  for (size_t round = 0; round < unit_rounds(1000000); round++) {
    struct problem problem = random_problem();
    struct problem copy = problem;
    size_t chosen[MOST], wanted[MOST];
    size_t n_chosen, n_wanted;

    ck_assert_int_eq(rebali_select_groups(&arena, copy.groups, copy.n, copy.lo, copy.hi, copy.goal, chosen, &n_chosen),
                     REBAL_OK);
    n_wanted = brute_force(&problem, wanted);
    ck_assert_msg(n_chosen == n_wanted, "round %zu: %zu groups, not %zu", round, n_chosen, n_wanted);
    for (size_t i = 0; i < n_wanted; i++) {
      ck_assert_msg(chosen[i] == wanted[i], "round %zu: group %zu", round, i);
    }
    rebali_arena_reset(&arena);
  }
}
END_TEST

START_TEST(test_twenty_groups_and_no_more) {
  struct rebali_group groups[21];
  size_t chosen[21];
  size_t n_chosen;

  for (size_t i = 0; i < 21; i++) {
    groups[i] = (struct rebali_group){1, (int64_t)i, i};
  }
  ck_assert_int_eq(rebali_select_groups(&arena, groups, 21, 1, 2, 1, chosen, &n_chosen), REBAL_ELIMIT);
  ck_assert_int_eq(rebali_select_groups(&arena, groups, 21, 21, 21, 1, chosen, &n_chosen), REBAL_OK);
  ck_assert_uint_eq(n_chosen, 21);
  ck_assert_uint_eq(chosen[0], 20);
  ck_assert_int_eq(rebali_select_groups(&arena, groups, 20, 10, 20, 0, chosen, &n_chosen), REBAL_OK);
  ck_assert_uint_eq(n_chosen, 10);
}
END_TEST

UNIT_CASE(select_paths) {
  TCase *cases = tcase_create("select_paths");

  tcase_set_timeout(cases, UNIT_TWIN_SECONDS);
  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_test(cases, test_against_all_subsets);
  tcase_add_test(cases, test_twenty_groups_and_no_more);
  return cases;
}
