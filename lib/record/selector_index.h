/* SPDX-License-Identifier: MIT */
/*
 * lib/record/selector_index.h - the selectors of a namespace that select labels, found by the first label that each
 * requires, so selectors of other workloads cost nothing.
 */
#ifndef REBALI_SELECTOR_INDEX_H
#define REBALI_SELECTOR_INDEX_H

#include "record/record.h"

/* A selector and its index label: the first of matchLabels, or no key if it has none. */
struct rebali_selector_place {
  struct rebali_text namespace_, key, value;
  const rebal_record *record;
  uint32_t selector; /* node of the record */
  size_t item;       /* number set by the caller */
};
struct rebali_selector_index {
  struct rebali_selector_place *places;
  size_t n;
  size_t most;
  size_t *found; /* items of the last search, in order */
  size_t n_found;
};

/* Creates an empty index with memory of the arena for so many selectors. Returns REBAL_ENOMEM. */
int32_t rebali_selector_index_init(struct rebali_selector_index *index, struct rebali_arena *arena, size_t most);
/* Adds a valid selector. */
void rebali_selector_index_add(struct rebali_selector_index *index, struct rebali_text namespace_,
                               const rebal_record *record, uint32_t selector, size_t item);
/* Call after all are added and before the first search. */
void rebali_selector_index_sort(struct rebali_selector_index *index);
/* Finds the selectors of the namespace that select the labels; labels NULL: all of the namespace. */
void rebali_selector_index_find(struct rebali_selector_index *index, struct rebali_text namespace_,
                                const rebal_record *labels);

#endif
