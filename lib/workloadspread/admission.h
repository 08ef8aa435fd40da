/* SPDX-License-Identifier: MIT */
/*
 * lib/workloadspread/admission.h - the pieces of rebal_spread_admit() (rebalance-workloadspread(7) 3).
 */
#ifndef REBALI_ADMISSION_H
#define REBALI_ADMISSION_H

#include "workloadspread/spread.h"

/* What a call remembers of one of its spreads. */
struct rebali_admission_spread {
  uint8_t verdict;         /* of the owner seen last: 0, or 1 + enum rebali_referral */
  uint8_t is_beyond_limit; /* a deletion made room beyond a limit */
};
/* What a call recorded in a status, to be taken back in reverse. */
struct rebali_admission_change {
  uint32_t spread;
  uint32_t list;
  uint32_t entry;
  int32_t missing; /* before */
  enum rebali_list_state state;
  int was_changed;
  uint32_t moved; /* a flight that got another time; REBAL_NONE: one was added */
  rebal_time since;
};
/* What became of one pod. */
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

/* What a call charged to the ledger, to be taken back in reverse. */
struct rebali_simulation_charge {
  struct rebali_text key;
  struct rebali_held before;
};
/* Of the option SPREAD_SIMULATION; snapshot NULL: nothing is simulated. */
struct rebali_simulation {
  rebal_ctx *ctx;
  rebal_snapshot *snapshot;
  rebal_ledger *ledger;         /* may be NULL */
  const uint32_t *requirements; /* of pod i in subset s: [i * stride + s] */
  size_t stride;
  uint32_t cluster;
  uint8_t *is_full; /* by subset, for the pod looked at: no node has room */
  struct rebali_simulation_charge *charges;
  size_t n_charges;
};

/* A call. */
struct rebali_admission {
  rebal_spread *const *spreads;
  size_t n_spreads;
  const rebal_pods *pods;
  const rebal_compat *compat;
  const rebal_record *white_list;
  uint32_t flags;
  int has_options; /* some option makes the plain way wrong */
  rebal_time now;
  rebal_result *result;
  struct rebali_simulation simulation;
  size_t place;                          /* of the pod looked at, in the batch */
  struct rebali_admission_spread *known; /* by spread */
  uint32_t owner;                        /* seen last */
  int owner_is_supported;
  int owner_is_tracked;
  struct rebali_admission_change *changes;
  size_t n_changes;
  rebal_error *err;
};

/* matching.c: the spread a pod belongs to, in *admitted; an outcome other than CHOSEN: nothing is to be chosen. */
void rebali_admission_match(struct rebali_admission *admission, uint32_t row, struct rebali_admitted *admitted);
/* choose.c: for a pod that belongs to a spread. REBAL_ENOMEM, or REBAL_EINVAL for a pod without name and id. */
int32_t rebali_admission_choose(struct rebali_admission *admission, uint32_t row, struct rebali_admitted *admitted);
/* What a pod is recorded by: its name, or its id without one. Empty, with the error filled: it has neither. */
struct rebali_text rebali_admission_key(const struct rebali_admission *admission, uint32_t row);
void rebali_admission_undo(struct rebali_admission *admission);
/* ordinal.c: for a pod of a StatefulSet. */
int32_t rebali_admission_by_ordinal(struct rebali_admission *admission, uint32_t row, struct rebali_admitted *admitted);
/* The number behind the last "-" of a name; -1: none, or one beyond 31 bits. */
int32_t rebali_ordinal(struct rebali_text name);

/*
 * eligible.c: the entry of a list that a pod gets, by the options; REBAL_NONE: none. And what the plain rule and all
 * options together say of one entry: 0 when it could be the pod's, else REBAL_PASS_OVER_*.
 */
uint32_t rebali_eligible_entry(const struct rebali_admission *admission, rebal_spread *spread, uint32_t list);
int64_t rebali_eligible_reason(const struct rebali_admission *admission, rebal_spread *spread, uint32_t list,
                               uint32_t entry);
/* Has the entry room, wherever its nodes are? */
int rebali_eligible_is_open(const struct rebali_admission *admission, rebal_spread *spread, uint32_t list,
                            uint32_t entry);
/* Does the list lack replicas of some minReplicas, in an entry that has room? */
int rebali_eligible_minimum(const struct rebali_admission *admission, rebal_spread *spread, uint32_t list);

/* simulate.c: are nodes asked for pods of the spread? */
int rebali_simulates(const struct rebali_admission *admission, const rebal_spread *spread);
/* Asks the nodes for the pod at `place`, in the subsets of a list that have room, as far as needed: fills is_full. */
int32_t rebali_simulate(struct rebali_admission *admission, rebal_spread *spread, uint32_t list);
/* The pod in a row, by its name or id, holds what it needs in a subset from now on. */
int32_t rebali_simulation_charge(struct rebali_admission *admission, const rebal_spread *spread, uint32_t row,
                                 uint32_t subset);
void rebali_simulation_undo(struct rebali_admission *admission);
int32_t rebali_simulation_check(const rebal_admit_opts *opts, const rebal_pods *pods, size_t n, rebal_error *err);
int32_t rebali_simulation_begin(struct rebali_admission *admission, rebal_ctx *ctx, const rebal_admit_opts *opts,
                                size_t n);

/* pass_over.c: rows of PASSED_OVER for what was looked at before the entry (REBAL_NONE: all). */
int32_t rebali_pass_over_entries(struct rebali_admission *admission, uint32_t row, uint32_t spread, uint32_t list,
                                 uint32_t entry);
/* A subset, or REBAL_NONE: one of the status, by name. */
int32_t rebali_pass_over(struct rebali_admission *admission, uint32_t row, uint32_t spread, uint32_t subset,
                         struct rebali_text name, int64_t why, int64_t missing);

#endif
