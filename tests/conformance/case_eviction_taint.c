/* SPDX-License-Identifier: MIT */
#include "cases.h"

#include <string.h>

#define SECOND_NS 1000000000

static int64_t first_cell(const rebal_result *result, uint32_t column) {
  return rebal_result_i64(result, column, NULL)[0];
}

static void report_verdict(const rebal_result *result, json_t *outcome) {
  const int64_t verdict = first_cell(result, REBAL_STEP_REASON);
  const int64_t seconds = verdict == REBAL_TAINT_VERDICT_FOREVER ? -1
                          : verdict == REBAL_TAINT_VERDICT_EVICT ? 0
                                                                 : first_cell(result, REBAL_STEP_AFTER_NS) / SECOND_NS;

  if (verdict == REBAL_TAINT_VERDICT_ERROR) {
    (void)json_object_set_new(outcome, "needError", json_true());
  } else {
    (void)json_object_set_new(outcome, "needEviction", json_boolean(verdict == REBAL_TAINT_VERDICT_EVICT));
    (void)json_object_set_new(outcome, "tolerationSeconds", json_integer(seconds));
  }
}

static void report_step(const rebal_result *result, const json_t *binding, json_t *outcome) {
  const int64_t *kinds = rebal_result_i64(result, REBAL_ACTION_KIND, NULL);
  const size_t n = rebal_result_count(result, REBAL_TABLE_ACTION);
  json_t *patch = NULL;
  size_t row;

  for (row = 0; row < n; row++) {
    if (kinds[row] == REBAL_ACTION_KIND_PATCH_SPEC) {
      patch = record_to_json(rebal_result_record(result, row));
    } else if (kinds[row] == REBAL_ACTION_KIND_WAKE) {
      (void)json_object_set_new(outcome, "queue",
                                json_pack("[{s:s, s:I}]", "op", "after", "seconds",
                                          (json_int_t)(first_cell(result, REBAL_STEP_AFTER_NS) / SECOND_NS)));
    }
  }
  spec_report(patch != NULL ? patch : json_object_get(binding, "spec"), outcome);
  json_decref(patch);
  if (first_cell(result, REBAL_STEP_STATE) == REBAL_STEP_STATE_RETRY) {
    (void)json_object_set_new(
        outcome, "error",
        json_pack("{s:s, s:s}", "kind", "Error", "message", rebal_result_text(result, REBAL_STEP_MESSAGE, 0, NULL)));
  }
}

static uint32_t flags_of(const json_t *input) {
  const int directly = strcmp(text_at(input, "noExecuteTaintEvictionPurgeMode"), "Directly") == 0;

  return (boolean_at(input, "enableNoExecuteTaintEviction") ? (uint32_t)REBAL_FAILOVER_FLAG_EVICT_BY_TAINT : 0u) |
         (directly ? (uint32_t)REBAL_FAILOVER_FLAG_PURGE_DIRECTLY : 0u);
}

static json_t *run_world(struct conformance *run, const struct world *world, const json_t *input) {
  const rebal_time now = time_at(input, "now");
  const char *name = text_at(input, "cluster.metadata.name");
  const uint32_t cluster = rebal_snapshot_find_cluster(world->snapshot, name, strlen(name));
  const rebal_failover_opts opts = {
      .struct_size = (uint32_t)sizeof opts, .flags = flags_of(input), .compat = world->compat};
  json_t *outcome = json_object();

  if (!failed(run, rebal_taint_verdict(run->ctx, world->snapshot, cluster, world->bindings, &now, &opts, run->result,
                                       &run->err))) {
    report_verdict(run->result, outcome);
    if (!failed(run, rebal_taint_eviction_step(run->ctx, world->snapshot, cluster, world->bindings, &now, &opts,
                                               run->result, &run->err))) {
      report_step(run->result, json_object_get(input, "binding"), outcome);
      return outcome;
    }
  }
  json_decref(outcome);
  return NULL;
}

json_t *case_eviction_taint(struct conformance *run, const json_t *input) {
  json_t *clusters = json_pack("[O]", json_object_get(input, "cluster"));
  struct world world;
  json_t *outcome = NULL;

  if (!world_open(run, &world, clusters, json_object_get(input, "featureGates")) &&
      !world_feed(run, &world, json_object_get(input, "binding")) && !world_freeze(run, &world)) {
    outcome = run_world(run, &world, input);
  }
  rebal_result_reset(run->result);
  world_dispose(&world);
  json_decref(clusters);
  return outcome;
}

/* The text of an error of a JSON parser is not part of the reference's contract. */
void blur_eviction_taint(json_t *outcome, const json_t *test) {
  if (array_has(json_object_get(test, "tags"), "broken-applied-placement")) {
    (void)json_object_del(json_object_get(outcome, "error"), "message");
  }
}
