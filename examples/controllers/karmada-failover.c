/* SPDX-License-Identifier: MIT */
/*
 * karmada-failover: evicts workloads from clusters and ends their evictions, as controllers of Karmada's controller
 * manager do.
 *
 *     karmada-failover [OPTION]...   (--help lists them)
 *
 * There are three controllers. One evicts from clusters with NoExecute taints that a binding does not tolerate, or no
 * longer; it is off without --taint-eviction, as in Karmada. One evicts from clusters in which an application was
 * unhealthy for too long, where spec.failover.application requires it. One ends evictions when the replacement is
 * healthy, or waited for too long.
 *
 * A binding is due when it changed, at the time that a step returned, and some time after a write of it failed; also
 * when the taints of a cluster changed. A controller takes all bindings that are due for it in one call of its step.
 */
#include "client/client.h"
#include "karmada-failover-sightings.h"

#include <rebalance/rebalance.h>

#include <string.h>

#define SECOND INT64_C(1000000000)
#define MAX_ROWS 500

enum { TAINTS, APPLICATIONS, EVICTIONS, CONTROLLERS };

struct failover {
  struct client *client;
  bool is_off[CONTROLLERS];
  struct timers timers[CONTROLLERS]; /* by object */
  rebal_failover_opts opts;
  rebal_time next_eviction;
  rebal_fleet *fleet;
  rebal_feed *feed;
  rebal_snapshot *snapshot; /* NULL: none yet */
  rebal_bindings *bindings;
  rebal_ctx *ctx;
  rebal_result *result;
  uint64_t seen; /* changes of the store */

  /* The bindings of a turn, by row. */
  uint32_t objects[MAX_ROWS];
  bool has_failed[MAX_ROWS];
  int64_t due[MAX_ROWS]; /* as in timers */
  size_t n;
  struct sightings sightings;
};

static const char *const kinds[] = {"ResourceBinding", "ClusterResourceBinding"};

static const char *identity(const struct failover *failover, uint32_t object, uint32_t part) {
  return rebal_store_identity(client_store(failover->client), object, part, NULL);
}

/* ---- turns ------------------------------------------------------------------------------------------------------- */

/* The fleet as it is now. */
static int32_t freeze(struct failover *failover, rebal_error *err) {
  rebal_snapshot *before = failover->snapshot;
  const int32_t code = rebal_fleet_freeze(failover->fleet, &failover->snapshot, err);
  if (code == REBAL_OK) {
    rebal_snapshot_unref(before);
  }
  return code;
}

/* The bindings of the turn as the store has them now, and the fleet with the clusters that they name. */
static int32_t feed(struct failover *failover, int controller, rebal_error *err) {
  int32_t code;
  rebal_bindings_reset(failover->bindings);
  code = rebal_store_feed_bindings(client_store(failover->client), failover->fleet, failover->objects, failover->n,
                                   failover->bindings, err);
  if (code == REBAL_OK && controller == APPLICATIONS) {
    code = sightings_feed(&failover->sightings, failover->objects, failover->n, failover->bindings, err);
  }
  if (code == REBAL_OK) {
    code = rebal_bindings_freeze(failover->bindings, err);
  }
  return code == REBAL_OK ? freeze(failover, err) : code;
}

/* Calls the step of a controller; cluster: the tainted one. */
static int32_t call(struct failover *failover, int controller, uint32_t cluster, const rebal_time *now,
                    rebal_error *err) {
  rebal_ctx *ctx = failover->ctx;
  const rebal_bindings *bindings = failover->bindings;
  const int32_t code = feed(failover, controller, err);
  rebal_snapshot *snapshot = failover->snapshot;
  if (code != REBAL_OK) {
    return code;
  }
  failover->opts.next_eviction = &failover->next_eviction;
  return controller == TAINTS
             ? rebal_taint_eviction_step(ctx, snapshot, cluster, bindings, now, &failover->opts, failover->result, err)
         : controller == APPLICATIONS
             ? rebal_application_failover_step(ctx, snapshot, bindings, now, &failover->opts, failover->result, err)
             : rebal_graceful_eviction_step(ctx, snapshot, bindings, now, &failover->opts, failover->result, err);
}

/* When rows are due again, and which could not be judged. */
static void note_times(struct failover *failover) {
  const rebal_result *result = failover->result;
  const int64_t *actions = rebal_result_i64(result, REBAL_ACTION_KIND, NULL);
  const int64_t *rows = rebal_result_i64(result, REBAL_ACTION_ROW, NULL);
  const int64_t *states = rebal_result_i64(result, REBAL_STEP_STATE, NULL);
  rebal_time time;
  for (size_t i = 0; i < rebal_result_count(result, REBAL_TABLE_ACTION); i++) {
    if (actions[i] == REBAL_ACTION_KIND_WAKE) {
      int64_t *due = &failover->due[rows[i]];
      rebal_result_time(result, REBAL_ACTION_NOT_BEFORE, i, &time);
      *due = *due == 0 || nanoseconds_of(&time) < *due ? nanoseconds_of(&time) : *due;
    }
  }
  for (size_t row = 0; row < failover->n; row++) {
    if (states[row] == REBAL_STEP_STATE_RETRY) {
      failover->has_failed[row] = true;
      say("%s %s: %s", identity(failover, failover->objects[row], REBAL_IDENTITY_KIND),
          identity(failover, failover->objects[row], REBAL_IDENTITY_NAME),
          rebal_result_text(result, REBAL_STEP_MESSAGE, row, NULL));
    }
  }
  if (rebal_result_count(result, REBAL_TABLE_PACE) > 0) {
    rebal_result_time(result, REBAL_PACE_NEXT, 0, &failover->next_eviction);
  }
}

