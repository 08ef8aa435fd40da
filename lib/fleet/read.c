/* SPDX-License-Identifier: MIT */
/* Reads amounts of a fleet or snapshot. */
#include "fleet/fleet.h"

int32_t rebal_snapshot_capacity(const rebal_snapshot *snapshot, uint32_t part, uint32_t cluster, uint32_t resource,
                                rebal_quantity *out) {
  rebal_quantity amount = {0, 0, REBAL_QUANTITY_FORMAT_NONE};
  const int is_stated = part <= REBAL_CAPACITY_ALLOCATING && snapshot != NULL &&
                        rebali_snapshot_has(snapshot, cluster) &&
                        rebali_snapshot_capacity(snapshot, part, cluster, resource, &amount);

  if (out != NULL) {
    *out = amount;
  }
  return is_stated;
}
