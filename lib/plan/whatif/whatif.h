/* SPDX-License-Identifier: MIT */
/* lib/plan/whatif/whatif.h - hypothetical decisions, which are never carried out. */
#ifndef REBALI_WHATIF_H
#define REBALI_WHATIF_H

#include "estimator/fast/fits.h"
#include "plan/plan.h"
#include "scheduler/scheduler.h"

/* ---- a binding decided without a result (question.c) ------------------------------------------------------------ */

struct rebali_question {
  rebal_ctx *ctx;
  rebal_snapshot *snapshot;
  const rebal_bindings *bindings;
  rebal_schedule_opts opts; /* checked; its ledger is charged */
  rebal_error *err;
};
/* Reads the answer. May use up the pass. */
typedef int32_t (*rebali_question_read)(struct rebali_pass *pass, const struct rebali_failures *failures,
                                        void *user_data);
/* How a binding is decided. */
struct rebali_decision_request {
  const uint64_t *lost; /* bits of lost clusters; NULL: none */
  int32_t trigger;      /* REBALI_TRIGGER_* */
  int is_charged;       /* the ledger is charged */
  int is_new;           /* with the given replicas, without targets and tasks */
  int32_t replicas;
  const uint32_t *placement;       /* handle of another placement; NULL: the binding's own */
  struct rebali_surcharge *beside; /* charges in addition to the ledger's; NULL: none. If void, nothing is read */
  int32_t (*decide)(struct rebali_pass *pass, void *user_data); /* instead of all phases; NULL: all phases */
};
int32_t rebali_question_run(const struct rebali_question *question, uint32_t row,
                            const struct rebali_decision_request *request, rebali_question_read read, void *user_data);
/* Decides a binding like rebal_schedule(), without a trigger and without the clusters of a bitset (NULL: none). */
int32_t rebali_question_decide(const struct rebali_question *question, uint32_t row, const uint64_t *lost,
                               rebali_question_read read, void *user_data);

/* ---- replicas by cluster (layout.c) ------------------------------------------------------------------------------ */

#define REBALI_NOT_NAMED (-1)
struct rebali_layout {
  int64_t *replicas;  /* by cluster row; REBALI_NOT_NAMED elsewhere */
  uint32_t *clusters; /* the n clusters named */
  size_t n;
  int64_t sum;
};
/* Returns REBAL_ENOMEM without filling an error. */
int32_t rebali_layout_init(struct rebali_layout *layout, struct rebali_arena *arena, size_t rows);
void rebali_layout_clear(struct rebali_layout *layout);
/* Adds replicas; a negative number counts as 0. */
void rebali_layout_add(struct rebali_layout *layout, uint32_t cluster, int64_t replicas);
/* Sets the layout to the targets of a binding. */
void rebali_layout_targets(struct rebali_layout *layout, const rebal_bindings *bindings, uint32_t row);
/* Sets the layout to the answer of a pass, or if it was refused to what is present without the lost clusters. */
void rebali_layout_answer(struct rebali_layout *layout, const struct rebali_pass *pass,
                          const struct rebali_layout *present);
/* Returns the replicas that stay where they are. */
int64_t rebali_layout_kept(const struct rebali_layout *before, const struct rebali_layout *after);
int rebali_layout_equal(const struct rebali_layout *left, const struct rebali_layout *right);
/* moved(x, y) of rebalance-plan(7) 1. */
static inline int64_t rebali_layout_moved(int64_t sum_before, int64_t sum_after, int64_t kept) {
  return sum_before - kept - (sum_before > sum_after ? sum_before - sum_after : 0);
}

/* ---- losses (losses.c) ------------------------------------------------------------------------------------------- */

struct rebali_loss {
  uint32_t kind; /* REBAL_LOSS_* */
  uint32_t set;  /* REBAL_NONE: not a set of the caller's */
  struct rebali_text name;
  const uint32_t *clusters;
  size_t n;
};
struct rebali_losses {
  struct rebali_loss *list;
  size_t n;
  size_t capacity;
};
/* Loads and checks the options of a sweep, except those of its decisions. */
int32_t rebali_losses_check(const rebal_snapshot *snapshot, const rebal_sweep_opts *given, rebal_sweep_opts *opts,
                            rebal_error *err);
