/* SPDX-License-Identifier: MIT */
/* Sets cells of clusters, and converts values to what cells of a fleet keep. */
#include "fleet/nodes.h"

/* Amounts imply a summary, so only this can hide them. */
static void note_hidden(rebal_fleet *fleet, uint32_t column, uint32_t row, int64_t value) {
  fleet->state.hide_amounts |= column == REBAL_CLUSTER_HAS_SUMMARY && value == 0 &&
                               rebali_state_i64(&fleet->state, fleet->store, column, row) != 0;
}

/* Returns the kind of change of the column's cells. */
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

  if (rebali_state_i64(&fleet->state, fleet->store, column, row) == value) {
    return REBAL_OK;
  }
  changed = rebali_fleet_touch(fleet, row, kind_of_change(column));
  cell = changed == NULL ? NULL
                         : rebali_pages_edit(&fleet->store->allocator, &fleet->state.columns[number], row,
                                             &fleet->store->columns[number].absent);
  if (cell == NULL) {
    return rebali_fail_memory(err);
  }
  *cell = value;
  rebali_fleet_changed(fleet, changed, row, kind_of_change(column));
  return REBAL_OK;
}

int32_t rebali_fleet_take(const rebal_fleet *fleet, const struct rebali_put *put, size_t i, uint32_t id, int64_t *value,
                          rebal_error *err) {
  struct rebali_text text = REBALI_TEXT("");
  uint32_t kept = REBAL_NONE;
  int32_t code;

  if (put->integers != NULL) {
    return rebali_column_take(put->info, fleet->store, id, put->integers[i], value, err);
  }
  if (put->times != NULL) {
    *value = put->times[i].is_set ? put->times[i].seconds : REBAL_ABSENT;
    return rebali_time_check(&put->times[i], (int64_t)id, err);
  }
  code = rebali_column_text(put->bytes, put->offsets, i, (int64_t)id, &text, err);
  if (code == REBAL_OK && text.len != 0) {
    code = rebali_store_add(fleet->store->texts, NULL, text.bytes, text.len, &kept, err);
  }
  *value = (int64_t)kept;
  return code;
}

int32_t rebali_clusters_put(rebal_fleet *fleet, const struct rebali_put *put, rebal_error *err) {
  int32_t code = REBAL_OK;

  for (size_t i = 0; i < put->n && code == REBAL_OK; i++) {
    const uint32_t row = rebali_put_id(put, i);
    int64_t value = 0;

    code = rebali_fleet_present(fleet, row, err);
    if (code == REBAL_OK) {
      code = rebali_fleet_take(fleet, put, i, row, &value, err);
    }
    if (code == REBAL_OK) {
      note_hidden(fleet, put->info->id, row, value);
      code = rebali_fleet_write(fleet, put->info->id, row, value, err);
    }
  }
  return code;
}
