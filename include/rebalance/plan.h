/* SPDX-License-Identifier: MIT */
/*
 * rebalance/plan.h - which replicas would move, within which limits and in which order (rebalance-plan(7)).
 *
 * A plan is made from frozen inputs and is frozen: it applies nothing and never changes the caller's ledger. For one
 * binding with R desired replicas, x are the replicas in spec.clusters (present), r those that are ready there, w the
 * wanted placement and y the planned one. A replica moves if it leaves a cluster and appears in another one; a scale-up
 * or a scale-down moves none.
 */
#ifndef REBAL_PLAN_H
#define REBAL_PLAN_H

#include "descheduler.h"
#include "scheduler.h"
#include "what_if.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- least movement --------------------------------------------------------------------------------------------- */

/**
 * The problem of least movement: where replicas may be (rebalance-plan(7) 6). A pair is a binding and a cluster in
 * which it has replicas or may have some; a binding has no replicas in clusters without a pair. The arrays belong to
 * the caller and are only read. Counts are 0 to 2^31 - 1 (REBAL_ERANGE), but maximums and capacities may be any number
 * above; bindings, clusters and pairs are fewer than 2^32 - 1, all replicas together are at most 2^40, and the sum of
 * weight x present is less than 2^53 (REBAL_ELIMIT). Since: 0.1
 */
typedef struct rebal_movement {
  uint32_t struct_size;
  uint32_t flags;            /**< must be 0 */
  uint64_t n_bindings;       /**< number of bindings */
  uint64_t n_clusters;       /**< number of clusters, or of parts of clusters with a capacity of their own */
  const int64_t *replicas;   /**< of each binding: replicas desired */
  const int64_t *weights;    /**< of each binding: weight of one moved replica, above 0; NULL: 1 */
  const uint64_t *offsets;   /**< n_bindings + 1: the first pair of each binding, and the number of pairs */
  const uint32_t *clusters;  /**< of each pair: the cluster, ascending within a binding */
  const int64_t *present;    /**< of each pair: replicas there now; NULL: 0 */
  const int64_t *minimums;   /**< of each pair: minimum number of replicas; NULL: 0 */
  const int64_t *maximums;   /**< of each pair: maximum number of replicas; NULL: no limit */
  const int64_t *capacities; /**< of each cluster: maximum number of replicas; INT64_MAX, NULL: no limit */
} rebal_movement;

/** A placement and its proof. The arrays belong to the caller; a failed call does not change them. Since: 0.1 */
typedef struct rebal_movement_answer {
  uint32_t struct_size;
  uint32_t flags;          /**< must be 0 */
  int64_t *planned;        /**< of each pair: replicas */
  int64_t *binding_prices; /**< of each binding: cost of one more desired replica; NULL: not computed */
  int64_t *cluster_prices; /**< of each cluster: what one more replica of capacity saves; NULL: not computed */
  int64_t placed;          /**< replicas of all bindings */
  int64_t kept;            /**< sum of weight x min(present, planned) */
  int64_t moved;           /**< sum of weight x (min(present, desired) - kept): replicas that move or are not placed */
} rebal_movement_answer;

/**
 * Places the most replicas within bounds and capacities and, of all such placements, finds one that keeps the most
 * replicas where they are, by weight. If all replicas are placed, no placement moves less. The answer is exact.
 *
 * The time is linear in the pairs if no capacity is exceeded; else it takes a number of searches of pairs x
 * log(bindings + clusters) each. Memory: 20 bytes for each pair. rebal_least_movement(3) states the problem and the
 * method.
 * @returns REBAL_ERANGE: the minimums of a binding exceed its replicas (err->field "replicas", err->where the binding)
 * or those in a cluster its capacity ("capacities", the cluster), or a number is negative; REBAL_EINVAL: an array is
 * missing, offsets or clusters do not ascend, a maximum is below its minimum.
 * Source: rebalance-plan(7) 6. Since: 0.1
 */
REBAL_API int32_t rebal_least_movement(rebal_ctx *ctx, const rebal_movement *problem, rebal_movement_answer *answer,
                                       rebal_error *err);

