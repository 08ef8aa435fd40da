/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include "../../support/allocator.h"
#include "../unit.h"

#include <stdio.h>

#define END REBAL_ABSENT
#define EX "NoExecute"
#define ANSWER_MAX 3

static const struct {
  struct fixture_taint taints[ANSWER_MAX];
  struct fixture_toleration tolerations[ANSWER_MAX];
  size_t n_taints;
  size_t n_tolerations;
  int64_t verdict;
  int64_t seconds; /* of AFTER */
} verdicts[] = {
    {{{NULL, NULL, 0}}, {{NULL, 0}}, 0, 0, REBAL_TAINT_VERDICT_FOREVER, 0},
    {{{"a", "NoSchedule", 1}}, {{NULL, 0}}, 1, 0, REBAL_TAINT_VERDICT_FOREVER, 0},
    {{{"a", EX, 1}}, {{NULL, 0}}, 1, 0, REBAL_TAINT_VERDICT_EVICT, 0},
    {{{"a", EX, 1}}, {{"b", END}}, 1, 1, REBAL_TAINT_VERDICT_EVICT, 0},
    {{{"a", EX, 1}}, {{"a", END}}, 1, 1, REBAL_TAINT_VERDICT_FOREVER, 0},
    {{{"a", EX, NOW - 10}}, {{"a", 30}}, 1, 1, REBAL_TAINT_VERDICT_AFTER, 20},
    {{{"a", EX, NOW - 30}}, {{"a", 30}}, 1, 1, REBAL_TAINT_VERDICT_EVICT, 0},
    {{{"a", EX, NOW}}, {{"a", 0}}, 1, 1, REBAL_TAINT_VERDICT_EVICT, 0},
    {{{"a", EX, NOW}}, {{"a", -5}}, 1, 1, REBAL_TAINT_VERDICT_EVICT, 0},
    {{{"a", EX, 0}}, {{"a", 0}}, 1, 1, REBAL_TAINT_VERDICT_FOREVER, 0}, /* no timeAdded, no timer */
    /* A used toleration with seconds limits every taint it tolerates. */
    {{{"a", EX, NOW - 100}, {"b", EX, NOW}}, {{"a", END}, {"", 50}}, 2, 2, REBAL_TAINT_VERDICT_EVICT, 0},
    /* One that is not used limits nothing. */
    {{{"a", EX, NOW - 100}}, {{"a", END}, {"", 50}}, 1, 2, REBAL_TAINT_VERDICT_FOREVER, 0},
    {{{"a", EX, NOW}, {"b", EX, NOW - 5}}, {{"a", 60}, {"b", 20}}, 2, 2, REBAL_TAINT_VERDICT_AFTER, 15},
    {{{"a", EX, NOW}}, {{"a", INT64_MAX}}, 1, 1, REBAL_TAINT_VERDICT_FOREVER, 0},
    {{{"a", EX, NOW}}, {{"a", INT64_MIN + 1}}, 1, 1, REBAL_TAINT_VERDICT_EVICT, 0},
};

static const rebal_time now = {NOW, 0, 1};
static struct fixture fixture;

static void setup(void) {
  fixture_start(&fixture, NULL);
}

static void teardown(void) {
  fixture_dispose(&fixture);
}

static int32_t query(void) {
  fixture_freeze(&fixture);
  ck_assert_int_eq(fixture.code, REBAL_OK);
  return rebal_taint_verdict(fixture.ctx, fixture.snapshot, fixture.clusters[0], fixture.bindings, &now, &fixture.opts,
                             fixture.result, NULL);
}

START_TEST(test_each_verdict) {
  fixture_taints(&fixture, verdicts[_i].taints, verdicts[_i].n_taints);
  fixture_applied(&fixture, verdicts[_i].tolerations, verdicts[_i].n_tolerations);
  ck_assert_int_eq(query(), REBAL_OK);
  ck_assert_int_eq(fixture_cell(&fixture, REBAL_STEP_STATE), REBAL_STEP_STATE_DONE);
  ck_assert_int_eq(fixture_cell(&fixture, REBAL_STEP_REASON), verdicts[_i].verdict);
  ck_assert_int_eq(fixture_cell(&fixture, REBAL_STEP_AFTER_NS), verdicts[_i].verdict == REBAL_TAINT_VERDICT_AFTER
                                                                    ? verdicts[_i].seconds * REBALI_SECOND_NS
                                                                    : REBAL_ABSENT);
  ck_assert_uint_eq(rebal_result_count(fixture.result, REBAL_TABLE_ACTION), 0);
}
END_TEST

/*
 * Each taint has a toleration of its own, in the other order, and one that tolerates all lies last or first. Of n
 * taints the oldest is n - 1 seconds old.
 */
