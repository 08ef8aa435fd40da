/* SPDX-License-Identifier: MIT */
#include "fleet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GROUPS 31
#define KINDS 122
#define LOAD_STEPS 1000

/* Capacity for 10,000 replicas of half a core on 9 clusters at their highest load. */
static const struct {
  const char *name;
  int64_t allocatable;
} resources[BENCH_RESOURCES] = {
    {"cpu", 2000}, {"memory", INT64_C(8796093022208)}, {"pods", 12000}, {"ephemeral-storage", INT64_C(17592186044416)}};

static const char *const regions[BENCH_REGIONS] = {"region0", "region1", "region2", "region3",
                                                   "region4", "region5", "region6", "region7"};
static const char *const providers[] = {"provider0", "provider1", "provider2"};

void bench_must(int32_t code) {
  if (code != REBAL_OK) {
    (void)fprintf(stderr, "benchmark: %s\n", rebal_strerror(code));
    exit(EXIT_FAILURE);
  }
}

void bench_world_open(struct test_world *world, const rebal_allocator *allocator) {
  memset(world, 0, sizeof *world);
  bench_must(rebal_fleet_new(allocator, &world->fleet, NULL));
  bench_must(rebal_builder_new(NULL, &world->builder, NULL));
  world->bindings = test_new_bindings(world);
  world->ctx = test_context(allocator, 0, 0);
  bench_must(rebal_result_new(allocator, &world->result, NULL));
}

/* splitmix64 of the cluster and the draw: no state, so that a load does not depend on those drawn before. */
static uint64_t random_number(uint64_t cluster, uint64_t draw) {
  uint64_t z = cluster * UINT64_C(0x9e3779b97f4a7c15) + draw * UINT64_C(0xd1b54a32d192ed03) + 1;

  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* The first group holds what is scheduled, the last one differs between the sets. */
static void write_apis(unsigned set, char *buffer, size_t capacity) {
  size_t len = 0;
  unsigned kind = 0;

  for (unsigned group = 0; group < GROUPS; group++) {
    const unsigned end = KINDS * (group + 1) / GROUPS;

    len += group == 0 ? (size_t)snprintf(buffer + len, capacity - len, "apps/v1=Deployment")
                      : (size_t)snprintf(buffer + len, capacity - len, " group%02u.example.io/v%u=Kind%03u", group,
                                         group + 1 == GROUPS ? set + 1 : 1, kind);
    for (kind++; kind < end; kind++) {
      len += (size_t)snprintf(buffer + len, capacity - len, ",Kind%03u", kind);
    }
  }
}

void bench_intern(struct test_world *world, struct bench_sets *sets) {
  char text[8192];

  for (unsigned i = 0; i < BENCH_API_SETS; i++) {
    write_apis(i, text, sizeof text);
    sets->apis[i] = test_apis_handle(world, text);
  }
  for (unsigned i = 0; i < BENCH_LABEL_SETS; i++) {
    (void)snprintf(text, sizeof text, "tier=%u stage=%u team=%u rack=%u", i % 3, i / 3 % 4, i / 12 % 5, i / 60);
    sets->labels[i] = test_labels_handle(world, text);
  }
  for (unsigned i = 0; i < BENCH_REGIONS; i++) {
    (void)snprintf(text, sizeof text, "%s-a %s-b", regions[i], regions[i]);
    sets->zones[i] = test_zones_handle(world, text);
  }
  sets->taints = test_taints_handle(world, "maintenance:NoSchedule");
  for (size_t i = 0; i < BENCH_RESOURCES; i++) {
    bench_must(
        rebal_fleet_resource_id(world->fleet, resources[i].name, strlen(resources[i].name), &sets->resources[i], NULL));
  }
}

static void set_i64(struct test_world *world, uint32_t column, uint32_t cluster, int64_t value) {
  bench_must(rebal_cells_set_i64(rebal_fleet_cells(world->fleet), column, REBAL_NONE, cluster, value, NULL));
}

static void set_text(struct test_world *world, uint32_t column, uint32_t cluster, const char *text) {
  bench_must(
      rebal_cells_set_text(rebal_fleet_cells(world->fleet), column, REBAL_NONE, cluster, text, strlen(text), NULL));
}

/* Digits by hand: a row that times the loading should not time printf. */
void bench_cluster_name(uint32_t cluster, char name[BENCH_NAME]) {
  memcpy(name, "member0000", sizeof "member0000");
  for (size_t i = sizeof "member0000" - 1; cluster > 0; cluster /= 10) {
    name[--i] = (char)('0' + cluster % 10);
  }
}

void bench_set_load(struct test_world *world, const struct bench_sets *sets, uint32_t cluster, uint64_t draw) {
  for (size_t i = 0; i < BENCH_RESOURCES; i++) {
    const int64_t share = 100 + (int64_t)(random_number(cluster, draw * BENCH_RESOURCES + i) % 600);
    const rebal_quantity used = {resources[i].allocatable / LOAD_STEPS * share, 0, REBAL_QUANTITY_FORMAT_DECIMAL_SI};

    bench_must(
        rebal_fleet_set_capacity(world->fleet, REBAL_CAPACITY_ALLOCATED, cluster, sets->resources[i], &used, NULL));
  }
}

void bench_add_clusters(struct test_world *world, const struct bench_sets *sets, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    char name[BENCH_NAME];
    uint32_t cluster;

    bench_cluster_name(i, name);
    bench_must(rebal_fleet_add_cluster(world->fleet, name, strlen(name), &cluster, NULL));
    set_text(world, REBAL_CLUSTER_REGION, cluster, regions[i % BENCH_REGIONS]);
    set_text(world, REBAL_CLUSTER_PROVIDER, cluster, providers[i % 3]);
    set_i64(world, REBAL_CLUSTER_ZONES, cluster, sets->zones[i % BENCH_REGIONS]);
    set_i64(world, REBAL_CLUSTER_LABELS, cluster, sets->labels[random_number(i, UINT64_MAX) % BENCH_LABEL_SETS]);
    set_i64(world, REBAL_CLUSTER_API_ENABLEMENTS, cluster, sets->apis[i % BENCH_API_SETS]);
    if (i % BENCH_TAINTED == 0) {
      set_i64(world, REBAL_CLUSTER_TAINTS, cluster, sets->taints);
    }
    for (size_t k = 0; k < BENCH_RESOURCES; k++) {
      const rebal_quantity all = {resources[k].allocatable, 0, REBAL_QUANTITY_FORMAT_DECIMAL_SI};

      bench_must(
          rebal_fleet_set_capacity(world->fleet, REBAL_CAPACITY_ALLOCATABLE, cluster, sets->resources[k], &all, NULL));
    }
    bench_set_load(world, sets, cluster, 0);
  }
}
