/* SPDX-License-Identifier: MIT */
#include "admissions.h"
#include "cases.h"

#include <string.h>

static json_t *report(struct conformance *run, const struct admission *admission) {
  json_t *outcome = json_object();

  if (admission_cell(run, REBAL_ADMITTED_OUTCOME) == REBAL_ADMIT_OUTCOME_REPLICAS_UNKNOWN) {
    (void)json_object_set_new(outcome, "error", json_true());
  }
  if (admission_report_status(run, admission, outcome)) {
    json_decref(outcome);
    return NULL;
  }
  (void)json_object_set_new(outcome, "written", json_boolean(json_object_get(outcome, "statusWritten") != NULL));
  return outcome;
}

json_t *case_delete(struct conformance *run, const json_t *input) {
  const int is_eviction = strcmp(text_at(input, "operation"), "Eviction") == 0;
  struct admission admission;
  json_t *outcome = NULL;

  if (!admission_run(run, &admission, is_eviction ? REBAL_OPERATION_EVICT : REBAL_OPERATION_DELETE, input)) {
    outcome = report(run, &admission);
  }
  admission_dispose(&admission);
  return outcome;
}
