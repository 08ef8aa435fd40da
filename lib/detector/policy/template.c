/* SPDX-License-Identifier: MIT */
/* One pass over a template (rebalance-karmada(7) 14.3, 14.5). */
#include "detector/policy/policy.h"

#include <string.h>

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

/* The policy selects the template. A claimed template stays in the waiting list if it is in it. */
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
  if (rebali_is_claimed_by(pass->tree)) {
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
