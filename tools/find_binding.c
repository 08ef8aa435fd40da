/* SPDX-License-Identifier: MIT */
/* Resolves a name on the command line to a binding. */
#include "rebalancectl.h"

#include <stdlib.h>
#include <string.h>

#define MAX_NAMES 5

/* The parts of a name: name, namespace/name, kind/name or kind/namespace/name. */
struct name {
  const char *parts[3];
  size_t lens[3];
  size_t n;
};

static struct name split(const char *word) {
  struct name name = {{word, NULL, NULL}, {0, 0, 0}, 1};
  while (name.n < 3 && strchr(name.parts[name.n - 1], '/') != NULL) {
    name.parts[name.n] = strchr(name.parts[name.n - 1], '/') + 1;
    name.n++;
  }
  for (size_t i = 0; i < name.n; i++) {
    name.lens[i] = i + 1 < name.n ? (size_t)(name.parts[i + 1] - name.parts[i]) - 1 : strlen(name.parts[i]);
  }
  return name;
}

static int is_part(const struct name *name, size_t part, const char *text) {
  return strlen(text) == name->lens[part] && memcmp(name->parts[part], text, name->lens[part]) == 0;
}

/* Paths of the name of a binding, and of that of its workload. */
struct paths {
  const char *api_version, *kind, *namespace_, *name;
};

static int is_kind(const struct world *world, uint32_t object, const struct paths *paths, const struct name *name) {
  return is_kind_name(name->parts[0], name->lens[0], world_text(world, object, paths->kind),
                      world_text(world, object, paths->api_version));
}

static int is_concerned(const struct world *world, uint32_t object, const struct paths *paths,
                        const struct name *name) {
  const char *namespace_ = world_text(world, object, paths->namespace_);
  if (!is_part(name, name->n - 1, world_text(world, object, paths->name)) || !is_in_namespace(world, object)) {
    return 0;
  }
  switch (name->n) {
    case 1:
      return 1;
    case 2:
      return is_part(name, 0, namespace_) || is_kind(world, object, paths, name);
    default:
      return is_kind(world, object, paths, name) && is_part(name, 1, namespace_);
  }
}

/* A name, and the object of the files that contains it; REBAL_NONE: it is from the command line. */
struct word {
  const char *text;
  uint32_t from;
};

static enum status refuse(const struct world *world, const struct word *word, const char *fault,
                          const uint32_t *objects, size_t n) {
  struct output names;
  enum status status = output_open(&names);
  if (status != STATUS_DONE) {
    return status;
  }
  put(&names, "'");
  put(&names, word->text);
  put(&names, "' ");
  put(&names, fault);
  for (size_t i = 0; i < n && i < MAX_NAMES; i++) {
    put(&names, i > 0 ? ", " : " ");
    put_object(&names, world, objects[i]);
  }
  if (n > MAX_NAMES) {
    put(&names, " and ");
    put_integer(&names, (int64_t)(n - MAX_NAMES));
    put(&names, " more");
  }
  if (names.failed) {
    status = complain_of_memory();
  } else if (word->from != REBAL_NONE) {
    status = complain_of_object(world, word->from, "metadata.name", rebal_text_bytes(names.text, NULL));
  } else {
    complain("rebalancectl: %s", rebal_text_bytes(names.text, NULL));
    status = STATUS_INPUT;
  }
  output_close(&names);
  return status;
}

/* ---- bindings by the last part of their names ---- */

#define PLACES 2

static const struct paths places[PLACES] = {
    {"apiVersion", "kind", "metadata.namespace", "metadata.name"},
    {"spec.resource.apiVersion", "spec.resource.kind", "spec.resource.namespace", "spec.resource.name"}};

struct entry {
  const char *name;
  size_t row;
};

struct binding_names {
  const struct world *world;
  const uint32_t *objects;
  size_t n;
  struct entry *by_name[PLACES]; /* then by row; NULL: not needed yet */
};

enum status names_open(const struct world *world, const uint32_t *objects, size_t n, struct binding_names **out) {
  struct binding_names *names = calloc(1, sizeof *names);
  *out = names;
  if (names == NULL) {
    return complain_of_memory();
  }
  *names = (struct binding_names){world, objects, n, {NULL, NULL}};
  return STATUS_DONE;
}

void names_close(struct binding_names *names) {
  for (size_t i = 0; names != NULL && i < PLACES; i++) {
    free(names->by_name[i]);
  }
  free(names);
}

