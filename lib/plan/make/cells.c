/* SPDX-License-Identifier: MIT */
/* Reads the clusters of a binding: its replicas, how many of them are ready, and how many are wanted. */
#include "plan/make/make.h"

/* Returns the cell of a cluster of the current binding and adds it if it is missing; NULL without memory. */
static struct rebali_plan_cell *cell_of(struct rebali_plan_call *call, struct rebali_plan_row *row, uint32_t cluster) {
  rebal_plan *plan = call->plan;
  struct rebali_plan_cell *cell;

  if (call->places[cluster] == 0) {
    if (rebali_reserve(&plan->allocator, &plan->cells, &call->cells_capacity, plan->n_cells + 1, sizeof *plan->cells) !=
        REBAL_OK) {
      return NULL;
    }
    plan->cells[plan->n_cells++] = (struct rebali_plan_cell){.cluster = cluster};
    call->places[cluster] = (uint32_t)++row->n_cells; /* clusters have 32-bit ids */
  }
  cell = &plan->cells[row->first_cell + call->places[cluster] - 1];
  return cell;
}

/* Reads targets in the order of spec.clusters. If a cluster occurs twice, its replicas are added. */
static int32_t read_targets(struct rebali_plan_call *call, struct rebali_plan_row *row, uint32_t binding) {
  size_t n;
  const uint32_t *targets = rebali_bindings_children(call->bindings, REBAL_TABLE_TARGET, binding, &n);

  for (size_t i = 0; i < n; i++) {
    const int64_t cluster = rebali_bindings_i64(call->bindings, REBAL_TARGET_CLUSTER, targets[i]);
    const int64_t replicas = rebali_bindings_i64(call->bindings, REBAL_TARGET_REPLICAS, targets[i]);

    if (cluster != (int64_t)REBAL_NONE) {
      struct rebali_plan_cell *cell = cell_of(call, row, (uint32_t)cluster);
      int64_t sum;

      if (cell == NULL) {
        return rebali_fail_memory(call->err);
      }
      sum = cell->present + (replicas > 0 ? replicas : 0);
      cell->present = sum > INT32_MAX ? INT32_MAX : (int32_t)sum;
      cell->is_in |= REBALI_IN_PRESENT;
    }
  }
  return REBAL_OK;
}

/* Reads ready replicas. An unknown number is 0; in a lost cluster nothing is ready. */
static void read_ready(struct rebali_plan_call *call, const struct rebali_plan_row *row, uint32_t binding) {
  size_t n;
  const uint32_t *items = rebali_bindings_children(call->bindings, REBAL_TABLE_STATUS_ITEM, binding, &n);

  for (size_t i = 0; i < n; i++) {
    const int64_t cluster = rebali_bindings_i64(call->bindings, REBAL_STATUS_ITEM_CLUSTER, items[i]);
    const int64_t ready = rebali_bindings_i64(call->bindings, REBAL_STATUS_ITEM_READY_REPLICAS, items[i]);

    if (cluster != (int64_t)REBAL_NONE && call->places[cluster] != 0 && ready > 0 &&
        !rebali_bit_get(call->is_lost, (size_t)cluster)) {
      struct rebali_plan_cell *cell = &call->plan->cells[row->first_cell + call->places[cluster] - 1];

      cell->ready = ready > cell->present ? cell->present : (int32_t)ready;
    }
  }
}

static int32_t read_placed(struct rebali_plan_call *call, struct rebali_plan_row *row, size_t first, size_t n_placed) {
  size_t n;
  const int64_t *clusters = rebal_result_i64(call->result, REBAL_PLACED_CLUSTER, &n);
  const int64_t *replicas = rebal_result_i64(call->result, REBAL_PLACED_REPLICAS, &n);

  for (size_t i = first; i < first + n_placed; i++) {
    struct rebali_plan_cell *cell = cell_of(call, row, (uint32_t)clusters[i]);

    if (cell == NULL) {
      return rebali_fail_memory(call->err);
    }
    cell->wanted = (int32_t)replicas[i];
    cell->is_in |= REBALI_IN_WANTED;
  }
  return REBAL_OK;
}

/* Keeps all targets as they are; so far the cells are exactly the targets. */
static void keep_present(struct rebali_plan_call *call, const struct rebali_plan_row *row) {
  for (size_t i = 0; i < row->n_cells; i++) {
    struct rebali_plan_cell *cell = &call->plan->cells[row->first_cell + i];

    cell->wanted = cell->present;
    cell->is_in |= REBALI_IN_WANTED;
  }
}

static int compare_cells(const void *left, const void *right, const void *context) {
  const uint32_t one = rebali_snapshot_rank(context, ((const struct rebali_plan_cell *)left)->cluster);
  const uint32_t other = rebali_snapshot_rank(context, ((const struct rebali_plan_cell *)right)->cluster);

  return (one > other) - (one < other);
}

static int32_t sort_cells(struct rebali_plan_call *call, const struct rebali_plan_row *row) {
  rebal_plan *plan = call->plan;

  if (rebali_reserve(&plan->allocator, &plan->cells, &call->cells_capacity, plan->n_cells + row->n_cells,
                     sizeof *plan->cells) != REBAL_OK) {
    return rebali_fail_memory(call->err);
  }
  rebali_sort(plan->cells + row->first_cell, row->n_cells, sizeof *plan->cells, plan->cells + plan->n_cells,
              compare_cells, call->snapshot);
  return REBAL_OK;
}

int32_t rebali_plan_cells(struct rebali_plan_call *call, struct rebali_plan_row *row, uint32_t binding,
                          size_t first_placed, size_t n_placed) {
  int32_t code;

  row->first_cell = call->plan->n_cells;
  code = read_targets(call, row, binding);
  if (code == REBAL_OK) {
    read_ready(call, row, binding);
    if (n_placed == REBALI_KEEP_PRESENT) {
      keep_present(call, row);
    } else {
      code = read_placed(call, row, first_placed, n_placed);
    }
  }
  for (size_t i = 0; i < row->n_cells; i++) {
    call->places[call->plan->cells[row->first_cell + i].cluster] = 0;
  }
  return code == REBAL_OK ? sort_cells(call, row) : code;
}
