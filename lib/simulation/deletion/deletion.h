/* SPDX-License-Identifier: MIT */
/*
 * lib/simulation/deletion/deletion.h - which pods the controller of a workload deletes in one pass, and the order in
 * which it would delete the others: rules of order (deletion_rules.c), ranks (deletion_ranks.c), reading of pods
 * (deletion_pods.c), and one file for each kind.
 */
#ifndef REBALI_SIMULATION_DELETION_H
#define REBALI_SIMULATION_DELETION_H

#include "simulation/server.h"

#include <rebalance/simulation.h>

/* A pod that may be deleted. Texts belong to documents held by the reader of the pass. */
struct rebali_leaver {
  uint32_t object;
  const char *name, *uid, *node, *revision, *state; /* "": none */
  const rebal_value *tree, *labels;
  rebal_time ready_since, created;
  int64_t restarts, sidecar_restarts;
  int64_t ordinal; /* digits after the last "-" of its name; -1: none */
  int64_t index;   /* of an indexed Job; -1: none */
  double rank;
  int32_t cost;
  int phase; /* 0 Pending, 1 Unknown, 2 Running */
  int is_running, is_ready, is_terminating, is_finished;
  int is_fit;    /* CloneSet: available by minReadySeconds */
  int is_usable; /* CloneSet: available with 0 seconds */
  int is_old, is_specified, is_held;
};

/* Pods that a ReplicaSet or Job deletes in one pass at most. */
#define REBALI_DELETIONS 500

/* Must be disposed of. */
struct rebali_leavers {
  struct rebali_leaver *list;
  size_t n, capacity;
};

/* One pass of the controller of one workload. Must be disposed of. */
struct rebali_deletion {
  struct rebali_server *reader; /* its documents live as long as the pass */
  uint32_t workload;
  rebal_time now;
  const char *revision; /* of the template; NULL: status.updateRevision; "": pods are not distinguished */
  int has_unlabelled;   /* pods without a revision have that of the template */
  int is_parallel;      /* no pod of a StatefulSet waits for another */
  int is_simulated;     /* defaults are filled in; a pod is available once it is ready */
  struct rebali_leavers pods;
  struct rebali_deletion_row {
    uint32_t pod, rule, action; /* REBAL_NONE, REBAL_DELETION_RULE_*, REBAL_DELETION_ACTION_* */
    uint32_t is_old, is_specified;
    int64_t ordinal;
  } *rows;
  size_t n, capacity;
};

/* ---- the pass (deletion_order.c) --------------------------------------------------------------------------------- */

/* Reads the pods and decides. For a Deployment it does nothing. */
int32_t rebali_deletion_run(struct rebali_deletion *pass, rebal_error *err);
void rebali_deletion_dispose(struct rebali_deletion *pass);
/*
 * Runs the pass in a simulation, now, with its own reader, because the server releases its documents while pods are
 * deleted. Must be ended, also after an error; that disposes of the pass.
 */
int32_t rebali_deletion_begin(struct rebali_deletion *pass, const struct rebali_server *server,
                              struct rebali_server *reader, rebal_error *err);
void rebali_deletion_end(struct rebali_deletion *pass);
/* Adds a row for a pod; NULL: for a pod that is created. */
int32_t rebali_deletion_add(struct rebali_deletion *pass, const struct rebali_leaver *pod, uint32_t action,
                            rebal_error *err);
/* Adds rows of all pods, each with the rule that puts it before the next one; the first n of them are deleted. */
int32_t rebali_deletion_add_all(struct rebali_deletion *pass, const uint32_t *steps, size_t n, rebal_error *err);
/* By kind: replica sets and unknown kinds, jobs, CloneSets, both StatefulSets. */
int32_t rebali_deletion_of_replicas(struct rebali_deletion *pass, rebal_error *err);
int32_t rebali_deletion_of_job(struct rebali_deletion *pass, rebal_error *err);
int32_t rebali_deletion_of_clone_set(struct rebali_deletion *pass, rebal_error *err);
int32_t rebali_deletion_of_stateful_set(struct rebali_deletion *pass, rebal_error *err);

/* Limits of a CloneSet for its pods, with percentages resolved (deletion_clone_set.c). */
struct rebali_clone_limits {
  int64_t replicas, partition, max_surge, max_unavailable;
  int is_paused;
};
void rebali_clone_limits_read(struct rebali_server *reader, uint32_t workload, int is_simulated,
                              struct rebali_clone_limits *out);

