/* SPDX-License-Identifier: MIT */
#include "workloads.h"

#include <stdio.h>

#define NAME_CAPACITY 24 /* bytes of a binding's name */

uint64_t bench_draw(uint64_t number) {
  uint64_t z = number * UINT64_C(0x9e3779b97f4a7c15) + 1; /* splitmix64 */

  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

static uint32_t make_placement(struct test_world *world, uint32_t clusters, uint32_t number, uint32_t way) {
  char labels[32], names[96], name[4][BENCH_NAME];
  struct test_affinity affinity = {.labels = labels, .exclude = names};
  struct test_placement placement = {.affinity = &affinity, .scheduling = "Divided/Weighted/AvailableReplicas"};

  for (uint32_t i = 0; i < 4; i++) {
    bench_cluster_name((number * 7 + i * 1111) % clusters, name[i]);
  }
  (void)snprintf(labels, sizeof labels, "tier=%u stage=%u", (unsigned)(number % 3), (unsigned)(number / 3 % 4));
  (void)snprintf(names, sizeof names, "%s %s", name[0], name[1]);
  switch (way) {
    case 4: /* three clusters by name, all replicas in each */
      (void)snprintf(names, sizeof names, "%s %s %s", name[0], name[1], name[2]);
      affinity = (struct test_affinity){.clusters = names};
      placement.scheduling = "Duplicated";
      break;
    case 5: /* four by name and weight */
      (void)snprintf(names, sizeof names, "%s=1 %s=2 %s=3 %s=5", name[0], name[1], name[2], name[3]);
      affinity = (struct test_affinity){.labels = ""};
      placement.scheduling = "Divided/Weighted";
      placement.weights = names;
      break;
    case 6:
    case 7:
      placement.scheduling = "Divided/Aggregated";
      placement.spreads = way == 6 ? "cluster:2:5" : "region:1:2 cluster:1:4";
      break;
    default:
      break;
  }
  return test_placement_handle(world, &placement);
}

void bench_intern_workloads(struct test_world *world, struct bench_workloads *workloads, int is_mixed) {
  for (uint32_t i = 0; i < workloads->n_placements; i++) {
    workloads->placements[i] = make_placement(world, workloads->clusters, i, is_mixed ? i % 8 : 0);
  }
  for (uint32_t i = 0; i < workloads->n_requirements; i++) {
    char request[64];

    (void)snprintf(request, sizeof request, "cpu=%um memory=%uMi", (unsigned)(50 + i % 50 * 10),
                   (unsigned)(64 + i / 50 * 32));
    workloads->requirements[i] = test_request_handle(world, request);
  }
}

/* Values of one column for a slice. */
static void put_column(rebal_bindings *bindings, uint32_t column, const uint32_t *rows, const int64_t *values,
                       size_t n) {
  bench_must(rebal_cells_put_i64(rebal_bindings_cells(bindings), column, REBAL_NONE, rows, values, n, NULL));
}

static void put_texts(rebal_bindings *bindings, uint32_t column, const uint32_t *rows, const char *format,
                      uint32_t first, size_t n) {
  static _Thread_local char bytes[BENCH_SLICE * NAME_CAPACITY];
  static _Thread_local uint32_t offsets[BENCH_SLICE + 1];

  for (size_t i = 0; i < n; i++) {
    const int len = snprintf(bytes + offsets[i], NAME_CAPACITY, format, (unsigned)(first + i));

    offsets[i + 1] = offsets[i] + (uint32_t)len;
  }
  bench_must(rebal_cells_put_text(rebal_bindings_cells(bindings), column, REBAL_NONE, rows, bytes, offsets, n, NULL));
}

void bench_add_bindings(const struct bench_workloads *workloads, rebal_bindings *bindings, uint32_t first, size_t n) {
  static _Thread_local int64_t replicas[BENCH_SLICE], requirements[BENCH_SLICE], placements[BENCH_SLICE],
      managed[BENCH_SLICE];
  static _Thread_local uint32_t rows[BENCH_SLICE];

  bench_must(rebal_cells_add(rebal_bindings_cells(bindings), REBAL_TABLE_BINDING, REBAL_NONE, rows, n, NULL));
  for (size_t i = 0; i < n; i++) {
    const uint64_t random = bench_draw(first + i);

    replicas[i] = 1 + (int64_t)(random % 10 != 0 ? random / 10 % 10 : random / 10 % 100);
    requirements[i] = workloads->requirements[random / 1000 % workloads->n_requirements];
    placements[i] = workloads->placements[random / 1000000 % workloads->n_placements];
    managed[i] = 1;
  }
  put_column(bindings, REBAL_BINDING_REPLICAS, rows, replicas, n);
  put_column(bindings, REBAL_BINDING_REQUIREMENTS, rows, requirements, n);
  put_column(bindings, REBAL_BINDING_PLACEMENT, rows, placements, n);
  put_column(bindings, REBAL_BINDING_MANAGED, rows, managed, n);
  put_texts(bindings, REBAL_BINDING_NAMESPACE, rows, "team", first, n);
  put_texts(bindings, REBAL_BINDING_NAME, rows, "web-%u-deployment", first, n);
  put_texts(bindings, REBAL_BINDING_RESOURCE_API_VERSION, rows, "apps/v1", first, n);
  put_texts(bindings, REBAL_BINDING_RESOURCE_KIND, rows, "Deployment", first, n);
  put_texts(bindings, REBAL_BINDING_RESOURCE_NAMESPACE, rows, "team", first, n);
  put_texts(bindings, REBAL_BINDING_RESOURCE_NAME, rows, "web-%u", first, n);
  put_texts(bindings, REBAL_BINDING_RESOURCE_UID, rows, "uid-%u", first, n);
}

void bench_make_bindings(const struct bench_workloads *workloads, rebal_bindings *bindings, uint32_t first, size_t n) {
  rebal_bindings_reset(bindings);
  bench_add_bindings(workloads, bindings, first, n);
  bench_must(rebal_bindings_freeze(bindings, NULL));
}
