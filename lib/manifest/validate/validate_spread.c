/* SPDX-License-Identifier: MIT */
/* Admission of a WorkloadSpread: its target, strategy, filter, rivals and updates (rebalance-workloadspread(7) 8.2). */
#include "manifest/validate/validate.h"

#include <string.h>

#define INVALID REBAL_CAUSE_INVALID

static const json_t *target_of(const json_t *tree) {
  return rebali_member(rebali_member(tree, "spec"), "targetRef");
}

/* ---- the workload ---- */

static const struct {
  const char *kind;
  const char *groups;
  const char *group; /* searched for the workload, in any version */
} workloads[] = {
    {"CloneSet", "apps.kruise.io", "apps.kruise.io"},
    {"Deployment", "apps", "apps"},
    {"ReplicaSet", "apps", "apps"},
    {"Job", "batch", "batch"},
    {"StatefulSet", "apps apps.kruise.io", "apps"},
};

static void fault_target(const struct rebali_spread_check *spread, uint32_t cause, const struct rebali_path *path,
                         const char *message) {
  const json_t *value = cause == INVALID ? target_of(spread->tree) : NULL;
  rebali_fault(spread->check, REBAL_FINDING_SPREAD_TARGET, cause, value, path, "%s", message);
}

/* Returns 1 for a built-in kind. */
static int check_workload(struct rebali_spread_check *spread, const json_t *target, const struct rebali_path *path) {
  const char *kind = rebali_member_text(target, "kind");
  const char *space = rebali_member_text(rebali_member(spread->tree, "metadata"), "namespace");
  char group[REBALI_GROUP_SIZE];
  for (size_t i = 0; i < sizeof workloads / sizeof workloads[0]; i++) {
    if (strcmp(workloads[i].kind, kind) != 0) {
      continue;
    }
    if (!rebali_group_of(rebali_member_text(target, "apiVersion"), group) ||
        !rebali_is_listed(group, workloads[i].groups)) {
      rebali_fault(spread->check, REBAL_FINDING_SPREAD_TARGET, INVALID, target, path,
                   "TargetReference is not valid for %s.", kind);
    } else {
      spread->workload =
          rebali_beside_workload(spread->beside, kind, workloads[i].group, space, rebali_member_text(target, "name"));
    }
    return 1;
  }
  return 0;
}

static void check_target(struct rebali_spread_check *spread, const struct rebali_path *path) {
  const json_t *target = target_of(spread->tree);
  const char *version = rebali_member_text(target, "apiVersion"), *kind = rebali_member_text(target, "kind");
  if (target == NULL) {
    fault_target(spread, REBAL_CAUSE_REQUIRED, path, "no targetRef defined in WorkloadSpread");
  } else if (version[0] == '\0' || kind[0] == '\0' || *rebali_member_text(target, "name") == '\0') {
    fault_target(spread, INVALID, path, "empty TargetReference is not valid for WorkloadSpread.");
  } else if (!check_workload(spread, target, path)) {
    if (spread->beside->is_unreadable) {
      fault_target(spread, REBAL_CAUSE_INTERNAL, path, "the white list of kruise-configuration cannot be read");
    } else if ((spread->beside->is_whole || spread->beside->white_list != NULL) &&
               rebali_beside_path(spread->beside, version, kind) == NULL) {
      fault_target(spread, INVALID, path, "TargetReference's GroupKind is not permitted.");
    }
  }
}

/* ---- the strategy ---- */

#define MOST_SECONDS 295 /* total wait of pods in all subsets but the last */

/* Checks rescheduleCriticalSeconds of an adaptive strategy with n subsets. */
static void check_seconds(const struct rebali_spread_check *spread, const json_t *seconds, size_t n,
                          const struct rebali_path *path) {
  const int64_t most = n > 1 && !spread->is_patient ? (int64_t)(MOST_SECONDS / (n - 1)) : INT32_MAX;
  if (json_is_integer(seconds) && (json_integer_value(seconds) < 0 || json_integer_value(seconds) > most)) {
    rebali_fault(spread->check, REBAL_FINDING_SPREAD_STRATEGY, INVALID, seconds, path,
                 "rescheduleCriticalSeconds < 0 or rescheduleCriticalSeconds > %lld is not permitted", (long long)most);
  }
}

