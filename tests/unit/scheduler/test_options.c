/* SPDX-License-Identifier: MIT */
/* What every call of lib/scheduler refuses before it starts. */
#include "phases_fixture.h"

#include "../unit.h"

static struct test_world worlds[2];
static rebal_bindings *unfrozen;

static void setup(void) {
  static const struct test_binding binding = {.replicas = 1, .placement = &duplicated};

  for (size_t i = 0; i < 2; i++) {
    test_world_open(&worlds[i], NULL);
    test_add_pods(&worlds[i], "m1=3");
    (void)test_add_binding(&worlds[i], NULL, &binding);
    test_freeze(&worlds[i]);
  }
  unfrozen = test_new_bindings(&worlds[0]);
}

static void teardown(void) {
  rebal_bindings_free(unfrozen);
  test_world_close(&worlds[0]);
  test_world_close(&worlds[1]);
}

static int32_t schedule(const rebal_schedule_opts *opts) {
  return rebal_schedule(worlds[0].ctx, worlds[0].snapshot, worlds[0].bindings, opts, worlds[0].result, NULL);
}

START_TEST(test_options) {
  rebal_schedule_opts opts = {.struct_size = sizeof opts};
  rebal_ledger *ledger = NULL;

  ck_assert_int_eq(schedule(&opts), REBAL_OK);
  opts.flags = UINT32_C(1) << 31;
  ck_assert_int_eq(schedule(&opts), REBAL_EUNSUPPORTED);
  opts.flags = 0;
  opts.struct_size = 8;
  ck_assert_int_eq(schedule(&opts), REBAL_EABI);
  opts.struct_size = (uint32_t)sizeof opts;
  opts.known = worlds[1].bindings;
  ck_assert_int_eq(schedule(&opts), REBAL_EMISMATCH);
  opts.known = NULL;
  opts.assigning = unfrozen;
  ck_assert_int_eq(schedule(&opts), REBAL_ESTATE);
  opts.assigning = NULL;
  ck_assert_int_eq(rebal_ledger_new(worlds[1].fleet, NULL, &ledger, NULL), REBAL_OK);
  opts.ledger = ledger;
  ck_assert_int_eq(schedule(&opts), REBAL_EMISMATCH);
  rebal_ledger_free(ledger);
}
END_TEST

