/* SPDX-License-Identifier: MIT */
/* Saving and loading a fleet: nothing is lost, nothing is added. */
#include "saved_world.h"

START_TEST(test_everything_comes_back) {
  struct saved_world saved;
  struct loaded loaded;
  struct bytes first, second;

  open_saved(&saved);
  first = save(saved.world.fleet, saved.world.bindings, saved.ledger);
  loaded = load(first);
  second = save(loaded.fleet, loaded.bindings, loaded.ledger);
  assert_same_bytes(first, second);
  assert_same_fingerprints(saved.world.fleet, loaded.fleet);
  ck_assert_uint_eq(rebali_ledger_fingerprint(saved.ledger).low, rebali_ledger_fingerprint(loaded.ledger).low);
  /* Hidden values are loaded too and can be shown. */
  set_i64(saved.world.fleet, REBAL_CLUSTER_HAS_SUMMARY, 3, 1);
  set_i64(loaded.fleet, REBAL_CLUSTER_HAS_SUMMARY, 3, 1);
  set_i64(saved.world.fleet, REBAL_CLUSTER_HAS_NODES, 3, 1);
  set_i64(loaded.fleet, REBAL_CLUSTER_HAS_NODES, 3, 1);
  ck_assert_uint_eq(rebal_cells_count(rebal_fleet_cells(loaded.fleet), REBAL_TABLE_NODE, 3), 1);
  assert_same_fingerprints(saved.world.fleet, loaded.fleet);
  free(first.at);
  free(second.at);
  unload(&loaded);
  close_saved(&saved);
}
END_TEST

/* Compares every cell with that of the saved fleet. */
static void assert_same_cells(const rebal_cells *left, const rebal_cells *right, uint32_t table, uint32_t parent) {
  uint32_t columns[MOST_COLUMNS];
  size_t n = 0;
  const uint32_t rows = rebal_cells_bound(left, table, parent);

  ck_assert_int_eq(rebal_describe_object(table, columns, MOST_COLUMNS, &n, NULL), REBAL_OK);
  ck_assert_uint_eq(rebal_cells_bound(right, table, parent), rows);
  for (uint32_t row = 0; row < rows; row++) {
    ck_assert_int_eq(rebal_cells_has(left, table, parent, row), rebal_cells_has(right, table, parent, row));
    for (size_t i = 0; i < n; i++) {
      size_t len, other;
      rebal_time time, same;
      const char *text = rebal_cells_get_text(left, columns[i], parent, row, &len);

      ck_assert_mem_eq(rebal_cells_get_text(right, columns[i], parent, row, &other), text, len);
      ck_assert_uint_eq(len, other);
      ck_assert_int_eq(rebal_cells_get_i64(left, columns[i], parent, row),
                       rebal_cells_get_i64(right, columns[i], parent, row));
      rebal_cells_get_time(left, columns[i], parent, row, &time);
      rebal_cells_get_time(right, columns[i], parent, row, &same);
      ck_assert_int_eq(rebal_time_compare(&time, &same), 0);
    }
  }
}

START_TEST(test_every_cell_is_the_same) {
  struct saved_world saved;
  struct loaded loaded;
  struct bytes bytes;

  open_saved(&saved);
  bytes = save(saved.world.fleet, saved.world.bindings, NULL);
  loaded = load(bytes);
  ck_assert_ptr_null(loaded.ledger);
  assert_same_cells(rebal_fleet_cells(saved.world.fleet), rebal_fleet_cells(loaded.fleet), REBAL_TABLE_CLUSTER,
                    REBAL_NONE);
  for (uint32_t table = REBAL_TABLE_NODE; table <= REBAL_TABLE_REPLICA_SET; table++) {
    assert_same_cells(rebal_fleet_cells(saved.world.fleet), rebal_fleet_cells(loaded.fleet), table, 0);
  }
  for (uint32_t i = 0; i < REBALI_BINDING_TABLES; i++) {
    assert_same_cells(rebal_bindings_cells(saved.world.bindings), rebal_bindings_cells(loaded.bindings),
                      REBAL_TABLE_BINDING + i, REBAL_NONE);
  }
  free(bytes.at);
  unload(&loaded);
  close_saved(&saved);
}
END_TEST

