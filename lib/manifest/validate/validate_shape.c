/* SPDX-License-Identifier: MIT */
/* Checks objects against the table of kinds: types, ranges, values, missing and unknown members. */
#include "foundation/near.h"
#include "manifest/validate/checks.h"

#include <string.h>

static void check_value(struct rebali_check *check, const struct rebali_object_member *member, const json_t *value,
                        const struct rebali_path *path);

static size_t count_characters(const char *text) {
  size_t n = 0;
  for (; *text != '\0'; text++) {
    n += ((unsigned char)*text & 0xC0) != 0x80;
  }
  return n;
}

static void check_text(struct rebali_check *check, const struct rebali_object_member *member, const char *text,
                       const struct rebali_path *path) {
  if (text[0] == '\0' && (member->flags & REBALI_NONEMPTY) != 0) {
    rebali_find(check, REBAL_FINDING_MISSING_MEMBER, path, "the text is empty");
  } else if (text[0] == '\0' && (member->flags & REBALI_MAY_EMPTY) != 0) {
    return;
  } else if (member->values != NULL && !rebali_is_listed(text, member->values)) {
    rebali_find(check, REBAL_FINDING_UNKNOWN_VALUE, path, "\"%.80s\" is none of: %s", text, member->values);
  } else if (member->max_len != 0 && count_characters(text) > member->max_len) {
    rebali_find(check, REBAL_FINDING_TOO_LONG, path, "longer than %zu characters", member->max_len);
  }
}

static void check_number(struct rebali_check *check, const struct rebali_object_member *member, int64_t number,
                         const struct rebali_path *path) {
  if ((member->flags & REBALI_UNSIGNED) != 0 && number < 0) {
    rebali_find(check, REBAL_FINDING_OUT_OF_RANGE, path, "expected a number that is not negative");
  } else if ((member->flags & REBALI_POSITIVE) != 0 && number < 1) {
    rebali_find(check, REBAL_FINDING_OUT_OF_RANGE, path, "expected a number of at least 1");
  }
}

/* Reports an error of a reader in the reader's words. */
static void find_refusal(struct rebali_check *check, const rebal_error *err, const struct rebali_path *path) {
  rebali_find(check, err->code == REBAL_ERANGE ? REBAL_FINDING_OUT_OF_RANGE : REBAL_FINDING_WRONG_TYPE, path, "%s",
              err->message);
}

static void check_scalar(struct rebali_check *check, const struct rebali_object_member *member, const json_t *value,
                         const struct rebali_path *path) {
  rebal_error err = REBAL_ERROR_INIT;
  rebal_quantity quantity;
  rebal_time time;
  const char *text = "";
  int64_t number = 0;
  size_t len;
  int32_t result;
  const uint32_t type = member->type != REBALI_TYPE_INT_OR_TEXT ? member->type
                        : json_is_string(value)                 ? (uint32_t)REBAL_TYPE_TEXT
                                                                : (uint32_t)REBAL_TYPE_INT32;
  switch (type) {
    case REBAL_TYPE_TEXT:
      result = rebali_read_text(value, path, &text, &len, &err);
      break;
    case REBAL_TYPE_QUANTITY:
      result = rebali_read_quantity(value, path, &quantity, &err);
      break;
    case REBAL_TYPE_TIME:
      result = rebali_read_time(value, path, &time, &err);
      break;
    default:
      result = rebali_read_integer(value, type, path, &number, &err);
  }
  if (result != REBAL_OK) {
    find_refusal(check, &err, path);
  } else if (type == REBAL_TYPE_TEXT) {
    check_text(check, member, text, path);
  } else if (type != REBAL_TYPE_QUANTITY && type != REBAL_TYPE_TIME) {
    check_number(check, member, number, path);
  }
}

#define NAMED_MEMBERS 8 /* members of maps to name in place of a list: more would hide the fault */

/* A map, or one item, in place of a list of maps is a common mistake: the finding names their members. */
static void find_no_list(struct rebali_check *check, const struct rebali_shape *shape, const struct rebali_path *path) {
  struct rebali_buffer names = REBALI_BUFFER;
  for (size_t i = 0; i < shape->n && i < NAMED_MEMBERS; i++) {
    rebali_buffer_text(&names, i > 0 ? ", " : "");
    rebali_buffer_text(&names, shape->members[i].name);
  }
  rebali_buffer_text(&names, shape->n > NAMED_MEMBERS ? ", ..." : "");
  if (names.failed) {
    check->result = REBAL_ENOMEM;
  } else {
    rebali_find(check, REBAL_FINDING_WRONG_TYPE, path, "expected a list of {%s}", names.bytes);
  }
  rebali_buffer_dispose(&names);
}

