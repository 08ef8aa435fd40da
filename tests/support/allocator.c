/* SPDX-License-Identifier: MIT */
#include "allocator.h"

#include <stdlib.h>

/* No machine has half of the address space; some allocators end the program at such a request. */
static int must_fail(struct test_allocator *allocator, size_t size) {
  allocator->requests++;
  if (size > SIZE_MAX / 2) {
    return 1;
  }
  if (allocator->fail_at == 0 || allocator->requests < allocator->fail_at) {
    return 0;
  }
  return allocator->requests == allocator->fail_at || allocator->failing == TEST_FAIL_FROM_THEN;
}

static void *allocate(void *user_data, size_t size) {
  struct test_allocator *allocator = user_data;
  void *pointer = must_fail(allocator, size) ? NULL : malloc(size);

  allocator->live += pointer != NULL;
  return pointer;
}

static void *reallocate(void *user_data, void *pointer, size_t size) {
  struct test_allocator *allocator = user_data;
  void *moved = must_fail(allocator, size) ? NULL : realloc(pointer, size);

  allocator->live += pointer == NULL && moved != NULL;
  return moved;
}

static void release(void *user_data, void *pointer) {
  struct test_allocator *allocator = user_data;

  allocator->live -= pointer != NULL;
  free(pointer);
}

void test_allocator_init(struct test_allocator *allocator, size_t fail_at, enum test_failing failing) {
  *allocator = (struct test_allocator){
      {(uint32_t)sizeof(rebal_allocator), 0, allocator, allocate, reallocate, release}, 0, 0, fail_at, failing};
}

const char *test_torture(test_scenario scenario, void *user_data) {
  static const enum test_failing WAYS[] = {TEST_FAIL_ONCE, TEST_FAIL_FROM_THEN};
  struct test_allocator memory;
  size_t requests;
  size_t k;

  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  if (scenario(&memory.functions, user_data) != REBAL_OK) {
    return "the undisturbed run failed";
  }
  if (memory.live != 0) {
    return "the undisturbed run leaked";
  }
  requests = memory.requests;
  for (k = 0; k < 2 * requests; k++) {
    test_allocator_init(&memory, k / 2 + 1, WAYS[k % 2]);
    if (scenario(&memory.functions, user_data) != REBAL_ENOMEM) {
      return "a failed allocation was not reported as REBAL_ENOMEM";
    }
    if (memory.live != 0) {
      return "a run with a failed allocation leaked";
    }
  }
  return requests == 0 ? "the scenario allocates nothing" : NULL;
}
