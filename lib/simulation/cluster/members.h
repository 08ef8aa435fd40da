/* SPDX-License-Identifier: MIT */
/*
 * lib/simulation/cluster/members.h - the member clusters: their nodes, where these are known, and their works; a work
 * is the pods of one binding in one cluster (members.c, works.c, placing.c, node_taints.c, estimates.c).
 */
#ifndef REBALI_SIMULATION_MEMBERS_H
#define REBALI_SIMULATION_MEMBERS_H

#include "simulation/cluster/pods.h"

/* The options of one cluster in the head of a scenario. */
struct rebali_member_option {
  const char *cluster;
  int64_t ready_after_ns, report_after_ns;
  const rebal_value *nodes; /* as written; NULL: no known nodes */
};

/* How a pod gets to a node or leaves it. */
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

/* Such a change, for the log. */
struct rebali_pod_moved {
  uint32_t way, binding, node;
  uint32_t by; /* the binding of the pod that took its place; REBAL_NONE: none */
};

struct rebali_member_node {
  uint32_t object; /* in the member's store */
  int is_lost;
};

/* A member cluster. */
struct rebali_member {
  struct rebali_members *members;
  char *cluster;
  uint32_t object; /* its Cluster in the store; REBAL_NONE: missing */
  int64_t ready_after_ns, report_after_ns;
  rebal_store *store;               /* its Nodes; NULL: not known, every assigned pod fits */
  rebal_feed *feed;                 /* from the store into the fleet */
  struct rebali_member_node *nodes; /* by name, like their rows in the fleet */
  size_t n_nodes;
  struct rebali_work **works; /* by binding */
  size_t n_works, works_capacity;
  size_t n_pods;                  /* of all works */
  uint64_t order;                 /* pods created so far */
  struct rebali_pod_moved *moves; /* not logged yet */
  size_t n_moves, moves_capacity;
  rebal_time next;       /* time of the first pod that gets ready or leaves */
  int is_lost;           /* nothing changes in it, and it reports nothing */
  int is_joined;         /* its Cluster was seen, and all bindings were examined then */
  int is_stale;          /* pods must be placed */
  int is_changed;        /* nodes must be fed */
  int is_moved;          /* pods were added, removed or got ready: they must be counted */
  int is_unsummed;       /* what runs in it must be summed up again */
  char *base;            /* status.resourceSummary.allocated of the scenario, as JSON; NULL: not read yet */
  char *modeled;         /* its allocatableModelings, as JSON, "" without; read with the base */
  char *reported;        /* resources that it reported last */
  char *overuse;         /* what runs in it beyond its capacity; NULL: not examined yet */
  char *last_overuse;    /* the last such excess; NULL: there never was one */
  int64_t beyond_models; /* pods that fit on no node of its resource models */
};

/* The state of a work as known outside its member, which reports with a delay. */
struct rebali_report {
  int64_t replicas, ready;
  int is_made;    /* something was reported */
  rebal_time due; /* time of the next report; unset: nothing new */
};

/* The pods of one binding in one cluster. */
struct rebali_work {
  uint32_t binding;
  struct rebali_member *member;
  int64_t replicas, ready;
  int64_t pending; /* pods without a node, as logged last */
  struct rebali_report report;
  struct rebali_pods pods;
  int is_wanted;                     /* by clusters or eviction tasks of its binding */
  int is_applied;                    /* the member has it; before that nothing runs or is reported */
  int is_dropped;                    /* no replicas any more; its pods are removed when the member is reachable */
  int is_crashing;                   /* its pods never become ready */
  struct rebali_resource_list taken; /* by all its replicas */
  int64_t taken_replicas;            /* number of these replicas */
  uint64_t taken_as;                 /* requests_reported of its binding at that time */
};

/* What the members keep of a binding. */
struct rebali_bound {
  struct rebali_work **works; /* by cluster */
  size_t n, capacity;
  char *reported;             /* its aggregated status, as last written */
  int is_fully_applied;       /* as last written */
  int lacks_works;            /* a wanted cluster is not registered and has no work */
  char *requests;             /* what one replica requests, as JSON */
  uint64_t requests_reported; /* counts changes of requests; 0: not known yet */
  uint32_t requirements;      /* handle: requests of a replica at that generation */
  int64_t generation;         /* 0: not known yet */
};

struct rebali_members {
  struct rebali_core *core;
  struct rebali_member **list; /* by cluster */
  size_t n, capacity;
  size_t n_with_nodes;
  struct rebali_object_rows bindings; /* struct rebali_bound */
  struct rebali_ids renewed;          /* bindings to be examined even if they did not change */
  const struct rebali_member_option *options;
  size_t n_options;
  int64_t ready_after_ns, report_after_ns; /* of clusters without options */
  size_t max_pods;                         /* of a member with nodes */
  uint64_t requests_reported;
};

/* ---- clusters (members.c) ---------------------------------------------------------------------------------------- */

