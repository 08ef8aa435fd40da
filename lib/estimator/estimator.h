/* SPDX-License-Identifier: MIT */
/*
 * lib/estimator/estimator.h - private header of the room "estimator": how many replicas of one kind fit into each
 * cluster.
 */
#ifndef REBALI_ESTIMATOR_H
#define REBALI_ESTIMATOR_H

#include "fleet/fleet.h"
#include "rebalance/estimator.h"

/* One resource that a replica asks for. cpu counts in thousandths where the reference counts so. */
struct rebali_request {
  struct rebali_text name; /* points into the interned requirements */
  uint32_t resource;       /* REBAL_NONE until the fleet knows the name */
  int is_cpu;
  int is_vector; /* part of the vector form of spec karmada 6.2 */
  int64_t value;
  int64_t milli;
};

/* What one replica asks for. stated 0: no requirements at all, which is not the same as empty ones. */
struct rebali_demand {
  struct rebali_request *requests;
  size_t n_requests;
  int stated;
};

/* request.c: reads an interned record (NULL: nothing stated); memory from the arena. */
int32_t rebali_demand_read(struct rebali_arena *arena, const rebal_record *requirements, struct rebali_demand *out);
/* Looks up the resource ids not known so far. */
void rebali_demand_resolve(struct rebali_demand *demand, const rebal_snapshot *snapshot);
/* Does the vector form keep amounts of this name (spec karmada 1.1 and 6.2)? pods is not among them. */
int rebali_is_vector_resource(struct rebali_text name);

/* What the ledger charges a cluster with, beside its summary. */
struct rebali_spent {
  const struct rebali_charge *charges;
  size_t n_charges;
  int64_t pods;
};

/* summary.c: spec karmada 6.3 without models. */
int64_t rebali_summary_free_pods(const rebal_snapshot *snapshot, uint32_t cluster, const struct rebali_spent *spent);
int64_t rebali_summary_fit(const rebal_snapshot *snapshot, uint32_t cluster, const struct rebali_demand *demand,
                           const struct rebali_spent *spent);

/* models.c: spec karmada 6.3.1. 1 and the number of replicas, or 0 when the cluster's models cannot be used. */
int rebali_models_fit(const rebal_snapshot *snapshot, uint32_t cluster, const struct rebali_demand *demand,
                      int64_t *out);

/*
 * vector.c: replicas that fit, by cluster row (absent rows 0). Valid until the call ends. The ledger may be NULL.
 * REBAL_EUNSUPPORTED: a charged cluster estimates by resource models.
 */
int32_t rebali_estimate_rows(rebal_ctx *ctx, rebal_snapshot *snapshot, uint32_t requirements,
                             const rebal_compat *compat, const rebal_ledger *ledger, const int32_t **replicas,
                             rebal_error *err);

#endif
