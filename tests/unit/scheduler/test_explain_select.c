/* SPDX-License-Identifier: MIT */
/* Which clusters were selected or left out, and by which limit. */
#include "explained.h"

#include "../unit.h"

static const struct test_placement at_most_two = {.spreads = "cluster:1:2", .scheduling = "Divided/Aggregated"};
static const struct test_placement all_of_them = {.spreads = "cluster:1:2", .scheduling = "Divided/Weighted"};
static const struct test_placement two_regions = {.spreads = "region:1:1 cluster:1:2",
                                                  .scheduling = "Divided/Aggregated"};
static const struct test_placement one_each = {.spreads = "region:1:1", .scheduling = "Divided/Aggregated"};

static const struct test_placement too_many = {.spreads = "region:3:3", .scheduling = "Divided/Aggregated"};
static const struct test_placement too_many_clusters = {.spreads = "region:1:1 cluster:4:4",
                                                        .scheduling = "Divided/Aggregated"};

static const struct test_cluster clusters[] = {
    {"a1", .allocatable = "pods=1", .region = "a"},
    {"a2", .allocatable = "pods=9", .region = "a"},
    {"a3", .allocatable = "pods=2", .region = "a"},
    {"b1", .allocatable = "pods=3", .region = "b"},
};

static const struct {
  struct test_binding binding;
  const char *reported;
} rows[] = {
    /* No constraint, or one that static weights ignore: all clusters, by rank. */
    {{.replicas = 1, .placement = &aggregated},
     "a2 is selected (rank 1).\nb1 is selected (rank 2).\na3 is selected (rank 3).\na1 is selected (rank 4).\n"},
    {{.replicas = 1, .placement = &all_of_them},
     "a2 is selected (rank 1).\nb1 is selected (rank 2).\na3 is selected (rank 3).\na1 is selected (rank 4).\n"},
    {{.replicas = 1, .placement = &at_most_two},
     "a2 is selected (rank 1).\n"
     "b1 is selected (rank 2).\n"
     "a3 is left out: maxGroups 2 allows only others (rank 3). b1 has the same score, and more capacity.\n"
     "a1 is left out: maxGroups 2 allows only others (rank 4). b1 has the same score, and more capacity.\n"},
    /* Targets rank first, and the lower of them is replaced by a cluster with more capacity. */
    {{.replicas = 11, .placement = &at_most_two, .targets = "a1=1 b1=1"},
     "b1 is selected (rank 1).\n"
     "a1 is left out: a cluster with more capacity than its 2 replicas took its place (rank 2).\n"
     "a2 is selected (rank 3).\n"
     "a3 is left out: maxGroups 2 allows only others (rank 4). a2 has the same score, and more capacity.\n"},
    {{.replicas = 1, .placement = &two_regions},
     "Region a is selected: it scores 1000 and has capacity for 12 replicas (rank 1, 3 clusters).\n"
     "Region b is left out: it scores 1000 and has capacity for 3 replicas (rank 2, 1 cluster), and maxGroups 1 allows "
     "only other regions. Region a has the same score, and more clusters.\n"
     "a2 is selected for region a (rank 1).\n"
     "b1 is left out with region b: maxGroups 1 allows only other regions (rank 2).\n"
     "a3 is selected for region a (rank 3).\n"
     "a1 is left out: maxGroups 2 allows only others (rank 4). a3 has the same score, and more capacity.\n"},
    {{.replicas = 5, .placement = &one_each},
     "Region a is selected: it scores 5000 and has capacity for 12 replicas (rank 1, 3 clusters).\n"
     "Region b is left out: it scores 3000 and has capacity for 3 replicas (rank 2, 1 cluster), and maxGroups 1 allows "
     "only other regions.\n"
     "a2 is selected for region a (rank 1).\n"
     "b1 is left out with region b: maxGroups 1 allows only other regions (rank 2).\n"
     "a3 is left out: region a is represented by a better cluster (rank 3). a2 has the same score, and more capacity.\n"
     "a1 is left out: region a is represented by a better cluster (rank 4). a2 has the same score, and more "
     "capacity.\n"},
    /* A refusal, after the regions that were found. */
    {{.replicas = 5, .placement = &too_many},
     "Region a scores 2000 and has capacity for 12 replicas (rank 1, 3 clusters), but minGroups 3 is required.\n"
     "Region b scores 2000 and has capacity for 3 replicas (rank 2, 1 cluster), but minGroups 3 is required.\n"
     "default/web is refused by the select stage: failed to select clusters: the number of feasible region is less "
     "than "
     "spreadConstraint.MinGroups"},
    {{.replicas = 5, .placement = &too_many_clusters},
     "Region a scores 5000 and has capacity for 12 replicas (rank 1, 3 clusters), but minGroups 1 with 4 clusters is "
     "required.\n"
     "Region b scores"},
};

