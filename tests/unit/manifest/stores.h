/* SPDX-License-Identifier: MIT */
/* Shared by the tests of the store. */
#ifndef STORES_H
#define STORES_H

#include "manifest/manifest.h"

#include "../unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define NOW "2026-03-14T09:00:00Z"
#define LATER "2026-03-14T09:05:00Z"

static inline rebal_time time_of(const char *text) {
  rebal_time time = {0, 0, 0};
  ck_assert_int_eq(rebal_time_parse(text, strlen(text), &time, NULL), REBAL_OK);
  return time;
}

static inline void load(rebal_store *store, const char *text) {
  rebal_error err = REBAL_ERROR_INIT;
  const int32_t result = rebal_store_load(store, text, strlen(text), &err);
  ck_assert_msg(result == REBAL_OK, "%s: %s (%s)", text, err.message, err.field);
}

static inline void apply(rebal_store *store, const char *text, const char *now) {
  rebal_error err = REBAL_ERROR_INIT;
  const rebal_time time = time_of(now);
  const int32_t result = rebal_store_apply(store, text, strlen(text), &time, &err);
  ck_assert_msg(result == REBAL_OK, "%s: %s (%s)", text, err.message, err.field);
}

static inline rebal_store *store_new(void) {
  rebal_store *store = NULL;
  ck_assert_int_eq(rebal_store_new(NULL, &store, NULL), REBAL_OK);
  return store;
}

static inline rebal_store *store_of(const char *text) {
  rebal_store *store = store_new();
  load(store, text);
  return store;
}

static inline uint32_t find(const rebal_store *store, const char *kind, const char *namespace_, const char *name) {
  return rebal_store_find(store, kind, strlen(kind), namespace_, strlen(namespace_), name, strlen(name));
}

/* The member at a path of the one object of a kind, as text. */
static inline void assert_member(const rebal_store *store, uint32_t object, const char *path, const char *wanted) {
  rebal_text *text = NULL;
  size_t len;
  const char *found;
  int32_t code;
  ck_assert_int_eq(rebal_text_new(&text, NULL), REBAL_OK);
  code = rebal_store_text(store, object, path, strlen(path), text, NULL);
  found = rebal_text_bytes(text, &len);
  ck_assert_msg(strcmp(found, wanted) == 0, "%s is %s instead of %s", path, found, wanted);
  ck_assert_uint_eq(len, strlen(wanted));
  ck_assert_msg(code == REBAL_OK || (code == REBAL_ENOTFOUND && len == 0), "%s: %d", path, code);
  rebal_text_free(text);
}

/* The text of a member, "" when absent. Released by free(). */
static inline char *member_of(const rebal_store *store, uint32_t object, const char *path) {
  rebal_text *text = NULL;
  const char *bytes;
  size_t len;
  char *copy;
  ck_assert_int_eq(rebal_text_new(&text, NULL), REBAL_OK);
  (void)rebal_store_text(store, object, path, strlen(path), text, NULL);
  bytes = rebal_text_bytes(text, &len);
  copy = malloc(len + 1);
  ck_assert_ptr_nonnull(copy);
  memcpy(copy, bytes, len + 1);
  rebal_text_free(text);
  return copy;
}

static inline void assert_written(const rebal_store *store, uint32_t object, uint32_t format, const char *wanted) {
  rebal_text *text = NULL;
  size_t len;
  ck_assert_int_eq(rebal_text_new(&text, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_write(store, object, format, text, NULL), REBAL_OK);
  ck_assert_str_eq(rebal_text_bytes(text, &len), wanted);
  ck_assert_uint_eq(len, strlen(wanted));
  rebal_text_free(text);
}

#endif
