/* SPDX-License-Identifier: MIT */
/*
 * tests/unit/plan/waves.h - a plan made by hand, observations of its bindings, and the result of rebal_plan_step() as
 * text. Placements are written "a=3 b=1"; reports of members "a=3/2 b=1/1@100 c=/1": replicas / ready @ since. Omitted
 * parts are unknown.
 */
#ifndef WAVES_H
#define WAVES_H

#include "../../support/fleet_builder.h"
#include "../unit.h"
#include "plan/plan.h"

#define WAVES_NOW 1000
#define WAVES_MADE 900 /* when the plan was made; its deadline is 600 s */

struct waves {
  struct test_world world;
  rebal_plan *plan;
  struct rebali_plan_row rows[8];
  struct rebali_plan_cell cells[64];
  uint32_t lost[8], drained[8];
  rebal_bindings *seen;
  rebal_plan_step_opts opts;
  rebal_time now;
};

/* Opens a fleet whose clusters have capacity for that many pods: "a=10 b=10". */
void waves_open(struct waves *waves, const char *pods);
void waves_close(struct waves *waves);
/* Adds a row of the plan: from x to y. */
struct rebali_plan_row *waves_plan(struct waves *waves, const char *name, int32_t replicas, const char *from,
                                   const char *to, int32_t max_surge, int32_t max_unavailable);
void waves_lose(struct waves *waves, const char *cluster);
/* Removes the observations. */
void waves_forget(struct waves *waves);
/* Adds a binding of the namespace default as observed; returns its row. */
uint32_t waves_see(struct waves *waves, const struct test_binding *binding, const char *items);
/* The same with a name, replicas, targets and items. */
uint32_t waves_see_plainly(struct waves *waves, const char *key, int64_t replicas, const char *targets,
                           const char *items);
int32_t waves_step(struct waves *waves);
/* test_torture() of the same step, with its own context and result: the result of the last step stays. */
const char *waves_torture(struct waves *waves);
/* A row of the result: "moving a=3 b=1", "blocked capacity b", "waiting floor c foreign". Valid until the next call. */
const char *waves_row(struct waves *waves, size_t row);
int64_t waves_cell(struct waves *waves, uint32_t column, size_t row);
/* The row of ACTION with the ordinal; SIZE_MAX: none. */
size_t waves_action(struct waves *waves, int64_t ordinal);
/* Observes one binding "default/web", makes a step, and returns its row as text. */
const char *waves_answer(struct waves *waves, const char *targets, const char *items);

#endif
