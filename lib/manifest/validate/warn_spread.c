/* SPDX-License-Identifier: MIT */
/*
 * Warns about settings of a WorkloadSpread that admission accepts but that do not work as they look
 * (rebalance-workloadspread(7) 10, 12).
 */
#include "manifest/schema/pod_types.h"
#include "manifest/spread/kruise.h"
#include "manifest/validate/validate.h"

#include <string.h>

static const json_t *spec_of(const struct rebali_spread_check *spread) {
  return rebali_member(spread->tree, "spec");
}

/* ---- the filter and paths to replicas ---- */

static const json_t *paths_of(const json_t *spec) {
  return rebali_member(rebali_member(spec, "targetFilter"), "replicasPathList");
}

static void warn_filter(const struct rebali_spread_check *spread, const struct rebali_path *path) {
  const struct rebali_path at = rebali_path_key(path, "targetFilter"), list = rebali_path_key(&at, "replicasPathList");
  const json_t *filter = rebali_member(spec_of(spread), "targetFilter"), *paths = paths_of(spec_of(spread));
  if (rebali_is_map(filter) && rebali_member(filter, "selector") == NULL) {
    rebali_find(spread->check, REBAL_FINDING_FILTER_WITHOUT_SELECTOR, &at,
                "without a selector no pod is given a subset at admission, and all of them are counted later");
  }
  for (size_t i = 0; i < json_array_size(paths); i++) {
    const struct rebali_path item = rebali_path_index(&list, i);
    const json_t *value = json_array_get(paths, i);
    if (json_is_string(value) && json_string_length(value) == 0) {
      rebali_find(spread->check, REBAL_FINDING_EMPTY_PATH, &item, "an empty path counts as 0 replicas");
    }
  }
}

static void warn_target(const struct rebali_spread_check *spread, const struct rebali_path *path) {
  const struct rebali_path at = rebali_path_key(path, "targetRef");
  const json_t *target = rebali_member(spec_of(spread), "targetRef");
  const char *found =
      rebali_beside_path(spread->beside, rebali_member_text(target, "apiVersion"), rebali_member_text(target, "kind"));
  if (found != NULL && found[0] == '\0' && json_array_size(paths_of(spec_of(spread))) == 0) {
    rebali_find(spread->check, REBAL_FINDING_EMPTY_PATH, &at,
                "the white list has no path to the replicas of the kind, which count as 0");
  }
}

/* ---- subsets ---- */

/* Returns 1 if the text ends in its only percent sign. */
static int is_percentage(const char *text) {
  const char *sign = strchr(text, '%');
  return sign != NULL && sign[1] == '\0';
}

static void warn_limit(const struct rebali_spread_check *spread, const json_t *limit, const struct rebali_path *path) {
  if (json_is_string(limit) && rebali_limit_percent(limit) >= 0 && !is_percentage(json_string_value(limit))) {
    rebali_find(spread->check, REBAL_FINDING_PERCENT_SIGN, path,
                "without one %% at its end it is taken as %lld%% here, and lets no pod in later",
                (long long)rebali_limit_percent(limit));
  }
}

static void warn_patch(const struct rebali_spread_check *spread, const json_t *patch, const struct rebali_path *path) {
  rebal_error err = REBAL_ERROR_INIT;
  const int32_t result = patch != NULL && spread->workload == NULL ? rebali_try_patch(NULL, patch, &err) : REBAL_OK;
  if (result == REBAL_ENOMEM) {
    spread->check->result = REBAL_ENOMEM;
  } else if (result != REBAL_OK) {
    rebali_find(spread->check, REBAL_FINDING_PATCH_UNCHECKED, path,
                "pods cannot take the patch, which is not tried without the workload: %s", err.message);
  }
}

static void warn_pod(const struct rebali_spread_check *spread, const json_t *patch, const struct rebali_path *path) {
  rebal_error err = REBAL_ERROR_INIT;
  const int32_t result = patch != NULL && spread->workload == NULL ? rebali_try_pod(patch, &err) : REBAL_OK;
  if (result == REBAL_ENOMEM) {
    spread->check->result = REBAL_ENOMEM;
  } else if (result != REBAL_OK) {
    rebali_find(spread->check, REBAL_FINDING_PATCH_UNREADABLE, path,
                "the API server refuses pods with the patch: %s%s%s", err.field, err.field[0] != '\0' ? ": " : "",
                err.message);
  }
}

/* Returns -1 if they are unknown. */
static int32_t replicas_of(const struct rebali_spread_check *spread) {
  const json_t *spec = spec_of(spread);
  int has_paths;
  int32_t replicas;
  if (spread->workload == NULL || rebali_path_replicas(spec, spread->workload, NULL, &has_paths, &replicas, NULL) < 0) {
    return -1;
  }
  return has_paths ? replicas : rebali_workload_replicas(spec, spread->workload);
}

