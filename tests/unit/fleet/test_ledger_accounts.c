/* SPDX-License-Identifier: MIT */
#include "../../support/allocator.h"
#include "making.h"

#include <stdio.h>

#define KEYS 500u

static struct rebali_text key_of(uint32_t number, char *key, size_t capacity) {
  return rebali_text(key, (size_t)snprintf(key, capacity, "ns/web-%u", (unsigned)number));
}

/* Random adding and removing against a plain array of flags. */
START_TEST(test_law) {
  struct test_allocator memory;
  struct rebali_accounts accounts = {&memory.functions, NULL, 0, 0, NULL, 0};
  struct rebali_account *held[KEYS] = {NULL};
  uint32_t random = 17;
  size_t n = 0;
  char key[32];

  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  for (uint32_t round = 0; round < 20000; round++) {
    /* First it grows, then it shrinks. */
    const uint32_t number = next_random(&random, KEYS);
    struct rebali_account *found = rebali_accounts_find(&accounts, key_of(number, key, sizeof key));

    ck_assert_ptr_eq(found, held[number]);
    if (found == NULL && next_random(&random, 20000) > round) {
      held[number] = rebali_accounts_add(&accounts, key_of(number, key, sizeof key));
      ck_assert_ptr_nonnull(held[number]);
      n++;
    } else if (found != NULL && next_random(&random, 20000) < round) {
      rebali_accounts_remove(&accounts, found);
      held[number] = NULL;
      n--;
    }
    ck_assert_uint_eq(accounts.n, n);
  }
  for (uint32_t number = 0; number < KEYS; number++) {
    ck_assert_ptr_eq(rebali_accounts_find(&accounts, key_of(number, key, sizeof key)), held[number]);
  }
  rebali_accounts_dispose(&accounts);
  ck_assert_uint_eq(memory.live, 0);
}
END_TEST

/* Two keys of one hash, where numbers are little-endian. */
START_TEST(test_keys_of_one_hash) {
  const struct rebali_text one = REBALI_TEXT("ns/web-142110"), other = REBALI_TEXT("ns/web-179918");
  struct test_allocator memory;
  struct rebali_accounts accounts = {&memory.functions, NULL, 0, 0, NULL, 0};
  struct rebali_account *first, *second;

  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  first = rebali_accounts_add(&accounts, one);
  ck_assert_ptr_null(rebali_accounts_find(&accounts, other));
  second = rebali_accounts_add(&accounts, other);
  ck_assert_ptr_eq(rebali_accounts_find(&accounts, one), first);
  ck_assert_ptr_eq(rebali_accounts_find(&accounts, other), second);
  rebali_accounts_remove(&accounts, first);
  ck_assert_ptr_null(rebali_accounts_find(&accounts, one));
  ck_assert_ptr_eq(rebali_accounts_find(&accounts, other), second);
  rebali_accounts_dispose(&accounts);
  ck_assert_uint_eq(memory.live, 0);
}
END_TEST

UNIT_CASE(ledger_accounts) {
  TCase *cases = tcase_create("ledger_accounts");
  tcase_add_test(cases, test_law);
  tcase_add_test(cases, test_keys_of_one_hash);
  return cases;
}
