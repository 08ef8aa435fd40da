/* SPDX-License-Identifier: MIT */
/*
 * What Karmada's scheduler does: while scheduling is not suspended it puts right a sum that differs from the replicas,
 * and decides anew after a trigger; clusters of tasks get nothing.
 */
#include "world.h"

static int64_t sum_of(const struct world *world, const struct binding *binding) {
  int64_t sum = 0;

  for (size_t c = 0; c < world->n_clusters; c++) {
    sum += binding->z[c];
  }
  return sum;
}

static void put_right(struct world *world, struct binding *binding) {
  size_t c = roll(&world->dice, (uint32_t)world->n_clusters);
  int64_t sum = sum_of(world, binding);

  for (; sum > binding->replicas; sum--) {
    while (binding->z[c] == 0) {
      c = (c + 1) % world->n_clusters;
    }
    binding->z[c]--;
    binding->is_listed[c] = binding->z[c] > 0;
  }
  for (size_t tries = 0; sum < binding->replicas && tries < world->n_clusters;
       tries++, c = (c + 1) % world->n_clusters) {
    if (binding->kept[c] == 0) {
      binding->z[c] += binding->replicas - sum;
      sum = binding->replicas;
      binding->is_listed[c] = binding->z[c] > 0;
    }
  }
}

void world_schedule(struct world *world) {
  for (size_t b = 0; b < world->n_bindings; b++) {
    struct binding *binding = &world->bindings[b];

    if (world->tick >= world->calm && binding->is_held) {
      binding->is_suspended = binding->is_held = 0;
      binding->version++;
    }
    if (!world->is_karmada || binding->is_suspended || binding->is_gone || binding->is_deleting ||
        (!binding->is_triggered && sum_of(world, binding) == binding->replicas) ||
        (world->tick < world->calm && chance(&world->dice, 30))) {
      continue;
    }
    if (binding->is_triggered) {
      for (size_t c = 0; c < world->n_clusters; c++) {
        binding->z[c] = 0;
        binding->is_listed[c] = 0;
      }
      binding->is_triggered = 0;
    }
    put_right(world, binding);
    binding->version++;
    binding->budget = world_budget(world, b);
    world->changed = world->tick;
  }
}
