/* SPDX-License-Identifier: MIT */
/*
 * Reduces a pod's text to what patches change. The text is compact JSON written by json_write.c: equal keys have equal
 * bytes, no map has duplicate keys, and nothing has to be checked.
 */
#include "manifest/spread/patch_members.h"

#include <string.h>

/* ---- skipping ---- */

/* Returns the end of the text that starts here. */
static const char *skip_text(const char *at) {
  for (at++; *at != '"'; at++) {
    at += *at == '\\';
  }
  return at + 1;
}

static const char *skip_container(const char *at) {
  size_t depth = 0;
  do {
    if (*at == '"') {
      at = skip_text(at);
      continue;
    }
    depth += *at == '{' || *at == '[';
    depth -= *at == '}' || *at == ']';
    at++;
  } while (depth > 0);
  return at;
}

/* Returns the end of the value that starts here. */
static const char *skip(const char *at) {
  if (*at == '{' || *at == '[') {
    return skip_container(at);
  }
  return *at == '"' ? skip_text(at) : at + strcspn(at, ",]}");
}

/* ---- projecting ---- */

static const char *append(const char *at, struct rebali_buffer *out) {
  const char *end = skip(at);
  rebali_buffer_append(out, at, (size_t)(end - at));
  return end;
}

static const char *project(const struct rebali_patch_members *patched, const char *at, struct rebali_buffer *out);

static const char *project_members(const struct rebali_patch_members *patched, const char *at,
                                   struct rebali_buffer *out) {
  rebali_buffer_append(out, "{", 1);
  for (at++; *at != '}'; at += *at == ',') {
    const char *end = skip_text(at);
    const struct rebali_patch_members *member = rebali_patch_members_find(patched, at, (size_t)(end - at));
    if (member == NULL) {
      at = skip(end + 1);
      continue;
    }
    rebali_buffer_append(out, at, (size_t)(end + 1 - at));
    at = project(member, end + 1, out);
    rebali_buffer_append(out, ",", 1);
  }
  rebali_buffer_append(out, "}", 1);
  return at + 1;
}

/* ---- lists by their merge key ---- */

#define ITEMS_MAX 32u

struct items {
  const char *at[ITEMS_MAX]; /* each item */
  const char *key[ITEMS_MAX];
  size_t len[ITEMS_MAX]; /* of its key */
  size_t n;
};

/* Returns the value of a member of a map; NULL if there is none or it is neither a text nor an integer. */
static const char *key_of(const char *at, const char *name, size_t *len) {
  const size_t name_len = strlen(name);
  for (at++; *at != '}'; at += *at == ',') {
    const char *end = skip_text(at);
    const int is_it = (size_t)(end - at) == name_len + 2 && memcmp(at + 1, name, name_len) == 0;
    at = end + 1;
    end = skip(at);
    if (is_it) {
      *len = (size_t)(end - at);
      return *at == '"' || strspn(at, "-0123456789") == *len ? at : NULL;
    }
    at = end;
  }
  return NULL;
}

static int has_key(const struct items *items, const char *key, size_t len) {
  for (size_t i = 0; i < items->n; i++) {
    if (items->len[i] == len && memcmp(items->key[i], key, len) == 0) {
      return 1;
    }
  }
  return 0;
}

/* Returns 0 if some item is not a map with a unique key, or if there are too many items. */
static int load_items(const char *at, const char *merge_key, struct items *items) {
  items->n = 0;
  for (at++; *at != ']'; at += *at == ',') {
    size_t len = 0;
    const char *key = *at == '{' ? key_of(at, merge_key, &len) : NULL;
    if (key == NULL || items->n == ITEMS_MAX || has_key(items, key, len)) {
      return 0;
    }
    items->at[items->n] = at;
    items->key[items->n] = key;
    items->len[items->n++] = len;
    at = skip(at);
  }
  return 1;
}

/* Items that no patch changes are represented by their keys, which determine the order of items. */
static const char *project_items(const struct rebali_patch_members *patched, const char *at,
                                 struct rebali_buffer *out) {
  struct items items;
  if (!load_items(at, patched->merge_key, &items)) {
    return append(at, out);
  }
  rebali_buffer_append(out, "[", 1);
  for (size_t i = 0; i < items.n; i++) {
    const struct rebali_patch_members *item = rebali_patch_members_find(patched, items.key[i], items.len[i]);
    rebali_buffer_append(out, items.key[i], items.len[i]);
    if (item != NULL) {
      (void)project(item, items.at[i], out);
    }
    rebali_buffer_append(out, ",", 1);
  }
  rebali_buffer_append(out, "]", 1);
  return skip(at);
}

static const char *project(const struct rebali_patch_members *patched, const char *at, struct rebali_buffer *out) {
  if (patched->kind == REBALI_PATCHES_MEMBERS && *at == '{') {
    return project_members(patched, at, out);
  }
  if (patched->kind == REBALI_PATCHES_ITEMS && *at == '[') {
    return project_items(patched, at, out);
  }
  return append(at, out);
}

void rebali_patch_members_project(const struct rebali_patch_members *root, const char *pod, struct rebali_buffer *out) {
  if (root->kind == REBALI_PATCHES_NOTHING) {
    return; /* no patch changes it */
  }
  (void)project(root, pod, out);
}
