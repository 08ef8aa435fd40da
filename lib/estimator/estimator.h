/* SPDX-License-Identifier: MIT */
/*
 * lib/estimator/estimator.h - private header of the module "estimator": how many replicas of one kind fit into each
 * cluster.
 */
#ifndef REBALI_ESTIMATOR_H
#define REBALI_ESTIMATOR_H

#include "fleet/fleet.h"
#include "rebalance/estimator.h"

/* divisor.c: a divisor above 0, prepared for many divisions. */
#define REBALI_DIVIDEND_BITS 31u
struct rebali_divisor {
  int64_t value;
  uint64_t factor;     /* 0: a division is needed */
  unsigned int before; /* bits to shift */
  unsigned int after;
};
struct rebali_divisor rebali_divisor_make(int64_t value);
/*
 * Returns dividend / divisor->value for dividend >= 0. Both are first divided by the divisor's power of two, which
 * leaves the quotient unchanged. Let d be the remaining divisor, 2^(L-1) < d <= 2^L, and factor = ceil(2^(31+L) / d).
 * The factor is at most d/2^L of 2^-31 parts too large, so factor * n / 2^(31+L) for n < 2^31 has the same integer part
 * as n / d (Granlund and Montgomery 1994, theorem 4.2). factor <= 2^32 because d > 2^(L-1), so the product has at most
 * 63 bits.
 */
static inline int64_t rebali_divisor_multiply(const struct rebali_divisor *divisor, uint64_t dividend) {
  return (int64_t)((dividend >> divisor->before) * divisor->factor >> divisor->after);
}
/* Returns whether the multiplication is exact for this dividend, and so for all smaller ones. */
static inline int rebali_divisor_multiplies(const struct rebali_divisor *divisor, uint64_t dividend) {
  return divisor->factor != 0 && dividend >> divisor->before >> REBALI_DIVIDEND_BITS == 0;
}
static inline int64_t rebali_divisor_divide(const struct rebali_divisor *divisor, int64_t dividend) {
  return rebali_divisor_multiplies(divisor, (uint64_t)dividend) ? rebali_divisor_multiply(divisor, (uint64_t)dividend)
                                                                : dividend / divisor->value;
}

/* One resource that a replica requests. cpu is in thousandths where the reference counts so. */
struct rebali_request {
  struct rebali_text name; /* points into the interned requirements */
  uint32_t resource;       /* REBAL_NONE until the fleet has the name */
  uint32_t charged;        /* index among a ledger's names; REBAL_NONE until the ledger has the name */
  int is_cpu;
  int64_t value;
  int64_t milli;
  int64_t as_written;            /* rebalance-karmada(7) 6.4: thousandths of decimal notations, units of binary ones */
  struct rebali_divisor divisor; /* divides what remains; unset for a value of 0 or less */
};

/* What one replica requests. stated is 0 without requirements, which differ from empty ones. */
struct rebali_demand {
  struct rebali_request *requests;
  size_t n_requests;
  int stated;
  uint32_t pods;         /* resource id, REBAL_NONE until the fleet has the name */
  uint32_t charged_pods; /* like rebali_request.charged */
};

/* request.c: reads an interned record (NULL: no requirements) into memory of the arena. */
int32_t rebali_demand_read(struct rebali_arena *arena, const rebal_record *requirements, struct rebali_demand *out);
/* Looks up the resource ids that are still unknown. */
void rebali_demand_resolve(struct rebali_demand *demand, const rebal_snapshot *snapshot);
/* Looks up the names of a ledger in the same way. A demand is charged to one ledger only. */
void rebali_demand_resolve_charges(struct rebali_demand *demand, const rebal_ledger *ledger);

/* summary.c: rebalance-karmada(7) 6.3 without models. Holdings of the ledger (NULL: none) count as allocating (6.6). */
int64_t rebali_summary_free_pods(const rebal_snapshot *snapshot, uint32_t cluster, const rebal_ledger *ledger);
/*
 * Computes allocatable - allocated - allocating, exact, and the format of the difference (rebalance-karmada(7) 1.1).
 * Returns 0 and sets nothing if allocatable does not list the resource.
 */
int rebali_summary_rest(const rebal_snapshot *snapshot, uint32_t cluster, uint32_t resource, struct rebali_wide *rest,
                        uint32_t *format);
/* Returns the replicas that fit by one resource; INT64_MAX if none of it is requested. */
int64_t rebali_summary_fit_request(const rebal_snapshot *snapshot, uint32_t cluster,
                                   const struct rebali_request *request, const rebal_ledger *ledger);
int64_t rebali_summary_fit(const rebal_snapshot *snapshot, uint32_t cluster, const struct rebali_demand *demand,
                           const rebal_ledger *ledger);

/*
 * nodes.c: the nodes that a cluster's resource models represent, and first fit on them (rebalance-karmada(7) 6.7).
 * Equal neighbours form one run of any length; only nodes that receive pods leave it. The amounts of a node are
 * indexed, free pods first; none is ever below 0.
 */
