/* SPDX-License-Identifier: MIT */
/*
 * rebalance/simulation.h - a control plane on a virtual clock: the store, every step function as a controller, and a
 * simple model of the member clusters (librebalance-simulation).
 *
 * A scenario is a text (rebalance-scenario(5)): options, objects, then steps. A simulation uses no file, socket or
 * clock, and the same scenario has the same log byte for byte. Memory comes from malloc. One thread at a time.
 */
#ifndef REBAL_SIMULATION_H
#define REBAL_SIMULATION_H

#include "manifest.h"
#include "plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One run of one scenario. One thread at a time. */
typedef struct rebal_simulation rebal_simulation;

/** Bits of rebal_simulation_opts.flags. */
enum rebal_simulation_flag {
  REBAL_SIMULATION_FLAG_LEDGER = 1 /**< the scheduler has a ledger, unless compat of the scenario sets otherwise */
};

/** All zero: the defaults in brackets. Since: 0.1 */
typedef struct rebal_simulation_opts {
  uint32_t struct_size;
  uint32_t flags;                      /**< REBAL_SIMULATION_FLAG_* */
  uint32_t max_rounds;                 /**< rounds of the controllers at one instant before REBAL_ELIMIT [1000] */
  uint32_t reserved0;
  uint64_t max_instants;               /**< points in time at which the controllers run before REBAL_ELIMIT [1000000] */
  uint64_t max_log_rows;               /**< rows of the log, 16 times more of shares, before REBAL_ELIMIT [1000000] */
  const rebal_manifest_limits *limits; /**< of the scenario's text; NULL: defaults */
  const rebal_compat *compat;          /**< of the controllers, must outlive the simulation; NULL: defaults */
  uint64_t max_pods;                   /**< pods of workloads, and of each member, before REBAL_ELIMIT [100000] */
  uint64_t max_admissions;             /**< rows of admissions kept before REBAL_ELIMIT [0: none are kept] */
} rebal_simulation_opts;

/** State of a run; the caller sets struct_size. Since: 0.1 */
typedef struct rebal_simulation_summary {
  uint32_t struct_size;
  uint32_t reserved0;
  rebal_time now;    /**< the virtual clock; unset before a scenario is loaded */
  uint64_t steps;    /**< number of steps done */
  uint64_t instants; /**< points in time at which the controllers ran */
  uint64_t held;     /**< expectations that held */
  uint64_t failed;   /**< expectations that failed */
  uint64_t log_rows;   /**< rows of the log */
  uint64_t share_rows; /**< rows of shares: one for each change after a round of the controllers */
  uint64_t admission_rows; /**< rows of admissions */
  uint64_t overused; /**< clusters whose pods requested more than the cluster has, at any time */
} rebal_simulation_summary;

/** Kind of a row of the log. */
enum rebal_log_kind {
  REBAL_LOG_KIND_STEP = 1,   /**< a step begins */
  REBAL_LOG_KIND_CHANGE = 2, /**< an object changed */
  REBAL_LOG_KIND_EVENT = 3,  /**< an event was recorded */
  REBAL_LOG_KIND_NOTE = 4,   /**< a controller changed nothing, or will retry */
  REBAL_LOG_KIND_HELD = 5,   /**< an expectation held */
  REBAL_LOG_KIND_FAILED = 6  /**< an expectation failed */
};

/**
 * A row of the log; the caller sets struct_size. Texts end with NUL and are valid until the next call that advances the
 * simulation. Since: 0.1
 */
typedef struct rebal_simulation_entry {
  uint32_t struct_size;
  uint32_t kind;    /**< REBAL_LOG_KIND_* */
  const char *time; /**< RFC 3339 */
  uint64_t time_len;
  const char *step; /**< name of the step; "" for the initial state */
  uint64_t step_len;
  const char *controller; /**< scenario, detector, scheduler, taint-manager, ... */
  uint64_t controller_len;
  const char *object; /**< Kind namespace/name */
  uint64_t object_len;
  const char *change; /**< what changed */
  uint64_t change_len;
  const char *reason; /**< why */
  uint64_t reason_len;
} rebal_simulation_entry;

/**
 * Format of the written log: REBAL_TEXT_FORMAT_JSON, REBAL_TEXT_FORMAT_JSON_PRETTY, REBAL_TEXT_FORMAT_YAML, or this
 * one.
 */
