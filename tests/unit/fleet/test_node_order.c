/* SPDX-License-Identifier: MIT */
#include "fleet/nodes.h"
#include "making.h"

static const char zone_key[] = "topology.kubernetes.io/zone";
static const char old_zone_key[] = "failure-domain.beta.kubernetes.io/zone";

/* Adds a node of a zone; NULL: without labels. */
static void add_node(rebal_fleet *fleet, const char *name, const char *key, const char *zone) {
  uint32_t node = REBAL_NONE;

  ck_assert_int_eq(rebal_fleet_add_node(fleet, 0, name, strlen(name), &node, NULL), REBAL_OK);
  if (zone != NULL) {
    const rebal_record *labels =
        rebal_cells_record(rebal_fleet_cells(fleet), REBAL_OBJECT_LABELS, labels_of(fleet, key, zone));

    ck_assert_int_eq(rebal_fleet_set_node_labels(fleet, 0, node, labels, NULL), REBAL_OK);
  }
}

/* names: one letter for each node in the order of packing. */
static void expect_order(rebal_fleet *fleet, const char *names) {
  rebal_snapshot *snapshot = freeze(fleet);
  char found[32] = "";
  uint32_t n;
  const uint32_t *order = rebali_nodes_order(rebali_snapshot_nodes(snapshot, 0), &n);

  for (uint32_t place = 0; place < n; place++) {
    found[place] = rebal_cells_get_text(rebal_snapshot_cells(snapshot), REBAL_NODE_NAME, 0, order[place], NULL)[0];
  }
  ck_assert_str_eq(found, names);
  rebal_snapshot_unref(snapshot);
}

START_TEST(test_one_node_of_each_zone_in_turn) {
  rebal_fleet *fleet = new_fleet();

  add_cluster(fleet, "a");
  add_node(fleet, "a", zone_key, "y");
  add_node(fleet, "b", zone_key, "y");
  add_node(fleet, "c", NULL, NULL);
  add_node(fleet, "d", zone_key, "x");
  add_node(fleet, "e", old_zone_key, "y");
  add_node(fleet, "f", zone_key, "");
  add_node(fleet, "g", old_zone_key, "y");
  expect_order(fleet, "acdbfeg");
  rebal_fleet_free(fleet);
}
END_TEST

START_TEST(test_who_comes_back_or_moves_is_last) {
  rebal_fleet *fleet = new_fleet();
  uint32_t node;

  add_cluster(fleet, "a");
  add_node(fleet, "a", zone_key, "x");
  add_node(fleet, "b", zone_key, "x");
  add_node(fleet, "c", zone_key, "x");
  ck_assert_int_eq(rebal_cells_remove(rebal_fleet_cells(fleet), REBAL_TABLE_NODE, 0, &(const uint32_t){0}, 1, NULL),
                   REBAL_OK);
  expect_order(fleet, "bc");
  add_node(fleet, "a", zone_key, "x");
  expect_order(fleet, "bca");
  ck_assert_int_eq(rebal_fleet_set_node_labels(fleet, 0, 1, NULL, NULL), REBAL_OK); /* b is the one without a zone */
  expect_order(fleet, "cba");
  ck_assert_int_eq(rebal_fleet_node_id(fleet, 0, TEXT("b"), &node, NULL), REBAL_OK);
  ck_assert_int_eq(
      rebal_fleet_set_node_labels(
          fleet, 0, node,
          rebal_cells_record(rebal_fleet_cells(fleet), REBAL_OBJECT_LABELS, labels_of(fleet, zone_key, "x")), NULL),
      REBAL_OK);
  expect_order(fleet, "cab");
  ck_assert_int_eq(
      rebal_fleet_set_node_labels(
          fleet, 0, 2,
          rebal_cells_record(rebal_fleet_cells(fleet), REBAL_OBJECT_LABELS, labels_of(fleet, zone_key, "x")), NULL),
      REBAL_OK);
  expect_order(fleet, "cab");
  rebal_fleet_free(fleet);
}
END_TEST

UNIT_CASE(node_order) {
  TCase *cases = tcase_create("node_order");

  tcase_add_test(cases, test_one_node_of_each_zone_in_turn);
  tcase_add_test(cases, test_who_comes_back_or_moves_is_last);
  return cases;
}
