/* SPDX-License-Identifier: MIT */
/*
 * rebalance/scheduler.h - filter, score, select, assign: where the replicas of a binding go (rebalance-karmada(7) 2 to
 * 7).
 *
 * Every phase is a call of its own. All take the bindings frozen and answer for each of them, independently of each
 * other unless a ledger is given. An error ends a call at one binding: the rows of those before it stay in the result,
 * and the ledger holds what these were charged, so that the caller can go on behind them with first_row.
 */
#ifndef REBAL_SCHEDULER_H
#define REBAL_SCHEDULER_H

#include "estimator.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Filter plugins, in the order in which their reasons count (rebalance-karmada(7) 3). */
enum rebal_filter {
  REBAL_FILTER_API_ENABLEMENT = 0,
  REBAL_FILTER_CLUSTER_AFFINITY = 1,
  REBAL_FILTER_CLUSTER_EVICTION = 2,
  REBAL_FILTER_SPREAD_CONSTRAINT = 3,
  REBAL_FILTER_TAINT_TOLERATION = 4,
  REBAL_FILTER_WORKLOAD_AFFINITY = 5,
  REBAL_FILTER_WORKLOAD_ANTI_AFFINITY = 6,
  REBAL_FILTER_EXTRA = 31                  /**< the caller's rebal_schedule_opts.extra_reject */
};

/** Fields that a spread constraint groups by (column REBAL_GROUP_FIELD). */
enum rebal_spread_by {
  REBAL_SPREAD_BY_CLUSTER = 1,
  REBAL_SPREAD_BY_REGION = 2,
  REBAL_SPREAD_BY_ZONE = 3,
  REBAL_SPREAD_BY_PROVIDER = 4
};

/** Stages of the pipeline (column REBAL_EXPLAIN_STAGE). */
enum rebal_stage { REBAL_STAGE_FILTER = 1, REBAL_STAGE_SCORE = 2, REBAL_STAGE_SELECT = 3, REBAL_STAGE_ASSIGN = 4 };

/** What a stage found about a cluster (column REBAL_EXPLAIN_VERDICT). */
enum rebal_why {
  REBAL_WHY_FEASIBLE = 1,          /**< filter: passed by every plugin */
  REBAL_WHY_REJECTED = 2,          /**< filter: PLUGIN rejects it; one row for each plugin that does */
  REBAL_WHY_DELETING = 3,          /**< filter: the cluster is being deleted */
  REBAL_WHY_SCORED = 4,            /**< score: ranked by SCORE, ALLOCATABLE and AVAILABLE */
  REBAL_WHY_SELECTED = 5,          /**< select: chosen, or no constraint requires a choice */
  REBAL_WHY_BEYOND_MAX_GROUPS = 6, /**< select: ranked after the clusters that maxGroups allows */
  REBAL_WHY_GROUP_LEFT_OUT = 7,    /**< select: its region was not chosen */
  REBAL_WHY_EXCHANGED = 8,         /**< select: replaced by a cluster with more capacity */
  REBAL_WHY_PLACED = 9,            /**< assign: it is part of the answer */
  REBAL_WHY_NOT_NEEDED = 10,       /**< assign: selected, but its share is none */
  REBAL_WHY_REFUSED = 11,          /**< CLUSTER is REBAL_ABSENT: the stage ended the pass, FOUND says how */
  REBAL_WHY_DROPPED = 12           /**< assign: it was a target, and an earlier stage left it out */
};

/** What decided between a cluster or region and one that was equal till then (column REBAL_EXPLAIN_TIE). */
enum rebal_tie {
  REBAL_TIE_AVAILABLE = 1,       /**< select: equal scores, and PEER has more available replicas */
  REBAL_TIE_CLUSTERS = 2,        /**< select: regions of equal score, and PEER has more clusters */
  REBAL_TIE_NAME = 3,            /**< all else is equal, and the name of PEER is first */
  /** assign: all else is equal, and the name of PEER is last: the workload's uid has an odd hash */
  REBAL_TIE_NAME_DESCENDING = 4,
  REBAL_TIE_FEWER_REPLICAS = 5,  /**< assign: equal quotients for the last replica, and PEER had fewer replicas */
  REBAL_TIE_RANK = 6,            /**< assign: both offer as many replicas, and PEER ranks higher */
  REBAL_TIE_LIST_ORDER = 7       /**< assign: both have as many replicas, and PEER is first in spec.clusters */
};

