/* SPDX-License-Identifier: MIT */
/*
 * lib/fleet/fleet.h - private header of the room "fleet": reading snapshots, bindings and ledgers, and the cache of
 * what is derived from them.
 */
#ifndef REBALI_FLEET_H
#define REBALI_FLEET_H

#include "base/base.h"
#include "rebalance/fleet.h"

#include <stdatomic.h>

/* ---- snapshots (snapshot.c) -------------------------------------------------------------------------------------- */

/* Cell of a cluster's row; the column is one of REBAL_CLUSTER_*, cluster < rows. Absent rows read as unset. */
int64_t rebali_snapshot_i64(const rebal_snapshot *snapshot, uint32_t column, uint32_t cluster);
struct rebali_text rebali_snapshot_text(const rebal_snapshot *snapshot, uint32_t column, uint32_t cluster);
/* The record a handle cell refers to; NULL when unset. */
const rebal_record *rebali_snapshot_cell_record(const rebal_snapshot *snapshot, uint32_t column, uint32_t cluster);
/*
 * The interned record of a kind; NULL for REBAL_NONE or a handle that nobody made. One made after the snapshot is
 * found too: what a handle stands for never changes, and a new policy should not ask for a new snapshot.
 */
const rebal_record *rebali_snapshot_record(const rebal_snapshot *snapshot, uint32_t object, uint32_t handle);
/* Empty for REBAL_NONE, which a target without a name has. */
struct rebali_text rebali_snapshot_name(const rebal_snapshot *snapshot, uint32_t cluster);
/* Clusters of the fleet (no absent rows), ordered by name; *n of them. */
const uint32_t *rebali_snapshot_by_name(const rebal_snapshot *snapshot, uint32_t *n);
/* Position of a row in the order of names over all rows, absent ones included: comparing ranks compares names. */
uint32_t rebali_snapshot_rank(const rebal_snapshot *snapshot, uint32_t cluster);
/* The way back: all rows in the order of names. */
const uint32_t *rebali_snapshot_by_rank(const rebal_snapshot *snapshot);
/* Id of a resource name; REBAL_NONE when no cluster ever stated it. */
uint32_t rebali_snapshot_resource(const rebal_snapshot *snapshot, struct rebali_text name);
/* Ids of all resource names the snapshot knows, ordered by name; *n of them, and they are the ids below *n. */
const uint32_t *rebali_snapshot_resources_by_name(const rebal_snapshot *snapshot, uint32_t *n);
struct rebali_text rebali_snapshot_resource_name(const rebal_snapshot *snapshot, uint32_t resource);
/* 1 and the amount when the summary states it, else 0. resource may be REBAL_NONE. part: REBAL_CAPACITY_*. */
int rebali_snapshot_capacity(const rebal_snapshot *snapshot, uint32_t part, uint32_t cluster, uint32_t resource,
                             rebal_quantity *out);
/* Which changes of a row concern somebody. */
enum {
  REBALI_READS_CELLS = 1,      /* columns of CLUSTER that are not of the summary */
  REBALI_READS_CAPACITIES = 2, /* the summary: its amounts, HAS_SUMMARY and MODELINGS */
  REBALI_READS_ALL = 3         /* a row that comes, goes or gets its name concerns everybody */
};
/*
 * Rows of which something in reads (bits of REBALI_READS_*, at least one) changed after version since, which belongs
 * to the same fleet: in the order of the changes, so that a row may be there several times. They belong to the
 * snapshot. REBAL_ENOTFOUND: the log does not reach back that far, everything may have changed; no error is filled.
 */
int32_t rebali_snapshot_changes(const rebal_snapshot *snapshot, uint64_t since, uint32_t reads, const uint32_t **rows,
                                size_t *n);
/* Version of the last such change; snapshots of a fleet that have the same one show the same. */
uint64_t rebali_snapshot_changed(const rebal_snapshot *snapshot, uint32_t reads);
/* The same for every snapshot of one fleet, different for two fleets whose snapshots live at the same time. */
const void *rebali_snapshot_fleet(const rebal_snapshot *snapshot);

/* Keeps the snapshot alive until the result is emptied. Every call that takes both does so, right after it began. */
void rebali_snapshot_hold(rebal_snapshot *snapshot, rebal_result *result);

/* ---- bindings (bindings.c) --------------------------------------------------------------------------------------- */

