/* SPDX-License-Identifier: MIT */
/* Reads columns of a pod: its version, and whether it is active (rebalance-workloadspread(7) 2.2, 2.5). */
#include "workloadspread/spread.h"

static int is_letter_of(char found, char wanted) {
  return ((unsigned char)found | 0x20u) == (unsigned char)wanted;
}

/* Compares a kind, in whatever case, with a lower-case one. */
static int is_kind(struct rebali_text kind, struct rebali_text wanted) {
  size_t i = 0;

  if (kind.len != wanted.len) {
    return 0;
  }
  while (i < kind.len && is_letter_of(kind.bytes[i], wanted.bytes[i])) {
    i++;
  }
  return i == kind.len;
}

int rebali_kind_is_tracked(const rebal_compat *compat, struct rebali_text kind) {
  return is_kind(kind, REBALI_TEXT("replicaset")) || is_kind(kind, REBALI_TEXT("deployment")) ||
         (is_kind(kind, REBALI_TEXT("cloneset")) &&
          rebali_compat_value(compat, REBAL_OPTION_SPREAD_CLONE_SET_VERSIONS) != 0);
}

/* Returns the text after the last "-", or all of it. */
static struct rebali_text last_part(struct rebali_text text) {
  size_t start = text.len;

  while (start > 0 && text.bytes[start - 1] != '-') {
    start--;
  }
  return rebali_text(text.bytes + start, text.len - start);
}

struct rebali_text rebali_version_of_label(const rebal_pods *pods, uint32_t row) {
  const struct rebali_text version = rebali_pods_text(pods, REBAL_SPREAD_POD_VERSION, row);

  switch (rebali_pods_i64(pods, REBAL_SPREAD_POD_VERSION_LABEL, row)) {
    case REBAL_VERSION_LABEL_TEMPLATE_HASH:
      return version;
    case REBAL_VERSION_LABEL_REVISION_HASH:
      return last_part(version);
    default:
      return REBALI_VERSION_IGNORED;
  }
}

uint32_t rebali_pod_owner(const rebal_pods *pods, uint32_t row) {
  const int64_t owner = rebali_pods_i64(pods, REBAL_SPREAD_POD_CONTROLLER, row);

  return owner >= 0 && owner < REBAL_NONE && rebali_pods_has(pods, REBAL_TABLE_OWNER, (uint32_t)owner) ? (uint32_t)owner
                                                                                                       : REBAL_NONE;
}

struct rebali_text rebali_pod_version(const rebal_pods *pods, const rebal_compat *compat, uint32_t row) {
  const uint32_t owner = rebali_pod_owner(pods, row);

  return owner != REBAL_NONE && rebali_kind_is_tracked(compat, rebali_pods_text(pods, REBAL_OWNER_KIND, owner))
             ? rebali_version_of_label(pods, row)
             : REBALI_VERSION_IGNORED;
}

int rebali_pod_is_active(const rebal_pods *pods, uint32_t row) {
  const int64_t phase = rebali_pods_i64(pods, REBAL_SPREAD_POD_PHASE, row);

  return phase != REBAL_POD_PHASE_SUCCEEDED && phase != REBAL_POD_PHASE_FAILED &&
         rebali_pods_i64(pods, REBAL_SPREAD_POD_DELETING, row) == 0;
}
