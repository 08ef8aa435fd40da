/* SPDX-License-Identifier: MIT */
/*
 * lib/scheduler/placement/placement.h - placements, compiled once and evaluated for all clusters: what the room asks
 * of them.
 */
#ifndef REBALI_PLACEMENT_H
#define REBALI_PLACEMENT_H

#include "foundation/ranking.h"
#include "record/tolerations.h"
#include "fleet/fleet.h"
#include "rebalance/scheduler.h"

/*
 * One ClusterAffinity, or a term of clusterAffinities with its overflow affinities. Texts point into the interned
 * record.
 */
struct rebali_affinity {
  struct rebali_text name;
  struct rebali_text *cluster_names;
  size_t n_cluster_names;
  struct rebali_text *exclude;
  size_t n_exclude;
  struct rebali_requirement *labels;
  size_t n_labels;
  struct rebali_requirement *fields; /* zone expressions among them */
  size_t n_fields;
  const struct rebali_requirement *malformed; /* of either selector: the affinity then matches nothing; else NULL */
  struct rebali_affinity *overflow;
  size_t n_overflow;
  size_t bitset; /* its row of struct rebali_placement.matches */
};

struct rebali_spread {
  uint32_t field; /* REBAL_SPREAD_BY_*, 0 for any other */
  int64_t min_groups;
  int64_t max_groups;
};

/* Spec karmada 7.2. */
enum rebali_strategy {
  REBALI_STRATEGY_DUPLICATED,
  REBALI_STRATEGY_STATIC_WEIGHT,
  REBALI_STRATEGY_DYNAMIC_WEIGHT,
  REBALI_STRATEGY_AGGREGATED,
  REBALI_STRATEGY_UNSUPPORTED
};

struct rebali_static_rule {
  struct rebali_affinity target;
  int64_t weight;
};

/* Rows by static weight, as far as somebody asked (placement_weights.c). */
struct rebali_weight_order {
  struct rebali_ranking rankings[2]; /* by descending */
};

struct rebali_placement {
  struct rebali_arena arena;        /* all of it, itself included */
  const rebal_record *record;       /* interned: as old as the fleet */
  struct rebali_affinity *affinity; /* NULL when clusterAffinity is absent */
  struct rebali_affinity *terms;    /* clusterAffinities */
  size_t n_terms;
  int has_overflow;        /* some of them has overflow terms */
  uint32_t *terms_by_name; /* their indices by name, equal names in their order; NULL: they are few */
  struct rebali_tolerations tolerations;
  struct rebali_spread *spreads;
  size_t n_spreads;
  int has_replica_scheduling;
  struct rebali_text scheduling_type;
  struct rebali_text division_preference;
  int has_weight_preference;
  struct rebali_static_rule *rules;
  size_t n_rules;
  int has_dynamic_weight;
  enum rebali_strategy strategy;
  int ignores_spread; /* rebalance-karmada(7) 5.1 staticIgnore */

  /* Evaluated for every cluster row of the snapshot (placement_rows.c); bits of absent rows are 0. */
  size_t n_bitsets;  /* affinities in all */
  uint64_t *matches; /* n_bitsets bitsets of words each */
  uint64_t *tolerated;
  uint64_t *properties; /* provider, region and zones are there where a constraint names them */
  uint64_t *present;    /* not deleting */
  uint64_t *standing;   /* all of the last three */
  int32_t *weights;     /* static ones; NULL where nobody asks for them, or one is too large */
  struct rebali_weight_order *order;
  size_t rows;
  size_t words; /* of one bitset */
};

/* ---- predicates on a column of the clusters (predicate.c) -------------------------------------------------------- */

/* holds looks at nothing of the cluster but the cell of the column. */
struct rebali_predicate {
  uint32_t column;
  int (*holds)(const void *subject, const rebal_snapshot *snapshot, uint32_t cluster);
  const void *subject;
};
/* Clears the bits of clusters for which it does not hold, asking once for each distinct cell. */
void rebali_predicate_keep(const struct rebali_predicate *predicate, const rebal_snapshot *snapshot, uint64_t *bits);
/* Sets the bits of the clusters of the fleet; all bits were 0. */
void rebali_rows_existing(const rebal_snapshot *snapshot, uint64_t *bits);
/*
 * Room for n bitsets of so many rows each, one behind the other; words is the length of one. They move when words
 * grow, and new bits are 0.
 */
int32_t rebali_bitsets_grow(struct rebali_arena *arena, uint64_t **bits, size_t n, size_t rows, size_t *words);

/* ---- compiled placements (placement.c, affinity.c) --------------------------------------------------------------- */

int32_t rebali_affinity_compile(struct rebali_arena *arena, const rebal_record *record, uint32_t node,
                                size_t *n_bitsets, struct rebali_affinity *out);
/* Spec karmada 3.1. The cluster is part of the fleet. */
int rebali_affinity_matches(const struct rebali_affinity *affinity, const rebal_snapshot *snapshot, uint32_t cluster);
/* affinity_rows.c: the same for every cluster in existing. All bitsets have the length of words. */
void rebali_affinity_rows(const struct rebali_affinity *affinity, const rebal_snapshot *snapshot,
                          const uint64_t *existing, uint64_t *bits, size_t words);
