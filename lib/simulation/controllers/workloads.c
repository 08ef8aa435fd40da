/* SPDX-License-Identifier: MIT */
/* The workloads of the scenario's own cluster: their pods, their statuses, and pods whose owner is gone. */
#include "simulation/controllers/controllers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const owners[] = {"CloneSet", "Job", "ReplicaSet", "StatefulSet"};
static const char collector[] = "garbage-collector";

/* ---- garbage collection ------------------------------------------------------------------------------------------ */

/* Collects ReplicaSets whose Deployment was deleted. */
static int32_t collect_sets(struct rebali_server *server, rebal_error *err) {
  struct rebali_ids orphans = {NULL, 0, 0};
  int32_t code = REBAL_OK;
  for (uint32_t set = rebali_next_of(server, "ReplicaSet", REBAL_NONE); code == REBAL_OK && set != REBAL_NONE;
       set = rebali_next_of(server, "ReplicaSet", set)) {
    int is_orphan = 0;
    (void)rebali_controller_of(server, set, &is_orphan);
    if (is_orphan && server->reads.has_failed == 0) {
      code = rebali_ids_add(&orphans, set, err);
    }
  }
  for (size_t i = 0; code == REBAL_OK && i < orphans.n; i++) {
    code = rebali_remove(server, orphans.list[i], collector, "its Deployment is gone", err);
  }
  rebali_ids_dispose(&orphans);
  return code;
}

/* Tests whether a pod has a node that does not exist. Only scenarios with nodes can have such pods. */
static int has_lost_node(struct rebali_server *server, const struct rebali_pod *pod) {
  return pod->has_node && rebali_next_of(server, "Node", REBAL_NONE) != REBAL_NONE &&
         rebali_find_object(server, "Node", "", rebali_field_text(server, pod->object, "spec.nodeName")) == REBAL_NONE;
}

/* Pods to be deleted, in the order of creation. */
struct collection {
  struct rebali_own *own;
  struct rebali_ids pods;
};

static int32_t collect(void *user, struct rebali_pods *pods, uint32_t owner, rebal_error *err) {
  struct collection *collection = user;
  int32_t code = REBAL_OK;
  (void)owner;
  for (size_t i = 0; code == REBAL_OK && i < pods->n; i++) {
    if (pods == &collection->own->orphans || has_lost_node(collection->own->core->server, &pods->list[i])) {
      code = rebali_ids_add(&collection->pods, pods->list[i].object, err);
    }
  }
  return code;
}

static int compare_ids(const void *left, const void *right) {
  const uint32_t one = *(const uint32_t *)left, other = *(const uint32_t *)right;
  return (one > other) - (one < other);
}

static int32_t collect_pods(struct rebali_own *own, rebal_error *err) {
  struct collection collection = {own, {NULL, 0, 0}};
  int32_t code = rebali_own_each(own, collect, &collection, err);
  if (collection.pods.n > 1) {
    qsort(collection.pods.list, collection.pods.n, sizeof *collection.pods.list, compare_ids);
  }
  for (size_t i = 0; code == REBAL_OK && i < collection.pods.n; i++) {
    const uint32_t object = collection.pods.list[i];
    int is_orphan = 0;
    (void)rebali_controller_of(own->core->server, object, &is_orphan);
    code = rebali_pod_delete(own, object, collector, is_orphan ? "its owner is gone" : "its node is gone", err);
  }
  rebali_ids_dispose(&collection.pods);
  return code;
}

/* ---- status ------------------------------------------------------------------------------------------------------ */

/* Writes the counts if the object's status differs. */
int32_t rebali_counts_write(struct rebali_own *own, uint32_t workload, const struct rebali_pod_counts *counts,
                            rebal_error *err) {
  struct rebali_server *server = own->core->server;
  struct rebali_buffer before = REBALI_BUFFER, *patch = &own->other;
  size_t len;
  int32_t code = REBAL_OK;
  rebali_print_json(&before, rebali_field(server, workload, "status"));
  rebali_buffer_clear(patch);
  rebali_buffer_format(patch,
                       "{\"status\":{\"observedGeneration\":%" PRId64 ",\"replicas\":%" PRId64
                       ",\"readyReplicas\":%" PRId64 ",\"availableReplicas\":%" PRId64 ",\"updatedReplicas\":%" PRId64,
                       rebali_field_number(server, workload, "metadata.generation", 0), counts->replicas, counts->ready,
                       counts->ready, counts->updated);
  if (counts->revision != NULL) {
    rebali_print_member(patch, "updateRevision", counts->revision);
  }
  rebali_buffer_text(patch, "}}");
  len = strlen("{\"status\":");
  if (before.failed || patch->failed) {
    code = rebali_fail_memory(err);
  } else if (before.len + len + 1 != patch->len ||
             memcmp(rebali_printed(&before), patch->bytes + len, before.len) != 0) {
    code = rebali_patch(server, workload, patch, err);
    code = code == REBAL_OK ? rebali_watch_quietly(server, workload, err) : code;
  }
  rebali_buffer_dispose(&before);
  return code;
}