static void check_list(struct rebali_check *check, const struct rebali_object_member *member, const json_t *list,
                       const struct rebali_path *path) {
  rebal_error err = REBAL_ERROR_INIT;
  if (rebali_read_list(list, path, &err) != REBAL_OK) {
    if (member->child != NULL) {
      find_no_list(check, member->child, path);
    } else {
      find_refusal(check, &err, path);
    }
    return;
  }
  if ((member->flags & REBALI_NONEMPTY) != 0 && json_array_size(list) == 0) {
    rebali_find(check, REBAL_FINDING_MISSING_MEMBER, path, "the list is empty");
  }
  for (size_t i = 0; i < json_array_size(list); i++) {
    const struct rebali_path at = rebali_path_index(path, i);
    check_value(check, member, json_array_get(list, i), &at);
  }
}

static void check_map(struct rebali_check *check, const struct rebali_object_member *member, const json_t *map,
                      const struct rebali_path *path) {
  rebal_error err = REBAL_ERROR_INIT;
  const char *key;
  json_t *value;
  if (rebali_read_map(map, path, &err) != REBAL_OK) {
    find_refusal(check, &err, path);
    return;
  }
  json_object_foreach((json_t *)(uintptr_t)map, key, value) {
    const struct rebali_path at = rebali_path_key(path, key);
    if (!json_is_null(value)) {
      check_value(check, member, value, &at);
    }
  }
}

/* Checks one value of the member's type, whatever its cardinality. */
static void check_value(struct rebali_check *check, const struct rebali_object_member *member, const json_t *value,
                        const struct rebali_path *path) {
  rebal_error err = REBAL_ERROR_INIT;
  if (member->type == REBALI_TYPE_ANY) {
    return;
  }
  if (member->type != REBAL_TYPE_OBJECT) {
    check_scalar(check, member, value, path);
  } else if (rebali_read_map(value, path, &err) != REBAL_OK) {
    find_refusal(check, &err, path);
  } else {
    rebali_check_shape(check, member->child, value, path);
  }
}

/* The member is read with and without the option. */
static void check_optional(struct rebali_check *check, const struct rebali_object_member *member, const json_t *value,
                           const struct rebali_path *path) {
  struct rebali_object_member plain = *member;
  plain.values = NULL;
  if (!rebali_check_option(check, member->values)) {
    rebali_find(check, REBAL_FINDING_UNKNOWN_MEMBER, path,
                "no member of the API, which drops or refuses it; here it counts with the option %s only",
                member->values);
  }
  check_value(check, &plain, value, path);
}

static void check_member(struct rebali_check *check, const struct rebali_object_member *member, const json_t *value,
                         const struct rebali_path *path) {
  if ((member->flags & REBALI_OPTIONAL) != 0) {
    check_optional(check, member, value, path);
  } else if (member->cardinality == REBAL_CARDINALITY_LIST) {
    check_list(check, member, value, path);
  } else if (member->cardinality == REBAL_CARDINALITY_MAP) {
    check_map(check, member, value, path);
  } else {
    check_value(check, member, value, path);
  }
}

/* Returns the member of a shape that has a name among its values, or NULL. */
static const struct rebali_object_member *find_value(const struct rebali_shape *shape, const char *name) {
  for (size_t i = 0; i < shape->n; i++) {
    const struct rebali_object_member *member = &shape->members[i];
    if (member->values != NULL && (member->flags & REBALI_OPTIONAL) == 0 && rebali_is_listed(name, member->values)) {
      return member;
    }
  }
  return NULL;
}

static void find_unknown(struct rebali_check *check, const struct rebali_shape *shape, const char *key,
                         const struct rebali_path *path) {
  const struct rebali_object_member *member = find_value(shape, key);
  for (size_t i = 0; i < shape->n; i++) {
    if (rebali_is_near(rebali_text(key, strlen(key)),
                       rebali_text(shape->members[i].name, strlen(shape->members[i].name)))) {
      rebali_find(check, REBAL_FINDING_UNKNOWN_MEMBER, path, "no such member; did you mean \"%s\"?",
                  shape->members[i].name);
      return;
    }
  }
  if (member != NULL) {
    rebali_find(check, REBAL_FINDING_UNKNOWN_MEMBER, path, "no such member; did you mean \"%s: %s\"?", member->name,
                key);
  } else {
    rebali_find(check, REBAL_FINDING_UNKNOWN_MEMBER, path, "no such member");
  }
}

void rebali_check_shape(struct rebali_check *check, const struct rebali_shape *shape, const json_t *tree,
                        const struct rebali_path *path) {
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)tree, key, value) {
    const struct rebali_path at = rebali_path_key(path, key);
    const struct rebali_object_member *member = rebali_shape_member(shape, key);
    if (member == NULL) {
      find_unknown(check, shape, key, &at);
    } else if (!json_is_null(value)) {
      check_member(check, member, value, &at);
    }
  }
  for (size_t i = 0; i < shape->n; i++) {
    const struct rebali_path at = rebali_path_key(path, shape->members[i].name);
    if ((shape->members[i].flags & REBALI_REQUIRED) != 0 && rebali_member(tree, shape->members[i].name) == NULL) {
      rebali_find(check, REBAL_FINDING_MISSING_MEMBER, &at, "the member is missing");
    }
  }
}
