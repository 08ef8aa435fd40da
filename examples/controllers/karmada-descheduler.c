/* SPDX-License-Identifier: MIT */
/*
 * karmada-descheduler: removes replicas from clusters in which no node accepts them, as Karmada's descheduler does.
 *
 *     karmada-descheduler [OPTION]...   (--help lists them)
 *
 * Each interval one run over all bindings: the step of the library returns which to write, the client writes them, and
 * the step is called again with the results, for the events. Those whose write failed are tried again after a while.
 *
 * With --members FILE, a kubeconfig whose contexts have the names of clusters, the pods there are counted that are
 * known to be unschedulable. A cluster without a context, or whose API server does not answer, loses nothing. Without
 * --members, replicas that are not ready by the status of their binding count, once they were scheduled long ago.
 */
#include "client/client.h"

#include <rebalance/rebalance.h>

#include <stdlib.h>
#include <string.h>

/* What is due. */
enum { ALL, FAILED };

struct descheduler {
  struct client *client;
  struct members members; /* without a kubeconfig there are none */
  int64_t interval, threshold;
  rebal_fleet *fleet;
  rebal_feed *feed; /* of the Clusters */
  rebal_bindings *bindings;
  rebal_ctx *ctx;
  rebal_result *result;
  rebal_observations *observations;
  struct timers timers;
  uint32_t *failed; /* bindings whose write failed */
  size_t n_failed;
};

static const char *name_of(const struct descheduler *descheduler, uint32_t object) {
  return rebal_store_identity(client_store(descheduler->client), object, REBAL_IDENTITY_NAME, NULL);
}

/* ---- one run ----------------------------------------------------------------------------------------------------- */

/* The fleet and the bindings as they are now; *snapshot is the caller's. */
static int32_t feed(struct descheduler *descheduler, const uint32_t *objects, size_t n, rebal_snapshot **snapshot,
                    rebal_error *err) {
  rebal_store *store = client_store(descheduler->client);
  int32_t code = rebal_store_feed_clusters(store, descheduler->fleet, &descheduler->feed, err);
  if (code == REBAL_OK && descheduler->members.kubeconfig != NULL) {
    code = members_feed(&descheduler->members, descheduler->fleet, err);
  }
  rebal_bindings_reset(descheduler->bindings);
  if (code == REBAL_OK) {
    code = rebal_store_feed_bindings(store, descheduler->fleet, objects, n, descheduler->bindings, err);
  }
  if (code == REBAL_OK) {
    code = rebal_bindings_freeze(descheduler->bindings, err);
  }
  return code == REBAL_OK ? rebal_fleet_freeze(descheduler->fleet, snapshot, err) : code;
}

static bool has_state(const rebal_result *result, size_t row, int64_t state) {
  return rebal_result_i64(result, REBAL_STEP_STATE, NULL)[row] == state;
}

/* Calls the step and sends its actions until it waits for nothing more. */
static int32_t deschedule(struct descheduler *descheduler, rebal_snapshot *snapshot, size_t n, rebal_error *err) {
  const rebal_time now = time_now();
  const uint32_t source =
      descheduler->members.kubeconfig != NULL ? REBAL_DESCHEDULE_FLAG_FROM_PODS : REBAL_DESCHEDULE_FLAG_FROM_STATUS;
  const rebal_deschedule_opts opts = {.struct_size = sizeof opts,
                                      .flags = source | REBAL_DESCHEDULE_FLAG_THRESHOLD_GIVEN,
                                      .interval_ns = descheduler->interval,
                                      .threshold_ns = descheduler->threshold,
                                      .observations = descheduler->observations};
  bool is_waiting = true;
  int32_t code = REBAL_OK;
  rebal_observations_reset(descheduler->observations);
  while (code == REBAL_OK && is_waiting) {
    client_enter(descheduler->client);
    code =
        rebal_deschedule_step(descheduler->ctx, snapshot, descheduler->bindings, &now, &opts, descheduler->result, err);
    client_leave(descheduler->client);
    is_waiting = false;
    for (size_t i = 0; code == REBAL_OK && i < n; i++) {
      is_waiting |= has_state(descheduler->result, i, REBAL_STEP_STATE_WAITING);
    }
    if (code == REBAL_OK) {
      code = client_carry_out(descheduler->client, descheduler->result, descheduler->observations, NULL);
    }
  }
  return code;
}

/* Keeps the bindings whose write failed, to try them again. */
static void keep_failed(struct descheduler *descheduler, uint32_t *objects, size_t n) {
  size_t kept = 0;
  for (size_t i = 0; i < n; i++) {
    if (has_state(descheduler->result, i, REBAL_STEP_STATE_RETRY)) {
      say("ResourceBinding %s: %s", name_of(descheduler, objects[i]),
          rebal_result_text(descheduler->result, REBAL_STEP_MESSAGE, i, NULL));
      objects[kept++] = objects[i];
    }
  }
  free(descheduler->failed);
  descheduler->failed = objects;
  descheduler->n_failed = kept;
}

/* One run over n bindings, which it takes. */
static void run(struct descheduler *descheduler, uint32_t *objects, size_t n) {
  rebal_snapshot *snapshot = NULL;
  rebal_error err = REBAL_ERROR_INIT;
  int32_t code;
  client_enter(descheduler->client);
  code = feed(descheduler, objects, n, &snapshot, &err);
  client_leave(descheduler->client);
  if (code == REBAL_OK) {
    code = deschedule(descheduler, snapshot, n, &err);
  }
  rebal_snapshot_unref(snapshot);
  if (code != REBAL_OK) {
    say("%s: %s", rebal_strerror(code), err.message);
  }
  keep_failed(descheduler, objects, code == REBAL_OK ? n : 0);
}

