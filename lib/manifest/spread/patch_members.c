/* SPDX-License-Identifier: MIT */
/* Collects what strategic merge patches change: paths to the members they set, and lists by their merge keys. */
#include "manifest/spread/patch_members.h"

#include <stdlib.h>
#include <string.h>

#define FEW_SLOTS 32u /* half as many names are searched linearly */

void rebali_patch_members_dispose(struct rebali_patch_members *patched) {
  for (size_t i = 0; i < patched->n; i++) {
    rebali_patch_members_dispose(&patched->below[i]);
  }
  free(patched->below);
  free(patched->slots);
  free(patched->name);
  *patched = (struct rebali_patch_members){.kind = REBALI_PATCHES_NOTHING};
}

/* A value that patches change in different ways counts as changed as a whole. */
static void turn(struct rebali_patch_members *patched, enum rebali_patches_kind kind) {
  patched->kind = patched->kind == REBALI_PATCHES_NOTHING || patched->kind == kind ? kind : REBALI_PATCHES_WHOLE;
}

static int is_named(const struct rebali_patch_members *patched, const char *name, size_t len) {
  return patched->len == len && memcmp(patched->name, name, len) == 0;
}

/* Returns the slot of a name, or an empty one; there must be slots. */
static uint32_t *slot_of(const struct rebali_patch_members *patched, const char *name, size_t len) {
  size_t at = (size_t)rebali_hash(name, len) & (patched->n_slots - 1);
  while (patched->slots[at] != 0 && !is_named(&patched->below[patched->slots[at] - 1], name, len)) {
    at = (at + 1) & (patched->n_slots - 1);
  }
  return &patched->slots[at];
}

struct rebali_patch_members *rebali_patch_members_find(const struct rebali_patch_members *patched, const char *name,
                                                       size_t len) {
  if (patched->n_slots > 0) {
    const uint32_t slot = *slot_of(patched, name, len);
    return slot == 0 ? NULL : &patched->below[slot - 1];
  }
  for (size_t i = 0; i < patched->n; i++) {
    if (is_named(&patched->below[i], name, len)) {
      return &patched->below[i];
    }
  }
  return NULL;
}

/* Reserves slots for all entries and one more, if there are many. */
static int32_t reserve_slot(struct rebali_patch_members *patched) {
  size_t n_slots = FEW_SLOTS;
  if (patched->n + 1 < FEW_SLOTS / 2 || patched->n + 1 <= patched->n_slots / 2) {
    return REBAL_OK;
  }
  while (n_slots / 2 < patched->n + 1) {
    n_slots *= 2;
  }
  free(patched->slots);
  patched->slots = calloc(n_slots, sizeof *patched->slots);
  patched->n_slots = patched->slots == NULL ? 0 : n_slots;
  for (uint32_t i = 0; patched->slots != NULL && i < patched->n; i++) {
    *slot_of(patched, patched->below[i].name, patched->below[i].len) = i + 1;
  }
  return patched->slots == NULL ? REBAL_ENOMEM : REBAL_OK;
}

/* Returns the entry of a text or an integer below another entry. */
static int32_t named(struct rebali_patch_members *patched, const json_t *name, struct rebali_patch_members **out,
                     rebal_error *err) {
  struct rebali_buffer text = REBALI_BUFFER;
  int32_t result = name != NULL ? rebali_json_write(name, 0, &text) : REBAL_ENOMEM;
  *out = result == REBAL_OK ? rebali_patch_members_find(patched, text.bytes, text.len) : NULL;
  if (*out != NULL) {
    rebali_buffer_dispose(&text);
    return REBAL_OK;
  }
  if (result == REBAL_OK && patched->n == patched->capacity) {
    result = rebali_reserve_malloc(&patched->below, &patched->capacity, patched->n + 1, sizeof *patched->below, err);
  }
  if (result == REBAL_OK) {
    result = reserve_slot(patched);
  }
  if (result != REBAL_OK) {
    rebali_buffer_dispose(&text);
    return rebali_fail_memory(err);
  }
  *out = &patched->below[patched->n++];
  **out = (struct rebali_patch_members){.name = text.bytes, .len = text.len};
  if (patched->n_slots > 0) {
    *slot_of(patched, text.bytes, text.len) = (uint32_t)patched->n;
  }
  return REBAL_OK;
}

static int has_directive(const json_t *map) {
  json_t *walked = (json_t *)(uintptr_t)map, *member; /* jansson's iterators take no const */
  const char *key;
  json_object_foreach(walked, key, member) {
    if (key[0] == '$') {
      return 1;
    }
  }
  return 0;
}

