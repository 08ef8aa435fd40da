/* SPDX-License-Identifier: MIT */
/* Builds jansson trees from events: keys, duplicates, anchors, merges. */
#include "manifest/manifest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An open map or list. */
struct frame {
  json_t *container;                  /* borrowed: its parent, or the root, owns it */
  json_t *merge;                      /* value of the key "<<" */
  size_t merge_at;                    /* offset of that key */
  char *anchor;                       /* its own name, NULL if none */
  const struct rebali_wanted *wanted; /* of its members, or of those of its items; NULL: everything */
  int has_key;                        /* a map whose builder.key has no value yet */
  int key_is_merge;
};

struct builder {
  struct rebali_source *source;
  struct rebali_tree_sink *sink;
  struct frame *frames;
  size_t depth, n_frames;
  int is_handing; /* items of the document are still handed to the sink one by one */
  struct rebali_buffer key;
  size_t key_at;   /* its offset */
  json_t *root;    /* of the document being built */
  json_t *anchors; /* name -> value, of the document */
  size_t copied;   /* nodes made by aliases */
  rebal_error *err;
};

static int32_t no_memory(const struct builder *builder) {
  return rebali_fail_memory(builder->err);
}

/* Returns the source as it was within the document, which its last event may have ended: for positions of errors. */
static struct rebali_source within_document(const struct builder *builder) {
  struct rebali_source source = *builder->source;
  source.depth = 1;
  return source;
}

static struct frame *innermost(struct builder *builder) {
  return builder->depth > 0 ? &builder->frames[builder->depth - 1] : NULL;
}

static int expects_key(const struct frame *frame) {
  return frame != NULL && json_is_object(frame->container) && !frame->has_key;
}

/* ---- aliases ---- */

static json_t *copy_node(struct builder *builder, json_t *node, size_t depth, int32_t *code);

static json_t *copy_map(struct builder *builder, json_t *map, size_t depth, int32_t *code) {
  json_t *copy = json_object(), *value;
  const char *key;
  json_object_foreach(map, key, value) {
    json_t *inner = copy != NULL ? copy_node(builder, value, depth, code) : NULL;
    if (copy == NULL || json_object_set_new_nocheck(copy, key, inner) != 0) {
      json_decref(copy);
      return NULL;
    }
  }
  return copy;
}

static json_t *copy_list(struct builder *builder, json_t *list, size_t depth, int32_t *code) {
  json_t *copy = json_array();
  for (size_t i = 0; copy != NULL && i < json_array_size(list); i++) {
    if (json_array_append_new(copy, copy_node(builder, json_array_get(list, i), depth, code)) != 0) {
      json_decref(copy);
      return NULL;
    }
  }
  return copy;
}

/* Returns NULL with *code set to REBAL_ELIMIT if the budget or depth is exceeded, else NULL without memory. */
static json_t *copy_node(struct builder *builder, json_t *node, size_t depth, int32_t *code) {
  const struct rebali_limits *limits = &builder->source->limits;
  const int is_container = (json_is_object(node) && !rebali_number_is_verbatim(node, NULL)) || json_is_array(node);
  if (++builder->copied > limits->aliases || (is_container && ++depth > limits->depth)) {
    *code = REBAL_ELIMIT;
    return NULL;
  }
  if (!is_container) {
    return json_deep_copy(node);
  }
  return json_is_object(node) ? copy_map(builder, node, depth, code) : copy_list(builder, node, depth, code);
}

static int32_t make_alias(struct builder *builder, const struct rebali_event *event, json_t **value) {
  json_t *target = json_object_get(builder->anchors, event->text);
  const struct rebali_source source = within_document(builder);
  int32_t code = REBAL_ENOMEM;
  if (target == NULL) {
    return rebali_source_fail(&source, event->offset, builder->err, REBAL_EPARSE,
                              "no anchor is complete before the alias \"%s\"", event->text);
  }
  *value = copy_node(builder, target, builder->depth, &code);
  if (*value != NULL) {
    return REBAL_OK;
  }
  if (code == REBAL_ENOMEM) {
    return no_memory(builder);
  }
  return rebali_source_fail(&source, event->offset, builder->err, code,
                            "aliases expand to more than %zu values, or deeper than %zu levels", source.limits.aliases,
                            source.limits.depth);
}

