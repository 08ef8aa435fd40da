/* SPDX-License-Identifier: MIT */
/* Reads the holdings of a ledger. */
#include "fleet/fleet.h"

static void digest_entry(struct rebali_digest *digest, const rebal_ledger *ledger, const struct rebali_entry *entry) {
  const struct rebali_store *store = rebali_ledger_fleet(ledger);
  size_t n;
  const struct rebali_component *components = rebali_ledger_set(ledger, entry->set, &n);

  rebali_digest_text(digest, rebali_intern_get(store->names, entry->cluster));
  rebali_digest_u64(digest, n);
  for (size_t i = 0; i < n; i++) {
    rebali_digest_record(
        digest, rebali_store_record(store, rebali_store_kind(REBAL_OBJECT_REQUIREMENTS), components[i].requirements));
    rebali_digest_u64(digest, (uint64_t)components[i].replicas);
  }
}

struct rebali_fingerprint rebali_ledger_fingerprint(const rebal_ledger *ledger) {
  const struct rebali_accounts *accounts = rebali_ledger_accounts(ledger);
  struct rebali_fingerprint sum = {0, 0};
  struct rebali_digest digest;

  for (size_t i = 0; accounts != NULL && i < accounts->n; i++) {
    const struct rebali_account *account = accounts->list[i];

    for (size_t j = 0; j < account->n_entries; j++) {
      rebali_digest_begin(&digest, 0, 0);
      rebali_digest_text(&digest, account->key);
      rebali_digest_time(&digest, &account->expiry);
      digest_entry(&digest, ledger, &account->entries[j]);
      rebali_fingerprint_add(&sum, rebali_digest_end(&digest));
    }
  }
  return sum;
}