/**
 * Verifies an answer from any source in one pass over the pairs: that the placement is permitted, that placed, kept and
 * moved are its sums, and how far its cost is above the bound that the prices prove (rebalance-plan(7) 6). *gap 0: no
 * placement is better. Shares no code with rebal_least_movement().
 * @returns REBAL_EMISMATCH: a bound or a capacity is exceeded, a sum is wrong, or a price proves nothing (err->field
 * names the member, err->where the pair, binding or cluster).
 * Since: 0.1
 */
REBAL_API int32_t rebal_plan_verify(rebal_ctx *ctx, const rebal_movement *problem, const rebal_movement_answer *answer,
                                    int64_t *gap, rebal_error *err);

/* ---- plans ------------------------------------------------------------------------------------------------------- */

typedef struct rebal_plan rebal_plan; /**< planned moves of all bindings; frozen; any thread */

/** The wanted placement w of a plan (rebalance-plan(7) 2). */
enum rebal_plan_mode {
  REBAL_PLAN_MODE_FRESH = 0,  /**< the result of rebal_schedule() as if a reschedule had just been triggered */
  REBAL_PLAN_MODE_STEADY = 1, /**< the same without the trigger */
  REBAL_PLAN_MODE_LEAST = 2   /**< within bounds around the fresh placement, what moves least */
};

/** Bits of rebal_plan_opts.flags. */
enum rebal_plan_flag {
  REBAL_PLAN_FLAG_TOLERANCE_GIVEN = 1,       /**< tolerance counts even when it is 0 */
  REBAL_PLAN_FLAG_SURGE_GIVEN = 2,           /**< max_surge counts even when it is 0 */
  REBAL_PLAN_FLAG_SURGE_PERCENT = 4,         /**< max_surge is in percent of R */
  REBAL_PLAN_FLAG_UNAVAILABLE_GIVEN = 8,     /**< max_unavailable counts even when it is 0 */
  REBAL_PLAN_FLAG_UNAVAILABLE_PERCENT = 16,  /**< max_unavailable is in percent of R */
  /** a budget without a cluster covers all clusters together, not each one */
  REBAL_PLAN_FLAG_BUDGETS_OVER_CLUSTERS = 32
};

/** Scope of a limit: the moves that it counts. */
enum rebal_limit_scope {
  REBAL_LIMIT_SCOPE_TOTAL = 1,     /**< all moves */
  REBAL_LIMIT_SCOPE_SOURCE = 2,    /**< moves out of a cluster */
  REBAL_LIMIT_SCOPE_TARGET = 3,    /**< moves into a cluster */
  REBAL_LIMIT_SCOPE_NAMESPACE = 4, /**< moves of bindings of a namespace */
  REBAL_LIMIT_SCOPE_BINDING = 5,   /**< moves of a binding */
  REBAL_LIMIT_SCOPE_LABEL = 6,     /**< moves of bindings whose pods have a label (REBAL_BINDING_POD_LABELS) */
  REBAL_LIMIT_SCOPE_BUDGET = 7     /**< in answers only: a PodDisruptionBudget of rebal_plan_opts.budgets */
};

/**
 * A limit on the number of replicas that may move. Without a subject, each cluster, namespace, binding or value of the
 * label has its own budget. A binding is "namespace/name", or "name" without a namespace. With interval_ns the limit is
 * a pace: replicas is the burst, one token is added each interval_ns, and each moved replica takes one.
 * REBAL_TABLE_LIMITED holds tokens and tokens_at for the next plan. Labels of pods are REBAL_BINDING_POD_LABELS, which
 * rebal_store_feed_bindings() sets only if the store has a PodDisruptionBudget.
 * Source: rebalance-plan(7) 4. Since: 0.1
 */
typedef struct rebal_limit {
  uint32_t struct_size;
  int32_t scope;               /**< REBAL_LIMIT_SCOPE_*, except those in answers only */
  const char *subject;         /**< cluster, namespace, binding (namespace/name) or label value; NULL: each */
  uint64_t subject_len;        /**< bytes of subject */
  const char *label;           /**< key of the label with REBAL_LIMIT_SCOPE_LABEL, else NULL */
  uint64_t label_len;          /**< bytes of label */
  int64_t replicas;            /**< maximum number of replicas; not negative */
  int64_t interval_ns;         /**< 0: no pace; only of limits with a subject, or REBAL_LIMIT_SCOPE_TOTAL */
  int64_t tokens;              /**< of a pace, at tokens_at */
  const rebal_time *tokens_at; /**< NULL or unset: the bucket is full */
} rebal_limit;

