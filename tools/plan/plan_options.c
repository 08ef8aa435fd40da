/* SPDX-License-Identifier: MIT */
/* Values of the options of plan. */
#include "rebalancectl.h"

#include <stdlib.h>
#include <string.h>

#define NUMBER_EXPECTED "expected a number from 0 to 2147483647"

static const char *set_mode(struct options *options, int32_t mode) {
  options->plan.opts.mode = mode;
  return NULL;
}

const char *apply_fresh(struct options *options, const char *value) {
  (void)value;
  return set_mode(options, REBAL_PLAN_MODE_FRESH);
}

const char *apply_steady(struct options *options, const char *value) {
  (void)value;
  return set_mode(options, REBAL_PLAN_MODE_STEADY);
}

const char *apply_least(struct options *options, const char *value) {
  (void)value;
  return set_mode(options, REBAL_PLAN_MODE_LEAST);
}

const char *apply_drain(struct options *options, const char *value) {
  options->plan.drained[options->plan.n_drained++] = value;
  return value[0] != '\0' ? NULL : "expected the name of a cluster";
}

const char *apply_lose(struct options *options, const char *value) {
  options->plan.lost[options->plan.n_lost++] = value;
  return value[0] != '\0' ? NULL : "expected the name of a cluster";
}

/* Digits, followed by an optional percent sign if is_percent is not NULL. */
static int read_number(const char *value, int64_t *number, int *is_percent) {
  const size_t len = strspn(value, "0123456789");
  const int ends = value[len] == '\0';
  if (is_percent != NULL) {
    *is_percent = value[len] == '%' && value[len + 1] == '\0';
  }
  if (len == 0 || len > 10 || (!ends && (is_percent == NULL || !*is_percent))) {
    return 0;
  }
  *number = strtoll(value, NULL, 10);
  return *number <= INT32_MAX;
}

static const char *set_limit(struct options *options, size_t place, int32_t scope, const char *value) {
  rebal_limit *limit = &options->plan.limits[place];
  limit->struct_size = sizeof *limit;
  limit->scope = scope;
  options->plan.has_limit[place] = 1;
  return read_number(value, &limit->replicas, NULL) ? NULL : NUMBER_EXPECTED;
}

const char *apply_max_moves(struct options *options, const char *value) {
  return set_limit(options, 0, REBAL_LIMIT_SCOPE_TOTAL, value);
}

const char *apply_max_per_source(struct options *options, const char *value) {
  return set_limit(options, 1, REBAL_LIMIT_SCOPE_SOURCE, value);
}

const char *apply_max_per_target(struct options *options, const char *value) {
  return set_limit(options, 2, REBAL_LIMIT_SCOPE_TARGET, value);
}

const char *apply_tolerance(struct options *options, const char *value) {
  int64_t percent;
  int is_percent;
  if (!read_number(value, &percent, &is_percent) || !is_percent || percent > 100) {
    return "expected a percentage from 0% to 100%";
  }
  options->plan.opts.tolerance = (int32_t)(10 * percent);
  options->plan.opts.flags |= REBAL_PLAN_FLAG_TOLERANCE_GIVEN;
  return NULL;
}

static const char *set_parameter(struct options *options, const char *value, int64_t *parameter, uint32_t given,
                                 uint32_t percent) {
  int is_percent;
  if (!read_number(value, parameter, &is_percent)) {
    return "expected a number of replicas such as 2, or a percentage such as 10%";
  }
  options->plan.opts.flags |= given;
  options->plan.opts.flags = is_percent ? options->plan.opts.flags | percent : options->plan.opts.flags & ~percent;
  return NULL;
}

const char *apply_max_surge(struct options *options, const char *value) {
  return set_parameter(options, value, &options->plan.opts.max_surge, REBAL_PLAN_FLAG_SURGE_GIVEN,
                       REBAL_PLAN_FLAG_SURGE_PERCENT);
}

const char *apply_max_unavailable(struct options *options, const char *value) {
  const char *why = set_parameter(options, value, &options->plan.opts.max_unavailable,
                                  REBAL_PLAN_FLAG_UNAVAILABLE_GIVEN, REBAL_PLAN_FLAG_UNAVAILABLE_PERCENT);
  const int is_percent = (options->plan.opts.flags & REBAL_PLAN_FLAG_UNAVAILABLE_PERCENT) != 0;
  if (why == NULL && is_percent && options->plan.opts.max_unavailable > 100) {
    why = "expected a number of replicas such as 2, or a percentage from 0% to 100%";
  }
  return why;
}
