/* SPDX-License-Identifier: MIT */
/* tests/unit/scheduler/phases_fixture.h - one binding taken through the phases, and whole calls over fleets of pods. */
#ifndef PHASES_FIXTURE_H
#define PHASES_FIXTURE_H

#include "scheduler/scheduler.h"

#include "../../support/fleet_builder.h"

/* The state of a pass after some phases, within a running call. */
struct phases_fixture {
  struct test_world world;
  rebal_schedule_opts opts;
  struct rebali_pass pass;
};

void phases_open(struct phases_fixture *fixture, const struct test_cluster *clusters, size_t n,
                 const struct test_binding *binding);
/* Starts again, for options that a pass reads at its start. */
void phases_again(struct phases_fixture *fixture);
void phases_close(struct phases_fixture *fixture);
/* Runs the first phases: 1 filters, 2 also scores, 3 also selects, 4 also assigns. */
void phases_run(struct phases_fixture *fixture, int phases);
/* Returns the names of the candidates in their order, "a c", or the message of the refusal. */
const char *phases_candidates(const struct phases_fixture *fixture);

/* Schedules one binding over clusters with free pods ("m1=10 m2=5") and returns the text of test_schedule(). */
const char *schedule_pods(const char *pods, const struct test_binding *binding, const rebal_schedule_opts *opts);
/* Does the same over arbitrary clusters. */
const char *schedule_clusters(const struct test_cluster *clusters, size_t n, const struct test_binding *binding,
                              const rebal_schedule_opts *opts);
/* Returns options with one compat option set; the compat object is valid until the next call. */
const rebal_schedule_opts *with_option(uint32_t option, int64_t value);

/* Placements of the strategies, for tables. */
extern const struct test_placement duplicated, aggregated, dynamic_weight, equal_weight;

#endif
