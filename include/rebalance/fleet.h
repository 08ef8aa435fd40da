/* SPDX-License-Identifier: MIT */
/*
 * rebalance/fleet.h - the clusters, what is known of them, the workloads, and what was spent.
 *
 * A fleet (one writer) is changed row by row or column by column and frozen into snapshots, which any number of
 * threads may read. Names become dense ids that are never reused within a fleet and are equal in every snapshot of it.
 */
#ifndef REBAL_FLEET_H
#define REBAL_FLEET_H

#include "cells.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rebal_fleet rebal_fleet;       /**< one writer */
typedef struct rebal_snapshot rebal_snapshot; /**< frozen; any thread; reference-counted */
typedef struct rebal_bindings rebal_bindings; /**< one writer until frozen, then any thread */
typedef struct rebal_ledger rebal_ledger;     /**< one thread at a time */
typedef struct rebal_ctx rebal_ctx;           /**< one thread at a time */
typedef struct rebal_compat rebal_compat;     /**< one writer; calls only read it */

/* ---- fleet ------------------------------------------------------------------------------------------------------- */

/** An empty fleet. The allocator is copied (NULL: malloc). Since: 0.1 */
REBAL_API int32_t rebal_fleet_new(const rebal_allocator *allocator, rebal_fleet **out, rebal_error *err);
/** Snapshots, bindings and ledgers made from it stay valid. NULL is fine. Since: 0.1 */
REBAL_API void rebal_fleet_free(rebal_fleet *fleet);

/**
 * The id of a cluster name. A new name gets an absent row: it has an id (a previous target must have one) but is no
 * cluster of the fleet until rebal_fleet_add_cluster(). Since: 0.1
 */
REBAL_API int32_t rebal_fleet_cluster_id(rebal_fleet *fleet, const char *name, size_t len, uint32_t *cluster,
                                         rebal_error *err);
/** Makes the named cluster part of the fleet. REBAL_EEXIST when it is; REBAL_EINVAL for an empty name. Since: 0.1 */
REBAL_API int32_t rebal_fleet_add_cluster(rebal_fleet *fleet, const char *name, size_t len, uint32_t *cluster,
                                          rebal_error *err);

/** Returns the rows of the fleet (rebalance/cells.h); NULL for NULL. Since: 0.1 */
REBAL_API rebal_cells *rebal_fleet_cells(rebal_fleet *fleet);

/**
 * Keeps a record and gives its handle; an equal one gives the same handle. Kinds: LABELS, TEXTS, TAINTS,
 * API_ENABLEMENTS, RESOURCE_MODELS, MODELINGS, PLACEMENT, REQUIREMENTS, TARGET_COMPONENTS, POD_RESOURCES,
 * LABEL_SELECTOR, CONDITIONS. Handles count up from 0 for each kind; rebal_cells_record() gives the record back.
 * @returns REBAL_EINVAL for another kind.
 * Since: 0.1
 */
REBAL_API int32_t rebal_fleet_intern(rebal_fleet *fleet, const rebal_record *record, uint32_t *handle,
                                     rebal_error *err);

/** Parts of a cluster's resource summary, and of what is known of a node. */
enum rebal_capacity { REBAL_CAPACITY_ALLOCATABLE = 0, REBAL_CAPACITY_ALLOCATED = 1, REBAL_CAPACITY_ALLOCATING = 2 };

/** The id of a resource name ("cpu", "nvidia.com/gpu"), made when new. Since: 0.1 */
REBAL_API int32_t rebal_fleet_resource_id(rebal_fleet *fleet, const char *name, size_t len, uint32_t *resource,
                                          rebal_error *err);
/**
 * Sets one amount of a cluster's summary (part: REBAL_CAPACITY_*); NULL removes it (missing is not zero,
 * rebalance-karmada(7) 6.3). Setting any amount also sets REBAL_CLUSTER_HAS_SUMMARY. Since: 0.1
 */
REBAL_API int32_t rebal_fleet_set_capacity(rebal_fleet *fleet, uint32_t part, uint32_t cluster, uint32_t resource,
                                           const rebal_quantity *amount, rebal_error *err);
