/* SPDX-License-Identifier: MIT */
/*
 * Size and offset of each member of each public structure, for machines with 64-bit pointers. A released line never
 * changes; members are added at the end. Compiled by check-layout.py, once with LAYOUT_WRONG to see it fail.
 */
#include <rebalance/manifest.h>
#include <rebalance/rebalance.h>
#include <rebalance/simulation.h>

#include <stddef.h>

#ifndef LAYOUT_WRONG
#define LAYOUT_WRONG 0
#endif

#if UINTPTR_MAX > 0xffffffffu
#define SIZE(type, bytes) _Static_assert(sizeof(type) + LAYOUT_WRONG == (bytes), "size of " #type);
#define MEMBER(type, member, at, bytes)                                                     \
  _Static_assert(offsetof(type, member) + LAYOUT_WRONG == (at), "place of " #type "." #member); \
  _Static_assert(sizeof(((type *)0)->member) == (bytes), "size of " #type "." #member);
#else
#define SIZE(type, bytes)
#define MEMBER(type, member, at, bytes)
#endif

SIZE(rebal_error, 432)
MEMBER(rebal_error, struct_size, 0, 4)
MEMBER(rebal_error, code, 4, 4)
MEMBER(rebal_error, where, 8, 8)
MEMBER(rebal_error, document, 16, 4)
MEMBER(rebal_error, line, 20, 4)
MEMBER(rebal_error, column, 24, 4)
MEMBER(rebal_error, reserved0, 28, 4)
MEMBER(rebal_error, field, 32, 160)
MEMBER(rebal_error, message, 192, 240)

SIZE(rebal_allocator, 40)
MEMBER(rebal_allocator, struct_size, 0, 4)
MEMBER(rebal_allocator, reserved0, 4, 4)
MEMBER(rebal_allocator, user_data, 8, 8)
MEMBER(rebal_allocator, allocate, 16, 8)
MEMBER(rebal_allocator, reallocate, 24, 8)
MEMBER(rebal_allocator, release, 32, 8)

SIZE(rebal_quantity, 16)
MEMBER(rebal_quantity, units, 0, 8)
MEMBER(rebal_quantity, nanos, 8, 4)
MEMBER(rebal_quantity, format, 12, 4)

SIZE(rebal_time, 16)
MEMBER(rebal_time, seconds, 0, 8)
MEMBER(rebal_time, nanos, 8, 4)
MEMBER(rebal_time, is_set, 12, 4)

SIZE(rebal_ctx_opts, 24)
MEMBER(rebal_ctx_opts, struct_size, 0, 4)
MEMBER(rebal_ctx_opts, flags, 4, 4)
MEMBER(rebal_ctx_opts, cache_max_bytes, 8, 8)
MEMBER(rebal_ctx_opts, cache_max_entries, 16, 8)

SIZE(rebal_estimator, 32)
MEMBER(rebal_estimator, struct_size, 0, 4)
MEMBER(rebal_estimator, reserved0, 4, 4)
MEMBER(rebal_estimator, fits, 8, 8)
MEMBER(rebal_estimator, clusters, 16, 8)
MEMBER(rebal_estimator, stride, 24, 8)

SIZE(rebal_estimate_opts, 40)
MEMBER(rebal_estimate_opts, struct_size, 0, 4)
MEMBER(rebal_estimate_opts, flags, 4, 4)
MEMBER(rebal_estimate_opts, compat, 8, 8)
MEMBER(rebal_estimate_opts, ledger, 16, 8)
MEMBER(rebal_estimate_opts, name_space, 24, 8)
MEMBER(rebal_estimate_opts, name_space_len, 32, 8)

SIZE(rebal_place_opts, 24)
MEMBER(rebal_place_opts, struct_size, 0, 4)
MEMBER(rebal_place_opts, flags, 4, 4)
MEMBER(rebal_place_opts, nodes, 8, 8)
MEMBER(rebal_place_opts, priorities, 16, 8)

SIZE(rebal_unschedulable_opts, 16)
MEMBER(rebal_unschedulable_opts, struct_size, 0, 4)
MEMBER(rebal_unschedulable_opts, flags, 4, 4)
MEMBER(rebal_unschedulable_opts, threshold_ns, 8, 8)

SIZE(rebal_deschedule_opts, 104)
MEMBER(rebal_deschedule_opts, struct_size, 0, 4)
MEMBER(rebal_deschedule_opts, flags, 4, 4)
MEMBER(rebal_deschedule_opts, compat, 8, 8)
MEMBER(rebal_deschedule_opts, interval_ns, 16, 8)
MEMBER(rebal_deschedule_opts, threshold_ns, 24, 8)
MEMBER(rebal_deschedule_opts, estimators, 32, 8)
MEMBER(rebal_deschedule_opts, n_estimators, 40, 8)
MEMBER(rebal_deschedule_opts, max_total, 48, 8)
MEMBER(rebal_deschedule_opts, max_by_cluster, 56, 8)
MEMBER(rebal_deschedule_opts, max_by_namespace, 64, 8)
MEMBER(rebal_deschedule_opts, max_by_workload, 72, 8)
MEMBER(rebal_deschedule_opts, observations, 80, 8)
MEMBER(rebal_deschedule_opts, budgets, 88, 8)
MEMBER(rebal_deschedule_opts, n_budgets, 96, 8)

SIZE(rebal_failover_opts, 40)
MEMBER(rebal_failover_opts, struct_size, 0, 4)
MEMBER(rebal_failover_opts, flags, 4, 4)
MEMBER(rebal_failover_opts, compat, 8, 8)
MEMBER(rebal_failover_opts, graceful_eviction_timeout_ns, 16, 8)
MEMBER(rebal_failover_opts, eviction_interval_ns, 24, 8)
MEMBER(rebal_failover_opts, next_eviction, 32, 8)

SIZE(rebal_rebalancer_opts, 8)
MEMBER(rebal_rebalancer_opts, struct_size, 0, 4)
MEMBER(rebal_rebalancer_opts, reserved0, 4, 4)

SIZE(rebal_divide_bounds, 40)
MEMBER(rebal_divide_bounds, struct_size, 0, 4)
MEMBER(rebal_divide_bounds, flags, 4, 4)
MEMBER(rebal_divide_bounds, minimums, 8, 8)
MEMBER(rebal_divide_bounds, maximums, 16, 8)
MEMBER(rebal_divide_bounds, capacities, 24, 8)
MEMBER(rebal_divide_bounds, current, 32, 8)

SIZE(rebal_schedule_opts, 160)
MEMBER(rebal_schedule_opts, struct_size, 0, 4)
MEMBER(rebal_schedule_opts, flags, 4, 4)
MEMBER(rebal_schedule_opts, compat, 8, 8)
MEMBER(rebal_schedule_opts, ledger, 16, 8)
MEMBER(rebal_schedule_opts, known, 24, 8)
MEMBER(rebal_schedule_opts, assigning, 32, 8)
MEMBER(rebal_schedule_opts, ledger_expiry, 40, 8)
MEMBER(rebal_schedule_opts, first_row, 48, 8)
MEMBER(rebal_schedule_opts, max_work, 56, 8)
MEMBER(rebal_schedule_opts, scheduler_name, 64, 8)
MEMBER(rebal_schedule_opts, scheduler_name_len, 72, 8)
MEMBER(rebal_schedule_opts, extra_reject, 80, 8)
MEMBER(rebal_schedule_opts, extra_score, 88, 8)
MEMBER(rebal_schedule_opts, extra_clusters, 96, 8)
MEMBER(rebal_schedule_opts, extra_stride, 104, 8)
MEMBER(rebal_schedule_opts, extra_reject_reason, 112, 8)
MEMBER(rebal_schedule_opts, extra_reject_reason_len, 120, 8)
MEMBER(rebal_schedule_opts, estimators, 128, 8)
MEMBER(rebal_schedule_opts, n_estimators, 136, 8)
MEMBER(rebal_schedule_opts, explain_rows, 144, 8)
MEMBER(rebal_schedule_opts, observations, 152, 8)

SIZE(rebal_admit_opts, 24)
MEMBER(rebal_admit_opts, struct_size, 0, 4)
MEMBER(rebal_admit_opts, flags, 4, 4)
MEMBER(rebal_admit_opts, compat, 8, 8)
MEMBER(rebal_admit_opts, white_list, 16, 8)

SIZE(rebal_united_opts, 56)
MEMBER(rebal_united_opts, struct_size, 0, 4)
MEMBER(rebal_united_opts, flags, 4, 4)
MEMBER(rebal_united_opts, states, 8, 8)
MEMBER(rebal_united_opts, replicas, 16, 8)
MEMBER(rebal_united_opts, observed, 24, 8)
MEMBER(rebal_united_opts, ready, 32, 8)
MEMBER(rebal_united_opts, reserved, 40, 8)
MEMBER(rebal_united_opts, n, 48, 8)

SIZE(rebal_manifest_limits, 32)
MEMBER(rebal_manifest_limits, struct_size, 0, 4)
MEMBER(rebal_manifest_limits, max_depth, 4, 4)
MEMBER(rebal_manifest_limits, max_bytes, 8, 8)
MEMBER(rebal_manifest_limits, max_nodes, 16, 8)
MEMBER(rebal_manifest_limits, max_alias_nodes, 24, 8)

SIZE(rebal_recorded_call, 120)
MEMBER(rebal_recorded_call, struct_size, 0, 4)
MEMBER(rebal_recorded_call, call, 4, 4)
MEMBER(rebal_recorded_call, snapshot, 8, 8)
MEMBER(rebal_recorded_call, bindings, 16, 8)
MEMBER(rebal_recorded_call, now, 24, 8)
MEMBER(rebal_recorded_call, schedule_opts, 32, 8)
MEMBER(rebal_recorded_call, estimate_opts, 40, 8)
MEMBER(rebal_recorded_call, requirements, 48, 8)
MEMBER(rebal_recorded_call, replicas, 56, 8)
MEMBER(rebal_recorded_call, n_components, 64, 8)
MEMBER(rebal_recorded_call, result, 72, 8)
MEMBER(rebal_recorded_call, id, 80, 8)
MEMBER(rebal_recorded_call, id_len, 88, 8)
MEMBER(rebal_recorded_call, deschedule_opts, 96, 8)
MEMBER(rebal_recorded_call, failover_opts, 104, 8)
MEMBER(rebal_recorded_call, cluster, 112, 4)
MEMBER(rebal_recorded_call, reserved0, 116, 4)

SIZE(rebal_simulation_opts, 40)
MEMBER(rebal_simulation_opts, struct_size, 0, 4)
MEMBER(rebal_simulation_opts, max_rounds, 4, 4)
MEMBER(rebal_simulation_opts, max_instants, 8, 8)
MEMBER(rebal_simulation_opts, max_log_rows, 16, 8)
MEMBER(rebal_simulation_opts, limits, 24, 8)
MEMBER(rebal_simulation_opts, compat, 32, 8)

SIZE(rebal_simulation_share, 72)
MEMBER(rebal_simulation_share, struct_size, 0, 4)
MEMBER(rebal_simulation_share, reserved0, 4, 4)
MEMBER(rebal_simulation_share, time, 8, 16)
MEMBER(rebal_simulation_share, log_rows, 24, 8)
MEMBER(rebal_simulation_share, binding, 32, 8)
MEMBER(rebal_simulation_share, cluster, 40, 8)
MEMBER(rebal_simulation_share, assigned, 48, 8)
MEMBER(rebal_simulation_share, ready, 56, 8)
MEMBER(rebal_simulation_share, running, 64, 8)

SIZE(rebal_simulation_summary, 40)
MEMBER(rebal_simulation_summary, struct_size, 0, 4)
MEMBER(rebal_simulation_summary, reserved0, 4, 4)
MEMBER(rebal_simulation_summary, steps, 8, 8)
MEMBER(rebal_simulation_summary, instants, 16, 8)
MEMBER(rebal_simulation_summary, held, 24, 8)
MEMBER(rebal_simulation_summary, failed, 32, 8)
