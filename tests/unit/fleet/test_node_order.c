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

static void label_region(rebal_fleet *fleet, uint32_t node, const char *region, const char *zone) {
  rebal_builder *builder = NULL;
  const rebal_record *labels = NULL;

  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_start(builder, REBAL_OBJECT_LABELS, NULL), REBAL_OK);
  for (int i = 0; i < 2; i++) {
    const char *key = i == 0 ? "topology.kubernetes.io/region" : zone_key, *value = i == 0 ? region : zone;

    ck_assert_int_eq(rebal_builder_begin(builder, REBAL_LABELS_LABEL, NULL), REBAL_OK);
    ck_assert_int_eq(rebal_builder_text(builder, REBAL_PAIR_KEY, key, strlen(key), NULL), REBAL_OK);
    ck_assert_int_eq(rebal_builder_text(builder, REBAL_PAIR_VALUE, value, strlen(value), NULL), REBAL_OK);
    ck_assert_int_eq(rebal_builder_end(builder, NULL), REBAL_OK);
  }
  ck_assert_int_eq(rebal_builder_finish(builder, &labels, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_set_node_labels(fleet, 0, node, labels, NULL), REBAL_OK);
  rebal_builder_free(builder);
}

/* Zones of one name in two regions are two. */
START_TEST(test_zones_are_those_of_a_region) {
  static const struct {
    const char *name, *region, *zone;
  } nodes[] = {{"a", "r1", "x"}, {"b", "r1", "x"}, {"c", "r2", "x"}, {"d", "r2", "y"},
               {"e", "r2", "x"}, {"f", "", "x"},   {"g", "r1", ""}};
  rebal_fleet *fleet = new_fleet();

  add_cluster(fleet, "a");
  for (uint32_t i = 0; i < sizeof nodes / sizeof nodes[0]; i++) {
    add_node(fleet, nodes[i].name, NULL, NULL);
    label_region(fleet, i, nodes[i].region, nodes[i].zone);
  }
  expect_order(fleet, "acdfgbe");
  label_region(fleet, 0, "r2", "x"); /* a comes last, to where c and e are */
  expect_order(fleet, "bcdfgea");
  label_region(fleet, 5, "", "x"); /* nothing moves */
  expect_order(fleet, "bcdfgea");
  rebal_fleet_free(fleet);
}
END_TEST

UNIT_CASE(node_order) {
  TCase *cases = tcase_create("node_order");

  tcase_add_test(cases, test_one_node_of_each_zone_in_turn);
  tcase_add_test(cases, test_who_comes_back_or_moves_is_last);
  tcase_add_test(cases, test_zones_are_those_of_a_region);
  return cases;
}
