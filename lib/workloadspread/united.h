/* SPDX-License-Identifier: MIT */
/*
 * lib/workloadspread/united.h - private header of a UnitedDeployment's allocator (rebalance-workloadspread(7) 13).
 * Texts point into the record.
 */
#ifndef REBALI_UNITED_H
#define REBALI_UNITED_H

#include "fleet/fleet.h"
#include "rebalance/workloadspread.h"

/* One subset of spec.topology and the state of its workload. Amounts are 0 to INT32_MAX. */
struct rebali_united_subset {
  struct rebali_text name;
  uint32_t node;     /* of the UNITED_SUBSET in the record */
  uint32_t state;    /* REBAL_UNITED_STATE_*; 0: no workload, and the amounts below are 0 */
  int64_t replicas;  /* spec.replicas of the workload */
  int64_t observed;  /* its status.replicas */
  int64_t ready;     /* its status.readyReplicas */
  int64_t reserved;  /* pods in reserve */
  int64_t minimum;   /* the effective minimum; 0: none */
  int64_t maximum;   /* the effective maximum; INT32_MAX: none */
  int64_t allocated; /* the result */
};

struct rebali_united {
  const rebal_record *record;
  rebal_result *result;
  rebal_error *err;
  struct rebali_arena *arena;
  struct rebali_buffer message; /* why the numbers are contradictory */
  int64_t reason;               /* REBAL_UNITED_REASON_*; ALLOCATED: they are not */
  int64_t replicas;             /* spec.replicas, or REBAL_ABSENT */
  struct rebali_united_subset *subsets;
  size_t n;
  int is_adaptive;
  int reserves;
};

/* ---- united.c ---- */

/* Reads the record and the options (these into *known). The members before the arena must be set. */
int32_t rebali_united_load(struct rebali_united *united, const rebal_united_opts *opts, rebal_united_opts *known);
/* Decides replicas, or sets a reason and a message (13.2). REBAL_ENOMEM. */
int32_t rebali_united_decide(struct rebali_united *united);
/* Writes rows of ALLOCATED, none if the reason is not ALLOCATED, and the row of STEP. */
int32_t rebali_united_report(struct rebali_united *united, int64_t after_ns);

/* ---- united_limits.c ---- */

/*
 * Reads a field (INT_OR_TEXT) of a subset. Returns 0 and sets *number to 0 if it exists but cannot be read (13.1);
 * otherwise returns 1.
 */
int rebali_united_number(const struct rebali_united *united, uint32_t node, int64_t total, int64_t *number);
/* Reads minimum and maximum of each subset (13.3b). */
void rebali_united_read_limits(struct rebali_united *united);
/* Narrows limits so that running pods keep their subset and an unschedulable subset does not grow (13.4). */
void rebali_united_narrow_limits(struct rebali_united *united);
/* Allocates the minima in order, then up to the maxima in order, but no more than available (13.3b). */
void rebali_united_fill(struct rebali_united *united);

/* ---- united_fixed.c, united_reserve.c ---- */

/* Allocates the replicas specified by subsets; subsets without a value share the rest (13.3a). REBAL_ENOMEM. */
int32_t rebali_united_fix(struct rebali_united *united);
/* Allocates substitutes of pods in reserve in later subsets, so the sum may exceed spec.replicas (13.5). */
int32_t rebali_united_substitute(struct rebali_united *united);

#endif