/** Bits of rebal_schedule_opts.flags. */
enum rebal_schedule_flag {
  REBAL_SCHEDULE_FLAG_NO_SUMMARY = 1,  /**< use other estimators only, not the summaries */
  REBAL_SCHEDULE_FLAG_FINGERPRINT = 2, /**< compute rebal_result_fingerprint() of the result */
  REBAL_SCHEDULE_FLAG_NODES = 4,       /**< also limit by known nodes (rebalance-karmada(7) 6.5) */
  REBAL_SCHEDULE_FLAG_SINGLE_GROUP = 8 /**< rebal_schedule() tries one affinity group only, as the phases do */
};

/**
 * Answer for one binding (column REBAL_DECISION_OUTCOME). NO_CLUSTER_FIT, UNSCHEDULABLE and SCHEDULER_ERROR are the
 * reference's condition reasons. rebal_decide() gives SCHEDULED for a binding that is due.
 */
enum rebal_outcome {
  REBAL_OUTCOME_SCHEDULED = 1,
  REBAL_OUTCOME_UNCHANGED = 2,       /**< no reason to schedule (row 6 of rebalance-karmada(7) 2.3) */
  REBAL_OUTCOME_SKIPPED = 3,         /**< deleting, suspended or another scheduler's */
  REBAL_OUTCOME_NO_CLUSTER_FIT = 4,
  REBAL_OUTCOME_UNSCHEDULABLE = 5,
  REBAL_OUTCOME_SCHEDULER_ERROR = 6,
  REBAL_OUTCOME_PARTIAL = 7,         /**< some replicas do not fit (REBAL_OPTION_PARTIAL_PLACEMENT) */
  REBAL_OUTCOME_QUOTA_EXCEEDED = 8   /**< step only: a quota denied the write of the clusters */
};

/** Why a binding is scheduled or not (column REBAL_DECISION_REASON); rows of the table in rebalance-karmada(7) 2.3. */
enum rebal_reason {
  REBAL_REASON_NONE = 0,
  REBAL_REASON_DELETING = 1,
  REBAL_REASON_PLACEMENT = 2,
  REBAL_REASON_REPLICAS = 3,
  REBAL_REASON_RESCHEDULE = 4,
  REBAL_REASON_DUPLICATED = 5,
  REBAL_REASON_TERMINATING_CLUSTER = 6
};

/**
 * All zero: Karmada's defaults, every binding independent of the others. Arrays are the caller's, are never written to
 * and must live until the call ends. The cell of binding row b and cluster id c in a column of the caller (extra_*) is
 * column[b * extra_stride + c]; cluster ids from extra_clusters on have no cell, and a column that is NULL has no
 * effect. Since: 0.1
 */
typedef struct rebal_schedule_opts {
  uint32_t struct_size;
  uint32_t flags;                  /**< REBAL_SCHEDULE_FLAG_* */
  const rebal_compat *compat;      /**< NULL: defaults */
  rebal_ledger *ledger;            /**< NULL: a batch's members are independent; else read and charged in order */
  const rebal_bindings *known;     /**< other ResourceBindings, for workload affinity (3.7); NULL: none */
  const rebal_bindings *assigning; /**< newer copies of some of known; NULL: none */
  const rebal_time *ledger_expiry; /**< expiry of what is charged; NULL: never */
  uint64_t first_row;              /**< start at this row of the bindings */
  uint64_t max_work;               /**< stop after so many bindings; 0: all. The rows of DECISION tell how many */
  const char *scheduler_name;      /**< the step skips bindings of others; NULL: default-scheduler */
  uint64_t scheduler_name_len;     /**< bytes of scheduler_name */
  const int64_t *extra_reject;      /**< not 0: the caller rejects the cluster, as one more filter plugin */
  const int64_t *extra_score;       /**< added to the scores of the plugins; -2^31..2^31-1 (else REBAL_ERANGE) */
  uint64_t extra_clusters;          /**< cells of each binding */
  uint64_t extra_stride;            /**< cells from one binding's to the next's; 0: the same for every binding */
  const char *extra_reject_reason;  /**< text for the fit error; NULL: "cluster(s) were rejected by the caller" */
  uint64_t extra_reject_reason_len; /**< bytes of extra_reject_reason */
  const rebal_estimator *const *estimators; /**< answers of other estimators (rebalance-karmada(7) 6.1) */
  uint64_t n_estimators;                    /**< how many there are */
  uint64_t explain_rows;                  /**< rows of EXPLAIN for each binding, at most; 0: no explanation at all */
  const rebal_observations *observations; /**< step only: NULL: writes succeed; else see rebal_scheduler_step() */
} rebal_schedule_opts;

