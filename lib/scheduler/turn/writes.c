/* SPDX-License-Identifier: MIT */
/* Determines which writes an answer needs, and how failed writes change it (rebalance-karmada(7) 2.5 to 2.7). */
#include "scheduler/scheduler.h"

static int same_target(const struct rebali_pass *pass, uint32_t row, const struct rebali_target *target) {
  return rebali_bindings_i64(pass->bindings, REBAL_TARGET_CLUSTER, row) == target->cluster &&
         rebali_bindings_i64(pass->bindings, REBAL_TARGET_REPLICAS, row) == target->replicas;
}

/* Returns whether the components of a target are those of the binding or, if it gets none, empty. */
static int same_components(const struct rebali_pass *pass, uint32_t target) {
  const uint32_t handle = (uint32_t)rebali_bindings_i64(pass->bindings, REBAL_TARGET_COMPONENTS, target);
  const rebal_record *record = rebali_snapshot_record(pass->snapshot, REBAL_OBJECT_TARGET_COMPONENTS, handle);
  uint32_t node = record == NULL ? REBAL_NONE : rebal_record_next(record, 0, 0, REBAL_NONE);
  size_t n = 0;
  const uint32_t *rows = rebali_bindings_children(pass->bindings, REBAL_TABLE_COMPONENT, pass->row, &n);

  for (size_t i = 0; pass->with_components && i < n; i++) {
    if (node == REBAL_NONE ||
        !rebali_text_equal(rebali_record_field_text(record, node, REBAL_TARGET_COMPONENT_NAME),
                           rebali_bindings_text(pass->bindings, REBAL_COMPONENT_NAME, rows[i])) ||
        rebal_record_i64(record, rebali_record_get(record, node, REBAL_TARGET_COMPONENT_REPLICAS)) !=
            rebali_bindings_i64(pass->bindings, REBAL_COMPONENT_REPLICAS, rows[i])) {
      return 0;
    }
    node = rebal_record_next(record, 0, 0, node);
  }
  return node == REBAL_NONE;
}

static int same_targets(const struct rebali_pass *pass) {
  if (pass->n_placed != pass->n_targets) {
    return 0;
  }
  for (size_t i = 0; i < pass->n_placed; i++) {
    if (!same_target(pass, pass->target_rows[i], &pass->placed[i]) || !same_components(pass, pass->target_rows[i])) {
      return 0;
    }
  }
  return 1;
}

static int is_applied(const struct rebali_pass *pass) {
  return rebali_bindings_i64(pass->bindings, REBAL_BINDING_APPLIED_STATE, pass->row) == REBAL_ANNOTATION_PRESENT &&
         rebali_bindings_i64(pass->bindings, REBAL_BINDING_APPLIED_STRICTLY_EQUAL, pass->row);
}

void rebali_writes_plan(struct rebali_turn *turn) {
  const struct rebali_pass *pass = turn->pass;
  const int is_placed = !rebali_pass_refused(pass);
  const struct rebali_text observed =
      rebali_bindings_text(pass->bindings, REBAL_BINDING_OBSERVED_AFFINITY_NAME, pass->row);

  turn->first_write = 2 * (int64_t)turn->failures.n; /* after the events of the groups */
  if (rebali_pass_is_written(pass)) {
    turn->is_needed[REBALI_WRITE_PLACEMENT] = !is_applied(pass);
    turn->is_needed[REBALI_WRITE_CLUSTERS] = !same_targets(pass);
  }
  turn->is_needed[REBALI_WRITE_AFFINITY_NAME] =
      is_placed && pass->placement->n_terms > 0 && !rebali_text_equal(observed, pass->trial_name);
}

int rebali_writes_begun(const struct rebali_turn *turn) {
  for (enum rebali_write write = REBALI_WRITE_PLACEMENT; write < REBALI_WRITE_STATUS; write++) {
    if (turn->is_needed[write] && rebali_write_observed(turn, write) != NULL) {
      return 1;
    }
  }
  return 0;
}

int32_t rebali_writes_give(struct rebali_turn *turn, int *is_waiting) {
  const int is_observed = turn->pass->opts->observations != NULL;
  int32_t code = REBAL_OK;

  *is_waiting = 0;
  for (enum rebali_write write = REBALI_WRITE_PLACEMENT; write < REBALI_WRITE_STATUS && code == REBAL_OK; write++) {
    /* Without observations the name is part of the status, and all writes are assumed to succeed. */
    if (turn->is_needed[write] && rebali_write_observed(turn, write) == NULL &&
        (is_observed || write != REBALI_WRITE_AFFINITY_NAME)) {
      *is_waiting = is_observed;
      code = rebali_write_give(turn, write);
    }
  }
  return code;
}

/* The reference sends one patch, unless it is empty. If both writes are needed, that of the clusters counts. */
int rebali_writes_landed(const struct rebali_turn *turn) {
  const enum rebali_write write =
      turn->is_needed[REBALI_WRITE_CLUSTERS] ? REBALI_WRITE_CLUSTERS : REBALI_WRITE_PLACEMENT;
  const struct rebali_observation *observed = rebali_write_observed(turn, write);

  return turn->is_needed[write] && (observed == NULL || observed->outcome == REBAL_OBSERVED_DONE) &&
         rebali_write_observed(turn, REBALI_WRITE_STATUS) == NULL; /* otherwise the turn has already ended */
}

