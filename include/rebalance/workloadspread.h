/* SPDX-License-Identifier: MIT */
/*
 * rebalance/workloadspread.h - subsets of a WorkloadSpread for pods, deletion costs of pods, and the replicas of a
 * UnitedDeployment's subsets (rebalance-workloadspread(7)).
 *
 * A rebal_spread is one WorkloadSpread, compiled, with its current status. The caller reads and writes the objects: a
 * call answers as if its writes had succeeded. If one failed, rebal_spread_load_status() restores the actual status.
 */
#ifndef REBAL_WORKLOADSPREAD_H
#define REBAL_WORKLOADSPREAD_H

#include "fleet.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rebal_pods rebal_pods;     /**< set of pods and owners; one thread at a time; never frozen */
typedef struct rebal_spread rebal_spread; /**< one WorkloadSpread; one thread at a time */

/* ---- pods -------------------------------------------------------------------------------------------------------- */

/** Request for a pod (column REBAL_SPREAD_POD_OPERATION). */
enum rebal_operation {
  REBAL_OPERATION_CREATE = 0, /**< it is about to be created */
  REBAL_OPERATION_DELETE = 1, /**< it is about to be deleted */
  REBAL_OPERATION_EVICT = 2   /**< it is about to be evicted; the same rules as for a deletion */
};
/** status.phase of a pod (column REBAL_SPREAD_POD_PHASE). */
enum rebal_pod_phase {
  REBAL_POD_PHASE_OTHER = 0,     /**< none, or one that is not known */
  REBAL_POD_PHASE_PENDING = 1,
  REBAL_POD_PHASE_UNKNOWN = 2,
  REBAL_POD_PHASE_RUNNING = 3,
  REBAL_POD_PHASE_SUCCEEDED = 4,
  REBAL_POD_PHASE_FAILED = 5
};
/** Label that holds a pod's version (column REBAL_SPREAD_POD_VERSION_LABEL). */
enum rebal_version_label {
  REBAL_VERSION_LABEL_NONE = 0,
  REBAL_VERSION_LABEL_TEMPLATE_HASH = 1, /**< pod-template-hash; takes precedence even when empty */
  REBAL_VERSION_LABEL_REVISION_HASH = 2  /**< controller-revision-hash, the part after its last "-" */
};
/** State of an owner or workload (columns REBAL_OWNER_STATE, REBAL_SPREAD_WORKLOAD_STATE). */
enum rebal_owner_state {
  REBAL_OWNER_STATE_UNKNOWN = 0, /**< not looked up yet */
  REBAL_OWNER_STATE_EXISTS = 1,
  REBAL_OWNER_STATE_MISSING = 2,
  REBAL_OWNER_STATE_FAILED = 3   /**< it exists or not, but cannot be read */
};
/** State of a workload's latest version (column REBAL_SPREAD_WORKLOAD_LATEST_STATE). */
enum rebal_latest_state {
  REBAL_LATEST_STATE_NOT_TRACKED = 0, /**< versions of its pods are not distinguished */
  REBAL_LATEST_STATE_KNOWN = 1,       /**< column LATEST, which may be empty */
  REBAL_LATEST_STATE_MISSING = 2      /**< no ReplicaSet has the template yet */
};

/**
 * Creates an empty set of pods of the fleet, whose ids and handles stay valid as long as the set. Rows and cells may be
 * set at any time except during a call that reads them; the number of a removed row is reused. The order of a list in
 * calls is the order of the row numbers passed. Free the set with rebal_pods_free(). Since: 0.1
 */
REBAL_API int32_t rebal_pods_new(const rebal_fleet *fleet, const rebal_allocator *allocator, rebal_pods **out,
                                 rebal_error *err);
