/* SPDX-License-Identifier: MIT */
/*
 * lib/fleet/snapshot.h - the structure of a snapshot, and functions that read it. Other modules use the functions at
 * the end and must not access the structures.
 */
#ifndef REBALI_SNAPSHOT_H
#define REBALI_SNAPSHOT_H

#include "record/record.h"
#include "foundation/tree.h"
#include "rebalance/fleet.h"

#include <stdatomic.h>

/* ---- pages (pages.c) ---------------------------------------------------------------------------- */

/*
 * A column of equally large cells in pages of 256 rows. Fleet and snapshots share the directory of a column. A change
 * copies the directory and one page if others still hold references to them; the last owner writes in place.
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

/* Returns the cell, or NULL if nothing on its page was ever set. */
static inline const void *rebali_pages_get(const struct rebali_pages *pages, uint32_t row) {
  const struct rebali_directory *directory = pages->directory;
  const size_t number = row / REBALI_PAGE_ROWS;
  const struct rebali_page *page = directory == NULL || number >= directory->n ? NULL : directory->pages[number];

  return page == NULL ? NULL : (const unsigned char *)page->cells + row % REBALI_PAGE_ROWS * pages->cell;
}

/* Acquire: the last other owner's reads happen before our writes. */
static inline int rebali_pages_are_shared(const atomic_size_t *references) {
  return atomic_load_explicit(references, memory_order_acquire) > 1;
}

/* rebali_pages_edit() when memory may have to be allocated. */
void *rebali_pages_own(const rebal_allocator *allocator, struct rebali_pages *pages, uint32_t row, const void *absent);
/*
 * Returns the cell for writing; cells of a new page start as copies of absent. NULL without memory; nothing is changed.
 */
static inline void *rebali_pages_edit(const rebal_allocator *allocator, struct rebali_pages *pages, uint32_t row,
                                      const void *absent) {
  const struct rebali_directory *directory = pages->directory;
  const size_t number = row / REBALI_PAGE_ROWS;
  struct rebali_page *page = directory == NULL || number >= directory->n ? NULL : directory->pages[number];

  return page == NULL || rebali_pages_are_shared(&directory->references) || rebali_pages_are_shared(&page->references)
             ? rebali_pages_own(allocator, pages, row, absent)
             : (unsigned char *)page->cells + row % REBALI_PAGE_ROWS * pages->cell;
}
/* Adds an owner of the pages as they are now. */
struct rebali_pages rebali_pages_share(const struct rebali_pages *pages);
void rebali_pages_drop(const rebal_allocator *allocator, struct rebali_pages *pages);

/* ---- the short log of changed rows (log.c) ------------------------------------------------------ */

#define REBALI_LOG_KEEP 1024u /* changes that are always kept */

/* The kinds of changes of a row. */
enum {
  REBALI_READS_CELLS = 1,      /* columns of CLUSTER outside the summary */
  REBALI_READS_CAPACITIES = 2, /* the summary: its amounts, HAS_SUMMARY and MODELINGS */
  REBALI_READS_NODES = 4,      /* HAS_NODES, nodes and all else below the cluster */
  REBALI_READS_ALL = 7         /* readers of any kind see rows added, removed or named */
};

/* The fleet appends to a block; holders of (block, end) read below end only. */
struct rebali_log_block;
struct rebali_log {
  struct rebali_log_block *block; /* NULL: nothing ever changed */
  size_t end;
  uint64_t last; /* version of the last change */
};

/* Reserves memory for one change. Returns REBAL_ENOMEM. */
int32_t rebali_log_reserve(const rebal_allocator *allocator, struct rebali_log *log);
/* Memory must be reserved; versions must not decrease. */
void rebali_log_add(struct rebali_log *log, uint64_t version, uint32_t row);
struct rebali_log rebali_log_share(const struct rebali_log *log);
void rebali_log_drop(const rebal_allocator *allocator, struct rebali_log *log);
/* Like rebali_snapshot_changes(). */
int32_t rebali_log_changes(const struct rebali_log *log, uint64_t since, const uint32_t **rows, size_t *n);

/* ---- orders of names (order.c) ------------------------------------------------------------------ */

/* Immutable, reference-counted. */
struct rebali_order {
  atomic_size_t references;
  uint32_t n;
  uint32_t ids[]; /* n ids by name; an order over all ids adds n ranks by id */
};

/* Creates the order of the ids 0..n-1; previous (may be NULL) is the order of the first few of them. */
int32_t rebali_order_make(const rebal_allocator *allocator, const struct rebali_intern *names, uint32_t n,
                          const struct rebali_order *previous, struct rebali_order **out);
/* Creates an empty list for n ids, without ranks. */
struct rebali_order *rebali_order_reserve(const rebal_allocator *allocator, uint32_t n);
uint32_t rebali_order_find(const struct rebali_order *order, const struct rebali_intern *names,
                           struct rebali_text name);
