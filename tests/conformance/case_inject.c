/* SPDX-License-Identifier: MIT */
#include "admissions.h"
#include "cases.h"

#include <string.h>

/* Which WorkloadSpread was matched and which subset it chose. */
static void put_match(struct conformance *run, const struct admission *admission, const char *space, json_t *outcome) {
  size_t n;
  rebal_spread *const *spreads = rebal_spread_feed_namespace(admission->spreads.feed, space, strlen(space), &n);
  const rebal_spread *spread = spreads[admission_cell(run, REBAL_ADMITTED_SPREAD)];
  const int64_t subset = admission_cell(run, REBAL_ADMITTED_SUBSET);
  const char *former = rebal_result_text(run->result, REBAL_ADMITTED_SUBSET_NAME, 0, NULL);
  json_t *object = record_to_json(rebal_spread_object(spread));

  (void)json_object_set_new(outcome, "workloadSpread", json_string(text_at(object, "metadata.name")));
  if (subset != REBAL_ABSENT) {
    (void)json_object_set_new(outcome, "subset", json_string(rebal_spread_subset_name(spread, (uint32_t)subset, NULL)));
  } else if (*former != '\0') {
    (void)json_object_set_new(outcome, "subset", json_string(former));
  }
  json_decref(object);
}

/* The pod after admission, or an error. */
static void put_pod(const struct admission *admission, json_t *outcome) {
  size_t len;
  const char *text = rebal_text_bytes(admission->text, &len);

  (void)json_object_set_new(outcome, len > 0 ? "pod" : "error", len > 0 ? json_loadb(text, len, 0, NULL) : json_true());
}

json_t *case_inject(struct conformance *run, const json_t *input) {
  struct admission admission;
  json_t *outcome = NULL;

  if (!admission_run(run, &admission, REBAL_OPERATION_CREATE, input)) {
    const int is_matched = admission_cell(run, REBAL_ADMITTED_SPREAD) != REBAL_ABSENT;

    outcome = json_pack("{s:b}", "skip", !is_matched);
    put_pod(&admission, outcome);
    if (is_matched) {
      const char *space = text_at(input, "pod.metadata.namespace");

      put_match(run, &admission, *space != '\0' ? space : "default", outcome);
    }
    if (admission_report_status(run, &admission, outcome)) {
      json_decref(outcome);
      outcome = NULL;
    }
  }
  admission_dispose(&admission);
  return outcome;
}
