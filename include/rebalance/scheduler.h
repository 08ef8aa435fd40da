/* SPDX-License-Identifier: MIT */
/*
 * rebalance/scheduler.h - filter, score, select, assign: the clusters and replicas of a binding
 * (rebalance-karmada(7) 2 to 7).
 *
 * Every phase is a call of its own. Bindings must be frozen. Each is decided independently of the others, unless a
 * ledger is passed. After an error the content of the result is undefined, and the ledger keeps the charges of the
 * bindings that were answered before it: to undo them, pass a copy (rebal_ledger_fork()).
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

/** Verdict of a stage on a cluster (column REBAL_EXPLAIN_VERDICT). */
enum rebal_why {
  REBAL_WHY_FEASIBLE = 1,          /**< filter: accepted by every plugin */
  REBAL_WHY_REJECTED = 2,          /**< filter: PLUGIN rejects it; one row for each plugin that does */
  REBAL_WHY_DELETING = 3,          /**< filter: the cluster is being deleted */
  REBAL_WHY_SCORED = 4,            /**< score: ranked by SCORE, ALLOCATABLE and AVAILABLE */
  REBAL_WHY_SELECTED = 5,          /**< select: chosen, or no constraint requires a choice */
  REBAL_WHY_BEYOND_MAX_GROUPS = 6, /**< select: ranked after the clusters that maxGroups allows */
  REBAL_WHY_GROUP_LEFT_OUT = 7,    /**< select: its region was not chosen */
  REBAL_WHY_EXCHANGED = 8,         /**< select: replaced by a cluster with more capacity */
  REBAL_WHY_PLACED = 9,            /**< assign: it is part of the answer */
  REBAL_WHY_NOT_NEEDED = 10,       /**< assign: selected, but its share is 0 */
  REBAL_WHY_REFUSED = 11,          /**< CLUSTER is REBAL_ABSENT: the stage failed, FOUND holds the error */
  REBAL_WHY_DROPPED = 12           /**< assign: it was a target, and an earlier stage left it out */
};

/** The rule that decided between a cluster or region and an equal one (column REBAL_EXPLAIN_TIE). */
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
 * reference's condition reasons. rebal_decide() returns SCHEDULED for a binding that is due.
 */
