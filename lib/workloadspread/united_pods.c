/* SPDX-License-Identifier: MIT */
#include "workloadspread/pods.h"
#include "workloadspread/united_step.h"

/* Returns the first subset with the name in the pod, or n. */
static size_t find_subset(const struct rebali_united_step *step, uint32_t pod) {
  const struct rebali_text name = rebali_pods_text(step->pods, REBAL_SPREAD_POD_UNITED_SUBSET, pod);
  size_t at;

  REBALI_BISECT(at, step->united.n, rebali_text_compare(step->united.subsets[step->by_name[at]].name, name) < 0);
  return at < step->united.n && rebali_text_equal(step->united.subsets[step->by_name[at]].name, name)
             ? step->by_name[at]
             : step->united.n;
}

static int64_t left_ns(const struct rebali_united_step *step, uint32_t column, uint32_t pod, int64_t seconds) {
  const rebal_time since = rebali_pods_time(step->pods, column, pod);

  return rebali_time_left_ns(step->now, &since, seconds);
}

/* Returns whether a moment has passed. If not, sets a timer for it. */
static int is_past(struct rebali_united_step *step, int64_t left) {
  if (left >= 0) {
    rebali_united_look_again(step, left);
  }
  return left < 0;
}

/* Returns whether a pod waits too long for a node (rebalance-workloadspread(7) 2.2). */
static int is_stuck(struct rebali_united_step *step, uint32_t pod) {
  const rebal_pods *pods = step->pods;

  return !rebali_pods_i64(pods, REBAL_SPREAD_POD_DELETING, pod) &&
         rebali_pods_i64(pods, REBAL_SPREAD_POD_PHASE, pod) == REBAL_POD_PHASE_PENDING &&
         rebali_pods_i64(pods, REBAL_SPREAD_POD_NODE, pod) == REBAL_ABSENT &&
         rebali_pods_i64(pods, REBAL_SPREAD_POD_UNSCHEDULABLE, pod) != 0 &&
         is_past(step, left_ns(step, REBAL_SPREAD_POD_CREATED, pod, step->critical_seconds));
}

static int is_updated(const struct rebali_united_step *step, uint32_t pod) {
  return rebali_text_equal(rebali_pods_text(step->pods, REBAL_SPREAD_POD_UNITED_REVISION, pod), step->revision);
}

/*
 * Returns whether a pod in reserve stays there. To leave it must run the updated revision and be ready for long enough.
 */
static int stays_in_reserve(struct rebali_united_step *step, uint32_t pod) {
  return rebali_pods_i64(step->pods, REBAL_SPREAD_POD_PHASE, pod) != REBAL_POD_PHASE_RUNNING ||
         !is_updated(step, pod) || !rebali_pods_i64(step->pods, REBAL_SPREAD_POD_READY, pod) ||
         !is_past(step, left_ns(step, REBAL_SPREAD_POD_READY_SINCE, pod, step->hold_seconds));
}

/* Returns whether a pod that is not in reserve enters it. */
static int goes_to_reserve(struct rebali_united_step *step, uint32_t pod) {
  if (is_updated(step, pod)) {
    return is_stuck(step, pod);
  }
  return step->has_update && !rebali_pods_i64(step->pods, REBAL_SPREAD_POD_DELETING, pod) &&
         is_past(step, rebali_time_left_ns(step->now, &step->update_since, step->critical_seconds));
}

static int32_t label(struct rebali_united_step *step, uint32_t pod, int is_reserved) {
  struct rebali_action action = rebali_united_action(step, REBAL_ACTION_KIND_PATCH_METADATA);
  int32_t code;

  (void)rebal_builder_start(step->builder, REBAL_OBJECT_POD_PATCH, NULL);
  (void)rebal_builder_i64(step->builder, REBAL_POD_PATCH_RESERVED, is_reserved, NULL);
  code = rebal_builder_finish(step->builder, &action.payload, step->united.err);
  action.api_version = REBALI_TEXT("v1");
  action.object_kind = REBALI_TEXT("Pod");
  action.name = rebali_pods_text(step->pods, REBAL_SPREAD_POD_NAME, pod);
  action.uid = rebali_pods_text(step->pods, REBAL_SPREAD_POD_UID, pod);
  action.row = pod;
  return code == REBAL_OK ? rebali_united_add_action(step, action) : code;
}

static int32_t judge(struct rebali_united_step *step, size_t subset, uint32_t pod) {
  const int64_t label_now = rebali_pods_i64(step->pods, REBAL_SPREAD_POD_RESERVED, pod);
  const int is_marked = (step->united.subsets[subset].state & REBAL_UNITED_STATE_MARKED) != 0;
  int is_reserved;

  if (label_now == REBAL_ABSENT && is_marked) {
    is_reserved = 1;
  } else {
    is_reserved = label_now == 1 ? stays_in_reserve(step, pod) : goes_to_reserve(step, pod);
  }
  step->united.subsets[subset].reserved += is_reserved;
  return label_now == is_reserved ? REBAL_OK : label(step, pod, is_reserved);
}

static int32_t examine_object(struct rebali_united_step *step, uint32_t pod) {
  const size_t subset = find_subset(step, pod);

  if (subset == step->united.n || step->united.subsets[subset].state == 0) {
    return REBAL_OK;
  }
  if (step->united.reserves) {
    return judge(step, subset, pod);
  }
  if (step->united.subsets[subset].ready < step->united.subsets[subset].observed) {
    step->stuck[subset] += is_stuck(step, pod);
  }
  return REBAL_OK;
}

static int compare_names(const void *left, const void *right, const void *context) {
  const struct rebali_united_subset *subsets = context;

  return rebali_text_compare(subsets[*(const size_t *)left].name, subsets[*(const size_t *)right].name);
}

static int32_t sort_names(struct rebali_united_step *step) {
  size_t *scratch = rebali_arena_allocate(step->united.arena, step->united.n, sizeof *scratch);

  step->by_name = rebali_arena_allocate(step->united.arena, step->united.n, sizeof *step->by_name);
  step->stuck = rebali_arena_allocate_zero(step->united.arena, step->united.n, sizeof *step->stuck);
  if (scratch == NULL || step->by_name == NULL || step->stuck == NULL) {
    return rebali_fail_memory(step->united.err);
  }
  for (size_t i = 0; i < step->united.n; i++) {
    step->by_name[i] = i;
  }
  rebali_sort(step->by_name, step->united.n, sizeof *step->by_name, scratch, compare_names, step->united.subsets);
  return REBAL_OK;
}

int32_t rebali_united_examine_pods(struct rebali_united_step *step) {
  uint32_t pod = REBAL_NONE;
  int32_t code = sort_names(step);

  for (size_t i = 0; code == REBAL_OK && step->rows != NULL && i < step->n_rows; i++) {
    code = examine_object(step, step->rows[i]);
  }
  while (code == REBAL_OK && step->rows == NULL && (pod = rebali_pods_next(step->pods, pod)) != REBAL_NONE) {
    code = examine_object(step, pod);
  }
  return code;
}
