/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include "../unit.h"

static const struct test_placement none = {.scheduling = NULL};
static const struct test_placement copies = {.scheduling = "Duplicated"};
static const struct test_placement divided = {.scheduling = "Divided"};
static const struct test_placement fixed = {.scheduling = "Divided/Weighted", .weights = "m1=1"};
static const struct test_placement no_weights = {.scheduling = "Divided/Weighted", .weights = ""};
static const struct test_placement dynamic = {.scheduling = "Divided/Weighted/AvailableReplicas"};
static const struct test_placement both = {.scheduling = "Divided/Weighted/AvailableReplicas", .weights = "m1=1"};

static const struct {
  struct test_binding binding;
  int is_taken;
} cases[] = {{{.applied = NULL}, 1}, /* Aggregated, by the fixture */
             {{.applied = &dynamic}, 1},
             {{.applied = &both}, 1},
             {{.applied = &none}, 0},
             {{.applied = &copies}, 0},
             {{.applied = &divided}, 0},
             {{.applied = &fixed}, 0},
             {{.applied = &no_weights}, 0},
             {{.applied = &copies, .placement = &dynamic}, 0}, /* the wanted placement is not looked at */
             {{.applied_state = REBAL_APPLIED_UNPARSABLE}, 0},
             {{.kind = "apps/v1=StatefulSet"}, 0},
             {{.kind = "batch/v1=Job"}, 0},
             {{.kind = "apps/v2=Deployment"}, 0},
             {{.key = "web"}, 0}, /* a ClusterResourceBinding */
             {{.deleting = 1}, 0}};

static int64_t reason_of(const struct test_binding *binding, uint32_t flags) {
  struct test_binding added = *binding;
  struct fixture fixture;
  int64_t reason;

  added.targets = "m1=3";
  fixture_open(&fixture, NULL);
  fixture.opts.flags = flags;
  (void)fixture_add(&fixture, &added, "m1=1");
  fixture_answer(&fixture, "m1=2");
  ck_assert_int_eq(fixture_run(&fixture), REBAL_OK);
  reason = fixture_cell(&fixture, REBAL_STEP_REASON, 0);
  ck_assert_int_eq(fixture_cell(&fixture, REBAL_STEP_STATE, 0),
                   reason == REBAL_DESCHEDULE_MOVED ? REBAL_STEP_DONE : REBAL_STEP_SKIPPED);
  ck_assert_str_eq(fixture_clusters(&fixture, 0), reason == REBAL_DESCHEDULE_MOVED ? "m1:1" : "");
  fixture_close(&fixture);
  return reason;
}

START_TEST(test_which_bindings) {
  ck_assert_int_eq(reason_of(&cases[_i].binding, 0),
                   cases[_i].is_taken ? REBAL_DESCHEDULE_MOVED : REBAL_DESCHEDULE_NOT_ELIGIBLE);
}
END_TEST

START_TEST(test_given_bindings_are_not_asked) {
  ck_assert_int_eq(reason_of(&cases[_i].binding, REBAL_DESCHEDULE_GIVEN_BINDINGS), REBAL_DESCHEDULE_MOVED);
}
END_TEST

static const struct {
  struct test_binding binding;
  int is_taken;
} of_any_kind[] = {{{.kind = "apps/v1=StatefulSet", .replicas = 3}, 1},
                   {{.kind = "batch/v1=Job", .replicas = 3}, 1},
                   {{.key = "web", .replicas = 3}, 1}, /* a ClusterResourceBinding */
                   {{.kind = "v1=ConfigMap"}, 0},
                   {{.kind = "batch/v1=Job", .replicas = 3, .applied = &copies}, 0},
                   {{.kind = "batch/v1=Job", .replicas = 3, .deleting = 1}, 0}};

START_TEST(test_any_kind_with_replicas) {
  ck_assert_int_eq(reason_of(&of_any_kind[_i].binding, REBAL_DESCHEDULE_ANY_KIND),
                   of_any_kind[_i].is_taken ? REBAL_DESCHEDULE_MOVED : REBAL_DESCHEDULE_NOT_ELIGIBLE);
}
END_TEST

/* No annotation is not the same as one that cannot be read. */
START_TEST(test_without_applied_placement) {
  const struct test_binding binding = {.targets = "m1=3"};
  struct fixture fixture;

  fixture_open(&fixture, NULL);
  (void)test_add_binding(&fixture.world, NULL, &binding);
  ck_assert_int_eq(fixture_run(&fixture), REBAL_OK);
  ck_assert_int_eq(fixture_cell(&fixture, REBAL_STEP_REASON, 0), REBAL_DESCHEDULE_NOT_ELIGIBLE);
  fixture_close(&fixture);
}
END_TEST

UNIT_CASE(eligible) {
  TCase *tests = tcase_create("eligible");
  tcase_add_loop_test(tests, test_which_bindings, 0, (int)REBALI_COUNT(cases));
  tcase_add_loop_test(tests, test_given_bindings_are_not_asked, 0, (int)REBALI_COUNT(cases));
  tcase_add_loop_test(tests, test_any_kind_with_replicas, 0, (int)REBALI_COUNT(of_any_kind));
  tcase_add_test(tests, test_without_applied_placement);
  return tests;
}
