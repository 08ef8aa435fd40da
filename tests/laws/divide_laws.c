/* SPDX-License-Identifier: MIT */
/* Random divisions: against the plain scan, one seat more, in two turns (rebalance-karmada(7) 7.7, rebal_divide(3)). */
#include "division.h"

static int64_t draw_weight(struct dice *dice) {
  int64_t number;

  switch (roll(dice, 7)) {
    case 0:
      return 0;
    case 1:
      return (int64_t)roll(dice, 4) - 1;
    case 2: /* more than a double can distinguish */
      return (INT64_C(1) << 53) + roll(dice, 4);
    case 3: /* 24 of them are within int64 */
      return INT64_MAX / 24 - roll(dice, 100);
    case 4:
      number = roll(dice, 30);
      return number << roll(dice, 50);
    default:
      return roll(dice, 50);
  }
}

/* Mostly few seats, sometimes many for each party. */
static int32_t draw_seats(struct dice *dice) {
  const uint32_t kind = roll(dice, 100);

  return (int32_t)roll(dice, kind < 80 ? 40 : kind < 99 ? 1000 : 10000);
}

/* Weights that descend in the order of names, once or twice, as those of clusters from a ranking do. */
static void draw_runs(struct dice *dice, const size_t *order, struct division *division) {
  const size_t cut = roll(dice, (uint32_t)division->n + 1);
  const uint32_t most = chance(dice, 50) ? 6 : chance(dice, 50) ? 1000 : INT32_MAX;
  int64_t falling[DIVISION_PARTIES];

  for (size_t i = 0; i < division->n; i++) {
    const size_t begin = i < cut ? 0 : cut;
    const int64_t weight = roll(dice, most);
    size_t at = i;

    for (; at > begin && falling[at - 1] < weight; at--) {
      falling[at] = falling[at - 1];
    }
    falling[at] = weight;
  }
  for (size_t i = 0; i < division->n; i++) {
    division->weights[i] = falling[order[i]];
  }
}

static void draw_parties(struct dice *dice, struct division *division) {
  static const char *const uids[] = {"", "a", "b", "uid-1", "uid-2"};
  size_t order[DIVISION_PARTIES];
  const size_t n = roll(dice, chance(dice, 80) ? 9 : DIVISION_PARTIES + 1);

  *division = (struct division){.seats = draw_seats(dice)};
  division->uid = PICK(dice, uids);
  shuffle(dice, order, n);
  name_parties(division, n, order);
  for (size_t i = 0; i < n; i++) {
    division->weights[i] = draw_weight(dice);
  }
  if (chance(dice, 30)) {
    draw_runs(dice, order, division);
  }
}

static void draw_division(struct dice *dice, struct division *division) {
  draw_parties(dice, division);
  division->has_before = chance(dice, 40);
  for (size_t i = 0; i < division->n; i++) {
    division->before[i] = chance(dice, 30) ? INT32_MIN : (int32_t)roll(dice, chance(dice, 90) ? 5 : 500);
    if (chance(dice, 2)) { /* the divisor wraps here */
      division->before[i] = (INT32_C(1) << 30) - (int32_t)roll(dice, 3);
    } else if (chance(dice, 2)) {
      division->before[i] = -(int32_t)roll(dice, 5);
    }
  }
}

/* A cell of a column of bounds: small, about the expected share, or at the limits of int32. */
static int32_t draw_bound(struct dice *dice, int32_t seats) {
  switch (roll(dice, 8)) {
    case 0:
      return 0;
    case 1:
      return (int32_t)roll(dice, (uint32_t)seats + 1);
    case 2:
      return INT32_MAX;
    case 3:
      return chance(dice, 50) ? -(int32_t)roll(dice, 9) : INT32_MIN;
    default:
      return (int32_t)roll(dice, 12);
  }
}