int64_t rebali_bindings_i64(const rebal_bindings *bindings, uint32_t column, uint32_t row);
struct rebali_text rebali_bindings_text(const rebal_bindings *bindings, uint32_t column, uint32_t row);
rebal_time rebali_bindings_time(const rebal_bindings *bindings, uint32_t column, uint32_t row);
/* Rows of a child table that belong to a binding, in the order they were added. */
const uint32_t *rebali_bindings_children(const rebal_bindings *bindings, uint32_t table, uint32_t binding, size_t *n);
/*
 * Every call that takes bindings and a snapshot checks them with this: both there, frozen, of one fleet, and cluster
 * ids of targets, tasks and status items below the snapshot's rows (else REBAL_EINVAL, REBAL_ESTATE, REBAL_EMISMATCH).
 */
int32_t rebali_bindings_check(const rebal_bindings *bindings, const rebal_snapshot *snapshot, rebal_error *err);
/* An action on the object of a binding's row: kind, object reference and row are set. */
struct rebali_action rebali_bindings_action(const rebal_bindings *bindings, uint32_t row, int64_t kind);
/* The same about the resource that the binding is for; its name may be empty. */
struct rebali_action rebali_bindings_resource_action(const rebal_bindings *bindings, uint32_t row, int64_t kind);

/* ---- ledger (ledger.c); spec karmada 6.6 ------------------------------------------------------------------------- */

/* Replicas of one pod template. */
struct rebali_component {
  uint32_t requirements; /* a handle, or REBAL_NONE */
  int32_t replicas;      /* not negative */
};
/* What is charged to a cluster under one resource name; saturating. */
struct rebali_charge {
  int64_t amount;     /* cpu in thousandths, other names in units (6.6) */
  int64_t as_written; /* decimal notations in thousandths, binary ones in units (6.4) */
};
/* NULL ledger: nothing. Readers change nothing: any number of them at a time. */
struct rebali_charge rebali_ledger_charge(const rebal_ledger *ledger, uint32_t cluster, struct rebali_text name);
/* Replicas charged to the cluster in all. */
int64_t rebali_ledger_pods(const rebal_ledger *ledger, uint32_t cluster);
/* Names of resources that were ever charged, by index. */
uint32_t rebali_ledger_names(const rebal_ledger *ledger);
struct rebali_text rebali_ledger_name(const rebal_ledger *ledger, uint32_t index);
/* Does the cluster carry any charge? */
int rebali_ledger_touches(const rebal_ledger *ledger, uint32_t cluster);
const void *rebali_ledger_fleet(const rebal_ledger *ledger);
/* What one binding holds in one cluster. */
struct rebali_holding {
  struct rebali_text key;
  const struct rebali_component *components; /* of one set; some have replicas */
  size_t n_components;
};
/* All that is held in a cluster, by key, in memory of the arena. REBAL_ENOMEM without filling an error. */
int32_t rebali_ledger_holdings(const rebal_ledger *ledger, uint32_t cluster, struct rebali_arena *arena,
                               const struct rebali_holding **holdings, size_t *n);
/* One set of components to be held in a cluster; without any replicas nothing. */
struct rebali_claim {
  uint32_t cluster;
  const struct rebali_component *components;
  size_t n_components;
};
/*
 * Replaces all that the key holds. A cluster named twice: the last claim. Ids and handles are the fleet's. REBAL_ENOMEM
 * without filling an error: the ledger is as it was.
 */
int32_t rebali_ledger_replace(rebal_ledger *ledger, struct rebali_text key, const struct rebali_claim *claims,
                              size_t n, const rebal_time *expiry);

/* ---- context and cache (ctx.c, cache.c) -------------------------------------------------------------------------- */

/* Scratch of the running call: emptied by rebali_ctx_begin(). */
struct rebali_arena *rebali_ctx_scratch(rebal_ctx *ctx);
const rebal_allocator *rebali_ctx_allocator(const rebal_ctx *ctx);
/*
 * Start and end of a public call. Between them cached values stay where they are. REBAL_EINVAL for NULL, REBAL_ESTATE
 * when a call is running.
 */
int32_t rebali_ctx_begin(rebal_ctx *ctx, rebal_error *err);
void rebali_ctx_end(rebal_ctx *ctx);

