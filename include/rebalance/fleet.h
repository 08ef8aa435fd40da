/* SPDX-License-Identifier: MIT */
/*
 * rebalance/fleet.h - clusters and their nodes, bindings, and the ledger of spent capacity.
 *
 * A fleet (one writer) is changed row by row or column by column and frozen into snapshots, which any number of
 * threads may read. Names get dense ids that are never reused within a fleet and are equal in all its snapshots.
 */
#ifndef REBAL_FLEET_H
#define REBAL_FLEET_H

#include "cells.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rebal_fleet rebal_fleet;       /**< clusters, nodes and pods; one writer */
typedef struct rebal_snapshot rebal_snapshot; /**< frozen state of a fleet; any thread; reference-counted */
typedef struct rebal_bindings rebal_bindings; /**< set of bindings; one writer until frozen, then any thread */
typedef struct rebal_ledger rebal_ledger;     /**< capacity promised to bindings; one thread at a time */
typedef struct rebal_ctx rebal_ctx;           /**< scratch memory and cache of calls; one thread at a time */
typedef struct rebal_compat rebal_compat;     /**< options of compatibility; one writer; calls only read it */

/* ---- fleet ------------------------------------------------------------------------------------------------------- */

/**
 * Creates an empty fleet. The allocator is copied (NULL: malloc). Free the fleet with rebal_fleet_free(). Since: 0.1
 */
REBAL_API int32_t rebal_fleet_new(const rebal_allocator *allocator, rebal_fleet **out, rebal_error *err);
/** Frees a fleet. Its snapshots, bindings and ledgers stay valid. NULL is allowed. Since: 0.1 */
REBAL_API void rebal_fleet_free(rebal_fleet *fleet);

/**
 * Returns the id of a cluster name. A new name gets an id without a cluster, for instance for a previous target: it is
 * not a cluster of the fleet until rebal_fleet_add_cluster(). Since: 0.1
 */
REBAL_API int32_t rebal_fleet_cluster_id(rebal_fleet *fleet, const char *name, size_t len, uint32_t *cluster,
                                         rebal_error *err);
/**
 * Adds the named cluster to the fleet and sets *cluster to its id. REBAL_EEXIST if the fleet has it; REBAL_EINVAL for
 * an empty name. Since: 0.1
 */
REBAL_API int32_t rebal_fleet_add_cluster(rebal_fleet *fleet, const char *name, size_t len, uint32_t *cluster,
                                          rebal_error *err);

/** Returns the rows of the fleet (rebalance/cells.h); NULL for NULL. Since: 0.1 */
REBAL_API rebal_cells *rebal_fleet_cells(rebal_fleet *fleet);

/**
 * Copies a record into the fleet and returns its handle; an equal record gets the same handle. Kinds: LABELS, TEXTS,
 * TAINTS, API_ENABLEMENTS, RESOURCE_MODELS, MODELINGS, PLACEMENT, REQUIREMENTS, TARGET_COMPONENTS, POD_RESOURCES,
 * LABEL_SELECTOR, CONDITIONS. Handles count up from 0 for each kind; rebal_cells_record() returns the record of a
 * handle.
 * @returns REBAL_EINVAL for another kind.
 * Since: 0.1
 */
REBAL_API int32_t rebal_fleet_intern(rebal_fleet *fleet, const rebal_record *record, uint32_t *handle,
                                     rebal_error *err);

/** Parts of a cluster's resource summary, and of the amounts of a node. */
enum rebal_capacity { REBAL_CAPACITY_ALLOCATABLE = 0, REBAL_CAPACITY_ALLOCATED = 1, REBAL_CAPACITY_ALLOCATING = 2 };

/** Returns the id of a resource name ("cpu", "nvidia.com/gpu"); a new name gets one. Since: 0.1 */
REBAL_API int32_t rebal_fleet_resource_id(rebal_fleet *fleet, const char *name, size_t len, uint32_t *resource,
                                          rebal_error *err);
/**
 * Sets one amount of a cluster's summary (part: REBAL_CAPACITY_*); NULL removes it. A missing amount is not zero
 * (rebalance-karmada(7) 6.3). Setting any amount also sets REBAL_CLUSTER_HAS_SUMMARY. Since: 0.1
 */