static int32_t add_map(struct rebali_patch_members *patched, const json_t *map, const struct rebali_shape *shape,
                       rebal_error *err);

/* If a merge key does not identify an item, the whole list counts as changed. */
static int32_t add_items(struct rebali_patch_members *patched, const json_t *list,
                         const struct rebali_object_member *member, rebal_error *err) {
  int32_t result = REBAL_OK;
  turn(patched, REBALI_PATCHES_ITEMS);
  patched->merge_key = member->key;
  for (size_t i = 0; result == REBAL_OK && i < json_array_size(list); i++) {
    const json_t *item = json_array_get(list, i);
    const json_t *key = rebali_is_map(item) ? json_object_get(item, member->key) : NULL;
    struct rebali_patch_members *found;
    if (!json_is_string(key) && !json_is_integer(key)) {
      turn(patched, REBALI_PATCHES_WHOLE);
      return REBAL_OK;
    }
    result = named(patched, key, &found, err);
    if (result == REBAL_OK && has_directive(item)) {
      turn(patched, REBALI_PATCHES_WHOLE);
    } else if (result == REBAL_OK) {
      result = add_map(found, item, member->child, err);
    }
  }
  return result;
}

static int32_t add_value(struct rebali_patch_members *patched, const json_t *value,
                         const struct rebali_object_member *member, rebal_error *err) {
  if (rebali_is_map(value)) {
    return add_map(patched, value, rebali_is_merged_list(member) ? NULL : member->child, err);
  }
  if (json_is_array(value) && rebali_is_merged_list(member) && member->key != NULL) {
    return add_items(patched, value, member, err);
  }
  turn(patched, REBALI_PATCHES_WHOLE);
  return REBAL_OK;
}

static int32_t add_map(struct rebali_patch_members *patched, const json_t *map, const struct rebali_shape *shape,
                       rebal_error *err) {
  json_t *walked = (json_t *)(uintptr_t)map, *value; /* jansson's iterators take no const */
  const char *key;
  turn(patched, has_directive(map) ? REBALI_PATCHES_WHOLE : REBALI_PATCHES_MEMBERS);
  json_object_foreach(walked, key, value) {
    json_t *name = json_string_nocheck(key);
    struct rebali_patch_members *member;
    int32_t result = named(patched, name, &member, err);
    json_decref(name);
    if (result == REBAL_OK) {
      result = add_value(member, value, rebali_merge_member_of(shape, key), err);
    }
    if (result != REBAL_OK) {
      return result;
    }
  }
  return REBAL_OK;
}

/* Returns 1 if annotations can be set without a merge that may fail: a map of texts always can. */
static int are_plain(const json_t *annotations) {
  json_t *walked = (json_t *)(uintptr_t)annotations, *member; /* jansson's iterators take no const */
  const char *key;
  json_object_foreach(walked, key, member) {
    if (key[0] == '$' || json_is_array(member) || rebali_is_map(member)) {
      return 0;
    }
  }
  return 1;
}

/* Returns the patch without its annotations, or the patch itself; a new reference. */
static int32_t without_annotations(const json_t *patch, json_t **out, rebal_error *err) {
  static const char name[] = "annotations";
  const json_t *metadata = rebali_member(patch, "metadata"), *annotations = rebali_member(metadata, name);
  json_t *rest;
  int32_t result;
  if (annotations == NULL || !are_plain(annotations)) {
    *out = json_incref((json_t *)(uintptr_t)patch);
    return REBAL_OK;
  }
  *out = rebali_copy(patch);
  rest = rebali_copy(metadata);
  (void)json_object_del(rest, name);
  if (*out == NULL || rest == NULL) {
    json_decref(rest);
    result = rebali_fail_memory(err);
  } else {
    result = rebali_put(*out, "metadata", rest, err);
  }
  if (result != REBAL_OK) {
    json_decref(*out);
  }
  return result;
}

int32_t rebali_patch_members_add(struct rebali_patch_members *root, const json_t *patch, rebal_error *err) {
  json_t *rest;
  int32_t result;
  if (!rebali_is_map(patch)) {
    return REBAL_OK; /* it cannot be merged with any pod */
  }
  result = without_annotations(patch, &rest, err);
  if (result == REBAL_OK) {
    result = add_map(root, rest, &rebali_shapes[REBALI_SHAPE_POD], err);
    json_decref(rest);
  }
  return result;
}
