/* SPDX-License-Identifier: MIT */
/*
 * lib/fleet/saved.h - a fleet as bytes, with bindings and a ledger: rebal_fleet_save() and rebal_fleet_load().
 *
 * All numbers are little-endian. The bytes begin with REBALI_SAVED_MAGIC, the version of the format (32 bits) and four
 * zero bytes. Sections follow. Each begins with its kind, three numbers that identify its subject (32 bits each) and
 * the length of its content (64 bits). The last one is REBALI_SAVED_END. Loading makes the calls that a caller would
 * make to set the same data: bytes that these calls refuse are malformed.
 *
 *   text      its length (32 bits), its bytes
 *   integers  the bytes of each (8 bits: 1, 2, 4 or 8), then the integers, signed; their number precedes them
 *   record    for each child its field (32 bits) and value, for an object its children; 0 ends an object
 *
 * The subject of a section (first, second, third number, or none) and its content:
 *   CLUSTERS                          n (32 bits), n names by id, integers: 1 for each that is in the fleet, else 0
 *   RESOURCES                         n, n names by id
 *   RECORDS      object               n, n records by handle
 *   AMOUNTS      part, resource       n, integers: ids of clusters, units, nanos, formats
 *   NODES        cluster              n, n names by id; m, in the order of addition m times an id (32 bits), a number
 *                                     of labels (32 bits), for each its key and value as texts
 *   NODE_AMOUNTS cluster, resource    n, integers: ids of nodes, amounts as they are kept
 *   QUOTAS       cluster              a record
 *   ROWS         table, parent        n, integers: 1 for each existing row, else 0; m, integers: ids of the missing
 *                                     rows, in the order in which they will be reused
 *   CHILDREN     table                n, integers: parents by id
 *   COLUMN       column, parent       n, integers: ids of the rows whose cells follow; integers, or n texts, or for
 *                                     times the seconds and then the nanoseconds, -1: not set
 *   FROZEN                            nothing: the bindings are frozen
 *   LEDGER                            n; n times a key, its expiry (64 bits of seconds, 32 of nanoseconds, 32: is it
 *                                     set), a cluster (32 bits), m (32 bits), m times requirements and replicas (32
 *                                     bits each)
 *   END                               nothing
 * ROWS of BINDING, CHILDREN and FROZEN belong to the bindings; any of them creates the set.
 */
#ifndef REBALI_SAVED_H
#define REBALI_SAVED_H

#include "fleet/nodes.h"

#define REBALI_SAVED_MAGIC "REBALFLT"
#define REBALI_SAVED_VERSION 1u

enum rebali_saved {
  REBALI_SAVED_END = 0,
  REBALI_SAVED_CLUSTERS = 1,
  REBALI_SAVED_RESOURCES = 2,
  REBALI_SAVED_RECORDS = 3,
  REBALI_SAVED_AMOUNTS = 4,
  REBALI_SAVED_NODES = 5,
  REBALI_SAVED_NODE_AMOUNTS = 6,
  REBALI_SAVED_QUOTAS = 7,
  REBALI_SAVED_ROWS = 8,
  REBALI_SAVED_CHILDREN = 9,
  REBALI_SAVED_COLUMN = 10,
  REBALI_SAVED_FROZEN = 11,
  REBALI_SAVED_LEDGER = 12
};

/* ---- writing (saved_bytes.c) ------------------------------------------------------------------------------------- */

/* Bytes that do not fit are counted only. */
struct rebali_saving {
  unsigned char *bytes;
  size_t capacity;
  size_t len;     /* SIZE_MAX: more than memory can hold */
  size_t section; /* start of the last one */
  const rebal_allocator *allocator;
  int failed; /* out of memory for the cells */
  uint32_t n; /* cells of the current column */
  int64_t *ids;
  int64_t *values;
  int64_t *nanos;
  size_t ids_capacity;
  size_t values_capacity;
  size_t nanos_capacity;
};

/* Writes the first bytes; the magic has 8 bytes. */
void rebali_save_head(struct rebali_saving *saving, const char *magic, uint32_t version);
void rebali_save_bytes(struct rebali_saving *saving, const void *bytes, size_t len);
void rebali_save_u32(struct rebali_saving *saving, uint32_t value);
void rebali_save_u64(struct rebali_saving *saving, uint64_t value);
/* Does not write whether the time is set; the caller does. */
void rebali_save_time(struct rebali_saving *saving, const rebal_time *time);
void rebali_save_text(struct rebali_saving *saving, struct rebali_text text);
void rebali_save_integers(struct rebali_saving *saving, const int64_t *values, size_t n);
/* Ends the previous section. */
void rebali_save_section(struct rebali_saving *saving, uint32_t kind, uint32_t first, uint32_t second);
void rebali_save_end(struct rebali_saving *saving);
/* Begins a column of cells, and reserves memory for n of them. Without memory rebali_saving_end() fails. */
void rebali_save_begin(struct rebali_saving *saving, size_t n);
/* Adds a cell: the id of its row and its value. Without memory it adds none, and rebali_saving_end() fails. */
void rebali_save_add(struct rebali_saving *saving, uint32_t id, int64_t value, int64_t nanos);
void rebali_saving_dispose(struct rebali_saving *saving);
/*
 * Ends writing: sets *len. REBAL_ENOMEM, REBAL_ELIMIT; REBAL_ERANGE if the buffer is too small (capacity 0: a size
 * query).
 */
