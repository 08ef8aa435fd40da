/* SPDX-License-Identifier: MIT */
/* SparkApplication: a driver and executors, whose memory has an overhead (rebalance-karmada(7) 15.4). */
#include "detector/interpret/interpret.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum unit { BYTES, KIBI, MEBI, GIBI, TEBI, PEBI };

struct memory {
  double amount;
  int unit;
};

static char small(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Converts to a unit that is not larger. */
static struct memory in_unit(struct memory memory, int unit) {
  for (; memory.unit > unit; memory.unit--) {
    memory.amount *= 1024;
  }
  return memory;
}

/* Parses digits, an optional point and digits, and a unit such as g or gb. */
static struct memory read_memory(struct rebali_interpreting *in, const json_t *value) {
  static const char letters[] = "bkmgtp";
  const char *text = json_string_value(value), *found;
  struct memory memory = {0, BYTES};
  char number[64];
  size_t len = 0, points = 0;
  while (text != NULL && len < sizeof number - 1 &&
         ((text[len] >= '0' && text[len] <= '9') || (text[len] == '.' && len > 0 && points == 0))) {
    points += text[len] == '.';
    number[len] = text[len];
    len++;
  }
  number[len] = '\0';
  found =
      text != NULL && len > 0 && number[len - 1] != '.' && text[len] != '\0' ? strchr(letters, small(text[len])) : NULL;
  if (found == NULL ||
      !(text[len + 1] == '\0' || (found != letters && small(text[len + 1]) == 'b' && text[len + 2] == '\0'))) {
    rebali_interpreting_fail(in, REBAL_EPARSE, "expected an amount of memory such as 512m or 2g");
    return memory;
  }
  value = rebali_made(in, json_string_nocheck(number));
  if (value != NULL && !rebali_lua_to_number(value, &memory.amount)) {
    rebali_interpreting_fail(in, REBAL_EPARSE, "expected an amount of memory such as 512m or 2g");
  }
  json_decref((json_t *)(uintptr_t)value);
  memory.unit = (int)(found - letters);
  return memory;
}

static int is_jvm(const json_t *type) {
  static const char *const names[] = {"java", "scala"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    size_t at = 0;
    while (names[i][at] != '\0' && small(json_string_value(type)[at]) == names[i][at]) {
      at++;
    }
    if (names[i][at] == '\0' && json_string_value(type)[at] == '\0') {
      return 1;
    }
  }
  return 0;
}

static struct memory overhead_of(struct rebali_interpreting *in, const json_t *object, struct memory memory) {
  const json_t *type = rebali_lua_at(in, object, "spec.type");
  const double factor = rebali_lua_number_or(rebali_lua_at(in, object, "spec.memoryOverheadFactor"),
                                             json_is_string(type) && is_jvm(type) ? 0.10 : 0.40);
  const int unit = memory.unit < MEBI ? memory.unit : (int)MEBI;
  const double least = in_unit((struct memory){384, MEBI}, unit).amount;
  const double share = in_unit(memory, unit).amount * factor;
  return (struct memory){share > least ? share : least, unit};
}

/* Prints six decimals and a unit. */
static json_t *memory_text(struct rebali_interpreting *in, struct memory memory) {
  static const char *const suffixes[] = {"B", "Ki", "Mi", "Gi", "Ti", "Pi"};
  char text[64];
  double whole = rebali_floor(memory.amount), micros = rebali_floor((memory.amount - whole) * 1e6 + 0.5);
  if (in->result != REBAL_OK || !(memory.amount >= 0 && memory.amount < 9e15)) {
    rebali_interpreting_fail(in, REBAL_ERANGE, "an amount of memory is too large");
    return NULL;
  }
  if (micros >= 1e6) {
    whole += 1;
    micros = 0;
  }
  (void)snprintf(text, sizeof text, "%" PRId64 ".%06" PRId64 "%s", (int64_t)whole, (int64_t)micros,
                 suffixes[memory.unit]);
  return rebali_new_text(in, text);
}

static json_t *memory_of(struct rebali_interpreting *in, const json_t *object, const json_t *section) {
  const json_t *given = rebali_lua_find(in, section, "memory"), *extra = rebali_lua_find(in, section, "memoryOverhead");
  struct memory memory = {1, GIBI}, overhead;
  int unit;
  if (given != NULL) {
    memory = read_memory(in, given);
  }
  overhead = extra != NULL ? read_memory(in, extra) : overhead_of(in, object, memory);
  unit = memory.unit < overhead.unit ? memory.unit : overhead.unit;
  return memory_text(in, (struct memory){in_unit(memory, unit).amount + in_unit(overhead, unit).amount, unit});
}

static json_t *request_of(struct rebali_interpreting *in, const json_t *object, const json_t *section) {
  const json_t *gpu = rebali_lua_find(in, section, "gpu"), *cores = rebali_lua_find(in, section, "cores");
  const json_t *name = rebali_lua_find(in, gpu, "name"), *quantity = rebali_lua_find(in, gpu, "quantity");
  json_t *request = rebali_new_map(in), *memory = memory_of(in, object, section), *one = rebali_new_integer(in, 1);
  rebali_set_quantity(in, request, "cpu", cores != NULL ? cores : one);
  rebali_set_quantity(in, request, "memory", memory);
  if (json_string_length(name) > 0 && rebali_lua_number_or(quantity, 0) > 0) {
    rebali_set_quantity(in, request, json_string_value(name), quantity);
  }
  json_decref(memory);
  json_decref(one);
  return rebali_finished(in, request);
}

static void add(struct rebali_interpreting *in, json_t *list, const json_t *object, const char *name, double replicas) {
  const json_t *section = rebali_lua_get(in, rebali_lua_get(in, object, "spec"), name);
  json_t *component = rebali_new_map(in), *request = request_of(in, object, section);
  json_t *requirements = rebali_section_requirements(in, request, section);
  rebali_set(in, component, "name", rebali_new_text(in, name));
  rebali_set(in, component, "replicas", rebali_new_integer(in, rebali_lua_int32(replicas)));
  rebali_set(in, component, "replicaRequirements", requirements);
  rebali_append(in, list, component);
}

/* With dynamic allocation, at least its initial and minimum numbers. */
static double executors_of(struct rebali_interpreting *in, const json_t *object) {
  const json_t *allocation = rebali_lua_find(in, object, "spec.dynamicAllocation");
  double replicas = rebali_lua_number_or(rebali_lua_find(in, object, "spec.executor.instances"), 1);
  if (json_is_true(rebali_lua_find(in, allocation, "enabled"))) {
    const double first = rebali_lua_number_or(rebali_lua_get(in, allocation, "initialExecutors"), 1);
    const double least = rebali_lua_number_or(rebali_lua_get(in, allocation, "minExecutors"), 1);
    replicas = first > replicas ? first : replicas;
    replicas = least > replicas ? least : replicas;
  }
  return replicas;
}

json_t *rebali_spark_components(struct rebali_interpreting *in, const json_t *object) {
  json_t *list = rebali_new_list(in);
  if (rebali_lua_at(in, object, "spec.type") == NULL) {
    rebali_interpreting_fail(in, REBAL_EPARSE, "spec.type is absent");
  }
  add(in, list, object, "driver", 1);
  add(in, list, object, "executor", executors_of(in, object));
  return rebali_finished(in, list);
}
