/* SPDX-License-Identifier: MIT */
#include "../../support/allocator.h"
#include "fleet/nodes.h"
#include "making.h"

#include <stdio.h>

#define NANOS(units, nanos) {(units), (nanos), REBAL_QUANTITY_FORMAT_DECIMAL_SI}

static uint32_t add_row(rebal_fleet *fleet, uint32_t cluster) {
  uint32_t row = REBAL_NONE;

  ck_assert_int_eq(rebal_cells_add(rebal_fleet_cells(fleet), REBAL_TABLE_POD, cluster, &row, 1, NULL), REBAL_OK);
  return row;
}

static int32_t put(rebal_fleet *fleet, uint32_t cluster, uint32_t column, uint32_t row, int64_t value) {
  return rebal_cells_put_i64(rebal_fleet_cells(fleet), column, cluster, &row, &value, 1, NULL);
}

static int32_t put_text(rebal_fleet *fleet, uint32_t cluster, uint32_t column, uint32_t row, const char *text) {
  const uint32_t offsets[2] = {0, (uint32_t)strlen(text)};

  return rebal_cells_put_text(rebal_fleet_cells(fleet), column, cluster, &row, text, offsets, 1, NULL);
}

static int32_t take_away(rebal_fleet *fleet, uint32_t cluster, uint32_t row) {
  return rebal_cells_remove(rebal_fleet_cells(fleet), REBAL_TABLE_POD, cluster, &row, 1, NULL);
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

/* One amount; amounts with the same number belong to the same container. */
struct use {
  uint32_t list; /* CONTAINERS, INIT_CONTAINERS or OVERHEAD */
  int container;
  const char *name;
  rebal_quantity amount;
};

static void build_amount(rebal_builder *builder, uint32_t map, const struct use *use) {
  rebal_builder_begin(builder, map, NULL);
  rebal_builder_text(builder, REBAL_AMOUNT_NAME, use->name, strlen(use->name), NULL);
  rebal_builder_quantity(builder, REBAL_AMOUNT_QUANTITY, &use->amount, NULL);
  rebal_builder_end(builder, NULL);
}

static int32_t intern_resources(rebal_fleet *fleet, const rebal_allocator *allocator, const struct use *uses, size_t n,
                                uint32_t *handle) {
  rebal_builder *builder = NULL;
  const rebal_record *record = NULL;
  int32_t code = rebal_builder_new(allocator, &builder, NULL);

  if (code == REBAL_OK) {
    rebal_builder_start(builder, REBAL_OBJECT_POD_RESOURCES, NULL);
    for (size_t i = 0; i < n; i++) {
      const int is_first = i == 0 || uses[i - 1].list != uses[i].list || uses[i - 1].container != uses[i].container;
      const int is_last = i + 1 == n || uses[i + 1].list != uses[i].list || uses[i + 1].container != uses[i].container;

      if (uses[i].list == REBAL_POD_RESOURCES_OVERHEAD) {
        build_amount(builder, uses[i].list, &uses[i]);
        continue;
      }
      if (is_first) {
        rebal_builder_begin(builder, uses[i].list, NULL);
      }
      build_amount(builder, REBAL_CONTAINER_RESOURCES_REQUESTS, &uses[i]);
      if (is_last) {
        rebal_builder_end(builder, NULL);
      }
    }
    code = rebal_builder_finish(builder, &record, NULL);
  }
  if (code == REBAL_OK) {
    code = rebal_fleet_intern(fleet, record, handle, NULL);
  }
  rebal_builder_free(builder);
  return code;
}

static uint32_t resources_of(rebal_fleet *fleet, const struct use *uses, size_t n) {
  uint32_t handle = REBAL_NONE;

  ck_assert_int_eq(intern_resources(fleet, NULL, uses, n, &handle), REBAL_OK);
  return handle;
}

#define C REBAL_POD_RESOURCES_CONTAINERS
#define I REBAL_POD_RESOURCES_INIT_CONTAINERS
#define O REBAL_POD_RESOURCES_OVERHEAD

enum { CPU, MEMORY, PODS, GPU, RESOURCES };
static const char *const resource_names[RESOURCES] = {"cpu", "memory", "pods", "example.com/gpu"};

#define TEMPLATES 5u
static const struct template {
  struct use uses[5];
  size_t n;
  int64_t takes[RESOURCES];
}
templates[TEMPLATES] = {
    {.n = 0, .takes = {0, 0, 1, 0}},
    /* each container is rounded by itself */
    {.uses = {{C, 0, "cpu", NANOS(0, 100500000)},
              {C, 0, "memory", NANOS(1, 500000000)},
              {C, 1, "cpu", NANOS(0, 100500000)},
              {C, 1, "memory", NANOS(1, 500000000)}},
     .n = 4,
     .takes = {202, 4, 1, 0}},
    /* init containers may need more than the containers; the overhead is always added */
    {.uses = {{C, 0, "cpu", NANOS(0, 100000000)},
              {C, 0, "memory", NANOS(10, 0)},
              {I, 0, "cpu", NANOS(0, 500000000)},
              {I, 1, "example.com/gpu", NANOS(1, 0)},
              {O, 0, "cpu", NANOS(0, 50000000)}},
     .n = 5,
     .takes = {550, 10, 1, 1}},
    {.uses = {{C, 0, "cpu", NANOS(1, 0)}, {C, 0, "pods", NANOS(2, 0)}, {I, 0, "cpu", NANOS(0, 999000000)}},
     .n = 3,
     .takes = {1000, 0, 3, 0}},
    {.uses = {{O, 0, "memory", NANOS(7, 0)}}, .n = 1, .takes = {0, 7, 1, 0}},
};

/* ---- against plain arrays ---------------------------------------------------------------------------------------- */

#define CLUSTERS 2u
#define NODES 70u
#define ROWS 200u

struct plain_pod {
  int present;
  int64_t node;
  uint32_t template;
  int64_t terminal;
  int64_t priority;
  int64_t ready;
  uint32_t namespace_; /* 0: none */
  rebal_time since;
};
struct world {
  struct plain_pod pods[CLUSTERS][ROWS];
};
static const struct plain_pod no_pod = {0, (int64_t)REBAL_NONE, 0, 0, 0, 0, 0, {0, 0, 0}};
static const char *const name_spaces[3] = {"", "default", "kube-system"};

static int is_as_reported(const rebal_snapshot *snapshot, const uint32_t *handles, uint32_t cluster, uint32_t row,
                          const struct plain_pod *plain) {
  const int64_t resources = plain->template == 0 ? REBAL_ABSENT : handles[plain->template];
  rebal_time since;

  if (rebal_cells_has(rebal_snapshot_cells(snapshot), REBAL_TABLE_POD, cluster, row) != plain->present) {
    return 0;
  }
  if (!plain->present) {
    return rebal_cells_get_i64(rebal_snapshot_cells(snapshot), REBAL_POD_NODE, cluster, row) == REBAL_ABSENT;
  }
  rebal_cells_get_time(rebal_snapshot_cells(snapshot), REBAL_POD_UNSCHEDULABLE_SINCE, cluster, row, &since);
  return rebal_cells_get_i64(rebal_snapshot_cells(snapshot), REBAL_POD_NODE, cluster, row) ==
             (plain->node < NODES ? plain->node : REBAL_ABSENT) &&
         rebal_cells_get_i64(rebal_snapshot_cells(snapshot), REBAL_POD_RESOURCES, cluster, row) == resources &&
         rebal_cells_get_i64(rebal_snapshot_cells(snapshot), REBAL_POD_TERMINAL, cluster, row) == plain->terminal &&
         rebal_cells_get_i64(rebal_snapshot_cells(snapshot), REBAL_POD_PRIORITY, cluster, row) == plain->priority &&
         rebal_cells_get_i64(rebal_snapshot_cells(snapshot), REBAL_POD_READY, cluster, row) == plain->ready &&
         strcmp(rebal_cells_get_text(rebal_snapshot_cells(snapshot), REBAL_POD_NAMESPACE, cluster, row, NULL),
                name_spaces[plain->namespace_]) == 0 &&
         since.is_set == plain->since.is_set && since.seconds == plain->since.seconds && since.nanos == 0;
}

static void expect_world(const rebal_snapshot *snapshot, const uint32_t *handles, const struct world *world) {
  for (uint32_t cluster = 0; cluster < CLUSTERS; cluster++) {
    int64_t used[NODES][RESOURCES] = {{0}};
    int same = 1;

    for (uint32_t row = 0; row < ROWS; row++) {
      const struct plain_pod *plain = &world->pods[cluster][row];

      same &= is_as_reported(snapshot, handles, cluster, row, plain);
      for (uint32_t i = 0; i < RESOURCES && plain->node < NODES && !plain->terminal; i++) {
        used[plain->node][i] += templates[plain->template].takes[i];
      }
    }
    ck_assert_msg(same, "a row of cluster %lu", (unsigned long)cluster);
    for (uint32_t node = 0; node < NODES; node++) {
      for (uint32_t i = 0; i < RESOURCES; i++) {
        same &= used_of(snapshot, cluster, node, i) == used[node][i];
      }
    }
    ck_assert_msg(same, "what a node of cluster %lu carries", (unsigned long)cluster);
  }
}

static void change_cell(rebal_fleet *fleet, const uint32_t *handles, uint32_t cluster, uint32_t row,
                        struct plain_pod *plain, uint32_t *random) {
  switch (next_random(random, 7)) {
    case 0:
      plain->node = next_random(random, 5) == 0 ? (int64_t)REBAL_NONE : (int64_t)next_random(random, NODES);
      ck_assert_int_eq(put(fleet, cluster, REBAL_POD_NODE, row, plain->node), REBAL_OK);
      break;
    case 1:
      plain->template = next_random(random, TEMPLATES);
      ck_assert_int_eq(
          put(fleet, cluster, REBAL_POD_RESOURCES, row, plain->template == 0 ? REBAL_ABSENT : handles[plain->template]),
          REBAL_OK);
      break;
    case 2:
      plain->terminal = !plain->terminal;
      ck_assert_int_eq(put(fleet, cluster, REBAL_POD_TERMINAL, row, plain->terminal), REBAL_OK);
      break;
    case 3:
      plain->priority = (int64_t)next_random(random, 9) - 4;
      ck_assert_int_eq(put(fleet, cluster, REBAL_POD_PRIORITY, row, plain->priority), REBAL_OK);
      break;
    case 4:
      plain->ready = !plain->ready;
      ck_assert_int_eq(put(fleet, cluster, REBAL_POD_READY, row, plain->ready), REBAL_OK);
      break;
    case 5:
      plain->namespace_ = next_random(random, 3);
      ck_assert_int_eq(put_text(fleet, cluster, REBAL_POD_NAMESPACE, row, name_spaces[plain->namespace_]), REBAL_OK);
      break;
    default:
      plain->since = (rebal_time){0, 0, next_random(random, 2)};
      plain->since.seconds = plain->since.is_set ? (int64_t)next_random(random, 100) - 50 : 0;
      plain->since.nanos = plain->since.is_set ? 999999999 : 0; /* truncated */
      ck_assert_int_eq(rebal_cells_put_time(rebal_fleet_cells(fleet), REBAL_POD_UNSCHEDULABLE_SINCE, cluster, &row,
                                            &plain->since, 1, NULL),
                       REBAL_OK);
  }
}

static void change(rebal_fleet *fleet, const uint32_t *handles, struct world *world, uint32_t *random) {
  const uint32_t cluster = next_random(random, CLUSTERS);
  const uint32_t row = next_random(random, ROWS);
  struct plain_pod *plain = &world->pods[cluster][row];
  uint32_t node = REBAL_NONE;
  char name[16];

  if (!plain->present) {
    const uint32_t got = add_row(fleet, cluster);

    ck_assert_uint_lt(got, ROWS);
    plain = &world->pods[cluster][got];
    ck_assert(!plain->present);
    *plain = no_pod;
    plain->present = 1;
    change_cell(fleet, handles, cluster, got, plain, random);
  } else if (next_random(random, 5) == 0) {
    ck_assert_int_eq(take_away(fleet, cluster, row), REBAL_OK);
    *plain = no_pod;
  } else if (next_random(random, 9) == 0) {
    (void)snprintf(name, sizeof name, "n%u", next_random(random, NODES));
    if (rebal_fleet_add_node(fleet, cluster, name, strlen(name), &node, NULL) == REBAL_EEXIST) {
      ck_assert_int_eq(rebal_fleet_node_id(fleet, cluster, name, strlen(name), &node, NULL), REBAL_OK);
      ck_assert_int_eq(rebal_cells_remove(rebal_fleet_cells(fleet), REBAL_TABLE_NODE, cluster, &node, 1, NULL),
                       REBAL_OK);
    }
  } else {
    change_cell(fleet, handles, cluster, row, plain, random);
  }
}

static rebal_fleet *new_world(struct world *world, uint32_t *handles) {
  rebal_fleet *fleet = new_fleet();

  for (uint32_t i = 0; i < RESOURCES; i++) {
    ck_assert_uint_eq(resource_of(fleet, resource_names[i]), i);
  }
  for (uint32_t i = 0; i < TEMPLATES; i++) {
    handles[i] = resources_of(fleet, templates[i].uses, templates[i].n);
  }
  for (uint32_t cluster = 0; cluster < CLUSTERS; cluster++) {
    set_i64(fleet, REBAL_CLUSTER_HAS_NODES, add_cluster(fleet, cluster == 0 ? "a" : "b"), 1);
    for (uint32_t i = 0; i < NODES; i++) {
      uint32_t node = REBAL_NONE;
      char name[16];

      (void)snprintf(name, sizeof name, "n%u", (unsigned)i);
      ck_assert_int_eq(rebal_fleet_node_id(fleet, cluster, name, strlen(name), &node, NULL), REBAL_OK);
    }
    for (uint32_t row = 0; row < ROWS; row++) {
      world->pods[cluster][row] = no_pod;
    }
  }
  return fleet;
}

START_TEST(test_against_plain_arrays) {
  static struct world now;
  static struct world then;
  uint32_t handles[TEMPLATES];
  rebal_fleet *fleet = new_world(&now, handles);
  rebal_snapshot *old = NULL;
  uint32_t random = 5;

  for (uint32_t round = 0; round < 60; round++) {
    rebal_snapshot *snapshot;

    for (uint32_t i = next_random(&random, 100); i > 0; i--) {
      change(fleet, handles, &now, &random);
    }
    snapshot = freeze(fleet);
    expect_world(snapshot, handles, &now);
    if (old != NULL) {
      expect_world(old, handles, &then);
    }
    rebal_snapshot_unref(old);
    old = snapshot;
    memcpy(&then, &now, sizeof now);
  }
  rebal_fleet_free(fleet);
  expect_world(old, handles, &then);
  rebal_snapshot_unref(old);
}
END_TEST

/* ---- rules ------------------------------------------------------------------------------------------------------- */

START_TEST(test_ids_are_used_again) {
  rebal_fleet *fleet = new_fleet();
  const uint32_t a = add_cluster(fleet, "a");
  const uint32_t b = add_cluster(fleet, "b");
  uint32_t rows[3];
  rebal_snapshot *snapshot;

  ck_assert_int_eq(rebal_cells_add(rebal_fleet_cells(fleet), REBAL_TABLE_POD, a, rows, 3, NULL), REBAL_OK);
  ck_assert(rows[0] == 0 && rows[1] == 1 && rows[2] == 2);
  ck_assert_int_eq(put(fleet, a, REBAL_POD_READY, 1, 1), REBAL_OK);
  ck_assert_int_eq(put(fleet, a, REBAL_POD_PRIORITY, 1, -7), REBAL_OK);
  ck_assert_int_eq(rebal_cells_remove(rebal_fleet_cells(fleet), REBAL_TABLE_POD, a, rows, 2, NULL), REBAL_OK);
  ck_assert_int_eq(take_away(fleet, a, 1), REBAL_ENOTFOUND);
  ck_assert_int_eq(put(fleet, a, REBAL_POD_READY, 1, 1), REBAL_ENOTFOUND);
  ck_assert_uint_eq(add_row(fleet, a), 1);
  ck_assert_uint_eq(add_row(fleet, a), 0);
  ck_assert_uint_eq(add_row(fleet, a), 3);
  ck_assert_uint_eq(add_row(fleet, b), 0);
  snapshot = freeze(fleet);
  ck_assert_uint_eq(rebal_cells_bound(rebal_snapshot_cells(snapshot), REBAL_TABLE_POD, a), 4);
  ck_assert_uint_eq(rebal_cells_bound(rebal_snapshot_cells(snapshot), REBAL_TABLE_NODE, a), 0);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_snapshot_cells(snapshot), REBAL_POD_READY, a, 1), 0);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_snapshot_cells(snapshot), REBAL_POD_PRIORITY, a, 1), 0);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_snapshot_cells(snapshot), REBAL_CLUSTER_HAS_NODES, REBAL_NONE, a), 0);
  rebal_snapshot_unref(snapshot);
  ck_assert_int_eq(rebal_fleet_clear_nodes(fleet, a, NULL), REBAL_OK);
  snapshot = freeze(fleet);
  ck_assert_uint_eq(rebal_cells_bound(rebal_snapshot_cells(snapshot), REBAL_TABLE_POD, a), 0);
  ck_assert_uint_eq(rebal_cells_bound(rebal_snapshot_cells(snapshot), REBAL_TABLE_POD, b), 1);
  rebal_snapshot_unref(snapshot);
  rebal_fleet_free(fleet);
}
END_TEST

