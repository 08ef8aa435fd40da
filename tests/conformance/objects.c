/* SPDX-License-Identifier: MIT */
#include "conformance.h"

#include <rebalance/manifest.h>
#include <stdlib.h>
#include <string.h>

int amounts_read(struct conformance *run, const struct world *world, const json_t *map, struct amounts *out) {
  void *iterator = json_object_iter((json_t *)(uintptr_t)map);

  out->n = 0;
  for (; iterator != NULL; iterator = json_object_iter_next((json_t *)(uintptr_t)map, iterator)) {
    const char *name = json_object_iter_key(iterator);
    const char *text = json_string_value(json_object_iter_value(iterator));

    if (text == NULL || out->n == AMOUNTS_MAX) {
      run->fault = text == NULL ? "a quantity is not a text" : "too many amounts";
      return 1;
    }
    if (failed(run, rebal_quantity_parse(text, strlen(text), &out->quantities[out->n], &run->err)) ||
        failed(run, rebal_fleet_resource_id(world->fleet, name, strlen(name), &out->resources[out->n], &run->err))) {
      return 1;
    }
    out->n++;
  }
  return 0;
}

static int read_capacities(struct conformance *run, struct world *world, uint32_t cluster, uint32_t part,
                           const json_t *map) {
  struct amounts amounts;
  size_t i;

  if (amounts_read(run, world, map, &amounts)) {
    return 1;
  }
  for (i = 0; i < amounts.n; i++) {
    if (failed(run, rebal_fleet_set_capacity(world->fleet, part, cluster, amounts.resources[i], &amounts.quantities[i],
                                             &run->err))) {
      return 1;
    }
  }
  return 0;
}

static int cluster_read(struct conformance *run, struct world *world, const json_t *cluster) {
  const char *name = text_at(cluster, "metadata.name");
  const json_t *summary = json_at(cluster, "status.resourceSummary");
  struct cell cell = {world->fleet, NULL, 0, 0};
  uint32_t part;

  if (failed(run, rebal_fleet_add_cluster(world->fleet, name, strlen(name), &cell.row, &run->err)) ||
      row_read(run, &cell, REBAL_TABLE_CLUSTER, "", cluster)) {
    return 1;
  }
  for (part = 0; part <= REBAL_CAPACITY_ALLOCATING; part++) {
    const char *path = rebal_enum_name(REBAL_ENUM_CAPACITY, part, NULL);

    if (read_capacities(run, world, cell.row, part, json_at(summary, path))) {
      return 1;
    }
  }
  return 0;
}

static int gates_read(struct conformance *run, struct world *world, const json_t *gates) {
  static const struct {
    const char *gate;
    uint32_t option;
  } known[] = {{"CustomizedClusterResourceModeling", REBAL_OPTION_GATE_RESOURCE_MODELS},
               {"WorkloadAffinity", REBAL_OPTION_GATE_WORKLOAD_AFFINITY},
               {"MultiplePodTemplatesScheduling", REBAL_OPTION_GATE_MULTIPLE_POD_TEMPLATES},
               {"SchedulingOvercommitProtection", REBAL_OPTION_GATE_OVERCOMMIT_PROTECTION},
               {"StatefulFailoverInjection", REBAL_OPTION_GATE_STATEFUL_FAILOVER},
               {"GracefulEviction", REBAL_OPTION_GATE_GRACEFUL_EVICTION}};
  size_t i;

  for (i = 0; i < sizeof known / sizeof known[0]; i++) {
    if (json_object_get(gates, known[i].gate) != NULL &&
        failed(run, rebal_compat_set(world->compat, known[i].option, boolean_at(gates, known[i].gate), &run->err))) {
      return 1;
    }
  }
  return 0;
}

/* The level whose answers were recorded. */
static const char level[] = "karmada-1.19";

int world_open(struct conformance *run, struct world *world, const json_t *clusters, const json_t *gates) {
  const json_t *item;
  size_t i;

  memset(world, 0, sizeof *world);
  if (failed(run, rebal_fleet_new(NULL, &world->fleet, &run->err)) ||
      failed(run, rebal_compat_new(NULL, &world->compat, &run->err)) ||
      failed(run, rebal_compat_set_level(world->compat, level, sizeof level - 1, &run->err)) ||
      failed(run, rebal_bindings_new(world->fleet, NULL, &world->bindings, &run->err)) ||
      gates_read(run, world, gates)) {
    return 1;
  }
  json_array_foreach(clusters, i, item) {
    if (cluster_read(run, world, item)) {
      return 1;
    }
  }
  return 0;
}

int world_freeze(struct conformance *run, struct world *world) {
  return failed(run, rebal_bindings_freeze(world->bindings, &run->err)) ||
         failed(run, rebal_fleet_freeze(world->fleet, &world->snapshot, &run->err));
}

int world_build(struct conformance *run, struct world *world, const json_t *clusters, const json_t *bindings,
                const json_t *gates) {
  const json_t *item;
  size_t i;

  if (world_open(run, world, clusters, gates)) {
    return 1;
  }
  json_array_foreach(bindings, i, item) {
    if (binding_read(run, world, item)) {
      return 1;
    }
  }
  return world_freeze(run, world);
}

int world_feed(struct conformance *run, struct world *world, const json_t *binding) {
  rebal_store *store = NULL;
  char *text = json_dumps(binding, JSON_COMPACT);
  const int failure = text == NULL || failed(run, rebal_store_new(NULL, &store, &run->err)) ||
                      failed(run, rebal_store_load(store, text, strlen(text), &run->err)) ||
                      failed(run, rebal_store_feed_bindings(store, world->fleet, NULL, 0, world->bindings, &run->err));

  rebal_store_free(store);
  free(text);
  return failure;
}

int world_add_set(struct conformance *run, struct world *world, const json_t *bindings, rebal_bindings **out) {
  rebal_bindings *first = world->bindings;
  const json_t *item;
  int failure = 0;
  size_t i;

  *out = NULL;
  if (bindings == NULL) {
    return 0;
  }
  if (failed(run, rebal_bindings_new(world->fleet, NULL, out, &run->err))) {
    return 1;
  }
  world->bindings = *out;
  json_array_foreach(bindings, i, item) {
    failure = failure || binding_read(run, world, item);
  }
  world->bindings = first;
  rebal_snapshot_unref(world->snapshot);
  world->snapshot = NULL;
  return failure || failed(run, rebal_bindings_freeze(*out, &run->err)) ||
         failed(run, rebal_fleet_freeze(world->fleet, &world->snapshot, &run->err));
}

void world_dispose(struct world *world) {
  rebal_bindings_free(world->bindings);
  rebal_snapshot_unref(world->snapshot);
  rebal_fleet_free(world->fleet);
  rebal_compat_free(world->compat);
}
