/* SPDX-License-Identifier: MIT */
/*
 * Affinity groups, tried in order: the first group that fits the binding is the answer (rebalance-karmada(7) 2.4, 2.6).
 */
#include "scheduler/scheduler.h"

size_t rebali_groups_index(const struct rebali_placement *placement, struct rebali_text observed) {
  const struct rebali_affinity *term = observed.len == 0 ? NULL : rebali_placement_term(placement, observed);

  return term == NULL ? 0 : (size_t)(term - placement->terms);
}

size_t rebali_groups_first(const struct rebali_pass *pass) {
  return pass->is_new || rebali_pass_is_triggered(pass)
             ? 0
             : rebali_groups_index(
                   pass->placement,
                   rebali_bindings_text(pass->bindings, REBAL_BINDING_OBSERVED_AFFINITY_NAME, pass->row));
}

static int32_t try_group(struct rebali_pass *pass, size_t group) {
  int32_t code;

  rebali_pass_dispose(pass);
  code = rebali_pass_begin(pass, pass->placement->terms[group].name);
  return code == REBAL_OK ? rebali_pass_run(pass) : code;
}

static int32_t remember_failure(const struct rebali_pass *pass, struct rebali_failures *failures, size_t group) {
  struct rebali_arena *scratch = rebali_ctx_scratch(pass->ctx);
  struct rebali_failure *failure = rebali_arena_allocate_zero(scratch, 1, sizeof *failure);

  if (failure == NULL) {
    return rebali_fail_memory(pass->err);
  }
  failure->group = group;
  failure->outcome = pass->outcome;
  failure->message = rebali_arena_text(scratch, rebali_text(pass->message.bytes, pass->message.len));
  *failures->end = failure;
  failures->end = &failure->next;
  failures->n++;
  return failure->message.bytes == NULL ? rebali_fail_memory(pass->err) : REBAL_OK;
}

/*
 * Chooses the answer if all groups have failed: the first group with capacity for some replicas, otherwise the first
 * failure.
 */
static int32_t answer_failure(struct rebali_pass *pass, const struct rebali_failure *first) {
  for (const struct rebali_failure *failure = first; failure != NULL; failure = failure->next) {
    if (failure->outcome == REBAL_OUTCOME_PARTIAL) {
      pass->explain = NULL; /* the rows of this group are written already */
      return try_group(pass, failure->group);
    }
  }
  pass->trial_term = &pass->placement->terms[first->group];
  pass->trial_name = pass->trial_term->name;
  pass->outcome = first->outcome;
  pass->message.len = 0;
  rebali_buffer_append(&pass->message, first->message.bytes, first->message.len);
  return pass->message.failed ? rebali_fail_memory(pass->err) : REBAL_OK;
}

int32_t rebali_groups_try(struct rebali_pass *pass, struct rebali_failures *failures) {
  int32_t code = REBAL_OK;

  *failures = (struct rebali_failures){NULL, &failures->first, 0};
  for (size_t group = rebali_groups_first(pass); group < pass->placement->n_terms && code == REBAL_OK; group++) {
    code = try_group(pass, group);
    if (code == REBAL_OK && pass->outcome == REBAL_OUTCOME_SCHEDULED) {
      return REBAL_OK;
    }
    code = code == REBAL_OK ? remember_failure(pass, failures, group) : code;
  }
  return code == REBAL_OK ? answer_failure(pass, failures->first) : code;
}