struct rebali_order *rebali_order_ref(struct rebali_order *order);
void rebali_order_unref(const rebal_allocator *allocator, struct rebali_order *order);

/* ---- names, texts and records (interned_records.c) --------------------------------------------------------- */

#define REBALI_KINDS 12u           /* kinds of interned records */
#define REBALI_CLUSTER_COLUMNS 16u /* largest column number of CLUSTER */

struct rebali_store_column {
  int64_t absent; /* of the int64_t cell: text columns hold ids of texts */
  uint32_t kind;  /* of a handle column; REBALI_KINDS for others */
  uint32_t reserved;
};

/*
 * The objects of ids and handles, shared by a fleet and all that is made from it, so ids mean the same everywhere. The
 * fleet's writer adds objects; the counts publish to all readers which ids may be read.
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
/* Adds to one of the interns and publishes its count to readers. */
int32_t rebali_store_add(struct rebali_intern *intern, _Atomic uint32_t *known, const void *bytes, size_t len,
                         uint32_t *id, rebal_error *err);
/* Returns the index of an interned object among the kinds, REBALI_KINDS for other objects. */
uint32_t rebali_store_kind(uint32_t object);
const rebal_record *rebali_store_record(const struct rebali_store *store, uint32_t kind, uint32_t handle);
/* Returns the id of a resource name; REBAL_NONE if it does not exist. Any thread. */
uint32_t rebali_store_resource(const struct rebali_store *store, struct rebali_text name);

