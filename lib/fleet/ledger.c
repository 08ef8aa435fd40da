/* SPDX-License-Identifier: MIT */
#include "fleet/fleet.h"

struct rebal_ledger {
  rebal_allocator allocator;
  struct rebali_store *store;
  struct rebali_accounts accounts;
  struct rebali_sums sums;
  struct rebali_intern *sets; /* lists of struct rebali_component */
  struct rebali_identity *identity;
  uint32_t *claimed; /* the sets of the current claims */
  size_t claimed_capacity;
  uint64_t replacings; /* number of replacements so far */
};

int32_t rebali_ledger_new(const rebal_allocator *allocator, struct rebali_store *store, rebal_ledger **out,
                          rebal_error *err) {
  rebal_ledger *ledger = rebali_allocate_zero(allocator, 1, sizeof *ledger);

  if (ledger == NULL) {
    return rebali_fail_memory(err);
  }
  ledger->allocator = *allocator;
  if (rebali_intern_new(&ledger->allocator, &ledger->sums.names) != REBAL_OK ||
      rebali_intern_new(&ledger->allocator, &ledger->sets) != REBAL_OK ||
      rebali_identity_new(store, &ledger->identity) != REBAL_OK) {
    rebali_intern_free(ledger->sums.names);
    rebali_intern_free(ledger->sets);
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
  return rebali_ledger_new(&memory, fleet->store, out, err);
}

void rebal_ledger_free(rebal_ledger *ledger) {
  rebal_allocator allocator;

  if (ledger == NULL) {
    return;
  }
  allocator = ledger->allocator;
  rebali_accounts_dispose(&ledger->accounts);
  rebali_sums_dispose(&ledger->sums);
  rebali_intern_free(ledger->sets);
  rebali_release(&allocator, ledger->claimed);
  rebali_identity_unref(ledger->identity);
  rebali_store_unref(ledger->store);
  rebali_release(&allocator, ledger);
}

static int32_t take_key(const rebal_ledger *ledger, const char *bytes, size_t len, struct rebali_text *key,
                        rebal_error *err) {
  const int32_t code = ledger == NULL ? rebali_fail(err, REBAL_EINVAL, -1, "ledger is NULL")
                                      : rebali_text_take(bytes, len, "the key", key, err);

  return code != REBAL_OK || key->len != 0 ? code : rebali_fail(err, REBAL_EINVAL, -1, "the key of a binding is empty");
}

static int32_t check_claim(const rebal_ledger *ledger, const struct rebali_claim *claim, rebal_error *err) {
  const uint32_t kind = rebali_store_kind(REBAL_OBJECT_REQUIREMENTS);

  if (claim->cluster >= rebali_store_known(&ledger->store->known_names)) {
    return rebali_fail(err, REBAL_EINVAL, -1, "the fleet has no cluster id %lu", (unsigned long)claim->cluster);
  }
  for (size_t i = 0; i < claim->n_components; i++) {
    const struct rebali_component *component = &claim->components[i];

    if (component->requirements != REBAL_NONE &&
        rebali_store_record(ledger->store, kind, component->requirements) == NULL) {
      return rebali_fail(err, REBAL_EINVAL, (int64_t)i, "the fleet has no requirements with handle %lu",
                         (unsigned long)component->requirements);
    }
    if (component->replicas < 0) {
      return rebali_fail(err, REBAL_ERANGE, (int64_t)i, "replicas are negative");
    }
  }
  return REBAL_OK;
}

static size_t find_entry(const struct rebali_account *account, uint32_t cluster) {
  size_t i = 0;

  while (i < account->n_entries && account->entries[i].cluster != cluster) {
    i++;
  }
  return i;
}

static struct rebali_claim claim_of(const rebal_ledger *ledger, const struct rebali_entry *entry) {
  const struct rebali_text set = rebali_intern_get(ledger->sets, entry->set);

  return (struct rebali_claim){entry->cluster, (const void *)set.bytes, set.len / sizeof(struct rebali_component)};
}

static int is_empty(const struct rebali_claim *claim) {
  size_t i = 0;

  while (i < claim->n_components && claim->components[i].replicas == 0) {
    i++;
  }
  return i == claim->n_components;
}

/* Entry and holder store each other's index; the last one takes the place of the removed one. */
static void drop_entry(rebal_ledger *ledger, struct rebali_account *account, size_t place) {
  const struct rebali_entry gone = account->entries[place];
  const struct rebali_claim claim = claim_of(ledger, &gone);
  struct rebali_spent_row *row = &ledger->sums.rows[gone.cluster];
  const struct rebali_holder last = row->holders[--row->n_holders];

  rebali_sums_apply(&ledger->sums, &claim, -1);
  row->holders[gone.holder] = last;
  last.account->entries[last.entry].holder = gone.holder;
  account->entries[place] = account->entries[--account->n_entries];
  if (place < account->n_entries) {
    const struct rebali_entry *moved = &account->entries[place];

    ledger->sums.rows[moved->cluster].holders[moved->holder].entry = place;
  }
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

/* Memory must be reserved. A cluster has fewer than 2^32 holders: the account's keys differ. */
static void add_entry(rebal_ledger *ledger, struct rebali_account *account, const struct rebali_claim *claim,
                      uint32_t set) {
  struct rebali_spent_row *row = &ledger->sums.rows[claim->cluster];

  row->holders[row->n_holders] = (struct rebali_holder){account, account->n_entries};
  account->entries[account->n_entries++] = (struct rebali_entry){claim->cluster, set, (uint32_t)row->n_holders++};
  rebali_sums_apply(&ledger->sums, claim, 1);
}

static int is_same_set(const struct rebali_claim *left, const struct rebali_claim *right) {
  return left->n_components == right->n_components &&
         (left->n_components == 0 ||
          memcmp(left->components, right->components, left->n_components * sizeof *left->components) == 0);
}

static int32_t intern_set(rebal_ledger *ledger, const struct rebali_claim *claim, uint32_t *set) {
  return rebali_intern_add(ledger->sets, claim->components, claim->n_components * sizeof *claim->components, set);
}

static int32_t put_claim(rebal_ledger *ledger, struct rebali_text key, const struct rebali_claim *claim,
                         const rebal_time *expiry) {
  struct rebali_account *account = rebali_accounts_find(&ledger->accounts, key);
  uint32_t set;

  if (account == NULL) {
    account = rebali_accounts_add(&ledger->accounts, key);
  }
  if (account == NULL) {
    return REBAL_ENOMEM;
  }
  if (rebali_reserve(&ledger->allocator, &account->entries, &account->capacity, account->n_entries + 1,
                     sizeof *account->entries) != REBAL_OK ||
      intern_set(ledger, claim, &set) != REBAL_OK || rebali_sums_reserve(&ledger->sums, claim) != REBAL_OK) {
    if (account->n_entries == 0) {
      rebali_accounts_remove(&ledger->accounts, account);
    }
    return REBAL_ENOMEM;
  }
  drop_entry_of(ledger, account, claim->cluster);
  add_entry(ledger, account, claim, set);
  account->expiry = *expiry;
  return REBAL_OK;
}

int32_t rebali_ledger_put(rebal_ledger *ledger, struct rebali_text key, const struct rebali_claim *claim,
                          const rebal_time *expiry, struct rebali_held *before) {
  const struct rebali_account *account = rebali_accounts_find(&ledger->accounts, key);
  const size_t place = account == NULL ? 0 : find_entry(account, claim->cluster);

  *before = (struct rebali_held){REBAL_NONE, {0, 0, 0}};
  if (account != NULL) {
    before->set = place < account->n_entries ? account->entries[place].set : REBAL_NONE;
    before->expiry = account->expiry;
  }
  return put_claim(ledger, key, claim, expiry);
}

/* Needs no memory: everything fitted before. */
void rebali_ledger_put_back(rebal_ledger *ledger, struct rebali_text key, uint32_t cluster,
                            const struct rebali_held *before) {
  struct rebali_account *account = rebali_accounts_find(&ledger->accounts, key);

  drop_entry_of(ledger, account, cluster);
  if (before->set != REBAL_NONE) {
    const struct rebali_claim claim = claim_of(ledger, &(struct rebali_entry){cluster, before->set, 0});

    add_entry(ledger, account, &claim, before->set);
  }
  account->expiry = before->expiry;
  if (account->n_entries == 0) {
    rebali_accounts_remove(&ledger->accounts, account);
  }
}

/* Reserves memory for all claims and interns their sets. */
static int32_t reserve_claims(rebal_ledger *ledger, const struct rebali_claim *claims, size_t n) {
  int32_t code =
      rebali_reserve(&ledger->allocator, &ledger->claimed, &ledger->claimed_capacity, n, sizeof *ledger->claimed);

  for (size_t i = 0; i < n && code == REBAL_OK; i++) {
    if (i != 0 && is_same_set(&claims[i], &claims[i - 1])) {
      ledger->claimed[i] = ledger->claimed[i - 1];
    } else {
      code = intern_set(ledger, &claims[i], &ledger->claimed[i]);
    }
    code = code == REBAL_OK ? rebali_sums_reserve(&ledger->sums, &claims[i]) : REBAL_ENOMEM;
  }
  return code;
}

/* Returns whether the account holds exactly the claims, in their order. */
static int holds(const rebal_ledger *ledger, const struct rebali_account *account, const struct rebali_claim *claims,
                 size_t n) {
  size_t i = 0;

  while (i < n && i < account->n_entries && account->entries[i].cluster == claims[i].cluster &&
         account->entries[i].set == ledger->claimed[i]) {
    i++;
  }
  return i == n && i == account->n_entries;
}

/* The account holds nothing but what earlier claims added. If two claims have the same cluster, the last is used. */
static void add_claims(rebal_ledger *ledger, struct rebali_account *account, const struct rebali_claim *claims,
                       size_t n) {
  ledger->replacings++;
  for (size_t i = 0; i < n; i++) {
    struct rebali_spent_row *row = &ledger->sums.rows[claims[i].cluster];

    if (row->replaced == ledger->replacings) {
      drop_entry_of(ledger, account, claims[i].cluster);
    }
    row->replaced = ledger->replacings;
    if (!is_empty(&claims[i])) {
      add_entry(ledger, account, &claims[i], ledger->claimed[i]);
    }
  }
}

int32_t rebali_ledger_replace(rebal_ledger *ledger, struct rebali_text key, const struct rebali_claim *claims, size_t n,
                              const rebal_time *expiry) {
  struct rebali_account *account = rebali_accounts_find(&ledger->accounts, key);
  int32_t code;

  if (account == NULL && n == 0) {
    return REBAL_OK;
  }
  if (account == NULL) {
    account = rebali_accounts_add(&ledger->accounts, key);
  }
  if (account == NULL) {
    return REBAL_ENOMEM;
  }
  code = rebali_reserve(&ledger->allocator, &account->entries, &account->capacity, n, sizeof *account->entries);
  code = code == REBAL_OK ? reserve_claims(ledger, claims, n) : code;
  if (code == REBAL_OK) {
    account->expiry = *expiry;
  }
  if (code == REBAL_OK && !holds(ledger, account, claims, n)) {
    while (account->n_entries != 0) {
      drop_entry(ledger, account, account->n_entries - 1);
    }
    add_claims(ledger, account, claims, n);
  }
  if (account->n_entries == 0) {
    rebali_accounts_remove(&ledger->accounts, account);
  }
  return code;
}

int32_t rebali_ledger_know(rebal_ledger *ledger, struct rebali_claim *claims, size_t *n) {
  const size_t n_given = *n;
  const int32_t code = reserve_claims(ledger, claims, n_given);

  *n = 0;
  for (size_t i = 0; i < n_given && code == REBAL_OK; i++) {
    if (!is_empty(&claims[i])) {
      claims[*n] = claim_of(ledger, &(struct rebali_entry){claims[i].cluster, ledger->claimed[i], 0});
      ++*n;
    }
  }
  return code;
}

/* Without replicas nothing is kept; the rest of the binding stays until the new expiry. */
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

static int32_t put_charge(rebal_ledger *ledger, struct rebali_text key, const struct rebali_claim *claim,
                          const rebal_time *expiry, rebal_error *err) {
  rebal_time until = {0, 0, 0};
  int32_t code = check_claim(ledger, claim, err);

  if (code == REBAL_OK && expiry != NULL && expiry->is_set != 0) {
    code = rebali_time_check(expiry, -1, err);
    until = (rebal_time){expiry->seconds, expiry->nanos, 1};
  }
  if (code != REBAL_OK) {
    return code;
  }
  if (is_empty(claim)) {
    take_entry(ledger, key, claim->cluster, &until);
    return REBAL_OK;
  }
  return put_claim(ledger, key, claim, &until) == REBAL_OK ? REBAL_OK : rebali_fail_memory(err);
}

static int32_t load_charge(const rebal_charge *given, rebal_charge *known, rebal_error *err) {
  const int32_t code = given == NULL ? rebali_fail(err, REBAL_EINVAL, -1, "the charge is NULL")
                                     : rebali_options_load(known, sizeof *known, sizeof(rebal_charge), given, err);

  if (code != REBAL_OK) {
    return code;
  }
  if (known->n != 0 && (known->requirements == NULL || known->replicas == NULL)) {
    return rebali_fail(err, REBAL_EINVAL, -1, "%s is NULL", known->requirements == NULL ? "requirements" : "replicas");
  }
  return known->n < UINT32_MAX ? REBAL_OK : rebali_fail(err, REBAL_ELIMIT, -1, "too many components");
}

int32_t rebal_ledger_charge(rebal_ledger *ledger, const char *key, size_t key_len, const rebal_charge *charge,
                            rebal_error *err) {
  struct rebali_component *components;
  struct rebali_text taken;
  rebal_charge known;
  size_t n;
  int32_t code = take_key(ledger, key, key_len, &taken, err);

  if (code == REBAL_OK) {
    code = load_charge(charge, &known, err);
  }
  if (code != REBAL_OK) {
    return code;
  }
  n = (size_t)known.n;
  components = rebali_allocate(&ledger->allocator, n, sizeof *components);
  if (n != 0 && components == NULL) {
    return rebali_fail_memory(err);
  }
  for (size_t i = 0; i < n; i++) {
    components[i] = (struct rebali_component){known.requirements[i], known.replicas[i]};
  }
  code = put_charge(ledger, taken, &(struct rebali_claim){known.cluster, components, n}, known.expiry, err);
  rebali_release(&ledger->allocator, components);
  return code;
}

int32_t rebal_ledger_release(rebal_ledger *ledger, const char *key, size_t key_len, uint32_t cluster,
                             rebal_error *err) {
  struct rebali_account *account;
  struct rebali_text taken;
  const int32_t code = take_key(ledger, key, key_len, &taken, err);

  if (code != REBAL_OK) {
    return code;
  }
  if (cluster != REBAL_NONE) {
    take_entry(ledger, taken, cluster, NULL);
    return REBAL_OK;
  }
  account = rebali_accounts_find(&ledger->accounts, taken);
  if (account != NULL) {
    drop_account(ledger, account);
  }
  return REBAL_OK;
}

int32_t rebal_ledger_expire(rebal_ledger *ledger, const rebal_time *now, rebal_error *err) {
  const int32_t code =
      ledger == NULL ? rebali_fail(err, REBAL_EINVAL, -1, "ledger is NULL") : rebali_clock_check(now, err);
  size_t i;

  if (code != REBAL_OK) {
    return code;
  }
  /* From the end, as the last account replaces a dropped one. */
  for (i = ledger->accounts.n; i-- > 0;) {
    struct rebali_account *account = ledger->accounts.list[i];

    if (account->expiry.is_set != 0 && rebali_time_compare(&account->expiry, now) < 0) {
      drop_account(ledger, account);
    }
  }
  return REBAL_OK;
}

/* The copy must not have an account of the key. After a failure, the copy is freed with its parts. */
static int32_t copy_account(rebal_ledger *copy, const rebal_ledger *ledger, const struct rebali_account *account) {
  struct rebali_account *to = rebali_accounts_add(&copy->accounts, account->key);

  if (to == NULL || rebali_reserve(&copy->allocator, &to->entries, &to->capacity, account->n_entries,
                                   sizeof *to->entries) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  to->expiry = account->expiry;
  for (size_t i = 0; i < account->n_entries; i++) {
    const struct rebali_claim claim = claim_of(ledger, &account->entries[i]);
    uint32_t set;

    if (intern_set(copy, &claim, &set) != REBAL_OK || rebali_sums_reserve(&copy->sums, &claim) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
    add_entry(copy, to, &claim, set);
  }
  return REBAL_OK;
}

int32_t rebal_ledger_fork(const rebal_ledger *ledger, rebal_ledger **out, rebal_error *err) {
  rebal_ledger *copy;
  int32_t code;
  size_t i;

  if (ledger == NULL || out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "%s is NULL", ledger == NULL ? "ledger" : "out");
  }
  code = rebali_ledger_new(&ledger->allocator, ledger->store, &copy, err);
  if (code != REBAL_OK) {
    return code;
  }
  for (i = 0; i < ledger->accounts.n && code == REBAL_OK; i++) {
    code = copy_account(copy, ledger, ledger->accounts.list[i]);
  }
  if (code != REBAL_OK) {
    rebal_ledger_free(copy);
    return rebali_fail_memory(err);
  }
  *out = copy;
  return REBAL_OK;
}

int rebali_ledger_touches(const rebal_ledger *ledger, uint32_t cluster) {
  return ledger != NULL && cluster < ledger->sums.n && ledger->sums.rows[cluster].n_holders != 0;
}

const struct rebali_spent *rebali_ledger_spent(const rebal_ledger *ledger) {
  return &ledger->sums.spent;
}

const struct rebali_journal *rebali_ledger_journal(const rebal_ledger *ledger) {
  return &ledger->sums.journal;
}

/* Returns NULL if nothing is charged. */
static const struct rebali_spent_row *row_of(const rebal_ledger *ledger, uint32_t cluster) {
  return rebali_ledger_touches(ledger, cluster) ? &ledger->sums.rows[cluster] : NULL;
}

const struct rebali_spent_change *rebali_ledger_changes(const rebal_ledger *ledger, uint32_t *n, uint64_t *falls) {
  *n = (uint32_t)ledger->sums.n; /* at most the largest id + 1 */
  *falls = ledger->sums.falls;
  return ledger->sums.changes;
}

struct rebali_charge rebali_ledger_charge(const rebal_ledger *ledger, uint32_t cluster, struct rebali_text name) {
  const struct rebali_spent_row *row = row_of(ledger, cluster);

  for (size_t i = 0; row != NULL && i < row->n_sums; i++) {
    const struct rebali_sum *sum = &row->sums[i];

    if (rebali_text_equal(rebali_intern_get(ledger->sums.names, sum->name), name)) {
      return (struct rebali_charge){rebali_wide_saturate(sum->amount), rebali_wide_saturate(sum->as_written)};
    }
  }
  return (struct rebali_charge){0, 0};
}

int64_t rebali_ledger_pods(const rebal_ledger *ledger, uint32_t cluster) {
  return ledger == NULL ? 0 : rebali_spent_pods(&ledger->sums.spent, cluster);
}

uint32_t rebali_ledger_names(const rebal_ledger *ledger) {
  return ledger == NULL ? 0 : rebali_intern_count(ledger->sums.names);
}

uint32_t rebali_ledger_find_name(const rebal_ledger *ledger, struct rebali_text name) {
  return rebali_intern_find(ledger->sums.names, name.bytes, name.len);
}

struct rebali_text rebali_ledger_name(const rebal_ledger *ledger, uint32_t index) {
  return rebali_intern_get(ledger->sums.names, index);
}

const struct rebali_component *rebali_ledger_set(const rebal_ledger *ledger, uint32_t set, size_t *n) {
  const struct rebali_claim claim = claim_of(ledger, &(struct rebali_entry){0, set, 0});

  *n = claim.n_components;
  return claim.components;
}

const struct rebali_prices *rebali_ledger_prices(const rebal_ledger *ledger, uint32_t requirements) {
  return requirements < ledger->sums.n_prices ? ledger->sums.prices[requirements] : NULL;
}

static int compare_holdings(const void *left, const void *right, const void *context) {
  (void)context;
  return rebali_text_compare(((const struct rebali_holding *)left)->key, ((const struct rebali_holding *)right)->key);
}

int32_t rebali_ledger_holdings(const rebal_ledger *ledger, uint32_t cluster, struct rebali_arena *arena,
                               const struct rebali_holding **holdings, size_t *n) {
  const struct rebali_spent_row *row = row_of(ledger, cluster);
  struct rebali_holding *list;

  *n = row == NULL ? 0 : row->n_holders;
  list = rebali_arena_allocate(arena, *n, 2 * sizeof *list);
  if (list == NULL) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < *n; i++) {
    const struct rebali_account *account = row->holders[i].account;

    list[i].key = account->key;
    list[i].components = rebali_ledger_set(ledger, account->entries[row->holders[i].entry].set, &list[i].n_components);
  }
  rebali_sort(list, *n, sizeof *list, list + *n, compare_holdings, NULL);
  *holdings = list;
  return REBAL_OK;
}

const struct rebali_accounts *rebali_ledger_accounts(const rebal_ledger *ledger) {
  return ledger == NULL ? NULL : &ledger->accounts;
}

const void *rebali_ledger_fleet(const rebal_ledger *ledger) {
  return ledger == NULL ? NULL : ledger->store;
}

struct rebali_identity *rebali_ledger_identity(const rebal_ledger *ledger) {
  return ledger->identity;
}
