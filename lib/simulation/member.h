/* SPDX-License-Identifier: MIT */
/* lib/simulation/member.h - member clusters with nodes, and the pods on them. */
#ifndef REBALI_MEMBER_H
#define REBALI_MEMBER_H

#include "simulation.h"

/* A pod of a member with nodes. */
struct rebali_pod {
  uint32_t binding, requirements; /* handle */
  uint32_t node;                  /* index among the member's; REBAL_NONE: none yet */
  int32_t stated;                 /* priority of its template, 0 without */
  int32_t priority;
  int is_ready;
  int preempts;         /* scratch of one placing: it takes the room of others */
  int is_gone;          /* until the next sweep */
  rebal_time since;     /* unschedulable since then: its condition PodScheduled is False; unset: it has a node */
  rebal_time ready_at;  /* unset: it is ready, or does not become so by time alone */
  rebal_time leaves_at; /* set: it does not tolerate its node any longer */
};

struct rebali_member_node {
  uint32_t object; /* in the member's store */
  int is_lost;
};

/* How a pod comes to a node, or goes from it. */
enum rebali_pod_way {
  REBALI_POD_EVICTED,
  REBALI_POD_DRAINED,
  REBALI_POD_REPLACED,
  REBALI_POD_SURPLUS,
  REBALI_POD_UNASSIGNED,
  REBALI_POD_PREEMPTED,
  REBALI_POD_SEATED,
  REBALI_POD_PREEMPTS
};

/* One that did, for the log. */
struct rebali_pod_moved {
  uint32_t way, binding, node;
  uint32_t by; /* the binding of the pod that took its room; REBAL_NONE: nobody */
};

/* A member cluster with nodes, or one that a step said something of. */
struct rebali_member {
  char *cluster;
  rebal_store *store;               /* its Nodes; NULL: none are known, whatever is assigned finds room */
  rebal_feed *feed;                 /* of the store, into the fleet */
  struct rebali_member_node *nodes; /* by name, as the fleet's rows of them */
  size_t n_nodes;
  struct rebali_pod *pods; /* in the order in which they are placed */
  size_t n_pods, pods_capacity, max_pods;
  struct rebali_pod_moved *moves; /* that the log does not tell yet */
  size_t n_moves, moves_capacity;
  int is_lost;    /* nothing in it moves, and nothing is heard of it */
  int is_stale;   /* pods are to be placed */
  int is_changed; /* nodes are to be fed */
};

/* Members (member_nodes.c). */
int32_t rebali_member_nodes_read(const struct rebali_reading *outer, struct rebali_slice *out);
/* Makes the members with nodes of the scenario's head. */
int32_t rebali_members_open(rebal_simulation *simulation, rebal_error *err);
struct rebali_member *rebali_member_find(const rebal_simulation *simulation, const char *cluster);
/* The same, made without nodes when new; NULL without memory. */
struct rebali_member *rebali_member_make(rebal_simulation *simulation, const char *cluster);
void rebali_member_dispose(struct rebali_member *member);
int rebali_member_is_lost(const rebal_simulation *simulation, const char *cluster);
/* Its cluster is gone: one that is registered anew is not lost and runs nothing yet. NULL: nothing. */
void rebali_member_forget(struct rebali_member *member);
/* Its pods are to be placed again. */
void rebali_member_touch(const rebal_simulation *simulation, const char *cluster);

/* Pods (pods.c). */
/* Makes each work of the member have its pods. */
int32_t rebali_pods_follow(rebal_simulation *simulation, struct rebali_member *member, rebal_error *err);
/* Notes how a pod goes; it does with the next sweep, in time linear in the pods. */
int32_t rebali_pod_remove(struct rebali_member *member, enum rebali_pod_way way, struct rebali_pod *pod, uint32_t by,
                          rebal_error *err);
void rebali_pods_sweep(struct rebali_member *member);
void rebali_pod_seat(rebal_simulation *simulation, const struct rebali_member *member, struct rebali_pod *pod,
                     uint32_t node);
/* Those of a work start anew. */
void rebali_pods_restart(rebal_simulation *simulation, struct rebali_member *member, uint32_t binding);
/* Those on a node that was lost, or came back. */
void rebali_pods_hold(rebal_simulation *simulation, struct rebali_member *member, uint32_t node, int is_lost);
/* Whether a pod tolerates its node, or until when; of all on a node (node_taints.c). */
void rebali_pod_judge(rebal_simulation *simulation, const struct rebali_member *member, struct rebali_pod *pod);
void rebali_pods_judge(rebal_simulation *simulation, struct rebali_member *member, uint32_t node);
/* Those on a node go. */
int32_t rebali_pods_leave(struct rebali_member *member, uint32_t node, rebal_error *err);
/* Those whose time has come are ready, or go. */
int32_t rebali_pods_ripen(const rebal_simulation *simulation, struct rebali_member *member, rebal_error *err);
/* Notes how a pod moves (pod_moves.c); one without a node does not. */
int32_t rebali_pod_move(struct rebali_member *member, enum rebali_pod_way way, const struct rebali_pod *pod,
                        uint32_t by, rebal_error *err);
/* Logs what was noted since this was called last. */
int32_t rebali_pods_tell(rebal_simulation *simulation, struct rebali_member *member, rebal_error *err);
/* *next becomes the time of the first of these, when it is earlier. */
void rebali_pods_next(const rebal_simulation *simulation, rebal_time *next);
/* Counts those of each work; bindings where fewer or more are ready are added. */
int32_t rebali_pods_count(rebal_simulation *simulation, const struct rebali_member *member, struct rebali_ids *bindings,
                          rebal_error *err);
/*
 * The member's nodes as they are now go into the snapshot; *cluster is REBAL_NONE when it has no such cluster.
 */
int32_t rebali_member_feed(rebal_simulation *simulation, struct rebali_member *member, uint32_t *cluster,
                           rebal_error *err);
/* Gives the pods of all members their nodes (placing.c). */
int32_t rebali_placing_run(rebal_simulation *simulation, struct rebali_ids *bindings, rebal_error *err);

/* How many more pods of the binding in the first row find a node; *fits from malloc (member_estimates.c). */
int32_t rebali_member_estimate(rebal_simulation *simulation, rebal_estimator *out, int32_t **fits, rebal_error *err);

/* What a step expects of pods (expect_pods.c). */
int32_t rebali_expected_pods_read(const struct rebali_reading *outer, struct rebali_slice *out);
int32_t rebali_expected_pods_check(rebal_simulation *simulation, uint32_t binding, struct rebali_slice pods, int *holds,
                                   rebal_text *wanted, rebal_text *text, rebal_error *err);

/* The same of pods in the scenario's own cluster (expect_counts.c). */
int32_t rebali_expected_counts_read(const struct rebali_reading *reading);
int32_t rebali_expected_counts_check(rebal_simulation *simulation, uint32_t object, struct rebali_slice pods,
                                     int *holds, rebal_text *wanted, rebal_text *found, rebal_error *err);

/* Changes of members that a step says (member_steps.c), read into step->changes. */
const char *rebali_member_change_name(size_t which);
int32_t rebali_member_changes_read(const struct rebali_reading *outer, struct rebali_scenario_step *step);
int32_t rebali_member_changes_run(rebal_simulation *simulation, const struct rebali_scenario_step *step,
                                  rebal_error *err);
/* A taint of a node comes or goes; change is the map of the step's taint or untaint. */
int32_t rebali_node_taint(rebal_simulation *simulation, const struct rebali_scenario_step *step,
                          struct rebali_slice change, const struct rebali_taint_text *taint, int is_added,
                          rebal_error *err);

#endif
