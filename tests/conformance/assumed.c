/* SPDX-License-Identifier: MIT */
/* Components, and workloads that a case assumes to be in flight as a ledger. */
#include "conformance.h"

#include <stdio.h>

int components_read(struct conformance *run, const struct world *world, const json_t *list, struct components *out) {
  const json_t *component;
  size_t i;

  out->n = json_array_size(list);
  if (out->n > COMPONENTS_MAX) {
    run->fault = "too many components";
    return 1;
  }
  json_array_foreach(list, i, component) {
    const json_t *needs = json_at(component, "replicaRequirements");
    const rebal_record *record;

    out->replicas[i] = (int32_t)integer_at(component, "replicas", 0);
    out->requirements[i] = REBAL_NONE;
    if (needs != NULL && (failed(run, record_from_json(run, REBAL_OBJECT_REQUIREMENTS, needs, &record)) ||
                          failed(run, rebal_fleet_intern(world->fleet, record, &out->requirements[i], &run->err)))) {
      return 1;
    }
  }
  return 0;
}

int question_read(struct conformance *run, const struct world *world, const json_t *input, struct components *out) {
  json_t *components = json_object_get(input, "components");
  json_t *list = components != NULL
                     ? json_incref(components)
                     : json_pack("[{s:O?}]", "replicaRequirements", json_object_get(input, "replicaRequirements"));
  const int failure = components_read(run, world, list, out);

  json_decref(list);
  return failure;
}

/* One workload in one cluster. Workloads are placed by key, so the keys are in the order of the workloads. */
static int charge(struct conformance *run, const struct world *world, uint32_t cluster, size_t number,
                  const json_t *workload, rebal_ledger *ledger) {
  struct components components;
  char key[64];
  const int len = snprintf(key, sizeof key, "assumed/%06u", (unsigned)number);

  return components_read(run, world, json_at(workload, "components"), &components) ||
         failed(run,
                rebal_ledger_charge(ledger, key, (size_t)len,
                                    &(rebal_charge){(uint32_t)sizeof(rebal_charge), cluster, components.requirements,
                                                    components.replicas, components.n, NULL},
                                    &run->err));
}

static int charge_all(struct conformance *run, const struct world *world, uint32_t cluster, const json_t *workloads,
                      rebal_ledger *ledger) {
  const json_t *workload;
  size_t i;

  json_array_foreach(workloads, i, workload) {
    if (charge(run, world, cluster, i, workload, ledger)) {
      return 1;
    }
  }
  return 0;
}

int assumed_read(struct conformance *run, struct world *world, const json_t *assumed, rebal_ledger **out) {
  const uint32_t rows = rebal_cells_bound(rebal_snapshot_cells(world->snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE);
  uint32_t row;

  *out = NULL;
  if (assumed == NULL) {
    return 0;
  }
  if (failed(run, rebal_ledger_new(world->fleet, NULL, out, &run->err))) {
    return 1;
  }
  for (row = 0; row < rows; row++) {
    const char *name = cluster_name(world->snapshot, row);
    const json_t *workloads = json_is_array(assumed) ? assumed : json_object_get(assumed, name);

    if (charge_all(run, world, row, workloads, *out)) {
      return 1;
    }
  }
  rebal_snapshot_unref(world->snapshot);
  world->snapshot = NULL;
  return failed(run, rebal_fleet_freeze(world->fleet, &world->snapshot, &run->err));
}
