/* SPDX-License-Identifier: MIT */
#include "base/base.h"

#include <stdalign.h>

#define ALIGNMENT alignof(max_align_t)
#define FIRST_CHUNK 4096u

struct rebali_arena_chunk {
  struct rebali_arena_chunk *next;
  size_t capacity; /* payload bytes */
  size_t used;
};

static size_t align_up(size_t bytes) {
  return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static unsigned char *payload(struct rebali_arena_chunk *chunk) {
  return (unsigned char *)chunk + align_up(sizeof *chunk);
}

void rebali_arena_init(struct rebali_arena *arena, const rebal_allocator *allocator, size_t limit) {
  *arena = (struct rebali_arena){allocator, NULL, 0, limit};
}

/* Chunks double without bound: after a few resets the kept one holds all that a caller needs at a time. */
static struct rebali_arena_chunk *add_chunk(struct rebali_arena *arena, size_t bytes) {
  const size_t header = align_up(sizeof(struct rebali_arena_chunk));
  size_t capacity = FIRST_CHUNK - header;
  struct rebali_arena_chunk *chunk;

  if (arena->chunks != NULL) {
    capacity = arena->chunks->capacity * 2; /* no block in memory has more than SIZE_MAX / 2 bytes */
  }
  capacity = capacity < bytes ? bytes : capacity;
  if (capacity > SIZE_MAX - header) {
    return NULL;
  }
  chunk = rebali_allocate(arena->allocator, 1, header + capacity);
  if (chunk == NULL) {
    return NULL;
  }
  *chunk = (struct rebali_arena_chunk){arena->chunks, capacity, 0};
  arena->chunks = chunk;
  return chunk;
}

void *rebali_arena_allocate(struct rebali_arena *arena, size_t count, size_t size) {
  struct rebali_arena_chunk *chunk = arena->chunks;
  size_t bytes;
  void *block;

  if (size != 0 && count > (SIZE_MAX - ALIGNMENT) / size) {
    return NULL;
  }
  bytes = count * size == 0 ? ALIGNMENT : align_up(count * size);
  if (bytes > SIZE_MAX - arena->used || (arena->limit != 0 && arena->used + bytes > arena->limit)) {
    return NULL;
  }
  if (chunk == NULL || chunk->capacity - chunk->used < bytes) {
    chunk = add_chunk(arena, bytes);
    if (chunk == NULL) {
      return NULL;
    }
  }
  block = payload(chunk) + chunk->used;
  chunk->used += bytes;
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

  release_chunks(arena, kept);
  if (kept != NULL) {
    kept->next = NULL;
    kept->used = 0;
  }
  arena->chunks = kept;
  arena->used = 0;
}

void rebali_arena_dispose(struct rebali_arena *arena) {
  release_chunks(arena, NULL);
  arena->chunks = NULL;
  arena->used = 0;
}
