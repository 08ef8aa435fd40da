/* SPDX-License-Identifier: MIT */
/*
 * Pods for the tests of admission, in short: a batch is "version+name" for a pod to be created, "version-name@subset"
 * for one to be deleted whose annotation names ns/ws and the subset, apart by ",". A name that begins with "#" is an
 * id: the pod has no name. Answers: see show_admitted().
 */
#ifndef TEST_SPREAD_ADMITTING_H
#define TEST_SPREAD_ADMITTING_H

#include "making.h"
#include "workloadspread/admission.h"

#define MOST_PODS 64

struct admitting {
  rebal_fleet *fleet;
  rebal_pods *pods;
  rebal_ctx *ctx;
  rebal_result *result;
  rebal_compat *compat;
  uint32_t replica_set; /* of the Deployment web */
  uint32_t rows[MOST_PODS];
  size_t n;
};

static inline void set_text(rebal_pods *pods, uint32_t column, uint32_t row, const char *text) {
  ck_assert_int_eq(rebal_cells_set_text(rebal_pods_cells(pods), column, REBAL_NONE, row, text, strlen(text), NULL),
                   REBAL_OK);
}

static inline void set_i64(rebal_pods *pods, uint32_t column, uint32_t row, int64_t value) {
  ck_assert_int_eq(rebal_cells_set_i64(rebal_pods_cells(pods), column, REBAL_NONE, row, value, NULL), REBAL_OK);
}

static inline uint32_t add_row(rebal_pods *pods, uint32_t table) {
  uint32_t row = REBAL_NONE;

  ck_assert_int_eq(rebal_cells_add(rebal_pods_cells(pods), table, REBAL_NONE, &row, 1, NULL), REBAL_OK);
  return row;
}

/* Adds an existing object, owned by another one or by none. */
static inline uint32_t add_owner(rebal_pods *pods, const char *api_version, const char *kind, const char *name,
                                 uint32_t owner) {
  const uint32_t row = add_row(pods, REBAL_TABLE_OWNER);

  set_text(pods, REBAL_OWNER_API_VERSION, row, api_version);
  set_text(pods, REBAL_OWNER_KIND, row, kind);
  set_text(pods, REBAL_OWNER_NAME, row, name);
  set_i64(pods, REBAL_OWNER_STATE, row, REBAL_OWNER_STATE_EXISTS);
  set_i64(pods, REBAL_OWNER_CONTROLLER, row, owner);
  return row;
}

