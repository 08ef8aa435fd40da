/* SPDX-License-Identifier: MIT */
/* Functions shared by the verbs that run the step of a controller. */
#include "rebalancectl.h"

#include <stdlib.h>
#include <string.h>

int64_t result_integer(const struct world *world, uint32_t column, size_t row) {
  size_t n;
  const int64_t *values = rebal_result_i64(world->result, column, &n);
  return values != NULL && row < n ? values[row] : REBAL_ABSENT;
}

size_t *actions_of_rows(const struct world *world, int64_t kind, size_t n) {
  const size_t n_actions = rebal_result_count(world->result, REBAL_TABLE_ACTION);
  size_t *actions = malloc((n + 1) * sizeof *actions);
  for (size_t i = 0; actions != NULL && i < n; i++) {
    actions[i] = NO_ACTION;
  }
  for (size_t i = 0; actions != NULL && i < n_actions; i++) {
    const int64_t row = result_integer(world, REBAL_ACTION_ROW, i);
    if (result_integer(world, REBAL_ACTION_KIND, i) == kind && row >= 0 && (uint64_t)row < n &&
        actions[row] == NO_ACTION) {
      actions[row] = i;
    }
  }
  return actions;
}

const char *time_text(const rebal_time *time, char *buffer) {
  size_t len;
  buffer[0] = '\0';
  if (time->is_set) {
    (void)rebal_time_format(time, buffer, TIME_CAPACITY, &len, NULL);
  }
  return buffer;
}

int is_in_namespace(const struct world *world, uint32_t object) {
  const char *wanted = world->options->namespace_;
  return wanted == NULL || strcmp(world_text(world, object, "metadata.namespace"), wanted) == 0;
}

enum status some_bindings(const struct world *world, uint32_t **objects, size_t *n) {
  enum status status = world_bindings(world, objects, n);
  size_t kept = 0;
  for (size_t i = 0; status == STATUS_DONE && i < *n; i++) {
    if (is_in_namespace(world, (*objects)[i])) {
      (*objects)[kept++] = (*objects)[i];
    }
  }
  if (status == STATUS_DONE && kept == 0 && *n > 0) {
    complain("rebalancectl: no binding in namespace %s; the files contain %zu in other namespaces",
             world->options->namespace_, *n);
    return STATUS_INPUT;
  }
  *n = status == STATUS_DONE ? kept : *n;
  if (status == STATUS_DONE && *n == 0) {
    complain("rebalancectl: no binding: the files contain none, and no policy in them creates one");
    status = report_unselected(world);
    return status == STATUS_DONE ? STATUS_INPUT : status;
  }
  return status;
}