int32_t rebali_workload_report(struct rebali_own *own, uint32_t workload, rebal_error *err) {
  struct rebali_server *server = own->core->server;
  const struct rebali_pods *pods = rebali_pods_of(own, workload);
  struct rebali_revision revision = {"", 0};
  struct rebali_pod_counts counts = {0, 0, 0, NULL};
  const int32_t code = rebali_revision_of(own, workload, &revision, err);
  if (rebali_is_kind(server, workload, "CloneSet") || rebali_is_kind(server, workload, "StatefulSet")) {
    counts.revision = revision.text;
  }
  for (size_t i = 0; pods != NULL && i < pods->n; i++) {
    const struct rebali_pod *pod = &pods->list[i];
    if (!pod->is_gone && !pod->is_done) {
      counts.replicas++;
      counts.ready += pod->is_ready;
      counts.updated += counts.revision == NULL || rebali_revision_has(&revision, pod);
    }
  }
  return code == REBAL_OK ? rebali_counts_write(own, workload, &counts, err) : code;
}

/* ---- one after another ------------------------------------------------------------------------------------------- */

typedef int32_t (*run_one)(struct rebali_own *own, uint32_t workload, rebal_error *err);

static int32_t each(struct rebali_own *own, const char *kind, run_one run, rebal_error *err) {
  struct rebali_server *server = own->core->server;
  int32_t code = REBAL_OK;
  for (uint32_t object = rebali_next_of(server, kind, REBAL_NONE); code == REBAL_OK && object != REBAL_NONE;
       object = rebali_next_of(server, kind, object)) {
    code = run(own, object, err);
    rebali_reads_release(server);
  }
  return code;
}

static int32_t run_owner(struct rebali_own *own, uint32_t workload, rebal_error *err) {
  int32_t code = rebali_revision_remember(own, workload, err);
  if (code == REBAL_OK && rebali_is_kind(own->core->server, workload, "ReplicaSet")) {
    code = rebali_replica_set_claim(own, workload, err);
  }
  if (code != REBAL_OK) {
    return code;
  }
  return rebali_is_kind(own->core->server, workload, "StatefulSet") ? rebali_stateful_set_run(own, workload, err)
                                                                    : rebali_replicas_run(own, workload, err);
}

static int32_t report(struct rebali_own *own, rebal_error *err) {
  int32_t code = rebali_own_update(own, err);
  for (size_t i = 0; code == REBAL_OK && i < REBALI_COUNT(owners); i++) {
    code = each(own, owners[i], rebali_workload_report, err);
  }
  return code == REBAL_OK ? each(own, "Deployment", rebali_deployment_report, err) : code;
}

/* Runs all workloads. Kinds that the head names are handled as ReplicaSets. */
static int32_t run_pods(const struct rebali_workloads *workloads, rebal_error *err) {
  struct rebali_own *own = workloads->own;
  const rebal_value *kinds = workloads->options->kinds;
  int32_t code = rebali_own_update(own, err);
  if (code == REBAL_OK) {
    code = collect_pods(own, err);
  }
  for (size_t i = 0; code == REBAL_OK && i < REBALI_COUNT(owners); i++) {
    code = each(own, owners[i], run_owner, err);
  }
  for (size_t i = 0; code == REBAL_OK && i < rebal_value_count(kinds); i++) {
    code = each(own, rebal_value_text(rebal_value_item(kinds, i), NULL), run_owner, err);
  }
  if (code == REBAL_OK) {
    code = rebali_pod_log_report(own, err);
  }
  return code == REBAL_OK ? rebali_webhook_report(own, err) : code;
}

/* Lets owners whose pods were refused retry; *n: how many. */
static int32_t release(struct rebali_own *own, size_t *n, rebal_error *err) {
  struct rebali_ids due = {NULL, 0, 0};
  const int32_t code = rebali_timers_due(&own->retries, &own->core->server->now, &due, err);
  for (size_t i = 0; code == REBAL_OK && i < due.n; i++) {
    rebali_timer_clear(&own->retries, due.list[i]);
  }
  *n = due.n;
  rebali_ids_dispose(&due);
  return code;
}

