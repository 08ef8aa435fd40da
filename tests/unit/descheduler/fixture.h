/* SPDX-License-Identifier: MIT */
/* tests/unit/descheduler/fixture.h - three clusters, bindings with what is ready, answers of estimators, one run. */
#ifndef FIXTURE_H
#define FIXTURE_H

#include "descheduler/descheduler.h"

#include "../../support/fleet_builder.h"

#define NOW 10000 /* seconds since 1970 of every run */
#define CLUSTERS 3

extern const struct test_placement fixture_aggregated;

struct fixture {
  struct test_world world; /* clusters m1, m2, m3 with ids 0, 1, 2 */
  rebal_deschedule_opts opts;
  rebal_estimator estimators[2];
  const rebal_estimator *list[2];
  int32_t cells[2][CLUSTERS];
};

/* allocator: of the context and the result. */
void fixture_open(struct fixture *fixture, const rebal_allocator *allocator);
void fixture_close(struct fixture *fixture);
/*
 * Adds a binding with items of its status in their order: "m1=2 m2": m2 has an item without a number. A missing
 * applied placement is Divided/Aggregated; applied_state counts when it is set.
 */
uint32_t fixture_add(struct fixture *fixture, const struct test_binding *binding, const char *ready);
/* Adds an estimator, the same for every binding: "m1=2 m3=!", where "!" has failed. */
void fixture_answer(struct fixture *fixture, const char *answers);
/* Freezes what was added and runs. */
int32_t fixture_run(struct fixture *fixture);
/* The targets that a binding is given: "m1:3 m2:0", "" for no patch. The text lives until the next call. */
const char *fixture_clusters(const struct fixture *fixture, uint32_t binding);
/* Row of the n-th action of a kind about a binding (REBAL_ABSENT: about none), or SIZE_MAX. */
size_t fixture_action(const struct fixture *fixture, int64_t kind, int64_t binding, size_t n);
int64_t fixture_cell(const struct fixture *fixture, uint32_t column, size_t row);
/* One binding with answers of up to two estimators (NULL: none), and its targets after a run. */
const char *fixture_once(const char *targets, const char *ready, const char *first, const char *second);

#endif
