/* SPDX-License-Identifier: MIT */
/* Lists of pods: which of them go first, and when they get ready. */
#include "simulation/cluster/pods.h"

#include <stdlib.h>

int32_t rebali_pods_add(struct rebali_pods *pods, const struct rebali_pod *pod, rebal_error *err) {
  const int32_t code = rebali_make_room(&pods->list, &pods->capacity, pods->n + 1, sizeof *pods->list, err);
  if (code == REBAL_OK) {
    pods->list[pods->n++] = *pod;
  }
  return code;
}

size_t rebali_pods_sweep(struct rebali_pods *pods) {
  const size_t n = pods->n;
  size_t kept = 0;
  for (size_t i = 0; i < n; i++) {
    if (!pods->list[i].is_gone) {
      pods->list[kept++] = pods->list[i];
    }
  }
  pods->n = kept;
  return n - kept;
}

int64_t rebali_pods_count(const struct rebali_pods *pods) {
  int64_t n = 0;
  for (size_t i = 0; i < pods->n; i++) {
    n += pods->list[i].is_gone ? 0 : pods->list[i].count;
  }
  return n;
}

int64_t rebali_pods_ready(const struct rebali_pods *pods) {
  int64_t n = 0;
  for (size_t i = 0; i < pods->n; i++) {
    n += pods->list[i].is_ready ? pods->list[i].count : 0;
  }
  return n;
}

int64_t rebali_pods_pending(const struct rebali_pods *pods) {
  int64_t n = 0;
  for (size_t i = 0; i < pods->n; i++) {
    n += pods->list[i].since.is_set ? pods->list[i].count : 0;
  }
  return n;
}

/* ---- which go first ---------------------------------------------------------------------------------------------- */

static int compare(int64_t left, int64_t right) {
  return (left > right) - (left < right);
}

/* The later goes first; one that is not set, before all. */
static int compare_times(const rebal_time *left, const rebal_time *right) {
  if (!left->is_set || !right->is_set) {
    return compare(left->is_set, right->is_set);
  }
  return rebali_time_compare(right, left);
}

static int compare_by(uint32_t rule, const struct rebali_pod *left, const struct rebali_pod *right) {
  switch (rule) {
    case REBAL_DELETION_RULE_NUMBERED:
      return compare(right->ordinal, left->ordinal);
    case REBAL_DELETION_RULE_WITHOUT_NODE:
      return compare(left->has_node, right->has_node);
    case REBAL_DELETION_RULE_PENDING:
      return compare(left->phase, right->phase);
    case REBAL_DELETION_RULE_NOT_READY:
      return compare(left->is_ready, right->is_ready);
    case REBAL_DELETION_RULE_CHEAPER:
      return compare(left->cost, right->cost);
    case REBAL_DELETION_RULE_READY_LATER:
      return left->is_ready ? compare_times(&left->ready_since, &right->ready_since) : 0;
    case REBAL_DELETION_RULE_RESTARTED:
      return compare(right->restarts, left->restarts);
    case REBAL_DELETION_RULE_YOUNGER:
      return compare_times(&left->created, &right->created);
    default:
      return compare((int64_t)right->order, (int64_t)left->order);
  }
}

uint32_t rebali_pod_rule(const struct rebali_pod *left, const struct rebali_pod *right) {
  uint32_t rule = REBAL_DELETION_RULE_NUMBERED;
  while (rule <= REBAL_DELETION_RULE_YOUNGER && compare_by(rule, left, right) == 0) {
    rule++;
  }
  return rule <= REBAL_DELETION_RULE_YOUNGER ? rule : REBAL_DELETION_RULE_NONE;
}

int rebali_pod_goes_before(const struct rebali_pod *left, const struct rebali_pod *right) {
  return compare_by(rebali_pod_rule(left, right), left, right) < 0;
}

static int compare_places(const void *left, const void *right, const void *context) {
  (void)context;
  return rebali_pod_goes_before(*(struct rebali_pod *const *)left, *(struct rebali_pod *const *)right) ? -1 : 1;
}

int32_t rebali_pods_in_order(const struct rebali_pods *pods, struct rebali_pod ***out, size_t *n, rebal_error *err) {
  struct rebali_pod **places = malloc((2 * pods->n + 1) * sizeof(*places));
  *n = 0;
  *out = places;
  if (places == NULL) {
    return rebali_fail_memory(err);
  }
  for (size_t i = 0; i < pods->n; i++) {
    if (!pods->list[i].is_gone && !pods->list[i].is_done) {
      places[(*n)++] = &pods->list[i];
    }
  }
  rebali_sort(places, *n, sizeof(*places), places + *n, compare_places, NULL);
  return REBAL_OK;
}

/* ---- time -------------------------------------------------------------------------------------------------------- */

void rebali_pod_start(struct rebali_pod *pod, const rebal_time *now, int64_t ready_after_ns, int is_running) {
  pod->is_ready = 0;
  pod->ready_at = (rebal_time){0, 0, 0};
  if (is_running) {
    pod->ready_at = rebali_time_after(now, ready_after_ns);
  }
}

size_t rebali_pods_ripen(struct rebali_pods *pods, const rebal_time *now) {
  size_t n = 0;
  for (size_t i = 0; i < pods->n; i++) {
    struct rebali_pod *pod = &pods->list[i];
    if (rebali_time_is_due(&pod->ready_at, now)) {
      pod->ready_since = pod->ready_at;
      pod->ready_at.is_set = 0;
      pod->is_ready = 1;
      n++;
    }
  }
  return n;
}

void rebali_pods_next(const struct rebali_pods *pods, rebal_time *next) {
  for (size_t i = 0; i < pods->n; i++) {
    rebali_time_lower(next, &pods->list[i].ready_at);
    rebali_time_lower(next, &pods->list[i].leaves_at);
  }
}
