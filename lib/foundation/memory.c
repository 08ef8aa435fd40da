/* SPDX-License-Identifier: MIT */
#include "foundation/foundation.h"

#include <stdlib.h>

/* Small arrays are the common case; one allocation serves most of them. */
#define FIRST_CAPACITY 8u

static void *malloc_allocate(void *user_data, size_t size) {
  (void)user_data;
  return malloc(size);
}

static void *malloc_reallocate(void *user_data, void *pointer, size_t size) {
  (void)user_data;
  return realloc(pointer, size);
}

static void malloc_release(void *user_data, void *pointer) {
  (void)user_data;
  free(pointer);
}

static const rebal_allocator heap = {(uint32_t)sizeof heap, 0, NULL, malloc_allocate, malloc_reallocate,
                                     malloc_release};

static const rebal_allocator *or_heap(const rebal_allocator *allocator) {
  return allocator == NULL ? &heap : allocator;
}

int32_t rebali_allocator_load(rebal_allocator *dst, const rebal_allocator *src, rebal_error *err) {
  int32_t code = rebali_options_load(dst, sizeof *dst, sizeof *dst, src, err);

  if (code != REBAL_OK) {
    return code;
  }
  if (src == NULL) {
    *dst = heap;
    return REBAL_OK;
  }
  if (dst->reserved0 != 0) {
    return rebali_fail(err, REBAL_EINVAL, -1, "allocator: reserved0 is not 0");
  }
  if (dst->allocate == NULL || dst->reallocate == NULL || dst->release == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "allocator: a function is missing");
  }
  return REBAL_OK;
}

void *rebali_allocate(const rebal_allocator *allocator, size_t count, size_t size) {
  if (count == 0 || size == 0 || count > SIZE_MAX / size) {
    return NULL;
  }
  allocator = or_heap(allocator);
  return allocator->allocate(allocator->user_data, count * size);
}

void *rebali_allocate_zero(const rebal_allocator *allocator, size_t count, size_t size) {
  void *pointer = rebali_allocate(allocator, count, size);

  if (pointer != NULL) {
    memset(pointer, 0, count * size);
  }
  return pointer;
}

void rebali_release(const rebal_allocator *allocator, void *pointer) {
  if (pointer != NULL) {
    allocator = or_heap(allocator);
    allocator->release(allocator->user_data, pointer);
  }
}

int32_t rebali_grow(const rebal_allocator *allocator, void *array, size_t *capacity, size_t wanted, size_t size) {
  size_t grown = *capacity > SIZE_MAX / 2 ? SIZE_MAX : *capacity * 2;
  void *old;
  void *moved;

  grown = grown < FIRST_CAPACITY ? FIRST_CAPACITY : grown;
  grown = grown < wanted ? wanted : grown;
  if (grown > SIZE_MAX / size) {
    return REBAL_ENOMEM;
  }
  allocator = or_heap(allocator);
  /* array points to a pointer of any type: only its representation may be copied. */
  memcpy(&old, array, sizeof old);
  moved = old == NULL ? allocator->allocate(allocator->user_data, grown * size)
                      : allocator->reallocate(allocator->user_data, old, grown * size);
  if (moved == NULL) {
    return REBAL_ENOMEM;
  }
  memcpy(array, &moved, sizeof moved);
  *capacity = grown;
  return REBAL_OK;
}

int32_t rebali_reserve_malloc(void *array, size_t *capacity, size_t wanted, size_t size, rebal_error *err) {
  return rebali_reserve(NULL, array, capacity, wanted, size) == REBAL_OK ? REBAL_OK : rebali_fail_memory(err);
}
