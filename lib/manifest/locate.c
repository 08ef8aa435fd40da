/* SPDX-License-Identifier: MIT */
/* The place of a field, found by reading the text again: trees carry no positions, since only failures ask for them. */
#include "manifest.h"

struct search {
  struct rebali_source *source;
  const char *path; /* what is still to be walked */
  int is_first;     /* no step was walked yet */
  size_t best;      /* offset of the deepest value found */
};

static int32_t next(struct search *search, struct rebali_event *event) {
  return search->source->kind->next(search->source, event, NULL);
}

static int is_start(const struct rebali_event *event) {
  return event->kind == REBALI_EVENT_MAP_START || event->kind == REBALI_EVENT_LIST_START;
}

static int is_end(const struct rebali_event *event) {
  return event->kind == REBALI_EVENT_MAP_END || event->kind == REBALI_EVENT_LIST_END;
}

/* Reads on to the end of the value that event starts. */
static int32_t skip(struct search *search, const struct rebali_event *start) {
  struct rebali_event event = *start;
  size_t open = 0;
  int32_t result = REBAL_OK;
  for (;;) {
    if (is_start(&event)) {
      open++;
    } else if (is_end(&event)) {
      open--;
    }
    if (open == 0) {
      return REBAL_OK;
    }
    result = next(search, &event);
    if (result != REBAL_OK) {
      return result;
    }
  }
}

static void walk_step(struct search *search, size_t len) {
  search->path += len;
  search->is_first = 0;
}

/* *event is within a map. Found: *event starts the value, 1. Not there: 0. */
static int32_t find_in_map(struct search *search, struct rebali_event *event) {
  int32_t result = next(search, event);
  while (result == REBAL_OK && !is_end(event)) {
    const size_t step =
        event->kind == REBALI_EVENT_SCALAR ? rebali_path_match_key(search->path, search->is_first, event->text) : 0;
    result = skip(search, event);
    if (result == REBAL_OK) {
      result = next(search, event);
    }
    if (result == REBAL_OK && step > 0) {
      walk_step(search, step);
      return 1;
    }
    if (result == REBAL_OK) {
      result = skip(search, event);
    }
    if (result == REBAL_OK) {
      result = next(search, event);
    }
  }
  return result;
}

static int32_t find_in_list(struct search *search, struct rebali_event *event) {
  int32_t result = next(search, event);
  for (size_t i = 0; result == REBAL_OK && !is_end(event); i++) {
    const size_t step = rebali_path_match_index(search->path, i);
    if (step > 0) {
      walk_step(search, step);
      return 1;
    }
    result = skip(search, event);
    if (result == REBAL_OK) {
      result = next(search, event);
    }
  }
  return result;
}

/* event starts the document's root. */
static int32_t walk(struct search *search, struct rebali_event *event) {
  int32_t result = 1;
  while (result == 1) {
    search->best = event->offset;
    if (*search->path == '\0' || !is_start(event)) {
      return REBAL_OK;
    }
    result = event->kind == REBALI_EVENT_MAP_START ? find_in_map(search, event) : find_in_list(search, event);
  }
  return result;
}

static int32_t find_document(struct search *search, size_t document, struct rebali_event *event) {
  int32_t result = next(search, event);
  while (result == REBAL_OK && event->kind != REBALI_EVENT_END) {
    const int is_null = event->kind == REBALI_EVENT_SCALAR && event->scalar == REBALI_SCALAR_NULL;
    if (!is_null && search->source->documents == document) {
      return REBAL_OK;
    }
    result = skip(search, event);
    if (result == REBAL_OK) {
      result = next(search, event);
    }
  }
  return result == REBAL_OK ? REBAL_ENOTFOUND : result;
}

static int32_t locate_as(struct rebali_source *source, const struct rebali_source_kind *kind, size_t document,
                         const char *path, struct rebali_position *position) {
  struct search search = {source, path, 1, 0};
  struct rebali_event event;
  int32_t result = rebali_source_open(source, kind, NULL);
  if (result == REBAL_OK) {
    result = find_document(&search, document, &event);
  }
  if (result == REBAL_OK) {
    result = walk(&search, &event);
  }
  kind->close(source);
  *position = rebali_position_find(source->bytes, source->len, search.best, kind->in_characters);
  return result;
}

int32_t rebali_locate(const char *bytes, size_t len, size_t document, const char *path, uint32_t *line,
                      uint32_t *column) {
  const struct rebali_limits none = {SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX};
  struct rebali_position position = {0, 1, 1};
  struct rebali_source source;
  int32_t result = rebali_source_prepare(&source, bytes, len, &none, NULL);
  int is_yaml;
  if (result != REBAL_OK) {
    return result;
  }
  is_yaml = !rebali_source_is_json(&source);
  if (!is_yaml) {
    result = locate_as(&source, &rebali_source_json, document, path, &position);
  }
  if (is_yaml || result == REBAL_EPARSE) {
    result = locate_as(&source, &rebali_source_yaml, document, path, &position);
  }
  if (result != REBAL_OK) {
    return result;
  }
  *line = position.line;
  *column = position.column;
  return REBAL_OK;
}
