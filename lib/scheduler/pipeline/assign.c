/* SPDX-License-Identifier: MIT */
/*
 * Division of replicas over the selected clusters: entry, strategies without history, result (rebalance-karmada(7) 7.1
 * to 7.5, 7.8).
 */
#include "scheduler/scheduler.h"

static int32_t assign_duplicated(struct rebali_pass *pass, struct rebali_assignment *assignment) {
  (void)pass;
  for (size_t i = 0; i < assignment->n_candidates; i++) {
    assignment->out[i] = (struct rebali_target){assignment->candidates[i].cluster, assignment->replicas};
  }
  assignment->n_out = assignment->n_candidates;
  return REBAL_OK;
}

static int32_t assign_unsupported(struct rebali_pass *pass, struct rebali_assignment *assignment) {
  const struct rebali_placement *placement = pass->placement;

  (void)assignment;
  return rebali_pass_refuse(pass, REBAL_OUTCOME_SCHEDULER_ERROR,
                            "failed to assign replicas: unsupported replica scheduling strategy, "
                            "replicaSchedulingType: %.*s, replicaDivisionPreference: %.*s, "
                            "please try another scheduling strategy",
                            (int)placement->scheduling_type.len, placement->scheduling_type.bytes,
                            (int)placement->division_preference.len, placement->division_preference.bytes);
}

int32_t rebali_assign_tier(struct rebali_pass *pass, struct rebali_assignment *assignment) {
  static int32_t (*const strategies[])(struct rebali_pass *, struct rebali_assignment *) = {
      [REBALI_STRATEGY_DUPLICATED] = assign_duplicated,         [REBALI_STRATEGY_STATIC_WEIGHT] = rebali_assign_static,
      [REBALI_STRATEGY_DYNAMIC_WEIGHT] = rebali_assign_dynamic, [REBALI_STRATEGY_AGGREGATED] = rebali_assign_dynamic,
      [REBALI_STRATEGY_UNSUPPORTED] = assign_unsupported,
  };
  size_t kept = 0;
  int32_t code;

  assignment->n_out = 0;
  assignment->missing = 0;
  code = strategies[pass->placement->strategy](pass, assignment);
  if (code != REBAL_OK || rebali_pass_refused(pass)) {
    return code;
  }
  for (size_t i = 0; i < assignment->n_out; i++) {
    if (assignment->out[i].replicas > 0) {
      assignment->out[kept++] = assignment->out[i];
    }
  }
  assignment->n_out = kept;
  return REBAL_OK;
}

/* Places every candidate without replicas, as nothing is divided. */
static void name_all(struct rebali_pass *pass) {
  for (size_t i = 0; i < pass->n_candidates; i++) {
    pass->placed[i] = (struct rebali_target){pass->candidates[i].cluster, 0};
  }
  pass->n_placed = pass->n_candidates;
}

int rebali_pass_has_overflow(const struct rebali_pass *pass) {
  if (!pass->placement->has_overflow || pass->trial_term == NULL || pass->trial_name.len == 0) {
    return 0;
  }
  for (size_t i = 0; i < pass->placement->n_terms; i++) {
    if (pass->placement->terms[i].n_overflow > 0 &&
        rebali_text_equal(pass->placement->terms[i].name, pass->trial_name)) {
      return 1;
    }
  }
  return 0;
}

int rebali_pass_is_divided(const struct rebali_pass *pass) {
  return pass->n_components <= 1 &&
         (pass->replicas > 0 ||
          rebali_bindings_i64(pass->bindings, REBAL_BINDING_REQUIREMENTS, pass->row) != REBAL_NONE);
}

int32_t rebali_assign(struct rebali_pass *pass) {
  struct rebali_assignment all = {pass->candidates, pass->n_candidates, pass->replicas, pass->placed, 0, 0};
  int32_t code;

  if (pass->explain != NULL) {
    pass->explain->ties = NULL;
  }
  if (pass->n_placed > 0) { /* copies without candidates are placed already */
    return REBAL_OK;
  }
  if (pass->n_candidates == 0) {
    return rebali_pass_refuse(pass, REBAL_OUTCOME_SCHEDULER_ERROR,
                              "failed to assign replicas: no clusters available to schedule");
  }
  if (!rebali_pass_is_divided(pass)) {
    name_all(pass);
    pass->with_components = pass->n_components > 1 && pass->is_multi_template;
    return REBAL_OK;
  }
  if (rebali_pass_has_overflow(pass)) {
    return rebali_assign_tiers(pass);
  }
  code = rebali_assign_tier(pass, &all);
  pass->n_placed = rebali_pass_refused(pass) ? 0 : all.n_out;
  rebali_partial_settle(pass, all.missing);
  return code;
}
