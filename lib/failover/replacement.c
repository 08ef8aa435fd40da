/* SPDX-License-Identifier: MIT */
/* Replacement of evicted replicas: rebalance-karmada(7) 10.4, step 5; and what is lost without one. */
#include "failover/failover.h"

/* Returns whether copies are counted by a number. Sets of components, and objects that are not workloads, have none. */
static int counts_replicas(const rebal_bindings *bindings, uint32_t binding) {
  size_t n_components;

  (void)rebali_bindings_children(bindings, REBAL_TABLE_COMPONENT, binding, &n_components);
  return n_components == 0 &&
         (rebali_bindings_i64(bindings, REBAL_BINDING_REPLICAS, binding) > 0 ||
          rebali_bindings_i64(bindings, REBAL_BINDING_REQUIREMENTS, binding) != (int64_t)REBAL_NONE);
}

static int is_strict(const struct rebali_failover_call *call) {
  return rebali_compat_value(call->opts.compat, REBAL_OPTION_STRICT_EVICTION) != 0;
}

struct rebali_text rebali_purge_mode(const struct rebali_failover_call *call, struct rebali_text mode) {
  return is_strict(call) && rebali_text_equal(mode, REBALI_TEXT("Directly")) ? REBALI_TEXT("Gracefully") : mode;
}

static int is_healthy(const rebal_bindings *bindings, uint32_t item) {
  return rebali_text_equal(rebali_bindings_text(bindings, REBAL_STATUS_ITEM_HEALTH, item), REBALI_TEXT("Healthy"));
}

/* Returns whether the health is from before the target grew, which ready replicas show where they are reported. */
static int is_stale(const rebal_bindings *bindings, uint32_t target, uint32_t item) {
  const int64_t ready = rebali_bindings_i64(bindings, REBAL_STATUS_ITEM_READY_REPLICAS, item);

  return ready != REBAL_ABSENT && ready < rebali_bindings_i64(bindings, REBAL_TARGET_REPLICAS, target);
}

/* With STRICT_EVICTION stale health does not count. */
static void examine_targets(const struct rebali_failover_call *call, uint32_t binding, const uint32_t *targets,
                            size_t n_targets, struct rebali_replacement *replacement) {
  const rebal_bindings *bindings = call->every.bindings;
  int64_t assigned = 0;

  replacement->is_ready = 1;
  for (size_t i = 0; i < n_targets && replacement->is_ready; i++) {
    const int64_t cluster = rebali_bindings_i64(bindings, REBAL_TARGET_CLUSTER, targets[i]);
    const uint32_t item = rebali_place_of(&call->places, cluster)->item;

    assigned = rebali_add_saturating(assigned, rebali_bindings_i64(bindings, REBAL_TARGET_REPLICAS, targets[i]));
    replacement->is_ready = item != REBAL_NONE && is_healthy(bindings, item);
    replacement->is_stale |= replacement->is_ready && is_stale(bindings, targets[i], item);
  }
  replacement->is_ready &= !is_strict(call) || !replacement->is_stale;
  replacement->is_enough = replacement->is_ready && n_targets > 0 &&
                           (!counts_replicas(bindings, binding) ||
                            assigned >= rebali_bindings_i64(bindings, REBAL_BINDING_REPLICAS, binding));
}

struct rebali_replacement rebali_replacement_find(const struct rebali_failover_call *call, uint32_t binding) {
  const rebal_bindings *bindings = call->every.bindings;
  size_t n_targets;
  const uint32_t *targets = rebali_bindings_children(bindings, REBAL_TABLE_TARGET, binding, &n_targets);
  struct rebali_replacement replacement = {.is_nowhere = n_targets == 0};

  replacement.is_wanted =
      rebali_bindings_i64(bindings, REBAL_BINDING_REPLICAS, binding) > 0 || !counts_replicas(bindings, binding);
  examine_targets(call, binding, targets, n_targets, &replacement);
  if (rebali_bindings_i64(bindings, REBAL_BINDING_OBSERVED_GENERATION, binding) !=
      rebali_bindings_i64(bindings, REBAL_BINDING_GENERATION, binding)) {
    replacement.is_ready = 0;
  }
  if (n_targets == 0 && replacement.is_wanted &&
      (is_strict(call) || rebali_compat_value(call->opts.compat, REBAL_OPTION_EMPTY_IS_HEALTHY) == 0)) {
    replacement.is_ready = 0;
  }
  return replacement;
}

int rebali_may_time_out(const struct rebali_failover_call *call) {
  return !is_strict(call);
}

int32_t rebali_warn_removal(struct rebali_failover_call *call, uint32_t binding, int64_t cluster, int64_t replicas,
                            struct rebali_text row_name) {
  const rebal_bindings *bindings = call->every.bindings;
  const int64_t counted = replicas > 0 ? replicas : rebali_place_of(&call->places, cluster)->ready;
  const struct rebali_warning warning = {binding, cluster, row_name, counted};

  if (counted == 0 && counts_replicas(bindings, binding)) {
    return REBAL_OK; /* nothing ran there */
  }
  return rebali_result_add_warning(call->every.result, &warning) == REBAL_OK ? REBAL_OK
                                                                             : rebali_fail_memory(call->every.err);
}
