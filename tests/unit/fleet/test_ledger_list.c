/* SPDX-License-Identifier: MIT */
#include "../../support/allocator.h"
#include "making.h"

#include <stdio.h>

static void charge(rebal_ledger *ledger, const char *key, uint32_t cluster, int32_t first, int32_t second,
                   int64_t expiry) {
  const uint32_t requirements[] = {REBAL_NONE, REBAL_NONE};
  const int32_t replicas[] = {first, second};
  const rebal_time end = {expiry, 0, expiry != 0};

  ck_assert_int_eq(test_charge_set(ledger, key, cluster, requirements, replicas, 2, &end), REBAL_OK);
}

/* The cluster added first comes last by name. */
static rebal_ledger *new_ledger(rebal_fleet *fleet) {
  const uint32_t late = add_cluster(fleet, "z");
  const uint32_t early = add_cluster(fleet, "a");
  rebal_ledger *ledger = NULL;

  ck_assert_int_eq(rebal_ledger_new(fleet, NULL, &ledger, NULL), REBAL_OK);
  charge(ledger, "shop/web", late, 1, 2, 0);
  charge(ledger, "shop/web", early, 3, 4, 0);
  charge(ledger, "shop/db", late, 5, 0, 60);
  return ledger;
}

/* key cluster component replicas expiry; */
static void print(const rebal_result *result, char *text, size_t capacity) {
  const size_t n = rebal_result_count(result, REBAL_TABLE_SPENT);
  size_t used = 0;

  text[0] = '\0';
  for (size_t row = 0; row < n; row++) {
    rebal_time expiry;

    rebal_result_time(result, REBAL_SPENT_EXPIRY, row, &expiry);
    used += (size_t)snprintf(text + used, capacity - used, "%s %d %d %d %d; ",
                             rebal_result_text(result, REBAL_SPENT_KEY, row, NULL),
                             (int)rebal_result_i64(result, REBAL_SPENT_CLUSTER, NULL)[row],
                             (int)rebal_result_i64(result, REBAL_SPENT_COMPONENT, NULL)[row],
                             (int)rebal_result_i64(result, REBAL_SPENT_REPLICAS, NULL)[row], (int)expiry.seconds);
  }
}

START_TEST(test_by_key_then_cluster) {
  rebal_fleet *fleet = new_fleet();
  rebal_ledger *ledger = new_ledger(fleet);
  rebal_result *result = NULL;
  char text[256];

  ck_assert_int_eq(rebal_result_new(NULL, &result, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_ledger_read(ledger, result, NULL), REBAL_OK);
  print(result, text, sizeof text);
  ck_assert_str_eq(text,
                   "shop/db 0 0 5 60; shop/db 0 1 0 60; shop/web 1 0 3 0; shop/web 1 1 4 0; "
                   "shop/web 0 0 1 0; shop/web 0 1 2 0; ");
  ck_assert_int_eq(rebal_ledger_release(ledger, TEXT("shop/web"), REBAL_NONE, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_ledger_release(ledger, TEXT("shop/db"), REBAL_NONE, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_ledger_read(ledger, result, NULL), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(result, REBAL_TABLE_SPENT), 0);
  ck_assert_int_eq(rebal_ledger_read(NULL, result, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_ledger_read(ledger, NULL, NULL), REBAL_EINVAL);
  rebal_result_free(result);
  rebal_ledger_free(ledger);
  rebal_fleet_free(fleet);
}
END_TEST

static int32_t read_all(const rebal_allocator *allocator, void *user_data) {
  rebal_result *result = NULL;
  int32_t code = rebal_result_new(allocator, &result, NULL);

  if (code == REBAL_OK) {
    code = rebal_ledger_read(user_data, result, NULL);
    ck_assert_uint_eq(rebal_result_count(result, REBAL_TABLE_SPENT), code == REBAL_OK ? 6 : 0);
  }
  rebal_result_free(result);
  return code;
}

START_TEST(test_without_memory) {
  rebal_fleet *fleet = new_fleet();
  rebal_ledger *ledger = new_ledger(fleet);
  ck_assert_pstr_eq(test_torture(read_all, ledger), NULL);
  rebal_ledger_free(ledger);
  rebal_fleet_free(fleet);
}
END_TEST

UNIT_CASE(ledger_list) {
  TCase *cases = tcase_create("ledger_list");
  tcase_add_test(cases, test_by_key_then_cluster);
  tcase_add_test(cases, test_without_memory);
  return cases;
}
