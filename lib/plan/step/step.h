/* SPDX-License-Identifier: MIT */
/* lib/plan/step/step.h - carrying a plan out: what is observed of each binding, and what can be written now. */
#ifndef REBALI_PLAN_STEP_H
#define REBALI_PLAN_STEP_H

#include "estimator/estimator.h"
#include "fleet/every_binding.h"
#include "plan/budgets.h"

/* One cluster of a binding. Replicas are not negative; in a lost cluster all are 0. */
struct rebali_wave_cell {
  uint32_t cluster; /* id in the snapshot */
  int32_t from, to; /* x and y; the other way round with BACK */
  int32_t present;  /* z */
  int32_t reported; /* what the member runs; 0: nothing is known */
  int32_t ready;    /* r: of z, for sure */
  int32_t capacity; /* how many more it can take, at most as many as are wanted */
  int32_t next;     /* z after the write */
  int32_t raw;      /* in spec.clusters, also of a lost cluster */
  int32_t kept;     /* replicas that a task of ours keeps, and how many of them are ready for sure */
  int32_t kept_ready;
  uint8_t is_known;  /* r is */
  uint8_t is_listed; /* spec.clusters has the cluster */
  uint8_t is_aim;    /* y has it */
  uint8_t is_lost;
  uint8_t is_guarded; /* budgets alone keep what is there */
  rebal_time since;   /* of the status item; unset: unknown */
};

/* What a write changes; of the dialect PLAIN it is the clusters alone. */
struct rebali_patch {
  int writes_clusters, suspends, resumes, adds_tasks, drops_tasks;
  uint32_t phase; /* of the mark that is left; REBALI_PHASE_NONE: none is */
};

/* One binding: of the plan, or another one whose replicas take capacity. Sums are below 2^63, as those of a plan. */
struct rebali_wave_row {
  const struct rebali_plan_row *plan; /* NULL: the binding is not planned */
  uint32_t binding;                   /* REBAL_NONE: there is none */
  struct rebali_wave_cell *cells;     /* by name of the cluster */
  size_t n_cells;
  int64_t wanted;                    /* R, or sum y where that is more */
  int64_t floor, present, ready, to; /* F and sums of z, r, y */
  int64_t state, reason;
  uint32_t cluster; /* of the reason */
  int is_foreign;
  int64_t cycle;
  int64_t after_ns;
  struct rebali_text message;
  int64_t removed, added;
  struct rebali_patch patch;
};

/* What PodDisruptionBudgets leave of each cluster. */
struct rebali_wave_guard;
struct rebali_wave_guards {
  struct rebali_budget_list budgets;
  struct rebali_wave_guard **by_budget; /* one for each counter */
};

struct rebali_wave_call {
  struct rebali_every_binding every;
  rebal_ctx *ctx;
  const rebal_plan *plan;
  rebal_plan_step_opts opts;
  struct rebali_arena *arena; /* scratch of the context */
  rebal_ledger *ledger;       /* what others hold, and the charges of each binding */
  uint32_t *ids;              /* ids of the snapshot by id of the plan; REBAL_NONE: there is none */
  uint64_t *lost;             /* bits by id of the snapshot */
  uint32_t *by_name;          /* bindings */
  struct rebali_wave_guards guards;
  struct rebali_wave_row *rows;
  size_t n_rows;
  struct rebali_wave_row *others; /* bindings that are not planned */
  size_t n_others;
  int64_t n_writes, n_paced;
  rebal_time next_wave; /* unset: at once */
};

static inline int rebali_wave_leaves(const struct rebali_wave_cell *cell) {
  return cell->present > cell->to || cell->reported > cell->present;
}
static inline int rebali_wave_wants(const struct rebali_wave_cell *cell) {
  return cell->present < cell->to;
}

