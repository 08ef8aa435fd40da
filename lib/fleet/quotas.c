/* SPDX-License-Identifier: MIT */
/* ResourceQuotas of clusters: one record each, which snapshots share. */
#include "fleet/nodes.h"

struct rebali_quotas {
  atomic_size_t references;
  uint64_t record[]; /* as bytes */
};

struct rebali_quotas *rebali_quotas_ref(struct rebali_quotas *quotas) {
  if (quotas != NULL) {
    atomic_fetch_add_explicit(&quotas->references, 1, memory_order_relaxed);
  }
  return quotas;
}

void rebali_quotas_unref(const rebal_allocator *allocator, struct rebali_quotas *quotas) {
  if (quotas != NULL && atomic_fetch_sub_explicit(&quotas->references, 1, memory_order_acq_rel) == 1) {
    rebali_release(allocator, quotas);
  }
}

/* Returns NULL without memory. */
static struct rebali_quotas *copy(const rebal_allocator *allocator, const rebal_record *record) {
  const size_t size = rebali_record_size(record);
  struct rebali_quotas *quotas = rebali_allocate(allocator, 1, sizeof *quotas + size);

  if (quotas != NULL) {
    atomic_init(&quotas->references, 1);
    memcpy(quotas->record, record, size);
  }
  return quotas;
}

int32_t rebal_fleet_set_quotas(rebal_fleet *fleet, uint32_t cluster, const rebal_record *quotas, rebal_error *err) {
  struct rebali_quotas *copied = NULL;
  struct rebali_node_change change;
  int32_t code;

  if (quotas != NULL && rebal_record_object(quotas) != REBAL_OBJECT_QUOTAS) {
    return rebali_fail(err, REBAL_EINVAL, -1, "a record of kind %lu holds no quotas",
                       (unsigned long)rebal_record_object(quotas));
  }
  code = rebali_node_table_begin(fleet, cluster, &change, err);
  if (code != REBAL_OK) {
    return code;
  }
  if (quotas != NULL) {
    copied = copy(&fleet->store->allocator, quotas);
    if (copied == NULL) {
      return rebali_fail_memory(err);
    }
  }
  rebali_quotas_unref(&fleet->store->allocator, change.table->quotas);
  change.table->quotas = copied;
  rebali_node_table_end(&change);
  return REBAL_OK;
}

const rebal_record *rebali_state_quotas(const struct rebali_state *state, uint32_t cluster) {
  const struct rebali_node_table *table =
      rebali_state_present(state, cluster) ? rebali_state_nodes(state, cluster) : NULL;

  return table == NULL || table->quotas == NULL ? NULL : (const rebal_record *)(const void *)table->quotas->record;
}
