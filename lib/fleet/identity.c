/* SPDX-License-Identifier: MIT */
#include "fleet/fleet.h"

struct rebali_identity {
  atomic_size_t references;
  struct rebali_store *store; /* its allocator lives as long as a reference exists */
};

int32_t rebali_identity_new(struct rebali_store *store, struct rebali_identity **out) {
  struct rebali_identity *identity = rebali_allocate(&store->allocator, 1, sizeof *identity);

  if (identity == NULL) {
    return REBAL_ENOMEM;
  }
  atomic_init(&identity->references, 1);
  identity->store = rebali_store_ref(store);
  *out = identity;
  return REBAL_OK;
}

struct rebali_identity *rebali_identity_ref(struct rebali_identity *identity) {
  if (identity != NULL) {
    atomic_fetch_add_explicit(&identity->references, 1, memory_order_relaxed);
  }
  return identity;
}

void rebali_identity_unref(struct rebali_identity *identity) {
  struct rebali_store *store;

  if (identity == NULL || atomic_fetch_sub_explicit(&identity->references, 1, memory_order_acq_rel) != 1) {
    return;
  }
  store = identity->store;
  rebali_release(&store->allocator, identity);
  rebali_store_unref(store);
}
