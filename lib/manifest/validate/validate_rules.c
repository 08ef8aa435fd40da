/* SPDX-License-Identifier: MIT */
/* The rules of Karmada's kinds: a table of rules by path, and the rules that fit nowhere else. */
#include "manifest/validate/checks.h"

#include <string.h>

#define POLICIES "PropagationPolicy ClusterPropagationPolicy"
#define BINDINGS "ResourceBinding ClusterResourceBinding"
#define SPREADING POLICIES " " BINDINGS

/* ---- metadata ---- */

static void check_name(struct rebali_check *check, const json_t *value, const struct rebali_path *path) {
  const char *name = json_string_value(value);
  if (name != NULL && name[0] != '\0' && !rebali_is_dns_subdomain(name)) {
    rebali_find(check, REBAL_FINDING_BAD_NAME, path,
                "a name has small letters, digits, - and ., and letters or digits at both ends");
  }
}

static void check_labels(struct rebali_check *check, const json_t *value, const struct rebali_path *path) {
  const char *key;
  json_t *label;
  if (!rebali_is_map(value)) {
    return;
  }
  json_object_foreach((json_t *)(uintptr_t)value, key, label) {
    const struct rebali_path at = rebali_path_key(path, key);
    const char *text = json_string_value(label);
    if (!rebali_is_key_form(key) || (text != NULL && !rebali_is_value_form(text))) {
      rebali_find(check, REBAL_FINDING_BAD_LABEL, &at, "no label has this %s",
                  rebali_is_key_form(key) ? "value" : "key");
    }
  }
}

/* ---- policies ---- */

static void check_suspension(struct rebali_check *check, const json_t *value, const struct rebali_path *path) {
  const struct rebali_path at = rebali_path_key(path, "dispatchingOnClusters");
  const json_t *clusters = rebali_member(rebali_member(value, "dispatchingOnClusters"), "clusterNames");
  if (json_is_true(rebali_member(value, "dispatching")) && json_array_size(clusters) > 0) {
    rebali_find(check, REBAL_FINDING_SUSPENSION_TWICE, &at, "dispatching is suspended for all clusters already");
  }
}

static void check_application(struct rebali_check *check, const json_t *value, const struct rebali_path *path) {
  const struct rebali_path at = rebali_path_key(path, "gracePeriodSeconds");
  const json_t *seconds = rebali_member(value, "gracePeriodSeconds");
  const char *mode = rebali_member_text(value, "purgeMode");
  if (json_is_integer(seconds) && json_integer_value(seconds) <= 0) {
    rebali_find(check, REBAL_FINDING_GRACE_PERIOD, &at, "expected a number of at least 1");
  } else if (seconds != NULL && mode[0] != '\0' && strcmp(mode, "Gracefully") != 0) {
    rebali_find(check, REBAL_FINDING_GRACE_PERIOD, &at, "only purgeMode Gracefully has a grace period");
  }
}

/* Only for namespaced kinds. */
static void check_failover(struct rebali_check *check, const json_t *spec, const struct rebali_path *path) {
  const struct rebali_path failover = rebali_path_key(path, "failover"), at = rebali_path_key(&failover, "application");
  if (rebali_member(rebali_member(spec, "failover"), "application") != NULL &&
      !json_is_true(rebali_member(spec, "propagateDeps"))) {
    rebali_find(check, REBAL_FINDING_FAILOVER_NEEDS_DEPS, &at, "without propagateDeps applications do not fail over");
  }
}

/* ---- bindings ---- */

static void check_uid(struct rebali_check *check, const json_t *spec, const struct rebali_path *path) {
  const struct rebali_path resource = rebali_path_key(path, "resource"), at = rebali_path_key(&resource, "uid");
  const json_t *strategy = rebali_member(rebali_member(spec, "placement"), "replicaScheduling");
  if (strcmp(rebali_member_text(strategy, "replicaSchedulingType"), "Divided") == 0 &&
      *rebali_member_text(rebali_member(spec, "resource"), "uid") == '\0') {
    rebali_find(check, REBAL_FINDING_NO_UID, &at,
                "without the uid of its workload ties between clusters go by name; the real uid may turn them round");
  }
}

/*
 * The binding of a dependency has no placement, and follows the bindings that require it (rebalance-karmada(7) 14.8).
 */
static int is_attached(const json_t *tree) {
  const json_t *spec = rebali_member(tree, "spec");
  return strcmp(rebali_member_text(tree, "kind"), "ResourceBinding") == 0 && rebali_member(spec, "placement") == NULL &&
         json_array_size(rebali_member(spec, "requiredBy")) > 0;
}

