/* SPDX-License-Identifier: MIT */
/* Whatever cell is set, in whatever column, the fingerprint is another; how it came about does not matter. */
#include "making.h"

#define MOST_COLUMNS 64

struct world {
  rebal_fleet *fleet;
  rebal_bindings *bindings;
  uint32_t m1;
  uint32_t m2;
};

static void open_world(struct world *world) {
  uint32_t row;

  world->fleet = new_fleet();
  world->m1 = add_cluster(world->fleet, "m1");
  world->m2 = add_cluster(world->fleet, "m2");
  ck_assert_int_eq(rebal_bindings_new(world->fleet, NULL, &world->bindings, NULL), REBAL_OK);
  ck_assert_int_eq(
      rebal_cells_add(rebal_bindings_cells(world->bindings), REBAL_TABLE_BINDING, REBAL_NONE, &row, 1, NULL), REBAL_OK);
  for (uint32_t table = REBAL_TABLE_TARGET; table <= REBAL_TABLE_COMPONENT; table++) {
    ck_assert_int_eq(rebal_cells_add(rebal_bindings_cells(world->bindings), table, 0, &row, 1, NULL), REBAL_OK);
  }
}

static void close_world(struct world *world) {
  rebal_bindings_free(world->bindings);
  rebal_fleet_free(world->fleet);
}

static uint64_t fingerprint_of(struct world *world) {
  rebal_snapshot *snapshot = freeze(world->fleet);
  struct rebali_digest digest;
  uint64_t number = rebali_snapshot_fingerprint(snapshot).high;

  ck_assert_int_eq(rebal_bindings_freeze(world->bindings, NULL), REBAL_OK);
  rebali_digest_begin(&digest, 0, number);
  rebali_digest_bindings(&digest, world->bindings, 0, 1);
  rebal_snapshot_unref(snapshot);
  return rebali_digest_end(&digest).high;
}

