/* SPDX-License-Identifier: MIT */
#include "nodes.h"
#include "fleet.h"

#include <stdio.h>
#include <string.h>

#define SLICE 4096
#define UID_SIZE 40

/* splitmix64: what a node or pod is like follows from its number. */
static uint64_t draw(uint64_t cluster, uint64_t number, uint64_t what) {
  uint64_t z = cluster * UINT64_C(0xd1b54a32d192ed03) + number * UINT64_C(0x9e3779b97f4a7c15) + what;

  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

static void add_amount(rebal_builder *builder, uint32_t map, const char *name, int64_t nanos) {
  const rebal_quantity amount = {nanos / 1000000000, (int32_t)(nanos % 1000000000), REBAL_QUANTITY_FORMAT_DECIMAL_SI};

  bench_must(rebal_builder_begin(builder, map, NULL));
  bench_must(rebal_builder_text(builder, REBAL_AMOUNT_NAME, name, strlen(name), NULL));
  bench_must(rebal_builder_quantity(builder, REBAL_AMOUNT_QUANTITY, &amount, NULL));
  bench_must(rebal_builder_end(builder, NULL));
}

/* One container of 50m to 1625m and 64 to 512 MiB, every fourth with a second, smaller one. */
static int64_t intern_template(struct test_world *world, uint32_t number) {
  const rebal_record *record = NULL;
  uint32_t handle = 0;

  bench_must(rebal_builder_start(world->builder, REBAL_OBJECT_POD_RESOURCES, NULL));
  for (uint32_t container = 0; container < (number % 4 == 0 ? 2u : 1u); container++) {
    const int64_t cpu = container != 0 ? 10 : 50 + (int64_t)number * 25;
    const int64_t memory = container != 0 ? 32 : 64 * (1 + (int64_t)number % 8);

    bench_must(rebal_builder_begin(world->builder, REBAL_POD_RESOURCES_CONTAINERS, NULL));
    add_amount(world->builder, REBAL_CONTAINER_RESOURCES_REQUESTS, "cpu", cpu * 1000000);
    bench_must(rebal_builder_begin(world->builder, REBAL_CONTAINER_RESOURCES_REQUESTS, NULL));
    bench_must(rebal_builder_text(world->builder, REBAL_AMOUNT_NAME, "memory", 6, NULL));
    bench_must(rebal_builder_quantity(world->builder, REBAL_AMOUNT_QUANTITY,
                                      &(rebal_quantity){memory * 1048576, 0, REBAL_QUANTITY_FORMAT_BINARY_SI}, NULL));
    bench_must(rebal_builder_end(world->builder, NULL));
    bench_must(rebal_builder_end(world->builder, NULL));
  }
  bench_must(rebal_builder_finish(world->builder, &record, NULL));
  bench_must(rebal_fleet_intern(world->fleet, record, &handle, NULL));
  return handle;
}

void bench_intern_nodes(struct test_world *world, struct bench_node_sets *sets) {
  static const char *const names[BENCH_NODE_RESOURCES] = {"cpu", "memory", "pods", "ephemeral-storage"};

  for (size_t i = 0; i < BENCH_NODE_RESOURCES; i++) {
    bench_must(rebal_fleet_resource_id(world->fleet, names[i], strlen(names[i]), &sets->resources[i], NULL));
  }
  sets->taints = test_taints_handle(world, "dedicated=infra:NoSchedule");
  for (uint32_t i = 0; i < BENCH_POD_TEMPLATES; i++) {
    char text[96];

    (void)snprintf(text, sizeof text, "app=web-%u tier=%u pod-template-hash=7d9f%04x", (unsigned)i, (unsigned)(i % 4),
                   (unsigned)(i * 7919));
    sets->labels[i] = test_labels_handle(world, text);
    sets->templates[i] = intern_template(world, i);
  }
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static void add_label(rebal_builder *builder, const char *key, const char *value) {
  bench_must(rebal_builder_begin(builder, REBAL_LABELS_LABEL, NULL));
  bench_must(rebal_builder_text(builder, REBAL_PAIR_KEY, key, strlen(key), NULL));
  bench_must(rebal_builder_text(builder, REBAL_PAIR_VALUE, value, strlen(value), NULL));
  bench_must(rebal_builder_end(builder, NULL));
}

static void add_numbered(rebal_builder *builder, const char *key, const char *prefix, uint64_t number) {
  char value[40];

  (void)snprintf(value, sizeof value, "%s%u", prefix, (unsigned)number);
  add_label(builder, key, value);
}

static const rebal_record *labels_of(struct test_world *world, uint32_t cluster, uint32_t node, const char *name) {
  const uint64_t random = draw(cluster, node, 1);
  const rebal_record *record = NULL;
  rebal_builder *builder = world->builder;

  bench_must(rebal_builder_start(builder, REBAL_OBJECT_LABELS, NULL));
  add_label(builder, "kubernetes.io/hostname", name);
  add_numbered(builder, "topology.kubernetes.io/region", "region-", cluster % 8);
  add_numbered(builder, "topology.kubernetes.io/zone", "zone-", node % BENCH_NODE_ZONES);
  add_numbered(builder, "node.kubernetes.io/instance-type", "m5.size", random % BENCH_NODE_SIZES);
  add_numbered(builder, "example.com/pool", "pool-", random / 8 % BENCH_NODE_POOLS);
  add_numbered(builder, "example.com/rack", "rack-", node / 40);
  add_label(builder, "kubernetes.io/os", "linux");
  add_label(builder, "kubernetes.io/arch", random / 80 % 10 == 0 ? "arm64" : "amd64");
  for (uint32_t i = 8; i < 20; i++) {
    char key[40];

    (void)snprintf(key, sizeof key, "feature.example.com/f%u", (unsigned)i);
    add_label(builder, key, (random >> (i + 20) & 7) == 0 ? "false" : "true");
  }
  bench_must(rebal_builder_finish(builder, &record, NULL));
  return record;
}

/* 4 to 32 cores and 8 GiB for two of them, but some bytes. */
static void set_amounts(struct test_world *world, const struct bench_node_sets *sets, uint32_t cluster, uint32_t node) {
  const uint64_t random = draw(cluster, node, 1);
  const int64_t size = 1 + (int64_t)(random % BENCH_NODE_SIZES);
  const int64_t bytes = size * INT64_C(17179869184) - (int64_t)(random >> 40 << 2);
  const rebal_quantity amounts[BENCH_NODE_RESOURCES] = {
      {size * 4, 0, REBAL_QUANTITY_FORMAT_DECIMAL_SI},
      {bytes, 0, REBAL_QUANTITY_FORMAT_BINARY_SI},
      {110, 0, REBAL_QUANTITY_FORMAT_DECIMAL_SI},
      {size * INT64_C(107374182400), 0, REBAL_QUANTITY_FORMAT_BINARY_SI}};

  bench_must(
      rebal_fleet_set_node_amounts(world->fleet, cluster, node, sets->resources, amounts, BENCH_NODE_RESOURCES, NULL));
}

void bench_add_nodes(struct test_world *world, const struct bench_node_sets *sets, uint32_t cluster, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    char name[40];
    uint32_t node;

    (void)snprintf(name, sizeof name, "node-%03u-%05u.example.internal", (unsigned)cluster, (unsigned)i);
    bench_must(rebal_fleet_add_node(world->fleet, cluster, name, strlen(name), &node, NULL));
    bench_must(rebal_fleet_set_node_labels(world->fleet, cluster, node, labels_of(world, cluster, i, name), NULL));
    set_amounts(world, sets, cluster, node);
    if (i % BENCH_NODE_TAINTED == 0) {
      bench_must(
          rebal_cells_set_i64(rebal_fleet_cells(world->fleet), REBAL_NODE_TAINTS, cluster, node, sets->taints, NULL));
    }
  }
}

/* ---- pods -------------------------------------------------------------------------------------------------------- */

struct slice {
  uint32_t rows[SLICE];
  int64_t cells[6][SLICE];
  char texts[SLICE * UID_SIZE];
  uint32_t offsets[SLICE + 1];
};

static void put_texts(struct test_world *world, struct slice *slice, uint32_t cluster, uint32_t column,
                      const char *format, uint32_t first, uint32_t divisor, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t number = (first + i) / divisor;
    const int len = snprintf(slice->texts + slice->offsets[i], UID_SIZE, format, (unsigned)number, (unsigned)cluster);

    slice->offsets[i + 1] = slice->offsets[i] + (uint32_t)len;
  }
  bench_must(rebal_cells_put_text(rebal_fleet_cells(world->fleet), column, cluster, slice->rows, slice->texts,
                                  slice->offsets, n, NULL));
}

