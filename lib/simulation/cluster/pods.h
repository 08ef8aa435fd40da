/* SPDX-License-Identifier: MIT */
/*
 * lib/simulation/cluster/pods.h - pods, wherever they run: in a member with nodes, in one without, or as objects of the
 * scenario's own cluster (pods.c, pod_nodes.c).
 */
#ifndef REBALI_SIMULATION_PODS_H
#define REBALI_SIMULATION_PODS_H

#include "simulation/core.h"

#include <rebalance/simulation.h>

#define REBALI_REVISION 64

/* Pods that are alike: one where they have nodes or are objects. */
struct rebali_pod {
  int64_t count;
  uint32_t object;       /* in the store; REBAL_NONE: it is none there */
  uint32_t requirements; /* handle */
  uint32_t node;         /* index among the cluster's; REBAL_NONE: none */
  int32_t stated;        /* priority of its template, 0 without */
  int32_t priority;
  int has_node; /* also where no nodes are known */
  int phase;    /* 0 Pending, 1 Unknown, 2 Running: in this order pods go */
  int is_ready;
  int is_done;    /* Succeeded, Failed, or on its way out */
  int is_gone;    /* until the next sweep */
  int is_marked;  /* by a label of OpenKruise: to be deleted, or in a state of its lifecycle */
  int preempts;   /* scratch of one placing: it takes the room of others */
  uint64_t order; /* in which they came */
  uint64_t read;  /* changes of the store when it was read last, of one that is an object */
  rebal_time created;
  rebal_time since;     /* unschedulable since then: its condition PodScheduled is False; unset: it has a node */
  rebal_time ready_at;  /* unset: it is ready, or does not become so by time alone */
  rebal_time leaves_at; /* set: it does not tolerate its node any longer */
  rebal_time ready_since;
  int64_t ordinal; /* of a StatefulSet: digits behind the last "-" of its name; of a Job: its index; -1: none */
  char revision[REBALI_REVISION]; /* label controller-revision-hash */
};

/* In the order in which they came. */
struct rebali_pods {
  struct rebali_pod *list;
  size_t n, capacity;
};

/* A copy of a pod behind the others. */
int32_t rebali_pods_add(struct rebali_pods *pods, const struct rebali_pod *pod, rebal_error *err);
/* Those that are marked as gone go: how many records were there. */
size_t rebali_pods_sweep(struct rebali_pods *pods);
int64_t rebali_pods_count(const struct rebali_pods *pods);
int64_t rebali_pods_ready(const struct rebali_pods *pods);
/* Those without a node. */
int64_t rebali_pods_pending(const struct rebali_pods *pods);

struct rebali_leavers;
/*
 * Those of a member that are not gone or done, the first to go first, as a ReplicaSet deletes them; of those that are
 * alike the one that came last. The object of each is its place among the pods. out->list from malloc in any case.
 */
int32_t rebali_pods_in_order(const struct rebali_pods *pods, const rebal_time *now, struct rebali_leavers *out,
                             rebal_error *err);

/* From now on it gets ready in so long, or, where it does not run, not by time alone. */
void rebali_pod_start(struct rebali_pod *pod, const rebal_time *now, int64_t ready_after_ns, int is_running);
/* Those whose time has come are ready: so many records. */
size_t rebali_pods_ripen(struct rebali_pods *pods, const rebal_time *now);
/* *next becomes the time of the first that gets ready or leaves, when it is earlier. */
void rebali_pods_next(const struct rebali_pods *pods, rebal_time *next);

/* ---- their nodes (pod_nodes.c) ----------------------------------------------------------------------------------- */

/* Pods for which nodes are looked for, beside those that have one. */
struct rebali_seats {
  struct rebali_pod **pods;
  uint32_t *owners;
  size_t n, capacity, owners_capacity;
};

int32_t rebali_seats_add(struct rebali_seats *seats, struct rebali_pod *pod, uint32_t owner, rebal_error *err);
/* The highest priority first, then those that came first. */
int32_t rebali_seats_sort(struct rebali_seats *seats, rebal_error *err);
/*
 * Fills the core's result with a row of SEATED for each of them and for n_more pods that request what more says; flags
 * are REBAL_PLACE_FLAG_*. The snapshot has the nodes below the cluster.
 */
int32_t rebali_seats_find(const struct rebali_seats *seats, struct rebali_core *core, rebal_snapshot *snapshot,
                          uint32_t cluster, uint32_t flags, uint32_t more, size_t n_more, rebal_error *err);
void rebali_seats_dispose(struct rebali_seats *seats);

/* The number of a PriorityClass; 0: there is no such class. "" has 0. */
int rebali_priority_class(struct rebali_server *server, const char *name, int64_t *value);

#endif
