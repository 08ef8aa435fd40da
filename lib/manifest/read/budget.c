/* SPDX-License-Identifier: MIT */
/* Converts a PodDisruptionBudget to the record that the descheduler and plans use. */
#include "manifest/manifest.h"

#include <string.h>

/* Converts a number where the API also takes a percentage: the record has a text for both. */
static json_t *digits(const json_t *number) {
  char text[REBALI_INTEGER_SIZE];

  (void)rebali_integer_print(json_integer_value(number), text);
  return json_string(text);
}

int32_t rebali_budget_tree(const json_t *tree, json_t **out, rebal_error *err) {
  static const struct {
    const char *member, *path[2];
  } members[] = {{"name", {"metadata", "name"}},
                 {"namespace", {"metadata", "namespace"}},
                 {"selector", {"spec", "selector"}},
                 {"minAvailable", {"spec", "minAvailable"}},
                 {"maxUnavailable", {"spec", "maxUnavailable"}},
                 {"disruptionsAllowed", {"status", "disruptionsAllowed"}}};
  json_t *budget = json_object();
  int32_t result = budget != NULL ? REBAL_OK : rebali_fail_memory(err);
  for (size_t i = 0; result == REBAL_OK && i < sizeof members / sizeof members[0]; i++) {
    json_t *value = rebali_member(rebali_member(tree, members[i].path[0]), members[i].path[1]);
    if (value != NULL) {
      const int is_scaled = json_is_integer(value) && strcmp(members[i].path[0], "spec") == 0;

      result = rebali_put(budget, members[i].member, is_scaled ? digits(value) : json_incref(value), err);
    }
  }
  if (result != REBAL_OK) {
    json_decref(budget);
    return result;
  }
  *out = budget;
  return REBAL_OK;
}