REBAL_API int32_t rebal_fleet_set_capacity(rebal_fleet *fleet, uint32_t part, uint32_t cluster, uint32_t resource,
                                           const rebal_quantity *amount, rebal_error *err);
/**
 * Sets one part of one resource for n clusters; clusters NULL means 0..n-1. If one fails, those before it are set, and
 * err->where is the id of the cluster. Since: 0.1
 */
REBAL_API int32_t rebal_fleet_put_capacity(rebal_fleet *fleet, uint32_t part, uint32_t resource,
                                           const uint32_t *clusters, const rebal_quantity *amounts, size_t n,
                                           rebal_error *err);
/**
 * Removes all amounts of a cluster, as before its first summary. The cost grows with the highest resource id that the
 * cluster has. Since: 0.1
 */
REBAL_API int32_t rebal_fleet_clear_capacity(rebal_fleet *fleet, uint32_t cluster, rebal_error *err);

/*
 * Nodes of a cluster: rows below its id, with ids of their own that count up from 0 for each cluster. A name keeps its
 * id until the cluster or all of its nodes are removed. A failed call changes no node.
 */

/**
 * Returns the id of a node name. A new name gets an id without a node, so that a pod may be bound to a node that is
 * added later.
 * REBAL_ENOTFOUND: the cluster does not exist. REBAL_EINVAL for an empty name. Since: 0.1
 */
REBAL_API int32_t rebal_fleet_node_id(rebal_fleet *fleet, uint32_t cluster, const char *name, size_t len,
                                      uint32_t *node, rebal_error *err);
/**
 * Adds the named node to the cluster, without labels, amounts and taints, and sets REBAL_CLUSTER_HAS_NODES.
 * REBAL_EEXIST if the cluster has it. Nodes are packed in the order in which they were added, one of each zone in turn;
 * a node that is added again or moves to another zone is packed last (rebalance-karmada(7) 6.5.3). Since: 0.1
 */
REBAL_API int32_t rebal_fleet_add_node(rebal_fleet *fleet, uint32_t cluster, const char *name, size_t len,
                                       uint32_t *node, rebal_error *err);
/** Removes all nodes of the cluster and their ids, as before its first one: REBAL_CLUSTER_HAS_NODES is 0. Since: 0.1 */
REBAL_API int32_t rebal_fleet_clear_nodes(rebal_fleet *fleet, uint32_t cluster, rebal_error *err);
/** Replaces all labels of the node by a copy of a record of the kind LABELS; NULL removes them. Since: 0.1 */
REBAL_API int32_t rebal_fleet_set_node_labels(rebal_fleet *fleet, uint32_t cluster, uint32_t node,
                                              const rebal_record *labels, rebal_error *err);
/**
 * Replaces status.allocatable of the node: n amounts by resource id, rounded away from zero to thousandths of cpu and
 * units of other resources. A negative amount is kept; then nothing is free. REBAL_EINVAL: a resource id is unknown or
 * occurs twice. Since: 0.1
 */
REBAL_API int32_t rebal_fleet_set_node_amounts(rebal_fleet *fleet, uint32_t cluster, uint32_t node,
                                               const uint32_t *resources, const rebal_quantity *amounts, size_t n,
                                               rebal_error *err);
/**
 * Sets one resource of status.allocatable for n nodes of the cluster, rounded as by rebal_fleet_set_node_amounts();
 * other resources stay. nodes NULL means 0..n-1. If one fails, those before it are set and err->where is the id of the
 * node. REBAL_EINVAL: an unknown resource id or an invalid quantity; REBAL_ENOTFOUND: the cluster or node does not
 * exist. Since: 0.1
 */
REBAL_API int32_t rebal_fleet_put_node_amounts(rebal_fleet *fleet, uint32_t cluster, uint32_t resource,
                                               const uint32_t *nodes, const rebal_quantity *amounts, size_t n,
                                               rebal_error *err);