/* Appends losses to an empty list in memory of the arena. Returns REBAL_ENOMEM without filling an error. */
int32_t rebali_losses_list(struct rebali_arena *arena, const rebal_snapshot *snapshot, const rebal_sweep_opts *opts,
                           struct rebali_losses *out);
int32_t rebali_losses_reserve(struct rebali_arena *arena, struct rebali_losses *losses, size_t more);

/* ---- on which clusters an answer depends (support.c, windows.c) -------------------------------------------------- */

/* The answer stays while what fits into the cluster is within least and most; INT32_MAX: no limit. */
struct rebali_window {
  uint32_t cluster;
  int64_t least;
  int64_t most;
};
/* Losing clusters that are not targets, not in the answer and not in more leaves the answer unchanged. */
struct rebali_support {
  uint64_t *more;      /* bits by cluster row; NULL: none */
  size_t words;        /* of bits */
  uint64_t *feasible;  /* of all groups tried; set if more is this set or has_others is set */
  uint64_t *witnesses; /* of a selection by region: may replace more; NULL: unknown */
  int reads_capacity;  /* other charges of a ledger may change the answer, in any feasible cluster */
  int has_windows;     /* they may where a window is left */
  int has_others;      /* they may also where more fits into a feasible cluster than before */
  struct rebali_window *windows;
  size_t n_windows;
  int is_copies; /* the answer is every feasible cluster: without some of them it is the rest */
};
/* Finds the support of a pass that has ended, and uses the pass up. Memory is the arena's. */
int32_t rebali_support_find(struct rebali_pass *pass, const struct rebali_failures *failures,
                            struct rebali_arena *arena, struct rebali_support *support);
/* windows.c: replaces reads_capacity by windows, where they are known, and finds witnesses. */
int32_t rebali_windows_find(const struct rebali_pass *pass, const struct rebali_failures *failures,
                            struct rebali_arena *arena, struct rebali_support *support);

/* ---- what is used of clusters (use.c) ---------------------------------------------------------------------------- */

/* How much of one resource one replica, or one set of components, takes. */
struct rebali_take_of {
  uint32_t resource; /* id */
  int64_t amount;    /* thousandths of cpu, units of others */
};
struct rebali_price_of {
  struct rebali_take_of *takes;
  size_t n;
};
struct rebali_use {
  struct rebali_arena *arena;
  rebal_snapshot *snapshot;
  const rebal_bindings *bindings;
  const rebal_compat *compat;
  size_t n_resources;
  uint32_t pods;                   /* resource id, or REBAL_NONE */
  const uint32_t *by_name;         /* resources */
  int64_t *used;                   /* by cluster row, then resource */
  int64_t *allocatable;            /* likewise; 0: none */
  struct rebali_price_of **prices; /* by handle of requirements + 1 */
  size_t n_prices;
  uint32_t *order; /* clusters by how full they are, fullest first */
  size_t n_order;
  uint64_t *touched; /* bits by cluster row: changed by the current loss */
  uint32_t *touched_list;
  size_t n_touched;
  int64_t *saved; /* previous rows of used of the touched clusters */
  size_t saved_capacity;
  const rebal_allocator *allocator;
};
/* Replicas, or sets, that a binding has in a cluster in addition to before. */
struct rebali_use_change {
  uint32_t loss;
  uint32_t binding;
  uint32_t cluster;
  int32_t is_set;
  int64_t amount;
};
struct rebali_fullest {
  uint32_t cluster;  /* REBAL_NONE: none */
  uint32_t resource; /* id */
  int64_t permille;
};
/* Reads the list of resources; the first four members must be set. */
void rebali_use_resources(struct rebali_use *use);
/*
 * Reads what the summaries and the ledger (NULL: none) hold. Returns REBAL_ENOMEM without filling an error, like the
 * calls below.
 */
