/* SPDX-License-Identifier: MIT */
/*
 * lib/workloadspread/text_numbers.h - texts to small numbers, for as long as a call takes: 0, 1, ... in the order of
 * coming.
 */
#ifndef REBALI_TEXT_NUMBERS_H
#define REBALI_TEXT_NUMBERS_H

#include "record/record.h"

struct rebali_text_numbers {
  struct rebali_arena *arena;
  struct rebali_text *texts; /* by number; the bytes are the caller's */
  uint32_t n;
  uint32_t last;   /* the number given last: lists have runs of one text */
  size_t capacity; /* of texts */
  uint64_t *slots; /* half of a hash, then number + 1; 0: empty. At most half of them are in use */
  size_t n_slots;  /* a power of two, or 0 */
};

/* All zero but the arena is an empty set, too. */
static inline struct rebali_text_numbers rebali_text_numbers(struct rebali_arena *arena) {
  return (struct rebali_text_numbers){.arena = arena};
}
/* REBAL_NONE: not there. */
uint32_t rebali_text_numbers_find(struct rebali_text_numbers *numbers, struct rebali_text text);
/* The number of a text, a new one when it is not there. REBAL_ENOMEM: nothing changed. */
int32_t rebali_text_numbers_add(struct rebali_text_numbers *numbers, struct rebali_text text, uint32_t *number);

#endif
