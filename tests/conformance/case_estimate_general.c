/* SPDX-License-Identifier: MIT */
#include "cases.h"

#include <string.h>

/* Ours come by name, the recorded ones in the order of the input. */
static json_t *report(const struct conformance *run, const struct world *world, const json_t *clusters) {
  size_t n = 0;
  const int64_t *ids = rebal_result_i64(run->result, REBAL_ESTIMATE_CLUSTER, &n);
  const int64_t *replicas = rebal_result_i64(run->result, REBAL_ESTIMATE_REPLICAS, &n);
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
      (void)json_array_append_new(list,
                                  json_pack("{s:s, s:I}", "name", name, "replicas", (json_int_t)replicas[row]));
    }
  }
  return json_pack("{s:o}", "clusters", list);
}

/* The requirements as a handle, in a snapshot that knows them; REBAL_NONE when the case states none. */
static int read_requirements(struct conformance *run, struct world *world, const json_t *value, uint32_t *handle) {
  const rebal_record *record;

  *handle = REBAL_NONE;
  if (value == NULL) {
    return 0;
  }
  rebal_snapshot_unref(world->snapshot);
  world->snapshot = NULL;
  return failed(run, record_from_json(run, REBAL_OBJECT_REQUIREMENTS, value, &record)) ||
         failed(run, rebal_fleet_intern(world->fleet, record, handle, &run->err)) ||
         failed(run, rebal_fleet_freeze(world->fleet, &world->snapshot, &run->err));
}

json_t *case_estimate_general(struct conformance *run, const json_t *input) {
  const json_t *clusters = json_object_get(input, "clusters");
  rebal_estimate_opts opts = {.struct_size = (uint32_t)sizeof opts};
  struct world world;
  uint32_t requirements;
  json_t *outcome = NULL;

  if (json_at(input, "components") != NULL || json_at(input, "assumed") != NULL) {
    run->skip = "component sets and assumed workloads on resource models are not estimated yet";
    return NULL;
  }
  if (!world_build(run, &world, clusters, NULL, json_object_get(input, "featureGates")) &&
      !read_requirements(run, &world, json_at(input, "replicaRequirements"), &requirements)) {
    opts.compat = world.compat;
    if (!failed(run, rebal_estimate(run->ctx, world.snapshot, requirements, &opts, run->result, &run->err))) {
      outcome = report(run, &world, clusters);
    }
  }
  rebal_result_reset(run->result);
  world_dispose(&world);
  return outcome;
}
