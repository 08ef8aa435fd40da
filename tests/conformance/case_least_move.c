/* SPDX-License-Identifier: MIT */
#include "cases.h"

#include <stdlib.h>
#include <string.h>

/* A problem and its answer; pairs are all bindings with all clusters that are named for them, in the case's order. */
struct move {
  rebal_movement problem;
  rebal_movement_answer answer;
  int64_t *replicas, *weights, *present, *minimums, *maximums, *capacities;
  uint64_t *offsets;
  uint32_t *clusters;
  size_t n_pairs;
};

static void move_dispose(struct move *move) {
  int64_t *const columns[] = {move->replicas,
                              move->weights,
                              move->present,
                              move->minimums,
                              move->maximums,
                              move->capacities,
                              move->answer.planned,
                              move->answer.binding_prices,
                              move->answer.cluster_prices};

  for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
    free(columns[i]);
  }
  free(move->offsets);
  free(move->clusters);
}

static int move_allocate(struct move *move, size_t n_bindings, size_t n_clusters) {
  const size_t n_pairs = n_bindings * n_clusters;
  const struct {
    int64_t **column;
    size_t n;
  } columns[] = {{&move->replicas, n_bindings},
                 {&move->weights, n_bindings},
                 {&move->present, n_pairs},
                 {&move->minimums, n_pairs},
                 {&move->maximums, n_pairs},
                 {&move->capacities, n_clusters},
                 {&move->answer.planned, n_pairs},
                 {&move->answer.binding_prices, n_bindings},
                 {&move->answer.cluster_prices, n_clusters}};
  int is_full = 1;

  for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
    *columns[i].column = calloc(columns[i].n + 1, sizeof(int64_t));
    is_full &= *columns[i].column != NULL;
  }
  move->offsets = calloc(n_bindings + 1, sizeof *move->offsets);
  move->clusters = calloc(n_pairs + 1, sizeof *move->clusters);
  return is_full && move->offsets != NULL && move->clusters != NULL;
}

static void read_binding(struct move *move, const json_t *binding, const json_t *clusters, size_t row) {
  const json_t *cluster;
  size_t i;

  move->replicas[row] = integer_at(binding, "replicas", -1);
  move->weights[row] = integer_at(binding, "weight", -1);
  json_array_foreach(clusters, i, cluster) {
    const char *name = text_at(cluster, "name");
    const json_t *present = json_object_get(json_object_get(binding, "present"), name);
    const json_t *bounds = json_object_get(json_object_get(binding, "bounds"), name);

    if (present != NULL || bounds != NULL) {
      move->clusters[move->n_pairs] = (uint32_t)i;
      move->present[move->n_pairs] = json_integer_value(present);
      move->minimums[move->n_pairs] = json_integer_value(json_array_get(bounds, 0));
      move->maximums[move->n_pairs] = json_integer_value(json_array_get(bounds, 1));
      move->n_pairs++;
    }
  }
  move->offsets[row + 1] = move->n_pairs;
}

static void move_read(struct move *move, const json_t *bindings, const json_t *clusters) {
  const json_t *item;
  size_t i;

  json_array_foreach(clusters, i, item) {
    move->capacities[i] = integer_at(item, "capacity", INT64_MAX);
  }
  json_array_foreach(bindings, i, item) {
    read_binding(move, item, clusters, i);
  }
  move->problem = (rebal_movement){.struct_size = (uint32_t)sizeof move->problem,
                                   .n_bindings = json_array_size(bindings),
                                   .n_clusters = json_array_size(clusters),
                                   .replicas = move->replicas,
                                   .weights = move->weights,
                                   .offsets = move->offsets,
                                   .clusters = move->clusters,
                                   .present = move->present,
                                   .minimums = move->minimums,
                                   .maximums = move->maximums,
                                   .capacities = move->capacities};
  move->answer.struct_size = (uint32_t)sizeof move->answer;
}

static int64_t sum(const int64_t *cells, size_t n) {
  int64_t total = 0;

  for (size_t i = 0; i < n; i++) {
    total += cells[i];
  }
  return total;
}

static json_t *solve(struct conformance *run, struct move *move) {
  int64_t gap = -1;
  json_t *outcome;

  if (failed(run, rebal_least_movement(run->ctx, &move->problem, &move->answer, &run->err)) ||
      failed(run, rebal_plan_verify(run->ctx, &move->problem, &move->answer, &gap, &run->err))) {
    return NULL;
  }
  if (gap != 0) {
    return fault(run, "the prices do not prove the answer");
  }
  outcome = json_pack("{s:I, s:I}", "placed", (json_int_t)move->answer.placed, "kept", (json_int_t)move->answer.kept);
  if (move->answer.placed == sum(move->replicas, (size_t)move->problem.n_bindings)) {
    (void)json_object_set_new(outcome, "moved", json_integer(move->answer.moved));
  }
  return outcome;
}

json_t *case_least_move(struct conformance *run, const json_t *input) {
  const json_t *bindings = json_object_get(input, "bindings"), *clusters = json_object_get(input, "clusters");
  struct move move;
  json_t *outcome = NULL;

  memset(&move, 0, sizeof move);
  if (move_allocate(&move, json_array_size(bindings), json_array_size(clusters))) {
    move_read(&move, bindings, clusters);
    outcome = solve(run, &move);
  } else {
    (void)fault(run, "out of memory");
  }
  move_dispose(&move);
  return outcome;
}