START_TEST(test_what_is_made_next_gets_the_same_ids) {
  struct saved_world saved;
  struct loaded loaded;
  struct bytes bytes;

  open_saved(&saved);
  bytes = save(saved.world.fleet, NULL, NULL);
  loaded = load(bytes);
  ck_assert_ptr_null(loaded.bindings);
  for (size_t i = 0; i < 5; i++) {
    uint32_t first, second;

    ck_assert_int_eq(rebal_cells_add(rebal_fleet_cells(saved.world.fleet), REBAL_TABLE_POD, 0, &first, 1, NULL),
                     REBAL_OK);
    ck_assert_int_eq(rebal_cells_add(rebal_fleet_cells(loaded.fleet), REBAL_TABLE_POD, 0, &second, 1, NULL), REBAL_OK);
    ck_assert_uint_eq(first, second);
  }
  ck_assert_uint_eq(add_cluster(saved.world.fleet, "removed"), add_cluster(loaded.fleet, "removed"));
  ck_assert_uint_eq(add_cluster(saved.world.fleet, "next"), add_cluster(loaded.fleet, "next"));
  ck_assert_uint_eq(resource_of(saved.world.fleet, "memory"), resource_of(loaded.fleet, "memory"));
  ck_assert_uint_eq(labels_of(saved.world.fleet, "a", "1"), labels_of(loaded.fleet, "a", "1"));
  free(bytes.at);
  unload(&loaded);
  close_saved(&saved);
}
END_TEST

/* A node of the second leaf has an amount of a resource that no node of the first leaf has. */
START_TEST(test_amounts_of_the_second_leaf) {
  struct test_world world;
  struct loaded loaded;
  struct bytes bytes;
  rebal_snapshot *snapshot;
  uint32_t gpu;

  test_world_open(&world, NULL);
  (void)test_add_cluster(&world, &(struct test_cluster){"m1"});
  for (uint32_t i = 0; i <= REBALI_NODES; i++) {
    const char name[3] = {'n', (char)('0' + i / 10), (char)('0' + i % 10)};
    uint32_t node;

    ck_assert_int_eq(rebal_fleet_add_node(world.fleet, 0, name, sizeof name, &node, NULL), REBAL_OK);
  }
  ck_assert_uint_eq(test_set_node(&world, 0, &(struct test_node){"n64", "example.com/gpu=3", NULL, NULL}), 64);
  bytes = save(world.fleet, NULL, NULL);
  loaded = load(bytes);
  snapshot = freeze(loaded.fleet);
  gpu = resource_of(loaded.fleet, "example.com/gpu");
  ck_assert_int_eq(rebal_snapshot_node_amount(snapshot, REBAL_CAPACITY_ALLOCATABLE, 0, 0, gpu), 0);
  ck_assert_int_eq(rebal_snapshot_node_amount(snapshot, REBAL_CAPACITY_ALLOCATABLE, 0, 64, gpu), 3);
  assert_same_fingerprints(world.fleet, loaded.fleet);
  rebal_snapshot_unref(snapshot);
  free(bytes.at);
  unload(&loaded);
  test_world_close(&world);
}
END_TEST

