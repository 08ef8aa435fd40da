/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include "../unit.h"

/* Two workloads of shop and one of bank, each of which would lose 3 replicas in m1 and 2 in m2. */
static const struct {
  int64_t total, by_cluster, by_namespace, by_workload;
  const char *after[3];   /* shop/a, shop/b, bank/c; "": nothing is written */
  int64_t withheld_by[6]; /* by binding, then target */
} cases[] = {{0, 0, 0, 0, {"m1:1 m2:2", "m1:1 m2:2", "m1:1 m2:2"}, {0, 0, 0, 0, 0, 0}},
             {6, 0, 0, 0, {"m1:1 m2:2", "m1:3 m2:4", ""}, {0, 0, 1, 1, 1, 1}},
             {0, 4, 0, 0, {"m1:1 m2:2", "m1:3 m2:2", ""}, {0, 0, 2, 0, 2, 2}},
             {0, 0, 6, 0, {"m1:1 m2:2", "m1:3 m2:4", "m1:1 m2:2"}, {0, 0, 3, 3, 0, 0}},
             {0, 0, 0, 4, {"m1:1 m2:3", "m1:1 m2:3", "m1:1 m2:3"}, {0, 4, 0, 4, 0, 4}},
             {5, 5, 5, 2, {"m1:2 m2:4", "m1:2 m2:4", "m1:3 m2:4"}, {4, 4, 4, 4, 1, 1}},
             {INT64_MAX, INT64_MAX, INT64_MAX, 5, {"m1:1 m2:2", "m1:1 m2:2", "m1:1 m2:2"}, {0, 0, 0, 0, 0, 0}}};

static void fill(struct fixture *fixture) {
  const char *const keys[] = {"shop/a", "shop/b", "bank/c"};

  fixture_open(fixture, NULL);
  for (size_t i = 0; i < REBALI_COUNT(keys); i++) {
    const struct test_binding binding = {.key = keys[i], .targets = "m1=4 m2=4"};

    (void)fixture_add(fixture, &binding, "m1=0 m2=2");
  }
  fixture_answer(fixture, "m1=3 m2=2");
}

START_TEST(test_what_a_run_may_take) {
  struct fixture fixture;

  fill(&fixture);
  fixture.opts.max_total = cases[_i].total;
  fixture.opts.max_by_cluster = cases[_i].by_cluster;
  fixture.opts.max_by_namespace = cases[_i].by_namespace;
  fixture.opts.max_by_workload = cases[_i].by_workload;
  for (size_t twice = 0; twice < 2; twice++) { /* a run keeps nothing of the one before */
    ck_assert_int_eq(fixture_run(&fixture), REBAL_OK);
    for (uint32_t i = 0; i < 6; i++) {
      const int64_t before = fixture_cell(&fixture, REBAL_DESCHEDULED_REPLICAS, i);

      ck_assert_int_eq(fixture_cell(&fixture, REBAL_DESCHEDULED_WITHHELD_BY, i), cases[_i].withheld_by[i]);
      ck_assert_int_eq(fixture_cell(&fixture, REBAL_DESCHEDULED_WITHHELD, i) +
                           (before - fixture_cell(&fixture, REBAL_DESCHEDULED_AFTER, i)),
                       i % 2 == 0 ? 3 : 2);
      ck_assert_int_eq(fixture_cell(&fixture, REBAL_DESCHEDULED_WITHHELD, i) != 0, cases[_i].withheld_by[i] != 0);
    }
    for (uint32_t i = 0; i < 3; i++) {
      ck_assert_int_eq(fixture_cell(&fixture, REBAL_STEP_REASON, i), strcmp(fixture_clusters(&fixture, i), "") == 0
                                                                         ? REBAL_DESCHEDULE_REASON_WITHHELD
                                                                         : REBAL_DESCHEDULE_REASON_MOVED);
      ck_assert_str_eq(fixture_clusters(&fixture, i), cases[_i].after[i]);
    }
  }
  fixture_close(&fixture);
}
END_TEST

UNIT_CASE(caps) {
  TCase *tests = tcase_create("caps");
  tcase_add_loop_test(tests, test_what_a_run_may_take, 0, (int)REBALI_COUNT(cases));
  return tests;
}
