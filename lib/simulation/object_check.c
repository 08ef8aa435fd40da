/* SPDX-License-Identifier: MIT */
/* What no scheduler writes, though a store takes it: replicas below zero in the bindings a scenario starts with. */
#include "simulation.h"

#include <stdio.h>

static int32_t check_list(const struct rebali_reading *reading, const char *list) {
  const struct rebali_slice items = rebali_cursor_find(rebali_cursor_find(reading->map, "spec"), list);
  struct rebali_slice item;
  size_t at = 0;
  for (size_t i = 0; rebali_cursor_item(items, &at, &item); i++) {
    int64_t number;
    char field[160];
    if (rebali_cursor_integer(rebali_cursor_find(item, "replicas"), &number) && number < 0) {
      (void)snprintf(field, sizeof field, "%sspec.%s[%zu].replicas", reading->prefix, list, i);
      return rebali_scenario_fail(reading->scenario, reading->document, field, reading->err, REBAL_ERANGE,
                                  "a number of replicas is not negative");
    }
  }
  return REBAL_OK;
}

static int32_t check_object(const struct rebali_reading *reading) {
  const struct rebali_slice kind = rebali_cursor_find(reading->map, "kind");
  int32_t code = REBAL_OK;
  if (rebali_slice_is(kind, "\"ResourceBinding\"") || rebali_slice_is(kind, "\"ClusterResourceBinding\"")) {
    code = check_list(reading, "clusters");
    return code == REBAL_OK ? check_list(reading, "gracefulEvictionTasks") : code;
  }
  return code;
}

int32_t rebali_objects_check(const struct rebali_reading *outer) {
  const struct rebali_slice items = rebali_cursor_find(outer->map, "items");
  struct rebali_slice item;
  size_t at = 0;
  int32_t code = check_object(outer);
  for (size_t i = 0; code == REBAL_OK && rebali_cursor_item(items, &at, &item); i++) {
    struct rebali_reading reading = *outer;
    char prefix[48];
    (void)snprintf(prefix, sizeof prefix, "items[%zu].", i);
    reading.prefix = prefix;
    reading.map = item;
    code = check_object(&reading);
  }
  return code;
}
