/* SPDX-License-Identifier: MIT */
/* What users reported of the reference's handling of WorkloadSpreads, and what crashed it when its answers were
 * recorded: each symptom must not occur here. */
#include "admitting.h"
#include "pass_fixture.h"

/* ---- admission of pods ------------------------------------------------------------------------------------------- */

/*
 * openkruise/kruise#1807: the webhook of pods crashed on WorkloadSpreads and annotations that do not fit each other: no
 * subsets, no status, a list that lacks a subset, an annotation that names none.
 */
static const struct admitted_batch misfits[] = {
    {"", NULL, "v+p,v-q@a", "0 -", ""},
    {"a=2,b=2", NULL, "v-q@x,v-r@", "- -", ""},
    {"a=2,b=2", "v:b=0/2", "v+p,v-q@a", "=1+ -", "v:b=0/1+p@100"},
    {"a=2,b=2", "v:x=0/2", "v+p", "f+", "v:x=0/1+p@100"},
};

START_TEST(test_what_does_not_fit_is_not_the_end) {
  expect_batch(0, &misfits[_i]);
}
END_TEST

/* ---- the controller ---------------------------------------------------------------------------------------------- */

static rebal_spread *adaptive_of(const char *subsets, const char *status) {
  rebal_builder *builder = new_builder();
  rebal_spread *spread = NULL;

  start_spread(builder, "Job", status);
  put_subsets(builder, subsets);
  rebal_builder_begin(builder, REBAL_SPREAD_SPEC_SCHEDULE_STRATEGY, NULL);
  put_text(builder, REBAL_SCHEDULE_STRATEGY_TYPE, "Adaptive");
  rebal_builder_begin(builder, REBAL_SCHEDULE_STRATEGY_ADAPTIVE, NULL);
  rebal_builder_i64(builder, REBAL_ADAPTIVE_STRATEGY_RESCHEDULE_CRITICAL_SECONDS, 20, NULL);
  rebal_builder_end(builder, NULL);
  rebal_builder_end(builder, NULL);
  rebal_builder_end(builder, NULL);
  ck_assert_int_eq(rebal_spread_new(NULL, finish(builder), &spread, NULL), REBAL_OK);
  rebal_builder_free(builder);
  return spread;
}

/* openkruise/kruise#835: a pod is stuck in a subset that was never in the status. */
static const char *const short_statuses[] = {NULL, "*:b=0/-1|versionIgnored:b=0/-1", "*:x=0/-1!|v1:a=1/-1!"};

START_TEST(test_a_subset_the_status_does_not_have_is_given_up_all_the_same) {
  static const struct test_pod pod = {"p1", "a", .phase = REBAL_POD_PHASE_PENDING, .unschedulable = 1};
  struct pass_fixture fixture;

  pass_open(&fixture, adaptive_of("a,b", short_statuses[_i]), 2);
  pass_add(&fixture, &pod);
  pass_step(&fixture);
  ck_assert_ptr_nonnull(strstr(pass_actions(&fixture), "status, delete p1, done"));
  ck_assert_ptr_nonnull(strstr(pass_status(&fixture), "*:a=1/-1!,b=0/-1~"));
  pass_close(&fixture);
}
END_TEST

/* A number in quotes is admitted as a percentage, and cannot be read later. */
static const char *const unreadable[] = {"a=12x,b", "a=\"12\",b", "a=%,b", "a=5%%,b"};

START_TEST(test_a_limit_that_cannot_be_read_takes_the_lists_away) {
  static const struct test_pod pods[] = {{"p1", "a"}, {"p2", "b"}, {"p3", "x"}};
  struct pass_fixture fixture;

  pass_open(&fixture, spread_of("Deployment", unreadable[_i], "*:a=1/1,b=0/-1|versionIgnored:a=1/1,b=0/-1"), 2);
  for (size_t i = 0; i < REBALI_COUNT(pods); i++) {
    pass_add(&fixture, &pods[i]);
  }
  pass_step(&fixture);
  ck_assert_ptr_null(strstr(pass_status(&fixture), "a=1"));
  ck_assert_uint_eq(rebal_result_count(fixture.world.result, REBAL_TABLE_GROUPED), 3);
  pass_close(&fixture);
}
END_TEST

UNIT_CASE(reports) {
  TCase *cases = tcase_create("reports");
  tcase_add_loop_test(cases, test_what_does_not_fit_is_not_the_end, 0, (int)REBALI_COUNT(misfits));
  tcase_add_loop_test(cases, test_a_subset_the_status_does_not_have_is_given_up_all_the_same, 0,
                      (int)REBALI_COUNT(short_statuses));
  tcase_add_loop_test(cases, test_a_limit_that_cannot_be_read_takes_the_lists_away, 0, (int)REBALI_COUNT(unreadable));
  return cases;
}