static void add_slice(struct test_world *world, const struct bench_node_sets *sets, uint32_t cluster, uint32_t nodes,
                      uint32_t first, uint32_t n) {
  static const uint32_t columns[6] = {REBAL_POD_RESOURCES, REBAL_POD_NODE,     REBAL_POD_LABELS,
                                      REBAL_POD_PRIORITY,  REBAL_POD_TERMINAL, REBAL_POD_READY};
  static struct slice slice;

  bench_must(rebal_cells_add(rebal_fleet_cells(world->fleet), REBAL_TABLE_POD, cluster, slice.rows, n, NULL));
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t of_controller = (uint32_t)(draw(cluster, (first + i) / BENCH_POD_REPLICAS, 2) % BENCH_POD_TEMPLATES);

    slice.cells[0][i] = sets->templates[of_controller];
    slice.cells[1][i] = (int64_t)(draw(cluster, first + i, 3) % nodes);
    slice.cells[2][i] = sets->labels[of_controller];
    slice.cells[3][i] = of_controller % 3;
    slice.cells[4][i] = draw(cluster, first + i, 4) % 50 == 0;
    slice.cells[5][i] = !slice.cells[4][i];
  }
  for (size_t i = 0; i < 6; i++) {
    bench_must(
        rebal_cells_put_i64(rebal_fleet_cells(world->fleet), columns[i], cluster, slice.rows, slice.cells[i], n, NULL));
  }
  put_texts(world, &slice, cluster, REBAL_POD_NAMESPACE, "team-%u", first, 1000, n);
  put_texts(world, &slice, cluster, REBAL_POD_CONTROLLER_UID, "%08x-%04x-4f1a-9c3e-3b8a51c0de42", first,
            BENCH_POD_REPLICAS, n);
}

