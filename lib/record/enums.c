/* SPDX-License-Identifier: MIT */
#include "record/record.h"

#include "foundation/near.h"

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

/* Indices in that order: of the first enumerator of each enumeration (BEFORE undoes the increment), and of each. */
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

/* Returns the enumerators of an enumeration, *n of them. */
static const struct enumerator *enumerators_of(uint32_t enumeration, size_t *n) {
  size_t first, end;

  *n = 0;
  if (enumeration == REBAL_ENUM_NONE || enumeration >= REBALI_COUNT(first_of)) {
    return NULL;
  }
  first = end = first_of[enumeration];
  while (end < REBALI_COUNT(enumerators) && enumerators[end].enumeration == enumeration) {
    end++;
  }
  *n = end - first;
  return &enumerators[first];
}

const char *rebal_enum_name(uint32_t enumeration, int64_t value, size_t *len) {
  struct rebali_text found = {NULL, 0};
  size_t n, i;
  const struct enumerator *list = enumerators_of(enumeration, &n);

  for (i = 0; i < n && found.bytes == NULL; i++) {
    found = list[i].value == value ? list[i].text : found;
  }
  if (len != NULL) {
    *len = found.len;
  }
  return found.bytes;
}

/* Fails, as no enumerator has the text. The message names the one that the text may be a typo of. */
static int32_t refuse(struct rebali_text text, const struct enumerator *list, size_t n, rebal_error *err) {
  for (size_t i = 0; i < n; i++) {
    if (rebali_is_near(text, list[i].text)) {
      return rebali_fail(err, REBAL_ENOTFOUND, list[i].value, "no enumerator has this text; did you mean \"%s\"?",
                         list[i].text.bytes);
    }
  }
  return rebali_fail(err, REBAL_ENOTFOUND, -1, "no enumerator has this text");
}

int32_t rebal_enum_find(uint32_t enumeration, const char *text, size_t len, int64_t *value, rebal_error *err) {
  struct rebali_text wanted;
  size_t n, i = 0;
  const struct enumerator *list = enumerators_of(enumeration, &n);
  const int32_t code = rebali_text_take(text, len, "text", &wanted, err);

  if (code != REBAL_OK) {
    return code;
  }
  if (value == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "value is NULL");
  }
  if (n == 0) {
    return rebali_fail(err, REBAL_EUNSUPPORTED, -1, "no enumeration has the number %lu", (unsigned long)enumeration);
  }
  while (i < n && (wanted.len == 0 || !rebali_text_equal(wanted, list[i].text))) {
    i++;
  }
  if (i == n) {
    return refuse(wanted, list, n, err);
  }
  *value = list[i].value;
  return REBAL_OK;
}
