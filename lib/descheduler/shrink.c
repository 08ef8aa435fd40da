/* SPDX-License-Identifier: MIT */
#include "descheduler/descheduler.h"

/*
 * An estimate above the desired replicas is stale, so nothing is removed. Replicas are unschedulable only if fewer are
 * ready than desired.
 */
static int32_t shrunk(const struct rebali_lack *lack) {
  int32_t after;

  if (lack->unschedulable <= 0 || lack->unschedulable > lack->replicas) {
    return lack->replicas;
  }
  after = lack->replicas - lack->unschedulable;
  return after < lack->ready ? lack->ready : after;
}

void rebali_lacks_shrink(struct rebali_deschedule_call *call) {
  for (size_t i = 0; i < call->n_lacks; i++) {
    call->lacks[i].after = shrunk(&call->lacks[i]);
  }
}
