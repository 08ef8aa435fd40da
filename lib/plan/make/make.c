/* SPDX-License-Identifier: MIT */
/* rebal_plan_make(): computes the wanted placement, grants moves and adds up the result. */
#include "plan/make/make.h"

static void digest_ids(struct rebali_digest *digest, const rebal_snapshot *snapshot, const uint32_t *ids, size_t n) {
  struct rebali_fingerprint sum = {0, 0};

  for (size_t i = 0; i < n; i++) {
    struct rebali_digest one;

    rebali_digest_begin(&one, 0, 0);
    rebali_digest_text(&one, rebali_snapshot_name(snapshot, ids[i]));
    rebali_fingerprint_add(&sum, rebali_digest_end(&one));
  }
  rebali_digest_fingerprint(digest, sum);
}

/* Digests the bounds of LEAST by name. Bounds without effect are left out. */
static void digest_bounds(struct rebali_digest *digest, const struct rebali_plan_call *call, const int64_t *cells) {
  const size_t n_rows = call->opts.bound_stride == 0 ? 1 : rebali_bindings_size(call->bindings);
  uint32_t n;
  const uint32_t *clusters = rebali_snapshot_by_name(call->snapshot, &n);

  for (size_t row = 0; row < n_rows && cells != NULL; row++) {
    for (uint32_t i = 0; i < n; i++) {
      const int64_t bound =
          clusters[i] < call->opts.bound_clusters ? cells[row * (size_t)call->opts.bound_stride + clusters[i]] : -1;

      if (bound >= 0) {
        rebali_digest_u64(digest, row);
        rebali_digest_text(digest, rebali_snapshot_name(call->snapshot, clusters[i]));
        rebali_digest_u64(digest, (uint64_t)bound);
      }
    }
  }
  rebali_digest_u64(digest, UINT64_MAX); /* no row has this number */
}

static void digest_least(struct rebali_digest *digest, const struct rebali_plan_call *call) {
  const size_t n = rebali_bindings_size(call->bindings);

  rebali_digest_u64(digest, (uint64_t)call->opts.tolerance);
  for (size_t row = 0; row < n; row++) {
    rebali_digest_u64(digest, call->opts.weights == NULL ? 1 : (uint64_t)call->opts.weights[row]);
  }
  digest_bounds(digest, call, call->opts.minimums);
  digest_bounds(digest, call, call->opts.maximums);
}

/* Flags that only state which numbers were given are left out: all numbers are complete here. */
#define GIVEN (REBAL_PLAN_FLAG_TOLERANCE_GIVEN | REBAL_PLAN_FLAG_SURGE_GIVEN | REBAL_PLAN_FLAG_UNAVAILABLE_GIVEN)

static void digest_options(struct rebali_digest *digest, const struct rebali_plan_call *call) {
  const rebal_plan *plan = call->plan;
  const int64_t numbers[] = {plan->mode,           call->opts.flags & ~(uint32_t)GIVEN, call->opts.deschedule != NULL,
                             call->opts.max_surge, call->opts.max_unavailable,          plan->progress_deadline_ns};

  for (size_t i = 0; i < REBALI_COUNT(numbers); i++) {
    rebali_digest_u64(digest, (uint64_t)numbers[i]);
  }
  digest_ids(digest, call->snapshot, plan->drained, plan->n_drained);
  digest_ids(digest, call->snapshot, plan->lost, plan->n_lost);
  rebali_limits_digest(call->limits, digest);
  if (plan->mode == REBAL_PLAN_MODE_LEAST) {
    digest_least(digest, call);
  }
}

/*
 * Digests the inputs of the plan before the fork of the ledger is charged: all that rebal_schedule() would digest. The
 * bindings as they are, the mode and now determine what is scheduled, except for the replicas that the descheduler
 * takes.
 */
static int32_t sign(struct rebali_plan_call *call) {
  const size_t n = rebali_bindings_size(call->bindings);
  const struct rebali_batch batch = {call->ctx,    call->snapshot, call->bindings,    &call->schedule,
                                     call->result, call->err,      "rebal_plan_make", call->now};
  struct rebali_fingerprint scheduled;
  struct rebali_digest digest;
  int32_t code;

  rebal_result_reset(call->result);
  rebali_snapshot_hold(call->snapshot, call->result);
  rebali_batch_sign(&batch, &call->schedule, n);
  code = rebal_result_fingerprint(call->result, &scheduled.high, &scheduled.low, call->err);
  rebali_digest_begin(&digest, 0, 0);
  rebali_digest_fingerprint(&digest, scheduled);
  rebali_digest_fingerprint(&digest, rebali_digest_end(&call->given_up));
  digest_options(&digest, call);
  call->plan->inputs = rebali_digest_end(&digest);
  return code;
}

static int32_t make(struct rebali_plan_call *call, const rebal_plan_opts *opts) {
  int32_t code = rebali_plan_new(call->allocator, call->bindings->set.store, &call->plan, call->err);

  code = code == REBAL_OK ? rebali_plan_load(call, opts) : code;
  code = code == REBAL_OK ? rebali_move_limits_read(call) : code;
  code = code == REBAL_OK ? rebal_result_new(call->allocator, &call->result, call->err) : code;
  code = code == REBAL_OK ? rebali_plan_prepare(call) : code;
  code = code == REBAL_OK ? sign(call) : code;
  code = code == REBAL_OK ? rebali_plan_reject(call) : code;
  code = code == REBAL_OK ? rebali_plan_want(call) : code;
  code = code == REBAL_OK && call->opts.mode == REBAL_PLAN_MODE_LEAST ? rebali_plan_least(call) : code;
  code = code == REBAL_OK ? rebali_limits_begin(call) : code;
  code = code == REBAL_OK ? rebali_plan_grant(call) : code;
  return code == REBAL_OK ? rebali_plan_sum(call) : code;
}

int32_t rebal_plan_make(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings, const rebal_time *now,
                        const rebal_plan_opts *opts, rebal_plan **out, rebal_error *err) {
  struct rebali_plan_call call = {.ctx = ctx, .snapshot = snapshot, .bindings = bindings, .now = now, .err = err};
  int32_t code;

  if (ctx == NULL || out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "%s is NULL", ctx == NULL ? "ctx" : "out");
  }
  code = rebali_bindings_check(bindings, snapshot, err);
  if (code != REBAL_OK) {
    return code;
  }
  call.allocator = rebali_ctx_allocator(ctx);
  rebali_arena_init(&call.arena, call.allocator, 0);
  code = make(&call, opts);
  rebali_limits_end(call.limits);
  rebal_ledger_free(call.ledger);
  rebal_bindings_free(call.prepared);
  rebal_result_free(call.result);
  rebali_arena_dispose(&call.arena);
  if (code == REBAL_OK) {
    *out = call.plan;
  } else {
    rebal_plan_free(call.plan);
  }
  return code;
}