enum rebal_outcome {
  REBAL_OUTCOME_SCHEDULED = 1,
  REBAL_OUTCOME_UNCHANGED = 2,       /**< no reason to schedule (row 6 of rebalance-karmada(7) 2.3) */
  /** being deleted, suspended, assigned to another scheduler, or not created by a policy */
  REBAL_OUTCOME_SKIPPED = 3,
  REBAL_OUTCOME_NO_CLUSTER_FIT = 4,  /**< the filters reject every cluster */
  REBAL_OUTCOME_UNSCHEDULABLE = 5,   /**< the remaining clusters lack capacity */
  REBAL_OUTCOME_SCHEDULER_ERROR = 6, /**< any other failure; MESSAGE has the reason */
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
 * All zero: Karmada's defaults, every binding independent of the others. Arrays belong to the caller, are only read and
 * must stay valid until the call ends. The cell of binding row b and cluster id c in a column of the caller (extra_*)
 * is column[b * extra_stride + c]. Cluster ids of extra_clusters and above have no cell; a column that is NULL has no
 * effect. Since: 0.1
 */
typedef struct rebal_schedule_opts {
  uint32_t struct_size;
  uint32_t flags;                  /**< REBAL_SCHEDULE_FLAG_* */
  const rebal_compat *compat;      /**< NULL: defaults */
  rebal_ledger *ledger;            /**< NULL: bindings are independent; else read and charged in order */
  const rebal_bindings *known;     /**< other ResourceBindings, for workload affinity (3.7); NULL: none */
  const rebal_bindings *assigning; /**< newer copies of some of known; NULL: none */
  const rebal_time *ledger_expiry; /**< expiry of new charges; NULL: never */
  uint64_t first_row;              /**< start at this row of the bindings */
  uint64_t max_work;               /**< stop after that many bindings; 0: all. DECISION has a row for each */
  const char *scheduler_name;      /**< the step skips bindings of other schedulers; NULL: default-scheduler */
  uint64_t scheduler_name_len;     /**< bytes of scheduler_name */
  const int64_t *extra_reject;      /**< not 0: the caller rejects the cluster, like a filter plugin */
  const int64_t *extra_score;       /**< added to the scores of the plugins; -2^31..2^31-1 (else REBAL_ERANGE) */
  uint64_t extra_clusters;          /**< number of cells of each binding */
  uint64_t extra_stride;            /**< cells from one binding's to the next's; 0: the same for every binding */
  const char *extra_reject_reason;  /**< text for the fit error; NULL: "cluster(s) were rejected by the caller" */
  uint64_t extra_reject_reason_len; /**< bytes of extra_reject_reason */
  const rebal_estimator *const *estimators; /**< answers of other estimators (rebalance-karmada(7) 6.1) */
  uint64_t n_estimators;                    /**< number of estimators */
  uint64_t explain_rows;                  /**< rows of EXPLAIN for each binding, at most; 0: no explanation */
  const rebal_observations *observations; /**< step only: NULL: writes succeed; else see rebal_scheduler_step() */
} rebal_schedule_opts;

/**
 * Matches each cluster of the snapshot against one affinity of a placement (a record of kind REBAL_OBJECT_AFFINITY):
 * fills REBAL_TABLE_VERDICT with binding 0. Clusters that do not match have the bit of REBAL_FILTER_CLUSTER_AFFINITY.
 * Source: rebalance-karmada(7) 3.1. Since: 0.1
 */
REBAL_API int32_t rebal_match(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_record *affinity,
                              rebal_result *result, rebal_error *err);

/**
 * Runs every filter plugin on every binding and cluster, including clusters that are being deleted: fills
 * REBAL_TABLE_VERDICT. A binding without placement has no rows. Of clusterAffinities, the group named in
 * REBAL_BINDING_OBSERVED_AFFINITY_NAME is evaluated, or the first group if that is empty.
 * Source: rebalance-karmada(7) 3. Since: 0.1
 */
REBAL_API int32_t rebal_filter(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings,
                               const rebal_schedule_opts *opts, rebal_result *result, rebal_error *err);

/**
 * Writes the reference's reason text of a plugin that rejects a cluster, for a row of VERDICT and the bindings of that
 * call; empty if the plugin does not reject. For REBAL_FILTER_EXTRA it is the default text, since the caller has its
 * own reason. Buffer rules of rebal_quantity_format(). Since: 0.1
 */
REBAL_API int32_t rebal_filter_reason(const rebal_bindings *bindings, const rebal_result *verdicts, size_t row,
                                      uint32_t plugin, char *buffer, size_t capacity, size_t *len, rebal_error *err);

/**
 * Parties to divide seats over: n names in one block (name i is names[offsets[i]] up to names[offsets[i + 1]]), their
 * weights, and the uid that breaks ties together with the names. All arrays may be NULL if n is 0. Since: 0.1
 */
typedef struct rebal_parties {
  uint32_t struct_size;
  uint32_t reserved0;      /**< must be 0 */
  const char *names;       /**< the names, one after the other */
  const uint32_t *offsets; /**< n + 1 of them */
  const int64_t *weights;  /**< n of them */
  uint64_t n;              /**< number of parties */
  const char *uid;         /**< NULL: the same as the empty text */
  uint64_t uid_len;        /**< bytes of uid */
} rebal_parties;

/** Bits of rebal_divide_opts.flags. */
enum rebal_divide_flag {
  REBAL_DIVIDE_FLAG_KEEP_CURRENT = 1 /**< no party gets less than it has now, within its upper bound and the seats */
};

/**
 * Arrays have an element for each party. All zero: plain division without earlier seats. Bounds apply if one of
 * minimums, maximums, capacities and current is not NULL, or REBAL_DIVIDE_FLAG_KEEP_CURRENT is set; those that are NULL
 * then set no bound, and a negative element counts as 0. Since: 0.1
 */
typedef struct rebal_divide_opts {
  uint32_t struct_size;
  uint32_t flags;            /**< REBAL_DIVIDE_FLAG_* */
  const int32_t *before;     /**< plain division: seats held before, beside those divided; INT32_MIN: none */
  const int32_t *minimums;   /**< seats at least; NULL: 0 */
  const int32_t *maximums;   /**< seats at most; NULL: no limit */
  const int32_t *capacities; /**< how many seats fit beside the current ones; INT32_MAX and NULL: no limit */
  const int32_t *current;    /**< seats held now, which count among those divided; NULL: 0 */
} rebal_divide_opts;

/**
 * Divides a number of seats, replicas, among parties in proportion to their weights, by the Webster method; with bounds
 * in opts, within them. opts may be NULL: plain division. Fills REBAL_TABLE_SHARE with one row for each party, by name;
 * *left receives the number of seats that were not assigned. rebal_divide(3) describes the order of the seats, bounds
 * and ties.
 * @returns REBAL_EINVAL: before is combined with bounds, an array is missing, or offsets decrease; REBAL_ERANGE:
 * negative replicas between bounds; REBAL_ELIMIT: more than 10,000,000 seats, or more than 2^32 - 2 parties.
 * Source: rebalance-karmada(7) 7.7. Since: 0.1
 */
REBAL_API int32_t rebal_divide(rebal_ctx *ctx, int32_t replicas, const rebal_parties *parties,
                               const rebal_divide_opts *opts, rebal_result *result, int32_t *left, rebal_error *err);

/**
 * Decides whether and why each binding must be scheduled (rebalance-karmada(7) 2.2, 2.3): fills REBAL_TABLE_DECISION.
 * Since: 0.1
 */
REBAL_API int32_t rebal_decide(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings,
                               const rebal_schedule_opts *opts, rebal_result *result, rebal_error *err);

/**
 * Scores the feasible clusters and estimates how many replicas fit into them: fills REBAL_TABLE_SCORED in the order of
 * rebalance-karmada(7) 5.2, and a row of REBAL_TABLE_DECISION for each binding (refused if no cluster is feasible).
 *
 * verdicts is the result of rebal_filter() for these bindings and this snapshot, or of rebal_match() for a single
 * binding: clusters without REJECTED_BY that are not being deleted are feasible. NULL: the call runs the filters. It
 * must not be the same object as result (REBAL_EINVAL); REBAL_EMISMATCH: it does not have one row for each cluster of
 * the snapshot.
 * Source: rebalance-karmada(7) 4, 5.2, 6.1. Since: 0.1
 */
REBAL_API int32_t rebal_score(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings,
                              const rebal_result *verdicts, const rebal_schedule_opts *opts, rebal_result *result,
                              rebal_error *err);

/**
 * Selects clusters by the spread constraints: fills REBAL_TABLE_SELECTED in the order of selection, REBAL_TABLE_GROUP
 * with the regions, zones and providers that a constraint names (by field, then by name; none if the constraints are
 * ignored or the only one is by cluster), and a row of REBAL_TABLE_DECISION for each binding. A refused binding keeps
 * its rows of GROUP.
 *
 * scored is the result of rebal_score() for these bindings and this snapshot; a refusal in it is passed on. NULL: the
 * call runs filter and score. It must not be the same object as result (REBAL_EINVAL); REBAL_EMISMATCH: it lacks the
 * decision on a binding, or has clusters that the snapshot lacks.
 * Source: rebalance-karmada(7) 5. Since: 0.1
 */
REBAL_API int32_t rebal_select(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings,
                               const rebal_result *scored, const rebal_schedule_opts *opts, rebal_result *result,
                               rebal_error *err);

/**
 * Assigns the replicas to the selected clusters: fills REBAL_TABLE_DECISION and REBAL_TABLE_PLACED, and charges the
 * ledger as rebal_schedule() does.
 *
 * selected is the result of rebal_select() for these bindings and this snapshot, with the availability used by the
 * selection; a refusal in it is passed on. NULL: the call runs all phases itself, like rebal_schedule() with
 * REBAL_SCHEDULE_FLAG_SINGLE_GROUP. With a ledger, run all phases for one binding at a time (first_row, max_work 1) to
 * get the same answers: in a batch every binding is estimated before any is charged. Errors as rebal_select().
 * Source: rebalance-karmada(7) 7. Since: 0.1
 */
REBAL_API int32_t rebal_assign(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings,
                               const rebal_result *selected, const rebal_schedule_opts *opts, rebal_result *result,
                               rebal_error *err);

/**
 * Schedules each binding, whether or not rebal_decide() finds it due: fills REBAL_TABLE_DECISION and
 * REBAL_TABLE_PLACED. A binding that does not fit is an answer, not an error. Afterwards a ledger holds its placed
 * replicas: none if no cluster fits, the earlier ones if the clusters are kept.
 *
 * Groups of clusterAffinities are tried in their order, without wrapping round, until the binding fits one. The first
 * to be tried is the one in REBAL_BINDING_OBSERVED_AFFINITY_NAME, or the first of all if no group has that name or a
 * fresh placement is requested (REBAL_BINDING_RESCHEDULE_TRIGGERED_AT). REBAL_DECISION_AFFINITY_NAME is the group used.
 * If every group fails, outcome, message and name are those of the first one tried. The decision is that of
 * rebal_scheduler_step().
 *
 * With REBAL_SCHEDULE_FLAG_SINGLE_GROUP one group is tried: the observed one, or the first if that is empty. As in the
 * reference's algorithm, a name that no group has restricts nothing. The phases rebal_filter(), rebal_score(),
 * rebal_select() and rebal_assign(), each called with the result of the one before, return the same.
 *
 * Parts of the cost grow with a product of two numbers: each label expression of a placement is evaluated for each set
 * of labels of clusters, and each node term for each node. With REBAL_OPTION_GATE_WORKLOAD_AFFINITY, each binding is
 * compared with each member of its workload's groups, so the cost of a whole group grows with the square of its size,
 * and each member is searched for in all of assigning.
 * Source: rebalance-karmada(7) 2.4, 2.6, 2.8. Since: 0.1
 */
REBAL_API int32_t rebal_schedule(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings,
                                 const rebal_schedule_opts *opts, rebal_result *result, rebal_error *err);

/**
 * Writes a row of REBAL_TABLE_EXPLAIN (with the bindings of the call that filled it) or of REBAL_TABLE_PASSED_OVER
 * (bindings may be NULL) as one English sentence. Buffer rules of rebal_quantity_format(). The wording may change in
 * any release: programs must read the columns.
 * @returns REBAL_EINVAL: the row does not exist, or another table; REBAL_EMISMATCH: the row is of other bindings.
 * Since: 0.1
 */
REBAL_API int32_t rebal_explain_text(const rebal_bindings *bindings, const rebal_result *result, uint32_t table,
                                     size_t row, char *buffer, size_t capacity, size_t *len, rebal_error *err);

/**
 * Runs the scheduler's whole cycle for each binding: decides whether it is due, schedules it, and returns the writes.
 * now is the time of the cycle. Bindings whose REBAL_BINDING_MANAGED is 0, the default, are skipped. Fills
 * REBAL_TABLE_STEP and REBAL_TABLE_DECISION with one row for each binding, REBAL_TABLE_PLACED, REBAL_TABLE_ACTION and
 * REBAL_TABLE_WARNING. A ledger in opts is charged for bindings that are written.
 *
 * Without opts->observations every write is assumed to succeed, and a cycle is one call. With them, the caller repeats
 * the call with the observations of its writes until the step is not REBAL_STEP_STATE_WAITING; with a ledger the call
 * ends after the first binding that waits. rebal_scheduler_step(3) describes the actions, retries and failed writes.
 * @returns REBAL_EINVAL: now is missing or unset; and errors of rebal_schedule().
 * Source: rebalance-karmada(7) 2.2 to 2.7. Since: 0.1
 */
REBAL_API int32_t rebal_scheduler_step(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings,
                                       const rebal_time *now, const rebal_schedule_opts *opts, rebal_result *result,
                                       rebal_error *err);

/** All zero: the binding is new, without quotas. Since: 0.1 */
typedef struct rebal_federated_quota_opts {
  uint32_t struct_size;
  uint32_t flags;                    /**< 0 */
  const rebal_bindings *before;      /**< has the binding before the write; NULL: it is new */
  const rebal_record *const *quotas; /**< of the kind FEDERATED_QUOTA; NULL if n_quotas is 0 */
  uint64_t n_quotas;                 /**< number of quotas */
  uint32_t before_row;               /**< the binding's row in before */
  uint32_t reserved0;                /**< must be 0 */
  const rebal_compat *compat;        /**< NULL: defaults; only REBAL_OPTION_INT32_WRAP is read */
} rebal_federated_quota_opts;

/**
 * Checks whether FederatedResourceQuotas (REBAL_OBJECT_FEDERATED_QUOTA) permit the write of a binding, as the webhook
 * of the reference does with its gate FederatedQuotaEnforcement. row of after is the binding after the write,
 * before_row of opts->before the binding before it. Both sets must be frozen and may be the same. Quotas of other
 * namespaces are ignored; none apply to a ClusterResourceBinding.
 *
 * REBAL_TABLE_STEP has one row. SKIPPED: no quota is affected. RETRY: the write is denied; MESSAGE names the quota and
 * resource, the first by name. DONE: quotas are affected, and each has one action PATCH_STATUS with its whole
 * overallUsed after the write (REBAL_OBJECT_FEDERATED_QUOTA_STATUS, REBAL_REPLACES_OVERALL_USED), ROW is row. Entries
 * that the write does not change are rounded up like the others; entries of 0 or less, and of resources unknown to an
 * estimate, are dropped, and neither is limited. Sums saturate. Pass a denied write to rebal_scheduler_step() as an
 * observation, as described there.
 * @returns REBAL_EINVAL: the row does not exist, or a record is of another kind; REBAL_ESTATE: a set is not frozen.
 * Source: rebalance-karmada(7) 11. Since: 0.1
 */
REBAL_API int32_t rebal_federated_quota_check(rebal_ctx *ctx, const rebal_bindings *after, uint32_t row,
                                              const rebal_federated_quota_opts *opts, rebal_result *result,
                                              rebal_error *err);

/**
 * Lists the bindings that enter the scheduler's queue because clusters changed between two snapshots of one fleet:
 * fills REBAL_TABLE_REQUEUED, at most one row for each binding. A cluster counts as changed if its deletion began, its
 * labels differ, or its generation differs; if REBAL_CLUSTER_GENERATION is 0 in one of the snapshots, its region,
 * provider, zones, taints or resource models are compared instead. Empty labels count as absent. New and removed
 * clusters and all other columns have no effect; REBAL_BINDING_MANAGED is not read. Bindings of other schedulers,
 * suspended ones and those without placement are left out. The observed affinity group is matched, but not its overflow
 * affinities. A queued binding need not be scheduled: rebal_decide() decides that. REBAL_SCHEDULE_FLAG_FINGERPRINT is
 * REBAL_EUNSUPPORTED.
 * Source: rebalance-karmada(7) 2.1. Since: 0.1
 */
REBAL_API int32_t rebal_requeue(rebal_ctx *ctx, const rebal_snapshot *before, rebal_snapshot *after,
                                const rebal_bindings *bindings, const rebal_schedule_opts *opts, rebal_result *result,
                                rebal_error *err);

/**
 * Lists the bindings that enter the scheduler's queue because of their own events: fills REBAL_TABLE_REQUEUED with a
 * row for each binding of after that is new or whose REBAL_BINDING_GENERATION differs from before;
 * REBAL_REQUEUED_CLUSTER is absent. before_rows holds, for each row of after, the row of the same binding in before, or
 * REBAL_NONE if it is new; NULL: the same row, and rows that before does not have are new. before NULL: all are new.
 * Bindings of other schedulers, suspended ones and those that are not REBAL_BINDING_MANAGED are left out; a binding
 * that was left out in before is new. Statuses and all other columns have no effect, and a removed binding needs no
 * call. Of the options only scheduler_name is read.
 * @returns REBAL_EINVAL: before does not have a row; REBAL_ESTATE: a set is not frozen; REBAL_EUNSUPPORTED: a flag is
 * set.
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
 * Compares two bindings in the active pool: -1 if the first comes before the other, 1 if after, 0 if neither. Higher
 * priority (REBAL_BINDING_PRIORITY) comes first, then earlier entry into the queue; an absent time, or NULL, is before
 * all others. Any thread. Source: rebalance-karmada(7) 2.7. Since: 0.1
 */
REBAL_API int32_t rebal_queue_compare(int32_t priority, const rebal_time *since, int32_t other_priority,
                                      const rebal_time *other_since);
/**
 * Returns the pool of a binding after a step: REBAL_POOL_*, from its REBAL_STEP_STATE and REBAL_DECISION_OUTCOME. Any
 * thread. Source: rebalance-karmada(7) 2.7. Since: 0.1
 */
REBAL_API int32_t rebal_queue_pool(int64_t state, int64_t outcome);
/**
 * Returns how long a binding backs off, in nanoseconds, after it was taken from the active pool attempts times (0
 * counts as 1): 1, 2, 4, 8, then 10 seconds. Attempts restart at 0 when it leaves the queue, scheduled or not, and when
 * an event moves it from back-off or unschedulable to the active pool. A binding that gets an event while it is being
 * scheduled keeps its attempts. Any thread. Source: rebalance-karmada(7) 2.7. Since: 0.1
 */
REBAL_API int64_t rebal_queue_back_off_ns(uint32_t attempts);
/**
 * Computes when a binding in a pool returns to the active one: at the first check after the end of its back-off
 * (checked every second), or after more than 5 minutes (unschedulable, every 30 seconds). Both periods begin at since,
 * the time when it last entered the active pool, although it failed later. So *out may be earlier than the failure; the
 * binding then returns at the first check after the failure. Pass the time of that check as since from then on. The
 * first check is at checked_from. *out is at most the end of year 9999. Any thread.
 * @returns REBAL_EINVAL for another pool, or a time that is NULL or absent.
 * Source: rebalance-karmada(7) 2.7. Since: 0.1
 */
REBAL_API int32_t rebal_queue_flush(int32_t pool, const rebal_time *since, uint32_t attempts,
                                    const rebal_time *checked_from, rebal_time *out, rebal_error *err);

/**
 * Applies the defaults of the reference's admission to a placement: a spread constraint without field and label is by
 * cluster, minGroups 0 becomes 1, replicaSchedulingType becomes Divided if replicaScheduling exists, and Divided
 * without preference becomes Weighted. The scheduler does not do this by itself. *out belongs to the builder; the
 * placement must not be the last record of this builder.
 * @returns REBAL_EINVAL if it is not a placement. Source: rebalance-karmada(7) 1.4. Since: 0.1
 */
REBAL_API int32_t rebal_placement_defaults(const rebal_record *placement, rebal_builder *builder,
                                           const rebal_record **out, rebal_error *err);

#ifdef __cplusplus
}
#endif
#endif
