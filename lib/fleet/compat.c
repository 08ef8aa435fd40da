/* SPDX-License-Identifier: MIT */
#include "fleet/fleet.h"

struct option {
  uint32_t number;
  int64_t absent;
};

static const struct option options[] = {
#define REBAL_QUIRK(name, number, absent, text) {number, absent},
#include "rebalance/quirks.def"
#undef REBAL_QUIRK
};

struct rebal_compat {
  rebal_allocator allocator;
  int64_t values[REBALI_COUNT(options)];
};

/* Index of an option; the number of options when there is none. */
static size_t find(uint32_t quirk) {
  size_t i = 0;

  while (i < REBALI_COUNT(options) && options[i].number != quirk) {
    i++;
  }
  return i;
}

int32_t rebal_compat_new(const rebal_allocator *allocator, rebal_compat **out, rebal_error *err) {
  rebal_allocator memory;
  rebal_compat *compat;
  int32_t code = rebali_allocator_load(&memory, allocator, err);
  size_t i;

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
  for (i = 0; i < REBALI_COUNT(options); i++) {
    compat->values[i] = options[i].absent;
  }
  *out = compat;
  return REBAL_OK;
}

static int32_t check_option(size_t option, uint32_t quirk, rebal_error *err) {
  return option < REBALI_COUNT(options)
             ? REBAL_OK
             : rebali_fail(err, REBAL_EUNSUPPORTED, -1, "no option has the number %lu", (unsigned long)quirk);
}

int32_t rebal_compat_set(rebal_compat *compat, uint32_t quirk, int64_t value, rebal_error *err) {
  const size_t option = find(quirk);
  const int32_t code = check_option(option, quirk, err);

  if (code != REBAL_OK) {
    return code;
  }
  if (compat == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "compat is NULL");
  }
  if (value != 0 && value != 1) {
    return rebali_fail(err, REBAL_ERANGE, -1, "option %lu is 0 or 1", (unsigned long)quirk);
  }
  compat->values[option] = value;
  return REBAL_OK;
}

int32_t rebal_compat_get(const rebal_compat *compat, uint32_t quirk, int64_t *value, rebal_error *err) {
  const int32_t code = check_option(find(quirk), quirk, err);

  if (code != REBAL_OK) {
    return code;
  }
  if (value == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "value is NULL");
  }
  *value = rebali_compat_value(compat, quirk);
  return REBAL_OK;
}

int64_t rebali_compat_value(const rebal_compat *compat, uint32_t quirk) {
  const size_t option = find(quirk);

  if (option == REBALI_COUNT(options)) {
    return 0;
  }
  return compat == NULL ? options[option].absent : compat->values[option];
}

void rebal_compat_free(rebal_compat *compat) {
  rebal_allocator allocator;

  if (compat != NULL) {
    allocator = compat->allocator;
    rebali_release(&allocator, compat);
  }
}
