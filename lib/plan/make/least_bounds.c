/* SPDX-License-Identifier: MIT */
/* Which bindings may be placed other than freshly, and within which bounds. */
#include "plan/make/least.h"

static const struct rebali_plan_row *row_of(const struct rebali_least *least, size_t binding) {
  return &least->call->plan->rows[least->out->rows[binding]];
}

/*
 * Only divided replicas can take part: a set of components stays together, and a duplicated workload has all replicas
 * in each cluster.
 */
int rebali_least_includes(const struct rebali_plan_call *call, size_t row) {
  const struct rebali_plan_row *planned = &call->plan->rows[row];
  size_t n_components;

  (void)rebali_bindings_children(call->bindings, REBAL_TABLE_COMPONENT, (uint32_t)row, &n_components);
  return n_components == 0 && planned->replicas > 0 &&
         rebali_plan_is_divided(call->snapshot, call->bindings, (uint32_t)row) &&
         (planned->outcome == REBAL_OUTCOME_PARTIAL || planned->outcome == REBAL_OUTCOME_SCHEDULED);
}

/* Returns the caller's bound of a cell; negative or REBAL_ABSENT: no bound. */
static int64_t given(const struct rebali_plan_call *call, const int64_t *column, uint32_t row, uint32_t cluster) {
  return column == NULL || cluster >= call->opts.bound_clusters
             ? -1
             : column[(size_t)row * (size_t)call->opts.bound_stride + cluster];
}

/*
 * Tests whether a spread constraint counts the groups in which the binding has replicas. If so, each group keeps at
 * least one.
 */
static int32_t is_spread(const struct rebali_least *least, uint32_t row, int *out) {
  const struct rebali_plan_call *call = least->call;
  const int64_t handle = rebali_bindings_i64(call->bindings, REBAL_BINDING_PLACEMENT, row);
  const struct rebali_placement *placement; /* not NULL: it divides replicas */
  int32_t code;

  rebali_ctx_resume(call->ctx);
  code = rebali_placement_get(call->ctx, call->snapshot, (uint32_t)handle, &placement, call->err);
  *out = code == REBAL_OK && rebali_placement_selects(placement);
  rebali_ctx_end(call->ctx);
  return code;
}

/* Sets the bounds of one cell: the tolerance around the fresh number, cut by the caller's bounds. */
static void bound(const struct rebali_plan_call *call, const struct rebali_plan_cell *cell, uint32_t row, int keeps_one,
                  int64_t *minimum, int64_t *maximum) {
  const int64_t fresh = cell->wanted;
  const int64_t tolerance = call->opts.tolerance;
  const int64_t least_given = given(call, call->opts.minimums, row, cell->cluster);
  const int64_t most_given = given(call, call->opts.maximums, row, cell->cluster);

  *minimum = fresh * (1000 - tolerance) / 1000; /* 31 bits times 10 */
  *maximum = (fresh * (1000 + tolerance) + 999) / 1000;
  if (keeps_one && fresh > 0 && *minimum == 0) {
    *minimum = 1;
  }
  if (call->schedule.n_estimators != 0 && *maximum > fresh) {
    /* What the caller's estimators allow is known for the fresh placement alone. */
    *maximum = cell->present > fresh && cell->present < *maximum ? cell->present : fresh;
  }
  *minimum = least_given > *minimum ? least_given : *minimum;
  *maximum = most_given >= 0 && most_given < *maximum ? most_given : *maximum;
}

static int32_t fail_bounds(const struct rebali_least *least, size_t binding, const char *what) {
  const struct rebali_plan_row *row = row_of(least, binding);

  return rebali_fail(least->call->err, REBAL_ERANGE, (int64_t)least->out->rows[binding], "binding %.*s%s%.*s: %s",
                     (int)row->namespace_.len, row->namespace_.bytes, row->namespace_.len == 0 ? "" : "/",
                     (int)row->name.len, row->name.bytes, what);
}

int32_t rebali_least_bounds(struct rebali_least *least, size_t binding) {
  const struct rebali_plan_call *call = least->call;
  const uint32_t index = least->out->rows[binding];
  const struct rebali_plan_row *row = row_of(least, binding);
  const size_t first = (size_t)least->out->problem.offsets[binding];
  int64_t rest = least->out->problem.replicas[binding];
  int keeps_one;
  int32_t code = is_spread(least, index, &keeps_one);

  if (code != REBAL_OK) {
    return code;
  }
  if (call->opts.weights != NULL && call->opts.weights[index] <= 0) {
    return fail_bounds(least, binding, "the weight of a moved replica is not above 0");
  }
  for (size_t i = 0; i < row->n_cells; i++) {
    const struct rebali_plan_cell *cell = &call->plan->cells[row->first_cell + i];
    const size_t pair = first + i;

    bound(call, cell, index, keeps_one, &least->minimums[pair], &least->maximums[pair]);
    least->present[pair] = cell->present;
    least->fresh[pair] = cell->wanted;
    if (least->minimums[pair] > least->maximums[pair]) {
      return fail_bounds(least, binding, "a minimum is above the maximum");
    }
    rest -= least->minimums[pair]; /* fewer than 2^32 times at most twice 2^31 */
  }
  return rest < 0 ? fail_bounds(least, binding, "the minimums are more than its replicas") : REBAL_OK;
}
