/* SPDX-License-Identifier: MIT */
/* An embedding scheduler: a queue of Deployments, clusters that change, a batch after each change. One thread. */
#include <rebalance/rebalance.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT(value) (value), strlen(value)

struct scheduler {
  rebal_fleet *fleet;
  rebal_ledger *ledger;
  rebal_bindings *batch;
  rebal_ctx *ctx;
  rebal_result *result;
  uint32_t pods, kinds, placement;
};

static rebal_error err = REBAL_ERROR_INIT;

static void must(int32_t code) {
  if (code != REBAL_OK) {
    (void)fprintf(stderr, "%s: %s\n", rebal_strerror(code), err.message);
    exit(1);
  }
}

/* Records that many rows share are kept in the fleet. Failures of a builder stick, so only its end is checked. */
static void describe(struct scheduler *own, rebal_builder *builder) {
  const rebal_record *record;

  (void)rebal_builder_start(builder, REBAL_OBJECT_API_ENABLEMENTS, NULL);
  (void)rebal_builder_begin(builder, REBAL_API_ENABLEMENTS_ENABLEMENT, NULL);
  (void)rebal_builder_text(builder, REBAL_API_ENABLEMENT_GROUP_VERSION, TEXT("apps/v1"), NULL);
  (void)rebal_builder_begin(builder, REBAL_API_ENABLEMENT_RESOURCE, NULL);
  (void)rebal_builder_text(builder, REBAL_API_RESOURCE_KIND, TEXT("Deployment"), NULL);
  (void)rebal_builder_end(builder, NULL);
  (void)rebal_builder_end(builder, NULL);
  must(rebal_builder_finish(builder, &record, &err));
  must(rebal_fleet_intern(own->fleet, record, &own->kinds, &err));
  (void)rebal_builder_start(builder, REBAL_OBJECT_PLACEMENT, NULL);
  (void)rebal_builder_begin(builder, REBAL_PLACEMENT_REPLICA_SCHEDULING, NULL);
  (void)rebal_builder_text(builder, REBAL_REPLICA_SCHEDULING_TYPE, TEXT("Divided"), NULL);
  (void)rebal_builder_text(builder, REBAL_REPLICA_SCHEDULING_DIVISION_PREFERENCE, TEXT("Aggregated"), NULL);
  (void)rebal_builder_end(builder, NULL);
  must(rebal_builder_finish(builder, &record, &err));
  must(rebal_fleet_intern(own->fleet, record, &own->placement, &err));
}

/* The watch reported a cluster with this capacity for pods: one row changes, a new cluster is a new row. */
static void see_cluster(struct scheduler *own, const char *name, int64_t pods) {
  const rebal_quantity amount = {pods, 0, REBAL_QUANTITY_FORMAT_DECIMAL_SI};
  uint32_t cluster;
  const int32_t added = rebal_fleet_add_cluster(own->fleet, TEXT(name), &cluster, &err);

  must(added == REBAL_EEXIST ? rebal_fleet_cluster_id(own->fleet, TEXT(name), &cluster, &err) : added);
  must(rebal_cells_set_i64(rebal_fleet_cells(own->fleet), REBAL_CLUSTER_API_ENABLEMENTS, REBAL_NONE, cluster,
                           own->kinds, &err));
  must(rebal_fleet_set_capacity(own->fleet, REBAL_CAPACITY_ALLOCATABLE, cluster, own->pods, &amount, &err));
}

