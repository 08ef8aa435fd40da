/* SPDX-License-Identifier: MIT */
#include "../../support/allocator.h"
#include "making.h"

#include <pthread.h>
#include <stdio.h>

/* A toy kind: what each row shows, and a sum of it that is made when somebody first asks. */
struct toy {
  int64_t *values;
  size_t n;
  int64_t sum;
  int has_sum;
  int is_sealed;
};

static atomic_int builds, updates, sums, destroyed, updates_fail;

static int64_t value_of(const rebal_snapshot *snapshot, uint32_t column, uint32_t row) {
  return rebali_snapshot_i64(snapshot, column, row) + 10 * rebali_snapshot_has(snapshot, row);
}

static uint32_t column_of(struct rebali_text key) {
  uint32_t column;

  memcpy(&column, key.bytes, sizeof column);
  return column;
}

static void toy_destroy(const rebal_allocator *allocator, void *value) {
  struct toy *toy = value;

  destroyed++;
  rebali_release(allocator, toy->values);
  rebali_release(allocator, toy);
}

static int32_t toy_update(rebal_ctx *ctx, rebal_snapshot *snapshot, struct rebali_text key, void *value,
                          const uint32_t *rows, size_t n, rebal_error *err) {
  struct toy *toy = value;

  if (rebali_reserve(rebali_ctx_allocator(ctx), &toy->values, &toy->n, rebali_snapshot_rows(snapshot),
                     sizeof *toy->values) != REBAL_OK) {
    return rebali_fail_memory(err);
  }
  for (size_t i = 0; i < n; i++) {
    toy->values[rows[i]] = value_of(snapshot, column_of(key), rows[i]);
  }
  toy->has_sum = 0;
  updates++;
  return updates_fail ? rebali_fail(err, REBAL_ENOTFOUND, -1, "told to fail") : REBAL_OK;
}

static int32_t toy_build(rebal_ctx *ctx, rebal_snapshot *snapshot, struct rebali_text key, void **value,
                         rebal_error *err) {
  const rebal_allocator *allocator = rebali_ctx_allocator(ctx);
  struct toy *toy = rebali_allocate_zero(allocator, 1, sizeof *toy);

  if (toy == NULL || rebali_reserve(allocator, &toy->values, &toy->n, rebali_snapshot_rows(snapshot),
                                    sizeof *toy->values) != REBAL_OK) {
    rebali_release(allocator, toy);
    return rebali_fail_memory(err);
  }
  for (uint32_t row = 0; row < rebali_snapshot_rows(snapshot); row++) {
    toy->values[row] = value_of(snapshot, column_of(key), row);
  }
  builds++;
  *value = toy;
  return REBAL_OK;
}

static size_t toy_bytes(const void *value) {
  return sizeof(struct toy) + ((const struct toy *)value)->n * sizeof(int64_t);
}

static int64_t sum_of(struct toy *toy, const rebal_snapshot *snapshot) {
  if (!toy->has_sum) {
    toy->sum = 0;
    for (uint32_t row = 0; row < rebali_snapshot_rows(snapshot); row++) {
      toy->sum += toy->values[row];
    }
    toy->has_sum = 1;
    sums++;
  }
  return toy->sum;
}

static int32_t toy_seal(rebal_ctx *ctx, rebal_snapshot *snapshot, void *value, rebal_error *err) {
  (void)sum_of(value, snapshot);
  return rebali_seal_as_is(ctx, snapshot, value, err);
}

static const struct rebali_derived cells_kind = {toy_build,          toy_update, toy_bytes, toy_destroy,
                                                 REBALI_READS_CELLS, toy_seal};
static const struct rebali_derived capacities_kind = {toy_build,               toy_update, toy_bytes, toy_destroy,
                                                      REBALI_READS_CAPACITIES, toy_seal};
static const struct rebali_derived private_kind = {toy_build, toy_update, toy_bytes, toy_destroy, REBALI_READS_ALL,
                                                   NULL};