/**
 * Does each cluster of the snapshot match one affinity of a placement? Fills REBAL_TABLE_VERDICT with binding 0 and,
 * where it does not match, the bit of REBAL_FILTER_CLUSTER_AFFINITY. affinity is a record of kind
 * REBAL_OBJECT_AFFINITY.
 * Source: rebalance-karmada(7) 3.1. Since: 0.1
 */
REBAL_API int32_t rebal_match(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_record *affinity,
                              rebal_result *result, rebal_error *err);

/**
 * The verdict of every filter plugin for every binding and cluster, deleting clusters included: fills
 * REBAL_TABLE_VERDICT. A binding without placement has no rows. The group of clusterAffinities judged is the one in
 * REBAL_BINDING_OBSERVED_AFFINITY_NAME, the first when that is empty.
 * Source: rebalance-karmada(7) 3. Since: 0.1
 */
REBAL_API int32_t rebal_filter(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings,
                               const rebal_schedule_opts *opts, rebal_result *result, rebal_error *err);

/**
 * The reason text the reference gives when a plugin rejects: for a row of VERDICT and the bindings of that call; empty
 * when the plugin does not reject. For REBAL_FILTER_EXTRA the text that holds when the caller gives none: its own
 * reason the caller knows. Buffer rules of rebal_quantity_format(). Since: 0.1
 */
REBAL_API int32_t rebal_filter_reason(const rebal_bindings *bindings, const rebal_result *verdicts, size_t row,
                                      uint32_t plugin, char *buffer, size_t capacity, size_t *len, rebal_error *err);

/**
 * What seats are divided over: n names in one block (name i is names[offsets[i]] up to names[offsets[i + 1]]), the
 * weight of each, and the uid that decides with the names about ties. All arrays may be NULL when n is 0. Since: 0.1
 */
typedef struct rebal_parties {
  uint32_t struct_size;
  uint32_t reserved0;      /**< must be 0 */
  const char *names;       /**< the names, one after the other */
  const uint32_t *offsets; /**< n + 1 of them */
  const int64_t *weights;  /**< n of them */
  uint64_t n;              /**< how many parties there are */
  const char *uid;         /**< NULL: the same as the empty text */
  uint64_t uid_len;        /**< bytes of uid */
} rebal_parties;

/** Bits of rebal_divide_opts.flags. */
enum rebal_divide_flag {
  REBAL_DIVIDE_FLAG_KEEP_CURRENT = 1 /**< no party gets less than it has now, within its upper bound and the seats */
};

/**
 * A column has a cell for each party. All zero: plain division without earlier seats. Bounds apply when one of
 * minimums, maximums, capacities and current is there, or REBAL_DIVIDE_FLAG_KEEP_CURRENT is set; one of them that is
 * NULL then sets no bound, and a negative cell is 0. Since: 0.1
 */
typedef struct rebal_divide_opts {
  uint32_t struct_size;
  uint32_t flags;            /**< REBAL_DIVIDE_FLAG_* */
  const int32_t *before;     /**< plain division: seats held before, beside those divided; INT32_MIN: none */
  const int32_t *minimums;   /**< seats at least; NULL: 0 */
  const int32_t *maximums;   /**< seats at most; NULL: no limit */
  const int32_t *capacities; /**< room for more seats than the current ones; INT32_MAX and NULL: no limit */
  const int32_t *current;    /**< seats held now, which count among those divided; NULL: 0 */
} rebal_divide_opts;

