/* SPDX-License-Identifier: MIT */
/* Deletion order of the pods of a subset: rebalance-workloadspread(7) 5.1. */
#include "workloadspread/pass.h"

/*
 * Keys in ascending order: the pod to be deleted first has the smallest. Words: node, phase, readiness and the ready
 * seconds in the first; the fraction of that time and the restarts in the second; restarts of sidecars and the creation
 * time in the other two.
 */
struct key {
  uint64_t words[4];
  uint32_t place;
};

#define SECONDS_BITS 40u /* for the years 1 to 9999, and one value for a missing time */
#define LOW_BITS 8u      /* bits of the seconds in the last word */
#define MAX_NANOS UINT64_C(999999999)

/* Returns 0 for what the reference regards as a missing time, otherwise a number that is smaller for later times. */
static uint64_t later_first(const rebal_time *time) {
  const int is_zero = !time->is_set || (time->seconds == REBALI_FIRST_SECOND && time->nanos == 0);

  return is_zero ? 0 : (uint64_t)(REBALI_LAST_SECOND - time->seconds) + 1;
}

static uint64_t fraction_of(const rebal_time *time) {
  return later_first(time) == 0 ? 0 : MAX_NANOS - (uint64_t)time->nanos;
}

/* Returns a number that is smaller for more restarts, which have 32 bits. */
static uint64_t more_first(int64_t restarts) {
  return (uint64_t)(INT32_MAX - restarts);
}

static uint64_t phase_of(int64_t phase) {
  return phase == REBAL_POD_PHASE_RUNNING ? 2 : phase == REBAL_POD_PHASE_UNKNOWN;
}

static void make_key(const rebal_pods *pods, uint32_t row, struct key *key) {
  const uint64_t ready = rebali_pods_i64(pods, REBAL_SPREAD_POD_READY, row) != 0;
  const rebal_time since = ready ? rebali_pods_time(pods, REBAL_SPREAD_POD_READY_SINCE, row) : (rebal_time){0, 0, 0};
  const rebal_time created = rebali_pods_time(pods, REBAL_SPREAD_POD_CREATED, row);
  const uint64_t has_node = rebali_pods_i64(pods, REBAL_SPREAD_POD_NODE, row) != REBAL_ABSENT;
  const uint64_t state = has_node << 3 | phase_of(rebali_pods_i64(pods, REBAL_SPREAD_POD_PHASE, row)) << 1 | ready;
  const uint64_t newer = later_first(&created);

  key->words[0] = state << SECONDS_BITS | later_first(&since);
  key->words[1] = fraction_of(&since) << 32 | more_first(rebali_pods_i64(pods, REBAL_SPREAD_POD_RESTARTS, row));
  key->words[2] = more_first(rebali_pods_i64(pods, REBAL_SPREAD_POD_SIDECAR_RESTARTS, row)) << 32 | newer >> LOW_BITS;
  key->words[3] = (newer & ((1u << LOW_BITS) - 1)) << 32 | fraction_of(&created);
}

static int compare_keys(const void *left, const void *right, const void *context) {
  const struct key *const a = *(const struct key *const *)left;
  const struct key *const b = *(const struct key *const *)right;

  (void)context;
  for (size_t i = 0; i < REBALI_COUNT(a->words); i++) {
    if (a->words[i] != b->words[i]) {
      return a->words[i] < b->words[i] ? -1 : 1;
    }
  }
  return 0;
}

int32_t rebali_deletion_sort(const rebal_pods *pods, const struct rebali_grouped *members, uint32_t *places, size_t n,
                             struct rebali_arena *arena) {
  struct key *keys = rebali_arena_allocate(arena, n, sizeof *keys);
  const struct key **sorted = rebali_arena_allocate(arena, n, 2 * sizeof *sorted);

  if (keys == NULL || sorted == NULL) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < n; i++) {
    make_key(pods, members[places[i]].row, &keys[i]);
    keys[i].place = places[i];
    sorted[i] = &keys[i];
  }
  rebali_sort(sorted, n, sizeof *sorted, sorted + n, compare_keys, NULL);
  for (size_t i = 0; i < n; i++) {
    places[i] = sorted[i]->place;
  }
  return REBAL_OK;
}
