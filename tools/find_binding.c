/* SPDX-License-Identifier: MIT */
/* Which binding a word of the command line means. */
#include "rebalancectl.h"

#include <stdlib.h>
#include <string.h>

#define MAX_NAMES 5

/* A word in its parts: name, namespace/name, kind/name or kind/namespace/name. */
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

static char lower(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* is_kind: kinds are written in any case. */
static int is_part(const struct name *name, size_t part, const char *text, int is_kind) {
  if (strlen(text) != name->lens[part]) {
    return 0;
  }
  for (size_t i = 0; i < name->lens[part]; i++) {
    const char c = name->parts[part][i];
    if (is_kind ? lower(c) != lower(text[i]) : c != text[i]) {
      return 0;
    }
  }
  return 1;
}

/* Where a binding keeps its own name, and that of its workload. */
struct paths {
  const char *kind, *namespace_, *name;
};

static int is_meant(const struct world *world, uint32_t object, const struct paths *paths, const struct name *name) {
  if (!is_part(name, name->n - 1, world_text(world, object, paths->name), 0)) {
    return 0;
  }
  switch (name->n) {
    case 1:
      return 1;
    case 2:
      return is_part(name, 0, world_text(world, object, paths->namespace_), 0) ||
             is_part(name, 0, world_text(world, object, paths->kind), 1);
    default:
      return is_part(name, 0, world_text(world, object, paths->kind), 1) &&
             is_part(name, 1, world_text(world, object, paths->namespace_), 0);
  }
}

/* Puts those meant first. Returns how many. */
static size_t keep_meant(const struct world *world, const struct paths *paths, const struct name *name,
                         uint32_t *objects, size_t n) {
  size_t kept = 0;
  for (size_t i = 0; i < n; i++) {
    if (is_meant(world, objects[i], paths, name)) {
      objects[kept++] = objects[i];
    }
  }
  return kept;
}

/* A word, and the object of the files that has it; REBAL_NONE: none, it is of the command line. */
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

enum status named_binding(const struct world *world, const char *text, uint32_t from, uint32_t *object) {
  static const struct paths places[] = {{"kind", "metadata.namespace", "metadata.name"},
                                        {"spec.resource.kind", "spec.resource.namespace", "spec.resource.name"}};
  const struct word word = {text, from};
  const struct name name = split(text);
  uint32_t *objects = NULL;
  size_t n = 0, n_meant = 0;
  enum status status = world_bindings(world, &objects, &n);
  for (size_t i = 0; status == STATUS_DONE && n_meant == 0 && i < sizeof places / sizeof places[0]; i++) {
    n_meant = keep_meant(world, &places[i], &name, objects, n);
  }
  if (status == STATUS_DONE && n == 0) {
    status = refuse(world, &word,
                    "is no binding: the files hold none, and no policy in them selects a workload in them", objects, 0);
  } else if (status == STATUS_DONE && n_meant == 0) {
    status = refuse(world, &word, "is no binding and no workload of one; there are", objects, n);
  } else if (status == STATUS_DONE && n_meant > 1) {
    status = refuse(world, &word, "means several bindings:", objects, n_meant);
  }
  if (status == STATUS_DONE) {
    *object = objects[0];
  }
  free(objects);
  return status;
}