static void draw_bounds(struct dice *dice, struct division *division) {
  division->is_bounded = 1;
  division->bounds.struct_size = (uint32_t)sizeof division->bounds;
  division->bounds.flags = chance(dice, 40) ? REBAL_DIVIDE_FLAG_KEEP_CURRENT : 0;
  division->bounds.minimums = chance(dice, 60) ? division->minimums : NULL;
  division->bounds.maximums = chance(dice, 60) ? division->maximums : NULL;
  division->bounds.capacities = chance(dice, 60) ? division->capacities : NULL;
  division->bounds.current = chance(dice, 60) ? division->current : NULL;
  for (size_t i = 0; i < division->n; i++) {
    division->minimums[i] = draw_bound(dice, division->seats);
    division->maximums[i] = draw_bound(dice, division->seats);
    division->capacities[i] = draw_bound(dice, division->seats);
    division->current[i] = draw_bound(dice, division->seats);
  }
}

static const char *try_twin(const struct division *division) {
  struct shares ours, plain;
  const char *wrong = divide(division, &ours);

  divide_plainly(division, &plain);
  return wrong == NULL ? compare_shares(division, &ours, &plain) : wrong;
}

static const char *try_one_more(struct division *division) {
  struct shares fewer, more;
  const char *wrong = divide(division, &fewer);

  division->seats++;
  wrong = wrong == NULL ? divide(division, &more) : wrong;
  for (size_t i = 0; wrong == NULL && i < division->n; i++) {
    wrong = more.seats[i] < fewer.seats[i] ? fault("party %u loses a seat", (unsigned)i) : NULL;
  }
  return wrong;
}

const char *law_twin(struct dice *dice) {
  struct division division;

  draw_division(dice, &division);
  return try_twin(&division);
}

const char *law_bounded_twin(struct dice *dice) {
  struct division division;

  draw_parties(dice, &division);
  draw_bounds(dice, &division);
  return try_twin(&division);
}

const char *law_monotone(struct dice *dice) {
  struct division division;

  draw_division(dice, &division);
  return try_one_more(&division);
}

const char *law_bounded_monotone(struct dice *dice) {
  struct division division;

  draw_parties(dice, &division);
  draw_bounds(dice, &division);
  return try_one_more(&division);
}

/* Bounds that limit nothing change no share; without weights plain division lists no party. */
const char *law_no_bounds(struct dice *dice) {
  struct division division;
  struct shares plain, bounded;
  const char *wrong;

  draw_parties(dice, &division);
  for (size_t i = 0; i < division.n; i++) {
    division.weights[i] = division.weights[i] < 0 ? 0 : division.weights[i];
  }
  wrong = divide(&division, &plain);
  division.is_bounded = 1;
  wrong = wrong == NULL ? divide(&division, &bounded) : wrong;
  if (wrong == NULL && plain.left != bounded.left) {
    wrong = fault("%d seats are left, not %d", (int)bounded.left, (int)plain.left);
  }
  for (size_t i = 0; wrong == NULL && i < division.n; i++) {
    wrong = bounded.named[i] && bounded.seats[i] == plain.seats[i]
                ? NULL
                : fault("party %u: %lld seats, not %lld", (unsigned)i, (long long)bounded.seats[i],
                        (long long)plain.seats[i]);
  }
  return wrong;
}

/* Dividing some seats first and the rest on top of them equals dividing all at once. */
const char *law_two_turns(struct dice *dice) {
  struct division division;
  struct shares whole, first, second;
  const char *wrong;
  int32_t seats;

  draw_parties(dice, &division);
  seats = (int32_t)roll(dice, 10000001);
  for (size_t i = 0; i < division.n; i++) {
    division.weights[i] = division.weights[i] < 0 ? 0 : division.weights[i];
  }
  division.seats = seats;
  wrong = divide(&division, &whole);
  division.seats = seats - (int32_t)roll(dice, chance(dice, 50) ? 20 : (uint32_t)seats + 1);
  division.seats = division.seats < 0 ? 0 : division.seats;
  wrong = wrong == NULL ? divide(&division, &first) : wrong;
  if (wrong != NULL || whole.left != 0) {
    return wrong;
  }
  for (size_t i = 0; i < division.n; i++) {
    division.before[i] = (int32_t)first.seats[i];
  }
  division.has_before = 1;
  division.seats = seats - division.seats;
  wrong = divide(&division, &second);
  return wrong == NULL ? compare_shares(&division, &second, &whole) : wrong;
}
