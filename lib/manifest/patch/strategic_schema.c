/* SPDX-License-Identifier: MIT */
/* Looks up how a strategic merge patch treats a member (rebalance-workloadspread(7) 9.1). */
#include "manifest/patch/strategic.h"

const struct rebali_object_member *rebali_merge_member_of(const struct rebali_shape *shape, const char *name) {
  static const struct rebali_object_member other;
  const struct rebali_object_member *member = shape != NULL ? rebali_shape_member(shape, name) : NULL;
  return member != NULL ? member : &other;
}
