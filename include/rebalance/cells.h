/* SPDX-License-Identifier: MIT */
/*
 * rebalance/cells.h - setting and reading the rows of every input table, one cell or many at a time.
 *
 * A rebal_cells belongs to a fleet, a snapshot, a set of bindings, a set of pods or a WorkloadSpread. It is valid as
 * long as its owner and must not be freed. The owner's thread rule applies.
 *
 * owner                      tables                              parent          ids
 * rebal_fleet_cells()        CLUSTER                             REBAL_NONE      rebal_fleet_add_cluster()
 * rebal_snapshot_cells()     NODE                                the cluster     rebal_fleet_add_node()
 *                            POD, WORKLOAD, REPLICA_SET          the cluster     rebal_cells_add()
 *                            RESOURCE                            REBAL_NONE      rebal_fleet_resource_id()
 * rebal_bindings_cells()     BINDING and its child tables        REBAL_NONE      rebal_cells_add(): 0, 1, 2 ...
 * rebal_pods_cells()         SPREAD_POD, OWNER                   REBAL_NONE      rebal_cells_add()
 * rebal_spread_cells()       SPREAD_WORKLOAD                     REBAL_NONE      0
 *
 * Rows of the child tables of a binding have ids of their own. Their cells are set and read with the parent REBAL_NONE;
 * only rebal_cells_add(), rebal_cells_count() and rebal_cells_next() take the binding as parent.
 *
 * Rows of POD, WORKLOAD and REPLICA_SET have no names: the caller keeps the id of each row with its own key. A pod that
 * has a node and is not terminal takes its requests, and one of "pods", from the node's allocatable amounts: for each
 * resource the sum of the containers or the largest init container, whichever is more, plus the overhead. Amounts of
 * each container are rounded away from zero to thousandths of cpu and units of other resources. If the node does not
 * exist yet, it is charged when it is added.
 *
 * Columns are listed in columns.def. A column of the type TEXT is set and read by the functions _text, TIME by _time,
 * all others by _i64, where REBAL_ABSENT means no id or no value; for an id, REBAL_NONE means the same. The names of
 * clusters, nodes and resources are read-only; those of missing clusters and nodes can be read too.
 *
 * Errors of all functions that change cells or rows: REBAL_EINVAL: cells or an array is NULL, the owner does not have
 * the column or table, the column is read-only or holds values of another type, the parent must be REBAL_NONE, or the
 * handle or id is not of this fleet; REBAL_EUNSUPPORTED: no column has this number; REBAL_ENOTFOUND: no such row or
 * parent; REBAL_ERANGE: the value does not fit the column; REBAL_ESTATE: the bindings are frozen; REBAL_ELIMIT: a text
 * or a table would become too long; REBAL_ENOMEM. err->where is the id of the row concerned.
 */
#ifndef REBAL_CELLS_H
#define REBAL_CELLS_H

#include "record.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rebal_cells rebal_cells; /**< the rows of an owner; must not be freed */

/* ---- setting ----------------------------------------------------------------------------------------------------- */

/**
 * Sets one integer cell. In the table POD, REBAL_ERANGE also if requests of the pod are negative or the pods of a node
 * request more than 2^63 - 1. Since: 0.1
 */
REBAL_API int32_t rebal_cells_set_i64(rebal_cells *cells, uint32_t column, uint32_t parent, uint32_t id, int64_t value,
                                      rebal_error *err);
/** Sets one text cell to a copy of len bytes; len 0 clears it. Since: 0.1 */
REBAL_API int32_t rebal_cells_set_text(rebal_cells *cells, uint32_t column, uint32_t parent, uint32_t id,
                                       const char *text, size_t len, rebal_error *err);
/** Sets one time cell; an unset value clears it. The tables of a fleet drop the nanoseconds. Since: 0.1 */
REBAL_API int32_t rebal_cells_set_time(rebal_cells *cells, uint32_t column, uint32_t parent, uint32_t id,
                                       const rebal_time *value, rebal_error *err);
/**
 * Sets n cells of one column below one parent. If one fails, those before it are set. ids NULL means 0..n-1. Since: 0.1
 */
REBAL_API int32_t rebal_cells_put_i64(rebal_cells *cells, uint32_t column, uint32_t parent, const uint32_t *ids,
                                      const int64_t *values, size_t n, rebal_error *err);
/**
 * Sets n text cells as rebal_cells_put_i64() does. Text i is bytes[offsets[i]] up to bytes[offsets[i + 1]]; offsets has
 * n + 1 entries. Since: 0.1
 */