enum rebal_log_format {
  REBAL_LOG_FORMAT_TABLE = 16 /**< lines for people */
};

/**
 * Creates a simulation without a scenario; opts NULL: the defaults. Free it with rebal_simulation_free(). Since: 0.1
 */
REBAL_API int32_t rebal_simulation_new(const rebal_simulation_opts *opts, rebal_simulation **out, rebal_error *err);
/** Frees a simulation. NULL is allowed. Since: 0.1 */
REBAL_API void rebal_simulation_free(rebal_simulation *simulation);

/**
 * Reads and checks a scenario, then runs the controllers on its initial objects until they change nothing. A simulation
 * takes one scenario.
 * @returns REBAL_EPARSE, REBAL_ERANGE, REBAL_ELIMIT, REBAL_EEXIST with document, line, column and field; REBAL_ESTATE:
 * a scenario was loaded before.
 * Since: 0.1
 */
REBAL_API int32_t rebal_simulation_load(rebal_simulation *simulation, const char *text, size_t len, rebal_error *err);
/**
 * Runs the next step; sets *more to 0 if none was left, else to 1. A failed expectation is not an error. After an error
 * the simulation cannot continue (REBAL_ESTATE), but its log can be read.
 * Since: 0.1
 */
REBAL_API int32_t rebal_simulation_step(rebal_simulation *simulation, int32_t *more, rebal_error *err);
/**
 * Loads a scenario, runs all steps, appends the log to out in a format, and fills the summary. out and summary may be
 * NULL. After an error, the log up to it is still written. Since: 0.1
 */
REBAL_API int32_t rebal_simulation_run(rebal_simulation *simulation, const char *text, size_t len, uint32_t format,
                                       rebal_text *out, rebal_simulation_summary *summary, rebal_error *err);

/** Reads the state of a run into *out. REBAL_EABI: this library does not know the struct_size. Since: 0.1 */
REBAL_API int32_t rebal_simulation_summarize(const rebal_simulation *simulation, rebal_simulation_summary *out,
                                             rebal_error *err);
/**
 * Returns the store of the objects, which belongs to the simulation and must only be read; NULL if memory is exhausted.
 * Since: 0.1
 */
REBAL_API rebal_store *rebal_simulation_store(rebal_simulation *simulation);

/** Reads a row of the log, from 0. REBAL_ERANGE: the row does not exist; REBAL_EABI. Since: 0.1 */
REBAL_API int32_t rebal_simulation_log_read(const rebal_simulation *simulation, size_t row, rebal_simulation_entry *out,
                                            rebal_error *err);
/**
 * Appends the whole log in a format: REBAL_LOG_FORMAT_TABLE, REBAL_TEXT_FORMAT_JSON, REBAL_TEXT_FORMAT_JSON_PRETTY or
 * REBAL_TEXT_FORMAT_YAML. Since: 0.1
 */
REBAL_API int32_t rebal_simulation_write(const rebal_simulation *simulation, uint32_t format, rebal_text *out,
                                         rebal_error *err);

/**
 * The replicas of a binding in one cluster, valid until a later row of the same binding and cluster. Texts as in the
 * log. The row of cluster "" has the sums: spec.replicas, which a workload that is not divided has in each of its
 * clusters, and the replicas ready and running. Since: 0.1
 */
typedef struct rebal_simulation_share {
  uint32_t struct_size; /**< set by the caller */
  uint32_t reserved0;
  rebal_time time;
  uint64_t log_rows;   /**< rows of the log at that time */
  const char *binding; /**< Kind namespace/name */
  const char *cluster;
  int64_t assigned; /**< by spec.clusters; of cluster "": spec.replicas */
  int64_t ready;
  int64_t running; /**< pods that exist, ready or not */
} rebal_simulation_share;

/** Reads a row of shares, from 0. REBAL_ERANGE: the row does not exist; REBAL_EABI. Since: 0.1 */
REBAL_API int32_t rebal_simulation_share_read(const rebal_simulation *simulation, size_t row,
                                              rebal_simulation_share *out, rebal_error *err);

/**
 * A pod that was created, refused or deleted in the scenario's own cluster, and the answer of WorkloadSpreads. Texts as
 * in the log, "" if missing. Since: 0.1
 */
