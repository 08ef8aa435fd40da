/* SPDX-License-Identifier: MIT */
/* Runs the controllers in their order, and moves the clock to the time at which the next one is due. */
#include "simulation/controllers/controllers.h"

#include <inttypes.h>

int32_t rebali_controllers_open(struct rebali_controllers *controllers, struct rebali_members *members,
                                struct rebali_own *own, const struct rebali_options *options, rebal_error *err) {
  struct rebali_core *core = members->core;
  struct rebali_timers *const timers[] = {
      &controllers->scheduler.timers,         &controllers->taint_manager.timers,
      &controllers->spreads.timers,           &controllers->application_failover.timers,
      &controllers->graceful_eviction.timers, &controllers->rebalancers.timers,
      &controllers->binding_status.timers};
  int32_t code;
  for (size_t i = 0; i < REBALI_COUNT(timers); i++) {
    rebali_timers_open(timers[i], core->server);
  }
  controllers->core = core;
  controllers->workloads.own = own;
  controllers->workloads.options = options;
  controllers->spreads.own = own;
  controllers->pods.own = own;
  controllers->scheduler.core = core;
  controllers->scheduler.members = members;
  controllers->scheduler.options = options;
  controllers->scheduler.queued.size = sizeof(struct rebali_queued);
  rebali_assumed_open(&controllers->scheduler);
  controllers->cluster_taints.core = core;
  controllers->taint_manager.core = core;
  controllers->taint_manager.options = options;
  controllers->application_failover.core = core;
  controllers->application_failover.options = options;
  controllers->graceful_eviction.core = core;
  controllers->graceful_eviction.options = options;
  controllers->rebalancers.core = core;
  controllers->binding_status.members = members;
  controllers->cluster_status.members = members;
  controllers->descheduler.core = core;
  controllers->descheduler.members = members;
  controllers->descheduler.options = options;
  controllers->descheduler.next = options->start;
  controllers->descheduler.next.is_set = options->has_descheduler;
  controllers->mover.core = core;
  controllers->mover.scheduler = &controllers->scheduler;
  code = rebali_detector_open(&controllers->detector, core, options, err);
  return code == REBAL_OK ? rebali_replica_history_open(&controllers->history, members, err) : code;
}

void rebali_controllers_dispose(struct rebali_controllers *controllers) {
  rebali_detector_dispose(&controllers->detector);
  rebali_scheduler_dispose(&controllers->scheduler);
  rebali_taint_manager_dispose(&controllers->taint_manager);
  rebali_application_failover_dispose(&controllers->application_failover);
  rebali_timers_dispose(&controllers->graceful_eviction.timers);
  rebali_rebalancers_dispose(&controllers->rebalancers);
  rebali_timers_dispose(&controllers->spreads.timers);
  rebali_timers_dispose(&controllers->binding_status.timers);
  rebali_ids_dispose(&controllers->descheduler.lacking);
  rebali_plan_mover_dispose(&controllers->mover);
  rebali_replica_history_dispose(&controllers->history);
}

/* Runs one of them. A round runs each once, in this order (rebalance-scenario(5)). */
static int32_t run_one(struct rebali_controllers *controllers, size_t which, rebal_error *err) {
  switch (which) {
    case 0:
      return rebali_detector_run(&controllers->detector, err);
    case 1:
      return rebali_workloads_run(&controllers->workloads, err);
    case 2:
      return rebali_spread_controller_run(&controllers->spreads, err);
    case 3:
      return rebali_pod_scheduler_run(&controllers->pods, err);
    case 4:
      return rebali_scheduler_run(&controllers->scheduler, err);
    case 5:
      return rebali_cluster_taints_run(&controllers->cluster_taints, err);
    case 6:
      return rebali_taint_manager_run(&controllers->taint_manager, err);
    case 7:
      return rebali_application_failover_run(&controllers->application_failover, err);
    case 8:
      return rebali_graceful_eviction_run(&controllers->graceful_eviction, err);
    case 9:
      return rebali_rebalancers_run(&controllers->rebalancers, err);
    case 10:
      return rebali_binding_status_run(&controllers->binding_status, err);
    case 11:
      return rebali_cluster_status_run(&controllers->cluster_status, err);
    case 12:
      return rebali_descheduler_run(&controllers->descheduler, err);
    case 13:
      return rebali_plan_mover_run(&controllers->mover, err);
    default:
      return rebali_replica_history_run(&controllers->history, err);
  }
}

#define CONTROLLERS 15

static int32_t run_round(struct rebali_controllers *controllers, rebal_error *err) {
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < CONTROLLERS; i++) {
    code = rebali_reads_end(controllers->core->server, run_one(controllers, i, err), err);
  }
  return code;
}

static int32_t fail_restless(const struct rebali_controllers *controllers, rebal_error *err) {
  return rebali_fail(err, REBAL_ELIMIT, -1,
                     "the controllers do not come to rest in %" PRIu32 " rounds, the most at one moment",
                     controllers->max_rounds);
}

int32_t rebali_settle(struct rebali_controllers *controllers, rebal_error *err) {
  uint64_t before;
  uint32_t rounds = 0;
  int32_t code;
  if (controllers->is_paused) {
    return REBAL_OK;
  }
  if (++controllers->instants > controllers->max_instants) {
    return rebali_fail(err, REBAL_ELIMIT, -1,
                       "the controllers ran at %" PRIu64 " moments, the most in a run: simulate less time",
                       controllers->max_instants);
  }
  do {
    before = controllers->core->server->changes;
    if (++rounds > controllers->max_rounds) {
      return fail_restless(controllers, err);
    }
    code = run_round(controllers, err);
  } while (code == REBAL_OK && controllers->core->server->changes != before);
  return code;
}

/* Returns when the next controller is due, or the next pod gets ready. */
static rebal_time next_moment(const struct rebali_controllers *controllers) {
  const rebal_time members = rebali_members_next(controllers->binding_status.members);
  rebal_time next = rebali_timers_next(controllers->core->server);
  rebali_time_lower(&next, &controllers->descheduler.next);
  rebali_time_lower(&next, &controllers->mover.next);
  rebali_time_lower(&next, &members);
  if (controllers->pods.own != NULL) {
    rebali_time_lower(&next, &controllers->pods.own->next);
  }
  return next;
}

int32_t rebali_advance(struct rebali_controllers *controllers, const rebal_time *until, rebal_error *err) {
  struct rebali_server *server = controllers->core->server;
  uint32_t still = 0; /* moments in a row without progress of the clock */
  int32_t code = REBAL_OK;
  while (code == REBAL_OK && !controllers->is_paused) {
    const rebal_time next = next_moment(controllers);
    if (!rebali_time_is_due(&next, until)) {
      break;
    }
    still = rebali_time_compare(&next, &server->now) > 0 ? 0 : still + 1;
    if (still > controllers->max_rounds) {
      return fail_restless(controllers, err);
    }
    if (still == 0) {
      server->now = next;
    }
    code = rebali_settle(controllers, err);
  }
  if (code == REBAL_OK) {
    server->now = *until;
  }
  return code;
}
