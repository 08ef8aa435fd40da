/* SPDX-License-Identifier: MIT */
/* The sentences, byte by byte, and errors of the caller. */
#include "explained.h"

#include "../unit.h"

#include "../../support/allocator.h"

static const struct test_affinity at_first = {.clusters = "m1 m2"};
static const struct test_affinity gold = {.labels = "tier=gold"};
static const struct test_affinity nowhere = {.expressions = "tier:Like:gold"};
static const struct test_affinity not_m1 = {.exclude = "m1"};
static const struct test_affinity no_region = {.fields = "region:Gt:eu"};
static const struct test_placement any = {.scheduling = "Duplicated"};
static const struct test_placement near = {.affinity = &at_first, .scheduling = "Divided/Weighted/AvailableReplicas"};
static const struct test_placement golden = {.affinity = &gold};
static const struct test_placement malformed = {.affinity = &nowhere};
static const struct test_placement excluding = {.affinity = &not_m1};
static const struct test_placement malformed_field = {.affinity = &no_region};
static const struct test_placement tolerant = {.tolerations = "a:Exists"};
static const struct test_placement regional = {.spreads = "region:1:1"};

/* The sentences about a rejected cluster; the refusal that follows them is the reference's text. */
static const struct {
  struct test_cluster cluster;
  struct test_binding binding;
  const char *reported;
} rejections[] = {
    {{"m1", .deleting = 1}, {.placement = &any}, "m1 is being deleted.\n"},
    {{"m1", .apis = ""},
     {.placement = &any},
     "m1 is rejected by APIEnablement: it does not serve apps/v1 Deployment.\n"},
    {{"m1", .apis = "apps/v1=StatefulSet"},
     {.placement = &any},
     "m1 is rejected by APIEnablement: it does not serve apps/v1 Deployment, of that version only StatefulSet.\n"},
    {{"m3"}, {.placement = &near}, "m3 is rejected by ClusterAffinity: clusterNames lists only m1, m2.\n"},
    {{"m1"}, {.placement = &excluding}, "m1 is rejected by ClusterAffinity: exclude lists m1.\n"},
    {{"m1"},
     {.placement = &golden},
     "m1 is rejected by ClusterAffinity: labelSelector requires tier In [gold], and it has no such value.\n"},
    {{"m1", .labels = "tier=tin"},
     {.placement = &golden},
     "m1 is rejected by ClusterAffinity: labelSelector requires tier In [gold], and it has tier=tin.\n"},
    {{"m1"},
     {.placement = &malformed},
     "m1 is rejected by ClusterAffinity: tier (unknown operator) [gold] is malformed, so its labelSelector matches "
     "nothing.\n"},
    {{"m1"},
     {.placement = &malformed_field},
     "m1 is rejected by ClusterAffinity: region Gt [eu] is malformed, so its fieldSelector matches nothing.\n"},
    {{"m1"},
     {.placement = &any, .evicting = "m1"},
     "m1 is rejected by ClusterEviction: the workload is being evicted from it.\n"},
    {{"m1"},
     {.placement = &regional},
     "m1 is rejected by SpreadConstraint: it has no region, which a spread constraint groups by.\n"},
    {{"m1", .taints = "k=v:NoSchedule"},
     {.placement = &any},
     "m1 is rejected by TaintToleration: its taint k=v:NoSchedule is not tolerated.\n"},
    {{"m1", .taints = "k=v:NoSchedule"},
     {.placement = &tolerant},
     "m1 is rejected by TaintToleration: its taint k=v:NoSchedule is not tolerated, only a.\n"},
};

START_TEST(test_rejections) {
  const rebal_schedule_opts opts = explain_opts(1);

  ck_assert_str_eq(schedule_explained(&rejections[_i].cluster, 1, &rejections[_i].binding, &opts),
                   rejections[_i].reported);
}
END_TEST

/* Two plugins have two rows, but the cluster counts once. A binding's name may lack a namespace. */
START_TEST(test_refusals) {
  static const struct test_cluster cluster = {"m3", .apis = ""};
  static const struct test_binding binding = {.key = "web", .placement = &near};

  ck_assert_str_eq(schedule_explained(&cluster, 1, &binding, NULL),
                   "m3 is rejected by APIEnablement: it does not serve apps/v1 Deployment.\n"
                   "m3 is rejected by ClusterAffinity: clusterNames lists only m1, m2.\n"
                   "web is refused by the filter stage: 0/1 clusters are available: 1 cluster(s) did not have the API "
                   "resource.\n");
}
END_TEST