/** Returns the rows of the pods (rebalance/cells.h); NULL for NULL. Since: 0.1 */
REBAL_API rebal_cells *rebal_pods_cells(rebal_pods *pods);
/** Returns the rows of the pods for reading. Since: 0.1 */
REBAL_API const rebal_cells *rebal_pods_const_cells(const rebal_pods *pods);
/** Removes all rows and keeps the memory. Since: 0.1 */
REBAL_API void rebal_pods_reset(rebal_pods *pods);
/** Frees a set of pods. NULL is allowed. Since: 0.1 */
REBAL_API void rebal_pods_free(rebal_pods *pods);
/* ---- one WorkloadSpread ------------------------------------------------------------------------------------------ */

/**
 * Compiles a WorkloadSpread (record REBAL_OBJECT_WORKLOAD_SPREAD, which is copied) with its status. Malformed fields
 * are not errors: rebalance-workloadspread(7) 10 defines their meaning. REBAL_EINVAL: another record. Free it with
 * rebal_spread_free().
 * Since: 0.1
 */
REBAL_API int32_t rebal_spread_new(const rebal_allocator *allocator, const rebal_record *object, rebal_spread **out,
                                   rebal_error *err);
/** Replaces the object and its status by another state of it; the row of the workload stays. Since: 0.1 */
REBAL_API int32_t rebal_spread_load(rebal_spread *spread, const rebal_record *object, rebal_error *err);
/** Replaces the status by another one (record REBAL_OBJECT_SPREAD_STATUS; NULL: none). Since: 0.1 */
REBAL_API int32_t rebal_spread_load_status(rebal_spread *spread, const rebal_record *status, rebal_error *err);
/** Returns the current status as a record that belongs to builder. Since: 0.1 */
REBAL_API int32_t rebal_spread_status(const rebal_spread *spread, rebal_builder *builder, const rebal_record **out,
                                      rebal_error *err);
/**
 * Copies a WorkloadSpread, for previews and for retries after a conflict. The copy is independent; free it with
 * rebal_spread_free(). Since: 0.1
 */
REBAL_API int32_t rebal_spread_fork(const rebal_spread *spread, rebal_spread **out, rebal_error *err);
/** Returns the cells of the workload: row 0 of SPREAD_WORKLOAD (rebalance/cells.h); NULL for NULL. Since: 0.1 */
REBAL_API rebal_cells *rebal_spread_cells(rebal_spread *spread);
/** Returns the number of spec.subsets. Since: 0.1 */
REBAL_API uint32_t rebal_spread_subset_count(const rebal_spread *spread);
/** Returns the name of a subset, terminated; "" if it does not exist. len may be NULL. Since: 0.1 */
REBAL_API const char *rebal_spread_subset_name(const rebal_spread *spread, uint32_t subset, size_t *len);
/** Returns the object as it was loaded. Valid until the next load or free. Since: 0.1 */
REBAL_API const rebal_record *rebal_spread_object(const rebal_spread *spread);
/** Frees a WorkloadSpread. NULL is allowed. Since: 0.1 */
REBAL_API void rebal_spread_free(rebal_spread *spread);

/* ---- admission --------------------------------------------------------------------------------------------------- */

/** Bits of rebal_admit_opts.flags. */
enum rebal_admit_flag {
  REBAL_ADMIT_FLAG_EXPLAIN = 1,   /**< a row of PASSED_OVER for each subset that was not chosen */
  REBAL_ADMIT_FLAG_NO_ACTIONS = 2 /**< no actions: a later call without it reports these changes too */
};

/** All zero: OpenKruise's defaults, built-in kinds of workloads only. Since: 0.1 */
typedef struct rebal_admit_opts {
  uint32_t struct_size;
  uint32_t flags;                 /**< REBAL_ADMIT_FLAG_* */
  const rebal_compat *compat;     /**< NULL: defaults */
  const rebal_record *white_list; /**< REBAL_OBJECT_WHITE_LIST: other kinds of workloads; NULL: none */
  rebal_snapshot *snapshot;       /**< for the option SPREAD_SIMULATION; NULL: no simulation */
  rebal_ledger *ledger;           /**< capacity of admitted pods on its nodes, charged by the call; NULL: none */
  const uint32_t *simulated;      /**< [i * stride + s]: REQUIREMENTS of the i-th admitted pod in subset s */
  uint64_t simulated_stride;      /**< of simulated; subsets from it on, or with REBAL_NONE, are not simulated */
  uint32_t cluster;               /**< cluster with the nodes */
  uint32_t reserved0;             /**< must be 0 */
  const uint32_t *rows;           /**< rows of SPREAD_POD, in the order of admission; NULL: all, by number */
  uint64_t n_rows;                /**< number of rows */
} rebal_admit_opts;