/* Returns whether a quota denied the write: an API server gives the reason in its answer (rebalance-karmada(7) 11). */
static int is_over_quota(const struct rebali_observation *observed) {
  return observed->outcome == REBAL_OBSERVED_DENIED &&
         rebal_record_object(observed->fields) == REBAL_OBJECT_CONDITION &&
         rebali_text_equal(rebali_record_field_text(observed->fields, 0, REBAL_CONDITION_REASON),
                           REBALI_TEXT("QuotaExceeded"));
}

/* Errors of one turn: of the pass and of writes. */
struct errors {
  struct rebali_text texts[1 + REBALI_WRITE_STATUS];
  size_t n;
};

/* Adds an error once: the reference's aggregate contains each text once. */
static void add_error(struct errors *errors, struct rebali_text text) {
  for (size_t i = 0; i < errors->n; i++) {
    if (rebali_text_equal(errors->texts[i], text)) {
      return;
    }
  }
  errors->texts[errors->n++] = text;
}

/* Appends a single error unchanged, several as [a, b]. */
static void aggregate(const struct errors *errors, struct rebali_buffer *out) {
  rebali_buffer_append(out, "[", errors->n > 1 ? 1 : 0);
  for (size_t i = 0; i < errors->n; i++) {
    rebali_buffer_append(out, ", ", i == 0 ? 0 : 2);
    rebali_buffer_append(out, errors->texts[i].bytes, errors->texts[i].len);
  }
  rebali_buffer_append(out, "]", errors->n > 1 ? 1 : 0);
}

static struct rebali_text text_of(const struct rebali_observation *observed) {
  static const struct {
    int32_t outcome;
    const char *text;
  } texts[] = {{REBAL_OBSERVED_NOT_FOUND, "the binding is gone"},
               {REBAL_OBSERVED_CONFLICT, "the binding has changed"},
               {REBAL_OBSERVED_DENIED, "the write was denied"},
               {REBAL_OBSERVED_TRANSIENT, "the write failed"}};
  size_t i = 0;

  if (observed->message.len > 0) {
    return observed->message;
  }
  while (texts[i].outcome != observed->outcome) {
    i++;
  }
  return rebali_text(texts[i].text, strlen(texts[i].text));
}

static void collect_errors(struct rebali_turn *turn, struct errors *errors) {
  for (enum rebali_write write = REBALI_WRITE_PLACEMENT; write < REBALI_WRITE_STATUS; write++) {
    const struct rebali_observation *observed = turn->is_needed[write] ? rebali_write_observed(turn, write) : NULL;

    if (observed == NULL || observed->outcome == REBAL_OBSERVED_DONE) {
      continue;
    }
    turn->has_failed_write = 1;
    add_error(errors, text_of(observed));
    if (turn->quota_message.bytes == NULL && is_over_quota(observed)) {
      turn->quota_message = text_of(observed);
    }
  }
}

int32_t rebali_writes_judge(struct rebali_turn *turn) {
  struct rebali_pass *pass = turn->pass;
  struct errors errors = {{REBALI_TEXT("")}, 0};
  const int was_refused = rebali_pass_refused(pass);

  if (was_refused) { /* copied, because the buffer is rewritten */
    errors.texts[errors.n++] =
        rebali_arena_text(rebali_ctx_scratch(pass->ctx), rebali_text(pass->message.bytes, pass->message.len));
    if (errors.texts[0].bytes == NULL) {
      return rebali_fail_memory(pass->err);
    }
  }
  collect_errors(turn, &errors);
  if (!turn->has_failed_write) {
    return REBAL_OK;
  }
  pass->n_placed = 0;
  pass->missing = 0;
  /* The row of the fit error precedes that of the quota (rebalance-karmada(7) 2.7). */
  if (!was_refused) {
    pass->outcome = turn->quota_message.bytes != NULL ? REBAL_OUTCOME_QUOTA_EXCEEDED : REBAL_OUTCOME_SCHEDULER_ERROR;
  }
  pass->message.len = 0;
  aggregate(&errors, &pass->message);
  return pass->message.failed ? rebali_fail_memory(pass->err) : REBAL_OK;
}

int32_t rebali_status_judge(struct rebali_turn *turn) {
  struct rebali_pass *pass = turn->pass;
  const struct rebali_observation *observed = rebali_write_observed(turn, REBALI_WRITE_STATUS);

  if (observed == NULL || observed->outcome == REBAL_OBSERVED_DONE) {
    return REBAL_OK;
  }
  pass->n_placed = 0;
  pass->missing = 0;
  pass->outcome = REBAL_OUTCOME_SCHEDULER_ERROR;
  pass->message.len = 0;
  rebali_buffer_append(&pass->message, text_of(observed).bytes, text_of(observed).len);
  return pass->message.failed ? rebali_fail_memory(pass->err) : REBAL_OK;
}