static const struct test_cluster capacities[] = {{"m1", .allocatable = "pods=4 cpu=2"},
                                                 {"m2", .allocatable = "pods=2 cpu=9"},
                                                 {"m3", .allocatable = "pods=9 cpu=9"}};

static const struct {
  struct test_binding binding;
  const char *reported;
} passes[] = {
    {{.replicas = 3, .request = "cpu=1", .placement = &near, .targets = "m3=1 m1=1"},
     "m1 is feasible.\n"
     "m2 is feasible.\n"
     "m3 is rejected by ClusterAffinity: clusterNames lists only m1, m2.\n"
     "m1 scores 100 (100 for locality, 0 by the caller) and has capacity for 3 replicas, 2 of them new: cpu limits "
     "it.\n"
     "m2 scores 0 (0 for locality, 0 by the caller) and has capacity for 2 replicas, 2 of them new: pods limits it.\n"
     "m1 is selected (rank 1).\n"
     "m2 is selected (rank 2).\n"
     "m1 goes from 1 replica to 2 replicas.\n"
     "m2 gets 1 replica.\n"
     "m3 loses 1 replica: it is not selected any more.\n"},
    {{.replicas = 1, .request = "cpu=1", .placement = &near, .targets = "m1=1 m2=2"},
     "m1 is feasible.\n"
     "m2 is feasible.\n"
     "m3 is rejected by ClusterAffinity: clusterNames lists only m1, m2.\n"
     "m2 scores 100 (100 for locality, 0 by the caller) and has capacity for 4 replicas, 2 of them new: pods limits "
     "it.\n"
     "m1 scores 100 (100 for locality, 0 by the caller) and has capacity for 3 replicas, 2 of them new: cpu limits "
     "it.\n"
     "m2 is selected (rank 1).\n"
     "m1 is selected (rank 2).\n"
     "m2 goes from 2 replicas to 1 replica.\n"
     "m1 loses 1 replica: its share is 0.\n"},
    {{.placement = &near, .targets = "m2=0"},
     "m1 is feasible.\n"
     "m2 is feasible.\n"
     "m3 is rejected by ClusterAffinity: clusterNames lists only m1, m2.\n"
     "m2 scores 100 (100 for locality, 0 by the caller), and nothing limits its capacity.\n"
     "m1 scores 0 (0 for locality, 0 by the caller), and nothing limits its capacity.\n"
     "m2 is selected (rank 1).\n"
     "m1 is selected (rank 2).\n"
     "m2 keeps 0 replicas.\n"
     "m1 gets 0 replicas.\n"},
    {{.replicas = 5, .request = "cpu=1", .placement = &near},
     "m1 is feasible.\n"
     "m2 is feasible.\n"
     "m3 is rejected by ClusterAffinity: clusterNames lists only m1, m2.\n"
     "m1 scores 0 (0 for locality, 0 by the caller) and has capacity for 2 replicas, 2 of them new: cpu limits it.\n"
     "m2 scores 0 (0 for locality, 0 by the caller) and has capacity for 2 replicas, 2 of them new: pods limits it.\n"
     "m1 is selected (rank 1).\n"
     "m2 is selected (rank 2).\n"
     "default/web is refused by the assign stage: failed to assign replicas: failed to scale up: Clusters available "
     "replicas 4 are not enough to schedule.\n"},
};

START_TEST(test_passes) {
  ck_assert_str_eq(schedule_explained(capacities, REBALI_COUNT(capacities), &passes[_i].binding, NULL),
                   passes[_i].reported);
}
END_TEST

static const struct test_affinity beyond = {.name = "beyond", .clusters = "m3"};
static const struct test_affinity first_m2 = {.name = "first", .clusters = "m2", .overflow = &beyond, .n_overflow = 1};
static const struct test_placement weighted = {.scheduling = "Divided/Weighted", .weights = "m1+m3=2"};
static const struct test_placement unweighted = {.scheduling = "Divided/Weighted", .weights = ""};
static const struct test_placement tiered = {.terms = &first_m2, .n_terms = 1, .scheduling = "Divided/Aggregated"};

