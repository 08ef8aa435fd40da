/* SPDX-License-Identifier: MIT */
/* tests/unit/estimator/estimating.h - one cluster, one request, one answer. */
#ifndef ESTIMATING_H
#define ESTIMATING_H

#include "../../support/fleet_builder.h"

/* Replicas of the request that fit into a fleet of this cluster alone. */
int64_t estimate_one(const struct test_cluster *cluster, const char *request, const rebal_estimate_opts *opts);
/* The same call in a world; the row of ESTIMATE. */
int64_t estimate_in(struct test_world *world, uint32_t requirements, const rebal_estimate_opts *opts, size_t row);

#endif
