/* SPDX-License-Identifier: MIT */
/* Which candidates are listed; the tests of laws check that they suffice. */
#include "phases_fixture.h"

#include "scheduler/fast/fast.h"

#include "../../support/allocator.h"
#include "../unit.h"

#include <stdio.h>

#define NOT_LISTED "-"

static const struct test_cluster clusters[] = {{.name = "a", .allocatable = "pods=3"},
                                               {.name = "b", .allocatable = "pods=9"},
                                               {.name = "c", .allocatable = "pods=0"},
                                               {.name = "d", .allocatable = "pods=5"},
                                               {.name = "e", .allocatable = "pods=9"}};
static const struct test_cluster unlimited[] = {{.name = "a", .allocatable = "pods=3"},
                                                {.name = "b", .allocatable = "pods=3000000000"}};
static const struct test_affinity all_but_b = {.exclude = "b"};
static const struct test_placement best_two = {.scheduling = "Divided/Aggregated", .spreads = "cluster:1:2"};
static const struct test_placement without_b = {.affinity = &all_but_b, .scheduling = "Divided/Aggregated"};

static const struct expected {
  const char *name;
  const struct test_placement *placement;
  int64_t replicas;
  const char *targets;
  const char *listed; /* in order; NOT_LISTED: there is no short list */
} cases[] = {
    {"by weight no more than there are replicas", &dynamic_weight, 2, NULL, "b e"},
    {"by weight all, where each may win a seat", &dynamic_weight, 5, NULL, "a b c d e"},
    {"aggregated until there is enough", &aggregated, 9, NULL, "b"},
    {"aggregated, one more", &aggregated, 10, NULL, "b e"},
    {"nothing that is not feasible", &without_b, 10, NULL, "e d"},
    {"the first two, for a selection of two", &best_two, 4, NULL, "b e"},
    {"targets before all others, though they offer less", &aggregated, 9, "c=1 d=2", "d c b"},
    {"targets that name no cluster are none", &aggregated, 9, "c=1 ?=3 d=2", "d c b"},
    {"copies are placed, not listed", &duplicated, 2, NULL, ""},
};

static const char *list(const struct test_cluster *fleet, size_t n, const struct test_binding *binding,
                        uint32_t flags) {
  static char text[128];
  struct phases_fixture fixture;
  int is_listed = 0;

  phases_open(&fixture, fleet, n, binding);
  fixture.opts.flags |= flags;
  phases_run(&fixture, 1);
  fixture.pass.is_final = 1;
  ck_assert_int_eq(rebali_shortlist(&fixture.pass, &is_listed), REBAL_OK);
  ck_assert(is_listed || fixture.pass.n_candidates == 0);
  (void)snprintf(text, sizeof text, "%s", is_listed ? phases_candidates(&fixture) : NOT_LISTED);
  phases_close(&fixture);
  return text;
}

START_TEST(test_lists_what_is_enough) {
  const struct expected *expected = &cases[_i];
  const struct test_binding binding = {
      .replicas = expected->replicas, .request = "", .placement = expected->placement, .targets = expected->targets};

  ck_assert_msg(strcmp(list(clusters, REBALI_COUNT(clusters), &binding, 0), expected->listed) == 0, "%s: %s",
                expected->name, list(clusters, REBALI_COUNT(clusters), &binding, 0));
}
END_TEST

START_TEST(test_copies_are_placed) {
  const struct test_binding binding = {.replicas = 2, .request = "", .placement = &duplicated};
  struct phases_fixture fixture;
  int is_listed = 0;

  phases_open(&fixture, clusters, REBALI_COUNT(clusters), &binding);
  phases_run(&fixture, 1);
  fixture.pass.is_final = 1;
  ck_assert_int_eq(rebali_shortlist(&fixture.pass, &is_listed), REBAL_OK);
  ck_assert(is_listed);
  ck_assert_uint_eq(fixture.pass.n_placed, REBALI_COUNT(clusters));
  ck_assert_int_eq(fixture.pass.placed[0].replicas, 2);
  phases_close(&fixture);
}
END_TEST

