/* SPDX-License-Identifier: MIT */
#include "workloadspread/text_numbers.h"

#define FIRST_SLOTS 16u

static uint64_t slot_of(uint64_t hash, uint32_t number) {
  return (hash >> 32 << 32) | ((uint64_t)number + 1);
}

/* Returns the slot that holds the text or, if there is none, an empty one for it. An empty slot must exist. */
static size_t place_of(const struct rebali_text_numbers *numbers, uint64_t hash, struct rebali_text text) {
  const size_t mask = numbers->n_slots - 1;
  size_t place = (size_t)hash & mask;

  while (numbers->slots[place] != 0 &&
         (numbers->slots[place] >> 32 != hash >> 32 ||
          !rebali_text_equal(numbers->texts[(uint32_t)numbers->slots[place] - 1], text))) {
    place = (place + 1) & mask;
  }
  return place;
}

static int is_last(const struct rebali_text_numbers *numbers, struct rebali_text text) {
  return numbers->n != 0 && rebali_text_equal(numbers->texts[numbers->last], text);
}

uint32_t rebali_text_numbers_find(struct rebali_text_numbers *numbers, struct rebali_text text) {
  uint64_t slot;

  if (is_last(numbers, text)) {
    return numbers->last;
  }
  if (numbers->n == 0) {
    return REBAL_NONE;
  }
  slot = numbers->slots[place_of(numbers, rebali_hash(text.bytes, text.len), text)];
  if (slot == 0) {
    return REBAL_NONE;
  }
  numbers->last = (uint32_t)slot - 1;
  return numbers->last;
}

/* Outgrown memory stays in the arena: in all less than the memory that replaces it. */
static int32_t grow(struct rebali_text_numbers *numbers) {
  struct rebali_text_numbers next = *numbers;

  next.n_slots = numbers->n_slots == 0 ? FIRST_SLOTS : numbers->n_slots * 2;
  next.capacity = next.n_slots / 2;
  next.slots = rebali_arena_allocate_zero(numbers->arena, next.n_slots, sizeof *next.slots);
  next.texts = rebali_arena_allocate(numbers->arena, next.capacity, sizeof *next.texts);
  if (next.slots == NULL || next.texts == NULL) {
    return REBAL_ENOMEM;
  }
  for (uint32_t i = 0; i < numbers->n; i++) {
    const uint64_t hash = rebali_hash(numbers->texts[i].bytes, numbers->texts[i].len);

    next.texts[i] = numbers->texts[i];
    next.slots[place_of(&next, hash, numbers->texts[i])] = slot_of(hash, i);
  }
  *numbers = next;
  return REBAL_OK;
}

int32_t rebali_text_numbers_add(struct rebali_text_numbers *numbers, struct rebali_text text, uint32_t *number) {
  uint64_t hash;
  size_t place;

  *number = rebali_text_numbers_find(numbers, text);
  if (*number != REBAL_NONE) {
    return REBAL_OK;
  }
  if (numbers->n == numbers->capacity && grow(numbers) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  hash = rebali_hash(text.bytes, text.len);
  place = place_of(numbers, hash, text);
  *number = numbers->n++;
  numbers->texts[*number] = text;
  numbers->slots[place] = slot_of(hash, *number);
  numbers->last = *number;
  return REBAL_OK;
}
