/* SPDX-License-Identifier: MIT */
#include "../../support/allocator.h"
#include "making.h"

#include <stdio.h>

/* A toy kind: for each row a number derived from the row and the key. The tests count how often it is derived. */
struct toy {
  int64_t *values;
  size_t n;
  size_t capacity;
};

static int builds, updates, destroyed, updates_fail;

static struct rebali_text key_of(const uint64_t *number) {
  return rebali_text((const char *)number, sizeof *number);
}

static uint64_t number_of(struct rebali_text key) {
  uint64_t number;

  memcpy(&number, key.bytes, sizeof number);
  return number;
}

#define READS_SUMMARIES (REBALI_READS_CELLS | REBALI_READS_CAPACITIES)

/* What the toy of a key reads: from 1000 on only capacities, from 2000 on only cells, from 3000 on nodes too. */
static uint32_t reads_of(uint64_t key) {
  static const uint32_t reads[] = {READS_SUMMARIES, REBALI_READS_CAPACITIES, REBALI_READS_CELLS, REBALI_READS_ALL};

  return reads[key / 1000];
}

static int64_t toy_value(const rebal_snapshot *snapshot, uint64_t key, uint32_t row) {
  int64_t value = (int64_t)key * 100 + rebali_snapshot_has(snapshot, row) * 10;

  if ((reads_of(key) & REBALI_READS_CELLS) != 0) {
    value += rebali_snapshot_i64(snapshot, REBAL_CLUSTER_DELETING, row) * 2;
  }
  if ((reads_of(key) & REBALI_READS_CAPACITIES) != 0) {
    value += rebali_snapshot_i64(snapshot, REBAL_CLUSTER_HAS_SUMMARY, row);
  }
  return value;
}

static void toy_destroy(const rebal_allocator *allocator, void *value) {
  struct toy *toy = value;

  destroyed++;
  rebali_release(allocator, toy->values);
  rebali_release(allocator, toy);
}

static int32_t toy_grow(rebal_ctx *ctx, rebal_snapshot *snapshot, struct toy *toy, rebal_error *err) {
  const size_t rows = rebali_snapshot_rows(snapshot);

  if (rebali_reserve(rebali_ctx_allocator(ctx), &toy->values, &toy->capacity, rows, sizeof *toy->values) != REBAL_OK) {
    return rebali_fail_memory(err);
  }
  for (; toy->n < rows; toy->n++) {
    toy->values[toy->n] = -1;
  }
  return REBAL_OK;
}

static int32_t toy_update(rebal_ctx *ctx, rebal_snapshot *snapshot, struct rebali_text key, void *value,
                          const uint32_t *rows, size_t n, rebal_error *err) {
  struct toy *toy = value;
  const int32_t code = toy_grow(ctx, snapshot, toy, err);

  if (code != REBAL_OK) {
    return code;
  }
  for (size_t i = 0; i < n; i++) {
    toy->values[rows[i]] = toy_value(snapshot, number_of(key), rows[i]);
  }
  updates++;
  return updates_fail ? rebali_fail(err, REBAL_ENOTFOUND, -1, "update fails") : REBAL_OK;
}

static int32_t toy_build(rebal_ctx *ctx, rebal_snapshot *snapshot, struct rebali_text key, void **value,
                         rebal_error *err) {
  struct toy *toy = rebali_allocate_zero(rebali_ctx_allocator(ctx), 1, sizeof *toy);

  if (toy == NULL || toy_grow(ctx, snapshot, toy, err) != REBAL_OK) {
    rebali_release(rebali_ctx_allocator(ctx), toy);
    return rebali_fail_memory(err);
  }
  for (uint32_t row = 0; row < toy->n; row++) {
    toy->values[row] = toy_value(snapshot, number_of(key), row);
  }
  builds++;
  *value = toy;
  return REBAL_OK;
}

static size_t toy_bytes(const void *value) {
  return sizeof(struct toy) + ((const struct toy *)value)->capacity * sizeof(int64_t);
}

#define TOY_KIND(reads) {toy_build, toy_update, toy_bytes, toy_destroy, reads}
static const struct rebali_derived toy_kinds[] = {TOY_KIND(READS_SUMMARIES), TOY_KIND(REBALI_READS_CAPACITIES),
                                                  TOY_KIND(REBALI_READS_CELLS), TOY_KIND(REBALI_READS_ALL)};

