/* SPDX-License-Identifier: MIT */
/* A step that expects a refusal of what it applies: nothing changes, and the run continues. */
#include "simulation/scenario/simulation.h"

#include <string.h>

/* Saves an object before the step as JSON, empty if it is missing. */
static void save(rebal_simulation *simulation, uint32_t object, struct rebali_buffer *out) {
  rebali_buffer_text(out, "");
  if (object != REBAL_NONE) {
    rebali_print_json(out, rebali_object(&simulation->server, object));
  }
}

/* Restores what the refused apply changed: in reality, admission comes before the change. */
static int32_t restore(rebal_simulation *simulation, const struct rebali_name *target,
                       const struct rebali_buffer *saved, rebal_error *err) {
  struct rebali_server *server = &simulation->server;
  const uint32_t object = rebali_find_named(simulation, target);
  if (saved->failed) {
    return rebali_fail_memory(err);
  }
  if (saved->len > 0) {
    return rebal_store_put(server->store, saved->bytes, saved->len, err);
  }
  return object != REBAL_NONE ? rebali_remove_quietly(server, object, err) : REBAL_OK;
}

int32_t rebali_step_apply_refused(rebal_simulation *simulation, const struct rebali_scenario_step *step,
                                  const rebal_value *object, const char *field, rebal_error *err) {
  const struct rebali_name target = rebali_name_of_object(object);
  struct rebali_buffer saved = REBALI_BUFFER;
  rebal_error refusal = REBAL_ERROR_INIT;
  int32_t code, applied;
  save(simulation, rebali_find_named(simulation, &target), &saved);
  applied = saved.failed ? REBAL_ENOMEM : rebali_step_apply(simulation, step, object, field, &refusal);
  code = applied == REBAL_ENOMEM ? rebali_fail_memory(err) : REBAL_OK;
  if (code == REBAL_OK && applied != REBAL_OK) {
    code = restore(simulation, &target, &saved, err);
  }
  rebali_buffer_dispose(&saved);
  return code == REBAL_OK
             ? rebali_expect_refusal(simulation, step, &target, applied != REBAL_OK ? refusal.message : NULL, err)
             : code;
}
