/* SPDX-License-Identifier: MIT */
/* Bytes as a saved plan: what can be loaded is complete, is saved as the same again, and answers calls. */
#include "saved_laws.h"

#include <string.h>

static rebal_plan *load(rebal_fleet *fleet, const void *bytes, size_t len) {
  rebal_error err = REBAL_ERROR_INIT;
  rebal_plan *plan = NULL;
  const int32_t code = rebal_plan_load(fleet, NULL, bytes, len, &plan, &err);

  law(code == REBAL_OK || code == REBAL_EPARSE || code == REBAL_EUNSUPPORTED);
  law((code == REBAL_OK) == (plan != NULL));
  law(code != REBAL_EPARSE || (err.where >= 0 && (uint64_t)err.where <= len && err.message[0] != '\0'));
  return plan;
}

static unsigned char *save_plan(const rebal_plan *plan, size_t *len) {
  unsigned char *bytes;
  size_t written = 0;

  law(rebal_plan_save(plan, NULL, 0, len, NULL) == REBAL_OK);
  bytes = malloc(*len);
  law(bytes != NULL);
  law(rebal_plan_save(plan, bytes, *len, &written, NULL) == REBAL_OK && written == *len);
  return bytes;
}

/* All calls that read a plan. Its proof need not hold; verifying it and a step must only be safe. */
static void query(rebal_fleet *fleet, const rebal_plan *plan) {
  rebal_movement problem = {.struct_size = (uint32_t)sizeof problem};
  rebal_movement_answer answer = {.struct_size = (uint32_t)sizeof answer};
  const rebal_time now = {1773478800, 0, 1};
  rebal_snapshot *snapshot = NULL;
  rebal_bindings *none = NULL;
  rebal_result *result = NULL;
  rebal_ctx *ctx = NULL;
  int64_t gap;

  law(rebal_result_new(NULL, &result, NULL) == REBAL_OK && rebal_ctx_new(NULL, NULL, &ctx, NULL) == REBAL_OK);
  law(rebal_plan_read(plan, result, NULL) == REBAL_OK);
  if (rebal_plan_movement(plan, &problem, &answer, NULL) == REBAL_OK) {
    (void)rebal_plan_verify(ctx, &problem, &answer, &gap, NULL);
  }
  law(rebal_fleet_freeze(fleet, &snapshot, NULL) == REBAL_OK &&
      rebal_bindings_new(fleet, NULL, &none, NULL) == REBAL_OK);
  law(rebal_bindings_freeze(none, NULL) == REBAL_OK);
  (void)rebal_plan_step(ctx, snapshot, none, plan, &now, NULL, result, NULL);
  rebal_bindings_free(none);
  rebal_snapshot_unref(snapshot);
  rebal_result_free(result);
  rebal_ctx_free(ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  rebal_fleet *fleet = NULL;
  rebal_plan *first = NULL;

  law(rebal_fleet_new(NULL, &fleet, NULL) == REBAL_OK);
  if (size <= 65536 && (first = load(fleet, data, size)) != NULL) {
    size_t len, other;
    unsigned char *bytes = save_plan(first, &len), *again;
    rebal_plan *second = load(fleet, bytes, len);

    law(second != NULL);
    again = save_plan(second, &other);
    law(len == other && memcmp(bytes, again, len) == 0);
    query(fleet, first);
    free(again);
    free(bytes);
    rebal_plan_free(second);
  }
  rebal_plan_free(first);
  rebal_fleet_free(fleet);
  return 0;
}
