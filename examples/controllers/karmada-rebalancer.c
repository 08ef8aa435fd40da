/* SPDX-License-Identifier: MIT */
/*
 * karmada-rebalancer: carries WorkloadRebalancers out, as Karmada's controller of that name does.
 *
 *     karmada-rebalancer [OPTION]...   (--help lists them)
 *
 * A WorkloadRebalancer that changed is due, and so is one whose time to live is over or whose last pass failed, after a
 * while. One pass: the step returns what to read or write, the client does it, and the step is called again with the
 * results, until nothing is left to do.
 */
#include "client/client.h"

#include <rebalance/rebalance.h>

struct controller {
  struct client *client;
  struct passes passes;
  rebal_builder *builder, *newer;
  const rebal_record *rebalancer; /* of this pass */
  uint64_t seen;                  /* changes of the store */
};

static int64_t generation_of(const rebal_record *rebalancer) {
  const uint32_t metadata = rebal_record_next(rebalancer, 0, REBAL_WORKLOAD_REBALANCER_METADATA, REBAL_NONE);
  return rebal_record_i64(rebalancer, rebal_record_next(rebalancer, metadata, REBAL_METADATA_GENERATION, REBAL_NONE));
}

/*
 * What was observed belongs to the workloads that the pass began with: it goes on with them when they are edited
 * meanwhile, which is another pass. Its own write of the status brings a newer object.
 */
static int32_t read_object(struct controller *controller, uint32_t object, rebal_error *err) {
  const rebal_record *found;
  const int32_t code = rebal_store_record(client_store(controller->client), object, controller->newer, &found, err);
  if (code == REBAL_OK &&
      (!controller->passes.is_begun || generation_of(found) == generation_of(controller->rebalancer))) {
    rebal_builder *older = controller->builder;
    controller->builder = controller->newer;
    controller->newer = older;
    controller->rebalancer = found;
  }
  return controller->passes.is_begun ? REBAL_OK : code;
}

static int32_t step(void *user, uint32_t object, const rebal_time *now, rebal_error *err) {
  struct controller *controller = user;
  struct passes *passes = &controller->passes;
  const rebal_rebalancer_opts opts = {.struct_size = sizeof opts, .observations = passes->observations};
  const int32_t code = read_object(controller, object, err);
  return code == REBAL_OK ? rebal_rebalancer_step(passes->ctx, controller->rebalancer, now, &opts, passes->result, err)
                          : code;
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
         rebal_builder_new(NULL, &controller->builder, NULL) == REBAL_OK &&
         rebal_builder_new(NULL, &controller->newer, NULL) == REBAL_OK;
}

static void controller_close(struct controller *controller) {
  rebal_builder_free(controller->builder);
  rebal_builder_free(controller->newer);
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
