/* SPDX-License-Identifier: MIT */
/* Reads nodes of a snapshot. */
#include "fleet/nodes.h"

/* Returns the known nodes of the cluster; NULL if they are unknown or the cluster is missing. */
static const struct rebali_node_table *table_of(const rebal_snapshot *snapshot, uint32_t cluster) {
  return snapshot != NULL && rebali_snapshot_has(snapshot, cluster) ? rebali_snapshot_nodes(snapshot, cluster) : NULL;
}

/* Returns the same if it has the node, absent or not. */
static const struct rebali_node_table *table_with(const rebal_snapshot *snapshot, uint32_t cluster, uint32_t node) {
  const struct rebali_node_table *table = table_of(snapshot, cluster);

  return table != NULL && node < table->rows ? table : NULL;
}

static const char *give_text(struct rebali_text text, size_t *len) {
  if (len != NULL) {
    *len = text.len;
  }
  return text.bytes;
}

const char *rebal_snapshot_node_label(const rebal_snapshot *snapshot, uint32_t cluster, uint32_t node, const char *key,
                                      size_t key_len, size_t *len) {
  const struct rebali_node_table *table = table_with(snapshot, cluster, node);
  const struct rebali_intern *texts = table == NULL ? NULL : rebali_snapshot_store(snapshot)->texts;
  struct rebali_text found = {NULL, 0}, wanted = {NULL, 0};

  if (key == NULL || rebali_text_take(key, key_len, "key", &wanted, NULL) != REBAL_OK) {
    return give_text(found, len);
  }
  for (size_t i = 0; table != NULL && i < table->n_labels; i++) {
    const uint32_t value = rebali_node_label(&table->labels[i], node);

    if (value != REBAL_NONE && rebali_text_equal(rebali_intern_get(texts, table->labels[i].key), wanted)) {
      found = rebali_intern_get(texts, value);
    }
  }
  return give_text(found, len);
}

int64_t rebal_snapshot_node_amount(const rebal_snapshot *snapshot, uint32_t part, uint32_t cluster, uint32_t node,
                                   uint32_t resource) {
  const struct rebali_node_table *table = table_with(snapshot, cluster, node);
  const struct rebali_amount_leaf *leaf =
      table == NULL ? NULL : rebali_nodes_amounts(table, resource, node / REBALI_NODES);

  if (leaf == NULL || part > REBAL_CAPACITY_ALLOCATED) {
    return 0;
  }
  return (part == REBAL_CAPACITY_ALLOCATABLE ? leaf->allocatable : leaf->used)[node % REBALI_NODES];
}

/* ---- fingerprints ------------------------------------------------------------------------------------------------ */

static void digest_labels(struct rebali_digest *digest, const struct rebali_store *store,
                          const struct rebali_node_table *table, uint32_t node) {
  struct rebali_fingerprint sum = {0, 0};

  for (size_t i = 0; i < table->n_labels; i++) {
    const uint32_t value = rebali_node_label(&table->labels[i], node);
    struct rebali_digest pair;

    if (value != REBAL_NONE) {
      rebali_digest_begin(&pair, 0, 0);
      rebali_digest_text(&pair, rebali_intern_get(store->texts, table->labels[i].key));
      rebali_digest_text(&pair, rebali_intern_get(store->texts, value));
      rebali_fingerprint_add(&sum, rebali_digest_end(&pair));
    }
  }
  rebali_digest_fingerprint(digest, sum);
}

static void digest_amounts(struct rebali_digest *digest, const struct rebali_store *store,
                           const struct rebali_node_table *table, uint32_t node) {
  struct rebali_fingerprint sum = {0, 0};

  for (size_t i = 0; i < table->n_columns; i++) {
    const int64_t amount = rebali_node_allocatable(&table->columns[i], node);
    struct rebali_digest member;

    if (amount != 0) {
      rebali_digest_begin(&member, 0, 0);
      rebali_digest_text(&member, rebali_intern_get(store->resources, table->columns[i].resource));
      rebali_digest_u64(&member, (uint64_t)amount);
      rebali_fingerprint_add(&sum, rebali_digest_end(&member));
    }
  }
  rebali_digest_fingerprint(digest, sum);
}

void rebali_digest_nodes(struct rebali_digest *digest, const rebal_snapshot *snapshot, uint32_t cluster) {
  const struct rebali_store *store = rebali_snapshot_store(snapshot);
  const struct rebali_node_table *table = rebali_snapshot_nodes(snapshot, cluster);
  uint32_t n = 0;
  const uint32_t *order = table == NULL ? NULL : rebali_nodes_order(table, &n);

  if (table != NULL) {
    rebali_digest_u64(digest, n);
  }
  if (rebali_state_quotas(&snapshot->state, cluster) != NULL) {
    rebali_digest_text(digest, REBALI_TEXT("quotas"));
    rebali_digest_record(digest, rebali_state_quotas(&snapshot->state, cluster));
  }
  for (uint32_t i = 0; i < n; i++) {
    const struct rebali_node_leaf *leaf = rebali_nodes_leaf(table, order[i] / REBALI_NODES);
    const uint32_t place = order[i] % REBALI_NODES;

    rebali_digest_text(digest, rebali_intern_get(store->texts, leaf->names[place]));
    rebali_digest_record(digest,
                         rebali_store_record(store, rebali_store_kind(REBAL_OBJECT_TAINTS), leaf->taints[place]));
    rebali_digest_u64(digest, (uint64_t)rebali_bit_get(&leaf->unschedulable, place));
    digest_labels(digest, store, table, order[i]);
    digest_amounts(digest, store, table, order[i]);
  }
}
