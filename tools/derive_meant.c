/* SPDX-License-Identifier: MIT */
/*
 * Resolves a name to a binding before bindings are made from workloads. A binding is named after its workload:
 * workloads are found by name, and only their bindings are made.
 */
#include "rebalancectl.h"

#include <stdlib.h>
#include <string.h>

/* Does the object have this name, or would its binding have it? */
static int is_named(const struct world *world, uint32_t object, const char *name, char *scratch) {
  const char *own = world_text(world, object, "metadata.name"), *kind = world_text(world, object, "kind");
  const size_t len = strlen(name);
  size_t made = 0;
  if (strcmp(own, name) == 0) {
    return 1;
  }
  return strlen(own) + 1 + strlen(kind) == len &&
         rebal_binding_name(own, strlen(own), kind, strlen(kind), scratch, len + 1, &made, NULL) == REBAL_OK &&
         strcmp(scratch, name) == 0;
}

/* Makes the bindings that would have a name, and those of workloads of that name. */
static enum status derive_named(const struct world *world, const char *name) {
  uint32_t *objects = malloc((rebal_store_count(world->store) + 1) * sizeof *objects), object = REBAL_NONE;
  char *scratch = malloc(strlen(name) + 1);
  enum status status = objects != NULL && scratch != NULL ? STATUS_DONE : complain_of_memory();
  size_t n = 0;
  while (status == STATUS_DONE && (object = rebal_store_next(world->store, "", 0, object)) != REBAL_NONE) {
    if (is_named(world, object, name, scratch)) {
      objects[n++] = object;
    }
  }
  if (status == STATUS_DONE) {
    status = world_derive(world, objects, n);
  }
  free(objects);
  free(scratch);
  return status;
}

/* The only binding of the store that matches the name; REBAL_NONE: none or several match. */
static enum status look(const struct world *world, const char *word, uint32_t *object) {
  struct binding_names *names = NULL;
  uint32_t *objects = NULL;
  size_t n = 0, row = 0, n_meant = 0;
  enum status status = world_bindings(world, &objects, &n);
  if (status == STATUS_DONE) {
    status = names_open(world, objects, n, &names);
  }
  if (status == STATUS_DONE) {
    status = names_count(names, word, &n_meant, &row);
  }
  *object = n_meant == 1 ? objects[row] : REBAL_NONE;
  names_close(names);
  free(objects);
  return status;
}

enum status derive_meant(const struct world *world, const char *word, uint32_t *object) {
  const char *slash = strrchr(word, '/'), *name = slash != NULL ? slash + 1 : word;
  uint64_t changes;
  enum status status = derive_named(world, name);
  *object = REBAL_NONE;
  if (status == STATUS_DONE) {
    status = look(world, word, object);
  }
  if (status != STATUS_DONE || *object == REBAL_NONE ||
      strcmp(world_text(world, *object, "metadata.name"), name) == 0) {
    return status;
  }
  /* A binding of the files may name a workload other than the one whose binding has that name. */
  changes = rebal_store_change_count(world->store);
  status = derive_named(world, world_text(world, *object, "metadata.name"));
  return status == STATUS_DONE && rebal_store_change_count(world->store) != changes ? look(world, word, object)
                                                                                    : status;
}