/* observe.c: finds the binding of each row of the plan and reads the cells of all bindings. REBAL_ENOMEM. */
int32_t rebali_wave_observe(struct rebali_wave_call *call);
/* The cell of a cluster that the plan, a target or a status item of the binding names. */
struct rebali_wave_cell *rebali_wave_cell_of(const struct rebali_wave_call *call, const struct rebali_wave_row *row,
                                             uint32_t cluster);
/* Is something of the cell on its way, and not for too long? *left_ns: until it is too long. */
int rebali_wave_is_under_way(const struct rebali_wave_call *call, const struct rebali_wave_cell *cell,
                             int64_t *left_ns);

/* capacity.c: charges all bindings to a fork of the caller's ledger. REBAL_ENOMEM, as the next two. */
int32_t rebali_wave_charge_all(struct rebali_wave_call *call);
/* What each cluster can take that wants more; any: some can. */
int32_t rebali_wave_find_capacity(struct rebali_wave_call *call, struct rebali_wave_row *row, int *any);
/* Charges what the row adds, so that the next one sees it. */
int32_t rebali_wave_charge_added(struct rebali_wave_call *call, const struct rebali_wave_row *row);

/* guards.c: the budgets of the options; an error is filled. */
int32_t rebali_wave_guards_read(struct rebali_wave_call *call);
/* What they allow of what was observed. REBAL_ENOMEM. */
int32_t rebali_wave_guards_allow(struct rebali_wave_call *call);
/* The budgets that may select the pods of a binding, for the next calls. */
void rebali_wave_guards_match(struct rebali_wave_call *call, const struct rebali_wave_row *row);
/* How many replicas may still go in a cluster; so many more do, or fewer. */
int64_t rebali_wave_guards_left(const struct rebali_wave_call *call, const struct rebali_wave_cell *cell);
void rebali_wave_guards_charge(const struct rebali_wave_call *call, const struct rebali_wave_cell *cell,
                               int64_t replicas);
/*
 * May all go at once that the clusters have, with what tasks keep, above z after the write; if so it is charged.
 * Without is_charged: above y, and nothing is.
 */
int rebali_wave_guards_permit(const struct rebali_wave_call *call, struct rebali_wave_row *row, int is_charged);
/* Is something on its way that may let go what is guarded? *left_ns: until it is late, or REBAL_ABSENT. */
int rebali_wave_guards_wait(const struct rebali_wave_call *call, const struct rebali_wave_row *row, int64_t *left_ns);

/* next.c: state, reason and what to write, of a row whose binding is there. REBAL_ENOMEM. */
int32_t rebali_wave_next(struct rebali_wave_call *call, struct rebali_wave_row *row);
/* Parts of it: what keeps the binding from being moved at all, or REBAL_WAVE_REASON_NONE; */
int64_t rebali_wave_obstacle(const struct rebali_wave_call *call, const struct rebali_wave_row *row);
/* is it assigned as planned, and is it ready, too; */
int rebali_wave_is_assigned(const struct rebali_wave_row *row);
int rebali_wave_is_done(const struct rebali_wave_row *row);
/* removes or adds at most so many; both by the rules; or why neither is possible. */
void rebali_wave_remove(const struct rebali_wave_call *call, struct rebali_wave_row *row, int64_t most);
void rebali_wave_add(struct rebali_wave_row *row, int64_t most);
/* takes back what it was to remove and add; */
void rebali_wave_forget(const struct rebali_wave_call *call, struct rebali_wave_row *row);
int32_t rebali_wave_move(struct rebali_wave_call *call, struct rebali_wave_row *row);
void rebali_wave_wait(const struct rebali_wave_call *call, struct rebali_wave_row *row);

/* cycles.c: who waits for whom in full clusters, when all rows are judged. REBAL_ENOMEM. */
int32_t rebali_wave_settle(struct rebali_wave_call *call);

/* write.c: actions, and the rows of WAVE and PACE. REBAL_ENOMEM fills the error. */
int32_t rebali_wave_write(struct rebali_wave_call *call);

#endif
