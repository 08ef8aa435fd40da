/* SPDX-License-Identifier: MIT */
/*
 * The WorkloadRebalancer controller (rebalance-karmada(7) 9): runs created or changed objects, and retries failed runs.
 */
#include "simulation/controllers/controllers.h"

#include <stdlib.h>

#define STEPS_MAX 1000

static const char name[] = "rebalancer";

/* What is kept of a WorkloadRebalancer. */
struct rebali_rebalancer_state {
  int64_t generation; /* that was run last */
  uint32_t attempts;
  int is_seen;
};

static const char *explain(int64_t kind) {
  switch (kind) {
    case REBAL_ACTION_KIND_PATCH_SPEC:
      return "the rebalancer triggers a reschedule, with the time of its creation";
    case REBAL_ACTION_KIND_PATCH_STATUS:
      return "the workloads were handled";
    case REBAL_ACTION_KIND_DELETE:
      return "ttlSecondsAfterFinished has passed since finishTime";
    default:
      return "";
  }
}

static int64_t state_of(const struct rebali_core *core) {
  const int64_t state = rebali_cell(core->result, REBAL_STEP_STATE, 0);
  return state != REBAL_ABSENT ? state : REBAL_STEP_STATE_DONE;
}

static int32_t carry_out(struct rebali_core *core, rebal_error *err) {
  const size_t n = rebal_result_count(core->result, REBAL_TABLE_ACTION);
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    code = rebali_carry_out(core, i, name, explain(rebali_cell(core->result, REBAL_ACTION_KIND, i)), core->observations,
                            err);
  }
  return code;
}

/* Repeats step, carrying out and observation until the run has ended. */
static int32_t run_to_end(struct rebali_core *core, const rebal_record *rebalancer, rebal_error *err) {
  const rebal_rebalancer_opts opts = {.struct_size = sizeof opts, .observations = core->observations};
  int32_t code = REBAL_OK;
  rebal_observations_reset(core->observations);
  for (size_t i = 0; i < STEPS_MAX; i++) {
    code = rebal_rebalancer_step(core->ctx, rebalancer, &core->server->now, &opts, core->result, err);
    if (code == REBAL_OK) {
      code = carry_out(core, err);
    }
    if (code != REBAL_OK || state_of(core) != REBAL_STEP_STATE_WAITING) {
      return code;
    }
  }
  return rebali_fail(err, REBAL_ELIMIT, -1, "the run of a WorkloadRebalancer does not end");
}

static int32_t retry(struct rebali_rebalancers *rebalancers, uint32_t object, struct rebali_rebalancer_state *run,
                     rebal_error *err) {
  struct rebali_core *core = rebalancers->core;
  const int32_t code =
      rebali_timer_set(&rebalancers->timers, object, rebali_retry_at(core->server, run->attempts++), err);
  return code == REBAL_OK
             ? rebali_log_report(core->server, REBAL_LOG_KIND_NOTE, name, object, "run again after a pause",
                                 rebal_result_text(core->result, REBAL_STEP_MESSAGE, 0, NULL), err)
             : code;
}

static int32_t run(struct rebali_rebalancers *rebalancers, uint32_t object, struct rebali_rebalancer_state *run,
                   rebal_error *err) {
  struct rebali_core *core = rebalancers->core;
  const rebal_record *rebalancer;
  int32_t code = rebal_store_record(core->server->store, object, core->builder, &rebalancer, err);
  if (code == REBAL_OK) {
    code = run_to_end(core, rebalancer, err);
  }
  if (code == REBAL_OK && state_of(core) == REBAL_STEP_STATE_RETRY) {
    return retry(rebalancers, object, run, err);
  }
  run->attempts = 0;
  return code == REBAL_OK ? rebali_timer_set(&rebalancers->timers, object, rebali_wake_of(core), err) : code;
}

static int32_t examine_object(struct rebali_rebalancers *rebalancers, uint32_t object, rebal_error *err) {
  struct rebali_server *server = rebalancers->core->server;
  const int64_t generation = rebali_field_number(server, object, "metadata.generation", 0);
  struct rebali_rebalancer_state *found = rebali_row(&rebalancers->objects, object, err);
  int32_t code = found != NULL ? REBAL_OK : REBAL_ENOMEM;
  if (code == REBAL_OK && (!found->is_seen || found->generation != generation)) {
    found->is_seen = 1;
    found->generation = generation;
    code = rebali_timer_set(&rebalancers->timers, object, server->now, err);
  }
  return code == REBAL_OK && rebali_timer_is_due(&rebalancers->timers, object, &server->now)
             ? run(rebalancers, object, found, err)
             : code;
}

int32_t rebali_rebalancers_run(struct rebali_rebalancers *rebalancers, rebal_error *err) {
  struct rebali_server *server = rebalancers->core->server;
  int32_t code = REBAL_OK;
  rebalancers->objects.size = sizeof(struct rebali_rebalancer_state);
  for (uint32_t object = rebali_next_of(server, "WorkloadRebalancer", REBAL_NONE);
       code == REBAL_OK && object != REBAL_NONE; object = rebali_next_of(server, "WorkloadRebalancer", object)) {
    code = examine_object(rebalancers, object, err);
    rebali_reads_release(server);
  }
  return code;
}

void rebali_rebalancers_dispose(struct rebali_rebalancers *rebalancers) {
  free(rebalancers->objects.bytes);
  rebali_timers_dispose(&rebalancers->timers);
}