/* Nothing is listed if something else distinguishes clusters, or if one has no limit. */
START_TEST(test_lists_nothing) {
  const struct test_binding binding = {.replicas = 4, .request = "", .placement = &aggregated};

  ck_assert_str_eq(list(unlimited, REBALI_COUNT(unlimited), &binding, 0), NOT_LISTED);
  ck_assert_str_eq(list(clusters, REBALI_COUNT(clusters), &binding, REBAL_SCHEDULE_FLAG_NO_SUMMARY), NOT_LISTED);
  ck_assert_str_eq(list(clusters, REBALI_COUNT(clusters), &binding, REBAL_SCHEDULE_FLAG_NODES), NOT_LISTED);
}
END_TEST

/* Adds clusters that alternate between n_regions regions, each with one more free pod than the one before. */
static void add_regional(struct test_world *world, int first, int end, int n_regions) {
  for (int i = first; i < end; i++) {
    char name[16], region[16], pods[24];
    const struct test_cluster cluster = {name, pods, .region = region};

    (void)snprintf(name, sizeof name, "c%03d", i);
    (void)snprintf(region, sizeof region, "r%02d", i % n_regions);
    (void)snprintf(pods, sizeof pods, "pods=%d", i + 1);
    (void)test_add_cluster(world, &cluster);
  }
}

/* Calls rebal_schedule() for one binding after adding clusters up to each of the ends. */
static const char *schedule_regional(const struct test_binding *binding, const int *ends, size_t n, int n_regions) {
  static char answer[256];
  struct test_world world;

  test_world_open(&world, NULL);
  (void)test_add_binding(&world, NULL, binding);
  for (size_t i = 0; i < n; i++) {
    add_regional(&world, i == 0 ? 0 : ends[i - 1], ends[i], n_regions);
    test_freeze(&world);
    (void)snprintf(answer, sizeof answer, "%s", test_schedule(&world, NULL, 0));
  }
  test_world_close(&world);
  return answer;
}

static const struct test_placement two_regions = {.spreads = "region:1:2 cluster:1:3",
                                                  .scheduling = "Divided/Aggregated"};

/* Cached data of regions are kept while the fleet grows past the end of a word of bits. */
START_TEST(test_regions_of_a_fleet_that_grows) {
  static const struct test_binding binding = {.replicas = 300, .request = "", .placement = &two_regions};
  static const int ends[] = {60, 70, 140};
  char at_once[256];

  (void)snprintf(at_once, sizeof at_once, "%s", schedule_regional(&binding, &ends[2], 1, 3));
  ck_assert_str_eq(at_once, "c132:98 c135:100 c138:102");
  ck_assert_str_eq(schedule_regional(&binding, ends, REBALI_COUNT(ends), 3), at_once);
}
END_TEST

/* More regions than the short list counts: the answer is that of all clusters. */
START_TEST(test_many_regions) {
  static const struct test_binding binding = {.replicas = 2, .request = "", .placement = &two_regions};
  static const int end = 40;

  ck_assert_str_eq(schedule_regional(&binding, &end, 1, 40),
                   "error: failed to select clusters: 40 regions, but at most 20 can be searched for the best subset");
}
END_TEST

/* A world whose decision needs more of an order than is sorted at first, and the expected answer. */
struct large {
  struct test_world world;
  const char *answer; /* of all clusters; NULL: copies */
  size_t n_targets;   /* of copies: these are placed first */
};

