/* SPDX-License-Identifier: MIT */
/* lib/plan/whatif/counterfactual.h - single changes of the inputs, and decisions with one of them. */
#ifndef REBALI_COUNTERFACTUAL_H
#define REBALI_COUNTERFACTUAL_H

#include "plan/whatif/whatif.h"

/* One change. Texts belong to the records of the copy, or to the arena. */
struct rebali_counterfactual {
  uint32_t kind;            /* REBAL_SINGLE_CHANGE_* */
  uint32_t cluster;         /* REBAL_NONE: a change of the placement only */
  uint32_t node;            /* of the taint or the spread constraint in its record */
  uint32_t resource;        /* id */
  struct rebali_text name;  /* as in the result */
  struct rebali_text key;   /* of a label */
  struct rebali_text value; /* new value */
  int is_removed;           /* the label is removed */
  int32_t step;             /* of a bound: direction, 1 or -1 */
  int64_t unit;             /* amount of the resource for one replica */
  int64_t before;           /* REBAL_ABSENT: no number */
  int64_t after;
  int64_t replicas; /* replicas of the goal with the change */
  int64_t cost;
};
struct rebali_counterfactuals {
  struct rebali_counterfactual *list;
  size_t n;
  size_t capacity;
};

/* Decisions on one binding in a copy of the fleet. */
struct rebali_trial {
  struct rebali_question question; /* about the copy; the snapshot is that of the current decision */
  rebal_counterfactual_opts opts;
  rebal_fleet *fleet;
  rebal_bindings *bindings;
  rebal_ledger *ledger;
  rebal_snapshot *snapshot; /* the copy as the fleet is */
  rebal_builder *builder;
  struct rebali_arena arena;
  uint32_t row;
  uint32_t goal;                 /* id of the cluster to be chosen; REBAL_NONE: the binding must fit */
  const rebal_record *placement; /* NULL: no placement */
  int is_met;                    /* by the last decision */
  int64_t replicas;              /* of the goal in that decision */
};

/* trial.c: opens a trial. Closed if it fails. */
int32_t rebali_trial_open(struct rebali_trial *trial, rebal_ctx *ctx, const rebal_fleet *fleet,
                          const rebal_bindings *bindings, const rebal_counterfactual_opts *opts);
void rebali_trial_close(struct rebali_trial *trial);
/* Decides with a change and undoes it afterward; NULL: without a change. */
int32_t rebali_trial_decide(struct rebali_trial *trial, const struct rebali_counterfactual *change);

/* placement_edit.c: returns the placement with a change of one of its kinds; valid until the builder's next record. */
int32_t rebali_placement_edit(struct rebali_trial *trial, const struct rebali_counterfactual *change,
                              const rebal_record **out);

/* changes.c: lists all changes to try, with numbers as they are now. The list is allocated with the allocator. */
int32_t rebali_counterfactuals_list(struct rebali_trial *trial, const rebal_allocator *allocator,
                                    struct rebali_counterfactuals *out);

/* label_changes.c: a label that the placement requires. */
struct rebali_wish {
  struct rebali_text key;
  struct rebali_text value;
  int has_value; /* 0: any value */
};
/* Lists them sorted, each once. Returns REBAL_ENOMEM without filling an error. */
int32_t rebali_wishes_list(struct rebali_arena *arena, const rebal_record *placement, struct rebali_wish **out,
                           size_t *n);

/* counterfactual_search.c: finds the nearest number that meets the goal; *found is 0 if there is none. */
int32_t rebali_counterfactual_search(struct rebali_trial *trial, struct rebali_counterfactual *change, int *found);

#endif
