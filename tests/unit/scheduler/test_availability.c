/* SPDX-License-Identifier: MIT */
/* The capacity available to a binding: the minimum over all estimators (rebalance-karmada(7) 6.1). */
#include "phases_fixture.h"

#include "../../support/allocator.h"
#include "../unit.h"

/* The estimate for a cluster's pods and a number of replicas. */
static const struct {
  const char *pods;
  struct test_binding binding;
  int32_t allocatable;
  int32_t wrapped; /* the same with INT32_WRAP */
} estimates[] = {
    {"pods=7", {.replicas = 3, .placement = &aggregated}, 7, 7},
    {"pods=0", {.replicas = 3, .placement = &aggregated}, 0, 0},
    {"pods=2147483646", {.replicas = 3, .placement = &aggregated}, 2147483646, 2147483646},
    {"pods=2147483647", {.replicas = 3, .placement = &aggregated}, 3, 3}, /* no estimator limits it */
    {"pods=4294967295", {.replicas = 3, .placement = &aggregated}, 3, 3}, /* wrapped -1: no opinion */
    {"pods=4294967294", {.replicas = 3, .placement = &aggregated}, 3, -2},
    {"pods=7", {.replicas = 0, .placement = &aggregated}, INT32_MAX, INT32_MAX},
    {"pods=7", {.replicas = 0, .components = "a=1", .placement = &aggregated}, 7, 7},
    {"cpu=5 pods=7", {.replicas = 3, .request = "cpu=2", .placement = &aggregated}, 2, 2},
};

START_TEST(test_estimates) {
  const struct test_cluster cluster = {"m", estimates[_i].pods};
  struct phases_fixture fixture;

  for (int wrap = 0; wrap <= 1; wrap++) {
    phases_open(&fixture, &cluster, 1, &estimates[_i].binding);
    fixture.opts = *with_option(REBAL_OPTION_INT32_WRAP, wrap);
    phases_run(&fixture, 2);
    ck_assert_int_eq(fixture.pass.candidates[0].allocatable, wrap ? estimates[_i].wrapped : estimates[_i].allocatable);
    phases_close(&fixture);
  }
}
END_TEST

/* ---- several estimators ------------------------------------------------------------------------------------------ */

#define NONE REBAL_FITS_NO_OPINION
#define FAIL REBAL_FITS_FAILED

/* Clusters a, b, c with 7, 5 and 2 free pods, and d without a summary; ids in this order. */
static const struct test_cluster four[] = {{"a", "pods=7"}, {"b", "pods=5"}, {"c", "pods=2"}, {"d"}};

static const struct {
  int32_t first[4];
  int32_t second[4];
  uint32_t flags;
  int all_or_nothing;
  int64_t replicas;
  int32_t allocatable[4];
} opinions[] = {
    {{NONE, NONE, NONE, NONE}, {NONE, NONE, NONE, NONE}, 0, 1, 3, {7, 5, 2, 0}},
    {{3, 9, NONE, 4}, {NONE, 4, 1, 6}, 0, 1, 3, {3, 4, 1, 0}},
    {{3, 9, NONE, 4}, {NONE, 4, 8, 6}, REBAL_SCHEDULE_FLAG_NO_SUMMARY, 1, 3, {3, 4, 8, 4}},
    /* no estimator limits a cluster: all replicas, and no more */
    {{INT32_MAX, NONE, 0, NONE}, {NONE, NONE, NONE, INT32_MAX}, REBAL_SCHEDULE_FLAG_NO_SUMMARY, 1, 3, {3, 3, 0, 3}},
    /* other negative numbers are amounts */
    {{-2, -3, NONE, 1}, {NONE, -2, NONE, NONE}, 0, 1, 3, {-2, -3, 2, 0}},
    /* one failure drops the whole estimator, or that opinion alone */
    {{1, FAIL, 1, 1}, {2, 2, 2, 2}, REBAL_SCHEDULE_FLAG_NO_SUMMARY, 1, 3, {2, 2, 2, 2}},
    {{1, FAIL, 1, 1}, {2, 2, 2, 2}, REBAL_SCHEDULE_FLAG_NO_SUMMARY, 0, 3, {1, 2, 1, 1}},
    {{1, FAIL, 1, 1}, {FAIL, FAIL, 0, NONE}, REBAL_SCHEDULE_FLAG_NO_SUMMARY, 1, 3, {3, 3, 3, 3}},
    {{1, FAIL, 1, 1}, {FAIL, FAIL, 0, NONE}, REBAL_SCHEDULE_FLAG_NO_SUMMARY, 0, 3, {1, 3, 0, 1}},
    /* without replicas no estimator is used */
    {{1, 1, 1, 1}, {1, 1, 1, 1}, 0, 1, 0, {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX}},
};

