/* SPDX-License-Identifier: MIT */
/* Matches the zones of a cluster against matchZones; rebalance-karmada(7) 3.1. */
#include "record/record.h"

int rebali_requirement_matches_zones(const struct rebali_requirement *requirement, const rebal_record *zones) {
  uint32_t node = REBAL_NONE;
  int has_zones = 0;
  int any_listed = 0;

  while (zones != NULL && (node = rebali_record_next(zones, 0, REBAL_TEXTS_ITEM, node)) != REBAL_NONE) {
    has_zones = 1;
    any_listed |= rebali_requirement_lists(requirement, rebali_record_text(zones, node));
  }
  switch (requirement->operation) {
    case REBALI_OPERATOR_IN:
      return any_listed;
    case REBALI_OPERATOR_NOT_IN:
      return !any_listed;
    case REBALI_OPERATOR_EXISTS:
      return has_zones;
    case REBALI_OPERATOR_DOES_NOT_EXIST:
      return !has_zones;
    case REBALI_OPERATOR_GREATER:
    case REBALI_OPERATOR_LESS:
    case REBALI_OPERATOR_UNKNOWN:
      break;
  }
  return 0;
}
