/* SPDX-License-Identifier: MIT */
/* karmada-planner-budgets.h - the PodDisruptionBudgets of Karmada's control plane, as a step of a plan takes them. */
#ifndef KARMADA_PLANNER_BUDGETS_H
#define KARMADA_PLANNER_BUDGETS_H

#include "client/client.h"

#include <rebalance/rebalance.h>

/* All zero: there are none. */
struct budgets {
  rebal_builder **builders; /* of the records */
  const rebal_record **records;
  size_t n;
};

/* Follows them, and the workloads whose pods they select. Returns false after it has logged why. */
bool budgets_follow(struct client *client);
/* Those of the store. budgets_free() always. */
int32_t budgets_read(struct budgets *budgets, const rebal_store *store, rebal_error *err);
void budgets_free(struct budgets *budgets);

#endif