/* Returns how many pods at a time a Job with this many active ones requires (deletion_order.c). */
int64_t rebali_job_wanted(struct rebali_server *server, uint32_t job, int64_t active);

/* ---- numbers of pods (ordinals.c) -------------------------------------------------------------------------------- */

/* Both ends are included. */
struct rebali_range {
  int64_t first, last;
};

/* The ordinals of the pods of a StatefulSet. Must be disposed of. */
struct rebali_ordinals {
  int is_advanced; /* of OpenKruise */
  int64_t start, replicas;
  int64_t end; /* after the last replica, counting reserved ones */
  struct rebali_range *reserved;
  size_t n_reserved;
};

/* Reads the ordinals. reserveOrdinals of OpenKruise: one malformed range empties the list. */
int32_t rebali_ordinals_read(struct rebali_server *server, uint32_t workload, struct rebali_ordinals *out,
                             rebal_error *err);
void rebali_ordinals_dispose(struct rebali_ordinals *ordinals);
/* Returns the first ordinal from this one on that is not reserved. */
int64_t rebali_ordinals_skip(const struct rebali_ordinals *ordinals, int64_t ordinal);
/* Tests whether it is the ordinal of a replica. */
int rebali_ordinals_want(const struct rebali_ordinals *ordinals, int64_t ordinal);

/* ---- pods (deletion_pods.c) -------------------------------------------------------------------------------------- */

struct rebali_leaver rebali_leaver_read(struct rebali_server *reader, uint32_t object);
/* Returns the completion index that annotations hold, or -1. */
int64_t rebali_index_of(const rebal_value *annotations);
/* Tests whether an owner reference has the uid: one whose controller is true, or any. */
int rebali_is_owned(const struct rebali_leaver *pod, const char *uid, int is_controlled);
static inline int rebali_is_active(const struct rebali_leaver *pod) {
  return !pod->is_finished && !pod->is_terminating;
}
/* Tests whether a pod is ready for more than this many seconds; with may_equal for at least as many. */
int rebali_is_available(const struct rebali_leaver *pod, const rebal_time *now, int64_t seconds, int may_equal);
/* Tests whether a lifecycle hook (preDelete) holds the pod by a finalizer or a label. */
int rebali_is_held(const rebal_value *hook, const struct rebali_leaver *pod);
/* Reads the pods in the workload's namespace that the function accepts, by name. */
typedef int rebali_leaver_test(struct rebali_deletion *pass, struct rebali_leaver *pod);
int32_t rebali_leavers_read(struct rebali_deletion *pass, rebali_leaver_test *is_taken, rebal_error *err);
int32_t rebali_leavers_add(struct rebali_leavers *leavers, const struct rebali_leaver *pod, rebal_error *err);
/* Tests whether labels match a selector. A missing or malformed selector matches nothing. */
int rebali_selector_has(const rebal_value *selector, const rebal_value *labels);

/* ---- order of pods (deletion_rules.c) ---------------------------------------------------------------------------- */

/* Lists of rules that end with NONE; the first rule that distinguishes two pods decides. */
extern const uint32_t rebali_steps_of_replicas[], rebali_steps_of_jobs[], rebali_steps_of_clones[],
    rebali_steps_of_nodes[], rebali_steps_of_groups[], rebali_steps_of_ordinals[];
/*
 * Returns less than 0 if left is deleted first, 0 if both are equal. *rule, which may be NULL: the rule that decides.
 */
int rebali_leaver_compare(const struct rebali_leaver *left, const struct rebali_leaver *right, const uint32_t *steps,
                          const rebal_time *now, uint32_t *rule);
/* Sorts in the order of deletion; stable. */
int32_t rebali_leavers_sort(struct rebali_leaver *list, size_t n, const uint32_t *steps, const rebal_time *now,
                            rebal_error *err);

/* ---- ranks (deletion_ranks.c) ------------------------------------------------------------------------------------ */

/* Ranks by active pods on the same node, over all ReplicaSets that have the controller of this one. */
int32_t rebali_ranks_of_replicas(struct rebali_deletion *pass, rebal_error *err);
/* Ranks n pods of a CloneSet that have one revision. */
int32_t rebali_ranks_of_clones(struct rebali_deletion *pass, struct rebali_leaver *list, size_t n, rebal_error *err);

#endif