static void check_binding(struct rebali_check *check, const json_t *tree, const struct rebali_path *path) {
  static const char *const ids[] = {"propagationpolicy.karmada.io/permanent-id",
                                    "clusterpropagationpolicy.karmada.io/permanent-id",
                                    "binding.karmada.io/managed-by"};
  const struct rebali_path spec = rebali_path_key(path, "spec"), placement = rebali_path_key(&spec, "placement");
  const struct rebali_path metadata = rebali_path_key(path, "metadata"), at = rebali_path_key(&metadata, "labels");
  const json_t *labels = rebali_member(rebali_member(tree, "metadata"), "labels");
  int is_managed = 0;
  if (strcmp(rebali_member_text(tree, "apiVersion"), "work.karmada.io/v1alpha2") != 0 || is_attached(tree)) {
    return;
  }
  for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
    is_managed |= *rebali_member_text(labels, ids[i]) != '\0';
  }
  if (!is_managed) {
    rebali_find(check, REBAL_FINDING_NOT_MANAGED, &at, "without a permanent-id label no scheduler handles it");
  }
  if (rebali_member(rebali_member(tree, "spec"), "placement") == NULL) {
    rebali_find(check, REBAL_FINDING_NO_PLACEMENT, &placement, "without placement it is never scheduled");
  }
}

static void check_applied(struct rebali_check *check, const json_t *value, const struct rebali_path *path) {
  const struct rebali_path at = rebali_path_key(path, REBALI_APPLIED_PLACEMENT);
  const json_t *text = rebali_member(value, REBALI_APPLIED_PLACEMENT);
  json_t *placement = NULL;
  int64_t state = 0;
  if (!json_is_string(text)) {
    return;
  }
  if (rebali_applied_read(json_string_value(text), &state, &placement, NULL) != REBAL_OK) {
    check->result = REBAL_ENOMEM;
  } else if (state == REBAL_ANNOTATION_UNPARSABLE) {
    rebali_find(check, REBAL_FINDING_APPLIED_UNREADABLE, &at, "no placement can be read: changes are not seen");
  }
  json_decref(placement);
}

/* ---- lists without duplicates ---- */

/* Returns 1 if a set of texts already holds the text; else adds it. */
static int is_again(struct rebali_check *check, json_t *seen, const char *text) {
  if (seen != NULL && json_object_get(seen, text) != NULL) {
    return 1;
  }
  if (json_object_set_new_nocheck(seen, text, json_true()) != 0) {
    check->result = REBAL_ENOMEM;
  }
  return 0;
}

static void check_targets(struct rebali_check *check, const json_t *list, const struct rebali_path *path) {
  json_t *seen = json_object();
  for (size_t i = 0; i < json_array_size(list); i++) {
    const struct rebali_path item = rebali_path_index(path, i), at = rebali_path_key(&item, "name");
    const char *name = rebali_member_text(json_array_get(list, i), "name");
    if (name[0] != '\0' && is_again(check, seen, name)) {
      rebali_find(check, REBAL_FINDING_DUPLICATE_TARGET, &at, "the cluster stands twice; their sum never settles");
    }
  }
  json_decref(seen);
}

/* Prints the name of a workload's binding: namespace and, in lower case, name and kind. */
static void print_binding(const json_t *workload, struct rebali_buffer *out) {
  const char *name = rebali_member_text(workload, "name"), *kind = rebali_member_text(workload, "kind");
  char buffer[512];
  size_t len = 0;
  rebali_buffer_text(out, rebali_member_text(workload, "namespace"));
  rebali_buffer_text(out, "/");
  if (rebal_binding_name(name, strlen(name), kind, strlen(kind), buffer, sizeof buffer, &len, NULL) == REBAL_OK) {
    rebali_buffer_text(out, buffer);
  }
}

static void check_workloads(struct rebali_check *check, const json_t *list, const struct rebali_path *path) {
  json_t *seen = json_object();
  for (size_t i = 0; i < json_array_size(list); i++) {
    const struct rebali_path at = rebali_path_index(path, i);
    struct rebali_buffer key = REBALI_BUFFER;
    const json_t *workload = json_array_get(list, i);
    print_binding(workload, &key);
    if (key.failed) {
      check->result = REBAL_ENOMEM;
    } else if (*rebali_member_text(workload, "name") != '\0' && is_again(check, seen, key.bytes)) {
      rebali_find(check, REBAL_FINDING_SAME_BINDING, &at, "a workload before it leads to the same binding %.200s",
                  key.bytes);
    }
    rebali_buffer_dispose(&key);
  }
  json_decref(seen);
}

static void check_ttl(struct rebali_check *check, const json_t *value, const struct rebali_path *path) {
  if (json_is_integer(value) && json_integer_value(value) < 0) {
    rebali_find(check, REBAL_FINDING_TTL_NEGATIVE, path, "a negative time to live: the object goes once it is done");
  }
}