/* The same, but it takes far more memory once it may be shared. */
static size_t swelling_bytes(const void *value) {
  return toy_bytes(value) + (((const struct toy *)value)->is_sealed ? 10000 : 0);
}

static int32_t swelling_seal(rebal_ctx *ctx, rebal_snapshot *snapshot, void *value, rebal_error *err) {
  ((struct toy *)value)->is_sealed = 1;
  return toy_seal(ctx, snapshot, value, err);
}

static const struct rebali_derived swelling_kind = {toy_build,          toy_update,   swelling_bytes, toy_destroy,
                                                    REBALI_READS_CELLS, swelling_seal};

/* HAS_SUMMARY is the one column that is a capacity. */
static const struct rebali_derived *kind_of(uint32_t column) {
  return column == REBAL_CLUSTER_HAS_SUMMARY ? &capacities_kind : &cells_kind;
}

static int32_t look(rebal_ctx *ctx, rebal_snapshot *snapshot, const struct rebali_derived *kind, uint32_t column,
                    int64_t *sum) {
  void *value = NULL;
  int32_t code = rebali_ctx_begin(ctx, NULL);

  if (code == REBAL_OK) {
    code = rebali_cache_get(ctx, snapshot, kind, rebali_text((const char *)&column, sizeof column), &value, NULL);
    *sum = code == REBAL_OK ? sum_of(value, snapshot) : 0;
    rebali_ctx_end(ctx);
  }
  return code;
}

/* One call that asks for one column, which must be as the snapshot shows it. */
static void ask_kind(rebal_ctx *ctx, rebal_snapshot *snapshot, const struct rebali_derived *kind, uint32_t column) {
  int64_t expected = 0, sum = 0;

  for (uint32_t row = 0; row < rebali_snapshot_rows(snapshot); row++) {
    expected += value_of(snapshot, column, row);
  }
  ck_assert_int_eq(look(ctx, snapshot, kind, column, &sum), REBAL_OK);
  ck_assert_int_eq(sum, expected);
}

static void ask(rebal_ctx *ctx, rebal_snapshot *snapshot, uint32_t column) {
  ask_kind(ctx, snapshot, kind_of(column), column);
}

static rebal_ctx *new_ctx(uint32_t flags, uint64_t max_entries) {
  const rebal_ctx_opts opts = {sizeof opts, flags, 0, max_entries};
  rebal_ctx *ctx = NULL;

  ck_assert_int_eq(rebal_ctx_new(NULL, &opts, &ctx, NULL), REBAL_OK);
  return ctx;
}

static uint64_t entries_of(const rebal_ctx *ctx) {
  uint64_t entries = 0;

  rebal_ctx_cache_size(ctx, NULL, &entries);
  return entries;
}

static uint64_t values_of(const rebal_cache_view *view) {
  uint64_t values = 0, bytes = 0;

  rebal_cache_view_size(view, &bytes, &values);
  ck_assert_uint_ge(bytes, values * sizeof(struct toy));
  return values;
}

static rebal_cache_view *publish(rebal_ctx *ctx, rebal_snapshot *snapshot) {
  rebal_cache_view *view = NULL;

  ck_assert_int_eq(rebal_cache_publish(ctx, snapshot, &view, NULL), REBAL_OK);
  return view;
}

static void adopt(rebal_ctx *ctx, rebal_cache_view *view) {
  ck_assert_int_eq(rebal_ctx_adopt(ctx, view, NULL), REBAL_OK);
}

static rebal_fleet *fleet_of(uint32_t clusters) {
  rebal_fleet *fleet = new_fleet();
  char name[16];

  for (uint32_t i = 0; i < clusters; i++) {
    snprintf(name, sizeof name, "c%u", (unsigned)i);
    add_cluster(fleet, name);
  }
  builds = updates = sums = destroyed = updates_fail = 0;
  return fleet;
}

