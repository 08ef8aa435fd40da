/* SPDX-License-Identifier: MIT */
/* Pods of ReplicaSets, Jobs and CloneSets, and of other kinds that the head names. They differ only by name. */
#include "simulation/controllers/controllers.h"
#include "simulation/deletion/deletion.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char name[] = "workloads";

/* The state of a workload and what it requires. */
struct scaling {
  struct rebali_own *own;
  uint32_t workload;
  int64_t wanted;
  struct rebali_revision revision;
  int is_clone_set; /* its controller, not the API server, names pods, and replaces them */
  struct rebali_clone_limits limits;
  int is_indexed, has_odd_index; /* a Job's pods have indexes; one must be deleted for its index */
};

static int64_t replicas_of(struct rebali_server *server, uint32_t workload, int64_t active) {
  return rebali_is_kind(server, workload, "Job") ? rebali_job_wanted(server, workload, active)
                                                 : rebali_field_number(server, workload, "spec.replicas", 1);
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

static int32_t read_scaling(struct scaling *scaling, rebal_error *err) {
  struct rebali_server *server = scaling->own->core->server;
  const uint32_t workload = scaling->workload;
  scaling->wanted = replicas_of(server, workload, count(scaling, 0, 0));
  if (rebali_job_is_indexed(server, workload)) {
    scaling->is_indexed = 1;
    return rebali_indexes_look(scaling->own, workload, &scaling->has_odd_index, err);
  }
  if (!rebali_is_kind(server, workload, "CloneSet")) {
    return REBAL_OK;
  }
  scaling->is_clone_set = 1;
  rebali_clone_limits_read(server, workload, 1, &scaling->limits);
  return rebali_revision_of(scaling->own, workload, &scaling->revision, err);
}

static int32_t make(const struct scaling *scaling, int64_t n, const char *reason, rebal_error *err) {
  const char *revision = scaling->revision.text;
  const struct rebali_pod_plan plan = {
      scaling->workload, -1, scaling->is_clone_set, revision[0] != '\0' ? revision : NULL, reason, 0};
  int32_t code = REBAL_OK;
  if (scaling->is_indexed) {
    return rebali_indexes_make(scaling->own, scaling->workload, n, reason, err);
  }
  for (int64_t i = 0; code == REBAL_OK && i < n; i++) {
    code = rebali_pod_make(scaling->own, &plan, err);
    rebali_reads_release(scaling->own->core->server);
  }
  return code;
}

/* ---- scaling down ------------------------------------------------------------------------------------------------ */

/* Decides what its controller does now, by rebal_deletion_order(). Must be ended. */
static int32_t decide(const struct scaling *scaling, struct rebali_server *reader, struct rebali_deletion *pass,
                      rebal_error *err) {
  *pass = (struct rebali_deletion){.workload = scaling->workload,
                                   .revision = scaling->revision.text,
                                   .has_unlabelled = scaling->revision.has_unlabelled};
  return rebali_deletion_begin(pass, scaling->own->core->server, reader, err);
}

/* Sets the lifecycle state of a pod that a hook holds, or that is needed again. */
static int32_t set_state(const struct scaling *scaling, uint32_t object, const char *state, rebal_error *err) {
  struct rebali_server *server = scaling->own->core->server;
  struct rebali_buffer *patch = &scaling->own->other;
  int32_t code;
  rebali_buffer_clear(patch);
  rebali_buffer_format(patch, "{\"metadata\":{\"labels\":{\"lifecycle.apps.kruise.io/state\":\"%s\"}}}", state);
  code = rebali_patch(server, object, patch, err);
  return code == REBAL_OK ? rebali_watch_quietly(server, object, err) : code;
}

static const char *reason_of(const struct scaling *scaling, const struct rebali_deletion_row *row, const char *reason) {
  return scaling->is_clone_set && row->is_specified       ? "it is marked to be deleted"
         : row->rule == REBAL_DELETION_RULE_SURPLUS_INDEX ? "it has no index, or one that is not wanted again"
                                                          : reason;
}

static int32_t carry_out_one(const struct scaling *scaling, const struct rebali_deletion_row *row, const char *reason,
                             rebal_error *err) {
  switch (row->action) {
    case REBAL_DELETION_ACTION_DELETE:
      return rebali_pod_delete(scaling->own, row->pod, name, reason_of(scaling, row, reason), err);
    case REBAL_DELETION_ACTION_PREPARE:
      return set_state(scaling, row->pod, "PreparingDelete", err);
    case REBAL_DELETION_ACTION_RESTORE:
      return set_state(scaling, row->pod, "PreparingNormal", err);
    default:
      return make(scaling, 1, reason, err);
  }
}

/* Carries out the pass: *n pods are created, deleted or changed. */
static int32_t carry_out(const struct scaling *scaling, const struct rebali_deletion *pass, const char *reason,
                         size_t *n, rebal_error *err) {
  int32_t code = REBAL_OK;
  *n = 0;
  for (size_t i = 0; code == REBAL_OK && i < pass->n; i++) {
    if (pass->rows[i].action != REBAL_DELETION_ACTION_KEEP) {
      (*n)++;
      code = carry_out_one(scaling, &pass->rows[i], reason, err);
    }
  }
  return code;
}

static int32_t shrink(const struct scaling *scaling, const char *reason, size_t *n, rebal_error *err) {
  struct rebali_server reader;
  struct rebali_deletion pass;
  int32_t code = decide(scaling, &reader, &pass, err);
  if (code == REBAL_OK) {
    code = carry_out(scaling, &pass, reason, n, err);
  }
  rebali_deletion_end(&pass);
  return code;
}

/* ---- CloneSets --------------------------------------------------------------------------------------------------- */

/* Deletes n pods of former templates, in their order. */
static int32_t delete_former(const struct scaling *scaling, const struct rebali_deletion *pass, int64_t n,
                             rebal_error *err) {
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && n > 0 && i < pass->n; i++) {
    if (pass->rows[i].is_old) {
      code = rebali_pod_delete(scaling->own, pass->rows[i].pod, name, "its template is a former one", err);
      n--;
    }
  }
  return code;
}

