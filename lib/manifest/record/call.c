/* SPDX-License-Identifier: MIT */
/* Names of the calls that can be recorded. */
#include "manifest/record/call.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int rebali_call_estimates(uint32_t call) {
  return call == REBAL_CALL_ESTIMATE || call == REBAL_CALL_ESTIMATE_SETS;
}

const char *rebali_call_name(uint32_t call) {
  return call != REBAL_CALL_NONE ? rebal_enum_name(REBAL_ENUM_CALL, call, NULL) : NULL;
}

uint32_t rebali_call_find(const char *name) {
  int64_t call;
  return rebal_enum_find(REBAL_ENUM_CALL, name, strlen(name), &call, NULL) == REBAL_OK ? (uint32_t)call
                                                                                       : (uint32_t)REBAL_CALL_NONE;
}

const char *rebali_fingerprint_text(const rebal_result *result, char *buffer, size_t capacity) {
  uint64_t high, low;
  if (rebal_result_fingerprint(result, &high, &low, NULL) != REBAL_OK) {
    return NULL;
  }
  (void)snprintf(buffer, capacity, "%016" PRIx64 "%016" PRIx64, high, low);
  return buffer;
}