typedef struct rebal_simulation_admission {
  uint32_t struct_size; /**< set by the caller */
  uint32_t operation;   /**< REBAL_OPERATION_CREATE or REBAL_OPERATION_DELETE */
  rebal_time time;
  uint32_t outcome;    /**< REBAL_ADMIT_OUTCOME_* */
  uint32_t is_refused; /**< 1: the pod is not created */
  uint32_t pod;        /**< its object, which no longer exists after a deletion; REBAL_NONE: refused */
  uint32_t owner;      /**< the object that controls it; REBAL_NONE: none */
  const char *namespace_;
  const char *name;
  const char *subset;
  const char *passed_over; /**< why earlier subsets were passed over, a sentence each */
  const char *message;     /**< why it is refused */
  const char *before;      /**< the pod before admission or deletion, as JSON */
  const char *after;       /**< the admitted pod, as JSON; "": refused or deleted */
} rebal_simulation_admission;

/** Reads a row of admissions, from 0 (max_admissions). REBAL_ERANGE: the row does not exist; REBAL_EABI. Since: 0.1 */
REBAL_API int32_t rebal_simulation_admission_read(const rebal_simulation *simulation, size_t row,
                                                  rebal_simulation_admission *out, rebal_error *err);

/** Why a pod is deleted before another one of its workload. */
enum rebal_deletion_rule {
  REBAL_DELETION_RULE_NONE = 0,          /**< no rule distinguishes them, or there is only one */
  REBAL_DELETION_RULE_NUMBERED = 1,      /**< of a StatefulSet: its number is higher */
  REBAL_DELETION_RULE_WITHOUT_NODE = 2,  /**< it has no node */
  REBAL_DELETION_RULE_PENDING = 3,       /**< its phase comes first: Pending, Unknown, Running */
  REBAL_DELETION_RULE_NOT_READY = 4,     /**< it is not ready */
  REBAL_DELETION_RULE_CHEAPER = 5,       /**< its deletion cost is lower */
  REBAL_DELETION_RULE_READY_LATER = 6,   /**< it has been ready for a shorter time */
  REBAL_DELETION_RULE_RESTARTED = 7,     /**< it has restarted more often */
  REBAL_DELETION_RULE_YOUNGER = 8,       /**< it is younger */
  /** of a CloneSet: it is not available for minReadySeconds, or its state is not Normal */
  REBAL_DELETION_RULE_NOT_FIT = 9,
  REBAL_DELETION_RULE_CROWDED = 10,      /**< its node, or its domain, has more such pods */
  REBAL_DELETION_RULE_LOWER_UID = 11,    /**< the times are about equally long ago, and its uid is smaller */
  REBAL_DELETION_RULE_OLD_REVISION = 12, /**< of a CloneSet: it is the last pod of the old revision */
  REBAL_DELETION_RULE_NOT_WANTED = 13,   /**< of a StatefulSet: it is the last one whose number is not wanted */
  /** of an indexed Job: it has no index, one beyond completions, or that of another pod */
  REBAL_DELETION_RULE_SURPLUS_INDEX = 14
};
/** Action of the controller of a workload on a pod in one pass. */
enum rebal_deletion_action {
  REBAL_DELETION_ACTION_KEEP = 0,    /**< it stays in this pass */
  REBAL_DELETION_ACTION_DELETE = 1,  /**< it is deleted */
  REBAL_DELETION_ACTION_PREPARE = 2, /**< a lifecycle hook holds it: its state becomes PreparingDelete */
  REBAL_DELETION_ACTION_RESTORE = 3, /**< its state becomes PreparingNormal again */
  REBAL_DELETION_ACTION_CREATE = 4   /**< no pod yet: one is created */
};
/**
 * Rows of one pass of the controller of a workload. Arrays belong to the caller and have capacity elements each; NULL:
 * the column is not filled. Since: 0.1
 */
