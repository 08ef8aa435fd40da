/* SPDX-License-Identifier: MIT */
/* The calls that can be recorded. */
#include "call.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const names[] = {
    [REBAL_CALL_DECIDE] = "rebal_decide",     [REBAL_CALL_FILTER] = "rebal_filter",
    [REBAL_CALL_SCHEDULE] = "rebal_schedule", [REBAL_CALL_SCHEDULER_STEP] = "rebal_scheduler_step",
    [REBAL_CALL_ESTIMATE] = "rebal_estimate", [REBAL_CALL_ESTIMATE_SETS] = "rebal_estimate_sets",
    [REBAL_CALL_DESCHEDULE_STEP] = "rebal_deschedule_step",
    [REBAL_CALL_TAINT_EVICTION_STEP] = "rebal_taint_eviction_step",
    [REBAL_CALL_GRACEFUL_EVICTION_STEP] = "rebal_graceful_eviction_step",
    [REBAL_CALL_APPLICATION_FAILOVER_STEP] = "rebal_application_failover_step",
};

enum { NAMES = sizeof names / sizeof names[0] };

int rebali_call_estimates(uint32_t call) {
  return call == REBAL_CALL_ESTIMATE || call == REBAL_CALL_ESTIMATE_SETS;
}

const char *rebali_call_name(uint32_t call) {
  return call < NAMES ? names[call] : NULL;
}

uint32_t rebali_call_find(const char *name) {
  for (uint32_t call = 0; call < NAMES; call++) {
    if (names[call] != NULL && strcmp(names[call], name) == 0) {
      return call;
    }
  }
  return REBAL_CALL_NONE;
}

const char *rebali_fingerprint_text(const rebal_result *result, char *buffer, size_t capacity) {
  uint64_t high, low;
  if (rebal_result_fingerprint(result, &high, &low, NULL) != REBAL_OK) {
    return NULL;
  }
  (void)snprintf(buffer, capacity, "%016" PRIx64 "%016" PRIx64, high, low);
  return buffer;
}
