/* SPDX-License-Identifier: MIT */
#include "cases.h"

#include <string.h>

#define SECOND_NS 1000000000

/* The memory of the pass before: rows below the one binding. */
static int memory_read(struct conformance *run, struct world *world, const json_t *memory) {
  struct cell cell = {world->fleet, world->bindings, 0, 0};
  const char *name;
  const json_t *since;
  void *at = json_object_iter((json_t *)(uintptr_t)memory);

  for (; at != NULL; at = json_object_iter_next((json_t *)(uintptr_t)memory, at)) {
    json_t *cluster;
    int failure;

    name = json_object_iter_key(at);
    since = json_object_iter_value(at);
    cluster = json_string(name);
    cell.column = REBAL_UNHEALTHY_CLUSTER;
    failure = failed(run, rebal_cells_add(rebal_bindings_cells(world->bindings), REBAL_TABLE_UNHEALTHY, 0, &cell.row, 1,
                                          &run->err)) ||
              cell_set(run, &cell, cluster);
    json_decref(cluster);
    cell.column = REBAL_UNHEALTHY_SINCE;
    if (failure || cell_set(run, &cell, since)) {
      return 1;
    }
  }
  return 0;
}

static json_t *memory_report(const struct world *world, const rebal_result *result) {
  const int64_t *clusters = rebal_result_i64(result, REBAL_UNHEALTHY_KEPT_CLUSTER, NULL);
  const size_t n = rebal_result_count(result, REBAL_TABLE_UNHEALTHY_KEPT);
  json_t *memory = json_object();
  size_t row;

  for (row = 0; row < n; row++) {
    const char *name = cluster_name(world->snapshot, (uint32_t)clusters[row]);
    rebal_time since;

    rebal_result_time(result, REBAL_UNHEALTHY_KEPT_SINCE, row, &since);
    (void)json_object_set_new(memory, name, json_time(&since));
  }
  return memory;
}

/* Writes the patch of a pass to the binding. */
static void carry_out(const rebal_result *result, json_t *spec) {
  const int64_t *kinds = rebal_result_i64(result, REBAL_ACTION_KIND, NULL);
  const size_t n = rebal_result_count(result, REBAL_TABLE_ACTION);
  size_t row;

  for (row = 0; row < n; row++) {
    if (kinds[row] == REBAL_ACTION_KIND_PATCH_SPEC) {
      json_t *patch = record_to_json(rebal_result_record(result, row));

      (void)json_object_set_new(spec, "clusters", json_array());
      (void)json_object_del(spec, "gracefulEvictionTasks");
      (void)json_object_update(spec, patch);
      json_decref(patch);
    }
  }
}

static json_t *report(const struct world *world, const rebal_result *result, const json_t *spec) {
  const int64_t after = rebal_result_i64(result, REBAL_STEP_AFTER_NS, NULL)[0];
  json_t *outcome = json_object();
  json_t *memory = memory_report(world, result);

  spec_report(spec, outcome);
  if (json_object_size(memory) != 0) {
    (void)json_object_set(outcome, "unhealthySince", memory);
  }
  json_decref(memory);
  if (after != REBAL_ABSENT) {
    (void)json_object_set_new(outcome, "requeueAfterSeconds", json_integer(after / SECOND_NS));
  }
  if (rebal_result_i64(result, REBAL_STEP_STATE, NULL)[0] == REBAL_STEP_STATE_RETRY) {
    (void)json_object_set_new(
        outcome, "error",
        json_pack("{s:s, s:s}", "kind", "Error", "message", rebal_result_text(result, REBAL_STEP_MESSAGE, 0, NULL)));
  }
  return outcome;
}

static json_t *run_step(struct conformance *run, json_t *binding, const json_t *step, const json_t *gates,
                        const json_t *memory) {
  const rebal_time now = time_at(step, "now");
  rebal_failover_opts opts = {.struct_size = (uint32_t)sizeof opts};
  json_t *spec = json_object_get(binding, "spec");
  struct world world;
  json_t *outcome = NULL;

  (void)json_object_set(spec, "clusters",
                        json_object_get(step, "clusters") != NULL ? json_object_get(step, "clusters")
                                                                  : json_object_get(spec, "clusters"));
  (void)json_object_set_new(binding, "status",
                            json_pack("{s:O*}", "aggregatedStatus", json_object_get(step, "aggregatedStatus")));
  if (!world_open(run, &world, NULL, gates) && !world_feed(run, &world, binding) && !memory_read(run, &world, memory) &&
      !world_freeze(run, &world)) {
    opts.compat = world.compat;
    if (!failed(run, rebal_application_failover_step(run->ctx, world.snapshot, world.bindings, &now, &opts, run->result,
                                                     &run->err))) {
      carry_out(run->result, spec);
      outcome = report(&world, run->result, spec);
    }
  }
  rebal_result_reset(run->result);
  world_dispose(&world);
  return outcome;
}

json_t *case_failover(struct conformance *run, const json_t *input) {
  json_t *binding = json_deep_copy(json_object_get(input, "binding"));
  json_t *steps = json_array();
  const json_t *memory = NULL;
  const json_t *step;
  size_t i;

  json_array_foreach(json_object_get(input, "steps"), i, step) {
    json_t *outcome = run_step(run, binding, step, json_object_get(input, "featureGates"), memory);

    if (outcome == NULL) {
      json_decref(steps);
      json_decref(binding);
      return NULL;
    }
    (void)json_array_append_new(steps, outcome);
    memory = json_object_get(outcome, "unhealthySince");
  }
  json_decref(binding);
  return json_pack("{s:o}", "steps", steps);
}
