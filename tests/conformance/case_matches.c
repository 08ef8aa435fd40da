/* SPDX-License-Identifier: MIT */
#include "cases.h"

json_t *case_matches(struct conformance *run, const json_t *input) {
  json_t *clusters = json_pack("[O]", json_object_get(input, "cluster"));
  const rebal_record *affinity = NULL;
  struct world world;
  json_t *outcome = NULL;

  if (!world_build(run, &world, clusters, NULL, NULL) &&
      !failed(run, record_from_json(run, REBAL_OBJECT_AFFINITY, json_object_get(input, "affinity"), &affinity)) &&
      !failed(run, rebal_match(run->ctx, world.snapshot, affinity, run->result, &run->err))) {
    const int64_t *rejected = rebal_result_i64(run->result, REBAL_VERDICT_REJECTED_BY, NULL);

    outcome = rejected == NULL ? fault(run, "no verdict") : json_pack("{s:b}", "matches", rejected[0] == 0);
  }
  rebal_result_reset(run->result);
  world_dispose(&world);
  json_decref(clusters);
  return outcome;
}
