/* SPDX-License-Identifier: MIT */
/* The clusters on which a result depends: losses of others do not change it, and the binding is not decided again. */
#include "../../support/allocator.h"
#include "../../support/fleet_builder.h"
#include "../unit.h"

#include <stdio.h>

static const struct test_cluster clusters[] = {{"m1", "cpu=5 pods=100", .region = "eu"},
                                               {"m2", "cpu=8 pods=100", .region = "eu"},
                                               {"m3", "cpu=9 pods=100", .region = "us"},
                                               {"m4", "cpu=2 pods=100", .region = "us"}};
#define CLUSTERS (sizeof clusters / sizeof clusters[0])

static int64_t cell(const struct test_world *world, uint32_t column, size_t row) {
  return rebal_result_i64(world->result, column, NULL)[row];
}

/* Each cluster is lost in turn: "missing/moved/decided" with each loss. option: the one that is 1, if any. */
static const char *sweep_with(const struct test_binding *binding, uint32_t option) {
  static char text[256];
  rebal_compat *compat = test_compat(option, 1);
  const rebal_schedule_opts schedule = {.struct_size = (uint32_t)sizeof schedule, .compat = compat};
  const rebal_sweep_opts opts = {.struct_size = (uint32_t)sizeof opts, .schedule = &schedule};
  struct test_world world;
  size_t len = 0;

  test_world_open(&world, NULL);
  test_world_fill(&world, clusters, CLUSTERS, binding);
  ck_assert_int_eq(rebal_sweep(world.ctx, world.snapshot, world.bindings, &opts, world.result, &world.err), REBAL_OK);
  for (size_t i = 0; i < CLUSTERS; i++) {
    len += (size_t)snprintf(text + len, sizeof text - len, "%s%d/%d/%d", i == 0 ? "" : " ",
                            (int)cell(&world, REBAL_SWEPT_MISSING, i), (int)cell(&world, REBAL_SWEPT_MOVED, i),
                            (int)cell(&world, REBAL_SWEPT_DECIDED, i));
  }
  test_world_close(&world);
  rebal_compat_free(compat);
  return text;
}

static const struct test_affinity m2_and_m3 = {.clusters = "m2 m3"};
static const struct test_affinity m1_then_more = {
    .name = "g", .clusters = "m1", .overflow = &m2_and_m3, .n_overflow = 1};
static const struct test_placement dynamic = {.scheduling = "Divided/Weighted/AvailableReplicas"},
                                   only_m1 = {.scheduling = "Divided/Weighted", .weights = "m1=1"},
                                   unweighted = {.scheduling = "Divided/Weighted"},
                                   two = {.scheduling = "Divided/Aggregated", .spreads = "cluster:2:2"},
                                   one_of_two = {.scheduling = "Divided/Aggregated", .spreads = "cluster:2:1"},
                                   tiered = {.scheduling = "Divided/Aggregated", .terms = &m1_then_more, .n_terms = 1},
                                   some = {.scheduling = "Divided/Aggregated", .spreads = "cluster:1:2"};

static const struct {
  struct test_binding binding;
  uint32_t option;
  const char *swept;
} cases[] = {
    /* a list of weights: without m1 all others weigh 1 */
    {{.replicas = 12, .request = "cpu=1", .placement = &only_m1},
     REBAL_OPTION_STATIC_WEIGHT_CAPACITY,
     "0/0/1 12/0/1 12/0/1 12/0/1"},
    {{.replicas = 8, .placement = &unweighted, .targets = "m1=2 m2=2 m3=2 m4=2"},
     REBAL_OPTION_NONE,
     "0/2/1 0/2/1 0/2/1 0/2/1"},
    /* a target without a cluster does not count */
    {{.replicas = 3, .request = "cpu=1", .placement = &dynamic, .targets = "?=2 m1=3"},
     REBAL_OPTION_NONE,
     "0/3/1 0/0/0 0/0/0 0/0/0"},
    /* in part */
    {{.replicas = 30, .request = "cpu=1", .placement = &dynamic},
     REBAL_OPTION_PARTIAL_PLACEMENT,
     "11/0/1 14/0/1 15/0/1 8/0/1"},
    {{.replicas = 3, .request = "cpu=10", .placement = &dynamic},
     REBAL_OPTION_PARTIAL_PLACEMENT,
     "3/0/1 3/0/1 3/0/1 3/0/1"},
    /* two targets lack capacity together: one is exchanged */
    {{.replicas = 12, .request = "cpu=1", .placement = &two, .targets = "m1=1 m4=1"},
     REBAL_OPTION_NONE,
     "0/1/1 0/1/1 0/1/1 0/1/1"},
    /* fewer are selected than must be available */
    {{.replicas = 4, .request = "cpu=1", .placement = &one_of_two, .targets = "m3=4"},
     REBAL_OPTION_NONE,
     "0/0/1 0/0/1 0/4/1 0/0/1"},
    /* the tiers together lack capacity */
    {{.replicas = 30, .request = "cpu=1", .placement = &tiered}, REBAL_OPTION_NONE, "30/0/1 30/0/1 30/0/1 30/0/0"},
    {{.replicas = 4, .request = "cpu=1", .placement = &some, .targets = "m3=4"},
     REBAL_OPTION_NONE,
     "0/0/0 0/0/1 0/4/1 0/0/0"},
};

