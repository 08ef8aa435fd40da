/* SPDX-License-Identifier: MIT */
/* The pods of the scenario's own cluster, read from objects of the store. Changed objects are read again. */
#include "simulation/cluster/own.h"
#include "simulation/deletion/deletion.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the pod of an object is kept. */
struct rebali_pod_place {
  enum { NOWHERE, OWNED, LOOSE, ORPHANED } list;
  uint32_t owner;
};

void rebali_own_prepare(struct rebali_own *own) {
  own->owners.size = sizeof(struct rebali_owner);
  own->places.size = sizeof(struct rebali_pod_place);
}

int32_t rebali_own_open(struct rebali_own *own, struct rebali_core *core, rebal_error *err) {
  int32_t code = rebal_fleet_new(NULL, &own->fleet, err);
  own->core = core;
  rebali_own_prepare(own);
  rebali_timers_open(&own->retries, core->server);
  if (code == REBAL_OK) {
    code = rebal_fleet_add_cluster(own->fleet, "nodes", 5, &own->nodes, err);
  }
  if (code == REBAL_OK) {
    code = rebal_fleet_add_cluster(own->fleet, "spreads", 7, &own->spreads, err);
  }
  if (code == REBAL_OK) {
    code = rebal_result_new(NULL, &own->result, err);
  }
  return code == REBAL_OK ? rebal_spread_feed_new(core->server->store, own->fleet, own->spreads, &own->feed, err)
                          : code;
}

void rebali_own_dispose(struct rebali_own *own) {
  for (uint32_t i = 0; i < own->owners.n; i++) {
    struct rebali_owner *owner = rebali_row_find(&own->owners, i);
    free(owner->pods.list);
    free(owner->revision);
  }
  free(own->owners.bytes);
  free(own->places.bytes);
  free(own->loose.list);
  free(own->orphans.list);
  rebali_timers_dispose(&own->retries);
  rebal_spread_feed_free(own->feed);
  rebal_feed_free(own->nodes_feed);
  rebal_result_free(own->result);
  rebal_fleet_free(own->fleet);
  rebali_buffer_dispose(&own->pod);
  rebali_buffer_dispose(&own->other);
  rebali_pod_log_dispose(&own->log);
  rebali_admissions_dispose(&own->admissions);
}

struct rebali_owner *rebali_owner(struct rebali_own *own, uint32_t object, rebal_error *err) {
  return rebali_row(&own->owners, object, err);
}

struct rebali_pods *rebali_pods_of(struct rebali_own *own, uint32_t owner) {
  struct rebali_owner *found = rebali_row_find(&own->owners, owner);
  return found != NULL ? &found->pods : NULL;
}

int32_t rebali_own_each(struct rebali_own *own, rebali_own_visit visit, void *user, rebal_error *err) {
  int32_t code = visit(user, &own->loose, REBAL_NONE, err);
  if (code == REBAL_OK) {
    code = visit(user, &own->orphans, REBAL_NONE, err);
  }
  for (uint32_t i = 0; code == REBAL_OK && i < own->owners.n; i++) {
    struct rebali_pods *pods = rebali_pods_of(own, i);
    code = pods->n > 0 ? visit(user, pods, i, err) : REBAL_OK;
  }
  return code;
}

/* ---- one pod ----------------------------------------------------------------------------------------------------- */

static void read_ready(const rebal_value *status, struct rebali_pod *pod) {
  const rebal_value *ready = rebali_condition_of(rebali_find(status, "conditions"), "Ready");
  const char *since = rebali_find_text(ready, "lastTransitionTime");
  pod->is_ready = rebali_reads(rebali_find(ready, "status"), "True");
  (void)rebali_time_parse(since, strlen(since), &pod->ready_since, NULL);
}

static int64_t ordinal_of(const char *name) {
  size_t digits = strlen(name);
  const size_t len = digits;
  int64_t number;
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') {
    digits--;
  }
  return digits > 0 && digits < len && name[digits - 1] == '-' &&
                 rebali_integer_parse(rebali_text(name + digits, len - digits), &number)
             ? number
             : -1;
}

static struct rebali_pod read_pod(struct rebali_server *server, uint32_t object) {
  const rebal_value *tree = rebali_object(server, object), *metadata = rebali_find(tree, "metadata");
  const rebal_value *spec = rebali_find(tree, "spec"), *status = rebali_find(tree, "status");
  const rebal_value *labels = rebali_find(metadata, "labels");
  const char *phase = rebali_find_text(status, "phase"), *created = rebali_find_text(metadata, "creationTimestamp");
  struct rebali_pod pod = {.count = 1, .object = object, .node = REBAL_NONE, .order = object};
  pod.has_node = rebali_find_text(spec, "nodeName")[0] != '\0';
  pod.priority = (int32_t)rebali_number_or(rebali_find(spec, "priority"), 0);
  pod.ordinal = ordinal_of(rebali_find_text(metadata, "name"));
  pod.phase = strcmp(phase, "Running") == 0 ? 2 : strcmp(phase, "Unknown") == 0;
  pod.is_done = strcmp(phase, "Succeeded") == 0 || strcmp(phase, "Failed") == 0 ||
                rebali_find_text(metadata, "deletionTimestamp")[0] != '\0';
  (void)rebali_time_parse(created, strlen(created), &pod.created, NULL);
  (void)snprintf(pod.revision, sizeof pod.revision, "%s", rebali_find_text(labels, "controller-revision-hash"));
  pod.is_marked = rebali_find(labels, "apps.kruise.io/specified-delete") != NULL ||
                  rebali_find(labels, "lifecycle.apps.kruise.io/state") != NULL;
  read_ready(status, &pod);
  return pod;
}

