/* SPDX-License-Identifier: MIT */
#include "division.h"

#include <string.h>

void name_parties(struct division *division, size_t n, const size_t *order) {
  division->n = n;
  for (size_t i = 0; i < n; i++) {
    division->names[2 * i] = 'p';
    division->names[2 * i + 1] = (char)('a' + (order == NULL ? i : order[i]));
    division->offsets[i] = (uint32_t)(2 * i);
  }
  division->offsets[n] = (uint32_t)(2 * n);
}

/* ---- by the library ---------------------------------------------------------------------------------------------- */

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

/* Bounds that limit nothing are set as bounds, too. */
static void fill_options(const struct division *division, int32_t *unlimited, rebal_divide_opts *opts) {
  *opts = division->bounds;
  opts->struct_size = (uint32_t)sizeof *opts;
  if (!division->is_bounded) {
    opts->before = division->has_before ? division->before : NULL;
  } else if (opts->minimums == NULL && opts->maximums == NULL && opts->capacities == NULL && opts->current == NULL) {
    for (size_t i = 0; i < division->n; i++) {
      unlimited[i] = INT32_MAX;
    }
    opts->maximums = unlimited;
  }
}

static int32_t call(const struct division *division, rebal_ctx *ctx, rebal_result *result, int32_t *left,
                    rebal_error *err) {
  const rebal_parties parties = {.struct_size = (uint32_t)sizeof parties,
                                 .names = division->names,
                                 .offsets = division->offsets,
                                 .weights = division->weights,
                                 .n = division->n,
                                 .uid = division->uid,
                                 .uid_len = strlen(division->uid)};
  int32_t unlimited[DIVISION_PARTIES];
  rebal_divide_opts opts;

  fill_options(division, unlimited, &opts);
  return rebal_divide(ctx, division->seats, &parties, &opts, result, left, err);
}

const char *divide(const struct division *division, struct shares *shares) {
  rebal_error err = REBAL_ERROR_INIT;
  rebal_ctx *ctx;
  rebal_result *result;
  size_t n;
  const int64_t *parties, *replicas;

  if (!tools(&ctx, &result)) {
    return "no result";
  }
  memset(shares, 0, sizeof *shares);
  if (call(division, ctx, result, &shares->left, &err) != REBAL_OK) {
    return fault("no division: %s", err.message);
  }
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

/* ---- by the definition ------------------------------------------------------------------------------------------- */

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

static int64_t votes_of(const struct division *division, size_t party) {
  return division->is_bounded && division->weights[party] < 0 ? 0 : division->weights[party];
}

static int is_better(const struct division *division, const struct shares *shares, int descending, size_t a, size_t b) {
  const double left = priority(votes_of(division, a), shares->seats[a]);
  const double right = priority(votes_of(division, b), shares->seats[b]);

  if (left > right || left < right) {
    return left > right;
  }
  if (shares->seats[a] != shares->seats[b]) {
    return shares->seats[a] < shares->seats[b];
  }
  return (division->names[2 * a + 1] < division->names[2 * b + 1]) != descending;
}

/* One seat to the best party below its limit; 0 when all have reached theirs. */
static int give_one(const struct division *division, const int64_t *limits, int descending, struct shares *shares) {
  size_t best = division->n;

  for (size_t i = 0; i < division->n; i++) {
    if (shares->seats[i] < limits[i] && (best == division->n || is_better(division, shares, descending, i, best))) {
      best = i;
    }
  }
  if (best == division->n) {
    return 0;
  }
  shares->seats[best]++;
  return 1;
}

static int64_t at_least_zero(int64_t number) {
  return number > 0 ? number : 0;
}

int64_t upper_bound(const struct division *division, size_t party) {
  const rebal_divide_opts *bounds = &division->bounds;
  int64_t upper = INT64_MAX;

  if (bounds->capacities != NULL && bounds->capacities[party] != INT32_MAX) {
    upper = at_least_zero(bounds->capacities[party]);
    upper += bounds->current == NULL ? 0 : at_least_zero(bounds->current[party]);
  }
  if (bounds->maximums != NULL && bounds->maximums[party] < upper) {
    upper = at_least_zero(bounds->maximums[party]);
  }
  return upper;
}

int64_t lower_bound(const struct division *division, size_t party) {
  const rebal_divide_opts *bounds = &division->bounds;
  const int64_t upper = upper_bound(division, party);
  int64_t lower = bounds->minimums == NULL ? 0 : at_least_zero(bounds->minimums[party]);

  if ((bounds->flags & REBAL_DIVIDE_FLAG_KEEP_CURRENT) != 0 && bounds->current != NULL &&
      bounds->current[party] > lower) {
    lower = bounds->current[party];
  }
  return lower < upper ? lower : upper;
}

static void divide_bounded_plainly(const struct division *division, int descending, struct shares *shares) {
  int64_t limits[DIVISION_PARTIES];

  memset(shares->named, 1, sizeof shares->named);
  shares->left = division->seats;
  for (size_t i = 0; i < division->n; i++) {
    limits[i] = lower_bound(division, i);
  }
  while (shares->left > 0 && give_one(division, limits, descending, shares)) {
    shares->left--;
  }
  for (size_t i = 0; i < division->n; i++) {
    limits[i] = division->weights[i] > 0 ? upper_bound(division, i) : 0;
  }
  while (shares->left > 0 && give_one(division, limits, descending, shares)) {
    shares->left--;
  }
}

void divide_plainly(const struct division *division, struct shares *shares) {
  const int descending = *division->uid != '\0' && is_odd(division->uid);
  int64_t limits[DIVISION_PARTIES];
  uint64_t sum = 0;
  int any_before = 0;

  memset(shares, 0, sizeof *shares);
  if (division->is_bounded) {
    divide_bounded_plainly(division, descending, shares);
    return;
  }
  for (size_t i = 0; i < division->n && i < DIVISION_PARTIES; i++) {
    const int had = division->has_before && division->before[i] != INT32_MIN;

    shares->seats[i] = had ? division->before[i] : 0;
    shares->named[i] = (uint8_t)had;
    limits[i] = INT64_MAX;
    any_before |= had;
    sum += (uint64_t)division->weights[i];
  }
  shares->left = sum == 0 ? division->seats : 0;
  if (sum == 0 || (division->seats == 0 && any_before)) {
    return;
  }
  memset(shares->named, 1, sizeof shares->named);
  for (int32_t seat = 0; seat < division->seats; seat++) {
    (void)give_one(division, limits, descending, shares);
  }
}

const char *compare_shares(const struct division *division, const struct shares *ours, const struct shares *plain) {
  if (ours->left != plain->left) {
    return fault("%d seats are left, not %d", (int)ours->left, (int)plain->left);
  }
  for (size_t i = 0; i < division->n; i++) {
    if (ours->named[i] != plain->named[i] || (ours->named[i] && ours->seats[i] != plain->seats[i])) {
      return fault("party %u: %lld seats, not %lld", (unsigned)i, (long long)ours->seats[i],
                   (long long)plain->seats[i]);
    }
  }
  return NULL;
}
