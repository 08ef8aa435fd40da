/* SPDX-License-Identifier: MIT */
/* The best of few rows beside charges, from the table of remaining amounts and from bounds. */
#include "estimating.h"

#include "estimator/fast/fits.h"

#include "../../support/allocator.h"
#include "../unit.h"

#include <stdio.h>

#define ROWS 40u /* an eighth counts as few */

static struct test_world world;
static rebal_ledger *ledger;
static uint32_t cpu;

static void set_clusters(struct test_world *some, uint32_t first, uint32_t end, const char *allocatable) {
  for (uint32_t i = first; i < end; i++) {
    char name[16];
    uint32_t id;

    (void)snprintf(name, sizeof name, "m%02u", (unsigned int)i);
    (void)rebal_fleet_add_cluster(some->fleet, name, strlen(name), &id, NULL); /* it may exist */
    test_set_cluster(some, test_cluster_id(some, name),
                     &(struct test_cluster){.name = name, .allocatable = allocatable});
  }
  test_freeze(some);
}

static void setup(void) {
  test_world_open(&world, NULL);
  cpu = test_request_handle(&world, "cpu=1");
  set_clusters(&world, 0, ROWS, "cpu=10 pods=100");
  ck_assert_int_eq(rebal_ledger_new(world.fleet, NULL, &ledger, NULL), REBAL_OK);
  test_charge(ledger, "ns/a", 0, cpu, 4);
}

static void teardown(void) {
  rebal_ledger_free(ledger);
  test_world_close(&world);
}

/* Walks over the first n clusters, which are few, and returns "m01=10 m00=6", or NULL if out of memory. */
static const char *walk_in(rebal_ctx *ctx, uint32_t request, const rebal_compat *compat, uint32_t n) {
  static char text[256];
  const uint64_t wanted[REBALI_BITSET_WORDS(2 * ROWS)] = {(UINT64_C(1) << n) - 1};
  struct rebali_fits fits;
  struct rebali_fits_walk walk;
  size_t len = 0;
  uint32_t row;
  int32_t value, code;

  text[0] = '\0';
  ck_assert_int_eq(rebali_ctx_begin(ctx, NULL), REBAL_OK);
  code = rebali_estimate_rows(ctx, world.snapshot, request, compat, ledger, &fits, NULL);
  ck_assert(code != REBAL_OK || rebali_fits_are_few(&fits, n));
  code = code == REBAL_OK ? rebali_fits_walk_begin(&walk, &fits, wanted, n, 0, n) : code;
  while (code == REBAL_OK) {
    code = rebali_fits_walk_next(&walk, &row, &value);
    if (code == REBAL_OK) {
      len += (size_t)snprintf(text + len, sizeof text - len, "%sm%02u=%d", len > 0 ? " " : "", (unsigned int)row,
                              (int)value);
    }
  }
  rebali_ctx_end(ctx);
  return code == REBAL_ENOTFOUND ? text : NULL;
}

static const char *walk(uint32_t request, const rebal_compat *compat) {
  return walk_in(world.ctx, request, compat, 4);
}

START_TEST(test_charges_that_do_not_count) {
  rebal_compat *compat = test_compat(REBAL_OPTION_GATE_OVERCOMMIT_PROTECTION, 0);

  for (size_t i = 0; i < 2; i++) {
    ck_assert_pstr_eq(walk(cpu, NULL), "m01=10 m02=10 m03=10 m00=6");
    ck_assert_pstr_eq(walk(cpu, compat), "m00=10 m01=10 m02=10 m03=10");
  }
  set_clusters(&world, 2, 3, "cpu=11 pods=100");
  ck_assert_pstr_eq(walk(cpu, compat), "m02=11 m00=10 m01=10 m03=10");
  rebal_compat_free(compat);
}
END_TEST

START_TEST(test_no_rows) {
  ck_assert_pstr_eq(walk_in(world.ctx, cpu, NULL, 0), "");
}
END_TEST

