/* SPDX-License-Identifier: MIT */
/* What a scheduler's turn writes to a binding, as actions (spec karmada 2.5 to 2.7). */
#include "scheduler/scheduler.h"

/* Ordinals of one binding: more than a placement has affinity groups, each of which may have its event. */
#define ACTIONS_PER_BINDING (INT64_C(1) << 31)

static struct rebali_text text_of(const struct rebali_write_back *write, uint32_t column) {
  return rebali_bindings_text(write->pass->bindings, column, write->pass->row);
}

static int32_t add_action(struct rebali_write_back *write, int64_t kind, const rebal_record *payload,
                          int64_t replaces) {
  const struct rebali_pass *pass = write->pass;
  struct rebali_action action = rebali_bindings_action(pass->bindings, pass->row, kind);

  action.ordinal = (int64_t)pass->row * ACTIONS_PER_BINDING + write->n_actions++;
  action.replaces = replaces;
  action.payload = payload;
  return rebali_result_add_action(write->result, &action) == REBAL_OK ? REBAL_OK : rebali_fail_memory(pass->err);
}

/* Ends the builder's record and makes it the payload of an action. */
static int32_t finish(struct rebali_write_back *write, int64_t kind, int64_t replaces) {
  const rebal_record *record;
  const int32_t code = rebal_builder_finish(write->builder, &record, write->pass->err);

  return code == REBAL_OK ? add_action(write, kind, record, replaces) : code;
}

static void set_text(struct rebali_write_back *write, uint32_t field, struct rebali_text text) {
  (void)rebal_builder_text(write->builder, field, text.bytes, text.len, NULL); /* failures stick until finish */
}

int32_t rebali_write_event(struct rebali_write_back *write, const char *type, const char *reason,
                           struct rebali_text message) {
  (void)rebal_builder_start(write->builder, REBAL_OBJECT_EVENT, NULL);
  set_text(write, REBAL_EVENT_TYPE, rebali_text(type, strlen(type)));
  set_text(write, REBAL_EVENT_REASON, rebali_text(reason, strlen(reason)));
  set_text(write, REBAL_EVENT_MESSAGE, message);
  return finish(write, REBAL_ACTION_EVENT, 0);
}

static int same_targets(const struct rebali_pass *pass, const struct rebali_target *targets, size_t n) {
  if (n != pass->n_targets) {
    return 0;
  }
  for (size_t i = 0; i < n; i++) {
    if (rebali_bindings_i64(pass->bindings, REBAL_TARGET_CLUSTER, pass->target_rows[i]) != targets[i].cluster ||
        rebali_bindings_i64(pass->bindings, REBAL_TARGET_REPLICAS, pass->target_rows[i]) != targets[i].replicas) {
      return 0;
    }
  }
  return 1;
}

static int is_applied(const struct rebali_pass *pass) {
  return rebali_bindings_i64(pass->bindings, REBAL_BINDING_APPLIED_STATE, pass->row) == REBAL_APPLIED_PRESENT &&
         rebali_bindings_i64(pass->bindings, REBAL_BINDING_APPLIED_STRICTLY_EQUAL, pass->row);
}

/* The placement applied and the clusters; what is so already is not written. */
int32_t rebali_write_placed(struct rebali_write_back *write, const struct rebali_target *targets, size_t n) {
  const struct rebali_pass *pass = write->pass;
  int32_t code = REBAL_OK;

  if (!is_applied(pass)) {
    code = add_action(write, REBAL_ACTION_PATCH_METADATA, pass->placement->record, 0);
  }
  if (code != REBAL_OK || same_targets(pass, targets, n)) {
    return code;
  }
  (void)rebal_builder_start(write->builder, REBAL_OBJECT_BINDING_SPEC, NULL);
  for (size_t i = 0; i < n; i++) {
    (void)rebal_builder_begin(write->builder, REBAL_BINDING_SPEC_CLUSTERS, NULL);
    set_text(write, REBAL_TARGET_CLUSTER_NAME, rebali_snapshot_name(pass->snapshot, targets[i].cluster));
    (void)rebal_builder_i64(write->builder, REBAL_TARGET_CLUSTER_REPLICAS, targets[i].replicas, NULL);
    (void)rebal_builder_end(write->builder, NULL);
  }
  return finish(write, REBAL_ACTION_PATCH_SPEC, REBAL_REPLACES_CLUSTERS);
}

