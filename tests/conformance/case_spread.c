/* SPDX-License-Identifier: MIT */
/* Grouping and selection with given scores, which are passed as the caller's column. Every cluster passes. */
#include "cases.h"

#include <stdlib.h>
#include <string.h>

static json_t *list_names(const struct conformance *run, const struct world *world, uint32_t column) {
  size_t n = 0;
  const int64_t *ids = rebal_result_i64(run->result, column, &n);
  json_t *names = json_array();
  size_t i;

  for (i = 0; i < n; i++) {
    (void)json_array_append_new(names, json_string(cluster_name(world->snapshot, (uint32_t)ids[i])));
  }
  return names;
}

/* NULL when there are no groups at all. */
static json_t *list_groups(const struct conformance *run) {
  size_t n = 0;
  const int64_t *fields = rebal_result_i64(run->result, REBAL_GROUP_FIELD, &n);
  const int64_t *scores = rebal_result_i64(run->result, REBAL_GROUP_SCORE, NULL);
  const int64_t *available = rebal_result_i64(run->result, REBAL_GROUP_AVAILABLE, NULL);
  json_t *groups = n == 0 ? NULL : json_object();
  size_t i;

  for (i = 0; i < n; i++) {
    const char *name = rebal_enum_name(REBAL_ENUM_SPREAD_BY, fields[i], NULL);
    json_t *field = json_object_get(groups, name);

    if (field == NULL) {
      field = json_object();
      (void)json_object_set_new(groups, name, field);
    }
    (void)json_object_set_new(
        field, rebal_result_text(run->result, REBAL_GROUP_NAME, i, NULL),
        json_pack("{s:I, s:I}", "score", (json_int_t)scores[i], "available", (json_int_t)available[i]));
  }
  return groups;
}

/* Recorded messages lack the scheduler's prefix. */
static const char *message_of(const rebal_result *result) {
  static const char prefix[] = "failed to select clusters: ";
  const char *message = rebal_result_text(result, REBAL_DECISION_MESSAGE, 0, NULL);

  return strncmp(message, prefix, sizeof prefix - 1) == 0 ? message + sizeof prefix - 1 : message;
}

static json_t *report(const struct conformance *run, const struct world *world, json_t *order) {
  const int64_t *outcomes = rebal_result_i64(run->result, REBAL_DECISION_OUTCOME, NULL);
  json_t *outcome = json_pack("{s:O}", "order", order);
  json_t *groups = list_groups(run);

  if (groups != NULL) {
    (void)json_object_set_new(outcome, "groups", groups);
  }
  if (outcomes[0] == REBAL_OUTCOME_SCHEDULED) {
    (void)json_object_set_new(outcome, "selected", list_names(run, world, REBAL_SELECTED_CLUSTER));
  } else {
    (void)json_object_set_new(outcome, "error",
                              json_pack("{s:s, s:s}", "kind", "Error", "message", message_of(run->result)));
  }
  return outcome;
}

/* An affinity without any condition matches every cluster. */
static int pass_all(struct conformance *run, const struct world *world, rebal_result *verdicts) {
  json_t *anything = json_object();
  const rebal_record *affinity;
  const int failure = failed(run, record_from_json(run, REBAL_OBJECT_AFFINITY, anything, &affinity)) ||
                      failed(run, rebal_match(run->ctx, world->snapshot, affinity, verdicts, &run->err));

  json_decref(anything);
  return failure;
}

static json_t *select_clusters(struct conformance *run, const struct world *world, const rebal_schedule_opts *opts) {
  rebal_result *verdicts = NULL;
  rebal_result *scored = NULL;
  json_t *order = NULL;
  json_t *outcome = NULL;

  if (!failed(run, rebal_result_new(NULL, &verdicts, &run->err)) &&
      !failed(run, rebal_result_new(NULL, &scored, &run->err)) && !pass_all(run, world, verdicts) &&
      !failed(run, rebal_score(run->ctx, world->snapshot, world->bindings, verdicts, opts, run->result, &run->err))) {
    order = list_names(run, world, REBAL_SCORED_CLUSTER);
    if (!failed(run, rebal_score(run->ctx, world->snapshot, world->bindings, verdicts, opts, scored, &run->err)) &&
        !failed(run, rebal_select(run->ctx, world->snapshot, world->bindings, scored, opts, run->result, &run->err))) {
      outcome = report(run, world, order);
    }
  }
  json_decref(order);
  rebal_result_free(verdicts);
  rebal_result_free(scored);
  rebal_result_reset(run->result);
  return outcome;
}

/* By cluster id. */
static int64_t *read_scores(const struct world *world, const json_t *scores) {
  const uint32_t rows = rebal_cells_bound(rebal_snapshot_cells(world->snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE);
  int64_t *cells = calloc((size_t)rows + 1, sizeof *cells);
  uint32_t row;

  for (row = 0; cells != NULL && row < rows; row++) {
    cells[row] = integer_at(scores, cluster_name(world->snapshot, row), 0);
  }
  return cells;
}

/*
 * The binding as an array. Recorded selections have the available replicas even of a workload without replicas, for
 * which no estimator is called; they are called if there is a component.
 */
static json_t *read_binding(const json_t *input) {
  json_t *binding = json_deep_copy(json_object_get(input, "binding"));
  json_t *spec = json_object_get(binding, "spec");

  if (json_object_get(spec, "components") == NULL) {
    (void)json_object_set_new(spec, "components", json_pack("[{s:s}]", "name", "only"));
  }
  return json_pack("[o]", binding);
}

json_t *case_spread(struct conformance *run, const json_t *input) {
  json_t *bindings = read_binding(input);
  json_t *answers =
      json_pack("{s:[s], s:O}", "estimators", "available", "available", json_object_get(input, "available"));
  rebal_schedule_opts opts = {.struct_size = (uint32_t)sizeof opts};
  struct estimators estimators = {.fits = NULL};
  struct world world;
  int64_t *scores = NULL;
  json_t *outcome = NULL;

  if (!world_build(run, &world, json_object_get(input, "clusters"), bindings, NULL) &&
      !failed(run, rebal_compat_set(world.compat, REBAL_OPTION_CLUSTER_LOCALITY, 0, &run->err)) &&
      !estimators_read(run, &world, answers, &opts, &estimators)) {
    scores = read_scores(&world, json_object_get(input, "scores"));
    opts.compat = world.compat;
    opts.extra_score = scores;
    opts.extra_clusters = rebal_cells_bound(rebal_snapshot_cells(world.snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE);
    outcome = scores == NULL ? fault(run, "no memory") : select_clusters(run, &world, &opts);
  }
  free(scores);
  estimators_dispose(&estimators);
  world_dispose(&world);
  json_decref(answers);
  json_decref(bindings);
  return outcome;
}