static int64_t intern_empty(const struct world *world, uint32_t object) {
  rebal_builder *builder = NULL;
  const rebal_record *record = NULL;
  uint32_t handle = REBAL_NONE;

  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_start(builder, object, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_finish(builder, &record, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_intern(world->fleet, record, &handle, NULL), REBAL_OK);
  rebal_builder_free(builder);
  return handle;
}

/* A value that no cell has by itself. */
static int64_t value_for(const struct world *world, uint32_t column, uint32_t type) {
  if (type == REBAL_TYPE_HANDLE) {
    return intern_empty(world, rebali_field_find(column)->child);
  }
  return type == REBAL_TYPE_CLUSTER ? (int64_t)world->m2 : 1;
}

/* Sets one cell: of m1, or of the only row of a table of bindings. */
static void set_cell(const struct world *world, uint32_t column, uint32_t type) {
  const rebal_time moment = {7, 0, 1};
  const int is_cluster = column / 256 == REBAL_TABLE_CLUSTER;
  int32_t code;

  if (type == REBAL_TYPE_TEXT) {
    code = is_cluster
               ? rebal_cells_set_text(rebal_fleet_cells(world->fleet), column, REBAL_NONE, world->m1, TEXT("x"), NULL)
               : rebal_cells_set_text(rebal_bindings_cells(world->bindings), column, REBAL_NONE, 0, TEXT("x"), NULL);
  } else if (type == REBAL_TYPE_TIME) {
    code = rebal_cells_set_time(rebal_bindings_cells(world->bindings), column, REBAL_NONE, 0, &moment, NULL);
  } else {
    const int64_t value = value_for(world, column, type);

    code = is_cluster ? rebal_cells_set_i64(rebal_fleet_cells(world->fleet), column, REBAL_NONE, world->m1, value, NULL)
                      : rebal_cells_set_i64(rebal_bindings_cells(world->bindings), column, REBAL_NONE, 0, value, NULL);
  }
  ck_assert_int_eq(code, REBAL_OK);
}

START_TEST(test_every_cell_counts) {
  const uint32_t table = (uint32_t)_i;
  uint32_t columns[MOST_COLUMNS];
  uint64_t seen[MOST_COLUMNS + 1];
  size_t n = 0;
  struct world world;

  ck_assert_int_eq(rebal_describe_object(table, columns, MOST_COLUMNS, &n, NULL), REBAL_OK);
  ck_assert_uint_gt(n, 0);
  for (size_t i = 0; i <= n; i++) {
    rebal_description about = {.struct_size = sizeof about};

    if (i < n && (columns[i] == REBAL_CLUSTER_NAME || columns[i] == REBAL_NODE_NAME)) { /* no cell can be set */
      seen[i] = 0;
      continue;
    }
    open_world(&world);
    if (i < n) {
      ck_assert_int_eq(rebal_describe(columns[i], &about, NULL), REBAL_OK);
      set_cell(&world, columns[i], about.type);
    }
    seen[i] = fingerprint_of(&world);
    for (size_t j = 0; j < i; j++) {
      ck_assert_uint_ne(seen[i], seen[j]);
    }
    close_world(&world);
  }
}
END_TEST

static void set_amount(const struct world *world, uint32_t part, const char *resource, int64_t units) {
  const rebal_quantity amount = {units, 0, REBAL_QUANTITY_FORMAT_DECIMAL_SI};
  uint32_t id = REBAL_NONE;

  ck_assert_int_eq(rebal_fleet_resource_id(world->fleet, resource, strlen(resource), &id, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_set_capacity(world->fleet, part, world->m1, id, &amount, NULL), REBAL_OK);
}

START_TEST(test_amounts_by_name) {
  struct world worlds[4];
  uint64_t prints[4];

  for (size_t i = 0; i < 4; i++) {
    open_world(&worlds[i]);
  }
  set_amount(&worlds[0], REBAL_CAPACITY_ALLOCATABLE, "cpu", 1);
  set_amount(&worlds[0], REBAL_CAPACITY_ALLOCATABLE, "pods", 2);
  set_amount(&worlds[1], REBAL_CAPACITY_ALLOCATABLE, "pods", 2);
  set_amount(&worlds[1], REBAL_CAPACITY_ALLOCATABLE, "cpu", 1);
  set_amount(&worlds[2], REBAL_CAPACITY_ALLOCATABLE, "cpu", 2);
  set_amount(&worlds[2], REBAL_CAPACITY_ALLOCATABLE, "pods", 1);
  set_amount(&worlds[3], REBAL_CAPACITY_ALLOCATED, "cpu", 1);
  set_amount(&worlds[3], REBAL_CAPACITY_ALLOCATABLE, "pods", 2);
  for (size_t i = 0; i < 4; i++) {
    prints[i] = fingerprint_of(&worlds[i]);
    close_world(&worlds[i]);
  }
  ck_assert_uint_eq(prints[0], prints[1]);
  ck_assert_uint_ne(prints[0], prints[2]);
  ck_assert_uint_ne(prints[0], prints[3]);
}
END_TEST

START_TEST(test_history_does_not_count) {
  struct world plain;
  struct world moved;
  uint32_t ghost = 0;
  rebal_snapshot *between;

  open_world(&plain);
  open_world(&moved);
  between = freeze(moved.fleet);
  ck_assert_int_eq(
      rebal_cells_remove(rebal_fleet_cells(moved.fleet), REBAL_TABLE_CLUSTER, REBAL_NONE, &moved.m1, 1, NULL),
      REBAL_OK);
  ck_assert_int_eq(rebal_fleet_cluster_id(moved.fleet, TEXT("ghost"), &ghost, NULL), REBAL_OK);
  rebal_snapshot_unref(between);
  between = freeze(moved.fleet);
  add_cluster(moved.fleet, "m1");
  rebal_snapshot_unref(between);
  ck_assert_uint_eq(fingerprint_of(&plain), fingerprint_of(&moved));
  close_world(&plain);
  close_world(&moved);
}
END_TEST

UNIT_CASE(fingerprint) {
  TCase *cases = tcase_create("fingerprint");
  tcase_add_loop_test(cases, test_every_cell_counts, REBAL_TABLE_CLUSTER, REBAL_TABLE_COMPONENT + 1);
  tcase_add_test(cases, test_amounts_by_name);
  tcase_add_test(cases, test_history_does_not_count);
  return cases;
}
