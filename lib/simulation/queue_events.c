/* SPDX-License-Identifier: MIT */
/* What enters the scheduler's queue: new generations of bindings, and clusters that changed (spec karmada 2.1). */
#include "simulation.h"

#include <stdlib.h>
#include <string.h>

/* Enqueues bindings of a generation not seen before. */
static int32_t observe_binding(rebal_simulation *simulation, uint32_t object, rebal_error *err) {
  const int64_t generation = rebali_field_integer(simulation, object, "metadata.generation");
  struct rebali_tracked *tracked = rebali_track(simulation, object);
  if (tracked == NULL) {
    return rebali_fail_memory(err);
  }
  if (tracked->generation != generation || tracked->order == 0) {
    tracked->generation = generation;
    rebali_enqueue(simulation, object);
  }
  return REBAL_OK;
}

/* What of a cluster can put a binding into the queue, or stands for it. */
static char *describe(rebal_simulation *simulation, uint32_t object) {
  static const char *const paths[] = {"metadata.generation", "metadata.labels", "metadata.deletionTimestamp", "spec"};
  char *copy = NULL;
  rebal_text *text = NULL;
  int32_t code = rebal_text_new(&text, NULL);
  for (size_t i = 0; code == REBAL_OK && i < sizeof paths / sizeof paths[0]; i++) {
    const struct rebali_slice value = rebali_field(simulation, object, paths[i]);
    code = rebali_print(text, NULL, "%.*s\n", REBALI_SLICE(value));
  }
  if (code == REBAL_OK) {
    const char *bytes = rebal_text_bytes(text, NULL);
    copy = rebali_bytes_copy(bytes, strlen(bytes));
  }
  rebal_text_free(text);
  return copy;
}

static int32_t observe_cluster(rebal_simulation *simulation, uint32_t object, rebal_error *err) {
  struct rebali_tracked *tracked = rebali_track(simulation, object);
  char *now = tracked != NULL ? describe(simulation, object) : NULL;
  if (now == NULL) {
    return rebali_fail_memory(err);
  }
  simulation->has_new_clusters |= tracked->told == NULL || strcmp(tracked->told, now) != 0;
  free(tracked->told);
  tracked->told = now;
  return REBAL_OK;
}

static int32_t observe_changes(rebal_simulation *simulation, rebal_error *err) {
  struct rebali_ids changed;
  int32_t code = rebali_changes_take(simulation, &simulation->observed, &changed, err);
  for (size_t i = 0; code == REBAL_OK && i < changed.n; i++) {
    if (!rebali_object_is_there(simulation, changed.list[i])) {
      simulation->has_new_clusters = 1; /* it may have been one */
    } else if (rebali_object_is_binding(simulation, changed.list[i])) {
      code = observe_binding(simulation, changed.list[i], err);
    } else if (rebali_field_is(simulation, changed.list[i], "kind", "Cluster")) {
      code = observe_cluster(simulation, changed.list[i], err);
    }
  }
  rebali_ids_dispose(&changed);
  return code;
}

/* Enqueues what the change of the clusters since the snapshot before concerns and is not due already. */
static int32_t enqueue_affected(rebal_simulation *simulation, const rebal_snapshot *before,
                                const struct rebali_ids *bindings, rebal_error *err) {
  size_t n = 0;
  const int64_t *rows;
  const int32_t code =
      rebal_requeue(simulation->ctx, before, simulation->snapshot, simulation->bindings, NULL, simulation->result, err);
  if (code != REBAL_OK) {
    return code;
  }
  rows = rebal_result_i64(simulation->result, REBAL_REQUEUED_BINDING, &n);
  for (size_t i = 0; i < n; i++) {
    const uint32_t object = bindings->list[rows[i]];
    if (!rebali_time_is_due(&simulation->tracked[object].due[REBALI_TIMER_SCHEDULER], &simulation->now)) {
      rebali_enqueue(simulation, object);
    }
  }
  return REBAL_OK;
}

static int32_t observe_clusters(rebal_simulation *simulation, const struct rebali_ids *bindings, rebal_error *err) {
  rebal_snapshot *before = simulation->queued;
  int32_t code = rebali_feed(simulation, bindings->list, bindings->n, err);
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
  struct rebali_ids bindings = {NULL, 0, 0};
  int32_t code = observe_changes(simulation, err);
  uint32_t object = rebali_next_binding(simulation, REBAL_NONE);
  if (code != REBAL_OK || object == REBAL_NONE || !simulation->has_new_clusters) {
    return code;
  }
  for (; code == REBAL_OK && object != REBAL_NONE; object = rebali_next_binding(simulation, object)) {
    code = rebali_ids_add(&bindings, object, err);
  }
  if (code == REBAL_OK) {
    code = observe_clusters(simulation, &bindings, err);
  }
  simulation->has_new_clusters = 0;
  rebali_ids_dispose(&bindings);
  return code;
}
