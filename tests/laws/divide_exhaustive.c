/* SPDX-License-Identifier: MIT */
/*
 * Every small division, against definitions with exact fractions: each seat goes to the best party
 * (rebalance-karmada(7) 7.7); with bounds, the conditions of Balinski and Young for a fair division with minimum and
 * maximum requirements.
 */
#include "division.h"

#include <stdio.h>

/* An odometer: digit i counts from 0 up to below[i]. Returns 0 when it has wrapped. */
static int advance(size_t *digits, const size_t *below, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (++digits[i] < below[i]) {
      return 1;
    }
    digits[i] = 0;
  }
  return 0;
}

/* Does a get the next seat before b? Parties are ordered by name. */
static int comes_first(const int64_t *votes, const int64_t *seats, int descending, size_t a, size_t b) {
  const int64_t left = votes[a] * (2 * seats[b] + 1), right = votes[b] * (2 * seats[a] + 1);

  if (left != right) {
    return left > right;
  }
  if (seats[a] != seats[b]) {
    return seats[a] < seats[b];
  }
  return descending ? a > b : a < b;
}

static size_t best_below(const int64_t *votes, const int64_t *seats, const int64_t *limits, size_t n, int descending) {
  size_t best = n;

  for (size_t i = 0; i < n; i++) {
    if (seats[i] < limits[i] && (best == n || comes_first(votes, seats, descending, i, best))) {
      best = i;
    }
  }
  return best;
}

static const char *describe(const struct division *division, const char *wrong) {
  char parties[256];
  size_t len = 0;

  for (size_t i = 0; i < division->n; i++) {
    len += (size_t)snprintf(parties + len, sizeof parties - len, " %lld(%d %d %d %d %d)",
                            (long long)division->weights[i], (int)division->before[i], (int)division->minimums[i],
                            (int)division->maximums[i], (int)division->capacities[i], (int)division->current[i]);
  }
  return fault("%d seats, uid \"%s\",%s: %s", (int)division->seats, division->uid, parties, wrong);
}

static const char *check_seats(const struct division *division, const struct shares *shares, const int64_t *seats,
                               int32_t left) {
  if (shares->left != left) {
    return describe(division, "seats are left over");
  }
  for (size_t i = 0; i < division->n; i++) {
    if (!shares->named[i] || shares->seats[i] != seats[i]) {
      return describe(division, "another party is better");
    }
  }
  return NULL;
}

/* ---- plain division ---------------------------------------------------------------------------------------------- */

/* 0 to 12 seats for these weights and earlier seats; the definition continues seat by seat. */
static const char *try_seats(struct division *division, int descending) {
  const int64_t no_limits[4] = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
  int64_t seats[4] = {0};
  int64_t sum = 0;
  const char *wrong = NULL;

  for (size_t i = 0; i < division->n; i++) {
    seats[i] = division->before[i];
    sum += division->weights[i];
  }
  division->has_before = 1;
  division->uid = descending ? "b" : "a";
  for (division->seats = 0; wrong == NULL && division->seats <= 12; division->seats++) {
    struct shares shares;

    wrong = divide(division, &shares);
    wrong = wrong == NULL ? check_seats(division, &shares, seats, sum == 0 ? division->seats : 0) : wrong;
    if (sum > 0) {
      seats[best_below(division->weights, seats, no_limits, division->n, descending)]++;
    }
  }
  return wrong;
}

/* Weights 0 to 4 and earlier seats 0 to 2 for up to four parties, both directions of names. */
const char *law_every_division(struct dice *dice) {
  static const size_t below[8] = {5, 3, 5, 3, 5, 3, 5, 3};

  (void)dice;
  for (size_t n = 1; n <= 4; n++) {
    struct division division = {.seats = 0};
    size_t digits[8] = {0};

    name_parties(&division, n, NULL);
    do {
      for (size_t i = 0; i < n; i++) {
        division.weights[i] = (int64_t)digits[2 * i];
        division.before[i] = (int32_t)digits[2 * i + 1];
      }
      for (int descending = 0; descending < 2; descending++) {
        const char *wrong = try_seats(&division, descending);

        if (wrong != NULL) {
          return wrong;
        }
      }
    } while (advance(digits, below, 2 * n));
  }
  return NULL;
}

/* ---- between bounds ---------------------------------------------------------------------------------------------- */

/* No party that may get a seat is better than one that may give one. Both fractions are exact. */
static const char *check_fair(const struct division *division, const struct shares *shares) {
  for (size_t i = 0; i < division->n; i++) {
    for (size_t k = 0; k < division->n; k++) {
      const int may_get = division->weights[i] > 0 && shares->seats[i] < upper_bound(division, i);
      const int may_give = shares->seats[k] > lower_bound(division, k);

      if (may_get && may_give &&
          division->weights[i] * (2 * shares->seats[k] - 1) > division->weights[k] * (2 * shares->seats[i] + 1)) {
        return describe(division, "a seat is better placed elsewhere");
      }
      if (may_get && shares->left > 0) {
        return describe(division, "seats are left that a party has capacity for");
      }
    }
  }
  return NULL;
}

