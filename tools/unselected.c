/* SPDX-License-Identifier: MIT */
/* Workloads that the files hold and no answer speaks of, since no policy selects them. */
#include "rebalancectl.h"

#include <stdlib.h>
#include <string.h>

#define MAX_NAMES 5

/* Kinds with a meaning of their own: events are not propagated, a PriorityClass is read where a policy names it. */
static const char *const special_kinds[] = {"Event", "PriorityClass"};

static int is_workload(const struct world *world, uint32_t object) {
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
  return world_text(world, object, "metadata.deletionTimestamp")[0] == '\0';
}

/* 1 when the text at both paths is the same. */
static int is_same(const struct world *world, uint32_t object, const char *path, uint32_t other,
                   const char *other_path) {
  return strcmp(world_text(world, object, path), world_text(world, other, other_path)) == 0;
}

/* The binding that a namespace has under a name, or REBAL_NONE. */
static uint32_t find_binding(const struct world *world, const char *namespace_, const char *name) {
  const char *kind = namespace_[0] != '\0' ? "ResourceBinding" : "ClusterResourceBinding";
  return rebal_store_find(world->store, kind, strlen(kind), namespace_, strlen(namespace_), name, strlen(name));
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
static int has_binding(const struct world *world, uint32_t object, int *failed) {
  char *name = binding_name(world_text(world, object, "metadata.name"), world_text(world, object, "kind"));
  const uint32_t binding =
      name != NULL ? find_binding(world, world_text(world, object, "metadata.namespace"), name) : REBAL_NONE;
  *failed |= name == NULL;
  free(name);
  return binding != REBAL_NONE && is_same(world, object, "apiVersion", binding, "spec.resource.apiVersion") &&
         is_same(world, object, "kind", binding, "spec.resource.kind");
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
  size_t n = 0;
  int failed = 0;
  enum status status = output_open(&names);
  if (status != STATUS_DONE) {
    return status;
  }
  while ((object = rebal_store_next(world->store, "", 0, object)) != REBAL_NONE) {
    if (!is_workload(world, object) || has_binding(world, object, &failed)) {
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
  output_close(&names);
  return failed ? complain_of_memory() : STATUS_DONE;
}
