/* SPDX-License-Identifier: MIT */
/* A fleet in which every cell that can be set is set, and ways to save and load it. */
#ifndef TEST_FLEET_SAVED_WORLD_H
#define TEST_FLEET_SAVED_WORLD_H

#include "fleet/saved.h"
#include "making.h"

#define MOST_COLUMNS 64

struct bytes {
  unsigned char *at;
  size_t len;
};

static inline struct bytes save(const rebal_fleet *fleet, const rebal_bindings *bindings, const rebal_ledger *ledger) {
  struct bytes bytes = {NULL, 0};
  size_t len = 0;

  ck_assert_int_eq(rebal_fleet_save(fleet, bindings, ledger, NULL, 0, &bytes.len, NULL), REBAL_OK);
  bytes.at = malloc(bytes.len);
  ck_assert_ptr_nonnull(bytes.at);
  ck_assert_int_eq(rebal_fleet_save(fleet, bindings, ledger, bytes.at, bytes.len, &len, NULL), REBAL_OK);
  ck_assert_uint_eq(len, bytes.len);
  return bytes;
}

static inline void assert_same_bytes(struct bytes left, struct bytes right) {
  ck_assert_uint_eq(left.len, right.len);
  ck_assert_mem_eq(left.at, right.at, left.len);
}

/* ---- a world in which every cell that can be set is set ---------------------------------------------------------- */

struct saved_world {
  struct test_world world;
  rebal_ledger *ledger;
  int64_t handles[REBALI_KINDS]; /* one of each kind */
};

