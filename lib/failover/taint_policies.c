/* SPDX-License-Identifier: MIT */
/* ClusterTaintPolicy: taints that are added and removed by conditions of clusters. rebalance-karmada(7) 10.2. */
#include "failover/taints.h"
#include "scheduler/placement/placement.h"

struct policy {
  const rebal_record *record;
  uint32_t spec; /* node */
  struct rebali_text name;
  rebal_time created;
  struct rebali_affinity target;
  int has_target; /* 0: all clusters */
};

struct policies {
  struct rebali_every_cluster every; /* first: visits get its address */
  struct rebali_arena arena;
  struct policy *items; /* in the order of application */
  size_t n;
};

/* ---- conditions ---- */

static int has_value(const rebal_record *record, uint32_t node, struct rebali_text status) {
  uint32_t value = REBAL_NONE;

  while ((value = rebali_record_next(record, node, REBAL_CONDITION_MATCH_STATUS_VALUES, value)) != REBAL_NONE) {
    if (rebali_text_equal(rebali_record_text(record, value), status)) {
      return 1;
    }
  }
  return 0;
}

/* A missing condition matches nothing, not even NotIn. */
static int matches(const struct rebali_every_cluster *every, const rebal_record *record, uint32_t node) {
  const struct rebali_text type = rebali_record_field_text(record, node, REBAL_CONDITION_MATCH_CONDITION_TYPE);
  const struct rebali_text operation = rebali_record_field_text(record, node, REBAL_CONDITION_MATCH_OPERATOR);
  const struct rebali_text status = rebali_condition_status(every, type);

  if (status.bytes == NULL) {
    return 0;
  }
  if (rebali_text_equal(operation, REBALI_TEXT("In"))) {
    return has_value(record, node, status);
  }
  return rebali_text_equal(operation, REBALI_TEXT("NotIn")) && !has_value(record, node, status);
}

/* Returns whether all conditions of a list match. An empty list never matches. */
static int match_all(const struct rebali_every_cluster *every, const struct policy *policy, uint32_t field) {
  uint32_t node = REBAL_NONE;
  int result = 0;

  while ((node = rebali_record_next(policy->record, policy->spec, field, node)) != REBAL_NONE) {
    if (!matches(every, policy->record, node)) {
      return 0;
    }
    result = 1;
  }
  return result;
}

/* ---- policies ---- */

static int32_t apply(struct rebali_every_cluster *every, const struct policy *policy) {
  const int adds = match_all(every, policy, REBAL_TAINT_POLICY_SPEC_ADD_ON_CONDITIONS);
  const int removes = match_all(every, policy, REBAL_TAINT_POLICY_SPEC_REMOVE_ON_CONDITIONS);
  uint32_t node = REBAL_NONE;
  int32_t code = REBAL_OK;

  while (adds && code == REBAL_OK &&
         (node = rebali_record_next(policy->record, policy->spec, REBAL_TAINT_POLICY_SPEC_TAINTS, node)) !=
             REBAL_NONE) {
    const struct rebali_taint taint = rebali_taint_read(policy->record, node);

    code = rebali_taint_ensure(every, &taint);
  }
  node = REBAL_NONE;
  while (removes && (node = rebali_record_next(policy->record, policy->spec, REBAL_TAINT_POLICY_SPEC_TAINTS, node)) !=
                        REBAL_NONE) {
    const struct rebali_taint taint = rebali_taint_read(policy->record, node);

    (void)rebali_taint_remove(every, &taint);
  }
  return code;
}

static int32_t visit(struct rebali_every_cluster *every) {
  const struct policies *policies = (const void *)every;
  int32_t code = REBAL_OK;

  for (size_t i = 0; code == REBAL_OK && i < policies->n; i++) {
    const struct policy *policy = &policies->items[i];

    if (!policy->has_target || rebali_affinity_matches(&policy->target, every->snapshot, every->cluster)) {
      code = apply(every, policy);
    }
  }
  return code;
}

/* Compares by age, older first, then by name. */
static int compare(const void *left, const void *right, const void *context) {
  const struct policy *first = left, *second = right;
  const int order = rebali_time_compare(&first->created, &second->created);

  (void)context;
  return order != 0 ? order : rebali_text_compare(first->name, second->name);
}

static int32_t load(struct policies *policies, const rebal_record *record, struct policy *out) {
  const uint32_t metadata = rebali_record_get(record, 0, REBAL_TAINT_POLICY_METADATA);
  const uint32_t created = rebali_record_get(record, metadata, REBAL_METADATA_CREATION_TIMESTAMP);
  uint32_t target;
  size_t n_bitsets = 0;

  out->record = record;
  out->spec = rebali_record_get(record, 0, REBAL_TAINT_POLICY_SPEC);
  out->name = rebali_record_field_text(record, metadata, REBAL_METADATA_NAME);
  rebal_record_time(record, created, &out->created);
  target = rebali_record_get(record, out->spec, REBAL_TAINT_POLICY_SPEC_TARGET_CLUSTERS);
  out->has_target = target != REBAL_NONE;
  return out->has_target ? rebali_affinity_compile(&policies->arena, record, target, &n_bitsets, &out->target)
                         : REBAL_OK;
}

static int32_t load_all(struct policies *policies, const rebal_record *const *records) {
  struct policy *scratch = rebali_arena_allocate(&policies->arena, policies->n + 1, sizeof *scratch);
  int32_t code;

  policies->items = rebali_arena_allocate(&policies->arena, policies->n + 1, sizeof *policies->items);
  code = policies->items == NULL || scratch == NULL ? REBAL_ENOMEM : REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < policies->n; i++) {
    code = load(policies, records[i], &policies->items[i]);
  }
  if (code != REBAL_OK) {
    return rebali_fail_memory(policies->every.err);
  }
  rebali_sort(policies->items, policies->n, sizeof *policies->items, scratch, compare, NULL);
  return REBAL_OK;
}

int32_t rebal_taint_policies_step(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_record *const *policies,
                                  size_t n, const rebal_time *now, const rebal_failover_opts *opts,
                                  rebal_result *result, rebal_error *err) {
  struct policies all = {.every = {.ctx = ctx,
                                   .snapshot = snapshot,
                                   .now = now,
                                   .opts = opts,
                                   .result = result,
                                   .err = err,
                                   .visits_deleting = 1},
                         .n = n};
  int32_t code;

  if (result == NULL || (policies == NULL && n != 0)) {
    return rebali_fail(err, REBAL_EINVAL, -1, "%s is missing", result == NULL ? "result" : "policies");
  }
  for (size_t i = 0; i < n; i++) {
    if (policies[i] == NULL || rebal_record_object(policies[i]) != REBAL_OBJECT_TAINT_POLICY) {
      return rebali_fail(err, REBAL_EINVAL, (int64_t)i, "a policy is not a record of kind TAINT_POLICY");
    }
  }
  rebali_arena_init(&all.arena, rebali_result_allocator(result), 0);
  code = load_all(&all, policies);
  if (code == REBAL_OK) {
    code = rebali_clusters_run(&all.every, visit);
  } else {
    rebal_result_reset(result);
  }
  rebali_arena_dispose(&all.arena);
  return code;
}
