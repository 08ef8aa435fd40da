/* SPDX-License-Identifier: MIT */
/*
 * lib/workloadspread/united.h - private header of a UnitedDeployment's allocator (rebalance-workloadspread(7) 13).
 * Texts point into the record.
 */
#ifndef REBALI_UNITED_H
#define REBALI_UNITED_H

#include "fleet/fleet.h"
#include "rebalance/workloadspread.h"

/* One subset of spec.topology and what is known of its workload. Amounts are 0 to INT32_MAX. */
struct rebali_united_subset {
  struct rebali_text name;
  uint32_t node;     /* of the UNITED_SUBSET in the record */
  uint32_t state;    /* REBAL_UNITED_STATE_*; 0: it has no workload, and the amounts below are 0 */
  int64_t replicas;  /* spec.replicas of the workload */
  int64_t observed;  /* its status.replicas */
  int64_t ready;     /* its status.readyReplicas */
  int64_t reserved;  /* pods in reserve */
  int64_t minimum;   /* that counts; 0: none does */
  int64_t maximum;   /* that counts; INT32_MAX: none does */
  int64_t allocated; /* the answer */
};

struct rebali_united {
  const rebal_record *record;
  rebal_result *result;
  rebal_error *err;
  struct rebali_arena *arena;
  struct rebali_buffer message; /* why the numbers contradict each other */
  int64_t reason;               /* REBAL_UNITED_REASON_*; ALLOCATED: they do not */
  int64_t replicas;             /* spec.replicas, or REBAL_ABSENT */
  struct rebali_united_subset *subsets;
  size_t n;
  int is_adaptive;
  int reserves;
};

/* ---- united.c ---- */

/* Reads the record and the options, these into *known; the members up to the arena are given. */
int32_t rebali_united_load(struct rebali_united *united, const rebal_united_opts *opts, rebal_united_opts *known);
/* Decides replicas, or says a reason and a message (13.2). REBAL_ENOMEM. */
int32_t rebali_united_decide(struct rebali_united *united);
/* Rows of ALLOCATED, none when there is a reason against them, and the row of STEP. */
int32_t rebali_united_tell(struct rebali_united *united, int64_t after_ns);

/* ---- united_limits.c ---- */

/* A field (INT_OR_TEXT) of a subset: 0 when it is there but cannot be read (13.1), *number is 0 then; else 1. */
int rebali_united_number(const struct rebali_united *united, uint32_t node, int64_t total, int64_t *number);
/* Minimum and maximum of each subset (13.3b). */
void rebali_united_read_limits(struct rebali_united *united);
/* Running pods stay where they are, and a subset that cannot be scheduled to grows no more (13.4). */
void rebali_united_narrow_limits(struct rebali_united *united);
/* First the minima in order, then up to the maxima in order: never more than there is (13.3b). */
void rebali_united_fill(struct rebali_united *united);

/* ---- united_fixed.c, united_reserve.c ---- */

/* Replicas as each subset says; those that say nothing share the rest (13.3a). REBAL_ENOMEM. */
int32_t rebali_united_fix(struct rebali_united *united);
/* Pods in reserve get substitutes in later subsets, so that there may be more than spec.replicas (13.5). */
int32_t rebali_united_substitute(struct rebali_united *united);

#endif
