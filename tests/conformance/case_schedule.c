/* SPDX-License-Identifier: MIT */
#include "cases.h"

#include <string.h>

static const char *const error_kinds[] = {
    [REBAL_OUTCOME_NO_CLUSTER_FIT] = "FitError",
    [REBAL_OUTCOME_UNSCHEDULABLE] = "Unschedulable",
    [REBAL_OUTCOME_SCHEDULER_ERROR] = "Error",
};

/* Recorded results are sorted by name. */
static void insert_sorted(json_t *clusters, const char *name, int64_t replicas) {
  size_t at = 0;

  while (at < json_array_size(clusters) && strcmp(text_at(json_array_get(clusters, at), "name"), name) < 0) {
    at++;
  }
  (void)json_array_insert_new(clusters, at, json_pack("{s:s, s:I}", "name", name, "replicas", (json_int_t)replicas));
}

static json_t *report(struct conformance *run, const struct world *world) {
  size_t n = 0;
  const int64_t *outcomes = rebal_result_i64(run->result, REBAL_DECISION_OUTCOME, NULL);
  const int64_t *ids = rebal_result_i64(run->result, REBAL_PLACED_CLUSTER, &n);
  const int64_t *replicas = rebal_result_i64(run->result, REBAL_PLACED_REPLICAS, &n);
  json_t *clusters;
  size_t i;

  if (outcomes == NULL) {
    return fault(run, "no decision");
  }
  if (outcomes[0] != REBAL_OUTCOME_SCHEDULED) {
    return json_pack("{s:{s:s, s:s}}", "error", "kind", error_kinds[outcomes[0]], "message",
                     rebal_result_text(run->result, REBAL_DECISION_MESSAGE, 0, NULL));
  }
  clusters = json_array();
  for (i = 0; i < n; i++) {
    insert_sorted(clusters, rebal_snapshot_cluster_name(world->snapshot, (uint32_t)ids[i], NULL), replicas[i]);
  }
  return json_pack("{s:o}", "clusters", clusters);
}

static int set_options(struct conformance *run, const struct world *world, const json_t *input) {
  return failed(run, rebal_compat_set(world->compat, REBAL_QUIRK_INT32_WRAP, 1, &run->err)) ||
         failed(run, rebal_compat_set(world->compat, REBAL_QUIRK_EMPTY_WORKLOAD_PROPAGATION,
                                      boolean_at(input, "enableEmptyWorkloadPropagation"), &run->err));
}

static json_t *run_world(struct conformance *run, struct world *world, const json_t *input) {
  rebal_schedule_opts opts = {.struct_size = (uint32_t)sizeof opts};
  rebal_bindings *known = NULL;
  rebal_bindings *assigning = NULL;
  json_t *outcome = NULL;

  if (!set_options(run, world, input) && !world_add_set(run, world, json_object_get(input, "bindings"), &known) &&
      !world_add_set(run, world, json_object_get(input, "assigning"), &assigning)) {
    opts.compat = world->compat;
    opts.known = known;
    opts.assigning = assigning;
    if (!failed(run, rebal_schedule(run->ctx, world->snapshot, world->bindings, &opts, run->result, &run->err))) {
      outcome = report(run, world);
    } else if (run->err.code == REBAL_EUNSUPPORTED) {
      run->skip = "component sets are not estimated yet";
    }
  }
  rebal_result_reset(run->result);
  rebal_bindings_free(known);
  rebal_bindings_free(assigning);
  return outcome;
}

/* Only the resource summaries estimate so far. */
static int needs_other_estimators(const json_t *input) {
  const json_t *estimators = json_object_get(input, "estimators");

  return json_array_size(estimators) != 1 || !array_has(estimators, "general") || json_at(input, "assumed") != NULL;
}

json_t *case_schedule(struct conformance *run, const json_t *input) {
  json_t *bindings;
  struct world world;
  json_t *outcome = NULL;

  if (needs_other_estimators(input)) {
    run->skip = "estimator answers and assumed workloads are not taken yet";
    return NULL;
  }
  bindings = json_pack("[O]", json_object_get(input, "binding"));
  if (!world_build(run, &world, json_object_get(input, "clusters"), bindings, json_object_get(input, "featureGates"))) {
    outcome = run_world(run, &world, input);
  }
  world_dispose(&world);
  json_decref(bindings);
  return outcome;
}

/* More than eight texts are possible, and none is recorded. */
void blur_schedule(json_t *outcome, const json_t *test) {
  if (array_has(json_object_get(test, "tags"), "fit-message-open")) {
    (void)json_object_del(json_object_get(outcome, "error"), "message");
  }
}
