/* SPDX-License-Identifier: MIT */
/*
 * karmada-rebalancer: carries WorkloadRebalancers out, as Karmada's controller of that name does.
 *
 *     karmada-rebalancer [OPTION]...   (--help lists them)
 *
 * A WorkloadRebalancer that changed is due, and so is one whose time to live is over or whose last pass failed, after a
 * while. One pass: the step says what to read or write, the client does it, and the step is called again with what came
 * of it, until nothing is left to do.
 */
#include "client/client.h"

#include <rebalance/rebalance.h>

struct controller {
  struct client *client;
  struct passes passes;
  rebal_builder *builder;
  uint64_t seen; /* changes of the store */
};

static int32_t step(void *user, uint32_t object, const rebal_time *now, rebal_error *err) {
  struct controller *controller = user;
  struct passes *passes = &controller->passes;
  const rebal_rebalancer_opts opts = {.struct_size = sizeof opts, .observations = passes->observations};
  const rebal_record *rebalancer;
  const int32_t code =
      rebal_store_record(client_store(controller->client), object, controller->builder, &rebalancer, err);
  return code == REBAL_OK ? rebal_rebalancer_step(passes->ctx, rebalancer, now, &opts, passes->result, err) : code;
}

/* Those that changed are due at once. */
static bool note_changes(struct controller *controller) {
  const rebal_store *store = client_store(controller->client);
  uint32_t object;
  while ((object = rebal_store_next_changed(store, &controller->seen)) != REBAL_NONE) {
    if (!timers_set(&controller->passes.timers, object, 1)) {
      return false;
    }
  }
  return true;
}

static bool controller_open(struct controller *controller, const struct client_options *options) {
  return client_open(&controller->client, options) &&
         client_follow(controller->client, "apps.karmada.io/v1alpha1", "WorkloadRebalancer") &&
         passes_open(&controller->passes, controller->client) &&
         rebal_builder_new(NULL, &controller->builder, NULL) == REBAL_OK;
}

static void controller_close(struct controller *controller) {
  rebal_builder_free(controller->builder);
  passes_close(&controller->passes);
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
  while (is_open && client_turn(controller.client, timers_wait(&controller.passes.timers, 1000))) {
    if (note_changes(&controller) && client_is_synced(controller.client)) {
      passes_make(&controller.passes, "WorkloadRebalancer", step, &controller);
    }
  }
  controller_close(&controller);
  return is_open ? 0 : 1;
}