/*
 * Returns how many pods of former templates may be deleted: as many as others replace, and those that are not ready in
 * addition; 0 or less: none.
 */
static int64_t count_replaced(const struct scaling *scaling) {
  const int64_t former = count(scaling, 1, 0), ready = count(scaling, 0, 1);
  const int64_t spare = ready - (scaling->wanted - scaling->limits.max_unavailable);
  const int64_t most = former - scaling->limits.partition;
  const int64_t n = former - count(scaling, 1, 1) + (spare > 0 ? spare : 0);
  return scaling->limits.is_paused ? 0 : n < most ? n : most;
}

/* Tests whether one of its pods, or a name that it lists, must be deleted whatever the number of pods. */
static int has_marked(const struct scaling *scaling) {
  static const char path[] = "spec.scaleStrategy.podsToDelete";
  const struct rebali_pods *pods = rebali_pods_of(scaling->own, scaling->workload);
  int is_marked = rebal_value_count(rebali_field(scaling->own->core->server, scaling->workload, path)) > 0;
  for (size_t i = 0; !is_marked && pods != NULL && i < pods->n; i++) {
    is_marked = pods->list[i].is_marked;
  }
  return is_marked;
}

/* Runs one step: a change of the number of pods comes before replacements. */
static int32_t run_clone_set(const struct scaling *scaling, const char *reason, rebal_error *err) {
  const int64_t there = count(scaling, 0, 0);
  struct rebali_server reader;
  struct rebali_deletion pass;
  size_t n = 0;
  int32_t code;
  if (there == scaling->wanted && scaling->limits.max_surge == 0 && count_replaced(scaling) <= 0 &&
      !has_marked(scaling)) {
    return REBAL_OK;
  }
  code = decide(scaling, &reader, &pass, err);
  if (code == REBAL_OK) {
    code = carry_out(scaling, &pass, reason, &n, err);
  }
  if (code == REBAL_OK && n == 0 && there >= scaling->wanted) {
    code = delete_former(scaling, &pass, count_replaced(scaling), err);
  }
  rebali_deletion_end(&pass);
  return code;
}

/* ---- all kinds --------------------------------------------------------------------------------------------------- */

int32_t rebali_replicas_run(struct rebali_own *own, uint32_t workload, rebal_error *err) {
  struct scaling scaling = {.own = own, .workload = workload};
  int64_t there;
  size_t n = REBALI_DELETIONS;
  char reason[64];
  int32_t code = read_scaling(&scaling, err);
  if (code != REBAL_OK) {
    return code;
  }
  there = count(&scaling, 0, 0);
  (void)snprintf(reason, sizeof reason, "%" PRId64 " wanted", scaling.wanted);
  if (scaling.is_clone_set) {
    return run_clone_set(&scaling, reason, err);
  }
  if (there <= scaling.wanted && !scaling.has_odd_index) {
    return make(&scaling, scaling.wanted - there, reason, err);
  }
  /* the controller continues at once with the next ones */
  while (code == REBAL_OK && n >= REBALI_DELETIONS) {
    code = shrink(&scaling, reason, &n, err);
  }
  return code;
}

int32_t rebali_replicas_create(struct rebali_own *own, uint32_t workload, int64_t n, rebal_error *err) {
  struct scaling scaling = {.own = own, .workload = workload};
  const int32_t code = read_scaling(&scaling, err);
  return code == REBAL_OK ? make(&scaling, n, "set by the step", err) : code;
}
