/* SPDX-License-Identifier: MIT */
/*
 * Writes trees as JSON, escaped like Go's encoding/json because the reference's annotations are compared byte for byte.
 */
#include "manifest/manifest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct writer {
  struct rebali_buffer *output;
  uint32_t flags;
  struct rebali_made_items items;
};

static void write_char(struct rebali_buffer *output, char c) {
  char *at = rebali_buffer_reserve(output, 1);
  if (at != NULL) {
    at[0] = c;
    at[1] = '\0';
    output->len++;
  }
}

/* ---- strings ---- */

static const struct escape {
  const char *bytes, *text;
} escapes[] = {
    {"\"", "\\\""},
    {"\\", "\\\\"},
    {"\b", "\\b"},
    {"\f", "\\f"},
    {"\n", "\\n"},
    {"\r", "\\r"},
    {"\t", "\\t"},
    {"<", "\\u003c"},
    {">", "\\u003e"},
    {"&", "\\u0026"},
    {"\xE2\x80\xA8", "\\u2028"},
    {"\xE2\x80\xA9", "\\u2029"},
};

static int is_plain(unsigned char c) {
  return c > '>' ? c != '\\' && c != 0xE2 : c >= 0x20 && c != '"' && c != '&' && c != '<' && c != '>';
}

/* Writes the character at the start of bytes and returns its length. */
static size_t write_special(struct rebali_buffer *output, const char *bytes, size_t len) {
  char text[8];
  for (size_t i = 0; i < sizeof escapes / sizeof escapes[0]; i++) {
    const size_t size = strlen(escapes[i].bytes);
    if (size > len || memcmp(escapes[i].bytes, bytes, size) != 0) {
      continue;
    }
    rebali_buffer_text(output, escapes[i].text);
    return size;
  }
  if ((unsigned char)*bytes < 0x20) {
    (void)snprintf(text, sizeof text, "\\u%04x", (unsigned)(unsigned char)*bytes);
    rebali_buffer_text(output, text);
  } else {
    rebali_buffer_append(output, bytes, 1);
  }
  return 1;
}

/* Writes the leading plain part; most texts need no escapes. *len is the remaining length. */
static size_t write_start(struct rebali_buffer *output, const char *bytes, size_t len) {
  char *at = rebali_buffer_reserve(output, len + 2);
  size_t run = 0;
  if (at == NULL) {
    return len;
  }
  *at++ = '"';
  for (; run < len && is_plain((unsigned char)bytes[run]); run++) {
    at[run] = bytes[run];
  }
  output->len += run + 1;
  return run;
}

void rebali_json_write_text(const char *bytes, size_t len, struct rebali_buffer *output) {
  const size_t start = write_start(output, bytes, len);
  bytes += start;
  len -= start;
  while (len > 0) {
    size_t run = 0;
    while (run < len && is_plain((unsigned char)bytes[run])) {
      run++;
    }
    rebali_buffer_append(output, bytes, run);
    if (run < len) {
      run += write_special(output, bytes + run, len - run);
    }
    bytes += run;
    len -= run;
  }
  write_char(output, '"');
}

/* ---- keys ---- */

static int compare_keys(const void *left, const void *right) {
  const char *const *left_key = left, *const *right_key = right;
  return strcmp(*left_key, *right_key);
}

int32_t rebali_object_keys(const json_t *object, uint32_t flags, const char ***keys, size_t *n) {
  const size_t size = json_object_size(object);
  json_t *walked = json_incref((json_t *)(uintptr_t)object); /* jansson's iterators take no const */
  size_t i = 0;
  *n = size;
  *keys = NULL;
  if (size > 0) {
    *keys = malloc(size * sizeof **keys);
  }
  for (void *at = *keys != NULL ? json_object_iter(walked) : NULL; at != NULL; at = json_object_iter_next(walked, at)) {
    (*keys)[i++] = json_object_iter_key(at);
  }
  json_decref(walked);
  if (size > 0 && *keys == NULL) {
    *n = 0;
    return REBAL_ENOMEM;
  }
  if ((flags & REBALI_WRITE_SORTED) != 0 && size > 1) {
    qsort(*keys, size, sizeof **keys, compare_keys); /* keys are unique: the order is total */
  }
  return REBAL_OK;
}

/* ---- values ---- */

static int32_t write_value(const struct writer *writer, const json_t *value, size_t depth);

static void start_line(const struct writer *writer, size_t depth) {
  if ((writer->flags & REBALI_WRITE_PRETTY) == 0) {
    return;
  }
  write_char(writer->output, '\n');
  for (size_t i = 0; i < depth; i++) {
    rebali_buffer_append(writer->output, "  ", 2);
  }
}

static int32_t write_member(const struct writer *writer, int is_first, const char *key, const json_t *value,
                            size_t depth) {
  const int is_pretty = (writer->flags & REBALI_WRITE_PRETTY) != 0;
  if (!is_first) {
    write_char(writer->output, ',');
  }
  start_line(writer, depth);
  rebali_json_write_text(key, strlen(key), writer->output);
  rebali_buffer_append(writer->output, ": ", is_pretty ? 2 : 1);
  return write_value(writer, value, depth);
}

