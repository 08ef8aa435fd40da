/* SPDX-License-Identifier: MIT */
/* Reading back rows of tables below a cluster. */
#include "fleet/nodes.h"

/* NULL: there is no such table, or nothing is known of it. */
static const struct rebali_rows *rows_of(const rebal_snapshot *snapshot, uint32_t cluster, uint32_t table) {
  const struct rebali_node_table *nodes =
      rebal_snapshot_has_cluster(snapshot, cluster) ? rebali_cells_nodes(&snapshot->cells, cluster) : NULL;

  return nodes == NULL || table < REBAL_TABLE_POD || table - REBAL_TABLE_POD >= REBALI_ROW_TABLES
             ? NULL
             : rebali_table_rows(nodes, table);
}

/* The leaf of a row in which a column of this type may be read; NULL: there is none. */
static const struct rebali_rows_leaf *leaf_of(const rebal_snapshot *snapshot, uint32_t cluster, uint32_t column,
                                              uint32_t row, uint32_t type, const struct rebali_field_info **info) {
  const struct rebali_rows *rows = rows_of(snapshot, cluster, column / 256u);

  return rows == NULL || rebali_column_check(column, column / 256u, type, info, NULL) != REBAL_OK
             ? NULL
             : rebali_rows_find(rows, row);
}

uint32_t rebal_snapshot_table_rows(const rebal_snapshot *snapshot, uint32_t cluster, uint32_t table) {
  const struct rebali_rows *rows = rows_of(snapshot, cluster, table);

  return rows == NULL ? 0 : rows->n;
}

int32_t rebal_snapshot_has_row(const rebal_snapshot *snapshot, uint32_t cluster, uint32_t table, uint32_t row) {
  const struct rebali_rows *rows = rows_of(snapshot, cluster, table);

  return rows != NULL && rebali_rows_find(rows, row) != NULL;
}

int64_t rebal_snapshot_row_i64(const rebal_snapshot *snapshot, uint32_t cluster, uint32_t column, uint32_t row) {
  const struct rebali_field_info *info = NULL;
  const struct rebali_rows_leaf *leaf = leaf_of(snapshot, cluster, column, row, REBAL_TYPE_INT64, &info);

  return leaf == NULL ? REBAL_ABSENT : rebali_rows_i64(leaf, info, row % REBALI_NODES);
}

const char *rebal_snapshot_row_text(const rebal_snapshot *snapshot, uint32_t cluster, uint32_t column, uint32_t row,
                                    size_t *len) {
  const struct rebali_field_info *info = NULL;
  const struct rebali_rows_leaf *leaf = leaf_of(snapshot, cluster, column, row, REBAL_TYPE_TEXT, &info);
  const int64_t id = leaf == NULL ? (int64_t)REBAL_NONE : rebali_rows_i64(leaf, info, row % REBALI_NODES);
  const struct rebali_text text = id == (int64_t)REBAL_NONE
                                      ? REBALI_TEXT("")
                                      : rebali_intern_get(rebali_snapshot_store(snapshot)->texts, (uint32_t)id);

  if (len != NULL) {
    *len = text.len;
  }
  return text.bytes;
}

void rebal_snapshot_row_time(const rebal_snapshot *snapshot, uint32_t cluster, uint32_t column, uint32_t row,
                             rebal_time *out) {
  const struct rebali_field_info *info = NULL;
  const struct rebali_rows_leaf *leaf = leaf_of(snapshot, cluster, column, row, REBAL_TYPE_TIME, &info);
  const int64_t seconds = leaf == NULL ? REBAL_ABSENT : rebali_rows_i64(leaf, info, row % REBALI_NODES);

  if (out != NULL) {
    *out = seconds == REBAL_ABSENT ? (rebal_time){0, 0, 0} : (rebal_time){seconds, 0, 1};
  }
}

/* ---- fingerprints ------------------------------------------------------------------------------------------------ */

/* Ids of nodes are no content, their names are. */
static void digest_cell(struct rebali_digest *digest, const rebal_snapshot *snapshot,
                        const struct rebali_node_table *table, const struct rebali_field_info *info, int64_t value) {
  const struct rebali_store *store = rebali_snapshot_store(snapshot);

  rebali_digest_u64(digest, info->id);
  if (info->id == REBAL_POD_NODE) {
    value = (int64_t)rebali_nodes_leaf(table, (uint32_t)value / REBALI_NODES)->names[(uint32_t)value % REBALI_NODES];
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
  const struct rebali_node_table *table = rebali_cells_nodes(&snapshot->cells, cluster);

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