/**
 * Webster division (rebalance-karmada(7) 7.7): replicas seats over parties by weight. Fills REBAL_TABLE_SHARE by name;
 * *left receives the seats that could not be handed out. At most 10,000,000 seats and 2^32 - 2 parties (REBAL_ELIMIT).
 * Of a name that comes twice the last weight and the last cells hold.
 *
 * Plain division (opts NULL, for one) hands seats out beside those held before, and its shares are the union of all
 * parties; without any weight nothing is handed out, and only parties that held seats before have a share.
 *
 * Between bounds the seats held now are among those divided. The upper bound of a party is the smaller of its maximum
 * and current + capacity; the lower one is its minimum, with REBAL_DIVIDE_FLAG_KEEP_CURRENT its current seats if these
 * are more, but never above the upper one. Seat after seat goes to the party that comes first in the order of plain
 * division: first among the parties below their lower bound, and when there is none among those below their upper bound
 * that have a positive weight. So when the minimums do not fit, nothing but minimums is given, and one seat more never
 * takes one away. *left receives the seats that find no room. Every party has a share. Bounds that limit nothing give
 * the shares of plain division, for weights that are not negative and have a sum within int64.
 * @returns REBAL_EINVAL: before beside bounds, an array is missing, or offsets go backward; REBAL_ERANGE: a negative
 * number of replicas between bounds.
 * Since: 0.1
 */
REBAL_API int32_t rebal_divide(rebal_ctx *ctx, int32_t replicas, const rebal_parties *parties,
                               const rebal_divide_opts *opts, rebal_result *result, int32_t *left, rebal_error *err);

/**
 * Whether and why each binding is to be scheduled (rebalance-karmada(7) 2.2, 2.3): fills REBAL_TABLE_DECISION. Since:
 * 0.1
 */
REBAL_API int32_t rebal_decide(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings,
                               const rebal_schedule_opts *opts, rebal_result *result, rebal_error *err);

/**
 * Scores the feasible clusters and estimates what fits into them: fills REBAL_TABLE_SCORED in the order of
 * rebalance-karmada(7) 5.2, and a row of REBAL_TABLE_DECISION for each binding (refused when no cluster is feasible).
 *
 * verdicts is what rebal_filter() returned for these bindings and this snapshot, or rebal_match() for a single binding:
 * feasible are the clusters without REJECTED_BY that are not being deleted. NULL: the call filters itself. It must be
 * another object than result (REBAL_EINVAL); REBAL_EMISMATCH: it has not one row for each cluster of the snapshot.
 * Source: rebalance-karmada(7) 4, 5.2, 6.1. Since: 0.1
 */
REBAL_API int32_t rebal_score(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings,
                              const rebal_result *verdicts, const rebal_schedule_opts *opts, rebal_result *result,
                              rebal_error *err);

/**
 * Selects clusters as the spread constraints ask: fills REBAL_TABLE_SELECTED in the order of selection,
 * REBAL_TABLE_GROUP with the regions, zones and providers that a constraint names (by field, then by name; none when
 * the constraints are ignored or are one by cluster), and a row of REBAL_TABLE_DECISION for each binding. A binding
 * that is refused keeps its rows of GROUP.
 *
 * scored is what rebal_score() returned for these bindings and this snapshot; a refusal in it is passed on. NULL: the
 * call filters and scores itself. It must be another object than result (REBAL_EINVAL); REBAL_EMISMATCH: it holds no
 * decision on a binding, or clusters that the snapshot has not.
 * Source: rebalance-karmada(7) 5. Since: 0.1
 */
REBAL_API int32_t rebal_select(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings,
                               const rebal_result *scored, const rebal_schedule_opts *opts, rebal_result *result,
                               rebal_error *err);

