/* SPDX-License-Identifier: MIT */
/*
 * Computes what the ResourceQuotas of a member cluster leave (rebalance-karmada(7) 6.5.4) of cpu, memory and extended
 * resources, under their names or with the prefix "requests.".
 */
#include "estimator/node.h"

/* One quota and the components that it may limit. */
struct quota {
  const struct rebali_quota_question *question;
  const rebal_record *record;
  uint32_t node;
  uint32_t cluster;
  int is_scoped;
};

/* ---- the scope of a quota ---------------------------------------------------------------------------------------- */

/* The priority class is the only known scope of pods. */
static int expression_matches(const rebal_record *record, uint32_t expression, struct rebali_text priority_class) {
  struct rebali_requirement requirement = {
      rebali_record_field_text(record, expression, REBAL_EXPRESSION_KEY),
      rebali_operator_parse(rebali_record_field_text(record, expression, REBAL_EXPRESSION_OPERATOR)), NULL,
      rebali_record_count(record, expression, REBAL_EXPRESSION_VALUES), NULL};
  const int is_set = priority_class.len != 0;
  uint32_t value = REBAL_NONE;
  int listed = 0;

  if (!rebali_text_equal(requirement.key, REBALI_TEXT("PriorityClass"))) {
    return 0;
  }
  while ((value = rebali_record_next(record, expression, REBAL_EXPRESSION_VALUES, value)) != REBAL_NONE) {
    listed |= is_set && rebali_text_equal(rebali_record_text(record, value), priority_class);
  }
  switch (requirement.operation) {
    case REBALI_OPERATOR_EXISTS:
      return is_set;
    case REBALI_OPERATOR_DOES_NOT_EXIST:
      return !is_set;
    case REBALI_OPERATOR_IN:
      return listed;
    case REBALI_OPERATOR_NOT_IN:
      return !listed && requirement.n_values != 0;
    default:
      return 0;
  }
}

/* One matching scope is enough. requirements is NULL if there are none; those match no scope. */
static int concerns(const struct quota *quota, const rebal_record *requirements) {
  struct rebali_text priority_class;
  uint32_t node = REBAL_NONE;

  if (!quota->is_scoped || requirements == NULL) {
    return !quota->is_scoped;
  }
  priority_class = rebali_record_field_text(requirements, 0, REBAL_REQUIREMENTS_PRIORITY_CLASS_NAME);
  while ((node = rebali_record_next(quota->record, quota->node, REBAL_QUOTA_SCOPES, node)) != REBAL_NONE) {
    if (priority_class.len != 0 &&
        rebali_text_equal(rebali_record_text(quota->record, node), REBALI_TEXT("PriorityClass"))) {
      return 1;
    }
  }
  while ((node = rebali_record_next(quota->record, quota->node, REBAL_QUOTA_SCOPE_SELECTOR, node)) != REBAL_NONE) {
    if (expression_matches(quota->record, node, priority_class)) {
      return 1;
    }
  }
  return 0;
}

/* ---- amounts ----------------------------------------------------------------------------------------------------- */

/* Returns the resource that a name of a quota limits; empty if quotas of that name are ignored. */
static struct rebali_text limited_resource(struct rebali_text name) {
  const struct rebali_text prefix = REBALI_TEXT("requests.");
  const int has_prefix = name.len > prefix.len && memcmp(name.bytes, prefix.bytes, prefix.len) == 0;
  const struct rebali_text plain = has_prefix ? rebali_text(name.bytes + prefix.len, name.len - prefix.len) : name;

  return rebali_text_equal(plain, REBALI_TEXT("cpu")) || rebali_text_equal(plain, REBALI_TEXT("memory")) ||
                 rebali_is_extended_resource(plain)
             ? plain
             : REBALI_TEXT("");
}

static int64_t in_units(struct rebali_text name, const rebal_quantity *amount) {
  return rebali_text_equal(name, REBALI_TEXT("cpu")) ? rebali_quantity_milli(amount) : rebali_quantity_value(amount);
}

/* Finds the amount of a name in a map. Returns 0 if the name is missing. */
static int find_amount(const rebal_record *record, uint32_t node, uint32_t map, struct rebali_text name,
                       rebal_quantity *out) {
  uint32_t entry = REBAL_NONE;

  while (record != NULL && (entry = rebali_record_next(record, node, map, entry)) != REBAL_NONE) {
    if (rebali_text_equal(rebali_record_field_text(record, entry, REBAL_AMOUNT_NAME), name)) {
      rebal_record_quantity(record, rebali_record_get(record, entry, REBAL_AMOUNT_QUANTITY), out);
      return 1;
    }
  }
  return 0;
}