/* A negative charge may raise an amount above what the table holds; the row is then estimated plainly. */
START_TEST(test_more_than_the_table_holds) {
  const uint32_t giver = test_request_handle(&world, "memory=-4Ei");
  const uint32_t memory = test_request_handle(&world, "memory=1Ei");

  set_clusters(&world, 0, ROWS, "cpu=10 memory=1000000Ti pods=100");
  test_charge(ledger, "ns/b", 1, giver, 1);
  ck_assert_pstr_eq(walk(memory, NULL), "m01=4 m00=0 m02=0 m03=0");
}
END_TEST

/* Few changed rows, more than half of them, and more clusters than before. */
START_TEST(test_changed_rows) {
  ck_assert_pstr_eq(walk(cpu, NULL), "m01=10 m02=10 m03=10 m00=6");
  set_clusters(&world, 1, 2, "cpu=7 pods=100");
  ck_assert_pstr_eq(walk(cpu, NULL), "m02=10 m03=10 m01=7 m00=6");
  set_clusters(&world, 3, 30, "cpu=20 pods=100");
  ck_assert_pstr_eq(walk(cpu, NULL), "m03=20 m02=10 m01=7 m00=6");
  set_clusters(&world, 2, 2 * ROWS, "cpu=5 pods=100");
  ck_assert_pstr_eq(walk(cpu, NULL), "m01=7 m00=6 m02=5 m03=5");
}
END_TEST

/* The journal of charges does not reach back to the last walk. */
START_TEST(test_many_charges) {
  ck_assert_pstr_eq(walk(cpu, NULL), "m01=10 m02=10 m03=10 m00=6");
  test_charge(ledger, "ns/c", 1, cpu, 3);
  for (uint32_t i = 0; i < REBALI_JOURNAL_KEEPS + 1; i++) {
    test_charge(ledger, "ns/b", 3 + i % 2, cpu, (int32_t)(i % 7));
  }
  ck_assert_pstr_eq(walk(cpu, NULL), "m02=10 m03=8 m01=7 m00=6");
}
END_TEST

/* A cluster is charged before a snapshot has it. */
START_TEST(test_a_charged_cluster_of_later) {
  const uint32_t later = test_cluster_id(&world, "m40");

  ck_assert_pstr_eq(walk(cpu, NULL), "m01=10 m02=10 m03=10 m00=6");
  test_charge(ledger, "ns/b", later, cpu, 9);
  test_charge(ledger, "ns/b", 2, cpu, 3);
  ck_assert_pstr_eq(walk(cpu, NULL), "m01=10 m03=10 m02=7 m00=6");
  ck_assert_uint_eq(later, ROWS);
  set_clusters(&world, ROWS, ROWS + 1, "cpu=10 pods=100");
  ck_assert_pstr_eq(walk(cpu, NULL), "m01=10 m03=10 m02=7 m00=6");
}
END_TEST

#define RESOURCES 16u

/* Writes n requests or amounts: "r00=1 r01=1 ...". */
static void name_resources(char *text, size_t size, uint32_t n, const char *amount) {
  size_t len = 0;

  for (uint32_t i = 0; i < n; i++) {
    len += (size_t)snprintf(text + len, size - len, "%sr%02u=%s", i > 0 ? " " : "", (unsigned int)i, amount);
  }
}

/* As many requests as the table has columns, one of which is for pods: only bounds are known. */
START_TEST(test_more_requests_than_columns) {
  char amounts[RESOURCES * 10], text[RESOURCES * 10 + 16];
  uint32_t request;

  name_resources(amounts, sizeof amounts, RESOURCES, "8");
  (void)snprintf(text, sizeof text, "%s pods=100", amounts);
  set_clusters(&world, 0, ROWS, text);
  name_resources(amounts, sizeof amounts, RESOURCES, "1");
  request = test_request_handle(&world, amounts);
  test_charge(ledger, "ns/b", 2, request, 3);
  ck_assert_pstr_eq(walk(request, NULL), "m00=8 m01=8 m03=8 m02=5");
}
END_TEST

