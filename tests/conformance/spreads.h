/* SPDX-License-Identifier: MIT */
/* tests/conformance/spreads.h - WorkloadSpreads, workloads, pods and nodes of a case in a store, with their feed. */
#ifndef SPREADS_H
#define SPREADS_H

#include "conformance.h"

#include <rebalance/spreading.h>

struct spreads {
  rebal_store *store;
  rebal_fleet *fleet;
  rebal_spread_feed *feed;
  uint32_t cluster; /* in which the nodes are */
  uint32_t object;  /* the WorkloadSpread that the case is about */
};

/* Must be disposed of whatever these return. They return 1 on failure. */
int spreads_open(struct conformance *run, struct spreads *spreads);
void spreads_dispose(struct spreads *spreads);
/* Objects that are new: an array, or one. NULL: none. */
int spreads_load(struct conformance *run, const struct spreads *spreads, const json_t *objects);
uint32_t spreads_find(const struct spreads *spreads, const json_t *object);
/* An object as it is; NULL when it is gone. */
json_t *spreads_read(const struct spreads *spreads, uint32_t object);

/* Carries the actions of run->result out on the store. */
int spreads_carry_out(struct conformance *run, const struct spreads *spreads, const rebal_time *now);
/*
 * One pass of the controller at now, carried out on the store; run->result has its rows. Adds its effects on pods to
 * pods, if that is not NULL (a map by name: subset, version, deleted).
 */
int spreads_reconcile(struct conformance *run, struct spreads *spreads, const rebal_time *now, json_t *pods);
/* Adds error and requeueAfterSeconds of the pass to a map. Returns 0 if it failed or had nothing to do. */
int spreads_report(const struct conformance *run, json_t *outcome);

#endif