static void check_allocatable(const struct phases_fixture *fixture, const int32_t *wanted) {
  for (size_t i = 0; i < fixture->pass.n_candidates; i++) {
    const struct rebali_candidate *candidate = &fixture->pass.candidates[i];

    ck_assert_int_eq(candidate->allocatable, wanted[candidate->cluster]);
  }
}

START_TEST(test_opinions) {
  const struct test_binding binding = {.replicas = opinions[_i].replicas, .placement = &aggregated};
  const rebal_estimator first = {sizeof first, 0, opinions[_i].first, 4, 0};
  const rebal_estimator second = {sizeof second, 0, opinions[_i].second, 4, 0};
  const rebal_estimator silent = {sizeof silent, 0, NULL, 0, 0};
  const rebal_estimator *const orders[][3] = {{&first, &second, &silent}, {&silent, &second, &first}};

  for (size_t order = 0; order < REBALI_COUNT(orders); order++) {
    struct phases_fixture fixture;

    phases_open(&fixture, four, REBALI_COUNT(four), &binding);
    fixture.opts = *with_option(REBAL_OPTION_ESTIMATOR_ALL_OR_NOTHING, opinions[_i].all_or_nothing);
    fixture.opts.flags = opinions[_i].flags;
    fixture.opts.estimators = orders[order];
    fixture.opts.n_estimators = 3;
    phases_run(&fixture, 2);
    ck_assert_uint_eq(fixture.pass.n_candidates, 4);
    check_allocatable(&fixture, opinions[_i].allocatable);
    phases_close(&fixture);
  }
}
END_TEST

/* Only feasible clusters are estimated: failures elsewhere do not count. Ids after the last cell have no opinion. */
START_TEST(test_clusters_that_are_not_estimated) {
  static const struct test_affinity some = {.clusters = "a b d"};
  static const struct test_placement placement = {.affinity = &some, .scheduling = "Divided/Aggregated"};
  static const struct test_binding binding = {.replicas = 3, .placement = &placement};
  static const int32_t fits[] = {4, 6, FAIL};
  static const int32_t wanted[] = {4, 5, -9, 0};
  const rebal_estimator estimator = {sizeof estimator, 0, fits, 3, 0};
  const rebal_estimator *const list[] = {&estimator};
  struct phases_fixture fixture;

  phases_open(&fixture, four, REBALI_COUNT(four), &binding);
  fixture.opts.estimators = list;
  fixture.opts.n_estimators = 1;
  phases_run(&fixture, 2);
  ck_assert_uint_eq(fixture.pass.n_candidates, 3);
  check_allocatable(&fixture, wanted);
  phases_close(&fixture);
}
END_TEST

