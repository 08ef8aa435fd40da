/* SPDX-License-Identifier: MIT */
/*
 * lib/simulation/controllers/controllers.h - the controllers of a simulation. Each has a state of its own, and a
 * function that runs it once: it looks at what changed since, and acts.
 */
#ifndef REBALI_SIMULATION_CONTROLLERS_H
#define REBALI_SIMULATION_CONTROLLERS_H

#include "simulation/cluster/members.h"
#include "simulation/cluster/own.h"
#include "simulation/controllers/replica_history.h"

#include <rebalance/descheduler.h>
#include <rebalance/detector.h>
#include <rebalance/plan.h>

/* What the controllers were started with. */
struct rebali_options {
  rebal_time start; /* of the scenario */
  rebal_failover_opts failover;
  rebal_deschedule_opts descheduler;
  uint32_t has_descheduler;
  uint32_t has_estimators;            /* of members with nodes, for the scheduler */
  uint32_t has_overcommit_protection; /* the scheduler counts what it assigned and members do not report yet */
  uint32_t detector_gates;            /* bits 1 << REBAL_DETECTOR_GATE_* of gates that are not at their default */
  /* Of the detector: lists of texts; NULL: its defaults. */
  const rebal_value *skipped_apis, *skipped_namespaces, *replicas_paths;
  const rebal_value *kinds; /* names of kinds that have pods as ReplicaSets do */
};

/* Bindings of workloads that policies select (detector.c). */
struct rebali_detector {
  struct rebali_core *core;
  rebal_detector *state;
  uint64_t seen;               /* changes of the store */
  uint32_t known;              /* objects below were seen before */
  struct rebali_ids uncounted; /* bindings of which the log says that a policy divides unknown replicas */
};

/* The scheduler and its queue (scheduler.c, scheduler_queue.c). */
struct rebali_scheduler {
  struct rebali_core *core;
  struct rebali_members *members;
  const struct rebali_options *options;
  struct rebali_timers timers;       /* when a binding is due */
  struct rebali_object_rows queued;  /* struct rebali_queued, of each binding and cluster */
  rebal_snapshot *snapshot;          /* the clusters as the queue saw them last */
  uint64_t order;                    /* of those that entered */
  uint64_t seen;                     /* changes of the store, here and below */
  int has_new_clusters;              /* that the queue does not know yet */
  rebal_ledger *ledger;              /* NULL: without overcommit protection */
  struct rebali_object_rows assumed; /* accounts of bindings in the ledger */
  uint64_t assumed_seen;
};
struct rebali_queued {
  int64_t generation; /* of a binding, as it entered last */
  uint32_t attempts;
  int is_seen;   /* has the binding a label of a policy? */
  char *cluster; /* what of a cluster can put a binding into the queue */
};
/* What was assigned and is not reported yet (assumed.c): the accounts as they are now, and until when new ones hold. */
void rebali_assumed_open(struct rebali_scheduler *scheduler);
int32_t rebali_assumed_observe(struct rebali_scheduler *scheduler, rebal_error *err);
rebal_time rebali_assumed_expiry(const struct rebali_scheduler *scheduler);
void rebali_assumed_dispose(struct rebali_scheduler *scheduler);

int32_t rebali_enqueue(struct rebali_scheduler *scheduler, uint32_t binding, rebal_error *err);
/* What changed since this was called last enters the queue. */
int32_t rebali_queue_observe(struct rebali_scheduler *scheduler, rebal_error *err);

/* Taints that clusters get by their conditions (cluster_taints.c). */
struct rebali_cluster_taints {
  struct rebali_core *core;
  uint64_t seen;
};

