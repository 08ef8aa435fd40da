/* SPDX-License-Identifier: MIT */
#include "rebalancer/rebalancer.h"

#define BINDING_API REBALI_TEXT("work.karmada.io/v1alpha2")

static struct rebali_action binding_action(const struct rebali_pending_item *pending, int64_t kind, int64_t ordinal) {
  struct rebali_action action = {.kind = kind, .ordinal = ordinal, .api_version = BINDING_API};

  action.object_kind =
      pending->namespace_.len != 0 ? REBALI_TEXT("ResourceBinding") : REBALI_TEXT("ClusterResourceBinding");
  action.namespace_ = pending->namespace_;
  action.name = pending->binding;
  return action;
}

static int is_pending(const struct rebali_observed *observed) {
  return !rebali_text_equal(observed->result, REBALI_TEXT("Successful")) &&
         !rebali_text_equal(observed->result, REBALI_TEXT("Failed"));
}

static int compare_bindings(const void *left, const void *right, const void *context) {
  const struct rebali_pending_item *pending = context;
  const struct rebali_pending_item *one = &pending[*(const size_t *)left];
  const struct rebali_pending_item *other = &pending[*(const size_t *)right];
  const int order = rebali_text_compare(one->namespace_, other->namespace_);

  return order != 0 ? order : rebali_text_compare(one->binding, other->binding);
}

static int32_t find_leaders(struct rebali_rebalancer_run *run) {
  size_t *order = rebali_arena_allocate(&run->arena, run->n_pending, sizeof *order);
  size_t *scratch = rebali_arena_allocate(&run->arena, run->n_pending, sizeof *scratch);
  size_t i;

  if (order == NULL || scratch == NULL) {
    return rebali_fail_memory(run->err);
  }
  for (i = 0; i < run->n_pending; i++) {
    order[i] = i;
  }
  rebali_sort(order, run->n_pending, sizeof *order, scratch, compare_bindings, run->pending);
  for (i = 0; i < run->n_pending; i++) {
    const int follows = i > 0 && compare_bindings(&order[i - 1], &order[i], run->pending) == 0;

    run->pending[order[i]].leader = follows ? run->pending[order[i - 1]].leader : order[i];
  }
  return REBAL_OK;
}

static int32_t collect_pending(struct rebali_rebalancer_run *run) {
  const struct rebali_observed_list *observed = &run->status.observed;
  size_t i;

  run->pending = rebali_arena_allocate(&run->arena, observed->n, sizeof *run->pending);
  if (run->pending == NULL) {
    return rebali_fail_memory(run->err);
  }
  for (i = 0; i < observed->n; i++) {
    const struct rebali_workload *workload = &observed->items[i].workload;
    struct rebali_text binding;

    if (!is_pending(&observed->items[i])) {
      continue;
    }
    binding = rebali_binding_name(&run->arena, workload->name, workload->kind);
    if (binding.bytes == NULL) {
      return rebali_fail_memory(run->err);
    }
    run->pending[run->n_pending++] =
        (struct rebali_pending_item){i, 0, workload->namespace_, binding, REBALI_FATE_WAITING};
  }
  return find_leaders(run);
}

static enum rebali_fate fate_of(int32_t outcome) {
  return outcome == REBAL_OBSERVED_DONE        ? REBALI_FATE_SUCCESSFUL
         : outcome == REBAL_OBSERVED_NOT_FOUND ? REBALI_FATE_NOT_FOUND
                                               : REBALI_FATE_RETRY;
}

/* Returns whether the binding's trigger is missing or older than this object. */
static int needs_trigger(const struct rebali_rebalancer_run *run, const rebal_record *binding) {
  const uint32_t spec = binding == NULL ? REBAL_NONE : rebali_record_get(binding, 0, REBAL_BINDING_SPEC);
  rebal_time triggered = {0, 0, 0};

  if (spec != REBAL_NONE) {
    rebal_record_time(binding, rebali_record_get(binding, spec, REBAL_BINDING_SPEC_RESCHEDULE_TRIGGERED_AT),
                      &triggered);
  }
  return rebali_time_compare(&run->object.created, &triggered) > 0;
}

