/* SPDX-License-Identifier: MIT */
/*
 * rebalance/what_if.h - effects of lost clusters, and changes that would let a binding fit
 * (rebalance-plan(7) 7). A part of rebalance/plan.h.
 */
#ifndef REBAL_WHAT_IF_H
#define REBAL_WHAT_IF_H

#include "scheduler.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Kinds of losses of a sweep (column REBAL_SWEPT_KIND). */
enum rebal_loss {
  REBAL_LOSS_NOTHING = 1, /**< what holds without any loss */
  REBAL_LOSS_CLUSTER = 2, /**< each cluster, by name */
  REBAL_LOSS_SET = 3,     /**< each set of the caller's, in its order */
  REBAL_LOSS_ZONE = 4,    /**< each zone, by name: the clusters that are in this zone only */
  REBAL_LOSS_REGION = 5,  /**< each region, by name */
  REBAL_LOSS_PROVIDER = 6 /**< each provider, by name */
};

/** Bits of rebal_sweep_opts.flags. */
enum rebal_sweep_flag {
  REBAL_SWEEP_FLAG_BINDINGS = 1 /**< also fill REBAL_TABLE_AFFECTED */
};

/** All zero: each cluster is lost once, and bindings are independent of each other. Since: 0.1 */
typedef struct rebal_sweep_opts {
  uint32_t struct_size;
  uint32_t flags;                      /**< REBAL_SWEEP_FLAG_* */
  const rebal_schedule_opts *schedule; /**< how bindings are decided; NULL: defaults */
  const uint32_t *set_clusters;        /**< ids: set i has those from set_offsets[i] up to set_offsets[i + 1] */
  const uint32_t *set_offsets;         /**< n_sets + 1 of them; NULL if n_sets is 0 */
  uint64_t n_sets;                     /**< sets of clusters that are lost together, such as pairs */
  uint64_t first_loss;                 /**< start at this loss */
  uint64_t max_work;                   /**< stop after that many losses; 0: all */
  uint32_t kinds;                      /**< sum of 1 << REBAL_LOSS_*: the kinds of losses; 0: each cluster */
  uint32_t reserved0;                  /**< must be 0 */
} rebal_sweep_opts;

/**
 * Counts the losses that the options select and sets *n: kinds in the order of enum rebal_loss, each in the order
 * stated there; first_loss and max_work have no effect.
 * @returns REBAL_EINVAL: a set has a cluster id that the snapshot does not have, or offsets decrease;
 * REBAL_EUNSUPPORTED: an unknown kind.
 * Source: rebalance-plan(7) 7. Since: 0.1
 */
REBAL_API int32_t rebal_sweep_count(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_sweep_opts *opts, uint64_t *n,
                                    rebal_error *err);

/**
 * Computes the effect of each loss: fills REBAL_TABLE_SWEPT with one row for each loss from first_loss on and, with
 * REBAL_SWEEP_FLAG_BINDINGS, REBAL_TABLE_AFFECTED with one row for each binding whose decision differs from that
 * without a loss: another outcome, other clusters or replicas.
 *
 * For each loss all bindings are decided as by rebal_schedule(), in order, but a reschedule trigger counts as consumed
 * (STEADY of rebalance-plan(7) 2), and the lost clusters are rejected for every binding, as by extra_reject. A ledger
 * in opts->schedule does not change: each loss charges its own copy. Bindings in known and assigning stay as they are.
 * Only bindings that a loss can change are decided again; their number is REBAL_SWEPT_DECIDED.
 *
 * x are the targets of a binding, and y its targets after the loss: the clusters of the answer or, if it is refused, x
 * without the lost clusters. Missing are max(0, replicas desired - sum of y) replicas; 0 for copies as long as one
 * cluster has them. Moved are those of rebalance-plan(7) 1: sum of max(0, x_c - y_c), less max(0, sum x - sum y).
 *
 * The fullest cluster is the remaining one with the largest part of a resource in use: allocated and allocating of the
 * summary, holdings of the caller's ledger, and the requests of all bindings for y less those for x, per 1,000 of the
 * allocatable amount. Each replica takes one of "pods". Clusters without summary and resources without an allocatable
 * amount do not count. If several are equally full, the first by name of the cluster, then of the resource, is
 * returned.
 *
 * Losses are independent: results for parts of the losses, one after the other, equal the result for all of them. Each
 * call first decides every binding once without a loss. For progress or cancellation, call with max_work of some
 * hundred. first_row and max_work of opts->schedule must be 0 (REBAL_EINVAL); its explain_rows and observations are not
 * read; REBAL_SCHEDULE_FLAG_FINGERPRINT is REBAL_EUNSUPPORTED. On failure the result is empty.
 * @returns errors of rebal_schedule() and rebal_sweep_count().
 * Source: rebalance-plan(7) 7. Since: 0.1
 */
REBAL_API int32_t rebal_sweep(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings,
                              const rebal_sweep_opts *opts, rebal_result *result, rebal_error *err);

