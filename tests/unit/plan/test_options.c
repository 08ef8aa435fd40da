/* SPDX-License-Identifier: MIT */
#include "plan_fixture.h"

#include "../unit.h"

#define RESERVED_FLAG UINT32_C(0x80000000)

static const struct test_placement even = {.scheduling = "Divided/Weighted", .weights = "*=1"};

static void open_world(struct plan_fixture *fixture, int64_t replicas) {
  const struct test_binding binding = {.key = "default/a", .replicas = replicas, .placement = &even};

  plan_open(fixture, "m1=10 m2=10");
  (void)plan_add(fixture, &binding);
}

static void assert_refused(struct plan_fixture *fixture, int32_t code, const char *message) {
  ck_assert_int_eq(plan_make(fixture), code);
  ck_assert_ptr_null(fixture->plan);
  ck_assert_str_eq(fixture->world.err.message, message);
}

/* What is wrong with numbers: {flags, mode, tolerance, max_surge, max_unavailable, progress_deadline_ns}. */
static const struct {
  rebal_plan_opts opts;
  int32_t code;
  const char *message;
} wrong[] = {
    {{.mode = 3}, REBAL_EINVAL, "there is no mode 3"},
    {{.mode = -1}, REBAL_EINVAL, "there is no mode -1"},
    {{.flags = RESERVED_FLAG}, REBAL_EUNSUPPORTED, "a reserved option is set"},
    {{.tolerance = -1}, REBAL_ERANGE, "the tolerance is -1, expected 0 to 1000 permille"},
    {{.tolerance = 1001}, REBAL_ERANGE, "the tolerance is 1001, expected 0 to 1000 permille"},
    {{.max_surge = -1}, REBAL_ERANGE, "max_surge is negative"},
    {{.max_unavailable = -1}, REBAL_ERANGE, "max_unavailable is negative"},
    {{.progress_deadline_ns = -1}, REBAL_ERANGE, "progress_deadline_ns is negative"},
    {{.flags = REBAL_PLAN_FLAG_UNAVAILABLE_PERCENT, .max_unavailable = 101},
     REBAL_ERANGE,
     "max_unavailable is 101 percent, at most 100 are possible"},
    {{.flags = REBAL_PLAN_FLAG_SURGE_GIVEN | REBAL_PLAN_FLAG_UNAVAILABLE_GIVEN},
     REBAL_EINVAL,
     "max_surge and max_unavailable are both 0, so nothing could ever move"},
    {{.flags = REBAL_PLAN_FLAG_SURGE_GIVEN | REBAL_PLAN_FLAG_UNAVAILABLE_GIVEN | REBAL_PLAN_FLAG_SURGE_PERCENT |
               REBAL_PLAN_FLAG_UNAVAILABLE_PERCENT},
     REBAL_EINVAL,
     "max_surge and max_unavailable are both 0, so nothing could ever move"},
};

START_TEST(test_wrong_numbers_are_refused) {
  struct plan_fixture fixture;

  open_world(&fixture, 4);
  fixture.opts = wrong[_i].opts;
  fixture.opts.struct_size = (uint32_t)sizeof fixture.opts;
  assert_refused(&fixture, wrong[_i].code, wrong[_i].message);
  plan_close(&fixture);
}
END_TEST

START_TEST(test_options_have_a_size) {
  struct plan_fixture fixture;

  open_world(&fixture, 4);
  fixture.schedule.struct_size = 0;
  ck_assert_int_eq(plan_make(&fixture), REBAL_EABI);
  fixture.opts.struct_size = 0;
  ck_assert_int_eq(plan_make(&fixture), REBAL_EABI);
  ck_assert_ptr_null(fixture.plan);
  plan_close(&fixture);
}
END_TEST

START_TEST(test_a_plan_schedules_all_bindings) {
  static const char message[] =
      "a plan schedules all bindings: schedule has first_row, max_work, explain_rows, observations or a flag for a "
      "fingerprint";
  const rebal_schedule_opts given[] = {
      {.first_row = 1}, {.max_work = 1}, {.explain_rows = 1}, {.flags = REBAL_SCHEDULE_FLAG_FINGERPRINT}};
  struct plan_fixture fixture;

  open_world(&fixture, 4);
  for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
    fixture.schedule = given[i];
    fixture.schedule.struct_size = (uint32_t)sizeof fixture.schedule;
    assert_refused(&fixture, REBAL_EINVAL, message);
  }
  plan_close(&fixture);
}
END_TEST

START_TEST(test_observations_are_not_a_plans) {
  struct plan_fixture fixture;
  rebal_observations *observations;

  open_world(&fixture, 4);
  ck_assert_int_eq(rebal_observations_new(NULL, &observations, NULL), REBAL_OK);
  fixture.schedule.observations = observations;
  ck_assert_int_eq(plan_make(&fixture), REBAL_EINVAL);
  rebal_observations_free(observations);
  plan_close(&fixture);
}
END_TEST

