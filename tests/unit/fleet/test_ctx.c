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

/* ---- entries of one hash: keys are made so that what was mixed before does not matter ---- */

/* As lib/fleet/cache.c mixes; were it to mix otherwise, the keys below would have hashes of their own. */
static uint64_t mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
  return hash ^ hash >> 32;
}

/* A kind whose value is a copy of its key. */
struct copy {
  size_t len;
  char bytes[32];
};

static int32_t copy_build(rebal_ctx *ctx, rebal_snapshot *snapshot, struct rebali_text key, void **value,
                          rebal_error *err) {
  struct copy *copy = rebali_allocate_zero(rebali_ctx_allocator(ctx), 1, sizeof *copy);

  (void)snapshot;
  (void)err;
  ck_assert_ptr_nonnull(copy);
  ck_assert_uint_le(key.len, sizeof copy->bytes);
  copy->len = key.len;
  memcpy(copy->bytes, key.bytes, key.len);
  *value = copy;
  return REBAL_OK;
}

static size_t copy_bytes(const void *value) {
  (void)value;
  return sizeof(struct copy);
}

static void copy_destroy(const rebal_allocator *allocator, void *value) {
  rebali_release(allocator, value);
}

static const struct rebali_derived kinds[2] = {{copy_build, NULL, copy_bytes, copy_destroy, REBALI_READS_CELLS, NULL},
                                               {copy_build, NULL, copy_bytes, copy_destroy, REBALI_READS_CELLS, NULL}};

struct requested {
  rebal_snapshot *snapshot;
  const struct rebali_derived *kind;
  uint64_t words[2];
  size_t n;
};

static uint64_t before(const struct requested *requested) {
  return mix((uint64_t)(uintptr_t)rebali_snapshot_store(requested->snapshot), (uint64_t)(uintptr_t)requested->kind);
}

/* The last word makes the hash that of another key: what is mixed last is the same. */
static void make_alike(struct requested *requested, const struct requested *like) {
  const uint64_t last = mix(before(like), like->words[0]) ^ like->words[1];

  requested->words[requested->n - 1] =
      last ^ (requested->n == 1 ? before(requested) : mix(before(requested), requested->words[0]));
}

START_TEST(test_entries_of_one_hash) {
  rebal_fleet *fleets[2] = {new_fleet(), new_fleet()};
  rebal_snapshot *snapshots[2] = {freeze(fleets[0]), freeze(fleets[1])};
  struct requested requested[] = {{snapshots[0], &kinds[0], {1, 2}, 2}, /* all others have the hash of this one */
                                  {snapshots[0], &kinds[0], {3, 0}, 2},
                                  {snapshots[0], &kinds[1], {1, 0}, 2},
                                  {snapshots[1], &kinds[0], {1, 0}, 2},
                                  {snapshots[0], &kinds[0], {0, 0}, 1}};
  void *values[REBALI_COUNT(requested)] = {NULL};
  rebal_ctx *ctx = NULL;

  ck_assert_int_eq(rebal_ctx_new(NULL, NULL, &ctx, NULL), REBAL_OK);
  for (size_t i = 1; i < REBALI_COUNT(requested); i++) {
    make_alike(&requested[i], &requested[0]);
  }
  for (size_t round = 0; round < 2; round++) {
    ck_assert_int_eq(rebali_ctx_begin(ctx, NULL), REBAL_OK);
    for (size_t i = 0; i < REBALI_COUNT(requested); i++) {
      const struct rebali_text key =
          rebali_text((const char *)requested[i].words, requested[i].n * sizeof requested[i].words[0]);
      const struct copy *copy;
      void *value = NULL;

      ck_assert_int_eq(rebali_cache_get(ctx, requested[i].snapshot, requested[i].kind, key, &value, NULL), REBAL_OK);
      copy = value;
      ck_assert_uint_eq(copy->len, key.len);
      ck_assert_mem_eq(copy->bytes, key.bytes, key.len);
      ck_assert(round == 0 || values[i] == value); /* found, not made anew */
      values[i] = value;
    }
    rebali_ctx_end(ctx);
  }
  for (size_t i = 0; i < REBALI_COUNT(requested); i++) {
    for (size_t k = 0; k < i; k++) {
      ck_assert_ptr_ne(values[i], values[k]);
    }
  }
  rebal_ctx_free(ctx);
  for (size_t i = 0; i < 2; i++) {
    rebal_snapshot_unref(snapshots[i]);
    rebal_fleet_free(fleets[i]);
  }
}
END_TEST

UNIT_CASE(ctx) {
  TCase *cases = tcase_create("ctx");
  tcase_add_test(cases, test_options);
  tcase_add_test(cases, test_calls);
  tcase_add_test(cases, test_torture_ctx);
  tcase_add_test(cases, test_entries_of_one_hash);
  return cases;
}
