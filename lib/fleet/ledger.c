/* SPDX-License-Identifier: MIT */
#include "fleet/fleet.h"

struct rebal_ledger {
  rebal_allocator allocator;
  struct rebali_store *store;
  struct rebali_accounts accounts;
  struct rebali_sums sums;
};

static int32_t new_ledger(const rebal_allocator *allocator, struct rebali_store *store, rebal_ledger **out,
                          rebal_error *err) {
  rebal_ledger *ledger = rebali_allocate_zero(allocator, 1, sizeof *ledger);

  if (ledger == NULL) {
    return rebali_fail_memory(err);
  }
  ledger->allocator = *allocator;
  if (rebali_intern_new(&ledger->allocator, &ledger->sums.names) != REBAL_OK) {
    rebali_release(allocator, ledger);
    return rebali_fail_memory(err);
  }
  ledger->store = rebali_store_ref(store);
  ledger->accounts.allocator = &ledger->allocator;
  ledger->sums.allocator = &ledger->allocator;
  ledger->sums.store = store;
  *out = ledger;
  return REBAL_OK;
}

int32_t rebal_ledger_new(const rebal_fleet *fleet, const rebal_allocator *allocator, rebal_ledger **out,
                         rebal_error *err) {
  rebal_allocator memory;
  const int32_t code = rebali_allocator_load(&memory, allocator, err);

  if (code != REBAL_OK) {
    return code;
  }
  if (fleet == NULL || out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "%s is NULL", fleet == NULL ? "fleet" : "out");
  }
  return new_ledger(&memory, fleet->store, out, err);
}

void rebal_ledger_free(rebal_ledger *ledger) {
  rebal_allocator allocator;

  if (ledger == NULL) {
    return;
  }
  allocator = ledger->allocator;
  rebali_accounts_dispose(&ledger->accounts);
  rebali_sums_dispose(&ledger->sums);
  rebali_store_unref(ledger->store);
  rebali_release(&allocator, ledger);
}

static int32_t check_key(const rebal_ledger *ledger, const char *key, size_t key_len, rebal_error *err) {
  if (ledger == NULL || key == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "%s is NULL", ledger == NULL ? "ledger" : "key");
  }
  return key_len != 0 ? REBAL_OK : rebali_fail(err, REBAL_EINVAL, -1, "the key of a binding is empty");
}

static int32_t check_entry(const rebal_ledger *ledger, const struct rebali_entry *entry, rebal_error *err) {
  const uint32_t kind = rebali_store_kind(REBAL_OBJECT_REQUIREMENTS);

  if (entry->cluster >= rebali_store_known(&ledger->store->known_names)) {
    return rebali_fail(err, REBAL_EINVAL, -1, "the fleet has no cluster id %lu", (unsigned long)entry->cluster);
  }
  if (entry->requirements != REBAL_NONE && rebali_store_record(ledger->store, kind, entry->requirements) == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "the fleet has no requirements with handle %lu",
                       (unsigned long)entry->requirements);
  }
  return entry->replicas >= 0 ? REBAL_OK : rebali_fail(err, REBAL_ERANGE, -1, "replicas are negative");
}

static size_t find_entry(const struct rebali_account *account, uint32_t cluster) {
  size_t i = 0;

  while (i < account->n_entries && account->entries[i].cluster != cluster) {
    i++;
  }
  return i;
}

static void drop_entry(rebal_ledger *ledger, struct rebali_account *account, size_t place) {
  rebali_sums_apply(&ledger->sums, &account->entries[place], -1);
  account->n_entries--;
  account->entries[place] = account->entries[account->n_entries];
}

static void drop_entry_of(rebal_ledger *ledger, struct rebali_account *account, uint32_t cluster) {
  const size_t place = find_entry(account, cluster);

  if (place < account->n_entries) {
    drop_entry(ledger, account, place);
  }
}

static void drop_account(rebal_ledger *ledger, struct rebali_account *account) {
  while (account->n_entries != 0) {
    drop_entry(ledger, account, account->n_entries - 1);
  }
  rebali_accounts_remove(&ledger->accounts, account);
}

