/* SPDX-License-Identifier: MIT */
/* tools/sweep/sweep.h - the effects of each loss, and their output. */
#ifndef SWEEP_VIEW_H
#define SWEEP_VIEW_H

#include "html/html.h"

#include <rebalance/plan.h>

/* Sets of clusters of --lose pairs=FILE, by id. */
struct cluster_sets {
  uint32_t *clusters;
  uint32_t *offsets; /* one more than there are sets */
  size_t n;
};

/* A row of SWEPT. */
struct loss {
  int64_t kind;
  char *name; /* of a set its clusters */
  int64_t clusters, unplaced, missing, moved, full, decided;
  uint32_t fullest; /* REBAL_NONE: none */
  char *resource;
};

struct sweep {
  struct world *world;
  size_t n_bindings;
  struct cluster_sets sets;
  struct loss *losses;
  size_t n;
};

/* sweep_losses.c; cluster_sets_free() always. */
enum status cluster_sets_read(const struct world *world, struct cluster_sets *sets);
void cluster_sets_free(struct cluster_sets *sets);
/* Appends thousandths as a percentage with one decimal. */
void sweep_put_percent(struct output *out, int64_t permille);
/* sweep_page.c: a page with a heat map. */
enum status sweep_write_page(const struct sweep *sweep, struct output *out);

#endif