/** Outcome for a pod (column REBAL_ADMITTED_OUTCOME). */
enum rebal_admit_outcome {
  REBAL_ADMIT_OUTCOME_LEFT_ALONE = 0,       /**< no WorkloadSpread applies to it, or none any more */
  REBAL_ADMIT_OUTCOME_CHOSEN = 1,           /**< column SUBSET: its rules are injected */
  REBAL_ADMIT_OUTCOME_NO_SUBSET = 2,        /**< no subset has capacity: admitted unchanged */
  REBAL_ADMIT_OUTCOME_FORMER_SUBSET = 3,    /**< SUBSET_NAME is no longer in spec: recorded, nothing is injected */
  REBAL_ADMIT_OUTCOME_OWNER_MISSING = 4,    /**< refused: an owner of it is missing (column OWNER) */
  REBAL_ADMIT_OUTCOME_REPLICAS_UNKNOWN = 5, /**< refused: the workload's replicas are unknown (MESSAGE) */
  REBAL_ADMIT_OUTCOME_OWNER_UNKNOWN = 6,    /**< the last row: look up column OWNER, call again from it on */
  REBAL_ADMIT_OUTCOME_GOING = 7             /**< a deletion or eviction of a spread's pod; RECORDED or not */
};
/** Why a subset was passed over (column REBAL_PASSED_OVER_WHY). */
enum rebal_pass_over {
  REBAL_PASS_OVER_FULL = 1,           /**< no replicas are missing */
  REBAL_PASS_OVER_UNSCHEDULABLE = 2,  /**< its condition Schedulable is False */
  REBAL_PASS_OVER_NO_LIMIT = 3,       /**< its limit could not be read, or is negative */
  REBAL_PASS_OVER_ORDINAL = 4,        /**< StatefulSet: the ordinal is beyond its limit */
  REBAL_PASS_OVER_NO_NODE = 5,        /**< no node of it has capacity (option SPREAD_SIMULATION) */
  REBAL_PASS_OVER_OTHER_VERSIONS = 6, /**< pods of other versions fill it (option SPREAD_ALL_VERSIONS) */
  REBAL_PASS_OVER_MINIMUM_FIRST = 7   /**< another one lacks its minReplicas (option SPREAD_MIN_REPLICAS) */
};

/**
 * Admits pods one after another: each sees the changes that the ones before made to the status. A created pod gets the
 * first of spreads, in the given order (the reference leaves the order open), whose workload owns it, and the first
 * subset of that spread with capacity. A deleted or evicted pod releases capacity of its subset. Fills
 * REBAL_TABLE_ADMITTED and, unless NO_ACTIONS, adds after the last pod an action PATCH_STATUS for each spread whose
 * status changed (payload REBAL_OBJECT_SPREAD_STATUS: the versions that changed, each whole; the loaded resourceVersion
 * as precondition, ROW the index of the spread). Pods are identified by name alone: all spreads and pods must be of one
 * namespace. A batch that is cut anywhere gives the same rows.
 *
 * The annotation matched-workloadspread of a deleted or evicted pod names its spread. Owners are followed at most 16
 * steps; a longer chain, including a circle, does not lead to an owner.
 *
 * With the option SPREAD_SIMULATION and a snapshot, an adaptive spread that does not disable it passes over subsets in
 * which no node has capacity for the pod's requirements in addition to those in the ledger. The chosen pod is charged
 * to the ledger, as namespace/name (or id), until 30 s after now. Nodes are not examined for a spread with one subset
 * without a limit, for one of a StatefulSet, and for a pod that is recorded already; a cluster without known nodes has
 * capacity.
 * @returns REBAL_EINVAL: a required argument is NULL, white_list is another record, a pod to be recorded has neither
 * name nor id (err->where: its row), an unknown handle in simulated (err->where: i); REBAL_ENOTFOUND: the
 * row of pods or the cluster does not exist; REBAL_EMISMATCH: snapshot, ledger and pods are of different fleets. A
 * failed call changes neither spreads nor ledger.
 * Source: rebalance-workloadspread(7) 3. Since: 0.1
 */