/* All ResourceBindings, or those of the last run that failed and are still there; NULL: there is no memory. */
static uint32_t *list_bindings(const struct descheduler *descheduler, bool is_all, size_t *n) {
  static const char kind[] = "ResourceBinding";
  const rebal_store *store = client_store(descheduler->client);
  uint32_t *list = malloc((rebal_store_count(store) + descheduler->n_failed + 1) * sizeof *list);
  uint32_t object = REBAL_NONE;
  *n = 0;
  while (list != NULL && is_all && (object = rebal_store_next(store, kind, sizeof kind - 1, object)) != REBAL_NONE) {
    list[(*n)++] = object;
  }
  for (size_t i = 0; list != NULL && !is_all && i < descheduler->n_failed; i++) {
    if (name_of(descheduler, descheduler->failed[i])[0] != '\0') {
      list[(*n)++] = descheduler->failed[i];
    }
  }
  return list;
}

static void run_due(struct descheduler *descheduler) {
  const bool is_all = timers_is_due(&descheduler->timers, ALL);
  size_t n;
  uint32_t *objects;
  if ((!is_all && !timers_is_due(&descheduler->timers, FAILED)) || !client_leads(descheduler->client)) {
    return;
  }
  objects = list_bindings(descheduler, is_all, &n);
  if (objects == NULL) {
    return;
  }
  run(descheduler, objects, n);
  if (is_all) {
    const rebal_time now = time_now();
    (void)timers_set(&descheduler->timers, ALL, nanoseconds_of(&now) + descheduler->interval);
  }
  if (descheduler->n_failed > 0) {
    (void)timers_back_off(&descheduler->timers, FAILED);
  } else {
    (void)timers_set(&descheduler->timers, FAILED, 0);
  }
}

/* ---- the program ------------------------------------------------------------------------------------------------- */

/* Of the pods those alone that wait: no other is unschedulable. */
static const struct member_kind member_kinds[] = {
    {"apps/v1", "Deployment", ""}, {"apps/v1", "ReplicaSet", ""}, {"v1", "Pod", "status.phase=Pending"}};

static bool descheduler_open(struct descheduler *descheduler, const struct client_options *options) {
  if (!client_open(&descheduler->client, options)) {
    return false;
  }
  descheduler->members.client = descheduler->client;
  descheduler->members.kinds = member_kinds;
  descheduler->members.n_kinds = sizeof member_kinds / sizeof member_kinds[0];
  return client_follow(descheduler->client, "cluster.karmada.io/v1alpha1", "Cluster") &&
         client_follow(descheduler->client, "work.karmada.io/v1alpha2", "ResourceBinding") &&
         rebal_fleet_new(NULL, &descheduler->fleet, NULL) == REBAL_OK &&
         rebal_bindings_new(descheduler->fleet, NULL, &descheduler->bindings, NULL) == REBAL_OK &&
         rebal_ctx_new(NULL, NULL, &descheduler->ctx, NULL) == REBAL_OK &&
         rebal_result_new(NULL, &descheduler->result, NULL) == REBAL_OK &&
         rebal_observations_new(NULL, &descheduler->observations, NULL) == REBAL_OK &&
         timers_set(&descheduler->timers, ALL, 1) && timers_set(&descheduler->timers, FAILED, 0);
}

static void descheduler_close(struct descheduler *descheduler) {
  members_close(&descheduler->members);
  free(descheduler->failed);
  timers_close(&descheduler->timers);
  rebal_observations_free(descheduler->observations);
  rebal_result_free(descheduler->result);
  rebal_ctx_free(descheduler->ctx);
  rebal_bindings_free(descheduler->bindings);
  rebal_feed_free(descheduler->feed);
  rebal_fleet_free(descheduler->fleet);
  if (descheduler->client != NULL) {
    client_close(descheduler->client);
  }
}

int main(int argc, char **argv) {
  struct client_options options = {.name = "karmada-descheduler"};
  struct descheduler descheduler = {.interval = INT64_C(120000000000), .threshold = INT64_C(300000000000)};
  const struct flag flags[] = {
      {"members", "FILE", "kubeconfig with a context for each cluster; default: by the status of bindings", FLAG_TEXT,
       &descheduler.members.kubeconfig},
      {"descheduling-interval", "SECONDS", "time from run to run; default: 120", FLAG_SECONDS, &descheduler.interval},
      {"unschedulable-threshold", "SECONDS", "how long replicas wait before they count; default: 300", FLAG_SECONDS,
       &descheduler.threshold}};
  bool is_open;
  if (!options_read(&options, flags, sizeof flags / sizeof flags[0], argc, argv)) {
    return options.exit_status;
  }
  is_open = descheduler_open(&descheduler, &options);
  while (is_open && client_turn(descheduler.client, timers_wait(&descheduler.timers, 1000))) {
    if (client_is_synced(descheduler.client)) {
      if (descheduler.members.kubeconfig != NULL) {
        members_follow(&descheduler.members);
      }
      run_due(&descheduler);
    }
  }
  descheduler_close(&descheduler);
  return is_open ? 0 : 1;
}
