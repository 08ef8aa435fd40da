/* SPDX-License-Identifier: MIT */
/* Whether Karmada would keep a write made now: the start guard of rebalance-plan(7) 8. */
#include "plan/step/karmada.h"
#include "scheduler/scheduler.h"

int64_t rebali_karmada_guard(const struct rebali_wave_call *call, const struct rebali_wave_row *row) {
  const rebal_bindings *bindings = call->every.bindings;
  const uint32_t binding = row->binding;
  int64_t sum = 0;
  size_t n_tasks;

  (void)rebali_bindings_children(bindings, REBAL_TABLE_TASK, binding, &n_tasks);
  for (size_t i = 0; i < row->n_cells; i++) {
    sum += row->cells[i].raw;
  }
  if (!rebali_plan_is_divided(call->every.snapshot, bindings, binding)) {
    return REBAL_WAVE_REASON_DUPLICATED;
  }
  if (rebali_bindings_i64(bindings, REBAL_BINDING_SCHEDULING_SUSPENDED, binding)) {
    return REBAL_WAVE_REASON_SUSPENDED;
  }
  if (n_tasks > 0) {
    return REBAL_WAVE_REASON_TASKS;
  }
  if (rebali_bindings_i64(bindings, REBAL_BINDING_GENERATION, binding) !=
      rebali_bindings_i64(bindings, REBAL_BINDING_OBSERVED_GENERATION, binding)) {
    return REBAL_WAVE_REASON_NOT_OBSERVED;
  }
  if (sum != row->plan->replicas) {
    return REBAL_WAVE_REASON_SUM;
  }
  if (rebali_reschedule_required(bindings, binding)) {
    return REBAL_WAVE_REASON_TRIGGERED;
  }
  return row->to == row->plan->replicas ? REBAL_WAVE_REASON_NONE : REBAL_WAVE_REASON_PLANNED_SUM;
}
