/* SPDX-License-Identifier: MIT */
/* Finds the WorkloadSpread that a pod belongs to (rebalance-workloadspread(7) 3.2, 3.3). */
#include "workloadspread/admission.h"

/* Reads the properties of an owner unless it is the last one: batches have many pods of one owner in a row. */
static void examine_owner(struct rebali_admission *admission, uint32_t owner) {
  if (owner == admission->owner) {
    return;
  }
  admission->owner = owner;
  admission->owner_is_supported = rebali_owner_is_supported(admission->pods, admission->white_list, owner);
  admission->owner_is_tracked =
      rebali_kind_is_tracked(admission->compat, rebali_pods_text(admission->pods, REBAL_OWNER_KIND, owner));
  for (size_t i = 0; i < admission->n_spreads; i++) {
    admission->known[i].verdict = 0;
  }
}

/*
 * Returns whether the pod's owner leads to the spread's target. *owner: the row that decided it, which callers need if
 * an object is missing or unknown; an unknown one ends the call.
 */
static enum rebali_referral refers(struct rebali_admission *admission, size_t spread, uint32_t *owner) {
  struct rebali_admission_spread *known = &admission->known[spread];
  enum rebali_referral referral;

  if (known->verdict != 0 && known->verdict != 1 + REBALI_REFERS_MISSING) {
    return (enum rebali_referral)(known->verdict - 1);
  }
  referral = rebali_spread_refers(&admission->spreads[spread]->spec, admission->pods, admission->white_list, owner);
  known->verdict = (uint8_t)(1 + referral);
  return referral;
}

/* Finds the first spread, in the given order, that the pod belongs to. */
static void match_created(struct rebali_admission *admission, uint32_t row, struct rebali_admitted *admitted) {
  for (size_t i = 0; i < admission->n_spreads; i++) {
    const struct rebali_spread_spec *spec = &admission->spreads[i]->spec;
    uint32_t owner = admission->owner;
    enum rebali_referral referral;

    if (!spec->has_target || spec->is_deleting) {
      continue;
    }
    referral = refers(admission, i, &owner);
    if (referral == REBALI_REFERS_MISSING || referral == REBALI_REFERS_UNKNOWN) {
      admitted->outcome =
          referral == REBALI_REFERS_MISSING ? REBAL_ADMIT_OUTCOME_OWNER_MISSING : REBAL_ADMIT_OUTCOME_OWNER_UNKNOWN;
      admitted->owner = owner;
      return;
    }
    if (referral == REBALI_REFERS && rebali_spread_selects(spec, admission->pods, row, 1)) {
      admitted->outcome = REBAL_ADMIT_OUTCOME_CHOSEN;
      admitted->spread = (uint32_t)i;
      return;
    }
  }
}

/* Finds the spread in the pod's annotation. If the spread has no target, no place is freed. */
static void match_going(const struct rebali_admission *admission, uint32_t row, struct rebali_admitted *admitted) {
  const struct rebali_text name = rebali_pods_text(admission->pods, REBAL_SPREAD_POD_MATCHED_SPREAD, row);
  size_t i = 0;

  if (rebali_pods_i64(admission->pods, REBAL_SPREAD_POD_MATCHED_STATE, row) != REBAL_ANNOTATION_PRESENT) {
    return;
  }
  while (i < admission->n_spreads && !rebali_text_equal(admission->spreads[i]->spec.name, name)) {
    i++;
  }
  if (i < admission->n_spreads && admission->spreads[i]->spec.has_target) {
    admitted->outcome = REBAL_ADMIT_OUTCOME_CHOSEN;
    admitted->spread = (uint32_t)i;
  }
}

void rebali_admission_match(struct rebali_admission *admission, uint32_t row, struct rebali_admitted *admitted) {
  const uint32_t owner = rebali_pod_owner(admission->pods, row);

  *admitted = (struct rebali_admitted){.outcome = REBAL_ADMIT_OUTCOME_LEFT_ALONE,
                                       .spread = REBAL_NONE,
                                       .subset = REBAL_NONE,
                                       .owner = REBAL_NONE,
                                       .subset_name = REBALI_TEXT(""),
                                       .message = REBALI_TEXT("")};
  if (owner == REBAL_NONE || !rebali_pod_is_active(admission->pods, row)) {
    return;
  }
  examine_owner(admission, owner);
  if (rebali_pods_i64(admission->pods, REBAL_SPREAD_POD_OPERATION, row) != REBAL_OPERATION_CREATE) {
    match_going(admission, row, admitted);
  } else if (admission->owner_is_supported) {
    match_created(admission, row, admitted);
  }
}