/* Each binding has its own row of cells, or all share one. */
START_TEST(test_cells_by_binding) {
  static const struct test_binding bindings[] = {{.key = "ns/x", .replicas = 4, .placement = &aggregated},
                                                 {.key = "ns/y", .replicas = 4, .placement = &aggregated}};
  static const int32_t fits[] = {9, 0, 77, 0, 9};
  rebal_estimator estimator = {sizeof estimator, 0, fits, 2, 3};
  const rebal_estimator *const list[] = {&estimator};
  rebal_schedule_opts opts = {
      .struct_size = sizeof opts, .flags = REBAL_SCHEDULE_FLAG_NO_SUMMARY, .estimators = list, .n_estimators = 1};
  struct test_world world;

  test_world_open(&world, NULL);
  test_add_pods(&world, "a=1 b=1");
  (void)test_add_binding(&world, NULL, &bindings[0]);
  (void)test_add_binding(&world, NULL, &bindings[1]);
  test_freeze(&world);
  ck_assert_str_eq(test_schedule(&world, &opts, 0), "a:4");
  ck_assert_str_eq(test_schedule(&world, &opts, 1), "b:4");
  estimator.stride = 0;
  ck_assert_str_eq(test_schedule(&world, &opts, 1), "a:4");
  test_world_close(&world);
}
END_TEST

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

/* By summaries a, b and c hold four replicas of two cores each; by nodes a holds two, or six with a toleration. */
static void open_nodes(struct test_world *world) {
  static const struct test_cluster clusters[] = {
      {"a", "cpu=8 pods=99"}, {"b", "cpu=8 pods=99"}, {"c", "cpu=8 pods=99"}, {"d"}};
  static const struct test_node nodes[] = {{"n1", "cpu=3 pods=9"},
                                           {"n2", "cpu=2 pods=9"},
                                           {"n3", "cpu=1500m pods=9"},
                                           {"n4", "cpu=8 pods=9", NULL, "k=v:NoExecute"}};

  test_world_open(world, NULL);
  for (uint32_t i = 0; i < 4; i++) {
    (void)test_add_cluster(world, &clusters[i]);
  }
  for (uint32_t i = 0; i < 4; i++) {
    (void)test_set_node(world, 0, &nodes[i]);
  }
  (void)test_set_node(world, 1, &nodes[1]);
  (void)test_set_node(world, 3, &nodes[0]);
}

static const struct {
  struct test_binding binding;
  uint32_t flags;
  const char *answer;
} node_rows[] = {
    {{.replicas = 6, .request = "cpu=2", .placement = &aggregated}, 0, "a:3 b:3"},
    {{.replicas = 6, .request = "cpu=2", .placement = &aggregated}, REBAL_SCHEDULE_FLAG_NODES, "a:2 c:4"},
    {{.replicas = 7, .request = "cpu=2", .placement = &dynamic_weight}, REBAL_SCHEDULE_FLAG_NODES, "a:2 b:1 c:4"},
    {{.replicas = 8, .request = "cpu=2", .placement = &aggregated},
     REBAL_SCHEDULE_FLAG_NODES,
     "unschedulable: failed to assign replicas: failed to scale up: Clusters available replicas 7 are not enough to "
     "schedule."},
    {{.replicas = 5, .request = "cpu=2 ~k:Exists", .placement = &aggregated}, REBAL_SCHEDULE_FLAG_NODES, "a:3 c:2"},
    /* Nodes alone: no estimator limits c, and d needs no summary. */
    {{.replicas = 5, .request = "cpu=2", .placement = &dynamic_weight},
     REBAL_SCHEDULE_FLAG_NODES | REBAL_SCHEDULE_FLAG_NO_SUMMARY,
     "a:1 b:1 c:2 d:1"},
};

START_TEST(test_nodes) {
  const rebal_schedule_opts opts = {.struct_size = (uint32_t)sizeof opts, .flags = node_rows[_i].flags};
  struct test_world world;

  open_nodes(&world);
  (void)test_add_binding(&world, NULL, &node_rows[_i].binding);
  test_freeze(&world);
  ck_assert_str_eq(test_schedule(&world, &opts, 0), node_rows[_i].answer);
  test_world_close(&world);
}
END_TEST

