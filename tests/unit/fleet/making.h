/* SPDX-License-Identifier: MIT */
/* Fleets and records for the tests of lib/fleet. */
#ifndef TEST_FLEET_MAKING_H
#define TEST_FLEET_MAKING_H

#include "fleet/fleet.h"

#include "../../support/fleet_builder.h"
#include "../unit.h"

#define TEXT(literal) (literal), strlen(literal)

/* The same numbers in every run. */
static inline uint32_t next_random(uint32_t *state, uint32_t below) {
  *state = *state * 1664525u + 1013904223u;
  return (*state >> 8) % below;
}

static inline rebal_fleet *new_fleet(void) {
  rebal_fleet *fleet = NULL;

  ck_assert_int_eq(rebal_fleet_new(NULL, &fleet, NULL), REBAL_OK);
  return fleet;
}

static inline uint32_t add_cluster(rebal_fleet *fleet, const char *name) {
  uint32_t cluster = REBAL_NONE;

  ck_assert_int_eq(rebal_fleet_add_cluster(fleet, name, strlen(name), &cluster, NULL), REBAL_OK);
  return cluster;
}

static inline rebal_snapshot *freeze(rebal_fleet *fleet) {
  rebal_snapshot *snapshot = NULL;

  ck_assert_int_eq(rebal_fleet_freeze(fleet, &snapshot, NULL), REBAL_OK);
  return snapshot;
}

/* Interns the labels {key: value}. */
static inline int32_t intern_labels(rebal_fleet *fleet, const rebal_allocator *allocator, const char *key,
                                    const char *value, uint32_t *handle) {
  rebal_builder *builder = NULL;
  const rebal_record *record = NULL;
  int32_t code = rebal_builder_new(allocator, &builder, NULL);

  if (code == REBAL_OK) {
    rebal_builder_start(builder, REBAL_OBJECT_LABELS, NULL);
    rebal_builder_begin(builder, REBAL_LABELS_LABEL, NULL);
    rebal_builder_text(builder, REBAL_PAIR_KEY, key, strlen(key), NULL);
    rebal_builder_text(builder, REBAL_PAIR_VALUE, value, strlen(value), NULL);
    rebal_builder_end(builder, NULL);
    code = rebal_builder_finish(builder, &record, NULL);
  }
  if (code == REBAL_OK) {
    code = rebal_fleet_intern(fleet, record, handle, NULL);
  }
  rebal_builder_free(builder);
  return code;
}

static inline uint32_t labels_of(rebal_fleet *fleet, const char *key, const char *value) {
  uint32_t handle = REBAL_NONE;

  ck_assert_int_eq(intern_labels(fleet, NULL, key, value, &handle), REBAL_OK);
  return handle;
}

struct request {
  const char *name;
  rebal_quantity amount;
};

/* Interns requirements of n requests. */
static inline int32_t intern_requirements(rebal_fleet *fleet, const rebal_allocator *allocator,
                                          const struct request *requests, size_t n, uint32_t *handle) {
  rebal_builder *builder = NULL;
  const rebal_record *record = NULL;
  int32_t code = rebal_builder_new(allocator, &builder, NULL);

  if (code == REBAL_OK) {
    rebal_builder_start(builder, REBAL_OBJECT_REQUIREMENTS, NULL);
    for (size_t i = 0; i < n; i++) {
      rebal_builder_begin(builder, REBAL_REQUIREMENTS_RESOURCE_REQUEST, NULL);
      rebal_builder_text(builder, REBAL_AMOUNT_NAME, requests[i].name, strlen(requests[i].name), NULL);
      rebal_builder_quantity(builder, REBAL_AMOUNT_QUANTITY, &requests[i].amount, NULL);
      rebal_builder_end(builder, NULL);
    }
    code = rebal_builder_finish(builder, &record, NULL);
  }
  if (code == REBAL_OK) {
    code = rebal_fleet_intern(fleet, record, handle, NULL);
  }
  rebal_builder_free(builder);
  return code;
}

static inline uint32_t requirements_of(rebal_fleet *fleet, const struct request *requests, size_t n) {
  uint32_t handle = REBAL_NONE;

  ck_assert_int_eq(intern_requirements(fleet, NULL, requests, n, &handle), REBAL_OK);
  return handle;
}

static inline uint32_t resource_of(rebal_fleet *fleet, const char *name) {
  uint32_t resource = REBAL_NONE;

  ck_assert_int_eq(rebal_fleet_resource_id(fleet, name, strlen(name), &resource, NULL), REBAL_OK);
  return resource;
}

static inline void set_i64(rebal_fleet *fleet, uint32_t column, uint32_t cluster, int64_t value) {
  ck_assert_int_eq(rebal_cells_set_i64(rebal_fleet_cells(fleet), column, REBAL_NONE, cluster, value, NULL), REBAL_OK);
}

/* Returns the amount that the pods of a node use. */
static inline int64_t used_of(const rebal_snapshot *snapshot, uint32_t cluster, uint32_t node, uint32_t resource) {
  return rebal_snapshot_node_amount(snapshot, REBAL_CAPACITY_ALLOCATED, cluster, node, resource);
}

#endif
