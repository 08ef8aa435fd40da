/* SPDX-License-Identifier: MIT */
/* Writes the answer for one binding as rows, and its charge to the ledger. */
#include "scheduler/scheduler.h"

/* Writes rows of PLACED from row first on, column by column. */
static void write_placed(struct rebali_table *table, size_t first, const struct rebali_pass *pass) {
  const size_t n = pass->n_placed;
  const struct rebali_target *placed = pass->placed;
  int64_t *restrict clusters = rebali_table_integers(table, REBAL_PLACED_CLUSTER, first);
  int64_t *restrict replicas = rebali_table_integers(table, REBAL_PLACED_REPLICAS, first);
  int64_t *with_components = rebali_table_integers(table, REBAL_PLACED_WITH_COMPONENTS, first);

  for (size_t i = 0; i < n; i++) {
    clusters[i] = rebali_id_given(placed[i].cluster);
    replicas[i] = placed[i].replicas;
  }
  memset(with_components, 0, n * sizeof *with_components);
  for (size_t i = 0; i < n && pass->with_components; i++) {
    with_components[i] = pass->with_components;
  }
}

int32_t rebali_result_decision(rebal_result *result, const struct rebali_pass *pass, int64_t reason) {
  struct rebali_table *decisions = rebali_result_table(result, REBAL_TABLE_DECISION);
  struct rebali_table *placed = rebali_result_table(result, REBAL_TABLE_PLACED);
  const struct rebali_text message = rebali_text(pass->message.bytes, pass->message.len);
  /*
   * An observed name that no group has, or that is observed besides a plain clusterAffinity, does not concern this
   * answer.
   */
  const struct rebali_text group = pass->trial_term == NULL ? REBALI_TEXT("") : pass->trial_name;
  size_t row, first;

  if (rebali_table_append(decisions, 1, &row) != REBAL_OK ||
      rebali_table_append(placed, pass->n_placed, &first) != REBAL_OK ||
      rebali_table_set_text(decisions, REBAL_DECISION_MESSAGE, row, message) != REBAL_OK ||
      rebali_table_set_text(decisions, REBAL_DECISION_AFFINITY_NAME, row, group) != REBAL_OK) {
    return rebali_fail_memory(pass->err);
  }
  *rebali_table_integers(decisions, REBAL_DECISION_BINDING, row) = pass->row;
  *rebali_table_integers(decisions, REBAL_DECISION_OUTCOME, row) = pass->outcome;
  *rebali_table_integers(decisions, REBAL_DECISION_REASON, row) = reason;
  *rebali_table_integers(decisions, REBAL_DECISION_FRESH, row) = pass->is_fresh;
  *rebali_table_integers(decisions, REBAL_DECISION_FIRST_PLACED, row) = (int64_t)first;
  *rebali_table_integers(decisions, REBAL_DECISION_PLACED, row) = (int64_t)pass->n_placed;
  *rebali_table_integers(decisions, REBAL_DECISION_MISSING, row) = pass->missing;
  if (pass->n_placed != 0) {
    write_placed(placed, first, pass);
  }
  return REBAL_OK;
}

struct rebali_claim *rebali_pass_claims(const struct rebali_pass *pass) {
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

struct rebali_text rebali_ledger_key(const rebal_bindings *bindings, uint32_t row, struct rebali_arena *arena) {
  const struct rebali_text namespace_ = rebali_bindings_text(bindings, REBAL_BINDING_NAMESPACE, row);
  const struct rebali_text name = rebali_bindings_text(bindings, REBAL_BINDING_NAME, row);
  const size_t len = namespace_.len + 1 + name.len;
  char *const bytes = rebali_arena_allocate(arena, len, 1);

  if (bytes != NULL) {
    memcpy(bytes, namespace_.bytes, namespace_.len);
    bytes[namespace_.len] = '/';
    memcpy(bytes + namespace_.len + 1, name.bytes, name.len);
  }
  return rebali_text(bytes, len);
}

int rebali_pass_is_charged(const struct rebali_pass *pass) {
  return pass->is_workload && !rebali_bindings_i64(pass->bindings, REBAL_BINDING_CLUSTER_SCOPED, pass->row);
}

int32_t rebali_ledger_spend(const struct rebali_pass *pass) {
  static const rebal_time never = {0, 0, 0};
  const rebal_time *expiry = pass->opts->ledger_expiry;
  const struct rebali_claim *claims;
  struct rebali_text key;
  int32_t code = REBAL_ENOMEM;

  if (pass->opts->ledger == NULL || !rebali_pass_is_charged(pass)) {
    return REBAL_OK;
  }
  key = rebali_ledger_key(pass->bindings, pass->row, rebali_ctx_scratch(pass->ctx));
  claims = rebali_pass_claims(pass);
  if (key.bytes != NULL && claims != NULL) {
    code = rebali_ledger_replace(pass->opts->ledger, key, claims, pass->n_placed,
                                 expiry == NULL || expiry->is_set == 0 ? &never : expiry);
  }
  return code == REBAL_OK ? REBAL_OK : rebali_fail_memory(pass->err);
}
