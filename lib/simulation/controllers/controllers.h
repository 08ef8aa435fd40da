/* SPDX-License-Identifier: MIT */
/*
 * lib/simulation/controllers/controllers.h - the controllers of a simulation. Each has its state, and a function that
 * runs it once: it examines what changed, and acts.
 */
#ifndef REBALI_SIMULATION_CONTROLLERS_H
#define REBALI_SIMULATION_CONTROLLERS_H

#include "simulation/cluster/members.h"
#include "simulation/cluster/own.h"
#include "simulation/controllers/replica_history.h"

#include <rebalance/descheduler.h>
#include <rebalance/detector.h>
#include <rebalance/plan.h>

/* The options that the controllers were started with. */
struct rebali_options {
  rebal_time start; /* of the scenario */
  rebal_failover_opts failover;
  rebal_deschedule_opts descheduler;
  uint32_t has_descheduler;
  uint32_t has_estimators;            /* of members with nodes, for the scheduler */
  uint32_t has_overcommit_protection; /* the scheduler counts replicas that it assigned and members do not report yet */
  uint32_t detector_gates;            /* bits 1 << REBAL_DETECTOR_GATE_* of gates with a value other than the default */
  /* Lists of texts for the detector; NULL: its defaults. */
  const rebal_value *skipped_apis, *skipped_namespaces, *replicas_paths;
  const rebal_value *kinds; /* names of kinds whose pods are handled as those of ReplicaSets */
};

/* Makes bindings of workloads that policies select (detector.c). */
struct rebali_detector {
  struct rebali_core *core;
  rebal_detector *state;
  uint64_t seen;               /* changes of the store */
  uint32_t known;              /* objects with smaller ids were seen before */
  struct rebali_ids uncounted; /* bindings logged because a policy divides unknown replicas */
};

/* The scheduler and its queue (scheduler.c, scheduler_queue.c). */
struct rebali_scheduler {
  struct rebali_core *core;
  struct rebali_members *members;
  const struct rebali_options *options;
  struct rebali_timers timers;       /* when a binding is due */
  struct rebali_object_rows queued;  /* struct rebali_queued, of each binding and cluster */
  rebal_snapshot *snapshot;          /* the clusters as the queue last saw them */
  uint64_t order;                    /* of entry into the queue */
  uint64_t seen;                     /* changes of the store, here and below */
  int has_new_clusters;              /* not in the queue's snapshot yet */
  rebal_ledger *ledger;              /* NULL: without overcommit protection */
  struct rebali_object_rows assumed; /* accounts of bindings in the ledger */
  uint64_t assumed_seen;
};
struct rebali_queued {
  int64_t generation; /* of a binding, when it was last queued */
  uint32_t attempts;
  int is_seen;   /* the binding has a label of a policy */
  char *cluster; /* the parts of a cluster that can queue a binding */
};
/* Replicas assigned and not reported yet (assumed.c): current accounts, and until when new ones are valid. */
void rebali_assumed_open(struct rebali_scheduler *scheduler);
int32_t rebali_assumed_observe(struct rebali_scheduler *scheduler, rebal_error *err);
rebal_time rebali_assumed_expiry(const struct rebali_scheduler *scheduler);
void rebali_assumed_dispose(struct rebali_scheduler *scheduler);

int32_t rebali_enqueue(struct rebali_scheduler *scheduler, uint32_t binding, rebal_error *err);
/* Queues what changed since the last call. */
int32_t rebali_queue_observe(struct rebali_scheduler *scheduler, rebal_error *err);

/* Taints that clusters get for their conditions (cluster_taints.c). */
struct rebali_cluster_taints {
  struct rebali_core *core;
  uint64_t seen;
};