/**
 * Gives the replicas to the clusters selected: fills REBAL_TABLE_DECISION and REBAL_TABLE_PLACED, and charges the
 * ledger as rebal_schedule() does.
 *
 * selected is what rebal_select() returned for these bindings and this snapshot, with the availability on which the
 * selection was made; a refusal in it is passed on. NULL: the call does all phases itself, which is rebal_schedule()
 * with REBAL_SCHEDULE_FLAG_SINGLE_GROUP. With a ledger, phase after phase for one binding at a time (first_row,
 * max_work 1) is that call for all: in a batch every binding would be estimated before any is charged. Errors as
 * rebal_select().
 * Source: rebalance-karmada(7) 7. Since: 0.1
 */
REBAL_API int32_t rebal_assign(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings,
                               const rebal_result *selected, const rebal_schedule_opts *opts, rebal_result *result,
                               rebal_error *err);

/**
 * Schedules each binding, whether or not rebal_decide() finds it due: fills REBAL_TABLE_DECISION and
 * REBAL_TABLE_PLACED. A binding that does not fit is an answer, not an error. A ledger then holds for it what is
 * placed: nothing when no cluster fits, what it held when the clusters are kept.
 *
 * Groups of clusterAffinities are tried in their order, without wrapping round, until one holds the binding: from the
 * one in REBAL_BINDING_OBSERVED_AFFINITY_NAME on; from the first when no group has that name, or when a fresh placement
 * is requested (REBAL_BINDING_RESCHEDULE_TRIGGERED_AT). REBAL_DECISION_AFFINITY_NAME is the group taken. When every
 * group fails, outcome, message and name are those of the first one tried. The decision is that of
 * rebal_scheduler_step().
 *
 * With REBAL_SCHEDULE_FLAG_SINGLE_GROUP one group is tried: the observed one, the first when that is empty; as in the
 * reference's algorithm, a name that no group has restricts nothing. The phases rebal_filter(), rebal_score(),
 * rebal_select() and rebal_assign(), each given what the one before returned, answer the same.
 *
 * Products of two numbers: each label expression of a placement is evaluated for each set of labels of clusters, each
 * node term for each node, and with REBAL_OPTION_GATE_WORKLOAD_AFFINITY each member of the workload's groups is
 * examined, so that all members of one group together take the square of their number. Each member of the groups is
 * looked for in all of assigning.
 * Source: rebalance-karmada(7) 2.4, 2.6, 2.8. Since: 0.1
 */
REBAL_API int32_t rebal_schedule(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings,
                                 const rebal_schedule_opts *opts, rebal_result *result, rebal_error *err);

/**
 * The scheduler's whole turn for each binding: decide, schedule (affinity groups in turn), and what is to be written:
 * PATCH_METADATA (applied placement), PATCH_SPEC (clusters), PATCH_STATUS (condition, generation, time), EVENT on the
 * binding and on its resource (rebalance-karmada(7) 2.2 to 2.7). Fills REBAL_TABLE_STEP, REBAL_TABLE_ACTION,
 * REBAL_TABLE_DECISION and REBAL_TABLE_PLACED. now is the clock of the turn. REBAL_TABLE_WARNING has a row for each
 * cluster that is cleared because none fits (no-fit-clears), and one where the condition begins to say that a workload
 * placed before cannot be placed, while it has fewer replicas than it wants (keeps-shrunken).
 *
 * opts->observations NULL: every write is taken to succeed, and a turn is one call. Else a binding with something to
 * write is first REBAL_STEP_STATE_WAITING, with placement, clusters and the name of the affinity group as actions; a
 * later call with the same inputs and all of them observed gives the events and the condition by what became of them.
 * Calls in between give what is not observed yet; as long as that is everything, the events of failed groups too. A
 * binding whose status patch is observed gives nothing any more, and is retried where that patch failed, whatever was
 * decided; one that ended without a status patch is not to be handed in again. A write that a quota denied is observed
 * as REBAL_OBSERVED_DENIED with a record REBAL_OBJECT_CONDITION whose reason is "QuotaExceeded", as in the API server's
 * answer. A ledger is charged when the clusters are written, or the placement alone where these are as they were, and
 * holds nothing any more for a binding whose clusters are cleared; a turn that writes neither leaves it as it is. The
 * call ends behind the first binding that waits, and the next one goes on there with first_row.
 * Since: 0.1
 */
