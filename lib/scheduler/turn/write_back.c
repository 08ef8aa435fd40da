/* SPDX-License-Identifier: MIT */
/* Writes of a scheduler's turn to a binding, as actions (rebalance-karmada(7) 2.5 to 2.7). */
#include "scheduler/scheduler.h"

/* Ordinals of one binding: more than twice the affinity groups that fit a record, each of which has two events. */
#define ACTIONS_PER_BINDING (INT64_C(1) << 31)

static struct rebali_text text_of(const struct rebali_turn *turn, uint32_t column) {
  return rebali_bindings_text(turn->pass->bindings, column, turn->pass->row);
}

/* Row numbers have 32 bits, so the result stays below 2^63. */
static int64_t absolute(const struct rebali_turn *turn, int64_t ordinal) {
  return (int64_t)turn->pass->row * ACTIONS_PER_BINDING + ordinal;
}

const struct rebali_observation *rebali_write_observed(const struct rebali_turn *turn, enum rebali_write write) {
  return rebali_observation_find(turn->pass->opts->observations, absolute(turn, turn->first_write + (int64_t)write));
}

static int32_t add_action(struct rebali_turn *turn, struct rebali_action action, int64_t ordinal) {
  action.ordinal = absolute(turn, ordinal);
  return rebali_result_add_action(turn->result, &action) == REBAL_OK ? REBAL_OK : rebali_fail_memory(turn->pass->err);
}

static struct rebali_action binding_action(const struct rebali_turn *turn, int64_t kind) {
  return rebali_bindings_action(turn->pass->bindings, turn->pass->row, kind);
}

static void set_text(struct rebali_turn *turn, uint32_t field, struct rebali_text text) {
  (void)rebal_builder_text(turn->builder, field, text.bytes, text.len, NULL); /* failures stick until finish */
}

int32_t rebali_write_event(struct rebali_turn *turn, const char *type, const char *reason, struct rebali_text message) {
  struct rebali_action on_binding = binding_action(turn, REBAL_ACTION_KIND_EVENT);
  struct rebali_action on_resource =
      rebali_bindings_resource_action(turn->pass->bindings, turn->pass->row, REBAL_ACTION_KIND_EVENT);
  const rebal_record *record;
  const int64_t ordinal = turn->next_event;
  int32_t code;

  turn->next_event += 2;
  (void)rebal_builder_start(turn->builder, REBAL_OBJECT_EVENT, NULL);
  set_text(turn, REBAL_EVENT_TYPE, rebali_text(type, strlen(type)));
  set_text(turn, REBAL_EVENT_REASON, rebali_text(reason, strlen(reason)));
  set_text(turn, REBAL_EVENT_MESSAGE, message);
  code = rebal_builder_finish(turn->builder, &record, turn->pass->err);
  if (code == REBAL_OK) {
    on_binding.payload = on_resource.payload = record;
    code = add_action(turn, on_binding, ordinal);
  }
  return code == REBAL_OK && on_resource.name.len > 0 ? add_action(turn, on_resource, ordinal + 1) : code;
}

/* Adds the components of the binding, which are the same for every cluster. */
static void set_components(struct rebali_turn *turn) {
  const struct rebali_pass *pass = turn->pass;
  size_t n;
  const uint32_t *rows = rebali_bindings_children(pass->bindings, REBAL_TABLE_COMPONENT, pass->row, &n);

  for (size_t i = 0; i < n; i++) {
    (void)rebal_builder_begin(turn->builder, REBAL_TARGET_CLUSTER_COMPONENTS, NULL);
    set_text(turn, REBAL_TARGET_COMPONENT_NAME, rebali_bindings_text(pass->bindings, REBAL_COMPONENT_NAME, rows[i]));
    (void)rebal_builder_i64(turn->builder, REBAL_TARGET_COMPONENT_REPLICAS,
                            rebali_bindings_i64(pass->bindings, REBAL_COMPONENT_REPLICAS, rows[i]), NULL);
    (void)rebal_builder_end(turn->builder, NULL);
  }
}

static void build_clusters(struct rebali_turn *turn) {
  const struct rebali_pass *pass = turn->pass;

  (void)rebal_builder_start(turn->builder, REBAL_OBJECT_BINDING_SPEC, NULL);
  for (size_t i = 0; i < pass->n_placed; i++) {
    (void)rebal_builder_begin(turn->builder, REBAL_BINDING_SPEC_CLUSTERS, NULL);
    set_text(turn, REBAL_TARGET_CLUSTER_NAME, rebali_snapshot_name(pass->snapshot, pass->placed[i].cluster));
    (void)rebal_builder_i64(turn->builder, REBAL_TARGET_CLUSTER_REPLICAS, pass->placed[i].replicas, NULL);
    if (pass->with_components) {
      set_components(turn);
    }
    (void)rebal_builder_end(turn->builder, NULL);
  }
}

int32_t rebali_write_give(struct rebali_turn *turn, enum rebali_write write) {
  static const int64_t kinds[] = {REBAL_ACTION_KIND_PATCH_METADATA, REBAL_ACTION_KIND_PATCH_SPEC,
                                  REBAL_ACTION_KIND_PATCH_STATUS};
  struct rebali_action action = binding_action(turn, kinds[write]);
  int32_t code = REBAL_OK;

  if (write == REBALI_WRITE_PLACEMENT) {
    action.payload = turn->pass->placement->record;
  } else {
    if (write == REBALI_WRITE_CLUSTERS) {
      action.replaces = REBAL_REPLACES_CLUSTERS;
      build_clusters(turn);
      code = rebali_pass_refused(turn->pass) ? rebali_warn_cleared(turn) : REBAL_OK;
    } else {
      (void)rebal_builder_start(turn->builder, REBAL_OBJECT_BINDING_STATUS, NULL);
      set_text(turn, REBAL_BINDING_STATUS_SCHEDULER_OBSERVING_AFFINITY_NAME, turn->pass->trial_name);
    }
    code = code == REBAL_OK ? rebal_builder_finish(turn->builder, &action.payload, turn->pass->err) : code;
  }
  return code == REBAL_OK ? add_action(turn, action, turn->first_write + (int64_t)write) : code;
}