START_TEST(test_refusals) {
  rebal_fleet *fleet = new_fleet();
  const uint32_t a = add_cluster(fleet, "a");
  const struct use negative = {C, 0, "cpu", NANOS(-1, 0)};
  const struct use beyond[2] = {{C, 0, "memory", NANOS(INT64_MAX, 0)}, {C, 1, "memory", NANOS(1, 0)}};
  const uint32_t below_zero = resources_of(fleet, &negative, 1);
  const uint32_t too_much = resources_of(fleet, beyond, 2);
  const uint32_t most = resources_of(fleet, beyond, 1);
  const rebal_time wrong = {0, -1, 1};
  const uint32_t both[2] = {0, 9};
  uint32_t more = 7;
  const int64_t ones[2] = {1, 1};
  rebal_error err = REBAL_ERROR_INIT;
  uint32_t row = add_row(fleet, a);
  uint32_t node = REBAL_NONE;
  rebal_snapshot *snapshot;

  ck_assert_int_eq(rebal_fleet_node_id(fleet, a, TEXT("n"), &node, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_cells_add(rebal_fleet_cells(fleet), REBAL_TABLE_NODE, a, &row, 1, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_cells_add(rebal_fleet_cells(fleet), REBAL_TABLE_DECISION, a, &row, 1, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_cells_add(rebal_fleet_cells(fleet), REBAL_TABLE_POD, 9, &row, 1, NULL), REBAL_ENOTFOUND);
  ck_assert_int_eq(
      rebal_cells_put_i64(rebal_fleet_cells(fleet), REBAL_POD_NODE, a, &row, (const int64_t[]){1}, 1, &err),
      REBAL_EINVAL);
  ck_assert_str_eq(err.message, "no node of the cluster has the id 1");
  ck_assert_int_eq(put(fleet, a, REBAL_POD_NODE, 0, -1), REBAL_EINVAL);
  ck_assert_int_eq(put(fleet, a, REBAL_POD_LABELS, 0, 0), REBAL_EINVAL);
  ck_assert_int_eq(put(fleet, a, REBAL_POD_READY, 0, 2), REBAL_ERANGE);
  ck_assert_int_eq(put(fleet, a, REBAL_POD_NAMESPACE, 0, 2), REBAL_EINVAL);
  ck_assert_int_eq(put(fleet, a, REBAL_CLUSTER_DELETING, 0, 1), REBAL_EINVAL);
  ck_assert_int_eq(put(fleet, a, REBAL_POD_RESOURCES, 0, below_zero), REBAL_ERANGE);
  ck_assert_int_eq(put(fleet, a, REBAL_POD_RESOURCES, 0, too_much), REBAL_ERANGE);
  ck_assert_int_eq(
      rebal_cells_put_time(rebal_fleet_cells(fleet), REBAL_POD_UNSCHEDULABLE_SINCE, a, &row, &wrong, 1, NULL),
      REBAL_ERANGE);
  ck_assert_int_eq(rebal_cells_put_i64(rebal_fleet_cells(fleet), REBAL_POD_READY, a, both, ones, 2, &err),
                   REBAL_ENOTFOUND);
  ck_assert_int_eq(err.where, 9);
  set_i64(fleet, REBAL_CLUSTER_HAS_NODES, a, 1);
  row = add_row(fleet, a);
  ck_assert_int_eq(put(fleet, a, REBAL_POD_RESOURCES, 0, most), REBAL_OK);
  ck_assert_int_eq(put(fleet, a, REBAL_POD_NODE, 0, 0), REBAL_OK);
  ck_assert_int_eq(put(fleet, a, REBAL_POD_RESOURCES, row, most), REBAL_OK);
  ck_assert_int_eq(put(fleet, a, REBAL_POD_NODE, row, 0), REBAL_ERANGE);
  snapshot = freeze(fleet);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_snapshot_cells(snapshot), REBAL_POD_READY, a, 0), 1);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_snapshot_cells(snapshot), REBAL_POD_NODE, a, row), REBAL_ABSENT);
  ck_assert_int_eq(used_of(snapshot, a, 0, resource_of(fleet, "memory")), INT64_MAX);
  ck_assert_int_eq(used_of(snapshot, a, 0, resource_of(fleet, "pods")), 1);
  rebal_snapshot_unref(snapshot);
  ck_assert_int_eq(rebal_cells_add(rebal_fleet_cells(fleet), REBAL_TABLE_POD, a, &more, SIZE_MAX, NULL), REBAL_ELIMIT);
  ck_assert_uint_eq(more, 7);
  rebal_fleet_free(fleet);
}
END_TEST

