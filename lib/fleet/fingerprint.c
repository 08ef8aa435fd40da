/* SPDX-License-Identifier: MIT */
/* Fingerprints of this module's objects: content by name and value, without ids and history. */
#include "fleet/fleet.h"

#define END UINT64_MAX /* cannot be a column, an option or the length of a text */

/* ---- cells: absent ones do not count, so a new column changes no fingerprint ------------------------------------- */

void rebali_digest_time(struct rebali_digest *digest, const rebal_time *time) {
  rebali_digest_u64(digest, (uint64_t)time->seconds);
  rebali_digest_u64(digest, (uint64_t)time->is_set << 32 | (uint32_t)time->nanos);
}

static void digest_text(struct rebali_digest *digest, uint32_t column, struct rebali_text text) {
  if (text.len != 0) {
    rebali_digest_u64(digest, column);
    rebali_digest_text(digest, text);
  }
}

static void digest_integer(struct rebali_digest *digest, const struct rebali_store *store,
                           const struct rebali_field_info *column, int64_t value) {
  if (value == column->absent) {
    return;
  }
  rebali_digest_u64(digest, column->id);
  if (column->type == REBAL_TYPE_HANDLE) {
    rebali_digest_record(digest, rebali_store_record(store, rebali_store_kind(column->child), (uint32_t)value));
  } else if (column->type == REBAL_TYPE_CLUSTER) {
    rebali_digest_text(digest, rebali_intern_get(store->names, (uint32_t)value)); /* cells hold known ids only */
  } else {
    rebali_digest_u64(digest, (uint64_t)value);
  }
}

/* ---- snapshots --------------------------------------------------------------------------------------------------- */

static void digest_capacity(struct rebali_digest *digest, const rebal_snapshot *snapshot, uint32_t cluster) {
  uint32_t n;
  const uint32_t *resources = rebali_snapshot_resources_by_name(snapshot, &n);

  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t part = REBAL_CAPACITY_ALLOCATABLE; part <= REBAL_CAPACITY_ALLOCATING; part++) {
      rebal_quantity amount;

      if (rebali_snapshot_capacity(snapshot, part, cluster, resources[i], &amount)) {
        rebali_digest_text(digest, rebali_snapshot_resource_name(snapshot, resources[i]));
        rebali_digest_u64(digest, part);
        rebali_digest_quantity(digest, &amount);
      }
    }
  }
  rebali_digest_u64(digest, END);
}

/* with_nodes: also adds what is below the cluster, and that it is known. */
static void digest_cluster_row(struct rebali_digest *digest, const rebal_snapshot *snapshot, uint32_t cluster,
                               int with_nodes) {
  size_t n;
  const struct rebali_field_info *columns = rebali_object_fields(REBAL_TABLE_CLUSTER, &n);

  rebali_digest_text(digest, rebali_snapshot_name(snapshot, cluster));
  for (size_t i = 0; i < n; i++) {
    if (columns[i].type == REBAL_TYPE_TEXT) {
      digest_text(digest, columns[i].id, rebali_snapshot_text(snapshot, columns[i].id, cluster));
    } else if (with_nodes || columns[i].id != REBAL_CLUSTER_HAS_NODES) {
      digest_integer(digest, rebali_snapshot_store(snapshot), &columns[i],
                     rebali_snapshot_i64(snapshot, columns[i].id, cluster));
    }
  }
  rebali_digest_u64(digest, END);
  digest_capacity(digest, snapshot, cluster);
  if (with_nodes) {
    rebali_digest_nodes(digest, snapshot, cluster);
    rebali_digest_rows(digest, snapshot, cluster);
  }
}

static struct rebali_fingerprint digest_snapshot(const rebal_snapshot *snapshot, int with_nodes) {
  struct rebali_digest digest;
  uint32_t n;
  const uint32_t *clusters = rebali_snapshot_by_name(snapshot, &n);

  rebali_digest_begin(&digest, 0, 0);
  for (uint32_t i = 0; i < n; i++) {
    digest_cluster_row(&digest, snapshot, clusters[i], with_nodes);
  }
  return rebali_digest_end(&digest);
}

struct rebali_fingerprint rebali_snapshot_fingerprint(const void *snapshot) {
  return digest_snapshot(snapshot, 1);
}

struct rebali_fingerprint rebali_clusters_fingerprint(const void *snapshot) {
  return digest_snapshot(snapshot, 0);
}

/* ---- bindings ---------------------------------------------------------------------------------------------------- */

static void digest_row(struct rebali_digest *digest, const rebal_bindings *bindings, uint32_t table, uint32_t row) {
  const struct rebali_table *cells = &bindings->tables[table - REBAL_TABLE_BINDING];
  size_t n;
  const struct rebali_field_info *columns = rebali_object_fields(table, &n);

  for (size_t i = 0; i < n; i++) {
    if (columns[i].type == REBAL_TYPE_TEXT) {
      digest_text(digest, columns[i].id, rebali_table_text(cells, columns[i].id, row));
    } else if (columns[i].type == REBAL_TYPE_TIME) {
      const rebal_time time = rebali_table_time(cells, columns[i].id, row);

      if (time.is_set) {
        rebali_digest_u64(digest, columns[i].id);
        rebali_digest_time(digest, &time);
      }
    } else {
      digest_integer(digest, bindings->set.store, &columns[i], rebali_table_i64(cells, columns[i].id, row));
    }
  }
  rebali_digest_u64(digest, END);
}

void rebali_digest_bindings(struct rebali_digest *digest, const rebal_bindings *bindings, size_t first, size_t end) {
  rebali_digest_u64(digest, end - first);
  for (size_t row = first; row < end; row++) {
    digest_row(digest, bindings, REBAL_TABLE_BINDING, (uint32_t)row);
    for (uint32_t table = REBAL_TABLE_BINDING + 1; table < REBAL_TABLE_BINDING + REBALI_BINDING_TABLES; table++) {
      size_t n;
      const uint32_t *children = rebali_bindings_children(bindings, table, (uint32_t)row, &n);

      rebali_digest_u64(digest, n);
      for (size_t i = 0; i < n; i++) {
        digest_row(digest, bindings, table, children[i]);
      }
    }
  }
}

/* ---- options ----------------------------------------------------------------------------------------------------- */

void rebali_digest_compat(struct rebali_digest *digest, const rebal_compat *compat) {
  static const uint32_t options[] = {
#define REBAL_OPTION(name, number, absent, text, meaning) number,
#include "rebalance/options.def"
#undef REBAL_OPTION
  };

  for (size_t i = 0; i < REBALI_COUNT(options); i++) {
    const int64_t value = rebali_compat_value(compat, options[i]);

    if (value != rebali_compat_value(NULL, options[i])) {
      rebali_digest_u64(digest, options[i]);
      rebali_digest_u64(digest, (uint64_t)value);
    }
  }
  rebali_digest_u64(digest, END);
}
