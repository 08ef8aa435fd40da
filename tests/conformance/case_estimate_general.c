/* SPDX-License-Identifier: MIT */
#include "cases.h"

#include <string.h>

/* Ours are sorted by name, the recorded ones are in the order of the input. member: "replicas" or "sets". */
static json_t *report(const struct conformance *run, const struct world *world, const json_t *clusters,
                      const char *member) {
  size_t n = 0;
  const int64_t *ids = rebal_result_i64(run->result, REBAL_ESTIMATE_CLUSTER, &n);
  const int64_t *fits = rebal_result_i64(run->result, REBAL_ESTIMATE_REPLICAS, &n);
  json_t *list = json_array();
  const json_t *cluster;
  size_t i;
  size_t row;

  json_array_foreach(clusters, i, cluster) {
    const char *name = text_at(cluster, "metadata.name");
    const uint32_t id = rebal_snapshot_find_cluster(world->snapshot, name, strlen(name));

    for (row = 0; row < n && ids[row] != id; row++) {
    }
    if (row < n) {
      (void)json_array_append_new(list, json_pack("{s:s, s:I}", "name", name, member, (json_int_t)fits[row]));
    }
  }
  return json_pack("{s:o}", "clusters", list);
}

json_t *case_estimate_general(struct conformance *run, const json_t *input) {
  const json_t *clusters = json_object_get(input, "clusters");
  const int is_set = json_at(input, "components") != NULL;
  rebal_estimate_opts opts = {.struct_size = (uint32_t)sizeof opts};
  rebal_ledger *ledger = NULL;
  struct components request;
  struct world world;
  json_t *outcome = NULL;

  if (!world_build(run, &world, clusters, NULL, json_object_get(input, "featureGates")) &&
      !question_read(run, &world, input, &request) && !assumed_read(run, &world, json_at(input, "assumed"), &ledger)) {
    opts.compat = world.compat;
    opts.ledger = ledger;
    if (!failed(run, is_set ? rebal_estimate_sets(run->ctx, world.snapshot, request.requirements, request.replicas,
                                                  request.n, &opts, run->result, &run->err)
                            : rebal_estimate(run->ctx, world.snapshot, request.requirements[0], &opts, run->result,
                                             &run->err))) {
      outcome = report(run, &world, clusters, is_set ? "sets" : "replicas");
    }
  }
  rebal_result_reset(run->result);
  rebal_ledger_free(ledger);
  world_dispose(&world);
  return outcome;
}
