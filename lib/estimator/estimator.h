/* SPDX-License-Identifier: MIT */
/*
 * lib/estimator/estimator.h - private header of the room "estimator": how many replicas of one kind fit into each
 * cluster.
 */
#ifndef REBALI_ESTIMATOR_H
#define REBALI_ESTIMATOR_H

#include "fleet/fleet.h"
#include "rebalance/estimator.h"

/* divisor.c: what numbers are divided by, above 0. */
#define REBALI_DIVIDEND_BITS 31u
struct rebali_divisor {
  int64_t value;
  uint64_t factor;     /* 0: only a division helps */
  unsigned int before; /* bits to shift */
  unsigned int after;
};
struct rebali_divisor rebali_divisor_make(int64_t value);
/*
 * dividend / divisor->value; dividend >= 0; both lose the divisor's twos first, which changes no quotient. Let d be
 * what is left of the divisor, 2^(L-1) < d <= 2^L, and factor = ceil(2^(31+L) / d): it is at most d/2^L of 2^-31 parts
 * too large, so that factor * n / 2^(31+L) for n < 2^31 has the same whole part as n / d (Granlund and Montgomery 1994,
 * theorem 4.2). factor <= 2^32 because of d > 2^(L-1), so the product has at most 63 bits.
 */
static inline int64_t rebali_divisor_multiply(const struct rebali_divisor *divisor, uint64_t dividend) {
  return (int64_t)((dividend >> divisor->before) * divisor->factor >> divisor->after);
}
/* Does that hold for a dividend, and so for all below it? */
static inline int rebali_divisor_multiplies(const struct rebali_divisor *divisor, uint64_t dividend) {
  return divisor->factor != 0 && dividend >> divisor->before >> REBALI_DIVIDEND_BITS == 0;
}
static inline int64_t rebali_divisor_divide(const struct rebali_divisor *divisor, int64_t dividend) {
  return rebali_divisor_multiplies(divisor, (uint64_t)dividend) ? rebali_divisor_multiply(divisor, (uint64_t)dividend)
                                                                : dividend / divisor->value;
}

/* One resource that a replica asks for. cpu counts in thousandths where the reference counts so. */
struct rebali_request {
  struct rebali_text name; /* points into the interned requirements */
  uint32_t resource;       /* REBAL_NONE until the fleet knows the name */
  uint32_t charged;        /* index among the names of a ledger; REBAL_NONE until it knows the name */
  int is_cpu;
  int64_t value;
  int64_t milli;
  int64_t as_written;            /* rebalance-karmada(7) 6.4: thousandths of decimal notations, units of binary ones */
  struct rebali_divisor divisor; /* of what is left; not there for a value of 0 or less */
};

/* What one replica asks for. stated 0: no requirements at all, which is not the same as empty ones. */
struct rebali_demand {
  struct rebali_request *requests;
  size_t n_requests;
  int stated;
  uint32_t pods;         /* resource id, REBAL_NONE until the fleet knows the name */
  uint32_t charged_pods; /* as the member of a request */
};

/* request.c: reads an interned record (NULL: nothing stated); memory from the arena. */
int32_t rebali_demand_read(struct rebali_arena *arena, const rebal_record *requirements, struct rebali_demand *out);
/* Looks up the resource ids not known so far. */
void rebali_demand_resolve(struct rebali_demand *demand, const rebal_snapshot *snapshot);
/* The same with the names of a ledger; a demand is charged to one only. */
void rebali_demand_resolve_charges(struct rebali_demand *demand, const rebal_ledger *ledger);

/*
 * summary.c: rebalance-karmada(7) 6.3 without models. What the ledger holds (NULL: nothing) counts as allocating (6.6).
 */
int64_t rebali_summary_free_pods(const rebal_snapshot *snapshot, uint32_t cluster, const rebal_ledger *ledger);
/*
 * allocatable - allocated - allocating, exact, and the format of the difference (rebalance-karmada(7) 1.1). 0 and
 * nothing set when allocatable does not state the resource.
 */
int rebali_summary_rest(const rebal_snapshot *snapshot, uint32_t cluster, uint32_t resource, struct rebali_wide *rest,
                        uint32_t *format);
/* Replicas that fit by one resource; INT64_MAX when none of it is asked for. */
int64_t rebali_summary_fit_request(const rebal_snapshot *snapshot, uint32_t cluster,
                                   const struct rebali_request *request, const rebal_ledger *ledger);
int64_t rebali_summary_fit(const rebal_snapshot *snapshot, uint32_t cluster, const struct rebali_demand *demand,
                           const rebal_ledger *ledger);