START_TEST(test_shared) {
  rebal_fleet *fleet = fleet_of(5);
  rebal_snapshot *snapshot = freeze(fleet);
  rebal_ctx *first = new_ctx(0, 0), *second = new_ctx(0, 0), *third = new_ctx(REBAL_CTX_NO_CACHE, 0);
  rebal_cache_view *view;

  ask(first, snapshot, REBAL_CLUSTER_DELETING);
  ask(first, snapshot, REBAL_CLUSTER_HAS_SUMMARY);
  view = publish(first, snapshot);
  ck_assert_uint_eq(values_of(view), 2);
  ck_assert_uint_eq(entries_of(first), 0);
  adopt(second, view);
  adopt(third, view);
  for (int round = 0; round < 2; round++) {
    ask(first, snapshot, REBAL_CLUSTER_DELETING);
    ask(second, snapshot, REBAL_CLUSTER_DELETING);
    ask(third, snapshot, REBAL_CLUSTER_HAS_SUMMARY);
  }
  ck_assert_int_eq(builds, 2);
  ck_assert_int_eq(sums, 2);
  ask(second, snapshot, REBAL_CLUSTER_GENERATION);
  ck_assert_int_eq(builds, 3);
  ck_assert_uint_eq(entries_of(second), 1);
  /* Whoever derived or keeps them may go, and so may the fleet. */
  rebal_ctx_free(first);
  rebal_fleet_free(fleet);
  rebal_cache_view_unref(view);
  ask(second, snapshot, REBAL_CLUSTER_DELETING);
  ck_assert_int_eq(builds, 3);
  rebal_snapshot_unref(snapshot);
  rebal_ctx_free(second);
  ck_assert_int_eq(destroyed, 1);
  rebal_ctx_clear(third);
  ck_assert_int_eq(destroyed, 3);
  rebal_ctx_free(third);
}
END_TEST

/* Who meets a newer snapshot derives its own value and leaves the shared one alone. */
START_TEST(test_never_written) {
  rebal_fleet *fleet = fleet_of(5);
  rebal_snapshot *older = freeze(fleet);
  rebal_snapshot *newer;
  rebal_ctx *first = new_ctx(0, 0), *second = new_ctx(0, 0);
  rebal_cache_view *view;

  ask(first, older, REBAL_CLUSTER_DELETING);
  ask(first, older, REBAL_CLUSTER_HAS_SUMMARY);
  view = publish(first, older);
  adopt(second, view);
  set_i64(fleet, REBAL_CLUSTER_DELETING, 3, 1);
  newer = freeze(fleet);
  ask(first, newer, REBAL_CLUSTER_DELETING);
  ask(first, newer, REBAL_CLUSTER_HAS_SUMMARY); /* still true */
  ck_assert_int_eq(builds, 3);
  ck_assert_int_eq(updates, 0);
  ask(second, older, REBAL_CLUSTER_DELETING);
  ask(first, older, REBAL_CLUSTER_DELETING);
  ck_assert_int_eq(builds, 3);
  adopt(second, NULL);
  ask(second, older, REBAL_CLUSTER_DELETING);
  ck_assert_int_eq(builds, 4);
  ck_assert_uint_eq(entries_of(second), 1);
  rebal_cache_view_unref(view);
  rebal_snapshot_unref(older);
  rebal_snapshot_unref(newer);
  rebal_ctx_free(first);
  rebal_ctx_free(second);
  rebal_fleet_free(fleet);
  ck_assert_int_eq(destroyed, builds);
}
END_TEST

/* What is within the limits of a cache need not be so in a view. */
START_TEST(test_a_view_keeps_the_limits) {
  static const uint32_t columns[3] = {REBAL_CLUSTER_DELETING, REBAL_CLUSTER_GENERATION, REBAL_CLUSTER_REGION};
  const rebal_ctx_opts opts = {sizeof opts, 0, 25000, 0};
  rebal_fleet *fleet = fleet_of(5);
  rebal_snapshot *snapshot = freeze(fleet);
  rebal_ctx *ctx = NULL;
  rebal_cache_view *view;
  uint64_t bytes = 0;

  ck_assert_int_eq(rebal_ctx_new(NULL, &opts, &ctx, NULL), REBAL_OK);
  for (size_t i = 0; i < 3; i++) {
    ask_kind(ctx, snapshot, &swelling_kind, columns[i]);
  }
  ck_assert_uint_eq(entries_of(ctx), 3);
  view = publish(ctx, snapshot);
  ck_assert_uint_eq(values_of(view), 2);
  rebal_cache_view_size(view, &bytes, NULL);
  ck_assert_uint_le(bytes, 25000);
  ck_assert_uint_eq(entries_of(ctx), 1); /* the third stays where it was */
  rebal_cache_view_unref(view);
  rebal_ctx_free(ctx);
  rebal_snapshot_unref(snapshot);
  rebal_fleet_free(fleet);
}
END_TEST

