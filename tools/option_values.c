/* SPDX-License-Identifier: MIT */
/* Values of the options of descheduler, failover and spread. */
#include "rebalancectl.h"

#include <string.h>

#define SECOND_NS INT64_C(1000000000)
#define LONGEST_NS (INT64_C(878400) * 3600 * SECOND_NS)

/* ---- kinds of values ---- */

/* Reads digits up to the first other character; more than most is an error. */
static int read_digits(const char **text, int64_t most, int64_t *value) {
  const char *at = *text;
  *value = 0;
  while (*at >= '0' && *at <= '9') {
    const int digit = *at++ - '0';
    if (*value > (most - digit) / 10) {
      return 0;
    }
    *value = *value * 10 + digit;
  }
  if (at == *text) {
    return 0;
  }
  *text = at;
  return 1;
}

static int read_unit(const char **text, int64_t *ns) {
  static const struct {
    const char *name;
    int64_t ns;
  } units[] = {{"ms", SECOND_NS / 1000}, {"h", 3600 * SECOND_NS}, {"m", 60 * SECOND_NS}, {"s", SECOND_NS}};
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
    if (strncmp(*text, units[i].name, strlen(units[i].name)) == 0) {
      *text += strlen(units[i].name);
      *ns = units[i].ns;
      return 1;
    }
  }
  return 0;
}

/* 1h30m, as in scenarios. */
static const char *read_duration(const char *value, int64_t *ns) {
  static const char fault[] = "expected a duration such as 30s, 1h30m or 500ms, at most 878400h";
  int64_t number, unit;
  *ns = 0;
  do {
    if (!read_digits(&value, LONGEST_NS, &number) || !read_unit(&value, &unit) || number > (LONGEST_NS - *ns) / unit) {
      return fault;
    }
    *ns += number * unit;
  } while (*value != '\0');
  return NULL;
}

static const char *read_cap(const char *value, int64_t *cap) {
  return read_digits(&value, INT32_MAX, cap) && *value == '\0' && *cap > 0 ? NULL
                                                                           : "expected a number from 1 to 2147483647";
}

/* ---- descheduler ---- */

const char *apply_any_kind(struct options *options, const char *value) {
  (void)value;
  options->deschedule.flags |= REBAL_DESCHEDULE_FLAG_ANY_KIND;
  return NULL;
}

const char *apply_from_status(struct options *options, const char *value) {
  (void)value;
  options->deschedule.flags |= REBAL_DESCHEDULE_FLAG_FROM_STATUS;
  return NULL;
}

const char *apply_interval(struct options *options, const char *value) {
  const char *fault = read_duration(value, &options->deschedule.interval_ns);
  return fault == NULL && options->deschedule.interval_ns == 0 ? "expected a duration above 0" : fault;
}

const char *apply_threshold(struct options *options, const char *value) {
  options->deschedule.flags |= REBAL_DESCHEDULE_FLAG_THRESHOLD_GIVEN;
  return read_duration(value, &options->deschedule.threshold_ns);
}

const char *apply_max_total(struct options *options, const char *value) {
  return read_cap(value, &options->deschedule.max_total);
}

const char *apply_max_by_cluster(struct options *options, const char *value) {
  return read_cap(value, &options->deschedule.max_by_cluster);
}

const char *apply_max_by_namespace(struct options *options, const char *value) {
  return read_cap(value, &options->deschedule.max_by_namespace);
}

const char *apply_max_by_workload(struct options *options, const char *value) {
  return read_cap(value, &options->deschedule.max_by_workload);
}

/* ---- failover ---- */

const char *apply_evict_by_taint(struct options *options, const char *value) {
  (void)value;
  options->failover.flags |= REBAL_FAILOVER_FLAG_EVICT_BY_TAINT;
  return NULL;
}

const char *apply_purge_directly(struct options *options, const char *value) {
  (void)value;
  options->failover.flags |= REBAL_FAILOVER_FLAG_PURGE_DIRECTLY;
  return NULL;
}

const char *apply_eviction_timeout(struct options *options, const char *value) {
  options->failover.flags |= REBAL_FAILOVER_FLAG_TIMEOUT_GIVEN;
  return read_duration(value, &options->failover.graceful_eviction_timeout_ns);
}

const char *apply_eviction_interval(struct options *options, const char *value) {
  return read_duration(value, &options->failover.eviction_interval_ns);
}

const char *apply_unhealthy_since(struct options *options, const char *value) {
  return rebal_time_parse(value, strlen(value), &options->unhealthy_since, NULL) == REBAL_OK
             ? NULL
             : "expected an RFC 3339 time such as 2026-03-14T09:00:00Z";
}

/* ---- spread ---- */

static const char *read_pods(const char *value, uint64_t *n) {
  int64_t number;
  if (!read_digits(&value, MOST_PODS, &number) || *value != '\0') {
    return PODS_EXPECTED;
  }
  *n = (uint64_t)number;
  return NULL;
}

const char *apply_create(struct options *options, const char *value) {
  options->has_create = 1;
  return read_pods(value, &options->create);
}

const char *apply_scale(struct options *options, const char *value) {
  options->has_scale = 1;
  return read_pods(value, &options->scale);
}

const char *apply_spread(struct options *options, const char *value) {
  options->spread = value;
  return value[0] != '\0' ? NULL : "expected the name of a WorkloadSpread";
}
