/* SPDX-License-Identifier: MIT */
/* Reading back what was put in: amounts. */
#include "fleet/fleet.h"

static const char *give_text(struct rebali_text text, size_t *len) {
  if (len != NULL) {
    *len = text.len;
  }
  return text.bytes;
}

uint32_t rebal_snapshot_resource_count(const rebal_snapshot *snapshot) {
  uint32_t n = 0;

  if (snapshot != NULL) {
    (void)rebali_snapshot_resources_by_name(snapshot, &n);
  }
  return n;
}

const char *rebal_snapshot_resource_name(const rebal_snapshot *snapshot, uint32_t resource, size_t *len) {
  const int is_known = resource < rebal_snapshot_resource_count(snapshot);

  return give_text(is_known ? rebali_snapshot_resource_name(snapshot, resource) : REBALI_TEXT(""), len);
}

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
