/* SPDX-License-Identifier: MIT */
/* karmada-planner-waves.h - carrying a plan out: what can be written now, and what is given up. */
#ifndef KARMADA_PLANNER_WAVES_H
#define KARMADA_PLANNER_WAVES_H

#include "client/client.h"

#include <rebalance/rebalance.h>

struct row;

/* All zero but for the first members. */
struct waves {
  struct client *client;
  rebal_ctx *ctx;
  rebal_fleet *fleet;
  rebal_bindings *bindings;
  int64_t interval, give_up_after;
  bool takes_over;
  rebal_snapshot *snapshot;
  rebal_result *result;
  rebal_time next;  /* wave */
  struct row *rows; /* of the plan; all is learnt again by a copy that takes over */
  size_t n;
  uint64_t plan[3];                        /* which one that is: its fingerprint, and whether it goes back */
  size_t n_moved, n_done, n_stuck, n_left; /* of those that move; the last are neither as planned nor given up */
  size_t n_held;                           /* of the last: PodDisruptionBudgets hold them */
  /* What was written since the caller set it to zero, and how many can go neither on nor back since then. */
  size_t n_written, n_foreign, n_caught;
  int64_t n_added, n_removed;
  int64_t wake; /* when it is to be called again, nanoseconds since 1970; 0: when something changes */
};

/*
 * Sends what can be written now. The bindings and clusters of the store are as they were fed. REBAL_EAGAIN: a write
 * failed, or another copy has the Lease.
 */
int32_t waves_send(struct waves *waves, const rebal_plan *plan, bool is_back, rebal_error *err);
void waves_close(struct waves *waves);

#endif
