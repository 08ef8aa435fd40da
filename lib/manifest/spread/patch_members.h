/* SPDX-License-Identifier: MIT */
/* lib/manifest/spread/patch_members.h - the members of a pod that patches change, and a pod's text reduced to them. */
#ifndef REBALI_MANIFEST_PATCH_MEMBERS_H
#define REBALI_MANIFEST_PATCH_MEMBERS_H

#include "manifest/patch/strategic.h"

/* What patches change of a value: only some members of a map, or items of a list that a merge key identifies. */
enum rebali_patches_kind { REBALI_PATCHES_NOTHING, REBALI_PATCHES_MEMBERS, REBALI_PATCHES_ITEMS, REBALI_PATCHES_WHOLE };

/* The root is initialized to zero; released by rebali_patch_members_dispose(). */
struct rebali_patch_members {
  enum rebali_patches_kind kind;
  char *name;            /* compact JSON: a member's key, or the merge key's value of an item; NULL at the root */
  size_t len;            /* of name */
  const char *merge_key; /* of ITEMS */
  struct rebali_patch_members *below;
  size_t n;
  size_t capacity;
  uint32_t *slots; /* if there are many below: index of an entry + 1, 0: empty, by hash of the name */
  size_t n_slots;  /* 0, or a power of two above n */
};

/* Adds the members that a strategic merge patch of a Pod changes; annotations only if they could make it fail. */
int32_t rebali_patch_members_add(struct rebali_patch_members *root, const json_t *patch, rebal_error *err);
/* Returns the entry of a name, which is compact JSON, below another entry; NULL: none. */
struct rebali_patch_members *rebali_patch_members_find(const struct rebali_patch_members *patched, const char *name,
                                                       size_t len);
void rebali_patch_members_dispose(struct rebali_patch_members *patched);

/*
 * Appends those members that a pod has; the pod is compact JSON as kept by a store. If two pods give the same bytes,
 * each
 * patch has the same outcome on both: it changes something, fails, or does neither.
 */
void rebali_patch_members_project(const struct rebali_patch_members *root, const char *pod, struct rebali_buffer *out);

#endif
