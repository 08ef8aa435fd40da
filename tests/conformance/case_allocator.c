/* SPDX-License-Identifier: MIT */
#include "cases.h"

#define SUBSETS_MAX 64

/* The subsets' workloads, by index. */
struct workloads {
  uint32_t states[SUBSETS_MAX];
  int32_t replicas[SUBSETS_MAX];
  int32_t ready[SUBSETS_MAX];
  int32_t reserved[SUBSETS_MAX];
};

static void read_workloads(const json_t *subsets, const json_t *existing, struct workloads *out) {
  const json_t *subset;
  size_t i;

  *out = (struct workloads){{0}, {0}, {0}, {0}};
  json_array_foreach(subsets, i, subset) {
    const json_t *workload = json_object_get(existing, text_at(subset, "name"));

    if (workload != NULL) {
      out->states[i] = REBAL_UNITED_STATE_EXISTS;
      out->states[i] |= boolean_at(workload, "unschedulable") ? (uint32_t)REBAL_UNITED_STATE_UNSCHEDULABLE : 0;
      out->states[i] |= boolean_at(workload, "markedAsUnschedulable") ? (uint32_t)REBAL_UNITED_STATE_MARKED : 0;
      out->replicas[i] = (int32_t)integer_at(workload, "replicas", 0);
      out->ready[i] = (int32_t)integer_at(workload, "readyReplicas", 0);
      out->reserved[i] = (int32_t)integer_at(workload, "reservedPods", 0);
    }
  }
}

static json_t *report(struct conformance *run, const json_t *subsets) {
  const int64_t *replicas = rebal_result_i64(run->result, REBAL_ALLOCATED_REPLICAS, NULL);
  const int64_t *states = rebal_result_i64(run->result, REBAL_STEP_STATE, NULL);
  json_t *map = json_object();
  const json_t *subset;
  size_t i;

  if (states != NULL && states[0] == REBAL_STEP_STATE_RETRY) {
    json_decref(map);
    return json_pack("{s:s}", "error", rebal_result_text(run->result, REBAL_STEP_MESSAGE, 0, NULL));
  }
  json_array_foreach(subsets, i, subset) {
    (void)json_object_set_new(map, text_at(subset, "name"), replicas == NULL ? NULL : json_integer(replicas[i]));
  }
  return json_pack("{s:o}", "replicas", map);
}

json_t *case_allocator(struct conformance *run, const json_t *input) {
  const json_t *object = json_object_get(input, "unitedDeployment");
  const json_t *subsets = json_at(object, "spec.topology.subsets");
  const rebal_record *record = NULL;
  struct workloads workloads;
  const rebal_united_opts opts = {.struct_size = (uint32_t)sizeof opts,
                                  .states = workloads.states,
                                  .replicas = workloads.replicas,
                                  .ready = workloads.ready,
                                  .reserved = workloads.reserved,
                                  .n = SUBSETS_MAX};
  json_t *outcome = NULL;

  if (json_array_size(subsets) > SUBSETS_MAX) {
    return fault(run, "too many subsets");
  }
  read_workloads(subsets, json_object_get(input, "existingSubsets"), &workloads);
  if (!failed(run, record_from_json(run, REBAL_OBJECT_UNITED_DEPLOYMENT, object, &record)) &&
      !failed(run, rebal_united_allocate(run->ctx, record, &opts, run->result, &run->err))) {
    outcome = report(run, subsets);
  }
  rebal_result_reset(run->result);
  return outcome;
}