/** Sets one part of one resource for n clusters; clusters NULL means 0..n-1. Since: 0.1 */
REBAL_API int32_t rebal_fleet_put_capacity(rebal_fleet *fleet, uint32_t part, uint32_t resource,
                                           const uint32_t *clusters, const rebal_quantity *amounts, size_t n,
                                           rebal_error *err);
/**
 * Removes all amounts of a cluster, as before its first summary. Examines every resource up to the last one that the
 * cluster states. Since: 0.1
 */
REBAL_API int32_t rebal_fleet_clear_capacity(rebal_fleet *fleet, uint32_t cluster, rebal_error *err);

/*
 * Nodes of a cluster: rows below its id, with ids of their own that count up from 0 for each cluster. A name keeps its
 * id until the cluster or all of its nodes are taken away. What fails leaves every node as it was.
 */

/**
 * The id of a node's name. A new name gets an absent row, so that a pod may be bound to a node that is not there yet.
 * REBAL_ENOTFOUND: no such cluster. REBAL_EINVAL for an empty name. Since: 0.1
 */
REBAL_API int32_t rebal_fleet_node_id(rebal_fleet *fleet, uint32_t cluster, const char *name, size_t len,
                                      uint32_t *node, rebal_error *err);
/**
 * Makes the named node part of the cluster, without labels, amounts and taints, and sets REBAL_CLUSTER_HAS_NODES.
 * REBAL_EEXIST when it is there. Nodes are packed in the order in which they came, one of each zone in turn; one that
 * comes back or moves to another zone goes to the end (rebalance-karmada(7) 6.5.3). Since: 0.1
 */
REBAL_API int32_t rebal_fleet_add_node(rebal_fleet *fleet, uint32_t cluster, const char *name, size_t len,
                                       uint32_t *node, rebal_error *err);
/**
 * Forgets all nodes of the cluster and their ids, as before its first one: REBAL_CLUSTER_HAS_NODES is 0. Since: 0.1
 */
REBAL_API int32_t rebal_fleet_clear_nodes(rebal_fleet *fleet, uint32_t cluster, rebal_error *err);
/**
 * Replaces all labels of the node by those of a record of the kind LABELS; NULL: none. They are copied. Since: 0.1
 */
REBAL_API int32_t rebal_fleet_set_node_labels(rebal_fleet *fleet, uint32_t cluster, uint32_t node,
                                              const rebal_record *labels, rebal_error *err);
/**
 * Replaces status.allocatable of the node: n amounts by resource id. They are kept in thousandths of cpu and units of
 * all else, rounded away from zero. Negative ones are kept, nothing is then free. REBAL_EINVAL: an unknown resource id
 * or one twice. Since: 0.1
 */
REBAL_API int32_t rebal_fleet_set_node_amounts(rebal_fleet *fleet, uint32_t cluster, uint32_t node,
                                               const uint32_t *resources, const rebal_quantity *amounts, size_t n,
                                               rebal_error *err);
/**
 * Sets one resource of status.allocatable for n nodes of the cluster, kept as by rebal_fleet_set_node_amounts(); other
 * resources stay. nodes NULL means 0..n-1. If one fails, those before it are set; err->where is the id of the node.
 * REBAL_EINVAL: an unknown resource id or an invalid quantity; REBAL_ENOTFOUND: no such cluster or node. Since: 0.1
 */
REBAL_API int32_t rebal_fleet_put_node_amounts(rebal_fleet *fleet, uint32_t cluster, uint32_t resource,
                                               const uint32_t *nodes, const rebal_quantity *amounts, size_t n,
                                               rebal_error *err);

/**
 * Sets all ResourceQuotas of a cluster, in place of those it had: a record of kind REBAL_OBJECT_QUOTAS, which is
 * copied; NULL: none. They are not interned, since what they count changes with every pod. rebal_cells_record() reads
 * them; rebal_fleet_clear_nodes() removes them. REBAL_EINVAL: a record of another kind. Since: 0.1
 */
REBAL_API int32_t rebal_fleet_set_quotas(rebal_fleet *fleet, uint32_t cluster, const rebal_record *quotas,
                                         rebal_error *err);

/** Gives the state of now as a snapshot, sharing every page that did not change since the last one. Since: 0.1 */
REBAL_API int32_t rebal_fleet_freeze(rebal_fleet *fleet, rebal_snapshot **out, rebal_error *err);

