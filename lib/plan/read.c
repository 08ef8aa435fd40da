/* SPDX-License-Identifier: MIT */
/* Reads a plan as tables. */
#include "plan/plan.h"

static int32_t set_text(rebal_result *result, uint32_t table, uint32_t column, size_t row, struct rebali_text text) {
  return rebali_table_set_text(rebali_result_table(result, table), column, row, text);
}

static int32_t write_row(const struct rebali_plan_row *planned, rebal_result *result) {
  const struct rebali_table_value cells[] = {{REBAL_PLANNED_REPLICAS, planned->replicas},
                                             {REBAL_PLANNED_OUTCOME, planned->outcome},
                                             {REBAL_PLANNED_DRIFT, planned->drift},
                                             {REBAL_PLANNED_GRANTED, planned->granted},
                                             {REBAL_PLANNED_WITHHELD, planned->withheld},
                                             {REBAL_PLANNED_LIMITED_BY, planned->limited_by},
                                             {REBAL_PLANNED_WHOLE, planned->is_whole},
                                             {REBAL_PLANNED_ADDED, planned->added},
                                             {REBAL_PLANNED_REMOVED, planned->removed},
                                             {REBAL_PLANNED_DRIFT_LEFT, planned->drift_left},
                                             {REBAL_PLANNED_MAX_SURGE, planned->max_surge},
                                             {REBAL_PLANNED_MAX_UNAVAILABLE, planned->max_unavailable},
                                             {REBAL_PLANNED_FIRST_CLUSTER, (int64_t)planned->first_cell},
                                             {REBAL_PLANNED_CLUSTERS, (int64_t)planned->n_cells},
                                             {REBAL_PLANNED_FIRST_MOVE, (int64_t)planned->first_move},
                                             {REBAL_PLANNED_MOVES, (int64_t)planned->n_moves}};
  size_t row;
  int32_t code =
      rebali_table_add_row(rebali_result_table(result, REBAL_TABLE_PLANNED), cells, REBALI_COUNT(cells), &row);

  if (code == REBAL_OK) {
    code = set_text(result, REBAL_TABLE_PLANNED, REBAL_PLANNED_NAMESPACE, row, planned->namespace_);
  }
  if (code == REBAL_OK) {
    code = set_text(result, REBAL_TABLE_PLANNED, REBAL_PLANNED_NAME, row, planned->name);
  }
  return code == REBAL_OK ? set_text(result, REBAL_TABLE_PLANNED, REBAL_PLANNED_MESSAGE, row, planned->message) : code;
}

static int64_t replicas_in(const struct rebali_plan_cell *cell, uint32_t placement, int32_t replicas) {
  return (cell->is_in & placement) != 0 ? replicas : REBAL_ABSENT;
}

static int32_t write_cell(const struct rebali_plan_cell *cell, size_t binding, rebal_result *result) {
  const struct rebali_table_value cells[] = {
      {REBAL_PLANNED_CLUSTER_BINDING, (int64_t)binding},
      {REBAL_PLANNED_CLUSTER_CLUSTER, cell->cluster},
      {REBAL_PLANNED_CLUSTER_PRESENT, replicas_in(cell, REBALI_IN_PRESENT, cell->present)},
      {REBAL_PLANNED_CLUSTER_WANTED, replicas_in(cell, REBALI_IN_WANTED, cell->wanted)},
      {REBAL_PLANNED_CLUSTER_PLANNED, replicas_in(cell, REBALI_IN_PLANNED, cell->planned)},
      {REBAL_PLANNED_CLUSTER_READY, cell->ready}};
  size_t row;

  return rebali_table_add_row(rebali_result_table(result, REBAL_TABLE_PLANNED_CLUSTER), cells, REBALI_COUNT(cells),
                              &row);
}

static int32_t write_move(const struct rebali_plan_move *move, size_t binding, rebal_result *result) {
  const struct rebali_table_value cells[] = {{REBAL_MOVE_BINDING, (int64_t)binding},
                                             {REBAL_MOVE_SOURCE, move->source},
                                             {REBAL_MOVE_TARGET, move->target},
                                             {REBAL_MOVE_REPLICAS, move->replicas}};
  size_t row;

  return rebali_table_add_row(rebali_result_table(result, REBAL_TABLE_MOVE), cells, REBALI_COUNT(cells), &row);
}

static int32_t write_binding(const rebal_plan *plan, size_t binding, rebal_result *result) {
  const struct rebali_plan_row *planned = &plan->rows[binding];
  int32_t code = write_row(planned, result);

  for (size_t i = 0; i < planned->n_cells && code == REBAL_OK; i++) {
    code = write_cell(&plan->cells[planned->first_cell + i], binding, result);
  }
  for (size_t i = 0; i < planned->n_moves && code == REBAL_OK; i++) {
    code = write_move(&plan->moves[planned->first_move + i], binding, result);
  }
  return code;
}