static int compare(const void *left, const void *right) {
  const struct entry *a = left, *b = right;
  const int order = strcmp(a->name, b->name);
  return order != 0 ? order : (a->row > b->row) - (a->row < b->row);
}

static enum status sort_names(struct binding_names *names, size_t place) {
  struct entry *entries;
  if (names->by_name[place] != NULL) {
    return STATUS_DONE;
  }
  entries = malloc((names->n + 1) * sizeof *entries);
  if (entries == NULL) {
    return complain_of_memory();
  }
  for (size_t i = 0; i < names->n; i++) {
    entries[i] = (struct entry){world_text(names->world, names->objects[i], places[place].name), i};
  }
  qsort(entries, names->n, sizeof *entries, compare);
  names->by_name[place] = entries;
  return STATUS_DONE;
}

/* The first entry that is not before the name. */
static size_t first_entry(const struct binding_names *names, size_t place, const char *name) {
  size_t low = 0, high = names->n;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (strcmp(names->by_name[place][middle].name, name) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/* Sets the objects of at most MAX_NAMES matches and the row of the first. Returns how many match. */
static size_t find_meant(const struct binding_names *names, size_t place, const struct name *name, uint32_t *meant,
                         size_t *row) {
  const struct entry *entries = names->by_name[place];
  const char *last = name->parts[name->n - 1];
  size_t n = 0;
  for (size_t i = first_entry(names, place, last); i < names->n && strcmp(entries[i].name, last) == 0; i++) {
    const uint32_t object = names->objects[entries[i].row];
    if (is_concerned(names->world, object, &places[place], name)) {
      *row = n == 0 ? entries[i].row : *row;
      if (n < MAX_NAMES) {
        meant[n] = object;
      }
      n++;
    }
  }
  return n;
}

/* The same for the first place where the name matches any binding. */
static enum status look_up(struct binding_names *names, const char *text, uint32_t *meant, size_t *n, size_t *row) {
  const struct name name = split(text);
  enum status status = STATUS_DONE;
  *n = 0;
  for (size_t i = 0; status == STATUS_DONE && *n == 0 && i < PLACES; i++) {
    status = sort_names(names, i);
    *n = status == STATUS_DONE ? find_meant(names, i, &name, meant, row) : 0;
  }
  return status;
}

enum status names_count(struct binding_names *names, const char *text, size_t *n, size_t *row) {
  uint32_t meant[MAX_NAMES];
  return look_up(names, text, meant, n, row);
}

/* The first workload that matches the name and has no binding, or REBAL_NONE. */
static uint32_t find_unbound(const struct world *world, const char *text) {
  const struct name name = split(text);
  uint32_t object = REBAL_NONE;
  while ((object = rebal_store_next(world->store, "", 0, object)) != REBAL_NONE) {
    if (is_concerned(world, object, &places[0], &name) && is_workload_kind(world, object)) {
      return object;
    }
  }
  return REBAL_NONE;
}

/* Reports why the name matches no binding. */
static enum status refuse_unmeant(const struct binding_names *names, const struct word *word) {
  const uint32_t object = find_unbound(names->world, word->text);
  struct output fault;
  enum status status = STATUS_DONE;
  if (object == REBAL_NONE) {
    return names->n == 0
               ? refuse(names->world, word,
                        "is not a binding: the files contain none, and no policy in them creates one", NULL, 0)
               : refuse(names->world, word, "is not a binding or the workload of one; bindings:", names->objects,
                        names->n);
  }
  status = output_open(&fault);
  if (status == STATUS_DONE) {
    put(&fault, "has no binding: ");
    status = report_unbound(names->world, object, &fault);
    if (status == STATUS_DONE) {
      status =
          fault.failed ? complain_of_memory() : refuse(names->world, word, rebal_text_bytes(fault.text, NULL), NULL, 0);
    }
    output_close(&fault);
  }
  return status;
}

enum status named_binding(struct binding_names *names, const char *text, uint32_t from, size_t *row) {
  const struct word word = {text, from};
  uint32_t meant[MAX_NAMES] = {0};
  size_t n_meant = 0;
  enum status status = look_up(names, text, meant, &n_meant, row);
  if (status == STATUS_DONE && n_meant == 0) {
    return refuse_unmeant(names, &word);
  }
  return status == STATUS_DONE && n_meant > 1 ? refuse(names->world, &word, "matches several bindings:", meant, n_meant)
                                              : status;
}
