/* SPDX-License-Identifier: MIT */
/*
 * Lists objects of a store that changed since a caller last read: a log of changes in their order. An entry is
 * superseded
 * by a later change of its object, so the log can be compacted to one entry per object.
 */
#include "manifest/manifest.h"

#include <stdlib.h>

int32_t rebali_changes_reserve(rebal_store *store, size_t n, rebal_error *err) {
  const int32_t result =
      rebali_reserve_malloc(&store->changed, &store->changed_capacity, n, sizeof *store->changed, err);

  return result == REBAL_OK ? rebali_reserve_malloc(&store->log, &store->log_capacity, 2 * store->changed_capacity,
                                                    sizeof *store->log, err)
                            : result;
}

/* Keeps one entry per object: at most half of the capacity. */
static void compact(rebal_store *store) {
  size_t kept = 0;
  for (size_t i = 0; i < store->n_log; i++) {
    if (store->changed[store->log[i].object] == store->log[i].number) {
      store->log[kept++] = store->log[i];
    }
  }
  store->n_log = kept;
}

void rebali_store_note(rebal_store *store, uint32_t object) {
  if (store->n_log == 2 * store->changed_capacity) {
    compact(store);
  }
  store->changed[object] = ++store->changes;
  store->log[store->n_log++] = (struct rebali_change){store->changes, object};
}

uint64_t rebal_store_change_count(const rebal_store *store) {
  return store != NULL ? store->changes : 0;
}

/* Returns the first entry after a change. */
static size_t find_after(const rebal_store *store, uint64_t number) {
  size_t at;
  REBALI_BISECT(at, store->n_log, store->log[at].number <= number);
  return at;
}

uint32_t rebal_store_next_changed(const rebal_store *store, uint64_t *seen) {
  if (store == NULL || seen == NULL || *seen >= store->changes) {
    return REBAL_NONE;
  }
  for (size_t i = find_after(store, *seen); i < store->n_log; i++) {
    const struct rebali_change *change = &store->log[i];
    if (store->changed[change->object] == change->number) {
      *seen = change->number;
      return change->object;
    }
  }
  return REBAL_NONE;
}
