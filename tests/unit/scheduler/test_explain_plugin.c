/* SPDX-License-Identifier: MIT */
/* Which field decided when a plugin rejects, what it requires and what was found. */
#include "explained.h"

#include "../unit.h"

static const struct test_placement any = {0};
static const struct test_affinity by_name = {.clusters = "m2 m3"};
static const struct test_affinity but_not = {.exclude = "m9 m1", .clusters = "m1"};
static const struct test_affinity by_label = {.labels = "tier=gold", .clusters = "m9"};
static const struct test_affinity by_expression = {.expressions = "zone:In:a,b;tier:NotIn:gold,silver"};
static const struct test_affinity by_presence = {.expressions = "tier:Exists"};
static const struct test_affinity by_field = {.fields = "provider:In:aws;region:NotIn:eu"};
static const struct test_affinity by_zone = {.fields = "zone:In:z3"};
static const struct test_affinity malformed = {.expressions = "tier:In"};
static const struct test_affinity unknown_operator = {.expressions = "tier:Like:gold"};
static const struct test_affinity malformed_field = {.fields = "region:Gt:eu"};
static const struct test_affinity over = {.clusters = "m9"};
static const struct test_affinity terms[] = {{"far", .clusters = "m2", .overflow = &over, .n_overflow = 1}};
static const struct test_placement at_name = {.affinity = &by_name};
static const struct test_placement not_there = {.affinity = &but_not};
static const struct test_placement at_label = {.affinity = &by_label};
static const struct test_placement at_expression = {.affinity = &by_expression};
static const struct test_placement at_presence = {.affinity = &by_presence};
static const struct test_placement at_field = {.affinity = &by_field};
static const struct test_placement at_zone = {.affinity = &by_zone};
static const struct test_placement at_malformed = {.affinity = &malformed};
static const struct test_placement at_unknown = {.affinity = &unknown_operator};
static const struct test_placement at_malformed_field = {.affinity = &malformed_field};
static const struct test_placement in_terms = {.terms = terms, .n_terms = 1};
static const struct test_placement tolerant = {.tolerations = "a:Equal:b:NoSchedule;c:Exists;:Exists::NoExecute"};
static const struct test_placement by_provider = {.spreads = "cluster:1:1 rack:1:1 provider:1:1"};
static const struct test_placement by_region = {.spreads = "region:1:1"};
static const struct test_placement by_zones = {.spreads = "zone:1:1"};
static const struct test_placement by_region_and_zones = {.spreads = "region:1:1 zone:1:1"};