/* After the other stages come the causes of a share other than capacity: static weights, tiers of overflow. */
static const struct {
  struct test_binding binding;
  const char *ending;
} shares[] = {
    {{.replicas = 4, .placement = &weighted, .targets = "m1=1 m2=3"},
     "(rank 3).\n"
     "m1 goes from 1 replica to 2 replicas: its weight is 2.\n"
     "m2 loses 3 replicas: the share of its weight 0 is 0.\n"
     "m3 gets 2 replicas: its weight is 2.\n"},
    {{.replicas = 2, .placement = &unweighted},
     "(rank 3).\n"
     "m3 gets nothing: the share of its weight 1 is 0. m2 had the same claim to the last replica, and is first by "
     "name.\n"
     "m1 gets 1 replica: its weight is 1.\n"
     "m2 gets 1 replica: its weight is 1.\n"},
    {{.placement = &weighted},
     "(rank 3).\n"
     "m1 gets 0 replicas.\n"
     "m2 gets 0 replicas.\n"
     "m3 gets 0 replicas.\n"},
    {{.replicas = 3, .placement = &tiered},
     "(rank 2).\n"
     "Affinity group first: m2 gets 2 replicas.\n"
     "Affinity group first: m3 gets 1 replica of what overflows into tier 1.\n"},
    {{.replicas = 6, .placement = &tiered, .targets = "m2=2 m3=1"},
     "(rank 2).\n"
     "Affinity group first: m2 goes from 2 replicas to 4 replicas.\n"
     "Affinity group first: m3 goes from 1 replica to 2 replicas, of what overflows into tier 1.\n"},
};

START_TEST(test_shares) {
  const char *reported = schedule_explained(capacities, REBALI_COUNT(capacities), &shares[_i].binding, NULL);
  const size_t len = strlen(shares[_i].ending);

  ck_assert_uint_ge(strlen(reported), len);
  ck_assert_str_eq(reported + strlen(reported) - len, shares[_i].ending);
}
END_TEST

/* If an estimator of the caller is the limit, its index is printed. */
START_TEST(test_estimators) {
  static const struct test_binding binding = {.replicas = 1, .request = "cpu=1", .placement = &any};
  static const int32_t wide[] = {7}, narrow[] = {1};
  const rebal_estimator lax = {sizeof lax, 0, wide, 1, 0}, strict = {sizeof strict, 0, narrow, 1, 0};
  const rebal_estimator *const estimators[] = {&lax, &strict};
  rebal_schedule_opts opts = explain_opts(2);

  opts.estimators = estimators;
  opts.n_estimators = 2;
  ck_assert_str_eq(schedule_explained(capacities, 1, &binding, &opts),
                   "m1 is feasible.\n"
                   "m1 scores 0 (0 for locality, 0 by the caller) and has capacity for 1 replica, 1 of them new: "
                   "estimators[1] limits it.\n");
}
END_TEST

/* Nodes may limit an estimate more than the summary. */
START_TEST(test_nodes_limit) {
  static const struct test_cluster cluster = {"m1", "pods=9 cpu=9"};
  static const struct test_node node = {"n1", "pods=9 cpu=2"};
  static const struct test_binding binding = {.replicas = 1, .request = "cpu=1", .placement = &near};
  rebal_schedule_opts opts = explain_opts(9);
  struct test_world world;

  opts.flags |= REBAL_SCHEDULE_FLAG_NODES;
  test_world_open(&world, NULL);
  (void)test_set_node(&world, test_add_cluster(&world, &cluster), &node);
  (void)test_add_binding(&world, NULL, &binding);
  test_freeze(&world);
  ck_assert_str_eq(test_schedule(&world, &opts, 0), "m1:1");
  ck_assert_ptr_nonnull(
      strstr(explained_sentences(&world), "capacity for 2 replicas, 2 of them new: nodes limits it."));
  test_world_close(&world);
}
END_TEST

/* A cluster that is listed twice is explained with the sum of its replicas. */
START_TEST(test_a_target_that_is_listed_twice) {
  static const struct test_cluster cluster = {"m1", "pods=9"};
  static const struct test_binding binding = {.replicas = 3, .request = "", .placement = &near, .targets = "m1=1 m1=2"};
  const rebal_schedule_opts opts = explain_opts(9);

  ck_assert_ptr_nonnull(strstr(schedule_explained(&cluster, 1, &binding, &opts), "m1 keeps 3 replicas."));
}
END_TEST