/**
 * All zero: FRESH, no drained or lost clusters, no descheduling, no limits. Arrays belong to the caller, are only read
 * and must stay valid until the call ends. Since: 0.1
 */
typedef struct rebal_plan_opts {
  uint32_t struct_size;
  uint32_t flags;                        /**< REBAL_PLAN_FLAG_* */
  int32_t mode;                          /**< REBAL_PLAN_MODE_* */
  int32_t tolerance;                     /**< of LEAST, permille of fresh replicas; 0 without TOLERANCE_GIVEN: 100 */
  const rebal_schedule_opts *schedule;   /**< how bindings are scheduled; the ledger is forked; NULL: defaults */
  const rebal_deschedule_opts *deschedule; /**< removes replicas as rebal_deschedule_step(); NULL: none */
  const uint32_t *drained;               /**< ids of clusters that are rejected for every binding */
  uint64_t n_drained;                    /**< number of drained clusters */
  const uint32_t *lost;                  /**< ids of clusters rejected, too; their replicas count as gone */
  uint64_t n_lost;                       /**< number of lost clusters */
  const int64_t *weights;                /**< of LEAST: of one moved replica, by row; more than 0; NULL: 1 */
  const int64_t *minimums; /**< of LEAST: minimum replicas; cells as in rebal_schedule_opts; negative or NULL: none */
  const int64_t *maximums; /**< of LEAST: maximum replicas; the same */
  uint64_t bound_clusters; /**< cells of each binding in the last two */
  uint64_t bound_stride;   /**< cells from one binding's to the next's; 0: the same for every binding */
  const rebal_limit *const *limits;      /**< in the order in which answers name them */
  uint64_t n_limits;                     /**< number of limits */
  const rebal_record *const *budgets;    /**< PodDisruptionBudgets: records of the object BUDGET */
  uint64_t n_budgets;                    /**< number of budgets */
  int64_t max_surge;       /**< above R while moving, or percent, rounded up; 0 without SURGE_GIVEN: 25 percent */
  int64_t max_unavailable; /**< not ready, or percent, rounded down; 0 without UNAVAILABLE_GIVEN: 25 percent */
  int64_t progress_deadline_ns; /**< replicas not ready for longer block a binding; 0: 10 minutes */
} rebal_plan_opts;

/**
 * Plans all bindings, in order, at the time now, which must be set. In the modes FRESH and STEADY, w is the answer of
 * rebal_schedule(), row by row with a fork of the ledger. Drained and lost clusters are rejected; deschedule removes
 * replicas first; to plan for an edited binding, pass the edited one. In schedule, first_row, max_work, observations
 * and explain_rows must be 0.
 *
 * y is x after the moves that the limits grant: pairs of clusters by name, bindings in order, each pair cut to the
 * smallest budget left. A scale-up or scale-down does not count as a move and is always part of y. If y would break a
 * spread constraint that w keeps, the binding moves as a whole or not at all. A binding that cannot be placed keeps x;
 * its row has the reason.
 *
 * Free *out with rebal_plan_free(). It does not need the inputs or the context.
 * @returns REBAL_EINVAL: an unknown mode or scope, a cluster that does not exist, a malformed budget, or max_surge and
 * max_unavailable both given as 0; REBAL_ERANGE: a tolerance outside 0 to 1000, max_unavailable above 100 percent, or a
 * negative number.
 * Source: rebalance-plan(7) 1 to 5. Since: 0.1
 */
REBAL_API int32_t rebal_plan_make(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings,
                                  const rebal_time *now, const rebal_plan_opts *opts, rebal_plan **out,
                                  rebal_error *err);
/**
 * Returns the transportation problem of a plan of the mode LEAST and its answer, for rebal_plan_verify(). Their arrays
 * belong to the plan and must not be changed. The row of REBAL_TABLE_PROOF holds the sums. The caller sets struct_size
 * of both before the call.
 * @returns REBAL_ENOTFOUND: the plan has another mode; REBAL_EABI: a struct_size is impossible.
 * Source: rebalance-plan(7) 6. Since: 0.1
 */