int32_t rebali_saving_end(const struct rebali_saving *saving, size_t *len, rebal_error *err);

/* ---- reading (saved_bytes.c) ------------------------------------------------------------------------------------- */

struct rebali_loading {
  const unsigned char *bytes;
  size_t at;
  size_t end;        /* of the section, or of all */
  uint32_t about[3]; /* the subject of the section */
  const rebal_allocator *allocator;
  rebal_fleet *fleet;
  rebal_bindings *bindings; /* NULL: none yet; the same for the ledger */
  rebal_ledger *ledger;
  rebal_builder *builder;
  uint32_t n; /* as in struct rebali_saving */
  uint32_t *ids;
  int64_t *values;
  int64_t *nanos;
  size_t ids_capacity;
  size_t values_capacity;
  size_t nanos_capacity;
};

/* All return REBAL_EPARSE if the section ends too early. */
int32_t rebali_load_u32(struct rebali_loading *loading, uint32_t *value, rebal_error *err);
int32_t rebali_load_u64(struct rebali_loading *loading, uint64_t *value, rebal_error *err);
/* The function that uses the time checks it. */
int32_t rebali_load_time(struct rebali_loading *loading, rebal_time *time, rebal_error *err);
/* The text points into the bytes. */
int32_t rebali_load_text(struct rebali_loading *loading, struct rebali_text *text, rebal_error *err);
/* Reads a number of items, each of which takes at least so many bytes. */
int32_t rebali_load_count(struct rebali_loading *loading, size_t each, uint32_t *n, rebal_error *err);
int32_t rebali_load_integers(struct rebali_loading *loading, int64_t *values, size_t n, rebal_error *err);
/* Reserves memory for n ids, values and nanos. Returns REBAL_ENOMEM. */
int32_t rebali_load_reserve(struct rebali_loading *loading, size_t n, rebal_error *err);
/* Reads n and n ids into loading->n and ->ids, and reserves memory for n values and nanos. */
int32_t rebali_load_ids(struct rebali_loading *loading, rebal_error *err);
int32_t rebali_load_malformed(const struct rebali_loading *loading, const char *what, rebal_error *err);
void rebali_loading_dispose(struct rebali_loading *loading);

/* A kind of bytes: their start, and the reader of each section. */
struct rebali_saved_frame {
  const char *magic;
  const char *missing; /* the error if the magic is missing */
  uint32_t version;
  size_t n_readers;
  int32_t (*const *readers)(struct rebali_loading *loading, rebal_error *err); /* by kind; the first is the end */
};
/*
 * Reads all sections, which take len bytes with the head. A section that no caller could have written is malformed
 * (REBAL_EPARSE), whatever error the refusing call returned.
 */
int32_t rebali_load_all(struct rebali_loading *loading, const struct rebali_saved_frame *frame, size_t len,
                        rebal_error *err);

/* ---- sections: one function writes each, one reads it ------------------------------------------------------------ */

/* saved_records.c */
void rebali_save_records(struct rebali_saving *saving, const struct rebali_store *store);
int32_t rebali_load_records(struct rebali_loading *loading, rebal_error *err);
void rebali_save_record(struct rebali_saving *saving, const rebal_record *record);
/* Returns what rebal_builder_finish() returns. */
int32_t rebali_load_record(struct rebali_loading *loading, uint32_t object, const rebal_record **record,
                           rebal_error *err);

/* saved_clusters.c */
void rebali_save_clusters(struct rebali_saving *saving, const rebal_fleet *fleet);
int32_t rebali_load_clusters(struct rebali_loading *loading, rebal_error *err);
void rebali_save_resources(struct rebali_saving *saving, const rebal_fleet *fleet);
int32_t rebali_load_resources(struct rebali_loading *loading, rebal_error *err);
void rebali_save_amounts(struct rebali_saving *saving, const rebal_fleet *fleet);
int32_t rebali_load_amounts(struct rebali_loading *loading, rebal_error *err);

/* saved_nodes.c: for one cluster */
void rebali_save_nodes(struct rebali_saving *saving, const rebal_fleet *fleet, uint32_t cluster);
int32_t rebali_load_nodes(struct rebali_loading *loading, rebal_error *err);
int32_t rebali_load_node_amounts(struct rebali_loading *loading, rebal_error *err);
int32_t rebali_load_quotas(struct rebali_loading *loading, rebal_error *err);

/* saved_rows.c */
/* Saves a table of rows below a cluster with all its cells; nothing if it never existed. */
void rebali_save_rows(struct rebali_saving *saving, const rebal_fleet *fleet, uint32_t table, uint32_t cluster);
int32_t rebali_load_rows(struct rebali_loading *loading, rebal_error *err);
int32_t rebali_load_children(struct rebali_loading *loading, rebal_error *err);
/* Saves all set cells of the rows of a table. Returns REBAL_ENOMEM. */
void rebali_save_columns(struct rebali_saving *saving, const rebal_cells *cells, uint32_t table, uint32_t parent);
int32_t rebali_load_column(struct rebali_loading *loading, rebal_error *err);
void rebali_save_bindings(struct rebali_saving *saving, const rebal_bindings *bindings);
int32_t rebali_load_frozen(struct rebali_loading *loading, rebal_error *err);

/* saved_ledger.c */
int32_t rebali_save_ledger(struct rebali_saving *saving, const rebal_ledger *ledger, rebal_error *err);
int32_t rebali_load_ledger(struct rebali_loading *loading, rebal_error *err);

#endif
