/* SPDX-License-Identifier: MIT */
/* Keys in order, against the C library's sort. */
#include "foundation/ranking.h"

#include "../unit.h"

static uint64_t random_state;

static uint32_t draw(uint32_t below) {
  random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(random_state >> 33) % below;
}

static int compare_keys(const void *left, const void *right) {
  const uint64_t a = *(const uint64_t *)left;
  const uint64_t b = *(const uint64_t *)right;

  return a < b ? -1 : a > b;
}

START_TEST(test_sorts_keys) {
  static uint64_t keys[3000];
  static uint64_t others[3000];
  static uint64_t capacity[3000];
  const unsigned int bits = (unsigned int)_i % 65;
  const size_t n = (size_t)(_i < 400 ? _i : _i * 41 % 3001); /* each number of keys that is merged */

  random_state = (uint64_t)_i;
  for (size_t i = 0; i < n; i++) {
    keys[i] = (uint64_t)draw(UINT32_MAX >> 1) << 33;
    keys[i] |= (uint64_t)draw(UINT32_MAX >> 1) << 16;
    keys[i] = (keys[i] | draw(65536)) >> (bits == 64 ? 63 : bits);
    others[i] = keys[i];
  }
  rebali_sort_keys(keys, n, capacity);
  qsort(others, n, sizeof others[0], compare_keys);
  ck_assert(n == 0 || memcmp(keys, others, n * sizeof keys[0]) == 0);
}
END_TEST

UNIT_CASE(sort_keys) {
  TCase *cases = tcase_create("sort_keys");

  tcase_add_loop_test(cases, test_sorts_keys, 0, 475);
  return cases;
}
