/* SPDX-License-Identifier: MIT */
#include "foundation/foundation.h"

/* If 1, each block is a separate chunk, so that a request to the allocator can fail at each. For tests. */
#ifndef REBALI_BLOCKS_ALONE
#define REBALI_BLOCKS_ALONE 0
#endif

#define FIRST_CHUNK 4096u

struct rebali_arena_chunk {
  struct rebali_arena_chunk *next;
  size_t capacity; /* payload bytes */
};

static size_t align_up(size_t bytes) {
  return (bytes + REBALI_ALIGNMENT - 1) / REBALI_ALIGNMENT * REBALI_ALIGNMENT;
}

static size_t header(void) {
  return align_up(sizeof(struct rebali_arena_chunk));
}

void rebali_arena_init(struct rebali_arena *arena, const rebal_allocator *allocator, size_t limit) {
  *arena = (struct rebali_arena){.allocator = allocator, .limit = limit};
}

/* Starts the newest chunk, which is handed out as far as the limit allows. */
static void begin_chunk(struct rebali_arena *arena) {
  arena->next = (unsigned char *)arena->chunks + header();
  arena->left = arena->chunks->capacity;
  if (arena->limit != 0 && arena->limit - arena->used < arena->left) {
    arena->left = arena->limit - arena->used;
  }
}

/* Chunks double without bound: after a few resets the kept one holds all that a caller needs at a time. */
static int32_t add_chunk(struct rebali_arena *arena, size_t bytes) {
  size_t capacity = REBALI_BLOCKS_ALONE ? 0 : FIRST_CHUNK - header();
  struct rebali_arena_chunk *chunk;

  if (!REBALI_BLOCKS_ALONE && arena->chunks != NULL) {
    capacity = arena->chunks->capacity * 2; /* no memory block exceeds SIZE_MAX / 2 bytes */
  }
  capacity = capacity < bytes ? bytes : capacity;
  if (capacity > SIZE_MAX - header()) {
    return REBAL_ENOMEM;
  }
  chunk = rebali_allocate(arena->allocator, 1, header() + capacity);
  if (chunk == NULL) {
    return REBAL_ENOMEM;
  }
  *chunk = (struct rebali_arena_chunk){arena->chunks, capacity};
  arena->chunks = chunk;
  begin_chunk(arena);
  return REBAL_OK;
}

void *rebali_arena_allocate_any(struct rebali_arena *arena, size_t count, size_t size) {
  size_t bytes;
  void *block;

  if (size != 0 && count > (SIZE_MAX - REBALI_ALIGNMENT) / size) {
    return NULL;
  }
  bytes = count * size == 0 ? REBALI_ALIGNMENT : align_up(count * size);
  if (bytes > SIZE_MAX - arena->used || (arena->limit != 0 && arena->used + bytes > arena->limit)) {
    return NULL;
  }
  /* Within the limit, so the chunk is too small. */
  if (arena->left < bytes && add_chunk(arena, bytes) != REBAL_OK) {
    return NULL;
  }
  block = arena->next;
  arena->next += bytes;
  arena->left -= bytes;
  arena->used += bytes;
  return block;
}

void *rebali_arena_allocate_zero(struct rebali_arena *arena, size_t count, size_t size) {
  void *block = rebali_arena_allocate(arena, count, size);

  if (block != NULL) {
    memset(block, 0, count * size);
  }
  return block;
}

struct rebali_text rebali_arena_text(struct rebali_arena *arena, struct rebali_text text) {
  char *bytes = text.len == SIZE_MAX ? NULL : rebali_arena_allocate(arena, text.len + 1, 1);

  if (bytes == NULL) {
    return rebali_text(NULL, 0);
  }
  if (text.len != 0) {
    memcpy(bytes, text.bytes, text.len);
  }
  bytes[text.len] = '\0';
  return rebali_text(bytes, text.len);
}

static void release_chunks(struct rebali_arena *arena, const struct rebali_arena_chunk *kept) {
  struct rebali_arena_chunk *chunk = arena->chunks;

  while (chunk != NULL) {
    struct rebali_arena_chunk *next = chunk->next;

    if (chunk != kept) {
      rebali_release(arena->allocator, chunk);
    }
    chunk = next;
  }
}

void rebali_arena_reset(struct rebali_arena *arena) {
  struct rebali_arena_chunk *kept = arena->chunks; /* each is at least twice as large as the one before it */

  arena->used = 0;
  if (kept == NULL) {
    return;
  }
  release_chunks(arena, kept);
  kept->next = NULL;
  begin_chunk(arena);
}

void rebali_arena_dispose(struct rebali_arena *arena) {
  release_chunks(arena, NULL);
  rebali_arena_init(arena, arena->allocator, arena->limit);
}
