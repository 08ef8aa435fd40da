/* SPDX-License-Identifier: MIT */
/* Writes records into trees, with the member order and omissions of the reference (rebalance-karmada(7) 2.6). */
#include "manifest/manifest.h"

/* How an object is written. */
enum { AS_TERM = 1, AS_IS = 2 };

static int32_t object_tree(const rebal_record *record, uint32_t node, uint32_t object, unsigned how, json_t **out,
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
  result = rebali_quantity_format(&quantity, text, sizeof text, &len, err);
  if (result != REBAL_OK) {
    return result;
  }
  *out = json_stringn_nocheck(text, len);
  return *out != NULL ? REBAL_OK : rebali_fail_memory(err);
}

static int32_t list_tree(const rebal_record *record, uint32_t parent, const struct rebali_field *field, unsigned how,
                         json_t **out, rebal_error *err);

/* Builds the value of a map's entry. A missing list is null, which removes the entry when a patch writes it. */
static int32_t entry_value(const rebal_record *record, uint32_t entry, const struct rebali_field *field, unsigned how,
                           json_t **out, rebal_error *err) {
  const uint32_t node = rebal_record_next(record, entry, field->id, REBAL_NONE);
  rebal_time time;
  if (field->type == REBAL_TYPE_QUANTITY) {
    return quantity_value(record, node, out, err);
  }
  if (field->cardinality == REBAL_CARDINALITY_LIST && node != REBAL_NONE) {
    return list_tree(record, entry, field, how, out, err);
  }
  if (field->type == REBAL_TYPE_TEXT) {
    *out = text_value(record, node);
    return REBAL_OK;
  }
  rebal_record_time(record, node, &time);
  time.nanos = how & AS_IS ? time.nanos : 0; /* the API keeps whole seconds */
  *out = time.is_set ? rebali_time_value(&time) : json_null();
  return REBAL_OK;
}

