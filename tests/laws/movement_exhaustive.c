/* SPDX-License-Identifier: MIT */
/*
 * Every small movement, against every placement: up to three bindings and three clusters, at most four replicas wanted
 * and four present, all minimums and maximums that can be met, no capacity or one. Bindings come in the order of their
 * replicas and the capacity is that of the first cluster, since others are the same by another name. Weights of 1 to 3
 * differ from problem to problem. One problem of LAWS_EVERY is tried, by default of 997; LAWS_EVERY=1 tries all.
 */
#include "movement.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WANTED = 4, PRESENT = 4, CAPACITIES = 6, CLUSTERS = 3, ROWS = 15 * 15 * 15 };

/* Minimums and maximums of one binding in as many clusters. */
struct row {
  int8_t minimums[CLUSTERS], maximums[CLUSTERS];
};

struct every {
  rebal_ctx *ctx;
  unsigned long step, count, tried;
  struct row rows[WANTED + 1][ROWS]; /* by replicas */
  size_t n_rows[WANTED + 1];
  struct movement movement;
  const char *wrong;
};

static const char *describe(const struct movement *movement, const char *wrong) {
  char text[512];
  size_t len = 0;

  for (size_t b = 0; b < movement->n_bindings; b++) {
    len += (size_t)snprintf(text + len, sizeof text - len, " %d x%d:", (int)movement->replicas[b],
                            (int)movement->weights[b]);
    for (size_t i = (size_t)movement->offsets[b]; i < movement->offsets[b + 1]; i++) {
      len += (size_t)snprintf(text + len, sizeof text - len, " %d[%d,%d]", (int)movement->present[i],
                              (int)movement->minimums[i], (int)movement->maximums[i]);
    }
  }
  return fault("capacity %lld,%s: %s", (long long)movement->capacities[0], text, wrong);
}

static void try_problem(struct every *every) {
  struct movement *movement = &every->movement;
  int64_t placed, kept;
  int32_t code;

  if (every->count++ % every->step != 0) {
    return;
  }
  every->tried++;
  for (size_t b = 0; b < movement->n_bindings; b++) {
    movement->weights[b] = 1 + (int64_t)(every->count / every->step * 2654435761u >> (4 * b + 8)) % 3;
  }
  every->wrong = movement_solve(every->ctx, movement, &code);
  if (every->wrong == NULL && movement_try_all(movement, &placed, &kept) != (code == REBAL_OK)) {
    every->wrong = "one finds a placement, the other does not";
  }
  if (every->wrong == NULL && code == REBAL_OK &&
      (movement->answer.placed != placed || movement->answer.kept != kept)) {
    every->wrong = "another placement is better";
  }
  every->wrong = every->wrong == NULL ? NULL : describe(movement, every->wrong);
}

static void try_capacities(struct every *every) {
  for (int64_t capacity = 0; capacity < CAPACITIES && every->wrong == NULL; capacity++) {
    every->movement.capacities[0] = capacity < CAPACITIES - 1 ? capacity : INT64_MAX;
    try_problem(every);
  }
}

static void try_present(struct every *every, size_t pair, int64_t rest) {
  if (pair == every->movement.n_pairs) {
    try_capacities(every);
    return;
  }
  for (int64_t present = 0; present <= rest && every->wrong == NULL; present++) {
    every->movement.present[pair] = present;
    try_present(every, pair + 1, rest - present);
  }
}

/* most, rest: limits of the replicas that the binding requests. */
static void try_bindings(struct every *every, size_t binding, int64_t most, int64_t rest) {
  struct movement *movement = &every->movement;

  if (binding == movement->n_bindings) {
    try_present(every, 0, PRESENT);
    return;
  }
  for (int64_t replicas = 1; replicas <= most && replicas <= rest && every->wrong == NULL; replicas++) {
    movement->replicas[binding] = replicas;
    for (size_t i = 0; i < every->n_rows[replicas] && every->wrong == NULL; i++) {
      for (size_t c = 0; c < movement->n_clusters; c++) {
        movement->minimums[binding * movement->n_clusters + c] = every->rows[replicas][i].minimums[c];
        movement->maximums[binding * movement->n_clusters + c] = every->rows[replicas][i].maximums[c];
      }
      try_bindings(every, binding + 1, replicas, rest - replicas);
    }
  }
}

static void add_rows(struct every *every, size_t cluster, int replicas, int rest, struct row row) {
  if (cluster >= CLUSTERS || cluster == every->movement.n_clusters) {
    every->rows[replicas][every->n_rows[replicas]++] = row;
    return;
  }
  for (int minimum = 0; minimum <= rest; minimum++) {
    for (int maximum = minimum; maximum <= replicas; maximum++) {
      row.minimums[cluster] = (int8_t)minimum;
      row.maximums[cluster] = (int8_t)maximum;
      add_rows(every, cluster + 1, replicas, rest - minimum, row);
    }
  }
}

static void try_size(struct every *every, size_t n_bindings, size_t n_clusters) {
  struct movement *movement = &every->movement;

  memset(movement, 0, sizeof *movement);
  movement->n_bindings = n_bindings;
  movement->n_clusters = n_clusters;
  movement->n_pairs = n_bindings * n_clusters;
  for (size_t i = 0; i < movement->n_pairs; i++) {
    movement->clusters[i] = (uint32_t)(i % n_clusters);
    movement->offsets[i / n_clusters + 1] = (i / n_clusters + 1) * n_clusters;
  }
  for (size_t c = 0; c < n_clusters; c++) {
    movement->capacities[c] = INT64_MAX;
  }
  for (int replicas = 1; replicas <= WANTED; replicas++) {
    every->n_rows[replicas] = 0;
    add_rows(every, 0, replicas, replicas, (struct row){{0}, {0}});
  }
  try_bindings(every, 0, WANTED, WANTED);
}

const char *law_every_movement(struct dice *dice) {
  static struct every every;
  const char *step = getenv("LAWS_EVERY");

  (void)dice;
  memset(&every, 0, sizeof every);
  every.step = step == NULL ? 997 : strtoul(step, NULL, 10);
  if (rebal_ctx_new(NULL, NULL, &every.ctx, NULL) != REBAL_OK) {
    return "no memory";
  }
  for (size_t n_bindings = 1; n_bindings <= 3; n_bindings++) {
    for (size_t n_clusters = 1; n_clusters <= 3; n_clusters++) {
      try_size(&every, n_bindings, n_clusters);
    }
  }
  rebal_ctx_free(every.ctx);
  (void)printf("%lu of %lu movements\n", every.tried, every.count);
  return every.wrong;
}
