/* SPDX-License-Identifier: MIT */
/* One attempt to schedule one binding: its inputs, and the phases in their order (rebalance-karmada(7) 2.8). */
#include "scheduler/scheduler.h"

#include <stdarg.h>

int32_t rebali_pass_refuse(struct rebali_pass *pass, int64_t outcome, const char *format, ...) {
  va_list arguments;

  pass->outcome = outcome;
  pass->n_placed = 0;
  va_start(arguments, format);
  rebali_buffer_format_list(&pass->message, format, arguments);
  va_end(arguments);
  return pass->message.failed ? rebali_fail_memory(pass->err) : REBAL_OK;
}

int32_t rebali_pass_refuse_placement(struct rebali_pass *pass) {
  const struct rebali_text namespace_ = rebali_bindings_text(pass->bindings, REBAL_BINDING_NAMESPACE, pass->row);
  const struct rebali_text name = rebali_bindings_text(pass->bindings, REBAL_BINDING_NAME, pass->row);

  if (rebali_bindings_i64(pass->bindings, REBAL_BINDING_CLUSTER_SCOPED, pass->row)) {
    return rebali_pass_refuse(pass, REBAL_OUTCOME_SCHEDULER_ERROR,
                              "failed to get placement from clusterResourceBinding(%.*s)", (int)name.len, name.bytes);
  }
  return rebali_pass_refuse(pass, REBAL_OUTCOME_SCHEDULER_ERROR,
                            "failed to get placement from resourceBinding(%.*s/%.*s)", (int)namespace_.len,
                            namespace_.bytes, (int)name.len, name.bytes);
}

int rebali_is_workload(const rebal_bindings *bindings, uint32_t row) {
  size_t n_components;

  (void)rebali_bindings_children(bindings, REBAL_TABLE_COMPONENT, row, &n_components);
  return rebali_bindings_i64(bindings, REBAL_BINDING_REPLICAS, row) > 0 ||
         rebali_bindings_i64(bindings, REBAL_BINDING_REQUIREMENTS, row) != REBAL_NONE || n_components > 0;
}

int rebali_reschedule_required(const rebal_bindings *bindings, uint32_t row) {
  const rebal_time triggered = rebali_bindings_time(bindings, REBAL_BINDING_RESCHEDULE_TRIGGERED_AT, row);
  const rebal_time last = rebali_bindings_time(bindings, REBAL_BINDING_LAST_SCHEDULED_TIME, row);

  return triggered.is_set && last.is_set && rebali_time_compare(&triggered, &last) > 0;
}

struct rebali_component *rebali_pass_components(const struct rebali_pass *pass) {
  size_t n;
  const uint32_t *rows = rebali_bindings_children(pass->bindings, REBAL_TABLE_COMPONENT, pass->row, &n);
  struct rebali_component *components = rebali_arena_allocate(rebali_ctx_scratch(pass->ctx), n + 1, sizeof *components);

  for (size_t i = 0; components != NULL && i < n; i++) {
    components[i].requirements = (uint32_t)rebali_bindings_i64(pass->bindings, REBAL_COMPONENT_REQUIREMENTS, rows[i]);
    components[i].replicas = (int32_t)rebali_bindings_i64(pass->bindings, REBAL_COMPONENT_REPLICAS, rows[i]);
  }
  return components;
}

static void mark_targets(struct rebali_pass *pass) {
  pass->targets_are_plain = 1;
  for (size_t i = 0; i < pass->n_targets; i++) {
    const int64_t cluster = rebali_bindings_i64(pass->bindings, REBAL_TARGET_CLUSTER, pass->target_rows[i]);

    if (cluster == REBAL_NONE) {
      continue;
    }
    if (rebali_bit_get(pass->targets, (size_t)cluster)) {
      pass->targets_are_plain = 0;
      continue;
    }
    rebali_bit_set(pass->targets, (size_t)cluster, 1);
    pass->assigned[cluster] = (int32_t)rebali_bindings_i64(pass->bindings, REBAL_TARGET_REPLICAS, pass->target_rows[i]);
    pass->targets_are_plain &= pass->assigned[cluster] >= 0;
  }
}

static void mark_evicting(struct rebali_pass *pass) {
  size_t n;
  const uint32_t *rows = rebali_bindings_children(pass->bindings, REBAL_TABLE_TASK, pass->row, &n);

  for (size_t i = 0; i < n; i++) {
    const int64_t cluster = rebali_bindings_i64(pass->bindings, REBAL_TASK_FROM_CLUSTER, rows[i]);

    if (cluster != REBAL_NONE) {
      rebali_bit_set(pass->evicting, (size_t)cluster, 1);
    }
  }
}

/* Returns whether component sets are estimated (rebalance-karmada(7) 1.5). */
static int is_multi_template(const struct rebali_pass *pass) {
  if (pass->n_components == 0 || !rebali_compat_value(pass->opts->compat, REBAL_OPTION_GATE_MULTIPLE_POD_TEMPLATES)) {
    return 0;
  }
  for (size_t i = 0; i < pass->placement->n_spreads; i++) {
    const struct rebali_spread *spread = &pass->placement->spreads[i];

    if (spread->field == REBAL_SPREAD_BY_CLUSTER && spread->min_groups == 1 && spread->max_groups == 1) {
      return 1;
    }
  }
  return 0;
}

