/* SPDX-License-Identifier: MIT */
/*
 * lib/workloadspread/united_step.h - one pass of an adaptive UnitedDeployment (rebalance-workloadspread(7) 13.6): the
 * state of subsets by their pods and conditions, before replicas are allocated.
 */
#ifndef REBALI_UNITED_STEP_H
#define REBALI_UNITED_STEP_H

#include "workloadspread/united.h"

/* The condition Schedulable of a subset, from the record or set by the pass. */
struct rebali_united_condition {
  uint32_t entry; /* UNITED_SUBSET_STATUS of the subset in the record, REBAL_NONE: none */
  uint32_t node;  /* the CONDITION there, REBAL_NONE: none */
  int is_present;
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

/* Reads the subsets' conditions, including those of new subsets. REBAL_ENOMEM. */
int32_t rebali_united_read_conditions(struct rebali_united_step *step);
int rebali_united_is_false(const struct rebali_united_condition *condition);
/*
 * Sets a condition. If status and reason are unchanged, does nothing; otherwise replaces all fields, including the
 * time.
 */
void rebali_united_set_condition(struct rebali_united_step *step, size_t subset, int is_true, struct rebali_text reason,
                                 struct rebali_text message);
/* Adds PATCH_STATUS if a condition changed. */
int32_t rebali_united_write_conditions(struct rebali_united_step *step);

/* ---- united_pods.c ---- */

/* Counts pods that wait too long or are in reserve, and adds actions for wrong labels. */
int32_t rebali_united_examine_pods(struct rebali_united_step *step);

/* ---- united_scale.c ---- */

/*
 * Adds SCALE for workloads whose replicas differ from those of their subsets. REBAL_EINVAL, REBAL_ELIMIT, REBAL_ENOMEM.
 */
int32_t rebali_united_scale(struct rebali_united_step *step, const rebal_united_opts *opts);

/* ---- united_step.c ---- */

/* Sets a timer: a result may change after left_ns nanoseconds, not exactly then but right after. */
void rebali_united_look_again(struct rebali_united_step *step, int64_t left_ns);
/* Returns an action on the UnitedDeployment itself; the caller sets the remaining members. */
struct rebali_action rebali_united_action(const struct rebali_united_step *step, int64_t kind);
int32_t rebali_united_add_action(struct rebali_united_step *step, struct rebali_action action);

#endif
