/* SPDX-License-Identifier: MIT */
/* ResourceQuotas limit what fits (rebalance-karmada(7) 6.5.4). */
#include "estimating.h"

#include "../../support/allocator.h"
#include "../unit.h"

static struct test_world world;
static rebal_compat *gate;
static rebal_estimate_opts opts;

/* Opens a world with a cluster whose node has capacity for a thousand pods and plenty of all resources. */
static void open_world(void) {
  static const struct test_node node = {"n", "pods=1000 cpu=2000 memory=1Ti example.com/gpu=1000"};

  test_world_open(&world, NULL);
  (void)test_add_cluster(&world, &(struct test_cluster){"m1"});
  (void)test_set_node(&world, 0, &node);
  gate = test_compat(REBAL_OPTION_GATE_RESOURCE_QUOTA, 1);
  opts =
      (rebal_estimate_opts){.struct_size = (uint32_t)sizeof opts, .flags = REBAL_ESTIMATE_FLAG_NODES, .compat = gate};
}

static void close_world(void) {
  test_world_close(&world);
  rebal_compat_free(gate);
}

static int64_t query(const char *request) {
  const uint32_t requirements = test_request_handle(&world, request);

  test_freeze(&world);
  return estimate_in(&world, requirements, &opts, 0);
}

static const struct {
  struct test_quota quotas[2];
  const char *request;
  int64_t replicas;
} rows[] = {
    {{{"ns", "cpu=10", "cpu=4"}}, "cpu=1 /ns", 6},
    {{{"ns", "cpu=10", "cpu=4"}}, "cpu=1 /other", 1000},
    {{{"ns", "cpu=10", "cpu=4"}}, "cpu=1", 1000}, /* without a namespace */
    {{{"ns", "cpu=10", "cpu=4"}}, "memory=1Gi /ns", 1000},
    {{{"ns", "cpu=10", "cpu=12"}}, "cpu=1 /ns", 0},
    {{{"ns", "cpu=10"}}, "cpu=1 /ns", 1000}, /* the used amount is unknown */
    {{{"ns", "cpu=10", "requests.cpu=1"}}, "cpu=1 /ns", 1000},
    {{{"ns", "requests.cpu=10", "requests.cpu=1"}}, "cpu=1 /ns", 9},
    {{{"ns", "limits.cpu=1 pods=1 ephemeral-storage=1", "limits.cpu=1 pods=1 ephemeral-storage=1"}},
     "cpu=1 ephemeral-storage=1 /ns",
     0}, /* limited by the node, which has no such storage */
    {{{"ns", "limits.cpu=1 pods=1 services=1", "limits.cpu=1 pods=1 services=1"}}, "cpu=1 /ns", 1000},
    {{{"ns", "memory=4Gi requests.memory=8Gi", "memory=0 requests.memory=0"}}, "memory=1Gi /ns", 4},
    {{{"ns", "example.com/gpu=3", "example.com/gpu=1"}}, "example.com/gpu=1 /ns", 2},
    {{{"ns", "requests.example.com/gpu=3", "requests.example.com/gpu=2"}}, "example.com/gpu=1 /ns", 1},
    {{{"ns", "cpu=1", "cpu=999900u"}}, "cpu=1m /ns", 1}, /* the remaining amount is rounded up: 1m */
    {{{"ns", "cpu=8", "cpu=0"}, {"ns", "cpu=7 memory=1Gi", "cpu=4 memory=0"}}, "cpu=1 /ns", 3},
    {{{"ns", "cpu=8", "cpu=0"}, {"else", "cpu=7", "cpu=4"}}, "cpu=1 /ns", 8},
    {{{"ns", "cpu=8", "cpu=0"}}, "cpu=0 /ns", 1000},
    {{{"ns", "cpu=8", "cpu=0", "PriorityClass"}}, "cpu=1 /ns", 1000},
    {{{"ns", "cpu=8", "cpu=0", "PriorityClass"}}, "cpu=1 /ns !high", 8},
    {{{"ns", "cpu=8", "cpu=0", "BestEffort"}}, "cpu=1 /ns !high", 1000},
    {{{"ns", "cpu=8", "cpu=0", "BestEffort PriorityClass"}}, "cpu=1 /ns !high", 8},
    {{{"ns", "cpu=8", "cpu=0", NULL, "PriorityClass:In:low,high"}}, "cpu=1 /ns !high", 8},
    {{{"ns", "cpu=8", "cpu=0", NULL, "PriorityClass:In:low"}}, "cpu=1 /ns !high", 1000},
    {{{"ns", "cpu=8", "cpu=0", NULL, "PriorityClass:NotIn:low"}}, "cpu=1 /ns !high", 8},
    {{{"ns", "cpu=8", "cpu=0", NULL, "PriorityClass:NotIn:low"}}, "cpu=1 /ns", 8},
    {{{"ns", "cpu=8", "cpu=0", NULL, "PriorityClass:NotIn:low,high"}}, "cpu=1 /ns !high", 1000},
    {{{"ns", "cpu=8", "cpu=0", NULL, "PriorityClass:NotIn"}}, "cpu=1 /ns !high", 1000}, /* no values: no match */
    /* the remaining amount overflows */
    {{{"ns", "cpu=9223372036854775807", "cpu=-9223372036854775807"}}, "cpu=1 /ns", 1000},
    {{{"ns", "cpu=-9223372036854775807", "cpu=9223372036854775807"}}, "cpu=1 /ns", 0},
    {{{"ns", "cpu=8", "cpu=0", NULL, "PriorityClass:DoesNotExist"}}, "cpu=1 /ns", 8},
    {{{"ns", "cpu=8", "cpu=0", NULL, "PriorityClass:DoesNotExist"}}, "cpu=1 /ns !high", 1000},
    {{{"ns", "cpu=8", "cpu=0", NULL, "PriorityClass:Exists"}}, "cpu=1 /ns !high", 8},
    {{{"ns", "cpu=8", "cpu=0", NULL, "PriorityClass:Near:low"}}, "cpu=1 /ns !high", 1000},
    {{{"ns", "cpu=8", "cpu=0", NULL, "Terminating:Exists"}}, "cpu=1 /ns !high", 1000},
    {{{"ns", "cpu=8", "cpu=0", "Terminating", "PriorityClass:In:high"}}, "cpu=1 /ns !high", 8},
};

