/* SPDX-License-Identifier: MIT */
/*
 * lib/plan/saved.h - a plan as bytes: rebal_plan_save() and rebal_plan_load().
 *
 * Texts, integers, the head and sections are those of fleet/saved.h. The bytes begin with REBALI_SAVED_PLAN_MAGIC.
 * Every section below occurs once, in this order, and has no subject; LEAST occurs only in the mode LEAST. A cluster is
 * its place among the names, so the bytes do not depend on a fleet's ids.
 *
 *   PLAN      mode (32 bits), fingerprint (twice 64 bits, high first), now (64 bits of seconds, 32 of nanoseconds),
 *             progress_deadline_ns (64 bits)
 *   CLUSTERS  n (32 bits), n names, ascending: those that occur below
 *   LIMITS    n, n subjects, then integers: a column for each number of struct rebali_plan_limit, in the order of its
 *             table in saved_structs.c, as in the sections with a struct below
 *   ROWS      n, n times namespace, name, uid and message, integers of struct rebali_plan_row
 *   CELLS     n, integers of struct rebali_plan_cell: row by row, clusters ascending
 *   MOVES     n, integers of struct rebali_plan_move: row by row
 *   USES      n, n subjects, integers of struct rebali_plan_use
 *   SUMS      n, integers of struct rebali_plan_sum, clusters ascending
 *   CAUSES    n, integers: drained clusters, ascending; m, integers: lost ones
 *   LEAST     gap, placed, kept, moved (64 bits each), n_classes, 1 with capacities (32 bits each); n bindings,
 *             integers of each column: row, replicas, weight, price, number of pairs; m pairs, integers: row of
 *             capacity, present, minimum, maximum, planned; k rows of capacity, integers: price and, with
 *             capacities, these
 */
#ifndef REBALI_PLAN_SAVED_H
#define REBALI_PLAN_SAVED_H

#include "fleet/saved.h"
#include "plan/plan.h"

#define REBALI_SAVED_PLAN_MAGIC "REBALPLN"
#define REBALI_SAVED_PLAN_VERSION 1u

enum rebali_saved_plan {
  REBALI_SAVED_PLAN_PLAN = 1,
  REBALI_SAVED_PLAN_CLUSTERS = 2,
  REBALI_SAVED_PLAN_LIMITS = 3,
  REBALI_SAVED_PLAN_ROWS = 4,
  REBALI_SAVED_PLAN_CELLS = 5,
  REBALI_SAVED_PLAN_MOVES = 6,
  REBALI_SAVED_PLAN_USES = 7,
  REBALI_SAVED_PLAN_SUMS = 8,
  REBALI_SAVED_PLAN_CAUSES = 9,
  REBALI_SAVED_PLAN_LEAST = 10
};

/* A number of a structure: its location and its range. */
enum rebali_saved_type {
  REBALI_SAVED_I32,
  REBALI_SAVED_U32,
  REBALI_SAVED_I64,
  REBALI_SAVED_SIZE,
  REBALI_SAVED_CLUSTER
};
struct rebali_saved_number {
  size_t offset;
  enum rebali_saved_type type; /* CLUSTER: an id in memory, a place among the names in bytes */
  int64_t least, most;
};
struct rebali_saved_struct {
  size_t size;
  size_t n;
  const struct rebali_saved_number *numbers;
};

/* saved_structs.c */
extern const struct rebali_saved_struct rebali_saved_limit, rebali_saved_row, rebali_saved_cell, rebali_saved_move,
    rebali_saved_use, rebali_saved_sum;
int64_t rebali_saved_get(const struct rebali_saved_number *number, const void *item);
void rebali_saved_set(const struct rebali_saved_number *number, void *item, int64_t value);

/* A plan that is being loaded. Until everything is read, its clusters are places among the names. */
struct rebali_plan_loading {
  struct rebali_loading bytes; /* must be first: readers are passed this member */
  rebal_plan *plan;
  uint32_t last; /* kind of the previous section */
  struct rebali_text *names;
  uint32_t n_names;
};

/* load.c: checks that the next section has this kind and no subject. */
int32_t rebali_plan_load_begin(struct rebali_plan_loading *loading, uint32_t kind, rebal_error *err);
/* Reads n integers from least to most into loading->bytes.values. */
int32_t rebali_plan_load_integers(struct rebali_plan_loading *loading, size_t n, int64_t least, int64_t most,
                                  rebal_error *err);
/* saved_least.c: reads the section LEAST. */
int32_t rebali_plan_load_least(struct rebali_loading *loading, rebal_error *err);

/* saved_least.c: writes the section LEAST. */
void rebali_plan_save_least(struct rebali_saving *saving, const struct rebali_plan_least *least);

#endif