/**
 * Computes how many replicas of a new binding would fit before the first refusal, with each loss: fills
 * REBAL_TABLE_HEADROOM with one row for each loss from first_loss on; REBAL_LOSS_NOTHING is the current state. The
 * binding is a copy of row without targets and tasks. n replicas fit if rebal_schedule() answers
 * REBAL_OUTCOME_SCHEDULED for 1, 2, ... and n replicas, without the lost clusters. A ledger in opts->schedule counts
 * and does not change.
 *
 * max_replicas is the largest number tried; 0: 1,000,000. If that many fit, REBAL_HEADROOM_OUTCOME is
 * REBAL_OUTCOME_SCHEDULED, else it is the outcome for one more replica.
 *
 * If any smaller number fits whenever a number fits, the result is found by bisection: with copies, dynamic weights and
 * Aggregated without a spread constraint or with constraints by cluster alone, and with static weights without
 * constraint. In all other cases (regions, static weights with a constraint or with overflow tiers, components,
 * estimators of the caller, REBAL_OPTION_INT32_WRAP, REBAL_OPTION_PARTIAL_PLACEMENT) every number is decided until one
 * is refused.
 * @returns REBAL_EINVAL: the row does not exist; and errors of rebal_sweep().
 * Source: rebalance-plan(7) 7. Since: 0.1
 */
REBAL_API int32_t rebal_headroom(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings, uint32_t row,
                                 int32_t max_replicas, const rebal_sweep_opts *opts, rebal_result *result,
                                 rebal_error *err);

/** Kinds of single changes (column REBAL_COUNTERFACTUAL_KIND), the cheapest first. */
enum rebal_single_change {
  REBAL_SINGLE_CHANGE_NOTHING = 1,    /**< nothing has to change */
  REBAL_SINGLE_CHANGE_TOLERATION = 2, /**< the placement tolerates one more taint */
  REBAL_SINGLE_CHANGE_MIN_GROUPS = 3, /**< minGroups of one spread constraint */
  REBAL_SINGLE_CHANGE_MAX_GROUPS = 4, /**< maxGroups of one spread constraint */
  REBAL_SINGLE_CHANGE_WEIGHT = 5,     /**< the static weight of one cluster is larger */
  REBAL_SINGLE_CHANGE_LABEL = 6,      /**< a label of one cluster is added, changed or removed */
  REBAL_SINGLE_CHANGE_TAINT = 7,      /**< one cluster has one taint fewer */
  REBAL_SINGLE_CHANGE_CAPACITY = 8    /**< one cluster has more of one resource that is allocatable */
};

/** All zero: every change is tried. Since: 0.1 */
typedef struct rebal_counterfactual_opts {
  uint32_t struct_size;
  uint32_t kinds;                      /**< sum of 1 << REBAL_SINGLE_CHANGE_*: kinds to try; 0: all */
  const rebal_schedule_opts *schedule; /**< how the binding is decided; NULL: defaults */
  uint64_t max_answers;                /**< rows at most, the cheapest; 0: all */
} rebal_counterfactual_opts;

/**
 * Computes which single changes would have a cluster chosen for a binding or, if cluster is REBAL_NONE, would let the
 * binding fit: fills REBAL_TABLE_COUNTERFACTUAL with one row for each, the cheapest first. Without a row, no change
 * that is tried suffices. If nothing has to change, the one row is REBAL_SINGLE_CHANGE_NOTHING. A binding fits if
 * rebal_schedule() answers REBAL_OUTCOME_SCHEDULED; a cluster is chosen if it is also in the answer, with replicas if
 * the binding has some.
 *
 * The call copies the current state of the fleet, not that of its last freeze, and changes nothing of the caller's.
 * Each answer was decided with the change, in the copy. rebal_counterfactual(3) describes the changes of each kind, how
 * the least weight or amount is found, and the cost.
 *
 * Of opts->schedule first_row, max_work, explain_rows and observations are not read, and a ledger is read but does not
 * change; REBAL_SCHEDULE_FLAG_FINGERPRINT is REBAL_EUNSUPPORTED. On failure the result is empty.
 * @returns REBAL_EINVAL: the row does not exist, or the fleet does not have the cluster; REBAL_EMISMATCH: bindings,
 * known, assigning or ledger are of another fleet; REBAL_ESTATE: bindings, known or assigning are not frozen;
 * REBAL_EUNSUPPORTED: an unknown kind; and errors of rebal_fleet_save() and rebal_schedule().
 * Source: rebalance-plan(7) 7. Since: 0.1
 */
REBAL_API int32_t rebal_counterfactual(rebal_ctx *ctx, const rebal_fleet *fleet, const rebal_bindings *bindings,
                                       uint32_t row, uint32_t cluster, const rebal_counterfactual_opts *opts,
                                       rebal_result *result, rebal_error *err);

#ifdef __cplusplus
}
#endif
#endif
