/* SPDX-License-Identifier: MIT */
/* Finds the policy of a template at rest, and the result, without a pass. */
#include "detector/policy/policy.h"

#include <string.h>

int rebali_is_claimed_by(const json_t *template_) {
  return rebali_text_of(rebali_label(template_, "resourcetemplate.karmada.io/claimed-by"))[0] != '\0';
}

/* ---- the policy ---- */

/*
 * Returns the policy that a claim of this kind names, or NULL if it was deleted or its events remove the claim;
 * row->outcome is set then.
 */
static int32_t claiming(rebal_detector *detector, const json_t *template_, const struct rebali_policy_kind *kind,
                        json_t **policy, rebal_detector_row *row, rebal_error *err) {
  const uint32_t found = rebali_claimed_policy(detector, template_, kind);
  int32_t result;
  if (found == REBAL_NONE) {
    return REBAL_OK;
  }
  result = rebali_store_share(detector->store, found, policy, err);
  if (result != REBAL_OK) {
    return result;
  }
  if (rebali_is_deleting(*policy)) {
    row->outcome = REBAL_DETECTOR_OUTCOME_DELETING;
  } else if (rebali_policy_precision(*policy, template_) == REBAL_PRECISION_NONE) {
    row->outcome = REBAL_DETECTOR_OUTCOME_UNMATCHED;
  } else if (kind->claimed_namespace[0] != '\0' && rebali_metadata_text(template_, "namespace")[0] == '\0') {
    row->outcome = REBAL_DETECTOR_OUTCOME_ERROR;
    rebali_detector_say(detector, "a PropagationPolicy claims an object without namespace");
  } else {
    row->policy = found;
    return REBAL_OK;
  }
  json_decref(*policy);
  *policy = NULL;
  return REBAL_OK;
}

/* Replaces the claiming policy by one that preempts it, if there is one. */
static int32_t preempt(rebal_detector *detector, const json_t *template_, json_t **policy, rebal_detector_row *row,
                       rebal_error *err) {
  uint32_t found;
  int32_t result = rebali_policy_preempting(detector, template_, *policy, &found, err);
  if (result != REBAL_OK || found == REBAL_NONE) {
    return result;
  }
  json_decref(*policy);
  row->policy = found;
  return rebali_store_share(detector->store, found, policy, err);
}

/* Gets the policy that claims the template, or the best one; without one, the outcome holds the reason. */
static int32_t follow_or_choose(rebal_detector *detector, const json_t *template_, json_t **policy,
                                rebal_detector_row *row, rebal_error *err) {
  int32_t result;
  for (size_t i = 0; i < 2; i++) {
    if (!rebali_claim_is_complete(template_, &rebali_policy_kinds[i])) {
      continue;
    }
    result = claiming(detector, template_, &rebali_policy_kinds[i], policy, row, err);
    if (result == REBAL_OK && *policy != NULL) {
      return preempt(detector, template_, policy, row, err);
    }
    if (result != REBAL_OK || row->outcome == REBAL_DETECTOR_OUTCOME_ERROR) {
      return result;
    }
  }
  result = rebali_policy_choose(detector, template_, &row->policy, err);
  if (result != REBAL_OK || row->policy == REBAL_NONE) {
    row->outcome = row->outcome == REBAL_DETECTOR_OUTCOME_DONE ? REBAL_DETECTOR_OUTCOME_WAITING : row->outcome;
    return result;
  }
  row->outcome = REBAL_DETECTOR_OUTCOME_DONE;
  return rebali_store_share(detector->store, row->policy, policy, err);
}

int32_t rebali_policy_of(rebal_detector *detector, const json_t *template_, json_t **policy, rebal_detector_row *row,
                         rebal_error *err) {
  int32_t result = REBAL_OK;
  *policy = NULL;
  row->policy = REBAL_NONE;
  row->outcome = REBAL_DETECTOR_OUTCOME_DONE;
  if (rebali_is_claimed_by(template_)) {
    row->outcome = REBAL_DETECTOR_OUTCOME_CLAIMED_BY;
  } else {
    result = follow_or_choose(detector, template_, policy, row, err);
  }
  if (result == REBAL_OK && *policy != NULL && rebali_waits_for_overrides(detector, *policy, row)) {
    json_decref(*policy);
    *policy = NULL;
  }
  return result;
}

/* ---- the result ---------- */

static int is_of_kubernetes(const char *api_version) {
  static const char *const groups[] = {"apps", "autoscaling", "batch", "extensions", "policy"};
  static const char suffix[] = ".k8s.io";
  const size_t len = rebali_group_len(api_version), suffix_len = sizeof suffix - 1;
  for (size_t i = 0; i < REBALI_COUNT(groups); i++) {
    if (strlen(groups[i]) == len && memcmp(groups[i], api_version, len) == 0) {
      return 1;
    }
  }
  return len == 0 || (len > suffix_len && memcmp(api_version + len - suffix_len, suffix, suffix_len) == 0);
}

/* Tests whether the template may have unknown replicas; of Kubernetes' own kinds only those with pods. */
static int may_have_replicas(const json_t *template_) {
  const json_t *spec = rebali_member(template_, "spec");
  return !is_of_kubernetes(rebali_member_text(template_, "apiVersion")) || rebali_member(spec, "template") != NULL ||
         rebali_member(spec, "jobTemplate") != NULL;
}

static int is_divided(const json_t *spec) {
  const json_t *scheduling = rebali_member(rebali_member(spec, "placement"), "replicaScheduling");
  const char *type = rebali_member_text(scheduling, "replicaSchedulingType");
  return scheduling != NULL && (type[0] == '\0' || strcmp(type, "Divided") == 0);
}

static uint32_t flags_of(const rebal_detector *detector, const json_t *template_, const json_t *spec) {
  const int has_components = rebali_gate_is_on(detector, REBAL_DETECTOR_GATE_MULTIPLE_POD_TEMPLATES);
  const uint32_t counted = UINT32_C(1) << REBAL_INTERPRET_REPLICAS | (uint32_t)has_components
                                                                         << REBAL_INTERPRET_COMPONENTS;
  const struct rebali_interpret_options options = {
      .replicas_paths = {detector->replicas_paths, detector->replicas_paths_len}};
  return is_divided(spec) && (rebali_interpret_operations(template_, &options) & counted) == 0 &&
                 may_have_replicas(template_)
             ? REBAL_DETECTOR_NOTE_NO_REPLICAS
             : 0;
}

int32_t rebali_look(rebal_detector *detector, const json_t *template_, rebal_detector_row *row, rebal_error *err) {
  struct rebali_rest rest;
  const uint32_t skipped = rebali_skipped_why(&detector->skipped, template_);
  int32_t result;
  if (skipped != 0) {
    row->outcome = skipped;
    return REBAL_OK;
  }
  result = rebali_rest_open(&rest, detector, template_, row, err);
  row->flags = rest.built != NULL ? flags_of(detector, template_, rest.built) : 0;
  rebali_rest_close(&rest);
  return result;
}
