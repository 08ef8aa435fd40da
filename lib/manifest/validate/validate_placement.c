/* SPDX-License-Identifier: MIT */
/* Placements: what admission refuses (rebalance-karmada(7) 1.4), and what may surprise authors (12.2). */
#include "manifest/validate/checks.h"

#include <string.h>

/* ---- affinities ---- */

void rebali_rule_affinities(struct rebali_check *check, const json_t *placement, const struct rebali_path *path) {
  const struct rebali_path list = rebali_path_key(path, "clusterAffinities");
  const json_t *terms = rebali_member(placement, "clusterAffinities");
  json_t *seen = json_object();
  if (terms != NULL && rebali_member(placement, "clusterAffinity") != NULL) {
    rebali_find(check, REBAL_FINDING_AFFINITY_TWICE, &list, "there is a clusterAffinity already");
  }
  if (json_is_array(terms) && json_array_size(terms) == 0) {
    rebali_find(check, REBAL_FINDING_EMPTY_AFFINITIES, &list, "no affinity group: the list is as good as absent");
  }
  for (size_t i = 0; i < json_array_size(terms); i++) {
    const struct rebali_path item = rebali_path_index(&list, i), at = rebali_path_key(&item, "affinityName");
    const char *name = rebali_member_text(json_array_get(terms, i), "affinityName");
    if (name[0] != '\0' && json_object_get(seen, name) != NULL) {
      rebali_find(check, REBAL_FINDING_DUPLICATE_AFFINITY_NAME, &at, "a group before it has this name");
    } else if (json_object_set_new_nocheck(seen, name, json_true()) != 0) {
      check->result = REBAL_ENOMEM;
    }
  }
  json_decref(seen);
}

static int is_empty_affinity(const json_t *affinity) {
  static const char *const members[] = {"labelSelector", "fieldSelector", "clusterNames", "exclude"};
  for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
    const json_t *member = rebali_member(affinity, members[i]);
    if (member != NULL && !(json_is_array(member) && json_array_size(member) == 0)) {
      return 0;
    }
  }
  return 1;
}

static int is_dynamic(const json_t *placement) {
  const json_t *scheduling = rebali_member(placement, "replicaScheduling");
  const char *preference = rebali_member_text(scheduling, "replicaDivisionPreference");
  if (strcmp(rebali_member_text(scheduling, "replicaSchedulingType"), "Duplicated") == 0) {
    return 0;
  }
  return strcmp(preference, "Aggregated") == 0 ||
         *rebali_member_text(rebali_member(scheduling, "weightPreference"), "dynamicWeight") != '\0';
}

void rebali_rule_term(struct rebali_check *check, const json_t *term, const struct rebali_path *path) {
  const struct rebali_path at = rebali_path_key(path, "overflowAffinities");
  const json_t *placement = rebali_member(rebali_member(check->tree, "spec"), "placement");
  if (json_array_size(rebali_member(term, "overflowAffinities")) == 0) {
    return;
  }
  if (!is_dynamic(placement)) {
    rebali_find(check, REBAL_FINDING_OVERFLOW_STRATEGY, &at, "they need Aggregated, or Weighted with a dynamicWeight");
  }
  if (is_empty_affinity(term)) {
    rebali_find(check, REBAL_FINDING_OVERFLOW_FROM_NOTHING, &at, "the group's own affinity takes every cluster");
  }
}

/* ---- selectors ---- */

/* Returns why an expression makes its whole selector match nothing (rebalance-karmada(7) 3.1); NULL if it does not. */
static const char *expression_fault(const json_t *expression, const char *operators) {
  const char *operator_name = rebali_member_text(expression, "operator");
  const json_t *values = rebali_member(expression, "values");
  const int takes_none = rebali_is_listed(operator_name, "Exists DoesNotExist");
  if (!rebali_is_listed(operator_name, operators)) {
    return "an unknown operator";
  }
  if (!rebali_is_key_form(rebali_member_text(expression, "key"))) {
    return "a key that no label has";
  }
  if (takes_none != (json_array_size(values) == 0)) {
    return takes_none ? "values, which this operator does not take" : "no value";
  }
  for (size_t i = 0; i < json_array_size(values); i++) {
    const char *value = json_string_value(json_array_get(values, i));
    if (value != NULL && !rebali_is_value_form(value)) {
      return "a value that no label has";
    }
  }
  return NULL;
}

