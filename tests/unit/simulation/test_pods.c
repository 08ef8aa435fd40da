/* SPDX-License-Identifier: MIT */
#include "running.h"

#include "simulation/deletion/deletion.h"

#include <stdlib.h>

#define AT(second) \
  { second, 0, 1 }
#define READY .has_node = 1, .phase = 2, .is_ready = 1, .ready_since = AT(5), .created = AT(5)

/* Each pod of the expected list is deleted before the next one. */
START_TEST(test_order) {
  struct rebali_pod list[] = {
      {.order = 0, .phase = 2, .is_ready = 1},
      {.order = 1, .has_node = 1, .phase = 0},
      {.order = 2, .has_node = 1, .phase = 1},
      {.order = 3, .has_node = 1, .phase = 2},
      {.order = 4, READY, .node = 1},
      {.order = 5, .has_node = 1, .phase = 2, .is_ready = 1, .node = 2},
      {.order = 6, .has_node = 1, .phase = 2, .is_ready = 1, .ready_since = AT(98), .created = AT(5), .node = 3},
      {.order = 8, .has_node = 1, .phase = 2, .is_ready = 1, .ready_since = AT(5), .created = AT(98), .node = 5},
      {.order = 10, READY, .node = 6},
      {.order = 9, READY, .node = 7},
      {.order = 11, READY, .node = 1, .is_done = 1},
      {.order = 12, READY, .node = 1, .is_gone = 1},
      {.order = 13, READY, .node = 8},
      {.order = 14, READY, .node = 8},
  };
  static const size_t expected[] = {0, 1, 2, 3, 13, 12, 5, 6, 7, 9, 8, 4};
  const struct rebali_pods pods = {list, COUNT(list), COUNT(list)};
  const rebal_time now = AT(100);
  struct rebali_leavers order;
  ck_assert_int_eq(rebali_pods_in_order(&pods, &now, &order, NULL), REBAL_OK);
  ck_assert_uint_eq(order.n, COUNT(expected));
  for (size_t i = 0; i < order.n; i++) {
    ck_assert_msg(order.list[i].object == expected[i], "%zu: %u", i, order.list[i].object);
  }
  free(order.list);
}
END_TEST

/* Deleted pods are only marked until the sweep: removing n of them takes n steps and one more. */
START_TEST(test_the_sweep_moves_pods) {
  struct rebali_pod list[] = {{.order = 1, .count = 2}, {.order = 2, .count = 3}, {.order = 3, .count = 1}};
  struct rebali_pods pods = {list, COUNT(list), COUNT(list)};
  list[1].is_gone = 1;
  ck_assert_int_eq(rebali_pods_count(&pods), 3);
  ck_assert_uint_eq(rebali_pods_sweep(&pods), 1);
  ck_assert_uint_eq(pods.n, 2);
  ck_assert_uint_eq(list[1].order, 3);
}
END_TEST

UNIT_CASE(pods) {
  TCase *cases = tcase_create("pods");
  tcase_add_test(cases, test_order);
  tcase_add_test(cases, test_the_sweep_moves_pods);
  return cases;
}
