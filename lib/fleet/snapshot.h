/* SPDX-License-Identifier: MIT */
/*
 * lib/fleet/snapshot.h - what a snapshot is made of, and how it is read. Other rooms read with the functions at the end
 * and leave the structures alone.
 */
#ifndef REBALI_SNAPSHOT_H
#define REBALI_SNAPSHOT_H

#include "record/record.h"
#include "foundation/tree.h"
#include "rebalance/fleet.h"

#include <stdatomic.h>

/* ---- pages (pages.c) ---------------------------------------------------------------------------- */

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

/* Acquire: what the last other owner read, it read before we write. */
static inline int rebali_pages_are_shared(const atomic_size_t *references) {
  return atomic_load_explicit(references, memory_order_acquire) > 1;
}

/* rebali_pages_edit() where memory may have to be allocated. */
void *rebali_pages_own(const rebal_allocator *allocator, struct rebali_pages *pages, uint32_t row, const void *absent);
/* The cell for writing; cells of a new page start as copies of absent. NULL: no memory, nothing changed. */
static inline void *rebali_pages_edit(const rebal_allocator *allocator, struct rebali_pages *pages, uint32_t row,
                                      const void *absent) {
  const struct rebali_directory *directory = pages->directory;
  const size_t number = row / REBALI_PAGE_ROWS;
  struct rebali_page *page = directory == NULL || number >= directory->n ? NULL : directory->pages[number];

  return page == NULL || rebali_pages_are_shared(&directory->references) || rebali_pages_are_shared(&page->references)
             ? rebali_pages_own(allocator, pages, row, absent)
             : (unsigned char *)page->cells + row % REBALI_PAGE_ROWS * pages->cell;
}
/* One more owner of the pages as they are now. */
struct rebali_pages rebali_pages_share(const struct rebali_pages *pages);
void rebali_pages_drop(const rebal_allocator *allocator, struct rebali_pages *pages);

/* ---- the short log of changed rows (log.c) ------------------------------------------------------ */

#define REBALI_LOG_KEEP 1024u /* changes that are always remembered */

/* Which changes of a row concern somebody. */
enum {
  REBALI_READS_CELLS = 1,      /* columns of CLUSTER that are not of the summary */
  REBALI_READS_CAPACITIES = 2, /* the summary: its amounts, HAS_SUMMARY and MODELINGS */
  REBALI_READS_NODES = 4,      /* HAS_NODES, nodes and what is on them */
  REBALI_READS_ALL = 7         /* a row that comes, goes or gets its name concerns everybody */
};

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

/* ---- orders of names (order.c) ------------------------------------------------------------------ */

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

/* ---- names, texts and records (interned_records.c) --------------------------------------------------------- */

#define REBALI_KINDS 12u           /* kinds of interned records */
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
  struct rebali_intern *node_filters; /* by handle of REQUIREMENTS: node_filter.h */
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

/* ---- cells ------------------------------------------------------------------------------------------------------- */

struct rebali_row {
  uint64_t version; /* of the first snapshot that has the last change */
  uint16_t present;
  uint16_t noted;     /* what of the row changed for that version: bits of REBALI_READS_* */
  uint32_t n_amounts; /* resources of which the row states an amount */
};
struct rebali_amounts {
  rebal_quantity parts[3]; /* by REBAL_CAPACITY_* */
  uint32_t stated;         /* a bit for each part */
  uint32_t reserved;
};

/*
 * What is left of a resource: allocatable without the other two, exactly, in thousandths of cpu and units of all else.
 * It tells what most readers want in an eighth of the memory.
 */
#define REBALI_REST_UNSTATED INT64_MIN /* allocatable is not stated */
#define REBALI_REST_UNKNOWN INT64_MAX  /* no whole number, or one beyond REBALI_REST_MAX: ask for the amounts */
#define REBALI_REST_MAX (INT64_C(1) << 62)
struct rebali_capacity_column {
  struct rebali_pages amounts; /* struct rebali_amounts */
  struct rebali_pages rests;   /* int64_t */
  int64_t is_cpu;
};

