/* SPDX-License-Identifier: MIT */
/*
 * lib/simulation/scenario/plan_member.h - what a plan does in one member: a copy of the member's objects
 * (member_copy.c), in which pods are deleted and created (plan_member_pods.c), and the call (plan_member.c).
 */
#ifndef REBALI_SIMULATION_PLAN_MEMBER_H
#define REBALI_SIMULATION_PLAN_MEMBER_H

#include "simulation/controllers/controllers.h"

/* ---- the copy (member_copy.c) ------------------------------------------------------------------------------------ */

/* A separate cluster in which no pod gets ready; it affects nothing else. Must be disposed of. */
struct rebali_member_copy {
  const rebal_store *member;
  struct rebali_server server;
  struct rebali_core core;
  struct rebali_own own;
};

/* Copies the objects of these namespaces, and cluster-scoped ones. Must be disposed of, also after an error. */
int32_t rebali_member_copy_open(struct rebali_member_copy *copy, const rebal_store *member,
                                const struct rebali_intern *namespaces, const rebal_time *now,
                                const rebal_compat *compat, rebal_error *err);
void rebali_member_copy_dispose(struct rebali_member_copy *copy);
/* Adds an object of another store that the copy lacks; *out is its object in the copy. */
int32_t rebali_member_copy_add(struct rebali_member_copy *copy, const rebal_store *store, uint32_t object,
                               uint32_t *out, rebal_error *err);
/* Returns the member's object of an object of the copy, or REBAL_NONE. */
uint32_t rebali_member_object(const struct rebali_member_copy *copy, uint32_t object);
/* Finds the object of spec.resource in a store; REBAL_NONE if it is missing. */
int32_t rebali_member_workload(const rebal_store *store, const rebal_value *resource, uint32_t *out, rebal_error *err);

/* ---- pods (plan_member_pods.c) ----------------------------------------------------------------------------------- */

/* One replica that leaves or arrives; objects are the member's. */
struct rebali_member_row {
  uint32_t binding; /* row of the plan */
  uint32_t state;   /* REBAL_MEMBER_REPLICA_* */
  uint32_t pod, rule, spread, subset;
};
struct rebali_member_rows {
  struct rebali_member_row *list;
  size_t n, capacity;
};

/* A binding whose number of replicas in the member changes. */
struct rebali_member_change {
  uint32_t binding; /* row of the plan */
  int64_t before, after;
};

/* Add a row for each replica; workload is an object of the copy, or REBAL_NONE. */
int32_t rebali_member_leave(struct rebali_member_copy *copy, uint32_t workload,
                            const struct rebali_member_change *change, struct rebali_member_rows *rows,
                            rebal_error *err);
int32_t rebali_member_arrive(struct rebali_member_copy *copy, uint32_t workload,
                             const struct rebali_member_change *change, struct rebali_member_rows *rows,
                             rebal_error *err);

#endif
