/* SPDX-License-Identifier: MIT */
/* Checks objects when they are read, by kind. */
#include "manifest/manifest.h"

#include <string.h>

/* A path; steps that end in [] stand for every item of a list. */
struct rule {
  const char *kind;
  uint32_t type;   /* REBAL_TYPE_*; OBJECT reads a record */
  uint32_t object; /* of a record; AMOUNT, PAIR: a map of these */
  const char *path;
};

#define POLICY_RULES(kind)                                                                              \
  {kind, REBAL_TYPE_OBJECT, REBAL_OBJECT_PLACEMENT, "spec.placement"},                                  \
      {kind, REBAL_TYPE_TEXT, 0, "spec.resourceSelectors[].apiVersion"},                                \
      {kind, REBAL_TYPE_TEXT, 0, "spec.resourceSelectors[].kind"},                                      \
      {kind, REBAL_TYPE_TEXT, 0, "spec.resourceSelectors[].namespace"},                                 \
      {kind, REBAL_TYPE_TEXT, 0, "spec.resourceSelectors[].name"},                                      \
      {kind, REBAL_TYPE_OBJECT, REBAL_OBJECT_LABEL_SELECTOR, "spec.resourceSelectors[].labelSelector"}, \
      {kind, REBAL_TYPE_INT32, 0, "spec.priority"}, {kind, REBAL_TYPE_TEXT, 0, "spec.schedulerName"},   \
      {kind, REBAL_TYPE_BOOLEAN, 0, "spec.propagateDeps"},                                              \
      {kind, REBAL_TYPE_BOOLEAN, 0, "spec.suspension.scheduling"},                                      \
      {kind, REBAL_TYPE_TEXT, 0, "spec.failover.cluster.purgeMode"},                                    \
      {kind, REBAL_TYPE_TEXT, 0, "spec.failover.application.purgeMode"}, {                              \
    kind, REBAL_TYPE_TEXT, 0, "spec.schedulePriority.priorityClassName"                                 \
  }

#define POD_RULES(kind, spec)                                                                     \
  {kind, REBAL_TYPE_OBJECT, REBAL_OBJECT_AMOUNT, spec "containers[].resources.requests"},         \
      {kind, REBAL_TYPE_OBJECT, REBAL_OBJECT_AMOUNT, spec "containers[].resources.limits"},       \
      {kind, REBAL_TYPE_OBJECT, REBAL_OBJECT_AMOUNT, spec "initContainers[].resources.requests"}, \
      {kind, REBAL_TYPE_OBJECT, REBAL_OBJECT_AMOUNT, spec "initContainers[].resources.limits"},   \
      {kind, REBAL_TYPE_OBJECT, REBAL_OBJECT_AMOUNT, spec "overhead"},                            \
      {kind, REBAL_TYPE_OBJECT, REBAL_OBJECT_PAIR, spec "nodeSelector"},                          \
      {kind, REBAL_TYPE_OBJECT, REBAL_OBJECT_TOLERATION, spec "tolerations[]"}, {                 \
    kind, REBAL_TYPE_OBJECT, REBAL_OBJECT_NODE_SELECTOR,                                          \
        spec "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"               \
  }

#define TEMPLATE_RULES(kind) {kind, REBAL_TYPE_COUNT32, 0, "spec.replicas"}, POD_RULES(kind, "spec.template.spec.")

static const struct rule rules[] = {
    {"", REBAL_TYPE_OBJECT, REBAL_OBJECT_METADATA, "metadata"},
    {"", REBAL_TYPE_TEXT, 0, "apiVersion"},
    POLICY_RULES("PropagationPolicy"),
    POLICY_RULES("ClusterPropagationPolicy"),
    TEMPLATE_RULES("Deployment"),
    TEMPLATE_RULES("StatefulSet"),
    POD_RULES("Pod", "spec."),
    {"ResourceQuota", REBAL_TYPE_TEXT, 0, "spec.scopes[]"},
    {"ResourceQuota", REBAL_TYPE_TEXT, 0, "spec.scopeSelector.matchExpressions[].scopeName"},
    {"ResourceQuota", REBAL_TYPE_TEXT, 0, "spec.scopeSelector.matchExpressions[].operator"},
    {"ResourceQuota", REBAL_TYPE_TEXT, 0, "spec.scopeSelector.matchExpressions[].values[]"},
    {"ResourceQuota", REBAL_TYPE_OBJECT, REBAL_OBJECT_AMOUNT, "status.hard"},
    {"ResourceQuota", REBAL_TYPE_OBJECT, REBAL_OBJECT_AMOUNT, "status.used"},
    {"WorkloadRebalancer", REBAL_TYPE_OBJECT, REBAL_OBJECT_WORKLOAD_REBALANCER, ""},
    {"ClusterTaintPolicy", REBAL_TYPE_OBJECT, REBAL_OBJECT_TAINT_POLICY, ""},
    {"FederatedResourceQuota", REBAL_TYPE_OBJECT, REBAL_OBJECT_FEDERATED_QUOTA, ""},
    {"UnitedDeployment", REBAL_TYPE_OBJECT, REBAL_OBJECT_UNITED_DEPLOYMENT, ""},
    {"PriorityClass", REBAL_TYPE_INT32, 0, "value"},
    {"PodDisruptionBudget", REBAL_TYPE_OBJECT, REBAL_OBJECT_LABEL_SELECTOR, "spec.selector"},
    {"PodDisruptionBudget", REBAL_TYPE_COUNT32, 0, "status.disruptionsAllowed"},
};

