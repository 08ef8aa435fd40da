/* SPDX-License-Identifier: MIT */
/* Warnings of the interpreter: customizations that are not run, and policies that divide unknown replicas. */
#include "rebalancectl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAMES 5

/* ---- customizations ---- */

/* Prints one line; kinds: as in the object. */
static void report_not_run(const struct world *world, uint32_t object, const char *kinds, const char *of) {
  complain("rebalancectl: %s %s is not run: results for %s%s%s may differ", world_text(world, object, "kind"),
           world_text(world, object, "metadata.name"), kinds, of[0] != '\0' ? " of " : "", of);
}

/* The rules of a webhook contain lists of kinds. */
static void report_webhooks(const struct world *world, uint32_t object) {
  for (size_t webhook = 0;; webhook++) {
    char path[96];
    (void)snprintf(path, sizeof path, "webhooks[%zu].name", webhook);
    if (world_text(world, object, path)[0] == '\0') {
      return;
    }
    for (size_t rule = 0;; rule++) {
      const char *kinds;
      (void)snprintf(path, sizeof path, "webhooks[%zu].rules[%zu].kinds", webhook, rule);
      kinds = world_text(world, object, path);
      if (kinds[0] == '\0') {
        break;
      }
      (void)snprintf(path, sizeof path, "webhooks[%zu].rules[%zu].apiGroups", webhook, rule);
      report_not_run(world, object, kinds, world_text(world, object, path));
    }
  }
}

static void report_customizations(const struct world *world) {
  static const char customization[] = "ResourceInterpreterCustomization";
  static const char webhooks[] = "ResourceInterpreterWebhookConfiguration";
  uint32_t object = REBAL_NONE;
  while ((object = rebal_store_next(world->store, customization, sizeof customization - 1, object)) != REBAL_NONE) {
    report_not_run(world, object, world_text(world, object, "spec.target.kind"),
                   world_text(world, object, "spec.target.apiVersion"));
  }
  while ((object = rebal_store_next(world->store, webhooks, sizeof webhooks - 1, object)) != REBAL_NONE) {
    report_webhooks(world, object);
  }
}

/* ---- replicas ---- */

/* Those named so far. */
struct uncounted {
  struct output names;
  size_t n;
};

static enum status look(const struct world *world, uint32_t object, struct uncounted *uncounted) {
  rebal_detector_row row = {.struct_size = sizeof row};
  rebal_error err = REBAL_ERROR_INIT;
  if (rebal_detector_look(world->detector, object, &row, &err) != REBAL_OK) {
    return complain_of_call(&err);
  }
  if ((row.flags & REBAL_DETECTOR_NOTE_NO_REPLICAS) != 0 && uncounted->n++ < MAX_NAMES) {
    put(&uncounted->names, uncounted->n > 1 ? ", " : " ");
    put_object(&uncounted->names, world, object);
  }
  return STATUS_DONE;
}

/* The workloads of bindings without replicas. */
static enum status examine_all_bindings(const struct world *world, struct uncounted *uncounted) {
  const rebal_cells *cells = rebal_bindings_const_cells(world->chosen);
  const size_t n = rebal_cells_count(cells, REBAL_TABLE_BINDING, REBAL_NONE);
  enum status status = STATUS_DONE;
  for (uint32_t row = 0; status == STATUS_DONE && row < n; row++) {
    const char *kind = rebal_cells_get_text(cells, REBAL_BINDING_RESOURCE_KIND, REBAL_NONE, row, NULL);
    const char *namespace_ = rebal_cells_get_text(cells, REBAL_BINDING_RESOURCE_NAMESPACE, REBAL_NONE, row, NULL);
    const char *name = rebal_cells_get_text(cells, REBAL_BINDING_RESOURCE_NAME, REBAL_NONE, row, NULL);
    uint32_t object;
    if (rebal_cells_get_i64(cells, REBAL_BINDING_REPLICAS, REBAL_NONE, row) != 0) {
      continue;
    }
    object = rebal_store_find(world->store, kind, strlen(kind), namespace_, strlen(namespace_), name, strlen(name));
    if (object != REBAL_NONE) {
      status = look(world, object, uncounted);
    }
  }
  return status;
}

