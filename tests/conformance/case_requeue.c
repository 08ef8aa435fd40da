/* SPDX-License-Identifier: MIT */
/* Which bindings events of clusters or bindings put into the scheduler's queue. */
#include "cases.h"

#include <rebalance/manifest.h>
#include <stdlib.h>
#include <string.h>

/* The effects of the events so far. */
struct queue {
  json_t *bindings; /* key -> entry of the outcome */
  json_t *walked;   /* names of clusters */
  rebal_schedule_opts opts;
};

/* A binding without affinity, to which every changed cluster is relevant: it is queued whenever a cluster is walked. */
static const char probe_name[] = "probe";

static json_t *probe(const char *scheduler) {
  return json_pack("{s:s, s:{s:s}, s:{s:{}, s:s}}", "kind", "ClusterResourceBinding", "metadata", "name", probe_name,
                   "spec", "placement", "schedulerName", scheduler == NULL ? "" : scheduler);
}

static void put_queued(struct queue *queue, const rebal_bindings *bindings, uint32_t row) {
  const rebal_cells *cells = rebal_bindings_const_cells(bindings);
  const char *namespace_ = rebal_cells_get_text(cells, REBAL_BINDING_NAMESPACE, REBAL_NONE, row, NULL);
  const char *name = rebal_cells_get_text(cells, REBAL_BINDING_NAME, REBAL_NONE, row, NULL);
  const int64_t priority = rebal_cells_get_i64(cells, REBAL_BINDING_PRIORITY, REBAL_NONE, row);
  json_t *key = *namespace_ == '\0' ? json_string(name) : json_sprintf("%s/%s", namespace_, name);
  json_t *entry = json_pack("{s:O}", "binding", key);

  if (priority != 0) {
    (void)json_object_set_new(entry, "priority", json_integer(priority));
  }
  (void)json_object_set_new(queue->bindings, json_string_value(key), entry);
  json_decref(key);
}

/* The rows of REQUEUED; 1: the probe is among them. */
static int take_queued(struct conformance *run, struct queue *queue, const rebal_bindings *bindings) {
  size_t n = 0;
  const int64_t *rows = rebal_result_i64(run->result, REBAL_REQUEUED_BINDING, &n);
  int has_probe = 0;
  size_t i;

  for (i = 0; i < n; i++) {
    const char *name = rebal_cells_get_text(rebal_bindings_const_cells(bindings), REBAL_BINDING_NAME, REBAL_NONE,
                                            (uint32_t)rows[i], NULL);

    if (strcmp(name, probe_name) == 0) {
      has_probe = 1;
    } else {
      put_queued(queue, bindings, (uint32_t)rows[i]);
    }
  }
  return has_probe;
}

/* ---- events of clusters ---- */

/* The clusters of the fleet become those of the store: the object, or none; a snapshot of them. */
static int observe_cluster(struct conformance *run, struct world *world, rebal_store *store, const json_t *cluster,
                           rebal_snapshot **out) {
  char *text = cluster == NULL ? NULL : json_dumps(cluster, JSON_COMPACT);
  const uint32_t object = rebal_store_next(store, "Cluster", 7, REBAL_NONE);
  int failure = 0;

  if (text != NULL) {
    failure = failed(run, rebal_store_put(store, text, strlen(text), &run->err));
  } else if (object != REBAL_NONE) {
    failure = failed(run, rebal_store_remove(store, object, &run->err));
  }
  free(text);
  return failure || failed(run, rebal_store_feed_clusters(store, world->fleet, NULL, &run->err)) ||
         failed(run, rebal_fleet_freeze(world->fleet, out, &run->err));
}

static int cluster_event(struct conformance *run, struct world *world, struct queue *queue, const json_t *event) {
  const json_t *old = json_object_get(event, "old");
  const json_t *new = json_object_get(event, "new");
  rebal_store *store = NULL;
  rebal_snapshot *before = NULL;
  rebal_snapshot *after = NULL;
  const int failure =
      failed(run, rebal_store_new(NULL, &store, &run->err)) || observe_cluster(run, world, store, old, &before) ||
      observe_cluster(run, world, store, new, &after) ||
      failed(run, rebal_requeue(run->ctx, before, after, world->bindings, &queue->opts, run->result, &run->err));

  if (!failure && take_queued(run, queue, world->bindings)) {
    (void)json_array_append(queue->walked, json_at(new, "metadata.name") == NULL
                                               ? json_object_get(json_object_get(old, "metadata"), "name")
                                               : json_object_get(json_object_get(new, "metadata"), "name"));
  }
  rebal_result_reset(run->result);
  rebal_snapshot_unref(before);
  rebal_snapshot_unref(after);
  rebal_store_free(store);
  return failure;
}

