/* SPDX-License-Identifier: MIT */
/* lib/plan/step/step.h - carrying out a plan: what is observed of each binding, and what can be written now. */
#ifndef REBALI_PLAN_STEP_H
#define REBALI_PLAN_STEP_H

#include "estimator/estimator.h"
#include "fleet/every_binding.h"
#include "plan/budgets.h"

/* One cluster of a binding. Replicas are not negative; in a lost cluster all are 0. */
struct rebali_wave_cell {
  uint32_t cluster; /* id in the snapshot */
  int32_t from, to; /* x and y; swapped with BACK */
  int32_t present;  /* z */
  int32_t reported; /* replicas that the member runs; 0: unknown */
  int32_t ready;    /* r: the part of z that is ready for sure */
  int32_t capacity; /* how many more fit, at most as many as are wanted */
  int32_t next;     /* z after the write */
  int32_t raw;      /* in spec.clusters, also of a lost cluster */
  int32_t kept;     /* replicas that our task keeps, and how many of them are ready for sure */
  int32_t kept_ready;
  uint8_t is_known;  /* r is known */
  uint8_t is_listed; /* spec.clusters has the cluster */
  uint8_t is_aim;    /* in y */
  uint8_t is_lost;
  uint8_t is_guarded; /* only budgets keep replicas there */
  rebal_time since;   /* of the status item; unset: unknown */
};

/* What a write changes. In the dialect PLAIN it changes only clusters. */
struct rebali_patch {
  int writes_clusters, suspends, resumes, adds_tasks, drops_tasks;
  uint32_t phase; /* of the mark that the write leaves; REBALI_PHASE_NONE: no mark */
};

/* One binding: a planned one, or another one whose replicas use capacity. Sums are below 2^63, like those of a plan. */
struct rebali_wave_row {
  const struct rebali_plan_row *plan; /* NULL: the binding is not planned */
  uint32_t binding;                   /* REBAL_NONE: not found */
  struct rebali_wave_cell *cells;     /* by name of the cluster */
  size_t n_cells;
  int64_t wanted;                    /* R, or the sum of y if that is greater */
  int64_t floor, present, ready, to; /* F and sums of z, r, y */
  int64_t state, reason;
  uint32_t cluster; /* that the reason is about */
  int is_foreign;
  int64_t cycle;
  int64_t after_ns;
  struct rebali_text message;
  int64_t removed, added;
  struct rebali_patch patch;
};

/* What PodDisruptionBudgets allow in each cluster. */
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
  rebal_ledger *ledger;       /* other holdings, and the charges of each binding */
  uint32_t *ids;              /* ids of the snapshot by id of the plan; REBAL_NONE: missing */
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
static inline int rebali_wave_needs(const struct rebali_wave_cell *cell) {
  return cell->present < cell->to;
}

/*
 * observe.c: finds the binding of each row of the plan and reads the cells of all bindings. Returns REBAL_ENOMEM
 * without memory.
 */
int32_t rebali_wave_observe(struct rebali_wave_call *call);
/* Returns the cell of a cluster that the plan, a target or a status item of the binding names. */
struct rebali_wave_cell *rebali_wave_cell_of(const struct rebali_wave_call *call, const struct rebali_wave_row *row,
                                             uint32_t cluster);
/* Tests whether a change in the cell is under way and not late; *left_ns: until it is late. */
int rebali_wave_is_under_way(const struct rebali_wave_call *call, const struct rebali_wave_cell *cell,
                             int64_t *left_ns);

/*
 * capacity.c: charges all bindings to a fork of the caller's ledger. Returns REBAL_ENOMEM without memory, like the next
 * two.
 */
int32_t rebali_wave_charge_all(struct rebali_wave_call *call);
/* Computes the capacity of each cluster that needs more; *any: some cluster has capacity. */
int32_t rebali_wave_find_capacity(struct rebali_wave_call *call, struct rebali_wave_row *row, int *any);
/* Charges the replicas that the row adds, so that later rows see them. */
int32_t rebali_wave_charge_added(struct rebali_wave_call *call, const struct rebali_wave_row *row);

/* guards.c: reads the budgets of the options; fills an error. */
int32_t rebali_wave_guards_read(struct rebali_wave_call *call);
/* Computes what the budgets allow, from what was observed. Returns REBAL_ENOMEM without memory. */
int32_t rebali_wave_guards_allow(struct rebali_wave_call *call);
/* Finds the budgets that may select the pods of a binding, for the next calls. */
void rebali_wave_guards_match(struct rebali_wave_call *call, const struct rebali_wave_row *row);
/* Returns how many replicas may still be removed in a cluster; charges removed ones, a negative number is released. */
int64_t rebali_wave_guards_left(const struct rebali_wave_call *call, const struct rebali_wave_cell *cell);
void rebali_wave_guards_charge(const struct rebali_wave_call *call, const struct rebali_wave_cell *cell,
                               int64_t replicas);
/*
 * Tests whether all replicas above z after the write may be removed at once, including those that tasks keep, and
 * charges them if so. Without is_charged it tests those above y and charges nothing.
 */
int rebali_wave_guards_permit(const struct rebali_wave_call *call, struct rebali_wave_row *row, int is_charged);
/*
 * Tests whether a change is under way after which guarded replicas may be removed. *left_ns: until it is late, or
 * REBAL_ABSENT.
 */
int rebali_wave_guards_wait(const struct rebali_wave_call *call, const struct rebali_wave_row *row, int64_t *left_ns);

/* next.c: computes state, reason and write of a row that has a binding. Returns REBAL_ENOMEM without memory. */
int32_t rebali_wave_next(struct rebali_wave_call *call, struct rebali_wave_row *row);
/* Parts of it. Returns the reason why the binding cannot be moved at all, or REBAL_WAVE_REASON_NONE. */
int64_t rebali_wave_obstacle(const struct rebali_wave_call *call, const struct rebali_wave_row *row);
/* Tests whether the binding is assigned as planned; whether it is ready, too. */
int rebali_wave_is_assigned(const struct rebali_wave_row *row);
int rebali_wave_is_done(const struct rebali_wave_row *row);
/* Remove or add at most this many. */
void rebali_wave_remove(const struct rebali_wave_call *call, struct rebali_wave_row *row, int64_t most);
void rebali_wave_add(struct rebali_wave_row *row, int64_t most);
/* Undoes them; does both by the rules; or sets the reason why neither is possible. */
void rebali_wave_forget(const struct rebali_wave_call *call, struct rebali_wave_row *row);
int32_t rebali_wave_move(struct rebali_wave_call *call, struct rebali_wave_row *row);
void rebali_wave_wait(const struct rebali_wave_call *call, struct rebali_wave_row *row);

/* cycles.c: finds dependencies in full clusters after all rows have a state. Returns REBAL_ENOMEM without memory. */
int32_t rebali_wave_settle(struct rebali_wave_call *call);

/* write.c: writes actions and the rows of WAVE and PACE. Fills the error with REBAL_ENOMEM. */
int32_t rebali_wave_write(struct rebali_wave_call *call);

#endif
