/* SPDX-License-Identifier: MIT */
/* Writes trees as YAML in block style, with libyaml; which strings need quotes is decided here. */
#include "manifest/manifest.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

struct writer {
  yaml_emitter_t emitter;
  uint32_t flags;
  struct rebali_made_items items;
};

static int32_t emit(struct writer *writer, yaml_event_t *event, int is_made) {
  /* The events are well formed: only memory can be missing. */
  return is_made && yaml_emitter_emit(&writer->emitter, event) ? REBAL_OK : REBAL_ENOMEM;
}

static int take_bytes(void *output, unsigned char *bytes, size_t len) {
  rebali_buffer_append(output, (const char *)bytes, len);
  return !((const struct rebali_buffer *)output)->failed;
}

/* ---- strings ---- */

static int is_blank(char c) {
  return c == ' ' || c == '\n';
}

/*
 * Other readers take 1:30 as a base 60 number and 2026-03-14 as a time: strings of only such characters are quoted; so
 * is
 * "=", which some take as a special key.
 */
static int looks_special(const char *text, size_t len) {
  return (len == 1 && text[0] == '=') || (len > 0 && memchr("0123456789+-.", text[0], 13) != NULL &&
                                          strspn(text, "0123456789+-.:_eExXoObBtTzZ ") == len);
}

static int means_string_when_plain(const char *text, size_t len) {
  struct rebali_buffer scratch = REBALI_BUFFER;
  struct rebali_event event;
  const char *problem;
  const int32_t result = rebali_scalar_resolve(text, len, 1, NULL, &scratch, &event, &problem);
  rebali_buffer_dispose(&scratch);
  return result == REBAL_OK && event.scalar == REBALI_SCALAR_STRING;
}

/*
 * Accepts lines of plain characters with at most one newline at the end: every reader keeps them as is in literal
 * style.
 */
static int suits_literal(const char *text, size_t len) {
  if (len < 2 || is_blank(text[0]) || (is_blank(text[len - 2]) && is_blank(text[len - 1])) || text[len - 1] == ' ') {
    return 0;
  }
  for (size_t i = 0; i < len; i++) {
    if ((text[i] < ' ' || text[i] > '~') && text[i] != '\n') {
      return 0;
    }
  }
  return strstr(text, " \n") == NULL;
}

/* libyaml falls back to double quotes where a style is impossible. */
static yaml_scalar_style_t choose_style(const char *text, size_t len) {
  if (memchr(text, '\n', len) != NULL) {
    return suits_literal(text, len) ? YAML_LITERAL_SCALAR_STYLE : YAML_DOUBLE_QUOTED_SCALAR_STYLE;
  }
  if (len == 0 || is_blank(text[0]) || is_blank(text[len - 1]) || looks_special(text, len) ||
      !means_string_when_plain(text, len)) {
    return YAML_DOUBLE_QUOTED_SCALAR_STYLE;
  }
  return YAML_PLAIN_SCALAR_STYLE;
}

static int32_t write_scalar(struct writer *writer, const char *text, size_t len, yaml_scalar_style_t style) {
  yaml_event_t event;
  if (len > INT_MAX) {
    return REBAL_ELIMIT;
  }
  return emit(writer, &event,
              yaml_scalar_event_initialize(&event, NULL, NULL, (const yaml_char_t *)text, (int)len, 1, 1, style));
}

static int32_t write_string(struct writer *writer, const char *text, size_t len) {
  return write_scalar(writer, text, len, choose_style(text, len));
}

/* ---- values ---- */

static int32_t write_value(struct writer *writer, const json_t *value, size_t depth);

static int32_t write_map(struct writer *writer, const json_t *map, size_t depth) {
  const char **keys = NULL;
  yaml_event_t event;
  size_t n = 0;
  int32_t result =
      emit(writer, &event, yaml_mapping_start_event_initialize(&event, NULL, NULL, 1, YAML_BLOCK_MAPPING_STYLE));
  if (result == REBAL_OK) {
    result = rebali_object_keys(map, writer->flags, &keys, &n);
  }
  for (size_t i = 0; result == REBAL_OK && i < n; i++) {
    result = write_string(writer, keys[i], strlen(keys[i]));
    if (result == REBAL_OK) {
      result = write_value(writer, json_object_get(map, keys[i]), depth);
    }
  }
  free(keys);
  return result == REBAL_OK ? emit(writer, &event, yaml_mapping_end_event_initialize(&event)) : result;
}