REBAL_API int32_t rebal_scheduler_step(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings,
                                       const rebal_time *now, const rebal_schedule_opts *opts, rebal_result *result,
                                       rebal_error *err);

/** All zero: the binding is new, and there are no quotas. Since: 0.1 */
typedef struct rebal_federated_quota_opts {
  uint32_t struct_size;
  uint32_t flags;                    /**< 0 */
  const rebal_bindings *before;      /**< where the binding is as it was; NULL: it is new */
  const rebal_record *const *quotas; /**< of the kind FEDERATED_QUOTA; NULL when n_quotas is 0 */
  uint64_t n_quotas;                 /**< how many there are */
  uint32_t before_row;               /**< the binding's row in before */
  uint32_t reserved0;                /**< must be 0 */
  const rebal_compat *compat;        /**< NULL: defaults; only REBAL_OPTION_INT32_WRAP is read */
} rebal_federated_quota_opts;

/**
 * Whether FederatedResourceQuotas (REBAL_OBJECT_FEDERATED_QUOTA) let a binding be written, as the webhook of the
 * reference does with its gate FederatedQuotaEnforcement: row of after is the binding as it is to be, before_row of
 * opts->before the same as it is. Both sets are frozen and may be one. Quotas of other namespaces do not count, and a
 * ClusterResourceBinding has none. REBAL_TABLE_STEP has one row: SKIPPED, no quota is touched; RETRY, the write is
 * denied, and MESSAGE tells by which, the first by name of its quotas and resources; DONE, quotas are touched, and each
 * has one action PATCH_STATUS with its whole overallUsed after the write (REBAL_OBJECT_FEDERATED_QUOTA_STATUS,
 * REBAL_REPLACES_OVERALL_USED), ROW is row. Entries that the write does not change are rounded up like the others;
 * those of 0 or less, and those of resources that an estimate does not know, are dropped, and none of them is limited.
 * Sums saturate. A denied write is passed to rebal_scheduler_step() as an observation, as described there.
 * @returns REBAL_EINVAL: no such row, or no such record; REBAL_ESTATE: not frozen.
 * Source: rebalance-karmada(7) 11. Since: 0.1
 */
REBAL_API int32_t rebal_federated_quota_check(rebal_ctx *ctx, const rebal_bindings *after, uint32_t row,
                                              const rebal_federated_quota_opts *opts, rebal_result *result,
                                              rebal_error *err);

/**
 * Which bindings the scheduler's queue gets because clusters changed between two snapshots of one fleet: fills
 * REBAL_TABLE_REQUEUED, at most one row for a binding. A change is that a cluster is being deleted now, or other
 * labels, or another generation; where REBAL_CLUSTER_GENERATION is 0 in one of the snapshots, another region, provider,
 * zones, taints or resource models instead. Empty labels are absent ones. New and removed clusters and all other
 * columns change nothing, and REBAL_BINDING_MANAGED is not looked at. Bindings of
 * other schedulers, suspended ones and those without placement are left out. The group observed counts, not its
 * overflow affinities. To be queued is not to be scheduled: rebal_decide() tells. REBAL_SCHEDULE_FLAG_FINGERPRINT is
 * REBAL_EUNSUPPORTED.
 * Source: rebalance-karmada(7) 2.1. Since: 0.1
 */
REBAL_API int32_t rebal_requeue(rebal_ctx *ctx, const rebal_snapshot *before, rebal_snapshot *after,
                                const rebal_bindings *bindings, const rebal_schedule_opts *opts, rebal_result *result,
                                rebal_error *err);

/**
 * Which bindings the scheduler's queue gets because of events of their own: fills REBAL_TABLE_REQUEUED with a row for
 * each binding of after that is new or has another REBAL_BINDING_GENERATION than before; REBAL_REQUEUED_CLUSTER is
 * absent. before_rows holds, for each row of after, the row of the same binding in before, or REBAL_NONE if it is new;
 * NULL: the same row, and rows that before does not have are new. before NULL: all are new. Bindings of other
 * schedulers, suspended ones and those that are not REBAL_BINDING_MANAGED are left out; one that was left out before is
 * new. Statuses and all other columns change nothing, and a removed binding needs no call. Of the options only
 * scheduler_name is read.
 * @returns REBAL_EINVAL: before has no such row; REBAL_ESTATE: not frozen; REBAL_EUNSUPPORTED: a flag is set.
 * Source: rebalance-karmada(7) 2.1. Since: 0.1
 */