/* Init containers with restartPolicy Always run beside the containers, but count as all init containers do. */
START_TEST(test_sidecars_are_init_containers) {
  static const struct use uses[] = {{C, 0, "cpu", NANOS(0, 300000000)}, {I, 0, "cpu", NANOS(0, 500000000)}};
  rebal_fleet *fleet = new_fleet();
  const uint32_t a = add_cluster(fleet, "a");
  const uint32_t row = add_row(fleet, a);
  rebal_snapshot *snapshot;
  uint32_t node = REBAL_NONE;

  ck_assert_int_eq(rebal_fleet_add_node(fleet, a, TEXT("n"), &node, NULL), REBAL_OK);
  ck_assert_int_eq(put(fleet, a, REBAL_POD_RESOURCES, row, resources_of(fleet, uses, 2)), REBAL_OK);
  ck_assert_int_eq(put(fleet, a, REBAL_POD_NODE, row, node), REBAL_OK);
  snapshot = freeze(fleet);
  ck_assert_int_eq(used_of(snapshot, a, node, resource_of(fleet, "cpu")), 500);
  rebal_snapshot_unref(snapshot);
  rebal_fleet_free(fleet);
}
END_TEST

START_TEST(test_readers_of_nodes_get_their_names) {
  rebal_fleet *fleet = new_fleet();
  const uint32_t a = add_cluster(fleet, "a");
  const struct rebali_node_table *table;
  rebal_snapshot *snapshot;
  uint64_t version;
  const uint32_t *rows;
  size_t n;
  char name[16];
  uint32_t node = REBAL_NONE;
  const uint32_t row = add_row(fleet, a);

  for (uint32_t i = 0; i < 130; i++) {
    (void)snprintf(name, sizeof name, "n%u", i);
    ck_assert_int_eq(rebal_fleet_add_node(fleet, a, name, strlen(name), &node, NULL), REBAL_OK);
  }
  snapshot = freeze(fleet);
  version = rebal_snapshot_version(snapshot);
  rebal_snapshot_unref(snapshot);
  ck_assert_int_eq(put(fleet, a, REBAL_POD_NODE, row, 70), REBAL_OK);
  snapshot = freeze(fleet);
  ck_assert_int_eq(rebali_snapshot_changes(snapshot, version, REBALI_READS_NODES, &rows, &n), REBAL_OK);
  ck_assert_uint_eq(n, 1);
  ck_assert_uint_eq(rebali_snapshot_changed(snapshot, REBALI_READS_CELLS | REBALI_READS_CAPACITIES), 1);
  table = rebali_snapshot_nodes(snapshot, a);
  ck_assert_uint_eq(rebali_nodes_leaf(table, 0)->version, version);
  ck_assert_uint_eq(rebali_nodes_leaf(table, 1)->version, version + 1);
  ck_assert_uint_eq(rebali_nodes_leaf(table, 2)->version, version);
  ck_assert_int_eq(rebali_nodes_amounts(table, resource_of(fleet, "pods"), 1)->used[6], 1);
  rebal_snapshot_unref(snapshot);
  rebal_fleet_free(fleet);
}
END_TEST

