/* SPDX-License-Identifier: MIT */
/* Grants moves within the limits (rebalance-plan(7) 4): pairs of clusters by name, bindings in order, greedily. */
#include "plan/make/grant.h"

/*
 * The clusters of a binding with more replicas than wanted, or with fewer: the current one, and how many are left of
 * its difference.
 */
struct side {
  int32_t (*amount)(const struct rebali_plan_cell *cell);
  size_t at;
  int32_t left;
};

static int32_t surplus(const struct rebali_plan_cell *cell) {
  return cell->present > cell->wanted ? cell->present - cell->wanted : 0;
}
static int32_t lack(const struct rebali_plan_cell *cell) {
  return cell->wanted > cell->present ? cell->wanted - cell->present : 0;
}

/* Takes replicas from left and continues with the next cluster once left is 0. After the last cluster left stays 0. */
static void take(const struct rebali_grant *grant, struct side *side, int32_t replicas) {
  side->left -= replicas;
  while (side->left == 0 && side->at + 1 < grant->row->n_cells) {
    side->left = side->amount(&grant->cells[++side->at]);
  }
}

static struct side side_of(const struct rebali_grant *grant, int32_t (*amount)(const struct rebali_plan_cell *cell)) {
  struct side side = {amount, 0, 0};

  if (grant->row->n_cells != 0) {
    side.left = amount(grant->cells);
    take(grant, &side, 0);
  }
  return side;
}

static int32_t list_move(struct rebali_grant *grant, uint32_t source, uint32_t target, int32_t replicas) {
  struct rebali_plan_call *call = grant->call;
  rebal_plan *plan = call->plan;

  if (rebali_reserve(&plan->allocator, &plan->moves, &call->moves_capacity, plan->n_moves + 1, sizeof *plan->moves) !=
      REBAL_OK) {
    return rebali_fail_memory(call->err);
  }
  plan->moves[plan->n_moves++] = (struct rebali_plan_move){source, target, replicas};
  return REBAL_OK;
}

static int32_t grant_pair(struct rebali_grant *grant, struct rebali_plan_cell *source, struct rebali_plan_cell *target,
                          int32_t wanted) {
  struct rebali_move_limits *limits = grant->call->limits;
  size_t least;
  const int64_t left = rebali_limits_left(limits, source->cluster, target->cluster, grant->endless, &least);
  const int32_t granted = left < wanted ? (int32_t)left : wanted;

  if (granted < wanted) {
    grant->first_cut = grant->first_cut == REBALI_LIMIT_NONE ? least : grant->first_cut;
    if (grant->is_final) {
      rebali_limits_note(limits, source->cluster, target->cluster, left);
    }
  }
  if (granted == 0) {
    return REBAL_OK;
  }
  rebali_limits_charge(limits, source->cluster, target->cluster, granted);
  source->planned -= granted;
  target->planned += granted;
  grant->granted += granted;
  return list_move(grant, source->cluster, target->cluster, granted);
}

/* Grants all pairs. What remains on the longer side is a scale-up or scale-down, which no limit holds back. */
static int32_t grant_pairs(struct rebali_grant *grant) {
  struct side sources = side_of(grant, surplus);
  struct side targets = side_of(grant, lack);
  int32_t code = REBAL_OK;

  while (code == REBAL_OK && sources.left != 0 && targets.left != 0) {
    const int32_t pair = sources.left < targets.left ? sources.left : targets.left;

    code = grant_pair(grant, &grant->cells[sources.at], &grant->cells[targets.at], pair);
    take(grant, &sources, pair);
    take(grant, &targets, pair);
  }
  for (; sources.left != 0; take(grant, &sources, sources.left)) {
    grant->cells[sources.at].planned -= sources.left;
  }
  for (; targets.left != 0; take(grant, &targets, targets.left)) {
    grant->cells[targets.at].planned += targets.left;
  }
  return code;
}