static inline void open_admitting(struct admitting *world) {
  uint32_t deployment;

  memset(world, 0, sizeof *world);
  ck_assert_int_eq(rebal_fleet_new(NULL, &world->fleet, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_pods_new(world->fleet, NULL, &world->pods, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_ctx_new(NULL, NULL, &world->ctx, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_result_new(NULL, &world->result, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_compat_new(NULL, &world->compat, NULL), REBAL_OK);
  deployment = add_owner(world->pods, "apps/v1", "Deployment", "web", REBAL_NONE);
  world->replica_set = add_owner(world->pods, "apps/v1", "ReplicaSet", "web-1", deployment);
}

static inline void close_admitting(struct admitting *world) {
  rebal_compat_free(world->compat);
  rebal_result_free(world->result);
  rebal_ctx_free(world->ctx);
  rebal_pods_free(world->pods);
  rebal_fleet_free(world->fleet);
}

/* A pod of a version ("": it has no label), owned by the ReplicaSet. */
static inline uint32_t add_pod(struct admitting *world, const char *version, const char *name) {
  const uint32_t row = add_row(world->pods, REBAL_TABLE_SPREAD_POD);

  set_text(world->pods, name[0] == '#' ? REBAL_SPREAD_POD_ADMISSION_ID : REBAL_SPREAD_POD_NAME, row,
           name + (name[0] == '#'));
  set_i64(world->pods, REBAL_SPREAD_POD_CONTROLLER, row, world->replica_set);
  set_i64(world->pods, REBAL_SPREAD_POD_VERSION_LABEL, row,
          version[0] == '\0' ? REBAL_VERSION_LABEL_NONE : REBAL_VERSION_LABEL_TEMPLATE_HASH);
  set_text(world->pods, REBAL_SPREAD_POD_VERSION, row, version);
  ck_assert_uint_lt(world->n, MOST_PODS);
  world->rows[world->n++] = row;
  return row;
}

/* Marks a pod as to be deleted; it was injected for a subset of a spread. */
static inline void let_go(struct admitting *world, uint32_t row, const char *spread, const char *subset) {
  set_i64(world->pods, REBAL_SPREAD_POD_OPERATION, row, REBAL_OPERATION_DELETE);
  set_i64(world->pods, REBAL_SPREAD_POD_MATCHED_STATE, row, REBAL_ANNOTATION_PRESENT);
  set_text(world->pods, REBAL_SPREAD_POD_MATCHED_SPREAD, row, spread);
  set_text(world->pods, REBAL_SPREAD_POD_MATCHED_SUBSET, row, subset);
}

static inline void add_batch(struct admitting *world, const char *batch) {
  char version[64];
  char name[64];
  char subset[64];

  while (*batch != '\0') {
    int goes;
    uint32_t row;

    cut(&batch, "+-", version);
    goes = *batch++ == '-';
    cut(&batch, "@,", name);
    row = add_pod(world, version, name);
    if (goes) {
      ck_assert_int_eq(*batch, '@');
      batch++;
      cut(&batch, ",", subset);
      let_go(world, row, "ws", subset);
    }
    batch += *batch == ',';
  }
}

static inline int32_t admit_some(struct admitting *world, rebal_spread *const *spreads, size_t n_spreads, size_t from,
                                 size_t n, uint32_t flags) {
  const rebal_time now = {100, 500000000, 1};
  const rebal_admit_opts opts = {.struct_size = (uint32_t)sizeof opts,
                                 .flags = flags,
                                 .compat = world->compat,
                                 .rows = world->rows + from,
                                 .n_rows = n};

  return rebal_spread_admit(world->ctx, spreads, n_spreads, world->pods, &now, &opts, world->result, NULL);
}

static inline int32_t admit_all(struct admitting *world, rebal_spread *spread, uint32_t flags) {
  return admit_some(world, &spread, 1, 0, world->n, flags);
}

static inline int64_t cell_of(const rebal_result *result, uint32_t column, size_t row) {
  size_t n = 0;
  const int64_t *cells = rebal_result_i64(result, column, &n);

  ck_assert_uint_lt(row, n);
  return cells[row];
}

/*
 * A letter for each outcome (left alone ".", chosen "=", no subset "0", former "f", owner missing "!", replicas unknown
 * "e", owner unknown "?", going "-"), the index of the subset, "+" when recorded, "#" when by id.
 */
static inline struct shown show_admitted(const rebal_result *result) {
  struct shown shown = {"", 0};
  const size_t n = rebal_result_count(result, REBAL_TABLE_ADMITTED);

  for (size_t i = 0; i < n; i++) {
    const int64_t subset = cell_of(result, REBAL_ADMITTED_SUBSET, i);
    char piece[64];

    snprintf(piece, sizeof piece, "%s%c", i == 0 ? "" : " ", ".=0f!e?-"[cell_of(result, REBAL_ADMITTED_OUTCOME, i)]);
    show(&shown, piece);
    snprintf(piece, sizeof piece, "%lld", (long long)subset);
    show(&shown, subset == REBAL_ABSENT ? "" : piece);
    show(&shown, cell_of(result, REBAL_ADMITTED_RECORDED, i) != 0 ? "+" : "");
    show(&shown, cell_of(result, REBAL_ADMITTED_BY_ID, i) != 0 ? "#" : "");
  }
  return shown;
}

struct admitted_batch {
  const char *subsets;
  const char *status;
  const char *batch;
  const char *rows; /* as show_admitted() shows them */
  const char *after;
};

/* Admits a batch to a workload of 10 replicas, with an option (0: none). */
static inline void expect_batch(uint32_t option, const struct admitted_batch *row) {
  struct admitting world;
  rebal_spread *spread = spread_of("Deployment", row->subsets, row->status);

  open_admitting(&world);
  if (option != 0) {
    ck_assert_int_eq(rebal_compat_set(world.compat, option, 1, NULL), REBAL_OK);
  }
  ck_assert_int_eq(rebal_cells_set_i64(rebal_spread_cells(spread), REBAL_SPREAD_WORKLOAD_ADMISSION_REPLICAS, REBAL_NONE,
                                       0, 10, NULL),
                   REBAL_OK);
  add_batch(&world, row->batch);
  ck_assert_int_eq(admit_all(&world, spread, 0), REBAL_OK);
  ck_assert_str_eq(show_admitted(world.result).text, row->rows);
  ck_assert_str_eq(show_status(spread).text, row->after);
  rebal_spread_free(spread);
  close_admitting(&world);
}

#endif