static void find_faults(struct rebali_check *check, const json_t *selector, const char *operators, const char *exempt,
                        const struct rebali_path *path) {
  const struct rebali_path list = rebali_path_key(path, "matchExpressions");
  const json_t *expressions = rebali_member(selector, "matchExpressions");
  for (size_t i = 0; i < json_array_size(expressions); i++) {
    const struct rebali_path at = rebali_path_index(&list, i);
    const json_t *expression = json_array_get(expressions, i);
    const char *fault = expression_fault(expression, operators);
    if (fault != NULL && strcmp(rebali_member_text(expression, "key"), exempt) != 0) {
      rebali_find(check, REBAL_FINDING_MATCHES_NOTHING, &at, "the selector matches nothing: %s", fault);
    }
  }
}

static void check_match_labels(struct rebali_check *check, const json_t *selector, const struct rebali_path *path) {
  const struct rebali_path map = rebali_path_key(path, "matchLabels");
  const json_t *labels = rebali_member(selector, "matchLabels");
  const char *key;
  json_t *value;
  if (!rebali_is_map(labels)) {
    return;
  }
  json_object_foreach((json_t *)(uintptr_t)labels, key, value) {
    const struct rebali_path at = rebali_path_key(&map, key);
    if (!rebali_is_key_form(key) || (json_is_string(value) && !rebali_is_value_form(json_string_value(value)))) {
      rebali_find(check, REBAL_FINDING_MATCHES_NOTHING, &at, "the selector matches nothing: no label is like this");
    }
  }
}

/* Checks field selectors as admission does. */
static void check_field_selector(struct rebali_check *check, const json_t *selector, const struct rebali_path *path) {
  const struct rebali_path list = rebali_path_key(path, "matchExpressions");
  const json_t *expressions = rebali_member(selector, "matchExpressions");
  for (size_t i = 0; i < json_array_size(expressions); i++) {
    const struct rebali_path item = rebali_path_index(&list, i);
    const struct rebali_path key = rebali_path_key(&item, "key"), name = rebali_path_key(&item, "operator");
    const json_t *expression = json_array_get(expressions, i);
    if (!rebali_is_listed(rebali_member_text(expression, "key"), "provider region zone")) {
      rebali_find(check, REBAL_FINDING_FIELD_SELECTOR, &key, "expected provider, region or zone");
    }
    if (!rebali_is_listed(rebali_member_text(expression, "operator"), "In NotIn")) {
      rebali_find(check, REBAL_FINDING_FIELD_SELECTOR, &name, "expected In or NotIn");
    }
  }
}

void rebali_rule_label_selector(struct rebali_check *check, const json_t *selector, const struct rebali_path *path) {
  check_match_labels(check, selector, path);
  find_faults(check, selector, "In NotIn Exists DoesNotExist", "", path);
}

void rebali_rule_affinity(struct rebali_check *check, const json_t *affinity, const struct rebali_path *path) {
  const struct rebali_path labels = rebali_path_key(path, "labelSelector"),
                           fields = rebali_path_key(path, "fieldSelector");
  const json_t *field_selector = rebali_member(affinity, "fieldSelector");
  rebali_rule_label_selector(check, rebali_member(affinity, "labelSelector"), &labels);
  check_field_selector(check, field_selector, &fields);
  /* Zones are compared verbatim. */
  find_faults(check, field_selector, "In NotIn Exists DoesNotExist Gt Lt", "zone", &fields);
}

void rebali_rule_toleration(struct rebali_check *check, const json_t *toleration, const struct rebali_path *path) {
  const struct rebali_path operator_at = rebali_path_key(path, "operator"), effect_at = rebali_path_key(path, "effect");
  const char *operator_name = rebali_member_text(toleration, "operator");
  const char *effect = rebali_member_text(toleration, "effect");
  if (*rebali_member_text(toleration, "key") == '\0' && *rebali_member_text(toleration, "value") == '\0' &&
      strcmp(operator_name, "Exists") != 0) {
    rebali_find(check, REBAL_FINDING_TOLERATES_ALL, path,
                "without key and value it tolerates every taint without a value");
  }
  if (operator_name[0] != '\0' && !rebali_is_listed(operator_name, "Exists Equal")) {
    rebali_find(check, REBAL_FINDING_TOLERATES_NOTHING, &operator_at,
                "with an operator other than Exists and Equal it tolerates nothing");
  }
  if (effect[0] != '\0' && !rebali_is_listed(effect, "NoSchedule PreferNoSchedule NoExecute")) {
    rebali_find(check, REBAL_FINDING_TOLERATES_NOTHING, &effect_at, "no taint has this effect");
  }
}

