/* SPDX-License-Identifier: MIT */
/* lib/scheduler/placement/placement.h - placements, compiled once and evaluated for all clusters. */
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
  struct rebali_requirement *fields; /* including zone expressions */
  size_t n_fields;
  const struct rebali_requirement *malformed; /* in either selector: matches nothing; NULL if all are well formed */
  struct rebali_affinity *overflow;
  size_t n_overflow;
  size_t bitset; /* its row of struct rebali_placement.matches */
};

struct rebali_spread {
  uint32_t field; /* REBAL_SPREAD_BY_*, 0 for any other */
  int64_t min_groups;
  int64_t max_groups;
};

/* rebalance-karmada(7) 7.2. */
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

/* Rows by static weight, as far as they were needed (placement_weights.c). */
struct rebali_weight_order {
  struct rebali_ranking rankings[2]; /* by descending */
};

struct rebali_placement {
  struct rebali_arena arena;        /* of the whole placement, including this struct */
  const rebal_record *record;       /* interned; lives as long as the fleet */
  struct rebali_affinity *affinity; /* NULL when clusterAffinity is absent */
  struct rebali_affinity *terms;    /* clusterAffinities */
  size_t n_terms;
  int has_overflow;        /* any of them has overflow terms */
  uint32_t *terms_by_name; /* their indices by name, equal names in their order; NULL if they are few */
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
  size_t n_bitsets;  /* total number of affinities */
  uint64_t *matches; /* n_bitsets bitsets of words each */
  uint64_t *tolerated;
  uint64_t *properties; /* the cluster has the provider, region and zones that constraints require */
  uint64_t *present;    /* not deleting */
  uint64_t *standing;   /* the last three combined */
  int32_t *weights;     /* static weights; NULL if they are not needed or one is too large */
  struct rebali_weight_order *order;
  size_t rows;
  size_t words; /* length of one bitset */
};

/* ---- predicates on a column of the clusters (predicate.c) -------------------------------------------------------- */

/* holds must depend only on the column's cell of the cluster. */
struct rebali_predicate {
  uint32_t column;
  int (*holds)(const void *subject, const rebal_snapshot *snapshot, uint32_t cluster);
  const void *subject;
};
/* Clears the bits of clusters for which the predicate does not hold. Evaluates it once for each distinct cell. */
void rebali_predicate_keep(const struct rebali_predicate *predicate, const rebal_snapshot *snapshot, uint64_t *bits);
/* Sets the bits of the clusters of the fleet. All bits must be 0. */
void rebali_rows_existing(const rebal_snapshot *snapshot, uint64_t *bits);
/*
 * Allocates n consecutive bitsets of the given number of rows; words is the length of one. They move when words grows,
 * and new bits are 0.
 */
int32_t rebali_bitsets_grow(struct rebali_arena *arena, uint64_t **bits, size_t n, size_t rows, size_t *words);

/* ---- compiled placements (placement.c, affinity.c) --------------------------------------------------------------- */

int32_t rebali_affinity_compile(struct rebali_arena *arena, const rebal_record *record, uint32_t node,
                                size_t *n_bitsets, struct rebali_affinity *out);
/* Returns whether the affinity matches the cluster, which must be part of the fleet (rebalance-karmada(7) 3.1). */
int rebali_affinity_matches(const struct rebali_affinity *affinity, const rebal_snapshot *snapshot, uint32_t cluster);
/* affinity_rows.c: matches every cluster in existing. All bitsets have the length words. */
void rebali_affinity_rows(const struct rebali_affinity *affinity, const rebal_snapshot *snapshot,
                          const uint64_t *existing, uint64_t *bits, size_t words);
/*
 * Predicates on labels (subject: the affinity), and on the field of one requirement (subject: the requirement) with its
 * column.
 */
int rebali_labels_match(const void *affinity, const rebal_snapshot *snapshot, uint32_t cluster);
int rebali_field_matches(const void *requirement, const rebal_snapshot *snapshot, uint32_t cluster);
uint32_t rebali_field_column(const struct rebali_requirement *requirement);
/* The first part of an affinity that excludes a cluster. */
struct rebali_mismatch {
  uint32_t field;                               /* REBAL_AFFINITY_*; 0: the affinity matches */
  const struct rebali_requirement *requirement; /* of a selector; NULL for lists of names */
};
struct rebali_mismatch rebali_affinity_mismatch(const struct rebali_affinity *affinity, const rebal_snapshot *snapshot,
                                                uint32_t cluster);
/*
 * Returns the value that a selector (REBAL_AFFINITY_LABEL_SELECTOR or _FIELD_SELECTOR) reads, except zones. bytes is
 * NULL if the value is missing.
 */
struct rebali_text rebali_affinity_value(const rebal_snapshot *snapshot, uint32_t cluster, uint32_t field,
                                         struct rebali_text key);