/* All rows at one moment. */
struct rebali_state {
  struct rebali_pages rows;                                /* struct rebali_row */
  struct rebali_pages columns[REBALI_CLUSTER_COLUMNS + 1]; /* int64_t, by column number */
  struct rebali_capacity_column *capacities;               /* by resource id */
  size_t n_capacities;
  uint32_t n_rows;           /* ids are below it */
  uint32_t n_present;        /* of them */
  uint32_t n_resources;      /* of a snapshot: ids of resources are below it */
  int hide_amounts;          /* a row may state amounts and yet have no summary */
  struct rebali_tree tables; /* of nodes, by row: nodes.h */
};

static inline int rebali_state_present(const struct rebali_state *state, uint32_t row) {
  const struct rebali_row *cell = rebali_pages_get(&state->rows, row);

  return cell != NULL && cell->present != 0;
}

static inline int64_t rebali_state_i64(const struct rebali_state *state, const struct rebali_store *store,
                                       uint32_t column, uint32_t row) {
  const uint32_t number = column % 256u;
  const int64_t *cell = rebali_pages_get(&state->columns[number], row);

  return cell == NULL ? store->columns[number].absent : *cell;
}

/* quotas.c: a record of the kind QUOTAS; NULL: none. Any id may be asked for. */
const rebal_record *rebali_state_quotas(const struct rebali_state *state, uint32_t cluster);

/* What the tables behind the public handle are kept in. */
struct rebal_cells {
  const struct rebali_state *state; /* of a fleet or snapshot; else NULL */
  const struct rebali_store *store;
  rebal_fleet *fleet;         /* whose state it is; NULL: a snapshot's, which does not change */
  struct rebali_row_set *set; /* of bindings, pods or a spread; else NULL */
  rebal_bindings *bindings;   /* whose set it is; else NULL */
};

struct rebal_snapshot {
  atomic_size_t references;
  struct rebal_cells handle;
  uint64_t version;
  struct rebali_order *names;
  struct rebali_store *store;
  struct rebali_log logs[REBALI_READS_ALL]; /* for each way to read: [reads - 1] */
  struct rebali_state state;
  struct rebali_order *resources;
  struct rebali_order *clusters;
};

static inline struct rebali_store *rebali_snapshot_store(const rebal_snapshot *snapshot) {
  return snapshot->store;
}

/* ---- reading (snapshot.c) -------------------------------------------------------------------------------------- */

/* Rows that there ever were: ids of clusters are below it. */
static inline uint32_t rebali_snapshot_rows(const rebal_snapshot *snapshot) {
  return snapshot->names->n;
}
/* Clusters of the fleet. */
static inline uint32_t rebali_snapshot_count(const rebal_snapshot *snapshot) {
  return snapshot->clusters->n;
}
/* Is there such a cluster? Any id may be asked for. */
static inline int rebali_snapshot_has(const rebal_snapshot *snapshot, uint32_t cluster) {
  return rebali_state_present(&snapshot->state, cluster);
}
/*
 * By page, for who reads whole columns: the cells of REBALI_PAGE_ROWS rows from first on, a multiple of that; NULL when
 * all of them read as *absent. rebali_snapshot_amounts() gives the same of a resource.
 */