/* ---- snapshot ---------------------------------------------------------------------------------------------------- */

/** One more owner. Any thread. Since: 0.1 */
REBAL_API rebal_snapshot *rebal_snapshot_ref(rebal_snapshot *snapshot);
/** One owner less; the last one frees. Any thread. NULL is fine. Since: 0.1 */
REBAL_API void rebal_snapshot_unref(rebal_snapshot *snapshot);
/** Returns the rows of the snapshot (rebalance/cells.h); NULL for NULL. Any thread. Since: 0.1 */
REBAL_API const rebal_cells *rebal_snapshot_cells(const rebal_snapshot *snapshot);
/** Counts up with each freeze of a fleet. Since: 0.1 */
REBAL_API uint64_t rebal_snapshot_version(const rebal_snapshot *snapshot);
/**
 * Returns the id behind a name; REBAL_NONE if the snapshot has no such row. The way back is REBAL_CLUSTER_NAME. Since:
 * 0.1
 */
REBAL_API uint32_t rebal_snapshot_find_cluster(const rebal_snapshot *snapshot, const char *name, size_t len);

/**
 * 1 and the amount when the cluster's summary states it (part: REBAL_CAPACITY_*), else 0 and a zero amount; out may be
 * NULL. Since: 0.1
 */
REBAL_API int32_t rebal_snapshot_capacity(const rebal_snapshot *snapshot, uint32_t part, uint32_t cluster,
                                          uint32_t resource, rebal_quantity *out);

/*
 * Nodes of a cluster, for any thread; texts are valid as long as the snapshot. Where REBAL_CLUSTER_HAS_NODES is 0 there
 * are none.
 */

/** The node's label of this key, terminated; NULL when it has none. len may be NULL. Since: 0.1 */
REBAL_API const char *rebal_snapshot_node_label(const rebal_snapshot *snapshot, uint32_t cluster, uint32_t node,
                                                const char *key, size_t key_len, size_t *len);
/**
 * Returns an amount of a resource as it is kept: REBAL_CAPACITY_ALLOCATABLE, 0 when the node does not state it, or
 * REBAL_CAPACITY_ALLOCATED, what the pods of the node take, also of an absent node. 0 for another part. Since: 0.1
 */
REBAL_API int64_t rebal_snapshot_node_amount(const rebal_snapshot *snapshot, uint32_t part, uint32_t cluster,
                                             uint32_t node, uint32_t resource);

/* ---- bindings ---------------------------------------------------------------------------------------------------- */

/** An empty set of bindings of this fleet, which it keeps alive as far as ids go. Since: 0.1 */
REBAL_API int32_t rebal_bindings_new(const rebal_fleet *fleet, const rebal_allocator *allocator, rebal_bindings **out,
                                     rebal_error *err);
/**
 * Returns the rows of the bindings (rebalance/cells.h); NULL for NULL. Setting is REBAL_ESTATE once they are frozen.
 * Since: 0.1
 */
REBAL_API rebal_cells *rebal_bindings_cells(rebal_bindings *bindings);
/** Returns the same for reading; any thread once frozen. Since: 0.1 */
REBAL_API const rebal_cells *rebal_bindings_const_cells(const rebal_bindings *bindings);
/**
 * Copies all rows, under the same ids, into a set that is not frozen, with the same allocator: for who asks what would
 * be if some cells were others. *out is to be freed. Since: 0.1
 */
REBAL_API int32_t rebal_bindings_copy(const rebal_bindings *bindings, rebal_bindings **out, rebal_error *err);
/** Ends the building. Every call that takes bindings wants them frozen. Since: 0.1 */
REBAL_API int32_t rebal_bindings_freeze(rebal_bindings *bindings, rebal_error *err);
/** Empties it for new rows, keeps its memory. Since: 0.1 */
REBAL_API void rebal_bindings_reset(rebal_bindings *bindings);
/** NULL is fine. Since: 0.1 */
REBAL_API void rebal_bindings_free(rebal_bindings *bindings);

