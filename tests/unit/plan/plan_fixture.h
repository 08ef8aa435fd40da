/* SPDX-License-Identifier: MIT */
/* tests/unit/plan/plan_fixture.h - a plan of a small world, and its rows as texts. */
#ifndef PLAN_FIXTURE_H
#define PLAN_FIXTURE_H

#include "../../support/fleet_builder.h"

#define PLAN_NOW 1000000
#define PLAN_LISTS 8

struct plan_fixture {
  struct test_world world;
  rebal_time now;
  rebal_plan_opts opts; /* lists point into the arrays below */
  rebal_schedule_opts schedule;
  rebal_limit limits[PLAN_LISTS];
  const rebal_limit *limit_list[PLAN_LISTS];
  uint32_t drained[PLAN_LISTS];
  uint32_t lost[PLAN_LISTS];
  rebal_builder *builders[PLAN_LISTS];
  const rebal_record *budget_list[PLAN_LISTS];
  rebal_plan *plan; /* of the last call */
  rebal_result *rows;
  char text[4096];
};

/* Clusters with free pods alone: "m1=10 m2=5". */
void plan_open(struct plan_fixture *fixture, const char *pods);
/* Bindings ns1/a, ns1/b, ns2/a and a: half of each is to go from m1 to m3, the other half from m2 to m4. */
void plan_open_movable(struct plan_fixture *fixture);
uint32_t plan_add_movable(struct plan_fixture *fixture, const char *key);
void plan_close(struct plan_fixture *fixture);
uint32_t plan_add(struct plan_fixture *fixture, const struct test_binding *binding);
/* Replicas that are ready: "m1=3 m2=1". */
void plan_set_ready(struct plan_fixture *fixture, uint32_t binding, const char *ready);
void plan_drain(struct plan_fixture *fixture, const char *cluster);
void plan_lose(struct plan_fixture *fixture, const char *cluster);
/* A limit; subject NULL: each. To be changed by the caller. */
rebal_limit *plan_limit(struct plan_fixture *fixture, int32_t scope, const char *subject, int64_t replicas);
/* A PodDisruptionBudget; what is NULL is absent. */
struct plan_budget {
  const char *key;     /* "namespace/name" */
  const char *selects; /* "app=web": the labels; "": every pod; NULL: no selector */
  const char *cluster;
  const char *min_available;
  const char *max_unavailable;
  const char *allowed; /* disruptionsAllowed */
};
void plan_budget(struct plan_fixture *fixture, const struct plan_budget *budget);
/* Its record, which lives as long as its builder. */
void plan_build_budget(const struct plan_budget *budget, rebal_builder **out, const rebal_record **record);
/* Labels of the pods of a binding: "app=web". */
void plan_set_labels(struct plan_fixture *fixture, uint32_t binding, const char *labels);
/* Freezes the world, if it is not frozen, makes the plan and reads it. */
int32_t plan_make(struct plan_fixture *fixture);
/* For test_torture(): the same with a context, a plan and a result of their own; the world must be frozen. */
int32_t plan_make_with(const rebal_allocator *allocator, void *plan_fixture);

/*
 * Texts until the next call. A binding's clusters: "m1:3>1>2" are present, wanted and planned replicas, "-" where it is
 * not in the placement.
 */
const char *plan_row(struct plan_fixture *fixture, size_t binding);
/* Its moves: "m1-m2:2". */
const char *plan_moves(struct plan_fixture *fixture, size_t binding);
/* What the limit did: "used 2 withheld 1 shadow 1", with "tokens 3" if it is a pace. */
const char *plan_limited(struct plan_fixture *fixture, size_t limit);
/* Its counters that are used: "m1:2+3" are 2 used and 3 left, in the order of the moves. */
const char *plan_uses(struct plan_fixture *fixture, size_t limit);
/* A cell of a table by number; the test ends when there is none. */
int64_t plan_cell(const struct plan_fixture *fixture, uint32_t column, size_t row);

#endif