struct rebali_run {
  struct rebali_run *previous;
  struct rebali_run *next;
  int64_t count;
  int64_t amounts[];
};
/* One component: what a replica needs (at least 1 pod, nothing below 0), and the replicas of a set. */
struct rebali_need {
  const int64_t *amounts;
  int64_t replicas;
  uint32_t requirements; /* select nodes: a handle or REBAL_NONE; unused by model nodes */
};
struct rebali_nodes {
  struct rebali_arena *arena;
  size_t n_amounts;
  struct rebali_run *first;
  struct rebali_run *last;
  struct rebali_run *spare; /* runs for reuse, chained by next */
  size_t n_runs;
  int64_t touched; /* nodes that received pods, counted once per placement */
  /*
   * While sets are counted: no run before starts[i] can hold needs[i]. Runs that can hold none of the needs are
   * dropped.
   */
  const struct rebali_need *needs;
  struct rebali_run **starts; /* space for the needs; all clusters have the same number */
  size_t n_needs;
  int64_t *cells; /* of packing.c: REBALI_PATTERN_RUNS runs */
};
#define REBALI_PATTERN_RUNS ((size_t)64) /* longer lists are not searched for a pattern */
void rebali_nodes_init(struct rebali_nodes *nodes, struct rebali_arena *arena, size_t n_amounts);
/* Removes all nodes; memory is kept. */
void rebali_nodes_clear(struct rebali_nodes *nodes);
/* Appends count equal nodes. Returns REBAL_ENOMEM, as the next two do. */
int32_t rebali_nodes_add(struct rebali_nodes *nodes, int64_t count, const int64_t *amounts);
/* Places replicas on the first nodes with capacity, starting at a run. Sets *replicas to those that do not fit. */
int32_t rebali_nodes_place(struct rebali_nodes *nodes, struct rebali_run *from, const int64_t *need, int64_t *replicas);
/* Returns how many replicas one node of the run can hold. */
int64_t rebali_nodes_fit(const struct rebali_nodes *nodes, const struct rebali_run *run, const int64_t *need);
/* Starts to count sets of these needs, each with replicas. Returns REBAL_ENOMEM. */
int32_t rebali_nodes_begin(struct rebali_nodes *nodes, const struct rebali_need *needs, size_t n);
/*
 * packing.c: counts the sets that fit one after the other, at most bound, and uses up the nodes. Time grows with the
 * runs and, if several components share nodes, with the sets until their pattern repeats. After REBALI_SETS_TRIED sets
 * without a pattern, that number is the result.
 */
#define REBALI_SETS_TRIED (INT64_C(1) << 20)
int32_t rebali_nodes_count_sets(struct rebali_nodes *nodes, const struct rebali_need *needs, size_t n, int64_t bound,
                                int64_t *sets);

/*
 * needs.c: the components that have replicas, as needs whose amounts have one order: pods, then each resource in vector
 * form that a component or the ledger (may be NULL) names.
 */
struct rebali_needs {
  const rebal_snapshot *snapshot;
  const struct rebali_text *names; /* of the amounts after the first */
  size_t n_names;
  struct rebali_need *items;
  size_t n;
};
/* Takes memory from the arena. Returns REBAL_ENOMEM without filling an error. */
int32_t rebali_needs_read(struct rebali_needs *needs, struct rebali_arena *arena, const rebal_snapshot *snapshot,
                          const struct rebali_component *components, size_t n, const rebal_ledger *ledger);
/* Reads what a replica with these requirements (a handle, or REBAL_NONE) takes: one pod and the amounts they name. */
void rebali_need_read(const struct rebali_needs *needs, uint32_t requirements, int64_t *amounts);
/*
 * Reads a list of pairs of name and quantity below a node of a record (fields: of the list, the name, the quantity). If
 * a name occurs twice, the last quantity is used.
 */
void rebali_needs_amounts(const struct rebali_needs *needs, const rebal_record *record, uint32_t parent,
                          const uint32_t fields[3], int64_t *amounts);

/*
 * models.c: rebalance-karmada(7) 6.3.1. The components of a set, ready to be placed on the model nodes of any cluster.
 */
struct rebali_models {
  const rebal_snapshot *snapshot;
  const rebal_ledger *ledger;
  struct rebali_arena *arena;
  struct rebali_needs needs;
  int64_t *amounts; /* of a node under construction, or of a replica of the ledger */
  struct rebali_nodes nodes;
  struct rebali_grade *grades; /* of the current cluster, with as many again for sorting */
  size_t grades_capacity;
};
/* Takes memory from the arena. Returns REBAL_ENOMEM without filling an error, as the next one does. */
int32_t rebali_models_init(struct rebali_models *models, struct rebali_arena *arena, const rebal_snapshot *snapshot,
                           const struct rebali_component *components, size_t n, const rebal_ledger *ledger);
