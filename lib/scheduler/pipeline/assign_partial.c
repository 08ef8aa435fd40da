/* SPDX-License-Identifier: MIT */
/* The option PARTIAL_PLACEMENT: places what fits and reports what is missing (rebalance-karmada(7) 5.4, 7.6, 7.8). */
#include "scheduler/scheduler.h"

/* Returns whether capacity is divided. Copies and static weights ignore capacity; component sets are placed whole. */
static int divides_capacity(const struct rebali_pass *pass) {
  const enum rebali_strategy strategy = pass->placement->strategy;

  return rebali_pass_is_divided(pass) &&
         (strategy == REBALI_STRATEGY_DYNAMIC_WEIGHT || strategy == REBALI_STRATEGY_AGGREGATED ||
          (strategy == REBALI_STRATEGY_STATIC_WEIGHT &&
           rebali_compat_value(pass->opts->compat, REBAL_OPTION_STATIC_WEIGHT_CAPACITY)));
}

int rebali_partial_accept(struct rebali_pass *pass) {
  if (!rebali_partial_is_first(pass)) {
    return 1;
  }
  if (!rebali_compat_value(pass->opts->compat, REBAL_OPTION_PARTIAL_PLACEMENT) || !divides_capacity(pass)) {
    return 0;
  }
  pass->refusal = pass->outcome;
  pass->outcome = REBAL_OUTCOME_PARTIAL;
  return 1;
}

void rebali_partial_settle(struct rebali_pass *pass, int64_t missing) {
  if (pass->outcome != REBAL_OUTCOME_PARTIAL) {
    return;
  }
  if (missing == 0) { /* the refusal was premature: a later tier had capacity */
    pass->outcome = REBAL_OUTCOME_SCHEDULED;
    pass->message.len = 0;
  } else if (pass->n_placed == 0) {
    pass->outcome = pass->refusal;
  } else {
    pass->missing = missing;
  }
}
