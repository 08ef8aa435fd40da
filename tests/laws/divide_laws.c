/* SPDX-License-Identifier: MIT */
/* The dispenser against a twin that scans all parties for each seat (spec karmada 7.7). */
#include "laws.h"

#include <string.h>

#define MOST 8

struct division {
  char names[MOST * 2]; /* two bytes each */
  uint32_t offsets[MOST + 1];
  int64_t weights[MOST];
  int32_t before[MOST];
  size_t n;
  int32_t seats;
  int has_before;
  const char *uid;
};

static int64_t draw_weight(struct dice *dice) {
  switch (roll(dice, 6)) {
    case 0:
      return 0;
    case 1:
      return (int64_t)roll(dice, 4) - 1;
    case 2: /* beyond what a double tells apart */
      return (INT64_C(1) << 53) + roll(dice, 4);
    case 3:
      return INT64_MAX / 8 - roll(dice, 100);
    default:
      return roll(dice, 50);
  }
}

static void draw_division(struct dice *dice, struct division *division) {
  static const char *const uids[] = {"", "a", "b", "uid-1", "uid-2"};
  size_t order[MOST];

  division->n = roll(dice, MOST + 1);
  division->seats = (int32_t)roll(dice, 40);
  division->uid = PICK(dice, uids);
  division->has_before = chance(dice, 40);
  shuffle(dice, order, division->n);
  for (size_t i = 0; i < division->n; i++) {
    division->names[2 * i] = 'p';
    division->names[2 * i + 1] = (char)('a' + order[i]);
    division->offsets[i] = (uint32_t)(2 * i);
    division->weights[i] = draw_weight(dice);
    division->before[i] = chance(dice, 30) ? INT32_MIN : (int32_t)roll(dice, 5);
    if (chance(dice, 2)) { /* the divisor wraps here */
      division->before[i] = (INT32_C(1) << 30) - (int32_t)roll(dice, 3);
    }
  }
  division->offsets[division->n] = (uint32_t)(2 * division->n);
}

/* One for each party. */
struct shares {
  int64_t seats[MOST];
  uint8_t named[MOST];
  int32_t left;
};

static int is_odd(const char *uid) {
  uint32_t hash = UINT32_C(2166136261);

  for (; *uid != '\0'; uid++) {
    hash = (hash ^ (uint8_t)*uid) * UINT32_C(16777619);
  }
  return (hash & 1u) != 0;
}

static double priority(int64_t votes, int64_t seats) {
  int64_t divisor = (2 * seats + 1) & INT64_C(0xffffffff);

  divisor -= divisor > INT32_MAX ? INT64_C(1) << 32 : 0;
  return (double)votes / (double)divisor;
}

static int is_better(const struct division *division, const struct shares *shares, size_t a, size_t b) {
  const double left = priority(division->weights[a], shares->seats[a]);
  const double right = priority(division->weights[b], shares->seats[b]);

  if (left > right || left < right) {
    return left > right;
  }
  if (shares->seats[a] != shares->seats[b]) {
    return shares->seats[a] < shares->seats[b];
  }
  return (division->names[2 * a + 1] < division->names[2 * b + 1]) != (*division->uid != '\0' && is_odd(division->uid));
}

static void divide_plainly(const struct division *division, struct shares *shares) {
  uint64_t sum = 0;
  int any_before = 0;

  memset(shares, 0, sizeof *shares);
  for (size_t i = 0; i < division->n; i++) {
    const int had = division->has_before && division->before[i] != INT32_MIN;

    shares->seats[i] = had ? division->before[i] : 0;
    shares->named[i] = (uint8_t)had;
    any_before |= had;
    sum += (uint64_t)division->weights[i];
  }
  shares->left = sum == 0 ? division->seats : 0;
  if (sum == 0 || (division->seats == 0 && any_before)) {
    return;
  }
  memset(shares->named, 1, sizeof shares->named);
  for (int32_t seat = 0; seat < division->seats; seat++) {
    size_t best = 0;

    for (size_t i = 1; i < division->n; i++) {
      best = is_better(division, shares, i, best) ? i : best;
    }
    shares->seats[best]++;
  }
}

static const char *divide(rebal_ctx *ctx, rebal_result *result, const struct division *division,
                          struct shares *shares) {
  rebal_error err = REBAL_ERROR_INIT;
  size_t n;
  const int64_t *parties, *replicas;
  const int32_t code = rebal_divide(ctx, division->seats, division->names, division->offsets, division->weights,
                                    division->has_before ? division->before : NULL, division->n, division->uid,
                                    strlen(division->uid), result, &shares->left, &err);

  if (code != REBAL_OK) {
    return fault("rebal_divide: %s", err.message);
  }
  memset(shares->seats, 0, sizeof shares->seats);
  memset(shares->named, 0, sizeof shares->named);
  parties = rebal_result_i64(result, REBAL_SHARE_PARTY, &n);
  replicas = rebal_result_i64(result, REBAL_SHARE_REPLICAS, &n);
  for (size_t i = 0; i < n; i++) {
    if (i > 0 && division->names[2 * parties[i] + 1] <= division->names[2 * parties[i - 1] + 1]) {
      return fault("shares are not by name");
    }
    shares->seats[parties[i]] = replicas[i];
    shares->named[parties[i]] = 1;
  }
  return NULL;
}

/* One context and result for all cases: they are reused, as a caller would. */
static int tools(rebal_ctx **ctx, rebal_result **result) {
  static rebal_ctx *kept_ctx;
  static rebal_result *kept_result;

  if (kept_ctx == NULL) {
    kept_ctx = test_context(NULL, 0, 0);
    (void)rebal_result_new(NULL, &kept_result, NULL);
  }
  *ctx = kept_ctx;
  *result = kept_result;
  return kept_result != NULL;
}

const char *law_twin(struct dice *dice) {
  struct division division;
  struct shares ours, plain;
  rebal_ctx *ctx;
  rebal_result *result;
  const char *wrong;

  if (!tools(&ctx, &result)) {
    return "no result";
  }
  draw_division(dice, &division);
  wrong = divide(ctx, result, &division, &ours);
  divide_plainly(&division, &plain);
  if (wrong == NULL && ours.left != plain.left) {
    wrong = fault("%d seats are left, not %d", (int)ours.left, (int)plain.left);
  }
  for (size_t i = 0; wrong == NULL && i < division.n; i++) {
    if (ours.named[i] != plain.named[i] || (ours.named[i] && ours.seats[i] != plain.seats[i])) {
      wrong = fault("party %u: %lld seats, not %lld", (unsigned)i, (long long)ours.seats[i],
                    (long long)plain.seats[i]);
    }
  }
  return wrong;
}

const char *law_monotone(struct dice *dice) {
  struct division division;
  struct shares fewer, more;
  rebal_ctx *ctx;
  rebal_result *result;
  const char *wrong;

  if (!tools(&ctx, &result)) {
    return "no result";
  }
  draw_division(dice, &division);
  wrong = divide(ctx, result, &division, &fewer);
  division.seats++;
  wrong = wrong == NULL ? divide(ctx, result, &division, &more) : wrong;
  for (size_t i = 0; wrong == NULL && i < division.n; i++) {
    wrong = more.seats[i] < fewer.seats[i] ? fault("party %u loses a seat", (unsigned)i) : NULL;
  }
  return wrong;
}
