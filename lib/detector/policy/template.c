/* SPDX-License-Identifier: MIT */
/* One pass over a template (spec karmada 14.3, 14.5). */
#include "detector/policy/policy.h"

#include <string.h>

#define CLAIMED_BY "resourcetemplate.karmada.io/claimed-by"

struct pass {
  rebal_detector *detector;
  uint32_t object;
  json_t *tree; /* the template; a reference */
  uint32_t flags;
  rebal_detector_row *row;
  rebal_error *err;
};

static void leave_waiting(rebal_detector *detector, uint32_t object) {
  struct rebali_list *waiting = &detector->lists[REBAL_DETECTOR_LIST_WAITING];
  const size_t at = rebali_list_find(waiting, object);
  if (at < waiting->n) {
    rebali_list_remove(waiting, at);
  }
}

static int32_t wait_for_policy(struct pass *pass) {
  const struct rebali_list *waiting = &pass->detector->lists[REBAL_DETECTOR_LIST_WAITING];
  pass->row->outcome = REBAL_DETECTOR_OUTCOME_WAITING;
  if (rebali_list_find(waiting, pass->object) < waiting->n) {
    return REBAL_OK;
  }
  rebali_detector_say(pass->detector, "no policy selects the template");
  return rebali_list_add_object(pass->detector, REBAL_DETECTOR_LIST_WAITING, pass->object, 0, pass->err);
}

/* The policy selects the template. One that it claims stays in the waiting list, where it is there. */
static int32_t apply(struct pass *pass, uint32_t object, const json_t *policy, int is_claimed) {
  int32_t result;
  if (rebali_waits_for_overrides(pass->detector, policy, pass->row)) {
    return REBAL_OK;
  }
  if (!is_claimed) {
    leave_waiting(pass->detector, pass->object);
  }
  pass->row->policy = object;
  if (rebali_metadata_text(pass->tree, "namespace")[0] == '\0' &&
      rebali_policy_kind_of(policy) == &rebali_policy_kinds[REBALI_NAMESPACED]) {
    pass->row->outcome = REBAL_DETECTOR_OUTCOME_ERROR;
    rebali_detector_say(pass->detector, "a PropagationPolicy claims an object without namespace");
    return REBAL_OK;
  }
  result = rebali_claim_template(pass->detector, pass->object, &pass->tree, policy, pass->err);
  if (result == REBAL_OK && rebali_policy_is_lazy(policy) && (pass->flags & REBAL_DETECTOR_PASS_BY_KARMADA) != 0) {
    pass->row->outcome = REBAL_DETECTOR_OUTCOME_LAZY;
    return REBAL_OK;
  }
  return result == REBAL_OK ? rebali_write_binding(pass->detector, pass->tree, policy, pass->row, pass->err) : result;
}

static int32_t follow_claim(struct pass *pass, const struct rebali_policy_kind *kind) {
  const uint32_t found = rebali_claimed_policy(pass->detector, pass->tree, kind);
  json_t *policy;
  int32_t result;
  if (found == REBAL_NONE) {
    pass->row->outcome = REBAL_DETECTOR_OUTCOME_CLEANED;
    return rebali_clean_up(pass->detector, pass->object, kind, rebali_text_of(rebali_label(pass->tree, kind->id)),
                           pass->err);
  }
  result = rebali_store_share(pass->detector->store, found, &policy, pass->err);
  if (result != REBAL_OK) {
    return result;
  }
  if (rebali_is_deleting(policy)) {
    pass->row->outcome = REBAL_DETECTOR_OUTCOME_DELETING;
    rebali_detector_say(pass->detector, "the policy %s is being deleted", rebali_claimed_name(pass->tree, kind));
  } else if (rebali_policy_precision(policy, pass->tree) == REBAL_PRECISION_NONE) {
    pass->row->outcome = REBAL_DETECTOR_OUTCOME_UNMATCHED;
  } else {
    result = apply(pass, found, policy, 1);
  }
  json_decref(policy);
  return result;
}

