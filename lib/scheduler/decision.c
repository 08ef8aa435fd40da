/* SPDX-License-Identifier: MIT */
/* The answer for one binding as rows, and its price in the ledger. */
#include "scheduler/scheduler.h"

int32_t rebali_result_decision(rebal_result *result, const struct rebali_pass *pass, int64_t reason) {
  struct rebali_table *decisions = rebali_result_table(result, REBAL_TABLE_DECISION);
  struct rebali_table *placed = rebali_result_table(result, REBAL_TABLE_PLACED);
  const struct rebali_text message = rebali_text(pass->message.bytes, pass->message.len);
  size_t row, first;

  if (rebali_table_add(decisions, 1, &row) != REBAL_OK ||
      rebali_table_add(placed, pass->n_placed, &first) != REBAL_OK ||
      rebali_table_set_i64(decisions, REBAL_DECISION_BINDING, row, pass->row) != REBAL_OK ||
      rebali_table_set_i64(decisions, REBAL_DECISION_OUTCOME, row, pass->outcome) != REBAL_OK ||
      rebali_table_set_i64(decisions, REBAL_DECISION_REASON, row, reason) != REBAL_OK ||
      rebali_table_set_i64(decisions, REBAL_DECISION_FRESH, row, pass->is_fresh) != REBAL_OK ||
      rebali_table_set_i64(decisions, REBAL_DECISION_FIRST_PLACED, row, (int64_t)first) != REBAL_OK ||
      rebali_table_set_i64(decisions, REBAL_DECISION_PLACED, row, (int64_t)pass->n_placed) != REBAL_OK ||
      rebali_table_set_text(decisions, REBAL_DECISION_MESSAGE, row, message) != REBAL_OK ||
      rebali_table_set_text(decisions, REBAL_DECISION_AFFINITY_NAME, row, pass->trial_name) != REBAL_OK) {
    return rebali_fail_memory(pass->err);
  }
  for (size_t i = 0; i < pass->n_placed; i++) {
    if (rebali_table_set_i64(placed, REBAL_PLACED_CLUSTER, first + i, pass->placed[i].cluster) != REBAL_OK ||
        rebali_table_set_i64(placed, REBAL_PLACED_REPLICAS, first + i, pass->placed[i].replicas) != REBAL_OK) {
      return rebali_fail_memory(pass->err);
    }
  }
  return REBAL_OK;
}

int32_t rebali_ledger_spend(const struct rebali_pass *pass) {
  const uint32_t requirements = (uint32_t)rebali_bindings_i64(pass->bindings, REBAL_BINDING_REQUIREMENTS, pass->row);
  const struct rebali_text namespace_name = rebali_bindings_text(pass->bindings, REBAL_BINDING_NAMESPACE, pass->row);
  const struct rebali_text name = rebali_bindings_text(pass->bindings, REBAL_BINDING_NAME, pass->row);
  rebal_ledger *ledger = pass->opts->ledger;
  struct rebali_buffer key;
  int32_t code;

  if (ledger == NULL || pass->n_placed == 0 || !pass->is_workload ||
      rebali_bindings_i64(pass->bindings, REBAL_BINDING_CLUSTER_SCOPED, pass->row)) {
    return REBAL_OK;
  }
  rebali_buffer_init(&key, rebali_ctx_allocator(pass->ctx));
  rebali_buffer_append(&key, namespace_name.bytes, namespace_name.len);
  rebali_buffer_append(&key, "/", 1);
  rebali_buffer_append(&key, name.bytes, name.len);
  code = key.failed ? rebali_fail_memory(pass->err)
                    : rebal_ledger_release(ledger, key.bytes, key.len, REBAL_NONE, pass->err);
  for (size_t i = 0; i < pass->n_placed && code == REBAL_OK; i++) {
    code = rebal_ledger_charge(ledger, key.bytes, key.len, pass->placed[i].cluster, requirements,
                               pass->placed[i].replicas, pass->opts->ledger_expiry, pass->err);
  }
  rebali_buffer_dispose(&key);
  return code;
}