REBAL_API int32_t rebal_spread_admit(rebal_ctx *ctx, rebal_spread *const *spreads, size_t n_spreads,
                                     const rebal_pods *pods, const rebal_time *now, const rebal_admit_opts *opts,
                                     rebal_result *result, rebal_error *err);

/* ---- controller -------------------------------------------------------------------------------------------------- */

/** Bits of rebal_spread_opts.flags. */
enum rebal_spread_flag {
  REBAL_SPREAD_FLAG_NO_POD_ACTIONS = 1 /**< no actions for changed pods: only rows of GROUPED */
};

/** All zero: OpenKruise's defaults; every write succeeds. Since: 0.1 */
typedef struct rebal_spread_opts {
  uint32_t struct_size;
  uint32_t flags;             /**< REBAL_SPREAD_FLAG_* */
  const rebal_compat *compat; /**< NULL: defaults */
  const uint64_t *unchanged;  /**< bit s of [row * stride + s / 64], by row of SPREAD_POD: patch s changes nothing */
  uint64_t unchanged_stride;  /**< words of a row; NULL unchanged: every patch changes every pod */
  const uint32_t *rows;       /**< rows of SPREAD_POD, in the order of the list; NULL: all, by number */
  uint64_t n_rows;            /**< number of rows */
  uint32_t cluster;           /**< cluster of the snapshot with the nodes */
  uint32_t reserved0;         /**< must be 0 */
  const rebal_observations *observations; /**< NULL: all at once; else in turns, see rebal_spread_step() */
} rebal_spread_opts;

/** How a pod was assigned to its subset (column REBAL_GROUPED_BY). */
enum rebal_grouped_by {
  REBAL_GROUPED_BY_NOTHING = 0,      /**< it is in none */
  REBAL_GROUPED_BY_ANNOTATION = 1,   /**< its annotation names it */
  REBAL_GROUPED_BY_NODE = 2,         /**< adopted: its node suits it best */
  REBAL_GROUPED_BY_FORMER_SUBSET = 3 /**< its annotation names one that spec lacks: it is in none */
};
/** Reason for a pod's deletion cost (column REBAL_GROUPED_WHY). */
enum rebal_cost_reason {
  REBAL_COST_REASON_NONE = 0,      /**< no cost is set: not active, a kind without costs, a limit that cannot be read */
  REBAL_COST_REASON_KEPT = 1,      /**< within its subset's limit */
  REBAL_COST_REASON_SURPLUS = 2,   /**< beyond it */
  REBAL_COST_REASON_NO_SUBSET = 3, /**< in no subset */
  REBAL_COST_REASON_MINIMUM = 4    /**< within its subset's minReplicas (option SPREAD_MIN_REPLICAS) */
};
/** Bits of the column REBAL_GROUPED_CHANGES. */
enum rebal_changes {
  REBAL_CHANGES_COST = 1,  /**< the deletion cost */
  REBAL_CHANGES_SUBSET = 2 /**< adopted: the annotation and the metadata of the subset's patch */
};

/** Why a pass ended (column REBAL_STEP_REASON of rebal_spread_step()). */
enum rebal_spread_reason {
  REBAL_SPREAD_REASON_DONE = 0,
  REBAL_SPREAD_REASON_NO_TARGET = 1,     /**< SKIPPED: spec.targetRef is missing */
  REBAL_SPREAD_REASON_DELETING = 2,      /**< SKIPPED: it is being deleted */
  REBAL_SPREAD_REASON_NO_REPLICAS = 3,   /**< RETRY: replicas cannot be read along a path */
  REBAL_SPREAD_REASON_NO_LATEST = 4,     /**< RETRY: the latest version is unknown; only subsets are filled in */
  REBAL_SPREAD_REASON_POD_FAILED = 5,    /**< RETRY: a pod could not be written */
  REBAL_SPREAD_REASON_STATUS_FAILED = 6, /**< RETRY: the status could not be written */
  REBAL_SPREAD_REASON_DELETE_FAILED = 7  /**< RETRY: a stuck pod could not be deleted */
};

