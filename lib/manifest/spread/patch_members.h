/* SPDX-License-Identifier: MIT */
/* lib/manifest/spread/patch_members.h - what patches speak of in a pod, and a pod's text without the rest. */
#ifndef REBALI_MANIFEST_PATCH_MEMBERS_H
#define REBALI_MANIFEST_PATCH_MEMBERS_H

#include "manifest/patch/strategic.h"

/* How patches speak of a value: only of some members of a map, or of items of a list that a merge key tells apart. */
enum rebali_mention_kind { REBALI_MENTION_NOTHING, REBALI_MENTION_MEMBERS, REBALI_MENTION_ITEMS, REBALI_MENTION_WHOLE };

/* Of the root all is empty at first; released by rebali_mention_dispose(). */
struct rebali_mention {
  enum rebali_mention_kind kind;
  char *name;            /* compact JSON: a member's key, or the merge key's value of an item; NULL at the root */
  size_t len;            /* of name */
  const char *merge_key; /* of ITEMS */
  struct rebali_mention *below;
  size_t n;
  size_t capacity;
  uint32_t *slots; /* of many below: 1 more than the index of one, 0: empty, by hash of the name */
  size_t n_slots;  /* 0, or a power of two above n */
};

/* Adds what a strategic merge patch of a Pod speaks of; of annotations only where they could make it fail. */
int32_t rebali_mention_patch(struct rebali_mention *root, const json_t *patch, rebal_error *err);
/* The mention of a name, which is compact JSON, below another one; NULL: none. */
struct rebali_mention *rebali_mention_find(const struct rebali_mention *mention, const char *name, size_t len);
void rebali_mention_dispose(struct rebali_mention *mention);

/*
 * Appends what there is of that in a pod, the compact JSON that a store keeps. Where two pods give the same bytes, each
 * of the patches changes something in both, fails with both, or does neither.
 */
void rebali_mention_project(const struct rebali_mention *root, const char *pod, struct rebali_buffer *out);

#endif