/* Charges of earlier bindings are placed on the nodes: the two cores of n2 are left when n1 has one. */
START_TEST(test_nodes_beside_a_ledger) {
  static const struct test_affinity first = {.clusters = "a"};
  static const struct test_placement there = {.affinity = &first, .scheduling = "Divided/Aggregated"};
  static const struct test_binding bindings[] = {
      {.key = "ns/x", .replicas = 1, .request = "cpu=1500m", .placement = &there},
      {.key = "ns/y", .replicas = 1, .request = "cpu=2", .placement = &there},
      {.key = "ns/z", .replicas = 1, .request = "cpu=2", .placement = &there}};
  rebal_schedule_opts opts = {.struct_size = (uint32_t)sizeof opts, .flags = REBAL_SCHEDULE_FLAG_NODES};
  struct test_world world;

  open_nodes(&world);
  for (size_t i = 0; i < REBALI_COUNT(bindings); i++) {
    (void)test_add_binding(&world, NULL, &bindings[i]);
  }
  test_freeze(&world);
  ck_assert_int_eq(rebal_ledger_new(world.fleet, NULL, &opts.ledger, NULL), REBAL_OK);
  ck_assert_str_eq(test_schedule(&world, &opts, 0), "a:1");
  rebal_ledger_free(opts.ledger);
  ck_assert_int_eq(rebal_ledger_new(world.fleet, NULL, &opts.ledger, NULL), REBAL_OK);
  ck_assert_str_eq(test_schedule(&world, &opts, 1), "a:1");
  rebal_ledger_free(opts.ledger);
  ck_assert_int_eq(rebal_ledger_new(world.fleet, NULL, &opts.ledger, NULL), REBAL_OK);
  ck_assert_str_eq(test_schedule(&world, &opts, 2),
                   "unschedulable: failed to assign replicas: failed to scale up: Clusters available replicas 0 are "
                   "not enough to schedule.");
  rebal_ledger_free(opts.ledger);
  test_world_close(&world);
}
END_TEST

static int32_t schedule_by_nodes(const rebal_allocator *allocator, void *user_data) {
  struct test_world *world = user_data;
  const rebal_schedule_opts opts = {.struct_size = (uint32_t)sizeof opts, .flags = REBAL_SCHEDULE_FLAG_NODES};
  rebal_ctx *ctx = NULL;
  rebal_result *result = NULL;
  int32_t code = rebal_ctx_new(allocator, NULL, &ctx, NULL);

  code = code == REBAL_OK ? rebal_result_new(allocator, &result, NULL) : code;
  for (int i = 0; i < 2 && code == REBAL_OK; i++) {
    code = rebal_schedule(ctx, world->snapshot, world->bindings, &opts, result, NULL);
    ck_assert(code != REBAL_OK || strcmp(test_answer(result, world->snapshot, 0), "a:2 c:4") == 0);
  }
  rebal_result_free(result);
  rebal_ctx_free(ctx);
  return code;
}

START_TEST(test_nodes_out_of_memory) {
  struct test_world world;

  open_nodes(&world);
  (void)test_add_binding(&world, NULL, &node_rows[1].binding);
  test_freeze(&world);
  ck_assert_pstr_eq(test_torture(schedule_by_nodes, &world), NULL);
  test_world_close(&world);
}
END_TEST

/* Held replicas are placed on nodes first. Nothing is charged for the binding itself, as it has no namespace. */
struct held_nodes {
  struct test_world world;
  rebal_ledger *ledger;
};

static int32_t schedule_beside_a_ledger(const rebal_allocator *allocator, void *user_data) {
  struct held_nodes *held = user_data;
  const rebal_schedule_opts opts = {
      .struct_size = (uint32_t)sizeof opts, .flags = REBAL_SCHEDULE_FLAG_NODES, .ledger = held->ledger};
  rebal_ctx *ctx = NULL;
  int32_t code = rebal_ctx_new(allocator, NULL, &ctx, NULL);

  if (code == REBAL_OK) {
    code = rebal_schedule(ctx, held->world.snapshot, held->world.bindings, &opts, held->world.result, NULL);
    ck_assert(code != REBAL_OK || strcmp(test_answer(held->world.result, held->world.snapshot, 0), "a:1 c:4") == 0);
  }
  rebal_ctx_free(ctx);
  return code;
}