int32_t rebali_write_generation(struct rebali_write_back *write) {
  const struct rebali_pass *pass = write->pass;
  const int64_t generation = rebali_bindings_i64(pass->bindings, REBAL_BINDING_GENERATION, pass->row);

  if (generation == rebali_bindings_i64(pass->bindings, REBAL_BINDING_OBSERVED_GENERATION, pass->row)) {
    return REBAL_OK;
  }
  (void)rebal_builder_start(write->builder, REBAL_OBJECT_BINDING_STATUS, NULL);
  (void)rebal_builder_i64(write->builder, REBAL_BINDING_STATUS_SCHEDULER_OBSERVED_GENERATION, generation, NULL);
  return finish(write, REBAL_ACTION_PATCH_STATUS, 0);
}

static struct rebali_text reason_of(int64_t outcome) {
  switch (outcome) {
    case REBAL_OUTCOME_SCHEDULED:
      return REBALI_TEXT("Success");
    case REBAL_OUTCOME_NO_CLUSTER_FIT:
      return REBALI_TEXT("NoClusterFit");
    case REBAL_OUTCOME_UNSCHEDULABLE:
      return REBALI_TEXT("Unschedulable");
    default:
      return REBALI_TEXT("SchedulerError");
  }
}

static void set_condition(struct rebali_write_back *write, struct rebali_text status, struct rebali_text reason,
                          struct rebali_text message) {
  const struct rebali_pass *pass = write->pass;
  rebal_time since = write->now;

  if (rebali_text_equal(status, text_of(write, REBAL_BINDING_CONDITION_STATUS))) {
    since = rebali_bindings_time(pass->bindings, REBAL_BINDING_CONDITION_TRANSITION_TIME, pass->row);
  }
  (void)rebal_builder_begin(write->builder, REBAL_BINDING_STATUS_CONDITIONS, NULL);
  set_text(write, REBAL_CONDITION_TYPE, REBALI_TEXT("Scheduled"));
  set_text(write, REBAL_CONDITION_STATUS, status);
  (void)rebal_builder_time(write->builder, REBAL_CONDITION_LAST_TRANSITION_TIME, &since, NULL);
  set_text(write, REBAL_CONDITION_REASON, reason);
  set_text(write, REBAL_CONDITION_MESSAGE, message);
  (void)rebal_builder_end(write->builder, NULL);
}

int32_t rebali_write_status(struct rebali_write_back *write, int64_t outcome, struct rebali_text message,
                            struct rebali_text affinity_name) {
  const struct rebali_pass *pass = write->pass;
  const struct rebali_text reason = reason_of(outcome);
  const int is_success = outcome == REBAL_OUTCOME_SCHEDULED;
  const struct rebali_text status = is_success ? REBALI_TEXT("True") : REBALI_TEXT("False");

  if (!is_success && rebali_text_equal(status, text_of(write, REBAL_BINDING_CONDITION_STATUS)) &&
      rebali_text_equal(reason, text_of(write, REBAL_BINDING_CONDITION_REASON)) &&
      rebali_text_equal(message, text_of(write, REBAL_BINDING_CONDITION_MESSAGE))) {
    return REBAL_OK;
  }
  (void)rebal_builder_start(write->builder, REBAL_OBJECT_BINDING_STATUS, NULL);
  if (is_success) {
    (void)rebal_builder_i64(write->builder, REBAL_BINDING_STATUS_SCHEDULER_OBSERVED_GENERATION,
                            rebali_bindings_i64(pass->bindings, REBAL_BINDING_GENERATION, pass->row), NULL);
    (void)rebal_builder_time(write->builder, REBAL_BINDING_STATUS_LAST_SCHEDULED_TIME, &write->now, NULL);
    if (affinity_name.len > 0 &&
        !rebali_text_equal(affinity_name, text_of(write, REBAL_BINDING_OBSERVED_AFFINITY_NAME))) {
      set_text(write, REBAL_BINDING_STATUS_SCHEDULER_OBSERVING_AFFINITY_NAME, affinity_name);
    }
  }
  set_condition(write, status, reason, message);
  return finish(write, REBAL_ACTION_PATCH_STATUS, 0);
}