/*
 * nodes.c: the nodes that a cluster's resource models stand for, and first fit on them (rebalance-karmada(7) 6.7).
 * Neighbours that are equal are one run, whatever their number; only nodes that something is placed on leave it. A node
 * has amounts by index, the first of which is its free pods; none is ever below 0.
 */
struct rebali_run {
  struct rebali_run *previous;
  struct rebali_run *next;
  int64_t count;
  int64_t amounts[];
};
/* One component: what a replica needs (at least 1 pod, nothing below 0), and replicas of a set. */
struct rebali_need {
  const int64_t *amounts;
  int64_t replicas;
  uint32_t requirements; /* of whose nodes: a handle or REBAL_NONE; models of nodes do not ask */
};
struct rebali_nodes {
  struct rebali_arena *arena;
  size_t n_amounts;
  struct rebali_run *first;
  struct rebali_run *last;
  struct rebali_run *spare; /* runs to be used again, chained by next */
  size_t n_runs;
  int64_t touched; /* nodes that something was placed on, each as often as it was */
  /* While sets are counted: no run before starts[i] holds needs[i], and runs that hold none of the needs are gone. */
  const struct rebali_need *needs;
  struct rebali_run **starts; /* room for the needs, which are as many on all clusters */
  size_t n_needs;
  int64_t *cells; /* of packing.c: REBALI_PATTERN_RUNS runs */
};
#define REBALI_PATTERN_RUNS ((size_t)64) /* more runs than these are not looked through for a pattern */
void rebali_nodes_init(struct rebali_nodes *nodes, struct rebali_arena *arena, size_t n_amounts);
/* No nodes; memory is kept. */
void rebali_nodes_clear(struct rebali_nodes *nodes);
/* Appends count equal nodes. REBAL_ENOMEM, as the next two. */
int32_t rebali_nodes_add(struct rebali_nodes *nodes, int64_t count, const int64_t *amounts);
/* Places replicas on the first nodes with room from a run on; *replicas: those without room. */
int32_t rebali_nodes_place(struct rebali_nodes *nodes, struct rebali_run *from, const int64_t *need, int64_t *replicas);
/* Replicas that one node of the run holds. */
int64_t rebali_nodes_fit(const struct rebali_nodes *nodes, const struct rebali_run *run, const int64_t *need);
/* Starts counting sets of these needs, each with replicas. REBAL_ENOMEM. */
int32_t rebali_nodes_begin(struct rebali_nodes *nodes, const struct rebali_need *needs, size_t n);
/*
 * packing.c: sets that fit one after the other, at most bound; the nodes are then used up. Time grows with the runs,
 * and where several components meet with the sets until their pattern repeats; after REBALI_SETS_TRIED sets without a
 * pattern those are the answer.
 */
#define REBALI_SETS_TRIED (INT64_C(1) << 20)
int32_t rebali_nodes_count_sets(struct rebali_nodes *nodes, const struct rebali_need *needs, size_t n, int64_t bound,
                                int64_t *sets);

/*
 * needs.c: the components that have replicas, as needs of amounts in one order: pods, then each resource of the vector
 * form that one of them or something in the ledger (may be NULL) names.
 */
struct rebali_needs {
  const rebal_snapshot *snapshot;
  const struct rebali_text *names; /* of the amounts from the second on */
  size_t n_names;
  struct rebali_need *items;
  size_t n;
};
/* Memory of the arena. REBAL_ENOMEM without filling an error. */
int32_t rebali_needs_read(struct rebali_needs *needs, struct rebali_arena *arena, const rebal_snapshot *snapshot,
                          const struct rebali_component *components, size_t n, const rebal_ledger *ledger);
/* What a replica with these requirements (a handle, or REBAL_NONE) takes: one pod and what they name. */
void rebali_need_read(const struct rebali_needs *needs, uint32_t requirements, int64_t *amounts);
/*
 * Reads a list of pairs of name and quantity below a node of a record (fields: of the list, the name, the quantity); a
 * name given twice: the last holds.
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
  int64_t *amounts; /* of a node being made, or what a replica of the ledger takes */
  struct rebali_nodes nodes;
  struct rebali_grade *grades; /* of the cluster at hand, and as many to sort them */
  size_t room_for_grades;
};
/* Memory of the arena. REBAL_ENOMEM without filling an error, as the next one. */
int32_t rebali_models_init(struct rebali_models *models, struct rebali_arena *arena, const rebal_snapshot *snapshot,
                           const struct rebali_component *components, size_t n, const rebal_ledger *ledger);