REBAL_API int32_t rebal_plan_movement(const rebal_plan *plan, rebal_movement *problem, rebal_movement_answer *answer,
                                      rebal_error *err);
/** Frees a plan. NULL is allowed. Since: 0.1 */
REBAL_API void rebal_plan_free(rebal_plan *plan);
/**
 * Fills the tables of a plan: REBAL_TABLE_PLANNED (a row for each binding), REBAL_TABLE_PLANNED_CLUSTER (x, w, y and r
 * by binding and cluster), REBAL_TABLE_MOVE, REBAL_TABLE_LIMITED, REBAL_TABLE_LIMIT_USE and REBAL_TABLE_CLUSTER_USE.
 * Since: 0.1
 */
REBAL_API int32_t rebal_plan_read(const rebal_plan *plan, rebal_result *result, rebal_error *err);
/**
 * Returns the fingerprint of the plan's inputs: snapshot, bindings, ledger, options and now, by name and value. Any
 * thread. Since: 0.1
 */
REBAL_API void rebal_plan_fingerprint(const rebal_plan *plan, uint64_t *high, uint64_t *low);
/**
 * Writes a plan into buffer (capacity bytes) and sets *len to the total length. With capacity 0 only the length is
 * returned. Clusters are written by name: equal plans give the same bytes on every machine, whatever the ids of their
 * fleets; every later library of this ABI reads them. Any thread.
 * @returns REBAL_ERANGE if the buffer is too small: *len is then the length needed; REBAL_ELIMIT: a plan of 2^32 moves.
 * Since: 0.1
 */
REBAL_API int32_t rebal_plan_save(const rebal_plan *plan, void *buffer, size_t capacity, size_t *len, rebal_error *err);
/**
 * Reads a plan that rebal_plan_save() wrote, for a fleet, with memory from allocator (NULL: malloc). Its clusters have
 * the ids of this fleet; an unknown name gets one, as by rebal_fleet_cluster_id(). Untrusted bytes are allowed:
 * contents that no plan can have are refused. The caller decides by the fingerprint whether the plan still fits the
 * current inputs. Free *out with rebal_plan_free().
 * @returns REBAL_EPARSE: the bytes are not a saved plan (err->where: the offset of the error); REBAL_EUNSUPPORTED: a
 * later library wrote a format that this one does not know.
 * Since: 0.1
 */
REBAL_API int32_t rebal_plan_load(rebal_fleet *fleet, const rebal_allocator *allocator, const void *bytes, size_t len,
                                  rebal_plan **out, rebal_error *err);

/* ---- single moves ------------------------------------------------------------------------------------------------ */

/** Constraints that a move breaks (column REBAL_TRIED_BROKEN, bits 1 << value). */
enum rebal_breach {
  REBAL_BREACH_FILTER = 0,         /**< a filter plugin rejects the target */
  REBAL_BREACH_DELETING = 1,       /**< the target is being deleted, or does not exist */
  REBAL_BREACH_CAPACITY = 2,       /**< the target has capacity for fewer replicas */
  REBAL_BREACH_COPIES = 3,         /**< replicas are not divided: each cluster has all of them */
  REBAL_BREACH_MIN_CLUSTERS = 4,   /**< replicas are in fewer clusters than minGroups */
  REBAL_BREACH_MAX_CLUSTERS = 5,   /**< replicas are in more clusters than maxGroups */
  REBAL_BREACH_MIN_REGIONS = 6,    /**< replicas are in fewer regions than minGroups */
  REBAL_BREACH_MAX_REGIONS = 7,    /**< replicas are in more regions than maxGroups */
  REBAL_BREACH_MIN_ZONES = 8,      /**< replicas are in fewer zones than minGroups */
  REBAL_BREACH_MAX_ZONES = 9,      /**< replicas are in more zones than maxGroups */
  REBAL_BREACH_MIN_PROVIDERS = 10, /**< replicas are with fewer providers than minGroups */
  REBAL_BREACH_MAX_PROVIDERS = 11, /**< replicas are with more providers than maxGroups */
  REBAL_BREACH_LIMIT = 12          /**< limits or budgets grant fewer replicas */
};

