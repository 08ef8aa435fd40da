/* SPDX-License-Identifier: MIT */
/* Replicas on real nodes (rebalance-karmada(7) 6.5.2). */
#include "estimating.h"

#include "../../support/allocator.h"
#include "../unit.h"

#include <stdio.h>

static const rebal_estimate_opts by_nodes = {(uint32_t)sizeof(rebal_estimate_opts), REBAL_ESTIMATE_FLAG_NODES, NULL,
                                             NULL};

static int64_t fits_on(const struct test_node *nodes, size_t n, const char *request) {
  struct test_world world;
  uint32_t requirements;
  int64_t replicas;

  test_world_open(&world, NULL);
  (void)test_add_cluster(&world, &(struct test_cluster){"m1"});
  for (size_t i = 0; i < n; i++) {
    (void)test_set_node(&world, 0, &nodes[i]);
  }
  requirements = test_request_handle(&world, request);
  test_freeze(&world);
  replicas = estimate_in(&world, requirements, &by_nodes, 0);
  test_world_close(&world);
  return replicas;
}

static const struct {
  struct test_node nodes[3];
  size_t n;
  const char *request;
  int64_t replicas;
} rows[] = {
    {{{"a", "cpu=4 pods=10"}, {"b", "cpu=3500m pods=10"}}, 2, "cpu=1", 7},
    {{{"a", "cpu=4 pods=3"}, {"b", "cpu=1 pods=0"}}, 2, "cpu=1", 3},
    {{{"a", "cpu=4"}}, 1, "cpu=1", 0},                 /* no pods are stated, so none are free */
    {{{"a", "pods=7"}, {"b", "pods=4"}}, 2, "", 11},   /* no request: the free pods */
    {{{"a", "pods=7"}, {"b", "pods=4"}}, 2, NULL, 11}, /* and without requirements */
    {{{"a", "pods=7"}}, 1, "pods=3", 7},               /* pods of a request do not count, */
    {{{"a", "pods=7"}}, 1, "foo=3 storage=1", 7},      /* nor do names outside the vector form */
    {{{"a", "pods=7"}}, 1, "example.com/gpu=1", 0},    /* others do */
    {{{"a", "pods=7 example.com/gpu=3"}}, 1, "example.com/gpu=1", 3},
    {{{"a", "pods=7 cpu=1"}}, 1, "cpu=0 memory=-1", 7}, /* amounts of 0 or less request nothing */
    {{{"a", "pods=7 cpu=-1"}}, 1, "cpu=1", 0},          /* negative capacity fits nothing */
    {{{"a", "pods=7 cpu=1"}}, 1, "cpu=100001u", 7},     /* thousandths, rounded up: 101m */
    {{{"a", "pods=99 cpu=1"}}, 1, "cpu=100001u", 9},
    {{{"a", "pods=99 memory=1Ti"}}, 1, "memory=1", 99}, /* not divided by multiplication */
    {{{"a", "pods=9223372036854775807 memory=1Ei"}}, 1, "memory=3", INT32_MAX},
    {{{"a", "pods=2147483647"}, {"b", "pods=5"}}, 2, "", INT32_MAX},
    {{{"a", "pods=1", "z=1"}, {"b", "pods=2", "z=2"}, {"c", "pods=4"}}, 3, "@z=2", 2},
    {{{"a", "pods=1", "z=1"}, {"b", "pods=2", "z=2"}, {"c", "pods=4"}}, 3, "?z:NotIn:2", 5},
    {{{"a", "pods=1", "z=1"}, {"b", "pods=2", "z=2"}, {"c", "pods=4"}}, 3, "?z:Gt:1 ?z:DoesNotExist", 6},
    {{{"a", "pods=1", NULL, "k=v:NoSchedule"}, {"b", "pods=2", NULL, "k=v:PreferNoSchedule"}}, 2, "", 2},
    {{{"a", "pods=1", NULL, "k=v:NoExecute"}, {"b", "pods=2", NULL, NULL, 1}}, 2, "", 0},
    {{{"a", "pods=1", NULL, "k=v:NoExecute"}, {"b", "pods=2", NULL, NULL, 1}}, 2, "~k:Exists", 1},
    {{{"a", "pods=1", NULL, "k=v:NoExecute"}, {"b", "pods=2", NULL, NULL, 1}},
     2,
     "~node.kubernetes.io/unschedulable:Exists::NoSchedule",
     2},
};

