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
  int64_t exclusion;
} cases[] = {{{.applied = NULL}, REBAL_DESCHEDULE_EXCLUSION_NONE}, /* Aggregated, by the fixture */
             {{.applied = &dynamic}, REBAL_DESCHEDULE_EXCLUSION_NONE},
             {{.applied = &both}, REBAL_DESCHEDULE_EXCLUSION_NONE},
             {{.applied = &none}, REBAL_DESCHEDULE_EXCLUSION_NOT_DYNAMIC},
             {{.applied = &copies}, REBAL_DESCHEDULE_EXCLUSION_NOT_DYNAMIC},
             {{.applied = &divided}, REBAL_DESCHEDULE_EXCLUSION_NOT_DYNAMIC},
             {{.applied = &fixed}, REBAL_DESCHEDULE_EXCLUSION_NOT_DYNAMIC},
             {{.applied = &no_weights}, REBAL_DESCHEDULE_EXCLUSION_NOT_DYNAMIC},
             /* The desired placement is not examined. */
             {{.applied = &copies, .placement = &dynamic}, REBAL_DESCHEDULE_EXCLUSION_NOT_DYNAMIC},
             {{.applied_state = REBAL_ANNOTATION_UNPARSABLE}, REBAL_DESCHEDULE_EXCLUSION_UNREADABLE},
             {{.kind = "apps/v1=StatefulSet"}, REBAL_DESCHEDULE_EXCLUSION_OTHER_KIND},
             {{.kind = "batch/v1=Job"}, REBAL_DESCHEDULE_EXCLUSION_OTHER_KIND},
             {{.kind = "apps/v2=Deployment"}, REBAL_DESCHEDULE_EXCLUSION_OTHER_KIND},
             {{.key = "web"}, REBAL_DESCHEDULE_EXCLUSION_OTHER_KIND}, /* a ClusterResourceBinding */
             {{.deleting = 1}, REBAL_DESCHEDULE_EXCLUSION_DELETING},
             /* If several reasons apply, the first is reported. */
             {{.deleting = 1, .kind = "batch/v1=Job"}, REBAL_DESCHEDULE_EXCLUSION_DELETING},
             {{.kind = "batch/v1=Job", .applied = &copies}, REBAL_DESCHEDULE_EXCLUSION_OTHER_KIND}};

/* What excludes a binding from a run; a binding without a reason is taken. */
static int64_t exclusion_of(const struct test_binding *binding, uint32_t flags) {
  struct test_binding added = *binding;
  struct fixture fixture;
  int64_t exclusion, reason;

  added.targets = "m1=3";
  fixture_open(&fixture, NULL);
  fixture.opts.flags = flags;
  (void)fixture_add(&fixture, &added, "m1=1");
  fixture_answer(&fixture, "m1=2");
  ck_assert_int_eq(fixture_run(&fixture), REBAL_OK);
  exclusion = fixture_cell(&fixture, REBAL_STEP_DETAIL, 0);
  reason = fixture_cell(&fixture, REBAL_STEP_REASON, 0);
  ck_assert_int_eq(reason, exclusion == REBAL_DESCHEDULE_EXCLUSION_NONE ? REBAL_DESCHEDULE_REASON_MOVED
                                                                        : REBAL_DESCHEDULE_REASON_NOT_ELIGIBLE);
  ck_assert_int_eq(fixture_cell(&fixture, REBAL_STEP_STATE, 0),
                   reason == REBAL_DESCHEDULE_REASON_MOVED ? REBAL_STEP_STATE_DONE : REBAL_STEP_STATE_SKIPPED);
  ck_assert_str_eq(fixture_clusters(&fixture, 0), reason == REBAL_DESCHEDULE_REASON_MOVED ? "m1:1" : "");
  fixture_close(&fixture);
  return exclusion;
}

START_TEST(test_which_bindings) {
  ck_assert_int_eq(exclusion_of(&cases[_i].binding, 0), cases[_i].exclusion);
}
END_TEST

START_TEST(test_given_bindings_are_not_queried) {
  ck_assert_int_eq(exclusion_of(&cases[_i].binding, REBAL_DESCHEDULE_FLAG_GIVEN_BINDINGS),
                   REBAL_DESCHEDULE_EXCLUSION_NONE);
}
END_TEST

static const struct {
  struct test_binding binding;
  int64_t exclusion;
} of_any_kind[] = {
    {{.kind = "apps/v1=StatefulSet", .replicas = 3}, REBAL_DESCHEDULE_EXCLUSION_NONE},
    {{.kind = "batch/v1=Job", .replicas = 3}, REBAL_DESCHEDULE_EXCLUSION_NONE},
    {{.key = "web", .replicas = 3}, REBAL_DESCHEDULE_EXCLUSION_NONE}, /* a ClusterResourceBinding */
    {{.kind = "v1=ConfigMap"}, REBAL_DESCHEDULE_EXCLUSION_NO_REPLICAS},
    {{.kind = "batch/v1=Job", .replicas = 3, .applied = &copies}, REBAL_DESCHEDULE_EXCLUSION_NOT_DYNAMIC},
    {{.kind = "batch/v1=Job", .replicas = 3, .deleting = 1}, REBAL_DESCHEDULE_EXCLUSION_DELETING}};

START_TEST(test_any_kind_with_replicas) {
  ck_assert_int_eq(exclusion_of(&of_any_kind[_i].binding, REBAL_DESCHEDULE_FLAG_ANY_KIND), of_any_kind[_i].exclusion);
}
END_TEST

/* A missing annotation differs from one that cannot be read. */
START_TEST(test_without_applied_placement) {
  const struct test_binding binding = {.targets = "m1=3"};
  struct fixture fixture;

  fixture_open(&fixture, NULL);
  (void)test_add_binding(&fixture.world, NULL, &binding);
  ck_assert_int_eq(fixture_run(&fixture), REBAL_OK);
  ck_assert_int_eq(fixture_cell(&fixture, REBAL_STEP_REASON, 0), REBAL_DESCHEDULE_REASON_NOT_ELIGIBLE);
  ck_assert_int_eq(fixture_cell(&fixture, REBAL_STEP_DETAIL, 0), REBAL_DESCHEDULE_EXCLUSION_NOT_APPLIED);
  fixture_close(&fixture);
}
END_TEST

UNIT_CASE(eligible) {
  TCase *tests = tcase_create("eligible");
  tcase_add_loop_test(tests, test_which_bindings, 0, (int)REBALI_COUNT(cases));
  tcase_add_loop_test(tests, test_given_bindings_are_not_queried, 0, (int)REBALI_COUNT(cases));
  tcase_add_loop_test(tests, test_any_kind_with_replicas, 0, (int)REBALI_COUNT(of_any_kind));
  tcase_add_test(tests, test_without_applied_placement);
  return tests;
}