static int32_t put_map(json_t *map, const rebal_record *record, uint32_t parent, const struct rebali_field *field,
                       unsigned how, rebal_error *err) {
  size_t n;
  const struct rebali_field *entry = rebali_schema_fields(field->child, &n);
  uint32_t node = rebal_record_next(record, parent, field->id, REBAL_NONE);
  json_t *member = node != REBAL_NONE ? json_object() : NULL;
  int32_t result = node != REBAL_NONE ? rebali_put(map, field->name, member, err) : REBAL_OK;
  for (; result == REBAL_OK && node != REBAL_NONE; node = rebal_record_next(record, parent, field->id, node)) {
    const uint32_t key = rebal_record_next(record, node, entry[0].id, REBAL_NONE);
    json_t *tree = NULL;
    result = entry_value(record, node, &entry[1], how, &tree, err);
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

static int32_t list_tree(const rebal_record *record, uint32_t parent, const struct rebali_field *field, unsigned how,
                         json_t **out, rebal_error *err) {
  uint32_t node = rebal_record_next(record, parent, field->id, REBAL_NONE);
  json_t *list = json_array();
  int32_t result = list != NULL ? REBAL_OK : rebali_fail_memory(err);
  for (; result == REBAL_OK && node != REBAL_NONE; node = rebal_record_next(record, parent, field->id, node)) {
    json_t *item = NULL;
    if (field->type == REBAL_TYPE_OBJECT) {
      result = object_tree(record, node, field->child, how | (holds_terms(field) ? AS_TERM : 0), &item, err);
    } else {
      item = text_value(record, node);
    }
    if (result == REBAL_OK && json_array_append_new(list, item) != 0) {
      result = rebali_fail_memory(err);
    }
  }
  if (result != REBAL_OK) {
    json_decref(list);
    return result;
  }
  *out = list;
  return REBAL_OK;
}

static int32_t put_list(json_t *map, const rebal_record *record, uint32_t parent, const struct rebali_field *field,
                        unsigned how, rebal_error *err) {
  json_t *list = NULL;
  int32_t result;
  if (rebal_record_next(record, parent, field->id, REBAL_NONE) == REBAL_NONE) {
    return REBAL_OK;
  }
  result = list_tree(record, parent, field, how, &list, err);
  return result == REBAL_OK ? rebali_put(map, field->name, list, err) : result;
}

static int32_t put_object(json_t *map, const rebal_record *record, uint32_t node, const struct rebali_field *field,
                          unsigned how, rebal_error *err) {
  json_t *tree = NULL;
  int32_t result = REBAL_OK;
  if (node != REBAL_NONE) {
    result = object_tree(record, node, field->child, how, &tree, err);
  } else if (rebali_field_zero(field) == REBALI_ZERO_WRITTEN) {
    tree = json_object();
  } else {
    return REBAL_OK;
  }
  return result == REBAL_OK ? rebali_put(map, field->name, tree, err) : result;
}

static int32_t put_integer(json_t *map, const rebal_record *record, uint32_t node, const struct rebali_field *field,
                           unsigned how, rebal_error *err) {
  const enum rebali_zero zero = how & AS_IS ? REBALI_ZERO_DISTINCT : rebali_field_zero(field);
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
                        unsigned how, rebal_error *err) {
  size_t len;
  const int is_written = (how & AS_IS) != 0 || rebali_field_zero(field) == REBALI_ZERO_WRITTEN ||
                         ((how & AS_TERM) != 0 && field->id == REBAL_AFFINITY_AFFINITY_NAME);
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
                        unsigned how, rebal_error *err) {
  rebal_time time;
  rebal_record_time(record, node, &time);
  if (how & AS_IS) {
    return time.is_set ? rebali_put(map, field->name, rebali_time_value(&time), err) : REBAL_OK;
  }
  return time.is_set ? rebali_put_time(map, field->name, &time, err) : REBAL_OK;
}

static int32_t put_field(json_t *map, const rebal_record *record, uint32_t parent, const struct rebali_field *field,
                         unsigned how, rebal_error *err) {
  const uint32_t node = rebal_record_next(record, parent, field->id, REBAL_NONE);
  if (field->cardinality == REBAL_CARDINALITY_MAP) {
    return put_map(map, record, parent, field, how & AS_IS, err);
  }
  if (field->cardinality == REBAL_CARDINALITY_LIST) {
    return put_list(map, record, parent, field, how & AS_IS, err);
  }
  if ((how & AS_IS) != 0 && node == REBAL_NONE) {
    return REBAL_OK;
  }
  switch (field->type) {
    case REBAL_TYPE_TEXT:
      return put_text(map, record, node, field, how, err);
    case REBAL_TYPE_QUANTITY:
      return put_quantity(map, record, node, field, err);
    case REBAL_TYPE_TIME:
      return put_time(map, record, node, field, how, err);
    case REBAL_TYPE_OBJECT:
      return put_object(map, record, node, field, how & AS_IS, err);
    default:
      return put_integer(map, record, node, field, how, err);
  }
}

static int32_t object_tree(const rebal_record *record, uint32_t node, uint32_t object, unsigned how, json_t **out,
                           rebal_error *err) {
  size_t n;
  const struct rebali_field *fields = rebali_schema_fields(object, &n);
  json_t *map;
  int32_t result;
  if (rebali_object_is_value(object)) {
    return rebali_value_tree(record, node, out, err);
  }
  map = json_object();
  result = map != NULL ? REBAL_OK : rebali_fail_memory(err);
  for (size_t i = 0; result == REBAL_OK && i < n; i++) {
    result = put_field(map, record, node, &fields[i], how, err);
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

int32_t rebali_record_tree_as_is(const rebal_record *record, json_t **out, rebal_error *err) {
  const uint32_t object = rebal_record_object(record);
  const struct rebali_field *bare = rebali_field_bare(object);
  json_t *tree = NULL;
  int32_t result = object_tree(record, 0, object, AS_IS, &tree, err);
  if (result != REBAL_OK || bare == NULL) {
    *out = tree;
    return result;
  }
  *out = json_incref(json_object_get(tree, bare->name));
  json_decref(tree);
  if (*out == NULL) {
    *out = bare->cardinality == REBAL_CARDINALITY_MAP ? json_object() : json_array();
  }
  return *out != NULL ? REBAL_OK : rebali_fail_memory(err);
}
