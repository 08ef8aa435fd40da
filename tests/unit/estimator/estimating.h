/* SPDX-License-Identifier: MIT */
/* tests/unit/estimator/estimating.h - one cluster, one request, one answer. */
#ifndef ESTIMATING_H
#define ESTIMATING_H

#include "../../support/fleet_builder.h"

/* Replicas of the request that fit into a fleet of this cluster alone. */
int64_t estimate_one(const struct test_cluster *cluster, const char *request, const rebal_estimate_opts *opts);
/* A component of a set: what a replica needs, as in struct test_binding. */
struct test_component {
  const char *request;
  int32_t replicas;
};
/* Sets of n components that fit into a fleet of this cluster alone. */
int64_t estimate_set(const struct test_cluster *cluster, const struct test_component *components, size_t n,
                     const rebal_estimate_opts *opts);
/* The same in a world that is frozen; the row of ESTIMATE. */
int64_t estimate_set_in(struct test_world *world, const struct test_component *components, size_t n,
                        const rebal_estimate_opts *opts, size_t row);
/* rebal_ledger_charge() of a set, for ever. */
void charge_set(struct test_world *world, rebal_ledger *ledger, const char *key, uint32_t cluster,
                const struct test_component *components, size_t n);
/* rebal_estimate() in a world; the row of ESTIMATE. */
int64_t estimate_in(struct test_world *world, uint32_t requirements, const rebal_estimate_opts *opts, size_t row);

#endif