static int32_t widen(const rebal_allocator *allocator, void *user_data) {
  const uint32_t *requests = user_data;
  rebal_ctx *ctx = NULL;
  int32_t code = rebal_ctx_new(allocator, NULL, &ctx, NULL);

  for (size_t i = 0; i < 2 && code == REBAL_OK; i++) {
    const char *found = walk_in(ctx, requests[i], NULL, 4);

    code = found == NULL ? REBAL_ENOMEM : REBAL_OK;
    ck_assert_pstr_eq(found, code == REBAL_OK ? "m00=8 m01=8 m03=8 m02=5" : NULL);
  }
  rebal_ctx_free(ctx);
  return code;
}

/* The first request leaves columns of the table free, the second has to widen its rows. */
START_TEST(test_out_of_memory_for_columns) {
  char amounts[RESOURCES * 10], text[RESOURCES * 10 + 16];
  uint32_t requests[2];

  name_resources(amounts, sizeof amounts, 6, "8");
  (void)snprintf(text, sizeof text, "%s pods=100", amounts);
  set_clusters(&world, 0, ROWS, text);
  name_resources(amounts, sizeof amounts, 2, "1");
  requests[0] = test_request_handle(&world, amounts);
  name_resources(amounts, sizeof amounts, 6, "1");
  requests[1] = test_request_handle(&world, amounts);
  test_charge(ledger, "ns/b", 2, requests[1], 3);
  ck_assert_pstr_eq(test_torture(widen, requests), NULL);
}
END_TEST

/* A failed walk is repeated after the fleet changed: the changes that the first one noted are not lost. */
START_TEST(test_changes_after_a_failure) {
  struct test_allocator memory;
  int has_failed = 1;
  size_t k;

  for (k = 1; has_failed; k++) {
    rebal_ctx *ctx = NULL;
    const char *found;

    set_clusters(&world, 0, ROWS, "cpu=10 pods=100");
    test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
    ck_assert_int_eq(rebal_ctx_new(&memory.functions, NULL, &ctx, NULL), REBAL_OK);
    memory.fail_at = memory.requests + k;
    found = walk_in(ctx, cpu, NULL, 4);
    has_failed = found == NULL;
    ck_assert_pstr_eq(found, has_failed ? NULL : "m01=10 m02=10 m03=10 m00=6");
    set_clusters(&world, 2, 3, "cpu=12 pods=100");
    found = walk_in(ctx, cpu, NULL, 4);
    ck_assert_pstr_eq(found, !has_failed && found == NULL ? NULL : "m02=12 m01=10 m03=10 m00=6");
    has_failed |= found == NULL;
    set_clusters(&world, 3, 4, "cpu=11 pods=100");
    found = walk_in(ctx, cpu, NULL, 4);
    ck_assert_pstr_eq(found, !has_failed && found == NULL ? NULL : "m02=12 m03=11 m01=10 m00=6");
    has_failed |= found == NULL;
    rebal_ctx_free(ctx);
    ck_assert_uint_eq(memory.live, 0);
  }
  ck_assert_uint_gt(k, 5);
}
END_TEST

UNIT_CASE(walk) {
  TCase *cases = tcase_create("walk");

  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_test(cases, test_charges_that_do_not_count);
  tcase_add_test(cases, test_no_rows);
  tcase_add_test(cases, test_more_than_the_table_holds);
  tcase_add_test(cases, test_changed_rows);
  tcase_add_test(cases, test_many_charges);
  tcase_add_test(cases, test_a_charged_cluster_of_later);
  tcase_add_test(cases, test_more_requests_than_columns);
  tcase_add_test(cases, test_out_of_memory_for_columns);
  tcase_add_test(cases, test_changes_after_a_failure);
  return cases;
}
