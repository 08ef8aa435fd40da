/* SPDX-License-Identifier: MIT */
/* Taints of one cluster: by ClusterTaintPolicies where a case has a list of them, else by the condition Ready. */
#include "cases.h"

static int run_step(struct conformance *run, const struct world *world, const json_t *input) {
  const json_t *policies = json_object_get(input, "policies");
  const rebal_time now = time_at(input, "now");
  struct record_list list;
  int failure;

  if (policies == NULL) {
    return failed(run, rebal_condition_taints_step(run->ctx, world->snapshot, &now, NULL, run->result, &run->err));
  }
  failure = record_list_read(run, REBAL_OBJECT_TAINT_POLICY, policies, &list) ||
            failed(run, rebal_taint_policies_step(run->ctx, world->snapshot, list.records, list.n, &now, NULL,
                                                  run->result, &run->err));
  record_list_dispose(&list);
  return failure;
}

/* The taints written, or those that stay. */
static json_t *report(const struct conformance *run, const json_t *input) {
  const int is_changed = rebal_result_count(run->result, REBAL_TABLE_ACTION) > 0;
  json_t *patch = is_changed ? record_to_json(rebal_result_record(run->result, 0)) : NULL;
  const json_t *taints = is_changed ? json_object_get(patch, "taints") : json_at(input, "cluster.spec.taints");
  json_t *outcome =
      json_pack("{s:b, s:o}", "changed", is_changed, "taints", taints == NULL ? json_array() : json_deep_copy(taints));

  json_decref(patch);
  return outcome;
}

json_t *case_condition_taints(struct conformance *run, const json_t *input) {
  json_t *clusters = json_pack("[O]", json_object_get(input, "cluster"));
  struct world world;
  json_t *outcome = NULL;

  if (!world_build(run, &world, clusters, NULL, NULL) && !run_step(run, &world, input)) {
    outcome = report(run, input);
  }
  rebal_result_reset(run->result);
  world_dispose(&world);
  json_decref(clusters);
  return outcome;
}
