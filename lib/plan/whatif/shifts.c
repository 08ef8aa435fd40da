/* SPDX-License-Identifier: MIT */
/*
 * Charges that differ with a loss. All losses share one ledger, which holds the charges without any loss. To decide a
 * binding with a loss, the bindings before it are charged as with this loss, and afterward as before. Shifts of a list
 * have distinct keys.
 */
#include "plan/whatif/whatif.h"

int32_t rebali_claims_read(const rebal_ledger *ledger, struct rebali_text key, struct rebali_arena *arena,
                           struct rebali_claims *out) {
  const struct rebali_account *account = rebali_accounts_find(rebali_ledger_accounts(ledger), key);
  const size_t n = account == NULL ? 0 : account->n_entries;
  struct rebali_claim *list = rebali_arena_allocate(arena, n, sizeof *list);

  if (list == NULL) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < n; i++) {
    list[i].cluster = account->entries[i].cluster;
    list[i].components = rebali_ledger_set(ledger, account->entries[i].set, &list[i].n_components);
  }
  *out = (struct rebali_claims){list, n};
  return REBAL_OK;
}

/* Components of one ledger are equal if and only if they are the same object. */
int rebali_claims_equal(const struct rebali_claims *left, const struct rebali_claims *right) {
  size_t i = 0;

  while (i < left->n && i < right->n && left->list[i].cluster == right->list[i].cluster &&
         left->list[i].components == right->list[i].components) {
    i++;
  }
  return i == left->n && i == right->n;
}

int32_t rebali_claims_write(rebal_ledger *ledger, struct rebali_text key, const struct rebali_claims *claims) {
  static const rebal_time never = {0, 0, 0};

  return rebali_ledger_replace(ledger, key, claims->list, claims->n, &never);
}

int32_t rebali_shifts_apply(rebal_ledger *ledger, const struct rebali_shift *first, int otherwise) {
  int32_t code = REBAL_OK;

  for (const struct rebali_shift *shift = first; shift != NULL && code == REBAL_OK; shift = shift->next) {
    code = rebali_claims_write(ledger, shift->key, otherwise ? &shift->otherwise : &shift->base);
  }
  return code;
}

struct rebali_claim *rebali_claims_copy(struct rebali_arena *arena, const struct rebali_claim *claims, size_t n) {
  struct rebali_claim *list = rebali_arena_allocate(arena, n, sizeof *list);

  if (list != NULL && n > 0) {
    memcpy(list, claims, n * sizeof *list);
  }
  return list;
}

int32_t rebali_shifts_add(struct rebali_arena *arena, struct rebali_shift **list, const struct rebali_shift *shift) {
  struct rebali_shift *copy = rebali_arena_allocate(arena, 1, sizeof *copy);

  if (copy == NULL) {
    return REBAL_ENOMEM;
  }
  *copy = *shift;
  copy->next = *list;
  copy->otherwise.list = rebali_claims_copy(arena, shift->otherwise.list, shift->otherwise.n);
  copy->base.list = rebali_claims_copy(arena, shift->base.list, shift->base.n);
  if (copy->otherwise.list == NULL || copy->base.list == NULL) {
    return REBAL_ENOMEM;
  }
  *list = copy;
  return REBAL_OK;
}

const struct rebali_shift *rebali_shifts_forget(struct rebali_shift **list, uint32_t key_id) {
  const struct rebali_shift *forgotten;

  while (*list != NULL && (*list)->key_id != key_id) {
    list = &(*list)->next;
  }
  forgotten = *list;
  if (forgotten != NULL) {
    *list = forgotten->next;
  }
  return forgotten;
}