/* ---- all pods ---------------------------------------------------------------------------------------------------- */

static struct rebali_pods *list_of(struct rebali_own *own, const struct rebali_pod_place *place) {
  return place == NULL || place->list == NOWHERE ? NULL
         : place->list == OWNED                  ? rebali_pods_of(own, place->owner)
         : place->list == LOOSE                  ? &own->loose
                                                 : &own->orphans;
}

static struct rebali_pod *find_in(const struct rebali_pods *pods, uint32_t object) {
  size_t at;
  REBALI_BISECT(at, pods != NULL ? pods->n : 0, pods->list[at].object < object);
  return pods != NULL && at < pods->n && pods->list[at].object == object ? &pods->list[at] : NULL;
}

struct rebali_pod *rebali_own_pod(struct rebali_own *own, uint32_t object) {
  return find_in(list_of(own, rebali_row_find(&own->places, object)), object);
}

/* Inserts in the order of ids, which is the order of creation. */
static int32_t put(struct rebali_pods *pods, const struct rebali_pod *pod, rebal_error *err) {
  const int32_t code = rebali_pods_add(pods, pod, err);
  for (size_t i = pods->n; code == REBAL_OK && i-- > 1 && pods->list[i - 1].object > pods->list[i].object;) {
    const struct rebali_pod other = pods->list[i];
    pods->list[i] = pods->list[i - 1];
    pods->list[i - 1] = other;
  }
  return code;
}

static void forget(struct rebali_own *own, uint32_t object) {
  struct rebali_pod_place *place = rebali_row_find(&own->places, object);
  struct rebali_pods *pods = list_of(own, place);
  struct rebali_pod *pod = find_in(pods, object);
  if (pod != NULL) {
    pod->is_gone = 1;
    (void)rebali_pods_sweep(pods);
    place->list = NOWHERE;
  }
}

/* Reads the object again; the time when the pod gets ready is kept. */
static int32_t read_again(struct rebali_own *own, uint32_t object, rebal_error *err) {
  struct rebali_server *server = own->core->server;
  struct rebali_pod pod = read_pod(server, object), *known;
  struct rebali_pod_place *place = rebali_row(&own->places, object, err), now = {LOOSE, REBAL_NONE};
  int is_orphan = 0;
  pod.read = own->seen;
  now.owner = rebali_controller_of(server, object, &is_orphan);
  now.list = is_orphan ? ORPHANED : now.owner != REBAL_NONE ? OWNED : LOOSE;
  if (place == NULL || (now.list == OWNED && rebali_owner(own, now.owner, err) == NULL)) {
    return REBAL_ENOMEM;
  }
  if (!rebali_is_kind(server, now.owner, "StatefulSet")) {
    pod.ordinal = rebali_is_kind(server, now.owner, "Job")
                      ? rebali_index_of(rebali_field(server, object, "metadata.annotations"))
                      : -1;
  }
  known = find_in(list_of(own, place), object);
  if (known != NULL) {
    pod.ready_at = known->ready_at;
  }
  if (known != NULL && place->list == now.list && place->owner == now.owner) {
    *known = pod;
    return REBAL_OK;
  }
  forget(own, object);
  *place = now;
  return put(list_of(own, &now), &pod, err);
}

/* Collects the pods of a deleted owner. */
static int32_t note_gone(struct rebali_own *own, uint32_t object, struct rebali_ids *again, rebal_error *err) {
  const struct rebali_pods *pods = rebali_pods_of(own, object);
  int32_t code = REBAL_OK;
  forget(own, object);
  for (size_t i = 0; code == REBAL_OK && pods != NULL && i < pods->n; i++) {
    code = rebali_ids_add(again, pods->list[i].object, err);
  }
  return code;
}

int32_t rebali_own_update(struct rebali_own *own, rebal_error *err) {
  struct rebali_server *server = own->core->server;
  struct rebali_ids again = {NULL, 0, 0};
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < own->orphans.n; i++) {
    code = rebali_ids_add(&again, own->orphans.list[i].object, err);
  }
  for (uint32_t id = rebal_store_next_changed(server->store, &own->seen); code == REBAL_OK && id != REBAL_NONE;
       id = rebal_store_next_changed(server->store, &own->seen)) {
    if (rebali_is_kind(server, id, "Pod")) {
      code = rebali_ids_add(&again, id, err);
    } else if (!rebali_exists(server, id)) {
      code = note_gone(own, id, &again, err);
    }
  }
  for (size_t i = 0; code == REBAL_OK && i < again.n; i++) {
    code = rebali_exists(server, again.list[i]) ? read_again(own, again.list[i], err) : REBAL_OK;
    rebali_reads_release(server);
  }
  rebali_ids_dispose(&again);
  return code;
}
