/* SPDX-License-Identifier: MIT */
/* Workloads that the files hold and no answer speaks of, since no policy selects them. */
#include "rebalancectl.h"

#include <stdlib.h>
#include <string.h>

#define MAX_NAMES 5

/* Kinds with a meaning of their own: events are not propagated, a PriorityClass is read where a policy names it. */
static const char *const special_kinds[] = {"Event", "PriorityClass"};

static int is_workload_kind(const struct world *world, uint32_t object) {
  static const char own[] = "karmada.io";
  const char *version = world_text(world, object, "apiVersion");
  const size_t group = strcspn(version, "/"), own_len = sizeof own - 1;
  if (group >= own_len && strncmp(version + group - own_len, own, own_len) == 0) {
    return 0;
  }
  for (size_t i = 0; i < sizeof special_kinds / sizeof special_kinds[0]; i++) {
    if (strcmp(world_text(world, object, "kind"), special_kinds[i]) == 0) {
      return 0;
    }
  }
  return 1;
}

static int is_deleting(const struct world *world, uint32_t object) {
  return world_text(world, object, "metadata.deletionTimestamp")[0] != '\0';
}

/* The binding that a namespace has under a name, or REBAL_NONE. */
static uint32_t find_binding(const struct world *world, const char *namespace_, const char *name) {
  const char *kind = namespace_[0] != '\0' ? "ResourceBinding" : "ClusterResourceBinding";
  return rebal_store_find(world->store, kind, strlen(kind), namespace_, strlen(namespace_), name, strlen(name));
}

/* Rows of bindings by object, whose members need not be read again. */
struct rows {
  uint32_t *at; /* REBAL_NONE: none */
  size_t n;
};

static int rows_open(struct rows *rows, const struct world *world) {
  const rebal_cells *cells = rebal_bindings_const_cells(world->known);
  const size_t n = rebal_cells_count(cells, REBAL_TABLE_BINDING, REBAL_NONE);
  uint32_t object = REBAL_NONE;
  rows->n = 0;
  while ((object = rebal_store_next(world->store, "", 0, object)) != REBAL_NONE) {
    rows->n = object >= rows->n ? (size_t)object + 1 : rows->n;
  }
  rows->at = malloc((rows->n + 1) * sizeof *rows->at);
  if (rows->at == NULL) {
    return 0;
  }
  memset(rows->at, 0xFF, rows->n * sizeof *rows->at); /* REBAL_NONE */
  for (uint32_t row = 0; row < n; row++) {
    object = find_binding(world, rebal_cells_get_text(cells, REBAL_BINDING_NAMESPACE, REBAL_NONE, row, NULL),
                          rebal_cells_get_text(cells, REBAL_BINDING_NAME, REBAL_NONE, row, NULL));
    if (object != REBAL_NONE) {
      rows->at[object] = row;
    }
  }
  return 1;
}

/* Is the text of the binding that of the workload? */
static int is_same(const struct world *world, const struct rows *rows, uint32_t binding, uint32_t column,
                   const char *path, const char *text) {
  const rebal_cells *cells = rebal_bindings_const_cells(world->known);
  const uint32_t row = rows->at[binding];
  return strcmp(row != REBAL_NONE ? rebal_cells_get_text(cells, column, REBAL_NONE, row, NULL)
                                  : world_text(world, binding, path),
                text) == 0;
}

/* The binding's name of a workload, to be freed; NULL when memory ran out. */
static char *binding_name(const char *name, const char *kind) {
  size_t len = 0;
  char *made;
  (void)rebal_binding_name(name, strlen(name), kind, strlen(kind), NULL, 0, &len, NULL);
  made = malloc(len + 1);
  if (made != NULL && rebal_binding_name(name, strlen(name), kind, strlen(kind), made, len + 1, &len, NULL) < 0) {
    free(made);
    made = NULL;
  }
  return made;
}

/* Is there a binding of the workload, from a policy or from the files? */
static int has_binding(const struct world *world, const struct rows *rows, uint32_t object, int *failed) {
  char *name = binding_name(world_text(world, object, "metadata.name"), world_text(world, object, "kind"));
  const uint32_t binding =
      name != NULL ? find_binding(world, world_text(world, object, "metadata.namespace"), name) : REBAL_NONE;
  *failed |= name == NULL;
  free(name);
  return binding != REBAL_NONE &&
         is_same(world, rows, binding, REBAL_BINDING_RESOURCE_API_VERSION, "spec.resource.apiVersion",
                 world_text(world, object, "apiVersion")) &&
         is_same(world, rows, binding, REBAL_BINDING_RESOURCE_KIND, "spec.resource.kind",
                 world_text(world, object, "kind"));
}

static void tell(struct output *names, size_t n) {
  const char *text;
  if (n > MAX_NAMES) {
    put(names, " and ");
    put_integer(names, (int64_t)(n - MAX_NAMES));
    put(names, " more");
  }
  text = rebal_text_bytes(names->text, NULL);
  if (n > 0 && !names->failed) {
    complain("rebalancectl: %zu %s selected by no policy:%s", n, n == 1 ? "object is" : "objects are", text);
  }
}

enum status tell_unselected(const struct world *world) {
  struct output names;
  uint32_t object = REBAL_NONE;
  struct rows rows = {NULL, 0};
  size_t n = 0;
  int failed = 0;
  enum status status = output_open(&names);
  if (status != STATUS_DONE) {
    return status;
  }
  if (!rows_open(&rows, world)) {
    output_close(&names);
    return complain_of_memory();
  }
  while ((object = rebal_store_next(world->store, "", 0, object)) != REBAL_NONE) {
    if (!is_workload_kind(world, object) || has_binding(world, &rows, object, &failed) || is_deleting(world, object)) {
      continue;
    }
    if (n++ < MAX_NAMES) {
      put(&names, n > 1 ? ", " : " ");
      put_object(&names, world, object);
    }
  }
  failed |= names.failed;
  if (!failed) {
    tell(&names, n);
  }
  free(rows.at);
  output_close(&names);
  return failed ? complain_of_memory() : STATUS_DONE;
}