static int cluster_events(struct conformance *run, struct queue *queue, const json_t *input) {
  json_t *bindings = json_deep_copy(json_object_get(input, "bindings"));
  struct world world;
  const json_t *event;
  int failure;
  size_t i;

  (void)json_array_append_new(bindings, probe(queue->opts.scheduler_name));
  failure = world_build(run, &world, NULL, bindings, NULL);
  json_array_foreach(json_object_get(input, "clusterEvents"), i, event) {
    failure = failure || cluster_event(run, &world, queue, event);
  }
  world_dispose(&world);
  json_decref(bindings);
  return failure;
}

/* ---- events of bindings ---- */

/* One call for all: the row of each binding as it was, where there is one. */
static int binding_events(struct conformance *run, struct queue *queue, const json_t *input) {
  const json_t *events = json_object_get(input, "bindingEvents");
  uint32_t *rows = calloc(json_array_size(events) + 1, sizeof *rows);
  json_t *olds = json_array();
  json_t *news = json_array();
  rebal_bindings *before = NULL;
  struct world world;
  const json_t *event;
  int failure;
  size_t i;

  json_array_foreach(events, i, event) {
    json_t *old = json_object_get(event, "old");

    if (json_object_get(event, "new") != NULL && rows != NULL) {
      rows[json_array_size(news)] = old == NULL ? REBAL_NONE : (uint32_t)json_array_size(olds);
      (void)json_array_append(news, json_object_get(event, "new"));
    }
    (void)json_array_append(olds, old);
  }
  failure =
      world_build(run, &world, NULL, news, NULL) || world_add_set(run, &world, olds, &before) ||
      failed(run, rebal_requeue_bindings(run->ctx, before, rows, world.bindings, &queue->opts, run->result, &run->err));
  if (!failure) {
    (void)take_queued(run, queue, world.bindings);
  }
  rebal_result_reset(run->result);
  rebal_bindings_free(before);
  world_dispose(&world);
  json_decref(olds);
  json_decref(news);
  free(rows);
  return failure;
}

/* ---- outcome ---- */

static json_t *sorted_values(json_t *map) {
  json_t *list = json_array();
  const char *key;
  json_t *value;

  json_object_foreach(map, key, value) {
    size_t i = 0;

    while (i < json_array_size(list) && strcmp(text_at(json_array_get(list, i), "binding"), key) < 0) {
      i++;
    }
    (void)json_array_insert(list, i, value);
  }
  return list;
}

json_t *case_requeue(struct conformance *run, const json_t *input) {
  const char *scheduler = json_string_value(json_object_get(input, "schedulerName"));
  const int is_of_clusters = json_object_get(input, "clusterEvents") != NULL;
  struct queue queue = {json_object(), json_array(), {.struct_size = sizeof queue.opts, .scheduler_name = scheduler}};
  json_t *outcome = NULL;

  queue.opts.scheduler_name_len = scheduler == NULL ? 0 : strlen(scheduler);
  if (!(is_of_clusters ? cluster_events(run, &queue, input) : binding_events(run, &queue, input))) {
    outcome = json_pack("{s:o}", "queued", sorted_values(queue.bindings));
    if (is_of_clusters) {
      (void)json_object_set(outcome, "walked", queue.walked);
    }
  }
  json_decref(queue.walked);
  json_decref(queue.bindings);
  return outcome;
}

/* The library returns which clusters are relevant to a binding, not how often each is examined. */
void blur_requeue(json_t *outcome, const json_t *test) {
  json_t *walked = json_object_get(outcome, "walked");
  size_t i = 1;

  (void)test;
  while (i < json_array_size(walked)) {
    if (json_equal(json_array_get(walked, i - 1), json_array_get(walked, i))) {
      (void)json_array_remove(walked, i);
    } else {
      i++;
    }
  }
}
