/* SPDX-License-Identifier: MIT */
/* Bindings that a change of clusters enqueues (rebalance-karmada(7) 2.1). */
#include "phases_fixture.h"

#include "../../support/allocator.h"
#include "../unit.h"

#include <stdio.h>

static const struct test_affinity gold = {.labels = "tier=gold"}, m1 = {.clusters = "m1"};
static const struct test_affinity m1_or_m2[] = {{"one", .clusters = "m1"}, {"two", .clusters = "m2"}};
static const struct test_affinity over[] = {{"spare", .clusters = "m2"}};
static const struct test_affinity overflowing[] = {{"one", .clusters = "m1", .overflow = over, .n_overflow = 1}};
static const struct test_placement anywhere = {.scheduling = "Duplicated"};
static const struct test_placement on_gold = {.affinity = &gold}, on_m1 = {.affinity = &m1};
static const struct test_placement grouped = {.terms = m1_or_m2, .n_terms = 2};
static const struct test_placement with_overflow = {.terms = overflowing, .n_terms = 1};

#define SEEN .generation = 3, .observed_generation = 3

/* Rows of the bindings below, in this order. */
static const struct test_binding bindings[] = {
    {.key = "ns/a", .placement = &anywhere, SEEN},
    {.key = "ns/b", .placement = &on_gold, SEEN},
    {.key = "ns/c", .placement = &on_m1, SEEN},
    {.key = "ns/d", .placement = &grouped, SEEN}, /* observes no group: the first is used */
    {.key = "ns/e", .placement = &grouped, .observed = "two", SEEN},
    {.key = "ns/f", .placement = &grouped, .observed = "gone", SEEN}, /* the first is used */
    {.key = "ns/g", .placement = &grouped, .generation = 4},          /* not scheduled since it changed */
    {.key = "ns/h", .placement = &with_overflow, SEEN},               /* the overflow affinity is ignored */
    {.key = "ns/i", .placement = &anywhere, .suspended = 1},
    {.key = "ns/j", .placement = &anywhere, .scheduler = "other"},
    {.key = "ns/k"},
    {.key = "l", .placement = &anywhere, .unmanaged = 1}, /* the walk ignores labels */
};

struct change {
  struct test_cluster m2;
  int64_t generation;
};

static const struct {
  struct change before, after;
  const char *rows; /* binding:cluster */
} changes[] = {
    /* no change, and changes that enqueue nothing */
    {{{"m2"}, 1}, {{"m2"}, 1}, ""},
    {{{"m2", "cpu=1"}, 1}, {{"m2", "cpu=2"}, 1}, ""},
    {{{"m2", .apis = "v1=Pod"}, 1}, {{"m2"}, 1}, ""},
    {{{"m2", .models = "0:cpu=0", .modelings = "0=1"}, 1}, {{"m2", .models = "0:cpu=0", .modelings = "0=2"}, 1}, ""},
    {{{"m2", .taints = "k:NoExecute"}, 1}, {{"m2"}, 1}, ""}, /* only with another generation */
    /* labels: affinities that match now, and that matched before */
    {{{"m2"}, 1}, {{"m2", .labels = "tier=gold"}, 1}, "0:m2 1:m2 4:m2 6:m2 11:m2 "},
    {{{"m2", .labels = "tier=gold"}, 1}, {{"m2", .labels = "tier=tin"}, 1}, "0:m2 1:m2 4:m2 6:m2 11:m2 "},
    /* another generation */
    {{{"m2"}, 1}, {{"m2"}, 2}, "0:m2 4:m2 6:m2 11:m2 "},
    {{{"m2", .labels = "tier=gold"}, 1}, {{"m2", .labels = "tier=gold"}, 2}, "0:m2 1:m2 4:m2 6:m2 11:m2 "},
    /* no generation: the known part of the spec is compared */
    {{{"m2"}, 0}, {{"m2"}, 5}, ""},
    {{{"m2", .taints = "k:NoExecute"}, 0}, {{"m2"}, 5}, "0:m2 4:m2 6:m2 11:m2 "},
    {{{"m2", .region = "r"}, 0}, {{"m2"}, 0}, "0:m2 4:m2 6:m2 11:m2 "},
    {{{"m2"}, 0}, {{"m2", .provider = "p"}, 0}, "0:m2 4:m2 6:m2 11:m2 "},
    {{{"m2"}, 5}, {{"m2", .zones = "z"}, 0}, "0:m2 4:m2 6:m2 11:m2 "},
    {{{"m2"}, 0}, {{"m2", .models = "0:cpu=0"}, 0}, "0:m2 4:m2 6:m2 11:m2 "},
    /* being deleted now: only affinities that match the cluster now */
    {{{"m2"}, 1}, {{"m2", .deleting = 1}, 1}, "0:m2 4:m2 6:m2 11:m2 "},
    {{{"m2", .labels = "tier=gold"}, 1}, {{"m2", .deleting = 1}, 2}, "0:m2 4:m2 6:m2 11:m2 "},
    {{{"m2", .deleting = 1}, 1}, {{"m2", .deleting = 1}, 1}, ""},
    {{{"m2", .deleting = 1}, 1}, {{"m2", .deleting = 1, .labels = "tier=gold"}, 1}, "0:m2 1:m2 4:m2 6:m2 11:m2 "},
};

