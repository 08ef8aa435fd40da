/* SPDX-License-Identifier: MIT */
/* Pods on nodes: small tables, and random ones compared with a plain search. */
#include "estimating.h"

#include "estimator/estimator.h"

#include "../../support/allocator.h"
#include "../unit.h"

#include <stdio.h>

static struct test_world world;
static uint32_t cluster;

static void setup(void) {
  static const struct test_cluster one = {"m"};

  test_world_open(&world, NULL);
  cluster = test_add_cluster(&world, &one);
}

static void teardown(void) {
  test_world_close(&world);
}

static rebal_quantity units(int64_t n) {
  return (rebal_quantity){n, 0, REBAL_QUANTITY_FORMAT_DECIMAL_SI};
}

/* Adds a node with cpus and a capacity for pods; below 0: no capacity is stated. */
static uint32_t add_node(const char *name, int64_t cpus, int64_t pods) {
  const rebal_quantity amounts[2] = {units(cpus), units(pods)};
  uint32_t resources[2], node;

  ck_assert_int_eq(rebal_fleet_resource_id(world.fleet, "cpu", 3, &resources[0], NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_resource_id(world.fleet, "pods", 4, &resources[1], NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_add_node(world.fleet, cluster, name, strlen(name), &node, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_set_node_amounts(world.fleet, cluster, node, resources, amounts, pods < 0 ? 1 : 2, NULL),
                   REBAL_OK);
  return node;
}

/* Adds three nodes of 2, 4 and 4 cpus, as rows 0 to 2. */
static void add_nodes(void) {
  ck_assert_uint_eq(add_node("n0", 2, 10), 0);
  ck_assert_uint_eq(add_node("n1", 4, 2), 1);
  ck_assert_uint_eq(add_node("n2", 4, 10), 2);
}

/* Places pods and returns the node of each: "0 1 -", or "-<pod" for one that another pod preempted. */
static const char *placed(const uint32_t *requirements, size_t n, const rebal_place_opts *opts) {
  static char text[256];
  const int64_t *nodes, *by;
  size_t len = 0;
  const int32_t code =
      rebal_place_pods(world.ctx, world.snapshot, cluster, requirements, n, opts, world.result, &world.err);

  ck_assert_msg(code == REBAL_OK, "%s", world.err.message);
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_SEATED), n);
  nodes = rebal_result_i64(world.result, REBAL_SEATED_NODE, NULL);
  by = rebal_result_i64(world.result, REBAL_SEATED_PREEMPTED_BY, NULL);
  text[0] = '\0';
  for (size_t i = 0; i < n; i++) {
    len += (size_t)snprintf(text + len, sizeof text - len, nodes[i] == REBAL_ABSENT ? "%s-" : "%s%d", i > 0 ? " " : "",
                            (int)nodes[i]);
    if (by[i] != REBAL_ABSENT) {
      len += (size_t)snprintf(text + len, sizeof text - len, "<%d", (int)by[i]);
    }
  }
  return text;
}

static uint32_t cpus(const char *request) {
  return test_request_handle(&world, request);
}

START_TEST(test_first_fit_in_order) {
  uint32_t pods[6];

  add_nodes();
  for (size_t i = 0; i < 6; i++) {
    pods[i] = cpus(i == 1 ? "cpu=3" : i == 5 ? "cpu=5" : "cpu=1");
  }
  test_freeze(&world);
  ck_assert_str_eq(placed(pods, 6, NULL), "0 1 0 1 2 -");
  ck_assert_str_eq(placed(pods, 0, NULL), "");
}
END_TEST

/* Nodes that state no pods have no capacity for pods; amounts that no scheduler counts are ignored. */
START_TEST(test_what_counts) {
  const uint32_t pods[4] = {REBAL_NONE, cpus("pods=99 storage=1"), cpus("example.com/gpu=1"), cpus("cpu=0")};

  ck_assert_uint_eq(add_node("none", 9, -1), 0);
  ck_assert_uint_eq(add_node("some", 9, 9), 1);
  test_freeze(&world);
  ck_assert_str_eq(placed(pods, 4, NULL), "1 1 - 1");
}
END_TEST

/* No node states its capacity for pods. */
START_TEST(test_no_number_of_pods) {
  const uint32_t pods[1] = {REBAL_NONE};

  ck_assert_uint_eq(add_node("none", 9, -1), 0);
  test_freeze(&world);
  ck_assert_str_eq(placed(pods, 1, NULL), "-");
}
END_TEST

/* Returns requirements with the nodeSelector pool=value. */
static uint32_t select_pool(const char *value) {
  const rebal_record *record = NULL;
  uint32_t handle = REBAL_NONE;

  rebal_builder_start(world.builder, REBAL_OBJECT_REQUIREMENTS, NULL);
  rebal_builder_begin(world.builder, REBAL_REQUIREMENTS_NODE_CLAIM, NULL);
  rebal_builder_begin(world.builder, REBAL_NODE_CLAIM_NODE_SELECTOR, NULL);
  rebal_builder_text(world.builder, REBAL_PAIR_KEY, "pool", 4, NULL);
  rebal_builder_text(world.builder, REBAL_PAIR_VALUE, value, strlen(value), NULL);
  rebal_builder_end(world.builder, NULL);
  rebal_builder_end(world.builder, NULL);
  ck_assert_int_eq(rebal_builder_finish(world.builder, &record, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_intern(world.fleet, record, &handle, NULL), REBAL_OK);
  return handle;
}

static void set_pool(uint32_t node, const char *labels) {
  const int64_t handle = test_labels_handle(&world, labels);
  const rebal_record *record =
      rebal_cells_record(rebal_fleet_cells(world.fleet), REBAL_OBJECT_LABELS, (uint32_t)handle);

  ck_assert_int_eq(rebal_fleet_set_node_labels(world.fleet, cluster, node, record, NULL), REBAL_OK);
}

START_TEST(test_claims_and_cordons) {
  const uint32_t pods[3] = {select_pool("a"), select_pool("b"), REBAL_NONE};

  add_nodes();
  set_pool(1, "pool=a");
  ck_assert_int_eq(rebal_cells_set_i64(rebal_fleet_cells(world.fleet), REBAL_NODE_UNSCHEDULABLE, cluster, 0, 1, NULL),
                   REBAL_OK);
  ck_assert_int_eq(rebal_cells_set_i64(rebal_fleet_cells(world.fleet), REBAL_NODE_TAINTS, cluster, 1,
                                       test_taints_handle(&world, "k=v:PreferNoSchedule"), NULL),
                   REBAL_OK);
  test_freeze(&world);
  ck_assert_str_eq(placed(pods, 3, NULL), "1 - 1");
  ck_assert_int_eq(rebal_cells_set_i64(rebal_fleet_cells(world.fleet), REBAL_NODE_TAINTS, cluster, 1,
                                       test_taints_handle(&world, "k=v:NoSchedule"), NULL),
                   REBAL_OK);
  test_freeze(&world);
  ck_assert_str_eq(placed(pods, 3, NULL), "- - 2");
}
END_TEST

/* A pod that tolerates k=v:NoExecute for some seconds, and all taints forever. */
static uint32_t tolerate_for(int64_t seconds) {
  const rebal_record *record = NULL;
  uint32_t handle = REBAL_NONE;

  rebal_builder_start(world.builder, REBAL_OBJECT_REQUIREMENTS, NULL);
  rebal_builder_begin(world.builder, REBAL_REQUIREMENTS_NODE_CLAIM, NULL);
  rebal_builder_begin(world.builder, REBAL_NODE_CLAIM_TOLERATIONS, NULL);
  rebal_builder_text(world.builder, REBAL_TOLERATION_KEY, "k", 1, NULL);
  rebal_builder_text(world.builder, REBAL_TOLERATION_OPERATOR, "Exists", 6, NULL);
  rebal_builder_text(world.builder, REBAL_TOLERATION_EFFECT, "NoExecute", 9, NULL);
  rebal_builder_i64(world.builder, REBAL_TOLERATION_TOLERATION_SECONDS, seconds, NULL);
  rebal_builder_end(world.builder, NULL);
  rebal_builder_begin(world.builder, REBAL_NODE_CLAIM_TOLERATIONS, NULL);
  rebal_builder_text(world.builder, REBAL_TOLERATION_OPERATOR, "Exists", 6, NULL);
  rebal_builder_end(world.builder, NULL);
  rebal_builder_end(world.builder, NULL);
  ck_assert_int_eq(rebal_builder_finish(world.builder, &record, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_intern(world.fleet, record, &handle, NULL), REBAL_OK);
  return handle;
}

/* A toleration that expires at once does not count; the first match of a taint decides. */
START_TEST(test_tolerations_that_are_over_at_once) {
  const uint32_t pods[4] = {tolerate_for(0), tolerate_for(1), tolerate_for(-1), tolerate_for(INT64_MAX)};
  static const char *const taints[] = {"k=v:NoExecute", "j=v:NoExecute", "k=v:NoSchedule"};
  static const char *const expected[] = {"1 0 1 0", "0 0 0 0", "0 0 0 0"};

  add_nodes();
  for (size_t i = 0; i < 3; i++) {
    ck_assert_int_eq(rebal_cells_set_i64(rebal_fleet_cells(world.fleet), REBAL_NODE_TAINTS, cluster, 0,
                                         test_taints_handle(&world, taints[i]), NULL),
                     REBAL_OK);
    test_freeze(&world);
    ck_assert_str_eq(placed(pods, 4, NULL), expected[i]);
  }
}
END_TEST

/* Such pods stay, may use more than the node has, and use nothing if the node does not exist. */
START_TEST(test_pods_that_have_a_node) {
  const uint32_t pods[5] = {cpus("cpu=1"), cpus("cpu=3"), cpus("cpu=4"), cpus("cpu=4"), cpus("cpu=1")};
  const uint32_t nodes[5] = {REBAL_NONE, 0, 1, 7, 1};
  const rebal_place_opts opts = {(uint32_t)sizeof opts, 0, nodes, NULL};

  add_nodes();
  test_freeze(&world);
  ck_assert_str_eq(placed(pods, 5, &opts), "2 0 1 7 1");
}
END_TEST

START_TEST(test_preemption) {
  const uint32_t pods[6] = {cpus("cpu=2"), cpus("cpu=1"), cpus("cpu=2"), cpus("cpu=4"), cpus("cpu=3"), cpus("cpu=2")};
  const uint32_t nodes[6] = {0, 1, 1, 2, REBAL_NONE, REBAL_NONE};
  const int32_t priorities[6] = {5, 1, 2, 9, 4, 5};
  rebal_place_opts opts = {(uint32_t)sizeof opts, 0, nodes, priorities};

  add_nodes();
  test_freeze(&world);
  ck_assert_str_eq(placed(pods, 6, &opts), "0 1 1 2 - -");
  opts.flags = REBAL_PLACE_FLAG_PREEMPTS;
  ck_assert_str_eq(placed(pods, 6, &opts), "0 1 -<4 2 -<5 1"); /* equals are left alone */
  opts.priorities = NULL;
  ck_assert_str_eq(placed(pods, 6, &opts), "0 1 1 2 - -");
}
END_TEST

/* Memory that is overcommitted on the node does not matter to a pod that requests none. */
START_TEST(test_preemption_beside_other_resources) {
  const uint32_t pods[4] = {cpus("memory=9"), cpus("cpu=4"), cpus("cpu=1"), cpus("memory=1")};
  const struct test_node node = {"n0", "cpu=4 memory=4 pods=10"};
  const uint32_t nodes[4] = {0, 0, REBAL_NONE, REBAL_NONE};
  const int32_t priorities[4] = {1, 0, 1, 1};
  const rebal_place_opts opts = {(uint32_t)sizeof opts, REBAL_PLACE_FLAG_PREEMPTS, nodes, priorities};

  ck_assert_uint_eq(test_set_node(&world, cluster, &node), 0);
  test_freeze(&world);
  ck_assert_str_eq(placed(pods, 4, &opts), "0 -<2 0 -");
}
END_TEST

/* A pod that was placed in this call may be preempted too; it is not placed again. */
START_TEST(test_preemption_of_one_just_placed) {
  const uint32_t pods[3] = {cpus("cpu=2"), cpus("cpu=2"), cpus("cpu=1")};
  const int32_t priorities[3] = {0, 1, 0};
  const rebal_place_opts opts = {(uint32_t)sizeof opts, REBAL_PLACE_FLAG_PREEMPTS, NULL, priorities};

  (void)add_node("n0", 2, 10);
  test_freeze(&world);
  ck_assert_str_eq(placed(pods, 3, &opts), "-<1 0 -");
}
END_TEST

/* The requests of two pods overflow; without them only the node's own capacity is free. */
START_TEST(test_preemption_of_more_than_can_be_counted) {
  const uint32_t pods[4] = {cpus("memory=9223372036854775807"), cpus("memory=9223372036854775807"), cpus("memory=1"),
                            cpus("memory=100")};
  const struct test_node node = {"n0", "memory=1 pods=10"};
  const uint32_t nodes[4] = {0, 0, REBAL_NONE, REBAL_NONE};
  const int32_t priorities[4] = {0, 0, 1, 1};
  const rebal_place_opts opts = {(uint32_t)sizeof opts, REBAL_PLACE_FLAG_PREEMPTS, nodes, priorities};

  ck_assert_uint_eq(test_set_node(&world, cluster, &node), 0);
  test_freeze(&world);
  ck_assert_str_eq(placed(pods, 4, &opts), "-<2 -<2 0 -");
}
END_TEST

START_TEST(test_refusals) {
  const uint32_t pods[2] = {REBAL_NONE, 99};
  rebal_place_opts opts = {(uint32_t)sizeof opts, 4, NULL, NULL};

  test_freeze(&world);
  ck_assert_int_eq(rebal_place_pods(world.ctx, world.snapshot, cluster, pods, 1, NULL, world.result, &world.err),
                   REBAL_ENOTFOUND);
  add_nodes();
  test_freeze(&world);
  ck_assert_int_eq(rebal_place_pods(world.ctx, world.snapshot, 9, pods, 1, NULL, world.result, NULL), REBAL_ENOTFOUND);
  ck_assert_int_eq(rebal_place_pods(world.ctx, world.snapshot, cluster, pods, 2, NULL, world.result, &world.err),
                   REBAL_EINVAL);
  ck_assert_int_eq(world.err.where, 1);
  ck_assert_int_eq(rebal_place_pods(world.ctx, world.snapshot, cluster, pods, REBAL_NONE, NULL, world.result, NULL),
                   REBAL_ELIMIT);
  ck_assert_int_eq(rebal_place_pods(world.ctx, world.snapshot, cluster, NULL, 1, NULL, world.result, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_place_pods(world.ctx, world.snapshot, cluster, NULL, 0, NULL, world.result, NULL), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_SEATED), 0);
  ck_assert_int_eq(rebal_place_pods(world.ctx, world.snapshot, cluster, pods, 1, &opts, world.result, NULL),
                   REBAL_EUNSUPPORTED);
  opts.struct_size = 1;
  ck_assert_int_eq(rebal_place_pods(world.ctx, world.snapshot, cluster, pods, 1, &opts, world.result, NULL),
                   REBAL_EABI);
}
END_TEST

/* ---- comparison with a plain search ------------------------------------------------------------------------------ */

#define NODES 70
#define PODS 90

struct plain {
  int64_t cpus[PODS];
  int64_t left[NODES], pods_left[NODES];
  uint32_t nodes[PODS], by[PODS];
  int32_t priorities[PODS];
};

static uint32_t next_random(uint32_t *state, uint32_t below) {
  *state = *state * 1664525u + 1013904223u;
  return (*state >> 8) % below;
}

static void plain_move(struct plain *plain, size_t pod, uint32_t node, int64_t sign) {
  plain->left[node] -= sign * plain->cpus[pod];
  plain->pods_left[node] -= sign;
}

static int plain_fits(const struct plain *plain, size_t pod, uint32_t node) {
  return plain->pods_left[node] >= 1 && (plain->cpus[pod] == 0 || plain->left[node] >= plain->cpus[pod]);
}

/* Removes all pods of lower priority, tests the fit, and puts back those that may stay, highest priority first. */
static int plain_preempt(struct plain *plain, size_t pod, uint32_t node) {
  int off[PODS] = {0};
  int fits;

  for (size_t i = 0; i < PODS; i++) {
    off[i] = plain->nodes[i] == node && plain->priorities[i] < plain->priorities[pod];
    if (off[i]) {
      plain_move(plain, i, node, -1);
    }
  }
  fits = plain_fits(plain, pod, node);
  for (int32_t priority = 9; priority >= 0; priority--) {
    for (size_t i = 0; i < PODS; i++) {
      if (off[i] && plain->priorities[i] == priority) {
        plain_move(plain, i, node, 1);
        if (fits && !plain_fits(plain, pod, node)) {
          plain_move(plain, i, node, -1);
          plain->nodes[i] = REBAL_NONE;
          plain->by[i] = (uint32_t)pod;
        }
      }
    }
  }
  return fits;
}

static void plain_place(struct plain *plain, size_t pod) {
  for (uint32_t preempts = 0; preempts < 2; preempts++) {
    for (uint32_t node = 0; node < NODES; node++) {
      if (preempts ? plain_preempt(plain, pod, node) : plain_fits(plain, pod, node)) {
        plain->nodes[pod] = node;
        plain_move(plain, pod, node, 1);
        return;
      }
    }
  }
}

START_TEST(test_like_a_plain_search) {
  uint32_t state = (uint32_t)_i * 7919u + 1u;
  const uint32_t n_nodes = NODES;
  struct plain plain;
  uint32_t kinds[4], pods[PODS], given[PODS];
  const rebal_place_opts opts = {(uint32_t)sizeof opts, REBAL_PLACE_FLAG_PREEMPTS, given, plain.priorities};

  kinds[0] = REBAL_NONE;
  for (uint32_t i = 1; i < 4; i++) {
    char request[16];

    (void)snprintf(request, sizeof request, "cpu=%u", (unsigned int)i);
    kinds[i] = cpus(request);
  }
  for (uint32_t i = 0; i < n_nodes; i++) {
    char name[16];

    plain.left[i] = (int64_t)next_random(&state, 4);
    plain.pods_left[i] = (int64_t)next_random(&state, 3);
    (void)snprintf(name, sizeof name, "n%u", (unsigned int)i);
    (void)add_node(name, plain.left[i], plain.pods_left[i]);
  }
  test_freeze(&world);
  for (size_t i = 0; i < PODS; i++) {
    plain.cpus[i] = (int64_t)next_random(&state, 4);
    plain.priorities[i] = (int32_t)next_random(&state, 4);
    pods[i] = kinds[plain.cpus[i]];
    given[i] = next_random(&state, 4) == 0 ? next_random(&state, NODES) : REBAL_NONE;
    plain.nodes[i] = given[i];
    plain.by[i] = REBAL_NONE;
    if (given[i] != REBAL_NONE) {
      plain_move(&plain, i, given[i], 1);
    }
  }
  for (size_t i = 0; i < PODS; i++) {
    if (plain.nodes[i] == REBAL_NONE && plain.by[i] == REBAL_NONE) {
      plain_place(&plain, i);
    }
  }
  ck_assert_int_eq(rebal_place_pods(world.ctx, world.snapshot, cluster, pods, PODS, &opts, world.result, NULL),
                   REBAL_OK);
  for (size_t i = 0; i < PODS; i++) {
    const int64_t by = rebal_result_i64(world.result, REBAL_SEATED_PREEMPTED_BY, NULL)[i];

    ck_assert_int_eq(rebal_result_i64(world.result, REBAL_SEATED_NODE, NULL)[i], rebali_id_given(plain.nodes[i]));
    ck_assert_int_eq(by == REBAL_ABSENT ? REBAL_NONE : by, plain.by[i]);
  }
}
END_TEST

static int32_t place_many(const rebal_allocator *allocator, void *user_data) {
  static const int32_t priorities[PODS] = {[0] = -1, [PODS - 1] = 1};
  const rebal_place_opts opts = {(uint32_t)sizeof opts, REBAL_PLACE_FLAG_PREEMPTS, NULL, priorities};
  rebal_result *result = NULL;
  rebal_ctx *ctx = NULL;
  int32_t code = rebal_ctx_new(allocator, NULL, &ctx, NULL);

  if (code == REBAL_OK) {
    code = rebal_result_new(allocator, &result, NULL);
  }
  if (code == REBAL_OK) {
    code = rebal_place_pods(ctx, world.snapshot, cluster, user_data, PODS, &opts, result, NULL);
  }
  if (code != REBAL_OK && result != NULL) {
    ck_assert_uint_eq(rebal_result_count(result, REBAL_TABLE_SEATED), 0);
  }
  rebal_result_free(result);
  rebal_ctx_free(ctx);
  return code;
}

START_TEST(test_out_of_memory) {
  uint32_t pods[PODS];

  for (uint32_t i = 0; i < PODS; i++) {
    char name[16];

    (void)snprintf(name, sizeof name, "cpu=%u", (unsigned int)i + 1);
    pods[i] = cpus(name);
    (void)snprintf(name, sizeof name, "n%u", (unsigned int)i);
    (void)add_node(name, i, 1);
  }
  test_freeze(&world);
  ck_assert_pstr_eq(test_torture(place_many, pods), NULL);
}
END_TEST

UNIT_CASE(place) {
  TCase *cases = tcase_create("place");

  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_test(cases, test_first_fit_in_order);
  tcase_add_test(cases, test_what_counts);
  tcase_add_test(cases, test_no_number_of_pods);
  tcase_add_test(cases, test_claims_and_cordons);
  tcase_add_test(cases, test_tolerations_that_are_over_at_once);
  tcase_add_test(cases, test_pods_that_have_a_node);
  tcase_add_test(cases, test_preemption);
  tcase_add_test(cases, test_preemption_beside_other_resources);
  tcase_add_test(cases, test_preemption_of_one_just_placed);
  tcase_add_test(cases, test_preemption_of_more_than_can_be_counted);
  tcase_add_test(cases, test_refusals);
  tcase_add_loop_test(cases, test_like_a_plain_search, 0, 50);
  tcase_add_test(cases, test_out_of_memory);
  return cases;
}
