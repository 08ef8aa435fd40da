/* SPDX-License-Identifier: MIT */
/* Follows a pod's owners to the target of a WorkloadSpread (rebalance-workloadspread(7) 2.3, 2.4). */
#include "workloadspread/spread.h"

#define LONGEST_CHAIN 16

struct kind {
  struct rebali_text group;
  struct rebali_text name;
};

static int is_kind(struct kind left, struct kind right) {
  return rebali_text_equal(left.name, right.name) && rebali_text_equal(left.group, right.group);
}

#define KIND(group, name)         \
  {                               \
    {group, sizeof(group) - 1}, { \
      name, sizeof(name) - 1      \
    }                             \
  }

static int is_built_in(struct kind kind) {
  static const struct kind built_in[] = {KIND("apps", "Deployment"),  KIND("apps", "ReplicaSet"),
                                         KIND("batch", "Job"),        KIND("apps.kruise.io", "CloneSet"),
                                         KIND("apps", "StatefulSet"), KIND("apps.kruise.io", "StatefulSet")};
  size_t i = 0;

  while (i < REBALI_COUNT(built_in) && !is_kind(kind, built_in[i])) {
    i++;
  }
  return i < REBALI_COUNT(built_in);
}

static struct kind kind_at(const rebal_record *record, uint32_t node) {
  return (struct kind){rebali_record_field_text(record, node, REBAL_WHITE_KIND_GROUP),
                       rebali_record_field_text(record, node, REBAL_WHITE_KIND_KIND)};
}

/* Returns whether an entry of the white list names the kind, as its own or as one of its sub-kinds. */
static int is_listed(const rebal_record *white_list, uint32_t entry, struct kind kind) {
  uint32_t node = REBAL_NONE;

  if (is_kind(kind, kind_at(white_list, entry))) {
    return 1;
  }
  while ((node = rebali_record_next(white_list, entry, REBAL_WHITE_KIND_SUB_RESOURCES, node)) != REBAL_NONE) {
    if (is_kind(kind, kind_at(white_list, node))) {
      return 1;
    }
  }
  return 0;
}

static int is_supported(struct kind kind, const rebal_record *white_list) {
  uint32_t entry = REBAL_NONE;

  if (is_built_in(kind)) {
    return 1;
  }
  while ((entry = rebali_record_next(white_list, 0, REBAL_WHITE_LIST_WORKLOADS, entry)) != REBAL_NONE) {
    if (is_listed(white_list, entry, kind)) {
      return 1;
    }
  }
  return 0;
}

/* Reads the kind of an owner. Returns 0 if its apiVersion cannot be read. */
static int read_owner(const rebal_pods *pods, uint32_t owner, struct kind *kind) {
  kind->name = rebali_pods_text(pods, REBAL_OWNER_KIND, owner);
  return rebali_api_group(rebali_pods_text(pods, REBAL_OWNER_API_VERSION, owner), &kind->group);
}

int rebali_owner_is_supported(const rebal_pods *pods, const rebal_record *white_list, uint32_t owner) {
  struct kind kind;

  return read_owner(pods, owner, &kind) && is_supported(kind, white_list);
}

static uint32_t next_owner(const rebal_pods *pods, uint32_t owner) {
  const int64_t next = rebali_pods_i64(pods, REBAL_OWNER_CONTROLLER, owner);

  return next >= 0 && next < REBAL_NONE && rebali_pods_has(pods, REBAL_TABLE_OWNER, (uint32_t)next) ? (uint32_t)next
                                                                                                    : REBAL_NONE;
}

/* Examines one owner: it is the target, it does not lead to it, or its own owner must be examined, if known. */
static enum rebali_referral examine_object(const struct rebali_spread_spec *spec, const rebal_pods *pods,
                                           const rebal_record *white_list, uint32_t owner, int n_before) {
  struct kind kind;

  if (!read_owner(pods, owner, &kind)) {
    return REBALI_REFERS_ERROR;
  }
  if (is_kind(kind, (struct kind){spec->target_group, spec->target_kind}) &&
      rebali_text_equal(rebali_pods_text(pods, REBAL_OWNER_NAME, owner), spec->target_name)) {
    return REBALI_REFERS;
  }
  if (!is_supported(kind, white_list)) {
    return REBALI_REFERS_NOT;
  }
  if (n_before >= LONGEST_CHAIN) {
    return REBALI_REFERS_ERROR;
  }
  switch (rebali_pods_i64(pods, REBAL_OWNER_STATE, owner)) {
    case REBAL_OWNER_STATE_EXISTS:
      return REBALI_REFERS_FURTHER;
    case REBAL_OWNER_STATE_MISSING:
      return REBALI_REFERS_MISSING;
    case REBAL_OWNER_STATE_UNKNOWN:
      return REBALI_REFERS_UNKNOWN;
    default:
      return REBALI_REFERS_ERROR;
  }
}

enum rebali_referral rebali_spread_refers(const struct rebali_spread_spec *spec, const rebal_pods *pods,
                                          const rebal_record *white_list, uint32_t *owner) {
  enum rebali_referral referral = REBALI_REFERS_FURTHER;
  uint32_t at = *owner;

  if (spec->target_is_malformed) {
    return at == REBAL_NONE ? REBALI_REFERS_NOT : REBALI_REFERS_ERROR;
  }
  for (int n = 0; at != REBAL_NONE; n++) {
    referral = examine_object(spec, pods, white_list, at, n);
    if (referral != REBALI_REFERS_FURTHER) {
      *owner = at;
      return referral;
    }
    at = next_owner(pods, at);
  }
  return REBALI_REFERS_NOT;
}

int rebali_spread_selects(const struct rebali_spread_spec *spec, const rebal_pods *pods, uint32_t row,
                          int at_admission) {
  int64_t labels;

  if (spec->filter == REBAL_NONE) {
    return 1;
  }
  if (spec->selector == REBAL_NONE) {
    return !at_admission;
  }
  if (spec->selector_fails) {
    return 0;
  }
  labels = rebali_pods_i64(pods, REBAL_SPREAD_POD_LABELS, row);
  return rebali_label_selector_matches(
      spec->object, spec->selector,
      labels == REBAL_NONE
          ? NULL
          : rebali_store_record(pods->set.store, rebali_store_kind(REBAL_OBJECT_LABELS), (uint32_t)labels));
}
