/* SPDX-License-Identifier: MIT */
/* JSON to records and back, by the names of rebal_describe(), without a list of fields. */
#include "conformance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS_MAX 64

struct field {
  uint32_t id;
  uint32_t type;
  uint32_t cardinality;
  uint32_t child;
  const char *name;
};

static struct field describe(uint32_t id) {
  rebal_description about = {.struct_size = sizeof about, .name = ""};

  (void)rebal_describe(id, &about, NULL);
  return (struct field){id, about.type, about.cardinality, about.child, about.name};
}

static size_t fields_of(uint32_t object, uint32_t *ids) {
  size_t n = 0;

  return rebal_describe_object(object, ids, FIELDS_MAX, &n, NULL) == REBAL_OK ? n : 0;
}

/* ---- to records: a failing builder remembers its first failure ---- */

static void write_object(rebal_builder *builder, uint32_t object, const json_t *value);

static void write_quantity(rebal_builder *builder, uint32_t field, const json_t *value) {
  rebal_quantity quantity = {0, 0, 0};
  char digits[32];
  const char *text = json_string_value(value);

  if (text == NULL) {
    (void)snprintf(digits, sizeof digits, "%lld", (long long)json_integer_value(value));
    text = digits;
  }
  if (rebal_quantity_parse(text, strlen(text), &quantity, NULL) == REBAL_OK) {
    (void)rebal_builder_quantity(builder, field, &quantity, NULL);
  } else {
    (void)rebal_builder_end(builder, NULL); /* no such object is open at the top: the failure sticks */
  }
}

/* A number or a text, and JSON that is carried, are not maps in the API. */
static void write_child(rebal_builder *builder, uint32_t object, const json_t *value) {
  if (object == REBAL_OBJECT_RAW) {
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);

    (void)rebal_builder_text(builder, REBAL_RAW_JSON, text, text == NULL ? 1 : strlen(text), NULL);
    free(text);
  } else if (object == REBAL_OBJECT_INT_OR_TEXT && json_is_string(value)) {
    (void)rebal_builder_text(builder, REBAL_INT_OR_TEXT_TEXT, json_string_value(value), json_string_length(value),
                             NULL);
  } else if (object == REBAL_OBJECT_INT_OR_TEXT) {
    (void)rebal_builder_i64(builder, REBAL_INT_OR_TEXT_NUMBER, json_integer_value(value), NULL);
  } else {
    write_object(builder, object, value);
  }
}

static void write_value(rebal_builder *builder, const struct field *field, const json_t *value) {
  rebal_time time = {0, 0, 0};
  const char *text = json_string_value(value);

  switch (field->type) {
    case REBAL_TYPE_TEXT:
      (void)rebal_builder_text(builder, field->id, text, text == NULL ? 1 : strlen(text), NULL);
      break;
    case REBAL_TYPE_QUANTITY:
      write_quantity(builder, field->id, value);
      break;
    case REBAL_TYPE_TIME:
      (void)rebal_time_parse(text == NULL ? "" : text, text == NULL ? 0 : strlen(text), &time, NULL);
      (void)rebal_builder_time(builder, field->id, &time, NULL);
      break;
    case REBAL_TYPE_OBJECT:
      (void)rebal_builder_begin(builder, field->id, NULL);
      write_child(builder, field->child, value);
      (void)rebal_builder_end(builder, NULL);
      break;
    default:
      (void)rebal_builder_i64(builder, field->id,
                              json_is_boolean(value) ? json_is_true(value) : json_integer_value(value), NULL);
  }
}

static void write_field(rebal_builder *builder, const struct field *field, const json_t *value);

/* An entry of a map: its object has two fields, key and value. */
static void write_entry(rebal_builder *builder, const struct field *field, const char *key, const json_t *value) {
  uint32_t ids[FIELDS_MAX];

  if (fields_of(field->child, ids) == 2) {
    const struct field entry = describe(ids[1]);

    (void)rebal_builder_begin(builder, field->id, NULL);
    (void)rebal_builder_text(builder, ids[0], key, strlen(key), NULL);
    write_field(builder, &entry, value);
    (void)rebal_builder_end(builder, NULL);
  }
}

static void write_field(rebal_builder *builder, const struct field *field, const json_t *value) {
  const json_t *item;
  const char *key;
  size_t i;

  if (field->cardinality == REBAL_CARDINALITY_LIST) {
    json_array_foreach(value, i, item) {
      write_value(builder, field, item);
    }
  } else if (field->cardinality == REBAL_CARDINALITY_MAP) {
    void *iterator = json_object_iter((json_t *)(uintptr_t)value);

    for (; iterator != NULL; iterator = json_object_iter_next((json_t *)(uintptr_t)value, iterator)) {
      key = json_object_iter_key(iterator);
      write_entry(builder, field, key, json_object_iter_value(iterator));
    }
  } else {
    write_value(builder, field, value);
  }
}

