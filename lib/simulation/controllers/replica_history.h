/* SPDX-License-Identifier: MIT */
/* lib/simulation/controllers/replica_history.h - what bindings had in each cluster, and when (replica_history.c). */
#ifndef REBALI_SIMULATION_REPLICA_HISTORY_H
#define REBALI_SIMULATION_REPLICA_HISTORY_H

#include "simulation/cluster/members.h"

/* What a binding has in one cluster; by column: assigned, ready, running. */
struct rebali_share {
  size_t cluster;      /* offset of its name */
  int64_t reported[3]; /* values of the last row */
  int64_t now[3];
};

/* The shares of one object, by cluster; none if it is not a binding. */
struct rebali_binding_shares {
  size_t label; /* offset; 0: not set */
  struct rebali_share *list;
  size_t n, capacity;
};

struct rebali_share_row {
  rebal_time time;
  uint64_t log_rows;
  size_t binding; /* offset of its label */
  struct rebali_share share;
};

struct rebali_replica_history {
  struct rebali_members *members;
  struct rebali_share_row *rows;
  size_t n, capacity;
  struct rebali_object_rows holdings; /* struct rebali_binding_shares, of each binding */
  struct rebali_buffer names;         /* terminated, "" at 0 */
  uint64_t seen;                      /* changes of the store */
};

int32_t rebali_replica_history_open(struct rebali_replica_history *history, struct rebali_members *members,
                                    rebal_error *err);
void rebali_replica_history_dispose(struct rebali_replica_history *history);
/* Adds a row for each share that changed, at the end of each round. */
int32_t rebali_replica_history_run(struct rebali_replica_history *history, rebal_error *err);
int32_t rebali_replica_history_read(const struct rebali_replica_history *history, size_t row,
                                    rebal_simulation_share *out, rebal_error *err);

#endif
