/* SPDX-License-Identifier: MIT */
/* Regions, zones and providers: their clusters and scores (rebalance-karmada(7) 5.6). */
#include "phases_fixture.h"

#include "../unit.h"

#include <stdio.h>

static const struct test_cluster places[] = {
    {"a", "pods=4", .region = "r1", .zones = "z1 z2", .provider = "p"},
    {"b", "pods=6", .region = "r2", .zones = "z2"},
    {"c", "pods=9", .region = "r1", .zones = "z1 z1"},
    {"d", "pods=2"},
};

/* Candidates by what is available: c b a d, but those in use first. "r1: c a 6000 13/r2: b 6000 6". */
static const struct {
  struct rebali_spread spread;
  const char *spreads; /* of the placement */
  const char *scheduling;
  int64_t replicas;
  const char *targets;
  const char *groups;
} rows[] = {
    {{REBAL_SPREAD_BY_REGION, 1, 1}, NULL, "Divided/Aggregated", 6, NULL, "r1: c a 6000 13/r2: b 6000 6"},
    {{REBAL_SPREAD_BY_REGION, 2, 2}, NULL, "Divided/Aggregated", 13, NULL, "r1: c a 7000 13/r2: b 6000 6"},
    {{REBAL_SPREAD_BY_PROVIDER, 1, 1}, NULL, "Divided/Aggregated", 6, NULL, "p: a 4000 4"},
    {{REBAL_SPREAD_BY_ZONE, 1, 1}, NULL, "Divided/Aggregated", 6, NULL, "z1: c c a 6000 22/z2: b a 6000 10"},
    /* the score counts clusters until the target and the least number of clusters are reached */
    {{REBAL_SPREAD_BY_REGION, 1, 1}, NULL, "Divided/Aggregated", 6, "c=0", "r1: c a 6100 13/r2: b 6000 6"},
    {{REBAL_SPREAD_BY_REGION, 1, 1}, "cluster:2:2", "Divided/Aggregated", 6, "c=0", "r1: c a 6050 13/r2: b 6000 6"},
    {{REBAL_SPREAD_BY_REGION, 1, 1}, NULL, "Divided/Aggregated", 14, "c=0", "r1: c a 13050 13/r2: b 6000 6"},
    /* copies count where they fit whole */
    {{REBAL_SPREAD_BY_REGION, 1, 1}, NULL, "Duplicated", 4, "a=0", "r1: a c 2050 13/r2: b 1000 6"},
    {{REBAL_SPREAD_BY_REGION, 1, 1}, NULL, "Duplicated", 9, NULL, "r1: c a 1000 13/r2: b 0 6"},
    /* a minimum of 0 or below is 1 */
    {{REBAL_SPREAD_BY_REGION, 0, 1}, NULL, "Divided/Aggregated", 6, NULL, "r1: c a 6000 13/r2: b 6000 6"},
    {{REBAL_SPREAD_BY_REGION, -3, 1}, NULL, "Divided/Aggregated", 6, NULL, "r1: c a 6000 13/r2: b 6000 6"},
};

static const char *groups_text(const struct rebali_pass *pass, const struct rebali_topology *topology) {
  static char text[512];
  size_t len = 0;

  text[0] = '\0';
  for (size_t i = 0; i < topology->n && len < sizeof text; i++) {
    const struct rebali_topology_group *group = &topology->groups[i];

    len += (size_t)snprintf(text + len, sizeof text - len, "%s%.*s:", i == 0 ? "" : "/", (int)group->name.len,
                            group->name.bytes);
    for (size_t m = 0; m < group->n_members && len < sizeof text; m++) {
      len += (size_t)snprintf(text + len, sizeof text - len, " %s",
                              test_cluster_name(pass->snapshot, pass->candidates[group->members[m]].cluster));
    }
    len += (size_t)snprintf(text + len, sizeof text - len, " %lld %lld", (long long)group->score,
                            (long long)group->available);
  }
  return text;
}

START_TEST(test_groups) {
  const struct test_placement placement = {.scheduling = rows[_i].scheduling, .spreads = rows[_i].spreads};
  const struct test_binding binding = {
      .replicas = rows[_i].replicas, .request = "", .placement = &placement, .targets = rows[_i].targets};
  struct phases_fixture fixture;

  phases_open(&fixture, places, REBALI_COUNT(places), &binding);
  phases_run(&fixture, 2);
  ck_assert_int_eq(rebali_topology_build(&fixture.pass, &rows[_i].spread), REBAL_OK);
  ck_assert_str_eq(groups_text(&fixture.pass, &fixture.pass.topologies[rows[_i].spread.field]), rows[_i].groups);
  phases_close(&fixture);
}
END_TEST

/* If no cluster has the property there are no groups, and nothing is divided by their number. */
START_TEST(test_no_group) {
  static const struct test_cluster plain[] = {{"a", "pods=4"}, {"b", "pods=4"}};
  static const struct test_binding binding = {.replicas = 3, .request = "", .placement = &aggregated};
  static const struct rebali_spread spread = {REBAL_SPREAD_BY_ZONE, 1, 2};
  struct phases_fixture fixture;

  phases_open(&fixture, plain, REBALI_COUNT(plain), &binding);
  phases_run(&fixture, 2);
  ck_assert_int_eq(rebali_topology_build(&fixture.pass, &spread), REBAL_OK);
  ck_assert_uint_eq(fixture.pass.topologies[REBAL_SPREAD_BY_ZONE].n, 0);
  phases_close(&fixture);
}
END_TEST

UNIT_CASE(topology) {
  TCase *cases = tcase_create("topology");

  tcase_add_loop_test(cases, test_groups, 0, (int)REBALI_COUNT(rows));
  tcase_add_test(cases, test_no_group);
  return cases;
}