static enum status examine_all(const struct world *world, struct uncounted *uncounted) {
  enum status status = STATUS_DONE;
  uint32_t object = REBAL_NONE;
  while (status == STATUS_DONE && (object = rebal_store_next(world->store, "", 0, object)) != REBAL_NONE) {
    status = look(world, object, uncounted);
  }
  return status;
}

enum status report_uncounted(const struct world *world, size_t *n) {
  struct uncounted uncounted = {.n = 0};
  enum status status = output_open(&uncounted.names);
  if (status != STATUS_DONE) {
    return status;
  }
  status = world->chosen != NULL ? examine_all_bindings(world, &uncounted) : examine_all(world, &uncounted);
  if (uncounted.n > MAX_NAMES) {
    put(&uncounted.names, " and ");
    put_integer(&uncounted.names, (int64_t)(uncounted.n - MAX_NAMES));
    put(&uncounted.names, " more");
  }
  if (status == STATUS_DONE && uncounted.names.failed) {
    status = complain_of_memory();
  }
  if (status == STATUS_DONE && uncounted.n > 0) {
    complain(
        "rebalancectl: %zu %s propagated whole to each selected cluster: %s would divide replicas, but none are known "
        "(--replicas-path):%s",
        uncounted.n, uncounted.n == 1 ? "object is" : "objects are", uncounted.n == 1 ? "its policy" : "their policies",
        rebal_text_bytes(uncounted.names.text, NULL));
  }
  *n = uncounted.n;
  output_close(&uncounted.names);
  return status;
}

/* ---- paths to replicas ---- */

/* Is the object of the kind, as Foo or Foo.example.com? */
static int is_of_kind(const struct world *world, uint32_t object, const char *given, size_t len) {
  const char *kind = world_text(world, object, "kind"), *version = world_text(world, object, "apiVersion");
  const size_t kind_len = strlen(kind), group = strchr(version, '/') != NULL ? strcspn(version, "/") : 0;
  if (len < kind_len || memcmp(given, kind, kind_len) != 0) {
    return 0;
  }
  return len == kind_len ||
         (given[kind_len] == '.' && len - kind_len - 1 == group && memcmp(given + kind_len + 1, version, group) == 0);
}

/* entry: a valid KIND=PATH. Prints a line if it finds no replicas. */
static enum status report_idle_path(const struct world *world, const char *entry, size_t len) {
  const size_t kind = strcspn(entry, "=");
  char *path = strndup(entry + kind + 1, len - kind - 1);
  uint32_t object = REBAL_NONE;
  size_t n = 0, n_found = 0;
  if (path == NULL) {
    return complain_of_memory();
  }
  while (n_found == 0 && (object = rebal_store_next(world->store, "", 0, object)) != REBAL_NONE) {
    const int is_concerned = is_of_kind(world, object, entry, kind);
    n += (size_t)is_concerned;
    n_found += is_concerned && world_text(world, object, path)[0] != '\0';
  }
  if (n == 0) {
    complain("rebalancectl: --replicas-path %.*s: the files contain no object of this kind", (int)len, entry);
  } else if (n_found == 0) {
    complain("rebalancectl: --replicas-path %.*s: no object of this kind has a value at the path", (int)len, entry);
  }
  free(path);
  return STATUS_DONE;
}

static enum status report_idle_paths(const struct world *world) {
  const char *paths = world->options->detector.replicas_paths;
  enum status status = STATUS_DONE;
  while (status == STATUS_DONE && paths != NULL && *paths != '\0') {
    const size_t len = strcspn(paths, ",");
    status = report_idle_path(world, paths, len);
    paths += len + (paths[len] == ',');
  }
  return status;
}

enum status report_uninterpreted(const struct world *world) {
  enum status status;
  size_t n;
  report_customizations(world);
  status = report_idle_paths(world);
  return status == STATUS_DONE ? report_uncounted(world, &n) : status;
}