/* Returns the version of the read object: that of the observation or, if it has none, the object's own. */
static struct rebali_text version_read(const struct rebali_observation *read) {
  const uint32_t metadata =
      read->fields == NULL ? REBAL_NONE : rebali_record_get(read->fields, 0, REBAL_BINDING_METADATA);

  if (read->resource_version.len != 0 || metadata == REBAL_NONE) {
    return read->resource_version;
  }
  return rebali_record_field_text(read->fields, metadata, REBAL_METADATA_RESOURCE_VERSION);
}

static int32_t add_trigger(struct rebali_rebalancer_run *run, const struct rebali_pending_item *pending,
                           const struct rebali_observation *read, int64_t ordinal) {
  struct rebali_action action = binding_action(pending, REBAL_ACTION_KIND_PATCH_SPEC, ordinal);
  int32_t code;

  (void)rebal_builder_start(run->builder, REBAL_OBJECT_BINDING_SPEC, NULL);
  (void)rebal_builder_time(run->builder, REBAL_BINDING_SPEC_RESCHEDULE_TRIGGERED_AT, &run->object.created, NULL);
  code = rebal_builder_finish(run->builder, &action.payload, run->err);
  action.resource_version = version_read(read);
  return code == REBAL_OK ? rebali_run_add_action(run, &action) : code;
}

/* Reads the observations of the first item of a binding, and adds the next action. */
static int32_t follow_leader(struct rebali_rebalancer_run *run, struct rebali_pending_item *pending) {
  const int64_t ordinal = (int64_t)(2 * pending->item);
  const struct rebali_observation *read = rebali_observation_find(run->observations, ordinal);
  const struct rebali_observation *patch = rebali_observation_find(run->observations, ordinal + 1);

  if (read == NULL) {
    const struct rebali_action action = binding_action(pending, REBAL_ACTION_KIND_READ, ordinal);

    return rebali_run_add_action(run, &action);
  }
  if (read->fields != NULL && rebal_record_object(read->fields) != REBAL_OBJECT_BINDING) {
    return rebali_fail(run->err, REBAL_EINVAL, ordinal, "the observation's record is not a binding");
  }
  pending->fate = fate_of(read->outcome);
  if (pending->fate != REBALI_FATE_SUCCESSFUL || !needs_trigger(run, read->fields)) {
    return REBAL_OK;
  }
  if (patch == NULL) {
    pending->fate = REBALI_FATE_WAITING;
    return add_trigger(run, pending, read, ordinal + 1);
  }
  pending->fate = fate_of(patch->outcome);
  return REBAL_OK;
}

static void settle(struct rebali_rebalancer_run *run, const struct rebali_pending_item *pending) {
  struct rebali_observed *observed = &run->status.observed.items[pending->item];

  run->waiting |= pending->fate == REBALI_FATE_WAITING;
  run->n_retry += pending->fate == REBALI_FATE_RETRY ? 1u : 0u;
  if (pending->fate == REBALI_FATE_SUCCESSFUL) {
    observed->result = REBALI_TEXT("Successful");
  } else if (pending->fate == REBALI_FATE_NOT_FOUND) {
    observed->result = REBALI_TEXT("Failed");
    observed->reason = REBALI_TEXT("ReferencedBindingNotFound");
  }
}

int32_t rebali_trigger_bindings(struct rebali_rebalancer_run *run) {
  int32_t code = collect_pending(run);
  size_t i;

  for (i = 0; code == REBAL_OK && i < run->n_pending; i++) {
    struct rebali_pending_item *pending = &run->pending[i];

    if (pending->leader == i) {
      code = follow_leader(run, pending);
    }
    pending->fate = run->pending[pending->leader].fate;
    settle(run, pending);
  }
  return code;
}
