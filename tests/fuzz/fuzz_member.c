/* SPDX-License-Identifier: MIT */
/* Any text as the objects of a member cluster: it is refused with a reason, or fed into a fleet, twice the same. */
#include "law.h"

#include <rebalance/manifest.h>

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CLUSTER 0 /* the only one */

/* Values of a feed and its snapshot, to be compared. */
struct seen {
  int32_t code;
  uint32_t nodes, pods, workloads, sets;
  int64_t replicas;
};

static int64_t query(rebal_snapshot *snapshot, const rebal_bindings *bindings) {
  const rebal_time now = {1000000000, 0, 1};
  rebal_ctx *ctx = NULL;
  rebal_result *result = NULL;
  int64_t replicas;
  law(rebal_ctx_new(NULL, NULL, &ctx, NULL) == REBAL_OK && rebal_result_new(NULL, &result, NULL) == REBAL_OK);
  law(rebal_unschedulable(ctx, snapshot, bindings, &now, NULL, result, NULL) == REBAL_OK);
  law(rebal_result_count(result, REBAL_TABLE_UNSCHEDULABLE) == 1);
  replicas = rebal_result_i64(result, REBAL_UNSCHEDULABLE_REPLICAS, NULL)[0];
  rebal_result_free(result);
  rebal_ctx_free(ctx);
  return replicas;
}

/* The node of a pod exists. */
static void examine_pods(const rebal_snapshot *snapshot) {
  const uint32_t n = rebal_cells_bound(rebal_snapshot_cells(snapshot), REBAL_TABLE_POD, CLUSTER);
  for (uint32_t row = 0; row < n; row++) {
    const int64_t node = rebal_cells_get_i64(rebal_snapshot_cells(snapshot), REBAL_POD_NODE, CLUSTER, row);
    if (!rebal_cells_has(rebal_snapshot_cells(snapshot), REBAL_TABLE_POD, CLUSTER, row)) {
      continue; /* the pod was refused */
    }
    law(node == REBAL_ABSENT || node < rebal_cells_bound(rebal_snapshot_cells(snapshot), REBAL_TABLE_NODE, CLUSTER));
  }
}

static struct seen feed(rebal_store *store, rebal_fleet *fleet, const rebal_bindings *bindings) {
  struct seen seen = {0, 0, 0, 0, 0, 0};
  rebal_snapshot *snapshot = NULL;
  rebal_error err = REBAL_ERROR_INIT;
  seen.code = rebal_store_feed_member(store, fleet, CLUSTER, NULL, &err);
  law(seen.code == REBAL_OK || (err.code == seen.code && err.message[0] != '\0'));
  law(rebal_fleet_freeze(fleet, &snapshot, NULL) == REBAL_OK);
  seen.nodes = rebal_cells_bound(rebal_snapshot_cells(snapshot), REBAL_TABLE_NODE, CLUSTER);
  seen.pods = rebal_cells_bound(rebal_snapshot_cells(snapshot), REBAL_TABLE_POD, CLUSTER);
  seen.workloads = rebal_cells_bound(rebal_snapshot_cells(snapshot), REBAL_TABLE_WORKLOAD, CLUSTER);
  seen.sets = rebal_cells_bound(rebal_snapshot_cells(snapshot), REBAL_TABLE_REPLICA_SET, CLUSTER);
  seen.replicas = query(snapshot, bindings);
  law(rebal_cells_get_i64(rebal_snapshot_cells(snapshot), REBAL_CLUSTER_HAS_NODES, REBAL_NONE, CLUSTER) == 1);
  examine_pods(snapshot);
  rebal_snapshot_unref(snapshot);
  return seen;
}

/* A binding of the Deployment default/web in the cluster. */
static rebal_bindings *binding_of(rebal_fleet *fleet) {
  static const struct {
    uint32_t column;
    const char *text;
  } cells[] = {{REBAL_BINDING_RESOURCE_KIND, "Deployment"},
               {REBAL_BINDING_RESOURCE_NAMESPACE, "default"},
               {REBAL_BINDING_RESOURCE_NAME, "web"}};
  rebal_bindings *bindings = NULL;
  uint32_t row, target;
  law(rebal_bindings_new(fleet, NULL, &bindings, NULL) == REBAL_OK);
  law(rebal_cells_add(rebal_bindings_cells(bindings), REBAL_TABLE_BINDING, REBAL_NONE, &row, 1, NULL) == REBAL_OK);
  for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
    law(rebal_cells_set_text(rebal_bindings_cells(bindings), cells[i].column, REBAL_NONE, row, cells[i].text,
                             strlen(cells[i].text), NULL) == REBAL_OK);
  }
  law(rebal_cells_add(rebal_bindings_cells(bindings), REBAL_TABLE_TARGET, row, &target, 1, NULL) == REBAL_OK);
  law(rebal_cells_set_i64(rebal_bindings_cells(bindings), REBAL_TARGET_CLUSTER, REBAL_NONE, target, CLUSTER, NULL) ==
      REBAL_OK);
  law(rebal_bindings_freeze(bindings, NULL) == REBAL_OK);
  return bindings;
}

static void feed_twice(rebal_store *store) {
  rebal_fleet *fleet = NULL;
  rebal_bindings *bindings;
  struct seen first, second;
  uint32_t cluster;
  law(rebal_fleet_new(NULL, &fleet, NULL) == REBAL_OK);
  law(rebal_fleet_add_cluster(fleet, "m", 1, &cluster, NULL) == REBAL_OK && cluster == CLUSTER);
  bindings = binding_of(fleet);
  first = feed(store, fleet, bindings);
  second = feed(store, fleet, bindings);
  law(first.code == second.code && first.nodes == second.nodes && first.pods == second.pods);
  law(first.workloads == second.workloads && first.sets == second.sets && first.replicas == second.replicas);
  rebal_bindings_free(bindings);
  rebal_fleet_free(fleet);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const rebal_manifest_limits limits = {sizeof limits, 32, 1 << 20, 20000, 2000};
  rebal_store *store = NULL;
  law(rebal_store_new(&limits, &store, NULL) == REBAL_OK);
  if (rebal_store_load(store, (const char *)data, size, NULL) == REBAL_OK) {
    feed_twice(store);
  }
  rebal_store_free(store);
  return 0;
}
