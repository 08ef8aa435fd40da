/* SPDX-License-Identifier: MIT */
#include "base/base.h"

/* In the order of the list. */
static const struct enumerator {
  uint32_t enumeration;
  int64_t value;
  struct rebali_text text;
} enumerators[] = {
#define REBAL_ENUM(name, number, form)
#define REBAL_ENUMERATOR(enumeration, name, value, text, meaning) \
  {REBAL_ENUM_##enumeration, value, {text, sizeof text - 1}},
#include "rebalance/enums.def"
#undef REBAL_ENUM
#undef REBAL_ENUMERATOR
};

/* Places in that order: of the first enumerator of each enumeration (BEFORE takes the count back), and of each. */
enum place {
#define REBAL_ENUM(name, number, form) FIRST_OF_##name, BEFORE_##name = FIRST_OF_##name - 1,
#define REBAL_ENUMERATOR(enumeration, name, value, text, meaning) PLACE_OF_##enumeration##_##name,
#include "rebalance/enums.def"
#undef REBAL_ENUM
#undef REBAL_ENUMERATOR
};

static const uint16_t first_of[] = {
#define REBAL_ENUM(name, number, form) [number] = FIRST_OF_##name,
#define REBAL_ENUMERATOR(enumeration, name, value, text, meaning)
#include "rebalance/enums.def"
#undef REBAL_ENUM
#undef REBAL_ENUMERATOR
};

const char *rebal_enum_name(uint32_t enumeration, int64_t value, size_t *len) {
  struct rebali_text found = {NULL, 0};

  if (enumeration != REBAL_ENUM_NONE && enumeration < REBALI_COUNT(first_of)) {
    size_t i = first_of[enumeration];

    while (i < REBALI_COUNT(enumerators) && enumerators[i].enumeration == enumeration && found.bytes == NULL) {
      found = enumerators[i].value == value ? enumerators[i].text : found;
      i++;
    }
  }
  if (len != NULL) {
    *len = found.len;
  }
  return found.bytes;
}