static const char *check_bounds(const struct division *division, const struct shares *shares) {
  int64_t minimums = 0, sum = shares->left;

  for (size_t i = 0; i < division->n; i++) {
    minimums += lower_bound(division, i);
    sum += shares->seats[i];
  }
  if (sum != division->seats || shares->left < 0) {
    return describe(division, "seats are lost");
  }
  for (size_t i = 0; i < division->n; i++) {
    const int64_t most = minimums > division->seats ? lower_bound(division, i)
                         : division->weights[i] > 0 ? upper_bound(division, i)
                                                    : lower_bound(division, i);

    if (shares->seats[i] > most || (minimums <= division->seats && shares->seats[i] < lower_bound(division, i))) {
      return describe(division, "a bound is not kept");
    }
  }
  if (minimums > division->seats) {
    return shares->left == 0 ? NULL : describe(division, "seats are left though the minimums do not fit");
  }
  return check_fair(division, shares);
}

/* 0 to most seats within these bounds: by the definition, by its properties, and none less with one more. */
static const char *try_bounds(struct division *division, int32_t most, int descending) {
  int64_t seats[4] = {0}, lower[4], upper[4];
  int32_t left = 0;
  const char *wrong = NULL;

  for (size_t i = 0; i < division->n; i++) {
    lower[i] = lower_bound(division, i);
    upper[i] = division->weights[i] > 0 ? upper_bound(division, i) : 0;
  }
  division->uid = descending ? "b" : "a";
  for (division->seats = 0; wrong == NULL && division->seats <= most; division->seats++) {
    struct shares shares;
    size_t best = best_below(division->weights, seats, lower, division->n, descending);

    wrong = divide(division, &shares);
    wrong = wrong == NULL ? check_seats(division, &shares, seats, left) : wrong;
    wrong = wrong == NULL ? check_bounds(division, &shares) : wrong;
    best = best < division->n ? best : best_below(division->weights, seats, upper, division->n, descending);
    if (best < division->n) {
      seats[best]++;
    } else {
      left++;
    }
  }
  return wrong;
}

static void open_bounds(struct division *division, size_t n) {
  *division = (struct division){.is_bounded = 1};
  name_parties(division, n, NULL);
  division->bounds.struct_size = (uint32_t)sizeof division->bounds;
  division->bounds.minimums = division->minimums;
  division->bounds.maximums = division->maximums;
}

/* The two bounds of minimum, maximum, capacity and current seats: every small combination for one party. */
static const char *every_bound(void) {
  static const int32_t cells[] = {-1, 0, 1, 2, 5, INT32_MAX};
  static const size_t below[6] = {6, 6, 6, 6, 2, 3};
  struct division division;
  size_t digits[6] = {0};

  open_bounds(&division, 1);
  do {
    const char *wrong;

    division.minimums[0] = cells[digits[0]];
    division.maximums[0] = cells[digits[1]];
    division.capacities[0] = cells[digits[2]];
    division.current[0] = cells[digits[3]];
    division.bounds.capacities = division.capacities;
    division.bounds.current = division.current;
    division.bounds.flags = (uint32_t)digits[4];
    division.weights[0] = (int64_t)digits[5] - 1;
    wrong = try_bounds(&division, 12, 0);
    if (wrong != NULL) {
      return wrong;
    }
  } while (advance(digits, below, 6));
  return NULL;
}

/* Every combination for one party; weights, minimums and maximums of up to three, both directions of names. */
const char *law_every_bound(struct dice *dice) {
  static const int32_t maximums[] = {0, 1, 3, INT32_MAX};
  static const int64_t weights[] = {0, 1, 3};
  static const size_t below[9] = {3, 3, 4, 3, 3, 4, 3, 3, 4};
  const char *wrong = every_bound();

  (void)dice;
  for (size_t n = 2; wrong == NULL && n <= 3; n++) {
    struct division division;
    size_t digits[9] = {0};

    open_bounds(&division, n);
    do {
      for (size_t i = 0; i < n; i++) {
        division.weights[i] = weights[digits[3 * i]];
        division.minimums[i] = (int32_t)digits[3 * i + 1];
        division.maximums[i] = maximums[digits[3 * i + 2]];
      }
      for (int descending = 0; wrong == NULL && descending < 2; descending++) {
        wrong = try_bounds(&division, 9, descending);
      }
    } while (wrong == NULL && advance(digits, below, 3 * n));
  }
  return wrong;
}