/* Compiles a placement record. Memory is from placement->arena, which the caller has initialized. */
int32_t rebali_placement_compile(struct rebali_placement *placement, const rebal_record *record);
/* Returns whether clusters are selected among the feasible ones (rebalance-karmada(7) 5.1). */
static inline int rebali_placement_selects(const struct rebali_placement *placement) {
  return placement->n_spreads > 0 && !placement->ignores_spread;
}
/* Returns the first term with this name, or NULL. */
const struct rebali_affinity *rebali_placement_term(const struct rebali_placement *placement, struct rebali_text name);

/*
 * Sets *out to the compiled placement of a handle, evaluated for all rows of the snapshot. Valid until the call ends.
 */
int32_t rebali_placement_get(rebal_ctx *ctx, rebal_snapshot *snapshot, uint32_t handle,
                             const struct rebali_placement **out, rebal_error *err);

static inline int rebali_placement_matches(const struct rebali_placement *placement,
                                           const struct rebali_affinity *affinity, uint32_t cluster) {
  return rebali_bit_get(placement->matches + affinity->bitset * placement->words, cluster);
}

/* placement_columns.c: evaluates all rows. Bits and weights must be 0. */
void rebali_placement_evaluate(struct rebali_placement *placement, const rebal_snapshot *snapshot);
int rebali_cluster_is_present(const rebal_snapshot *snapshot, uint32_t cluster);
int rebali_cluster_is_tolerated(const void *placement, const rebal_snapshot *snapshot, uint32_t cluster);

/*
 * placement_weights.c: returns the largest weight of a rule that matches the cluster, which must exist; 0 if no rule
 * matches.
 */
int64_t rebali_static_weight(const struct rebali_placement *placement, const rebal_snapshot *snapshot,
                             uint32_t cluster);
/*
 * The same for a placement by static weight, with the reference's default: without weight preference all clusters weigh
 * 1, which is kept in weights.
 */
static inline int64_t rebali_placement_weight(const struct rebali_placement *placement, const rebal_snapshot *snapshot,
                                              uint32_t cluster) {
  return placement->weights != NULL ? placement->weights[cluster] : rebali_static_weight(placement, snapshot, cluster);
}
/* Returns whether a division needs weights and they fit a column. */
int rebali_placement_has_weights(const struct rebali_placement *placement);
/* Weighs every cluster in existing. Weights must be 0. bits is scratch of the same size. */
void rebali_static_weights(struct rebali_placement *placement, const rebal_snapshot *snapshot, const uint64_t *existing,
                           uint64_t *bits);
/* Weighs changed rows. REBAL_ENOMEM without filling an error. */
int32_t rebali_static_weights_update(struct rebali_placement *placement, rebal_snapshot *snapshot,
                                     struct rebali_arena *scratch, const uint32_t *rows, size_t n);
/*
 * Finds the n rows with the largest static weights (1 without weight preference, absent rows 0), or all if there are
 * fewer, as keys of a ranking. Places are the ranks of names, or with descending their complements (UINT32_MAX - rank).
 * Valid until the call ends or until more are requested. REBAL_ENOMEM without filling an error; REBAL_ERANGE: a weight
 * exceeds the range of keys, so this order does not exist.
 */
int32_t rebali_placement_heaviest(const struct rebali_placement *placement, rebal_snapshot *snapshot, int descending,
                                  size_t n, const uint64_t **keys, size_t *n_keys);

/*
 * api_enablement.c: returns whether a set of API enablements (NULL: none) lists a kind; and the same for every cluster
 * of the fleet, as a bitset over the rows that is valid until the call ends.
 */
struct rebali_api {
  struct rebali_text api_version;
  struct rebali_text kind;
};
int rebali_api_is_listed(const struct rebali_api *api, const rebal_record *enablements);
int32_t rebali_api_rows(rebal_ctx *ctx, rebal_snapshot *snapshot, const struct rebali_api *api, const uint64_t **bits,
                        rebal_error *err);

/*
 * Returns the index of the first taint that no toleration covers (NoSchedule and NoExecute only), or REBAL_ABSENT
 * (rebalance-karmada(7) 3.3).
 */
int64_t rebali_untolerated_taint(const rebal_snapshot *snapshot, uint32_t cluster,
                                 const struct rebali_tolerations *tolerations);
/* Returns REBAL_SPREAD_BY_* of a spreadByField, or 0 for any other. */
uint32_t rebali_spread_field_parse(struct rebali_text name);
/* Returns the constraint on a field, the last if there are several, or NULL. */
const struct rebali_spread *rebali_placement_spread(const struct rebali_placement *placement, uint32_t field);
/* Returns whether the cluster has the property that the constraint groups by. */
int rebali_cluster_has_property(const rebal_snapshot *snapshot, uint32_t cluster, uint32_t field);

#endif
