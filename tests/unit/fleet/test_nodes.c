/* SPDX-License-Identifier: MIT */
#include "../../support/allocator.h"
#include "fleet/nodes.h"
#include "making.h"

#include <stdio.h>

static uint32_t add_node(rebal_fleet *fleet, uint32_t cluster, const char *name) {
  uint32_t node = REBAL_NONE;

  ck_assert_int_eq(rebal_fleet_add_node(fleet, cluster, name, strlen(name), &node, NULL), REBAL_OK);
  return node;
}

/* Gives the node one label. */
static void set_label(rebal_fleet *fleet, uint32_t cluster, uint32_t node, const char *key, const char *value) {
  const rebal_record *labels =
      rebal_cells_record(rebal_fleet_cells(fleet), REBAL_OBJECT_LABELS, labels_of(fleet, key, value));

  ck_assert_int_eq(rebal_fleet_set_node_labels(fleet, cluster, node, labels, NULL), REBAL_OK);
}

START_TEST(test_coming_and_going) {
  rebal_fleet *fleet = new_fleet();
  const uint32_t a = add_cluster(fleet, "a");
  rebal_snapshot *before;
  rebal_snapshot *after;
  const uint32_t *order;
  uint32_t n;
  uint32_t node = 99;

  ck_assert_int_eq(rebal_fleet_node_id(fleet, a, TEXT("n0"), &node, NULL), REBAL_OK);
  ck_assert_uint_eq(node, 0);
  before = freeze(fleet);
  ck_assert_uint_eq(rebal_cells_bound(rebal_snapshot_cells(before), REBAL_TABLE_NODE, a), 0);
  ck_assert_ptr_null(rebali_snapshot_nodes(before, a));
  ck_assert_uint_eq(add_node(fleet, a, "n1"), 1);
  ck_assert_uint_eq(add_node(fleet, a, "n0"), 0);
  ck_assert_int_eq(rebal_fleet_add_node(fleet, a, TEXT("n0"), &node, NULL), REBAL_EEXIST);
  after = freeze(fleet);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_snapshot_cells(after), REBAL_CLUSTER_HAS_NODES, REBAL_NONE, a), 1);
  ck_assert_uint_eq(rebal_cells_bound(rebal_snapshot_cells(after), REBAL_TABLE_NODE, a), 2);
  ck_assert_str_eq(rebal_cells_get_text(rebal_snapshot_cells(after), REBAL_NODE_NAME, a, 1, NULL), "n1");
  order = rebali_nodes_order(rebali_snapshot_nodes(after, a), &n);
  ck_assert_uint_eq(n, 2);
  ck_assert(order[0] == 1 && order[1] == 0);
  ck_assert_uint_eq(rebal_cells_bound(rebal_snapshot_cells(before), REBAL_TABLE_NODE, a), 0);
  rebal_snapshot_unref(before);
  ck_assert_int_eq(rebal_cells_remove(rebal_fleet_cells(fleet), REBAL_TABLE_NODE, a, &(const uint32_t){1}, 1, NULL),
                   REBAL_OK);
  ck_assert_int_eq(rebal_cells_remove(rebal_fleet_cells(fleet), REBAL_TABLE_NODE, a, &(const uint32_t){1}, 1, NULL),
                   REBAL_ENOTFOUND);
  ck_assert(rebal_cells_has(rebal_snapshot_cells(after), REBAL_TABLE_NODE, a, 1));
  rebal_snapshot_unref(after);
  after = freeze(fleet);
  ck_assert(!rebal_cells_has(rebal_snapshot_cells(after), REBAL_TABLE_NODE, a, 1));
  ck_assert_str_eq(rebal_cells_get_text(rebal_snapshot_cells(after), REBAL_NODE_NAME, a, 1, NULL), "n1");
  rebal_snapshot_unref(after);
  ck_assert_uint_eq(add_node(fleet, a, "n1"), 1);
  rebal_fleet_free(fleet);
}
END_TEST