static int32_t reserve_entry(rebal_ledger *ledger, struct rebali_account *account, const struct rebali_entry *entry) {
  const uint32_t kind = rebali_store_kind(REBAL_OBJECT_REQUIREMENTS);
  const int32_t code = rebali_reserve(&ledger->allocator, &account->entries, &account->capacity,
                                      account->n_entries + 1, sizeof *account->entries);

  return code != REBAL_OK ? code
                          : rebali_sums_reserve(&ledger->sums, entry->cluster,
                                                rebali_store_record(ledger->store, kind, entry->requirements));
}

static int32_t put_entry(rebal_ledger *ledger, struct rebali_text key, const struct rebali_entry *entry,
                         const rebal_time *expiry, rebal_error *err) {
  struct rebali_account *account = rebali_accounts_find(&ledger->accounts, key);

  if (account == NULL) {
    account = rebali_accounts_add(&ledger->accounts, key);
  }
  if (account == NULL) {
    return rebali_fail_memory(err);
  }
  if (reserve_entry(ledger, account, entry) != REBAL_OK) {
    if (account->n_entries == 0) {
      rebali_accounts_remove(&ledger->accounts, account);
    }
    return rebali_fail_memory(err);
  }
  drop_entry_of(ledger, account, entry->cluster);
  account->entries[account->n_entries++] = *entry;
  rebali_sums_apply(&ledger->sums, entry, 1);
  account->expiry = *expiry;
  return REBAL_OK;
}

/* Room for the entries beside all that is there. */
static int32_t reserve_all(rebal_ledger *ledger, struct rebali_account *account, const struct rebali_entry *entries,
                           size_t n) {
  const uint32_t kind = rebali_store_kind(REBAL_OBJECT_REQUIREMENTS);
  int32_t code = rebali_reserve(&ledger->allocator, &account->entries, &account->capacity, n, sizeof *entries);
  size_t i;

  for (i = 0; i < n && code == REBAL_OK; i++) {
    code = rebali_sums_reserve(&ledger->sums, entries[i].cluster,
                               rebali_store_record(ledger->store, kind, entries[i].requirements));
  }
  return code;
}

int32_t rebali_ledger_replace(rebal_ledger *ledger, struct rebali_text key, const struct rebali_entry *entries,
                              size_t n, const rebal_time *expiry) {
  struct rebali_account *account = rebali_accounts_find(&ledger->accounts, key);
  int32_t code;
  size_t i;

  if (account == NULL) {
    account = rebali_accounts_add(&ledger->accounts, key);
  }
  if (account == NULL) {
    return REBAL_ENOMEM;
  }
  code = reserve_all(ledger, account, entries, n);
  while (code == REBAL_OK && account->n_entries != 0) {
    drop_entry(ledger, account, account->n_entries - 1);
  }
  for (i = 0; i < n && code == REBAL_OK; i++) {
    drop_entry_of(ledger, account, entries[i].cluster);
    if (entries[i].replicas > 0) {
      account->entries[account->n_entries++] = entries[i];
      rebali_sums_apply(&ledger->sums, &entries[i], 1);
    }
  }
  if (code == REBAL_OK) {
    account->expiry = *expiry;
  }
  if (account->n_entries == 0) {
    rebali_accounts_remove(&ledger->accounts, account);
  }
  return code;
}

/* Without replicas there is nothing to keep; the rest of the binding lives on until the new expiry. */
static void take_entry(rebal_ledger *ledger, struct rebali_text key, uint32_t cluster, const rebal_time *expiry) {
  struct rebali_account *account = rebali_accounts_find(&ledger->accounts, key);

  if (account == NULL) {
    return;
  }
  drop_entry_of(ledger, account, cluster);
  if (expiry != NULL) {
    account->expiry = *expiry;
  }
  if (account->n_entries == 0) {
    rebali_accounts_remove(&ledger->accounts, account);
  }
}

