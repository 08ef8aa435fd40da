/* SPDX-License-Identifier: MIT */
/* Pods of StatefulSets: by number, one after another unless podManagementPolicy is Parallel. */
#include "simulation/controllers/controllers.h"
#include "simulation/deletion/deletion.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char name[] = "workloads";

struct sequence {
  struct rebali_own *own;
  uint32_t workload;
  struct rebali_ordinals ordinals;
  int64_t partition;
  int is_parallel;
  struct rebali_revision revision;
};

static int32_t read_sequence(struct sequence *out, rebal_error *err) {
  struct rebali_server *server = out->own->core->server;
  const rebal_value *spec = rebali_field(server, out->workload, "spec");
  const rebal_value *strategy = rebali_find(spec, "updateStrategy");
  const int32_t code = rebali_ordinals_read(server, out->workload, &out->ordinals, err);
  out->partition = rebali_number_or(rebali_find(rebali_find(strategy, "rollingUpdate"), "partition"), 0);
  /* if no pod ever gets ready, none waits for another */
  out->is_parallel = out->own->is_paused || rebali_reads(rebali_find(spec, "podManagementPolicy"), "Parallel");
  if (rebali_reads(rebali_find(strategy, "type"), "OnDelete")) {
    out->partition = out->ordinals.start + out->ordinals.replicas;
  }
  return code != REBAL_OK ? code : rebali_revision_of(out->own, out->workload, &out->revision, err);
}

static int is_active(const struct rebali_pod *pod) {
  return !pod->is_gone && !pod->is_done;
}

static struct rebali_pod *find(const struct sequence *sequence, int64_t ordinal) {
  const struct rebali_pods *pods = rebali_pods_of(sequence->own, sequence->workload);
  for (size_t i = 0; pods != NULL && i < pods->n; i++) {
    if (!pods->list[i].is_gone && pods->list[i].ordinal == ordinal) {
      return &pods->list[i];
    }
  }
  return NULL;
}

/* Creates missing pods, starting with the first; each waits until the previous one is ready. */
static int32_t fill(const struct sequence *sequence, int *is_whole, rebal_error *err) {
  int32_t code = REBAL_OK;
  char reason[64];
  (void)snprintf(reason, sizeof reason, "%" PRId64 " wanted", sequence->ordinals.replicas);
  *is_whole = 1;
  for (int64_t i = rebali_ordinals_skip(&sequence->ordinals, sequence->ordinals.start);
       code == REBAL_OK && i < sequence->ordinals.end; i = rebali_ordinals_skip(&sequence->ordinals, i + 1)) {
    const struct rebali_pod *pod = find(sequence, i);
    const struct rebali_pod_plan plan = {sequence->workload, i, 1, sequence->revision.text, reason, 0};
    if (pod == NULL) {
      code = rebali_pod_make(sequence->own, &plan, err);
    }
    if (pod == NULL || !pod->is_ready) {
      *is_whole = 0;
      if (!sequence->is_parallel) {
        return code;
      }
    }
  }
  return code;
}

static int is_wanted(const struct sequence *sequence, const struct rebali_pod *pod) {
  return rebali_ordinals_want(&sequence->ordinals, pod->ordinal);
}

/* Returns the pod of a former template with the highest number that an update replaces, or NULL. */
static struct rebali_pod *find_former(const struct sequence *sequence) {
  const struct rebali_pods *pods = rebali_pods_of(sequence->own, sequence->workload);
  struct rebali_pod *last = NULL;
  for (size_t i = 0; pods != NULL && i < pods->n; i++) {
    struct rebali_pod *pod = &pods->list[i];
    if (is_active(pod) && is_wanted(sequence, pod) && pod->ordinal >= sequence->partition &&
        !rebali_revision_has(&sequence->revision, pod) && (last == NULL || pod->ordinal > last->ordinal)) {
      last = pod;
    }
  }
  return last;
}

/* Tests whether there is a pod that a pass may delete. A label of OpenKruise may require that for a wanted one. */
static int has_surplus(const struct sequence *sequence) {
  const struct rebali_pods *pods = rebali_pods_of(sequence->own, sequence->workload);
  for (size_t i = 0; pods != NULL && i < pods->n; i++) {
    const struct rebali_pod *pod = &pods->list[i];
    if (!pod->is_gone &&
        (pod->is_done || !is_wanted(sequence, pod) || (sequence->ordinals.is_advanced && pod->is_marked))) {
      return 1;
    }
  }
  return 0;
}

/* Deletes the pods of one pass of rebal_deletion_order(): *n of them. A wanted one leaves a gap. */
static int32_t shrink_once(const struct sequence *sequence, size_t *n, int *is_whole, rebal_error *err) {
  struct rebali_server reader;
  struct rebali_deletion pass = {.workload = sequence->workload, .is_parallel = sequence->is_parallel};
  int32_t code = rebali_deletion_begin(&pass, sequence->own->core->server, &reader, err);
  char reason[64];
  (void)snprintf(reason, sizeof reason, "%" PRId64 " wanted", sequence->ordinals.replicas);
  *n = 0;
  for (size_t i = 0; code == REBAL_OK && i < pass.n; i++) {
    if (pass.rows[i].action == REBAL_DELETION_ACTION_DELETE) {
      const int is_replica = rebali_ordinals_want(&sequence->ordinals, pass.rows[i].ordinal);
      (*n)++;
      *is_whole &= !is_replica;
      code = rebali_pod_delete(sequence->own, pass.rows[i].pod, name,
                               is_replica && pass.rows[i].is_specified ? "it is marked to be deleted" : reason, err);
    }
  }
  rebali_deletion_end(&pass);
  return code;
}

/* Runs pass after pass, until one waits. */
static int32_t shrink(const struct sequence *sequence, int *is_whole, rebal_error *err) {
  size_t n = 1;
  int32_t code = REBAL_OK;
  while (code == REBAL_OK && n > 0 && has_surplus(sequence)) {
    code = shrink_once(sequence, &n, is_whole, err);
    n = sequence->is_parallel ? 0 : n;
  }
  return code;
}

int32_t rebali_stateful_set_run(struct rebali_own *own, uint32_t workload, rebal_error *err) {
  struct sequence sequence = {.own = own, .workload = workload};
  const struct rebali_pod *pod;
  int is_whole = 0;
  int32_t code = read_sequence(&sequence, err);
  if (code == REBAL_OK) {
    code = fill(&sequence, &is_whole, err);
  }
  if (code == REBAL_OK) {
    code = shrink(&sequence, &is_whole, err);
  }
  pod = code == REBAL_OK && is_whole ? find_former(&sequence) : NULL;
  if (pod != NULL) {
    code = rebali_pod_delete(own, pod->object, name, "its template is a former one", err);
  }
  rebali_ordinals_dispose(&sequence.ordinals);
  return code;
}

int32_t rebali_stateful_set_create(struct rebali_own *own, uint32_t workload, int64_t n, rebal_error *err) {
  struct sequence sequence = {.own = own, .workload = workload};
  int32_t code = read_sequence(&sequence, err);
  for (int64_t i = sequence.ordinals.start; code == REBAL_OK && n > 0; i++) {
    const struct rebali_pod_plan plan = {workload, i, 1, sequence.revision.text, "set by the step", 0};
    if (rebali_ordinals_skip(&sequence.ordinals, i) == i && find(&sequence, i) == NULL) {
      code = rebali_pod_make(own, &plan, err);
      n--;
    }
  }
  rebali_ordinals_dispose(&sequence.ordinals);
  return code;
}