/* Interns a taint with the time since which it exists. */
static inline void intern_taint_of_old(struct test_world *world) {
  rebal_builder *builder = world->builder;
  const rebal_time time = {1700000000, 5, 1};
  const rebal_record *record = NULL;
  uint32_t handle;

  ck_assert_int_eq(rebal_builder_start(builder, REBAL_OBJECT_TAINTS, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_begin(builder, REBAL_TAINTS_TAINT, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_time(builder, REBAL_TAINT_TIME_ADDED, &time, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_end(builder, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_finish(builder, &record, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_intern(world->fleet, record, &handle, NULL), REBAL_OK);
}

static inline void intern_kinds(struct saved_world *saved) {
  struct test_world *world = &saved->world;

  (void)test_request_handle(world, "cpu=500m memory=1Gi @disk=ssd ?zone:In:a,b ~key:Exists /ns !class");
  intern_taint_of_old(world);
  (void)test_taints_handle(world, "k=v:NoSchedule");
  (void)test_zones_handle(world, "z1 z2");
  (void)test_labels_handle(world, "a=1 b=2");
  (void)test_apis_handle(world, "apps/v1=Deployment");
  (void)test_placement_handle(world, &(struct test_placement){.affinity = &(struct test_affinity){.clusters = "m1 m2"},
                                                              .tolerations = "key:Equal:value:NoExecute",
                                                              .spreads = "region:1:2",
                                                              .scheduling = "Divided/Weighted",
                                                              .weights = "m1=1 *=2"});
  for (uint32_t kind = 0; kind < REBALI_KINDS; kind++) {
    saved->handles[kind] = (int64_t)rebali_store_known(&world->fleet->store->known_records[kind]) - 1;
  }
}

static inline int64_t empty_of(const struct saved_world *saved, uint32_t object) {
  const rebal_record *record = NULL;
  uint32_t handle = REBAL_NONE;

  ck_assert_int_eq(rebal_builder_start(saved->world.builder, object, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_finish(saved->world.builder, &record, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_intern(saved->world.fleet, record, &handle, NULL), REBAL_OK);
  return handle;
}

/* Returns a different value for each row, never that of an unset cell. */
static inline int64_t value_for(const struct saved_world *saved, const rebal_description *about, uint32_t row) {
  if (about->type == REBAL_TYPE_HANDLE) {
    const int64_t handle = saved->handles[rebali_store_kind(about->child)];

    return handle >= 0 ? handle : empty_of(saved, about->child);
  }
  switch (about->type) {
    case REBAL_TYPE_CLUSTER:
      return row % 2;
    case REBAL_TYPE_INT64:
      return row % 3 == 0 ? INT64_MAX : 300 + (int64_t)row;
    case REBAL_TYPE_INT32:
      return row % 3 == 0 ? 40000 : 1 + (int64_t)row;
    default:
      return 1;
  }
}

static inline void set_cell(const struct saved_world *saved, rebal_cells *cells, uint32_t column, uint32_t parent,
                            uint32_t row) {
  rebal_description about = {.struct_size = sizeof about};
  const rebal_time time = {1000 + (int64_t)row, 0, 1};
  int32_t code;

  ck_assert_int_eq(rebal_describe(column, &about, NULL), REBAL_OK);
  if (column == REBAL_POD_NODE) {
    code = rebal_cells_set_i64(cells, column, parent, row, row % 3, NULL);
  } else if (about.type == REBAL_TYPE_TEXT) {
    code = rebal_cells_set_text(cells, column, parent, row, "text\0 of a cell", 5 + row % 8, NULL);
  } else if (about.type == REBAL_TYPE_TIME) {
    code = rebal_cells_set_time(cells, column, parent, row, &time, NULL);
  } else {
    code = rebal_cells_set_i64(cells, column, parent, row, value_for(saved, &about, row), NULL);
  }
  ck_assert_int_eq(code, REBAL_OK);
}

static inline int is_name(uint32_t column) {
  return column == REBAL_CLUSTER_NAME || column == REBAL_NODE_NAME;
}

static inline void set_row(const struct saved_world *saved, rebal_cells *cells, uint32_t table, uint32_t parent,
                           uint32_t row) {
  uint32_t columns[MOST_COLUMNS];
  size_t n = 0;

  ck_assert_int_eq(rebal_describe_object(table, columns, MOST_COLUMNS, &n, NULL), REBAL_OK);
  for (size_t i = 0; i < n; i++) {
    if (!is_name(columns[i])) {
      set_cell(saved, cells, columns[i], parent, row);
    }
  }
}

static inline void add_nodes(struct saved_world *saved) {
  struct test_world *world = &saved->world;
  rebal_cells *cells = rebal_fleet_cells(world->fleet);
  uint32_t gone;

  ck_assert_int_eq(rebal_fleet_node_id(world->fleet, 0, TEXT("promised"), &gone, NULL), REBAL_OK);
  (void)test_set_node(world, 0,
                      &(struct test_node){"n1", "cpu=4 memory=8Gi pods=10", "zone=b disk=ssd", "k=v:NoSchedule"});
  (void)test_set_node(world, 0,
                      &(struct test_node){"n2", "cpu=1500m pods=10", "topology.kubernetes.io/zone=z2", NULL, 1});
  (void)test_set_node(world, 0, &(struct test_node){"n3", "cpu=2", "topology.kubernetes.io/zone=z1 a=b", NULL});
  gone = test_set_node(world, 0, &(struct test_node){"n4", "cpu=2", "a=b", NULL});
  ck_assert_int_eq(rebal_cells_remove(cells, REBAL_TABLE_NODE, 0, &gone, 1, NULL), REBAL_OK);
  /* n2 moves after n3. */
  (void)test_set_node(world, 0, &(struct test_node){"n2", "cpu=1500m pods=10", "topology.kubernetes.io/zone=z3", NULL});
  test_set_quotas(world, 0, &(struct test_quota){"ns", "cpu=4", "cpu=1", "BestEffort", "scopeName:Exists"}, 1);
}

/* Adds rows 0 to 5 and removes 1, 4 and 2, in this order. */
static inline void add_rows(const struct saved_world *saved) {
  static const uint32_t gone[] = {1, 4, 2};
  rebal_cells *cells = rebal_fleet_cells(saved->world.fleet);
  uint32_t ids[6];

  for (uint32_t table = REBAL_TABLE_POD; table <= REBAL_TABLE_REPLICA_SET; table++) {
    ck_assert_int_eq(rebal_cells_add(cells, table, 0, ids, 6, NULL), REBAL_OK);
    for (size_t i = 0; i < 6; i++) {
      set_row(saved, cells, table, 0, ids[i]);
    }
    ck_assert_int_eq(rebal_cells_remove(cells, table, 0, gone, 3, NULL), REBAL_OK);
  }
}

static inline void add_bindings(const struct saved_world *saved) {
  rebal_cells *cells = rebal_bindings_cells(saved->world.bindings);
  static const uint32_t parents[] = {2, 0, 2, 1};
  uint32_t ids[4];

  ck_assert_int_eq(rebal_cells_add(cells, REBAL_TABLE_BINDING, REBAL_NONE, ids, 3, NULL), REBAL_OK);
  for (uint32_t row = 0; row < 3; row++) {
    set_row(saved, cells, REBAL_TABLE_BINDING, REBAL_NONE, row);
  }
  for (uint32_t i = 1; i < REBALI_BINDING_TABLES; i++) {
    ck_assert_int_eq(rebal_cells_add_children(cells, REBAL_TABLE_BINDING + i, parents, ids, 4, NULL), REBAL_OK);
    set_row(saved, cells, REBAL_TABLE_BINDING + i, REBAL_NONE, 3);
    set_row(saved, cells, REBAL_TABLE_BINDING + i, REBAL_NONE, 1);
  }
}

static inline void open_saved(struct saved_world *saved) {
  struct test_world *world = &saved->world;
  const rebal_time expiry = {2000, 7, 1};
  const uint32_t requirements[] = {0, REBAL_NONE};
  uint32_t removed;

  memset(saved, 0, sizeof *saved);
  test_world_open(world, NULL);
  (void)test_add_cluster(world, &(struct test_cluster){"m1", "cpu=10 memory=1Gi pods=5", "cpu=1", "cpu=250m"});
  (void)test_cluster_id(world, "named-only");
  removed = test_add_cluster(world, &(struct test_cluster){"removed", "cpu=3"});
  (void)test_add_cluster(world, &(struct test_cluster){"m2", "cpu=20", .region = "eu"});
  (void)test_add_cluster(world, &(struct test_cluster){"bare"});
  ck_assert_int_eq(
      rebal_cells_remove(rebal_fleet_cells(world->fleet), REBAL_TABLE_CLUSTER, REBAL_NONE, &removed, 1, NULL),
      REBAL_OK);
  intern_kinds(saved);
  add_nodes(saved);
  add_rows(saved);
  set_row(saved, rebal_fleet_cells(world->fleet), REBAL_TABLE_CLUSTER, REBAL_NONE, 0);
  /* Hides a summary and nodes. */
  set_i64(world->fleet, REBAL_CLUSTER_HAS_SUMMARY, 3, 0);
  (void)test_set_node(world, 3, &(struct test_node){"n1", "cpu=4", "a=b", NULL});
  set_i64(world->fleet, REBAL_CLUSTER_HAS_NODES, 3, 0);
  add_bindings(saved);
  ck_assert_int_eq(rebal_ledger_new(world->fleet, NULL, &saved->ledger, NULL), REBAL_OK);
  test_charge(saved->ledger, "ns/b", 1, 0, 2);
  ck_assert_int_eq(test_charge_set(saved->ledger, "ns/b", 3, requirements, (const int32_t[]){3, 4}, 2, &expiry),
                   REBAL_OK);
  test_charge(saved->ledger, "ns/a", 3, REBAL_NONE, 5);
}

static inline void close_saved(struct saved_world *saved) {
  rebal_ledger_free(saved->ledger);
  test_world_close(&saved->world);
}

/* ---- round trips ------------------------------------------------------------------------------------------------- */

struct loaded {
  rebal_fleet *fleet;
  rebal_bindings *bindings;
  rebal_ledger *ledger;
};

static inline struct loaded load(struct bytes bytes) {
  struct loaded loaded = {NULL, NULL, NULL};
  rebal_error err = REBAL_ERROR_INIT;
  const int32_t code =
      rebal_fleet_load(NULL, bytes.at, bytes.len, &loaded.fleet, &loaded.bindings, &loaded.ledger, &err);

  ck_assert_msg(code == REBAL_OK, "%d at %lld: %s", (int)code, (long long)err.where, err.message);
  return loaded;
}

static inline void unload(struct loaded *loaded) {
  rebal_ledger_free(loaded->ledger);
  rebal_bindings_free(loaded->bindings);
  rebal_fleet_free(loaded->fleet);
}

static inline void assert_same_fingerprints(rebal_fleet *left, rebal_fleet *right) {
  rebal_snapshot *a = freeze(left), *b = freeze(right);
  const struct rebali_fingerprint first = rebali_snapshot_fingerprint(a), second = rebali_snapshot_fingerprint(b);

  ck_assert_uint_eq(first.high, second.high);
  ck_assert_uint_eq(first.low, second.low);
  rebal_snapshot_unref(a);
  rebal_snapshot_unref(b);
}

#endif
