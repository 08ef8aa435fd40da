/* SPDX-License-Identifier: MIT */
/*
 * kruise-spread-controller: spreads the pods of workloads over subsets, as OpenKruise's controllers of WorkloadSpreads
 * and UnitedDeployments do.
 *
 *     kruise-spread-controller [OPTION]...   (--help lists them)
 *
 * A WorkloadSpread is due when it, its workload or one of its pods changed, when one of its times is over, or after a
 * while when its last pass failed. One pass: the step returns which pods get a deletion cost or a subset, these are
 * written, then the status, then pods that wait for a node too long are deleted. Pods that are created are given their
 * subset by kruise-spread-webhook.
 *
 * UnitedDeployments take --united-deployments. Their subsets' workloads get their replicas, pods the label of the
 * reserve, and subsets their condition Schedulable. Workloads, their templates and revisions, and the rest of the
 * status are another controller's.
 */
#include "client/client.h"

#include <rebalance/rebalance.h>
#include <rebalance/spreading.h>

struct controller {
  struct client *client;
  struct passes spreads, uniteds;
  rebal_fleet *fleet; /* of one cluster, that of the API server */
  rebal_spread_feed *feed;
  bool has_uniteds;
  struct logged unread; /* the object that cannot be read */
};

static int32_t step_spread(void *user, uint32_t object, const rebal_time *now, rebal_error *err) {
  struct controller *controller = user;
  const struct passes *passes = &controller->spreads;
  const rebal_spread_opts opts = {.struct_size = sizeof opts, .observations = passes->observations};
  return rebal_spread_feed_step(passes->ctx, controller->feed, object, now, &opts, passes->result, err);
}

static int32_t step_united(void *user, uint32_t object, const rebal_time *now, rebal_error *err) {
  struct controller *controller = user;
  const struct passes *passes = &controller->uniteds;
  return rebal_spread_feed_united_step(passes->ctx, controller->feed, object, now, NULL, passes->result, err);
}

/*
 * Brings the feed up to date. Those of which something changed are due at once. An object that cannot be read keeps no
 * other from its pass. false: there is no memory.
 */
static bool note_changes(struct controller *controller) {
  rebal_error err = REBAL_ERROR_INIT;
  const int32_t code = rebal_spread_feed_update(controller->feed, &err);
  bool has_memory = code != REBAL_ENOMEM;
  uint32_t object;
  log_once(&controller->unread, err.message);
  while (has_memory && (object = rebal_spread_feed_next_due(controller->feed)) != REBAL_NONE) {
    has_memory = timers_set(&controller->spreads.timers, object, 1);
  }
  while (has_memory && (object = rebal_spread_feed_next_united_due(controller->feed)) != REBAL_NONE) {
    has_memory = timers_set(&controller->uniteds.timers, object, 1);
  }
  return has_memory;
}

static bool follow(struct client *client) {
  return client_follow(client, "apps.kruise.io/v1beta1", "WorkloadSpread") && client_follow(client, "v1", "Pod") &&
         client_follow(client, "v1", "Node") && client_follow(client, "apps/v1", "Deployment") &&
         client_follow(client, "apps/v1", "ReplicaSet") && client_follow(client, "apps/v1", "StatefulSet") &&
         client_follow(client, "batch/v1", "Job") &&
         client_follow_optional(client, "apps.kruise.io/v1alpha1", "CloneSet") &&
         client_follow_optional(client, "apps.kruise.io/v1beta1", "StatefulSet");
}

static bool controller_open(struct controller *controller, const struct client_options *options) {
  uint32_t cluster;
  return client_open(&controller->client, options) && follow(controller->client) &&
         (!controller->has_uniteds ||
          client_follow(controller->client, "apps.kruise.io/v1beta1", "UnitedDeployment")) &&
         passes_open(&controller->spreads, controller->client) &&
         passes_open(&controller->uniteds, controller->client) &&
         rebal_fleet_new(NULL, &controller->fleet, NULL) == REBAL_OK &&
         rebal_fleet_add_cluster(controller->fleet, "here", REBAL_TERMINATED, &cluster, NULL) == REBAL_OK &&
         rebal_spread_feed_new(client_store(controller->client), controller->fleet, cluster, &controller->feed, NULL) ==
             REBAL_OK;
}

static void controller_close(struct controller *controller) {
  rebal_spread_feed_free(controller->feed);
  rebal_fleet_free(controller->fleet);
  passes_close(&controller->uniteds);
  passes_close(&controller->spreads);
  if (controller->client != NULL) {
    client_close(controller->client);
  }
}

static int until_due(const struct controller *controller) {
  return timers_wait(&controller->spreads.timers, timers_wait(&controller->uniteds.timers, 1000));
}

int main(int argc, char **argv) {
  struct client_options options = {.name = "kruise-spread-controller"};
  struct controller controller = {.client = NULL};
  bool is_open;
  const struct flag flags[] = {
      {"united-deployments", "", "scale the subsets of UnitedDeployments too", FLAG_SWITCH, &controller.has_uniteds}};
  if (!options_read(&options, flags, sizeof flags / sizeof flags[0], argc, argv)) {
    return options.exit_status;
  }
  is_open = controller_open(&controller, &options);
  controller.uniteds.takes_all_to_succeed = true;
  while (is_open && client_turn(controller.client, until_due(&controller))) {
    if (client_is_synced(controller.client) && note_changes(&controller)) {
      passes_make(&controller.spreads, "WorkloadSpread", step_spread, &controller);
      passes_make(&controller.uniteds, "UnitedDeployment", step_united, &controller);
    }
  }
  controller_close(&controller);
  return is_open ? 0 : 1;
}
