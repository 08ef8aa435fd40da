/* SPDX-License-Identifier: MIT */
/* lib/workloadspread/text_numbers.h - maps texts to small numbers during a call: 0, 1, ... in the order of adding. */
#ifndef REBALI_TEXT_NUMBERS_H
#define REBALI_TEXT_NUMBERS_H

#include "record/record.h"

struct rebali_text_numbers {
  struct rebali_arena *arena;
  struct rebali_text *texts; /* by number; the bytes are the caller's */
  uint32_t n;
  uint32_t last;   /* the last number returned: lists have runs of one text */
  size_t capacity; /* of texts */
  uint64_t *slots; /* half of a hash, then number + 1; 0: empty. At most half of them are used */
  size_t n_slots;  /* a power of two, or 0 */
};

/* An object that is all zero except for the arena is also an empty set. */
static inline struct rebali_text_numbers rebali_text_numbers(struct rebali_arena *arena) {
  return (struct rebali_text_numbers){.arena = arena};
}
/* Returns the number of a text, or REBAL_NONE if it is missing. */
uint32_t rebali_text_numbers_find(struct rebali_text_numbers *numbers, struct rebali_text text);
/* Sets *number to the number of a text, a new one if it is missing. REBAL_ENOMEM: unchanged. */
int32_t rebali_text_numbers_add(struct rebali_text_numbers *numbers, struct rebali_text text, uint32_t *number);

#endif