START_TEST(test_each_cluster_is_lost_once) {
  struct test_binding binding = cases[_i].binding;

  binding.key = "a/b";
  ck_assert_str_eq(sweep_with(&binding, cases[_i].option), cases[_i].swept);
}
END_TEST

static int32_t sweep_alone(const rebal_allocator *allocator, void *user_data) {
  const struct test_world *world = user_data;
  rebal_ctx *ctx = NULL;
  rebal_result *result = NULL;
  int32_t code = rebal_ctx_new(allocator, NULL, &ctx, NULL);

  code = code == REBAL_OK ? rebal_result_new(allocator, &result, NULL) : code;
  code = code == REBAL_OK ? rebal_sweep(ctx, world->snapshot, world->bindings, NULL, result, NULL) : code;
  rebal_result_free(result);
  rebal_ctx_free(ctx);
  return code;
}

/* Two groups that lack capacity: finds a cluster of the first one. */
START_TEST(test_a_refusal_of_groups_without_memory) {
  static const struct test_affinity groups[] = {{.name = "a", .clusters = "m1 m2"}, {.name = "b", .clusters = "m3"}};
  static const struct test_placement placement = {.scheduling = "Divided/Aggregated", .terms = groups, .n_terms = 2};
  static const struct test_binding binding = {"a/b", .replicas = 50, .request = "cpu=1", .placement = &placement};
  struct test_world world;

  test_world_open(&world, NULL);
  test_world_fill(&world, clusters, CLUSTERS, &binding);
  ck_assert_pstr_eq(test_torture(sweep_alone, &world), NULL);
  test_world_close(&world);
}
END_TEST

/* The last three of 70 clusters are feasible, and too small: it is enough to examine one of them. */
START_TEST(test_a_refusal_depends_on_one_cluster_of_many) {
  static const struct test_affinity last = {.clusters = "f67 f68 f69"};
  static const struct test_placement placement = {.scheduling = "Divided/Aggregated", .affinity = &last};
  static const struct test_binding binding = {"a/b", .replicas = 9, .request = "cpu=1", .placement = &placement};
  struct test_world world;
  int64_t decided = 0;

  test_world_open(&world, NULL);
  for (int i = 0; i < 70; i++) {
    char name[16];

    (void)snprintf(name, sizeof name, "f%d", i);
    (void)test_add_cluster(&world, &(struct test_cluster){name, "cpu=2 pods=10"});
  }
  (void)test_add_binding(&world, NULL, &binding);
  test_freeze(&world);
  ck_assert_int_eq(rebal_sweep(world.ctx, world.snapshot, world.bindings, NULL, world.result, &world.err), REBAL_OK);
  for (size_t i = 0; i < 70; i++) {
    ck_assert_int_eq(cell(&world, REBAL_SWEPT_MISSING, i), 9);
    decided += cell(&world, REBAL_SWEPT_DECIDED, i);
  }
  ck_assert_int_eq(decided, 1);
  test_world_close(&world);
}
END_TEST

UNIT_CASE(support) {
  TCase *tests = tcase_create("support");
  tcase_add_loop_test(tests, test_each_cluster_is_lost_once, 0, sizeof cases / sizeof cases[0]);
  tcase_add_test(tests, test_a_refusal_depends_on_one_cluster_of_many);
  tcase_add_test(tests, test_a_refusal_of_groups_without_memory);
  return tests;
}