void bench_add_pods(struct test_world *world, const struct bench_node_sets *sets, uint32_t cluster, uint32_t nodes,
                    uint32_t first, uint32_t n) {
  for (uint32_t done = 0; done < n; done += SLICE) {
    add_slice(world, sets, cluster, nodes, first + done, n - done < SLICE ? n - done : SLICE);
  }
}

uint32_t bench_add_pod(struct test_world *world, const struct bench_node_sets *sets, uint32_t cluster, uint32_t node,
                       uint32_t template_of) {
  const uint32_t number = template_of % BENCH_POD_TEMPLATES;
  const int64_t cells[4] = {sets->templates[number], node, sets->labels[number], 1};
  static const uint32_t columns[4] = {REBAL_POD_RESOURCES, REBAL_POD_NODE, REBAL_POD_LABELS, REBAL_POD_READY};
  uint32_t row = 0;

  bench_must(rebal_cells_add(rebal_fleet_cells(world->fleet), REBAL_TABLE_POD, cluster, &row, 1, NULL));
  for (size_t i = 0; i < 4; i++) {
    bench_must(rebal_cells_put_i64(rebal_fleet_cells(world->fleet), columns[i], cluster, &row, &cells[i], 1, NULL));
  }
  return row;
}

void bench_remove_pod(struct test_world *world, uint32_t cluster, uint32_t row) {
  bench_must(rebal_cells_remove(rebal_fleet_cells(world->fleet), REBAL_TABLE_POD, cluster, &row, 1, NULL));
}
