/* SPDX-License-Identifier: MIT */
/*
 * lib/failover/failover.h - private header of the room "failover": who is evicted by taints, and the life of eviction
 * tasks (rebalance-karmada(7) 10).
 */
#ifndef REBALI_FAILOVER_H
#define REBALI_FAILOVER_H

#include "fleet/every_binding.h"
#include "rebalance/failover.h"

/* The pace of evictions, as it is after the bindings visited. */
struct rebali_pace {
  rebal_time next; /* unset: at once */
  int64_t evicted;
  int64_t waiting;
};

/* A cluster that a binding names in its targets, tasks, status items or memory (places.c). */
struct rebali_binding_place {
  int64_t cluster;  /* REBAL_NONE: of rows that name none */
  int64_t ready;    /* most replicas that a status item reports as ready, or 0 */
  uint32_t target;  /* position of the first target, or REBAL_NONE, as the next four */
  uint32_t free;    /* position of the first target that no eviction has taken */
  uint32_t task;    /* first row of TASK */
  uint32_t item;    /* first row of STATUS_ITEM */
  uint32_t memory;  /* application.c: first row of UNHEALTHY */
  int is_forgotten; /* application.c: evicted, or a status item has another health */
  size_t unhealthy; /* application.c: position of the first status item that is unhealthy; SIZE_MAX: none */
};

struct rebali_place_target {
  uint32_t next; /* position of the next target of the same cluster, or REBAL_NONE */
  int is_taken;  /* by an eviction */
};

struct rebali_places {
  struct rebali_binding_place *items; /* by cluster; in the scratch of the context, as the targets */
  size_t n;
  struct rebali_place_target *targets; /* by position */
};

/* One public call. Visits get the address of its first member, and so its own. */
struct rebali_failover_call {
  struct rebali_every_binding every;
  rebal_ctx *ctx;
  rebal_failover_opts opts;     /* as rebali_failover_run() has loaded them */
  uint32_t cluster;             /* REBAL_NONE: the call is about no single one */
  struct rebali_pace pace;      /* as rebali_pace_load() has begun it */
  struct rebali_buffer message; /* why the binding visited fails; there while bindings are visited */
  struct rebali_buffer used;    /* as the message: which nodes of the binding's placement are tolerations in use */
  struct rebali_places places;  /* as rebali_places_read() has read them */
};

/* call.c: checks inputs and options, then visits every binding. */
int32_t rebali_failover_run(struct rebali_failover_call *call, const rebal_failover_opts *opts,
                            rebali_every_binding_visit visit);

/* Loads options; struct_size and flags alone are checked. */
int32_t rebali_failover_options(rebal_failover_opts *known, const rebal_failover_opts *opts, rebal_error *err);

/* A row of STEP with the call's message, which is empty again then. */
int32_t rebali_failover_retry(struct rebali_failover_call *call, int64_t reason);

/* places.c: reads the places of a binding; empties the scratch of the context. REBAL_ENOMEM. */
int32_t rebali_places_read(struct rebali_failover_call *call, uint32_t binding);
/* The place of a cluster that the binding names. Takes time logarithmic in the number of places. */
struct rebali_binding_place *rebali_place_of(const struct rebali_places *places, int64_t cluster);

/* task.c: appends a task as it is, with another creation time when created is not NULL. */
void rebali_task_build(struct rebali_every_binding *every, uint32_t task, const rebal_time *created);

/* ---- pace.c: one binding is evicted each interval ---- */

/* Checks the options of the pace. */
int32_t rebali_pace_load(struct rebali_failover_call *call);
/* Until a binding that is due now may be evicted; 0: it may be. */
int64_t rebali_pace_left_ns(struct rebali_failover_call *call);
void rebali_pace_evict(struct rebali_failover_call *call);
/* WAKE and a row of STEP for a binding that is due, but not its turn. */
int32_t rebali_pace_wait(struct rebali_failover_call *call, uint32_t binding, int64_t left_ns);
/* The row of PACE when there is a pace; empties the result when there is no memory. */
int32_t rebali_pace_write(struct rebali_failover_call *call);

/* ---- preserve.c: the columns of what a rule-set preserves ---- */

struct rebali_preservation {
  uint32_t rules; /* of the binding; the others of its status items */
  uint32_t state;
  uint32_t error;
};

/*
 * The labels to preserve, REBAL_NONE when none are asked for or none can be had: then the message of the call, which
 * was empty, says why. Needs the places of the binding, one of which is the cluster.
 */
int64_t rebali_preserved_state(struct rebali_failover_call *call, uint32_t binding, uint32_t cluster,
                               const struct rebali_preservation *of);

/* ---- replacement.c: what may stand in for replicas that are evicted ---- */

struct rebali_replacement {
  int is_ready;
  int is_enough;  /* what is assigned is healthy and all that is wanted, be it that the scheduler looked since or not */
  int is_stale;   /* ready by a health of before a target grew */
  int is_wanted;  /* 0: the workload was scaled to nothing */
  int is_nowhere; /* there are no targets */
};

/* The next two need the places of the binding. */
struct rebali_replacement rebali_replacement_find(const struct rebali_failover_call *call, uint32_t binding);
/* The mode as it is, but nothing is purged directly with STRICT_EVICTION. */
struct rebali_text rebali_purge_mode(const struct rebali_failover_call *call, struct rebali_text mode);
/* Does time end a task? Not with STRICT_EVICTION. */
int rebali_may_time_out(const struct rebali_failover_call *call);
/* A row of WARNING, unless nothing ran in the cluster. Where no replicas were assigned those that are ready count. */
int32_t rebali_warn_removal(struct rebali_failover_call *call, uint32_t binding, int64_t cluster, int64_t replicas,
                            struct rebali_text row_name);

/* ---- evict.c ---- */

struct rebali_eviction {
  uint32_t cluster;
  struct rebali_text purge_mode;
  struct rebali_text reason;
  struct rebali_text producer;
  int64_t grace_period_seconds; /* REBAL_ABSENT: none, as the next */
  int64_t suppress_deletion;
  int64_t preserved; /* LABELS, or REBAL_NONE */
  int names_targets; /* the task tells the targets as they were before */
  uint32_t target;   /* set by rebali_evict(): position of the target it takes, or REBAL_NONE */
};

/*
 * Patches the binding by n evictions of clusters among its places, in order: each takes the first target of its cluster
 * that is left, and the first of a cluster leaves a task, unless there is no such target or the cluster has a task
 * (rebalance-karmada(7) 10.1).
 */
int32_t rebali_evict(struct rebali_failover_call *call, uint32_t binding, struct rebali_eviction *evictions, size_t n);

/* ---- verdict.c ---- */

struct rebali_taint_verdict {
  int64_t kind;     /* REBAL_TAINT_VERDICT_* */
  int64_t after_ns; /* AFTER: what is left, else REBAL_ABSENT */
  struct rebali_text message;
};

/* Spec karmada 10.3. taints may be NULL: none. REBAL_ENOMEM is the only failure. */
int32_t rebali_taint_judge(struct rebali_failover_call *call, const rebal_record *taints, uint32_t binding,
                           struct rebali_taint_verdict *verdict);

#endif