/* A terminated pod uses nothing of its node; the other pod there uses the largest amount. */
START_TEST(test_pods_are_charged_as_they_are) {
  struct test_world world;
  rebal_cells *cells;
  struct loaded loaded;
  struct bytes bytes;
  const rebal_record *record = NULL;
  const rebal_quantity most = {INT64_MAX - 10, 0, REBAL_QUANTITY_FORMAT_DECIMAL_SI};
  uint32_t pods[2], handle;

  test_world_open(&world, NULL);
  (void)test_add_cluster(&world, &(struct test_cluster){"m1"});
  (void)test_set_node(&world, 0, &(struct test_node){"n1", "memory=1Gi", NULL, NULL});
  cells = rebal_fleet_cells(world.fleet);
  rebal_builder_start(world.builder, REBAL_OBJECT_POD_RESOURCES, NULL);
  rebal_builder_begin(world.builder, REBAL_POD_RESOURCES_OVERHEAD, NULL);
  rebal_builder_text(world.builder, REBAL_AMOUNT_NAME, TEXT("memory"), NULL);
  rebal_builder_quantity(world.builder, REBAL_AMOUNT_QUANTITY, &most, NULL);
  rebal_builder_end(world.builder, NULL);
  ck_assert_int_eq(rebal_builder_finish(world.builder, &record, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_intern(world.fleet, record, &handle, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_cells_add(cells, REBAL_TABLE_POD, 0, pods, 2, NULL), REBAL_OK);
  for (size_t i = 0; i < 2; i++) {
    ck_assert_int_eq(rebal_cells_set_i64(cells, REBAL_POD_TERMINAL, 0, pods[i], i == 1, NULL), REBAL_OK);
    ck_assert_int_eq(rebal_cells_set_i64(cells, REBAL_POD_RESOURCES, 0, pods[i], handle, NULL), REBAL_OK);
    ck_assert_int_eq(rebal_cells_set_i64(cells, REBAL_POD_NODE, 0, pods[i], 0, NULL), REBAL_OK);
  }
  bytes = save(world.fleet, NULL, NULL);
  loaded = load(bytes);
  assert_same_fingerprints(world.fleet, loaded.fleet);
  free(bytes.at);
  unload(&loaded);
  test_world_close(&world);
}
END_TEST

START_TEST(test_frozen_bindings_are_frozen) {
  struct saved_world saved;
  struct bytes open, frozen;
  struct loaded loaded;
  uint32_t row;

  open_saved(&saved);
  open = save(saved.world.fleet, saved.world.bindings, NULL);
  ck_assert_int_eq(rebal_bindings_freeze(saved.world.bindings, NULL), REBAL_OK);
  frozen = save(saved.world.fleet, saved.world.bindings, NULL);
  loaded = load(open);
  ck_assert_int_eq(
      rebal_cells_add(rebal_bindings_cells(loaded.bindings), REBAL_TABLE_BINDING, REBAL_NONE, &row, 1, NULL), REBAL_OK);
  unload(&loaded);
  loaded = load(frozen);
  ck_assert_int_eq(
      rebal_cells_add(rebal_bindings_cells(loaded.bindings), REBAL_TABLE_BINDING, REBAL_NONE, &row, 1, NULL),
      REBAL_ESTATE);
  unload(&loaded);
  free(open.at);
  free(frozen.at);
  close_saved(&saved);
}
END_TEST

/* Changes one of three clusters: nodes in zones, pods on them, removals. The change may be refused. */
static void change(rebal_fleet *fleet, uint32_t *state) {
  static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
  const uint32_t cluster = next_random(state, 3), node = next_random(state, 8), pod = next_random(state, 12);
  const uint32_t cpu = resource_of(fleet, "cpu");
  const rebal_quantity amount = {next_random(state, 9), 500000000, REBAL_QUANTITY_FORMAT_DECIMAL_SI};
  rebal_cells *cells = rebal_fleet_cells(fleet);
  uint32_t id;

  switch (next_random(state, 8)) {
    case 0:
      (void)rebal_fleet_add_node(fleet, cluster, names[node % 6], 1, &id, NULL);
      break;
    case 1:
      (void)rebal_fleet_node_id(fleet, cluster, names[node % 6], 1, &id, NULL);
      break;
    case 2:
      (void)rebal_fleet_set_node_labels(
          fleet, cluster, node,
          rebal_cells_record(cells, REBAL_OBJECT_LABELS,
                             labels_of(fleet, "topology.kubernetes.io/zone", names[next_random(state, 3)])),
          NULL);
      break;
    case 3:
      (void)rebal_cells_remove(cells, REBAL_TABLE_NODE, cluster, &node, 1, NULL);
      break;
    case 4:
      (void)rebal_fleet_set_node_amounts(fleet, cluster, node, &cpu, &amount, 1, NULL);
      break;
    case 5:
      (void)rebal_cells_add(cells, REBAL_TABLE_POD, cluster, &id, 1, NULL);
      break;
    case 6:
      (void)rebal_cells_remove(cells, REBAL_TABLE_POD, cluster, &pod, 1, NULL);
      break;
    default:
      (void)rebal_cells_set_i64(cells, REBAL_POD_NODE, cluster, pod, node, NULL);
  }
}

/* Whatever changes come before and after, a loaded fleet behaves like the fleet that it was saved from. */
START_TEST(test_random_histories) {
  uint32_t state = (uint32_t)_i + 1;
  rebal_fleet *fleet = new_fleet();
  struct loaded loaded;
  struct bytes first, second;

  (void)add_cluster(fleet, "m1");
  (void)add_cluster(fleet, "m2");
  (void)add_cluster(fleet, "m3");
  for (size_t i = 0; i < 200; i++) {
    change(fleet, &state);
  }
  first = save(fleet, NULL, NULL);
  loaded = load(first);
  for (size_t i = 0; i < 50; i++) {
    uint32_t same = state;

    change(fleet, &same);
    change(loaded.fleet, &state);
    ck_assert_uint_eq(same, state);
  }
  assert_same_fingerprints(fleet, loaded.fleet);
  free(first.at);
  first = save(fleet, NULL, NULL);
  second = save(loaded.fleet, NULL, NULL);
  assert_same_bytes(first, second);
  free(first.at);
  free(second.at);
  unload(&loaded);
  rebal_fleet_free(fleet);
}
END_TEST

/* The bytes of a small fleet are the same on every machine and in every release. */
START_TEST(test_the_bytes_themselves) {
  static const unsigned char expected[] =
      "REBALFLT\1\0\0\0\0\0\0\0"
      "\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x13\0\0\0\0\0\0\0" /* CLUSTERS, 19 bytes */
      "\2\0\0\0\2\0\0\0m1\2\0\0\0m2\1\1\0"
      "\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0" /* RESOURCES, 4 bytes */
      "\0\0\0\0"
      "\x0a\0\0\0\x02\x80\0\0\xff\xff\xff\xff\0\0\0\0\x0c\0\0\0\0\0\0\0" /* COLUMN PROVIDER, 12 bytes */
      "\1\0\0\0\1\0\2\0\0\0us"
      "\x0a\0\0\0\x09\x80\0\0\xff\xff\xff\xff\0\0\0\0\x08\0\0\0\0\0\0\0" /* COLUMN HAS_SUMMARY */
      "\1\0\0\0\1\0\1\0"
      "\x0a\0\0\0\x0b\x80\0\0\xff\xff\xff\xff\0\0\0\0\x09\0\0\0\0\0\0\0" /* COLUMN GENERATION */
      "\1\0\0\0\1\0\2\x2c\1"
      "\x0a\0\0\0\x0c\x80\0\0\xff\xff\xff\xff\0\0\0\0\x08\0\0\0\0\0\0\0" /* COLUMN HAS_NODES */
      "\1\0\0\0\1\0\1\0"
      "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"; /* END, whose last byte is the terminator of the string */
  rebal_fleet *fleet = new_fleet();
  struct bytes bytes;
  uint32_t id;

  (void)add_cluster(fleet, "m1");
  ck_assert_int_eq(rebal_fleet_cluster_id(fleet, TEXT("m2"), &id, NULL), REBAL_OK);
  ck_assert_int_eq(
      rebal_cells_set_text(rebal_fleet_cells(fleet), REBAL_CLUSTER_PROVIDER, REBAL_NONE, 0, TEXT("us"), NULL),
      REBAL_OK);
  set_i64(fleet, REBAL_CLUSTER_GENERATION, 0, 300);
  bytes = save(fleet, NULL, NULL);
  ck_assert_uint_eq(bytes.len, sizeof expected);
  ck_assert_mem_eq(bytes.at, expected, sizeof expected);
  free(bytes.at);
  rebal_fleet_free(fleet);
}
END_TEST

UNIT_CASE(saved) {
  TCase *cases = tcase_create("saved");

  tcase_set_timeout(cases, 120);
  tcase_add_test(cases, test_everything_comes_back);
  tcase_add_test(cases, test_every_cell_is_the_same);
  tcase_add_test(cases, test_what_is_made_next_gets_the_same_ids);
  tcase_add_loop_test(cases, test_random_histories, 0, 200);
  tcase_add_test(cases, test_amounts_of_the_second_leaf);
  tcase_add_test(cases, test_pods_are_charged_as_they_are);
  tcase_add_test(cases, test_frozen_bindings_are_frozen);
  tcase_add_test(cases, test_the_bytes_themselves);
  return cases;
}
