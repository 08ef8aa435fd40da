/* SPDX-License-Identifier: MIT */
/*
 * Passes of the controller for the tests of this room, in short: making.h for the spread and its status, one
 * struct test_pod for each pod, and what a pass tells as text.
 *
 * Pods: "name@version=subset cost": "-" for no subset, "" for no cost; "?" behind the cost for a subset's minimum, then
 * "c" where the cost is written, "s" where the pod is adopted, "x" where it is stuck; apart by ", ".
 *
 * Actions: "patch p1", "status", "delete p1", "event <reason>", "wake <seconds>"; then the state of the step.
 */
#ifndef TEST_SPREAD_PASSING_H
#define TEST_SPREAD_PASSING_H

#include "making.h"
#include "workloadspread/pass.h"

#include "../../support/fleet_builder.h"

#define PASS_NOW 1000 /* seconds */

struct test_pod {
  const char *name;
  const char *subset;  /* in its annotation; NULL: it has none */
  const char *spread;  /* NULL: "ws" */
  const char *id;      /* uid in the annotation */
  const char *version; /* pod-template-hash; NULL: no label */
  const char *node;
  const char *needs; /* test_request_handle() */
  const char *cost;
  int64_t phase; /* 0: Running */
  int64_t created;
  int64_t ready_since; /* 0 with ready: unset */
  int ready;
  int deleting;
  int unschedulable;
  int restarts;
  int sidecar_restarts;
};

struct passing {
  struct test_world world;
  rebal_pods *pods;
  rebal_spread *spread;
  rebal_spread_opts opts;
  rebal_time now;
  uint32_t cluster;
  uint32_t owner;
  uint32_t rows[64];
  size_t n;
  struct shown shown;
};

static inline void passing_set(struct passing *passing, uint32_t column, uint32_t row, int64_t value) {
  ck_assert_int_eq(rebal_cells_set_i64(rebal_pods_cells(passing->pods), column, REBAL_NONE, row, value, NULL),
                   REBAL_OK);
}

static inline void passing_text(struct passing *passing, uint32_t column, uint32_t row, const char *text) {
  if (text != NULL) {
    ck_assert_int_eq(
        rebal_cells_set_text(rebal_pods_cells(passing->pods), column, REBAL_NONE, row, text, strlen(text), NULL),
        REBAL_OK);
  }
}

static inline void passing_time(struct passing *passing, uint32_t column, uint32_t row, int64_t seconds) {
  const rebal_time time = test_time(seconds);

  ck_assert_int_eq(rebal_cells_set_time(rebal_pods_cells(passing->pods), column, REBAL_NONE, row, &time, NULL),
                   REBAL_OK);
}

static inline void passing_fact(struct passing *passing, uint32_t column, int64_t value) {
  ck_assert_int_eq(rebal_cells_set_i64(rebal_spread_cells(passing->spread), column, REBAL_NONE, 0, value, NULL),
                   REBAL_OK);
}

/* The workload exists with so many replicas, and v1 is its latest version. */
static inline void passing_use(struct passing *passing, rebal_spread *spread, int64_t replicas) {
  rebal_spread_free(passing->spread);
  passing->spread = spread;
  passing_fact(passing, REBAL_SPREAD_WORKLOAD_STATE, REBAL_OWNER_STATE_EXISTS);
  passing_fact(passing, REBAL_SPREAD_WORKLOAD_REPLICAS, replicas);
  passing_fact(passing, REBAL_SPREAD_WORKLOAD_LATEST_STATE, REBAL_LATEST_STATE_KNOWN);
  ck_assert_int_eq(
      rebal_cells_set_text(rebal_spread_cells(spread), REBAL_SPREAD_WORKLOAD_LATEST, REBAL_NONE, 0, "v1", 2, NULL),
      REBAL_OK);
}

static inline void passing_open(struct passing *passing, rebal_spread *spread, int64_t replicas) {
  static const struct test_cluster cluster = {"m1"};

  memset(passing, 0, sizeof *passing);
  test_world_open(&passing->world, NULL);
  passing->cluster = test_add_cluster(&passing->world, &cluster);
  ck_assert_int_eq(rebal_pods_new(passing->world.fleet, NULL, &passing->pods, NULL), REBAL_OK);
  ck_assert_int_eq(
      rebal_cells_add(rebal_pods_cells(passing->pods), REBAL_TABLE_OWNER, REBAL_NONE, &passing->owner, 1, NULL),
      REBAL_OK);
  passing_text(passing, REBAL_OWNER_KIND, passing->owner, "ReplicaSet");
  passing->opts.struct_size = sizeof passing->opts;
  passing->now = test_time(PASS_NOW);
  passing_use(passing, spread, replicas);
}

static inline void passing_close(struct passing *passing) {
  rebal_spread_free(passing->spread);
  rebal_pods_free(passing->pods);
  test_world_close(&passing->world);
}

static inline uint32_t passing_node(struct passing *passing, const char *name) {
  uint32_t node = REBAL_NONE;

  ck_assert_int_eq(rebal_fleet_node_id(passing->world.fleet, passing->cluster, name, strlen(name), &node, NULL),
                   REBAL_OK);
  return node;
}

