/* SPDX-License-Identifier: MIT */
/* tests/unit/rebalancer/fixture.h - a WorkloadRebalancer from a few words, and one run over it. */
#ifndef FIXTURE_H
#define FIXTURE_H

#include "rebalancer/rebalancer.h"

#include "../../support/fleet_builder.h"

#define SAMPLE_MAX 6
#define CREATED 1000 /* seconds since 1970 of every sample's creation */

/* An empty kind ends a list. */
struct sample_workload {
  const char *api_version;
  const char *kind;
  const char *namespace_;
  const char *name;
  const char *result; /* status only */
  const char *reason; /* status only */
};

struct sample {
  struct sample_workload workloads[SAMPLE_MAX];
  struct sample_workload observed[SAMPLE_MAX];
  int64_t generation;
  int64_t observed_generation;
  int64_t finish_time; /* 0: none */
  int64_t ttl;         /* -1: none */
};

struct fixture {
  rebal_builder *builder; /* of the rebalancer */
  rebal_builder *other;   /* of bindings */
  rebal_ctx *ctx;
  rebal_result *result;
  rebal_observations *observations;
  const rebal_record *rebalancer;
};

/* Everything from one allocator, NULL: malloc. A REBAL_E* on failure; dispose in any case. */
int32_t fixture_new(struct fixture *fixture, const rebal_allocator *allocator, const struct sample *sample);
void fixture_dispose(struct fixture *fixture);

/* One step at a time of seconds since 1970. */
int32_t fixture_step(struct fixture *fixture, int64_t now);
/* The same into another result. */
int32_t fixture_run(struct fixture *fixture, const rebal_time *now, rebal_result *result);
/* Notes a read that found a binding, last triggered at a time (0: never). */
int32_t fixture_found(struct fixture *fixture, int64_t ordinal, const char *version, int64_t triggered);
/* Notes that an action is done and what was read. */
int32_t fixture_observe_fields(struct fixture *fixture, int64_t ordinal, const rebal_record *fields);
/* Notes another outcome. */
int32_t fixture_observe(struct fixture *fixture, int64_t ordinal, int32_t outcome, const char *message);

int64_t fixture_step_cell(const struct fixture *fixture, uint32_t column);
/* Row of the action with this kind and ordinal, or SIZE_MAX. */
size_t fixture_action(const struct fixture *fixture, int64_t kind, int64_t ordinal);
size_t fixture_actions(const struct fixture *fixture);

#endif
