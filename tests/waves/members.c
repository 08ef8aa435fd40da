/* SPDX-License-Identifier: MIT */
/* What members do: slowly what is assigned to them; and what goes wrong. */
#include "world.h"

#include <stdio.h>

int64_t world_now(const struct world *world) {
  return 1000 + world->tick * TICK_SECONDS;
}

static int64_t units_running(const struct world *world, size_t c) {
  int64_t sum = 0;

  for (size_t b = 0; b < world->n_bindings; b++) {
    sum += world->bindings[b].aim.need * world->bindings[b].cells[c].runs;
  }
  return sum;
}

static int64_t some(struct world *world, int64_t most) {
  return most <= 0 ? 0 : 1 + roll(&world->dice, (uint32_t)most);
}

/* Which pods are stopped is the member's choice. */
static void stop(struct world *world, struct cell *cell, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    if (cell->ready > 0 && (cell->ready == cell->runs || chance(&world->dice, 50))) {
      cell->ready--;
    }
    cell->runs--;
  }
}

static void live_cell(struct world *world, size_t b, size_t c) {
  struct binding *binding = &world->bindings[b];
  struct cell *cell = &binding->cells[c];
  const int64_t assigned = binding->z[c] > binding->kept[c] ? binding->z[c] : binding->kept[c];
  const int64_t z = binding->is_gone ? 0 : assigned;
  const int64_t runs = cell->runs, ready = cell->ready;
  const int may_fail = world->tick < world->calm && chance(&world->dice, world->failures);

  if (may_fail) {
    stop(world, cell, some(world, cell->runs)); /* evicted: others are started */
    cell->ready = cell->ready > 0 && chance(&world->dice, 50) ? cell->ready - 1 : cell->ready;
  } else if (cell->runs > z && chance(&world->dice, 70)) {
    stop(world, cell, some(world, cell->runs - z));
  } else if (cell->runs < z && chance(&world->dice, 70)) {
    const int64_t space = (world->capacity[c] - units_running(world, c)) / binding->aim.need;
    const int64_t wanted = some(world, z - cell->runs);

    cell->runs += space < 0 ? 0 : space < wanted ? space : wanted;
  } else if (cell->ready < cell->runs && !cell->is_broken && chance(&world->dice, 70)) {
    cell->ready += some(world, cell->runs - cell->ready);
  }
  if (cell->runs != runs || cell->ready != ready || (cell->ready < cell->runs && !cell->is_broken)) {
    world->changed = world->tick;
  }
}

/* The status item, which may be late, or missing for a while. */
static void say(struct world *world, size_t b, size_t c) {
  struct binding *binding = &world->bindings[b];
  struct cell *cell = &binding->cells[c];
  const int64_t stated_runs = cell->stated_runs, stated_ready = cell->stated_ready;
  const int is_calm = world->tick >= world->calm;

  if (is_calm || !chance(&world->dice, world->lag)) {
    cell->stated_runs = cell->runs;
    cell->stated_ready = cell->ready;
  }
  if (cell->is_dark || (!is_calm && world->lag > 0 && chance(&world->dice, 5))) {
    cell->stated_runs = cell->stated_ready = UNKNOWN;
  }
  if (cell->stated_runs != stated_runs || cell->stated_ready != stated_ready || cell->seen_z != binding->z[c]) {
    cell->since = world_now(world);
    cell->seen_z = binding->z[c];
    world->changed = world->tick;
  }
}

void world_live(struct world *world) {
  for (size_t b = 0; b < world->n_bindings; b++) {
    for (size_t c = 0; c < world->n_clusters; c++) {
      if (!world->is_lost[c]) {
        live_cell(world, b, c);
      }
    }
  }
  for (size_t b = 0; b < world->n_bindings; b++) {
    for (size_t c = 0; c < world->n_clusters; c++) {
      say(world, b, c);
    }
  }
}

static void move_some(struct world *world, struct binding *binding) {
  const size_t from = roll(&world->dice, (uint32_t)world->n_clusters);
  const size_t to = roll(&world->dice, (uint32_t)world->n_clusters);
  const int64_t count = chance(&world->dice, 30) ? 0 : some(world, binding->z[from]);

  binding->z[from] -= count;
  binding->z[to] += count + chance(&world->dice, 15);
  binding->is_listed[to] |= binding->z[to] > 0;
}

/* Karmada's bindings are also suspended and triggered. */
static void disturb_karmada(struct world *world, struct binding *binding) {
  if (chance(&world->dice, 50)) {
    binding->is_triggered = 1;
  } else if (!binding->is_suspended) {
    binding->is_suspended = binding->is_held = 1;
  } else if (binding->is_suspended) {
    binding->is_suspended = binding->is_held = 0;
  }
}

static void disturb(struct world *world, struct binding *binding) {
  if (world->is_karmada && chance(&world->dice, 30)) {
    disturb_karmada(world, binding);
  } else if (chance(&world->dice, 80)) {
    move_some(world, binding);
  } else if (chance(&world->dice, 30)) {
    binding->is_gone = 1;
  } else if (chance(&world->dice, 30)) {
    binding->is_deleting = 1;
  } else if (chance(&world->dice, 50)) {
    binding->is_replaced = 1;
    (void)snprintf(binding->uid, sizeof binding->uid, "new");
  } else {
    binding->is_scaled = !binding->is_scaled;
    binding->replicas = binding->aim.replicas + (binding->is_scaled ? 1 : 0);
  }
}

void world_disturb(struct world *world) {
  struct binding *binding = &world->bindings[roll(&world->dice, (uint32_t)world->n_bindings)];

  if (world->tick >= world->calm || !chance(&world->dice, world->others)) {
    return;
  }
  disturb(world, binding);
  binding->version++;
  binding->budget = world_budget(world, (size_t)(binding - world->bindings));
  world->changed = world->tick;
}
