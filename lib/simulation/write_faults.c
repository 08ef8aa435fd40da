/* SPDX-License-Identifier: MIT */
/* Writes that the API server does not take: a step says of which object, how many, and with which answer. */
#include "simulation/server.h"

#include <stdlib.h>

#define FIRST_RETRY (REBALI_SECOND_NS / 200) /* 5 ms, doubled with each failure: client-go's rate limiter */
#define LAST_RETRY (1000 * REBALI_SECOND_NS)

static struct rebali_write_fault *find(const struct rebali_server *server, uint32_t object) {
  for (size_t i = 0; i < server->faults.n; i++) {
    if (server->faults.list[i].object == object) {
      return &server->faults.list[i];
    }
  }
  return NULL;
}

int32_t rebali_fault_set(struct rebali_server *server, uint32_t object, int32_t outcome, int64_t times,
                         rebal_error *err) {
  struct rebali_write_faults *faults = &server->faults;
  struct rebali_write_fault *fault = find(server, object);
  if (fault == NULL) {
    const int32_t code = rebali_make_room(&faults->list, &faults->capacity, faults->n + 1, sizeof *faults->list, err);
    if (code != REBAL_OK) {
      return code;
    }
    fault = &faults->list[faults->n++];
  }
  *fault = (struct rebali_write_fault){object, outcome, times, 0};
  return REBAL_OK;
}

int32_t rebali_fault_take(struct rebali_server *server, uint32_t object) {
  struct rebali_write_fault *fault = find(server, object);
  if (fault == NULL || fault->left == 0) {
    return REBAL_OBSERVED_DONE;
  }
  fault->left--;
  fault->failed++;
  server->faults.failed++;
  server->faults.attempts = fault->failed;
  return fault->outcome;
}

int rebali_fault_is_due(const struct rebali_server *server, uint32_t object) {
  const struct rebali_write_fault *fault = find(server, object);
  return fault != NULL && fault->left > 0;
}

rebal_time rebali_fault_retry(const struct rebali_server *server) {
  const int64_t attempts = server->faults.attempts;
  const int64_t wait = attempts < 19 ? FIRST_RETRY << (attempts - 1) : LAST_RETRY;
  return rebali_time_after(&server->now, wait < LAST_RETRY ? wait : LAST_RETRY);
}
