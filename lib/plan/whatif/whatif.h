/* SPDX-License-Identifier: MIT */
/*
 * lib/plan/whatif/whatif.h - what would be: decisions that nobody carries out.
 */
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
/* Reads the answer. It may use up the pass. */
typedef int32_t (*rebali_question_read)(struct rebali_pass *pass, const struct rebali_failures *failures,
                                        void *user_data);
/* How a binding is decided. */
struct rebali_asked {
  const uint64_t *lost; /* bits of clusters; NULL: none */
  int32_t trigger;      /* REBALI_TRIGGER_* */
  int is_charged;       /* to the ledger */
  int is_new;           /* with so many replicas, without targets and tasks */
  int32_t replicas;
  const uint32_t *placement;       /* handle of another placement than the binding's; NULL: its own */
  struct rebali_surcharge *beside; /* more charges than the ledger's; NULL: none. If void, nothing is read */
  int32_t (*decide)(struct rebali_pass *pass, void *user_data); /* instead of all phases; NULL: these */
};
int32_t rebali_question_run(const struct rebali_question *question, uint32_t row, const struct rebali_asked *asked,
                            rebali_question_read read, void *user_data);
/* Decides a binding as rebal_schedule(), without a trigger and without the clusters of a bitset (NULL: none). */
int32_t rebali_question_ask(const struct rebali_question *question, uint32_t row, const uint64_t *lost,
                            rebali_question_read read, void *user_data);

/* ---- replicas by cluster (layout.c) ------------------------------------------------------------------------------ */

#define REBALI_NOT_NAMED (-1)
struct rebali_layout {
  int64_t *replicas;  /* by cluster row; REBALI_NOT_NAMED elsewhere */
  uint32_t *clusters; /* those named, n of them */
  size_t n;
  int64_t sum;
};
/* REBAL_ENOMEM without filling an error. */
int32_t rebali_layout_init(struct rebali_layout *layout, struct rebali_arena *arena, size_t rows);
void rebali_layout_clear(struct rebali_layout *layout);
/* Less than 0 counts as 0. */
void rebali_layout_add(struct rebali_layout *layout, uint32_t cluster, int64_t replicas);
/* Makes it the targets of a binding. */
void rebali_layout_targets(struct rebali_layout *layout, const rebal_bindings *bindings, uint32_t row);
/* Makes it the answer of a pass: if refused what is present, without the clusters lost. */
void rebali_layout_answer(struct rebali_layout *layout, const struct rebali_pass *pass,
                          const struct rebali_layout *present);
/* Replicas that stay where they are. */
int64_t rebali_layout_kept(const struct rebali_layout *before, const struct rebali_layout *after);
int rebali_layout_equal(const struct rebali_layout *left, const struct rebali_layout *right);
/* moved(x, y) of rebalance-plan(7) 1. */
static inline int64_t rebali_layout_moved(int64_t sum_before, int64_t sum_after, int64_t kept) {
  return sum_before - kept - (sum_before > sum_after ? sum_before - sum_after : 0);
}

/* ---- losses (losses.c) ------------------------------------------------------------------------------------------- */

struct rebali_loss {
  uint32_t kind; /* REBAL_LOSS_* */
  uint32_t set;  /* REBAL_NONE: it is no set of the caller's */
  struct rebali_text name;
  const uint32_t *clusters;
  size_t n;
};
struct rebali_losses {
  struct rebali_loss *list;
  size_t n;
  size_t capacity;
};
/* Loads and checks the options of a sweep, those of its decisions apart. */
int32_t rebali_losses_check(const rebal_snapshot *snapshot, const rebal_sweep_opts *given, rebal_sweep_opts *opts,
                            rebal_error *err);
/* Appends to an empty list; memory of the arena. REBAL_ENOMEM without filling an error. */
int32_t rebali_losses_list(struct rebali_arena *arena, const rebal_snapshot *snapshot, const rebal_sweep_opts *opts,
                           struct rebali_losses *out);
int32_t rebali_losses_reserve(struct rebali_arena *arena, struct rebali_losses *losses, size_t more);

/* ---- on which clusters an answer depends (support.c, windows.c) -------------------------------------------------- */

