/* SPDX-License-Identifier: MIT */
/* tests/waves/world.h - the members, the bindings, and everyone who writes to them. */
#ifndef WORLD_H
#define WORLD_H

#include "plan/plan.h"
#include "waves.h"

/* What a member does of one binding. */
struct cell {
  int64_t runs, ready;
  int64_t stated_runs, stated_ready; /* the status item; UNKNOWN: there is none */
  int64_t seen_z, since;
  int is_broken; /* its pods are never ready */
  int is_dark;   /* there is never a status item */
};

struct binding {
  struct aim aim;
  int64_t replicas; /* spec.replicas */
  int64_t z[CLUSTERS];
  int is_listed[CLUSTERS];
  struct cell cells[CLUSTERS];
  int64_t version;
  char uid[24]; /* u and a number */
  int is_gone, is_replaced, is_deleting, is_scaled;
  /* beside Karmada */
  int is_suspended, is_held, is_triggered; /* is_held: the suspension is someone else's */
  char mark[128];
  int64_t kept[CLUSTERS];
  int64_t budget; /* writes that are left to be permitted */
  char app;       /* label of its pods; 0: not known */
};

struct world {
  struct dice dice;
  uint64_t seed;
  size_t n_bindings, n_clusters;
  struct binding bindings[BINDINGS];
  int64_t capacity[CLUSTERS]; /* units */
  size_t n_budgets;
  struct budget budgets[BUDGETS];
  int is_over_clusters;
  int is_lost[CLUSTERS];
  int is_karmada;
  int is_drained[CLUSTERS];
  uint32_t drained[CLUSTERS];
  int is_back, is_counted;        /* is_counted: summaries count what members run */
  uint32_t lag, failures, others; /* percent */
  int64_t tick, calm;             /* calm: nothing fails, and no one else writes, from this tick on */
  int64_t changed;                /* the last tick in which something changed */
  rebal_plan *plan;
  struct rebali_plan_row rows[BINDINGS];
  struct rebali_plan_cell plan_cells[BINDINGS * CLUSTERS];
  uint32_t lost[CLUSTERS];
};

int64_t world_now(const struct world *world);
static inline int64_t world_aim(const struct world *world, size_t b, size_t c) {
  return world->is_lost[c] ? 0 : world->is_back ? world->bindings[b].aim.x[c] : world->bindings[b].aim.y[c];
}
/* draw.c */
void world_draw(struct world *world, uint64_t seed);
/* A binding that is this far from its aim may be written so often. */
int64_t world_budget(const struct world *world, size_t b);
/* members.c: one tick of the members, then what they say of themselves. */
void world_live(struct world *world);
/* Someone else writes, perhaps. */
void world_disturb(struct world *world);
/* scheduler.c: Karmada's puts right what it may. */
void world_schedule(struct world *world);
/* call.c: one call of the library; REBAL_OK or what it failed with. is_other: with a fleet and context of its own. */
int32_t world_request(struct world *world, int is_other, struct verdict *verdicts);
void world_open_plan(struct world *world);
void world_close(void);

#endif