int32_t rebali_use_init(struct rebali_use *use, const rebal_ledger *ledger);
int32_t rebali_use_add(struct rebali_use *use, const struct rebali_use_change *change);
/* Returns what one replica, or one set, of a binding takes; after rebali_use_resources(). NULL without memory. */
const struct rebali_price_of *rebali_use_price(struct rebali_use *use, uint32_t binding, int is_set);
/* Ranks the clusters; must be called after everything held without a loss was added. */
int32_t rebali_use_rank(struct rebali_use *use);
/* Finds the fullest cluster that is not lost after some changes, and undoes the changes. */
int32_t rebali_use_fullest(struct rebali_use *use, const struct rebali_use_change *changes, size_t n,
                           const uint64_t *lost, struct rebali_fullest *out);
void rebali_use_dispose(struct rebali_use *use);

/* ---- charges that a loss changes (shifts.c) ---------------------------------------------------------------------- */

struct rebali_claims {
  const struct rebali_claim *list;
  size_t n;
};
/* How the charges of a binding differ with the loss. */
struct rebali_shift {
  struct rebali_text key;
  uint32_t key_id;
  struct rebali_claims otherwise;
  struct rebali_claims base;
  struct rebali_shift *next;
};
/*
 * Reads what a key holds. Components are the ledger's. Returns REBAL_ENOMEM without filling an error, like the calls
 * below.
 */
int32_t rebali_claims_read(const rebal_ledger *ledger, struct rebali_text key, struct rebali_arena *arena,
                           struct rebali_claims *out);
/* Returns NULL without memory. */
struct rebali_claim *rebali_claims_copy(struct rebali_arena *arena, const struct rebali_claim *claims, size_t n);
int rebali_claims_equal(const struct rebali_claims *left, const struct rebali_claims *right);
int32_t rebali_claims_write(rebal_ledger *ledger, struct rebali_text key, const struct rebali_claims *claims);
/* Charges all shifts of a list as with the loss, or as without it. */
int32_t rebali_shifts_apply(rebal_ledger *ledger, const struct rebali_shift *first, int otherwise);
/* Adds a shift to a list; claims are copied. */
int32_t rebali_shifts_add(struct rebali_arena *arena, struct rebali_shift **list, const struct rebali_shift *shift);
/* Removes the shift of a key and returns it, or NULL if it is missing. */
const struct rebali_shift *rebali_shifts_forget(struct rebali_shift **list, uint32_t key_id);

/* ---- how much more clusters are charged with a loss than without (offsets.c) ------------------------------------- */

struct rebali_offset {
  uint32_t loss;
  uint32_t next;    /* of the same cluster; REBAL_NONE: the last one */
  int64_t n_claims; /* claims held in the cluster either with the loss or without */
  int is_exact;
};
/* The offsets of one loss, in no particular order. */
struct rebali_offsets_list {
  struct rebali_offset_of {
    uint32_t cluster;
    uint32_t place;
  } *list;
  size_t n;
  size_t capacity;
};
struct rebali_offsets {
  const rebal_allocator *allocator;
  size_t rows;
  size_t n_losses;
  struct rebali_offsets_list *of_loss;
  uint32_t *first;             /* by cluster row: its first offset, or REBAL_NONE */
  struct rebali_intern *pairs; /* loss and cluster; ids are places in the list */
  struct rebali_offset *list;
  size_t n;
  size_t capacity;
  int64_t *amounts; /* by place, in rows of a stride: replicas, then amounts by the ledger's names */
  size_t amounts_capacity;
  size_t stride;
  int64_t *most; /* by cluster row: upper bound of every amount so far */
  int64_t *least;
  int64_t *claims;                      /* by loss: sum of n_claims */
  int are_exact;                        /* all amounts so far are exact */
  struct rebali_surcharge beside;       /* of the current loss */
  uint64_t *fallen;                     /* bits by cluster row: some amount was below 0 */
  const struct rebali_component **held; /* by cluster row, while claims are compared */
};
int32_t rebali_offsets_init(struct rebali_offsets *offsets, const rebal_allocator *allocator,
                            struct rebali_arena *arena, size_t rows, size_t n_losses);
