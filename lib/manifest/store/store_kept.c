/* SPDX-License-Identifier: MIT */
/* Caches trees of recently read objects: a caller often reads several texts of one, and reads it again soon. */
#include "manifest/manifest.h"

#include <stdlib.h>

#define PLACES 16384u
/* Bytes of text; trees take about ten times as much. The object read last is cached in any case. */
#define BYTES_MAX ((size_t)16 << 20)

static void empty(rebal_store *store, struct rebali_kept *kept) {
  if (kept->tree != NULL) {
    store->kept_bytes -= kept->bytes;
    json_decref(kept->tree);
    kept->tree = NULL;
  }
}

static void reserve_space(rebal_store *store, size_t bytes) {
  for (size_t i = 0; i < PLACES && store->kept_bytes > 0 && store->kept_bytes + bytes > BYTES_MAX; i++) {
    store->kept_hand = (store->kept_hand + 1) % PLACES;
    empty(store, &store->kept[store->kept_hand]);
  }
}

/* Returns the cached tree, NULL if there is none. */
static json_t *find_kept(const rebal_store *store, uint32_t object) {
  const struct rebali_kept *kept = store->kept != NULL ? &store->kept[object % PLACES] : NULL;
  return kept != NULL && kept->object == object ? kept->tree : NULL;
}

int32_t rebali_store_visit(const rebal_store *store, uint32_t object, json_t **tree, rebal_error *err) {
  *tree = json_incref(find_kept(store, object));
  return *tree != NULL ? REBAL_OK : rebali_store_open(store, object, tree, err);
}

int32_t rebali_store_share(rebal_store *store, uint32_t object, json_t **tree, rebal_error *err) {
  int32_t result;
  *tree = NULL;
  if (store->kept == NULL) {
    store->kept = calloc(PLACES, sizeof *store->kept);
  }
  if (store->kept == NULL) {
    return rebali_fail_memory(err);
  }
  *tree = json_incref(find_kept(store, object));
  if (*tree != NULL) {
    return REBAL_OK;
  }
  result = rebali_store_open(store, object, tree, err);
  if (result == REBAL_OK) {
    rebali_store_keep(store, object, *tree);
  }
  return result;
}

void rebali_store_keep(rebal_store *store, uint32_t object, const json_t *tree) {
  struct rebali_kept *kept = store->kept != NULL ? &store->kept[object % PLACES] : NULL;
  if (kept != NULL) {
    empty(store, kept);
    reserve_space(store, store->objects[object].len);
    *kept = (struct rebali_kept){json_incref((json_t *)(uintptr_t)tree), store->objects[object].len, object};
    store->kept_bytes += kept->bytes;
  }
}

void rebali_store_forget(rebal_store *store, uint32_t object) {
  if (store->kept != NULL && store->kept[object % PLACES].object == object) {
    empty(store, &store->kept[object % PLACES]);
  }
}

void rebali_store_forget_all(rebal_store *store) {
  for (size_t i = 0; store->kept != NULL && i < PLACES; i++) {
    empty(store, &store->kept[i]);
  }
  free(store->kept);
  store->kept = NULL;
}
