/* SPDX-License-Identifier: MIT */
/* The pods of a workload of any store, those first that its controller deletes first. */
#include "simulation/cluster/own.h"

#include <stdlib.h>

static int32_t add_all(struct rebali_pods *pods, const struct rebali_pods *more, rebal_error *err) {
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && more != NULL && i < more->n; i++) {
    code = rebali_pods_add(pods, &more->list[i], err);
  }
  return code;
}

/* Copies of those of the workload, and of the ReplicaSets that it controls. */
static int32_t gather(struct rebali_own *own, uint32_t workload, struct rebali_pods *out, rebal_error *err) {
  struct rebali_server *server = own->core->server;
  int32_t code = add_all(out, rebali_pods_of(own, workload), err);
  for (uint32_t set = rebali_next_of(server, "ReplicaSet", REBAL_NONE); code == REBAL_OK && set != REBAL_NONE;
       set = rebali_next_of(server, "ReplicaSet", set)) {
    int is_orphan;
    if (rebali_controller_of(server, set, &is_orphan) == workload) {
      code = add_all(out, rebali_pods_of(own, set), err);
    }
    rebali_reads_release(server);
  }
  return code;
}

static int32_t sort(struct rebali_own *own, uint32_t workload, struct rebali_pods *pods, struct rebali_pod ***order,
                    size_t *n, rebal_error *err) {
  int32_t code = rebali_own_update(own, err);
  if (code == REBAL_OK) {
    code = gather(own, workload, pods, err);
  }
  code = rebali_reads_end(own->core->server, code, err);
  return code == REBAL_OK ? rebali_pods_in_order(pods, order, n, err) : code;
}

int32_t rebal_deletion_order(const rebal_store *store, uint32_t workload, uint32_t *pods, uint32_t *rules,
                             size_t capacity, size_t *n, rebal_error *err) {
  /* Nothing is written to the store. */
  struct rebali_server server = {.store = (rebal_store *)(uintptr_t)store};
  struct rebali_core core = {.server = &server};
  struct rebali_own own = {.core = &core};
  struct rebali_pods found = {NULL, 0, 0};
  struct rebali_pod **order = NULL;
  int32_t code;
  if (store == NULL || n == NULL || (capacity > 0 && (pods == NULL || rules == NULL))) {
    return rebali_fail(err, REBAL_EINVAL, -1, "store and n are needed, pods and rules where there is capacity");
  }
  if (!rebali_is_there(&server, workload)) {
    return rebali_fail(err, REBAL_ENOTFOUND, -1, "the store has no such object");
  }
  rebali_own_prepare(&own);
  code = sort(&own, workload, &found, &order, n, err);
  for (size_t i = 0; code == REBAL_OK && i < *n && i < capacity; i++) {
    pods[i] = order[i]->object;
    rules[i] = i + 1 < *n ? rebali_pod_rule(order[i], order[i + 1]) : REBAL_DELETION_RULE_NONE;
  }
  free(order);
  free(found.list);
  rebali_own_dispose(&own);
  server.store = NULL;
  rebali_server_dispose(&server);
  return code;
}