/* ---- fingerprints ------------------------------------------------------------------------------------------------ */

/* Builds two pods, in one order or the other. */
static struct rebali_fingerprint of_two_pods(int other_way, int differs) {
  rebal_fleet *fleet = new_fleet();
  const uint32_t a = add_cluster(fleet, "a");
  struct rebali_fingerprint fingerprint;
  uint32_t nodes[2];
  rebal_snapshot *snapshot;

  if (other_way) {
    add_row(fleet, a);
  }
  for (int i = 0; i < 2; i++) {
    const int which = other_way ? 1 - i : i;

    ck_assert_int_eq(rebal_fleet_node_id(fleet, a, which ? "n1" : "n0", 2, &nodes[which], NULL), REBAL_OK);
  }
  for (int i = 0; i < 2; i++) {
    const int which = other_way ? 1 - i : i;
    const uint32_t row = add_row(fleet, a);

    ck_assert_int_eq(put(fleet, a, REBAL_POD_NODE, row, nodes[which]), REBAL_OK);
    ck_assert_int_eq(put(fleet, a, REBAL_POD_LABELS, row, labels_of(fleet, "app", which ? "x" : "y")), REBAL_OK);
    ck_assert_int_eq(put_text(fleet, a, REBAL_POD_NAMESPACE, row, "default"), REBAL_OK);
    ck_assert_int_eq(put(fleet, a, REBAL_POD_PRIORITY, row, differs && which), REBAL_OK);
  }
  if (other_way) {
    ck_assert_int_eq(take_away(fleet, a, 0), REBAL_OK);
  }
  snapshot = freeze(fleet);
  fingerprint = rebali_snapshot_fingerprint(snapshot);
  rebal_snapshot_unref(snapshot);
  rebal_fleet_free(fleet);
  return fingerprint;
}