/* The answer stays while what fits into a cluster is neither less nor more; INT32_MAX: without limit. */
struct rebali_window {
  uint32_t cluster;
  int64_t least;
  int64_t most;
};
/* Losing clusters that are no targets, not in the answer and not in more leaves the answer as it is. */
struct rebali_support {
  uint64_t *more;      /* bits by cluster row; NULL: none */
  size_t words;        /* of bits */
  uint64_t *feasible;  /* all of the groups that were tried, where more is these or others are looked at */
  uint64_t *witnesses; /* of a selection by region: these do for more; NULL: they do not */
  int reads_capacity;  /* other charges of a ledger may change the answer, wherever clusters are feasible */
  int has_windows;     /* they may where a window is left */
  int has_others;      /* and where more fits into a feasible cluster than before */
  struct rebali_window *windows;
  size_t n_windows;
  int is_copies; /* the answer is every feasible cluster: without some of them it is the others */
};
/* Of a pass that has ended, which it uses up; memory of the arena. */
int32_t rebali_support_find(struct rebali_pass *pass, const struct rebali_failures *failures,
                            struct rebali_arena *arena, struct rebali_support *support);
/* windows.c: replaces reads_capacity by windows, where they are known, and finds witnesses. */
int32_t rebali_windows_find(const struct rebali_pass *pass, const struct rebali_failures *failures,
                            struct rebali_arena *arena, struct rebali_support *support);

/* ---- what is used of clusters (use.c) ---------------------------------------------------------------------------- */

/* What one replica, or one set of components, takes of one resource. */
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
  uint32_t *order; /* clusters by how full they are, the fullest first */
  size_t n_order;
  uint64_t *touched; /* bits by cluster row: while a loss is looked at */
  uint32_t *touched_list;
  size_t n_touched;
  int64_t *saved; /* rows of used that are touched, as they were */
  size_t room_for_saved;
  const rebal_allocator *allocator;
};
/* So many replicas, or sets, of a binding in a cluster more than before. */
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
/* Reads which resources there are; the first four members are set. */
void rebali_use_resources(struct rebali_use *use);
/* What the summaries hold, and the ledger (NULL: nothing). REBAL_ENOMEM without filling an error, here and below. */
int32_t rebali_use_init(struct rebali_use *use, const rebal_ledger *ledger);
int32_t rebali_use_add(struct rebali_use *use, const struct rebali_use_change *change);
/* What one replica, or one set, of a binding takes after rebali_use_resources(). NULL: no memory. */
const struct rebali_price_of *rebali_use_price(struct rebali_use *use, uint32_t binding, int is_set);
/* When all is added that holds without a loss. */
int32_t rebali_use_rank(struct rebali_use *use);
/* The fullest cluster that is not lost after some changes, which are forgotten afterward. */
int32_t rebali_use_fullest(struct rebali_use *use, const struct rebali_use_change *changes, size_t n,
                           const uint64_t *lost, struct rebali_fullest *out);
void rebali_use_dispose(struct rebali_use *use);

/* ---- charges that a loss changes (shifts.c) ---------------------------------------------------------------------- */

struct rebali_claims {
  const struct rebali_claim *list;
  size_t n;
};
/* What a binding is charged otherwise than without the loss. */
struct rebali_shift {
  struct rebali_text key;
  uint32_t key_id;
  struct rebali_claims otherwise;
  struct rebali_claims base;
  struct rebali_shift *next;
};
/* What a key holds. Components are the ledger's. REBAL_ENOMEM without filling an error, here and below. */
int32_t rebali_claims_read(const rebal_ledger *ledger, struct rebali_text key, struct rebali_arena *arena,
                           struct rebali_claims *out);
/* NULL: no memory. */
struct rebali_claim *rebali_claims_copy(struct rebali_arena *arena, const struct rebali_claim *claims, size_t n);
int rebali_claims_equal(const struct rebali_claims *left, const struct rebali_claims *right);
int32_t rebali_claims_write(rebal_ledger *ledger, struct rebali_text key, const struct rebali_claims *claims);
/* Charges all of a list as with the loss, or as without it. */
int32_t rebali_shifts_apply(rebal_ledger *ledger, const struct rebali_shift *first, int otherwise);
/* Adds to a list; claims are copied. */
int32_t rebali_shifts_add(struct rebali_arena *arena, struct rebali_shift **list, const struct rebali_shift *shift);
/* Removes the one of a key and returns it; NULL: there is none. */
const struct rebali_shift *rebali_shifts_forget(struct rebali_shift **list, uint32_t key_id);

/* ---- how much more clusters are charged with a loss than without (offsets.c) ------------------------------------- */

