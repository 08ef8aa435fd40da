/* SPDX-License-Identifier: MIT */
/* One row beside more than a ledger holds; test_rows.c compares the other estimates with their plain twin. */
#include "estimating.h"

#include "estimator/fast/fits.h"

#include "../unit.h"

static struct test_world world;
static rebal_ledger *ledger;
static uint32_t request;

static void setup(void) {
  test_world_open(&world, NULL);
  (void)test_add_cluster(&world, &(struct test_cluster){"m1", "cpu=10 memory=100 pods=20"});
  (void)test_add_cluster(&world, &(struct test_cluster){"m2", "cpu=10 memory=100 pods=20"});
  request = test_request_handle(&world, "cpu=1 memory=0");
  test_freeze(&world);
  ck_assert_int_eq(rebal_ledger_new(world.fleet, NULL, &ledger, NULL), REBAL_OK);
  test_charge(ledger, "ns/a", 0, request, 2);
}

static void teardown(void) {
  rebal_ledger_free(ledger);
  test_world_close(&world);
}

static struct rebali_fits begin(const rebal_compat *compat) {
  struct rebali_fits fits;

  ck_assert_int_eq(rebali_ctx_begin(world.ctx, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_estimate_rows(world.ctx, world.snapshot, request, compat, ledger, &fits, NULL), REBAL_OK);
  return fits;
}

/* More of pods and of cpu, which is the first name of the ledger. */
START_TEST(test_beside_more) {
  static const struct {
    int64_t more[2];
    int64_t fits;
  } rows[] = {{{0, 0}, 8},
              {{3, 3000}, 5},
              {{17, 0}, 1},
              {{18, 0}, 0},
              {{-5, -5000}, 13},
              {{REBALI_REST_MAX, 0}, REBALI_FIT_UNTOLD},
              {{0, INT64_MIN}, REBALI_FIT_UNTOLD},
              {{0, -REBALI_REST_MAX / 8}, REBALI_FIT_UNTOLD},
              {{0, 1 - REBALI_REST_MAX / 8}, 18}}; /* all pods that are left */
  const struct rebali_fits fits = begin(NULL);

  ck_assert_uint_eq(rebali_ledger_find_name(ledger, REBALI_TEXT("cpu")), 0);
  for (size_t i = 0; i < REBALI_COUNT(rows); i++) {
    ck_assert_int_eq(rebali_fit_beside_more(&fits.estimation, 0, rows[i].more, 2), rows[i].fits);
  }
  rebali_ctx_end(world.ctx);
}
END_TEST

/* Where charges do not count, more of them does not either. */
START_TEST(test_charges_that_do_not_count) {
  rebal_compat *compat = test_compat(REBAL_OPTION_GATE_OVERCOMMIT_PROTECTION, 0);
  uint64_t rows = 1, fallen = 0;
  uint32_t places[2] = {0, 0};
  const int64_t more[2] = {3, 3000};
  struct rebali_surcharge beside = {&rows, &fallen, places, more, 2, 0};
  struct rebali_fits fits = begin(compat);

  ck_assert_int_eq(rebali_fit_beside_more(&fits.estimation, 0, more, 2), REBALI_FIT_UNTOLD);
  rebali_fits_charge(&fits, &beside);
  ck_assert_int_eq(rebali_fits_of(&fits, 0), 10);
  ck_assert_int_eq(rebali_fits_of(&fits, 1), 10);
  rebali_ctx_end(world.ctx);
  fits = begin(NULL);
  rebali_fits_charge(&fits, &beside);
  ck_assert_int_eq(rebali_fits_of(&fits, 0), 5);
  ck_assert_int_eq(rebali_fits_of(&fits, 1), 10);
  ck_assert(!beside.is_void);
  rebali_ctx_end(world.ctx);
  rebal_compat_free(compat);
}
END_TEST

UNIT_CASE(charged) {
  TCase *cases = tcase_create("charged");

  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_test(cases, test_beside_more);
  tcase_add_test(cases, test_charges_that_do_not_count);
  return cases;
}
