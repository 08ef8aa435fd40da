/* SPDX-License-Identifier: MIT */
/* The data of a binding on each of its clusters, collected in one pass over its tables. */
#include "failover/failover.h"

#include "foundation/ranking.h"

static const struct {
  uint32_t table, cluster;
} tables[] = {{REBAL_TABLE_TARGET, REBAL_TARGET_CLUSTER},
              {REBAL_TABLE_TASK, REBAL_TASK_FROM_CLUSTER},
              {REBAL_TABLE_STATUS_ITEM, REBAL_STATUS_ITEM_CLUSTER},
              {REBAL_TABLE_UNHEALTHY, REBAL_UNHEALTHY_CLUSTER}};

/* Returns the number of clusters of all rows and, if clusters is not NULL, lists them in the order of the tables. */
static size_t list_clusters(const rebal_bindings *bindings, uint32_t binding, uint64_t *clusters) {
  size_t n_clusters = 0;

  for (size_t i = 0; i < REBALI_COUNT(tables); i++) {
    size_t n;
    const uint32_t *rows = rebali_bindings_children(bindings, tables[i].table, binding, &n);

    for (size_t j = 0; clusters != NULL && j < n; j++) {
      clusters[n_clusters + j] = (uint64_t)rebali_bindings_i64(bindings, tables[i].cluster, rows[j]);
    }
    n_clusters += n;
  }
  return n_clusters;
}

static void add_places(struct rebali_places *places, const uint64_t *clusters, size_t n) {
  places->n = 0;
  for (size_t i = 0; i < n; i++) {
    if (i == 0 || clusters[i] != clusters[i - 1]) {
      places->items[places->n++] = (struct rebali_binding_place){.cluster = (int64_t)clusters[i],
                                                                 .target = REBAL_NONE,
                                                                 .free = REBAL_NONE,
                                                                 .task = REBAL_NONE,
                                                                 .item = REBAL_NONE,
                                                                 .memory = REBAL_NONE,
                                                                 .unhealthy = SIZE_MAX};
    }
  }
}

struct rebali_binding_place *rebali_place_of(const struct rebali_places *places, int64_t cluster) {
  size_t at;

  REBALI_BISECT(at, places->n, places->items[at].cluster < cluster);
  return &places->items[at];
}

/* Runs backwards, so that the first row of a cluster is noted last. */
static void note_rows(struct rebali_places *places, const rebal_bindings *bindings, uint32_t binding) {
  size_t n;
  const uint32_t *rows = rebali_bindings_children(bindings, REBAL_TABLE_TARGET, binding, &n);

  for (size_t i = n; i-- > 0;) {
    struct rebali_binding_place *place =
        rebali_place_of(places, rebali_bindings_i64(bindings, REBAL_TARGET_CLUSTER, rows[i]));

    places->targets[i] = (struct rebali_place_target){place->target, 0};
    place->target = place->free = (uint32_t)i; /* rows have 32-bit ids */
  }
  rows = rebali_bindings_children(bindings, REBAL_TABLE_TASK, binding, &n);
  for (size_t i = n; i-- > 0;) {
    rebali_place_of(places, rebali_bindings_i64(bindings, REBAL_TASK_FROM_CLUSTER, rows[i]))->task = rows[i];
  }
  rows = rebali_bindings_children(bindings, REBAL_TABLE_STATUS_ITEM, binding, &n);
  for (size_t i = n; i-- > 0;) {
    struct rebali_binding_place *place =
        rebali_place_of(places, rebali_bindings_i64(bindings, REBAL_STATUS_ITEM_CLUSTER, rows[i]));
    const int64_t ready = rebali_bindings_i64(bindings, REBAL_STATUS_ITEM_READY_REPLICAS, rows[i]);

    place->item = rows[i];
    place->ready = ready > place->ready ? ready : place->ready;
  }
}

int32_t rebali_places_read(struct rebali_failover_call *call, uint32_t binding) {
  struct rebali_arena *scratch = rebali_ctx_scratch(call->ctx);
  const rebal_bindings *bindings = call->every.bindings;
  const size_t n = list_clusters(bindings, binding, NULL);
  uint64_t *clusters, *spare;
  size_t n_targets;

  (void)rebali_bindings_children(bindings, REBAL_TABLE_TARGET, binding, &n_targets);
  rebali_arena_reset(scratch);
  clusters = rebali_arena_allocate(scratch, n, sizeof *clusters);
  spare = rebali_arena_allocate(scratch, n, sizeof *spare);
  call->places.items = rebali_arena_allocate(scratch, n, sizeof *call->places.items);
  call->places.targets = rebali_arena_allocate(scratch, n_targets, sizeof *call->places.targets);
  if (clusters == NULL || spare == NULL || call->places.items == NULL || call->places.targets == NULL) {
    return rebali_fail_memory(call->every.err);
  }
  (void)list_clusters(bindings, binding, clusters);
  rebali_sort_keys(clusters, n, spare);
  add_places(&call->places, clusters, n);
  note_rows(&call->places, bindings, binding);
  return REBAL_OK;
}
