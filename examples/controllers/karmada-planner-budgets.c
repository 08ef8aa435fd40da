/* SPDX-License-Identifier: MIT */
/*
 * The library finds the labels of pods in the templates of workloads. Of kinds that are not followed they are unknown,
 * and each budget of the namespace holds them.
 */
#include "karmada-planner-budgets.h"

#include <stdlib.h>

bool budgets_follow(struct client *client) {
  return client_follow(client, "policy/v1", "PodDisruptionBudget") && client_follow(client, "apps/v1", "Deployment") &&
         client_follow(client, "apps/v1", "StatefulSet") && client_follow(client, "batch/v1", "Job");
}

int32_t budgets_read(struct budgets *budgets, const rebal_store *store, rebal_error *err) {
  static const char kind[] = "PodDisruptionBudget";
  const size_t most = rebal_store_count(store) + 1;
  uint32_t object = REBAL_NONE;
  int32_t code = REBAL_OK;
  budgets->builders = calloc(most, sizeof *budgets->builders);
  budgets->records = calloc(most, sizeof *budgets->records);
  if (budgets->builders == NULL || budgets->records == NULL) {
    return REBAL_ENOMEM;
  }
  while (code == REBAL_OK && (object = rebal_store_next(store, kind, sizeof kind - 1, object)) != REBAL_NONE) {
    const size_t i = budgets->n++;
    code = rebal_builder_new(NULL, &budgets->builders[i], err);
    code = code == REBAL_OK ? rebal_store_record(store, object, budgets->builders[i], &budgets->records[i], err) : code;
  }
  return code;
}

void budgets_free(struct budgets *budgets) {
  for (size_t i = 0; i < budgets->n; i++) {
    rebal_builder_free(budgets->builders[i]);
  }
  free(budgets->builders);
  free(budgets->records);
}