/* ---- division ---- */

/* Reports a cluster that is alone in an earlier entry too: each name is replaced by one cluster, to compare entries. */
static void check_weights(struct rebali_check *check, const json_t *list, const struct rebali_path *path) {
  json_t *seen = json_object();
  for (size_t i = 0; i < json_array_size(list); i++) {
    const struct rebali_path item = rebali_path_index(path, i), target = rebali_path_key(&item, "targetCluster");
    const struct rebali_path names_at = rebali_path_key(&target, "clusterNames");
    const json_t *names = rebali_member(rebali_member(json_array_get(list, i), "targetCluster"), "clusterNames");
    for (size_t j = 0; j < json_array_size(names); j++) {
      const struct rebali_path at = rebali_path_index(&names_at, j);
      const char *name = json_string_value(json_array_get(names, j));
      const json_t *before = name != NULL ? json_object_get(seen, name) : NULL;
      if (before != NULL && json_integer_value(before) != (json_int_t)i) {
        rebali_find(check, REBAL_FINDING_DUPLICATE_WEIGHT, &at,
                    "an entry before it names this cluster: the larger weight counts");
      } else if (name != NULL && json_object_set_new_nocheck(seen, name, json_integer((json_int_t)i)) != 0) {
        check->result = REBAL_ENOMEM;
      }
    }
  }
  json_decref(seen);
}

static int is_divided(const json_t *scheduling) {
  return rebali_is_map(scheduling) &&
         strcmp(rebali_member_text(scheduling, "replicaSchedulingType"), "Duplicated") != 0;
}

void rebali_rule_strategy(struct rebali_check *check, const json_t *placement, const struct rebali_path *path) {
  const struct rebali_path scheduling_at = rebali_path_key(path, "replicaScheduling");
  const struct rebali_path weights_at = rebali_path_key(&scheduling_at, "weightPreference");
  const struct rebali_path list_at = rebali_path_key(&weights_at, "staticWeightList");
  const json_t *scheduling = rebali_member(placement, "replicaScheduling");
  const json_t *weights = rebali_member(scheduling, "weightPreference");
  const json_t *list = rebali_member(weights, "staticWeightList");
  const int has_dynamic = *rebali_member_text(weights, "dynamicWeight") != '\0';
  check_weights(check, list, &list_at);
  if (!rebali_is_map(weights)) {
    return;
  }
  if (!is_divided(scheduling) ||
      strcmp(rebali_member_text(scheduling, "replicaDivisionPreference"), "Aggregated") == 0) {
    rebali_find(check, REBAL_FINDING_WEIGHTS_UNUSED, &weights_at, "only Divided and Weighted reads weights");
  } else if (has_dynamic && json_array_size(list) > 0) {
    rebali_find(check, REBAL_FINDING_WEIGHTS_UNUSED, &list_at, "with a dynamicWeight the list is not read");
  } else if (!has_dynamic && json_array_size(list) == 0) {
    rebali_find(check, REBAL_FINDING_EMPTY_WEIGHTS, &weights_at, "without weights all clusters weigh the same");
  }
}

/* ---- spread constraints ---- */

struct constraints {
  const json_t *list;
  const struct rebali_path *path;
  int is_static; /* the division ignores them (rebalance-karmada(7) 5.1) */
};

static const char *field_of(const json_t *constraint) {
  return rebali_text_or_default(REBALI_SHAPE_SPREAD_CONSTRAINT, constraint, "spreadByField");
}

static int has_field(const struct constraints *constraints, size_t before, const char *field) {
  for (size_t i = 0; i < before; i++) {
    if (field[0] != '\0' && strcmp(field_of(json_array_get(constraints->list, i)), field) == 0) {
      return 1;
    }
  }
  return 0;
}

static void check_groups(struct rebali_check *check, const json_t *constraint, int is_limit,
                         const struct rebali_path *path) {
  const struct rebali_path at = rebali_path_key(path, "maxGroups");
  const json_int_t max = json_integer_value(rebali_member(constraint, "maxGroups"));
  const json_int_t min = json_integer_value(rebali_member(constraint, "minGroups"));
  if (max > 0 && max < min) {
    rebali_find(check, REBAL_FINDING_GROUPS_ORDER, &at, "maxGroups is below minGroups");
  } else if (max == 0 && is_limit) {
    rebali_find(check, REBAL_FINDING_MAX_GROUPS_UNSET, &at, "maxGroups has no default: 0 groups are selected");
  }
}