static const struct rebali_derived *kind_of(uint64_t key) {
  return &toy_kinds[key / 1000];
}

/* A kind that gets the toy of the same key while it is built. */
static int32_t nested_build(rebal_ctx *ctx, rebal_snapshot *snapshot, struct rebali_text key, void **value,
                            rebal_error *err) {
  void *inner = NULL;
  struct toy *toy = NULL;
  const uint64_t next = number_of(key) + 1;
  int32_t code = rebali_cache_get(ctx, snapshot, toy_kinds, key, &inner, err);

  if (code == REBAL_OK) {
    code = toy_build(ctx, snapshot, key_of(&next), (void **)&toy, err);
  }
  *value = toy;
  return code;
}

static const struct rebali_derived nested_kind = {nested_build, toy_update,       toy_bytes,
                                                  toy_destroy,  REBALI_READS_ALL, NULL};

static rebal_ctx *new_ctx(uint32_t flags, uint64_t max_bytes, uint64_t max_entries) {
  const rebal_ctx_opts opts = {sizeof opts, flags, max_bytes, max_entries};
  rebal_ctx *ctx = NULL;

  builds = updates = destroyed = updates_fail = 0;
  ck_assert_int_eq(rebal_ctx_new(NULL, &opts, &ctx, NULL), REBAL_OK);
  return ctx;
}

static const struct toy *get(rebal_ctx *ctx, rebal_snapshot *snapshot, uint64_t key) {
  void *value = NULL;

  ck_assert_int_eq(rebali_cache_get(ctx, snapshot, kind_of(key), key_of(&key), &value, NULL), REBAL_OK);
  return value;
}

/* Makes a call that gets one value. */
static void query(rebal_ctx *ctx, rebal_snapshot *snapshot, uint64_t key) {
  const struct toy *toy;

  ck_assert_int_eq(rebali_ctx_begin(ctx, NULL), REBAL_OK);
  toy = get(ctx, snapshot, key);
  ck_assert_uint_ge(toy->n, rebali_snapshot_rows(snapshot));
  for (uint32_t row = 0; row < rebali_snapshot_rows(snapshot); row++) {
    ck_assert_int_eq(toy->values[row], toy_value(snapshot, key, row));
  }
  rebali_ctx_end(ctx);
}

static uint64_t entries_of(const rebal_ctx *ctx) {
  uint64_t entries = 0;

  rebal_ctx_cache_size(ctx, NULL, &entries);
  return entries;
}

static rebal_fleet *fleet_of(uint32_t clusters) {
  rebal_fleet *fleet = new_fleet();
  char name[16];

  for (uint32_t i = 0; i < clusters; i++) {
    snprintf(name, sizeof name, "c%u", (unsigned)i);
    add_cluster(fleet, name);
  }
  return fleet;
}

static void close_all(rebal_fleet *fleet, rebal_snapshot *snapshot, rebal_ctx *ctx) {
  rebal_snapshot_unref(snapshot);
  rebal_ctx_free(ctx);
  rebal_fleet_free(fleet);
}

START_TEST(test_kept_and_caught_up) {
  rebal_fleet *fleet = fleet_of(5);
  rebal_ctx *ctx = new_ctx(0, 0, 0);
  rebal_snapshot *first = freeze(fleet);
  rebal_snapshot *second;

  query(ctx, first, 1);
  query(ctx, first, 1);
  ck_assert_int_eq(builds, 1);
  set_i64(fleet, REBAL_CLUSTER_DELETING, 3, 1);
  add_cluster(fleet, "new");
  second = freeze(fleet);
  query(ctx, second, 1);
  ck_assert_int_eq(builds, 1);
  ck_assert_int_eq(updates, 1);
  query(ctx, first, 1);
  ck_assert_int_eq(builds, 2);
  ck_assert_int_eq(destroyed, 1);
  ck_assert_uint_eq(entries_of(ctx), 1);
  query(ctx, first, 2);
  ck_assert_uint_eq(entries_of(ctx), 2);
  rebal_ctx_clear(ctx);
  ck_assert_uint_eq(entries_of(ctx), 0);
  ck_assert_int_eq(destroyed, 3);
  rebal_snapshot_unref(first);
  rebal_snapshot_unref(second);
  rebal_ctx_free(ctx);
  rebal_fleet_free(fleet);
}
END_TEST