/* Sums what the components of a set request, as far as the quota applies to them. */
static int64_t sum_requests(const struct quota *quota, const struct rebali_component *components, size_t n,
                            struct rebali_text resource) {
  int64_t sum = 0;

  for (size_t i = 0; i < n; i++) {
    const rebal_record *requirements =
        rebali_snapshot_record(quota->question->snapshot, REBAL_OBJECT_REQUIREMENTS, components[i].requirements);
    rebal_quantity amount;

    if (concerns(quota, requirements) &&
        find_amount(requirements, 0, REBAL_REQUIREMENTS_RESOURCE_REQUEST, resource, &amount)) {
      sum = rebali_add_saturating(sum, rebali_multiply_saturating(in_units(resource, &amount), components[i].replicas));
    }
  }
  return sum;
}

/* Sums the holdings of workloads of the quota's namespace in the cluster. */
static int64_t sum_held(const struct quota *quota, struct rebali_text resource) {
  const struct rebali_quota_question *question = quota->question;
  int64_t sum = 0;

  for (size_t i = 0; i < question->n_holdings; i++) {
    const struct rebali_holding *holding = &question->holdings[i];
    const char *slash = memchr(holding->key.bytes, '/', holding->key.len);
    const size_t len = slash == NULL ? 0 : (size_t)(slash - holding->key.bytes);

    if (slash != NULL && rebali_text_equal(rebali_text(holding->key.bytes, len), question->namespace_)) {
      sum = rebali_add_saturating(sum, sum_requests(quota, holding->components, holding->n_components, resource));
    }
  }
  return sum;
}

/* Returns hard - used - held, never below 0. */
static int64_t left_of(const struct quota *quota, struct rebali_text resource, const rebal_quantity *hard,
                       const rebal_quantity *used) {
  rebal_quantity difference;
  int64_t left;

  (void)rebali_quantity_subtract(hard, used, &difference, NULL); /* both are proper; saturates */
  left = rebali_subtract_saturating(in_units(resource, &difference), sum_held(quota, resource));
  return left > 0 ? left : 0;
}

/* Returns how many replicas, or sets, the quota admits; INT64_MAX if it sets no limit. */
static int64_t limit_by(const struct quota *quota) {
  const struct rebali_quota_question *question = quota->question;
  uint32_t entry = REBAL_NONE;
  int64_t best = INT64_MAX;

  while ((entry = rebali_record_next(quota->record, quota->node, REBAL_QUOTA_HARD, entry)) != REBAL_NONE) {
    const struct rebali_text name = rebali_record_field_text(quota->record, entry, REBAL_AMOUNT_NAME);
    const struct rebali_text resource = limited_resource(name);
    rebal_quantity hard, used;
    int64_t request, fit;

    rebal_record_quantity(quota->record, rebali_record_get(quota->record, entry, REBAL_AMOUNT_QUANTITY), &hard);
    if (resource.len == 0 || !find_amount(quota->record, quota->node, REBAL_QUOTA_USED, name, &used)) {
      continue;
    }
    request = sum_requests(quota, question->components, question->n_components, resource);
    fit = request > 0 ? left_of(quota, resource, &hard, &used) / request : INT64_MAX;
    best = fit < best ? fit : best;
  }
  return best;
}

int32_t rebali_quota_limit(struct rebali_quota_question *question, uint32_t cluster, int32_t *limit) {
  struct quota quota = {question, rebali_state_quotas(&question->snapshot->state, cluster), REBAL_NONE, cluster, 0};

  *limit = INT32_MAX;
  question->n_holdings = 0;
  if (quota.record == NULL) {
    return REBAL_OK;
  }
  if (question->ledger != NULL && rebali_ledger_touches(question->ledger, cluster) &&
      rebali_ledger_holdings(question->ledger, cluster, question->arena, &question->holdings, &question->n_holdings) !=
          REBAL_OK) {
    return REBAL_ENOMEM;
  }
  while ((quota.node = rebali_record_next(quota.record, 0, REBAL_QUOTAS_QUOTA, quota.node)) != REBAL_NONE) {
    int64_t fit;

    if (!rebali_text_equal(rebali_record_field_text(quota.record, quota.node, REBAL_QUOTA_NAMESPACE),
                           question->namespace_)) {
      continue;
    }
    quota.is_scoped = rebali_record_get(quota.record, quota.node, REBAL_QUOTA_SCOPES) != REBAL_NONE ||
                      rebali_record_get(quota.record, quota.node, REBAL_QUOTA_SCOPE_SELECTOR) != REBAL_NONE;
    fit = limit_by(&quota);
    *limit = fit < *limit ? (int32_t)fit : *limit;
  }
  return REBAL_OK;
}