static const struct {
  struct test_cluster cluster;
  struct test_binding binding;
  uint32_t plugin;
  uint32_t field;
  const char *expected;
  const char *found;
} rows[] = {
    {{"m1", .apis = ""},
     {.placement = &any},
     REBAL_FILTER_API_ENABLEMENT,
     REBAL_BINDING_RESOURCE_API_VERSION,
     "apps/v1 Deployment",
     ""},
    {{"m1", .apis = "apps/v1=StatefulSet,DaemonSet v1=Deployment"},
     {.placement = &any},
     REBAL_FILTER_API_ENABLEMENT,
     REBAL_BINDING_RESOURCE_KIND,
     "apps/v1 Deployment",
     "StatefulSet, DaemonSet"},
    {{"m1"}, {.placement = &at_name}, REBAL_FILTER_CLUSTER_AFFINITY, REBAL_AFFINITY_CLUSTER_NAMES, "m2, m3", "m1"},
    {{"m1"}, {.placement = &not_there}, REBAL_FILTER_CLUSTER_AFFINITY, REBAL_AFFINITY_EXCLUDE, "m9, m1", "m1"},
    {{"m1"},
     {.placement = &at_label},
     REBAL_FILTER_CLUSTER_AFFINITY,
     REBAL_AFFINITY_LABEL_SELECTOR,
     "tier In [gold]",
     ""},
    {{"m1", .labels = "tier=tin"},
     {.placement = &at_label},
     REBAL_FILTER_CLUSTER_AFFINITY,
     REBAL_AFFINITY_LABEL_SELECTOR,
     "tier In [gold]",
     "tier=tin"},
    {{"m1", .labels = "tier=gold zone=b"},
     {.placement = &at_expression},
     REBAL_FILTER_CLUSTER_AFFINITY,
     REBAL_AFFINITY_LABEL_SELECTOR,
     "tier NotIn [gold, silver]",
     "tier=gold"},
    {{"m1", .labels = "kind=x"},
     {.placement = &at_presence},
     REBAL_FILTER_CLUSTER_AFFINITY,
     REBAL_AFFINITY_LABEL_SELECTOR,
     "tier Exists",
     ""},
    {{"m1", .provider = "gcp"},
     {.placement = &at_field},
     REBAL_FILTER_CLUSTER_AFFINITY,
     REBAL_AFFINITY_FIELD_SELECTOR,
     "provider In [aws]",
     "provider=gcp"},
    {{"m1", .provider = "aws", .region = "eu"},
     {.placement = &at_field},
     REBAL_FILTER_CLUSTER_AFFINITY,
     REBAL_AFFINITY_FIELD_SELECTOR,
     "region NotIn [eu]",
     "region=eu"},
    {{"m1", .zones = "z1 z2"},
     {.placement = &at_zone},
     REBAL_FILTER_CLUSTER_AFFINITY,
     REBAL_AFFINITY_FIELD_SELECTOR,
     "zone In [z3]",
     "z1, z2"},
    {{"m1", .labels = "tier=gold"},
     {.placement = &at_malformed},
     REBAL_FILTER_CLUSTER_AFFINITY,
     REBAL_LABEL_SELECTOR_MATCH_EXPRESSIONS,
     "tier In",
     ""},
    {{"m1"},
     {.placement = &at_unknown},
     REBAL_FILTER_CLUSTER_AFFINITY,
     REBAL_LABEL_SELECTOR_MATCH_EXPRESSIONS,
     "tier (unknown operator) [gold]",
     ""},
    {{"m1", .region = "eu"},
     {.placement = &at_malformed_field},
     REBAL_FILTER_CLUSTER_AFFINITY,
     REBAL_FIELD_SELECTOR_MATCH_EXPRESSIONS,
     "region Gt [eu]",
     ""},
    {{"m1"},
     {.placement = &in_terms, .replicas = 1},
     REBAL_FILTER_CLUSTER_AFFINITY,
     REBAL_AFFINITY_CLUSTER_NAMES,
     "m2",
     "m1"},
    {{"m1"}, {.placement = &any, .evicting = "m2 m1"}, REBAL_FILTER_CLUSTER_EVICTION, REBAL_TASK_FROM_CLUSTER, "", ""},
    {{"m1"}, {.placement = &by_provider}, REBAL_FILTER_SPREAD_CONSTRAINT, REBAL_CLUSTER_PROVIDER, "provider", ""},
    {{"m1"}, {.placement = &by_region}, REBAL_FILTER_SPREAD_CONSTRAINT, REBAL_CLUSTER_REGION, "region", ""},
    {{"m1"}, {.placement = &by_zones}, REBAL_FILTER_SPREAD_CONSTRAINT, REBAL_CLUSTER_ZONES, "zone", ""},
    {{"m1", .zones = ""}, {.placement = &by_zones}, REBAL_FILTER_SPREAD_CONSTRAINT, REBAL_CLUSTER_ZONES, "zone", ""},
    {{"m1", .region = "eu"},
     {.placement = &by_region_and_zones},
     REBAL_FILTER_SPREAD_CONSTRAINT,
     REBAL_CLUSTER_ZONES,
     "zone",
     ""},
    {{"m1", .taints = "p:PreferNoSchedule k=v:NoSchedule l:NoExecute"},
     {.placement = &any},
     REBAL_FILTER_TAINT_TOLERATION,
     REBAL_CLUSTER_TAINTS,
     "",
     "k=v:NoSchedule"},
    {{"m1", .taints = "l:NoSchedule"},
     {.placement = &tolerant},
     REBAL_FILTER_TAINT_TOLERATION,
     REBAL_CLUSTER_TAINTS,
     "a=b:NoSchedule, c, *:NoExecute",
     "l:NoSchedule"},
};

static int64_t cell(const rebal_result *result, uint32_t column, size_t row) {
  size_t n;

  return rebal_result_i64(result, column, &n)[row];
}

START_TEST(test_rejections) {
  const rebal_schedule_opts opts = explain_opts(UINT64_MAX);
  struct test_world world;
  size_t row = 0;

  test_world_open(&world, NULL);
  test_world_fill(&world, &rows[_i].cluster, 1, &rows[_i].binding);
  ck_assert_int_eq(rebal_schedule(world.ctx, world.snapshot, world.bindings, &opts, world.result, NULL), REBAL_OK);
  while (cell(world.result, REBAL_EXPLAIN_PLUGIN, row) != rows[_i].plugin) {
    row++;
    ck_assert_uint_lt(row, rebal_result_count(world.result, REBAL_TABLE_EXPLAIN));
  }
  ck_assert_int_eq(cell(world.result, REBAL_EXPLAIN_STAGE, row), REBAL_STAGE_FILTER);
  ck_assert_int_eq(cell(world.result, REBAL_EXPLAIN_VERDICT, row), REBAL_WHY_REJECTED);
  ck_assert_int_eq(cell(world.result, REBAL_EXPLAIN_FIELD, row), rows[_i].field);
  ck_assert_str_eq(rebal_result_text(world.result, REBAL_EXPLAIN_EXPECTED, row, NULL), rows[_i].expected);
  ck_assert_str_eq(rebal_result_text(world.result, REBAL_EXPLAIN_FOUND, row, NULL), rows[_i].found);
  test_world_close(&world);
}
END_TEST

