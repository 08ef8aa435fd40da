/* SPDX-License-Identifier: MIT */
#include "admissions.h"

#include <stdlib.h>
#include <string.h>

/* A feed orders WorkloadSpreads by name. */
static int is_in_order(const json_t *objects) {
  size_t i;

  for (i = 1; i < json_array_size(objects); i++) {
    if (strcmp(text_at(json_array_get(objects, i - 1), "metadata.name"),
               text_at(json_array_get(objects, i), "metadata.name")) > 0) {
      return 0;
    }
  }
  return 1;
}

static int admit(struct conformance *run, struct admission *admission, uint32_t operation, const json_t *input) {
  const char *id = text_at(input, "uid");
  char *pod = json_dumps(json_object_get(input, "pod"), JSON_COMPACT | JSON_ENCODE_ANY);
  const int32_t code = rebal_spread_feed_admit(
      run->ctx, admission->spreads.feed,
      &(rebal_pod_request){sizeof(rebal_pod_request), operation, pod, pod != NULL ? strlen(pod) : 0, id, strlen(id)},
      &admission->now, NULL, run->result, admission->text, &run->err);
  /* If the subset's patch cannot be merged, the result still has a row. */
  const int is_refused = code == REBAL_EINVAL && rebal_result_count(run->result, REBAL_TABLE_ADMITTED) == 1;

  free(pod);
  return !is_refused && failed(run, code);
}

int admission_run(struct conformance *run, struct admission *admission, uint32_t operation, const json_t *input) {
  const json_t *spreads = json_object_get(input, "workloadSpreads");

  *admission = (struct admission){.now = time_at(run->test, "now")};
  run->orders_itself = !is_in_order(spreads);
  return spreads_open(run, &admission->spreads) || failed(run, rebal_text_new(&admission->text, &run->err)) ||
         spreads_load(run, &admission->spreads, json_object_get(input, "objects")) ||
         spreads_load(run, &admission->spreads, spreads) ||
         failed(run, rebal_spread_feed_update(admission->spreads.feed, &run->err)) ||
         admit(run, admission, operation, input);
}

void admission_dispose(struct admission *admission) {
  rebal_text_free(admission->text);
  spreads_dispose(&admission->spreads);
}

int64_t admission_cell(const struct conformance *run, uint32_t column) {
  size_t n;
  const int64_t *cells = rebal_result_i64(run->result, column, &n);

  return n > 0 ? cells[0] : REBAL_ABSENT;
}

int admission_report_status(struct conformance *run, const struct admission *admission, json_t *outcome) {
  const rebal_store *store = admission->spreads.store;
  const char *space, *name;
  json_t *object;

  if (rebal_result_count(run->result, REBAL_TABLE_ACTION) == 0) {
    return 0;
  }
  if (failed(run, rebal_store_carry_out(admission->spreads.store, run->result, 0, &admission->now, NULL, &run->err))) {
    return 1;
  }
  space = rebal_result_text(run->result, REBAL_ACTION_NAMESPACE, 0, NULL);
  name = rebal_result_text(run->result, REBAL_ACTION_NAME, 0, NULL);
  object = spreads_read(&admission->spreads,
                        rebal_store_find(store, "WorkloadSpread", 14, space, strlen(space), name, strlen(name)));
  (void)json_object_set_new(outcome, "statusWritten",
                            json_pack("{s:s, s:O?}", "name", name, "status", json_object_get(object, "status")));
  json_decref(object);
  return 0;
}