START_TEST(test_fingerprints_do_not_depend_on_ids) {
  const struct rebali_fingerprint one = of_two_pods(0, 0);
  const struct rebali_fingerprint same = of_two_pods(1, 0);
  const struct rebali_fingerprint other = of_two_pods(0, 1);

  ck_assert_mem_eq(&one, &same, sizeof one);
  ck_assert(memcmp(&one, &other, sizeof one) != 0);
}
END_TEST

/* ---- without memory ---------------------------------------------------------------------------------------------- */

/* Whatever fails, the used amounts of nodes are those of the bound pods. */
static void expect_sums(rebal_fleet *fleet, uint32_t cluster, uint32_t gpu) {
  const struct rebali_node_table *table = rebali_state_nodes(&fleet->state, cluster);
  const struct rebali_amount_leaf *used = table == NULL ? NULL : rebali_nodes_amounts(table, gpu, 1);
  const struct rebali_rows *rows = table == NULL ? NULL : rebali_table_rows(table, REBAL_TABLE_POD);
  int64_t bound = 0;

  for (uint32_t row = 0; rows != NULL && row < rows->n; row++) {
    const struct rebali_rows_leaf *leaf = rebali_rows_find(rows, row);

    bound += leaf != NULL && rebali_rows_i64(leaf, rebali_field_find(REBAL_POD_NODE), row % REBALI_NODES) == 70 &&
             rebali_rows_i64(leaf, rebali_field_find(REBAL_POD_RESOURCES), row % REBALI_NODES) == 0;
  }
  ck_assert_int_eq(used == NULL ? 0 : used->used[6], bound);
}