REBAL_API int32_t rebal_cells_put_text(rebal_cells *cells, uint32_t column, uint32_t parent, const uint32_t *ids,
                                       const char *bytes, const uint32_t *offsets, size_t n, rebal_error *err);
/** Sets n time cells as rebal_cells_put_i64() does. Since: 0.1 */
REBAL_API int32_t rebal_cells_put_time(rebal_cells *cells, uint32_t column, uint32_t parent, const uint32_t *ids,
                                       const rebal_time *values, size_t n, rebal_error *err);

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/** Returns an integer cell; REBAL_ABSENT if the row or column does not exist. Since: 0.1 */
REBAL_API int64_t rebal_cells_get_i64(const rebal_cells *cells, uint32_t column, uint32_t parent, uint32_t id);
/**
 * Returns a text cell, terminated; "" if the row or column does not exist. len may be NULL. The text is valid as long
 * as the snapshot or its fleet; in bindings until they are reset; in pods and spreads until a text is set or a row is
 * removed.
 * Since: 0.1
 */
REBAL_API const char *rebal_cells_get_text(const rebal_cells *cells, uint32_t column, uint32_t parent, uint32_t id,
                                           size_t *len);
/** Reads a time cell into *out; unset if the row or column does not exist. Since: 0.1 */
REBAL_API void rebal_cells_get_time(const rebal_cells *cells, uint32_t column, uint32_t parent, uint32_t id,
                                    rebal_time *out);
/**
 * Returns the record with a handle of the fleet (object: a kind of rebal_fleet_intern()); NULL if none has it. A
 * snapshot also finds records interned after it; a WorkloadSpread has none. Valid as long as the owner of the cells, or
 * the fleet. With REBAL_OBJECT_QUOTAS the handle is the id of a cluster; its quotas are valid as long as the snapshot,
 * or until they are set again in the fleet. Since: 0.1
 */
REBAL_API const rebal_record *rebal_cells_record(const rebal_cells *cells, uint32_t object, uint32_t handle);

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/**
 * Adds n empty rows and writes their ids to ids: all or none. The parent is the cluster; for child tables the binding,
 * whose rows keep the order in which they were added; else REBAL_NONE. Clusters and nodes are added by name instead
 * (REBAL_EINVAL). Rows of other owners than bindings may get the id of a removed row. Since: 0.1
 */
REBAL_API int32_t rebal_cells_add(rebal_cells *cells, uint32_t table, uint32_t parent, uint32_t *ids, size_t n,
                                  rebal_error *err);
/**
 * Adds n rows to a child table of bindings, row i below the binding parents[i], and writes their ids to ids: all or
 * none. REBAL_ENOTFOUND: parents[err->where] does not exist. Since: 0.1
 */
REBAL_API int32_t rebal_cells_add_children(rebal_cells *cells, uint32_t table, const uint32_t *parents, uint32_t *ids,
                                           size_t n, rebal_error *err);
/**
 * Removes n rows. If one does not exist, those before it are removed. A removed cluster or node keeps its id and name
 * but has no cells; a cluster loses its nodes and all other rows below it. Rows of bindings cannot be removed
 * (REBAL_EINVAL). Since: 0.1
 */
REBAL_API int32_t rebal_cells_remove(rebal_cells *cells, uint32_t table, uint32_t parent, const uint32_t *ids, size_t n,
                                     rebal_error *err);
/** Returns 1 if the row exists, else 0. Since: 0.1 */
REBAL_API int32_t rebal_cells_has(const rebal_cells *cells, uint32_t table, uint32_t parent, uint32_t id);
/**
 * Returns the number of rows of a table. For a child table the parent may be a binding, or REBAL_NONE for all rows.
 * Since: 0.1
 */
REBAL_API size_t rebal_cells_count(const rebal_cells *cells, uint32_t table, uint32_t parent);
/**
 * Returns the row after previous (REBAL_NONE: the first) by id; REBAL_NONE after the last one. Parents as in
 * rebal_cells_count(). Finds the children of one binding by binary search if the bindings are frozen, else by a scan of
 * all rows. Since: 0.1
 */
REBAL_API uint32_t rebal_cells_next(const rebal_cells *cells, uint32_t table, uint32_t parent, uint32_t previous);
/**
 * Returns the length of an array indexed by the ids of the table: a number above all ids, including those of missing
 * clusters and nodes and of removed rows. Since: 0.1
 */
REBAL_API uint32_t rebal_cells_bound(const rebal_cells *cells, uint32_t table, uint32_t parent);

#ifdef __cplusplus
}
#endif
#endif
