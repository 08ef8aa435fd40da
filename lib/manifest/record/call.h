/* SPDX-License-Identifier: MIT */
/*
 * lib/manifest/record/call.h - calls of the core as one line of text, and back: for records, replays and
 * fingerprints.
 */
#ifndef REBALI_CALL_H
#define REBALI_CALL_H

#include "manifest/manifest.h"

/* ---- cells into trees (column_write.c) -------------------------------------------------------------------------- */

/* The source of cells. */
struct rebali_origin {
  const rebal_snapshot *snapshot; /* names of clusters, records */
  const rebal_bindings *bindings; /* NULL: the row is a cluster of the snapshot */
  uint32_t row;
};

/* A column of columns.def, with properties that rebal_describe() does not return. */
struct rebali_cell {
  uint32_t id;
  const char *name; /* as in columns.def */
  int64_t absent;
};
/* Returns the columns of a table in the order of columns.def and sets *name to its name. NULL for an unknown table. */
const struct rebali_cell *rebali_cells_of(uint32_t table, size_t *n, const char **name);

/* Builds the value of a cell as rebali_columns_read() reads it; *out NULL if the cell is absent. */
int32_t rebali_cell_tree(const struct rebali_origin *origin, const struct rebali_column *column, json_t **out,
                         rebal_error *err);
/* Puts every cell that is not absent at its column's path. */
int32_t rebali_columns_write(const struct rebali_origin *origin, const struct rebali_column *columns, size_t n,
                             json_t *tree, rebal_error *err);
/* Returns the map at a dotted path, created if missing; NULL without memory. *key is the path's last step. */
json_t *rebali_map_above(json_t *tree, const char *path, const char **key);

/* ---- objects (object_write.c) ----------------------------------------------------------------------------------- */

/* Builds the Cluster, ResourceBinding or ClusterResourceBinding that reads back as the same row. */
int32_t rebali_cluster_tree(const rebal_snapshot *snapshot, uint32_t cluster, json_t **out, rebal_error *err);
int32_t rebali_binding_tree(const rebal_snapshot *snapshot, const rebal_bindings *bindings, uint32_t row, json_t **out,
                            rebal_error *err);
/* Cells that no member of a binding holds: a member "cells" holds those that the object does not imply. */
#define REBALI_BINDING_CELLS 6
extern const struct rebali_column rebali_binding_cells[REBALI_BINDING_CELLS];

/* ---- options (call_options.c) ----------------------------------------------------------------------------------- */

/*
 * Writes options that differ from the defaults of the conformance vectors as members of a case's input; and reads them.
 */
int32_t rebali_options_write(const rebal_compat *compat, json_t *input, rebal_error *err);
int32_t rebali_options_read(const json_t *input, rebal_compat *compat, rebal_error *err);

/* ---- the caller's columns (call_columns.c) ---------------------------------------------------------------------- */

/* Cells of one binding by cluster id. */
struct rebali_strip {
  const int64_t *wide; /* or */
  const int32_t *narrow;
  uint64_t n;      /* clusters from this id on have no cell */
  int64_t without; /* a cell that need not be written */
};
/* Builds a map by name of the cells of clusters in the fleet; NULL without memory. */
json_t *rebali_strip_tree(const rebal_snapshot *snapshot, const struct rebali_strip *strip);
/* Calls each for every member of a map of cluster names to integers. */
int32_t rebali_strip_read(const json_t *map, const struct rebali_path *path, const rebal_snapshot *snapshot,
                          int64_t minimum, int64_t maximum, int64_t *cells, rebal_error *err);

/* ---- components (call_ledger.c) --------------------------------------------------------------------------------- */

struct rebali_components {
  uint32_t *requirements; /* handles */
  int32_t *replicas;
  size_t n;
};
/* Builds a component as an object; record NULL: no requirements. */
json_t *rebali_component_tree(int64_t replicas, const rebal_record *requirements);
/* Must be disposed of in any case. */
int32_t rebali_components_read(rebal_fleet *fleet, rebal_builder *builder, const json_t *list,
                               const struct rebali_path *path, struct rebali_components *components, rebal_error *err);
void rebali_components_dispose(struct rebali_components *components);

/* ---- ledgers (call_ledger.c) ------------------------------------------------------------------------------------ */

