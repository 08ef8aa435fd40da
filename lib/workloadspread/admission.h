/* SPDX-License-Identifier: MIT */
/* lib/workloadspread/admission.h - functions of rebal_spread_admit() (rebalance-workloadspread(7) 3). */
#ifndef REBALI_ADMISSION_H
#define REBALI_ADMISSION_H

#include "workloadspread/spread.h"

/* State of one spread during a call. */
struct rebali_admission_spread {
  uint8_t verdict;         /* of the last owner: 0, or 1 + enum rebali_referral */
  uint8_t is_beyond_limit; /* a deletion freed capacity beyond a limit */
};
/* A change of a status by a call, to be undone in reverse order. */
struct rebali_admission_change {
  uint32_t spread;
  uint32_t list;
  uint32_t entry;
  int32_t missing; /* before the change */
  enum rebali_list_state state;
  int was_changed;
  uint32_t moved; /* a flight whose time was changed; REBAL_NONE: a flight was added */
  rebal_time since;
};
/* Result for one pod. */
struct rebali_admitted {
  int64_t outcome;
  uint32_t spread; /* or REBAL_NONE, here and below */
  uint32_t subset;
  uint32_t owner;
  int is_recorded;
  int is_by_id;
  struct rebali_text subset_name;
  struct rebali_text message;
};

/* A charge of a call to the ledger, to be undone in reverse order. */
struct rebali_simulation_charge {
  struct rebali_text key;
  struct rebali_held before;
};
/* State of the option SPREAD_SIMULATION; snapshot NULL: no simulation. */
struct rebali_simulation {
  rebal_ctx *ctx;
  rebal_snapshot *snapshot;
  rebal_ledger *ledger;         /* may be NULL */
  const uint32_t *requirements; /* of pod i in subset s: [i * stride + s] */
  size_t stride;
  uint32_t cluster;
  uint8_t *is_full; /* by subset, for the current pod: no node has capacity */
  struct rebali_simulation_charge *charges;
  size_t n_charges;
};

/* State of a call. */
struct rebali_admission {
  rebal_spread *const *spreads;
  size_t n_spreads;
  const rebal_pods *pods;
  const rebal_compat *compat;
  const rebal_record *white_list;
  uint32_t flags;
  int has_options; /* an option is set that the plain rule does not support */
  rebal_time now;
  rebal_result *result;
  struct rebali_simulation simulation;
  size_t place;                          /* of the current pod, in the batch */
  struct rebali_admission_spread *known; /* by spread */
  uint32_t owner;                        /* the last owner */
  int owner_is_supported;
  int owner_is_tracked;
  struct rebali_admission_change *changes;
  size_t n_changes;
  rebal_error *err;
};

/*
 * matching.c: finds the spread of a pod and writes it to *admitted. If the outcome is not CHOSEN, no subset must be
 * chosen.
 */
void rebali_admission_match(struct rebali_admission *admission, uint32_t row, struct rebali_admitted *admitted);
/*
 * choose.c: chooses the subset of a pod that belongs to a spread. REBAL_ENOMEM, or REBAL_EINVAL for a pod without name
 * and id.
 */
int32_t rebali_admission_choose(struct rebali_admission *admission, uint32_t row, struct rebali_admitted *admitted);
/*
 * Returns the key that a pod is recorded by: its name, or its id if it has no name. Empty, with the error filled, if it
 * has neither.
 */
struct rebali_text rebali_admission_key(const struct rebali_admission *admission, uint32_t row);
void rebali_admission_undo(struct rebali_admission *admission);
/* ordinal.c: chooses the subset of a pod of a StatefulSet. */
int32_t rebali_admission_by_ordinal(struct rebali_admission *admission, uint32_t row, struct rebali_admitted *admitted);
/* Returns the number after the last "-" of a name, or -1 if it is missing or exceeds 31 bits. */
int32_t rebali_ordinal(struct rebali_text name);

/*
 * eligible.c: rebali_eligible_entry() returns the entry of a list that a pod gets, by the options, or REBAL_NONE.
 * rebali_eligible_reason() returns why an entry before that one is passed over: REBAL_PASS_OVER_*.
 */
uint32_t rebali_eligible_entry(const struct rebali_admission *admission, rebal_spread *spread, uint32_t list);
int64_t rebali_eligible_reason(const struct rebali_admission *admission, rebal_spread *spread, uint32_t list,
                               uint32_t entry);
/* Returns whether the entry has capacity, regardless of nodes. */
int rebali_eligible_is_open(const struct rebali_admission *admission, rebal_spread *spread, uint32_t list,
                            uint32_t entry);
/* Returns whether the list lacks replicas of a minReplicas in an entry that has capacity. */
int rebali_eligible_minimum(const struct rebali_admission *admission, rebal_spread *spread, uint32_t list);

/* simulate.c: returns whether nodes are checked for pods of the spread. */
int rebali_simulates(const struct rebali_admission *admission, const rebal_spread *spread);
/* Checks nodes for the pod at `place`, in the subsets of a list that have capacity, as far as needed. Fills is_full. */
int32_t rebali_simulate(struct rebali_admission *admission, rebal_spread *spread, uint32_t list);
/* Charges what the pod in a row, identified by its name or id, needs in a subset. */
int32_t rebali_simulation_charge(struct rebali_admission *admission, const rebal_spread *spread, uint32_t row,
                                 uint32_t subset);
void rebali_simulation_undo(struct rebali_admission *admission);
int32_t rebali_simulation_check(const rebal_admit_opts *opts, const rebal_pods *pods, size_t n, rebal_error *err);
int32_t rebali_simulation_begin(struct rebali_admission *admission, rebal_ctx *ctx, const rebal_admit_opts *opts,
                                size_t n);

/* pass_over.c: adds rows of PASSED_OVER for the entries examined before the given one (REBAL_NONE: all). */
int32_t rebali_pass_over_entries(struct rebali_admission *admission, uint32_t row, uint32_t spread, uint32_t list,
                                 uint32_t entry);
/* subset: index, or REBAL_NONE for a subset of the status, given by name. */
int32_t rebali_pass_over(struct rebali_admission *admission, uint32_t row, uint32_t spread, uint32_t subset,
                         struct rebali_text name, int64_t why, int64_t missing);

#endif
