/* SPDX-License-Identifier: MIT */
/* Decides about the binding of a template at rest: it is created, updated, or left as it is. */
#include "detector/policy/policy.h"

#include <stdlib.h>
#include <string.h>

/* Tests whether the policy already claims the template, so that an earlier pass took it. */
static int is_claimed(const json_t *template_, const json_t *policy) {
  const struct rebali_policy_kind *kind = rebali_policy_kind_of(policy);
  return rebali_claim_is_complete(template_, kind) &&
         strcmp(rebali_claimed_name(template_, kind), rebali_metadata_text(policy, "name")) == 0;
}

/* Tests whether the binding holds what is read from the template, which then has not changed. */
static int is_up_to_date(const json_t *built, const json_t *spec) {
  static const char *const interpreted[] = {"replicas", "replicaRequirements", "components"};
  for (size_t i = 0; i < REBALI_COUNT(interpreted); i++) {
    const json_t *now = rebali_member(built, interpreted[i]), *then = rebali_member(spec, interpreted[i]);
    if ((now == NULL) != (then == NULL) || (now != NULL && !json_equal(now, then))) {
      return 0;
    }
  }
  return 1;
}

/* A changed Lazy policy waits for its user to change the template (rebalance-karmada(7) 14.5). */
static int32_t find_lazy(const struct rebali_rest *rest, rebal_detector_row *row, rebal_error *err) {
  const struct rebali_binding_draft *draft = &rest->draft;
  const json_t *spec = rebali_member(draft->before, "spec");
  json_t *tree = NULL;
  int32_t result;
  if (!rebali_policy_is_lazy(rest->policy) || !is_claimed(draft->template_, rest->policy)) {
    return REBAL_OK;
  }
  if (draft->before == NULL) {
    row->outcome = REBAL_DETECTOR_OUTCOME_LAZY;
    return REBAL_OK;
  }
  result = is_up_to_date(draft->built, spec) ? rebali_rest_draft(rest, &tree, err) : REBAL_OK;
  if (tree != NULL && rebali_member(spec, "resource") != NULL) {
    result = rebali_put(rebali_member(tree, "spec"), "resource", json_incref(rebali_member(spec, "resource")), err);
  }
  if (result == REBAL_OK && tree != NULL && !json_equal(rebali_member(tree, "spec"), spec)) {
    row->outcome = REBAL_DETECTOR_OUTCOME_LAZY;
  }
  json_decref(tree);
  return result;
}

int32_t rebali_rest_open(struct rebali_rest *rest, rebal_detector *detector, const json_t *template_,
                         rebal_detector_row *row, rebal_error *err) {
  struct rebali_binding_draft *draft = &rest->draft;
  int32_t result;
  *rest = (struct rebali_rest){.draft = {.detector = detector, .template_ = template_}};
  result = rebali_policy_of(detector, template_, &rest->policy, row, err);
  if (result == REBAL_OK) {
    result = rebali_find_binding(detector, template_, &row->binding, &rest->name, err);
  }
  if (result == REBAL_OK && row->binding != REBAL_NONE) {
    result = rebali_store_visit(detector->store, row->binding, &rest->before, err);
  }
  draft->policy = rest->policy;
  draft->before = rest->before;
  draft->name = rest->name;
  if (result != REBAL_OK || rest->policy == NULL || rebali_refuse_foreign(draft, row)) {
    return result;
  }
  result = rebali_build_spec(detector, template_, rest->policy, &rest->built, err);
  draft->built = rest->built;
  if (result == REBAL_OK && rest->built == NULL) {
    row->outcome = REBAL_DETECTOR_OUTCOME_ERROR;
  }
  return result == REBAL_OK && rest->built != NULL ? find_lazy(rest, row, err) : result;
}

void rebali_rest_close(struct rebali_rest *rest) {
  json_decref(rest->policy);
  json_decref(rest->built);
  json_decref(rest->before);
  free(rest->name);
}

int32_t rebali_rest_draft(const struct rebali_rest *rest, json_t **tree, rebal_error *err) {
  json_t *resource = rebali_member(rest->built, "resource");
  json_t *version = rebali_member(resource, "resourceVersion");
  const json_t *spec = rebali_member(rest->before, "spec");
  json_t *old_version = rebali_member(rebali_member(spec, "resource"), "resourceVersion");
  int32_t result = REBAL_OK;
  json_incref(version);
  if (old_version != NULL) {
    result = rebali_put(resource, "resourceVersion", json_incref(old_version), err);
  }
  if (result == REBAL_OK) {
    result = rebali_draft_binding(&rest->draft, tree, err);
  }
  if (result == REBAL_OK && version != NULL && old_version != NULL && !json_equal(rebali_member(*tree, "spec"), spec)) {
    result = rebali_put(rebali_member(rebali_member(*tree, "spec"), "resource"), "resourceVersion",
                        json_incref(version), err);
  }
  json_decref(version);
  return result;
}