START_TEST(test_nodes_beside_a_ledger_out_of_memory) {
  static const struct test_binding binding = {
      .key = "web", .replicas = 5, .request = "cpu=2", .placement = &aggregated};
  struct held_nodes held;

  open_nodes(&held.world);
  (void)test_add_binding(&held.world, NULL, &binding);
  ck_assert_int_eq(rebal_ledger_new(held.world.fleet, NULL, &held.ledger, NULL), REBAL_OK);
  test_charge(held.ledger, "ns/x", 0, test_request_handle(&held.world, "cpu=1500m"), 1);
  test_freeze(&held.world);
  ck_assert_pstr_eq(test_torture(schedule_beside_a_ledger, &held), NULL);
  rebal_ledger_free(held.ledger);
  test_world_close(&held.world);
}
END_TEST

/* ---- component sets ---------------------------------------------------------------------------------------------- */

static const struct test_placement one_cluster = {.scheduling = "Divided/Aggregated", .spreads = "cluster:1:1"};
static const struct test_placement two_clusters = {.scheduling = "Divided/Aggregated", .spreads = "cluster:1:2"};

START_TEST(test_component_sets_on_nodes) {
  static const struct test_binding binding = {.components = "driver=1 worker=2", .placement = &one_cluster};
  rebal_schedule_opts opts = *with_option(REBAL_OPTION_GATE_MULTIPLE_POD_TEMPLATES, 1);
  struct test_world world;

  test_world_open(&world, NULL);
  test_add_pods(&world, "a=9 b=3");
  (void)test_set_node(&world, 0, &(struct test_node){"n1", "pods=2"});
  (void)test_add_binding(&world, NULL, &binding);
  test_freeze(&world);
  ck_assert_str_eq(test_schedule(&world, &opts, 0), "a:0");
  opts.flags = REBAL_SCHEDULE_FLAG_NODES;
  ck_assert_str_eq(test_schedule(&world, &opts, 0), "b:0");
  test_world_close(&world);
}
END_TEST

static int32_t schedule_sets_by_nodes(const rebal_allocator *allocator, void *user_data) {
  struct test_world *world = user_data;
  rebal_schedule_opts opts = *with_option(REBAL_OPTION_GATE_MULTIPLE_POD_TEMPLATES, 1);
  rebal_ctx *ctx = NULL;
  int32_t code = rebal_ctx_new(allocator, NULL, &ctx, NULL);

  opts.flags = REBAL_SCHEDULE_FLAG_NODES;
  if (code == REBAL_OK) {
    code = rebal_schedule(ctx, world->snapshot, world->bindings, &opts, world->result, NULL);
    ck_assert(code != REBAL_OK || strcmp(test_answer(world->result, world->snapshot, 0), "b:0") == 0);
  }
  rebal_ctx_free(ctx);
  return code;
}

START_TEST(test_component_sets_out_of_memory) {
  static const struct test_binding binding = {.components = "driver=1 worker=2", .placement = &one_cluster};
  struct test_world world;

  test_world_open(&world, NULL);
  test_add_pods(&world, "a=9 b=3");
  (void)test_set_node(&world, 0, &(struct test_node){"n1", "pods=2"});
  (void)test_set_node(&world, 1, &(struct test_node){"n1", "pods=9"});
  (void)test_add_binding(&world, NULL, &binding);
  test_freeze(&world);
  ck_assert_pstr_eq(test_torture(schedule_sets_by_nodes, &world), NULL);
  test_world_close(&world);
}
END_TEST

