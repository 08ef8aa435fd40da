/* SPDX-License-Identifier: MIT */
#include "foundation/foundation.h"

/*
 * Segment k holds 64 << k entries, so the directory of 27 pointers suffices for every uint32_t id and never moves: a
 * reader that has an id follows pointers that the writer no longer changes.
 */
#define FIRST_SEGMENT_BITS 6u
#define SEGMENTS (33u - FIRST_SEGMENT_BITS)
#define FIRST_TABLE 64u
#define MAX_ENTRIES (UINT32_MAX - 1u)

struct slot {
  uint32_t hash;
  uint32_t id; /* REBALI_NONE: empty */
};

struct rebali_intern {
  rebal_allocator allocator;
  struct rebali_text *segments[SEGMENTS];
  struct rebali_arena bytes;
  struct slot *table; /* open addressing; for the writer only */
  size_t capacity;    /* of table: a power of two, or 0 */
  uint32_t count;
};

struct place {
  uint32_t segment;
  size_t index;
};

static struct place place_of(uint32_t id) {
  /* 64-bit, as the last ids plus 64 exceed 2^32. */
  const uint64_t shifted = (uint64_t)id + (UINT64_C(1) << FIRST_SEGMENT_BITS);
  uint32_t top = FIRST_SEGMENT_BITS;

  while (shifted >> top > 1) { /* most ids are small */
    top++;
  }
  return (struct place){top - FIRST_SEGMENT_BITS, (size_t)(shifted - (UINT64_C(1) << top))};
}

int32_t rebali_intern_new(const rebal_allocator *allocator, struct rebali_intern **out) {
  struct rebali_intern *intern = rebali_allocate_zero(allocator, 1, sizeof *intern);

  if (intern == NULL) {
    return REBAL_ENOMEM;
  }
  intern->allocator = *allocator;
  rebali_arena_init(&intern->bytes, &intern->allocator, 0);
  *out = intern;
  return REBAL_OK;
}

void rebali_intern_free(struct rebali_intern *intern) {
  rebal_allocator allocator;
  size_t i;

  if (intern == NULL) {
    return;
  }
  allocator = intern->allocator;
  for (i = 0; i < SEGMENTS; i++) {
    rebali_release(&allocator, intern->segments[i]);
  }
  rebali_arena_dispose(&intern->bytes);
  rebali_release(&allocator, intern->table);
  rebali_release(&allocator, intern);
}

static uint32_t short_hash(const void *bytes, size_t len) {
  return (uint32_t)(rebali_hash(bytes, len) & UINT32_MAX);
}

/* Returns the slot of the bytes, or the empty one for them. The table always has an empty slot. */
static struct slot *find_slot(const struct rebali_intern *intern, uint32_t hash, struct rebali_text text) {
  const size_t mask = intern->capacity - 1;
  size_t at = hash & mask;

  while (intern->table[at].id != REBALI_NONE) {
    if (intern->table[at].hash == hash && rebali_text_equal(rebali_intern_get(intern, intern->table[at].id), text)) {
      break;
    }
    at = (at + 1) & mask;
  }
  return &intern->table[at];
}

static void move_slots(const struct rebali_intern *intern, struct slot *table, size_t capacity) {
  size_t i;

  for (i = 0; i < capacity; i++) {
    table[i] = (struct slot){0, REBALI_NONE};
  }
  for (i = 0; i < intern->capacity; i++) {
    const struct slot old = intern->table[i];
    size_t at = old.hash & (capacity - 1);

    if (old.id != REBALI_NONE) {
      while (table[at].id != REBALI_NONE) {
        at = (at + 1) & (capacity - 1);
      }
      table[at] = old;
    }
  }
}

/* Keeps at least a quarter of the table empty. */
static int32_t make_table(struct rebali_intern *intern) {
  const size_t capacity = intern->capacity == 0 ? FIRST_TABLE : intern->capacity * 2;
  struct slot *table;

  if (intern->count < intern->capacity / 4 * 3) {
    return REBAL_OK;
  }
  table = intern->capacity > SIZE_MAX / 2 ? NULL : rebali_allocate(&intern->allocator, capacity, sizeof *table);
  if (table == NULL) {
    return REBAL_ENOMEM;
  }
  move_slots(intern, table, capacity);
  rebali_release(&intern->allocator, intern->table);
  intern->table = table;
  intern->capacity = capacity;
  return REBAL_OK;
}

/* Copies the bytes and fills the entry of the next id. */
static int32_t append(struct rebali_intern *intern, struct rebali_text text) {
  const struct place place = place_of(intern->count);
  struct rebali_text **segment = &intern->segments[place.segment];
  struct rebali_text copy;

  if (*segment == NULL) {
    /* If size_t has 32 bits, memory ends long before a segment of 2^32 entries is needed. */
    *segment = rebali_allocate(&intern->allocator, (size_t)1 << (place.segment + FIRST_SEGMENT_BITS), sizeof **segment);
    if (*segment == NULL) {
      return REBAL_ENOMEM;
    }
  }
  copy = rebali_arena_text(&intern->bytes, text);
  if (copy.bytes == NULL) {
    return REBAL_ENOMEM;
  }
  (*segment)[place.index] = copy;
  intern->count++;
  return REBAL_OK;
}

int32_t rebali_intern_add(struct rebali_intern *intern, const void *bytes, size_t len, uint32_t *id) {
  const struct rebali_text text = rebali_text(bytes, len);
  const uint32_t hash = short_hash(bytes, len);
  struct slot *slot;
  int32_t code = make_table(intern);

  if (code != REBAL_OK) {
    return code;
  }
  slot = find_slot(intern, hash, text);
  if (slot->id == REBALI_NONE) {
    if (intern->count >= MAX_ENTRIES) {
      return REBAL_ELIMIT;
    }
    code = append(intern, text);
    if (code != REBAL_OK) {
      return code;
    }
    *slot = (struct slot){hash, intern->count - 1};
  }
  *id = slot->id;
  return REBAL_OK;
}

uint32_t rebali_intern_find(const struct rebali_intern *intern, const void *bytes, size_t len) {
  if (intern->capacity == 0) {
    return REBALI_NONE;
  }
  return find_slot(intern, short_hash(bytes, len), rebali_text(bytes, len))->id;
}

struct rebali_text rebali_intern_get(const struct rebali_intern *intern, uint32_t id) {
  const struct place place = place_of(id);

  return intern->segments[place.segment][place.index];
}

uint32_t rebali_intern_count(const struct rebali_intern *intern) {
  return intern->count;
}
