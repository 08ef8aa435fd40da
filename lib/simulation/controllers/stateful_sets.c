/* SPDX-License-Identifier: MIT */
/* Pods of StatefulSets: by number, one after another unless podManagementPolicy is Parallel. */
#include "simulation/controllers/controllers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char name[] = "workloads";

struct ordinals {
  struct rebali_own *own;
  uint32_t workload;
  int64_t first, replicas, partition;
  int64_t end; /* behind the last one wanted, reserved ones counted out */
  int is_parallel;
  const rebal_value *reserved; /* numbers that are left out; others come behind */
  struct rebali_revision revision;
};

static int is_reserved(const struct ordinals *ordinals, int64_t ordinal) {
  for (size_t i = 0; i < rebal_value_count(ordinals->reserved); i++) {
    int64_t number;
    if (rebali_number(rebal_value_item(ordinals->reserved, i), &number) && number == ordinal) {
      return 1;
    }
  }
  return 0;
}

static int32_t read_ordinals(struct ordinals *out, rebal_error *err) {
  struct rebali_server *server = out->own->core->server;
  const rebal_value *spec = rebali_field(server, out->workload, "spec");
  const rebal_value *strategy = rebali_find(spec, "updateStrategy");
  out->reserved = rebali_find(spec, "reserveOrdinals");
  out->first = rebali_number_or(rebali_find(rebali_find(spec, "ordinals"), "start"), 0);
  out->replicas = rebali_number_or(rebali_find(spec, "replicas"), 1);
  out->partition = rebali_number_or(rebali_find(rebali_find(strategy, "rollingUpdate"), "partition"), 0);
  /* where no pod gets ready, none waits for another */
  out->is_parallel = out->own->is_paused || rebali_reads(rebali_find(spec, "podManagementPolicy"), "Parallel");
  if (rebali_reads(rebali_find(strategy, "type"), "OnDelete")) {
    out->partition = out->first + out->replicas;
  }
  out->end = out->first;
  for (int64_t left = out->replicas; left > 0; out->end++) {
    left -= !is_reserved(out, out->end);
  }
  return rebali_revision_of(out->own, out->workload, &out->revision, err);
}

static int is_active(const struct rebali_pod *pod) {
  return !pod->is_gone && !pod->is_done;
}

static struct rebali_pod *find(const struct ordinals *ordinals, int64_t ordinal) {
  const struct rebali_pods *pods = rebali_pods_of(ordinals->own, ordinals->workload);
  for (size_t i = 0; pods != NULL && i < pods->n; i++) {
    if (is_active(&pods->list[i]) && pods->list[i].ordinal == ordinal) {
      return &pods->list[i];
    }
  }
  return NULL;
}

/* Those that are missing, from the first on; the next one waits until the one before it is ready. */
static int32_t fill(const struct ordinals *ordinals, int *is_whole, rebal_error *err) {
  int32_t code = REBAL_OK;
  char reason[64];
  (void)snprintf(reason, sizeof reason, "%" PRId64 " wanted", ordinals->replicas);
  *is_whole = 1;
  for (int64_t i = ordinals->first; code == REBAL_OK && i < ordinals->end; i++) {
    const struct rebali_pod *pod = find(ordinals, i);
    const struct rebali_pod_plan plan = {ordinals->workload, i, 1, ordinals->revision.text, reason};
    if (is_reserved(ordinals, i)) {
      continue;
    }
    if (pod == NULL) {
      code = rebali_pod_make(ordinals->own, &plan, err);
    }
    if (pod == NULL || !pod->is_ready) {
      *is_whole = 0;
      if (!ordinals->is_parallel) {
        return code;
      }
    }
  }
  return code;
}

/* The highest number that is not wanted, or of a former template; NULL when there is none. */
static struct rebali_pod *find_last(const struct ordinals *ordinals, int is_former) {
  const struct rebali_pods *pods = rebali_pods_of(ordinals->own, ordinals->workload);
  struct rebali_pod *last = NULL;
  for (size_t i = 0; pods != NULL && i < pods->n; i++) {
    struct rebali_pod *pod = &pods->list[i];
    const int is_wanted =
        pod->ordinal >= ordinals->first && pod->ordinal < ordinals->end && !is_reserved(ordinals, pod->ordinal);
    const int goes =
        is_former ? is_wanted && pod->ordinal >= ordinals->partition && !rebali_revision_has(&ordinals->revision, pod)
                  : !is_wanted;
    if (is_active(pod) && goes && (last == NULL || pod->ordinal > last->ordinal)) {
      last = pod;
    }
  }
  return last;
}

static int32_t delete(const struct ordinals *ordinals, struct rebali_pod *pod, const char *reason, rebal_error *err) {
  pod->is_gone = 1;
  return rebali_pod_delete(ordinals->own, pod->object, name, reason, err);
}

static int32_t shrink(const struct ordinals *ordinals, rebal_error *err) {
  struct rebali_pod *pod = find_last(ordinals, 0);
  int32_t code = REBAL_OK;
  char reason[64];
  (void)snprintf(reason, sizeof reason, "%" PRId64 " wanted", ordinals->replicas);
  for (; code == REBAL_OK && pod != NULL; pod = find_last(ordinals, 0)) {
    code = delete (ordinals, pod, reason, err);
  }
  return code;
}

int32_t rebali_stateful_set_run(struct rebali_own *own, uint32_t workload, rebal_error *err) {
  struct ordinals ordinals = {.own = own, .workload = workload};
  struct rebali_pod *pod;
  int is_whole = 0;
  int32_t code = read_ordinals(&ordinals, err);
  if (code == REBAL_OK) {
    code = fill(&ordinals, &is_whole, err);
  }
  if (code == REBAL_OK) {
    code = shrink(&ordinals, err);
  }
  pod = code == REBAL_OK && is_whole ? find_last(&ordinals, 1) : NULL;
  return pod != NULL ? delete (&ordinals, pod, "its template is a former one", err) : code;
}

int32_t rebali_stateful_set_create(struct rebali_own *own, uint32_t workload, int64_t n, rebal_error *err) {
  struct ordinals ordinals = {.own = own, .workload = workload};
  int32_t code = read_ordinals(&ordinals, err);
  for (int64_t i = ordinals.first; code == REBAL_OK && n > 0; i++) {
    const struct rebali_pod_plan plan = {workload, i, 1, ordinals.revision.text, "the step says so"};
    if (!is_reserved(&ordinals, i) && find(&ordinals, i) == NULL) {
      code = rebali_pod_make(own, &plan, err);
      n--;
    }
  }
  return code;
}