/* The sentences of the select stage follow those of filter and score, and precede those of assign. */
START_TEST(test_selections) {
  const char *reported = schedule_explained(clusters, REBALI_COUNT(clusters), &rows[_i].binding, NULL);

  for (size_t i = 0; i < 2 * REBALI_COUNT(clusters); i++) {
    reported = strchr(reported, '\n') + 1;
  }
  ck_assert_msg(strncmp(reported, rows[_i].reported, strlen(rows[_i].reported)) == 0, "%s\ninstead of\n%s", reported,
                rows[_i].reported);
}
END_TEST

static int64_t cell(const struct test_world *world, uint32_t column, size_t row) {
  size_t n;

  return rebal_result_i64(world->result, column, &n)[row];
}

START_TEST(test_columns) {
  const rebal_schedule_opts opts = explain_opts(UINT64_MAX);
  struct test_world world;

  test_world_open(&world, NULL);
  test_world_fill(&world, clusters, REBALI_COUNT(clusters), &rows[4].binding);
  ck_assert_int_eq(rebal_schedule(world.ctx, world.snapshot, world.bindings, &opts, world.result, NULL), REBAL_OK);
  for (uint32_t row = 8; row <= 11; row++) {
    ck_assert_int_eq(cell(&world, REBAL_EXPLAIN_STAGE, row), REBAL_STAGE_SELECT);
  }
  ck_assert_int_eq(cell(&world, REBAL_EXPLAIN_CLUSTER, 9), REBAL_ABSENT);
  ck_assert_int_eq(cell(&world, REBAL_EXPLAIN_VERDICT, 9), REBAL_WHY_GROUP_LEFT_OUT);
  ck_assert_int_eq(cell(&world, REBAL_EXPLAIN_FIELD, 9), REBAL_SPREAD_CONSTRAINT_SPREAD_BY_FIELD);
  ck_assert_int_eq(cell(&world, REBAL_EXPLAIN_SCORE, 9), 1000);
  ck_assert_int_eq(cell(&world, REBAL_EXPLAIN_AVAILABLE, 9), 3);
  ck_assert_int_eq(cell(&world, REBAL_EXPLAIN_TIE, 9), REBAL_TIE_CLUSTERS);
  ck_assert_str_eq(rebal_result_text(world.result, REBAL_EXPLAIN_PEER, 9, NULL), "a");
  ck_assert_int_eq(cell(&world, REBAL_EXPLAIN_TIE, 8), REBAL_ABSENT);
  ck_assert_int_eq(cell(&world, REBAL_EXPLAIN_VERDICT, 11), REBAL_WHY_GROUP_LEFT_OUT);
  ck_assert_int_eq(cell(&world, REBAL_EXPLAIN_FIELD, 11), REBAL_SPREAD_CONSTRAINT_MAX_GROUPS);
  ck_assert_int_eq(cell(&world, REBAL_EXPLAIN_AVAILABLE, 11), 3);
  ck_assert_str_eq(rebal_result_text(world.result, REBAL_EXPLAIN_GROUP, 11, NULL), "b");
  ck_assert_str_eq(rebal_result_text(world.result, REBAL_EXPLAIN_EXPECTED, 11, NULL), "maxGroups 1");
  ck_assert_str_eq(rebal_result_text(world.result, REBAL_EXPLAIN_FOUND, 11, NULL), "rank 2");
  test_world_close(&world);
}
END_TEST

/*
 * Regions t and m are chosen: t, m and s are the best set that the search reaches, and t with m suffice of it. Region b
 * has the score of m and more clusters, but each set of b with t and another region already suffices without b. So no
 * tie is reported.
 */
START_TEST(test_a_smaller_region_of_the_same_score) {
  static const struct test_cluster regions[] = {
      {"m1", .allocatable = "pods=10", .region = "m"}, {"b1", .allocatable = "pods=4", .region = "b"},
      {"b2", .allocatable = "pods=3", .region = "b"},  {"b3", .allocatable = "pods=2", .region = "b"},
      {"b4", .allocatable = "pods=1", .region = "b"},  {"t1", .allocatable = "pods=5", .region = "t"},
      {"t2", .allocatable = "pods=4", .region = "t"},  {"t3", .allocatable = "pods=3", .region = "t"},
      {"s1", .allocatable = "pods=3", .region = "s"},  {"s2", .allocatable = "pods=2", .region = "s"}};
  static const struct test_placement placement = {.spreads = "region:1:3 cluster:4:9",
                                                  .scheduling = "Divided/Aggregated"};
  static const struct test_binding binding = {.replicas = 22, .placement = &placement};
  const char *reported = schedule_explained(regions, REBALI_COUNT(regions), &binding, NULL);

  ck_assert_ptr_nonnull(strstr(reported,
                               "Region m is selected: it scores 10000 and has capacity for 10 replicas (rank 3, 1 "
                               "cluster).\n"));
  ck_assert_ptr_nonnull(strstr(reported,
                               "Region b is left out: it scores 10000 and has capacity for 10 replicas (rank 2, 4 "
                               "clusters), and maxGroups 3 with 4 clusters allows only other regions.\n"));
}
END_TEST

