/* SPDX-License-Identifier: MIT */
/* Sets of pods for the tests of this folder. */
#ifndef TEST_PODDING_H
#define TEST_PODDING_H

#include "workloadspread/pods.h"

#include "../unit.h"

struct pod_world {
  rebal_fleet *fleet;
  rebal_pods *pods;
};

static inline struct pod_world pod_world_open(void) {
  struct pod_world world = {NULL, NULL};

  ck_assert_int_eq(rebal_fleet_new(NULL, &world.fleet, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_pods_new(world.fleet, NULL, &world.pods, NULL), REBAL_OK);
  return world;
}

static inline void pod_world_close(struct pod_world *world) {
  rebal_pods_free(world->pods);
  rebal_fleet_free(world->fleet);
}

/* Adds up to 1,000 rows that follow each other. */
static inline void pods_add(struct pod_world *world, uint32_t table, size_t n) {
  uint32_t rows[1000];

  ck_assert_int_eq(rebal_cells_add(rebal_pods_cells(world->pods), table, REBAL_NONE, rows, n, NULL), REBAL_OK);
  ck_assert_uint_eq(rows[n - 1] - rows[0], n - 1);
}

static inline void pod_text(struct pod_world *world, uint32_t column, uint32_t row, const char *text) {
  ck_assert_int_eq(
      rebal_cells_set_text(rebal_pods_cells(world->pods), column, REBAL_NONE, row, text, strlen(text), NULL), REBAL_OK);
}

#endif
