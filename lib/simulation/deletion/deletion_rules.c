/* SPDX-License-Identifier: MIT */
/* Which of two pods is deleted first, and why. */
#include "simulation/deletion/deletion.h"

#include <stdlib.h>
#include <string.h>

/* Variants of a rule for controllers that put time differences into buckets, or also count restarts of sidecars. */
#define BUCKETS 64u
#define SIDECARS 128u
#define MARKS (BUCKETS | SIDECARS)

#define STEP(name) REBAL_DELETION_RULE_##name

const uint32_t rebali_steps_of_replicas[] = {STEP(WITHOUT_NODE),
                                             STEP(PENDING),
                                             STEP(NOT_READY),
                                             STEP(CHEAPER),
                                             STEP(CROWDED),
                                             STEP(READY_LATER) | BUCKETS,
                                             STEP(RESTARTED) | SIDECARS,
                                             STEP(YOUNGER) | BUCKETS,
                                             STEP(NONE)};
const uint32_t rebali_steps_of_jobs[] = {STEP(WITHOUT_NODE),         STEP(PENDING), STEP(NOT_READY), STEP(READY_LATER),
                                         STEP(RESTARTED) | SIDECARS, STEP(YOUNGER), STEP(NONE)};
const uint32_t rebali_steps_of_clones[] = {STEP(WITHOUT_NODE), STEP(PENDING), STEP(NOT_FIT),     STEP(NOT_READY),
                                           STEP(CHEAPER),      STEP(CROWDED), STEP(READY_LATER), STEP(RESTARTED),
                                           STEP(YOUNGER),      STEP(NONE)};
/* CloneSet: used to compute ranks. */
const uint32_t rebali_steps_of_nodes[] = {STEP(WITHOUT_NODE), STEP(PENDING),   STEP(NOT_READY), STEP(CHEAPER),
                                          STEP(READY_LATER),  STEP(RESTARTED), STEP(YOUNGER),   STEP(NONE)};
const uint32_t rebali_steps_of_groups[] = {STEP(WITHOUT_NODE), STEP(PENDING), STEP(NOT_READY),
                                           STEP(CHEAPER),      STEP(CROWDED), STEP(READY_LATER),
                                           STEP(RESTARTED),    STEP(YOUNGER), STEP(NONE)};
const uint32_t rebali_steps_of_ordinals[] = {STEP(NUMBERED), STEP(NONE)};

static int compare(int64_t left, int64_t right) {
  return (left > right) - (left < right);
}

/* The later time comes first; an unset one comes before all. */
static int compare_times(const rebal_time *left, const rebal_time *right) {
  if (!left->is_set || !right->is_set) {
    return compare(left->is_set, right->is_set);
  }
  return rebali_time_compare(right, left);
}

/* Returns the binary digits of a distance in nanoseconds, less one; -1: not in the past. */
static int bucket_of(const rebal_time *time, const rebal_time *now) {
  const int64_t left = rebali_time_left_ns(now, time, 0);
  int bucket = -1;
  for (uint64_t distance = left < 0 ? (uint64_t) - (left + 1) + 1 : 0; distance > 0; distance >>= 1) {
    bucket++;
  }
  return bucket;
}

/* The younger bucket comes first, within a bucket the smaller uid. */
static int compare_buckets(const rebal_time *left, const rebal_time *right, const struct rebali_leaver *pods[2],
                           const rebal_time *now, uint32_t *rule) {
  const int order = compare_times(left, right);
  int buckets;
  if (order == 0 || !left->is_set || !right->is_set) {
    return order;
  }
  buckets = compare(bucket_of(left, now), bucket_of(right, now));
  if (buckets == 0) {
    *rule = REBAL_DELETION_RULE_LOWER_UID;
    return strcmp(pods[0]->uid, pods[1]->uid);
  }
  return buckets;
}

static int compare_moments(uint32_t step, const struct rebali_leaver *left, const struct rebali_leaver *right,
                           const rebal_time *now, uint32_t *rule) {
  const int is_ready = (step & ~MARKS) == REBAL_DELETION_RULE_READY_LATER;
  const rebal_time *const one = is_ready ? &left->ready_since : &left->created;
  const rebal_time *const other = is_ready ? &right->ready_since : &right->created;
  if (is_ready && (!left->is_ready || !right->is_ready)) {
    return 0;
  }
  return (step & BUCKETS) != 0 ? compare_buckets(one, other, (const struct rebali_leaver *[2]){left, right}, now, rule)
                               : compare_times(one, other);
}

static int compare_by(uint32_t step, const struct rebali_leaver *left, const struct rebali_leaver *right,
                      const rebal_time *now, uint32_t *rule) {
  int order;
  switch (step & ~MARKS) {
    case REBAL_DELETION_RULE_NUMBERED:
      return compare(right->ordinal, left->ordinal);
    case REBAL_DELETION_RULE_WITHOUT_NODE:
      return compare(left->node[0] != '\0', right->node[0] != '\0');
    case REBAL_DELETION_RULE_PENDING:
      return compare(left->phase, right->phase);
    case REBAL_DELETION_RULE_NOT_FIT:
      order = compare(left->is_fit, right->is_fit);
      /* Report the simpler reason if it holds. */
      *rule = order != 0 && compare(left->is_ready, right->is_ready) == order ? REBAL_DELETION_RULE_NOT_READY : *rule;
      return order;
    case REBAL_DELETION_RULE_NOT_READY:
      return compare(left->is_ready, right->is_ready);
    case REBAL_DELETION_RULE_CHEAPER:
      return compare(left->cost, right->cost);
    case REBAL_DELETION_RULE_CROWDED:
      return (right->rank > left->rank) - (right->rank < left->rank);
    case REBAL_DELETION_RULE_RESTARTED:
      order = compare(right->restarts, left->restarts);
      return order != 0 || (step & SIDECARS) == 0 ? order : compare(right->sidecar_restarts, left->sidecar_restarts);
    default:
      return compare_moments(step, left, right, now, rule);
  }
}

int rebali_leaver_compare(const struct rebali_leaver *left, const struct rebali_leaver *right, const uint32_t *steps,
                          const rebal_time *now, uint32_t *rule) {
  uint32_t unused;
  uint32_t *const out = rule != NULL ? rule : &unused;
  for (; *steps != REBAL_DELETION_RULE_NONE; steps++) {
    *out = *steps & ~MARKS;
    const int order = compare_by(*steps, left, right, now, out);
    if (order != 0) {
      return order;
    }
  }
  *out = REBAL_DELETION_RULE_NONE;
  return 0;
}

struct sorting {
  const uint32_t *steps;
  const rebal_time *now;
};

static int compare_leavers(const void *left, const void *right, const void *context) {
  const struct sorting *sorting = context;
  return rebali_leaver_compare(left, right, sorting->steps, sorting->now, NULL);
}

int32_t rebali_leavers_sort(struct rebali_leaver *list, size_t n, const uint32_t *steps, const rebal_time *now,
                            rebal_error *err) {
  const struct sorting sorting = {steps, now};
  void *scratch = n > 1 ? malloc(n * sizeof *list) : NULL;
  if (n > 1 && scratch == NULL) {
    return rebali_fail_memory(err);
  }
  if (n > 1) {
    rebali_sort(list, n, sizeof *list, scratch, compare_leavers, &sorting);
  }
  free(scratch);
  return REBAL_OK;
}