static inline const int64_t *rebali_snapshot_page(const rebal_snapshot *snapshot, uint32_t column, uint32_t first,
                                                  int64_t *absent) {
  *absent = snapshot->store->columns[column % 256u].absent;
  return rebali_pages_get(&snapshot->state.columns[column % 256u], first);
}
/* Cell of a cluster's row; the column is one of REBAL_CLUSTER_*, cluster < rows. Absent rows read as unset. */
static inline int64_t rebali_snapshot_i64(const rebal_snapshot *snapshot, uint32_t column, uint32_t cluster) {
  return rebali_state_i64(&snapshot->state, snapshot->store, column, cluster);
}
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
static inline const uint32_t *rebali_snapshot_by_name(const rebal_snapshot *snapshot, uint32_t *n) {
  *n = snapshot->clusters->n;
  return snapshot->clusters->ids;
}
/* Position of a row in the order of names over all rows, absent ones included: comparing ranks compares names. */
static inline uint32_t rebali_snapshot_rank(const rebal_snapshot *snapshot, uint32_t cluster) {
  return snapshot->names->ids[(size_t)snapshot->names->n + cluster];
}
/* The way back: all rows in the order of names. */
static inline const uint32_t *rebali_snapshot_by_rank(const rebal_snapshot *snapshot) {
  return snapshot->names->ids;
}
/* Id of a resource name; REBAL_NONE when no cluster ever stated it. */
uint32_t rebali_snapshot_resource(const rebal_snapshot *snapshot, struct rebali_text name);
/* Ids of all resource names the snapshot knows, ordered by name; *n of them, and they are the ids below *n. */
const uint32_t *rebali_snapshot_resources_by_name(const rebal_snapshot *snapshot, uint32_t *n);
struct rebali_text rebali_snapshot_resource_name(const rebal_snapshot *snapshot, uint32_t resource);
/* The amounts of a summary, which `stated` tells to be there; NULL: none. resource may be REBAL_NONE. */
static inline const struct rebali_amounts *rebali_snapshot_amounts(const rebal_snapshot *snapshot, uint32_t cluster,
                                                                   uint32_t resource) {
  return resource < snapshot->state.n_capacities
             ? rebali_pages_get(&snapshot->state.capacities[resource].amounts, cluster)
             : NULL;
}
/* May a row that has no summary state amounts? Else nothing is left in it of any resource. */
static inline int rebali_snapshot_hides_amounts(const rebal_snapshot *snapshot) {
  return snapshot->state.hide_amounts;
}
/* REBALI_REST_* or less than REBALI_REST_MAX, of this row and those behind it on its page; NULL: all are unstated. */
static inline const int64_t *rebali_snapshot_rests(const rebal_snapshot *snapshot, uint32_t cluster,
                                                   uint32_t resource) {
  return resource < snapshot->state.n_capacities
             ? rebali_pages_get(&snapshot->state.capacities[resource].rests, cluster)
             : NULL;
}
/* 1 and the amount when the summary states it, else 0. resource may be REBAL_NONE. part: REBAL_CAPACITY_*. */
int rebali_snapshot_capacity(const rebal_snapshot *snapshot, uint32_t part, uint32_t cluster, uint32_t resource,
                             rebal_quantity *out);
/*
 * Rows of which something in reads (bits of REBALI_READS_*, at least one) changed after version since, which belongs
 * to the same fleet: in the order of the changes, so that a row may be there several times. They belong to the
 * snapshot. REBAL_ENOTFOUND: the log does not reach back that far, everything may have changed; no error is filled.
 */
static inline int32_t rebali_snapshot_changes(const rebal_snapshot *snapshot, uint64_t since, uint32_t reads,
                                              const uint32_t **rows, size_t *n) {
  return rebali_log_changes(&snapshot->logs[reads - 1], since, rows, n);
}
/* Version of the last such change; snapshots of a fleet that have the same one show the same. */
static inline uint64_t rebali_snapshot_changed(const rebal_snapshot *snapshot, uint32_t reads) {
  return snapshot->logs[reads - 1].last;
}
/* The same for every snapshot of one fleet, different for two fleets whose snapshots live at the same time. */
const void *rebali_snapshot_fleet(const rebal_snapshot *snapshot);

/* Keeps the snapshot alive until the result is emptied. Every call that takes both does so, right after it began. */
void rebali_snapshot_hold(rebal_snapshot *snapshot, rebal_result *result);
/* The snapshot that a result is about: the first one it holds; NULL: none. */
const rebal_snapshot *rebali_result_snapshot(const rebal_result *result);

/*
 * Start and end of a public call with one context that fills one result from one snapshot; code is what the call came
 * to, which end() gives back: without success the result is empty.
 */
int32_t rebali_answer_begin(rebal_ctx *ctx, rebal_snapshot *snapshot, rebal_result *result, rebal_error *err);
int32_t rebali_answer_end(rebal_ctx *ctx, rebal_result *result, int32_t code);

#endif