START_TEST(test_clearing) {
  rebal_fleet *fleet = new_fleet();
  const uint32_t a = add_cluster(fleet, "a");
  rebal_snapshot *before;
  rebal_snapshot *after;

  add_node(fleet, a, "n0");
  add_node(fleet, a, "n1");
  before = freeze(fleet);
  ck_assert_int_eq(rebal_fleet_clear_nodes(fleet, a, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_clear_nodes(fleet, a, NULL), REBAL_OK);
  after = freeze(fleet);
  ck_assert_uint_eq(rebal_cells_bound(rebal_snapshot_cells(before), REBAL_TABLE_NODE, a), 2);
  ck_assert_uint_eq(rebal_cells_bound(rebal_snapshot_cells(after), REBAL_TABLE_NODE, a), 0);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_snapshot_cells(after), REBAL_CLUSTER_HAS_NODES, REBAL_NONE, a), 0);
  rebal_snapshot_unref(after);
  rebal_snapshot_unref(before);
  ck_assert_uint_eq(add_node(fleet, a, "n1"), 0);
  ck_assert_int_eq(rebal_fleet_clear_nodes(fleet, a, NULL), REBAL_OK);
  set_i64(fleet, REBAL_CLUSTER_HAS_NODES, a, 1);
  ck_assert_int_eq(rebal_cells_remove(rebal_fleet_cells(fleet), REBAL_TABLE_CLUSTER, REBAL_NONE,
                                      &(const uint32_t){add_cluster(fleet, "b")}, 1, NULL),
                   REBAL_OK);
  after = freeze(fleet);
  ck_assert_uint_eq(rebali_snapshot_nodes(after, a)->rows, 0);
  rebal_snapshot_unref(after);
  add_node(fleet, a, "n1");
  ck_assert_int_eq(rebal_cells_remove(rebal_fleet_cells(fleet), REBAL_TABLE_CLUSTER, REBAL_NONE, &a, 1, NULL),
                   REBAL_OK);
  add_cluster(fleet, "a");
  ck_assert_uint_eq(add_node(fleet, a, "n2"), 0);
  rebal_fleet_free(fleet);
}
END_TEST