static int32_t set_anchor(struct builder *builder, const char *name, json_t *value) {
  if (builder->anchors == NULL) {
    builder->anchors = json_object();
  }
  return json_object_set_nocheck(builder->anchors, name, value) == 0 ? REBAL_OK : no_memory(builder);
}

/* ---- values ---- */

static json_t *make_scalar(const struct rebali_event *event) {
  switch (event->scalar) {
    case REBALI_SCALAR_NULL:
      return json_null();
    case REBALI_SCALAR_TRUE:
      return json_true();
    case REBALI_SCALAR_FALSE:
      return json_false();
    case REBALI_SCALAR_INTEGER:
      return json_integer(event->integer);
    case REBALI_SCALAR_NUMBER:
      return rebali_number_new(event->text, event->len);
    default:
      return json_stringn_nocheck(event->text, event->len);
  }
}

static int32_t make_value(struct builder *builder, const struct rebali_event *event, json_t **value) {
  if (event->kind == REBALI_EVENT_ALIAS) {
    return make_alias(builder, event, value);
  }
  if (event->kind == REBALI_EVENT_SCALAR) {
    *value = make_scalar(event);
  } else {
    *value = event->kind == REBALI_EVENT_MAP_START ? json_object() : json_array();
  }
  if (*value == NULL) {
    return no_memory(builder);
  }
  if (event->anchor != NULL && event->kind == REBALI_EVENT_SCALAR && set_anchor(builder, event->anchor, *value) != 0) {
    json_decref(*value);
    return REBAL_ENOMEM;
  }
  return REBAL_OK;
}

static int32_t refuse_duplicate(const struct builder *builder, size_t at, const char *key) {
  const struct rebali_source source = within_document(builder);
  return rebali_source_fail(&source, at, builder->err, REBAL_EPARSE, "duplicate key \"%s\"", key);
}

/* Takes ownership of the value, also on failure. A key that is already present does not make the map larger. */
static int32_t attach_member(struct builder *builder, json_t *map, json_t *value) {
  const size_t size = json_object_size(map);
  if (json_object_set_new_nocheck(map, builder->key.bytes, value) != 0) {
    return no_memory(builder);
  }
  return json_object_size(map) > size ? REBAL_OK : refuse_duplicate(builder, builder->key_at, builder->key.bytes);
}

/* Takes ownership of the value, also on failure. */
static int32_t attach(struct builder *builder, json_t *value) {
  struct frame *frame = innermost(builder);
  int32_t result = REBAL_OK;
  if (frame == NULL) {
    builder->root = value;
  } else if (json_is_array(frame->container)) {
    result = json_array_append_new(frame->container, value) == 0 ? REBAL_OK : no_memory(builder);
  } else if (frame->key_is_merge) {
    frame->merge = value;
  } else {
    result = attach_member(builder, frame->container, value);
  }
  if (frame != NULL) {
    frame->has_key = frame->key_is_merge = 0;
  }
  return result;
}

/* ---- keys ---- */

/* Returns the text of a scalar as a key, NULL if it cannot be one. */
static const char *key_text(const json_t *value, char *buffer, size_t capacity) {
  const char *text = NULL;
  if (json_is_string(value)) {
    return json_string_value(value);
  }
  if (json_is_boolean(value)) {
    return json_is_true(value) ? "true" : "false";
  }
  if (json_is_integer(value)) {
    (void)snprintf(buffer, capacity, "%" PRId64, (int64_t)json_integer_value(value));
    return buffer;
  }
  return rebali_number_is_verbatim(value, &text) ? text : NULL;
}

static int32_t refuse_key(const struct builder *builder, const struct rebali_event *event, const char *text) {
  if (text == NULL) {
    return rebali_source_fail(builder->source, event->offset, builder->err, REBAL_EPARSE,
                              "a key must be a string, a number or a boolean");
  }
  return rebali_source_fail(builder->source, event->offset, builder->err, REBAL_EPARSE,
                            "the key \"\\u0001\" is reserved");
}

static int32_t set_key(struct builder *builder, const struct rebali_event *event, const char *text, size_t len) {
  struct frame *frame = innermost(builder);
  if (text == NULL || (len == sizeof REBALI_NUMBER_KEY - 1 && memcmp(text, REBALI_NUMBER_KEY, len) == 0)) {
    return refuse_key(builder, event, text);
  }
  builder->key_at = event->offset;
  rebali_buffer_clear(&builder->key);
  rebali_buffer_append(&builder->key, text, len);
  frame->has_key = 1;
  return builder->key.failed ? no_memory(builder) : REBAL_OK;
}

