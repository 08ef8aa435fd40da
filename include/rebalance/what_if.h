/* SPDX-License-Identifier: MIT */
/*
 * rebalance/what_if.h - what would be if clusters were lost, and what would have to be so that a binding fits (
 * rebalance-plan(7) 7). A part of rebalance/plan.h.
 */
#ifndef REBAL_WHAT_IF_H
#define REBAL_WHAT_IF_H

#include "scheduler.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What a sweep loses at a time (column REBAL_SWEPT_KIND). */
enum rebal_loss {
  REBAL_LOSS_NOTHING = 1, /**< what holds without any loss */
  REBAL_LOSS_CLUSTER = 2, /**< each cluster, by name */
  REBAL_LOSS_SET = 3,     /**< each set of the caller's, in its order */
  REBAL_LOSS_ZONE = 4,    /**< each zone, by name: the clusters all of whose zones are this one */
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
  const uint32_t *set_offsets;         /**< n_sets + 1 of them; NULL when n_sets is 0 */
  uint64_t n_sets;                     /**< sets of clusters that are lost together, such as pairs */
  uint64_t first_loss;                 /**< start at this loss */
  uint64_t max_work;                   /**< stop after so many losses; 0: all */
  uint32_t kinds;                      /**< sum of 1 << REBAL_LOSS_*: the kinds of losses; 0: each cluster */
  uint32_t reserved0;                  /**< must be 0 */
} rebal_sweep_opts;

/**
 * Sets *n to the number of losses that the options stand for: kinds in the order of enum rebal_loss, each in the order
 * stated there; first_loss and max_work change nothing.
 * @returns REBAL_EINVAL: a set names a cluster id that the snapshot has not, or offsets go backward;
 * REBAL_EUNSUPPORTED: an unknown kind.
 * Source: rebalance-plan(7) 7. Since: 0.1
 */
REBAL_API int32_t rebal_sweep_count(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_sweep_opts *opts, uint64_t *n,
                                    rebal_error *err);

/**
 * Computes what follows from each loss: fills REBAL_TABLE_SWEPT with one row for each loss from first_loss on, and with
 * REBAL_SWEEP_FLAG_BINDINGS REBAL_TABLE_AFFECTED with one row for each binding that is decided otherwise than with
 * nothing lost: another outcome, other clusters or replicas.
 *
 * For each loss all bindings are decided as rebal_schedule() decides them, in order, but a reschedule trigger counts as
 * consumed (STEADY of rebalance-plan(7) 2), and the clusters lost are rejected for every binding, as by extra_reject. A
 * ledger in opts->schedule is not changed: each loss charges a copy of its own. Bindings in known and assigning stay as
 * they are. Only bindings that a loss can change are decided again; their number is REBAL_SWEPT_DECIDED.
 *
 * Numbers are counted against x, the targets of a binding, and y, what it has afterward: the clusters of the answer, or
 * x without the clusters lost if it is refused. Missing are max(0, replicas wanted - sum of y) replicas, which is 0 for
 * copies as long as one cluster has them. Moved are those of rebalance-plan(7) 1: sum of max(0, x_c - y_c), less max(0,
 * sum x - sum y).
 *
 * The fullest cluster is the one, not lost, with the largest part of a resource in use: allocated and allocating of the
 * summary, what the caller's ledger holds, and what all bindings request for y less what they request for x, per 1,000
 * of what is allocatable. Each replica takes one of "pods". Clusters without summary and resources of which nothing is
 * allocatable do not count. The first by name of the cluster, then of the resource, is the answer if several are as
 * full.
 *
 * Losses are independent: results for parts of the losses, one after the other, are the result for all of them. Each
 * call first decides every binding once without a loss; a caller who wants progress, or wants to be able to stop, calls
 * with max_work of some hundred. first_row and max_work of opts->schedule must be 0 (REBAL_EINVAL); its explain_rows
 * and observations are not read; REBAL_SCHEDULE_FLAG_FINGERPRINT is REBAL_EUNSUPPORTED. On failure the result is empty.
 * @returns what rebal_schedule() and rebal_sweep_count() return.
 * Source: rebalance-plan(7) 7. Since: 0.1
 */
REBAL_API int32_t rebal_sweep(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings,
                              const rebal_sweep_opts *opts, rebal_result *result, rebal_error *err);

/**
 * Computes how many replicas of a new binding would fit before the first refusal, with each loss: fills
 * REBAL_TABLE_HEADROOM with one row for each loss from first_loss on; REBAL_LOSS_NOTHING is what fits now. The binding
 * is a copy of row without targets and tasks. n replicas fit if rebal_schedule() answers REBAL_OUTCOME_SCHEDULED for
 * 1, 2, ... and n replicas, without the clusters lost. A ledger in opts->schedule counts and is not changed.
 *
 * most is how many are tried; 0: 1,000,000. If that many fit, REBAL_HEADROOM_OUTCOME is REBAL_OUTCOME_SCHEDULED, else
 * it is the outcome for one replica more.
 *
 * Where fewer replicas fit if more do, the number is found by bisection: with copies, dynamic weights and Aggregated
 * without a spread constraint or with constraints by cluster alone, and with static weights without constraint. In all
 * other cases (regions, static weights with a constraint or with overflow tiers, components, estimators of the caller,
 * REBAL_OPTION_INT32_WRAP, REBAL_OPTION_PARTIAL_PLACEMENT) every number is decided until one is refused.
 * @returns REBAL_EINVAL: there is no such row; and what rebal_sweep() returns.
 * Source: rebalance-plan(7) 7. Since: 0.1
 */
