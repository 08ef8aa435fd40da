/* SPDX-License-Identifier: MIT */
/* Reasons, and the fit error made of them (rebalance-karmada(7) 3.2 to 3.9). */
#include "phases_fixture.h"

#include "../unit.h"

#include <stdio.h>

static const struct test_affinity there = {.clusters = "m9"};
static const struct test_placement any = {0};
static const struct test_placement at_there = {.affinity = &there};
static const struct test_placement properties = {.spreads = "zone:1:1 provider:1:1 region:1:1"};
static const struct test_placement provider_only = {.spreads = "rack:1:1 provider:1:1"};
static const struct test_placement region_only = {.spreads = "region:1:1"};

#define API "cluster(s) did not have the API resource"
#define AFFINITY "cluster(s) did not match the placement cluster affinity constraint"

static const struct {
  struct test_cluster cluster;
  struct test_binding binding;
  uint32_t plugin;
  const char *reason;
} reasons[] = {
    {{"m1", .apis = ""}, {.placement = &any}, REBAL_FILTER_API_ENABLEMENT, API},
    {{"m1"}, {.placement = &any}, REBAL_FILTER_API_ENABLEMENT, ""},
    {{"m1"}, {.placement = &at_there}, REBAL_FILTER_CLUSTER_AFFINITY, AFFINITY},
    {{"m1"},
     {.placement = &any, .evicting = "m1"},
     REBAL_FILTER_CLUSTER_EVICTION,
     "cluster(s) is in the process of eviction"},
    {{"m1"}, {.placement = &properties}, REBAL_FILTER_SPREAD_CONSTRAINT, "cluster(s) did not have zones property"},
    {{"m1", .zones = "z"},
     {.placement = &properties},
     REBAL_FILTER_SPREAD_CONSTRAINT,
     "cluster(s) did not have provider property"},
    {{"m1"},
     {.placement = &provider_only},
     REBAL_FILTER_SPREAD_CONSTRAINT,
     "cluster(s) did not have provider property"},
    {{"m1"}, {.placement = &region_only}, REBAL_FILTER_SPREAD_CONSTRAINT, "cluster(s) did not have region property"},
    {{"m1", .taints = "p:PreferNoSchedule k=v:NoExecute l:NoSchedule"},
     {.placement = &any},
     REBAL_FILTER_TAINT_TOLERATION,
     "cluster(s) had untolerated taint {k=v:NoExecute}"},
    {{"m1", .taints = "l:NoSchedule"},
     {.placement = &any},
     REBAL_FILTER_TAINT_TOLERATION,
     "cluster(s) had untolerated taint {l:NoSchedule}"},
};

START_TEST(test_reasons) {
  struct test_world world;
  char text[200];
  size_t len;

  test_world_open(&world, NULL);
  test_world_fill(&world, &reasons[_i].cluster, 1, &reasons[_i].binding);
  ck_assert_int_eq(rebal_filter(world.ctx, world.snapshot, world.bindings, NULL, world.result, NULL), REBAL_OK);
  ck_assert_int_eq(
      rebal_filter_reason(world.bindings, world.result, 0, reasons[_i].plugin, text, sizeof text, &len, NULL),
      REBAL_OK);
  ck_assert_str_eq(text, reasons[_i].reason);
  ck_assert_uint_eq(len, strlen(reasons[_i].reason));
  test_world_close(&world);
}
END_TEST

