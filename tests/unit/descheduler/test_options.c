/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include "../unit.h"

static struct fixture fixture;

static void setup(void) {
  const struct test_binding binding = {.targets = "m1=3"};

  fixture_open(&fixture, NULL);
  (void)fixture_add(&fixture, &binding, "m1=1");
  (void)fixture_add(&fixture, &binding, "m1=1");
  fixture_answer(&fixture, "m1=2");
}

static void teardown(void) {
  fixture_close(&fixture);
}

static void next_run_after(int64_t ns) {
  rebal_time time;

  ck_assert_int_eq(fixture_run(&fixture), REBAL_OK);
  rebal_result_time(fixture.world.result, REBAL_ACTION_NOT_BEFORE,
                    fixture_action(&fixture, REBAL_ACTION_KIND_WAKE, REBAL_ABSENT, 0), &time);
  ck_assert_int_eq((time.seconds - NOW) * REBALI_SECOND_NS + time.nanos, ns);
}

START_TEST(test_the_interval) {
  next_run_after(120 * REBALI_SECOND_NS);
  fixture.opts.interval_ns = 7;
  next_run_after(7);
  fixture.opts.interval_ns = -1;
  ck_assert_int_eq(fixture_run(&fixture), REBAL_ERANGE);
}
END_TEST

START_TEST(test_what_must_not_be_negative) {
  int64_t *const members[] = {&fixture.opts.threshold_ns, &fixture.opts.max_total, &fixture.opts.max_by_cluster,
                              &fixture.opts.max_by_namespace, &fixture.opts.max_by_workload};

  for (size_t i = 0; i < REBALI_COUNT(members); i++) {
    *members[i] = -1;
    ck_assert_int_eq(fixture_run(&fixture), REBAL_ERANGE);
    *members[i] = 0;
  }
  ck_assert_int_eq(fixture_run(&fixture), REBAL_OK);
}
END_TEST

START_TEST(test_what_is_newer) {
  fixture.opts.flags = UINT32_C(1) << 31;
  ck_assert_int_eq(fixture_run(&fixture), REBAL_EUNSUPPORTED);
  fixture.opts.flags = 0;
  fixture.estimators[0].reserved0 = 1;
  ck_assert_int_eq(fixture_run(&fixture), REBAL_EUNSUPPORTED);
  fixture.opts.struct_size = 4;
  ck_assert_int_eq(fixture_run(&fixture), REBAL_EABI);
}
END_TEST

START_TEST(test_estimators_that_are_none) {
  fixture.list[0] = NULL;
  ck_assert_int_eq(fixture_run(&fixture), REBAL_EINVAL);
  fixture.opts.estimators = NULL;
  ck_assert_int_eq(fixture_run(&fixture), REBAL_EINVAL);
  fixture.opts.n_estimators = 0;
  ck_assert_int_eq(fixture_run(&fixture), REBAL_OK);
}
END_TEST

START_TEST(test_the_size_of_an_estimator) {
  fixture.estimators[0].struct_size = 1;
  ck_assert_int_eq(fixture_run(&fixture), REBAL_EABI);
}
END_TEST

static const struct {
  uint64_t clusters;
  uint64_t stride;
} shapes[] = {{CLUSTERS, CLUSTERS - 1},
              {UINT64_MAX, 0},
              {SIZE_MAX / 4 + 1, 0},
              {1, UINT64_MAX},
              {1, SIZE_MAX / 4},
              {2, SIZE_MAX / 4 - 1},
              {SIZE_MAX / 8 + 2, SIZE_MAX / 8 + 2}};

START_TEST(test_shapes_that_cannot_be) {
  fixture.estimators[0].clusters = shapes[_i].clusters;
  fixture.estimators[0].stride = shapes[_i].stride;
  ck_assert_int_eq(fixture_run(&fixture), REBAL_EINVAL);
}
END_TEST

UNIT_CASE(options) {
  TCase *tests = tcase_create("options");
  tcase_add_checked_fixture(tests, setup, teardown);
  tcase_add_test(tests, test_the_interval);
  tcase_add_test(tests, test_what_must_not_be_negative);
  tcase_add_test(tests, test_what_is_newer);
  tcase_add_test(tests, test_estimators_that_are_none);
  tcase_add_test(tests, test_the_size_of_an_estimator);
  tcase_add_loop_test(tests, test_shapes_that_cannot_be, 0, (int)REBALI_COUNT(shapes));
  return tests;
}