/* A value is updated only if something that it reads has changed; an older snapshot with the same data can use it. */
START_TEST(test_only_relevant_changes_are_reported) {
  rebal_fleet *fleet = fleet_of(5);
  rebal_ctx *ctx = new_ctx(0, 0, 0);
  rebal_snapshot *held[5] = {freeze(fleet)};
  const uint64_t capacities = 1000, cells = 2000;

  query(ctx, held[0], capacities);
  query(ctx, held[0], cells);
  set_i64(fleet, REBAL_CLUSTER_HAS_SUMMARY, 3, 1);
  held[1] = freeze(fleet);
  query(ctx, held[1], cells);
  query(ctx, held[0], cells);
  ck_assert_int_eq(updates, 0);
  query(ctx, held[1], capacities);
  ck_assert_int_eq(updates, 1);
  set_i64(fleet, REBAL_CLUSTER_DELETING, 2, 1);
  held[2] = freeze(fleet);
  query(ctx, held[2], capacities);
  ck_assert_int_eq(updates, 1);
  query(ctx, held[2], cells);
  ck_assert_int_eq(updates, 2);
  set_i64(fleet, REBAL_CLUSTER_DELETING, 2, 0);
  set_i64(fleet, REBAL_CLUSTER_HAS_SUMMARY, 2, 1);
  held[3] = freeze(fleet);
  query(ctx, held[3], capacities);
  query(ctx, held[3], cells);
  ck_assert_int_eq(updates, 4);
  add_cluster(fleet, "new");
  held[4] = freeze(fleet);
  query(ctx, held[4], capacities);
  query(ctx, held[4], cells);
  ck_assert_int_eq(updates, 6);
  ck_assert_int_eq(builds, 2);
  query(ctx, held[3], cells);
  ck_assert_int_eq(builds, 3);
  for (size_t i = 0; i < 5; i++) {
    rebal_snapshot_unref(held[i]);
  }
  rebal_ctx_free(ctx);
  rebal_fleet_free(fleet);
}
END_TEST

START_TEST(test_rebuilt_when_more_changes_than_rows) {
  rebal_fleet *fleet = fleet_of(3);
  rebal_ctx *ctx = new_ctx(0, 0, 0);
  rebal_snapshot *snapshot = freeze(fleet);
  const uint64_t key = _i == 0 ? 1 : 3000; /* a value that reads nodes is updated, however many changes there are */

  query(ctx, snapshot, key);
  for (int round = 0; round < 2; round++) {
    for (int change = 0; change < 3 + round; change++) {
      rebal_snapshot_unref(snapshot);
      set_i64(fleet, REBAL_CLUSTER_GENERATION, 0, round * 10 + change + 1);
      snapshot = freeze(fleet);
    }
    query(ctx, snapshot, key);
    ck_assert_int_eq(builds, _i == 0 ? 1 + round : 1);
    ck_assert_int_eq(updates, _i == 0 ? 1 : 1 + round);
  }
  close_all(fleet, snapshot, ctx);
}
END_TEST

START_TEST(test_rebuilt_when_the_log_is_too_short) {
  rebal_fleet *fleet = fleet_of(1200);
  rebal_ctx *ctx = new_ctx(0, 0, 0);
  rebal_snapshot *snapshot = freeze(fleet);

  query(ctx, snapshot, 1);
  rebal_snapshot_unref(snapshot);
  for (uint32_t round = 0; round < 3; round++) {
    for (uint32_t row = 0; row < 1200; row++) {
      set_i64(fleet, REBAL_CLUSTER_DELETING, row, (round + 1) % 2);
    }
    rebal_snapshot_unref(freeze(fleet));
  }
  snapshot = freeze(fleet);
  query(ctx, snapshot, 1);
  ck_assert_int_eq(builds, 2);
  ck_assert_int_eq(updates, 0);
  close_all(fleet, snapshot, ctx);
}
END_TEST

/* Enough fleets that some share a slot of the cache's table. */
START_TEST(test_fleets_are_distinguished) {
  rebal_ctx *ctx = new_ctx(0, 0, 0);

  for (uint32_t i = 0; i < 300; i++) {
    rebal_fleet *fleet = fleet_of(i % 4);
    rebal_snapshot *snapshot = freeze(fleet);

    query(ctx, snapshot, 1);
    rebal_snapshot_unref(snapshot);
    rebal_fleet_free(fleet);
  }
  ck_assert_int_eq(builds, 300);
  ck_assert_uint_eq(entries_of(ctx), 300);
  rebal_ctx_free(ctx);
}
END_TEST

