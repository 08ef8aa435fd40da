/* SPDX-License-Identifier: MIT */
/* Sets of object ids, and the comparison of a complete list with the store. */
#include "manifest/store/requests.h"

#include <stdlib.h>
#include <string.h>

int32_t rebali_id_set_add(struct rebali_id_set *set, uint32_t id, rebal_error *err) {
  const size_t word = id / 64, before = set->n;
  const int32_t result = rebali_reserve_malloc(&set->words, &set->n, word + 1, sizeof *set->words, err);
  if (result != REBAL_OK) {
    return result;
  }
  memset(set->words + before, 0, (set->n - before) * sizeof *set->words);
  set->words[word] |= UINT64_C(1) << id % 64;
  return REBAL_OK;
}

void rebali_id_set_remove(struct rebali_id_set *set, uint32_t id) {
  if (id / 64 < set->n) {
    set->words[id / 64] &= ~(UINT64_C(1) << id % 64);
  }
}

int rebali_id_set_has(const struct rebali_id_set *set, uint32_t id) {
  return id / 64 < set->n && (set->words[id / 64] >> id % 64 & 1) != 0;
}

void rebali_id_set_clear(struct rebali_id_set *set) {
  if (set->n > 0) {
    memset(set->words, 0, set->n * sizeof *set->words);
  }
}

/*
 * Returns 1 if the list would hold the object. With a selector only the server can decide, except for objects that it
 * sent.
 */
static int is_watched(const rebal_watch *watch, uint32_t object) {
  const int has_selector = watch->label_selector[0] != '\0' || watch->field_selector[0] != '\0';
  if (has_selector && !rebali_id_set_has(&watch->given, object)) {
    return 0;
  }
  return watch->namespace_[0] == '\0' || strcmp(watch->store->objects[object].namespace_, watch->namespace_) == 0;
}

void rebali_watch_remove_missing(rebal_watch *watch) {
  const char *kind = watch->kind_and_group;
  const size_t len = strlen(kind);
  const struct rebali_id_set before = watch->given;
  uint32_t next, object = rebal_store_next(watch->store, kind, len, REBAL_NONE);
  for (; object != REBAL_NONE; object = next) {
    next = rebal_store_next(watch->store, kind, len, object);
    if (!rebali_id_set_has(&watch->listed, object) && is_watched(watch, object)) {
      (void)rebal_store_remove(watch->store, object, NULL); /* the object exists */
    }
  }
  watch->given = watch->listed;
  watch->listed = before;
}
