/* SPDX-License-Identifier: MIT */
/*
 * Passes of the controller for the tests of this folder, in short notation: making.h for the spread and its status,
 * one struct test_pod for each pod, and the results of a pass as text.
 *
 * Pods: "name@version=subset cost": "-" for no subset, "" for no cost; "?" after the cost for a subset's minimum, then
 * "c" where the cost is written, "s" where the pod is adopted, "x" where it is stuck; apart by ", ".
 *
 * Actions: "patch p1", "status", "delete p1", "event <reason>", "wake <seconds>"; then the state of the step.
 */
#ifndef TEST_SPREAD_PASS_FIXTURE_H
#define TEST_SPREAD_PASS_FIXTURE_H

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

struct pass_fixture {
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

static inline void pass_set(struct pass_fixture *fixture, uint32_t column, uint32_t row, int64_t value) {
  ck_assert_int_eq(rebal_cells_set_i64(rebal_pods_cells(fixture->pods), column, REBAL_NONE, row, value, NULL),
                   REBAL_OK);
}

static inline void pass_text(struct pass_fixture *fixture, uint32_t column, uint32_t row, const char *text) {
  if (text != NULL) {
    ck_assert_int_eq(
        rebal_cells_set_text(rebal_pods_cells(fixture->pods), column, REBAL_NONE, row, text, strlen(text), NULL),
        REBAL_OK);
  }
}

static inline void pass_time(struct pass_fixture *fixture, uint32_t column, uint32_t row, int64_t seconds) {
  const rebal_time time = test_time(seconds);

  ck_assert_int_eq(rebal_cells_set_time(rebal_pods_cells(fixture->pods), column, REBAL_NONE, row, &time, NULL),
                   REBAL_OK);
}

static inline void pass_fact(struct pass_fixture *fixture, uint32_t column, int64_t value) {
  ck_assert_int_eq(rebal_cells_set_i64(rebal_spread_cells(fixture->spread), column, REBAL_NONE, 0, value, NULL),
                   REBAL_OK);
}

/* The workload exists with so many replicas, and v1 is its latest version. */
static inline void pass_use(struct pass_fixture *fixture, rebal_spread *spread, int64_t replicas) {
  rebal_spread_free(fixture->spread);
  fixture->spread = spread;
  pass_fact(fixture, REBAL_SPREAD_WORKLOAD_STATE, REBAL_OWNER_STATE_EXISTS);
  pass_fact(fixture, REBAL_SPREAD_WORKLOAD_REPLICAS, replicas);
  pass_fact(fixture, REBAL_SPREAD_WORKLOAD_LATEST_STATE, REBAL_LATEST_STATE_KNOWN);
  ck_assert_int_eq(
      rebal_cells_set_text(rebal_spread_cells(spread), REBAL_SPREAD_WORKLOAD_LATEST, REBAL_NONE, 0, "v1", 2, NULL),
      REBAL_OK);
}

static inline void pass_open(struct pass_fixture *fixture, rebal_spread *spread, int64_t replicas) {
  static const struct test_cluster cluster = {"m1"};

  memset(fixture, 0, sizeof *fixture);
  test_world_open(&fixture->world, NULL);
  fixture->cluster = test_add_cluster(&fixture->world, &cluster);
  ck_assert_int_eq(rebal_pods_new(fixture->world.fleet, NULL, &fixture->pods, NULL), REBAL_OK);
  ck_assert_int_eq(
      rebal_cells_add(rebal_pods_cells(fixture->pods), REBAL_TABLE_OWNER, REBAL_NONE, &fixture->owner, 1, NULL),
      REBAL_OK);
  pass_text(fixture, REBAL_OWNER_KIND, fixture->owner, "ReplicaSet");
  fixture->opts.struct_size = sizeof fixture->opts;
  fixture->now = test_time(PASS_NOW);
  pass_use(fixture, spread, replicas);
}

static inline void pass_close(struct pass_fixture *fixture) {
  rebal_spread_free(fixture->spread);
  rebal_pods_free(fixture->pods);
  test_world_close(&fixture->world);
}

static inline uint32_t pass_node(struct pass_fixture *fixture, const char *name) {
  uint32_t node = REBAL_NONE;

  ck_assert_int_eq(rebal_fleet_node_id(fixture->world.fleet, fixture->cluster, name, strlen(name), &node, NULL),
                   REBAL_OK);
  return node;
}

static inline void pass_add(struct pass_fixture *fixture, const struct test_pod *pod) {
  uint32_t *row = &fixture->rows[fixture->n];

  ck_assert_uint_lt(fixture->n++, sizeof fixture->rows / sizeof fixture->rows[0]);
  ck_assert_int_eq(rebal_cells_add(rebal_pods_cells(fixture->pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE, row, 1, NULL),
                   REBAL_OK);
  pass_text(fixture, REBAL_SPREAD_POD_NAME, *row, pod->name);
  pass_text(fixture, REBAL_SPREAD_POD_UID, *row, pod->name);
  pass_set(fixture, REBAL_SPREAD_POD_CONTROLLER, *row, fixture->owner);
  pass_text(fixture, REBAL_SPREAD_POD_VERSION, *row, pod->version);
  pass_set(fixture, REBAL_SPREAD_POD_VERSION_LABEL, *row, pod->version != NULL);
  if (pod->subset != NULL) {
    pass_set(fixture, REBAL_SPREAD_POD_MATCHED_STATE, *row, REBAL_ANNOTATION_PRESENT);
    pass_text(fixture, REBAL_SPREAD_POD_MATCHED_SPREAD, *row, pod->spread == NULL ? "ws" : pod->spread);
    pass_text(fixture, REBAL_SPREAD_POD_MATCHED_SUBSET, *row, pod->subset);
    pass_text(fixture, REBAL_SPREAD_POD_MATCHED_ID, *row, pod->id);
  }
  if (pod->node != NULL) {
    pass_set(fixture, REBAL_SPREAD_POD_NODE, *row, pass_node(fixture, pod->node));
  }
  if (pod->needs != NULL) {
    pass_set(fixture, REBAL_SPREAD_POD_REQUIREMENTS, *row, test_request_handle(&fixture->world, pod->needs));
  }
  pass_text(fixture, REBAL_SPREAD_POD_DELETION_COST, *row, pod->cost);
  pass_set(fixture, REBAL_SPREAD_POD_PHASE, *row, pod->phase == 0 ? REBAL_POD_PHASE_RUNNING : pod->phase);
  pass_time(fixture, REBAL_SPREAD_POD_CREATED, *row, pod->created);
  pass_time(fixture, REBAL_SPREAD_POD_READY_SINCE, *row, pod->ready_since);
  pass_set(fixture, REBAL_SPREAD_POD_READY, *row, pod->ready);
  pass_set(fixture, REBAL_SPREAD_POD_DELETING, *row, pod->deleting);
  pass_set(fixture, REBAL_SPREAD_POD_UNSCHEDULABLE, *row, pod->unschedulable);
  pass_set(fixture, REBAL_SPREAD_POD_RESTARTS, *row, pod->restarts);
  pass_set(fixture, REBAL_SPREAD_POD_SIDECAR_RESTARTS, *row, pod->sidecar_restarts);
}

/* "n1 zone=a k=v": a node with its labels and, after "/", its taints. */
static inline void pass_add_node(struct pass_fixture *fixture, const char *name, const char *labels,
                                 const char *taints) {
  const struct test_node node = {.name = name, .labels = labels, .taints = taints};

  (void)test_set_node(&fixture->world, fixture->cluster, &node);
}

static inline int32_t pass_call(struct pass_fixture *fixture) {
  fixture->opts.cluster = fixture->cluster;
  fixture->opts.rows = fixture->rows;
  fixture->opts.n_rows = fixture->n;
  return rebal_spread_step(fixture->world.ctx, fixture->world.snapshot, fixture->spread, fixture->pods, &fixture->now,
                           &fixture->opts, fixture->world.result, &fixture->world.err);
}

static inline void pass_step(struct pass_fixture *fixture) {
  test_freeze(&fixture->world);
  ck_assert_msg(pass_call(fixture) == REBAL_OK, "%s", fixture->world.err.message);
}

/* ---- and back ---------------------------------------------------------------------------------------------------- */

static inline int64_t pass_cell(const struct pass_fixture *fixture, uint32_t column, size_t row) {
  size_t n = 0;
  const int64_t *cells = rebal_result_i64(fixture->world.result, column, &n);

  ck_assert_uint_lt(row, n);
  return cells[row];
}

static inline const char *pass_version(const struct pass_fixture *fixture, int64_t version) {
  for (size_t i = 0; i < rebal_result_count(fixture->world.result, REBAL_TABLE_SUBSET_COUNT); i++) {
    if (pass_cell(fixture, REBAL_SUBSET_COUNT_VERSION, i) == version) {
      return rebal_result_text(fixture->world.result, REBAL_SUBSET_COUNT_VERSION_NAME, i, NULL);
    }
  }
  return "";
}

static inline void pass_show_pod(struct pass_fixture *fixture, size_t row) {
  const uint32_t pod = (uint32_t)pass_cell(fixture, REBAL_GROUPED_POD, row);
  const int64_t subset = pass_cell(fixture, REBAL_GROUPED_SUBSET, row);
  const int64_t cost = pass_cell(fixture, REBAL_GROUPED_COST, row);
  const int64_t changes = pass_cell(fixture, REBAL_GROUPED_CHANGES, row);
  const char *version = pass_version(fixture, pass_cell(fixture, REBAL_GROUPED_VERSION, row));
  char piece[200];

  (void)snprintf(
      piece, sizeof piece, "%s%s@%s=%s ", row == 0 ? "" : ", ",
      rebal_cells_get_text(rebal_pods_const_cells(fixture->pods), REBAL_SPREAD_POD_NAME, REBAL_NONE, pod, NULL),
      strcmp(version, "versionIgnored") == 0 ? "" : version,
      subset == REBAL_ABSENT ? "-" : rebal_spread_subset_name(fixture->spread, (uint32_t)subset, NULL));
  show(&fixture->shown, piece);
  (void)snprintf(piece, sizeof piece, "%lld", (long long)cost);
  show(&fixture->shown, cost == REBAL_ABSENT ? "" : piece);
  show(&fixture->shown, pass_cell(fixture, REBAL_GROUPED_WHY, row) == REBAL_COST_REASON_MINIMUM ? "?" : "");
  show(&fixture->shown, (changes & REBAL_CHANGES_COST) != 0 ? "c" : "");
  show(&fixture->shown, (changes & REBAL_CHANGES_SUBSET) != 0 ? "s" : "");
  show(&fixture->shown, pass_cell(fixture, REBAL_GROUPED_STUCK, row) != 0 ? "x" : "");
}

static inline const char *pass_pods(struct pass_fixture *fixture) {
  fixture->shown = (struct shown){"", 0};
  for (size_t i = 0; i < rebal_result_count(fixture->world.result, REBAL_TABLE_GROUPED); i++) {
    pass_show_pod(fixture, i);
  }
  return fixture->shown.text;
}

static inline const rebal_record *pass_payload(const struct pass_fixture *fixture, int64_t kind) {
  for (size_t i = 0; i < rebal_result_count(fixture->world.result, REBAL_TABLE_ACTION); i++) {
    if (pass_cell(fixture, REBAL_ACTION_KIND, i) == kind) {
      return rebal_result_record(fixture->world.result, i);
    }
  }
  return NULL;
}

/* The status a pass writes; "" for none. */
static inline const char *pass_status(struct pass_fixture *fixture) {
  const rebal_record *payload = pass_payload(fixture, REBAL_ACTION_KIND_PATCH_STATUS);

  fixture->shown = payload == NULL ? (struct shown){"", 0} : show_record(payload);
  return fixture->shown.text;
}

static inline void pass_show_action(struct pass_fixture *fixture, size_t row) {
  const rebal_result *result = fixture->world.result;
  const char *name = rebal_result_text(result, REBAL_ACTION_NAME, row, NULL);
  const rebal_record *payload = rebal_result_record(result, row);
  char piece[200] = "?";
  rebal_time at;

  switch (pass_cell(fixture, REBAL_ACTION_KIND, row)) {
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
      (void)snprintf(piece, sizeof piece, "wake %lld", (long long)(at.seconds - fixture->now.seconds));
      break;
    default:
      break;
  }
  show(&fixture->shown, piece);
  show(&fixture->shown, ", ");
}

static inline const char *pass_actions(struct pass_fixture *fixture) {
  static const char *const states[] = {"", "waiting", "done", "retry", "skipped"};

  fixture->shown = (struct shown){"", 0};
  for (size_t i = 0; i < rebal_result_count(fixture->world.result, REBAL_TABLE_ACTION); i++) {
    pass_show_action(fixture, i);
  }
  show(&fixture->shown, states[pass_cell(fixture, REBAL_STEP_STATE, 0)]);
  return fixture->shown.text;
}

/* Messages of all events, each followed by "; ". */
static inline const char *pass_events(struct pass_fixture *fixture) {
  const rebal_result *result = fixture->world.result;

  fixture->shown = (struct shown){"", 0};
  for (size_t i = 0; i < rebal_result_count(result, REBAL_TABLE_ACTION); i++) {
    const rebal_record *payload = rebal_result_record(result, i);

    if (pass_cell(fixture, REBAL_ACTION_KIND, i) == REBAL_ACTION_KIND_EVENT) {
      show(&fixture->shown,
           rebal_record_text(payload, rebal_record_next(payload, 0, REBAL_EVENT_MESSAGE, REBAL_NONE), NULL));
      show(&fixture->shown, "; ");
    }
  }
  return fixture->shown.text;
}

#endif
