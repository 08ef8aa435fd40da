/* SPDX-License-Identifier: MIT */
#include "fleet/fleet.h"

#define FIRST_SLOTS 64u

#define MOST_ACCOUNTS ((size_t)INT32_MAX)

static uint32_t hash_of(struct rebali_text key) {
  return (uint32_t)rebali_hash(key.bytes, key.len);
}

static int is_key(const struct rebali_accounts *accounts, const struct rebali_account_slot *slot, uint32_t hash,
                  struct rebali_text key) {
  return slot->hash == hash && rebali_text_equal(accounts->list[slot->place - 1]->key, key);
}

/* Returns the slot of the key, or the empty slot for it. At least half of the slots are empty. */
static size_t find_slot(const struct rebali_accounts *accounts, uint32_t hash, struct rebali_text key) {
  const size_t mask = accounts->n_slots - 1;
  size_t at = hash & mask;

  while (accounts->slots[at].place != 0 && !is_key(accounts, &accounts->slots[at], hash, key)) {
    at = (at + 1) & mask;
  }
  return at;
}

struct rebali_account *rebali_accounts_find(const struct rebali_accounts *accounts, struct rebali_text key) {
  const size_t slot = accounts->n_slots == 0 ? 0 : find_slot(accounts, hash_of(key), key);

  return accounts->n_slots == 0 || accounts->slots[slot].place == 0 ? NULL
                                                                    : accounts->list[accounts->slots[slot].place - 1];
}

static int32_t reserve_slots(struct rebali_accounts *accounts) {
  const size_t n_slots = accounts->n_slots == 0 ? FIRST_SLOTS : accounts->n_slots * 2; /* at most 2^32 */
  struct rebali_account_slot *slots;

  if (accounts->n < accounts->n_slots / 2) {
    return REBAL_OK;
  }
  slots = accounts->n > MOST_ACCOUNTS ? NULL : rebali_allocate_zero(accounts->allocator, n_slots, sizeof *slots);
  if (slots == NULL) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < accounts->n_slots; i++) {
    size_t at = accounts->slots[i].hash & (n_slots - 1);

    while (accounts->slots[i].place != 0 && slots[at].place != 0) {
      at = (at + 1) & (n_slots - 1);
    }
    if (accounts->slots[i].place != 0) {
      slots[at] = accounts->slots[i];
    }
  }
  rebali_release(accounts->allocator, accounts->slots);
  accounts->slots = slots;
  accounts->n_slots = n_slots;
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
  const uint32_t hash = hash_of(key);
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
  accounts->slots[find_slot(accounts, hash, key)] = (struct rebali_account_slot){hash, (uint32_t)accounts->n};
  return account;
}

/* Empties a slot and moves later entries back that would no longer be found after the gap. */
static void empty_slot(struct rebali_accounts *accounts, size_t gap) {
  const size_t mask = accounts->n_slots - 1;
  size_t at = (gap + 1) & mask;

  while (accounts->slots[at].place != 0) {
    if (((at - accounts->slots[at].hash) & mask) >= ((at - gap) & mask)) {
      accounts->slots[gap] = accounts->slots[at];
      gap = at;
    }
    at = (at + 1) & mask;
  }
  accounts->slots[gap].place = 0;
}

void rebali_accounts_remove(struct rebali_accounts *accounts, struct rebali_account *account) {
  struct rebali_account *last = accounts->list[accounts->n - 1];

  empty_slot(accounts, find_slot(accounts, hash_of(account->key), account->key));
  if (last != account) {
    accounts->slots[find_slot(accounts, hash_of(last->key), last->key)].place = (uint32_t)account->place + 1;
  }
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
