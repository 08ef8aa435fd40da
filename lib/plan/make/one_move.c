/* SPDX-License-Identifier: MIT */
/* Checks limits and budgets for one move that is made by hand (rebalance-plan(7) 7). */
#include "plan/make/limits.h"

/* Lists all bindings with their present replicas, because budgets count them. */
static int32_t list_rows(struct rebali_plan_call *call) {
  const size_t n = rebali_bindings_size(call->bindings);
  rebal_plan *plan = call->plan;
  int32_t code = rebali_plan_reserve(call);

  while (code == REBAL_OK && plan->n_rows < n) {
    const uint32_t binding = (uint32_t)plan->n_rows;
    struct rebali_plan_row *row = &plan->rows[plan->n_rows++];

    row->limited_by = REBAL_ABSENT;
    code = rebali_plan_name(call, row, binding);
    code = code == REBAL_OK ? rebali_plan_cells(call, row, binding, 0, REBALI_KEEP_PRESENT) : code;
  }
  return code;
}

static int32_t begin(struct rebali_plan_call *call) {
  const size_t words = REBALI_BITSET_WORDS(rebali_snapshot_rows(call->snapshot));
  int32_t code = rebali_plan_new(call->allocator, call->bindings->set.store, &call->plan, call->err);

  call->is_lost = rebali_arena_allocate_zero(&call->arena, words, sizeof *call->is_lost);
  if (code == REBAL_OK && call->is_lost == NULL) {
    code = rebali_fail_memory(call->err);
  }
  code = code == REBAL_OK ? rebali_move_limits_read(call) : code;
  code = code == REBAL_OK ? list_rows(call) : code;
  return code == REBAL_OK ? rebali_limits_begin(call) : code;
}

static int64_t granted_of(const struct rebali_plan_call *call, const struct rebali_plan_move *move, size_t endless,
                          size_t *least) {
  const int64_t left = rebali_limits_left(call->limits, move->source, move->target, endless, least);

  return left < move->replicas ? left : move->replicas;
}

static int32_t judge(struct rebali_plan_call *call, struct rebali_one_move *one) {
  const size_t n = call->limits->n;
  struct rebali_plan_row *row = &call->plan->rows[one->binding];
  int64_t *shadows = rebali_arena_allocate(&call->arena, n, sizeof *shadows);
  size_t least;

  if (shadows == NULL) {
    return rebali_fail_memory(call->err);
  }
  rebali_limits_match(call, one->binding);
  one->granted = granted_of(call, &one->move, REBALI_LIMIT_NONE, &least);
  one->limited_by = one->granted < one->move.replicas ? (int64_t)least : REBAL_ABSENT;
  for (size_t i = 0; i < n; i++) {
    shadows[i] = granted_of(call, &one->move, i, &least) - one->granted;
  }
  rebali_limits_charge(call->limits, one->move.source, one->move.target, one->move.replicas);
  call->plan->moves[0] = one->move; /* rebali_plan_reserve() left space for one */
  call->plan->n_moves = 1;
  row->n_moves = 1;
  row->withheld = one->move.replicas - one->granted;
  row->limited_by = one->limited_by;
  return rebali_limits_write(call, shadows);
}

int32_t rebali_plan_one_move(struct rebali_plan_call *call, struct rebali_one_move *one, rebal_result *result) {
  int32_t code;

  call->allocator = rebali_ctx_allocator(call->ctx);
  rebali_arena_init(&call->arena, call->allocator, 0);
  code = begin(call);
  code = code == REBAL_OK ? judge(call, one) : code;
  if (code == REBAL_OK && rebali_plan_read_limits(call->plan, result) != REBAL_OK) {
    code = rebali_fail_memory(call->err);
  }
  rebali_limits_end(call->limits);
  rebal_plan_free(call->plan);
  rebali_arena_dispose(&call->arena);
  return code;
}
