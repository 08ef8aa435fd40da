/* SPDX-License-Identifier: MIT */
/* Bindings of the dependencies of workloads, which are placed in the clusters of the workloads. */
#include "rebalancectl.h"

#include <stdlib.h>
#include <string.h>

static int is_listed(const uint32_t *objects, size_t n, uint32_t object) {
  size_t i = 0;
  while (i < n && objects[i] != object) {
    i++;
  }
  return i < n;
}

enum status attach_dependencies(const struct world *world, uint32_t **objects, size_t *n) {
  uint64_t seen = rebal_store_change_count(world->store);
  const enum status status = world_derive(world, NULL, 0);
  const size_t n_given = *n;
  uint32_t *longer;
  if (status != STATUS_DONE || rebal_store_change_count(world->store) == seen) {
    return status;
  }
  longer = realloc(*objects, (n_given + rebal_store_count(world->store) + 1) * sizeof *longer);
  if (longer == NULL) {
    return complain_of_memory();
  }
  *objects = longer;
  for (uint32_t object = rebal_store_next_changed(world->store, &seen); object != REBAL_NONE;
       object = rebal_store_next_changed(world->store, &seen)) {
    if (strcmp(world_text(world, object, "kind"), "ResourceBinding") == 0 && !is_listed(longer, n_given, object)) {
      longer[(*n)++] = object;
    }
  }
  return STATUS_DONE;
}