static int32_t run_all(const struct rebali_workloads *workloads, rebal_error *err) {
  struct rebali_own *own = workloads->own;
  int32_t code = collect_sets(own->core->server, err);
  if (code == REBAL_OK) {
    code = each(own, "Deployment", rebali_deployment_run, err);
  }
  if (code == REBAL_OK) {
    code = rebali_webhook_open(own, err);
  }
  if (code == REBAL_OK) {
    code = run_pods(workloads, err);
  }
  rebali_webhook_close(own);
  return code == REBAL_OK ? report(own, err) : code;
}

/* Its own writes are examined in the next round. */
int32_t rebali_workloads_run(struct rebali_workloads *workloads, rebal_error *err) {
  struct rebali_own *own = workloads->own;
  size_t n_released = 0;
  int32_t code = own != NULL ? release(own, &n_released, err) : REBAL_OK;
  if (code != REBAL_OK || own == NULL ||
      (n_released == 0 && workloads->seen == rebal_store_change_count(own->core->server->store))) {
    return code;
  }
  workloads->seen = rebal_store_change_count(own->core->server->store);
  return run_all(workloads, err);
}

/* ---- one workload, of a paused scenario -------------------------------------------------------------------------- */

int rebali_workload_is_known(const struct rebali_workloads *workloads, const char *kind) {
  const rebal_value *kinds = workloads->options->kinds;
  int is_known = strcmp(kind, "Deployment") == 0;
  for (size_t i = 0; i < REBALI_COUNT(owners); i++) {
    is_known |= strcmp(kind, owners[i]) == 0;
  }
  for (size_t i = 0; i < rebal_value_count(kinds); i++) {
    is_known |= rebali_reads(rebal_value_item(kinds, i), kind);
  }
  return is_known;
}

/* Calls a function for the ReplicaSets of a Deployment, or for the workload itself. */
static int32_t each_owner(struct rebali_own *own, uint32_t workload, run_one run, rebal_error *err) {
  struct rebali_server *server = own->core->server;
  int32_t code = REBAL_OK;
  if (!rebali_is_kind(server, workload, "Deployment")) {
    return run(own, workload, err);
  }
  for (uint32_t set = rebali_next_of(server, "ReplicaSet", REBAL_NONE); code == REBAL_OK && set != REBAL_NONE;
       set = rebali_next_of(server, "ReplicaSet", set)) {
    int is_orphan;
    code = rebali_controller_of(server, set, &is_orphan) == workload ? run(own, set, err) : REBAL_OK;
    rebali_reads_release(server);
  }
  return code;
}

/* Closes the webhook and reports the result. */
static int32_t end_one(struct rebali_own *own, uint32_t workload, int32_t code, rebal_error *err) {
  if (code == REBAL_OK) {
    code = rebali_pod_log_report(own, err);
  }
  if (code == REBAL_OK) {
    code = rebali_webhook_report(own, err);
  }
  rebali_webhook_close(own);
  if (code == REBAL_OK) {
    code = rebali_own_update(own, err);
  }
  if (code == REBAL_OK) {
    code = each_owner(own, workload, rebali_workload_report, err);
  }
  return code == REBAL_OK && rebali_is_kind(own->core->server, workload, "Deployment")
             ? rebali_deployment_report(own, workload, err)
             : code;
}

int32_t rebali_workload_reconcile(struct rebali_own *own, uint32_t workload, rebal_error *err) {
  const int is_deployment = rebali_is_kind(own->core->server, workload, "Deployment");
  int32_t code = rebali_own_update(own, err);
  if (code == REBAL_OK && is_deployment) {
    code = each_owner(own, workload, rebali_workload_report, err);
  }
  if (code == REBAL_OK && is_deployment) {
    code = rebali_deployment_run(own, workload, err);
  }
  if (code == REBAL_OK) {
    code = rebali_webhook_open(own, err);
  }
  if (code == REBAL_OK) {
    code = each_owner(own, workload, run_owner, err);
  }
  return end_one(own, workload, code, err);
}

int32_t rebali_workload_create(struct rebali_own *own, uint32_t workload, int64_t n, rebal_error *err) {
  struct rebali_server *server = own->core->server;
  uint32_t owner = workload;
  int32_t code = rebali_own_update(own, err);
  if (code == REBAL_OK && rebali_is_kind(server, workload, "Deployment")) {
    code = rebali_deployment_set(own, workload, &owner, err);
  }
  if (code == REBAL_OK) {
    code = rebali_revision_remember(own, owner, err);
  }
  if (code == REBAL_OK) {
    code = rebali_webhook_open(own, err);
  }
  if (code == REBAL_OK) {
    code = rebali_is_kind(server, owner, "StatefulSet") ? rebali_stateful_set_create(own, owner, n, err)
                                                        : rebali_replicas_create(own, owner, n, err);
  }
  return end_one(own, workload, code, err);
}
