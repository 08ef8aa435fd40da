/* SPDX-License-Identifier: MIT */
#include "cases.h"

static const char *const reason_names[] = {
    [REBAL_REASON_NONE] = "none",
    [REBAL_REASON_DELETING] = "deleting",
    [REBAL_REASON_PLACEMENT] = "placement",
    [REBAL_REASON_REPLICAS] = "replicas",
    [REBAL_REASON_RESCHEDULE] = "reschedule",
    [REBAL_REASON_DUPLICATED] = "duplicated",
    [REBAL_REASON_TERMINATING_CLUSTER] = "terminating-cluster",
};

static json_t *report(struct conformance *run, const json_t *binding) {
  const int64_t *reasons = rebal_result_i64(run->result, REBAL_DECISION_REASON, NULL);
  const int64_t *outcomes = rebal_result_i64(run->result, REBAL_DECISION_OUTCOME, NULL);
  json_t *outcome;

  if (reasons == NULL || outcomes == NULL) {
    return fault(run, "no decision");
  }
  outcome =
      json_pack("{s:b, s:s}", "schedule", outcomes[0] == REBAL_OUTCOME_SCHEDULED, "reason", reason_names[reasons[0]]);
  if (outcomes[0] == REBAL_OUTCOME_UNCHANGED) {
    (void)json_object_set_new(outcome, "observedGeneration",
                              json_integer(integer_at(binding, "metadata.generation", 0)));
  } else if (outcomes[0] == REBAL_OUTCOME_SKIPPED) {
    (void)json_object_set_new(outcome, "observedGeneration",
                              json_integer(integer_at(binding, "status.schedulerObservedGeneration", 0)));
  }
  return outcome;
}

json_t *case_trigger(struct conformance *run, const json_t *input) {
  const json_t *binding = json_object_get(input, "binding");
  json_t *bindings = json_pack("[O]", binding);
  rebal_schedule_opts opts = {.struct_size = (uint32_t)sizeof opts};
  struct world world;
  json_t *outcome = NULL;

  if (!world_build(run, &world, json_object_get(input, "clusters"), bindings, json_object_get(input, "featureGates"))) {
    opts.compat = world.compat;
    if (!failed(run, rebal_decide(run->ctx, world.snapshot, world.bindings, &opts, run->result, &run->err))) {
      outcome = report(run, binding);
    }
  }
  rebal_result_reset(run->result);
  world_dispose(&world);
  json_decref(bindings);
  return outcome;
}
