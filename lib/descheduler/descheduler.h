/* SPDX-License-Identifier: MIT */
/*
 * lib/descheduler/descheduler.h - private header of the module "descheduler": removes replicas that cannot be scheduled
 * from their clusters (rebalance-karmada(7) 8).
 */
#ifndef REBALI_DESCHEDULER_H
#define REBALI_DESCHEDULER_H

#include "estimator/estimator.h"
#include "estimator/unschedulable_rows.h"
#include "fleet/every_binding.h"
#include "rebalance/descheduler.h"

#define REBALI_READY_UNKNOWN (-1) /* below 0 replicas, as in the reference's arithmetic */

/* State of one target of the current binding. */
struct rebali_lack {
  uint32_t target; /* row of TARGET */
  uint32_t cluster;
  int32_t replicas;
  int32_t ready;         /* or REBALI_READY_UNKNOWN */
  int32_t unschedulable; /* 0: unknown */
  int32_t after;
  int64_t source;      /* REBAL_DESCHEDULE_SOURCE_* */
  int32_t waiting;     /* by pods, in the format of estimators' cells */
  rebal_time since;    /* when the first of the waiting pods began to wait */
  int64_t estimator;   /* index of the estimator used, or REBAL_ABSENT */
  int32_t withheld;    /* by caps */
  int64_t withheld_by; /* REBAL_DESCHEDULE_CAP_* */
};

/* Replicas that a run has removed so far. */
struct rebali_taken {
  int64_t total;
  int64_t *by_cluster;              /* by cluster id; NULL: no such cap, also below */
  struct rebali_intern *namespaces; /* ids are indexes of by_namespace */
  int64_t *by_namespace;
  size_t namespaces_capacity;
};

struct rebali_budgets; /* budgets.c */

/* One public call. Visits get the address of the first member, which is also that of the struct. */
struct rebali_deschedule_call {
  struct rebali_every_binding every;
  rebal_ctx *ctx;
  rebal_deschedule_opts opts; /* as loaded */
  int32_t *ready;             /* by cluster id, for the current binding */
  struct rebali_lack *lacks;  /* by target of the current binding */
  size_t n_lacks;
  size_t n_undesired; /* targets with fewer ready replicas than desired */
  struct rebali_taken taken;
  struct rebali_budgets *budgets; /* those of opts; NULL: none */
  struct rebali_unschedulable pods;
};

/* options.c */
int32_t rebali_deschedule_load(struct rebali_deschedule_call *call, const rebal_deschedule_opts *opts);

/*
 * eligible.c: returns REBAL_DESCHEDULE_EXCLUSION_* (rebalance-karmada(7) 8.1 and the options GIVEN_BINDINGS and
 * ANY_KIND).
 */
int64_t rebali_deschedule_exclusion(const struct rebali_deschedule_call *call, uint32_t binding);

/* lacks.c: sets the lacks of a binding, except `after`. REBAL_ENOMEM. */
int32_t rebali_lacks_read(struct rebali_deschedule_call *call, uint32_t binding);
/* pods.c: counts pods for clusters without an estimator's opinion. REBAL_ENOMEM. */
int32_t rebali_lacks_query_pods(struct rebali_deschedule_call *call, uint32_t binding);
static inline int rebali_lack_is_undesired(const struct rebali_lack *lack) {
  return lack->ready < lack->replicas;
}

/* shrink.c: sets `after` of each lack by rebalance-karmada(7) 8.2. */
void rebali_lacks_shrink(struct rebali_deschedule_call *call);

/*
 * budgets.c: PodDisruptionBudgets. check() is called when options are loaded, begin() for a run, match() for a binding.
 */
int32_t rebali_budgets_check(const struct rebali_deschedule_call *call);
int32_t rebali_budgets_begin(struct rebali_deschedule_call *call);
void rebali_budgets_match(struct rebali_deschedule_call *call, uint32_t binding);
/* Returns how much a cluster may lose by the budgets of the current binding; INT64_MAX: no budget applies. */
int64_t rebali_budgets_left(const struct rebali_deschedule_call *call, const struct rebali_lack *lack);
void rebali_budgets_take(struct rebali_deschedule_call *call, const struct rebali_lack *lack, int64_t taken);

/* caps.c: withholds some of what the lacks of a binding lose, and counts the rest. Called between begin and end. */
int32_t rebali_caps_begin(struct rebali_deschedule_call *call);
int32_t rebali_caps_apply(struct rebali_deschedule_call *call, uint32_t binding);
void rebali_caps_end(struct rebali_deschedule_call *call);

/* write.c: adds the write for a binding that loses `moved` replicas, and its row of STEP. */
int32_t rebali_deschedule_write(struct rebali_deschedule_call *call, uint32_t binding, int64_t moved);

/* step.c: handles one binding. */
int32_t rebali_deschedule_visit(struct rebali_every_binding *every, uint32_t binding);

#endif
