/* SPDX-License-Identifier: MIT */
/* tests/unit/scheduler/phases_fixture.h - one binding taken through the phases, and whole calls over fleets of pods. */
#ifndef PHASES_FIXTURE_H
#define PHASES_FIXTURE_H

#include "scheduler/scheduler.h"

#include "../../support/fleet_builder.h"

/* A pass as far as a phase left it, within a running call. */
struct phases_fixture {
  struct test_world world;
  rebal_schedule_opts opts;
  struct rebali_pass pass;
};

void phases_open(struct phases_fixture *fixture, const struct test_cluster *clusters, size_t n,
                 const struct test_binding *binding);
/* Begins anew, for options that a pass reads at its beginning. */
void phases_again(struct phases_fixture *fixture);
void phases_close(struct phases_fixture *fixture);
/* Runs the first phases: 1 filters, 2 scores too, 3 selects too, 4 assigns too. */
void phases_run(struct phases_fixture *fixture, int phases);
/* Names of the candidates in their order, "a c", or the message of the refusal. */
const char *phases_candidates(const struct phases_fixture *fixture);

/* rebal_schedule() of one binding over clusters with so many free pods ("m1=10 m2=5"), as test_schedule() says it. */
const char *schedule_pods(const char *pods, const struct test_binding *binding, const rebal_schedule_opts *opts);
/* The same over whole clusters. */
const char *schedule_clusters(const struct test_cluster *clusters, size_t n, const struct test_binding *binding,
                              const rebal_schedule_opts *opts);
/* Options with one option; the compat object lives until the next call. */
const rebal_schedule_opts *with_option(uint32_t option, int64_t value);

/* Placements of the strategies, for tables. */
extern const struct test_placement duplicated, aggregated, dynamic_weight, equal_weight;

#endif