static int32_t write_sorted(const struct writer *writer, const json_t *map, size_t depth) {
  const char **keys;
  size_t n;
  int32_t result = rebali_object_keys(map, writer->flags, &keys, &n);
  for (size_t i = 0; result == REBAL_OK && i < n; i++) {
    result = write_member(writer, i == 0, keys[i], json_object_get(map, keys[i]), depth);
  }
  free(keys);
  return result;
}

static int32_t write_members(const struct writer *writer, const json_t *map, size_t depth) {
  json_t *walked = (json_t *)(uintptr_t)map, *value; /* jansson's iterators take no const */
  const char *key;
  int is_first = 1;
  json_object_foreach(walked, key, value) {
    const int32_t result = write_member(writer, is_first, key, value, depth);
    if (result != REBAL_OK) {
      return result;
    }
    is_first = 0;
  }
  return REBAL_OK;
}

static int32_t write_map(const struct writer *writer, const json_t *map, size_t depth) {
  const int is_sorted = (writer->flags & REBALI_WRITE_SORTED) != 0;
  int32_t result;
  write_char(writer->output, '{');
  result = is_sorted ? write_sorted(writer, map, depth) : write_members(writer, map, depth);
  if (json_object_size(map) > 0) {
    start_line(writer, depth - 1);
  }
  write_char(writer->output, '}');
  return result;
}

static int32_t write_item(const struct writer *writer, int is_first, const json_t *item, size_t depth) {
  rebali_buffer_append(writer->output, ",", !is_first);
  start_line(writer, depth);
  return write_value(writer, item, depth);
}

static int32_t write_made_item(const struct writer *writer, size_t i, size_t depth) {
  const struct rebali_made_items *items = &writer->items;
  json_t *item = NULL;
  int32_t result = items->made->item(items->made->user, items->i, items->document, i, &item);
  if (result == REBAL_OK) {
    result = write_item(writer, i == 0, item, depth);
  }
  json_decref(item);
  return result;
}

static int32_t write_list(const struct writer *writer, const json_t *list, size_t depth) {
  const size_t made = list == writer->items.list ? writer->items.n : 0, n = made + json_array_size(list);
  int32_t result = REBAL_OK;
  write_char(writer->output, '[');
  for (size_t i = 0; result == REBAL_OK && i < n; i++) {
    result = i < made ? write_made_item(writer, i, depth)
                      : write_item(writer, i == 0, json_array_get(list, i - made), depth);
  }
  if (n > 0) {
    start_line(writer, depth - 1);
  }
  write_char(writer->output, ']');
  return result;
}

static int32_t write_container(const struct writer *writer, const json_t *value, size_t depth) {
  if (depth >= REBALI_DEPTH_MAX) {
    return REBAL_ELIMIT;
  }
  return json_is_object(value) ? write_map(writer, value, depth + 1) : write_list(writer, value, depth + 1);
}

static int32_t write_value(const struct writer *writer, const json_t *value, size_t depth) {
  char digits[REBALI_INTEGER_SIZE];
  const char *text = "null";
  if (json_is_string(value)) {
    rebali_json_write_text(json_string_value(value), json_string_length(value), writer->output);
    return REBAL_OK;
  }
  if ((json_is_object(value) && !rebali_number_is_verbatim(value, &text)) || json_is_array(value)) {
    return write_container(writer, value, depth);
  }
  if (json_is_integer(value)) {
    (void)rebali_integer_print((int64_t)json_integer_value(value), digits);
    text = digits;
  } else if (json_is_boolean(value)) {
    text = json_is_true(value) ? "true" : "false";
  } else if (value == NULL || json_is_real(value)) {
    return REBAL_EINVAL;
  }
  rebali_buffer_text(writer->output, text);
  return REBAL_OK;
}

int32_t rebali_json_write(const json_t *tree, uint32_t flags, struct rebali_buffer *output) {
  const struct writer writer = {.output = output, .flags = flags};
  const int32_t result = write_value(&writer, tree, 0);
  return result == REBAL_OK && output->failed ? REBAL_ENOMEM : result;
}

/* ---- documents ---- */

struct rebali_made_items rebali_made_items(const struct rebali_made_documents *made, size_t i, const json_t *document,
                                           size_t n) {
  return (struct rebali_made_items){made, document, n > 0 ? json_object_get(document, "items") : NULL, i, n};
}

int32_t rebali_json_write_made(const struct rebali_made_documents *made, uint32_t flags, struct rebali_buffer *output) {
  int32_t result = REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < made->n; i++) {
    json_t *document = NULL;
    size_t n = 0;
    result = made->document(made->user, i, &document, &n);
    if (result == REBAL_OK) {
      const struct writer writer = {output, flags, rebali_made_items(made, i, document, n)};
      result = write_value(&writer, document, 0);
      write_char(output, '\n');
    }
    json_decref(document);
  }
  return result == REBAL_OK && output->failed ? REBAL_ENOMEM : result;
}