/* Predicates on labels (subject: the affinity), and on the field of one requirement (subject: it) and its column. */
int rebali_labels_match(const void *affinity, const rebal_snapshot *snapshot, uint32_t cluster);
int rebali_field_matches(const void *requirement, const rebal_snapshot *snapshot, uint32_t cluster);
uint32_t rebali_field_column(const struct rebali_requirement *requirement);
/* The first part of an affinity that keeps a cluster out. */
struct rebali_mismatch {
  uint32_t field;                               /* REBAL_AFFINITY_*; 0: the affinity matches */
  const struct rebali_requirement *requirement; /* of a selector; NULL for lists of names */
};
struct rebali_mismatch rebali_affinity_mismatch(const struct rebali_affinity *affinity, const rebal_snapshot *snapshot,
                                                uint32_t cluster);
/* What a selector (REBAL_AFFINITY_LABEL_SELECTOR or _FIELD_SELECTOR) reads; bytes NULL: not there. Zones apart. */
struct rebali_text rebali_affinity_value(const rebal_snapshot *snapshot, uint32_t cluster, uint32_t field,
                                         struct rebali_text key);

/* Compiles a placement record; memory from placement->arena, which the caller has initialised. */
int32_t rebali_placement_compile(struct rebali_placement *placement, const rebal_record *record);
/* Are clusters selected among the feasible ones (rebalance-karmada(7) 5.1)? */
static inline int rebali_placement_selects(const struct rebali_placement *placement) {
  return placement->n_spreads > 0 && !placement->ignores_spread;
}
/* First term with this name; NULL when none. */
const struct rebali_affinity *rebali_placement_term(const struct rebali_placement *placement, struct rebali_text name);

/* The compiled placement of a handle with its rows evaluated for the snapshot; valid until the call ends. */
int32_t rebali_placement_get(rebal_ctx *ctx, rebal_snapshot *snapshot, uint32_t handle,
                             const struct rebali_placement **out, rebal_error *err);

static inline int rebali_placement_matches(const struct rebali_placement *placement,
                                           const struct rebali_affinity *affinity, uint32_t cluster) {
  return rebali_bit_get(placement->matches + affinity->bitset * placement->words, cluster);
}

/* placement_columns.c: evaluates all rows; bits and weights were 0. */
void rebali_placement_evaluate(struct rebali_placement *placement, const rebal_snapshot *snapshot);
int rebali_cluster_is_present(const rebal_snapshot *snapshot, uint32_t cluster);
int rebali_cluster_is_tolerated(const void *placement, const rebal_snapshot *snapshot, uint32_t cluster);

/* placement_weights.c: the largest weight of a rule for the cluster, which is there; 0 when no rule matches. */
int64_t rebali_static_weight(const struct rebali_placement *placement, const rebal_snapshot *snapshot,
                             uint32_t cluster);
/* The same, as the reference weighs: without weight preference all weigh 1. */
static inline int64_t rebali_placement_weight(const struct rebali_placement *placement, const rebal_snapshot *snapshot,
                                              uint32_t cluster) {
  return placement->weights != NULL         ? placement->weights[cluster]
         : placement->has_weight_preference ? rebali_static_weight(placement, snapshot, cluster)
                                            : 1;
}
/* Does a division ask for weights, and do they fit a column? */
int rebali_placement_has_weights(const struct rebali_placement *placement);
/* Weighs every cluster in existing; weights were 0. bits is scratch as large as it. */
void rebali_static_weights(struct rebali_placement *placement, const rebal_snapshot *snapshot, const uint64_t *existing,
                           uint64_t *bits);
/* Weighs changed rows. REBAL_ENOMEM without filling an error. */
int32_t rebali_static_weights_update(struct rebali_placement *placement, rebal_snapshot *snapshot,
                                     struct rebali_arena *scratch, const uint32_t *rows, size_t n);
/*
 * The n rows that weigh most by static weight (1 without weight preference, absent rows 0), or all when there are
 * fewer: keys of a ranking whose places are the ranks of names, or with descending their complements
 * (UINT32_MAX - rank). Valid until the call ends or until more are asked for. REBAL_ENOMEM without filling an error;
 * REBAL_ERANGE: a weight is beyond what keys hold, so there is no such order.
 */
int32_t rebali_placement_heaviest(const struct rebali_placement *placement, rebal_snapshot *snapshot, int descending,
                                  size_t n, const uint64_t **keys, size_t *n_keys);

/*
 * api_enablement.c: does a set of API enablements (NULL: none) list a kind? The same for every cluster of the fleet, as
 * a bitset over the rows that is valid until the call ends.
 */
struct rebali_api {
  struct rebali_text api_version;
  struct rebali_text kind;
};
int rebali_api_is_listed(const struct rebali_api *api, const rebal_record *enablements);
int32_t rebali_api_rows(rebal_ctx *ctx, rebal_snapshot *snapshot, const struct rebali_api *api, const uint64_t **bits,
                        rebal_error *err);

/*
 * Index of the first taint no toleration covers (NoSchedule and NoExecute only), or REBAL_ABSENT
 * (rebalance-karmada(7) 3.3).
 */
int64_t rebali_untolerated_taint(const rebal_snapshot *snapshot, uint32_t cluster,
                                 const struct rebali_tolerations *tolerations);
/* REBAL_SPREAD_BY_* of a spreadByField, 0 for any other. */
uint32_t rebali_spread_field_parse(struct rebali_text name);
/* The constraint on a field, the last when there are several; NULL when there is none. */
const struct rebali_spread *rebali_placement_spread(const struct rebali_placement *placement, uint32_t field);
/* Is the property that the constraint groups by there? */
int rebali_cluster_has_property(const rebal_snapshot *snapshot, uint32_t cluster, uint32_t field);

#endif
