/* SPDX-License-Identifier: MIT */
#include "../../support/allocator.h"
#include "making.h"

START_TEST(test_options) {
  rebal_ctx_opts opts = {sizeof opts, 2, 0, 0};
  rebal_ctx *ctx = NULL;
  uint64_t bytes = 9, entries = 9;

  ck_assert_int_eq(rebal_ctx_new(NULL, &opts, &ctx, NULL), REBAL_EUNSUPPORTED);
  opts.flags = REBAL_CTX_FLAG_NO_CACHE;
  opts.struct_size = 4;
  ck_assert_int_eq(rebal_ctx_new(NULL, &opts, &ctx, NULL), REBAL_EABI);
  ck_assert_int_eq(rebal_ctx_new(NULL, NULL, NULL, NULL), REBAL_EINVAL);
  opts.struct_size = sizeof opts;
  ck_assert_int_eq(rebal_ctx_new(NULL, &opts, &ctx, NULL), REBAL_OK);
  rebal_ctx_cache_size(ctx, &bytes, &entries);
  ck_assert_uint_eq(bytes, 0);
  ck_assert_uint_eq(entries, 0);
  rebal_ctx_cache_size(ctx, NULL, NULL);
  rebal_ctx_clear(ctx);
  rebal_ctx_free(ctx);
  bytes = entries = 9;
  rebal_ctx_cache_size(NULL, &bytes, &entries);
  ck_assert_uint_eq(bytes, 0);
  ck_assert_uint_eq(entries, 0);
  rebal_ctx_clear(NULL);
  rebal_ctx_free(NULL);
}
END_TEST

START_TEST(test_calls) {
  rebal_ctx *ctx = NULL;

  ck_assert_int_eq(rebali_ctx_begin(NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_ctx_new(NULL, NULL, &ctx, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_ctx_begin(ctx, NULL), REBAL_OK);
  ck_assert_ptr_nonnull(rebali_arena_allocate(rebali_ctx_scratch(ctx), 100, 1));
  ck_assert_int_eq(rebali_ctx_begin(ctx, NULL), REBAL_ESTATE);
  ck_assert_uint_gt(rebali_ctx_scratch(ctx)->used, 0);
  rebali_ctx_end(ctx);
  ck_assert_int_eq(rebali_ctx_begin(ctx, NULL), REBAL_OK);
  ck_assert_uint_eq(rebali_ctx_scratch(ctx)->used, 0);
  rebali_ctx_end(ctx);
  rebal_ctx_free(ctx);
}
END_TEST

static int32_t scenario(const rebal_allocator *allocator, void *user_data) {
  rebal_ctx *ctx = NULL;
  const int32_t code = rebal_ctx_new(allocator, NULL, &ctx, NULL);

  (void)user_data;
  if (code == REBAL_OK) {
    ck_assert_ptr_eq(rebali_ctx_allocator(ctx)->user_data, allocator->user_data);
  }
  rebal_ctx_free(ctx);
  return code;
}

START_TEST(test_torture_ctx) {
  ck_assert_pstr_eq(test_torture(scenario, NULL), NULL);
}
END_TEST

UNIT_CASE(ctx) {
  TCase *cases = tcase_create("ctx");
  tcase_add_test(cases, test_options);
  tcase_add_test(cases, test_calls);
  tcase_add_test(cases, test_torture_ctx);
  return cases;
}