/* Revokes all moves of the binding. */
static void undo(struct rebali_grant *grant) {
  rebal_plan *plan = grant->call->plan;

  while (plan->n_moves > grant->row->first_move) {
    const struct rebali_plan_move *move = &plan->moves[--plan->n_moves];

    rebali_limits_charge(grant->call->limits, move->source, move->target, -(int64_t)move->replicas);
    for (size_t i = 0; i < grant->row->n_cells; i++) {
      struct rebali_plan_cell *cell = &grant->cells[i];

      cell->planned += cell->cluster == move->source ? move->replicas : 0;
      cell->planned -= cell->cluster == move->target ? move->replicas : 0;
    }
  }
  grant->granted = 0;
}

/* Clusters without replicas are in y if they are in x and w, or if w gives them none (rebalance-karmada(7) 7.1). */
static int is_named_empty(const struct rebali_plan_cell *cell) {
  return (cell->is_in & REBALI_IN_WANTED) != 0 && (cell->wanted == 0 || (cell->is_in & REBALI_IN_PRESENT) != 0);
}

static void settle(const struct rebali_grant *grant) {
  struct rebali_plan_row *row = grant->row;
  struct rebali_moved left = {0, 0, 0};
  int64_t before = 0;
  int64_t after = 0;

  for (size_t i = 0; i < row->n_cells; i++) {
    struct rebali_plan_cell *cell = &grant->cells[i];

    if (cell->planned > 0 || is_named_empty(cell)) {
      cell->is_in |= REBALI_IN_PLANNED;
    }
    before += cell->present;
    after += cell->planned;
    rebali_moved_add(&left, cell->planned, cell->wanted);
  }
  row->granted = grant->granted;
  row->withheld = row->drift - grant->granted;
  row->added = after > before ? after - before : 0;
  row->removed = before > after ? before - after : 0;
  row->drift_left = rebali_moved_end(&left);
  row->n_moves = grant->call->plan->n_moves - row->first_move;
  row->limited_by = grant->first_cut == REBALI_LIMIT_NONE ? REBAL_ABSENT : (int64_t)grant->first_cut;
}

int32_t rebali_grant_row(struct rebali_grant *grant, size_t index) {
  rebal_plan *plan = grant->call->plan;
  struct rebali_plan_row *row = &plan->rows[index];
  int is_broken = 0;
  int32_t code;

  grant->row = row;
  grant->cells = plan->cells + row->first_cell;
  grant->granted = 0;
  grant->first_cut = REBALI_LIMIT_NONE;
  row->first_move = plan->n_moves;
  for (size_t i = 0; i < row->n_cells; i++) {
    grant->cells[i].planned = grant->cells[i].present;
  }
  if (row->drift != 0) {
    rebali_limits_match(grant->call, index);
  }
  code = grant_pairs(grant);
  if (code == REBAL_OK && grant->first_cut != REBALI_LIMIT_NONE) {
    code = rebali_plan_breaks(grant->call, index, &is_broken);
  }
  if (code == REBAL_OK && is_broken) {
    undo(grant);
  }
  row->is_whole = is_broken;
  if (grant->is_final) {
    settle(grant);
  } else {
    plan->n_moves = row->first_move;
  }
  return code;
}

static int32_t grant_all(struct rebali_plan_call *call) {
  struct rebali_grant grant = {.call = call, .endless = REBALI_LIMIT_NONE, .is_final = 1};
  int32_t code = REBAL_OK;

  rebali_limits_reset(call->limits);
  call->plan->n_moves = 0;
  for (size_t row = 0; row < call->plan->n_rows && code == REBAL_OK; row++) {
    code = rebali_grant_row(&grant, row);
  }
  return code;
}

static int any_cut(const struct rebali_move_limits *limits) {
  size_t i = 0;

  while (i < limits->n && !limits->items[i].cuts) {
    i++;
  }
  return i < limits->n;
}

/* Lifting a limit changes something only if it was the smallest, or tied, for a pair that was cut. */
int32_t rebali_plan_grant(struct rebali_plan_call *call) {
  int64_t *shadows = rebali_arena_allocate_zero(&call->arena, call->limits->n, sizeof *shadows);
  int32_t code = shadows == NULL ? rebali_fail_memory(call->err) : grant_all(call);

  if (code == REBAL_OK && any_cut(call->limits)) {
    code = rebali_plan_shadows(call, shadows);
    code = code == REBAL_OK ? grant_all(call) : code;
  }
  return code == REBAL_OK ? rebali_limits_write(call, shadows) : code;
}
