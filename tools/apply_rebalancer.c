/* SPDX-License-Identifier: MIT */
/* Runs a WorkloadRebalancer on the store. */
#include "rebalancectl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct run {
  struct world *world;
  struct rebalancer *rebalancer;
  rebal_observations *observations;
  rebal_error err;
};

void rebalancer_dispose(struct rebalancer *rebalancer) {
  for (size_t i = 0; i < rebalancer->n; i++) {
    const struct workload *workload = &rebalancer->workloads[i];
    free(workload->api_version);
    free(workload->kind);
    free(workload->namespace_);
    free(workload->name);
    free(workload->result);
    free(workload->reason);
  }
  free(rebalancer->workloads);
  free(rebalancer->triggered);
}

/* Sets a missing creationTimestamp to now, because the trigger takes its time from it. */
static int32_t create(struct run *run) {
  struct world *world = run->world;
  char now[64], patch[160];
  size_t len;
  int32_t result;
  if (world_text(world, run->rebalancer->object, "metadata.creationTimestamp")[0] != '\0') {
    return REBAL_OK;
  }
  result = rebal_time_format(&world->options->now, now, sizeof now, &len, &run->err);
  if (result != REBAL_OK) {
    return result;
  }
  (void)snprintf(patch, sizeof patch, "{\"metadata\":{\"creationTimestamp\":\"%s\",\"generation\":1}}", now);
  return rebal_store_patch(world->store, run->rebalancer->object, patch, strlen(patch), &world->options->now,
                           &run->err);
}

static uint32_t object_of(const struct world *world, size_t action) {
  size_t kind_len, namespace_len, name_len;
  const char *kind = rebal_result_text(world->result, REBAL_ACTION_OBJECT_KIND, action, &kind_len);
  const char *space = rebal_result_text(world->result, REBAL_ACTION_NAMESPACE, action, &namespace_len);
  const char *name = rebal_result_text(world->result, REBAL_ACTION_NAME, action, &name_len);
  return rebal_store_find(world->store, kind, kind_len, space, namespace_len, name, name_len);
}

static int note_trigger(struct rebalancer *rebalancer, uint32_t object) {
  uint32_t *triggered = realloc(rebalancer->triggered, (rebalancer->n_triggered + 1) * sizeof *triggered);
  if (triggered == NULL) {
    return 0;
  }
  rebalancer->triggered = triggered;
  triggered[rebalancer->n_triggered++] = object;
  return 1;
}

static enum status carry_action(struct run *run, size_t action, int64_t kind) {
  struct world *world = run->world;
  if (kind == REBAL_ACTION_KIND_PATCH_SPEC && !note_trigger(run->rebalancer, object_of(world, action))) {
    return complain_of_memory();
  }
  if (rebal_store_carry_out(world->store, world->result, action, &world->options->now, run->observations, &run->err) !=
      REBAL_OK) {
    return complain_of_call(&run->err);
  }
  return STATUS_DONE;
}

/* The object itself stays in the store, so that its status can be read. */
static enum status carry_actions(struct run *run) {
  const rebal_result *result = run->world->result;
  const size_t n = rebal_result_count(result, REBAL_TABLE_ACTION);
  const int64_t *kinds = rebal_result_i64(result, REBAL_ACTION_KIND, NULL);
  enum status status = STATUS_DONE;
  for (size_t i = 0; status == STATUS_DONE && i < n && !run->rebalancer->is_deleted; i++) {
    run->rebalancer->is_deleted = kinds[i] == REBAL_ACTION_KIND_DELETE;
    if (!run->rebalancer->is_deleted) {
      status = carry_action(run, i, kinds[i]);
    }
  }
  return status;
}

static enum status step(struct run *run, const rebal_record *record) {
  const rebal_rebalancer_opts opts = {.struct_size = sizeof opts, .observations = run->observations};
  struct world *world = run->world;
  int64_t state = REBAL_STEP_STATE_WAITING;
  while (state == REBAL_STEP_STATE_WAITING && !run->rebalancer->is_deleted) {
    enum status status;
    if (rebal_rebalancer_step(world->ctx, record, &world->options->now, &opts, world->result, &run->err) != REBAL_OK) {
      return complain_of_call(&run->err);
    }
    state = rebal_result_i64(world->result, REBAL_STEP_STATE, NULL)[0];
    status = carry_actions(run);
    if (status != STATUS_DONE) {
      return status;
    }
  }
  if (state == REBAL_STEP_STATE_RETRY) {
    complain("rebalancectl: WorkloadRebalancer %s: %s", world_text(world, run->rebalancer->object, "metadata.name"),
             rebal_result_text(world->result, REBAL_STEP_MESSAGE, 0, NULL));
    return STATUS_INPUT;
  }
  return STATUS_DONE;
}