/* ---- quantities ---- */

static void check_fractions(struct rebali_check *check, const json_t *value, const struct rebali_path *path) {
  const char *key;
  json_t *quantity;
  if (!rebali_is_map(value)) {
    return;
  }
  json_object_foreach((json_t *)(uintptr_t)value, key, quantity) {
    const struct rebali_path at = rebali_path_key(path, key);
    const char *text = json_string_value(quantity);
    const size_t len = text != NULL ? strlen(text) : 0;
    if (len > 1 && text[len - 1] == 'i' && strchr(text, '.') != NULL) {
      rebali_find(check, REBAL_FINDING_QUANTITY_FRACTION, &at,
                  "a fraction with a binary suffix; large deficits of it are read as free capacity");
    }
  }
}

/* ---- the table ---- */

static const struct row {
  const char *kinds; /* "": all */
  const char *path;  /* [] means each item */
  rebali_rule *rule;
} rows[] = {
    {"", "metadata.labels", check_labels},
    {SPREADING " WorkloadRebalancer", "metadata.name", check_name},
    {"Cluster", "metadata.name", rebali_rule_cluster_name},
    {"Cluster", "spec", rebali_rule_cluster_spec},
    {"Cluster", "spec.taints", rebali_rule_taints},
    {"Cluster", "spec.resourceModels", rebali_rule_models},
    {"Cluster", "status.resourceSummary.allocatable", check_fractions},
    {"Cluster", "status.resourceSummary.allocated", check_fractions},
    {"Cluster", "status.resourceSummary.allocating", check_fractions},
    {POLICIES, "spec", rebali_rule_selectors},
    {SPREADING, "spec.suspension", check_suspension},
    {SPREADING, "spec.failover.application", check_application},
    {"PropagationPolicy ResourceBinding", "spec", check_failover},
    {SPREADING, "spec.placement", rebali_rule_affinities},
    {SPREADING, "spec.placement", rebali_rule_strategy},
    {SPREADING, "spec.placement", rebali_rule_spread},
    {BINDINGS, "spec.placement", rebali_rule_empty_lists},
    {SPREADING, "spec.placement.clusterAffinity", rebali_rule_affinity},
    {SPREADING, "spec.placement.clusterAffinities[]", rebali_rule_affinity},
    {SPREADING, "spec.placement.clusterAffinities[]", rebali_rule_term},
    {SPREADING, "spec.placement.clusterAffinities[].overflowAffinities[]", rebali_rule_affinity},
    {SPREADING, "spec.placement.replicaScheduling.weightPreference.staticWeightList[].targetCluster",
     rebali_rule_affinity},
    {SPREADING, "spec.placement.clusterTolerations[]", rebali_rule_toleration},
    {BINDINGS, "", check_binding},
    {BINDINGS, "spec", check_uid},
    {BINDINGS, "metadata.annotations", check_applied},
    {BINDINGS, "spec.clusters", check_targets},
    {BINDINGS, "spec.replicaRequirements.resourceRequest", check_fractions},
    {BINDINGS, "spec.components[].replicaRequirements.resourceRequest", check_fractions},
    {"WorkloadRebalancer", "spec.workloads", check_workloads},
    {"WorkloadRebalancer", "spec.ttlSecondsAfterFinished", check_ttl},
};

/* value NULL: absent. Recursion is as deep as the row's path has steps. */
static void apply(struct rebali_check *check, const struct row *row, const char *rest, const json_t *value,
                  const struct rebali_path *path) {
  const size_t len = strcspn(rest, ".[");
  struct rebali_path at;
  char key[80];
  if (value == NULL) {
    return;
  }
  if (rest[0] == '\0') {
    row->rule(check, value, path);
    return;
  }
  if (rest[0] == '[') {
    for (size_t i = 0; i < json_array_size(value); i++) {
      at = rebali_path_index(path, i);
      apply(check, row, rest + (rest[2] == '.' ? 3 : 2), rebali_present(json_array_get(value, i)), &at);
    }
    return;
  }
  memcpy(key, rest, len); /* keys of the table are short */
  key[len] = '\0';
  at = rebali_path_key(path, key);
  apply(check, row, rest + len + (rest[len] == '.'), rebali_member(value, key), &at);
}

void rebali_check_rules(struct rebali_check *check, const struct rebali_path *path) {
  const struct rebali_kind *kind = rebali_kind_of(check->tree);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (rows[i].kinds[0] == '\0' || (kind != NULL && rebali_is_listed(kind->kind, rows[i].kinds))) {
      apply(check, &rows[i], rows[i].path, check->tree, path);
    }
  }
}
