/* SPDX-License-Identifier: MIT */
#include "failover/failover.h"

#define DEFAULT_TIMEOUT_NS (600 * REBALI_SECOND_NS)

static int32_t check_inputs(struct rebali_failover_call *call, const rebal_failover_opts *opts, uint32_t cluster) {
  const uint32_t known = REBAL_FAILOVER_EVICT_BY_TAINT | REBAL_FAILOVER_PURGE_DIRECTLY | REBAL_FAILOVER_TIMEOUT_GIVEN;
  int32_t code = rebali_options_load(&call->opts, sizeof call->opts, sizeof call->opts, opts, call->err);

  if (code != REBAL_OK) {
    return code;
  }
  if ((call->opts.flags & ~known) != 0) {
    return rebali_fail(call->err, REBAL_EUNSUPPORTED, -1, "a flag is newer than this library");
  }
  if (call->opts.graceful_eviction_timeout_ns < 0) {
    return rebali_fail(call->err, REBAL_ERANGE, -1, "graceful_eviction_timeout_ns is negative");
  }
  if (call->opts.graceful_eviction_timeout_ns == 0 && (call->opts.flags & REBAL_FAILOVER_TIMEOUT_GIVEN) == 0) {
    call->opts.graceful_eviction_timeout_ns = DEFAULT_TIMEOUT_NS;
  }
  code = rebali_clock_check(call->now, call->err);
  if (code == REBAL_OK) {
    code = rebali_bindings_check(call->bindings, call->snapshot, call->err);
  }
  if (code == REBAL_OK && cluster != REBAL_NONE && cluster >= rebal_snapshot_rows(call->snapshot)) {
    return rebali_fail(call->err, REBAL_EINVAL, (int64_t)cluster, "the snapshot has no such cluster id");
  }
  return code;
}

static int32_t visit_all(struct rebali_failover_call *call, uint32_t cluster, rebali_failover_visit visit) {
  const size_t n = rebal_bindings_count(call->bindings, REBAL_TABLE_BINDING);
  int32_t code = REBAL_OK;
  size_t i;

  for (i = 0; code == REBAL_OK && i < n; i++) {
    code = visit(call, cluster, (uint32_t)i); /* rows have 32-bit ids */
  }
  return code;
}

int32_t rebali_failover_run(struct rebali_failover_call *call, const rebal_failover_opts *opts, uint32_t cluster,
                            rebali_failover_visit visit) {
  int32_t code = check_inputs(call, opts, cluster);

  if (code == REBAL_OK) {
    code = rebali_result_begin(call->result, call->err);
  }
  if (code != REBAL_OK) {
    return code;
  }
  rebali_snapshot_hold(call->snapshot, call->result);
  code = rebal_builder_new(rebali_result_table(call->result, REBAL_TABLE_STEP)->allocator, &call->builder, call->err);
  if (code == REBAL_OK) {
    code = visit_all(call, cluster, visit);
  }
  rebal_builder_free(call->builder);
  if (code != REBAL_OK) {
    rebal_result_reset(call->result);
  }
  return code;
}

int32_t rebali_failover_step(struct rebali_failover_call *call, int64_t state, int64_t reason,
                             struct rebali_text message, int64_t after_ns) {
  const struct rebali_step step = {state, reason, message, after_ns};

  return rebali_result_add_step(call->result, &step) == REBAL_OK ? REBAL_OK : rebali_fail_memory(call->err);
}

/* Ordinals count up over the whole call. */
static int32_t add_action(struct rebali_failover_call *call, struct rebali_action action) {
  int32_t code;

  action.ordinal = (int64_t)rebal_result_count(call->result, REBAL_TABLE_ACTION);
  code = rebali_result_add_action(call->result, &action);
  return code == REBAL_OK ? REBAL_OK : rebali_fail(call->err, code, -1, "%s", rebal_strerror(code));
}

int32_t rebali_failover_act(struct rebali_failover_call *call, uint32_t binding, int64_t kind, int64_t replaces,
                            const rebal_record *payload) {
  struct rebali_action action = rebali_bindings_action(call->bindings, binding, kind);

  if (kind == REBAL_ACTION_PATCH_SPEC) {
    action.resource_version = rebali_bindings_text(call->bindings, REBAL_BINDING_RESOURCE_VERSION, binding);
  }
  action.replaces = replaces;
  action.payload = payload;
  return add_action(call, action);
}

int32_t rebali_failover_tell(struct rebali_failover_call *call, uint32_t binding, const rebal_record *event) {
  struct rebali_action action = rebali_bindings_resource_action(call->bindings, binding, REBAL_ACTION_EVENT);
  const int32_t code = rebali_failover_act(call, binding, REBAL_ACTION_EVENT, 0, event);

  action.payload = event;
  return code == REBAL_OK && action.name.len > 0 ? add_action(call, action) : code;
}

int32_t rebali_failover_wake(struct rebali_failover_call *call, uint32_t binding, int64_t after_ns) {
  struct rebali_action action = rebali_bindings_action(call->bindings, binding, REBAL_ACTION_WAKE);

  action.not_before = rebali_time_after(call->now, after_ns);
  return add_action(call, action);
}
