/* SPDX-License-Identifier: MIT */
/* Skips values that the tree does not need: checks their form, and for duplicate keys. */
#include "manifest/manifest.h"

#include <string.h>

#define MOST_KEYS 128u /* of nested maps */

struct skipping {
  struct rebali_source *source;
  struct rebali_text keys[MOST_KEYS]; /* of the open maps; those of the innermost come last */
  size_t n;
};

/* Adds a key to those of a map, which start at first. */
static int32_t take_key(struct skipping *skipping, size_t first, const struct rebali_event *event) {
  const struct rebali_source *source = skipping->source;
  const int is_spelled_out = event->text >= source->bytes && event->text < source->bytes + source->len;
  if (!is_spelled_out || skipping->n == MOST_KEYS) {
    return REBAL_EUNSUPPORTED;
  }
  for (size_t i = first; i < skipping->n; i++) {
    if (skipping->keys[i].len == event->len && memcmp(skipping->keys[i].bytes, event->text, event->len) == 0) {
      return REBAL_EPARSE;
    }
  }
  skipping->keys[skipping->n++] = (struct rebali_text){event->text, event->len};
  return REBAL_OK;
}

static int32_t next(const struct skipping *skipping, struct rebali_event *event) {
  return skipping->source->kind->next(skipping->source, event, NULL);
}

/* The source limits the depth of recursion. */
static int32_t skip(struct skipping *skipping, const struct rebali_event *start) {
  const int is_map = start->kind == REBALI_EVENT_MAP_START;
  const size_t first = skipping->n;
  struct rebali_event event;
  int32_t result;
  if (!is_map && start->kind != REBALI_EVENT_LIST_START) {
    return REBAL_OK;
  }
  result = next(skipping, &event);
  while (result == REBAL_OK && event.kind != REBALI_EVENT_MAP_END && event.kind != REBALI_EVENT_LIST_END) {
    if (is_map) {
      result = take_key(skipping, first, &event);
      result = result == REBAL_OK ? next(skipping, &event) : result;
    }
    if (result == REBAL_OK) {
      result = skip(skipping, &event);
    }
    if (result == REBAL_OK) {
      result = next(skipping, &event);
    }
  }
  skipping->n = first;
  return result;
}

int32_t rebali_skip_value(struct rebali_source *source, const struct rebali_event *start) {
  struct skipping skipping;
  skipping.source = source;
  skipping.n = 0;
  return skip(&skipping, start);
}
