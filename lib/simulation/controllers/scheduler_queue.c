/* SPDX-License-Identifier: MIT */
/*
 * What enters the scheduler's queue: new generations of bindings, and bindings affected by changed clusters
 * (rebalance-karmada(7) 2.1).
 */
#include "simulation/controllers/controllers.h"

#include <stdlib.h>
#include <string.h>

int32_t rebali_enqueue(struct rebali_scheduler *scheduler, uint32_t binding, rebal_error *err) {
  struct rebali_timer *timer = rebali_row(&scheduler->timers.objects, binding, err);
  if (timer == NULL) {
    return REBAL_ENOMEM;
  }
  rebali_timer_clear(&scheduler->timers, binding);
  timer->order = ++scheduler->order;
  return rebali_timer_set(&scheduler->timers, binding, scheduler->core->server->now, err);
}

/* Queues a binding with a new generation, or one that the scheduler begins to see. */
static int32_t observe_binding(struct rebali_scheduler *scheduler, uint32_t object, rebal_error *err) {
  const int64_t generation = rebali_field_number(scheduler->core->server, object, "metadata.generation", 0);
  const int is_seen = rebali_binding_is_managed(scheduler->core->server, object);
  struct rebali_queued *queued = rebali_row(&scheduler->queued, object, err);
  const struct rebali_timer *timer = rebali_row_find(&scheduler->timers.objects, object);
  if (queued == NULL) {
    return REBAL_ENOMEM;
  }
  if (queued->generation == generation && timer != NULL && timer->order > 0 && queued->is_seen >= is_seen) {
    queued->is_seen = is_seen;
    return REBAL_OK;
  }
  queued->generation = generation;
  queued->is_seen = is_seen;
  return rebali_enqueue(scheduler, object, err);
}

/* Reads the parts of a cluster that can queue a binding. */
static int32_t observe_cluster(struct rebali_scheduler *scheduler, uint32_t object, rebal_error *err) {
  static const char *const paths[] = {"metadata.generation", "metadata.labels", "metadata.deletionTimestamp", "spec"};
  struct rebali_queued *queued = rebali_row(&scheduler->queued, object, err);
  struct rebali_buffer now = REBALI_BUFFER;
  if (queued == NULL) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < REBALI_COUNT(paths); i++) {
    rebali_print_value(&now, rebali_field(scheduler->core->server, object, paths[i]));
    rebali_buffer_text(&now, "\n");
  }
  if (now.failed) {
    rebali_buffer_dispose(&now);
    return rebali_fail_memory(err);
  }
  scheduler->has_new_clusters |= queued->cluster == NULL || strcmp(queued->cluster, now.bytes) != 0;
  free(queued->cluster);
  queued->cluster = now.bytes; /* from malloc */
  return REBAL_OK;
}

/* Of deleted objects, only clusters change the snapshot. */
static void observe_gone(struct rebali_scheduler *scheduler, uint32_t object) {
  const struct rebali_queued *queued = rebali_row_find(&scheduler->queued, object);
  scheduler->has_new_clusters |= queued != NULL && queued->cluster != NULL;
}

static int32_t observe_changes(struct rebali_scheduler *scheduler, rebal_error *err) {
  struct rebali_server *server = scheduler->core->server;
  struct rebali_ids changed;
  int32_t code = rebali_changes_take(server, &scheduler->seen, &changed, err);
  for (size_t i = 0; code == REBAL_OK && i < changed.n; i++) {
    if (!rebali_exists(server, changed.list[i])) {
      observe_gone(scheduler, changed.list[i]);
    } else if (rebali_object_is_binding(server, changed.list[i])) {
      code = observe_binding(scheduler, changed.list[i], err);
    } else if (rebali_is_kind(server, changed.list[i], "Cluster")) {
      code = observe_cluster(scheduler, changed.list[i], err);
    }
    rebali_reads_release(server);
  }
  rebali_ids_dispose(&changed);
  return code;
}

/* Queues the bindings that the change of clusters since the previous snapshot affects and that are not due already. */
static int32_t enqueue_affected(struct rebali_scheduler *scheduler, const rebal_snapshot *before,
                                const struct rebali_ids *bindings, rebal_error *err) {
  struct rebali_core *core = scheduler->core;
  size_t n = 0;
  const int64_t *rows;
  int32_t code = rebali_feed(core, bindings->list, bindings->n, err);
  if (code == REBAL_OK) {
    code = rebal_requeue(core->ctx, before, core->snapshot, core->bindings, NULL, core->result, err);
  }
  rows = code == REBAL_OK ? rebal_result_i64(core->result, REBAL_REQUEUED_BINDING, &n) : NULL;
  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    const uint32_t object = bindings->list[rows[i]];
    if (!rebali_timer_is_due(&scheduler->timers, object, &core->server->now)) {
      code = rebali_enqueue(scheduler, object, err);
    }
  }
  return code;
}

/* Reads the bindings only if the clusters changed since an earlier snapshot. */
static int32_t observe_clusters(struct rebali_scheduler *scheduler, const struct rebali_ids *bindings,
                                rebal_error *err) {
  struct rebali_core *core = scheduler->core;
  rebal_snapshot *before = scheduler->snapshot;
  int32_t code = rebali_feed_clusters(core, err);
  if (code != REBAL_OK) {
    return code;
  }
  scheduler->snapshot = rebal_snapshot_ref(core->snapshot);
  if (before != NULL && rebal_snapshot_version(before) != rebal_snapshot_version(core->snapshot)) {
    code = enqueue_affected(scheduler, before, bindings, err);
  }
  rebal_snapshot_unref(before);
  return code;
}

int32_t rebali_queue_observe(struct rebali_scheduler *scheduler, rebal_error *err) {
  const struct rebali_server *server = scheduler->core->server;
  struct rebali_ids bindings = {NULL, 0, 0};
  int32_t code = observe_changes(scheduler, err);
  uint32_t object = rebali_next_binding(server, REBAL_NONE);
  if (code != REBAL_OK || object == REBAL_NONE || !scheduler->has_new_clusters) {
    return code;
  }
  for (; code == REBAL_OK && object != REBAL_NONE; object = rebali_next_binding(server, object)) {
    code = rebali_ids_add(&bindings, object, err);
  }
  if (code == REBAL_OK) {
    code = observe_clusters(scheduler, &bindings, err);
  }
  scheduler->has_new_clusters = 0;
  rebali_ids_dispose(&bindings);
  return code;
}