static int32_t work_in_scarcity(rebal_fleet *fleet, uint32_t cluster, const rebal_allocator *allocator, uint32_t *gpu) {
  uint32_t rows[70];
  int64_t cells[70];
  uint32_t handle = 0;
  uint32_t node = 0;
  rebal_snapshot *snapshot = NULL;
  int32_t code = intern_resources(fleet, allocator, templates[2].uses, templates[2].n, &handle);

  if (code == REBAL_OK) {
    code = rebal_fleet_resource_id(fleet, TEXT(resource_names[GPU]), gpu, NULL);
  }
  for (uint32_t i = 0; i < 71 && code == REBAL_OK; i++) {
    const char name[2] = {(char)('0' + i / 16), (char)('0' + i % 16)};

    code = rebal_fleet_node_id(fleet, cluster, name, sizeof name, &node, NULL);
  }
  if (code == REBAL_OK) {
    code = rebal_cells_add(rebal_fleet_cells(fleet), REBAL_TABLE_POD, cluster, rows, 70, NULL);
  }
  for (uint32_t i = 0; i < 70; i++) {
    cells[i] = 70;
  }
  if (code == REBAL_OK) {
    code = rebal_cells_put_i64(rebal_fleet_cells(fleet), REBAL_POD_NODE, cluster, rows, cells, 70, NULL);
  }
  if (code == REBAL_OK) {
    code = rebal_fleet_freeze(fleet, &snapshot, NULL);
  }
  for (uint32_t i = 0; i < 70 && code == REBAL_OK; i += 23) {
    code = put(fleet, cluster, REBAL_POD_RESOURCES, rows[i], handle);
  }
  if (code == REBAL_OK) {
    code = put_text(fleet, cluster, REBAL_POD_CONTROLLER_UID, rows[69], "u");
  }
  rebal_snapshot_unref(snapshot);
  return code == REBAL_OK ? rebal_cells_remove(rebal_fleet_cells(fleet), REBAL_TABLE_POD, cluster, rows + 20, 30, NULL)
                          : code;
}

