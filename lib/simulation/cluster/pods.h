/* SPDX-License-Identifier: MIT */
/*
 * lib/simulation/cluster/pods.h - pods of all kinds: in a member with nodes, in one without, or as objects of the
 * scenario's own cluster (pods.c, pod_nodes.c).
 */
#ifndef REBALI_SIMULATION_PODS_H
#define REBALI_SIMULATION_PODS_H

#include "simulation/core.h"

#include <rebalance/simulation.h>

#define REBALI_REVISION 64

/* Pods with equal members: a single pod if pods have nodes or are objects. */
struct rebali_pod {
  int64_t count;
  uint32_t object;       /* in the store; REBAL_NONE: no object */
  uint32_t requirements; /* handle */
  uint32_t node;         /* index among the cluster's; REBAL_NONE: none */
  int32_t stated;        /* priority of its template, 0 without */
  int32_t priority;
  int has_node; /* also set where no nodes are known */
  int phase;    /* 0 Pending, 1 Unknown, 2 Running: deleted in this order */
  int is_ready;
  int is_done;    /* Succeeded, Failed, or being deleted */
  int is_gone;    /* until the next sweep */
  int is_marked;  /* by a label of OpenKruise: to be deleted, or in a lifecycle state */
  int preempts;   /* scratch of one placing: it preempts others */
  uint64_t order; /* of creation */
  uint64_t read;  /* of an object: changes of the store when it was last read */
  rebal_time created;
  rebal_time since;     /* when it became unschedulable (condition PodScheduled is False); unset: it has a node */
  rebal_time ready_at;  /* unset: ready, or not becoming ready by time alone */
  rebal_time leaves_at; /* when its toleration of the node ends; unset: never */
  rebal_time ready_since;
  int64_t ordinal; /* of a StatefulSet: digits after the last "-" of its name; of a Job: its index; -1: none */
  char revision[REBALI_REVISION]; /* label controller-revision-hash */
};

/* In the order of creation. */
struct rebali_pods {
  struct rebali_pod *list;
  size_t n, capacity;
};

/* Appends a copy of a pod. */
int32_t rebali_pods_add(struct rebali_pods *pods, const struct rebali_pod *pod, rebal_error *err);
/* Removes the pods marked as gone and returns how many records that were. */
size_t rebali_pods_sweep(struct rebali_pods *pods);
int64_t rebali_pods_count(const struct rebali_pods *pods);
int64_t rebali_pods_ready(const struct rebali_pods *pods);
/* Returns the number of pods without a node. */
int64_t rebali_pods_pending(const struct rebali_pods *pods);

struct rebali_leavers;
/*
 * Lists the pods of a member that are not gone or done in the order in which a ReplicaSet deletes them; of equal ones
 * the newest first. The object of each is its place among the pods. out->list is from malloc, also after an error.
 */
int32_t rebali_pods_in_order(const struct rebali_pods *pods, const rebal_time *now, struct rebali_leavers *out,
                             rebal_error *err);

/* Lets a pod become ready after a time, or if it does not run, not by time alone. */
void rebali_pod_start(struct rebali_pod *pod, const rebal_time *now, int64_t ready_after_ns, int is_running);
/* Makes the pods ready whose time has come and returns how many records that were. */
size_t rebali_pods_ripen(struct rebali_pods *pods, const rebal_time *now);
/* Lowers *next to the time of the first pod that gets ready or leaves. */
void rebali_pods_next(const struct rebali_pods *pods, rebal_time *next);

/* ---- their nodes (pod_nodes.c) ----------------------------------------------------------------------------------- */

/* Pods that need nodes, and those that have one. */
struct rebali_seats {
  struct rebali_pod **pods;
  uint32_t *owners;
  size_t n, capacity, owners_capacity;
};

int32_t rebali_seats_add(struct rebali_seats *seats, struct rebali_pod *pod, uint32_t owner, rebal_error *err);
/* Sorts by priority, highest first, then by creation. */
int32_t rebali_seats_sort(struct rebali_seats *seats, rebal_error *err);
/*
 * Fills the core's result with a row of SEATED for each of them and for n_more pods with the requirements more; flags
 * are REBAL_PLACE_FLAG_*. The snapshot must hold the nodes below the cluster.
 */
int32_t rebali_seats_find(const struct rebali_seats *seats, struct rebali_core *core, rebal_snapshot *snapshot,
                          uint32_t cluster, uint32_t flags, uint32_t more, size_t n_more, rebal_error *err);
void rebali_seats_dispose(struct rebali_seats *seats);

/* Gets the number of a PriorityClass. Returns 0 if the class does not exist. The class "" has 0. */
int rebali_priority_class(struct rebali_server *server, const char *name, int64_t *value);

#endif