/* No cluster is selected, so none was preferred. */
START_TEST(test_no_cluster_at_all) {
  static const struct test_placement none = {.spreads = "cluster:0:0", .scheduling = "Duplicated"};
  static const struct test_binding binding = {.replicas = 1, .placement = &none};
  const char *reported = schedule_explained(clusters, REBALI_COUNT(clusters), &binding, NULL);

  ck_assert_ptr_nonnull(strstr(reported, "a2 is left out: maxGroups 0 allows only others (rank 1).\n"));
  ck_assert_ptr_nonnull(strstr(reported, "a1 is left out: maxGroups 0 allows only others (rank 4).\n"));
}
END_TEST

/* Scores of a placement that did not require a region: a cluster without one belongs to no region. */
START_TEST(test_scores_of_another_placement) {
  static const struct test_cluster three[] = {{"m1", .allocatable = "pods=9"},
                                              {"m2", .allocatable = "pods=3", .region = "a"},
                                              {"m3", .allocatable = "pods=2", .region = "b"}};
  static const struct test_binding before = {.replicas = 1, .placement = &aggregated};
  static const struct test_binding after = {.replicas = 1, .placement = &one_each};
  const rebal_schedule_opts opts = explain_opts(UINT64_MAX);
  struct test_world world;
  rebal_result *scored = NULL;
  rebal_bindings *bindings;

  test_world_open(&world, NULL);
  test_world_fill(&world, three, REBALI_COUNT(three), &before);
  ck_assert_int_eq(rebal_result_new(NULL, &scored, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_score(world.ctx, world.snapshot, world.bindings, NULL, NULL, scored, NULL), REBAL_OK);
  bindings = test_new_bindings(&world);
  (void)test_add_binding(&world, bindings, &after);
  ck_assert_int_eq(rebal_bindings_freeze(bindings, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_select(world.ctx, world.snapshot, bindings, scored, &opts, world.result, NULL), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_EXPLAIN), 5); /* two regions, three clusters */
  ck_assert_int_eq(cell(&world, REBAL_EXPLAIN_CLUSTER, 2), 0);
  ck_assert_int_eq(cell(&world, REBAL_EXPLAIN_VERDICT, 2), REBAL_WHY_GROUP_LEFT_OUT);
  ck_assert_str_eq(rebal_result_text(world.result, REBAL_EXPLAIN_GROUP, 2, NULL), "");
  ck_assert_int_eq(cell(&world, REBAL_EXPLAIN_CLUSTER, 3), 1);
  ck_assert_int_eq(cell(&world, REBAL_EXPLAIN_VERDICT, 3), REBAL_WHY_SELECTED);
  rebal_bindings_free(bindings);
  rebal_result_free(scored);
  test_world_close(&world);
}
END_TEST

/* Component sets are not limited by a single resource. */
START_TEST(test_limit_of_component_sets) {
  static const struct test_placement one_cluster = {.spreads = "cluster:1:1", .scheduling = "Divided/Aggregated"};
  static const struct test_binding binding = {.components = "driver=1 worker=2", .placement = &one_cluster};
  rebal_schedule_opts opts = *with_option(REBAL_OPTION_GATE_MULTIPLE_POD_TEMPLATES, 1);
  struct test_world world;
  size_t row = 0;

  opts.explain_rows = UINT64_MAX;
  test_world_open(&world, NULL);
  test_world_fill(&world, clusters, REBALI_COUNT(clusters), &binding);
  ck_assert_int_eq(rebal_schedule(world.ctx, world.snapshot, world.bindings, &opts, world.result, NULL), REBAL_OK);
  while (cell(&world, REBAL_EXPLAIN_STAGE, row) != REBAL_STAGE_SCORE) {
    row++;
  }
  for (size_t end = row + REBALI_COUNT(clusters); row < end; row++) {
    ck_assert_int_eq(cell(&world, REBAL_EXPLAIN_VERDICT, row), REBAL_WHY_SCORED);
    ck_assert_str_eq(rebal_result_text(world.result, REBAL_EXPLAIN_RESOURCE, row, NULL), "components");
  }
  test_world_close(&world);
}
END_TEST

UNIT_CASE(explain_select) {
  TCase *cases = tcase_create("explain_select");

  tcase_add_loop_test(cases, test_selections, 0, (int)REBALI_COUNT(rows));
  tcase_add_test(cases, test_columns);
  tcase_add_test(cases, test_a_smaller_region_of_the_same_score);
  tcase_add_test(cases, test_no_cluster_at_all);
  tcase_add_test(cases, test_scores_of_another_placement);
  tcase_add_test(cases, test_limit_of_component_sets);
  return cases;
}
