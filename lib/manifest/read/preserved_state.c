/* SPDX-License-Identifier: MIT */
/* Evaluates which parts of an application's status survive an eviction: JSONPath rules (rebalance-karmada(7) 10.6). */
#include "manifest/manifest.h"

#include <string.h>

/* ---- one rule ---- */

/* Returns 1 for {.a.b}: one or more times a point and a key. Other syntax of the dialect is not supported. */
static int is_plain(const char *path) {
  const size_t len = strlen(path);
  if (len < 4 || path[0] != '{' || path[1] != '.' || path[len - 1] != '}' || path[len - 2] == '.') {
    return 0;
  }
  return strcspn(path + 1, "{}[]()*?@$'\"\\, \t\r\n") == len - 2 && strstr(path, "..") == NULL;
}

static void fail_rule(const char *path, const char *subject, size_t len, const char *trouble,
                      struct rebali_buffer *message) {
  rebali_buffer_clear(message);
  rebali_buffer_text(message, "failed to execute jsonpath \"");
  rebali_buffer_text(message, path);
  rebali_buffer_text(message, "\": ");
  rebali_buffer_append(message, subject, len);
  rebali_buffer_text(message, trouble);
}

/* Returns NULL if the map lacks the key. */
static const json_t *member_at(const json_t *map, const char *key, size_t len) {
  const char *name;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)map, name, value) {
    if (strlen(name) == len && memcmp(name, key, len) == 0) {
      return value;
    }
  }
  return NULL;
}

/* Returns the value at a plain path, null included; NULL with a message if a key is missing. */
static const json_t *find(const json_t *status, const char *path, struct rebali_buffer *message) {
  const char *key = path + 2;
  while (status != NULL && *key != '\0') {
    const size_t len = strcspn(key, ".}");
    const json_t *member = rebali_is_map(status) ? member_at(status, key, len) : NULL;
    if (member == NULL) {
      fail_rule(path, key, len, " is not found", message);
    }
    status = member;
    key += len + 1;
  }
  return status;
}

/* Returns 1 with the text of a value in *text, else 0 with a message. */
static int print(const json_t *value, const char *path, struct rebali_buffer *text, struct rebali_buffer *message) {
  rebali_buffer_clear(text);
  if (json_is_string(value)) {
    rebali_buffer_append(text, json_string_value(value), json_string_length(value));
  } else if (json_is_boolean(value) || json_is_null(value)) {
    rebali_buffer_text(text, json_is_null(value) ? "null" : json_is_true(value) ? "true" : "false");
  } else if (!rebali_double_print(value, text)) {
    fail_rule(path, "", 0, "the value is not a string, boolean or number", message);
    return 0;
  }
  return 1;
}

static int evaluate(const json_t *status, const char *path, struct rebali_buffer *text, struct rebali_buffer *message) {
  const json_t *value;
  if (!is_plain(path)) {
    fail_rule(path, "", 0, "only plain paths such as {.a.b} are read", message);
    return 0;
  }
  value = find(status, path, message);
  return value != NULL && print(value, path, text, message);
}

/* ---- all rules ---- */

/* Maps each label's name to its last rule; NULL without memory. */
static json_t *find_last(const json_t *rules) {
  json_t *last = json_object();
  for (size_t i = 0; last != NULL && i < json_array_size(rules); i++) {
    if (json_object_set_new_nocheck(last, rebali_member_text(json_array_get(rules, i), "aliasLabelName"),
                                    json_integer((json_int_t)i)) != 0) {
      json_decref(last);
      last = NULL;
    }
  }
  return last;
}

static int32_t put_label(rebal_builder *builder, const char *name, const struct rebali_buffer *text, rebal_error *err) {
  int32_t result = rebal_builder_begin(builder, REBAL_LABELS_LABEL, err);
  if (result == REBAL_OK) {
    result = rebal_builder_text(builder, REBAL_PAIR_KEY, name, strlen(name), err);
  }
  if (result == REBAL_OK) {
    result = rebal_builder_text(builder, REBAL_PAIR_VALUE, text->bytes != NULL ? text->bytes : "", text->len, err);
  }
  return result == REBAL_OK ? rebal_builder_end(builder, err) : result;
}

/* Adds the labels to the builder's open record; stops at a rule that fails and leaves a message. */
static int32_t evaluate_all(rebal_builder *builder, const json_t *rules, const json_t *status,
                            struct rebali_buffer *message, rebal_error *err) {
  struct rebali_buffer text = REBALI_BUFFER;
  json_t *last = find_last(rules);
  int32_t result = last != NULL ? REBAL_OK : rebali_fail_memory(err);
  for (size_t i = 0; result == REBAL_OK && message->len == 0 && i < json_array_size(rules); i++) {
    const json_t *rule = json_array_get(rules, i);
    const char *name = rebali_member_text(rule, "aliasLabelName");
    const int found = evaluate(status, rebali_member_text(rule, "jsonPath"), &text, message);
    if (text.failed || message->failed) {
      result = rebali_fail_memory(err);
    } else if (found && (size_t)json_integer_value(json_object_get(last, name)) == i) {
      result = put_label(builder, name, &text, err);
    }
  }
  json_decref(last);
  rebali_buffer_dispose(&text);
  return result;
}

static int32_t preserve(const struct rebali_sink *sink, const json_t *rules, const json_t *status,
                        uint32_t labels_column, uint32_t error_column, struct rebali_buffer *message,
                        rebal_error *err) {
  const rebal_record *record;
  uint32_t handle;
  int32_t result = rebal_builder_start(sink->builder, REBAL_OBJECT_LABELS, err);
  if (result == REBAL_OK) {
    result = evaluate_all(sink->builder, rules, status, message, err);
  }
  if (result == REBAL_OK && message->len > 0) {
    return rebali_sink_text(sink, error_column, message->bytes, message->len, err);
  }
  if (result == REBAL_OK) {
    result = rebal_builder_finish(sink->builder, &record, err);
  }
  if (result == REBAL_OK) {
    result = rebal_fleet_intern(sink->fleet, record, &handle, err);
  }
  return result == REBAL_OK ? rebali_sink_i64(sink, labels_column, handle, err) : result;
}

int32_t rebali_preserve(const struct rebali_sink *sink, const json_t *rules, const json_t *status,
                        uint32_t labels_column, uint32_t error_column, rebal_error *err) {
  struct rebali_buffer message = REBALI_BUFFER;
  int32_t result;
  if (sink->fleet == NULL || json_array_size(rules) == 0 || status == NULL) {
    return REBAL_OK;
  }
  result = preserve(sink, rules, status, labels_column, error_column, &message, err);
  rebali_buffer_dispose(&message);
  return result;
}