/*
 * Kinds of derived values. A key is the bytes of what the value is made for, aligned as their type wants. build makes
 * the value for a key from a snapshot; update re-evaluates some rows of a value made from an older snapshot of the same
 * fleet: in no order, a row perhaps several times, and all rows of the newer snapshot that the value does not cover are
 * among them. bytes tells its size, which may grow while it is used. A failed update leaves a value that will be
 * destroyed. reads: which changes of a row concern the value; when there were none, update is not called.
 */
struct rebali_derived {
  int32_t (*build)(rebal_ctx *ctx, rebal_snapshot *snapshot, struct rebali_text key, void **value, rebal_error *err);
  int32_t (*update)(rebal_ctx *ctx, rebal_snapshot *snapshot, struct rebali_text key, void *value,
                    const uint32_t *rows, size_t n, rebal_error *err);
  size_t (*bytes)(const void *value);
  void (*destroy)(rebal_ctx *ctx, void *value);
  uint32_t reads;
};
/*
 * The value of (kind, key) for exactly this snapshot, from the cache, brought up to date, or built. It stays valid
 * until rebali_ctx_end() or until the same key is asked for with another snapshot. Eviction: least recently used
 * first, by the context's limits.
 */
int32_t rebali_cache_get(rebal_ctx *ctx, rebal_snapshot *snapshot, const struct rebali_derived *kind,
                         struct rebali_text key, void **value, rebal_error *err);

/* ---- options (compat.c) ------------------------------------------------------------------------------------------ */

/* Value of a known option; NULL: default. */
int64_t rebali_compat_value(const rebal_compat *compat, uint32_t quirk);

/* ---- fingerprints (fingerprint.c) -------------------------------------------------------------------------------- */

/* The content of a snapshot (an object_part of rebali_result_sign()). */
struct rebali_fingerprint rebali_snapshot_fingerprint(const void *snapshot);
/* The content of frozen bindings, rows first to end. */
void rebali_digest_bindings(struct rebali_digest *digest, const rebal_bindings *bindings, size_t first, size_t end);
/* Options that are not at their defaults. */
void rebali_digest_compat(struct rebali_digest *digest, const rebal_compat *compat);
void rebali_digest_time(struct rebali_digest *digest, const rebal_time *time);
/* What is charged, in whatever order it was; NULL is the same as nothing. */
struct rebali_fingerprint rebali_ledger_fingerprint(const rebal_ledger *ledger);

/* ---- inside the room: pages (pages.c) ---------------------------------------------------------------------------- */

/*
 * A column of equally large cells in pages of 256 rows. Fleet and snapshots share the directory of a column; a change
 * copies the directory and the one page if somebody else still holds them. Whoever holds the last reference writes in
 * place.
 */
#define REBALI_PAGE_ROWS 256u

struct rebali_page {
  atomic_size_t references;
  uint64_t cells[]; /* as bytes: REBALI_PAGE_ROWS cells */
};
struct rebali_directory {
  atomic_size_t references;
  size_t n;
  struct rebali_page *pages[]; /* NULL: no cell of the page was ever set */
};
struct rebali_pages {
  struct rebali_directory *directory; /* NULL: no cell was ever set */
  size_t cell;                        /* bytes of a cell, a multiple of 8 */
};

/* The cell, or NULL when nothing on its page was ever set. */
static inline const void *rebali_pages_get(const struct rebali_pages *pages, uint32_t row) {
  const struct rebali_directory *directory = pages->directory;
  const size_t number = row / REBALI_PAGE_ROWS;
  const struct rebali_page *page = directory == NULL || number >= directory->n ? NULL : directory->pages[number];

  return page == NULL ? NULL : (const unsigned char *)page->cells + row % REBALI_PAGE_ROWS * pages->cell;
}

/* The cell for writing; cells of a new page start as copies of absent. NULL: no memory, nothing changed. */
void *rebali_pages_edit(const rebal_allocator *allocator, struct rebali_pages *pages, uint32_t row, const void *absent);
/* One more owner of the pages as they are now. */
struct rebali_pages rebali_pages_share(const struct rebali_pages *pages);
void rebali_pages_drop(const rebal_allocator *allocator, struct rebali_pages *pages);

/* ---- inside the room: the short log of changed rows (log.c) ------------------------------------------------------ */

#define REBALI_LOG_KEEP 1024u /* changes that are always remembered */