static int32_t step(struct failover *failover, int controller, uint32_t cluster, const rebal_time *now,
                    rebal_error *err) {
  int32_t code;
  client_enter(failover->client);
  code = call(failover, controller, cluster, now, err);
  client_leave(failover->client);
  if (code == REBAL_OK) {
    code = client_carry_out(failover->client, failover->result, NULL, failover->has_failed);
  }
  if (code == REBAL_OK && controller == APPLICATIONS) {
    code = sightings_keep(&failover->sightings, failover->objects, failover->n, failover->has_failed, failover->result);
  }
  if (code == REBAL_OK) {
    note_times(failover);
  }
  return code;
}

/* One step for each cluster that has taints, each with the bindings as the one before left them. */
static int32_t step_by_cluster(struct failover *failover, const rebal_time *now, rebal_error *err) {
  const rebal_cells *cells = rebal_fleet_cells(failover->fleet);
  int32_t code = REBAL_OK;
  uint32_t cluster = REBAL_NONE;
  while (code == REBAL_OK &&
         (cluster = rebal_cells_next(cells, REBAL_TABLE_CLUSTER, REBAL_NONE, cluster)) != REBAL_NONE) {
    if (rebal_cells_get_i64(cells, REBAL_CLUSTER_TAINTS, REBAL_NONE, cluster) != REBAL_ABSENT) {
      code = step(failover, TAINTS, cluster, now, err);
    }
  }
  return code;
}

/* The first bindings that are due for a controller become those of the turn. */
static bool list_due(struct failover *failover, int controller) {
  const rebal_store *store = client_store(failover->client);
  failover->n = 0;
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    uint32_t object = REBAL_NONE;
    while (failover->n < MAX_ROWS &&
           (object = rebal_store_next(store, kinds[i], strlen(kinds[i]), object)) != REBAL_NONE) {
      if (timers_is_due(&failover->timers[controller], object)) {
        failover->has_failed[failover->n] = false;
        failover->due[failover->n] = 0;
        failover->objects[failover->n++] = object;
      }
    }
  }
  return failover->n > 0;
}

static void take_turn(struct failover *failover, int controller) {
  const rebal_time now = time_now();
  rebal_error err = REBAL_ERROR_INIT;
  const int32_t code =
      controller == TAINTS ? step_by_cluster(failover, &now, &err) : step(failover, controller, REBAL_NONE, &now, &err);
  if (code != REBAL_OK) {
    say("%s: %s", rebal_strerror(code), err.message);
  }
  for (size_t row = 0; row < failover->n; row++) {
    if (code != REBAL_OK || failover->has_failed[row]) {
      (void)timers_back_off(&failover->timers[controller], failover->objects[row]);
    } else {
      (void)timers_set(&failover->timers[controller], failover->objects[row], failover->due[row]);
    }
  }
}

/* ---- changes ----------------------------------------------------------------------------------------------------- */

static void set_all(struct failover *failover, uint32_t object, int64_t due) {
  for (int i = 0; i < CONTROLLERS; i++) {
    (void)timers_set(&failover->timers[i], object, due);
  }
}

/* By the fleet as it was, if it was. */
static bool has_new_taints(const struct failover *failover) {
  const rebal_cells *before = rebal_snapshot_cells(failover->snapshot), *now = rebal_fleet_cells(failover->fleet);
  uint32_t cluster = REBAL_NONE;
  while (before != NULL && (cluster = rebal_cells_next(now, REBAL_TABLE_CLUSTER, REBAL_NONE, cluster)) != REBAL_NONE) {
    if (rebal_cells_get_i64(before, REBAL_CLUSTER_TAINTS, REBAL_NONE, cluster) !=
        rebal_cells_get_i64(now, REBAL_CLUSTER_TAINTS, REBAL_NONE, cluster)) {
      return true;
    }
  }
  return false;
}

/* When taints changed, all bindings are due. */
static int32_t note_clusters(struct failover *failover, rebal_error *err) {
  const rebal_store *store = client_store(failover->client);
  int32_t code = rebal_store_feed_clusters(client_store(failover->client), failover->fleet, &failover->feed, err);
  for (size_t i = 0; code == REBAL_OK && has_new_taints(failover) && i < sizeof kinds / sizeof kinds[0]; i++) {
    uint32_t object = REBAL_NONE;
    while ((object = rebal_store_next(store, kinds[i], strlen(kinds[i]), object)) != REBAL_NONE) {
      (void)timers_set(&failover->timers[TAINTS], object, 1);
    }
  }
  return code == REBAL_OK ? freeze(failover, err) : code;
}

