/* SPDX-License-Identifier: MIT */
/* The tutorial's first decision by calls of the core, in what C11 and C++17 have in common. */
#include <rebalance/rebalance.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(int32_t code, const char *call) {
  if (code != REBAL_OK) {
    (void)fprintf(stderr, "tutorial: %s: %d\n", call, (int)code);
    exit(EXIT_FAILURE);
  }
}
#define MUST(call) must((call), #call)

static rebal_fleet *fleet;
static rebal_builder *builder;

static void text(uint32_t field, const char *value) {
  MUST(rebal_builder_text(builder, field, value, strlen(value), NULL));
}

static void begin(uint32_t field) {
  MUST(rebal_builder_begin(builder, field, NULL));
}

static void end(void) {
  MUST(rebal_builder_end(builder, NULL));
}

static uint32_t interned(void) {
  const rebal_record *record;
  uint32_t handle;

  MUST(rebal_builder_finish(builder, &record, NULL));
  MUST(rebal_fleet_intern(fleet, record, &handle, NULL));
  return handle;
}

static uint32_t apis(void) {
  MUST(rebal_builder_start(builder, REBAL_OBJECT_API_ENABLEMENTS, NULL));
  begin(REBAL_API_ENABLEMENTS_ENABLEMENT);
  text(REBAL_API_ENABLEMENT_GROUP_VERSION, "apps/v1");
  begin(REBAL_API_ENABLEMENT_RESOURCE);
  text(REBAL_API_RESOURCE_KIND, "Deployment");
  end();
  end();
  return interned();
}

static uint32_t placement(void) {
  MUST(rebal_builder_start(builder, REBAL_OBJECT_PLACEMENT, NULL));
  begin(REBAL_PLACEMENT_CLUSTER_AFFINITY);
  text(REBAL_AFFINITY_CLUSTER_NAMES, "member1");
  text(REBAL_AFFINITY_CLUSTER_NAMES, "member2");
  end();
  begin(REBAL_PLACEMENT_REPLICA_SCHEDULING);
  text(REBAL_REPLICA_SCHEDULING_TYPE, "Divided");
  text(REBAL_REPLICA_SCHEDULING_DIVISION_PREFERENCE, "Weighted");
  begin(REBAL_REPLICA_SCHEDULING_WEIGHT_PREFERENCE);
  text(REBAL_WEIGHT_PREFERENCE_DYNAMIC_WEIGHT, "AvailableReplicas");
  end();
  end();
  return interned();
}

static void set_pods(uint32_t cluster, uint32_t part, int64_t pods) {
  const rebal_quantity amount = {pods, 0, REBAL_QUANTITY_FORMAT_DECIMAL_SI};
  uint32_t resource;

  MUST(rebal_fleet_resource_id(fleet, "pods", 4, &resource, NULL));
  MUST(rebal_fleet_set_capacity(fleet, part, cluster, resource, &amount, NULL));
}

static void add_cluster(const char *name, uint32_t api_handle, int64_t pods) {
  uint32_t cluster;

  MUST(rebal_fleet_add_cluster(fleet, name, strlen(name), &cluster, NULL));
  MUST(rebal_cells_set_i64(rebal_fleet_cells(fleet), REBAL_CLUSTER_API_ENABLEMENTS, REBAL_NONE, cluster, api_handle,
                           NULL));
  set_pods(cluster, REBAL_CAPACITY_ALLOCATABLE, 110);
  set_pods(cluster, REBAL_CAPACITY_ALLOCATED, pods);
}

static void add_binding(rebal_bindings *bindings) {
  rebal_cells *cells = rebal_bindings_cells(bindings);
  uint32_t row;

  MUST(rebal_cells_add(cells, REBAL_TABLE_BINDING, REBAL_NONE, &row, 1, NULL));
  MUST(rebal_cells_set_text(cells, REBAL_BINDING_RESOURCE_API_VERSION, REBAL_NONE, row, "apps/v1", 7, NULL));
  MUST(rebal_cells_set_text(cells, REBAL_BINDING_RESOURCE_KIND, REBAL_NONE, row, "Deployment", 10, NULL));
  MUST(rebal_cells_set_i64(cells, REBAL_BINDING_PLACEMENT, REBAL_NONE, row, placement(), NULL));
  MUST(rebal_cells_set_i64(cells, REBAL_BINDING_REPLICAS, REBAL_NONE, row, 3, NULL));
  MUST(rebal_bindings_freeze(bindings, NULL));
}

static void print_answer(const rebal_snapshot *snapshot, const rebal_result *result) {
  size_t n;
  const int64_t *clusters = rebal_result_i64(result, REBAL_PLACED_CLUSTER, &n);
  const int64_t *replicas = rebal_result_i64(result, REBAL_PLACED_REPLICAS, &n);

  for (size_t i = 0; i < n; i++) {
    (void)printf("%s:%d\n",
                 rebal_cells_get_text(rebal_snapshot_cells(snapshot), REBAL_CLUSTER_NAME, REBAL_NONE,
                                      (uint32_t)clusters[i], NULL),
                 (int)replicas[i]);
  }
}

int main(void) {
  rebal_bindings *bindings;
  rebal_snapshot *snapshot;
  rebal_ctx *ctx;
  rebal_result *result;
  uint32_t handle;

  MUST(rebal_builder_new(NULL, &builder, NULL));
  MUST(rebal_fleet_new(NULL, &fleet, NULL));
  MUST(rebal_bindings_new(fleet, NULL, &bindings, NULL));
  MUST(rebal_ctx_new(NULL, NULL, &ctx, NULL));
  MUST(rebal_result_new(NULL, &result, NULL));
  handle = apis();
  add_cluster("member1", handle, 10);
  add_cluster("member2", handle, 13);
  add_binding(bindings);
  MUST(rebal_fleet_freeze(fleet, &snapshot, NULL));
  MUST(rebal_schedule(ctx, snapshot, bindings, NULL, result, NULL));
  print_answer(snapshot, result);
  rebal_result_free(result);
  rebal_ctx_free(ctx);
  rebal_snapshot_unref(snapshot);
  rebal_bindings_free(bindings);
  rebal_fleet_free(fleet);
  rebal_builder_free(builder);
  return EXIT_SUCCESS;
}