/* A block is appended to by the fleet; who holds (block, end) reads below end only. */
struct rebali_log_block;
struct rebali_log {
  struct rebali_log_block *block; /* NULL: nothing ever changed */
  size_t end;
  uint64_t last; /* version of the last change */
};

/* Makes room for one change. REBAL_ENOMEM. */
int32_t rebali_log_reserve(const rebal_allocator *allocator, struct rebali_log *log);
/* Room was made; versions never fall. */
void rebali_log_add(struct rebali_log *log, uint64_t version, uint32_t row);
struct rebali_log rebali_log_share(const struct rebali_log *log);
void rebali_log_drop(const rebal_allocator *allocator, struct rebali_log *log);
/* As rebali_snapshot_changes(). */
int32_t rebali_log_changes(const struct rebali_log *log, uint64_t since, const uint32_t **rows, size_t *n);

/* ---- inside the room: orders of names (order.c) ------------------------------------------------------------------ */

/* Immutable, reference-counted. */
struct rebali_order {
  atomic_size_t references;
  uint32_t n;
  uint32_t ids[]; /* n ids by name; in an order over all ids then n ranks by id */
};

/* Order of the ids 0..n-1; previous (may be NULL) is the order of the first few of them. */
int32_t rebali_order_make(const rebal_allocator *allocator, const struct rebali_intern *names, uint32_t n,
                          const struct rebali_order *previous, struct rebali_order **out);
/* An empty list with room for n ids, which has no ranks. */
struct rebali_order *rebali_order_room(const rebal_allocator *allocator, uint32_t n);
uint32_t rebali_order_find(const struct rebali_order *order, const struct rebali_intern *names,
                           struct rebali_text name);
struct rebali_order *rebali_order_ref(struct rebali_order *order);
void rebali_order_unref(const rebal_allocator *allocator, struct rebali_order *order);

/* ---- inside the room: names, texts and records (store.c) --------------------------------------------------------- */

#define REBALI_KINDS 9u            /* kinds of interned records */
#define REBALI_CLUSTER_COLUMNS 16u /* no column of CLUSTER has a number above it */

struct rebali_store_column {
  int64_t absent; /* of the int64_t cell: text columns hold ids of texts */
  uint32_t kind;  /* of a handle column; REBALI_KINDS for others */
  uint32_t reserved;
};

/*
 * What ids and handles stand for: shared by a fleet and all that was made from it, so that ids mean the same
 * everywhere. The fleet's writer adds; the counts tell everybody else which ids may be read.
 */
struct rebali_store {
  rebal_allocator allocator;
  atomic_size_t references;
  struct rebali_intern *names;
  struct rebali_intern *texts;
  struct rebali_intern *resources;
  struct rebali_intern *records[REBALI_KINDS];
  _Atomic uint32_t known_names;
  _Atomic uint32_t known_resources;
  _Atomic uint32_t known_records[REBALI_KINDS];
  struct rebali_store_column columns[REBALI_CLUSTER_COLUMNS + 1]; /* by column number */
};

int32_t rebali_store_new(const rebal_allocator *allocator, struct rebali_store **out);
struct rebali_store *rebali_store_ref(struct rebali_store *store);
void rebali_store_unref(struct rebali_store *store);
/* Adds to one of the interns and tells its count to the readers. */
int32_t rebali_store_add(struct rebali_intern *intern, _Atomic uint32_t *known, const void *bytes, size_t len,
                         uint32_t *id, rebal_error *err);
/* Index of an interned object among the kinds, REBALI_KINDS for another one. */
uint32_t rebali_store_kind(uint32_t object);
const rebal_record *rebali_store_record(const struct rebali_store *store, uint32_t kind, uint32_t handle);
/* Id of a resource name; any thread. REBAL_NONE when nobody made it. */
uint32_t rebali_store_resource(const struct rebali_store *store, struct rebali_text name);

static inline uint32_t rebali_store_known(const _Atomic uint32_t *known) {
  return atomic_load_explicit(known, memory_order_acquire);
}

/* ---- inside the room: what a cell takes (column.c) --------------------------------------------------------------- */

/* type: REBAL_TYPE_TEXT, REBAL_TYPE_TIME, or REBAL_TYPE_INT64 for all that are set as integers. */
int32_t rebali_column_check(uint32_t column, uint32_t table, uint32_t type, const struct rebali_field_info **info,
                            rebal_error *err);