static int32_t set_merge_key(struct builder *builder, const struct rebali_event *event) {
  struct frame *frame = innermost(builder);
  if (frame->merge != NULL) {
    return refuse_duplicate(builder, event->offset, "<<");
  }
  frame->merge_at = event->offset;
  frame->has_key = frame->key_is_merge = 1;
  return REBAL_OK;
}

/* Keys that are aliases, anchored, or not strings are built like values. */
static int32_t take_key(struct builder *builder, const struct rebali_event *event) {
  char buffer[32];
  const char *text;
  json_t *value;
  int32_t result;
  if (event->kind == REBALI_EVENT_MAP_START || event->kind == REBALI_EVENT_LIST_START) {
    return refuse_key(builder, event, NULL);
  }
  if (event->kind == REBALI_EVENT_SCALAR && event->scalar == REBALI_SCALAR_MERGE) {
    return set_merge_key(builder, event);
  }
  if (event->kind == REBALI_EVENT_SCALAR && event->scalar == REBALI_SCALAR_STRING && event->anchor == NULL) {
    return set_key(builder, event, event->text, event->len);
  }
  result = make_value(builder, event, &value);
  if (result != REBAL_OK) {
    return result;
  }
  text = key_text(value, buffer, sizeof buffer);
  result = set_key(builder, event, text, text != NULL ? strlen(text) : 0);
  json_decref(value);
  return result;
}

/* ---- maps and lists ---- */

static char *copy_name(const char *name) {
  const size_t size = strlen(name) + 1;
  char *copy = malloc(size);
  if (copy != NULL) {
    memcpy(copy, name, size);
  }
  return copy;
}

/* The source limits the depth. */
static int32_t reserve_frame(struct builder *builder) {
  return rebali_reserve(NULL, &builder->frames, &builder->n_frames, builder->depth + 1, sizeof *builder->frames) ==
                 REBAL_OK
             ? REBAL_OK
             : no_memory(builder);
}

