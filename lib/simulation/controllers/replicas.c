/* SPDX-License-Identifier: MIT */
/* Pods of ReplicaSets, Jobs and CloneSets, and of other kinds that the head names: alike, told apart by name only. */
#include "simulation/controllers/controllers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char name[] = "workloads";

/* What a workload has and wants. */
struct scaling {
  struct rebali_own *own;
  uint32_t workload;
  int64_t wanted, partition, surge, unavailable;
  struct rebali_revision revision;
  int is_named; /* its controller names pods, not the API server */
};

static int64_t replicas_of(struct rebali_server *server, uint32_t workload) {
  int64_t parallel, completions;
  if (!rebali_is_kind(server, workload, "Job")) {
    return rebali_field_number(server, workload, "spec.replicas", 1);
  }
  parallel = rebali_field_number(server, workload, "spec.parallelism", 1);
  completions = rebali_field_number(server, workload, "spec.completions", parallel);
  return parallel < completions ? parallel : completions;
}

static int32_t read_scaling(struct scaling *scaling, rebal_error *err) {
  struct rebali_server *server = scaling->own->core->server;
  const uint32_t workload = scaling->workload;
  scaling->wanted = replicas_of(server, workload);
  if (!rebali_is_kind(server, workload, "CloneSet")) {
    return REBAL_OK;
  }
  scaling->is_named = 1;
  scaling->partition = rebali_field_share(server, workload, "spec.updateStrategy.partition", "0", scaling->wanted, 1);
  scaling->surge = rebali_field_share(server, workload, "spec.updateStrategy.maxSurge", "0", scaling->wanted, 1);
  scaling->unavailable = rebali_field_share(server, workload, "spec.updateStrategy.maxUnavailable", "20%",
                                            scaling->wanted, scaling->surge == 0);
  return rebali_revision_of(scaling->own, workload, &scaling->revision, err);
}

static int is_former(const struct scaling *scaling, const struct rebali_pod *pod) {
  return !rebali_revision_has(&scaling->revision, pod);
}

static int64_t count(const struct scaling *scaling, int only_former, int only_ready) {
  const struct rebali_pods *pods = rebali_pods_of(scaling->own, scaling->workload);
  int64_t n = 0;
  for (size_t i = 0; pods != NULL && i < pods->n; i++) {
    const struct rebali_pod *pod = &pods->list[i];
    n += !pod->is_gone && !pod->is_done && (!only_former || is_former(scaling, pod)) && (!only_ready || pod->is_ready);
  }
  return n;
}

static int32_t make(const struct scaling *scaling, int64_t n, const char *reason, rebal_error *err) {
  const char *revision = scaling->revision.text;
  const struct rebali_pod_plan plan = {scaling->workload, -1, scaling->is_named, revision[0] != '\0' ? revision : NULL,
                                       reason};
  int32_t code = REBAL_OK;
  for (int64_t i = 0; code == REBAL_OK && i < n; i++) {
    code = rebali_pod_make(scaling->own, &plan, err);
    rebali_reads_release(scaling->own->core->server);
  }
  return code;
}

/* At most n, the first to go first. */
static int32_t delete(const struct scaling *scaling, int only_former, int64_t n, const char *reason, rebal_error *err) {
  const struct rebali_pods *pods = rebali_pods_of(scaling->own, scaling->workload);
  struct rebali_pod **order = NULL;
  size_t n_order = 0;
  int32_t code = pods != NULL ? rebali_pods_in_order(pods, &order, &n_order, err) : REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && n > 0 && i < n_order; i++) {
    if (!only_former || is_former(scaling, order[i])) {
      order[i]->is_gone = 1;
      n--;
      code = rebali_pod_delete(scaling->own, order[i]->object, name, reason, err);
    }
  }
  free(order);
  return code;
}

/* As many pods of former templates go as others stand in for, those that are not ready beyond that. */
static int32_t replace(const struct scaling *scaling, rebal_error *err) {
  const int64_t former = count(scaling, 1, 0), ready = count(scaling, 0, 1);
  const int64_t spare = ready - (scaling->wanted - scaling->unavailable);
  int64_t most = former - scaling->partition;
  int64_t n = former - count(scaling, 1, 1) + (spare > 0 ? spare : 0);
  n = n < most ? n : most;
  return n > 0 ? delete (scaling, 1, n, "its template is a former one", err) : REBAL_OK;
}

int32_t rebali_replicas_run(struct rebali_own *own, uint32_t workload, rebal_error *err) {
  struct scaling scaling = {.own = own, .workload = workload};
  int64_t there, former, more;
  char reason[64];
  int32_t code = read_scaling(&scaling, err);
  if (code != REBAL_OK) {
    return code;
  }
  there = count(&scaling, 0, 0);
  former = count(&scaling, 1, 0) - scaling.partition;
  more = former > 0 ? (former < scaling.surge ? former : scaling.surge) : 0;
  (void)snprintf(reason, sizeof reason, "%" PRId64 " wanted", scaling.wanted);
  code = there > scaling.wanted + more ? delete (&scaling, former > 0, there - scaling.wanted - more, reason, err)
                                       : make(&scaling, scaling.wanted + more - there, reason, err);
  return code == REBAL_OK && former > 0 ? replace(&scaling, err) : code;
}

int32_t rebali_replicas_create(struct rebali_own *own, uint32_t workload, int64_t n, rebal_error *err) {
  struct scaling scaling = {.own = own, .workload = workload};
  const int32_t code = read_scaling(&scaling, err);
  return code == REBAL_OK ? make(&scaling, n, "the step says so", err) : code;
}