static void many(struct fixture *to, size_t n, int64_t of_all, int is_first) {
  static char keys[400][24];
  static struct fixture_taint taints[400];
  static struct fixture_toleration tolerations[401];

  for (size_t i = 0; i < n; i++) {
    (void)snprintf(keys[i], sizeof keys[i], "k%zu", i);
    taints[i] = (struct fixture_taint){keys[i], EX, NOW - (int64_t)i};
    tolerations[n - i - (is_first ? 0 : 1)] = (struct fixture_toleration){keys[i], 1000};
  }
  tolerations[is_first ? 0 : n] = (struct fixture_toleration){"", of_all};
  fixture_taints(to, taints, n);
  fixture_applied(to, tolerations, n + 1);
}

START_TEST(test_many_tolerations) {
  static const struct {
    size_t n;
    int64_t of_all;
    int is_first;
    int64_t verdict;
    int64_t seconds;
  } cases[] = {{20, 500, 0, REBAL_TAINT_VERDICT_AFTER, 981}, {400, 500, 0, REBAL_TAINT_VERDICT_AFTER, 601},
               {20, 500, 1, REBAL_TAINT_VERDICT_AFTER, 481}, {400, 500, 1, REBAL_TAINT_VERDICT_AFTER, 101},
               {20, END, 1, REBAL_TAINT_VERDICT_FOREVER, 0}, {400, END, 1, REBAL_TAINT_VERDICT_FOREVER, 0},
               {400, 399, 1, REBAL_TAINT_VERDICT_EVICT, 0}};

  many(&fixture, cases[_i].n, cases[_i].of_all, cases[_i].is_first);
  ck_assert_int_eq(query(), REBAL_OK);
  ck_assert_int_eq(fixture_cell(&fixture, REBAL_STEP_REASON), cases[_i].verdict);
  if (cases[_i].seconds > 0) {
    ck_assert_int_eq(fixture_cell(&fixture, REBAL_STEP_AFTER_NS), cases[_i].seconds * REBALI_SECOND_NS);
  }
}
END_TEST

START_TEST(test_without_the_option_all_is_tolerated) {
  fixture_taints(&fixture, verdicts[2].taints, 1);
  fixture_applied(&fixture, NULL, 0);
  fixture.opts.flags = 0;
  ck_assert_int_eq(query(), REBAL_OK);
  ck_assert_int_eq(fixture_cell(&fixture, REBAL_STEP_REASON), REBAL_TAINT_VERDICT_FOREVER);
}
END_TEST

static const struct {
  int64_t state;
  const char *message;
} applied[] = {{REBAL_ANNOTATION_ABSENT, "the applied placement for ResourceBining can not be empty"},
               {REBAL_ANNOTATION_UNPARSABLE, "the applied placement annotation cannot be read"}};

START_TEST(test_an_applied_placement_is_needed_even_without_the_option) {
  fixture_set(&fixture, REBAL_BINDING_APPLIED_STATE, fixture.binding, applied[_i].state);
  fixture.opts.flags = 0;
  ck_assert_int_eq(query(), REBAL_OK);
  ck_assert_int_eq(fixture_cell(&fixture, REBAL_STEP_REASON), REBAL_TAINT_VERDICT_ERROR);
  ck_assert_str_eq(rebal_result_text(fixture.result, REBAL_STEP_MESSAGE, 0, NULL), applied[_i].message);
}
END_TEST

START_TEST(test_a_cluster_is_needed) {
  fixture_freeze(&fixture);
  ck_assert_int_eq(rebal_taint_verdict(fixture.ctx, fixture.snapshot, REBAL_NONE, fixture.bindings, &now, &fixture.opts,
                                       fixture.result, NULL),
                   REBAL_EINVAL);
}
END_TEST

static int32_t story(const rebal_allocator *allocator, void *user_data) {
  struct fixture torture;
  int32_t code;

  (void)user_data;
  fixture_start(&torture, allocator);
  many(&torture, 100, 500, 0);
  fixture_freeze(&torture);
  code = torture.code != REBAL_OK ? torture.code
                                  : rebal_taint_verdict(torture.ctx, torture.snapshot, torture.clusters[0],
                                                        torture.bindings, &now, &torture.opts, torture.result, NULL);
  fixture_dispose(&torture);
  return code;
}

START_TEST(test_no_memory) {
  ck_assert_pstr_eq(test_torture(story, NULL), NULL);
}
END_TEST

UNIT_CASE(verdict) {
  TCase *cases = tcase_create("verdict");
  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_loop_test(cases, test_each_verdict, 0, (int)REBALI_COUNT(verdicts));
  tcase_add_loop_test(cases, test_many_tolerations, 0, 7);
  tcase_add_test(cases, test_without_the_option_all_is_tolerated);
  tcase_add_loop_test(cases, test_an_applied_placement_is_needed_even_without_the_option, 0,
                      (int)REBALI_COUNT(applied));
  tcase_add_test(cases, test_a_cluster_is_needed);
  tcase_add_test(cases, test_no_memory);
  return cases;
}
