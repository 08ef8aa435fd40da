/* SPDX-License-Identifier: MIT */
/* Records as bytes. */
#include "fleet/saved.h"

static void save_quantity(struct rebali_saving *saving, const rebal_quantity *quantity) {
  rebali_save_u64(saving, (uint64_t)quantity->units);
  rebali_save_u32(saving, (uint32_t)quantity->nanos);
  rebali_save_u32(saving, quantity->format);
}

static void save_value(struct rebali_saving *saving, const rebal_record *record, uint32_t node, uint32_t type) {
  rebal_quantity quantity;
  rebal_time time;

  switch (type) {
    case REBAL_TYPE_TEXT:
      rebali_save_text(saving, rebali_record_text(record, node));
      break;
    case REBAL_TYPE_QUANTITY:
      rebal_record_quantity(record, node, &quantity);
      save_quantity(saving, &quantity);
      break;
    case REBAL_TYPE_TIME:
      rebal_record_time(record, node, &time);
      rebali_save_time(saving, &time);
      break;
    default:
      rebali_save_u64(saving, (uint64_t)rebal_record_i64(record, node));
  }
}

/* Recurses as deep as the record, at most REBALI_RECORD_DEPTH. */
static void save_children(struct rebali_saving *saving, const rebal_record *record, uint32_t parent) {
  uint32_t node = REBAL_NONE;

  while ((node = rebali_record_next(record, parent, 0, node)) != REBAL_NONE) {
    const struct rebali_node *child = rebali_record_node(record, node);

    rebali_save_u32(saving, child->field);
    if (child->type == REBAL_TYPE_OBJECT) {
      save_children(saving, record, node);
    } else {
      save_value(saving, record, node, child->type);
    }
  }
  rebali_save_u32(saving, 0);
}

void rebali_save_record(struct rebali_saving *saving, const rebal_record *record) {
  save_children(saving, record, 0);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static int32_t load_quantity(struct rebali_loading *loading, uint32_t field, rebal_error *err) {
  uint64_t units = 0;
  uint32_t nanos = 0, format = 0;
  int32_t code = rebali_load_u64(loading, &units, err);

  if (code == REBAL_OK) {
    code = rebali_load_u32(loading, &nanos, err);
  }
  if (code == REBAL_OK) {
    code = rebali_load_u32(loading, &format, err);
  }
  if (code == REBAL_OK) {
    const rebal_quantity quantity = {(int64_t)units, (int32_t)nanos, format};

    code = rebal_builder_quantity(loading->builder, field, &quantity, err);
  }
  return code;
}

static int32_t load_value(struct rebali_loading *loading, const struct rebali_field_info *info, rebal_error *err) {
  struct rebali_text text;
  rebal_time time;
  uint64_t number = 0;
  int32_t code;

  switch (info->type) {
    case REBAL_TYPE_TEXT:
      code = rebali_load_text(loading, &text, err);
      return code == REBAL_OK ? rebal_builder_text(loading->builder, info->id, text.bytes, text.len, err) : code;
    case REBAL_TYPE_QUANTITY:
      return load_quantity(loading, info->id, err);
    case REBAL_TYPE_TIME:
      code = rebali_load_time(loading, &time, err);
      return code == REBAL_OK ? rebal_builder_time(loading->builder, info->id, &time, err) : code;
    case REBAL_TYPE_OBJECT:
      return rebal_builder_begin(loading->builder, info->id, err);
    default:
      code = rebali_load_u64(loading, &number, err);
      return code == REBAL_OK ? rebal_builder_i64(loading->builder, info->id, (int64_t)number, err) : code;
  }
}

int32_t rebali_load_record(struct rebali_loading *loading, uint32_t object, const rebal_record **record,
                           rebal_error *err) {
  size_t open = 1; /* objects; the builder limits them */
  int32_t code = rebal_builder_start(loading->builder, object, err);

  while (code == REBAL_OK && open > 0) {
    const struct rebali_field_info *info;
    uint32_t field = 0;

    code = rebali_load_u32(loading, &field, err);
    info = rebali_field_find(field);
    if (code != REBAL_OK) {
      break;
    }
    if (field == 0) {
      open--;
      code = open > 0 ? rebal_builder_end(loading->builder, err) : REBAL_OK;
    } else if (info == NULL) {
      code = rebali_fail(err, REBAL_EUNSUPPORTED, -1, "no field has the number %lu", (unsigned long)field);
    } else {
      code = load_value(loading, info, err);
      open += info->type == REBAL_TYPE_OBJECT;
    }
  }
  return code == REBAL_OK ? rebal_builder_finish(loading->builder, record, err) : code;
}

/* ---- records that a fleet keeps ---------------------------------------------------------------------------------- */

void rebali_save_records(struct rebali_saving *saving, const struct rebali_store *store) {
  for (uint32_t kind = 0; kind < REBALI_KINDS; kind++) {
    const uint32_t n = rebali_store_known(&store->known_records[kind]);

    if (n == 0) {
      continue;
    }
    rebali_save_section(saving, REBALI_SAVED_RECORDS, rebali_store_record(store, kind, 0)->object, 0);
    rebali_save_u32(saving, n);
    for (uint32_t handle = 0; handle < n; handle++) {
      rebali_save_record(saving, rebali_store_record(store, kind, handle));
    }
  }
}

int32_t rebali_load_records(struct rebali_loading *loading, rebal_error *err) {
  uint32_t n = 0;
  int32_t code = rebali_load_count(loading, sizeof(uint32_t), &n, err);

  for (uint32_t i = 0; i < n && code == REBAL_OK; i++) {
    const rebal_record *record;
    uint32_t handle = 0;

    code = rebali_load_record(loading, loading->about[0], &record, err);
    if (code == REBAL_OK) {
      code = rebal_fleet_intern(loading->fleet, record, &handle, err);
    }
    if (code == REBAL_OK && handle != i) {
      code = rebali_load_malformed(loading, "a record is stored twice", err);
    }
  }
  return code;
}
