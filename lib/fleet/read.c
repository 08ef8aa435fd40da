/* SPDX-License-Identifier: MIT */
/* Reading back what was put in: cells, records and amounts of snapshots, cells and child rows of bindings. */
#include "fleet/fleet.h"

#define FIRST_TABLE REBAL_TABLE_BINDING

static const char *give_text(struct rebali_text text, size_t *len) {
  if (len != NULL) {
    *len = text.len;
  }
  return text.bytes;
}

/* ---- snapshots --------------------------------------------------------------------------------------------------- */

static int has_cell(const rebal_snapshot *snapshot, uint32_t column, uint32_t cluster, uint32_t type) {
  const struct rebali_field_info *info = rebali_field_find(column);

  return rebal_snapshot_has_cluster(snapshot, cluster) && info != NULL && info->object == REBAL_TABLE_CLUSTER &&
         rebali_column_is_set_as(info, type);
}

int64_t rebal_snapshot_i64(const rebal_snapshot *snapshot, uint32_t column, uint32_t cluster) {
  return has_cell(snapshot, column, cluster, REBAL_TYPE_INT64) ? rebali_snapshot_i64(snapshot, column, cluster)
                                                               : REBAL_ABSENT;
}

const char *rebal_snapshot_text(const rebal_snapshot *snapshot, uint32_t column, uint32_t cluster, size_t *len) {
  return give_text(has_cell(snapshot, column, cluster, REBAL_TYPE_TEXT)
                       ? rebali_snapshot_text(snapshot, column, cluster)
                       : REBALI_TEXT(""),
                   len);
}

const rebal_record *rebal_snapshot_record(const rebal_snapshot *snapshot, uint32_t object, uint32_t handle) {
  return snapshot == NULL || rebali_store_kind(object) == REBALI_KINDS
             ? NULL
             : rebali_snapshot_record(snapshot, object, handle);
}

uint32_t rebal_snapshot_resources(const rebal_snapshot *snapshot) {
  uint32_t n = 0;

  if (snapshot != NULL) {
    (void)rebali_snapshot_resources_by_name(snapshot, &n);
  }
  return n;
}

const char *rebal_snapshot_resource_name(const rebal_snapshot *snapshot, uint32_t resource, size_t *len) {
  return give_text(resource < rebal_snapshot_resources(snapshot) ? rebali_snapshot_resource_name(snapshot, resource)
                                                                 : REBALI_TEXT(""),
                   len);
}

int32_t rebal_snapshot_capacity(const rebal_snapshot *snapshot, uint32_t part, uint32_t cluster, uint32_t resource,
                                rebal_quantity *out) {
  rebal_quantity amount = {0, 0, REBAL_QUANTITY_FORMAT_NONE};
  const int is_stated = part <= REBAL_CAPACITY_ALLOCATING && rebal_snapshot_has_cluster(snapshot, cluster) &&
                        rebali_snapshot_capacity(snapshot, part, cluster, resource, &amount);

  if (out != NULL) {
    *out = amount;
  }
  return is_stated;
}

/* ---- bindings ---------------------------------------------------------------------------------------------------- */

static const struct rebali_row_set *set_of(const rebal_bindings *bindings) {
  return bindings == NULL ? NULL : &bindings->set;
}

int64_t rebal_bindings_i64(const rebal_bindings *bindings, uint32_t column, uint32_t row) {
  return rebali_row_set_i64(set_of(bindings), column, row);
}

const char *rebal_bindings_text(const rebal_bindings *bindings, uint32_t column, uint32_t row, size_t *len) {
  return rebali_row_set_text(set_of(bindings), column, row, len);
}

void rebal_bindings_time(const rebal_bindings *bindings, uint32_t column, uint32_t row, rebal_time *out) {
  rebali_row_set_time(set_of(bindings), column, row, out);
}

const rebal_record *rebal_bindings_record(const rebal_bindings *bindings, uint32_t object, uint32_t handle) {
  const uint32_t kind = rebali_store_kind(object);

  return bindings == NULL || kind == REBALI_KINDS ? NULL : rebali_store_record(bindings->set.store, kind, handle);
}

/* The first of n ascending rows that lies behind previous; REBAL_NONE when none does. */
static uint32_t row_behind(const uint32_t *rows, size_t n, uint32_t previous) {
  size_t low = 0;
  size_t high = n;

  while (previous != REBAL_NONE && low < high) {
    const size_t middle = low + (high - low) / 2;

    if (rows[middle] <= previous) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < n ? rows[low] : REBAL_NONE;
}

uint32_t rebal_bindings_next(const rebal_bindings *bindings, uint32_t table, uint32_t parent, uint32_t previous) {
  const size_t index = table - FIRST_TABLE; /* tables before the first one wrap to large numbers */
  const uint32_t *rows;
  size_t n;

  if (bindings == NULL || table <= FIRST_TABLE || index >= REBALI_BINDING_TABLES ||
      parent >= bindings->tables[0].rows) {
    return REBAL_NONE;
  }
  if (bindings->frozen) {
    rows = rebali_bindings_children(bindings, table, parent, &n);
    return row_behind(rows, n, previous);
  }
  for (uint32_t row = previous == REBAL_NONE ? 0 : previous + 1; row < bindings->tables[index].rows; row++) {
    if (bindings->parents[index][row] == parent) {
      return row;
    }
  }
  return REBAL_NONE;
}
