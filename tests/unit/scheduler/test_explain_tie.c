/* SPDX-License-Identifier: MIT */
/* What broke a tie, and when there was none. */
#include "explained.h"

#include "../unit.h"
#include "phases_fixture.h"

#include "../../support/allocator.h"

static const struct test_placement one = {.spreads = "cluster:1:1", .scheduling = "Divided/Aggregated"};
static const struct test_placement one_region = {.spreads = "region:1:1", .scheduling = "Divided/Aggregated"};
static const struct test_placement large_region = {.spreads = "region:1:1 cluster:2:3",
                                                   .scheduling = "Divided/Aggregated"};
static const struct test_placement weighted = {.scheduling = "Divided/Weighted", .weights = "m1=1 m2=3"};

static const struct test_cluster alike[] = {{"m1", .allocatable = "pods=4", .region = "b"},
                                            {"m2", .allocatable = "pods=4", .region = "a"},
                                            {"m3", .allocatable = "pods=4", .region = "a"}};
static const struct test_cluster three[] = {{"m1", .allocatable = "pods=8", .region = "b"},
                                            {"m2", .allocatable = "pods=4", .region = "a"},
                                            {"m3", .allocatable = "pods=4", .region = "c"}};

static const struct {
  const struct test_cluster *clusters;
  size_t n_clusters;
  struct test_binding binding;
  const char *reported; /* a part of all sentences */
} rows[] = {
    /* Selection: by capacity, then by name; no tie if scores differ. */
    {three, 3, {.replicas = 2, .placement = &one}, "(rank 2). m1 has the same score, and more capacity.\nm3"},
    {alike,
     3,
     {.replicas = 2, .placement = &one},
     "(rank 2). m1 has the same score and capacity, and is first by name.\n"},
    {alike,
     3,
     {.replicas = 2, .placement = &one, .targets = "m3=1"},
     "m1 is left out: maxGroups 1 allows only others "
     "(rank 2).\n"},
    {three,
     3,
     {.replicas = 2, .placement = &one_region},
     "Region b is left out: it scores 2000 and has capacity for 8 replicas (rank 2, 1 cluster), and maxGroups 1 allows "
     "only other regions. Region a has the same score and as many clusters, and is first by name.\n"
     "Region c is left out: it scores 2000 and has capacity for 4 replicas (rank 3, 1 cluster), and maxGroups 1 allows "
     "only other regions. Region a has the same score and as many clusters, and is first by name.\n"
     "m1 is left out with region b: maxGroups 1 allows only other regions (rank 1).\n"},
    {alike,
     3,
     {.replicas = 5, .placement = &large_region, .targets = "m1=9"},
     "Region b is left out: it scores 5100 and has capacity for 13 replicas (rank 1, 1 cluster), and maxGroups 1 with "
     "2 clusters allows only other regions.\n"
     "Region a is selected: it scores 5000 and has capacity for 8 replicas (rank 2, 2 clusters).\n"},
    /* Division: by the number of replicas, then by name as the uid has it. */
    {alike,
     2,
     {.replicas = 3, .placement = &equal_weight},
     "m1 gets 2 replicas: its weight is 1.\n"
     "m2 gets 1 replica: its weight is 1. m1 had the same claim to the last replica, and is first by name.\n"},
    {alike,
     2,
     {.replicas = 3, .placement = &equal_weight, .uid = "b"},
     "m1 gets 1 replica: its weight is 1. m2 had the same claim to the last replica, and is first by name in "
     "descending order, as the uid of the workload has it.\n"
     "m2 gets 2 replicas: its weight is 1.\n"},
    {alike,
     2,
     {.replicas = 2, .placement = &weighted},
     "m1 gets 1 replica: its weight is 1.\n"
     "m2 gets 1 replica: its weight is 3. m1 had the same claim to the last replica, and fewer replicas.\n"},
    {alike, 2, {.replicas = 4, .placement = &equal_weight}, "m2 gets 2 replicas: its weight is 1.\n"},
    {alike,
     3,
     {.replicas = 1, .placement = &equal_weight},
     "m2 gets nothing: the share of its weight 1 is 0. m1 had the same claim to the last replica, and is first by "
     "name.\n"
     "m3 gets nothing: the share of its weight 1 is 0. m1 had the same claim to the last replica, and is first by "
     "name.\n"},
    /* Aggregated: clusters in use, then by size, then by rank; when it shrinks, in the order of the targets. */
    {alike,
     3,
     {.replicas = 5, .placement = &aggregated},
     "m3 gets nothing: its share is 0. m2 has as much capacity, and ranks higher.\n"},
    {alike, 3, {.replicas = 5, .placement = &aggregated, .targets = "m3=3"}, "m1 gets nothing: its share is 0.\n"},
    {alike,
     3,
     {.replicas = 6, .placement = &aggregated, .targets = "m3=4 m2=4 m1=3"},
     "m1 loses 3 replicas: its share is 0.\n"},
    {alike,
     3,
     {.replicas = 3, .placement = &aggregated, .targets = "m3=4 m2=4"},
     "m2 loses 4 replicas: its share is 0. m3 has as many replicas, and is listed first.\n"},
};