static int32_t push(struct builder *builder, const struct rebali_event *event, json_t *container,
                    const struct rebali_wanted *wanted) {
  struct frame *frame;
  if (reserve_frame(builder) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  frame = &builder->frames[builder->depth++];
  *frame = (struct frame){.container = container, .wanted = wanted};
  if (event->anchor == NULL) {
    return REBAL_OK;
  }
  /* From here on the name means this value, which is incomplete: an alias to it would be a cycle. */
  if (builder->anchors != NULL) {
    (void)json_object_del(builder->anchors, event->anchor);
  }
  frame->anchor = copy_name(event->anchor);
  return frame->anchor != NULL ? REBAL_OK : no_memory(builder);
}

/* Adds the keys that the map does not have yet. */
static int merge_map(json_t *into, json_t *from) {
  const char *key;
  json_t *value;
  json_object_foreach(from, key, value) if (json_object_get(into, key) == NULL &&
                                            json_object_set_nocheck(into, key, value) != 0) return -1;
  return 0;
}

static int is_mergeable(const json_t *value) {
  return json_is_object(value) && !rebali_number_is_verbatim(value, NULL);
}

static int32_t apply_merge(struct builder *builder, const struct frame *frame) {
  const struct rebali_source source = within_document(builder);
  const int is_list = json_is_array(frame->merge);
  const size_t n = is_list ? json_array_size(frame->merge) : 1;
  for (size_t i = 0; i < n; i++) {
    json_t *from = is_list ? json_array_get(frame->merge, i) : frame->merge;
    if (!is_mergeable(from)) {
      return rebali_source_fail(&source, frame->merge_at, builder->err, REBAL_EPARSE,
                                "\"<<\" merges a map or a list of maps only");
    }
    if (merge_map(frame->container, from) != 0) {
      return no_memory(builder);
    }
  }
  return REBAL_OK;
}

static void dispose_frame(struct frame *frame) {
  json_decref(frame->merge);
  free(frame->anchor);
}

static int32_t pop(struct builder *builder) {
  struct frame *frame = innermost(builder);
  int32_t result = REBAL_OK;
  if (frame->merge != NULL) {
    result = apply_merge(builder, frame);
  }
  if (result == REBAL_OK && frame->anchor != NULL) {
    result = set_anchor(builder, frame->anchor, frame->container);
  }
  dispose_frame(frame);
  builder->depth--;
  return result;
}

/* ---- documents ---- */

static void drop_document(struct builder *builder) {
  json_decref(builder->root);
  json_decref(builder->anchors);
  builder->root = builder->anchors = NULL;
}

static int32_t finish_document(struct builder *builder) {
  json_t *root = builder->root;
  const int is_null = json_is_null(root);
  builder->root = NULL;
  builder->is_handing = 0;
  drop_document(builder);
  return is_null ? REBAL_OK : builder->sink->document(builder->sink, root, builder->err);
}

/* Returns 1 if the list that starts here holds items for the sink. An anchored list may be needed as a whole. */
static int starts_items(const struct builder *builder, const struct rebali_event *event) {
  const struct frame *root = builder->frames;
  return builder->sink->item != NULL && builder->depth == 1 && event->kind == REBALI_EVENT_LIST_START &&
         event->anchor == NULL && json_is_object(root->container) && !root->key_is_merge &&
         strcmp(builder->key.bytes, "items") == 0 && builder->sink->needs_items(root->container);
}

/* Hands over the item that just ended, unless the list holds anything else or an alias could refer to the item. */
static int32_t hand_item(struct builder *builder) {
  json_t *items = builder->frames[1].container, *item;
  if (builder->anchors != NULL || json_array_size(items) != 1) {
    builder->is_handing = 0;
    return REBAL_OK;
  }
  item = json_incref(json_array_get(items, 0));
  (void)json_array_clear(items);
  return builder->sink->item(builder->sink, builder->frames[0].container, item, builder->err);
}

/* Returns 1 if the next value is wanted, and which of its members are. */
static int is_wanted(struct builder *builder, const struct rebali_wanted **members) {
  const struct frame *frame = innermost(builder);
  const struct rebali_wanted *wanted = frame != NULL ? frame->wanted : builder->sink->wanted;
  *members = wanted;
  if (frame == NULL || wanted == NULL || !frame->has_key) {
    return 1;
  }
  for (; wanted->name != NULL; wanted++) {
    if (*wanted->name == *builder->key.bytes && strcmp(wanted->name, builder->key.bytes) == 0) {
      *members = wanted->members;
      return 1;
    }
  }
  return 0;
}

static int32_t take_value(struct builder *builder, const struct rebali_event *event) {
  const struct rebali_wanted *wanted;
  json_t *value;
  const int are_items = starts_items(builder, event);
  int32_t result;
  if (!is_wanted(builder, &wanted)) {
    result = rebali_skip_value(builder->source, event);
    return result == REBAL_OK ? attach(builder, json_null()) : result;
  }
  result = make_value(builder, event, &value);
  if (result == REBAL_OK) {
    result = attach(builder, value);
  }
  builder->is_handing = are_items || (builder->is_handing && builder->depth > 1);
  if (result == REBAL_OK && (event->kind == REBALI_EVENT_MAP_START || event->kind == REBALI_EVENT_LIST_START)) {
    result = push(builder, event, value, wanted);
  }
  return result;
}

static int32_t take_event(struct builder *builder, const struct rebali_event *event) {
  int32_t result;
  if (event->kind == REBALI_EVENT_MAP_END || event->kind == REBALI_EVENT_LIST_END) {
    result = pop(builder);
  } else if (expects_key(innermost(builder))) {
    return take_key(builder, event);
  } else {
    result = take_value(builder, event);
  }
  if (result == REBAL_OK && builder->is_handing && builder->depth == 2 && event->kind == REBALI_EVENT_MAP_END) {
    result = hand_item(builder);
  }
  return result == REBAL_OK && builder->depth == 0 ? finish_document(builder) : result;
}

static int32_t build(struct builder *builder) {
  struct rebali_event event;
  int32_t result;
  do {
    result = builder->source->kind->next(builder->source, &event, builder->err);
    if (result == REBAL_OK && event.kind == REBALI_EVENT_END) {
      return REBAL_OK;
    }
    if (result == REBAL_OK) {
      result = take_event(builder, &event);
    }
  } while (result == REBAL_OK);
  return result;
}

int32_t rebali_tree_stream(struct rebali_source *source, struct rebali_tree_sink *sink, rebal_error *err) {
  struct builder builder = {.source = source, .sink = sink, .err = err};
  const int32_t result = build(&builder);
  while (builder.depth > 0) {
    dispose_frame(&builder.frames[--builder.depth]);
  }
  drop_document(&builder);
  free(builder.frames);
  rebali_buffer_dispose(&builder.key);
  return result;
}
