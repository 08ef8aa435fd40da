/* SPDX-License-Identifier: MIT */
/* The mode LEAST: the placement within bounds around the fresh one that moves least (rebalance-plan(7) 6). */
#include "plan/make/least.h"
#include "plan/movement/movement.h"

#define ROUNDS 8 /* of lowering capacities; then the fresh placement is used */

/* ---- the problem ------------------------------------------------------------------------------------------------- */

static int32_t list_bindings(struct rebali_least *least) {
  struct rebali_plan_call *call = least->call;
  const rebal_plan *plan = call->plan;
  rebal_movement *problem = &least->out->problem;
  int64_t *replicas = rebali_arena_allocate(&call->plan->arena, plan->n_rows, sizeof *replicas);
  int64_t *weights = rebali_arena_allocate(&call->plan->arena, plan->n_rows, sizeof *weights);
  uint64_t *offsets = rebali_arena_allocate_zero(&call->plan->arena, plan->n_rows + 1, sizeof *offsets);
  size_t n = 0;

  least->out->rows = rebali_arena_allocate(&call->plan->arena, plan->n_rows, sizeof *least->out->rows);
  if (replicas == NULL || weights == NULL || offsets == NULL || least->out->rows == NULL) {
    return rebali_fail_memory(call->err);
  }
  for (size_t i = 0; i < plan->n_rows; i++) {
    if (rebali_least_includes(call, i)) {
      const struct rebali_plan_row *row = &plan->rows[i];

      replicas[n] = 0;
      for (size_t c = 0; c < row->n_cells; c++) {
        replicas[n] += plan->cells[row->first_cell + c].wanted;
      }
      weights[n] = call->opts.weights == NULL ? 1 : call->opts.weights[i];
      offsets[n + 1] = offsets[n] + row->n_cells;
      least->out->rows[n++] = (uint32_t)i; /* rows of bindings have 32-bit ids */
    }
  }
  *problem = (rebal_movement){.struct_size = (uint32_t)sizeof *problem,
                              .n_bindings = n,
                              .replicas = replicas,
                              .weights = weights,
                              .offsets = offsets};
  return REBAL_OK;
}

static int32_t allocate(struct rebali_least *least) {
  struct rebali_plan_call *call = least->call;
  struct rebali_arena *kept = &call->plan->arena;
  const rebal_movement *problem = &least->out->problem;
  const size_t n = (size_t)problem->n_bindings;
  const size_t n_pairs = (size_t)problem->offsets[n];
  rebal_movement_answer *answer = &least->out->answer;

  least->classes = rebali_arena_allocate(&call->arena, n, sizeof *least->classes);
  least->requirements = rebali_arena_allocate(&call->arena, n, sizeof *least->requirements);
  least->fresh = rebali_arena_allocate(&call->arena, n_pairs, sizeof *least->fresh);
  least->minimums = rebali_arena_allocate(kept, n_pairs, sizeof *least->minimums);
  least->maximums = rebali_arena_allocate(kept, n_pairs, sizeof *least->maximums);
  least->present = rebali_arena_allocate(kept, n_pairs, sizeof *least->present);
  least->clusters = rebali_arena_allocate(kept, n_pairs, sizeof *least->clusters);
  *answer = (rebal_movement_answer){.struct_size = (uint32_t)sizeof *answer,
                                    .planned = rebali_arena_allocate(kept, n_pairs, sizeof *answer->planned),
                                    .binding_prices = rebali_arena_allocate(kept, n, sizeof *answer->planned)};
  return least->classes == NULL || least->requirements == NULL || least->fresh == NULL || least->minimums == NULL ||
                 least->maximums == NULL || least->present == NULL || least->clusters == NULL ||
                 answer->planned == NULL || answer->binding_prices == NULL
             ? rebali_fail_memory(call->err)
             : REBAL_OK;
}

static int32_t fill(struct rebali_least *least) {
  struct rebali_plan_call *call = least->call;
  rebal_movement *problem = &least->out->problem;
  int32_t code = REBAL_OK;

  for (size_t i = 0; i < problem->n_bindings && code == REBAL_OK; i++) {
    const struct rebali_plan_row *row = &call->plan->rows[least->out->rows[i]];

    for (size_t c = 0; c < row->n_cells; c++) {
      least->clusters[problem->offsets[i] + c] =
          rebali_snapshot_rank(call->snapshot, call->plan->cells[row->first_cell + c].cluster);
    }
    code = rebali_least_bounds(least, i);
  }
  code = code == REBAL_OK ? rebali_least_share(least) : code;
  if (code != REBAL_OK) {
    return code;
  }
  problem->clusters = least->clusters;
  problem->present = least->present;
  problem->minimums = least->minimums;
  problem->maximums = least->maximums;
  problem->capacities = least->capacities;
  problem->n_clusters = least->n_shares;
  least->out->n_classes = least->n_classes;
  least->out->answer.cluster_prices =
      rebali_arena_allocate(&call->plan->arena, least->n_shares, sizeof *least->out->answer.cluster_prices);
  return least->out->answer.cluster_prices == NULL ? rebali_fail_memory(call->err) : REBAL_OK;
}

/* ---- the answer -------------------------------------------------------------------------------------------------- */

