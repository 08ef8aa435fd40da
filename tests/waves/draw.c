/* SPDX-License-Identifier: MIT */
/* A random plan, and the world in which it is carried out. */
#include "world.h"

#include <stdio.h>
#include <string.h>

static void place(struct world *world, int64_t replicas, int64_t *out) {
  const size_t one = roll(&world->dice, (uint32_t)world->n_clusters);

  for (int64_t i = 0; i < replicas; i++) {
    out[chance(&world->dice, 40) ? one : roll(&world->dice, (uint32_t)world->n_clusters)]++;
  }
}

static void draw_aim(struct world *world, struct aim *aim) {
  const int64_t replicas = roll(&world->dice, 7);
  const int is_copied = chance(&world->dice, 5);

  aim->replicas = replicas;
  aim->need = chance(&world->dice, 30) ? 2 : 1;
  aim->max_surge = roll(&world->dice, 4);
  aim->max_unavailable = roll(&world->dice, 4);
  aim->max_unavailable += aim->max_surge == 0 && aim->max_unavailable == 0;
  if (is_copied) {
    for (size_t c = 0; c < world->n_clusters; c++) {
      aim->x[c] = chance(&world->dice, 50) ? replicas : 0;
      aim->y[c] = chance(&world->dice, 50) ? replicas : 0;
    }
    return;
  }
  place(world, chance(&world->dice, 10) ? roll(&world->dice, 8) : replicas, aim->x); /* scaled a moment ago */
  place(world, chance(&world->dice, 10) && replicas > 0 ? replicas - 1 : replicas, aim->y);
}

static void draw_binding(struct world *world, size_t b) {
  struct binding *binding = &world->bindings[b];
  const uint32_t broken = chance(&world->dice, 15) ? 15 : 0, dark = chance(&world->dice, 10) ? 15 : 0;

  draw_aim(world, &binding->aim);
  binding->replicas = binding->aim.replicas;
  binding->version = 1;
  (void)snprintf(binding->uid, sizeof binding->uid, "u%zu", b);
  for (size_t c = 0; c < world->n_clusters; c++) {
    struct cell *cell = &binding->cells[c];

    binding->z[c] = binding->aim.x[c];
    binding->is_listed[c] = binding->z[c] > 0;
    cell->is_broken = chance(&world->dice, broken);
    cell->is_dark = chance(&world->dice, dark);
    cell->runs = world->is_lost[c] ? 0 : binding->z[c];
    cell->ready = cell->is_broken ? 0 : cell->runs;
    cell->stated_runs = cell->runs;
    cell->stated_ready = cell->ready;
    cell->seen_z = binding->z[c];
  }
}

static void draw_capacity(struct world *world) {
  const int is_tight = chance(&world->dice, 60);

  for (size_t c = 0; c < world->n_clusters; c++) {
    world->capacity[c] = chance(&world->dice, 10) ? 100 : roll(&world->dice, is_tight ? 3 : 12);
    for (size_t b = 0; b < world->n_bindings; b++) {
      world->capacity[c] += world->bindings[b].aim.need * world->bindings[b].aim.x[c];
    }
  }
}

static void draw_budgets(struct world *world) {
  static const char apps[] = {0, 'w', 'w', 'd'};

  world->n_budgets = chance(&world->dice, 40) ? 1 + (size_t)chance(&world->dice, 30) : 0;
  world->is_over_clusters = chance(&world->dice, 40);
  for (size_t i = 0; i < world->n_budgets; i++) {
    struct budget *budget = &world->budgets[i];

    budget->app = apps[roll(&world->dice, 4)];
    budget->cluster = chance(&world->dice, 30) ? (int64_t)roll(&world->dice, (uint32_t)world->n_clusters) : -1;
    budget->is_least = chance(&world->dice, 50);
    budget->is_percent = chance(&world->dice, 30);
    budget->number = budget->is_percent ? 10 * roll(&world->dice, 11) : roll(&world->dice, 5);
  }
  for (size_t b = 0; b < world->n_bindings; b++) {
    world->bindings[b].app = apps[chance(&world->dice, 90) ? 1 + roll(&world->dice, 3) : 0];
  }
}

int64_t world_budget(const struct world *world, size_t b) {
  int64_t sum = 0;

  for (size_t c = 0; c < world->n_clusters; c++) {
    const int64_t z = world->is_lost[c] ? 0 : world->bindings[b].z[c];
    const int64_t aim = world_aim(world, b, c);

    sum += z > aim ? z - aim : aim - z;
  }
  return 2 * sum + 2;
}

void world_draw(struct world *world, uint64_t seed) {
  memset(world, 0, sizeof *world);
  world->seed = seed;
  world->dice.state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
  (void)roll(&world->dice, 2);
  world->n_clusters = 2 + roll(&world->dice, CLUSTERS - 1);
  world->n_bindings = 1 + roll(&world->dice, BINDINGS);
  world->is_counted = chance(&world->dice, 50);
  world->lag = chance(&world->dice, 40) ? 50 : 0;
  world->failures = chance(&world->dice, 60) ? 10 : 0;
  world->others = chance(&world->dice, 40) ? 5 : 0;
  world->is_karmada = chance(&world->dice, 50);
  world->calm = 5 + roll(&world->dice, 30);
  if (chance(&world->dice, 10)) {
    world->is_lost[roll(&world->dice, (uint32_t)world->n_clusters)] = 1;
  }
  for (size_t b = 0; b < world->n_bindings; b++) {
    draw_binding(world, b);
  }
  draw_capacity(world);
  world->is_drained[0] = world->is_karmada && !world->is_lost[0] && chance(&world->dice, 40);
  for (size_t b = 0; b < world->n_bindings; b++) {
    for (size_t c = 0; c < world->n_clusters; c++) {
      if (world->is_lost[c] || world->is_drained[c]) { /* the plan has no replicas there */
        world->bindings[b].aim.y[(c + 1) % world->n_clusters] += world->bindings[b].aim.y[c];
        world->bindings[b].aim.y[c] = 0;
      }
    }
    world->bindings[b].budget = world_budget(world, b);
  }
  draw_budgets(world);
}