START_TEST(test_clusters_must_be_in_the_fleet) {
  struct plan_fixture fixture;

  open_world(&fixture, 4);
  fixture.opts.n_drained = 1;
  fixture.opts.drained = NULL;
  assert_refused(&fixture, REBAL_EINVAL, "drained is NULL");
  fixture.opts.drained = fixture.drained;
  fixture.drained[0] = REBAL_NONE;
  assert_refused(&fixture, REBAL_EINVAL, "drained has a cluster that is not in the fleet");
  fixture.opts.n_drained = 0;
  fixture.opts.n_lost = 2;
  fixture.opts.lost = NULL;
  assert_refused(&fixture, REBAL_EINVAL, "lost is NULL");
  fixture.opts.lost = fixture.lost;
  fixture.lost[0] = 0;
  fixture.lost[1] = 2;
  assert_refused(&fixture, REBAL_EINVAL, "lost has a cluster that is not in the fleet");
  ck_assert_int_eq(fixture.world.err.where, 1);
  plan_close(&fixture);
}
END_TEST

/* A cluster that left the fleet has an id still, and may hold replicas by the binding's word. */
START_TEST(test_clusters_that_left_cannot_be_drained) {
  const struct test_binding binding = {.key = "default/b", .replicas = 4, .placement = &even, .targets = "gone=4"};
  struct plan_fixture fixture;

  open_world(&fixture, 4);
  (void)plan_add(&fixture, &binding);
  plan_drain(&fixture, "gone");
  assert_refused(&fixture, REBAL_EINVAL, "drained has a cluster that is not in the fleet");
  fixture.opts.n_drained = 0;
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_row(&fixture, 1), "gone:4>->- m1:->2>2 m2:->2>2");
  plan_close(&fixture);
}
END_TEST

START_TEST(test_more_clusters_than_there_is_memory_for) {
  struct plan_fixture fixture;

  open_world(&fixture, 4);
  fixture.opts.n_drained = UINT64_MAX;
  ck_assert_int_eq(plan_make(&fixture), REBAL_ENOMEM);
  ck_assert_ptr_null(fixture.plan);
  plan_close(&fixture);
}
END_TEST

START_TEST(test_a_time_is_needed) {
  struct plan_fixture fixture;

  open_world(&fixture, 4);
  fixture.now.is_set = 0;
  ck_assert_int_eq(plan_make(&fixture), REBAL_EINVAL);
  fixture.now = test_time(PLAN_NOW);
  fixture.now.nanos = -1;
  ck_assert_int_ne(plan_make(&fixture), REBAL_OK);
  plan_close(&fixture);
}
END_TEST

/* By R = 1, 10 and 0: maxSurge is rounded up and maxUnavailable down, as in a Deployment. */
static const struct {
  uint32_t flags;
  int64_t max_surge, max_unavailable;
  int64_t surge[3], unavailable[3];
} parameters[] = {
    {0, 0, 0, {1, 3, 0}, {0, 2, 0}},
    {0, 3, 4, {3, 3, 3}, {1, 4, 0}},
    {REBAL_PLAN_FLAG_SURGE_GIVEN, 0, 0, {0, 0, 0}, {1, 2, 0}},
    {REBAL_PLAN_FLAG_SURGE_GIVEN | REBAL_PLAN_FLAG_UNAVAILABLE_PERCENT, 0, 9, {0, 0, 0}, {1, 1, 0}},
    {REBAL_PLAN_FLAG_UNAVAILABLE_GIVEN, 0, 0, {1, 3, 0}, {0, 0, 0}},
    {REBAL_PLAN_FLAG_SURGE_PERCENT | REBAL_PLAN_FLAG_UNAVAILABLE_PERCENT, 101, 100, {2, 11, 0}, {1, 10, 0}},
    {REBAL_PLAN_FLAG_SURGE_PERCENT, INT64_MAX, 1, {INT32_MAX, INT32_MAX, 0}, {1, 1, 0}},
    {0, INT64_MAX, INT64_MAX, {INT32_MAX, INT32_MAX, INT32_MAX}, {1, 10, 0}},
};

START_TEST(test_parameters_are_a_deployments) {
  static const int64_t replicas[] = {1, 10, 0};
  struct plan_fixture fixture;

  for (size_t i = 0; i < 3; i++) {
    open_world(&fixture, replicas[i]);
    fixture.opts.flags = parameters[_i].flags;
    fixture.opts.max_surge = parameters[_i].max_surge;
    fixture.opts.max_unavailable = parameters[_i].max_unavailable;
    ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
    ck_assert_int_eq(plan_cell(&fixture, REBAL_PLANNED_MAX_SURGE, 0), parameters[_i].surge[i]);
    ck_assert_int_eq(plan_cell(&fixture, REBAL_PLANNED_MAX_UNAVAILABLE, 0), parameters[_i].unavailable[i]);
    plan_close(&fixture);
  }
}
END_TEST

UNIT_CASE(options) {
  TCase *cases = tcase_create("options");

  tcase_add_loop_test(cases, test_wrong_numbers_are_refused, 0, sizeof wrong / sizeof wrong[0]);
  tcase_add_test(cases, test_options_have_a_size);
  tcase_add_test(cases, test_a_plan_schedules_all_bindings);
  tcase_add_test(cases, test_observations_are_not_a_plans);
  tcase_add_test(cases, test_clusters_must_be_in_the_fleet);
  tcase_add_test(cases, test_clusters_that_left_cannot_be_drained);
  tcase_add_test(cases, test_more_clusters_than_there_is_memory_for);
  tcase_add_test(cases, test_a_time_is_needed);
  tcase_add_loop_test(cases, test_parameters_are_a_deployments, 0, sizeof parameters / sizeof parameters[0]);
  return cases;
}
