/* SPDX-License-Identifier: MIT */
/* Rows of all tables come, go and are walked through alike. */
#include "making.h"

/* Walks a table; the ids as decimal digits. */
static const char *walk(const rebal_cells *cells, uint32_t table, uint32_t parent) {
  static char ids[16];
  size_t n = 0;

  for (uint32_t id = rebal_cells_next(cells, table, parent, REBAL_NONE); id != REBAL_NONE;
       id = rebal_cells_next(cells, table, parent, id)) {
    ck_assert_uint_lt(n, sizeof ids - 1);
    ids[n++] = (char)('0' + id);
  }
  ids[n] = '\0';
  ck_assert_uint_eq(rebal_cells_count(cells, table, parent), n);
  return ids;
}

START_TEST(test_clusters_and_nodes) {
  rebal_fleet *fleet = new_fleet();
  rebal_cells *cells = rebal_fleet_cells(fleet);
  rebal_error err = REBAL_ERROR_INIT;
  const uint32_t both[2] = {1, 9};
  rebal_snapshot *snapshot;
  uint32_t id;

  add_cluster(fleet, "m0");
  add_cluster(fleet, "m1");
  ck_assert_int_eq(rebal_fleet_cluster_id(fleet, TEXT("ghost"), &id, NULL), REBAL_OK);
  add_cluster(fleet, "m3");
  ck_assert_int_eq(rebal_fleet_add_node(fleet, 0, TEXT("n0"), &id, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_node_id(fleet, 0, TEXT("n1"), &id, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_add_node(fleet, 0, TEXT("n2"), &id, NULL), REBAL_OK);
  ck_assert_str_eq(walk(cells, REBAL_TABLE_CLUSTER, REBAL_NONE), "013");
  ck_assert_str_eq(walk(cells, REBAL_TABLE_NODE, 0), "02");
  ck_assert_uint_eq(rebal_cells_bound(cells, REBAL_TABLE_CLUSTER, REBAL_NONE), 4);
  ck_assert_uint_eq(rebal_cells_bound(cells, REBAL_TABLE_NODE, 0), 3);
  snapshot = freeze(fleet);
  ck_assert_int_eq(rebal_cells_remove(cells, REBAL_TABLE_CLUSTER, REBAL_NONE, both, 2, &err), REBAL_ENOTFOUND);
  ck_assert_int_eq(err.where, 9);
  ck_assert_int_eq(rebal_cells_remove(cells, REBAL_TABLE_CLUSTER, 0, both, 1, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_cells_add(cells, REBAL_TABLE_CLUSTER, REBAL_NONE, &id, 1, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_cells_add(cells, REBAL_TABLE_NODE, 0, &id, 1, NULL), REBAL_EINVAL);
  ck_assert_str_eq(walk(cells, REBAL_TABLE_CLUSTER, REBAL_NONE), "03");
  ck_assert_str_eq(walk(rebal_snapshot_cells(snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE), "013");
  ck_assert_str_eq(walk(rebal_snapshot_cells(snapshot), REBAL_TABLE_NODE, 0), "02");
  ck_assert_str_eq(walk(cells, REBAL_TABLE_CLUSTER, 0), "");
  rebal_snapshot_unref(snapshot);
  rebal_fleet_free(fleet);
}
END_TEST

START_TEST(test_rows_below_a_cluster) {
  rebal_fleet *fleet = new_fleet();
  rebal_cells *cells = rebal_fleet_cells(fleet);
  uint32_t ids[3];

  add_cluster(fleet, "m0");
  ck_assert_int_eq(rebal_cells_add(cells, REBAL_TABLE_POD, 0, ids, 3, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_cells_remove(cells, REBAL_TABLE_POD, 0, &ids[1], 1, NULL), REBAL_OK);
  ck_assert_str_eq(walk(cells, REBAL_TABLE_POD, 0), "02");
  ck_assert_str_eq(walk(cells, REBAL_TABLE_POD, 1), "");
  ck_assert_uint_eq(rebal_cells_bound(cells, REBAL_TABLE_POD, 0), 3);
  ck_assert_int_eq(rebal_cells_has(cells, REBAL_TABLE_POD, 0, 0), 1);
  ck_assert_int_eq(rebal_cells_has(cells, REBAL_TABLE_POD, 0, 1), 0);
  ck_assert_int_eq(rebal_cells_add(cells, REBAL_TABLE_POD, REBAL_NONE, ids, 1, NULL), REBAL_ENOTFOUND);
  ck_assert_int_eq(rebal_cells_add_children(cells, REBAL_TABLE_POD, ids, ids, 1, NULL), REBAL_EINVAL);
  rebal_fleet_free(fleet);
}
END_TEST

START_TEST(test_children) {
  rebal_fleet *fleet = new_fleet();
  rebal_bindings *bindings = NULL;
  rebal_cells *cells;
  const uint32_t parents[5] = {0, 1, 0, 1, 0};
  uint32_t ids[5];

  ck_assert_int_eq(rebal_bindings_new(fleet, NULL, &bindings, NULL), REBAL_OK);
  cells = rebal_bindings_cells(bindings);
  ck_assert_int_eq(rebal_cells_add(cells, REBAL_TABLE_BINDING, REBAL_NONE, ids, 2, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_cells_add_children(cells, REBAL_TABLE_TARGET, parents, ids, 5, NULL), REBAL_OK);
  for (int frozen = 0; frozen < 2; frozen++) {
    ck_assert_str_eq(walk(cells, REBAL_TABLE_TARGET, 0), "024");
    ck_assert_str_eq(walk(cells, REBAL_TABLE_TARGET, 1), "13");
    ck_assert_str_eq(walk(cells, REBAL_TABLE_TARGET, 2), "");
    ck_assert_str_eq(walk(cells, REBAL_TABLE_TARGET, REBAL_NONE), "01234");
    ck_assert_str_eq(walk(cells, REBAL_TABLE_TASK, 0), "");
    ck_assert_str_eq(walk(cells, REBAL_TABLE_BINDING, 0), "");
    ck_assert_str_eq(walk(cells, REBAL_TABLE_POD, REBAL_NONE), "");
    ck_assert_uint_eq(rebal_cells_bound(cells, REBAL_TABLE_TARGET, REBAL_NONE), 5);
    ck_assert_uint_eq(rebal_cells_bound(cells, REBAL_TABLE_TARGET, 0), 0);
    ck_assert_int_eq(rebal_cells_has(cells, REBAL_TABLE_TARGET, REBAL_NONE, 4), 1);
    ck_assert_int_eq(rebal_cells_has(cells, REBAL_TABLE_TARGET, REBAL_NONE, 5), 0);
    ck_assert_int_eq(rebal_cells_has(cells, REBAL_TABLE_TARGET, 0, 4), 0);
    ck_assert_int_eq(frozen ? REBAL_OK : rebal_bindings_freeze(bindings, NULL), REBAL_OK);
  }
  ck_assert_int_eq(rebal_cells_add_children(cells, REBAL_TABLE_TARGET, parents, ids, 5, NULL), REBAL_ESTATE);
  rebal_bindings_free(bindings);
  rebal_fleet_free(fleet);
}
END_TEST

/* A batch ends with the first row that is wrong. */
START_TEST(test_wrong_rows_come_first) {
  static const uint32_t wrong[] = {9, 0};
  rebal_fleet *fleet = new_fleet();
  rebal_cells *cells = rebal_fleet_cells(fleet);
  rebal_error err = REBAL_ERROR_INIT;
  uint32_t id;

  add_cluster(fleet, "m0");
  ck_assert_int_eq(rebal_fleet_add_node(fleet, 0, TEXT("n0"), &id, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_cells_add(cells, REBAL_TABLE_POD, 0, &id, 1, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_cells_remove(cells, REBAL_TABLE_NODE, 0, wrong, 2, &err), REBAL_ENOTFOUND);
  ck_assert_int_eq(err.where, 9);
  ck_assert_int_eq(rebal_cells_remove(cells, REBAL_TABLE_POD, 0, wrong, 2, &err), REBAL_ENOTFOUND);
  ck_assert_int_eq(rebal_cells_remove(cells, REBAL_TABLE_CLUSTER, REBAL_NONE, wrong, 2, &err), REBAL_ENOTFOUND);
  ck_assert_str_eq(walk(cells, REBAL_TABLE_NODE, 0), "0");
  ck_assert_str_eq(walk(cells, REBAL_TABLE_POD, 0), "0");
  ck_assert_str_eq(walk(cells, REBAL_TABLE_CLUSTER, REBAL_NONE), "0");
  rebal_fleet_free(fleet);
}
END_TEST

START_TEST(test_where_there_are_no_rows) {
  rebal_fleet *fleet = new_fleet();
  rebal_cells *cells = rebal_fleet_cells(fleet);
  rebal_bindings *bindings = NULL;
  rebal_pods *pods = NULL;
  uint32_t id;

  add_cluster(fleet, "without-nodes");
  id = resource_of(fleet, "cpu");
  ck_assert_int_eq(rebal_cells_has(cells, REBAL_TABLE_RESOURCE, REBAL_NONE, id), 1);
  ck_assert_int_eq(rebal_cells_has(cells, REBAL_TABLE_RESOURCE, REBAL_NONE, id + 1), 0);
  ck_assert_int_eq(rebal_cells_has(cells, REBAL_TABLE_RESOURCE, 0, id), 0);
  ck_assert_uint_eq(rebal_cells_bound(cells, REBAL_TABLE_RESOURCE, 0), 0);
  ck_assert_uint_eq(rebal_cells_count(cells, REBAL_TABLE_RESOURCE, 0), 0);
  ck_assert_uint_eq(rebal_cells_count(cells, REBAL_TABLE_NODE, 0), 0);
  ck_assert_int_eq(rebal_pods_new(fleet, NULL, &pods, NULL), REBAL_OK);
  cells = rebal_pods_cells(pods);
  ck_assert_int_eq(rebal_cells_add(cells, REBAL_TABLE_SPREAD_POD, 0, &id, 1, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_cells_add(cells, REBAL_TABLE_SPREAD_POD, REBAL_NONE, &id, 1, NULL), REBAL_OK);
  ck_assert_str_eq(walk(cells, REBAL_TABLE_SPREAD_POD, 0), "");
  ck_assert_str_eq(walk(cells, REBAL_TABLE_SPREAD_POD, REBAL_NONE), "0");
  ck_assert_int_eq(rebal_bindings_new(fleet, NULL, &bindings, NULL), REBAL_OK);
  cells = rebal_bindings_cells(bindings);
  ck_assert_int_eq(rebal_cells_add(cells, REBAL_TABLE_BINDING, REBAL_NONE, &id, 1, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_cells_add(cells, REBAL_TABLE_TARGET, 0, &id, UINT32_MAX, NULL), REBAL_ELIMIT);
  ck_assert_str_eq(walk(cells, REBAL_TABLE_TARGET, REBAL_NONE), "");
  rebal_bindings_free(bindings);
  rebal_pods_free(pods);
  rebal_fleet_free(fleet);
}
END_TEST

/* Whole words of rows may be gone. */
START_TEST(test_a_walk_over_a_gap) {
  enum { ROWS = 300, FIRST = 10, LAST = 250 };
  rebal_fleet *fleet = new_fleet();
  rebal_pods *pods = NULL;
  rebal_cells *cells;
  uint32_t ids[ROWS], row = REBAL_NONE;

  ck_assert_int_eq(rebal_pods_new(fleet, NULL, &pods, NULL), REBAL_OK);
  cells = rebal_pods_cells(pods);
  ck_assert_int_eq(rebal_cells_add(cells, REBAL_TABLE_SPREAD_POD, REBAL_NONE, ids, ROWS, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_cells_remove(cells, REBAL_TABLE_SPREAD_POD, REBAL_NONE, ids + FIRST, LAST + 1 - FIRST, NULL),
                   REBAL_OK);
  for (uint32_t expected = 0; expected < ROWS; expected += expected == FIRST - 1 ? LAST + 2 - FIRST : 1) {
    row = rebal_cells_next(cells, REBAL_TABLE_SPREAD_POD, REBAL_NONE, row);
    ck_assert_uint_eq(row, expected);
  }
  ck_assert_uint_eq(rebal_cells_next(cells, REBAL_TABLE_SPREAD_POD, REBAL_NONE, row), REBAL_NONE);
  rebal_pods_free(pods);
  rebal_fleet_free(fleet);
}
END_TEST

UNIT_CASE(cells_rows) {
  TCase *cases = tcase_create("cells_rows");

  tcase_add_test(cases, test_clusters_and_nodes);
  tcase_add_test(cases, test_rows_below_a_cluster);
  tcase_add_test(cases, test_children);
  tcase_add_test(cases, test_wrong_rows_come_first);
  tcase_add_test(cases, test_where_there_are_no_rows);
  tcase_add_test(cases, test_a_walk_over_a_gap);
  return cases;
}
