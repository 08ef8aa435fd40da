/* SPDX-License-Identifier: MIT */
#include "plan_fixture.h"

#include "../unit.h"

#include <stdio.h>

static const struct test_placement in_m3 = {.scheduling = "Divided/Weighted", .weights = "m3=1"};

/* "m1:4-1 out 3 in 0": before, after, moved. */
static const char *sums_of(struct plan_fixture *fixture) {
  const size_t n = rebal_result_count(fixture->rows, REBAL_TABLE_CLUSTER_USE);
  size_t len = 0;

  fixture->text[0] = '\0';
  for (size_t i = 0; i < n; i++) {
    len += (size_t)snprintf(
        fixture->text + len, sizeof fixture->text - len, "%s%s:%lld-%lld out %lld in %lld", i == 0 ? "" : ", ",
        test_cluster_name(fixture->world.snapshot, (uint32_t)plan_cell(fixture, REBAL_CLUSTER_USE_CLUSTER, i)),
        (long long)plan_cell(fixture, REBAL_CLUSTER_USE_BEFORE, i),
        (long long)plan_cell(fixture, REBAL_CLUSTER_USE_AFTER, i),
        (long long)plan_cell(fixture, REBAL_CLUSTER_USE_MOVED_OUT, i),
        (long long)plan_cell(fixture, REBAL_CLUSTER_USE_MOVED_IN, i));
  }
  return fixture->text;
}

/* Clusters by name, those in which a binding has replicas or will have some; absent ones too. */
START_TEST(test_what_clusters_have) {
  const struct test_binding first = {.key = "ns/a", .replicas = 5, .placement = &in_m3, .targets = "m1=2 gone=1"};
  const struct test_binding second = {.key = "ns/b", .replicas = 2, .placement = &in_m3, .targets = "m1=2 m2=3"};
  struct plan_fixture fixture;

  plan_open(&fixture, "m4=9 m3=9 m2=9 m1=9");
  (void)plan_add(&fixture, &first);
  (void)plan_add(&fixture, &second);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(sums_of(&fixture), "gone:1-0 out 1 in 0, m1:4-0 out 4 in 0, m2:3-0 out 0 in 0, m3:0-7 out 0 in 5");
  (void)plan_limit(&fixture, REBAL_LIMIT_SCOPE_TOTAL, NULL, 1);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(sums_of(&fixture), "gone:1-0 out 1 in 0, m1:4-4 out 0 in 0, m2:3-0 out 0 in 0, m3:0-3 out 0 in 1");
  plan_close(&fixture);
}
END_TEST

START_TEST(test_nothing_at_all) {
  struct plan_fixture fixture;

  plan_open(&fixture, "");
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(sums_of(&fixture), "");
  ck_assert_uint_eq(rebal_result_count(fixture.rows, REBAL_TABLE_PLANNED), 0);
  plan_close(&fixture);
}
END_TEST

UNIT_CASE(sums) {
  TCase *cases = tcase_create("sums");

  tcase_add_test(cases, test_what_clusters_have);
  tcase_add_test(cases, test_nothing_at_all);
  return cases;
}