/* Prints the decisions in the order of the batch, and returns how many stay in the queue because they fit nowhere. */
static size_t read_answers(const struct scheduler *own, const rebal_snapshot *snapshot, const char **queue, size_t n) {
  const int64_t *placed = rebal_result_i64(own->result, REBAL_DECISION_PLACED, NULL);
  const int64_t *clusters = rebal_result_i64(own->result, REBAL_PLACED_CLUSTER, NULL);
  const int64_t *replicas = rebal_result_i64(own->result, REBAL_PLACED_REPLICAS, NULL);
  size_t waiting = 0;

  for (size_t i = 0; i < n; i++) {
    for (int64_t left = placed[i]; left > 0; left--, clusters++, replicas++) {
      const char *cluster = rebal_cells_get_text(rebal_snapshot_cells(snapshot), REBAL_CLUSTER_NAME, REBAL_NONE,
                                                 (uint32_t)*clusters, NULL);

      (void)printf("%s: %s=%d\n", queue[i], cluster, (int)*replicas);
    }
    if (rebal_result_i64(own->result, REBAL_DECISION_OUTCOME, NULL)[i] != REBAL_OUTCOME_SCHEDULED) {
      (void)printf("%s waits: %s\n", queue[i], rebal_result_text(own->result, REBAL_DECISION_MESSAGE, i, NULL));
      queue[waiting++] = queue[i];
    }
  }
  return waiting;
}

/* One batch in the order of the queue: the ledger makes each see the capacity taken by those before it. */
static size_t run_batch(struct scheduler *own, const char **queue, size_t n) {
  const rebal_schedule_opts opts = {.struct_size = (uint32_t)sizeof opts, .ledger = own->ledger};
  rebal_snapshot *snapshot;

  rebal_bindings_reset(own->batch);
  for (size_t i = 0; i < n; i++) {
    uint32_t row;

    must(rebal_cells_add(rebal_bindings_cells(own->batch), REBAL_TABLE_BINDING, REBAL_NONE, &row, 1, &err));
    must(rebal_cells_set_text(rebal_bindings_cells(own->batch), REBAL_BINDING_NAME, REBAL_NONE, row, TEXT(queue[i]),
                              &err));
    must(rebal_cells_set_text(rebal_bindings_cells(own->batch), REBAL_BINDING_RESOURCE_API_VERSION, REBAL_NONE, row,
                              TEXT("apps/v1"), &err));
    must(rebal_cells_set_text(rebal_bindings_cells(own->batch), REBAL_BINDING_RESOURCE_KIND, REBAL_NONE, row,
                              TEXT("Deployment"), &err));
    must(rebal_cells_set_i64(rebal_bindings_cells(own->batch), REBAL_BINDING_REPLICAS, REBAL_NONE, row, 10, &err));
    must(rebal_cells_set_i64(rebal_bindings_cells(own->batch), REBAL_BINDING_PLACEMENT, REBAL_NONE, row, own->placement,
                             &err));
  }
  must(rebal_bindings_freeze(own->batch, &err));
  must(rebal_fleet_freeze(own->fleet, &snapshot, &err));
  must(rebal_schedule(own->ctx, snapshot, own->batch, &opts, own->result, &err));
  n = read_answers(own, snapshot, queue, n);
  rebal_snapshot_unref(snapshot);
  return n;
}

int main(void) {
  const char *queue[] = {"web", "shop", "mail"};
  struct scheduler own = {0};
  rebal_builder *builder;
  size_t waiting;

  must(rebal_fleet_new(NULL, &own.fleet, &err));
  must(rebal_fleet_resource_id(own.fleet, TEXT("pods"), &own.pods, &err));
  must(rebal_builder_new(NULL, &builder, &err));
  describe(&own, builder);
  rebal_builder_free(builder);
  must(rebal_ledger_new(own.fleet, NULL, &own.ledger, &err));
  must(rebal_bindings_new(own.fleet, NULL, &own.batch, &err));
  must(rebal_ctx_new(NULL, NULL, &own.ctx, &err));
  must(rebal_result_new(NULL, &own.result, &err));
  see_cluster(&own, "east", 8);
  see_cluster(&own, "west", 14);
  waiting = run_batch(&own, queue, 3);
  see_cluster(&own, "west", 30);
  (void)run_batch(&own, queue, waiting);
  rebal_result_free(own.result);
  rebal_ctx_free(own.ctx);
  rebal_bindings_free(own.batch);
  rebal_ledger_free(own.ledger);
  rebal_fleet_free(own.fleet);
  return 0;
}