/* A cluster whose APIs are unknown. */
START_TEST(test_no_apis) {
  const rebal_schedule_opts opts = explain_opts(UINT64_MAX);
  struct test_world world;

  test_world_open(&world, NULL);
  (void)test_add_cluster(&world, &rows[0].cluster);
  (void)test_add_binding(&world, NULL, &rows[0].binding);
  ck_assert_int_eq(rebal_cells_set_i64(rebal_fleet_cells(world.fleet), REBAL_CLUSTER_API_ENABLEMENTS, REBAL_NONE, 0,
                                       REBAL_NONE, NULL),
                   REBAL_OK);
  test_freeze(&world);
  ck_assert_int_eq(rebal_schedule(world.ctx, world.snapshot, world.bindings, &opts, world.result, NULL), REBAL_OK);
  ck_assert_int_eq(cell(world.result, REBAL_EXPLAIN_PLUGIN, 0), REBAL_FILTER_API_ENABLEMENT);
  ck_assert_int_eq(cell(world.result, REBAL_EXPLAIN_FIELD, 0), REBAL_BINDING_RESOURCE_API_VERSION);
  ck_assert_str_eq(rebal_result_text(world.result, REBAL_EXPLAIN_EXPECTED, 0, NULL), "apps/v1 Deployment");
  ck_assert_str_eq(rebal_result_text(world.result, REBAL_EXPLAIN_FOUND, 0, NULL), "");
  test_world_close(&world);
}
END_TEST

/* Friends are elsewhere, foes are in the cluster, and copies whose versions are not numbers cannot be compared. */
static const struct {
  struct test_binding other;
  const char *version; /* of the copy that is being assigned; NULL: no copy */
  const char *reported;
} peers[] = {
    {{.key = "default/friend", .friends = "app=a", .targets = "m2=1", .version = "1"},
     NULL,
     "m1 is rejected by WorkloadAffinity: default/friend of group app=a is placed, but not in this cluster.\n"},
    {{.key = "default/foe", .foes = "db=b", .targets = "m1=1", .version = "1"},
     NULL,
     "m1 is rejected by WorkloadAntiAffinity: default/foe of group db=b is in this cluster.\n"},
    {{.key = "default/friend", .friends = "app=a", .targets = "m1=1", .version = "1"},
     "x",
     "m1 is rejected by WorkloadAffinity: the copies of default/friend in group app=a cannot be compared.\n"},
};

START_TEST(test_other_workloads) {
  static const struct test_cluster clusters[] = {{"m1"}};
  static const struct test_binding binding = {.placement = &any, .friends = "app=a", .foes = "db=b"};
  rebal_compat *compat = test_compat(REBAL_OPTION_GATE_WORKLOAD_AFFINITY, 1);
  rebal_schedule_opts opts = explain_opts(1);
  struct test_binding copy = peers[_i].other;
  struct test_world world;
  rebal_bindings *known, *assigning;

  test_world_open(&world, NULL);
  (void)test_add_cluster(&world, &clusters[0]);
  (void)test_cluster_id(&world, "m2");
  (void)test_add_binding(&world, NULL, &binding);
  known = test_new_bindings(&world);
  assigning = test_new_bindings(&world);
  (void)test_add_binding(&world, known, &peers[_i].other);
  copy.version = peers[_i].version;
  (void)test_add_binding(&world, assigning, &copy);
  test_freeze(&world);
  ck_assert_int_eq(rebal_bindings_freeze(known, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_bindings_freeze(assigning, NULL), REBAL_OK);
  opts.compat = compat;
  opts.known = known;
  opts.assigning = peers[_i].version == NULL ? NULL : assigning;
  ck_assert_int_eq(rebal_schedule(world.ctx, world.snapshot, world.bindings, &opts, world.result, NULL), REBAL_OK);
  ck_assert_str_eq(explained_sentences(&world), peers[_i].reported);
  rebal_bindings_free(known);
  rebal_bindings_free(assigning);
  rebal_compat_free(compat);
  test_world_close(&world);
}
END_TEST

START_TEST(test_the_caller) {
  static const struct test_cluster clusters[] = {{"m1"}};
  static const struct test_binding binding = {.placement = &any};
  static const int64_t reject[] = {1};
  rebal_schedule_opts opts = explain_opts(1);

  opts.extra_reject = reject;
  opts.extra_clusters = 1;
  ck_assert_str_eq(schedule_explained(clusters, 1, &binding, &opts), "m1 is rejected by the caller.\n");
  opts.extra_reject_reason = "the data is elsewhere";
  opts.extra_reject_reason_len = 21;
  ck_assert_str_eq(schedule_explained(clusters, 1, &binding, &opts),
                   "m1 is rejected by the caller: the data is elsewhere.\n");
}
END_TEST

UNIT_CASE(explain_plugin) {
  TCase *cases = tcase_create("explain_plugin");

  tcase_add_loop_test(cases, test_rejections, 0, (int)REBALI_COUNT(rows));
  tcase_add_test(cases, test_no_apis);
  tcase_add_loop_test(cases, test_other_workloads, 0, (int)REBALI_COUNT(peers));
  tcase_add_test(cases, test_the_caller);
  return cases;
}
