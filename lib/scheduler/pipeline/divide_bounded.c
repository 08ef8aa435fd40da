/* SPDX-License-Identifier: MIT */
/*
 * Division by weight between a lower and an upper bound of each party. This is the method of Balinski and Young for
 * divisor methods with minimum and maximum requirements: the next party is chosen as usual, among those below their
 * bound.
 */
#include "scheduler/scheduler.h"

static int32_t at_least_zero(int32_t number) {
  return number > 0 ? number : 0;
}

/* Returns the cell of a column of bounds, or otherwise if the column is missing. */
static int32_t cell(const int32_t *column, size_t index, int32_t otherwise) {
  return column == NULL ? otherwise : at_least_zero(column[index]);
}

/* Reads the bounds of one party. */
static void bound_party(const rebal_divide_opts *bounds, size_t index, int32_t *lower, int32_t *upper) {
  const int32_t current = cell(bounds->current, index, 0);
  const int64_t capacity = (int64_t)current + cell(bounds->capacities, index, INT32_MAX);

  *upper = cell(bounds->maximums, index, INT32_MAX);
  *upper = capacity < *upper ? (int32_t)capacity : *upper;
  *lower = cell(bounds->minimums, index, 0);
  if ((bounds->flags & REBAL_DIVIDE_FLAG_KEEP_CURRENT) != 0 && current > *lower) {
    *lower = current;
  }
  *lower = *lower < *upper ? *lower : *upper;
}

int32_t rebali_divide_within(struct rebali_arena *scratch, const struct rebali_division *division,
                             struct rebali_party_list *list, int descending, int32_t *left) {
  int32_t *lower = rebali_arena_allocate(scratch, list->n + 1, sizeof *lower);
  int32_t *upper = rebali_arena_allocate(scratch, list->n + 1, sizeof *upper);

  if (lower == NULL || upper == NULL) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < list->n; i++) {
    bound_party(&division->opts, list->last_index[i], &lower[i], &upper[i]);
    if (list->parties[i].votes <= 0) { /* not divided by weight */
      list->parties[i].votes = 0;
      upper[i] = lower[i];
    }
  }
  /*
   * All parties begin without a seat and at most REBALI_MAX_SEATS are handed out, so counts and divisors fit int32. The
   * order of seats does not depend on their number: an additional seat takes none away.
   */
  *left = rebali_webster_within(list->parties, lower, list->n, division->seats, descending, list->heap);
  *left = rebali_webster_within(list->parties, upper, list->n, *left, descending, list->heap);
  return REBAL_OK;
}