START_TEST(test_pods_wait_for_their_node) {
  rebal_fleet *fleet = new_fleet();
  const uint32_t a = add_cluster(fleet, "a");
  const uint32_t pods = resource_of(fleet, "pods");
  const int64_t first = 0;
  uint32_t row, node;

  ck_assert_int_eq(rebal_cells_add(rebal_fleet_cells(fleet), REBAL_TABLE_POD, a, &row, 1, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_cells_put_i64(rebal_fleet_cells(fleet), REBAL_POD_NODE, a, &row, &first, 1, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_fleet_node_id(fleet, a, TEXT("n"), &node, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_cells_put_i64(rebal_fleet_cells(fleet), REBAL_POD_NODE, a, &row, &first, 1, NULL), REBAL_OK);
  for (int round = 0; round < 2; round++) {
    rebal_snapshot *snapshot;

    ck_assert_uint_eq(add_node(fleet, a, "n"), node);
    snapshot = freeze(fleet);
    ck_assert_int_eq(rebal_snapshot_node_amount(snapshot, REBAL_CAPACITY_ALLOCATED, a, node, pods), 1);
    rebal_snapshot_unref(snapshot);
    ck_assert_int_eq(rebal_cells_remove(rebal_fleet_cells(fleet), REBAL_TABLE_NODE, a, &node, 1, NULL), REBAL_OK);
  }
  rebal_fleet_free(fleet);
}
END_TEST

START_TEST(test_refusals) {
  rebal_fleet *fleet = new_fleet();
  const uint32_t a = add_cluster(fleet, "a");
  const uint32_t cpu = resource_of(fleet, "cpu");
  const uint32_t twice[2] = {cpu, cpu};
  const rebal_quantity amounts[2] = {{1, 0, REBAL_QUANTITY_FORMAT_DECIMAL_SI},
                                     {2, 0, REBAL_QUANTITY_FORMAT_DECIMAL_SI}};
  const rebal_quantity bad = {1, -5, REBAL_QUANTITY_FORMAT_DECIMAL_SI};
  const uint32_t needs = requirements_of(fleet, NULL, 0);
  const rebal_record *record = rebal_cells_record(rebal_fleet_cells(fleet), REBAL_OBJECT_REQUIREMENTS, needs);
  rebal_error err = REBAL_ERROR_INIT;
  uint32_t node = 99;

  ck_assert_int_eq(rebal_fleet_add_node(fleet, 7, TEXT("n"), &node, NULL), REBAL_ENOTFOUND);
  ck_assert_int_eq(rebal_fleet_add_node(fleet, a, "", 0, &node, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_fleet_node_id(fleet, a, NULL, 1, &node, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_cells_remove(rebal_fleet_cells(fleet), REBAL_TABLE_NODE, a, &(const uint32_t){0}, 1, NULL),
                   REBAL_ENOTFOUND);
  ck_assert_int_eq(rebal_fleet_node_id(fleet, a, TEXT("n"), &node, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_cells_set_i64(rebal_fleet_cells(fleet), REBAL_NODE_UNSCHEDULABLE, a, node, 1, &err),
                   REBAL_ENOTFOUND);
  ck_assert_str_eq(err.message, "no node of the cluster has the id 0");
  add_node(fleet, a, "n");
  ck_assert_int_eq(rebal_cells_set_i64(rebal_fleet_cells(fleet), REBAL_NODE_UNSCHEDULABLE, a, node, 2, NULL),
                   REBAL_ERANGE);
  ck_assert_int_eq(rebal_cells_set_i64(rebal_fleet_cells(fleet), REBAL_NODE_TAINTS, a, node, 0, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_cells_set_i64(rebal_fleet_cells(fleet), REBAL_CLUSTER_DELETING, a, node, 0, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_cells_set_i64(rebal_fleet_cells(fleet), REBAL_NODE_UNSCHEDULABLE, REBAL_NONE, a, 0, NULL),
                   REBAL_ENOTFOUND);
  ck_assert_int_eq(rebal_fleet_set_node_labels(fleet, a, node, record, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_fleet_set_node_amounts(fleet, a, node, twice, amounts, 2, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_fleet_set_node_amounts(fleet, a, node, &cpu, &bad, 1, NULL), REBAL_EINVAL);
  node = cpu + 1;
  ck_assert_int_eq(rebal_fleet_set_node_amounts(fleet, a, 0, &node, amounts, 1, &err), REBAL_EINVAL);
  ck_assert_str_eq(err.message, "no resource has the id 1");
  ck_assert_int_eq(rebal_fleet_set_node_amounts(fleet, a, 0, NULL, amounts, 1, &err), REBAL_EINVAL);
  ck_assert_str_eq(err.message, "the array of resources is NULL");
  ck_assert_int_eq(rebal_fleet_set_node_amounts(fleet, a, 0, &cpu, NULL, 1, &err), REBAL_EINVAL);
  ck_assert_str_eq(err.message, "amounts is NULL");
  ck_assert_int_eq(rebal_fleet_put_node_amounts(fleet, a, cpu, NULL, NULL, 1, &err), REBAL_EINVAL);
  ck_assert_str_eq(err.message, "the array of amounts is NULL");
  ck_assert_int_eq(rebal_fleet_put_node_amounts(fleet, a, cpu, NULL, NULL, 0, NULL), REBAL_OK);
  rebal_fleet_free(fleet);
}
END_TEST

START_TEST(test_changes_are_reported_to_readers_of_nodes) {
  rebal_fleet *fleet = new_fleet();
  const uint32_t a = add_cluster(fleet, "a");
  const uint32_t b = add_cluster(fleet, "b");
  rebal_snapshot *snapshot;
  uint64_t version;
  const uint32_t *rows;
  size_t n;

  add_node(fleet, a, "n0");
  add_node(fleet, b, "n0");
  snapshot = freeze(fleet);
  version = rebal_snapshot_version(snapshot);
  rebal_snapshot_unref(snapshot);
  ck_assert_int_eq(rebal_cells_set_i64(rebal_fleet_cells(fleet), REBAL_NODE_UNSCHEDULABLE, b, 0, 1, NULL), REBAL_OK);
  set_label(fleet, b, 0, "k", "v");
  snapshot = freeze(fleet);
  ck_assert_int_eq(rebali_snapshot_changes(snapshot, version, REBALI_READS_NODES, &rows, &n), REBAL_OK);
  ck_assert_uint_eq(n, 1);
  ck_assert_uint_eq(rows[0], b);
  ck_assert_int_eq(rebali_snapshot_changes(snapshot, version, REBALI_READS_CELLS | REBALI_READS_CAPACITIES, &rows, &n),
                   REBAL_OK);
  ck_assert_uint_eq(n, 0);
  ck_assert_uint_eq(rebali_nodes_leaf(rebali_snapshot_nodes(snapshot, b), 0)->version, version + 1);
  ck_assert_uint_eq(rebali_nodes_leaf(rebali_snapshot_nodes(snapshot, a), 0)->version, version);
  rebal_snapshot_unref(snapshot);
  rebal_fleet_free(fleet);
}
END_TEST

/* ---- against plain arrays ---------------------------------------------------------------------------------------- */

#define CLUSTERS 70u
#define NODES 150u
#define KEYS 4u
#define RESOURCES 3u

struct plain_node {
  int present;
  int unschedulable;
  int64_t taints;
  int values[KEYS]; /* -1: none */
  int64_t amounts[RESOURCES];
};
struct world {
  struct plain_node nodes[CLUSTERS][NODES];
};

static const char *const keys[KEYS] = {"zone", "pool", "arch", "disk"};
static const char *const values[4] = {"", "one", "two", "three"};

static int is_as_reported(const rebal_snapshot *snapshot, uint32_t cluster, uint32_t node,
                          const struct plain_node *plain) {
  int same = rebal_cells_has(rebal_snapshot_cells(snapshot), REBAL_TABLE_NODE, cluster, node) == plain->present;

  if (plain->present) {
    same &= rebal_cells_get_i64(rebal_snapshot_cells(snapshot), REBAL_NODE_UNSCHEDULABLE, cluster, node) ==
                plain->unschedulable &&
            rebal_cells_get_i64(rebal_snapshot_cells(snapshot), REBAL_NODE_TAINTS, cluster, node) ==
                (plain->taints == REBAL_NONE ? REBAL_ABSENT : plain->taints);
  }
  for (uint32_t i = 0; i < KEYS; i++) {
    const char *value = rebal_snapshot_node_label(snapshot, cluster, node, TEXT(keys[i]), NULL);

    same &= plain->values[i] < 0 ? value == NULL : value != NULL && strcmp(value, values[plain->values[i]]) == 0;
  }
  for (uint32_t i = 0; i < RESOURCES; i++) {
    same &= rebal_snapshot_node_amount(snapshot, REBAL_CAPACITY_ALLOCATABLE, cluster, node, i) == plain->amounts[i];
  }
  return same;
}

static void expect_world(const rebal_snapshot *snapshot, const struct world *world) {
  for (uint32_t cluster = 0; cluster < CLUSTERS; cluster++) {
    int same = 1;

    for (uint32_t node = 0; node < rebal_cells_bound(rebal_snapshot_cells(snapshot), REBAL_TABLE_NODE, cluster);
         node++) {
      same &= is_as_reported(snapshot, cluster, node, &world->nodes[cluster][node]);
    }
    ck_assert_msg(same, "a node of cluster %lu", (unsigned long)cluster);
  }
}

static void change_labels(rebal_fleet *fleet, rebal_builder *builder, uint32_t cluster, uint32_t node,
                          struct plain_node *plain, uint32_t *random) {
  const rebal_record *record = NULL;

  rebal_builder_start(builder, REBAL_OBJECT_LABELS, NULL);
  for (uint32_t i = 0; i < KEYS; i++) {
    plain->values[i] = (int)next_random(random, 5) - 1;
    if (plain->values[i] >= 0) {
      rebal_builder_begin(builder, REBAL_LABELS_LABEL, NULL);
      rebal_builder_text(builder, REBAL_PAIR_KEY, keys[i], strlen(keys[i]), NULL);
      rebal_builder_text(builder, REBAL_PAIR_VALUE, values[plain->values[i]], strlen(values[plain->values[i]]), NULL);
      rebal_builder_end(builder, NULL);
    }
  }
  ck_assert_int_eq(rebal_builder_finish(builder, &record, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_set_node_labels(fleet, cluster, node, record, NULL), REBAL_OK);
}

static void change_amounts(rebal_fleet *fleet, uint32_t cluster, uint32_t node, struct plain_node *plain,
                           uint32_t *random) {
  uint32_t resources[RESOURCES];
  rebal_quantity amounts[RESOURCES];
  size_t n = 0;

  for (uint32_t i = 0; i < RESOURCES; i++) {
    plain->amounts[i] = 0;
    if (next_random(random, 3) != 0) {
      const int64_t units = (int64_t)next_random(random, 9) - 2;

      resources[n] = i;
      amounts[n++] = (rebal_quantity){units, units > 0 ? 500000000 : 0, REBAL_QUANTITY_FORMAT_DECIMAL_SI};
      plain->amounts[i] = i == 0 ? units * 1000 + (units > 0 ? 500 : 0) : units + (units > 0); /* 0 is cpu */
    }
  }
  ck_assert_int_eq(rebal_fleet_set_node_amounts(fleet, cluster, node, resources, amounts, n, NULL), REBAL_OK);
}

static void change(rebal_fleet *fleet, rebal_builder *builder, struct world *world, uint32_t *random) {
  const uint32_t cluster = next_random(random, 10) == 0 ? next_random(random, CLUSTERS) : next_random(random, 2);
  const uint32_t node = next_random(random, NODES);
  struct plain_node *plain = &world->nodes[cluster][node];
  const uint32_t what = next_random(random, 6);

  if (!plain->present) {
    char name[16];
    int in_order = 1;

    for (uint32_t i = 0; i <= node; i++) {
      uint32_t id = REBAL_NONE;

      (void)snprintf(name, sizeof name, "n%u", i);
      in_order &= rebal_fleet_node_id(fleet, cluster, name, strlen(name), &id, NULL) == REBAL_OK && id == i;
    }
    ck_assert(in_order);
    ck_assert_uint_eq(add_node(fleet, cluster, name), node);
    plain->present = 1;
  } else if (what == 0) {
    ck_assert_int_eq(rebal_cells_remove(rebal_fleet_cells(fleet), REBAL_TABLE_NODE, cluster, &node, 1, NULL), REBAL_OK);
    *plain = (struct plain_node){0, 0, (int64_t)REBAL_NONE, {-1, -1, -1, -1}, {0}};
  } else if (what == 1) {
    plain->unschedulable = !plain->unschedulable;
    ck_assert_int_eq(rebal_cells_set_i64(rebal_fleet_cells(fleet), REBAL_NODE_UNSCHEDULABLE, cluster, node,
                                         plain->unschedulable, NULL),
                     REBAL_OK);
  } else if (what < 4) {
    change_labels(fleet, builder, cluster, node, plain, random);
  } else {
    change_amounts(fleet, cluster, node, plain, random);
  }
}

START_TEST(test_against_plain_arrays) {
  static struct world now;
  static struct world then;
  rebal_fleet *fleet = new_fleet();
  rebal_builder *builder = NULL;
  rebal_snapshot *old = NULL;
  uint32_t random = 11;

  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  ck_assert_uint_eq(resource_of(fleet, "cpu"), 0);
  ck_assert_uint_eq(resource_of(fleet, "memory"), 1);
  ck_assert_uint_eq(resource_of(fleet, "pods"), 2);
  for (uint32_t cluster = 0; cluster < CLUSTERS; cluster++) {
    char name[16];

    (void)snprintf(name, sizeof name, "c%u", cluster);
    add_cluster(fleet, name);
    for (uint32_t node = 0; node < NODES; node++) {
      now.nodes[cluster][node] = (struct plain_node){0, 0, (int64_t)REBAL_NONE, {-1, -1, -1, -1}, {0}};
    }
  }
  for (uint32_t round = 0; round < 40; round++) {
    rebal_snapshot *snapshot;

    for (uint32_t i = next_random(&random, 60); i > 0; i--) {
      change(fleet, builder, &now, &random);
    }
    snapshot = freeze(fleet);
    expect_world(snapshot, &now);
    if (old != NULL) {
      expect_world(old, &then);
    }
    rebal_snapshot_unref(old);
    old = snapshot;
    memcpy(&then, &now, sizeof now);
  }
  rebal_fleet_free(fleet);
  expect_world(old, &then);
  rebal_snapshot_unref(old);
  rebal_builder_free(builder);
}
END_TEST

/* ---- without memory ---------------------------------------------------------------------------------------------- */

static int32_t fill_in_scarcity(rebal_fleet *fleet, uint32_t cluster, const rebal_allocator *allocator) {
  const rebal_quantity ten = {10, 0, REBAL_QUANTITY_FORMAT_DECIMAL_SI};
  uint32_t cpu = 0;
  uint32_t node = 0;
  const rebal_quantity amounts[2] = {ten, ten};
  const uint32_t far[2] = {3, 129};
  const int64_t ones[2] = {1, 1};
  uint32_t labels = 0;
  int32_t code = rebal_fleet_resource_id(fleet, TEXT("cpu"), &cpu, NULL);

  if (code == REBAL_OK) {
    code = intern_labels(fleet, allocator, "topology.kubernetes.io/zone", "z", &labels);
  }
  for (uint32_t i = 0; i < 130 && code == REBAL_OK; i++) {
    const char name[2] = {(char)('0' + i / 16), (char)('0' + i % 16)};

    code = rebal_fleet_add_node(fleet, cluster, name, sizeof name, &node, NULL);
  }
  if (code == REBAL_OK) {
    code = rebal_fleet_set_node_labels(fleet, cluster, 1,
                                       rebal_cells_record(rebal_fleet_cells(fleet), REBAL_OBJECT_LABELS, labels), NULL);
  }
  if (code == REBAL_OK) {
    code = rebal_fleet_set_node_amounts(fleet, cluster, 1, &cpu, &ten, 1, NULL);
  }
  if (code == REBAL_OK) {
    code = rebal_cells_put_i64(rebal_fleet_cells(fleet), REBAL_NODE_UNSCHEDULABLE, cluster, far, ones, 2, NULL);
  }
  return code == REBAL_OK ? rebal_fleet_put_node_amounts(fleet, cluster, cpu, far, amounts, 2, NULL) : code;
}

/* One resource of many nodes; other resources and nodes stay. */
START_TEST(test_amounts_of_many_nodes) {
  const rebal_quantity amounts[3] = {{1, 0, 0}, {0, 1, 0}, {-3, 0, 0}};
  const rebal_quantity bad[2] = {{5, 0, 0}, {0, -1, 99}};
  const uint32_t ids[2] = {2, 9};
  rebal_fleet *fleet = new_fleet();
  const uint32_t m1 = add_cluster(fleet, "m1");
  rebal_error err = REBAL_ERROR_INIT;
  uint32_t cpu = 0;
  uint32_t memory = 0;
  uint32_t node;
  rebal_snapshot *snapshot;

  ck_assert_int_eq(rebal_fleet_resource_id(fleet, TEXT("cpu"), &cpu, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_resource_id(fleet, TEXT("memory"), &memory, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_add_node(fleet, m1, TEXT("a"), &node, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_add_node(fleet, m1, TEXT("b"), &node, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_add_node(fleet, m1, TEXT("c"), &node, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_set_node_amounts(fleet, m1, 1, &memory, amounts, 1, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_put_node_amounts(fleet, m1, cpu, NULL, amounts, 3, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_put_node_amounts(fleet, m1, memory, ids, amounts, 2, &err), REBAL_ENOTFOUND);
  ck_assert_int_eq(err.where, 9);
  ck_assert_int_eq(rebal_fleet_put_node_amounts(fleet, m1, cpu, NULL, bad, 2, &err), REBAL_EINVAL);
  ck_assert_int_eq(err.where, 1);
  ck_assert_int_eq(rebal_fleet_put_node_amounts(fleet, m1, 2, NULL, amounts, 1, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_fleet_put_node_amounts(fleet, 7, cpu, NULL, amounts, 1, NULL), REBAL_ENOTFOUND);
#if SIZE_MAX > UINT32_MAX
  ck_assert_int_eq(rebal_fleet_put_node_amounts(fleet, m1, cpu, NULL, amounts, (size_t)UINT32_MAX + 1, NULL),
                   REBAL_ELIMIT);
#endif
  snapshot = freeze(fleet);
  ck_assert_int_eq(rebal_snapshot_node_amount(snapshot, REBAL_CAPACITY_ALLOCATABLE, m1, 0, cpu), 5000);
  ck_assert_int_eq(rebal_snapshot_node_amount(snapshot, REBAL_CAPACITY_ALLOCATABLE, m1, 1, cpu), 1);
  ck_assert_int_eq(rebal_snapshot_node_amount(snapshot, REBAL_CAPACITY_ALLOCATABLE, m1, 2, cpu), -3000);
  ck_assert_int_eq(rebal_snapshot_node_amount(snapshot, REBAL_CAPACITY_ALLOCATABLE, m1, 1, memory), 1);
  ck_assert_int_eq(rebal_snapshot_node_amount(snapshot, REBAL_CAPACITY_ALLOCATABLE, m1, 2, memory), 1);
  ck_assert_int_eq(rebal_snapshot_node_amount(snapshot, REBAL_CAPACITY_ALLOCATABLE, m1, 0, memory), 0);
  rebal_snapshot_unref(snapshot);
  rebal_fleet_free(fleet);
}
END_TEST

/* Another resource instead of the one that the snapshot has too. */
static int32_t replace_in_scarcity(rebal_fleet *fleet, uint32_t cluster) {
  const rebal_quantity ten = {10, 0, REBAL_QUANTITY_FORMAT_DECIMAL_SI};
  uint32_t memory = 0;
  int32_t code = rebal_fleet_resource_id(fleet, TEXT("memory"), &memory, NULL);

  return code == REBAL_OK ? rebal_fleet_set_node_amounts(fleet, cluster, 1, &memory, &ten, 1, NULL) : code;
}

static int32_t scarcity(const rebal_allocator *allocator, void *user_data) {
  rebal_fleet *fleet = NULL;
  rebal_snapshot *first = NULL;
  rebal_snapshot *second = NULL;
  uint32_t cluster = 0;
  int32_t code = rebal_fleet_new(allocator, &fleet, NULL);

  (void)user_data;
  if (code == REBAL_OK) {
    code = rebal_fleet_add_cluster(fleet, TEXT("a"), &cluster, NULL);
  }
  if (code == REBAL_OK) {
    code = fill_in_scarcity(fleet, cluster, allocator);
  }
  if (code == REBAL_OK) {
    code = rebal_fleet_freeze(fleet, &first, NULL);
  }
  if (code == REBAL_OK) {
    code = replace_in_scarcity(fleet, cluster);
  }
  if (code == REBAL_OK) {
    code = rebal_cells_remove(rebal_fleet_cells(fleet), REBAL_TABLE_NODE, cluster, &(const uint32_t){1}, 1, NULL);
  }
  if (code == REBAL_OK) {
    code = rebal_fleet_freeze(fleet, &second, NULL);
  }
  if (code == REBAL_OK) {
    code = rebal_fleet_clear_nodes(fleet, cluster, NULL);
  }
  rebal_fleet_free(fleet);
  rebal_snapshot_unref(first);
  rebal_snapshot_unref(second);
  return code;
}

START_TEST(test_without_memory) {
  ck_assert_pstr_eq(test_torture(scarcity, NULL), NULL);
}
END_TEST

/* Nodes of a second leaf state what those of the first do not. */
START_TEST(test_amounts_of_one_leaf) {
  rebal_fleet *fleet = new_fleet();
  const uint32_t a = add_cluster(fleet, "a");
  const uint32_t resources[2] = {resource_of(fleet, "cpu"), resource_of(fleet, "memory")};
  const rebal_quantity amount = {5, 0, REBAL_QUANTITY_FORMAT_DECIMAL_SI};
  rebal_snapshot *snapshot;
  char name[16];
  uint32_t node = 0;

  for (uint32_t i = 0; i < 2 * REBALI_NODES; i++) {
    (void)snprintf(name, sizeof name, "n%u", (unsigned)i);
    ck_assert_int_eq(rebal_fleet_add_node(fleet, a, name, strlen(name), &node, NULL), REBAL_OK);
    ck_assert_int_eq(rebal_fleet_set_node_amounts(fleet, a, node, &resources[i / REBALI_NODES], &amount, 1, NULL),
                     REBAL_OK);
  }
  for (uint32_t i = 0; i < 2 * REBALI_NODES; i++) {
    ck_assert_int_eq(rebal_fleet_set_node_amounts(fleet, a, i, &resources[i % 2], &amount, 1, NULL), REBAL_OK);
  }
  snapshot = freeze(fleet);
  for (uint32_t i = 0; i < 2 * REBALI_NODES; i++) {
    for (uint32_t k = 0; k < 2; k++) {
      const int64_t expected = k != i % 2 ? 0 : k == 0 ? 5000 : 5;

      ck_assert_int_eq(rebal_snapshot_node_amount(snapshot, REBAL_CAPACITY_ALLOCATABLE, a, i, resources[k]), expected);
    }
  }
  rebal_snapshot_unref(snapshot);
  rebal_fleet_free(fleet);
}
END_TEST

UNIT_CASE(nodes) {
  TCase *cases = tcase_create("nodes");

  tcase_add_test(cases, test_coming_and_going);
  tcase_add_test(cases, test_clearing);
  tcase_add_test(cases, test_pods_wait_for_their_node);
  tcase_add_test(cases, test_refusals);
  tcase_add_test(cases, test_changes_are_reported_to_readers_of_nodes);
  tcase_add_test(cases, test_against_plain_arrays);
  tcase_add_test(cases, test_amounts_of_many_nodes);
  tcase_add_test(cases, test_without_memory);
  tcase_add_test(cases, test_amounts_of_one_leaf);
  return cases;
}
