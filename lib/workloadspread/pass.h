/* SPDX-License-Identifier: MIT */
/*
 * lib/workloadspread/pass.h - private header: one pass of the controller (rebalance-workloadspread(7) 4 to 7). All data
 * except the spread are in scratch memory of the call.
 */
#ifndef REBALI_PASS_H
#define REBALI_PASS_H

#include "workloadspread/node_class.h"
#include "workloadspread/spread.h"
#include "workloadspread/pods.h"

/* One pod of the list. */
struct rebali_grouped {
  int64_t score;   /* of its adoption; REBAL_ABSENT: it was not adopted */
  int64_t cost;    /* REBAL_ABSENT: none is set */
  int64_t written; /* the current cost, if in the format written by this library; otherwise REBAL_ABSENT */
  uint32_t row;
  uint32_t version;
  uint32_t subset; /* REBAL_NONE: none */
  uint32_t place;  /* in the order of 5.1; REBAL_NONE: not needed */
  uint8_t by;      /* REBAL_GROUPED_BY_* */
  uint8_t why;     /* REBAL_COST_REASON_* */
  uint8_t changes; /* REBAL_CHANGES_* */
  uint8_t is_active;
  uint8_t waits;    /* for a node, by its condition, and is not being deleted */
  uint8_t is_stuck; /* too long */
};

/* Pods of one version or of all, in one subset. */
struct rebali_tally {
  size_t active;
  size_t stuck;
};

/* One subset in a new list of the status. */
struct rebali_new_entry {
  const struct rebali_entry_status *old; /* NULL: the old list has no entry of this name */
  int32_t active;
  int32_t missing;
  const uint32_t *flights[2]; /* those that are kept: creating, deleting */
  size_t n_flights[2];
  size_t stuck;
  uint32_t condition; /* the new condition: REBALI_CONDITION_* */
};
enum rebali_condition_kind {
  REBALI_CONDITION_NONE,
  REBALI_CONDITION_OLD,        /* the old one unchanged */
  REBALI_CONDITION_OLD_REASON, /* the old one, with the reason for its status and without a message */
  REBALI_CONDITION_TRUE,       /* changes now */
  REBALI_CONDITION_FALSE
};
struct rebali_new_list {
  struct rebali_text version;
  uint32_t number;                  /* of the version */
  struct rebali_status_list *old;   /* NULL: none */
  struct rebali_new_entry *entries; /* by subset; NULL: a limit cannot be read */
};

struct rebali_spread_event {
  int is_warning;
  struct rebali_text reason;
  struct rebali_text message;
  struct rebali_spread_event *next;
};

struct rebali_spread_pass {
  rebal_spread *spread;
  const rebal_pods *pods;
  rebal_snapshot *snapshot; /* NULL: no node is known */
  uint32_t cluster;
  rebal_spread_opts opts;
  rebal_time now;
  struct rebali_arena *arena;
  rebal_builder *builder;
  rebal_result *result;
  rebal_error *err;
  int lacks_latest; /* the latest version is missing: only subsets are determined */

  struct rebali_grouped *members; /* in the order of the list; in buckets: by bucket, then in that order */
  size_t n;
  struct rebali_text_numbers versions; /* of pods and of the status; once grouped, sorted by their bytes */
  uint8_t *is_seen;                    /* by version: some pod has it */
  int32_t replicas;                    /* R */
  int64_t *limits;                     /* by subset, scaled; -1: none; REBAL_ABSENT: negative, or it cannot be read */
  uint32_t n_readable;                 /* subsets before the first whose limit is negative or cannot be read */

  size_t *first;                /* member of bucket [version * (n_subsets + 1) + subset]; one more at the end */
  struct rebali_tally *tallies; /* by bucket */
  struct rebali_tally *totals;  /* by subset, over all versions */

  struct rebali_new_list overall;
  struct rebali_new_list *lists; /* those that are kept, by version */
  size_t n_lists;
  int64_t soonest_ns; /* INT64_MAX: no timer */
  struct rebali_spread_event *events;
  struct rebali_spread_event **last_event;
};