static int32_t write_limit(const struct rebali_plan_limit *limit, rebal_result *result) {
  const struct rebali_table_value cells[] = {
      {REBAL_LIMITED_SCOPE, limit->scope},   {REBAL_LIMITED_REPLICAS, limit->replicas},
      {REBAL_LIMITED_USED, limit->used},     {REBAL_LIMITED_WITHHELD, limit->withheld},
      {REBAL_LIMITED_SHADOW, limit->shadow}, {REBAL_LIMITED_TOKENS, limit->tokens}};
  size_t row;
  int32_t code =
      rebali_table_add_row(rebali_result_table(result, REBAL_TABLE_LIMITED), cells, REBALI_COUNT(cells), &row);

  if (code == REBAL_OK) {
    code = set_text(result, REBAL_TABLE_LIMITED, REBAL_LIMITED_SUBJECT, row, limit->subject);
  }
  return code == REBAL_OK ? rebali_table_set_time(rebali_result_table(result, REBAL_TABLE_LIMITED),
                                                  REBAL_LIMITED_TOKENS_AT, row, &limit->tokens_at)
                          : code;
}

static int32_t write_use(const struct rebali_plan_use *use, rebal_result *result) {
  const struct rebali_table_value cells[] = {{REBAL_LIMIT_USE_LIMIT, (int64_t)use->limit},
                                             {REBAL_LIMIT_USE_USED, use->used},
                                             {REBAL_LIMIT_USE_LEFT, use->left}};
  size_t row;
  const int32_t code =
      rebali_table_add_row(rebali_result_table(result, REBAL_TABLE_LIMIT_USE), cells, REBALI_COUNT(cells), &row);

  return code == REBAL_OK ? set_text(result, REBAL_TABLE_LIMIT_USE, REBAL_LIMIT_USE_SUBJECT, row, use->subject) : code;
}

static int32_t write_sum(const struct rebali_plan_sum *sum, rebal_result *result) {
  const struct rebali_table_value cells[] = {{REBAL_CLUSTER_USE_CLUSTER, sum->cluster},
                                             {REBAL_CLUSTER_USE_BEFORE, sum->before},
                                             {REBAL_CLUSTER_USE_AFTER, sum->after},
                                             {REBAL_CLUSTER_USE_MOVED_OUT, sum->moved_out},
                                             {REBAL_CLUSTER_USE_MOVED_IN, sum->moved_in}};
  size_t row;

  return rebali_table_add_row(rebali_result_table(result, REBAL_TABLE_CLUSTER_USE), cells, REBALI_COUNT(cells), &row);
}

static int32_t write_proof(const struct rebali_plan_least *least, rebal_result *result) {
  const struct rebali_table_value cells[] = {{REBAL_PROOF_BINDINGS, (int64_t)least->problem.n_bindings},
                                             {REBAL_PROOF_CLASSES, least->n_classes},
                                             {REBAL_PROOF_PLACED, least->answer.placed},
                                             {REBAL_PROOF_KEPT, least->answer.kept},
                                             {REBAL_PROOF_MOVED, least->answer.moved},
                                             {REBAL_PROOF_GAP, least->gap},
                                             {REBAL_PROOF_EXACT, least->gap == 0}};
  size_t row;

  return rebali_table_add_row(rebali_result_table(result, REBAL_TABLE_PROOF), cells, REBALI_COUNT(cells), &row);
}

int32_t rebali_plan_read_limits(const rebal_plan *plan, rebal_result *result) {
  int32_t code = REBAL_OK;

  for (size_t i = 0; i < plan->n_limits && code == REBAL_OK; i++) {
    code = write_limit(&plan->limits[i], result);
  }
  for (size_t i = 0; i < plan->n_uses && code == REBAL_OK; i++) {
    code = write_use(&plan->uses[i], result);
  }
  return code;
}

int32_t rebal_plan_read(const rebal_plan *plan, rebal_result *result, rebal_error *err) {
  int32_t code = rebali_result_begin(result, err);

  if (code == REBAL_OK && plan == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "plan is NULL");
  }
  if (code != REBAL_OK) {
    return code;
  }
  for (size_t i = 0; i < plan->n_rows && code == REBAL_OK; i++) {
    code = write_binding(plan, i, result);
  }
  code = code == REBAL_OK ? rebali_plan_read_limits(plan, result) : code;
  for (size_t i = 0; i < plan->n_sums && code == REBAL_OK; i++) {
    code = write_sum(&plan->sums[i], result);
  }
  if (code == REBAL_OK && plan->least != NULL) {
    code = write_proof(plan->least, result);
  }
  if (code != REBAL_OK) {
    rebal_result_reset(result);
    return rebali_fail_memory(err);
  }
  return REBAL_OK;
}
