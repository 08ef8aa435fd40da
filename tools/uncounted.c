/* SPDX-License-Identifier: MIT */
/* What the interpreter does not know: customizations that are not run, and replicas that a policy divides in vain. */
#include "rebalancectl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAMES 5

/* ---- customizations ---- */

/* One line; kinds: as the object says them. */
static void tell_not_run(const struct world *world, uint32_t object, const char *kinds, const char *of) {
  complain("rebalancectl: %s %s is not run: answers for %s%s%s may differ", world_text(world, object, "kind"),
           world_text(world, object, "metadata.name"), kinds, of[0] != '\0' ? " of " : "", of);
}

/* A webhook has rules with lists of kinds. */
static void tell_webhooks(const struct world *world, uint32_t object) {
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
      tell_not_run(world, object, kinds, world_text(world, object, path));
    }
  }
}

static void tell_customizations(const struct world *world) {
  static const char customization[] = "ResourceInterpreterCustomization";
  static const char webhooks[] = "ResourceInterpreterWebhookConfiguration";
  uint32_t object = REBAL_NONE;
  while ((object = rebal_store_next(world->store, customization, sizeof customization - 1, object)) != REBAL_NONE) {
    tell_not_run(world, object, world_text(world, object, "spec.target.kind"),
                 world_text(world, object, "spec.target.apiVersion"));
  }
  while ((object = rebal_store_next(world->store, webhooks, sizeof webhooks - 1, object)) != REBAL_NONE) {
    tell_webhooks(world, object);
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
static enum status look_at_bindings(const struct world *world, struct uncounted *uncounted) {
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

static enum status look_at_all(const struct world *world, struct uncounted *uncounted) {
  enum status status = STATUS_DONE;
  uint32_t object = REBAL_NONE;
  while (status == STATUS_DONE && (object = rebal_store_next(world->store, "", 0, object)) != REBAL_NONE) {
    status = look(world, object, uncounted);
  }
  return status;
}

enum status tell_uncounted(const struct world *world, size_t *n) {
  struct uncounted uncounted = {.n = 0};
  enum status status = output_open(&uncounted.names);
  if (status != STATUS_DONE) {
    return status;
  }
  status = world->chosen != NULL ? look_at_bindings(world, &uncounted) : look_at_all(world, &uncounted);
  if (uncounted.n > MAX_NAMES) {
    put(&uncounted.names, " and ");
    put_integer(&uncounted.names, (int64_t)(uncounted.n - MAX_NAMES));
    put(&uncounted.names, " more");
  }
  if (status == STATUS_DONE && uncounted.names.failed) {
    status = complain_of_memory();
  }
  if (status == STATUS_DONE && uncounted.n > 0) {
    complain("rebalancectl: a policy divides replicas, of which none are known (--replicas-path), of %zu %s:%s",
             uncounted.n, uncounted.n == 1 ? "object" : "objects", rebal_text_bytes(uncounted.names.text, NULL));
  }
  *n = uncounted.n;
  output_close(&uncounted.names);
  return status;
}

enum status tell_uninterpreted(const struct world *world) {
  size_t n;
  tell_customizations(world);
  return tell_uncounted(world, &n);
}
