/* SPDX-License-Identifier: MIT */
/* The wanted placement (rebalance-plan(7) 2): what the scheduler answers for the modified bindings. */
#include "plan/make/make.h"

#define BATCH 256u /* bindings scheduled at a time, so that their rows stay in the processor's cache */

/* Merges the caller's column with the clusters that are rejected for every binding. */
int32_t rebali_plan_reject(struct rebali_plan_call *call) {
  rebal_schedule_opts *schedule = &call->schedule;
  const uint32_t n_clusters = rebali_snapshot_rows(call->snapshot);
  const size_t n_rows =
      schedule->extra_reject == NULL || schedule->extra_stride == 0 ? 1 : rebali_bindings_size(call->bindings);
  int64_t *column;

  if (call->plan->n_drained + call->plan->n_lost == 0) {
    return REBAL_OK;
  }
  column = rebali_arena_allocate_zero(&call->arena, n_rows, (size_t)n_clusters * sizeof *column);
  if (column == NULL) {
    return rebali_fail_memory(call->err);
  }
  for (size_t row = 0; row < n_rows; row++) {
    const int64_t *given =
        schedule->extra_reject == NULL ? NULL : schedule->extra_reject + row * (size_t)schedule->extra_stride;

    for (uint32_t cluster = 0; cluster < n_clusters; cluster++) {
      column[row * n_clusters + cluster] = rebali_bit_get(call->is_rejected, cluster) ||
                                           (given != NULL && cluster < schedule->extra_clusters && given[cluster] != 0);
    }
  }
  schedule->extra_reject = column;
  schedule->extra_clusters = n_clusters;
  schedule->extra_stride = n_rows > 1 ? n_clusters : 0;
  return REBAL_OK;
}

static int32_t copy_text(struct rebali_plan_call *call, struct rebali_text text, struct rebali_text *out) {
  *out = rebali_arena_text(&call->plan->arena, text);
  return out->bytes == NULL ? rebali_fail_memory(call->err) : REBAL_OK;
}

int32_t rebali_plan_name(struct rebali_plan_call *call, struct rebali_plan_row *row, uint32_t binding) {
  const rebal_bindings *bindings = call->bindings;
  int32_t code = copy_text(call, rebali_bindings_text(bindings, REBAL_BINDING_NAMESPACE, binding), &row->namespace_);

  if (code == REBAL_OK) {
    code = copy_text(call, rebali_bindings_text(bindings, REBAL_BINDING_NAME, binding), &row->name);
  }
  row->cluster_scoped = rebali_bindings_i64(bindings, REBAL_BINDING_CLUSTER_SCOPED, binding) != 0;
  row->replicas = (int32_t)rebali_bindings_i64(bindings, REBAL_BINDING_REPLICAS, binding);
  return code == REBAL_OK ? copy_text(call, rebali_bindings_text(bindings, REBAL_BINDING_UID, binding), &row->uid)
                          : code;
}

static int is_placed(int64_t outcome) {
  return outcome == REBAL_OUTCOME_SCHEDULED || outcome == REBAL_OUTCOME_PARTIAL;
}

/* Adds decision i of the result to the next row of the plan. */
static int32_t take(struct rebali_plan_call *call, size_t i) {
  const rebal_result *result = call->result;
  rebal_plan *plan = call->plan;
  struct rebali_plan_row *row = &plan->rows[plan->n_rows];
  const uint32_t binding = (uint32_t)plan->n_rows;
  struct rebali_moved moved = {0, 0, 0};
  struct rebali_text message;
  size_t n;
  int32_t code = rebali_plan_name(call, row, binding);

  row->outcome = rebal_result_i64(result, REBAL_DECISION_OUTCOME, &n)[i];
  row->limited_by = REBAL_ABSENT;
  message.bytes = rebal_result_text(result, REBAL_DECISION_MESSAGE, i, &message.len);
  code = code == REBAL_OK ? copy_text(call, message, &row->message) : code;
  if (code == REBAL_OK) {
    const size_t first = (size_t)rebal_result_i64(result, REBAL_DECISION_FIRST_PLACED, &n)[i];
    const size_t placed = (size_t)rebal_result_i64(result, REBAL_DECISION_PLACED, &n)[i];

    code = rebali_plan_cells(call, row, binding, first, is_placed(row->outcome) ? placed : REBALI_KEEP_PRESENT);
  }
  for (size_t c = 0; c < row->n_cells; c++) {
    const struct rebali_plan_cell *cell = &plan->cells[row->first_cell + c];

    rebali_moved_add(&moved, cell->present, cell->wanted);
  }
  row->drift = rebali_moved_end(&moved);
  rebali_plan_parameters(call, row);
  plan->n_rows++;
  return code;
}

/* A plan without cells or moves has arrays, too: each row has a first cell and a first move. */
int32_t rebali_plan_reserve(struct rebali_plan_call *call) {
  rebal_plan *plan = call->plan;
  const size_t n = rebali_bindings_size(call->bindings);

  call->plan->rows = rebali_allocate_zero(call->allocator, n + 1, sizeof *call->plan->rows);
  call->places =
      rebali_arena_allocate_zero(&call->arena, (size_t)rebali_snapshot_rows(call->snapshot) + 1, sizeof *call->places);
  return call->plan->rows == NULL || call->places == NULL ||
                 rebali_reserve(&plan->allocator, &plan->cells, &call->cells_capacity, 1, sizeof *plan->cells) !=
                     REBAL_OK ||
                 rebali_reserve(&plan->allocator, &plan->moves, &call->moves_capacity, 1, sizeof *plan->moves) !=
                     REBAL_OK
             ? rebali_fail_memory(call->err)
             : REBAL_OK;
}

int32_t rebali_plan_want(struct rebali_plan_call *call) {
  const size_t n = rebali_bindings_size(call->bindings);
  int32_t code = rebali_plan_reserve(call);

  call->schedule.ledger = call->ledger;
  call->schedule.max_work = BATCH;
  while (code == REBAL_OK && call->plan->n_rows < n) {
    call->schedule.first_row = call->plan->n_rows;
    code = rebal_schedule(call->ctx, call->snapshot, call->prepared, &call->schedule, call->result, call->err);
    for (size_t i = 0; code == REBAL_OK && i < rebal_result_count(call->result, REBAL_TABLE_DECISION); i++) {
      code = take(call, i);
    }
  }
  return code;
}