/**
 * Replaces all ResourceQuotas of a cluster by a copy of a record of kind REBAL_OBJECT_QUOTAS; NULL removes them. They
 * are not interned, since their usage changes with every pod. rebal_cells_record() reads them;
 * rebal_fleet_clear_nodes() removes them. REBAL_EINVAL: a record of another kind. Since: 0.1
 */
REBAL_API int32_t rebal_fleet_set_quotas(rebal_fleet *fleet, uint32_t cluster, const rebal_record *quotas,
                                         rebal_error *err);

/**
 * Creates a snapshot of the current state. It shares all pages that did not change since the last one. Drop it with
 * rebal_snapshot_unref(). Since: 0.1
 */
REBAL_API int32_t rebal_fleet_freeze(rebal_fleet *fleet, rebal_snapshot **out, rebal_error *err);

/* ---- snapshot ---------------------------------------------------------------------------------------------------- */

/** Takes a reference and returns the snapshot. Any thread. Since: 0.1 */
REBAL_API rebal_snapshot *rebal_snapshot_ref(rebal_snapshot *snapshot);
/** Drops a reference; the last one frees the snapshot. Any thread. NULL is allowed. Since: 0.1 */
REBAL_API void rebal_snapshot_unref(rebal_snapshot *snapshot);
/** Returns the rows of the snapshot (rebalance/cells.h); NULL for NULL. Any thread. Since: 0.1 */
REBAL_API const rebal_cells *rebal_snapshot_cells(const rebal_snapshot *snapshot);
/** Returns the version of the snapshot, which counts up with each freeze of the fleet. Since: 0.1 */
REBAL_API uint64_t rebal_snapshot_version(const rebal_snapshot *snapshot);
/**
 * Returns the id of a cluster name, also of one that is not a cluster of the fleet (see rebal_cells_has());
 * REBAL_NONE for an unknown name. The column REBAL_CLUSTER_NAME holds the name of an id. Since: 0.1
 */
REBAL_API uint32_t rebal_snapshot_find_cluster(const rebal_snapshot *snapshot, const char *name, size_t len);

/**
 * Reads one amount of a cluster's summary (part: REBAL_CAPACITY_*) into *out, which may be NULL. Returns 1 if the
 * summary has it, else 0 with a zero amount. Since: 0.1
 */
REBAL_API int32_t rebal_snapshot_capacity(const rebal_snapshot *snapshot, uint32_t part, uint32_t cluster,
                                          uint32_t resource, rebal_quantity *out);

/*
 * Nodes of a cluster, for any thread; texts are valid as long as the snapshot. A cluster whose
 * REBAL_CLUSTER_HAS_NODES is 0 has none.
 */

/**
 * Returns the value of a label of the node, terminated; NULL if it does not have the key. len may be NULL. Since: 0.1
 */
REBAL_API const char *rebal_snapshot_node_label(const rebal_snapshot *snapshot, uint32_t cluster, uint32_t node,
                                                const char *key, size_t key_len, size_t *len);
/**
 * Returns an amount of a resource, rounded as when it was set: with REBAL_CAPACITY_ALLOCATABLE that of the node, 0 if
 * it does not have the resource; with REBAL_CAPACITY_ALLOCATED the amount that pods of the node take, even if the node
 * is missing; 0 for another part. Since: 0.1
 */
REBAL_API int64_t rebal_snapshot_node_amount(const rebal_snapshot *snapshot, uint32_t part, uint32_t cluster,
                                             uint32_t node, uint32_t resource);

/* ---- bindings ---------------------------------------------------------------------------------------------------- */

/**
 * Creates an empty set of bindings of this fleet, whose ids stay valid as long as the set. Free it with
 * rebal_bindings_free(). Since: 0.1
 */
REBAL_API int32_t rebal_bindings_new(const rebal_fleet *fleet, const rebal_allocator *allocator, rebal_bindings **out,
                                     rebal_error *err);
/**
 * Returns the rows of the bindings (rebalance/cells.h); NULL for NULL. If they are frozen, setting a cell is
 * REBAL_ESTATE. Since: 0.1
 */
