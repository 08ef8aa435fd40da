/* SPDX-License-Identifier: MIT */
/* Why a pod is deleted before another one of its workload, as a sentence. */
#include "view.h"

/* By REBAL_DELETION_RULE_*. */
static const char *const reasons[] = {
    [REBAL_DELETION_RULE_NONE] = "",
    [REBAL_DELETION_RULE_NUMBERED] = "It has the highest ordinal.",
    [REBAL_DELETION_RULE_WITHOUT_NODE] = "It has no node yet.",
    [REBAL_DELETION_RULE_PENDING] = "It is pending, or its phase is unknown.",
    [REBAL_DELETION_RULE_NOT_READY] = "It is not ready.",
    [REBAL_DELETION_RULE_CHEAPER] = "Its deletion cost is lower.",
    [REBAL_DELETION_RULE_READY_LATER] = "It has been ready for a shorter time.",
    [REBAL_DELETION_RULE_RESTARTED] = "It has restarted more often.",
    [REBAL_DELETION_RULE_YOUNGER] = "It is younger.",
    [REBAL_DELETION_RULE_NOT_FIT] = "It is not available yet, or its state is not Normal.",
    [REBAL_DELETION_RULE_CROWDED] = "Its node, or its domain, has more of these pods.",
    [REBAL_DELETION_RULE_LOWER_UID] = "Its age is about the same, and its uid is lower.",
    [REBAL_DELETION_RULE_OLD_REVISION] = "Its template is an earlier one.",
    [REBAL_DELETION_RULE_NOT_WANTED] = "Its ordinal is not needed.",
    [REBAL_DELETION_RULE_SURPLUS_INDEX] = "It has no index, one beyond completions, or that of another pod.",
};

const char *deletion_reason(uint32_t rule) {
  return rule < sizeof reasons / sizeof reasons[0] ? reasons[rule] : "";
}
