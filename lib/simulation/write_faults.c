/* SPDX-License-Identifier: MIT */
/* Writes that the API server refuses: a step sets the object, their number, and the answer. */
#include "simulation/server.h"

#include <string.h>

static const struct rebali_fault_answer answers[] = {
    {"Conflict", REBAL_OBSERVED_CONFLICT, "a write conflicts", "the object was modified by another writer"},
    {"Denied", REBAL_OBSERVED_DENIED, "a write is denied", "admission denied the request"},
    {"Timeout", REBAL_OBSERVED_TRANSIENT, "a write times out", "the request timed out"},
};

const struct rebali_fault_answer *rebali_fault_find(const char *name) {
  for (size_t i = 0; i < REBALI_COUNT(answers); i++) {
    if (strcmp(answers[i].name, name) == 0) {
      return &answers[i];
    }
  }
  return NULL;
}

static struct rebali_write_fault *find(const struct rebali_server *server, uint32_t object) {
  for (size_t i = 0; i < server->faults.n; i++) {
    if (server->faults.list[i].object == object) {
      return &server->faults.list[i];
    }
  }
  return NULL;
}

int32_t rebali_fault_set(struct rebali_server *server, uint32_t object, const struct rebali_fault_answer *answer,
                         int64_t times, rebal_error *err) {
  struct rebali_write_faults *faults = &server->faults;
  struct rebali_write_fault *fault = find(server, object);
  if (fault == NULL) {
    const int32_t code =
        rebali_reserve_malloc(&faults->list, &faults->capacity, faults->n + 1, sizeof *faults->list, err);
    if (code != REBAL_OK) {
      return code;
    }
    fault = &faults->list[faults->n++];
  }
  *fault = (struct rebali_write_fault){object, answer, times, 0};
  return REBAL_OK;
}

const struct rebali_fault_answer *rebali_fault_take(struct rebali_server *server, uint32_t object) {
  struct rebali_write_fault *fault = find(server, object);
  if (fault == NULL || fault->left == 0) {
    return NULL;
  }
  fault->left--;
  fault->failed++;
  server->faults.failed++;
  server->faults.attempts = fault->failed;
  return fault->answer;
}

int rebali_fault_is_due(const struct rebali_server *server, uint32_t object) {
  const struct rebali_write_fault *fault = find(server, object);
  return fault != NULL && fault->left > 0;
}

rebal_time rebali_fault_retry(const struct rebali_server *server) {
  return rebali_retry_at(server, (uint32_t)(server->faults.attempts - 1));
}
