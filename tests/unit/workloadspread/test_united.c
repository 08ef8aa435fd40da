/* SPDX-License-Identifier: MIT */
#include "united_fixture.h"

#include "../../support/allocator.h"
#include "../unit.h"

static struct united_fixture fixture;

static void start(enum united_strategy strategy, int64_t replicas, const char *subsets) {
  const struct united_sample sample = {strategy, replicas, subsets, ""};

  ck_assert_int_eq(united_new(&fixture, NULL, &sample), REBAL_OK);
}

static void teardown(void) {
  united_dispose(&fixture);
}

static int32_t allocate(void) {
  return rebal_united_allocate(fixture.ctx, fixture.record, &fixture.opts, fixture.result, NULL);
}

static void has_row(size_t row, const int64_t (*cells)[6]) {
  static const uint32_t columns[] = {REBAL_ALLOCATED_SUBSET,  REBAL_ALLOCATED_REPLICAS, REBAL_ALLOCATED_MINIMUM,
                                     REBAL_ALLOCATED_MAXIMUM, REBAL_ALLOCATED_FLAGS,    REBAL_ALLOCATED_RESERVED};

  for (size_t i = 0; i < REBALI_COUNT(columns); i++) {
    ck_assert_int_eq(rebal_result_i64(fixture.result, columns[i], NULL)[row], (*cells)[i]);
  }
}

#define NONE REBAL_ABSENT

START_TEST(test_rows_hold_the_limits_that_counted) {
  static const int64_t rows[][6] = {{0, 1, 1, 1, REBAL_UNITED_STATE_EXISTS | REBAL_UNITED_STATE_UNSCHEDULABLE, 0},
                                    {1, 9, 5, NONE, REBAL_UNITED_STATE_EXISTS, 2},
                                    {2, 0, NONE, 0, 0, 0},
                                    {3, 0, NONE, NONE, 0, 0}};

  start(ADAPTIVE, 10, "a<=4[4/1u b>=2[6/5-2 c<=0 d");
  fixture.opts.n = 3;
  ck_assert_int_eq(allocate(), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(fixture.result, REBAL_TABLE_ALLOCATED), REBALI_COUNT(rows));
  for (size_t i = 0; i < REBALI_COUNT(rows); i++) {
    has_row(i, &rows[i]);
  }
  ck_assert_int_eq(rebal_result_i64(fixture.result, REBAL_STEP_REASON, NULL)[0], REBAL_UNITED_REASON_ALLOCATED);
  ck_assert_int_eq(rebal_result_i64(fixture.result, REBAL_STEP_AFTER_NS, NULL)[0], REBAL_ABSENT);
}
END_TEST

START_TEST(test_replicas_that_are_stated_are_both_limits) {
  static const int64_t rows[][6] = {{0, 3, 3, 3, 0, 0}, {1, 7, NONE, NONE, 0, 0}};

  start(FIXED, 10, "a=25% b");
  ck_assert_int_eq(allocate(), REBAL_OK);
  has_row(0, &rows[0]);
  has_row(1, &rows[1]);
}
END_TEST

/* Spec workloadspread 13.2: limits, or Adaptive, or its reserve go first; anything but Adaptive is Fixed. */
START_TEST(test_which_algorithm) {
  static const struct united_sample samples[] = {
      {FIXED, 10, "a=2 b[9/9-9um c", "2,4,4"},
      {FIXED, 10, "a=2 b>=0[9/9-9um c", "10,0,0"},
      {ADAPTIVE, 10, "a=2 b[9/9-9um c", "1,9,0"},
      {RESERVING, 10, "a=2 b[9/9-9um c", "10,0,0"},
  };

  UNITED_GIVE(samples);
}
END_TEST

START_TEST(test_subsets_without_a_workload) {
  start(ADAPTIVE, 10, "a<=4[4/1u b");
  fixture.states[0] = REBAL_UNITED_STATE_UNSCHEDULABLE; /* without effect, as are the amounts */
  fixture.ready[0] = -1;
  ck_assert_int_eq(allocate(), REBAL_OK);
  ck_assert_str_eq(united_answer(&fixture), "4,6");
  fixture.opts = (rebal_united_opts){.struct_size = (uint32_t)sizeof fixture.opts, .n = UNITED_MAX};
  ck_assert_int_eq(allocate(), REBAL_OK);
  ck_assert_str_eq(united_answer(&fixture), "4,6");
  ck_assert_int_eq(rebal_united_allocate(fixture.ctx, fixture.record, NULL, fixture.result, NULL), REBAL_OK);
  ck_assert_str_eq(united_answer(&fixture), "4,6");
}
END_TEST