START_TEST(test_replicas) {
  test_set_quotas(&world, 0, rows[_i].quotas, rows[_i].quotas[1].namespace_ == NULL ? 1 : 2);
  ck_assert_int_eq(query(rows[_i].request), rows[_i].replicas);
  opts.compat = NULL; /* the gate is off */
  ck_assert_int_eq(query(rows[_i].request),
                   rows[_i].replicas == 0 && strstr(rows[_i].request, "storage") != NULL ? 0 : 1000);
}
END_TEST

START_TEST(test_the_smaller_of_cpu_and_requests_cpu) {
  const struct test_quota quota = {"ns", "cpu=9 requests.cpu=3", "cpu=0 requests.cpu=0"};
  const struct test_quota other = {"ns", "requests.cpu=9 cpu=3", "cpu=0 requests.cpu=0"};

  test_set_quotas(&world, 0, &quota, 1);
  ck_assert_int_eq(query("cpu=1 /ns"), 3);
  test_set_quotas(&world, 0, &other, 1);
  ck_assert_int_eq(query("cpu=1 /ns"), 3);
}
END_TEST

START_TEST(test_sets) {
  const struct test_quota quota = {"ns", "cpu=20", "cpu=2"};
  const struct test_quota scoped = {"ns", "cpu=20", "cpu=2", "PriorityClass"};
  const struct test_component components[] = {{"cpu=1", 2}, {"cpu=500m !high", 4}, {NULL, 3}, {"memory=1Gi", 1}};

  for (size_t i = 0; i < 4; i++) {
    (void)test_request_handle(&world, components[i].request);
  }
  test_set_quotas(&world, 0, &quota, 1);
  test_freeze(&world);
  ck_assert_int_eq(estimate_set_in(&world, components, 4, &opts, 0), 100); /* 10 pods each */
  opts.namespace_ = "ns";
  opts.namespace_len = 2;
  ck_assert_int_eq(estimate_set_in(&world, components, 4, &opts, 0), 4);
  ck_assert_int_eq(estimate_set_in(&world, components + 2, 2, &opts, 0), 250);
  ck_assert_int_eq(estimate_set_in(&world, components, 0, &opts, 0), INT32_MAX);
  test_set_quotas(&world, 0, &scoped, 1);
  test_freeze(&world);
  ck_assert_int_eq(estimate_set_in(&world, components, 4, &opts, 0), 9);
}
END_TEST

