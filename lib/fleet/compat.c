/* SPDX-License-Identifier: MIT */
#include "fleet/fleet.h"

static const struct level_value {
  uint32_t level, option;
  int64_t value;
} level_values[] = {
#define REBAL_LEVEL(name, number, text, meaning)
#define REBAL_LEVEL_VALUE(level, option, value) {REBAL_LEVEL_##level, REBAL_OPTION_##option, value},
#include "rebalance/levels.def"
#undef REBAL_LEVEL
#undef REBAL_LEVEL_VALUE
};

static void set_defaults(rebal_compat *compat) {
  memcpy(compat->values, rebali_compat_defaults, sizeof compat->values);
}

int32_t rebal_compat_new(const rebal_allocator *allocator, rebal_compat **out, rebal_error *err) {
  rebal_allocator memory;
  rebal_compat *compat;
  int32_t code = rebali_allocator_load(&memory, allocator, err);

  if (code != REBAL_OK) {
    return code;
  }
  if (out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "out is NULL");
  }
  compat = rebali_allocate(&memory, 1, sizeof *compat);
  if (compat == NULL) {
    return rebali_fail_memory(err);
  }
  compat->allocator = memory;
  set_defaults(compat);
  *out = compat;
  return REBAL_OK;
}

static int32_t check_option(uint32_t option, rebal_error *err) {
  return rebal_enum_name(REBAL_ENUM_OPTION, option, NULL) != NULL
             ? REBAL_OK
             : rebali_fail(err, REBAL_EUNSUPPORTED, -1, "no option has the number %lu", (unsigned long)option);
}

int32_t rebal_compat_set(rebal_compat *compat, uint32_t option, int64_t value, rebal_error *err) {
  const int32_t code = check_option(option, err);

  if (code != REBAL_OK) {
    return code;
  }
  if (compat == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "compat is NULL");
  }
  if (value != 0 && value != 1) {
    return rebali_fail(err, REBAL_ERANGE, -1, "option %lu is 0 or 1", (unsigned long)option);
  }
  compat->values[option] = value;
  return REBAL_OK;
}

int32_t rebal_compat_get(const rebal_compat *compat, uint32_t option, int64_t *value, rebal_error *err) {
  const int32_t code = check_option(option, err);

  if (code != REBAL_OK) {
    return code;
  }
  if (value == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "value is NULL");
  }
  *value = rebali_compat_value(compat, option);
  return REBAL_OK;
}

int32_t rebal_compat_set_level(rebal_compat *compat, const char *name, size_t len, rebal_error *err) {
  int64_t level;
  size_t i;
  const int32_t code = rebal_enum_find(REBAL_ENUM_LEVEL, name, len, &level, err);

  if (code == REBAL_ENOTFOUND) {
    return rebali_fail(err, code, -1, "there is no such level");
  }
  if (code != REBAL_OK) {
    return code;
  }
  if (compat == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "compat is NULL");
  }
  set_defaults(compat);
  for (i = 0; i < REBALI_COUNT(level_values); i++) {
    if (level_values[i].level == level) {
      compat->values[level_values[i].option] = level_values[i].value;
    }
  }
  return REBAL_OK;
}

void rebal_compat_free(rebal_compat *compat) {
  rebal_allocator allocator;

  if (compat != NULL) {
    allocator = compat->allocator;
    rebali_release(&allocator, compat);
  }
}
