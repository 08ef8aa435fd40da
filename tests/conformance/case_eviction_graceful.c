/* SPDX-License-Identifier: MIT */
#include "cases.h"

/* The tasks after the turn: those of the patch, or the binding's own when nothing was written. */
static json_t *tasks_after(const rebal_result *result, const json_t *binding) {
  const int64_t *kinds = rebal_result_i64(result, REBAL_ACTION_KIND, NULL);
  const size_t n = rebal_result_count(result, REBAL_TABLE_ACTION);
  json_t *spec = NULL;
  const json_t *tasks = json_at(binding, "spec.gracefulEvictionTasks");
  json_t *copy;
  size_t row;

  for (row = 0; row < n; row++) {
    if (kinds[row] == REBAL_ACTION_KIND_PATCH_SPEC) {
      spec = record_to_json(rebal_result_record(result, row));
      tasks = json_object_get(spec, "gracefulEvictionTasks");
      break;
    }
  }
  copy = tasks == NULL ? json_array() : json_deep_copy(tasks);
  json_decref(spec);
  return copy;
}

json_t *case_eviction_graceful(struct conformance *run, const json_t *input) {
  const rebal_time now = time_at(input, "now");
  const json_t *binding = json_object_get(input, "binding");
  json_t *bindings = json_pack("[O]", binding);
  rebal_failover_opts opts = {.struct_size = (uint32_t)sizeof opts, .flags = REBAL_FAILOVER_FLAG_TIMEOUT_GIVEN};
  struct world world;
  json_t *outcome = NULL;

  opts.graceful_eviction_timeout_ns = integer_at(input, "gracefulEvictionTimeoutSeconds", 0) * 1000000000;
  if (!world_build(run, &world, NULL, bindings, NULL) &&
      !failed(run, rebal_graceful_eviction_step(run->ctx, world.snapshot, world.bindings, &now, &opts, run->result,
                                                &run->err))) {
    const int64_t after = rebal_result_i64(run->result, REBAL_STEP_AFTER_NS, NULL)[0];

    outcome = json_pack("{s:o}", "gracefulEvictionTasks", tasks_after(run->result, binding));
    if (after != REBAL_ABSENT) {
      (void)json_object_set_new(outcome, "requeueAfterSeconds", json_integer(after / 1000000000));
    }
  }
  rebal_result_reset(run->result);
  world_dispose(&world);
  json_decref(bindings);
  return outcome;
}
