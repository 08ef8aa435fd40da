/* SPDX-License-Identifier: MIT */
/*
 * PodDisruptionBudgets as limits on evictions from a cluster (rebalance-plan(7) 4). They never hold back a scale-down
 * or replicas that are already lost. A workload whose pod labels are not known may be in any budget of its namespace.
 */
#include "plan/make/limits.h"

int32_t rebali_plan_budgets_read(struct rebali_plan_call *call) {
  struct rebali_move_limits *limits = call->limits;
  int32_t code;

  limits->budgets.is_over_clusters = (call->opts.flags & REBAL_PLAN_FLAG_BUDGETS_OVER_CLUSTERS) != 0;
  code = rebali_budgets_read(&limits->budgets, &call->arena, call->snapshot, call->opts.budgets, call->opts.n_budgets,
                             call->err);
  for (size_t i = 0; i < limits->budgets.n && code == REBAL_OK; i++) {
    const struct rebali_budget *budget = &limits->budgets.items[i];
    const struct rebali_text subject = rebali_plan_key(budget->namespace_, budget->name, &call->arena);

    if (subject.bytes == NULL) {
      return rebali_fail_memory(call->err);
    }
    limits->items[limits->n_given + i] = (struct rebali_move_limit){.scope = REBAL_LIMIT_SCOPE_BUDGET,
                                                                    .subject = subject,
                                                                    .cluster = budget->cluster,
                                                                    .tokens = REBAL_ABSENT,
                                                                    .budget = budget};
  }
  return code;
}

static void tally_row(const struct rebali_plan_call *call, size_t row, struct rebali_budget_tally **tallies) {
  struct rebali_budget_list *budgets = &call->limits->budgets;
  const struct rebali_plan_cell *cells = call->plan->cells + call->plan->rows[row].first_cell;

  rebali_budgets_select(budgets, call->snapshot, call->bindings, (uint32_t)row);
  for (size_t i = 0; budgets->is_known && i < budgets->index.n_found; i++) {
    const struct rebali_budget *budget = &budgets->items[budgets->index.found[i]];

    for (size_t c = 0; c < call->plan->rows[row].n_cells; c++) {
      const size_t counter =
          rebali_budget_counter(budgets, budget, cells[c].cluster, rebali_bit_get(call->is_lost, cells[c].cluster));

      if (counter != REBALI_BUDGET_NONE) {
        tallies[budgets->index.found[i]][counter].expected += cells[c].present;
        tallies[budgets->index.found[i]][counter].healthy += cells[c].ready;
      }
    }
  }
}

/* Sets replicas to the smallest number over the clusters in which the budget selects something. */
static void allow(struct rebali_move_limits *limits, struct rebali_move_limit *limit,
                  const struct rebali_budget_tally *tallies) {
  int64_t least = INT64_MAX;

  for (size_t c = 0; c < limit->n_counters; c++) {
    const int64_t allowed = rebali_budget_allows(limit->budget, &tallies[c]);

    limits->allowed[limit->first + c] = allowed;
    least = (limit->n_counters == 1 || tallies[c].expected > 0) && allowed < least ? allowed : least;
  }
  limit->replicas = least == INT64_MAX ? 0 : least;
}

int32_t rebali_plan_budgets_allow(struct rebali_plan_call *call) {
  struct rebali_move_limits *limits = call->limits;
  const size_t n = limits->budgets.n;
  struct rebali_budget_tally **tallies = rebali_arena_allocate(&call->arena, n, sizeof *tallies);

  for (size_t i = 0; i < n && tallies != NULL; i++) {
    tallies[i] = rebali_arena_allocate_zero(&call->arena, limits->budgets.items[i].n_counters, sizeof **tallies);
    if (tallies[i] == NULL) {
      tallies = NULL;
    }
  }
  if (tallies == NULL) {
    return rebali_fail_memory(call->err);
  }
  for (size_t row = 0; n > 0 && row < call->plan->n_rows; row++) {
    tally_row(call, row, tallies);
  }
  for (size_t i = 0; i < n; i++) {
    allow(limits, &limits->items[limits->n_given + i], tallies[i]);
  }
  return REBAL_OK;
}