int32_t rebal_ledger_charge(rebal_ledger *ledger, const char *key, size_t key_len, uint32_t cluster,
                            uint32_t requirements, int32_t replicas, const rebal_time *expiry, rebal_error *err) {
  const struct rebali_entry entry = {cluster, requirements, replicas};
  rebal_time until = {0, 0, 0};
  int32_t code = check_key(ledger, key, key_len, err);

  if (code == REBAL_OK) {
    code = check_entry(ledger, &entry, err);
  }
  if (code == REBAL_OK && expiry != NULL && expiry->is_set != 0) {
    code = rebali_time_check(expiry, -1, err);
    until = (rebal_time){expiry->seconds, expiry->nanos, 1};
  }
  if (code != REBAL_OK) {
    return code;
  }
  if (replicas > 0) {
    return put_entry(ledger, rebali_text(key, key_len), &entry, &until, err);
  }
  take_entry(ledger, rebali_text(key, key_len), cluster, &until);
  return REBAL_OK;
}

int32_t rebal_ledger_release(rebal_ledger *ledger, const char *key, size_t key_len, uint32_t cluster,
                             rebal_error *err) {
  struct rebali_account *account;
  const int32_t code = check_key(ledger, key, key_len, err);

  if (code != REBAL_OK) {
    return code;
  }
  if (cluster != REBAL_NONE) {
    take_entry(ledger, rebali_text(key, key_len), cluster, NULL);
    return REBAL_OK;
  }
  account = rebali_accounts_find(&ledger->accounts, rebali_text(key, key_len));
  if (account != NULL) {
    drop_account(ledger, account);
  }
  return REBAL_OK;
}

int32_t rebal_ledger_expire(rebal_ledger *ledger, const rebal_time *now, rebal_error *err) {
  const int32_t code = ledger == NULL ? rebali_fail(err, REBAL_EINVAL, -1, "ledger is NULL")
                                      : rebali_clock_check(now, err);
  size_t i;

  if (code != REBAL_OK) {
    return code;
  }
  /* From the end: the last account takes the place of one that goes. */
  for (i = ledger->accounts.n; i-- > 0;) {
    struct rebali_account *account = ledger->accounts.list[i];

    if (account->expiry.is_set != 0 && rebal_time_compare(&account->expiry, now) < 0) {
      drop_account(ledger, account);
    }
  }
  return REBAL_OK;
}

static int32_t copy_account(rebal_ledger *copy, const struct rebali_account *account, rebal_error *err) {
  int32_t code = REBAL_OK;
  size_t i;

  for (i = 0; i < account->n_entries && code == REBAL_OK; i++) {
    code = put_entry(copy, account->key, &account->entries[i], &account->expiry, err);
  }
  return code;
}

int32_t rebal_ledger_fork(const rebal_ledger *ledger, rebal_ledger **out, rebal_error *err) {
  rebal_ledger *copy;
  int32_t code;
  size_t i;

  if (ledger == NULL || out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "%s is NULL", ledger == NULL ? "ledger" : "out");
  }
  code = new_ledger(&ledger->allocator, ledger->store, &copy, err);
  if (code != REBAL_OK) {
    return code;
  }
  for (i = 0; i < ledger->accounts.n && code == REBAL_OK; i++) {
    code = copy_account(copy, ledger->accounts.list[i], err);
  }
  if (code != REBAL_OK) {
    rebal_ledger_free(copy);
    return code;
  }
  *out = copy;
  return REBAL_OK;
}

const struct rebali_charge *rebali_ledger_charges(const rebal_ledger *ledger, uint32_t cluster, size_t *n,
                                                  int64_t *pods) {
  const struct rebali_spent_row *row;

  if (!rebali_ledger_touches(ledger, cluster)) {
    *n = 0;
    *pods = 0;
    return NULL;
  }
  rebali_sums_resolve(&ledger->sums, cluster);
  row = &ledger->sums.rows[cluster];
  *n = row->n;
  *pods = rebali_sums_pods(row);
  return row->charges;
}

int rebali_ledger_touches(const rebal_ledger *ledger, uint32_t cluster) {
  return ledger != NULL && cluster < ledger->sums.n && ledger->sums.rows[cluster].entries != 0;
}

const struct rebali_accounts *rebali_ledger_accounts(const rebal_ledger *ledger) {
  return ledger == NULL ? NULL : &ledger->accounts;
}

const void *rebali_ledger_fleet(const rebal_ledger *ledger) {
  return ledger == NULL ? NULL : ledger->store;
}