/* Charges of workloads of the namespace are subtracted if the quota matches them. */
START_TEST(test_ledgers) {
  const struct test_quota quotas[] = {{"ns", "cpu=10", "cpu=1"}, {"ns", "memory=9Gi", "memory=0", "PriorityClass"}};
  const struct test_component held[] = {{"cpu=1 memory=1Gi", 2}, {"cpu=500m memory=2Gi !high", 1}, {NULL, 1}};
  rebal_ledger *ledger = NULL;

  ck_assert_int_eq(rebal_ledger_new(world.fleet, NULL, &ledger, NULL), REBAL_OK);
  opts.ledger = ledger;
  test_set_quotas(&world, 0, quotas, 2);
  charge_set(&world, ledger, "ns/a", test_cluster_id(&world, "m2"), held, 3);
  ck_assert_int_eq(query("cpu=1 /ns"), 9); /* charges of other namespaces are not */
  ck_assert_int_eq(rebal_ledger_release(ledger, "ns/a", 4, REBAL_NONE, NULL), REBAL_OK);
  charge_set(&world, ledger, "else/a", 0, held, 3);
  charge_set(&world, ledger, "ns", 0, held, 3);
  ck_assert_int_eq(query("cpu=1 /ns"), 9);
  charge_set(&world, ledger, "ns/a", 0, held, 3);
  ck_assert_int_eq(query("cpu=1 /ns"), 6);
  ck_assert_int_eq(query("cpu=1m memory=1Gi !high /ns"), 7);
  charge_set(&world, ledger, "ns/b", 0, held, 3);
  charge_set(&world, ledger, "ns/c", 0, held, 3);
  charge_set(&world, ledger, "ns/d", 0, held, 3);
  ck_assert_int_eq(query("cpu=1 /ns"), 0);
  rebal_ledger_free(ledger);
}
END_TEST

START_TEST(test_clusters_without_nodes_have_no_opinion) {
  const struct test_quota quota = {"ns", "cpu=10", "cpu=1"};

  test_set_quotas(&world, test_add_cluster(&world, &(struct test_cluster){"m0"}), &quota, 1);
  ck_assert_int_eq(query("cpu=1 /ns"), REBAL_FITS_NO_OPINION);
}
END_TEST

static int32_t estimate_scoped(const rebal_allocator *allocator, void *user_data) {
  const uint32_t *requirements = user_data;
  rebal_ctx *ctx = NULL;
  rebal_result *result = NULL;
  int32_t code = rebal_ctx_new(allocator, NULL, &ctx, NULL);

  code = code == REBAL_OK ? rebal_result_new(allocator, &result, NULL) : code;
  code = code == REBAL_OK ? rebal_estimate(ctx, world.snapshot, *requirements, &opts, result, NULL) : code;
  ck_assert(code != REBAL_OK || rebal_result_i64(result, REBAL_ESTIMATE_REPLICAS, NULL)[0] == 7);
  rebal_result_free(result);
  rebal_ctx_free(ctx);
  return code;
}

START_TEST(test_out_of_memory) {
  const struct test_quota quota = {"ns", "cpu=10", "cpu=1", NULL, "PriorityClass:In:high"};
  const struct test_component held[] = {{"cpu=2 !high", 1}};
  uint32_t requirements = test_request_handle(&world, "cpu=1 /ns !high");
  rebal_ledger *ledger = NULL;

  ck_assert_int_eq(rebal_ledger_new(world.fleet, NULL, &ledger, NULL), REBAL_OK);
  opts.ledger = ledger;
  charge_set(&world, ledger, "ns/a", 0, held, 1);
  test_set_quotas(&world, 0, &quota, 1);
  test_freeze(&world);
  ck_assert_pstr_eq(test_torture(estimate_scoped, &requirements), NULL);
  rebal_ledger_free(ledger);
}
END_TEST

UNIT_CASE(quota) {
  TCase *cases = tcase_create("quota");

  tcase_add_checked_fixture(cases, open_world, close_world);
  tcase_add_loop_test(cases, test_replicas, 0, sizeof rows / sizeof rows[0]);
  tcase_add_test(cases, test_the_smaller_of_cpu_and_requests_cpu);
  tcase_add_test(cases, test_sets);
  tcase_add_test(cases, test_ledgers);
  tcase_add_test(cases, test_clusters_without_nodes_have_no_opinion);
  tcase_add_test(cases, test_out_of_memory);
  return cases;
}
