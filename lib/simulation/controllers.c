/* SPDX-License-Identifier: MIT */
/* The controllers in their order, and the clock that jumps from one that is due to the next. */
#include "member.h"

#include <inttypes.h>

/* One round runs each of them once, in this order (rebalance-scenario(5)). */
static int32_t (*const controllers[])(rebal_simulation *, rebal_error *) = {
    rebali_detector_run,    rebali_workloads_run,        rebali_spread_controller_run, rebali_pod_scheduler_run,
    rebali_queue_run,       rebali_condition_taints_run, rebali_taint_manager_run,     rebali_application_failover_run,
    rebali_graceful_run,    rebali_rebalancers_run,      rebali_members_run,           rebali_capacity_run,
    rebali_descheduler_run, rebali_shares_run,
};

#define CONTROLLERS (sizeof controllers / sizeof controllers[0])

static int32_t run_round(rebal_simulation *simulation, rebal_error *err) {
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < CONTROLLERS; i++) {
    code = rebali_reads_end(simulation, controllers[i](simulation, err), err);
  }
  return code;
}

static int32_t tell_restless(const rebal_simulation *simulation, rebal_error *err) {
  return rebali_fail(err, REBAL_ELIMIT, -1,
                     "the controllers do not come to rest in %" PRIu32 " rounds, the most at one moment",
                     simulation->opts.max_rounds);
}

int32_t rebali_settle(rebal_simulation *simulation, rebal_error *err) {
  uint64_t before;
  uint32_t rounds = 0;
  int32_t code;
  if (++simulation->instants > simulation->opts.max_instants) {
    return rebali_fail(err, REBAL_ELIMIT, -1,
                       "the controllers ran at %" PRIu64 " moments, the most in a run: simulate less time",
                       simulation->opts.max_instants);
  }
  do {
    before = simulation->changes;
    if (++rounds > simulation->opts.max_rounds) {
      return tell_restless(simulation, err);
    }
    code = run_round(simulation, err);
  } while (code == REBAL_OK && simulation->changes != before);
  return code;
}

/* When is the next controller due, or the next pod ready? */
static rebal_time next_moment(const rebal_simulation *simulation) {
  rebal_time next = rebali_timers_next(simulation);
  rebali_time_lower(&next, &simulation->next_descheduling);
  for (size_t i = 0; i < simulation->n_works; i++) {
    const struct rebali_work *work = &simulation->works[i];
    for (size_t j = 0; j < work->n_starting && !rebali_member_is_lost(simulation, work->cluster); j++) {
      rebali_time_lower(&next, &work->starting[j].ready_at);
    }
  }
  rebali_pods_next(simulation, &next);
  return next;
}

int32_t rebali_advance(rebal_simulation *simulation, const rebal_time *until, rebal_error *err) {
  uint32_t still = 0; /* so often the clock did not move */
  int32_t code = REBAL_OK;
  while (code == REBAL_OK) {
    const rebal_time next = next_moment(simulation);
    if (!rebali_time_is_due(&next, until)) {
      break;
    }
    still = rebali_time_compare(&next, &simulation->now) > 0 ? 0 : still + 1;
    if (still > simulation->opts.max_rounds) {
      return tell_restless(simulation, err);
    }
    if (still == 0) {
      simulation->now = next;
    }
    code = rebali_settle(simulation, err);
  }
  if (code == REBAL_OK) {
    simulation->now = *until;
  }
  return code;
}