START_TEST(test_replicas) {
  ck_assert_int_eq(fits_on(rows[_i].nodes, rows[_i].n, rows[_i].request), rows[_i].replicas);
}
END_TEST

START_TEST(test_numbers_wrap_node_by_node) {
  const struct test_node nodes[] = {{"a", "pods=4294967297"}, {"b", "pods=2147483647"}, {"c", "pods=2"}};
  rebal_compat *compat = test_compat(REBAL_OPTION_INT32_WRAP, 1);
  rebal_estimate_opts opts = by_nodes;
  struct test_world world;

  opts.compat = compat;
  test_world_open(&world, NULL);
  (void)test_add_cluster(&world, &(struct test_cluster){"m1"});
  (void)test_set_node(&world, 0, &nodes[0]);
  test_freeze(&world);
  ck_assert_int_eq(estimate_in(&world, REBAL_NONE, &opts, 0), 1);
  (void)test_set_node(&world, 0, &nodes[1]);
  (void)test_set_node(&world, 0, &nodes[2]);
  test_freeze(&world);
  ck_assert_int_eq(estimate_in(&world, REBAL_NONE, &opts, 0), INT32_MIN + 2);
  ck_assert_int_eq(estimate_in(&world, REBAL_NONE, &by_nodes, 0), INT32_MAX);
  test_world_close(&world);
  rebal_compat_free(compat);
}
END_TEST

START_TEST(test_an_affinity_without_terms_restricts_nothing) {
  struct test_world world;
  const rebal_record *record = NULL;
  uint32_t requirements;

  test_world_open(&world, NULL);
  (void)test_add_cluster(&world, &(struct test_cluster){"m1"});
  (void)test_set_node(&world, 0, &(struct test_node){"a", "pods=3"});
  (void)rebal_builder_start(world.builder, REBAL_OBJECT_REQUIREMENTS, NULL);
  (void)rebal_builder_begin(world.builder, REBAL_REQUIREMENTS_NODE_CLAIM, NULL);
  (void)rebal_builder_begin(world.builder, REBAL_NODE_CLAIM_HARD_NODE_AFFINITY, NULL);
  (void)rebal_builder_end(world.builder, NULL);
  (void)rebal_builder_end(world.builder, NULL);
  ck_assert_int_eq(rebal_builder_finish(world.builder, &record, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_intern(world.fleet, record, &requirements, NULL), REBAL_OK);
  test_freeze(&world);
  ck_assert_int_eq(estimate_in(&world, requirements, &by_nodes, 0), 3);
  test_world_close(&world);
}
END_TEST

/* Quotients by shifts and factors equal those of a division: all nodes of a leaf have the same free amount. */
START_TEST(test_many_divisors) {
  static const char *const amounts[] = {"1",   "2",     "3",       "7",          "1000", "4095",
                                        "1Mi", "896Mi", "1000001", "2147483648", "3Gi",  "4294967295"};

  for (size_t i = 0; i < sizeof amounts / sizeof amounts[0]; i++) {
    for (size_t k = 0; k < sizeof amounts / sizeof amounts[0]; k++) {
      char node[64], request[64];
      rebal_quantity all, one;
      int64_t quotient;
      const struct test_node nodes[] = {{"a", node}};

      (void)snprintf(node, sizeof node, "pods=1000000 memory=%s", amounts[i]);
      (void)snprintf(request, sizeof request, "memory=%s", amounts[k]);
      (void)rebal_quantity_parse(amounts[i], strlen(amounts[i]), &all, NULL);
      (void)rebal_quantity_parse(amounts[k], strlen(amounts[k]), &one, NULL);
      quotient = rebal_quantity_value(&all) / rebal_quantity_value(&one);
      ck_assert_int_eq(fits_on(nodes, 1, request), quotient < 1000000 ? quotient : 1000000);
    }
  }
}
END_TEST

UNIT_CASE(node_fit) {
  TCase *cases = tcase_create("node_fit");

  tcase_add_loop_test(cases, test_replicas, 0, sizeof rows / sizeof rows[0]);
  tcase_add_test(cases, test_numbers_wrap_node_by_node);
  tcase_add_test(cases, test_an_affinity_without_terms_restricts_nothing);
  tcase_add_test(cases, test_many_divisors);
  return cases;
}
