/* SPDX-License-Identifier: MIT */
#include "fleet/every_binding.h"

int32_t rebali_every_binding_check(const struct rebali_every_binding *every) {
  const int32_t code = rebali_clock_check(every->now, every->err);

  return code == REBAL_OK ? rebali_bindings_check(every->bindings, every->snapshot, every->err) : code;
}

static int32_t visit_all(struct rebali_every_binding *every, rebali_every_binding_visit visit) {
  const size_t n = rebali_bindings_size(every->bindings);
  int32_t code = REBAL_OK;

  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    code = visit(every, (uint32_t)i); /* rows have 32-bit ids */
  }
  return code;
}

int32_t rebali_every_binding_run(struct rebali_every_binding *every, rebali_every_binding_visit visit) {
  int32_t code = rebali_result_begin(every->result, every->err);

  if (code != REBAL_OK) {
    return code;
  }
  rebali_snapshot_hold(every->snapshot, every->result);
  code =
      rebal_builder_new(rebali_result_table(every->result, REBAL_TABLE_STEP)->allocator, &every->builder, every->err);
  if (code == REBAL_OK) {
    code = visit_all(every, visit);
  }
  rebal_builder_free(every->builder);
  if (code != REBAL_OK) {
    rebal_result_reset(every->result);
  }
  return code;
}

int32_t rebali_every_binding_step(struct rebali_every_binding *every, int64_t state, int64_t reason,
                                  struct rebali_text message, int64_t after_ns) {
  const struct rebali_step step = {state, reason, message, after_ns};

  return rebali_result_add_step(every->result, &step) == REBAL_OK ? REBAL_OK : rebali_fail_memory(every->err);
}

static int32_t add_action(struct rebali_every_binding *every, struct rebali_action action) {
  int32_t code;

  action.ordinal = (int64_t)rebal_result_count(every->result, REBAL_TABLE_ACTION);
  code = rebali_result_add_action(every->result, &action);
  return code == REBAL_OK ? REBAL_OK : rebali_fail(every->err, code, -1, "%s", rebal_strerror(code));
}

int32_t rebali_every_binding_action(struct rebali_every_binding *every, uint32_t binding, int64_t kind,
                                    int64_t replaces, const rebal_record *payload) {
  struct rebali_action action = rebali_bindings_action(every->bindings, binding, kind);

  if (kind == REBAL_ACTION_KIND_PATCH_SPEC) {
    action.resource_version = rebali_bindings_text(every->bindings, REBAL_BINDING_RESOURCE_VERSION, binding);
  }
  action.replaces = replaces;
  action.payload = payload;
  return add_action(every, action);
}

int32_t rebali_every_binding_event(struct rebali_every_binding *every, uint32_t binding, struct rebali_text type,
                                   struct rebali_text reason, struct rebali_text message) {
  struct rebali_action action = rebali_bindings_resource_action(every->bindings, binding, REBAL_ACTION_KIND_EVENT);
  const rebal_record *event;
  int32_t code;

  (void)rebal_builder_start(every->builder, REBAL_OBJECT_EVENT, NULL);
  rebali_build_text(every->builder, REBAL_EVENT_TYPE, type);
  rebali_build_text(every->builder, REBAL_EVENT_REASON, reason);
  rebali_build_text(every->builder, REBAL_EVENT_MESSAGE, message);
  code = rebal_builder_finish(every->builder, &event, every->err);
  if (code != REBAL_OK) {
    return code;
  }
  code = rebali_every_binding_action(every, binding, REBAL_ACTION_KIND_EVENT, 0, event);
  action.payload = event;
  return code == REBAL_OK && action.name.len > 0 ? add_action(every, action) : code;
}

int32_t rebali_every_binding_wake(struct rebali_every_binding *every, uint32_t binding, int64_t after_ns) {
  struct rebali_action action = rebali_bindings_action(every->bindings, binding, REBAL_ACTION_KIND_WAKE);

  action.not_before = rebali_time_after(every->now, after_ns);
  return add_action(every, action);
}
