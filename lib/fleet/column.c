/* SPDX-License-Identifier: MIT */
#include "fleet/fleet.h"

int rebali_column_is_set_as(const struct rebali_field_info *info, uint32_t type) {
  const int is_integer = info->type != REBAL_TYPE_TEXT && info->type != REBAL_TYPE_TIME;

  return (is_integer ? (uint32_t)REBAL_TYPE_INT64 : info->type) == type;
}

int32_t rebali_column_check(uint32_t column, uint32_t table, uint32_t type, const struct rebali_field_info **info,
                            rebal_error *err) {
  const struct rebali_field_info *found = rebali_field_find(column);

  if (found == NULL || found->object < REBAL_TABLE_CLUSTER) {
    return rebali_fail(err, REBAL_EUNSUPPORTED, -1, "no column has the number %lu", (unsigned long)column);
  }
  if (found->object != table) {
    return rebali_fail(err, REBAL_EINVAL, -1, "%s is not a column of this table", found->text);
  }
  if (!rebali_column_is_set_as(found, type)) {
    return rebali_fail(err, REBAL_EINVAL, -1, "%s holds values of another type", found->text);
  }
  *info = found;
  return REBAL_OK;
}

/* Returns whether the value is a caller's mark for none: REBAL_ABSENT, or an id that is REBAL_NONE. */
static int is_none(const struct rebali_field_info *info, int64_t value) {
  return (value == REBAL_ABSENT && (rebali_column_is_id(info) || info->absent == REBAL_ABSENT)) ||
         (value == (int64_t)REBAL_NONE &&
          (rebali_column_is_id(info) || (info->type == REBAL_TYPE_INT64 && info->absent == REBAL_ABSENT)));
}

int32_t rebali_column_take(const struct rebali_field_info *info, const struct rebali_store *store, uint32_t row,
                           int64_t value, int64_t *kept, rebal_error *err) {
  uint32_t known;

  *kept = is_none(info, value) ? info->absent : value;
  if (*kept == info->absent) {
    return REBAL_OK;
  }
  if (!rebali_type_accepts(info->type, value)) {
    return rebali_fail(err, REBAL_ERANGE, (int64_t)row, "%s: %lld is out of range", info->text, (long long)value);
  }
  if (!rebali_column_is_id(info)) {
    return REBAL_OK;
  }
  known = info->type == REBAL_TYPE_CLUSTER ? rebali_store_known(&store->known_names)
                                           : rebali_store_known(&store->known_records[rebali_store_kind(info->child)]);
  if (value >= (int64_t)known) {
    return rebali_fail(err, REBAL_EINVAL, (int64_t)row, "%s: the fleet did not make the id %lld", info->text,
                       (long long)value);
  }
  return REBAL_OK;
}

int32_t rebali_column_text(const char *bytes, const uint32_t *offsets, size_t i, int64_t where,
                           struct rebali_text *text, rebal_error *err) {
  if (offsets[i] > offsets[i + 1]) {
    return rebali_fail(err, REBAL_EINVAL, where, "offset %lu is above the next one", (unsigned long)offsets[i]);
  }
  *text = rebali_text("", offsets[i + 1] - offsets[i]);
  if (text->len == 0) {
    return REBAL_OK;
  }
  if (bytes == NULL) {
    return rebali_fail(err, REBAL_EINVAL, where, "a text of %lu bytes is NULL", (unsigned long)text->len);
  }
  text->bytes = bytes + offsets[i];
  return REBAL_OK;
}