static int32_t scarcity(const rebal_allocator *allocator, void *user_data) {
  rebal_fleet *fleet = NULL;
  uint32_t cluster = 0;
  uint32_t gpu = REBAL_NONE;
  int32_t code = rebal_fleet_new(allocator, &fleet, NULL);

  (void)user_data;
  if (code == REBAL_OK) {
    code = rebal_fleet_add_cluster(fleet, TEXT("a"), &cluster, NULL);
  }
  if (code == REBAL_OK) {
    code = work_in_scarcity(fleet, cluster, allocator, &gpu);
    expect_sums(fleet, cluster, gpu);
  }
  rebal_fleet_free(fleet);
  return code;
}

START_TEST(test_without_memory) {
  ck_assert_pstr_eq(test_torture(scarcity, NULL), NULL);
}
END_TEST

UNIT_CASE(rows) {
  TCase *cases = tcase_create("rows");

  tcase_add_test(cases, test_against_plain_arrays);
  tcase_add_test(cases, test_ids_are_used_again);
  tcase_add_test(cases, test_refusals);
  tcase_add_test(cases, test_sidecars_are_init_containers);
  tcase_add_test(cases, test_readers_of_nodes_get_their_names);
  tcase_add_test(cases, test_fingerprints_do_not_depend_on_ids);
  tcase_add_test(cases, test_without_memory);
  return cases;
}