/* ---- status ---- */

static char *copy_text(const rebal_record *record, uint32_t parent, uint32_t field) {
  return strdup(rebal_record_text(record, rebal_record_next(record, parent, field, REBAL_NONE), NULL));
}

static int compare_ids(const void *left, const void *right) {
  const uint32_t *const a = left, *const b = right;
  return *a < *b ? -1 : *a > *b;
}

/* The binding of a workload among those triggered. */
static uint32_t find_triggered(const struct run *run, const struct workload *workload) {
  const size_t capacity = strlen(workload->name) + strlen(workload->kind) + 2;
  const char *kind = workload->namespace_[0] != '\0' ? "ResourceBinding" : "ClusterResourceBinding";
  char *name = malloc(capacity);
  uint32_t object = REBAL_NONE;
  size_t len;
  if (name != NULL && rebal_binding_name(workload->name, strlen(workload->name), workload->kind, strlen(workload->kind),
                                         name, capacity, &len, NULL) == REBAL_OK) {
    object = rebal_store_find(run->world->store, kind, strlen(kind), workload->namespace_, strlen(workload->namespace_),
                              name, len);
  }
  free(name);
  if (run->rebalancer->n_triggered == 0 ||
      bsearch(&object, run->rebalancer->triggered, run->rebalancer->n_triggered, sizeof object, compare_ids) == NULL) {
    return REBAL_NONE;
  }
  return object;
}

static int add_workload(struct run *run, const rebal_record *record, uint32_t node) {
  struct rebalancer *rebalancer = run->rebalancer;
  const uint32_t reference = rebal_record_next(record, node, REBAL_OBSERVED_WORKLOAD_WORKLOAD, REBAL_NONE);
  struct workload *workloads = realloc(rebalancer->workloads, (rebalancer->n + 1) * sizeof *workloads);
  struct workload *workload;
  if (workloads == NULL) {
    return 0;
  }
  rebalancer->workloads = workloads;
  workload = &workloads[rebalancer->n++];
  workload->api_version = copy_text(record, reference, REBAL_REFERENCE_API_VERSION);
  workload->kind = copy_text(record, reference, REBAL_REFERENCE_KIND);
  workload->namespace_ = copy_text(record, reference, REBAL_REFERENCE_NAMESPACE);
  workload->name = copy_text(record, reference, REBAL_REFERENCE_NAME);
  workload->result = copy_text(record, node, REBAL_OBSERVED_WORKLOAD_RESULT);
  workload->reason = copy_text(record, node, REBAL_OBSERVED_WORKLOAD_REASON);
  if (workload->api_version == NULL || workload->kind == NULL || workload->namespace_ == NULL ||
      workload->name == NULL || workload->result == NULL || workload->reason == NULL) {
    return 0;
  }
  workload->triggered = find_triggered(run, workload);
  return 1;
}

static enum status read_status(struct run *run) {
  const rebal_record *record;
  uint32_t status, node = REBAL_NONE;
  if (run->rebalancer->n_triggered > 0) {
    qsort(run->rebalancer->triggered, run->rebalancer->n_triggered, sizeof *run->rebalancer->triggered, compare_ids);
  }
  if (rebal_store_record(run->world->store, run->rebalancer->object, run->world->builder, &record, &run->err) !=
      REBAL_OK) {
    return complain_of_call(&run->err);
  }
  status = rebal_record_next(record, 0, REBAL_WORKLOAD_REBALANCER_STATUS, REBAL_NONE);
  while ((node = rebal_record_next(record, status, REBAL_REBALANCER_STATUS_OBSERVED_WORKLOADS, node)) != REBAL_NONE) {
    if (!add_workload(run, record, node)) {
      return complain_of_memory();
    }
  }
  return STATUS_DONE;
}

enum status rebalancer_carry_out(struct world *world, struct rebalancer *rebalancer) {
  struct run run = {world, rebalancer, NULL, REBAL_ERROR_INIT};
  const rebal_record *record;
  enum status status;
  int32_t result = rebal_observations_new(NULL, &run.observations, &run.err);
  if (result == REBAL_OK) {
    result = create(&run);
  }
  if (result == REBAL_OK) {
    result = rebal_store_record(world->store, rebalancer->object, world->builder, &record, &run.err);
  }
  status = result == REBAL_OK ? step(&run, record) : complain_of_call(&run.err);
  if (status == STATUS_DONE) {
    status = read_status(&run);
  }
  rebal_observations_free(run.observations);
  return status;
}