static inline uint32_t rebali_store_known(const _Atomic uint32_t *known) {
  return atomic_load_explicit(known, memory_order_acquire);
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

struct rebali_row {
  uint64_t version; /* of the first snapshot that has the last change */
  uint16_t present;
  uint16_t noted;     /* parts of the row that changed in that version: bits of REBALI_READS_* */
  uint32_t n_amounts; /* number of resources with an amount in the row */
};
struct rebali_amounts {
  rebal_quantity parts[3]; /* by REBAL_CAPACITY_* */
  uint32_t stated;         /* a bit for each part */
  uint32_t reserved;
};

/*
 * What remains of a resource: allocatable minus the other two, exact, in thousandths of cpu and units of all others. It
 * is what most readers need, in an eighth of the memory.
 */
#define REBALI_REST_UNSTATED INT64_MIN /* allocatable is not set */
#define REBALI_REST_UNKNOWN INT64_MAX  /* not an integer, or above REBALI_REST_MAX: read the amounts */
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
  int hide_amounts;          /* a row may have amounts but no summary */
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

/* quotas.c: returns a record of the kind QUOTAS; NULL: none. cluster may be any id. */
const rebal_record *rebali_state_quotas(const struct rebali_state *state, uint32_t cluster);

/* The owner of the tables that a public handle accesses. */
struct rebal_cells {
  const struct rebali_state *state; /* of a fleet or snapshot; else NULL */
  const struct rebali_store *store;
  rebal_fleet *fleet;         /* owner of the state; NULL: a snapshot's, which does not change */
  struct rebali_row_set *set; /* of bindings, pods or a spread; else NULL */
  rebal_bindings *bindings;   /* owner of the set; else NULL */
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

/* Returns the number of rows that ever existed; ids of clusters are below it. */
static inline uint32_t rebali_snapshot_rows(const rebal_snapshot *snapshot) {
  return snapshot->names->n;
}
/* Returns the number of clusters in the fleet. */
static inline uint32_t rebali_snapshot_count(const rebal_snapshot *snapshot) {
  return snapshot->clusters->n;
}
/* Returns whether the cluster exists; cluster may be any id. */
static inline int rebali_snapshot_has(const rebal_snapshot *snapshot, uint32_t cluster) {
  return rebali_state_present(&snapshot->state, cluster);
}
/*
 * Reads a column page by page: returns the cells of REBALI_PAGE_ROWS rows from first on, a multiple of that; NULL if
 * all of them read as *absent. rebali_snapshot_amounts() does the same for a resource.
 */
static inline const int64_t *rebali_snapshot_page(const rebal_snapshot *snapshot, uint32_t column, uint32_t first,
                                                  int64_t *absent) {
  *absent = snapshot->store->columns[column % 256u].absent;
  return rebali_pages_get(&snapshot->state.columns[column % 256u], first);
}
/* Returns a cell of a cluster's row; column is one of REBAL_CLUSTER_*, cluster < rows. Absent rows read as unset. */
static inline int64_t rebali_snapshot_i64(const rebal_snapshot *snapshot, uint32_t column, uint32_t cluster) {
  return rebali_state_i64(&snapshot->state, snapshot->store, column, cluster);
}
struct rebali_text rebali_snapshot_text(const rebal_snapshot *snapshot, uint32_t column, uint32_t cluster);
/* Returns the record of a handle cell; NULL if unset. */
const rebal_record *rebali_snapshot_cell_record(const rebal_snapshot *snapshot, uint32_t column, uint32_t cluster);
/*
 * Returns the interned record of a kind; NULL for REBAL_NONE or an unknown handle. Records added after the snapshot are
 * found too: a handle's record never changes, and a new policy should not require a new snapshot.
 */
const rebal_record *rebali_snapshot_record(const rebal_snapshot *snapshot, uint32_t object, uint32_t handle);
/* Empty for REBAL_NONE, the id of a target without a name. */
struct rebali_text rebali_snapshot_name(const rebal_snapshot *snapshot, uint32_t cluster);
/* Returns the fleet's clusters (no absent rows) by name; *n of them. */
static inline const uint32_t *rebali_snapshot_by_name(const rebal_snapshot *snapshot, uint32_t *n) {
  *n = snapshot->clusters->n;
  return snapshot->clusters->ids;
}
/* Returns a row's position by name among all rows, absent ones included: comparing ranks compares names. */
static inline uint32_t rebali_snapshot_rank(const rebal_snapshot *snapshot, uint32_t cluster) {
  return snapshot->names->ids[(size_t)snapshot->names->n + cluster];
}
/* The inverse: all rows by name. */
static inline const uint32_t *rebali_snapshot_by_rank(const rebal_snapshot *snapshot) {
  return snapshot->names->ids;
}
/* Returns the id of a resource name; REBAL_NONE if no cluster ever had an amount of it. */
uint32_t rebali_snapshot_resource(const rebal_snapshot *snapshot, struct rebali_text name);
/* Returns ids of all resource names of the snapshot, by name; *n of them, which are the ids below *n. */
const uint32_t *rebali_snapshot_resources_by_name(const rebal_snapshot *snapshot, uint32_t *n);
struct rebali_text rebali_snapshot_resource_name(const rebal_snapshot *snapshot, uint32_t resource);
/* Returns amounts of a summary; `stated` has the bits of those that are set. NULL: none. resource may be REBAL_NONE. */
static inline const struct rebali_amounts *rebali_snapshot_amounts(const rebal_snapshot *snapshot, uint32_t cluster,
                                                                   uint32_t resource) {
  return resource < snapshot->state.n_capacities
             ? rebali_pages_get(&snapshot->state.capacities[resource].amounts, cluster)
             : NULL;
}
/* Returns whether a row without a summary may have amounts. If 0, nothing remains of any resource in such rows. */
static inline int rebali_snapshot_hides_amounts(const rebal_snapshot *snapshot) {
  return snapshot->state.hide_amounts;
}
/* Returns REBALI_REST_* or values below REBALI_REST_MAX for this row and later ones on its page; NULL: all unstated. */
static inline const int64_t *rebali_snapshot_rests(const rebal_snapshot *snapshot, uint32_t cluster,
                                                   uint32_t resource) {
  return resource < snapshot->state.n_capacities
             ? rebali_pages_get(&snapshot->state.capacities[resource].rests, cluster)
             : NULL;
}
/* Returns 1 and the amount if the summary has it, else 0. resource may be REBAL_NONE. part: REBAL_CAPACITY_*. */
int rebali_snapshot_capacity(const rebal_snapshot *snapshot, uint32_t part, uint32_t cluster, uint32_t resource,
                             rebal_quantity *out);
/*
 * Returns rows with a change of something in reads (bits of REBALI_READS_*, at least one) after version since of the
 * same fleet. The rows are in the order of the changes, may repeat, and belong to the snapshot. Returns
 * REBAL_ENOTFOUND, without filling an error, if the log does not reach back that far; everything may then have changed.
 */
static inline int32_t rebali_snapshot_changes(const rebal_snapshot *snapshot, uint64_t since, uint32_t reads,
                                              const uint32_t **rows, size_t *n) {
  return rebali_log_changes(&snapshot->logs[reads - 1], since, rows, n);
}
/* Returns the version of the last such change; snapshots of a fleet with the same version have the same content. */
static inline uint64_t rebali_snapshot_changed(const rebal_snapshot *snapshot, uint32_t reads) {
  return snapshot->logs[reads - 1].last;
}
/* Returns the same for every snapshot of one fleet, and different values for fleets whose snapshots coexist. */
const void *rebali_snapshot_fleet(const rebal_snapshot *snapshot);

/*
 * Keeps the snapshot alive until the result is emptied. Every call that takes both must call this right after it
 * begins.
 */
void rebali_snapshot_hold(rebal_snapshot *snapshot, rebal_result *result);
/* Returns the snapshot of a result: the first one it holds; NULL: none. */
const rebal_snapshot *rebali_result_snapshot(const rebal_result *result);

/*
 * Start and end of a public call with one context that fills one result from one snapshot. code is the outcome, which
 * end() returns; on failure the result is emptied.
 */
int32_t rebali_answer_begin(rebal_ctx *ctx, rebal_snapshot *snapshot, rebal_result *result, rebal_error *err);
int32_t rebali_answer_end(rebal_ctx *ctx, rebal_result *result, int32_t code);

#endif