START_TEST(test_reason_of_an_eviction) {
  static const struct test_binding binding = {.placement = &any, .evicting = "m2 m1"};
  const rebal_schedule_opts opts = explain_opts(1);
  struct test_world world;

  test_world_open(&world, NULL);
  (void)test_add_cluster(&world, &capacities[0]);
  (void)test_add_binding(&world, NULL, &binding);
  ck_assert_int_eq(rebal_cells_set_text(rebal_bindings_cells(world.bindings), REBAL_TASK_REASON, REBAL_NONE, 1,
                                        "TaintUntolerated", 16, NULL),
                   REBAL_OK);
  test_freeze(&world);
  ck_assert_int_eq(rebal_schedule(world.ctx, world.snapshot, world.bindings, &opts, world.result, NULL), REBAL_OK);
  ck_assert_str_eq(explained_sentences(&world),
                   "m1 is rejected by ClusterEviction: the workload is being evicted from it (TaintUntolerated).\n");
  test_world_close(&world);
}
END_TEST

static void fill(struct test_world *world, const rebal_allocator *allocator) {
  const rebal_schedule_opts opts = explain_opts(1);
  static const struct test_binding binding = {.placement = &any};

  test_world_open(world, allocator);
  test_world_fill(world, capacities, 1, &binding);
  ck_assert_int_eq(rebal_schedule(world->ctx, world->snapshot, world->bindings, &opts, world->result, NULL), REBAL_OK);
}

START_TEST(test_refused_calls) {
  struct test_world world, other;
  char text[64];
  size_t len;

  fill(&world, NULL);
  test_world_open(&other, NULL);
  test_freeze(&other);
  ck_assert_int_eq(rebal_explain_text(world.bindings, world.result, REBAL_TABLE_DECISION, 0, text, 64, &len, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_explain_text(world.bindings, world.result, REBAL_TABLE_PASSED_OVER, 0, text, 64, &len, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_explain_text(NULL, world.result, REBAL_TABLE_EXPLAIN, 0, text, 64, &len, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_explain_text(world.bindings, NULL, REBAL_TABLE_EXPLAIN, 0, text, 64, &len, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_explain_text(world.bindings, world.result, REBAL_TABLE_EXPLAIN, 1, text, 64, &len, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_explain_text(other.bindings, world.result, REBAL_TABLE_EXPLAIN, 0, text, 64, &len, NULL),
                   REBAL_EMISMATCH);
  ck_assert_int_eq(rebal_explain_text(world.bindings, world.result, REBAL_TABLE_EXPLAIN, 0, text, 4, &len, NULL),
                   REBAL_ERANGE);
  ck_assert_uint_eq(len, strlen("m1 is feasible."));
  test_world_close(&other);
  test_world_close(&world);
}
END_TEST

static int32_t say(const rebal_allocator *allocator, void *user_data) {
  const struct test_world *world = user_data;
  rebal_schedule_opts opts = explain_opts(1);
  rebal_result *result;
  char text[64];
  size_t len;
  int32_t code = rebal_result_new(allocator, &result, NULL);

  if (code == REBAL_OK) {
    code = rebal_schedule(world->ctx, world->snapshot, world->bindings, &opts, result, NULL);
    code = code == REBAL_OK
               ? rebal_explain_text(world->bindings, result, REBAL_TABLE_EXPLAIN, 0, text, sizeof text, &len, NULL)
               : code;
    rebal_result_free(result);
  }
  return code;
}

START_TEST(test_out_of_memory) {
  struct test_world world;

  fill(&world, NULL);
  ck_assert_pstr_eq(test_torture(say, &world), NULL);
  test_world_close(&world);
}
END_TEST

UNIT_CASE(explain_text) {
  TCase *cases = tcase_create("explain_text");

  tcase_add_loop_test(cases, test_rejections, 0, (int)REBALI_COUNT(rejections));
  tcase_add_test(cases, test_refusals);
  tcase_add_loop_test(cases, test_passes, 0, (int)REBALI_COUNT(passes));
  tcase_add_loop_test(cases, test_shares, 0, (int)REBALI_COUNT(shares));
  tcase_add_test(cases, test_estimators);
  tcase_add_test(cases, test_nodes_limit);
  tcase_add_test(cases, test_a_target_that_is_listed_twice);
  tcase_add_test(cases, test_reason_of_an_eviction);
  tcase_add_test(cases, test_refused_calls);
  tcase_add_test(cases, test_out_of_memory);
  return cases;
}