static void write_object(rebal_builder *builder, uint32_t object, const json_t *value) {
  uint32_t ids[FIELDS_MAX];
  const size_t n = fields_of(object, ids);
  size_t i;

  for (i = 0; i < n; i++) {
    const struct field field = describe(ids[i]);
    const json_t *member = json_object_get(value, field.name);

    if (member != NULL && !json_is_null(member)) {
      write_field(builder, &field, member);
    }
  }
}

int32_t record_from_json(struct conformance *run, uint32_t object, const json_t *value, const rebal_record **out) {
  uint32_t ids[FIELDS_MAX];
  const size_t n = fields_of(object, ids);

  (void)rebal_builder_start(run->builder, object, &run->err);
  if (n == 1) {
    const struct field field = describe(ids[0]);

    write_field(run->builder, &field, value);
  } else {
    write_object(run->builder, object, value);
  }
  return rebal_builder_finish(run->builder, out, &run->err);
}

/* ---- to JSON ---- */

static json_t *read_object(const rebal_record *record, uint32_t node);

static json_t *read_child(const rebal_record *record, uint32_t node) {
  const uint32_t child = rebal_record_next(record, node, 0, REBAL_NONE);
  size_t len;
  const char *text = rebal_record_text(record, child, &len);

  switch (rebal_record_field(record, child)) {
    case REBAL_RAW_JSON:
      return json_loadb(text, len, JSON_DECODE_ANY, NULL);
    case REBAL_INT_OR_TEXT_TEXT:
      return json_stringn(text, len);
    case REBAL_INT_OR_TEXT_NUMBER:
      return json_integer(rebal_record_i64(record, child));
    default:
      return read_object(record, node);
  }
}

static json_t *read_value(const rebal_record *record, uint32_t node, uint32_t type) {
  rebal_quantity quantity;
  rebal_time time;
  char text[64];
  size_t len = 0;

  switch (type) {
    case REBAL_TYPE_TEXT:
      return json_string(rebal_record_text(record, node, NULL));
    case REBAL_TYPE_QUANTITY:
      rebal_record_quantity(record, node, &quantity);
      (void)rebal_quantity_format(&quantity, text, sizeof text, &len, NULL);
      return json_stringn(text, len);
    case REBAL_TYPE_TIME:
      rebal_record_time(record, node, &time);
      return json_time(&time);
    case REBAL_TYPE_OBJECT:
      return read_child(record, node);
    case REBAL_TYPE_BOOLEAN:
      return json_boolean(rebal_record_i64(record, node));
    default:
      return json_integer(rebal_record_i64(record, node));
  }
}

/* key and value of a map's entry */
static void read_entry(const rebal_record *record, uint32_t node, json_t *map) {
  const uint32_t key = rebal_record_next(record, node, 0, REBAL_NONE);
  uint32_t value = rebal_record_next(record, node, 0, key);
  const struct field field = describe(rebal_record_field(record, value));
  json_t *read = json_null();

  if (value != REBAL_NONE && field.cardinality == REBAL_CARDINALITY_LIST) {
    for (read = json_array(); value != REBAL_NONE; value = rebal_record_next(record, node, 0, value)) {
      (void)json_array_append_new(read, read_value(record, value, field.type));
    }
  } else if (value != REBAL_NONE) {
    read = read_value(record, value, field.type);
  }
  (void)json_object_set_new(map, rebal_record_text(record, key, NULL), read);
}

static json_t *read_object(const rebal_record *record, uint32_t node) {
  json_t *object = json_object();
  uint32_t child = REBAL_NONE;

  while ((child = rebal_record_next(record, node, 0, child)) != REBAL_NONE) {
    const struct field field = describe(rebal_record_field(record, child));
    json_t *member = json_object_get(object, field.name);

    if (field.cardinality == REBAL_CARDINALITY_ONE) {
      (void)json_object_set_new(object, field.name, read_value(record, child, field.type));
      continue;
    }
    if (member == NULL) {
      member = field.cardinality == REBAL_CARDINALITY_LIST ? json_array() : json_object();
      (void)json_object_set_new(object, field.name, member);
    }
    if (field.cardinality == REBAL_CARDINALITY_LIST) {
      (void)json_array_append_new(member, read_value(record, child, field.type));
    } else {
      read_entry(record, child, member);
    }
  }
  return object;
}

json_t *record_to_json(const rebal_record *record) {
  return record == NULL ? json_object() : read_object(record, 0);
}
