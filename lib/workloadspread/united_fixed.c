/* SPDX-License-Identifier: MIT */
#include "workloadspread/united.h"

/* Compares by current size, then name. */
static int compare_sizes(const void *left, const void *right, const void *context) {
  const struct rebali_united *united = context;
  const struct rebali_united_subset *a = &united->subsets[*(const size_t *)left];
  const struct rebali_united_subset *b = &united->subsets[*(const size_t *)right];

  if (a->replicas != b->replicas) {
    return a->replicas < b->replicas ? -1 : 1;
  }
  return rebali_text_compare(a->name, b->name);
}

/* Returns the sum of specified replicas. The indexes of subsets without a value go to free_ones. */
static int64_t read_given(struct rebali_united *united, size_t *free_ones, size_t *n_free) {
  int64_t sum = 0; /* fewer than 2^32 subsets specify less than 2^31 each */

  *n_free = 0;
  for (size_t i = 0; i < united->n; i++) {
    struct rebali_united_subset *subset = &united->subsets[i];
    const uint32_t node = rebali_record_get(united->record, subset->node, REBAL_UNITED_SUBSET_REPLICAS);

    if (node == REBAL_NONE ||
        !rebali_united_number(united, node, united->replicas == REBAL_ABSENT ? -1 : united->replicas,
                              &subset->allocated)) {
      free_ones[(*n_free)++] = i;
      continue;
    }
    subset->minimum = subset->maximum = subset->allocated;
    sum += subset->allocated;
  }
  return sum;
}

static void refuse(struct rebali_united *united, int64_t reason, const char *how, int64_t sum) {
  united->reason = reason;
  rebali_buffer_format(&united->message, "specified subsets' replica (%lld) is %s than UnitedDeployment replica (%lld)",
                       (long long)sum, how, (long long)united->replicas);
}

static void check_sum(struct rebali_united *united, int64_t sum, size_t n_free) {
  if (united->replicas == REBAL_ABSENT && n_free != 0) {
    united->reason = REBAL_UNITED_REASON_UNSPECIFIED;
    rebali_buffer_format(&united->message,
                         "all subsets must be specified when UnitedDeployment replica is unspecified");
  } else if (united->replicas != REBAL_ABSENT && sum > united->replicas) {
    refuse(united, REBAL_UNITED_REASON_TOO_MANY, "greater", sum);
  } else if (united->replicas != REBAL_ABSENT && sum < united->replicas && n_free == 0) {
    refuse(united, REBAL_UNITED_REASON_TOO_FEW, "less", sum);
  }
}

int32_t rebali_united_fix(struct rebali_united *united) {
  size_t *free_ones = rebali_arena_allocate(united->arena, united->n, sizeof *free_ones);
  size_t *scratch = rebali_arena_allocate(united->arena, united->n, sizeof *scratch);
  size_t n_free;
  int64_t sum;

  if (free_ones == NULL || scratch == NULL) {
    return rebali_fail_memory(united->err);
  }
  sum = read_given(united, free_ones, &n_free);
  check_sum(united, sum, n_free);
  if (united->reason != REBAL_UNITED_REASON_ALLOCATED) {
    return REBAL_OK;
  }
  rebali_sort(free_ones, n_free, sizeof *free_ones, scratch, compare_sizes, united);
  for (size_t i = 0; i < n_free; i++) { /* the largest ones, at the end, get one more of the remainder */
    const int64_t n = (int64_t)n_free;
    const int64_t rest = united->replicas - sum;

    united->subsets[free_ones[i]].allocated = rest / n + ((int64_t)i >= n - rest % n ? 1 : 0);
  }
  return REBAL_OK;
}