static int32_t schedule_large(const rebal_allocator *allocator, void *user_data) {
  struct large *large = user_data;
  struct test_world *world = &large->world;
  rebal_ctx *ctx = NULL;
  int32_t code = rebal_ctx_new(allocator, NULL, &ctx, NULL);

  code = code == REBAL_OK ? rebal_schedule(ctx, world->snapshot, world->bindings, NULL, world->result, NULL) : code;
  if (code == REBAL_OK && large->answer != NULL) {
    ck_assert_str_eq(test_answer(world->result, world->snapshot, 0), large->answer);
  }
  for (size_t i = 0; code == REBAL_OK && large->answer == NULL && i < large->n_targets + 10; i++) {
    const size_t most = i < large->n_targets ? large->n_targets : large->n_targets + 10;
    size_t n;

    /* In each part clusters with more capacity come first. */
    ck_assert_int_eq(rebal_result_i64(world->result, REBAL_PLACED_CLUSTER, &n)[i],
                     (int64_t)(most - 1 - (i < large->n_targets ? i : i - large->n_targets)));
    ck_assert_uint_eq(n, large->n_targets + 10);
    ck_assert_int_eq(rebal_result_i64(world->result, REBAL_PLACED_REPLICAS, &n)[i], 2);
  }
  rebal_ctx_free(ctx);
  return code;
}

/* More targets than are listed one by one. */
START_TEST(test_copies_of_many_targets_out_of_memory) {
  char targets[400] = "";
  const struct test_binding binding = {.replicas = 2, .request = "", .placement = &duplicated, .targets = targets};
  struct large large = {.n_targets = 40};

  test_world_open(&large.world, NULL);
  add_regional(&large.world, 0, 50, 1);
  for (int i = 0; i < 40; i++) {
    const size_t len = strlen(targets);

    (void)snprintf(targets + len, sizeof targets - len, "%sc%03d=1", i == 0 ? "" : " ", i);
  }
  (void)test_add_binding(&large.world, NULL, &binding);
  test_freeze(&large.world);
  ck_assert_pstr_eq(test_torture(schedule_large, &large), NULL);
  test_world_close(&large.world);
}
END_TEST

/* The only feasible cluster is the last by weight, as all weights are equal. */
START_TEST(test_the_last_by_weight_out_of_memory) {
  static const struct test_affinity last = {.clusters = "c399"};
  static const struct test_placement placement = {.affinity = &last, .scheduling = "Divided/Weighted"};
  static const struct test_binding binding = {.replicas = 3, .request = "", .placement = &placement};
  struct large large = {.answer = "c399:3"};

  test_world_open(&large.world, NULL);
  add_regional(&large.world, 0, 400, 1);
  (void)test_add_binding(&large.world, NULL, &binding);
  test_freeze(&large.world);
  ck_assert_pstr_eq(test_torture(schedule_large, &large), NULL);
  test_world_close(&large.world);
}
END_TEST

/* One of two regions has only the cluster with the least capacity. */
START_TEST(test_the_last_of_a_region_out_of_memory) {
  static const struct test_placement placement = {.spreads = "region:2:2 cluster:2:2",
                                                  .scheduling = "Divided/Aggregated"};
  static const struct test_binding binding = {.replicas = 390, .request = "", .placement = &placement};
  struct large large = {.answer = "c399:390"};

  test_world_open(&large.world, NULL);
  (void)test_add_cluster(&large.world, &(struct test_cluster){"b", "pods=1", .region = "r99"});
  add_regional(&large.world, 1, 400, 1);
  (void)test_add_binding(&large.world, NULL, &binding);
  test_freeze(&large.world);
  ck_assert_pstr_eq(test_torture(schedule_large, &large), NULL);
  test_world_close(&large.world);
}
END_TEST

UNIT_CASE(shortlist) {
  TCase *tests = tcase_create("shortlist");

  tcase_add_loop_test(tests, test_lists_what_is_enough, 0, (int)REBALI_COUNT(cases));
  tcase_add_test(tests, test_copies_are_placed);
  tcase_add_test(tests, test_lists_nothing);
  tcase_add_test(tests, test_regions_of_a_fleet_that_grows);
  tcase_add_test(tests, test_many_regions);
  tcase_add_test(tests, test_copies_of_many_targets_out_of_memory);
  tcase_add_test(tests, test_the_last_by_weight_out_of_memory);
  tcase_add_test(tests, test_the_last_of_a_region_out_of_memory);
  return tests;
}
