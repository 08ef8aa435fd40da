/* SPDX-License-Identifier: MIT */
#include "workloadspread/united_step.h"

#define SCHEDULABLE REBALI_TEXT("Schedulable")

static struct rebali_text text_of(const struct rebali_united_step *step, uint32_t node, uint32_t field) {
  return rebali_record_field_text(step->united.record, node, field);
}

/* Returns the first child of a node in field with the given name, or REBAL_NONE. */
static uint32_t find_named(const struct rebali_united_step *step, uint32_t parent, uint32_t field, uint32_t name_field,
                           struct rebali_text name) {
  uint32_t node = REBAL_NONE;

  while ((node = rebali_record_next(step->united.record, parent, field, node)) != REBAL_NONE) {
    if (rebali_text_equal(text_of(step, node, name_field), name)) {
      break;
    }
  }
  return node;
}

static void read_condition(struct rebali_united_step *step, uint32_t status, size_t subset) {
  struct rebali_united_condition *condition = &step->conditions[subset];

  condition->entry = find_named(step, status, REBAL_UNITED_STATUS_SUBSETS, REBAL_UNITED_SUBSET_STATUS_NAME,
                                step->united.subsets[subset].name);
  condition->node =
      find_named(step, condition->entry, REBAL_UNITED_SUBSET_STATUS_CONDITIONS, REBAL_CONDITION_TYPE, SCHEDULABLE);
  condition->is_present = condition->node != REBAL_NONE;
  condition->status = text_of(step, condition->node, REBAL_CONDITION_STATUS);
  condition->reason = text_of(step, condition->node, REBAL_CONDITION_REASON);
  condition->message = text_of(step, condition->node, REBAL_CONDITION_MESSAGE);
  rebal_record_time(step->united.record,
                    rebali_record_get(step->united.record, condition->node, REBAL_CONDITION_LAST_TRANSITION_TIME),
                    &condition->since);
}

int32_t rebali_united_read_conditions(struct rebali_united_step *step) {
  const rebal_record *record = step->united.record;
  const uint32_t status = rebali_record_get(record, 0, REBAL_UNITED_DEPLOYMENT_STATUS);
  const uint32_t updated =
      find_named(step, status, REBAL_UNITED_STATUS_CONDITIONS, REBAL_CONDITION_TYPE, REBALI_TEXT("Updated"));
  const int is_old = rebali_record_get(record, status, REBAL_UNITED_STATUS_SUBSETS) != REBAL_NONE;

  step->revision = text_of(step, rebali_record_get(record, status, REBAL_UNITED_STATUS_UPDATE_STATUS),
                           REBAL_UNITED_UPDATE_UPDATED_REVISION);
  step->has_update = updated != REBAL_NONE;
  rebal_record_time(record, rebali_record_get(record, updated, REBAL_CONDITION_LAST_TRANSITION_TIME),
                    &step->update_since);
  step->conditions = rebali_arena_allocate_zero(step->united.arena, step->united.n, sizeof *step->conditions);
  if (step->conditions == NULL) {
    return rebali_fail_memory(step->united.err);
  }
  for (size_t i = 0; i < step->united.n; i++) {
    read_condition(step, status, i);
    if (step->united.reserves && is_old && step->conditions[i].entry == REBAL_NONE &&
        step->united.subsets[i].state == 0) {
      rebali_united_set_condition(step, i, 0, REBALI_TEXT("created"),
                                  REBALI_TEXT("newly-created subsets in reservation strategy"));
    }
  }
  return REBAL_OK;
}

int rebali_united_is_false(const struct rebali_united_condition *condition) {
  return condition->is_present && rebali_text_equal(condition->status, REBALI_TEXT("False"));
}

void rebali_united_set_condition(struct rebali_united_step *step, size_t subset, int is_true, struct rebali_text reason,
                                 struct rebali_text message) {
  struct rebali_united_condition *condition = &step->conditions[subset];
  const struct rebali_text status = is_true ? REBALI_TEXT("True") : REBALI_TEXT("False");

  if (condition->is_present && rebali_text_equal(condition->status, status) &&
      rebali_text_equal(condition->reason, reason)) {
    return;
  }
  condition->is_present = condition->changed = 1;
  condition->status = status;
  condition->reason = reason;
  condition->message = message;
  condition->since = rebali_time_whole(step->now);
}

/* ---- writing: a builder keeps failures until its finish ---- */

static void build_text(rebal_builder *builder, uint32_t field, struct rebali_text text) {
  (void)rebal_builder_text(builder, field, text.bytes, text.len, NULL);
}

static void build_condition(rebal_builder *builder, const struct rebali_united_condition *condition) {
  (void)rebal_builder_begin(builder, REBAL_UNITED_SUBSET_STATUS_CONDITIONS, NULL);
  build_text(builder, REBAL_CONDITION_TYPE, SCHEDULABLE);
  build_text(builder, REBAL_CONDITION_STATUS, condition->status);
  (void)rebal_builder_time(builder, REBAL_CONDITION_LAST_TRANSITION_TIME, &condition->since, NULL);
  build_text(builder, REBAL_CONDITION_REASON, condition->reason);
  build_text(builder, REBAL_CONDITION_MESSAGE, condition->message);
  (void)rebal_builder_end(builder, NULL);
}

/* Builds the entry of a subset. Its other conditions are unchanged. */
static void build_entry(const struct rebali_united_step *step, size_t subset) {
  const struct rebali_united_condition *condition = &step->conditions[subset];
  uint32_t node = REBAL_NONE;

  (void)rebal_builder_begin(step->builder, REBAL_UNITED_STATUS_SUBSETS, NULL);
  build_text(step->builder, REBAL_UNITED_SUBSET_STATUS_NAME, step->united.subsets[subset].name);
  while ((node = rebali_record_next(step->united.record, condition->entry, REBAL_UNITED_SUBSET_STATUS_CONDITIONS,
                                    node)) != REBAL_NONE) {
    if (node == condition->node && condition->changed) {
      build_condition(step->builder, condition);
    } else {
      (void)rebal_builder_copy(step->builder, REBAL_UNITED_SUBSET_STATUS_CONDITIONS, step->united.record, node, NULL);
    }
  }
  if (condition->is_present && condition->node == REBAL_NONE) {
    build_condition(step->builder, condition);
  }
  (void)rebal_builder_end(step->builder, NULL);
}

int32_t rebali_united_write_conditions(struct rebali_united_step *step) {
  struct rebali_action action = rebali_united_action(step, REBAL_ACTION_KIND_PATCH_STATUS);
  const uint32_t metadata = rebali_record_get(step->united.record, 0, REBAL_UNITED_DEPLOYMENT_METADATA);
  int changed = 0;
  int32_t code;

  for (size_t i = 0; i < step->united.n; i++) {
    changed |= step->conditions[i].changed;
  }
  if (!changed) {
    return REBAL_OK;
  }
  (void)rebal_builder_start(step->builder, REBAL_OBJECT_UNITED_STATUS, NULL);
  for (size_t i = 0; i < step->united.n; i++) {
    build_entry(step, i);
  }
  action.resource_version = text_of(step, metadata, REBAL_METADATA_RESOURCE_VERSION);
  code = rebal_builder_finish(step->builder, &action.payload, step->united.err);
  return code == REBAL_OK ? rebali_united_add_action(step, action) : code;
}
