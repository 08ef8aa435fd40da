/* SPDX-License-Identifier: MIT */
/* Component sets on real nodes (rebalance-karmada(7) 6.5.3, 6.7), and the charges of a ledger there. */
#include "estimating.h"

#include <stdio.h>

#include "../../support/allocator.h"
#include "../unit.h"

static const rebal_estimate_opts by_nodes = {(uint32_t)sizeof(rebal_estimate_opts), REBAL_ESTIMATE_FLAG_NODES, NULL,
                                             NULL};

static void open_nodes(struct test_world *world, const struct test_node *nodes, size_t n) {
  test_world_open(world, NULL);
  (void)test_add_cluster(world, &(struct test_cluster){"m1"});
  ck_assert_int_eq(
      rebal_cells_set_i64(rebal_fleet_cells(world->fleet), REBAL_CLUSTER_HAS_NODES, REBAL_NONE, 0, 1, NULL), REBAL_OK);
  for (size_t i = 0; i < n; i++) {
    (void)test_set_node(world, 0, &nodes[i]);
  }
}

#define NODES_4_1 {{"a", "cpu=4 pods=10"}, {"b", "cpu=1 pods=10"}}, 2

static const struct {
  struct test_node nodes[4];
  size_t n_nodes;
  struct test_component components[3];
  size_t n;
  int64_t sets;
} rows[] = {
    {{{NULL}}, 0, {{NULL, 0}}, 0, 0}, /* without nodes nothing fits, whatever is requested */
    {{{NULL}}, 0, {{"cpu=1", 1}}, 1, 0},
    {{{NULL}}, 0, {{"cpu=1", 0}, {"cpu=1", 1}, {"cpu=2", 1}}, 3, 0},
    {{{"a"}}, 1, {{NULL, 0}}, 0, INT32_MAX},
    {{{"a"}}, 1, {{"cpu=1", 0}, {NULL, 0}}, 2, INT32_MAX},
    {{{"a"}}, 1, {{NULL, 1}}, 1, 0},
    {NODES_4_1, {{"cpu=1", 1}, {"cpu=3", 1}}, 2, 1},
    {NODES_4_1, {{"cpu=4", 1}, {"cpu=1", 1}}, 2, 1},
    {NODES_4_1, {{"cpu=1", 1}, {"cpu=4", 1}}, 2, 0},
    {NODES_4_1, {{"cpu=1", 1}}, 1, 5},
    {NODES_4_1, {{"cpu=1", 2}}, 1, 2},               /* a set may span several nodes */
    {NODES_4_1, {{"cpu=1", 2}, {"cpu=1", 1}}, 2, 1}, /* two components with equal requests */
    {NODES_4_1, {{"cpu=1", 2}, {"cpu=1", 0}, {"cpu=500m", 2}}, 3, 1},
    {NODES_4_1, {{"pods=100", 1}, {"foo=1", 1}}, 2, 10}, /* 20 pods; such names request nothing */
    {{{"a", "cpu=8 pods=5"}, {"b", "cpu=100 pods=100"}}, 2, {{"cpu=1", 2}, {"cpu=2", 1}}, 2, 26},
    {{{"a", "cpu=8 pods=5", "d=ssd"}, {"b", "cpu=9 pods=9", "d=hdd"}},
     2,
     {{"cpu=1 @d=hdd", 1}, {"cpu=1 @d=ssd", 1}},
     2,
     5},
    {{{"a", "cpu=8 pods=5", "d=ssd"}, {"b", "cpu=9 pods=9", "d=hdd"}}, 2, {{"cpu=2 @d=hdd", 1}, {"cpu=2", 1}}, 2, 4},
    {{{"a", "pods=9223372036854775807"}}, 1, {{"", 1}, {NULL, 1}}, 2, INT32_MAX},
    {{{"a", "pods=9223372036854775807 cpu=9E"}}, 1, {{"cpu=4E", INT32_MAX}, {NULL, 1}}, 2, 0},
    /* Zones alternate: x1, y1, x2. Small pods fill the first nodes and leave no capacity for the large ones. */
    {{{"x1", "cpu=2 pods=9", "topology.kubernetes.io/zone=x"},
      {"x2", "cpu=2 pods=9", "topology.kubernetes.io/zone=x"},
      {"y1", "cpu=3 pods=9", "topology.kubernetes.io/zone=y"}},
     3,
     {{"cpu=1", 3}, {"cpu=3", 1}},
     2,
     0},
    {{{"x1", "cpu=2 pods=9"}, {"x2", "cpu=2 pods=9"}, {"y1", "cpu=3 pods=9"}}, 3, {{"cpu=1", 3}, {"cpu=3", 1}}, 2, 1},
};

