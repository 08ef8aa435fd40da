/* SPDX-License-Identifier: MIT */
#include "fleet/fleet.h"

#define DEFAULT_CACHE_BYTES (UINT64_C(64) << 20)

static int32_t load_options(rebal_ctx_opts *known, const rebal_ctx_opts *opts, rebal_error *err) {
  const int32_t code = rebali_options_load(known, sizeof *known, sizeof *known, opts, err);

  if (code == REBAL_OK && (known->flags & ~(uint32_t)REBAL_CTX_FLAG_NO_CACHE) != 0) {
    return rebali_fail(err, REBAL_EUNSUPPORTED, -1, "a flag of the context is not known");
  }
  return code;
}

int32_t rebal_ctx_new(const rebal_allocator *allocator, const rebal_ctx_opts *opts, rebal_ctx **out, rebal_error *err) {
  rebal_allocator functions;
  rebal_ctx_opts known;
  rebal_ctx *ctx;
  int32_t code = rebali_allocator_load(&functions, allocator, err);

  if (code == REBAL_OK) {
    code = load_options(&known, opts, err);
  }
  if (code != REBAL_OK) {
    return code;
  }
  if (out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "out is NULL");
  }
  ctx = rebali_allocate_zero(&functions, 1, sizeof *ctx);
  if (ctx == NULL) {
    return rebali_fail_memory(err);
  }
  ctx->allocator = functions;
  rebali_arena_init(&ctx->scratch, &ctx->allocator, 0);
  ctx->keeps_nothing = (known.flags & REBAL_CTX_FLAG_NO_CACHE) != 0;
  ctx->cache.max_bytes = known.cache_max_bytes == 0 ? DEFAULT_CACHE_BYTES : known.cache_max_bytes;
  ctx->cache.max_entries = known.cache_max_entries == 0 ? UINT64_MAX : known.cache_max_entries;
  *out = ctx;
  return REBAL_OK;
}

void rebal_ctx_cache_size(const rebal_ctx *ctx, uint64_t *bytes, uint64_t *entries) {
  if (bytes != NULL) {
    *bytes = ctx == NULL ? 0 : ctx->cache.bytes;
  }
  if (entries != NULL) {
    *entries = ctx == NULL ? 0 : ctx->cache.entries;
  }
}

void rebal_ctx_clear(rebal_ctx *ctx) {
  if (ctx != NULL) {
    rebali_cache_clear(ctx);
  }
}

void rebal_ctx_free(rebal_ctx *ctx) {
  rebal_allocator allocator;

  if (ctx == NULL) {
    return;
  }
  allocator = ctx->allocator;
  rebal_ctx_clear(ctx);
  rebali_release(&allocator, ctx->cache.buckets);
  rebali_arena_dispose(&ctx->scratch);
  rebali_release(&allocator, ctx);
}

struct rebali_arena *rebali_ctx_scratch(rebal_ctx *ctx) {
  return &ctx->scratch;
}

const rebal_allocator *rebali_ctx_allocator(const rebal_ctx *ctx) {
  return &ctx->allocator;
}

int32_t rebali_ctx_begin(rebal_ctx *ctx, rebal_error *err) {
  if (ctx == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "ctx is NULL");
  }
  if (ctx->running) {
    return rebali_fail(err, REBAL_ESTATE, -1, "a call with this context is running");
  }
  rebali_ctx_resume(ctx);
  return REBAL_OK;
}

void rebali_ctx_resume(rebal_ctx *ctx) {
  rebali_arena_reset(&ctx->scratch);
  ctx->cache.call++;
  ctx->running = 1;
}

int32_t rebali_answer_begin(rebal_ctx *ctx, rebal_snapshot *snapshot, rebal_result *result, rebal_error *err) {
  int32_t code = rebali_result_begin(result, err);

  if (code == REBAL_OK) {
    code = rebali_ctx_begin(ctx, err);
  }
  if (code == REBAL_OK) {
    rebali_snapshot_hold(snapshot, result);
  }
  return code;
}

int32_t rebali_answer_end(rebal_ctx *ctx, rebal_result *result, int32_t code) {
  rebali_ctx_end(ctx);
  if (code != REBAL_OK) {
    rebal_result_reset(result);
  }
  return code;
}

void rebali_ctx_end(rebal_ctx *ctx) {
  ctx->running = 0;
  if (ctx->keeps_nothing) {
    rebali_cache_clear(ctx);
  } else if (rebali_cache_is_over(&ctx->cache)) {
    rebali_cache_trim(ctx, 1);
  }
}