static void check_constraint(struct rebali_check *check, const struct constraints *constraints, size_t i) {
  const struct rebali_path item = rebali_path_index(constraints->path, i);
  const struct rebali_path at = rebali_path_key(&item, "spreadByField");
  const json_t *constraint = json_array_get(constraints->list, i);
  const char *field = field_of(constraint);
  const int is_selecting = rebali_is_listed(field, "cluster region") && field[0] != '\0';
  check_groups(check, constraint, is_selecting && !constraints->is_static, &item);
  if (*rebali_member_text(constraint, "spreadByField") != '\0' &&
      *rebali_member_text(constraint, "spreadByLabel") != '\0') {
    rebali_find(check, REBAL_FINDING_SPREAD_TWICE, &at, "there is a spreadByLabel as well");
  }
  if (i < 64 && has_field(constraints, i, field)) { /* there are fewer fields: all have been reported by then */
    rebali_find(check, REBAL_FINDING_DUPLICATE_SPREAD_FIELD, &at, "a constraint before it has this field");
  }
  if (constraints->is_static) {
    rebali_find(check, REBAL_FINDING_SPREAD_IGNORED, &item,
                "static weights ignore it, but for clusters without the property");
  } else if (strcmp(field, "zone") == 0 || strcmp(field, "provider") == 0) {
    rebali_find(check, REBAL_FINDING_SPREAD_UNLIMITED, &item, "by %s groups are never limited", field);
  }
}

static int ignores_constraints(const json_t *placement) {
  const json_t *scheduling = rebali_member(placement, "replicaScheduling");
  const json_t *weights = rebali_member(scheduling, "weightPreference");
  if (!is_divided(scheduling) ||
      strcmp(rebali_member_text(scheduling, "replicaDivisionPreference"), "Aggregated") == 0) {
    return 0;
  }
  return weights == NULL || (json_array_size(rebali_member(weights, "staticWeightList")) > 0 &&
                             *rebali_member_text(weights, "dynamicWeight") == '\0');
}

void rebali_rule_spread(struct rebali_check *check, const json_t *placement, const struct rebali_path *path) {
  const struct rebali_path at = rebali_path_key(path, "spreadConstraints");
  const struct constraints constraints = {rebali_member(placement, "spreadConstraints"), &at,
                                          ignores_constraints(placement)};
  const size_t n = json_array_size(constraints.list);
  const int by_cluster = has_field(&constraints, n, "cluster"), by_region = has_field(&constraints, n, "region");
  const int by_other = has_field(&constraints, n, "zone") || has_field(&constraints, n, "provider");
  for (size_t i = 0; i < n; i++) {
    check_constraint(check, &constraints, i);
  }
  if (!by_cluster && (by_region || by_other)) {
    rebali_find(check, REBAL_FINDING_CLUSTER_CONSTRAINT, &at, "with a spreadByField one constraint must be by cluster");
  }
  if (n > 0 && !by_cluster && !by_region && !constraints.is_static) {
    rebali_find(check, REBAL_FINDING_SPREAD_UNSUPPORTED, &at, "only constraints by cluster and region select clusters");
  }
}

/* ---- empty lists, which an applied placement never holds ---- */

static void find_empty(struct rebali_check *check, const json_t *value, const struct rebali_path *path) {
  const char *key;
  json_t *member;
  if (json_is_array(value)) {
    for (size_t i = 0; i < json_array_size(value); i++) {
      const struct rebali_path at = rebali_path_index(path, i);
      find_empty(check, json_array_get(value, i), &at);
    }
  }
  if (!rebali_is_map(value)) {
    return;
  }
  json_object_foreach((json_t *)(uintptr_t)value, key, member) {
    const struct rebali_path at = rebali_path_key(path, key);
    const int is_empty_labels =
        strcmp(key, "matchLabels") == 0 && json_is_object(member) && json_object_size(member) == 0;
    if ((json_is_array(member) && json_array_size(member) == 0) || is_empty_labels) {
      rebali_find(check, REBAL_FINDING_NEVER_EQUAL, &at,
                  "spelled out empty it differs from what was applied, for ever");
    } else {
      find_empty(check, member, &at);
    }
  }
}

void rebali_rule_empty_lists(struct rebali_check *check, const json_t *placement, const struct rebali_path *path) {
  find_empty(check, placement, path);
}