/* Builds the charges as the member "assumed" of a case: by cluster, then by key. */
int32_t rebali_ledger_tree(const rebal_snapshot *snapshot, const rebal_ledger *ledger, json_t **out, rebal_error *err);
int32_t rebali_ledger_fill(rebal_fleet *fleet, rebal_builder *builder, const json_t *assumed,
                           const struct rebali_path *path, rebal_ledger *ledger, rebal_error *err);

/* ---- calls (call.c, call_write.c, call_read.c) ------------------------------------------------------------------ */

/* Names of calls. Return REBAL_CALL_NONE for an unknown name, NULL for an unknown number. */
const char *rebali_call_name(uint32_t call);
uint32_t rebali_call_find(const char *name);
int rebali_call_estimates(uint32_t call);
/* Returns 1 for a step of the descheduler or of failover. */
int rebali_call_is_step(uint32_t call);

/* A call with all its arguments, built from the input of a case. */
struct rebali_replay {
  uint32_t call;
  rebal_fleet *fleet;
  rebal_builder *builder;
  rebal_snapshot *snapshot;
  rebal_bindings *bindings;
  rebal_bindings *known;
  rebal_bindings *assigning;
  rebal_compat *compat;
  rebal_ledger *ledger;
  rebal_observations *observations;
  rebal_time now;
  rebal_time expiry;
  struct rebali_components components; /* of estimates */
  int64_t *reject;
  int64_t *score;
  rebal_estimator *estimators;
  const rebal_estimator **estimator_list;
  int32_t *fits; /* of all estimators */
  rebal_schedule_opts opts;
  rebal_deschedule_opts deschedule; /* of steps, here and below */
  rebal_failover_opts failover;
  rebal_time next_eviction;
  uint32_t cluster;
  rebal_builder **builders; /* of budgets */
  const rebal_record **budgets;
  size_t n_builders;
};

/* Must be disposed of in any case. Fields of errors are paths within the line. */
int32_t rebali_replay_read(struct rebali_replay *replay, uint32_t call, const json_t *input, rebal_error *err);
void rebali_replay_dispose(struct rebali_replay *replay);
/* Makes the call. */
int32_t rebali_replay_run(const struct rebali_replay *replay, rebal_result *result, rebal_error *err);

/* ---- steps of the descheduler and of failover (call_steps.c) ---------------------------------------------------- */

/* REBAL_EINVAL, REBAL_EUNSUPPORTED: the call cannot be recorded. */
int32_t rebali_turn_check(const rebal_recorded_call *call, rebal_error *err);
const rebal_compat *rebali_turn_compat(const rebal_recorded_call *call);
/* Writes the binding and the step's other arguments; and reads them, after all the rest of the replay. */
int32_t rebali_turn_write(const rebal_recorded_call *call, uint32_t row, json_t *input, rebal_error *err);
int32_t rebali_turn_read(struct rebali_replay *replay, const json_t *input, rebal_error *err);
void rebali_turn_dispose(struct rebali_replay *replay);
int32_t rebali_turn_run(const struct rebali_replay *replay, rebal_ctx *ctx, rebal_result *result, rebal_error *err);

/* ---- outcomes (call_outcome.c, call_rows.c) --------------------------------------------------------------------- */

/* The answer for one binding; rebal_estimate() has no binding and uses row 0. */
struct rebali_answer {
  uint32_t call;
  const rebal_snapshot *snapshot;
  const rebal_bindings *bindings;
  const rebal_compat *compat;
  const rebal_result *result;
  uint32_t row;
};

/* Builds every row of the result about the binding, by table; rows and ordinals count from the binding's first. */
int32_t rebali_answer_rows(const struct rebali_answer *answer, json_t **out, rebal_error *err);
/*
 * Builds the outcome as the conformance vectors write it: *accept for one entry of accept[], or *error for the member
 * error. Both are NULL if the vectors have no such kind.
 */
int32_t rebali_answer_outcome(const struct rebali_answer *answer, json_t **accept, json_t **error, rebal_error *err);
/* Returns the fingerprint of the result as text; NULL if it has none. 33 bytes. */
const char *rebali_fingerprint_text(const rebal_result *result, char *buffer, size_t capacity);

#endif
