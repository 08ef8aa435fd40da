/* SPDX-License-Identifier: MIT */
/* Writes what each limit and each of its subjects used. */
#include "plan/make/limits.h"

/* Returns the subject of a counter; empty: the counter counts everything. */
static struct rebali_text subject_of(struct rebali_plan_call *call, const struct rebali_move_limit *limit,
                                     size_t counter) {
  const size_t place = counter - limit->first;
  const int is_over_all = limit->scope == REBAL_LIMIT_SCOPE_TOTAL ||
                          (limit->budget != NULL && (call->opts.flags & REBAL_PLAN_FLAG_BUDGETS_OVER_CLUSTERS) != 0);

  if (limit->ids != NULL) {
    return rebali_intern_get(limit->subjects, (uint32_t)place);
  }
  if (limit->cluster != REBAL_NONE) {
    return rebali_snapshot_name(call->snapshot, limit->cluster);
  }
  if (is_over_all) {
    return REBALI_TEXT("");
  }
  if (limit->has_subject) {
    return limit->subject;
  }
  return limit->scope == REBAL_LIMIT_SCOPE_BINDING
             ? rebali_plan_key(call->plan->rows[place].namespace_, call->plan->rows[place].name, &call->arena)
             : rebali_snapshot_name(call->snapshot, (uint32_t)place);
}

static int32_t list_use(struct rebali_plan_call *call, size_t index, size_t counter) {
  const struct rebali_move_limits *limits = call->limits;
  rebal_plan *plan = call->plan;
  struct rebali_plan_use use = {
      .limit = index, .used = limits->used[counter], .left = limits->allowed[counter] - limits->used[counter]};
  const struct rebali_text subject = subject_of(call, &limits->items[index], counter);

  if (subject.bytes != NULL) {
    use.subject = rebali_arena_text(&plan->arena, subject);
  }
  if (use.subject.bytes == NULL || rebali_reserve(&plan->allocator, &plan->uses, &call->uses_capacity, plan->n_uses + 1,
                                                  sizeof *plan->uses) != REBAL_OK) {
    return rebali_fail_memory(call->err);
  }
  plan->uses[plan->n_uses++] = use;
  return REBAL_OK;
}

/* Lists the counters that a pair is the first to use. */
static int32_t list_uses_of(struct rebali_plan_call *call, const struct rebali_plan_move *move, uint64_t *is_listed) {
  struct rebali_move_limits *limits = call->limits;
  int32_t code = REBAL_OK;

  for (size_t i = 0; i < limits->n_active && code == REBAL_OK; i++) {
    const struct rebali_active_limit *active = &limits->active[i];
    const size_t counter = rebali_active_counter(limits, active, move->source, move->target);

    if (counter != REBALI_LIMIT_NONE) {
      limits->items[active->limit].used += move->replicas;
      if (!rebali_bit_get(is_listed, counter)) {
        rebali_bit_set(is_listed, counter, 1);
        code = list_use(call, active->limit, counter);
      }
    }
  }
  return code;
}

static int32_t list_uses(struct rebali_plan_call *call) {
  rebal_plan *plan = call->plan;
  uint64_t *is_listed =
      rebali_arena_allocate_zero(&call->arena, REBALI_BITSET_WORDS(call->limits->n_counters), sizeof *is_listed);
  int32_t code = is_listed == NULL ? rebali_fail_memory(call->err) : REBAL_OK;

  for (size_t row = 0; row < plan->n_rows && code == REBAL_OK; row++) {
    if (plan->rows[row].n_moves != 0) {
      rebali_limits_match(call, row);
    }
    for (size_t i = 0; i < plan->rows[row].n_moves && code == REBAL_OK; i++) {
      code = list_uses_of(call, &plan->moves[plan->rows[row].first_move + i], is_listed);
    }
    if (plan->rows[row].limited_by != REBAL_ABSENT) {
      call->limits->items[plan->rows[row].limited_by].withheld += plan->rows[row].withheld;
    }
  }
  return code;
}

int32_t rebali_limits_write(struct rebali_plan_call *call, const int64_t *shadows) {
  struct rebali_move_limits *limits = call->limits;
  rebal_plan *plan = call->plan;
  int32_t code = list_uses(call);

  plan->limits = rebali_allocate_zero(&plan->allocator, limits->n + 1, sizeof *plan->limits);
  if (code == REBAL_OK && plan->limits == NULL) {
    code = rebali_fail_memory(call->err);
  }
  for (size_t i = 0; i < limits->n && code == REBAL_OK; i++) {
    const struct rebali_move_limit *limit = &limits->items[i];
    struct rebali_plan_limit *out = &plan->limits[plan->n_limits++];

    *out = (struct rebali_plan_limit){.scope = limit->scope,
                                      .subject = rebali_arena_text(&plan->arena, limit->subject),
                                      .replicas = limit->replicas,
                                      .used = limit->used,
                                      .withheld = limit->withheld,
                                      .shadow = shadows[i],
                                      .tokens = limit->tokens,
                                      .tokens_at = limit->tokens_at};
    out->tokens -= limit->tokens == REBAL_ABSENT ? 0 : limit->used;
    code = out->subject.bytes == NULL ? rebali_fail_memory(call->err) : REBAL_OK;
  }
  return code;
}
