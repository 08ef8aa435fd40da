/* SPDX-License-Identifier: MIT */
/*
 * lib/rebalancer/rebalancer.h - private header of the module "rebalancer": the WorkloadRebalancer's state machine
 * (rebalance-karmada(7) 9). Texts point into the object's record or into the arena of the run.
 */
#ifndef REBALI_REBALANCER_H
#define REBALI_REBALANCER_H

#include "fleet/fleet.h"
#include "rebalance/rebalancer.h"

struct rebali_workload {
  struct rebali_text api_version;
  struct rebali_text kind;
  struct rebali_text namespace_; /* empty: the workload is cluster scoped */
  struct rebali_text name;
};

/* An item of status.observedWorkloads; an empty result means pending. */
struct rebali_observed {
  struct rebali_workload workload;
  struct rebali_text result;
  struct rebali_text reason;
};

struct rebali_observed_list {
  struct rebali_observed *items;
  size_t n;
};

struct rebali_rebalancer_status {
  struct rebali_observed_list observed;
  int64_t generation;
  rebal_time finish_time;
};

/* The object as read. */
struct rebali_rebalancer {
  struct rebali_text name;
  struct rebali_text resource_version;
  int64_t generation;
  rebal_time created;
  struct rebali_workload *workloads;
  size_t n_workloads;
  int has_ttl;
  int64_t ttl_seconds;
  struct rebali_rebalancer_status status;
};

/* ---- object.c ---- */

/* Reads the object. REBAL_EINVAL: a record of another kind, or without metadata.creationTimestamp. */
int32_t rebali_rebalancer_read(const rebal_record *record, struct rebali_arena *arena, struct rebali_rebalancer *out,
                               rebal_error *err);

/* ---- workloads.c ---- */

/* Compares apiVersion, kind, namespace and name in byte order. */
int rebali_workload_compare(const struct rebali_workload *left, const struct rebali_workload *right);

/* Computes status.observedWorkloads before bindings are triggered (rebalance-karmada(7) 9.1, part 1). */
int32_t rebali_workloads_merge(const struct rebali_rebalancer *rebalancer, struct rebali_arena *arena,
                               struct rebali_observed_list *out, rebal_error *err);

/* ---- binding_name.c ---- */

/* Returns rebal_binding_name() in memory of the arena; bytes is NULL without memory. */
struct rebali_text rebali_binding_name(struct rebali_arena *arena, struct rebali_text name, struct rebali_text kind);

/* ---- status.c ---- */

/* Returns whether writing next changes current. Empty lists always do (rebalance-karmada(7) 9.2, last exception). */
int rebali_rebalancer_status_differs(const struct rebali_rebalancer_status *current,
                                     const struct rebali_rebalancer_status *next);

/* Builds the complete payload of the status write. */
int32_t rebali_rebalancer_status_build(const struct rebali_rebalancer_status *status, rebal_builder *builder,
                                       const rebal_record **out, rebal_error *err);

/* ---- one run (step.c) ---- */

enum rebali_fate { REBALI_FATE_WAITING, REBALI_FATE_SUCCESSFUL, REBALI_FATE_NOT_FOUND, REBALI_FATE_RETRY };

/* A pending item. Items with the same binding share the fate of the first of them. */
struct rebali_pending_item {
  size_t item;
  size_t leader; /* index of the first item with this binding among the pending */
  struct rebali_text namespace_;
  struct rebali_text binding;
  enum rebali_fate fate;
};

/*
 * Each call computes everything from the object and the observations, so no other state is kept between calls.
 * Ordinals, with i the index of an item in the new status and n their number: 2i reads the binding of item i, 2i+1
 * triggers it, 2n writes the status, 2n+1 ends the run (deletes the object, or sets a timer).
 */
struct rebali_rebalancer_run {
  const rebal_observations *observations;
  const rebal_time *now;
  rebal_result *result;
  rebal_error *err;
  rebal_builder *builder;
  struct rebali_arena arena;
  struct rebali_rebalancer object;
  struct rebali_rebalancer_status status; /* the new one */
  struct rebali_pending_item *pending;
  size_t n_pending;
  size_t n_retry; /* items whose binding could not be read or written */
  int waiting;    /* an action on a binding has not been observed yet */
};

int32_t rebali_run_add_action(struct rebali_rebalancer_run *run, const struct rebali_action *action);

/* ---- bindings.c ---- */

/* Determines the fate of each pending item, and adds the next actions (rebalance-karmada(7) 9.1, part 2). */
int32_t rebali_trigger_bindings(struct rebali_rebalancer_run *run);

#endif