/* Evictions by NoExecute taints (taint_manager.c). A worker sleeps for the interval after an eviction. */
#define REBALI_EVICTION_WORKERS 3
struct rebali_taint_manager {
  struct rebali_core *core;
  const struct rebali_options *options;
  struct rebali_timers timers;                 /* when a cluster is examined again */
  struct rebali_object_rows clusters;          /* struct rebali_examined */
  struct rebali_ids tainted;                   /* clusters to be examined */
  rebal_time free[2][REBALI_EVICTION_WORKERS]; /* when each is free, for ResourceBindings and cluster-scoped ones */
  uint64_t seen;
};

/* Failover of applications (application_failover.c). */
struct rebali_application_failover {
  struct rebali_core *core;
  const struct rebali_options *options;
  struct rebali_timers timers;
  struct rebali_object_rows bindings; /* struct rebali_sightings */
  uint64_t seen;
};

/* Tasks of graceful eviction (graceful_eviction.c). */
struct rebali_graceful_eviction {
  struct rebali_core *core;
  const struct rebali_options *options;
  struct rebali_timers timers;
  uint64_t seen;
};

/* WorkloadRebalancers (rebalancers.c). */
struct rebali_rebalancers {
  struct rebali_core *core;
  struct rebali_timers timers;
  struct rebali_object_rows objects; /* struct rebali_rebalancer_state */
};

/* Runs in members what bindings require, and reports it as their status (binding_status.c). */
struct rebali_binding_status {
  struct rebali_members *members;
  struct rebali_timers timers; /* when members report */
  uint64_t seen;
};

/* What members report of themselves (cluster_status.c). */
struct rebali_cluster_status {
  struct rebali_members *members;
  uint64_t seen;
};

/* The descheduler (descheduler.c). */
struct rebali_descheduler {
  struct rebali_core *core;
  struct rebali_members *members;
  const struct rebali_options *options;
  rebal_time next;           /* unset: never */
  struct rebali_ids lacking; /* bindings that lacked ready replicas in the last run */
  uint64_t seen;
};

/* Carries out the plan of a step, beside the scheduler (plan_mover.c). */
struct rebali_plan_mover {
  struct rebali_core *core;
  const struct rebali_scheduler *scheduler; /* for its estimators and its ledger */
  rebal_plan *plan;                         /* NULL: no plan, or it is done */
  struct rebali_ids planned;                /* bindings by row of the plan */
  struct rebali_object_rows reported;       /* struct rebali_reported, by row of the plan */
  rebal_time next;                          /* unset: when something changes */
  uint64_t seen;
  int is_retrying; /* a write failed: nothing before next */
};
struct rebali_reported {
  int64_t state, reason; /* REBAL_WAVE_STATE_*, REBAL_WAVE_REASON_*; 0: none */
};

/*
 * The controllers of the scenario's own cluster; own is NULL if it runs no workloads. Owners of pods (workloads.c,
 * replica_sets.c, replicas.c, stateful_sets.c), the scheduler of pods (pod_scheduler.c), and the controller of
 * WorkloadSpreads (spread_controller.c).
 */
struct rebali_workloads {
  struct rebali_own *own;
  const struct rebali_options *options;
  uint64_t seen;
};
struct rebali_pod_scheduler {
  struct rebali_own *own;
  uint64_t seen;
};
struct rebali_spread_controller {
  struct rebali_own *own;
  struct rebali_timers timers;
  uint64_t seen;
};
/* Runs the Deployment controller: updates its ReplicaSets. */
int32_t rebali_deployment_run(struct rebali_own *own, uint32_t deployment, rebal_error *err);
int32_t rebali_deployment_report(struct rebali_own *own, uint32_t deployment, rebal_error *err);
/* Gets the ReplicaSet of its template, creating it if it is missing. */
int32_t rebali_deployment_set(struct rebali_own *own, uint32_t deployment, uint32_t *out, rebal_error *err);
/* Adopts pods without a controller, and releases others, by its selector (adoption.c). */
int32_t rebali_replica_set_claim(struct rebali_own *own, uint32_t set, rebal_error *err);
/* Update the pods of a ReplicaSet, CloneSet, Job or other kind; of a StatefulSet. */
int32_t rebali_replicas_run(struct rebali_own *own, uint32_t workload, rebal_error *err);
int32_t rebali_stateful_set_run(struct rebali_own *own, uint32_t workload, rebal_error *err);
/* Creates n more pods, whatever its replicas are. */
int32_t rebali_replicas_create(struct rebali_own *own, uint32_t workload, int64_t n, rebal_error *err);
int32_t rebali_stateful_set_create(struct rebali_own *own, uint32_t workload, int64_t n, rebal_error *err);
/*
 * Indexed Jobs (indexed_jobs.c): tests whether a Job is one; whether a pod has no index, a duplicate, or one beyond
 * completions; creates n more pods, at most one for each free index.
 */