REBAL_API int32_t rebal_headroom(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings, uint32_t row,
                                 int32_t most, const rebal_sweep_opts *opts, rebal_result *result, rebal_error *err);

/** What could be otherwise (column REBAL_COUNTERFACTUAL_KIND), the cheapest kind first. */
enum rebal_single_change {
  REBAL_SINGLE_CHANGE_NOTHING = 1,    /**< it is as wanted already */
  REBAL_SINGLE_CHANGE_TOLERATION = 2, /**< the placement tolerates one taint more */
  REBAL_SINGLE_CHANGE_MIN_GROUPS = 3, /**< minGroups of one spread constraint */
  REBAL_SINGLE_CHANGE_MAX_GROUPS = 4, /**< maxGroups of one spread constraint */
  REBAL_SINGLE_CHANGE_WEIGHT = 5,     /**< the static weight of one cluster is larger */
  REBAL_SINGLE_CHANGE_LABEL = 6,      /**< one cluster has a label, or another value of it, or has it no more */
  REBAL_SINGLE_CHANGE_TAINT = 7,      /**< one cluster has one taint less */
  REBAL_SINGLE_CHANGE_CAPACITY = 8    /**< one cluster has more of one resource that is allocatable */
};

/** All zero: every change is tried. Since: 0.1 */
typedef struct rebal_counterfactual_opts {
  uint32_t struct_size;
  uint32_t kinds;                      /**< sum of 1 << REBAL_SINGLE_CHANGE_*: which are tried; 0: all */
  const rebal_schedule_opts *schedule; /**< how the binding is decided; NULL: defaults */
  uint64_t max_answers;                /**< so many of the cheapest; 0: all */
} rebal_counterfactual_opts;

/**
 * Computes which single changes would have a cluster chosen for a binding, or, if cluster is REBAL_NONE, would let the
 * binding fit: fills REBAL_TABLE_COUNTERFACTUAL with one row for each, the cheapest first. No row: no single change
 * that is tried does. If nothing has to change, the one row says so. A binding fits if rebal_schedule() answers
 * REBAL_OUTCOME_SCHEDULED; a cluster is chosen if it is also in the answer, with replicas if the binding has some.
 *
 * The fleet is copied as it is now, not as it was frozen; nothing of the caller's is changed. Each answer was decided
 * with the change, in the copy. The changes, each tried with every cluster that is there:
 * - TOLERATION of a taint that some cluster has, by key, value and effect; TAINT: it is removed. Effects are NoSchedule
 *   and NoExecute.
 * - MIN_GROUPS, MAX_GROUPS: the nearest number below and the nearest one above that do, not farther away than 64, at
 *   least 1, and minGroups not above maxGroups. A maxGroups of 0 stays.
 * - WEIGHT: a rule for the cluster alone at the end of staticWeightList, where there are rules, of up to 2^30; of
 *   several rules the largest counts.
 * - LABEL: for the keys in label selectors of the placement: each value that they name, no value if a key is only to be
 *   there or not, and no label.
 * - CAPACITY: what is allocatable of a resource that the binding requests, "pods" among them, in clusters with a
 *   summary, up to 2^30 replicas more. Models and nodes stay as they are, and may keep more from being used.
 *
 * Weights and amounts are found by bisection between a number that does not do and one that does: the number answered
 * does, and one less does not. It is the least of all where more never hurts, as it does not in the cluster that is to
 * be chosen, or if the binding is to fit, without spread constraints; a larger weight or amount elsewhere may take
 * replicas away from the cluster that is to be chosen, and then a smaller one may do that was not tried.
 *
 * The cost is 1,000,000 for each kind before that of the change, and up to 999,999 for how much: groups, weight, or
 * replicas' worth of the resource, rounded up. Changes of the same cost are in the order of the clusters' names, then
 * of REBAL_COUNTERFACTUAL_NAME.
 *
 * Each change takes one or two decisions, one that is found up to about 64, and there are some for each cluster: kinds
 * restricts them. Of opts->schedule first_row, max_work, explain_rows and observations are not read, and a ledger is
 * read and not changed; REBAL_SCHEDULE_FLAG_FINGERPRINT is REBAL_EUNSUPPORTED. Bindings in known and assigning stay as
 * they are. Cells of estimators, extra_reject and extra_score are found by binding row and cluster id, and are the same
 * with every change: where an estimator of the caller is the limit, no CAPACITY helps. On failure the result is empty.
 * @returns REBAL_EINVAL: there is no such row, or the fleet has no such cluster; REBAL_EMISMATCH: bindings, known,
 * assigning or ledger are of another fleet; REBAL_ESTATE: bindings, known or assigning are not frozen;
 * REBAL_EUNSUPPORTED: an unknown kind; and what rebal_fleet_save() and rebal_schedule() return.
 * Source: rebalance-plan(7) 7. Since: 0.1
 */
REBAL_API int32_t rebal_counterfactual(rebal_ctx *ctx, const rebal_fleet *fleet, const rebal_bindings *bindings,
                                       uint32_t row, uint32_t cluster, const rebal_counterfactual_opts *opts,
                                       rebal_result *result, rebal_error *err);

#ifdef __cplusplus
}
#endif
#endif
