/* SPDX-License-Identifier: MIT */
/* Pods of ReplicaSets, Jobs and CloneSets, and of other kinds that the head names: alike, told apart by name only. */
#include "workloads.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char name[] = "workloads";

/* What a workload has and wants. */
struct scaling {
  uint32_t workload;
  struct rebali_owned_pods *pods;
  int64_t wanted, partition, surge, unavailable;
  char revision[64]; /* "": its pods are not told apart by template */
  int is_named;      /* its controller names pods, not the API server */
};

static int64_t replicas_of(rebal_simulation *simulation, uint32_t workload) {
  int64_t parallel, completions;
  if (!rebali_field_is(simulation, workload, "kind", "Job")) {
    return rebali_integer_or(simulation, workload, "spec.replicas", 1);
  }
  parallel = rebali_integer_or(simulation, workload, "spec.parallelism", 1);
  completions = rebali_integer_or(simulation, workload, "spec.completions", parallel);
  return parallel < completions ? parallel : completions;
}

static void read_scaling(rebal_simulation *simulation, struct scaling *scaling) {
  const uint32_t workload = scaling->workload;
  scaling->wanted = replicas_of(simulation, workload);
  if (!rebali_field_is(simulation, workload, "kind", "CloneSet")) {
    return;
  }
  rebali_revision_of(simulation, workload, scaling->revision);
  scaling->is_named = 1;
  scaling->partition =
      rebali_share_of(simulation, workload, "spec.updateStrategy.partition", rebali_slice("0"), scaling->wanted, 1);
  scaling->surge =
      rebali_share_of(simulation, workload, "spec.updateStrategy.maxSurge", rebali_slice("0"), scaling->wanted, 1);
  scaling->unavailable = rebali_share_of(simulation, workload, "spec.updateStrategy.maxUnavailable",
                                         rebali_slice("20%"), scaling->wanted, scaling->surge == 0);
}

static int is_former(const struct scaling *scaling, const struct rebali_owned_pod *pod) {
  return scaling->revision[0] != '\0' && strcmp(pod->revision, scaling->revision) != 0;
}

static int64_t count(const struct scaling *scaling, int only_former, int only_ready) {
  int64_t n = 0;
  for (size_t i = 0; i < scaling->pods->n; i++) {
    const struct rebali_owned_pod *pod = &scaling->pods->list[i];
    n += rebali_pod_is_of(pod, scaling->workload) && (!only_former || is_former(scaling, pod)) &&
         (!only_ready || pod->is_ready);
  }
  return n;
}

static int32_t make(rebal_simulation *simulation, const struct scaling *scaling, int64_t n, rebal_error *err) {
  char reason[64];
  const struct rebali_pod_plan plan = {scaling->workload, -1, scaling->is_named,
                                       scaling->revision[0] != '\0' ? scaling->revision : NULL, reason};
  int32_t code = REBAL_OK;
  (void)snprintf(reason, sizeof reason, "%" PRId64 " wanted", scaling->wanted);
  for (int64_t i = 0; code == REBAL_OK && i < n; i++) {
    code = rebali_pod_make(simulation, &plan, err);
  }
  return code;
}

/* The first to go; NULL when there is none. */
static struct rebali_owned_pod *find_first(const struct scaling *scaling, int only_former) {
  struct rebali_owned_pod *first = NULL;
  for (size_t i = 0; i < scaling->pods->n; i++) {
    struct rebali_owned_pod *pod = &scaling->pods->list[i];
    if (rebali_pod_is_of(pod, scaling->workload) && (!only_former || is_former(scaling, pod)) &&
        (first == NULL || rebali_pod_goes_before(pod, first))) {
      first = pod;
    }
  }
  return first;
}

static int32_t delete(rebal_simulation *simulation, const struct scaling *scaling, int only_former, int64_t n,
                      const char *reason, rebal_error *err) {
  int32_t code = REBAL_OK;
  for (int64_t i = 0; code == REBAL_OK && i < n; i++) {
    struct rebali_owned_pod *pod = find_first(scaling, only_former);
    if (pod == NULL) {
      return code;
    }
    pod->is_gone = 1;
    code = rebali_pod_delete(simulation, pod->object, name, reason, err);
  }
  return code;
}

/* As many pods of former templates go as others stand in for, those that are not ready beyond that. */
static int32_t replace(rebal_simulation *simulation, const struct scaling *scaling, rebal_error *err) {
  const int64_t former = count(scaling, 1, 0), ready = count(scaling, 0, 1);
  const int64_t spare = ready - (scaling->wanted - scaling->unavailable);
  int64_t most = former - scaling->partition;
  int64_t n = former - count(scaling, 1, 1) + (spare > 0 ? spare : 0);
  n = n < most ? n : most;
  return n > 0 ? delete (simulation, scaling, 1, n, "its template is a former one", err) : REBAL_OK;
}

int32_t rebali_workload_scale(rebal_simulation *simulation, uint32_t workload, struct rebali_owned_pods *pods,
                              rebal_error *err) {
  struct scaling scaling = {.workload = workload, .pods = pods};
  int64_t there, former, more;
  char reason[64];
  int32_t code = REBAL_OK;
  read_scaling(simulation, &scaling);
  there = count(&scaling, 0, 0);
  former = count(&scaling, 1, 0) - scaling.partition;
  more = former > 0 ? (former < scaling.surge ? former : scaling.surge) : 0;
  if (there > scaling.wanted + more) {
    (void)snprintf(reason, sizeof reason, "%" PRId64 " wanted", scaling.wanted);
    code = delete (simulation, &scaling, former > 0, there - scaling.wanted - more, reason, err);
  } else {
    code = make(simulation, &scaling, scaling.wanted + more - there, err);
  }
  return code == REBAL_OK && former > 0 ? replace(simulation, &scaling, err) : code;
}