static struct test_world world;

static rebal_snapshot *freeze(const struct change *change) {
  rebal_snapshot *snapshot;
  const uint32_t id = test_cluster_id(&world, "m2");

  test_set_cluster(&world, id, &change->m2);
  ck_assert_int_eq(rebal_cells_set_i64(rebal_fleet_cells(world.fleet), REBAL_CLUSTER_GENERATION, REBAL_NONE, id,
                                       change->generation, NULL),
                   REBAL_OK);
  ck_assert_int_eq(rebal_fleet_freeze(world.fleet, &snapshot, NULL), REBAL_OK);
  return snapshot;
}

static void setup(void) {
  static const struct test_cluster clusters[] = {{"m2"}, {"m1"}};

  test_world_open(&world, NULL);
  for (size_t i = 0; i < REBALI_COUNT(clusters); i++) {
    (void)test_add_cluster(&world, &clusters[i]);
  }
  for (size_t i = 0; i < REBALI_COUNT(bindings); i++) {
    (void)test_add_binding(&world, NULL, &bindings[i]);
  }
  test_freeze(&world);
}

static void teardown(void) {
  test_world_close(&world);
}

/* "0:m1 3:m2 " */
static const char *requeued(const rebal_snapshot *snapshot) {
  static char text[256];
  size_t n, len = 0;
  const int64_t *rows = rebal_result_i64(world.result, REBAL_REQUEUED_BINDING, &n);
  const int64_t *ids = rebal_result_i64(world.result, REBAL_REQUEUED_CLUSTER, &n);

  text[0] = '\0';
  for (size_t i = 0; i < n; i++) {
    len += (size_t)snprintf(text + len, sizeof text - len, "%d:%s ", (int)rows[i],
                            test_cluster_name(snapshot, (uint32_t)ids[i]));
    ck_assert_uint_lt(len, sizeof text);
  }
  return text;
}

START_TEST(test_changes) {
  rebal_snapshot *before = freeze(&changes[_i].before), *after = freeze(&changes[_i].after);

  ck_assert_int_eq(rebal_requeue(world.ctx, before, after, world.bindings, NULL, world.result, NULL), REBAL_OK);
  ck_assert_str_eq(requeued(after), changes[_i].rows);
  rebal_snapshot_unref(before);
  rebal_snapshot_unref(after);
}
END_TEST

/* Each binding once, with the first cluster by name; clusters that come or go change nothing. */
START_TEST(test_several_clusters) {
  static const struct change plain = {{"m2"}, 1}, gone_gold = {{"m2", .labels = "tier=gold"}, 1};
  rebal_snapshot *before = freeze(&plain), *after;

  (void)test_add_cluster(&world, &(struct test_cluster){"m0", .labels = "tier=gold"});
  test_set_cluster(&world, test_cluster_id(&world, "m1"), &(struct test_cluster){"m1", .labels = "x=y"});
  after = freeze(&gone_gold);
  ck_assert_int_eq(rebal_requeue(world.ctx, before, after, world.bindings, NULL, world.result, NULL), REBAL_OK);
  ck_assert_str_eq(requeued(after), "0:m1 1:m2 2:m1 3:m1 4:m2 5:m1 6:m1 7:m1 11:m1 ");
  /* and back: m0 is removed */
  ck_assert_int_eq(rebal_requeue(world.ctx, after, before, world.bindings, NULL, world.result, NULL), REBAL_OK);
  ck_assert_str_eq(requeued(before), "0:m1 1:m2 2:m1 3:m1 4:m2 5:m1 6:m1 7:m1 11:m1 ");
  rebal_snapshot_unref(before);
  rebal_snapshot_unref(after);
}
END_TEST

