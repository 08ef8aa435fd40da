/* SPDX-License-Identifier: MIT */
/* Setting cells of clusters. The bulk calls are the one implementation, a row is a bulk of one. */
#include "fleet/fleet.h"

/* Amounts bring the summary with them, so that only by this one can be taken from them. */
static void note_hidden(rebal_fleet *fleet, uint32_t column, uint32_t row, int64_t value) {
  fleet->cells.hide_amounts |= column == REBAL_CLUSTER_HAS_SUMMARY && value == 0 &&
                               rebali_cells_i64(&fleet->cells, fleet->store, column, row) != 0;
}

/* What a change of the column's cells is called. */
static uint32_t kind_of_change(uint32_t column) {
  switch (column) {
  case REBAL_CLUSTER_HAS_SUMMARY:
  case REBAL_CLUSTER_MODELINGS:
    return REBALI_READS_CAPACITIES;
  case REBAL_CLUSTER_HAS_NODES:
    return REBALI_READS_NODES;
  default:
    return REBALI_READS_CELLS;
  }
}

int32_t rebali_fleet_write(rebal_fleet *fleet, uint32_t column, uint32_t row, int64_t value, rebal_error *err) {
  const uint32_t number = column % 256u;
  struct rebali_row *changed;
  int64_t *cell;

  if (rebali_cells_i64(&fleet->cells, fleet->store, column, row) == value) {
    return REBAL_OK;
  }
  changed = rebali_fleet_touch(fleet, row, kind_of_change(column));
  cell = changed == NULL ? NULL
                         : rebali_pages_edit(&fleet->store->allocator, &fleet->cells.columns[number], row,
                                             &fleet->store->columns[number].absent);
  if (cell == NULL) {
    return rebali_fail_memory(err);
  }
  *cell = value;
  rebali_fleet_changed(fleet, changed, row, kind_of_change(column));
  return REBAL_OK;
}

static int32_t check_call(const rebal_fleet *fleet, const void *values, size_t n, rebal_error *err) {
  if (fleet == NULL || (values == NULL && n != 0)) {
    return rebali_fail(err, REBAL_EINVAL, -1, "%s is NULL", fleet == NULL ? "fleet" : "the array of values");
  }
  /* Without a list of clusters the row is the index. */
  return n <= UINT32_MAX ? REBAL_OK : rebali_fail(err, REBAL_ELIMIT, -1, "more cells than there can be clusters");
}

int32_t rebal_fleet_put_i64(rebal_fleet *fleet, uint32_t column, const uint32_t *clusters, const int64_t *values,
                            size_t n, rebal_error *err) {
  const struct rebali_field_info *info = NULL;
  int32_t code = check_call(fleet, values, n, err);
  size_t i;

  if (code == REBAL_OK) {
    code = rebali_column_check(column, REBAL_TABLE_CLUSTER, REBAL_TYPE_INT64, &info, err);
  }
  for (i = 0; i < n && code == REBAL_OK; i++) {
    const uint32_t row = clusters == NULL ? (uint32_t)i : clusters[i];

    code = rebali_fleet_present(fleet, row, err);
    if (code == REBAL_OK) {
      code = rebali_column_accepts(info, fleet->store, row, values[i], err);
    }
    if (code == REBAL_OK) {
      note_hidden(fleet, column, row, values[i]);
      code = rebali_fleet_write(fleet, column, row, values[i], err);
    }
  }
  return code;
}

int32_t rebal_fleet_set_i64(rebal_fleet *fleet, uint32_t column, uint32_t cluster, int64_t value, rebal_error *err) {
  return rebal_fleet_put_i64(fleet, column, &cluster, &value, 1, err);
}

/* Texts are kept once; the cell holds the id. */
static int32_t write_text(rebal_fleet *fleet, uint32_t column, uint32_t row, struct rebali_text text,
                          rebal_error *err) {
  uint32_t id = REBAL_NONE;
  int32_t code = REBAL_OK;

  if (text.len != 0) {
    code = rebali_store_add(fleet->store->texts, NULL, text.bytes, text.len, &id, err);
  }
  return code == REBAL_OK ? rebali_fleet_write(fleet, column, row, (int64_t)id, err) : code;
}

int32_t rebal_fleet_put_text(rebal_fleet *fleet, uint32_t column, const uint32_t *clusters, const char *bytes,
                             const uint32_t *offsets, size_t n, rebal_error *err) {
  const struct rebali_field_info *info = NULL;
  int32_t code = check_call(fleet, offsets, n, err);
  size_t i;

  if (code == REBAL_OK) {
    code = rebali_column_check(column, REBAL_TABLE_CLUSTER, REBAL_TYPE_TEXT, &info, err);
  }
  for (i = 0; i < n && code == REBAL_OK; i++) {
    const uint32_t row = clusters == NULL ? (uint32_t)i : clusters[i];
    struct rebali_text text = {NULL, 0};

    code = rebali_fleet_present(fleet, row, err);
    if (code == REBAL_OK) {
      code = rebali_column_text(bytes, offsets, i, (int64_t)row, &text, err);
    }
    if (code == REBAL_OK) {
      code = write_text(fleet, column, row, text, err);
    }
  }
  return code;
}

int32_t rebal_fleet_set_text(rebal_fleet *fleet, uint32_t column, uint32_t cluster, const char *text, size_t len,
                             rebal_error *err) {
  uint32_t offsets[2] = {0, 0};
  struct rebali_text taken;
  const int32_t code = rebali_text_take(text, len, "the text", &taken, err);

  if (code != REBAL_OK) {
    return code;
  }
  offsets[1] = (uint32_t)taken.len;
  return rebal_fleet_put_text(fleet, column, &cluster, taken.bytes, offsets, 1, err);
}