void rebali_offsets_dispose(struct rebali_offsets *offsets);
/* Adds a shift if change is 1, removes it if change is -1. lost: bits of the loss. */
int32_t rebali_offsets_add(struct rebali_offsets *offsets, const rebal_ledger *ledger, uint32_t loss,
                           const struct rebali_shift *shift, int change, const uint64_t *lost);

/* Returns the charges of a loss as additional charges beside the ledger, valid until rebali_offsets_let_go(). */
struct rebali_surcharge *rebali_offsets_take(struct rebali_offsets *offsets, uint32_t loss);
void rebali_offsets_let_go(struct rebali_offsets *offsets, uint32_t loss);

/* ---- a sweep (sweep.c, sweep_binding.c, sweep_write.c) ----------------------------------------------------------- */

/* The results of one binding. */
struct rebali_numbers {
  int64_t outcome;
  int64_t missing;
  int64_t moved;
};
/* Sums over bindings. Those of a loss are differences to those without a loss. */
struct rebali_totals {
  int64_t unplaced;
  int64_t missing;
  int64_t moved;
  int64_t decided;
};
struct rebali_affected {
  uint32_t loss;
  uint32_t binding;
  struct rebali_numbers numbers;
};
struct rebali_sweep {
  struct rebali_question question;
  rebal_sweep_opts opts;
  const rebal_allocator *allocator;
  struct rebali_arena arena; /* for the whole call */
  struct rebali_arena turn;  /* for one binding */
  struct rebali_losses losses;
  size_t first; /* losses from first to end are processed; by_loss and others count from first */
  size_t end;
  size_t *first_of; /* by cluster row: its losses in losses_of, counted from first */
  uint32_t *losses_of;
  struct rebali_layout present; /* targets of the current binding */
  struct rebali_layout base;    /* its answer without a loss */
  struct rebali_layout trial;   /* its answer with a loss */
  struct rebali_numbers base_numbers;
  int64_t base_kept;
  int64_t wanted;        /* replicas of the binding */
  int is_set;            /* its clusters hold sets of components */
  int targets_are_plain; /* as in its pass */
  int is_charged;        /* its answer without a loss replaces what its key holds */
  struct rebali_support support;
  uint64_t *lost;   /* bits of the current loss */
  uint32_t *picked; /* losses that may change the binding's answer */
  size_t n_picked;
  uint64_t *is_picked; /* bits by loss */
  struct rebali_totals base_totals;
  struct rebali_totals *by_loss;
  struct rebali_use use;
  struct rebali_use_change *changes;
  size_t n_changes;
  size_t changes_capacity;
  struct rebali_affected *affected;
  size_t n_affected;
  size_t affected_capacity;
  struct rebali_shift **shifts; /* by loss; NULL: no ledger is read */
  struct rebali_offsets offsets;
  struct rebali_intern *keys; /* of bindings so far */
};
/* sweep.c: checks the inputs of calls over losses, and lists the losses; closed if it fails. */
int32_t rebali_sweep_open(struct rebali_sweep *sweep, rebal_ctx *ctx, rebal_snapshot *snapshot,
                          const rebal_bindings *bindings, const rebal_sweep_opts *opts, rebal_error *err);
void rebali_sweep_close(struct rebali_sweep *sweep);
static inline void rebali_loss_mark(const struct rebali_loss *loss, uint64_t *lost, int value) {
  for (size_t i = 0; i < loss->n; i++) {
    rebali_bit_set(lost, loss->clusters[i], value);
  }
}
/* sweep_binding.c: decides the next binding without a loss, and with each that may change its answer. */
int32_t rebali_sweep_binding(struct rebali_sweep *sweep, uint32_t row);
/* sweep_pick.c: picks the losses that may change the answer of a binding, by its support. */
void rebali_sweep_pick(struct rebali_sweep *sweep);
/* Picks those that may change it by the charges of others. */
int32_t rebali_sweep_pick_charged(struct rebali_sweep *sweep, uint32_t row);
/* sweep_write.c: writes the rows of the result. */
int32_t rebali_sweep_write(struct rebali_sweep *sweep, rebal_result *result);

#endif
