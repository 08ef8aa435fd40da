/* SPDX-License-Identifier: MIT */
/* Reads the PodDisruptionBudgets of the files for the descheduler. */
#include "rebalancectl.h"

#include <stdlib.h>

static enum status read_budget(const struct world *world, uint32_t object, rebal_builder **builder,
                               const rebal_record **record) {
  rebal_error err = REBAL_ERROR_INIT;
  return rebal_builder_new(NULL, builder, &err) == REBAL_OK &&
                 rebal_store_record(world->store, object, *builder, record, &err) == REBAL_OK
             ? STATUS_DONE
             : complain_of_call(&err);
}

enum status budgets_read(const struct world *world, struct budgets *budgets) {
  uint32_t *objects = NULL;
  size_t n = 0;
  enum status status = world_objects(world, "PodDisruptionBudget", &objects, &n);
  if (status == STATUS_DONE) {
    budgets->builders = calloc(n + 1, sizeof *budgets->builders);
    budgets->records = calloc(n + 1, sizeof *budgets->records);
    status = budgets->builders != NULL && budgets->records != NULL ? STATUS_DONE : complain_of_memory();
  }
  for (size_t i = 0; status == STATUS_DONE && i < n; i++) {
    budgets->n = i + 1;
    status = read_budget(world, objects[i], &budgets->builders[i], &budgets->records[i]);
  }
  free(objects);
  return status;
}

void budgets_free(struct budgets *budgets) {
  for (size_t i = 0; i < budgets->n; i++) {
    rebal_builder_free(budgets->builders[i]);
  }
  free(budgets->builders);
  free(budgets->records);
}