START_TEST(test_published_again) {
  static const uint32_t columns[3] = {REBAL_CLUSTER_DELETING, REBAL_CLUSTER_GENERATION, REBAL_CLUSTER_HAS_SUMMARY};
  rebal_fleet *fleet = fleet_of(5);
  rebal_snapshot *snapshot = freeze(fleet);
  rebal_ctx *ctx = new_ctx(0, 3);
  rebal_cache_view *views[3];

  for (size_t i = 0; i < 3; i++) {
    ask(ctx, snapshot, columns[i]);
  }
  views[0] = publish(ctx, snapshot);
  rebal_snapshot_unref(snapshot);
  set_i64(fleet, REBAL_CLUSTER_HAS_SUMMARY, 1, 1);
  snapshot = freeze(fleet);
  ask(ctx, snapshot, REBAL_CLUSTER_HAS_SUMMARY); /* takes the place of the one in the view; the others stay true */
  ck_assert_int_eq(builds, 4);
  views[1] = publish(ctx, snapshot);
  ck_assert_uint_eq(values_of(views[1]), 3);
  rebal_cache_view_unref(views[0]);
  ck_assert_int_eq(destroyed, 1);
  for (size_t i = 0; i < 3; i++) {
    ask(ctx, snapshot, columns[i]);
  }
  ck_assert_int_eq(builds, 4);
  ask(ctx, snapshot, REBAL_CLUSTER_REGION); /* one more than may be kept */
  views[2] = publish(ctx, snapshot);
  ck_assert_uint_eq(values_of(views[2]), 3);
  rebal_cache_view_unref(views[1]);
  ck_assert_int_eq(destroyed, 2);
  rebal_cache_view_unref(views[2]);
  rebal_snapshot_unref(snapshot);
  /* Nothing of it is true any more, nothing new is known. */
  add_cluster(fleet, "new");
  snapshot = freeze(fleet);
  views[0] = publish(ctx, snapshot);
  ck_assert_uint_eq(values_of(views[0]), 0);
  ck_assert_int_eq(destroyed, builds);
  ask(ctx, snapshot, REBAL_CLUSTER_REGION);
  rebal_cache_view_unref(views[0]);
  rebal_snapshot_unref(snapshot);
  rebal_ctx_free(ctx);
  rebal_fleet_free(fleet);
}
END_TEST

/* What an older snapshot gave is brought up to date; what cannot be shared or is another fleet's stays. */
START_TEST(test_as_of_the_snapshot) {
  rebal_fleet *fleet = fleet_of(5), *other = fleet_of(2);
  rebal_snapshot *snapshot = freeze(fleet), *elsewhere = freeze(other);
  rebal_ctx *ctx = new_ctx(0, 0);
  rebal_cache_view *view;

  ask(ctx, snapshot, REBAL_CLUSTER_DELETING);
  ask(ctx, elsewhere, REBAL_CLUSTER_DELETING);
  ask_kind(ctx, snapshot, &private_kind, REBAL_CLUSTER_DELETING);
  rebal_snapshot_unref(snapshot);
  set_i64(fleet, REBAL_CLUSTER_DELETING, 3, 1);
  add_cluster(fleet, "new");
  snapshot = freeze(fleet);
  view = publish(ctx, snapshot);
  ck_assert_uint_eq(values_of(view), 1);
  ck_assert_uint_eq(entries_of(ctx), 2);
  ask(ctx, snapshot, REBAL_CLUSTER_DELETING);
  ask(ctx, elsewhere, REBAL_CLUSTER_DELETING);
  ck_assert_int_eq(builds, 3);
  ck_assert_int_eq(updates, 1);
  ask_kind(ctx, snapshot, &private_kind, REBAL_CLUSTER_DELETING);
  ck_assert_int_eq(updates, 2);
  rebal_cache_view_unref(view);
  rebal_snapshot_unref(snapshot);
  rebal_snapshot_unref(elsewhere);
  rebal_ctx_free(ctx);
  rebal_fleet_free(fleet);
  rebal_fleet_free(other);
}
END_TEST

