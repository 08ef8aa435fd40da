/* SPDX-License-Identifier: MIT */
/*
 * Versions that answers to a client's own writes returned, until a watch has reached them. Older events of the watch
 * show
 * a state before the writes, and acting on it would repeat them.
 */
#include "manifest/store/requests.h"

#include <string.h>

/* Versions of one kind of resource are compared as numbers; 0: not a number. */
static uint64_t number_of(const char *version) {
  const size_t len = strspn(version, "0123456789");
  uint64_t number = 0;
  if (version[len] != '\0' || len > 19) { /* 19 digits are below 2^64 */
    return 0;
  }
  for (size_t i = 0; i < len; i++) {
    number = number * 10 + (uint64_t)(version[i] - '0');
  }
  return number;
}

int32_t rebali_own_write_note(rebal_store *store, uint32_t object, const char *version, rebal_error *err) {
  const size_t n = store->n_objects;
  if (object >= store->n_own_writes) {
    const int32_t result =
        rebali_reserve_malloc(&store->own_writes, &store->own_writes_capacity, n, sizeof *store->own_writes, err);
    if (result != REBAL_OK) {
      return result;
    }
    memset(store->own_writes + store->n_own_writes, 0, (n - store->n_own_writes) * sizeof *store->own_writes);
    store->n_own_writes = n;
  }
  store->own_writes[object] = number_of(version);
  return REBAL_OK;
}

int rebali_own_write_is_newer(rebal_store *store, uint32_t object, const char *version) {
  const uint64_t number = number_of(version);
  if (object >= store->n_own_writes || store->own_writes[object] == 0) {
    return 0;
  }
  if (number != 0 && number < store->own_writes[object]) {
    return 1;
  }
  store->own_writes[object] = 0;
  return 0;
}

int32_t rebali_object_is_newer(rebal_store *store, uint32_t object, const char *version, int *out, rebal_error *err) {
  const uint64_t number = number_of(version);
  json_t *tree = NULL;
  const int32_t result = rebali_store_share(store, object, &tree, err);
  *out = result == REBAL_OK && number != 0 &&
         number < number_of(rebali_member_text(rebali_member(tree, "metadata"), "resourceVersion"));
  json_decref(tree);
  return result;
}
