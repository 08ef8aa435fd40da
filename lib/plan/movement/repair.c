/* SPDX-License-Identifier: MIT */
/*
 * Computes a flow of least cost by the primal-dual method: a search, then a blocking flow along shortest paths, until
 * no node has an excess. Paths grow from search to search, in cost or in arcs, so this terminates. Each replica can be
 * given up, so no excess remains.
 */
#include "plan/movement/movement.h"

/* Pairs that can never hold a replica are left out. */
static void fill_columns(struct rebali_repair *repair) {
  const struct rebali_movement *movement = repair->movement;
  const uint32_t *clusters = movement->problem.clusters;

  for (size_t index = 0; index < movement->n_pairs; index++) {
    repair->column_offsets[clusters[index] + 1] += movement->pairs[index].most > 0;
  }
  for (size_t cluster = 0; cluster < movement->n_clusters; cluster++) {
    repair->column_offsets[cluster + 1] += repair->column_offsets[cluster];
    repair->next[cluster] = repair->column_offsets[cluster];
  }
  for (size_t index = 0; index < movement->n_pairs; index++) {
    if (movement->pairs[index].most > 0) {
      repair->columns[repair->next[clusters[index]]++] =
          (struct rebali_repair_arc){(uint32_t)index, movement->pairs[index].binding};
    }
  }
}

static int32_t open_repair(struct rebali_movement *movement, struct rebali_repair *repair, rebal_error *err) {
  struct rebali_arena *scratch = movement->scratch;
  const size_t n = movement->n_clusters + movement->n_bindings;

  *repair = (struct rebali_repair){.movement = movement, .n_nodes = n};
  repair->nodes = rebali_arena_allocate(scratch, n, sizeof *repair->nodes);
  repair->column_offsets = rebali_arena_allocate_zero(scratch, movement->n_clusters + 1, sizeof(uint32_t));
  repair->columns = rebali_arena_allocate(scratch, movement->n_pairs + 1, sizeof *repair->columns);
  repair->settled = rebali_arena_allocate(scratch, REBALI_BITSET_WORDS(n), sizeof *repair->settled);
  repair->heap = rebali_arena_allocate(scratch, n, sizeof *repair->heap);
  repair->queue = rebali_arena_allocate(scratch, n, sizeof *repair->queue);
  repair->next = rebali_arena_allocate(scratch, n, sizeof *repair->next);
  repair->path = rebali_arena_allocate(scratch, n, sizeof *repair->path);
  return repair->nodes == NULL || repair->column_offsets == NULL || repair->columns == NULL ||
                 repair->settled == NULL || repair->heap == NULL || repair->queue == NULL || repair->next == NULL ||
                 repair->path == NULL
             ? rebali_fail_memory(err)
             : REBAL_OK;
}

int32_t rebali_movement_repair(struct rebali_movement *movement, rebal_error *err) {
  struct rebali_repair repair;
  const int32_t code = open_repair(movement, &repair, err);

  if (code == REBAL_OK) {
    fill_columns(&repair);
    while (rebali_repair_search(&repair)) {
      rebali_repair_push(&repair);
    }
  }
  return code;
}
