/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include "../unit.h"

#define COOL_DOWN 60
#define CLUSTERS 3

static const rebal_time now = {NOW, 0, 1};
static struct fixture fixture;
static int64_t cells[2 * CLUSTERS];

static void setup(void) {
  fixture_start(&fixture, NULL);
  memset(cells, 0, sizeof cells);
}

static void teardown(void) {
  fixture_dispose(&fixture);
}

/* since 0: no time. */
static void evicted(uint32_t cluster, int64_t since) {
  const rebal_time time = {since, 0, 1};
  uint32_t row = 0;

  ck_assert_int_eq(rebal_cells_add(rebal_bindings_cells(fixture.bindings), REBAL_TABLE_HISTORY, fixture.binding, &row,
                                   1, NULL), REBAL_OK);
  fixture_set(&fixture, REBAL_HISTORY_CLUSTER, row, cluster);
  if (since != 0) {
    ck_assert_int_eq(rebal_cells_set_time(rebal_bindings_cells(fixture.bindings), REBAL_HISTORY_TIME, REBAL_NONE, row,
                                          &time, NULL), REBAL_OK);
  }
}

static int32_t run(size_t clusters, size_t stride, rebal_time *next) {
  return rebal_cool_down(fixture.snapshot, fixture.bindings, &now, COOL_DOWN * REBALI_SECOND_NS, cells, clusters,
                         stride, next, NULL);
}

static const struct {
  int64_t since; /* 0: no time */
  int64_t left;  /* seconds; 0: it does not count */
} ages[] = {{NOW, COOL_DOWN}, {NOW - 59, 1}, {NOW - COOL_DOWN, 0}, {NOW - 1000, 0}, {NOW + 9, COOL_DOWN}, {0, 0}};

START_TEST(test_for_how_long_a_cluster_is_rejected) {
  rebal_time next;

  evicted(fixture.clusters[1], ages[_i].since);
  fixture_freeze(&fixture);
  ck_assert_int_eq(run(CLUSTERS, CLUSTERS, &next), REBAL_OK);
  ck_assert_int_eq(cells[1], ages[_i].left > 0);
  ck_assert_int_eq(cells[0] + cells[2], 0);
  ck_assert_int_eq(next.is_set ? next.seconds - NOW : 0, ages[_i].left);
}
END_TEST

/* The last of several evictions counts, the first end is told, and other rejections stay. */
START_TEST(test_each_binding_has_its_own_cells) {
  rebal_time next;

  evicted(fixture.clusters[1], NOW - 50);
  evicted(fixture.clusters[1], NOW - 5);
  fixture_binding(&fixture);
  evicted(fixture.clusters[2], NOW - 20);
  fixture_freeze(&fixture);
  cells[0] = 7;
  ck_assert_int_eq(run(CLUSTERS, CLUSTERS, &next), REBAL_OK);
  ck_assert_int_eq(cells[0], 7);
  ck_assert_int_eq(cells[1], 1);
  ck_assert_int_eq(cells[CLUSTERS + 1], 0);
  ck_assert_int_eq(cells[CLUSTERS + 2], 1);
  ck_assert_int_eq(next.seconds, NOW + 10);
}
END_TEST

/* Else the option would move what came back already. */
START_TEST(test_a_target_is_not_rejected) {
  evicted(fixture.clusters[0], NOW);
  fixture_target(&fixture, fixture.clusters[0], 1);
  fixture_freeze(&fixture);
  ck_assert_int_eq(run(CLUSTERS, CLUSTERS, NULL), REBAL_OK);
  ck_assert_int_eq(cells[0], 0);
}
END_TEST

START_TEST(test_clusters_without_cells_are_left_out) {
  evicted(fixture.clusters[2], NOW);
  fixture_freeze(&fixture);
  ck_assert_int_eq(run(2, 2, NULL), REBAL_OK);
  ck_assert_int_eq(cells[2], 0);
}
END_TEST

START_TEST(test_inputs_are_checked) {
  ck_assert_int_eq(run(CLUSTERS, CLUSTERS, NULL), REBAL_EINVAL); /* no snapshot yet */
  fixture_binding(&fixture);
  fixture_freeze(&fixture);
  ck_assert_int_eq(run(CLUSTERS, 2, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_cool_down(fixture.snapshot, fixture.bindings, NULL, 1, cells, 1, 1, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_cool_down(fixture.snapshot, NULL, &now, 1, cells, 1, 1, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_cool_down(fixture.snapshot, fixture.bindings, &now, 1, NULL, 1, 1, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_cool_down(fixture.snapshot, fixture.bindings, &now, -1, cells, 1, 1, NULL, NULL),
                   REBAL_ERANGE);
}
END_TEST

UNIT_CASE(cool_down) {
  TCase *cases = tcase_create("cool_down");
  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_loop_test(cases, test_for_how_long_a_cluster_is_rejected, 0, (int)REBALI_COUNT(ages));
  tcase_add_test(cases, test_each_binding_has_its_own_cells);
  tcase_add_test(cases, test_a_target_is_not_rejected);
  tcase_add_test(cases, test_clusters_without_cells_are_left_out);
  tcase_add_test(cases, test_inputs_are_checked);
  return cases;
}
