/* SPDX-License-Identifier: MIT */
/* Resolves YAML scalars by the rules of go-yaml v2, which the Kubernetes tools use. */
#include "manifest/manifest.h"

#include <string.h>

#define CORE_TAG "tag:yaml.org,2002:"

struct word {
  const char *text;
  size_t len;
  enum rebali_scalar scalar;
};

#define WORD(text, scalar) {text, sizeof text - 1, scalar}
static const struct word words[] = {
    WORD("", REBALI_SCALAR_NULL),
    WORD("~", REBALI_SCALAR_NULL),
    WORD("null", REBALI_SCALAR_NULL),
    WORD("Null", REBALI_SCALAR_NULL),
    WORD("NULL", REBALI_SCALAR_NULL),
    WORD("y", REBALI_SCALAR_TRUE),
    WORD("Y", REBALI_SCALAR_TRUE),
    WORD("yes", REBALI_SCALAR_TRUE),
    WORD("Yes", REBALI_SCALAR_TRUE),
    WORD("YES", REBALI_SCALAR_TRUE),
    WORD("true", REBALI_SCALAR_TRUE),
    WORD("True", REBALI_SCALAR_TRUE),
    WORD("TRUE", REBALI_SCALAR_TRUE),
    WORD("on", REBALI_SCALAR_TRUE),
    WORD("On", REBALI_SCALAR_TRUE),
    WORD("ON", REBALI_SCALAR_TRUE),
    WORD("n", REBALI_SCALAR_FALSE),
    WORD("N", REBALI_SCALAR_FALSE),
    WORD("no", REBALI_SCALAR_FALSE),
    WORD("No", REBALI_SCALAR_FALSE),
    WORD("NO", REBALI_SCALAR_FALSE),
    WORD("false", REBALI_SCALAR_FALSE),
    WORD("False", REBALI_SCALAR_FALSE),
    WORD("FALSE", REBALI_SCALAR_FALSE),
    WORD("off", REBALI_SCALAR_FALSE),
    WORD("Off", REBALI_SCALAR_FALSE),
    WORD("OFF", REBALI_SCALAR_FALSE),
    WORD(".nan", REBALI_SCALAR_NOT_FINITE),
    WORD(".NaN", REBALI_SCALAR_NOT_FINITE),
    WORD(".NAN", REBALI_SCALAR_NOT_FINITE),
    WORD(".inf", REBALI_SCALAR_NOT_FINITE),
    WORD(".Inf", REBALI_SCALAR_NOT_FINITE),
    WORD(".INF", REBALI_SCALAR_NOT_FINITE),
    WORD("+.inf", REBALI_SCALAR_NOT_FINITE),
    WORD("+.Inf", REBALI_SCALAR_NOT_FINITE),
    WORD("+.INF", REBALI_SCALAR_NOT_FINITE),
    WORD("-.inf", REBALI_SCALAR_NOT_FINITE),
    WORD("-.Inf", REBALI_SCALAR_NOT_FINITE),
    WORD("-.INF", REBALI_SCALAR_NOT_FINITE),
    WORD("<<", REBALI_SCALAR_MERGE),
};

#define LONGEST_WORD 5u

/* A tag and the set of meanings that it allows; the text of an always_string is not examined. */
#define BIT(scalar) (1u << (scalar))
static const struct tag {
  const char *name;
  unsigned suits;
  int always_string;
} tags[] = {
    {"str", BIT(REBALI_SCALAR_STRING), 1},
    {"timestamp", BIT(REBALI_SCALAR_STRING), 1},
    {"int", BIT(REBALI_SCALAR_INTEGER) | BIT(REBALI_SCALAR_NUMBER), 0},
    {"float", BIT(REBALI_SCALAR_INTEGER) | BIT(REBALI_SCALAR_NUMBER), 0},
    {"bool", BIT(REBALI_SCALAR_TRUE) | BIT(REBALI_SCALAR_FALSE), 0},
    {"null", BIT(REBALI_SCALAR_NULL), 0},
    {"merge", BIT(REBALI_SCALAR_MERGE), 0},
};

static const struct word *find_word(const char *text, size_t len) {
  if (len > LONGEST_WORD || (len > 0 && strchr("~nNyYtTfFoO.+-<", text[0]) == NULL)) {
    return NULL;
  }
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    if (words[i].len == len && memcmp(words[i].text, text, len) == 0) {
      return &words[i];
    }
  }
  return NULL;
}

/* "!" alone means: do not resolve, so a string. */
static const struct tag *find_tag(const char *tag) {
  if (strcmp(tag, "!") == 0) {
    return &tags[0];
  }
  if (strncmp(tag, CORE_TAG, strlen(CORE_TAG)) != 0) {
    return NULL;
  }
  for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
    if (strcmp(tags[i].name, tag + strlen(CORE_TAG)) == 0) {
      return &tags[i];
    }
  }
  return NULL;
}

static int32_t resolve_plain(const char *text, size_t len, struct rebali_buffer *scratch, struct rebali_event *event) {
  const struct word *word = find_word(text, len);
  if (word == NULL) {
    const int32_t is_number = rebali_number_resolve(text, len, scratch, event);
    return is_number < 0 ? is_number : REBAL_OK;
  }
  event->scalar = word->scalar;
  if (word->scalar == REBALI_SCALAR_TRUE || word->scalar == REBALI_SCALAR_FALSE) {
    event->text = word->scalar == REBALI_SCALAR_TRUE ? "true" : "false";
    event->len = strlen(event->text);
  }
  return REBAL_OK;
}

/* Only the int tag refuses a point or an exponent. */
static int suits(const struct tag *tag, const struct rebali_event *event) {
  if ((tag->suits & BIT(event->scalar)) == 0) {
    return 0;
  }
  return strcmp(tag->name, "int") != 0 || strpbrk(event->text, ".eE") == NULL;
}

int32_t rebali_scalar_resolve(const char *text, size_t len, int is_plain, const char *tag,
                              struct rebali_buffer *scratch, struct rebali_event *event, const char **problem) {
  const struct tag *known = tag != NULL ? find_tag(tag) : NULL;
  int32_t result = REBAL_OK;
  event->kind = REBALI_EVENT_SCALAR;
  event->scalar = REBALI_SCALAR_STRING;
  event->text = text;
  event->len = len;
  *problem = "this tag is not supported";
  if (tag != NULL && known == NULL) {
    return REBAL_EPARSE;
  }
  if (known != NULL ? !known->always_string : is_plain) {
    result = resolve_plain(text, len, scratch, event);
  }
  *problem = "infinity and NaN are not supported";
  if (result == REBAL_OK && event->scalar == REBALI_SCALAR_NOT_FINITE) {
    return REBAL_EPARSE;
  }
  *problem = "the value does not suit its tag";
  return result == REBAL_OK && known != NULL && !suits(known, event) ? REBAL_EPARSE : result;
}