/* Fails when a plugin has no row in the tables of filter_text.c or explain_plugin.c. */
START_TEST(test_every_plugin_has_a_reason_and_a_description) {
  static const struct test_cluster cluster = {"m1", .taints = "k:NoSchedule"};
  static const struct test_placement placement = {.affinity = &there, .spreads = "region:1:1"};
  static const struct test_binding binding = {
      .placement = &placement, .evicting = "m1", .friends = "app=a", .foes = "db=b"};
  const uint32_t plugin = rebali_filter_at((uint32_t)_i);
  struct rebali_reason reason = {.plugin = plugin};
  struct phases_fixture fixture;
  struct rebali_explanation stating = {.pass = &fixture.pass};
  struct rebali_buffer text;

  phases_open(&fixture, &cluster, 1, &binding);
  fixture.opts.extra_reject_reason = "full";
  fixture.opts.extra_reject_reason_len = 4;
  rebali_buffer_init(&text, rebali_ctx_allocator(fixture.pass.ctx));
  rebali_buffer_init(&stating.expected, rebali_ctx_allocator(fixture.pass.ctx));
  rebali_buffer_init(&stating.found, rebali_ctx_allocator(fixture.pass.ctx));
  rebali_filter_text(fixture.pass.snapshot, 0, plugin, fixture.pass.placement->record, 0, 0, &text);
  ck_assert_uint_gt(text.len, 0);
  rebali_explain_rejection(&stating, plugin, 0, &reason);
  ck_assert(reason.field != 0 || reason.expected.len > 0 || reason.found.len > 0);
  rebali_buffer_dispose(&stating.found);
  rebali_buffer_dispose(&stating.expected);
  rebali_buffer_dispose(&text);
  phases_close(&fixture);
}
END_TEST

/* So many clusters of each kind: fine, without the API, tainted, deleting. */
static const struct {
  int without_api, tainted, deleting;
  const char *message;
} fits[] = {
    {0, 0, 0, "0/0 clusters are available: no cluster exists."},
    {0, 0, 3, "0/3 clusters are available: no cluster exists."},
    {1, 0, 2, "0/3 clusters are available: 1 " API "."},
    {2, 1, 0, "0/3 clusters are available: 1 cluster(s) had untolerated taint {k:NoSchedule}, 2 " API "."},
    {2, 10, 1, "0/13 clusters are available: 10 cluster(s) had untolerated taint {k:NoSchedule}, 2 " API "."},
    {10, 2, 0, "0/12 clusters are available: 10 " API ", 2 cluster(s) had untolerated taint {k:NoSchedule}."},
};

static void add_many(struct test_world *world, int count, char letter, const struct test_cluster *like) {
  for (int i = 0; i < count; i++) {
    char name[16];
    struct test_cluster cluster = *like;

    (void)snprintf(name, sizeof name, "%c%d", letter, i);
    cluster.name = name;
    (void)test_add_cluster(world, &cluster);
  }
}

START_TEST(test_fit_errors) {
  static const struct test_cluster without_api = {"", .apis = ""};
  static const struct test_cluster tainted = {"", .taints = "k:NoSchedule"};
  static const struct test_cluster deleting = {"", .deleting = 1, .apis = ""};
  static const struct test_binding binding = {.placement = &any};
  struct test_world world;

  test_world_open(&world, NULL);
  add_many(&world, fits[_i].without_api, 'n', &without_api);
  add_many(&world, fits[_i].tainted, 't', &tainted);
  add_many(&world, fits[_i].deleting, 'd', &deleting);
  (void)test_add_binding(&world, NULL, &binding);
  test_freeze(&world);
  (void)test_schedule(&world, NULL, 0);
  ck_assert_str_eq(rebal_result_text(world.result, REBAL_DECISION_MESSAGE, 0, NULL), fits[_i].message);
  test_world_close(&world);
}
END_TEST

START_TEST(test_only_the_first_reason_of_a_cluster_counts) {
  static const struct test_cluster clusters[] = {{"a", .apis = ""}, {"b", .taints = "k:NoSchedule"}};
  static const struct test_binding binding = {.placement = &at_there};

  ck_assert_str_eq(schedule_clusters(clusters, 2, &binding, NULL),
                   "fit: 0/2 clusters are available: 1 " API ", 1 " AFFINITY ".");
}
END_TEST

UNIT_CASE(filter_text) {
  TCase *cases = tcase_create("filter_text");

  tcase_add_loop_test(cases, test_reasons, 0, (int)REBALI_COUNT(reasons));
  tcase_add_loop_test(cases, test_every_plugin_has_a_reason_and_a_description, 0, (int)REBALI_FILTERS);
  tcase_add_loop_test(cases, test_fit_errors, 0, (int)REBALI_COUNT(fits));
  tcase_add_test(cases, test_only_the_first_reason_of_a_cluster_counts);
  return cases;
}