static int32_t choose(struct pass *pass) {
  uint32_t found;
  json_t *policy;
  int32_t result = rebali_policy_choose(pass->detector, pass->tree, &found, pass->err);
  if (result != REBAL_OK || found == REBAL_NONE) {
    return result == REBAL_OK ? wait_for_policy(pass) : result;
  }
  result = rebali_store_share(pass->detector->store, found, &policy, pass->err);
  if (result == REBAL_OK) {
    result = apply(pass, found, policy, 0);
    json_decref(policy);
  }
  return result;
}

static int32_t run(struct pass *pass) {
  const uint32_t skipped = rebali_skipped_why(&pass->detector->skipped, pass->tree);
  if (skipped != 0) {
    pass->row->outcome = skipped;
    return REBAL_OK;
  }
  if (rebali_text_of(rebali_label(pass->tree, CLAIMED_BY))[0] != '\0') {
    pass->row->outcome = REBAL_DETECTOR_OUTCOME_CLAIMED_BY;
    leave_waiting(pass->detector, pass->object);
    return REBAL_OK;
  }
  for (size_t i = 0; i < 2; i++) {
    if (rebali_claim_is_complete(pass->tree, &rebali_policy_kinds[i])) {
      return follow_claim(pass, &rebali_policy_kinds[i]);
    }
  }
  return choose(pass);
}

int32_t rebali_detector_pass(rebal_detector *detector, uint32_t object, uint32_t flags, rebal_detector_row *row,
                             rebal_error *err) {
  struct pass pass = {detector, object, NULL, flags, row, err};
  int32_t result = rebali_store_share(detector->store, object, &pass.tree, err);
  if (result != REBAL_OK) {
    return result;
  }
  result = run(&pass);
  json_decref(pass.tree);
  return result;
}

/* ---- the policy without the pass ---- */

/* The policy that a claim of this kind names; *is_there 0: it is gone, so that the claim would be cleaned up. */
static int32_t claiming(rebal_detector *detector, const json_t *template_, const struct rebali_policy_kind *kind,
                        json_t **policy, int *is_there, rebal_error *err) {
  const uint32_t found = rebali_claimed_policy(detector, template_, kind);
  int32_t result = REBAL_OK;
  *is_there = found != REBAL_NONE;
  if (*is_there) {
    result = rebali_store_share(detector->store, found, policy, err);
  }
  if (result == REBAL_OK && *is_there &&
      (rebali_is_deleting(*policy) || rebali_policy_precision(*policy, template_) == REBAL_PRECISION_NONE ||
       (kind->claimed_namespace[0] != '\0' && rebali_metadata_text(template_, "namespace")[0] == '\0'))) {
    json_decref(*policy);
    *policy = NULL;
  }
  return result;
}

/* The policy that is to be followed, or the best one. */
static int32_t follow_or_choose(rebal_detector *detector, const json_t *template_, json_t **policy, rebal_error *err) {
  uint32_t best;
  int32_t result = REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < 2; i++) {
    int is_there = 0;
    if (rebali_claim_is_complete(template_, &rebali_policy_kinds[i])) {
      result = claiming(detector, template_, &rebali_policy_kinds[i], policy, &is_there, err);
    }
    if (is_there) {
      return result;
    }
  }
  if (result == REBAL_OK) {
    result = rebali_policy_choose(detector, template_, &best, err);
  }
  return result == REBAL_OK && best != REBAL_NONE ? rebali_store_share(detector->store, best, policy, err) : result;
}

int32_t rebali_policy_of(rebal_detector *detector, const json_t *template_, json_t **policy, rebal_error *err) {
  int32_t result = REBAL_OK;
  *policy = NULL;
  if (rebali_text_of(rebali_label(template_, CLAIMED_BY))[0] == '\0') {
    result = follow_or_choose(detector, template_, policy, err);
  }
  if (result == REBAL_OK && *policy != NULL && !rebali_has_overrides(detector, *policy)) {
    json_decref(*policy);
    *policy = NULL;
  }
  return result;
}
