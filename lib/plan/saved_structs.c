/* SPDX-License-Identifier: MIT */
/* Which members of a plan's structures are saved. */
#include "plan/saved.h"

#include <stddef.h>

#define COUNT32 0, INT32_MAX
#define COUNT 0, INT64_MAX

#define NUMBER(structure, member, type, ...) {offsetof(struct structure, member), REBALI_SAVED_##type, __VA_ARGS__}
#define STRUCT(name, structure) \
  const struct rebali_saved_struct name = {sizeof(struct structure), REBALI_COUNT(structure##_), structure##_}

static const struct rebali_saved_number rebali_plan_limit_[] = {
    NUMBER(rebali_plan_limit, scope, I64, REBAL_LIMIT_SCOPE_TOTAL, REBAL_LIMIT_SCOPE_BUDGET),
    NUMBER(rebali_plan_limit, replicas, I64, COUNT),
    NUMBER(rebali_plan_limit, used, I64, COUNT),
    NUMBER(rebali_plan_limit, withheld, I64, COUNT),
    NUMBER(rebali_plan_limit, shadow, I64, INT64_MIN, INT64_MAX),
    NUMBER(rebali_plan_limit, tokens, I64, INT64_MIN, INT64_MAX),
    NUMBER(rebali_plan_limit, tokens_at.seconds, I64, INT64_MIN, INT64_MAX),
    NUMBER(rebali_plan_limit, tokens_at.nanos, I32, 0, 999999999),
    NUMBER(rebali_plan_limit, tokens_at.is_set, U32, 0, 1),
};
static const struct rebali_saved_number rebali_plan_row_[] = {
    NUMBER(rebali_plan_row, cluster_scoped, I32, 0, 1),
    NUMBER(rebali_plan_row, replicas, I32, COUNT32),
    NUMBER(rebali_plan_row, outcome, I64, REBAL_OUTCOME_SCHEDULED, REBAL_OUTCOME_QUOTA_EXCEEDED),
    NUMBER(rebali_plan_row, drift, I64, COUNT),
    NUMBER(rebali_plan_row, granted, I64, COUNT),
    NUMBER(rebali_plan_row, withheld, I64, COUNT),
    NUMBER(rebali_plan_row, added, I64, COUNT),
    NUMBER(rebali_plan_row, removed, I64, COUNT),
    NUMBER(rebali_plan_row, drift_left, I64, COUNT),
    NUMBER(rebali_plan_row, limited_by, I64, INT64_MIN, INT64_MAX),
    NUMBER(rebali_plan_row, is_whole, I32, 0, 1),
    NUMBER(rebali_plan_row, max_surge, I32, COUNT32),
    NUMBER(rebali_plan_row, max_unavailable, I32, COUNT32),
    NUMBER(rebali_plan_row, n_cells, SIZE, 0, UINT32_MAX),
    NUMBER(rebali_plan_row, n_moves, SIZE, 0, UINT32_MAX),
};
static const struct rebali_saved_number rebali_plan_cell_[] = {
    NUMBER(rebali_plan_cell, cluster, CLUSTER, 0, UINT32_MAX),
    NUMBER(rebali_plan_cell, is_in, U32, 0, REBALI_IN_PRESENT | REBALI_IN_WANTED | REBALI_IN_PLANNED),
    NUMBER(rebali_plan_cell, present, I32, COUNT32),
    NUMBER(rebali_plan_cell, wanted, I32, COUNT32),
    NUMBER(rebali_plan_cell, planned, I32, COUNT32),
    NUMBER(rebali_plan_cell, ready, I32, COUNT32),
};
static const struct rebali_saved_number rebali_plan_move_[] = {
    NUMBER(rebali_plan_move, source, CLUSTER, 0, UINT32_MAX),
    NUMBER(rebali_plan_move, target, CLUSTER, 0, UINT32_MAX),
    NUMBER(rebali_plan_move, replicas, I32, 1, INT32_MAX),
};
static const struct rebali_saved_number rebali_plan_use_[] = {
    NUMBER(rebali_plan_use, limit, SIZE, 0, UINT32_MAX),
    NUMBER(rebali_plan_use, used, I64, COUNT),
    NUMBER(rebali_plan_use, left, I64, COUNT),
};
static const struct rebali_saved_number rebali_plan_sum_[] = {
    NUMBER(rebali_plan_sum, cluster, CLUSTER, 0, UINT32_MAX),
    NUMBER(rebali_plan_sum, before, I64, COUNT),
    NUMBER(rebali_plan_sum, after, I64, COUNT),
    NUMBER(rebali_plan_sum, moved_out, I64, COUNT),
    NUMBER(rebali_plan_sum, moved_in, I64, COUNT),
};

STRUCT(rebali_saved_limit, rebali_plan_limit);
STRUCT(rebali_saved_row, rebali_plan_row);
STRUCT(rebali_saved_cell, rebali_plan_cell);
STRUCT(rebali_saved_move, rebali_plan_move);
STRUCT(rebali_saved_use, rebali_plan_use);
STRUCT(rebali_saved_sum, rebali_plan_sum);

int64_t rebali_saved_get(const struct rebali_saved_number *number, const void *item) {
  const unsigned char *at = (const unsigned char *)item + number->offset;

  switch (number->type) {
    case REBALI_SAVED_I32:
      return *(const int32_t *)(const void *)at;
    case REBALI_SAVED_I64:
      return *(const int64_t *)(const void *)at;
    case REBALI_SAVED_SIZE:
      return (int64_t) * (const size_t *)(const void *)at;
    default:
      return *(const uint32_t *)(const void *)at;
  }
}

void rebali_saved_set(const struct rebali_saved_number *number, void *item, int64_t value) {
  unsigned char *at = (unsigned char *)item + number->offset;

  switch (number->type) {
    case REBALI_SAVED_I32:
      *(int32_t *)(void *)at = (int32_t)value;
      break;
    case REBALI_SAVED_I64:
      *(int64_t *)(void *)at = value;
      break;
    case REBALI_SAVED_SIZE:
      *(size_t *)(void *)at = (size_t)value;
      break;
    default:
      *(uint32_t *)(void *)at = (uint32_t)value;
  }
}
