/* SPDX-License-Identifier: MIT */
/* The API server's messages about names, labels and label selectors (rebalance-workloadspread(7) 8.5). */
#include "manifest/validate/validate.h"

#include <stdlib.h>
#include <string.h>

#define LONG_SUBDOMAIN "must be no more than 253 characters"
#define BAD_SUBDOMAIN                                                                                                  \
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and " \
  "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "                              \
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
#define BAD_LABEL                                                                                                      \
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with " \
  "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "                            \
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
#define BAD_NAME                                                                                                      \
  "consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. " \
  "'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
#define BAD_VALUE                                                                                                     \
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and " \
  "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "    \
  "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
#define PREFIX "prefix part "
#define NAME "name part "

static void say(struct rebali_texts *texts, const char *text) {
  texts->at[texts->n++] = text;
}

static void check_subdomain(const char *text, size_t len, const char *too_long, const char *bad,
                            struct rebali_texts *out) {
  if (len > 253) {
    say(out, too_long);
  }
  if (!rebali_is_subdomain_pattern(text, len)) {
    say(out, bad);
  }
}

void rebali_texts_of_subdomain(const char *text, struct rebali_texts *out) {
  out->n = 0;
  check_subdomain(text, strlen(text), LONG_SUBDOMAIN, BAD_SUBDOMAIN, out);
}

void rebali_texts_of_label(const char *text, struct rebali_texts *out) {
  out->n = 0;
  if (strlen(text) > 63) {
    say(out, "must be no more than 63 characters");
  }
  if (!rebali_is_dns_label(text, SIZE_MAX)) {
    say(out, BAD_LABEL);
  }
}