START_TEST(test_limits) {
  rebal_fleet *fleet = fleet_of(5);
  rebal_ctx *ctx = new_ctx(0, 0, 2);
  rebal_snapshot *snapshot = freeze(fleet);
  const struct toy *first;
  uint64_t bytes = 0;

  query(ctx, snapshot, 1);
  query(ctx, snapshot, 2);
  query(ctx, snapshot, 1);
  query(ctx, snapshot, 3);
  ck_assert_uint_eq(entries_of(ctx), 2);
  query(ctx, snapshot, 1);
  ck_assert_int_eq(builds, 3);
  query(ctx, snapshot, 2);
  ck_assert_int_eq(builds, 4);
  /* Values that a call uses stay until it ends, whatever the limits are. */
  ck_assert_int_eq(rebali_ctx_begin(ctx, NULL), REBAL_OK);
  first = get(ctx, snapshot, 10);
  for (uint64_t key = 11; key < 200; key++) {
    get(ctx, snapshot, key);
  }
  ck_assert_uint_ge(entries_of(ctx), 190);
  ck_assert_int_eq(first->values[0], toy_value(snapshot, 10, 0));
  ck_assert_ptr_eq(get(ctx, snapshot, 10), first);
  rebali_ctx_end(ctx);
  ck_assert_uint_eq(entries_of(ctx), 2);
  rebal_ctx_free(ctx);
  ctx = new_ctx(0, 1, 0);
  query(ctx, snapshot, 1);
  rebal_ctx_cache_size(ctx, &bytes, NULL);
  ck_assert_uint_eq(bytes, 0);
  close_all(fleet, snapshot, ctx);
}
END_TEST

/* A value that a running call uses stays even if it was listed long ago; unused values are dropped. */
START_TEST(test_used_again_before_it_goes) {
  rebal_fleet *fleet = fleet_of(5);
  rebal_ctx *ctx = new_ctx(0, 0, 3);
  rebal_snapshot *snapshot = freeze(fleet);
  const struct toy *first;

  for (uint64_t key = 1; key <= 3; key++) {
    query(ctx, snapshot, key);
  }
  ck_assert_int_eq(rebali_ctx_begin(ctx, NULL), REBAL_OK);
  first = get(ctx, snapshot, 1);
  get(ctx, snapshot, 4);
  ck_assert_int_eq(destroyed, 1);
  get(ctx, snapshot, 5);
  ck_assert_int_eq(destroyed, 2);
  get(ctx, snapshot, 6);
  ck_assert_int_eq(destroyed, 2);
  ck_assert_ptr_eq(get(ctx, snapshot, 1), first);
  ck_assert_int_eq(builds, 6);
  rebali_ctx_end(ctx);
  ck_assert_uint_eq(entries_of(ctx), 3);
  close_all(fleet, snapshot, ctx);
}
END_TEST

START_TEST(test_no_cache) {
  rebal_fleet *fleet = fleet_of(5);
  rebal_ctx *ctx = new_ctx(REBAL_CTX_FLAG_NO_CACHE, 0, 0);
  rebal_snapshot *snapshot = freeze(fleet);
  const struct toy *toy;

  ck_assert_int_eq(rebali_ctx_begin(ctx, NULL), REBAL_OK);
  toy = get(ctx, snapshot, 1);
  ck_assert_ptr_eq(get(ctx, snapshot, 1), toy);
  ck_assert_uint_eq(entries_of(ctx), 1);
  rebali_ctx_end(ctx);
  ck_assert_uint_eq(entries_of(ctx), 0);
  ck_assert_int_eq(destroyed, 1);
  close_all(fleet, snapshot, ctx);
}
END_TEST

