/* SPDX-License-Identifier: MIT */
/* What a partial placement would break: spread constraints, and complete copies (rebalance-plan(7) 4). */
#include "plan/make/make.h"

/* Counts the groups of a field that have replicas in y or in w. */
static int32_t count_groups(const struct rebali_plan_call *call, const struct rebali_plan_row *row, uint32_t field,
                            int is_wanted, int64_t *groups) {
  struct rebali_arena *scratch = rebali_ctx_scratch(call->ctx);
  uint32_t *clusters = rebali_arena_allocate(scratch, row->n_cells, sizeof *clusters);
  size_t n = 0;

  for (size_t i = 0; clusters != NULL && i < row->n_cells; i++) {
    const struct rebali_plan_cell *cell = &call->plan->cells[row->first_cell + i];

    if ((is_wanted ? cell->wanted : cell->planned) > 0) {
      clusters[n++] = cell->cluster;
    }
  }
  return clusters != NULL && rebali_plan_groups(scratch, call->snapshot, field, clusters, n, groups) == REBAL_OK
             ? REBAL_OK
             : rebali_fail_memory(call->err);
}

static int is_kept(const struct rebali_spread *spread, int64_t groups) {
  return groups >= spread->min_groups && (spread->max_groups <= 0 || groups <= spread->max_groups);
}

static int32_t compare_constraints(const struct rebali_plan_call *call, const struct rebali_placement *placement,
                                   const struct rebali_plan_row *row, int *is_broken) {
  int32_t code = REBAL_OK;

  for (size_t i = 0; i < placement->n_spreads && code == REBAL_OK && !*is_broken; i++) {
    const struct rebali_spread *spread = &placement->spreads[i];
    int64_t planned, wanted;

    if (spread->field == 0) {
      continue;
    }
    code = count_groups(call, row, spread->field, 0, &planned);
    code = code == REBAL_OK ? count_groups(call, row, spread->field, 1, &wanted) : code;
    *is_broken = code == REBAL_OK && !is_kept(spread, planned) && is_kept(spread, wanted);
  }
  return code;
}

/* Tests whether a cluster would hold part of a copy. The scheduler always restores the missing part. */
static int cuts_copies(const struct rebali_plan_call *call, const struct rebali_plan_row *row) {
  for (size_t i = 0; i < row->n_cells; i++) {
    const struct rebali_plan_cell *cell = &call->plan->cells[row->first_cell + i];

    if (cell->planned != 0 && cell->planned != cell->present && cell->planned != cell->wanted) {
      return 1;
    }
  }
  return 0;
}

int32_t rebali_plan_breaks(const struct rebali_plan_call *call, size_t row, int *is_broken) {
  const int64_t handle = rebali_bindings_i64(call->bindings, REBAL_BINDING_PLACEMENT, (uint32_t)row);
  const struct rebali_placement *placement; /* not NULL: without a placement nothing would move */
  int32_t code;

  *is_broken = 0;
  rebali_ctx_resume(call->ctx);
  code = rebali_placement_get(call->ctx, call->snapshot, (uint32_t)handle, &placement, call->err);
  if (code == REBAL_OK && placement->strategy == REBALI_STRATEGY_DUPLICATED) {
    *is_broken = cuts_copies(call, &call->plan->rows[row]);
  }
  if (code == REBAL_OK && rebali_placement_selects(placement)) {
    code = compare_constraints(call, placement, &call->plan->rows[row], is_broken);
  }
  rebali_ctx_end(call->ctx);
  return code;
}