static void count_shares(struct rebali_least *least) {
  const rebal_movement *problem = &least->out->problem;

  for (size_t i = 0; i < least->n_shares; i++) {
    least->shares[i].planned = 0;
  }
  for (size_t pair = 0; pair < problem->offsets[problem->n_bindings]; pair++) {
    least->shares[least->clusters[pair]].planned += least->out->answer.planned[pair];
  }
}

/*
 * Solves with decreasing capacities until the classes fit together; *fits is 0 if they never do. The prices stay those
 * of the full capacity, which prove the bound.
 */
static int32_t fit_together(struct rebali_least *least, int *fits) {
  struct rebali_plan_call *call = least->call;
  rebal_movement problem = least->out->problem;
  rebal_movement_answer answer = least->out->answer;
  int64_t *capacities = rebali_arena_allocate(&call->arena, least->n_shares, sizeof *capacities);
  int32_t code = REBAL_OK;

  if (capacities == NULL) {
    return rebali_fail_memory(call->err);
  }
  memcpy(capacities, least->capacities, least->n_shares * sizeof *capacities);
  problem.capacities = capacities;
  answer.binding_prices = answer.cluster_prices = NULL;
  *fits = 0;
  for (int round = 0; code == REBAL_OK && round < ROUNDS && !*fits; round++) {
    int is_lowered;

    count_shares(least);
    code = rebali_least_lower(least, capacities, &is_lowered);
    *fits = code == REBAL_OK && !is_lowered;
    if (code == REBAL_OK && is_lowered) {
      code = rebal_least_movement(call->ctx, &problem, &answer, call->err);
    }
  }
  rebali_movement_sum(&least->out->problem, &least->out->answer);
  return code;
}

static int is_within_bounds(const struct rebali_least *least) {
  for (size_t pair = 0; pair < least->out->problem.offsets[least->out->problem.n_bindings]; pair++) {
    if (least->fresh[pair] < least->minimums[pair] || least->fresh[pair] > least->maximums[pair]) {
      return 0;
    }
  }
  return 1;
}

static int32_t solve(struct rebali_least *least) {
  struct rebali_plan_call *call = least->call;
  struct rebali_plan_least *out = least->out;
  int32_t code = rebal_least_movement(call->ctx, &out->problem, &out->answer, call->err);
  const int64_t most = out->answer.placed;
  int fits = 1;

  if (code == REBAL_OK && least->capacities != NULL && least->n_classes > 1) {
    code = fit_together(least, &fits);
    if (code == REBAL_OK && (!fits || out->answer.placed < most) && is_within_bounds(least)) {
      memcpy(out->answer.planned, least->fresh,
             (size_t)out->problem.offsets[out->problem.n_bindings] * sizeof *out->answer.planned);
      rebali_movement_sum(&out->problem, &out->answer);
    }
  }
  return code == REBAL_OK ? rebal_plan_verify(call->ctx, &out->problem, &out->answer, &out->gap, call->err) : code;
}

static int32_t note_missing(struct rebali_plan_call *call, struct rebali_plan_row *row, int64_t missing) {
  struct rebali_buffer message;

  rebali_buffer_init(&message, call->allocator);
  rebali_buffer_format(&message, "%lld replicas do not fit within the bounds", (long long)missing);
  row->outcome = REBAL_OUTCOME_PARTIAL;
  row->message = message.failed ? rebali_text(NULL, 0)
                                : rebali_arena_text(&call->plan->arena, rebali_text(message.bytes, message.len));
  rebali_buffer_dispose(&message);
  return row->message.bytes == NULL ? rebali_fail_memory(call->err) : REBAL_OK;
}

/* Makes the answer the wanted placement. */
static int32_t write_back(struct rebali_least *least) {
  const rebal_movement *problem = &least->out->problem;
  rebal_plan *plan = least->call->plan;
  int32_t code = REBAL_OK;

  for (size_t i = 0; i < problem->n_bindings && code == REBAL_OK; i++) {
    struct rebali_plan_row *row = &plan->rows[least->out->rows[i]];
    struct rebali_moved moved = {0, 0, 0};

    for (size_t c = 0; c < row->n_cells; c++) {
      struct rebali_plan_cell *cell = &plan->cells[row->first_cell + c];

      cell->wanted = (int32_t)least->out->answer.planned[problem->offsets[i] + c];
      cell->is_in &= ~(uint32_t)REBALI_IN_WANTED;
      cell->is_in |= cell->wanted > 0 ? REBALI_IN_WANTED : 0;
      rebali_moved_add(&moved, cell->present, cell->wanted);
    }
    row->drift = rebali_moved_end(&moved);
    if (moved.after < problem->replicas[i]) {
      code = note_missing(least->call, row, problem->replicas[i] - moved.after);
    }
  }
  return code;
}

int32_t rebali_plan_least(struct rebali_plan_call *call) {
  struct rebali_least least = {.call = call};
  int32_t code;

  least.out = rebali_arena_allocate_zero(&call->plan->arena, 1, sizeof *least.out);
  if (least.out == NULL) {
    return rebali_fail_memory(call->err);
  }
  code = list_bindings(&least);
  code = code == REBAL_OK ? allocate(&least) : code;
  code = code == REBAL_OK ? fill(&least) : code;
  code = code == REBAL_OK ? solve(&least) : code;
  if (code != REBAL_OK) {
    return code;
  }
  call->plan->least = least.out;
  return write_back(&least);
}
