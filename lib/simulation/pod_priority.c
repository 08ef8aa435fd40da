/* SPDX-License-Identifier: MIT */
/* Priorities of pods, before and after the webhook: the number is that of the class, and stands in every pod. */
#include "workloads.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The value of a class that is not there is no number. */
static int find_value(const rebal_simulation *simulation, const char *class_name, int64_t *value) {
  const uint32_t found =
      rebal_store_find(simulation->store, "PriorityClass", 13, "", 0, class_name, strlen(class_name));
  struct rebali_slice text = {NULL, 0};
  *value = 0;
  if (class_name[0] == '\0') {
    return 1;
  }
  if (found != REBAL_NONE) {
    text = rebali_field(simulation, found, "value");
  }
  return rebali_cursor_integer(text, value);
}

static int32_t set_priority(rebal_simulation *simulation, int64_t value, rebal_error *err) {
  struct rebali_workloads *workloads = simulation->workloads;
  int32_t code;
  rebal_text_reset(workloads->other);
  code = rebali_print(workloads->other, err, "{\"spec\":{\"priority\":%" PRId64 "}}", value);
  return code == REBAL_OK ? rebali_merge_text(simulation, workloads->text, workloads->other, err) : code;
}

static int32_t judge(rebal_simulation *simulation, struct rebali_slice stated, const char *class_name,
                     struct rebali_pod_admission *out, rebal_error *err) {
  int64_t value, number;
  if (!find_value(simulation, class_name, &value)) {
    out->is_refused = 1;
    return rebali_print(out->refusal, err, "no PriorityClass with name %s was found", class_name);
  }
  if (stated.len == 0) {
    return set_priority(simulation, value, err);
  }
  if (rebali_cursor_integer(stated, &number) && number == value) {
    return REBAL_OK;
  }
  out->is_refused = 1;
  return rebali_print(out->refusal, err,
                      "the integer value of priority (%.*s) must not be provided in pod spec; priority admission "
                      "controller computed %" PRId64 " from the given PriorityClass name",
                      REBALI_SLICE(stated), value);
}

/* Scenarios without classes have no such admission. */
int32_t rebali_priority_admit(rebal_simulation *simulation, struct rebali_pod_admission *out, rebal_error *err) {
  struct rebali_slice pod = {NULL, 0}, spec;
  char *class_name;
  int32_t code;
  if (rebali_next_of(simulation, "PriorityClass", REBAL_NONE) == REBAL_NONE) {
    return REBAL_OK;
  }
  pod.bytes = rebal_text_bytes(simulation->workloads->text, &pod.len);
  spec = rebali_cursor_find(pod, "spec");
  class_name = rebali_cursor_copy(rebali_cursor_find(spec, "priorityClassName"));
  code = class_name != NULL ? judge(simulation, rebali_cursor_find(spec, "priority"), class_name, out, err)
                            : rebali_fail_memory(err);
  free(class_name);
  return code;
}
