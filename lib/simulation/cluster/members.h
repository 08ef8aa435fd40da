/* SPDX-License-Identifier: MIT */
/*
 * lib/simulation/cluster/members.h - the member clusters: their nodes, where these are known, and the works in them,
 * which are the pods of one binding in one cluster (members.c, works.c, placing.c, node_taints.c, estimates.c).
 */
#ifndef REBALI_SIMULATION_MEMBERS_H
#define REBALI_SIMULATION_MEMBERS_H

#include "simulation/cluster/pods.h"

/* What the head of a scenario says of one cluster. */
struct rebali_member_option {
  const char *cluster;
  int64_t ready_after_ns, report_after_ns;
  const rebal_value *nodes; /* as they are written; NULL: it has none that are known */
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
  uint32_t by; /* the binding of the pod that took its room; REBAL_NONE: none */
};

struct rebali_member_node {
  uint32_t object; /* in the member's store */
  int is_lost;
};

/* A member cluster. */
struct rebali_member {
  struct rebali_members *members;
  char *cluster;
  uint32_t object; /* its Cluster in the store; REBAL_NONE: it is not there */
  int64_t ready_after_ns, report_after_ns;
  rebal_store *store;               /* its Nodes; NULL: none are known, whatever is assigned finds room */
  rebal_feed *feed;                 /* of the store, into the fleet */
  struct rebali_member_node *nodes; /* by name, as the fleet's rows of them */
  size_t n_nodes;
  struct rebali_work **works; /* by binding */
  size_t n_works, works_capacity;
  size_t n_pods;                  /* of all its works */
  uint64_t order;                 /* pods that came so far */
  struct rebali_pod_moved *moves; /* that the log does not tell yet */
  size_t n_moves, moves_capacity;
  rebal_time next;       /* the first of its pods that gets ready or leaves */
  int is_lost;           /* nothing in it moves, and nothing is heard of it */
  int is_joined;         /* its Cluster was seen: all bindings were looked at then */
  int is_stale;          /* pods are to be placed */
  int is_changed;        /* nodes are to be fed */
  int is_moved;          /* pods came, went or got ready: they are to be counted */
  int is_unsummed;       /* what runs in it is to be summed up again */
  char *base;            /* status.resourceSummary.allocated of the scenario, as JSON; NULL: not read yet */
  char *modeled;         /* its allocatableModelings, as JSON, "" without; read with the base */
  char *reported;        /* what it reported last of its resources */
  char *overuse;         /* what runs in it beyond its capacity; NULL: nothing was looked at yet */
  char *last_overuse;    /* what ran in it so last; NULL: nothing ever did */
  int64_t beyond_models; /* pods that no node of its resource models takes */
};

/* What is known of a work outside its member, which reports late. */
struct rebali_report {
  int64_t replicas, ready;
  int is_made;    /* something was reported */
  rebal_time due; /* the next one; unset: nothing is new */
};

/* The pods of one binding in one cluster. */
struct rebali_work {
  uint32_t binding;
  struct rebali_member *member;
  int64_t replicas, ready;
  int64_t pending; /* pods without a node, as logged last */
  struct rebali_report report;
  struct rebali_pods pods;
  int is_wanted;                     /* by its binding's clusters or eviction tasks */
  int is_applied;                    /* the member has it; before that nothing of it runs or is reported */
  int is_dropped;                    /* it has no replicas any more; its pods go when the member hears of it */
  int is_crashing;                   /* none of its pods becomes ready */
  struct rebali_resource_list taken; /* by its replicas in all */
  int64_t taken_replicas;            /* of so many */
  uint64_t taken_as;                 /* what its binding requested then */
};

/* What the members know of a binding. */
struct rebali_bound {
  struct rebali_work **works; /* by cluster */
  size_t n, capacity;
  char *reported;         /* its aggregated status, as written last */
  int is_fully_applied;   /* as written last */
  int lacks_works;        /* a cluster that it wants has no work, as it is not registered */
  char *requests;         /* what one replica requests, as JSON */
  uint64_t requests_told; /* counts how often that changed; 0: not known yet */
  uint32_t requirements;  /* handle: what a replica requests by the generation */
  int64_t generation;     /* 0: not known yet */
};

struct rebali_members {
  struct rebali_core *core;
  struct rebali_member **list; /* by cluster */
  size_t n, capacity;
  size_t n_with_nodes;
  struct rebali_object_rows bindings; /* struct rebali_bound */
  struct rebali_ids renewed;          /* bindings to be looked at, whether they changed or not */
  const struct rebali_member_option *options;
  size_t n_options;
  int64_t ready_after_ns, report_after_ns; /* of clusters of which the options say nothing */
  size_t max_pods;                         /* of one with nodes */
  uint64_t requests_told;
};

/* ---- clusters (members.c) ---------------------------------------------------------------------------------------- */