static void set_empty_labels(void) {
  const rebal_record *empty = NULL;
  uint32_t handle = REBAL_NONE;

  ck_assert_int_eq(rebal_builder_start(world.builder, REBAL_OBJECT_LABELS, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_finish(world.builder, &empty, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_intern(world.fleet, empty, &handle, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_cells_set_i64(rebal_fleet_cells(world.fleet), REBAL_CLUSTER_LABELS, REBAL_NONE,
                                       test_cluster_id(&world, "m2"), handle, NULL),
                   REBAL_OK);
}

START_TEST(test_empty_labels_are_absent_ones) {
  static const struct change plain = {{"m2"}, 1}, golden = {{"m2", .labels = "tier=gold"}, 1};
  rebal_snapshot *before = freeze(&plain), *after = NULL, *labelled;

  set_empty_labels();
  ck_assert_int_eq(rebal_fleet_freeze(world.fleet, &after, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_requeue(world.ctx, before, after, world.bindings, NULL, world.result, NULL), REBAL_OK);
  ck_assert_str_eq(requeued(after), "");
  labelled = freeze(&golden);
  ck_assert_int_eq(rebal_requeue(world.ctx, after, labelled, world.bindings, NULL, world.result, NULL), REBAL_OK);
  ck_assert_str_eq(requeued(labelled), "0:m2 1:m2 4:m2 6:m2 11:m2 ");
  rebal_snapshot_unref(before);
  rebal_snapshot_unref(after);
  rebal_snapshot_unref(labelled);
}
END_TEST

START_TEST(test_another_scheduler) {
  static const char name[] = "other";
  static const rebal_schedule_opts opts = {
      .struct_size = sizeof opts, .scheduler_name = name, .scheduler_name_len = sizeof name - 1};
  static const struct change plain = {{"m2"}, 1}, later = {{"m2"}, 2};
  rebal_snapshot *before = freeze(&plain), *after = freeze(&later);

  ck_assert_int_eq(rebal_requeue(world.ctx, before, after, world.bindings, &opts, world.result, NULL), REBAL_OK);
  ck_assert_str_eq(requeued(after), "9:m2 ");
  rebal_snapshot_unref(before);
  rebal_snapshot_unref(after);
}
END_TEST

START_TEST(test_what_does_not_fit_together) {
  static const rebal_schedule_opts signing = {.struct_size = sizeof signing, .flags = REBAL_SCHEDULE_FLAG_FINGERPRINT};
  struct test_world other;

  test_world_open(&other, NULL);
  test_freeze(&other);
  ck_assert_int_eq(rebal_requeue(world.ctx, other.snapshot, world.snapshot, world.bindings, NULL, world.result, NULL),
                   REBAL_EMISMATCH);
  ck_assert_int_eq(
      rebal_requeue(world.ctx, world.snapshot, world.snapshot, world.bindings, &signing, world.result, NULL),
      REBAL_EUNSUPPORTED);
  ck_assert_int_eq(rebal_requeue(NULL, world.snapshot, world.snapshot, world.bindings, NULL, world.result, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_requeue(world.ctx, NULL, world.snapshot, world.bindings, NULL, world.result, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_requeue(world.ctx, world.snapshot, NULL, world.bindings, NULL, world.result, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_requeue(world.ctx, world.snapshot, world.snapshot, NULL, NULL, world.result, NULL),
                   REBAL_EINVAL);
  test_world_close(&other);
}
END_TEST

struct pair {
  rebal_snapshot *before, *after;
};

static int32_t requeue_all(const rebal_allocator *allocator, void *user_data) {
  const struct pair *pair = user_data;
  rebal_ctx *ctx = NULL;
  rebal_result *result = NULL;
  int32_t code = rebal_ctx_new(allocator, NULL, &ctx, NULL);

  code = code == REBAL_OK ? rebal_result_new(allocator, &result, NULL) : code;
  if (code == REBAL_OK) {
    code = rebal_requeue(ctx, pair->before, pair->after, world.bindings, NULL, result, NULL);
  }
  rebal_result_free(result);
  rebal_ctx_free(ctx);
  return code;
}

START_TEST(test_without_memory) {
  static const struct change plain = {{"m2"}, 1}, later = {{"m2", .labels = "tier=gold"}, 2};
  struct pair pair = {freeze(&plain), freeze(&later)};
  ck_assert_pstr_eq(test_torture(requeue_all, &pair), NULL);
  rebal_snapshot_unref(pair.before);
  rebal_snapshot_unref(pair.after);
}
END_TEST

UNIT_CASE(requeue) {
  TCase *cases = tcase_create("requeue");

  tcase_set_timeout(cases, 60);
  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_loop_test(cases, test_changes, 0, (int)REBALI_COUNT(changes));
  tcase_add_test(cases, test_several_clusters);
  tcase_add_test(cases, test_empty_labels_are_absent_ones);
  tcase_add_test(cases, test_another_scheduler);
  tcase_add_test(cases, test_what_does_not_fit_together);
  tcase_add_test(cases, test_without_memory);
  return cases;
}
