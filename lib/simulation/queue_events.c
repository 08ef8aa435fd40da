/* SPDX-License-Identifier: MIT */
/* What enters the scheduler's queue: new generations of bindings, and clusters that changed (spec karmada 2.1). */
#include "simulation.h"

#include <stdlib.h>

struct objects {
  uint32_t *ids;
  size_t n, capacity;
};

static int32_t add(struct objects *objects, uint32_t id, rebal_error *err) {
  void *items = objects->ids;
  const int32_t code = rebali_items_reserve(&items, objects->n, &objects->capacity, sizeof *objects->ids, err);
  objects->ids = items;
  if (code == REBAL_OK) {
    objects->ids[objects->n++] = id;
  }
  return code;
}

/* Lists all bindings, in the order of the store. */
static int32_t observe_bindings(rebal_simulation *simulation, struct objects *bindings, rebal_error *err) {
  for (uint32_t object = rebali_next_binding(simulation, REBAL_NONE); object != REBAL_NONE;
       object = rebali_next_binding(simulation, object)) {
    const int64_t generation = rebali_field_integer(simulation, object, "metadata.generation");
    struct rebali_tracked *tracked = rebali_track(simulation, object);
    if (tracked == NULL || add(bindings, object, err) != REBAL_OK) {
      return rebali_report_memory(err);
    }
    if (tracked->generation == generation && tracked->order > 0) {
      continue;
    }
    tracked->generation = generation;
    rebali_enqueue(simulation, tracked);
  }
  return REBAL_OK;
}

/* Enqueues what the change of the clusters since the snapshot before concerns and is not due already. */
static int32_t enqueue_affected(rebal_simulation *simulation, const rebal_snapshot *before,
                                const struct objects *bindings, rebal_error *err) {
  size_t n = 0;
  const int64_t *rows;
  const int32_t code = rebal_requeue(simulation->ctx, before, simulation->snapshot, simulation->bindings, NULL,
                                     simulation->result, err);
  if (code != REBAL_OK) {
    return code;
  }
  rows = rebal_result_i64(simulation->result, REBAL_REQUEUED_BINDING, &n);
  for (size_t i = 0; i < n; i++) {
    struct rebali_tracked *tracked = &simulation->tracked[bindings->ids[rows[i]]];
    if (!rebali_time_is_due(&tracked->due[REBALI_TIMER_SCHEDULER], &simulation->now)) {
      rebali_enqueue(simulation, tracked);
    }
  }
  return REBAL_OK;
}

static int32_t observe_clusters(rebal_simulation *simulation, const struct objects *bindings, rebal_error *err) {
  rebal_snapshot *before = simulation->queued;
  int32_t code = rebali_feed(simulation, bindings->ids, bindings->n, err);
  if (code != REBAL_OK) {
    return code;
  }
  simulation->queued = rebal_snapshot_ref(simulation->snapshot);
  if (before != NULL && rebal_snapshot_version(before) != rebal_snapshot_version(simulation->snapshot)) {
    code = enqueue_affected(simulation, before, bindings, err);
  }
  rebal_snapshot_unref(before);
  return code;
}

int32_t rebali_queue_observe(rebal_simulation *simulation, rebal_error *err) {
  struct objects bindings = {NULL, 0, 0};
  int32_t code = observe_bindings(simulation, &bindings, err);
  if (code == REBAL_OK && bindings.n > 0) {
    code = observe_clusters(simulation, &bindings, err);
  }
  free(bindings.ids);
  return code;
}