/* Evictions by NoExecute taints (taint_manager.c). A worker that evicted a binding sleeps for the interval. */
#define REBALI_EVICTION_WORKERS 3
struct rebali_taint_manager {
  struct rebali_core *core;
  const struct rebali_options *options;
  struct rebali_timers timers;                 /* when a cluster is examined again */
  struct rebali_object_rows clusters;          /* struct rebali_examined */
  struct rebali_ids tainted;                   /* clusters to be looked at */
  rebal_time free[2][REBALI_EVICTION_WORKERS]; /* when each worker is, of ResourceBindings and of cluster-scoped ones */
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

/* What runs in members follows the bindings, and is reported as their status (binding_status.c). */
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
  struct rebali_ids lacking; /* bindings that lacked ready replicas when it looked last */
  uint64_t seen;
};

/* Who carries out the plan of a step, beside the scheduler (plan_mover.c). */
struct rebali_plan_mover {
  struct rebali_core *core;
  const struct rebali_scheduler *scheduler; /* its estimators and its ledger */
  rebal_plan *plan;                         /* NULL: there is none, or it is carried out */
  struct rebali_ids planned;                /* bindings by row of the plan */
  struct rebali_object_rows told;           /* struct rebali_told, by row of the plan */
  rebal_time next;                          /* unset: when something changes */
  uint64_t seen;
  int is_retrying; /* a write failed: nothing before next */
};
struct rebali_told {
  int64_t state, reason; /* REBAL_WAVE_STATE_*, REBAL_WAVE_REASON_*; 0: none */
};

/*
 * Those of the scenario's own cluster; own is NULL where none runs workloads. Owners of pods (workloads.c,
 * replica_sets.c, replicas.c, stateful_sets.c), who gives pods nodes (pod_scheduler.c), and who looks after
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
/* The ReplicaSets of a Deployment. */
int32_t rebali_deployment_run(struct rebali_own *own, uint32_t deployment, rebal_error *err);
int32_t rebali_deployment_report(struct rebali_own *own, uint32_t deployment, rebal_error *err);
/* The ReplicaSet of its template, made when it is missing. */
int32_t rebali_deployment_set(struct rebali_own *own, uint32_t deployment, uint32_t *out, rebal_error *err);
/* It adopts pods without a controller, and releases others, by its selector (adoption.c). */
int32_t rebali_replica_set_claim(struct rebali_own *own, uint32_t set, rebal_error *err);
/* The pods of a ReplicaSet, CloneSet, Job or other kind; of a StatefulSet. */
int32_t rebali_replicas_run(struct rebali_own *own, uint32_t workload, rebal_error *err);
int32_t rebali_stateful_set_run(struct rebali_own *own, uint32_t workload, rebal_error *err);
/* So many pods more, whatever its replicas are. */
int32_t rebali_replicas_create(struct rebali_own *own, uint32_t workload, int64_t n, rebal_error *err);
int32_t rebali_stateful_set_create(struct rebali_own *own, uint32_t workload, int64_t n, rebal_error *err);
/*
 * Indexed Jobs: is it one; has a pod no index, that of another, or one beyond completions; n pods more, at most one for
 * each index that is open (indexed_jobs.c).
 */
int rebali_job_is_indexed(struct rebali_server *server, uint32_t job);
int32_t rebali_indexes_look(struct rebali_own *own, uint32_t job, int *are_odd, rebal_error *err);
int32_t rebali_indexes_make(struct rebali_own *own, uint32_t job, int64_t n, const char *reason, rebal_error *err);
/* status.replicas and what belongs to it. */
int32_t rebali_workload_report(struct rebali_own *own, uint32_t workload, rebal_error *err);
/* Counts of a workload's pods, for its status. */
struct rebali_pod_counts {
  int64_t replicas, ready, updated;
  const char *revision; /* of the template, or NULL */
};
int32_t rebali_counts_write(struct rebali_own *own, uint32_t workload, const struct rebali_pod_counts *counts,
                            rebal_error *err);

/* Has a workload of this kind pods? */
int rebali_workload_is_known(const struct rebali_workloads *workloads, const char *kind);
/* The controllers of one workload run once, of a Deployment those of its ReplicaSets too. */
int32_t rebali_workload_reconcile(struct rebali_own *own, uint32_t workload, rebal_error *err);
/* It creates so many pods more, of a Deployment the ReplicaSet of its template. */
int32_t rebali_workload_create(struct rebali_own *own, uint32_t workload, int64_t n, rebal_error *err);
/* A pass over one WorkloadSpread. */
int32_t rebali_spread_controller_pass(struct rebali_spread_controller *controller, uint32_t object, rebal_error *err);