START_TEST(test_ties) {
  const char *reported = schedule_explained(rows[_i].clusters, rows[_i].n_clusters, &rows[_i].binding, NULL);

  ck_assert_msg(strstr(reported, rows[_i].reported) != NULL, "%s\nlacks\n%s", reported, rows[_i].reported);
}
END_TEST

/* A cluster that is full has no claim to more. */
START_TEST(test_limits) {
  static const struct test_cluster full[] = {{"m1", .allocatable = "pods=4"}, {"m2", .allocatable = "pods=1"}};
  static const struct test_binding binding = {.replicas = 3, .request = "", .placement = &equal_weight};
  rebal_schedule_opts opts = *with_option(REBAL_OPTION_STATIC_WEIGHT_CAPACITY, 1);
  const char *reported;

  opts.explain_rows = UINT64_MAX;
  reported = schedule_explained(full, 2, &binding, &opts);
  ck_assert_msg(strstr(reported, "m2 gets 1 replica: its weight is 1.\n") != NULL, "%s", reported);
}
END_TEST

/* The attempt of a group leaves no tie to the next one. */
START_TEST(test_groups) {
  static const struct test_affinity overflow = {.name = "far", .clusters = "m9"};
  static const struct test_affinity groups[] = {
      {.name = "near", .clusters = "m1 m2 m3", .overflow = &overflow, .n_overflow = 1},
      {.name = "all", .clusters = "m1 m2 m3"}};
  static const struct test_cluster clusters[] = {
      {"m1", .allocatable = "pods=3"}, {"m2", .allocatable = "pods=3"}, {"m3", .allocatable = "pods=2"}};
  static const struct test_placement grouped = {.terms = groups, .n_terms = 2, .scheduling = "Divided/Weighted"};
  static const struct test_binding binding = {.replicas = 9, .request = "", .placement = &grouped};

  ck_assert_ptr_nonnull(strstr(schedule_explained(clusters, 3, &binding, NULL),
                               "Affinity group all: m3 gets 3 replicas: its weight is 1.\n"));
}
END_TEST

/* Two targets name one cluster: no tie with itself. */
START_TEST(test_no_tie_with_itself) {
  static const struct test_binding binding = {
      .replicas = 3, .request = "", .placement = &aggregated, .targets = "m1=3 m1=3 m2=3"};
  const char *reported = schedule_explained(alike, 2, &binding, NULL);

  ck_assert_ptr_nonnull(strstr(reported,
                               "m1 goes from 6 replicas to 3 replicas.\n"
                               "m2 loses 3 replicas: its share is 0. m1 has as many replicas, and is listed "
                               "first.\n"));
}
END_TEST

static int32_t explain(const rebal_allocator *allocator, void *user_data) {
  const struct test_world *world = user_data;
  const rebal_schedule_opts opts = explain_opts(UINT64_MAX);
  rebal_ctx *ctx = NULL;
  rebal_result *result = NULL;
  int32_t code = rebal_ctx_new(allocator, NULL, &ctx, NULL);

  code = code == REBAL_OK ? rebal_result_new(allocator, &result, NULL) : code;
  code = code == REBAL_OK ? rebal_schedule(ctx, world->snapshot, world->bindings, &opts, result, NULL) : code;
  rebal_result_free(result);
  rebal_ctx_free(ctx);
  return code;
}

START_TEST(test_out_of_memory) {
  static const size_t reported[] = {3, 6, 10};
  struct test_world world;

  test_world_open(&world, NULL);
  test_world_fill(&world, rows[reported[_i]].clusters, rows[reported[_i]].n_clusters, &rows[reported[_i]].binding);
  ck_assert_pstr_eq(test_torture(explain, &world), NULL);
  test_world_close(&world);
}
END_TEST

UNIT_CASE(explain_tie) {
  TCase *cases = tcase_create("explain_tie");

  tcase_add_test(cases, test_no_tie_with_itself);
  tcase_add_loop_test(cases, test_ties, 0, (int)REBALI_COUNT(rows));
  tcase_add_test(cases, test_limits);
  tcase_add_test(cases, test_groups);
  tcase_add_loop_test(cases, test_out_of_memory, 0, 3);
  return cases;
}
