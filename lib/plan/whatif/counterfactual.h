/* SPDX-License-Identifier: MIT */
/*
 * lib/plan/whatif/counterfactual.h - what would have to be otherwise: changes, and decisions with one of them.
 */
#ifndef REBALI_COUNTERFACTUAL_H
#define REBALI_COUNTERFACTUAL_H

#include "plan/whatif/whatif.h"

/* One thing that could be otherwise. Texts are of the records of the copy, or of the arena. */
struct rebali_counterfactual {
  uint32_t kind;            /* REBAL_SINGLE_CHANGE_* */
  uint32_t cluster;         /* REBAL_NONE: it is of the placement alone */
  uint32_t node;            /* of the taint or the spread constraint in its record */
  uint32_t resource;        /* id */
  struct rebali_text name;  /* as the result gives it */
  struct rebali_text key;   /* of a label */
  struct rebali_text value; /* what it becomes */
  int is_removed;           /* the label */
  int32_t step;             /* of a bound: 1 or -1, the direction */
  int64_t unit;             /* what one replica takes of the resource */
  int64_t before;           /* REBAL_ABSENT: there is no number */
  int64_t after;
  int64_t replicas; /* what the goal has with the change */
  int64_t cost;
};
struct rebali_counterfactuals {
  struct rebali_counterfactual *list;
  size_t n;
  size_t capacity;
};

/* Decisions on one binding in a copy of the fleet. */
struct rebali_trial {
  struct rebali_question question; /* of the copy; the snapshot is that of the decision under way */
  rebal_counterfactual_opts opts;
  rebal_fleet *fleet;
  rebal_bindings *bindings;
  rebal_ledger *ledger;
  rebal_snapshot *snapshot; /* of the copy as the fleet is */
  rebal_builder *builder;
  struct rebali_arena arena;
  uint32_t row;
  uint32_t goal;                 /* id of the cluster that is to be chosen; REBAL_NONE: the binding is to fit */
  const rebal_record *placement; /* NULL: there is none */
  int is_met;                    /* by the last decision */
  int64_t replicas;              /* of the goal in it */
};

/* trial.c. Closed if it fails. */
int32_t rebali_trial_open(struct rebali_trial *trial, rebal_ctx *ctx, const rebal_fleet *fleet,
                          const rebal_bindings *bindings, const rebal_counterfactual_opts *opts);
void rebali_trial_close(struct rebali_trial *trial);
/* Decides with a change, which is undone afterward; NULL: as things are. */
int32_t rebali_trial_decide(struct rebali_trial *trial, const struct rebali_counterfactual *change);

/* placement_edit.c: the placement with a change of one of its kinds, until the builder's next record. */
int32_t rebali_placement_edit(struct rebali_trial *trial, const struct rebali_counterfactual *change,
                              const rebal_record **out);

/* changes.c: all changes that may be tried, numbers still as they are; the list is the allocator's. */
int32_t rebali_counterfactuals_list(struct rebali_trial *trial, const rebal_allocator *allocator,
                                    struct rebali_counterfactuals *out);

/* label_changes.c: labels that the placement asks for. */
struct rebali_wish {
  struct rebali_text key;
  struct rebali_text value;
  int has_value; /* 0: any */
};
/* Sorted, each once. REBAL_ENOMEM without filling an error. */
int32_t rebali_wishes_list(struct rebali_arena *arena, const rebal_record *placement, struct rebali_wish **out,
                           size_t *n);

/* counterfactual_search.c: the nearest number with which the goal is met; *found 0: none is. */
int32_t rebali_counterfactual_search(struct rebali_trial *trial, struct rebali_counterfactual *change, int *found);

#endif
