/* SPDX-License-Identifier: MIT */
#include "arguments.h"

void require(int32_t code, int line) {
  if (code != REBAL_OK) {
    (void)fprintf(stderr, "line %d: %s\n", line, rebal_strerror(code));
    exit(1);
  }
}

static void make_core(struct arguments *a) {
  REQUIRE(rebal_builder_new(NULL, &a->builder, NULL));
  REQUIRE(rebal_fleet_new(NULL, &a->fleet, NULL));
  REQUIRE(rebal_fleet_add_cluster(a->fleet, "m1", 2, &a->id, NULL));
  REQUIRE(rebal_fleet_add_node(a->fleet, 0, "n1", 2, &a->id, NULL));
  REQUIRE(rebal_manifest_read_record("{a: b}", 6, REBAL_OBJECT_LABELS, NULL, a->builder, &a->record, NULL));
  REQUIRE(rebal_fleet_set_node_labels(a->fleet, 0, 0, a->record, NULL));
  REQUIRE(rebal_fleet_freeze(a->fleet, &a->snapshot, NULL));
  REQUIRE(rebal_bindings_new(a->fleet, NULL, &a->bindings, NULL));
  REQUIRE(rebal_cells_add(rebal_bindings_cells(a->bindings), REBAL_TABLE_BINDING, REBAL_NONE, &a->id, 1, NULL));
  REQUIRE(rebal_bindings_new(a->fleet, NULL, &a->frozen, NULL));
  REQUIRE(rebal_cells_add(rebal_bindings_cells(a->frozen), REBAL_TABLE_BINDING, REBAL_NONE, &a->id, 1, NULL));
  REQUIRE(rebal_bindings_freeze(a->frozen, NULL));
  REQUIRE(rebal_pods_new(a->fleet, NULL, &a->pods, NULL));
  REQUIRE(rebal_cells_add(rebal_pods_cells(a->pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE, &a->id, 1, NULL));
  REQUIRE(rebal_observations_new(NULL, &a->observations, NULL));
  REQUIRE(rebal_ledger_new(a->fleet, NULL, &a->ledger, NULL));
  REQUIRE(rebal_compat_new(NULL, &a->compat, NULL));
  REQUIRE(rebal_ctx_new(NULL, NULL, &a->ctx, NULL));
  REQUIRE(rebal_result_new(NULL, &a->result, NULL));
  REQUIRE(rebal_result_new(NULL, &a->more, NULL));
  REQUIRE(rebal_plan_make(a->ctx, a->snapshot, a->frozen, &a->now, NULL, &a->plan, NULL));
  a->movement.struct_size = (uint32_t)sizeof a->movement;
}

/* A record of JSON text, in a builder of its own. */
static const rebal_record *read_record(rebal_builder **builder, const char *text, uint32_t object) {
  const rebal_record *record = NULL;

  REQUIRE(rebal_builder_new(NULL, builder, NULL));
  REQUIRE(rebal_manifest_read_record(text, REBAL_TERMINATED, object, NULL, *builder, &record, NULL));
  return record;
}

void make_arguments(struct arguments *a) {
  *a = (struct arguments){.now = NOW};
  make_core(a);
  REQUIRE(rebal_manifest_read_record(SPREAD, strlen(SPREAD), REBAL_OBJECT_WORKLOAD_SPREAD, NULL, a->builder,
                                     &a->workload_spread, NULL));
  REQUIRE(rebal_spread_new(NULL, a->workload_spread, &a->spread, NULL));
  REQUIRE(rebal_store_new(NULL, &a->store, NULL));
  REQUIRE(rebal_store_load(a->store, CLUSTER, strlen(CLUSTER), NULL));
  REQUIRE(rebal_store_load(a->store, SPREAD, strlen(SPREAD), NULL));
  REQUIRE(rebal_store_load(a->store, UNITED, strlen(UNITED), NULL));
  REQUIRE(rebal_store_load(a->store, POLICY, strlen(POLICY), NULL));
  REQUIRE(rebal_store_load(a->store, REBALANCER, strlen(REBALANCER), NULL));
  REQUIRE(rebal_spread_feed_new(a->store, a->fleet, 0, &a->feed, NULL));
  REQUIRE(rebal_spread_feed_update(a->feed, NULL));
  REQUIRE(rebal_watch_new(a->store, "v1", 2, "Pod", 3, NULL, &a->watch, NULL));
  REQUIRE(rebal_text_new(&a->text, NULL));
  a->rebalancer = read_record(&a->builders[0], REBALANCER, REBAL_OBJECT_WORKLOAD_REBALANCER);
  a->united = read_record(&a->builders[1], "{}", REBAL_OBJECT_UNITED_DEPLOYMENT);
  REQUIRE(rebal_simulation_new(NULL, &a->simulation, NULL));
}

void free_arguments(struct arguments *a) {
  rebal_simulation_free(a->simulation);
  rebal_findings_free(a->findings);
  rebal_detector_free(a->detector);
  rebal_document_free(a->document);
  rebal_text_free(a->text);
  rebal_watch_free(a->watch);
  rebal_spread_feed_free(a->feed);
  rebal_store_free(a->store);
  rebal_spread_free(a->spread);
  rebal_builder_free(a->builders[1]);
  rebal_builder_free(a->builders[0]);
  rebal_plan_free(a->plan);
  rebal_result_free(a->more);
  rebal_result_free(a->result);
  rebal_ctx_free(a->ctx);
  rebal_compat_free(a->compat);
  rebal_ledger_free(a->ledger);
  rebal_observations_free(a->observations);
  rebal_pods_free(a->pods);
  rebal_bindings_free(a->frozen);
  rebal_bindings_free(a->bindings);
  rebal_snapshot_unref(a->snapshot);
  rebal_fleet_free(a->fleet);
  rebal_builder_free(a->builder);
}
