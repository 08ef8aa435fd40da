/* SPDX-License-Identifier: MIT */
#include "counted.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Before each block, as large as the strictest alignment. */
union header {
  size_t size;
  max_align_t alignment;
};

static void count(struct bench_counted *memory, size_t added, size_t removed) {
  const size_t bytes = atomic_fetch_add(&memory->bytes, added - removed) + added - removed; /* wraps back */
  size_t peak = atomic_load(&memory->peak);

  while (bytes > peak && !atomic_compare_exchange_weak(&memory->peak, &peak, bytes)) {
  }
}

static void *counted_reallocate(void *user_data, void *pointer, size_t size) {
  union header *old = pointer == NULL ? NULL : (union header *)pointer - 1;
  const size_t old_size = old == NULL ? 0 : old->size;
  union header *block = size > SIZE_MAX / 2 ? NULL : realloc(old, sizeof *block + size);

  if (block == NULL) {
    return NULL;
  }
  block->size = size;
  atomic_fetch_add(&((struct bench_counted *)user_data)->requests, 1);
  count(user_data, size, old_size);
  return block + 1;
}

static void *counted_allocate(void *user_data, size_t size) {
  return counted_reallocate(user_data, NULL, size);
}

static void counted_release(void *user_data, void *pointer) {
  if (pointer != NULL) {
    count(user_data, 0, ((union header *)pointer - 1)->size);
    free((union header *)pointer - 1);
  }
}

void bench_counted_init(struct bench_counted *memory) {
  memset(memory, 0, sizeof *memory);
  memory->functions = (rebal_allocator){
      (uint32_t)sizeof memory->functions, 0, memory, counted_allocate, counted_reallocate, counted_release};
}
