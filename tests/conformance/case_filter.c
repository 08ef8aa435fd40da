/* SPDX-License-Identifier: MIT */
#include "cases.h"

#include <string.h>

/* The verdict of one plugin; NULL if the text cannot be read. */
static json_t *report_plugin(struct conformance *run, const struct world *world, size_t row, uint32_t plugin) {
  char text[512];
  size_t len = 0;

  if (failed(run, rebal_filter_reason(world->bindings, run->result, row, plugin, text, sizeof text, &len, &run->err))) {
    return NULL;
  }
  return len == 0 ? json_pack("{s:s}", "code", "Success")
                  : json_pack("{s:s, s:[s]}", "code", "Unschedulable", "reasons", text);
}

static json_t *report_cluster(struct conformance *run, const struct world *world, size_t row, const char *name) {
  json_t *plugins = json_object();
  int64_t with_workloads = 0;
  uint32_t plugin;

  (void)rebal_compat_get(world->compat, REBAL_OPTION_GATE_WORKLOAD_AFFINITY, &with_workloads, NULL);
  for (plugin = 0; plugin <= REBAL_FILTER_WORKLOAD_ANTI_AFFINITY; plugin++) {
    if (plugin < REBAL_FILTER_WORKLOAD_AFFINITY || with_workloads) {
      (void)json_object_set_new(plugins, rebal_enum_name(REBAL_ENUM_FILTER, plugin, NULL),
                                report_plugin(run, world, row, plugin));
    }
  }
  return json_pack("{s:s, s:o}", "name", name, "plugins", plugins);
}

/* Our verdicts are sorted by name, the recorded ones are in the order of the input. */
static json_t *report(struct conformance *run, const struct world *world, const json_t *clusters) {
  size_t n = 0;
  const int64_t *ids = rebal_result_i64(run->result, REBAL_VERDICT_CLUSTER, &n);
  json_t *list = json_array();
  const json_t *cluster;
  size_t i;
  size_t row;

  json_array_foreach(clusters, i, cluster) {
    const char *name = text_at(cluster, "metadata.name");
    const uint32_t id = rebal_snapshot_find_cluster(world->snapshot, name, strlen(name));

    for (row = 0; row < n && ids[row] != id; row++) {
    }
    (void)json_array_append_new(list, row < n ? report_cluster(run, world, row, name) : NULL);
  }
  return json_pack("{s:o}", "clusters", list);
}

json_t *case_filter(struct conformance *run, const json_t *input) {
  const json_t *clusters = json_object_get(input, "clusters");
  json_t *bindings = json_pack("[O]", json_object_get(input, "binding"));
  rebal_schedule_opts opts = {.struct_size = (uint32_t)sizeof opts};
  rebal_bindings *known = NULL;
  rebal_bindings *assigning = NULL;
  struct world world;
  json_t *outcome = NULL;

  if (!world_build(run, &world, clusters, bindings, json_object_get(input, "featureGates")) &&
      !world_add_set(run, &world, json_object_get(input, "bindings"), &known) &&
      !world_add_set(run, &world, json_object_get(input, "assigning"), &assigning)) {
    opts.compat = world.compat;
    opts.known = known;
    opts.assigning = assigning;
    if (!failed(run, rebal_filter(run->ctx, world.snapshot, world.bindings, &opts, run->result, &run->err))) {
      outcome = report(run, &world, clusters);
    }
  }
  rebal_result_reset(run->result);
  rebal_bindings_free(known);
  rebal_bindings_free(assigning);
  world_dispose(&world);
  json_decref(bindings);
  return outcome;
}
