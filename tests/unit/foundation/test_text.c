/* SPDX-License-Identifier: MIT */
#include "foundation/foundation.h"

#include "../unit.h"

static const struct {
  struct rebali_text left;
  struct rebali_text right;
  int order;
} orders[] = {
    {{NULL, 0}, {NULL, 0}, 0},
    {{"", 0}, {NULL, 0}, 0},
    {{NULL, 0}, {"a", 1}, -1},
    {{"a", 1}, {"a", 1}, 0},
    {{"a", 1}, {"b", 1}, -1},
    {{"a", 1}, {"ab", 2}, -1},
    {{"b", 1}, {"ab", 2}, 1},
    {{"B", 1}, {"a", 1}, -1},
    {{"z", 1}, {"\xC3\xA9", 2}, -1},
    {{"a\0b", 3}, {"a\0c", 3}, -1},
    {{"member10", 8}, {"member2", 7}, -1},
};

START_TEST(test_order_is_that_of_bytes) {
  ck_assert_int_eq(rebali_text_compare(orders[_i].left, orders[_i].right), orders[_i].order);
  ck_assert_int_eq(rebali_text_compare(orders[_i].right, orders[_i].left), -orders[_i].order);
}
END_TEST

START_TEST(test_equality_agrees_with_order) {
  ck_assert_int_eq(rebali_text_equal(orders[_i].left, orders[_i].right), orders[_i].order == 0);
}
END_TEST

UNIT_CASE(text) {
  TCase *cases = tcase_create("text");
  tcase_add_loop_test(cases, test_order_is_that_of_bytes, 0, (int)REBALI_COUNT(orders));
  tcase_add_loop_test(cases, test_equality_agrees_with_order, 0, (int)REBALI_COUNT(orders));
  return cases;
}
