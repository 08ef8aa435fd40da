/* SPDX-License-Identifier: MIT */
#include "owning.h"

#define AT(second) \
  { second, 0, 1 }
/* A pod that runs; the later ones of the list below go later, each for one reason alone. */
#define READY .has_node = 1, .phase = 2, .is_ready = 1, .ready_since = AT(5), .created = AT(5)

/* Each goes before the next one, and no two in both orders. */
START_TEST(test_order) {
  static const struct rebali_owned_pod pods[] = {
      {.object = 1, .phase = 2, .is_ready = 1, .cost = 9},
      {.object = 2, .has_node = 1, .phase = 0, .cost = 9},
      {.object = 3, .has_node = 1, .phase = 1, .cost = 9},
      {.object = 4, .has_node = 1, .phase = 2, .cost = 9},
      {.object = 5, READY, .cost = -1},
      {.object = 7, .has_node = 1, .phase = 2, .is_ready = 1},
      {.object = 6, .has_node = 1, .phase = 2, .is_ready = 1, .ready_since = AT(9), .created = AT(5)},
      {.object = 8, READY, .restarts = 2},
      {.object = 9, .has_node = 1, .phase = 2, .is_ready = 1, .ready_since = AT(5), .created = AT(6)},
      {.object = 11, READY},
      {.object = 10, READY},
      {.object = 12, READY, .cost = 1},
  };
  for (size_t i = 0; i < COUNT(pods); i++) {
    for (size_t j = 0; j < COUNT(pods); j++) {
      ck_assert_msg(rebali_pod_goes_before(&pods[i], &pods[j]) == (i < j), "%zu and %zu", i, j);
    }
  }
}
END_TEST

UNIT_CASE(workload_order) {
  TCase *cases = tcase_create("workload_order");
  tcase_add_test(cases, test_order);
  return cases;
}