/** A single move of replicas of one binding. Since: 0.1 */
typedef struct rebal_move {
  uint32_t struct_size;
  uint32_t binding;                    /**< row in the bindings */
  uint32_t source;                     /**< id of the cluster that replicas leave */
  uint32_t target;                     /**< id of the cluster in which they appear */
  int32_t replicas;                    /**< number of replicas; more than 0 */
  uint32_t flags;                      /**< REBAL_PLAN_FLAG_BUDGETS_OVER_CLUSTERS, or 0 */
  const rebal_schedule_opts *schedule; /**< how bindings are decided; NULL: defaults */
  const rebal_limit *const *limits;    /**< in the order in which answers name them */
  uint64_t n_limits;                   /**< number of limits */
  const rebal_record *const *budgets;  /**< PodDisruptionBudgets: records of the object BUDGET */
  uint64_t n_budgets;                  /**< number of budgets */
  const rebal_time *now;               /**< required with limits; else NULL is allowed */
} rebal_move;

/**
 * Computes which constraints a move would break and how much would be left to move: fills REBAL_TABLE_TRIED with one
 * row.
 *
 * The target is judged as by rebal_filter(), in the observed affinity group, and by the capacity that remains there for
 * the binding, a ledger included. Spread constraints count the clusters, regions, zones and providers with replicas
 * after the move; those that static weights ignore do not count. Drift is moved(x, w) of rebalance-plan(7) 1 from the
 * targets x, with and without the move, to w, the answer of rebal_schedule() as if a reschedule had just been
 * triggered; if that is refused, w is x without the move. Neither the bindings nor the ledger change.
 *
 * With limits or budgets, REBAL_TABLE_LIMITED and REBAL_TABLE_LIMIT_USE are filled as for a plan with this move alone,
 * all of its replicas moved. Replicas that they do not grant show as a REBAL_LIMIT_USE_LEFT below 0 or, if two budgets
 * select the pods, only in REBAL_TRIED_GRANTED.
 * @returns REBAL_EINVAL: the binding or a cluster does not exist, source and target are the same, or now is missing;
 * REBAL_ERANGE: the source has fewer replicas, or none are moved; errors of rebal_plan_make() for limits and budgets;
 * and errors of rebal_schedule().
 * Source: rebalance-plan(7) 1, 4, 7. Since: 0.1
 */
REBAL_API int32_t rebal_try(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings,
                            const rebal_move *move, rebal_result *result, rebal_error *err);

/* ---- which bindings to move now ---------------------------------------------------------------------------------- */

/** Whether a binding should be moved now; the first that holds (rebalance-plan(7) 3). */
enum rebal_reconsider {
  REBAL_RECONSIDER_ONGOING = 1, /**< eviction tasks exist, or fewer than R replicas are ready */
  REBAL_RECONSIDER_COOLING = 2, /**< it was moved less than the cool-down ago */
  REBAL_RECONSIDER_DUE = 3,     /**< its drift is at least high, or at least low and it was due before */
  REBAL_RECONSIDER_CALM = 4     /**< none of these */
};

/** Bits of rebal_reconsider_opts.flags. */
enum rebal_reconsider_flag {
  REBAL_RECONSIDER_FLAG_APPLIED = 1 /**< the caller carries the plan out for the bindings that are due */
};

/**
 * When bindings were moved: one array for each column, as REBAL_TABLE_RECONSIDERED returned them. Key i is
 * keys[offsets[i]] up to keys[offsets[i + 1]]. If a key occurs twice, the last row is used. Since: 0.1
 */
typedef struct rebal_move_history {
  uint32_t struct_size;
  uint32_t flags;          /**< must be 0 */
  const char *keys;        /**< "namespace/name", or "name" of a ClusterResourceBinding, one after the other */
  const uint32_t *offsets; /**< n + 1 of them */
  const rebal_time *times; /**< of the last move; unset: none */
  const int64_t *moved;    /**< replicas moved by the last move */
  const int64_t *due;      /**< 1: the binding was due */
  uint64_t n;              /**< number of rows; the arrays may be NULL if 0 */
} rebal_move_history;