START_TEST(test_failed_update_is_reported) {
  rebal_fleet *fleet = fleet_of(5);
  rebal_ctx *ctx = new_ctx(0, 0, 0);
  rebal_snapshot *snapshot = freeze(fleet);
  rebal_error err = REBAL_ERROR_INIT;
  const uint64_t key = 1;
  void *value = NULL;

  query(ctx, snapshot, key);
  rebal_snapshot_unref(snapshot);
  set_i64(fleet, REBAL_CLUSTER_DELETING, 0, 1);
  snapshot = freeze(fleet);
  updates_fail = 1;
  ck_assert_int_eq(rebali_ctx_begin(ctx, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_cache_get(ctx, snapshot, toy_kinds, key_of(&key), &value, &err), REBAL_ENOTFOUND);
  ck_assert_str_eq(err.message, "update fails");
  ck_assert_ptr_null(value);
  ck_assert_int_eq(destroyed, 1);
  ck_assert_uint_eq(entries_of(ctx), 0);
  rebali_ctx_end(ctx);
  query(ctx, snapshot, 1);
  ck_assert_int_eq(builds, 2);
  close_all(fleet, snapshot, ctx);
}
END_TEST

START_TEST(test_nested_builds) {
  rebal_fleet *fleet = fleet_of(3);
  rebal_ctx *ctx = new_ctx(0, 0, 1);
  rebal_snapshot *snapshot = freeze(fleet);
  void *value = NULL;

  ck_assert_int_eq(rebali_ctx_begin(ctx, NULL), REBAL_OK);
  for (uint64_t key = 0; key < 100; key++) {
    ck_assert_int_eq(rebali_cache_get(ctx, snapshot, &nested_kind, key_of(&key), &value, NULL), REBAL_OK);
    ck_assert_int_eq(((const struct toy *)value)->values[0], toy_value(snapshot, key + 1, 0));
    ck_assert_int_eq(get(ctx, snapshot, key)->values[0], toy_value(snapshot, key, 0));
  }
  ck_assert_uint_eq(entries_of(ctx), 200);
  rebali_ctx_end(ctx);
  ck_assert_uint_eq(entries_of(ctx), 1);
  close_all(fleet, snapshot, ctx);
}
END_TEST

/* Whatever a cache may keep, values are those of the requested snapshot (query() compares). */
START_TEST(test_law) {
  static const rebal_ctx_opts ways[3] = {{sizeof(rebal_ctx_opts), REBAL_CTX_FLAG_NO_CACHE, 0, 0},
                                         {sizeof(rebal_ctx_opts), 0, 0, 1},
                                         {sizeof(rebal_ctx_opts), 0, UINT64_MAX, 0}};
  rebal_ctx *ctx = new_ctx(ways[_i].flags, ways[_i].cache_max_bytes, ways[_i].cache_max_entries);
  rebal_fleet *fleet = fleet_of(40);
  rebal_snapshot *held[4] = {freeze(fleet), freeze(fleet), freeze(fleet), freeze(fleet)};
  uint32_t random = 11;
  char name[16];

  for (uint32_t round = 0; round < 400; round++) {
    const uint32_t slot = next_random(&random, 4), other = next_random(&random, 4);

    for (uint32_t edits = next_random(&random, 5); edits > 0; edits--) {
      const uint32_t row = next_random(&random, 40);

      if (next_random(&random, 10) == 0) {
        snprintf(name, sizeof name, "d%u-%u", (unsigned)round, (unsigned)edits);
        add_cluster(fleet, name);
      } else {
        set_i64(fleet, edits % 2 == 0 ? REBAL_CLUSTER_DELETING : REBAL_CLUSTER_HAS_SUMMARY, row,
                (int64_t)next_random(&random, 2));
      }
    }
    rebal_snapshot_unref(held[slot]);
    held[slot] = freeze(fleet);
    for (uint64_t first = 0; first < 3000; first += 1000) {
      query(ctx, held[(other + first / 1000) % 4], first + next_random(&random, 3));
      query(ctx, held[slot], first + next_random(&random, 3));
    }
  }
  for (uint32_t i = 0; i < 4; i++) {
    rebal_snapshot_unref(held[i]);
  }
  rebal_ctx_free(ctx);
  rebal_fleet_free(fleet);
}
END_TEST

/* A kind whose value is a copy of the key. */
static int32_t copy_build(rebal_ctx *ctx, rebal_snapshot *snapshot, struct rebali_text key, void **value,
                          rebal_error *err) {
  char *copy = rebali_allocate_zero(rebali_ctx_allocator(ctx), key.len + 1, 1);

  (void)snapshot;
  if (copy == NULL) {
    return rebali_fail_memory(err);
  }
  memcpy(copy, key.bytes, key.len);
  builds++;
  *value = copy;
  return REBAL_OK;
}

static size_t copy_bytes(const void *value) {
  return strlen(value) + 1;
}

static const struct rebali_derived copy_kind = {copy_build,     toy_update,         copy_bytes,
                                                rebali_release, REBALI_READS_CELLS, NULL};

/* Keys of all lengths, and keys that differ from them in one byte. */
START_TEST(test_keys) {
  rebal_fleet *fleet = fleet_of(1);
  rebal_ctx *ctx = new_ctx(0, 0, 0);
  rebal_snapshot *snapshot = freeze(fleet);
  char bytes[25];

  for (int round = 0; round < 2; round++) {
    for (size_t len = 0; len < sizeof bytes; len++) {
      for (size_t at = 0; at <= len; at++) {
        void *value = NULL;

        memset(bytes, 'a', sizeof bytes);
        bytes[at] = 'b'; /* with at == len it follows the key */
        ck_assert_int_eq(rebali_ctx_begin(ctx, NULL), REBAL_OK);
        ck_assert_int_eq(rebali_cache_get(ctx, snapshot, &copy_kind, rebali_text(bytes, len), &value, NULL), REBAL_OK);
        ck_assert_uint_eq(strlen(value), len);
        ck_assert_mem_eq(value, bytes, len);
        rebali_ctx_end(ctx);
      }
    }
  }
  ck_assert_int_eq(builds, 25 * 26 / 2);
  close_all(fleet, snapshot, ctx);
}
END_TEST

struct pair {
  rebal_snapshot *first;
  rebal_snapshot *second;
};

static int32_t query_one(rebal_ctx *ctx, rebal_snapshot *snapshot) {
  const uint64_t key = 1;
  void *value = NULL;
  int32_t code = rebali_ctx_begin(ctx, NULL);

  if (code == REBAL_OK) {
    code = rebali_cache_get(ctx, snapshot, &nested_kind, key_of(&key), &value, NULL);
    rebali_ctx_end(ctx);
  }
  return code;
}

static int32_t scenario(const rebal_allocator *allocator, void *user_data) {
  const struct pair *pair = user_data;
  rebal_ctx *ctx = NULL;
  int32_t code = rebal_ctx_new(allocator, NULL, &ctx, NULL);

  if (code == REBAL_OK) {
    code = query_one(ctx, pair->first);
  }
  if (code == REBAL_OK) {
    code = query_one(ctx, pair->second);
  }
  rebal_ctx_free(ctx);
  return code;
}

START_TEST(test_torture_cache) {
  rebal_fleet *fleet = fleet_of(5);
  struct pair pair = {freeze(fleet), NULL};

  updates_fail = 0;
  set_i64(fleet, REBAL_CLUSTER_DELETING, 1, 1);
  set_i64(fleet, REBAL_CLUSTER_DELETING, 2, 1);
  for (uint32_t i = 0; i < 20; i++) {
    char name[16];

    snprintf(name, sizeof name, "e%u", (unsigned)i);
    add_cluster(fleet, name);
  }
  pair.second = freeze(fleet);
  ck_assert_pstr_eq(test_torture(scenario, &pair), NULL);
  rebal_snapshot_unref(pair.first);
  rebal_snapshot_unref(pair.second);
  rebal_fleet_free(fleet);
}
END_TEST

UNIT_CASE(cache) {
  TCase *cases = tcase_create("cache");
  tcase_add_test(cases, test_kept_and_caught_up);
  tcase_add_test(cases, test_only_relevant_changes_are_reported);
  tcase_add_loop_test(cases, test_rebuilt_when_more_changes_than_rows, 0, 2);
  tcase_add_test(cases, test_rebuilt_when_the_log_is_too_short);
  tcase_add_test(cases, test_fleets_are_distinguished);
  tcase_add_test(cases, test_limits);
  tcase_add_test(cases, test_used_again_before_it_goes);
  tcase_add_test(cases, test_no_cache);
  tcase_add_test(cases, test_failed_update_is_reported);
  tcase_add_test(cases, test_nested_builds);
  tcase_add_loop_test(cases, test_law, 0, 3);
  tcase_add_test(cases, test_keys);
  tcase_add_test(cases, test_torture_cache);
  return cases;
}
