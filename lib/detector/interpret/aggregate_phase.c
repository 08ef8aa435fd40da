/* SPDX-License-Identifier: MIT */
/* Aggregates the status of pods and volumes, whose phases are ranked (rebalance-karmada(7) 15.7). */
#include "detector/interpret/aggregate.h"

#include <string.h>

static void set_phase(struct rebali_interpreting *in, json_t *status, const char *phase) {
  if (*phase != '\0') {
    rebali_set(in, status, "phase", rebali_new_text(in, phase));
  }
}

/* Returns the first of the phases that occurs, or "". An item without a status is Pending. */
static const char *first_phase(const json_t *statuses, const char *const *phases, size_t n) {
  for (size_t at = 0; at < n; at++) {
    for (size_t i = 0; i < json_array_size(statuses); i++) {
      const json_t *status = json_array_get(statuses, i);
      const char *phase = rebali_is_map(status) ? rebali_member_text(status, "phase") : "Pending";
      if (strcmp(phase, phases[at]) == 0) {
        return phases[at];
      }
    }
  }
  return "";
}

/* Sets readiness and state of the containers of all items, in a list that is never absent. */
static void set_containers(struct rebali_interpreting *in, json_t *status, const json_t *statuses, const char *key) {
  static const char *const kept[] = {"ready", "state"};
  json_t *list = rebali_new_list(in);
  for (size_t i = 0; i < json_array_size(statuses); i++) {
    const json_t *containers = rebali_member(json_array_get(statuses, i), key);
    for (size_t at = 0; in->result == REBAL_OK && at < json_array_size(containers); at++) {
      json_t *container = rebali_new_map(in);
      for (size_t k = 0; k < sizeof kept / sizeof kept[0]; k++) {
        rebali_set(in, container, kept[k], rebali_share(rebali_member(json_array_get(containers, at), kept[k])));
      }
      rebali_set(in, container, "lastState", rebali_new_map(in));
      rebali_append(in, list, container);
    }
  }
  rebali_set(in, status, key, list);
}

json_t *rebali_pod_aggregate(struct rebali_interpreting *in, const json_t *object) {
  static const char *const phases[] = {"Failed", "Pending", "Running", "Succeeded"};
  json_t *old = rebali_old_status(in, object), *statuses, *status;
  if (in->options->items == NULL) {
    status = old != NULL ? rebali_encoded(in, in->kind->status_type, old) : NULL;
    json_decref(old);
    return rebali_with_status(in, object, status);
  }
  statuses = rebali_item_statuses(in, in->kind->status_type);
  status = rebali_new_map(in);
  set_phase(in, status, first_phase(statuses, phases, sizeof phases / sizeof phases[0]));
  set_containers(in, status, statuses, "containerStatuses");
  set_containers(in, status, statuses, "initContainerStatuses");
  json_decref(statuses);
  return rebali_settled(in, object, old, status);
}

json_t *rebali_volume_aggregate(struct rebali_interpreting *in, const json_t *object) {
  static const char *const phases[] = {"Failed", "Pending", "Available", "Bound", "Released"};
  json_t *old = rebali_old_status(in, object), *statuses = rebali_item_statuses(in, in->kind->status_type);
  json_t *status = rebali_new_map(in);
  set_phase(in, status, first_phase(statuses, phases, sizeof phases / sizeof phases[0]));
  json_decref(statuses);
  return rebali_settled(in, object, old, status);
}

/* Aggregates the phase: Lost takes precedence; otherwise the last phase other than Bound, even an empty one. */
json_t *rebali_claim_aggregate(struct rebali_interpreting *in, const json_t *object) {
  json_t *old = rebali_old_status(in, object), *statuses = rebali_item_statuses(in, in->kind->status_type);
  json_t *status = rebali_new_map(in);
  const char *phase = "Bound";
  for (size_t i = 0; strcmp(phase, "Lost") != 0 && i < json_array_size(statuses); i++) {
    const json_t *item = json_array_get(statuses, i);
    if (rebali_is_map(item) && strcmp(rebali_member_text(item, "phase"), "Bound") != 0) {
      phase = rebali_member_text(item, "phase");
    }
  }
  set_phase(in, status, phase);
  json_decref(statuses);
  return rebali_settled(in, object, old, status);
}