int32_t rebali_column_accepts(const struct rebali_field_info *info, const struct rebali_store *store, uint32_t row,
                              int64_t value, rebal_error *err);
/* Text i of a block; REBAL_EINVAL when the offsets fall. */
int32_t rebali_column_text(const char *bytes, const uint32_t *offsets, size_t i, int64_t where,
                           struct rebali_text *text, rebal_error *err);

/* ---- inside the room: the fleet (fleet.c) ------------------------------------------------------------------------ */

struct rebali_row {
  uint64_t version; /* of the first snapshot that has the last change */
  uint32_t present;
  uint32_t noted; /* what of the row changed for that version: bits of REBALI_READS_* */
};
struct rebali_amounts {
  rebal_quantity parts[3]; /* by REBAL_CAPACITY_* */
  uint32_t stated;         /* a bit for each part */
  uint32_t reserved;
};

/* All rows at one moment. */
struct rebali_cells {
  struct rebali_pages rows;                                /* struct rebali_row */
  struct rebali_pages columns[REBALI_CLUSTER_COLUMNS + 1]; /* int64_t, by column number */
  struct rebali_pages *capacities;                         /* struct rebali_amounts, by resource id */
  size_t n_capacities;
};

static inline int rebali_cells_present(const struct rebali_cells *cells, uint32_t row) {
  const struct rebali_row *cell = rebali_pages_get(&cells->rows, row);

  return cell != NULL && cell->present != 0;
}

static inline int64_t rebali_cells_i64(const struct rebali_cells *cells, const struct rebali_store *store,
                                       uint32_t column, uint32_t row) {
  const uint32_t number = column % 256u;
  const int64_t *cell = rebali_pages_get(&cells->columns[number], row);

  return cell == NULL ? store->columns[number].absent : *cell;
}

struct rebal_fleet {
  struct rebali_store *store;
  struct rebali_cells cells;
  size_t room_for_capacities;
  struct rebali_log logs[REBALI_READS_ALL]; /* for each way to read: [reads - 1] */
  uint64_t version;               /* of the last snapshot */
  struct rebali_order *names;     /* as of the last snapshot, or NULL; the same for the next two */
  struct rebali_order *resources;
  struct rebali_order *clusters;  /* present rows by name */
  int membership_changed;
};

/* Gets a row ready for a change: after it, one rebali_fleet_changed() cannot fail. NULL: no memory. */
struct rebali_row *rebali_fleet_touch(rebal_fleet *fleet, uint32_t row);
/* what: bits of REBALI_READS_*. */
void rebali_fleet_changed(rebal_fleet *fleet, struct rebali_row *cell, uint32_t row, uint32_t what);
/* Sets a cell of a present row, noting a change if it is one. */
int32_t rebali_fleet_write(rebal_fleet *fleet, uint32_t column, uint32_t row, int64_t value, rebal_error *err);
int32_t rebali_fleet_present(const rebal_fleet *fleet, uint32_t cluster, rebal_error *err);
/*
 * Takes all amounts of a row away; with write 0 only makes their pages writable. *found: there were some.
 * REBAL_ENOMEM.
 */
int32_t rebali_capacity_empty(rebal_fleet *fleet, uint32_t row, int write, int *found);

/* The store of a snapshot (snapshot.c). */
struct rebali_store *rebali_snapshot_store(const rebal_snapshot *snapshot);

/* ---- inside the room: bindings (bindings.c, bindings_cells.c) ---------------------------------------------------- */

#define REBALI_BINDING_TABLES 5u /* BINDING and its child tables, which follow it */

struct rebal_bindings {
  rebal_allocator allocator;
  struct rebali_store *store;
  struct rebali_arena texts;
  struct rebali_table tables[REBALI_BINDING_TABLES];
  uint32_t *parents[REBALI_BINDING_TABLES]; /* by child row */
  size_t room_for_parents[REBALI_BINDING_TABLES];
  uint32_t *first_child[REBALI_BINDING_TABLES]; /* frozen: by binding, one more than there are; NULL without children */
  uint32_t *children[REBALI_BINDING_TABLES];    /* frozen: rows by parent */
  uint32_t needed_rows;                         /* frozen: cluster ids are below this */
  int frozen;
};