/* Bindings that changed are due. */
static int32_t note_changes(struct failover *failover, rebal_error *err) {
  bool is_cluster = failover->snapshot == NULL;
  uint32_t object;
  while ((object = rebal_store_next_changed(client_store(failover->client), &failover->seen)) != REBAL_NONE) {
    const char *kind = identity(failover, object, REBAL_IDENTITY_KIND);
    is_cluster |= kind[0] == '\0' || strcmp(kind, "Cluster") == 0;
    set_all(failover, object, kind[0] != '\0');
    if (kind[0] == '\0') {
      sightings_forget(&failover->sightings, object);
    }
  }
  return is_cluster ? note_clusters(failover, err) : REBAL_OK;
}

/* ---- the program ------------------------------------------------------------------------------------------------- */

static bool failover_open(struct failover *failover, const struct client_options *options) {
  return client_open(&failover->client, options) &&
         client_follow(failover->client, "cluster.karmada.io/v1alpha1", "Cluster") &&
         client_follow(failover->client, "work.karmada.io/v1alpha2", kinds[0]) &&
         client_follow(failover->client, "work.karmada.io/v1alpha2", kinds[1]) &&
         rebal_fleet_new(NULL, &failover->fleet, NULL) == REBAL_OK &&
         rebal_bindings_new(failover->fleet, NULL, &failover->bindings, NULL) == REBAL_OK &&
         rebal_ctx_new(NULL, NULL, &failover->ctx, NULL) == REBAL_OK &&
         rebal_result_new(NULL, &failover->result, NULL) == REBAL_OK;
}

static void failover_close(struct failover *failover) {
  for (int i = 0; i < CONTROLLERS; i++) {
    timers_close(&failover->timers[i]);
  }
  sightings_free(&failover->sightings);
  rebal_result_free(failover->result);
  rebal_ctx_free(failover->ctx);
  rebal_bindings_free(failover->bindings);
  rebal_snapshot_unref(failover->snapshot);
  rebal_feed_free(failover->feed);
  rebal_fleet_free(failover->fleet);
  if (failover->client != NULL) {
    client_close(failover->client);
  }
}

/* Milliseconds until a controller has something to do, at most a second. */
static int pause_of(const struct failover *failover) {
  int wait = 1000;
  for (int i = 0; i < CONTROLLERS; i++) {
    wait = timers_wait(&failover->timers[i], wait);
  }
  return wait;
}

static void run(struct failover *failover) {
  rebal_error err = REBAL_ERROR_INIT;
  const int32_t code = note_changes(failover, &err);
  if (code != REBAL_OK) {
    say("%s: %s", rebal_strerror(code), err.message);
  }
  for (int i = 0; code == REBAL_OK && i < CONTROLLERS; i++) {
    while (!failover->is_off[i] && client_leads(failover->client) && list_due(failover, i)) {
      take_turn(failover, i);
    }
  }
}

int main(int argc, char **argv) {
  static struct failover failover = {
      .opts = {.struct_size = sizeof failover.opts,
               .flags = REBAL_FAILOVER_FLAG_EVICT_BY_TAINT | REBAL_FAILOVER_FLAG_TIMEOUT_GIVEN,
               .graceful_eviction_timeout_ns = 600 * SECOND,
               .eviction_interval_ns = 2 * SECOND}};
  struct client_options options = {.name = "karmada-failover"};
  bool evicts_by_taint = false, purges_directly = false, is_open;
  const struct flag flags[] = {
      {"taint-eviction", "", "evict from clusters with NoExecute taints", FLAG_SWITCH, &evicts_by_taint},
      {"purge-directly", "", "do not wait for the replacement then", FLAG_SWITCH, &purges_directly},
      {"eviction-interval", "SECONDS", "from eviction to eviction by taints; default: 2", FLAG_SECONDS,
       &failover.opts.eviction_interval_ns},
      {"no-application-failover", "", "leave unhealthy applications where they are", FLAG_SWITCH,
       &failover.is_off[APPLICATIONS]},
      {"no-graceful-eviction", "", "leave it to others to end evictions", FLAG_SWITCH, &failover.is_off[EVICTIONS]},
      {"graceful-eviction-timeout", "SECONDS", "how long a replacement is waited for; default: 600", FLAG_SECONDS,
       &failover.opts.graceful_eviction_timeout_ns}};
  if (!options_read(&options, flags, sizeof flags / sizeof flags[0], argc, argv)) {
    return options.exit_status;
  }
  failover.is_off[TAINTS] = !evicts_by_taint;
  failover.opts.flags |= purges_directly ? REBAL_FAILOVER_FLAG_PURGE_DIRECTLY : 0u;
  is_open = failover_open(&failover, &options);
  while (is_open && client_turn(failover.client, pause_of(&failover))) {
    if (client_is_synced(failover.client)) {
      run(&failover);
    }
  }
  failover_close(&failover);
  return is_open ? 0 : 1;
}
