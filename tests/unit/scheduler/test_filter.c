/* SPDX-License-Identifier: MIT */
/* What each plugin rejects, and which clusters are exempt (rebalance-karmada(7) 3.2 to 3.6). */
#include "drawing.h"

#include "../unit.h"

#include <stdio.h>

#define API (1 << REBAL_FILTER_API_ENABLEMENT)
#define AFFINITY (1 << REBAL_FILTER_CLUSTER_AFFINITY)
#define EVICTION (1 << REBAL_FILTER_CLUSTER_EVICTION)
#define SPREAD (1 << REBAL_FILTER_SPREAD_CONSTRAINT)
#define TAINT (1 << REBAL_FILTER_TAINT_TOLERATION)

static const struct test_affinity here = {.clusters = "m1"};
static const struct test_affinity there = {.clusters = "m2"};
static const struct test_affinity over[] = {{.clusters = "m9"}, {.clusters = "m1"}};
static const struct test_affinity terms[] = {{"far", .clusters = "m2", .overflow = over, .n_overflow = 2},
                                             {"near", .clusters = "m1"},
                                             {"near", .clusters = "m2"}};
static const struct test_placement any = {0};
static const struct test_placement at_here = {.affinity = &here, .terms = terms, .n_terms = 3};
static const struct test_placement at_there = {.affinity = &there};
static const struct test_placement in_terms = {.terms = terms, .n_terms = 3};
static const struct test_placement tolerant = {.tolerations = "k:Equal:v:NoSchedule;e:Exists"};
static const struct test_placement bare = {.tolerations = ":"}; /* {} */
static const struct test_placement valued = {.tolerations = "::v"};
static const struct test_placement regional = {.spreads = "region:1:1 zone:1:1", .scheduling = "Divided/Weighted"};
static const struct test_placement by_provider = {.spreads = "provider:1:1 rack:1:1"};

static const struct {
  struct test_cluster cluster;
  struct test_binding binding;
  int rejected;
} rows[] = {
    {{"m1"}, {.placement = &any}, 0},
    /* APIs */
    {{"m1", .apis = ""}, {.placement = &any}, API},
    {{"m1", .apis = ""}, {.placement = &any, .targets = "m1=0"}, 0},
    {{"m1", .apis = "apps/v1=StatefulSet v1=Deployment"}, {.placement = &any}, API},
    {{"m1", .apis = "apps/v1=StatefulSet apps/v1=Deployment"}, {.placement = &any}, 0},
    {{"m1", .apis = "v1=ConfigMap"}, {.placement = &any, .kind = "v1=ConfigMap"}, 0},
    {{"m1", .apis = "v1=ConfigMap"}, {.placement = &any, .kind = "/v1=ConfigMap"}, 0},
    {{"m1", .apis = "a/b/c=X"}, {.placement = &any, .kind = "a/b/c=X"}, API},
    /* affinity */
    {{"m1"}, {.placement = &at_here, .observed = "far"}, 0},
    {{"m1"}, {.placement = &at_there}, AFFINITY},
    {{"m1"}, {.placement = &at_there, .targets = "m1=3"}, AFFINITY}, /* no exemption */
    {{"m1"}, {.placement = &in_terms, .observed = "near"}, 0},
    {{"m1"}, {.placement = &in_terms, .observed = "far"}, AFFINITY}, /* overflow is for workloads */
    {{"m1"}, {.placement = &in_terms, .observed = "far", .replicas = 1}, 0},
    {{"m1"}, {.placement = &in_terms, .observed = "far", .request = ""}, 0},
    {{"m1"}, {.placement = &in_terms, .observed = "far", .components = "a=1"}, 0},
    {{"m3"}, {.placement = &in_terms, .observed = "near"}, AFFINITY},
    {{"m3"}, {.placement = &in_terms, .observed = "unknown"}, 0},
    {{"m3"}, {.placement = &in_terms}, AFFINITY},                     /* no name yet: the first group */
    {{"m2"}, {.placement = &in_terms, .observed = "near"}, AFFINITY}, /* the first of a name */
    /* eviction */
    {{"m1"}, {.placement = &any, .evicting = "m1"}, EVICTION},
    {{"m1"}, {.placement = &any, .evicting = "m2 m1", .targets = "m1=1"}, EVICTION},
    {{"m1"}, {.placement = &any, .evicting = "m2"}, 0},
    /* properties */
    {{"m1"}, {.placement = &regional}, SPREAD},
    {{"m1", .region = "r"}, {.placement = &regional, .targets = "m1=1"}, SPREAD},
    {{"m1", .region = "r", .zones = "z"}, {.placement = &regional}, 0},
    {{"m1"}, {.placement = &by_provider}, SPREAD},
    {{"m1", .provider = "p"}, {.placement = &by_provider}, 0},
    /* taints */
    {{"m1", .taints = "k=v:NoSchedule"}, {.placement = &any}, TAINT},
    {{"m1", .taints = "k=v:NoSchedule"}, {.placement = &any, .targets = "m1=0"}, 0},
    {{"m1", .taints = "k=v:PreferNoSchedule"}, {.placement = &any}, 0},
    {{"m1", .taints = "k=v:NoSchedule e=x:NoExecute"}, {.placement = &tolerant}, 0},
    {{"m1", .taints = "k=v:NoExecute"}, {.placement = &tolerant}, TAINT},
    {{"m1", .taints = "k=w:NoSchedule"}, {.placement = &tolerant}, TAINT},
    {{"m1", .taints = "k:NoSchedule"}, {.placement = &bare}, 0}, /* measured */
    {{"m1", .taints = "k=v:NoSchedule"}, {.placement = &bare}, TAINT},
    {{"m1", .taints = "k=v:NoSchedule j=v:NoExecute"}, {.placement = &valued}, 0}, /* measured */
    {{"m1", .taints = "k:NoSchedule"}, {.placement = &valued}, TAINT},
    /* all at once */
    {{"m1", .apis = "", .taints = "k:NoSchedule"},
     {.placement = &regional, .evicting = "m1"},
     API | EVICTION | SPREAD | TAINT},
};