/* Makes the members that have nodes. For an error in a node, err->field names its member in the head. */
int32_t rebali_members_open(struct rebali_members *members, rebal_error *err);
void rebali_members_dispose(struct rebali_members *members);
/* Returns NULL if the member is not known. */
struct rebali_member *rebali_member_find(const struct rebali_members *members, const char *cluster);
/* Finds a member, or makes one without nodes. Returns NULL and fills err without memory. */
struct rebali_member *rebali_member_make(struct rebali_members *members, const char *cluster, rebal_error *err);
/* Returns the member of a Cluster in the store. Its reports are dropped if another Cluster had the name before. */
struct rebali_member *rebali_member_register(struct rebali_members *members, uint32_t object, rebal_error *err);
int rebali_member_is_lost(const struct rebali_members *members, const char *cluster);
/* Returns the index of a node by name, or REBAL_NONE. */
uint32_t rebali_member_node_of(const struct rebali_member *member, const char *name);
const char *rebali_member_node_name(const struct rebali_member *member, uint32_t node);
/* Forgets a cluster that was deleted: registered again, it is not lost and runs nothing yet. */
void rebali_member_forget(struct rebali_member *member);
/* Feeds the member's current nodes into the snapshot. *cluster is REBAL_NONE if the snapshot lacks the cluster. */
int32_t rebali_member_feed(struct rebali_member *member, uint32_t *cluster, rebal_error *err);
/* Returns when the first pod of any member gets ready or leaves; unset: none does. */
rebal_time rebali_members_next(const struct rebali_members *members);

/* ---- works (works.c) --------------------------------------------------------------------------------------------- */

struct rebali_bound *rebali_bound_find(const struct rebali_members *members, uint32_t binding);
/* Returns NULL if the binding has no work there. */
struct rebali_work *rebali_work_find(const struct rebali_members *members, uint32_t binding, const char *cluster);
/*
 * Sets the replicas of the binding in the member. A lost member does not receive the change, nor a member to which the
 * binding is not dispatched.
 */
int32_t rebali_work_want(struct rebali_member *member, uint32_t binding, int64_t replicas, int is_suspended,
                         rebal_error *err);
/* Makes n pods of a new work ready at once. Only for members without nodes, which list no pods. */
int32_t rebali_work_begin_ready(struct rebali_member *member, uint32_t binding, int64_t n, rebal_error *err);
/* Drops the works of a binding that are not wanted. */
void rebali_works_drop(struct rebali_members *members, uint32_t binding);
/* Makes the pods of a work unready, or lets them become ready again. */
void rebali_work_set_health(struct rebali_work *work, int is_healthy);
/*
 * Returns the replicas of a binding that have waited for a node of the cluster since before a time;
 * REBAL_FITS_NO_OPINION if the cluster has no nodes, REBAL_FITS_FAILED if it is lost.
 */
int64_t rebali_work_waiting(const struct rebali_work *work, const rebal_time *before);
/* Creates and removes the pods of each work of a member with nodes, and frees dropped works. */
int32_t rebali_works_follow(struct rebali_member *member, rebal_error *err);
/* Updates the pods on a node that was lost or has returned. */
void rebali_works_hold(struct rebali_member *member, uint32_t node, int is_lost);
/* Removes the pods on a node. */
int32_t rebali_works_leave(struct rebali_member *member, uint32_t node, rebal_error *err);
/* Starts a pod that was given a node. */
void rebali_pod_seat(struct rebali_work *work, struct rebali_pod *pod, uint32_t node);
/* Marks a pod as gone and notes the reason. The next sweep removes it. */
int32_t rebali_pod_remove(struct rebali_work *work, enum rebali_pod_way way, struct rebali_pod *pod, uint32_t by,
                          rebal_error *err);
void rebali_works_sweep(struct rebali_member *member);
/* Requires that what runs in a cluster is summed up again. */
void rebali_capacity_touch(struct rebali_member *member);

/* ---- their pods (placing.c, node_taints.c, estimates.c) ---------------------------------------------------------- */

/*
 * Lets pods get ready or leave in each member, adds and removes them as works require, and places them. Adds the
 * bindings whose number of ready pods changed.
 */
int32_t rebali_members_settle(struct rebali_members *members, struct rebali_ids *bindings, rebal_error *err);
/* Logs how pods moved since the last call. */
int32_t rebali_moves_report(struct rebali_member *member, rebal_error *err);
int32_t rebali_move_note(struct rebali_member *member, enum rebali_pod_way way, uint32_t binding, uint32_t node,
                         uint32_t by, rebal_error *err);
/* Computes whether a pod tolerates its node, or until when; for all pods on a node. */
void rebali_pod_judge(const struct rebali_work *work, struct rebali_pod *pod);
void rebali_pods_judge(struct rebali_member *member, uint32_t node);
/* Estimates how many more pods of each binding fed get a node; *fits is from malloc. */
int32_t rebali_members_estimate(struct rebali_members *members, rebal_estimator *out, int32_t **fits, rebal_error *err);

#endif
