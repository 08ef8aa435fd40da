/* SPDX-License-Identifier: MIT */
/*
 * tests/conformance/conformance.h - the runner of recorded cases. It uses only the installed headers: a case has real
 * objects as JSON, and outcomes are compared as JSON.
 *
 * To add a kind: a line in kinds.def and a function in case_<kind>.c that returns the outcome for one case.
 */
#ifndef CONFORMANCE_H
#define CONFORMANCE_H

#include <jansson.h>
#include <rebalance/rebalance.h>
#include <stddef.h>
#include <stdint.h>

/* What the cases of one run share, and how one of them fails. */
struct conformance {
  rebal_ctx *ctx; /* one for all cases, as a scheduler would keep it */
  rebal_builder *builder;
  rebal_result *result;
  rebal_error err;
  const json_t *test; /* the whole case, of which the input is a member */
  int orders_itself;  /* set by a case function: lists are in the library's own order */
  const char *skip;   /* set by a case function: why this case is skipped */
  const char *fault;  /* set when the input cannot be read or the library misbehaved */
};

/* The outcome of one case, a new reference; NULL with run->skip, run->fault or run->err set. */
typedef json_t *(*case_function)(struct conformance *run, const json_t *input);

/* Optional: removes from an outcome, ours or the recorded one, what the case's description leaves open. */
typedef void (*case_blur)(json_t *outcome, const json_t *test);

struct kind {
  const char *name; /* of the file, without folder and ending */
  case_function run;
  case_blur blur;
};

/* NULL for a kind that has no function yet. */
const struct kind *kind_find(const char *name, size_t len);

/* ---- failing ---- */

/* 1 when code is a failure (kept in run->err), so that callers write: if (failed(run, call)) return NULL. */
int failed(struct conformance *run, int32_t code);
/* Sets run->fault and returns NULL. */
json_t *fault(struct conformance *run, const char *text);

/* ---- names ---- */

static inline const char *cluster_name(const rebal_snapshot *snapshot, uint32_t cluster) {
  return rebal_cells_get_text(rebal_snapshot_cells(snapshot), REBAL_CLUSTER_NAME, REBAL_NONE, cluster, NULL);
}

/* ---- reading JSON (json.c) ---- */

/* The value at a path of member names joined by '.', NULL when absent or null. */
const json_t *json_at(const json_t *value, const char *path);
/* Text at a path; "" when there is none. */
const char *text_at(const json_t *value, const char *path);
int64_t integer_at(const json_t *value, const char *path, int64_t absent);
int boolean_at(const json_t *value, const char *path);
/* Unset when there is none. */
rebal_time time_at(const json_t *value, const char *path);
json_t *json_time(const rebal_time *time);
/* Is the text one of the array's members? */
int array_has(const json_t *array, const char *text);

/* ---- files (files.c) ---- */

/* Reads a whole file, unpacked when its name ends in .xz; terminated; NULL with a message on stderr. */
char *file_read(const char *path, size_t *len);
typedef int (*file_visit)(const char *path, void *user_data);
/* Visits a file, or every *.jsonl and *.jsonl.xz below a folder, by name. The first result that is not 0 ends it. */
int files_walk(const char *path, file_visit visit, void *user_data);

/* ---- records (records.c): JSON objects as fields.def describes them ---- */

/* A record of the object; valid until the builder's next one. An array or a map is taken as an object of one field. */
int32_t record_from_json(struct conformance *run, uint32_t object, const json_t *value, const rebal_record **out);
json_t *record_to_json(const rebal_record *record);

/* Objects of a list (record_list.c); must be disposed of in any case. */
struct record_list {
  const rebal_record **records;
  rebal_builder **builders;
  size_t n;
};

int record_list_read(struct conformance *run, uint32_t object, const json_t *list, struct record_list *out);
void record_list_dispose(struct record_list *list);

/* ---- fleet and bindings (cell.c, objects.c, bindings.c): rows as columns.def describes them ---- */

struct world {
  rebal_fleet *fleet;
  rebal_bindings *bindings;
  rebal_snapshot *snapshot;
  rebal_compat *compat;
};

/* Everything a case needs from clusters and bindings (arrays; may be NULL) and its feature gates. */
int world_build(struct conformance *run, struct world *world, const json_t *clusters, const json_t *bindings,
                const json_t *gates);
/* The two halves of it, between which bindings are fed. */
int world_open(struct conformance *run, struct world *world, const json_t *clusters, const json_t *gates);
int world_freeze(struct conformance *run, struct world *world);
/* Reads a binding by the manifest library, which evaluates the part of its raw status that is to be preserved. */
int world_feed(struct conformance *run, struct world *world, const json_t *binding);
/* One more set of bindings of the same fleet, frozen; the world's snapshot is taken again. NULL for an absent array. */
int world_add_set(struct conformance *run, struct world *world, const json_t *bindings, rebal_bindings **out);
void world_dispose(struct world *world);
/* A cell of a cluster's row (bindings NULL) or of a row of the bindings. */
struct cell {
  rebal_fleet *fleet;
  rebal_bindings *bindings;
  uint32_t column;
  uint32_t row;
};

/* Sets the cell to a value of the column's type (a handle: the object; a cluster: its name). NULL sets nothing. */
int cell_set(struct conformance *run, const struct cell *cell, const json_t *value);

/*
 * Sets the cells of a row that columns.def describes by a path into the object, or by a path and the words "is set" or
 * "is present"; the other columns are left alone. list: the prefix of the paths if the object is an element of a list.
 */
int row_read(struct conformance *run, struct cell *cell, uint32_t table, const char *list, const json_t *object);

/* The resources and amounts of a map, as calls of the library take them. */
#define AMOUNTS_MAX 16
struct amounts {
  uint32_t resources[AMOUNTS_MAX];
  rebal_quantity quantities[AMOUNTS_MAX];
  size_t n;
};
int amounts_read(struct conformance *run, const struct world *world, const json_t *map, struct amounts *out);

/* One binding with all its rows (bindings.c). */
int binding_read(struct conformance *run, struct world *world, const json_t *binding);

/* ---- evictions (spec.c) ---- */

/* Into an outcome: every cluster with its replicas, 0 written out; tasks only when there are some. */
void spec_report(const json_t *spec, json_t *outcome);

/* ---- estimators (estimators.c) ---- */

struct estimators {
  rebal_estimator estimator;
  const rebal_estimator *list[1];
  int32_t *fits; /* NULL: no estimator but the library's */
};

/* Sets the options by the case's members about estimators; must be disposed of in any case. */
int estimators_read(struct conformance *run, const struct world *world, const json_t *input, rebal_schedule_opts *opts,
                    struct estimators *out);
void estimators_dispose(struct estimators *estimators);

/* ---- components and assumed workloads (assumed.c) ---- */

#define COMPONENTS_MAX 16

/* As calls of the library take them. */
struct components {
  uint32_t requirements[COMPONENTS_MAX];
  int32_t replicas[COMPONENTS_MAX];
  size_t n;
};

/* Reads spec.components. The snapshot of the world does not have their requirements yet. */
int components_read(struct conformance *run, const struct world *world, const json_t *list, struct components *out);

/* The components of an estimate, or one that has the replicaRequirements and no replicas. */
int question_read(struct conformance *run, const struct world *world, const json_t *input, struct components *out);

/*
 * A ledger of what the case assumes to be in flight (cluster name to workloads, or the workloads of each cluster), NULL
 * for none; a new snapshot.
 */
int assumed_read(struct conformance *run, struct world *world, const json_t *assumed, rebal_ledger **out);

#endif
