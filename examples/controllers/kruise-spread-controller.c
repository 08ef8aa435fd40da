/* SPDX-License-Identifier: MIT */
/*
 * kruise-spread-controller: spreads the pods of workloads over subsets, as OpenKruise's controller of WorkloadSpreads
 * does.
 *
 *     kruise-spread-controller [OPTION]...   (--help lists them)
 *
 * A WorkloadSpread is due when it, its workload or one of its pods changed, when one of its times is over, or after a
 * while when its last pass failed. One pass: the step says which pods get a deletion cost or a subset, these are
 * written, then the status, then pods that wait for a node too long are deleted. Pods that are created are given their
 * subset by kruise-spread-webhook.
 */
#include "client/client.h"
#include "kruise-united.h"

#include <rebalance/rebalance.h>

struct controller {
  struct client *client;
  struct passes passes;
  rebal_fleet *fleet; /* of one cluster, that of the API server */
  rebal_spread_feed *feed;
  struct united *united; /* NULL: they are not wanted */
  struct said unread;    /* the object that cannot be read */
};

static int32_t step(void *user, uint32_t object, const rebal_time *now, rebal_error *err) {
  struct controller *controller = user;
  const struct passes *passes = &controller->passes;
  const rebal_spread_opts opts = {.struct_size = sizeof opts, .observations = passes->observations};
  return rebal_spread_feed_step(passes->ctx, controller->feed, object, now, &opts, passes->result, err);
}

/*
 * Brings the feed up to date. Those of which something changed are due at once. An object that cannot be read keeps no
 * other from its pass. false: there is no memory.
 */
static bool note_changes(struct controller *controller) {
  rebal_error err = REBAL_ERROR_INIT;
  const int32_t code = rebal_spread_feed_update(controller->feed, &err);
  uint32_t object;
  say_once(&controller->unread, err.message);
  while (code != REBAL_ENOMEM && (object = rebal_spread_feed_next_due(controller->feed)) != REBAL_NONE) {
    if (!timers_set(&controller->passes.timers, object, 1)) {
      return false;
    }
  }
  return code != REBAL_ENOMEM;
}

static bool follow(struct client *client) {
  return client_follow(client, "apps.kruise.io/v1beta1", "WorkloadSpread") && client_follow(client, "v1", "Pod") &&
         client_follow(client, "v1", "Node") && client_follow(client, "apps/v1", "Deployment") &&
         client_follow(client, "apps/v1", "ReplicaSet") && client_follow(client, "apps/v1", "StatefulSet") &&
         client_follow(client, "batch/v1", "Job") &&
         client_follow_optional(client, "apps.kruise.io/v1alpha1", "CloneSet") &&
         client_follow_optional(client, "apps.kruise.io/v1beta1", "StatefulSet");
}

static bool controller_open(struct controller *controller, const struct client_options *options, bool has_united) {
  uint32_t cluster;
  return client_open(&controller->client, options) && follow(controller->client) &&
         passes_open(&controller->passes, controller->client) &&
         rebal_fleet_new(NULL, &controller->fleet, NULL) == REBAL_OK &&
         rebal_fleet_add_cluster(controller->fleet, "here", REBAL_TERMINATED, &cluster, NULL) == REBAL_OK &&
         rebal_spread_feed_new(client_store(controller->client), controller->fleet, cluster, &controller->feed, NULL) ==
             REBAL_OK &&
         (!has_united || united_open(&controller->united, controller->client, controller->feed));
}

static void controller_close(struct controller *controller) {
  united_close(controller->united);
  rebal_spread_feed_free(controller->feed);
  rebal_fleet_free(controller->fleet);
  passes_close(&controller->passes);
  if (controller->client != NULL) {
    client_close(controller->client);
  }
}

static int until_due(const struct controller *controller) {
  const int longest = controller->united != NULL ? united_wait(controller->united, 1000) : 1000;
  return timers_wait(&controller->passes.timers, longest);
}

int main(int argc, char **argv) {
  struct client_options options = {.name = "kruise-spread-controller"};
  struct controller controller = {.client = NULL};
  bool has_united = false, is_open;
  const struct flag flags[] = {
      {"united-deployments", "", "scale the subsets of UnitedDeployments too", FLAG_SWITCH, &has_united}};
  if (!options_read(&options, flags, sizeof flags / sizeof flags[0], argc, argv)) {
    return options.exit_status;
  }
  is_open = controller_open(&controller, &options, has_united);
  while (is_open && client_turn(controller.client, until_due(&controller))) {
    if (client_is_synced(controller.client) && note_changes(&controller)) {
      passes_make(&controller.passes, "WorkloadSpread", step, &controller);
      if (has_united) {
        united_make(controller.united);
      }
    }
  }
  controller_close(&controller);
  return is_open ? 0 : 1;
}