static inline void passing_add(struct passing *passing, const struct test_pod *pod) {
  uint32_t *row = &passing->rows[passing->n];

  ck_assert_uint_lt(passing->n++, sizeof passing->rows / sizeof passing->rows[0]);
  ck_assert_int_eq(rebal_cells_add(rebal_pods_cells(passing->pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE, row, 1, NULL),
                   REBAL_OK);
  passing_text(passing, REBAL_SPREAD_POD_NAME, *row, pod->name);
  passing_text(passing, REBAL_SPREAD_POD_UID, *row, pod->name);
  passing_set(passing, REBAL_SPREAD_POD_CONTROLLER, *row, passing->owner);
  passing_text(passing, REBAL_SPREAD_POD_VERSION, *row, pod->version);
  passing_set(passing, REBAL_SPREAD_POD_VERSION_LABEL, *row, pod->version != NULL);
  if (pod->subset != NULL) {
    passing_set(passing, REBAL_SPREAD_POD_MATCHED_STATE, *row, REBAL_ANNOTATION_PRESENT);
    passing_text(passing, REBAL_SPREAD_POD_MATCHED_SPREAD, *row, pod->spread == NULL ? "ws" : pod->spread);
    passing_text(passing, REBAL_SPREAD_POD_MATCHED_SUBSET, *row, pod->subset);
    passing_text(passing, REBAL_SPREAD_POD_MATCHED_ID, *row, pod->id);
  }
  if (pod->node != NULL) {
    passing_set(passing, REBAL_SPREAD_POD_NODE, *row, passing_node(passing, pod->node));
  }
  if (pod->needs != NULL) {
    passing_set(passing, REBAL_SPREAD_POD_REQUIREMENTS, *row, test_request_handle(&passing->world, pod->needs));
  }
  passing_text(passing, REBAL_SPREAD_POD_DELETION_COST, *row, pod->cost);
  passing_set(passing, REBAL_SPREAD_POD_PHASE, *row, pod->phase == 0 ? REBAL_POD_PHASE_RUNNING : pod->phase);
  passing_time(passing, REBAL_SPREAD_POD_CREATED, *row, pod->created);
  passing_time(passing, REBAL_SPREAD_POD_READY_SINCE, *row, pod->ready_since);
  passing_set(passing, REBAL_SPREAD_POD_READY, *row, pod->ready);
  passing_set(passing, REBAL_SPREAD_POD_DELETING, *row, pod->deleting);
  passing_set(passing, REBAL_SPREAD_POD_UNSCHEDULABLE, *row, pod->unschedulable);
  passing_set(passing, REBAL_SPREAD_POD_RESTARTS, *row, pod->restarts);
  passing_set(passing, REBAL_SPREAD_POD_SIDECAR_RESTARTS, *row, pod->sidecar_restarts);
}

/* "n1 zone=a k=v": a node with its labels and, behind "/", its taints. */
static inline void passing_add_node(struct passing *passing, const char *name, const char *labels, const char *taints) {
  const struct test_node node = {.name = name, .labels = labels, .taints = taints};

  (void)test_set_node(&passing->world, passing->cluster, &node);
}

static inline int32_t passing_call(struct passing *passing) {
  passing->opts.cluster = passing->cluster;
  passing->opts.rows = passing->rows;
  passing->opts.n_rows = passing->n;
  return rebal_spread_step(passing->world.ctx, passing->world.snapshot, passing->spread, passing->pods, &passing->now,
                           &passing->opts, passing->world.result, &passing->world.err);
}

static inline void passing_step(struct passing *passing) {
  test_freeze(&passing->world);
  ck_assert_msg(passing_call(passing) == REBAL_OK, "%s", passing->world.err.message);
}

/* ---- and back ---------------------------------------------------------------------------------------------------- */

static inline int64_t passing_cell(const struct passing *passing, uint32_t column, size_t row) {
  size_t n = 0;
  const int64_t *cells = rebal_result_i64(passing->world.result, column, &n);

  ck_assert_uint_lt(row, n);
  return cells[row];
}

static inline const char *passing_version(const struct passing *passing, int64_t version) {
  for (size_t i = 0; i < rebal_result_count(passing->world.result, REBAL_TABLE_SUBSET_COUNT); i++) {
    if (passing_cell(passing, REBAL_SUBSET_COUNT_VERSION, i) == version) {
      return rebal_result_text(passing->world.result, REBAL_SUBSET_COUNT_VERSION_NAME, i, NULL);
    }
  }
  return "";
}

static inline void passing_show_pod(struct passing *passing, size_t row) {
  const uint32_t pod = (uint32_t)passing_cell(passing, REBAL_GROUPED_POD, row);
  const int64_t subset = passing_cell(passing, REBAL_GROUPED_SUBSET, row);
  const int64_t cost = passing_cell(passing, REBAL_GROUPED_COST, row);
  const int64_t changes = passing_cell(passing, REBAL_GROUPED_CHANGES, row);
  const char *version = passing_version(passing, passing_cell(passing, REBAL_GROUPED_VERSION, row));
  char piece[200];

  (void)snprintf(
      piece, sizeof piece, "%s%s@%s=%s ", row == 0 ? "" : ", ",
      rebal_cells_get_text(rebal_pods_const_cells(passing->pods), REBAL_SPREAD_POD_NAME, REBAL_NONE, pod, NULL),
      strcmp(version, "versionIgnored") == 0 ? "" : version,
      subset == REBAL_ABSENT ? "-" : rebal_spread_subset_name(passing->spread, (uint32_t)subset, NULL));
  show(&passing->shown, piece);
  (void)snprintf(piece, sizeof piece, "%lld", (long long)cost);
  show(&passing->shown, cost == REBAL_ABSENT ? "" : piece);
  show(&passing->shown, passing_cell(passing, REBAL_GROUPED_WHY, row) == REBAL_COST_REASON_MINIMUM ? "?" : "");
  show(&passing->shown, (changes & REBAL_CHANGES_COST) != 0 ? "c" : "");
  show(&passing->shown, (changes & REBAL_CHANGES_SUBSET) != 0 ? "s" : "");
  show(&passing->shown, passing_cell(passing, REBAL_GROUPED_STUCK, row) != 0 ? "x" : "");
}

static inline const char *passing_pods(struct passing *passing) {
  passing->shown = (struct shown){"", 0};
  for (size_t i = 0; i < rebal_result_count(passing->world.result, REBAL_TABLE_GROUPED); i++) {
    passing_show_pod(passing, i);
  }
  return passing->shown.text;
}

static inline const rebal_record *passing_payload(const struct passing *passing, int64_t kind) {
  for (size_t i = 0; i < rebal_result_count(passing->world.result, REBAL_TABLE_ACTION); i++) {
    if (passing_cell(passing, REBAL_ACTION_KIND, i) == kind) {
      return rebal_result_record(passing->world.result, i);
    }
  }
  return NULL;
}

/* The status a pass writes; "" for none. */
static inline const char *passing_status(struct passing *passing) {
  const rebal_record *payload = passing_payload(passing, REBAL_ACTION_KIND_PATCH_STATUS);

  passing->shown = payload == NULL ? (struct shown){"", 0} : show_record(payload);
  return passing->shown.text;
}

static inline void passing_show_action(struct passing *passing, size_t row) {
  const rebal_result *result = passing->world.result;
  const char *name = rebal_result_text(result, REBAL_ACTION_NAME, row, NULL);
  const rebal_record *payload = rebal_result_record(result, row);
  char piece[200] = "?";
  rebal_time at;

  switch (passing_cell(passing, REBAL_ACTION_KIND, row)) {
    case REBAL_ACTION_KIND_PATCH_METADATA:
      (void)snprintf(piece, sizeof piece, "patch %s", name);
      break;
    case REBAL_ACTION_KIND_PATCH_STATUS:
      (void)snprintf(piece, sizeof piece, "status");
      break;
    case REBAL_ACTION_KIND_DELETE:
      (void)snprintf(piece, sizeof piece, "delete %s", name);
      break;
    case REBAL_ACTION_KIND_EVENT:
      (void)snprintf(piece, sizeof piece, "event %s",
                     rebal_record_text(payload, rebal_record_next(payload, 0, REBAL_EVENT_REASON, REBAL_NONE), NULL));
      break;
    case REBAL_ACTION_KIND_WAKE:
      rebal_result_time(result, REBAL_ACTION_NOT_BEFORE, row, &at);
      (void)snprintf(piece, sizeof piece, "wake %lld", (long long)(at.seconds - passing->now.seconds));
      break;
    default:
      break;
  }
  show(&passing->shown, piece);
  show(&passing->shown, ", ");
}

static inline const char *passing_actions(struct passing *passing) {
  static const char *const states[] = {"", "waiting", "done", "retry", "skipped"};

  passing->shown = (struct shown){"", 0};
  for (size_t i = 0; i < rebal_result_count(passing->world.result, REBAL_TABLE_ACTION); i++) {
    passing_show_action(passing, i);
  }
  show(&passing->shown, states[passing_cell(passing, REBAL_STEP_STATE, 0)]);
  return passing->shown.text;
}

/* Messages of all events, each behind "; ". */
static inline const char *passing_events(struct passing *passing) {
  const rebal_result *result = passing->world.result;

  passing->shown = (struct shown){"", 0};
  for (size_t i = 0; i < rebal_result_count(result, REBAL_TABLE_ACTION); i++) {
    const rebal_record *payload = rebal_result_record(result, i);

    if (passing_cell(passing, REBAL_ACTION_KIND, i) == REBAL_ACTION_KIND_EVENT) {
      show(&passing->shown,
           rebal_record_text(payload, rebal_record_next(payload, 0, REBAL_EVENT_MESSAGE, REBAL_NONE), NULL));
      show(&passing->shown, "; ");
    }
  }
  return passing->shown.text;
}

#endif
