/* SPDX-License-Identifier: MIT */
/*
 * tests/support/allocator.h - an allocator that counts, and fails on demand.
 *
 * Requests are allocations and reallocations, counted from 1. To torture a scenario by hand:
 *
 *   struct test_allocator memory;
 *   test_allocator_init(&memory, 3, TEST_FAIL_ONCE);
 *   ... use &memory.functions ...
 *   ck_assert_uint_eq(memory.live, 0);
 */
#ifndef TEST_ALLOCATOR_H
#define TEST_ALLOCATOR_H

#include <rebalance/base.h>

enum test_failing {
  TEST_FAIL_ONCE,     /* only the request fail_at */
  TEST_FAIL_FROM_THEN /* that one and all after it */
};

struct test_allocator {
  rebal_allocator functions; /* to be handed out; points back here, so the structure must not move */
  size_t requests;           /* so far */
  size_t live;               /* blocks not yet released */
  size_t fail_at;            /* 0: never */
  enum test_failing failing;
};

void test_allocator_init(struct test_allocator *allocator, size_t fail_at, enum test_failing failing);

/* A piece of work that uses one allocator and releases all it took, whatever it returns. */
typedef int32_t (*test_scenario)(const rebal_allocator *allocator, void *user_data);

/*
 * Runs the scenario without failures, which must return REBAL_OK, then once for each request it made and each way to
 * fail, which must return REBAL_ENOMEM; no run may leave a block. Returns NULL if all runs pass, else the fault, for
 * use in ck_assert_pstr_eq(test_torture(...), NULL).
 */
const char *test_torture(test_scenario scenario, void *user_data);

#endif
