/* SPDX-License-Identifier: MIT */
#include "../unit.h"

#define UNIT_CASES(UNIT) \
  UNIT(admission) \
  UNIT(adoption) \
  UNIT(application_failover) \
  UNIT(binding_status) \
  UNIT(change_log) \
  UNIT(cluster_status) \
  UNIT(cluster_taints) \
  UNIT(core) \
  UNIT(deletion_order) \
  UNIT(descheduler) \
  UNIT(estimates) \
  UNIT(expect) \
  UNIT(expect_pods) \
  UNIT(expectations) \
  UNIT(graceful_eviction) \
  UNIT(ids) \
  UNIT(indexed_jobs) \
  UNIT(log) \
  UNIT(log_write) \
  UNIT(member_steps) \
  UNIT(members) \
  UNIT(node_taints) \
  UNIT(overuse) \
  UNIT(own_pods) \
  UNIT(placing) \
  UNIT(pod_admissions) \
  UNIT(pod_log) \
  UNIT(pod_scheduler) \
  UNIT(pod_webhook) \
  UNIT(pods) \
  UNIT(rebalancers) \
  UNIT(replica_history) \
  UNIT(replica_sets) \
  UNIT(replicas) \
  UNIT(resource_models) \
  UNIT(round) \
  UNIT(scenario) \
  UNIT(scheduler) \
  UNIT(scheduler_queue) \
  UNIT(simulation) \
  UNIT(spread_controller) \
  UNIT(stateful_sets) \
  UNIT(step_run) \
  UNIT(steps) \
  UNIT(taint_manager) \
  UNIT(timers) \
  UNIT(uninterpreted) \
  UNIT(values) \
  UNIT(workloads) \
  UNIT(write_faults) \
  UNIT(works)

UNIT_MAIN("simulation", UNIT_CASES)
