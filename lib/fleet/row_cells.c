/* SPDX-License-Identifier: MIT */
/* Sets cells of a set of rows. */
#include "fleet/fleet.h"

/* Finds the row of cell i. */
static int32_t find_row(const struct rebali_row_set *set, const struct rebali_put *put, size_t i, uint32_t *row,
                        rebal_error *err) {
  *row = rebali_put_id(put, i);
  return rebali_row_set_has(set, put->info->object, *row)
             ? REBAL_OK
             : rebali_fail(err, REBAL_ENOTFOUND, (int64_t)*row, "%s: there is no row %lu", put->info->text,
                           (unsigned long)*row);
}

static int32_t written(int32_t code, rebal_error *err) {
  return code == REBAL_OK ? REBAL_OK : rebali_fail_memory(err);
}

static int32_t put_integers(struct rebali_row_set *set, const struct rebali_put *put, rebal_error *err) {
  struct rebali_table *table = rebali_row_set_table(set, put->info->object);
  uint32_t row = 0;
  int64_t kept = 0;
  int32_t code = REBAL_OK;

  for (size_t i = 0; i < put->n && code == REBAL_OK; i++) {
    code = find_row(set, put, i, &row, err);
    if (code == REBAL_OK) {
      code = rebali_column_take(put->info, set->store, row, put->integers[i], &kept, err);
    }
    if (code == REBAL_OK) {
      code = written(rebali_table_set_i64(table, put->info->id, row, kept), err);
    }
  }
  return code;
}

static int32_t put_text(struct rebali_row_set *set, const struct rebali_put *put, uint32_t row, struct rebali_text text,
                        rebal_error *err) {
  struct rebali_table *table = rebali_row_set_table(set, put->info->object);
  const struct rebali_text replaced = rebali_table_text(table, put->info->id, row);
  const int32_t code = written(rebali_table_set_text(table, put->info->id, row, text), err);

  if (code == REBAL_OK) {
    rebali_row_set_drop_text(set, replaced);
  }
  return code;
}

static int32_t put_texts(struct rebali_row_set *set, const struct rebali_put *put, rebal_error *err) {
  uint32_t row = 0;
  int32_t code = REBAL_OK;

  for (size_t i = 0; i < put->n && code == REBAL_OK; i++) {
    struct rebali_text text = {NULL, 0};

    code = find_row(set, put, i, &row, err);
    if (code == REBAL_OK) {
      code = rebali_column_text(put->bytes, put->offsets, i, (int64_t)row, &text, err);
    }
    if (code == REBAL_OK) {
      code = put_text(set, put, row, text, err);
    }
  }
  rebali_row_set_move_texts(set);
  return code;
}

static int32_t put_times(struct rebali_row_set *set, const struct rebali_put *put, rebal_error *err) {
  struct rebali_table *table = rebali_row_set_table(set, put->info->object);
  uint32_t row = 0;
  int32_t code = REBAL_OK;

  for (size_t i = 0; i < put->n && code == REBAL_OK; i++) {
    code = find_row(set, put, i, &row, err);
    if (code == REBAL_OK) {
      code = rebali_time_check(&put->times[i], (int64_t)row, err);
    }
    if (code == REBAL_OK) {
      code = written(rebali_table_set_time(table, put->info->id, row, &put->times[i]), err);
    }
  }
  return code;
}

int32_t rebali_row_set_put(struct rebali_row_set *set, const struct rebali_put *put, rebal_error *err) {
  if (set->is_frozen) {
    return rebali_fail(err, REBAL_ESTATE, -1, "the %s are frozen", set->name);
  }
  switch (put->info->type) {
    case REBAL_TYPE_TEXT:
      return put_texts(set, put, err);
    case REBAL_TYPE_TIME:
      return put_times(set, put, err);
    default:
      return put_integers(set, put, err);
  }
}

int32_t rebali_row_set_copy(struct rebali_row_set *set, const struct rebali_row_set *source, uint32_t table,
                            uint32_t row) {
  struct rebali_table *to = rebali_row_set_table(set, table);
  const struct rebali_table *from = rebali_row_set_table(source, table);
  int32_t code = REBAL_OK;

  for (size_t i = 0; i < from->n_infos && code == REBAL_OK; i++) {
    const struct rebali_field_info *info = &from->infos[i];

    if (from->columns[info->id & 255u] == NULL) {
      continue; /* it reads as absent */
    }
    if (info->type == REBAL_TYPE_TEXT) {
      code = rebali_table_set_text(to, info->id, row, rebali_table_text(from, info->id, row));
    } else if (info->type == REBAL_TYPE_TIME) {
      const rebal_time time = rebali_table_time(from, info->id, row);

      code = rebali_table_set_time(to, info->id, row, &time);
    } else {
      code = rebali_table_set_i64(to, info->id, row, rebali_table_i64(from, info->id, row));
    }
  }
  return code;
}
