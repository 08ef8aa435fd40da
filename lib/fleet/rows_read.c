/* SPDX-License-Identifier: MIT */
/* Reads rows of tables below a cluster. */
#include "fleet/nodes.h"

const struct rebali_rows *rebali_state_rows(const struct rebali_state *state, uint32_t cluster, uint32_t table) {
  static const struct rebali_rows nothing = {.n = 0};
  const struct rebali_node_table *nodes =
      rebali_state_present(state, cluster) ? rebali_state_nodes(state, cluster) : NULL;

  return nodes == NULL ? &nothing : rebali_table_rows(nodes, table);
}

/* ---- fingerprints ------------------------------------------------------------------------------------------------ */

/* Digests the names of nodes; their ids are not content. */
static void digest_cell(struct rebali_digest *digest, const rebal_snapshot *snapshot,
                        const struct rebali_node_table *table, const struct rebali_field_info *info, int64_t value) {
  const struct rebali_store *store = rebali_snapshot_store(snapshot);

  rebali_digest_u64(digest, info->id);
  if (info->id == REBAL_POD_NODE) {
    value = (int64_t)rebali_node_name(table, (uint32_t)value);
  }
  if (info->id == REBAL_POD_NODE || info->type == REBAL_TYPE_TEXT) {
    rebali_digest_text(digest, rebali_intern_get(store->texts, (uint32_t)value));
  } else if (info->type == REBAL_TYPE_HANDLE) {
    rebali_digest_record(digest, rebali_store_record(store, rebali_store_kind(info->child), (uint32_t)value));
  } else {
    rebali_digest_u64(digest, (uint64_t)value);
  }
}

static struct rebali_fingerprint digest_row(const rebal_snapshot *snapshot, const struct rebali_node_table *table,
                                            uint32_t number, const struct rebali_rows_leaf *leaf, uint32_t place) {
  struct rebali_digest digest;
  size_t n;
  const struct rebali_field_info *infos = rebali_object_fields(number, &n);

  rebali_digest_begin(&digest, 0, 0);
  for (size_t i = 0; i < n; i++) {
    const int64_t value = rebali_rows_i64(leaf, &infos[i], place);

    if (value != rebali_rows_absent(&infos[i])) {
      digest_cell(&digest, snapshot, table, &infos[i], value);
    }
  }
  return rebali_digest_end(&digest);
}

/* The sum over rows does not depend on their ids. */
void rebali_digest_rows(struct rebali_digest *digest, const rebal_snapshot *snapshot, uint32_t cluster) {
  const struct rebali_node_table *table = rebali_state_nodes(&snapshot->state, cluster);

  for (uint32_t number = REBAL_TABLE_POD; table != NULL && number < REBAL_TABLE_POD + REBALI_ROW_TABLES; number++) {
    const struct rebali_rows *rows = rebali_table_rows(table, number);
    struct rebali_fingerprint sum = {0, 0};

    for (uint32_t row = 0; row < rows->n; row++) {
      const struct rebali_rows_leaf *leaf = rebali_rows_find(rows, row);

      if (leaf != NULL) {
        rebali_fingerprint_add(&sum, digest_row(snapshot, table, number, leaf, row % REBALI_NODES));
      }
    }
    if (rows->present != 0) {
      rebali_digest_u64(digest, number);
      rebali_digest_fingerprint(digest, sum);
    }
  }
}