/** All zero: no history, default thresholds. Since: 0.1 */
typedef struct rebal_reconsider_opts {
  uint32_t struct_size;
  uint32_t flags;       /**< REBAL_RECONSIDER_FLAG_* */
  int32_t low;          /**< drift in permille of R that keeps a binding due; 0: 50 */
  int32_t high;         /**< drift in permille of R that makes it due; 0: 100, or low if that is more */
  int64_t cool_down_ns; /**< time without moves after a move; 0: none */
  const rebal_move_history *history; /**< NULL: no binding was moved yet */
} rebal_reconsider_opts;

/**
 * Decides which bindings of a plan should be moved now: fills REBAL_TABLE_RECONSIDERED, a row for each. bindings must
 * be those of the plan. The rows are the history for the next call; no other state is kept. Any thread.
 * @returns REBAL_EMISMATCH: other bindings than those of the plan; REBAL_ERANGE: low is above high, or a number is
 * negative; REBAL_EINVAL: an array is missing.
 * Source: rebalance-plan(7) 3. Since: 0.1
 */
REBAL_API int32_t rebal_reconsider(const rebal_plan *plan, const rebal_bindings *bindings, const rebal_time *now,
                                   const rebal_reconsider_opts *opts, rebal_result *result, rebal_error *err);

/* ---- carrying a plan out ----------------------------------------------------------------------------------------- */

/** How the writes of a plan are made (rebal_plan_step_opts.dialect). */
enum rebal_plan_dialect {
  REBAL_PLAN_DIALECT_PLAIN = 0,  /**< placements alone, nothing else writes them */
  REBAL_PLAN_DIALECT_KARMADA = 1 /**< beside Karmada's scheduler, which is suspended meanwhile */
};
/** Bits of rebal_plan_step_opts.flags. */
enum rebal_plan_step_flag {
  REBAL_PLAN_STEP_FLAG_BACK = 1,                  /**< carry the plan out backwards: from y to x */
  REBAL_PLAN_STEP_FLAG_OWN_NOT_COUNTED = 2,       /**< summaries do not count what members run of the bindings */
  REBAL_PLAN_STEP_FLAG_ANY_CAPACITY = 4,          /**< no cluster is ever full */
  REBAL_PLAN_STEP_FLAG_TAKE_OVER = 8,             /**< remove the marks of other plans: their processes are gone */
  /** a budget without a cluster covers all clusters together, not each one */
  REBAL_PLAN_STEP_FLAG_BUDGETS_OVER_CLUSTERS = 16
};
/** State of a binding of a plan (column REBAL_WAVE_STATE). */
enum rebal_wave_state {
  REBAL_WAVE_STATE_DONE = 1,     /**< it is as planned, and ready */
  REBAL_WAVE_STATE_MOVING = 2,   /**< a write is among the actions */
  REBAL_WAVE_STATE_WAITING = 3,  /**< it can continue when a pending change completes */
  REBAL_WAVE_STATE_BLOCKED = 4,  /**< no pending change lets it continue */
  REBAL_WAVE_STATE_NOT_NOW = 5,  /**< Karmada would undo what is written */
  REBAL_WAVE_STATE_GONE = 6,     /**< the binding no longer exists */
  REBAL_WAVE_STATE_DELETING = 7, /**< it is being deleted */
  REBAL_WAVE_STATE_REPLACED = 8  /**< another binding has its name: the uid differs */
};
/** Reason of the state (column REBAL_WAVE_REASON). */
enum rebal_wave_reason {
  REBAL_WAVE_REASON_NONE = 0,          /**< no reason besides the state */
  REBAL_WAVE_REASON_READY = 1,         /**< replicas in the cluster are not ready */
  REBAL_WAVE_REASON_FLOOR = 2,         /**< too few would stay ready; the cluster is the first that lacks some */
  REBAL_WAVE_REASON_CAPACITY = 3,      /**< the cluster is full */
  REBAL_WAVE_REASON_UNKNOWN = 4,       /**< it is not known how many are ready in the cluster */
  REBAL_WAVE_REASON_PACED = 5,         /**< the next wave may be sent later */
  REBAL_WAVE_REASON_WRITTEN = 6,       /**< it was written: read it again */
  REBAL_WAVE_REASON_CONFLICT = 7,      /**< it changed before it was written: read it again */
  REBAL_WAVE_REASON_REFUSED = 8,       /**< the write failed; MESSAGE has the reason */
  REBAL_WAVE_REASON_REPLICAS = 9,      /**< spec.replicas are not those of the plan */
  REBAL_WAVE_REASON_MALFORMED = 10,    /**< spec.clusters has a cluster twice, or replicas below 0 */
  REBAL_WAVE_REASON_COMPONENTS = 11,   /**< sets of components cannot be moved in part */
  REBAL_WAVE_REASON_NO_CLUSTER = 12,   /**< a planned cluster is missing, or BACK leads to a lost one */
  REBAL_WAVE_REASON_SETTLING = 13,     /**< scheduler and status have not caught up with the last write */
  REBAL_WAVE_REASON_DUPLICATED = 14,   /**< replicas are not divided: Karmada restores them */
  REBAL_WAVE_REASON_SUSPENDED = 15,    /**< another client suspended scheduling */
  REBAL_WAVE_REASON_TASKS = 16,        /**< it has eviction tasks */
  REBAL_WAVE_REASON_MARKED = 17,       /**< another plan is carried out */
  REBAL_WAVE_REASON_NOT_OBSERVED = 18, /**< the scheduler has not seen this generation yet */
  REBAL_WAVE_REASON_SUM = 19,          /**< replicas assigned differ from spec.replicas */
  REBAL_WAVE_REASON_TRIGGERED = 20,    /**< a reschedule is due */
  REBAL_WAVE_REASON_PLANNED_SUM = 21,  /**< replicas planned differ from spec.replicas */
  REBAL_WAVE_REASON_BUDGET = 22        /**< PodDisruptionBudgets allow no replica to leave the cluster now */
};