REBAL_API int32_t rebal_requeue_bindings(rebal_ctx *ctx, const rebal_bindings *before, const uint32_t *before_rows,
                                         const rebal_bindings *after, const rebal_schedule_opts *opts,
                                         rebal_result *result, rebal_error *err);

/** Where the scheduler's queue keeps a binding (rebalance-karmada(7) 2.7, gate PriorityBasedScheduling). */
enum rebal_pool {
  REBAL_POOL_NONE = 0,         /**< not queued: only an event brings it back */
  REBAL_POOL_ACTIVE = 1,       /**< in the order of rebal_queue_compare() */
  REBAL_POOL_BACK_OFF = 2,     /**< until rebal_queue_flush() */
  REBAL_POOL_UNSCHEDULABLE = 3 /**< until rebal_queue_flush(), or any event of the binding or of a cluster */
};

/**
 * -1 when the first binding comes before the other in the active pool, 1 when after it, 0 when neither: higher priority
 * (REBAL_BINDING_PRIORITY) first, then the one that entered the queue earlier; an absent time, or NULL, before all
 * others. Any thread. Source: rebalance-karmada(7) 2.7. Since: 0.1
 */
REBAL_API int32_t rebal_queue_compare(int32_t priority, const rebal_time *since, int32_t other_priority,
                                      const rebal_time *other_since);
/**
 * Where a binding goes after a step: REBAL_POOL_*, from its REBAL_STEP_STATE and REBAL_DECISION_OUTCOME. Any thread.
 * Source: rebalance-karmada(7) 2.7. Since: 0.1
 */
REBAL_API int32_t rebal_queue_pool(int64_t state, int64_t outcome);
/**
 * How long a binding backs off after it was taken from the active pool so many times (0 counts as 1): 1, 2, 4, 8, then
 * 10 seconds, in nanoseconds. Attempts begin anew at 0 when it left the queue, scheduled or not, and also when an event
 * moves a binding that backs off or is unschedulable to the active pool. One that gets an event while it is scheduled
 * keeps them. Any thread. Source: rebalance-karmada(7) 2.7. Since: 0.1
 */
REBAL_API int64_t rebal_queue_back_off_ns(uint32_t attempts);
/**
 * When a binding in a pool goes back to the active one: at the first check that finds its back-off over (checked every
 * second), or more than 5 minutes past (unschedulable, every 30 seconds). Both count from since, when it last entered
 * the active pool, not from its failure. A check before the failure does not find it: if *out is not later, the next
 * check moves it, and its new since is the time of that check. Checks are made from checked_from on, the first one
 * right then. At most the end of year 9999. Any thread.
 * @returns REBAL_EINVAL for another pool, or a time that is NULL or absent.
 * Source: rebalance-karmada(7) 2.7. Since: 0.1
 */
REBAL_API int32_t rebal_queue_flush(int32_t pool, const rebal_time *since, uint32_t attempts,
                                    const rebal_time *checked_from, rebal_time *out, rebal_error *err);

/**
 * The placement as the reference's admission would have stored it: a spread constraint without field and label is by
 * cluster, minGroups 0 is 1, replicaSchedulingType is Divided where replicaScheduling is there, and Divided without
 * preference is Weighted. The scheduler does not do this by itself. *out belongs to the builder; the placement must not
 * be the record that this builder made last.
 * @returns REBAL_EINVAL when it is no placement. Source: rebalance-karmada(7) 1.4. Since: 0.1
 */
REBAL_API int32_t rebal_placement_defaults(const rebal_record *placement, rebal_builder *builder,
                                           const rebal_record **out, rebal_error *err);

#ifdef __cplusplus
}
#endif
#endif