static int32_t check_map(const json_t *value, uint32_t object, const struct rebali_path *path, rebal_error *err) {
  const char *key;
  json_t *entry;
  int32_t result = rebali_read_map(value, path, err);
  if (result != REBAL_OK) {
    return result;
  }
  json_object_foreach((json_t *)(uintptr_t)value, key, entry) {
    const struct rebali_path at = rebali_path_key(path, key);
    rebal_quantity quantity;
    const char *text;
    size_t len;
    result = object == REBAL_OBJECT_AMOUNT ? rebali_read_quantity(entry, &at, &quantity, err)
                                           : rebali_read_text(entry, &at, &text, &len, err);
    if (result != REBAL_OK) {
      return result;
    }
  }
  return REBAL_OK;
}

static int32_t check_value(const json_t *value, const struct rule *rule, const struct rebali_path *path,
                           rebal_error *err) {
  const char *text;
  size_t len;
  int64_t number;
  if (rule->type == REBAL_TYPE_TEXT) {
    return rebali_read_text(value, path, &text, &len, err);
  }
  if (rule->type != REBAL_TYPE_OBJECT) {
    return rebali_read_integer(value, rule->type, path, &number, err);
  }
  if (rule->object == REBAL_OBJECT_AMOUNT || rule->object == REBAL_OBJECT_PAIR) {
    return check_map(value, rule->object, path, err);
  }
  return rebali_read_record(NULL, rule->object, value, path, NULL, err);
}

static int32_t check_path(const json_t *value, const struct rule *rule, const char *rest,
                          const struct rebali_path *path, rebal_error *err);

static int32_t check_items(const json_t *list, const struct rule *rule, const char *rest,
                           const struct rebali_path *path, rebal_error *err) {
  int32_t result = rebali_read_list(list, path, err);
  for (size_t i = 0; result == REBAL_OK && i < json_array_size(list); i++) {
    const struct rebali_path at = rebali_path_index(path, i);
    result = check_path(rebali_present(json_array_get(list, i)), rule, rest, &at, err);
  }
  return result;
}

/* value NULL: absent, nothing to check. Recursion is as deep as the rule's path has steps. */
static int32_t check_path(const json_t *value, const struct rule *rule, const char *rest,
                          const struct rebali_path *path, rebal_error *err) {
  char key[80];
  struct rebali_path at;
  size_t len = strcspn(rest, ".[");
  int32_t result;
  if (value == NULL) {
    return REBAL_OK;
  }
  if (rest[0] == '\0') {
    return check_value(value, rule, path, err);
  }
  if (rest[0] == '[') {
    return check_items(value, rule, rest[2] == '.' ? rest + 3 : rest + 2, path, err);
  }
  result = rebali_read_map(value, path, err);
  if (result != REBAL_OK || len >= sizeof key) {
    return result;
  }
  memcpy(key, rest, len);
  key[len] = '\0';
  at = rebali_path_key(path, key);
  return check_path(rebali_member(value, key), rule, rest[len] == '.' ? rest + len + 1 : rest + len, &at, err);
}

static int32_t check_rules(const char *kind, const json_t *tree, const struct rebali_path *path, rebal_error *err) {
  int32_t result = REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < sizeof rules / sizeof rules[0]; i++) {
    if (rules[i].kind[0] == '\0' || strcmp(rules[i].kind, kind) == 0) {
      result = check_path(tree, &rules[i], rules[i].path, path, err);
    }
  }
  return result;
}

int32_t rebali_object_check(const json_t *tree, const struct rebali_path *path, rebal_error *err) {
  struct rebali_sink nowhere = {NULL, NULL, NULL, REBAL_NONE, REBAL_NONE};
  const char *kind = rebali_member_text(tree, "kind"), *api_version = rebali_member_text(tree, "apiVersion");
  rebali_member_reader *read_member = rebali_member_reader_of(api_version, kind);
  const int32_t result = check_rules(kind, tree, path, err);
  if (result != REBAL_OK) {
    return result;
  }
  if (strcmp(kind, "Cluster") == 0) {
    return rebali_cluster_read(&nowhere, tree, path, err);
  }
  if (rebali_is_binding(api_version, kind)) {
    return rebali_binding_read(&nowhere, tree, path, err);
  }
  return read_member != NULL ? read_member(&nowhere, tree, path, err) : REBAL_OK;
}
