/* SPDX-License-Identifier: MIT */
/* Reads replicas of a workload along the paths of a target filter or white list (rebalance-workloadspread(7) 2.6). */
#include "manifest/spread/kruise.h"

#include <string.h>

/* Reads a decimal number of a path like Go's Atoi. */
static int32_t read_index(const char *key, size_t len, int64_t *out, rebal_error *err) {
  const size_t sign = len > 0 && (key[0] == '-' || key[0] == '+');
  int64_t value = 0;
  if (len == sign) {
    return rebali_fail(err, REBAL_EINVAL, -1, "strconv.Atoi: parsing \"%.*s\": invalid syntax", (int)len, key);
  }
  for (size_t i = sign; i < len; i++) {
    if (key[i] < '0' || key[i] > '9') {
      return rebali_fail(err, REBAL_EINVAL, -1, "strconv.Atoi: parsing \"%.*s\": invalid syntax", (int)len, key);
    }
    if (value < INT32_MAX) { /* a larger number exceeds any list */
      value = value * 10 + (key[i] - '0');
    }
  }
  *out = key[0] == '-' ? -value : value;
  return REBAL_OK;
}

static int32_t step_into_list(const json_t *list, const char *key, size_t len, const json_t **out, rebal_error *err) {
  int64_t index = 0;
  const int32_t result = read_index(key, len, &index, err);
  if (result != REBAL_OK) {
    return result;
  }
  if (index < 0 || (uint64_t)index >= json_array_size(list)) {
    return rebali_fail(err, REBAL_EINVAL, -1, "index %.*s out of range", (int)len, key);
  }
  *out = json_array_get(list, (size_t)index);
  return REBAL_OK;
}

/* jansson 2.13 finds only terminated keys. */
static const json_t *member_of(const json_t *map, const char *key, size_t len) {
  json_t *walked = (json_t *)(uintptr_t)map, *member; /* its iterators take no const */
  const char *name;
  json_object_foreach(walked, name, member) {
    if (strncmp(name, key, len) == 0 && name[len] == '\0') {
      return member;
    }
  }
  return NULL;
}

static int32_t step(const json_t *value, const char *key, size_t len, const json_t **out, rebal_error *err) {
  if (json_is_array(value)) {
    return step_into_list(value, key, len, out, err);
  }
  if (!rebali_is_map(value)) {
    return rebali_fail(err, REBAL_EINVAL, -1, "object is not deep enough");
  }
  *out = member_of(value, key, len);
  return *out != NULL ? REBAL_OK : rebali_fail(err, REBAL_EINVAL, -1, "path \"%.*s\" not exists", (int)len, key);
}

/* Truncates to the low 32 bits. */
static int32_t cut(int64_t value) {
  const uint32_t low = (uint32_t)value;
  return low <= INT32_MAX ? (int32_t)low : -(int32_t)(UINT32_MAX - low) - 1;
}

int32_t rebali_path_value(const json_t *object, const char *path, int32_t *out, rebal_error *err) {
  const json_t *value = object;
  size_t len;
  *out = 0;
  if (*path == '\0') {
    return REBAL_OK;
  }
  for (const char *key = path; key != NULL; key = key[len] != '\0' ? key + len + 1 : NULL) {
    int32_t result;
    len = strcspn(key, ".");
    result = step(value, key, len, &value, err);
    if (result != REBAL_OK) {
      return result;
    }
  }
  if (!json_is_integer(value)) {
    return rebali_fail(err, REBAL_EINVAL, -1, "object type error");
  }
  *out = cut(json_integer_value(value));
  return REBAL_OK;
}

int32_t rebali_path_sum(const json_t *object, const json_t *paths, int32_t *out, rebal_error *err) {
  int64_t sum = 0;
  *out = 0;
  for (size_t i = 0; i < json_array_size(paths); i++) {
    const char *path = json_string_value(json_array_get(paths, i));
    int32_t value;
    const int32_t result = rebali_path_value(object, path != NULL ? path : "", &value, err);
    if (result != REBAL_OK) {
      return result;
    }
    sum = cut(sum + value);
  }
  *out = (int32_t)sum;
  return REBAL_OK;
}
