/* SPDX-License-Identifier: MIT */
/* What nodes and pods take of memory: a hundredth of what is allowed for a hundred such clusters. */
#include "fleet/nodes.h"
#include "making.h"

#include <stddef.h>
#include <stdio.h>

#define NODES 5000u
#define PODS 20000u
#define LABELS 20u
#define ALLOWED (UINT64_C(512) * 1024 * 1024 / 100)

/* ---- an allocator that counts bytes ------------------------------------------------------------------------------ */

struct counted {
  rebal_allocator functions;
  size_t bytes;
  size_t peak;
};

/* Before each block, as large as what a block may hold is aligned. */
union header {
  size_t size;
  max_align_t alignment;
};

static void *reallocate(void *user_data, void *pointer, size_t size) {
  struct counted *memory = user_data;
  union header *old = pointer == NULL ? NULL : (union header *)pointer - 1;
  const size_t old_size = old == NULL ? 0 : old->size;
  union header *block = realloc(old, sizeof *block + size);

  ck_assert_ptr_nonnull(block);
  block->size = size;
  memory->bytes += size - old_size; /* wraps back */
  memory->peak = memory->bytes > memory->peak ? memory->bytes : memory->peak;
  return block + 1;
}

static void *allocate(void *user_data, size_t size) {
  return reallocate(user_data, NULL, size);
}

static void release(void *user_data, void *pointer) {
  if (pointer != NULL) {
    ((struct counted *)user_data)->bytes -= ((union header *)pointer - 1)->size;
    free((union header *)pointer - 1);
  }
}

/* ---- a cluster --------------------------------------------------------------------------------------------------- */

static void add_label(rebal_builder *builder, const char *key, const char *value) {
  rebal_builder_begin(builder, REBAL_LABELS_LABEL, NULL);
  rebal_builder_text(builder, REBAL_PAIR_KEY, key, strlen(key), NULL);
  rebal_builder_text(builder, REBAL_PAIR_VALUE, value, strlen(value), NULL);
  rebal_builder_end(builder, NULL);
}

/* Each has a hostname of its own, its name; the other labels have ten values each. */
static void add_node(rebal_fleet *fleet, rebal_builder *builder, uint32_t cluster, uint32_t number) {
  const rebal_quantity amounts[3] = {{4 + number % 8, 0, REBAL_QUANTITY_FORMAT_DECIMAL_SI},
                                     {INT64_C(17179869184) - number, 0, REBAL_QUANTITY_FORMAT_BINARY_SI},
                                     {110, 0, REBAL_QUANTITY_FORMAT_DECIMAL_SI}};
  const uint32_t resources[3] = {0, 1, 2};
  const rebal_record *labels = NULL;
  char name[40];
  uint32_t node = REBAL_NONE;

  (void)snprintf(name, sizeof name, "node-%05u.example.internal", (unsigned)number);
  ck_assert_int_eq(rebal_fleet_add_node(fleet, cluster, name, strlen(name), &node, NULL), REBAL_OK);
  rebal_builder_start(builder, REBAL_OBJECT_LABELS, NULL);
  add_label(builder, "kubernetes.io/hostname", name);
  for (uint32_t i = 1; i < LABELS; i++) {
    char key[40], value[16];

    (void)snprintf(key, sizeof key, "example.com/label-%02u", (unsigned)i);
    (void)snprintf(value, sizeof value, "value-%u", (unsigned)((number * 7 + i) % 10));
    add_label(builder, key, value);
  }
  ck_assert_int_eq(rebal_builder_finish(builder, &labels, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_set_node_labels(fleet, cluster, node, labels, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_set_node_amounts(fleet, cluster, node, resources, amounts, 3, NULL), REBAL_OK);
}

/* With a namespace, and the uid of a controller that ten of them share. */
static void add_pod(rebal_fleet *fleet, uint32_t cluster, uint32_t number) {
  const int64_t node = (int64_t)(number * UINT64_C(7919) % NODES);
  uint32_t offsets[2] = {0, 36};
  uint32_t row = REBAL_NONE;
  char uid[48];

  (void)snprintf(uid, sizeof uid, "%08x-77aa-4f1a-9c3e-3b8a51c0de42", (unsigned)(number / 10));
  ck_assert_int_eq(rebal_cells_add(rebal_fleet_cells(fleet), REBAL_TABLE_POD, cluster, &row, 1, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_cells_put_i64(rebal_fleet_cells(fleet), REBAL_POD_NODE, cluster, &row, &node, 1, NULL),
                   REBAL_OK);
  ck_assert_int_eq(
      rebal_cells_put_text(rebal_fleet_cells(fleet), REBAL_POD_CONTROLLER_UID, cluster, &row, uid, offsets, 1, NULL),
      REBAL_OK);
  offsets[1] = 4;
  ck_assert_int_eq(
      rebal_cells_put_text(rebal_fleet_cells(fleet), REBAL_POD_NAMESPACE, cluster, &row, "team", offsets, 1, NULL),
      REBAL_OK);
}

START_TEST(test_memory_of_a_large_cluster) {
  struct counted memory = {.functions = {.struct_size = (uint32_t)sizeof memory.functions}};
  rebal_builder *builder = NULL;
  rebal_fleet *fleet = NULL;
  rebal_snapshot *snapshot;
  uint32_t cluster;

  memory.functions.user_data = &memory;
  memory.functions.allocate = allocate;
  memory.functions.reallocate = reallocate;
  memory.functions.release = release;
  ck_assert_int_eq(rebal_fleet_new(&memory.functions, &fleet, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  cluster = add_cluster(fleet, "a");
  ck_assert_uint_eq(resource_of(fleet, "cpu"), 0);
  ck_assert_uint_eq(resource_of(fleet, "memory"), 1);
  ck_assert_uint_eq(resource_of(fleet, "pods"), 2);
  for (uint32_t i = 0; i < NODES; i++) {
    add_node(fleet, builder, cluster, i);
  }
  for (uint32_t i = 0; i < PODS; i++) {
    add_pod(fleet, cluster, i);
  }
  snapshot = freeze(fleet);
  ck_assert_int_eq(rebal_snapshot_node_amount(snapshot, REBAL_CAPACITY_ALLOCATED, cluster, 17, 2), PODS / NODES);
  ck_assert_uint_le(memory.peak, ALLOWED);
  rebal_snapshot_unref(snapshot);
  rebal_fleet_free(fleet);
  rebal_builder_free(builder);
  ck_assert_uint_eq(memory.bytes, 0);
}
END_TEST

UNIT_CASE(node_table) {
  TCase *cases = tcase_create("node_table");

  tcase_set_timeout(cases, 60);
  tcase_add_test(cases, test_memory_of_a_large_cluster);
  return cases;
}
