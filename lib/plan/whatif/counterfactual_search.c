/* SPDX-License-Identifier: MIT */
/* Searches for the nearest number with which a change meets the goal. */
#include "plan/whatif/counterfactual.h"

#define FARTHEST_BOUND 64
#define LARGEST_WEIGHT (INT32_C(1) << 30)
#define SMALL_WEIGHT 1000000
#define MANY_REPLICAS (INT64_C(1) << 30)

static int32_t attempt(struct rebali_trial *trial, struct rebali_counterfactual *change, int64_t number, int *does) {
  const int64_t before = change->after;
  int32_t code;

  change->after = number;
  code = rebali_trial_decide(trial, change);
  *does = code == REBAL_OK && trial->is_met;
  if (*does) {
    change->replicas = trial->replicas;
  } else {
    change->after = before;
  }
  return code;
}

/* low does not meet the goal; one of two larger numbers may. Each number kept in the change meets it. */
static int32_t bisect(struct rebali_trial *trial, struct rebali_counterfactual *change, int64_t low,
                      const int64_t *tried, int *found) {
  int32_t code = REBAL_OK;

  *found = 0;
  for (size_t i = 0; i < 2 && code == REBAL_OK && !*found; i++) {
    if (tried[i] > low) {
      code = attempt(trial, change, tried[i], found);
      low = *found ? low : tried[i];
    }
  }
  while (code == REBAL_OK && *found && change->after - low > 1) {
    const int64_t middle = low + (change->after - low) / 2;
    int does;

    code = attempt(trial, change, middle, &does);
    low = does ? low : middle;
  }
  return code;
}

static int32_t search_weight(struct rebali_trial *trial, struct rebali_counterfactual *change, int *found) {
  const int64_t tried[] = {SMALL_WEIGHT, LARGEST_WEIGHT};

  return bisect(trial, change, change->before, tried, found);
}

/* Tries the additional amount of all replicas, then that of 2^30: from 2^31 - 1 on, an estimate means no limit. */
static int32_t search_capacity(struct rebali_trial *trial, struct rebali_counterfactual *change, int *found) {
  const int64_t before = change->before == REBAL_ABSENT ? -1 : change->before;
  const int64_t replicas = rebali_bindings_i64(trial->bindings, REBAL_BINDING_REPLICAS, trial->row);
  const int64_t all = rebali_multiply_saturating(change->unit, replicas > 0 ? replicas : 1);
  const int64_t most = rebali_multiply_saturating(change->unit, MANY_REPLICAS);
  const int64_t tried[] = {rebali_add_saturating(before, all), rebali_add_saturating(before, most)};

  return bisect(trial, change, before, tried, found);
}

/* Tries numbers in the direction of the change, up to last, and keeps the nearest that meets the goal. */
static int32_t walk(struct rebali_trial *trial, struct rebali_counterfactual *change, int64_t last, int *found) {
  const int64_t n = (last - change->before) * change->step; /* at most FARTHEST_BOUND */
  int32_t code = REBAL_OK;

  *found = 0;
  for (int64_t i = 1; code == REBAL_OK && !*found && i <= n; i++) {
    code = attempt(trial, change, change->before + i * change->step, found);
  }
  return code;
}

static int64_t bound_of(const struct rebali_trial *trial, const struct rebali_counterfactual *change, uint32_t field) {
  return rebal_record_i64(trial->placement, rebali_record_get(trial->placement, change->node, field));
}

static int32_t search_bound(struct rebali_trial *trial, struct rebali_counterfactual *change, int *found) {
  const int64_t least = bound_of(trial, change, REBAL_SPREAD_CONSTRAINT_MIN_GROUPS);
  const int64_t most = bound_of(trial, change, REBAL_SPREAD_CONSTRAINT_MAX_GROUPS);
  const int is_least = change->kind == REBAL_SINGLE_CHANGE_MIN_GROUPS;
  int64_t last = rebali_add_saturating(change->before, change->step * (int64_t)FARTHEST_BOUND);

  if (change->step < 0) {
    const int64_t floor = !is_least && least > 1 ? least : 1;

    last = last < floor ? floor : last; /* above the current number: nothing is tried */
  } else if (is_least && most > 0 && last > most) {
    last = most;
  }
  return walk(trial, change, last, found);
}

int32_t rebali_counterfactual_search(struct rebali_trial *trial, struct rebali_counterfactual *change, int *found) {
  switch (change->kind) {
    case REBAL_SINGLE_CHANGE_MIN_GROUPS:
    case REBAL_SINGLE_CHANGE_MAX_GROUPS:
      return search_bound(trial, change, found);
    case REBAL_SINGLE_CHANGE_WEIGHT:
      return search_weight(trial, change, found);
    case REBAL_SINGLE_CHANGE_CAPACITY:
      return search_capacity(trial, change, found);
    default:
      return attempt(trial, change, change->after, found);
  }
}