/* Makes those that have nodes. An error of a node names its member of the head in err->field. */
int32_t rebali_members_open(struct rebali_members *members, rebal_error *err);
void rebali_members_dispose(struct rebali_members *members);
/* NULL: nothing is known of it. */
struct rebali_member *rebali_member_find(const struct rebali_members *members, const char *cluster);
/* The same, made without nodes when new; NULL without memory, which err then says. */
struct rebali_member *rebali_member_make(struct rebali_members *members, const char *cluster, rebal_error *err);
/* The member of a Cluster in the store, as new when another Cluster had its name before. */
struct rebali_member *rebali_member_register(struct rebali_members *members, uint32_t object, rebal_error *err);
int rebali_member_is_lost(const struct rebali_members *members, const char *cluster);
/* The index of a node by name; REBAL_NONE: there is none. */
uint32_t rebali_member_node_of(const struct rebali_member *member, const char *name);
const char *rebali_member_node_name(const struct rebali_member *member, uint32_t node);
/* Its cluster is gone: one that is registered anew is not lost and runs nothing yet. */
void rebali_member_forget(struct rebali_member *member);
/*
 * The member's nodes as they are now go into the snapshot; *cluster is REBAL_NONE when it has no such cluster.
 */
int32_t rebali_member_feed(struct rebali_member *member, uint32_t *cluster, rebal_error *err);
/* When the first pod of any gets ready or leaves; unset: none does. */
rebal_time rebali_members_next(const struct rebali_members *members);

/* ---- works (works.c) --------------------------------------------------------------------------------------------- */

struct rebali_bound *rebali_bound_find(const struct rebali_members *members, uint32_t binding);
/* NULL when the binding has none there. */
struct rebali_work *rebali_work_find(const struct rebali_members *members, uint32_t binding, const char *cluster);
/*
 * From now on the binding wants so many replicas there. A lost member does not hear of it, nor one to which the binding
 * is not dispatched.
 */
int32_t rebali_work_want(struct rebali_member *member, uint32_t binding, int64_t replicas, int is_suspended,
                         rebal_error *err);
/* So many of the pods of a new work have been ready before; in members without nodes, which tell of no pods. */
int32_t rebali_work_begin_ready(struct rebali_member *member, uint32_t binding, int64_t n, rebal_error *err);
/* Those of a binding that are not wanted go. */
void rebali_works_drop(struct rebali_members *members, uint32_t binding);
/* From now on its pods are not ready, or become so again. */
void rebali_work_set_health(struct rebali_work *work, int is_healthy);
/*
 * Replicas of a binding that have waited for a node of the cluster since before a time; REBAL_FITS_NO_OPINION where
 * the cluster has no nodes, REBAL_FITS_FAILED where it is lost.
 */
int64_t rebali_work_waiting(const struct rebali_work *work, const rebal_time *before);
/* Makes each work of a member with nodes have its pods, and frees those that were dropped. */
int32_t rebali_works_follow(struct rebali_member *member, rebal_error *err);
/* Those on a node that was lost, or came back. */
void rebali_works_hold(struct rebali_member *member, uint32_t node, int is_lost);
/* Those on a node go. */
int32_t rebali_works_leave(struct rebali_member *member, uint32_t node, rebal_error *err);
/* Starts a pod that got a node. */
void rebali_pod_seat(struct rebali_work *work, struct rebali_pod *pod, uint32_t node);
/* Notes how a pod goes; it does with the next sweep. */
int32_t rebali_pod_remove(struct rebali_work *work, enum rebali_pod_way way, struct rebali_pod *pod, uint32_t by,
                          rebal_error *err);
void rebali_works_sweep(struct rebali_member *member);
/* What runs in a cluster is to be summed up again. */
void rebali_capacity_touch(struct rebali_member *member);

/* ---- their pods (placing.c, node_taints.c, estimates.c) ---------------------------------------------------------- */

/*
 * In each member pods get ready or leave, come and go as works want it, and get their nodes; bindings where fewer or
 * more are ready are added.
 */
int32_t rebali_members_settle(struct rebali_members *members, struct rebali_ids *bindings, rebal_error *err);
/* Logs how pods moved since this was called last. */
int32_t rebali_moves_tell(struct rebali_member *member, rebal_error *err);
int32_t rebali_move_note(struct rebali_member *member, enum rebali_pod_way way, uint32_t binding, uint32_t node,
                         uint32_t by, rebal_error *err);
/* Whether a pod tolerates its node, or until when; of all on a node. */
void rebali_pod_judge(const struct rebali_work *work, struct rebali_pod *pod);
void rebali_pods_judge(struct rebali_member *member, uint32_t node);
/* How many more pods of each binding that was fed find a node; *fits from malloc. */
int32_t rebali_members_estimate(struct rebali_members *members, rebal_estimator *out, int32_t **fits, rebal_error *err);

#endif
