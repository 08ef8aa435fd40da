/* SPDX-License-Identifier: MIT */
/* The WorkloadRebalancer controller (spec karmada 9): created or changed ones are run, failed runs come again. */
#include "simulation.h"

#include <stdlib.h>
#include <string.h>

#define STEPS_MAX 1000
#define FIRST_RETRY (REBALI_SECOND_NS / 200) /* 5 ms, doubled with each failure */
#define LAST_RETRY (1000 * REBALI_SECOND_NS)

static const char name[] = "rebalancer";

static const char *explain(int64_t kind) {
  switch (kind) {
    case REBAL_ACTION_KIND_PATCH_SPEC:
      return "the rebalancer asks for a new schedule, as of its creation";
    case REBAL_ACTION_KIND_PATCH_STATUS:
      return "the workloads were handled";
    case REBAL_ACTION_KIND_DELETE:
      return "ttlSecondsAfterFinished has passed since finishTime";
    default:
      return "";
  }
}

static int64_t state_of(const rebal_simulation *simulation) {
  size_t n = 0;
  const int64_t *states = rebal_result_i64(simulation->result, REBAL_STEP_STATE, &n);
  return n > 0 ? states[0] : REBAL_STEP_STATE_DONE;
}

static int32_t carry_out(rebal_simulation *simulation, rebal_error *err) {
  const size_t n = rebal_result_count(simulation->result, REBAL_TABLE_ACTION);
  size_t ignored;
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    const int64_t kind = rebal_result_i64(simulation->result, REBAL_ACTION_KIND, &ignored)[i];
    code = rebali_carry_out(simulation, i, name, explain(kind), simulation->observations, err);
  }
  return code;
}

/* Step, carry out, observe, until the run has ended. */
static int32_t run_to_end(rebal_simulation *simulation, const rebal_record *rebalancer, rebal_error *err) {
  const rebal_rebalancer_opts opts = {.struct_size = sizeof opts, .observations = simulation->observations};
  int32_t code = REBAL_OK;
  rebal_observations_reset(simulation->observations);
  for (size_t i = 0; i < STEPS_MAX; i++) {
    code = rebal_rebalancer_step(simulation->ctx, rebalancer, &simulation->now, &opts, simulation->result, err);
    if (code == REBAL_OK) {
      code = carry_out(simulation, err);
    }
    if (code != REBAL_OK || state_of(simulation) != REBAL_STEP_STATE_WAITING) {
      return code;
    }
  }
  return rebali_fail(err, REBAL_ELIMIT, -1, "the run of a WorkloadRebalancer does not end");
}

static int32_t retry(rebal_simulation *simulation, uint32_t object, const char *label, rebal_error *err) {
  struct rebali_tracked *tracked = &simulation->tracked[object];
  const int64_t wait = tracked->attempts < 18 ? FIRST_RETRY << tracked->attempts : LAST_RETRY;
  tracked->attempts++;
  rebali_timer_set(simulation, REBALI_TIMER_REBALANCER, object,
                   rebali_time_after(&simulation->now, wait < LAST_RETRY ? wait : LAST_RETRY));
  return rebali_log_append(simulation, REBAL_LOG_KIND_NOTE, name, label, "run again after a pause",
                           rebal_result_text(simulation->result, REBAL_STEP_MESSAGE, 0, NULL), err);
}

static int32_t run(rebal_simulation *simulation, uint32_t object, rebal_error *err) {
  const rebal_record *rebalancer;
  char *label = rebali_object_label(simulation, object);
  int32_t code = label != NULL ? rebal_store_record(simulation->store, object, simulation->builder, &rebalancer, err)
                               : rebali_fail_memory(err);
  if (code == REBAL_OK) {
    code = run_to_end(simulation, rebalancer, err);
  }
  if (code == REBAL_OK && state_of(simulation) == REBAL_STEP_STATE_RETRY) {
    code = retry(simulation, object, label, err);
  } else if (code == REBAL_OK) {
    simulation->tracked[object].attempts = 0;
    rebali_timer_set(simulation, REBALI_TIMER_REBALANCER, object, rebali_wake_of(simulation));
  }
  free(label);
  return code;
}

int32_t rebali_rebalancers_run(rebal_simulation *simulation, rebal_error *err) {
  int32_t code = REBAL_OK;
  for (uint32_t object = rebali_next_of(simulation, "WorkloadRebalancer", REBAL_NONE);
       code == REBAL_OK && object != REBAL_NONE; object = rebali_next_of(simulation, "WorkloadRebalancer", object)) {
    const int64_t generation = rebali_field_integer(simulation, object, "metadata.generation");
    struct rebali_tracked *tracked = rebali_track(simulation, object);
    if (tracked == NULL) {
      return rebali_fail_memory(err);
    }
    if (tracked->order == 0 || tracked->generation != generation) {
      tracked->order = 1; /* seen */
      tracked->generation = generation;
      rebali_timer_set(simulation, REBALI_TIMER_REBALANCER, object, simulation->now);
    }
    if (rebali_time_is_due(&tracked->due[REBALI_TIMER_REBALANCER], &simulation->now)) {
      code = run(simulation, object, err);
    }
  }
  return code;
}