static int32_t write_made_item(struct writer *writer, size_t i, size_t depth) {
  const struct rebali_made_items *items = &writer->items;
  json_t *item = NULL;
  int32_t result = items->made->item(items->made->user, items->i, items->document, i, &item);
  if (result == REBAL_OK) {
    result = write_value(writer, item, depth);
  }
  json_decref(item);
  return result;
}

static int32_t write_list(struct writer *writer, const json_t *list, size_t depth) {
  const size_t made = list == writer->items.list ? writer->items.n : 0;
  yaml_event_t event;
  int32_t result =
      emit(writer, &event, yaml_sequence_start_event_initialize(&event, NULL, NULL, 1, YAML_BLOCK_SEQUENCE_STYLE));
  for (size_t i = 0; result == REBAL_OK && i < made; i++) {
    result = write_made_item(writer, i, depth);
  }
  for (size_t i = 0; result == REBAL_OK && i < json_array_size(list); i++) {
    result = write_value(writer, json_array_get(list, i), depth);
  }
  return result == REBAL_OK ? emit(writer, &event, yaml_sequence_end_event_initialize(&event)) : result;
}

static int32_t write_container(struct writer *writer, const json_t *value, size_t depth) {
  if (depth >= REBALI_DEPTH_MAX) {
    return REBAL_ELIMIT;
  }
  return json_is_object(value) ? write_map(writer, value, depth + 1) : write_list(writer, value, depth + 1);
}

static int32_t write_value(struct writer *writer, const json_t *value, size_t depth) {
  char buffer[32];
  const char *text = buffer;
  if (rebali_number_is_verbatim(value, &text)) {
    return write_scalar(writer, text, strlen(text), YAML_PLAIN_SCALAR_STYLE);
  }
  if (json_is_object(value) || json_is_array(value)) {
    return write_container(writer, value, depth);
  }
  if (json_is_string(value)) {
    return write_string(writer, json_string_value(value), json_string_length(value));
  }
  if (json_is_integer(value)) {
    (void)snprintf(buffer, sizeof buffer, "%" PRId64, (int64_t)json_integer_value(value));
  } else if (json_is_null(value) || json_is_boolean(value)) {
    text = json_is_null(value) ? "null" : json_is_true(value) ? "true" : "false";
  } else {
    return REBAL_EINVAL;
  }
  return write_scalar(writer, text, strlen(text), YAML_PLAIN_SCALAR_STYLE);
}

/* ---- documents ---- */

static int32_t write_document(struct writer *writer, const json_t *document, int is_first) {
  yaml_event_t event;
  int32_t result =
      emit(writer, &event, yaml_document_start_event_initialize(&event, NULL, NULL, NULL, is_first ? 1 : 0));
  if (result == REBAL_OK) {
    result = write_value(writer, document, 0);
  }
  return result == REBAL_OK ? emit(writer, &event, yaml_document_end_event_initialize(&event, 1)) : result;
}

static int32_t write_stream(struct writer *writer, const struct rebali_made_documents *made) {
  yaml_event_t event;
  int32_t result = emit(writer, &event, yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING));
  for (size_t i = 0; result == REBAL_OK && i < made->n; i++) {
    json_t *document = NULL;
    size_t n = 0;
    result = made->document(made->user, i, &document, &n);
    writer->items = rebali_made_items(made, i, document, n);
    if (result == REBAL_OK) {
      result = write_document(writer, document, i == 0);
    }
    json_decref(document);
  }
  return result == REBAL_OK ? emit(writer, &event, yaml_stream_end_event_initialize(&event)) : result;
}

static int32_t take_document(const void *user, size_t i, json_t **tree, size_t *n_items) {
  *tree = json_incref(((json_t *const *)user)[i]);
  *n_items = 0;
  return REBAL_OK;
}

int32_t rebali_yaml_write(json_t *const *documents, size_t n, uint32_t flags, struct rebali_buffer *output) {
  const struct rebali_made_documents made = {n, take_document, NULL, documents};
  return rebali_yaml_write_made(&made, flags, output);
}

int32_t rebali_yaml_write_made(const struct rebali_made_documents *made, uint32_t flags, struct rebali_buffer *output) {
  struct writer writer;
  int32_t result;
  writer.flags = flags;
  if (!yaml_emitter_initialize(&writer.emitter)) {
    return REBAL_ENOMEM;
  }
  yaml_emitter_set_output(&writer.emitter, take_bytes, output);
  yaml_emitter_set_unicode(&writer.emitter, 1);
  yaml_emitter_set_width(&writer.emitter, -1);
  yaml_emitter_set_indent(&writer.emitter, 2);
  result = write_stream(&writer, made);
  yaml_emitter_delete(&writer.emitter);
  return result;
}
