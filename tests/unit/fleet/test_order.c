/* SPDX-License-Identifier: MIT */
#include "../../support/allocator.h"
#include "making.h"

#include <stdio.h>

static void add_names(struct rebali_intern *names, uint32_t *random, uint32_t n) {
  char name[32];
  uint32_t id;

  for (uint32_t i = 0; i < n; i++) {
    const int len = snprintf(name, sizeof name, "c%u", (unsigned)next_random(random, 100000));

    ck_assert_int_eq(rebali_intern_add(names, name, (size_t)len, &id), REBAL_OK);
  }
}

static void check_order(const struct rebali_order *order, const struct rebali_intern *names) {
  ck_assert_uint_eq(order->n, rebali_intern_count(names));
  for (uint32_t i = 0; i < order->n; i++) {
    const struct rebali_text name = rebali_intern_get(names, order->ids[i]);

    ck_assert_uint_eq(order->ids[order->n + order->ids[i]], i);
    ck_assert_uint_eq(rebali_order_find(order, names, name), order->ids[i]);
    if (i > 0) {
      ck_assert_int_lt(rebali_text_compare(rebali_intern_get(names, order->ids[i - 1]), name), 0);
    }
  }
  ck_assert_uint_eq(rebali_order_find(order, names, REBALI_TEXT("b")), REBAL_NONE);
  ck_assert_uint_eq(rebali_order_find(order, names, REBALI_TEXT("d")), REBAL_NONE);
}

START_TEST(test_grows_in_order) {
  struct test_allocator memory;
  struct rebali_intern *names = NULL;
  struct rebali_order *order = NULL;
  uint32_t random = 5;

  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  ck_assert_int_eq(rebali_intern_new(&memory.functions, &names), REBAL_OK);
  for (uint32_t round = 0; round < 30; round++) {
    struct rebali_order *next = NULL;

    add_names(names, &random, round == 0 ? 0 : round % 3 == 0 ? 1 : 40);
    ck_assert_int_eq(rebali_order_make(&memory.functions, names, rebali_intern_count(names), order, &next), REBAL_OK);
    rebali_order_unref(&memory.functions, order);
    order = next;
    check_order(order, names);
  }
  rebali_order_unref(&memory.functions, order);
  rebali_intern_free(names);
  ck_assert_uint_eq(memory.live, 0);
}
END_TEST

START_TEST(test_no_order_finds_nothing) {
  ck_assert_uint_eq(rebali_order_find(NULL, NULL, REBALI_TEXT("a")), REBAL_NONE);
  ck_assert_ptr_null(rebali_order_ref(NULL));
  rebali_order_unref(NULL, NULL);
}
END_TEST

START_TEST(test_no_memory) {
  struct test_allocator memory;
  struct rebali_intern *names = NULL;
  struct rebali_order *order = NULL;
  uint32_t random = 5;

  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  ck_assert_int_eq(rebali_intern_new(&memory.functions, &names), REBAL_OK);
  add_names(names, &random, 10);
  for (size_t fail = 1; fail <= 2; fail++) {
    memory.fail_at = memory.requests + fail;
    ck_assert_int_eq(rebali_order_make(&memory.functions, names, 10, NULL, &order), REBAL_ENOMEM);
    ck_assert_ptr_null(order);
  }
  rebali_intern_free(names);
  ck_assert_uint_eq(memory.live, 0);
}
END_TEST

UNIT_CASE(order) {
  TCase *cases = tcase_create("order");
  tcase_add_test(cases, test_grows_in_order);
  tcase_add_test(cases, test_no_order_finds_nothing);
  tcase_add_test(cases, test_no_memory);
  return cases;
}
