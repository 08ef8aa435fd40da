/* SPDX-License-Identifier: MIT */
/* A PodDisruptionBudget as the record that the descheduler takes. */
#include "manifest/manifest.h"

int32_t rebali_budget_tree(const json_t *tree, json_t **out, rebal_error *err) {
  static const struct {
    const char *member, *path[2];
  } members[] = {{"namespace", {"metadata", "namespace"}},
                 {"selector", {"spec", "selector"}},
                 {"disruptionsAllowed", {"status", "disruptionsAllowed"}}};
  json_t *budget = json_object();
  int32_t result = budget != NULL ? REBAL_OK : rebali_fail_memory(err);
  for (size_t i = 0; result == REBAL_OK && i < sizeof members / sizeof members[0]; i++) {
    json_t *value = rebali_member(rebali_member(tree, members[i].path[0]), members[i].path[1]);
    if (value != NULL) {
      result = rebali_put(budget, members[i].member, json_incref(value), err);
    }
  }
  if (result != REBAL_OK) {
    json_decref(budget);
    return result;
  }
  *out = budget;
  return REBAL_OK;
}
