/* SPDX-License-Identifier: MIT */
#include "workloadspread/united.h"

/*
 * Changes a subset to `to` replicas as far as rest allows; this may reduce it. Returns the replicas to subtract from
 * rest.
 */
static int64_t take(struct rebali_united_subset *subset, int64_t *capacity, int64_t to, int64_t rest) {
  const int64_t wanted = to - subset->allocated;
  const int64_t taken = wanted < rest ? wanted : rest;

  subset->allocated += taken;
  *capacity -= taken;
  if (*capacity >= 0) {
    return taken;
  }
  return taken + *capacity > 0 ? taken + *capacity : 0; /* the others get substitutes in later subsets */
}

static int64_t capacity_of(const struct rebali_united_subset *subset) {
  const uint32_t doubtful = REBAL_UNITED_STATE_UNSCHEDULABLE | REBAL_UNITED_STATE_MARKED;

  return (subset->state & doubtful) == 0 ? INT32_MAX : subset->replicas - subset->reserved;
}

int32_t rebali_united_substitute(struct rebali_united *united) {
  int64_t *capacities = rebali_arena_allocate(united->arena, united->n, sizeof *capacities);
  int64_t rest = united->replicas == REBAL_ABSENT ? 0 : united->replicas;

  if (capacities == NULL) {
    return rebali_fail_memory(united->err);
  }
  for (size_t i = 0; i < united->n; i++) {
    struct rebali_united_subset *subset = &united->subsets[i];

    capacities[i] = capacity_of(subset);
    subset->maximum = (subset->state & REBAL_UNITED_STATE_UNSCHEDULABLE) != 0 ? subset->replicas : subset->maximum;
  }
  for (size_t i = 0; i < united->n && rest > 0; i++) {
    rest -= take(&united->subsets[i], &capacities[i], united->subsets[i].minimum, rest);
  }
  for (size_t i = 0; i < united->n && rest > 0; i++) {
    rest -= take(&united->subsets[i], &capacities[i], united->subsets[i].maximum, rest);
  }
  return REBAL_OK;
}