/* A detector as the options have it, the caller's to free. */
int32_t rebali_detector_make(rebal_store *store, const struct rebali_options *options, rebal_detector **out,
                             rebal_error *err);
int32_t rebali_detector_open(struct rebali_detector *detector, struct rebali_core *core,
                             const struct rebali_options *options, rebal_error *err);
void rebali_detector_dispose(struct rebali_detector *detector);
int32_t rebali_detector_run(struct rebali_detector *detector, rebal_error *err);
/* A row of the log, once, when the binding has no replicas that its policy could divide (uninterpreted.c). */
int32_t rebali_uncounted_tell(struct rebali_detector *detector, uint32_t binding, rebal_error *err);
/* A row when a workload without binding is skipped, as it is new, or waits for its user, as a policy claimed it. */
int32_t rebali_unbound_tell(struct rebali_detector *detector, uint32_t object, int is_new, rebal_error *err);
/* Rows for what is new: customizations of the interpreter, which are not run, and workloads that are skipped. */
int32_t rebali_uninterpreted_tell(struct rebali_detector *detector, rebal_error *err);
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
 * A row of the log when pods of a cluster begin to request more than it has, request another amount, or no longer do;
 * summary: its resourceSummary, as JSON (overuse.c).
 */
int32_t rebali_overuse_tell(struct rebali_member *member, const char *summary, rebal_error *err);
/* How many clusters had such pods at any time, and which, each with what they requested last. */
uint64_t rebali_overuse_count(const struct rebali_members *members);
void rebali_overuse_print(const struct rebali_members *members, struct rebali_buffer *out);
/*
 * Appends ,"allocatableModelings":[...] where the Cluster has resource models and either nodes or counts of them, and
 * counts the pods beyond them (resource_models.c). What the member's base says was read.
 */
int32_t rebali_models_print(struct rebali_member *member, struct rebali_buffer *out, rebal_error *err);
int32_t rebali_cluster_status_run(struct rebali_cluster_status *status, rebal_error *err);
int32_t rebali_descheduler_run(struct rebali_descheduler *descheduler, rebal_error *err);
/* Feeds all bindings of the store, for which rebali_plan_mover_start() then makes a plan; one before it is left. */
int32_t rebali_plan_mover_feed(struct rebali_plan_mover *mover, rebal_error *err);
/* opts->schedule is set here. */
int32_t rebali_plan_mover_start(struct rebali_plan_mover *mover, const rebal_plan_opts *opts, rebal_error *err);
int32_t rebali_plan_mover_run(struct rebali_plan_mover *mover, rebal_error *err);

void rebali_plan_mover_dispose(struct rebali_plan_mover *mover);
void rebali_scheduler_dispose(struct rebali_scheduler *scheduler);
void rebali_taint_manager_dispose(struct rebali_taint_manager *manager);
void rebali_application_failover_dispose(struct rebali_application_failover *failover);
void rebali_rebalancers_dispose(struct rebali_rebalancers *rebalancers);

/* ---- all of them (round.c) --------------------------------------------------------------------------------------- */

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
  int is_paused;                   /* none runs unless a step says so */
};

/* own is NULL where the scenario's own cluster runs no workloads. */
int32_t rebali_controllers_open(struct rebali_controllers *controllers, struct rebali_members *members,
                                struct rebali_own *own, const struct rebali_options *options, rebal_error *err);
void rebali_controllers_dispose(struct rebali_controllers *controllers);
/* Runs them until all rest; a paused scenario rests. */
int32_t rebali_settle(struct rebali_controllers *controllers, rebal_error *err);
/* Lets time pass until then, running them whenever one of them is due. */
int32_t rebali_advance(struct rebali_controllers *controllers, const rebal_time *until, rebal_error *err);

#endif
