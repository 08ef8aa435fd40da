/* SPDX-License-Identifier: MIT */
/* Finds places of fields by reading the text again: trees carry no positions, since only failures need them. */
#include "manifest/manifest.h"

#include <stdlib.h>
#include <string.h>

/* A place to find. Those of a document are in the order of compare_paths(). */
struct target {
  struct rebali_location *place;
  size_t walked; /* length of the path to the deepest value found, in bytes */
  size_t best;   /* offset of that value */
  int is_found;  /* its document exists */
};

struct search {
  struct rebali_source *source;
  struct target *targets;
  size_t n;
  size_t arrived; /* targets whose whole path was found */
  struct rebali_buffer key;
  char *step; /* the step being matched, as paths show it */
  size_t step_capacity;
};

#define ARRIVED 1 /* a result: all targets are found, so the rest of the text need not be well formed */

static int32_t next(struct search *search, struct rebali_event *event) {
  return search->source->kind->next(search->source, event, NULL);
}

static int is_start(const struct rebali_event *event) {
  return event->kind == REBALI_EVENT_MAP_START || event->kind == REBALI_EVENT_LIST_START;
}

static int is_end(const struct rebali_event *event) {
  return event->kind == REBALI_EVENT_MAP_END || event->kind == REBALI_EVENT_LIST_END;
}

/* Reads to the end of the value that event starts. */
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

/* ---- targets inside a value: a subrange of those inside the enclosing value ---- */

/* Ends of steps sort first, so that all paths through one step are adjacent. */
static int rank_of(char c) {
  return c == '\0' ? 0 : c == '.' ? 1 : c == '[' ? 2 : 3 + (unsigned char)c;
}

static int is_end_of_step(char c) {
  return rank_of(c) < 3;
}

static int compare_paths(const void *left, const void *right) {
  const char *a = ((const struct target *)left)->place->path, *b = ((const struct target *)right)->place->path;
  while (*a == *b && *a != '\0') {
    a++;
    b++;
  }
  return rank_of(*a) - rank_of(*b);
}

/*
 * Returns below 0, 0 or above 0: paths through the step sort after path, path is one of them, or they sort before it.
 */
static int compare_step(const char *path, const char *step, size_t len) {
  for (size_t i = 0; i < len; i++) {
    if (path[i] != step[i]) {
      return rank_of(path[i]) - rank_of(step[i]);
    }
  }
  return is_end_of_step(path[len]) ? 0 : 1;
}

/* Returns the first target for whose path after walked compare_step() returns at least least. */
static size_t find_first(const struct target *targets, size_t n, size_t walked, const char *step, size_t len,
                         int least) {
  size_t low = 0;
  while (n > 0) {
    const size_t half = n / 2;
    const int order = compare_step(targets[low + half].place->path + walked, step, len);
    if (order < least) {
      low += half + 1;
      n -= half + 1;
    } else {
      n = half;
    }
  }
  return low;
}

/* Prints the step as paths show it after walked bytes. Returns NULL without memory. */
static const char *print_step(struct search *search, const struct rebali_path *step, size_t walked) {
  if (rebali_reserve(NULL, &search->step, &search->step_capacity, rebali_path_print(step, NULL, 0) + 2, 1) !=
      REBAL_OK) {
    return NULL;
  }
  search->step[0] = '.';
  (void)rebali_path_print(step, search->step + 1, search->step_capacity - 1);
  return search->step + (walked == 0 || search->step[1] == '[');
}

/* Targets inside one value. */
struct range {
  struct target *targets;
  size_t n;
  size_t walked; /* length of their common path to it, in bytes */
};

static int32_t take_step(struct search *search, const struct range *range, const struct rebali_path *step,
                         struct range *taken) {
  const char *text = print_step(search, step, range->walked);
  size_t len, first;
  if (text == NULL) {
    return REBAL_ENOMEM;
  }
  len = strlen(text);
  first = find_first(range->targets, range->n, range->walked, text, len, 0);
  taken->targets = range->targets + first;
  taken->n = find_first(taken->targets, range->n - first, range->walked, text, len, 1);
  taken->walked = range->walked + len;
  return REBAL_OK;
}

static int32_t take_key(struct search *search, const struct range *range, const struct rebali_event *event,
                        struct range *taken) {
  struct rebali_path step;
  rebali_buffer_clear(&search->key);
  rebali_buffer_append(&search->key, event->text, event->len);
  if (search->key.failed) {
    return REBAL_ENOMEM;
  }
  step = rebali_path_key(NULL, search->key.bytes);
  return take_step(search, range, &step, taken);
}

/* ---- the walk; as deep as the text, whose depth the reader limits ---- */

static int32_t walk(struct search *search, struct rebali_event *event, const struct range *range);

static int32_t walk_map(struct search *search, const struct range *range) {
  struct rebali_event event;
  int32_t result = next(search, &event);
  while (result == REBAL_OK && !is_end(&event)) {
    struct range taken = {NULL, 0, 0};
    if (event.kind == REBALI_EVENT_SCALAR) {
      result = take_key(search, range, &event, &taken);
    } else { /* the key is an alias, or is refused by the tree builder */
      result = skip(search, &event);
    }
    if (result == REBAL_OK) {
      result = next(search, &event);
    }
    if (result == REBAL_OK) {
      result = walk(search, &event, &taken);
    }
    if (result == REBAL_OK) {
      result = next(search, &event);
    }
  }
  return result;
}

