/* SPDX-License-Identifier: MIT */
#include "fleet/every_binding.h"

int32_t rebali_sweep_check(const struct rebali_sweep *sweep) {
  const int32_t code = rebali_clock_check(sweep->now, sweep->err);

  return code == REBAL_OK ? rebali_bindings_check(sweep->bindings, sweep->snapshot, sweep->err) : code;
}

static int32_t visit_all(struct rebali_sweep *sweep, rebali_sweep_visit visit) {
  const size_t n = rebali_bindings_size(sweep->bindings);
  int32_t code = REBAL_OK;

  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    code = visit(sweep, (uint32_t)i); /* rows have 32-bit ids */
  }
  return code;
}

int32_t rebali_sweep_run(struct rebali_sweep *sweep, rebali_sweep_visit visit) {
  int32_t code = rebali_result_begin(sweep->result, sweep->err);

  if (code != REBAL_OK) {
    return code;
  }
  rebali_snapshot_hold(sweep->snapshot, sweep->result);
  code =
      rebal_builder_new(rebali_result_table(sweep->result, REBAL_TABLE_STEP)->allocator, &sweep->builder, sweep->err);
  if (code == REBAL_OK) {
    code = visit_all(sweep, visit);
  }
  rebal_builder_free(sweep->builder);
  if (code != REBAL_OK) {
    rebal_result_reset(sweep->result);
  }
  return code;
}

int32_t rebali_sweep_step(struct rebali_sweep *sweep, int64_t state, int64_t reason, struct rebali_text message,
                          int64_t after_ns) {
  const struct rebali_step step = {state, reason, message, after_ns};

  return rebali_result_add_step(sweep->result, &step) == REBAL_OK ? REBAL_OK : rebali_fail_memory(sweep->err);
}

static int32_t add_action(struct rebali_sweep *sweep, struct rebali_action action) {
  int32_t code;

  action.ordinal = (int64_t)rebal_result_count(sweep->result, REBAL_TABLE_ACTION);
  code = rebali_result_add_action(sweep->result, &action);
  return code == REBAL_OK ? REBAL_OK : rebali_fail(sweep->err, code, -1, "%s", rebal_strerror(code));
}

int32_t rebali_sweep_act(struct rebali_sweep *sweep, uint32_t binding, int64_t kind, int64_t replaces,
                         const rebal_record *payload) {
  struct rebali_action action = rebali_bindings_action(sweep->bindings, binding, kind);

  if (kind == REBAL_ACTION_KIND_PATCH_SPEC) {
    action.resource_version = rebali_bindings_text(sweep->bindings, REBAL_BINDING_RESOURCE_VERSION, binding);
  }
  action.replaces = replaces;
  action.payload = payload;
  return add_action(sweep, action);
}

int32_t rebali_sweep_tell(struct rebali_sweep *sweep, uint32_t binding, struct rebali_text type,
                          struct rebali_text reason, struct rebali_text message) {
  struct rebali_action action = rebali_bindings_resource_action(sweep->bindings, binding, REBAL_ACTION_KIND_EVENT);
  const rebal_record *event;
  int32_t code;

  (void)rebal_builder_start(sweep->builder, REBAL_OBJECT_EVENT, NULL);
  rebali_build_text(sweep->builder, REBAL_EVENT_TYPE, type);
  rebali_build_text(sweep->builder, REBAL_EVENT_REASON, reason);
  rebali_build_text(sweep->builder, REBAL_EVENT_MESSAGE, message);
  code = rebal_builder_finish(sweep->builder, &event, sweep->err);
  if (code != REBAL_OK) {
    return code;
  }
  code = rebali_sweep_act(sweep, binding, REBAL_ACTION_KIND_EVENT, 0, event);
  action.payload = event;
  return code == REBAL_OK && action.name.len > 0 ? add_action(sweep, action) : code;
}

int32_t rebali_sweep_wake(struct rebali_sweep *sweep, uint32_t binding, int64_t after_ns) {
  struct rebali_action action = rebali_bindings_action(sweep->bindings, binding, REBAL_ACTION_KIND_WAKE);

  action.not_before = rebali_time_after(sweep->now, after_ns);
  return add_action(sweep, action);
}
