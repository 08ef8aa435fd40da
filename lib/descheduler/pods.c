/* SPDX-License-Identifier: MIT */
#include "descheduler/descheduler.h"

/* Applies the pod counts like an estimator's opinions: a failure for one cluster may invalidate all. */
static void believe_pods(struct rebali_deschedule_call *call, int has_failed) {
  if (has_failed && rebali_compat_value(call->opts.compat, REBAL_OPTION_ESTIMATOR_ALL_OR_NOTHING) != 0) {
    return;
  }
  for (size_t i = 0; i < call->n_lacks; i++) {
    struct rebali_lack *lack = &call->lacks[i];

    if (lack->waiting >= 0) {
      lack->unschedulable = lack->waiting;
      lack->source = REBAL_DESCHEDULE_SOURCE_PODS;
    }
  }
}

int32_t rebali_lacks_query_pods(struct rebali_deschedule_call *call, uint32_t binding) {
  int has_failed = 0;

  for (size_t i = 0; i < call->n_lacks; i++) {
    struct rebali_lack *lack = &call->lacks[i];
    struct rebali_stuck stuck;

    if (!rebali_lack_is_undesired(lack) || lack->source != REBAL_DESCHEDULE_SOURCE_NONE) {
      continue;
    }
    if (rebali_unschedulable_query(&call->pods, call->every.bindings, binding, lack->cluster, &stuck) != REBAL_OK) {
      return rebali_fail_memory(call->every.err);
    }
    lack->waiting = stuck.replicas;
    lack->since = stuck.since;
    has_failed |= stuck.replicas == REBAL_FITS_FAILED;
  }
  believe_pods(call, has_failed);
  return REBAL_OK;
}
