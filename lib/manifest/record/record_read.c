/* SPDX-License-Identifier: MIT */
/* Reads trees into records, by fields.def. Without a builder every function only checks. */
#include "manifest/manifest.h"

#include <string.h>

static int32_t add_text(rebal_builder *builder, uint32_t field, const json_t *value, const struct rebali_path *path,
                        rebal_error *err) {
  const char *text = "";
  size_t len = 0;
  const int32_t result = value != NULL ? rebali_read_text(value, path, &text, &len, err) : REBAL_OK;
  if (result != REBAL_OK || builder == NULL) {
    return result;
  }
  return rebal_builder_text(builder, field, text, len, err);
}

static int32_t add_integer(rebal_builder *builder, const struct rebali_field *field, const json_t *value,
                           const struct rebali_path *path, rebal_error *err) {
  int64_t number = 0;
  const int32_t result = rebali_read_integer(value, field->type, path, &number, err);
  if (result != REBAL_OK || builder == NULL) {
    return result;
  }
  return rebal_builder_i64(builder, field->id, number, err);
}

static int32_t add_quantity(rebal_builder *builder, uint32_t field, const json_t *value, const struct rebali_path *path,
                            rebal_error *err) {
  rebal_quantity quantity;
  const int32_t result = rebali_read_quantity(value, path, &quantity, err);
  if (result != REBAL_OK || builder == NULL) {
    return result;
  }
  return rebal_builder_quantity(builder, field, &quantity, err);
}

static int32_t add_time(rebal_builder *builder, uint32_t field, const json_t *value, const struct rebali_path *path,
                        rebal_error *err) {
  rebal_time time;
  const int32_t result = rebali_read_time(value, path, &time, err);
  if (result != REBAL_OK || builder == NULL) {
    return result;
  }
  return rebal_builder_time(builder, field, &time, err);
}

/* value NULL: the zero value, for null within a list. */
static int32_t add_object(rebal_builder *builder, const struct rebali_field *field, const json_t *value,
                          const struct rebali_path *path, rebal_error *err) {
  const int is_value = value != NULL && rebali_object_is_value(field->child);
  int32_t result = value != NULL && !is_value ? rebali_read_map(value, path, err) : REBAL_OK;
  if (result == REBAL_OK && builder != NULL) {
    result = rebal_builder_begin(builder, field->id, err);
  }
  if (result == REBAL_OK && is_value) {
    result = rebali_read_value(builder, field->child, value, path, err);
  } else if (result == REBAL_OK) {
    result = rebali_read_object(builder, field->child, value, path, err);
  }
  if (result == REBAL_OK && builder != NULL) {
    result = rebal_builder_end(builder, err);
  }
  return result;
}

static int32_t add_list(rebal_builder *builder, const struct rebali_field *field, const json_t *list,
                        const struct rebali_path *path, rebal_error *err) {
  int32_t result = rebali_read_list(list, path, err);
  for (size_t i = 0; result == REBAL_OK && i < json_array_size(list); i++) {
    const struct rebali_path at = rebali_path_index(path, i);
    const json_t *item = rebali_present(json_array_get(list, i));
    if (field->type == REBAL_TYPE_OBJECT) {
      result = add_object(builder, field, item, &at, err);
    } else {
      result = add_text(builder, field->id, item, &at, err);
    }
  }
  return result;
}

static int32_t add_field(rebal_builder *builder, const struct rebali_field *field, const json_t *value,
                         const struct rebali_path *path, rebal_error *err);

/* Adds the value of a map's entry. Null is the zero value: an empty text, no time, no list, the quantity 0. */
static int32_t add_entry_value(rebal_builder *builder, const struct rebali_field *field, const json_t *value,
                               const struct rebali_path *path, rebal_error *err) {
  if (field->type == REBAL_TYPE_TEXT || field->type == REBAL_TYPE_QUANTITY) {
    return field->type == REBAL_TYPE_TEXT ? add_text(builder, field->id, rebali_present(value), path, err)
                                          : add_quantity(builder, field->id, value, path, err);
  }
  return json_is_null(value) ? REBAL_OK : add_field(builder, field, value, path, err);
}

/* Entries are objects: the first field is the key, the second the value. */
static int32_t add_map(rebal_builder *builder, const struct rebali_field *field, const json_t *map,
                       const struct rebali_path *path, rebal_error *err) {
  size_t n;
  const struct rebali_field *entry = rebali_schema_fields(field->child, &n);
  int32_t result = rebali_read_map(map, path, err);
  const char *key;
  json_t *value;
  if (result != REBAL_OK) {
    return result;
  }
  json_object_foreach((json_t *)(uintptr_t)map, key, value) {
    const struct rebali_path at = rebali_path_key(path, key);
    if (builder != NULL) {
      (void)rebal_builder_begin(builder, field->id, NULL);
    }
    result = builder != NULL ? rebal_builder_text(builder, entry[0].id, key, strlen(key), err) : REBAL_OK;
    if (result == REBAL_OK) {
      result = add_entry_value(builder, &entry[1], value, &at, err);
    }
    if (result == REBAL_OK && builder != NULL) {
      result = rebal_builder_end(builder, err);
    }
    if (result != REBAL_OK) {
      return result;
    }
  }
  return REBAL_OK;
}

static int32_t add_field(rebal_builder *builder, const struct rebali_field *field, const json_t *value,
                         const struct rebali_path *path, rebal_error *err) {
  if (field->cardinality == REBAL_CARDINALITY_LIST) {
    return add_list(builder, field, value, path, err);
  }
  if (field->cardinality == REBAL_CARDINALITY_MAP) {
    return add_map(builder, field, value, path, err);
  }
  switch (field->type) {
    case REBAL_TYPE_TEXT:
      return add_text(builder, field->id, value, path, err);
    case REBAL_TYPE_QUANTITY:
      return add_quantity(builder, field->id, value, path, err);
    case REBAL_TYPE_TIME:
      return add_time(builder, field->id, value, path, err);
    case REBAL_TYPE_OBJECT:
      return add_object(builder, field, value, path, err);
    default:
      return add_integer(builder, field, value, path, err);
  }
}

int32_t rebali_read_object(rebal_builder *builder, uint32_t object, const json_t *tree, const struct rebali_path *path,
                           rebal_error *err) {
  size_t n;
  const struct rebali_field *fields = rebali_schema_fields(object, &n);
  int32_t result = REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < n; i++) {
    const struct rebali_path at = rebali_path_key(path, fields[i].name);
    const json_t *value = rebali_member(tree, fields[i].name);
    if (value != NULL) {
      result = add_field(builder, &fields[i], value, &at, err);
    }
  }
  return result;
}

int32_t rebali_read_record(rebal_builder *builder, uint32_t object, const json_t *tree, const struct rebali_path *path,
                           const rebal_record **out, rebal_error *err) {
  const struct rebali_field *bare = rebali_field_bare(object);
  int32_t result = builder != NULL ? rebal_builder_start(builder, object, err) : REBAL_OK;
  if (result == REBAL_OK && rebali_object_is_value(object)) {
    result = rebali_read_value(builder, object, tree, path, err);
  } else if (result == REBAL_OK && bare != NULL) {
    result = add_field(builder, bare, tree, path, err);
  } else if (result == REBAL_OK) {
    result = rebali_read_map(tree, path, err);
    if (result == REBAL_OK) {
      result = rebali_read_object(builder, object, tree, path, err);
    }
  }
  if (result == REBAL_OK && builder != NULL) {
    result = rebal_builder_finish(builder, out, err);
  }
  return result;
}
