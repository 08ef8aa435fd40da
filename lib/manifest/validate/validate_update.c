/* SPDX-License-Identifier: MIT */
/* Members of metadata that an update must not change (rebalance-workloadspread(7) 8.2). */
#include "manifest/validate/validate.h"

int rebali_is_same(const json_t *left, const json_t *right) {
  return left == NULL || right == NULL ? left == right : json_equal(left, right);
}

static int64_t generation_of(const json_t *metadata) {
  const json_t *value = rebali_member(metadata, "generation");
  return json_is_integer(value) ? (int64_t)json_integer_value(value) : 0;
}

void rebali_check_update(struct rebali_check *check, const json_t *tree, const json_t *old,
                         const struct rebali_path *path) {
  static const char *const members[] = {
      "name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"};
  const struct rebali_path metadata = rebali_path_key(path, "metadata");
  const struct rebali_path version = rebali_path_key(&metadata, "resourceVersion");
  const struct rebali_path generation = rebali_path_key(&metadata, "generation");
  const json_t *now = rebali_member(tree, "metadata"), *before = rebali_member(old, "metadata");
  if (*rebali_member_text(now, "resourceVersion") == '\0') {
    rebali_fault(check, REBAL_FINDING_METADATA_UPDATE, REBAL_CAUSE_INVALID, rebali_member(now, "resourceVersion"),
                 &version, "must be specified for an update");
  }
  if (generation_of(now) < generation_of(before)) {
    rebali_fault(check, REBAL_FINDING_METADATA_UPDATE, REBAL_CAUSE_INVALID, rebali_member(now, "generation"),
                 &generation, "must not be decremented");
  }
  for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
    const struct rebali_path at = rebali_path_key(&metadata, members[i]);
    if (!rebali_is_same(rebali_member(now, members[i]), rebali_member(before, members[i]))) {
      rebali_fault(check, REBAL_FINDING_IMMUTABLE_FIELD, REBAL_CAUSE_INVALID, rebali_member(now, members[i]), &at,
                   "field is immutable");
    }
  }
}
