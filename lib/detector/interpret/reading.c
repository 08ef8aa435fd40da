/* SPDX-License-Identifier: MIT */
/* Builds trees in steps and keeps the first failure. */
#include "detector/interpret/interpret.h"

#include <stdarg.h>
#include <stdio.h>

void rebali_interpreting_fail(struct rebali_interpreting *in, int32_t code, const char *format, ...) {
  char message[200];
  va_list arguments;
  if (in->result != REBAL_OK) {
    return;
  }
  va_start(arguments, format);
  (void)vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  in->result = rebali_fail(in->err, code, -1, "%s", message);
}

json_t *rebali_made(struct rebali_interpreting *in, json_t *value) {
  if (value == NULL && in->result == REBAL_OK) {
    in->result = rebali_fail_memory(in->err);
  }
  return value;
}

json_t *rebali_new_map(struct rebali_interpreting *in) {
  return rebali_made(in, json_object());
}

json_t *rebali_new_list(struct rebali_interpreting *in) {
  return rebali_made(in, json_array());
}

json_t *rebali_new_integer(struct rebali_interpreting *in, int64_t value) {
  return rebali_made(in, json_integer(value));
}

json_t *rebali_new_text(struct rebali_interpreting *in, const char *text) {
  return rebali_made(in, json_string_nocheck(text));
}

json_t *rebali_share(const json_t *value) {
  return json_incref((json_t *)(uintptr_t)value); /* reference counting does not change the value */
}

json_t *rebali_new_copy(struct rebali_interpreting *in, const json_t *value) {
  return rebali_made(in, rebali_copy(value));
}

void rebali_set(struct rebali_interpreting *in, json_t *map, const char *key, json_t *value) {
  if (value == NULL) {
    return;
  }
  if (in->result != REBAL_OK || map == NULL) {
    json_decref(value);
  } else if (json_object_set_new_nocheck(map, key, value) != 0) {
    in->result = rebali_fail_memory(in->err);
  }
}

void rebali_append(struct rebali_interpreting *in, json_t *list, json_t *value) {
  if (value == NULL) {
    return;
  }
  if (in->result != REBAL_OK || list == NULL) {
    json_decref(value);
  } else if (json_array_append_new(list, value) != 0) {
    in->result = rebali_fail_memory(in->err);
  }
}

json_t *rebali_finished(const struct rebali_interpreting *in, json_t *tree) {
  if (in->result != REBAL_OK) {
    json_decref(tree);
    return NULL;
  }
  return tree;
}