/* Counts the sets that fit on the model nodes beside what the ledger holds, at most bound; -1 without models. */
int32_t rebali_models_sets(struct rebali_models *models, uint32_t cluster, int64_t bound, int64_t *sets);
/*
 * Call after rebali_models_sets() for one component of one replica. Returns the resource that alone allows no more than
 * `sets`: pods if they do, else the first by name; "resource models" if different resources limit different nodes.
 */
struct rebali_text rebali_models_limit(const struct rebali_models *models, int64_t sets);

/* The options that affect an estimate. */
struct rebali_rules {
  int use_models;
  int wrap; /* numbers keep their low 32 bits, else they saturate at INT32_MAX */
  int charge_summaries;
  int use_quotas;
};
struct rebali_rules rebali_rules_read(const rebal_compat *compat);
int32_t rebali_rules_cast(const struct rebali_rules *rules, int64_t value);

/* What a set needs of one resource (rebalance-karmada(7) 6.4). */
struct rebali_total {
  struct rebali_text name;
  uint32_t resource; /* REBAL_NONE until the fleet has the name */
  int64_t amount;    /* as written, over all replicas of the set */
};
struct rebali_set {
  struct rebali_total *totals;
  size_t n_totals;
  int64_t pods;
};
/* sets.c: reads a set of components into memory of the arena. Returns REBAL_ENOMEM without filling an error. */
int32_t rebali_set_read(struct rebali_arena *arena, const rebal_snapshot *snapshot,
                        const struct rebali_component *components, size_t n, struct rebali_set *out);
void rebali_set_resolve(struct rebali_set *set, const rebal_snapshot *snapshot);

/* One estimate, computed cluster by cluster: replicas of the first component, or sets of all. */
struct rebali_estimation {
  struct rebali_arena *arena;
  const rebal_snapshot *snapshot;
  const struct rebali_component *components;
  size_t n_components;
  const struct rebali_demand *demand; /* of the first component */
  const struct rebali_set *set;
  struct rebali_rules rules;
  const rebal_ledger *ledger;
  struct rebali_models models; /* arena is NULL until a cluster has models */
};
/*
 * cluster_fit.c: estimates the replicas that fit (rebalance-karmada(7) 6.3). Returns REBAL_ENOMEM, as the next one
 * does.
 */
int32_t rebali_fit_replicas(struct rebali_estimation *estimation, uint32_t cluster, int32_t *replicas);
/* sets.c: estimates the sets that fit into a cluster (rebalance-karmada(7) 6.4). */
int32_t rebali_fit_sets(struct rebali_estimation *estimation, uint32_t cluster, int32_t *sets);
/* cluster_fit.c: like rebali_models_sets(); -1 also if the rules exclude models. */
int32_t rebali_fit_models(struct rebali_estimation *estimation, uint32_t cluster, int64_t bound, int64_t *sets);

/* Returns whether the row is estimated by its resource models. */
static inline int rebali_is_modelled(const struct rebali_estimation *estimation, uint32_t cluster) {
  return estimation->rules.use_models && (estimation->set != NULL || estimation->demand->stated) &&
         rebali_snapshot_i64(estimation->snapshot, REBAL_CLUSTER_MODELINGS, cluster) != (int64_t)REBAL_NONE;
}

/*
 * caller_estimates.c: checks that an array of rows [0, end) with n cells each, stride apart, can exist. Offsets of its
 * cells are then below SIZE_MAX.
 */
int32_t rebali_shape_check(uint64_t n, uint64_t stride, size_t end, size_t cell_size, rebal_error *err);
/* Checks estimators of the caller that cover rows [0, end). */
int32_t rebali_estimators_check(const rebal_estimator *const *estimators, uint64_t n, size_t end, rebal_error *err);
/* Returns the estimate of a checked estimator for a row and a cluster, which may be REBAL_NONE. */
static inline int32_t rebali_opinion(const rebal_estimator *estimator, uint32_t row, uint32_t cluster) {
  return estimator->fits == NULL || cluster == REBAL_NONE || cluster >= estimator->clusters
             ? REBAL_FITS_NO_OPINION
             : estimator->fits[(size_t)row * (size_t)estimator->stride + cluster];
}

/*
 * limiting_resource.c: returns the resource that limits the estimate of rebali_estimate_rows() for a cluster: "pods",
 * the name of a resource, "resource models" if no single resource of the models limits, "resource summary" if the
 * cluster has no summary; empty if nothing limits. Among equals pods come first, then the first by name. The text
 * belongs to the requirements or is static.
 */
int32_t rebali_estimate_limit(rebal_ctx *ctx, rebal_snapshot *snapshot, uint32_t cluster, uint32_t requirements,
                              const rebal_compat *compat, const rebal_ledger *ledger, struct rebali_text *resource,
                              rebal_error *err);

#endif