REBAL_API rebal_cells *rebal_bindings_cells(rebal_bindings *bindings);
/** Returns the rows of the bindings for reading; any thread if they are frozen. Since: 0.1 */
REBAL_API const rebal_cells *rebal_bindings_const_cells(const rebal_bindings *bindings);
/**
 * Copies all rows, under the same ids and with the same allocator, into a new set that is not frozen, for instance to
 * evaluate a change of some cells. Free *out with rebal_bindings_free(). Since: 0.1
 */
REBAL_API int32_t rebal_bindings_copy(const rebal_bindings *bindings, rebal_bindings **out, rebal_error *err);
/** Freezes the set. Every call that takes bindings requires them frozen. REBAL_ESTATE: it is frozen. Since: 0.1 */
REBAL_API int32_t rebal_bindings_freeze(rebal_bindings *bindings, rebal_error *err);
/** Removes all rows, unfreezes the set and keeps its memory. Since: 0.1 */
REBAL_API void rebal_bindings_reset(rebal_bindings *bindings);
/** Frees a set of bindings. NULL is allowed. Since: 0.1 */
REBAL_API void rebal_bindings_free(rebal_bindings *bindings);

/** State of an annotation that holds JSON (columns REBAL_BINDING_APPLIED_STATE, REBAL_SPREAD_POD_MATCHED_STATE). */
enum rebal_annotation { REBAL_ANNOTATION_ABSENT = 0, REBAL_ANNOTATION_UNPARSABLE = 1, REBAL_ANNOTATION_PRESENT = 2 };

/* ---- spent capacity ---------------------------------------------------------------------------------------------- */

/**
 * Creates an empty ledger of this fleet: capacity that was promised to bindings but is not yet part of the clusters'
 * summaries (rebalance-karmada(7) 6.6). Free it with rebal_ledger_free(). Since: 0.1
 */
REBAL_API int32_t rebal_ledger_new(const rebal_fleet *fleet, const rebal_allocator *allocator, rebal_ledger **out,
                                   rebal_error *err);
/**
 * The capacity that a binding holds in one cluster: a set of n components, each with a number of pods and the
 * requirements of one pod. A workload of one pod template has one component. Since: 0.1
 */
typedef struct rebal_charge {
  uint32_t struct_size;
  uint32_t cluster;             /**< its id */
  const uint32_t *requirements; /**< of each component: a handle, or REBAL_NONE: pods only; NULL if n is 0 */
  const int32_t *replicas;      /**< of each component; NULL if n is 0 */
  uint64_t n;                   /**< number of components */
  const rebal_time *expiry;     /**< of the whole binding; NULL or unset: never */
} rebal_charge;

/**
 * Replaces the entry of the key in a cluster. Calls of the scheduler charge a binding under its own "namespace/name",
 * or "/name" without a namespace. The arrays are copied. A charge without any replicas (or n 0) removes the entry.
 * REBAL_EINVAL: the key is empty, or a cluster id or handle is unknown; REBAL_ERANGE: negative replicas, or an expiry
 * outside the years 1 to 9999. A failed call leaves the ledger unchanged. Since: 0.1
 */
REBAL_API int32_t rebal_ledger_charge(rebal_ledger *ledger, const char *key, size_t key_len, const rebal_charge *charge,
                                      rebal_error *err);
/** Removes the entry of the key in one cluster, or in all clusters if cluster is REBAL_NONE. Since: 0.1 */
REBAL_API int32_t rebal_ledger_release(rebal_ledger *ledger, const char *key, size_t key_len, uint32_t cluster,
                                       rebal_error *err);
/** Removes every binding whose expiry is strictly before now. Until then expired entries count. Since: 0.1 */
REBAL_API int32_t rebal_ledger_expire(rebal_ledger *ledger, const rebal_time *now, rebal_error *err);
/**
 * Lists the contents of the ledger: fills REBAL_TABLE_SPENT with one row for each component, by key, then by the
 * cluster's name. Sets without any replicas are not listed. The ledger does not change. Since: 0.1
 */
