/* SPDX-License-Identifier: MIT */
/*
 * Warnings on running replicas that a turn removes, or on missing ones that it does not place, as the reference does
 * (table WARNING).
 */
#include "scheduler/scheduler.h"

static int32_t warn(struct rebali_turn *turn, int64_t cluster, int64_t replicas, struct rebali_text row_name) {
  const struct rebali_warning warning = {turn->pass->row, cluster, row_name, replicas};

  return rebali_result_add_warning(turn->result, &warning) == REBAL_OK ? REBAL_OK : rebali_fail_memory(turn->pass->err);
}

int32_t rebali_warn_cleared(struct rebali_turn *turn) {
  const struct rebali_pass *pass = turn->pass;
  const int are_counted = pass->is_workload && pass->n_components == 0;
  int32_t code = REBAL_OK;

  for (size_t i = 0; code == REBAL_OK && i < pass->n_targets; i++) {
    const int64_t replicas = rebali_bindings_i64(pass->bindings, REBAL_TARGET_REPLICAS, pass->target_rows[i]);

    if (replicas > 0 || !are_counted) {
      code = warn(turn, rebali_bindings_i64(pass->bindings, REBAL_TARGET_CLUSTER, pass->target_rows[i]),
                  replicas > 0 ? replicas : 0, REBALI_ROW("no-fit-clears"));
    }
  }
  return code;
}

/* Returns whether the binding was ever placed. If not, it has lost nothing. */
static int was_placed(const struct rebali_pass *pass) {
  return pass->n_targets > 0 ||
         rebali_bindings_time(pass->bindings, REBAL_BINDING_LAST_SCHEDULED_TIME, pass->row).is_set;
}

int32_t rebali_warn_shrunken(struct rebali_turn *turn) {
  const struct rebali_pass *pass = turn->pass;
  int64_t missing = pass->replicas;

  if (rebali_pass_is_written(pass) || pass->n_components > 0 || !was_placed(pass) ||
      rebali_compat_value(pass->opts->compat, REBAL_OPTION_STRICT_EVICTION)) {
    return REBAL_OK;
  }
  for (size_t i = 0; i < pass->n_targets; i++) {
    missing -= rebali_bindings_i64(pass->bindings, REBAL_TARGET_REPLICAS, pass->target_rows[i]);
  }
  return missing > 0 ? warn(turn, REBAL_NONE, missing, REBALI_ROW("keeps-shrunken")) : REBAL_OK;
}
