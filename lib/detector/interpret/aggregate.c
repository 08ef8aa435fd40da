/* SPDX-License-Identifier: MIT */
/* Aggregates the status of Kubernetes' own workloads from the reports of members (rebalance-karmada(7) 15.7). */
#include "detector/interpret/aggregate.h"

#include <string.h>

json_t *rebali_item_statuses(struct rebali_interpreting *in, enum rebali_type type) {
  json_t *list = rebali_new_list(in);
  for (size_t i = 0; in->result == REBAL_OK && i < json_array_size(in->options->items); i++) {
    const json_t *status = rebali_member(json_array_get(in->options->items, i), "status");
    rebali_append(in, list, status != NULL ? rebali_decoded(in, type, status) : json_null());
  }
  return rebali_finished(in, list);
}

json_t *rebali_old_status(struct rebali_interpreting *in, const json_t *object) {
  json_t *decoded = rebali_decoded(in, in->kind->type, object);
  json_t *status = rebali_share(rebali_member(decoded, "status"));
  json_decref(decoded);
  return status;
}

void rebali_set_integer(struct rebali_interpreting *in, json_t *decoded, const char *key, int64_t value) {
  if (value == 0 && decoded != NULL) {
    (void)json_object_del(decoded, key);
  } else {
    rebali_set(in, decoded, key, rebali_new_integer(in, value));
  }
}

void rebali_set_sums(struct rebali_interpreting *in, json_t *status, const json_t *statuses, const char *const *keys,
                     size_t n) {
  for (size_t at = 0; at < n; at++) {
    uint32_t sum = 0;
    for (size_t i = 0; i < json_array_size(statuses); i++) {
      sum += (uint32_t)(uint64_t)rebali_integer_of(json_array_get(statuses, i), keys[at]);
    }
    rebali_set_integer(in, status, keys[at], sum > INT32_MAX ? (int64_t)sum - ((int64_t)UINT32_MAX + 1) : (int64_t)sum);
  }
}

json_t *rebali_with_status(struct rebali_interpreting *in, const json_t *object, json_t *status) {
  json_t *copy = rebali_new_copy(in, object);
  rebali_set(in, copy, "status", status);
  return rebali_finished(in, copy);
}

json_t *rebali_settled(struct rebali_interpreting *in, const json_t *object, json_t *old, json_t *status) {
  json_t *result = NULL;
  if (in->result == REBAL_OK) {
    result = json_equal(old, status)
                 ? rebali_share(object)
                 : rebali_with_status(in, object, rebali_encoded(in, in->kind->status_type, status));
  }
  json_decref(old);
  json_decref(status);
  return result;
}

/* ---- workloads ---- */

/* Tests whether all items have observed the generation of the template; with of_item, each its own generation. */
static int are_current(struct rebali_interpreting *in, int64_t wanted, int of_item) {
  json_t *statuses = rebali_item_statuses(in, REBALI_TYPE_GENERATIONS);
  int all = 1;
  for (size_t i = 0; i < json_array_size(statuses); i++) {
    const json_t *status = json_array_get(statuses, i);
    const int64_t generation = rebali_integer_of(status, "generation");
    all &= rebali_is_map(status) && rebali_integer_of(status, "observedGeneration") >= generation &&
           rebali_integer_of(status, "resourceTemplateGeneration") >= (of_item ? generation : wanted);
  }
  json_decref(statuses);
  return all;
}

static json_t *workload(struct rebali_interpreting *in, const json_t *object, int of_item, const char *const *keys,
                        size_t n) {
  json_t *old = rebali_old_status(in, object), *status = old != NULL ? rebali_new_copy(in, old) : NULL;
  json_t *statuses = rebali_item_statuses(in, in->kind->status_type);
  json_t *metadata = rebali_decoded(in, REBALI_TYPE_METADATA, rebali_member(object, "metadata"));
  const int64_t generation = rebali_integer_of(metadata, "generation");
  rebali_set_sums(in, status, statuses, keys, n);
  if (are_current(in, generation, of_item)) {
    rebali_set_integer(in, status, "observedGeneration", generation);
  }
  json_decref(statuses);
  json_decref(metadata);
  return rebali_settled(in, object, old, status);
}

#define KEYS(...) (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)

json_t *rebali_deployment_aggregate(struct rebali_interpreting *in, const json_t *object) {
  return workload(in, object, 0,
                  KEYS("replicas", "readyReplicas", "updatedReplicas", "availableReplicas", "unavailableReplicas"));
}

json_t *rebali_replica_set_aggregate(struct rebali_interpreting *in, const json_t *object) {
  return workload(in, object, 0, KEYS("replicas", "readyReplicas", "availableReplicas"));
}

json_t *rebali_stateful_set_aggregate(struct rebali_interpreting *in, const json_t *object) {
  return workload(in, object, 1,
                  KEYS("replicas", "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"));
}

json_t *rebali_daemon_set_aggregate(struct rebali_interpreting *in, const json_t *object) {
  return workload(in, object, 0,
                  KEYS("currentNumberScheduled", "desiredNumberScheduled", "numberAvailable", "numberMisscheduled",
                       "numberReady", "updatedNumberScheduled", "numberUnavailable"));
}

/* ---- budgets and autoscalers ---- */

json_t *rebali_budget_aggregate(struct rebali_interpreting *in, const json_t *object) {
  json_t *old = rebali_old_status(in, object), *statuses = rebali_item_statuses(in, in->kind->status_type);
  json_t *status = rebali_new_map(in), *disrupted = rebali_new_map(in), *value;
  rebali_set_sums(in, status, statuses, KEYS("currentHealthy", "desiredHealthy", "expectedPods", "disruptionsAllowed"));
  for (size_t i = 0; i < json_array_size(statuses); i++) {
    json_t *pods = rebali_member(json_array_get(statuses, i), "disruptedPods");
    const char *cluster = rebali_member_text(json_array_get(in->options->items, i), "clusterName"), *pod;
    struct rebali_buffer key = REBALI_BUFFER;
    json_object_foreach(pods, pod, value) {
      rebali_buffer_clear(&key);
      rebali_buffer_text(&key, cluster);
      rebali_buffer_text(&key, "/");
      rebali_buffer_text(&key, pod);
      if (key.failed) {
        rebali_made(in, NULL);
      } else {
        rebali_set(in, disrupted, key.bytes, rebali_share(value));
      }
    }
    rebali_buffer_dispose(&key);
  }
  rebali_set(in, status, "disruptedPods", disrupted);
  json_decref(statuses);
  return rebali_settled(in, object, old, status);
}

json_t *rebali_autoscaler_aggregate(struct rebali_interpreting *in, const json_t *object) {
  json_t *old = rebali_old_status(in, object), *statuses = rebali_item_statuses(in, in->kind->status_type);
  json_t *status = rebali_new_map(in);
  rebali_set_sums(in, status, statuses, KEYS("currentReplicas", "desiredReplicas"));
  json_decref(statuses);
  return rebali_settled(in, object, old, status);
}