/**
 * Runs one pass of the controller over the pods found (rebalance-workloadspread(7) 1.4: those owned by the workload or,
 * for a Deployment, by its ReplicaSets). Fills REBAL_TABLE_GROUPED with subset, version and deletion cost of each pod,
 * REBAL_TABLE_SUBSET_COUNT, and one row of REBAL_TABLE_STEP with the time until the next pass. Actions: PATCH_METADATA
 * for each pod that changes (REBAL_OBJECT_POD_PATCH, ROW that of the pod), PATCH_STATUS if the status differs
 * (REBAL_OBJECT_SPREAD_STATUS, whole; a version to be removed has no subsets), DELETE for each stuck pod with its uid,
 * EVENT, WAKE. Nodes are those of the cluster in the snapshot; with snapshot NULL no node is known. The spread has the
 * new status afterwards.
 *
 * Adoption, in some cases counts, and the choice among equal surplus pods depend on the order of rows in the options
 * (rebalance-compat(7)); versions are taken in the order of their bytes.
 *
 * Each subset is evaluated for each class of nodes that its terms can distinguish. A changed pod requires a pass of
 * every WorkloadSpread of its workload: with some hundreds for one workload, each pod takes milliseconds.
 *
 * With observations, the caller repeats a pass with the same pods until its step is not WAITING: first the pods, then
 * the status, then deletions one by one. A failure ends it with RETRY. The spread changes once the write of the status
 * is observed.
 * @returns REBAL_EINVAL: a required argument is NULL; REBAL_ENOTFOUND: the row or cluster does not exist;
 * REBAL_EMISMATCH: pods and snapshot are of different fleets.
 * Source: rebalance-workloadspread(7) 4 to 7. Since: 0.1
 */
REBAL_API int32_t rebal_spread_step(rebal_ctx *ctx, rebal_snapshot *snapshot, rebal_spread *spread,
                                    const rebal_pods *pods, const rebal_time *now, const rebal_spread_opts *opts,
                                    rebal_result *result, rebal_error *err);

/* ---- UnitedDeployment -------------------------------------------------------------------------------------------- */

/** State of a subset's workload (rebal_united_opts.states, column REBAL_ALLOCATED_FLAGS). */
enum rebal_united_state {
  REBAL_UNITED_STATE_EXISTS = 1,        /**< it has a workload; else the other bits and all amounts are ignored */
  REBAL_UNITED_STATE_UNSCHEDULABLE = 2, /**< some of its pods are unschedulable or reserved */
  REBAL_UNITED_STATE_MARKED = 4         /**< its condition Schedulable is False (reservation) */
};
/** Why an allocation of a UnitedDeployment failed (column REBAL_STEP_REASON, state REBAL_STEP_STATE_RETRY). */
enum rebal_united_reason {
  REBAL_UNITED_REASON_ALLOCATED = 0,   /**< the allocation succeeded */
  REBAL_UNITED_REASON_TOO_MANY = 1,    /**< the subsets' replicas exceed spec.replicas */
  REBAL_UNITED_REASON_TOO_FEW = 2,     /**< the replicas of all subsets are less than spec.replicas */
  REBAL_UNITED_REASON_UNSPECIFIED = 3, /**< spec.replicas and some subset's replicas are missing or unreadable */
  REBAL_UNITED_REASON_LIMITS_CROSS = 4 /**< minReplicas of a subset is above its maxReplicas */
};

/**
 * All zero: no subset has a workload yet. Arrays are by index in spec.topology.subsets; NULL: all 0, for texts none.
 * Texts end with NUL; a workload without a name is not scaled. Since: 0.1
 */
