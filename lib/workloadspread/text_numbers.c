/* SPDX-License-Identifier: MIT */
#include "workloadspread/text_numbers.h"

#define FIRST_SLOTS 16u

static uint64_t slot_of(uint64_t hash, uint32_t number) {
  return (hash >> 32 << 32) | ((uint64_t)number + 1);
}

/* The slot that holds the text or, when none does, the one to put it in. There is an empty one. */
static size_t place_of(const struct rebali_words *words, uint64_t hash, struct rebali_text text) {
  const size_t mask = words->n_slots - 1;
  size_t place = (size_t)hash & mask;

  while (words->slots[place] != 0 && (words->slots[place] >> 32 != hash >> 32 ||
                                      !rebali_text_equal(words->texts[(uint32_t)words->slots[place] - 1], text))) {
    place = (place + 1) & mask;
  }
  return place;
}

static int is_last(const struct rebali_words *words, struct rebali_text text) {
  return words->n != 0 && rebali_text_equal(words->texts[words->last], text);
}

uint32_t rebali_words_find(struct rebali_words *words, struct rebali_text text) {
  uint64_t slot;

  if (is_last(words, text)) {
    return words->last;
  }
  if (words->n == 0) {
    return REBAL_NONE;
  }
  slot = words->slots[place_of(words, rebali_hash(text.bytes, text.len), text)];
  if (slot == 0) {
    return REBAL_NONE;
  }
  words->last = (uint32_t)slot - 1;
  return words->last;
}

/* What is outgrown stays in the arena: less than what follows it. */
static int32_t grow(struct rebali_words *words) {
  struct rebali_words next = *words;

  next.n_slots = words->n_slots == 0 ? FIRST_SLOTS : words->n_slots * 2;
  next.capacity = next.n_slots / 2;
  next.slots = rebali_arena_allocate_zero(words->arena, next.n_slots, sizeof *next.slots);
  next.texts = rebali_arena_allocate(words->arena, next.capacity, sizeof *next.texts);
  if (next.slots == NULL || next.texts == NULL) {
    return REBAL_ENOMEM;
  }
  for (uint32_t i = 0; i < words->n; i++) {
    const uint64_t hash = rebali_hash(words->texts[i].bytes, words->texts[i].len);

    next.texts[i] = words->texts[i];
    next.slots[place_of(&next, hash, words->texts[i])] = slot_of(hash, i);
  }
  *words = next;
  return REBAL_OK;
}

int32_t rebali_words_add(struct rebali_words *words, struct rebali_text text, uint32_t *number) {
  uint64_t hash;
  size_t place;

  *number = rebali_words_find(words, text);
  if (*number != REBAL_NONE) {
    return REBAL_OK;
  }
  if (words->n == words->capacity && grow(words) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  hash = rebali_hash(text.bytes, text.len);
  place = place_of(words, hash, text);
  *number = words->n++;
  words->texts[*number] = text;
  words->slots[place] = slot_of(hash, *number);
  words->last = *number;
  return REBAL_OK;
}