/* Finishes the record of a status that the turn does not wait for. */
static int32_t finish_status(struct rebali_turn *turn) {
  struct rebali_action action = binding_action(turn, REBAL_ACTION_KIND_PATCH_STATUS);
  const int32_t code = rebal_builder_finish(turn->builder, &action.payload, turn->pass->err);

  return code == REBAL_OK ? add_action(turn, action, turn->first_write + REBALI_WRITE_STATUS) : code;
}

int32_t rebali_write_generation(struct rebali_turn *turn) {
  const struct rebali_pass *pass = turn->pass;
  const int64_t generation = rebali_bindings_i64(pass->bindings, REBAL_BINDING_GENERATION, pass->row);

  if (generation == rebali_bindings_i64(pass->bindings, REBAL_BINDING_OBSERVED_GENERATION, pass->row) ||
      rebali_write_observed(turn, REBALI_WRITE_STATUS) != NULL) {
    return REBAL_OK;
  }
  (void)rebal_builder_start(turn->builder, REBAL_OBJECT_BINDING_STATUS, NULL);
  (void)rebal_builder_i64(turn->builder, REBAL_BINDING_STATUS_SCHEDULER_OBSERVED_GENERATION, generation, NULL);
  return finish_status(turn);
}

static struct rebali_text reason_of(int64_t outcome) {
  switch (outcome) {
    case REBAL_OUTCOME_SCHEDULED:
      return REBALI_TEXT("Success");
    case REBAL_OUTCOME_NO_CLUSTER_FIT:
      return REBALI_TEXT("NoClusterFit");
    case REBAL_OUTCOME_UNSCHEDULABLE:
    case REBAL_OUTCOME_PARTIAL: /* like lack of capacity: retried when capacity may exist */
      return REBALI_TEXT("Unschedulable");
    case REBAL_OUTCOME_QUOTA_EXCEEDED:
      return REBALI_TEXT("QuotaExceeded");
    default:
      return REBALI_TEXT("SchedulerError");
  }
}

static void set_condition(struct rebali_turn *turn, struct rebali_text status, struct rebali_text reason,
                          struct rebali_text message) {
  const struct rebali_pass *pass = turn->pass;
  rebal_time since = turn->now;

  if (rebali_text_equal(status, text_of(turn, REBAL_BINDING_CONDITION_STATUS))) {
    since = rebali_bindings_time(pass->bindings, REBAL_BINDING_CONDITION_TRANSITION_TIME, pass->row);
  }
  (void)rebal_builder_begin(turn->builder, REBAL_BINDING_STATUS_CONDITIONS, NULL);
  set_text(turn, REBAL_CONDITION_TYPE, REBALI_TEXT("Scheduled"));
  set_text(turn, REBAL_CONDITION_STATUS, status);
  (void)rebal_builder_time(turn->builder, REBAL_CONDITION_LAST_TRANSITION_TIME, &since, NULL);
  set_text(turn, REBAL_CONDITION_REASON, reason);
  set_text(turn, REBAL_CONDITION_MESSAGE, message);
  (void)rebal_builder_end(turn->builder, NULL);
}

int32_t rebali_write_status(struct rebali_turn *turn, struct rebali_text message) {
  const struct rebali_pass *pass = turn->pass;
  const struct rebali_text reason = reason_of(pass->outcome);
  const int is_success = pass->outcome == REBAL_OUTCOME_SCHEDULED;
  const struct rebali_text status = is_success ? REBALI_TEXT("True") : REBALI_TEXT("False");
  /* Without observations the name is written with the rest of the status. */
  const int names_group = turn->is_needed[REBALI_WRITE_AFFINITY_NAME] && pass->opts->observations == NULL;
  const int is_known = !is_success && rebali_text_equal(status, text_of(turn, REBAL_BINDING_CONDITION_STATUS)) &&
                       rebali_text_equal(reason, text_of(turn, REBAL_BINDING_CONDITION_REASON));
  const int32_t code = is_success || is_known ? REBAL_OK : rebali_warn_shrunken(turn);

  if (code != REBAL_OK ||
      (is_known && !names_group && rebali_text_equal(message, text_of(turn, REBAL_BINDING_CONDITION_MESSAGE)))) {
    return code;
  }
  (void)rebal_builder_start(turn->builder, REBAL_OBJECT_BINDING_STATUS, NULL);
  if (is_success) {
    (void)rebal_builder_i64(turn->builder, REBAL_BINDING_STATUS_SCHEDULER_OBSERVED_GENERATION,
                            rebali_bindings_i64(pass->bindings, REBAL_BINDING_GENERATION, pass->row), NULL);
    (void)rebal_builder_time(turn->builder, REBAL_BINDING_STATUS_LAST_SCHEDULED_TIME, &turn->now, NULL);
  }
  if (names_group) {
    set_text(turn, REBAL_BINDING_STATUS_SCHEDULER_OBSERVING_AFFINITY_NAME, pass->trial_name);
  }
  set_condition(turn, status, reason, message);
  return finish_status(turn);
}