/** State of an annotation that holds JSON (columns REBAL_BINDING_APPLIED_STATE, REBAL_SPREAD_POD_MATCHED_STATE). */
enum rebal_annotation { REBAL_ANNOTATION_ABSENT = 0, REBAL_ANNOTATION_UNPARSABLE = 1, REBAL_ANNOTATION_PRESENT = 2 };

/* ---- spent capacity ---------------------------------------------------------------------------------------------- */

/**
 * An empty ledger of this fleet: what was promised and is not yet seen in the clusters' summaries
 * (rebalance-karmada(7) 6.6). Since: 0.1
 */
REBAL_API int32_t rebal_ledger_new(const rebal_fleet *fleet, const rebal_allocator *allocator, rebal_ledger **out,
                                   rebal_error *err);
/**
 * What a binding holds in one cluster: a set of n components, each so many pods that need requirements. A workload of
 * one pod template has one component. Since: 0.1
 */
typedef struct rebal_charge {
  uint32_t struct_size;
  uint32_t cluster;             /**< its id */
  const uint32_t *requirements; /**< of each component: a handle, or REBAL_NONE: pods only; NULL when n is 0 */
  const int32_t *replicas;      /**< of each component; NULL when n is 0 */
  uint64_t n;                   /**< how many components there are */
  const rebal_time *expiry;     /**< of the whole binding; NULL, or not set: never */
} rebal_charge;

/**
 * Replaces what the binding key (namespace/name) holds in a cluster. The arrays are copied. No replicas at all (or n 0)
 * removes the entry.
 * REBAL_EINVAL: no key, an unknown cluster id or handle; REBAL_ERANGE: negative replicas, or an expiry outside the
 * years 1 to 9999. In case of an error the ledger is as it was. Since: 0.1
 */
REBAL_API int32_t rebal_ledger_charge(rebal_ledger *ledger, const char *key, size_t key_len, const rebal_charge *charge,
                                      rebal_error *err);
/** Drops all that the key holds, or what it holds in one cluster when cluster is not REBAL_NONE. Since: 0.1 */
REBAL_API int32_t rebal_ledger_release(rebal_ledger *ledger, const char *key, size_t key_len, uint32_t cluster,
                                       rebal_error *err);
/** Drops every binding whose expiry is strictly before now. Since: 0.1 */
REBAL_API int32_t rebal_ledger_expire(rebal_ledger *ledger, const rebal_time *now, rebal_error *err);
/**
 * Lists what is held: fills REBAL_TABLE_SPENT, one row for each component, by key, then by the cluster's name. Sets
 * without any replicas are not there. The ledger stays as it is. Since: 0.1
 */
REBAL_API int32_t rebal_ledger_read(const rebal_ledger *ledger, rebal_result *result, rebal_error *err);
/** An independent copy. Since: 0.1 */
REBAL_API int32_t rebal_ledger_fork(const rebal_ledger *ledger, rebal_ledger **out, rebal_error *err);
/** NULL is fine. Since: 0.1 */
REBAL_API void rebal_ledger_free(rebal_ledger *ledger);

/* ---- as bytes ---------------------------------------------------------------------------------------------------- */

/**
 * Writes a fleet as it is now, not as it was when it was frozen, into buffer (capacity bytes) and sets *len to the
 * bytes of all; capacity 0 asks for the length alone. With bindings or a ledger, which may be NULL, these too. Fleets
 * that hold the same under the same ids and handles give the same bytes, on every machine; every later library of this
 * ABI reads them.
 * Not written: snapshots and their versions, and what is cached.
 * @returns REBAL_ERANGE when the buffer is too small: *len is then what is needed, the buffer holds anything;
 * REBAL_EMISMATCH: bindings or ledger of another fleet; REBAL_ELIMIT: more bytes than there is memory to address.
 * Since: 0.1
 */
REBAL_API int32_t rebal_fleet_save(const rebal_fleet *fleet, const rebal_bindings *bindings, const rebal_ledger *ledger,
                                   void *buffer, size_t capacity, size_t *len, rebal_error *err);
