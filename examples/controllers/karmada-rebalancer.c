/* SPDX-License-Identifier: MIT */
/*
 * karmada-rebalancer: carries WorkloadRebalancers out, as Karmada's controller of that name does.
 *
 *     karmada-rebalancer [OPTION]...   (--help lists them)
 *
 * A WorkloadRebalancer that changed is due, and so is one whose time to live is over or whose last run failed, after a
 * while. One run: the step says what to read or write, the client does it, and the step is asked again with what came
 * of it, until nothing is left to do.
 */
#include "client/client.h"

#include <rebalance/rebalance.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* When an object is looked at again. */
struct timer {
  int64_t due; /* seconds since 1970; 0: only when it changes */
  uint32_t failures;
};

struct controller {
  struct client *client;
  rebal_ctx *ctx;
  rebal_result *result;
  rebal_builder *builder;
  rebal_observations *observations;
  uint64_t seen; /* changes of the store */
  struct timer *timers;
  size_t n_timers;
};

static rebal_time now(void) {
  struct timespec clock;
  (void)clock_gettime(CLOCK_REALTIME, &clock);
  return (rebal_time){clock.tv_sec, (int32_t)clock.tv_nsec, 1};
}

static struct timer *timer_of(struct controller *controller, uint32_t object) {
  if (object >= controller->n_timers) {
    const size_t n = (size_t)object + 64;
    struct timer *timers = realloc(controller->timers, n * sizeof *timers);
    if (timers == NULL) {
      return NULL;
    }
    memset(timers + controller->n_timers, 0, (n - controller->n_timers) * sizeof *timers);
    controller->timers = timers;
    controller->n_timers = n;
  }
  return &controller->timers[object];
}

/* When the last step is to be called again; 0: not at all. */
static int64_t next_run(const rebal_result *result) {
  const int64_t *kinds = rebal_result_i64(result, REBAL_ACTION_KIND, NULL);
  int64_t due = 0;
  for (size_t i = 0; i < rebal_result_count(result, REBAL_TABLE_ACTION); i++) {
    rebal_time at;
    rebal_result_time(result, REBAL_ACTION_NOT_BEFORE, i, &at);
    if (kinds[i] == REBAL_ACTION_KIND_WAKE && at.is_set) {
      due = at.seconds + (at.nanos > 0);
    }
  }
  return due;
}

/* One run over a WorkloadRebalancer as the store has it. */
static int64_t run(struct controller *controller, const rebal_record *rebalancer, rebal_error *err) {
  const rebal_rebalancer_opts opts = {.struct_size = sizeof opts, .observations = controller->observations};
  const rebal_time started = now();
  int64_t state = REBAL_STEP_STATE_WAITING;
  rebal_observations_reset(controller->observations);
  while (state == REBAL_STEP_STATE_WAITING) {
    if (rebal_rebalancer_step(controller->ctx, rebalancer, &started, &opts, controller->result, err) != REBAL_OK) {
      return REBAL_STEP_STATE_RETRY;
    }
    state = rebal_result_i64(controller->result, REBAL_STEP_STATE, NULL)[0];
    if (client_carry_out(controller->client, controller->result, controller->observations) != REBAL_OK) {
      return REBAL_STEP_STATE_RETRY;
    }
  }
  return state;
}

static void reconcile(struct controller *controller, uint32_t object, struct timer *timer) {
  const rebal_store *store = client_store(controller->client);
  const rebal_record *rebalancer;
  rebal_error err = REBAL_ERROR_INIT;
  int64_t state;
  if (rebal_store_record(store, object, controller->builder, &rebalancer, &err) != REBAL_OK) {
    say("WorkloadRebalancer %s: %s", rebal_store_identity(store, object, REBAL_IDENTITY_NAME, NULL), err.message);
    timer->due = 0;
    return;
  }
  state = run(controller, rebalancer, &err);
  if (state != REBAL_STEP_STATE_RETRY) {
    *timer = (struct timer){next_run(controller->result), 0};
    return;
  }
  timer->failures++;
  timer->due = now().seconds + rebal_queue_back_off_ns(timer->failures) / 1000000000;
  say("WorkloadRebalancer %s: %s", rebal_store_identity(store, object, REBAL_IDENTITY_NAME, NULL),
      err.message[0] != '\0' ? err.message : rebal_result_text(controller->result, REBAL_STEP_MESSAGE, 0, NULL));
}

/* Those that changed are due at once. */
static bool note_changes(struct controller *controller) {
  const rebal_store *store = client_store(controller->client);
  uint32_t object;
  while ((object = rebal_store_next_changed(store, &controller->seen)) != REBAL_NONE) {
    struct timer *timer = timer_of(controller, object);
    if (timer == NULL) {
      return false;
    }
    *timer = (struct timer){1, 0};
  }
  return true;
}

static void reconcile_due(struct controller *controller) {
  static const char kind[] = "WorkloadRebalancer";
  const rebal_store *store = client_store(controller->client);
  uint32_t object = REBAL_NONE;
  while (client_leads(controller->client) &&
         (object = rebal_store_next(store, kind, sizeof kind - 1, object)) != REBAL_NONE) {
    struct timer *timer = timer_of(controller, object);
    if (timer != NULL && timer->due != 0 && timer->due <= now().seconds) {
      reconcile(controller, object, timer);
    }
  }
}

static bool controller_open(struct controller *controller, const struct client_options *options) {
  return client_open(&controller->client, options) &&
         client_follow(controller->client, "apps.karmada.io/v1alpha1", "WorkloadRebalancer") &&
         rebal_ctx_new(NULL, NULL, &controller->ctx, NULL) == REBAL_OK &&
         rebal_result_new(NULL, &controller->result, NULL) == REBAL_OK &&
         rebal_builder_new(NULL, &controller->builder, NULL) == REBAL_OK &&
         rebal_observations_new(NULL, &controller->observations, NULL) == REBAL_OK;
}

static void controller_close(struct controller *controller) {
  free(controller->timers);
  rebal_observations_free(controller->observations);
  rebal_builder_free(controller->builder);
  rebal_result_free(controller->result);
  rebal_ctx_free(controller->ctx);
  if (controller->client != NULL) {
    client_close(controller->client);
  }
}

int main(int argc, char **argv) {
  struct client_options options = {.name = "karmada-rebalancer"};
  struct controller controller = {.client = NULL};
  bool is_open;
  if (!options_read(&options, NULL, 0, argc, argv)) {
    return options.exit_status;
  }
  is_open = controller_open(&controller, &options);
  while (is_open && client_turn(controller.client, 1000)) {
    if (note_changes(&controller) && client_is_synced(controller.client)) {
      reconcile_due(&controller);
    }
  }
  controller_close(&controller);
  return is_open ? 0 : 1;
}
