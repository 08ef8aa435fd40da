/* SPDX-License-Identifier: MIT */
/* Counters of what limits allow, one for each subject. */
#include "plan/make/limits.h"

/* ---- subjects ---------------------------------------------------------------------------------------------------- */

/*
 * Returns the subject under which a limit on each namespace or each label value counts the row; bytes is NULL if there
 * is none.
 */
static struct rebali_text subject_of(const struct rebali_plan_call *call, const struct rebali_move_limit *limit,
                                     size_t row) {
  return limit->scope == REBAL_LIMIT_SCOPE_NAMESPACE
             ? call->plan->rows[row].namespace_
             : rebali_labels_value(rebali_pod_labels(call->snapshot, call->bindings, (uint32_t)row), limit->label);
}

static int32_t list_subjects(struct rebali_plan_call *call, struct rebali_move_limit *limit) {
  const size_t n = call->plan->n_rows;

  limit->ids = rebali_arena_allocate(&call->arena, n, sizeof *limit->ids);
  if (limit->ids == NULL || rebali_intern_new(call->allocator, &limit->subjects) != REBAL_OK) {
    return rebali_fail_memory(call->err);
  }
  for (size_t row = 0; row < n; row++) {
    const struct rebali_text subject = subject_of(call, limit, row);

    limit->ids[row] = REBAL_NONE;
    if (subject.bytes != NULL &&
        rebali_intern_add(limit->subjects, subject.bytes, subject.len, &limit->ids[row]) != REBAL_OK) {
      return rebali_fail_memory(call->err);
    }
  }
  limit->n_counters = rebali_intern_count(limit->subjects);
  return REBAL_OK;
}

static int32_t count_subjects(struct rebali_plan_call *call, struct rebali_move_limit *limit) {
  limit->n_counters = limit->budget == NULL ? 1 : limit->budget->n_counters;
  if (limit->budget != NULL || limit->has_subject) {
    return REBAL_OK;
  }
  switch (limit->scope) {
    case REBAL_LIMIT_SCOPE_SOURCE:
    case REBAL_LIMIT_SCOPE_TARGET:
      limit->n_counters = rebali_snapshot_rows(call->snapshot);
      return REBAL_OK;
    case REBAL_LIMIT_SCOPE_BINDING:
      limit->n_counters = call->plan->n_rows;
      return REBAL_OK;
    case REBAL_LIMIT_SCOPE_NAMESPACE:
    case REBAL_LIMIT_SCOPE_LABEL:
      return list_subjects(call, limit);
    default:
      return REBAL_OK;
  }
}

static int32_t allocate_counters(struct rebali_plan_call *call) {
  struct rebali_move_limits *limits = call->limits;

  for (size_t i = 0; i < limits->n; i++) {
    limits->items[i].first = limits->n_counters;
    limits->n_counters += limits->items[i].n_counters; /* at most 2^32 for each limit, which takes memory */
  }
  limits->allowed = rebali_arena_allocate(&call->arena, limits->n_counters, sizeof *limits->allowed);
  limits->used = rebali_arena_allocate_zero(&call->arena, limits->n_counters, sizeof *limits->used);
  if (limits->allowed == NULL || limits->used == NULL) {
    return rebali_fail_memory(call->err);
  }
  for (size_t i = 0; i < limits->n_given; i++) {
    for (size_t c = 0; c < limits->items[i].n_counters; c++) {
      limits->allowed[limits->items[i].first + c] = limits->items[i].replicas;
    }
  }
  return REBAL_OK;
}

int32_t rebali_limits_begin(struct rebali_plan_call *call) {
  int32_t code = REBAL_OK;

  for (size_t i = 0; i < call->limits->n && code == REBAL_OK; i++) {
    code = count_subjects(call, &call->limits->items[i]);
  }
  code = code == REBAL_OK ? allocate_counters(call) : code;
  return code == REBAL_OK ? rebali_plan_budgets_allow(call) : code;
}

void rebali_limits_end(struct rebali_move_limits *limits) {
  for (size_t i = 0; limits != NULL && i < limits->n; i++) {
    rebali_intern_free(limits->items[i].subjects);
  }
}