/**
 * Makes the fleet that rebal_fleet_save() wrote, with memory from allocator (NULL: malloc). All ids and handles are the
 * same, those that are made next are the same, too, and calls with its snapshots give the same answers and
 * fingerprints. The versions of snapshots start at 1 again. *bindings and *ledger become NULL when none were written;
 * bindings and ledger may be NULL when they are not wanted. Bindings are frozen if they were. The bytes may come from
 * anywhere: they are checked like the arguments of other calls, and loading takes at most about a thousand times their
 * size in memory.
 * @returns REBAL_EPARSE: these are no such bytes (err->where is where it shows); REBAL_EUNSUPPORTED: a later library
 * wrote columns, fields or a format that this one does not know.
 * Since: 0.1
 */
REBAL_API int32_t rebal_fleet_load(const rebal_allocator *allocator, const void *bytes, size_t len, rebal_fleet **fleet,
                                   rebal_bindings **bindings, rebal_ledger **ledger, rebal_error *err);

/* ---- context and compatibility ----------------------------------------------------------------------------------- */

/** Bits of rebal_ctx_opts.flags. */
enum rebal_ctx_flag {
  REBAL_CTX_FLAG_NO_CACHE = 1 /**< keep nothing between calls */
};

/** All zero: malloc, a cache of 64 MiB. Since: 0.1 */
typedef struct rebal_ctx_opts {
  uint32_t struct_size;
  uint32_t flags;             /**< REBAL_CTX_FLAG_* */
  uint64_t cache_max_bytes;   /**< 0: 64 MiB; UINT64_MAX: no limit */
  uint64_t cache_max_entries; /**< 0: no limit */
} rebal_ctx_opts;

/**
 * Scratch memory and the cache of everything derived from snapshots. Answers do not depend on what the cache holds.
 * Since: 0.1
 */
REBAL_API int32_t rebal_ctx_new(const rebal_allocator *allocator, const rebal_ctx_opts *opts, rebal_ctx **out,
                                rebal_error *err);
/** Returns the bytes and entries that the cache holds; outputs may be NULL. Since: 0.1 */
REBAL_API void rebal_ctx_cache_size(const rebal_ctx *ctx, uint64_t *bytes, uint64_t *entries);
/** Drops all that is cached. Since: 0.1 */
REBAL_API void rebal_ctx_clear(rebal_ctx *ctx);
/** NULL is fine. Since: 0.1 */
REBAL_API void rebal_ctx_free(rebal_ctx *ctx);

/** Options for feature gates and known behaviour of the reference; options.def lists them (rebalance-compat(7)). */
enum rebal_option {
  REBAL_OPTION_NONE = 0,
#define REBAL_OPTION(name, number, absent, text, meaning) REBAL_OPTION_##name = number,
#include "options.def"
#undef REBAL_OPTION
};

/** Levels of compatibility; levels.def lists them. */
enum rebal_level {
  REBAL_LEVEL_NONE = 0,
#define REBAL_LEVEL(name, number, text, meaning) REBAL_LEVEL_##name = number,
#define REBAL_LEVEL_VALUE(level, option, value)
#include "levels.def"
#undef REBAL_LEVEL
#undef REBAL_LEVEL_VALUE
};

/** All options at their defaults. Since: 0.1 */
REBAL_API int32_t rebal_compat_new(const rebal_allocator *allocator, rebal_compat **out, rebal_error *err);
/** Sets an option (REBAL_OPTION_*) to 0 or 1 (else REBAL_ERANGE). REBAL_EUNSUPPORTED: unknown id. Since: 0.1 */
REBAL_API int32_t rebal_compat_set(rebal_compat *compat, uint32_t option, int64_t value, rebal_error *err);
/** Value of an option; compat NULL gives the default. REBAL_EUNSUPPORTED: unknown id. Since: 0.1 */
REBAL_API int32_t rebal_compat_get(const rebal_compat *compat, uint32_t option, int64_t *value, rebal_error *err);
/**
 * Sets every option to its value at a level, by name (REBAL_ENUM_LEVEL), such as "karmada-1.19". Values set before are
 * lost. REBAL_ENOTFOUND: no such level, nothing is changed. Since: 0.1
 */
REBAL_API int32_t rebal_compat_set_level(rebal_compat *compat, const char *name, size_t len, rebal_error *err);
/** NULL is fine. Since: 0.1 */
REBAL_API void rebal_compat_free(rebal_compat *compat);

#ifdef __cplusplus
}
#endif
#endif
