/* SPDX-License-Identifier: MIT */
#include "conformance.h"

#include <string.h>

int failed(struct conformance *run, int32_t code) {
  if (code < 0 && run->err.code == 0) {
    run->err.code = code;
  }
  return code < 0;
}

json_t *fault(struct conformance *run, const char *text) {
  run->fault = text;
  return NULL;
}

const json_t *json_at(const json_t *value, const char *path) {
  char name[64];

  while (value != NULL && *path != '\0') {
    const size_t len = strcspn(path, ".");

    if (len >= sizeof name) {
      return NULL;
    }
    memcpy(name, path, len);
    name[len] = '\0';
    value = json_object_get(value, name);
    path += path[len] == '.' ? len + 1 : len;
  }
  return json_is_null(value) ? NULL : value;
}

const char *text_at(const json_t *value, const char *path) {
  const char *text = json_string_value(json_at(value, path));

  return text == NULL ? "" : text;
}

int64_t integer_at(const json_t *value, const char *path, int64_t absent) {
  const json_t *found = json_at(value, path);

  return json_is_integer(found) ? (int64_t)json_integer_value(found) : absent;
}

int boolean_at(const json_t *value, const char *path) {
  return json_is_true(json_at(value, path));
}

rebal_time time_at(const json_t *value, const char *path) {
  const char *text = text_at(value, path);
  rebal_time time = {0, 0, 0};

  if (rebal_time_parse(text, strlen(text), &time, NULL) != REBAL_OK) {
    time = (rebal_time){0, 0, 0};
  }
  return time;
}

json_t *json_time(const rebal_time *time) {
  char text[64];
  size_t len;

  return rebal_time_format(time, text, sizeof text, &len, NULL) == REBAL_OK ? json_stringn(text, len) : json_null();
}

int array_has(const json_t *array, const char *text) {
  const json_t *item;
  size_t i;

  json_array_foreach(array, i, item) {
    if (strcmp(json_string_value(item), text) == 0) {
      return 1;
    }
  }
  return 0;
}
