/* SPDX-License-Identifier: MIT */
/* Places of fields, found by reading the text again: trees carry no positions, since only failures ask for them. */
#include "manifest.h"

#include <stdlib.h>
#include <string.h>

/* One place on the way down. */
struct target {
  struct rebali_location *place;
  const char *rest; /* of the path, still to be walked */
  size_t index;     /* that rest begins with, within a list */
  size_t best;      /* offset of the deepest value found */
  int is_found;     /* its document is there */
};

struct search {
  struct rebali_source *source;
  struct target *targets;
  size_t n;
  size_t arrived; /* targets whose whole path was walked */
};

#define ARRIVED 1 /* a result: nothing is left to look for, so that what follows need not be well formed */

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

/* ---- which targets go into a value: they are moved to the front and walked one step ---- */

static void swap(struct target *left, struct target *right) {
  const struct target kept = *left;
  *left = *right;
  *right = kept;
}

/* Those whose next step names the key; how many they are. */
static size_t take_key(struct target *targets, size_t n, const char *key) {
  size_t taken = 0;
  for (size_t i = 0; i < n; i++) {
    const size_t step = rebali_path_match_key(targets[i].rest, targets[i].rest == targets[i].place->path, key);
    if (step > 0) {
      targets[i].rest += step;
      swap(&targets[taken++], &targets[i]);
    }
  }
  return taken;
}

/* The index that the next step names; SIZE_MAX when it names none. */
static size_t index_of(const struct target *target) {
  const char *text = target->rest;
  const size_t digits = text[0] == '[' ? strspn(text + 1, "0123456789") : 0;
  size_t index = 0;
  if (digits == 0 || digits > 9) {
    return SIZE_MAX;
  }
  for (size_t i = 1; i <= digits; i++) {
    index = index * 10 + (size_t)(text[i] - '0');
  }
  return rebali_path_match_index(text, index) > 0 ? index : SIZE_MAX;
}

static int compare_indices(const void *left, const void *right) {
  const struct target *a = left, *b = right;
  return a->index < b->index ? -1 : a->index > b->index; /* those of one index go the same way, whatever their order */
}

/* In the order in which a list's items come. */
static void sort_by_index(struct target *targets, size_t n) {
  for (size_t i = 0; i < n; i++) {
    targets[i].index = index_of(&targets[i]);
  }
  qsort(targets, n, sizeof *targets, compare_indices);
}

/* Those at the front whose next step names the index; how many they are. */
static size_t take_index(struct target *targets, size_t n, size_t index) {
  size_t taken = 0;
  while (taken < n && targets[taken].index == index) {
    targets[taken].rest += rebali_path_match_index(targets[taken].rest, index);
    taken++;
  }
  return taken;
}

/* ---- the walk; its depth is that of the text, which its reader limits ---- */

static int32_t walk(struct search *search, struct rebali_event *event, struct target *targets, size_t n);

static int32_t walk_map(struct search *search, struct target *targets, size_t n) {
  struct rebali_event event;
  int32_t result = next(search, &event);
  while (result == REBAL_OK && !is_end(&event)) {
    size_t taken = 0;
    if (event.kind == REBALI_EVENT_SCALAR) {
      taken = take_key(targets, n, event.text);
    } else { /* a key that is an alias, or refused by who builds trees */
      result = skip(search, &event);
    }
    if (result == REBAL_OK) {
      result = next(search, &event);
    }
    if (result == REBAL_OK) {
      result = walk(search, &event, targets, taken);
    }
    targets += taken;
    n -= taken;
    if (result == REBAL_OK) {
      result = next(search, &event);
    }
  }
  return result;
}

static int32_t walk_list(struct search *search, struct target *targets, size_t n) {
  struct rebali_event event;
  int32_t result = next(search, &event);
  sort_by_index(targets, n);
  for (size_t i = 0; result == REBAL_OK && !is_end(&event); i++) {
    const size_t taken = take_index(targets, n, i);
    result = walk(search, &event, targets, taken);
    targets += taken;
    n -= taken;
    if (result == REBAL_OK) {
      result = next(search, &event);
    }
  }
  return result;
}

/* event starts a value that all the targets lead to; reads on to its end. */
static int32_t walk(struct search *search, struct rebali_event *event, struct target *targets, size_t n) {
  size_t going = 0;
  for (size_t i = 0; i < n; i++) {
    targets[i].best = event->offset;
    targets[i].is_found = 1;
    if (targets[i].rest[0] != '\0') {
      swap(&targets[going++], &targets[i]);
    } else if (++search->arrived == search->n) {
      return ARRIVED;
    }
  }
  if (going == 0 || !is_start(event)) {
    return skip(search, event);
  }
  return event->kind == REBALI_EVENT_MAP_START ? walk_map(search, targets, going) : walk_list(search, targets, going);
}

/* ---- documents ---- */

/* Targets come by rising document. */
static int32_t walk_documents(struct search *search) {
  struct rebali_event event;
  size_t first = 0;
  int32_t result = REBAL_OK;
  while (result == REBAL_OK && first < search->n) {
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
    result = walk(search, &event, search->targets + first, end - first);
    first = end;
  }
  return result == ARRIVED ? REBAL_OK : result;
}

static int compare_offsets(const void *left, const void *right) {
  const struct target *a = left, *b = right;
  return a->best < b->best ? -1 : a->best > b->best;
}

/* Offsets into lines and columns, by one walk through the text. */
static void place_all(struct search *search) {
  const struct rebali_source *source = search->source;
  struct rebali_position at = {0, 1, 1};
  size_t offset = 0;
  qsort(search->targets, search->n, sizeof *search->targets, compare_offsets); /* equal ones have equal places */
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
    search->targets[i] = (struct target){&places[i], places[i].path, 0, 0, 0};
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
  struct search search = {&source, NULL, n, 0};
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
