/* SPDX-License-Identifier: MIT */
#include "running.h"

#include <stdlib.h>

#define AT(second) \
  { second, 0, 1 }
/* A pod that runs; the later ones of the list below go later, each for one reason alone. */
#define READY .has_node = 1, .phase = 2, .is_ready = 1, .ready_since = AT(5), .created = AT(5)

/* Each goes before the next one, and no two in both orders. */
START_TEST(test_order) {
  static const struct rebali_pod pods[] = {
      {.order = 0, READY, .cost = 99, .ordinal = 10},
      {.order = 13, READY, .ordinal = 9},
      {.order = 1, .phase = 2, .is_ready = 1, .cost = 9},
      {.order = 2, .has_node = 1, .phase = 0, .cost = 9},
      {.order = 3, .has_node = 1, .phase = 1, .cost = 9},
      {.order = 4, .has_node = 1, .phase = 2, .cost = 9},
      {.order = 5, READY, .cost = -1},
      {.order = 7, .has_node = 1, .phase = 2, .is_ready = 1},
      {.order = 6, .has_node = 1, .phase = 2, .is_ready = 1, .ready_since = AT(9), .created = AT(5)},
      {.order = 8, READY, .restarts = 2},
      {.order = 9, .has_node = 1, .phase = 2, .is_ready = 1, .ready_since = AT(5), .created = AT(6)},
      {.order = 11, READY},
      {.order = 10, READY},
      {.order = 12, READY, .cost = 1},
  };
  for (size_t i = 0; i < COUNT(pods); i++) {
    for (size_t j = 0; j < COUNT(pods); j++) {
      ck_assert_msg(rebali_pod_goes_before(&pods[i], &pods[j]) == (i < j), "%zu and %zu", i, j);
    }
  }
}
END_TEST

/* What goes is marked, nothing else is touched before the sweep: to remove many takes as many steps, and one more. */
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

/* Those that are done or gone are in no order; which rule puts one before the other is known. */
START_TEST(test_in_order) {
  struct rebali_pod list[] = {{.order = 1, READY}, {.order = 2, .is_done = 1}, {.order = 3, .has_node = 1},
                              {.order = 4, READY}, {.order = 5, .is_gone = 1}};
  const struct rebali_pods pods = {list, COUNT(list), COUNT(list)};
  struct rebali_pod **order;
  size_t n;
  ck_assert_int_eq(rebali_pods_in_order(&pods, &order, &n, NULL), REBAL_OK);
  ck_assert_uint_eq(n, 3);
  ck_assert_uint_eq(order[0]->order, 3);
  ck_assert_uint_eq(order[1]->order, 4);
  ck_assert_int_eq(rebali_pod_rule(order[0], order[1]), REBAL_DELETION_RULE_PENDING);
  ck_assert_int_eq(rebali_pod_rule(order[1], order[2]), REBAL_DELETION_RULE_NONE);
  free(order);
}
END_TEST

UNIT_CASE(pods) {
  TCase *cases = tcase_create("pods");
  tcase_add_test(cases, test_order);
  tcase_add_test(cases, test_the_sweep_moves_pods);
  tcase_add_test(cases, test_in_order);
  return cases;
}
