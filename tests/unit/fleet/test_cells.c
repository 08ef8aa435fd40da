/* SPDX-License-Identifier: MIT */
/* One handle for the tables of fleets, snapshots and bindings. */
#include "making.h"

/* A row of each table of a fleet and of bindings. */
struct tables {
  rebal_fleet *fleet;
  rebal_bindings *bindings;
  rebal_builder *builder;
  uint32_t cluster;
  uint32_t node;
};

static const uint32_t fleet_tables[] = {REBAL_TABLE_CLUSTER, REBAL_TABLE_NODE, REBAL_TABLE_POD, REBAL_TABLE_WORKLOAD,
                                        REBAL_TABLE_REPLICA_SET};

static void open_tables(struct tables *tables) {
  uint32_t id;

  *tables = (struct tables){.fleet = new_fleet()};
  tables->cluster = add_cluster(tables->fleet, "m1");
  ck_assert_int_eq(rebal_bindings_new(tables->fleet, NULL, &tables->bindings, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_new(NULL, &tables->builder, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_node_id(tables->fleet, 0, TEXT("n0"), &id, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_add_node(tables->fleet, 0, TEXT("n1"), &tables->node, NULL), REBAL_OK);
  for (uint32_t table = REBAL_TABLE_POD; table <= REBAL_TABLE_REPLICA_SET; table++) {
    ck_assert_int_eq(rebal_cells_add(rebal_fleet_cells(tables->fleet), table, 0, &id, 1, NULL), REBAL_OK);
  }
  for (uint32_t table = REBAL_TABLE_BINDING; table <= REBAL_TABLE_HISTORY; table++) {
    ck_assert_int_eq(rebal_cells_add(rebal_bindings_cells(tables->bindings), table,
                                     table == REBAL_TABLE_BINDING ? REBAL_NONE : 0, &id, 1, NULL),
                     REBAL_OK);
  }
}

static void close_tables(struct tables *tables) {
  rebal_builder_free(tables->builder);
  rebal_bindings_free(tables->bindings);
  rebal_fleet_free(tables->fleet);
}

/* A value that the column takes and that it does not hold when unset. */
static int64_t value_for(struct tables *tables, uint32_t column) {
  const rebal_record *record = NULL;
  const struct rebali_field_info *info = rebali_field_find(column);
  uint32_t handle = REBAL_NONE;

  if (info->type == REBAL_TYPE_CLUSTER) {
    return tables->cluster;
  }
  if (info->type != REBAL_TYPE_HANDLE) {
    return 1; /* of POD.NODE too: there are two nodes */
  }
  ck_assert_int_eq(rebal_builder_start(tables->builder, info->child, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_finish(tables->builder, &record, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_intern(tables->fleet, record, &handle, NULL), REBAL_OK);
  return handle;
}

/* What holds the name of a row can only be read. */
static int check_name(rebal_cells *cells, uint32_t column, uint32_t parent, uint32_t id) {
  static const uint32_t offsets[] = {0, 1};
  const char *name = column == REBAL_CLUSTER_NAME ? "m1" : "n1";
  rebal_error err = REBAL_ERROR_INIT;

  if (column != REBAL_CLUSTER_NAME && column != REBAL_NODE_NAME) {
    return 0;
  }
  ck_assert_int_eq(rebal_cells_set_text(cells, column, parent, id, TEXT("x"), &err), REBAL_EINVAL);
  ck_assert_ptr_nonnull(strstr(err.message, "is read-only: rows get their names when they are added"));
  ck_assert_int_eq(rebal_cells_put_text(cells, column, parent, &id, "x", offsets, 1, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_cells_set_i64(cells, column, parent, id, 1, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_cells_get_i64(cells, column, parent, id), REBAL_ABSENT);
  ck_assert_str_eq(rebal_cells_get_text(cells, column, parent, id, NULL), name);
  ck_assert_str_eq(rebal_cells_get_text(cells, column, parent == REBAL_NONE ? 0 : REBAL_NONE, id, NULL), "");
  ck_assert_str_eq(rebal_cells_get_text(cells, column, parent, id + 1, NULL), "");
  return 1;
}

static void check_column(struct tables *tables, rebal_cells *cells, uint32_t column, uint32_t parent, uint32_t id) {
  const rebal_time moment = {7, 0, 1};
  const uint32_t wrong_parent = parent == REBAL_NONE ? 0 : REBAL_NONE;
  const uint32_t type = rebali_field_find(column)->type;
  const int64_t value = value_for(tables, column);
  rebal_time time = {0, 0, 0};

  if (type == REBAL_TYPE_TEXT) {
    ck_assert_int_eq(rebal_cells_set_text(cells, column, wrong_parent, id, TEXT("web"), NULL) == REBAL_OK, 0);
    ck_assert_int_eq(rebal_cells_set_text(cells, column, parent, id, TEXT("web"), NULL), REBAL_OK);
    ck_assert_str_eq(rebal_cells_get_text(cells, column, parent, id, NULL), "web");
    ck_assert_str_eq(rebal_cells_get_text(cells, column, wrong_parent, id, NULL), "");
    ck_assert_int_eq(rebal_cells_set_i64(cells, column, parent, id, 1, NULL), REBAL_EINVAL);
  } else if (type == REBAL_TYPE_TIME) {
    ck_assert_int_eq(rebal_cells_set_time(cells, column, parent, id, &moment, NULL), REBAL_OK);
    rebal_cells_get_time(cells, column, parent, id, &time);
    ck_assert(time.is_set && time.seconds == 7);
    rebal_cells_get_time(cells, column, wrong_parent, id, &time);
    ck_assert_uint_eq(time.is_set, 0);
    ck_assert_int_eq(rebal_cells_set_text(cells, column, parent, id, TEXT("web"), NULL), REBAL_EINVAL);
  } else {
    ck_assert_int_ne(rebal_cells_get_i64(cells, column, parent, id), value);
    ck_assert_int_eq(rebal_cells_set_i64(cells, column, parent, id, value, NULL), REBAL_OK);
    ck_assert_int_eq(rebal_cells_get_i64(cells, column, parent, id), value);
    ck_assert_int_eq(rebal_cells_get_i64(cells, column, wrong_parent, id), REBAL_ABSENT);
    ck_assert_int_eq(rebal_cells_set_time(cells, column, parent, id, &moment, NULL), REBAL_EINVAL);
  }
}

static void check_table(struct tables *tables, rebal_cells *cells, uint32_t table, uint32_t parent, uint32_t id) {
  uint32_t columns[64];
  size_t n = 0;

  ck_assert_int_eq(rebal_describe_object(table, columns, 64, &n, NULL), REBAL_OK);
  for (size_t i = 0; i < n; i++) {
    /* Adding the node has set HAS_NODES. */
    if (columns[i] != REBAL_CLUSTER_HAS_NODES && !check_name(cells, columns[i], parent, id)) {
      check_column(tables, cells, columns[i], parent, id);
    }
  }
}

START_TEST(test_every_column_takes_its_type) {
  struct tables tables;

  open_tables(&tables);
  for (uint32_t table = REBAL_TABLE_BINDING; table <= REBAL_TABLE_HISTORY; table++) {
    check_table(&tables, rebal_bindings_cells(tables.bindings), table, REBAL_NONE, 0);
  }
  for (size_t i = 0; i < REBALI_COUNT(fleet_tables); i++) {
    check_table(&tables, rebal_fleet_cells(tables.fleet), fleet_tables[i],
                fleet_tables[i] == REBAL_TABLE_CLUSTER ? REBAL_NONE : tables.cluster,
                fleet_tables[i] == REBAL_TABLE_NODE ? tables.node : 0);
  }
  close_tables(&tables);
}
END_TEST

/* Names outlive their rows; a snapshot has those of its moment. */
START_TEST(test_names_of_missing_rows) {
  struct tables tables;
  rebal_cells *cells;
  rebal_snapshot *before, *after;
  uint32_t id;

  open_tables(&tables);
  cells = rebal_fleet_cells(tables.fleet);
  before = freeze(tables.fleet);
  ck_assert_int_eq(rebal_fleet_cluster_id(tables.fleet, TEXT("m2"), &id, NULL), REBAL_OK);
  ck_assert_str_eq(rebal_cells_get_text(cells, REBAL_CLUSTER_NAME, REBAL_NONE, id, NULL), "m2");
  ck_assert_str_eq(rebal_cells_get_text(cells, REBAL_NODE_NAME, 0, 0, NULL), "n0");
  ck_assert_int_eq(rebal_cells_remove(cells, REBAL_TABLE_NODE, 0, &tables.node, 1, NULL), REBAL_OK);
  ck_assert_str_eq(rebal_cells_get_text(cells, REBAL_NODE_NAME, 0, tables.node, NULL), "n1");
  ck_assert_int_eq(rebal_cells_remove(cells, REBAL_TABLE_CLUSTER, REBAL_NONE, &tables.cluster, 1, NULL), REBAL_OK);
  after = freeze(tables.fleet);
  ck_assert_str_eq(rebal_cells_get_text(rebal_snapshot_cells(after), REBAL_CLUSTER_NAME, REBAL_NONE, 0, NULL), "m1");
  ck_assert_str_eq(rebal_cells_get_text(rebal_snapshot_cells(after), REBAL_CLUSTER_NAME, REBAL_NONE, id, NULL), "m2");
  ck_assert_str_eq(rebal_cells_get_text(rebal_snapshot_cells(after), REBAL_NODE_NAME, 0, 0, NULL), "");
  ck_assert_str_eq(rebal_cells_get_text(rebal_snapshot_cells(before), REBAL_CLUSTER_NAME, REBAL_NONE, id, NULL), "");
  rebal_snapshot_unref(before);
  rebal_snapshot_unref(after);
  close_tables(&tables);
}
END_TEST

START_TEST(test_resources_are_rows) {
  rebal_fleet *fleet = new_fleet();
  rebal_cells *cells = rebal_fleet_cells(fleet);
  rebal_snapshot *before;
  uint32_t cpu, memory;

  ck_assert_uint_eq(rebal_cells_count(cells, REBAL_TABLE_RESOURCE, REBAL_NONE), 0);
  ck_assert_int_eq(rebal_fleet_resource_id(fleet, TEXT("cpu"), &cpu, NULL), REBAL_OK);
  before = freeze(fleet);
  ck_assert_int_eq(rebal_fleet_resource_id(fleet, TEXT("memory"), &memory, NULL), REBAL_OK);
  ck_assert_uint_eq(rebal_cells_count(cells, REBAL_TABLE_RESOURCE, REBAL_NONE), 2);
  ck_assert_uint_eq(rebal_cells_bound(cells, REBAL_TABLE_RESOURCE, REBAL_NONE), 2);
  ck_assert_uint_eq(rebal_cells_next(cells, REBAL_TABLE_RESOURCE, REBAL_NONE, cpu), memory);
  ck_assert_uint_eq(rebal_cells_next(cells, REBAL_TABLE_RESOURCE, REBAL_NONE, memory), REBAL_NONE);
  ck_assert_int_eq(rebal_cells_has(cells, REBAL_TABLE_RESOURCE, REBAL_NONE, memory), 1);
  ck_assert_int_eq(rebal_cells_has(cells, REBAL_TABLE_RESOURCE, 0, memory), 0);
  ck_assert_str_eq(rebal_cells_get_text(cells, REBAL_RESOURCE_NAME, REBAL_NONE, memory, NULL), "memory");
  ck_assert_int_eq(rebal_cells_set_text(cells, REBAL_RESOURCE_NAME, REBAL_NONE, cpu, TEXT("x"), NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_cells_add(cells, REBAL_TABLE_RESOURCE, REBAL_NONE, &cpu, 1, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_cells_remove(cells, REBAL_TABLE_RESOURCE, REBAL_NONE, &memory, 1, NULL), REBAL_EINVAL);
  ck_assert_uint_eq(rebal_cells_count(rebal_snapshot_cells(before), REBAL_TABLE_RESOURCE, REBAL_NONE), 1);
  ck_assert_str_eq(rebal_cells_get_text(rebal_snapshot_cells(before), REBAL_RESOURCE_NAME, REBAL_NONE, memory, NULL),
                   "");
  rebal_snapshot_unref(before);
  rebal_fleet_free(fleet);
}
END_TEST

/* A snapshot has what the fleet had; the fleet is read as it is now. */
START_TEST(test_a_fleet_and_its_snapshot) {
  struct tables tables;
  const rebal_cells *frozen;
  rebal_cells *cells;
  rebal_snapshot *snapshot;

  open_tables(&tables);
  cells = rebal_fleet_cells(tables.fleet);
  ck_assert_int_eq(rebal_cells_set_text(cells, REBAL_POD_NAMESPACE, 0, 0, TEXT("shop"), NULL), REBAL_OK);
  ck_assert_int_eq(rebal_cells_set_i64(cells, REBAL_NODE_UNSCHEDULABLE, 0, 1, 1, NULL), REBAL_OK);
  snapshot = freeze(tables.fleet);
  frozen = rebal_snapshot_cells(snapshot);
  ck_assert_int_eq(rebal_cells_set_text(cells, REBAL_POD_NAMESPACE, 0, 0, TEXT("bank"), NULL), REBAL_OK);
  ck_assert_int_eq(rebal_cells_remove(cells, REBAL_TABLE_NODE, 0, &tables.node, 1, NULL), REBAL_OK);
  ck_assert_str_eq(rebal_cells_get_text(frozen, REBAL_POD_NAMESPACE, 0, 0, NULL), "shop");
  ck_assert_str_eq(rebal_cells_get_text(cells, REBAL_POD_NAMESPACE, 0, 0, NULL), "bank");
  ck_assert_int_eq(rebal_cells_get_i64(frozen, REBAL_NODE_UNSCHEDULABLE, 0, 1), 1);
  ck_assert_int_eq(rebal_cells_get_i64(cells, REBAL_NODE_UNSCHEDULABLE, 0, 1), REBAL_ABSENT);
  rebal_snapshot_unref(snapshot);
  close_tables(&tables);
}
END_TEST

START_TEST(test_many_nodes_in_one_call) {
  rebal_fleet *fleet = new_fleet();
  rebal_cells *cells = rebal_fleet_cells(fleet);
  const uint32_t ids[3] = {0, 2, 7};
  const int64_t values[3] = {1, 1, 1};
  rebal_error err = REBAL_ERROR_INIT;
  uint32_t node;

  add_cluster(fleet, "m1");
  for (char name[3] = "n0"; name[1] < '5'; name[1]++) {
    ck_assert_int_eq(rebal_fleet_add_node(fleet, 0, name, 2, &node, NULL), REBAL_OK);
  }
  ck_assert_int_eq(rebal_cells_put_i64(cells, REBAL_NODE_UNSCHEDULABLE, 0, ids, values, 3, &err), REBAL_ENOTFOUND);
  ck_assert_int_eq(err.where, 7);
  for (node = 0; node < 5; node++) {
    ck_assert_int_eq(rebal_cells_get_i64(cells, REBAL_NODE_UNSCHEDULABLE, 0, node), node == 0 || node == 2);
  }
  ck_assert_int_eq(rebal_cells_put_i64(cells, REBAL_NODE_UNSCHEDULABLE, 0, NULL, values, 2, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_cells_get_i64(cells, REBAL_NODE_UNSCHEDULABLE, 0, 1), 1);
  ck_assert_int_eq(rebal_cells_put_i64(cells, REBAL_NODE_UNSCHEDULABLE, 9, ids, values, 1, NULL), REBAL_ENOTFOUND);
  ck_assert_int_eq(rebal_cells_put_i64(cells, REBAL_NODE_TAINTS, 0, ids, values, 1, NULL), REBAL_EINVAL);
  rebal_fleet_free(fleet);
}
END_TEST

START_TEST(test_a_snapshot_has_no_tables_of_others) {
  struct tables tables;
  const int64_t one = 1;

  open_tables(&tables);
  ck_assert_int_eq(rebal_cells_set_i64(rebal_fleet_cells(tables.fleet), REBAL_BINDING_REPLICAS, REBAL_NONE, 0, 1, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_cells_set_i64(rebal_bindings_cells(tables.bindings), REBAL_POD_READY, 0, 0, 1, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_cells_set_i64(rebal_fleet_cells(tables.fleet), REBAL_DECISION_OUTCOME, REBAL_NONE, 0, 1, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_cells_put_i64(NULL, REBAL_POD_READY, 0, NULL, &one, 1, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_fleet_cells(tables.fleet), REBAL_BINDING_REPLICAS, REBAL_NONE, 0),
                   REBAL_ABSENT);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_fleet_cells(tables.fleet), REBAL_DECISION_OUTCOME, REBAL_NONE, 0),
                   REBAL_ABSENT);
  close_tables(&tables);
}
END_TEST

START_TEST(test_other_than_a_column) {
  static const uint32_t columns[] = {0, REBAL_TAINT_KEY, REBAL_PAIR_VALUE, UINT32_MAX};
  struct tables tables;

  open_tables(&tables);
  for (size_t i = 0; i < REBALI_COUNT(columns); i++) {
    ck_assert_int_eq(rebal_cells_set_i64(rebal_fleet_cells(tables.fleet), columns[i], REBAL_NONE, 0, 1, NULL),
                     REBAL_EUNSUPPORTED);
    ck_assert_int_eq(
        rebal_cells_set_text(rebal_bindings_cells(tables.bindings), columns[i], REBAL_NONE, 0, "x", 1, NULL),
        REBAL_EUNSUPPORTED);
  }
  close_tables(&tables);
}
END_TEST

/* A batch ends with the first missing row. */
START_TEST(test_a_batch_whose_first_row_is_wrong) {
  static const uint32_t rows[] = {999, 0};
  static const char bytes[] = "ab";
  static const uint32_t offsets[] = {0, 1, 2};
  const rebal_time times[2] = {{1, 0, 1}, {2, 0, 1}};
  struct tables tables;
  rebal_cells *cells;
  rebal_time time;

  open_tables(&tables);
  cells = rebal_bindings_cells(tables.bindings);
  ck_assert_int_eq(rebal_cells_put_text(cells, REBAL_BINDING_NAMESPACE, REBAL_NONE, rows, bytes, offsets, 2, NULL),
                   REBAL_ENOTFOUND);
  ck_assert_int_eq(rebal_cells_put_time(cells, REBAL_BINDING_LAST_SCHEDULED_TIME, REBAL_NONE, rows, times, 2, NULL),
                   REBAL_ENOTFOUND);
  ck_assert_str_eq(rebal_cells_get_text(cells, REBAL_BINDING_NAMESPACE, REBAL_NONE, 0, NULL), "");
  rebal_cells_get_time(cells, REBAL_BINDING_LAST_SCHEDULED_TIME, REBAL_NONE, 0, &time);
  ck_assert_uint_eq(time.is_set, 0);
  close_tables(&tables);
}
END_TEST

UNIT_CASE(cells) {
  TCase *cases = tcase_create("cells");

  tcase_add_test(cases, test_every_column_takes_its_type);
  tcase_add_test(cases, test_names_of_missing_rows);
  tcase_add_test(cases, test_resources_are_rows);
  tcase_add_test(cases, test_a_fleet_and_its_snapshot);
  tcase_add_test(cases, test_many_nodes_in_one_call);
  tcase_add_test(cases, test_a_snapshot_has_no_tables_of_others);
  tcase_add_test(cases, test_other_than_a_column);
  tcase_add_test(cases, test_a_batch_whose_first_row_is_wrong);
  return cases;
}