int rebali_job_is_indexed(struct rebali_server *server, uint32_t job);
int32_t rebali_indexes_look(struct rebali_own *own, uint32_t job, int *are_odd, rebal_error *err);
int32_t rebali_indexes_make(struct rebali_own *own, uint32_t job, int64_t n, const char *reason, rebal_error *err);
/* Writes status.replicas and the related fields. */
int32_t rebali_workload_report(struct rebali_own *own, uint32_t workload, rebal_error *err);
/* Counts of a workload's pods, for its status. */
struct rebali_pod_counts {
  int64_t replicas, ready, updated;
  const char *revision; /* of the template, or NULL */
};
int32_t rebali_counts_write(struct rebali_own *own, uint32_t workload, const struct rebali_pod_counts *counts,
                            rebal_error *err);

/* Tests whether workloads of this kind have pods. */
int rebali_workload_is_known(const struct rebali_workloads *workloads, const char *kind);
/* Runs the controllers of one workload once, of a Deployment also those of its ReplicaSets. */
int32_t rebali_workload_reconcile(struct rebali_own *own, uint32_t workload, rebal_error *err);
/* Creates n more pods, for a Deployment those of the ReplicaSet of its template. */
int32_t rebali_workload_create(struct rebali_own *own, uint32_t workload, int64_t n, rebal_error *err);
/* Runs a pass over one WorkloadSpread. */
int32_t rebali_spread_controller_pass(struct rebali_spread_controller *controller, uint32_t object, rebal_error *err);

/* Creates a detector with the options; the caller frees it. */
int32_t rebali_detector_make(rebal_store *store, const struct rebali_options *options, rebal_detector **out,
                             rebal_error *err);
int32_t rebali_detector_open(struct rebali_detector *detector, struct rebali_core *core,
                             const struct rebali_options *options, rebal_error *err);
void rebali_detector_dispose(struct rebali_detector *detector);
int32_t rebali_detector_run(struct rebali_detector *detector, rebal_error *err);
/* Logs once if the binding has no replicas that its policy could divide (uninterpreted.c). */
int32_t rebali_uncounted_report(struct rebali_detector *detector, uint32_t binding, rebal_error *err);
/* Logs that a workload without a binding is skipped, if it is new, or waits for its user, if a policy claimed it. */
int32_t rebali_unbound_report(struct rebali_detector *detector, uint32_t object, int is_new, rebal_error *err);
/* Logs what is new: customizations of the interpreter, which are not run, and skipped workloads. */
int32_t rebali_uninterpreted_report(struct rebali_detector *detector, rebal_error *err);
int32_t rebali_workloads_run(struct rebali_workloads *workloads, rebal_error *err);
int32_t rebali_spread_controller_run(struct rebali_spread_controller *controller, rebal_error *err);
int32_t rebali_pod_scheduler_run(struct rebali_pod_scheduler *scheduler, rebal_error *err);
int32_t rebali_scheduler_run(struct rebali_scheduler *scheduler, rebal_error *err);
int32_t rebali_cluster_taints_run(struct rebali_cluster_taints *taints, rebal_error *err);
int32_t rebali_taint_manager_run(struct rebali_taint_manager *manager, rebal_error *err);
int32_t rebali_application_failover_run(struct rebali_application_failover *failover, rebal_error *err);
int32_t rebali_graceful_eviction_run(struct rebali_graceful_eviction *eviction, rebal_error *err);
int32_t rebali_rebalancers_run(struct rebali_rebalancers *rebalancers, rebal_error *err);
int32_t rebali_binding_status_run(struct rebali_binding_status *status, rebal_error *err);
/*
 * Logs when pods of a cluster begin to request more than it has, request another amount, or no longer do. summary: its
 * resourceSummary, as JSON (overuse.c).
 */
