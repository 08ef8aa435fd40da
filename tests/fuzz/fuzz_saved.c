/* SPDX-License-Identifier: MIT */
/* Bytes as a saved fleet: what can be loaded is complete, is saved as the same again, and answers calls. */
#include "saved_laws.h"

#include <string.h>

struct saved {
  rebal_fleet *fleet;
  rebal_bindings *bindings;
  rebal_ledger *ledger;
};

static void release(struct saved *saved) {
  rebal_ledger_free(saved->ledger);
  rebal_bindings_free(saved->bindings);
  rebal_fleet_free(saved->fleet);
}

static int load(const void *bytes, size_t len, struct saved *saved) {
  rebal_error err = REBAL_ERROR_INIT;
  int32_t code;

  *saved = (struct saved){NULL, NULL, NULL};
  code = rebal_fleet_load(NULL, bytes, len, &saved->fleet, &saved->bindings, &saved->ledger, &err);
  law(code == REBAL_OK || code == REBAL_EPARSE || code == REBAL_EUNSUPPORTED);
  law(code == REBAL_OK || (saved->fleet == NULL && saved->bindings == NULL && saved->ledger == NULL));
  law(code != REBAL_EPARSE || (err.where >= 0 && (uint64_t)err.where <= len && err.message[0] != '\0'));
  return code == REBAL_OK;
}

/* The fingerprint of a call that reads all of it; 0: the call was refused. */
static uint64_t query(const struct saved *saved) {
  rebal_snapshot *snapshot = NULL;
  rebal_ctx *ctx = NULL;
  rebal_result *result = NULL;
  uint64_t high = 0, low;
  const rebal_schedule_opts opts = {
      .struct_size = (uint32_t)sizeof opts, .flags = REBAL_SCHEDULE_FLAG_FINGERPRINT, .ledger = saved->ledger};

  law(rebal_fleet_freeze(saved->fleet, &snapshot, NULL) == REBAL_OK);
  law(rebal_ctx_new(NULL, NULL, &ctx, NULL) == REBAL_OK && rebal_result_new(NULL, &result, NULL) == REBAL_OK);
  if (saved->bindings != NULL && rebal_bindings_freeze(saved->bindings, NULL) == REBAL_OK &&
      rebal_schedule(ctx, snapshot, saved->bindings, &opts, result, NULL) == REBAL_OK) {
    law(rebal_result_fingerprint(result, &high, &low, NULL) == REBAL_OK);
  }
  rebal_result_free(result);
  rebal_ctx_free(ctx);
  rebal_snapshot_unref(snapshot);
  return high;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct saved first, second;

  if (size <= 65536 && load(data, size, &first)) {
    size_t len, other;
    unsigned char *bytes = save(first.fleet, first.bindings, first.ledger, &len), *again;

    law(load(bytes, len, &second));
    again = save(second.fleet, second.bindings, second.ledger, &other);
    law(len == other && memcmp(bytes, again, len) == 0);
    law(query(&first) == query(&second));
    free(again);
    free(bytes);
    release(&second);
    release(&first);
  }
  return 0;
}
