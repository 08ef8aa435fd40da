/* SPDX-License-Identifier: MIT */
/* What enters the scheduler's queue: new generations of bindings, and clusters that changed (spec karmada 2.1). */
#include "simulation.h"

#include <stdlib.h>
#include <string.h>

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

static int32_t observe_bindings(rebal_simulation *simulation, rebal_error *err) {
  for (uint32_t object = rebali_next_binding(simulation, REBAL_NONE); object != REBAL_NONE;
       object = rebali_next_binding(simulation, object)) {
    const int64_t generation = rebali_field_integer(simulation, object, "metadata.generation");
    struct rebali_tracked *tracked = rebali_track(simulation, object);
    if (tracked == NULL) {
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

/* Did the cluster change in a way the scheduler listens to? A new one is only remembered. */
static int32_t observe_cluster(rebal_simulation *simulation, uint32_t object, int *changed, rebal_error *err) {
  const int64_t generation = rebali_field_integer(simulation, object, "metadata.generation");
  const int is_deleting = !rebali_field_is(simulation, object, "metadata.deletionTimestamp", "");
  struct rebali_tracked *tracked = rebali_track(simulation, object);
  char *labels = rebali_field_copy(simulation, object, "metadata.labels");
  if (tracked == NULL || labels == NULL) {
    free(labels);
    return rebali_report_memory(err);
  }
  *changed =
      tracked->labels != NULL && (tracked->order != (uint64_t)generation || strcmp(tracked->labels, labels) != 0 ||
                                  (is_deleting && !tracked->was_deleting));
  free(tracked->labels);
  tracked->labels = labels;
  tracked->order = (uint64_t)generation; /* of a cluster: the generation the scheduler saw */
  tracked->was_deleting = is_deleting;
  return REBAL_OK;
}

/* With affinity groups a binding whose generation was not scheduled yet is always affected. */
static int is_unseen(rebal_simulation *simulation, uint32_t binding) {
  return !rebali_field_is(simulation, binding, "spec.placement.clusterAffinities", "") &&
         rebali_field_integer(simulation, binding, "metadata.generation") !=
             rebali_field_integer(simulation, binding, "status.schedulerObservedGeneration");
}

static int is_changed(rebal_simulation *simulation, const rebal_snapshot *snapshot, int64_t cluster,
                      const struct objects *changed) {
  const char *name = rebal_snapshot_cluster_name(snapshot, (uint32_t)cluster, NULL);
  for (size_t i = 0; i < changed->n; i++) {
    if (rebali_field_is(simulation, changed->ids[i], "metadata.name", name)) {
      return 1;
    }
  }
  return 0;
}

/* Enqueues the bindings whose affinity the changed clusters of a snapshot match. */
static int32_t enqueue_matching(rebal_simulation *simulation, rebal_snapshot *snapshot, const struct objects *bindings,
                                const struct objects *changed, rebal_error *err) {
  const rebal_schedule_opts opts = {.struct_size = sizeof opts};
  size_t n = 0;
  const int64_t *rows, *clusters, *rejected;
  const int32_t code = rebal_filter(simulation->ctx, snapshot, simulation->bindings, &opts, simulation->result, err);
  if (code != REBAL_OK) {
    return code;
  }
  rows = rebal_result_i64(simulation->result, REBAL_VERDICT_BINDING, &n);
  clusters = rebal_result_i64(simulation->result, REBAL_VERDICT_CLUSTER, &n);
  rejected = rebal_result_i64(simulation->result, REBAL_VERDICT_REJECTED_BY, &n);
  for (size_t i = 0; i < n; i++) {
    struct rebali_tracked *tracked = &simulation->tracked[bindings->ids[rows[i]]];
    if ((rejected[i] >> REBAL_FILTER_CLUSTER_AFFINITY & 1) == 0 &&
        !rebali_time_is_due(&tracked->due[REBALI_TIMER_SCHEDULER], &simulation->now) &&
        is_changed(simulation, snapshot, clusters[i], changed)) {
      rebali_enqueue(simulation, tracked);
    }
  }
  return REBAL_OK;
}

static int32_t enqueue_affected(rebal_simulation *simulation, const struct objects *changed, rebal_error *err) {
  struct objects bindings = {NULL, 0, 0};
  rebal_snapshot *before = simulation->snapshot != NULL ? rebal_snapshot_ref(simulation->snapshot) : NULL;
  int32_t code = REBAL_OK;
  for (uint32_t object = rebali_next_binding(simulation, REBAL_NONE); code == REBAL_OK && object != REBAL_NONE;
       object = rebali_next_binding(simulation, object)) {
    if (is_unseen(simulation, object)) {
      rebali_enqueue(simulation, &simulation->tracked[object]);
    }
    if (!rebali_field_is(simulation, object, "spec.placement", "")) {
      code = add(&bindings, object, err);
    }
  }
  if (code == REBAL_OK && bindings.n > 0) {
    code = rebali_feed(simulation, bindings.ids, bindings.n, err);
    if (code == REBAL_OK && before != NULL) {
      code = enqueue_matching(simulation, before, &bindings, changed, err);
    }
    if (code == REBAL_OK) {
      code = enqueue_matching(simulation, simulation->snapshot, &bindings, changed, err);
    }
  }
  rebal_snapshot_unref(before);
  free(bindings.ids);
  return code;
}

int32_t rebali_queue_observe(rebal_simulation *simulation, rebal_error *err) {
  struct objects changed = {NULL, 0, 0};
  int32_t code = observe_bindings(simulation, err);
  for (uint32_t object = rebali_next_of(simulation, "Cluster", REBAL_NONE); code == REBAL_OK && object != REBAL_NONE;
       object = rebali_next_of(simulation, "Cluster", object)) {
    int is_new = 0;
    code = observe_cluster(simulation, object, &is_new, err);
    if (code == REBAL_OK && is_new) {
      code = add(&changed, object, err);
    }
  }
  if (code == REBAL_OK && changed.n > 0) {
    code = enqueue_affected(simulation, &changed, err);
  }
  free(changed.ids);
  return code;
}