/** All zero: placements are written as they are, empty ledger, waves are sent at once. Since: 0.1 */
typedef struct rebal_plan_step_opts {
  uint32_t struct_size;
  uint32_t flags;                         /**< REBAL_PLAN_STEP_FLAG_* */
  int32_t dialect;                        /**< REBAL_PLAN_DIALECT_* */
  uint32_t reserved0;                     /**< must be 0 */
  const rebal_compat *compat;             /**< for estimates; NULL: defaults */
  const rebal_ledger *ledger;             /**< capacity that others hold; forked; NULL: none */
  int64_t interval_ns;                    /**< time between two waves; 0: none */
  const rebal_time *next_wave;            /**< REBAL_PACE_NEXT of the last call; NULL or unset: at once */
  const rebal_observations *observations; /**< of the writes of this wave; NULL: none yet */
  const rebal_record *const *budgets;     /**< PodDisruptionBudgets: records of the object BUDGET */
  uint64_t n_budgets;                     /**< number of budgets */
} rebal_plan_step_opts;

/**
 * Computes the writes that can be sent now to carry out a plan: a wave. No state is kept between calls; the answer
 * follows from the plan, the observed bindings (of the snapshot's fleet, found by their names) and now. Fills
 * REBAL_TABLE_WAVE with a row for each binding of the plan, and REBAL_TABLE_ACTION: PATCH_SPEC, whose ordinal is the
 * row of the plan, and WAKE; with interval_ns also REBAL_TABLE_PACE. Neither the plan nor the ledger change.
 * rebal_plan_step(3) describes the order of the writes, what they never exceed, budgets, and the dialect beside
 * Karmada.
 * @returns REBAL_EINVAL: an unknown dialect, or a malformed budget; REBAL_EMISMATCH: bindings or ledger of another
 * fleet than the snapshot; REBAL_ERANGE: a negative interval; REBAL_EUNSUPPORTED: an unknown flag.
 * Source: rebalance-plan(7) 5, 8. Since: 0.1
 */
REBAL_API int32_t rebal_plan_step(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings,
                                  const rebal_plan *plan, const rebal_time *now, const rebal_plan_step_opts *opts,
                                  rebal_result *result, rebal_error *err);

#ifdef __cplusplus
}
#endif
#endif
