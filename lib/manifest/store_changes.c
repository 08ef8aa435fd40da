/* SPDX-License-Identifier: MIT */
/* Which objects of a store changed since its user looked last. */
#include "manifest.h"

#include <stdlib.h>

int32_t rebali_changes_reserve(rebal_store *store, size_t n, rebal_error *err) {
  const size_t capacity = n + store->changed_capacity / 2;
  uint64_t *changed;
  if (n <= store->changed_capacity) {
    return REBAL_OK;
  }
  changed = realloc(store->changed, capacity * sizeof *changed);
  if (changed == NULL) {
    return rebali_manifest_fail_memory(err);
  }
  store->changed = changed;
  store->changed_capacity = capacity;
  return REBAL_OK;
}

void rebali_store_note(rebal_store *store, uint32_t object) {
  store->changed[object] = ++store->changes;
}

uint64_t rebal_store_changes(const rebal_store *store) {
  return store != NULL ? store->changes : 0;
}

uint32_t rebal_store_next_changed(const rebal_store *store, uint64_t since, uint32_t previous) {
  if (store == NULL || since >= store->changes || (previous != REBAL_NONE && previous >= store->n_objects)) {
    return REBAL_NONE;
  }
  for (size_t i = previous != REBAL_NONE ? (size_t)previous + 1 : 0; i < store->n_objects; i++) {
    if (store->changed[i] > since) {
      return (uint32_t)i;
    }
  }
  return REBAL_NONE;
}