static void warn_sum(const struct rebali_spread_check *spread, const json_t *subsets, const struct rebali_path *path) {
  const int32_t replicas = replicas_of(spread);
  int64_t percent = 0, sum = 0;
  for (size_t i = 0; i < json_array_size(subsets); i++) {
    const char *limit = rebali_member_text(json_array_get(subsets, i), "maxReplicas");
    if (is_percentage(limit)) {
      const int64_t value = rebali_limit_percent(rebali_member(json_array_get(subsets, i), "maxReplicas"));
      if (value < 0 || value > 100 - percent) {
        return; /* refused */
      }
      percent += value;
      sum += (value * replicas + 99) / 100;
    }
  }
  if (replicas >= 0 && sum > replicas) {
    rebali_find(spread->check, REBAL_FINDING_ROUNDED_UP, path,
                "each rounded up, the limits are %lld pods for %ld replicas; the last subsets may stay smaller",
                (long long)sum, (long)replicas);
  }
}

static void warn_subsets(const struct rebali_spread_check *spread, const struct rebali_path *path) {
  const struct rebali_path list = rebali_path_key(path, "subsets");
  const json_t *subsets = rebali_member(spec_of(spread), "subsets");
  for (size_t i = 0; i < json_array_size(subsets); i++) {
    const struct rebali_path at = rebali_path_index(&list, i), patch = rebali_path_key(&at, "patch");
    const struct rebali_path limit = rebali_path_key(&at, "maxReplicas");
    const json_t *subset = json_array_get(subsets, i);
    warn_patch(spread, rebali_member(subset, "patch"), &patch);
    warn_pod(spread, rebali_member(subset, "patch"), &patch);
    rebali_check_pod_members(spread->check, REBAL_FINDING_PATCH_DROPPED, rebali_member(subset, "patch"),
                             rebali_pod_type, &patch);
    warn_limit(spread, rebali_member(subset, "maxReplicas"), &limit);
  }
  warn_sum(spread, subsets, &list);
}

/* ---- the strategy and the order of deletion ---- */

static void warn_adaptive(const struct rebali_spread_check *spread, const json_t *options,
                          const struct rebali_path *strategy) {
  const struct rebali_path at = rebali_path_key(strategy, "type");
  if (rebali_member(options, "rescheduleCriticalSeconds") == NULL) {
    rebali_find(spread->check, REBAL_FINDING_NODES_UNREAD, &at,
                "without rescheduleCriticalSeconds no pod is rescheduled, and it does what Fixed does");
  } else if (rebali_member(options, "disableSimulationSchedule") == NULL) {
    rebali_find(
        spread->check, REBAL_FINDING_NODES_UNREAD, &at,
        "rescheduling examines no nodes: pods that wait too long are deleted, whatever capacity the next subset has");
  }
}

static void warn_strategy(const struct rebali_spread_check *spread, const struct rebali_path *path) {
  const struct rebali_path strategy = rebali_path_key(path, "scheduleStrategy");
  const struct rebali_path adaptive = rebali_path_key(&strategy, "adaptive");
  const struct rebali_path at = rebali_path_key(&adaptive, "disableSimulationSchedule");
  const json_t *read = rebali_member(spec_of(spread), "scheduleStrategy"), *options = rebali_member(read, "adaptive");
  if (rebali_check_option(spread->check, "spread-simulation")) {
    return;
  }
  if (strcmp(rebali_member_text(read, "type"), "Adaptive") == 0) {
    warn_adaptive(spread, options, &strategy);
  }
  if (rebali_member(options, "disableSimulationSchedule") != NULL) {
    rebali_find(spread->check, REBAL_FINDING_SIMULATION_UNUSED, &at,
                "it is never read: no nodes are examined before a pod is admitted, whatever its value");
  }
}

/* A missing ReplicaSet may also be one of a Deployment; but users do not spread those by name. */
static void warn_order(const struct rebali_spread_check *spread, const struct rebali_path *path) {
  const struct rebali_path at = rebali_path_key(path, "targetRef");
  const json_t *target = rebali_member(spec_of(spread), "targetRef");
  const json_t *labels = rebali_member(rebali_member(spread->workload, "metadata"), "labels");
  if (strcmp(rebali_member_text(target, "kind"), "ReplicaSet") == 0 &&
      rebali_member(labels, "pod-template-hash") == NULL &&
      json_array_size(rebali_member(spec_of(spread), "subsets")) > 1 &&
      !rebali_check_option(spread->check, "spread-replica-set-order")) {
    rebali_find(spread->check, REBAL_FINDING_SHRINKS_FROM_FRONT, &at,
                "a ReplicaSet without a Deployment is scaled in from the first subset, not from the last");
  }
}

void rebali_warn_spread(const struct rebali_spread_check *spread, const struct rebali_path *path) {
  const struct rebali_path spec = rebali_path_key(path, "spec");
  warn_target(spread, &spec);
  warn_filter(spread, &spec);
  warn_subsets(spread, &spec);
  warn_strategy(spread, &spec);
  warn_order(spread, &spec);
}
