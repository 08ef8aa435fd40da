/* SPDX-License-Identifier: MIT */
/*
 * Decodes values of Kubernetes' own types from objects and encodes them again (types.def; rebalance-karmada(7) 15.1).
 */
#include "detector/interpret/interpret.h"

#include <string.h>

enum scalar { TEXT = REBALI_TYPES, BOOLEAN, INT32, INT64, QUANTITY, TIME, ANY };
enum cardinality { ONE, LIST, MAP };
enum { WRITTEN = 1, POINTER = 2 };

enum {
#define TYPE(name) name = REBALI_TYPE_##name,
#define MEMBER(type, name, child, cardinality, flags)
#include "detector/interpret/types.def"
#undef TYPE
#undef MEMBER
};

struct member {
  const char *name;
  uint16_t type;
  uint8_t cardinality, flags;
};

static const struct member members[] = {
#define TYPE(name)
#define MEMBER(owner, name, type, cardinality, flags) {name, type, cardinality, flags},
#include "detector/interpret/types.def"
#undef TYPE
#undef MEMBER
};

/* The index of the first member of each type, and of the last one. */
enum {
  BEFORE = -1
#define TYPE(name) , FIRST_##name, LAST_##name = FIRST_##name - 1
#define MEMBER(owner, name, type, cardinality, flags) +1
#include "detector/interpret/types.def"
#undef TYPE
#undef MEMBER
};

static const struct {
  int first, last;
} types[] = {
    {0, -1},
#define TYPE(name) {FIRST_##name, LAST_##name},
#define MEMBER(owner, name, type, cardinality, flags)
#include "detector/interpret/types.def"
#undef TYPE
#undef MEMBER
};

static json_t *wrong(struct rebali_interpreting *in, const struct member *member) {
  rebali_interpreting_fail(in, REBAL_EPARSE, "the member %s has another type in the API", member->name);
  return NULL;
}

/* ---- decoding ---- */

/* Accepts any integer, and numbers without a fraction. */
static int read_integer(const json_t *value, int64_t *out) {
  double number;
  if (json_is_integer(value)) {
    *out = json_integer_value(value);
    return 1;
  }
  if (!rebali_lua_is_number(value) || !rebali_lua_to_number(value, &number)) {
    return 0;
  }
  *out = number >= 9223372036854775808.0 ? INT64_MAX : number <= -9223372036854775808.0 ? INT64_MIN : (int64_t)number;
  return (double)*out == number || *out == INT64_MAX || *out == INT64_MIN;
}

static json_t *decode_integer(struct rebali_interpreting *in, const struct member *member, const json_t *value) {
  int64_t number;
  if (!read_integer(value, &number)) {
    return wrong(in, member);
  }
  if (member->type == INT32) {
    const uint32_t low = (uint32_t)(uint64_t)number; /* int32 fields keep the low half */
    number = low > INT32_MAX ? (int64_t)low - ((int64_t)UINT32_MAX + 1) : (int64_t)low;
  }
  return json_is_integer(value) && number == json_integer_value(value) ? rebali_share(value)
                                                                       : rebali_new_integer(in, number);
}

static json_t *decode_time(struct rebali_interpreting *in, const struct member *member, const json_t *value) {
  rebal_time time;
  char text[64];
  size_t len;
  if (rebali_read_time(value, NULL, &time, NULL) != REBAL_OK) {
    return wrong(in, member);
  }
  time.nanos = 0;
  return rebal_time_format(&time, text, sizeof text, &len, NULL) == REBAL_OK ? rebali_new_text(in, text)
                                                                             : wrong(in, member);
}

static json_t *decode_one(struct rebali_interpreting *in, const struct member *member, const json_t *value) {
  rebal_quantity quantity;
  switch (member->type) {
    case TEXT:
      return json_is_string(value) ? rebali_share(value) : wrong(in, member);
    case BOOLEAN:
      return json_is_boolean(value) ? rebali_share(value) : wrong(in, member);
    case INT32:
    case INT64:
      return decode_integer(in, member, value);
    case QUANTITY:
      return rebali_read_quantity(value, NULL, &quantity, NULL) == REBAL_OK ? rebali_share(value) : wrong(in, member);
    case TIME:
      return decode_time(in, member, value);
    case ANY:
      return rebali_share(value);
    default:
      return rebali_is_map(value) ? rebali_decoded(in, (enum rebali_type)member->type, value) : wrong(in, member);
  }
}

static json_t *empty_of(struct rebali_interpreting *in, const struct member *member) {
  switch (member->type) {
    case TEXT:
      return rebali_new_text(in, "");
    case BOOLEAN:
      return json_false();
    case INT32:
    case INT64:
      return rebali_new_integer(in, 0);
    case QUANTITY:
      return rebali_new_text(in, "0");
    case TIME:
    case ANY:
      return json_null();
    default:
      return rebali_decoded(in, (enum rebali_type)member->type, NULL);
  }
}

