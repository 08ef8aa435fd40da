/* SPDX-License-Identifier: MIT */
/* Pods of StatefulSets: by number, one after another unless podManagementPolicy is Parallel. */
#include "simulation/controllers/controllers.h"
#include "simulation/deletion/deletion.h"

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
  struct rebali_reserved reserved; /* numbers that are left out; others come behind */
  struct rebali_revision revision;
};

static int is_reserved(const struct ordinals *ordinals, int64_t ordinal) {
  return rebali_reserved_skip(&ordinals->reserved, ordinal) != ordinal;
}

static int32_t read_ordinals(struct ordinals *out, rebal_error *err) {
  struct rebali_server *server = out->own->core->server;
  const rebal_value *spec = rebali_field(server, out->workload, "spec");
  const rebal_value *strategy = rebali_find(spec, "updateStrategy");
  const char *version = rebal_store_identity(server->store, out->workload, REBAL_IDENTITY_API_VERSION, NULL);
  const int is_advanced = strncmp(version, "apps.kruise.io/", 15) == 0;
  int32_t code = rebali_reserved_read(is_advanced ? rebali_find(spec, "reserveOrdinals") : NULL, &out->reserved, err);
  out->first = is_advanced ? 0 : rebali_number_or(rebali_find(rebali_find(spec, "ordinals"), "start"), 0);
  out->replicas = rebali_number_or(rebali_find(spec, "replicas"), 1);
  out->partition = rebali_number_or(rebali_find(rebali_find(strategy, "rollingUpdate"), "partition"), 0);
  /* where no pod gets ready, none waits for another */
  out->is_parallel = out->own->is_paused || rebali_reads(rebali_find(spec, "podManagementPolicy"), "Parallel");
  if (rebali_reads(rebali_find(strategy, "type"), "OnDelete")) {
    out->partition = out->first + out->replicas;
  }
  out->end = out->first;
  for (int64_t i = 0; i < out->replicas; i++) {
    out->end = rebali_reserved_skip(&out->reserved, out->end) + 1;
  }
  return code != REBAL_OK ? code : rebali_revision_of(out->own, out->workload, &out->revision, err);
}

static int is_active(const struct rebali_pod *pod) {
  return !pod->is_gone && !pod->is_done;
}

static struct rebali_pod *find(const struct ordinals *ordinals, int64_t ordinal) {
  const struct rebali_pods *pods = rebali_pods_of(ordinals->own, ordinals->workload);
  for (size_t i = 0; pods != NULL && i < pods->n; i++) {
    if (!pods->list[i].is_gone && pods->list[i].ordinal == ordinal) {
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
  for (int64_t i = rebali_reserved_skip(&ordinals->reserved, ordinals->first); code == REBAL_OK && i < ordinals->end;
       i = rebali_reserved_skip(&ordinals->reserved, i + 1)) {
    const struct rebali_pod *pod = find(ordinals, i);
    const struct rebali_pod_plan plan = {ordinals->workload, i, 1, ordinals->revision.text, reason};
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

static int is_wanted(const struct ordinals *ordinals, const struct rebali_pod *pod) {
  return pod->ordinal >= ordinals->first && pod->ordinal < ordinals->end && !is_reserved(ordinals, pod->ordinal);
}

/* The highest number of a former template that an update takes; NULL when there is none. */
static struct rebali_pod *find_former(const struct ordinals *ordinals) {
  const struct rebali_pods *pods = rebali_pods_of(ordinals->own, ordinals->workload);
  struct rebali_pod *last = NULL;
  for (size_t i = 0; pods != NULL && i < pods->n; i++) {
    struct rebali_pod *pod = &pods->list[i];
    if (is_active(pod) && is_wanted(ordinals, pod) && pod->ordinal >= ordinals->partition &&
        !rebali_revision_has(&ordinals->revision, pod) && (last == NULL || pod->ordinal > last->ordinal)) {
      last = pod;
    }
  }
  return last;
}

/* Is there a pod that a pass may delete? */
static int has_surplus(const struct ordinals *ordinals) {
  const struct rebali_pods *pods = rebali_pods_of(ordinals->own, ordinals->workload);
  for (size_t i = 0; pods != NULL && i < pods->n; i++) {
    const struct rebali_pod *pod = &pods->list[i];
    if (!pod->is_gone && (pod->is_done || !is_wanted(ordinals, pod))) {
      return 1;
    }
  }
  return 0;
}

static int32_t delete(const struct ordinals *ordinals, uint32_t object, const char *reason, rebal_error *err) {
  struct rebali_pod *pod = rebali_own_pod(ordinals->own, object);
  if (pod != NULL) {
    pod->is_gone = 1;
  }
  return rebali_pod_delete(ordinals->own, object, name, reason, err);
}

/* Those that go in one pass, as rebal_deletion_order() says it: *n of them. */
static int32_t shrink_once(const struct ordinals *ordinals, size_t *n, rebal_error *err) {
  const struct rebali_server *server = ordinals->own->core->server;
  struct rebali_server reader = {.store = server->store};
  struct rebali_deletion pass = {.reader = &reader, .workload = ordinals->workload, .now = server->now};
  int32_t code;
  char reason[64];
  (void)snprintf(reason, sizeof reason, "%" PRId64 " wanted", ordinals->replicas);
  pass.is_parallel = ordinals->is_parallel;
  code = rebali_deletion_run(&pass, err);
  code = reader.reads.has_failed ? rebali_fail_memory(err) : code;
  *n = 0;
  for (size_t i = 0; code == REBAL_OK && i < pass.n; i++) {
    if (pass.rows[i].action == REBAL_DELETION_ACTION_DELETE) {
      (*n)++;
      code = delete (ordinals, pass.rows[i].pod, reason, err);
    }
  }
  rebali_deletion_dispose(&pass);
  reader.store = NULL;
  rebali_server_dispose(&reader);
  return code;
}

/* One after another, until one waits. */
static int32_t shrink(const struct ordinals *ordinals, rebal_error *err) {
  size_t n = 1;
  int32_t code = REBAL_OK;
  while (code == REBAL_OK && n > 0 && has_surplus(ordinals)) {
    code = shrink_once(ordinals, &n, err);
    n = ordinals->is_parallel ? 0 : n;
  }
  return code;
}

int32_t rebali_stateful_set_run(struct rebali_own *own, uint32_t workload, rebal_error *err) {
  struct ordinals ordinals = {.own = own, .workload = workload};
  const struct rebali_pod *pod;
  int is_whole = 0;
  int32_t code = read_ordinals(&ordinals, err);
  if (code == REBAL_OK) {
    code = fill(&ordinals, &is_whole, err);
  }
  if (code == REBAL_OK) {
    code = shrink(&ordinals, err);
  }
  pod = code == REBAL_OK && is_whole ? find_former(&ordinals) : NULL;
  if (pod != NULL) {
    code = delete (&ordinals, pod->object, "its template is a former one", err);
  }
  free(ordinals.reserved.list);
  return code;
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
  free(ordinals.reserved.list);
  return code;
}