static inline uint32_t rebali_pass_subsets(const struct rebali_spread_pass *pass) {
  return (uint32_t)pass->spread->spec.n_subsets;
}
/* Subset REBAL_NONE is the last bucket of a version. */
static inline size_t rebali_pass_bucket(const struct rebali_spread_pass *pass, uint32_t version, uint32_t subset) {
  const uint32_t n = rebali_pass_subsets(pass);

  return (size_t)version * (n + 1) + (subset == REBAL_NONE ? n : subset);
}
static inline int rebali_pass_option(const struct rebali_spread_pass *pass, uint32_t option) {
  return rebali_compat_value(pass->opts.compat, option) != 0;
}
static inline void rebali_pass_timer(struct rebali_spread_pass *pass, int64_t left_ns) {
  if (left_ns > 0 && left_ns < pass->soonest_ns) {
    pass->soonest_ns = left_ns;
  }
}

/* group.c: reads members with version and annotations, and limits. REBAL_ENOTFOUND: no such row. */
int32_t rebali_pass_group(struct rebali_spread_pass *pass, const uint32_t *rows, size_t n);
/* Returns the LABEL_SELECTOR of the target filter in the object; REBAL_NONE: all pods are selected. */
uint32_t rebali_pass_selector(const struct rebali_spread_pass *pass);
/* Puts members into buckets and counts them. Their subsets must be final. */
int32_t rebali_pass_fill_buckets(struct rebali_spread_pass *pass);
/* adopt.c: pods without annotation get the subset that suits their node best. */
int32_t rebali_pass_adopt(struct rebali_spread_pass *pass);
/* cost.c */
int rebali_pass_has_costs(const struct rebali_spread_pass *pass);
int32_t rebali_pass_cost(struct rebali_spread_pass *pass);
/* Returns the state of the workload's latest version, if pods of its kind have versions. */
int64_t rebali_pass_latest_state(const struct rebali_spread_pass *pass);
/* Formats a cost in decimal; digits has 24 bytes. */
struct rebali_text rebali_cost_text(int64_t cost, char *digits);
/* count.c: computes the lists of the new status, events, and the next timer. */
int32_t rebali_pass_count(struct rebali_spread_pass *pass);
/* conditions.c: finds the stuck pods; computes the condition of an entry. */
void rebali_pass_find_stuck(struct rebali_spread_pass *pass);
int32_t rebali_pass_condition(struct rebali_spread_pass *pass, uint32_t subset, struct rebali_new_entry *entry);
/* Returns the first condition Schedulable of an entry, or REBAL_NONE. */
uint32_t rebali_schedulable(const struct rebali_spread_pass *pass, const struct rebali_entry_status *entry);
/* Concatenates parts; bytes is NULL without memory. */
struct rebali_text rebali_pass_join(struct rebali_arena *arena, const struct rebali_text *parts, size_t n);
/* Adds an event. The parts of its message are concatenated. */
int32_t rebali_pass_event(struct rebali_spread_pass *pass, int is_warning, struct rebali_text reason,
                          const struct rebali_text *parts, size_t n);
/*
 * new_status.c: compares the new status with the old one; builds its record, if with_gone with the versions it loses.
 */
int rebali_pass_differs(const struct rebali_spread_pass *pass);
int32_t rebali_pass_build_status(const struct rebali_spread_pass *pass, int with_gone, rebal_builder *builder,
                                 const rebal_record **out);
/* rows.c: writes rows of SUBSET_COUNT with their warnings, and of GROUPED. */
int32_t rebali_pass_report_counts(struct rebali_spread_pass *pass);
int32_t rebali_pass_report_pods(struct rebali_spread_pass *pass);
/* actions.c: adds the actions, in turns if there are observations; then the row of STEP. */
int32_t rebali_pass_act(struct rebali_spread_pass *pass);
int32_t rebali_pass_end(struct rebali_spread_pass *pass, int64_t state, int64_t reason, struct rebali_text message);

/* deletion_order.c: sorts members in the order of 5.1, the first to be deleted first. REBAL_ENOMEM. */
int32_t rebali_deletion_sort(const rebal_pods *pods, const struct rebali_grouped *members, uint32_t *places, size_t n,
                             struct rebali_arena *arena);

#endif
