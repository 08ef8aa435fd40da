/* SPDX-License-Identifier: MIT */
/* Holdings of a ledger as bytes. */
#include "fleet/saved.h"

/* Saves one binding in one cluster: rows of SPENT from this one on. Returns the row after them. */
static size_t save_charge(struct rebali_saving *saving, const rebal_result *held, size_t row, size_t end) {
  const int64_t *clusters = rebal_result_i64(held, REBAL_SPENT_CLUSTER, NULL);
  const int64_t *components = rebal_result_i64(held, REBAL_SPENT_COMPONENT, NULL);
  const int64_t *requirements = rebal_result_i64(held, REBAL_SPENT_REQUIREMENTS, NULL);
  const int64_t *replicas = rebal_result_i64(held, REBAL_SPENT_REPLICAS, NULL);
  rebal_time expiry;
  size_t len, next = row + 1;
  const char *key = rebal_result_text(held, REBAL_SPENT_KEY, row, &len);

  while (next < end && components[next] != 0) {
    next++;
  }
  rebal_result_time(held, REBAL_SPENT_EXPIRY, row, &expiry);
  rebali_save_text(saving, rebali_text(key, len));
  rebali_save_time(saving, &expiry);
  rebali_save_u32(saving, expiry.is_set);
  rebali_save_u32(saving, (uint32_t)clusters[row]);
  rebali_save_u32(saving, (uint32_t)(next - row));
  for (; row < next; row++) {
    rebali_save_u32(saving, requirements[row] == REBAL_ABSENT ? REBAL_NONE : (uint32_t)requirements[row]);
    rebali_save_u32(saving, (uint32_t)replicas[row]);
  }
  return next;
}

int32_t rebali_save_ledger(struct rebali_saving *saving, const rebal_ledger *ledger, rebal_error *err) {
  rebal_result *held;
  uint32_t n = 0;
  int32_t code = rebal_result_new(saving->allocator, &held, err);

  if (code != REBAL_OK) {
    return code;
  }
  code = rebal_ledger_read(ledger, held, err);
  if (code == REBAL_OK) {
    const size_t end = rebal_result_count(held, REBAL_TABLE_SPENT);
    const int64_t *components = rebal_result_i64(held, REBAL_SPENT_COMPONENT, NULL);
    size_t row = 0;

    for (size_t i = 0; i < end; i++) {
      n += components[i] == 0;
    }
    rebali_save_section(saving, REBALI_SAVED_LEDGER, 0, 0);
    rebali_save_u32(saving, n);
    while (row < end) {
      row = save_charge(saving, held, row, end);
    }
  }
  rebal_result_free(held);
  return code;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* rebali_load_count() has found the bytes of all components. */
static void load_components(struct rebali_loading *loading, uint32_t *requirements, int32_t *replicas, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    uint32_t number;

    (void)rebali_load_u32(loading, &requirements[i], NULL);
    (void)rebali_load_u32(loading, &number, NULL);
    replicas[i] = (int32_t)number;
  }
}

static int32_t load_charge(struct rebali_loading *loading, rebal_error *err) {
  rebal_charge charge = {.struct_size = sizeof charge};
  struct rebali_text key;
  rebal_time expiry = {0, 0, 0};
  uint32_t *requirements;
  uint32_t n = 0;
  int32_t code = rebali_load_text(loading, &key, err);

  if (code == REBAL_OK) {
    code = rebali_load_time(loading, &expiry, err);
  }
  if (code == REBAL_OK) {
    code = rebali_load_u32(loading, &expiry.is_set, err);
  }
  if (code == REBAL_OK) {
    code = rebali_load_u32(loading, &charge.cluster, err);
  }
  if (code == REBAL_OK) {
    code = rebali_load_count(loading, 2 * sizeof(uint32_t), &n, err);
  }
  if (code != REBAL_OK || n == 0) {
    return code;
  }
  requirements = rebali_allocate(loading->allocator, n, sizeof *requirements + sizeof(int32_t));
  if (requirements == NULL) {
    return rebali_fail_memory(err);
  }
  charge.requirements = requirements;
  charge.replicas = (int32_t *)(void *)(requirements + n);
  charge.n = n;
  charge.expiry = &expiry;
  load_components(loading, requirements, (int32_t *)(void *)(requirements + n), n);
  code = rebal_ledger_charge(loading->ledger, key.bytes, key.len, &charge, err);
  rebali_release(loading->allocator, requirements);
  return code;
}

int32_t rebali_load_ledger(struct rebali_loading *loading, rebal_error *err) {
  uint32_t n = 0;
  int32_t code = loading->ledger != NULL ? rebali_load_malformed(loading, "there are two ledgers", err)
                                         : rebal_ledger_new(loading->fleet, loading->allocator, &loading->ledger, err);

  if (code == REBAL_OK) {
    code = rebali_load_count(loading, sizeof(uint32_t), &n, err);
  }
  for (uint32_t i = 0; i < n && code == REBAL_OK; i++) {
    code = load_charge(loading, err);
  }
  return code;
}
