/* SPDX-License-Identifier: MIT */
/*
 * lib/failover/failover.h - private header of the module "failover": evictions by taints, and the life of eviction
 * tasks (rebalance-karmada(7) 10).
 */
#ifndef REBALI_FAILOVER_H
#define REBALI_FAILOVER_H

#include "fleet/every_binding.h"
#include "rebalance/failover.h"

/* The pace of evictions, after the bindings visited so far. */
struct rebali_pace {
  rebal_time next; /* unset: at once */
  int64_t evicted;
  int64_t waiting;
};

/* A cluster in the targets, tasks, status items or memory of a binding (places.c). */
struct rebali_binding_place {
  int64_t cluster;  /* REBAL_NONE: of rows without a cluster */
  int64_t ready;    /* most ready replicas of a status item, or 0 */
  uint32_t target;  /* position of the first target, or REBAL_NONE, as the next four */
  uint32_t free;    /* position of the first target not taken by an eviction */
  uint32_t task;    /* first row of TASK */
  uint32_t item;    /* first row of STATUS_ITEM */
  uint32_t memory;  /* application.c: first row of UNHEALTHY */
  int is_forgotten; /* application.c: evicted, or a status item has another health */
  size_t unhealthy; /* application.c: position of the first unhealthy status item; SIZE_MAX: none */
};

struct rebali_place_target {
  uint32_t next; /* position of the next target of the same cluster, or REBAL_NONE */
  int is_taken;  /* by an eviction */
};

struct rebali_places {
  struct rebali_binding_place *items; /* by cluster; in the scratch of the context, like the targets */
  size_t n;
  struct rebali_place_target *targets; /* by position */
};

/* One public call. Visits get the address of the first member, which is also that of the struct. */
struct rebali_failover_call {
  struct rebali_every_binding every;
  rebal_ctx *ctx;
  rebal_failover_opts opts;     /* as loaded by rebali_failover_run() */
  uint32_t cluster;             /* REBAL_NONE: the call is not on a single cluster */
  struct rebali_pace pace;      /* as initialized by rebali_pace_load() */
  struct rebali_buffer message; /* why the visited binding fails; valid while bindings are visited */
  struct rebali_buffer used;    /* valid like message: marks the nodes of the placement's tolerations in use */
  struct rebali_places places;  /* as read by rebali_places_read() */
};

/* call.c: checks inputs and options, then visits every binding. */
int32_t rebali_failover_run(struct rebali_failover_call *call, const rebal_failover_opts *opts,
                            rebali_every_binding_visit visit);

/* Loads options. Checks only struct_size and flags. */
int32_t rebali_failover_options(rebal_failover_opts *known, const rebal_failover_opts *opts, rebal_error *err);

/* Adds a row of STEP with the call's message, then clears the message. */
int32_t rebali_failover_retry(struct rebali_failover_call *call, int64_t reason);

/* places.c: reads the places of a binding. Empties the scratch of the context. REBAL_ENOMEM. */
int32_t rebali_places_read(struct rebali_failover_call *call, uint32_t binding);
/* Returns the place of a cluster of the binding, in logarithmic time. */
struct rebali_binding_place *rebali_place_of(const struct rebali_places *places, int64_t cluster);

/* task.c: appends a task unchanged, except for the creation time if created is not NULL. */
void rebali_task_build(struct rebali_every_binding *every, uint32_t task, const rebal_time *created);

/* ---- pace.c: one binding is evicted each interval ---- */

/* Checks the options of the pace. */
int32_t rebali_pace_load(struct rebali_failover_call *call);
/* Returns the time until a binding that is due now may be evicted; 0: now. */
int64_t rebali_pace_left_ns(struct rebali_failover_call *call);
void rebali_pace_evict(struct rebali_failover_call *call);
/* Adds WAKE and a row of STEP for a binding that is due but must wait. */
int32_t rebali_pace_wait(struct rebali_failover_call *call, uint32_t binding, int64_t left_ns);
/* Writes the row of PACE if there is a pace. Empties the result without memory. */
int32_t rebali_pace_write(struct rebali_failover_call *call);

/* ---- preserve.c: the columns of the state that a rule-set preserves ---- */

struct rebali_preservation {
  uint32_t rules; /* of the binding; the others are of its status items */
  uint32_t state;
  uint32_t error;
};

/*
 * Returns the labels to preserve, or REBAL_NONE if none are required or available. If they are required but not
 * available, the call's message, which must be empty before, has the reason. The places of the binding must have been
 * read, and include the cluster.
 */
int64_t rebali_preserved_state(struct rebali_failover_call *call, uint32_t binding, uint32_t cluster,
                               const struct rebali_preservation *of);

/* ---- replacement.c: replacement of evicted replicas ---- */

struct rebali_replacement {
  int is_ready;
  int is_enough;  /* assigned replicas are healthy and enough, whether or not the scheduler has run since */
  int is_stale;   /* ready by a health from before a target grew */
  int is_wanted;  /* 0: the workload was scaled to zero */
  int is_nowhere; /* the binding has no targets */
};

/*
 * Examines the replacement of evicted replicas. This function and rebali_warn_removal() need the places of the binding.
 */
struct rebali_replacement rebali_replacement_find(const struct rebali_failover_call *call, uint32_t binding);
/* Returns the mode, except that STRICT_EVICTION replaces direct purging. */
struct rebali_text rebali_purge_mode(const struct rebali_failover_call *call, struct rebali_text mode);
/* Returns whether tasks time out. With STRICT_EVICTION they do not. */
int rebali_may_time_out(const struct rebali_failover_call *call);
/* Adds a row of WARNING, unless nothing ran in the cluster. If no replicas were assigned, ready replicas count. */
int32_t rebali_warn_removal(struct rebali_failover_call *call, uint32_t binding, int64_t cluster, int64_t replicas,
                            struct rebali_text row_name);

/* ---- evict.c ---- */

struct rebali_eviction {
  uint32_t cluster;
  struct rebali_text purge_mode;
  struct rebali_text reason;
  struct rebali_text producer;
  int64_t grace_period_seconds; /* REBAL_ABSENT: none, like the next member */
  int64_t suppress_deletion;
  int64_t preserved; /* LABELS, or REBAL_NONE */
  int names_targets; /* the task lists the targets before the eviction */
  uint32_t target;   /* set by rebali_evict(): position of the removed target, or REBAL_NONE */
};

/*
 * Patches the binding by n evictions of clusters among its places, in order. Each removes the first remaining target of
 * its cluster, if any. The first of a cluster adds a task if it removes a target and the cluster has no task
 * (rebalance-karmada(7) 10.1).
 */
int32_t rebali_evict(struct rebali_failover_call *call, uint32_t binding, struct rebali_eviction *evictions, size_t n);

/* ---- verdict.c ---- */

struct rebali_taint_verdict {
  int64_t kind;     /* REBAL_TAINT_VERDICT_* */
  int64_t after_ns; /* AFTER: the time left, otherwise REBAL_ABSENT */
  struct rebali_text message;
};

/*
 * Computes the verdict on a binding (rebalance-karmada(7) 10.3). taints may be NULL: none. REBAL_ENOMEM is the only
 * failure.
 */
int32_t rebali_taint_judge(struct rebali_failover_call *call, const rebal_record *taints, uint32_t binding,
                           struct rebali_taint_verdict *verdict);

#endif