/* A set needs three pods. Estimates of replicas count single pods. */
START_TEST(test_component_sets) {
  static const struct test_binding binding = {.components = "driver=1 worker=2", .placement = &one_cluster};
  static const struct test_binding spread = {.components = "driver=1 worker=2", .placement = &two_clusters};
  static const int32_t sets[] = {2, 1, 0, 0};
  static const int32_t pods[] = {7, 5, 2, 0};
  struct phases_fixture fixture;

  for (int gate = 0; gate <= 1; gate++) {
    phases_open(&fixture, four, REBALI_COUNT(four), &binding);
    fixture.opts = *with_option(REBAL_OPTION_GATE_MULTIPLE_POD_TEMPLATES, gate);
    phases_again(&fixture);
    phases_run(&fixture, 2);
    check_allocatable(&fixture, gate ? sets : pods);
    phases_close(&fixture);
  }
  phases_open(&fixture, four, REBALI_COUNT(four), &spread);
  fixture.opts = *with_option(REBAL_OPTION_GATE_MULTIPLE_POD_TEMPLATES, 1);
  phases_again(&fixture);
  phases_run(&fixture, 2);
  check_allocatable(&fixture, pods);
  phases_close(&fixture);
}
END_TEST

/* One set must fit; the answer lists the clusters that take the components. */
START_TEST(test_component_bindings_are_placed) {
  static const struct test_cluster small[] = {{"a", "pods=2"}, {"b", "pods=2"}};
  static const struct test_binding binding = {.components = "driver=1 worker=2", .placement = &one_cluster};
  static const struct test_binding single = {.components = "driver=1", .placement = &one_cluster};
  const rebal_schedule_opts *opts = with_option(REBAL_OPTION_GATE_MULTIPLE_POD_TEMPLATES, 1);
  struct test_world world;
  size_t n;

  ck_assert_str_eq(schedule_clusters(small, 2, &binding, opts),
                   "error: failed to select clusters: no enough resource when selecting 1 clusters");
  test_world_open(&world, NULL);
  test_world_fill(&world, four, REBALI_COUNT(four), &binding);
  ck_assert_str_eq(test_schedule(&world, opts, 0), "a:0");
  ck_assert_int_eq(rebal_result_i64(world.result, REBAL_PLACED_WITH_COMPONENTS, &n)[0], 1);
  ck_assert_str_eq(test_schedule(&world, NULL, 0), "a:0");
  ck_assert_int_eq(rebal_result_i64(world.result, REBAL_PLACED_WITH_COMPONENTS, &n)[0], 0);
  test_world_close(&world);
  test_world_open(&world, NULL);
  test_world_fill(&world, four, REBALI_COUNT(four), &single);
  ck_assert_str_eq(test_schedule(&world, opts, 0), "a:0");
  ck_assert_int_eq(rebal_result_i64(world.result, REBAL_PLACED_WITH_COMPONENTS, &n)[0], 0);
  test_world_close(&world);
}
END_TEST

UNIT_CASE(availability) {
  TCase *cases = tcase_create("availability");

  tcase_add_loop_test(cases, test_estimates, 0, (int)REBALI_COUNT(estimates));
  tcase_add_loop_test(cases, test_opinions, 0, (int)REBALI_COUNT(opinions));
  tcase_add_test(cases, test_clusters_that_are_not_estimated);
  tcase_add_test(cases, test_cells_by_binding);
  tcase_add_loop_test(cases, test_nodes, 0, REBALI_COUNT(node_rows));
  tcase_add_test(cases, test_nodes_beside_a_ledger);
  tcase_add_test(cases, test_nodes_out_of_memory);
  tcase_add_test(cases, test_nodes_beside_a_ledger_out_of_memory);
  tcase_add_test(cases, test_component_sets);
  tcase_add_test(cases, test_component_sets_on_nodes);
  tcase_add_test(cases, test_component_sets_out_of_memory);
  tcase_add_test(cases, test_component_bindings_are_placed);
  return cases;
}
