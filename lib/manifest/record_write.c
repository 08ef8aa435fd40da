/* SPDX-License-Identifier: MIT */
/* Records into trees, members in the order and with the omissions of the reference (spec karmada 2.6). */
#include "manifest.h"

static int32_t object_tree(const rebal_record *record, uint32_t node, uint32_t object, int is_term, json_t **out,
                           rebal_error *err);

static json_t *text_value(const rebal_record *record, uint32_t node) {
  size_t len;
  const char *text = rebal_record_text(record, node, &len);
  return json_stringn_nocheck(text, len);
}

static int32_t quantity_value(const rebal_record *record, uint32_t node, json_t **out, rebal_error *err) {
  rebal_quantity quantity;
  char text[96];
  size_t len;
  int32_t result;
  rebal_record_quantity(record, node, &quantity);
  result = rebal_quantity_format(&quantity, text, sizeof text, &len, err);
  if (result != REBAL_OK) {
    return result;
  }
  *out = json_stringn_nocheck(text, len);
  return *out != NULL ? REBAL_OK : rebali_manifest_fail_memory(err);
}

static int32_t put_map(json_t *map, const rebal_record *record, uint32_t parent, const struct rebali_field *field,
                       rebal_error *err) {
  size_t n;
  const struct rebali_field *entry = rebali_schema_fields(field->child, &n);
  uint32_t node = rebal_record_next(record, parent, field->id, REBAL_NONE);
  json_t *member = node != REBAL_NONE ? json_object() : NULL;
  int32_t result = node != REBAL_NONE ? rebali_put(map, field->name, member, err) : REBAL_OK;
  for (; result == REBAL_OK && node != REBAL_NONE; node = rebal_record_next(record, parent, field->id, node)) {
    const uint32_t key = rebal_record_next(record, node, entry[0].id, REBAL_NONE);
    const uint32_t value = rebal_record_next(record, node, entry[1].id, REBAL_NONE);
    json_t *tree = NULL;
    if (entry[1].type == REBAL_TYPE_QUANTITY) {
      result = quantity_value(record, value, &tree, err);
    } else {
      tree = text_value(record, value);
    }
    if (result == REBAL_OK) {
      result = rebali_put(member, rebal_record_text(record, key, NULL), tree, err);
    }
  }
  return result;
}

/* A term of several affinities has a name, which is always written. */
static int holds_terms(const struct rebali_field *field) {
  return field->id == REBAL_PLACEMENT_CLUSTER_AFFINITIES || field->id == REBAL_AFFINITY_OVERFLOW_AFFINITIES;
}

static int32_t put_list(json_t *map, const rebal_record *record, uint32_t parent, const struct rebali_field *field,
                        rebal_error *err) {
  uint32_t node = rebal_record_next(record, parent, field->id, REBAL_NONE);
  json_t *list = node != REBAL_NONE ? json_array() : NULL;
  int32_t result = node != REBAL_NONE ? rebali_put(map, field->name, list, err) : REBAL_OK;
  for (; result == REBAL_OK && node != REBAL_NONE; node = rebal_record_next(record, parent, field->id, node)) {
    json_t *item = NULL;
    if (field->type == REBAL_TYPE_OBJECT) {
      result = object_tree(record, node, field->child, holds_terms(field), &item, err);
    } else {
      item = text_value(record, node);
    }
    if (result == REBAL_OK && json_array_append_new(list, item) != 0) {
      result = rebali_manifest_fail_memory(err);
    }
  }
  return result;
}

static int32_t put_object(json_t *map, const rebal_record *record, uint32_t node, const struct rebali_field *field,
                          rebal_error *err) {
  json_t *tree = NULL;
  int32_t result = REBAL_OK;
  if (node != REBAL_NONE) {
    result = object_tree(record, node, field->child, 0, &tree, err);
  } else if (rebali_field_zero(field) == REBALI_ZERO_WRITTEN) {
    tree = json_object();
  } else {
    return REBAL_OK;
  }
  return result == REBAL_OK ? rebali_put(map, field->name, tree, err) : result;
}

static int32_t put_integer(json_t *map, const rebal_record *record, uint32_t node, const struct rebali_field *field,
                           rebal_error *err) {
  const enum rebali_zero zero = rebali_field_zero(field);
  const int64_t value = rebal_record_i64(record, node);
  if (zero == REBALI_ZERO_DISTINCT ? node == REBAL_NONE : zero == REBALI_ZERO_OMITTED && value == 0) {
    return REBAL_OK;
  }
  if (field->type == REBAL_TYPE_BOOLEAN) {
    return rebali_put(map, field->name, json_boolean(value != 0), err);
  }
  return rebali_put(map, field->name, json_integer(value), err);
}

static int32_t put_text(json_t *map, const rebal_record *record, uint32_t node, const struct rebali_field *field,
                        int is_term, rebal_error *err) {
  size_t len;
  const int is_written =
      rebali_field_zero(field) == REBALI_ZERO_WRITTEN || (is_term && field->id == REBAL_AFFINITY_AFFINITY_NAME);
  (void)rebal_record_text(record, node, &len);
  if (len == 0 && !is_written) {
    return REBAL_OK;
  }
  return rebali_put(map, field->name, text_value(record, node), err);
}

static int32_t put_quantity(json_t *map, const rebal_record *record, uint32_t node, const struct rebali_field *field,
                            rebal_error *err) {
  json_t *tree = NULL;
  const int32_t result = quantity_value(record, node, &tree, err);
  return result == REBAL_OK ? rebali_put(map, field->name, tree, err) : result;
}

static int32_t put_time(json_t *map, const rebal_record *record, uint32_t node, const struct rebali_field *field,
                        rebal_error *err) {
  rebal_time time;
  rebal_record_time(record, node, &time);
  return time.is_set ? rebali_put_time(map, field->name, &time, err) : REBAL_OK;
}

static int32_t put_field(json_t *map, const rebal_record *record, uint32_t parent, const struct rebali_field *field,
                         int is_term, rebal_error *err) {
  const uint32_t node = rebal_record_next(record, parent, field->id, REBAL_NONE);
  if (field->cardinality == REBAL_CARDINALITY_MAP) {
    return put_map(map, record, parent, field, err);
  }
  if (field->cardinality == REBAL_CARDINALITY_LIST) {
    return put_list(map, record, parent, field, err);
  }
  switch (field->type) {
    case REBAL_TYPE_TEXT:
      return put_text(map, record, node, field, is_term, err);
    case REBAL_TYPE_QUANTITY:
      return put_quantity(map, record, node, field, err);
    case REBAL_TYPE_TIME:
      return put_time(map, record, node, field, err);
    case REBAL_TYPE_OBJECT:
      return put_object(map, record, node, field, err);
    default:
      return put_integer(map, record, node, field, err);
  }
}

static int32_t object_tree(const rebal_record *record, uint32_t node, uint32_t object, int is_term, json_t **out,
                           rebal_error *err) {
  size_t n;
  const struct rebali_field *fields = rebali_schema_fields(object, &n);
  json_t *map = json_object();
  int32_t result = map != NULL ? REBAL_OK : rebali_manifest_fail_memory(err);
  for (size_t i = 0; result == REBAL_OK && i < n; i++) {
    result = put_field(map, record, node, &fields[i], is_term, err);
  }
  if (result != REBAL_OK) {
    json_decref(map);
  } else {
    *out = map;
  }
  return result;
}

int32_t rebali_record_tree(const rebal_record *record, uint32_t node, uint32_t object, json_t **out, rebal_error *err) {
  return object_tree(record, node, object, 0, out, err);
}