void rebali_texts_of_name(const char *text, struct rebali_texts *out) {
  const char *slash = strchr(text, '/'), *name = slash != NULL ? slash + 1 : text;
  out->n = 0;
  if (strchr(name, '/') != NULL) {
    say(out,
        "a qualified name must " BAD_NAME " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
    return;
  }
  if (slash == text) {
    say(out, PREFIX "must be non-empty");
  } else if (slash != NULL) {
    check_subdomain(text, (size_t)(slash - text), PREFIX LONG_SUBDOMAIN, PREFIX BAD_SUBDOMAIN, out);
  }
  if (name[0] == '\0') {
    say(out, NAME "must be non-empty");
  } else if (strlen(name) > 63) {
    say(out, NAME "must be no more than 63 characters");
  }
  if (!rebali_is_name_pattern(name)) {
    say(out, NAME "must " BAD_NAME);
  }
}

void rebali_texts_of_value(const char *text, struct rebali_texts *out) {
  out->n = 0;
  if (strlen(text) > 63) {
    say(out, "must be no more than 63 characters");
  }
  if (text[0] != '\0' && !rebali_is_name_pattern(text)) {
    say(out, BAD_VALUE);
  }
}

void rebali_texts_join(const struct rebali_texts *texts, const char *separator, struct rebali_buffer *out) {
  for (size_t i = 0; i < texts->n; i++) {
    rebali_buffer_text(out, i > 0 ? separator : "");
    rebali_buffer_text(out, texts->at[i]);
  }
}

/* ---- label selectors ---- */

/* One term; values NULL: the single value of a label. */
struct term {
  const char *key, *operator_name, *value;
  const json_t *values;
};

/* The messages about a term, one after another. */
struct speech {
  struct rebali_buffer text;
  size_t n;
};

static struct rebali_buffer *begin(struct speech *speech) {
  rebali_buffer_text(&speech->text, speech->n++ > 0 ? ", " : "");
  return &speech->text;
}

/* Quotes as Go does: printable characters are not escaped. */
static void quote(const char *text, struct rebali_buffer *out) {
  static const char special[] = "\"\\\a\b\f\n\r\t\v", letters[] = "\"\\abfnrtv", digits[] = "0123456789abcdef";
  rebali_buffer_append(out, "\"", 1);
  for (; *text != '\0'; text++) {
    const char *found = strchr(special, *text);
    const unsigned char byte = (unsigned char)*text;
    if (found != NULL) {
      const char escape[2] = {'\\', letters[found - special]};
      rebali_buffer_append(out, escape, sizeof escape);
    } else if (byte < 0x20 || byte == 0x7f) {
      const char escape[4] = {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
      rebali_buffer_append(out, escape, sizeof escape);
    } else {
      rebali_buffer_append(out, text, 1);
    }
  }
  rebali_buffer_append(out, "\"", 1);
}

static const char *text_of(const json_t *value) {
  return json_is_string(value) ? json_string_value(value) : "";
}

static const char *value_of(const struct term *term, size_t i) {
  return term->values != NULL ? text_of(json_array_get(term->values, i)) : term->value;
}

static void say_key(const struct term *term, struct speech *speech) {
  struct rebali_texts texts;
  rebali_texts_of_name(term->key, &texts);
  if (texts.n > 0) {
    struct rebali_buffer *out = begin(speech);
    rebali_buffer_text(out, "key: Invalid value: ");
    quote(term->key, out);
    rebali_buffer_text(out, ": ");
    rebali_texts_join(&texts, "; ", out);
  }
}

static void say_number(const struct term *term, size_t n, struct speech *speech) {
  const int is_set = rebali_is_listed(term->operator_name, "In NotIn");
  if (is_set && n == 0) {
    rebali_buffer_text(begin(speech),
                       "values: Invalid value: []string(nil): for 'in', 'notin' operators, values set can't be empty");
  } else if (!is_set && n > 0) {
    struct rebali_buffer *out = begin(speech);
    rebali_buffer_text(out, "values: Invalid value: []string{");
    for (size_t i = 0; i < n; i++) {
      rebali_buffer_text(out, i > 0 ? ", " : "");
      quote(value_of(term, i), out);
    }
    rebali_buffer_text(out, "}: values set must be empty for exists and does not exist");
  }
}

static void say_value(const struct term *term, size_t i, struct speech *speech) {
  char digits[REBALI_INTEGER_SIZE];
  struct rebali_texts texts;
  rebali_texts_of_value(value_of(term, i), &texts);
  if (texts.n > 0) {
    struct rebali_buffer *out = begin(speech);
    (void)rebali_integer_print((int64_t)i, digits);
    rebali_buffer_text(out, "values[");
    rebali_buffer_text(out, digits);
    rebali_buffer_text(out, "][");
    rebali_buffer_text(out, term->key);
    rebali_buffer_text(out, "]: Invalid value: ");
    quote(value_of(term, i), out);
    rebali_buffer_text(out, ": ");
    rebali_texts_join(&texts, "; ", out);
  }
}

/* Returns 1 if the term is invalid. */
static int say_term(const struct term *term, struct rebali_buffer *out) {
  const size_t n = term->value != NULL ? 1 : json_array_size(term->values);
  struct speech speech = {REBALI_BUFFER, 0};
  if (!rebali_is_listed(term->operator_name, "In NotIn Exists DoesNotExist")) {
    quote(term->operator_name, out);
    rebali_buffer_text(out, " is not a valid label selector operator");
    return 1;
  }
  say_key(term, &speech);
  say_number(term, n, &speech);
  for (size_t i = 0; i < n; i++) {
    say_value(term, i, &speech);
  }
  rebali_buffer_text(out, speech.n > 1 ? "[" : "");
  rebali_buffer_append(out, speech.text.bytes != NULL ? speech.text.bytes : "", speech.text.len);
  rebali_buffer_text(out, speech.n > 1 ? "]" : "");
  out->failed |= speech.text.failed;
  rebali_buffer_dispose(&speech.text);
  return speech.n > 0;
}

/* Checks in the order of the keys. */
static int say_labels(const json_t *labels, struct rebali_buffer *out) {
  const char **keys = NULL;
  size_t n = 0;
  int is_faulty = 0;
  if (!rebali_is_map(labels)) {
    return 0;
  }
  out->failed |= rebali_object_keys(labels, REBALI_WRITE_SORTED, &keys, &n) != REBAL_OK;
  for (size_t i = 0; !is_faulty && i < n; i++) {
    const struct term term = {keys[i], "In", text_of(json_object_get(labels, keys[i])), NULL};
    is_faulty = say_term(&term, out);
  }
  free((void *)keys);
  return is_faulty;
}

void rebali_selector_text(const json_t *selector, struct rebali_buffer *out) {
  const json_t *expressions = rebali_member(selector, "matchExpressions");
  int is_faulty = say_labels(rebali_member(selector, "matchLabels"), out);
  for (size_t i = 0; !is_faulty && i < json_array_size(expressions); i++) {
    const json_t *expression = json_array_get(expressions, i);
    const struct term term = {rebali_member_text(expression, "key"), rebali_member_text(expression, "operator"), NULL,
                              rebali_member(expression, "values")};
    is_faulty = say_term(&term, out);
  }
}
