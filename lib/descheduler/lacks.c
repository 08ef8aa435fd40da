/* SPDX-License-Identifier: MIT */
/* Ready replicas in each target of a binding, and estimates for targets that lack some. */
#include "descheduler/descheduler.h"

/* Returns whether the estimator failed for a cluster that needs an estimate. */
static int has_failed(const struct rebali_deschedule_call *call, const rebal_estimator *estimator, uint32_t binding) {
  for (size_t i = 0; i < call->n_lacks; i++) {
    if (rebali_lack_is_undesired(&call->lacks[i]) &&
        rebali_opinion(estimator, binding, call->lacks[i].cluster) == REBAL_FITS_FAILED) {
      return 1;
    }
  }
  return 0;
}

/* Applies the opinions of one estimator. The smallest opinion is used. */
static void query_estimator(struct rebali_deschedule_call *call, size_t number, uint32_t binding) {
  const rebal_estimator *estimator = call->opts.estimators[number];

  if (rebali_compat_value(call->opts.compat, REBAL_OPTION_ESTIMATOR_ALL_OR_NOTHING) != 0 &&
      has_failed(call, estimator, binding)) {
    return;
  }
  for (size_t i = 0; i < call->n_lacks; i++) {
    struct rebali_lack *lack = &call->lacks[i];
    const int32_t opinion = rebali_opinion(estimator, binding, lack->cluster);

    if (rebali_lack_is_undesired(lack) && opinion != REBAL_FITS_NO_OPINION && opinion != REBAL_FITS_FAILED &&
        (lack->source == REBAL_DESCHEDULE_SOURCE_NONE || opinion < lack->unschedulable)) {
      lack->unschedulable = opinion;
      lack->source = REBAL_DESCHEDULE_SOURCE_ESTIMATOR;
      lack->estimator = (int64_t)number;
    }
  }
}

/* Returns whether the binding was last scheduled longer ago than the threshold. */
static int is_settled(const struct rebali_deschedule_call *call, uint32_t binding) {
  const rebal_time scheduled = rebali_bindings_time(call->every.bindings, REBAL_BINDING_LAST_SCHEDULED_TIME, binding);

  return scheduled.is_set && rebali_time_left_ns(call->every.now, &scheduled, 0) < -call->opts.threshold_ns;
}

/* Uses replicas that are known not to be ready where there are no opinions. */
static void read_status(struct rebali_deschedule_call *call) {
  for (size_t i = 0; i < call->n_lacks; i++) {
    struct rebali_lack *lack = &call->lacks[i];

    if (rebali_lack_is_undesired(lack) && lack->source == REBAL_DESCHEDULE_SOURCE_NONE && lack->ready >= 0) {
      lack->unschedulable = lack->replicas - lack->ready;
      lack->source = REBAL_DESCHEDULE_SOURCE_STATUS;
    }
  }
}

/*
 * Sets ready replicas by cluster; of several items of a cluster the last with a number is used. wanted 0: resets them.
 */
static void mark_ready(struct rebali_deschedule_call *call, uint32_t binding, int wanted) {
  const rebal_bindings *bindings = call->every.bindings;
  size_t n;
  const uint32_t *items = rebali_bindings_children(bindings, REBAL_TABLE_STATUS_ITEM, binding, &n);

  for (size_t i = 0; i < n; i++) {
    const int64_t cluster = rebali_bindings_i64(bindings, REBAL_STATUS_ITEM_CLUSTER, items[i]);
    const int64_t ready = rebali_bindings_i64(bindings, REBAL_STATUS_ITEM_READY_REPLICAS, items[i]);

    if (cluster != REBAL_NONE && ready != REBAL_ABSENT) {
      call->ready[cluster] = wanted ? (int32_t)ready : REBALI_READY_UNKNOWN; /* the column holds 32 bits */
    }
  }
}

static struct rebali_lack lack_of(const struct rebali_deschedule_call *call, uint32_t target) {
  const int64_t cluster = rebali_bindings_i64(call->every.bindings, REBAL_TARGET_CLUSTER, target);
  const int64_t replicas = rebali_bindings_i64(call->every.bindings, REBAL_TARGET_REPLICAS, target);
  struct rebali_lack lack = {.target = target,
                             .cluster = (uint32_t)cluster,
                             .replicas = (int32_t)replicas,
                             .ready = REBALI_READY_UNKNOWN,
                             .waiting = REBAL_FITS_NO_OPINION,
                             .estimator = REBAL_ABSENT};

  if (cluster != REBAL_NONE) {
    lack.ready = call->ready[cluster];
  }
  return lack;
}

int32_t rebali_lacks_read(struct rebali_deschedule_call *call, uint32_t binding) {
  const uint32_t *targets = rebali_bindings_children(call->every.bindings, REBAL_TABLE_TARGET, binding, &call->n_lacks);
  int32_t code = REBAL_OK;

  mark_ready(call, binding, 1);
  call->n_undesired = 0;
  for (size_t i = 0; i < call->n_lacks; i++) {
    call->lacks[i] = lack_of(call, targets[i]);
    call->n_undesired += rebali_lack_is_undesired(&call->lacks[i]) ? 1u : 0u;
  }
  mark_ready(call, binding, 0);
  for (size_t e = 0; call->n_undesired != 0 && e < call->opts.n_estimators; e++) {
    query_estimator(call, e, binding);
  }
  if ((call->opts.flags & REBAL_DESCHEDULE_FLAG_FROM_PODS) != 0) {
    code = rebali_lacks_query_pods(call, binding);
  }
  if ((call->opts.flags & REBAL_DESCHEDULE_FLAG_FROM_STATUS) != 0 && is_settled(call, binding)) {
    read_status(call);
  }
  return code;
}
