/* SPDX-License-Identifier: MIT */
#include "foundation/foundation.h"

#include "../../support/allocator.h"
#include "../unit.h"

static void add(struct rebali_resource_list *amounts, const char *name, int64_t units) {
  rebal_quantity *sum = rebali_resource_list_at(amounts, rebali_text(name, strlen(name)));

  ck_assert_ptr_nonnull(sum);
  sum->units += units;
}

START_TEST(test_amounts_keep_their_order_until_sorted) {
  struct rebali_resource_list amounts;
  char name[] = "memory";

  rebali_resource_list_init(&amounts, NULL);
  ck_assert_int_eq(rebali_resource_list_sort(&amounts), REBAL_OK);
  add(&amounts, name, 3);
  add(&amounts, "cpu", 1);
  name[0] = 'x'; /* names are copies */
  add(&amounts, "memory", 4);
  ck_assert_uint_eq(amounts.n, 2);
  ck_assert_str_eq(amounts.items[0].name.bytes, "memory");
  ck_assert_int_eq(amounts.items[0].quantity.units, 7);
  ck_assert_ptr_null(rebali_resource_list_find(&amounts, REBALI_TEXT("pods")));
  ck_assert_int_eq(rebali_resource_list_sort(&amounts), REBAL_OK);
  ck_assert_str_eq(amounts.items[0].name.bytes, "cpu");
  ck_assert_int_eq(rebali_resource_list_find(&amounts, REBALI_TEXT("memory"))->units, 7);
  rebali_resource_list_dispose(&amounts);
  ck_assert_uint_eq(amounts.n, 0);
}
END_TEST

static int32_t sum_up(const rebal_allocator *allocator, void *user_data) {
  static const char *const names[] = {"a", "b", "a", "", "c", "d", "e", "f", "g", "h"};
  struct rebali_resource_list amounts;
  int failed = 0;

  (void)user_data;
  rebali_resource_list_init(&amounts, allocator);
  for (size_t i = 0; i < REBALI_COUNT(names); i++) {
    failed |= rebali_resource_list_at(&amounts, rebali_text(names[i], strlen(names[i]))) == NULL;
  }
  failed |= rebali_resource_list_sort(&amounts) != REBAL_OK;
  rebali_resource_list_dispose(&amounts);
  return failed ? REBAL_ENOMEM : REBAL_OK;
}

START_TEST(test_every_allocation_may_fail) {
  ck_assert_pstr_eq(test_torture(sum_up, NULL), NULL);
}
END_TEST

UNIT_CASE(resource_list) {
  TCase *cases = tcase_create("resource_list");
  tcase_add_test(cases, test_amounts_keep_their_order_until_sorted);
  tcase_add_test(cases, test_every_allocation_may_fail);
  return cases;
}
