/* SPDX-License-Identifier: MIT */
/*
 * lib/workloadspread/united_step.h - one pass of an adaptive UnitedDeployment (rebalance-workloadspread(7) 13.6): what
 * its pods and conditions say of the subsets before replicas are allocated.
 */
#ifndef REBALI_UNITED_STEP_H
#define REBALI_UNITED_STEP_H

#include "workloadspread/united.h"

/* The condition Schedulable of a subset: what the record says, or what the pass makes of it. */
struct rebali_united_condition {
  uint32_t entry; /* UNITED_SUBSET_STATUS of the subset in the record, REBAL_NONE: none */
  uint32_t node;  /* the CONDITION there, REBAL_NONE: none */
  int is_there;
  struct rebali_text status;
  struct rebali_text reason;
  struct rebali_text message;
  rebal_time since;
  int changed;
};

struct rebali_united_step {
  struct rebali_united united;
  const rebal_pods *pods;
  const uint32_t *rows; /* NULL: all */
  size_t n_rows;
  const rebal_time *now;
  rebal_builder *builder;
  int64_t critical_seconds;
  int64_t hold_seconds; /* unschedulableDuration */
  struct rebali_text revision;
  int has_update; /* status has a condition Updated */
  rebal_time update_since;
  size_t *by_name;                            /* indexes of subsets in the order of their names */
  struct rebali_united_condition *conditions; /* by subset */
  int64_t *stuck;                             /* by subset: pods that wait too long */
  int64_t soonest_ns;                         /* INT64_MAX: no timer */
};

/* ---- united_condition.c ---- */

/* Reads the subsets' conditions, those of new subsets included. REBAL_ENOMEM. */
int32_t rebali_united_read_conditions(struct rebali_united_step *step);
int rebali_united_is_false(const struct rebali_united_condition *condition);
/* Nothing when status and reason are these already; else all of it is new, the time too. */
void rebali_united_set_condition(struct rebali_united_step *step, size_t subset, int is_true, struct rebali_text reason,
                                 struct rebali_text message);
/* PATCH_STATUS when some condition changed. */
int32_t rebali_united_write_conditions(struct rebali_united_step *step);

/* ---- united_pods.c ---- */

/* Counts pods that wait too long, or are in reserve, and adds actions for labels that are wrong. */
int32_t rebali_united_look_at_pods(struct rebali_united_step *step);

/* ---- united_scale.c ---- */

/* SCALE of workloads that have other replicas than their subsets. REBAL_EINVAL, REBAL_ELIMIT, REBAL_ENOMEM. */
int32_t rebali_united_scale(struct rebali_united_step *step, const rebal_united_opts *opts);

/* ---- united_step.c ---- */

/* Something may be another way in so many nanoseconds; at the very moment it is not yet, but right after. */
void rebali_united_look_again(struct rebali_united_step *step, int64_t left_ns);
/* An action about the UnitedDeployment itself; the caller fills in the rest. */
struct rebali_action rebali_united_action(const struct rebali_united_step *step, int64_t kind);
int32_t rebali_united_add_action(struct rebali_united_step *step, struct rebali_action action);

#endif