struct rebali_offset {
  uint32_t loss;
  uint32_t next;    /* of the same cluster; REBAL_NONE: none */
  int64_t n_claims; /* that are held in the cluster either with the loss or without */
  int is_exact;
};
/* Of one loss, in no particular order. */
struct rebali_offsets_list {
  struct rebali_offset_of {
    uint32_t cluster;
    uint32_t place;
  } *list;
  size_t n;
  size_t room;
};
struct rebali_offsets {
  const rebal_allocator *allocator;
  size_t rows;
  size_t n_losses;
  struct rebali_offsets_list *of_loss;
  uint32_t *first;             /* by cluster row: its first offset, or REBAL_NONE */
  struct rebali_intern *pairs; /* of loss and cluster; their ids are places in the list */
  struct rebali_offset *list;
  size_t n;
  size_t room;
  int64_t *amounts; /* by place, in rows of a stride: replicas, then amounts by the ledger's names */
  size_t room_for_amounts;
  size_t stride;
  int64_t *most; /* by cluster row: what no amount was ever above */
  int64_t *least;
  int64_t *claims;                      /* by loss: sum of n_claims */
  int are_exact;                        /* all amounts so far */
  struct rebali_surcharge beside;       /* of a loss, while it is looked at */
  uint64_t *fallen;                     /* bits by cluster row: some amount was below 0 */
  const struct rebali_component **held; /* by cluster row, while claims are compared */
};
int32_t rebali_offsets_init(struct rebali_offsets *offsets, const rebal_allocator *allocator,
                            struct rebali_arena *arena, size_t rows, size_t n_losses);
void rebali_offsets_dispose(struct rebali_offsets *offsets);
/* Adds a shift, 1, or takes it away, -1. lost: bits of the loss. */
int32_t rebali_offsets_add(struct rebali_offsets *offsets, const rebal_ledger *ledger, uint32_t loss,
                           const struct rebali_shift *shift, int change, const uint64_t *lost);

/* The charges of a loss as those beside the ledger's, until they are let go again. */
struct rebali_surcharge *rebali_offsets_take(struct rebali_offsets *offsets, uint32_t loss);
void rebali_offsets_let_go(struct rebali_offsets *offsets, uint32_t loss);

/* ---- a sweep (sweep.c, sweep_binding.c, sweep_write.c) ----------------------------------------------------------- */

/* What came of one binding. */
struct rebali_numbers {
  int64_t outcome;
  int64_t missing;
  int64_t moved;
};
/* Sums over bindings; of a loss as differences to those without a loss. */
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
  size_t first; /* losses from first to end are looked at; by_loss and others count from first */
  size_t end;
  size_t *first_of; /* by cluster row: the losses of it in losses_of, counted from first */
  uint32_t *losses_of;
  struct rebali_layout present; /* of the binding under way: targets */
  struct rebali_layout base;    /* its answer without a loss */
  struct rebali_layout trial;   /* its answer with a loss */
  struct rebali_numbers base_numbers;
  int64_t base_kept;
  int64_t wanted;        /* replicas of the binding */
  int is_set;            /* its clusters take sets of components */
  int targets_are_plain; /* as in its pass */
  int is_charged;        /* its answer without a loss replaces what its key holds */
  struct rebali_support support;
  uint64_t *lost;   /* bits of the loss under way */
  uint32_t *picked; /* losses that may change the binding's answer */
  size_t n_picked;
  uint64_t *is_picked; /* bits by loss */
  struct rebali_totals base_totals;
  struct rebali_totals *by_loss;
  struct rebali_use use;
  struct rebali_use_change *changes;
  size_t n_changes;
  size_t room_for_changes;
  struct rebali_affected *affected;
  size_t n_affected;
  size_t room_for_affected;
  struct rebali_shift **shifts; /* by loss; NULL: no ledger is read */
  struct rebali_offsets offsets;
  struct rebali_intern *keys; /* of bindings so far */
};
/* sweep.c: checks what calls over losses are given, and lists the losses; closed if it fails. */
int32_t rebali_sweep_open(struct rebali_sweep *sweep, rebal_ctx *ctx, rebal_snapshot *snapshot,
                          const rebal_bindings *bindings, const rebal_sweep_opts *opts, rebal_error *err);
void rebali_sweep_close(struct rebali_sweep *sweep);
static inline void rebali_loss_mark(const struct rebali_loss *loss, uint64_t *lost, int value) {
  for (size_t i = 0; i < loss->n; i++) {
    rebali_bit_set(lost, loss->clusters[i], value);
  }
}
/* sweep_binding.c: the next binding without a loss, and with each that may change its answer. */
int32_t rebali_sweep_binding(struct rebali_sweep *sweep, uint32_t row);
/* sweep_pick.c: the losses that may change the answer of a binding, by its support; */
void rebali_sweep_pick(struct rebali_sweep *sweep);
/* then those that may by the charges of others. */
int32_t rebali_sweep_pick_charged(struct rebali_sweep *sweep, uint32_t row);
/* sweep_write.c: the rows of the result. */
int32_t rebali_sweep_write(struct rebali_sweep *sweep, rebal_result *result);

#endif