START_TEST(test_sets) {
  struct test_world world;
  int64_t sets;

  open_nodes(&world, rows[_i].nodes, rows[_i].n_nodes);
  for (size_t i = 0; i < rows[_i].n; i++) {
    (void)test_request_handle(&world, rows[_i].components[i].request);
  }
  test_freeze(&world);
  sets = estimate_set_in(&world, rows[_i].components, rows[_i].n, &by_nodes, 0);
  test_world_close(&world);
  ck_assert_int_eq(sets, rows[_i].sets);
}
END_TEST

START_TEST(test_components_without_replicas_always_fit) {
  static const struct test_node full = {"a", "pods=0"};
  static const struct test_component components[] = {{"cpu=1", 0}, {NULL, 0}};
  struct test_world world;

  open_nodes(&world, &full, 1);
  (void)test_request_handle(&world, "cpu=1");
  test_freeze(&world);
  ck_assert_int_eq(estimate_set_in(&world, components, 2, &by_nodes, 0), INT32_MAX);
  test_world_close(&world);
}
END_TEST

/* Two bindings hold sets in the cluster, the first in the order of keys is the second here; what fits beside them. */
static const struct {
  struct test_node nodes[3];
  size_t n;
  struct test_component held[2][2];
  const char *request;
  int64_t replicas, sets; /* of one component */
} charges[] = {
    {NODES_4_1, {{{"cpu=1", 1}}}, "cpu=1", 4, 4},
    {NODES_4_1, {{{"cpu=1", 1}}}, "cpu=4", 0, 0},
    {NODES_4_1, {{{"cpu=1", 1}}, {{"cpu=4", 1}}}, "cpu=1", 0, 0},
    {NODES_4_1, {{{"cpu=4", 1}}, {{"cpu=1", 1}}}, "cpu=1", 4, 4}, /* the key of 1 cpu takes the large node first */
    {NODES_4_1, {{{"cpu=3", 2}, {"cpu=1", 2}}}, "cpu=1", 2, 2},   /* the placed part of a set stays */
    {NODES_4_1, {{{"gpu/x=1", 1}, {"cpu=1", 1}}}, "cpu=1", 5, 5},
    {NODES_4_1, {{{NULL, 9}}}, NULL, 11, 11},
    {{{"a", "cpu=4 pods=9", "d=s"}, {"b", "cpu=4 pods=9"}}, 2, {{{"cpu=1 ?d:DoesNotExist", 3}}}, "cpu=2", 2, 2},
    {{{"a", "cpu=4 pods=9", "d=s"}, {"b", "cpu=4 pods=9"}}, 2, {{{"cpu=1 @d=s", 3}}}, "cpu=1 @d=s", 1, 1},
};

static void hold(struct test_world *world, rebal_ledger *ledger, const struct test_component held[2][2]) {
  static const char *const keys[] = {"b", "a"};

  for (size_t i = 0; i < 2; i++) {
    charge_set(world, ledger, keys[i], 0, held[i], held[i][1].replicas != 0 ? 2 : held[i][0].replicas != 0);
  }
}

START_TEST(test_ledgers) {
  const struct test_component requested = {charges[_i].request, 1};
  const struct test_component pair[] = {requested, requested};
  rebal_compat *compat = test_compat(REBAL_OPTION_GATE_OVERCOMMIT_PROTECTION, 0);
  rebal_ledger *ledger = NULL;
  rebal_estimate_opts opts = by_nodes;
  struct test_world world;
  uint32_t requirements;
  int64_t free_replicas;

  open_nodes(&world, charges[_i].nodes, charges[_i].n);
  ck_assert_int_eq(rebal_ledger_new(world.fleet, NULL, &ledger, NULL), REBAL_OK);
  hold(&world, ledger, charges[_i].held);
  opts.ledger = ledger;
  requirements = test_request_handle(&world, requested.request);
  test_freeze(&world);
  free_replicas = estimate_in(&world, requirements, &by_nodes, 0);
  opts.compat = compat; /* without the gate a ledger does not count */
  ck_assert_int_eq(estimate_in(&world, requirements, &opts, 0), free_replicas);
  opts.compat = NULL;
  ck_assert_int_eq(estimate_in(&world, requirements, &opts, 0), charges[_i].replicas);
  ck_assert_int_eq(estimate_set_in(&world, &requested, 1, &opts, 0), charges[_i].sets);
  ck_assert_int_eq(estimate_set_in(&world, pair, 2, &opts, 0), charges[_i].sets / 2);
  ck_assert_int_eq(estimate_set_in(&world, &requested, 0, &opts, 0), INT32_MAX);
  test_world_close(&world);
  rebal_ledger_free(ledger);
  rebal_compat_free(compat);
}
END_TEST

