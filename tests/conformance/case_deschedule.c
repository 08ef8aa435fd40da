/* SPDX-License-Identifier: MIT */
#include "cases.h"

#include <stdlib.h>
#include <string.h>

#define ESTIMATORS_MAX 4

/* Answers of the estimators, each for every cluster. */
struct answers {
  rebal_estimator estimators[ESTIMATORS_MAX];
  const rebal_estimator *list[ESTIMATORS_MAX];
  int32_t *cells;
  size_t n;
};

static int answers_read(struct conformance *run, const struct world *world, const json_t *maps, struct answers *out) {
  const uint32_t rows = rebal_cells_bound(rebal_snapshot_cells(world->snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE);
  const json_t *map;
  size_t i;
  uint32_t row;

  out->n = json_array_size(maps);
  out->cells = malloc((out->n * rows + 1) * sizeof *out->cells);
  if (out->cells == NULL || out->n > ESTIMATORS_MAX) {
    run->fault = out->cells == NULL ? "no memory" : "there are more estimators than the runner supports";
    return 1;
  }
  json_array_foreach(maps, i, map) {
    int32_t *cells = out->cells + i * rows;

    for (row = 0; row < rows; row++) {
      cells[row] = (int32_t)integer_at(map, cluster_name(world->snapshot, row), REBAL_FITS_NO_OPINION);
    }
    out->estimators[i] = (rebal_estimator){(uint32_t)sizeof out->estimators[i], 0, cells, rows, 0};
    out->list[i] = &out->estimators[i];
  }
  return 0;
}

static void report_targets(const rebal_result *result, const rebal_snapshot *snapshot, json_t *outcome) {
  const size_t n = rebal_result_count(result, REBAL_TABLE_DESCHEDULED);
  const int64_t *clusters = rebal_result_i64(result, REBAL_DESCHEDULED_CLUSTER, NULL);
  const int64_t *ready = rebal_result_i64(result, REBAL_DESCHEDULED_READY, NULL);
  const int64_t *replicas = rebal_result_i64(result, REBAL_DESCHEDULED_REPLICAS, NULL);
  const int64_t *unschedulable = rebal_result_i64(result, REBAL_DESCHEDULED_UNSCHEDULABLE, NULL);
  const int64_t *undesired = rebal_result_i64(result, REBAL_DESCHEDULED_UNDESIRED, NULL);
  json_t *status = json_array();
  json_int_t n_undesired = 0;
  size_t i;

  for (i = 0; i < n; i++) {
    (void)json_array_append_new(
        status, json_pack("{s:s, s:I, s:I, s:I}", "name", cluster_name(snapshot, (uint32_t)clusters[i]), "ready",
                          (json_int_t)(ready[i] == REBAL_ABSENT ? -1 : ready[i]), "spec", (json_int_t)replicas[i],
                          "unschedulable", (json_int_t)unschedulable[i]));
    n_undesired += (json_int_t)undesired[i];
  }
  (void)json_object_set_new(outcome, "status", status);
  (void)json_object_set_new(outcome, "undesired", json_integer(n_undesired));
}

/* spec.clusters, 0 replicas written out. */
static json_t *clusters_of(const json_t *spec) {
  json_t *clusters = json_array();
  const json_t *cluster;
  size_t i;

  json_array_foreach(json_object_get(spec, "clusters"), i, cluster) {
    (void)json_array_append_new(clusters, json_pack("{s:s, s:I}", "name", text_at(cluster, "name"), "replicas",
                                                    (json_int_t)integer_at(cluster, "replicas", 0)));
  }
  return clusters;
}

static void report_actions(const rebal_result *result, const json_t *binding, json_t *outcome) {
  const int64_t *kinds = rebal_result_i64(result, REBAL_ACTION_KIND, NULL);
  const size_t n = rebal_result_count(result, REBAL_TABLE_ACTION);
  json_t *clusters = clusters_of(json_object_get(binding, "spec"));
  size_t row;

  (void)json_object_set_new(outcome, "updated", json_false());
  for (row = 0; row < n; row++) {
    json_t *payload = record_to_json(rebal_result_record(result, row));

    if (kinds[row] == REBAL_ACTION_KIND_PATCH_SPEC) {
      json_decref(clusters);
      clusters = clusters_of(payload);
      (void)json_object_set_new(outcome, "updated", json_true());
    } else if (kinds[row] == REBAL_ACTION_KIND_EVENT) {
      (void)json_object_set_new(
          outcome, "event",
          json_sprintf("%s %s %s", text_at(payload, "type"), text_at(payload, "reason"), text_at(payload, "message")));
    }
    json_decref(payload);
  }
  (void)json_object_set_new(outcome, "clusters", clusters);
}

/* The first call decides whether a run takes the binding; the rest is recorded for every binding. */
static json_t *run_world(struct conformance *run, const struct world *world, const json_t *binding,
                         rebal_deschedule_opts *opts) {
  const rebal_time now = {0, 0, 1};
  json_t *outcome = json_object();

  if (!failed(run,
              rebal_deschedule_step(run->ctx, world->snapshot, world->bindings, &now, opts, run->result, &run->err))) {
    (void)json_object_set_new(
        outcome, "eligible",
        json_boolean(*rebal_result_i64(run->result, REBAL_STEP_REASON, NULL) != REBAL_DESCHEDULE_REASON_NOT_ELIGIBLE));
    opts->flags = REBAL_DESCHEDULE_FLAG_GIVEN_BINDINGS | REBAL_DESCHEDULE_FLAG_EXPLAIN;
    if (!failed(run, rebal_deschedule_step(run->ctx, world->snapshot, world->bindings, &now, opts, run->result,
                                           &run->err))) {
      report_targets(run->result, world->snapshot, outcome);
      report_actions(run->result, binding, outcome);
      return outcome;
    }
  }
  json_decref(outcome);
  return NULL;
}

json_t *case_deschedule(struct conformance *run, const json_t *input) {
  json_t *bindings = json_pack("[O]", json_object_get(input, "binding"));
  struct answers answers = {.cells = NULL};
  struct world world;
  json_t *outcome = NULL;

  if (!world_build(run, &world, NULL, bindings, NULL) &&
      !answers_read(run, &world, json_object_get(input, "unschedulable"), &answers)) {
    rebal_deschedule_opts opts = {.struct_size = (uint32_t)sizeof opts,
                                  .compat = world.compat,
                                  .estimators = answers.list,
                                  .n_estimators = answers.n};

    outcome = run_world(run, &world, json_object_get(input, "binding"), &opts);
  }
  rebal_result_reset(run->result);
  free(answers.cells);
  world_dispose(&world);
  json_decref(bindings);
  return outcome;
}
