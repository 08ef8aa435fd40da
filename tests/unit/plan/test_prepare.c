/* SPDX-License-Identifier: MIT */
#include "../../support/allocator.h"
#include "plan_fixture.h"

#include "../unit.h"

static const struct test_placement dynamic = {.scheduling = "Divided/Weighted/AvailableReplicas"};

static uint32_t add(struct plan_fixture *fixture, const char *targets, int64_t scheduled_at) {
  const struct test_binding binding = {.key = "ns/a",
                                       .replicas = 8,
                                       .request = "",
                                       .placement = &dynamic,
                                       .applied = &dynamic,
                                       .targets = targets,
                                       .scheduled_at = scheduled_at};

  return plan_add(fixture, &binding);
}

/* A trigger counts when it is later than the last scheduling, whatever the clock. */
START_TEST(test_fresh_at_any_time) {
  static const int64_t scheduled_at[] = {PLAN_NOW - 1, PLAN_NOW, PLAN_NOW + 1000};
  struct plan_fixture fixture;

  for (size_t i = 0; i < sizeof scheduled_at / sizeof scheduled_at[0]; i++) {
    plan_open(&fixture, "m1=2 m2=10");
    (void)add(&fixture, "m1=8", scheduled_at[i]);
    ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
    ck_assert_str_eq(plan_row(&fixture, 0), "m1:8>4>4 m2:->4>4");
    plan_close(&fixture);
  }
}
END_TEST

/* A binding that was never scheduled needs no trigger, and no trigger counts for it (rebalance-karmada(7) 2.3). */
START_TEST(test_never_scheduled) {
  struct plan_fixture fixture;

  plan_open(&fixture, "m1=2 m2=10");
  (void)add(&fixture, "m1=8", 0);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_row(&fixture, 0), "m1:8>8>8");
  plan_close(&fixture);
}
END_TEST

/* The caller's bindings are frozen, and are not changed. */
START_TEST(test_the_callers_bindings_stay) {
  struct plan_fixture fixture;
  rebal_time at;

  plan_open(&fixture, "m1=2 m2=10");
  (void)add(&fixture, "m1=8", PLAN_NOW - 1);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  rebal_cells_get_time(rebal_bindings_cells(fixture.world.bindings), REBAL_BINDING_RESCHEDULE_TRIGGERED_AT, REBAL_NONE,
                       0, &at);
  ck_assert_uint_eq(at.is_set, 0);
  plan_close(&fixture);
}
END_TEST

/* Replicas that do not become ready are released; the scheduler places them where there is capacity. */
START_TEST(test_what_the_descheduler_takes_away) {
  const rebal_deschedule_opts deschedule = {.struct_size = (uint32_t)sizeof deschedule,
                                            .flags = REBAL_DESCHEDULE_FLAG_FROM_STATUS};
  struct plan_fixture fixture;

  plan_open(&fixture, "m1=0 m2=10");
  plan_set_ready(&fixture, add(&fixture, "m1=4 m2=4", PLAN_NOW - 1000), "m1=1 m2=4");
  fixture.opts.mode = REBAL_PLAN_MODE_STEADY;
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_row(&fixture, 0), "m1:4>4>4 m2:4>4>4");
  fixture.opts.deschedule = &deschedule;
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_row(&fixture, 0), "m1:4>1>1 m2:4>7>7");
  ck_assert_str_eq(plan_moves(&fixture, 0), "m1-m2:3");
  (void)plan_limit(&fixture, REBAL_LIMIT_SCOPE_TOTAL, NULL, 2);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_row(&fixture, 0), "m1:4>1>2 m2:4>7>6");
  plan_close(&fixture);
}
END_TEST

START_TEST(test_what_the_descheduler_refuses) {
  const rebal_deschedule_opts deschedule = {.struct_size = (uint32_t)sizeof deschedule, .max_total = -1};
  struct plan_fixture fixture;

  plan_open(&fixture, "m1=0 m2=10");
  (void)add(&fixture, "m1=4 m2=4", PLAN_NOW - 1000);
  fixture.opts.deschedule = &deschedule;
  ck_assert_int_ne(plan_make(&fixture), REBAL_OK);
  ck_assert_ptr_null(fixture.plan);
  plan_close(&fixture);
}
END_TEST

/* Also next to a target without a cluster, which releases nothing. */
START_TEST(test_a_target_without_a_cluster) {
  const rebal_deschedule_opts deschedule = {.struct_size = (uint32_t)sizeof deschedule,
                                            .flags = REBAL_DESCHEDULE_FLAG_FROM_STATUS};
  struct plan_fixture fixture;

  plan_open(&fixture, "m1=0 m2=10");
  plan_set_ready(&fixture, add(&fixture, "?=2 m1=2 m2=4", PLAN_NOW - 1000), "m1=1 m2=4");
  fixture.opts.mode = REBAL_PLAN_MODE_STEADY;
  fixture.opts.deschedule = &deschedule;
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_row(&fixture, 0), "m1:2>1>1 m2:4>7>7");
  plan_close(&fixture);
}
END_TEST

/* Two targets of one binding release replicas: without memory for the first, the second is left alone. */
START_TEST(test_no_memory) {
  const rebal_deschedule_opts deschedule = {.struct_size = (uint32_t)sizeof deschedule,
                                            .flags = REBAL_DESCHEDULE_FLAG_FROM_STATUS};
  struct plan_fixture fixture;

  plan_open(&fixture, "m1=0 m2=0 m3=10");
  plan_set_ready(&fixture, add(&fixture, "m1=4 m2=4", PLAN_NOW - 1000), "m1=1 m2=2");
  fixture.opts.deschedule = &deschedule;
  test_freeze(&fixture.world);
  ck_assert_pstr_eq(test_torture(plan_make_with, &fixture), NULL);
  plan_close(&fixture);
}
END_TEST

UNIT_CASE(prepare) {
  TCase *cases = tcase_create("prepare");

  tcase_add_test(cases, test_fresh_at_any_time);
  tcase_add_test(cases, test_never_scheduled);
  tcase_add_test(cases, test_the_callers_bindings_stay);
  tcase_add_test(cases, test_what_the_descheduler_takes_away);
  tcase_add_test(cases, test_what_the_descheduler_refuses);
  tcase_add_test(cases, test_a_target_without_a_cluster);
  tcase_add_test(cases, test_no_memory);
  return cases;
}