static const struct {
  struct united_sample sample;
  int64_t reason;
} reasons[] = {{{FIXED, 5, "a=6 b", ""}, REBAL_UNITED_REASON_TOO_MANY},
               {{FIXED, 5, "a=4", ""}, REBAL_UNITED_REASON_TOO_FEW},
               {{FIXED, REBAL_ABSENT, "a", ""}, REBAL_UNITED_REASON_UNSPECIFIED},
               {{RESERVING, 5, "a>=4<=3", ""}, REBAL_UNITED_REASON_LIMITS_CROSS}};

START_TEST(test_reasons_against_any_replicas) {
  start(reasons[_i].sample.strategy, reasons[_i].sample.replicas, reasons[_i].sample.subsets);
  ck_assert_int_eq(allocate(), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(fixture.result, REBAL_TABLE_ALLOCATED), 0);
  ck_assert_int_eq(rebal_result_i64(fixture.result, REBAL_STEP_STATE, NULL)[0], REBAL_STEP_STATE_RETRY);
  ck_assert_int_eq(rebal_result_i64(fixture.result, REBAL_STEP_REASON, NULL)[0], reasons[_i].reason);
}
END_TEST

static void fails(int32_t code, int64_t where) {
  rebal_error err = REBAL_ERROR_INIT;

  ck_assert_int_eq(rebal_united_allocate(fixture.ctx, fixture.record, &fixture.opts, fixture.result, &err), code);
  ck_assert_int_eq(err.where, where);
  ck_assert_uint_eq(rebal_result_count(fixture.result, REBAL_TABLE_STEP), 0);
}

START_TEST(test_amounts_are_not_negative) {
  int32_t *const amounts[] = {fixture.replicas, fixture.observed, fixture.ready, fixture.reserved};

  start(ADAPTIVE, 10, "a[1/1 b[1/1");
  for (size_t i = 0; i < REBALI_COUNT(amounts); i++) {
    const int32_t before = amounts[i][1];

    ck_assert_int_eq(allocate(), REBAL_OK);
    amounts[i][1] = -1;
    fails(REBAL_ERANGE, 1);
    amounts[i][1] = before;
  }
}
END_TEST

START_TEST(test_spec_replicas_are_not_negative) {
  start(FIXED, -1, "a");
  fails(REBAL_ERANGE, -1);
}
END_TEST

START_TEST(test_bits_that_are_not_known) {
  start(FIXED, 10, "a b");
  fixture.states[1] = 8;
  fails(REBAL_EUNSUPPORTED, 1);
  fixture.states[1] = 0;
  fixture.opts.flags = 1;
  fails(REBAL_EUNSUPPORTED, -1);
}
END_TEST

START_TEST(test_another_record) {
  start(FIXED, 10, "a b");
  (void)rebal_builder_start(fixture.builder, REBAL_OBJECT_UNITED_SPEC, NULL);
  ck_assert_int_eq(rebal_builder_finish(fixture.builder, &fixture.record, NULL), REBAL_OK);
  fails(REBAL_EINVAL, -1);
  fixture.record = NULL;
  fails(REBAL_EINVAL, -1);
}
END_TEST

static int32_t whole_life(const rebal_allocator *allocator, void *user_data) {
  struct united_fixture torture;
  int32_t code = united_new(&torture, allocator, user_data);

  if (code == REBAL_OK) {
    code = rebal_united_allocate(torture.ctx, torture.record, &torture.opts, torture.result, NULL);
  }
  if (code != REBAL_OK && torture.result != NULL) {
    ck_assert_uint_eq(rebal_result_count(torture.result, REBAL_TABLE_ALLOCATED), 0);
    ck_assert_uint_eq(rebal_result_count(torture.result, REBAL_TABLE_STEP), 0);
  }
  united_dispose(&torture);
  return code;
}

static struct united_sample tortured[] = {{FIXED, 10, "a=25% b[3/3 c", ""},
                                          {ADAPTIVE, 10, "a<=4[4/1u b", ""},
                                          {RESERVING, 10, "a<=4[4/1-3um b", ""},
                                          {FIXED, 5, "a=6 b", ""}};

START_TEST(test_failing_allocations) {
  ck_assert_pstr_eq(test_torture(whole_life, &tortured[_i]), NULL);
}
END_TEST

UNIT_CASE(united) {
  TCase *cases = tcase_create("united");

  tcase_add_checked_fixture(cases, NULL, teardown);
  tcase_add_test(cases, test_rows_hold_the_limits_that_counted);
  tcase_add_test(cases, test_replicas_that_are_stated_are_both_limits);
  tcase_add_test(cases, test_which_algorithm);
  tcase_add_test(cases, test_subsets_without_a_workload);
  tcase_add_loop_test(cases, test_reasons_against_any_replicas, 0, REBALI_COUNT(reasons));
  tcase_add_test(cases, test_amounts_are_not_negative);
  tcase_add_test(cases, test_spec_replicas_are_not_negative);
  tcase_add_test(cases, test_bits_that_are_not_known);
  tcase_add_test(cases, test_another_record);
  tcase_add_loop_test(cases, test_failing_allocations, 0, REBALI_COUNT(tortured));
  return cases;
}