typedef struct rebal_united_opts {
  uint32_t struct_size;
  uint32_t flags;          /**< must be 0 */
  const uint32_t *states;  /**< REBAL_UNITED_STATE_* */
  const int32_t *replicas; /**< spec.replicas of the workload */
  const int32_t *observed; /**< its status.replicas; not read by rebal_united_allocate() */
  const int32_t *ready;    /**< its status.readyReplicas */
  const int32_t *reserved; /**< pods in reserve */
  uint64_t n;              /**< elements of each array; later subsets have no workload */
  const uint32_t *rows;    /**< rows of SPREAD_POD; NULL: all; not read by rebal_united_allocate() */
  uint64_t n_rows;         /**< number of rows */
  const char *const *api_versions; /**< of the workloads, as the next three; not read by rebal_united_allocate() */
  const char *const *kinds;
  const char *const *names;
  const char *const *uids; /**< preconditions of the actions; empty: none */
} rebal_united_opts;

/**
 * Allocates the replicas of a UnitedDeployment (record REBAL_OBJECT_UNITED_DEPLOYMENT) to its subsets: fills
 * REBAL_TABLE_ALLOCATED, one row for each in the order of spec, and one row of REBAL_TABLE_STEP. That is DONE or, if
 * the numbers contradict each other, RETRY with a REBAL_UNITED_REASON_* reason and the reference's text as MESSAGE,
 * without other rows. Subsets are identified by index; their names are not compared. The answer depends on the
 * arguments alone: one spec may give other replicas for other current sizes (rebalance-workloadspread(7) 13.3a).
 * @returns REBAL_EINVAL: no record, or another one; REBAL_ERANGE: spec.replicas or an amount is negative (err->where:
 * the subset); REBAL_EUNSUPPORTED: an unknown bit.
 * Source: rebalance-workloadspread(7) 13.1 to 13.5. Since: 0.1
 */
REBAL_API int32_t rebal_united_allocate(rebal_ctx *ctx, const rebal_record *united, const rebal_united_opts *opts,
                                        rebal_result *result, rebal_error *err);

/**
 * Runs one pass of an adaptive UnitedDeployment: finds from its pods and the conditions Schedulable of its subsets
 * which subsets are unschedulable and which pods are in reserve, allocates, and sets the conditions. Fills the tables
 * that rebal_united_allocate() fills, but the call finds states (except EXISTS) and reserved itself; AFTER_NS is the
 * time until time alone may change the answer. Actions: PATCH_METADATA of pods whose label of the reserve is wrong
 * (REBAL_OBJECT_POD_PATCH, ROW that of the pod), in their order; PATCH_STATUS if a condition changes
 * (REBAL_OBJECT_UNITED_STATUS: an entry with name and conditions for each subset of spec, to be merged by name); SCALE
 * of workloads whose replicas differ from the allocation (REBAL_OBJECT_SCALE_SPEC), in the order of the subsets; WAKE.
 * The step waits for none of them, and RETRY has none. SCALE must be sent only after the actions before it succeeded,
 * since it removes the pods that caused a condition. The caller writes the rest of the status: its replicas do
 * not count pods in reserve (column RESERVED).
 *
 * Pods are assigned to subsets by REBAL_SPREAD_POD_UNITED_SUBSET; those of other subsets, or of subsets without a
 * workload, are ignored. With another strategy no pod is read: the call does the same as rebal_united_allocate() and
 * adds SCALE.
 * @returns as rebal_united_allocate(); REBAL_EINVAL: a required argument is NULL, or a workload has a name but no kind
 * or apiVersion (err->where: the subset); REBAL_ENOTFOUND: the row of pods does not exist (err->where: its place).
 * Source: rebalance-workloadspread(7) 13.6. Since: 0.1
 */
REBAL_API int32_t rebal_united_step(rebal_ctx *ctx, const rebal_record *united, const rebal_pods *pods,
                                    const rebal_time *now, const rebal_united_opts *opts, rebal_result *result,
                                    rebal_error *err);

#ifdef __cplusplus
}
#endif
#endif
