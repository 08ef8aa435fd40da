/* SPDX-License-Identifier: MIT */
/*
 * lib/fleet/fleet.h - private header of the room "fleet": reading snapshots, bindings and ledgers, and the cache of what is
 * derived from them.
 */
#ifndef REBALI_FLEET_H
#define REBALI_FLEET_H

#include "base/base.h"
#include "rebalance/fleet.h"

/* ---- snapshots (snapshot.c) -------------------------------------------------------------------------------------------- */

/* Cell of a cluster's row; the column is one of REBAL_CLUSTER_*, cluster < rows. Absent rows read as unset. */
int64_t rebali_snapshot_i64(const rebal_snapshot *snapshot, uint32_t column, uint32_t cluster);
struct rebali_text rebali_snapshot_text(const rebal_snapshot *snapshot, uint32_t column, uint32_t cluster);
/* The record a handle cell refers to; NULL when unset. */
const rebal_record *rebali_snapshot_cell_record(const rebal_snapshot *snapshot, uint32_t column, uint32_t cluster);
/* The interned record of a kind; NULL for REBAL_NONE or a handle made after the snapshot. */
const rebal_record *rebali_snapshot_record(const rebal_snapshot *snapshot, uint32_t object, uint32_t handle);
struct rebali_text rebali_snapshot_name(const rebal_snapshot *snapshot, uint32_t cluster);
/* Clusters of the fleet (no absent rows), ordered by name; *n of them. */
const uint32_t *rebali_snapshot_by_name(const rebal_snapshot *snapshot, uint32_t *n);
/* Position of a row in the order of names over all rows, absent ones included: comparing ranks compares names. */
uint32_t rebali_snapshot_rank(const rebal_snapshot *snapshot, uint32_t cluster);
/* Id of a resource name; REBAL_NONE when no cluster ever stated it. */
uint32_t rebali_snapshot_resource(const rebal_snapshot *snapshot, struct rebali_text name);
/* 1 and the amount when the summary states it, else 0. resource may be REBAL_NONE. part: REBAL_CAPACITY_*. */
int rebali_snapshot_capacity(const rebal_snapshot *snapshot, uint32_t part, uint32_t cluster, uint32_t resource,
                             rebal_quantity *out);
/*
 * Rows changed after version since (each once, ascending). *rows points into the snapshot. 1 when the log reaches back that far,
 * else 0: then everything may have changed. since must belong to the same fleet.
 */
int rebali_snapshot_changes(const rebal_snapshot *snapshot, uint64_t since, const uint32_t **rows, size_t *n);
/* The same for every snapshot of one fleet, different for two fleets whose snapshots live at the same time. */
const void *rebali_snapshot_fleet(const rebal_snapshot *snapshot);

/* ---- bindings (bindings.c) ------------------------------------------------------------------------------------------------ */

int64_t rebali_bindings_i64(const rebal_bindings *bindings, uint32_t column, uint32_t row);
struct rebali_text rebali_bindings_text(const rebal_bindings *bindings, uint32_t column, uint32_t row);
rebal_time rebali_bindings_time(const rebal_bindings *bindings, uint32_t column, uint32_t row);
/* Rows of a child table that belong to a binding, in the order they were added. */
const uint32_t *rebali_bindings_children(const rebal_bindings *bindings, uint32_t table, uint32_t binding, size_t *n);
/*
 * Every call that takes bindings and a snapshot checks them with this: both there, frozen, of one fleet, and cluster ids of targets,
 * tasks and status items below the snapshot's rows (else REBAL_EINVAL, REBAL_ESTATE, REBAL_EMISMATCH).
 */
int32_t rebali_bindings_check(const rebal_bindings *bindings, const rebal_snapshot *snapshot, rebal_error *err);

/* ---- ledger (ledger.c); spec karmada 6.6 ------------------------------------------------------------------------------------- */

/* Sum of one resource over all that is charged to a cluster: cpu in thousandths, other names in units. */
struct rebali_charge {
  uint32_t resource; /* id of rebal_fleet_resource_id(); REBAL_NONE when the fleet does not know the name */
  int64_t amount;    /* saturating */
};
/* Charges of one cluster, resource ascending; *pods replicas in all. NULL ledger: nothing. */
const struct rebali_charge *rebali_ledger_charges(const rebal_ledger *ledger, uint32_t cluster, size_t *n, int64_t *pods);
/* Does the cluster carry any charge? */
int rebali_ledger_touches(const rebal_ledger *ledger, uint32_t cluster);
const void *rebali_ledger_fleet(const rebal_ledger *ledger);

/* ---- context and cache (ctx.c, cache.c) ------------------------------------------------------------------------------------------ */

/* Scratch of the running call: emptied by rebali_ctx_begin(). */
struct rebali_arena *rebali_ctx_scratch(rebal_ctx *ctx);
const rebal_allocator *rebali_ctx_allocator(const rebal_ctx *ctx);
/* Start and end of a public call. Between them cached values stay where they are. REBAL_EINVAL for NULL. */
int32_t rebali_ctx_begin(rebal_ctx *ctx, rebal_error *err);
void rebali_ctx_end(rebal_ctx *ctx);

/*
 * Kinds of derived values. build makes the value for a key from a snapshot; update re-evaluates some rows of a value made from an
 * older snapshot of the same fleet (all rows of the newer snapshot that the value does not cover are among them); bytes tells its size.
 * A failed update leaves a value that will be destroyed.
 */
struct rebali_derived {
  int32_t (*build)(rebal_ctx *ctx, rebal_snapshot *snapshot, uint64_t key, void **value, rebal_error *err);
  int32_t (*update)(rebal_ctx *ctx, rebal_snapshot *snapshot, uint64_t key, void *value, const uint32_t *rows, size_t n,
                    rebal_error *err);
  size_t (*bytes)(const void *value);
  void (*destroy)(rebal_ctx *ctx, void *value);
};
/*
 * The value of (kind, key) for exactly this snapshot, from the cache, brought up to date, or built. It stays valid until rebali_ctx_end()
 * or until the same key is asked for with another snapshot. Eviction: least recently used first, by the context's limits.
 */
int32_t rebali_cache_get(rebal_ctx *ctx, rebal_snapshot *snapshot, const struct rebali_derived *kind, uint64_t key,
                         void **value, rebal_error *err);

/* ---- options (compat.c) ---------------------------------------------------------------------------------------------------------- */

/* Value of a known option; NULL: default. */
int64_t rebali_compat_value(const rebal_compat *compat, uint32_t quirk);

#endif
