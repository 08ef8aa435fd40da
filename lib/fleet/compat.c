/* SPDX-License-Identifier: MIT */
#include "fleet/fleet.h"

struct option {
  uint32_t number;
  const char *name; /* as in options.def */
};

static const struct option options[] = {
#define REBAL_OPTION(name, number, absent, text) {number, #name},
#include "rebalance/options.def"
#undef REBAL_OPTION
};

static const struct rebali_text levels[] = {
#define REBAL_LEVEL(name, text) {name, sizeof name - 1},
#define REBAL_LEVEL_VALUE(level, option, value)
#include "rebalance/levels.def"
#undef REBAL_LEVEL
#undef REBAL_LEVEL_VALUE
};

static const struct level_value {
  struct rebali_text level;
  uint32_t number;
  int64_t value;
} level_values[] = {
#define REBAL_LEVEL(name, text)
#define REBAL_LEVEL_VALUE(level, option, value) {{level, sizeof level - 1}, REBAL_OPTION_##option, value},
#include "rebalance/levels.def"
#undef REBAL_LEVEL
#undef REBAL_LEVEL_VALUE
};

/* Index of an option; the number of options when there is none. */
static size_t find(uint32_t option) {
  size_t i = 0;

  while (i < REBALI_COUNT(options) && options[i].number != option) {
    i++;
  }
  return i;
}

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

static int32_t check_option(size_t place, uint32_t option, rebal_error *err) {
  return place < REBALI_COUNT(options)
             ? REBAL_OK
             : rebali_fail(err, REBAL_EUNSUPPORTED, -1, "no option has the number %lu", (unsigned long)option);
}

int32_t rebal_compat_set(rebal_compat *compat, uint32_t option, int64_t value, rebal_error *err) {
  const size_t place = find(option);
  const int32_t code = check_option(place, option, err);

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
  const int32_t code = check_option(find(option), option, err);

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
  struct rebali_text wanted;
  size_t i = 0, j;
  const int32_t code = rebali_text_take(name, len, "name", &wanted, err);

  if (code != REBAL_OK) {
    return code;
  }
  if (compat == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "compat is NULL");
  }
  while (i < REBALI_COUNT(levels) && !rebali_text_equal(wanted, levels[i])) {
    i++;
  }
  if (i == REBALI_COUNT(levels)) {
    return rebali_fail(err, REBAL_ENOTFOUND, -1, "there is no such level");
  }
  set_defaults(compat);
  for (j = 0; j < REBALI_COUNT(level_values); j++) {
    if (rebali_text_equal(wanted, level_values[j].level)) {
      compat->values[level_values[j].number] = level_values[j].value;
    }
  }
  return REBAL_OK;
}

const char *rebal_compat_level(size_t index) {
  return index < REBALI_COUNT(levels) ? levels[index].bytes : NULL;
}

#define NAME_CAPACITY 64

/* The name of an option for people: in lower case, with hyphens. */
static struct rebali_text spell(const struct option *option, char bytes[NAME_CAPACITY]) {
  size_t i;

  for (i = 0; i < NAME_CAPACITY && option->name[i] != '\0'; i++) {
    const char c = option->name[i];

    bytes[i] = c == '_' ? '-' : c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
  }
  return rebali_text(bytes, i);
}

int32_t rebal_compat_name(uint32_t option, char *buffer, size_t capacity, size_t *len, rebal_error *err) {
  const size_t place = find(option);
  const int32_t code = check_option(place, option, err);
  char bytes[NAME_CAPACITY];

  return code != REBAL_OK ? code : rebali_text_give(spell(&options[place], bytes), buffer, capacity, len, err);
}

int32_t rebal_compat_find(const char *name, size_t len, uint32_t *option, rebal_error *err) {
  char bytes[NAME_CAPACITY];
  struct rebali_text wanted;
  size_t i;
  const int32_t code = rebali_text_take(name, len, "name", &wanted, err);

  if (code != REBAL_OK) {
    return code;
  }
  if (option == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "option is NULL");
  }
  for (i = 0; i < REBALI_COUNT(options); i++) {
    if (rebali_text_equal(wanted, spell(&options[i], bytes))) {
      *option = options[i].number;
      return REBAL_OK;
    }
  }
  return rebali_fail(err, REBAL_ENOTFOUND, -1, "there is no such option");
}

void rebal_compat_free(rebal_compat *compat) {
  rebal_allocator allocator;

  if (compat != NULL) {
    allocator = compat->allocator;
    rebali_release(&allocator, compat);
  }
}
