/* SPDX-License-Identifier: MIT */
#include "fleet/fleet.h"

#define FIRST_SLOTS 64u

static size_t home_of(const struct rebali_accounts *accounts, struct rebali_text key) {
  return (size_t)rebali_hash(key.bytes, key.len) & (accounts->n_slots - 1);
}

/* The slot of the key, or the empty one where it would go. At least half of the slots are empty. */
static size_t find_slot(const struct rebali_accounts *accounts, struct rebali_text key) {
  size_t at = home_of(accounts, key);

  while (accounts->slots[at] != NULL && !rebali_text_equal(accounts->slots[at]->key, key)) {
    at = (at + 1) & (accounts->n_slots - 1);
  }
  return at;
}

struct rebali_account *rebali_accounts_find(const struct rebali_accounts *accounts, struct rebali_text key) {
  return accounts->n_slots == 0 ? NULL : accounts->slots[find_slot(accounts, key)];
}

static int32_t reserve_slots(struct rebali_accounts *accounts) {
  const size_t n_slots = accounts->n_slots == 0 ? FIRST_SLOTS : accounts->n_slots * 2; /* of pointers: no overflow */
  struct rebali_account **slots;
  size_t i;

  if (accounts->n < accounts->n_slots / 2) {
    return REBAL_OK;
  }
  slots = rebali_allocate_zero(accounts->allocator, n_slots, sizeof(struct rebali_account *));
  if (slots == NULL) {
    return REBAL_ENOMEM;
  }
  rebali_release(accounts->allocator, accounts->slots);
  accounts->slots = slots;
  accounts->n_slots = n_slots;
  for (i = 0; i < accounts->n; i++) {
    slots[find_slot(accounts, accounts->list[i]->key)] = accounts->list[i];
  }
  return REBAL_OK;
}

static struct rebali_account *new_account(const rebal_allocator *allocator, struct rebali_text key) {
  struct rebali_account *account =
      key.len > SIZE_MAX - sizeof *account ? NULL : rebali_allocate(allocator, 1, sizeof *account + key.len);
  char *bytes;

  if (account == NULL) {
    return NULL;
  }
  bytes = (char *)(account + 1);
  memcpy(bytes, key.bytes, key.len);
  *account = (struct rebali_account){rebali_text(bytes, key.len), {0, 0, 0}, NULL, 0, 0, 0};
  return account;
}

struct rebali_account *rebali_accounts_add(struct rebali_accounts *accounts, struct rebali_text key) {
  struct rebali_account *account;

  if (rebali_reserve(accounts->allocator, &accounts->list, &accounts->capacity, accounts->n + 1,
                     sizeof(struct rebali_account *)) != REBAL_OK ||
      reserve_slots(accounts) != REBAL_OK) {
    return NULL;
  }
  account = new_account(accounts->allocator, key);
  if (account == NULL) {
    return NULL;
  }
  account->place = accounts->n;
  accounts->list[accounts->n++] = account;
  accounts->slots[find_slot(accounts, account->key)] = account;
  return account;
}

/* Empties a slot and moves back what would no longer be found behind the gap. */
static void empty_slot(struct rebali_accounts *accounts, size_t gap) {
  const size_t mask = accounts->n_slots - 1;
  size_t at = (gap + 1) & mask;

  while (accounts->slots[at] != NULL) {
    const size_t home = home_of(accounts, accounts->slots[at]->key);

    if (((at - home) & mask) >= ((at - gap) & mask)) {
      accounts->slots[gap] = accounts->slots[at];
      gap = at;
    }
    at = (at + 1) & mask;
  }
  accounts->slots[gap] = NULL;
}

void rebali_accounts_remove(struct rebali_accounts *accounts, struct rebali_account *account) {
  struct rebali_account *last = accounts->list[accounts->n - 1];

  empty_slot(accounts, find_slot(accounts, account->key));
  accounts->list[account->place] = last;
  last->place = account->place;
  accounts->n--;
  rebali_release(accounts->allocator, account->entries);
  rebali_release(accounts->allocator, account);
}

void rebali_accounts_dispose(struct rebali_accounts *accounts) {
  size_t i;

  for (i = 0; i < accounts->n; i++) {
    rebali_release(accounts->allocator, accounts->list[i]->entries);
    rebali_release(accounts->allocator, accounts->list[i]);
  }
  rebali_release(accounts->allocator, accounts->list);
  rebali_release(accounts->allocator, accounts->slots);
}
