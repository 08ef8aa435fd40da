/* SPDX-License-Identifier: MIT */
#include "../unit.h"

#define UNIT_CASES(UNIT)     \
  UNIT(admission)            \
  UNIT(application_failover) \
  UNIT(brief)                \
  UNIT(capacity)             \
  UNIT(changes)              \
  UNIT(clock)                \
  UNIT(condition_taints)     \
  UNIT(controllers)          \
  UNIT(cursor)               \
  UNIT(descheduler)          \
  UNIT(expect)               \
  UNIT(expect_counts)        \
  UNIT(expect_pods)          \
  UNIT(expectation)          \
  UNIT(graceful)             \
  UNIT(log)                  \
  UNIT(log_write)            \
  UNIT(member_estimates)     \
  UNIT(member_nodes)         \
  UNIT(member_steps)         \
  UNIT(members)              \
  UNIT(node_taints)          \
  UNIT(placing)              \
  UNIT(pod_moves)            \
  UNIT(pod_priority)         \
  UNIT(pod_scheduler)        \
  UNIT(pods)                 \
  UNIT(queue)                \
  UNIT(queue_events)         \
  UNIT(rebalancers)          \
  UNIT(report)               \
  UNIT(scenario)             \
  UNIT(shares)               \
  UNIT(simulation)           \
  UNIT(spread_controller)    \
  UNIT(spread_webhook)       \
  UNIT(step_read)            \
  UNIT(step_run)             \
  UNIT(taint_manager)        \
  UNIT(timers)               \
  UNIT(warnings)             \
  UNIT(watch)                \
  UNIT(workload_news)        \
  UNIT(workload_order)       \
  UNIT(workload_ordinals)    \
  UNIT(workload_pods)        \
  UNIT(workload_replica_sets) \
  UNIT(workload_scale)       \
  UNIT(workload_status)      \
  UNIT(workload_text)        \
  UNIT(workloads)

UNIT_MAIN("simulation", UNIT_CASES)