/* ---- memory ------------------------------------------------------------------------------------------------------ */

struct requesting {
  struct test_world world;
  const rebal_estimate_opts *opts;
  uint32_t requirements[2];
  int64_t sets, replicas; /* that fit */
};

static int32_t query(const rebal_allocator *allocator, void *user_data) {
  struct requesting *requesting = user_data;
  const int32_t replicas[] = {2, 1};
  rebal_ctx *ctx = NULL;
  rebal_result *result = NULL;
  int32_t code = rebal_ctx_new(allocator, NULL, &ctx, NULL);

  code = code == REBAL_OK ? rebal_result_new(allocator, &result, NULL) : code;
  for (int i = 0; i < 2 && code == REBAL_OK; i++) {
    code = rebal_estimate_sets(ctx, requesting->world.snapshot, requesting->requirements, replicas, 2, requesting->opts,
                               result, NULL);
    if (code == REBAL_OK) {
      ck_assert_int_eq(rebal_result_i64(result, REBAL_ESTIMATE_REPLICAS, NULL)[0], requesting->sets);
      code =
          rebal_estimate(ctx, requesting->world.snapshot, requesting->requirements[0], requesting->opts, result, NULL);
    }
    if (code == REBAL_OK) {
      ck_assert_int_eq(rebal_result_i64(result, REBAL_ESTIMATE_REPLICAS, NULL)[0], requesting->replicas);
    }
  }
  rebal_result_free(result);
  rebal_ctx_free(ctx);
  return code;
}

START_TEST(test_out_of_memory) {
  const struct test_node nodes[] = {{"a", "cpu=6 pods=10"}, {"b", "cpu=3 pods=10"}};
  const struct test_component held[2][2] = {{{"cpu=2", 1}, {NULL, 1}}};
  rebal_ledger *ledger = NULL;
  rebal_estimate_opts opts = by_nodes;
  struct requesting requesting = {.opts = &opts, .sets = 2, .replicas = 9};

  open_nodes(&requesting.world, nodes, 2);
  ck_assert_int_eq(rebal_ledger_new(requesting.world.fleet, NULL, &ledger, NULL), REBAL_OK);
  hold(&requesting.world, ledger, held);
  requesting.requirements[0] = test_request_handle(&requesting.world, "cpu=1");
  requesting.requirements[1] = test_request_handle(&requesting.world, "cpu=2");
  test_freeze(&requesting.world);
  for (int i = 0; i < 2; i++) {
    ck_assert_pstr_eq(test_torture(query, &requesting), NULL);
    opts.ledger = ledger;
    requesting.sets = 1;
    requesting.replicas = 7;
  }
  test_world_close(&requesting.world);
  rebal_ledger_free(ledger);
}
END_TEST

#define HOLDERS 200

/* Each holder has a different request, so that memory runs out while one is placed. */
START_TEST(test_out_of_memory_with_many_holders) {
  const struct test_node nodes[] = {{"a", "cpu=206 memory=1Gi pods=900"}, {"b", "cpu=3 memory=1Gi pods=10"}};
  rebal_ledger *ledger = NULL;
  rebal_estimate_opts opts = by_nodes;
  struct requesting requesting = {.opts = &opts, .sets = 2, .replicas = 9};

  open_nodes(&requesting.world, nodes, 2);
  ck_assert_int_eq(rebal_ledger_new(requesting.world.fleet, NULL, &ledger, NULL), REBAL_OK);
  for (unsigned int i = 0; i < HOLDERS; i++) {
    char key[8], request[32];
    const struct test_component component = {request, 1};

    (void)snprintf(key, sizeof key, "%u", i);
    (void)snprintf(request, sizeof request, "cpu=1 memory=%u", 1 + i);
    charge_set(&requesting.world, ledger, key, 0, &component, 1);
  }
  requesting.requirements[0] = test_request_handle(&requesting.world, "cpu=1");
  requesting.requirements[1] = test_request_handle(&requesting.world, "cpu=2");
  test_freeze(&requesting.world);
  opts.ledger = ledger;
  ck_assert_pstr_eq(test_torture(query, &requesting), NULL);
  test_world_close(&requesting.world);
  rebal_ledger_free(ledger);
}
END_TEST

UNIT_CASE(node_sets) {
  TCase *cases = tcase_create("node_sets");

  tcase_add_loop_test(cases, test_sets, 0, sizeof rows / sizeof rows[0]);
  tcase_add_test(cases, test_components_without_replicas_always_fit);
  tcase_add_loop_test(cases, test_ledgers, 0, sizeof charges / sizeof charges[0]);
  tcase_add_test(cases, test_out_of_memory);
  tcase_add_test(cases, test_out_of_memory_with_many_holders);
  return cases;
}