static json_t *decode_item(struct rebali_interpreting *in, const struct member *member, const json_t *value) {
  return json_is_null(value) ? empty_of(in, member) : decode_one(in, member, value);
}

static json_t *decode_list(struct rebali_interpreting *in, const struct member *member, const json_t *value) {
  json_t *list = json_is_array(value) ? rebali_new_list(in) : wrong(in, member);
  for (size_t i = 0; in->result == REBAL_OK && i < json_array_size(value); i++) {
    rebali_append(in, list, decode_item(in, member, json_array_get(value, i)));
  }
  return rebali_finished(in, list);
}

static json_t *decode_map(struct rebali_interpreting *in, const struct member *member, const json_t *value) {
  json_t *map = rebali_is_map(value) ? rebali_new_map(in) : wrong(in, member), *item;
  const char *key;
  if (map != NULL) {
    json_object_foreach((json_t *)(uintptr_t)value, key, item) {
      rebali_set(in, map, key, decode_item(in, member, item));
    }
  }
  return rebali_finished(in, map);
}

static int is_empty_scalar(const json_t *value) {
  return json_is_null(value) || json_is_false(value) || (json_is_integer(value) && json_integer_value(value) == 0) ||
         (json_is_string(value) && json_string_length(value) == 0);
}

static int is_struct(const struct member *member) {
  return member->cardinality == ONE && member->type < REBALI_TYPES;
}

/* Returns NULL also for values that count as absent. */
static json_t *decode_member(struct rebali_interpreting *in, const struct member *member, const json_t *value) {
  json_t *decoded;
  if (value == NULL) {
    return is_struct(member) && (member->flags & POINTER) == 0 ? empty_of(in, member) : NULL;
  }
  switch (member->cardinality) {
    case LIST:
      return decode_list(in, member, value);
    case MAP:
      return decode_map(in, member, value);
    default:
      decoded = decode_one(in, member, value);
  }
  if (decoded != NULL && (member->flags & POINTER) == 0 && !is_struct(member) && is_empty_scalar(decoded)) {
    json_decref(decoded);
    return NULL;
  }
  return decoded;
}

json_t *rebali_decoded(struct rebali_interpreting *in, enum rebali_type type, const json_t *value) {
  json_t *decoded;
  if (value != NULL && !json_is_null(value) && !rebali_is_map(value)) {
    rebali_interpreting_fail(in, REBAL_EPARSE, "expected a map");
    return NULL;
  }
  decoded = rebali_new_map(in);
  for (int i = types[type].first; in->result == REBAL_OK && i <= types[type].last; i++) {
    rebali_set(in, decoded, members[i].name, decode_member(in, &members[i], rebali_member(value, members[i].name)));
  }
  return rebali_finished(in, decoded);
}

/* ---- encoding ---- */

static json_t *encode_one(struct rebali_interpreting *in, const struct member *member, const json_t *value) {
  return member->type < REBALI_TYPES ? rebali_encoded(in, (enum rebali_type)member->type, value) : rebali_share(value);
}

static json_t *encode_items(struct rebali_interpreting *in, const struct member *member, const json_t *value) {
  json_t *items = rebali_new_copy(in, value), *item;
  const char *key;
  if (items == NULL || member->type >= REBALI_TYPES) {
    return items;
  }
  for (size_t i = 0; in->result == REBAL_OK && i < json_array_size(items); i++) {
    if (json_array_set_new(items, i, rebali_made(in, encode_one(in, member, json_array_get(value, i)))) != 0) {
      rebali_made(in, NULL);
    }
  }
  json_object_foreach((json_t *)(uintptr_t)value, key, item) {
    rebali_set(in, items, key, encode_one(in, member, item));
  }
  return rebali_finished(in, items);
}

static json_t *encode_member(struct rebali_interpreting *in, const struct member *member, const json_t *value) {
  if (value == NULL) {
    return (member->flags & WRITTEN) == 0 ? NULL : member->cardinality == ONE ? empty_of(in, member) : json_null();
  }
  if (member->cardinality == ONE) {
    return encode_one(in, member, value);
  }
  if (json_array_size(value) + json_object_size(value) == 0 && (member->flags & WRITTEN) == 0) {
    return NULL;
  }
  return encode_items(in, member, value);
}

json_t *rebali_encoded(struct rebali_interpreting *in, enum rebali_type type, const json_t *decoded) {
  json_t *written = rebali_new_map(in);
  for (int i = types[type].first; in->result == REBAL_OK && i <= types[type].last; i++) {
    rebali_set(in, written, members[i].name, encode_member(in, &members[i], rebali_member(decoded, members[i].name)));
  }
  return rebali_finished(in, written);
}

int64_t rebali_integer_of(const json_t *decoded, const char *key) {
  return json_integer_value(rebali_member(decoded, key));
}