static void check_strategy(const struct rebali_spread_check *spread, const struct rebali_path *path) {
  const struct rebali_path at = rebali_path_key(path, "type"), adaptive = rebali_path_key(path, "adaptive");
  const struct rebali_path critical = rebali_path_key(&adaptive, "rescheduleCriticalSeconds");
  const json_t *spec = rebali_member(spread->tree, "spec"), *strategy = rebali_member(spec, "scheduleStrategy");
  const json_t *options = rebali_member(strategy, "adaptive"), *subsets = rebali_member(spec, "subsets");
  const json_t *seconds = rebali_member(options, "rescheduleCriticalSeconds");
  const size_t n = json_array_size(subsets);
  const char *type = rebali_member_text(strategy, "type");
  if (type[0] != '\0' && !rebali_is_listed(type, "Fixed Adaptive")) {
    rebali_fault(spread->check, REBAL_FINDING_SPREAD_STRATEGY, INVALID, rebali_member(strategy, "type"), &at,
                 "ScheduleStrategy's type is not valid");
  }
  if (options == NULL) {
    return;
  }
  if (strcmp(type, "Adaptive") != 0) {
    rebali_fault(spread->check, REBAL_FINDING_SPREAD_STRATEGY, INVALID, seconds, &at,
                 "the scheduleStrategy's type must be adaptive when using adaptive scheduleStrategy");
  }
  if (n > 1 && rebali_member(json_array_get(subsets, n - 1), "maxReplicas") != NULL) {
    rebali_fault(spread->check, REBAL_FINDING_SPREAD_STRATEGY, INVALID, seconds, &adaptive,
                 "the last subset's maxReplicas must be not specified when using adaptive scheduleStrategy");
  }
  check_seconds(spread, seconds, n, &critical);
}

/* ---- filter and rivals ---- */

static void check_filter(const struct rebali_spread_check *spread, const struct rebali_path *path) {
  const json_t *filter = rebali_member(rebali_member(spread->tree, "spec"), "targetFilter");
  struct rebali_buffer message = REBALI_BUFFER;
  rebali_selector_text(rebali_member(filter, "selector"), &message);
  if (message.failed) {
    spread->check->result = REBAL_ENOMEM;
  } else if (message.len > 0) {
    rebali_fault(spread->check, REBAL_FINDING_TARGET_FILTER, INVALID, filter, path, "%s", message.bytes);
  }
  rebali_buffer_dispose(&message);
}

static void check_rivals(const struct rebali_spread_check *spread, const struct rebali_path *path) {
  const char *rival = rebali_beside_rival(spread->beside, spread->tree);
  if (rival != NULL) {
    rebali_fault(spread->check, REBAL_FINDING_SPREAD_CONFLICT, INVALID, target_of(spread->tree), path,
                 "ws.spec.targetRef is in conflict with other WorkloadSpread %s", rival);
  }
}

/* ---- updates ---- */

static int is_same_target(const json_t *left, const json_t *right) {
  char group[REBALI_GROUP_SIZE], other[REBALI_GROUP_SIZE];
  (void)rebali_group_of(rebali_member_text(left, "apiVersion"), group);
  (void)rebali_group_of(rebali_member_text(right, "apiVersion"), other);
  return strcmp(group, other) == 0 &&
         strcmp(rebali_member_text(left, "kind"), rebali_member_text(right, "kind")) == 0 &&
         strcmp(rebali_member_text(left, "name"), rebali_member_text(right, "name")) == 0;
}

void rebali_check_spread(struct rebali_spread_check *spread, const json_t *old, const struct rebali_path *path) {
  const struct rebali_path spec = rebali_path_key(path, "spec");
  const struct rebali_path target = rebali_path_key(&spec, "targetRef");
  const struct rebali_path strategy = rebali_path_key(&spec, "scheduleStrategy");
  const struct rebali_path filter = rebali_path_key(&spec, "targetFilter");
  check_target(spread, &target);
  rebali_check_subsets(spread, &spec);
  check_strategy(spread, &strategy);
  check_filter(spread, &filter);
  check_rivals(spread, &target);
  if (old == NULL) {
    return;
  }
  rebali_check_update(spread->check, spread->tree, old, path);
  if (target_of(spread->tree) != NULL && target_of(old) != NULL &&
      !is_same_target(target_of(spread->tree), target_of(old))) {
    fault_target(spread, INVALID, &target, "change TargetReference is not permitted for WorkloadSpread");
  }
}
