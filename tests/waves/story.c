/* SPDX-License-Identifier: MIT */
/* One plan, carried out to its end. */
#include "world.h"

#include <stdio.h>
#include <string.h>

#define LAST_TICK 400

static char fault_text[256];

static const char *fail(const struct world *world, const char *what) {
  (void)snprintf(fault_text, sizeof fault_text, "seed %llu, tick %lld: %s", (unsigned long long)world->seed,
                 (long long)world->tick, what);
  return fault_text;
}

static const char *check(const struct world *world, const struct verdict *verdicts) {
  struct aim aims[BINDINGS];
  struct sight sights[BINDINGS];
  struct moment moment = {.now = world_now(world),
                          .n_bindings = world->n_bindings,
                          .n_clusters = world->n_clusters,
                          .aims = aims,
                          .sights = sights,
                          .verdicts = verdicts,
                          .capacity = world->capacity,
                          .is_lost = world->is_lost,
                          .is_back = world->is_back,
                          .is_karmada = world->is_karmada,
                          .n_budgets = world->n_budgets,
                          .budgets = world->budgets,
                          .is_over_clusters = world->is_over_clusters};

  memset(sights, 0, sizeof sights);
  for (size_t b = 0; b < world->n_bindings; b++) {
    const struct binding *binding = &world->bindings[b];

    aims[b] = binding->aim;
    sights[b].is_suspended = binding->is_suspended;
    sights[b].is_marked = binding->mark[0] != '\0';
    sights[b].is_triggered = binding->is_triggered;
    sights[b].app = binding->app;
    sights[b].is_present = !binding->is_gone && !binding->is_replaced && !binding->is_deleting && !binding->is_scaled;
    for (size_t c = 0; c < world->n_clusters && !binding->is_gone; c++) {
      sights[b].z[c] = world->is_lost[c] ? 0 : binding->z[c];
      sights[b].raw[c] = binding->z[c];
      sights[b].sum += binding->z[c];
      sights[b].reported[c] = binding->cells[c].stated_runs;
      sights[b].ready[c] = binding->cells[c].stated_ready;
      sights[b].since[c] = binding->cells[c].since;
      sights[b].kept[c] = world->is_lost[c] ? 0 : binding->kept[c];
    }
  }
  return check_moment(&moment);
}

static void write(struct binding *binding, const struct verdict *verdict, size_t n_clusters) {
  for (size_t c = 0; c < n_clusters; c++) {
    binding->z[c] = verdict->next[c];
    binding->is_listed[c] = verdict->next[c] > 0;
    binding->kept[c] = verdict->kept[c];
  }
  binding->is_suspended = verdict->is_suspended;
  memcpy(binding->mark, verdict->mark, sizeof binding->mark);
  binding->version++;
}

/* What is sent arrives, unless someone else was quicker. */
static const char *send(struct world *world, const struct verdict *verdicts, struct story_counts *counts) {
  int64_t versions[BINDINGS];

  for (size_t b = 0; b < world->n_bindings; b++) {
    versions[b] = world->bindings[b].version;
  }
  world_disturb(world);
  for (size_t b = 0; b < world->n_bindings; b++) {
    struct binding *binding = &world->bindings[b];

    if (!verdicts[b].is_written) {
      continue;
    }
    if (verdicts[b].is_written > 1) {
      return "two writes of a binding in one wave";
    }
    world->changed = world->tick;
    if (binding->version != versions[b] || (world->tick < world->calm && chance(&world->dice, 5))) {
      counts->refused++;
      continue;
    }
    if (binding->budget-- <= 0) {
      return "more writes than 2 x sum |x - y| + 2";
    }
    write(binding, &verdicts[b], world->n_clusters);
    counts->writes++;
  }
  return NULL;
}

static const char *check_others(struct world *world, const struct verdict *verdicts) {
  struct verdict again[BINDINGS];

  if (!chance(&world->dice, 5)) {
    return NULL;
  }
  if (world_request(world, 1, again) != REBAL_OK) {
    return "the call failed with another fleet";
  }
  return memcmp(again, verdicts, sizeof again) == 0 ? NULL : "another fleet gives another wave";
}

/* The end: where everything rests, every binding is done, or blocked for good. */
static const char *judge(const struct world *world, const struct verdict *verdicts, struct story_counts *counts) {
  for (size_t b = 0; b < world->n_bindings; b++) {
    if (verdicts[b].state == REBAL_WAVE_STATE_MOVING || verdicts[b].state == REBAL_WAVE_STATE_WAITING) {
      return "everything rests, but a binding is to go on";
    }
    if (verdicts[b].state == REBAL_WAVE_STATE_NOT_NOW && verdicts[b].reason != REBAL_WAVE_REASON_PLANNED_SUM) {
      return "everything rests, but it is not now";
    }
    counts->done += verdicts[b].state == REBAL_WAVE_STATE_DONE;
    counts->blocked += verdicts[b].state == REBAL_WAVE_STATE_BLOCKED;
  }
  return NULL;
}

static const char *run(struct world *world, struct story_counts *counts) {
  struct verdict verdicts[BINDINGS];

  for (;; world->tick++) {
    const char *fault;

    world_schedule(world);
    world_live(world);
    if (world->tick < world->calm && chance(&world->dice, 1)) {
      world->is_back = !world->is_back;
      for (size_t b = 0; b < world->n_bindings; b++) {
        world->bindings[b].budget = world_budget(world, b);
      }
    }
    if (world_request(world, 0, verdicts) != REBAL_OK) {
      return "the call failed";
    }
    counts->moments++;
    fault = check(world, verdicts);
    fault = fault == NULL ? check_others(world, verdicts) : fault;
    fault = fault == NULL ? send(world, verdicts, counts) : fault;
    if (fault != NULL) {
      return fault;
    }
    for (size_t b = 0; b < world->n_bindings; b++) {
      counts->foreign += (uint64_t)(verdicts[b].is_foreign != 0);
      counts->cycles += verdicts[b].cycle == (int64_t)b;
      counts->guarded += verdicts[b].reason == REBAL_WAVE_REASON_BUDGET;
    }
    if (world->tick > world->calm && world->tick - world->changed > DEADLINE_SECONDS / TICK_SECONDS + 1) {
      return judge(world, verdicts, counts);
    }
    if (world->tick >= LAST_TICK) {
      return "it does not end";
    }
  }
}

const char *run_story(uint64_t seed, struct story_counts *counts) {
  static struct world world;
  const char *fault;

  world_draw(&world, seed);
  world_open_plan(&world);
  fault = run(&world, counts);
  world.plan->rows = NULL; /* they are the world's */
  world.plan->cells = NULL;
  rebal_plan_free(world.plan);
  return fault == NULL ? NULL : fail(&world, fault);
}