typedef struct rebal_deletion_rows {
  uint32_t struct_size; /**< set by the caller */
  uint32_t flags;       /**< 0 */
  uint64_t capacity;    /**< elements of each array */
  uint64_t n;           /**< number of all rows, written or not */
  uint32_t *pods;       /**< objects of the store; REBAL_NONE: a created pod */
  uint32_t *rules;      /**< REBAL_DELETION_RULE_*: why this pod precedes that of the next row */
  uint32_t *actions;    /**< REBAL_DELETION_ACTION_* */
  uint32_t *are_old;    /**< 1: a pod of a CloneSet with another revision than that of its template */
  int64_t *ordinals;    /**< the number at the end of a pod's name; -1: none */
} rebal_deletion_rows;
/**
 * Computes one pass of the controller of a workload at now: its action on each pod and the order in which it would
 * delete the pods that it may delete, first to last. For a Deployment, these are the passes of its ReplicaSets, one
 * after another. Created pods have the last rows. The store does not change. REBAL_EABI, REBAL_ERANGE; REBAL_ENOTFOUND:
 * the object does not exist. Since: 0.1
 */
REBAL_API int32_t rebal_deletion_order(const rebal_store *store, uint32_t workload, const rebal_time *now,
                                       rebal_deletion_rows *out, rebal_error *err);

/** State of one replica of a plan in a member. */
enum rebal_member_replica {
  REBAL_MEMBER_REPLICA_LEAVES = 1,         /**< its pod goes */
  REBAL_MEMBER_REPLICA_LEAVES_UNKNOWN = 2, /**< it leaves; which pod goes is not known */
  REBAL_MEMBER_REPLICA_IN_SUBSET = 3,      /**< it arrives, and its pod gets a subset */
  REBAL_MEMBER_REPLICA_NO_SUBSET = 4,      /**< it arrives, and no subset has capacity for its pod */
  REBAL_MEMBER_REPLICA_NO_SPREAD = 5,      /**< it arrives, and no WorkloadSpread applies to its pod */
  REBAL_MEMBER_REPLICA_REFUSED = 6,        /**< its pod is refused when it is created */
  REBAL_MEMBER_REPLICA_WAITS = 7,          /**< its pod is created after an earlier refused pod is admitted */
  REBAL_MEMBER_REPLICA_RUNS = 8,           /**< its pod exists already: the member runs more than it should */
  REBAL_MEMBER_REPLICA_UNKNOWN = 9         /**< it arrives; the template of its pod is unknown */
};
/**
 * Replicas that leave a member or arrive in it. Arrays belong to the caller and have capacity elements each; NULL: the
 * column is not filled. Since: 0.1
 */
typedef struct rebal_member_rows {
  uint32_t struct_size; /**< set by the caller */
  uint32_t flags;       /**< 0 */
  uint64_t capacity;    /**< elements of each array */
  uint64_t n;           /**< number of all rows, written or not */
  uint32_t *bindings;   /**< rows of REBAL_TABLE_PLANNED, ascending */
  uint32_t *states;     /**< REBAL_MEMBER_REPLICA_* */
  uint32_t *pods;       /**< the deleted pod, an object of member; REBAL_NONE: none, or not known */
  uint32_t *rules;      /**< REBAL_DELETION_RULE_*: why this pod precedes the next one */
  uint32_t *spreads;    /**< the WorkloadSpread of the pod's current or future subset, an object of member */
  uint32_t *subsets;    /**< index of that subset in spec.subsets; REBAL_NONE: none, also in spreads */
} rebal_member_rows;
/**
 * Computes the effect of a plan on the pods of one member: one row of out for each replica that leaves the cluster or
 * arrives in it, by binding. store has the bindings of the plan, found by name, and the templates of workloads that the
 * member does not have yet; member has the objects of the member. No store changes. compat may be NULL.
 * rebal_plan_member(3) describes which pods are deleted and how new ones are admitted.
 * @returns REBAL_EINVAL: a required argument is NULL, now is not set, or flags are set; REBAL_EABI, REBAL_ERANGE;
 * REBAL_EPARSE, REBAL_EINVAL: an object of the member cannot be read or patched.
 * Source: rebalance-plan(7), rebalance-deletion-order(7), rebalance-workloadspread(7) 3. Since: 0.1
 */
REBAL_API int32_t rebal_plan_member(const rebal_plan *plan, const rebal_store *store, uint32_t cluster,
                                    const rebal_store *member, const rebal_time *now, const rebal_compat *compat,
                                    rebal_member_rows *out, rebal_error *err);

#ifdef __cplusplus
}
#endif
#endif