/* Sets that fit on the cluster's model nodes beside what the ledger holds, at most bound; -1 when it has no models. */
int32_t rebali_models_sets(struct rebali_models *models, uint32_t cluster, int64_t bound, int64_t *sets);
/*
 * After rebali_models_sets() for one component of one replica: the resource that alone allows no more than `sets`, the
 * first by name but pods before all; "resource models" when different ones limit different nodes.
 */
struct rebali_text rebali_models_limit(const struct rebali_models *models, int64_t sets);

/* The options that an estimate depends on. */
struct rebali_rules {
  int use_models;
  int wrap; /* numbers keep their low 32 bits, else they stop at INT32_MAX */
  int charge_summaries;
  int use_quotas;
};
struct rebali_rules rebali_rules_read(const rebal_compat *compat);
int32_t rebali_rules_cast(const struct rebali_rules *rules, int64_t value);

/* What a set needs of one resource (rebalance-karmada(7) 6.4). */
struct rebali_total {
  struct rebali_text name;
  uint32_t resource; /* REBAL_NONE until the fleet knows the name */
  int64_t amount;    /* as written, over all replicas of the set */
};
struct rebali_set {
  struct rebali_total *totals;
  size_t n_totals;
  int64_t pods;
};
/* sets.c: reads a set of components; memory from the arena. REBAL_ENOMEM without filling an error. */
int32_t rebali_set_read(struct rebali_arena *arena, const rebal_snapshot *snapshot,
                        const struct rebali_component *components, size_t n, struct rebali_set *out);
void rebali_set_resolve(struct rebali_set *set, const rebal_snapshot *snapshot);

/* One question, put to one cluster after the other: replicas of the first component, or sets of all. */
struct rebali_estimation {
  struct rebali_arena *arena;
  const rebal_snapshot *snapshot;
  const struct rebali_component *components;
  size_t n_components;
  const struct rebali_demand *demand; /* of the first component */
  const struct rebali_set *set;
  struct rebali_rules rules;
  const rebal_ledger *ledger;
  struct rebali_models models; /* arena NULL until a cluster has some */
};
/* cluster_fit.c: replicas that fit into a cluster (rebalance-karmada(7) 6.3). REBAL_ENOMEM, as the next one. */
int32_t rebali_fit_replicas(struct rebali_estimation *estimation, uint32_t cluster, int32_t *replicas);
/* sets.c: sets that fit into a cluster (rebalance-karmada(7) 6.4). */
int32_t rebali_fit_sets(struct rebali_estimation *estimation, uint32_t cluster, int32_t *sets);
/* cluster_fit.c: as rebali_models_sets(); -1 also when the rules leave models out. */
int32_t rebali_fit_models(struct rebali_estimation *estimation, uint32_t cluster, int64_t bound, int64_t *sets);

/* Is the row estimated by its resource models? */
static inline int rebali_is_modelled(const struct rebali_estimation *estimation, uint32_t cluster) {
  return estimation->rules.use_models && (estimation->set != NULL || estimation->demand->stated) &&
         rebali_snapshot_i64(estimation->snapshot, REBAL_CLUSTER_MODELINGS, cluster) != (int64_t)REBAL_NONE;
}

/*
 * caller_estimates.c: is an array of rows [0, end) with n cells each, stride apart, one that can be there? Offsets of
 * its cells are then below SIZE_MAX.
 */
int32_t rebali_shape_check(uint64_t n, uint64_t stride, size_t end, size_t cell_size, rebal_error *err);
/* Estimators of the caller that answer for rows [0, end). */
int32_t rebali_estimators_check(const rebal_estimator *const *estimators, uint64_t n, size_t end, rebal_error *err);
/* What a checked one says of a row and a cluster, which may be REBAL_NONE. */
static inline int32_t rebali_opinion(const rebal_estimator *estimator, uint32_t row, uint32_t cluster) {
  return estimator->fits == NULL || cluster == REBAL_NONE || cluster >= estimator->clusters
             ? REBAL_FITS_NO_OPINION
             : estimator->fits[(size_t)row * (size_t)estimator->stride + cluster];
}

/*
 * limiting_resource.c: the resource that limits what rebali_estimate_rows() gives for a cluster: "pods", the name of
 * a resource, "resource models" where no one resource of the models does, "resource summary" where the cluster has
 * none; empty when nothing limits. Among equals pods, then the first by name. The text is the requirements' or
 * static.
 */
int32_t rebali_estimate_limit(rebal_ctx *ctx, rebal_snapshot *snapshot, uint32_t cluster, uint32_t requirements,
                              const rebal_compat *compat, const rebal_ledger *ledger, struct rebali_text *resource,
                              rebal_error *err);

#endif