START_TEST(test_verdicts) {
  struct test_world world;
  size_t n;

  test_world_open(&world, NULL);
  test_world_fill(&world, &rows[_i].cluster, 1, &rows[_i].binding);
  ck_assert_int_eq(rebal_filter(world.ctx, world.snapshot, world.bindings, NULL, world.result, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_result_i64(world.result, REBAL_VERDICT_REJECTED_BY, &n)[0], rows[_i].rejected);
  ck_assert_uint_eq(n, 1);
  test_world_close(&world);
}
END_TEST

START_TEST(test_the_run_leaves_deleting_clusters_out) {
  static const struct test_cluster clusters[] = {{"c"}, {"a"}, {"b", .deleting = 1}, {"d", .apis = ""}};
  static const struct test_binding binding = {.placement = &any};
  struct phases_fixture fixture;

  phases_open(&fixture, clusters, 4, &binding);
  phases_run(&fixture, 1);
  ck_assert_uint_eq(fixture.pass.n_feasible, 2);
  ck_assert_uint_eq(fixture.pass.feasible[0], 3); /* rows of a and c */
  phases_close(&fixture);
}
END_TEST

START_TEST(test_stopping_at_the_first) {
  static const struct test_cluster cluster = {"m1", .apis = "", .taints = "k:NoSchedule"};
  static const struct test_binding binding = {.placement = &any};
  struct phases_fixture fixture;

  phases_open(&fixture, &cluster, 1, &binding);
  ck_assert_uint_eq(rebali_filter_cluster(&fixture.pass, 0, 1), API);
  ck_assert_uint_eq(rebali_filter_cluster(&fixture.pass, 0, 0), API | TAINT);
  phases_close(&fixture);
}
END_TEST

/* Running the filters has shortcuts: more API sets than it caches, in changing order, and every exemption. */
START_TEST(test_the_run_is_every_plugin_called) {
  enum { CLUSTERS = 90 };
  static const struct test_binding binding = {
      .placement = &in_terms, .observed = "unknown", .targets = "c05=1 c07=1 c40=2 c81=1", .evicting = "c07 c11 c12"};
  static char names[CLUSTERS][4], apis[CLUSTERS][48];
  struct test_cluster clusters[CLUSTERS];
  struct phases_fixture fixture;
  size_t n = 0;

  for (unsigned i = 0; i < CLUSTERS; i++) {
    const unsigned set = i * i % 41;

    (void)snprintf(names[i], sizeof names[i], "c%02u", i % 100);
    (void)snprintf(apis[i], sizeof apis[i], "apps/v1=%s v%u=Kind", set % 3 == 0 ? "Job" : "Deployment", set);
    clusters[i] = (struct test_cluster){names[i], .apis = apis[i], .taints = i % 7 == 5 ? "k:NoSchedule" : NULL,
                                        .deleting = i % 13 == 12};
  }
  phases_open(&fixture, clusters, CLUSTERS, &binding);
  phases_run(&fixture, 1);
  for (uint32_t cluster = 0; cluster < CLUSTERS; cluster++) {
    const int is_feasible = !clusters[cluster].deleting && rebali_filter_cluster(&fixture.pass, cluster, 0) == 0;

    ck_assert_int_eq(rebali_bit_get(fixture.pass.feasible, cluster), is_feasible);
    n += (size_t)is_feasible;
  }
  ck_assert_uint_eq(n, fixture.pass.n_feasible);
  ck_assert(n > 20 && n < 60);
  phases_close(&fixture);
}
END_TEST

/* ---- the plain twin: each cluster filtered alone ----------------------------------------------------------------- */

enum { PAIRS = 1000000 };

/* Returns how many clusters were compared. */
static size_t compare_binding(struct drawing *drawing, const rebal_schedule_opts *opts, uint32_t row) {
  struct rebali_pass pass = {.ctx = drawing->world.ctx,
                             .snapshot = drawing->world.snapshot,
                             .opts = opts,
                             .bindings = drawing->world.bindings,
                             .row = row};
  const uint32_t clusters = rebal_cells_bound(rebal_snapshot_cells(pass.snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE);
  size_t n = 0, n_wrong = 0; /* an assertion for each cluster would dominate the run time */

  ck_assert_int_eq(rebali_ctx_begin(pass.ctx, NULL), REBAL_OK);
  pass.placement =
      drawing_placement(drawing, pass.ctx, (uint32_t)rebali_bindings_i64(pass.bindings, REBAL_BINDING_PLACEMENT, row));
  ck_assert_int_eq(
      rebali_pass_begin(&pass, rebali_bindings_text(pass.bindings, REBAL_BINDING_OBSERVED_AFFINITY_NAME, row)),
      REBAL_OK);
  ck_assert_int_eq(rebali_filter_run(&pass), REBAL_OK);
  for (uint32_t cluster = 0; cluster < clusters; cluster++) {
    const int is_feasible =
        rebal_cells_has(rebal_snapshot_cells(pass.snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE, cluster) &&
        rebal_cells_get_i64(rebal_snapshot_cells(pass.snapshot), REBAL_CLUSTER_DELETING, REBAL_NONE, cluster) == 0 &&
        rebali_filter_cluster(&pass, cluster, 0) == 0;

    n += (size_t)is_feasible;
    n_wrong += rebali_bit_get(pass.feasible, cluster) != is_feasible;
  }
  ck_assert_uint_eq(n_wrong, 0);
  ck_assert_uint_eq(n, pass.n_feasible);
  ck_assert_int_eq(rebali_pass_refused(&pass), n == 0);
  rebali_pass_dispose(&pass);
  rebali_ctx_end(pass.ctx);
  return clusters;
}

START_TEST(test_bits_are_the_plugins) {
  static int64_t rejected[DRAWN_CLUSTERS / 2];
  rebal_schedule_opts opts = *with_option(REBAL_OPTION_GATE_WORKLOAD_AFFINITY, 1);
  struct drawing drawing;
  size_t pairs = 0;

  for (uint64_t seed = 1; pairs < unit_rounds(PAIRS); seed++) {
    drawing_open(&drawing, seed);
    for (int round = 0; round < 8; round++) {
      drawing_change(&drawing);
      drawing_bind(&drawing);
      for (size_t i = 0; i < REBALI_COUNT(rejected); i++) {
        rejected[i] = draw(&drawing, 6) == 0;
      }
      opts.known = draw(&drawing, 2) == 0 ? drawing.world.bindings : NULL;
      opts.extra_reject = draw(&drawing, 2) == 0 ? rejected : NULL;
      opts.extra_clusters = REBALI_COUNT(rejected);
      for (uint32_t row = 0; row < DRAWN_BINDINGS; row++) {
        pairs += compare_binding(&drawing, &opts, row);
      }
    }
    drawing_close(&drawing);
  }
}
END_TEST

UNIT_CASE(filter) {
  TCase *cases = tcase_create("filter");

  tcase_add_loop_test(cases, test_verdicts, 0, (int)REBALI_COUNT(rows));
  tcase_add_test(cases, test_the_run_leaves_deleting_clusters_out);
  tcase_add_test(cases, test_stopping_at_the_first);
  tcase_add_test(cases, test_the_run_is_every_plugin_called);
  tcase_add_test(cases, test_bits_are_the_plugins);
  tcase_set_timeout(cases, UNIT_TWIN_SECONDS);
  return cases;
}
