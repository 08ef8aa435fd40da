/* SPDX-License-Identifier: MIT */
/* The start of a flow of least cost: present replicas, within the bounds. */
#include "plan/movement/movement.h"

static int64_t least(int64_t left, int64_t right) {
  return left < right ? left : right;
}

static void plan_more(struct rebali_movement *movement, size_t index, int64_t count) {
  int64_t *left = &movement->left[movement->problem.clusters[index]];

  movement->pairs[index].planned += (int32_t)count; /* within most of the pair */
  movement->waiting[movement->pairs[index].binding] -= count;
  if (*left != INT64_MAX) {
    *left -= count;
  }
}

static void keep_present(struct rebali_movement *movement) {
  for (size_t index = 0; index < movement->n_pairs; index++) {
    plan_more(movement, index, movement->pairs[index].kept_most);
  }
}

/*
 * Removes surplus replicas of a binding, first from clusters over capacity. The next replica of such a binding would be
 * a kept one, so its price is below 0.
 */
static void remove_surplus(struct rebali_movement *movement, size_t binding) {
  const uint64_t *offsets = movement->problem.offsets;

  movement->prices[movement->n_clusters + binding] = -rebali_movement_weight(movement, binding);
  for (int is_any = 0; is_any < 2; is_any++) {
    for (size_t index = (size_t)offsets[binding]; index < offsets[binding + 1] && movement->waiting[binding] < 0;
         index++) {
      const int64_t over = -movement->left[movement->problem.clusters[index]];
      const int64_t count = least(movement->pairs[index].planned, -movement->waiting[binding]);

      if (is_any) {
        plan_more(movement, index, -count);
      } else if (over > 0) {
        plan_more(movement, index, -least(count, over));
      }
    }
  }
}

static void add_missing(struct rebali_movement *movement, size_t binding) {
  const uint64_t *offsets = movement->problem.offsets;

  for (size_t index = (size_t)offsets[binding]; index < offsets[binding + 1] && movement->waiting[binding] > 0;
       index++) {
    const struct rebali_movement_pair *pair = &movement->pairs[index];
    const int64_t left = movement->left[movement->problem.clusters[index]];
    const int64_t count = least(pair->most - pair->planned, movement->waiting[binding]);

    if (left > 0) {
      plan_more(movement, index, least(count, left));
    }
  }
}

int rebali_movement_start(struct rebali_movement *movement) {
  int is_waiting = 0;

  keep_present(movement);
  for (size_t binding = 0; binding < movement->n_bindings; binding++) {
    if (movement->waiting[binding] < 0) {
      remove_surplus(movement, binding);
    }
  }
  for (size_t binding = 0; binding < movement->n_bindings; binding++) {
    add_missing(movement, binding);
    is_waiting |= movement->waiting[binding] > 0;
  }
  for (size_t cluster = 0; cluster < movement->n_clusters; cluster++) {
    is_waiting |= movement->left[cluster] < 0;
  }
  return is_waiting;
}
