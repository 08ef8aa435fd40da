/* SPDX-License-Identifier: MIT */
/* Which pod of a workload goes first, as the controllers of Kubernetes and OpenKruise compare them. */
#include "workloads.h"

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

int rebali_pod_goes_before(const struct rebali_owned_pod *left, const struct rebali_owned_pod *right) {
  const int orders[] = {compare(left->has_node, right->has_node),
                        compare(left->phase, right->phase),
                        compare(left->is_ready, right->is_ready),
                        compare(left->cost, right->cost),
                        left->is_ready ? compare_times(&left->ready_since, &right->ready_since) : 0,
                        compare(right->restarts, left->restarts),
                        compare_times(&left->created, &right->created)};
  for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
    if (orders[i] != 0) {
      return orders[i] < 0;
    }
  }
  return left->object > right->object; /* of one moment: the one that was made last */
}
