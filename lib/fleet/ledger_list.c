/* SPDX-License-Identifier: MIT */
/* Lists the holdings of a ledger as rows of SPENT. */
#include "fleet/fleet.h"

/* Holdings of one binding in one cluster, for sorting. */
struct charge {
  const struct rebali_account *account;
  const struct rebali_entry *entry;
  struct rebali_text cluster;
};

static int compare_charges(const void *left, const void *right, const void *context) {
  const struct charge *a = left;
  const struct charge *b = right;
  const int order = rebali_text_compare(a->account->key, b->account->key);

  (void)context;
  return order != 0 ? order : rebali_text_compare(a->cluster, b->cluster);
}

static size_t count_charges(const struct rebali_accounts *accounts) {
  size_t n = 0;

  for (size_t i = 0; i < accounts->n; i++) {
    n += accounts->list[i]->n_entries;
  }
  return n;
}

static void collect(const rebal_ledger *ledger, struct charge *charges) {
  const struct rebali_accounts *accounts = rebali_ledger_accounts(ledger);
  const struct rebali_store *store = rebali_ledger_fleet(ledger);
  size_t n = 0;

  for (size_t i = 0; i < accounts->n; i++) {
    const struct rebali_account *account = accounts->list[i];

    for (size_t j = 0; j < account->n_entries; j++) {
      charges[n].account = account;
      charges[n].entry = &account->entries[j];
      charges[n].cluster = rebali_intern_get(store->names, account->entries[j].cluster);
      n++;
    }
  }
}

static int32_t write_component(struct rebali_table *table, const struct charge *charge, size_t index,
                               const struct rebali_component *component) {
  const struct rebali_table_value cells[] = {{REBAL_SPENT_CLUSTER, charge->entry->cluster},
                                             {REBAL_SPENT_COMPONENT, (int64_t)index},
                                             {REBAL_SPENT_REQUIREMENTS, rebali_id_given(component->requirements)},
                                             {REBAL_SPENT_REPLICAS, component->replicas}};
  size_t row;

  if (rebali_table_add_row(table, cells, REBALI_COUNT(cells), &row) != REBAL_OK ||
      rebali_table_set_text(table, REBAL_SPENT_KEY, row, charge->account->key) != REBAL_OK ||
      rebali_table_set_time(table, REBAL_SPENT_EXPIRY, row, &charge->account->expiry) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  return REBAL_OK;
}

static int32_t write_charges(const rebal_ledger *ledger, const struct charge *charges, size_t n,
                             struct rebali_table *table) {
  int32_t code = REBAL_OK;

  for (size_t i = 0; i < n; i++) {
    size_t n_components;
    const struct rebali_component *components = rebali_ledger_set(ledger, charges[i].entry->set, &n_components);

    for (size_t j = 0; j < n_components && code == REBAL_OK; j++) {
      code = write_component(table, &charges[i], j, &components[j]);
    }
  }
  return code;
}

int32_t rebal_ledger_read(const rebal_ledger *ledger, rebal_result *result, rebal_error *err) {
  const rebal_allocator *allocator;
  struct charge *charges;
  size_t n;
  int32_t code =
      ledger == NULL ? rebali_fail(err, REBAL_EINVAL, -1, "ledger is NULL") : rebali_result_begin(result, err);

  if (code != REBAL_OK) {
    return code;
  }
  n = count_charges(rebali_ledger_accounts(ledger));
  if (n == 0) {
    return REBAL_OK;
  }
  allocator = rebali_result_allocator(result);
  charges = rebali_allocate(allocator, n, 2 * sizeof *charges); /* half of it for sorting */
  if (charges == NULL) {
    return rebali_fail_memory(err);
  }
  collect(ledger, charges);
  rebali_sort(charges, n, sizeof *charges, charges + n, compare_charges, NULL);
  code = write_charges(ledger, charges, n, rebali_result_table(result, REBAL_TABLE_SPENT));
  rebali_release(allocator, charges);
  if (code != REBAL_OK) {
    rebal_result_reset(result);
    return rebali_fail_memory(err);
  }
  return REBAL_OK;
}