REBAL_API int32_t rebal_ledger_read(const rebal_ledger *ledger, rebal_result *result, rebal_error *err);
/** Copies a ledger. The copy is independent; free it with rebal_ledger_free(). Since: 0.1 */
REBAL_API int32_t rebal_ledger_fork(const rebal_ledger *ledger, rebal_ledger **out, rebal_error *err);
/** Frees a ledger. NULL is allowed. Since: 0.1 */
REBAL_API void rebal_ledger_free(rebal_ledger *ledger);

/* ---- as bytes ---------------------------------------------------------------------------------------------------- */

/**
 * Writes the current state of a fleet, not that of its last freeze, into buffer (capacity bytes) and sets *len to the
 * total length. With capacity 0 only the length is returned. bindings and ledger are also written; each may be NULL.
 * Fleets with the same content under the same ids and handles give the same bytes on every machine; every later library
 * of this ABI reads them. Snapshots, their versions and caches are not written.
 * @returns REBAL_ERANGE if the buffer is too small: *len is then the length needed, and the content of the buffer is
 * undefined; REBAL_EMISMATCH: bindings or ledger of another fleet; REBAL_ELIMIT: the length exceeds the address space.
 * Since: 0.1
 */
REBAL_API int32_t rebal_fleet_save(const rebal_fleet *fleet, const rebal_bindings *bindings, const rebal_ledger *ledger,
                                   void *buffer, size_t capacity, size_t *len, rebal_error *err);
/**
 * Reads a fleet that rebal_fleet_save() wrote, with memory from allocator (NULL: malloc). Ids and handles are the same,
 * also those assigned later, and calls with its snapshots return the same answers and fingerprints. The versions of
 * snapshots start at 1 again. *bindings and *ledger become NULL if none were written; bindings and ledger may be NULL
 * if the caller does not need them. Bindings are frozen if they were. Untrusted bytes are allowed: they are checked
 * like the arguments of other calls, and loading takes at most about a thousand times their size in memory.
 * @returns REBAL_EPARSE: the bytes are not a saved fleet (err->where: the offset of the error); REBAL_EUNSUPPORTED: a
 * later library wrote columns, fields or a format that this one does not know.
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
 * Creates a context: scratch memory and the cache of everything derived from snapshots. Answers do not depend on the
 * content of the cache. Free it with rebal_ctx_free().
 * Since: 0.1
 */
REBAL_API int32_t rebal_ctx_new(const rebal_allocator *allocator, const rebal_ctx_opts *opts, rebal_ctx **out,
                                rebal_error *err);
/** Returns the bytes and entries that the cache holds; outputs may be NULL. Since: 0.1 */
REBAL_API void rebal_ctx_cache_size(const rebal_ctx *ctx, uint64_t *bytes, uint64_t *entries);
/** Empties the cache. Since: 0.1 */
REBAL_API void rebal_ctx_clear(rebal_ctx *ctx);
/** Frees a context. NULL is allowed. Since: 0.1 */
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

/** Creates a set of options, all at their defaults. Free it with rebal_compat_free(). Since: 0.1 */
REBAL_API int32_t rebal_compat_new(const rebal_allocator *allocator, rebal_compat **out, rebal_error *err);
/** Sets an option (REBAL_OPTION_*) to 0 or 1 (else REBAL_ERANGE). REBAL_EUNSUPPORTED: unknown id. Since: 0.1 */
REBAL_API int32_t rebal_compat_set(rebal_compat *compat, uint32_t option, int64_t value, rebal_error *err);
/** Reads the value of an option; compat NULL gives the default. REBAL_EUNSUPPORTED: unknown id. Since: 0.1 */
REBAL_API int32_t rebal_compat_get(const rebal_compat *compat, uint32_t option, int64_t *value, rebal_error *err);
/**
 * Sets every option to its value at a level, by name (REBAL_ENUM_LEVEL), such as "karmada-1.19". Earlier values are
 * overwritten. REBAL_ENOTFOUND: the level does not exist; then no option changes. Since: 0.1
 */
REBAL_API int32_t rebal_compat_set_level(rebal_compat *compat, const char *name, size_t len, rebal_error *err);
/** Frees a set of options. NULL is allowed. Since: 0.1 */
REBAL_API void rebal_compat_free(rebal_compat *compat);

#ifdef __cplusplus
}
#endif
#endif
