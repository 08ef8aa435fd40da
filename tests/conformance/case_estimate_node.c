/* SPDX-License-Identifier: MIT */
/* What fits on the nodes of one member cluster. */
#include "cases.h"

#include <string.h>

static const char member[] = "member1";

static int labels_read(struct conformance *run, const struct world *world, uint32_t node, const json_t *labels) {
  const rebal_record *record;

  return labels != NULL && (failed(run, record_from_json(run, REBAL_OBJECT_LABELS, labels, &record)) ||
                            failed(run, rebal_fleet_set_node_labels(world->fleet, 0, node, record, &run->err)));
}

static int taints_read(struct conformance *run, const struct world *world, uint32_t node, const json_t *taints) {
  const rebal_record *record;
  uint32_t handle;

  return taints != NULL && (failed(run, record_from_json(run, REBAL_OBJECT_TAINTS, taints, &record)) ||
                            failed(run, rebal_fleet_intern(world->fleet, record, &handle, &run->err)) ||
                            failed(run, rebal_cells_set_i64(rebal_fleet_cells(world->fleet), REBAL_NODE_TAINTS, 0, node,
                                                            handle, &run->err)));
}

static int node_read(struct conformance *run, const struct world *world, const json_t *node) {
  const char *name = text_at(node, "metadata.name");
  struct amounts amounts;
  uint32_t id;

  return failed(run, rebal_fleet_add_node(world->fleet, 0, name, strlen(name), &id, &run->err)) ||
         labels_read(run, world, id, json_at(node, "metadata.labels")) ||
         taints_read(run, world, id, json_at(node, "spec.taints")) ||
         failed(run, rebal_cells_set_i64(rebal_fleet_cells(world->fleet), REBAL_NODE_UNSCHEDULABLE, 0, id,
                                         boolean_at(node, "spec.unschedulable"), &run->err)) ||
         amounts_read(run, world, json_at(node, "status.allocatable"), &amounts) ||
         failed(run, rebal_fleet_set_node_amounts(world->fleet, 0, id, amounts.resources, amounts.quantities, amounts.n,
                                                  &run->err));
}

/* Into a list of a record: each container's requests. */
static json_t *requests_of(const json_t *containers) {
  json_t *list = json_array();
  const json_t *container;
  size_t i;

  json_array_foreach(containers, i, container) {
    json_t *requests = json_deep_copy(json_at(container, "resources.requests"));

    (void)json_array_append_new(list, json_pack("{s:o*}", "requests", requests));
  }
  return list;
}

static int resources_read(struct conformance *run, const struct world *world, const json_t *spec, uint32_t *handle) {
  json_t *value =
      json_pack("{s:o, s:o, s:O*}", "containers", requests_of(json_object_get(spec, "containers")), "initContainers",
                requests_of(json_object_get(spec, "initContainers")), "overhead", json_object_get(spec, "overhead"));
  const rebal_record *record;
  const int failure = failed(run, record_from_json(run, REBAL_OBJECT_POD_RESOURCES, value, &record)) ||
                      failed(run, rebal_fleet_intern(world->fleet, record, handle, &run->err));

  json_decref(value);
  return failure;
}

static int pod_put(struct conformance *run, const struct world *world, uint32_t pod, uint32_t column, int64_t value) {
  return failed(run, rebal_cells_put_i64(rebal_fleet_cells(world->fleet), column, 0, &pod, &value, 1, &run->err));
}

/* All nodes exist already; a pod without one is not bound. */
static int pod_read(struct conformance *run, const struct world *world, const json_t *pod) {
  const char *node = text_at(pod, "spec.nodeName");
  const char *phase = text_at(pod, "status.phase");
  uint32_t resources, row, id = REBAL_NONE;

  return (*node != '\0' && failed(run, rebal_fleet_node_id(world->fleet, 0, node, strlen(node), &id, &run->err))) ||
         resources_read(run, world, json_at(pod, "spec"), &resources) ||
         failed(run, rebal_cells_add(rebal_fleet_cells(world->fleet), REBAL_TABLE_POD, 0, &row, 1, &run->err)) ||
         pod_put(run, world, row, REBAL_POD_NODE, id) || pod_put(run, world, row, REBAL_POD_RESOURCES, resources) ||
         pod_put(run, world, row, REBAL_POD_TERMINAL, strcmp(phase, "Succeeded") == 0 || strcmp(phase, "Failed") == 0);
}

/* A world of one cluster whose nodes are known, even if there are none. */
static int member_build(struct conformance *run, struct world *world, const json_t *input) {
  const json_t *item;
  uint32_t cluster;
  size_t i;

  if (world_open(run, world, NULL, json_object_get(input, "featureGates")) ||
      failed(run, rebal_fleet_add_cluster(world->fleet, member, sizeof member - 1, &cluster, &run->err)) ||
      failed(run, rebal_cells_set_i64(rebal_fleet_cells(world->fleet), REBAL_CLUSTER_HAS_NODES, REBAL_NONE, cluster, 1,
                                      &run->err))) {
    return 1;
  }
  json_array_foreach(json_object_get(input, "nodes"), i, item) {
    if (node_read(run, world, item)) {
      return 1;
    }
  }
  json_array_foreach(json_object_get(input, "pods"), i, item) {
    if (pod_read(run, world, item)) {
      return 1;
    }
  }
  return world_freeze(run, world);
}

json_t *case_estimate_node(struct conformance *run, const json_t *input) {
  const int is_set = json_object_get(input, "components") != NULL;
  rebal_estimate_opts opts = {.struct_size = (uint32_t)sizeof opts, .flags = REBAL_ESTIMATE_FLAG_NODES};
  rebal_ledger *ledger = NULL;
  struct components request;
  struct world world;
  json_t *outcome = NULL;

  if (!member_build(run, &world, input) && !question_read(run, &world, input, &request) &&
      !assumed_read(run, &world, json_at(input, "assumed"), &ledger)) {
    opts.compat = world.compat;
    opts.ledger = ledger;
    if (!failed(run, is_set ? rebal_estimate_sets(run->ctx, world.snapshot, request.requirements, request.replicas,
                                                  request.n, &opts, run->result, &run->err)
                            : rebal_estimate(run->ctx, world.snapshot, request.requirements[0], &opts, run->result,
                                             &run->err))) {
      outcome = json_pack("{s:I}", is_set ? "sets" : "replicas",
                          (json_int_t)rebal_result_i64(run->result, REBAL_ESTIMATE_REPLICAS, NULL)[0]);
    }
  }
  rebal_result_reset(run->result);
  rebal_ledger_free(ledger);
  world_dispose(&world);
  return outcome;
}