int32_t rebali_overuse_report(struct rebali_member *member, const char *summary, rebal_error *err);
/* Counts the clusters that ever had such pods, and lists them with the last such requests. */
uint64_t rebali_overuse_count(const struct rebali_members *members);
void rebali_overuse_print(const struct rebali_members *members, struct rebali_buffer *out);
/*
 * Appends ,"allocatableModelings":[...] if the Cluster has resource models and either nodes or counts of them, and
 * counts the pods beyond them (resource_models.c). The member's base must have been read.
 */
int32_t rebali_models_print(struct rebali_member *member, struct rebali_buffer *out, rebal_error *err);
int32_t rebali_cluster_status_run(struct rebali_cluster_status *status, rebal_error *err);
int32_t rebali_descheduler_run(struct rebali_descheduler *descheduler, rebal_error *err);
/*
 * Feeds all bindings of the store, for which rebali_plan_mover_start() then makes a plan. An earlier plan is abandoned.
 */
int32_t rebali_plan_mover_feed(struct rebali_plan_mover *mover, rebal_error *err);
/* Sets opts->schedule. */
int32_t rebali_plan_mover_start(struct rebali_plan_mover *mover, const rebal_plan_opts *opts, rebal_error *err);
int32_t rebali_plan_mover_run(struct rebali_plan_mover *mover, rebal_error *err);

void rebali_plan_mover_dispose(struct rebali_plan_mover *mover);
void rebali_scheduler_dispose(struct rebali_scheduler *scheduler);
void rebali_taint_manager_dispose(struct rebali_taint_manager *manager);
void rebali_application_failover_dispose(struct rebali_application_failover *failover);
void rebali_rebalancers_dispose(struct rebali_rebalancers *rebalancers);

/* ---- all controllers (round.c) ----------------------------------------------------------------------------------- */

struct rebali_controllers {
  struct rebali_core *core;
  struct rebali_detector detector;
  struct rebali_workloads workloads;
  struct rebali_spread_controller spreads;
  struct rebali_pod_scheduler pods;
  struct rebali_scheduler scheduler;
  struct rebali_cluster_taints cluster_taints;
  struct rebali_taint_manager taint_manager;
  struct rebali_application_failover application_failover;
  struct rebali_graceful_eviction graceful_eviction;
  struct rebali_rebalancers rebalancers;
  struct rebali_binding_status binding_status;
  struct rebali_cluster_status cluster_status;
  struct rebali_descheduler descheduler;
  struct rebali_plan_mover mover;
  struct rebali_replica_history history;
  uint32_t max_rounds;
  uint64_t max_instants, instants; /* moments at which they ran */
  int is_paused;                   /* none runs unless a step runs it */
};

/* own is NULL if the scenario's own cluster runs no workloads. */
int32_t rebali_controllers_open(struct rebali_controllers *controllers, struct rebali_members *members,
                                struct rebali_own *own, const struct rebali_options *options, rebal_error *err);
void rebali_controllers_dispose(struct rebali_controllers *controllers);
/* Runs the controllers until nothing changes; returns at once in a paused scenario. */
int32_t rebali_settle(struct rebali_controllers *controllers, rebal_error *err);
/* Advances the clock, running the controllers whenever one is due. */
int32_t rebali_advance(struct rebali_controllers *controllers, const rebal_time *until, rebal_error *err);

#endif