int32_t rebali_pass_begin(struct rebali_pass *pass, struct rebali_text trial_name) {
  struct rebali_arena *scratch = rebali_ctx_scratch(pass->ctx);
  const size_t rows = rebali_snapshot_rows(pass->snapshot);
  int32_t code;

  pass->outcome = REBAL_OUTCOME_SCHEDULED;
  rebali_buffer_init(&pass->message, rebali_ctx_allocator(pass->ctx));
  /* A binding without an observed group starts with the first (rebalance-karmada(7) 2.4, affinityIndex). */
  if (trial_name.len == 0 && pass->placement->n_terms > 0) {
    trial_name = pass->placement->terms[0].name;
  }
  pass->trial_name = trial_name;
  pass->trial_term = pass->placement->affinity != NULL ? NULL : rebali_placement_term(pass->placement, trial_name);
  pass->replicas = pass->is_new ? pass->new_replicas
                                : (int32_t)rebali_bindings_i64(pass->bindings, REBAL_BINDING_REPLICAS, pass->row);
  (void)rebali_bindings_children(pass->bindings, REBAL_TABLE_COMPONENT, pass->row, &pass->n_components);
  pass->is_multi_template = is_multi_template(pass);
  pass->is_workload = (pass->is_new && pass->new_replicas > 0) || rebali_is_workload(pass->bindings, pass->row);
  pass->is_fresh = rebali_pass_is_triggered(pass);
  pass->uid = rebali_bindings_text(pass->bindings, REBAL_BINDING_RESOURCE_UID, pass->row);
  pass->target_rows = rebali_bindings_children(pass->bindings, REBAL_TABLE_TARGET, pass->row, &pass->n_targets);
  pass->n_targets = pass->is_new ? 0 : pass->n_targets;
  pass->assigned = rebali_arena_allocate(scratch, rows + 1, sizeof *pass->assigned);
  pass->words = REBALI_BITSET_WORDS(rows);
  pass->feasible = rebali_arena_allocate_zero(scratch, 3 * pass->words, sizeof *pass->feasible);
  pass->candidates = rebali_arena_allocate(scratch, rows + 1, sizeof *pass->candidates);
  /* A result names candidates. After an Aggregated scale-up, or if nothing changes, it also names earlier targets. */
  pass->placed = rebali_arena_allocate(scratch, rows + pass->n_targets + 1, sizeof *pass->placed);
  memset(pass->topologies, 0, sizeof pass->topologies);
  pass->verdicts = NULL;
  pass->n_feasible = 0;
  pass->n_candidates = 0;
  pass->n_rated = 0;
  pass->n_placed = 0;
  pass->with_components = 0;
  pass->is_exchanged = 0;
  pass->missing = 0;
  if (pass->assigned == NULL || pass->feasible == NULL || pass->candidates == NULL || pass->placed == NULL) {
    return rebali_fail_memory(pass->err);
  }
  pass->targets = pass->feasible + pass->words;
  pass->evicting = pass->targets + pass->words;
  mark_targets(pass);
  if (!pass->is_new) {
    mark_evicting(pass);
  }
  code = rebali_peers_collect(pass);
  return code == REBAL_OK ? REBAL_OK : rebali_fail_memory(pass->err);
}

void rebali_pass_dispose(struct rebali_pass *pass) {
  rebali_buffer_dispose(&pass->message);
}

/* Adds the selected clusters without replicas, in the order of selection (rebalance-karmada(7) 7.9). */
static int32_t attach_empty(struct rebali_pass *pass) {
  uint64_t *placed = rebali_arena_allocate_zero(rebali_ctx_scratch(pass->ctx), pass->words, sizeof *placed);

  if (placed == NULL) {
    return rebali_fail_memory(pass->err);
  }
  for (size_t i = 0; i < pass->n_placed; i++) {
    rebali_bit_set(placed, pass->placed[i].cluster, 1);
  }
  for (size_t i = 0; i < pass->n_candidates; i++) {
    if (!rebali_bit_get(placed, pass->candidates[i].cluster)) {
      pass->placed[pass->n_placed++] = (struct rebali_target){pass->candidates[i].cluster, 0};
    }
  }
  return REBAL_OK;
}

static int32_t assign(struct rebali_pass *pass) {
  const int32_t code = rebali_assign(pass);

  return code == REBAL_OK && !rebali_pass_refused(pass) &&
                 rebali_compat_value(pass->opts->compat, REBAL_OPTION_EMPTY_WORKLOAD_PROPAGATION)
             ? attach_empty(pass)
             : code;
}

int32_t rebali_pass_stages(struct rebali_pass *pass, uint32_t first, uint32_t last) {
  static int32_t (*const phases[])(struct rebali_pass *) = {
      [REBAL_STAGE_FILTER] = rebali_filter_run,
      [REBAL_STAGE_SCORE] = rebali_candidates_rate,
      [REBAL_STAGE_SELECT] = rebali_select,
      [REBAL_STAGE_ASSIGN] = assign,
  };
  int32_t code = REBAL_OK;

  pass->is_final = last == REBAL_STAGE_ASSIGN && pass->explain == NULL;
  for (uint32_t stage = first; stage <= last && code == REBAL_OK && !rebali_pass_refused(pass); stage++) {
    code = phases[stage](pass);
    if (code == REBAL_OK && pass->explain != NULL) {
      code = rebali_explain_stage(pass, stage);
    }
  }
  return code;
}