START_TEST(test_refused) {
  rebal_fleet *fleet = fleet_of(5);
  rebal_snapshot *snapshot = freeze(fleet);
  rebal_ctx *ctx = new_ctx(0, 0);
  rebal_cache_view *view = NULL;
  rebal_error err = REBAL_ERROR_INIT;

  ck_assert_int_eq(rebali_ctx_begin(ctx, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_cache_publish(ctx, snapshot, &view, NULL), REBAL_ESTATE);
  ck_assert_int_eq(rebal_ctx_adopt(ctx, NULL, NULL), REBAL_ESTATE);
  rebali_ctx_end(ctx);
  ask(ctx, snapshot, REBAL_CLUSTER_DELETING);
  rebal_snapshot_unref(snapshot);
  set_i64(fleet, REBAL_CLUSTER_DELETING, 3, 1);
  snapshot = freeze(fleet);
  updates_fail = 1;
  ck_assert_int_eq(rebal_cache_publish(ctx, snapshot, &view, &err), REBAL_ENOTFOUND);
  ck_assert_str_eq(err.message, "told to fail");
  ck_assert_ptr_null(view);
  ck_assert_uint_eq(entries_of(ctx), 0);
  view = publish(ctx, snapshot);
  ck_assert_uint_eq(values_of(view), 0);
  ck_assert_ptr_eq(rebal_cache_view_ref(view), view);
  rebal_cache_view_unref(view);
  rebal_cache_view_unref(view);
  rebal_snapshot_unref(snapshot);
  rebal_ctx_free(ctx);
  rebal_fleet_free(fleet);
}
END_TEST

/* ---- threads ----------------------------------------------------------------------------------------------------- */

#define ROUNDS 300u
#define READERS 2u

struct reader {
  pthread_t thread;
  rebal_cache_view *view;
  rebal_snapshot *older;
  rebal_snapshot *newer;
  int faults;
};

static int is_right(rebal_ctx *ctx, rebal_snapshot *snapshot, uint32_t column, int64_t expected) {
  int64_t sum = 0;

  return look(ctx, snapshot, kind_of(column), column, &sum) == REBAL_OK && sum == expected;
}

static void *read_together(void *argument) {
  struct reader *reader = argument;

  for (uint32_t round = 0; round < ROUNDS; round++) {
    rebal_ctx *ctx = NULL;
    rebal_cache_view *view = NULL;

    if (rebal_ctx_new(NULL, NULL, &ctx, NULL) != REBAL_OK || rebal_ctx_adopt(ctx, reader->view, NULL) != REBAL_OK) {
      reader->faults++;
    }
    reader->faults += !is_right(ctx, reader->older, REBAL_CLUSTER_DELETING, 500);
    reader->faults += !is_right(ctx, reader->newer, REBAL_CLUSTER_DELETING, 501);
    reader->faults += !is_right(ctx, reader->newer, REBAL_CLUSTER_HAS_SUMMARY, 500);
    reader->faults += rebal_cache_publish(ctx, reader->newer, &view, NULL) != REBAL_OK || values_of(view) != 2;
    rebal_cache_view_unref(view);
    rebal_ctx_free(ctx);
  }
  rebal_cache_view_unref(reader->view);
  return NULL;
}

/* For a checker of races too: the last owners of values and of the view are threads that did not make them. */
START_TEST(test_threads) {
  rebal_fleet *fleet = fleet_of(50);
  rebal_snapshot *older = freeze(fleet), *newer;
  rebal_ctx *ctx = new_ctx(0, 0);
  rebal_cache_view *view;
  struct reader readers[READERS];

  ask(ctx, older, REBAL_CLUSTER_DELETING);
  ask(ctx, older, REBAL_CLUSTER_HAS_SUMMARY);
  view = publish(ctx, older);
  set_i64(fleet, REBAL_CLUSTER_DELETING, 7, 1);
  newer = freeze(fleet);
  for (size_t i = 0; i < READERS; i++) {
    readers[i] = (struct reader){.view = rebal_cache_view_ref(view), .older = older, .newer = newer};
    ck_assert_int_eq(pthread_create(&readers[i].thread, NULL, read_together, &readers[i]), 0);
  }
  rebal_cache_view_unref(view);
  rebal_ctx_free(ctx);
  for (size_t i = 0; i < READERS; i++) {
    ck_assert_int_eq(pthread_join(readers[i].thread, NULL), 0);
    ck_assert_int_eq(readers[i].faults, 0);
  }
  ck_assert_int_eq(destroyed, builds);
  rebal_snapshot_unref(older);
  rebal_snapshot_unref(newer);
  rebal_fleet_free(fleet);
}
END_TEST

/* ---- no memory --------------------------------------------------------------------------------------------------- */

struct pair {
  rebal_snapshot *older;
  rebal_snapshot *newer;
};

static int32_t share(const struct pair *pair, rebal_ctx *first, rebal_ctx *second) {
  rebal_cache_view *view = NULL;
  int64_t sum;
  int32_t code = look(first, pair->older, &cells_kind, REBAL_CLUSTER_DELETING, &sum);

  if (code == REBAL_OK) {
    code = rebal_cache_publish(first, pair->newer, &view, NULL);
  }
  if (code == REBAL_OK) {
    code = rebal_ctx_adopt(second, view, NULL);
  }
  rebal_cache_view_unref(view);
  if (code == REBAL_OK) {
    code = look(second, pair->older, &cells_kind, REBAL_CLUSTER_DELETING, &sum);
  }
  if (code == REBAL_OK) {
    code = rebal_cache_publish(second, pair->older, &view, NULL);
  }
  if (code == REBAL_OK) {
    rebal_cache_view_unref(view);
  }
  return code;
}

static int32_t scenario(const rebal_allocator *allocator, void *user_data) {
  rebal_ctx *first = NULL, *second = NULL;
  int32_t code = rebal_ctx_new(allocator, NULL, &first, NULL);

  if (code == REBAL_OK) {
    code = rebal_ctx_new(allocator, NULL, &second, NULL);
  }
  if (code == REBAL_OK) {
    code = share(user_data, first, second);
  }
  rebal_ctx_free(first);
  rebal_ctx_free(second);
  return code;
}

START_TEST(test_torture_view) {
  rebal_fleet *fleet = fleet_of(5);
  struct pair pair = {freeze(fleet), NULL};

  set_i64(fleet, REBAL_CLUSTER_DELETING, 1, 1);
  add_cluster(fleet, "new");
  pair.newer = freeze(fleet);
  ck_assert_pstr_eq(test_torture(scenario, &pair), NULL);
  rebal_snapshot_unref(pair.older);
  rebal_snapshot_unref(pair.newer);
  rebal_fleet_free(fleet);
}
END_TEST

UNIT_CASE(cache_view) {
  TCase *cases = tcase_create("cache_view");
  tcase_add_test(cases, test_shared);
  tcase_add_test(cases, test_never_written);
  tcase_add_test(cases, test_a_view_keeps_the_limits);
  tcase_add_test(cases, test_published_again);
  tcase_add_test(cases, test_as_of_the_snapshot);
  tcase_add_test(cases, test_refused);
  tcase_add_test(cases, test_threads);
  tcase_add_test(cases, test_torture_view);
  return cases;
}
