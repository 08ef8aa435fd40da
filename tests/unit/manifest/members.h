/* SPDX-License-Identifier: MIT */
/* Shared by the tests of member clusters. */
#ifndef MEMBERS_H
#define MEMBERS_H

#include "stores.h"

/* A fleet of one cluster, which has the id 0. */
static inline rebal_fleet *fleet_of_member(void) {
  rebal_fleet *fleet = NULL;
  uint32_t cluster = REBAL_NONE;
  ck_assert_int_eq(rebal_fleet_new(NULL, &fleet, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_add_cluster(fleet, "member1", 7, &cluster, NULL), REBAL_OK);
  ck_assert_uint_eq(cluster, 0);
  return fleet;
}

/* Feeds a text, which must be valid. */
static inline rebal_snapshot *feed_member(rebal_fleet *fleet, const char *text) {
  rebal_store *store = store_of(text);
  rebal_snapshot *snapshot = NULL;
  rebal_error err = REBAL_ERROR_INIT;
  const int32_t result = rebal_store_feed_member(store, fleet, 0, NULL, &err);
  ck_assert_msg(result == REBAL_OK, "%s", err.message);
  rebal_store_free(store);
  ck_assert_int_eq(rebal_fleet_freeze(fleet, &snapshot, NULL), REBAL_OK);
  return snapshot;
}

/* A text that the store must refuse. */
static inline void assert_malformed(const char *text, int32_t code, const char *field) {
  rebal_store *store = store_new();
  rebal_error err = REBAL_ERROR_INIT;
  ck_assert_int_eq(rebal_store_load(store, text, strlen(text), &err), code);
  ck_assert_str_eq(err.field, field);
  rebal_store_free(store);
}

#endif
