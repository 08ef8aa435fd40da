/* SPDX-License-Identifier: MIT */
/*
 * karmada-cluster-taints: gives clusters the taints that follow from their conditions, as controllers of Karmada's
 * controller manager do: those of a cluster that is not ready or not reached, and those of ClusterTaintPolicies.
 *
 *     karmada-cluster-taints [OPTION]...   (--help lists them)
 *
 * When a Cluster or a policy changed, each of the two steps computes the taints of all clusters. Their writes are
 * changes, so they are called until nothing is left to do.
 *
 * A write replaces all taints of a cluster. A taint that another program sets after the cluster was read and before the
 * write is lost.
 */
#include "client/client.h"

#include <rebalance/rebalance.h>

#include <stdlib.h>
#include <string.h>

enum { BY_CONDITION, BY_POLICY, STEPS };

struct tainter {
  struct client *client;
  bool is_off[STEPS];
  struct timers timers; /* by step */
  rebal_fleet *fleet;
  rebal_feed *feed;
  rebal_ctx *ctx;
  rebal_result *result;
  uint64_t seen; /* changes of the store */
};

/* ClusterTaintPolicies, each in a builder of its own. */
struct policies {
  const rebal_record **records;
  rebal_builder **builders;
  size_t n;
};

static const char policy_kind[] = "ClusterTaintPolicy";

static int32_t policies_read(const rebal_store *store, struct policies *policies, rebal_error *err) {
  const size_t most = rebal_store_count(store) + 1;
  int32_t code = REBAL_OK;
  uint32_t object = REBAL_NONE;
  *policies = (struct policies){calloc(most, sizeof *policies->records), calloc(most, sizeof *policies->builders), 0};
  if (policies->records == NULL || policies->builders == NULL) {
    return REBAL_ENOMEM;
  }
  while (code == REBAL_OK &&
         (object = rebal_store_next(store, policy_kind, sizeof policy_kind - 1, object)) != REBAL_NONE) {
    rebal_builder **builder = &policies->builders[policies->n];
    code = rebal_builder_new(NULL, builder, err);
    if (code == REBAL_OK) {
      code = rebal_store_record(store, object, *builder, &policies->records[policies->n++], err);
    }
  }
  return code;
}

static void policies_free(struct policies *policies) {
  for (size_t i = 0; i < policies->n; i++) {
    rebal_builder_free(policies->builders[i]);
  }
  free(policies->records);
  free(policies->builders);
}

static int32_t step_by_policy(struct tainter *tainter, rebal_snapshot *snapshot, const rebal_time *now,
                              rebal_error *err) {
  struct policies policies;
  int32_t code = policies_read(client_store(tainter->client), &policies, err);
  if (code == REBAL_OK) {
    code = rebal_taint_policies_step(tainter->ctx, snapshot, policies.records, policies.n, now, NULL, tainter->result,
                                     err);
  }
  policies_free(&policies);
  return code;
}

/* Calls a step for the clusters as the store has them now. */
static int32_t call(struct tainter *tainter, uint32_t step, rebal_error *err) {
  const rebal_time now = time_now();
  rebal_snapshot *snapshot = NULL;
  int32_t code = rebal_store_feed_clusters(client_store(tainter->client), tainter->fleet, &tainter->feed, err);
  if (code == REBAL_OK) {
    code = rebal_fleet_freeze(tainter->fleet, &snapshot, err);
  }
  if (code == REBAL_OK) {
    code = step == BY_POLICY ? step_by_policy(tainter, snapshot, &now, err)
                             : rebal_condition_taints_step(tainter->ctx, snapshot, &now, NULL, tainter->result, err);
  }
  rebal_snapshot_unref(snapshot);
  return code;
}

/* *has_failed: not all could be written. */
static int32_t carry_out(struct tainter *tainter, bool *has_failed) {
  const size_t n = rebal_result_count(tainter->result, REBAL_TABLE_STEP);
  bool *failed = calloc(n + 1, sizeof *failed);
  const int32_t code =
      failed != NULL ? client_carry_out(tainter->client, tainter->result, NULL, failed) : (int32_t)REBAL_ENOMEM;
  for (size_t i = 0; failed != NULL && i < n; i++) {
    *has_failed |= failed[i];
  }
  free(failed);
  return code;
}

static void take_turn(struct tainter *tainter, uint32_t step) {
  rebal_error err = REBAL_ERROR_INIT;
  bool has_failed = false;
  int32_t code;
  client_enter(tainter->client);
  code = call(tainter, step, &err);
  client_leave(tainter->client);
  if (code == REBAL_OK) {
    code = carry_out(tainter, &has_failed);
  }
  if (code != REBAL_OK) {
    say("%s: %s", rebal_strerror(code), err.message);
  }
  if (code != REBAL_OK || has_failed) {
    (void)timers_back_off(&tainter->timers, step);
  } else {
    (void)timers_set(&tainter->timers, step, 0);
  }
}

static void note_changes(struct tainter *tainter) {
  const rebal_store *store = client_store(tainter->client);
  const uint64_t seen = rebal_store_change_count(store);
  for (uint32_t step = 0; step < STEPS && seen != tainter->seen; step++) {
    (void)timers_set(&tainter->timers, step, 1);
  }
  tainter->seen = seen;
}

static bool tainter_open(struct tainter *tainter, const struct client_options *options) {
  return client_open(&tainter->client, options) &&
         client_follow(tainter->client, "cluster.karmada.io/v1alpha1", "Cluster") &&
         (tainter->is_off[BY_POLICY] ||
          client_follow_optional(tainter->client, "policy.karmada.io/v1alpha1", policy_kind)) &&
         rebal_fleet_new(NULL, &tainter->fleet, NULL) == REBAL_OK &&
         rebal_ctx_new(NULL, NULL, &tainter->ctx, NULL) == REBAL_OK &&
         rebal_result_new(NULL, &tainter->result, NULL) == REBAL_OK;
}

static void tainter_close(struct tainter *tainter) {
  timers_close(&tainter->timers);
  rebal_result_free(tainter->result);
  rebal_ctx_free(tainter->ctx);
  rebal_feed_free(tainter->feed);
  rebal_fleet_free(tainter->fleet);
  if (tainter->client != NULL) {
    client_close(tainter->client);
  }
}

int main(int argc, char **argv) {
  struct client_options options = {.name = "karmada-cluster-taints"};
  struct tainter tainter = {.client = NULL};
  const struct flag flags[] = {{"no-conditions", "", "leave it to others to taint clusters that are not ready",
                                FLAG_SWITCH, &tainter.is_off[BY_CONDITION]},
                               {"no-policies", "", "leave it to others to follow ClusterTaintPolicies", FLAG_SWITCH,
                                &tainter.is_off[BY_POLICY]}};
  bool is_open;
  if (!options_read(&options, flags, sizeof flags / sizeof flags[0], argc, argv)) {
    return options.exit_status;
  }
  is_open = tainter_open(&tainter, &options);
  while (is_open && client_turn(tainter.client, timers_wait(&tainter.timers, 1000))) {
    if (!client_is_synced(tainter.client)) {
      continue;
    }
    note_changes(&tainter);
    for (uint32_t step = 0; step < STEPS; step++) {
      if (!tainter.is_off[step] && timers_is_due(&tainter.timers, step) && client_leads(tainter.client)) {
        take_turn(&tainter, step);
      }
    }
  }
  tainter_close(&tainter);
  return is_open ? 0 : 1;
}