/* The table of a number; NULL when it is none of bindings. */
struct rebali_table *rebali_bindings_table(rebal_bindings *bindings, uint32_t table);
/* REBAL_EINVAL for NULL, REBAL_ESTATE once frozen. */
int32_t rebali_bindings_open(const rebal_bindings *bindings, rebal_error *err);

/* ---- inside the room: parts of a ledger (ledger_accounts.c, ledger_sums.c) --------------------------------------- */

/* What one binding holds in one cluster. */
struct rebali_entry {
  uint32_t cluster;
  uint32_t set;    /* rebali_ledger_set() */
  uint32_t holder; /* index among the holders of the cluster */
};
/* What one binding holds. */
struct rebali_account {
  struct rebali_text key; /* bytes follow the account */
  rebal_time expiry;
  struct rebali_entry *entries;
  size_t n_entries;
  size_t capacity;
  size_t place; /* in the list of accounts */
};
/* All accounts: a list in no particular order, and a table by key. */
struct rebali_accounts {
  const rebal_allocator *allocator;
  struct rebali_account **list;
  size_t n;
  size_t capacity;
  struct rebali_account **slots; /* open addressing, NULL: empty */
  size_t n_slots;
};
/* Those of a ledger; NULL for none. */
const struct rebali_accounts *rebali_ledger_accounts(const rebal_ledger *ledger);
/* The components of a set of the ledger's; valid as long as it. */
const struct rebali_component *rebali_ledger_set(const rebal_ledger *ledger, uint32_t set, size_t *n);
struct rebali_account *rebali_accounts_find(const struct rebali_accounts *accounts, struct rebali_text key);
/* The key has no account yet. NULL: no memory. */
struct rebali_account *rebali_accounts_add(struct rebali_accounts *accounts, struct rebali_text key);
void rebali_accounts_remove(struct rebali_accounts *accounts, struct rebali_account *account);
void rebali_accounts_dispose(struct rebali_accounts *accounts);

/* One resource name that requirements of the ledger state. */
struct rebali_sum {
  struct rebali_wide amount; /* exact, so that taking away undoes adding; the next one too */
  struct rebali_wide as_written;
  uint32_t name;  /* id in the ledger's names */
  uint32_t users; /* requests that state it */
};
/* A binding that holds something in a cluster. */
struct rebali_holder {
  struct rebali_account *account;
  size_t entry; /* index in the account */
};
/* Everything charged to one cluster. */
struct rebali_spent_row {
  struct rebali_sum *sums;
  size_t n_sums;
  size_t room_for_sums;
  struct rebali_holder *holders; /* in no particular order */
  size_t n_holders;
  size_t room_for_holders;
  struct rebali_wide pods;
};
/* By cluster id. */
struct rebali_sums {
  const rebal_allocator *allocator;
  struct rebali_store *store;
  struct rebali_intern *names;
  struct rebali_spent_row *rows;
  size_t n;
  size_t capacity;
};
/* A wide number as an int64_t. */
int64_t rebali_sums_saturate(struct rebali_wide value);
/* Makes room for one more holder in the cluster's row. REBAL_ENOMEM. */
int32_t rebali_sums_reserve(struct rebali_sums *sums, const struct rebali_claim *claim);
/* Adds (sign 1) or takes away (sign -1) what a claim spends; for adding room was made. */
void rebali_sums_apply(struct rebali_sums *sums, const struct rebali_claim *claim, int sign);
void rebali_sums_dispose(struct rebali_sums *sums);

/* ---- inside the room: the cache (cache.c) ------------------------------------------------------------------------ */

struct rebali_cache_entry;
/* Entries by (fleet, kind, key), and all of them in the order of their use. */
struct rebali_cache {
  struct rebali_cache_entry **buckets;
  size_t n_buckets; /* a power of two, or 0 */
  struct rebali_cache_entry *newest;
  struct rebali_cache_entry *oldest;
  uint64_t bytes;
  uint64_t entries;
  uint64_t max_bytes;
  uint64_t max_entries;
  uint64_t call; /* counts calls: entries used in this one stay */
};

struct rebal_ctx {
  rebal_allocator allocator;
  struct rebali_arena scratch;
  struct rebali_cache cache;
  int keeps_nothing;
  int running;
};

/* Drops entries until the limits hold; those used in this call only when also_used. */
void rebali_cache_trim(rebal_ctx *ctx, int also_used);
void rebali_cache_clear(rebal_ctx *ctx);

#endif
