/* SPDX-License-Identifier: MIT */
/* The answer for one binding as rows, and its price in the ledger. */
#include "scheduler/scheduler.h"

int32_t rebali_result_decision(rebal_result *result, const struct rebali_pass *pass, int64_t reason) {
  struct rebali_table *decisions = rebali_result_table(result, REBAL_TABLE_DECISION);
  struct rebali_table *placed = rebali_result_table(result, REBAL_TABLE_PLACED);
  const struct rebali_text message = rebali_text(pass->message.bytes, pass->message.len);
  /* A name observed once that no group has, or beside a plain clusterAffinity, tells nothing of this answer. */
  const struct rebali_text group = pass->trial_term == NULL ? REBALI_TEXT("") : pass->trial_name;
  size_t row, first;

  if (rebali_table_add(decisions, 1, &row) != REBAL_OK ||
      rebali_table_add(placed, pass->n_placed, &first) != REBAL_OK ||
      rebali_table_set_i64(decisions, REBAL_DECISION_BINDING, row, pass->row) != REBAL_OK ||
      rebali_table_set_i64(decisions, REBAL_DECISION_OUTCOME, row, pass->outcome) != REBAL_OK ||
      rebali_table_set_i64(decisions, REBAL_DECISION_REASON, row, reason) != REBAL_OK ||
      rebali_table_set_i64(decisions, REBAL_DECISION_FRESH, row, pass->is_fresh) != REBAL_OK ||
      rebali_table_set_i64(decisions, REBAL_DECISION_FIRST_PLACED, row, (int64_t)first) != REBAL_OK ||
      rebali_table_set_i64(decisions, REBAL_DECISION_PLACED, row, (int64_t)pass->n_placed) != REBAL_OK ||
      rebali_table_set_i64(decisions, REBAL_DECISION_MISSING, row, pass->missing) != REBAL_OK ||
      rebali_table_set_text(decisions, REBAL_DECISION_MESSAGE, row, message) != REBAL_OK ||
      rebali_table_set_text(decisions, REBAL_DECISION_AFFINITY_NAME, row, group) != REBAL_OK) {
    return rebali_fail_memory(pass->err);
  }
  for (size_t i = 0; i < pass->n_placed; i++) {
    if (rebali_table_set_i64(placed, REBAL_PLACED_CLUSTER, first + i, pass->placed[i].cluster) != REBAL_OK ||
        rebali_table_set_i64(placed, REBAL_PLACED_REPLICAS, first + i, pass->placed[i].replicas) != REBAL_OK ||
        rebali_table_set_i64(placed, REBAL_PLACED_WITH_COMPONENTS, first + i, pass->with_components) != REBAL_OK) {
      return rebali_fail_memory(pass->err);
    }
  }
  return REBAL_OK;
}

/* What was placed as claims on a ledger; memory of the running call. */
static struct rebali_claim *list_claims(const struct rebali_pass *pass) {
  const uint32_t requirements = (uint32_t)rebali_bindings_i64(pass->bindings, REBAL_BINDING_REQUIREMENTS, pass->row);
  const int takes_sets = pass->is_multi_template && !rebali_pass_is_divided(pass);
  struct rebali_arena *scratch = rebali_ctx_scratch(pass->ctx);
  struct rebali_claim *claims = rebali_arena_allocate(scratch, pass->n_placed, sizeof *claims);
  struct rebali_component *shares = rebali_arena_allocate(scratch, pass->n_placed, sizeof *shares);
  const struct rebali_component *set = takes_sets ? rebali_pass_components(pass) : shares;

  if (claims == NULL || shares == NULL || set == NULL) {
    return NULL;
  }
  for (size_t i = 0; i < pass->n_placed; i++) {
    shares[i] = (struct rebali_component){requirements, pass->placed[i].replicas};
    claims[i] = (struct rebali_claim){pass->placed[i].cluster, takes_sets ? set : &shares[i],
                                      takes_sets ? pass->n_components : 1};
  }
  return claims;
}

int32_t rebali_ledger_spend(const struct rebali_pass *pass) {
  static const rebal_time never = {0, 0, 0};
  const struct rebali_text namespace_name = rebali_bindings_text(pass->bindings, REBAL_BINDING_NAMESPACE, pass->row);
  const struct rebali_text name = rebali_bindings_text(pass->bindings, REBAL_BINDING_NAME, pass->row);
  const rebal_time *expiry = pass->opts->ledger_expiry;
  const struct rebali_claim *claims;
  struct rebali_buffer key;
  int32_t code = REBAL_ENOMEM;

  if (pass->opts->ledger == NULL || !pass->is_workload ||
      rebali_bindings_i64(pass->bindings, REBAL_BINDING_CLUSTER_SCOPED, pass->row)) {
    return REBAL_OK;
  }
  rebali_buffer_init(&key, rebali_ctx_allocator(pass->ctx));
  rebali_buffer_append(&key, namespace_name.bytes, namespace_name.len);
  rebali_buffer_append(&key, "/", 1);
  rebali_buffer_append(&key, name.bytes, name.len);
  claims = list_claims(pass);
  if (!key.failed && claims != NULL) {
    code = rebali_ledger_replace(pass->opts->ledger, rebali_text(key.bytes, key.len), claims, pass->n_placed,
                                 expiry == NULL || expiry->is_set == 0 ? &never : expiry);
  }
  rebali_buffer_dispose(&key);
  return code == REBAL_OK ? REBAL_OK : rebali_fail_memory(pass->err);
}