START_TEST(test_inputs_that_do_not_belong_together) {
  rebal_snapshot *snapshot = worlds[0].snapshot;
  static const struct test_binding newer = {.targets = "m9=1"};

  ck_assert_int_eq(rebal_schedule(worlds[0].ctx, NULL, worlds[0].bindings, NULL, worlds[0].result, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_schedule(worlds[0].ctx, snapshot, NULL, NULL, worlds[0].result, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_schedule(worlds[0].ctx, snapshot, unfrozen, NULL, worlds[0].result, NULL), REBAL_ESTATE);
  ck_assert_int_eq(rebal_schedule(worlds[0].ctx, snapshot, worlds[1].bindings, NULL, worlds[0].result, NULL),
                   REBAL_EMISMATCH);
  (void)test_add_binding(&worlds[0], unfrozen, &newer);
  ck_assert_int_eq(rebal_bindings_freeze(unfrozen, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_schedule(worlds[0].ctx, snapshot, unfrozen, NULL, worlds[0].result, NULL), REBAL_EMISMATCH);
}
END_TEST

START_TEST(test_cuts_that_overflow) {
  rebal_schedule_opts opts = {.struct_size = sizeof opts, .first_row = 1, .max_work = UINT64_MAX};

  ck_assert_int_eq(schedule(&opts), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(worlds[0].result, REBAL_TABLE_DECISION), 0);
  opts.first_row = UINT64_MAX;
  ck_assert_int_eq(schedule(&opts), REBAL_EINVAL);
}
END_TEST

/* ---- the caller's columns ---------------------------------------------------------------------------------------- */

START_TEST(test_scores_in_range) {
  static const int64_t scores[] = {INT32_MIN, INT32_MAX, INT64_C(2147483648), INT64_C(-2147483649)};
  rebal_schedule_opts opts = {.struct_size = sizeof opts, .extra_score = scores, .extra_clusters = 2};

  ck_assert_int_eq(schedule(&opts), REBAL_OK);
  opts.extra_stride = 2;
  ck_assert_int_eq(schedule(&opts), REBAL_OK);
  for (size_t i = 2; i < 4; i++) {
    opts.extra_score = scores + i;
    opts.extra_clusters = 1;
    opts.extra_stride = 0;
    ck_assert_int_eq(schedule(&opts), REBAL_ERANGE);
    opts.extra_stride = 1;
    ck_assert_int_eq(schedule(&opts), REBAL_ERANGE);
    opts.first_row = 1; /* no row is read */
    ck_assert_int_eq(schedule(&opts), REBAL_OK);
    opts.first_row = 0;
  }
}
END_TEST

/* A row of scores shared by all bindings is not read if there are no bindings. */
START_TEST(test_scores_of_no_binding) {
  const int64_t beyond = INT64_MAX;
  const rebal_schedule_opts opts = {.struct_size = sizeof opts, .extra_score = &beyond, .extra_clusters = 1};

  ck_assert_int_eq(schedule(&opts), REBAL_ERANGE);
  ck_assert_int_eq(rebal_bindings_freeze(unfrozen, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_schedule(worlds[0].ctx, worlds[0].snapshot, unfrozen, &opts, worlds[0].result, NULL),
                   REBAL_OK);
}
END_TEST

START_TEST(test_shapes_of_columns) {
  static const int64_t cells[] = {0, 0, 0};
  static const int32_t fits[] = {1, 1, 1};
  rebal_estimator estimator = {sizeof estimator, 0, fits, 3, 2};
  const rebal_estimator *const list[] = {&estimator};
  rebal_schedule_opts opts = {
      .struct_size = sizeof opts, .extra_reject = cells, .extra_clusters = 3, .extra_stride = 2};

  ck_assert_int_eq(schedule(&opts), REBAL_EINVAL); /* rows overlap */
  opts.extra_clusters = UINT64_MAX;
  opts.extra_stride = UINT64_MAX;
  ck_assert_int_eq(schedule(&opts), REBAL_EINVAL);
  opts.extra_stride = 0; /* a row shared by all bindings has the same length */
  ck_assert_int_eq(schedule(&opts), REBAL_EINVAL);
  opts.extra_reject = NULL; /* without a column the shape is not checked */
  ck_assert_int_eq(schedule(&opts), REBAL_OK);
  opts.estimators = list;
  opts.n_estimators = 1;
  ck_assert_int_eq(schedule(&opts), REBAL_EINVAL);
  estimator.stride = 3;
  ck_assert_int_eq(schedule(&opts), REBAL_OK);
  estimator.stride = UINT64_MAX / 2;
  estimator.clusters = UINT64_MAX / 2;
  ck_assert_int_eq(schedule(&opts), REBAL_EINVAL);
  estimator.fits = NULL;
  ck_assert_int_eq(schedule(&opts), REBAL_OK);
}
END_TEST

/* The offset of row 1 of such an array would overflow. */
START_TEST(test_offsets_that_overflow) {
  static const int64_t cells[] = {0};
  static const struct test_binding binding = {.replicas = 1, .placement = &duplicated};
  rebal_bindings *bindings = test_new_bindings(&worlds[0]);
  const rebal_schedule_opts opts = {.struct_size = sizeof opts,
                                    .extra_reject = cells,
                                    .extra_clusters = 1,
                                    .extra_stride = SIZE_MAX / sizeof cells[0]};

  (void)test_add_binding(&worlds[0], bindings, &binding);
  (void)test_add_binding(&worlds[0], bindings, &binding);
  ck_assert_int_eq(rebal_bindings_freeze(bindings, NULL), REBAL_OK);
  ck_assert_int_eq(schedule(&opts), REBAL_OK); /* one binding has row 0 alone */
  ck_assert_int_eq(rebal_schedule(worlds[0].ctx, worlds[0].snapshot, bindings, &opts, worlds[0].result, NULL),
                   REBAL_EINVAL);
  rebal_bindings_free(bindings);
}
END_TEST

START_TEST(test_estimators_and_reasons) {
  rebal_estimator estimator = {sizeof estimator, 0, NULL, 0, 0};
  const rebal_estimator *list[] = {&estimator, NULL};
  rebal_schedule_opts opts = {.struct_size = sizeof opts, .n_estimators = 1};

  ck_assert_int_eq(schedule(&opts), REBAL_EINVAL);
  opts.estimators = list;
  ck_assert_int_eq(schedule(&opts), REBAL_OK);
  opts.n_estimators = 2;
  ck_assert_int_eq(schedule(&opts), REBAL_EINVAL);
  opts.n_estimators = 1;
  estimator.reserved0 = 1;
  ck_assert_int_eq(schedule(&opts), REBAL_EUNSUPPORTED);
  estimator.reserved0 = 0;
  estimator.struct_size = 8;
  ck_assert_int_eq(schedule(&opts), REBAL_EABI);
  opts.n_estimators = 0;
  opts.extra_reject_reason_len = 1;
  ck_assert_int_eq(schedule(&opts), REBAL_EINVAL);
  opts.extra_reject_reason = "";
  opts.extra_reject_reason_len = 0;
  ck_assert_int_eq(schedule(&opts), REBAL_OK);
}
END_TEST

UNIT_CASE(options) {
  TCase *cases = tcase_create("options");

  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_test(cases, test_options);
  tcase_add_test(cases, test_inputs_that_do_not_belong_together);
  tcase_add_test(cases, test_cuts_that_overflow);
  tcase_add_test(cases, test_scores_in_range);
  tcase_add_test(cases, test_scores_of_no_binding);
  tcase_add_test(cases, test_shapes_of_columns);
  tcase_add_test(cases, test_offsets_that_overflow);
  tcase_add_test(cases, test_estimators_and_reasons);
  return cases;
}
