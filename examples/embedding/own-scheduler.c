/* SPDX-License-Identifier: MIT */
/* Your scheduler calls ours: a queue of workloads, clusters that change, a round after each change. One thread. */
#include <rebalance/rebalance.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct workload {
  const char *name;
  int64_t replicas;
};

struct scheduler {
  size_t blocks; /* in use */
  rebal_fleet *fleet;
  rebal_builder *builder;
  rebal_ctx *ctx;
  rebal_ledger *ledger;
  rebal_bindings *bindings;
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

/* Your memory; one allocator serves all objects here. */
static void *allocate(void *user_data, size_t size) {
  void *block = malloc(size);

  *(size_t *)user_data += block != NULL;
  return block;
}

static void *reallocate(void *user_data, void *block, size_t size) {
  return block == NULL ? allocate(user_data, size) : realloc(block, size);
}

static void release(void *user_data, void *block) {
  *(size_t *)user_data -= block != NULL;
  free(block);
}

/* Ends a record and keeps it in the fleet. Failures of a builder stick, so only its end is checked. */
static uint32_t intern(struct scheduler *own) {
  const rebal_record *record;
  uint32_t handle = REBAL_NONE;

  must(rebal_builder_finish(own->builder, &record, &err));
  must(rebal_fleet_intern(own->fleet, record, &handle, &err));
  return handle;
}

static void text(struct scheduler *own, uint32_t field, const char *value) {
  (void)rebal_builder_text(own->builder, field, value, strlen(value), NULL);
}

static void describe(struct scheduler *own) {
  (void)rebal_builder_start(own->builder, REBAL_OBJECT_API_ENABLEMENTS, NULL);
  (void)rebal_builder_begin(own->builder, REBAL_API_ENABLEMENTS_ENABLEMENT, NULL);
  text(own, REBAL_API_ENABLEMENT_GROUP_VERSION, "apps/v1");
  (void)rebal_builder_begin(own->builder, REBAL_API_ENABLEMENT_RESOURCE, NULL);
  text(own, REBAL_API_RESOURCE_KIND, "Deployment");
  (void)rebal_builder_end(own->builder, NULL);
  (void)rebal_builder_end(own->builder, NULL);
  own->kinds = intern(own);
  (void)rebal_builder_start(own->builder, REBAL_OBJECT_PLACEMENT, NULL);
  (void)rebal_builder_begin(own->builder, REBAL_PLACEMENT_REPLICA_SCHEDULING, NULL);
  text(own, REBAL_REPLICA_SCHEDULING_TYPE, "Divided");
  text(own, REBAL_REPLICA_SCHEDULING_DIVISION_PREFERENCE, "Aggregated");
  (void)rebal_builder_end(own->builder, NULL);
  own->placement = intern(own);
  must(rebal_fleet_resource_id(own->fleet, "pods", 4, &own->pods, &err));
}

static void start(struct scheduler *own) {
  const rebal_allocator memory = {(uint32_t)sizeof memory, 0, &own->blocks, allocate, reallocate, release};

  must(rebal_fleet_new(&memory, &own->fleet, &err));
  must(rebal_builder_new(&memory, &own->builder, &err));
  must(rebal_ctx_new(&memory, NULL, &own->ctx, &err));
  must(rebal_ledger_new(own->fleet, &memory, &own->ledger, &err));
  must(rebal_bindings_new(own->fleet, &memory, &own->bindings, &err));
  must(rebal_result_new(&memory, &own->result, &err));
  describe(own);
}

static void stop(struct scheduler *own) {
  rebal_result_free(own->result);
  rebal_bindings_free(own->bindings);
  rebal_ledger_free(own->ledger);
  rebal_ctx_free(own->ctx);
  rebal_builder_free(own->builder);
  rebal_fleet_free(own->fleet);
}

/* Your watch saw a cluster with room for so many pods: one row changes, a new cluster is a new row. */
static void see_cluster(struct scheduler *own, const char *name, int64_t pods) {
  const rebal_quantity amount = {pods, 0, REBAL_FORMAT_DECIMAL_SI};
  uint32_t cluster;
  int32_t code = rebal_fleet_add_cluster(own->fleet, name, strlen(name), &cluster, &err);

  if (code == REBAL_EEXIST) {
    code = rebal_fleet_cluster_id(own->fleet, name, strlen(name), &cluster, &err);
  }
  must(code);
  must(rebal_fleet_set_i64(own->fleet, REBAL_CLUSTER_API_ENABLEMENTS, cluster, own->kinds, &err));
  must(rebal_fleet_set_capacity(own->fleet, REBAL_CAPACITY_ALLOCATABLE, cluster, own->pods, &amount, &err));
}

static void set_text(struct scheduler *own, uint32_t column, uint32_t row, const char *value) {
  must(rebal_bindings_set_text(own->bindings, column, row, value, strlen(value), &err));
}

static void add_binding(struct scheduler *own, const struct workload *workload) {
  uint32_t row;

  must(rebal_bindings_add(own->bindings, REBAL_TABLE_BINDING, 0, &row, &err));
  set_text(own, REBAL_BINDING_NAMESPACE, row, "default");
  set_text(own, REBAL_BINDING_NAME, row, workload->name);
  set_text(own, REBAL_BINDING_RESOURCE_API_VERSION, row, "apps/v1");
  set_text(own, REBAL_BINDING_RESOURCE_KIND, row, "Deployment");
  must(rebal_bindings_set_i64(own->bindings, REBAL_BINDING_REPLICAS, row, workload->replicas, &err));
  must(rebal_bindings_set_i64(own->bindings, REBAL_BINDING_PLACEMENT, row, own->placement, &err));
}

/* Prints an answer; 1 when the workload has a place. */
static int read_answer(struct scheduler *own, rebal_snapshot *snapshot, size_t row, const char *name) {
  const int64_t outcome = rebal_result_i64(own->result, REBAL_DECISION_OUTCOME, NULL)[row];
  const int64_t first = rebal_result_i64(own->result, REBAL_DECISION_FIRST_PLACED, NULL)[row];
  const int64_t end = first + rebal_result_i64(own->result, REBAL_DECISION_PLACED, NULL)[row];
  const int64_t *clusters = rebal_result_i64(own->result, REBAL_PLACED_CLUSTER, NULL);
  const int64_t *replicas = rebal_result_i64(own->result, REBAL_PLACED_REPLICAS, NULL);
  int64_t i;

  (void)printf("  %s: %s", name, rebal_result_text(own->result, REBAL_DECISION_MESSAGE, row, NULL));
  for (i = first; i < end; i++) {
    const char *cluster = rebal_snapshot_cluster_name(snapshot, (uint32_t)clusters[i], NULL);

    (void)printf("%s%s=%d", i == first ? "" : " ", cluster, (int)replicas[i]);
  }
  (void)printf("\n");
  return outcome == REBAL_OUTCOME_SCHEDULED;
}

/* One batch in your order: the ledger makes each see what the ones before it took. How many still wait? */
static size_t run_round(struct scheduler *own, struct workload *queue, size_t n, const char *reason) {
  const rebal_schedule_opts opts = {.struct_size = (uint32_t)sizeof opts, .ledger = own->ledger};
  rebal_snapshot *snapshot;
  size_t waiting = 0;
  size_t i;

  (void)printf("%s\n", reason);
  rebal_bindings_reset(own->bindings);
  for (i = 0; i < n; i++) {
    add_binding(own, &queue[i]);
  }
  must(rebal_bindings_freeze(own->bindings, &err));
  must(rebal_fleet_freeze(own->fleet, &snapshot, &err));
  must(rebal_schedule(own->ctx, snapshot, own->bindings, &opts, own->result, &err));
  for (i = 0; i < n; i++) {
    if (!read_answer(own, snapshot, i, queue[i].name)) {
      queue[waiting++] = queue[i];
    }
  }
  rebal_snapshot_unref(snapshot);
  return waiting;
}

int main(void) {
  struct workload queue[] = {{"web", 10}, {"shop", 3}, {"mail", 12}};
  struct scheduler own = {0};
  size_t waiting = 3;

  start(&own);
  see_cluster(&own, "east", 8);
  see_cluster(&own, "west", 6);
  waiting = run_round(&own, queue, waiting, "two clusters");
  see_cluster(&own, "west", 30);
  waiting = run_round(&own, queue, waiting, "west has grown");
  stop(&own);
  (void)printf("%d waiting, %d blocks left\n", (int)waiting, (int)own.blocks);
  return 0;
}
