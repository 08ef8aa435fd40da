/* SPDX-License-Identifier: MIT */
/* Compares the targets before and after a decision, cluster by cluster. */
#include "rebalancectl.h"

#include <stdlib.h>
#include <string.h>

static struct change *find_or_add(struct change *changes, size_t *n, uint32_t cluster) {
  size_t i = 0;
  while (i < *n && changes[i].cluster != cluster) {
    i++;
  }
  if (i == *n) {
    changes[(*n)++] = (struct change){cluster, 0, 0, 0, 0};
  }
  return &changes[i];
}

static int is_before(const struct world *world, const struct change *left, const struct change *right) {
  return strcmp(cluster_name(world, left->cluster), cluster_name(world, right->cluster)) < 0;
}

/* Sorts by name. A workload is in few clusters, most of them already in order. */
static void sort(const struct world *world, struct change *changes, size_t n) {
  for (size_t i = 1; i < n; i++) {
    const struct change moving = changes[i];
    size_t at = i;
    for (; at > 0 && is_before(world, &moving, &changes[at - 1]); at--) {
      changes[at] = changes[at - 1];
    }
    changes[at] = moving;
  }
}

struct change *changes_of(const struct world *world, const struct decision *decision, size_t *n) {
  const struct targets *before = &decision->before, *after = &decision->after;
  struct change *changes = malloc((before->n + after->n + 1) * sizeof *changes);
  *n = 0;
  if (changes == NULL) {
    return NULL;
  }
  for (size_t i = 0; i < before->n; i++) {
    struct change *change = find_or_add(changes, n, before->items[i].cluster);
    change->was_present = 1;
    change->before = before->items[i].replicas;
  }
  for (size_t i = 0; i < after->n; i++) {
    struct change *change = find_or_add(changes, n, after->items[i].cluster);
    change->is_present = 1;
    change->after = after->items[i].replicas;
  }
  sort(world, changes, *n);
  return changes;
}

int64_t moved_replicas(const struct change *changes, size_t n) {
  int64_t gained = 0, lost = 0; /* sums of 32-bit numbers */
  for (size_t i = 0; i < n; i++) {
    const int64_t difference = (int64_t)changes[i].after - changes[i].before;
    *(difference > 0 ? &gained : &lost) += difference > 0 ? difference : -difference;
  }
  return gained < lost ? gained : lost;
}
