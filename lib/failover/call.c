/* SPDX-License-Identifier: MIT */
#include "failover/failover.h"

#define DEFAULT_TIMEOUT_NS (600 * REBALI_SECOND_NS)

int32_t rebali_failover_options(rebal_failover_opts *known, const rebal_failover_opts *opts, rebal_error *err) {
  const uint32_t flags =
      REBAL_FAILOVER_FLAG_EVICT_BY_TAINT | REBAL_FAILOVER_FLAG_PURGE_DIRECTLY | REBAL_FAILOVER_FLAG_TIMEOUT_GIVEN;
  const int32_t code = rebali_options_load(known, sizeof *known, sizeof *known, opts, err);

  return code == REBAL_OK && (known->flags & ~flags) != 0
             ? rebali_fail(err, REBAL_EUNSUPPORTED, -1, "a flag is newer than this library")
             : code;
}

static int32_t load_opts(struct rebali_failover_call *call, const rebal_failover_opts *opts) {
  rebal_error *err = call->every.err;
  const int32_t code = rebali_failover_options(&call->opts, opts, err);

  if (code != REBAL_OK) {
    return code;
  }
  if (call->opts.graceful_eviction_timeout_ns < 0) {
    return rebali_fail(err, REBAL_ERANGE, -1, "graceful_eviction_timeout_ns is negative");
  }
  if (call->opts.graceful_eviction_timeout_ns == 0 && (call->opts.flags & REBAL_FAILOVER_FLAG_TIMEOUT_GIVEN) == 0) {
    call->opts.graceful_eviction_timeout_ns = DEFAULT_TIMEOUT_NS;
  }
  return rebali_pace_load(call);
}

int32_t rebali_failover_run(struct rebali_failover_call *call, const rebal_failover_opts *opts,
                            rebali_every_binding_visit visit) {
  int32_t code = load_opts(call, opts);

  if (code == REBAL_OK) {
    code = rebali_every_binding_check(&call->every);
  }
  if (code == REBAL_OK && call->cluster != REBAL_NONE && call->cluster >= rebali_snapshot_rows(call->every.snapshot)) {
    code = rebali_fail(call->every.err, REBAL_EINVAL, (int64_t)call->cluster, "the snapshot has no such cluster id");
  }
  if (code == REBAL_OK && call->every.result == NULL) {
    code = rebali_fail(call->every.err, REBAL_EINVAL, -1, "result is missing");
  }
  if (code == REBAL_OK) {
    code = rebali_ctx_begin(call->ctx, call->every.err);
  }
  if (code != REBAL_OK) {
    return code;
  }
  rebali_buffer_init(&call->message, rebali_ctx_allocator(call->ctx));
  rebali_buffer_init(&call->used, rebali_ctx_allocator(call->ctx));
  code = rebali_every_binding_run(&call->every, visit);
  rebali_buffer_dispose(&call->used);
  rebali_buffer_dispose(&call->message);
  rebali_ctx_end(call->ctx);
  return code;
}

int32_t rebali_failover_retry(struct rebali_failover_call *call, int64_t reason) {
  const struct rebali_text message = rebali_text(call->message.bytes, call->message.len);

  if (call->message.failed) {
    return rebali_fail_memory(call->every.err);
  }
  call->message.len = 0;
  return rebali_every_binding_step(&call->every, REBAL_STEP_STATE_RETRY, reason, message, REBAL_ABSENT);
}