static int32_t walk_list(struct search *search, const struct range *range) {
  struct rebali_event event;
  int32_t result = next(search, &event);
  for (size_t i = 0; result == REBAL_OK && !is_end(&event); i++) {
    const struct rebali_path step = rebali_path_index(NULL, i);
    struct range taken;
    result = take_step(search, range, &step, &taken);
    if (result == REBAL_OK) {
      result = walk(search, &event, &taken);
    }
    if (result == REBAL_OK) {
      result = next(search, &event);
    }
  }
  return result;
}

/* event starts a value on the paths of all targets; reads to its end. */
static int32_t walk(struct search *search, struct rebali_event *event, const struct range *range) {
  struct range going = *range;
  for (size_t i = 0; i < range->n; i++) {
    struct target *target = &range->targets[i];
    const int is_new = !target->is_found || target->walked < range->walked; /* not for a duplicate key */
    const int is_end_of_path = target->place->path[range->walked] == '\0';
    if (is_new) {
      target->walked = range->walked;
      target->best = event->offset;
      target->is_found = 1;
      search->arrived += (size_t)is_end_of_path;
    }
    going.targets += is_end_of_path; /* they come first */
    going.n -= (size_t)is_end_of_path;
  }
  if (search->arrived == search->n) {
    return ARRIVED;
  }
  if (going.n == 0 || !is_start(event)) {
    return skip(search, event);
  }
  return event->kind == REBALI_EVENT_MAP_START ? walk_map(search, &going) : walk_list(search, &going);
}

/* ---- documents ---- */

/* Targets are in the order of documents. */
static int32_t walk_documents(struct search *search) {
  struct rebali_event event;
  size_t first = 0;
  int32_t result = REBAL_OK;
  while (result == REBAL_OK && first < search->n) {
    struct range range;
    size_t end;
    result = next(search, &event);
    if (result != REBAL_OK || event.kind == REBALI_EVENT_END) {
      break;
    }
    if (event.kind == REBALI_EVENT_SCALAR && event.scalar == REBALI_SCALAR_NULL) {
      continue;
    }
    while (first < search->n && search->targets[first].place->document < search->source->documents) {
      first++;
    }
    end = first;
    while (end < search->n && search->targets[end].place->document == search->source->documents) {
      end++;
    }
    range = (struct range){search->targets + first, end - first, 0};
    qsort(range.targets, range.n, sizeof *range.targets, compare_paths);
    result = walk(search, &event, &range);
    first = end;
  }
  return result == ARRIVED ? REBAL_OK : result;
}

static int compare_offsets(const void *left, const void *right) {
  const struct target *a = left, *b = right;
  return a->best < b->best ? -1 : a->best > b->best;
}

/* Converts offsets to lines and columns in one walk through the text. */
static void place_all(struct search *search) {
  const struct rebali_source *source = search->source;
  struct rebali_position at = {0, 1, 1};
  size_t offset = 0;
  qsort(search->targets, search->n, sizeof *search->targets, compare_offsets); /* equal ones have equal positions */
  for (size_t i = 0; i < search->n; i++) {
    const struct target *target = &search->targets[i];
    const struct rebali_position step = rebali_position_find(source->bytes + at.byte, source->len - at.byte,
                                                             target->best - offset, source->kind->in_characters);
    at.byte += step.byte;
    at.column = step.line > 1 ? step.column : at.column + step.column - 1;
    at.line += step.line - 1;
    offset = target->best;
    if (target->is_found) {
      target->place->line = at.line;
      target->place->column = at.column;
    }
  }
}

static int32_t locate_as(struct search *search, const struct rebali_source_kind *kind, struct rebali_location *places) {
  int32_t result;
  search->arrived = 0;
  for (size_t i = 0; i < search->n; i++) {
    search->targets[i] = (struct target){&places[i], 0, 0, 0};
    places[i].line = places[i].column = 0;
  }
  result = rebali_source_open(search->source, kind, NULL);
  if (result == REBAL_OK) {
    result = walk_documents(search);
  }
  kind->close(search->source);
  if (result == REBAL_OK) {
    place_all(search);
  }
  return result;
}

int32_t rebali_locate_all(const char *bytes, size_t len, struct rebali_location *places, size_t n) {
  const struct rebali_limits none = {SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX};
  struct rebali_source source;
  struct search search = {.source = &source, .n = n, .key = REBALI_BUFFER};
  int32_t result = rebali_source_prepare(&source, bytes, len, &none, NULL);
  int is_yaml;
  if (result != REBAL_OK || n == 0) {
    return result;
  }
  search.targets = malloc(n * sizeof *search.targets);
  if (search.targets == NULL) {
    return REBAL_ENOMEM;
  }
  is_yaml = !rebali_source_is_json(&source);
  if (!is_yaml) {
    result = locate_as(&search, &rebali_source_json, places);
  }
  if (is_yaml || result == REBAL_EPARSE) {
    result = locate_as(&search, &rebali_source_yaml, places);
  }
  free(search.targets);
  rebali_buffer_dispose(&search.key);
  free(search.step);
  return result;
}

int32_t rebali_locate(const char *bytes, size_t len, size_t document, const char *path, uint32_t *line,
                      uint32_t *column) {
  struct rebali_location place = {document, path, 0, 0};
  const int32_t result = rebali_locate_all(bytes, len, &place, 1);
  if (result != REBAL_OK || place.line == 0) {
    return result != REBAL_OK ? result : REBAL_ENOTFOUND;
  }
  *line = place.line;
  *column = place.column;
  return REBAL_OK;
}
